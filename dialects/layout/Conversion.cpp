// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kind of traffic a conversion needs, and the exchange between lanes.
//
// The exchange. In one warp the map from a destination's place (r, l) to the
// source's is linear: register A r + B l, lane E r + F l. A shuffle lets each
// lane read one value from any lane, but a lane sends one register at a time.
// So let lane l receive, in round k, its register T l + k, with T linear: the
// partner is M l + E k with M = F + E T, and the register wanted from it is
// P l + A k with P = B + A T. What a lane sends is then a function of its own
// number exactly if M l = 0 implies P l = 0, and as S with S M = P does it, the
// sender picks its register S m + (A + S E) k. There are as many rounds as
// registers, and those with equal E k have the same partners. Where the source
// has copies in several lanes, adding a copy's displacement K l to the place is
// a further freedom: M = F + E T + K, P = B + A T + K.
//
// Such a T exists where each warp of the source holds nothing that another warp
// holds too: then F's kernel is no larger than what E and the copies reach
// beyond F's image. Otherwise shared memory is the way. M = identity is better
// where it is possible, because then the rounds with E k = 0 stay within the
// lane and the others are butterflies.

#include "dialects/layout/Conversion.h"

#include "dialects/layout/BitSpan.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tegula::layout {

using llvm::ArrayRef;
using llvm::SmallVector;

bool ShufflePlan::isButterfly() const {
  auto isZero = [](int64_t lane) { return lane == 0; };
  for (auto [bit, lane] : llvm::enumerate(laneByLane)) {
    if (lane != int64_t(1) << bit) {
      return false;
    }
  }
  return llvm::all_of(laneByWarp, isZero) && llvm::all_of(laneByBlock, isZero);
}

int64_t ShufflePlan::numShuffles(unsigned elementBits,
                                 unsigned wordBits) const {
  int64_t count = 0;
  for (const Round &round : rounds) {
    if (!round.isLocal) {
      count += llvm::divideCeil(round.moves.size() * elementBits, wordBits);
    }
  }
  return count;
}

int64_t ShufflePlan::numSelects(int64_t numSource) const {
  auto count = [](ArrayRef<int64_t> masks) -> int64_t {
    return llvm::count_if(masks, [](int64_t mask) { return mask != 0; });
  };
  int64_t sends = count(sendByLane) + count(sendByWarp) + count(sendByBlock);
  return numSource * sends + count(receiveByLane) * int64_t(kept.size());
}

