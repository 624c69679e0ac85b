#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packs what a machine with a Hopper GPU and Python needs to check and time the examples: no compiler, no
# LLVM, no network there. scripts/gpu-kit.sh [--out DIR] [--build DIR] [--examples DIR] [--products] [--sources DIR] [--variants NAMES] [--peer-kit DIR] [--jobs N] [PATTERN...]
#
#   DIR/examples/X.cubin, X.so       every example for the device and for the CPU
#   DIR/failed.txt                   examples that do not compile, with the message
#   DIR/tile-run, DIR/tile-tune, DIR/libtessera_runtime.so   need glibc only, at most GLIBC_MAX of versions.env
#   DIR/runtime/                     the launcher's own device test
#   DIR/test/GPU, DIR/bench          test/GPU/driver.py, bench/run.py, bench/attention/run.py and what they read
#   DIR/products/X.cubin             with --products: the matrix products of test/GPU/make_gemms.py, for test/GPU/random_gemm.py and bench/gemm.py;
#                                    with --sources DIR: the programs there, for the device only (make_gemms.py --sweep, make_attention.py);
#                                    with --variants NAMES: only these (tilec --variants; with aligned the kit has a third of the bytes)
#   DIR/peer-kit                     with --peer-kit: the cubins of bench/cuda_tile_kit.py, which bench/gemm.py times together with ours
#
# On the device: python3 DIR/test/GPU/driver.py; python3 DIR/bench/run.py; python3 DIR/bench/gemm.py.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/versions.env"

out="$root/build/gpu-kit"
build="$root/build/${TESSERA_PRESET:-dev}"
examples="$root/examples"
jobs=$(nproc)
max_mib=60
peers="" products=no more="" variants=auto
patterns=()

die() { echo "gpu-kit: error: $*" >&2; exit 1; }
value() { [ $# -ge 2 ] || die "$1 needs a value"; echo "$2"; }
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$(value "$@"); shift ;;
    --build) build=$(value "$@"); shift ;;
    --examples) examples=$(value "$@"); shift ;;
    --products) products=yes ;;
    --sources) more=$(value "$@"); shift ;;
    --variants) variants=$(value "$@"); shift ;;
    --peer-kit) peers=$(value "$@"); shift ;;
    --jobs) jobs=$(value "$@"); shift ;;
    --help|-h) sed -n '4,18s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) die "unknown option '$1' (see --help)" ;;
    *) patterns+=("$1") ;;
  esac
  shift
done
[ ${#patterns[@]} -gt 0 ] || patterns=("*")
out=$(realpath -m "$out")
case $out in /|"$root"|"$HOME") die "--out must name a folder of its own" ;; esac
[ -d "$examples" ] || die "no folder $examples"
[ -z "$peers" ] || [ -f "$peers/manifest.json" ] || die "no manifest.json in $peers: bench/cuda_tile_kit.py makes it"
tilec="$build/bin/tilec"
[ -x "$tilec" ] || die "no $tilec: scripts/build.sh dev tilec"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -e "$out" ]; then
  [ -f "$out/kit.txt" ] || [ -z "$(ls -A "$out")" ] || die "$out is not a kit; remove it or choose another --out"
  rm -rf "$out"
fi
mkdir -p "$out/examples" "$out/runtime" "$out/test" "$out/bench"

# The launcher and tile-run, linked statically with the C++ library.
tools="$root/build/kit-tools"
static="-fuse-ld=lld-22 -static-libstdc++ -static-libgcc"
(cd "$root" && cmake --preset release -B "$tools" -DTESSERA_BUILD_TESTS=OFF -DCMAKE_EXE_LINKER_FLAGS="$static" \
  -DCMAKE_SHARED_LINKER_FLAGS="$static") >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log" >&2; die "cmake failed"; }
ninja -C "$tools" -j "$jobs" tile-run tile-tune tessera_runtime >"$work/ninja.log" || { tail -n 40 "$work/ninja.log" >&2; die "the build of tile-run failed"; }
cp "$tools/bin/tile-run" "$tools/bin/tile-tune" "$out/"
cp -L "$tools/lib/libtessera_runtime.so" "$out/"
strip "$out/tile-run" "$out/tile-tune" "$out/libtessera_runtime.so"

# The examples. If some fail, the kit is made nevertheless.
compile() { # example
  local source=$1 name log status
  name=$(basename "$source" .mlir)
  log="$work/$name"
  status=0
  timeout 300 "$tilec" "$source" -o "$work/$name.cubin" >"$log.gpu" 2>&1 || status=$?
  if [ $status = 0 ] && ! LC_ALL=C grep -aq '"target": *"sm_' "$work/$name.cubin"; then
    status=1
    echo "tilec wrote no cubin" >>"$log.gpu"
  fi
  if [ $status = 0 ]; then mv "$work/$name.cubin" "$out/examples/"
  else { echo "== $name, GPU (exit code $status)"; head -n 12 "$log.gpu"; } >"$log.failed-gpu"; fi
  status=0
  timeout 300 "$tilec" --target=cpu --mcpu=x86-64-v3 "$source" -o "$work/$name.so" >"$log.cpu" 2>&1 || status=$?
  if [ $status = 0 ]; then mv "$work/$name.so" "$out/examples/"
  else { echo "== $name, CPU (exit code $status)"; head -n 12 "$log.cpu"; } >"$log.failed-cpu"; fi
}
product() { # source
  local name status=0
  name=$(basename "$1" .mlir)
  timeout 300 "$tilec" --variants="$variants" "$1" -o "$out/products/$name.cubin" >"$work/$name.gpu" 2>&1 || status=$?
  [ $status = 0 ] || { echo "== $name (exit code $status)"; head -n 12 "$work/$name.gpu"; } >"$work/$name.failed-gpu"
}
running=0
sources=()
for pattern in "${patterns[@]}"; do
  while IFS= read -r source; do sources+=("$source"); done < <(find "$examples" -name "$pattern.mlir" | sort)
