# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m tests.fuzz`: see the package's text, or `--help`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz import kinds, pool
from tests.fuzz.kinds import Kind


def main(arguments: list[str] | None = None) -> int:
    """Run; 0 if nothing was found."""
    options = _parser().parse_args(arguments)
    os.environ.setdefault("TEGULA_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="tegula-fuzz-") as cache:
        os.environ["TEGULA_CACHE_DIR"] = cache
        return replay(options.replay) if options.replay else fuzz(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    add = parser.add_argument
    add("--count", type=int, default=2000, help="inputs of all kinds together")
    add("--kinds", default=",".join(kinds.NAMES), help="which kinds, separated by commas")
    add("--seed", type=int, default=int(time.time()) % 1_000_000, help="of the run")
    add("--first", type=int, default=0, help="number of the first input of each kind")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    add("--seconds", type=float, default=float("inf"), help="start nothing after this time")
    add("--patience", type=float, default=1.0, help="factor on the time that one input may take")
    add("--out", type=Path, default=Path("fuzz-findings"), help="folder for findings")
    add("--replay", type=Path, help="run the input of a finding in this process")
    return parser


def fuzz(options: argparse.Namespace) -> int:
    """Run many inputs and report."""
    chosen = [kinds.find(name) for name in options.kinds.split(",")]
    print(f"seed {options.seed}, {options.jobs} jobs", flush=True)
    for kind in chosen:
        kind.prepare()
    start = time.monotonic()

    def report(record: pool.Record) -> None:
        path = save(record, options.out)
        print(f"FOUND {record.kind} {record.index}: {record.key}\n      {path}", flush=True)

    runner = pool.Pool(
        options.seed, options.jobs, start + options.seconds, options.patience, report
    )
    result = runner.run(chunks(chosen, options.count, options.first))
    print(summary(result, time.monotonic() - start))
    return 1 if result.records else 0


def chunks(chosen: list[Kind], count: int, first: int = 0) -> Iterator[tuple[Kind, int, int]]:
    """All inputs in chunks, the kinds in turn so that each is at work throughout."""
    total = sum(kind.share for kind in chosen)
    wanted = [round(count * kind.share / total) for kind in chosen]
    given = [0] * len(chosen)
    while any(g < w for g, w in zip(given, wanted, strict=True)):
        # The kind that is furthest behind.
        i = min(range(len(chosen)), key=lambda i: given[i] / wanted[i] if wanted[i] else 1.0)
        size = min(chosen[i].chunk, wanted[i] - given[i])
        yield chosen[i], first + given[i], size
        given[i] += size


def save(record: pool.Record, folder: Path) -> Path:
    """Store a finding so that it can be replayed."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.kind}-{record.seed}-{record.index}.json"
    path.write_text(json.dumps(vars(record), indent=1))
    return path


def replay(path: Path) -> int:
    """Run a stored input in this process, so that a debugger can watch."""
    record = json.loads(path.read_text())
    kind = kinds.find(record["kind"])
    kind.prepare()
    message = pool.attempt(kind, record["item"], lambda text: print(f"... {text}", flush=True))
    print(f"{message['outcome']}: {message.get('key', '')}\n{message.get('detail', '')}")
    return 1 if "key" in message else 0


def summary(result: pool.Result, seconds: float) -> str:
    """A report of a run."""
    lines = []
    for kind, outcomes in result.outcomes.items():
        slow, index = result.slowest[kind]
        count = result.count(kind)
        lines.append(
            f"{kind}: {count} inputs, {1000 * result.seconds[kind] / max(count, 1):.1f} ms each, "
            f"the slowest ({index}) {slow:.1f} s"
        )
        lines += [f"    {n:>8} {name}" for name, n in outcomes.most_common()]
    for record in sorted(result.records.values(), key=lambda r: -r.count):
        lines.append(f"{record.count:>6} x {record.kind} {record.index}: {record.key}")
    lines.append(
        f"{result.count()} inputs in {seconds:.0f} s, {len(result.records)} different findings"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
