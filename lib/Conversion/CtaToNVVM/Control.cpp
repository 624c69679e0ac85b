// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Walks over the launch: maps values of the tile program to registers, lowers loops and branches,
// and selects the file that lowers each op.
#include "Lowering.h"

#include "tessera/Layout/RegisterForms.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

//===--- values ------------------------------------------------------------------------------===//

void Lowering::set(Value old, Values scalars) {
  store.push_back(std::move(scalars));
  values[old] = &store.back();
}
void Lowering::set(Value old, Value value) { set(old, Values{value}); }
void Lowering::setAll(Value old, ValueRange scalars) {
  set(old, Values(scalars.begin(), scalars.end()));
}

const Values &Lowering::registers(Value old) {
  static const Values none;
  if (auto it = values.find(old); it != values.end())
    return *it->second;
  // A scalar of the kernel outside the launch: its operands are computed in the preamble.
  if (isa<MemRefType>(old.getType()) && views.contains(old))
    return none;
  Preamble preamble(*this);
  Location here = loc;
  if (auto arg = dyn_cast<BlockArgument>(old)) {
    Type type = memoryType(old.getType());
    Value parameterValue = parameter("scalar", arg.getArgNumber(), 0, type);
    set(old, {fromMemory(parameterValue, old.getType())});
  } else {
    Operation *op = old.getDefiningOp();
    // First what regions of the op use, so that it is not inserted after the op.
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *owner = operand.getParentBlock()->getParentOp();
        if (!op->isAncestor(owner) && !isa<MemRefType>(operand.getType()))
          (void)registers(operand);
      }
    });
    (void)lower(op);
  }
  loc = here;
  if (isa<MemRefType>(old.getType()))
    return none;
  if (!values.contains(old)) {
    // The op that defines it has reported an error.
    broken = true;
    set(old, Values{LLVM::PoisonOp::create(b, loc, old.getType())});
  }
  return *values.find(old)->second;
}

Value Lowering::scalar(Value old) {
  const Values &regs = registers(old);
  return regs.empty() ? Value() : regs.front();
}

SmallVector<Type> Lowering::registerTypes(Type type) {
  if (auto async = dyn_cast<cta::AsyncType>(type)) {
    // While a product is in flight, f16 stays as the instruction has it: two in a register.
    SmallVector<Type> types = registerTypes(async.getTensor());
    if (async.getTensor().getElementType().isF16())
      types.assign(types.size() / 2, b.getI32Type());
    return types;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {type};
  layout::RegisterLayout l = cta::FragAttr::of(tensor).layout();
  return SmallVector<Type>(l.numRegisters(cta::coordOf(tensor.getShape())),
                           tensor.getElementType());
}

//===--- regions -----------------------------------------------------------------------------===//

static LogicalResult checkCarried(Lowering &f, Operation *op, TypeRange types) {
  for (Type type : types)
    if (isa<cta::SmemType, BaseMemRefType>(type))
      return f.error(op, "carries ")
             << type
             << ": shared tiles and memrefs may not be values of a loop or a "
                "branch here; carry coordinates or register tiles instead";
  return success();
}

static Values flatten(Lowering &f, ValueRange olds) {
  Values scalars;
  for (Value old : olds)
    llvm::append_range(scalars, f.registers(old));
  return scalars;
}

static SmallVector<Type> flattenTypes(Lowering &f, TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    llvm::append_range(result, f.registerTypes(type));
  return result;
}

/// Assigns the new scalars to the old values that they stand for.
static void distribute(Lowering &f, ValueRange olds, ValueRange scalars) {
  for (Value old : olds) {
    size_t n = f.registerTypes(old.getType()).size();
    f.setAll(old, scalars.take_front(n));
    scalars = scalars.drop_front(n);
  }
}

static bool isTileArithmetic(Operation *op) {
  return op->getNumResults() && op->getNumRegions() == 0 && !isa<arith::ConstantOp>(op) &&
         cta::FragAttr::of(op->getResult(0).getType()) && !isa<cta::CtaDialect>(op->getDialect()) &&
         OpTrait::hasElementwiseMappableTraits(op);
}

LogicalResult Lowering::lowerChain(Operation *first, Operation *&last) {
  SmallVector<Operation *> chain{first};
  const size_t count = registerTypes(first->getResult(0).getType()).size();
  last = first;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (isTileArithmetic(op) && registerTypes(op->getResult(0).getType()).size() == count) {
      chain.push_back(op);
    } else if (isa<arith::ConstantOp, cta::BroadcastOp, cta::SliceOp>(op)) {
      // These only name registers. They may come before the chain, unless the chain computes what
      // they name.
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return llvm::is_contained(chain, operand.getDefiningOp());
          }))
        break;
      if (failed(lower(op)))
        return failure();
    } else {
      break;
    }
    last = op;
  }
  return lowerElementwise(*this, chain);
}

