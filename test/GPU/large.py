# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of more than 2**31 elements, on the device: addresses must be 64 bits wide everywhere.

python3 large.py [KIT]: needs PyTorch, 40 GB of device memory, and the kit of scripts/gpu-kit.sh. Compares every element with
PyTorch on the device. Prints a line a case and `N passed, N failed, N skipped`.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KIT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(KIT, "bench"))

import torch  # noqa: E402

import tessera  # noqa: E402

BEYOND = 2**31


def equal(a, b, step=1 << 28):
    """Bitwise, in pieces, so that the comparison itself needs little memory."""
    a, b = a.view(-1), b.view(-1)
    return all(torch.equal(a[i : i + step], b[i : i + step]) for i in range(0, a.numel(), step))


def add(n):
    x = torch.arange(n, dtype=torch.float32, device="cuda")
    y = torch.full((n,), 0.5, device="cuda")
    z = torch.full((n,), float("nan"), device="cuda")
    kernel("vector-add", "vector_add")(x, y, z)
    return equal(z, x.add_(y))


def transpose(m, n):
    a = torch.arange(m * n, dtype=torch.float32, device="cuda").view(m, n)
    b = torch.full((n, m), float("nan"), device="cuda")
    kernel("transpose", "transpose")(a, b)
    return all(torch.equal(b[i : i + 4096], a[:, i : i + 4096].t()) for i in range(0, n, 4096))


def product(m, n, k):
    """Few columns, very many rows: C is small, A has more than 2**31 elements."""
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
    kernel("gemm-nn-128x128x64", "gemm_nn")(a, b, c)
    worst = 0.0
    for i in range(0, m, m // 8):
        want = a[i : i + m // 8].float() @ b.float()
        worst = max(worst, ((c[i : i + m // 8].float() - want).norm() / want.norm()).item())
    return worst < 2**-8


def kernel(example, name):
    return tessera.Module(os.path.join(KIT, "examples", example + ".cubin")).kernel(name)


CASES = [
    ("vector add, 2**31 + 1027 elements", add, (BEYOND + 1027,)),
    ("vector add, 2**31 + 4096 elements", add, (BEYOND + 4096,)),
    ("transpose 46344x46352", transpose, (46344, 46352)),
    ("transpose 46343x46351", transpose, (46343, 46351)),
    ("product with A of 1048584x2056", product, (1048584, 136, 2056)),
    ("product with A of 1048583x2055", product, (1048583, 136, 2055)),
]

if __name__ == "__main__":
    passed = failed = 0
    torch.backends.cuda.matmul.allow_tf32 = False
    for title, function, arguments in CASES:
        right = function(*arguments)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        passed, failed = passed + right, failed + (not right)
        print(f"{'ok   ' if right else 'WRONG'} {title}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)
