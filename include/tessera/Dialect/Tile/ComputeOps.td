// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and reductions.
#ifndef TESSERA_TILE_COMPUTE_OPS
#define TESSERA_TILE_COMPUTE_OPS

include "tessera/Dialect/Tile/KernelOps.td"

def Tile_MmaOp : Tile_Op<"mma", [Pure]> {
  let summary = "matrix product and accumulation";
  let opDocGroup = Tile_ProductOps;
  let description = [{
    `result = a · b + c`; without `c` it is `a · b`. The shapes are M×K, K×N and M×N (rank 2), or the same with a leading batch dimension
    (rank 3). For floats of 32 and 64 bits and for integers, products and accumulators have the result's type. Additions may be
    reassociated. Any M, N, K ≥ 1 is allowed.

    | a, b | c, result |
    |---|---|
    | f16, bf16 (both the same) | f32; f16 for f16 |
    | f8E4M3FN, f8E5M2 (each any of the two) | f32, f16 |
    | f32 | f32 (`precision = ieee`, the default, or `tf32`) |
    | f64 | f64 |
    | i8 | i32 (`lhs = unsigned`, `rhs = unsigned` extend with zeros) |
    | i16, i32 | i32 |

    Syntax. The clauses may be in any order, each at most once:

    ```
    tile.mma a `,` b (`,` c)? clause* attributes? `:` type-of-a `,` type-of-b `->` type-of-result
    clause ::= `precision` `=` (`ieee`|`tf32`)  | `lhs` `=` `unsigned`  | `rhs` `=` `unsigned`
             | `accumulate_every` `=` integer   | `require` `=` `[` `wgmma` `]`
    ```

    ```mlir
    %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
    %e = tile.mma %x, %y precision = tf32 : tensor<64x8xf32>, tensor<8x8xf32> -> tensor<64x8xf32>
    %f = tile.mma %a, %b, %c accumulate_every = 32 require = [wgmma] : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
    ```

    With `accumulate_every = 128` each block of 128 elements along K is accumulated by itself, starting from zero. Its result is then added
    to `c` by an addition in the result's type. `tile-expand-ops` rewrites the op into such products and additions, on both targets. The
    count starts anew in each iteration of a loop over K around the op. For integers the result is the same with and without the clause.

    Constraints:
    1. ranks 2 or 3, the same for all; extents agree (M, N, K, batch).
    2. the element types are a row of the table.
    3. `c` has the type of the result.
    4. `lhs`, `rhs` `unsigned` on i8, i16 only; `tf32` on f32 only; `accumulate_every` positive.
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, Optional<AnyRankedTensor>:$c,
    OptionalAttr<Tile_PrecisionAttr>:$precision, UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned,
    OptionalAttr<I64Attr>:$accumulate_every, OptionalAttr<Tile_RequireAttr>:$require);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    mlir::RankedTensorType getAType() { return llvm::cast<mlir::RankedTensorType>(getA().getType()); }
    mlir::RankedTensorType getBType() { return llvm::cast<mlir::RankedTensorType>(getB().getType()); }
    mlir::RankedTensorType getResultType() { return llvm::cast<mlir::RankedTensorType>(getResult().getType()); }
    /// K of one instruction of the tensor cores for these types; 0 if they do not compute the product.
    int64_t getTensorCoreStep();
  }];
}

def Tile_ReduceOp : Tile_Op<"reduce", [
    AttrSizedOperandSegments, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "combine elements along dimensions";
  let opDocGroup = Tile_ReductionOps;
  let description = [{
    Named form: one input and the name of an `arith` op. Additions and multiplications of f16 and bf16 accumulate in f32, and the result is
    rounded once.

    ```mlir
    %m = tile.reduce maximumf %x dims = [1] : tensor<128x64xf32> -> tensor<128xf32>
    ```

    General form: any number of inputs of one shape, one identity for each, and a combiner of two tuples of elements. The combiner is
    associative and commutative, and has no side effects.

    ```mlir
    %v, %j = tile.reduce (%x, %ix) dims = [1] init(%ninf, %big) {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %wins = arith.cmpf ogt, %a, %b : f32
      %r = arith.select %wins, %a, %b : f32
      %ri = arith.select %wins, %ai, %bi : i32
      tile.yield %r, %ri : f32, i32
    } : tensor<128x64xf32>, tensor<128x64xi32> -> tensor<128xf32>, tensor<128xi32>
    ```

    Reducing all dimensions gives tensors of rank 0.

    Constraints:
    1. at least one input; all inputs have one shape.
    2. `dims` ascend, are distinct and below the rank; there is at least one.
    3. one result for each input: the input's shape without `dims`, the same element type.
    4. named form: one input, no identity, no combiner; the kind fits the element type.
    5. general form: one scalar identity for each input, of its element type. The combiner has two arguments for each input, all left ones
       first, and yields one value for each input. It uses only scalar ops without side effects, and no value from outside but constants.
       Attributes other than `dims` follow the keyword `attributes`.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyType>:$inits,
    DenseI64ArrayAttr:$dims, OptionalAttr<Tile_ReduceKindAttr>:$kind);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "ReduceKind":$kind, "mlir::Value":$input, "llvm::ArrayRef<int64_t>":$dims)>];
  let extraClassDeclaration = [{
    /// The type of one result of reducing `input` along `dims`.
    static mlir::RankedTensorType reducedType(mlir::RankedTensorType input, llvm::ArrayRef<int64_t> dims);
    /// Rewrites the named form as the general one: identities and combiner become explicit, f16 and bf16 are
    /// accumulated in f32. Returns the op in general form, which is `op` itself if it had that form already.
    static tessera::tile::ReduceOp generalize(mlir::RewriterBase &rewriter, tessera::tile::ReduceOp op);
    /// Whether elements of this type can be combined so.
    static bool combines(tessera::tile::ReduceKind kind, mlir::Type element);
    /// The identity of a combination; `type` is an element type.
    static mlir::TypedAttr identityOf(tessera::tile::ReduceKind kind, mlir::Type type);
    /// Combines scalars, or tiles element by element.
    static mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, tessera::tile::ReduceKind kind, mlir::Value x, mlir::Value y);
  }];
}

