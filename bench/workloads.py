# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of work: their tensors, what a kernel's arguments mean, fp32 references, peers.

A kernel's arguments are recognised by their order and rank in its contract, not by name: the arrays
it reads in the order a mathematician would write them, then what it writes.
"""

import math

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "i1": torch.bool,
          "index": torch.int64}
ROTATED_BYTES = 256 << 20 # more than three times the size of L2, counting what one kernel touches
EPSILON = 1e-5


class Unsupported(Exception):
    pass


def _arrays(contract):
    return [arg for arg in contract["args"] if arg["kind"] == "memref"]


def _reads(arg):
    return arg.get("access", "readwrite") == "read"


def poison(tensor):
    return tensor.fill_(float("nan") if tensor.is_floating_point() else 0x5A)


def difference(found, wanted):
    """Relative Frobenius error; NaN if a NaN is left."""
    return ((found.float() - wanted).norm() / wanted.norm()).item()


class Workload:
    """One kind at one shape and element type. `sets` holds the buffers that timing rotates over."""

    unit, scale, flops = "TB/s", 1e-9, 0.0 # work per millisecond, times a scale
    tolerance = 1e-2

    def __init__(self, sizes, dtype, device, most_sets=64):
        self.sizes, self.dtype, self.device = sizes, dtype, device
        self.generator = torch.Generator(device=device).manual_seed(1234)
        first = self.make()
        used = sum(t.numel() * t.element_size() for t in first.values())
        count = max(2, min(most_sets, math.ceil(ROTATED_BYTES / used)))
        self.sets = [first] + [self.make() for _ in range(count - 1)]
        self.reference = self.expected(first)

    # The kinds define these.
    def make(self):
        raise NotImplementedError

    def expected(self, s):
        raise NotImplementedError

    def moved(self):
        """The bytes that must at least be read and written."""
        raise NotImplementedError

    def roles(self, contract):
        """For each array argument, the name of its tensor in a set."""
        raise NotImplementedError

    def peers(self):
        """{name: function of a set that fills s["out"] or returns the result}"""
        return {}

    def work(self):
        return self.moved()

    def random(self, *shape, scale=1.0):
        values = torch.randn(*shape, device=self.device, generator=self.generator, dtype=torch.float32)
        return (values * scale).to(self.dtype)

    def empty(self, *shape):
        return poison(torch.empty(*shape, device=self.device, dtype=self.dtype))

    def bind(self, contract, scalars):
        """[the arguments of the kernel for each set]"""
        roles = iter(self.roles(contract))
        plan = []
        for arg in contract["args"]:
            if arg["kind"] == "memref":
                role = next(roles)
                if DTYPES.get(arg["element"]) != self.sets[0][role].dtype:
                    raise Unsupported(f"argument {arg['name']} is {arg['element']}")
                plan.append((role, arg, None))
            elif arg["name"] in scalars:
                plan.append((None, arg, scalars[arg["name"]]))
            elif arg["name"].lower().startswith("eps"):
                plan.append((None, arg, EPSILON))
            else:
                raise Unsupported(f"scalar {arg['name']} has no value in shapes.json")
        return [[value if role is None else self._view(s[role], arg) for role, arg, value in plan] for s in self.sets]

    @staticmethod
    def _view(tensor, arg):
        """Elementwise kernels may take the array with another rank. Sizes that are constant in the kernel must fit."""
        rank = len(arg["shape"])
        if tensor.dim() != rank:
            if rank == 1:
                tensor = tensor.view(-1)
            elif tensor.dim() == 1 and rank == 2:
                tensor = tensor.view(1, -1)
            else:
                raise Unsupported(f"argument {arg['name']} has rank {rank}")
        for extent, size in zip(arg["shape"], tensor.shape):
            if isinstance(extent, int) and extent != size:
                raise Unsupported(f"argument {arg['name']} must have size {extent}, not {size}")
        return tensor

    @staticmethod
    def _expect(contract, reads, writes):
        arrays = _arrays(contract)
        found = [a for a in arrays if _reads(a)], [a for a in arrays if not _reads(a)]
        if (len(found[0]), len(found[1])) != (reads, writes):
            raise Unsupported(f"{len(found[0])} inputs and {len(found[1])} outputs, not {reads} and {writes}")
        return found

    @staticmethod
    def _in_order(contract, reads, writes):
        reads, writes = iter(reads), iter(writes)
        return [next(reads) if _reads(arg) else next(writes) for arg in _arrays(contract)]


class Gemm(Workload):
    """C = A B with accumulators in fp32; B may be stored transposed."""

    unit, scale = "TFLOP/s", 1e-9
    parameters = ()

    def make(self):
        m, n, k = (self.sizes[name] for name in "MNK")
        transposed = self.random(n, k)
        return {"A": self.random(m, k), "Bt": transposed, "B": transposed.t().contiguous(), "out": self.empty(m, n)}

    def expected(self, s):
        return s["A"].float() @ s["B"].float()

    def moved(self):
        m, n, k = (self.sizes[name] for name in "MNK")
        return (m * k + k * n + m * n) * self.sets[0]["A"].element_size()

    def work(self):
        return 2.0 * self.sizes["M"] * self.sizes["N"] * self.sizes["K"]

    def roles(self, contract):
        (a, b, *_), (c,) = self._expect(contract, 2 + len(self.parameters), 1)
        m, n = c["shape"]
        names = ["A" if a["shape"][0] == m else "At", "B" if b["shape"][1] == n else "Bt"]
        for name in names:
            if name not in self.sets[0]:
                raise Unsupported(f"operand {name} is not in this group")
        return self._in_order(contract, names + list(self.parameters), ["out"])

    def peers(self):
        return {"torch.mm NN (cuBLAS)": lambda s: torch.mm(s["A"], s["B"], out=s["out"]),
                "torch.mm NT (cuBLAS)": lambda s: torch.mm(s["A"], s["Bt"].t(), out=s["out"])}


class GemmTransposedA(Gemm):
    def make(self):
        s = super().make()
        return {**s, "At": s["A"].t().contiguous()}

    def peers(self):
        return {"torch.mm TN (cuBLAS)": lambda s: torch.mm(s["At"].t(), s["B"], out=s["out"]),
                "torch.mm TT (cuBLAS)": lambda s: torch.mm(s["At"].t(), s["Bt"].t(), out=s["out"])}


class GemmBiasGelu(Gemm):
    """gelu(A B + bias)."""

    parameters = ("bias",)

    def make(self):
        return {**super().make(), "bias": self.random(self.sizes["N"])}

    def expected(self, s):
        return torch.nn.functional.gelu(s["A"].float() @ s["B"].float() + s["bias"].float())

    def peers(self):
        return {"_addmm_activation NN (cuBLASLt)": lambda s: torch._addmm_activation(s["bias"], s["A"], s["B"], use_gelu=True),
                "_addmm_activation NT (cuBLASLt)": lambda s: torch._addmm_activation(s["bias"], s["A"], s["Bt"].t(), use_gelu=True),
                "addmm, gelu": lambda s: torch.nn.functional.gelu(torch.addmm(s["bias"], s["A"], s["B"]))}


class Attention(Workload):
    """The forward pass with heads of 128 elements and as many keys as queries."""

    unit, scale, causal = "TFLOP/s", 1e-9, False

    def make(self):
        shape = (self.sizes["B"], self.sizes["H"], self.sizes["S"], 128)
        return {**{name: self.random(*shape) for name in "QKV"}, "out": self.empty(*shape)}

    def expected(self, s):
        result = torch.empty(s["out"].shape, device=self.device)
        for batch in range(self.sizes["B"]):
            for head in range(self.sizes["H"]):
                q, k, v = (s[name][batch, head].float() for name in "QKV")
                scores = (q @ k.t()) * 128**-0.5
                if self.causal:
                    scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
                result[batch, head] = torch.softmax(scores, -1) @ v
        return result

    def moved(self):
        return 4 * self.sets[0]["Q"].numel() * 2

    def work(self):
        full = 4.0 * self.sizes["B"] * self.sizes["H"] * self.sizes["S"] ** 2 * 128
        return full / 2 if self.causal else full

    def roles(self, contract):
        self._expect(contract, 3, 1)
        return self._in_order(contract, "QKV", ["out"])

    def peers(self):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def peer(backend):
            def call(s):
                with sdpa_kernel(backend):
                    return torch.nn.functional.scaled_dot_product_attention(s["Q"], s["K"], s["V"], is_causal=self.causal)
            return call

        return {"sdpa (cuDNN)": peer(SDPBackend.CUDNN_ATTENTION), "sdpa (FlashAttention-2)": peer(SDPBackend.FLASH_ATTENTION)}


class AttentionCausal(Attention):
    causal = True


class Add(Workload):
    def make(self):
        shape = (self.sizes["M"], self.sizes["N"])
        return {"x": self.random(*shape), "y": self.random(*shape), "out": self.empty(*shape)}

    def expected(self, s):
        return s["x"].float() + s["y"].float()

    def moved(self):
        return 3 * self.sets[0]["x"].numel() * self.sets[0]["x"].element_size()

    def roles(self, contract):
        self._expect(contract, 2, 1)
        return self._in_order(contract, ["x", "y"], ["out"])

    def peers(self):
        return {"torch.add": lambda s: torch.add(s["x"], s["y"], out=s["out"])}


class Unary(Workload):
    """x -> out; out has as many bytes as x."""

    def make(self):
        shape = (self.sizes["M"], self.sizes["N"])
        return {"x": self.random(*shape), "out": self.empty(*self.result_shape(shape))}

    def result_shape(self, shape):
        return shape

    def moved(self):
        return 2 * self.sets[0]["x"].numel() * self.sets[0]["x"].element_size()

    def roles(self, contract):
        self._expect(contract, 1, 1)
        return self._in_order(contract, ["x"], ["out"])


class Copy(Unary):
    def expected(self, s):
        return s["x"].float()

    def peers(self):
        return {"torch copy_": lambda s: s["out"].copy_(s["x"])}


class Gelu(Unary):
    tolerance = 5e-3  # the tanh form and the erf form differ by less than this

    def expected(self, s):
        return torch.nn.functional.gelu(s["x"].float())

    def peers(self):
        gelu = torch.ops.aten.gelu.out
        return {"torch gelu": lambda s: gelu(s["x"], out=s["out"]),
                "torch gelu tanh": lambda s: gelu(s["x"], approximate="tanh", out=s["out"])}


class Transpose(Unary):
    def result_shape(self, shape):
        return shape[::-1]

    def expected(self, s):
        return s["x"].float().t()

    def peers(self):
        return {"torch transpose": lambda s: s["out"].copy_(s["x"].t())}


class Softmax(Unary):
    def expected(self, s):
        return torch.softmax(s["x"].float(), -1)

    def peers(self):
        softmax = torch.ops.aten._softmax.out
        return {"torch softmax": lambda s: softmax(s["x"], -1, False, out=s["out"])}


class Norm(Workload):
    """Norms of rows, with a weight and possibly a bias. If a kernel takes no weight or no bias, they are one and zero."""

    parameters = ("w", "b")

    def make(self):
        m, n = self.sizes["M"], self.sizes["N"]
        return {"x": self.random(m, n), "w": self.random(n), "b": self.random(n), "out": self.empty(m, n)}

    def moved(self):
        x = self.sets[0]["x"]
        return (2 * x.numel() + len(self.parameters) * x.shape[1]) * x.element_size()

    def roles(self, contract):
        self._expect(contract, 1 + len(self.parameters), 1)
        return self._in_order(contract, ["x", *self.parameters], ["out"])


class LayerNorm(Norm):
    def expected(self, s):
        return torch.nn.functional.layer_norm(s["x"].float(), s["w"].shape, s["w"].float(), s["b"].float(), EPSILON)

    def peers(self):
        return {"torch layer_norm": lambda s: torch.nn.functional.layer_norm(s["x"], s["w"].shape, s["w"], s["b"], EPSILON)}


class RmsNorm(Norm):
    parameters = ("w",)

    def expected(self, s):
        x = s["x"].float()
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * s["w"].float()

    def peers(self):
        return {"torch rms_norm": lambda s: torch.nn.functional.rms_norm(s["x"], s["w"].shape, s["w"], EPSILON)}


class ColumnSum(Workload):
    def make(self):
        return {"x": self.random(self.sizes["M"], self.sizes["N"]), "out": self.empty(self.sizes["N"])}

    def expected(self, s):
        return s["x"].double().sum(0).float()

    def moved(self):
        return self.sets[0]["x"].numel() * self.sets[0]["x"].element_size()

    def roles(self, contract):
        self._expect(contract, 1, 1)
        return self._in_order(contract, ["x"], ["out"])

    def peers(self):
        return {"torch sum": lambda s: torch.sum(s["x"], 0, out=s["out"])}


KINDS = {"gemm": Gemm, "gemm_transposed_a": GemmTransposedA, "gemm_bias_gelu": GemmBiasGelu, "attention": Attention,
         "attention_causal": AttentionCausal, "add": Add, "copy": Copy, "gelu": Gelu, "transpose": Transpose,
         "softmax": Softmax, "layer_norm": LayerNorm, "rms_norm": RmsNorm, "column_sum": ColumnSum}


def ceilings(workload):
    """Copies that move as many bytes as the workload must: {name: function of the set's number}."""
    half = workload.moved() // 2 // 2  # elements of 2 bytes
    count = max(2, min(64, math.ceil(ROTATED_BYTES / (4 * max(1, half)))))
    device = workload.device
    pairs = [(torch.randn(half, device=device).bfloat16(), torch.empty(half, device=device, dtype=torch.bfloat16))
             for _ in range(count)]
    return {"copy_": lambda i: pairs[i % count][1].copy_(pairs[i % count][0]),
            "mul": lambda i: torch.mul(pairs[i % count][0], 1.0, out=pairs[i % count][1])}
