// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// nvvm-park-scalars: keeps scalars in the lanes of one register. It does so for scalars that are
// needed once per output tile and that all threads of a warp share, in roles that get registers by
// setmaxnreg.
//
// ptxas would keep each of them in a register of its own next to the accumulators, because it does
// not recompute anything that took a division; and it spills if there are too many.
#include "../Lowering.h"
#include "tessera/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tessera {
#define GEN_PASS_DEF_NVVMPARKSCALARS
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

/// Fewer scalars are not worth a register and the instructions.
static constexpr size_t kFewest = 3, kLanes = 32;

namespace {
/// Tells whether values are the same in all threads of a warp, and whether they take work to
/// recompute.
class Uniform {
public:
  bool contains(Value value) { return find(value).uniform; }
  bool isMadeAtOnce(Value value) { return !find(value).computed; }

private:
  struct Fact {
    bool uniform = false, computed = false;
  };
  Fact find(Value value);

  DenseMap<Value, Fact> facts;
};

/// The loop over output tiles of one role.
class OutputTileLoop {
public:
  explicit OutputTileLoop(scf::ForOp loop) : loop(loop) {}
  void park(Uniform &uniform);

private:
  void numberOps();
  bool isNeededAtOnceOnly(Value value);
  void askForEnd(llvm::function_ref<Value(OpBuilder &)> bound);

  scf::ForOp loop;
  llvm::SetVector<Value> wanted; ///< defined outside; used before all products and inner loops
  DenseSet<Operation *> early;   ///< the ops in that part of the loop
};
} // namespace

/// Arguments of the kernel are uniform, and so is what is computed from them and the number of the
/// block or cluster.
Uniform::Fact Uniform::find(Value value) {
  if (auto known = facts.find(value); known != facts.end())
    return known->second;
  facts[value] = {}; // while it is computed, and so in a cycle, nothing is known
  Fact fact;
  Operation *op = value.getDefiningOp();
  if (!op) {
    fact.uniform = isa<LLVM::LLVMFuncOp>(value.getParentBlock()->getParentOp());
  } else if (isa<NVVM::BlockIdXOp, NVVM::GridDimXOp>(op)) {
    fact.uniform = true;
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto result = cast<OpResult>(value).getResultNumber();
    fact.uniform = contains(branch.getCondition()) &&
                   contains(branch.thenYield().getOperand(result)) &&
                   contains(branch.elseYield().getOperand(result));
    fact.computed = true;
  } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    fact.uniform = load->hasAttr(tessera::nvvm::kUniformAttr) && contains(load.getAddr());
    fact.computed = true;
  } else if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
             isa<LLVM::GEPOp, LLVM::PtrToIntOp>(op)) {
    fact.uniform = true;
    fact.computed = !isa<arith::ConstantOp, arith::IndexCastOp, arith::IndexCastUIOp,
                         arith::TruncIOp, arith::ExtUIOp, arith::ExtSIOp>(op);
    for (Value operand : op->getOperands()) {
      Fact from = find(operand);
      fact.uniform &= from.uniform;
      fact.computed |= from.computed;
    }
  }
  return facts[value] = fact;
}

static bool isProduct(Operation *op) {
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  return text && text.getAsmString().contains("wgmma.mma_async");
}

void OutputTileLoop::numberOps() {
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isProduct(op) || isa<LoopLikeOpInterface>(op))
      return WalkResult::interrupt();
    early.insert(op);
    for (Value operand : op->getOperands())
      if (operand.getType().isInteger(32) &&
          !loop.getRegion().isAncestor(operand.getParentRegion()))
        wanted.insert(operand);
    return WalkResult::advance();
  });
}

/// True if the value is needed once per output tile: not in inner loops, not after products, and
/// not after the last output tile.
bool OutputTileLoop::isNeededAtOnceOnly(Value value) {
  return value != loop.getStep() && llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (loop->isProperAncestor(user))
             return early.contains(user);
           Operation *ancestor = loop->getBlock()->findAncestorOpInBlock(*user);
           return !ancestor || ancestor == loop || ancestor->isBeforeInBlock(loop);
         });
}

