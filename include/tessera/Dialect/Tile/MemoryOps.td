// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves between memrefs and tiles.
#ifndef TESSERA_TILE_MEMORY_OPS
#define TESSERA_TILE_MEMORY_OPS

include "tessera/Dialect/Tile/KernelOps.td"

// A box of a memref, shared by load and store (and by their counterparts of the cta dialect).
defvar Tile_AccessDescription = [{
    The op accesses a box of the memref, of the tile's extents, that begins at the coordinates. There is one signed coordinate for each
    memref dimension, in memref order, in elements. `dims` names the memref dimension of each tile dimension, in any order; the default are
    the trailing ones. In a memref dimension that is not named the box has extent 1. `limit` is an exclusive upper bound for each tile
    dimension, in memref coordinates; `_` stands for none. The memref's own size is always a bound too. `mask` is a tile of i1 over the tile
    dimensions that `on` lists (default: all). Elements that are out of bounds, at or beyond a limit, or masked off are not accessed.

    **Indexed access.** A coordinate may be a tile of signed integers, written with its type: `%A[%rows : tensor<128xi32>, %k]`. Such an
    index tile has rank 1 and the extent of the tile dimension that `dims` gives to its memref dimension: element i of that dimension is at
    the coordinate that element i of the index tile says. Into a memref of rank 1 an index tile may have the shape of the accessed tile, of
    any rank; then it gives the place of each element. `dims` is empty in that case.
}];

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read a tile from a memref";
  let opDocGroup = Tile_MemoryOps;
  let description = Tile_AccessDescription # [{
    Elements that are not accessed have the value `pad`: `zero` (default), `neg_inf`, `pos_inf`, `nan`, a typed literal, or `any`
    (unspecified). `stages` and `cache` are hints; `require` is a demand.

    `stages = 3` is a lookahead: the loop around the load should hold the tiles of three iterations in flight. A plan that leaves the depth
    of channels open takes the largest lookahead of the kernel's pipelined loads. If no plan with that depth works, the plan has another
    depth, and a remark says so.

    Syntax. The clauses may be in any order, each at most once:

    ```
    tile.load memref `[` coordinates `]` clause* attributes? `:` memref-type `->` tile-type
    clause ::= `tile` `(` index-values `)`
             | `dims` `=` `[` integers `]`                        | `limit` `=` `[` (index-value or `_`), ... `]`
             | `mask` `=` value (`on` `[` integers `]`)?          | `pad` `=` (`zero`|`neg_inf`|`pos_inf`|`nan`|`any`|literal|value)
             | `strides` `=` `[` integers `]`
             | `stages` `=` integer                              | `cache` `=` (`first`|`last`|`no_alloc`|`stream`)
             | `require` `=` `[` (`tma`|`pipelined`|`peeled`), ... `]`
    coordinate ::= index-value | value `:` tensor-type
    ```

    ```mlir
    %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %w = tile.load %A[%i, %k] stages = 3 cache = last require = [tma, pipelined] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %v = tile.load %V[%b, %j, %h, %c0] dims = [1, 3] limit = [%end, _] pad = neg_inf mask = %rows on [0]
           : memref<?x?x?x?xf16> -> tensor<64x128xf16>
    %e = tile.load %E[%tokens : tensor<16xi32>, %c0] : memref<?x?xbf16> -> tensor<16x256xbf16>
    %x = tile.load %X[%at : tensor<64x32xi64>] : memref<?xf32> -> tensor<64x32xf32>
    %s = tile.load %A[%i, %j] strides = [2, 2] : memref<?x?xbf16> -> tensor<32x32xbf16>
    %p = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16> -> tensor<?x?xbf16>
    ```

    `pad` may also be a tile of the result's type: an element that is not accessed has the value of the same element of that tile.
    `strides` are the element steps of the window: element i of tile dimension d is at coordinate `coord + i * strides[d]`. `limit` bounds
    these coordinates. `tile-expand-ops` rewrites loads with index tiles or strides into `tile.gather`. `tile` has a number for each `?` of
    the result (`tile.param`).

    Constraints:
    1. one coordinate for each memref dimension.
    2. `dims` has one entry for each tile dimension. They are distinct and below the memref's rank. Without `dims` the tile's rank is at
       most the memref's.
    3. the element types of memref and tile are equal.
    4. `limit` has one entry for each tile dimension.
    5. the mask has type i1 and the shape that `on` selects; `on` ascends.
    6. `pad` infinities and `nan` need a float type; a literal has the element type, a tile the result's type.
    7. `stages` is positive.
    8. an index tile holds signed integers or index. It has rank 1 and the extent of the tile dimension of its memref dimension, or, if
       the memref has rank 1, the shape of the tile; then `dims` is empty and there are no limits.
    9. `strides` has one positive entry for each tile dimension, and 1 for one that an index tile gives.
    10. what TMA has to fetch (`require = [tma]`) has no strides, and at most one index tile, for a dimension of the tile.
    12. `tile` has one number for each `?` of the result.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "source">:$source, Variadic<Index>:$coords,
    Variadic<Index>:$limits, Optional<AnyRankedTensor>:$mask,
    Variadic<AnyRankedTensor>:$indices, Optional<AnyRankedTensor>:$padTile, Variadic<Index>:$extents,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$indexed, OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<AnyAttr>:$pad,
    OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<I64Attr>:$stages,
    OptionalAttr<Tile_CacheAttr>:$cache);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "mlir::RankedTensorType":$type, "mlir::Value":$source, "mlir::ValueRange":$coords)>,
    // A box, without index tiles, strides or a tile of pads.
    OpBuilder<(ins "mlir::Type":$type, "mlir::Value":$source, "mlir::ValueRange":$coords, "mlir::ValueRange":$limits,
                   "mlir::Value":$mask, "mlir::DenseI64ArrayAttr":$dims, "mlir::DenseBoolArrayAttr":$limited,
                   "mlir::DenseI64ArrayAttr":$maskDims, "mlir::Attribute":$pad, "RequireAttr":$require,
                   "mlir::IntegerAttr":$stages, "CacheAttr":$cache)>];
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getSource().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getResult().getType()); }
    /// The limit of tile dimension `dim`, or null.
    mlir::Value getLimit(unsigned dim);
    /// True if the op accesses a box, whose elements lie one beside the other. `tile-expand-ops` makes `tile.gather` of all others.
    bool isBox() { return getIndices().empty() && !getStrides(); }
    /// The pad value as an attribute of the element type; null for `any`.
    mlir::TypedAttr getPadValue();
    bool padsAny();
  }];
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write a tile to a memref";
  let opDocGroup = Tile_MemoryOps;
  let description = Tile_AccessDescription # [{

    Syntax. The clauses are those of `tile.load` without `pad` and `stages`, in any order, each at most once:

    ```
    tile.store tile `,` memref `[` coordinates `]` clause* attributes? `:` tile-type `->` memref-type
    ```

    ```mlir
    tile.store %out, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
    tile.store %out, %C[%rows : tensor<128xi32>, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
    ```

    If two elements of an index tile are equal, which of the elements of the tile is stored is undefined; `tile.atomic` has no such
    restriction. `tile-expand-ops` rewrites stores with index tiles or strides into `tile.scatter`.

    Constraints: 1 to 5, 8 and 9 of `tile.load`, and
    6. the memref has no static stride of 0.
    10. what TMA has to store (`require = [tma]`) has neither index tiles nor strides.
  }];
  let arguments = (ins
    AnyRankedTensor:$value, Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords,
    Variadic<Index>:$limits, Optional<AnyRankedTensor>:$mask, Variadic<AnyRankedTensor>:$indices,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$indexed, OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<Tile_CacheAttr>:$cache);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "mlir::Value":$value, "mlir::Value":$dest, "mlir::ValueRange":$coords)>,
    // A box, without index tiles or strides.
    OpBuilder<(ins "mlir::Value":$value, "mlir::Value":$dest, "mlir::ValueRange":$coords, "mlir::ValueRange":$limits,
                   "mlir::Value":$mask, "mlir::DenseI64ArrayAttr":$dims, "mlir::DenseBoolArrayAttr":$limited,
                   "mlir::DenseI64ArrayAttr":$maskDims, "RequireAttr":$require, "CacheAttr":$cache)>];
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getValue().getType()); }
    mlir::Value getLimit(unsigned dim);
    /// True if the op accesses a box. `tile-expand-ops` makes `tile.scatter` of all others.
    bool isBox() { return getIndices().empty() && !getStrides(); }
  }];
}

