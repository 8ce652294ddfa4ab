# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in the descriptions of the layout dialect are right."""

from __future__ import annotations

import pytest
from tegula.mlir import ir

from tests._support import ods
from tests._support.examples import complete
from tests._support.ods import Definition
from tests._support.opt import optimize


def name(definition: Definition) -> str:
    """The operation or attribute as it is written."""
    *_, mnemonic, since = definition.arguments
    assert since[0].isdigit(), f"{definition.name}: no version that first had it"
    return f"layout.{mnemonic}"


@pytest.mark.parametrize("definition", ods.operations("layout"), ids=name)
def test_operation(definition: Definition) -> None:
    examples = definition.examples()
    assert any(f"{name(definition)} " in example for example in examples)
    for example in examples:
        text = optimize(complete(example))
        assert optimize(text) == text
        assert optimize(optimize(text, "--mlir-print-op-generic")) == text
        assert name(definition) in text


@pytest.mark.parametrize("definition", ods.attributes("layout"), ids=name)
def test_attribute(definition: Definition) -> None:
    spellings = [line for example in definition.examples() for line in example.splitlines()]
    assert spellings, f"{definition.name} has no ```mlir example"
    with ir.Context() as context:
        for spelling in spellings:
            assert str(ir.Attribute.parse(spelling, context)) == spelling
