// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-rotate-loops: the last product of an iteration moves into the next.
//
// A loop with two products, the second of which reads in registers what is computed from the first:
// alone, the tensor cores wait for what lies between. So the body is cut in two. The *tail* is the
// second product and all that touches its accumulator; it runs one iteration later, right behind
// the issue of the first product, and what lies between is computed while it is in flight. What the
// tail needs of its own iteration the loop carries.
//
// Registers of `a` may be written again only when the product has retired: the ops that make them
// stand behind the wait, and what they are made from goes through it (cta.ready, cta.complete), so
// that nothing moves them in front.
#include "HeldSlots.h"
#include "Pressure.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Cta/Transforms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_ROTATELOOPS
#include "tessera/Dialect/Cta/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
class Rotation {
public:
  Rotation(scf::ForOp loop, int64_t cap) : loop(loop), cap(cap), b(loop) {}
  bool run();

private:
  bool findTail(unsigned index);
  bool findProducts();
  bool takeSlot();
  void pullIn();
  bool findCrossing();
  bool fits() const;
  bool isWanted() const;
  void begin(SmallVectorImpl<Value> &inits);
  Value end(scf::ForOp next);
  void issueTogether(scf::ForOp next);
  void rewrite();

  scf::ForOp loop;
  int64_t cap; ///< registers of a thread
  IRRewriter b;

  unsigned number = 0;   ///< of the accumulator among the iter_args
  WgmmaOp first, second; ///< the products
  llvm::SetVector<Operation *> tail;
  SmallVector<Operation *>
      narrow; ///< what makes `a` of the second product from `source`, last first
  Value source;
  ReleaseOp release; ///< of the slot that the second product reads
  llvm::SetVector<Value> crossing;
};
} // namespace

static bool isPlain(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// What the accumulator goes through: nothing else may need it.
bool Rotation::findTail(unsigned index) {
  number = index;
  tail.clear();
  SmallVector<Value> values{loop.getRegionIterArg(index)};
  while (!values.empty()) {
    Value value = values.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      if (op == loop.getBody()->getTerminator()) {
        if (use.getOperandNumber() != index)
          return false;
        continue;
      }
      if (op->getBlock() != loop.getBody() || !isPlain(op))
        return false;
      if (tail.insert(op))
        llvm::append_range(values, op->getResults());
    }
  }
  second = loop.getYieldedValues()[index].getDefiningOp<WgmmaOp>();
  return second && tail.contains(second) && second.getResult().hasOneUse() && !second.isAsync() &&
         second.aInRegisters() && llvm::count_if(tail, llvm::IsaPred<WgmmaOp>) == 1;
}

/// The last product that `a` of the second depends on.
bool Rotation::findProducts() {
  llvm::SetVector<Operation *> sources;
  SmallVector<Value> values{second.getA()};
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == loop.getBody() && sources.insert(op))
      llvm::append_range(values, op->getOperands());
  }
  first = {};
  if (llvm::any_of(sources, [&](Operation *op) { return tail.contains(op); }))
    return false;
  for (Operation *op : sources)
    if (auto product = dyn_cast<WgmmaOp>(op);
        product && !(first && product->isBeforeInBlock(first)))
      first = product;
  if (!first || first.isAsync() || first.aInRegisters())
    return false;
  narrow.clear();
  source = second.getA();
  while (Operation *op = source.getDefiningOp()) {
    if (!isa<arith::TruncFOp, ConvertLayoutOp>(op) || op->getBlock() != loop.getBody() ||
        !source.hasOneUse())
      break;
    narrow.push_back(op);
    source = op->getOperand(0);
  }
  return source.getParentBlock() == loop.getBody() && source.getDefiningOp();
}

/// The wait for what the second product reads comes along.
bool Rotation::takeSlot() {
  release = {};
  Value tile = second.getB();
  while (auto view = tile.getDefiningOp<ViewOp>()) {
    if (!view.getResult().hasOneUse())
      return false;
    tile = view.getSource();
  }
  if (loop.isDefinedOutsideOfLoop(tile))
    return true;
  auto wait = tile.getDefiningOp<WaitOp>();
  release = wait ? releaseToDefer(wait, loop) : ReleaseOp();
  if (!release || !tile.hasOneUse())
    return false;
  for (Value value : wait.getValues())
    if (value != tile && !value.use_empty())
      return false;
  tail.insert(wait);
  for (Value view = second.getB(); view != tile; view = view.getDefiningOp<ViewOp>().getSource())
    tail.insert(view.getDefiningOp());
  return true;
}

