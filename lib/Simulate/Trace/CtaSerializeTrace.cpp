// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-serialize-trace: writes each launch as the straight-line code of all its blocks.
#include "../Inputs.h"
#include "Serialize.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Simulate/Machine.h"
#include "tessera/Simulate/Passes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

namespace tessera::simulate {
#define GEN_PASS_DEF_CTASERIALIZETRACE
#include "tessera/Simulate/Passes.h.inc"
} // namespace tessera::simulate

namespace {
class Serialization : public simulate::impl::CtaSerializeTraceBase<Serialization> {
public:
  using CtaSerializeTraceBase::CtaSerializeTraceBase;
  void runOnOperation() override;

private:
  LogicalResult serializeKernel(tile::KernelOp kernel, const Inputs &inputs);
  LogicalResult replace(Unroller &unroller, cta::LaunchOp launch);
};
} // namespace

/// Makes the launcher refuse other sizes than those of the trace.
static void demandSizes(tile::KernelOp kernel, const Inputs &inputs) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (BlockArgument arg : kernel.getArguments()) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type)
      continue;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      std::optional<int64_t> size;
      if (type.isDynamicDim(d))
        size = givenSize(kernel, inputs, arg.getArgNumber(), static_cast<unsigned>(d));
      if (!size)
        continue;
      Location loc = kernel.getLoc();
      Value is = memref::DimOp::create(b, loc, arg, d);
      Value wanted = arith::ConstantIndexOp::create(b, loc, *size);
      Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, is, wanted);
      std::string text = "the trace is of a size " + std::to_string(*size) + " of " +
                         kernel.getArgName(arg.getArgNumber()) + " in dimension " +
                         std::to_string(d);
      tile::AssumeOp::create(b, loc, same, b.getStringAttr(text), IntegerAttr(), IntegerAttr(),
                             IntegerAttr(), UnitAttr());
    }
  }
}

LogicalResult Serialization::replace(Unroller &unroller, cta::LaunchOp launch) {
  std::optional<int64_t> count = unroller.numBlocks(launch);
  if (!count)
    return failure();
  OpBuilder b(launch);
  ArrayRef<int64_t> point;
  auto grid = tile::GridOp::create(b, launch.getLoc(), ValueRange(), ValueRange(), ValueRange(),
                                   point, point, point, tile::OrderAttr());
  b.createBlock(&grid.getBody());
  b.setInsertionPoint(tile::YieldOp::create(b, launch.getLoc()));
  // Clusters that hand on partial sums run one after the other, because each waits only for blocks
  // of lower number.
  const bool handsOn = Unroller::handsOn(launch);
  std::vector<Program> programs;
  for (int64_t block = 0, cluster = 1; block < *count; block += cluster) {
    FailureOr<Program> program = unroller.unroll(launch, block);
    if (failed(program))
      return failure();
    cluster = program->cluster;
    if (Operation *op = program->controlledByData)
      return op->emitOpError("hangs on data: its trace would be that of other data");
    programs.push_back(std::move(*program));
    if (handsOn && block + cluster < *count)
      continue;
    Outcome outcome = simulate::simulate(programs, static_cast<uint64_t>(timing), /*places=*/1);
    if (outcome.problem) {
      report(*outcome.problem, programs[outcome.at], timing);
      return failure();
    }
    for (auto [program, trace] : llvm::zip_equal(programs, outcome.traces))
      if (failed(serialize(program, trace, b)))
        return failure();
    programs.clear();
  }
  return success();
}

LogicalResult Serialization::serializeKernel(tile::KernelOp kernel, const Inputs &inputs) {
  if (failed(cta::requirePhase(kernel, tile::Phase::Allocated, getArgument())))
    return failure();
  SmallVector<cta::LaunchOp> launches(kernel.getBody().getOps<cta::LaunchOp>());
  {
    // The unroller's copies of ops name values of the launches. So it must be destroyed before the
    // launches are.
    Unroller unroller(kernel, inputs);
    if (failed(unroller.runKernel()))
      return failure();
    for (cta::LaunchOp launch : launches)
      if (failed(replace(unroller, launch)))
        return failure();
  }
  for (cta::LaunchOp launch : launches)
    launch.erase();
  // One program does what the roles did, so index tiles of producers get the kernel's layouts.
  tile::Facts facts(kernel);
  cta::layOutIndexTiles(kernel, facts, static_cast<int64_t>(kernel.getWarpgroups().value_or(1)));
  demandSizes(kernel, inputs);
  // Workspace with one slot for each block gets the size that fits the number of blocks of the
  // trace.
  for (auto op : llvm::make_early_inc_range(kernel.getBody().getOps<tile::NumCoresOp>())) {
    OpBuilder b(op);
    FailureOr<int64_t> cores = coresOf(kernel, inputs);
    if (failed(cores))
      return failure();
    op.replaceAllUsesWith(arith::ConstantIndexOp::create(b, op.getLoc(), *cores).getResult());
    op.erase();
  }
  kernel.setPhaseAttr(tile::PhaseAttr::get(&getContext(), tile::Phase::Placed));
  return success();
}

void Serialization::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Inputs> inputs = makeInputs(module, sizes, scalars, numBlocks, cores, fuel);
  if (failed(inputs))
    return signalPassFailure();
  inputs->takeRareBranches = true;
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (failed(serializeKernel(kernel, *inputs)))
      return signalPassFailure();
}
