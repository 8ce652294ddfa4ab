// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ties the pieces of a launch together: bind and read the arguments (Frame),
// find or compile the specialization, run the grid (ThreadPool), hand reports
// to Python. Only the second step, on a miss, and the last call into Python.

#include "Dispatcher.h"

#include "Frame.h"
#include "Specialization.h"
#include "SpecializationTable.h"
#include "ThreadPool.h"

#include <structmember.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace tegula::runtime {
namespace {

PyTypeObject *dispatcherType = nullptr;
PyTypeObject *launchType = nullptr;
PyTypeObject *preparedType = nullptr;
PyObject *missing = nullptr;
PyObject *printHook = nullptr;

/// Raises what the kernel's `error` callback makes of a refusal.
class CallbackErrors final : public ErrorSink {
public:
  explicit CallbackErrors(PyObject *errorCallback) : callback(errorCallback) {}

  void raise(const char *kind, PyObject *parameter, PyObject *value,
             PyObject *text) override {
    if (!text) {
      return; // Formatting raised already.
    }
    PyObject *exception = PyObject_CallFunction(callback, "sOOO", kind,
                                                parameter ? parameter : Py_None,
                                                value ? value : Py_None, text);
    if (exception && PyExceptionInstance_Check(exception)) {
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception)),
                      exception);
    } else if (exception) {
      PyErr_SetObject(PyExc_TypeError, text);
    }
    Py_XDECREF(exception);
    Py_DECREF(text);
  }

private:
  PyObject *callback;
};

struct Dispatcher {
  PyObject ob_base;
  PyObject *name;
  PyObject *compile;
  PyObject *error;
  std::vector<Parameter> parameters;
  SpecializationTable table;
};

struct Launch {
  PyObject ob_base;
  vectorcallfunc vectorcall;
  Dispatcher *dispatcher;
  Grid grid;
};

struct PreparedLaunch {
  PyObject ob_base;
  vectorcallfunc vectorcall;
  Dispatcher *dispatcher;
  Specialization *specialization;
  PyObject *keep; // Tuple of everything that owns argument memory.
  Grid grid;
  std::vector<int64_t> slots;
};

template <typename T> T *as(PyObject *object) {
  return reinterpret_cast<T *>(object);
}
template <typename T> PyObject *object(T *value) {
  return reinterpret_cast<PyObject *>(value);
}

// Reports after a launch.

PyObject *printPart(const PrintPart &part) {
  if (part.isText) {
    return PyUnicode_DecodeUTF8(part.bytes.data(),
                                static_cast<Py_ssize_t>(part.bytes.size()),
                                "replace");
  }
  PyObject *shape = PyTuple_New(static_cast<Py_ssize_t>(part.shape.size()));
  for (size_t i = 0; shape && i < part.shape.size(); ++i) {
    PyTuple_SET_ITEM(shape, static_cast<Py_ssize_t>(i),
                     PyLong_FromLongLong(part.shape[i]));
  }
  PyObject *bytes = PyBytes_FromStringAndSize(
      part.bytes.data(), static_cast<Py_ssize_t>(part.bytes.size()));
  return Py_BuildValue("(sNN)", info(part.dtype).name, shape, bytes);
}

PyObject *printLine(const PrintLine &line) {
  PyObject *parts = PyList_New(static_cast<Py_ssize_t>(line.parts.size()));
  for (size_t i = 0; parts && i < line.parts.size(); ++i) {
    PyObject *part = printPart(line.parts[i]);
    if (!part) {
      Py_CLEAR(parts);
      break;
    }
    PyList_SET_ITEM(parts, static_cast<Py_ssize_t>(i), part);
  }
  return parts;
}

bool handOverLines(LaunchContext &context) {
  std::vector<PrintLine> lines = context.takeLines();
  if (lines.empty() || !printHook) {
    return true;
  }
  PyObject *list = PyList_New(static_cast<Py_ssize_t>(lines.size()));
  for (size_t i = 0; list && i < lines.size(); ++i) {
    PyObject *line = printLine(lines[i]);
    if (!line) {
      Py_DECREF(list);
      return false;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), line);
  }
  PyObject *result = list ? PyObject_CallOneArg(printHook, list) : nullptr;
  Py_XDECREF(list);
  Py_XDECREF(result);
  return result != nullptr;
}

