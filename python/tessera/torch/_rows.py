# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and RMS normalisation."""

import torch

from tessera._programs import kernel
from tessera.torch._operators import (DIRECT, ELEMENTS, NARROW, autograd, check_gradient, is_watched, need, need_types, operator, packed, with_rows,
                                       without_gradient)


def _by_rows(x, run):
    """Runs a function of a matrix on the rows of a tensor of any rank."""
    if x.numel() == 0:
        return torch.empty_like(x, memory_format=torch.contiguous_format)
    return run(with_rows(x.reshape(-1, x.shape[-1]))).view(x.shape)


def _check_softmax(x, dim):
    need("softmax", x.dim() > 0 and -x.dim() <= dim < x.dim(), lambda: f"there is no dimension {dim} in {tuple(x.shape)}")
    need_types("softmax", (*NARROW, torch.float32), x=x)


def _softmax_kernel(name, dtype):
    if dtype == torch.float32:
        return kernel("softmax.mlir", name)
    return kernel("softmax-bf16.mlir", name, ELEMENTS[dtype])


def _run_softmax(x, dim):
    return _by_rows(x.transpose(dim, -1), _softmax_kernel("softmax", x.dtype)).transpose(dim, -1)


def _fake_softmax(x, dim):
    return torch.empty_like(x.transpose(dim, -1), memory_format=torch.contiguous_format).transpose(dim, -1)


_softmax = operator("softmax(Tensor x, int dim) -> Tensor", _run_softmax, _fake_softmax, _check_softmax)


def _run_softmax_backward(gradient, y, dim):
    if y.numel() == 0:
        return _fake_softmax(y, dim)
    run = _softmax_kernel("softmax_backward", y.dtype)
    gradient = gradient.transpose(dim, -1).reshape(-1, y.shape[dim])
    return _by_rows(y.transpose(dim, -1), lambda rows: run(rows, with_rows(gradient))).transpose(dim, -1)


def _check_softmax_backward(gradient, y, dim):
    _check_softmax(y, dim)
    check_gradient("softmax_backward", gradient, y)


_softmax_backward = operator("softmax_backward(Tensor gradient, Tensor y, int dim) -> Tensor", _run_softmax_backward,
                             lambda gradient, y, dim: _fake_softmax(y, dim), _check_softmax_backward)
without_gradient("softmax_backward")


def _save_softmax(ctx, inputs, output):
    ctx.dim = inputs[1]
    ctx.save_for_backward(output)


autograd("softmax", lambda ctx, gradient: (_softmax_backward(gradient, *ctx.saved_tensors, ctx.dim), None), _save_softmax)


def softmax(x, dim=-1):
    """The softmax along a dimension, as torch.softmax: computed in f32, of any length."""
    return _softmax(x, dim) if is_watched(x) else DIRECT["softmax"](x, dim)


def _check_rms_norm(x, weight, eps):
    need("rms_norm", x.dim() > 0 and weight.shape == x.shape[-1:],
         lambda: f"weights of {tuple(weight.shape)} do not fit rows of {tuple(x.shape[-1:])}")
    need_types("rms_norm", NARROW, x=x, weight=weight)


def _run_rms_norm(x, weight, eps):
    run = kernel("rms-norm.mlir", "rms_norm", ELEMENTS[x.dtype])
    return _by_rows(x, lambda rows: run(rows, packed(weight), eps))


_rms_norm = operator("rms_norm(Tensor x, Tensor weight, float eps) -> Tensor", _run_rms_norm,
                     lambda x, weight, eps: torch.empty_like(x, memory_format=torch.contiguous_format), _check_rms_norm)


def _run_rms_norm_backward(gradient, x, weight, eps, wants_weight):
    to_x = torch.empty_like(x, memory_format=torch.contiguous_format)
    to_weight = weight.new_empty(weight.shape if wants_weight else 0)
    if x.numel() == 0:
        return to_x, to_weight.zero_()
    run = kernel("rms-norm.mlir", "rms_norm_backward", ELEMENTS[x.dtype], (("SUMS", 2 if wants_weight else 1),))
    rows, gradients = (with_rows(tensor.reshape(-1, x.shape[-1])) for tensor in (x, gradient))
    run(rows, packed(weight), eps, gradients, to_x.view(rows.shape), to_weight)
    return to_x, to_weight


def _check_rms_norm_backward(gradient, x, weight, eps, wants_weight):
    _check_rms_norm(x, weight, eps)
    check_gradient("rms_norm_backward", gradient, x)


_rms_norm_backward = operator("rms_norm_backward(Tensor gradient, Tensor x, Tensor weight, float eps, bool wants_weight) -> (Tensor, Tensor)",
                              _run_rms_norm_backward,
                              lambda gradient, x, weight, eps, wants_weight: (torch.empty_like(x, memory_format=torch.contiguous_format),
                                                                              weight.new_empty(weight.shape if wants_weight else 0)),
                              _check_rms_norm_backward)
without_gradient("rms_norm_backward")


def _save_rms_norm(ctx, inputs, output):
    *tensors, ctx.eps = inputs
    ctx.save_for_backward(*tensors)


def _backward_of_rms_norm(ctx, gradient):
    wants_x, wants_weight, _ = ctx.needs_input_grad
    to_x, to_weight = _rms_norm_backward(gradient, *ctx.saved_tensors, ctx.eps, wants_weight)
    return to_x if wants_x else None, to_weight if wants_weight else None, None


autograd("rms_norm", _backward_of_rms_norm, _save_rms_norm)


def rms_norm(x, weight, eps=1e-6):
    """x / sqrt(mean(x²) + eps) * weight along the last dimension, computed in f32 and rounded once. The gradient of the weights is
    summed in a fixed order."""
    return (_rms_norm if is_watched(x, weight) else DIRECT["rms_norm"])(x, weight, float(eps))
