# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random elementwise statements: arithmetic, comparisons, casts, selections, functions."""

from __future__ import annotations

from tegula.lang import dtypes, promotion
from tests._support.programs.builder import (
    BITS,
    DTYPES,
    EPSILON,
    INTS,
    Builder,
    Value,
    dtype_name,
    op,
)

INT_BINARY = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
FLOAT_BINARY = ("+", "-", "*", "/", "//", "%")
COMPARE = ("==", "!=", "<", "<=", ">", ">=")
ULPS = 8  # how far two implementations of a transcendental function may be apart


def result_dtype(x: str, y: str) -> str | None:
    """The dtype of an operation on two dtypes, or None if they do not mix."""
    found = promotion.combine(dtypes.as_dtype(x), dtypes.as_dtype(y))
    return found.name if found else None


def broadcast(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...] | None:
    """NumPy's broadcast shape, or None."""
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y
    if any(a != b and 1 not in (a, b) for a, b in zip(x, y, strict=True)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(x, y, strict=True))


def constant(b: Builder, dtype: str) -> str:
    """A literal that the dtype holds exactly."""
    if dtype == "bool":
        return b.pick(("True", "False"))
    if dtype in INTS:
        low = 0 if dtype.startswith("u") else -5
        return str(b.integer(low, 9))
    return b.pick(("0.0", "0.5", "-1.0", "2.0", "3", "-0.25", "1.5"))


def pair(b: Builder, accept) -> tuple[Value, str, str, tuple[int, ...]] | None:
    """Two operands: a value, the text of another, and the dtype and shape of the result."""
    x = b.find(accept)
    if x is None:
        return None
    if b.integer(0, 3) == 0:
        return x, constant(b, x.dtype), x.dtype, x.shape
    y = b.find(lambda v: accept(v) and broadcast(x.shape, v.shape) is not None)
    shape = broadcast(x.shape, y.shape)
    if y.dtype != x.dtype and (result_dtype(x.dtype, y.dtype) is None or b.flip()):
        return x, f"{y.name}.astype({dtype_name(x.dtype)})", x.dtype, shape
    return x, y.name, result_dtype(x.dtype, y.dtype), shape


def add_binary(b: Builder, accept, operators) -> bool:
    found = pair(b, accept)
    if found is None:
        return False
    x, y, dtype, shape = found
    left, right = (x.name, y) if b.flip() else (y, x.name)
    operator = b.pick(operators)
    text = (
        f"{operator}({left}, {right})"
        if operator.startswith("tg.")
        else f"{left} {operator} {right}"
    )
    b.add(text, dtype, shape)
    return True


@op
def int_arithmetic(b: Builder) -> bool:
    # Operands of one kind: int64 and uint64 together promote to float64.
    unsigned = b.flip()
    return add_binary(b, lambda v: v.is_int and v.dtype.startswith("u") == unsigned, INT_BINARY)


@op
def float_arithmetic(b: Builder) -> bool:
    return add_binary(b, lambda v: v.is_float, FLOAT_BINARY)


@op
def mixed_arithmetic(b: Builder) -> bool:
    found = pair(b, lambda v: v.is_int or v.is_float)
    if found is None:
        return False
    x, y, dtype, shape = found
    b.add(f"{x.name} {b.pick('+-*')} {y}", dtype, shape)
    return True


@op
def bool_logic(b: Builder) -> bool:
    names = ("&", "|", "^", "tg.logical_and", "tg.logical_or")
    return add_binary(b, lambda v: v.dtype == "bool", names)


@op
def extremum(b: Builder) -> bool:
    names = ("tg.maximum", "tg.minimum", "tg.fmax", "tg.fmin")
    return add_binary(b, lambda v: v.is_int or v.is_float, names)


@op
def comparison(b: Builder) -> bool:
    found = pair(b, lambda v: v.is_int or v.is_float)
    if found is None:
        return False
    x, y, _, shape = found
    b.add(f"{x.name} {b.pick(COMPARE)} {y}", "bool", shape)
    return True


@op
def unary(b: Builder) -> bool:
    x = b.find(lambda v: v.is_int or v.is_float)
    if x is None:
        return False
    names = ("-{}", "abs({})", "~{}") if x.is_int else ("-{}", "abs({})", "tg.sqrt({})")
    b.add(b.pick(names).format(x.name), x.dtype, x.shape)
    return True


@op
def sign(b: Builder) -> bool:
    x = b.find(lambda v: v.is_int or v.is_float)
    if x is None:
        return False
    b.add(f"tg.sign({x.name})", x.dtype, x.shape)
    return True


@op
def int_quotient(b: Builder) -> bool:
    found = pair(b, lambda v: v.is_int)
    if found is None:
        return False
    x, y, _, shape = found
    b.add(f"{x.name} / {y}", "float64", shape)
    return True


@op
def logical_not(b: Builder) -> bool:
    x = b.find(lambda v: v.dtype == "bool")
    if x is None:
        return False
    b.add(b.pick(("~{}", "tg.logical_not({})")).format(x.name), "bool", x.shape)
    return True


