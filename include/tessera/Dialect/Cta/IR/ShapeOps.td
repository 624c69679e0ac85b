// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Ops on layouts, shapes and tiles of coordinates, which access no memory.
#ifndef TESSERA_CTA_SHAPE_OPS
#define TESSERA_CTA_SHAPE_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"

def Cta_ConvertLayoutOp : Cta_Op<"convert_layout", [Pure, Cta_Erasable, Cta_Cost, Cta_Sliceable]> {
  let summary = "the same tile in another register layout";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `cta-decompose` sets `how`: no instruction, a permutation of a thread's registers, or shuffles within a warp. It turns a conversion that
    needs shared memory into `cta.stage` and `cta.read`.

    ```mlir
    %y = cta.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```

    Constraints:
    1. source and result have the same shape and element type.
  }];
  let arguments = (ins AnyRankedTensor:$source, OptionalAttr<Cta_ConversionAttr>:$how);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The value that `value` is in another layout, through any number of these ops.
    static ::mlir::Value sourceOf(::mlir::Value value);
  }];
}

def Cta_BroadcastOp : Cta_Op<"broadcast", [Pure, Cta_Erasable, Cta_NoCost, Cta_Sliceable]> {
  let summary = "repeat a tile along new dimensions";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tile.broadcast`. In phase placed the source's layout is the result's with the new dimensions sliced away. A dimension that grows from
    extent 1 counts as new: the source's layout has no bits along it. A scalar source has no layout.

    ```mlir
    %b = cta.broadcast %v dims = [0] : tensor<128xf32, #s> -> tensor<128x64xf32, #l>
    ```

    Constraints:
    1. `dims` has one entry for each source dimension (none for a scalar); they ascend and are below the result's rank.
    2. an extent of the source is the result's, or 1.
    3. the element types are equal.
  }];
  let arguments = (ins AnyType:$source, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `dims` `=` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_IotaOp : Cta_Op<"iota", [Pure, Cta_Erasable, Cta_NoCost, Cta_Sliceable]> {
  let summary = "coordinates along a dimension";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tile.iota`.

    ```mlir
    %j = cta.iota dim = 1 : tensor<128x64xi32, #l>
    ```

    Constraints:
    1. the elements are integers or index; `dim` is a dimension of the tile.
    2. `from` has the element type.
  }];
  let arguments = (ins I64Attr:$dim, Optional<AnyType>:$from);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`dim` `=` $dim (`from` $from^ `:` type($from))? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cta_TransposeOp : Cta_Op<"transpose", [Pure, Cta_Erasable, Cta_NoCost]> {
  let summary = "permute dimensions";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tile.transpose`. In phase placed the layouts are permutations of each other, so no register moves.

    ```mlir
    %t = cta.transpose %x dims = [1, 0] : tensor<64x32xf32, #l> -> tensor<32x64xf32, #lt>
    ```

    Constraints:
    1. `dims` is a permutation of the dimensions.
    2. the result has the extents in that order, and the source's element type.
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `dims` `=` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_ReshapeOp : Cta_Op<"reshape", [Pure, Cta_Erasable, Cta_NoCost]> {
  let summary = "the same elements in row-major order under another shape";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tensor.expand_shape` and `tensor.collapse_shape`, with any layouts. If the reshape only adds or drops dimensions of extent 1 it stays;
    `cta-decompose` turns all others into a `cta.view` of scratch.

    ```mlir
    %y = cta.reshape %x : tensor<4x32xf32, #a> -> tensor<128xf32, #b>
    ```

    Constraints:
    1. source and result have the same number of elements and the same element type.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_SliceOp : Cta_Op<"slice", [Pure, Cta_Erasable, Cta_NoCost]> {
  let summary = "a part of a tile at static offsets";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tensor.extract_slice`, with any layouts. `cta-decompose` turns it into a read of scratch. With `strides` (default ones) element i of a
    dimension is element `offset + i * stride` of the source.

    ```mlir
    %y = cta.slice %x offsets = [0, 32] : tensor<64x64xf32, #a> -> tensor<64x32xf32, #b>
    %z = cta.slice %x offsets = [0, 1] strides = [1, 2] : tensor<64x64xf32, #a> -> tensor<64x32xf32, #b>
    ```

    Constraints:
    1. the slice lies inside the source, with one offset for each dimension; rank and element type stay the same.
    2. `strides` has one positive entry for each dimension.
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$offsets, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `offsets` `=` $offsets (`strides` `=` $strides^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_ConcatOp : Cta_Op<"concat", [Pure, Cta_Erasable]> {
  let summary = "concatenate tiles along a dimension";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tensor.concat`, with any layouts. `cta-decompose` turns it into one `cta.stage` of all inputs, and a read.

    ```mlir
    %y = cta.concat %a, %b dim = 1 : tensor<64x32xf32, #a>, tensor<64x32xf32, #a> -> tensor<64x64xf32, #b>
    ```

    Constraints:
    1. there is at least one input, and `dim` is below the rank. Ranks, element types and all extents but those along `dim` agree; along
       `dim` the result has the sum of the extents.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$inputs `dim` `=` $dim attr-dict `:` type($inputs) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_ExtractOp : Cta_Op<"extract", [Pure, Cta_Erasable, Cta_NoCost]> {
  let summary = "the element of a tile of rank 0, as a scalar";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    Every thread gets the element, because scalars are uniform over the block. In phase placed the source's layout is replicated in all
    threads.

    ```mlir
    %s = cta.extract %t : tensor<f32, #cta.frag<splat, rank = 0, warps = 2, wg = 1>> -> f32
    ```

    Constraints:
    11. the tile has rank 0; the result has its element type.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif
