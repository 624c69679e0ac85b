// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Moves between global memory, shared memory and registers.
#ifndef TESSERA_CTA_MEMORY_OPS
#define TESSERA_CTA_MEMORY_OPS

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tessera/Dialect/Cta/IR/CtaInterfaces.td"
include "tessera/Dialect/Cta/IR/CtaTypes.td"
include "tessera/Dialect/Tile/TileAttrs.td"

// The interfaces of CtaInterfaces.td, as the ops list them.
defvar Cta_Erasable = DeclareOpInterfaceMethods<Cta_EraseOpInterface>;
defvar Cta_Accesses = DeclareOpInterfaceMethods<Cta_MemoryAccessOpInterface>;
defvar Cta_Buffer = DeclareOpInterfaceMethods<Cta_SharedBufferOpInterface>;
defvar Cta_Cost = DeclareOpInterfaceMethods<Cta_CostOpInterface, ["getWorkClass", "getCost"]>;
defvar Cta_NoCost = Cta_CostOpInterface; // its defaults
defvar Cta_Sliceable = DeclareOpInterfaceMethods<Cta_SliceableOpInterface>;

def Cta_LoadOp : Cta_Op<"load", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Cost, Cta_Sliceable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "load a tile from global memory into registers";
  let opDocGroup = Cta_CopyOps;
  let description = [{
    `tile.load` with a register layout; the clauses have the same meaning. A mask has the tile's layout, sliced to the mask's dimensions;
    another layout is written `mask = (%m : tensor<64xi1, #l>)`. `vector` is the number of elements of one access, which `cta-select-copies`
    chooses from facts (absent: 1). `why` says why the access is not wider or not asynchronous.

    Lifespan: made by `convert-tile-to-cta`, lowered by `convert-cta-to-nvvm`.

    ```mlir
    %a = cta.load %A[%i, %k] pad = zero {vector = 8} : memref<?x?xbf16> -> tensor<128x64xbf16, #blocked>
    ```

    Constraints: 1 to 6 of `tile.load`, and
    11. `vector` is a power of two, at most 16 bytes.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "source">:$source, Variadic<Index>:$coords, Variadic<Index>:$limits,
    Optional<AnyRankedTensor>:$mask, DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited,
    DenseI64ArrayAttr:$maskDims, OptionalAttr<AnyAttr>:$pad, OptionalAttr<Tile_RequireAttr>:$require,
    OptionalAttr<I64Attr>:$stages, OptionalAttr<Tile_CacheAttr>:$cache, OptionalAttr<I64Attr>:$vector,
    OptionalAttr<StrAttr>:$why);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getSource().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getResult().getType()); }
    mlir::Value getLimit(unsigned dim);
  }];
}

def Cta_StoreOp : Cta_Op<"store", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Cost,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "store a register tile to global memory";
  let opDocGroup = Cta_CopyOps;
  let description = [{
    `tile.store` of a register tile. One thread writes each element, also where several threads hold it. `vector` and `why` are as in
    `cta.load`.

    Lifespan: made by `convert-tile-to-cta`, lowered by `convert-cta-to-nvvm` or replaced by `cta.copy_out`.

    ```mlir
    cta.store %out, %C[%i, %j] {vector = 8} : tensor<128x256xbf16, #blocked> -> memref<?x?xbf16>
    ```

    Constraints: 1 to 5 of `tile.store`, and 11 of `cta.load` (`load_c11`).
  }];
  let arguments = (ins
    AnyRankedTensor:$value, Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords, Variadic<Index>:$limits,
    Optional<AnyRankedTensor>:$mask, DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited,
    DenseI64ArrayAttr:$maskDims, OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<Tile_CacheAttr>:$cache,
    OptionalAttr<I64Attr>:$vector, OptionalAttr<StrAttr>:$why);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getValue().getType()); }
    mlir::Value getLimit(unsigned dim);
  }];
}

// What GatherOp, ScatterOp and AtomicOp share.
defvar Cta_IndexedDeclaration = [{
    mlir::Value getLimit(unsigned dim);
    /// The tile dimensions over which index tile `number` varies; the layout of the index tile is that of the tile sliced to them.
    llvm::SmallVector<int64_t> getIndexDims(unsigned number);
}];

