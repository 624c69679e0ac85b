# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variants of kernels in a module, so that a test compiles for the CPU only the one that its launch takes."""
import re


class Variant:
    def __init__(self, text):
        self.text = text
        head = text.split("\n", 1)[0]
        self.name = re.search(r"@(\w+)\(", head).group(1)
        of = re.search(r'variant_of = "(\w+)"', head)
        self.kernel = of.group(1) if of else self.name
        self.guards = [(fact, int(arg), int(dim), int(value))
                       for fact, arg, dim, value in re.findall(r"#tile\.guard<(\w+), arg = (\d+), dim = (-?\d+), value = (\d+)>", head)]

    def may_take(self, shapes):
        """Whether its guards about sizes hold for arrays of these shapes, which are contiguous. The launcher knows whether the others do."""
        for fact, arg, dim, value in self.guards:
            extents = shapes[arg]
            stride = 1
            for extent in extents[dim + 1:]:
                stride *= extent
            if ((fact == "stride_divisible" and stride % value) or (fact == "size_min" and extents[dim] < value) or
                    (fact == "size_max" and extents[dim] > value)):
                return False
        return True


KERNEL = re.compile(r"^( *)tile\.kernel @.*?^\1}\n", re.MULTILINE | re.DOTALL)


def variants(module):
    """The variants of all kernels of what tile-opt printed, in the order in which the launcher tries them."""
    return [Variant(found.group(0)) for found in KERNEL.finditer(module)]


def alone(module, variant):
    """The module without the other variants and kernels."""
    return KERNEL.sub(lambda found: found.group(0) if found.group(0) == variant.text else "", module)
