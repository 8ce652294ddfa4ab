# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of Tegula. The folders mirror the sources."""
