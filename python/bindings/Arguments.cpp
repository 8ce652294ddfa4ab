// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy arrays are read through the array struct, other arrays through DLPack.
// NumPy numbers the dtypes of ml_dtypes at run time, so those numbers are
// looked up once, when the first array of an unknown dtype appears.

#define TEGULA_FILLS_NUMPY_API
#include "NumpyTypes.h"

#include "Dlpack.h"

#include <algorithm>
#include <array>

namespace tegula::runtime {
namespace {

static_assert(sizeof(npy_intp) == sizeof(int64_t));

/// Type number of NumPy -> DType.
std::array<int8_t, builtinTypes> makeTypeTable() {
  std::array<int8_t, builtinTypes> table;
  table.fill(unknownType);
  auto set = [&](int number, DType dtype) {
    table[static_cast<size_t>(number)] = static_cast<int8_t>(dtype);
  };
  set(NPY_BOOL, DType::Bool);
  set(NPY_BYTE, DType::Int8);
  set(NPY_SHORT, DType::Int16);
  set(NPY_INT, DType::Int32);
  set(NPY_LONG, sizeof(long) == 8 ? DType::Int64 : DType::Int32);
  set(NPY_LONGLONG, DType::Int64);
  set(NPY_UBYTE, DType::UInt8);
  set(NPY_USHORT, DType::UInt16);
  set(NPY_UINT, DType::UInt32);
  set(NPY_ULONG, sizeof(long) == 8 ? DType::UInt64 : DType::UInt32);
  set(NPY_ULONGLONG, DType::UInt64);
  set(NPY_HALF, DType::Float16);
  set(NPY_FLOAT, DType::Float32);
  set(NPY_DOUBLE, DType::Float64);
  return table;
}

const std::array<int8_t, builtinTypes> typeTable = makeTypeTable();

struct ExtensionType {
  const char *name;
  DType dtype;
  int number;
};
ExtensionType extensionTypes[] = {
    {"bfloat16", DType::BFloat16, unknownType},
    {"float8_e4m3fn", DType::Float8E4M3FN, unknownType},
    {"float8_e5m2", DType::Float8E5M2, unknownType},
};

/// Asks ml_dtypes for its type numbers; false if it is not installed.
bool resolveExtensionTypes() {
  PyObject *module = PyImport_ImportModule("ml_dtypes");
  if (!module) {
    PyErr_Clear();
    return false;
  }
  for (ExtensionType &type : extensionTypes) {
    PyObject *scalar = PyObject_GetAttrString(module, type.name);
    PyArray_Descr *descr = nullptr;
    if (scalar && PyArray_DescrConverter(scalar, &descr)) {
      type.number = descr->type_num;
      Py_DECREF(descr);
    }
    Py_XDECREF(scalar);
    PyErr_Clear();
  }
  Py_DECREF(module);
  return true;
}

int8_t extensionDType(int number) {
  static const bool resolved = resolveExtensionTypes();
  if (resolved) {
    for (const ExtensionType &type : extensionTypes) {
      if (type.number == number) {
        return static_cast<int8_t>(type.dtype);
      }
    }
  }
  return unknownType;
}

Read readNumpy(PyArrayObject *object, ArrayRef &array, Problem &problem) {
  PyArray_Descr *descr = PyArray_DESCR(object);
  int8_t dtype = dtypeOf(descr->type_num);
  if (dtype == unknownType) {
    return refuse(problem, "dtype",
                  PyUnicode_FromFormat("arrays of dtype %S are not supported",
                                       reinterpret_cast<PyObject *>(descr)));
  }
  if (!PyArray_ISNOTSWAPPED(object)) {
    return refuse(problem, "byte-order",
                  PyUnicode_FromFormat(
                      "the array's byte order (%S) is not this machine's; "
                      "convert it with .astype(dtype.newbyteorder('='))",
                      reinterpret_cast<PyObject *>(descr)));
  }
  int rank = PyArray_NDIM(object);
  if (rank > maxRank) {
    return refuse(problem, "rank",
                  PyUnicode_FromFormat(
                      "arrays have at most %d dimensions, this one has %d",
                      maxRank, rank));
  }
  array.data = PyArray_DATA(object);
  array.sizes = reinterpret_cast<const int64_t *>(PyArray_DIMS(object));
  array.strides = reinterpret_cast<const int64_t *>(PyArray_STRIDES(object));
  array.stridesInBytes = true;
  array.writeable = PyArray_ISWRITEABLE(object);
  array.rank = static_cast<int8_t>(rank);
  array.dtype = static_cast<DType>(dtype);
  array.place = Place();
  array.stream = StreamSource();
  return Read::Ok;
}

/// The DType of a DLPack element type, or unknownType.
int8_t dlpackDType(const dlpack::DataType &type) {
  if (type.lanes != 1) {
    return unknownType;
  }
  struct Row {
    uint8_t code, bits;
    DType dtype;
  };
  static constexpr Row rows[] = {
      {dlpack::Bool, 8, DType::Bool},
      {dlpack::Int, 8, DType::Int8},
      {dlpack::Int, 16, DType::Int16},
      {dlpack::Int, 32, DType::Int32},
      {dlpack::Int, 64, DType::Int64},
      {dlpack::UInt, 8, DType::UInt8},
      {dlpack::UInt, 16, DType::UInt16},
      {dlpack::UInt, 32, DType::UInt32},
      {dlpack::UInt, 64, DType::UInt64},
      {dlpack::Float, 16, DType::Float16},
      {dlpack::BFloat, 16, DType::BFloat16},
      {dlpack::Float, 32, DType::Float32},
      {dlpack::Float, 64, DType::Float64},
      {dlpack::Float8E4M3FN, 8, DType::Float8E4M3FN},
      {dlpack::Float8E5M2, 8, DType::Float8E5M2},
  };
  for (const Row &row : rows) {
    if (row.code == type.code && row.bits == type.bits) {
      return static_cast<int8_t>(row.dtype);
    }
  }
  return unknownType;
}

/// Calls `object.__dlpack__`, newest protocol first.
PyObject *exportDlpack(PyObject *object) {
  PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
  if (!method) {
    return nullptr;
  }
  PyObject *empty = PyTuple_New(0);
  PyObject *options = Py_BuildValue("{s:(ii)}", "max_version", 1, 1);
  PyObject *capsule = nullptr;
  if (empty && options) {
    capsule = PyObject_Call(method, empty, options);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear(); // A producer from before the version was negotiated.
      capsule = PyObject_CallNoArgs(method);
    }
  }
  Py_XDECREF(options);
  Py_XDECREF(empty);
  Py_DECREF(method);
  return capsule;
}

/// Makes a problem of what the producer raised: no gradients may flow through
/// a kernel, the array was deleted, and the like. Interrupts stay themselves.
Read refuseExport(PyObject *object, Problem &problem) {
  if (!PyErr_ExceptionMatches(PyExc_Exception) ||
      PyErr_ExceptionMatches(PyExc_MemoryError)) {
    return Read::PythonError;
  }
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace) {
    PyException_SetTraceback(error, trace);
  }
  PyObject *text = PyUnicode_FromFormat(
      "%.200s does not give access to its memory: %s: %S",
      Py_TYPE(object)->tp_name, Py_TYPE(error)->tp_name, error);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  Read result = refuse(problem, "no-access", text);
  if (result == Read::Problem) {
    problem.cause = error;
  } else {
    Py_DECREF(error);
  }
  return result;
}