bool raiseAssertion(const AssertFailure &failure, PyObject *errorCallback) {
  const Grid &p = failure.program;
  PyObject *value = Py_BuildValue(
      "(ssLL(LLL))", failure.message.c_str(), failure.file.c_str(),
      static_cast<long long>(failure.line),
      static_cast<long long>(failure.column), static_cast<long long>(p[0]),
      static_cast<long long>(p[1]), static_cast<long long>(p[2]));
  if (value) {
    CallbackErrors(errorCallback)
        .raise("assert", nullptr, value,
               PyUnicode_FromFormat(
                   "assertion failed in program (%lld, %lld, %lld): %s",
                   static_cast<long long>(p[0]), static_cast<long long>(p[1]),
                   static_cast<long long>(p[2]), failure.message.c_str()));
    Py_DECREF(value);
  }
  return false;
}

/// Runs the grid without the GIL; null with an exception set if the kernel
/// reports a failed assertion. The caller holds the code and the arguments.
PyObject *execute(Specialization *specialization, const int64_t *slots,
                  const Grid &grid, PyObject *errorCallback) {
  int64_t programs = grid[0] * grid[1] * grid[2];
  if (programs == 0) {
    Py_RETURN_NONE;
  }
  LaunchContext context(grid);
  Job job{specialization->entry, slots, grid, programs, &context};
  PyThreadState *thread = PyEval_SaveThread();
  ThreadPool::get().run(job, specialization->cost);
  PyEval_RestoreThread(thread);
  bool ok = true;
  if (context.hasReports()) {
    ok = handOverLines(context);
    if (ok && context.failed()) {
      ok = raiseAssertion(context.assertFailure(), errorCallback);
    }
  }
  if (!ok) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

// Dispatcher.

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
  static const char *const names[] = {"name", "params", "compile", "error",
                                      nullptr};
  PyObject *name, *params, *compile, *error;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UOOO",
                                   const_cast<char **>(names), &name, &params,
                                   &compile, &error)) {
    return nullptr;
  }
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

/// Binds, reads and finds: a new reference, or null with an exception set.
Specialization *prepareFrame(Dispatcher *self, Frame &frame,
                             PyObject *const *args, Py_ssize_t positional,
                             PyObject *keywords) {
  CallbackErrors errors(self->error);
  if (!frame.bind(self->parameters, args, positional, keywords, errors) ||
      !frame.read(self->parameters, errors)) {
    return nullptr;
  }
  Specialization *specialization = findOrCompile(self, frame);
  if (specialization && !checkWriteable(self, *specialization, frame)) {
    Py_DECREF(object(specialization));
    return nullptr;
  }
  return specialization;
}

PyObject *clearMethod(PyObject *self, PyObject *) {
  as<Dispatcher>(self)->table.clear();
  Py_RETURN_NONE;
}

PyObject *specializationsMethod(PyObject *self, PyObject *) {
  return as<Dispatcher>(self)->table.list();
}

// Launch.

constexpr int maxFreeLaunches = 16;
Launch *freeLaunches[maxFreeLaunches];
int freeLaunchCount = 0;

bool parseGridItem(PyObject *item, int64_t &count, ErrorSink &errors) {
  long long value = -1;
  if (PyIndex_Check(item) && !PyBool_Check(item)) {
    PyObject *index = PyNumber_Index(item);
    if (!index) {
      return false;
    }
    int outside = 0;
    value = PyLong_AsLongLongAndOverflow(index, &outside);
    Py_DECREF(index);
    if (value >= 0 && outside == 0) {
      count = value;
      return true;
    }
  }
  errors.raise(
      "grid", nullptr, item,
      PyUnicode_FromFormat("a grid is made of integers >= 0, not %R", item));
  return false;
}

bool parseGrid(PyObject *value, Grid &grid, ErrorSink &errors) {
  grid = {1, 1, 1};
  if (!PyTuple_Check(value)) {
    return parseGridItem(value, grid[0], errors);
  }
  Py_ssize_t rank = PyTuple_GET_SIZE(value);
  if (rank < 1 || rank > 3) {
    errors.raise("grid", nullptr, value,
                 PyUnicode_FromFormat(
                     "a grid has one to three dimensions, not %zd", rank));
    return false;
  }
  for (Py_ssize_t i = 0; i < rank; ++i) {
    if (!parseGridItem(PyTuple_GET_ITEM(value, i), grid[static_cast<size_t>(i)],
                       errors)) {
      return false;
    }
  }
  int64_t product = 0;
  if (__builtin_mul_overflow(grid[0], grid[1], &product) ||
      __builtin_mul_overflow(product, grid[2], &product)) {
    errors.raise(
        "grid", nullptr, value,
        PyUnicode_FromFormat("the grid %R has too many programs", value));
    return false;
  }
  return true;
}

