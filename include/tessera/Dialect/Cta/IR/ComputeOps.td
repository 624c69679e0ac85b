// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Matrix products and reductions.
#ifndef TESSERA_CTA_COMPUTE_OPS
#define TESSERA_CTA_COMPUTE_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"

def Cta_MmaOp : Cta_Op<"mma", [Pure, Cta_Erasable, Cta_Accesses, Cta_Cost]> {
  let summary = "matrix product by single warps: on the FMA units, f64 on the tensor cores, too";
  let opDocGroup = Cta_ProductOps;
  let description = [{
    `tile.mma` with operands in shared memory, for all types and extents. `why` says why it is not a `cta.wgmma`.

    The layout of the result says which unit computes it. A result of f64 in the layout of accumulators of `mma.sync` (`mma_acc`, where the
    warps may share rows and columns, and each batch is in registers) is computed by `mma.sync` of f64 (PTX ISA, Warp Level Matrix
    Instructions). Extents that are no multiples of its 16, 8 and 4 are padded in registers. Every other result is computed by the FMA units.

    Lifespan: made by `convert-tile-to-cta`; `cta-form-wgmma` replaces those that the tensor cores can compute.

    ```mlir
    %d = cta.mma %a, %b, %c : !cta.smem<16x8xf32, #cta.swizzle<linear>>, !cta.smem<8x24xf32, #cta.swizzle<linear>> -> tensor<16x24xf32, #acc>
    ```

    Constraints, those of `tile.mma` that can still be violated:
    1. ranks 2 or 3, the same for all; extents agree.
    2. both operands have one element type, or f8E4M3FN and f8E5M2.
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

// An asynchronous product has an effect, because merging it or moving it out of a loop would give it several consumers.
def Cta_WgmmaOp : Cta_Op<"wgmma", [Cta_Erasable, Cta_Accesses, Cta_Cost, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "matrix product on the tensor cores, by warpgroups";
  let opDocGroup = Cta_ProductOps;
  let description = [{
    `result = a · b + c`, or `a · b` without `c`, by `wgmma.mma_async` (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions). With a
    tensor as result, the product is complete when the op is. `a` is M×K: a shared tile, or a register tile with layout `wgmma_a`. `b` is a
    K×N shared tile. `c` and the result are M×N with layout `wgmma_acc`.

    The warpgroups share the rows, 64 at a time. A product with too few rows for that, next to others that have enough, is shared along N
    (`#cta.frag<wgmma_acc, wg = 2, dim = 1>`). The majors follow from the shared tiles: `a` is K-major if its contiguous dimension is 1, `b`
    if it is 0. With `transpose_a` the operand is the transpose of the shared tile `a` (K×M), with `transpose_b` that of `b` (N×K). The
    tensor cores read a tile of 16-bit elements in either way, so one shared tile can serve products that need it and products that need its
    transpose. Operands of other types are K-major.

    Operands of f32 are read as tf32: the tensor cores take their upper 19 bits, that is they round toward zero. Operands of i8 are signed;
    with `lhs_unsigned` `a` is unsigned, with `rhs_unsigned` `b` is.

    With an `!cta.async` result the op only issues the product, and `cta.complete` waits for it. An asynchronous `c` is the result of the
    previous product on the same accumulators, which stay in the registers that the tensor cores write.

    With `in_turn` the warpgroups of a role issue the product one after the other: warpgroup 0, 1, …, and again. Each waits for its turn
    before it issues, and passes it on when the first half of its instructions has retired. So the tensor cores have the products of
    one warpgroup while the others compute with theirs. Asynchronous products of one block that are `in_turn` have one turn together: the
    first waits for it, and it is passed on when the last is issued. The order is a matter of speed alone.

    Lifespan: made by `cta-form-wgmma`, lowered by `convert-cta-to-nvvm`. `cta-defer-waits` makes asynchronous ones; they exist from phase
    scheduled on. `cta-alternate-products` sets `in_turn`.

    ```mlir
    %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #cta.frag<wgmma_acc, wg = 2>>
    ```

    Constraints:
    1. operands of one of f16, bf16, f32 (both the same), f8E4M3FN and f8E5M2 (each any of the two), with f32 accumulators (f16 for f16 and f8,
       too); or operands of i8 with i32 accumulators. `lhs_unsigned` and `rhs_unsigned` on i8 only.
    2. M is a multiple of 64 times the warpgroups, or M is a multiple of 64 and N one of 8 times the warpgroups. K is a multiple of 32 bytes
       (16 elements of 16 bits, 32 of 8, 8 of 32), N a multiple of 8. An N that no instruction has is computed in several of them.
    3. the extents agree (with `transpose_a` or `transpose_b`, those of the transpose). `a` in registers is not transposed. `c` has the type
       of the result.
    4. (phase placed) shared operands are swizzled tiles, not linear ones; K is their contiguous dimension unless elements have 16 bits. `a` in registers has layout `wgmma_a` with the result's
       warpgroups (`dim = -1` if they share columns). The result has layout `wgmma_acc` (`dim = 1` if the rows do not suffice, and only
       then).
    5. `c` is asynchronous if and only if the result is. `cta.ready` makes a tile asynchronous.
    6. with `in_turn` the product stands in a `cta.role` of two to four warpgroups, without replicas; between the two are loops only, and
       `scf.if` whose conditions come from no vote of a warp, since all warpgroups must issue it equally often. Asynchronous products in turn
       share their block with no other product in turn, and nothing in between has one inside.
  }];
  let arguments = (ins AnyTypeOf<[Cta_SmemType, AnyRankedTensor]>:$a, Cta_SmemType:$b,
    Optional<AnyTypeOf<[AnyRankedTensor, Cta_AsyncType]>>:$c, UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$lhs_unsigned,
    UnitAttr:$rhs_unsigned, UnitAttr:$in_turn, OptionalAttr<StrAttr>:$why);
  let results = (outs AnyTypeOf<[AnyRankedTensor, Cta_AsyncType]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// M, N and K of the whole op.
    int64_t getM(); int64_t getN(); int64_t getK();
    /// The dimension of a shared operand that is K.
    int64_t getKDimOfA() { return getTransposeA() ? 0 : 1; }
    int64_t getKDimOfB() { return getTransposeB() ? 1 : 0; }
    /// The element types of the operands.
    mlir::Type getAElement();
    mlir::Type getBElement() { return getBType().getElementType(); }
    /// K of one instruction: 32 bytes.
    int64_t getStepK();
    /// N of one instruction, if that many warpgroups share the product.
    int64_t getStepN(int64_t warpgroups);
    /// True if a shared operand must be K-major: elements do not have 16 bits.
    bool needsKMajor();
    /// True if that many warpgroups share the columns, because there are too few rows.
    bool sharesColumns(int64_t warpgroups);
    /// The layouts that the result, and `a` in registers, must have with that many warpgroups.
    tessera::layout::RegisterLayout resultLayout(int64_t warpgroups);
    tessera::layout::RegisterLayout operandLayout(int64_t warpgroups);
    /// Why warpgroups cannot issue the product in turn where it stands, or nothing.
    std::optional<std::string> whyNotInTurn();
    /// Whether a warpgroup waits for its turn before this product, and whether it passes the turn on after it.
    bool takesTurn();
    bool passesTurn();
    bool aInRegisters() { return llvm::isa<mlir::RankedTensorType>(getA().getType()); }
    /// True if the op only issues the product, and another op waits for it.
    bool isAsync() { return llvm::isa<AsyncType>(getResult().getType()); }
    /// The product as an operation of a schedule, without the registers of its result, if that many warpgroups share it.
    tessera::schedule::Operation asOperation(const tessera::schedule::MachineTable &table,
                                             const tessera::schedule::MachineUnits &units, std::string name,
                                             int64_t warpgroups);
    SmemType getBType() { return llvm::cast<SmemType>(getB().getType()); }
    /// The tile, asynchronous or not.
    mlir::RankedTensorType getResultType() {
      if (auto async = llvm::dyn_cast<AsyncType>(getResult().getType()))
        return async.getTensor();
      return llvm::cast<mlir::RankedTensorType>(getResult().getType());
    }
  }];
}

def Cta_ReduceOp : Cta_Op<"reduce", [AttrSizedOperandSegments, RecursiveMemoryEffects, RecursivelySpeculatable, Cta_Erasable,
    Cta_Cost]> {
  let summary = "combine elements along dimensions";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    The general form of `tile.reduce`. In phase placed the layout of a result is that of the input with `dims` sliced away. After
    `cta-decompose` the input's layout has no warp or warpgroup bits along `dims`, so registers and shuffles suffice.

    ```mlir
    %m = cta.reduce (%x) dims = [1] init(%ninf) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.maximumf %a, %b : f32
      tile.yield %r : f32
    } : tensor<128x64xf32, #l> -> tensor<128xf32, #s>
    ```

    With `partial` each warp reduces only its own part, and the results keep the rank: a reduced dimension has one element for each warp
    (and warpgroup) over which the input is spread along it. The result's layout is the input's without registers and lanes along `dims`;
    along them the warps count 1, 2, 4, …. A thread has the same registers as in the reduction without `partial`, in the same order, so the
    lowering is the same. Parts without a live element are the identity. `cta-decompose` makes a partial reduction, then a `cta.stage`, a
    `cta.read` that brings all parts into registers, and the reduction of the parts:

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
    3. one result for each input: the input's shape without `dims`, the same element type.
    5. one identity for each input, of its element type. The combiner has two arguments for each input and ends in a `tile.yield` of one
       value for each input.
    6. (`partial`) no vector of the inputs' layout has components both along `dims` and along other dimensions; the results have the type
       above.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyType>:$inits, DenseI64ArrayAttr:$dims,
    UnitAttr:$partial);
  let regions = (region SizedRegion<1>:$combiner);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of the result of reducing `input` along `dims`. A layout has `dims` sliced away.
    static mlir::RankedTensorType reducedType(mlir::RankedTensorType input, llvm::ArrayRef<int64_t> dims);
    /// The same with `partial`. The input's layout must not mix dimensions (`mixesDims`).
    static mlir::RankedTensorType partialType(mlir::RankedTensorType input, llvm::ArrayRef<int64_t> dims);
    /// True if a vector of the layout moves both along `dims` and along another dimension.
    static bool mixesDims(const tessera::layout::RegisterLayout &layout, llvm::ArrayRef<int64_t> dims);
  }];
}

