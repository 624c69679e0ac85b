// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Members of a family: kernels that were made of one kernel with parameters and that stand in one
// artifact, in which the launcher chooses among them (docs/design/Families.md).
#ifndef TESSERA_DIALECT_TILE_PARAMS_MEMBERS_H
#define TESSERA_DIALECT_TILE_PARAMS_MEMBERS_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {

/// On a kernel that is a member: the name of the kernel that had the parameters, and what they were
/// bound to ("BM=128,BN=256"), both as strings.
constexpr llvm::StringLiteral kMemberOf = "tile.member_of", kMember = "tile.member";

/// What the parameters of a member were bound to; empty for a kernel that is none.
inline llvm::StringRef memberText(KernelOp kernel) {
  auto text = kernel->getAttrOfType<mlir::StringAttr>(kMember);
  return text && kernel->hasAttr(kMemberOf) ? text.getValue() : llvm::StringRef();
}

/// The name by which a launcher finds the kernel: that of its family, or of the kernel whose
/// variant it is, or its own.
inline llvm::StringRef launchedName(KernelOp kernel) {
  if (auto family = kernel->getAttrOfType<mlir::StringAttr>(kMemberOf))
    return family.getValue();
  return kernel.getVariantOf().value_or(kernel.getSymName());
}

} // namespace tessera::tile

#endif
