// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_DIALECT
#define TESSERA_CTA_DIALECT

include "tessera/Dialect/Cta/IR/CtaFamilies.td"

def Cta_Dialect : Dialect {
  let name = "cta";
  let cppNamespace = "::tessera::cta";
  let summary = "L1: where the tiles of a block live, how they move, and in which order";
  let description = [{
    The body of a `tile.kernel` below L0. The kernel's `phase` names its invariant, which `cta-verify` checks:

    * **raw**: made by `convert-tile-to-cta`. `cta` ops work on tensors without an encoding; shared tiles have the swizzle `<?>`.
    * **placed**: every tensor has a register layout (`#cta.frag`), every shared tile a shared layout. Every layout conversion, copy and
      matrix product is an op whose mechanism is chosen. The body is still sequential. It holds no `tile` op but kernel, grid, dim, assume
      and return, and no `tensor` op.
    * **planned**: the kernel's plan is complete, and scratch is explicit. Still grids or launches without channels.
    * **scheduled**: grids are `cta.launch`es. Copies feed channels, loops may consist of `cta.step`s, and products may be in flight. The
      body is still sequential.
    * **specialized**: the warp-specialised roles of a launch run concurrently and communicate through channels.
    * **allocated**: shared tiles have offsets, channels are rings and mbarriers, and barriers and fences order all conflicting accesses.

    A tile in shared memory is an immutable SSA value (`!cta.smem`) until `cta-allocate-shared`. Therefore `convert-cta-to-tile` can turn a
    kernel of any phase up to scheduled back into L0, which the CPU target runs.
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
