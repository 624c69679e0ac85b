// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_PASSBASE
#define TESSERA_CTA_PASSBASE

include "mlir/Pass/PassBase.td"

class CtaPass<string flag> : Pass<flag, "tile::KernelOp"> {
  let dependentDialects = ["::tessera::cta::CtaDialect", "::tessera::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif
