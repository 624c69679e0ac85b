# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch: matrix products, softmax, RMS normalisation, attention.

    import tessera.torch
    c = tessera.torch.mm(a, b)                       # torch.ops.tessera.mm
    tessera.torch.register_inductor()                # torch.compile(mode="max-autotune") tries ours, too

Tensors are bf16 or f16 (softmax: f32, too), on a Hopper GPU or on the CPU. The kernels are the programs in tessera/kernels, which
are compiled at the first call with a type and a layout. torch.compile takes the operators as they are. Each has a gradient;
the gradient of a gradient is an error.
"""

import functools
import math

import torch

if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
    raise ImportError(f"tessera.torch needs PyTorch 2.10 or later, this is {torch.__version__}")

from torch.utils._device import DeviceContext

from tessera._errors import ArgumentError
from tessera._programs import kernel

__all__ = ["addmm", "attention", "bmm", "mm", "register_inductor", "rms_norm", "softmax"]

_library = torch.library.Library("tessera", "DEF")
_ELEMENTS = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}
_NARROW = (torch.bfloat16, torch.float16)


_direct = {}  # by name: what an operator runs


def _operator(schema, run, fake, check):
    """Defines an operator. `check` raises ArgumentError for arguments that do not fit; it looks at types and shapes alone."""
    name = schema.partition("(")[0]
    _library.define(schema)

    def checked(function):
        def call(*args):
            check(*args)
            return function(*args)
        return call

    _direct[name] = checked(run)
    for key in ("CPU", "CUDA"):
        _library.impl(name, _direct[name], key)
    torch.library.register_fake(f"tessera::{name}", checked(fake), lib=_library)
    return getattr(torch.ops.tessera, name).default


# What says whether somebody looks at calls of operators. Without one of them nothing is known.
_WATCHERS = tuple(getattr(torch._C, name, None) for name in ("_len_torch_dispatch_stack", "_get_tracing_state"))
_has_modes = getattr(torch._C, "_is_torch_function_mode_enabled", None)
_modes = getattr(torch.overrides, "_get_current_function_mode_stack", None)
_transform = getattr(getattr(torch._C, "_functorch", None), "maybe_current_level", None)
_is_profiled = getattr(torch._C._autograd, "_profiler_enabled", None)
_KNOWS = all((*_WATCHERS, _has_modes, _modes, _transform, _is_profiled))
_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _is_watched(*tensors):
    """Whether a call has to go through PyTorch's dispatcher, which takes some 35 µs: somebody traces, transforms, differentiates or counts operators, or a
    tensor is more than data on a CPU or a GPU."""
    if torch.compiler.is_compiling() or not _KNOWS:
        return True
    if any(watcher() for watcher in _WATCHERS) or _transform() is not None or _is_profiled() or torch.autograd.forward_ad._current_level >= 0:
        return True
    # torch.set_default_device is a mode, too, and has nothing to say here.
    if _has_modes() and any(type(mode) is not DeviceContext for mode in _modes()):
        return True
    differentiates = torch.is_grad_enabled()
    return any(type(tensor) not in _PLAIN or (differentiates and tensor.requires_grad) or tensor.device.type not in ("cuda", "cpu")
               for tensor in tensors)


def _autograd(name, backward, setup_context):
    torch.library.register_autograd(f"tessera::{name}", backward, setup_context=setup_context, lib=_library)


def _without_gradient(name):
    def backward(context, *gradients):
        of = name.removesuffix("_backward")
        raise NotImplementedError(f"the gradient of tessera.torch.{of} has no gradient itself (create_graph=True); use PyTorch's own operator for that")
    _autograd(name, backward, lambda ctx, inputs, output: None)


#===--- tensors --------------------------------------------------------------------------------===#


def _need(name, condition, what):
    """An ArgumentError with the text that `what` makes, unless the condition holds."""
    if not condition:
        raise ArgumentError(f"tessera.torch.{name}: {what()}")


def _need_types(name, types, **tensors):
    first = next(iter(tensors.values()))
    for key, tensor in tensors.items():
        _need(name, tensor.dtype in types, lambda: f"{key} is {tensor.dtype}; there are {', '.join(map(str, types))}")
        _need(name, tensor.dtype == first.dtype, lambda: f"{key} is {tensor.dtype}, and the first argument {first.dtype}")
        _need(name, tensor.device == first.device, lambda: f"{key} is on {tensor.device}, and the first argument on {first.device}")


def _packed(tensor):
    """The tensor as a row-major one, also by its strides in dimensions of one element."""
    tensor = tensor.contiguous()
    strides, stride = [], 1
    for size in reversed(tensor.shape):
        strides.append(stride)
        stride *= max(size, 1)
    strides.reverse()
    return tensor if list(tensor.stride()) == strides else tensor.as_strided(tensor.shape, strides)


def _with_rows(tensor):
    """The tensor, copied if the elements of a row are not next to each other."""
    return tensor if tensor.stride(-1) == 1 else _packed(tensor)


def _operand(tensor):
    """(layout, tensor): "n", or "t" and the transposed tensor if it is its columns that lie in rows."""
    if tensor.stride(-1) == 1:
        return "n", tensor
    if tensor.stride(-2) == 1:
        return "t", tensor.transpose(-1, -2)
    return "n", _packed(tensor)


#===--- products -------------------------------------------------------------------------------===#


def _product(file, prefix, a, b, *more, out=None, tile=None):
    left, a = _operand(a)
    right, b = _operand(b)
    define = (("BM", tile[0]), ("BN", tile[1])) if tile else ()
    return kernel(file, f"{prefix}_{left}{right}", _ELEMENTS[a.dtype], define)(a, b, *more, out=out)


def _check_mm(a, b):
    _need("mm", a.dim() == 2 and b.dim() == 2 and a.shape[1] == b.shape[0],
          lambda: f"matrices of {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied")
    _need_types("mm", _NARROW, a=a, b=b)


_mm = _operator("mm(Tensor a, Tensor b) -> Tensor", lambda a, b: _product("mm.mlir", "mm", a, b),
                lambda a, b: a.new_empty((a.shape[0], b.shape[1])), _check_mm)


def _save_product(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _mm_backward(ctx, gradient):
    a, b = ctx.saved_tensors
    return (_mm(gradient, b.t()) if ctx.needs_input_grad[0] else None,
            _mm(a.t(), gradient) if ctx.needs_input_grad[1] else None)


_autograd("mm", _mm_backward, _save_product)


def mm(a, b):
    """The product of two matrices, as torch.mm: bf16 or f16, summed in f32. Transposed operands are not copied."""
    return _mm(a, b) if _is_watched(a, b) else _direct["mm"](a, b)


def _check_bmm(a, b):
    _need("bmm", a.dim() == 3 and b.dim() == 3 and a.shape[0] == b.shape[0] and a.shape[2] == b.shape[1],
          lambda: f"batches of matrices of {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied")
    _need_types("bmm", _NARROW, a=a, b=b)


_bmm = _operator("bmm(Tensor a, Tensor b) -> Tensor", lambda a, b: _product("bmm.mlir", "bmm", a, b),
                 lambda a, b: a.new_empty((a.shape[0], a.shape[1], b.shape[2])), _check_bmm)


def _bmm_backward(ctx, gradient):
    a, b = ctx.saved_tensors
    return (_bmm(gradient, b.transpose(1, 2)) if ctx.needs_input_grad[0] else None,
            _bmm(a.transpose(1, 2), gradient) if ctx.needs_input_grad[1] else None)


_autograd("bmm", _bmm_backward, _save_product)


def bmm(a, b):
    """The products of two batches of matrices, as torch.bmm."""
    return _bmm(a, b) if _is_watched(a, b) else _direct["bmm"](a, b)


def _check_addmm(c, a, b, beta, alpha):
    _need("addmm", a.dim() == 2 and b.dim() == 2 and a.shape[1] == b.shape[0],
          lambda: f"matrices of {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied")
    shape = (a.shape[0], b.shape[1])
    fits = c.dim() <= 2 and all(have in (1, want) for have, want in zip(reversed(c.shape), reversed(shape)))
    _need("addmm", fits, lambda: f"{tuple(c.shape)} cannot be expanded to {shape}")
    _need_types("addmm", _NARROW, input=c, mat1=a, mat2=b)


def _run_addmm(c, a, b, beta, alpha):
    m, n = a.shape[0], b.shape[1]
    if c.dim() < 2 or c.shape[0] == 1 != m:
        row = c.reshape(-1)
        return _product("addmm.mlir", "addmm_bias", a, b, _packed(row if row.numel() == n else row.expand(n)), beta, alpha)
    return _product("addmm.mlir", "addmm", a, b, _with_rows(c.expand(m, n)), beta, alpha)


_addmm = _operator("addmm(Tensor input, Tensor mat1, Tensor mat2, float beta, float alpha) -> Tensor", _run_addmm,
                   lambda c, a, b, beta, alpha: a.new_empty((a.shape[0], b.shape[1])), _check_addmm)


def _save_addmm(ctx, inputs, output):
    c, a, b, ctx.beta, ctx.alpha = inputs
    ctx.shape = c.shape
    ctx.save_for_backward(a, b)


def _addmm_backward(ctx, gradient):
    a, b = ctx.saved_tensors
    scaled = gradient if ctx.alpha == 1 else gradient * ctx.alpha
    to_input = None
    if ctx.needs_input_grad[0]:
        to_input = (gradient if ctx.beta == 1 else gradient * ctx.beta).sum_to_size(ctx.shape)
    return (to_input, _mm(scaled, b.t()) if ctx.needs_input_grad[1] else None,
            _mm(a.t(), scaled) if ctx.needs_input_grad[2] else None, None, None)


_autograd("addmm", _addmm_backward, _save_addmm)


def addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0):
    """beta * input + alpha * mat1 @ mat2, as torch.addmm, rounded once. `input` is a matrix, or is expanded to one."""
    call = _addmm if _is_watched(input, mat1, mat2) else _direct["addmm"]
    return call(input, mat1, mat2, float(beta), float(alpha))


#===--- rows -----------------------------------------------------------------------------------===#


def _by_rows(x, run):
    """Runs a function of a matrix on the rows of a tensor of any rank."""
    if x.numel() == 0:
        return torch.empty_like(x, memory_format=torch.contiguous_format)
    return run(_with_rows(x.reshape(-1, x.shape[-1]))).view(x.shape)


def _check_softmax(x, dim):
    _need("softmax", x.dim() > 0 and -x.dim() <= dim < x.dim(), lambda: f"there is no dimension {dim} in {tuple(x.shape)}")
    _need_types("softmax", (*_NARROW, torch.float32), x=x)


def _softmax_kernel(name, dtype):
    if dtype == torch.float32:
        return kernel("softmax.mlir", name)
    return kernel("softmax-bf16.mlir", name, _ELEMENTS[dtype])


def _run_softmax(x, dim):
    return _by_rows(x.transpose(dim, -1), _softmax_kernel("softmax", x.dtype)).transpose(dim, -1)


def _fake_softmax(x, dim):
    return torch.empty_like(x.transpose(dim, -1), memory_format=torch.contiguous_format).transpose(dim, -1)


_softmax = _operator("softmax(Tensor x, int dim) -> Tensor", _run_softmax, _fake_softmax, _check_softmax)


def _check_gradient(name, gradient, like):
    _need(name, gradient.shape == like.shape, lambda: f"a gradient of {tuple(gradient.shape)} does not fit {tuple(like.shape)}")
    _need(name, gradient.dtype == like.dtype and gradient.device == like.device,
          lambda: f"the gradient is {gradient.dtype} on {gradient.device}, and the result {like.dtype} on {like.device}")


def _run_softmax_backward(gradient, y, dim):
    if y.numel() == 0:
        return _fake_softmax(y, dim)
    run = _softmax_kernel("softmax_backward", y.dtype)
    gradient = gradient.transpose(dim, -1).reshape(-1, y.shape[dim])
    return _by_rows(y.transpose(dim, -1), lambda rows: run(rows, _with_rows(gradient))).transpose(dim, -1)


def _check_softmax_backward(gradient, y, dim):
    _check_softmax(y, dim)
    _check_gradient("softmax_backward", gradient, y)


_softmax_backward = _operator("softmax_backward(Tensor gradient, Tensor y, int dim) -> Tensor", _run_softmax_backward,
                              lambda gradient, y, dim: _fake_softmax(y, dim), _check_softmax_backward)
_without_gradient("softmax_backward")


def _save_softmax(ctx, inputs, output):
    ctx.dim = inputs[1]
    ctx.save_for_backward(output)


_autograd("softmax", lambda ctx, gradient: (_softmax_backward(gradient, *ctx.saved_tensors, ctx.dim), None), _save_softmax)


def softmax(x, dim=-1):
    """The softmax along a dimension, as torch.softmax: computed in f32, of any length."""
    return _softmax(x, dim) if _is_watched(x) else _direct["softmax"](x, dim)


def _check_rms_norm(x, weight, eps):
    _need("rms_norm", x.dim() > 0 and weight.shape == x.shape[-1:],
          lambda: f"weights of {tuple(weight.shape)} do not fit rows of {tuple(x.shape[-1:])}")
    _need_types("rms_norm", _NARROW, x=x, weight=weight)


def _run_rms_norm(x, weight, eps):
    run = kernel("rms-norm.mlir", "rms_norm", _ELEMENTS[x.dtype])
    return _by_rows(x, lambda rows: run(rows, _packed(weight), eps))


_rms_norm = _operator("rms_norm(Tensor x, Tensor weight, float eps) -> Tensor", _run_rms_norm,
                      lambda x, weight, eps: torch.empty_like(x, memory_format=torch.contiguous_format), _check_rms_norm)


def _run_rms_norm_backward(gradient, x, weight, eps, wants_weight):
    to_x = torch.empty_like(x, memory_format=torch.contiguous_format)
    to_weight = weight.new_empty(weight.shape if wants_weight else 0)
    if x.numel() == 0:
        return to_x, to_weight.zero_()
    run = kernel("rms-norm.mlir", "rms_norm_backward", _ELEMENTS[x.dtype], (("SUMS", 2 if wants_weight else 1),))
    rows, gradients = (_with_rows(tensor.reshape(-1, x.shape[-1])) for tensor in (x, gradient))
    run(rows, _packed(weight), eps, gradients, to_x.view(rows.shape), to_weight)
    return to_x, to_weight


def _check_rms_norm_backward(gradient, x, weight, eps, wants_weight):
    _check_rms_norm(x, weight, eps)
    _check_gradient("rms_norm_backward", gradient, x)


_rms_norm_backward = _operator("rms_norm_backward(Tensor gradient, Tensor x, Tensor weight, float eps, bool wants_weight) -> (Tensor, Tensor)",
                               _run_rms_norm_backward,
                               lambda gradient, x, weight, eps, wants_weight: (torch.empty_like(x, memory_format=torch.contiguous_format),
                                                                               weight.new_empty(weight.shape if wants_weight else 0)),
                               _check_rms_norm_backward)
_without_gradient("rms_norm_backward")


def _save_rms_norm(ctx, inputs, output):
    *tensors, ctx.eps = inputs
    ctx.save_for_backward(*tensors)


def _backward_of_rms_norm(ctx, gradient):
    wants_x, wants_weight, _ = ctx.needs_input_grad
    to_x, to_weight = _rms_norm_backward(gradient, *ctx.saved_tensors, ctx.eps, wants_weight)
    return to_x if wants_x else None, to_weight if wants_weight else None, None


_autograd("rms_norm", _backward_of_rms_norm, _save_rms_norm)


def rms_norm(x, weight, eps=1e-6):
    """x / sqrt(mean(x²) + eps) * weight along the last dimension, computed in f32 and rounded once. The gradient of the weights is
    summed in a fixed order."""
    return (_rms_norm if _is_watched(x, weight) else _direct["rms_norm"])(x, weight, float(eps))


#===--- attention ------------------------------------------------------------------------------===#

_LARGEST_HEAD = 256
_LARGEST_ADDED_HEAD = 128  # up to which blocks have registers for a third sum, the gradient of q
_VECTOR = 8  # elements in 16 bytes: what TMA fetches rows by
_SMALLEST_SCALE, _LARGEST_SCALE = 1e-20, 1e6  # what f32 has room for beside the largest and the smallest score
_MASKS = {"all": 1, "causal": 2, "window": 3}  # MASK of the programs


def _check_attention(q, k, v, scale, causal, window=None, name="attention"):
    _need(name, q.dim() == 4 and k.dim() == 4 and k.shape == v.shape and q.shape[0] == k.shape[0] and q.shape[3] == k.shape[3],
          lambda: f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)} are not batch, heads, length, size of a head, with equal "
          "batches and sizes")
    _need(name, q.shape[1] % max(k.shape[1], 1) == 0 and (k.shape[1] > 0 or q.shape[1] == 0),
          lambda: f"{q.shape[1]} heads of queries cannot share {k.shape[1]} heads of keys: the one must be a multiple of the other")
    _need(name, 1 <= q.shape[3] <= _LARGEST_HEAD, lambda: f"heads have 1 to {_LARGEST_HEAD} elements, not {q.shape[3]}")
    _need(name, _SMALLEST_SCALE <= scale <= _LARGEST_SCALE,
          lambda: f"the scale must be between {_SMALLEST_SCALE} and {_LARGEST_SCALE}, it is {scale}")
    _need(name, window is None or (isinstance(window, (int, torch.SymInt)) and not isinstance(window, bool)),
          lambda: f"a window is a number of keys, not {window!r}")
    _need(name, window is None or window >= 1, lambda: f"a window has at least one key, not {window}")
    _need(name, window is None or causal, lambda: "a window is for is_causal=True")
    _need_types(name, _NARROW, q=q, k=k, v=v)


def _attention_kernel(name, q, k, causal, window, **define):
    """The kernel for heads as _for_tma makes them, and the number of keys in its window."""
    if window is not None and window >= k.shape[2]:
        window = None
    mask = _MASKS["all" if not causal else "causal" if window is None else "window"]
    head = -(-q.shape[3] // _VECTOR) * _VECTOR
    made = kernel(f"{name.replace('_', '-')}.mlir", name, _ELEMENTS[q.dtype], (("HEAD", head), ("MASK", mask), *define.items()))
    return made, 0 if window is None else window


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
    return torch.nn.functional.pad(x, (0, more)) if more else _packed(x.clone(memory_format=torch.contiguous_format))


def _to_write(result):
    """Where a kernel writes a result: there, or what _written copies then."""
    if _is_for_tma(result):
        return result
    *shape, size = result.shape
    return result.new_empty(*shape, size + -size % _VECTOR)


def _written(result, written):
    return result if written is result else result.copy_(written[..., :result.shape[-1]])


@functools.lru_cache(maxsize=None)
def _no_sums(device):
    return torch.empty(0, 0, 0, dtype=torch.float32, device=device)


def _attend(q, k, v, scale, causal, window, sums=None):
    out = _as_laid_out(q)
    written = _to_write(out)
    run, window = _attention_kernel("attention", q, k, causal, window, SUMS=1 if sums is None else 2)
    run(_for_tma(q), _for_tma(k), _for_tma(v), scale, window, written, _no_sums(q.device) if sums is None else sums)
    return _written(out, written)


# Two operators: with a second result, the logarithm of the sum of each row, for the gradients, of up to three elements more than queries; and without.
_ATTENTION = "(Tensor q, Tensor k, Tensor v, float scale, bool causal, SymInt? window=None)"
_attention = _operator(f"attention{_ATTENTION} -> Tensor", lambda q, k, v, scale, causal, window=None: _attend(q, k, v, scale, causal, window),
                       lambda q, *more: _as_laid_out(q), _check_attention)


def _shape_of_sums(q):
    *shape, length = q.shape[:3]
    return (*shape, -(-length // 4) * 4)  # rows for TMA


def _empty_sums(q):
    return q.new_empty(_shape_of_sums(q), dtype=torch.float32)


def _run_attention_with_sums(q, k, v, scale, causal, window=None):
    sums = _empty_sums(q)
    return _attend(q, k, v, scale, causal, window, sums), sums


_attention_with_sums = _operator(f"attention_with_sums{_ATTENTION} -> (Tensor, Tensor)", _run_attention_with_sums,
                                 lambda q, *more: (_as_laid_out(q), _empty_sums(q)), _check_attention)


def _run_attention_backward(gradient, q, k, v, out, sums, scale, causal, window=None):
    # Blocks add their parts of the gradient of q in memory, in any order. Others have an order, and for large heads there is nothing else.
    order = 2 if q.shape[3] > _LARGEST_ADDED_HEAD or torch.are_deterministic_algorithms_enabled() else 1
    gradients = tuple(map(_as_laid_out, (q, k, v)))
    written = tuple(map(_to_write, gradients))
    run, window = _attention_kernel("attention_backward", q, k, causal, window, ORDER=order)
    run(*map(_for_tma, (q, k, v, out, gradient)), sums, scale, window, *written)
    return tuple(map(_written, gradients, written))


def _check_attention_backward(gradient, q, k, v, out, sums, *more):
    _check_attention(q, k, v, *more, name="attention_backward")
    _check_gradient("attention_backward", gradient, q)
    _check_gradient("attention_backward", out, q)
    _need("attention_backward", tuple(sums.shape) == _shape_of_sums(q) and sums.dtype == torch.float32 and sums.is_contiguous(),
          lambda: f"sums of {tuple(sums.shape)}, {sums.dtype}, are not those of attention_with_sums")


_attention_backward = _operator("attention_backward(Tensor gradient, Tensor q, Tensor k, Tensor v, Tensor out, Tensor sums, float scale, bool causal, "
                                "SymInt? window=None) -> (Tensor, Tensor, Tensor)", _run_attention_backward,
                                lambda gradient, q, k, v, *more: tuple(map(_as_laid_out, (q, k, v))), _check_attention_backward)
_without_gradient("attention_backward")


def _save_attention(ctx, inputs, output):
    q, k, v, *ctx.more = inputs
    ctx.set_materialize_grads(False)
    if isinstance(output, tuple):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(q, k, v, *output)
    else:
        ctx.save_for_backward(q, k, v)


def _backward_of_attention(ctx, gradient, of_sums=None):
    gradients = (None,) * 3
    if gradient is not None:
        q, k, v, *results = ctx.saved_tensors
        # attention() saves the sums where a gradient is wanted. Who calls the operator itself pays for them here.
        results = results or _attention_with_sums(q, k, v, *ctx.more)
        gradients = _attention_backward(gradient, q, k, v, *results, *ctx.more)
    return (*gradients, *(None for _ in ctx.more))


_autograd("attention", _backward_of_attention, _save_attention)
_autograd("attention_with_sums", _backward_of_attention, _save_attention)


def attention(q, k, v, *, scale=None, is_causal=False, window=None):
    """softmax(scale * q @ kᵀ) @ v for tensors of batch, heads, length, size of a head (up to 256). `scale` is 1/sqrt(size) if it is not given.

    k and v may have fewer heads than q, of which each serves as many heads of queries (grouped-query attention); repeated heads (`expand`) would be
    copied. With `is_causal` the last query sees all keys, the one before it all but the last, and so on: both sequences end together, also if their
    lengths differ. With `window`, too, a query sees that many keys and no more, its own one included. A query that sees no key gives 0.

    The dimensions of the result lie in memory in the order of q's, without gaps. Heads whose size is no multiple of 8 are copied, and so are the gradients.

    In the gradient of q blocks add in any order, so that its last bits differ from run to run, unless torch.use_deterministic_algorithms(True) is set
    or heads have more than 128 elements."""
    arguments = (q, k, v, 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else float(scale), bool(is_causal), window)
    if not _is_watched(q, k, v):
        return _direct["attention"](*arguments)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in (q, k, v)):
        return _attention_with_sums(*arguments)[0]
    return _attention(*arguments)


#===--- Inductor -------------------------------------------------------------------------------===#


def _choice(name, tile):
    """mm into `out`, in the form of a choice of Inductor's, with output tiles of that size."""
    def product(a, b, *, out):
        # Where ours does not go, Inductor is told so.
        if a.dtype not in _NARROW or a.dtype != b.dtype or out.dtype != a.dtype:
            raise NotImplementedError(f"tessera.torch has no product of {a.dtype} and {b.dtype} into {out.dtype}")
        if out.is_contiguous() and out.stride(-1) == 1:
            return _product("mm.mlir", "mm", a, b, out=out, tile=tile)
        return out.copy_(_product("mm.mlir", "mm", a, b, tile=tile))
    product.__name__ = product.__qualname__ = name
    return product


