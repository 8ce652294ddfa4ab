// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy arrays are read through the array struct, other arrays through DLPack.
// NumPy numbers the dtypes of ml_dtypes at run time, so those numbers are
// looked up once, when the first array of an unknown dtype appears.

#include "Arguments.h"

#include "Dlpack.h"
#include "HalfConversions.h"

#define NPY_NO_DEPRECATED_API NPY_1_19_API_VERSION
#include <numpy/arrayobject.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace tegula::runtime {
namespace {

static_assert(sizeof(npy_intp) == sizeof(int64_t));

constexpr int8_t unknownType = -1;
constexpr int builtinTypes = 24; // Type numbers below belong to NumPy itself.

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
  problem = {kind, text};
  return Read::Problem;
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

Read readTensor(const dlpack::Tensor &tensor, bool writeable, ArrayRef &array,
                Problem &problem) {
  if (!dlpack::onHost(tensor.device)) {
    return refuse(problem, "device",
                  PyUnicode_FromFormat(
                      "the array is not in host memory (DLPack device type %d)",
                      tensor.device.type));
  }
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

/// The capsule stays ours: unless renamed, it frees the tensor when released.
Read readDlpack(PyObject *object, ArrayRef &array, PyObject *&keepAlive,
                Problem &problem) {
  PyObject *capsule = exportDlpack(object);
  if (!capsule) {
    return Read::PythonError;
  }
  keepAlive = capsule;
  if (PyCapsule_IsValid(capsule, dlpack::versionedName)) {
    const auto *managed = static_cast<const dlpack::ManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule, dlpack::versionedName));
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

/// The value of any accepted scalar, before conversion to a DType.
struct Number {
  enum Kind : int8_t { Boolean, Signed, Unsigned, Real } kind;
  int64_t integer; // The bits, for all kinds but Real.
  double real;
};

Read overflow(PyObject *object, DType dtype, Problem &problem) {
  return refuse(
      problem, "range",
      PyUnicode_FromFormat("%R does not fit %s", object, info(dtype).name));
}

Number numberOf(DType dtype, const void *data) {
  auto load = [&](auto value) {
    std::memcpy(&value, data, sizeof(value));
    return value;
  };
  switch (dtype) {
  case DType::Bool:
    return {Number::Boolean, load(uint8_t()) != 0, 0};
  case DType::Int8:
    return {Number::Signed, load(int8_t()), 0};
  case DType::Int16:
    return {Number::Signed, load(int16_t()), 0};
  case DType::Int32:
    return {Number::Signed, load(int32_t()), 0};
  case DType::Int64:
    return {Number::Signed, load(int64_t()), 0};
  case DType::UInt8:
    return {Number::Unsigned, load(uint8_t()), 0};
  case DType::UInt16:
    return {Number::Unsigned, load(uint16_t()), 0};
  case DType::UInt32:
    return {Number::Unsigned, load(uint32_t()), 0};
  case DType::UInt64:
    return {Number::Unsigned, load(int64_t()), 0};
  case DType::Float16:
    return {Number::Real, 0, halfToFloat(load(uint16_t()))};
  case DType::BFloat16:
    return {Number::Real, 0, bfloatToFloat(load(uint16_t()))};
  case DType::Float32:
    return {Number::Real, 0, load(float())};
  case DType::Float64:
    return {Number::Real, 0, load(double())};
  case DType::Float8E4M3FN:
    return {Number::Real, 0, float8ToFloat<4, 3>(load(uint8_t()))};
  case DType::Float8E5M2:
    return {Number::Real, 0, float8ToFloat<5, 2>(load(uint8_t()))};
  }
  return {Number::Real, 0, 0};
}

/// Reads a NumPy scalar. `storage` receives its bytes, zero-extended.
Read readNumpyScalar(PyObject *object, DType &dtype, int64_t &storage,
                     Problem &problem) {
  PyArray_Descr *descr = PyArray_DescrFromScalar(object);
  if (!descr) {
    return Read::PythonError;
  }
  int8_t code = dtypeOf(descr->type_num);
  if (code == unknownType) {
    Read result =
        refuse(problem, "dtype",
               PyUnicode_FromFormat("scalars of dtype %S are not supported",
                                    reinterpret_cast<PyObject *>(descr)));
    Py_DECREF(descr);
    return result;
  }
  bool builtin = descr->type_num < builtinTypes;
  Py_DECREF(descr);
  dtype = static_cast<DType>(code);
  storage = 0;
  if (builtin) {
    PyArray_ScalarAsCtype(object, &storage);
    return Read::Ok;
  }
  PyObject *array = PyArray_FromScalar(object, nullptr);
  if (!array) {
    return Read::PythonError;
  }
  std::memcpy(&storage, PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)),
              size_t(1) << info(dtype).log2Bytes);
  Py_DECREF(array);
  return Read::Ok;
}

