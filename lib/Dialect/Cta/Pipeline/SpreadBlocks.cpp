// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpreadBlocks.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The part of a wave up to which its output tiles are spread. Fuller waves have a pair on most
/// TPCs anyway, and gain nothing. Source: docs/performance/constants.md.
static constexpr int64_t kMostTiles = 3, kOfSMs = 4;

static Value select(Arith a, Value condition, Value x, Value y) {
  return a.b.createOrFold<arith::SelectOp>(a.loc, condition, x, y);
}

/// The output tiles, as an index, of the wave that is spread; 0 if none is.
static Value spreadTiles(Arith fixed, ValueRange counts, Value total, Value blocks) {
  Value rest = fixed.make<arith::RemUIOp>(total, blocks);
  Value mayPermute = fixed.is(arith::CmpIPredicate::ult, total, blocks);
  for (Value count : counts)
    mayPermute =
        fixed.make<arith::OrIOp>(mayPermute, fixed.is(arith::CmpIPredicate::eq, count, total));
  return select(fixed, mayPermute, rest, fixed.index(0));
}

Value tessera::cta::spreadBlocks(Arith a, Arith fixed, Value id, ValueRange counts, Value total,
                                 Value cores, int64_t blocksPerSM) {
  auto narrow = [&](Value x) -> Value {
    return fixed.b.createOrFold<arith::IndexCastUIOp>(fixed.loc, fixed.b.getI32Type(), x);
  };
  Value blocks = fixed.make<arith::MulIOp>(cores, fixed.index(blocksPerSM));
  Value tiles = spreadTiles(fixed, counts, total, blocks);
  Value half =
      fixed.make<arith::DivUIOp>(fixed.make<arith::AddIOp>(cores, fixed.index(1)), fixed.index(2));
  // The TPCs whose two SMs have successive numbers, among blocks that have `before` others before
  // them.
  auto pairsOf = [&](Value before) {
    Value left = fixed.make<arith::SubIOp>(tiles, before);
    Value few =
        fixed.is(arith::CmpIPredicate::sle, fixed.make<arith::MulIOp>(left, fixed.index(kOfSMs)),
                 fixed.make<arith::MulIOp>(cores, fixed.index(kMostTiles)));
    Value some = fixed.is(arith::CmpIPredicate::sgt, left, fixed.index(0));
    Value pairs = fixed.make<arith::MaxSIOp>(fixed.make<arith::SubIOp>(left, half), fixed.index(0));
    return narrow(select(fixed, fixed.make<arith::AndIOp>(few, some), pairs, cores));
  };

  Value before, place = id, pairs = pairsOf(fixed.index(0));
  for (int64_t part = 1; part < blocksPerSM; ++part) {
    Value start = fixed.make<arith::MulIOp>(cores, fixed.index(part));
    Value first = narrow(start);
    Value isBehind = a.is(arith::CmpIPredicate::uge, id, first);
    before = select(a, isBehind, first, before ? before : a.i32(0));
    pairs = select(a, isBehind, pairsOf(start), pairs);
  }
  if (before)
    place = a.make<arith::SubIOp>(id, before);
  Value tpc = a.make<arith::ShRUIOp>(place, a.i32(1));
  Value isOdd = a.is(arith::CmpIPredicate::ne, a.make<arith::AndIOp>(place, a.i32(1)), a.i32(0));
  Value alone = a.make<arith::AddIOp>(tpc, select(a, isOdd, narrow(half), pairs));
  Value number = select(a, a.is(arith::CmpIPredicate::ult, tpc, pairs), place, alone);
  return before ? a.make<arith::AddIOp>(before, number) : number;
}
