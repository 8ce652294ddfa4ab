// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signatures are those of the driver API (cuda.h), whose binary interface is
// frozen: a function whose meaning changes gets a new name (`_v2`).

#include "CudaApi.h"
#include "Frame.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <type_traits>

namespace tegula::runtime {
namespace {

constexpr int attributeMajor = 75, attributeMinor = 76;
constexpr int maxDynamicSharedBytes = 8; // CU_FUNC_ATTRIBUTE_...
/// What is available without asking; more needs an attribute.
constexpr unsigned freeSharedBytes = 48 * 1024;
constexpr size_t zeroBytes = 256;
constexpr uint32_t messageCapacity = 4 << 20;

} // namespace

CudaDriver::CudaDriver(const std::string &library)
    : functions(std::make_unique<CudaApi>()) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    throw DriverError(reason ? reason : "cannot load " + library);
  }
  auto find = [&](const char *name, auto &slot) {
    void *address = dlsym(handle, name);
    if (!address) {
      throw DriverError(library + " has no " + name +
                        "; NVIDIA's driver is too old");
    }
    slot = reinterpret_cast<std::decay_t<decltype(slot)>>(address);
  };
#define TEGULA_FIND(FIELD, SYMBOL) find(#SYMBOL, functions->FIELD);
  TEGULA_CUDA_FUNCTIONS(TEGULA_FIND)
#undef TEGULA_FIND
#define TEGULA_FIND(FIELD, SYMBOL)                                             \
  functions->FIELD =                                                           \
      reinterpret_cast<decltype(functions->FIELD)>(dlsym(handle, #SYMBOL));
  TEGULA_CUDA_OPTIONAL_FUNCTIONS(TEGULA_FIND)
#undef TEGULA_FIND
  check(functions->init(0), "cuInit");
  int count = 0;
  check(functions->deviceGetCount(&count), "cuDeviceGetCount");
  contexts.resize(static_cast<size_t>(count));
}

CudaDriver::~CudaDriver() = default;

void CudaDriver::check(int code, const char *what) const {
  if (code != 0) {
    throw DriverError(std::string(what) + ": " + describe(code));
  }
}

std::string CudaDriver::describe(int code) const {
  const char *symbol = nullptr, *text = nullptr;
  functions->getErrorName(code, &symbol);
  functions->getErrorString(code, &text);
  return std::string(symbol ? symbol : "unknown error") + " (" +
         (text ? text : "no description") + ")";
}

int CudaDriver::deviceCount() const {
  return static_cast<int>(contexts.size());
}

int CudaDriver::version() const {
  int version = 0;
  check(functions->driverGetVersion(&version), "cuDriverGetVersion");
  return version;
}

std::string CudaDriver::deviceName(int device) const {
  char name[256] = {};
  check(functions->deviceGetName(name, sizeof(name) - 1, handle(device)),
        "cuDeviceGetName");
  return name;
}

int CudaDriver::capability(int device) const {
  int major = 0, minor = 0;
  check(functions->deviceGetAttribute(&major, attributeMajor, handle(device)),
        "cuDeviceGetAttribute");
  check(functions->deviceGetAttribute(&minor, attributeMinor, handle(device)),
        "cuDeviceGetAttribute");
  return 10 * major + minor;
}

int CudaDriver::handle(int device) const {
  if (device < 0 || device >= deviceCount()) {
    throw DriverError("there is no CUDA device " + std::to_string(device) +
                      "; this machine has " + std::to_string(deviceCount()));
  }
  int found = 0;
  check(functions->deviceGet(&found, device), "cuDeviceGet");
  return found;
}

int CudaDriver::currentDevice() const {
  void *current = nullptr;
  int found = 0;
  if (functions->ctxGetCurrent(&current) != 0 || !current ||
      functions->ctxGetDevice(&found) != 0) {
    return 0;
  }
  for (int device = 0; device < deviceCount(); ++device) {
    if (handle(device) == found) {
      return device;
    }
  }
  return 0;
}

void *CudaDriver::context(int device) {
  std::lock_guard<std::mutex> lock(mutex);
  int found = handle(device);
  void *&context = contexts[static_cast<size_t>(device)];
  if (!context) {
    check(functions->primaryCtxRetain(&context, found),
          "cuDevicePrimaryCtxRetain");
  }
  return context;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// Makes a context current, and what was current before again at the end. In
/// the usual case it is current already.
class ContextScope {
public:
  ContextScope(const CudaApi &functions, void *context) : api(functions) {
    void *current = nullptr;
    code = api.ctxGetCurrent(&current);
    if (code == 0 && current != context) {
      code = api.ctxPushCurrent(context);
      pushed = code == 0;
    }
  }
  ~ContextScope() {
    if (pushed) {
      void *ignored = nullptr;
      api.ctxPopCurrent(&ignored);
    }
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  int code = 0;

private:
  const CudaApi &api;
  bool pushed = false;
};

/// Names of the kernels that were launched last in this process: an
/// asynchronous fault is reported by a later call, which must say whose it may
/// be.
class RecentLaunches {
public:
  void add(const std::string *name) {
    names[next.fetch_add(1, std::memory_order_relaxed) % size].store(
        name, std::memory_order_relaxed);
  }
  /// Newest first, without repetitions.
  std::string list() const {
    std::string text;
    std::vector<const std::string *> seen;
    size_t end = next.load(std::memory_order_relaxed);
    for (size_t i = 1; i <= size && i <= end; ++i) {
      const std::string *name = names[(end - i) % size].load();
      if (!name || std::find(seen.begin(), seen.end(), name) != seen.end()) {
        continue;
      }
      seen.push_back(name);
      text += (text.empty() ? "" : ", ") + *name;
    }
    return text;
  }

private:
  static constexpr size_t size = 8;
  std::atomic<size_t> next{0};
  std::array<std::atomic<const std::string *>, size> names{};
};

RecentLaunches recent;

/// Names live as long as the process, for the list above.
const std::string *intern(const std::string &name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  std::lock_guard<std::mutex> lock(mutex);
  return &*names.insert(name).first;
}

/// Errors that a kernel caused which ran before: illegal addresses and
/// instructions, failed hardware, a launch that took too long.
bool isFault(int code) {
  return code == 700 || code == 702 || (code >= 710 && code <= 721) ||
         code == 214 || code == 999;
}

} // namespace

CudaKernel::CudaKernel(std::shared_ptr<CudaDriver> owner, int device,
                       const std::string &image, const std::string &entry,
                       const KernelShape &kernelShape)
    : driver(std::move(owner)), name(intern(entry)), shape(kernelShape),
      deviceIndex(static_cast<int16_t>(device)),
      caches(kernelShape.maps.size()) {
  context = driver->context(device);
  ContextScope scope(driver->api(), context);
  driver->check(scope.code, "cuCtxPushCurrent");
  load(image, entry);
}

void CudaKernel::load(const std::string &image, const std::string &entry) {
  const CudaApi &api = driver->api();
  if (!shape.maps.empty() && !api.encodeTensorMap) {
    throw DriverError("the kernel '" + entry +
                      "' needs a driver for CUDA 12 or newer");
  }
  // The driver says in this log why it refuses PTX.
  char log[4096] = {};
  int options[] = {5, 6}; // CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  int code = api.moduleLoadDataEx(&module, image.c_str(), 2, options, values);
  if (code != 0) {
    std::string text = driver->describe(code);
    throw DriverError("the driver cannot load the kernel '" + entry +
                      "': " + text + (log[0] ? "\n" : "") + log);
  }
  code = api.moduleGetFunction(&function, module, entry.c_str());
  if (code == 0 && shape.sharedBytes > freeSharedBytes) {
    code = api.funcSetAttribute(function, maxDynamicSharedBytes,
                                static_cast<int>(shape.sharedBytes));
  }
  if (code == 0 && !shape.maps.empty()) {
    code = api.memAlloc(&zeros, zeroBytes);
    code = code ? code : api.memset(zeros, 0, zeroBytes);
  }
  if (code == 0 && !shape.messages.empty()) {
    code =
        api.memAlloc(&messageBuffer, sizeof(MessageHeader) + messageCapacity);
  }
  if (code != 0) {
    api.moduleUnload(module);
    driver->check(code,
                  ("the kernel '" + entry + "' cannot be set up").c_str());
  }
}

CudaKernel::~CudaKernel() {
  ContextScope scope(driver->api(), context);
  if (scope.code == 0) {
    driver->api().moduleUnload(module);
    for (uint64_t owned : {zeros, messageBuffer}) {
      if (owned) {
        driver->api().memFree(owned);
      }
    }
  }
}

DriverProblem CudaKernel::problem(int code, const char *what) const {
  if (code == 0) {
    return {};
  }
  std::string text = driver->describe(code);
  if (isFault(code)) {
    return {false, "a kernel that ran before on this GPU failed: " + text +
                       "; it was noticed when '" + *name +
                       "' was to be launched, and the last launches were, "
                       "newest first: " +
                       recent.list()};
  }
  return {false,
          std::string(what) + " of the kernel '" + *name + "' failed: " + text};
}

DriverProblem CudaKernel::launch(int64_t *slots, int count,
                                 const int16_t *starts, const Grid &grid,
                                 Stream stream) {
  constexpr int extra = 4;
  void *parameters[maxSlots + extra + maxTensorMaps];
  for (int i = 0; i < count; ++i) {
    parameters[i] = slots + i;
  }
  int32_t sizes[3];
  for (int i = 0; i < 3; ++i) {
    sizes[i] = static_cast<int32_t>(grid[static_cast<size_t>(i)]);
    parameters[count + i] = sizes + i;
  }
  parameters[count + 3] = &messageBuffer;
  const CudaApi &api = driver->api();
  ContextScope scope(api, context);
  if (scope.code != 0) {
    return problem(scope.code, "the launch");
  }
  TensorMapBits maps[maxTensorMaps];
  for (size_t i = 0; i < shape.maps.size(); ++i) {
    const TensorMapSpec &spec = shape.maps[i];
    int code =
        caches[i].get(api, spec, slots + starts[spec.argument], zeros, maps[i]);
    if (code != 0) {
      return problem(code, "describing an array");
    }
    parameters[static_cast<size_t>(count + extra) + i] = &maps[i];
  }
  auto programs = static_cast<unsigned>(grid[0] * grid[1] * grid[2]);
  int code = api.launchKernel(function, programs, 1, 1, shape.threads, 1, 1,
                              shape.sharedBytes, stream, parameters, nullptr);
  if (code == 0) {
    recent.add(name);
    return {};
  }
  return problem(code, "the launch");
}

DriverProblem CudaKernel::emptyMessages(Stream stream) {
  MessageHeader empty{0, messageCapacity, 0, 0};
  ContextScope scope(driver->api(), context);
  int code = scope.code ? scope.code
                        : driver->api().memcpyHtoD(messageBuffer, &empty,
                                                   sizeof(empty), stream);
  return problem(code, "emptying the messages");
}

DriverProblem CudaKernel::readMessages(Stream stream, MessageHeader &header,
                                       std::string &records) {
  DriverProblem result =
      copyOut(&header, messageBuffer, sizeof(header), stream);
  if (result.ok && header.used > 0) {
    records.resize(std::min(header.used, header.capacity));
    result = copyOut(records.data(), messageBuffer + sizeof(header),
                     records.size(), stream);
  }
  return result;
}

DriverProblem CudaKernel::allocate(size_t bytes, uint64_t &address) {
  ContextScope scope(driver->api(), context);
  int code = scope.code ? scope.code : driver->api().memAlloc(&address, bytes);
  return problem(code, "copying an argument");
}

void CudaKernel::release(uint64_t address) {
  ContextScope scope(driver->api(), context);
  if (scope.code == 0) {
    driver->api().memFree(address);
  }
}

DriverProblem CudaKernel::copyIn(uint64_t to, const void *from, size_t bytes,
                                 Stream stream) {
  ContextScope scope(driver->api(), context);
  int code = scope.code ? scope.code
                        : driver->api().memcpyHtoD(to, from, bytes, stream);
  return problem(code, "copying an argument");
}

DriverProblem CudaKernel::copyOut(void *to, uint64_t from, size_t bytes,
                                  Stream stream) {
  const CudaApi &api = driver->api();
  ContextScope scope(api, context);
  int code = scope.code ? scope.code
             : bytes    ? api.memcpyDtoH(to, from, bytes, stream)
                        : 0;
  if (code == 0) {
    code = api.streamSynchronize(stream);
  }
  return problem(code, "copying a result");
}

} // namespace tegula::runtime
