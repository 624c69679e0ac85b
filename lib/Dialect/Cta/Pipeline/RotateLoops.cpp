// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-rotate-loops: matrix products of an iteration run concurrently with later iterations.
//
// The pass is for loops with chained products. Without it the tensor cores wait for the arithmetic
// between the products. The stages of the products (tessera/Dialect/Cta/Analysis/LoopStages.h) say
// which of them run one or more iterations later. The products of the new body are issued together,
// and the arithmetic is computed while they are in flight. The loop carries what a later stage
// needs, one value for each iteration in between.
//
//   if there are at least as many iterations as the greatest stage n:
//     stage 0 of iteration 0; stages 0 and 1 of iterations 1 and 0; … up to n - 1
//     for the iterations from n on: all stages
//     stages 1 … n of the last iterations; 2 … n; …
//   else: the loop as it was (for n = 1 that is none)
//
// The registers of operand `a` may be written again only when no product is in flight. So the ops
// that make them come after the wait, and their inputs pass through the wait (cta.ready,
// cta.complete), so that nothing moves those ops before it.
//
// The last wait stands at the end of the iteration. If the iteration has a branch, and the products
// that are still in flight behind it take about as long as the arithmetic up to it, the wait stands
// behind the branch. Then all that follows is one block without waits, and slots are released
// earlier.
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace tessera::cta {
#define GEN_PASS_DEF_ROTATELOOPS
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// How many registers a copy may take that keeps the inputs of a product's operands from being
/// computed before the products that are issued earlier.
static constexpr int64_t kPinnedRegisters = 8;

/// How many times as long as the arithmetic up to a branch the products that are in flight behind
/// it may take, if they are waited for there. Source: docs/performance/log.md (2026-11-28).
static constexpr double kMostWait = 1.6;

namespace {
/// A value that the new loop carries: what its body computed 1, 2, … `count` iterations ago.
struct Carried {
  Value value;
  int argument; ///< of the old loop, for which the value is yielded; or -1
  int64_t stage, count;
  SmallVector<unsigned> positions; ///< iter_args of the new loop
};

/// Products in flight that add to the same accumulators, one after the other.
using Flight = SmallVector<WgmmaOp>;

class Rotation {
public:
  Rotation(LoopStages &stages, const CostModel &costs)
      : s(stages), costs(costs), loop(stages.loop), b(stages.loop) {}
  void rewrite();

private:
  using Resolve = llvm::function_ref<Value(Value)>;
  Operation *clone(Operation *op, Resolve resolve);
  bool isHere(Value value) { return value.getParentBlock() == loop.getBody(); }
  int64_t stageOf(Operation *op) const { return s.stageOf.lookup(op); }
  int argumentOf(Value value);
  Value yieldedFor(int argument) { return loop.getYieldedValues()[argument]; }

  Carried &carried(Value value, int argument);
  void findCarried();

  Value beforeLoop(Value value, int64_t iteration);
  void prologue();
  SmallVector<Value> inits();

  Value inBody(Value value, int64_t stage);
  void body();
  void issue(WgmmaOp product);
  void compute(Operation *op);
  void complete(Flight &flight);
  void completeInputs(Operation *op);
  bool reads(Operation *op, const Flight &flight);
  using Sources = llvm::MapVector<Value, int64_t>; ///< values, and the stages that read them
  void completeWith(const Sources &sources);
  void completeAll(ArrayRef<Operation *> makers);
  Operation *branchOfWait();
  std::optional<Sources> pinsBehind(Operation *branch);
  void giveBack();
  void pinCarried(Operation *op);
  void finishBody();

  Value afterLoop(Value value, int64_t iteration);
  void epilogue();

  LoopStages &s;
  const CostModel &costs;
  CountedLoop loop, next;
  IRRewriter b;
  SmallVector<Carried> values;
  SmallVector<Value> firsts;                  ///< induction variables of the first iterations
  std::map<int64_t, IRMapping> before, after; ///< by iteration; `after` counts from the last one
  // State of the new body.
  IRMapping made;
  llvm::DenseMap<Value, Value> pins;
  SmallVector<Flight> flying;
  llvm::SmallPtrSet<Operation *, 16> done; ///< computed, or retired
  llvm::SmallPtrSet<Operation *, 4> given; ///< releases
  size_t issued = 0;                       ///< how many of the products that are issued together
};
} // namespace

Operation *Rotation::clone(Operation *op, Resolve resolve) {
  IRMapping mapping;
  for (Value input : inputsOf(op))
    mapping.map(input, resolve(input));
  return b.clone(*op, mapping);
}

/// The index of an iter_arg, or -1.
int Rotation::argumentOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBody() || argument.getArgNumber() == 0)
    return -1;
  return static_cast<int>(argument.getArgNumber()) - 1;
}

