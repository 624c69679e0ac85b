// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory behind a memref, and whether two of them may overlap.
#include "tessera/Dialect/Tile/Access.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tessera::tile;

bool tessera::tile::isArrayInMemory(Value root) {
  return root && isa_and_nonnull<ArrayAtOp, ArrayFromOp>(root.getDefiningOp());
}

Value tessera::tile::rootOf(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (isa<memref::AllocOp, ArrayAtOp, ArrayFromOp>(op))
      return memref;
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return {};
    memref = view.getViewSource();
  }
  return isa<KernelOp>(memref.getParentBlock()->getParentOp()) ? memref : Value{};
}

/// The alias group of a root; empty if it has none.
static StringRef groupOf(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
    auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), TileDialect::kAlias);
    return name ? name.getValue() : StringRef();
  }
  if (auto at = root.getDefiningOp<ArrayAtOp>())
    return at.getAlias().value_or("");
  if (auto from = root.getDefiningOp<ArrayFromOp>())
    return from.getAlias().value_or("");
  return {};
}

bool tessera::tile::rootsMayAlias(Value a, Value b) {
  if (!a || !b || a == b)
    return true;
  // Workspace is an allocation of its own, and no table has its address.
  if (a.getDefiningOp<memref::AllocOp>() || b.getDefiningOp<memref::AllocOp>())
    return false;
  const StringRef one = groupOf(a), other = groupOf(b);
  // An array of a table that promises nothing may be anywhere.
  if ((one.empty() && isArrayInMemory(a)) || (other.empty() && isArrayInMemory(b)))
    return true;
  return !one.empty() && one == other;
}

std::string tessera::tile::nameOfRoot(Value memref) {
  Value root = rootOf(memref);
  auto argument = dyn_cast_or_null<BlockArgument>(root);
  if (isArrayInMemory(root))
    return "the array at an address from memory";
  if (!argument)
    return root ? "the workspace" : "the memref";
  auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
  return "%" + kernel.getArgName(argument.getArgNumber());
}
