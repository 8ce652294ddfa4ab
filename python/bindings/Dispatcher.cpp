// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ties the pieces of a launch together: bind and read the arguments (Frame),
// find the specialization (SpecializationTable) or call back into Python to
// compile it. Running the grid is Execute's.

#include "Dispatcher.h"

#include "Execute.h"

#include <structmember.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace tegula::runtime {
namespace {

PyObject *missing = nullptr;

bool parseKind(const char *name, Parameter::Kind &kind) {
  static constexpr struct {
    const char *name;
    Parameter::Kind kind;
  } kinds[] = {{"auto", Parameter::Auto},
               {"array", Parameter::Array},
               {"scalar", Parameter::Scalar},
               {"const", Parameter::Const}};
  for (const auto &row : kinds) {
    if (std::strcmp(row.name, name) == 0) {
      kind = row.kind;
      return true;
    }
  }
  PyErr_Format(PyExc_ValueError, "unknown parameter kind '%s'", name);
  return false;
}

bool parseDType(const char *name, DType &dtype) {
  for (int i = 0; i < dtypeCount; ++i) {
    if (std::strcmp(dtypeTable[static_cast<size_t>(i)].name, name) == 0) {
      dtype = static_cast<DType>(i);
      return true;
    }
  }
  PyErr_Format(PyExc_ValueError, "unknown dtype '%s'", name);
  return false;
}

bool parseParameter(PyObject *item, Parameter &parameter) {
  PyObject *name = nullptr;
  PyObject *defaultValue = nullptr;
  const char *kind = nullptr;
  const char *dtype = nullptr;
  if (!PyArg_ParseTuple(item,
                        "UszO;a parameter is (name, kind, dtype, default)",
                        &name, &kind, &dtype, &defaultValue) ||
      !parseKind(kind, parameter.kind)) {
    return false;
  }
  parameter.dtype = DType::Bool;
  if (parameter.kind == Parameter::Scalar &&
      !parseDType(dtype ? dtype : "", parameter.dtype)) {
    return false;
  }
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  parameter.name = name;
  parameter.defaultValue = defaultValue == missing ? nullptr : defaultValue;
  Py_XINCREF(parameter.defaultValue);
  return true;
}

bool parseParameters(PyObject *list, std::vector<Parameter> &parameters) {
  PyObject *items = PySequence_Fast(list, "params must be a sequence");
  if (!items) {
    return false;
  }
  int arguments = 0;
  bool ok = true;
  for (Py_ssize_t i = 0; ok && i < PySequence_Fast_GET_SIZE(items); ++i) {
    Parameter parameter;
    ok = parseParameter(PySequence_Fast_GET_ITEM(items, i), parameter);
    if (ok) {
      parameters.push_back(parameter);
      arguments += parameter.kind != Parameter::Const;
    }
  }
  Py_DECREF(items);
  if (ok && (arguments > maxArguments || parameters.size() > maxParameters)) {
    PyErr_Format(PyExc_ValueError,
                 "a kernel takes at most %d parameters, %d of them at run time",
                 maxParameters, maxArguments);
    return false;
  }
  return ok;
}

PyObject *newDispatcher(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"name",  "params", "compile",
                                      "error", "home",   nullptr};
  PyObject *name, *params, *compile, *error;
  const char *family = "cpu";
  int index = 0;
  Place home;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UOOO|(si)",
                                   const_cast<char **>(names), &name, &params,
                                   &compile, &error, &family, &index)) {
    return nullptr;
  }
  if (!parseDeviceKind(family, home.kind)) {
    PyErr_Format(PyExc_ValueError, "unknown family of devices '%s'", family);
    return nullptr;
  }
  home.index = static_cast<int16_t>(index);
  auto *self = as<Dispatcher>(type->tp_alloc(type, 0));
  if (!self) {
    return nullptr;
  }
  new (&self->parameters) std::vector<Parameter>;
  new (&self->table) SpecializationTable;
  Py_INCREF(name);
  Py_INCREF(compile);
  Py_INCREF(error);
  self->name = name;
  self->compile = compile;
  self->error = error;
  self->home = home;
  if (!parseParameters(params, self->parameters)) {
    Py_DECREF(object(self));
    return nullptr;
  }
  return object(self);
}

int traverseDispatcher(PyObject *object, visitproc visit, void *arg) {
  auto *self = as<Dispatcher>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->compile);
  Py_VISIT(self->error);
  for (const Parameter &parameter : self->parameters) {
    Py_VISIT(parameter.defaultValue);
  }
  return self->table.traverse(visit, arg);
}

int clearDispatcher(PyObject *object) {
  auto *self = as<Dispatcher>(object);
  self->table.clear();
  Py_CLEAR(self->compile);
  Py_CLEAR(self->error);
  for (Parameter &parameter : self->parameters) {
    Py_CLEAR(parameter.defaultValue);
  }
  return 0;
}

