// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's C interface for the files that use it, and what its type numbers mean
// here. The interface is a table that one file fills when the module is
// imported and the others share.

#ifndef TEGULA_PYTHON_BINDINGS_NUMPYTYPES_H
#define TEGULA_PYTHON_BINDINGS_NUMPYTYPES_H

#include "Arguments.h"

#define NPY_NO_DEPRECATED_API NPY_1_19_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL tegulaNumpyApi
#ifndef TEGULA_FILLS_NUMPY_API
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace tegula::runtime {

constexpr int8_t unknownType = -1;
constexpr int builtinTypes = 24; // Type numbers below belong to NumPy itself.

/// The DType of a NumPy type number, or unknownType.
int8_t dtypeOf(int number);

/// Fills a Problem; PythonError if formatting `text` failed.
Read refuse(Problem &problem, const char *kind, PyObject *text);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_NUMPYTYPES_H
