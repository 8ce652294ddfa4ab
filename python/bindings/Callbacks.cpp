// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the functions that compiled kernels call. They are the only way
// out of a kernel, so the list of what may be called (runtimeSymbol) is kept
// beside them: anything else is refused before the code is loaded.

#include "Callbacks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unordered_map>
#include <unordered_set>

namespace tegula::runtime {
namespace {

thread_local int64_t currentChunk = 0;
thread_local std::vector<PrintPart> pendingParts;

/// Freed blocks of this thread, kept for the next program: a kernel asks for
/// the same few sizes again and again, and fresh pages cost more than the work.
class BlockCache {
public:
  struct Header {
    size_t capacity;
  };
  static constexpr size_t headerBytes = 64;
  static constexpr size_t maxBlocks = 8;
  static constexpr size_t maxBytes = size_t(64) << 20;

  ~BlockCache() {
    for (Header *header : blocks) {
      std::free(header);
    }
    alive = false;
  }

  void *take(size_t bytes) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      size_t capacity = blocks[i]->capacity;
      if (capacity >= bytes && capacity <= 2 * bytes + 4096) {
        Header *header = blocks[i];
        blocks[i] = blocks.back();
        blocks.pop_back();
        held -= capacity;
        return payload(header);
      }
    }
    size_t capacity = (bytes + headerBytes - 1) / headerBytes * headerBytes;
    auto *header = static_cast<Header *>(
        std::aligned_alloc(headerBytes, headerBytes + capacity));
    if (!header) {
      std::fprintf(stderr, "tegula: out of memory: a kernel needs %zu bytes\n",
                   bytes);
      std::abort();
    }
    header->capacity = capacity;
    return payload(header);
  }

  void give(void *block) {
    auto *header =
        reinterpret_cast<Header *>(static_cast<char *>(block) - headerBytes);
    if (!alive || blocks.size() >= maxBlocks ||
        held + header->capacity > maxBytes) {
      std::free(header);
      return;
    }
    held += header->capacity;
    blocks.push_back(header);
  }

private:
  static void *payload(Header *header) {
    return reinterpret_cast<char *>(header) + headerBytes;
  }

  std::vector<Header *> blocks;
  size_t held = 0;
  bool alive = true;
};

thread_local BlockCache blockCache;

LaunchContext &contextOf(void *context) {
  return *static_cast<LaunchContext *>(context);
}

/// Library functions that LLVM may call for the intrinsics and operations that
/// the CPU pipeline produces. Each exists for double and, with an `f`, float.
const char *const mathFunctions[] = {
    "acos",  "acosh",  "asin",   "asinh",     "atan",     "atan2", "atanh",
    "cbrt",  "ceil",   "cos",    "cosh",      "copysign", "erf",   "erfc",
    "exp",   "exp10",  "exp2",   "expm1",     "fabs",     "floor", "fma",
    "fmax",  "fmin",   "fmod",   "frexp",     "ldexp",    "log",   "log10",
    "log1p", "log2",   "modf",   "nearbyint", "pow",      "rint",  "round",
    "sin",   "sinh",   "sqrt",   "tan",       "tanh",     "trunc", "roundeven",
    "hypot", "lgamma", "tgamma", "sincos"};
const char *const memoryFunctions[] = {"memcpy", "memmove", "memset", "memcmp",
                                       "bcmp"};

const std::unordered_set<std::string> &libraryFunctions() {
  static const auto *names = [] {
    auto *result = new std::unordered_set<std::string>;
    for (const char *name : mathFunctions) {
      result->insert(name);
      result->insert(std::string(name) + "f");
    }
    result->insert(std::begin(memoryFunctions), std::end(memoryFunctions));
    return result;
  }();
  return *names;
}

void *librarySymbol(const std::string &name) {
  static void *const libm = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
  void *address = libm ? dlsym(libm, name.c_str()) : nullptr;
  return address ? address : dlsym(RTLD_DEFAULT, name.c_str());
}

} // namespace

