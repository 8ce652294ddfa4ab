# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a kernel while listening to what the passes say about their decisions.

Passes say it as MLIR's remarks (`passes/analysis/Explanation.h`), at locations of the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tegula._compile import kernel_module, pipeline
from tegula._compiled import Decision

if TYPE_CHECKING:
    from tegula._compile.targets import Target, Unit


def lower(module: Any, target: Target) -> tuple[Unit, list[Decision]]:
    """A module of `tile` IR lowered in place, and the decisions that were made about it.

    Raises:
        CompileError: a pass or the translation failed.
    """
    collector = kernel_module.binding("_mlir_libs._tegulaRemarks").Collector(module.context)
    unit = pipeline.lower(module, target.pipeline())
    return unit, [_decision(*remark) for remark in collector.remarks()]


def _decision(is_missed: bool, made_by: str, topic: str, text: str, location: Any) -> Decision:
    places = kernel_module.places(location)
    place = places[0] if places else None
    return Decision(topic, text, is_missed, made_by, place, tuple(places[1:]))
