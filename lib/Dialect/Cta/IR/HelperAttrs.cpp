// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of discardable attributes `cta.*`: each has its op and its type. A pass that meets
// one elsewhere would not look at it, and a misspelt one would be lost.
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Machine/Machines.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
struct Rule {
  llvm::StringLiteral name, ops, kind;
  bool (*isOp)(Operation *);
  bool (*isKind)(Attribute);
};

template <typename... Ops>
bool isOneOf(Operation *op) {
  return isa<Ops...>(op);
}
/// Some upstream passes turn scf.for into scf.while with all its attributes.
bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp, ForOutputTilesOp>(op); }
template <typename Kind>
bool isKind(Attribute attribute) {
  return isa<Kind>(attribute);
}

constexpr Rule kRules[] = {
    {kAloneAttr, "tile.kernel", "unit", isOneOf<tile::KernelOp>, isKind<UnitAttr>},
    {kLeastGroupAttr, "cta.launch", "an integer", isOneOf<LaunchOp>, isKind<IntegerAttr>},
    {kPanelAttr, "tile.grid", "an integer", isOneOf<tile::GridOp>, isKind<IntegerAttr>},
    {kPredictionAttr, "tile.grid or cta.launch", "a dictionary", isOneOf<tile::GridOp, LaunchOp>,
     isKind<DictionaryAttr>},
    {kReplicaPartAttr, "tile.kernel", "an integer", isOneOf<tile::KernelOp>, isKind<IntegerAttr>},
    {kRestAttr, "loops", "unit", isLoop, isKind<UnitAttr>},
    {kScheduleAttr, "loops", "a dictionary", isLoop, isKind<DictionaryAttr>},
    {kTargetAttr, "modules", "the name of a chip in quotes", isOneOf<ModuleOp>, isKind<StringAttr>},
    {kTriedPlanAttr, "tile.kernel", "unit", isOneOf<tile::KernelOp>, isKind<UnitAttr>},
    {kUnpipelinedAttr, "tile.kernel", "a string", isOneOf<tile::KernelOp>, isKind<StringAttr>},
    {kUnplannedAttr, "tile.grid or cta.launch", "unit", isOneOf<tile::GridOp, LaunchOp>,
     isKind<UnitAttr>},
};
} // namespace

LogicalResult CtaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  const Rule *rule = llvm::find_if(
      kRules, [&](const Rule &r) { return attribute.getName() == llvm::StringRef(r.name); });
  if (rule == std::end(kRules)) {
    InFlightDiagnostic error = op->emitOpError("has the unknown attribute '")
                               << attribute.getName().getValue() << "'; of the dialect there are: ";
    llvm::interleaveComma(kRules, error, [&](const Rule &r) { error << r.name; });
    return error;
  }
  if (!rule->isOp(op))
    return op->emitOpError("has the attribute '")
           << rule->name << "', which has a meaning on " << rule->ops << " only";
  if (!rule->isKind(attribute.getValue()))
    return op->emitOpError("has the attribute '")
           << rule->name << "' = " << attribute.getValue() << ", which must be " << rule->kind;
  std::string error;
  if (attribute.getName() == kTargetAttr &&
      !tessera::machineOf(cast<StringAttr>(attribute.getValue()).getValue(), error))
    return op->emitOpError("has the attribute '")
           << kTargetAttr << "' = " << attribute.getValue() << ": " << error;
  return success();
}
