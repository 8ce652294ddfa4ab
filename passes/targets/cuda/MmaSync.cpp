// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One description of all shapes: a thread holds words of 32 bits (64 for f64),
// and which elements they are follows from how many fit into one (PTX
// ISA 9.7.14.5, figures of the fragments of m16n8k8, m16n8k16, m16n8k32 and
// m8n8k4).

#include "passes/targets/cuda/MmaSync.h"

#include "passes/lower/InlineAssembly.h"
#include "passes/lower/ThreadEmitter.h"
#include "passes/targets/cuda/WarpgroupMma.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;

namespace tegula::cuda {

using layout::Dim;
using layout::LinearLayout;
using lower::DotLayouts;
using lower::ThreadEmitter;

namespace {

/// One instruction.
struct Instruction {
  int64_t m, n, k;
  /// Elements of an operand that fill a register.
  int64_t perWord;
  std::string text; // with its types
};

StringRef getTypeName(Type type, bool isUnsigned) {
  if (type.isF16()) {
    return "f16";
  }
  if (type.isBF16()) {
    return "bf16";
  }
  if (isa<Float8E4M3FNType>(type)) {
    return "e4m3";
  }
  if (isa<Float8E5M2Type>(type)) {
    return "e5m2";
  }
  if (type.isInteger(8)) {
    return isUnsigned ? "u8" : "s8";
  }
  return "";
}

Type getElement(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getElementType();
}

/// The instruction for a dot's types, if there is one.
std::optional<Instruction> getInstruction(const Arch &arch, tile::DotOp dot) {
  Type a = getElement(dot.getA()), b = getElement(dot.getB());
  if (a.isF64()) {
    return Instruction{8, 8, 4, 1,
                       "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"};
  }
  if (a.isF32()) {
    if (dot.getPrecision() != tile::Precision::TF32) {
      return std::nullopt;
    }
    return Instruction{16, 8, 8, 1,
                       "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"};
  }
  int64_t bits = a.getIntOrFloatBitWidth();
  bool isFloat8 = bits == 8 && isa<FloatType>(a);
  if (isFloat8 && !arch.multipliesFP8()) {
    return std::nullopt;
  }
  StringRef aName = getTypeName(a, dot.getAUnsigned());
  StringRef bName = getTypeName(b, dot.getBUnsigned());
  StringRef accName = isa<FloatType>(a) ? "f32" : "s32";
  int64_t k = 256 / bits;
  std::string text = ("mma.sync.aligned.m16n8k" + Twine(k) + ".row.col." +
                      accName + "." + aName + "." + bName + "." + accName)
                         .str();
  return Instruction{16, 8, k, 32 / bits, text};
}

/// Extents of a product, one batch in a matrix without that dimension.
struct Extents {
  int64_t batch, m, n, k;
  bool hasBatch;
};

Extents getExtents(tile::DotOp dot) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  auto acc = cast<RankedTensorType>(dot.getType());
  bool hasBatch = acc.getRank() == 3;
  return {hasBatch ? acc.getDimSize(0) : 1, acc.getDimSize(hasBatch),
          acc.getDimSize(hasBatch + 1), a.getDimSize(hasBatch + 1), hasBatch};
}

/// Collects the bases of one operand; rows and columns are its last dimensions.
class LayoutBuilder {
public:
  LayoutBuilder(const Extents &extents, int64_t rows, int64_t columns)
      : extents(extents), rows(rows), columns(columns) {}

  void addRow(Dim dim, int64_t row) { add(dim, row, 0); }
  void addColumn(Dim dim, int64_t column) { add(dim, 0, column); }
  void addRows(Dim dim, int64_t first, int64_t end) {
    for (int64_t row = first; row < end; row *= 2) {
      addRow(dim, row);
    }
  }
  void addColumns(Dim dim, int64_t first, int64_t end) {
    for (int64_t column = first; column < end; column *= 2) {
      addColumn(dim, column);
    }
  }
  /// `count` numbers of warps hold the same.
  void addCopies(int64_t count) {
    for (int64_t i = 1; i < count; i *= 2) {
      add(Dim::Warp, 0, 0);
    }
  }

