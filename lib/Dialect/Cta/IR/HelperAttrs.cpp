// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The discardable attributes `cta.*`: each has its ops and its type.
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Tile/HelperAttrRules.h"
#include "tessera/Machine/Machines.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Some upstream passes turn scf.for into scf.while with all its attributes.
static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp, ForOutputTilesOp>(op); }
static bool isLoopOrBranch(Operation *op) { return isLoop(op) || isa<scf::IfOp>(op); }

static constexpr tile::HelperAttrRule kRules[] = {
    {kAloneAttr, "tile.kernel", "unit", tile::isOneOf<tile::KernelOp>, tile::isKind<UnitAttr>},
    {kBlocksForMemoryAttr, "cta.launch", "unit", tile::isOneOf<LaunchOp>, tile::isKind<UnitAttr>},
    {kCutAttr, "scf.if", "unit", tile::isOneOf<scf::IfOp>, tile::isKind<UnitAttr>},
    {kLeastGroupAttr, "cta.launch", "an integer", tile::isOneOf<LaunchOp>,
     tile::isKind<IntegerAttr>},
    {kNarrowAttr, "cta.launch", "a bool", tile::isOneOf<LaunchOp>, tile::isKind<BoolAttr>},
    {kOrderAttr, "cta.launch", "a #tile.order", tile::isOneOf<LaunchOp>,
     tile::isKind<tile::OrderAttr>},
    {kPanelAttr, "tile.grid", "an integer", tile::isOneOf<tile::GridOp>, tile::isKind<IntegerAttr>},
    {kPersistentAttr, "tile.grid", "an integer", tile::isOneOf<tile::GridOp>,
     tile::isKind<IntegerAttr>},
    {kPredictionAttr, "tile.grid or cta.launch", "a dictionary",
     tile::isOneOf<tile::GridOp, LaunchOp>, tile::isKind<DictionaryAttr>},
    {kReplicaPartAttr, "tile.kernel", "an integer", tile::isOneOf<tile::KernelOp>,
     tile::isKind<IntegerAttr>},
    {kRestAttr, "loops and scf.if", "unit", isLoopOrBranch, tile::isKind<UnitAttr>},
    {kScheduleAttr, "loops", "a dictionary", isLoop, tile::isKind<DictionaryAttr>},
    {kStandsForAttr, "tile.kernel", "a string", tile::isOneOf<tile::KernelOp>,
     tile::isKind<StringAttr>},
    {kStreamKAttr, "tile.kernel", "unit", tile::isOneOf<tile::KernelOp>, tile::isKind<UnitAttr>},
    {kTargetAttr, "modules", "the name of a chip in quotes", tile::isOneOf<ModuleOp>,
     tile::isKind<StringAttr>},
    {kTriedPlanAttr, "tile.kernel", "unit", tile::isOneOf<tile::KernelOp>, tile::isKind<UnitAttr>},
    {kUnpipelinedAttr, "tile.kernel", "a string", tile::isOneOf<tile::KernelOp>,
     tile::isKind<StringAttr>},
    {kUnplannedAttr, "tile.grid or cta.launch", "unit", tile::isOneOf<tile::GridOp, LaunchOp>,
     tile::isKind<UnitAttr>},
};

LogicalResult CtaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (failed(tile::verifyHelperAttr(op, attribute, kRules)))
    return failure();
  std::string error;
  if (attribute.getName() == kTargetAttr &&
      !tessera::machineOf(cast<StringAttr>(attribute.getValue()).getValue(), error))
    return op->emitOpError("has the attribute '")
           << kTargetAttr << "' = " << attribute.getValue() << ": " << error;
  return success();
}
