// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-peel-masks: iterations in which masks are true everywhere run without them.
//
// A mask may compare coordinates that grow with the induction variable against a bound. It is true
// for all elements as long as the greatest coordinate is below the least bound, which scalars
// decide. So the loop is cut in two: the first part ends where the first of its masks begins to
// fail, and has no masks; the rest has them. The loops on both sides of its channels are cut alike.
//
// A loop whose chained products are in flight stays one loop: between two loops the products would
// come to an end, and the rest would not overlap. There a branch masks, which only the iterations
// of the rest take:
//
//   %s = arith.select %exists, %qk, %never
//   // becomes
//   %rest = arith.cmpi sge, %j, %end
//   %s = scf.if %rest { %exists = … ; select %exists, %qk, %never } else { %qk }
//
// Coordinates are 32 bits wide and wrap. The cut is computed in 64 bits from the bounds as the
// comparison sees them, so it is right also for bounds that do not fit. A loop may begin anywhere
// (at the first block of a window); only scalars at run time know that it does not begin below 0.
#include "ScheduleProblem.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_PEELMASKS
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// A comparison that is true for all elements while the induction variable is below bound -
/// `distance`.
struct Mask {
  arith::CmpIOp op;
  Value bound;          ///< a scalar from outside of the loop; null: `constant`
  int64_t constant = 0; ///< the least element of the tile that is compared with
  int64_t rows = 0;     ///< the tile is bound + 0 … rows - 1
  int64_t distance = 0;
};

class Peeling {
public:
  explicit Peeling(CountedLoop loop) : loop(loop), b(loop) {}
  /// Returns the part without masks, which runs first; null if the loop stays as it is, or only
  /// branches of it mask.
  CountedLoop run(bool staysWhole);

private:
  std::optional<int64_t> aboveVariable(Value scalar);
  std::optional<int64_t> greatest(Value tile);
  bool findBound(Value tile, Mask &mask);
  std::optional<Mask> maskOf(arith::CmpIOp op);
  Value endOf(Mask &mask);
  void drop(Operation *mask);
  std::optional<SmallVector<arith::SelectOp>> selectsOf(ArrayRef<Mask> masks);
  Value whereMasksHold(Value condition);
  void guard(arith::SelectOp select, Value rest);

  CountedLoop loop;
  IRRewriter b;
  DenseSet<Value> depend; ///< masks, and conjunctions with masks
  DenseSet<Value> hold;   ///< those of them that are nothing but masks
};
} // namespace

/// c if the scalar is the induction variable + c, with c not negative.
std::optional<int64_t> Peeling::aboveVariable(Value scalar) {
  if (scalar == loop.getInductionVar())
    return 0;
  Operation *op = scalar.getDefiningOp();
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
    return aboveVariable(cast.getIn());
  auto sum = dyn_cast_or_null<arith::AddIOp>(op);
  if (!sum)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    std::optional<int64_t> more = getConstantIntValue(sum->getOperand(i));
    std::optional<int64_t> rest = more ? aboveVariable(sum->getOperand(1 - i)) : std::nullopt;
    if (rest && *more >= 0)
      return *rest + *more;
  }
  return std::nullopt;
}

/// c if the greatest element of the tile is the induction variable + c.
std::optional<int64_t> Peeling::greatest(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op)) {
    std::optional<int64_t> first = iota.getFrom() ? aboveVariable(iota.getFrom()) : std::nullopt;
    if (!first)
      return std::nullopt;
    return *first + iota.getType().getDimSize(static_cast<unsigned>(iota.getDim())) - 1;
  }
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return isa<RankedTensorType>(broadcast.getSource().getType())
               ? greatest(broadcast.getSource())
               : aboveVariable(broadcast.getSource());
  auto sum = dyn_cast_or_null<arith::AddIOp>(op);
  if (!sum)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    auto iota = sum->getOperand(i).getDefiningOp<IotaOp>();
    std::optional<int64_t> rest =
        iota && !iota.getFrom() ? greatest(sum->getOperand(1 - i)) : std::nullopt;
    if (rest)
      return *rest + iota.getType().getDimSize(static_cast<unsigned>(iota.getDim())) - 1;
  }
  return std::nullopt;
}

