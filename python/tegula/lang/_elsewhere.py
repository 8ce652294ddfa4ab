# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said when `tg` has no function of a name: what to write instead.

The names are those of NumPy and of other tile languages, so that who comes from there is led on.
"""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Iterable
from typing import NoReturn

from tegula._location import user_frames
from tegula.errors import MissingAttributeError

_SOFTMAX = "e = tg.exp(x - tg.max(x, axis=1, keepdims=True)); e / tg.sum(e, axis=1, keepdims=True)"
_COMPARED = "tg.arange(n)[:, None] {} tg.arange(n)[None, :]"
_HINT = "leave it out: alignment and divisibility are found at each launch; tg.assume(n % 16 == 0)"
_BLOCK = "leave it out: tg.load(a, (i, j), (BM, BN)) and tg.store take the array and a tile index"
_NO_BARRIER = "leave it out: what a program stores, all of it sees in what it loads later"
_CHOSEN = (
    "leave it out: the compiler chooses; sizes of tiles are tg.Const, and launches can be timed"
)
_NO_THREADS = "leave it out: programs work on whole tiles, whose elements tg.arange(n) numbers"
_NO_SPACES = "leave it out: the compiler chooses which tiles stand in shared memory"
_NAN = "tg.where(tg.isnan(x), {}, x)"
# By name, what to write.
INSTEAD = {
    "advance": _BLOCK,
    "allclose": "tg.all(tg.abs(x - y) <= tolerance)",
    "amax": "tg.max(x, axis)",
    "amin": "tg.min(x, axis)",
    "array": "a NumPy array made outside of the kernel, which is a constant tile in it",
    "asarray": "a NumPy array made outside of the kernel, which is a constant tile in it",
    "associative_scan": "tg.scan(x, axis, fn)",
    **dict.fromkeys(("atomicAdd", "atomic_fetch_add"), "tg.atomic_add(a, i, x)"),
    **dict.fromkeys(("atomicAnd", "atomic_fetch_and"), "tg.atomic_and(a, i, x)"),
    **dict.fromkeys(("atomicCAS", "atomic_compare_exchange"), "tg.atomic_cas(a, i, old, new)"),
    **dict.fromkeys(("atomicMax", "atomic_fetch_max"), "tg.atomic_max(a, i, x)"),
    **dict.fromkeys(("atomicMin", "atomic_fetch_min"), "tg.atomic_min(a, i, x)"),
    **dict.fromkeys(("atomicOr", "atomic_fetch_or"), "tg.atomic_or(a, i, x)"),
    **dict.fromkeys(("atomicSub", "atomic_fetch_sub", "atomic_sub"), "tg.atomic_add(a, i, -x)"),
    **dict.fromkeys(("atomicXor", "atomic_fetch_xor"), "tg.atomic_xor(a, i, x)"),
    **dict.fromkeys(("atomicExch", "atomic_exch", "atomic_exchange"), "tg.atomic_xchg(a, i, x)"),
    "atomic_dec": "tg.atomic_add(a, i, -1)",
    "atomic_inc": "tg.atomic_add(a, i, 1)",
    "atomic_load": "tg.atomic_or(a, i, 0) of integers, tg.atomic_add(a, i, -0.0) of floats",
    "atomic_store": "tg.atomic_xchg(a, i, x)",
    "autotune": _CHOSEN,
    **dict.fromkeys(("barrier", "syncthreads", "sync_threads", "threadfence"), _NO_BARRIER),
    "average": "tg.mean(x, axis)",
    "bid": "tg.program_id(axis)",
    "bincount": "tg.histogram(x, bins)",
    "blockDim": _NO_THREADS,
    "blockIdx": "tg.program_id(axis)",
    "broadcast": "tg.broadcast_to(x, shape); operators broadcast by themselves",
    "cast": "x.astype(dtype)",
    "cat": "tg.concatenate([x, y], axis)",
    "constexpr": "tg.Const, as the annotation of a parameter",
    "Config": _CHOSEN,
    "Constant": "tg.Const, as the annotation of a parameter",
    "count_nonzero": "tg.sum((x != 0).astype(tg.int32), axis)",
    "debug_barrier": _NO_BARRIER,
    "device_assert": "assert condition, message",
    "device_print": "tg.print(text, x)",
    "diff": "x[1:] - x[:-1]",
    "div_rn": "x / y, which is rounded to nearest",
    "divmod": "Python's divmod(x, y)",
    "dtype": "x.dtype, or tg.float32 and the like",
    "einsum": "tg.dot(x, y), with tg.permute and reshape around it",
    "empty": "tg.zeros(shape, dtype)",
    "erfc": "1 - tg.erf(x)",
    "eye": f"({_COMPARED.format('==')}).astype(tg.float32)",
    "finfo": "x.dtype.min and x.dtype.max",
    "float8e4nv": "tg.float8_e4m3fn",
    "float8e5": "tg.float8_e5m2",
    "gelu": "0.5 * x * (1 + tg.erf(x * 0.5 ** 0.5))",
    "gridDim": "tg.num_programs(axis)",
    "hypot": "tg.sqrt(x * x + y * y)",
    "iinfo": "x.dtype.min and x.dtype.max",
    "inf": 'float("inf")',
    "inner": "tg.sum(x * y), or tg.dot(x, y.T) of matrices",
    "interleave": "tg.join(x, y).reshape(...)",
    "isclose": "tg.abs(x - y) <= tolerance",
    "jit": "tg.kernel, as a decorator",
    "linspace": "start + step * tg.arange(n, dtype=tg.int32).astype(tg.float32)",
    "logaddexp": "tg.maximum(x, y) + tg.log1p(tg.exp(-tg.abs(x - y)))",
    "make_block_ptr": _BLOCK,
    "make_tensor_descriptor": _BLOCK,
    "matmul": "tg.dot(x, y), or x @ y",
    "max_contiguous": _HINT,
    "median": "tg.sort(x), of which take the middle",
    "mma": "tg.dot(x, y, acc)",
    "mod": "x % y",
    "moveaxis": "tg.permute(x, axes)",
    "multiple_of": _HINT,
    "nan": 'float("nan")',
    "nan_to_num": _NAN.format("0"),
    "nanmax": f"tg.max({_NAN.format('-inf')}), with inf = float('inf')",
    "nanmin": f"tg.min({_NAN.format('inf')}), with inf = float('inf')",
    "nansum": f"tg.sum({_NAN.format('0')})",
    "newaxis": "None, as in x[:, None]",
    "nonzero": "masks with tg.where; how many there are is known only at run time",
    "norm": "tg.sqrt(tg.sum(x * x))",
    "num_blocks": "tg.num_programs(axis)",
    "outer": "x[:, None] * y[None, :]",
    "pad": "tg.load with a larger shape, which pads, or tg.concatenate",
    "pi": "math.pi, a Python number",
    "randint": "tg.philox(counter, key), whose words are uint32, and % n",
    "rand4x": "tg.philox(counter, key), which gives four words",
    "randint4x": "tg.philox(counter, key), which gives four words",
    "randn": "tg.sqrt(-2 * tg.log(1 - tg.rand(seed, i))) * tg.cos(6.2831853 * tg.rand(seed2, i))",
    "ravel": "x.ravel()",
    "reciprocal": "1 / x",
    "relu": "tg.maximum(x, 0)",
    "repeat": "tg.broadcast_to(x[:, None], (n, times)).reshape(n * times)",
    "searchsorted": "tg.sum((table[None, :] < x[:, None]).astype(tg.int32), axis=1)",
    **dict.fromkeys(("shared", "shared_memory"), _NO_SPACES),
    "select": "tg.where(condition, x, y)",
    "silu": "x * tg.sigmoid(x)",
    "softmax": _SOFTMAX,
    "sqrt_rn": "tg.sqrt(x), which is rounded to nearest",
    "square": "x * x",
    "static_print": "Python's print, which runs while the kernel is traced",
    "swapaxes": "tg.permute(x, axes)",
    "swizzle2d": "arithmetic on tg.program_id(0), with // and %",
    "take": "tg.take_along_axis(x, indices, axis)",
    "tensor": "tg.Array, as the annotation of a parameter",
    "threadIdx": _NO_THREADS,
    "tile": "tg.concatenate([x, x], axis)",
    "to": "x.astype(dtype)",
    "trans": "x.T, or tg.permute(x, axes)",
    "tril": f"tg.where({_COMPARED.format('>=')}, x, 0)",
    "triu": f"tg.where({_COMPARED.format('<=')}, x, 0)",
    "umulhi": "((x.astype(tg.uint64) * y) >> 32).astype(tg.uint32)",
    "vdot": "tg.sum(x * y)",
    "xor_sum": "tg.reduce(x, axis, lambda a, b: a ^ b)",
}


def refuse(name: str, known: Iterable[str]) -> NoReturn:
    """Refuse an attribute of the package.

    Raises:
        MissingAttributeError: always; a bare AttributeError for what protocols and imports look up.
    """
    if name.startswith("_") or keyword.iskeyword(name) or not user_frames():
        raise AttributeError(f"module 'tegula' has no attribute {name!r}")
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.75)
    if name in INSTEAD:
        help = INSTEAD[name] if INSTEAD[name].startswith("leave") else f"write {INSTEAD[name]}"
    elif near:
        help = f"did you mean tg.{near[0]}?"
    else:
        help = "what there is says help(tg); build the rest of it, in a function of your own"
    raise MissingAttributeError(f"there is no tg.{name}", help=help)
