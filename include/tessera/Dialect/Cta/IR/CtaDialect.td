// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_DIALECT
#define TESSERA_CTA_DIALECT

include "mlir/IR/OpBase.td"

def Cta_Dialect : Dialect {
  let name = "cta";
  let cppNamespace = "::tessera::cta";
  let summary = "L1: where the tiles of a block live, how they move, and in which order";
  let description = [{
    The body of a `tile.kernel` below L0. The kernel's `phase` says which invariant holds; `cta-verify` checks it:

    * **raw**: made by `convert-tile-to-cta`. `cta` ops on tensors without an encoding; shared tiles have the
      swizzle `<?>`.
    * **placed**: every tensor has a register layout (`#cta.frag`), every shared tile a shared layout, every conversion, copy and
      product is an explicit op with a chosen mechanism. Still sequential; no `tile` op but kernel, grid, dim,
      assume, return; no `tensor` op.
    * **scheduled**: grids are `cta.launch`es, scratch is explicit; copies feed channels, loops may consist of `cta.step`s, products may be in flight. Still
      sequential.
    * **specialized**: the roles of a launch run concurrently and meet in channels.
    * **allocated**: shared tiles have offsets, channels are rings and mbarriers, hazards are barriers and
      fences.

    Shared memory is an immutable SSA value (`!cta.smem`) until `cta-allocate-shared`; so `convert-cta-to-tile` can turn
    a placed or scheduled kernel back into L0, which the CPU target runs.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::tessera::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class Cta_Op<string mnemonic, list<Trait> traits = []> : Op<Cta_Dialect, mnemonic, traits>;

#endif