@op
def rounding(b: Builder) -> bool:
    x = b.find(lambda v: v.is_float)
    if x is None:
        return False
    b.add(f"tg.{b.pick(('floor', 'ceil', 'trunc', 'rint'))}({x.name})", x.dtype, x.shape)
    return True


@op
def classify(b: Builder) -> bool:
    x = b.find(lambda v: v.is_float)
    if x is None:
        return False
    b.add(f"tg.{b.pick(('isnan', 'isinf', 'isfinite'))}({x.name})", "bool", x.shape)
    return True


@op
def cast(b: Builder) -> bool:
    x = b.find()
    if x is None:
        return False
    dtype = b.pick(DTYPES)
    b.add(f"{x.name}.astype({dtype_name(dtype)})", dtype, x.shape)
    return True


@op
def bit_cast(b: Builder) -> bool:
    x = b.find(lambda v: v.is_int or (v.bits and v.dtype != "bool"))
    if x is None:
        return False
    same = [name for name in DTYPES if name != "bool" and BITS[name] == BITS[x.dtype]]
    dtype = b.pick(same)
    b.add(f"{x.name}.view({dtype_name(dtype)})", dtype, x.shape, bits=True)
    return True


@op
def where(b: Builder) -> bool:
    condition = b.find(lambda v: v.dtype == "bool")
    if condition is None:
        return False
    found = pair(b, lambda v: broadcast(v.shape, condition.shape) is not None)
    if found is None:
        return False
    x, y, dtype, shape = found
    shape = broadcast(shape, condition.shape)
    if shape is None:
        return False
    b.add(f"tg.where({condition.name}, {x.name}, {y})", dtype, shape)
    return True


@op
def clip(b: Builder) -> bool:
    x = b.find(lambda v: v.is_int or v.is_float)
    if x is None:
        return False
    low = b.integer(0, 3)
    b.add(f"tg.clip({x.name}, {low}, {low + b.integer(0, 50)})", x.dtype, x.shape)
    return True


@op
def fma(b: Builder) -> bool:
    x = b.find(lambda v: v.dtype in ("float32", "float64"))
    if x is None:
        return False
    y, z = (b.find(lambda v: v.dtype == x.dtype and v.shape == x.shape) for _ in "yz")
    b.add(f"tg.fma({x.name}, {y.name}, {z.name})", x.dtype, x.shape)
    return True


@op
def int_power(b: Builder) -> bool:
    x = b.find(lambda v: v.is_int)
    if x is None:
        return False
    b.add(f"{x.name} ** {b.integer(0, 5)}", x.dtype, x.shape)
    return True


FUNCTIONS = {  # the argument is brought into a range where a few ulps is what one may expect
    "exp": "tg.clip({}, -20, 20)",
    "exp2": "tg.clip({}, -20, 20)",
    "expm1": "tg.clip({}, -20, 10)",
    "log": "abs({}) + 1",
    "log2": "abs({}) + 1",
    "log10": "abs({}) + 1",
    "log1p": "abs({})",
    "rsqrt": "abs({}) + 1",
    "sin": "tg.clip({}, -3, 3)",
    "cos": "tg.clip({}, -1.5, 1.5)",
    "tan": "tg.clip({}, -1.5, 1.5)",
    "tanh": "{}",
    "sinh": "tg.clip({}, -10, 10)",
    "cosh": "tg.clip({}, -10, 10)",
    "arctan": "{}",
    "arcsin": "tg.clip({}, -1, 1)",
    "arccos": "tg.clip({}, -1, 0.5)",
    "erf": "{}",
    "sigmoid": "tg.clip({}, -20, 20)",
}


@op
def transcendental(b: Builder) -> bool:
    x = b.find(lambda v: v.is_float)
    if x is None:
        return False
    name = b.pick(sorted(FUNCTIONS))
    argument = FUNCTIONS[name].format(x.name)
    epsilon = EPSILON[x.dtype]
    b.add(
        f"tg.{name}({argument})", x.dtype, x.shape, relative=ULPS * epsilon, absolute=epsilon / 64
    )
    return True


@op
def float_power(b: Builder) -> bool:
    x = b.find(lambda v: v.is_float)
    if x is None:
        return False
    text = f"tg.power(tg.clip(abs({x.name}), 0.25, 4), {b.pick(('0.5', '1.5', '-2.5', '3'))})"
    b.add(text, x.dtype, x.shape, relative=ULPS * EPSILON[x.dtype])
    return True


@op
def angle(b: Builder) -> bool:
    x = b.find(lambda v: v.is_float)
    if x is None:
        return False
    y = b.find(lambda v: v.dtype == x.dtype and v.shape == x.shape)
    ulp = EPSILON[x.dtype]
    text = f"tg.arctan2({x.name}, {y.name})"
    b.add(text, x.dtype, x.shape, relative=ULPS * ulp, absolute=ulp / 64)
    return True


@op
def counters(b: Builder) -> bool:
    x = b.find(lambda v: v.size < 100 and bool(v.shape))
    if x is None:
        return False
    words = [b.fresh() for _ in range(4)]
    b.line(f"{', '.join(words)} = tg.philox({x.name}.astype(tg.int64), {b.integer(0, 2**40)})")
    b.values += [Value(word, "uint32", x.shape) for word in words]
    return True
