// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for NVIDIA's driver library: host memory is the device's, calls are
// written to a log, and a launch fills the first argument's array with the
// second argument. What a GPU does is not imitated, only what is asked of it.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;

static char text[1 << 16];
static int failAt, failCode;
static int contexts[2];
static void *stack[16];
static int depth;
static int parameterCount, mapCount, mapNumber;
static char records[1024];
static uint32_t recordBytes, recordUsed, recordFailed;

#define LOG(...)                                                               \
  do {                                                                         \
    size_t used = strlen(text);                                                \
    snprintf(text + used, sizeof(text) - used, __VA_ARGS__);                   \
  } while (0)

// For the tests.
const char *fake_log(void) { return text; }
void fake_reset(int count) {
  text[0] = 0;
  failAt = failCode = 0;
  parameterCount = count;
  mapCount = mapNumber = 0;
  recordBytes = recordUsed = recordFailed = 0;
}
void fake_messages(const char *bytes, unsigned count, unsigned used,
                   unsigned failed) {
  memcpy(records, bytes, count);
  recordBytes = count;
  recordUsed = used;
  recordFailed = failed;
}
void fake_expect_maps(int count) { mapCount = count; }
void fake_fail(int call, int code) { // 1: launch, 2: load, 3: allocation
  failAt = call;
  failCode = code;
}
void fake_make_current(int device) {
  depth = 1;
  stack[0] = &contexts[device];
}
void fake_make_none_current(void) { depth = 0; }

CUresult cuInit(unsigned flags) { return flags; }
CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
CUresult cuGetErrorName(int code, const char **name) {
  *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_FAKE";
  return 0;
}
CUresult cuGetErrorString(int code, const char **name) {
  *name = code == 700 ? "an illegal memory access was encountered" : "a fake";
  return 0;
}
CUresult cuDeviceGetCount(int *count) {
  *count = 2;
  return 0;
}
CUresult cuDeviceGet(int *device, int ordinal) {
  *device = 10 + ordinal;
  return 0;
}
CUresult cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, (size_t)length, "Fake %d", device - 10);
  return 0;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
  int capability = device == 10 ? 90 : 86;
  *value = attribute == 75 ? capability / 10 : capability % 10;
  return 0;
}
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contexts[device - 10];
  LOG("retain %d\n", device - 10);
  return 0;
}
CUresult cuCtxGetCurrent(void **context) {
  *context = depth ? stack[depth - 1] : 0;
  return 0;
}
static int current(void) {
  return depth ? (int)((int *)stack[depth - 1] - contexts) : -1;
}
CUresult cuCtxGetDevice(int *device) {
  *device = 10 + current();
  return 0;
}
CUresult cuCtxPushCurrent_v2(void *context) {
  stack[depth++] = context;
  LOG("push %d\n", current());
  return 0;
}
CUresult cuCtxPopCurrent_v2(void **context) {
  *context = stack[--depth];
  LOG("pop\n");
  return 0;
}
CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                            int *options, void **values) {
  LOG("load %s on %d\n", (const char *)image, current());
  if (failAt == 2) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5) {
        strcpy(values[i], "line 7: no such instruction");
      }
    }
    return failCode;
  }
  *module = malloc(1);
  return 0;
}
CUresult cuModuleUnload(void *module) {
  LOG("unload on %d\n", current());
  free(module);
  return 0;
}
CUresult cuModuleGetFunction(void **function, void *module, const char *name) {
  LOG("function %s\n", name);
  *function = module;
  return 0;
}
CUresult cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function;
  LOG("attribute %d = %d\n", attribute, value);
  return 0;
}
CUresult cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, void *stream,
                        void **parameters, void **extra) {
  (void)function;
  (void)extra;
  LOG("launch %u %u %u x %u %u %u shared %u stream %ld on %d:", gridX, gridY,
      gridZ, blockX, blockY, blockZ, sharedBytes, (long)stream, current());
  int grid[3];
  for (int i = 0; i < 3; ++i) {
    memcpy(&grid[i], parameters[parameterCount + i], sizeof(int));
  }
  uint64_t context;
  memcpy(&context, parameters[parameterCount + 3], sizeof(context));
  LOG(" grid %d %d %d context %d", grid[0], grid[1], grid[2], context != 0);
  if (context) {
    uint32_t *header = (uint32_t *)context;
    LOG(" used %u", header[0]);
    header[0] = recordUsed;
    header[2] = recordFailed;
    memcpy((char *)context + 16, records, recordBytes);
  }
  for (int i = 0; i < mapCount; ++i) {
    LOG(" map %s", (const char *)parameters[parameterCount + 4 + i]);
  }
  LOG("\n");
  if (failAt == 1) {
    return failCode;
  }
  // An array of int64 of rank 1 and a value.
  if (parameterCount == 4) {
    int64_t address, size, stride, value;
    memcpy(&address, parameters[0], 8);
    memcpy(&size, parameters[1], 8);
    memcpy(&stride, parameters[2], 8);
    memcpy(&value, parameters[3], 8);
    for (int64_t i = 0; i < size; ++i) {
      ((int64_t *)address)[i * stride] += value;
    }
  }
  return 0;
}
CUresult cuStreamSynchronize(void *stream) {
  LOG("synchronize %ld\n", (long)stream);
  return 0;
}
CUresult cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  LOG("allocate %zu\n", bytes);
  if (failAt == 3) {
    return failCode;
  }
  *address = (uint64_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return 0;
}
CUresult cuMemFree_v2(uint64_t address) {
  LOG("free\n");
  free((void *)address);
  return 0;
}
CUresult cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                              void *stream) {
  LOG("copy in %zu stream %ld\n", bytes, (long)stream);
  memcpy((void *)to, from, bytes);
  return 0;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                              void *stream) {
  LOG("copy out %zu stream %ld\n", bytes, (long)stream);
  memcpy(to, (const void *)from, bytes);
  return 0;
}
CUresult cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes) {
  memset((void *)address, value, bytes);
  return 0;
}
CUresult cuTensorMapEncodeTiled(void *map, int type, uint32_t rank,
                                void *address, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box,
                                const uint32_t *steps, int interleave,
                                int swizzle, int promotion, int fill) {
  LOG("encode type %d at %ld%%16:", type, (long)((uintptr_t)address % 16));
  for (uint32_t i = 0; i < rank; ++i) {
    LOG(" %ld/%u/%u", (long)sizes[i], box[i], steps[i]);
  }
  for (uint32_t i = 0; i + 1 < rank; ++i) {
    LOG(" stride %ld", (long)strides[i]);
  }
  LOG(" mode %d %d %d %d\n", interleave, swizzle, promotion, fill);
  snprintf(map, 128, "#%d", ++mapNumber);
  return 0;
}