/// The least element of a tile that does not change in the loop.
bool Peeling::findBound(Value tile, Mask &mask) {
  DenseIntElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat()) {
    mask.constant = elements.getSplatValue<APInt>().getSExtValue();
    return true;
  }
  Value scalar;
  if (auto broadcast = tile.getDefiningOp<BroadcastOp>()) {
    if (isa<RankedTensorType>(broadcast.getSource().getType()))
      return findBound(broadcast.getSource(), mask);
    scalar = broadcast.getSource();
  } else if (auto iota = tile.getDefiningOp<IotaOp>()) {
    scalar = iota.getFrom();
    mask.rows = iota.getType().getDimSize(static_cast<unsigned>(iota.getDim()));
  }
  mask.bound = scalar;
  return scalar && loop.isDefinedOutsideOfLoop(scalar);
}

std::optional<Mask> Peeling::maskOf(arith::CmpIOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (!type || !type.getElementType().isInteger(32))
    return std::nullopt;
  Mask mask{op, {}};
  Value grows = op.getLhs(), other = op.getRhs();
  bool equal = false;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::sge:
    equal = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sgt:
    std::swap(grows, other);
    break;
  case arith::CmpIPredicate::sle:
    equal = true;
    break;
  case arith::CmpIPredicate::slt:
    break;
  default:
    return std::nullopt;
  }
  std::optional<int64_t> above = greatest(grows);
  if (!above || !findBound(other, mask))
    return std::nullopt;
  mask.distance = *above - (equal ? 1 : 0);
  return mask;
}

/// The value of the induction variable below which the mask is true.
Value Peeling::endOf(Mask &mask) {
  Location loc = mask.op->getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  if (!mask.bound)
    return index(mask.constant - mask.distance);
  Value least = mask.bound;
  if (!least.getType().isIndex())
    least = arith::IndexCastOp::create(b, loc, b.getIndexType(), least);
  if (mask.rows > 1) {
    // Rows that wrap are far below the first one.
    const int64_t last = std::numeric_limits<int32_t>::max();
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, least,
                                        index(last - mask.rows + 1));
    least =
        arith::SelectOp::create(b, loc, wraps, index(std::numeric_limits<int32_t>::min()), least);
  }
  return arith::SubIOp::create(b, loc, least, index(mask.distance));
}

/// The mask is true: a select by it is replaced by its first operand, and so on.
void Peeling::drop(Operation *mask) {
  Value holds = mask->getResult(0);
  llvm::SmallSetVector<Operation *, 4> users(mask->user_begin(), mask->user_end());
  for (Operation *user : users) {
    auto select = dyn_cast<arith::SelectOp>(user);
    if (select && select.getCondition() == holds)
      b.replaceOp(user, select.getTrueValue());
    else if (isa<arith::AndIOp>(user))
      b.replaceOp(user, user->getOperand(user->getOperand(0) == holds ? 1 : 0));
  }
  if (holds.use_empty())
    return;
  b.setInsertionPoint(mask);
  auto type = cast<RankedTensorType>(holds.getType());
  b.replaceOpWithNewOp<arith::ConstantOp>(mask, DenseElementsAttr::get(type, true));
}

