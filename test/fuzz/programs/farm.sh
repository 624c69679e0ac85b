#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# On a machine with a Hopper GPU, in a folder that scripts/gpu-fuzz-kit.sh made: draws and compiles programs on all cores for some
# seconds, then runs them all and compares. farm.sh [--first SEED] [--seconds 300] [--run-seconds 90]
#
# Prints what became of the compilations (refusals by message, the slowest seeds), then run_gpu.py's failures and counts. With $OUT set,
# run-gpu.json and logs/ (with the sources of programs on which the compiler crashed or hung) are left there. The first seed is a random one
# unless given; a seed that failed is compiled again by `pack.py DIR --seed N --count 1`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
first=$((RANDOM * 1000000)) seconds=300 run_seconds=90
while [ $# -gt 0 ]; do
  case $1 in
    --first) first=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --run-seconds) run_seconds=$2; shift ;;
    *) sed -n '4,10s/^# \{0,1\}//p' "$0"; [ "$1" = --help ] && exit 0 || exit 1 ;;
  esac
  shift
done

# In memory: an archive per 200 programs comes and goes.
work=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for tool in tilec ptxas; do
  xz -dc "$here/$tool.xz" > "$work/bin/$tool"
  chmod +x "$work/bin/$tool"
done
# Three packers: while one waits for its slowest program, the others use the cores.
cores=$(nproc)
echo "seeds from $first on, $cores cores"
for part in 0 1 2; do
  PATH="$work/bin:$PATH" LD_LIBRARY_PATH="$here" timeout "$seconds" python3 "$here/programs/pack.py" "$work/p$part" \
    --seed $((first + part * 200000)) --count 200000 --part 200 --jobs $(((cores + 2) / 3)) --runtime "$here/libtessera_runtime.so" \
    -- -j1 > "$work/p$part.log" 2>&1 &
done
wait || true # they end by the time limit
for part in 0 1 2; do
  # The last table, which sums up all before it.
  tac "$work/p$part.log" | awk '/tar.xz:/ { exit } { print }' | tac
done
if [ -n "${OUT:-}" ]; then
  mkdir -p "$OUT/logs"
  cp "$work"/p*.log "$OUT/logs/"
  find "$work" -path '*/bad/*.mlir' | head -5 | xargs -r cp -t "$OUT/logs"
fi
python3 "$here/programs/run_gpu.py" "$work"/p*/*.tar.xz --workers "$cores" --budget "$run_seconds" --runtime "$here/libtessera_runtime.so"