void freeDispatcher(PyObject *object) {
  auto *self = as<Dispatcher>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearDispatcher(object);
  for (Parameter &parameter : self->parameters) {
    Py_DECREF(parameter.name);
  }
  Py_CLEAR(self->name);
  self->parameters.~vector();
  self->table.~SpecializationTable();
  type->tp_free(object);
  Py_DECREF(type);
}

/// New reference to the specialization for a frame, compiled if need be.
Specialization *findOrCompile(Dispatcher *self, const Frame &frame) {
  Specialization *found = self->table.find(frame);
  if (found || PyErr_Occurred()) {
    Py_XINCREF(reinterpret_cast<PyObject *>(found));
    return found;
  }
  PyObject *signature = frame.signature(self->parameters);
  auto count = static_cast<Py_ssize_t>(self->parameters.size());
  PyObject *arguments = signature ? PyTuple_New(count) : nullptr;
  if (!arguments) {
    Py_XDECREF(signature);
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    Py_INCREF(frame.values[i]);
    PyTuple_SET_ITEM(arguments, i, frame.values[i]);
  }
  PyObject *result = PyObject_CallFunctionObjArgs(self->compile, signature,
                                                  arguments, nullptr);
  Py_DECREF(arguments);
  if (result && Py_TYPE(result) != specializationType) {
    PyErr_Format(PyExc_TypeError,
                 "compile must return a Specialization, not %.200s",
                 Py_TYPE(result)->tp_name);
    Py_CLEAR(result);
  }
  if (result) {
    self->table.insert(frame, self->parameters, signature, result);
  }
  Py_DECREF(signature);
  return as<Specialization>(result);
}

bool checkWriteable(Dispatcher *self, const Specialization &specialization,
                    const Frame &frame) {
  uint64_t refused = specialization.writes & frame.readOnly;
  if (refused == 0) {
    return true;
  }
  int argument = 0;
  for (size_t i = 0; i < self->parameters.size(); ++i) {
    if (self->parameters[i].kind == Parameter::Const) {
      continue;
    }
    if (refused >> argument++ & 1) {
      CallbackErrors(self->error)
          .raise("read-only", self->parameters[i].name, frame.values[i],
                 PyUnicode_FromString(
                     "the kernel writes to this array, which is read-only"));
      break;
    }
  }
  return false;
}

PyObject *clearMethod(PyObject *self, PyObject *) {
  as<Dispatcher>(self)->table.clear();
  Py_RETURN_NONE;
}

PyObject *specializationsMethod(PyObject *self, PyObject *) {
  return as<Dispatcher>(self)->table.list();
}

// Type object.

PyMethodDef dispatcherMethods[] = {
    {"clear", &clearMethod, METH_NOARGS, "Forget every specialization."},
    {"specializations", &specializationsMethod, METH_NOARGS,
     "List of (signature, Specialization)."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef dispatcherMembers[] = {
    {"name", T_OBJECT, offsetof(Dispatcher, name), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot dispatcherSlots[] = {
    {Py_tp_new, slot(&newDispatcher)},
    {Py_tp_dealloc, slot(&freeDispatcher)},
    {Py_tp_traverse, slot(&traverseDispatcher)},
    {Py_tp_clear, slot(&clearDispatcher)},
    {Py_tp_methods, dispatcherMethods},
    {Py_tp_members, dispatcherMembers},
    {Py_mp_subscript, slot(&makeLaunch)},
    {Py_tp_doc, const_cast<char *>("Launches one kernel.")},
    {0, nullptr}};

PyType_Spec dispatcherSpec = {"tegula._native.Dispatcher", sizeof(Dispatcher),
                              0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                              dispatcherSlots};

} // namespace

Specialization *prepareFrame(Dispatcher *self, Frame &frame,
                             PyObject *const *args, Py_ssize_t positional,
                             PyObject *keywords) {
  CallbackErrors errors(self->error);
  if (!frame.bind(self->parameters, args, positional, keywords, errors) ||
      !frame.read(self->parameters, self->home, errors)) {
    return nullptr;
  }
  Specialization *specialization = findOrCompile(self, frame);
  if (specialization && !checkWriteable(self, *specialization, frame)) {
    Py_DECREF(object(specialization));
    return nullptr;
  }
  return specialization;
}

PyTypeObject *addType(PyObject *module, PyType_Spec *spec, const char *name) {
  PyObject *type = PyType_FromSpec(spec);
  if (type && PyModule_AddObjectRef(module, name, type) < 0) {
    Py_CLEAR(type);
  }
  return as<PyTypeObject>(type);
}

bool initializeDispatcher(PyObject *module) {
  missing =
      PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
  if (!missing || PyModule_AddObjectRef(module, "MISSING", missing) < 0) {
    return false;
  }
  return addType(module, &dispatcherSpec, "Dispatcher") != nullptr;
}

} // namespace tegula::runtime