tessera_mm = _choice("tessera_mm", None)  # the tile that is predicted to be the fastest
# Others, which Inductor times. It looks them up by name.
tessera_mm_128x128 = _choice("tessera_mm_128x128", (128, 128))
tessera_mm_64x128 = _choice("tessera_mm_64x128", (64, 128))
tessera_mm_64x64 = _choice("tessera_mm_64x64", (64, 64))
_CHOICES = (tessera_mm, tessera_mm_128x128, tessera_mm_64x128, tessera_mm_64x64)


def register_inductor():
    """Makes mm, with output tiles of several sizes, one of the kernels that torch.compile with `max_autotune` tries for a matrix product
    (`external_matmul` of Inductor's options, PyTorch 2.10 on). It takes ours where it is the fastest. RuntimeError if this PyTorch has no such option."""
    from torch._inductor import config
    if not hasattr(config, "external_matmul"):
        raise RuntimeError(f"Inductor of PyTorch {torch.__version__} has no option external_matmul")
    # Code that comes from Inductor's cache names it without a lowering that would register it.
    from torch._inductor.kernel import mm as lowering
    if hasattr(lowering, "lazy_register_extern_choice"):
        for choice in _CHOICES:
            lowering.lazy_register_extern_choice(choice)
    config.external_matmul = [*config.external_matmul, *(choice for choice in _CHOICES if choice not in config.external_matmul)]
