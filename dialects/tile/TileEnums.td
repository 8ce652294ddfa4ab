// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerations that operations of the `tile` dialect take: which combination, which rounding of a request, which axis.

#ifndef TEGULA_DIALECTS_TILE_TILEENUMS
#define TEGULA_DIALECTS_TILE_TILEENUMS

include "dialects/tile/TileDialect.td"
include "mlir/IR/EnumAttr.td"

class Tile_EnumAttr<I32EnumAttr enum, string attrMnemonic> : EnumAttr<Tile_Dialect, enum, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}
class Tile_Enum<string name, string description, list<I32EnumAttrCase> cases> : I32EnumAttr<name, description, cases> {
  let cppNamespace = "::tegula::tile";
  let genSpecializedAttr = 0;
}

def Tile_CombineKindEnum : Tile_Enum<"CombineKind", "associative combination of a reduction or scan", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">, I32EnumAttrCase<"Xor", 8, "xor">
]>;
def Tile_CombineKindAttr : Tile_EnumAttr<Tile_CombineKindEnum, "combine">;

def Tile_ArgKindEnum : Tile_Enum<"ArgKind", "which extreme an arg-reduction looks for", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">,
  I32EnumAttrCase<"UMax", 2, "umax">, I32EnumAttrCase<"UMin", 3, "umin">
]>;
def Tile_ArgKindAttr : Tile_EnumAttr<Tile_ArgKindEnum, "arg">;

def Tile_AtomicKindEnum : Tile_Enum<"AtomicKind", "read-modify-write operation", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"UMax", 3, "umax">, I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">, I32EnumAttrCase<"Xchg", 8, "xchg">
]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKindEnum, "atomic">;

def Tile_PrecisionEnum : Tile_Enum<"Precision", "what a dot may do to its fp32 operands", [
  I32EnumAttrCase<"IEEE", 0, "ieee">, I32EnumAttrCase<"TF32", 1, "tf32">
]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_PrecisionEnum, "precision">;

def Tile_ClassKindEnum : Tile_Enum<"ClassKind", "floating-point class test", [
  I32EnumAttrCase<"NaN", 0, "nan">, I32EnumAttrCase<"Inf", 1, "inf">, I32EnumAttrCase<"Finite", 2, "finite">
]>;
def Tile_ClassKindAttr : Tile_EnumAttr<Tile_ClassKindEnum, "fpclass">;

#endif // TEGULA_DIALECTS_TILE_TILEENUMS