def Cta_GatherOp : Cta_Op<"gather", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Cost,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "load a tile at places that index tiles give into registers";
  let opDocGroup = Cta_CopyOps;
  let description = [{
    `tile.gather` with a register layout. Masks and index tiles have the tile's layout, sliced to the dimensions over which they vary.
    `vector` and `why` are as in `cta.load`. `cta-select-copies` makes a `cta.copy` of one whose tile goes to shared memory only.

    Lifespan: made by `convert-tile-to-cta`, lowered by `convert-cta-to-nvvm`.

    ```mlir
    %e = cta.gather %E[%tokens : tensor<16xi32, #rows>, %c0] {vector = 8} : memref<?x?xbf16> -> tensor<16x256xbf16, #blocked>
    ```

    Constraints: those of `tile.gather`, and 11 of `cta.load` (`load_c11`).
  }];
  let arguments = (ins
    Arg<AnyMemRef, "source">:$source, Variadic<Index>:$coords, Variadic<Index>:$limits, Optional<AnyRankedTensor>:$mask,
    Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DenseI64ArrayAttr:$maskDims,
    DenseI64ArrayAttr:$indexed, OptionalAttr<AnyAttr>:$pad, OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<I64Attr>:$stages,
    OptionalAttr<Tile_CacheAttr>:$cache, OptionalAttr<I64Attr>:$vector, OptionalAttr<StrAttr>:$why);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Cta_IndexedDeclaration # [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getSource().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getResult().getType()); }
  }];
}

def Cta_ScatterOp : Cta_Op<"scatter", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Cost,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "store a register tile to places that index tiles give";
  let opDocGroup = Cta_CopyOps;
  let description = [{
    `tile.scatter` of a register tile, to global memory. One thread writes each element. Masks, index tiles, `vector` and `why` are as in
    `cta.gather`.

    Lifespan: made by `convert-tile-to-cta`, lowered by `convert-cta-to-nvvm`.

    ```mlir
    cta.scatter %v, %E[%rows : tensor<16xi32, #rows>, %c0] {vector = 8} : tensor<16x256xbf16, #blocked> -> memref<?x?xbf16>
    ```

    Constraints: those of `tile.scatter`, and 11 of `cta.load` (`load_c11`).
  }];
  let arguments = (ins
    AnyRankedTensor:$value, Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords, Variadic<Index>:$limits,
    Optional<AnyRankedTensor>:$mask, Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited,
    DenseI64ArrayAttr:$maskDims, DenseI64ArrayAttr:$indexed, OptionalAttr<I64Attr>:$vector, OptionalAttr<StrAttr>:$why);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Cta_IndexedDeclaration # [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getValue().getType()); }
  }];
}

def Cta_AtomicOp : Cta_Op<"atomic", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Cost,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "atomics on the elements of global memory behind a register tile";
  let opDocGroup = Cta_CopyOps;
  let description = [{
    `tile.atomic` of a register tile; a scalar is a tile of rank 0. One thread makes the step of each element. Only that thread has the old
    value in its result: `cta-decompose` brings a result that other threads need there, through shared memory. Masks, index tiles,
    `vector` and `why` are as in `cta.gather`.

    An op that orders comes after a barrier of the threads that share the tile, and another one follows it.

    With `into` the steps are made in a private table of the memref (`cta.table`), and not in the memref itself. Coordinates, bounds and masks
    are those of the memref. Made by `cta-form-tables`:

    ```mlir
    cta.atomic add %v, %H[%bins : tensor<1024xi32, #l>] : tensor<1024xi32, #l> -> memref<?xi32> into %t : !cta.smem<4096xi32, #cta.swizzle<linear>>
    ```

    Lifespan: made by `convert-tile-to-cta`, lowered by `convert-cta-to-nvvm`.

    ```mlir
    cta.atomic add relaxed device %v, %H[%bins : tensor<1024xi32, #l>] : tensor<1024xi32, #l> -> memref<?xi32>
    ```

    Constraints: those of `tile.atomic`, but the value is a tile, and 11 of `cta.load` (`load_c11`), and
    15. `into` is the result of a `cta.table` of the same memref and kind. The op is relaxed, its scope is the device, it has no result. In
        each dimension that the table does not have it has a coordinate that is no tile, and no dimension of the tile.
    16. with `into` and index tiles, shared memory has steps of this kind: of i32, and sums and bits of i64 and index.
  }];
  let arguments = (ins
    Tile_AtomicKindAttr:$kind, Tile_MemoryOrderAttr:$order, Tile_MemoryScopeAttr:$scope,
    AnyRankedTensor:$value, Optional<AnyRankedTensor>:$replacement,
    Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords, Variadic<Index>:$limits,
    Optional<AnyRankedTensor>:$mask, Variadic<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited,
    DenseI64ArrayAttr:$maskDims, DenseI64ArrayAttr:$indexed, Optional<Cta_SmemType>:$into, OptionalAttr<I64Attr>:$vector,
    OptionalAttr<StrAttr>:$why);
  let results = (outs Optional<AnyRankedTensor>:$old);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = Cta_IndexedDeclaration # [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    mlir::RankedTensorType getTileType() { return llvm::cast<mlir::RankedTensorType>(getValue().getType()); }
    bool isOrdered() { return getOrder() != tile::MemoryOrder::Relaxed; }
    /// True if each step is an atomic of shared memory. Else, with `into`, threads load and store their elements, which do not meet.
    bool hasSharedSteps();
    /// The table in which the steps are made, or null.
    TableOp getTable();
  }];
}

