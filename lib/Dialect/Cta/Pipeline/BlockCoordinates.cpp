// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockCoordinates.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

Divisor tessera::cta::makeDivisor(Arith outside, Value value) {
  // An empty grid may have no columns; no block of it divides, but zero must not be a divisor.
  Value positive = outside.make<arith::MaxUIOp>(value, outside.i32(1));
  return {value, outside.make<arith::DivUIOp>(outside.i32(-1), positive)};
}

/// With m = floor((2^32 - 1) / d): 2^32 / d - 1 <= m < 2^32 / d. So n * m / 2^32 is less than n /
/// d, by at most n / 2^32 < 1/2: its floor is the quotient, or one less.
std::pair<Value, Value> tessera::cta::divide(Arith a, Value n, Divisor d) {
  std::optional<int64_t> constant = getConstantIntValue(d.value);
  if (!d.reciprocal || constant) {
    // Without columns or full clusters nothing needs the quotient, but it must not be undefined.
    Value by = constant == int64_t(0) ? a.i32(1) : d.value;
    return {a.make<arith::DivUIOp>(n, by), a.make<arith::RemUIOp>(n, by)};
  }
  Type i64 = a.b.getI64Type(), i32 = a.b.getI32Type();
  auto wide = [&](Value x) -> Value { return a.b.createOrFold<arith::ExtUIOp>(a.loc, i64, x); };
  Value product = a.make<arith::MulIOp>(wide(n), wide(d.reciprocal));
  Value shift = arith::ConstantIntOp::create(a.b, a.loc, 32, 64);
  Value quotient =
      a.b.createOrFold<arith::TruncIOp>(a.loc, i32, a.make<arith::ShRUIOp>(product, shift));
  Value rest = a.make<arith::SubIOp>(n, a.make<arith::MulIOp>(quotient, d.value));
  Value more = arith::CmpIOp::create(a.b, a.loc, arith::CmpIPredicate::uge, rest, d.value);
  Value next = a.make<arith::AddIOp>(quotient, a.i32(1));
  Value less = a.make<arith::SubIOp>(rest, d.value);
  return {arith::SelectOp::create(a.b, a.loc, more, next, quotient),
          arith::SelectOp::create(a.b, a.loc, more, less, rest)};
}

/// The numbers of blocks as i32.
static SmallVector<Value> countsOf(Arith fixed, ValueRange blocks) {
  return llvm::map_to_vector(blocks, [&](Value count) {
    return fixed.b.createOrFold<arith::IndexCastUIOp>(fixed.loc, fixed.b.getI32Type(), count);
  });
}

SmallVector<Value> tessera::cta::blockCoordinates(Arith a, Value rest, ValueRange blocks,
                                                  int64_t group, Value most, unsigned rows,
                                                  Arith fixed, bool reciprocals) {
  unsigned rank = blocks.size();
  SmallVector<Value> coords(rank);
  const SmallVector<Value> counts = countsOf(fixed, blocks);
  auto divisor = [&](Value value) {
    return reciprocals ? makeDivisor(fixed, value) : Divisor{value, {}};
  };

  if (group > 0 && rows + 1 < rank) {
    Value columns = counts[rows + 1];
    for (Value count : ArrayRef<Value>(counts).drop_front(rows + 2))
      columns = fixed.make<arith::MulIOp>(columns, count);
    if (rows > 0) {
      Value inner = fixed.make<arith::MulIOp>(counts[rows], columns);
      Value outer;
      std::tie(outer, rest) = divide(a, rest, divisor(inner));
      for (unsigned d = rows; d-- > 1;)
        std::tie(outer, coords[d]) = divide(a, outer, divisor(counts[d]));
      coords[0] = outer;
    }
    // No group is higher than the grid, so that all products stay below the number of blocks.
    if (!most)
      most = fixed.i32(std::min<int64_t>(group, std::numeric_limits<int32_t>::max()));
    Value height = fixed.make<arith::MinUIOp>(most, counts[rows]);
    auto [number, inside] = divide(a, rest, divisor(fixed.make<arith::MulIOp>(height, columns)));
    Value firstRow = a.make<arith::MulIOp>(number, height);
    Value left = a.make<arith::SubIOp>(counts[rows], firstRow);
    Divisor high{a.make<arith::MinUIOp>(left, height), {}};
    if (reciprocals) {
      // All groups have the same height except the last one. If the grid is lower than a group,
      // that group counts as a whole one.
      Divisor whole = makeDivisor(fixed, height);
      Divisor last = makeDivisor(fixed, fixed.make<arith::RemUIOp>(counts[rows], most));
      Value isWhole =
          a.b.createOrFold<arith::CmpIOp>(a.loc, arith::CmpIPredicate::uge, left, height);
      high.reciprocal =
          a.b.createOrFold<arith::SelectOp>(a.loc, isWhole, whole.reciprocal, last.reciprocal);
    }
    auto [column, row] = divide(a, inside, high);
    coords[rows] = a.make<arith::AddIOp>(firstRow, row);
    for (unsigned d = rank - 1; d > rows + 1; --d)
      std::tie(column, coords[d]) = divide(a, column, divisor(counts[d]));
    coords[rows + 1] = column;
    return coords;
  }
  for (unsigned d = rank - 1; d > 0; --d)
    std::tie(rest, coords[d]) = divide(a, rest, divisor(counts[d]));
  coords[0] = rest;
  return coords;
}

