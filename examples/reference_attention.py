# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The family of attention: functions and cases for `reference.py`."""
import ml_dtypes
import numpy as np

bf16 = ml_dtypes.bfloat16


# --- Functions. ---


def places(queries, keys):
    """The place of each key, and the last place that each query sees: both sequences end together."""
    return np.arange(keys), np.arange(queries)[:, None] + keys - queries


def causal(queries, keys):
    key, own = places(queries, keys)
    return key <= own


def everything(queries, keys):
    return np.ones((queries, keys), bool)


def attend(q, k, v, logits, visible):
    """Output and logarithm of the sum for each head of queries; heads of keys and values are shared by as many as there are for each.
    `logits` makes what the softmax takes of the products of queries and keys."""
    share = q.shape[1] // max(k.shape[1], 1)
    k, v = np.repeat(k, share, axis=1), np.repeat(v, share, axis=1)
    s = np.where(visible, logits(q @ np.swapaxes(k, -1, -2)), -np.inf)
    m = s.max(axis=-1, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(m), 0, m)
    p = np.exp(s - top)
    total = p.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        return (p @ v) / np.where(total == 0, 1, total), (top + np.log(total))[..., 0]


def attention_gqa(q, k, v, scale):
    return list(attend(q, k, v, lambda s: scale * s, causal(q.shape[2], k.shape[2])))


def backward(visible):
    """The gradients of queries, keys and values, where `visible` says what each query sees."""

    def function(q, k, v, o, do, lse, scale):
        shape, share = k.shape, q.shape[1] // max(k.shape[1], 1)
        k, v = np.repeat(k, share, axis=1), np.repeat(v, share, axis=1)
        s = np.where(visible(q.shape[2], k.shape[2]), scale * (q @ np.swapaxes(k, -1, -2)), -np.inf)
        p = np.exp(s - np.where(np.isinf(lse), np.inf, lse)[..., None])
        ds = scale * p * (do @ np.swapaxes(v, -1, -2) - (do * o).sum(axis=-1, keepdims=True))

        def shared(gradient):
            return gradient.reshape(shape[0], shape[1], share, *shape[2:]).sum(axis=2) if gradient.size else np.zeros(shape)

        return [ds @ k, shared(np.swapaxes(ds, -1, -2) @ q), shared(np.swapaxes(p, -1, -2) @ do)]

    return function


def attention_window(q, k, v, scale, window):
    key, own = places(q.shape[2], k.shape[2])
    return attend(q, k, v, lambda s: scale * s, (key <= own) & (key > own - window))[0]


def attention_softcap(q, k, v, scale, cap):
    return attend(q, k, v, lambda s: cap * np.tanh(scale * s / cap), causal(q.shape[2], k.shape[2]))[0]


def attention_alibi(q, k, v, slopes, scale):
    key, own = places(q.shape[2], k.shape[2])
    return attend(q, k, v, lambda s: scale * s - slopes[:, None, None] * (own - key), key <= own)[0]


def attention_bias(q, k, v, bias, scale):
    return attend(q, k, v, lambda s: scale * s + bias, True)[0]


def attention_sinks(q, k, v, sinks, scale):
    """The sink is a key whose score is known and whose value is 0."""
    o, lse = attend(q, k, v, lambda s: scale * s, causal(q.shape[2], k.shape[2]))
    top = np.where(np.isinf(lse), 0, lse)
    # o is 0 where no key is seen.
    return o / (1 + np.exp(sinks[:, None] - top))[..., None]


def attention_192_128(q, k, v, scale):
    return attention_gqa(q, k, v, scale)[0]


def attention_f16(q, k, v, scale):
    q, k, v = (np.swapaxes(x, 1, 2) for x in (q, k, v))
    return np.swapaxes(attend(q, k, v, lambda s: scale * s, True)[0], 1, 2)


def attention_varlen(q, k, v, ends_q, ends_k, longest, scale):
    o = np.full(q.shape, np.nan)
    for n in range(len(ends_q) - 1):
        rows, keys = slice(ends_q[n], ends_q[n + 1]), slice(ends_k[n], ends_k[n + 1])
        one = [np.swapaxes(x, 0, 1)[None] for x in (q[rows], k[keys], v[keys])]
        o[rows] = np.swapaxes(attention_gqa(*one, scale)[0][0], 0, 1)
    return o


def attention_backward_varlen(q, k, v, o, do, lse, ends_q, ends_k, longest_q, longest_k, scale):
    dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    for n in range(len(ends_q) - 1):
        rows, keys = slice(ends_q[n], ends_q[n + 1]), slice(ends_k[n], ends_k[n + 1])
        one = [np.swapaxes(x, 0, 1)[None] for x in (q[rows], k[keys], v[keys], o[rows], do[rows])]
        for whole, part, of in zip((dq, dk, dv), backward(causal)(*one, lse[None, :, rows], scale), (rows, keys, keys)):
            whole[of] = np.swapaxes(part[0], 0, 1)
    return [dq, dk, dv]


