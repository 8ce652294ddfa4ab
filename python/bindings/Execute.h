// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of a launch: run the grid, then hand over to Python what its
// programs reported. Shared by launches that check their arguments and prepared
// ones that do not.

#ifndef TEGULA_PYTHON_BINDINGS_EXECUTE_H
#define TEGULA_PYTHON_BINDINGS_EXECUTE_H

#include <Python.h>

#include "Callbacks.h"
#include "Frame.h"
#include "Specialization.h"

#include <cstdint>

namespace tegula::runtime {

/// Raises what a kernel's `error` callback makes of a refusal.
class CallbackErrors final : public ErrorSink {
public:
  explicit CallbackErrors(PyObject *errorCallback) : callback(errorCallback) {}

  void raise(const char *kind, PyObject *parameter, PyObject *value,
             PyObject *text) override;

private:
  PyObject *callback;
};

/// What a launch passes on: a view of a frame, or of a prepared launch.
struct LaunchArguments {
  int64_t *slots;
  int slotCount;
  const int16_t *starts;
  Place place;
  StreamSource stream;
  const HostArray *hostArrays;
  int hostArrayCount;
};

/// Runs the grid without the GIL and returns None; null with an exception set
/// if the kernel reports a failed assertion. The caller holds the code and the
/// arguments.
PyObject *execute(Specialization *specialization,
                  const LaunchArguments &arguments, const Grid &grid,
                  PyObject *errorCallback);

/// Hands over what a launch has reported, once it has ended. False with an
/// exception set if an assertion failed.
bool handOver(LaunchContext &context, PyObject *errorCallback);

/// The part of `execute` for a kernel on a device.
PyObject *executeOnDevice(Specialization *specialization,
                          const LaunchArguments &arguments, const Grid &grid,
                          PyObject *errorCallback);

/// The function that receives printed lines (README.md).
void setPrintHook(PyObject *hook);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_EXECUTE_H
