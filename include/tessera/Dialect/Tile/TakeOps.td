// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements and slices of a tile at places that are known at run time only.
#ifndef TESSERA_TILE_TAKE_OPS
#define TESSERA_TILE_TAKE_OPS

include "tessera/Dialect/Tile/KernelOps.td"

def Tile_TakeOp : Tile_Op<"take", [Pure]> {
  let summary = "elements of a tile at indices";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    Replaces the coordinate along `dim` by an index. If the index tile has the result's shape, element (p, q) of the result is element
    (p, index[p, q]) of the source, for `dim = 1`. If it has rank 1, whole slices are taken: element (p, q) is element (p, index[q]). Indices
    are signed. Where one is negative or not below the source's extent the result is zero.

    ```mlir
    %e = tile.take %x at %i dim = 1 : tensor<64x32xf32>, tensor<64x8xi32> -> tensor<64x8xf32>
    %s = tile.take %x at %j dim = 1 : tensor<64x32xf32>, tensor<8xi32> -> tensor<64x8xf32>
    ```

    On the GPU the tile goes through shared memory. If the tile is only loaded to be taken from, taking from global memory is less work.

    Constraints:
    1. `dim` is below the rank of the source.
    2. the indices are i8, i16, i32, i64 or index.
    3. the index tile has the result's shape, or rank 1 and the result's extent along `dim`.
    4. the result has the source's element type, and its shape but for the extent along `dim`.
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$index, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `at` $index `dim` `=` $dim attr-dict `:` type($source) `,` type($index) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure, AttrSizedOperandSegments]> {
  let summary = "a slice of a tile at a place known at run time";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    The tile is cut into slices of the result's shape; the indices say which of them is the result. So the slice begins at index times
    extent of the slice, along each dimension. If an index is negative or not below the number of slices along its dimension, the result is
    zero.

    ```mlir
    %s = tile.extract %t[%i, %j] : tensor<128x64xf32> -> tensor<16x64xf32>
    ```

    With constant indices the op folds to a `tensor.extract_slice`. `extents` has a number for each `?` of the result (`tile.param`).

    Constraints:
    1. one index for each dimension of the tile, which has rank 1 or more.
    2. rank and element type of the slice are those of the tile; each extent of the slice divides the tile's.
    3. `extents` has one number for each `?` of the result.
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$indices, Variadic<Index>:$extents);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `[` $indices `]` (`extents` `(` $extents^ `)`)? attr-dict `:` type($source) `->` type($result)";
  let builders = [
    OpBuilder<(ins "mlir::Type":$result, "mlir::Value":$source, "mlir::ValueRange":$indices),
              [{ build($_builder, $_state, result, source, indices, mlir::ValueRange{}); }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_InsertOp : Tile_Op<"insert", [Pure, AllTypesMatch<["dest", "result"]>]> {
  let summary = "replace a slice of a tile at a place known at run time";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    The inverse of `tile.extract`: the result is the tile with one of its slices replaced. If an index is negative or not below the number
    of slices along its dimension, the result is the tile.

    ```mlir
    %r = tile.insert %s into %t[%i, %j] : tensor<16x64xf32> -> tensor<128x64xf32>
    ```

    Constraints:
    1. one index for each dimension of the tile, which has rank 1 or more.
    2. rank and element type of the slice are those of the tile; each extent of the slice divides the tile's.
  }];
  let arguments = (ins AnyRankedTensor:$slice, AnyRankedTensor:$dest, Variadic<Index>:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$slice `into` $dest `[` $indices `]` attr-dict `:` type($slice) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