/// Where DLPack says that an array is; false if no target runs there.
bool readPlace(const dlpack::Device &device, Place &place) {
  place.kind = dlpack::onHost(device)        ? DeviceKind::Host
               : device.type == dlpack::Cuda ? DeviceKind::Cuda
                                             : DeviceKind::Rocm;
  place.index = place.kind == DeviceKind::Host
                    ? int16_t(0)
                    : static_cast<int16_t>(device.id);
  return place.kind != DeviceKind::Rocm || device.type == dlpack::Rocm;
}

/// What makes a description nonsense, or null.
const char *findNonsense(const dlpack::Tensor &tensor) {
  if (tensor.rank < 0) {
    return "its rank is negative";
  }
  if (tensor.rank > 0 && !tensor.sizes) {
    return "it has no sizes";
  }
  bool isEmpty = false;
  for (int i = 0; i < std::min<int>(tensor.rank, maxRank); ++i) {
    if (tensor.sizes[i] < 0) {
      return "one of its sizes is negative";
    }
    isEmpty |= tensor.sizes[i] == 0;
  }
  return tensor.data || isEmpty ? nullptr : "it has elements, but no memory";
}

Read readTensor(const dlpack::Tensor &tensor, bool writeable, ArrayRef &array,
                Problem &problem) {
  if (const char *nonsense = findNonsense(tensor)) {
    return refuse(problem, "not-array",
                  PyUnicode_FromFormat("the array describes itself wrongly "
                                       "through DLPack: %s",
                                       nonsense));
  }
  if (!readPlace(tensor.device, array.place)) {
    return refuse(
        problem, "device",
        PyUnicode_FromFormat("the array is on a device that no target "
                             "runs on (DLPack device type %d)",
                             tensor.device.type));
  }
  array.stream = StreamSource();
  int8_t dtype = dlpackDType(tensor.dtype);
  if (dtype == unknownType) {
    return refuse(problem, "dtype",
                  PyUnicode_FromFormat(
                      "arrays with DLPack element type (code %d, %d bits, %d "
                      "lanes) are not supported",
                      tensor.dtype.code, tensor.dtype.bits,
                      tensor.dtype.lanes));
  }
  if (tensor.rank > maxRank) {
    return refuse(problem, "rank",
                  PyUnicode_FromFormat(
                      "arrays have at most %d dimensions, this one has %d",
                      maxRank, tensor.rank));
  }
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.sizes = tensor.sizes;
  array.strides = tensor.strides;
  array.stridesInBytes = false;
  array.writeable = writeable;
  array.rank = static_cast<int8_t>(tensor.rank);
  array.dtype = static_cast<DType>(dtype);
  return Read::Ok;
}

/// What a type offers in C, or null. The last type asked for is remembered.
const dlpack::ExchangeApi *exchangeOf(PyTypeObject *type) {
  static PyTypeObject *lastType = nullptr; // A reference, so never another's.
  static const dlpack::ExchangeApi *last = nullptr;
  if (type == lastType) {
    return last;
  }
  PyObject *capsule = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                             dlpack::exchangeAttribute);
  const dlpack::ExchangeHeader *header = nullptr;
  if (capsule && PyCapsule_IsValid(capsule, dlpack::exchangeName)) {
    header = static_cast<const dlpack::ExchangeHeader *>(
        PyCapsule_GetPointer(capsule, dlpack::exchangeName));
  }
  Py_XDECREF(capsule);
  PyErr_Clear();
  while (header && header->major != dlpack::exchangeMajor) {
    header = header->previous;
  }
  Py_INCREF(type);
  Py_XSETREF(lastType, type);
  last = reinterpret_cast<const dlpack::ExchangeApi *>(header);
  return last;
}

/// Such tensors are refused by `__dlpack__`, which says why, but not in C.
bool requiresGradients(PyObject *object) {
  static PyObject *name = PyUnicode_InternFromString("requires_grad");
  PyObject *value = PyObject_GetAttr(object, name);
  PyErr_Clear();
  bool result = value == Py_True;
  Py_XDECREF(value);
  return result;
}

