// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The discardable attributes `tile.*` of ops. Those of arguments are verified in TileDialect.cpp.
#include "tessera/Dialect/Tile/HelperAttrRules.h"
#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/PrivateTables.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tessera::tile;

LogicalResult tessera::tile::verifyHelperAttr(Operation *op, NamedAttribute attribute,
                                              ArrayRef<HelperAttrRule> rules) {
  const HelperAttrRule *rule = llvm::find_if(
      rules, [&](const HelperAttrRule &r) { return attribute.getName() == StringRef(r.name); });
  if (rule == rules.end()) {
    InFlightDiagnostic error = op->emitOpError("has the unknown attribute '")
                               << attribute.getName().getValue() << "'; of the dialect there are: ";
    llvm::interleaveComma(rules, error, [&](const HelperAttrRule &r) { error << r.name; });
    return error;
  }
  if (!rule->isOp(op))
    return op->emitOpError("has the attribute '")
           << rule->name << "', which has a meaning on " << rule->ops << " only";
  if (!rule->isKind(attribute.getValue()))
    return op->emitOpError("has the attribute '")
           << rule->name << "' = " << attribute.getValue() << ", which must be " << rule->kind;
  return success();
}

// Placement hands some attributes on to ops of `cta`, a dialect that is built on this one and is
// known by name only.
static bool isLoad(Operation *op) {
  return isa<LoadOp>(op) || op->getName().getStringRef() == "cta.load";
}
static bool isMma(Operation *op) {
  return isa<MmaOp>(op) || op->getName().getStringRef() == "cta.mma";
}

/// Of a variant, a plan and attributes of dialects; the kernel's other own attributes say what the
/// variant is.
static bool isVariantAttributes(Attribute attribute) {
  auto variants = dyn_cast<DictionaryAttr>(attribute);
  return variants && llvm::all_of(variants, [](NamedAttribute entry) {
           auto own = dyn_cast<DictionaryAttr>(entry.getValue());
           return own && llvm::all_of(own, [](NamedAttribute of) {
                    // Whether the dialect is loaded does not matter.
                    return of.getName() == kVariantPlan || (of.getName() != kVariantAttributes &&
                                                            of.getName().strref().contains('.'));
                  });
         });
}

static constexpr HelperAttrRule kRules[] = {
    {kBound, "tile.kernel", "a dictionary", isOneOf<KernelOp>, isKind<DictionaryAttr>},
    {"tile.contract", "builtin.module", "a string", isOneOf<ModuleOp>, isKind<StringAttr>},
    {kCopies, "tile.grid", "unit", isOneOf<GridOp>, isKind<UnitAttr>},
    {kFallback, "tile.kernel", "unit", isOneOf<KernelOp>, isKind<UnitAttr>},
    {"tile.init", "memref.alloc", "a number", isOneOf<memref::AllocOp>,
     isKind<IntegerAttr, FloatAttr>},
    {kMember, "tile.kernel", "a string", isOneOf<KernelOp>, isKind<StringAttr>},
    {kMemberOf, "tile.kernel", "a string", isOneOf<KernelOp>, isKind<StringAttr>},
    {kNotRepacked, "tile.load and cta.load", "a string", isLoad, isKind<StringAttr>},
    {kNotTurned, "tile.mma and cta.mma", "a string", isMma, isKind<StringAttr>},
    {"tile.ptxas_policies", "builtin.module", "a dictionary", isOneOf<ModuleOp>,
     isKind<DictionaryAttr>},
    {kRarely, "tile.reduce", "unit", isOneOf<ReduceOp>, isKind<UnitAttr>},
    {kRepacked, "memref.alloc", "a string", isOneOf<memref::AllocOp>, isKind<StringAttr>},
    {"tile.restored", "memref.alloc", "unit", isOneOf<memref::AllocOp>, isKind<UnitAttr>},
    {kSaturate, "arith.truncf, arith.fptosi or arith.fptoui", "unit",
     isOneOf<arith::TruncFOp, arith::FPToSIOp, arith::FPToUIOp>, isKind<UnitAttr>},
    {kTables, "tile.kernel", "unit", isOneOf<KernelOp>, isKind<UnitAttr>},
    {kTransposed, "tile.mma", "true or false", isOneOf<MmaOp>, isKind<BoolAttr>},
    {kTurned, "tile.mma and cta.mma", "a string", isMma, isKind<StringAttr>},
    {kVariantAttributes, "tile.kernel",
     "a dictionary of dictionaries, of plan and attributes of dialects", isOneOf<KernelOp>,
     isVariantAttributes},
};

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyHelperAttr(op, attribute, kRules);
}
