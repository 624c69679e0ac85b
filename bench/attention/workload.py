# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row of rows.json on a device: tensors, the reference in fp32, peers. run.py says what a row has."""

import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import workloads
from sizes import evaluate, sizes_of

ROWS_AT_ONCE = 4096 # of scores in fp32


# ---------------------------------------------------------------- references: {output: tensor}


class Scores:
    """What a softmax takes of the products of queries and keys: the options of a row, and its tensors."""

    def __init__(self, row, tensors, sizes):
        self.options = {name: evaluate(value, sizes) for name, value in row.get("options", {}).items()}
        self.tensors, self.scale = tensors, tensors.get("scale", 1.0)

    def rows(self, q, k, v, first, shift, batch, head):
        """(output, log-sum-exp) of the rows from `first` on. With a mask a row sees the keys up to its number + shift."""
        options, tensors = self.options, self.tensors
        s = (q.float() @ k.float().t()) * self.scale
        key = torch.arange(len(k), device=q.device)
        own = torch.arange(len(q), device=q.device)[:, None] + first + shift
        if "cap" in options:
            s = options["cap"] * torch.tanh(s / options["cap"])
        if "slopes" in tensors:
            s = s - tensors["slopes"][head] * (own - key)
        if "bias" in tensors:
            s = s + tensors["bias"][batch, head, first : first + len(q)].float()
        if options.get("causal"):
            s = s.masked_fill(key > own, -math.inf)
        if "window" in options:
            s = s.masked_fill(key <= own - options["window"], -math.inf)
        with_sink = s if "sinks" not in tensors else torch.cat([s, tensors["sinks"][head].expand(len(q), 1)], 1)
        lse = torch.logsumexp(with_sink, 1)
        p = torch.exp(s - lse.clamp(min=-1e30)[:, None])
        return p @ v.float(), lse

    def matrix(self, q, k, v, batch, head):
        parts = [self.rows(q[i : i + ROWS_AT_ONCE], k, v, i, len(k) - len(q), batch, head) for i in range(0, len(q), ROWS_AT_ONCE)]
        return torch.cat([o for o, _ in parts]), torch.cat([lse for _, lse in parts])


def empty_like(tensor):
    return torch.empty(tensor.shape, device=tensor.device)


def attention(row, t, sizes):
    """Arrays are BxHxSxD, or BxSxHxD with the option transposed; heads of keys may be shared."""
    order = (lambda x: x.transpose(1, 2)) if row.get("options", {}).get("transposed") else (lambda x: x)
    scores, q, k, v = Scores(row, t, sizes), order(t["Q"]), order(t["K"]), order(t["V"])
    result = {name: empty_like(t[name]) for name in ("O", "LSE") if name in t}
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            g = h * k.shape[1] // q.shape[1]
            order(result["O"])[b, h], lse = scores.matrix(q[b, h], k[b, g], v[b, g], b, h)
            if "LSE" in result:
                result["LSE"][b, h] = lse
    return result


def prepare_backward(row, t, sizes):
    """What the forward pass left."""
    scores = Scores(row, t, sizes)
    for b in range(t["Q"].shape[0]):
        for h in range(t["Q"].shape[1]):
            g = h * t["K"].shape[1] // t["Q"].shape[1]
            t["O"][b, h], t["LSE"][b, h] = scores.matrix(t["Q"][b, h], t["K"][b, g], t["V"][b, g], b, h)


def gradients(scores, q, k, v, o, do, lse):
    """(dQ, dK, dV) of one head by the formula, rows of queries at a time."""
    k, v = k.float(), v.float()
    key = torch.arange(len(k), device=k.device)
    dq, dk, dv = torch.zeros(q.shape, device=q.device), torch.zeros_like(k), torch.zeros_like(v)
    for i in range(0, len(q), ROWS_AT_ONCE):
        qi, oi, doi, lsei = (x[i : i + ROWS_AT_ONCE].float() for x in (q, o, do, lse))
        s = (qi @ k.t()) * scores.scale
        if scores.options.get("causal"):
            own = torch.arange(len(qi), device=k.device)[:, None] + i + len(k) - len(q)
            s = s.masked_fill(key > own, -math.inf)
        p = torch.exp(s - lsei[:, None])
        ds = scores.scale * p * (doi @ v.t() - (doi * oi).sum(1, keepdim=True))
        dq[i : i + ROWS_AT_ONCE] = ds @ k
        dk += ds.t() @ qi
        dv += p.t() @ doi
    return dq, dk, dv


