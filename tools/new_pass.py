#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make all the files of a new pass, with tests that fail until they are written.

    tools/new_pass.py FuseLoads --phase tile

The phase is a folder below passes/ that has a Passes.td, by its last name (tile, cpu). Makes the
definition in Passes.td, the source, and the two lit tests; CMake finds the source by itself.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

DEFINITION = """\
def @NAME@Pass : @BASE@<"@FLAG@"> {
  let summary = "REPLACE: what it does, in the imperative";
  let description = [{
    REPLACE: what it rewrites, what it leaves alone, what holds afterwards.

    Before:
    ```mlir
    %r = tile.reshape %t : tensor<4xf32> -> tensor<2x2xf32>
    ```
    After:
    ```mlir
    REPLACE
    ```
  }];
}

"""

SOURCE = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// @FLAG@: REPLACE by two sentences of why this pass exists.

#include "dialects/tile/Tile.h"
#include "@FOLDER@/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "@FLAG@"

using namespace mlir;

namespace tegula::@PHASE@ {
#define GEN_PASS_DEF_@UPPER@PASS
#include "@FOLDER@/Passes.h.inc"
namespace {

/// REPLACE: before -> after.
struct RewriteReshape final : OpRewritePattern<tile::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tile::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    return rewriter.notifyMatchFailure(op, "REPLACE: why not");
  }
};

struct @NAME@Pass final : impl::@NAME@PassBase<@NAME@Pass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<RewriteReshape>(context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns))) {
      signalPassFailure();
    }
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tegula::@PHASE@
"""

TEST = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -@FLAG@ -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @a_sentence_of_the_case
func.func @a_sentence_of_the_case(%t: tensor<4xf32>) -> tensor<2x2xf32> {
  // CHECK: REPLACE by what the pass makes of the next line
  %r = tile.reshape %t : tensor<4xf32> -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
"""

INVALID = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -@FLAG@ -split-input-file -verify-diagnostics

// REPLACE: each message of the pass; for an optimisation, what it must leave as it was.

func.func @a_sentence_of_the_case(%t: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{REPLACE}}
  %r = tile.reshape %t : tensor<4xf32> -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
"""


def phases() -> dict[str, Path]:
    """Folders with a Passes.td, by their last name."""
    found = sorted((ROOT / "passes").rglob("Passes.td"))
    return {path.parent.name: path.parent.relative_to(ROOT) for path in found}


def base_class(definitions: str) -> str:
    """The class that the passes of this Passes.td derive from."""
    own = re.search(r"^class (\w+_Pass)<", definitions, re.MULTILINE)
    return own[1] if own else "Pass"


def main() -> None:
    """Write the files and say what is left to do."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", help="UpperCamel, a verb first: FuseLoads")
    parser.add_argument("--phase", required=True, choices=sorted(phases()))
    options = parser.parse_args()
    name = str(options.name).removesuffix("Pass")
    if not re.fullmatch(r"([A-Z][a-z0-9]*)+", name):
        parser.error(f"{name} is not UpperCamel")
    folder = phases()[options.phase]
    flag = f"{options.phase}-{re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '-', name).lower()}"
    definitions = ROOT / folder / "Passes.td"
    text = definitions.read_text()
    words = {"NAME": name, "UPPER": name.upper(), "FLAG": flag, "PHASE": options.phase}
    words |= {"FOLDER": str(folder), "BASE": base_class(text)}

    def fill(template: str) -> str:
        return re.sub(r"@([A-Z]+)@", lambda match: words[match[1]], template)

    tests = ROOT / "tests" / folder
    made = {
        ROOT / folder / f"{name}.cpp": SOURCE,
        tests / f"{flag}.mlir": TEST,
        tests / f"{flag}-invalid.mlir": INVALID,
    }
    taken = [str(path.relative_to(ROOT)) for path in made if path.exists()]
    if taken or f"def {name}Pass " in text:
        sys.exit(f"{name} exists already: {', '.join(taken) or definitions.relative_to(ROOT)}")
    before, end, after = text.rpartition("#endif")
    definitions.write_text(before + fill(DEFINITION) + end + after)
    for path, template in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(template))
    print(f"made {name}Pass (--{flag}); now:")
    for path in (definitions, *made):
        print(f"  {path.relative_to(ROOT)}: replace what says REPLACE")
    print("  then its place, with the reason, in a Pipeline.cpp")


if __name__ == "__main__":
    main()