/// Reads an array by its library's C functions: no call of Python, no capsule.
Read readExchanged(PyObject *object, const dlpack::ExchangeApi &api,
                   ArrayRef &array, Problem &problem) {
  dlpack::Tensor tensor;
  if (api.tensorFromObject(object, &tensor) != 0) {
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_RuntimeError, "the array cannot be exported");
    }
    return refuseExport(object, problem);
  }
  Read result = readTensor(tensor, true, array, problem);
  if (result == Read::Ok && array.place.kind != DeviceKind::Host) {
    array.stream.function = api.currentStream;
    array.stream.dlpackType = tensor.device.type;
  }
  return result;
}

/// The capsule stays ours: unless renamed, it frees the tensor when released.
Read readDlpackCapsule(PyObject *object, ArrayRef &array, PyObject *&keepAlive,
                       Problem &problem) {
  PyObject *capsule = exportDlpack(object);
  if (!capsule) {
    return refuseExport(object, problem);
  }
  keepAlive = capsule;
  if (PyCapsule_IsValid(capsule, dlpack::versionedName)) {
    const auto *managed = static_cast<const dlpack::ManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule, dlpack::versionedName));
    if (managed->major != dlpack::major) {
      return refuse(problem, "not-array",
                    PyUnicode_FromFormat("the array speaks version %u of "
                                         "DLPack, not %u",
                                         managed->major, dlpack::major));
    }
    bool writeable = !(managed->flags & dlpack::readOnlyFlag);
    return readTensor(managed->tensor, writeable, array, problem);
  }
  if (PyCapsule_IsValid(capsule, dlpack::legacyName)) {
    const auto *managed = static_cast<const dlpack::ManagedTensor *>(
        PyCapsule_GetPointer(capsule, dlpack::legacyName));
    return readTensor(managed->tensor, true, array, problem);
  }
  return refuse(problem, "not-array",
                PyUnicode_FromFormat("%.200s.__dlpack__ returned no usable "
                                     "DLPack capsule",
                                     Py_TYPE(object)->tp_name));
}

Read readDlpack(PyObject *object, ArrayRef &array, PyObject *&keepAlive,
                Problem &problem) {
  Read result = readDlpackCapsule(object, array, keepAlive, problem);
  if (result == Read::Ok && array.place.kind != DeviceKind::Host) {
    array.stream.argument = object;
  }
  return result;
}

} // namespace

int8_t dtypeOf(int number) {
  if (static_cast<unsigned>(number) < builtinTypes) {
    return typeTable[static_cast<size_t>(number)];
  }
  return extensionDType(number);
}

Read refuse(Problem &problem, const char *kind, PyObject *text) {
  if (!text) {
    return Read::PythonError;
  }
  problem = {kind, text, nullptr};
  return Read::Problem;
}

bool initializeArguments() {
  if (_import_array() < 0) {
    return false;
  }
  return true;
}

Read readArray(PyObject *object, ArrayRef &array, PyObject *&keepAlive,
               Problem &problem) {
  if (PyArray_CheckExact(object) ||
      (PyArray_Check(object) && !PyObject_HasAttrString(object, "mask"))) {
    return readNumpy(reinterpret_cast<PyArrayObject *>(object), array, problem);
  }
  if (PyArray_Check(object)) {
    return refuse(problem, "not-array",
                  PyUnicode_FromString("masked arrays are not supported; pass "
                                       "the data and the mask separately"));
  }
  if (PyLong_Check(object) || PyFloat_Check(object) ||
      PyArray_IsScalar(object, Generic)) {
    return Read::NotThis;
  }
  if (const dlpack::ExchangeApi *api = exchangeOf(Py_TYPE(object));
      api && api->tensorFromObject && !requiresGradients(object)) {
    return readExchanged(object, *api, array, problem);
  }
  if (!PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)),
                              "__dlpack__")) {
    return Read::NotThis;
  }
  return readDlpack(object, array, keepAlive, problem);
}

} // namespace tegula::runtime
