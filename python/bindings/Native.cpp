// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module `tegula._native`. It must import in about a millisecond and
// without LLVM, because a process that finds all its kernels in the cache needs
// nothing else.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "Abi.h"
#include "Arguments.h"
#include "Callbacks.h"
#include "CudaDriver.h"
#include "Dispatcher.h"
#include "Execute.h"
#include "HostCpu.h"
#include "ObjectLoader.h"
#include "Specialization.h"
#include "ThreadPool.h"

#include <algorithm>

namespace nb = nanobind;
using namespace tegula::runtime;

namespace {

nb::tuple dtypeNames() {
  nb::list names;
  for (const DTypeInfo &type : dtypeTable) {
    names.append(type.name);
  }
  return nb::tuple(names);
}

uintptr_t addressOf(void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

nb::dict runtimeSymbols() {
  nb::dict result;
  for (const auto *symbols : {&callbackSymbols(), &halfConversionSymbols()}) {
    for (const RuntimeSymbol &symbol : *symbols) {
      result[symbol.name] = addressOf(symbol.address);
    }
  }
  return result;
}

nb::object symbolAddress(const std::string &name) {
  void *address = runtimeSymbol(name);
  return address ? nb::object(nb::int_(addressOf(address))) : nb::none();
}

bool sameValue(nb::handle a, nb::handle b) {
  int same = sameConstant(a.ptr(), b.ptr());
  if (same < 0) {
    throw nb::python_error();
  }
  return same > 0;
}

std::unique_ptr<LoadedObject> loadObject(const nb::bytes &data) {
  return LoadedObject::load(data.c_str(), data.size(), &runtimeSymbol);
}

nb::object objectAddress(const LoadedObject &object, const std::string &name) {
  void *address = object.address(name);
  return address ? nb::object(nb::int_(addressOf(address))) : nb::none();
}

TensorMapSpec readTensorMap(const nb::dict &item) {
  TensorMapSpec spec{nb::cast<int>(item["argument"]),
                     nb::cast<std::vector<int>>(item["order"]),
                     nb::cast<std::vector<uint32_t>>(item["box"]),
                     nb::cast<int>(item["swizzle"]),
                     nb::cast<int>(item["element_bytes"])};
  size_t rank = spec.order.size();
  bool isPermutation = true;
  for (int dim : spec.order) {
    isPermutation &= dim >= 0 && static_cast<size_t>(dim) < rank;
  }
  if (rank < 1 || rank > 5 || spec.box.size() != rank || !isPermutation ||
      spec.argument < 0 || spec.argument >= maxArguments) {
    throw DriverError("a tensor map of the kernel is malformed");
  }
  return spec;
}

MessageSpec readMessage(const nb::dict &item) {
  MessageSpec spec;
  spec.isAssert = item.contains("assert");
  if (spec.isAssert) {
    spec.message = nb::cast<std::string>(item["assert"]);
    spec.file = nb::cast<std::string>(item["file"]);
    spec.line = nb::cast<int64_t>(item["line"]);
    spec.column = nb::cast<int64_t>(item["column"]);
    return spec;
  }
  spec.texts = nb::cast<std::vector<std::string>>(item["texts"]);
  for (nb::handle shape : nb::cast<nb::list>(item["shapes"])) {
    spec.shapes.push_back(nb::cast<std::vector<int64_t>>(shape));
  }
  for (nb::handle name : nb::cast<nb::list>(item["dtypes"])) {
    auto text = nb::cast<std::string>(name);
    auto *found =
        std::find_if(dtypeTable.begin(), dtypeTable.end(),
                     [&](const DTypeInfo &type) { return text == type.name; });
    if (found == dtypeTable.end()) {
      throw DriverError("a message of the kernel has the unknown dtype " +
                        text);
    }
    spec.dtypes.push_back(static_cast<DType>(found - dtypeTable.begin()));
  }
  if (spec.dtypes.size() != spec.shapes.size() ||
      spec.texts.size() < spec.dtypes.size()) {
    throw DriverError("a message of the kernel is malformed");
  }
  return spec;
}

std::unique_ptr<CudaKernel> loadCuda(const std::shared_ptr<CudaDriver> &driver,
                                     int device, const nb::bytes &image,
                                     const std::string &entry, unsigned threads,
                                     unsigned sharedBytes, const nb::list &maps,
                                     const nb::list &messages) {
  std::string code(image.c_str(), image.size());
  KernelShape shape{threads, sharedBytes, {}, {}};
  for (nb::handle item : messages) {
    shape.messages.push_back(readMessage(nb::cast<nb::dict>(item)));
  }
  if (maps.size() > maxTensorMaps) {
    throw DriverError("a kernel has at most " + std::to_string(maxTensorMaps) +
                      " tensor maps");
  }
  for (nb::handle item : maps) {
    shape.maps.push_back(readTensorMap(nb::cast<nb::dict>(item)));
  }
  nb::gil_scoped_release released; // The driver may have to assemble PTX.
  return std::make_unique<CudaKernel>(driver, device, code, entry, shape);
}

void addDrivers(nb::module_ &module) {
  nb::exception<DriverError>(module, "DriverError", PyExc_RuntimeError);
  nb::class_<CudaDriver>(module, "CudaDriver",
                         "NVIDIA's driver, loaded from a library.")
      .def(nb::init<const std::string &>(), nb::arg("library"))
      .def_prop_ro("device_count", &CudaDriver::deviceCount)
      .def_prop_ro("version", &CudaDriver::version,
                   "1000 times major plus 10 times minor.")
      .def_prop_ro("current_device", &CudaDriver::currentDevice,
                   "The device whose context this thread uses, else 0.")
      .def("name", &CudaDriver::deviceName, nb::arg("device"))
      .def("capability", &CudaDriver::capability, nb::arg("device"),
           "Ten times major plus minor.")
      .def("load", &loadCuda, nb::arg("device"), nb::arg("image"),
           nb::arg("entry"), nb::arg("threads"), nb::arg("shared_bytes"),
           nb::arg("tensor_maps") = nb::list(),
           nb::arg("messages") = nb::list(),
           "Load a cubin, or PTX, into a device.");
  nb::class_<CudaKernel>(module, "CudaKernel", "A kernel in a GPU's memory.")
      .def_prop_ro("address", [](const CudaKernel &kernel) {
        return addressOf(const_cast<DeviceKernel *>(
            static_cast<const DeviceKernel *>(&kernel)));
      });
  module.def(
      "set_stream_hook",
      [](const nb::object &hook) { setStreamHook(hook.ptr()); },
      nb::arg("hook"), "Find the streams of libraries that offer none in C.");
}

} // namespace

NB_MODULE(_native, module) {
  module.doc() =
      "Launches compiled kernels. Contract: python/bindings/README.md";
  if (!initializeArguments() || !initializeSpecialization(module.ptr()) ||
      !initializeDispatcher(module.ptr()) || !initializeLaunch(module.ptr())) {
    throw nb::python_error();
  }
  // Kernels live in modules and so until the interpreter has shut down.
  nb::set_leak_warnings(false);
  nb::exception<ObjectError>(module, "ObjectError", PyExc_ImportError);
  module.attr("DTYPES") = dtypeNames();

  nb::class_<LoadedObject>(module, "LoadedObject",
                           "Machine code of one object file, in memory.")
      .def("address", &objectAddress, nb::arg("name"),
           "Address of a global function, or None.");
  addDrivers(module);
  module.def("load_object", &loadObject, nb::arg("data"),
             "Link a relocatable ELF object into memory.");
  module.def("runtime_symbols", &runtimeSymbols,
             "Addresses of the callbacks and conversions that kernels call.");
  module.def("symbol_address", &symbolAddress, nb::arg("name"),
             "Address of anything that a kernel may call, or None.");
  module.def("same_value", &sameValue, nb::arg("a"), nb::arg("b"),
             "Whether a kernel made from one value serves the other.");
  module.def(
      "set_print_hook",
      [](const nb::object &hook) { setPrintHook(hook.ptr()); }, nb::arg("hook"),
      "Receive the lines that kernels print.");
  module.def("set_num_threads", &ThreadPool::setThreads, nb::arg("count"),
             "Limit the threads of a launch, the calling one included.");
  module.def("host_fingerprint", &hostFingerprint,
             "Identifies the processor: equal texts run each other's code.");
  module.def("num_threads", &ThreadPool::threads, "Threads of a launch.");
}
