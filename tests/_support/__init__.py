# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts shared by the tests: arrays with guards, comparisons, expected mistakes, programs."""
