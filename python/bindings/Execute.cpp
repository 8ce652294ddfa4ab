// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printed lines go first, then a failed assertion is raised: what a program
// printed before it failed helps to understand the failure.

#include "Execute.h"

#include "ThreadPool.h"

namespace tegula::runtime {
namespace {

PyObject *printHook = nullptr;

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

/// Runs the handlers of signals that have come, such as Ctrl-C, in the
/// launching thread. Whether one raised; then the exception is set there.
bool handleSignals(void *threadState) {
  auto *thread = static_cast<PyThreadState **>(threadState);
  PyEval_RestoreThread(*thread);
  bool raised = PyErr_CheckSignals() != 0;
  *thread = PyEval_SaveThread();
  return raised;
}

/// Hands over what an interrupted launch has printed; the exception that is set
/// stays the one that is raised.
void handOverBefore(LaunchContext &context) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!handOverLines(context)) {
    PyErr_Clear();
  }
  PyErr_Restore(type, value, traceback);
}

} // namespace

void CallbackErrors::raise(const char *kind, PyObject *parameter,
                           PyObject *value, PyObject *text) {
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

PyObject *execute(Specialization *specialization,
                  const LaunchArguments &arguments, const Grid &grid,
                  PyObject *errorCallback) {
  int64_t programs = grid[0] * grid[1] * grid[2];
  if (programs == 0) {
    Py_RETURN_NONE;
  }
  if (specialization->kernel) {
    return executeOnDevice(specialization, arguments, grid, errorCallback);
  }
  LaunchContext context(grid);
  Job job{specialization->entry, arguments.slots, grid, programs, &context};
  PyThreadState *thread = PyEval_SaveThread();
  job.isInterrupted = &handleSignals;
  job.isInterruptedData = &thread;
  ThreadPool::get().run(job, specialization->cost);
  PyEval_RestoreThread(thread);
  if (job.stopped) {
    handOverBefore(context);
    return nullptr;
  }
  if (!handOver(context, errorCallback)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

bool handOver(LaunchContext &context, PyObject *errorCallback) {
  if (!context.hasReports()) {
    return true;
  }
  return handOverLines(context) &&
         (!context.failed() ||
          raiseAssertion(context.assertFailure(), errorCallback));
}

void setPrintHook(PyObject *hook) {
  Py_XINCREF(hook);
  Py_XSETREF(printHook, hook);
}

} // namespace tegula::runtime
