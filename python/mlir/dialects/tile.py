# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `tile` dialect: op classes and enumerations generated from ODS."""

from ._tile_enum_gen import *  # noqa: F403
from ._tile_ops_gen import *  # noqa: F403
