# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product that torch.compile computes with ours, in a process of its own: prints whether the code came from Inductor's cache. With
TESSERA_TEST_DEVICE=cuda on the GPU."""

import os

import torch
from torch._dynamo.utils import counters
from torch._inductor import config

import tessera.torch as tt

torch.set_default_device(os.environ.get("TESSERA_TEST_DEVICE", "cpu"))
tt.register_inductor()
a, b = torch.randn(64, 128).bfloat16(), torch.randn(128, 96).bfloat16()
# Of no other library, so that ours is the fastest.
with config.patch(max_autotune=True, autotune_in_subproc=False, max_autotune_gemm_backends=""):
    got = torch.compile(torch.mm)(a, b)
torch.testing.assert_close(got, a @ b, rtol=1.6e-2, atol=1.6e-2)
print("from the cache:", counters["inductor"]["fxgraph_cache_hit"])
