// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch path as Python sees it: `Dispatcher` (a kernel), `Launch`
// (kernel[grid]) and `PreparedLaunch`. Plain CPython types with vectorcall,
// since wrapping every call would cost as much as the launch itself.

#ifndef TEGULA_PYTHON_BINDINGS_DISPATCHER_H
#define TEGULA_PYTHON_BINDINGS_DISPATCHER_H

#include <Python.h>

namespace tegula::runtime {

/// Creates the types and MISSING in `module`; false with a Python exception.
bool initializeDispatcher(PyObject *module);

/// The function that receives printed lines (README.md); takes over nothing.
void setPrintHook(PyObject *hook);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_DISPATCHER_H
