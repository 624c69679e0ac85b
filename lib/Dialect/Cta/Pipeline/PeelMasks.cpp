// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-peel-masks: iterations in which masks are true everywhere run without them.
//
// A mask may compare coordinates that grow with the induction variable against a bound. It is true
// for all elements as long as the greatest coordinate is below the least bound, which scalars
// decide. So the loop is cut in two: the first part ends where the first of its masks begins to
// fail, and has no masks; the rest has them. Other masks are true from some iteration on, where the
// least coordinate is above the greatest bound: then a part with masks comes first, too. The loops
// on both sides of its channels are cut alike.
//
// A loop whose chained products are in flight stays one loop: between two loops the products would
// come to an end, and the rest would not overlap. There a branch masks, which only the iterations
// of the rest take:
//
//   %s = arith.select %exists, %qk, %never
//   // becomes
//   %rest = arith.cmpi sge, %j, %end          // or slt, %j, %begin
//   %s = scf.if %rest { %exists = … ; select %exists, %qk, %never } else { %qk }
//
// Such a loop may be cut behind the rotation (cta-cut-rest), and the mark cta.cut says so. With
// short arithmetic that is where all output tiles have the same rest: the end of an array, often no
// iteration. With long arithmetic it is where each output tile has a rest of its own; otherwise
// such a loop is cut here.
//
// Coordinates are 32 bits wide and wrap. The cut is computed in 64 bits from the bounds as the
// comparison sees them, so it is right also for bounds that do not fit. A loop may begin anywhere
// (at the first block of a window); only scalars at run time know that it does not begin below 0.
#include "CutLoop.h"
#include "PeelDemands.h"
#include "ScheduleProblem.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/ProductWaits.h"
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
/// How far the elements of a tile are above the induction variable.
struct Span {
  int64_t least = 0, greatest = 0;
};

/// A comparison that is true for all elements while the induction variable is below the least
/// element of a tile - `distance`; or, with `fromBegin`, once it is at least the greatest one -
/// `distance`.
struct Mask {
  arith::CmpIOp op;
  Value bound;          ///< a scalar from outside of the loop; null: `constant`
  int64_t constant = 0; ///< all elements of the tile that is compared with
  int64_t rows = 0;     ///< the tile is bound + 0 … rows - 1
  bool fromBegin = false;
  int64_t distance = 0;
  int64_t greatest = 0; ///< of the coordinates, above the induction variable
};

class Peeling {
public:
  explicit Peeling(CountedLoop loop) : loop(loop), b(loop) {}
  /// Returns the part without masks, which runs first; null if the loop stays as it is, or only
  /// branches of it mask. `arithmetic` is how many times as long as the products of a loop that
  /// keeps them in flight its arithmetic takes; nothing if no products are in flight between
  /// iterations.
  CountedLoop run(std::optional<double> arithmetic);

private:
  std::optional<int64_t> aboveVariable(Value scalar);
  std::optional<Span> spanOf(Value tile);
  bool findBound(Value tile, Mask &mask);
  std::optional<Mask> maskOf(arith::CmpIOp op);
  Value turnOf(const Mask &mask);
  Value indexConstant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loop.getLoc(), value);
  }
  bool mayNotWrap(const Mask &mask) {
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    return upper && *upper <= std::numeric_limits<int32_t>::max() - mask.greatest;
  }
  void findEnds(ArrayRef<Mask> masks);
  void cutBegin();
  CountedLoop cutEnd(MutableArrayRef<Mask> masks);
  void drop(Operation *mask);
  std::optional<SmallVector<arith::SelectOp>> selectsOf(ArrayRef<Mask> masks);
  Value whereMasksHold(Value condition);
  void guard(arith::SelectOp select, Value rest, bool isCut);

  CountedLoop loop;
  IRRewriter b;
  std::optional<int64_t> lower; ///< where the loop begins, if that is a constant
  Value begin, end;             ///< no mask fails from `begin` to `end`; null: of the loop
  DenseSet<Value> depend;       ///< masks, and conjunctions with masks
  DenseSet<Value> hold;         ///< those of them that are nothing but masks
};
} // namespace

/// c if the scalar is the induction variable + c, with c not negative.
std::optional<int64_t> Peeling::aboveVariable(Value scalar) {
  if (scalar == loop.getInductionVar())
    return 0;
  Operation *op = scalar.getDefiningOp();
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op)) {
    // What is narrower than the coordinates would wrap before them.
    const Type type = cast.getType();
    const bool isWide = type.isIndex() || type.getIntOrFloatBitWidth() >= 32;
    return isWide ? aboveVariable(cast.getIn()) : std::nullopt;
  }
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

