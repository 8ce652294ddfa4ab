// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `kernel[grid]` and prepared launches. Calls use the vectorcall protocol, and
// launches are recycled: a kernel is subscripted anew for each call.

#include "Dispatcher.h"

#include "Execute.h"

#include <structmember.h>

#include <cstddef>
#include <new>

namespace tegula::runtime {
namespace {

PyTypeObject *launchType = nullptr;
PyTypeObject *preparedType = nullptr;

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
  Place place;
  StreamSource stream;
  std::vector<int64_t> slots;
  std::vector<int16_t> starts;
  std::vector<HostArray> hostArrays;
};

constexpr int maxFreeLaunches = 16;
Launch *freeLaunches[maxFreeLaunches];
int freeLaunchCount = 0;

/// A text with one %U, for the value as Python shows it, or for its type where
/// it cannot be shown.
PyObject *formatShown(const char *format, PyObject *value) {
  PyObject *shown = PyObject_Repr(value);
  if (!shown && PyErr_ExceptionMatches(PyExc_Exception)) {
    PyErr_Clear();
    shown = PyUnicode_FromString(Py_TYPE(value)->tp_name);
  }
  PyObject *text = shown ? PyUnicode_FromFormat(format, shown) : nullptr;
  Py_XDECREF(shown);
  return text;
}

bool parseGridItem(PyObject *item, int64_t &count, ErrorSink &errors) {
  long long value = -1;
  if (PyIndex_Check(item) && !PyBool_Check(item)) {
    PyObject *index = PyNumber_Index(item);
    int outside = 0;
    if (index) {
      value = PyLong_AsLongLongAndOverflow(index, &outside);
      Py_DECREF(index);
    } else if (PyErr_ExceptionMatches(PyExc_Exception)) {
      PyErr_Clear(); // An array of several elements, say.
    } else {
      return false;
    }
    if (value >= 0 && outside == 0) {
      count = value;
      return true;
    }
  }
  errors.raise("grid", nullptr, item,
               formatShown("a grid is made of integers >= 0, not %U", item));
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
  // What a GPU runs at once is the limit everywhere: a kernel that runs here
  // runs there.
  constexpr int64_t maxPrograms = 0x7fffffff;
  int64_t product = 0;
  if (__builtin_mul_overflow(grid[0], grid[1], &product) ||
      __builtin_mul_overflow(product, grid[2], &product) ||
      product > maxPrograms) {
    errors.raise("grid", nullptr, value,
                 formatShown("the grid %U has too many programs: one launch "
                             "runs at most 2147483647",
                             value));
    return false;
  }
  return true;
}

/// Tells once for each place in a program that arrays are copied.
bool noteCopies() {
  PyObject *errors = PyImport_ImportModule("tegula.errors");
  PyObject *category =
      errors ? PyObject_GetAttrString(errors, "PerformanceWarning") : nullptr;
  Py_XDECREF(errors);
  int status = category
                   ? PyErr_WarnEx(category,
                                  "arrays in host memory are copied to the "
                                  "device of the others, and back, at "
                                  "each launch",
                                  1)
                   : -1;
  Py_XDECREF(category);
  return status == 0;
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
  LaunchArguments arguments{
      frame.slots,  frame.slotCount,  frame.starts,        frame.place,
      frame.stream, frame.hostArrays, frame.hostArrayCount};
  if (frame.isMoved && frame.hostArrayCount > 0 && !noteCopies()) {
    Py_DECREF(object(specialization));
    return nullptr;
  }
  PyObject *result =
      execute(specialization, arguments, self->grid, self->dispatcher->error);
  Py_DECREF(object(specialization));
  return result;
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
  LaunchArguments arguments{self->slots.data(),
                            static_cast<int>(self->slots.size()),
                            self->starts.data(),
                            self->place,
                            self->stream,
                            self->hostArrays.data(),
                            static_cast<int>(self->hostArrays.size())};
  return execute(self->specialization, arguments, self->grid,
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
  self->place = frame.place;
  self->stream = frame.stream;
  new (&self->slots)
      std::vector<int64_t>(frame.slots, frame.slots + frame.slotCount);
  new (&self->starts)
      std::vector<int16_t>(frame.starts, frame.starts + maxArguments);
  new (&self->hostArrays) std::vector<HostArray>(
      frame.hostArrays, frame.hostArrays + frame.hostArrayCount);
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
  self->starts.~vector();
  self->hostArrays.~vector();
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject *getPreparedGrid(PyObject *self, void *) {
  return gridTuple(as<PreparedLaunch>(self)->grid);
}

// Type objects.

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

PyType_Spec launchSpec = {"tegula._native.Launch", sizeof(Launch), 0,
                          internalFlags | Py_TPFLAGS_HAVE_VECTORCALL,
                          launchSlots};
PyType_Spec preparedSpec = {
    "tegula._native.PreparedLaunch", sizeof(PreparedLaunch), 0,
    internalFlags | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    preparedSlots};

} // namespace

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

bool initializeLaunch(PyObject *module) {
  launchType = addType(module, &launchSpec, "Launch");
  preparedType = addType(module, &preparedSpec, "PreparedLaunch");
  return launchType && preparedType;
}

} // namespace tegula::runtime
