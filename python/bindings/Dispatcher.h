// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch path as Python sees it: `Dispatcher` (a kernel), `Launch`
// (kernel[grid]) and `PreparedLaunch`. Plain CPython types with vectorcall,
// since wrapping every call would cost as much as the launch itself.

#ifndef TEGULA_PYTHON_BINDINGS_DISPATCHER_H
#define TEGULA_PYTHON_BINDINGS_DISPATCHER_H

#include <Python.h>

#include "Frame.h"
#include "Specialization.h"
#include "SpecializationTable.h"

#include <vector>

namespace tegula::runtime {

/// The Python object `tegula._native.Dispatcher`.
struct Dispatcher {
  PyObject ob_base;
  PyObject *name;
  PyObject *compile;
  PyObject *error;
  Place home; // Where kernels run whose arrays are all on the host.
  std::vector<Parameter> parameters;
  SpecializationTable table;
};

template <typename T> T *as(PyObject *object) {
  return reinterpret_cast<T *>(object);
}
template <typename T> PyObject *object(T *value) {
  return reinterpret_cast<PyObject *>(value);
}
template <typename Function> void *slot(Function function) {
  return reinterpret_cast<void *>(function);
}

/// Binds and reads arguments, finds the specialization or has it compiled: a
/// new reference, or null with an exception set.
Specialization *prepareFrame(Dispatcher *self, Frame &frame,
                             PyObject *const *args, Py_ssize_t positional,
                             PyObject *keywords);

/// Dispatcher.__getitem__: a new Launch, or null with an exception set.
PyObject *makeLaunch(PyObject *dispatcher, PyObject *grid);

/// Creates a type and adds it to a module; null with an exception set.
PyTypeObject *addType(PyObject *module, PyType_Spec *spec, const char *name);

/// Create the types, and MISSING, in `module`; false with an exception set.
bool initializeDispatcher(PyObject *module);
bool initializeLaunch(PyObject *module);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_DISPATCHER_H