  LinearLayout build() {
    SmallVector<int64_t> shape;
    if (extents.hasBatch) {
      shape.push_back(extents.batch);
      for (int64_t i = 1; i < extents.batch; i *= 2) {
        add(Dim::Register, 0, 0);
        bases[static_cast<unsigned>(Dim::Register)].back()[0] = i;
      }
    }
    shape.push_back(rows);
    shape.push_back(columns);
    return *LinearLayout::create(std::move(bases), shape);
  }

private:
  void add(Dim dim, int64_t row, int64_t column) {
    LinearLayout::Basis basis;
    if (extents.hasBatch) {
      basis.push_back(0);
    }
    basis.push_back(row);
    basis.push_back(column);
    bases[static_cast<unsigned>(dim)].push_back(basis);
  }

  const Extents &extents;
  int64_t rows, columns;
  LinearLayout::Bases bases;
};

/// How many warps are side by side along M and N, and how many do the same as
/// others.
struct WarpGrid {
  int64_t m, n, copies;
};

WarpGrid getWarpGrid(const Arch &arch, const Extents &extents,
                     const Instruction &instruction, int64_t numWarps) {
  if (arch.hasWarpgroups()) {
    // What wgmma needs, so that a later pass can use it.
    if (auto groups = getWarpgroupGrid(extents.m, extents.n, numWarps)) {
      return {numWarps / groups->n, groups->n, 1};
    }
  }
  WarpGrid grid = {1, 1, numWarps};
  while (grid.copies > 1) {
    bool splitsM = extents.m / grid.m > instruction.m;
    bool splitsN = extents.n / grid.n > instruction.n;
    if (!splitsM && !splitsN) {
      break;
    }
    // Square parts share the most operands.
    bool along =
        splitsM && (!splitsN || extents.m / grid.m >= extents.n / grid.n);
    (along ? grid.m : grid.n) *= 2;
    grid.copies /= 2;
  }
  return grid;
}

LinearLayout getAccLayout(const Extents &e, const Instruction &i,
                          const WarpGrid &w) {
  int64_t columns = e.n / w.n;
  LayoutBuilder layout(e, e.m, e.n);
  layout.addColumn(Dim::Register, 1);
  layout.addRows(Dim::Register, 8, i.m);
  layout.addColumns(Dim::Register, i.n, columns);
  layout.addRows(Dim::Register, i.m * w.m, e.m);
  layout.addColumns(Dim::Lane, 2, 8);
  layout.addRows(Dim::Lane, 1, 8);
  layout.addRows(Dim::Warp, i.m, i.m * w.m);
  layout.addColumns(Dim::Warp, columns, e.n);
  layout.addCopies(w.copies);
  return layout.build();
}

/// Registers of one step of the contracted dimension come together, so that
/// what is read first serves all of the first step. `depthFirst` is the order
/// that wgmma takes from registers.
LinearLayout getLhsLayout(const Extents &e, const Instruction &i,
                          const WarpGrid &w, bool depthFirst) {
  LayoutBuilder layout(e, e.m, e.k);
  layout.addColumns(Dim::Register, 1, i.perWord);
  layout.addRows(Dim::Register, 8, i.m);
  layout.addColumns(Dim::Register, 4 * i.perWord, depthFirst ? e.k : i.k);
  layout.addRows(Dim::Register, i.m * w.m, e.m);
  if (!depthFirst) {
    layout.addColumns(Dim::Register, i.k, e.k);
  }
  layout.addColumns(Dim::Lane, i.perWord, 4 * i.perWord);
  layout.addRows(Dim::Lane, 1, 8);
  layout.addRows(Dim::Warp, i.m, i.m * w.m);
  layout.addCopies(w.n);
  layout.addCopies(w.copies);
  return layout.build();
}

LinearLayout getRhsLayout(const Extents &e, const Instruction &i,
                          const WarpGrid &w) {
  int64_t columns = e.n / w.n;
  LayoutBuilder layout(e, e.k, e.n);
  layout.addRows(Dim::Register, 1, i.perWord);
  layout.addRows(Dim::Register, 4 * i.perWord, i.k);
  layout.addColumns(Dim::Register, i.n, columns);
  layout.addRows(Dim::Register, i.k, e.k);
  layout.addRows(Dim::Lane, i.perWord, 4 * i.perWord);
  layout.addColumns(Dim::Lane, 1, 8);
  layout.addCopies(w.m);
  layout.addColumns(Dim::Warp, columns, e.n);
  layout.addCopies(w.copies);
  return layout.build();
}

/// The values of one thread, by the coordinates that its registers add.
class Fragment {
public:
  Fragment(OpBuilder &builder, Location loc, const LinearLayout &layout,
           Value vector)
      : values(ThreadEmitter::unpack(builder, loc, vector)) {
    for (int64_t reg = 0; reg < layout.inSize(Dim::Register); ++reg) {
      LinearLayout::Basis at = layout.apply(reg);
      places[std::vector<int32_t>(at.begin(), at.end())] = reg;
    }
  }

