// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops that access global memory share besides `Dialect/Tile/Access.h`: masks have layouts,
// and accesses are vectors.
#ifndef TESSERA_LIB_DIALECT_CTA_IR_ACCESSSYNTAX_H
#define TESSERA_LIB_DIALECT_CTA_IR_ACCESSSYNTAX_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"

namespace tessera::cta {

/// A mask has the layout of the tile, sliced to the mask's dimensions (a rule of phase placed).
inline auto maskEncodingOf(mlir::Type tileType) {
  return [frag = FragAttr::of(tileType)](llvm::ArrayRef<int64_t> maskDims) -> mlir::Attribute {
    return frag ? FragAttr::get(frag.getContext(), maskLayout(frag.layout(), maskDims))
                : FragAttr{};
  };
}

/// Constraint 8 of `cta.load`.
mlir::LogicalResult verifyVector(mlir::Operation *op, std::optional<uint64_t> vector,
                                 mlir::Type elementType);

} // namespace tessera::cta

#endif
