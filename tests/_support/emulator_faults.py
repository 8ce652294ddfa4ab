# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Corrects instructions that the emulator's decoder gets wrong, so that tests judge our code.

Each correction says what hardware does and where that is stated.
"""

from __future__ import annotations

import ctypes
import inspect
import re
from fractions import Fraction
from typing import Any

_FLOATS = {"F16": "16'", "F32": "", "F64": ""}  # how its pseudocode begins a constant

# Rounding to even and, as LLVM's llvm.rint (which selects it) and IEEE 754-2019 5.9 have it, with
# the sign of the operand; the manual's pseudocode adds a half and rounds down.
_RNDNE = """\
D0.{t} = trunc(S0.{t});
if ((abs(S0.{t} + -D0.{t}) > {h}) || ((abs(S0.{t} + -D0.{t}) == {h}) && !isEven({w}))) then
D0.{t} += (sign(S0.{t}) ? -{p}1.0{f} : {p}1.0{f})
endif;
D0.{t} = sign(S0.{t}) ? -abs(D0.{t}) : abs(D0.{t})"""


def correct(emulator: Any, ext: Any, emu: Any) -> None:
    """Change the modules, once, before anything runs.

    Args:
        emulator: of tinygrad's checkout; knows most instructions.
        ext: decides which instructions the native code runs instead.
        emu: runs waves by both.
    """
    for table in (emulator.PCODE_CDNA, emulator.PCODE_RDNA3, emulator.PCODE_RDNA4):
        for op in list(table):
            table[op] = _pseudocode(op.name, table[op])
    emulator.get_pcode.cache_clear()
    _order_zeros(emulator)
    _name_whole_registers(emulator)
    _take_products_from_other_lanes(ext)
    _divide_by_pseudocode(ext)
    _round_quotients_once(emu.native(), emu.Wave)
    _keep_nans(emulator)


def _pseudocode(name: str, text: str) -> str:
    if found := re.fullmatch(r"V_RNDNE_(F16|F32|F64)(_E32|_E64)?", name):
        kind = found[1]
        wide = f"D0.{kind.lower()}" if kind == "F64" else f"64'F(D0.{kind.lower()})"
        prefix, suffix = _FLOATS[kind], "F" if kind == "F32" else ""
        half = f"{prefix}0.5{suffix}"
        return _RNDNE.format(t=kind.lower(), p=prefix, f=suffix, h=half, w=wide)
    if re.fullmatch(r"V_LDEXP_F32(_E32|_E64)?", name):
        # 2^128 is no float32, but half of it times 2^128 is one (manual, V_LDEXP_F32: "exact").
        return "D0.f32 = 32'F(64'F(S0.f32) * 2.0 ** S1.i32)"
    if re.fullmatch(r"V_(MAX|MIN)_F(16|32|64)(_E32|_E64)?", name):
        # The manual tells +0 from -0 here, which the emulator's comparison does not.
        first, second = (
            rf"\((?:64'F\()?(S{n}\.f\d+)\)? == {z}0\.0\)" for n, z in ((0, r"\+"), (1, "-"))
        )
        return re.sub(rf"(elsif \({first} && {second})\)", r"\1 && !sign(\2))", text)
    return text


def _order_zeros(emulator: Any) -> None:
    """-0 is less than +0 for packed and three-operand maxima and minima too (as V_MAX_F32)."""
    module, dtypes = emulator.parse_pcode.__globals__, emulator.dtypes
    reduce = module["_minmax_reduce"]
    integers = {dtypes.half: dtypes.int16, dtypes.float32: dtypes.int}

    def reduce_in_order(is_max: bool, dtype: Any, *args: Any) -> Any:
        if dtype not in integers:
            return reduce(is_max, dtype, *args)
        result = args[0]
        for other in args[1:]:
            a, b = (
                x.bitcast(dtype) if x.dtype == dtypes.uint32 else x.cast(dtype)
                for x in (result, other)
            )
            is_negative = a.bitcast(integers[dtype]) < 0
            first = is_negative.where(b, a) if is_max else is_negative.where(a, b)
            result = a.eq(b).where(first, reduce(is_max, dtype, a, b))
        return result

    module["_minmax_reduce"] = reduce_in_order


def _name_whole_registers(emulator: Any) -> None:
    """On CDNA v128 and up are registers also of 16-bit operations; RDNA names halves so."""
    for name in ("_load_vsrc0", "_compile_vop12", "_compile_vopc"):
        before = getattr(emulator, name)
        source = re.sub(
            r"bits\['(d|s0)'\] == 16(?= and \((?:vdst|vsrc1)_reg|:  # src0 >= 384|:\n +vsrc1_hi)",
            r"'cdna' not in type(inst).__module__ and \g<0>",
            inspect.getsource(before),
        )
        exec(compile(source, emulator.__file__, "exec"), emulator.__dict__)
        for kind, handler in list(emulator._INST_HANDLERS.items()):
            if handler is before:
                emulator._INST_HANDLERS[kind] = getattr(emulator, name)


def _take_products_from_other_lanes(ext: Any) -> None:
    """v_mad_co_u64_u32 may take its first factor, of 32 bits, from another lane (gfx12, DPP)."""
    refuse = ext.refuse

    def refuse_others(inst: Any, why: str) -> None:
        if not (inst.op.startswith("V_MAD_CO_U64_U32") and why == "DPP of 64-bit data"):
            refuse(inst, why)

    ext.refuse = refuse_others


def _divide_by_pseudocode(ext: Any) -> None:
    """Steps of float64 division with a literal, which are refused, run as the manual has them."""
    arith_op = ext.arith_op

    def plan(inst: Any, arch: str, target: str) -> Any:
        operands = [inst.get(name) for name in ("src0", "src1", "src2")]
        has_literal = ext.LITERAL in operands
        if has_literal and re.match("V_DIV_(SCALE|FIXUP)_F64", inst.op):
            return None
        return arith_op(inst, arch, target)

    ext.arith_op = plan


def _keep_nans(emulator: Any) -> None:
    """A float32 NaN is a NaN in bfloat16 too; adding half a unit makes 0x7fffffff a zero."""
    functions, dtypes = emulator.parse_pcode.__globals__["_FUNCS"], emulator.dtypes
    is_nan = emulator.parse_pcode.__globals__["_isnan"]
    narrow = functions["f32_to_bf16"]

    def f32_to_bf16(value: Any) -> Any:
        wide = value.bitcast(dtypes.float32) if value.dtype != dtypes.float32 else value
        result = narrow(wide)
        return is_nan(wide).where(result.const_like(0x7FC0), result)

    functions["f32_to_bf16"] = f32_to_bf16


_VGPR, _VCC, _EXEC = 256, 106, 126


def _round_quotients_once(native: Any, wave_type: Any) -> None:
    """v_div_fmas_f64 scales the exact sum by 2^128 or 2^-128 and rounds that (manual, V_DIV_FMAS).

    The native code rounds to the 64 bits of an x87 number first.
    """
    rest = native.div_fmas
    signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))

    def div_fmas(address: int, param: Any) -> None:
        is_double, vdst, _, *sources, neg, absolute, _ = param[:9]
        found: list[tuple[int, float]] = []
        wave = wave_type.from_address(address)
        width = wave.width
        scalars = (ctypes.c_uint32 * 128).from_address(wave.s)
        vectors = (ctypes.c_uint32 * (256 * width)).from_address(wave.v)
        if is_double and not neg and not absolute and min(sources) >= _VGPR:
            pairs = [scalars[n] | scalars[n + 1] << 32 for n in (_VCC, _EXEC)]
            scaled = pairs[0] & pairs[1] & ((1 << width) - 1)
            for lane in (n for n in range(width) if scaled >> n & 1):
                words = [[(n - _VGPR + i) * width + lane for i in (0, 1)] for n in sources]
                a, b, c = (_double(vectors[low], vectors[high]) for low, high in words)
                if all(abs(x) < float("inf") for x in (a, b, c)):
                    found.append((lane, _scaled_sum(a, b, c)))
        rest(ctypes.c_void_p(address), param)
        for lane, value in found:
            word = ctypes.c_uint64.from_buffer(ctypes.c_double(value)).value
            vectors[vdst * width + lane] = word & 0xFFFFFFFF
            vectors[(vdst + 1) * width + lane] = word >> 32

    native.div_fmas = signature(div_fmas)


def _double(low: int, high: int) -> float:
    return ctypes.c_double.from_buffer(ctypes.c_uint64(low | high << 32)).value


def _scaled_sum(a: float, b: float, c: float) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    is_large = abs(c) >= 2.0  # its exponent field is above 1023
    exact *= Fraction(2) ** (128 if is_large else -128)
    try:
        return float(exact) if exact else 0.0
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")
