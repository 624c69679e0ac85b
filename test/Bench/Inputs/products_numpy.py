# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""products_numpy.py ROOT ARTIFACT...: matrix products for the CPU (make_gemms.py) on a few shapes, against numpy in fp64."""

import os
import sys

import ml_dtypes
import numpy as np

sys.path[:0] = [os.path.join(sys.argv[1], "bench"), os.path.join(sys.argv[1], "test", "GPU")]
import gemm_programs  # noqa: E402
import tessera  # noqa: E402
from contract import read_contract  # noqa: E402

DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}
SHAPES = [(1, 1, 1), (5, 8, 0), (7, 11, 13), (129, 257, 65), (64, 256, 128), (200, 136, 72)]


class Tensor:
    """The part of torch.Tensor that the binding uses."""

    is_cuda = False

    def __init__(self, values):
        self.values, self.shape, self.dtype = values, values.shape, str(values.dtype)

    def element_size(self):
        return self.values.itemsize

    def dim(self):
        return self.values.ndim

    def stride(self):
        return tuple(step // self.values.itemsize for step in self.values.strides)

    def data_ptr(self):
        return self.values.ctypes.data

    def is_contiguous(self):
        return self.values.flags.c_contiguous


def activate(x, name):
    if name == "gelu":
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return x / (1 + np.exp(-x)) if name == "silu" else np.maximum(x, 0) if name == "relu" else x


def check(program, kernel, m, n, k, random):
    shapes = {"A": (m, k) if program.layout[0] == "n" else (k, m), "B": (k, n) if program.layout[1] == "n" else (n, k), "C": (m, n),
              "residual": (m, n), "bias": (n,), "colscale": (n,), "rowscale": (m,)}
    arrays = {role: random.standard_normal(shapes[role]).astype(DTYPES[argument["element"]])
              for argument, role in zip(program.contract["args"], program.roles) if role in shapes}
    arrays["C"][...] = np.nan
    wide = {role: array.astype(np.float64) for role, array in arrays.items()}
    wanted = (wide["A"] if program.layout[0] == "n" else wide["A"].T) @ (wide["B"] if program.layout[1] == "n" else wide["B"].T)
    if "alpha" in program.roles:
        wanted *= 1.5
    wanted = wanted * wide.get("rowscale", np.ones(m))[:, None] * wide.get("colscale", np.ones(n)) + wide.get("bias", 0)
    wanted = activate(wanted, program.activation) + wide.get("residual", 0)
    kernel(*(1.5 if role == "alpha" else Tensor(arrays[role]) for role in program.roles))
    found, digits = arrays["C"].astype(np.float64), {"bf16": 8, "f16": 11, "f32": 20}[program.result]
    if not np.allclose(found, wanted, rtol=2.0**-digits, atol=2e-3 * max(1, np.sqrt(k) / 4)):
        at = np.unravel_index(np.nanargmax(np.abs(found - wanted)), found.shape) if not np.isnan(found).all() else (0, 0)
        raise SystemExit(f"{program.name} {m}x{n}x{k}: {found[at]} instead of {wanted[at]} at {at}")


for path in sys.argv[2:]:
    example, module = os.path.basename(path).rsplit(".", 1)[0], tessera.Module(path)
    for contract in read_contract(path)["kernels"]:
        product = gemm_programs.classify(path, example, contract)
        for shape in SHAPES:
            check(product, module.kernel(contract["name"]), *shape, np.random.default_rng(sum(shape)))
        print(product.name, product.epilogue)
