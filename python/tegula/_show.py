# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of users in messages: an error about a value must not fail on showing it."""

from __future__ import annotations


def show(value: object) -> str:
    """The beginning of the value as Python shows it, or its type if it cannot be shown."""
    try:
        return repr(value)[:60]
    except Exception:  # whatever its own method raises, or too many levels
        return f"<{type(value).__name__}>"
