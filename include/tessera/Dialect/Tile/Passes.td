// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TILE_PASSES
#define TESSERA_TILE_PASSES

include "mlir/Pass/PassBase.td"

def TilePrepareInlining : Pass<"tile-prepare-inlining", "mlir::ModuleOp"> {
  let summary = "Refuse calls that cannot be inlined, or would be to too much; make helpers private";
  let description = [{
    Requires and ensures L0. Stands in front of upstream's inliner, which knows no limits. Errors at the call: a function that calls itself; calls and regions
    nested deeper than 256 levels; a kernel of more than 20000 ops with all calls inlined, if it calls anything. Functions that kernels call become private, so
    that nothing is left of them; functions that no kernel calls are erased.
  }];
}

def TileVerify : Pass<"tile-verify", "tile::KernelOp"> {
  let summary = "Reject what lies outside the tile language";
  let description = [{
    Requires and ensures L0. Ops, types, shapes and uses that the language does not have (docs/Language.md) are errors at the op, which
    say what to use instead. Changes nothing.
  }];
}

def TileSpecializeFacts : Pass<"tile-specialize-facts", "mlir::ModuleOp"> {
  let summary = "Make an ordered list of variants of each kernel, guarded by facts about its arguments";
  let description = [{
    Requires and ensures L0. What a program does not say about its arguments is assumed per variant. With the default
    `variants=auto` each kernel becomes `@k_aligned`, which assumes of the memrefs that tiles are loaded from or stored to, and `@k_any`, which assumes
    nothing; the first is left out when its facts cannot help (nothing is loaded or stored as a tile), the second when the text already says them all.
    `@k_lines`, in front of `@k_aligned`, assumes more of the operand of a product that has most bytes: that its base and its rows begin at lines of L2. Then
    a row of a tile is one line, not two, and blocks need not share what they fetch (`cta-plan`; `cta-drop-variants` drops the variant where plans do not differ).
    If operands of products could be copied to where TMA can fetch them (`tile-repack-operands`), `@k_repack` stands between the two: it assumes nothing of
    bases and strides, but that sizes are such that the copies pay. It comes first if some operand has to be copied even where all is aligned (a view, a
    contiguous dimension that the type does not name).
    Small products are done before their operands would have been copied: `@k_cp_async`, in front of `@k_repack`, assumes that bases and rows of what would be copied are
    multiples of 8 bytes, which threads fetch by cp.async, and has a condition on sizes (`tile.assume guard`): that this takes no longer than copying.
    Where the text says those multiples already, `@k_any` fetches like that, and `@k_repack` has the opposite condition instead. Only for operands whose loop
    does nothing but sum up their products, and for kernels without a plan (plans are made for loops that TMA feeds).
    `variants=any`, `variants=lines`, `variants=aligned`, `variants=cp_async` and `variants=repack` make that variant only (a launch that violates its guards is then refused; a
    kernel of which nothing is to be repacked gets `@k_any` instead of `@k_repack` and `@k_cp_async`, and one without products instead of `@k_lines`; neither asks then which of the two takes less time). Variants behind the
    first (`lines` and `aligned` count as one) are marked `tile.fallback`: what they cannot carry out of a plan they leave out.

    | assumed | as guard and argument fact | why |
    |---|---|---|
    | bases are multiples of 16 bytes (`cp_async`: of 8, where operands would be copied) | `align` | TMA, vectors, cp.async |
    | `lines` only: base and strides of the widest operand of a product are multiples of 128 bytes | `align`, `stride_divisible` | a line of L2 |
    | strides but the contiguous one are multiples of 16 bytes (the same) | `stride_divisible` | TMA, vectors, cp.async |
    | the contiguous size is a multiple of 16 bytes (rank 1: only if the kernel has no tiles of other memrefs) | `size_divisible` | vectors, TMA stores |
    | sizes are below 2^31 | `size_max` | coordinates of 32 bits |
    | no size is 0 | `size_min` (guard only) | an empty tensor has no TMA descriptor |
    | `cp_async` only: waves · trips · bytes of tiles · 7 ps (13 beyond 32 KiB an iteration) ≤ 4 µs a copy + bytes of operands · 0.43 ps | `tile.assume guard` | what cp.async loses against TMA, and what copies take |
    | `repack` only: an operand that is copied has a whole tile along coordinates of the grid, four along that of a loop | `size_min` (guard only) | below that the launches of the copies cost more than they save |

    What the text says, and what follows from it (the row stride of an identity layout is the row's size), is not guarded again. A kernel that is a variant
    or below L0 is left alone.
  }];
  let options = [
    Option<"variants", "variants", "std::string", "\"auto\"", "auto, any, lines, aligned, cp_async, or repack">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::tessera::tile::TileDialect"];
}

def TileRepackOperands : Pass<"tile-repack-operands", "tile::KernelOp"> {
  let summary = "Copy operands of products to where TMA can fetch them";
  let description = [{
    Requires and ensures L0. A `tile.load` in a loop whose tile only feeds products of f16 or bf16, and that several blocks read, is fetched by TMA if
    the facts allow it. Where it is the memref that forbids it (the base or a stride is not known to be a multiple of 16 bytes, no dimension is known to
    be contiguous, it is a view), the operand is copied first: workspace of the same sizes, with rows at multiples of 128 bytes, and a `tile.grid` that
    fills it stand in front of the grid, and the load reads the workspace. What lies between the rows is outside of it, so loads still pad with zeros.
    Loads of one operand share a copy, over several grids too while nobody writes the operand.

    ```mlir
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
      … %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
    ```
    becomes
    ```mlir
    %w = memref.alloc(%M, %K)[%row] {tile.repacked = "…"} : memref<?x?xbf16, strided<[?, 1]>>    // %row = 64 * ceil(%K / 64)
    tile.grid (%i, %k) = (0, 0) to (%M, %K) step (64, 128) attributes {tile.copies} {
      %t = tile.load %A[%i, %k] pad = any : memref<?x?xbf16> -> tensor<64x128xbf16>
      tile.store %t, %w[%i, %k] : tensor<64x128xbf16> -> memref<?x?xbf16, strided<[?, 1]>>
    }
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
      … %a = tile.load %w[%i, %k] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
    ```
    Not copied, with the reason on the load (`tile.not_repacked`): an operand that the same grid writes, or that may overlap what it writes
    (`tile.alias`); a view that differs from block to block; a load with a mask, a limit inside the operand, or a pad that TMA does not know; sizes or
    coordinates that may be empty or too large for TMA. The pass copies in the variant `repack` and in kernels that are no variant; in others it only
    leaves those reasons.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::tessera::tile::TileDialect"];
}

def TileFuseFma : Pass<"tile-fuse-fma", "tile::KernelOp"> {
  let summary = "Fuse multiplications into additions and subtractions";
  let description = [{
    Requires and ensures L0. The rule of `fp_contract`: an `arith.mulf` becomes part of the `arith.addf` or `arith.subf` that uses it
    if *exactly one* of the two operands is a multiplication, so never a·b − c·d, which would not be 0 where a·b = c·d. `contract` on
    both ops allows it there too, and under `fp_contract = off`. A multiplication with other users is left alone: its product is
    needed anyway. Both targets run this pass: they round alike. (Products inside `tile.mma` and `tile.reduce` are not ops here;
    whether they fuse is the target's choice.)

    ```mlir
    %p = arith.mulf %a, %b : tensor<8xf32>
    %s = arith.addf %p, %c : tensor<8xf32>
    ```
    becomes
    ```mlir
    %s = math.fma %a, %b, %c : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileExpandOps : Pass<"tile-expand-ops", "mlir::ModuleOp"> {
  let summary = "Write ops that upstream lowers not at all, or wrongly, as others";
  let description = [{
    Requires and ensures L0. Both targets run this pass before all others, since upstream's inliner canonicalizes. What it replaces, of scalars and of tiles:
    `affine.apply`, `affine.min`, `affine.max`; `arith.cmpf true` and `false`, on which canonicalize (22.1.8) crashes if an operand was an integer; `math.isnan`, `isinf`, `isfinite`, `isnormal` by comparisons of bits; `math.clampf`, whose bounds upstream's
    expansion (22.1.8) mixes up; `math.sincos`, on whose pairs of vectors LLVM's VectorCombine (22.1.8) crashes; `math.ipowi`, `math.fpowi`, `arith.addui_extended`,
    `arith.mulsi_extended` and `arith.mului_extended` on index; `math.atan2`, which upstream folds to NaN for two zeros; casts of index to fewer bits where a cast back may follow (canonicalize takes both for none), by i64; `tile.mma` with `accumulate_every`, by
    products of so much of K and additions (of a load that nothing else reads, each product has a load of its own); a `tensor.extract_slice` that drops dimensions and has
    steps, by one for the steps and another for the dimensions; a `memref.subview` that drops dimensions, by one that drops none and a `memref.collapse_shape`
    that names them, or another view where a collapse would have the stride of a dimension that it drops (upstream finds the dropped ones by sizes and strides: others when a
    size turns out to be 1, and none, in a crash, when there are steps).

    ```mlir
    %r = math.clampf %x to [%low, %high] : tensor<8xf32>
    ```
    becomes
    ```mlir
    %m = arith.maximumf %x, %low : tensor<8xf32>
    %r = arith.minimumf %m, %high : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TileInsertChecks : Pass<"tile-insert-checks", "tile::KernelOp"> {
  let summary = "Test at run time what the language leaves undefined";
  let description = [{
    Requires and ensures L0; what `tilec --check` adds. A `cf.assert` in front of every op of a grid that may be undefined, at the op's location: scalar
    `memref.load` and `memref.store` out of bounds, a broken `tile.assume`, a division by zero (or one that overflows), a shift by too much and a conversion
    that does not fit (of scalars: elements of tiles may be padding, of which nobody sees the result), a step of `scf.for` that is not
    positive. Workspace without `tile.init` is filled with NaN or the least integer, `pad = any` of floats is NaN.

    ```mlir
    %v = memref.load %A[%i] : memref<?xf32>
    ```
    becomes
    ```mlir
    %size = memref.dim %A, %c0 : memref<?xf32>
    %inside = arith.cmpi ult, %i, %size : index
    cf.assert %inside, "memref.load of %A is out of bounds in dimension 0"
    %v = memref.load %A[%i] : memref<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect"];
}

def TileTransposeProducts : Pass<"tile-transpose-products", "tile::KernelOp"> {
  let summary = "Compute products transposed where their columns fit the tensor cores better than their rows";
  let description = [{
    Requires and ensures L0. The tensor cores compute multiples of 64 rows and any multiple of 8 columns. A product of 176x128 wastes no
    row of them as Cᵀ = Bᵀ·Aᵀ: its tile, and all that are tied to it, are turned, which means that their last two dimensions are exchanged. Loads and
    stores name the memref's dimensions in the other order, rows are repeated along columns, reductions change their dimension, operands of
    products change places; no element moves.

    ```mlir
    %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<176x64xbf16>
    %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
    %d = tile.mma %a, %b, %c : tensor<176x64xbf16>, tensor<64x128xbf16> -> tensor<176x128xf32>
    tile.store %d, %C[%i, %j] : tensor<176x128xf32> -> memref<?x?xf32>
    ```
    becomes
    ```mlir
    %a = tile.load %A[%i, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x176xbf16>
    %b = tile.load %B[%k, %j] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %d = tile.mma %b, %a, %c {tile.turned = "…"} : tensor<128x64xbf16>, tensor<64x176xbf16> -> tensor<128x176xf32>
    tile.store %d, %C[%i, %j] dims = [1, 0] : tensor<128x176xf32> -> memref<?x?xf32>
    ```
    `tile.transposed = true` on a `tile.mma` demands it, `= false` forbids it. Without, products that share tiles are turned if

    - all of them then run on the tensor cores (f16 or bf16; N a multiple of 64 for each of the kernel's `warpgroups`, M one of 8, K one of 16), and
    - the multiplications with padding become fewer: the sum of ceil64(N)·ceil8(M)·K is below that of ceil64(M)·ceil8(N)·K. Where M is a multiple of 64 it never is; and
    - no operand of a product is computed from the result of another, as in attention.

    Tiles are tied through elementwise ops, loops and branches, masks, slices and `tensor.concat`. Constants, iotas and what is repeated from a row are made once
    more for turned tiles. At an op that takes or makes tiles and cannot be turned (a reshape of both dimensions) a `tile.transpose` stands; if that would
    be in a loop, nothing is turned, and the product's `tile.not_turned` names the op (an error if `tile.transposed` demands it). It also says if another
    product with which tiles are shared is in the way.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def TileSplitBatches : Pass<"tile-split-batches", "tile::KernelOp"> {
  let summary = "Products of rank 3 become products of rank 2";
  let description = [{
    Requires and ensures L0. The tensor cores multiply matrices: a `tile.mma` of f16 or bf16 with a batch of at most 4 (M, K and N multiples of 64, 16 and 8) becomes one product for each
    batch, and tiles of the shapes that it has become tiles of rank 2, through loads, stores, elementwise ops, constants, branches and loops. Where an op
    cannot be split (a reduction, a mask or limit along the batch), its tile is put together by `tensor.concat`, or sliced. Larger batches
    are left to the FMA units.

    ```mlir
    %a = tile.load %A[%z, %i, %k] : memref<?x?x?xbf16> -> tensor<2x64x64xbf16>
    %d = tile.mma %a, %b : tensor<2x64x64xbf16>, tensor<2x64x64xbf16> -> tensor<2x64x64xf32>
    ```
    becomes
    ```mlir
    %a0 = tile.load %A[%z, %i, %k] : memref<?x?x?xbf16> -> tensor<64x64xbf16>
    %z1 = arith.addi %z, %c1 : index
    %a1 = tile.load %A[%z1, %i, %k] : memref<?x?x?xbf16> -> tensor<64x64xbf16>
    %d0 = tile.mma %a0, %b0 : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %d1 = tile.mma %a1, %b1 : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif
