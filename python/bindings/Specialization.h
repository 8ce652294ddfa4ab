// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compiled kernel as the launcher sees it. It keeps the machine code alive
// and remembers which outside values the code was compiled from, so that a
// changed global never runs stale code.

#ifndef TEGULA_PYTHON_BINDINGS_SPECIALIZATION_H
#define TEGULA_PYTHON_BINDINGS_SPECIALIZATION_H

#include <Python.h>

#include "Abi.h"
#include "Devices.h"
#include "ThreadPool.h"

#include <cstdint>

namespace tegula::runtime {

/// The Python object `tegula._native.Specialization`.
struct Specialization {
  PyObject ob_base;
  EntryFn entry;        // On the host.
  DeviceKernel *kernel; // On a device, else null. The owner holds it.
  uint64_t writes;      // Bit i: argument i is written.
  PyObject *owner;      // Whatever owns the code; may be null.
  PyObject *guards;     // Tuple of (dict | cell | object, name | None, value).
  CostEstimate cost;
};

extern PyTypeObject *specializationType;

/// True if compile-time values `a` and `b` are the same: one object, or equal
/// values of one type (containers item by item, floats bit by bit). Negative
/// with a Python exception set if a comparison raised.
int sameConstant(PyObject *a, PyObject *b);

/// True if everything in `guards` still has its value; negative on exceptions.
int guardsHold(const Specialization &specialization);

/// Creates the type; false with a Python exception on failure.
bool initializeSpecialization(PyObject *module);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_SPECIALIZATION_H
