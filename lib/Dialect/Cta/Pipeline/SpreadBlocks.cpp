// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpreadBlocks.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"

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
static Value tilesOfWave(Arith fixed, ValueRange counts, Value total, Value blocks) {
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
  auto times = [&](Value x, int64_t y) { return fixed.make<arith::MulIOp>(x, fixed.index(y)); };
  Value tiles = tilesOfWave(fixed, counts, total, times(cores, blocksPerSM));
  const bool shares = blocksPerSM > 1;
  // Of blocks that are the first ones of their SMs, the second ones, and so on: all of those before
  // `start` have an output tile, and none of those from `start + cores` on.
  Value left = shares ? fixed.make<arith::RemUIOp>(tiles, cores) : tiles;
  Value start = fixed.make<arith::SubIOp>(tiles, left);
  Value half =
      fixed.make<arith::DivUIOp>(fixed.make<arith::AddIOp>(cores, fixed.index(1)), fixed.index(2));
  Value some = fixed.is(arith::CmpIPredicate::ugt, left, fixed.index(0)),
        few = fixed.is(arith::CmpIPredicate::ule, times(left, kOfSMs), times(cores, kMostTiles));
  // The TPCs whose blocks keep their numbers.
  Value pairs = fixed.make<arith::MaxSIOp>(fixed.make<arith::SubIOp>(left, half), fixed.index(0));
  pairs = narrow(select(fixed, fixed.make<arith::AndIOp>(some, few), pairs, cores));

  Value first = narrow(start);
  // Huge for the blocks before.
  Value place = shares ? a.make<arith::SubIOp>(id, first) : id;
  Value tpc = a.make<arith::ShRUIOp>(place, a.i32(1));
  Value isOdd = a.is(arith::CmpIPredicate::ne, a.make<arith::AndIOp>(place, a.i32(1)), a.i32(0));
  Value alone = a.make<arith::AddIOp>(tpc, select(a, isOdd, narrow(half), pairs));
  Value isAlone = a.is(arith::CmpIPredicate::uge, tpc, pairs);
  if (!shares)
    return select(a, isAlone, alone, id);
  Value isInPart = a.is(arith::CmpIPredicate::ult, place, narrow(cores));
  return select(a, a.make<arith::AndIOp>(isInPart, isAlone), a.make<arith::AddIOp>(first, alone),
                id);
}

std::optional<StringRef> tessera::cta::whyNotSpread(tile::GridOp grid, PlanAttr plan,
                                                    LaunchKind launch) {
  if (!launch.persistent)
    return "its launch is not persistent";
  if (plan.getCluster().value_or(1) > 1)
    return "the blocks of a cluster need successive numbers";
  if (plan.getStreamK().value_or(0) != 0)
    return "parts of output tiles begin in the order of their numbers";
  // The numbers that a queue gives are those behind the blocks' own ones.
  if (launch.queued)
    return "its blocks take output tiles from a queue";
  if (mayWait(grid))
    return "its blocks may wait for those with lower numbers";
  if (!launch.dependent)
    return "launches that are not dependent have no more blocks than output tiles";
  if (machineOf(grid).smsOfTpc != 2)
    return "the TPCs of this machine do not have two SMs";
  return std::nullopt;
}
