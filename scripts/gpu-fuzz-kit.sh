#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs what a machine with a Hopper GPU and Python needs to draw, compile, run and check random programs on its own cores. scripts/gpu-fuzz-kit.sh [--out DIR] [--build DIR]
#
#   DIR/farm.sh              test/fuzz/programs/farm.sh: run it there
#   DIR/tilec.xz             the compiler of the build tree, linked with LLVM's archives: it needs no LLVM there
#   DIR/ptxas.xz             the one on PATH
#   DIR/libtessera_runtime.so, DIR/libzstd.so.1, DIR/programs/, DIR/bench/tessera.py
#
# The machine needs python3 with numpy and ml_dtypes, xz, and glibc at least GLIBC_MAX of versions.env.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/versions.env"
out="$root/build/gpu-fuzz-kit"
build="$root/build/${TESSERA_PRESET:-dev}"
die() { echo "gpu-fuzz-kit: error: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
  case $1 in
    --out) [ $# -ge 2 ] || die "$1 needs a value"; out=$2; shift ;;
    --build) [ $# -ge 2 ] || die "$1 needs a value"; build=$2; shift ;;
    --help|-h) sed -n '4,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) die "unknown option '$1' (see --help)" ;;
  esac
  shift
done
out=$(realpath -m "$out")
[ -x "$build/bin/tilec" ] || die "no $build/bin/tilec: scripts/build.sh dev tilec"
[ ! -e "$out" ] || [ -f "$out/farm.sh" ] || [ -z "$(ls -A "$out")" ] || die "$out is not such a kit; remove it or choose another --out"
ptxas=$(PATH="$root/.venv/bin:$PATH" command -v ptxas) || die "no ptxas in PATH: scripts/bootstrap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

llvm="/usr/lib/llvm-$LLVM_MAJOR/lib"
ls "$llvm"/libMLIR*.a >/dev/null 2>&1 || die "no archives of MLIR in $llvm (libmlir-$LLVM_MAJOR-dev)"
# To the end of the list: ldconfig would die of a closed pipe, and this script with it.
zstd=$(ldconfig -p | awk '/libzstd.so.1 / && !found { print $NF; found = 1 }')
[ -n "$zstd" ] || die "no libzstd.so.1"
# Only those that the build makes now; older ones may still exist.
mapfile -t ours < <(ninja -C "$build" -t targets all | sed -n "s|^\(lib/.*/libTessera[^/]*\.a\): .*|$build/\1|p" | grep -v libTesseraRuntime)
[ ${#ours[@]} -gt 0 ] || die "$build makes no archives of Tessera"
mapfile -t objects < <(find "$build/tools/tilec" -name '*.o')
"clang++-$LLVM_MAJOR" -fuse-ld="lld-$LLVM_MAJOR" "${objects[@]}" -o "$work/tilec" -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--strip-all \
  -Wl,--start-group "${ours[@]}" "$llvm"/libMLIR*.a $(ls "$llvm"/libLLVM*.a | grep -v TableGen) -Wl,--end-group -lz -lpthread -ldl "$zstd" ||
  die "the link of tilec failed"
"$work/tilec" --version >/dev/null || die "the linked tilec does not run"

rm -rf "$out"
mkdir -p "$out/bench"
xz -T0 -3 -c "$work/tilec" > "$out/tilec.xz"
xz -T0 -6 -c "$(realpath "$ptxas")" > "$out/ptxas.xz"
cp "$zstd" "$out/libzstd.so.1"
cp -L "$build/lib/libtessera_runtime.so" "$out/"
cp -r "$root/test/fuzz/programs" "$out/"
find "$out/programs" -name __pycache__ -prune -exec rm -rf {} +
cp "$root/bench/tessera.py" "$out/bench/"
cp "$root/test/fuzz/programs/farm.sh" "$out/"
echo "gpu-fuzz-kit: $out, $(du -sm "$out" | cut -f1) MiB"