/// Where the elements of the tile lie, if they grow with the induction variable.
std::optional<Span> Peeling::spanOf(Value tile) {
  auto from = [&](Value scalar) -> std::optional<Span> {
    std::optional<int64_t> first = scalar ? aboveVariable(scalar) : std::nullopt;
    return first ? std::optional<Span>({*first, *first}) : std::nullopt;
  };
  auto along = [](std::optional<Span> span, IotaOp iota) {
    if (span)
      span->greatest += iota.getType().getDimSize(static_cast<unsigned>(iota.getDim())) - 1;
    return span;
  };
  Operation *op = tile.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op))
    return along(from(iota.getFrom()), iota);
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return isa<RankedTensorType>(broadcast.getSource().getType()) ? spanOf(broadcast.getSource())
                                                                  : from(broadcast.getSource());
  auto sum = dyn_cast_or_null<arith::AddIOp>(op);
  if (!sum)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    auto iota = sum->getOperand(i).getDefiningOp<IotaOp>();
    if (iota && !iota.getFrom())
      if (std::optional<Span> span = along(spanOf(sum->getOperand(1 - i)), iota))
        return span;
  }
  return std::nullopt;
}

/// The elements of a tile that does not change in the loop.
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
  Value less = op.getLhs(), greater = op.getRhs();
  bool equal = false;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::sge:
    equal = true;
    [[fallthrough]];
  case arith::CmpIPredicate::sgt:
    std::swap(less, greater);
    break;
  case arith::CmpIPredicate::sle:
    equal = true;
    break;
  case arith::CmpIPredicate::slt:
    break;
  default:
    return std::nullopt;
  }
  Mask mask{op, {}};
  std::optional<Span> span = spanOf(less);
  if (!span) {
    mask.fromBegin = true;
    span = spanOf(greater);
  }
  if (!span || !findBound(mask.fromBegin ? less : greater, mask))
    return std::nullopt;
  mask.greatest = span->greatest;
  mask.distance = mask.fromBegin ? span->least - (equal ? 0 : 1) : span->greatest - (equal ? 1 : 0);
  return mask;
}

/// The value of the induction variable below which the mask is true, or from which on it is.
Value Peeling::turnOf(const Mask &mask) {
  if (!mask.bound)
    return indexConstant(mask.constant - mask.distance);
  Location loc = mask.op->getLoc();
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(),
                    kGreatest = std::numeric_limits<int32_t>::max();
  Value bound = mask.bound;
  if (!bound.getType().isIndex())
    bound = arith::IndexCastOp::create(b, loc, b.getIndexType(), bound);
  if (mask.rows > 1 && mask.fromBegin) {
    // The greatest row. If rows wrap, it is the last one before that.
    bound = arith::AddIOp::create(b, loc, bound, indexConstant(mask.rows - 1));
    bound = arith::MinSIOp::create(b, loc, bound, indexConstant(kGreatest));
  } else if (mask.rows > 1) {
    // The least row. Rows that wrap are far below the first one.
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, bound,
                                        indexConstant(kGreatest - mask.rows + 1));
    bound = arith::SelectOp::create(b, loc, wraps, indexConstant(kLeast), bound);
  }
  return arith::SubIOp::create(b, loc, bound, indexConstant(mask.distance));
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
void Peeling::guard(arith::SelectOp select, Value rest, bool isCut) {
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
  if (isCut)
    branch->setAttr(kCutAttr, b.getUnitAttr());
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

/// The values of the induction variable between which no mask fails.
void Peeling::findEnds(ArrayRef<Mask> masks) {
  Location loc = loop.getLoc();
  Value upper = loop.getUpperBound();
  // Where a mask fails from the beginning on nothing is left to peel; where it never fails at the
  // beginning there is nothing to peel off.
  auto isBehindBegin = [&](const Mask &mask) {
    return mask.bound || !lower || mask.constant - mask.distance > *lower;
  };
  if (llvm::any_of(masks, [&](const Mask &m) { return !m.fromBegin && !isBehindBegin(m); }))
    return;
  for (const Mask &mask : masks) {
    if (mask.fromBegin && !isBehindBegin(mask) && mayNotWrap(mask))
      continue;
    if (!mask.fromBegin) {
      end = arith::MinSIOp::create(b, loc, end ? end : upper, turnOf(mask));
      continue;
    }
    Value from = turnOf(mask);
    // Coordinates that wrap are below the bound again.
    Value wraps =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, upper,
                              indexConstant(std::numeric_limits<int32_t>::max() - mask.greatest));
    from = arith::SelectOp::create(b, loc, wraps, upper, from);
    begin = begin ? Value(arith::MaxSIOp::create(b, loc, begin, from)) : from;
  }
  if (lower)
    return;
  // Coordinates below 0 could wrap: a loop that begins there has its masks.
  Value begins = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, loop.getLowerBound(),
                                       indexConstant(0));
  if (end)
    end = arith::SelectOp::create(b, loc, begins, end, loop.getLowerBound());
  if (begin)
    begin = arith::SelectOp::create(b, loc, begins, begin, upper);
}

