// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-plan-replicas: gives products with an epilogue that computes two warpgroups that work in
// ping-pong.
//
// This is decided at L0, because tiles are placed for the warpgroups that share an output tile. So
// the pass must be sure that cta-plan, which completes the plan later, will find no obstacle. It
// takes only grids that it understands completely, and whose numbers the model
// (tessera/Plan/Model.h) accepts.
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Layout/WgmmaOperand.h"
#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tessera::cta {
#define GEN_PASS_DEF_PLANREPLICAS
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using namespace tessera::plan;

namespace {
/// Recognises a grid with one matrix product and an epilogue, or says why a grid is not one.
class FusedProduct {
public:
  FusedProduct(tile::GridOp grid, tile::Facts &knowledge)
      : machine(machineOf(grid)), grid(grid), knowledge(knowledge) {}
  /// Why an output tile cannot be left to a single warpgroup, or nothing if it can.
  std::optional<std::string> whyNot();
  const ReplicaFacts &numbers() const { return facts; }

private:
  std::optional<std::string> whyNotLoop();
  std::optional<std::string> whyNotEpilogue();
  std::optional<std::string> whyNotInEpilogue(Operation *op);
  std::optional<std::string> whyNotFetched(tile::LoadOp load);
  void addPart(Type tile);
  std::optional<int64_t> outputTiles();

  const Machine &machine;
  tile::GridOp grid;
  tile::Facts &knowledge;
  scf::ForOp loop;
  RankedTensorType sums;
  DenseSet<Value> results;    ///< tiles that the product has flowed into
  DenseSet<Operation *> used; ///< ops of the epilogue that lead to a store
  bool computes = false;
  ReplicaFacts facts;
};
} // namespace

static bool hasTiles(Operation *op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getResultTypes(), isTile) || llvm::any_of(op->getOperandTypes(), isTile);
}

/// Scalar ops, which every warp-specialised role computes for itself.
static bool isScalarOp(Operation *op) {
  return !hasTiles(op) && !op->getNumRegions() && isMemoryEffectFree(op);
}

static bool isConstantTile(Operation *op) { return isa<arith::ConstantOp>(op) && hasTiles(op); }

/// Why TMA cannot fetch the tile before the grid has stored anything, or nothing if it can.
std::optional<std::string> FusedProduct::whyNotFetched(tile::LoadOp load) {
  Access access(load);
  SmemType image = tmaImage(access);
  if (!image)
    return std::string("TMA cannot fetch its tile from memory that is not contiguous");
  if (auto why = whyNotTma(knowledge, access, image))
    return why;
  if (llvm::any_of(tile::writtenRoots(grid), [&](Value root) {
        return tile::rootsMayAlias(tile::rootOf(load.getSource()), root);
      }))
    return std::string("the grid also stores to memory that may be what it reads");
  return std::nullopt;
}

std::optional<std::string> FusedProduct::whyNotLoop() {
  const std::string other = "its loop does more than one product";
  tile::MmaOp mma;
  SmallVector<tile::LoadOp> loads;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto product = dyn_cast<tile::MmaOp>(op)) {
      if (mma)
        return other;
      mma = product;
    } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
      loads.push_back(load);
    } else if (!isScalarOp(&op)) {
      return other;
    }
  }
  if (!mma || loop.getNumRegionIterArgs() != 1 || mma.getC() != loop.getRegionIterArg(0) ||
      !mma->hasOneUse() || loop.getYieldedValues()[0] != mma.getResult() ||
      !loop.getRegionIterArg(0).hasOneUse())
    return other;
  Product product(mma);
  if (auto why = whyNotWgmma(product, /*warpgroups=*/1))
    return why;
  for (tile::LoadOp load : loads) {
    if (!load->hasOneUse() || (load.getResult() != mma.getA() && load.getResult() != mma.getB()))
      return other;
    if (auto why = whyNotFetched(load))
      return why;
    Access access(load);
    facts.slotBytes += ringSlotBytes(tmaImage(access));
  }
  if (loads.size() != 2)
    return std::string("an operand of its product is not loaded in the loop");
  sums = mma.getType();
  const int64_t aRegister = product.result.isF16() ? 2 : 1;
  facts.accumulators = product.m() * product.n() / (hopper::kWarpgroupSize * aRegister);
  facts.oneProduct = product.stepN() / (2 * aRegister);
  facts.tensorCycles = double(product.m() * product.n() * product.k()) /
                       machine.tensorMacs(product.element.getIntOrFloatBitWidth());
  return std::nullopt;
}

/// Counts the two epilogue subtiles of a tile that a warpgroup writes or fetches some columns at a
/// time.
void FusedProduct::addPart(Type tile) {
  facts.partBytes += 2 * sums.getDimSize(0) * kReplicaParts[0] *
                     tile::elementBytes(cast<RankedTensorType>(tile).getElementType());
}

