// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where arrays are, and how a kernel is started there. The launch path knows
// devices by this interface only; each driver has a file of its own.

#ifndef TEGULA_PYTHON_BINDINGS_DEVICES_H
#define TEGULA_PYTHON_BINDINGS_DEVICES_H

#include <Python.h>

#include "Callbacks.h"
#include "DeviceMessages.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tegula::runtime {

/// Families of devices, numbered as in keys.
enum class DeviceKind : int8_t { Host = 0, Cuda, Rocm };

/// As targets name their family.
const char *deviceKindName(DeviceKind kind);
/// False if there is no family of that name.
bool parseDeviceKind(const char *name, DeviceKind &kind);

struct Place {
  DeviceKind kind = DeviceKind::Host;
  int16_t index = 0;

  bool operator==(const Place &other) const {
    return kind == other.kind && index == other.index;
  }
  bool operator!=(const Place &other) const { return !(*this == other); }
};

/// What a driver reports: its name for the error, and a sentence.
struct DriverProblem {
  bool ok = true;
  std::string text;
};

/// A stream as drivers pass it: a pointer, null for the default one.
using Stream = void *;

/// Finds a framework's stream at each launch, since programs change it. Either
/// a C function that the framework offers, or a Python one asked with the
/// argument that belongs to the framework.
struct StreamSource {
  int (*function)(int32_t type, int32_t index, void **stream) = nullptr;
  int32_t dlpackType = 0;
  PyObject *argument = nullptr; // Borrowed; for the Python function.
};

/// A kernel in one device's memory.
class DeviceKernel {
public:
  virtual ~DeviceKernel();

  virtual Place place() const = 0;

  /// What programs may print and assert. If that is anything, a launch empties
  /// the buffer of messages before and reads it after; the mutex is held
  /// meanwhile.
  virtual const std::vector<MessageSpec> &messages() const = 0;
  virtual DriverProblem emptyMessages(Stream stream) = 0;
  virtual DriverProblem readMessages(Stream stream, MessageHeader &header,
                                     std::string &records) = 0;
  std::mutex messageMutex;

  /// Starts the kernel. `slots` are the arguments in 8-byte cells, `count` of
  /// them; argument i begins at slots[starts[i]]. Neither waits nor allocates.
  virtual DriverProblem launch(int64_t *slots, int count, const int16_t *starts,
                               const Grid &grid, Stream stream) = 0;

  /// Memory of the device, for arguments that are on the host.
  virtual DriverProblem allocate(size_t bytes, uint64_t &address) = 0;
  virtual void release(uint64_t address) = 0;
  virtual DriverProblem copyIn(uint64_t to, const void *from, size_t bytes,
                               Stream stream) = 0;
  /// Returns when the bytes have arrived.
  virtual DriverProblem copyOut(void *to, uint64_t from, size_t bytes,
                                Stream stream) = 0;
};

/// The function that finds streams of frameworks without one in C: called as
/// fn(family, device index, argument), gives an integer. README.md
void setStreamHook(PyObject *hook);

/// The stream to launch on; false with an exception set.
bool findStream(const StreamSource &source, const Place &place, Stream &stream);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_DEVICES_H
