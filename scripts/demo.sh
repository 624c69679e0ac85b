#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# From a fresh checkout to a matrix product: builds Tessera, compiles examples/gemm-nn.mlir, shows what the compiler made of it,
# runs it on matrices of odd sizes, and compares the result with numpy; if there is a GPU, there, too.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/dev"
demo="$build/demo"
python="$root/.venv/bin/python"
program="$root/examples/gemm-nn.mlir"

step() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

"$root/scripts/bootstrap.sh"
"$root/scripts/build.sh" dev tilec tile-run tile-opt
mkdir -p "$demo"
export PATH="$build/bin:$PATH:$root/.venv/bin"

step "A tile program: $program"
cat "$program"

step "On the CPU: compile, run on ragged matrices, compare with numpy"
tilec "$program" -o "$demo/gemm-nn.so" --target=cpu
"$python" "$root/test/Examples/check.py" gemm-nn "$demo/gemm-nn.so"

step "For Hopper: what became of it, what bounds it, what to change"
tilec "$program" --target=sm_90a -o "$demo/gemm-nn.cubin" --report

step "And of each load, product and store of the first variant (--report=full)"
tilec "$program" --target=sm_90a --variants=lines -o "$demo/gemm-nn-lines.cubin" --report=full

step "Some of its PTX"
tilec "$program" --target=sm_90a --emit=ptx -o "$demo/gemm-nn.ptx"
grep -E -m 24 'wgmma|cp\.async\.bulk|mbarrier|\.entry' "$demo/gemm-nn.ptx"

if [ -s "$demo/gemm-nn.cubin" ] && nvidia-smi -L >/dev/null 2>&1; then
  step "On the GPU: the same shapes, then 8192³"
  "$python" "$root/test/Examples/check.py" gemm-nn "$demo/gemm-nn.cubin"
  tile-run "$demo/gemm-nn.cubin" randn:8192x8192xbf16 randn:8192x8192xbf16 nan:8192x8192xbf16 \
    --bench=burst --flops=1099511627776
else
  echo "(no GPU here, or no cubin: the GPU part is left out)"
fi
