// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything here runs on each launch except the error paths and signature(),
// which runs once per specialization. Loops are over parameters and dimensions;
// nothing allocates.

#include "Frame.h"

#include "Specialization.h"

#include <cstring>

namespace tegula::runtime {
namespace {

constexpr int alignment = 16;
constexpr int divisor = 16;
/// Hardware that copies boxes of arrays describes sizes in 32 bits and strides,
/// which must be positive, in 40. Nothing is promised of others, so that code
/// which was compiled for such hardware never meets them.
constexpr int64_t maxDescribedSize = int64_t(1) << 32;
constexpr int64_t maxDescribedBytes = int64_t(1) << 40;
/// Arrays that end before it can be reached by 32-bit offsets.
constexpr int64_t maxCompactBytes = int64_t(1) << 31;

enum Tag : uint64_t { ArrayTag = 1, ScalarTag = 2, ConstTag = 3 };
constexpr int rankShift = 4;
constexpr int unitShift = 8;
constexpr int sizeShift = 16;
constexpr int strideShift = 24;
constexpr int alignedShift = 32;
constexpr int compactShift = 33;
constexpr int weakShift = 8;
constexpr int tagShift = 62;
constexpr int placeShift = 16;

uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

void raiseProblem(const Problem &problem, const Parameter &parameter,
                  PyObject *value, ErrorSink &errors) {
  errors.raise(problem.kind, parameter.name, value, problem.text);
  if (problem.cause) {
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    PyException_SetCause(error, problem.cause); // takes it over
    PyErr_Restore(type, error, trace);
  }
}

/// The argument is neither array nor number, or not what the kind asks for.
void raiseWrongKind(const Parameter &parameter, PyObject *value,
                    ErrorSink &errors) {
  const char *type = Py_TYPE(value)->tp_name;
  switch (parameter.kind) {
  case Parameter::Array:
    errors.raise("not-array", parameter.name, value,
                 PyUnicode_FromFormat(
                     "expected an array (NumPy, or anything that speaks "
                     "DLPack), got %.200s",
                     type));
    return;
  case Parameter::Scalar:
    errors.raise("not-scalar", parameter.name, value,
                 PyUnicode_FromFormat("expected a number for %s, got %.200s",
                                      info(parameter.dtype).name, type));
    return;
  default:
    errors.raise("not-array", parameter.name, value,
                 PyUnicode_FromFormat(
                     "expected an array or a number, got %.200s; annotate the "
                     "parameter with tg.Const if it is a compile-time value",
                     type));
  }
}

PyObject *boolTuple(uint64_t bits, int count) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; ++i) {
    PyObject *item = bits >> i & 1 ? Py_True : Py_False;
    Py_INCREF(item);
    PyTuple_SET_ITEM(tuple, i, item);
  }
  return tuple;
}

PyObject *divisorTuple(uint64_t bits, int count) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; ++i) {
    PyTuple_SET_ITEM(tuple, i, PyLong_FromLong(bits >> i & 1 ? divisor : 1));
  }
  return tuple;
}

PyObject *arrayEntry(uint64_t word) {
  const DTypeInfo &type = info(static_cast<DType>(word & 0xf));
  int rank = static_cast<int>(word >> rankShift & 0xf);
  int align = word >> alignedShift & 1 ? alignment : 1 << type.log2Bytes;
  PyObject *isCompact = word >> compactShift & 1 ? Py_True : Py_False;
  return Py_BuildValue("(ssNiNNO)", "array", type.name,
                       boolTuple(word >> unitShift, rank), align,
                       divisorTuple(word >> sizeShift, rank),
                       divisorTuple(word >> strideShift, rank), isCompact);
}

PyObject *scalarEntry(uint64_t word) {
  const DTypeInfo &type = info(static_cast<DType>(word & 0xf));
  return Py_BuildValue("(ssO)", "scalar", type.name,
                       word >> weakShift & 1 ? Py_True : Py_False);
}

} // namespace

