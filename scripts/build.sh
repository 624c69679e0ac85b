#!/usr/bin/env bash
# Configures and builds a preset: scripts/build.sh [dev|release|asan] [ninja targets and options...].
# The build tree is build/<preset>.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-dev}
shift || true

cd "$root"
cmake --preset "$preset" >/dev/null
ninja -C "build/$preset" "$@"
