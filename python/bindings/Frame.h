// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch in the making: arguments bound to parameters, read into slots, and
// folded into the key that selects a specialization. It lives on the stack and
// allocates nothing, because it is what a launch costs.
//
// The key. One 64-bit word per parameter, then one bit per pair of arrays:
//
//   array   tag 1 | aligned | stride_div[8] | size_div[8] | unit[8] | rank |
//   dtype scalar  tag 2 | weak | dtype const   tag 3 | hash (then compared by
//   sameConstant)
//
// A kernel that does not run on the host has one word more, for its place.
//
// For example a float32 matrix of 64 x 100, row-major and 16-byte aligned, has
// dtype 11, rank 2, unit 0b10, size_div 0b01 and stride_div 0b00.

#ifndef TEGULA_PYTHON_BINDINGS_FRAME_H
#define TEGULA_PYTHON_BINDINGS_FRAME_H

#include <Python.h>

#include "Abi.h"
#include "Arguments.h"

#include <cstdint>
#include <vector>

namespace tegula::runtime {

constexpr int maxParameters = 128;
constexpr int maxArguments = 64; // Parameters that are not Const.
constexpr int maxSlots = maxArguments * (1 + 2 * maxRank);
constexpr int maxAliasWords = maxArguments * (maxArguments - 1) / 2 / 64 + 1;

struct Parameter {
  enum Kind : int8_t { Auto, Array, Scalar, Const };
  PyObject *name;         // Interned; owned by the list's holder.
  PyObject *defaultValue; // Owned by the list's holder, or null.
  Kind kind;
  DType dtype; // For Scalar.
};

/// Raises the dispatcher's exception for a refusal.
class ErrorSink {
public:
  virtual ~ErrorSink() = default;
  /// Sets a Python exception. Takes over `text`; `parameter` and `value` may be
  /// null.
  virtual void raise(const char *kind, PyObject *parameter, PyObject *value,
                     PyObject *text) = 0;
};

/// An array argument in host memory: bytes low <= b < high, which the slot
/// points into.
struct HostArray {
  int16_t slot;
  int8_t argument;
  uintptr_t low, high;
};

class Frame {
public:
  Frame() = default;
  ~Frame() {
    for (int i = 0; i < keptCount; ++i) {
      Py_DECREF(kept[i]);
    }
  }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  /// Assigns arguments to parameters; false with an exception set.
  bool bind(const std::vector<Parameter> &parameters, PyObject *const *args,
            Py_ssize_t positional, PyObject *keywords, ErrorSink &errors);

  /// Reads the bound arguments into slots and key; false with an exception set.
  /// The kernel runs where the arrays are; on `home` if all are on the host.
  bool read(const std::vector<Parameter> &parameters, const Place &home,
            ErrorSink &errors);

  /// The Signature of README.md; null with an exception set.
  PyObject *signature(const std::vector<Parameter> &parameters) const;

  uint64_t keyHash() const;

  PyObject *values[maxParameters]; // Borrowed.
  uint64_t key[maxParameters + maxAliasWords + 1];
  int keyWords = 0;
  int64_t slots[maxSlots];
  int slotCount = 0;
  int16_t starts[maxArguments]; // First slot of each argument.
  uint64_t readOnly = 0; // Bit i: argument i is an array that is read-only.
  PyObject *kept[maxArguments]; // Owned: what keeps DLPack memory valid.
  int keptCount = 0;
  Place place;          // Where the kernel runs.
  bool isMoved = false; // Some array is on the device already.
  StreamSource stream;
  HostArray hostArrays[maxArguments]; // Filled whatever the place.
  int hostArrayCount = 0;

private:
  bool bindKeyword(const std::vector<Parameter> &parameters, PyObject *name,
                   PyObject *value, ErrorSink &errors);
  bool readArgument(const Parameter &parameter, int index, int argument,
                    ErrorSink &errors);
  bool readConstant(const Parameter &parameter, int index, ErrorSink &errors);

  /// What the dimensions of an array say. Bit i of a mask is dimension i.
  struct Extent {
    uint64_t unit = 0;
    uint64_t sizeDiv = 0;
    uint64_t strideDiv = 0;
    uint64_t misfit = 0; // Nonzero: data or a stride is not whole elements.
    bool empty = false;
    /// Each dimension steps over all that those after it reach; of two, either
    /// may be the outer one.
    bool isNested = true;
    int64_t low = 0; // In elements, relative to the data pointer.
    int64_t high = 0;
  };
  Extent writeSlots(const ArrayRef &array);
  bool addArray(const ArrayRef &array, const Parameter &parameter, int index,
                int argument, ErrorSink &errors);
  bool choosePlace(const ArrayRef &array, const Parameter &parameter,
                   PyObject *value, ErrorSink &errors);
  void addAliases();

  struct Range {
    uintptr_t low, high; // Bytes low <= b < high; empty if equal.
  };
  Range ranges[maxArguments];
  int8_t rangeArguments[maxArguments];
  int rangeCount = 0;
};

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_FRAME_H
