// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds are checked throughout: the bytes come from a kernel that may have
// been stopped half way.

#include "DeviceMessages.h"

#include <cstring>

namespace tegula::runtime {
namespace {

constexpr size_t headerBytes = 16;

struct RecordHeader {
  uint32_t number;
  int32_t program[3];
};
static_assert(sizeof(RecordHeader) == headerBytes);

size_t alignUp(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Where each operand begins in a record, and the record's size at the end.
std::vector<size_t> layOut(const MessageSpec &spec) {
  std::vector<size_t> offsets;
  size_t end = headerBytes;
  for (size_t i = 0; i < spec.dtypes.size(); ++i) {
    size_t bytes = size_t(1) << info(spec.dtypes[i]).log2Bytes;
    end = alignUp(end, bytes);
    offsets.push_back(end);
    for (int64_t extent : spec.shapes[i]) {
      bytes *= static_cast<size_t>(extent);
    }
    end += bytes;
  }
  offsets.push_back(alignUp(end, headerBytes));
  return offsets;
}

PrintPart textPart(const std::string &text) {
  return {true, DType::Bool, {}, text};
}

PrintLine readLine(const MessageSpec &spec, const std::vector<size_t> &offsets,
                   const char *record, int64_t order) {
  PrintLine line{order, {}};
  for (size_t i = 0; i < spec.texts.size(); ++i) {
    if (!spec.texts[i].empty()) {
      line.parts.push_back(textPart(spec.texts[i]));
    }
    if (i >= spec.dtypes.size()) {
      continue;
    }
    size_t bytes = size_t(1) << info(spec.dtypes[i]).log2Bytes;
    for (int64_t extent : spec.shapes[i]) {
      bytes *= static_cast<size_t>(extent);
    }
    line.parts.push_back({false, spec.dtypes[i], spec.shapes[i],
                          std::string(record + offsets[i], bytes)});
  }
  return line;
}

} // namespace

void readMessages(const std::vector<MessageSpec> &specs,
                  const MessageHeader &header, const std::string &records,
                  const Grid &grid, LaunchContext &context) {
  size_t place = 0;
  bool foundFailure = false;
  while (place + headerBytes <= records.size()) {
    RecordHeader record;
    std::memcpy(&record, records.data() + place, headerBytes);
    if (record.number < 1 || record.number > specs.size()) {
      break;
    }
    const MessageSpec &spec = specs[record.number - 1];
    Grid program = {record.program[0], record.program[1], record.program[2]};
    std::vector<size_t> offsets = layOut(spec);
    if (place + offsets.back() > records.size()) {
      break;
    }
    if (spec.isAssert) {
      foundFailure = true;
      context.recordFailure(spec.message.c_str(), spec.file.c_str(), spec.line,
                            spec.column, program);
    } else {
      int64_t order =
          program[0] + grid[0] * (program[1] + grid[1] * program[2]);
      context.addLine(readLine(spec, offsets, records.data() + place, order));
    }
    place += offsets.back();
  }
  int64_t last = grid[0] * grid[1] * grid[2];
  if (header.used > header.capacity) {
    context.addLine({last,
                     {textPart("(what else was printed did not fit into " +
                               std::to_string(header.capacity) + " bytes)")}});
  }
  if (header.failed && !foundFailure) {
    for (const MessageSpec &spec : specs) {
      if (spec.isAssert) { // Which one is not known; the first will do.
        context.recordFailure(spec.message.c_str(), spec.file.c_str(),
                              spec.line, spec.column, {0, 0, 0});
        break;
      }
    }
  }
}

} // namespace tegula::runtime