bool Frame::bind(const std::vector<Parameter> &parameters,
                 PyObject *const *args, Py_ssize_t positional,
                 PyObject *keywords, ErrorSink &errors) {
  size_t count = parameters.size();
  if (static_cast<size_t>(positional) > count) {
    errors.raise("too-many", nullptr, nullptr,
                 PyUnicode_FromFormat("takes %zu arguments, %zd were given",
                                      count, positional));
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    values[i] = i < static_cast<size_t>(positional) ? args[i] : nullptr;
  }
  if (keywords) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
      if (!bindKeyword(parameters, PyTuple_GET_ITEM(keywords, i),
                       args[positional + i], errors)) {
        return false;
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (!values[i]) {
      values[i] = parameters[i].defaultValue;
    }
    if (!values[i]) {
      errors.raise(
          "missing", parameters[i].name, nullptr,
          PyUnicode_FromFormat("argument '%U' is missing", parameters[i].name));
      return false;
    }
  }
  return true;
}

bool Frame::bindKeyword(const std::vector<Parameter> &parameters,
                        PyObject *name, PyObject *value, ErrorSink &errors) {
  size_t index = 0;
  while (index < parameters.size() && parameters[index].name != name) {
    ++index;
  }
  if (index == parameters.size()) { // Not interned, or unknown.
    index = 0;
    while (index < parameters.size() &&
           PyUnicode_Compare(parameters[index].name, name) != 0) {
      ++index;
    }
  }
  if (index == parameters.size()) {
    errors.raise("unexpected", name, value,
                 PyUnicode_FromFormat("there is no parameter '%U'", name));
    return false;
  }
  if (values[index]) {
    errors.raise("duplicate", name, value,
                 PyUnicode_FromFormat("argument '%U' is given twice", name));
    return false;
  }
  values[index] = value;
  return true;
}

bool Frame::read(const std::vector<Parameter> &parameters, const Place &home,
                 ErrorSink &errors) {
  place = home;
  int argument = 0;
  int count = static_cast<int>(parameters.size());
  for (int i = 0; i < count; ++i) {
    const Parameter &parameter = parameters[static_cast<size_t>(i)];
    bool ok = parameter.kind == Parameter::Const
                  ? readConstant(parameter, i, errors)
                  : readArgument(parameter, i, argument++, errors);
    if (!ok) {
      return false;
    }
  }
  keyWords = count;
  if (rangeCount > 1) {
    addAliases();
  }
  if (place.kind != DeviceKind::Host) {
    key[keyWords++] =
        uint64_t(place.kind) << placeShift | static_cast<uint16_t>(place.index);
  }
  return true;
}

/// Arrays of one launch are on one device, or on the host.
bool Frame::choosePlace(const ArrayRef &array, const Parameter &parameter,
                        PyObject *value, ErrorSink &errors) {
  if (array.place.kind == DeviceKind::Host) {
    return true;
  }
  bool isOther = isMoved ? array.place != place
                         : place.kind != DeviceKind::Host &&
                               place.kind != array.place.kind;
  if (isOther) {
    errors.raise(
        "device", parameter.name, value,
        PyUnicode_FromFormat(
            "the array is on %s device %d, but the kernel is to run on "
            "%s device %d",
            deviceKindName(array.place.kind), array.place.index,
            deviceKindName(place.kind), place.index));
    return false;
  }
  if (!isMoved) {
    stream = array.stream;
  }
  place = array.place;
  isMoved = true;
  return true;
}

bool Frame::readConstant(const Parameter &parameter, int index,
                         ErrorSink &errors) {
  PyObject *value = values[index];
  uint64_t hash;
  if (PyFloat_CheckExact(value)) { // By bits: NaN and -0.0 are values too.
    double number = PyFloat_AS_DOUBLE(value);
    std::memcpy(&hash, &number, sizeof(hash));
  } else {
    Py_hash_t result = PyObject_Hash(value);
    if (result == -1) {
      PyErr_Clear();
      errors.raise("not-const", parameter.name, value,
                   PyUnicode_FromFormat(
                       "a tg.Const must be hashable, %.200s is not; pass a "
                       "tuple, a number or a frozen object",
                       Py_TYPE(value)->tp_name));
      return false;
    }
    hash = static_cast<uint64_t>(result);
  }
  hash = mix(hash, reinterpret_cast<uintptr_t>(Py_TYPE(value)));
  key[index] = uint64_t(ConstTag) << tagShift | hash >> 2;
  return true;
}

