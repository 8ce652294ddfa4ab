# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison with a float64 reference: a bound on the relative norm of the error, and on its peak.

The norm sees a small error everywhere, the peak a large error in one element of a million.
"""

from __future__ import annotations

import numpy as np

ROUNDING = {
    "float64": 2.0**-53,
    "float32": 2.0**-24,
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
}
"""Half a unit in the last place of 1.0: the largest relative error of one rounding."""


def assert_close(
    got: np.ndarray,
    want: np.ndarray,
    *,
    roundings: float = 1.0,
    magnitude: np.ndarray | None = None,
) -> None:
    """Fail unless `got` is `want` (float64) within some roundings of the dtype.

    `roundings` is how many times the kernel rounds a value of the result's size to the dtype of
    `got`, in the worst case. The error's norm may be that many roundings of the norm of `want`, and
    its peak four times as many of the peak; or of `magnitude`, if the kernel rounds values of that
    size on the way. NaN and infinities must be at the same places.
    """
    assert got.shape == want.shape
    bound = roundings * ROUNDING[str(got.dtype)]
    got, want = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite])
    got, want = got[finite], want[finite]
    assert np.isfinite(got).all(), f"{np.count_nonzero(~np.isfinite(got))} values are not finite"
    if got.size == 0:
        return
    error = np.abs(got - want)
    size = want if magnitude is None else magnitude[finite]
    norm, peak = np.linalg.norm(size), np.abs(size).max()
    assert np.linalg.norm(error) <= bound * norm, (
        f"relative norm of the error {np.linalg.norm(error) / norm:.2e} > {bound:.2e}"
    )
    assert error.max() <= 4 * bound * peak, (
        f"largest error {error.max():.2e} > {4 * bound * peak:.2e} at "
        f"{np.unravel_index(error.argmax(), error.shape)}"
    )