LogicalResult Lowering::lowerBlock(Block &block) { return lowerOps(block.begin(), block.end()); }

LogicalResult Lowering::lowerOps(Block::iterator from, Block::iterator to) {
  for (; from != to; ++from) {
    Operation *op = &*from;
    if (op->hasTrait<OpTrait::IsTerminator>())
      continue;
    if (failed(isTileArithmetic(op) ? lowerChain(op, op) : lower(op)))
      return failure();
    from = op->getIterator();
  }
  return success();
}

/// Zeros that LLVM cannot move: it would set plain constants before the branch.
static Values opaqueZeros(Lowering &f, ValueRange registers) {
  SmallVector<std::pair<Type, StringRef>> outputs;
  std::string text;
  for (auto [i, value] : llvm::enumerate(registers)) {
    outputs.push_back({value.getType(), "f"});
    text += (i ? "\n\t" : "") + ("mov.f32 $" + std::to_string(i)) + ", 0f00000000;";
  }
  return f.inlineAsm(text, outputs, {}, /*sideEffects=*/true, /*memoryClobber=*/false);
}

/// True for accumulators of zeros that tensor cores need not have written. They need care if the
/// loop may not run at all.
static bool isZeroAccumulator(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  cta::FragAttr frag = type ? cta::FragAttr::of(type) : cta::FragAttr();
  return frag && type.getElementType().isF32() && layout::isWgmmaAcc(frag.layout()) &&
         isZeroTile(value);
}

/// Lowers `from` into `to` and ends it with a yield of the same values.
static LogicalResult lowerRegion(Lowering &f, Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(f.b);
  if (to.empty())
    f.b.createBlock(&to);
  if (!to.front().empty())
    to.front().clear();
  f.b.setInsertionPointToEnd(&to.front());
  if (failed(f.lowerBlock(from.front())))
    return failure();
  Values yielded;
  for (Value value : from.front().getTerminator()->getOperands()) {
    bool branches = !isa<LoopLikeOpInterface>(from.getParentOp());
    llvm::append_range(yielded, branches && isZeroAccumulator(value)
                                    ? opaqueZeros(f, f.registers(value))
                                    : f.registers(value));
  }
  scf::YieldOp::create(f.b, f.loc, yielded);
  return success();
}

/// The products of the loop's body that start from zeros in the first iteration, by carried value.
static SmallVector<cta::WgmmaOp> startingProducts(scf::ForOp loop) {
  SmallVector<cta::WgmmaOp> starts;
  for (auto [init, argument] : llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    Value c = argument;
    if (c.hasOneUse())
      if (auto ready = dyn_cast<cta::ReadyOp>(*c.user_begin()))
        c = ready.getResult();
    auto product = c.hasOneUse() ? dyn_cast<cta::WgmmaOp>(*c.user_begin()) : cta::WgmmaOp();
    bool starts0 = product && product.getC() == c && product->getBlock() == loop.getBody() &&
                   isZeroTile(init) && product.getResultType().getElementType().isF32();
    starts.push_back(starts0 ? product : cta::WgmmaOp());
  }
  return starts;
}

/// A loop carries 16-bit floats in pairs, two in a register, as matrix products read them.
static bool isCarriedInPairs(Lowering &f, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && (tile.getElementType().isF16() || tile.getElementType().isBF16()) &&
         f.registerTypes(type).size() % 2 == 0;
}

