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
        !(PyDict_CheckExact(PyTuple_GET_ITEM(guard, 0)) ||
          PyCell_Check(PyTuple_GET_ITEM(guard, 0)) ||
          PyUnicode_Check(PyTuple_GET_ITEM(guard, 1)))) {
      PyErr_SetString(PyExc_TypeError, "a guard is (place, name, value)");
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

/// Items of two lists or tuples of one size.
int sameItems(PyObject *a, PyObject *b) {
  // A comparison runs the user's code, which may change a list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(a); ++i) {
    if (PySequence_Fast_GET_SIZE(a) != PySequence_Fast_GET_SIZE(b)) {
      return 0;
    }
    PyObject *x = PySequence_Fast_GET_ITEM(a, i);
    PyObject *y = PySequence_Fast_GET_ITEM(b, i);
    Py_INCREF(x);
    Py_INCREF(y);
    int same = sameConstant(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    if (same <= 0) {
      return same;
    }
  }
  return PySequence_Fast_GET_SIZE(a) == PySequence_Fast_GET_SIZE(b);
}

/// Values of two dictionaries that have these keys, in this order.
int sameValues(PyObject *keys, PyObject *a, PyObject *b) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys); ++i) {
    PyObject *key = PyList_GET_ITEM(keys, i);
    PyObject *x = PyDict_GetItemWithError(a, key);
    PyObject *y = x ? PyDict_GetItemWithError(b, key) : nullptr;
    if (!y) {
      return PyErr_Occurred() ? -1 : 0;
    }
    Py_INCREF(x);
    Py_INCREF(y);
    int same = sameConstant(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    if (same <= 0) {
      return same;
    }
  }
  return 1;
}

int sameDict(PyObject *a, PyObject *b) {
  PyObject *keys = PySequence_List(a);
  PyObject *others = keys ? PySequence_List(b) : nullptr;
  int same = others ? sameItems(keys, others) : -1;
  if (same > 0) {
    same = sameValues(keys, a, b);
  }
  Py_XDECREF(keys);
  Py_XDECREF(others);
  return same;
}

int sameContainer(PyObject *a, PyObject *b) {
  if (Py_EnterRecursiveCall(" while comparing what a kernel was made from")) {
    return -1;
  }
  int same = PyDict_Check(a) ? sameDict(a, b) : sameItems(a, b);
  Py_LeaveRecursiveCall();
  return same;
}

/// What a guard looks at now: a new reference, or null, with an exception set
/// if looking failed.
PyObject *guarded(PyObject *guard) {
  PyObject *place = PyTuple_GET_ITEM(guard, 0);
  PyObject *name = PyTuple_GET_ITEM(guard, 1);
  PyObject *value = nullptr;
  if (PyCell_Check(place)) {
    value = PyCell_GET(place);
  } else if (PyDict_CheckExact(place)) {
    value = PyDict_GetItemWithError(place, name);
  } else {
    // An attribute; `__getattr__` may make up any.
    value = PyObject_GenericGetAttr(place, name);
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyErr_Clear();
    }
    return value;
  }
  Py_XINCREF(value);
  return value;
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
  if (PyTuple_Check(a) || PyList_Check(a) || PyDict_Check(a)) {
    return sameContainer(a, b);
  }
  return PyObject_RichCompareBool(a, b, Py_EQ);
}

int guardsHold(const Specialization &specialization) {
  PyObject *guards = specialization.guards;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guards); ++i) {
    PyObject *guard = PyTuple_GET_ITEM(guards, i);
    PyObject *value = guarded(guard);
    if (!value) {
      return PyErr_Occurred() ? -1 : 0;
    }
    int same = sameConstant(value, PyTuple_GET_ITEM(guard, 2));
    Py_DECREF(value);
    if (same < 0 && PyErr_ExceptionMatches(PyExc_Exception)) {
      // Values that cannot be compared, as arrays: another one is a change.
      PyErr_Clear();
      return 0;
    }
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
