// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's driver, found when it is first needed: nothing here is linked
// against it, so that one wheel serves machines with and without a GPU.

#ifndef TEGULA_PYTHON_BINDINGS_CUDADRIVER_H
#define TEGULA_PYTHON_BINDINGS_CUDADRIVER_H

#include "Devices.h"

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace tegula::runtime {

/// The driver refuses something, or is not there.
class DriverError final : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The driver's functions, by their names in cuda.h (newest versions).
struct CudaApi;

class CudaDriver {
public:
  /// Loads the library and initializes it. Throws DriverError.
  explicit CudaDriver(const std::string &library);
  ~CudaDriver();
  CudaDriver(const CudaDriver &) = delete;
  CudaDriver &operator=(const CudaDriver &) = delete;

  int deviceCount() const;
  /// As the driver reports it: 13000 is CUDA 13.0.
  int version() const;
  std::string deviceName(int device) const;
  /// Ten times major plus minor.
  int capability(int device) const;
  /// Ordinal of the device whose context is current on this thread, else 0.
  int currentDevice() const;

  const CudaApi &api() const { return *functions; }
  /// The driver's name for an error, and its description.
  std::string describe(int code) const;
  /// Throws DriverError unless `code` is success.
  void check(int code, const char *what) const;
  /// The primary context of a device, which frameworks use as well.
  void *context(int device);

private:
  /// The driver's number of an ordinal; throws for one that does not exist.
  int handle(int device) const;

  std::unique_ptr<CudaApi> functions;
  std::mutex mutex;
  std::vector<void *> contexts;
};

/// A description of an array that the kernel takes as an argument of its own
/// (CUtensorMap): for copies of boxes by the tensor memory accelerator.
struct TensorMapSpec {
  int argument;              // Number of the array.
  std::vector<int> order;    // Its dimensions, innermost first.
  std::vector<uint32_t> box; // Extents of a box, in that order.
  int swizzleBytes;
  int elementBytes;
};

/// What a kernel needs besides its code.
struct KernelShape {
  unsigned threads = 1;
  unsigned sharedBytes = 0;
  std::vector<TensorMapSpec> maps;
  std::vector<MessageSpec> messages;
};

constexpr int maxTensorMaps = 16;
struct alignas(64) TensorMapBits {
  unsigned char bytes[128];
};

/// Makes tensor maps for arrays and remembers the last ones: encoding takes
/// longer than the rest of a launch.
class TensorMapCache {
public:
  /// The map of an array given by its slots. `zeros` is device memory that
  /// stands for an array without elements.
  int get(const CudaApi &api, const TensorMapSpec &spec, const int64_t *slots,
          uint64_t zeros, TensorMapBits &result);

private:
  struct Entry {
    std::vector<int64_t> key;
    TensorMapBits bits;
  };
  static constexpr size_t size = 8;

  std::mutex mutex;
  std::vector<Entry> entries;
  size_t next = 0;
};

class CudaKernel final : public DeviceKernel {
public:
  /// Loads a cubin, or PTX that the driver assembles, into a device. Throws
  /// DriverError.
  CudaKernel(std::shared_ptr<CudaDriver> owner, int device,
             const std::string &image, const std::string &entry,
             const KernelShape &kernelShape);
  ~CudaKernel() override;
  CudaKernel(const CudaKernel &) = delete;
  CudaKernel &operator=(const CudaKernel &) = delete;

  Place place() const override { return {DeviceKind::Cuda, deviceIndex}; }
  DriverProblem launch(int64_t *slots, int count, const int16_t *starts,
                       const Grid &grid, Stream stream) override;
  const std::vector<MessageSpec> &messages() const override {
    return shape.messages;
  }
  DriverProblem emptyMessages(Stream stream) override;
  DriverProblem readMessages(Stream stream, MessageHeader &header,
                             std::string &records) override;
  DriverProblem allocate(size_t bytes, uint64_t &address) override;
  void release(uint64_t address) override;
  DriverProblem copyIn(uint64_t to, const void *from, size_t bytes,
                       Stream stream) override;
  DriverProblem copyOut(void *to, uint64_t from, size_t bytes,
                        Stream stream) override;

private:
  DriverProblem problem(int code, const char *what) const;
  void load(const std::string &image, const std::string &entry);

  std::shared_ptr<CudaDriver> driver;
  const std::string *name; // Never freed.
  KernelShape shape;
  int16_t deviceIndex;
  void *context = nullptr;
  void *module = nullptr;
  void *function = nullptr;
  std::vector<TensorMapCache> caches; // One for each map.
  uint64_t zeros = 0;
  uint64_t messageBuffer = 0;
};

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_CUDADRIVER_H
