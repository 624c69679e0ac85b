# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses bench/tessera.py as a user of PyTorch would, with tensors made of ctypes arrays."""

import ctypes
import sys

sys.path.insert(0, sys.argv[1])
import tessera


class Tensor:
    """The part of torch.Tensor that the binding uses."""

    is_cuda = False

    def __init__(self, kind, values, shape, stride):
        self.data, self.shape, self.dtype = (kind * len(values))(*values), shape, kind.__name__
        self.steps, self.bytes = stride, ctypes.sizeof(kind)

    def element_size(self):
        return self.bytes

    def dim(self):
        return len(self.shape)

    def stride(self):
        return self.steps

    def data_ptr(self):
        return ctypes.addressof(self.data)

    def is_contiguous(self):
        return self.steps[-1] == 1 and (len(self.shape) < 2 or self.steps[0] == self.shape[1])


def floats(*values):
    return Tensor(ctypes.c_float, values, (len(values),), (1,))


def attempt(call):
    try:
        call()
    except tessera.Error as error:
        print("error:", error)


module = tessera.Module(sys.argv[2])
module.prepare()
module.set_dependent_launch(False)
module.set_places(False)
print(module.target, ", ".join(module.kernel_names()))
axpy = module.kernel("axpy")
print([(arg["name"], arg["element"], arg["writes"]) for arg in axpy.args], axpy.variants)

x, y = floats(1, 2, 3), floats(10, 20, 30)
axpy(x, y, 2)
print("y =", *y.data)
launch = axpy.prepare(x, y, -0.5)
print("variant", axpy.variants[launch.variant()])
launch()
launch()
print("y =", *y.data)

transpose = module.kernel("transpose")
a = Tensor(ctypes.c_int32, range(8), (2, 3), (4, 1))
b = Tensor(ctypes.c_int32, [-1] * 16, (4, 2), (4, 1))
attempt(lambda: transpose(a, b))
attempt(lambda: transpose(floats(1), b))
attempt(lambda: axpy(x, y))
attempt(lambda: axpy(x, floats(1), 2))
attempt(lambda: axpy.force_variant("no such"))
attempt(lambda: module.kernel("no such"))
attempt(lambda: tessera.Module("no such file"))
launch()
print("y =", *y.data)

bits = [("f32", 1.5), ("f16", -2), ("bf16", 1.00390625), ("bf16", 3.3895313892515355e38), ("f64", 1), ("i32", -1), ("i1", True), ("index", -2)]
print(*(f"{element}:{tessera.scalar_bits(element, value):x}" for element, value in bits))