def Cta_TableOp : Cta_Op<"table", [Cta_Erasable, Cta_Accesses, Cta_Buffer, Cta_Cost, MemoryEffects<[MemWrite<Cta_SharedMemory>]>]> {
  let summary = "a private copy of what atomics meet, in shared memory";
  let opDocGroup = Cta_TableOps;
  let description = [{
    Room for the elements of a memref along `dims`, each of which begins as the identity of `kind`: 0 of a sum. The block makes its atomics
    on these elements here (`cta.atomic` with `into`), and at last adds them to those of the memref (`cta.flush`). Unlike other shared tiles
    a table changes while it lives.

    The table has the sizes of the memref, whatever they are. Its elements lie in row-major order, and each has `copies` places next to each
    other (absent: one). The thread of lane l uses place l mod `copies`, so that fewer threads of a warp meet. `cta.flush` adds them up. The
    type says how many places there are room for.

    Lifespan: made by `cta-form-tables`. In phase allocated it has an `offset`, in bytes. `convert-cta-to-tile` drops it.

    ```mlir
    %t = cta.table add %H dims = [0] copies = %c : memref<?xi32> -> !cta.smem<4096xi32, #cta.swizzle<linear>>
    ```

    Constraints:
    1. `kind` is not exchange or cas, and elements of the memref have atomics of that kind.
    2. `dims` are dimensions of the memref, ascending.
    3. the result has rank 1, the memref's element type, is linear without padding, and has room for all elements as far as their number is
       known. It is promised that it has room for the others.
    4. `copies` is a power of two from 1 to 32.
    5. only `cta.atomic` (as `into`) and `cta.flush` use the result.
    6. it does not stand in a role.
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, AnyMemRef:$of, DenseI64ArrayAttr:$dims, Optional<Index>:$copies, OptionalAttr<I64Attr>:$offset);
  let results = (outs Cta_SmemType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getOf().getType()); }
    SmemType getSmemType() { return llvm::cast<SmemType>(getResult().getType()); }
    /// The most places of an element: the lanes of a warp.
    static constexpr int64_t kMostCopies = 32;
  }];
}

def Cta_FlushOp : Cta_Op<"flush", [Cta_Erasable, Cta_Accesses, Cta_Cost, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "add a private table to the elements that it stands for";
  let opDocGroup = Cta_TableOps;
  let description = [{
    Makes a relaxed atomic of the table's kind for each of its elements that is not the identity. `coords` are the coordinates in the
    dimensions that the table does not have. Blocks begin at different elements.

    Lifespan: made by `cta-form-tables`, lowered by `convert-cta-to-nvvm`. `convert-cta-to-tile` drops it.

    ```mlir
    cta.flush %t, %H[%row] : !cta.smem<4096xi32, #cta.swizzle<linear>> -> memref<?x?xi32>
    ```

    Constraints:
    1. the table is the result of a `cta.table` of the same memref.
    2. there is one coordinate for each dimension that the table does not have.
  }];
  let arguments = (ins Cta_SmemType:$table, Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords);
  let assemblyFormat = "$table `,` $dest `[` $coords `]` attr-dict `:` type($table) `->` type($dest)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    TableOp getTableOp();
  }];
}

