// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a launch knows of itself: the sizes of arguments, the number of the block, how many there
// are, what the launcher says about the device, and the queue of its output tiles.
#include "Lowering.h"

#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

//===--- numbers that the launcher computes --------------------------------------------------===//

// Numbers of a launch that the launcher computes and passes. What a kernel computes outside of its
// grids is the same in all blocks, and each thread computes it again from sizes. That is cheap, but
// for divisions: 20 to 40 instructions, each of which waits for the one before. The division of the
// last wave (cta-stream-k) has a dozen of them in a row, in front of everything that a block does.
//
//     %rest = arith.remui %tiles, %units : index      div.u64 in each thread
//                                                ->   a parameter {kind = "expr", value = …}
//
// In numbers that it passes the launcher wraps as the device does (docs/Contract.md), but it
// refuses a launch for which one divides by zero. So only what does not is passed: it is made of
// sizes, the number of SMs and constants, and divides by numbers that are greater than zero. How
// many clusters a device holds is no such number: launches in clusters with stream-K divide in each
// thread.

/// The most ops of which a number is made, and the most numbers: they are part of the contract,
/// which hosts read.
static constexpr size_t kMostOps = 128, kMostNumbers = 48;

/// Whether the number is greater than zero whatever the sizes are, unless it wraps: then it may be
/// zero, and a device that divides by it does anything.
static bool isPositive(Value value, unsigned depth = 0) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant > 0;
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  auto is = [&](unsigned operand) { return isPositive(op->getOperand(operand), depth + 1); };
  if (isa<tile::NumCoresOp>(op))
    return true;
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return is(0) || is(1);
  if (isa<arith::MinSIOp, arith::MinUIOp, arith::MulIOp>(op))
    return is(0) && is(1);
  if (isa<arith::SelectOp>(op))
    return is(1) && is(2);
  return isa<arith::IndexCastUIOp, arith::IndexCastOp>(op) && is(0);
}

/// Whether the launcher computes what the device would: see above. Sets `isSlow` if the number
/// needs a division by another number than a constant.
static bool isExact(Value number, Operation *launch, bool &isSlow) {
  SmallVector<Value> work{number};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    Type type = value.getType();
    // An argument of the kernel is a parameter already.
    if (!op || launch->isAncestor(op) ||
        !(type.isIndex() || type.isInteger(32) || type.isInteger(1)))
      return false;
    if (!seen.insert(op).second)
      continue;
    if (seen.size() > kMostOps)
      return false;
    if (isa<tile::DimOp, memref::DimOp, tile::NumCoresOp>(op) ||
        getConstantIntValue(op->getResult(0)))
      continue;
    if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp>(op)) {
      if (!isPositive(op->getOperand(1)))
        return false;
      isSlow |= !getConstantIntValue(op->getOperand(1));
    } else if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, arith::MaxUIOp,
                    arith::MinSIOp, arith::MinUIOp, arith::SelectOp, arith::CmpIOp, arith::AndIOp,
                    arith::OrIOp, arith::XOrIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      return false;
    }
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// The parameter for a number that is made outside the launch; null if each thread computes it.
Value Lowering::fromLauncher(Value old) {
  Type type = old.getType();
  bool isSlow = false;
  if ((!type.isIndex() && !type.isInteger(32)) || expressions.size() >= kMostNumbers ||
      !isExact(old, launch, isSlow) || !isSlow || tile::findLaunchObstacle(old))
    return {};
  FailureOr<contract::Expr> expr = contract::buildExpr(old, old.getDefiningOp());
  if (failed(expr) || expr->isConstant())
    return {};
  auto at = llvm::find(expressions, *expr);
  const int64_t place = at - expressions.begin();
  if (at == expressions.end())
    expressions.push_back(std::move(*expr));
  return fromMemory(parameter("expr", place, 0, memoryType(type)), type);
}
