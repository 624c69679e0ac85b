#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Measures how long builds and tests take without a compiler cache: bench/build_time.sh [--jobs N] [--edit FILE] [--retest FILTER]
#   1. a clean build of everything that the tests need
#   2. one line added to FILE, rebuilt, and the tests that FILTER selects
#   3. all tests
# It uses a build tree and a copy of the sources of its own.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/versions.env"
jobs=$(nproc)
edit=lib/Dialect/Cta/Place/ConvertTileToCta.cpp
retest=convert-tile-to-cta
while [ $# -gt 0 ]; do
  case $1 in
    --jobs) jobs=$2; shift ;;
    --edit) edit=$2; shift ;;
    --retest) retest=$2; shift ;;
    *) echo "build_time: error: unknown option '$1'" >&2; exit 1 ;;
  esac
  shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$root" archive HEAD | tar -x -C "$work"
[ ! -d "$root/.venv" ] || ln -s "$root/.venv" "$work/.venv"
export CCACHE_DISABLE=1
cd "$work"
[ -f "$edit" ] || { echo "build_time: error: no file $edit" >&2; exit 1; }

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN {printf "%.1f", b - a}'; }
quiet() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }; }
test_all() { # extra lit options; failures do not stop the clock
  "/usr/lib/llvm-$LLVM_MAJOR/bin/lit" -s -j "$jobs" -o "$work/results.json" "$@" build/dev/test build/dev/test/unit >/dev/null 2>&1 || true
  python3 scripts/summarize.py "$work/results.json" || true
}

start=$(now)
quiet cmake --preset dev
quiet ninja -C build/dev -j "$jobs" all tessera-test-depends
clean=$(since "$start")

echo "// one more line" >>"$edit"
start=$(now)
quiet ninja -C build/dev -j "$jobs" all tessera-test-depends
some=$(test_all --filter="$retest")
one=$(since "$start")

start=$(now)
every=$(test_all)
tests=$(since "$start")

echo "with $jobs jobs, no compiler cache:"
echo "clean build: $clean s"
echo "one line in $edit, rebuilt and retested ($some): $one s"
echo "all tests ($every): $tests s"
