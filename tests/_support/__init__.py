# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts shared by the tests: arrays with guards, comparisons, expected mistakes, programs."""

import pytest

pytest.register_assert_rewrite("tests._support.compare", "tests._support.mistakes")
