// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.mma on the FMA units: each thread walks along k and reads from shared memory the rows of A
// and the columns of B that its registers need. 16-bit floats are multiplied and summed in f32.
// Products for mma.sync go to Elements/MmaSync.cpp.
#include "Elements/MmaSync.h"
#include "SharedTile.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

namespace {
/// The elements of one operand that a thread reads at one k: rows of A, or vectors of columns of B.
class Reader {
public:
  Reader(Lowering &f, Value tile, TileIndex &index, bool isA)
      : f(f), index(index), shared(cta::sharedLayout(cast<cta::SmemType>(tile.getType()))),
        element(cast<cta::SmemType>(tile.getType()).getElementType()), place(*f.placeOf(tile)),
        inRing(cta::slotOf(tile)), rank(index.rank()), kDim(isA ? rank - 1 : rank - 2),
        mnDim(isA ? rank - 2 : rank - 1) {
    int64_t bytes = shared.elementBits / 8;
    // A vector lies along k in A and along the columns in B. Both are the last dimension.
    vector = isA ? 16 / bytes
                 : std::min(16 / bytes, index.layout.contiguousRegisters(index.shape, mnDim));
    int64_t extent = shared.shape[rank - 1];
    while (vector > 1 && (!shared.linear || shared.contiguousDim != rank - 1 || extent % vector ||
                          place.offset % (vector * bytes) || shared.spanBytes() % (vector * bytes)))
      vector /= 2;
  }

  int64_t vectorElements() const { return vector; }

  /// Reads `vector` elements, in memory form, beginning at the element (row or column of `reg`, k +
  /// step).
  Values read(int64_t reg, Value k, int64_t step) {
    int64_t bytes = vector * shared.elementBits / 8;
    auto [pointer, constant] = address(reg, k, step);
    return f.unpack(f.loadWords(pointer, place.offset + constant, bytes, false),
                    f.memoryType(element), vector);
  }

private:
  bool mayBeDead(int64_t reg, int dim) {
    return index.at(reg, dim).constant + index.maxThread[dim] >= index.shape[dim];
  }

  /// The coordinate of a register. A dead register gets a coordinate that exists.
  Value coordinate(int64_t reg, int dim) {
    Value c = index.value(index.at(reg, dim));
    int64_t last = index.shape[dim] - (mnDim == rank - 1 && dim == mnDim ? vector : 1);
    return mayBeDead(reg, dim) ? f.min(c, f.i32(last)) : c;
  }

  std::pair<Value, int64_t> address(int64_t reg, Value k, int64_t step) {
    Values coords(rank);
    if (!shared.linear) {
      for (int d = 0; d < rank; ++d)
        coords[d] = d == kDim ? f.add(k, f.i32(step)) : coordinate(reg, d);
      return {f.gep(place.base, elementOffset(f, shared, coords)), 0};
    }
    // The offset is linear in the coordinates: the part of the rows is hoisted, and constants go
    // into the instruction. The slot of a ring changes, so there the hoisted part is only an
    // offset.
    layout::Coord constants(rank, 0);
    std::vector<int64_t> key;
    for (int d = 0; d < rank; ++d) {
      if (d == kDim)
        continue;
      RegCoord c = index.at(reg, d);
      bool own = mayBeDead(reg, d) || !index.separable[d];
      key.push_back(own ? index.first(reg)[d] : -1);
      constants[d] = own ? 0 : c.constant;
    }
    Value &row = rows[key];
    if (!row) {
      Lowering::Preamble preamble(f);
      for (int d = 0; d < rank; ++d)
        if (d != kDim)
          coords[d] = mayBeDead(reg, d) || !index.separable[d] ? coordinate(reg, d)
                                                               : index.at(reg, d).thread;
      row = elementOffset(f, shared, coords);
      if (!inRing)
        row = f.gep(place.base, row);
    }
    layout::Coord unit(rank, 0);
    unit[kDim] = 1;
    int64_t kBytes = shared.linearOffset(unit);
    Value along = f.mul(k, f.i32(kBytes));
    return {inRing ? f.gep(place.base, f.add(row, along)) : f.gep(row, along),
            shared.linearOffset(constants) + step * kBytes};
  }