bool Frame::readArgument(const Parameter &parameter, int index, int argument,
                         ErrorSink &errors) {
  PyObject *value = values[index];
  starts[argument] = static_cast<int16_t>(slotCount);
  Problem problem;
  Read result = Read::NotThis;
  if (parameter.kind != Parameter::Scalar) {
    ArrayRef array;
    PyObject *keepAlive = nullptr;
    result = readArray(value, array, keepAlive, problem);
    if (keepAlive) {
      kept[keptCount++] = keepAlive;
    }
    if (result == Read::Ok) {
      return addArray(array, parameter, index, argument, errors);
    }
  }
  if (result == Read::NotThis && parameter.kind != Parameter::Array) {
    ScalarRef scalar;
    result = parameter.kind == Parameter::Scalar
                 ? readScalarAs(value, parameter.dtype, scalar, problem)
                 : readScalar(value, scalar, problem);
    if (result == Read::Ok) {
      slots[slotCount++] = scalar.bits;
      key[index] = uint64_t(ScalarTag) << tagShift |
                   uint64_t(scalar.weak) << weakShift |
                   static_cast<uint64_t>(scalar.dtype);
      return true;
    }
  }
  if (result == Read::NotThis) {
    raiseWrongKind(parameter, value, errors);
  } else if (result == Read::Problem) {
    raiseProblem(problem, parameter, value, errors);
  }
  return false;
}

/// Writes the slots of an array and gathers what its dimensions say.
Frame::Extent Frame::writeSlots(const ArrayRef &array) {
  int shift = info(array.dtype).log2Bytes;
  int64_t itemMask = (int64_t(1) << shift) - 1;
  auto address = reinterpret_cast<uintptr_t>(array.data);
  int64_t *sizes = slots + slotCount + 1;
  int64_t *strides = sizes + array.rank;
  Extent extent;
  extent.misfit = address & static_cast<uint64_t>(itemMask);
  int64_t contiguous = 1;
  for (int i = array.rank - 1; i >= 0; --i) {
    int64_t size = array.sizes[i];
    int64_t stride = contiguous;
    if (array.strides) {
      stride = array.strides[i];
      if (array.stridesInBytes) {
        extent.misfit |= static_cast<uint64_t>(stride & itemMask);
        stride >>= shift;
      }
    }
    contiguous *= size;
    sizes[i] = size;
    strides[i] = stride;
    extent.unit |= uint64_t(stride == 1) << i;
    extent.sizeDiv |= uint64_t(size % divisor == 0) << i;
    bool isDivisible = stride % divisor == 0 && stride > 0 &&
                       size <= maxDescribedSize &&
                       stride < maxDescribedBytes >> shift;
    extent.strideDiv |= uint64_t(isDivisible) << i;
    extent.empty |= size == 0;
    int64_t reach = (size - 1) * stride;
    extent.isNested &= size <= 1 || stride > extent.high;
    (reach < 0 ? extent.low : extent.high) += reach;
  }
  if (!extent.isNested && array.rank == 2) {
    extent.isNested =
        strides[0] > 0 && strides[1] > (sizes[0] - 1) * strides[0];
  }
  slots[slotCount] = static_cast<int64_t>(address);
  slotCount += 1 + 2 * array.rank;
  return extent;
}

