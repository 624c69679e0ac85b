#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks that the C++ sources are formatted: scripts/check-format.sh [--fix] [FILES...]; without FILES all that git tracks. With --fix formats them.
# A test, test/House/format.test, runs it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/versions.env"
format="clang-format-$LLVM_MAJOR"
command -v "$format" >/dev/null || { echo "check-format: error: no $format: scripts/bootstrap.sh installs it" >&2; exit 2; }

mode=(--dry-run -Werror)
if [ "${1:-}" = --fix ]; then mode=(-i); shift; fi
files=("$@")
if [ ${#files[@]} = 0 ]; then
  cd "$root"
  # The files that git tracks and that exist.
  while IFS= read -r file; do [ ! -f "$file" ] || files+=("$file"); done < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.h')
fi
"$format" "${mode[@]}" --style="file:$root/.clang-format" "${files[@]}" && exit 0
echo "check-format: scripts/check-format.sh --fix formats them" >&2
exit 1
