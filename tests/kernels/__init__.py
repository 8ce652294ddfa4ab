# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that every target must get right, each with a launch helper and a reference."""
