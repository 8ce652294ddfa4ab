// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of families, and streams: a framework with a C function for its stream
// costs nanoseconds, others a call of Python.

#include "Devices.h"

#include <cstring>

namespace tegula::runtime {
namespace {

constexpr const char *kindNames[] = {"cpu", "cuda", "rocm"};

PyObject *streamHook = nullptr;

} // namespace

DeviceKernel::~DeviceKernel() = default;

const char *deviceKindName(DeviceKind kind) {
  return kindNames[static_cast<size_t>(kind)];
}

bool parseDeviceKind(const char *name, DeviceKind &kind) {
  for (size_t i = 0; i < std::size(kindNames); ++i) {
    if (std::strcmp(kindNames[i], name) == 0) {
      kind = static_cast<DeviceKind>(i);
      return true;
    }
  }
  return false;
}

void setStreamHook(PyObject *hook) {
  Py_XINCREF(hook);
  Py_XSETREF(streamHook, hook);
}

bool findStream(const StreamSource &source, const Place &place,
                Stream &stream) {
  stream = nullptr;
  if (source.function) {
    if (source.function(source.dlpackType, place.index, &stream) == 0) {
      return true;
    }
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_RuntimeError,
                      "the array library does not tell its current stream");
    }
    return false;
  }
  if (!streamHook || !source.argument) {
    return true;
  }
  PyObject *number =
      PyObject_CallFunction(streamHook, "siO", deviceKindName(place.kind),
                            static_cast<int>(place.index), source.argument);
  if (!number) {
    return false;
  }
  stream = PyLong_AsVoidPtr(number);
  Py_DECREF(number);
  return !PyErr_Occurred();
}

} // namespace tegula::runtime
