// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of discardable attributes `tile.*` of ops: each has its ops and its type. A pass
// would not look at one on another op, and a misspelt one would have no effect. The attributes of
// arguments are verified in TileDialect.cpp.
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Dialect/Tile/Transforms.h"

using namespace mlir;
using namespace tessera::tile;

namespace {
struct Rule {
  llvm::StringLiteral name;
  /// The names of the ops, since some of them belong to dialects that are built on this one. The
  /// second name may be empty.
  llvm::StringLiteral op, other;
  llvm::StringLiteral kind;
  bool (*isKind)(Attribute);
};

template <typename... Kinds>
bool isKind(Attribute attribute) {
  return isa<Kinds...>(attribute);
}

constexpr Rule kRules[] = {
    {"tile.contract", "builtin.module", "", "a string", isKind<StringAttr>},
    {kCopies, "tile.grid", "", "unit", isKind<UnitAttr>},
    {kFallback, "tile.kernel", "", "unit", isKind<UnitAttr>},
    {"tile.init", "memref.alloc", "", "a number", isKind<IntegerAttr, FloatAttr>},
    {kNotRepacked, "tile.load", "cta.load", "a string", isKind<StringAttr>},
    {kNotTurned, "tile.mma", "cta.mma", "a string", isKind<StringAttr>},
    {"tile.ptxas_policies", "builtin.module", "", "a dictionary", isKind<DictionaryAttr>},
    {kRepacked, "memref.alloc", "", "a string", isKind<StringAttr>},
    {"tile.restored", "memref.alloc", "", "unit", isKind<UnitAttr>},
    {kTransposed, "tile.mma", "", "true or false", isKind<BoolAttr>},
    {kTurned, "tile.mma", "cta.mma", "a string", isKind<StringAttr>},
};
} // namespace

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  const Rule *rule = llvm::find_if(
      kRules, [&](const Rule &r) { return attribute.getName() == StringRef(r.name); });
  if (rule == std::end(kRules)) {
    InFlightDiagnostic error = op->emitOpError("has the unknown attribute '")
                               << attribute.getName().getValue() << "'; of the dialect there are: ";
    llvm::interleaveComma(kRules, error, [&](const Rule &r) { error << r.name; });
    return error;
  }
  const StringRef name = op->getName().getStringRef();
  if (name != StringRef(rule->op) && name != StringRef(rule->other))
    return op->emitOpError("has the attribute '")
           << rule->name << "', which has a meaning on " << rule->op
           << (rule->other.empty() ? "" : " and ") << rule->other << " only";
  if (!rule->isKind(attribute.getValue()))
    return op->emitOpError("has the attribute '")
           << rule->name << "' = " << attribute.getValue() << ", which must be " << rule->kind;
  return success();
}