PyObject *callLaunch(PyObject *callable, PyObject *const *args, size_t nargsf,
                     PyObject *keywords) {
  auto *self = as<Launch>(callable);
  Frame frame;
  Specialization *specialization = prepareFrame(
      self->dispatcher, frame, args, PyVectorcall_NARGS(nargsf), keywords);
  if (!specialization) {
    return nullptr;
  }
  PyObject *result =
      execute(specialization, frame.slots, self->grid, self->dispatcher->error);
  Py_DECREF(object(specialization));
  return result;
}

/// Dispatcher.__getitem__
PyObject *makeLaunch(PyObject *dispatcher, PyObject *value) {
  Grid grid;
  CallbackErrors errors(as<Dispatcher>(dispatcher)->error);
  if (!parseGrid(value, grid, errors)) {
    return nullptr;
  }
  Launch *self;
  if (freeLaunchCount > 0) {
    self = freeLaunches[--freeLaunchCount];
    PyObject_Init(object(self), launchType);
  } else {
    self = PyObject_New(Launch, launchType);
    if (!self) {
      return nullptr;
    }
  }
  self->vectorcall = &callLaunch;
  Py_INCREF(dispatcher);
  self->dispatcher = as<Dispatcher>(dispatcher);
  self->grid = grid;
  return object(self);
}

void freeLaunch(PyObject *object) {
  auto *self = as<Launch>(object);
  PyTypeObject *type = Py_TYPE(object);
  Py_DECREF(tegula::runtime::object(self->dispatcher));
  if (freeLaunchCount < maxFreeLaunches) {
    freeLaunches[freeLaunchCount++] = self;
  } else {
    PyObject_Free(object);
  }
  Py_DECREF(type);
}

PyObject *gridTuple(const Grid &grid) {
  return Py_BuildValue("(LLL)", static_cast<long long>(grid[0]),
                       static_cast<long long>(grid[1]),
                       static_cast<long long>(grid[2]));
}

PyObject *getGrid(PyObject *self, void *) {
  return gridTuple(as<Launch>(self)->grid);
}

// PreparedLaunch.

PyObject *callPrepared(PyObject *callable, PyObject *const * /*args*/,
                       size_t nargsf, PyObject *keywords) {
  auto *self = as<PreparedLaunch>(callable);
  if (PyVectorcall_NARGS(nargsf) != 0 || keywords) {
    PyErr_SetString(PyExc_TypeError, "a prepared launch takes no arguments");
    return nullptr;
  }
  return execute(self->specialization, self->slots.data(), self->grid,
                 self->dispatcher->error);
}

PyObject *keepTuple(const Frame &frame, size_t count) {
  PyObject *keep =
      PyTuple_New(static_cast<Py_ssize_t>(count) + frame.keptCount);
  for (size_t i = 0; keep && i < count; ++i) {
    Py_INCREF(frame.values[i]);
    PyTuple_SET_ITEM(keep, static_cast<Py_ssize_t>(i), frame.values[i]);
  }
  for (int i = 0; keep && i < frame.keptCount; ++i) {
    Py_INCREF(frame.kept[i]);
    PyTuple_SET_ITEM(keep, static_cast<Py_ssize_t>(count) + i, frame.kept[i]);
  }
  return keep;
}

/// Launch.prepare
PyObject *prepareMethod(PyObject *launch, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *keywords) {
  Dispatcher *dispatcher = as<Launch>(launch)->dispatcher;
  Frame frame;
  Specialization *specialization =
      prepareFrame(dispatcher, frame, args, nargs, keywords);
  if (!specialization) {
    return nullptr;
  }
  PyObject *keep = keepTuple(frame, dispatcher->parameters.size());
  auto *self = keep
                   ? as<PreparedLaunch>(preparedType->tp_alloc(preparedType, 0))
                   : nullptr;
  if (!self) {
    Py_XDECREF(keep);
    Py_DECREF(object(specialization));
    return nullptr;
  }
  self->vectorcall = &callPrepared;
  Py_INCREF(object(dispatcher));
  self->dispatcher = dispatcher;
  self->specialization = specialization;
  self->keep = keep;
  self->grid = as<Launch>(launch)->grid;
  new (&self->slots)
      std::vector<int64_t>(frame.slots, frame.slots + frame.slotCount);
  return object(self);
}