  Value &at(const Extents &extents, int64_t batch, int64_t row,
            int64_t column) {
    std::vector<int32_t> place;
    if (extents.hasBatch) {
      place.push_back(batch);
    }
    place.push_back(row);
    place.push_back(column);
    return values[places.at(place)];
  }

  SmallVector<Value> values;

private:
  std::map<std::vector<int32_t>, int64_t> places;
};

class DotEmitter {
public:
  DotEmitter(OpBuilder &builder, tile::DotOp dot,
             const Instruction &instruction, const DotLayouts &layouts, Value a,
             Value b, Value acc)
      : builder(builder), loc(dot.getLoc()), extents(getExtents(dot)),
        instruction(instruction), element(getElement(dot.getA())),
        a(builder, loc, layouts.a, a), b(builder, loc, layouts.b, b),
        acc(builder, loc, layouts.acc, acc), layouts(layouts) {}

  /// Step by step along the contracted dimension: products that follow each
  /// other do not wait for each other, and need few operands at a time.
  Value run(Type accElement) {
    for (int64_t batch = 0; batch < extents.batch; ++batch) {
      for (int64_t k = 0; k < extents.k; k += instruction.k) {
        emitStep(batch, k);
      }
    }
    return ThreadEmitter::pack(builder, loc, acc.values, accElement);
  }

private:
  unsigned rowDim() const { return extents.hasBatch ? 1 : 0; }

  /// Distance of a thread's blocks along a dimension that warps interleave.
  static int64_t getWarpStep(const LinearLayout &layout, unsigned dim,
                             int64_t extent, int64_t block) {
    int64_t step = block;
    for (const LinearLayout::Basis &basis : layout.bases(Dim::Warp)) {
      if (basis[dim] != 0) {
        step = std::max<int64_t>(step, 2 * basis[dim]);
      }
    }
    return std::min(step, extent);
  }

  static int64_t getExtentInRegisters(const LinearLayout &layout,
                                      unsigned dim) {
    int64_t extent = 8;
    for (const LinearLayout::Basis &basis : layout.bases(Dim::Register)) {
      extent = std::max<int64_t>(extent, 2 * basis[dim]);
    }
    return extent;
  }

  /// `count` elements side by side as one register's value.
  Value getWord(ArrayRef<Value> elements) {
    if (elements.size() == 1) {
      if (element.isF32()) {
        return roundToTf32(elements[0]);
      }
      return elements[0];
    }
    Value vector = ThreadEmitter::pack(builder, loc, elements, element);
    auto bytes = VectorType::get({1}, builder.getI32Type());
    Value word = vector::BitCastOp::create(builder, loc, bytes, vector);
    return ThreadEmitter::unpack(builder, loc, word)[0];
  }

  /// Nearest, ties away from zero: the hardware would cut the low bits off.
  Value roundToTf32(Value value) {
    return lower::emitAssembly(builder, loc, builder.getI32Type(), value,
                               "cvt.rna.tf32.f32 $0, $1;", "=r,f",
                               /*isVolatile=*/false)
        .getResult(0);
  }

  SmallVector<Value> getLhs(int64_t batch, int64_t row, int64_t k) {
    SmallVector<Value> words;
    int64_t step = 4 * instruction.perWord;
    for (int64_t depth = 0; depth < instruction.k; depth += step) {
      for (int64_t down = 0; down < instruction.m; down += 8) {
        SmallVector<Value> elements;
        for (int64_t i = 0; i < instruction.perWord; ++i) {
          elements.push_back(a.at(extents, batch, row + down, k + depth + i));
        }
        words.push_back(getWord(elements));
      }
    }
    return words;
  }

  SmallVector<Value> getRhs(int64_t batch, int64_t k, int64_t column) {
    SmallVector<Value> words;
    int64_t step = 4 * instruction.perWord;
    for (int64_t depth = 0; depth < instruction.k; depth += step) {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < instruction.perWord; ++i) {
        elements.push_back(b.at(extents, batch, k + depth + i, column));
      }
      words.push_back(getWord(elements));
    }
    return words;
  }

