// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CutLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The first value of the induction variable that is not below `place`.
static Value firstFrom(IRRewriter &b, CountedLoop loop, Value place) {
  Location loc = loop.getLoc();
  Value from = loop.getLowerBound();
  Value length = arith::SubIOp::create(b, loc, place, from);
  Value roundUp = arith::ConstantIndexOp::create(b, loc, *getConstantIntValue(loop.getStep()) - 1);
  Value iterations = arith::DivUIOp::create(b, loc, arith::AddIOp::create(b, loc, length, roundUp),
                                            loop.getStep());
  return arith::AddIOp::create(b, loc, from,
                               arith::MulIOp::create(b, loc, iterations, loop.getStep()));
}

CountedLoop tessera::cta::cutLoop(IRRewriter &b, CountedLoop loop, Value place,
                                  IRMapping &mapping) {
  assert(loop.getInductionVar().getType().isIndex() && "the loop does not count in indices");
  b.setInsertionPoint(loop);
  Value next = firstFrom(b, loop, place);
  auto part = cast<CountedLoop>(b.clone(*loop, mapping));
  part.setUpperBound(place);
  loop.setLowerBound(next);
  for (auto [i, result] : llvm::enumerate(part.getResults()))
    loop.setInitArg(i, result);
  return part;
}
