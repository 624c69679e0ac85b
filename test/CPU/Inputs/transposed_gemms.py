# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of make_gemms.py whose tiles tile-transpose-products transposes, on odd sizes, against numpy. Arguments: PATTERN=MxNxK …, else a choice."""

import os
import subprocess
import sys

import numpy as np
from tile_cpu import DTYPES, MANTISSA, Program, check, finish, typed

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "GPU"))
import make_gemms  # noqa: E402

CHOICE = {"gemm-nn-bf16-bias-gelu": "176x128x64", "gemm-nt-bf16-residual": "160x256x64", "gemm-tn-f16-rowscale-colscale-bias-silu-residual": "48x128x64",
          "gemm-tt-f16": "176x128x64", "gemm-nt-bf16-f32-alpha-bias": "16x64x256", "batched-gemm-nn-bf16": "48x128x64",
          "gemm-nt-bf16-bias-residual-strided": "16x64x256", "gemm-nn-f16-f32": "160x256x64", "gemm-nt-bf16-f16": "48x64x64"}
SIZES = [(1, 1, 1), (181, 77, 130), (40, 263, 72)]


def turned(text):
    done = subprocess.run(["tile-opt", "-", "--tile-transpose-products"], input=text, capture_output=True, text=True)
    if done.returncode or "tile.turned" not in done.stdout or "tile.transpose " in done.stdout:
        sys.exit(f"not turned, or not in place:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def reference(product, a, b, operands):
    value = (a if product.layout[0] == "n" else a.swapaxes(-1, -2)) @ (b if product.layout[1] == "n" else b.swapaxes(-1, -2))
    size = np.abs(value).max() + 1
    for word in product.epilogue:
        operand = operands.get(word)
        if word in ("alpha", "colscale"):
            value = value * operand
        elif word == "rowscale":
            value = value * operand[:, None]
        elif word in ("bias", "residual"):
            value = value + operand
        elif word == "relu":
            value = np.maximum(value, 0)
        elif word == "gelu":
            value = 0.5 * value * (1 + np.tanh(0.797884561 * (value + 0.044715 * value ** 3)))
        elif word == "silu":
            value = value / (1 + np.exp(-value))
    return value, size


def main():
    rng = np.random.default_rng(7)
    choice = [word.split("=") for word in sys.argv[1:]] or CHOICE.items()
    for pattern, tile in choice:
        for product in make_gemms.chosen_products([pattern]):
            program = Program(turned(product.source(tuple(map(int, tile.split("x"))))))
            for m, n, k in SIZES:
                if product.rows:  # they say of what their sizes are multiples
                    m, n, k = (-(-size // 8) * 8 for size in (m, n, k))
                draw = lambda *shape, element: (rng.standard_normal(shape) * 0.5).astype(np.float32).astype(DTYPES[element])
                batch = (2,) if product.batched else ()
                a = draw(*batch, *((m, k) if product.layout[0] == "n" else (k, m)), element=product.element)
                b = draw(*batch, *((k, n) if product.layout[1] == "n" else (n, k)), element=product.element)
                operands = {"rowscale": lambda: draw(m, element="f32"), "colscale": lambda: draw(n, element="f32"), "bias": lambda: draw(n, element=product.element),
                            "residual": lambda: draw(*batch, m, n, element=product.element), "alpha": lambda: np.float32(-1.5)}
                operands = {word: make() for word, make in operands.items() if word in product.epilogue}
                c = np.full((*batch, m, n), np.nan, DTYPES[product.result])
                got = program.run(product.name.replace("-", "_"), a, b, *operands.values(), c, out=[len(operands) + 2])
                wide = {word: np.asarray(operand, np.float64) for word, operand in operands.items()}
                want, size = reference(product, a.astype(np.float64), b.astype(np.float64), wide)
                check(f"{product.name} {tile} at {m}x{n}x{k}", typed(got, product.result).astype(np.float64), want,
                      2.0 ** -min(MANTISSA[product.result], 16), float((k + 16) * 2.0 ** -22 * size))
    finish()


main()
