// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that is rounded in a direction, or that knows no denormals.
#ifndef TESSERA_TILE_ROUNDING_OPS
#define TESSERA_TILE_ROUNDING_OPS

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "tessera/Dialect/Tile/KernelOps.td"

def Tile_RoundedOp : Tile_Op<"rounded", [Pure, SameOperandsAndResultShape] # ElementwiseMappable.traits> {
  let summary = "arithmetic with a rounding mode, or that flushes denormals to zero";
  let opDocGroup = Tile_RoundingOps;
  let description = [{
    Computes what the op of `arith` or `math` with the name of the kind computes, for each element of tiles or for scalars. The exact
    result is rounded once, in the direction that the rounding mode says; without one it is rounded to nearest, ties to even. The mode is
    part of the op, so that no transformation merges ops with different modes, and no multiplication is fused with an addition.

    ```mlir
    %lower = tile.rounded addf %a, %b downward : tensor<64x32xf32>
    %upper = tile.rounded fma %a, %b, %c upward : tensor<64x32xf32>
    %quick = tile.rounded mulf %a, %b flush_to_zero : tensor<64x32xf32>
    %both = tile.rounded addf %x, %y toward_zero flush_to_zero : f32
    %count = tile.rounded sitofp %n toward_zero : tensor<64xi64> to tensor<64xf32>
    ```

    Syntax:

    ```
    tile.rounded kind operands mode? `flush_to_zero`? `afn`? attributes? `:` type (`to` type-of-result)?
    kind ::= `addf` | `subf` | `mulf` | `divf` | `sqrt` | `fma` | `sitofp` | `uitofp`
           | `maximumf` | `minimumf` | `maxnumf` | `minnumf` | `exp2` | `rsqrt`
    mode ::= `to_nearest_even` | `downward` | `upward` | `toward_zero`
    ```

    A result that is too large becomes the largest finite number where the mode points towards zero, and otherwise infinity. A sum that is
    exactly zero, of numbers that are not zeros of the same sign, is -0 with `downward` and +0 with the other modes. f16, bf16 and the types
    of 8 bits are computed in f32 with the same mode and then narrowed with the same mode, which gives what a single rounding gives.

    `flush_to_zero` treats each denormal operand as a zero of the operand's sign. A result that is below the least normal number, 2^-126,
    when it is rounded to 24 digits as if exponents had no end, becomes a zero of its sign. So the results are exactly defined, on all targets; on the GPU this is `.ftz`, with no other cost. `afn` allows the
    approximations that `fastmath<afn>` allows, for what is then one instruction: `div.full.ftz`, `sqrt.approx.ftz`, `ex2.approx.ftz`,
    `rsqrt.approx.ftz`.

    Narrowing has its mode in `arith.truncf`: `arith.truncf %x upward : f32 to f16`. Conversions to integers have theirs in the op before
    them: `math.floor`, `math.ceil` or `math.roundeven`, and then `arith.fptosi`. With `to_nearest_even` and nothing else the op
    canonicalizes to the one of its name.

    Constraints:
    1. the number of operands is that of the op of the kind's name. All have one type. Results have that type too, but for `sitofp` and
       `uitofp`, which convert from integers of 8 to 64 bits or index to floats.
    2. the operands of other kinds are floats. A direction is for `addf`, `subf`, `mulf`, `divf`, `sqrt`, `fma`, `sitofp` and `uitofp`; it is
       not `to_nearest_away`.
    3. `flush_to_zero` is for f32, and not for `sitofp` and `uitofp`, whose results are never denormal.
    4. `afn` is for `divf`, `sqrt`, `exp2` and `rsqrt`, with `flush_to_zero` and without a direction.
  }];
  let arguments = (ins Tile_RoundedKindAttr:$kind, Variadic<AnyType>:$inputs,
    OptionalAttr<Arith_RoundingModeAttr>:$roundingmode, UnitAttr:$flush_to_zero, UnitAttr:$afn);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The mode; to nearest even if the op has none.
    mlir::arith::RoundingMode getMode() {
      return getRoundingmode().value_or(mlir::arith::RoundingMode::to_nearest_even);
    }
    /// True for a mode other than to nearest even.
    bool isDirected() { return getMode() != mlir::arith::RoundingMode::to_nearest_even; }
    bool isConversion() { return getKind() == RoundedKind::SIToFP || getKind() == RoundedKind::UIToFP; }
    /// True for what takes several instructions, or one of the unit for functions.
    bool isFunction() {
      RoundedKind kind = getKind();
      return kind == RoundedKind::DivF || kind == RoundedKind::Sqrt || kind == RoundedKind::Exp2 || kind == RoundedKind::RSqrt;
    }
    /// The op of arith or math with the name of the kind, to nearest even and with denormals.
    mlir::Value createPlain(mlir::OpBuilder &builder, mlir::ValueRange operands);
  }];
}

#endif
