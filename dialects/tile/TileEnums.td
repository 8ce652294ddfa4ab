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
/// `since` as in `Tile_Op`. Numbers are part of the serialised form: they never change and are never used again.
class Tile_Case<string symbol, int number, string spelling, string sinceVersion>
    : I32EnumAttrCase<symbol, number, spelling> {
  string since = sinceVersion;
}
class Tile_Enum<string name, string description, list<Tile_Case> cases> : I32EnumAttr<name, description, cases> {
  let cppNamespace = "::tegula::tile";
  let genSpecializedAttr = 0;
}

def Tile_CombineKindEnum : Tile_Enum<"CombineKind", "associative combination of a reduction or scan", [
  Tile_Case<"Add", 0, "add", "0.1">, Tile_Case<"Mul", 1, "mul", "0.1">,
  Tile_Case<"Max", 2, "max", "0.1">, Tile_Case<"Min", 3, "min", "0.1">,
  Tile_Case<"UMax", 4, "umax", "0.1">, Tile_Case<"UMin", 5, "umin", "0.1">,
  Tile_Case<"And", 6, "and", "0.1">, Tile_Case<"Or", 7, "or", "0.1">, Tile_Case<"Xor", 8, "xor", "0.1">
]>;
def Tile_CombineKindAttr : Tile_EnumAttr<Tile_CombineKindEnum, "combine">;

def Tile_ArgKindEnum : Tile_Enum<"ArgKind", "which extreme an arg-reduction looks for", [
  Tile_Case<"Max", 0, "max", "0.1">, Tile_Case<"Min", 1, "min", "0.1">,
  Tile_Case<"UMax", 2, "umax", "0.1">, Tile_Case<"UMin", 3, "umin", "0.1">
]>;
def Tile_ArgKindAttr : Tile_EnumAttr<Tile_ArgKindEnum, "arg">;

def Tile_AtomicKindEnum : Tile_Enum<"AtomicKind", "read-modify-write operation", [
  Tile_Case<"Add", 0, "add", "0.1">, Tile_Case<"Max", 1, "max", "0.1">, Tile_Case<"Min", 2, "min", "0.1">,
  Tile_Case<"UMax", 3, "umax", "0.1">, Tile_Case<"UMin", 4, "umin", "0.1">, Tile_Case<"And", 5, "and", "0.1">,
  Tile_Case<"Or", 6, "or", "0.1">, Tile_Case<"Xor", 7, "xor", "0.1">, Tile_Case<"Xchg", 8, "xchg", "0.1">
]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKindEnum, "atomic">;

def Tile_PrecisionEnum : Tile_Enum<"Precision", "what a dot may do to its fp32 operands", [
  Tile_Case<"IEEE", 0, "ieee", "0.1">, Tile_Case<"TF32", 1, "tf32", "0.1">
]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_PrecisionEnum, "precision">;

def Tile_ClassKindEnum : Tile_Enum<"ClassKind", "floating-point class test", [
  Tile_Case<"NaN", 0, "nan", "0.1">, Tile_Case<"Inf", 1, "inf", "0.1">, Tile_Case<"Finite", 2, "finite", "0.1">
]>;
def Tile_ClassKindAttr : Tile_EnumAttr<Tile_ClassKindEnum, "fpclass">;

#endif // TEGULA_DIALECTS_TILE_TILEENUMS
