# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products: mm, bmm, addmm."""

from tessera._programs import kernel
from tessera.torch._operators import DIRECT, ELEMENTS, NARROW, autograd, is_watched, need, need_types, operator, packed, with_rows


def _operand(tensor):
    """(layout, tensor): "n", or "t" and the transposed tensor if it is its columns that lie in rows."""
    if tensor.stride(-1) == 1:
        return "n", tensor
    if tensor.stride(-2) == 1:
        return "t", tensor.transpose(-1, -2)
    return "n", packed(tensor)


def product(file, prefix, a, b, *more, out=None, tile=None):
    left, a = _operand(a)
    right, b = _operand(b)
    define = (("BM", tile[0]), ("BN", tile[1])) if tile else ()
    return kernel(file, f"{prefix}_{left}{right}", ELEMENTS[a.dtype], define)(a, b, *more, out=out)


def _check_mm(a, b):
    need("mm", a.dim() == 2 and b.dim() == 2 and a.shape[1] == b.shape[0],
         lambda: f"matrices of {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied")
    need_types("mm", NARROW, a=a, b=b)


_mm = operator("mm(Tensor a, Tensor b) -> Tensor", lambda a, b: product("mm.mlir", "mm", a, b),
               lambda a, b: a.new_empty((a.shape[0], b.shape[1])), _check_mm)


def _save_product(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _mm_backward(ctx, gradient):
    a, b = ctx.saved_tensors
    return (_mm(gradient, b.t()) if ctx.needs_input_grad[0] else None,
            _mm(a.t(), gradient) if ctx.needs_input_grad[1] else None)


autograd("mm", _mm_backward, _save_product)


def mm(a, b):
    """The product of two matrices, as torch.mm: bf16 or f16, summed in f32. Transposed operands are not copied."""
    return _mm(a, b) if is_watched(a, b) else DIRECT["mm"](a, b)


def _check_bmm(a, b):
    need("bmm", a.dim() == 3 and b.dim() == 3 and a.shape[0] == b.shape[0] and a.shape[2] == b.shape[1],
         lambda: f"batches of matrices of {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied")
    need_types("bmm", NARROW, a=a, b=b)


_bmm = operator("bmm(Tensor a, Tensor b) -> Tensor", lambda a, b: product("bmm.mlir", "bmm", a, b),
                lambda a, b: a.new_empty((a.shape[0], a.shape[1], b.shape[2])), _check_bmm)


def _bmm_backward(ctx, gradient):
    a, b = ctx.saved_tensors
    return (_bmm(gradient, b.transpose(1, 2)) if ctx.needs_input_grad[0] else None,
            _bmm(a.transpose(1, 2), gradient) if ctx.needs_input_grad[1] else None)


autograd("bmm", _bmm_backward, _save_product)


def bmm(a, b):
    """The products of two batches of matrices, as torch.bmm."""
    return _bmm(a, b) if is_watched(a, b) else DIRECT["bmm"](a, b)


def _check_addmm(c, a, b, beta, alpha):
    need("addmm", a.dim() == 2 and b.dim() == 2 and a.shape[1] == b.shape[0],
         lambda: f"matrices of {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied")
    shape = (a.shape[0], b.shape[1])
    fits = c.dim() <= 2 and all(have in (1, want) for have, want in zip(reversed(c.shape), reversed(shape)))
    need("addmm", fits, lambda: f"{tuple(c.shape)} cannot be expanded to {shape}")
    need_types("addmm", NARROW, input=c, mat1=a, mat2=b)


def _run_addmm(c, a, b, beta, alpha):
    m, n = a.shape[0], b.shape[1]
    if c.dim() < 2 or c.shape[0] == 1 != m:
        row = c.reshape(-1)
        return product("addmm.mlir", "addmm_bias", a, b, packed(row if row.numel() == n else row.expand(n)), beta, alpha)
    return product("addmm.mlir", "addmm", a, b, with_rows(c.expand(m, n)), beta, alpha)


_addmm = operator("addmm(Tensor input, Tensor mat1, Tensor mat2, float beta, float alpha) -> Tensor", _run_addmm,
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


autograd("addmm", _addmm_backward, _save_addmm)


def addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0):
    """beta * input + alpha * mat1 @ mat2, as torch.addmm, rounded once. `input` is a matrix, or is expanded to one."""
    call = _addmm if is_watched(input, mat1, mat2) else DIRECT["addmm"]
    return call(input, mat1, mat2, float(beta), float(alpha))
