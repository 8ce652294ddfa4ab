// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs on a device print and assert. They leave numbered records in a
// buffer; the compiler says in an attribute of the kernel what the numbers
// mean. After the launch the records become what the host's kernels report.
//
// The buffer: u32 bytes used (more than there are if some were dropped), u32
// capacity in bytes, u32 whether an assertion failed, u32 unused; then records
// of multiples of 16 bytes: u32 number of the message from 1, i32 program in x,
// y, z, then each operand in row-major order, from a multiple of its element.

#ifndef TEGULA_PYTHON_BINDINGS_DEVICEMESSAGES_H
#define TEGULA_PYTHON_BINDINGS_DEVICEMESSAGES_H

#include "Callbacks.h"

#include <string>
#include <vector>

namespace tegula::runtime {

/// One print, or one assertion.
struct MessageSpec {
  bool isAssert = false;
  // Of a print: text, value, text, value, ..., text.
  std::vector<std::string> texts;
  std::vector<DType> dtypes;
  std::vector<std::vector<int64_t>> shapes;
  // Of an assertion.
  std::string message;
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
};

struct MessageHeader {
  uint32_t used;
  uint32_t capacity;
  uint32_t failed;
  uint32_t unused;
};

/// Reads the records into a context, as the callbacks of the host do. Damaged
/// records end the reading.
void readMessages(const std::vector<MessageSpec> &specs,
                  const MessageHeader &header, const std::string &records,
                  const Grid &grid, LaunchContext &context);

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_DEVICEMESSAGES_H