static Values carried(Lowering &f, Value old) {
  const Values &registers = f.registers(old);
  return isCarriedInPairs(f, old.getType()) ? f.pack(registers) : registers;
}

static SmallVector<Type> carriedTypes(Lowering &f, TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types) {
    SmallVector<Type> registers = f.registerTypes(type);
    if (isCarriedInPairs(f, type))
      registers.assign(registers.size() / 2, f.b.getI32Type());
    llvm::append_range(result, registers);
  }
  return result;
}

static void distributeCarried(Lowering &f, ValueRange olds, ValueRange scalars) {
  for (Value old : olds) {
    size_t n = f.registerTypes(old.getType()).size();
    if (isCarriedInPairs(f, old.getType())) {
      Type element = cast<RankedTensorType>(old.getType()).getElementType();
      f.set(old, f.unpack(scalars.take_front(n / 2), element, static_cast<int64_t>(n)));
      n /= 2;
    } else {
      f.setAll(old, scalars.take_front(n));
    }
    scalars = scalars.drop_front(n);
  }
}

/// Accumulators that begin as zeros are not set to zero: the first product overwrites what is in
/// the registers. A loop that may not run at all is then placed in a branch whose other side yields
/// zeros.
static LogicalResult lowerFor(Lowering &f, scf::ForOp op) {
  if (failed(checkCarried(f, op, op.getResultTypes())))
    return failure();
  OpBuilder::InsertionGuard guard(f.b);
  Value lower = f.scalar(op.getLowerBound()), upper = f.scalar(op.getUpperBound()),
        step = f.scalar(op.getStep());
  SmallVector<cta::WgmmaOp> starts = startingProducts(op);
  const bool branches = llvm::any_of(starts, [](cta::WgmmaOp product) { return product; });
  Values inits;
  scf::IfOp branch;
  if (branches) {
    Value runs = f.compare(
        op.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, lower, upper);
    branch = scf::IfOp::create(f.b, f.loc, carriedTypes(f, op.getResultTypes()), runs,
                               /*addThenBlock=*/true, /*addElseBlock=*/true);
    f.b.setInsertionPointToEnd(branch.elseBlock());
    Values untouched;
    for (auto [product, init] : llvm::zip_equal(starts, op.getInitArgs()))
      llvm::append_range(untouched, product ? opaqueZeros(f, f.registers(init)) : carried(f, init));
    scf::YieldOp::create(f.b, f.loc, untouched);
    f.b.setInsertionPointToEnd(branch.thenBlock());
  }
  for (auto [product, init] : llvm::zip_equal(starts, op.getInitArgs()))
    for (Value value : carried(f, init))
      inits.push_back(product ? LLVM::PoisonOp::create(f.b, f.loc, value.getType()) : value);
  auto loop = scf::ForOp::create(f.b, f.loc, lower, upper, step, inits);
  loop.setUnsignedCmp(op.getUnsignedCmp());
  f.set(op.getInductionVar(), {loop.getInductionVar()});
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  f.b.setInsertionPointToEnd(loop.getBody());
  distributeCarried(f, op.getRegionIterArgs(), loop.getRegionIterArgs());
  if (branches) {
    Value later = f.compare(arith::CmpIPredicate::ne, loop.getInductionVar(), lower);
    later = arith::ExtUIOp::create(f.b, f.loc, f.b.getI32Type(), later);
    for (cta::WgmmaOp product : starts)
      if (product)
        f.accumulates[product] = later;
  }
  if (failed(f.lowerBlock(*op.getBody())))
    return failure();
  Values yielded;
  for (Value value : op.getYieldedValues())
    llvm::append_range(yielded, carried(f, value));
  scf::YieldOp::create(f.b, f.loc, yielded);
  f.b.setInsertionPointAfter(loop);
  if (branches) {
    scf::YieldOp::create(f.b, f.loc, loop.getResults());
    f.b.setInsertionPointAfter(branch);
  }
  distributeCarried(f, op.getResults(), branches ? branch.getResults() : loop.getResults());
  return success();
}