def Cta_ScanOp : Cta_Op<"scan", [AttrSizedOperandSegments, SameVariadicResultSize, RecursiveMemoryEffects, RecursivelySpeculatable,
    Cta_Erasable, Cta_Cost]> {
  let summary = "running combinations along a dimension";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    The general form of `tile.scan`. In phase placed the scanned tiles have the inputs' layout, and totals and carries have it with `dim`
    sliced away. After `cta-decompose` each vector of that layout moves along `dim` by a power of two and along nothing else, or not along
    `dim`, and no warp or warpgroup bits run along `dim`: registers and shuffles suffice.

    ```mlir
    %s, %t = cta.scan (%x) dim = 1 init(%zero) exclusive carry(%c) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<128x64xf32, #l> -> tensor<128x64xf32, #l>, tensor<128xf32, #s>
    ```

    With `partial` the op scans *parts* of the dimension, each from its own first element on. A part is a run of `partSize` elements, the
    largest power of two such that each warp has whole ones. The totals are those of the parts: they keep the rank, with one element along `dim`
    for each part, in the input's layout without its bits below the part. `cta-decompose` makes a partial scan, a `cta.stage` of its totals,
    a `cta.read` that brings them into the registers of all threads, and the scan of the parts. What comes before an element's part is
    then combined with the element:

    ```mlir
    // warps = [[0, 32], [0, 64]]: parts of 32 elements.
    %s, %p = cta.scan (%x) dim = 1 init(%zero) attributes {partial} {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x128xf32, #row> -> tensor<8x128xf32, #row>, tensor<8x4xf32, #parts>
    %m = cta.stage %p : tensor<8x4xf32, #parts> -> !cta.smem<8x4xf32, #cta.swizzle<linear>>
    %q = cta.read %m : !cta.smem<8x4xf32, #cta.swizzle<linear>> -> tensor<8x4xf32, #all>
    %b, %t = cta.scan (%q) dim = 1 init(%zero) exclusive {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x4xf32, #all> -> tensor<8x4xf32, #all>, tensor<8xf32, #sum>
    %r = cta.repeat %b dim = 1 times = 32 : tensor<8x4xf32, #all> -> tensor<8x128xf32, #row>
    %y = arith.addf %r, %s : tensor<8x128xf32, #row>
    ```

    Constraints, those of the general form of `tile.scan`:
    1. `dim` is below the rank. There is at least one input, and all inputs have one shape.
    3. the results are the scanned tiles, of the inputs' shape and element types, and then the totals, without `dim`. Carries are like the
       totals.
    4. one identity for each input, of its element type. The combiner has two arguments for each input and ends in a `tile.yield` of one
       value for each input.
    5. (`partial`) there is no carry, the inputs' layout can be scanned (above), and the totals have the type above.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyType>:$inits, Variadic<AnyRankedTensor>:$carries,
    I64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse, UnitAttr:$partial);
  let regions = (region SizedRegion<1>:$combiner);
  let results = (outs Variadic<AnyRankedTensor>:$scanned, Variadic<AnyRankedTensor>:$totals);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::RankedTensorType getInputType() { return llvm::cast<mlir::RankedTensorType>(getInputs().front().getType()); }
    /// True if the order of the elements along `dim` is that of single bits of registers, lanes and warps.
    static bool hasOrder(const tessera::layout::RegisterLayout &layout, int64_t dim);
    /// The elements of a part: 2 to the number of coordinate bits below the first warp bit along `dim`. The layout must have an order.
    static int64_t partSize(const tessera::layout::RegisterLayout &layout, int64_t dim);
    /// The type of the totals of a partial scan.
    static mlir::RankedTensorType partialType(mlir::RankedTensorType input, int64_t dim);
  }];
}

