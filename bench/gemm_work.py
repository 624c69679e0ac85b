# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of matrix products, their fp32 reference, and how far a result may be from it."""

import math

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
ROTATED_BYTES = 192 << 20 # more than three times the size of L2
HALF_ULP = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
SMALLEST = {"f64": 0.0, "f32": 2.0**-126, "f16": 2.0**-24, "bf16": 2.0**-126}
# The tanh form and the erf form of GELU, and tanh.approx, differ by less than this.
ACTIVATION_ATOL = {"": 0.0, "relu": 0.0, "silu": 2e-3, "gelu": 4e-3, "gelu_erf": 2e-3}
FROBENIUS = 1e-2
SMALLEST_SCALE, LARGEST_SCALE = 0.5, 1.5 # for each row and column


def activate(x, activation):
    functional = torch.nn.functional
    if activation in ("gelu", "gelu_erf"):
        return functional.gelu(x, approximate="tanh" if activation == "gelu" else "none")
    return functional.relu(x) if activation == "relu" else functional.silu(x) if activation == "silu" else x


def reference(a, b, bias=None, residual=None, activation="", alpha=1.0, rowscale=None, colscale=None):
    """fp32; a and b are M x K and K x N whatever their strides."""
    sums = torch.matmul(a.float(), b.float())
    if alpha != 1.0:
        sums *= alpha
    if rowscale is not None:
        sums *= rowscale.float()[:, None]
    if colscale is not None:
        sums *= colscale.float()
    if bias is not None:
        sums += bias.float()
    sums = activate(sums, activation)
    return sums if residual is None else sums.add_(residual.float())


def summation_atol(k, scale=1.0):
    """The error that a sum of k products of normal numbers in fp32 may have: from our rounding (tensor cores truncate) and from that of
    the reference. A product that is left out or taken twice is about `scale`."""
    k = max(k, 16)
    return scale * (2.0**-21 * k + 2.0**-24 * k**1.5)


def judge(found, wanted, result, atol):
    """(relative Frobenius error, worst element's error over what is allowed: at most 1 if right). NaN if any is."""
    if found.numel() == 0:
        return 0.0, 0.0
    found, wanted = found.reshape(-1, found.shape[-1]), wanted.reshape(-1, wanted.shape[-1])
    step = max(1, (1 << 26) // max(1, found.shape[1]))
    worst, error, norm = [], 0.0, 0.0
    for row in range(0, found.shape[0], step):
        want = wanted[row:row + step]
        difference = found[row:row + step].float() - want
        error = error + difference.square().sum(dtype=torch.float64)
        norm = norm + want.square().sum(dtype=torch.float64)
        allowed = want.abs().mul_(1.02 * HALF_ULP[result]).add_(atol + SMALLEST[result])
        worst.append(difference.abs_().div_(allowed).max())
    return torch.sqrt(error / norm.clamp(min=1e-30)).item(), torch.stack(worst).max().item()


def random_scales(count, device, generator):
    values = torch.rand(count, device=device, generator=generator, dtype=torch.float32)
    return values.mul_(LARGEST_SCALE - SMALLEST_SCALE).add_(SMALLEST_SCALE)


def sets_of(used):
    """The number of sets of buffers that are three times as large as L2. Tiny products stay in L2."""
    return 1 if used > 2 * ROTATED_BYTES else min(128, max(2, math.ceil(ROTATED_BYTES / max(1, used))))


class Work:
    """The operands of one row: `sets` are what timing rotates over. A and B are the operands as they are
    stored, a(s) and b(s) as they are multiplied."""

    def __init__(self, row, device):
        self.row, self.device = row, device
        self.m, self.n, self.k, self.z = row["M"], row["N"], row["K"], row.get("Z", 0)
        self.layout, self.element, self.epilogue = row["layout"], row["element"], row.get("epilogue", "")
        words = self.epilogue.split("+")
        self.activation = next((word for word in words if word in ACTIVATION_ATOL), "")
        # The products are about 1 if a nonlinear function follows.
        self.scale = self.k**-0.5 if self.activation else 1.0
        self.generator = torch.Generator(device=device).manual_seed(1234)
        first = self.make()
        used = sum(tensor.numel() * tensor.element_size() for tensor in first.values())
        self.sets = [first] + [self.make() for _ in range(sets_of(used) - 1)]
        self.reference = reference(self.a(first), self.b(first), first.get("bias"), first.get("residual"), self.activation,
                                   rowscale=first.get("rowscale"), colscale=first.get("colscale"))
        scales = LARGEST_SCALE ** sum(word in ("rowscale", "colscale") for word in words)
        self.atol = summation_atol(self.k, self.scale * scales) + ACTIVATION_ATOL[self.activation]
        self.flops = 2.0 * max(1, self.z) * self.m * self.n * self.k

    def random(self, *shape, scale=1.0):
        shape = (self.z, *shape) if self.z and len(shape) == 2 else shape
        values = torch.randn(*shape, device=self.device, generator=self.generator, dtype=torch.float32)
        return (values.mul_(scale) if scale != 1.0 else values).to(DTYPES[self.element])

    def make(self):
        m, n, k = self.m, self.n, self.k
        made = {"A": self.random(*((m, k) if self.layout[0] == "n" else (k, m))),
                "B": self.random(*((k, n) if self.layout[1] == "n" else (n, k)), scale=self.scale)}
        for word, extent in (("rowscale", m), ("colscale", n)):
            if word in self.epilogue:
                made[word] = random_scales(extent, self.device, self.generator)
        if "bias" in self.epilogue:
            made["bias"] = self.random(n)
        if "residual" in self.epilogue:
            made["residual"] = self.random(m, n)
        made["C"] = torch.empty(*((self.z, m, n) if self.z else (m, n)), device=self.device, dtype=DTYPES[self.element])
        return made

    def a(self, s):
        return s["A"] if self.layout[0] == "n" else s["A"].transpose(-1, -2)

    def b(self, s):
        return s["B"] if self.layout[1] == "n" else s["B"].transpose(-1, -2)

    def judge(self, found):
        return judge(found, self.reference, self.element, self.atol)

    def torch_peers(self):
        """{name: function of a set}; it returns the result, or leaves it in C."""
        a, b = self.a, self.b
        if self.z:
            return {"torch.bmm (cuBLAS)": lambda s: torch.bmm(a(s), b(s), out=s["C"])}
        if self.epilogue == "":
            return {"torch.mm (cuBLAS)": lambda s: torch.mm(a(s), b(s), out=s["C"])}
        if self.epilogue == "bias+gelu":
            return {"torch._addmm_activation (cuBLASLt)": lambda s: torch._addmm_activation(s["bias"], a(s), b(s), use_gelu=True),
                    "eager addmm, gelu": lambda s: torch.nn.functional.gelu(torch.addmm(s["bias"], a(s), b(s)), approximate="tanh")}
        if self.epilogue == "bias":
            return {"torch.addmm (cuBLASLt)": lambda s: torch.addmm(s["bias"], a(s), b(s), out=s["C"])}
        if self.epilogue == "bias+silu":
            return {"eager addmm, silu": lambda s: torch.nn.functional.silu(torch.addmm(s["bias"], a(s), b(s)))}
        if self.epilogue == "residual":
            return {"torch.addmm (cuBLAS)": lambda s: torch.addmm(s["residual"], a(s), b(s), out=s["C"])}
        return {"eager": lambda s: self._eager(s)}

    def _eager(self, s):
        out = torch.matmul(self.a(s), self.b(s))
        # Factors in fp32 would make the whole computation fp32. Programs in eager mode keep factors in the type of the product.
        out = out * s["rowscale"].to(out.dtype)[:, None] if "rowscale" in s else out
        out = out * s["colscale"].to(out.dtype) if "colscale" in s else out
        out = activate(out + s["bias"] if "bias" in s else out, self.activation)
        return out + s["residual"] if "residual" in s else out

    def compiled_peers(self):
        """torch.compile of the eager form; it compiles on the first call."""
        return {"torch.compile": torch.compile(self._eager, dynamic=False)} if self.epilogue else {}