static LogicalResult lowerIf(Lowering &f, scf::IfOp op) {
  if (failed(checkCarried(f, op, op.getResultTypes())))
    return failure();
  bool withElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(f.b, f.loc, flattenTypes(f, op.getResultTypes()),
                                  f.scalar(op.getCondition()), /*addThenBlock=*/true, withElse);
  if (failed(lowerRegion(f, op.getThenRegion(), branch.getThenRegion())) ||
      (withElse && failed(lowerRegion(f, op.getElseRegion(), branch.getElseRegion()))))
    return failure();
  distribute(f, op.getResults(), branch.getResults());
  return success();
}

static LogicalResult lowerWhile(Lowering &f, scf::WhileOp op) {
  if (failed(checkCarried(f, op, op.getResultTypes())) ||
      failed(checkCarried(f, op, op.getInits().getTypes())))
    return failure();
  auto loop = scf::WhileOp::create(f.b, f.loc, flattenTypes(f, op.getResultTypes()),
                                   flatten(f, op.getInits()));
  OpBuilder::InsertionGuard guard(f.b);
  auto open = [&](Block *from, Region &to) {
    SmallVector<Type> types = flattenTypes(f, from->getArgumentTypes());
    Block *block =
        f.b.createBlock(&to, to.end(), types, SmallVector<Location>(types.size(), f.loc));
    distribute(f, from->getArguments(), block->getArguments());
  };
  open(op.getBeforeBody(), loop.getBefore());
  if (failed(f.lowerBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(f.b, f.loc, f.scalar(condition.getCondition()),
                           flatten(f, condition.getArgs()));
  open(op.getAfterBody(), loop.getAfter());
  if (failed(f.lowerBlock(*op.getAfterBody())))
    return failure();
  scf::YieldOp::create(f.b, f.loc, flatten(f, op.getYieldOp().getOperands()));
  distribute(f, op.getResults(), loop.getResults());
  return success();
}

static LogicalResult lowerIndexSwitch(Lowering &f, scf::IndexSwitchOp op) {
  if (failed(checkCarried(f, op, op.getResultTypes())))
    return failure();
  auto branch =
      scf::IndexSwitchOp::create(f.b, f.loc, flattenTypes(f, op.getResultTypes()),
                                 f.scalar(op.getArg()), op.getCases(), op.getCaseRegions().size());
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions()))
    if (failed(lowerRegion(f, from, to)))
      return failure();
  distribute(f, op.getResults(), branch.getResults());
  return success();
}

//===--- one op ------------------------------------------------------------------------------===//

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

static bool isScalarOp(Operation *op) {
  auto scalarType = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumRegions() == 0 && llvm::all_of(op->getOperandTypes(), scalarType) &&
         llvm::all_of(op->getResultTypes(), scalarType);
}

