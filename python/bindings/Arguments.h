// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads one Python argument: an array's pointer, sizes and strides, or a
// scalar's bits. It is the only place that knows NumPy's and DLPack's structs,
// and the hot path of a launch, hence no Python calls for NumPy arrays.

#ifndef TEGULA_PYTHON_BINDINGS_ARGUMENTS_H
#define TEGULA_PYTHON_BINDINGS_ARGUMENTS_H

#include <Python.h>

#include "Abi.h"
#include "Devices.h"

#include <cstdint>

namespace tegula::runtime {

/// An array, on the host or a device. `sizes` and `strides` point into the
/// Python object.
struct ArrayRef {
  void *data;
  const int64_t *sizes;
  const int64_t *strides; // Null: row-major contiguous.
  bool stridesInBytes;
  bool writeable;
  int8_t rank;
  DType dtype;
  Place place;
  StreamSource stream; // Of the library that owns an array on a device.
};

/// A scalar: `bits` is what goes into the argument slot.
struct ScalarRef {
  DType dtype;
  bool weak;
  int64_t bits;
};

/// How reading an argument ended. On anything but Ok, `text` of the Problem
/// says why; PythonError means that a Python exception is set.
enum class Read : int8_t { Ok, NotThis, Problem, PythonError };

/// A refusal: an error kind of README.md and a complete sentence (a Python
/// string that the holder must release).
struct Problem {
  const char *kind = nullptr;
  PyObject *text = nullptr;
  PyObject *cause = nullptr; // an exception that led to it, owned; often null
};

/// Must run once before anything else here (imports NumPy's C API).
bool initializeArguments();

/// The array in `object`; NotThis if it is none. `keepAlive` receives a new
/// reference that must outlive the use of `array`, or stays null.
Read readArray(PyObject *object, ArrayRef &array, PyObject *&keepAlive,
               Problem &problem);

/// The scalar in `object` with its own dtype: Python bool, int and float are
/// weak; NumPy scalars are not. NotThis if it is none.
Read readScalar(PyObject *object, ScalarRef &scalar, Problem &problem);

/// The scalar in `object` converted to `dtype`, as for a parameter that is
/// annotated with a DType.
Read readScalarAs(PyObject *object, DType dtype, ScalarRef &scalar,
                  Problem &problem);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_ARGUMENTS_H