def Tile_ArgReduceOp : Tile_Op<"argreduce", [Pure]> {
  let summary = "the largest or smallest element along a dimension, and its index";
  let opDocGroup = Tile_ReductionOps;
  let description = [{
    Returns the extreme value along `dim` and its index. Of equal values the lowest index wins. A NaN wins over every number; of several
    NaNs the first one wins.

    ```mlir
    %v, %i = tile.argreduce max %x dim = 1 : tensor<128x64xf32> -> tensor<128xf32>, tensor<128xi32>
    ```

    Constraints:
    1. `dim` is below the rank.
    2. the first result has the input's shape without `dim`, and its element type. The second result has the same shape and elements of type
       i32, i64 or index.
    3. the element type is a float or an integer; integers are signed unless `unsigned`.
  }];
  let arguments = (ins Tile_ArgReduceKindAttr:$kind, AnyRankedTensor:$input, I64Attr:$dim,
    UnitAttr:$is_unsigned);
  let results = (outs AnyRankedTensor:$value, AnyRankedTensor:$index);
  let assemblyFormat = [{
    custom<ArgReduceKind>($kind) $input `dim` `=` $dim (`unsigned` $is_unsigned^)? attr-dict `:` type($input) `->` type($value) `,` type($index)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rewrites the op as a general `tile.reduce` of the values and an iota.
    static void generalize(mlir::RewriterBase &rewriter, tessera::tile::ArgReduceOp op);
  }];
}

def Tile_ScanOp : Tile_Op<"scan", [
    AttrSizedOperandSegments, SameVariadicResultSize, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "running combinations along a dimension";
  let opDocGroup = Tile_ReductionOps;
  let description = [{
    Named form: one input and the name of an `arith` op, one of those of `tile.reduce`. Element i along `dim` of the first result combines
    the elements 0 to i of the input, with `exclusive` the elements before i. With `reverse` the elements come in descending order, so that
    element i combines those from the last one down to i. `carry` is combined with all of them, as if it came first; without it the first
    element of an `exclusive` scan is the identity of the combination. The second result combines the carry and all elements: it is the carry
    for the next tile of a loop.

    ```mlir
    %s, %sum = tile.scan addf %x dim = 1 : tensor<64x128xf32> -> tensor<64x128xf32>, tensor<64xf32>
    %e, %next = tile.scan addi %counts dim = 0 exclusive carry(%before) : tensor<256xi32> -> tensor<256xi32>, tensor<i32>
    ```

    Additions may be reassociated, and additions and multiplications of f16 and bf16 are made in f32: each result is rounded once. The
    identity of `maxnumf` and `minnumf` is NaN.

    General form: any number of inputs of one shape, one identity for each, and a combiner of two tuples of elements. The combiner is
    associative and has no side effects. It need not be commutative: its left arguments stand for what comes earlier in the order of the
    scan, which is the descending order with `reverse`. The results are the scanned tiles, one for each input, and then the totals. A carry
    has one tile for each input. So a linear recurrence, h[i] = a[i] · h[i - 1] + b[i], is a scan of pairs:

    ```mlir
    %d, %h, %dn, %hn = tile.scan (%a, %b) dim = 1 init(%one, %zero) {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %p = arith.mulf %a0, %a1 : f32
      %q = arith.mulf %b0, %a1 : f32
      %r = arith.addf %q, %b1 : f32
      tile.yield %p, %r : f32, f32
    } : tensor<64x128xf32>, tensor<64x128xf32> -> tensor<64x128xf32>, tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>
    ```

    Syntax. The clauses come in this order:

    ```
    tile.scan kind input `dim` `=` integer clause* attributes? `:` type-of-input `->` result-types
    tile.scan `(` inputs `)` `dim` `=` integer `init` `(` identities `)` clause* (`attributes` attributes)? combiner `:` types `->` result-types
    clause ::= `exclusive` | `reverse` | `carry` `(` carries `)`
    ```

    The GPU scans in registers, then by shuffles, and goes through shared memory once if several warps share the dimension; the CPU scans in a
    loop.

    Constraints:
    1. `dim` is below the inputs' rank. There is at least one input, and all inputs have one shape.
    2. named form: one input, no identity, no combiner; the kind fits the element type.
    3. the first results, one for each input, have the types of the inputs. The other results, one for each input again, and the carries, if
       there are any, have the inputs' types without `dim`.
    4. general form: one scalar identity for each input, of its element type. The combiner has two arguments for each input, all left ones
       first, and yields one value for each input. It uses only elementwise ops on scalars (`arith`, `math`) without side effects, and no value
       from outside but constants.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyType>:$inits, Variadic<AnyRankedTensor>:$carries,
    I64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse, OptionalAttr<Tile_ReduceKindAttr>:$kind);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let results = (outs Variadic<AnyRankedTensor>:$scanned, Variadic<AnyRankedTensor>:$totals);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::RankedTensorType getInputType() { return llvm::cast<mlir::RankedTensorType>(getInputs().front().getType()); }
    /// Rewrites the named form as the general one: identities and combiner become explicit, sums and products of f16 and bf16 are
    /// computed in f32. Returns the op in general form, which is `op` itself if it had that form already.
    static tessera::tile::ScanOp generalize(mlir::RewriterBase &rewriter, tessera::tile::ScanOp op);
  }];
}

#endif
