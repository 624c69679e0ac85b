// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of a dialect's discardable attributes on ops. A pass would not look at an attribute
// on another op than its own, and a misspelt one would have no effect.
#ifndef TESSERA_DIALECT_TILE_HELPERATTRRULES_H
#define TESSERA_DIALECT_TILE_HELPERATTRRULES_H

#include "mlir/IR/Operation.h"

namespace tessera::tile {

/// A discardable attribute, the ops on which it has a meaning and the kind of its value; both also
/// in words, for messages.
struct HelperAttrRule {
  llvm::StringLiteral name, ops, kind;
  bool (*isOp)(mlir::Operation *);
  bool (*isKind)(mlir::Attribute);
};

template <typename... Ops>
bool isOneOf(mlir::Operation *op) {
  return llvm::isa<Ops...>(op);
}
template <typename... Kinds>
bool isKind(mlir::Attribute attribute) {
  return llvm::isa<Kinds...>(attribute);
}

/// An error on the op if no rule has the attribute's name, or if its rule wants another op or
/// another kind of value.
mlir::LogicalResult verifyHelperAttr(mlir::Operation *op, mlir::NamedAttribute attribute,
                                     llvm::ArrayRef<HelperAttrRule> rules);

} // namespace tessera::tile

#endif
