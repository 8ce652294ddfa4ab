// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which matrix instructions there are, from AMD's ISA documents: "AMD Instinct
// MI300" and "CDNA4", chapter "Matrix Arithmetic Instructions" (MFMA), "RDNA3"
// 7.9 and "RDNA4" 7.9 (WMMA).
//
// Only the 16x16 shapes are used. On CDNA the 32x32 ones are as fast, draw more
// power, and divide tiles more coarsely.

#include "passes/targets/rocm/MatrixInstructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::rocm {
namespace {

/// The fastest first among those of one element type and generation.
constexpr MatrixInstruction kInstructions[] = {
    // CDNA4.
    {Matrix::MfmaGfx950, true, Element::F16, "mfma.f32.16x16x32.f16", 32, 8,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::BF16, "mfma.f32.16x16x32.bf16", 32, 8,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::I8, "mfma.i32.16x16x64.i8", 64, 16,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::F8, "mfma.scale.f32.16x16x128.f8f6f4",
     128, 32, ResultRows::RegistersLow},
    {Matrix::MfmaGfx950, true, Element::F8, "mfma.f32.16x16x32", 32, 8,
     ResultRows::RegistersLow},
    // CDNA3.
    {Matrix::MfmaGfx942, true, Element::I8, "mfma.i32.16x16x32.i8", 32, 8,
     ResultRows::RegistersLow},
    // CDNA2.
    {Matrix::MfmaGfx90a, true, Element::F16, "mfma.f32.16x16x16f16", 16, 4,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx90a, true, Element::BF16, "mfma.f32.16x16x16bf16.1k", 16, 4,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx90a, true, Element::F32, "mfma.f32.16x16x4f32", 4, 1,
     ResultRows::RegistersLow},
    {Matrix::MfmaGfx90a, true, Element::F64, "mfma.f64.16x16x4f64", 4, 1,
     ResultRows::LanesLow},
    {Matrix::MfmaGfx90a, false, Element::I8, "mfma.i32.16x16x16i8", 16, 4,
     ResultRows::RegistersLow},
    // RDNA4.
    {Matrix::WmmaGfx12, true, Element::F16, "wmma.f32.16x16x16.f16", 16, 8,
     ResultRows::RegistersLow},
    {Matrix::WmmaGfx12, true, Element::BF16, "wmma.f32.16x16x16.bf16", 16, 8,
     ResultRows::RegistersLow},
    {Matrix::WmmaGfx12, true, Element::I8, "wmma.i32.16x16x16.iu8", 16, 8,
     ResultRows::RegistersLow},
    {Matrix::WmmaGfx12, true, Element::F8, "wmma.f32.16x16x16", 16, 8,
     ResultRows::RegistersLow},
    // RDNA3.
    {Matrix::WmmaGfx11, false, Element::F16, "wmma.f32.16x16x16.f16", 16, 16,
     ResultRows::LanesLow},
    {Matrix::WmmaGfx11, false, Element::BF16, "wmma.f32.16x16x16.bf16", 16, 16,
     ResultRows::LanesLow},
    {Matrix::WmmaGfx11, false, Element::I8, "wmma.i32.16x16x16.iu8", 16, 16,
     ResultRows::LanesLow},
};

std::optional<Element> getElement(Type type) {
  if (type.isF16()) {
    return Element::F16;
  }
  if (type.isBF16()) {
    return Element::BF16;
  }
  if (type.isF32()) {
    return Element::F32;
  }
  if (type.isF64()) {
    return Element::F64;
  }
  if (type.isInteger(8)) {
    return Element::I8;
  }
  return isF8(type) ? std::optional(Element::F8) : std::nullopt;
}

bool has(const Chip &chip, const MatrixInstruction &instruction) {
  bool isFamily = chip.hasMfma() == (instruction.since <= Matrix::MfmaGfx950);
  return instruction.since == chip.matrix ||
         (isFamily && instruction.stays && instruction.since <= chip.matrix);
}

const MatrixInstruction *findInstruction(const Chip &chip, Element element,
                                         int64_t k) {
  const MatrixInstruction *found =
      llvm::find_if(kInstructions, [&](const MatrixInstruction &candidate) {
        return has(chip, candidate) && candidate.element == element &&
               candidate.k <= k;
      });
  return found == std::end(kInstructions) ? nullptr : found;
}

} // namespace

bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

const MatrixInstruction *chooseInstruction(const Chip &chip, tile::DotOp dot) {
  auto typeA = cast<RankedTensorType>(dot.getA().getType());
  auto typeB = cast<RankedTensorType>(dot.getB().getType());
  std::optional<Element> element = getElement(typeA.getElementType());
  std::optional<Element> other = getElement(typeB.getElementType());
  if (!element || element != other) {
    return nullptr;
  }
  for (RankedTensorType type : {typeA, typeB}) {
    if (!llvm::all_of(type.getShape(), llvm::isPowerOf2_64)) {
      return nullptr;
    }
  }
  if (element == Element::I8 && chip.hasMfma() &&
      (dot.getAUnsigned() || dot.getBUnsigned())) {
    return nullptr; // MFMA's bytes are signed.
  }
  int64_t k = typeA.getShape().back();
  const MatrixInstruction *chosen = findInstruction(chip, *element, k);
  if (!chosen && element == Element::F8) {
    // Every fp8 number is one of fp16. (The fp8 of gfx942 is not OCP's: it has
    // another bias, one zero and other NaNs.)
    chosen = findInstruction(chip, Element::F16, k);
  }
  return chosen;
}

} // namespace tegula::rocm
