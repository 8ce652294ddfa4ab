// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what passes say about their decisions. MLIR's own bindings do not
// have remarks; like MlirToLlvm, this uses the C interface only.

#include "python/bindings/capi/Tegula.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <memory>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

struct Remark {
  bool isMissed;
  std::string pass, topic, text;
  MlirLocation location;
};
using Remarks = std::vector<Remark>;

std::string toString(MlirStringRef text) { return {text.data, text.length}; }

/// What a context's passes say from now on, until the context ends.
class Collector {
public:
  explicit Collector(MlirContext context) {
    // The context may live longer than this object.
    auto *shared = new std::shared_ptr<Remarks>(remarks);
    tegulaContextCollectRemarks(
        context,
        [](bool isMissed, MlirStringRef pass, MlirStringRef topic,
           MlirStringRef text, MlirLocation location, void *list) {
          (*static_cast<std::shared_ptr<Remarks> *>(list))
              ->push_back({isMissed, toString(pass), toString(topic),
                           toString(text), location});
        },
        shared,
        [](void *list) {
          delete static_cast<std::shared_ptr<Remarks> *>(list);
        });
  }

  nb::list get() const {
    nb::list result;
    for (const Remark &remark : *remarks) {
      result.append(nb::make_tuple(remark.isMissed, remark.pass, remark.topic,
                                   remark.text, remark.location));
    }
    return result;
  }

private:
  std::shared_ptr<Remarks> remarks = std::make_shared<Remarks>();
};

} // namespace

NB_MODULE(_tegulaRemarks, module) {
  module.doc() = "What passes chose, and why optimizations did not apply";
  nb::class_<Collector>(module, "Collector")
      .def(nb::init<MlirContext>(), nb::arg("context"),
           "Starts to collect the remarks of a context.")
      .def("remarks", &Collector::get,
           "So far: whether an optimization was missed, the pass, the topic, "
           "the text and the location of each. The context must be alive.");
}