//===--- what the loop carries ---------------------------------------------------------------===//

Carried &Rotation::carried(Value value, int argument) {
  for (Carried &other : values)
    if (other.value == value && other.argument == argument)
      return other;
  Operation *op = value.getDefiningOp(); // none: the induction variable
  values.push_back({value, argument, op ? stageOf(op) : 0, 0, {}});
  return values.back();
}

void Rotation::findCarried() {
  // Results of the loop first, at their old positions.
  for (int i = 0; i < static_cast<int>(loop.getNumResults()); ++i)
    carried(yieldedFor(i), i).count = 1;
  for (Operation &op : loop.getBody()->without_terminator())
    for (Value input : inputsOf(&op)) {
      if (!isHere(input))
        continue;
      int argument = argumentOf(input);
      int64_t lag = stageOf(&op);
      if (argument >= 0)
        lag += 1 - stageOf(yieldedFor(argument).getDefiningOp());
      else if (Operation *from = input.getDefiningOp())
        lag -= stageOf(from);
      if (lag == 0)
        continue;
      Carried &value = carried(argument >= 0 ? yieldedFor(argument) : input, argument);
      value.count = std::max(value.count, lag);
    }
  unsigned place = 0;
  for (Carried &value : values)
    if (value.argument >= 0)
      value.positions.push_back(place++);
  for (Carried &value : values)
    while (static_cast<int64_t>(value.positions.size()) < value.count)
      value.positions.push_back(place++);
}

//===--- before the loop ---------------------------------------------------------------------===//

/// The value in one of the first iterations.
Value Rotation::beforeLoop(Value value, int64_t iteration) {
  if (!isHere(value))
    return value;
  if (value == loop.getInductionVar())
    return firsts[iteration];
  if (int argument = argumentOf(value); argument >= 0)
    return iteration == 0 ? loop.getInitArgs()[argument]
                          : beforeLoop(yieldedFor(argument), iteration - 1);
  return before[iteration].lookup(value);
}

void Rotation::prologue() {
  for (int64_t turn = 0; turn < s.last; ++turn)
    for (int64_t stage = 0; stage <= turn; ++stage) {
      const int64_t iteration = turn - stage;
      for (Operation &op : loop.getBody()->without_terminator()) {
        if (stageOf(&op) != stage)
          continue;
        Operation *copy = clone(&op, [&](Value v) { return beforeLoop(v, iteration); });
        before[iteration].map(op.getResults(), copy->getResults());
      }
    }
}

/// The initial values of the loop.
SmallVector<Value> Rotation::inits() {
  SmallVector<Value> inits(llvm::max_element(values,
                                             [](const Carried &a, const Carried &c) {
                                               return a.positions.back() < c.positions.back();
                                             })
                               ->positions.back() +
                           1);
  for (Carried &value : values)
    for (auto [i, place] : llvm::enumerate(value.positions)) {
      int64_t iteration = s.last - 1 - static_cast<int64_t>(i) - value.stage;
      inits[place] =
          iteration < 0 ? loop.getInitArgs()[value.argument] : beforeLoop(value.value, iteration);
    }
  return inits;
}

//===--- the new body ------------------------------------------------------------------------===//

/// What an op of this stage reads.
Value Rotation::inBody(Value value, int64_t stage) {
  if (!isHere(value))
    return value;
  int argument = argumentOf(value);
  int64_t lag = stage;
  if (argument >= 0)
    lag += 1 - stageOf(yieldedFor(argument).getDefiningOp());
  else if (Operation *op = value.getDefiningOp())
    lag -= stageOf(op);
  if (lag == 0)
    return value == loop.getInductionVar() ? next.getInductionVar() : made.lookup(value);
  Carried &from = carried(argument >= 0 ? yieldedFor(argument) : value, argument);
  Value old = next.getRegionIterArg(from.positions[lag - 1]);
  auto pin = pins.find(old);
  return pin == pins.end() ? old : pin->second;
}

/// Releases slots after their last reader.
void Rotation::giveBack() {
  for (ReleaseOp release : s.releases) {
    if (given.contains(release) || !done.contains(release.getCredit().getDefiningOp()) ||
        !llvm::all_of(s.readersOf[release], [&](Operation *op) { return done.contains(op); }))
      continue;
    clone(release, [&](Value v) { return inBody(v, stageOf(release)); });
    given.insert(release);
  }
}