namespace {

constexpr unsigned kReg = static_cast<unsigned>(Dim::Register);
constexpr unsigned kLane = static_cast<unsigned>(Dim::Lane);
constexpr unsigned kWarp = static_cast<unsigned>(Dim::Warp);
constexpr unsigned kBlock = static_cast<unsigned>(Dim::Block);

using Columns = SmallVector<uint64_t>;

/// A place of the source within a warp as one word.
uint64_t joinPlace(uint64_t reg, uint64_t lane) { return reg << 32 | lane; }
uint64_t laneOf(uint64_t place) { return place & 0xffffffff; }
uint64_t registerOf(uint64_t place) { return place >> 32; }
Columns lanesOf(ArrayRef<uint64_t> places) {
  return llvm::map_to_vector(places, laneOf);
}

/// The map within a warp: an image for each bit.
struct WarpMap {
  Columns byRegister; // Bits of registers that are no copies.
  SmallVector<int64_t> registerBits;
  Columns byLane, byWarp, byBlock;
  Columns copies; // Displacements to copies in other lanes, independent there.
};

/// How lanes pick what they receive: T and K of the comment above, by lane bit.
struct Choice {
  Columns receive; // Over the bits of WarpMap::byRegister.
  Columns copy;
};

/// T and K from a sum over `byRegister`, then `copies`.
void addPick(const WarpMap &map, uint64_t parts, uint64_t &receive,
             uint64_t &copy) {
  unsigned count = map.byRegister.size();
  receive ^= parts & ((uint64_t(1) << count) - 1);
  copy ^= apply(map.copies, parts >> count);
}

Columns partnerColumns(const WarpMap &map) {
  Columns result = lanesOf(map.byRegister);
  llvm::append_range(result, lanesOf(map.copies));
  return result;
}

/// The choice with M = identity, if there is one.
std::optional<Choice> chooseButterfly(const WarpMap &map) {
  BitSpan partners(partnerColumns(map));
  Choice result;
  for (auto [bit, place] : llvm::enumerate(map.byLane)) {
    std::optional<uint64_t> parts =
        partners.solve(laneOf(place) ^ uint64_t(1) << bit);
    if (!parts) {
      return std::nullopt;
    }
    addPick(map, *parts, result.receive.emplace_back(0),
            result.copy.emplace_back(0));
  }
  return result;
}

/// The choice that moves as few lane bits as it can.
std::optional<Choice> chooseLeast(const WarpMap &map) {
  Columns lanes = lanesOf(map.byLane);
  // Lanes that would ask one partner for different registers.
  BitSpan sameElement(kernel(map.byLane));
  SmallVector<uint64_t> clashing;
  for (uint64_t lane : kernel(lanes)) {
    if (sameElement.insert(lane)) {
      clashing.push_back(lane);
    }
  }
  BitSpan reached(lanes);
  Columns partners = partnerColumns(map);
  SmallVector<std::pair<uint64_t, uint64_t>> picks;
  for (unsigned index = partners.size();
       index-- > 0 && picks.size() < clashing.size();) {
    if (reached.insert(partners[index])) {
      auto &[receive, copy] = picks.emplace_back(0, 0);
      addPick(map, uint64_t(1) << index, receive, copy);
    }
  }
  if (picks.size() < clashing.size()) {
    return std::nullopt;
  }
  BitSpan basis(clashing);
  for (uint64_t lane : kernel(map.byLane)) {
    basis.insert(lane);
  }
  for (unsigned bit = 0; bit < lanes.size(); ++bit) {
    basis.insert(uint64_t(1) << bit);
  }
  Choice result;
  for (unsigned bit = 0; bit < lanes.size(); ++bit) {
    uint64_t parts = basis.solve(uint64_t(1) << bit).value_or(0);
    uint64_t &receive = result.receive.emplace_back(0);
    uint64_t &copy = result.copy.emplace_back(0);
    for (auto [index, pick] : llvm::enumerate(picks)) {
      if (parts >> index & 1) {
        receive ^= pick.first;
        copy ^= pick.second;
      }
    }
  }
  return result;
}

/// Over the destination's register numbers, from bits of WarpMap::byRegister.
int64_t spread(const WarpMap &map, uint64_t bits) {
  int64_t result = 0;
  for (auto [index, bit] : llvm::enumerate(map.registerBits)) {
    result |= int64_t(bits >> index & 1) << bit;
  }
  return result;
}

/// S of the comment above, by lane bit; nothing if some lane would have to send
/// two registers at once.
std::optional<Columns> senders(ArrayRef<uint64_t> places) {
  Columns partners = lanesOf(places);
  BitSpan span(partners);
  for (unsigned bit = 0; bit < places.size(); ++bit) {
    span.insert(uint64_t(1) << bit);
  }
  Columns result;
  uint64_t known = (uint64_t(1) << places.size()) - 1;
  for (unsigned bit = 0; bit < places.size(); ++bit) {
    std::optional<uint64_t> parts = span.solve(uint64_t(1) << bit);
    if (!parts) {
      return std::nullopt;
    }
    result.push_back(registerOf(apply(places, *parts & known)));
  }
  for (uint64_t place : places) {
    if (apply(result, laneOf(place)) != registerOf(place)) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<ShufflePlan> makePlan(const WarpMap &map, const Choice &choice) {
  // M above P, by lane bit.
  Columns places;
  for (auto [place, receive, copy] :
       llvm::zip(map.byLane, choice.receive, choice.copy)) {
    places.push_back(place ^ apply(map.byRegister, receive) ^ copy);
  }
  std::optional<Columns> send = senders(places);
  if (!send) {
    return std::nullopt;
  }
  auto sent = [&](uint64_t place) -> int64_t {
    return registerOf(place) ^ apply(*send, laneOf(place));
  };
  ShufflePlan plan;
  plan.sendByLane.assign(send->begin(), send->end());
  plan.sendByWarp = llvm::map_to_vector<8>(map.byWarp, sent);
  plan.sendByBlock = llvm::map_to_vector<8>(map.byBlock, sent);
  auto lane = [](uint64_t place) -> int64_t { return laneOf(place); };
  plan.laneByLane = llvm::map_to_vector<8>(places, lane);
  plan.laneByWarp = llvm::map_to_vector<8>(map.byWarp, lane);
  plan.laneByBlock = llvm::map_to_vector<8>(map.byBlock, lane);
  for (uint64_t receive : choice.receive) {
    plan.receiveByLane.push_back(spread(map, receive));
  }
  llvm::MapVector<uint64_t, ShufflePlan::Round> rounds;
  bool isButterfly = plan.isButterfly();
  for (uint64_t k = 0; k < uint64_t(1) << map.byRegister.size(); ++k) {
    uint64_t place = apply(map.byRegister, k);
    auto &round = rounds[laneOf(place)];
    round.laneXor = laneOf(place);
    round.isLocal = isButterfly && laneOf(place) == 0;
    round.moves.push_back({sent(place), spread(map, k)});
    plan.kept.push_back(spread(map, k));
  }
  for (auto &entry : rounds) {
    plan.rounds.push_back(std::move(entry.second));
  }
  return plan;
}

WarpMap warpMap(const LinearLayout &map, const LinearLayout &source,
                const LinearLayout &destination) {
  WarpMap result;
  auto columns = [&](Dim dim) {
    return llvm::map_to_vector(map.bases(dim),
                               [](const LinearLayout::Basis &basis) {
                                 return joinPlace(basis[kReg], basis[kLane]);
                               });
  };
  Columns registers = columns(Dim::Register);
  int64_t copies = destination.freeVariableMask(Dim::Register);
  for (auto [bit, place] : llvm::enumerate(registers)) {
    if (!(copies >> bit & 1)) {
      result.byRegister.push_back(place);
      result.registerBits.push_back(bit);
    }
  }
  result.byLane = columns(Dim::Lane);
  result.byWarp = columns(Dim::Warp);
  result.byBlock = columns(Dim::Block);
  Columns bases = source.flatBases(Dim::Register);
  unsigned numRegisterBits = bases.size();
  llvm::append_range(bases, source.flatBases(Dim::Lane));
  BitSpan lanes;
  for (uint64_t place : kernel(bases)) {
    uint64_t lane = place >> numRegisterBits;
    if (lanes.insert(lane)) {
      uint64_t reg = place & ((uint64_t(1) << numRegisterBits) - 1);
      result.copies.push_back(joinPlace(reg, lane));
    }
  }
  return result;
}

/// For each of the destination's registers one that is no copy of another.
SmallVector<int64_t> originals(const LinearLayout &destination) {
  BitSpan span;
  SmallVector<int64_t> byBit;
  for (auto [bit, basis] :
       llvm::enumerate(destination.flatBases(Dim::Register))) {
    std::optional<uint64_t> parts = span.solve(basis);
    byBit.push_back(parts ? *parts : int64_t(1) << bit);
    span.insert(basis);
  }
  SmallVector<int64_t> result;
  for (int64_t reg = 0; reg < destination.inSize(Dim::Register); ++reg) {
    int64_t original = 0;
    for (auto [bit, mask] : llvm::enumerate(byBit)) {
      original ^= reg >> bit & 1 ? mask : 0;
    }
    result.push_back(original);
  }
  return result;
}

std::optional<ShufflePlan> planShuffle(const Conversion &conversion,
                                       const LinearLayout &source,
                                       const LinearLayout &destination) {
  WarpMap map = warpMap(conversion.map, source, destination);
  int64_t numSource = source.inSize(Dim::Register);
  std::optional<ShufflePlan> best;
  for (auto choose : {chooseButterfly, chooseLeast}) {
    std::optional<Choice> choice = choose(map);
    std::optional<ShufflePlan> plan =
        choice ? makePlan(map, *choice) : std::nullopt;
    // An exchange takes about as long as four selects.
    auto cost = [&](const ShufflePlan &p) {
      return 4 * p.numShuffles(32) + p.numSelects(numSource);
    };
    if (plan && (!best || cost(*plan) < cost(*best))) {
      best = std::move(plan);
    }
  }
  if (best) {
    best->copyOf = originals(destination);
  }
  return best;
}

std::string planProblem(const LinearLayout &source,
                        const LinearLayout &destination) {
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block, Dim::Offset}) {
    if (source.inBits(dim) != destination.inBits(dim)) {
      return "layouts have " + std::to_string(source.inSize(dim)) + " and " +
             std::to_string(destination.inSize(dim)) + " " +
             dimName(dim).str() + "s";
    }
  }
  if (source.inBits(Dim::Offset) != 0) {
    return "layouts are of buffers";
  }
  for (const LinearLayout *layout : {&source, &destination}) {
    if (layout->inBits(Dim::Register) > kMaxPlannedRegisterBits) {
      return "layout has " + std::to_string(layout->inSize(Dim::Register)) +
             " registers, more than a plan is made for";
    }
  }
  return "";
}

/// What the map moves across.
ConversionKind kindOf(const LinearLayout &map) {
  bool stays[] = {true, true, true};
  for (Dim dim : kDims) {
    for (auto [bit, basis] : llvm::enumerate(map.bases(dim))) {
      for (unsigned to : {kLane, kWarp, kBlock}) {
        bool isOwn = to == static_cast<unsigned>(dim);
        stays[to - kLane] &= basis[to] == (isOwn ? int32_t(1) << bit : 0);
      }
      // A register that depends on the lane or warp takes selects.
      stays[0] &= dim == Dim::Register || basis[kReg] == 0;
    }
  }
  if (!stays[kBlock - kLane]) {
    return ConversionKind::Blocks;
  }
  if (!stays[kWarp - kLane]) {
    return ConversionKind::SharedMemory;
  }
  return stays[0] ? ConversionKind::Rename : ConversionKind::Shuffle;
}

} // namespace

std::optional<Conversion> planConversion(const LinearLayout &source,
                                         const LinearLayout &destination,
                                         std::string *error) {
  std::string problem = planProblem(source, destination);
  std::optional<LinearLayout> map = destination.invertAndCompose(source);
  if (problem.empty() && !map) {
    problem = source.shape() == destination.shape()
                  ? "source lacks elements of the destination"
                  : "layouts differ in shape";
  }
  if (!problem.empty()) {
    if (error) {
      *error = std::move(problem);
    }
    return std::nullopt;
  }
  Conversion result{kindOf(*map), *map, {}, {}};
  if (result.kind == ConversionKind::Rename) {
    for (int64_t reg = 0; reg < map->inSize(Dim::Register); ++reg) {
      result.registerOf.push_back(map->apply(reg)[kReg]);
    }
  } else if (result.kind == ConversionKind::Shuffle) {
    std::optional<ShufflePlan> plan = planShuffle(result, source, destination);
    if (plan) {
      result.shuffle = std::move(*plan);
    } else {
      result.kind = ConversionKind::SharedMemory;
    }
  }
  return result;
}

} // namespace tegula::layout