// What GatherOp, ScatterOp and AtomicOp share: which element of the memref is behind an element of the tile.
defvar Tile_IndexedDeclaration = [{
    mlir::Value getLimit(unsigned dim);
    /// The tile dimensions over which index tile `number` varies.
    llvm::SmallVector<int64_t> getIndexDims(unsigned number);
}];

def Tile_GatherOp : Tile_Op<"gather", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read a tile at places that index tiles give";
  let opDocGroup = Tile_MemoryOps;
  let description = [{
    A `tile.load` with index tiles, apart from loads of boxes, so that what passes know about boxes never meets it. Programs write
    `tile.load`; `tile-expand-ops` makes this op of it. `indexed` (printed by the coordinates) lists the memref dimensions that index tiles
    give. Hints and demands are those of the load.

    ```mlir
    %e = tile.gather %E[%tokens : tensor<16xi32>, %c0] limit = [%end, _] pad = zero : memref<?x?xbf16> -> tensor<16x256xbf16>
    %a = tile.gather %A[%rows : tensor<128xi32>, %k] stages = 3 require = [pipelined] : memref<?x?xbf16> -> tensor<128x64xbf16>
    ```

    Constraints: 1 to 8 of `tile.load`, and
    11. there is an index tile, and `pad` is no tile.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "source">:$source, Variadic<Index>:$coords, Variadic<Index>:$limits, Optional<AnyRankedTensor>:$mask,
    Variadic<AnyRankedTensor>:$indices,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims, DenseI64ArrayAttr:$indexed,
    OptionalAttr<AnyAttr>:$pad, OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<I64Attr>:$stages,
    OptionalAttr<Tile_CacheAttr>:$cache);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_IndexedDeclaration # [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getSource().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getResult().getType()); }
    /// The pad value as an attribute of the element type; null for `any`.
    mlir::TypedAttr getPadValue();
    bool padsAny();
  }];
}