done
[ ${#sources[@]} -gt 0 ] || echo "gpu-kit: no examples match ${patterns[*]} in $examples" >&2
duplicate=$(for source in "${sources[@]}"; do basename "$source"; done | sort | uniq -d | head -n 1)
[ -z "$duplicate" ] || die "two examples are called $duplicate"
for source in "${sources[@]}"; do
  [ $running -lt "$jobs" ] || { wait -n || true; running=$((running - 1)); }
  compile "$source" &
  running=$((running + 1))
done
wait
if [ $products = yes ] || [ -n "$more" ]; then
  mkdir "$out/products" "$work/products"
  [ $products = no ] || python3 "$root/test/GPU/make_gemms.py" "$work/products"
  [ -z "$more" ] || cp "$more"/*.mlir "$work/products/"
  [ ! -f "$more/programs.json" ] || cp "$more/programs.json" "$out/products/"
  running=0
  for source in "$work"/products/*.mlir; do
    [ $running -lt "$jobs" ] || { wait -n || true; running=$((running - 1)); }
    product "$source" &
    running=$((running + 1))
  done
  wait
fi
find "$work" -name '*.failed-*' | sort | xargs -r cat | sed "s|$root/||g" >"$out/failed.txt"

# The launcher's device test: its PTX, which contains its contract.
ptxas=$(PATH="$PATH:$root/.venv/bin:/usr/local/cuda/bin" command -v ptxas || true)
inputs="$root/test/Runtime/Inputs"
if [ -n "$ptxas" ] && [ -f "$inputs/gpu.ptx" ]; then
  python3 "$inputs/add-contract.py" "$inputs/gpu.json" "$inputs/gpu.ptx" >"$work/k.ptx"
  "$ptxas" -arch=sm_90a -O3 "$work/k.ptx" -o "$out/runtime/k.cubin"
  cp "$root/test/GPU/Device/launcher.test" "$out/runtime/"
else
  echo "gpu-kit: no ptxas: the launcher's device test is left out" >&2
fi

mkdir "$out/test/GPU"
cp "$root"/test/GPU/*.py "$root"/test/GPU/*.json "$out/test/GPU/"
[ ! -f "$root/bench/run.py" ] || cp "$root"/bench/*.py "$root"/bench/*.json "$out/bench/"
[ ! -d "$root/bench/attention" ] || { mkdir "$out/bench/attention" && cp "$root"/bench/attention/*.py "$root"/bench/attention/*.json "$out/bench/attention/"; }
if [ -n "$peers" ]; then
  mkdir "$out/peer-kit"
  cp "$peers/manifest.json" "$peers"/*.cubin "$out/peer-kit/"
  # What screening chose in an earlier run, which saves device time.
  [ ! -f "$peers/gemm-screen.json" ] || cp "$peers/gemm-screen.json" "$out/peer-kit/"
fi

# Checks that it runs on other machines: it may need glibc only, and none newer than promised.
newest() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | sed 's/GLIBC_//'; }
for file in "$out/tile-run" "$out/tile-tune" "$out/libtessera_runtime.so" "$out"/examples/*.so; do
  [ -e "$file" ] || continue
  needed=$(objdump -p "$file" | awk '$1 == "NEEDED" {print $2}')
  for library in $needed; do
    case $library in
      libc.so.6|libm.so.6|libdl.so.2|libpthread.so.0|librt.so.1|ld-linux-x86-64.so.2) ;;
      *) die "$(basename "$file") needs $library" ;;
    esac
  done
  version=$(newest "$file")
  [ "$(printf '%s\n' "${version:-0}" "$GLIBC_MAX" | sort -V | tail -n 1)" = "$GLIBC_MAX" ] ||
    die "$(basename "$file") needs glibc $version, newer than $GLIBC_MAX"
done
count() { find "$out/examples" -name "*.$1" | wc -l; }
{
  echo "Tessera GPU kit"
  echo "commit $(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)$(git -C "$root" diff --quiet HEAD 2>/dev/null || echo ", changed")"
} >"$out/kit.txt"
size=$(du -sm "$out" | cut -f1)
[ "$size" -le $max_mib ] || die "the kit has $size MiB, more than $max_mib"
echo "gpu-kit: $out: $(count cubin) cubins and $(count so) CPU artifacts of ${#sources[@]} examples, $size MiB; $(grep -c '^==' "$out/failed.txt" || true) failures in failed.txt"
