# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the examples compute, in numpy: floats in float64, from inputs of the type that the programs take.

`EXAMPLES` maps the name of an example to its cases. A case is one kernel with its arguments (name, element type, symbolic
shape), the reference function, and the shapes worth testing: 1, primes, tiles exactly, tiles and one more or one less.
The functions of kernels with indices, routes and random numbers are in `reference_indexed.py`, those of the family of attention
in `reference_attention.py`.
"""
import math

import ml_dtypes
import numpy as np

import reference_attention as family
import reference_indexed as indexed

bf16 = ml_dtypes.bfloat16
f8 = ml_dtypes.float8_e4m3fn


# --- The functions. Arrays of floats come as float64, and so does the result; of several results there is a list. ---


def vector_add(x, y):
    return x + y


def gelu_erf(x):
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def rms_norm(x, w, eps):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * w


def layer_norm(x, gain, bias, eps):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d**2).mean(axis=-1, keepdims=True) + eps) * gain + bias


def layer_norm_backward(x, d, gain, mean, r):
    h, w = (x - mean[:, None]) * r[:, None], d * gain
    along = h * (w * h).mean(axis=-1, keepdims=True)
    return [r[:, None] * (w - w.mean(axis=-1, keepdims=True) - along), (d * h).sum(axis=0), d.sum(axis=0)]


def pool(reduction):
    def function(x):
        b, h, w, c = x.shape
        return reduction(x[:, : h // 2 * 2, : w // 2 * 2].reshape(b, h // 2, 2, w // 2, 2, c), axis=(2, 4))

    return function


def conv3x3(x, f):
    rows, pixels = x.shape[1:3]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return sum(padded[:, dy : dy + rows, dx : dx + pixels] @ f[dy, dx] for dy in range(3) for dx in range(3))


def conv3x3_stride2(x, f):
    return conv3x3(x, f)[:, ::2, ::2]


def transpose(a):
    return a.T


def column_sum(x):
    return x.sum(axis=0)


def cumulative_sum(x):
    return np.cumsum(x)


def interval_dot(a, low, high):
    """The bounds themselves; test/Examples/enclosure.py tests that those of the program lie outside of them."""
    return [np.where(a < 0, a * high, a * low).sum(axis=1), np.where(a < 0, a * low, a * high).sum(axis=1)]


def order_ends(random, arrays):
    """Intervals; some are one number."""
    wide = np.abs(arrays["XU"]) * (random.random(arrays["XU"].shape) < 0.8)
    arrays["XU"][...] = arrays["XL"] + wide.astype(np.float32)


def linear_recurrence(a, b):
    h = np.zeros_like(b)
    for t in range(b.shape[1]):
        h[:, t] = b[:, t] if t == 0 else a[:, t] * h[:, t - 1] + b[:, t]
    return h


def gemm_nn(a, b):
    return a @ b


def gemm_nt(a, b):
    return a @ b.T


def gemm_tn(a, b):
    return a.T @ b


def gemm_tt(a, b):
    return a.T @ b.T


def gemm_bias_gelu(a, b, bias):
    return gelu_tanh(a @ b + bias)


def gemm_residual(a, b, r):
    return a @ b + r


def gemm_scales_silu(a, b, rowscale, colscale):
    z = (a @ b) * rowscale[:, None] * colscale
    return z / (1 + np.exp(-z))


def gemm_scales(a, b, rowscale, colscale):
    return (a @ b.T) * rowscale[:, None] * colscale


def gemm_block_scales(a, b, ascale, bscale):
    c = np.zeros((a.shape[0], b.shape[0]))
    for k in range(0, a.shape[1], 128):
        rows, columns = ascale[k // 128, :, None], np.repeat(bscale[:, k // 128], 128)[: b.shape[0]]
        c += (a[:, k : k + 128] @ b[:, k : k + 128].T) * rows * columns
    return c


def fill_bytes(random, arrays):
    for array in arrays.values():
        if array.dtype == np.int8:
            array[...] = random.integers(-128, 128, array.shape)


def batched_gemm(a, b):
    return a @ b


def attention(q, k, v, scale, causal=False):
    s = scale * (q @ np.swapaxes(k, -1, -2))
    if causal:
        queries, keys = s.shape[-2:]
        visible = np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
        s = np.where(visible, s, -np.inf)
    m = np.maximum(s.max(axis=-1, keepdims=True, initial=-1e30), -1e30)
    p = np.exp(s - m)
    total = p.sum(axis=-1, keepdims=True)
    return (p @ v) / np.where(total == 0, 1, total)


def attention_causal(q, k, v, scale):
    return attention(q, k, v, scale, causal=True)


def gemm_i4(x, w, s):
    low, high = (w & 15 ^ 8) - 8, w >> 4
    numbers = np.stack([low, high], axis=-1).reshape(w.shape[0], -1)
    return x @ (numbers * np.repeat(s, 128, axis=0)[: numbers.shape[1]].T).T


def gemm_i4_scaled(x, w, s):
    low, high = (w & 15 ^ 8) - 8, w >> 4
    numbers = np.stack([low, high], axis=-1).reshape(w.shape[0], -1)
    scaled = numbers * np.repeat(s, 128, axis=0)[: numbers.shape[1]].T
    return x @ scaled.astype(bf16).astype(np.float64).T


def gemm_w8(x, w, s):
    return x @ (w * s[:, None]).T


def make_bytes(random, arrays):
    arrays["W"][:] = random.integers(-128, 128, arrays["W"].shape)


def make_unsorted(random, arrays):
    x = arrays["X"].reshape(-1)
    x[random.permutation(x.size)[: x.size // 3]] = random.choice(np.float32([0, 1, np.inf, -np.inf, np.nan]), x.size // 3)


# --- The cases. ---


class Case:
    """One kernel. `inputs` and `output` are (name, element type, shape), a shape a list of names and numbers; a scalar
    input is (name, value). The arguments of the kernel are the inputs, then the output, or several in a list; an output
    may have tolerances of its own after its shape. Inputs are normal random numbers, and zeros if they are integers, until
    `prepare(random, arrays by name)` changes them. It may make an argument a table of addresses: a list of arrays for an
    input, a list of shapes for an output. Then the function takes or returns such a list. A `sized` function gets the
    shape, by names, after the inputs."""

    def __init__(self, kernel, function, inputs, output, shapes, rtol, atol, prepare=None, sized=False):
        self.kernel, self.function = kernel, function
        self.inputs, self.output = inputs, output
        self.shapes, self.rtol, self.atol = shapes, rtol, atol
        self.prepare, self.sized = prepare, sized

    @property
    def outputs(self):
        """(name, element type, shape, rtol, atol) of each."""
        every = self.output if isinstance(self.output, list) else [self.output]
        return [tuple(output) + (self.rtol, self.atol)[len(output) - 3 :] for output in every]


def shapes(names, *rows):
    return [dict(zip(names.split(), row)) for row in rows]


def halved(cases):
    """With P and Q, half of H and W, rounded up: the output of a stride of 2."""
    return [dict(case, P=-(-case["H"] // 2), Q=-(-case["W"] // 2)) for case in cases]


# bf16 keeps 8 bits: half a unit of the last place is 2**-8 = 3.9e-3; a little more for sums in f32 in another order.
BF16 = dict(rtol=4e-3, atol=1e-4)
F32 = dict(rtol=2e-6, atol=1e-6)

VECTOR = shapes("N", (1,), (7,), (1023,), (1024,), (1025,), (4096,), (10007,))
GEMM = shapes(
    "M N K", (1, 1, 1), (7, 11, 13), (128, 256, 64), (127, 255, 63), (129, 257, 65), (256, 512, 192), (97, 300, 151), (64, 512, 1), (5, 4, 0), (0, 5, 3)
)


def gemm(kernel, function, a, b):
    return [
        Case(kernel, function, [("A", bf16, a), ("B", bf16, b)], ("C", bf16, ["M", "N"]), GEMM, **BF16)
    ]


def softmax_case(kernel, rows):
    matrix = ["M", "N"]
    return Case(
        kernel, softmax, [("X", np.float32, matrix)], ("Y", np.float32, matrix), shapes("M N", *rows), rtol=1e-5, atol=1e-7
    )


def layer_norm_backward_case(kernel):
    return Case(
        kernel,
        layer_norm_backward,
        [("X", bf16, ["M", "N"]), ("D", bf16, ["M", "N"]), ("G", bf16, ["N"]), ("mean", np.float32, ["M"]), ("r", np.float32, ["M"])],
        [("DX", bf16, ["M", "N"]), ("DG", np.float32, ["N"], 1e-5, 1e-3), ("DB", np.float32, ["N"], 1e-5, 1e-3)],
        shapes("M N", (1, 1), (3, 7), (33, 1009), (5, 4096), (1100, 130)),
        rtol=4e-3,
        atol=1e-4,
    )


def attention_case(kernel, function):
    queries, keys = ["B", "H", "S", 128], ["B", "H", "T", 128]
    return Case(
        kernel,
        function,
        [("Q", bf16, queries), ("K", bf16, keys), ("V", bf16, keys), ("scale", 128**-0.5)],
        ("O", bf16, queries),
        # P is rounded to bf16 before it meets V.
        shapes("B H S T", (1, 1, 1, 1), (1, 2, 128, 128), (2, 1, 127, 129), (1, 1, 257, 131), (1, 1, 50, 300), (1, 1, 300, 50)),
        rtol=1e-2,
        atol=1e-2,
    )


EXAMPLES = {
    "vector-add": [
        Case(
            "vector_add", vector_add, [("x", np.float32, ["N"]), ("y", np.float32, ["N"])], ("z", np.float32, ["N"]), VECTOR, **F32
        )
    ],
    "gelu": [
        Case("gelu_erf", gelu_erf, [("x", bf16, ["N"])], ("y", bf16, ["N"]), VECTOR, **BF16),
        Case("gelu_tanh", gelu_tanh, [("x", bf16, ["N"])], ("y", bf16, ["N"]), VECTOR, **BF16),
    ],
    "softmax": [
        softmax_case("softmax_1024", [(1, 1), (3, 7), (5, 1023), (2, 1024)]),
        softmax_case("softmax_2048", [(3, 1025), (2, 2048)]),
        softmax_case("softmax_4096", [(2, 2049), (1, 4096)]),
        softmax_case("softmax_8192", [(1, 1), (2, 5003), (1, 8192)]),
        softmax_case("softmax_any", [(1, 1), (3, 2047), (2, 2048), (2, 2049), (2, 10007)]),
    ],
    "softmax-bf16": [
        Case(
            "softmax_bf16",
            softmax,
            [("X", bf16, ["M", "N"])],
            ("Y", bf16, ["M", "N"]),
            shapes("M N", (1, 1), (3, 7), (5, 1023), (2, 5003), (3, 8192)),
            **BF16,
        )
    ],
    "softmax-rows": [softmax_case("softmax", [(1, 1), (3, 7), (5, 1023), (2, 1024)])],
    "rms-norm": [
        Case(
            "rms_norm",
            rms_norm,
            [("X", bf16, ["M", "N"]), ("W", bf16, ["N"]), ("eps", 1e-6)],
            ("Y", bf16, ["M", "N"]),
            shapes("M N", (1, 1), (3, 7), (5, 1009), (2, 8192), (7, 4096)),
            **BF16,
        )
    ],
    "layer-norm": [
        Case(
            "layer_norm",
            layer_norm,
            [("X", bf16, ["M", "N"]), ("G", bf16, ["N"]), ("B", bf16, ["N"]), ("eps", 1e-5)],
            ("Y", bf16, ["M", "N"]),
            shapes("M N", (1, 1), (3, 7), (5, 1009), (2, 8192), (7, 4096)),
            **BF16,
        )
    ],
    "layer-norm-backward": [layer_norm_backward_case("layer_norm_backward")],
    "layer-norm-backward-lock": [layer_norm_backward_case("layer_norm_backward_lock")],
    "pooling": [
        Case(
            kernel,
            pool(reduction),
            [("X", bf16, ["B", "H", "W", "C"])],
            ("Y", bf16, ["B", "P", "Q", "C"]),
            [dict(shape, P=shape["H"] // 2, Q=shape["W"] // 2) for shape in shapes("B H W C", (1, 2, 2, 1), (2, 5, 7, 3), (1, 4, 32, 64), (1, 3, 67, 65), (2, 1, 9, 8))],
            rtol=4e-3,
            atol=1e-6,
        )
        for kernel, reduction in (("average_pool", np.mean), ("max_pool", np.max))
    ],
    "conv3x3": [
        Case(
            "conv3x3",
            conv3x3,
            [("X", bf16, ["B", "H", "W", "C"]), ("F", bf16, [3, 3, "C", "K"])],
            ("Y", bf16, ["B", "H", "W", "K"]),
            shapes("B H W C K", (1, 1, 1, 1, 1), (2, 3, 5, 7, 3), (1, 2, 64, 64, 256), (1, 3, 65, 72, 264), (2, 4, 33, 130, 17), (1, 2, 3, 0, 4)),
            **BF16,
        )
    ],
    "conv3x3-stride2-tiles": [
        Case(
            "conv3x3_stride2",
            conv3x3_stride2,
            [("X", bf16, ["B", "H", "W", "C"]), ("F", bf16, [3, 3, "C", "K"])],
            ("Y", bf16, ["B", "P", "Q", "K"]),
            halved(shapes("B H W C K", (1, 1, 1, 1, 1), (2, 3, 5, 7, 3), (1, 2, 64, 64, 256), (1, 3, 65, 72, 264), (2, 4, 33, 130, 17), (1, 2, 3, 0, 4))),
            **BF16,
        )
    ],
    "bitonic-sort": [
        Case(
            "bitonic_sort",
            lambda x: np.sort(x, axis=-1),
            [("X", np.float32, ["M", "N"])],
            ("Y", np.float32, ["M", "N"]),
            shapes("M N", (1, 1), (3, 7), (5, 1000), (4, 1023), (7, 1024)),
            rtol=0,
            atol=0,
            prepare=make_unsorted,
        )
    ],
    "gemm-i4": [
        Case(
            "gemm_i4",
            gemm_i4,
            [("X", bf16, ["M", "K"]), ("W", np.int8, ["N", "B"]), ("S", bf16, ["G", "N"])],
            ("C", bf16, ["M", "N"]),
            [dict(shape, B=shape["K"] // 2, G=-(-shape["K"] // 128)) for shape in
             shapes("M N K", (1, 1, 2), (16, 128, 128), (7, 130, 258), (17, 300, 130), (33, 256, 512), (16, 5, 0), (3, 1000, 1026))],
            rtol=4e-3,
            atol=1e-3,
            prepare=make_bytes,
        )
    ],
    "gemm-i4-tiles": [
        Case(
            "gemm_i4",
            gemm_i4_scaled,
            [("X", bf16, ["M", "K"]), ("W", np.int8, ["N", "B"]), ("S", bf16, ["G", "N"])],
            ("C", bf16, ["M", "N"]),
            [dict(shape, B=shape["K"] // 2, G=-(-shape["K"] // 128)) for shape in
             shapes("M N K", (1, 1, 2), (256, 128, 128), (7, 130, 258), (300, 300, 130), (16, 5, 0))],
            rtol=4e-3,
            atol=1e-3,
            prepare=make_bytes,
        )
    ],
    "gemm-w8": [
        Case(
            "gemm_w8",
            gemm_w8,
            [("X", bf16, ["M", "K"]), ("W", np.int8, ["N", "K"]), ("S", bf16, ["N"])],
            ("C", bf16, ["M", "N"]),
            GEMM,
            rtol=4e-3,
            atol=1e-3,
            prepare=make_bytes,
        )
    ],
    "transpose": [
        Case(
            "transpose",
            transpose,
            [("A", np.float32, ["M", "N"])],
            ("B", np.float32, ["N", "M"]),
            shapes("M N", (1, 1), (1, 100), (64, 64), (63, 65), (128, 192), (131, 67)),
            rtol=0,
            atol=0,
        )
    ],
    "column-sum": [
        Case(
            "column_sum",
            column_sum,
            [("X", np.float32, ["M", "N"])],
            ("Y", np.float32, ["N"]),
            shapes("M N", (1, 1), (256, 128), (255, 127), (257, 129), (1000, 300), (17001, 5)),
            rtol=1e-5,
            atol=1e-3,
        )
    ],
    "interval-dot": [
        Case(
            "interval_dot",
            interval_dot,
            [("A", np.float32, ["M", "K"]), ("XL", np.float32, ["K"]), ("XU", np.float32, ["K"])],
            [("L", np.float32, ["M"]), ("U", np.float32, ["M"])],
            shapes("M K", (1, 1), (31, 127), (32, 128), (33, 129), (7, 1000), (100, 5000)),
            rtol=1e-5,
            atol=1e-3,
            prepare=order_ends,
        )
    ],
    "cumulative-sum": [
        Case(
            "cumulative_sum",
            cumulative_sum,
            [("X", np.float32, ["N"])],
            ("Y", np.float32, ["N"]),
            shapes("N", (1,), (1023,), (1024,), (1025,), (100_000,), (1_100_000,)),
            rtol=1e-5,
            atol=1e-3,
        )
    ],
    "linear-recurrence": [
        Case(
            "linear_recurrence",
            linear_recurrence,
            [("A", np.float32, ["M", "T"]), ("B", np.float32, ["M", "T"])],
            ("H", np.float32, ["M", "T"]),
            shapes("M T", (1, 1), (4, 512), (3, 513), (9, 1500)),
            rtol=1e-5,
            atol=1e-4,
        )
    ],
    "gemm-nn": gemm("gemm_nn", gemm_nn, ["M", "K"], ["K", "N"]),
    "gemm-nn-128x128x64": gemm("gemm_nn", gemm_nn, ["M", "K"], ["K", "N"]),
    "gemm-nn-64x256x64": gemm("gemm_nn", gemm_nn, ["M", "K"], ["K", "N"]),
    "gemm": gemm("gemm_nt", gemm_nt, ["M", "K"], ["N", "K"]),
    "gemm-nt": gemm("gemm_nt", gemm_nt, ["M", "K"], ["N", "K"]),
    "gemm-nt-128x128x64": gemm("gemm_nt", gemm_nt, ["M", "K"], ["N", "K"]),
    "gemm-nt-64x256x64": gemm("gemm_nt", gemm_nt, ["M", "K"], ["N", "K"]),
    "gemm-tn": gemm("gemm_tn", gemm_tn, ["K", "M"], ["K", "N"]),
    "gemm-tt": gemm("gemm_tt", gemm_tt, ["K", "M"], ["N", "K"]),
    "gemm-bias-gelu": [
        Case(
            "gemm_bias_gelu",
            gemm_bias_gelu,
            [("A", bf16, ["M", "K"]), ("B", bf16, ["K", "N"]), ("bias", bf16, ["N"])],
            ("C", bf16, ["M", "N"]),
            GEMM,
            **BF16,
        )
    ],
    "gemm-scales-silu": [
        Case(
            "gemm_scales_silu",
            gemm_scales_silu,
            [("A", bf16, ["M", "K"]), ("B", bf16, ["K", "N"]), ("rowscale", np.float32, ["M"]), ("colscale", np.float32, ["N"])],
            ("C", bf16, ["M", "N"]),
            GEMM,
            **BF16,
        )
    ],
    "gemm-int8": [
        Case(
            "gemm_int8",
            gemm_scales,
            [("A", np.int8, ["M", "K"]), ("B", np.int8, ["N", "K"]), ("rowscale", np.float32, ["M"]), ("colscale", np.float32, ["N"])],
            ("C", bf16, ["M", "N"]),
            GEMM,
            **BF16,
            prepare=fill_bytes,
        )
    ],
    # Each factor keeps 10 bits of its fraction; the others are dropped.
    "gemm-tf32": [
        Case("gemm_tf32", gemm_nt, [("A", np.float32, ["M", "K"]), ("B", np.float32, ["N", "K"])], ("C", np.float32, ["M", "N"]), GEMM, rtol=4e-3, atol=4e-2)
    ],
    "gemm-f64": [
        Case("gemm_f64", gemm_nn, [("A", np.float64, ["M", "K"]), ("B", np.float64, ["K", "N"])], ("C", np.float64, ["M", "N"]), GEMM, rtol=1e-12, atol=1e-12)
    ],
    "gemm-fp8": [
        Case(
            "gemm_fp8",
            gemm_scales,
            [("A", f8, ["M", "K"]), ("B", f8, ["N", "K"]), ("rowscale", np.float32, ["M"]), ("colscale", np.float32, ["N"])],
            ("C", bf16, ["M", "N"]),
            GEMM,
            # The tensor cores keep 13 bits of a sum's fraction.
            rtol=4e-3,
            atol=2e-2,
        )
    ],
    "gemm-fp8-blocks": [
        Case(
            "gemm_fp8_blocks",
            gemm_block_scales,
            [("A", f8, ["M", "K"]), ("B", f8, ["N", "K"]), ("ascale", np.float32, ["KB", "M"]), ("bscale", np.float32, ["NB", "KB"])],
            ("C", bf16, ["M", "N"]),
            [dict(shape, NB=-(-shape["N"] // 128), KB=-(-shape["K"] // 128)) for shape in GEMM],
            rtol=4e-3,
            atol=2e-2,
        )
    ],
    "gemm-residual": [
        Case(
            "gemm_residual",
            gemm_residual,
            [("A", bf16, ["M", "K"]), ("B", bf16, ["K", "N"]), ("R", bf16, ["M", "N"])],
            ("C", bf16, ["M", "N"]),
            GEMM,
            **BF16,
        )
    ],
    "batched-gemm": [
        Case(
            "batched_gemm",
            batched_gemm,
            [("A", bf16, ["Z", "M", "K"]), ("B", bf16, ["Z", "K", "N"])],
            ("C", bf16, ["Z", "M", "N"]),
            shapes("Z M N K", (1, 1, 1, 1), (3, 128, 128, 64), (5, 127, 129, 65), (2, 31, 200, 100), (2, 136, 520, 136)),
            **BF16,
        )
    ],
    "attention-guarded": [attention_case("attention_guarded", attention)],
    "attention": [attention_case("attention", attention), attention_case("attention_causal", attention_causal)],
}

# The same in a text with parameters.
EXAMPLES["gemm-nn-tiles"] = EXAMPLES["gemm-nn"]
for name in ("rms-norm", "layer-norm"):
    EXAMPLES[name + "-rows"] = EXAMPLES[name]
for name in ("attention", "batched-gemm", "conv3x3"):
    EXAMPLES[name + "-tiles"] = EXAMPLES[name]

# For examples with parameters: ragged shapes by a binding, so that tiles overhang, and one that is smaller than a tile.
# Rows in pieces (WAY 2) have several.
ROWS = lambda p: shapes("M N", (p["R"] + 1, p["W"] - 1 if p["WAY"] == 1 else 2 * p["W"] + 1), (1, 3))
MEMBERS = {
    "gemm": lambda p: shapes("M N K", (p["BM"] + 1, p["BN"] - 1, p["BK"] + 3), (5, 3, 2)),
    "gemm-nn-tiles": lambda p: shapes("M N K", (p["BM"] + 1, p["BN"] - 1, p["BK"] + 3), (5, 3, 2)),
    "gemm-w8": lambda p: shapes("M N K", (p["BM"] + 1, p["BN"] - 1, p["BK"] + 3), (5, 3, 2)),
    "gemm-i4-tiles": lambda p: [dict(shape, B=shape["K"] // 2, G=-(-shape["K"] // 128)) for shape in shapes("M N K", (p["BM"] + 1, p["BN"] - 1, p["BK"] + 2), (5, 3, 2))],
    "softmax-rows": ROWS,
    "rms-norm-rows": ROWS,
    "layer-norm-rows": ROWS,
    "batched-gemm-tiles": lambda p: shapes("Z M N K", (2, p["BM"] + 1, p["BN"] - 1, p["BK"] + 3), (2, 5, 3, 2)),
    "conv3x3-stride2-tiles": lambda p: halved(
        shapes("B H W C K", (p["PB"] + 1, 2 * p["PY"] + 1, 2 * p["PX"] - 2, 5, p["BN"] - 1), (1, 3, 2 * p["PX"] + 1, 66, 3))
    ),
    "conv3x3-tiles": lambda p: shapes("B H W C K", (p["PB"] + 1, p["PY"] + 1, p["PX"] - 1, 5, p["BN"] - 1), (1, 3, p["PX"] + 1, 66, 3)),
    "attention-tiles": lambda p: shapes("B H S T", (1, 1, p["BQ"] + 1, p["BK"] + 3), (1, 1, 5, 3)),
}

EXAMPLES |= indexed.examples(Case, shapes) | family.examples(Case, shapes)
