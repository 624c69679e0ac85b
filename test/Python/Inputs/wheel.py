# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries an installed package: wheel.py ROOT. The package must not be that of the source tree ROOT."""

import os
import pathlib
import sys

import ml_dtypes
import numpy as np

import tessera
from tessera import _libraries, _programs


def main():
    root = pathlib.Path(sys.argv[1])
    assert root not in pathlib.Path(tessera.__file__).parents, tessera.__file__
    assert os.path.dirname(_libraries.find_library("tessera")) == os.path.dirname(tessera.__file__)
    module = tessera.compile(root / "examples" / "gemm-nn.mlir")
    a, b = (np.random.default_rng(0).normal(size=size).astype(ml_dtypes.bfloat16) for size in ((100, 200), (200, 300)))
    c = module["gemm_nn"](a, b).astype("f4")
    np.testing.assert_allclose(c, a.astype("f4") @ b.astype("f4"), rtol=1e-2, atol=1e-2)
    ptxas = _libraries.find_tool("ptxas")
    assert ptxas and "nvidia" in ptxas, ptxas
    cubin = module.for_target("sm_90a")
    assert cubin.artifact.startswith(b"\x7fELF") and "wgmma" in cubin.report
    assert "wgmma.mma_async" in module.ptx
    assert "mm_nt" in _programs.source("mm.mlir", "mm_nt")
    print(f"{tessera.version()}, Python {sys.version.split()[0]}: the CPU computes, {len(cubin.artifact)} bytes of cubin with {ptxas}")


if __name__ == "__main__":
    main()
