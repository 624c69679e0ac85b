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
    clause ::= `dims` `=` `[` integers `]`                        | `limit` `=` `[` (index-value or `_`), ... `]`
             | `mask` `=` value (`on` `[` integers `]`)?          | `pad` `=` (`zero`|`neg_inf`|`pos_inf`|`nan`|`any`|literal)
             | `stages` `=` integer                              | `cache` `=` (`first`|`last`|`no_alloc`|`stream`)
             | `require` `=` `[` (`tma`|`pipelined`|`peeled`), ... `]`
    ```

    ```mlir
    %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %w = tile.load %A[%i, %k] stages = 3 cache = last require = [tma, pipelined] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %v = tile.load %V[%b, %j, %h, %c0] dims = [1, 3] limit = [%end, _] pad = neg_inf mask = %rows on [0]
           : memref<?x?x?x?xf16> -> tensor<64x128xf16>
    ```

    Constraints:
    1. one coordinate for each memref dimension.
    2. `dims` has one entry for each tile dimension. They are distinct and below the memref's rank. Without `dims` the tile's rank is at
       most the memref's.
    3. the element types of memref and tile are equal.
    4. `limit` has one entry for each tile dimension.
    5. the mask has type i1 and the shape that `on` selects; `on` ascends.
    6. `pad` infinities and `nan` need a float type; a literal has the element type.
    7. `stages` is positive.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "source">:$source, Variadic<Index>:$coords,
    Variadic<Index>:$limits, Optional<AnyRankedTensor>:$mask,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims,
    OptionalAttr<AnyAttr>:$pad,
    OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<I64Attr>:$stages,
    OptionalAttr<Tile_CacheAttr>:$cache);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "mlir::RankedTensorType":$type, "mlir::Value":$source, "mlir::ValueRange":$coords)>];
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getSource().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getResult().getType()); }
    /// The limit of tile dimension `dim`, or null.
    mlir::Value getLimit(unsigned dim);
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
    ```

    Constraints: 1 to 5 of `tile.load`, and
    6. the memref has no static stride of 0.
  }];
  let arguments = (ins
    AnyRankedTensor:$value, Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords,
    Variadic<Index>:$limits, Optional<AnyRankedTensor>:$mask,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims,
    OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<Tile_CacheAttr>:$cache);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "mlir::Value":$value, "mlir::Value":$dest, "mlir::ValueRange":$coords)>];
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getValue().getType()); }
    mlir::Value getLimit(unsigned dim);
  }];
}

#endif
