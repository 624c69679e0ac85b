// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a launch knows of itself: the sizes of arguments, the number of the block, how many there
// are, what the launcher says about the device, and the queue of its output tiles.
#include "Lowering.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

static LogicalResult lowerDim(Lowering &f, tile::DimOp op) {
  auto where = f.kernel.lookupDim(op.getName());
  if (!where)
    return f.error(op, "no argument has a dimension of this name");
  f.set(op.getResult(), {f.toIndex(f.sizeOf(f.kernel.getArgument(where->first), where->second))});
  return success();
}

static LogicalResult lowerBlockId(Lowering &f, cta::BlockIdOp op) {
  // The launcher refuses launches of 2^31 blocks or more.
  auto range = LLVM::ConstantRangeAttr::get(f.context, APInt(32, 0), APInt(32, 0x7fffffff));
  Value id = NVVM::BlockIdXOp::create(f.b, f.loc, f.b.getI32Type(), range);
  Value index = arith::IndexCastUIOp::create(f.b, f.loc, f.b.getIndexType(), id);
  f.set(op.getResult(), index);
  return success();
}

/// Reads the place from the launcher's table, if there is one. The table never changes. But in a
/// dependent launch no load is marked invariant (tile-ptx-check).
static LogicalResult lowerClusterPlace(Lowering &f, cta::ClusterPlaceOp op) {
  auto range = LLVM::ConstantRangeAttr::get(f.context, APInt(32, 0), APInt(32, 0x7fffffff));
  Value id = NVVM::BlockIdXOp::create(f.b, f.loc, f.b.getI32Type(), range);
  Value size = f.i32(static_cast<int64_t>(f.launch.getCluster().value_or(1)));
  Value own = arith::DivUIOp::create(f.b, f.loc, id, size);
  Value table = f.parameter("places", 0, 0, LLVM::LLVMPointerType::get(f.context, 1));
  Value address = LLVM::PtrToIntOp::create(f.b, f.loc, f.b.getI64Type(), table);
  Value given = f.compare(arith::CmpIPredicate::ne, address, f.i64(0));
  auto branch =
      scf::IfOp::create(f.b, f.loc, TypeRange{f.b.getI32Type()}, given, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToStart(branch.thenBlock());
    Value wide = arith::ExtUIOp::create(f.b, f.loc, f.b.getI64Type(), own);
    Value entry = f.gep(table, f.mul(wide, f.i64(4)));
    Value said = f.loadWords(entry, 0, 4, /*invariant=*/false).front();
    said.getDefiningOp()->setAttr(kUniformAttr, f.b.getUnitAttr());
    scf::YieldOp::create(f.b, f.loc, said);
    f.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(f.b, f.loc, own);
  }
  f.set(op.getResult(),
        arith::IndexCastUIOp::create(f.b, f.loc, f.b.getIndexType(), branch.getResult(0)));
  return success();
}

static LogicalResult lowerNumBlocks(Lowering &f, cta::NumBlocksOp op) {
  auto range = LLVM::ConstantRangeAttr::get(f.context, APInt(32, 1), APInt(32, uint64_t(1) << 31));
  Value number = NVVM::GridDimXOp::create(f.b, f.loc, f.b.getI32Type(), range);
  f.set(op.getResult(), arith::IndexCastUIOp::create(f.b, f.loc, f.b.getIndexType(), number));
  return success();
}

/// An assumption has become a fact, and emits nothing.
static LogicalResult lowerAssume(Lowering &f, tile::AssumeOp op) { return success(); }

static LogicalResult lowerNumCores(Lowering &f, tile::NumCoresOp op) {
  f.set(op.getResult(), f.toIndex(f.parameter("num_cores", 0, 0, f.b.getI64Type())));
  return success();
}

static LogicalResult lowerMaxClusters(Lowering &f, cta::MaxClustersOp op) {
  f.set(op.getResult(), f.toIndex(f.parameter("max_clusters", 0, 0, f.b.getI64Type())));
  return success();
}

static LogicalResult lowerTakeNumber(Lowering &f, cta::TakeNumberOp op) {
  Type i32 = f.b.getI32Type();
  Value taken = f.inlineAsm("atom.relaxed.gpu.global.add.u32 $0, [$1], 1;", {{i32, "r"}},
                            {{f.pointerOf(op.getQueue()), "l"}}, /*sideEffects=*/true,
                            /*memoryClobber=*/false)
                    .front();
  f.set(op.getResult(), {f.add(f.scalar(op.getFirst()), taken)});
  return success();
}

static LogicalResult lowerCloseQueue(Lowering &f, cta::CloseQueueOp op) {
  Value greatest = f.add(f.add(f.scalar(op.getFirst()), f.scalar(op.getCount())), f.i32(-1));
  Value isLast = f.compare(arith::CmpIPredicate::eq, f.scalar(op.getLast()), greatest);
  auto branch = scf::IfOp::create(f.b, f.loc, isLast, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(&branch.getThenRegion().front());
  f.inlineAsm("st.relaxed.gpu.global.u32 [$0], 0;", {}, {{f.pointerOf(op.getQueue()), "l"}},
              /*sideEffects=*/true, /*memoryClobber=*/true);
  return success();
}

void tessera::nvvm::populateLaunchLowerings(LoweringSet &set) {
  addLowering(set, lowerDim);
  addLowering(set, lowerAssume);
  addLowering(set, lowerNumCores);
  addLowering(set, lowerMaxClusters);
  addLowering(set, lowerNumBlocks);
  addLowering(set, lowerBlockId);
  addLowering(set, lowerClusterPlace);
  addLowering(set, lowerTakeNumber);
  addLowering(set, lowerCloseQueue);
}
