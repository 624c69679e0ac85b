// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a tile at places that are known at run time only, and the same bits as elements of another width.
#ifndef TESSERA_CTA_TAKE_OPS
#define TESSERA_CTA_TAKE_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"

def Cta_TakeOp : Cta_Op<"take", [Pure, Cta_Erasable, Cta_Cost]> {
  let summary = "elements of a register tile at indices";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tile.take` along one or several dimensions: the coordinate along `dims[n]` is replaced by index n. An index tile of rank 1 says which
    slices are taken along its dimension; one with the result's shape says it for each element. Zero where an index is out of range. In
    phase placed an index tile has the result's layout, with the other dimensions sliced away if it has rank 1; the source has any layout.

    Lifespan: made by `convert-tile-to-cta` from `tile.take`, `tile.extract` and `tile.insert`. `cta-decompose` turns it into a `cta.stage`
    and a `cta.read_at`.

    ```mlir
    %y = cta.take %x at %i dims = [1] : tensor<64x32xf32, #a>, tensor<8xi32, #b> -> tensor<64x8xf32, #c>
    ```

    Constraints:
    1. one index tile for each entry of `dims`, which ascend and are below the source's rank.
    2. the indices are integers of 8 bits or more, or index.
    3. an index tile has rank 1 and the result's extent along its dimension, or the result's shape. In the latter case it is the only one.
    4. the result has the source's element type, and its shape but for the extents along `dims`.
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `at` $indices `dims` `=` $dims attr-dict `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cta_ReadAtOp : Cta_Op<"read_at", [Pure, Cta_Erasable, Cta_Accesses, Cta_Cost]> {
  let summary = "read elements of a shared tile at indices";
  let opDocGroup = Cta_SharedOps;
  let description = [{
    `cta.take` from a shared tile: each thread computes the addresses of its elements from the indices in its registers. For hazards it is a
    read of the whole tile.

    Lifespan: made by `cta-decompose`, lowered by `convert-cta-to-nvvm`.

    ```mlir
    %y = cta.read_at %s at %i dims = [1] : !cta.smem<64x32xf32, #cta.swizzle<linear>>, tensor<8xi32, #b> -> tensor<64x8xf32, #c>
    ```

    Constraints: 1 to 4 of `cta.take` (`take_c1` to `take_c4`).
  }];
  let arguments = (ins Cta_SmemType:$source, Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `at` $indices `dims` `=` $dims attr-dict `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cta_UnpackOp : Cta_Op<"unpack", [Pure, Cta_Erasable, Cta_Cost]> {
  let summary = "wide elements as several narrow ones";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tile.unpack`. In phase placed the n parts of an element are adjacent registers of the thread that holds the element: the result's layout
    is the source's, with log2(n) lowest register bits more, which count the parts.

    ```mlir
    %b = cta.unpack %w : tensor<64x32xi32, #l> -> tensor<64x128xi8, #m>
    %q = cta.unpack %v bits = 4 signed : tensor<64x32xi8, #l> -> tensor<64x64xi8, #n>
    ```

    Constraints: 1 to 4 of `tile.unpack` (`unpack_c1` to `unpack_c4`).
  }];
  let arguments = (ins AnyRankedTensor:$source, OptionalAttr<I64Attr>:$bits, UnitAttr:$is_signed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`bits` `=` $bits^)? (`signed` $is_signed^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of elements that one element of the source becomes.
    int64_t getFactor();
  }];
}

def Cta_PackOp : Cta_Op<"pack", [Pure, Cta_Erasable, Cta_Cost]> {
  let summary = "several narrow elements as a wide one";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    `tile.pack`. In phase placed the layouts are those of `cta.unpack` with source and result exchanged.

    ```mlir
    %w = cta.pack %b : tensor<64x128xi8, #m> -> tensor<64x32xi32, #l>
    ```

    Constraints: 1 to 3 of `tile.pack` (`pack_c1` to `pack_c3`).
  }];
  let arguments = (ins AnyRankedTensor:$source, OptionalAttr<I64Attr>:$bits);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`bits` `=` $bits^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of elements that become one element of the result.
    int64_t getFactor();
  }];
}

def Cta_PrintOp : Cta_Op<"print", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Cost, MemoryEffects<[MemWrite]>]> {
  let summary = "print a scalar or a tile, by one thread";
  let opDocGroup = Cta_SharedOps;
  let description = [{
    `tile.print`, with the coordinates of the block in the grid. `cta-decompose` stages register tiles; one thread of the block, or of the
    role, prints a scalar or the elements of the shared tile.

    ```mlir
    cta.print "x" %s[%i, %j] : !cta.smem<4x8xf32, #cta.swizzle<linear>>
    ```

    Constraints: 1 and 2 of `tile.print` (`print_c1`, `print_c2`), and
    3. in phase allocated the value is no register tile.
  }];
  let arguments = (ins StrAttr:$message, AnyType:$value, Variadic<Index>:$coords, Optional<I1>:$condition);
  let assemblyFormat = "$message $value `[` $coords `]` (`if` $condition^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif
