// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of a kernel: numbers that the compiler chooses.
#ifndef TESSERA_TILE_PARAM_OPS
#define TESSERA_TILE_PARAM_OPS

include "tessera/Dialect/Tile/KernelOps.td"

def Tile_ParamOp : Tile_Op<"param", [Pure, HasParent<"KernelOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a number that is chosen when the kernel is compiled";
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    A positive number on which the extents of tiles may depend, the steps of grids and loops, and which of several ways the kernel goes. The
    list has its choices; without one every positive number may be chosen. `tile-bind-params` (`tilec -D BM=128`) replaces it by one of them. A
    choice changes the speed of a kernel, and its results by no more than the order of sums.

    ```mlir
    %BM = tile.param "BM" [64, 128, 256] : index
    ```

    In a kernel with parameters tiles may have extents `?`. Ops that make a tile from something else than tiles say what those are, by one
    number for each `?`, in order: `tile.load … tile(%BM, %BK)`, `tile.broadcast … extents(%BM, %BN)`, `tile.iota … extents(%BM)`,
    `tile.extract … extents(%BM)`, and `tensor.splat`, `tensor.extract_slice` and `tensor.expand_shape` with upstream's syntax. Of all other
    ops they follow from the operands.

    ```mlir
    tile.kernel @scale(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %f: f32) {
      %R = tile.param "R" [1, 4, 16] : index
      %W = tile.param "W" [256, 1024] : index
      %M = tile.dim "M" : index
      %N = tile.dim "N" : index
      tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%R, %W) {
        %t = tile.load %x[%i, %j] tile(%R, %W) : memref<?x?xf32> -> tensor<?x?xf32>
        %fs = tensor.splat %f[%R, %W] : tensor<?x?xf32>
        %s = arith.mulf %t, %fs : tensor<?x?xf32>
        tile.store %s, %x[%i, %j] : tensor<?x?xf32> -> memref<?x?xf32>
      }
      tile.return
    }
    ```

    A `tile.assume` on a number or condition that depends on parameters only says which choices go together: `%ok` of `tile.assume %ok, "the
    accumulators fit the registers"`. An `scf.if` or `scf.index_switch` on such a condition chooses a way. It may also stand in the body of
    the kernel, with grids, workspace and assumptions in it. `docs/design/Families.md` has all rules.

    Constraints:
    1. the name is a letter or `_`, then letters, digits and `_`.
    2. choices are positive and distinct; there are 1 to 64 of them if there is a list.
    3. no other parameter of the kernel has the name; there are at most 64.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<DenseI64ArrayAttr>:$choices);
  let results = (outs Index:$result);
  let assemblyFormat = "$name custom<Choices>($choices) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
