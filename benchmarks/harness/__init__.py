# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How things are measured: interleaved, by medians and ratios, after a check of the results."""
