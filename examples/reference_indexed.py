# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examples whose inputs are indices, lengths, labels and seeds: their functions and cases for `reference.py`."""
import ml_dtypes
import numpy as np

bf16 = ml_dtypes.bfloat16


# --- Dropout. ---


def philox(counter, key):
    """Philox 4x32 with 10 rounds: four words of 32 bits in uint64 each, of a counter of four words and a key of two."""
    c, k = [np.uint64(word) for word in counter], [int(word) for word in key]
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> half) ^ c[1] ^ np.uint64(k[0]), b & low, (a >> half) ^ c[3] ^ np.uint64(k[1]), a & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


# The authors' test vectors (kat_vectors of Random123).
assert [int(word) for word in philox([0] * 4, [0] * 2)] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert [int(word) for word in philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2)] == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def dropout(x, p, seed, offset):
    # To the last bit: the division is one of f32.
    p, place = np.float32(p), np.arange(len(x), dtype=np.uint64)
    counter = place // np.uint64(4096) * np.uint64(1024) + place % np.uint64(1024)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    words = philox([counter & low, counter >> half, offset & 0xFFFFFFFF, offset >> 32], [seed & 0xFFFFFFFF, seed >> 32])
    word = np.choose((place // np.uint64(1024) % np.uint64(4)).astype(int), words)
    u = (word >> np.uint64(8)).astype(np.float32) * np.float32(2**-24)
    return np.where(u >= p, x.astype(np.float32) / (np.float32(1) - p), np.float32(0)).astype(np.float64)


# --- Cross entropy. ---


def cross_entropy(x, label, g):
    m = x.max(axis=-1, keepdims=True)
    e = np.exp(x - m)
    s = e.sum(axis=-1, keepdims=True)
    hot = np.arange(x.shape[1]) == label[:, None]
    counts = hot.any(axis=-1)
    loss = np.log(s[:, 0]) + m[:, 0] - np.where(hot, x, 0).sum(axis=-1)
    return [np.where(counts, loss, 0), g * (e / s - hot) * counts[:, None]]


def make_labels(random, arrays):
    rows, columns = arrays["X"].shape
    arrays["L"][:] = random.integers(0, columns, rows)
    # Rows that are ignored.
    arrays["L"][1::5], arrays["L"][3::7] = -100, columns


# --- Rows of a table, and a histogram. ---


def embedding(tokens, table):
    known = (tokens >= 0) & (tokens < len(table))
    return np.where(known[:, None], table[np.where(known, tokens, 0)], 0)


def embedding_gradient(tokens, gradient, shape):
    known = (tokens >= 0) & (tokens < shape["V"])
    result = np.zeros((shape["V"], gradient.shape[1]))
    np.add.at(result, tokens[known], gradient[known])
    return result


def histogram(x, shape):
    return np.bincount(x[(x >= 0) & (x < shape["B"])], minlength=shape["B"])


def make_tokens(random, arrays):
    rows = len(arrays["E"]) if "E" in arrays else max(len(arrays["T"]) // 2, 1)
    arrays["T"][:] = random.integers(-1, rows + 1, len(arrays["T"]))


def make_numbers(random, arrays):
    arrays["X"][:] = random.integers(-2, 70, len(arrays["X"]))


def select_rows(flags, x):
    kept = np.flatnonzero(flags)
    result = np.full(x.shape, np.nan)
    result[: len(kept)] = x[kept]
    return [result, np.array([len(kept)])]


def make_flags(random, arrays):
    share = random.choice([0, 0.1, 0.9, 1])
    arrays["F"][:] = random.random(len(arrays["F"])) < share


# --- The largest elements. ---


def top_k(x, shape):
    bits = x.astype(np.float32).view(np.int32)
    keys = np.where(bits < 0, bits ^ 0x7FFFFFFF, bits).astype(np.int64)
    order = np.argsort(-keys, axis=1, kind="stable")[:, : shape["K"]]
    return [np.take_along_axis(x, order, axis=1), order]


def make_equal_elements(random, arrays):
    x = arrays["X"]
    x[...] = np.round(x, 1)
    x[x < -1] = -np.inf
    x[0, :2] = np.nan


# --- Block-sparse product. ---


def block_sparse(v, columns, rows, b, shape):
    padded = np.zeros((b.shape[0] + 64, b.shape[1]))
    padded[: b.shape[0]] = b
    result = np.zeros((64 * (len(rows) - 1), b.shape[1]))
    for r in range(len(rows) - 1):
        for n in range(rows[r], rows[r + 1]):
            result[64 * r : 64 * r + 64] += v[n] @ padded[64 * columns[n] : 64 * columns[n] + 64]
    return result[: shape["M"]]


def make_blocks(random, arrays):
    blocks = len(arrays["I"])
    arrays["R"][1:-1] = np.sort(random.integers(0, blocks + 1, len(arrays["R"]) - 2))
    arrays["R"][-1] = blocks
    arrays["I"][:] = random.integers(0, -(-len(arrays["B"]) // 64), blocks)


# --- Mixture of experts. ---


def moe_route(logits):
    tokens, experts = logits.shape
    chosen = np.argsort(-logits, axis=1, kind="stable")[:, :2]
    best = np.take_along_axis(logits, chosen, axis=1)
    e = np.exp(best - best[:, :1])
    goes = (chosen[:, :, None] == np.arange(experts)).any(axis=1)
    ends = np.concatenate([[0], np.cumsum(goes.sum(axis=0))])
    place = ends[:-1] + np.cumsum(goes, axis=0) - goes
    return [e / e.sum(axis=1, keepdims=True), chosen, np.take_along_axis(place, chosen, axis=1), ends]


def moe_dispatch(rows, place, shape):
    result = np.zeros((shape["R"], rows.shape[1]))
    result[place[:, 0]] = result[place[:, 1]] = rows
    return result


def moe_combine(rows, place, weights):
    return rows[place[:, 0]] * weights[:, :1] + rows[place[:, 1]] * weights[:, 1:]


def make_equal_logits(random, arrays):
    arrays["L"][...] = np.round(arrays["L"], 1)


def make_places(random, arrays):
    arrays["A"][...] = random.permutation(arrays["A"].size).reshape(arrays["A"].shape)


def grouped_gemm(a, b, ends):
    result = np.zeros((len(a), b.shape[2]))
    for e in range(len(b)):
        result[ends[e] : ends[e + 1]] = a[ends[e] : ends[e + 1]] @ b[e]
    return result


def make_groups(random, arrays):
    rows, ends = len(arrays["A"]), arrays["O"]
    ends[1:-1] = np.sort(random.integers(0, rows + 1, len(ends) - 2))
    ends[-1] = rows


def moe_gemm(tokens, rows, b, ends):
    return grouped_gemm(embedding(rows, tokens), b, ends)


def make_rows(random, arrays):
    rows, ends = arrays["R"], arrays["O"]
    # Some twice, some no row of A.
    rows[:] = random.integers(-1, len(arrays["A"]) + 1, len(rows))
    ends[1:-1] = np.sort(random.integers(0, len(rows) + 1, len(ends) - 2))
    ends[-1] = len(rows)


def gemm_grouped_pointers(a, b, sizes, tiles):
    results = []
    for left, right, (m, n, k, _, _, pitch) in zip(a, b, sizes):
        results.append(np.full((m, pitch), np.nan))
        results[-1][:, :n] = left[:m, :k] @ right[:k, :n]
    return results


def make_tables(random, arrays):
    groups = len(arrays["S"])
    m, n = random.integers(0, 300, groups), random.integers(1, 300, groups)
    k = random.integers(0, 200, groups)
    m[0], n[-1] = 1 if groups == 1 else 128, 257
    pitches = [8 * (-(-size // 8) + random.integers(0, 3, groups)) for size in (k, n, n)]
    arrays["S"][...] = np.stack([m, n, k, *pitches], axis=1)
    arrays["TA"] = [random.standard_normal((rows, pitch)).astype(bf16) for rows, pitch in zip(m, pitches[0])]
    arrays["TB"] = [random.standard_normal((rows, pitch)).astype(bf16) for rows, pitch in zip(k, pitches[1])]
    # What lies between the rows must not be looked at.
    for tables, columns in (("TA", k), ("TB", n)):
        for array, end in zip(arrays[tables], columns):
            array[:, end:] = np.nan
    arrays["TC"] = list(zip(m, pitches[2]))
    arrays["T"] = int((-(-m // 128) * -(-n // 128)).sum()) + 3


# --- Paged attention. ---


def paged_attention(q, keys, values, pages, length, scale):
    result = np.zeros_like(q)
    share = q.shape[1] // keys.shape[2]
    for s, n in enumerate(length):
        for h in range(q.shape[1] if n else 0):
            k = keys[pages[s], :, h // share].reshape(-1, q.shape[2])[:n]
            v = values[pages[s], :, h // share].reshape(-1, q.shape[2])[:n]
            x = scale * (k @ q[s, h])
            p = np.exp(x - x.max())
            result[s, h] = p @ v / p.sum()
    return result


def make_lengths(random, arrays):
    pages, length = arrays["pages"], arrays["length"]
    pages[...] = random.permutation(len(arrays["K"]))[: pages.size].reshape(pages.shape)
    length[...] = random.integers(0, arrays["K"].shape[1] * pages.shape[1] + 1, len(length))
    length[1::3] = 0


def make_pages(random, arrays):
    make_lengths(random, arrays)
    pages, length = arrays["pages"], arrays["length"]
    # What no sequence has must not be looked at.
    for s, n in enumerate(length):
        for j, page in enumerate(pages[s]):
            for name in ("K", "V"):
                arrays[name][page, max(0, min(64, n - 64 * j)) :] = np.nan


def examples(Case, shapes):
    matrix, image = ["M", "N"], dict(rtol=4e-3, atol=1e-4)
    heads, cache, small = ["S", "H", 128], ["P", 64, "G", 128], ["P", 16, "G", 128]
    return {
        "dropout": [
            Case(
                "dropout",
                dropout,
                [("X", np.float32, ["N"]), ("p", p), ("seed", seed), ("offset", offset)],
                ("Y", np.float32, ["N"]),
                shapes("N", (1,), (1023,), (4096,), (4097,), (100_003,)),
                rtol=0,
                atol=0,
            )
            for p, seed, offset in ((0.5, 0, 0), (0.1, 0x123456789ABCDEF, 0x87654321F), (0.0, 5, 1))
        ],
        "cross-entropy": [
            Case(
                "cross_entropy",
                cross_entropy,
                [("X", bf16, matrix), ("L", np.int32, ["M"]), ("g", 0.125)],
                [("loss", np.float32, ["M"], 1e-5, 1e-5), ("D", bf16, matrix)],
                shapes("M N", (1, 1), (3, 7), (9, 4095), (2, 4096), (11, 4097), (4, 10007)),
                rtol=4e-3,
                atol=1e-7,
                prepare=make_labels,
            )
        ],
        "embedding": [
            Case(
                "embedding",
                embedding,
                [("T", np.int32, ["N"]), ("E", bf16, ["V", "D"])],
                ("Y", bf16, ["N", "D"]),
                shapes("N V D", (1, 1, 1), (33, 7, 255), (32, 50, 256), (100, 20, 264), (5, 3, 1000)),
                rtol=0,
                atol=0,
                prepare=make_tokens,
            ),
            Case(
                "embedding_gradient",
                embedding_gradient,
                [("T", np.int32, ["N"]), ("dY", bf16, ["N", "D"])],
                ("dE", np.float32, ["V", "D"]),
                shapes("N V D", (1, 1, 1), (33, 7, 255), (16, 50, 256), (100, 20, 264), (5, 3, 1000)),
                rtol=1e-5,
                atol=1e-5,
                prepare=make_tokens,
                sized=True,
            ),
        ],
        "histogram": [
            Case(
                "histogram",
                histogram,
                [("X", np.int32, ["N"])],
                ("H", np.int32, ["B"]),
                shapes("N B", (1, 1), (4095, 64), (4097, 1025), (20_000, 70)),
                rtol=0,
                atol=0,
                prepare=make_numbers,
                sized=True,
            )
        ],
        "select-rows": [
            Case(
                "select_rows",
                select_rows,
                [("F", np.int8, ["M"]), ("X", bf16, matrix)],
                [("Y", bf16, matrix), ("n", np.int32, [1])],
                shapes("M N", (1, 1), (3, 7), (1023, 300), (1025, 256), (3000, 40), (100, 1000), (0, 5)),
                rtol=0,
                atol=0,
                prepare=make_flags,
            )
        ],
        "top-k": [
            Case(
                "top_k",
                top_k,
                [("X", np.float32, matrix)],
                [("V", np.float32, ["M", "K"]), ("I", np.int32, ["M", "K"])],
                shapes("M N K", (1, 2, 1), (3, 7, 7), (4, 1023, 10), (2, 4096, 3), (2, 300, 300)),
                rtol=0,
                atol=0,
                prepare=make_equal_elements,
                sized=True,
            )
        ],
        "block-sparse": [
            Case(
                "block_sparse",
                block_sparse,
                [("V", bf16, ["Z", 64, 64]), ("I", np.int32, ["Z"]), ("R", np.int32, ["P"]), ("B", bf16, ["K", "N"])],
                ("C", bf16, ["M", "N"]),
                shapes("Z P K N M", (1, 2, 1, 1, 1), (5, 3, 64, 128, 128), (7, 5, 200, 129, 250), (0, 3, 64, 8, 100), (20, 4, 640, 264, 192)),
                **image,
                prepare=make_blocks,
                sized=True,
            )
        ],
        "moe-routing": [
            Case(
                "moe_route",
                moe_route,
                [("L", np.float32, ["T", "E"])],
                [("W", np.float32, ["T", 2]), ("X", np.int32, ["T", 2]), ("A", np.int32, ["T", 2]), ("O", np.int32, ["F"])],
                [dict(shape, F=shape["E"] + 1) for shape in shapes("T E", (1, 2), (63, 5), (64, 64), (65, 8), (1000, 37))],
                rtol=1e-6,
                atol=1e-7,
                prepare=make_equal_logits,
            ),
            Case(
                "moe_dispatch",
                moe_dispatch,
                [("T", bf16, ["T", "N"]), ("A", np.int32, ["T", 2])],
                ("R", bf16, ["R", "N"]),
                [dict(shape, R=2 * shape["T"]) for shape in shapes("T N", (1, 1), (65, 300), (7, 2048), (9, 2049))],
                rtol=0,
                atol=0,
                prepare=make_places,
                sized=True,
            ),
            Case(
                "moe_combine",
                moe_combine,
                [("R", bf16, ["R", "N"]), ("A", np.int32, ["T", 2]), ("W", np.float32, ["T", 2])],
                ("T", bf16, ["T", "N"]),
                [dict(shape, R=2 * shape["T"]) for shape in shapes("T N", (1, 1), (65, 300), (7, 2048), (9, 2049))],
                **image,
                prepare=make_places,
            ),
        ],
        "grouped-gemm": [
            Case(
                "grouped_gemm",
                grouped_gemm,
                [("A", bf16, ["M", "K"]), ("B", bf16, ["E", "K", "N"]), ("O", np.int32, ["F"])],
                ("C", bf16, ["M", "N"]),
                [dict(shape, F=shape["E"] + 1) for shape in shapes("M N K E", (1, 1, 1, 1), (300, 257, 65, 4), (128, 256, 64, 2), (500, 40, 130, 9), (5, 4, 0, 3))],
                **image,
                prepare=make_groups,
            )
        ],
        "moe-gemm": [
            Case(
                "moe_gemm",
                moe_gemm,
                [("A", bf16, ["T", "K"]), ("R", np.int32, ["P"]), ("B", bf16, ["E", "K", "N"]), ("O", np.int32, ["F"])],
                ("C", bf16, ["P", "N"]),
                [dict(shape, F=shape["E"] + 1)
                 for shape in shapes("T P N K E", (1, 1, 1, 1, 1), (70, 300, 257, 65, 4), (300, 128, 256, 64, 2), (200, 500, 40, 136, 9), (9, 5, 4, 0, 3))],
                **image,
                prepare=make_rows,
            )
        ],
        "gemm-grouped-pointers": [
            Case(
                "gemm_grouped_pointers",
                gemm_grouped_pointers,
                [("TA", np.int64, ["G"]), ("TB", np.int64, ["G"]), ("S", np.int32, ["G", 6]), ("T", 0)],
                ("TC", bf16, ["G"]),
                shapes("G", (1,), (2,), (7,)),
                **image,
                prepare=make_tables,
            )
        ],
        "paged-attention": [
            Case(
                "paged_attention",
                paged_attention,
                [("Q", bf16, heads), ("K", bf16, cache), ("V", bf16, cache), ("pages", np.int32, ["S", "X"]), ("length", np.int32, ["S"]),
                 ("scale", 128**-0.5)],
                ("O", bf16, heads),
                # P is rounded to bf16 before it meets V.
                shapes("S H P G X", (1, 1, 1, 1, 1), (3, 8, 16, 2, 5), (4, 64, 13, 1, 3), (2, 6, 9, 6, 4)),
                rtol=1e-2,
                atol=1e-2,
                prepare=make_pages,
            )
        ],
        "paged-attention-16": [
            Case(
                "paged_attention_16",
                paged_attention,
                [("Q", bf16, heads), ("K", bf16, small), ("V", bf16, small), ("pages", np.int32, ["S", "X"]), ("length", np.int32, ["S"]),
                 ("scale", 128**-0.5)],
                ("O", bf16, heads),
                # P is rounded to bf16 before it meets V.
                shapes("S H P G X", (1, 1, 1, 1, 1), (3, 8, 40, 2, 13), (4, 64, 32, 1, 8), (2, 6, 9, 6, 4)),
                rtol=1e-2,
                atol=1e-2,
                prepare=make_lengths,
            )
        ],
    }
