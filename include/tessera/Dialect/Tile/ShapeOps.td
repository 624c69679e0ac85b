// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that change the shape of a tile, and tiles of coordinates.
#ifndef TESSERA_TILE_SHAPE_OPS
#define TESSERA_TILE_SHAPE_OPS

include "tessera/Dialect/Tile/KernelOps.td"

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeat a tile along new dimensions";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    `dims` names the result dimension of each source dimension, in ascending order. Along all other dimensions the source is repeated. The
    source may be a scalar (`dims = []`).

    ```mlir
    %b = tile.broadcast %v dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %s = tile.broadcast %x dims = [] : f32 -> tensor<128x64xf32>
    ```

    Constraints:
    1. `dims` has one entry for each source dimension; they ascend, are distinct and below the result's rank.
    2. the extents of those dimensions are equal, or 1 in the source.
    3. the element types are equal.
  }];
  let arguments = (ins AnyType:$source, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `dims` `=` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "coordinates along a dimension";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    Each element is `from + i`, where i is its coordinate along `dim`. `from` is 0 by default. Sums that do not fit the element type wrap
    around.

    ```mlir
    %j = tile.iota dim = 1 : tensor<128x64xi32>
    %g = tile.iota dim = 0 from %i : tensor<128xindex>
    ```

    Constraints:
    1. an integer or index element type; `dim` below the rank.
    2. `from` has the element type.
  }];
  let arguments = (ins I64Attr:$dim, Optional<AnyType>:$from);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "permute dimensions";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    Dimension d of the result is dimension `dims[d]` of the source. Transposes of loads, of transposes and of splats fold away.

    ```mlir
    %t = tile.transpose %x dims = [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
    ```

    Constraints:
    1. `dims` is a permutation.
    2. the result has the permuted extents, and the source's element type.
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `dims` `=` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ZipOp : Tile_Op<"zip", [Pure, SameTypeOperands]> {
  let summary = "interleave two tiles";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    Along the last dimension element 2i of the result is element i of the first tile, and element 2i + 1 is element i of the second.
    `tile-expand-ops` rewrites the op into reshapes and a `tensor.concat`.

    ```mlir
    %z = tile.zip %x, %y : tensor<64x32xf32> -> tensor<64x64xf32>
    ```

    Constraints:
    1. rank 1 or more.
    2. the result has the operands' type with twice the last extent.
  }];
  let arguments = (ins AnyRankedTensor:$even, AnyRankedTensor:$odd);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$even `,` $odd attr-dict `:` type($even) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_UnzipOp : Tile_Op<"unzip", [Pure, AllTypesMatch<["even", "odd"]>]> {
  let summary = "take interleaved tiles apart";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    The inverse of `tile.zip`: the first result has the elements with even coordinates along the last dimension, the second those with odd
    ones.

    ```mlir
    %re, %im = tile.unzip %z : tensor<64x64xf32> -> tensor<64x32xf32>
    ```

    Constraints:
    1. rank 1 or more, and an even last extent.
    2. the results have the operand's type with half the last extent.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$even, AnyRankedTensor:$odd);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($even)";
  let hasVerifier = 1;
}

#endif
