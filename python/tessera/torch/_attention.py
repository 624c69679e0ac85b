# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, and its gradients."""

import functools
import math

import torch

from tessera._programs import kernel
from tessera.torch._operators import (DIRECT, ELEMENTS, NARROW, autograd, check_gradient, is_watched, need, need_types, operator, packed,
                                       without_gradient)

_LARGEST_HEAD = 256
_LARGEST_ADDED_HEAD = 128  # up to which blocks have registers for a third sum, the gradient of q
_VECTOR = 8  # elements in 16 bytes: what TMA fetches rows by
_SMALLEST_SCALE, _LARGEST_SCALE = 1e-20, 1e6  # what f32 has room for beside the largest and the smallest score
_MASKS = {"all": 1, "causal": 2, "window": 3}  # MASK of the programs


def _check_attention(q, k, v, scale, causal, window=None, cu_seq_q=None, cu_seq_k=None, max_q=0, max_k=0, name="attention"):
    need(name, q.dim() == 4 and k.dim() == 4 and k.shape == v.shape and q.shape[0] == k.shape[0] and q.shape[3] == k.shape[3],
         lambda: f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)} are not batch, heads, length, size of a head, with equal "
         "batches and sizes")
    need(name, q.shape[1] % max(k.shape[1], 1) == 0 and (k.shape[1] > 0 or q.shape[1] == 0),
         lambda: f"{q.shape[1]} heads of queries cannot share {k.shape[1]} heads of keys: the one must be a multiple of the other")
    need(name, 1 <= q.shape[3] <= _LARGEST_HEAD, lambda: f"heads have 1 to {_LARGEST_HEAD} elements, not {q.shape[3]}")
    need(name, _SMALLEST_SCALE <= scale <= _LARGEST_SCALE,
         lambda: f"the scale must be between {_SMALLEST_SCALE} and {_LARGEST_SCALE}, it is {scale}")
    need(name, window is None or (isinstance(window, (int, torch.SymInt)) and not isinstance(window, bool)),
         lambda: f"a window is a number of keys, not {window!r}")
    need(name, not isinstance(window, int) or window >= 1, lambda: f"a window has at least one key, not {window}")
    need(name, window is None or causal, lambda: "a window is for is_causal=True")
    need_types(name, NARROW, q=q, k=k, v=v)
    need(name, (cu_seq_q is None) == (cu_seq_k is None), lambda: "packed sequences have both cu_seq_q and cu_seq_k")
    if cu_seq_q is not None:
        need(name, q.shape[0] == 1, lambda: f"packed sequences are in one batch, not in {q.shape[0]}")
        for key, places in (("cu_seq_q", cu_seq_q), ("cu_seq_k", cu_seq_k)):
            need(name, places.dtype == torch.int32 and places.dim() == 1 and places.device == q.device,
                 lambda: f"{key} is {tuple(places.shape)}, {places.dtype}, on {places.device}; it must be a vector of int32 on {q.device}")
        need(name, cu_seq_q.shape == cu_seq_k.shape and cu_seq_q.shape[0] >= 1,
             lambda: f"cu_seq_q and cu_seq_k have {cu_seq_q.shape[0]} and {cu_seq_k.shape[0]} places; both have one more than there are sequences")
        for key, longest in (("max_q", max_q), ("max_k", max_k)):
            # Of a number that torch.compile does not know, nothing is asked.
            need(name, not isinstance(longest, int) or longest >= 0, lambda: f"{key} is {longest}; no sequence has so many rows")


def _check_places(name, length, longest, places):
    """Looks at the places of sequences that are in the memory of the CPU. Those of a GPU would have to be waited for."""
    if places.device.type == "cpu":
        rows, last = places.diff(), int(places[-1])
        need(name, int(places[0]) >= 0 and bool((rows >= 0).all()) and last <= length,
             lambda: f"the places of sequences, {places.tolist()}, are not in ascending order and between 0 and {length}")
        need(name, rows.numel() == 0 or int(rows.max()) <= longest, lambda: f"a sequence has {int(rows.max())} rows; the longest is said to have {longest}")