LogicalResult Lowering::lower(Operation *op) {
  loc = op->getLoc();
  for (Type type : op->getResultTypes())
    if (isa<RankedTensorType>(type) && !cta::FragAttr::of(type))
      return error(op, "a tensor without a register layout: run cta-assign-layouts first");
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return lowerFor(*this, o); })
      .Case([&](scf::IfOp o) { return lowerIf(*this, o); })
      .Case([&](scf::WhileOp o) { return lowerWhile(*this, o); })
      .Case([&](scf::IndexSwitchOp o) { return lowerIndexSwitch(*this, o); })
      .Case([&](tile::DimOp o) { return lowerDim(*this, o); })
      .Case([&](tile::AssumeOp) { return success(); })
      .Case([&](tile::NumCoresOp o) {
        set(o.getResult(), toIndex(parameter("num_cores", 0, 0, b.getI64Type())));
        return success();
      })
      .Case([&](cta::MaxClustersOp o) {
        set(o.getResult(), toIndex(parameter("max_clusters", 0, 0, b.getI64Type())));
        return success();
      })
      .Case([&](cta::NumBlocksOp o) { return lowerNumBlocks(*this, o); })
      .Case([&](cta::BlockIdOp o) { return lowerBlockId(*this, o); })
      .Case([&](cta::ClusterPlaceOp o) { return lowerClusterPlace(*this, o); })
      .Case([&](cta::LoadOp o) { return lowerLoad(*this, o); })
      .Case([&](cta::StoreOp o) { return lowerStore(*this, o); })
      .Case([&](cta::PutPartialOp o) { return lowerPutPartial(*this, o); })
      .Case([&](cta::AddPartialOp o) { return lowerAddPartial(*this, o); })
      .Case([&](cta::StageOp o) { return lowerStage(*this, o); })
      .Case([&](cta::ReadOp o) { return lowerRead(*this, o); })
      // These have a place in shared memory: see placeOf.
      .Case<cta::ViewOp, cta::RingOp>([&](auto) { return success(); })
      .Case([&](cta::SlotOp o) { return lowerSlot(o); })
      .Case([&](cta::CopyOp o) { return lowerCopy(*this, o); })
      .Case([&](cta::CommitCopiesOp o) { return lowerCommitCopies(*this, o); })
      .Case([&](cta::AwaitCopiesOp o) { return lowerAwaitCopies(*this, o); })
      .Case([&](cta::CopyOutOp o) { return lowerCopyOut(*this, o); })
      .Case([&](cta::AwaitOp o) { return lowerAwait(*this, o); })
      .Case([&](cta::AwaitStoresOp o) { return lowerAwaitStores(*this, o); })
      .Case([&](cta::ExpectOp o) { return lowerExpect(*this, o); })
      .Case([&](cta::ArriveOp o) { return lowerArrive(*this, o); })
      .Case([&](cta::RoleOp o) { return lowerRoles(o); })
      .Case([&](cta::ReplicaOp o) {
        set(o.getResult(), replica());
        return success();
      })
      .Case([&](cta::ElectOp o) { return lowerElect(o); })
      .Case([&](cta::BarrierOp o) {
        meet(o.getWarpgroup());
        return success();
      })
      .Case([&](cta::FenceAsyncOp o) {
        if (o.getGlobal())
          NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKind::async_global,
                                     NVVM::SharedSpaceAttr());
        else
          NVVM::FenceProxyOp::create(
              b, loc, NVVM::ProxyKind::async_shared,
              NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
        return success();
      })
      .Case([&](cta::WgmmaOp o) { return lowerWgmma(*this, o); })
      .Case([&](cta::WgmmaWaitOp o) { return lowerWgmmaWait(*this, o); })
      .Case([&](cta::ReadyOp o) { return lowerReady(*this, o); })
      .Case([&](cta::CompleteOp o) { return lowerComplete(*this, o); })
      .Case([&](cta::MmaOp o) { return lowerMma(*this, o); })
      .Case([&](cta::ReduceOp o) { return lowerReduce(*this, o); })
      .Case([&](cta::ConvertLayoutOp o) { return lowerConvertLayout(*this, o); })
      .Case([&](cta::BroadcastOp o) { return lowerBroadcast(*this, o); })
      .Case([&](cta::IotaOp o) { return lowerIota(*this, o); })
      .Case([&](cta::TransposeOp o) { return lowerTranspose(*this, o); })
      .Case([&](cta::ReshapeOp o) { return lowerReshape(*this, o); })
      .Case([&](cta::ExtractOp o) {
        set(o.getResult(), {scalar(o.getSource())});
        return success();
      })
      .Case([&](cta::SliceOp o) { return lowerSlice(*this, o); })
      .Case([&](cta::ConcatOp o) { return error(o, "run cta-decompose before this pass"); })
      .Case([&](arith::ConstantOp o) { return lowerConstant(*this, o); })
      .Case([&](cf::AssertOp o) { return lowerAssert(*this, o); })
      .Default([&](Operation *o) -> LogicalResult {
        if (isa_and_nonnull<memref::MemRefDialect>(o->getDialect()))
          return lowerMemRefOp(o);
        if (isScalarOp(o)) {
          Values operands;
          for (Value operand : o->getOperands())
            operands.push_back(scalar(operand));
          Values results = emitScalarOp(*this, o, operands);
          for (auto [old, result] : llvm::zip(o->getResults(), results))
            set(old, {result});
          return success();
        }
        if (OpTrait::hasElementwiseMappableTraits(o))
          return lowerElementwise(*this, o);
        return error(o, "op has no lowering to the GPU");
      });
}
