#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Does everything that a fresh checkout needs to be tested: packages, build, all tests. The last line is
# "N passed, N failed, N skipped"; the exit code is 1 if a test failed or none ran.
# Arguments go to lit, e.g. scripts/check.sh --filter=mma.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${TESSERA_PRESET:-dev}
build="$root/build/$preset"

"$root/scripts/bootstrap.sh"
"$root/scripts/build.sh" "$preset" all tessera-test-depends

results="$build/test-results.json"
rm -f "$results"
source "$root/scripts/versions.env"
# One job more than there are cores: the tests' pipes and pauses leave about 3 % of two cores idle otherwise.
jobs=$(($(nproc) + 1))
# lit exits with 1 on failures; the exit code is that of summarize.py, which reads what lit has written.
"/usr/lib/llvm-$LLVM_MAJOR/bin/lit" -s -v -j "$jobs" -o "$results" "$@" "$build/test" "$build/test/unit" || true
exec python3 "$root/scripts/summarize.py" "$results"