  void emitStep(int64_t batch, int64_t k) {
    // What warps add to a coordinate is the thread's; here are the parts that
    // registers walk through.
    int64_t rows = getWarpStep(layouts.acc, rowDim(), extents.m, instruction.m);
    int64_t columns = getExtentInRegisters(layouts.acc, rowDim() + 1);
    SmallVector<SmallVector<Value>> rhs;
    for (int64_t column = 0; column < columns; column += instruction.n) {
      rhs.push_back(getRhs(batch, k, column));
    }
    for (int64_t row = 0; row < extents.m; row += rows) {
      SmallVector<Value> lhs = getLhs(batch, row, k);
      for (auto [number, words] : llvm::enumerate(rhs)) {
        addProduct(batch, row, number * instruction.n, lhs, words);
      }
    }
  }

  void addProduct(int64_t batch, int64_t row, int64_t column,
                  ArrayRef<Value> lhs, ArrayRef<Value> rhs) {
    SmallVector<Value *> slots;
    for (int64_t down = 0; down < instruction.m; down += 8) {
      for (int64_t i = 0; i < 2; ++i) {
        slots.push_back(&acc.at(extents, batch, row + down, column + i));
      }
    }
    SmallVector<Value> sum =
        llvm::map_to_vector(slots, [](Value *slot) { return *slot; });
    sum = emitOne(lhs, rhs, sum);
    for (auto [slot, value] : llvm::zip_equal(slots, sum)) {
      *slot = value;
    }
  }

  static std::string list(size_t first, size_t count) {
    std::string text = "{";
    for (size_t i = 0; i < count; ++i) {
      text += (i ? ", $" : "$") + std::to_string(first + i);
    }
    return text + "}";
  }

  static StringRef getConstraint(Type type) {
    return type.isF64() ? "d" : type.isF32() ? "f" : "r";
  }

  SmallVector<Value> emitOne(ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                             ArrayRef<Value> sum) {
    size_t n = sum.size();
    std::string text = instruction.text + " " + list(0, n) + ", " +
                       list(n, lhs.size()) + ", " +
                       list(n + lhs.size(), rhs.size()) + ", " +
                       list(n + lhs.size() + rhs.size(), n) + ";";
    SmallVector<Value> operands(lhs);
    llvm::append_range(operands, rhs);
    llvm::append_range(operands, sum);
    Type accType = sum[0].getType();
    SmallVector<std::string> constraints(n,
                                         ("=" + getConstraint(accType)).str());
    for (Value operand : operands) {
      constraints.push_back(getConstraint(operand.getType()).str());
    }
    SmallVector<Type> types(n, accType);
    auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
    auto op = lower::emitAssembly(builder, loc, result, operands, text,
                                  llvm::join(constraints, ","),
                                  /*isVolatile=*/false);
    SmallVector<Value> results;
    for (size_t i = 0; i < n; ++i) {
      results.push_back(
          LLVM::ExtractValueOp::create(builder, loc, op.getResult(0), i));
    }
    return results;
  }

  OpBuilder &builder;
  Location loc;
  Extents extents;
  Instruction instruction;
  Type element;
  Fragment a, b, acc;
  const DotLayouts &layouts;
};

} // namespace

std::optional<DotLayouts> getMmaSyncLayouts(const Arch &arch, tile::DotOp dot,
                                            int64_t numWarps) {
  std::optional<Instruction> instruction = getInstruction(arch, dot);
  Extents extents = getExtents(dot);
  if (!instruction || extents.m < instruction->m ||
      extents.n < instruction->n || extents.k < instruction->k) {
    return std::nullopt;
  }
  WarpGrid grid = getWarpGrid(arch, extents, *instruction, numWarps);
  return DotLayouts{getLhsLayout(extents, *instruction, grid,
                                 /*depthFirst=*/arch.hasWarpgroups()),
                    getRhsLayout(extents, *instruction, grid),
                    getAccLayout(extents, *instruction, grid)};
}

FailureOr<Value> emitMmaSync(OpBuilder &builder, const Arch &arch,
                             tile::DotOp dot, const DotLayouts &layouts,
                             Value a, Value b, Value acc) {
  // Dots that no instruction fits come in other layouts.
  std::optional<DotLayouts> own =
      getMmaSyncLayouts(arch, dot, layouts.acc.inSize(Dim::Warp));
  if (!own || own->a != layouts.a || own->b != layouts.b ||
      own->acc != layouts.acc) {
    return failure();
  }
  return DotEmitter(builder, dot, *getInstruction(arch, dot), layouts, a, b,
                    acc)
      .run(getElement(dot.getAcc()));
}

} // namespace tegula::cuda