/// The selects by masks, or by conjunctions with masks, in the order of the program. Nothing if
/// masks serve anything else.
std::optional<SmallVector<arith::SelectOp>> Peeling::selectsOf(ArrayRef<Mask> masks) {
  for (const Mask &mask : masks)
    hold.insert(mask.op->getResult(0));
  depend = hold;
  SmallVector<arith::SelectOp> selects;
  for (Operation &op : *loop.getBody()) {
    const auto uses = [&](Operation *user) {
      return llvm::any_of(user->getOperands(), [&](Value v) { return depend.contains(v); });
    };
    if (isa<arith::AndIOp>(op) && uses(&op)) {
      depend.insert(op.getResult(0));
      if (llvm::all_of(op.getOperands(), [&](Value v) { return hold.contains(v); }))
        hold.insert(op.getResult(0));
      continue;
    }
    auto select = dyn_cast<arith::SelectOp>(op);
    if (select && depend.contains(select.getCondition()) &&
        !depend.contains(select.getTrueValue()) && !depend.contains(select.getFalseValue())) {
      selects.push_back(select);
      continue;
    }
    if (op.walk([&](Operation *inner) {
            return uses(inner) ? WalkResult::interrupt() : WalkResult::advance();
          }).wasInterrupted())
      return std::nullopt;
  }
  return selects;
}

/// What is left of a condition where all masks hold; null: it holds, too.
Value Peeling::whereMasksHold(Value condition) {
  if (hold.contains(condition))
    return {};
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both || !depend.contains(condition))
    return condition;
  Value left = whereMasksHold(both.getLhs()), right = whereMasksHold(both.getRhs());
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(b, both.getLoc(), left, right);
}

/// True for tiles that cost registers, but nearly no time.
static bool isCheap(Operation *op) { return isa<BroadcastOp, IotaOp, arith::ConstantOp>(op); }

/// Lets only iterations of the rest select. What makes the condition goes into the branch, with
/// tiles from outside of the loop that are cheap: they would take registers in all iterations.
void Peeling::guard(arith::SelectOp select, Value rest) {
  SetVector<Operation *> slice; // in an order in which they may stand
  BackwardSliceOptions options([&](Operation *op) {
    return isCheap(op) ||
           (op->getBlock() == loop.getBody() && op->getNumRegions() == 0 && isPure(op) &&
            llvm::none_of(op->getOperandTypes(), llvm::IsaPred<SmemType>));
  });
  options.inclusive = true;
  options.omitBlockArguments = true;
  // Both fail only for block arguments of unstructured control flow, which they omit.
  (void)getBackwardSlice(select.getCondition(), &slice, options);
  if (Operation *other = select.getFalseValue().getDefiningOp(); other && isCheap(other))
    (void)getBackwardSlice(other, &slice, options);
  b.setInsertionPoint(select);
  auto branch = scf::IfOp::create(b, select.getLoc(), TypeRange(select.getType()), rest,
                                  /*withElseRegion=*/true);
  branch->setAttr(kRestAttr, b.getUnitAttr());
  b.setInsertionPointToStart(branch.thenBlock());
  IRMapping mapping;
  for (Operation *op : slice)
    b.clone(*op, mapping);
  Operation *masked = b.clone(*select, mapping);
  scf::YieldOp::create(b, select.getLoc(), masked->getResults());
  b.setInsertionPointToStart(branch.elseBlock());
  Value other = select.getTrueValue();
  if (Value left = whereMasksHold(select.getCondition()))
    other = arith::SelectOp::create(b, select.getLoc(), left, other, select.getFalseValue());
  scf::YieldOp::create(b, select.getLoc(), other);
  b.replaceOp(select, branch);
}