static int64_t weightOf(Value value) {
  return isa<RankedTensorType>(value.getType()) ? registersOf(value) : 1;
}

/// What only the tail needs is made there, if what it is made from takes fewer registers.
void Rotation::pullIn() {
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    if (!isPlain(&op) || isa<WgmmaOp>(op) || op.use_empty() || llvm::is_contained(narrow, &op) ||
        tail.contains(&op) ||
        !llvm::all_of(op.getUsers(), [&](Operation *user) { return tail.contains(user); }))
      continue;
    int64_t made = 0, needed = 0;
    for (Value result : op.getResults())
      made += weightOf(result);
    for (Value operand : op.getOperands())
      if (!loop.isDefinedOutsideOfLoop(operand))
        needed += weightOf(operand);
    if (needed < made)
      tail.insert(&op);
  }
}

bool Rotation::findCrossing() {
  crossing.clear();
  for (Operation *op : tail)
    for (Value operand : op->getOperands()) {
      if (loop.isDefinedOutsideOfLoop(operand) || operand == loop.getRegionIterArg(number) ||
          (operand.getDefiningOp() && tail.contains(operand.getDefiningOp())))
        continue;
      if (!isa<RankedTensorType>(operand.getType()) && !operand.getType().isIntOrIndexOrFloat())
        return false;
      crossing.insert(operand);
    }
  return true;
}

bool Rotation::fits() const {
  WgmmaOp a = first, c = second;
  int64_t registers = registersOf(a.getResult()) + registersOf(c.getResult());
  for (Value value : crossing)
    registers += weightOf(value);
  return registers + kOtherRegisters <= cap;
}

/// The schedule of the loop, if it has one, has the second product run one iteration later.
bool Rotation::isWanted() const {
  scf::ForOp op = loop;
  auto schedule = op->getAttrOfType<DictionaryAttr>(kScheduleAttr);
  auto stages = schedule ? schedule.getAs<DenseI64ArrayAttr>("products") : DenseI64ArrayAttr();
  SmallVector<WgmmaOp> products(op.getBody()->getOps<WgmmaOp>());
  if (!stages || stages.size() != static_cast<int64_t>(products.size()))
    return true;
  auto stageOf = [&](WgmmaOp product) {
    return stages[llvm::find(products, product) - products.begin()];
  };
  return stageOf(second) > stageOf(first);
}

//===--- rewriting ---------------------------------------------------------------------------===//

/// The first iteration without its tail; what the loop begins with.
void Rotation::begin(SmallVectorImpl<Value> &inits) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
  for (Operation &op : loop.getBody()->without_terminator())
    if (!tail.contains(&op) && &op != release)
      b.clone(op, mapping);
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    inits.push_back(i == number ? loop.getInitArgs()[i] : mapping.lookupOrDefault(value));
  for (Value value : crossing)
    inits.push_back(mapping.lookupOrDefault(value));
}

/// The last iteration's tail behind the loop.
Value Rotation::end(scf::ForOp next) {
  IRMapping mapping;
  mapping.map(next.getRegionIterArg(number), next.getResult(number));
  for (unsigned i = loop.getNumResults(); i < next.getNumResults(); ++i)
    mapping.map(next.getRegionIterArg(i), next.getResult(i));
  for (Operation *op : tail)
    b.clone(*op, mapping);
  if (release)
    b.clone(*release, mapping);
  return mapping.lookup(second.getResult());
}