SmallVector<Value> tessera::cta::slowestCoordinates(Arith a, Value number, ValueRange blocks,
                                                    unsigned slowest, bool reverse, Value sections,
                                                    Arith fixed, bool reciprocals) {
  const unsigned rank = blocks.size();
  const SmallVector<Value> counts = countsOf(fixed, blocks);
  auto divisor = [&](Value value) {
    return reciprocals ? makeDivisor(fixed, value) : Divisor{value, {}};
  };
  Value others = fixed.i32(1);
  for (unsigned d = 0; d < rank; ++d)
    if (d != slowest)
      others = fixed.make<arith::MulIOp>(others, counts[d]);
  // There are no more sections than combinations, so that all products stay below the number of
  // blocks. An empty grid has one section of nothing.
  Value most = fixed.make<arith::MaxUIOp>(others, fixed.i32(1));
  Value many = fixed.make<arith::MaxUIOp>(fixed.make<arith::MinUIOp>(sections, most), fixed.i32(1));
  Value narrow = fixed.make<arith::DivUIOp>(others, many),
        wider = fixed.make<arith::RemUIOp>(others, many); // how many have one more
  Value wide = fixed.make<arith::AddIOp>(narrow, fixed.i32(1));
  Value before = fixed.make<arith::MulIOp>(wider, wide); // combinations in those
  Value isWide = getConstantIntValue(before) == int64_t(0)
                     ? Value(arith::ConstantIntOp::create(a.b, a.loc, 0, 1))
                     : a.is(arith::CmpIPredicate::ult, number,
                            fixed.make<arith::MulIOp>(before, counts[slowest]));
  auto select = [&](Value yes, Value no) -> Value {
    return a.b.createOrFold<arith::SelectOp>(a.loc, isWide, yes, no);
  };
  auto ofSection = [&](Value yes, Value no) -> Divisor {
    // No block of an empty grid divides, but zero must not be a divisor.
    yes = fixed.make<arith::MaxUIOp>(yes, fixed.i32(1));
    no = fixed.make<arith::MaxUIOp>(no, fixed.i32(1));
    if (!reciprocals)
      return {select(yes, no), {}};
    return {select(yes, no),
            select(makeDivisor(fixed, yes).reciprocal, makeDivisor(fixed, no).reciprocal)};
  };
  Value skipped = select(fixed.i32(0), before), width = select(wide, narrow);
  Value behind = a.make<arith::SubIOp>(number, a.make<arith::MulIOp>(skipped, counts[slowest]));
  auto [which, inside] = divide(a, behind,
                                ofSection(fixed.make<arith::MulIOp>(wide, counts[slowest]),
                                          fixed.make<arith::MulIOp>(narrow, counts[slowest])));
  Value first = a.make<arith::AddIOp>(skipped, a.make<arith::MulIOp>(which, width));
  auto [place, other] = divide(a, inside, ofSection(wide, narrow));
  if (reverse)
    place = a.make<arith::SubIOp>(fixed.make<arith::SubIOp>(counts[slowest], fixed.i32(1)), place);
  SmallVector<Value> coords(rank);
  coords[slowest] = place;
  Value rest = a.make<arith::AddIOp>(first, other);
  SmallVector<unsigned> dims;
  for (unsigned d = 0; d < rank; ++d)
    if (d != slowest)
      dims.push_back(d);
  while (dims.size() > 1)
    std::tie(rest, coords[dims.back()]) = divide(a, rest, divisor(counts[dims.back()])),
                   dims.pop_back();
  if (!dims.empty())
    coords[dims.front()] = rest;
  return coords;
}