CountedLoop Peeling::run(bool staysWhole) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp() ||
      lower.value_or(0) < 0 || !step || *step < 1)
    return {};
  SmallVector<Mask> masks;
  for (auto op : loop.getBody()->getOps<arith::CmpIOp>())
    if (std::optional<Mask> mask = maskOf(op))
      masks.push_back(*mask);
  if (masks.empty())
    return {};
  std::optional<SmallVector<arith::SelectOp>> selects;
  if (staysWhole)
    selects = selectsOf(masks);

  Location loc = loop.getLoc();
  Value end = loop.getUpperBound();
  for (Mask &mask : masks)
    end = arith::MinSIOp::create(b, loc, end, endOf(mask));
  // Coordinates below 0 could wrap: a loop that begins there has its masks.
  if (!lower) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value begins =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, loop.getLowerBound(), zero);
    end = arith::SelectOp::create(b, loc, begins, end, loop.getLowerBound());
  }
  if (selects) {
    b.setInsertionPointToStart(loop.getBody());
    Value rest =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, loop.getInductionVar(), end);
    for (arith::SelectOp select : *selects)
      guard(select, rest);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
      if (isOpTriviallyDead(&op))
        b.eraseOp(&op);
    return {};
  }
  // Where the other loop begins: at the first iteration that is not below the end.
  end = arith::MaxSIOp::create(b, loc, end, loop.getLowerBound());
  Value length = arith::SubIOp::create(b, loc, end, loop.getLowerBound());
  Value roundUp = arith::ConstantIndexOp::create(b, loc, *step - 1);
  Value iterations = arith::DivUIOp::create(b, loc, arith::AddIOp::create(b, loc, length, roundUp),
                                            loop.getStep());
  Value next = arith::AddIOp::create(b, loc, loop.getLowerBound(),
                                     arith::MulIOp::create(b, loc, iterations, loop.getStep()));

  IRMapping mapping;
  auto first = cast<CountedLoop>(b.clone(*loop, mapping));
  first.setUpperBound(end);
  for (Mask &mask : masks)
    drop(mapping.lookup(mask.op.getOperation()));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*first.getBody())))
    if (isOpTriviallyDead(&op))
      b.eraseOp(&op);
  loop.setLowerBound(next);
  for (auto [i, result] : llvm::enumerate(first.getResults()))
    loop.setInitArg(i, result);
  loop->setAttr(kRestAttr, b.getUnitAttr());
  return first;
}

//===--- require = [peeled] ------------------------------------------------------------------===//

/// Whether a value changes with the iterations of the loop. `isCoordinate` also becomes true if it
/// changes with the position in a tile. Tiles that are loaded or carried are data.
static bool variesWith(LoopLikeOpInterface loop, Value value, bool &isCoordinate) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == loop && argument.getType().isIntOrIndex();
  Operation *op = value.getDefiningOp();
  isCoordinate |= isa<IotaOp>(op);
  if (!isa<IotaOp, BroadcastOp, ReshapeOp, TransposeOp, ConvertLayoutOp>(op) &&
      !isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return false;
  bool varies = false;
  for (Value operand : op->getOperands())
    varies |= variesWith(loop, operand, isCoordinate);
  return varies;
}

/// A comparison that gives each iteration a mask of its own, or null.
static arith::CmpIOp findMask(LoopLikeOpInterface loop) {
  arith::CmpIOp found;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::IfOp>(op) && op->hasAttr(kRestAttr))
      return WalkResult::skip();
    if (!isa<arith::CmpIOp>(op))
      return WalkResult::advance();
    bool isCoordinate = false, varies = false;
    for (Value operand : op->getOperands())
      varies |= variesWith(loop, operand, isCoordinate);
    if (isCoordinate && varies)
      found = cast<arith::CmpIOp>(op);
    return WalkResult::advance();
  });
  return found;
}

/// Finds a copy of the loop that demands to be peeled, removes the demand, and returns the copy, or
/// null.
static CopyOp takeDemand(LoopLikeOpInterface loop) {
  CopyOp demanding;
  loop->walk([&](CopyOp copy) {
    tile::RequireAttr require = copy.getRequireAttr();
    if (!require || !require.contains(tile::Requirement::Peeled) ||
        copy->getParentOfType<LoopLikeOpInterface>() != loop)
      return;
    copy.removeRequireAttr();
    demanding = copy;
  });
  return demanding;
}

namespace {
/// A loop with a copy that demands to be peeled, and its first part or all of it.
struct Demand {
  LoopLikeOpInterface loop, first;
  CopyOp copy;
};
} // namespace

