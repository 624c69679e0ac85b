# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes programs down the GPU's pipeline and back to L0: layouts, copies, channels and orders are decisions, not meaning, so that the CPU must compute
the same of what is left (test/Examples/erased*.test do that with the examples)."""

import toolchain

# The pipeline of lib/Pipelines/Pipelines.cpp: passes of the module, then those of kernels.
_FRONT = "tile-expand-ops,inline,symbol-dce,tile.kernel(canonicalize,cse,tile-fuse-fma,tile-verify,tile-transpose-products),tile-specialize-facts"
_PASSES = ("tile-repack-operands", "tile-split-batches", "cta-plan-replicas", "convert-tile-to-cta", "cta-form-wgmma", "cta-assign-layouts", "cta-swizzle-shared",
           "cta-select-copies", "cta-verify", "cta-split-epilogue{derive=true}", "cta-decompose", "cta-plan", "cta-hint-caches", "cta-lower-grid", "cta-stream-k",
           "cta-pipeline-copies", "cta-defer-sums", "cta-peel-masks", "cta-schedule", "cta-rotate-loops", "cta-defer-waits")
# The passes after which the kernel is turned back.
_LAST = {"placed": "cta-verify", "decomposed": "cta-decompose", "lowered": "cta-lower-grid", "pipelined": "cta-pipeline-copies", "scheduled": "cta-schedule",
         "rotated": "cta-defer-waits"}
PIPELINES = {}
for _phase, _name in _LAST.items():
    _kernel = ",".join(_PASSES[:_PASSES.index(_name) + 1] + ("cta-verify", "convert-cta-to-tile"))
    PIPELINES[_phase] = f"builtin.module({_FRONT},tile.kernel({_kernel}))"


def erase(text, phase, base, timeout):
    """The outcome's message is the text of the erased program."""
    source = base + ".mlir"
    with open(source, "w") as file:
        file.write(text)
    return toolchain.run(["tile-opt", source, f"--pass-pipeline={PIPELINES[phase]}"], timeout)