def backward(row, t, sizes):
    scores = Scores(row, t, sizes)
    result = {name: torch.zeros(t[name].shape, device=t[name].device) for name in ("DQ", "DK", "DV")}
    heads = t["Q"].shape[1]
    for b in range(t["Q"].shape[0]):
        for h in range(heads):
            g = h * t["K"].shape[1] // heads
            found = gradients(scores, t["Q"][b, h], t["K"][b, g], t["V"][b, g], *(t[name][b, h] for name in ("O", "DO", "LSE")))
            for name, head, part in zip(("DQ", "DK", "DV"), (h, g, g), found):
                result[name][b, head] += part
    return result


def sequences(t):
    """(rows, keys) of each."""
    ends_q, ends_k = t["CQ"].tolist(), t["CK"].tolist()
    return [(slice(*ends_q[n : n + 2]), slice(*ends_k[n : n + 2])) for n in range(len(ends_q) - 1)]


def prepare_packed(row, t, sizes):
    scores = Scores(row, t, sizes)
    for rows, keys in sequences(t):
        for h in range(t["Q"].shape[1]):
            g = h * t["K"].shape[1] // t["Q"].shape[1]
            t["O"][rows, h], t["LSE"][h, rows] = scores.matrix(t["Q"][rows, h], t["K"][keys, g], t["V"][keys, g], 0, h)


def packed_backward(row, t, sizes):
    scores = Scores(row, t, sizes)
    result = {name: torch.zeros(t[name].shape, device=t[name].device) for name in ("DQ", "DK", "DV")}
    for rows, keys in sequences(t):
        for h in range(t["Q"].shape[1]):
            g = h * t["K"].shape[1] // t["Q"].shape[1]
            found = gradients(scores, t["Q"][rows, h], t["K"][keys, g], t["V"][keys, g], t["O"][rows, h], t["DO"][rows, h], t["LSE"][h, rows])
            for name, at, head, part in zip(("DQ", "DK", "DV"), (rows, keys, keys), (h, g, g), found):
                result[name][at, head] += part
    return result


def varlen(row, t, sizes):
    scores, o = Scores(row, t, sizes), empty_like(t["O"])
    for n, (rows, keys) in enumerate(sequences(t)):
        for h in range(o.shape[1]):
            g = h * t["K"].shape[1] // o.shape[1]
            o[rows, h] = scores.matrix(t["Q"][rows, h], t["K"][keys, g], t["V"][keys, g], n, h)[0]
    return {"O": o}


def decode(row, t, sizes):
    """Rows are (head, token) of a group."""
    scores, o, tokens = Scores(row, t, sizes), empty_like(t["O"]), t["tokens"]
    for b, n in enumerate(t["length"].tolist()):
        for g in range(o.shape[1]):
            for first in range(0, o.shape[2], tokens):
                rows = slice(first, first + tokens)
                o[b, g, rows] = scores.rows(t["Q"][b, g, rows], t["K"][b, g, :n], t["V"][b, g, :n], 0, n - tokens, b, g)[0]
    return {"O": o}


def linear(row, t, sizes):
    o = empty_like(t["O"])
    for b in range(o.shape[0]):
        for h in range(o.shape[1]):
            o[b, h] = t["scale"] * torch.tril(t["Q"][b, h].float() @ t["K"][b, h].float().t()) @ t["V"][b, h].float()
    return {"O": o}


def ssd(row, t, sizes):
    y, z = empty_like(t["Y"]), empty_like(t["Z"])
    for b in range(y.shape[0]):
        for h in range(y.shape[2]):
            g = h * t["B"].shape[2] // y.shape[2]
            decays = torch.cumsum(t["dt"][b, h].double() * t["A"][h].double(), 0)
            kept = torch.exp((decays[:, None] - decays).masked_fill(torch.ones(len(decays), len(decays), device=y.device, dtype=torch.bool).triu(1), -math.inf)).float()
            weight = (t["C"][b, :, g].float() @ t["B"][b, :, g].float().t()) * kept * t["dt"][b, h]
            y[b, :, h] = weight @ t["X"][b, :, h].float()
            left = torch.exp(decays[-1] - decays).float() * t["dt"][b, h]
            z[b, h] = (t["B"][b, :, g].float() * left[:, None]).t() @ t["X"][b, :, h].float()
    return {"Y": y, "Z": z}


PREPARATIONS = {"backward": prepare_backward, "varlen backward": prepare_packed}
REFERENCES = {"attention": attention, "backward": backward, "varlen": varlen, "varlen backward": packed_backward, "decode": decode, "linear": linear, "ssd": ssd}


# ---------------------------------------------------------------- peers: functions of the tensors that return O


def sdpa(backend):
    """Queries and keys must be as many if there is a causal mask: PyTorch's begins at the first key."""

    def make(row, options):
        order = (lambda x: x.transpose(1, 2)) if options.get("transposed") else (lambda x: x)

        def call(t):
            with sdpa_kernel(backend):
                return order(torch.nn.functional.scaled_dot_product_attention(
                    order(t["Q"]), order(t["K"]), order(t["V"]), attn_mask=t.get("bias"), is_causal=bool(options.get("causal")) and row["reference"] != "decode",
                    scale=t["scale"], enable_gqa=t["Q"].shape[1] != t["K"].shape[1] and not options.get("transposed")))

        return call

    return make