@functools.lru_cache(maxsize=None)
def _nothing(device, dtype, rank):
    return torch.empty((0,) * rank, dtype=dtype, device=device)


class _Sequences:
    """What all kernels of attention are told about sequences beside their tensors: the window, and where packed ones lie."""

    def __init__(self, name, q, k, causal, window, cu_seq_q, cu_seq_k, max_q, max_k):
        self.packed = cu_seq_q is not None
        if self.packed:
            _check_places(name, q.shape[2], max_q, cu_seq_q)
            _check_places(name, k.shape[2], max_k, cu_seq_k)
            max_q, max_k = min(max_q, q.shape[2]), min(max_k, k.shape[2])
        if window is not None and window >= (max_k if self.packed else k.shape[2]):
            window = None
        self.mask = _MASKS["all" if not causal else "causal" if window is None else "window"]
        self.window = 0 if window is None else window
        places = (packed(cu_seq_q), packed(cu_seq_k)) if self.packed else (_nothing(q.device, torch.int32, 1),) * 2
        self.forward, self.backward = (*places, max_q), (*places, max_q, max_k)

    def kernel(self, name, q, **define):
        """The kernel for heads as _for_tma makes them."""
        head = -(-q.shape[3] // _VECTOR) * _VECTOR
        define |= {"HEAD": head, "MASK": self.mask, "PACKED": 1 + self.packed}
        return kernel(f"{name.replace('_', '-')}.mlir", name, ELEMENTS[q.dtype], tuple(define.items()))


def _tile_of_packed(size, longest):
    """Queries in a block. For one sequence an array the launcher predicts which number is the best; how long packed ones are it does not know. The limits are
    guesses between those of one sequence an array, 512 without a mask and 1536 causal (docs/performance/log.md, 2026-11-28)."""
    if longest <= 64:
        return 64
    return 192 if size <= 96 and longest >= 1024 else 128


def _as_laid_out(x):
    """An empty tensor with the dimensions in the order that they have in memory in x, without gaps; row-major if the elements of a head are not next to
    each other."""
    like = torch.empty_like(x)
    return like if like.stride(-1) == 1 else torch.empty_like(x, memory_format=torch.contiguous_format)


def _is_for_tma(x):
    """Whether TMA can fetch and store a tensor of heads: each begins at a multiple of 16 bytes of its own, and has a multiple of as many."""
    return (x.shape[-1] % _VECTOR == 0 and x.stride(-1) == 1 and x.data_ptr() % 16 == 0 and
            all(stride > 0 and stride % _VECTOR == 0 for stride in x.stride()[:-1]))


def _for_tma(x):
    """The tensor, or a copy of it with zeros behind each head, if TMA cannot fetch it: threads would fetch it again and again."""
    if _is_for_tma(x):
        return x
    more = -x.shape[-1] % _VECTOR
    return torch.nn.functional.pad(x, (0, more)) if more else packed(x.clone(memory_format=torch.contiguous_format))


def _to_write(result, zeros):
    """Where a kernel writes a result: there, or what _written copies then. It begins as zeros where rows may be in no sequence: nobody writes these, and NaN
    from new memory would be found again in the gradients of the weights that such rows are multiplied by."""
    if _is_for_tma(result):
        return result.zero_() if zeros else result
    *shape, size = result.shape
    return (result.new_zeros if zeros else result.new_empty)((*shape, size + -size % _VECTOR))


def _written(result, written):
    return result if written is result else result.copy_(written[..., :result.shape[-1]])


def _attend(q, k, v, scale, causal, window=None, cu_seq_q=None, cu_seq_k=None, max_q=0, max_k=0, sums=None):
    sequences = _Sequences("attention", q, k, causal, window, cu_seq_q, cu_seq_k, max_q, max_k)
    tile = {"BQ": _tile_of_packed(q.shape[3], max_q)} if sequences.packed else {}
    out = _as_laid_out(q)
    written = _to_write(out, sequences.packed)
    run = sequences.kernel("attention", q, SUMS=1 if sums is None else 2, **tile)
    run(_for_tma(q), _for_tma(k), _for_tma(v), scale, sequences.window, *sequences.forward, written,
        _nothing(q.device, torch.float32, 3) if sums is None else sums)
    return _written(out, written)


# Two operators: with a second result, the logarithm of the sum of each row, for the gradients, of up to three elements more than queries; and without.
_MORE = "float scale, bool causal, SymInt? window=None, Tensor? cu_seq_q=None, Tensor? cu_seq_k=None, SymInt max_q=0, SymInt max_k=0"
_attention = operator(f"attention(Tensor q, Tensor k, Tensor v, {_MORE}) -> Tensor", _attend, lambda q, *more: _as_laid_out(q), _check_attention)


def _shape_of_sums(q):
    *shape, length = q.shape[:3]
    return (*shape, -(-length // 4) * 4)  # rows for TMA


def _empty_sums(q):
    return q.new_empty(_shape_of_sums(q), dtype=torch.float32)


def _run_attention_with_sums(q, *more):
    sums = _empty_sums(q)
    return _attend(q, *more, sums=sums), sums


_attention_with_sums = operator(f"attention_with_sums(Tensor q, Tensor k, Tensor v, {_MORE}) -> (Tensor, Tensor)", _run_attention_with_sums,
                                lambda q, *more: (_as_laid_out(q), _empty_sums(q)), _check_attention)


def _run_attention_backward(gradient, q, k, v, out, sums, scale, causal, window=None, cu_seq_q=None, cu_seq_k=None, max_q=0, max_k=0):
    sequences = _Sequences("attention_backward", q, k, causal, window, cu_seq_q, cu_seq_k, max_q, max_k)
    # Blocks add their parts of the gradient of q in memory, in any order. Others have an order, and for large heads there is nothing else.
    order = 2 if q.shape[3] > _LARGEST_ADDED_HEAD or torch.are_deterministic_algorithms_enabled() else 1
    gradients = tuple(map(_as_laid_out, (q, k, v)))
    written = tuple(_to_write(x, sequences.packed) for x in gradients)
    run = sequences.kernel("attention_backward", q, ORDER=order)
    run(*map(_for_tma, (q, k, v, out, gradient)), sums, scale, sequences.window, *sequences.backward, *written)
    return tuple(map(_written, gradients, written))


def _check_attention_backward(gradient, q, k, v, out, sums, *more):
    _check_attention(q, k, v, *more, name="attention_backward")
    check_gradient("attention_backward", gradient, q)
    check_gradient("attention_backward", out, q)
    need("attention_backward", tuple(sums.shape) == _shape_of_sums(q) and sums.dtype == torch.float32 and sums.is_contiguous(),
         lambda: f"sums of {tuple(sums.shape)}, {sums.dtype}, are not those of attention_with_sums")


_attention_backward = operator(f"attention_backward(Tensor gradient, Tensor q, Tensor k, Tensor v, Tensor out, Tensor sums, {_MORE}) "
                               "-> (Tensor, Tensor, Tensor)", _run_attention_backward,
                               lambda gradient, q, k, v, *more: tuple(map(_as_laid_out, (q, k, v))), _check_attention_backward)
without_gradient("attention_backward")


_TENSORS = (0, 1, 2, 6, 7)  # of the operators' arguments: q, k, v, cu_seq_q, cu_seq_k


def _save_attention(ctx, inputs, output):
    ctx.set_materialize_grads(False)
    ctx.places = [place for place in _TENSORS if place < len(inputs)]
    ctx.inputs = [None if place in _TENSORS else value for place, value in enumerate(inputs)]
    results = ()
    if isinstance(output, tuple):
        ctx.mark_non_differentiable(output[1])
        results = output
    ctx.save_for_backward(*(inputs[place] for place in ctx.places), *results)


def _backward_of_attention(ctx, gradient, of_sums=None):
    gradients = (None,) * 3
    if gradient is not None:
        saved, inputs = ctx.saved_tensors, list(ctx.inputs)
        for place, tensor in zip(ctx.places, saved):
            inputs[place] = tensor
        # attention() saves the sums where a gradient is wanted. Who calls the operator itself pays for them here.
        results = saved[len(ctx.places):] or _attention_with_sums(*inputs)
        gradients = _attention_backward(gradient, *inputs[:3], *results, *inputs[3:])
    return (*gradients, *(None for _ in ctx.inputs[3:]))


autograd("attention", _backward_of_attention, _save_attention)
autograd("attention_with_sums", _backward_of_attention, _save_attention)


def attention(q, k, v, *, scale=None, is_causal=False, window=None):
    """softmax(scale * q @ kᵀ) @ v for tensors of batch, heads, length, size of a head (up to 256). `scale` is 1/sqrt(size) if it is not given.

    k and v may have fewer heads than q, of which each serves as many heads of queries (grouped-query attention); repeated heads (`expand`) would be
    copied. With `is_causal` the last query sees all keys, the one before it all but the last, and so on: both sequences end together, also if their
    lengths differ. With `window`, too, a query sees that many keys and no more, its own one included. A query that sees no key gives 0.

    The dimensions of the result lie in memory in the order of q's, without gaps. Heads whose size is no multiple of 8 are copied, and so are the gradients.

    In the gradient of q blocks add in any order, so that its last bits differ from run to run, unless torch.use_deterministic_algorithms(True) is set
    or heads have more than 128 elements."""
    return _call(q, k, v, scale, is_causal, window)


def _call(q, k, v, scale, causal, *more):
    arguments = (q, k, v, 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else float(scale), bool(causal), *more)
    if not is_watched(q, k, v):
        return DIRECT["attention"](*arguments)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in (q, k, v)):
        return _attention_with_sums(*arguments)[0]
    return _attention(*arguments)


def attention_varlen(q, k, v, cu_seq_q, cu_seq_k, max_q, max_k, *, scale=None, is_causal=False, window=None):
    """attention() of sequences of different lengths that lie one after the other without padding, as torch.nn.attention.varlen.varlen_attn has them:
    q, k and v have a row for each token of all sequences: rows, heads, size of a head.

    `cu_seq_q` and `cu_seq_k`, vectors of int32 on the device of the tensors, say where the sequences begin and end: sequence n has the rows from cu_seq_q[n]
    to cu_seq_q[n+1] of q and the result, and those from cu_seq_k[n] to cu_seq_k[n+1] of k and v. There may be empty sequences, and rows before the first
    and behind the last one: their result is 0, and so are their gradients. `max_q` and `max_k` are the lengths of the longest sequences, or more.

    On the CPU an error says if the places are not in ascending order, or a sequence is longer than that. On a GPU one would have to wait for them: there,
    nobody looks at them, and wrong ones give undefined results, or stop the program."""
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        need("attention_varlen", tensor.dim() == 3, lambda: f"{name} is {tuple(tensor.shape)}, and not rows, heads, size of a head")
    for name, places in (("cu_seq_q", cu_seq_q), ("cu_seq_k", cu_seq_k)):
        need("attention_varlen", isinstance(places, torch.Tensor), lambda: f"{name} is {places!r}, and not a vector of int32")
    for name, longest in (("max_q", max_q), ("max_k", max_k)):
        need("attention_varlen", isinstance(longest, (int, torch.SymInt)) and not isinstance(longest, bool),
             lambda: f"{name} is {longest!r}, and no number of rows")
    by_heads = (tensor.transpose(0, 1).unsqueeze(0) for tensor in (q, k, v))
    return _call(*by_heads, scale, is_causal, window, cu_seq_q, cu_seq_k, max_q, max_k).squeeze(0).transpose(0, 1)
