// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the identification registers directly. Bits that differ between cores
// of one machine (the APIC number) are left out.

#include "HostCpu.h"

#include <cstdint>
#include <cstdio>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

namespace tegula::runtime {
namespace {

void append(std::string &text, uint64_t value) {
  char buffer[20];
  std::snprintf(buffer, sizeof(buffer), "-%llx",
                static_cast<unsigned long long>(value));
  text += buffer;
}

} // namespace

#if defined(__x86_64__)

std::string hostFingerprint() {
  std::string text = "x86_64";
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d)) {
    append(text, uint64_t(b) << 32 | d); // Vendor.
  }
  bool savesState = false;
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    append(text, a);
    append(text, uint64_t(c) << 32 | d);
    savesState = c & bit_OSXSAVE;
  }
  for (unsigned leaf = 0; leaf < 2; ++leaf) {
    if (__get_cpuid_count(7, leaf, &a, &b, &c, &d)) {
      append(text, uint64_t(leaf ? a : b) << 32 | c);
      append(text, d);
    }
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) {
    append(text, uint64_t(c) << 32 | d);
  }
  if (savesState) { // Which vector registers the system saves.
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    append(text, uint64_t(high) << 32 | low);
  }
  return text;
}

#elif defined(__linux__)

std::string hostFingerprint() {
  std::string text = "linux";
  append(text, getauxval(AT_HWCAP));
  append(text, getauxval(AT_HWCAP2));
  return text;
}

#else

std::string hostFingerprint() { return "unknown"; }

#endif

} // namespace tegula::runtime