def flash2(row, options):
    """FlashAttention-2 of PyTorch by its operator, which also knows windows, slopes and packed sequences."""

    def call(t):
        packed = "CQ" in t
        order = (lambda x: x) if packed or options.get("transposed") else (lambda x: x.transpose(1, 2))
        q, k, v = (order(t[name]) for name in "QKV")
        longest = t["longest"] if packed else q.shape[1]
        found = torch.ops.aten._flash_attention_forward(
            q, k, v, t.get("CQ"), t.get("CK"), longest, longest if packed else k.shape[1], 0.0, bool(options.get("causal")), False, scale=t["scale"],
            window_size_left=options["window"] - 1 if "window" in options else None, window_size_right=0 if "window" in options else None,
            alibi_slopes=t.get("slopes"))
        return order(found[0])

    return call


def flex(with_sigmoid):
    """PyTorch's flex_attention, which Triton compiles for the mask and the scores of the row; the fastest of the configurations that PyTorch tries. Its list of
    blocks that are not all masked is made once, and is no part of the time. A sink is a factor of the result, as users of flex_attention write it. Capped
    scores are a tanh or, with_sigmoid, a sigmoid, which gives the same softmax."""

    def make(row, options):
        from torch.nn.attention import flex_attention as flexible

        def scores(slopes, shift):
            def changed(s, b, h, i, j):
                if "cap" in options:
                    x = s / options["cap"]
                    s = 2 * options["cap"] * torch.sigmoid(2 * x) if with_sigmoid else options["cap"] * torch.tanh(x)
                return s if slopes is None else s - slopes[h] * (i + shift - j)
            return changed if slopes is not None or "cap" in options else None

        def mask(shift):
            def visible(b, h, i, j):
                seen = j <= i + shift if options.get("causal") else j >= 0
                return seen & (j > i + shift - options["window"]) if "window" in options else seen
            return visible

        def attend(t, blocks, shift):
            arguments = (t["Q"], t["K"], t["V"], scores(t.get("slopes"), shift), blocks, t["scale"], t["Q"].shape[1] != t["K"].shape[1])
            if "sinks" not in t:
                return flexible.flex_attention(*arguments)
            found, more = flexible.flex_attention(*arguments, return_aux=flexible.AuxRequest(lse=True))
            return (found * torch.sigmoid(more.lse - t["sinks"][:, None])[..., None]).to(found.dtype)

        torch.compiler.reset()  # PyTorch compiles one function a few times in a process, at most
        compiled, blocks = torch.compile(attend, dynamic=False, fullgraph=True, mode="max-autotune-no-cudagraphs"), {}

        def call(t):
            sizes = t["Q"].shape[2], t["K"].shape[2]
            shift = sizes[1] - sizes[0]
            if sizes not in blocks:
                masked = options.get("causal") or "window" in options
                blocks[sizes] = flexible.create_block_mask(mask(shift), None, None, *sizes, device=t["Q"].device) if masked else None
            return compiled({name: t[name] for name in ("Q", "K", "V", "slopes", "sinks", "scale") if name in t}, blocks[sizes], shift)

        return call

    return make


def sdpa_backward(backend):
    """The backward pass alone: the forward pass of each set of tensors runs once."""

    def make(row, options):
        forward = {}

        def call(t):
            key = t["Q"].data_ptr()
            if key not in forward:
                inputs = [t[name].detach().requires_grad_() for name in "QKV"]
                with sdpa_kernel(backend):
                    forward[key] = inputs, torch.nn.functional.scaled_dot_product_attention(
                        *inputs, is_causal=bool(options.get("causal")), scale=t["scale"], enable_gqa=t["Q"].shape[1] != t["K"].shape[1])
            inputs, output = forward[key]
            return torch.autograd.grad(output, inputs, t["DO"], retain_graph=True)[0]

        return call

    return make


def flash2_backward(row, options):
    """The gradients of packed sequences by FlashAttention-2's operators; its forward pass runs once for each set of tensors."""
    forward = {}

    def call(t):
        key = t["Q"].data_ptr()
        longest = t["longest_q"], t["longest_k"]
        if key not in forward:
            forward[key] = torch.ops.aten._flash_attention_forward(*(t[name] for name in "QKV"), t["CQ"], t["CK"], *longest, 0.0, bool(options.get("causal")), False, scale=t["scale"])[:4]
        o, lse, state, offset = forward[key]
        return torch.ops.aten._flash_attention_backward(t["DO"], *(t[name] for name in "QKV"), o, lse, t["CQ"], t["CK"], *longest, 0.0, bool(options.get("causal")), state, offset,
                                                        scale=t["scale"])[0]

    return call