def Cta_CopyOp : Cta_Op<"copy", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Buffer, Cta_Cost,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a tile from global to shared memory by TMA, cp.async or shifted pieces";
  let opDocGroup = Cta_CopyOps;
  let description = [{
    The tile at the coordinates, as `tile.load` reads it, copied by TMA (`mechanism = tma`), by cp.async (`mechanism = cp_async`), or in
    shifted pieces (`mechanism = shifted`). Elements out of bounds are zero. There is no mask. `stages` is the lookahead of the load from which the copy was made (`cta-plan` reads it).

    By TMA, the elected thread issues the copy. One limit may lie inside the memref. A tile that it cuts is fetched in smaller boxes, row by
    row where the limit is, and its rows at and behind the limit from outside of the array, where TMA finds zeros. By cp.async, each thread
    of the block or role copies pieces of `vector` elements: 4, 8 or 16 bytes, aligned in both memories. If a bound (the size or a limit)
    cuts a piece, the rest of the piece becomes zero. cp.async needs no descriptor, so views, limits and strides that TMA refuses are legal.

    Shifted pieces have 16 bytes and begin anywhere in global memory. Each thread loads the two aligned chunks of 16 bytes around a piece,
    shifts them into place, and writes the piece to shared memory. They have no index tile; the coordinate along contiguous memory is not
    negative, or is a multiple of 16 bytes. With `from_zero` it is known not to be negative wherever the copy runs: `cta-select-copies` knew it of
    the source, and later passes compute the same coordinates in ways that do not show it, where loops are peeled and grids are lowered. Else what
    is said here of copies by cp.async is so for them, too.

    One coordinate may be an index tile of rank 1, as in `cta.gather`: slice i of that dimension of the tile comes from the place that
    element i names. Where the element is no coordinate of the memref, or is at or beyond the limit, nothing is accessed and the slice is
    zero. By cp.async each thread has the elements for the pieces that it copies (the index tile has the layout of the pieces, sliced to
    the dimension). By TMA there is a box for each element, and every thread has all elements (layout `splat`), of which the elected one
    needs them.

    Lifespan: made by `cta-select-copies` from the `cta.stage` of a `cta.load` or a `cta.gather`. In phase allocated it has an `offset`
    (bytes into the block's shared memory). A copy by TMA also has the number of the `mbarrier` on which it arrives; the data may be read after a
    `cta.await` of that mbarrier. Data copied by cp.async may be read after a `cta.await_copies` by the threads that issued the copies, and
    a barrier.

    ```mlir
    %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    %b = cta.copy %B[%k, %j] limit = [%n, _] {mechanism = #cta.mechanism<cp_async>, vector = 4 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %g = cta.copy %A[%rows : tensor<128xi32, #at>, %k] {mechanism = #cta.mechanism<cp_async>, vector = 8 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    ```

    After `cta-lower-channels` a producer's copy has a destination, which is a slot of a ring. It arrives on mbarrier `mbarrier + slot`, on
    which a `cta.expect` has announced the bytes:

    ```mlir
    %a = cta.copy %A[%i, %k] into %tile[%slot] {mechanism = #cta.mechanism<tma>, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    ```

    With `multicast = c` the blocks of a cluster of c blocks copy the same tile: each fetches a part of it and writes that part into the
    shared memory of all. With `multicast_if` this is so only where the condition is true, which must be the case in all blocks of the
    cluster or in none; otherwise each block fetches the whole tile for itself. Made by `cta-pipeline-copies`:

    ```mlir
    %b = cta.copy %B[%k, %j] multicast_if = %paired {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    ```

    With `cache_if` the hint `cache` holds in launches in which the condition is true; other launches have the default. Made by
    `cta-hint-caches`:

    ```mlir
    %a = cta.copy %A[%i, %k] cache_if = %keep {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    ```

    With `trim = d` nobody reads what lies outside of the array along dimension d of the tile. The elements there have any value, and the
    copy leaves them out: a box that is cut by the end of the array is fetched by a smaller one that ends there, and along the contiguous
    dimension a box that lies outside is not fetched (`BoxTrim` in `tessera/Dialect/Cta/IR/CopyRules.h`). The mbarrier is told of the bytes
    that do not come. Made by `cta-trim-copies`:

    ```mlir
    %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>, trim = 0 : i64} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    ```

    `strides` are element steps, as those of `tile.load`: element i of dimension d of the tile comes from coordinate + i · strides[d]. TMA knows them
    (CUDA driver API, cuTensorMapEncodeTiled: elementStrides), and so fetches the operand of a strided convolution:

    ```mlir
    %box = cta.copy %X[%i, %j, %j, %k] strides = [1, 2, 2, 1] {mechanism = #cta.mechanism<tma>} : memref<?x?x?x?xbf16> -> !cta.smem<1x8x16x64xbf16, #cta.swizzle<128, dim = 3>>
    ```

    Constraints: 1 to 4, 8 and 9 of `tile.load` (the shared tile as the tile), and
    5. there is no mask.
    7. `pad` is zero or any.
    8. `into` has the result's type and comes with a slot.
    9. `vector` comes with cp_async: a power of two elements of 4, 8 or 16 bytes together; or with shifted: elements of 16 bytes together.
    10. `cache_if` comes with a `cache` of first, last or stream, and with tma.
    11. `multicast` is a power of two from 2 to 8, and comes with tma; `multicast_if` comes with `multicast`.
    12. `require`, the demands of the load that later passes check, is pipelined, peeled, or both: `cta-pipeline-copies` and `cta-peel-masks`
        remove it.
    13. there is at most one index tile, of rank 1, for a dimension of the tile that is not contiguous in shared memory. It comes without
        `multicast`, and not with shifted; by tma it holds i32, and its dimension has no limit.
    14. `trim` is a dimension of the tile, along which a box can be cut or left out, and comes with tma and without an index tile. The
        coordinate of that dimension is a multiple of the tile's extent and not negative (`cta-simulate` checks it).
    15. `strides` come with tma, and without an index tile, `multicast` and `trim`. Each is at most 8, one at least is not 1, that of the
        contiguous dimension is 1, and with them a box reaches over at most 256 elements along each dimension.
    16. by tma, at most one dimension has a limit. It is not contiguous in shared memory, and there is no index tile, `strides`, `multicast`
        or `trim`.
    17. `from_zero` comes with shifted (`cta-simulate` checks that it is true).
  }];
  let arguments = (ins
    Arg<AnyMemRef, "source">:$source, Variadic<Index>:$coords, Variadic<Index>:$limits, Variadic<AnyRankedTensor>:$indices,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$indexed,
    OptionalAttr<DenseI64ArrayAttr>:$strides, OptionalAttr<AnyAttr>:$pad, OptionalAttr<I64Attr>:$stages,
    OptionalAttr<Tile_CacheAttr>:$cache, Optional<Cta_SmemType>:$into, Optional<I32>:$slot, Optional<I1>:$cacheIf, Optional<I1>:$multicastIf,
    Cta_MechanismAttr:$mechanism, OptionalAttr<I64Attr>:$vector, OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$mbarrier,
    OptionalAttr<I64Attr>:$multicast, OptionalAttr<I64Attr>:$trim, OptionalAttr<StrAttr>:$why,
    OptionalAttr<Tile_RequireAttr>:$require, UnitAttr:$from_zero);
  let results = (outs Cta_SmemType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getSource().getType()); }
    SmemType getSmemType() { return llvm::cast<SmemType>(getResult().getType()); }
    mlir::Value getLimit(unsigned dim);
    /// True if threads copy their shares of the tile, by cp.async or through registers (shifted).
    bool isByThreads() { return getMechanism() != Mechanism::Tma; }
    bool isShifted() { return getMechanism() == Mechanism::Shifted; }
    /// The index tile and the tile dimension whose coordinates it gives; null and -1 if there is none.
    mlir::Value getIndexTile() { return getIndices().empty() ? mlir::Value() : getIndices().front(); }
    int64_t getIndexDim();
  }];
}