/// Rewrites the loop so that it asks `bound` for its end at every output tile.
void OutputTileLoop::askForEnd(llvm::function_ref<Value(OpBuilder &)> bound) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inits{loop.getLowerBound()};
  llvm::append_range(inits, loop.getInitArgs());
  auto goesOn = [&](OpBuilder &b, Location loc, ValueRange carried) {
    Value more = arith::CmpIOp::create(
        b, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
        carried.front(), bound(b));
    scf::ConditionOp::create(b, loc, more, carried);
  };
  auto body = [&](OpBuilder &b, Location loc, ValueRange carried) {
    Block *block = b.getInsertionBlock(), *old = loop.getBody();
    for (auto [before, now] : llvm::zip_equal(old->getArguments(), carried))
      before.replaceAllUsesWith(now);
    auto yield = cast<scf::YieldOp>(old->getTerminator());
    SmallVector<Value> next(yield.getOperands());
    yield.erase();
    block->getOperations().splice(block->end(), old->getOperations());
    b.setInsertionPointToEnd(block);
    next.insert(next.begin(), arith::AddIOp::create(b, loc, carried.front(), loop.getStep()));
    scf::YieldOp::create(b, loc, next);
  };
  auto whole = scf::WhileOp::create(b, loc, TypeRange(ValueRange(inits)), inits, goesOn, body);
  whole->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop.replaceAllUsesWith(whole.getResults().drop_front());
  loop.erase();
}

/// True for loops that contain products and an inner loop. A loop over K in a launch with one
/// output tile per block is no place for shuffles.
static bool repeatsMainLoop(scf::ForOp loop) {
  bool loops = false, products = false;
  loop.getBody()->walk([&](Operation *op) {
    loops |= isa<LoopLikeOpInterface>(op);
    products |= isProduct(op);
  });
  return loops && products;
}

void OutputTileLoop::park(Uniform &uniform) {
  if (!repeatsMainLoop(loop))
    return;
  // All lanes must be active when one is read, so the trip count must be uniform.
  Value end = loop.getUpperBound();
  if (!uniform.contains(loop.getLowerBound()) || !uniform.contains(end) ||
      !uniform.contains(loop.getStep()))
    return;
  numberOps();
  if (!wanted.empty() && end.getType().isInteger(32))
    wanted.insert(end);
  wanted.remove_if([&](Value value) {
    return !uniform.contains(value) || uniform.isMadeAtOnce(value) || !isNeededAtOnceOnly(value);
  });
  if (wanted.size() < kFewest)
    return;
  SmallVector<Value> values = wanted.takeVector();
  values.truncate(std::min(values.size(), kLanes));

  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto i32 = [&](OpBuilder &b, int32_t number) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), number);
  };
  Value lane = NVVM::LaneIdOp::create(b, loc, b.getI32Type(), LLVM::ConstantRangeAttr());
  Value parked = values.front();
  for (auto [i, value] : llvm::drop_begin(llvm::enumerate(values))) {
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, i32(b, i));
    parked = arith::SelectOp::create(b, loc, here, value, parked);
  }
  auto fetch = [&](OpBuilder &b, int32_t from) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(b, -1), parked, i32(b, from),
                                i32(b, 31), NVVM::ShflKind::idx, UnitAttr());
  };
  b.setInsertionPointToStart(loop.getBody());
  std::optional<int32_t> laneOfEnd;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (value == end)
      laneOfEnd = i;
    auto isEarly = [&](OpOperand &use) { return early.contains(use.getOwner()); };
    if (llvm::any_of(value.getUses(), isEarly))
      value.replaceUsesWithIf(fetch(b, i), isEarly);
  }
  if (laneOfEnd)
    askForEnd([&](OpBuilder &b) { return fetch(b, *laneOfEnd); });
}

namespace {
struct ParkScalars : tessera::impl::NVVMParkScalarsBase<ParkScalars> {
  void runOnOperation() override {
    // Parking replaces loops, so each is visited once, even if its block has several setmaxnreg.
    llvm::SetVector<Operation *> loops;
    getOperation().walk([&](NVVM::SetMaxRegisterOp deal) {
      if (deal.getAction() == NVVM::SetMaxRegisterAction::increase)
        for (auto loop : deal->getBlock()->getOps<scf::ForOp>())
          loops.insert(loop);
    });
    Uniform uniform;
    for (Operation *loop : loops)
      OutputTileLoop(cast<scf::ForOp>(loop)).park(uniform);
  }
};
} // namespace
