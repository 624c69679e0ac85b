# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch: matrix products, softmax, RMS normalisation, attention.

    import tessera.torch
    c = tessera.torch.mm(a, b)                       # torch.ops.tessera.mm
    tessera.torch.register_inductor()                # torch.compile(mode="max-autotune") tries ours, too

Tensors are bf16 or f16 (softmax: f32, too), on a Hopper GPU or on the CPU. The kernels are the programs in tessera/kernels, which
are compiled at the first call with a type and a layout. torch.compile takes the operators as they are. mm, addmm and bmm have
gradients; the gradient of the others is an error.
"""

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
    def backward(context, gradient):
        raise NotImplementedError(f"tessera.torch.{name} has no gradient; use it without one (torch.no_grad()), or PyTorch's own")
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
    return kernel(file, f"{prefix}_{left}{right}", _ELEMENTS[a.dtype], tile)(a, b, *more, out=out)


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


def _run_softmax(x, dim):
    x = x.transpose(dim, -1)
    file = "softmax.mlir" if x.dtype == torch.float32 else "softmax-bf16.mlir"
    element = "bf16" if x.dtype == torch.float32 else _ELEMENTS[x.dtype]
    y = _by_rows(x, kernel(file, "softmax", element))
    return y.transpose(dim, -1)


def _fake_softmax(x, dim):
    return torch.empty_like(x.transpose(dim, -1), memory_format=torch.contiguous_format).transpose(dim, -1)


_softmax = _operator("softmax(Tensor x, int dim) -> Tensor", _run_softmax, _fake_softmax, _check_softmax)
_without_gradient("softmax")


def softmax(x, dim=-1):
    """The softmax along a dimension, as torch.softmax: computed in f32, of any length. It has no gradient."""
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
_without_gradient("rms_norm")


def rms_norm(x, weight, eps=1e-6):
    """x / sqrt(mean(x²) + eps) * weight along the last dimension, computed in f32 and rounded once. It has no gradient."""
    return (_rms_norm if _is_watched(x, weight) else _direct["rms_norm"])(x, weight, float(eps))


#===--- attention ------------------------------------------------------------------------------===#


def _check_attention(q, k, v, scale, causal):
    _need("attention", q.dim() == 4 and k.dim() == 4 and k.shape == v.shape and q.shape[:2] == k.shape[:2] and
          q.shape[3] == k.shape[3],
          lambda: f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)} are not batch, heads, length, size of a head, with equal "
          "batches, heads and sizes")
    _need("attention", q.shape[3] in (64, 128), lambda: f"heads of {q.shape[3]} are not there; there are 64 and 128")
    _need("attention", scale > 0, lambda: f"the scale must be positive, it is {scale}")
    _need_types("attention", _NARROW, q=q, k=k, v=v)


def _run_attention(q, k, v, scale, causal):
    size = q.shape[3]
    run = kernel(f"attention-{size}.mlir", f"attention_causal_{size}" if causal else f"attention_{size}", _ELEMENTS[q.dtype])
    return run(_with_rows(q), _with_rows(k), _with_rows(v), scale)


_attention = _operator("attention(Tensor q, Tensor k, Tensor v, float scale, bool causal) -> Tensor", _run_attention,
                       lambda q, k, v, scale, causal: torch.empty_like(q, memory_format=torch.contiguous_format),
                       _check_attention)
_without_gradient("attention")


def attention(q, k, v, *, scale=None, is_causal=False):
    """softmax(scale * q @ kᵀ) @ v for tensors of batch, heads, length, size of a head (64 or 128). `scale` is 1/sqrt(size) if it is
    not given. With `is_causal` the last query sees all keys, the one before it all but the last, and so on: both sequences end
    together, also if their lengths differ. A query that sees no key gives 0. It has no gradient."""
    call = _attention if _is_watched(q, k, v) else _direct["attention"]
    return call(q, k, v, 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale), bool(is_causal))


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
