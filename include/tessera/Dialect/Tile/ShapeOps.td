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
    source may be a scalar (`dims = []`). `extents` has a number for each `?` of the result (`tile.param`).

    ```mlir
    %b = tile.broadcast %v dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %s = tile.broadcast %x dims = [] : f32 -> tensor<128x64xf32>
    %p = tile.broadcast %w dims = [0] extents(%BM) : tensor<?xf32> -> tensor<?x64xf32>
    ```

    Constraints:
    1. `dims` has one entry for each source dimension; they ascend, are distinct and below the result's rank.
    2. the extents of those dimensions are equal, or 1 in the source.
    3. the element types are equal.
    4. `extents` has one number for each `?` of the result.
  }];
  let arguments = (ins AnyType:$source, DenseI64ArrayAttr:$dims, Variadic<Index>:$extents);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `dims` `=` $dims (`extents` `(` $extents^ `)`)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "mlir::Type":$result, "mlir::Value":$source, "llvm::ArrayRef<int64_t>":$dims),
              [{ build($_builder, $_state, result, source, dims, mlir::ValueRange{}); }]>,
    OpBuilder<(ins "mlir::Type":$result, "mlir::Value":$source, "mlir::DenseI64ArrayAttr":$dims),
              [{ build($_builder, $_state, result, source, dims, mlir::ValueRange{}); }]>];
}

def Tile_IotaOp : Tile_Op<"iota", [Pure, AttrSizedOperandSegments]> {
  let summary = "coordinates along a dimension";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    Each element is `from + i`, where i is its coordinate along `dim`. `from` is 0 by default. Sums that do not fit the element type wrap
    around. `extents` has a number for each `?` of the result (`tile.param`).

    ```mlir
    %j = tile.iota dim = 1 : tensor<128x64xi32>
    %g = tile.iota dim = 0 from %i : tensor<128xindex>
    %p = tile.iota dim = 1 from %x extents(%BM) : tensor<?x64xi32>
    ```

    Constraints:
    1. an integer or index element type; `dim` below the rank.
    2. `from` has the element type.
    3. `extents` has one number for each `?` of the result.
  }];
  let arguments = (ins I64Attr:$dim, Optional<AnyType>:$from, Variadic<Index>:$extents);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "mlir::Type":$result, "uint64_t":$dim, "mlir::Value":$from),
              [{ build($_builder, $_state, result, dim, from, mlir::ValueRange{}); }]>,
    OpBuilder<(ins "mlir::Type":$result, "mlir::IntegerAttr":$dim, "mlir::Value":$from),
              [{ build($_builder, $_state, result, dim, from, mlir::ValueRange{}); }]>];
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

def Tile_UnpackOp : Tile_Op<"unpack", [Pure]> {
  let summary = "wide elements as several narrow ones";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    Cuts each element into n elements along the last dimension. Element n·k + b of the result is part b of element k, and part 0 has the
    lowest bits. Bits do not change, so floats may become integers and the other way round.

    With `bits` each byte gives 8 / bits elements of i8, the lowest bits first: they are extended with zeros, with `signed` with their sign.
    That is how weights of 4 bits are held, since there is no type of 4 bits.

    ```mlir
    %b = tile.unpack %w : tensor<16x32xi32> -> tensor<16x128xi8>
    %h = tile.unpack %p : tensor<16x32xf32> -> tensor<16x64xbf16>
    %q = tile.unpack %v bits = 4 signed : tensor<16x32xi8> -> tensor<16x64xi8>
    ```

    On the GPU the parts stay in the thread that holds the whole, so the op needs no shared memory where the layout of the result allows
    that.

    Constraints:
    1. rank 1 or more; the elements of both types have 8, 16, 32 or 64 bits (i1 and index have no such width).
    2. without `bits` the result's elements are narrower; with `bits`, which is 1, 2 or 4, both types have elements of i8.
    3. the result has the source's shape, with the last extent n times as large.
    4. `signed` needs `bits`.
  }];
  let arguments = (ins AnyRankedTensor:$source, OptionalAttr<I64Attr>:$bits, UnitAttr:$is_signed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`bits` `=` $bits^)? (`signed` $is_signed^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The number of elements that one element of the source becomes.
    int64_t getFactor();
  }];
}

def Tile_PackOp : Tile_Op<"pack", [Pure]> {
  let summary = "several narrow elements as a wide one";
  let opDocGroup = Tile_ShapeOps;
  let description = [{
    The inverse of `tile.unpack`: n elements along the last dimension become the parts of one, the first of them its lowest bits. With `bits`
    8 / bits elements of i8 become one byte, and their higher bits are dropped.

    ```mlir
    %w = tile.pack %b : tensor<16x128xi8> -> tensor<16x32xi32>
    %p = tile.pack %h : tensor<16x64xbf16> -> tensor<16x32xf32>
    %v = tile.pack %q bits = 4 : tensor<16x64xi8> -> tensor<16x32xi8>
    ```

    Constraints:
    1. rank 1 or more; the elements of both types have 8, 16, 32 or 64 bits (i1 and index have no such width).
    2. without `bits` the result's elements are wider; with `bits`, which is 1, 2 or 4, both types have elements of i8.
    3. the source has the result's shape, with the last extent n times as large.
  }];
  let arguments = (ins AnyRankedTensor:$source, OptionalAttr<I64Attr>:$bits);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`bits` `=` $bits^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The number of elements that become one element of the result.
    int64_t getFactor();
  }];
}

#endif