/// Puts a copy of the loop before it that ends where its masks are true.
void Peeling::cutBegin() {
  Location loc = loop.getLoc();
  // Not beyond the end, and not before the begin, where a loop that does not run may have its end.
  Value place = arith::MinSIOp::create(b, loc, begin, loop.getUpperBound());
  place = arith::MaxSIOp::create(b, loc, place, loop.getLowerBound());
  IRMapping mapping;
  cutLoop(b, loop, place, mapping)->setAttr(kRestAttr, b.getUnitAttr());
}

/// Puts a copy of the loop before it that has no masks, and ends where they begin to fail.
CountedLoop Peeling::cutEnd(MutableArrayRef<Mask> masks) {
  Value place = arith::MaxSIOp::create(b, loop.getLoc(), end, loop.getLowerBound());
  IRMapping mapping;
  CountedLoop part = cutLoop(b, loop, place, mapping);
  for (Mask &mask : masks)
    drop(mapping.lookup(mask.op.getOperation()));
  loop->setAttr(kRestAttr, b.getUnitAttr());
  return part;
}

static void eraseDead(IRRewriter &b, CountedLoop loop) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (isOpTriviallyDead(&op))
      b.eraseOp(&op);
}

/// How many times as long as the products the arithmetic may take, so that a branch in each
/// iteration costs less than what two loops lose between them. Source: docs/performance/log.md
/// (2026-11-25).
constexpr double kMostArithmetic = 1.5;

/// True for a scalar that does not depend on the coordinates of the output tile.
static bool isSameForAllTiles(Value scalar) {
  SetVector<Value> values;
  values.insert(scalar);
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (!isa<LaunchOp, tile::KernelOp>(value.getParentBlock()->getParentOp()))
        return false;
      continue;
    }
    if (!op->getParentOfType<LaunchOp>())
      continue;
    if (isa<BlockIdOp, ClusterPlaceOp>(op) || op->getNumRegions())
      return false;
    values.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

CountedLoop Peeling::run(std::optional<double> arithmetic) {
  lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
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
  if (arithmetic)
    selects = selectsOf(masks);

  findEnds(masks);
  if (!begin && !end)
    return {};
  const bool isLong = arithmetic && *arithmetic > kMostArithmetic;
  const bool isShared = end && isSameForAllTiles(end);
  const bool mayCut = end && !begin;
  if (selects && (!isLong || (mayCut && !isShared))) {
    const bool isCut = mayCut && (isLong || isShared);
    b.setInsertionPointToStart(loop.getBody());
    Value rest;
    auto restIf = [&](arith::CmpIPredicate predicate, Value place) {
      Value fails =
          arith::CmpIOp::create(b, loop.getLoc(), predicate, loop.getInductionVar(), place);
      rest = rest ? Value(arith::OrIOp::create(b, loop.getLoc(), rest, fails)) : fails;
    };
    if (end)
      restIf(arith::CmpIPredicate::sge, end);
    if (begin)
      restIf(arith::CmpIPredicate::slt, begin);
    for (arith::SelectOp select : *selects)
      guard(select, rest, isCut);
    eraseDead(b, loop);
    return {};
  }
  if (begin)
    cutBegin();
  CountedLoop without = loop;
  if (end)
    without = cutEnd(masks);
  else
    for (Mask &mask : masks)
      drop(mask.op);
  eraseDead(b, without);
  return without;
}

/// How many times as long as its products the arithmetic of a loop takes, if the plan keeps its
/// chained products in flight beside other iterations. Products that are waited for where their
/// results are needed all retire in their iteration, so two loops lose nothing.
static std::optional<double> arithmeticBesideProducts(CountedLoop loop, const CostModel &costs,
                                                      PlanAttr plan) {
  if (!plan || plan.getPending().value_or(0) == 0 || productStages(loop).empty() ||
      computesWithSeveral(*loop.getBody()))
    return std::nullopt;
  schedule::Problem problem;
  const schedule::MachineUnits units = costs.table.addUnits(problem);
  int64_t products = 0, arithmetic = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto product = dyn_cast<WgmmaOp>(op)) {
      for (const schedule::Use &use : costs.productOf(units, "product", product).uses)
        products += use.unit == units.tensor ? use.cycles : 0;
    } else {
      arithmetic += costs.cyclesOf(units, &op);
    }
  }
  return static_cast<double>(arithmetic) / static_cast<double>(products);
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
        if (CountedLoop first = Peeling(loop).run(arithmeticBesideProducts(loop, costs, plan)))
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