/// Both products in flight; the second until everything else of the iteration is done.
void Rotation::issueTogether(scf::ForOp next) {
  auto makeAsync = [&](WgmmaOp product) {
    b.setInsertionPoint(product);
    if (product.getC())
      product.getCMutable().assign(ReadyOp::create(b, product.getLoc(), product.getC()));
    product.getResult().setType(AsyncType::get(b.getContext(), product.getResultType()));
  };
  makeAsync(first);
  makeAsync(second);
  auto complete = [&](Value product, Location loc) {
    auto op = CompleteOp::create(b, loc, product);
    b.replaceAllUsesExcept(product, op.getResult(), op);
    return op.getResult();
  };
  b.setInsertionPointAfter(second);
  Value scores = complete(first.getResult(), first.getLoc());
  if (source == first.getResult())
    source = scores;
  b.setInsertionPoint(next.getBody()->getTerminator());
  // Through the wait: what `a` is made from.
  Value before = ReadyOp::create(b, source.getLoc(), source);
  complete(second.getResult(), second.getLoc());
  Value behind = CompleteOp::create(b, source.getLoc(), before);
  if (release)
    release->moveBefore(next.getBody()->getTerminator());
  for (Operation *op : llvm::reverse(narrow))
    op->moveBefore(next.getBody()->getTerminator());
  Operation *user = narrow.empty() ? next.getBody()->getTerminator() : narrow.back();
  user->replaceUsesOfWith(source, behind);
}

void Rotation::rewrite() {
  Location loc = loop.getLoc();
  // The tail in the order of the text.
  SmallVector<Operation *> ordered = tail.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *c) { return a->isBeforeInBlock(c); });
  tail.insert(ordered.begin(), ordered.end());

  Value runs = arith::CmpIOp::create(
      b, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
      loop.getLowerBound(), loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(), runs, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, loop.getInitArgs());
  b.setInsertionPointToEnd(branch.thenBlock());
  Value lower = arith::AddIOp::create(b, loc, loop.getLowerBound(), loop.getStep());
  SmallVector<Value> inits;
  begin(inits);

  auto next = scf::ForOp::create(b, loc, lower, loop.getUpperBound(), loop.getStep(), inits);
  next.setUnsignedCmp(loop.getUnsignedCmp());
  next->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!next.getBody()->empty())
    b.eraseOp(next.getBody()->getTerminator());
  const unsigned count = loop.getNumResults();
  // Block arguments among them get new names.
  SmallVector<Value> kept;
  for (Value value : crossing) {
    auto argument = dyn_cast<BlockArgument>(value);
    kept.push_back(argument ? next.getBody()->getArgument(argument.getArgNumber()) : value);
  }
  b.inlineBlockBefore(loop.getBody(), next.getBody(), next.getBody()->end(),
                      next.getBody()->getArguments().take_front(1 + count));
  next.getBody()->getTerminator()->insertOperands(count, kept);
  Operation *place = first;
  for (Operation *op : tail) {
    for (auto [i, value] : llvm::enumerate(kept))
      op->replaceUsesOfWith(value, next.getRegionIterArg(count + i));
    op->moveAfter(place);
    place = op;
  }
  Value last = end(next);
  SmallVector<Value> results(next.getResults().take_front(count));
  results[number] = last;
  scf::YieldOp::create(b, loc, results);
  issueTogether(next);
  b.replaceOp(loop, branch.getResults());
}

bool Rotation::run() {
  bool straight = llvm::all_of(
      *loop.getBody(), [](Operation &op) { return op.getNumRegions() == 0 || isa<ReduceOp>(op); });
  if (!straight)
    return false;
  for (unsigned i = 0; i < loop.getNumResults(); ++i) {
    if (!isa<RankedTensorType>(loop.getResult(i).getType()) || !findTail(i) || !findProducts() ||
        !takeSlot())
      continue;
    pullIn();
    if (!findCrossing() || !fits() || !isWanted())
      continue;
    rewrite();
    return true;
  }
  return false;
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
    int64_t cap = plan.getRegisters().value_or(0);
    if (!cap)
      cap = entryCap(128 * kernel.getWarpgroups().value_or(1) * replicasOf(plan) +
                     32 * plan.getProducers().value_or(1));
    for (auto launch : kernel.getBody().getOps<LaunchOp>()) {
      SmallVector<scf::ForOp> loops;
      launch.getBody().walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        Rotation(loop, cap).run();
    }
  }
};
} // namespace
