// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and reductions.
#ifndef TESSERA_TILE_COMPUTE_OPS
#define TESSERA_TILE_COMPUTE_OPS

include "tessera/Dialect/Tile/KernelOps.td"

def Tile_MmaOp : Tile_Op<"mma", [Pure]> {
  let summary = "matrix product and accumulation";
  let description = [{
    `result = a · b + c`; without `c` the product alone. Rank 2 (M×K, K×N, M×N) or rank 3 (a batch in front). Products
    and sums are in the result's type for floats of 32 and 64 bits and integers; sums may be reassociated.
    Any M, N, K ≥ 1.

    | a, b | c, result |
    |---|---|
    | f16, bf16 (both the same) | f32; f16 for f16 |
    | f32 | f32 (`precision = ieee`, the default, or `tf32`) |
    | f64 | f64 |
    | i8 | i32 (`lhs = unsigned`, `rhs = unsigned` extend with zeros) |
    | i16, i32 | i32 |

    Syntax; the clauses stand in any order, each at most once:

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

    With `accumulate_every = 128` each 128 products of K have a sum of their own, beginning at zero, which is then added to `c` by an addition of the
    result's type. `tile-expand-ops` writes that with products and additions, on both targets. A loop over K around the op does not count: its iterations
    have a sum each. Integers have the same sum either way.

    Constraints:
    1. ranks 2 or 3, the same for all; extents agree (M, N, K, batch).
    2. element types as in the table.
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
  }];
}

def Tile_ReduceOp : Tile_Op<"reduce", [
    AttrSizedOperandSegments, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "combine elements along dimensions";
  let description = [{
    Named form: one input and the name of an `arith` op; f16 and bf16 sums and products accumulate in f32 and are rounded once.

    ```mlir
    %m = tile.reduce maximumf %x dims = [1] : tensor<128x64xf32> -> tensor<128xf32>
    ```

    General form: any number of inputs of one shape, one identity each, and a combiner of two such tuples that is
    associative and commutative, without side effects.

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
    3. a result per input: the input's shape without `dims`, the same element type.
    4. named form: one input, no identity, no combiner; the kind fits the element type.
    5. general form (its other attributes follow the keyword `attributes`): one scalar identity per input of its element type; the combiner has two arguments per input
       (all left ones first), yields one value per input, uses scalar ops without side effects only, and no value from outside but constants.
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
    /// Rewrites the named form as the general one (identities and combiner made explicit, f16/bf16 sums in f32);
    /// returns the op to go on with. Leaves a general op alone.
    static tessera::tile::ReduceOp generalize(mlir::RewriterBase &rewriter, tessera::tile::ReduceOp op);
  }];
}

def Tile_ArgReduceOp : Tile_Op<"argreduce", [Pure]> {
  let summary = "the extreme along a dimension and where it is";
  let description = [{
    Returns the value and its index along `dim`. Of equal values the lowest index wins; a NaN wins over every number
    (the first NaN).

    ```mlir
    %v, %i = tile.argreduce max %x dim = 1 : tensor<128x64xf32> -> tensor<128xf32>, tensor<128xi32>
    ```

    Constraints:
    1. `dim` is below the rank.
    2. the first result has the input's shape without `dim` and its element type; the second that shape with i32, i64 or index.
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

#endif
