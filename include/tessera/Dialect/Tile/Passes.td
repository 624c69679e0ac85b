// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TILE_PASSES
#define TESSERA_TILE_PASSES

include "mlir/Pass/PassBase.td"

def TilePrepareInlining : Pass<"tile-prepare-inlining", "mlir::ModuleOp"> {
  let summary = "Refuse calls that cannot be inlined or would become too large; make helpers private";
  let description = [{
    Requires and ensures L0. It runs before upstream's inliner, which has no limits. Three things are errors, each reported at the call: a
    function that calls itself; calls and regions nested deeper than 256 levels; and a kernel with calls that has more than 20000 ops once
    all calls are inlined. Functions that kernels call become private, so that the inliner removes them. Functions that no kernel calls are
    erased.
  }];
}

def TileBindParams : Pass<"tile-bind-params", "mlir::ModuleOp"> {
  let summary = "Replace the parameters of kernels by numbers, and make all extents static";
  let description = [{
    Requires and ensures L0. A kernel with `tile.param`s becomes one without: each is bound to the value that `bindings` gives, or, where that
    gives none, to a choice of its own: the first ones, in program order, that keep all assumptions. Calls are inlined first. Then

    * parameters become constants, and numbers that are computed from constants and them become constants, too;
    * an `scf.if` or `scf.index_switch` on such a number is replaced by the branch that is taken, also in the body of the kernel;
    * a `tile.assume` on such a number is checked, and goes;
    * extents `?` become numbers: those that ops give for them, and those that follow through ops, loops and branches.

    The kernel is then an ordinary one. Its attribute `tile.bound` says to what it was bound. Kernels without parameters stay as they are.

    ```mlir
    tile.kernel @scale(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %f: f32) {
      %R = tile.param "R" [1, 4, 16] : index
      %M = tile.dim "M" : index
      %N = tile.dim "N" : index
      tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%R, 256) {
        %t = tile.load %x[%i, %j] tile(%R) : memref<?x?xf32> -> tensor<?x256xf32>
        %fs = tensor.splat %f[%R] : tensor<?x256xf32>
        …
    ```
    becomes with `bindings="R=4"`
    ```mlir
    tile.kernel @scale(…) attributes {tile.bound = {R = 4 : i64}} {
      %M = tile.dim "M" : index
      %N = tile.dim "N" : index
      tile.grid (%i, %j) = (0, 0) to (%M, %N) step (4, 256) {
        %t = tile.load %x[%i, %j] : memref<?x?xf32> -> tensor<4x256xf32>
        %fs = tensor.splat %f : tensor<4x256xf32>
        …
    ```

    Errors: a binding that cannot be read, that names no parameter, or whose value is none of the choices; a parameter without choices that is
    not bound; an assumption that does not hold, at its place; an extent that depends on something else than parameters; extents that do not
    fit each other, at the op. Each names the values to which the kernel was to be bound.
  }];
  let options = [ListOption<"bindings", "bindings", "std::string",
                            "NAME=NUMBER for all kernels with that parameter, KERNEL/NAME=NUMBER for one; separated by commas">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TileVerify : Pass<"tile-verify", "tile::KernelOp"> {
  let summary = "Reject what lies outside the tile language";
  let description = [{
    Requires and ensures L0. Changes nothing. An op, type, shape or use that the language does not have (docs/Language.md) is an error at
    the op, and the error says what to use instead.

    So are stores that race with those of the next block of the grid. Two blocks are compared whose coordinates are equal but one, which
    differs by a step. Their stores overlap if in each dimension of the memref the coordinates differ by less than the tile's extent there.
    Coordinates are followed through constants, additions, multiplications by constants, casts, `affine.apply` and loops. If something
    else is involved, if the store has a limit or a mask, or if only some blocks run it, nothing is said.

    It is an error if each launch has the race, and also if the step is known and smaller than the tile: then each launch with two blocks
    has it. It is a warning if the race depends on something else that is not known: how many blocks there are that write the same, the
    step, whether the elements lie inside the array, whether a loop around the store runs, whether a narrow integer wraps around.

    ```mlir
    tile.grid (%i) = (0) to (%n) step (1000) {
      tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>   // error: a step of at least 1024
    ```
  }];
}

def TileSpecializeFacts : Pass<"tile-specialize-facts", "mlir::ModuleOp"> {
  let summary = "Make an ordered list of variants of each kernel, guarded by facts about its arguments";
  let description = [{
    Requires and ensures L0. A variant of a kernel may assume facts about arguments that the program does not state; its guards make the
    launcher check them. With the default `variants=auto` a kernel becomes some of these variants. The launcher tries them in this order:

    * `@k_tables` and `@k_tables_any` assume that blocks can make atomics in private tables: that these fit and pay
      (docs/design/Atomics.md). The former also assumes the facts of `@k_aligned`. They are made only where the program does not say so
      already, and not for kernels with matrix products. Both are marked `tile.tables`.
    * `@k_lines` assumes that the base and the rows of one operand begin at cache lines: of the operand of a product with the most bytes. A
      row of 128 bytes of a tile is then one cache line and not two, and blocks need not share what they fetch (`cta-plan`).
      `cta-drop-variants` drops this variant if its plan is that of `@k_aligned`.
    * `@k_aligned` assumes the facts of the table about memrefs from which tiles are loaded or to which they are stored. It is left out if
      the facts cannot help, because nothing is loaded or stored as a tile.
    * `@k_operands` assumes the same only about memrefs that loops of the grid access, which are the operands of products, so that TMA
      fetches those where the rows of the results begin anywhere. It is made if there are such products, if TMA can then fetch all of their operands, and
      if it assumes less about rows than `@k_aligned`.
    * `@k_cp_async` assumes less about operands that TMA cannot fetch: bases and rows are multiples of 4 bytes, so that threads can fetch
      them by cp.async. Its condition on sizes (`tile.assume guard`) is that this takes no longer than repacking the operands. That is the
      case for small products.
    * `@k_repack` copies operands to workspace in which TMA can fetch them (`tile-repack-operands`). It assumes nothing about bases and
      strides, but sizes for which the copies pay.
    * `@k_any` assumes nothing. It is left out if the source IR states all facts already.

    Nothing is assumed about the multiples of an array of which every access begins at an odd place along contiguous memory, or may: neither
    vectors nor TMA could have it.

    If an operand has to be copied even where everything is aligned (a view, or a contiguous dimension that the type does not name),
    `@k_cp_async` and `@k_repack` come first. If the source IR states the multiples of 4 bytes already, `@k_any` fetches by
    cp.async, and `@k_repack` has the opposite condition on sizes instead. Fetching by cp.async is considered only for operands whose loop
    does nothing but accumulate products, and only in kernels without a plan, because plans are made for loops that TMA feeds.

    `variants=any`, `variants=lines`, `variants=aligned`, `variants=operands`, `variants=cp_async`, `variants=repack`, `variants=tables` and
    `variants=tables_any` make only that variant; a launch that violates its guards is then refused. Neither `repack` nor `cp_async` then has
    a condition on sizes. `repack` and `cp_async` make `@k_any` if the kernel has no operand to
    repack, `lines` does so if it has no products, and `tables` and `tables_any` if there is nothing to assume about tables. All variants but the first are marked `tile.fallback` (`lines` and `aligned` count as
    one): they leave out those parts of a plan that they cannot carry out.

    | assumed | as guard and argument fact | why |
    |---|---|---|
    | bases are multiples of 16 bytes (`cp_async`: of 4, where operands would be copied) | `align` | TMA, vectors, cp.async |
    | `lines` only: base and strides of the widest operand of a product are multiples of 128 bytes | `align`, `stride_divisible` | one cache line for each row of a tile |
    | strides but the contiguous one are multiples of 16 bytes (the same) | `stride_divisible` | TMA, vectors, cp.async |
    | the contiguous size is a multiple of 16 bytes (rank 1: only if the kernel has no tiles of other memrefs) | `size_divisible` | vectors, TMA stores |
    | sizes are below 2^31 | `size_max` | coordinates of 32 bits |
    | no size is 0 | `size_min` (guard only) | an empty tensor has no TMA descriptor |
    | `cp_async` only: waves · iterations · bytes of tiles · 7 ps (13 ps above 32 KiB an iteration) ≤ 4 µs for each copy + bytes of operands · 0.43 ps | `tile.assume guard` | what cp.async loses against TMA, and what the copies take; docs/performance/experiments.md |
    | `repack` only: an operand that is copied is at least one tile long along coordinates of the grid, and four tiles along that of a loop | `size_min` (guard only) | below that the launches of the copies cost more than they save |

    | `tables`, `tables_any` only: what a private table stands for has at most so many elements that four blocks with tables share an SM | `tile.assume guard` | shared memory |
    | the same: output tiles · atomics of one ≥ 2 · blocks that run at a time · elements; for a table that lives in one output tile its atomics ≥ 2 · elements | `tile.assume guard` | every block clears its table and adds it |

    What the source IR states, and what follows from it (the row stride of an identity layout is the row's size), gets no guard. A kernel
    that is a variant already, or is below L0, is left alone.
  }];
  let options = [
    Option<"variants", "variants", "std::string", "\"auto\"", "auto, any, lines, aligned, operands, cp_async, repack, tables, or tables_any">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::tessera::tile::TileDialect"];
}

def TileRepackOperands : Pass<"tile-repack-operands", "tile::KernelOp"> {
  let summary = "Copy operands of matrix products to workspace in which TMA can fetch them";
  let description = [{
    Requires and ensures L0. The pass considers a `tile.load` in a loop if its tile feeds only products that tensor cores may compute and
    several blocks read it. TMA fetches such a tile if the facts allow it. The memref may forbid it: the base or a stride is not known to be a multiple of
    16 bytes, no dimension is known to be contiguous, or it is a view. Then the operand is copied first. The pass inserts workspace of the
    same sizes, with rows at multiples of 128 bytes, and a `tile.grid` that fills it, before the grid; the load reads the workspace. The
    bytes between the rows are outside of the workspace's sizes, so loads still pad with zeros. Loads of one operand share a copy, also over
    several grids as long as no grid writes the operand.

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
    These operands are not copied, and the attribute `tile.not_repacked` of the load says why: an operand that the same grid writes, or that
    may overlap what it writes (`tile.alias`); a view that differs from block to block; a load with a mask, with a limit inside the operand,
    or with a pad that TMA does not have; sizes or coordinates that may be empty or too large for TMA. The pass copies in the variant
    `repack` and in kernels that are no variant. In other variants it only sets `tile.not_repacked`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::tessera::tile::TileDialect"];
}

def TileReadBounds : Pass<"tile-read-bounds", "tile::KernelOp"> {
  let summary = "Let blocks read the numbers that the body of a kernel reads, bounds of grids too";
  let description = [{
    Requires and ensures L0. A `memref.load` in the body of a kernel stands for a read by each block that uses it: the host reads no memory
    of the device. So it moves into the grids, with what is computed from it.

    If a bound or a step of a grid depends on it, the host does not know how many blocks there are. The grid becomes one of rank 1, with
    `tile.num_cores` blocks; with eight times as many if it has no products and no block waits for another one. Block w of P computes the
    output tiles w, w + P, … in a loop, as long as there are any. All blocks run at the same time, or at least one does, and takes its
    output tiles in ascending order; so a block may wait for what an output tile with a lower number releases, as in any grid. An `order`
    of the grid is dropped.

    ```mlir
    %n32 = memref.load %count[%e] : memref<?xi32>
    %n = arith.index_cast %n32 : i32 to index
    tile.grid (%i) = (0) to (%n) step (128) {
      …
    }
    ```
    becomes
    ```mlir
    %p = tile.num_cores : index
    tile.grid (%w) = (0) to (%p) step (1) {
      %n32 = memref.load %count[%e] : memref<?xi32>
      …
      scf.for %t = %w to %tiles step %p {
        %i = arith.muli %t, %c128 : index
        …
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileGuardReferences : Pass<"tile-guard-references", "tile::KernelOp"> {
  let summary = "Raise the maximum that exponents are relative to only where it must rise";
  let description = [{
    Requires and ensures L0. A loop that carries a maximum m' = max(m, t), and sums that are multiplied by exp(c · (m − m')) whenever m rises, needs
    the maximum only to keep exponents in range: softmax row by row, attention, log-sum-exp. If nothing else depends on m, the pass lets it stay
    where it is until it would rise by 8 powers of two, and puts what raises it into a `tile.rare`. The sums are up to 2⁸ times as large then.

    ```mlir
    %m1 = arith.maximumf %m0, %t : tensor<128xf32>
    %drop = arith.subf %m0, %m1 : tensor<128xf32>
    %a = math.exp %drop : tensor<128xf32>
    %kept = arith.mulf %l0, %a : tensor<128xf32>
    ```
    becomes
    ```mlir
    %rise = arith.subf %t, %m0 : tensor<128xf32>
    %rises = arith.cmpf ugt, %rise, %most : tensor<128xf32>      // 8 ln 2
    %reach = math.absf %m0 : tensor<128xf32>
    %ends = arith.cmpf uge, %reach, %infinity : tensor<128xf32>
    %need = arith.ori %rises, %ends : tensor<128xi1>
    %m1, %kept = tile.rare %need passing(%m0, %l0) superset {
      %top = arith.maximumf %m0, %t : tensor<128xf32>
      %drop = arith.subf %m0, %top : tensor<128xf32>
      %a = math.exp %drop : tensor<128xf32>
      %ln = arith.mulf %l0, %a : tensor<128xf32>
      tile.yield %top, %ln : tensor<128xf32>, tensor<128xf32>
    } : tensor<128xi1>, tensor<128xf32>, tensor<128xf32>
    ```

    Whether that changes only the rounding follows from how each value depends on m: as a term c · m of an exponent or logarithm, or as a
    factor exp(c · m) of a sum. Carried sums must be multiplied and must grow by terms that are relative to the new maximum. After the loop the
    dependence must cancel: o / l, or m + log(l) / c. A comparison with zero does not depend on a positive factor. Where a sum l of exponentials is
    replaced because it is zero, all sums must begin with zero and have no other exponentials in them.

    Numbers that are not finite are as before: a maximum that is NaN or infinite is raised in each iteration, as in the original. The sign of c does
    not matter. A scale that is zero, infinite or NaN does not, either.

    The pass requires `reassoc` of the kernel. A remark says why a maximum follows every element. With `only-products` it changes loops only in which
    the tensor cores add to a sum, since there the maximum is between two products. The GPU pipeline runs it so.
  }];
  let options = [Option<"onlyProducts", "only-products", "bool", "false",
                        "Only where products of the tensor cores add to the sums">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def TileFuseFma : Pass<"tile-fuse-fma", "tile::KernelOp"> {
  let summary = "Fuse multiplications into additions and subtractions";
  let description = [{
    Requires and ensures L0. It implements `fp_contract`: an `arith.mulf` becomes part of the `arith.addf` or `arith.subf` that uses it if
    *exactly one* of the two operands is a multiplication. So a·b − c·d is never fused, because it would then not be 0 where a·b = c·d. The
    fast-math flag `contract` on both ops, the sum and one multiplication, allows the fusion there too, and under
    `fp_contract = off`. A multiplication with other users is left alone, because its result is needed anyway. A remark names additions of two
    multiplications, of which one would be saved. Both targets run this pass, so they round alike. The products inside `tile.mma` and
    `tile.reduce` are not ops in this phase; whether those fuse is the target's choice.

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
  let summary = "Replace ops that upstream does not lower, or lowers wrongly";
  let description = [{
    Requires and ensures L0. Both targets run this pass before all others, because upstream's inliner canonicalizes. It replaces, for
    scalars and for tiles:

    * `affine.apply`, `affine.min`, `affine.max`.
    * `arith.cmpf true` and `false`: canonicalize (22.1.8) crashes on them if an operand was an integer.
    * `math.isnan`, `isinf`, `isfinite`, `isnormal`: by comparisons of bits.
    * `math.clampf`: upstream's expansion (22.1.8) mixes up its bounds.
    * `math.sincos`: LLVM's VectorCombine (22.1.8) crashes on its pairs of vectors.
    * `math.ipowi`, `math.fpowi`, and `arith.addui_extended`, `arith.mulsi_extended`, `arith.mului_extended` on index.
    * `math.atan2`: upstream folds it to NaN for two zeros.
    * casts of index to fewer bits, if a cast back may follow: by casts through i64, because canonicalize drops such a pair.
    * an `scf.for` that compares unsigned: by one that counts the iterations, or, if the bounds are known not to be negative, that compares
      signed.
    * `arith.fptosi` and `fptoui` to i1: through i32, because LLVM (22.1.8) compiles them wrongly for the GPU.
    * `arith.truncf`, `fptosi` and `fptoui` with `tile.saturate`: by comparisons with the limits of the type.
    * `tile.zip` and `tile.unzip`: by reshapes and a `tensor.concat`, or two slices. `tile.assert`: by a reduction and a `cf.assert`.
    * `tile.mma` with `accumulate_every`: by products of that many elements of K, and additions. If nothing else reads a load that feeds it,
      each product gets a load of its own.
    * a `tensor.extract_slice` that drops dimensions and has steps: by one op for the steps and another for the dimensions.
    * a `memref.subview` that drops dimensions: by one that drops none and a `memref.collapse_shape` that names them. Where a collapse would
      have the stride of a dropped dimension, another view is used. Upstream infers the dropped dimensions from sizes and strides: it finds
      others when a size turns out to be 1, and crashes when there are steps.

    ```mlir
    %r = math.clampf %x to [%low, %high] : tensor<8xf32>
    ```
    becomes
    ```mlir
    %m = arith.maximumf %x, %low : tensor<8xf32>
    %r = arith.minimumf %m, %high : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def TileInsertChecks : Pass<"tile-insert-checks", "tile::KernelOp"> {
  let summary = "Check at run time what the language leaves undefined";
  let description = [{
    Requires and ensures L0. `tilec --check` adds this pass. It inserts a `cf.assert` before every op of a grid that may be undefined, at
    the op's location: a scalar `memref.load` or `memref.store` out of bounds; a broken `tile.assume`; a scalar division by zero or one that
    overflows; a scalar shift by too many bits; a scalar conversion whose result does not fit; a step of `scf.for` that is not positive.
    Elements of tiles are not checked, because they may be padding whose result nobody sees. Workspace without `tile.init` is filled with
    NaN or the least integer, and `pad = any` becomes NaN for floats.

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

    Two blocks of a grid that write the same element are found by a shadow of each array that grids write: workspace with a number for each
    element, which says who wrote it last. Before a store its box of the shadow is loaded, and must have no number of another block of the
    same grid. Later grids have larger numbers. Grids of one block need no shadow. Views are made again on the shadow. The shadow of an
    argument with a strided layout is contiguous. So a `reinterpret_cast` of such an argument, or of a view of it, has no shadow, nor has a
    `collapse_shape` of a subview that joins several dimensions larger than 1: stores through these are not tested.

    Demands of the kernel (`require = [tma]`, `pipelined`, `peeled`) become those of the loads and stores that it has: the inserted ones need
    not meet them.

    ```mlir
    tile.store %t, %y[%at] : tensor<64xf32> -> memref<?xf32>
    ```
    becomes
    ```mlir
    %before = tile.load %shadow[%at] pad = -1 : i64 : memref<?xi64> -> tensor<64xi64>
    %same = arith.cmpi eq, %before, %own : tensor<64xi64>
    %earlier = arith.cmpi slt, %before, %least : tensor<64xi64>
    %each = arith.ori %same, %earlier : tensor<64xi1>
    %all = tile.reduce andi %each dims = [0] : tensor<64xi1> -> tensor<i1>
    %ok = tensor.extract %all[] : tensor<i1>
    cf.assert %ok, "tile.store writes elements of %y that another block of the grid writes, too"
    tile.store %own, %shadow[%at] : tensor<64xi64> -> memref<?xi64>
    tile.store %t, %y[%at] : tensor<64xf32> -> memref<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def TileTransposeProducts : Pass<"tile-transpose-products", "tile::KernelOp"> {
  let summary = "Transpose matrix products whose columns fit the tensor cores better than their rows";
  let description = [{
    Requires and ensures L0. The tensor cores compute multiples of 64 rows and any multiple of 8 columns. A product of 176x128 wastes rows;
    as Cᵀ = Bᵀ·Aᵀ it wastes none. The pass then *turns* its tile, and all tiles that are tied to it: it exchanges their last two dimensions.
    Loads and stores name the memref's dimensions in the other order, broadcasts along rows become broadcasts along columns, reductions
    change their dimension, and the operands of the product change places. No element moves in memory.

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
    The attribute `tile.transposed = true` on a `tile.mma` demands it, and `= false` forbids it. Without the attribute, products that share
    tiles are turned if all of these hold:

    - All of them then run on the tensor cores: element types that those take, N a multiple of 64 for each of the kernel's `warpgroups`, M a
      multiple of 8, K one of 32 bytes.
    - Fewer multiplications are spent on padding: the sum of ceil64(N)·ceil8(M)·K is below that of ceil64(M)·ceil8(N)·K. This never holds
      where M is a multiple of 64.
    - No operand of a product is computed from the result of another one, as in attention.

    Tiles are tied through elementwise ops, loops and branches, masks, slices and `tensor.concat`. Constants, iotas and broadcasts of a row
    are made a second time for turned tiles. An op that takes or makes tiles and cannot be turned (a reshape of both dimensions) gets a
    `tile.transpose`. If that transpose would be inside a loop, nothing is turned, and `tile.not_turned` on the product names the op; it is
    an error if `tile.transposed` demands the turn. `tile.not_turned` also names another product that shares tiles and cannot be turned.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def TileSplitBatches : Pass<"tile-split-batches", "tile::KernelOp"> {
  let summary = "Split matrix products of rank 3 into products of rank 2";
  let description = [{
    Requires and ensures L0. The tensor cores multiply matrices. A `tile.mma` of types that they take, with a batch of at most 4 (M and N
    multiples of 64 and 8, K of 32 bytes), becomes one product for each matrix of the batch. Tiles of its shapes become tiles of rank 2, through loads, stores,
    elementwise ops, constants, branches and loops. Around an op that cannot be split (a reduction, or a mask or limit along the batch) the
    tiles are joined by `tensor.concat`, or sliced. Products with larger batches are left to the FMA units.

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
