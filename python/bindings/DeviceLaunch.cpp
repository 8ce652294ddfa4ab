// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch on a device. With all arrays there it is one call of the driver,
// which neither waits nor allocates, so that it can be captured in a graph;
// arrays on the host are copied there and back.

#include "Execute.h"

#include <algorithm>
#include <vector>

namespace tegula::runtime {
namespace {

/// Drivers allocate at multiples of this. Copies keep their address modulo it,
/// and with it what a kernel was told of the array's alignment.
constexpr uintptr_t copyAlignment = 256;

/// Memory on the host that one or several arrays share, and its copy.
struct Region {
  uintptr_t low, high;
  bool isWritten;
  uint64_t allocation = 0;
  uint64_t copy = 0; // Of `low`.
};

/// The host's arrays on the device for the time of one launch.
class HostCopies {
public:
  HostCopies(DeviceKernel &owner, Stream usedStream)
      : kernel(owner), stream(usedStream) {}
  ~HostCopies() {
    for (const Region &region : regions) {
      if (region.allocation) {
        kernel.release(region.allocation);
      }
    }
  }
  HostCopies(const HostCopies &) = delete;
  HostCopies &operator=(const HostCopies &) = delete;

  /// Copies, and makes `slots` point to the copies.
  DriverProblem copyIn(const LaunchArguments &arguments, uint64_t writes,
                       int64_t *slots) {
    findRegions(arguments, writes);
    for (Region &region : regions) {
      size_t bytes = region.high - region.low;
      DriverProblem problem =
          kernel.allocate(bytes + copyAlignment, region.allocation);
      if (!problem.ok) {
        return problem;
      }
      region.copy = region.allocation + region.low % copyAlignment;
      problem =
          kernel.copyIn(region.copy, reinterpret_cast<const void *>(region.low),
                        bytes, stream);
      if (!problem.ok) {
        return problem;
      }
    }
    redirect(arguments, slots);
    return {};
  }

  DriverProblem copyOut() {
    for (const Region &region : regions) {
      size_t bytes = region.isWritten ? region.high - region.low : 0;
      DriverProblem problem = kernel.copyOut(
          reinterpret_cast<void *>(region.low), region.copy, bytes, stream);
      if (!problem.ok) {
        return problem;
      }
    }
    return {};
  }

private:
  void findRegions(const LaunchArguments &arguments, uint64_t writes) {
    for (int i = 0; i < arguments.hostArrayCount; ++i) {
      const HostArray &array = arguments.hostArrays[i];
      if (array.low < array.high) {
        bool isWritten = writes >> array.argument & 1;
        regions.push_back({array.low, array.high, isWritten});
      }
    }
    std::sort(regions.begin(), regions.end(),
              [](const Region &a, const Region &b) { return a.low < b.low; });
    size_t kept = 0;
    for (size_t i = 0; i < regions.size(); ++i) {
      Region region = regions[i];
      if (kept > 0 && region.low < regions[kept - 1].high) {
        Region &before = regions[kept - 1];
        before.high = std::max(before.high, region.high);
        before.isWritten |= region.isWritten;
      } else {
        regions[kept++] = region;
      }
    }
    regions.resize(kept);
  }

  void redirect(const LaunchArguments &arguments, int64_t *slots) const {
    for (int i = 0; i < arguments.hostArrayCount; ++i) {
      const HostArray &array = arguments.hostArrays[i];
      for (const Region &region : regions) {
        if (array.low < array.high && array.low >= region.low &&
            array.high <= region.high) {
          slots[array.slot] += static_cast<int64_t>(region.copy - region.low);
        }
      }
    }
  }

  DeviceKernel &kernel;
  Stream stream;
  std::vector<Region> regions;
};

DriverProblem launchWithCopies(DeviceKernel &kernel, uint64_t writes,
                               const LaunchArguments &arguments,
                               const Grid &grid, Stream stream) {
  std::vector<int64_t> slots(arguments.slots,
                             arguments.slots + arguments.slotCount);
  HostCopies copies(kernel, stream);
  DriverProblem problem = copies.copyIn(arguments, writes, slots.data());
  if (problem.ok) {
    problem = kernel.launch(slots.data(), arguments.slotCount, arguments.starts,
                            grid, stream);
  }
  return problem.ok ? copies.copyOut() : problem;
}

DriverProblem launchOnce(DeviceKernel &kernel, uint64_t writes,
                         const LaunchArguments &arguments, const Grid &grid,
                         Stream stream) {
  return arguments.hostArrayCount == 0
             ? kernel.launch(arguments.slots, arguments.slotCount,
                             arguments.starts, grid, stream)
             : launchWithCopies(kernel, writes, arguments, grid, stream);
}

/// A launch whose programs may print or assert: waits for its end.
DriverProblem launchWithMessages(DeviceKernel &kernel, uint64_t writes,
                                 const LaunchArguments &arguments,
                                 const Grid &grid, Stream stream,
                                 LaunchContext &context) {
  std::lock_guard<std::mutex> lock(kernel.messageMutex);
  DriverProblem problem = kernel.emptyMessages(stream);
  if (problem.ok) {
    problem = launchOnce(kernel, writes, arguments, grid, stream);
  }
  MessageHeader header{};
  std::string records;
  if (problem.ok) {
    problem = kernel.readMessages(stream, header, records);
  }
  if (problem.ok) {
    readMessages(kernel.messages(), header, records, grid, context);
  }
  return problem;
}

} // namespace

PyObject *executeOnDevice(Specialization *specialization,
                          const LaunchArguments &arguments, const Grid &grid,
                          PyObject *errorCallback) {
  DeviceKernel &kernel = *specialization->kernel;
  Stream stream = nullptr;
  if (!findStream(arguments.stream, arguments.place, stream)) {
    return nullptr;
  }
  LaunchContext context(grid);
  uint64_t writes = specialization->writes;
  PyThreadState *thread = PyEval_SaveThread();
  DriverProblem problem =
      kernel.messages().empty()
          ? launchOnce(kernel, writes, arguments, grid, stream)
          : launchWithMessages(kernel, writes, arguments, grid, stream,
                               context);
  PyEval_RestoreThread(thread);
  if (problem.ok) {
    if (!handOver(context, errorCallback)) {
      return nullptr;
    }
    Py_RETURN_NONE;
  }
  CallbackErrors(errorCallback)
      .raise("driver", nullptr, nullptr,
             PyUnicode_FromString(problem.text.c_str()));
  return nullptr;
}

} // namespace tegula::runtime