def Tile_ScatterOp : Tile_Op<"scatter", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write a tile to places that index tiles give";
  let opDocGroup = Tile_MemoryOps;
  let description = [{
    A `tile.store` with index tiles. Programs write `tile.store`; `tile-expand-ops` makes this op of it.

    ```mlir
    tile.scatter %v, %E[%rows : tensor<16xi32>, %c0] : tensor<16x256xbf16> -> memref<?x?xbf16>
    ```

    Constraints: 1 to 5 and 8 of `tile.load`, 6 of `tile.store`, and
    11. there is an index tile.
  }];
  let arguments = (ins
    AnyRankedTensor:$value, Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords, Variadic<Index>:$limits,
    Optional<AnyRankedTensor>:$mask, Variadic<AnyRankedTensor>:$indices,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims, DenseI64ArrayAttr:$indexed);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_IndexedDeclaration # [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getValue().getType()); }
  }];
}

def Tile_AtomicOp : Tile_Op<"atomic", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read, combine and write elements of a memref, each in one step";
  let opDocGroup = Tile_MemoryOps;
  let description = [{
    Each element that is accessed becomes the combination of what it was and the element of the tile, in one step that no other atomic of the
    launch (or, with `system`, of the machine) can divide. The elements of a tile are independent steps in any order, and several of them may
    meet the same element of memory. The value may be a scalar: then the block makes one step.

    | kind | the new value |
    |---|---|
    | `add` | old + value |
    | `min`, `max` | the smaller, the larger one: signed integers, or floats, of which NaN wins and -0 is less than 0 |
    | `umin`, `umax` | of unsigned integers |
    | `and`, `or`, `xor` | of the bits of integers |
    | `exchange` | value |
    | `cas` | the second value if the bits of old and the first one are equal, else old |

    With `returning` the result is what the elements were before. It is zero where nothing is accessed.

    `order` says what the op means to other accesses. `relaxed` (default) orders nothing. `release`: what the block did before the op is seen
    by a block that acquires what it wrote. `acquire`: what the block does after the op sees what a release wrote that the op read.
    `acq_rel` is both. `scope` says between whom: `device` (default) or `system` (other devices and the host). An op that orders has a scalar
    value, so that it is one step.

    Syntax. Coordinates and clauses are those of `tile.store` without `require` and `cache`:

    ```
    tile.atomic kind order? scope? `returning`? value (`,` value)? `,` memref `[` coordinates `]` clause* attributes? `:` value-type `->` memref-type
    ```

    ```mlir
    tile.atomic add %ones, %H[%bins : tensor<1024xi32>] : tensor<1024xi32> -> memref<?xi32>
    %ticket = tile.atomic add acq_rel returning %one, %counter[%c0] : i32 -> memref<?xi32>
    %was = tile.atomic cas acquire returning %free, %taken, %lock[%i] : i32 -> memref<?xi32>
    ```

    Constraints: 1 to 5, 8 and 9 of `tile.load`, 6 of `tile.store`, and
    12. `add`, `exchange` and `cas` take i16, i32, i64, index, f16, bf16, f32, f64; `min` and `max` the same; `umin`, `umax`, `and`, `or`
        and `xor` the integers of them.
    13. `cas` has two values of one type, the others have one.
    14. an order other than `relaxed` has a scalar value.
  }];
  let arguments = (ins
    Tile_AtomicKindAttr:$kind, Tile_MemoryOrderAttr:$order, Tile_MemoryScopeAttr:$scope,
    AnyType:$value, Optional<AnyType>:$replacement,
    Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords, Variadic<Index>:$limits,
    Optional<AnyRankedTensor>:$mask, Variadic<AnyRankedTensor>:$indices,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims, DenseI64ArrayAttr:$indexed,
    OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs Optional<AnyType>:$old);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_IndexedDeclaration # [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    /// The type of the value as a tile; of rank 0 for a scalar.
    mlir::RankedTensorType getTileType();
    bool isScalar() { return !llvm::isa<mlir::RankedTensorType>(getValue().getType()); }
    bool isOrdered() { return getOrder() != MemoryOrder::Relaxed; }
    bool isBox() { return getIndices().empty() && !getStrides(); }
  }];
}