std::optional<std::string> FusedProduct::whyNotInEpilogue(Operation *op) {
  if (isScalarOp(op) || isConstantTile(op))
    return std::nullopt;
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    Access access(store);
    SmemType image = tmaImage(access);
    if (!image || !results.contains(store.getValue()))
      return std::string("a store is not of the product's tile");
    addPart(store.getValue().getType());
    return whyNotTma(knowledge, access, image);
  }
  const std::string whole = "its epilogue does more than elementwise arithmetic on the tile";
  if (op->getNumResults() != 1 || op->getNumRegions())
    return whole;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  const bool isWhole = type && type.getShape() == sums.getShape();
  if (!type || (!isWhole && type.getRank() > 1))
    return whole;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    computes |= used.contains(op);
    if (load.getMask() || !load.getLimits().empty())
      return std::string("a load of its epilogue has a mask or a limit");
    if (!isWhole)
      return std::nullopt;
    addPart(type);
    return whyNotFetched(load);
  }
  if (isa<tile::BroadcastOp>(op))
    return std::nullopt;
  if (!isElementwise(op))
    return whole;
  if (isWhole && llvm::any_of(op->getOperands(), [&](Value v) { return results.contains(v); })) {
    results.insert(op->getResult(0));
    computes |= used.contains(op) && !isa<arith::TruncFOp, arith::ExtFOp>(op);
  }
  return std::nullopt;
}

std::optional<std::string> FusedProduct::whyNotEpilogue() {
  for (Operation *op = loop->getBlock()->getTerminator(); op != loop; op = op->getPrevNode())
    if (isa<tile::StoreOp>(op) ||
        llvm::any_of(op->getUsers(), [&](Operation *user) { return used.contains(user); }))
      used.insert(op);
  results.insert(loop.getResult(0));
  for (Operation *op = loop->getNextNode(); op && !op->hasTrait<OpTrait::IsTerminator>();
       op = op->getNextNode())
    if (auto why = whyNotInEpilogue(op))
      return why;
  if (!computes)
    return std::string("its epilogue converts and stores only");
  return std::nullopt;
}

/// The number of output tiles, if the source IR is static.
std::optional<int64_t> FusedProduct::outputTiles() {
  int64_t product = 1;
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep())) {
    std::optional<int64_t> lo = getConstantIntValue(lower), up = getConstantIntValue(upper),
                           st = getConstantIntValue(step);
    int64_t extent = 0;
    if (!lo || !up || !st || *st < 1 || llvm::SubOverflow(*up, *lo, extent) ||
        llvm::MulOverflow(product, std::max<int64_t>(llvm::divideCeilSigned(extent, *st), 0),
                          product))
      return std::nullopt;
  }
  return product;
}

std::optional<std::string> FusedProduct::whyNot() {
  for (Operation &op : grid.getBody().front().without_terminator()) {
    if (auto found = dyn_cast<scf::ForOp>(op)) {
      if (loop)
        return std::string("it has several loops");
      loop = found;
    } else if (!loop && !isScalarOp(&op) && !isConstantTile(&op)) {
      return std::string("it does more than scalar arithmetic before its loop");
    }
  }
  if (!loop)
    return std::string("it has no main loop");
  if (auto why = whyNotLoop())
    return why;
  if (auto why = whyNotEpilogue())
    return why;
  facts.outputTiles = outputTiles();
  return whyNotReplicas(machine, facts);
}

/// The plan of the kernel if it is to use ping-pong; otherwise null, and the reason.
static PlanAttr planReplicas(tile::KernelOp kernel, std::string &why) {
  tile::Facts knowledge(kernel);
  int64_t cluster = 0, grids = 0;
  for (auto grid : kernel.getBody().getOps<tile::GridOp>()) {
    if (grid->hasAttr(tile::kCopies))
      continue;
    FusedProduct product(grid, knowledge);
    if (std::optional<std::string> reason = product.whyNot()) {
      why = *reason;
      return {};
    }
    // A plan has one dimension for all grids, so only a kernel with one grid can choose it.
    bool mayRun = ++grids == 1 && llvm::any_of(llvm::seq(grid.getRank()), [&](unsigned dim) {
      return !whyNotCluster(grid, dim);
    });
    cluster = mayRun ? clusterOfReplicas(product.numbers()) : 1;
  }
  if (!cluster)
    return {};
  MLIRContext *context = kernel.getContext();
  plan::Plan plan;
  plan.replicate = plan::Replicate::Blocks;
  plan.warpgroups = 2;
  plan.cluster = cluster;
  plan.epilogue = tile::integerOf(kernel->getAttr(kReplicaPartAttr));
  return PlanAttr::get(context, plan);
}

namespace {
struct PlanReplicas : cta::impl::PlanReplicasBase<PlanReplicas> {
  using PlanReplicasBase::PlanReplicasBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, std::nullopt, getArgument())))
      return signalPassFailure();
    if (Attribute part = kernel->getAttr(kReplicaPartAttr)) {
      std::optional<int64_t> width = tile::integerOf(part);
      if (!width || !llvm::is_contained(kReplicaParts, *width)) {
        kernel.emitOpError("has '") << kReplicaPartAttr << "' = " << part
                                    << ", but epilogue subtiles of " << kReplicaParts[0] << " and "
                                    << kReplicaParts[1] << " columns are what it may ask for";
        return signalPassFailure();
      }
    }
    // A plan that the user gave must be honoured: what it leaves open is chosen to fit it.
    // Ping-pong gives each warpgroup whole output tiles, which stream-K would divide.
    if (!kernel.getPlanAttr() && !kernel.getWarpgroups() && !kernel->hasAttr(kStreamKAttr)) {
      std::string why;
      if (PlanAttr plan = planReplicas(kernel, why))
        kernel.setPlanAttr(plan);
      else if (remarks && !why.empty())
        kernel.emitRemark("its warpgroups do not take turns: ") << why;
    }
    kernel->removeAttr(kReplicaPartAttr);
  }
};
} // namespace
