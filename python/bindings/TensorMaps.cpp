// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps of NVIDIA's driver. The compiler asks for them only where the
// specialization key says that alignment and strides allow it (Frame.cpp), so
// that encoding cannot fail for reasons of the array.

#include "CudaApi.h"

#include <cstring>

namespace tegula::runtime {
namespace {

constexpr size_t maxMapRank = 5;
constexpr int l2Promotion128 = 2; // CU_TENSOR_MAP_L2_PROMOTION_L2_128B

/// CUtensorMapDataType of unsigned integers: boxes are moved, not computed on.
int elementType(int bytes) {
  switch (bytes) {
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 2;
  default:
    return 4;
  }
}

/// CUtensorMapSwizzle.
int swizzleMode(int bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

int encode(const CudaApi &api, const TensorMapSpec &spec, const int64_t *slots,
           uint64_t zeros, TensorMapBits &result) {
  size_t rank = spec.order.size();
  const int64_t *sizes = slots + 1;
  const int64_t *strides = sizes + rank;
  uint64_t mapSizes[maxMapRank], mapStrides[maxMapRank];
  uint32_t elementStrides[maxMapRank];
  bool isEmpty = false;
  for (size_t i = 0; i < rank; ++i) {
    auto dim = static_cast<size_t>(spec.order[i]);
    isEmpty |= sizes[dim] == 0;
    mapSizes[i] = static_cast<uint64_t>(sizes[dim]);
    mapStrides[i] = static_cast<uint64_t>(strides[dim] * spec.elementBytes);
    elementStrides[i] = 1;
  }
  auto address = static_cast<uint64_t>(slots[0]);
  if (isEmpty) { // One zero, and zeros around it.
    address = zeros;
    for (size_t i = 0; i < rank; ++i) {
      mapSizes[i] = 1;
      mapStrides[i] = 16;
    }
  }
  return api.encodeTensorMap(
      result.bytes, elementType(spec.elementBytes), static_cast<uint32_t>(rank),
      reinterpret_cast<void *>(address), mapSizes, mapStrides + 1,
      spec.box.data(), elementStrides, /*interleave=*/0,
      swizzleMode(spec.swizzleBytes), l2Promotion128, /*fill=*/0);
}

} // namespace

int TensorMapCache::get(const CudaApi &api, const TensorMapSpec &spec,
                        const int64_t *slots, uint64_t zeros,
                        TensorMapBits &result) {
  size_t count = 1 + 2 * spec.order.size();
  std::lock_guard<std::mutex> lock(mutex);
  for (const Entry &entry : entries) {
    if (std::memcmp(entry.key.data(), slots, count * sizeof(int64_t)) == 0) {
      result = entry.bits;
      return 0;
    }
  }
  int code = encode(api, spec, slots, zeros, result);
  if (code != 0) {
    return code;
  }
  Entry entry{std::vector<int64_t>(slots, slots + count), result};
  if (entries.size() < size) {
    entries.push_back(std::move(entry));
  } else {
    entries[next++ % size] = std::move(entry);
  }
  return 0;
}

} // namespace tegula::runtime
