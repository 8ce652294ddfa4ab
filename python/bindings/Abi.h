// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary interface between compiled kernels and the launcher. The CPU
// pipeline generates code for it and cached objects outlive a compiler process,
// so every constant of it is written down once, here.

#ifndef TEGULA_PYTHON_BINDINGS_ABI_H
#define TEGULA_PYTHON_BINDINGS_ABI_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace tegula::runtime {

/// Element types as compiled code names them (`tegula_rt_print_value`).
enum class DType : int8_t {
  Bool = 0,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Float8E4M3FN,
  Float8E5M2,
};

constexpr int dtypeCount = 15;
constexpr int maxRank = 8;

struct DTypeInfo {
  const char *name; // As NumPy and ml_dtypes call it.
  int8_t log2Bytes;
};

constexpr std::array<DTypeInfo, dtypeCount> dtypeTable = {{
    {"bool", 0},
    {"int8", 0},
    {"int16", 1},
    {"int32", 2},
    {"int64", 3},
    {"uint8", 0},
    {"uint16", 1},
    {"uint32", 2},
    {"uint64", 3},
    {"float16", 1},
    {"bfloat16", 1},
    {"float32", 2},
    {"float64", 3},
    {"float8_e4m3fn", 0},
    {"float8_e5m2", 0},
}};

inline const DTypeInfo &info(DType dtype) {
  return dtypeTable[static_cast<size_t>(dtype)];
}

/// A compiled kernel. Runs programs begin <= p < end of the grid, where
/// p = x + gx * (y + gy * z). `args` holds 8-byte slots in parameter order
/// (Const parameters absent): an array of rank r takes 1 + 2r slots (data
/// pointer, r sizes, r strides in elements), a scalar one slot with its value
/// in the low bytes. `context` is passed on to the callbacks.
using EntryFn = void (*)(const int64_t *args, int64_t begin, int64_t end,
                         int64_t gx, int64_t gy, int64_t gz, void *context);

} // namespace tegula::runtime

/// The callbacks, which compiled code refers to by these names.
extern "C" {
void tegula_rt_assert_fail(void *context, const char *message, const char *file,
                           int64_t line, int64_t column, int64_t p0, int64_t p1,
                           int64_t p2);
void tegula_rt_print_text(void *context, const char *text);
void tegula_rt_print_value(void *context, const void *data, int64_t dtype,
                           int64_t rank, const int64_t *shape);
void tegula_rt_print_end(void *context);
void *tegula_rt_alloc(int64_t bytes);
void tegula_rt_free(void *block);
}

#endif // TEGULA_PYTHON_BINDINGS_ABI_H