PEERS = {"cudnn": ("sdpa (cuDNN)", sdpa(SDPBackend.CUDNN_ATTENTION)), "flash": ("sdpa (FlashAttention-2)", sdpa(SDPBackend.FLASH_ATTENTION)),
         "efficient": ("sdpa (memory-efficient)", sdpa(SDPBackend.EFFICIENT_ATTENTION)), "cudnn backward": ("sdpa (cuDNN)", sdpa_backward(SDPBackend.CUDNN_ATTENTION)),
         "flash backward": ("sdpa (FlashAttention-2)", sdpa_backward(SDPBackend.FLASH_ATTENTION)), "flash2": ("FlashAttention-2 (operator)", flash2),
         "flash2 backward": ("FlashAttention-2 (operator)", flash2_backward), "flex": ("flex_attention", flex(False)),
         "flex sigmoid": ("flex_attention, with a sigmoid", flex(True))}


# ---------------------------------------------------------------- a row on a device


class Work:
    """What bench/run.py wants of a workload. `sets` are {argument: tensor or number}, with the arguments of the kernel's contract."""

    tolerance = 1e-2

    def __init__(self, row, sizes, contract, device, hand_made=None):
        """`hand_made` is the folder of the kernels that the row names under that key; without it they are left out."""
        self.hand_made = hand_made
        self.row, self.sizes, self.device = row, sizes, device
        self.options = {name: evaluate(value, sizes) for name, value in row.get("options", {}).items()}
        self.unit, self.scale = ("TB/s", 1e-9) if "bytes" in row else ("TFLOP/s", 1e-9)
        self.generator = torch.Generator(device=device).manual_seed(1234)
        first = {arg["name"]: self.value(arg) for arg in contract["args"]}
        self.outputs = [arg["name"] for arg in contract["args"] if arg.get("access") == "write"]
        self.bytes = sum(x.numel() * x.element_size() for x in first.values() if torch.is_tensor(x))
        # Fewer sets than in bench/run.py: attention reads most things many times.
        count = max(2, min(8, math.ceil(workloads.ROTATED_BYTES / max(1, self.bytes))))
        self.sets = [first] + [{arg["name"]: self.value(arg) for arg in contract["args"]} for _ in range(count - 1)]
        for tensors in self.sets if row["reference"] in PREPARATIONS else []:
            PREPARATIONS[row["reference"]](row, tensors, sizes)
        self.reference = REFERENCES[row["reference"]](row, first, sizes)

    def value(self, arg):
        name, inputs = arg["name"], self.row.get("inputs", {})
        if arg["kind"] != "memref":
            return evaluate(inputs[name], self.sizes)
        shape, dtype = [evaluate(extent, self.sizes) for extent in arg["shape"]], workloads.DTYPES[arg["element"]]
        if arg.get("access") == "write":
            return workloads.poison(torch.empty(shape, device=self.device, dtype=dtype))
        given = evaluate(inputs[name], self.sizes) if name in inputs else 1.0
        if isinstance(given, list):
            return torch.tensor(given, device=self.device, dtype=dtype)
        if not dtype.is_floating_point:
            return torch.full(shape, given, device=self.device, dtype=dtype)
        random = torch.randn(shape, device=self.device, generator=self.generator, dtype=torch.float32) * given
        return (random.abs() if name in self.row.get("positive", []) else -random.abs() if name in self.row.get("negative", []) else random).to(dtype)

    def bind(self, contract, scalars):
        return [[s[arg["name"]] for arg in contract["args"]] for s in self.sets]

    def peers(self):
        found = {PEERS[name][0]: PEERS[name][1](self.row, self.options) for name in self.row.get("peers", [])}
        if self.hand_made:
            import handmade
            found.update({f"hand-made, {name}": handmade.Kernel(self.hand_made, name) for name in self.row.get("hand_made", [])})
        return found

    def work(self):
        return evaluate(self.row["bytes"] if "bytes" in self.row else self.row["flops"], self.sizes)

    def moved(self):
        return self.bytes

    def error(self, result):
        """The largest relative error: of what a peer returns, or of all outputs."""
        found = {self.outputs[0]: result} if torch.is_tensor(result) else {name: self.sets[0][name] for name in self.outputs}
        errors = [0.0]
        for name, tensor in found.items():
            wanted = self.reference[name]
            same = torch.isinf(wanted) & (tensor.float() == wanted)
            difference = torch.where(same, 0.0, tensor.float() - wanted).norm() / torch.where(same, 0.0, wanted).norm().clamp(min=1e-30)
            errors.append(difference.item())
        return math.nan if any(error != error for error in errors) else max(errors)