  Lowering &f;
  TileIndex &index;
  layout::SharedLayout shared;
  Type element;
  SharedPlace place;
  bool inRing;
  int rank, kDim, mnDim;
  int64_t vector;
  std::map<std::vector<int64_t>, Value> rows;
};

/// An operand with elements of this type, converted to the type in which products are computed.
Value widen(Lowering &f, Value x, Type element, Type to, bool isUnsigned) {
  if (element == to)
    return x;
  if (tile::isFloat8(element))
    return f.extendFloat8(x, Value(), element, to).first;
  if (isa<FloatType>(to))
    return arith::ExtFOp::create(f.b, f.loc, to, x);
  if (isUnsigned)
    return arith::ExtUIOp::create(f.b, f.loc, to, x);
  return arith::ExtSIOp::create(f.b, f.loc, to, x);
}

Value multiplyAdd(Lowering &f, Value a, Value b, Value c) {
  if (isa<FloatType>(c.getType()))
    return math::FmaOp::create(f.b, f.loc, a, b, c);
  return f.add(f.mul(a, b), c);
}
} // namespace

static LogicalResult lowerMma(Lowering &f, cta::MmaOp op) {
  for (Value operand : {op.getA(), op.getB()}) {
    if (!f.placeOf(operand))
      return f.error(op, "a shared operand has no offset: run cta-allocate-shared");
    if (auto reason = cta::sharedLayout(cast<cta::SmemType>(operand.getType())).validate())
      return f.error(op, "invalid shared tile: ") << *reason;
  }
  if (cta::isMmaSync(op))
    return lowerMmaSync(f, op);
  RankedTensorType type = op.getResultType();
  TileIndex index(f, type);
  Type result = type.getElementType();
  Type sum = result.isF16() || result.isBF16() ? f.b.getF32Type() : result;
  Reader a(f, op.getA(), index, true), b(f, op.getB(), index, false);
  int rank = index.rank();
  int64_t depth = op.getAType().getShape()[rank - 1];

  Values acc;
  for (int64_t r = 0; r < index.size(); ++r)
    acc.push_back(op.getC() ? widen(f, f.registers(op.getC())[r], result, sum, false)
                            : f.zero(sum));

  // One chunk: `width` steps of k from `k` on.
  auto chunk = [&](Value k, int64_t width, Values in) {
    std::map<std::vector<int64_t>, Values> rows, columns;
    for (int64_t r = 0; r < index.size(); ++r) {
      if (index.deadEverywhere(r))
        continue;
      layout::Coord at = index.first(r);
      int64_t batch = rank == 3 ? at[0] : 0;
      for (int64_t step = 0; step < width; ++step) {
        int64_t va = a.vectorElements(), vb = b.vectorElements();
        Values &row = rows[{batch, at[rank - 2], step / va}];
        if (row.empty())
          for (Value x : a.read(r, k, step / va * va))
            row.push_back(widen(f, x, op.getAType().getElementType(), sum, op.getLhsUnsigned()));
        int64_t lead = r % vb; // the registers of a vector are consecutive
        Values &column = columns[{batch, at[rank - 1] - lead, step}];
        if (column.empty())
          for (Value x : b.read(r - lead, k, step))
            column.push_back(widen(f, x, op.getBType().getElementType(), sum, op.getRhsUnsigned()));
        in[r] = multiplyAdd(f, row[step % va], column[lead], in[r]);
      }
    }
    return in;
  };
  int64_t width = std::min<int64_t>(depth, std::max<int64_t>(4, a.vectorElements()));
  int64_t whole = depth / width * width;
  if (whole <= 2 * width) {
    for (int64_t k = 0; k < whole; k += width)
      acc = chunk(f.i32(k), width, acc);
  } else {
    auto loop = scf::ForOp::create(f.b, f.loc, f.i32(0), f.i32(whole), f.i32(width), acc);
    OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToEnd(loop.getBody());
    Values next = chunk(loop.getInductionVar(), width, Values(loop.getRegionIterArgs()));
    scf::YieldOp::create(f.b, f.loc, next);
    acc = Values(loop.getResults());
  }
  // The vector of A divides the depth.
  for (int64_t k = whole; k < depth; k += a.vectorElements())
    acc = chunk(f.i32(k), a.vectorElements(), acc);

  if (sum != result)
    for (Value &x : acc)
      x = arith::TruncFOp::create(f.b, f.loc, result, x);
  f.set(op.getResult(), std::move(acc));
  return success();
}

void tessera::nvvm::populateMmaLowerings(LoweringSet &set) { addLowering(set, lowerMma); }
