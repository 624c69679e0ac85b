# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs for the tests of the package."""

ADD = """\
tile.kernel @add(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]},
                 %z: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (128) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
    %b = tile.load %y[%i] : memref<?xf32> -> tensor<128xf32>
    %c = arith.addf %a, %b : tensor<128xf32>
    tile.store %c, %z[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
"""

# The same with a parameter.
ADD_BY = ADD.replace("  %N =", '  %W = tile.param "W" [128, 64, 256] : index\n  %N =').replace("step (128)", "step (%W)")
ADD_BY = ADD_BY.replace("[%i] : memref", "[%i] tile(%W) : memref").replace("tensor<128", "tensor<?")

# Needs as much memory as it is told to.
OUTER = """\
tile.kernel @outer(%x: memref<?xf32> {tile.shape = ["M"]}, %y: memref<?xf32> {tile.shape = ["N"]},
                   %z: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (32, 32) {
    %one = arith.constant dense<1.0> : tensor<32x32xf32>
    tile.store %one, %z[%i, %j] : tensor<32x32xf32> -> memref<?x?xf32>
  }
  tile.return
}
"""

# y += alpha * x: y is read and written, so there is no output.
AXPY = """\
tile.kernel @axpy(%alpha: f32, %x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (128) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
    %b = tile.load %y[%i] : memref<?xf32> -> tensor<128xf32>
    %s = tensor.splat %alpha : tensor<128xf32>
    %p = arith.mulf %a, %s : tensor<128xf32>
    %c = arith.addf %b, %p : tensor<128xf32>
    tile.store %c, %y[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
"""

# Two outputs: x transposed, and its first two rows. The second has a size that is a number.
PARTS = """\
tile.kernel @parts(%x: memref<?x?xi32, strided<[?, ?]>> {tile.shape = ["M", "N"]}, %t: memref<?x?xi32> {tile.shape = ["N", "M"]},
                   %two: memref<2x?xi32> {tile.shape = [2, "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (16, 16) {
    %a = tile.load %x[%i, %j] : memref<?x?xi32, strided<[?, ?]>> -> tensor<16x16xi32>
    %b = tile.transpose %a dims = [1, 0] : tensor<16x16xi32> -> tensor<16x16xi32>
    tile.store %b, %t[%j, %i] : tensor<16x16xi32> -> memref<?x?xi32>
    tile.store %a, %two[%i, %j] : tensor<16x16xi32> -> memref<2x?xi32>
  }
  tile.return
}
"""

# The size of z follows from nothing.
UNKNOWN = ADD.replace("@add", "@unknown").replace('%z: memref<?xf32> {tile.shape = ["N"]}', '%z: memref<?xf32> {tile.shape = ["P"]}')


def of_type(element):
    """y = x + s for a scalar s of that type."""
    op = "arith.addf" if "f" in element else "arith.addi"
    return f"""\
tile.kernel @plus(%x: memref<?x{element}> {{tile.shape = ["N"]}}, %s: {element}, %y: memref<?x{element}> {{tile.shape = ["N"]}}) {{
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (128) {{
    %a = tile.load %x[%i] : memref<?x{element}> -> tensor<128x{element}>
    %b = tensor.splat %s : tensor<128x{element}>
    %c = {op} %a, %b : tensor<128x{element}>
    tile.store %c, %y[%i] : tensor<128x{element}> -> memref<?x{element}>
  }}
  tile.return
}}
"""


def many(count):
    """z = x0 + x1 + …: a kernel with more arguments than a call has room for on the stack."""
    args = ", ".join(f'%x{i}: memref<?xf32> {{tile.shape = ["N"]}}' for i in range(count))
    lines = [f"    %a{i} = tile.load %x{i}[%i] : memref<?xf32> -> tensor<128xf32>" for i in range(count)]
    lines += [f"    %s{i} = arith.addf %{'a' if i == 1 else 's'}{i - 1}, %a{i} : tensor<128xf32>" for i in range(1, count)]
    body = "\n".join(lines)
    return f"""\
tile.kernel @many({args}, %z: memref<?xf32> {{tile.shape = ["N"]}}) {{
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (128) {{
{body}
    tile.store %s{count - 1}, %z[%i] : tensor<128xf32> -> memref<?xf32>
  }}
  tile.return
}}
"""
