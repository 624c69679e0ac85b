// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-verify: a wait that takes a token is for the slot that was tested.
//
// In phase specialized the token is followed back from the wait, through loops and conditions, to
// the tests that it may come from. Each is a test of the same channel, and between the test and the
// wait nothing moves on along the channel. In phase allocated the result of a cta.test_wait goes to
// awaits of the same mbarriers; slots and parities are values, which cta-simulate compares.
#include "VerifyAsync.h"

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
class TokenVerifier {
public:
  TokenVerifier(Operation *user, Value channel, tile::Phase phase)
      : user(user), channel(channel), phase(phase) {}
  /// Emits an error unless the token, at this op, is a test of the slot that comes next.
  LogicalResult check(Value token, Operation *at);

private:
  LogicalResult checkNothingMoves(Value token, Operation *at);
  LogicalResult checkOrigin(Value token);
  bool moves(Operation *op);
  InFlightDiagnostic error() { return breaksPhase(user, phase); }

  Operation *user;
  Value channel; ///< null in phase allocated
  tile::Phase phase;
  llvm::SmallDenseSet<std::pair<Value, Operation *>> visited;
};
} // namespace

/// Whether the op, or one in it, goes on to the next slot of the channel.
bool TokenVerifier::moves(Operation *op) {
  return channel && op->walk([&](Operation *inner) {
                        return isa<WaitOp, SkipOp>(inner) && inner->getOperand(0) == channel
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      }).wasInterrupted();
}

/// From `at` out to the block of the token: what runs between the two.
LogicalResult TokenVerifier::checkNothingMoves(Value token, Operation *at) {
  Block *home = token.getParentBlock();
  auto complain = [&](Operation *between) {
    InFlightDiagnostic wrong = error() << "takes a token that was made before another wait of the "
                                          "channel, so it speaks of another slot";
    wrong.attachNote(between->getLoc()) << "this goes on to the next slot";
    return wrong;
  };
  for (Operation *op = at;;) {
    Block *block = op->getBlock();
    Block::iterator begin = block->begin();
    if (block == home && token.getDefiningOp())
      begin = std::next(token.getDefiningOp()->getIterator());
    for (Operation &between : llvm::make_range(begin, op->getIterator()))
      if (moves(&between))
        return complain(&between);
    if (block == home)
      return success();
    op = block->getParentOp();
    // Another iteration, or the condition of a while loop, may have gone on.
    if (!isa<scf::IfOp, scf::IndexSwitchOp, ElectOp>(op) && moves(op))
      return complain(op);
  }
}

LogicalResult TokenVerifier::checkOrigin(Value token) {
  Operation *made = token.getDefiningOp();
  if (auto test = dyn_cast_or_null<TestOp>(made)) {
    if (test.getChannel() == channel)
      return success();
    InFlightDiagnostic wrong = error() << "takes a token of another channel";
    wrong.attachNote(test.getLoc()) << "the test";
    return wrong;
  }
  auto await = dyn_cast<AwaitOp>(user);
  if (auto test = dyn_cast_or_null<TestWaitOp>(made); test && await) {
    if (test.getMbarrier() == await.getMbarrier())
      return success();
    InFlightDiagnostic wrong = error() << "is skipped by a test of mbarrier " << test.getMbarrier()
                                       << ", but waits for mbarrier " << await.getMbarrier();
    wrong.attachNote(test.getLoc()) << "the test";
    return wrong;
  }
  if (auto loop =
          dyn_cast_or_null<CountedLoop>(made ? made : token.getParentBlock()->getParentOp())) {
    const unsigned number = made ? cast<OpResult>(token).getResultNumber()
                                 : cast<BlockArgument>(token).getArgNumber() - 1;
    Operation *end = loop.getBody()->getTerminator();
    return failure(failed(check(loop.getInitArgs()[number], loop)) ||
                   failed(check(end->getOperand(number), end)));
  }
  if (isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp>(made)) {
    for (Region &arm : made->getRegions()) {
      Operation *end = arm.front().getTerminator();
      if (failed(check(end->getOperand(cast<OpResult>(token).getResultNumber()), end)))
        return failure();
    }
    return success();
  }
  InFlightDiagnostic wrong = error() << "takes a token that comes from "
                                     << (await ? "a cta.test_wait" : "a cta.test")
                                     << ", directly or through counted loops and conditions";
  wrong.attachNote(token.getLoc()) << "this is where it comes from";
  return wrong;
}

LogicalResult TokenVerifier::check(Value token, Operation *at) {
  if (!visited.insert({token, at}).second)
    return success();
  return failure(failed(checkNothingMoves(token, at)) || failed(checkOrigin(token)));
}

LogicalResult tessera::cta::verifyTokens(tile::KernelOp kernel) {
  const tile::Phase phase = *kernel.getPhase();
  bool ok = true;
  kernel.walk([&](Operation *op) {
    if (auto wait = dyn_cast<WaitOp>(op); wait && wait.getUnless())
      ok &= succeeded(TokenVerifier(wait, wait.getChannel(), phase).check(wait.getUnless(), wait));
    if (auto await = dyn_cast<AwaitOp>(op); await && await.getUnless())
      ok &= succeeded(TokenVerifier(await, Value(), phase).check(await.getUnless(), await));
    if (auto role = op->getParentOfType<RoleOp>(); isa<TestOp>(op) && role && role.getReplicas()) {
      breaksPhase(op, phase) << "is in a role with replicas, which do not know before their turn "
                                "which slot is their next";
      ok = false;
    }
  });
  return success(ok);
}
