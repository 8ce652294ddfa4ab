// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of a launch: Python's are weak, NumPy's have a dtype of their own,
// and both convert to the dtype of an annotated parameter, exactly or not at
// all.

#include "HalfConversions.h"
#include "NumpyTypes.h"

#include <cstring>
#include <limits>

namespace tegula::runtime {
namespace {

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