void setCurrentChunk(int64_t begin) { currentChunk = begin; }

void LaunchContext::recordFailure(const char *message, const char *file,
                                  int64_t line, int64_t column,
                                  const Grid &program) {
  int64_t number = program[0] + grid[0] * (program[1] + grid[1] * program[2]);
  std::lock_guard<std::mutex> lock(mutex);
  if (failedProgram >= 0 && failedProgram <= number) {
    return;
  }
  failedProgram = number;
  failure = {message ? message : "", file ? file : "", line, column, program};
  reported.store(true, std::memory_order_release);
}

void LaunchContext::addLine(PrintLine line) {
  std::lock_guard<std::mutex> lock(mutex);
  lines.push_back(std::move(line));
  reported.store(true, std::memory_order_release);
}

std::vector<PrintLine> LaunchContext::takeLines() {
  std::stable_sort(
      lines.begin(), lines.end(),
      [](const PrintLine &a, const PrintLine &b) { return a.order < b.order; });
  return std::move(lines);
}

const std::vector<RuntimeSymbol> &callbackSymbols() {
  static const auto *symbols = new std::vector<RuntimeSymbol>{
      {"tegula_rt_assert_fail",
       reinterpret_cast<void *>(&tegula_rt_assert_fail)},
      {"tegula_rt_print_text", reinterpret_cast<void *>(&tegula_rt_print_text)},
      {"tegula_rt_print_value",
       reinterpret_cast<void *>(&tegula_rt_print_value)},
      {"tegula_rt_print_end", reinterpret_cast<void *>(&tegula_rt_print_end)},
      {"tegula_rt_alloc", reinterpret_cast<void *>(&tegula_rt_alloc)},
      {"tegula_rt_free", reinterpret_cast<void *>(&tegula_rt_free)},
  };
  return *symbols;
}

void *runtimeSymbol(const std::string &name) {
  static const auto *table = [] {
    auto *result = new std::unordered_map<std::string, void *>;
    for (const RuntimeSymbol &symbol : callbackSymbols()) {
      result->emplace(symbol.name, symbol.address);
    }
    for (const RuntimeSymbol &symbol : halfConversionSymbols()) {
      result->emplace(symbol.name, symbol.address);
    }
    return result;
  }();
  auto found = table->find(name);
  if (found != table->end()) {
    return found->second;
  }
  return libraryFunctions().count(name) ? librarySymbol(name) : nullptr;
}

} // namespace tegula::runtime

using namespace tegula::runtime;

void tegula_rt_assert_fail(void *context, const char *message, const char *file,
                           int64_t line, int64_t column, int64_t p0, int64_t p1,
                           int64_t p2) {
  contextOf(context).recordFailure(message, file, line, column, {p0, p1, p2});
}

void tegula_rt_print_text(void * /*context*/, const char *text) {
  pendingParts.push_back({true, DType::Bool, {}, text});
}

void tegula_rt_print_value(void * /*context*/, const void *data, int64_t dtype,
                           int64_t rank, const int64_t *shape) {
  auto type = static_cast<DType>(dtype);
  size_t bytes = size_t(1) << info(type).log2Bytes;
  for (int64_t i = 0; i < rank; ++i) {
    bytes *= static_cast<size_t>(shape[i]);
  }
  std::vector<int64_t> sizes;
  if (rank > 0) {
    sizes.assign(shape, shape + rank);
  }
  pendingParts.push_back({false, type, std::move(sizes),
                          std::string(static_cast<const char *>(data), bytes)});
}

void tegula_rt_print_end(void *context) {
  contextOf(context).addLine({currentChunk, std::move(pendingParts)});
  pendingParts.clear();
}

void *tegula_rt_alloc(int64_t bytes) {
  return blockCache.take(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
}

void tegula_rt_free(void *block) {
  if (block) {
    blockCache.give(block);
  }
}
