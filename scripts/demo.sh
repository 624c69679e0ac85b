#!/usr/bin/env bash
# Builds Tessera and shows what it does. Grows with the compiler.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/scripts/bootstrap.sh"
"$root/scripts/build.sh" dev
