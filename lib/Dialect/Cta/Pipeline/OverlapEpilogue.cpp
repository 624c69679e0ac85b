// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-overlap-epilogue: the epilogue of one output tile runs concurrently with the matrix products
// of the next one.
//
// The loop over output tiles of a persistent launch is software-pipelined by one iteration: what
// follows the main loop (the epilogue) moves into the next iteration, which carries the
// accumulators. There its subtiles are placed between the issue and the completion of the products
// of the first main loop iterations. No branch is around them, so that ptxas sees one basic block
// with products in flight. All other cases (no previous output tile, too few iterations, the last
// output tile of all) take a second copy of the code, in which the epilogue comes before the
// products.
//
// Output tiles of a grid are independent of each other, so the memory accesses of one need no order
// with those of another; those of one output tile keep their order.
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::cta {
#define GEN_PASS_DEF_OVERLAPEPILOGUE
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Main loop iterations that are written out to hold epilogue subtiles. If there are more subtiles,
/// several share an iteration.
constexpr size_t kMostPeeled = 8;

static bool isStore(Operation *op) { return isa<StoreOp, CopyOutOp, memref::StoreOp>(op); }

template <typename Predicate>
static Operation *findIn(Operation *op, Predicate predicate) {
  Operation *found = nullptr;
  op->walk([&](Operation *inner) {
    if (!predicate(inner))
      return WalkResult::advance();
    found = inner;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
class Overlap {
public:
  Overlap(LaunchOp launch, scf::ForOp points, int64_t beside)
      : launch(launch), points(points), b(points), beside(beside) {}
  LogicalResult run();

private:
  LogicalResult findLoop();
  LogicalResult findEpilogue();
  LogicalResult addNeeded(Operation *op);
  bool staysWithItsPoint(Operation *op);
  bool isWrittenByLoop(Operation *load);
  void makeParts();

  Value constant(Type type, int64_t number);
  void cloneNeeded(Operation *op, IRMapping &mapping);
  void clonePart(ArrayRef<Operation *> part, IRMapping &mapping);
  LogicalResult checkChain();
  SmallVector<Value> clonePeeled(Value k, ValueRange carried, IRMapping &current,
                                 ArrayRef<Operation *> part, IRMapping &last);
  SmallVector<Value> cloneLoop(Value from, Value to, ValueRange carried, IRMapping &current);
  IRMapping lastPoint(scf::ForOp next);
  SmallVector<Value> results(ValueRange all);
  void rewrite();

  InFlightDiagnostic error(Operation *op, const Twine &what) {
    return op->emitOpError("stands in the way of overlap: ") << what;
  }

  LaunchOp launch;
  scf::ForOp points, loop; ///< over output tiles; the main loop
  IRRewriter b;
  int64_t beside;  ///< iterations whose products are in flight with a subtile
  WgmmaOp product; ///< that runs concurrently with a subtile
  SmallVector<Operation *> before, staying; ///< in the body of `points`, in order
  SmallVector<Operation *> epilogue;        ///< moves into the next iteration
  llvm::SetVector<Operation *> needed;      ///< of `before`, cloned for the epilogue
  llvm::SetVector<unsigned> carried;        ///< indices of results of `loop`
  SmallVector<SmallVector<Operation *>> parts;
};
} // namespace

//===--- what there is -----------------------------------------------------------------------===//

LogicalResult Overlap::findLoop() {
  if (points.getNumResults())
    return error(points, "the loop over points carries values from one to the next");
  for (Operation &op : points.getBody()->without_terminator()) {
    Operation *found = findIn(&op, llvm::IsaPred<WgmmaOp>);
    if (!found)
      continue;
    auto here = dyn_cast<scf::ForOp>(op);
    if (!here)
      return error(found, "it is not in a loop of its point, whose first iterations could hold the "
                          "last point's epilogue");
    if (loop) {
      InFlightDiagnostic second = error(here, "a point has more than one loop with products");
      second.attachNote(loop.getLoc()) << "the first";
      return second;
    }
    loop = here;
  }
  // The last product that an iteration waits for.
  for (auto op : loop.getBody()->getOps<WgmmaOp>())
    if (!op.isAsync())
      product = op;
  if (!product)
    return error(loop, "none of its products stands in its body itself and is waited for there");
  for (Operation &op : points.getBody()->without_terminator()) {
    if (&op == loop)
      continue;
    if (op.isBeforeInBlock(loop))
      before.push_back(&op);
    else
      (staysWithItsPoint(&op) ? staying : epilogue).push_back(&op);
  }
  return success();
}

/// True for the release of a slot that was waited for before the main loop: it is free when the
/// main loop has ended, so the release stays with its output tile.
bool Overlap::staysWithItsPoint(Operation *op) {
  auto release = dyn_cast<ReleaseOp>(op);
  Operation *wait = release ? release.getCredit().getDefiningOp() : nullptr;
  return wait && wait->getBlock() == points.getBody() && wait->isBeforeInBlock(loop);
}

/// True if the load would read something else after the main loop.
bool Overlap::isWrittenByLoop(Operation *load) {
  std::optional<GlobalBox> from = globalBoxOf(load);
  return from && mayOverwrite(loop, from);
}

/// Collects what the op uses of its output tile.
LogicalResult Overlap::addNeeded(Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) -> WalkResult {
    for (Value operand : inner->getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (!made || made->getBlock() != points.getBody() || needed.contains(made) ||
          !made->isBeforeInBlock(loop->getNextNode()))
        continue;
      if (made == loop) {
        unsigned number = cast<OpResult>(operand).getResultNumber();
        if (!isa<RankedTensorType>(operand.getType()) && !operand.getType().isIntOrIndexOrFloat())
          return error(inner, "it needs a value of the loop that cannot be kept for an iteration");
        carried.insert(number);
        continue;
      }
      Operation *effect = findIn(made, [](Operation *nested) {
        return nested->getNumRegions() == 0 && !isMemoryEffectFree(nested) &&
               !isa<LoadOp, memref::LoadOp>(nested);
      });
      if (effect) {
        InFlightDiagnostic diagnostic =
            error(inner, "it needs what its point has made before the loop over products, and that "
                         "is gone when the next point runs");
        diagnostic.attachNote(effect->getLoc()) << "made here";
        return diagnostic;
      }
      Operation *written = findIn(made, [&](Operation *nested) { return isWrittenByLoop(nested); });
      if (written)
        return error(
            written,
            "the epilogue needs what it loads, and the loop over products writes that array");
      needed.insert(made);
      if (failed(addNeeded(made)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Overlap::findEpilogue() {
  for (Operation *op : before)
    if (Operation *store = findIn(op, isStore))
      return error(store, "it stands before the loop over products, and there is one iteration "
                          "more than points");
  for (Operation *op : epilogue) {
    if (failed(addNeeded(op)))
      return failure();
    // Between iterations of a loop over output tiles nothing orders global memory.
    Operation *meets = findIn(op, [&](Operation *inner) {
      std::optional<GlobalBox> box = globalBoxOf(inner);
      return box && mayOverwrite(loop, box);
    });
    if (meets)
      return error(meets, "the epilogue touches an array that the loop over products of the same "
                          "point writes, and no barrier would stand between them");
  }
  if (llvm::none_of(epilogue, [](Operation *op) { return findIn(op, isStore); }))
    return error(loop, "no store follows it, so that there is no epilogue");
  return success();
}

/// Cuts the epilogue into parts (epilogue subtiles). A part ends with a store.
void Overlap::makeParts() {
  SmallVector<SmallVector<Operation *>> all(1);
  bool closed = false;
  for (Operation *op : epilogue) {
    if (closed)
      all.emplace_back();
    all.back().push_back(op);
    closed = findIn(op, isStore);
  }
  // Ops after the last store join the last part.
  if (!closed && all.size() > 1) {
    SmallVector<Operation *> rest = all.pop_back_val();
    all.back().append(rest);
  }
  const size_t together = llvm::divideCeil(all.size(), kMostPeeled);
  for (auto [i, part] : llvm::enumerate(all)) {
    if (i % together == 0)
      parts.emplace_back();
    parts.back().append(part);
  }
  SmallVector<Operation *> loads;
  // What the epilogue uses of loads before the main loop is loaded again, before all parts and
  // during an earlier product, so that several products hide its latency.
  for (Operation *op : before)
    if (needed.contains(op) && findIn(op, llvm::IsaPred<LoadOp, memref::LoadOp>))
      loads.push_back(op);
  if (!loads.empty())
    parts.insert(parts.begin(), loads);
}

//===--- copies ------------------------------------------------------------------------------===//

Value Overlap::constant(Type type, int64_t number) {
  return arith::ConstantOp::create(b, points.getLoc(), b.getIntegerAttr(type, number));
}

/// Clones what the op uses of its output tile, unless it is there already: each part has its own
/// copy, which then lives no longer than the part.
void Overlap::cloneNeeded(Operation *op, IRMapping &mapping) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (!made || !needed.contains(made) || mapping.contains(operand))
        continue;
      cloneNeeded(made, mapping);
      b.clone(*made, mapping);
    }
  });
}

void Overlap::clonePart(ArrayRef<Operation *> part, IRMapping &mapping) {
  for (Operation *op : part) {
    cloneNeeded(op, mapping);
    if (!op->getNumResults() || !mapping.contains(op->getResult(0)))
      b.clone(*op, mapping);
  }
}

/// With products of several iterations in flight, each must add to the accumulators of the one
/// before, which nothing else may read, and its slots are held until the last product has ended.
LogicalResult Overlap::checkChain() {
  if (beside == 1)
    return success();
  std::string plan = "it asks for " + std::to_string(beside) + " iterations in flight, but ";
  llvm::MapVector<Value, SmallVector<WaitOp>> waits;
  loop.getBody()->walk([&](WaitOp wait) { waits[wait.getChannel()].push_back(wait); });
  for (auto &[channel, list] : waits) {
    const int64_t need = beside * static_cast<int64_t>(list.size());
    if (list.front()->getBlock() != loop.getBody() || list.back()->getBlock() != loop.getBody())
      return error(list.front(), plan + "how many slots an iteration takes is not known; plan "
                                        "overlap = 1");
    if (int64_t depth = cast<ChannelType>(channel.getType()).getDepth(); depth < need)
      return error(list.front(), plan + "they keep " + Twine(need) + " slots and the channel has " +
                                     Twine(depth) + "; plan more stages");
  }
  // What an iteration hands to the next must be available before its product has ended.
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues())) {
    Operation *made = value.getDefiningOp();
    if (made && made != product && made->getBlock() == loop.getBody() &&
        product->isBeforeInBlock(made))
      return error(made, plan + "the next iteration needs what is computed behind its product; "
                                "compute it before, or plan overlap = 1");
  }
  auto argument = dyn_cast_or_null<BlockArgument>(product.getC());
  OpOperand *use = product->hasOneUse() ? &*product->use_begin() : nullptr;
  if (!argument || argument.getOwner() != loop.getBody() || !argument.hasOneUse() || !use ||
      use->getOwner() != loop.getBody()->getTerminator() ||
      use->getOperandNumber() + loop.getNumInductionVars() != argument.getArgNumber())
    return error(product, plan + "its accumulators are used by more than the next iteration's "
                                 "product; plan overlap = 1");
  return success();
}

/// Clones main loop iterations with a part of the epilogue between the issue and the completion of
/// the last of their products. What follows the products in the body comes after that.
SmallVector<Value> Overlap::clonePeeled(Value k, ValueRange values, IRMapping &current,
                                        ArrayRef<Operation *> part, IRMapping &last) {
  Location loc = loop.getLoc();
  Operation *end = loop.getBody()->getTerminator();
  SmallVector<IRMapping> iterations;
  SmallVector<Value> carries(values);
  auto carry = [&](IRMapping &mapping) {
    for (auto [value, yielded] : llvm::zip_equal(carries, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(yielded);
  };
  WgmmaOp issued;
  for (int64_t n = 0; n < beside; ++n) {
    IRMapping &mapping = iterations.emplace_back(current);
    Value at = k;
    if (n)
      at = b.createOrFold<arith::AddIOp>(
          loc, k,
          b.createOrFold<arith::MulIOp>(loc, current.lookupOrDefault(loop.getStep()),
                                        constant(k.getType(), n)));
    mapping.map(loop.getInductionVar(), at);
    mapping.map(loop.getRegionIterArgs(), carries);
    for (Operation *op = &loop.getBody()->front(); op != product; op = op->getNextNode())
      b.clone(*op, mapping);
    issued = cast<WgmmaOp>(b.clone(*product, mapping));
    if (issued.getC() && !isa<AsyncType>(issued.getC().getType())) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(issued);
      issued.getCMutable().assign(ReadyOp::create(b, issued.getLoc(), issued.getC()));
    }
    auto type = cast<RankedTensorType>(product.getResult().getType());
    issued.getResult().setType(AsyncType::get(b.getContext(), type));
    if (n + 1 < beside)
      carry(mapping);
  }
  clonePart(part, last);
  Value complete = CompleteOp::create(b, issued.getLoc(), issued.getResult());
  for (IRMapping &mapping : iterations) {
    mapping.map(product.getResult(), complete);
    for (Operation *op = product->getNextNode(); op != end; op = op->getNextNode())
      b.clone(*op, mapping);
  }
  carry(iterations.back());
  return carries;
}

SmallVector<Value> Overlap::cloneLoop(Value from, Value to, ValueRange values, IRMapping &current) {
  IRMapping mapping(current); // a copy: it must not know the arguments of an earlier clone's body
  auto copy = cast<scf::ForOp>(b.clone(*loop, mapping));
  copy.setLowerBound(from);
  copy.setUpperBound(to);
  copy.getInitArgsMutable().assign(values);
  return SmallVector<Value>(copy.getResults());
}

/// Maps the values that the epilogue uses to those in an iteration of the new loop over output
/// tiles.
IRMapping Overlap::lastPoint(scf::ForOp next) {
  IRMapping mapping;
  mapping.map(points.getInductionVar(),
              arith::SubIOp::create(b, points.getLoc(), next.getInductionVar(), next.getStep())
                  .getResult());
  for (auto [i, number] : llvm::enumerate(carried))
    mapping.map(loop.getResult(number), next.getRegionIterArg(i));
  return mapping;
}

/// The results that are carried.
SmallVector<Value> Overlap::results(ValueRange all) {
  SmallVector<Value> kept;
  for (unsigned number : carried)
    kept.push_back(all[number]);
  return kept;
}

//===--- the new loop ------------------------------------------------------------------------===//

void Overlap::rewrite() {
  Location loc = points.getLoc();
  auto less = [&](Value x, Value y, bool isUnsigned) -> Value {
    auto predicate = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  const bool isUnsigned = points.getUnsignedCmp();
  Value first = points.getLowerBound(), end = points.getUpperBound();

  // One more iteration for the last epilogue, if there is any output tile.
  Value more = arith::AddIOp::create(b, loc, end, points.getStep());
  Value newEnd = choose(less(first, end, isUnsigned), more, end);
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (unsigned number : carried) {
    types.push_back(loop.getResult(number).getType());
    inits.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(types.back())));
  }
  auto next = scf::ForOp::create(b, loc, first, newEnd, points.getStep(), inits);
  next.setUnsignedCmp(isUnsigned);
  next->setDiscardableAttrs(points->getDiscardableAttrDictionary());
  if (!next.getBody()->empty())
    b.eraseOp(next.getBody()->getTerminator());
  b.setInsertionPointToEnd(next.getBody());

  // In that iteration the coordinates are those of any output tile, and no product is computed.
  Value runs = less(next.getInductionVar(), end, isUnsigned);
  IRMapping current;
  current.map(points.getInductionVar(), choose(runs, next.getInductionVar(), first));
  SmallVector<Operation *> copies;
  for (Operation *op : before)
    copies.push_back(b.clone(*op, current));
  auto here = [&](Value value) { return current.lookupOrDefault(value); };
  Value lower = here(loop.getLowerBound()), step = here(loop.getStep());
  Value upper = choose(runs, here(loop.getUpperBound()), lower);
  SmallVector<Value> start;
  for (Value init : loop.getInitArgs())
    start.push_back(here(init));

  const int64_t count = beside * static_cast<int64_t>(parts.size());
  auto times = [&](int64_t n) -> Value {
    return b.createOrFold<arith::MulIOp>(loc, step, constant(step.getType(), n));
  };
  using arith::CmpIPredicate;
  Value any = arith::CmpIOp::create(b, loc, CmpIPredicate::ne, next.getInductionVar(), first);
  Value none = arith::CmpIOp::create(b, loc, CmpIPredicate::eq, next.getInductionVar(), first);
  // lower + (count - 1) * step < upper is false; written without a sum that might overflow.
  Value few = arith::CmpIOp::create(b, loc, CmpIPredicate::sle,
                                    arith::SubIOp::create(b, loc, upper, lower), times(count - 1));
  // This branch comes first in the code. So what it reads of the last output tile is not live
  // through the loop of the other branch.
  Value apart = arith::OrIOp::create(b, loc, none, few);
  auto branch = scf::IfOp::create(b, loc, types, apart, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    if (!block->empty())
      b.eraseOp(block->getTerminator());

  b.setInsertionPointToEnd(branch.thenBlock());
  auto drains = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  b.setInsertionPoint(drains.thenBlock()->getTerminator());
  IRMapping last = lastPoint(next);
  for (ArrayRef<Operation *> part : parts)
    clonePart(part, last);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, results(cloneLoop(lower, upper, start, current)));

  b.setInsertionPointToEnd(branch.elseBlock());
  last = lastPoint(next);
  SmallVector<Value> values = start;
  for (size_t i = 0; i < parts.size(); ++i) {
    Value k = b.createOrFold<arith::AddIOp>(loc, lower, times(beside * static_cast<int64_t>(i)));
    values = clonePeeled(k, values, current, parts[i], last);
  }
  Value rest = b.createOrFold<arith::AddIOp>(loc, lower, times(count));
  scf::YieldOp::create(b, loc, results(cloneLoop(rest, upper, values, current)));

  b.setInsertionPointToEnd(next.getBody());
  for (Operation *op : staying)
    b.clone(*op, current);
  // Copied to registers of their own. ptxas waits for all products before it lets anything read
  // registers that a product has written, whether that product has finished or not (its warning
  // C7517).
  SmallVector<Value> kept(branch.getResults());
  for (Value &value : kept)
    if (isa<RankedTensorType>(value.getType()))
      value = CompleteOp::create(b, loc, ReadyOp::create(b, loc, value));
  scf::YieldOp::create(b, loc, kept);
  b.eraseOp(points);
  // Erase what only the epilogue needs.
  for (Operation *op : llvm::reverse(copies))
    if (isOpTriviallyDead(op))
      b.eraseOp(op);
}

LogicalResult Overlap::run() {
  if (failed(findLoop()) || failed(findEpilogue()) || failed(checkChain()))
    return failure();
  makeParts();
  rewrite();
  return success();
}

namespace {
struct OverlapEpilogue : cta::impl::OverlapEpilogueBase<OverlapEpilogue> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    PlanAttr plan = planOf(kernel);
    if (!plan || plan.getOverlap().value_or(0) == 0)
      return;
    for (auto launch : kernel.getBody().getOps<LaunchOp>()) {
      // Other launches of the kernel have no products that an epilogue could run concurrently with.
      if (!hasProducts(launch) || launch.getBody().getOps<ChannelOp>().empty())
        continue;
      if (replicasOf(plan) > 1 || plan.getProducers() == 0) {
        launch.emitError("overlap needs a role that loads and warpgroups that share a point: leave "
                         "out producers = 0 and replicate = blocks");
        return signalPassFailure();
      }
      FailureOr<scf::ForOp> points =
          loopOverPoints(launch, "overlap runs an epilogue beside the next point's products");
      if (failed(points) || failed(Overlap(launch, *points, *plan.getOverlap()).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