/// An error if a mask is left in all iterations. `ofPlan` names a plan under which loops are not
/// cut.
static LogicalResult check(Demand demand, StringRef ofPlan) {
  arith::CmpIOp mask = findMask(demand.first);
  if (!mask)
    return success();
  CopyOp copy = demand.copy;
  InFlightDiagnostic refusal = copy.emitOpError("is not peeled, as 'require = [peeled]' demands: ");
  InFlightDiagnostic error = ofPlan.empty() ? std::move(refusal) : refusePlan(std::move(refusal));
  if (!ofPlan.empty())
    error << ofPlan;
  else
    error << "all iterations compute a mask that cta-peel-masks does not understand; it takes "
             "coordinates of i32 that are the induction variable and an iota, compared by slt, "
             "sle, sgt or sge with what does not change in the loop, which does not begin below 0 "
             "and whose step is a constant";
  error.attachNote(mask.getLoc()) << "the mask";
  return failure();
}

/// The ratio of the cycles in which warps issue arithmetic to those of the tensor cores up to which
/// a branch in each iteration costs less than what two loops lose between them. Source:
/// docs/performance/log.md (2026-11-25).
constexpr double kMostArithmetic = 1.5;

/// True if the loop should stay one: the plan keeps its chained products in flight beside other
/// iterations, and they take so much of the time that a branch does not matter.
static bool staysWhole(CountedLoop loop, const CostModel &costs, PlanAttr plan) {
  if (!plan || plan.getPending().value_or(0) == 0 || productStages(loop).empty())
    return false;
  schedule::Problem problem;
  const schedule::MachineUnits units = costs.table.addUnits(problem);
  int64_t products = 0, arithmetic = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto product = dyn_cast<WgmmaOp>(op)) {
      for (const schedule::Use &use : costs.productOf(units, "product", product).uses)
        products += use.unit == units.tensor ? use.cycles : 0;
    } else if (CostModel::classOf(&op) != WorkClass::Free && !isa<CopyOp>(op)) {
      const OpCost cost = costs.costOf(&op);
      arithmetic += costs.table.compute(units, "arithmetic", cost.work).issue + cost.wait;
    }
  }
  return static_cast<double>(arithmetic) <= kMostArithmetic * static_cast<double>(products);
}

namespace {
struct PeelMasks : cta::impl::PeelMasksBase<PeelMasks> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    // With ping-pong the loop must stay one loop.
    const PlanAttr plan = planOf(kernel);
    const bool hasOneLoop = replicasOf(plan) > 1;
    const CostModel costs(machineOf(kernel), kernel.getWarpgroups().value_or(1));
    bool missed = false;
    for (auto launch : kernel.getBody().getOps<LaunchOp>()) {
      SmallVector<Demand> demands;
      launch.getBody().walk([&](LoopLikeOpInterface loop) {
        if (CopyOp copy = takeDemand(loop))
          demands.push_back({loop, loop, copy});
      });
      SmallVector<CountedLoop> loops;
      if (!hasOneLoop)
        loops = pipelinedLoops(launch);
      for (CountedLoop loop : loops)
        if (CountedLoop first = Peeling(loop).run(staysWhole(loop, costs, plan)))
          for (Demand &demand : demands)
            if (demand.loop == loop)
              demand.first = cast<LoopLikeOpInterface>(first.getOperation());
      for (Demand &demand : demands) {
        StringRef ofPlan;
        if (hasOneLoop)
          ofPlan = "output tiles that take turns have one loop; plan replicate = split";
        else if (llvm::none_of(loops, [&](CountedLoop loop) { return demand.loop == loop; }))
          ofPlan = "only loops that wait for slots of channels are peeled; plan stages = 2 or more";
        missed |= failed(check(demand, ofPlan));
      }
    }
    if (missed)
      signalPassFailure();
  }
};
} // namespace
