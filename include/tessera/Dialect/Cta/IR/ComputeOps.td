// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Products and reductions.
#ifndef TESSERA_CTA_COMPUTE_OPS
#define TESSERA_CTA_COMPUTE_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"

def Cta_MmaOp : Cta_Op<"mma", [Pure, Cta_Erasable]> {
  let summary = "matrix product on the FMA units";
  let description = [{
    `tile.mma` whose operands are shared tiles: the generic path, for all types and extents. `why` says why it is not a `cta.wgmma`.

    Lifespan: made by `convert-tile-to-cta`; `cta-form-wgmma` replaces those that the tensor core can do.

    ```mlir
    %d = cta.mma %a, %b, %c : !cta.smem<16x8xf32, #cta.swizzle<linear>>, !cta.smem<8x24xf32, #cta.swizzle<linear>> -> tensor<16x24xf32, #acc>
    ```

    Constraints, those of `tile.mma` that can still be broken:
    1. ranks 2 or 3, the same for all; extents agree.
    2. both operands have one element type.
    3. `c` has the type of the result.
  }];
  let arguments = (ins Cta_SmemType:$a, Cta_SmemType:$b, Optional<AnyRankedTensor>:$c,
    OptionalAttr<Tile_PrecisionAttr>:$precision, UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned,
    OptionalAttr<Tile_RequireAttr>:$require, OptionalAttr<StrAttr>:$why);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    SmemType getAType() { return llvm::cast<SmemType>(getA().getType()); }
    SmemType getBType() { return llvm::cast<SmemType>(getB().getType()); }
    mlir::RankedTensorType getResultType() { return llvm::cast<mlir::RankedTensorType>(getResult().getType()); }
  }];
}

// One in flight has an effect: merged or moved out of a loop it would have several consumers.
def Cta_WgmmaOp : Cta_Op<"wgmma", [Cta_Erasable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "matrix product on the tensor cores, by warpgroups";
  let description = [{
    `result = a · b + c` (without `c`: the product alone) by `wgmma.mma_async` (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions), complete when
    the op is. `a` is a shared tile or, in registers, a tensor with layout `wgmma_a`; `b` a shared tile; `c` and the result have
    layout `wgmma_acc`. M is split over the warpgroups, 64 rows at a time; a product with too few rows for that, beside others with more, is
    split along N (`#cta.frag<wgmma_acc, wg = 2, dim = 1>`). Majors follow from the shared tiles: `a`
    is K-major when its contiguous dimension is 1, `b` when it is 0. With `transpose_a` the operand is the transpose of the shared tile `a` (K x M), with
    `transpose_b` that of `b` (N x K): the tensor cores read a tile in either way, so that one tile serves products that want it and products that want
    its transpose.

    With an `!cta.async` result the product is only issued; `cta.complete` waits for it. An asynchronous `c` is the result of the product before on
    the same accumulators: they stay in the tensor core's hands.

    Lifespan: made by `cta-form-wgmma`, lowered by `convert-cta-to-nvvm`. Asynchronous ones are made by `cta-defer-waits` and exist from phase scheduled on.

    ```mlir
    %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #cta.frag<wgmma_acc, wg = 2>>
    ```

    Constraints:
    1. f16 or bf16 operands (the same), f32 accumulators (f16 for f16).
    2. M is a multiple of 64 times the warpgroups, or of 64, and N one of 8 times the warpgroups; K a multiple of 16; N a multiple of 8. N over 256 is
       done in pieces.
    3. extents agree, with `transpose_a` and `transpose_b` those of the transpose; `a` in registers is not transposed; `c` has the type of the result.
    4. (placed) shared operands are swizzled tiles, not linear; `a` in registers has layout `wgmma_a` with the result's warpgroups
       (`dim = -1` if they share columns); the result has layout `wgmma_acc` (`dim = 1` if the rows do not suffice, and only then).
    5. `c` is asynchronous exactly if the result is (`cta.ready` makes it so).
  }];
  let arguments = (ins AnyTypeOf<[Cta_SmemType, AnyRankedTensor]>:$a, Cta_SmemType:$b,
    Optional<AnyTypeOf<[AnyRankedTensor, Cta_AsyncType]>>:$c, UnitAttr:$transpose_a, UnitAttr:$transpose_b, OptionalAttr<StrAttr>:$why);
  let results = (outs AnyTypeOf<[AnyRankedTensor, Cta_AsyncType]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// M, N and K of the whole op.
    int64_t getM(); int64_t getN(); int64_t getK();
    /// Which dimension of a shared operand is K.
    int64_t getKDimOfA() { return getTransposeA() ? 0 : 1; }
    int64_t getKDimOfB() { return getTransposeB() ? 1 : 0; }
    /// Whether so many warpgroups share its columns, since its rows do not suffice.
    bool sharesColumns(int64_t warpgroups);
    /// What layout its result must have, and `a` in registers, with so many warpgroups.
    tessera::layout::RegisterLayout resultLayout(int64_t warpgroups);
    tessera::layout::RegisterLayout operandLayout(int64_t warpgroups);
    bool aInRegisters() { return llvm::isa<mlir::RankedTensorType>(getA().getType()); }
    /// Issued only: somebody waits later.
    bool isAsync() { return llvm::isa<AsyncType>(getResult().getType()); }
    SmemType getBType() { return llvm::cast<SmemType>(getB().getType()); }
    /// The tile, asynchronous or not.
    mlir::RankedTensorType getResultType() {
      if (auto async = llvm::dyn_cast<AsyncType>(getResult().getType()))
        return async.getTensor();
      return llvm::cast<mlir::RankedTensorType>(getResult().getType());
    }
  }];
}

