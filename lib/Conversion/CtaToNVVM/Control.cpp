// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Walks over the launch: maps values of the tile program to registers, lowers loops and branches,
// and asks the set of lowerings for all other ops.
#include "Lowering.h"

#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/RegisterForms.h"

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
  } else if (Value computed = fromLauncher(old)) {
    set(old, {computed});
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
    return {registerType(type)};
  layout::RegisterLayout l = cta::FragAttr::of(tensor).layout();
  return SmallVector<Type>(l.numRegisters(cta::coordOf(tensor.getShape())),
                           registerType(tensor.getElementType()));
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

/// A lowering of its own goes before the one of all arithmetic.
bool Lowering::isChained(Operation *op) const {
  return isTileArithmetic(op) && !lowerings.hasOwn(op);
}

LogicalResult Lowering::lowerChain(Operation *first, Operation *&last) {
  SmallVector<Operation *> chain{first};
  const size_t count = registerTypes(first->getResult(0).getType()).size();
  last = first;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (isChained(op) && registerTypes(op->getResult(0).getType()).size() == count) {
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

/// Consecutive shifted copies from this op on.
static SmallVector<cta::CopyOp> shiftedCopies(Operation *op) {
  SmallVector<cta::CopyOp> copies;
  for (; op; op = op->getNextNode()) {
    auto copy = dyn_cast<cta::CopyOp>(op);
    if (!copy || !copy.isShifted())
      break;
    copies.push_back(copy);
  }
  return copies;
}

LogicalResult Lowering::lowerOps(Block::iterator from, Block::iterator to) {
  for (; from != to; ++from) {
    Operation *op = &*from;
    if (op->hasTrait<OpTrait::IsTerminator>())
      continue;
    if (SmallVector<cta::CopyOp> copies = shiftedCopies(op); copies.size() > 1) {
      if (failed(lowerShiftedCopies(*this, copies)))
        return failure();
      op = copies.back();
    } else if (failed(isChained(op) ? lowerChain(op, op) : lower(op))) {
      return failure();
    }
    from = op->getIterator();
  }
  return success();
}

/// Zeros that LLVM cannot move: it would set plain constants before the branch.
static Values opaqueZeros(Lowering &f, ValueRange registers) {
  SmallVector<std::pair<Type, StringRef>> outputs;
  std::string text;
  for (auto [i, value] : llvm::enumerate(registers)) {
    const bool isFloat = value.getType().isF32();
    outputs.push_back({value.getType(), isFloat ? "f" : "r"});
    text += (i ? "\n\t" : "") + ((isFloat ? "mov.f32 $" : "mov.b32 $") + std::to_string(i)) +
            (isFloat ? ", 0f00000000;" : ", 0;");
  }
  return f.inlineAsm(text, outputs, {}, /*sideEffects=*/true, /*memoryClobber=*/false);
}

/// True for accumulators of zeros that tensor cores need not have written. They need care if the
/// loop may not run at all.
static bool isZeroAccumulator(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  cta::FragAttr frag = type ? cta::FragAttr::of(type) : cta::FragAttr();
  return frag && tile::elementBytes(type.getElementType()) == 4 &&
         layout::isWgmmaAcc(frag.layout()) && isZeroTile(value);
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
static SmallVector<cta::WgmmaOp> startingProducts(cta::CountedLoop loop) {
  SmallVector<cta::WgmmaOp> starts;
  for (auto [init, argument] : llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    Value c = argument;
    if (c.hasOneUse())
      if (auto ready = dyn_cast<cta::ReadyOp>(*c.user_begin()))
        c = ready.getResult();
    auto product = c.hasOneUse() ? dyn_cast<cta::WgmmaOp>(*c.user_begin()) : cta::WgmmaOp();
    bool starts0 = product && product.getC() == c && product->getBlock() == loop.getBody() &&
                   isZeroTile(init) && !product.getResultType().getElementType().isF16();
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

/// Lowers the body of a loop to where the builder stands, and yields what the loop carries.
static LogicalResult lowerCarryingBody(Lowering &f, cta::CountedLoop op) {
  if (failed(f.lowerBlock(*op.getBody())))
    return failure();
  Values yielded;
  for (Value value : op.getYieldedValues())
    llvm::append_range(yielded, carried(f, value));
  scf::YieldOp::create(f.b, f.loc, yielded);
  return success();
}

/// Accumulators that begin as zeros are not set to zero: the first product overwrites what is in
/// the registers. A loop that may not run at all is then placed in a branch whose other side yields
/// zeros.
static LogicalResult lowerFor(Lowering &f, cta::CountedLoop op) {
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
  if (failed(lowerCarryingBody(f, op)))
    return failure();
  f.b.setInsertionPointAfter(loop);
  if (branches) {
    scf::YieldOp::create(f.b, f.loc, loop.getResults());
    f.b.setInsertionPointAfter(branch);
  }
  distributeCarried(f, op.getResults(), branches ? branch.getResults() : loop.getResults());
  return success();
}

static LogicalResult lowerPlainFor(Lowering &f, scf::ForOp op) { return lowerFor(f, op); }

/// A loop whose output tiles have the numbers that it carries.
static LogicalResult lowerDrawnLoop(Lowering &f, cta::ForOutputTilesOp op) {
  if (failed(checkCarried(f, op, op.getResultTypes())))
    return failure();
  OpBuilder::InsertionGuard guard(f.b);
  Value upper = f.scalar(op.getUpperBound());
  SmallVector<Type> types = carriedTypes(f, op.getResultTypes());
  Values inits;
  unsigned number = 0; // of the block argument that is the number of the output tile
  for (auto [i, init] : llvm::enumerate(op.getInitArgs())) {
    if (i == *op.getDrawn())
      number = inits.size();
    llvm::append_range(inits, carried(f, init));
  }
  auto loop = scf::WhileOp::create(f.b, f.loc, types, inits);
  const SmallVector<Location> locations(types.size(), f.loc);
  Block *before = f.b.createBlock(&loop.getBefore(), {}, types, locations);
  Value more = f.compare(arith::CmpIPredicate::slt, before->getArgument(number), upper);
  scf::ConditionOp::create(f.b, f.loc, more, before->getArguments());
  Block *after = f.b.createBlock(&loop.getAfter(), {}, types, locations);
  distributeCarried(f, op.getRegionIterArgs(), after->getArguments());
  if (failed(lowerCarryingBody(f, op)))
    return failure();
  f.b.setInsertionPointAfter(loop);
  distributeCarried(f, op.getResults(), loop.getResults());
  return success();
}

static LogicalResult lowerForOutputTiles(Lowering &f, cta::ForOutputTilesOp op) {
  return op.getDrawn() ? lowerDrawnLoop(f, op) : lowerFor(f, op);
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

LogicalResult Lowering::lower(Operation *op) {
  loc = op->getLoc();
  for (Type type : op->getResultTypes())
    if (isa<RankedTensorType>(type) && !cta::FragAttr::of(type))
      return error(op, "a tensor without a register layout: run cta-assign-layouts first");
  const LoweringSet::Function *function = lowerings.find(op);
  if (!function) {
    InFlightDiagnostic unknown = error(op, "op has no lowering to the GPU");
    if (!isa_and_nonnull<tile::TileDialect, cta::CtaDialect>(op->getDialect()))
      unknown << "; a dialect gives its ops one by ConvertCtaToNVVMInterface (docs/Embedding.md)";
    return unknown;
  }
  LoweringContext context(*this);
  if (failed((*function)(op, context)))
    return failure();
  for (OpResult result : op->getResults())
    if ((isa<RankedTensorType>(result.getType()) || result.getType().isIntOrIndexOrFloat()) &&
        !values.contains(result))
      return error(op, "its lowering has not said what result ")
             << result.getResultNumber() << " is: call LoweringContext::setRegisters";
  return success();
}

void tessera::nvvm::populateControlLowerings(LoweringSet &set) {
  addLowering(set, lowerPlainFor);
  addLowering(set, lowerForOutputTiles);
  addLowering(set, lowerIf);
  addLowering(set, lowerWhile);
  addLowering(set, lowerIndexSwitch);
}