bool Frame::addArray(const ArrayRef &array, const Parameter &parameter,
                     int index, int argument, ErrorSink &errors) {
  if (!choosePlace(array, parameter, values[index], errors)) {
    return false;
  }
  int slot = slotCount;
  Extent extent = writeSlots(array);
  int shift = info(array.dtype).log2Bytes;
  if (extent.misfit != 0 && !extent.empty) {
    errors.raise(
        "unaligned", parameter.name, values[index],
        PyUnicode_FromFormat("the array's data or strides are not multiples of "
                             "its element size (%d bytes); pass a copy, for "
                             "example np.require(a, requirements='CA')",
                             1 << shift));
    return false;
  }
  auto address = reinterpret_cast<uintptr_t>(array.data);
  bool aligned = extent.empty || address % alignment == 0;
  bool isCompact = extent.empty || (extent.isNested && extent.low == 0 &&
                                    extent.high + 1 < maxCompactBytes >> shift);
  key[index] =
      uint64_t(ArrayTag) << tagShift | uint64_t(aligned) << alignedShift |
      uint64_t(isCompact) << compactShift | extent.strideDiv << strideShift |
      extent.sizeDiv << sizeShift | extent.unit << unitShift |
      static_cast<uint64_t>(array.rank) << rankShift |
      static_cast<uint64_t>(array.dtype);
  readOnly |= uint64_t(!array.writeable) << argument;
  Range &range = ranges[rangeCount];
  range = {0, 0};
  if (!extent.empty) {
    range.low =
        address + static_cast<uintptr_t>(extent.low * (int64_t(1) << shift));
    range.high = address + static_cast<uintptr_t>((extent.high + 1) *
                                                  (int64_t(1) << shift));
  }
  rangeArguments[rangeCount++] = static_cast<int8_t>(argument);
  if (array.place.kind == DeviceKind::Host) {
    hostArrays[hostArrayCount++] = {static_cast<int16_t>(slot),
                                    static_cast<int8_t>(argument), range.low,
                                    range.high};
  }
  return true;
}

void Frame::addAliases() {
  uint64_t word = 0;
  int bit = 0;
  for (int j = 1; j < rangeCount; ++j) {
    for (int i = 0; i < j; ++i) {
      bool overlap =
          ranges[i].low < ranges[j].high && ranges[j].low < ranges[i].high;
      word |= uint64_t(overlap) << bit;
      if (++bit == 64) {
        key[keyWords++] = word;
        word = 0;
        bit = 0;
      }
    }
  }
  key[keyWords++] = word;
}

uint64_t Frame::keyHash() const {
  uint64_t hash = 0;
  for (int i = 0; i < keyWords; ++i) {
    hash = mix(hash, key[i]);
  }
  return hash;
}

PyObject *Frame::signature(const std::vector<Parameter> &parameters) const {
  PyObject *entries = PyTuple_New(static_cast<Py_ssize_t>(parameters.size()));
  PyObject *aliases = PyList_New(0);
  for (size_t i = 0; entries && i < parameters.size(); ++i) {
    uint64_t tag = key[i] >> tagShift;
    PyObject *entry = tag == ArrayTag ? arrayEntry(key[i])
                      : tag == ScalarTag
                          ? scalarEntry(key[i])
                          : Py_BuildValue("(sO)", "const", values[i]);
    if (!entry) {
      Py_CLEAR(entries);
      break;
    }
    PyTuple_SET_ITEM(entries, static_cast<Py_ssize_t>(i), entry);
  }
  for (int j = 1; aliases && j < rangeCount; ++j) {
    for (int i = 0; aliases && i < j; ++i) {
      if (ranges[i].low >= ranges[j].high || ranges[j].low >= ranges[i].high) {
        continue;
      }
      PyObject *pair =
          Py_BuildValue("(ii)", rangeArguments[i], rangeArguments[j]);
      if (!pair || PyList_Append(aliases, pair) < 0) {
        Py_CLEAR(aliases);
      }
      Py_XDECREF(pair);
    }
  }
  PyObject *pairs = aliases ? PyList_AsTuple(aliases) : nullptr;
  Py_XDECREF(aliases);
  if (!entries || !pairs) {
    Py_XDECREF(entries);
    Py_XDECREF(pairs);
    return nullptr;
  }
  return Py_BuildValue("(NN(si))", entries, pairs, deviceKindName(place.kind),
                       static_cast<int>(place.index));
}

} // namespace tegula::runtime