// What ArrayAtOp and ArrayFromOp share.
defvar Tile_ArrayDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getResult().getType()); }
    llvm::SmallVector<mlir::OpFoldResult> getMixedSizes();
    /// One for each dimension, those of an array without gaps too: there they are null where they depend on sizes.
    llvm::SmallVector<mlir::OpFoldResult> getMixedStrides();
}];

def Tile_ArrayAtOp : Tile_Op<"array_at", [AttrSizedOperandSegments]> {
  let summary = "the array whose address is in memory";
  let opDocGroup = Tile_MemoryOps;
  let description = [{
    Reads a 64-bit address from a table in memory; the result is the array that begins there. Groups of a grouped product, pages, or the
    tensors of a list can so have sizes and places of their own. The array is accessed as any other memref is: by loads and stores,
    index tiles, atomics, scalars and views.

    `sizes` has a size for each dimension, a value or a number. `strides` has the strides, in elements; without it the array has no gaps
    (its last dimension is contiguous), and the layout of its type is the identity.

    The address is read when the op runs, in program order with the writes to the table. Where a loop reads another address in each
    iteration, the op stands in that loop.

    What is known about the array is a promise, which nothing tests; to break it is undefined behaviour:

    * the address is a multiple of the element's size, or of `align` bytes, and the array of these sizes is readable (writable) memory.
    * sizes and strides are divisible by what `tile.assume` says about their values.
    * Without `alias` the array may overlap every argument and every other array whose address comes from memory. `alias = "in"` is what
      `tile.alias` is to arguments: the array overlaps only arguments and arrays of the group "in". So loads of arrays of one group may be
      moved across stores to others. Workspace of the kernel overlaps no such array.

    A size that is negative at run time is undefined behaviour, which `--check` traps.

    On the GPU threads fetch such arrays by vectors or by cp.async, for which `align` and divisible strides matter. TMA needs a descriptor
    that the host makes of an address it knows; so `require = [tma]` is an error, and the report gives the reason.

    Syntax:

    ```
    tile.array_at memref `[` indices `]` `sizes` `[` ... `]` (`strides` `[` ... `]`)? (`align` `=` integer)? (`alias` `=` string)?
      attributes? `:` memref-type `->` memref-type
    ```

    ```mlir
    %A = tile.array_at %table[%g] sizes [%m, %k] strides [%ld, 1] align = 16 : memref<?xi64> -> memref<?x?xbf16, strided<[?, 1]>>
    %x = tile.array_at %pages[%b, %p] sizes [16, 128] alias = "in" : memref<?x?xi64> -> memref<16x128xf32>
    ```

    Constraints:
    1. the table is a memref of i64 in the default memory space, with one index for each dimension.
    2. `sizes` has one entry for each dimension of the result: the number where its type has a static size, a value where it is dynamic.
       Numbers are at least 0.
    3. with `strides` the layout of the result is `strided` with offset 0, and `strides` has one entry for each dimension: the number where
       the layout has a static stride, a value where it is dynamic. Without `strides` the layout is the identity.
    4. `align` is a power of two, and at most 2³⁰.
    5. `alias` has at least one character.
  }];
  let arguments = (ins Arg<AnyMemRef, "table", [MemRead]>:$table, Variadic<Index>:$indices,
    Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$staticSizes, OptionalAttr<DenseI64ArrayAttr>:$staticStrides,
    OptionalAttr<I64Attr>:$align, OptionalAttr<StrAttr>:$alias);
  let results = (outs AnyMemRef:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_ArrayDeclaration;
}

def Tile_ArrayFromOp : Tile_Op<"array_from", [Pure, AttrSizedOperandSegments]> {
  let summary = "the array at an address";
  let opDocGroup = Tile_MemoryOps;
  let description = [{
    A `tile.array_at` whose address has been read. Programs write `tile.array_at`; `tile-expand-ops` makes a `memref.load` and this op of
    it, so that what passes know about scalars in memory holds for tables of addresses, too.

    ```mlir
    %A = tile.array_from %address sizes [%m, %k] strides [%ld, 1] align = 16 : i64 -> memref<?x?xbf16, strided<[?, 1]>>
    ```

    Constraints: 2 to 5 of `tile.array_at`.
  }];
  let arguments = (ins I64:$address, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$staticSizes, OptionalAttr<DenseI64ArrayAttr>:$staticStrides,
    OptionalAttr<I64Attr>:$align, OptionalAttr<StrAttr>:$alias);
  let results = (outs AnyMemRef:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Tile_ArrayDeclaration;
}

#endif