def attention_decode(q, k, v, length, tokens, splits, scale):
    o = np.zeros_like(q)
    for b, n in enumerate(length):
        own = n - tokens + np.arange(q.shape[2])[:, None] % tokens
        o[b] = attend(q[b][None], k[b, :, :n][None], v[b, :, :n][None], lambda s: scale * s, np.arange(n) <= own)[0][0]
    return o


def linear_attention(q, k, v, scale):
    o, state = np.zeros(v.shape), np.zeros((*q.shape[:2], q.shape[3], v.shape[3]))
    for t in range(q.shape[2]):
        state += k[:, :, t, :, None] * v[:, :, t, None, :]
        o[:, :, t] = scale * np.einsum("bhd,bhde->bhe", q[:, :, t], state)
    return o


def mamba2_ssd(x, dt, a, b, c):
    share = x.shape[2] // max(b.shape[2], 1)
    b, c = np.repeat(b, share, axis=2), np.repeat(c, share, axis=2)
    y, state = np.zeros(x.shape), np.zeros((x.shape[0], x.shape[2], b.shape[3], x.shape[3]))
    for t in range(x.shape[1]):
        step = dt[:, :, t, None, None]
        state = np.exp(step * a[:, None, None]) * state + step * b[:, t, :, :, None] * x[:, t, :, None, :]
        y[:, t] = np.einsum("bhn,bhnp->bhp", c[:, t], state)
    return [y, state]


# --- Inputs. ---


def make_ends(random, arrays):
    for ends, rows in ((arrays["CQ"], arrays["Q"]), (arrays["CK"], arrays["K"])):
        ends[1:] = np.sort(random.integers(0, len(rows) + 1, len(ends) - 1))
        ends[1:][-1:] = len(rows)
    # A sequence without keys, and one without queries.
    if len(arrays["CQ"]) > 4:
        arrays["CK"][2] = arrays["CK"][1]
        arrays["CQ"][4] = arrays["CQ"][3]
    arrays["longest"] = int(np.diff(arrays["CQ"]).max(initial=0))


def make_packed(random, arrays):
    """Sequences, and what the forward pass left of them."""
    make_ends(random, arrays)
    ends_q, ends_k = arrays["CQ"], arrays["CK"]
    arrays["longest_q"], arrays["longest_k"] = (int(np.diff(ends).max(initial=0)) for ends in (ends_q, ends_k))
    q, k, v = (arrays[name].astype(np.float64) for name in "QKV")
    for n in range(len(ends_q) - 1):
        rows, keys = slice(ends_q[n], ends_q[n + 1]), slice(ends_k[n], ends_k[n + 1])
        one = [np.swapaxes(x, 0, 1)[None] for x in (q[rows], k[keys], v[keys])]
        o, lse = attention_gqa(*one, q.shape[-1] ** -0.5)
        arrays["O"][rows], arrays["LSE"][:, rows] = np.swapaxes(o[0], 0, 1), lse[0]


def make_forward(visible):
    """The output and the logarithms of the forward pass."""

    def prepare(random, arrays):
        q, k, v = (arrays[name].astype(np.float64) for name in "QKV")
        o, lse = attend(q, k, v, lambda s: q.shape[-1] ** -0.5 * s, visible(q.shape[2], k.shape[2]))
        arrays["O"][...], arrays["LSE"][...] = o, lse

    return prepare


def make_low(visible):
    """Logits far below zero: exponentials that overflow where nothing is subtracted from them."""

    def prepare(random, arrays):
        arrays["Q"][...] = 3 + 0.1 * arrays["Q"].astype(np.float32)
        arrays["K"][...] = -3 + 0.1 * arrays["K"].astype(np.float32)
        make_forward(visible)(random, arrays)

    return prepare


def make_slopes(random, arrays):
    arrays["slopes"][...] = 2.0 ** -(1.0 + np.arange(len(arrays["slopes"])))


def make_bias(random, arrays):
    bias = arrays["bias"]
    bias[random.random(bias.shape) < 0.3] = -np.inf
    # Rows that see nothing, first blocks of keys that some rows do not see.
    bias[..., 1::7, :] = -np.inf
    bias[..., 2::7, :150] = -np.inf


def make_sinks(random, arrays):
    sinks = arrays["sinks"]
    sinks *= 3
    sinks[1::3] = -np.inf
    sinks[2::3] = 50