int traversePrepared(PyObject *object, visitproc visit, void *arg) {
  auto *self = as<PreparedLaunch>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(tegula::runtime::object(self->dispatcher));
  Py_VISIT(tegula::runtime::object(self->specialization));
  Py_VISIT(self->keep);
  return 0;
}

// No tp_clear: a cycle through a prepared launch also passes through the
// dispatcher or a container, which can be cleared.
void freePrepared(PyObject *object) {
  auto *self = as<PreparedLaunch>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(self->keep);
  Py_XDECREF(tegula::runtime::object(self->specialization));
  Py_XDECREF(tegula::runtime::object(self->dispatcher));
  self->slots.~vector();
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject *getPreparedGrid(PyObject *self, void *) {
  return gridTuple(as<PreparedLaunch>(self)->grid);
}

// Type objects.

template <typename Function> void *slot(Function function) {
  return reinterpret_cast<void *>(function);
}

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

PyMemberDef launchMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                offsetof(Launch, vectorcall), READONLY,
                                nullptr},
                               {nullptr, 0, 0, 0, nullptr}};

PyMethodDef launchMethods[] = {
    {"prepare", reinterpret_cast<PyCFunction>(slot(&prepareMethod)),
     METH_FASTCALL | METH_KEYWORDS,
     "Check the arguments now; the result launches without checks."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef launchProperties[] = {
    {"grid", &getGrid, nullptr, "The grid, always three sizes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot launchSlots[] = {
    {Py_tp_dealloc, slot(&freeLaunch)},
    {Py_tp_call, slot(&PyVectorcall_Call)},
    {Py_tp_members, launchMembers},
    {Py_tp_methods, launchMethods},
    {Py_tp_getset, launchProperties},
    {Py_tp_doc, const_cast<char *>("A kernel with its grid.")},
    {0, nullptr}};

PyMemberDef preparedMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                  offsetof(PreparedLaunch, vectorcall),
                                  READONLY, nullptr},
                                 {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef preparedProperties[] = {
    {"grid", &getPreparedGrid, nullptr, "The grid, always three sizes.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot preparedSlots[] = {
    {Py_tp_dealloc, slot(&freePrepared)},
    {Py_tp_traverse, slot(&traversePrepared)},
    {Py_tp_call, slot(&PyVectorcall_Call)},
    {Py_tp_members, preparedMembers},
    {Py_tp_getset, preparedProperties},
    {Py_tp_doc, const_cast<char *>("A launch with checked arguments.")},
    {0, nullptr}};

constexpr unsigned internalFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;

PyType_Spec dispatcherSpec = {"tegula._native.Dispatcher", sizeof(Dispatcher),
                              0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                              dispatcherSlots};
PyType_Spec launchSpec = {"tegula._native.Launch", sizeof(Launch), 0,
                          internalFlags | Py_TPFLAGS_HAVE_VECTORCALL,
                          launchSlots};
PyType_Spec preparedSpec = {
    "tegula._native.PreparedLaunch", sizeof(PreparedLaunch), 0,
    internalFlags | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    preparedSlots};

PyTypeObject *addType(PyObject *module, PyType_Spec *spec, const char *name) {
  PyObject *type = PyType_FromSpec(spec);
  if (type && PyModule_AddObjectRef(module, name, type) < 0) {
    Py_CLEAR(type);
  }
  return as<PyTypeObject>(type);
}

} // namespace

bool initializeDispatcher(PyObject *module) {
  missing =
      PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
  if (!missing || PyModule_AddObjectRef(module, "MISSING", missing) < 0) {
    return false;
  }
  dispatcherType = addType(module, &dispatcherSpec, "Dispatcher");
  launchType = addType(module, &launchSpec, "Launch");
  preparedType = addType(module, &preparedSpec, "PreparedLaunch");
  return dispatcherType && launchType && preparedType;
}

void setPrintHook(PyObject *hook) {
  Py_XINCREF(hook);
  Py_XSETREF(printHook, hook);
}

} // namespace tegula::runtime
