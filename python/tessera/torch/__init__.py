# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch: matrix products, softmax, RMS normalisation, attention.

    import tessera.torch
    c = tessera.torch.mm(a, b)                       # torch.ops.tessera.mm
    tessera.torch.register_inductor()                # torch.compile(mode="max-autotune") tries ours, too

Tensors are bf16 or f16 (softmax: f32, too), on a Hopper GPU or on the CPU. The kernels are the programs in tessera/kernels, which
are compiled at the first call with a type and a layout. torch.compile takes the operators as they are. Each has a gradient;
the gradient of a gradient is an error.
"""

import torch

if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
    raise ImportError(f"tessera.torch needs PyTorch 2.10 or later, this is {torch.__version__}")

from tessera.torch._attention import attention, attention_varlen
from tessera.torch._inductor import register_inductor
from tessera.torch._products import addmm, bmm, mm
from tessera.torch._rows import rms_norm, softmax

__all__ = ["addmm", "attention", "attention_varlen", "bmm", "mm", "register_inductor", "rms_norm", "softmax"]
