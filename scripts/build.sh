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
cmake --preset "$preset" >/dev/null
ninja -C "build/$preset" "$@"
