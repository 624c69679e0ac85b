// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

using namespace mlir;
using namespace tessera::cta;

CountedLoop CountedLoop::createLike(OpBuilder &b, Value lower, Value upper, Value step,
                                    ValueRange inits) {
  Location loc = getOperation()->getLoc();
  CountedLoop made;
  if (isOverOutputTiles()) {
    auto loop = ForOutputTilesOp::create(b, loc, lower, upper, step, inits);
    loop.setDrawnAttr(cast<ForOutputTilesOp>(getOperation()).getDrawnAttr());
    made = loop;
  } else {
    auto loop = scf::ForOp::create(b, loc, lower, upper, step, inits);
    loop.setUnsignedCmp(getUnsignedCmp());
    made = loop;
  }
  // Without carried values the builder of scf.for makes a terminator.
  made.getBody()->clear();
  made->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  return made;
}

void CountedLoop::createYield(OpBuilder &b, ValueRange values) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(getBody());
  if (isOverOutputTiles())
    YieldOp::create(b, getOperation()->getLoc(), values);
  else
    scf::YieldOp::create(b, getOperation()->getLoc(), values);
}

bool CountedLoop::getUnsignedCmp() {
  auto loop = dyn_cast<scf::ForOp>(getOperation());
  return loop && loop.getUnsignedCmp();
}

bool tessera::cta::isInnermostLoop(Operation *op) {
  return isa<LoopLikeOpInterface>(op) && !op->walk([&](LoopLikeOpInterface inner) {
                                              return inner == op ? WalkResult::advance()
                                                                 : WalkResult::interrupt();
                                            }).wasInterrupted();
}
