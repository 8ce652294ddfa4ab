# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials of f32 keep their bound, whatever the power of two does within its own."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests._support.lockstep import Kernel
from tests._support.lockstep.compute import SAME
from tests._support.opt import optimize

pytestmark = pytest.mark.interpreter

THREADS = 1 << 14
FRACTION_ERROR = 2.0**-22.5 - 2.0**-24
"""What the instruction errs by, as a fraction of a power of two; rounding adds up to 2^-24."""

PROMISED = 2.0


def saturated_fma(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Between 0 and 1; NaN becomes 0."""
    with np.errstate(all="ignore"):
        result = np.clip(SAME["math.fma"](x, y, z), np.float32(0), np.float32(1))
    return np.where(np.isnan(result), np.float32(0), result)


def flush(x: np.ndarray) -> np.ndarray:
    """Without subnormals."""
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, x * np.float32(0), x)


def power_of_two(x: np.ndarray, error: float) -> np.ndarray:
    """`ex2.approx.ftz.f32` that errs by `error`."""
    wide = flush(x).astype(np.float64)
    with np.errstate(all="ignore"):
        exact = np.exp2(wide)
        off = np.where(np.isfinite(exact), np.exp2(np.floor(wide)) * error, 0)
        return flush((exact + off).astype(np.float32))


def evaluate(name: str, x: np.ndarray, error: float) -> np.ndarray:
    """What one thread each makes of x."""
    text = f"""func.func @kernel(%x: !llvm.ptr<1>, %n: i64, %s: i64,
        %y: !llvm.ptr<1>, %m: i64, %t: i64, %gx: i32, %gy: i32, %gz: i32, %messages: !llvm.ptr<1>)
        attributes {{tegula.num_warps = {THREADS // 32} : i32}} {{
      %id = gpu.thread_id x
      %i = arith.index_cast %id : index to i32
      %from = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %to = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %value = llvm.load %from : !llvm.ptr<1> -> f32
      %result = math.{name} %value : f32
      llvm.store %result, %to : f32, !llvm.ptr<1>
      return
    }}"""
    intrinsics = {
        "llvm.nvvm.fma.rn.sat.f": saturated_fma,
        "llvm.nvvm.ex2.approx.ftz.f32": partial(power_of_two, error=error),
    }
    y = np.zeros_like(x)
    Kernel(optimize(text, "--cuda-lower-exp"), lanes=32, intrinsics=intrinsics).run(x, y)
    return y


def arguments(lowest: float, highest: float) -> np.ndarray:
    """Over the range, near its ends, near 0, with subnormal results, and special values."""
    rng = np.random.default_rng(0)
    part = THREADS // 8
    special = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, -1e30, 1e-40, -1e-40, 1.0, highest, lowest]
    few = part - len(special)
    small = np.exp2(rng.uniform(-149, 6, few)) * rng.choice([-1, 1], few)
    x = [
        rng.uniform(lowest, highest, 2 * part),
        rng.uniform(lowest * 0.86, lowest * 0.82, 2 * part),  # The least normal results and around.
        rng.uniform(lowest, lowest * 0.84, part),
        rng.uniform(highest - 2, highest, part),
        rng.normal(0, 1, part),
        small,
        special,
    ]
    return np.concatenate(x).astype(np.float32)


@pytest.mark.parametrize("error", [0.0, FRACTION_ERROR, -FRACTION_ERROR])
@pytest.mark.parametrize(("name", "lowest", "highest"), [("exp", -104, 89), ("exp2", -150, 128)])
def test_within_the_promised_bound(name: str, lowest: float, highest: float, error: float) -> None:
    x = arguments(lowest, highest)
    got = evaluate(name, x, error)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x.astype(np.float64))
        rounded = want.astype(np.float32)
        finite = np.isfinite(rounded) & np.isfinite(got)
        ulp = np.spacing(np.maximum(rounded, np.finfo(np.float32).tiny)).astype(np.float64)
        distance = np.where(finite, np.abs(got - want) / ulp, 0)
    worst = distance.argmax()
    assert distance[worst] < PROMISED, f"{name}({x[worst]!r}): {distance[worst]:.3f} ulp"
    # Results that round to infinity or back from it are within the bound as well.
    edge = want > np.finfo(np.float32).max * (1 - 2.0**-23)
    np.testing.assert_array_equal(np.isfinite(got) | edge, np.isfinite(rounded) | edge)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(x))
    np.testing.assert_array_equal(got[want == 0], 0)
