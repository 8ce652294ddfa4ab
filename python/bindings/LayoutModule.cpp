// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module `tegula._layout`: the mathematics of layouts without MLIR, for
// explanations of what the compiler chose and for tests that compare it with
// NumPy.

#include "dialects/layout/Conversion.h"
#include "dialects/layout/LinearLayout.h"
#include "dialects/layout/SharedSwizzle.h"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tegula::layout;

namespace {

using Numbers = std::vector<int64_t>;
using Vectors = std::vector<std::vector<int32_t>>;

template <typename T> Numbers numbers(const T &list) {
  return Numbers(list.begin(), list.end());
}

Dim dimOf(const std::string &name) {
  for (Dim dim : kDims) {
    if (dimName(dim) == name) {
      return dim;
    }
  }
  throw nb::value_error(("no input '" + name + "'").c_str());
}

void construct(LinearLayout *self, const Numbers &shape, const Vectors &reg,
               const Vectors &lane, const Vectors &warp, const Vectors &block,
               const Vectors &offset) {
  LinearLayout::Bases bases;
  const Vectors *inputs[] = {&reg, &lane, &warp, &block, &offset};
  for (unsigned dim = 0; dim < kNumDims; ++dim) {
    for (const std::vector<int32_t> &basis : *inputs[dim]) {
      bases[dim].emplace_back(basis.begin(), basis.end());
    }
  }
  std::string error;
  std::optional<LinearLayout> layout =
      LinearLayout::create(std::move(bases), shape, &error);
  if (!layout) {
    throw nb::value_error(error.c_str());
  }
  new (self) LinearLayout(std::move(*layout));
}

Vectors basesOf(const LinearLayout &layout, const std::string &name) {
  Vectors result;
  for (const LinearLayout::Basis &basis : layout.bases(dimOf(name))) {
    result.emplace_back(basis.begin(), basis.end());
  }
  return result;
}

LinearLayout multiply(const LinearLayout &inner, const LinearLayout &outer) {
  if (inner.rank() != outer.rank()) {
    throw nb::value_error("factors differ in rank");
  }
  return inner * outer;
}

std::optional<std::pair<LinearLayout, unsigned>>
halves(const LinearLayout &layout) {
  unsigned bit = 0;
  std::optional<LinearLayout> half = layout.halves(&bit);
  return half ? std::optional(std::pair(*half, bit)) : std::nullopt;
}

SharedMemory memoryOf(int64_t banks, int64_t bankBytes, int64_t maxVectorBits,
                      int64_t maxReadBits = 0) {
  return SharedMemory{banks, bankBytes, maxVectorBits, maxReadBits};
}

SharedBuffer swizzle(const LinearLayout &source,
                     const LinearLayout &destination, int64_t elementBits,
                     int64_t banks, int64_t bankBytes, int64_t maxVectorBits,
                     int64_t maxReadBits) {
  std::string error;
  std::optional<SharedBuffer> buffer = swizzledOffsets(
      source, destination, elementBits,
      memoryOf(banks, bankBytes, maxVectorBits, maxReadBits), &error);
  if (!buffer) {
    throw nb::value_error(error.c_str());
  }
  return *buffer;
}

Conversion plan(const LinearLayout &source, const LinearLayout &destination) {
  std::string error;
  std::optional<Conversion> conversion =
      planConversion(source, destination, &error);
  if (!conversion) {
    throw nb::value_error(error.c_str());
  }
  return *conversion;
}

void bindLayout(nb::module_ &module) {
  using L = LinearLayout;
  nb::class_<L>(module, "LinearLayout",
                "A linear map over F2 from places to coordinates of a tile.")
      .def("__init__", &construct, nb::arg("shape"), nb::kw_only(),
           nb::arg("register") = Vectors(), nb::arg("lane") = Vectors(),
           nb::arg("warp") = Vectors(), nb::arg("block") = Vectors(),
           nb::arg("offset") = Vectors())
      .def_static(
          "blocked",
          [](const Numbers &shape, const Numbers &size, const Numbers &threads,
             const Numbers &warps, const Numbers &order) {
            return L::blocked(shape, size, threads, warps, order);
          },
          nb::arg("shape"), nb::arg("size_per_thread"),
          nb::arg("threads_per_warp"), nb::arg("warps_per_block"),
          nb::arg("order"))
      .def_static(
          "identity",
          [](const std::string &dim, const Numbers &shape) {
            return L::identity(dimOf(dim), shape);
          },
          nb::arg("dim"), nb::arg("shape"))
      .def_prop_ro("shape", [](const L &l) { return numbers(l.shape()); })
      .def("bases", &basesOf, nb::arg("dim"))
      .def(
          "apply",
          [](const L &l, int64_t reg, int64_t lane, int64_t warp, int64_t block,
             int64_t offset) {
            return numbers(l.apply(reg, lane, warp, block, offset));
          },
          nb::arg("register") = 0, nb::arg("lane") = 0, nb::arg("warp") = 0,
          nb::arg("block") = 0, nb::arg("offset") = 0)
      .def_prop_ro("is_surjective", &L::isSurjective)
      .def_prop_ro("is_injective", &L::isInjective)
      .def(
          "free_variable_mask",
          [](const L &l, const std::string &dim) {
            return l.freeVariableMask(dimOf(dim));
          },
          nb::arg("dim"))
      .def("remove_free_registers", &L::removeFreeRegisters)
      .def("contiguous_registers", &L::contiguousRegisters, nb::arg("axis"))
      .def("compose", &L::compose, nb::arg("outer"))
      .def("pseudo_invert", &L::pseudoInvert)
      .def("invert", &L::invert)
      .def("invert_and_compose", &L::invertAndCompose, nb::arg("other"))
      .def("divide_left", &L::divideLeft, nb::arg("tile"))
      .def("__mul__", &multiply, nb::arg("outer"), nb::is_operator())
      .def(
          "permute",
          [](const L &l, const Numbers &perm) { return l.permute(perm); },
          nb::arg("perm"))
      .def(
          "reshape",
          [](const L &l, const Numbers &shape) { return l.reshape(shape); },
          nb::arg("shape"))
      .def("drop_dim", &L::dropDim, nb::arg("axis"),
           nb::arg("drop_zero_registers") = false)
      .def("collapse_dim", &L::collapseDim, nb::arg("axis"))
      .def("insert_dim", &L::insertDim, nb::arg("axis"))
      .def("append_register_dim", &L::appendRegisterDim)
      .def("halves", &halves)
      .def(
          "__eq__", [](const L &a, const L &b) { return a == b; },
          nb::is_operator())
      .def("__hash__",
           [](const L &l) { return static_cast<size_t>(hash_value(l)); })
      .def("__str__", &L::str)
      .def("__repr__",
           [](const L &l) { return "LinearLayout(" + l.str() + ")"; });
}

void bindSwizzle(nb::module_ &module) {
  nb::class_<SharedAccess>(module, "SharedAccess",
                           "How threads go through a buffer.")
      .def_prop_ro("vector_bits",
                   [](const SharedAccess &a) { return numbers(a.vectorBits); })
      .def_prop_ro("rest_bits",
                   [](const SharedAccess &a) { return numbers(a.restBits); })
      .def_ro("conflicts", &SharedAccess::conflicts);
  nb::class_<SharedBuffer>(module, "SharedBuffer",
                           "A swizzled buffer between two layouts.")
      .def_ro("layout", &SharedBuffer::layout)
      .def_ro("write", &SharedBuffer::write)
      .def_ro("read", &SharedBuffer::read)
      .def_ro("repeat_bits", &SharedBuffer::repeatBits)
      .def("offsets_of", &SharedBuffer::offsetsOf, nb::arg("layout"));
  module.def("swizzled_offsets", &swizzle, nb::arg("source"),
             nb::arg("destination"), nb::arg("element_bits"),
             nb::arg("banks") = 32, nb::arg("bank_bytes") = 4,
             nb::arg("max_vector_bits") = 128, nb::arg("max_read_bits") = 0,
             "The buffer that `source` writes and `destination` reads.");
  module.def(
      "bank_conflicts",
      [](const LinearLayout &layout, const LinearLayout &buffer,
         const SharedAccess &access, int64_t elementBits, int64_t banks,
         int64_t bankBytes) {
        return bankConflicts(layout, buffer, access, elementBits,
                             memoryOf(banks, bankBytes, 128));
      },
      nb::arg("layout"), nb::arg("buffer"), nb::arg("access"),
      nb::arg("element_bits"), nb::arg("banks") = 32, nb::arg("bank_bytes") = 4,
      "Additional cycles of the worst access, counted one by one.");
}

void bindConversion(nb::module_ &module) {
  using Plan = ShufflePlan;
  nb::class_<Plan::Round>(module, "Round", "Moves with one partner.")
      .def_ro("lane_xor", &Plan::Round::laneXor)
      .def_ro("is_local", &Plan::Round::isLocal)
      .def_prop_ro("moves", [](const Plan::Round &round) {
        return std::vector<std::pair<int64_t, int64_t>>(round.moves.begin(),
                                                        round.moves.end());
      });
  auto list = [](auto field) {
    return [field](const Plan &plan) { return numbers(plan.*field); };
  };
  nb::class_<Plan>(module, "ShufflePlan", "An exchange between lanes.")
      .def_prop_ro("send_by_lane", list(&Plan::sendByLane))
      .def_prop_ro("send_by_warp", list(&Plan::sendByWarp))
      .def_prop_ro("send_by_block", list(&Plan::sendByBlock))
      .def_prop_ro("lane_by_lane", list(&Plan::laneByLane))
      .def_prop_ro("lane_by_warp", list(&Plan::laneByWarp))
      .def_prop_ro("lane_by_block", list(&Plan::laneByBlock))
      .def_prop_ro("receive_by_lane", list(&Plan::receiveByLane))
      .def_prop_ro("kept", list(&Plan::kept))
      .def_prop_ro("copy_of", list(&Plan::copyOf))
      .def_prop_ro("rounds",
                   [](const Plan &plan) {
                     return std::vector<Plan::Round>(plan.rounds.begin(),
                                                     plan.rounds.end());
                   })
      .def_prop_ro("is_butterfly", &Plan::isButterfly)
      .def("num_shuffles", &Plan::numShuffles, nb::arg("element_bits"),
           nb::arg("word_bits") = 32)
      .def("num_selects", &Plan::numSelects, nb::arg("num_source"));
  nb::class_<Conversion>(module, "Conversion", "From one layout to another.")
      .def_prop_ro("kind",
                   [](const Conversion &conversion) {
                     static const char *const names[] = {"rename", "shuffle",
                                                         "shared", "blocks"};
                     return names[static_cast<int>(conversion.kind)];
                   })
      .def_ro("map", &Conversion::map)
      .def_prop_ro("register_of",
                   [](const Conversion &c) { return numbers(c.registerOf); })
      .def_ro("shuffle", &Conversion::shuffle);
  module.def("plan_conversion", &plan, nb::arg("source"),
             nb::arg("destination"),
             "The cheapest way from one layout to another.");
}

} // namespace

NB_MODULE(_layout, module) {
  module.doc() = "Layouts of tiles as linear maps over F2.";
  bindLayout(module);
  bindSwizzle(module);
  bindConversion(module);
}
