// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The DLPack structs (github.com/dmlc/dlpack, version 1.1), as far as a
// consumer of host arrays needs them. The ABI is frozen by the standard, so a
// copy of the layout is enough and no header has to be found at build time.

#ifndef TEGULA_PYTHON_BINDINGS_DLPACK_H
#define TEGULA_PYTHON_BINDINGS_DLPACK_H

#include <cstdint>

namespace tegula::runtime::dlpack {

constexpr const char *legacyName = "dltensor";
constexpr const char *versionedName = "dltensor_versioned";
constexpr uint32_t major = 1; // Another one has another layout.

struct Device {
  int32_t type;
  int32_t id;
};

enum DeviceType : int32_t { Cuda = 2, Rocm = 10 };

/// Host memory: plain, pinned for CUDA, pinned for ROCm, CUDA-managed.
inline bool onHost(const Device &device) {
  return device.type == 1 || device.type == 3 || device.type == 11 ||
         device.type == 13;
}

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E5M2 = 12,
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t *sizes;
  int64_t *strides; // In elements; null means row-major contiguous.
  uint64_t byteOffset;
};

struct ManagedTensor {
  Tensor tensor;
  void *manager;
  void (*deleter)(ManagedTensor *self);
};

constexpr uint64_t readOnlyFlag = 1;

struct ManagedTensorVersioned {
  uint32_t major;
  uint32_t minor;
  void *manager;
  void (*deleter)(ManagedTensorVersioned *self);
  uint64_t flags;
  Tensor tensor;
};

/// The C interface that a type offers under this name, in a capsule of the
/// other name. What it says lives as long as the process.
constexpr const char *exchangeAttribute = "__dlpack_c_exchange_api__";
constexpr const char *exchangeName = "dlpack_exchange_api";
constexpr uint32_t exchangeMajor = 1;

struct ExchangeHeader {
  uint32_t major;
  uint32_t minor;
  ExchangeHeader *previous; // Another version; each is a whole interface.
};

struct ExchangeApi {
  ExchangeHeader header;
  void *allocate;
  int (*managedFromObject)(void *object, ManagedTensorVersioned **result);
  void *managedToObject;
  int (*tensorFromObject)(void *object, Tensor *result); // May be null.
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **result);
};

} // namespace tegula::runtime::dlpack

#endif // TEGULA_PYTHON_BINDINGS_DLPACK_H