void Rotation::complete(Flight &flight) {
  Flight products = std::move(flight);
  llvm::erase_if(flying, [](const Flight &other) { return other.empty(); });
  Value result = products.back().getResult();
  made.map(result,
           CompleteOp::create(b, products.back().getLoc(), made.lookup(result)).getResult());
  for (WgmmaOp product : products)
    done.insert(product);
  giveBack();
}

/// Waits for all products. The inputs of operands in registers pass through the wait.
void Rotation::completeAll(ArrayRef<Operation *> makers) {
  Sources sources;
  for (Operation *maker : makers)
    for (Value input : maker->getOperands())
      if (isHere(input) && !s.isMaker(input.getDefiningOp()) &&
          llvm::none_of(flying, [&](Flight &f) { return f.back().getResult() == input; }))
        sources.insert({input, stageOf(maker)});
  completeWith(sources);
}

/// Waits for all products. The sources pass through the wait.
void Rotation::completeWith(const Sources &sources) {
  struct Passing {
    Value source, tile, ready;
  };
  SmallVector<Passing> before;
  for (auto [source, stage] : sources) {
    Value tile = inBody(source, stage);
    before.push_back({source, tile, ReadyOp::create(b, tile.getLoc(), tile)});
  }
  // The releases come after the wait, with the values that passed through it.
  SmallVector<Flight> flights = std::move(flying);
  flying.clear();
  for (Flight &flight : flights) {
    Value result = flight.back().getResult();
    made.map(result,
             CompleteOp::create(b, flight.back().getLoc(), made.lookup(result)).getResult());
  }
  for (auto [source, tile, ready] : before) {
    Value completed = CompleteOp::create(b, source.getLoc(), ready);
    // What the loop carries is of another iteration.
    if (isa<BlockArgument>(tile))
      pins[tile] = completed;
    else
      made.map(source, completed);
  }
  for (Flight &flight : flights)
    for (WgmmaOp product : flight)
      done.insert(product);
  giveBack();
}

/// True if the op needs the result of this iteration's products.
bool Rotation::reads(Operation *op, const Flight &flight) {
  WgmmaOp last = flight.back();
  return stageOf(op) == stageOf(last) && llvm::is_contained(inputsOf(op), last.getResult());
}

/// The last branch of the new body, if the products that are still in flight there are about to
/// retire: they take no longer than kMostWait times the arithmetic between the first wait and the
/// branch. Else null.
Operation *Rotation::branchOfWait() {
  auto branch = std::find_if(s.order.rbegin(), s.order.rend(), llvm::IsaPred<scf::IfOp>).base();
  auto readBy = [&](WgmmaOp product, auto begin, auto end) {
    return std::find_if(begin, end, [&](Operation *op) { return reads(op, {product}); });
  };
  auto first = branch;
  SmallVector<WgmmaOp> late;
  for (WgmmaOp product : s.together) {
    auto reader = readBy(product, s.order.begin(), s.order.end());
    if (reader == s.order.end())
      late.push_back(product);
    else if (reader < branch)
      first = std::min(first, reader);
    else
      return {}; // it would be waited for too early
  }
  if (late.empty() || first == branch || std::any_of(first, s.order.end(), llvm::IsaPred<WgmmaOp>))
    return {};
  double products = 0;
  for (WgmmaOp product : late)
    products += tensorCycles(costs.table.machine, product) / static_cast<double>(costs.warpgroups);
  schedule::Problem problem;
  const schedule::MachineUnits units = costs.table.addUnits(problem);
  int64_t arithmetic = 0;
  // What a branch holds is rare, or there are others like it in each iteration.
  for (Operation *op : llvm::make_range(first, branch))
    arithmetic += isa<scf::IfOp>(op) ? 0 : costs.cyclesOf(units, op);
  return products <= kMostWait * static_cast<double>(arithmetic) ? *std::prev(branch) : nullptr;
}

/// Values that pass through a wait behind the branch, so that all that makes register operands
/// comes after it: for each maker the smallest tile of this iteration from which what follows the
/// branch computes it. Nothing if there is none, or if it takes too many registers.
std::optional<Rotation::Sources> Rotation::pinsBehind(Operation *branch) {
  auto behind = std::next(llvm::find(s.order, branch));
  const llvm::SmallPtrSet<Operation *, 32> rest(behind, s.order.end());
  const llvm::SmallPtrSet<Operation *, 32> front(s.order.begin(), behind);
  Sources pins;
  for (Operation *maker : s.makers) {
    Value least;
    llvm::SetVector<Operation *> slice;
    slice.insert(maker);
    for (size_t i = 0; i < slice.size(); ++i)
      for (Value input : inputsOf(slice[i])) {
        Operation *from = input.getDefiningOp();
        if (from && (rest.contains(from) || s.makers.contains(from)))
          slice.insert(from);
        // A product passes through its own wait, and what the loop carries is of another iteration.
        else if (from && front.contains(from) && !isa<WgmmaOp>(from) &&
                 stageOf(from) == stageOf(slice[i]) && isa<RankedTensorType>(input.getType()) &&
                 (!least || registersOf(input) < registersOf(least)))
          least = input;
      }
    if (!least || registersOf(least) > kPinnedRegisters)
      return std::nullopt;
    pins.insert({least, stageOf(least.getDefiningOp())});
  }
  return pins;
}

void Rotation::completeInputs(Operation *op) {
  while (true) {
    auto *flight = llvm::find_if(flying, [&](const Flight &f) { return reads(op, f); });
    if (flight == flying.end())
      return;
    complete(*flight);
  }
}

void Rotation::issue(WgmmaOp product) {
  ++issued;
  Flight flight;
  for (Flight &other : flying)
    if (reads(product, other) && product.getC() == other.back().getResult() &&
        product.getC().hasOneUse())
      flight = std::move(other);
  llvm::erase_if(flying, [](const Flight &other) { return other.empty(); });
  const bool goesOn = !flight.empty();
  completeInputs(product);
  auto copy = cast<WgmmaOp>(clone(product, [&](Value v) { return inBody(v, stageOf(product)); }));
  if (copy.getC() && !goesOn) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(copy);
    copy.getCMutable().assign(ReadyOp::create(b, copy.getLoc(), copy.getC()));
  }
  copy.getResult().setType(AsyncType::get(b.getContext(), product.getResultType()));
  made.map(product.getResult(), copy.getResult());
  flight.push_back(product);
  flying.push_back(std::move(flight));
}

/// An op that reads nothing of this iteration would be moved before the issue of the products in
/// flight. To prevent that, one of its operands is renamed after their issue (cta.ready).
void Rotation::pinCarried(Operation *op) {
  Value least;
  for (Value input : inputsOf(op)) {
    if (!isa<RankedTensorType>(input.getType()) || !isHere(input))
      continue;
    Value value = inBody(input, stageOf(op));
    if (!isa<BlockArgument>(value))
      return;
    if (!least || registersOf(value) < registersOf(least))
      least = value;
  }
  if (!least || registersOf(least) > kPinnedRegisters)
    return;
  Value ready = ReadyOp::create(b, op->getLoc(), least);
  pins[least] = CompleteOp::create(b, op->getLoc(), ready);
}

void Rotation::compute(Operation *op) {
  if (s.isMaker(op) && !flying.empty())
    completeAll(op);
  completeInputs(op);
  if (!flying.empty() && issued < s.together.size())
    pinCarried(op);
  Operation *copy = clone(op, [&](Value v) { return inBody(v, stageOf(op)); });
  made.map(op->getResults(), copy->getResults());
  done.insert(op);
  giveBack();
}

void Rotation::finishBody() {
  if (!flying.empty())
    completeAll(s.makers.getArrayRef());
  for (Operation *op : s.makers)
    compute(op);
  SmallVector<Value> yielded(next.getNumResults());
  for (Carried &value : values)
    for (auto [i, place] : llvm::enumerate(value.positions)) {
      if (i > 0)
        yielded[place] = next.getRegionIterArg(value.positions[i - 1]);
      else
        yielded[place] = value.value == loop.getInductionVar() ? next.getInductionVar()
                                                               : made.lookup(value.value);
    }
  next.createYield(b, yielded);
}

void Rotation::body() {
  Operation *branch = branchOfWait();
  std::optional<Sources> behind = branch ? pinsBehind(branch) : std::nullopt;
  for (Operation *op : s.order) {
    if (auto product = dyn_cast<WgmmaOp>(op))
      issue(product);
    else
      compute(op);
    if (behind && op == branch && !flying.empty())
      completeWith(*behind);
  }
  finishBody();
}

//===--- after the loop ----------------------------------------------------------------------===//

/// The value in one of the last iterations; the last one is -1.
Value Rotation::afterLoop(Value value, int64_t iteration) {
  if (!isHere(value))
    return value;
  int argument = argumentOf(value);
  if (argument >= 0) {
    value = yieldedFor(argument);
    --iteration;
  }
  Operation *op = value.getDefiningOp();
  int64_t turn = iteration + (op ? stageOf(op) : 0);
  if (turn >= 0)
    return after[iteration].lookup(value);
  return next.getResult(carried(value, argument).positions[-turn - 1]);
}

void Rotation::epilogue() {
  for (int64_t turn = 0; turn < s.last; ++turn)
    for (int64_t stage = turn + 1; stage <= s.last; ++stage) {
      const int64_t iteration = turn - stage;
      for (Operation &op : loop.getBody()->without_terminator()) {
        if (stageOf(&op) != stage)
          continue;
        Operation *copy = clone(&op, [&](Value v) { return afterLoop(v, iteration); });
        after[iteration].map(op.getResults(), copy->getResults());
      }
    }
}

void Rotation::rewrite() {
  findCarried();
  Location loc = loop.getLoc();
  auto later = [&](Value from) -> Value {
    return arith::AddIOp::create(b, loc, from, loop.getStep());
  };
  firsts.push_back(loop.getLowerBound());
  for (int64_t i = 1; i < s.last; ++i)
    firsts.push_back(later(firsts.back()));
  Value runs = arith::CmpIOp::create(
      b, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
      firsts.back(), loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(), runs, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToEnd(branch.elseBlock());
  // Fewer iterations than stages: no iteration at all, or the loop as it was.
  scf::YieldOp::create(b, loc,
                       s.last == 1 ? ValueRange(loop.getInitArgs())
                                   : ValueRange(b.clone(*loop)->getResults()));
  b.setInsertionPointToEnd(branch.thenBlock());
  Value lower = later(firsts.back());
  prologue();
  next = loop.createLike(b, lower, loop.getUpperBound(), loop.getStep(), inits());
  b.setInsertionPointToEnd(next.getBody());
  body();
  b.setInsertionPointAfter(next);
  epilogue();
  SmallVector<Value> results;
  for (int i = 0; i < static_cast<int>(loop.getNumResults()); ++i) {
    int64_t turn = stageOf(yieldedFor(i).getDefiningOp()) - 1;
    results.push_back(turn >= 0 ? after[-1].lookup(yieldedFor(i)) : next.getResult(i));
  }
  scf::YieldOp::create(b, loc, results);
  b.replaceOp(loop, branch.getResults());
}

/// Rotates by the stages of the schedule, or by fewer if those take more registers than there are.
static void rotate(CountedLoop loop, int64_t cap, const CostModel &costs) {
  SmallVector<int64_t> products = productStages(loop);
  if (products.empty())
    return;
  auto options = remark::RemarkOpts::name("rotate").category("cta-rotate-loops");
  std::string why;
  for (int64_t last = *llvm::max_element(products); last > 0; --last) {
    for (int64_t &stage : products)
      stage = std::min(stage, last);
    std::optional<LoopStages> stages = loopInStages(loop, products, why);
    if (!stages)
      break;
    if (stages->registers > cap) {
      why = "its " + std::to_string(last + 1) + " stages take " +
            std::to_string(stages->registers) + " registers of a thread, which has " +
            std::to_string(cap);
      continue;
    }
    remark::passed(loop.getLoc(), options)
        << (llvm::Twine(stages->together.size()) + " products of " + llvm::Twine(last + 1) +
            " iterations are issued together, in " + llvm::Twine(stages->registers) + " registers")
               .str();
    Rotation(*stages, costs).rewrite();
    return;
  }
  remark::missed(loop.getLoc(), options) << "its products wait for each other: " << why;
}

namespace {
struct RotateLoops : cta::impl::RotateLoopsBase<RotateLoops> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    PlanAttr plan = planOf(kernel);
    if (!plan || plan.getPending().value_or(0) == 0)
      return;
    const int64_t warpgroups = kernel.getWarpgroups().value_or(1);
    const int64_t cap = plan.asPlan().mathRegisters(machineOf(kernel), warpgroups);
    const CostModel costs(machineOf(kernel), warpgroups);
    for (auto launch : kernel.getBody().getOps<LaunchOp>()) {
      SmallVector<CountedLoop> loops;
      launch.getBody().walk([&](CountedLoop loop) { loops.push_back(loop); });
      for (CountedLoop loop : loops)
        rotate(loop, cap, costs);
    }
  }
};
} // namespace
