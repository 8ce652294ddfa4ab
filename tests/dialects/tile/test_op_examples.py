# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation and type of the tile dialect has an example in its description, and it is right.

Each is made a whole module, goes through `tegula-opt` in custom, generic and bytecode form, and
comes out the same.
"""

from __future__ import annotations

import pytest
from tegula.mlir import ir
from tegula.mlir.dialects import _tile_ops_gen

from tests._support import ods
from tests._support.examples import complete
from tests._support.ods import Definition
from tests._support.opt import optimize

OPERATIONS = ods.operations("tile")
TYPES = ods.types("tile")


def name(definition: Definition) -> str:
    """The operation or type as it is written."""
    mnemonic, since = definition.arguments[: 2 if definition.base != "Tile_Type" else 3][-2:]
    assert since[0].isdigit(), f"{definition.name}: no version that first had it"
    return f"tile.{mnemonic}"


def test_the_reader_sees_every_registered_operation() -> None:
    built = [
        value.OPERATION_NAME
        for value in vars(_tile_ops_gen).values()
        if isinstance(value, type) and hasattr(value, "OPERATION_NAME")
    ]
    assert sorted(map(name, OPERATIONS)) == sorted(built)
    assert [name(definition) for definition in TYPES] == ["tile.view"]


@pytest.mark.parametrize("definition", OPERATIONS, ids=name)
def test_operation(definition: Definition) -> None:
    assert definition.summary, f"{definition.name} has no summary"
    examples = definition.examples()
    assert examples, f"{definition.name} has no ```mlir example"
    assert any(f"{name(definition)} " in example for example in examples)
    for example in examples:
        text = optimize(complete(example))
        assert optimize(text) == text
        assert optimize(optimize(text, "--mlir-print-op-generic")) == text
        assert name(definition) in text


@pytest.mark.parametrize("definition", TYPES, ids=name)
def test_type(definition: Definition) -> None:
    spellings = [line for example in definition.examples() for line in example.splitlines()]
    assert spellings, f"{definition.name} has no ```mlir example"
    with ir.Context():
        for spelling in spellings:
            assert str(ir.Type.parse(spelling)) == spelling
