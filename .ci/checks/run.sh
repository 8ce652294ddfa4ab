#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All static checks, to the end, with a list of those that failed. Needs clang-format, pyright and ruff
# (`pip install ".[dev]"`); what is missing counts as failed.
set -u
cd "$(dirname "$0")/../.."

failed=()
check() {
  local name=$1
  shift
  "$@" || failed+=("$name")
}

for script in twins sizes vendor_names licence_lines; do
  check "$script" python .ci/checks/check_$script.py
done
mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.h')
check clang-format clang-format --dry-run -Werror "${sources[@]}"
check ruff ruff check .
check ruff-format ruff format --check .
check pyright pyright

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
