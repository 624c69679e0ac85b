// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_INTERFACES
#define TESSERA_CTA_INTERFACES

include "mlir/IR/OpBase.td"

def Cta_EraseOpInterface : OpInterface<"EraseOpInterface"> {
  let cppNamespace = "::tessera::cta";
  let description = [{
    Ops of the phases raw to scheduled that can be turned back into L0. `convert-cta-to-tile` calls `eraseToTile`. The operands
    that it passes are erased already: register tiles and shared tiles are tensors without an encoding.
  }];
  let methods = [
    InterfaceMethod<"Builds the L0 equivalent at the rewriter's insertion point and returns one value per result.",
      "mlir::FailureOr<llvm::SmallVector<mlir::Value>>", "eraseToTile",
      (ins "mlir::OpBuilder &":$builder, "mlir::ValueRange":$operands)>];
}

#endif
