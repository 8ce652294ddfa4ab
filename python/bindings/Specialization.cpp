// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plain CPython type rather than a nanobind class: it takes part in reference
// cycles (guards reach a module's globals, those reach the kernel, which holds
// its specializations), so the garbage collector must see through it.

#include "Specialization.h"

#include <cstring>
#include <new>

namespace tegula::runtime {

PyTypeObject *specializationType = nullptr;

namespace {

Specialization *cast(PyObject *self) {
  return reinterpret_cast<Specialization *>(self);
}

/// Reads an iterable of argument numbers into a bit mask.
bool readWrites(PyObject *object, uint64_t &writes) {
  writes = 0;
  if (!object) {
    return true;
  }
  PyObject *items = PySequence_Fast(object, "writes must be a sequence");
  if (!items) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    long number = PyLong_AsLong(PySequence_Fast_GET_ITEM(items, i));
    if (number < 0 || number >= 64) {
      if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "argument number %ld is not in 0..63",
                     number);
      }
      Py_DECREF(items);
      return false;
    }
    writes |= uint64_t(1) << number;
  }
  Py_DECREF(items);
  return true;
}

bool checkGuards(PyObject *guards) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guards); ++i) {
    PyObject *guard = PyTuple_GET_ITEM(guards, i);
    if (!PyTuple_Check(guard) || PyTuple_GET_SIZE(guard) != 3 ||
        !(PyDict_Check(PyTuple_GET_ITEM(guard, 0)) ||
          PyCell_Check(PyTuple_GET_ITEM(guard, 0)))) {
      PyErr_SetString(PyExc_TypeError,
                      "a guard is (dict, name, value) or (cell, None, value)");
      return false;
    }
  }
  return true;
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"address", "writes",    "owner",
                                      "guards",  "on_device", nullptr};
  int onDevice = 0;
  unsigned long long address = 0;
  PyObject *writes = nullptr;
  PyObject *owner = nullptr;
  PyObject *guards = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "K|$OOOp",
                                   const_cast<char **>(names), &address,
                                   &writes, &owner, &guards, &onDevice)) {
    return nullptr;
  }
  uint64_t mask = 0;
  if (!readWrites(writes, mask)) {
    return nullptr;
  }
  PyObject *tuple = guards ? PySequence_Tuple(guards) : PyTuple_New(0);
  if (!tuple || !checkGuards(tuple)) {
    Py_XDECREF(tuple);
    return nullptr;
  }
  auto *self = cast(type->tp_alloc(type, 0));
  if (!self) {
    Py_DECREF(tuple);
    return nullptr;
  }
  auto pointer = static_cast<uintptr_t>(address);
  self->entry = onDevice ? nullptr : reinterpret_cast<EntryFn>(pointer);
  self->kernel = onDevice ? reinterpret_cast<DeviceKernel *>(pointer) : nullptr;
  self->writes = mask;
  Py_XINCREF(owner);
  self->owner = owner;
  self->guards = tuple;
  new (&self->cost) CostEstimate;
  return reinterpret_cast<PyObject *>(self);
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->owner);
  Py_VISIT(cast(self)->guards);
  return 0;
}

int clear(PyObject *self) {
  Py_CLEAR(cast(self)->owner);
  Py_CLEAR(cast(self)->guards);
  return 0;
}

void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *getAddress(PyObject *self, void *) {
  return PyLong_FromVoidPtr(cast(self)->kernel
                                ? static_cast<void *>(cast(self)->kernel)
                                : reinterpret_cast<void *>(cast(self)->entry));
}

PyObject *getOwner(PyObject *self, void *) {
  PyObject *owner = cast(self)->owner ? cast(self)->owner : Py_None;
  Py_INCREF(owner);
  return owner;
}

PyGetSetDef properties[] = {
    {"address", getAddress, nullptr, "Address of the entry point.", nullptr},
    {"owner", getOwner, nullptr, "What keeps the code alive.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(&create)},
    {Py_tp_dealloc, reinterpret_cast<void *>(&deallocate)},
    {Py_tp_traverse, reinterpret_cast<void *>(&traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(&clear)},
    {Py_tp_getset, properties},
    {Py_tp_doc, const_cast<char *>("A compiled kernel for one key.")},
    {0, nullptr}};

PyType_Spec spec = {"tegula._native.Specialization", sizeof(Specialization), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

int sameTuple(PyObject *a, PyObject *b) {
  if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) {
    return 0;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
    int same = sameConstant(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
    if (same <= 0) {
      return same;
    }
  }
  return 1;
}

} // namespace

int sameConstant(PyObject *a, PyObject *b) {
  if (a == b) {
    return 1;
  }
  if (Py_TYPE(a) != Py_TYPE(b)) {
    return 0;
  }
  if (PyFloat_CheckExact(a)) {
    double x = PyFloat_AS_DOUBLE(a);
    double y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  }
  if (PyTuple_CheckExact(a)) {
    return sameTuple(a, b);
  }
  return PyObject_RichCompareBool(a, b, Py_EQ);
}

int guardsHold(const Specialization &specialization) {
  PyObject *guards = specialization.guards;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guards); ++i) {
    PyObject *guard = PyTuple_GET_ITEM(guards, i);
    PyObject *place = PyTuple_GET_ITEM(guard, 0);
    PyObject *expected = PyTuple_GET_ITEM(guard, 2);
    PyObject *value =
        PyCell_Check(place)
            ? PyCell_GET(place)
            : PyDict_GetItemWithError(place, PyTuple_GET_ITEM(guard, 1));
    if (!value) {
      return PyErr_Occurred() ? -1 : 0;
    }
    int same = sameConstant(value, expected);
    if (same <= 0) {
      return same;
    }
  }
  return 1;
}

bool initializeSpecialization(PyObject *module) {
  PyObject *type = PyType_FromSpec(&spec);
  if (!type) {
    return false;
  }
  specializationType = reinterpret_cast<PyTypeObject *>(type);
  return PyModule_AddObjectRef(module, "Specialization", type) == 0;
}

} // namespace tegula::runtime
