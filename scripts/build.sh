#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Configures and builds a preset: scripts/build.sh [dev|release|asan] [ninja targets and options...].
# The build tree is build/<preset>.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-dev}
shift || true

cd "$root"
configure() { cmake --preset "$preset" 2>&1 >/dev/null; }
# With another PATH the compiler may be another one. CMake would then delete its cache and lose some settings of the preset.
status=0
messages=$(configure) || status=$?
if grep -q "require your cache to be deleted" <<<"$messages"; then
  echo "build: the compiler is found in another place than before: configuring build/$preset anew" >&2
  rm -f "build/$preset/CMakeCache.txt"
  status=0
  messages=$(configure) || status=$?
fi
[ -z "$messages" ] || echo "$messages" >&2
[ $status = 0 ] || exit $status
ninja -C "build/$preset" "$@"