def make_lengths(random, arrays):
    length = arrays["length"]
    length[...] = random.integers(0, arrays["K"].shape[2] + 1, len(length))
    length[:1] = arrays["K"].shape[2]
    length[2::3] = 0


def make_scale(random, arrays):
    arrays["scale"] = (128 * max(1, arrays["Q"].shape[2])) ** -0.5


def make_steps(random, arrays):
    arrays["dt"][...] = np.exp(random.uniform(np.log(1e-3), np.log(0.3), arrays["dt"].shape))
    arrays["A"][...] = -random.uniform(0.1, 16, arrays["A"].shape)
    for name in "BC":
        arrays[name][...] *= 0.2


# --- Cases. ---

# P is rounded to bf16 before it meets V.
CLOSE = dict(rtol=1e-2, atol=1e-2)
LOGARITHM = (1e-5, 1e-4)


def examples(Case, shapes):
    queries, keys, head = ["B", "H", "S", 128], ["B", "G", "T", 128], 128**-0.5
    inputs = [("Q", bf16, queries), ("K", bf16, keys), ("V", bf16, keys), ("scale", head)]
    sizes = shapes("B H G S T", (1, 1, 1, 1, 1), (1, 4, 2, 128, 128), (2, 6, 3, 127, 129), (1, 8, 1, 257, 131), (1, 2, 2, 50, 300), (1, 3, 1, 300, 50),
                   (1, 2, 1, 5, 0), (1, 2, 1, 0, 3))
    ragged = shapes("B H G S T", (1, 1, 1, 257, 131), (1, 2, 2, 50, 300), (1, 1, 1, 300, 50))
    plain = [(name, kind, ["B", "H", *shape[2:]]) for name, kind, shape in inputs[:3]] + inputs[3:]
    equal = shapes("B H S T", (1, 1, 1, 1), (1, 3, 128, 128), (2, 1, 127, 129), (1, 2, 257, 131), (1, 1, 50, 300), (1, 3, 300, 50), (1, 2, 5, 0), (1, 2, 0, 3))
    return {
        "attention-gqa": [
            Case("attention_gqa", attention_gqa, inputs, [("O", bf16, queries), ("LSE", np.float32, ["B", "H", "S"], *LOGARITHM)], sizes, **CLOSE)
        ],
        **{
            file: [
                Case(f"{kernel}{suffix}", backward(visible),
                     inputs[:3] + [("O", bf16, queries), ("DO", bf16, queries), ("LSE", np.float32, ["B", "H", "S"]), inputs[3]],
                     [("DQ", bf16, queries), ("DK", bf16, keys), ("DV", bf16, keys)], of, **CLOSE, prepare=prepare(visible))
                for suffix, visible in (("", everything), ("_causal", causal))
                for prepare, of in ((make_forward, sizes), (make_low, sizes[2:5]))
            ]
            for file, kernel in (("attention-backward", "attention_backward"), ("attention-backward-ordered", "attention_backward_ordered"))
        },
        "attention-window": [
            Case("attention_window", attention_window, inputs + [("window", size)], ("O", bf16, queries), wanted, **CLOSE)
            for size, wanted in ((100, sizes), (333, shapes("B H G S T", (1, 2, 1, 200, 700), (1, 1, 1, 520, 520))), (1, ragged[:2]), (128, ragged), (129, ragged),
                                 (2**31 - 1, ragged))
        ],
        "attention-varlen": [
            Case(
                "attention_varlen",
                attention_varlen,
                [("Q", bf16, ["M", "H", 128]), ("K", bf16, ["N", "G", 128]), ("V", bf16, ["N", "G", 128]), ("CQ", np.int32, ["E"]), ("CK", np.int32, ["E"]),
                 ("longest", 0), ("scale", head)],
                ("O", bf16, ["M", "H", 128]),
                shapes("M N H G E", (1, 1, 1, 1, 2), (300, 300, 4, 2, 4), (400, 137, 2, 1, 7), (5, 900, 3, 3, 6), (256, 256, 1, 1, 2), (0, 7, 2, 1, 3), (9, 0, 2, 1, 3), (0, 0, 1, 1, 1)),
                **CLOSE,
                prepare=make_ends,
            )
        ],
        "attention-backward-varlen": [
            Case(
                "attention_backward_varlen",
                attention_backward_varlen,
                [("Q", bf16, ["M", "H", 128]), ("K", bf16, ["N", "G", 128]), ("V", bf16, ["N", "G", 128]), ("O", bf16, ["M", "H", 128]), ("DO", bf16, ["M", "H", 128]),
                 ("LSE", np.float32, ["H", "M"]), ("CQ", np.int32, ["X"]), ("CK", np.int32, ["X"]), ("longest_q", 0), ("longest_k", 0), ("scale", head)],
                [("DQ", bf16, ["M", "H", 128]), ("DK", bf16, ["N", "G", 128]), ("DV", bf16, ["N", "G", 128])],
                shapes("M N H G X", (1, 1, 1, 1, 2), (300, 300, 4, 2, 4), (400, 137, 2, 1, 7), (5, 500, 3, 3, 6), (256, 256, 1, 1, 2), (0, 7, 2, 1, 3), (9, 0, 2, 1, 3), (0, 0, 1, 1, 1)),
                **CLOSE,
                prepare=make_packed,
            )
        ],
        "attention-softcap": [
            Case("attention_softcap", attention_softcap, plain + [("cap", cap)], ("O", bf16, queries), wanted, **CLOSE) for cap, wanted in ((50.0, equal), (0.5, equal[2:4]), (1000.0, equal[2:4]))
        ],
        "attention-alibi": [
            Case("attention_alibi", attention_alibi, plain[:3] + [("slopes", np.float32, ["H"])] + plain[3:], ("O", bf16, queries),
                 equal + shapes("B H S T", (1, 12, 40, 530)), **CLOSE, prepare=make_slopes)
        ],
        "attention-bias": [
            Case("attention_bias", attention_bias, plain[:3] + [("bias", bf16, ["B", "H", "S", "T"])] + plain[3:], ("O", bf16, queries), equal, **CLOSE,
                 prepare=make_bias)
        ],
        "attention-sinks": [
            Case("attention_sinks", attention_sinks, plain[:3] + [("sinks", np.float32, ["H"])] + plain[3:], ("O", bf16, queries), equal, **CLOSE,
                 prepare=make_sinks)
        ],
        "attention-192-128": [
            Case(
                "attention_192_128",
                attention_192_128,
                [("Q", bf16, ["B", "H", "S", 192]), ("K", bf16, ["B", "H", "T", 192]), ("V", bf16, ["B", "H", "T", 128]), ("scale", 192**-0.5)],
                ("O", bf16, queries),
                equal,
                **CLOSE,
            )
        ],
        "attention-f16": [
            Case(
                "attention_f16",
                attention_f16,
                [("Q", np.float16, ["B", "S", "H", 64]), ("K", np.float16, ["B", "T", "H", 64]), ("V", np.float16, ["B", "T", "H", 64]), ("scale", 0.125)],
                ("O", np.float16, ["B", "S", "H", 64]),
                equal,
                rtol=2e-3,
                atol=2e-3,
            )
        ],
        "attention-decode": [
            Case(
                "attention_decode",
                attention_decode,
                [("Q", bf16, ["B", "G", "P", 128]), ("K", bf16, keys), ("V", bf16, keys), ("length", np.int32, ["B"]), ("tokens", tokens), ("splits", splits),
                 ("scale", head)],
                ("O", bf16, ["B", "G", "P", 128]),
                shapes("B G P T", *sizes),
                **CLOSE,
                prepare=make_lengths,
            )
            for tokens, splits, sizes in (
                (1, 1, [(1, 1, 1, 1), (3, 2, 8, 300)]), (1, 7, [(2, 2, 4, 1000), (1, 1, 64, 129), (4, 1, 16, 77)]), (4, 3, [(3, 2, 16, 513), (1, 1, 4, 3), (2, 1, 64, 640)]),
                (16, 130, [(1, 1, 64, 2000), (1, 2, 16, 0), (0, 1, 16, 5)]),
            )
        ],
        "linear-attention": [
            Case(
                "linear_attention",
                linear_attention,
                [(name, bf16, ["B", "H", "T", 128]) for name in "QKV"] + [("scale", 0)],
                ("O", bf16, ["B", "H", "T", 128]),
                shapes("B H T", (1, 1, 1), (1, 2, 128), (2, 1, 127), (1, 1, 129), (1, 3, 613), (1, 2, 0)),
                **CLOSE,
                prepare=make_scale,
            )
        ],
        "mamba2-ssd": [
            Case(
                "mamba2_ssd",
                mamba2_ssd,
                [("X", bf16, ["N", "T", "H", 64]), ("dt", np.float32, ["N", "H", "T"]), ("A", np.float32, ["H"]), ("B", bf16, ["N", "T", "G", 128]),
                 ("C", bf16, ["N", "T", "G", 128])],
                [("Y", bf16, ["N", "T", "H", 64]), ("Z", np.float32, ["N", "H", 128, 64])],
                shapes("N T H G", (1, 1, 1, 1), (1, 128, 2, 1), (2, 127, 4, 2), (1, 129, 1, 1), (1, 613, 3, 3), (1, 0, 2, 1)),
                **CLOSE,
                prepare=make_steps,
            )
        ],
    }
