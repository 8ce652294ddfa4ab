// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of NVIDIA's driver that a launcher needs. Handles are pointers
// or integers as in cuda.h, results are CUresult: 0 is success.

#ifndef TEGULA_PYTHON_BINDINGS_CUDAAPI_H
#define TEGULA_PYTHON_BINDINGS_CUDAAPI_H

#include "CudaDriver.h"

#include <cstddef>
#include <cstdint>

namespace tegula::runtime {

/// X(field, symbol)
#define TEGULA_CUDA_FUNCTIONS(X)                                               \
  X(init, cuInit)                                                              \
  X(driverGetVersion, cuDriverGetVersion)                                      \
  X(getErrorName, cuGetErrorName)                                              \
  X(getErrorString, cuGetErrorString)                                          \
  X(deviceGetCount, cuDeviceGetCount)                                          \
  X(deviceGet, cuDeviceGet)                                                    \
  X(deviceGetName, cuDeviceGetName)                                            \
  X(deviceGetAttribute, cuDeviceGetAttribute)                                  \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain)                                \
  X(ctxGetCurrent, cuCtxGetCurrent)                                            \
  X(ctxGetDevice, cuCtxGetDevice)                                              \
  X(ctxPushCurrent, cuCtxPushCurrent_v2)                                       \
  X(ctxPopCurrent, cuCtxPopCurrent_v2)                                         \
  X(moduleLoadDataEx, cuModuleLoadDataEx)                                      \
  X(moduleUnload, cuModuleUnload)                                              \
  X(moduleGetFunction, cuModuleGetFunction)                                    \
  X(funcSetAttribute, cuFuncSetAttribute)                                      \
  X(launchKernel, cuLaunchKernel)                                              \
  X(streamSynchronize, cuStreamSynchronize)                                    \
  X(memAlloc, cuMemAlloc_v2)                                                   \
  X(memFree, cuMemFree_v2)                                                     \
  X(memcpyHtoD, cuMemcpyHtoDAsync_v2)                                          \
  X(memcpyDtoH, cuMemcpyDtoHAsync_v2)                                          \
  X(memset, cuMemsetD8_v2)

/// Those that drivers before CUDA 12 lack; null there.
#define TEGULA_CUDA_OPTIONAL_FUNCTIONS(X)                                      \
  X(encodeTensorMap, cuTensorMapEncodeTiled)

struct CudaApi {
  int (*init)(unsigned flags);
  int (*driverGetVersion)(int *version);
  int (*getErrorName)(int code, const char **text);
  int (*getErrorString)(int code, const char **text);
  int (*deviceGetCount)(int *count);
  int (*deviceGet)(int *device, int ordinal);
  int (*deviceGetName)(char *name, int length, int device);
  int (*deviceGetAttribute)(int *value, int attribute, int device);
  int (*primaryCtxRetain)(void **context, int device);
  int (*ctxGetCurrent)(void **context);
  int (*ctxGetDevice)(int *device);
  int (*ctxPushCurrent)(void *context);
  int (*ctxPopCurrent)(void **context);
  int (*moduleLoadDataEx)(void **module, const void *image, unsigned count,
                          int *options, void **values);
  int (*moduleUnload)(void *module);
  int (*moduleGetFunction)(void **function, void *module, const char *name);
  int (*funcSetAttribute)(void *function, int attribute, int value);
  int (*launchKernel)(void *function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedBytes, void *stream,
                      void **parameters, void **extra);
  int (*streamSynchronize)(void *stream);
  int (*memAlloc)(uint64_t *address, size_t bytes);
  int (*memFree)(uint64_t address);
  int (*memcpyHtoD)(uint64_t to, const void *from, size_t bytes, void *stream);
  int (*memcpyDtoH)(void *to, uint64_t from, size_t bytes, void *stream);
  int (*memset)(uint64_t address, unsigned char value, size_t bytes);
  int (*encodeTensorMap)(void *map, int type, uint32_t rank, void *address,
                         const uint64_t *sizes, const uint64_t *strideBytes,
                         const uint32_t *box, const uint32_t *elementStrides,
                         int interleave, int swizzle, int l2Promotion,
                         int fill);
};

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_CUDAAPI_H
