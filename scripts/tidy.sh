#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs clang-tidy (.clang-tidy) on sources: scripts/tidy.sh [FILES...]; without FILES on those that differ from main. Options of
# clang-tidy may come first (--fix). Needs a build, build/dev or what TESSERA_PRESET names: its compile commands and its precompiled header.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/versions.env"
tidy="clang-tidy-$LLVM_MAJOR"
build="$root/build/${TESSERA_PRESET:-dev}"
die() { echo "tidy: error: $*" >&2; exit 2; }
command -v "$tidy" >/dev/null || die "no $tidy: apt-get install $tidy"
[ -f "$build/compile_commands.json" ] || die "no $build/compile_commands.json: scripts/build.sh"

options=()
while [ $# -gt 0 ] && [[ $1 == -* ]]; do options+=("$1"); shift; done
files=("$@")
if [ ${#files[@]} = 0 ]; then
  cd "$root"
  base=$(git merge-base main HEAD)
  # Headers are checked in the sources that include them.
  while IFS= read -r file; do [ ! -f "$file" ] || files+=("$file"); done < <(git diff --name-only "$base" -- '*.cpp')
  [ ${#files[@]} -gt 0 ] || { echo "tidy: no source differs from main"; exit 0; }
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$tidy" --quiet --warnings-as-errors='*' -p "$build" "${options[@]}"