/// Any accepted scalar as a Number. `limit` only names the dtype in messages.
Read readNumber(PyObject *object, DType limit, Number &number,
                Problem &problem) {
  if (PyBool_Check(object)) {
    number = {Number::Boolean, object == Py_True, 0};
    return Read::Ok;
  }
  if (PyArray_IsScalar(object, Generic)) {
    DType dtype;
    int64_t storage;
    Read result = readNumpyScalar(object, dtype, storage, problem);
    if (result == Read::Ok) {
      number = numberOf(dtype, &storage);
    }
    return result;
  }
  if (PyLong_Check(object)) {
    int outside = 0;
    int64_t value = PyLong_AsLongLongAndOverflow(object, &outside);
    if (outside > 0) {
      number = {Number::Unsigned,
                static_cast<int64_t>(PyLong_AsUnsignedLongLong(object)), 0};
      if (PyErr_Occurred()) {
        PyErr_Clear();
        return overflow(object, limit, problem);
      }
      return Read::Ok;
    }
    if (outside < 0) {
      return overflow(object, limit, problem);
    }
    number = {Number::Signed, value, 0};
    return Read::Ok;
  }
  if (PyFloat_Check(object)) {
    number = {Number::Real, 0, PyFloat_AS_DOUBLE(object)};
    return Read::Ok;
  }
  return Read::NotThis;
}

bool isFloat(DType dtype) { return dtype >= DType::Float16; }
bool isUnsigned(DType dtype) {
  return dtype >= DType::UInt8 && dtype <= DType::UInt64;
}

double realValue(const Number &number) {
  switch (number.kind) {
  case Number::Real:
    return number.real;
  case Number::Unsigned:
    return static_cast<double>(static_cast<uint64_t>(number.integer));
  default:
    return static_cast<double>(number.integer);
  }
}

/// The slot bits of a float, rounded once to nearest even; fp8 saturates.
int64_t floatBits(DType dtype, double value) {
  int64_t bits = 0;
  switch (dtype) {
  case DType::Float64:
    std::memcpy(&bits, &value, sizeof(value));
    break;
  case DType::Float32: {
    auto single = static_cast<float>(value);
    std::memcpy(&bits, &single, sizeof(single));
    break;
  }
  case DType::Float16:
    bits = doubleToSmallFloat<5, 10>(value);
    break;
  case DType::BFloat16:
    bits = doubleToSmallFloat<8, 7>(value);
    break;
  case DType::Float8E4M3FN:
    bits = doubleToFloat8<4, 3>(value);
    break;
  default:
    bits = doubleToFloat8<5, 2>(value);
    break;
  }
  return bits;
}

/// True if the integer `number` is a value of the integer type `dtype`.
bool fits(const Number &number, DType dtype) {
  if (dtype == DType::Bool) {
    return number.kind == Number::Boolean;
  }
  int bits = 8 << info(dtype).log2Bytes;
  bool huge = number.kind == Number::Unsigned && number.integer < 0;
  if (isUnsigned(dtype)) {
    if (number.kind != Number::Unsigned && number.integer < 0) {
      return false;
    }
    return bits == 64 || (!huge && number.integer >> bits == 0);
  }
  int64_t largest = std::numeric_limits<int64_t>::max() >> (64 - bits);
  return !huge && number.integer <= largest && number.integer >= -largest - 1;
}

} // namespace

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
      PyArray_IsScalar(object, Generic) ||
      !PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)),
                              "__dlpack__")) {
    return Read::NotThis;
  }
  return readDlpack(object, array, keepAlive, problem);
}

Read readScalar(PyObject *object, ScalarRef &scalar, Problem &problem) {
  if (PyFloat_CheckExact(object)) {
    double value = PyFloat_AS_DOUBLE(object);
    scalar = {DType::Float64, true, 0};
    std::memcpy(&scalar.bits, &value, sizeof(value));
    return Read::Ok;
  }
  if (PyArray_IsScalar(object, Generic)) {
    scalar.weak = false;
    return readNumpyScalar(object, scalar.dtype, scalar.bits, problem);
  }
  Number number;
  Read result = readNumber(object, DType::Int64, number, problem);
  if (result != Read::Ok) {
    return result;
  }
  switch (number.kind) {
  case Number::Boolean:
    scalar = {DType::Bool, true, number.integer};
    return Read::Ok;
  case Number::Real:
    scalar = {DType::Float64, true, floatBits(DType::Float64, number.real)};
    return Read::Ok;
  case Number::Unsigned:
    return overflow(object, DType::Int64, problem);
  case Number::Signed:
    break;
  }
  scalar = {DType::Int64, true, number.integer};
  return Read::Ok;
}

Read readScalarAs(PyObject *object, DType dtype, ScalarRef &scalar,
                  Problem &problem) {
  Number number;
  Read result = readNumber(object, dtype, number, problem);
  if (result != Read::Ok) {
    return result;
  }
  if (isFloat(dtype)) {
    scalar = {dtype, false, floatBits(dtype, realValue(number))};
    return Read::Ok;
  }
  if (number.kind == Number::Real) {
    return refuse(problem, "dtype",
                  PyUnicode_FromFormat("a float (%R) is not converted to %s; "
                                       "convert it where you call the kernel",
                                       object, info(dtype).name));
  }
  if (!fits(number, dtype)) {
    return overflow(object, dtype, problem);
  }
  scalar = {dtype, false, number.integer};
  return Read::Ok;
}

} // namespace tegula::runtime
