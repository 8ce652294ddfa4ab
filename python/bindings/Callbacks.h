// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a running kernel reports back: assertion failures and printed lines.
// Compiled code must not touch Python (it runs without the GIL on any thread),
// so reports collect here and are handed over after the launch.

#ifndef TEGULA_PYTHON_BINDINGS_CALLBACKS_H
#define TEGULA_PYTHON_BINDINGS_CALLBACKS_H

#include "Abi.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tegula::runtime {

using Grid = std::array<int64_t, 3>;

/// One piece of a printed line: text, or the bytes of a contiguous value.
struct PrintPart {
  bool isText;
  DType dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

/// A finished line; `order` is the first program of the chunk that printed it,
/// which makes the order of lines independent of the number of threads.
struct PrintLine {
  int64_t order;
  std::vector<PrintPart> parts;
};

struct AssertFailure {
  std::string message;
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  Grid program = {0, 0, 0};
};

/// Reports of one launch. Thread-safe.
class LaunchContext {
public:
  explicit LaunchContext(const Grid &launchGrid) : grid(launchGrid) {}

  /// True if there is anything to hand over; cheap, for the common case.
  bool hasReports() const { return reported.load(std::memory_order_acquire); }

  /// Keeps the failure of the lowest-numbered program.
  void recordFailure(const char *message, const char *file, int64_t line,
                     int64_t column, const Grid &program);
  void addLine(PrintLine line);

  bool failed() const { return failedProgram >= 0; }
  const AssertFailure &assertFailure() const { return failure; }

  /// Moves the lines out, in program order.
  std::vector<PrintLine> takeLines();

private:
  const Grid grid;
  std::atomic<bool> reported{false};
  std::mutex mutex;
  int64_t failedProgram = -1;
  AssertFailure failure;
  std::vector<PrintLine> lines;
};

/// Says that this thread runs programs from `begin` on; see PrintLine::order.
void setCurrentChunk(int64_t begin);

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// Everything that a compiled kernel may call: the callbacks, conversions that
/// the compiler emits as library calls, and the C math and memory functions.
/// Returns nullptr for any other name.
void *runtimeSymbol(const std::string &name);

/// Addresses of the callbacks of Abi.h.
const std::vector<RuntimeSymbol> &callbackSymbols();

/// Conversions in HalfConversions.cpp.
const std::vector<RuntimeSymbol> &halfConversionSymbols();

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_CALLBACKS_H
