# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all operators have in common: how they are defined, called around PyTorch's dispatcher, and check their tensors."""

import torch
from torch.utils._device import DeviceContext

from tessera._errors import ArgumentError

_library = torch.library.Library("tessera", "DEF")
ELEMENTS = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}
NARROW = (torch.bfloat16, torch.float16)


DIRECT = {}  # by name: what an operator runs


def operator(schema, run, fake, check):
    """Defines an operator. `check` raises ArgumentError for arguments that do not fit; it looks at types and shapes alone."""
    name = schema.partition("(")[0]
    _library.define(schema)

    def checked(function):
        def call(*args):
            check(*args)
            return function(*args)
        return call

    DIRECT[name] = checked(run)
    for key in ("CPU", "CUDA"):
        _library.impl(name, DIRECT[name], key)
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


def is_watched(*tensors):
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


def autograd(name, backward, setup_context):
    torch.library.register_autograd(f"tessera::{name}", backward, setup_context=setup_context, lib=_library)


def without_gradient(name):
    def backward(context, *gradients):
        of = name.removesuffix("_backward")
        raise NotImplementedError(f"the gradient of tessera.torch.{of} has no gradient itself (create_graph=True); use PyTorch's own operator for that")
    autograd(name, backward, lambda ctx, inputs, output: None)


def need(name, condition, what):
    """An ArgumentError with the text that `what` makes, unless the condition holds."""
    if not condition:
        raise ArgumentError(f"tessera.torch.{name}: {what()}")


def need_types(name, types, **tensors):
    first = next(iter(tensors.values()))
    for key, tensor in tensors.items():
        need(name, tensor.dtype in types, lambda: f"{key} is {tensor.dtype}; there are {', '.join(map(str, types))}")
        need(name, tensor.dtype == first.dtype, lambda: f"{key} is {tensor.dtype}, and the first argument {first.dtype}")
        need(name, tensor.device == first.device, lambda: f"{key} is on {tensor.device}, and the first argument on {first.device}")


def packed(tensor):
    """The tensor as a row-major one, also by its strides in dimensions of one element."""
    tensor = tensor.contiguous()
    strides, stride = [], 1
    for size in reversed(tensor.shape):
        strides.append(stride)
        stride *= max(size, 1)
    strides.reverse()
    return tensor if list(tensor.stride()) == strides else tensor.as_strided(tensor.shape, strides)


def with_rows(tensor):
    """The tensor, copied if the elements of a row are not next to each other."""
    return tensor if tensor.stride(-1) == 1 else packed(tensor)


def check_gradient(name, gradient, like):
    need(name, gradient.shape == like.shape, lambda: f"a gradient of {tuple(gradient.shape)} does not fit {tuple(like.shape)}")
    need(name, gradient.dtype == like.dtype and gradient.device == like.device,
          lambda: f"the gradient is {gradient.dtype} on {gradient.device}, and the result {like.dtype} on {like.device}")