def Cta_CopyOutOp : Cta_Op<"copy_out", [AttrSizedOperandSegments, Cta_Erasable, Cta_Accesses, Cta_Cost,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "store a shared tile to global memory by TMA";
  let opDocGroup = Cta_CopyOps;
  let description = [{
    Stores a shared tile by TMA. Elements out of bounds are dropped. The elected thread issues the store. `cta.await_stores` waits until the
    source has been read, or until the store is complete. With `per_warpgroup` each warpgroup stores the part that it has written to shared
    memory itself, issued by its own first thread, so the warpgroups need no common barrier.

    With `reduce` each element in global memory becomes what an atomic of that kind makes of it and the element of the tile
    (PTX ISA, cp.reduce.async.bulk.tensor: relaxed, of the device).

    Lifespan: made by `cta-select-copies` from a `cta.store` or a `cta.atomic`.

    ```mlir
    cta.copy_out %s, %C[%i, %j] {mechanism = #cta.mechanism<tma>} : !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>> -> memref<?x?xbf16>
    ```

    Constraints: 1 to 4 of `tile.store` (the shared tile as the tile), and
    5. there is no mask.
    6. with `per_warpgroup` the tile is made by a `cta.stage` of one register tile, or is a `cta.view` of that. The warpgroups split it along a
       dimension that is not contiguous, into parts that TMA can move. A view is split along a dimension of its own into the same bytes; the
       dimensions before that have extent 1.
    7. the mechanism is tma, because cp.async does not write to global memory.
    8. `reduce` is `add`, of f16, bf16, f32 or i32.
  }];
  let arguments = (ins
    Cta_SmemType:$value, Arg<AnyMemRef, "destination">:$dest, Variadic<Index>:$coords, Variadic<Index>:$limits,
    DenseI64ArrayAttr:$dims, DenseBoolArrayAttr:$limited, OptionalAttr<Tile_CacheAttr>:$cache, Cta_MechanismAttr:$mechanism,
    UnitAttr:$per_warpgroup, OptionalAttr<Tile_AtomicKindAttr>:$reduce, OptionalAttr<StrAttr>:$why);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::MemRefType getMemRefType() { return llvm::cast<mlir::MemRefType>(getDest().getType()); }
    SmemType getSmemType() { return llvm::cast<SmemType>(getValue().getType()); }
    /// True if TMA can make atomics of this kind on elements of this type.
    static bool reduces(tile::AtomicKind kind, mlir::Type element);
  }];
}

def Cta_StageOp : Cta_Op<"stage", [Pure, Cta_Erasable, Cta_Accesses, Cta_Buffer, Cta_Cost]> {
  let summary = "write register tiles to shared memory";
  let opDocGroup = Cta_SharedOps;
  let description = [{
    Writes register tiles into a shared tile. Several inputs are concatenated along `concat_dim`.

    Lifespan: made by `convert-tile-to-cta` (operands of products) and `cta-decompose` (scratch). In phase allocated it has an `offset`, in
    bytes.

    ```mlir
    %s = cta.stage %a : tensor<128x64xbf16, #blocked> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    ```

    Constraints:
    1. shape and element type of the result are those of the inputs, concatenated.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, DefaultValuedAttr<I64Attr, "0">:$concat_dim,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs Cta_SmemType:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_ViewOp : Cta_Op<"view", [Pure, Cta_Erasable, Cta_Accesses, Cta_NoCost]> {
  let summary = "a shared tile under another shape";
  let opDocGroup = Cta_SharedOps;
  let description = [{
    The same bytes, in row-major order, as a tile of another shape. A swizzled tile keeps its contiguous dimension; the other ones, its
    rows, may be divided otherwise. `cta-swizzle-shared` gives both sides their layouts.

    ```mlir
    %v = cta.view %s : !cta.smem<4x32xf32, #cta.swizzle<linear>> -> !cta.smem<128xf32, #cta.swizzle<linear>>
    %w = cta.view %t : !cta.smem<8x16x64xbf16, #cta.swizzle<128, dim = 2>> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    ```

    Constraints:
    1. both sides have equal element types and numbers of elements, and are linear without padding, or swizzled alike with the same extent
       of the last dimension, which is contiguous, or have no layout yet.
  }];
  let arguments = (ins Cta_SmemType:$source);
  let results = (outs Cta_SmemType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_ReadOp : Cta_Op<"read", [Pure, Cta_Erasable, Cta_Accesses, Cta_Cost, Cta_Sliceable]> {
  let summary = "read a shared tile into registers";
  let opDocGroup = Cta_SharedOps;
  let description = [{
    The elements of a shared tile from `offsets` on (static; default zeros), as a register tile. With `dims`, dimension d of the result is
    dimension `dims[d]` of the shared tile, and the other dimensions are read at their offset only. With `strides`, only each
    `strides[d]`-th element of dimension d of the shared tile is read.

    ```mlir
    %t = cta.read %s : !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>> -> tensor<128x64xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2>>
    ```

    Constraints:
    1. the tile lies inside the shared tile; element types are equal.
    2. `offsets` and `strides` (positive) have one entry for each dimension of the shared tile, `dims` one for each dimension of the result.
  }];
  let arguments = (ins Cta_SmemType:$source, OptionalAttr<DenseI64ArrayAttr>:$offsets,
                       OptionalAttr<DenseI64ArrayAttr>:$dims, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`offsets` `=` $offsets^)? (`strides` `=` $strides^)? (`dims` `=` $dims^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    llvm::SmallVector<int64_t> offsetsOrZero();
    llvm::SmallVector<int64_t> stridesOrOne();
    llvm::SmallVector<int64_t> dimsOrIdentity();
  }];
}

#endif