def Cta_ReduceOp : Cta_Op<"reduce", [AttrSizedOperandSegments, RecursiveMemoryEffects, RecursivelySpeculatable, Cta_Erasable]> {
  let summary = "combine elements along dimensions";
  let description = [{
    The general form of `tile.reduce`. In phase placed the layout of a result is that of the input with `dims` sliced away. After `cta-decompose`
    the layout has no warp or warpgroup bits along `dims`: registers and shuffles suffice.

    ```mlir
    %m = cta.reduce (%x) dims = [1] init(%ninf) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.maximumf %a, %b : f32
      tile.yield %r : f32
    } : tensor<128x64xf32, #l> -> tensor<128xf32, #s>
    ```

    With `partial` each warp reduces its own part only, and the results keep the rank: a reduced dimension has one element for each warp (and
    warpgroup) that the input is spread over along it. The layout is the input's without registers and lanes along
    `dims`, the warps counting 1, 2, 4, … there. A thread's registers are those of the reduction without `partial`, in the same order: the lowering
    is the same. Parts without a live element are the identity. `cta-decompose` makes it, followed by a `cta.stage`, a `cta.read` with the parts in
    registers, and the reduction of the parts:

    ```mlir
    // warps = [[16, 0], [32, 0]]: four parts.
    %p = cta.reduce (%x) dims = [0] init(%zero) attributes {partial} {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<64x8xf32, #acc> -> tensor<4x8xf32, #parts>
    %s = cta.stage %p : tensor<4x8xf32, #parts> -> !cta.smem<4x8xf32, #cta.swizzle<linear>>
    %q = cta.read %s : !cta.smem<4x8xf32, #cta.swizzle<linear>> -> tensor<4x8xf32, #all>
    %r = cta.reduce (%q) dims = [0] init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<4x8xf32, #all> -> tensor<8xf32, #s>
    ```

    Constraints, those of the general form of `tile.reduce`:
    1. at least one input; all inputs have one shape.
    2. `dims` ascend and are below the rank.
    3. a result per input: the input's shape without `dims`, the same element type.
    5. an identity per input of its element type; the combiner has two arguments per input and ends in a `tile.yield` of one value per input.
    6. (`partial`) the inputs have a layout no vector of which has parts both along `dims` and along other dimensions; the results have the type above.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyType>:$inits, DenseI64ArrayAttr:$dims,
    UnitAttr:$partial);
  let regions = (region SizedRegion<1>:$combiner);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of a result of reducing `input` along `dims`; its layout, if any, with `dims` sliced away.
    static mlir::RankedTensorType reducedType(mlir::RankedTensorType input, llvm::ArrayRef<int64_t> dims);
    /// The same with `partial`. The input has a layout without mixed vectors.
    static mlir::RankedTensorType partialType(mlir::RankedTensorType input, llvm::ArrayRef<int64_t> dims);
    /// True if a vector of the layout moves both along `dims` and along another dimension.
    static bool mixesDims(const tessera::layout::RegisterLayout &layout, llvm::ArrayRef<int64_t> dims);
  }];
}

#endif
