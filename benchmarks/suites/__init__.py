# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suites. Each module has ``cases(quick)``, which yields comparisons and measurements."""