def Cta_AnyOp : Cta_Op<"any", [Pure, Cta_Erasable, Cta_Cost]> {
  let summary = "whether any element of a tile of conditions is true";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    A vote of all threads that share the tile: each ors the elements that it holds, then `barrier.cta.red.or` combines the threads of the
    block or role (`bar.red.or`, PTX ISA), in one instruction and without shared memory. The result is the same in all threads.

    With `warp` each warp votes for itself (`vote.sync.any`), and the result may differ from warp to warp. It is a condition, and what it
    decides is the warp's own business: no barrier, no access to shared memory, no asynchronous product. `cta-narrow-votes` sets it. Where it does not, `why` says
    what in the branches concerns other warps.

    With `rare` the condition is that of a `tile.rare`: it seldom holds. Costs then count the side that is taken otherwise.

    Lifespan: made by `convert-tile-to-cta` from a reduction of a whole tile by `ori` or `andi` to a scalar, such as `tile-expand-ops` makes of
    `tile.rare` and `tile.assert`; lowered by `convert-cta-to-nvvm`.

    ```mlir
    %c = cta.any %need : tensor<128xi1, #rows>
    %d = cta.any warp rare %need : tensor<128xi1, #rows>
    ```

    Constraints:
    1. the elements are i1.
    2. with `warp` the result is used by `scf.if` only, as its condition, perhaps in a later iteration of a loop that carries it, and the branches concern no other warp: they hold arithmetic, loads from global
       memory, shuffles, and control flow whose conditions are scalars of the block or votes of the warp.
  }];
  let arguments = (ins AnyRankedTensor:$need, UnitAttr:$warp, UnitAttr:$rare, OptionalAttr<StrAttr>:$why);
  let results = (outs I1:$result);
  let assemblyFormat = "(`warp` $warp^)? (`rare` $rare^)? $need attr-dict `:` type($need)";
  let hasVerifier = 1;
}

def Cta_RepeatOp : Cta_Op<"repeat", [Pure, Cta_Erasable, Cta_Cost]> {
  let summary = "repeat each element along a dimension";
  let opDocGroup = Cta_ShapeOps;
  let description = [{
    Element i of the result along `dim` is element i / `times` of the source. Every thread holds all elements of the source along `dim` for
    its other coordinates, and selects those of its own elements.

    Lifespan: made by `cta-decompose` for scans across warps, lowered by `convert-cta-to-nvvm`.

    ```mlir
    %r = cta.repeat %b dim = 1 times = 32 : tensor<8x4xf32, #all> -> tensor<8x128xf32, #row>
    ```

    Constraints:
    1. `dim` is below the rank, `times` is a power of two.
    2. source and result have one element type and rank, and the same extents but along `dim`. There the source has as many elements as the
       result has runs of `times`, the last one possibly shorter.
    3. (phase placed) the source has the result's layout without any bits along `dim`.
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$dim, I64Attr:$times);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `dim` `=` $dim `times` `=` $times attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif
