#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fuzzes for a night on one core: scripts/nightly-fuzz.sh [--minutes N] [--inputs N] [--ledger FILE]
#
# First the mutators in the preset asan, --inputs of them (default 200000): memory errors and undefined behaviour of our code end the process there;
# LLVM's libraries are as the distribution has them. Then all ways of test/fuzz/programs/ledger.py with the preset dev, for --minutes
# (default 480). Lines go to --ledger (default build/fuzz/ledger.csv; ledger.py --merge takes them over), what fails to build/fuzz/failures.
# The exit status is 1 if something did.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
minutes=480 inputs=200000 out="$root/build/fuzz"
ledger="$out/ledger.csv"
while [ $# -gt 0 ]; do
  case $1 in
    --minutes) minutes=$2; shift ;;
    --inputs) inputs=$2; shift ;;
    --ledger) ledger=$2; shift ;;
    *) sed -n '4,10s/^# \{0,1\}//p' "$0"; [ "$1" = --help ] && exit 0 || exit 1 ;;
  esac
  shift
done
mkdir -p "$out/failures"
status=0

"$root/scripts/build.sh" asan tile-fuzz
# Containers of LLVM's libraries are not annotated, so that those which ours share with them look wrong; what the compiler keeps for its life is no leak.
export ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
first=$(($(date +%s) / 86400 * 1000000)) # other inputs each day
for flags in "--deep=16" "--cpu --deep=16" "--options --deep=16"; do
  # shellcheck disable=SC2086
  nice -n 19 "$root/build/asan/bin/tile-fuzz" "$root/examples" --seed="$first" --count=$((inputs / 3)) $flags 2> "$out/asan.log" || {
    status=1
    cat "$out/asan.log"
    cp "$out/asan.log" "$out/failures/asan$(date +%s).log"
  }
done
unset ASAN_OPTIONS UBSAN_OPTIONS

"$root/scripts/build.sh" dev tilec tile-opt batch-compile tile-fuzz reader-fuzz
# The tools are copied, so that the tree may be built meanwhile.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
mkdir "$tools/bin" "$tools/lib"
for tool in tilec tile-opt batch-compile tile-fuzz reader-fuzz; do cp "$root/build/dev/bin/$tool" "$tools/bin/"; done
cp -L "$root/build/dev/lib/libtessera_runtime.so" "$tools/lib/"
PATH="$tools/bin:$root/.venv/bin:$PATH" nice -n 19 "$root/.venv/bin/python" "$root/test/fuzz/programs/ledger.py" --minutes "$minutes" --ledger "$ledger" \
  --keep "$out/failures" --compiler "$(git -C "$root" rev-parse --short HEAD)"
[ -z "$(ls -A "$out/failures")" ] || status=1
exit $status
