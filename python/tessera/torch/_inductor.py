# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products as choices of Inductor's autotuning."""

import torch

from tessera.torch._operators import NARROW
from tessera.torch._products import product


def _choice(name, tile):
    """mm into `out`, in the form of a choice of Inductor's, with output tiles of that size."""
    def into(a, b, *, out):
        # Where ours does not go, Inductor is told so.
        if a.dtype not in NARROW or a.dtype != b.dtype or out.dtype != a.dtype:
            raise NotImplementedError(f"tessera.torch has no product of {a.dtype} and {b.dtype} into {out.dtype}")
        if out.is_contiguous() and out.stride(-1) == 1:
            return product("mm.mlir", "mm", a, b, out=out, tile=tile)
        return out.copy_(product("mm.mlir", "mm", a, b, tile=tile))
    into.__name__ = into.__qualname__ = name
    return into


tessera_mm = _choice("tessera_mm", None)  # the tile that is predicted to be the fastest
# Others, which Inductor times. It looks them up by name.
tessera_mm_128x128 = _choice("tessera_mm_128x128", (128, 128))
tessera_mm_64x128 = _choice("tessera_mm_64x128", (64, 128))
tessera_mm_64x64 = _choice("tessera_mm_64x64", (64, 64))
_CHOICES = (tessera_mm, tessera_mm_128x128, tessera_mm_64x128, tessera_mm_64x64)


def register_inductor():
    """Makes mm, with output tiles of several sizes, one of the kernels that torch.compile with `max_autotune` tries for a matrix product
    (`external_matmul` of Inductor's options, PyTorch 2.10 on). It takes ours where it is the fastest. RuntimeError if this PyTorch has no such option."""
    from torch._inductor import config
    if not hasattr(config, "external_matmul"):
        raise RuntimeError(f"Inductor of PyTorch {torch.__version__} has no option external_matmul")
    # Code that comes from Inductor's cache names it without a lowering that would register it.
    from torch._inductor.kernel import mm as lowering
    if hasattr(lowering, "lazy_register_extern_choice"):
        for choice in _CHOICES:
            lowering.lazy_register_extern_choice(choice)
    config.external_matmul = [*config.external_matmul, *(choice for choice in _CHOICES if choice not in config.external_matmul)]
