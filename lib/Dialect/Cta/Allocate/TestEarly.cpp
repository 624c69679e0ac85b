// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-test-early: a loop tests the slot of its next iteration while this one computes.
//
// Where no product is in flight when an iteration waits for a slot, the tensor cores stand still
// until its first product is issued, and the latency of the wait belongs to that time even if the
// slot has been full for long. Such loops are those whose products all retire in the iteration that
// issues them: rotated loops. The slot is tested as late as that hides the latency, and the loop
// carries the token: in front of the last product that the iteration waits for or, if the iteration
// computes behind that wait, in front of the conversions at its end. ptxas moves no wait for
// products above a test, but it moves waits above arithmetic and arithmetic above waits.
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/IR/Remarks.h"

namespace tessera::cta {
#define GEN_PASS_DEF_TESTEARLY
#include "tessera/Dialect/Cta/Allocate/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Whether the op, or one in it, is an op of the channel's consumer.
static bool uses(Operation *op, Value channel) {
  return op
      ->walk([&](Operation *inner) {
        return isa<WaitOp, ReleaseOp, TestOp, SkipOp>(inner) && inner->getOperand(0) == channel
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an iteration waits for the channel only once.
static bool isOnlyWait(WaitOp wait, CountedLoop loop) {
  unsigned waits = 0;
  loop.getBody()->walk([&](Operation *op) {
    waits += isa<WaitOp, SkipOp>(op) && op->getOperand(0) == wait.getChannel();
  });
  return waits == 1;
}

static bool isInFlight(Operation *op) {
  auto product = dyn_cast<WgmmaOp>(op);
  return product && product.isAsync();
}

/// The first product of an iteration that is in flight; null if a product of the iteration before
/// may be in flight when the iteration begins.
static WgmmaOp firstInFlight(CountedLoop loop) {
  if (llvm::any_of(loop.getRegionIterArgs(),
                   [](Value value) { return isa<AsyncType>(value.getType()); }))
    return {};
  auto first = llvm::find_if(*loop.getBody(), [](Operation &op) { return isInFlight(&op); });
  return first == loop.getBody()->end() ? WgmmaOp() : cast<WgmmaOp>(*first);
}

/// True for arithmetic on tiles, other than the conversion of a product's next operand.
static bool isArithmetic(Operation *op) {
  return CostModel::classOf(op) != WorkClass::Free && isPure(op) &&
         !isa<arith::TruncFOp, arith::TruncIOp, ConvertLayoutOp>(op) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// In front of the last product that is waited for when all of the iteration are issued, or behind
/// the arithmetic that follows; null if there is none.
static Operation *placeOfTest(CountedLoop loop) {
  Operation *last = nullptr;
  bool issued = false;
  for (Operation &op : *loop.getBody()) {
    if (isInFlight(&op)) {
      issued = true;
      last = nullptr;
    }
    auto complete = dyn_cast<CompleteOp>(op);
    auto release = dyn_cast<ReleaseOp>(op);
    if (issued && ((complete && complete.getSource().getDefiningOp<WgmmaOp>()) ||
                   (release && !release.getAfter().empty())))
      last = &op;
  }
  Operation *place = last;
  for (Operation *op = last; op; op = op->getNextNode())
    if (isArithmetic(op))
      place = op->getNextNode();
  return place;
}

/// Whether an iteration computes tiles from its products. If it does not, the tensor cores wait for
/// nothing but slots, and a test gains nothing.
static bool computes(CountedLoop loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    auto complete = dyn_cast<CompleteOp>(op);
    return complete && complete.getSource().getDefiningOp<WgmmaOp>() &&
           llvm::any_of(op.getUsers(), [&](Operation *user) {
             user = op.getBlock()->findAncestorOpInBlock(*user);
             return isMemoryEffectFree(user) &&
                    llvm::any_of(user->getResultTypes(), llvm::IsaPred<RankedTensorType>);
           });
  });
}

/// The loop carries the token of this wait. The first one is made behind what is done with the slot
/// before.
static CountedLoop carryToken(CountedLoop loop, WaitOp wait, Operation *place) {
  Value channel = wait.getChannel();
  Operation *before = loop->getPrevNode();
  while (before && !uses(before, channel))
    before = before->getPrevNode();
  IRRewriter b(loop->getContext());
  if (before)
    b.setInsertionPointAfter(before);
  else
    b.setInsertionPoint(loop);
  Value first = TestOp::create(b, wait.getLoc(), channel);
  b.setInsertionPoint(place);
  Value next = TestOp::create(b, wait.getLoc(), channel);
  b.setInsertionPoint(loop);
  FailureOr<LoopLikeOpInterface> grown =
      cast<LoopLikeOpInterface>(loop.getOperation())
          .replaceWithAdditionalYields(b, first, /*replaceInitOperandUsesInLoop=*/false,
                                       [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
                                         return SmallVector<Value>{next};
                                       });
  assert(succeeded(grown) && "a counted loop can carry another value");
  auto result = cast<CountedLoop>(grown->getOperation());
  wait.getUnlessMutable().assign(result.getRegionIterArgs().back());
  return result;
}

static void testEarly(CountedLoop loop, LaunchOp launch) {
  WgmmaOp first = firstInFlight(loop);
  Operation *place = first ? placeOfTest(loop) : nullptr;
  if (!place || !computes(loop))
    return;
  SmallVector<WaitOp> waits;
  for (auto wait : loop.getBody()->getOps<WaitOp>())
    if (!wait.getUnless() && wait->isBeforeInBlock(first) && isOnlyWait(wait, loop))
      waits.push_back(wait);
  for (WaitOp wait : waits) {
    loop = carryToken(loop, wait, place);
    remark::passed(
        wait.getLoc(),
        remark::RemarkOpts::name("test").category("cta-test-early").function(launch.getSymbol()))
        << "the slot of the next iteration is tested while this one computes";
  }
}

namespace {
struct TestEarly : cta::impl::TestEarlyBase<TestEarly> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Specialized, getArgument())))
      return signalPassFailure();
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      for (auto role : launch.getBody().getOps<RoleOp>()) {
        if (role.getReplicas())
          continue; // they do not know before their turn which slot is their next
        SmallVector<CountedLoop> loops;
        role.walk([&](CountedLoop loop) { loops.push_back(loop); });
        for (CountedLoop loop : loops)
          testEarly(loop, launch);
      }
  }
};
} // namespace
