// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-merge-masks: two bounds of the same coordinates become one.
//
//   %exists = arith.cmpi slt, %key, %keys           // %keys: the number of keys in all elements
//   %before = arith.cmpi sle, %key, %own            // %own: the query of the row
//   %seen = arith.andi %exists, %before
//   // becomes
//   %next = arith.addi %own, %ones
//   %behind = arith.maxsi %own, %next               // %own + 1, but the greatest number stays
//   %end = arith.minsi %keys, %behind
//   %seen = arith.cmpi slt, %key, %end
//
// The bounds have one value for each row, and the comparison is made for each element. The result
// is the same for all numbers: `key < keys` excludes the greatest number, so `key <= own` may be
// `key < own + 1` with an addition that stays there.
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_MERGEMASKS
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using Predicate = arith::CmpIPredicate;

/// True for the same value, also if it is computed twice: what is cheap is in each place that needs
/// it.
static bool areSame(Value x, Value y) {
  if (x == y)
    return true;
  Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
  return a && b && isa<IotaOp, BroadcastOp, arith::ConstantOp>(a) &&
         OperationEquivalence::isEquivalentTo(a, b, OperationEquivalence::IgnoreLocations);
}

namespace {
/// A comparison of a tile with an upper or a lower bound.
struct Bound {
  Value tile, bound;
  bool isUpper, isStrict, isUnsigned;

  Predicate predicate() const {
    if (isUnsigned)
      return isUpper    ? isStrict ? Predicate::ult : Predicate::ule
             : isStrict ? Predicate::ugt
                        : Predicate::uge;
    return isUpper    ? isStrict ? Predicate::slt : Predicate::sle
           : isStrict ? Predicate::sgt
                      : Predicate::sge;
  }
};

class Merging {
public:
  explicit Merging(IRRewriter &b) : b(b) {}
  bool merge(arith::AndIOp both);

private:
  llvm::SmallBitVector dimsOf(Value value);
  llvm::SmallBitVector findDims(Value value);
  template <typename Signed, typename Unsigned>
  Value make(const Bound &like, Value x, Value y) {
    if (like.isUnsigned)
      return Unsigned::create(b, x.getLoc(), x, y);
    return Signed::create(b, x.getLoc(), x, y);
  }
  Value strictly(const Bound &bound);

  IRRewriter &b;
  llvm::DenseMap<Value, llvm::SmallBitVector> known; ///< of values that were looked at
};
} // namespace

/// The comparison with the tile at its left (0) or right (1); nothing if it is no bound.
static std::optional<Bound> boundOf(arith::CmpIOp op, unsigned side) {
  const Predicate predicate = op.getPredicate();
  if (predicate == Predicate::eq || predicate == Predicate::ne)
    return std::nullopt;
  auto isOne = [&](std::initializer_list<Predicate> some) {
    return llvm::is_contained(some, predicate);
  };
  const bool isLess = isOne({Predicate::slt, Predicate::sle, Predicate::ult, Predicate::ule});
  return Bound{op->getOperand(side), op->getOperand(1 - side),
               /*isUpper=*/isLess == (side == 0),
               /*isStrict=*/
               isOne({Predicate::slt, Predicate::sgt, Predicate::ult, Predicate::ugt}),
               /*isUnsigned=*/
               isOne({Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge})};
}

/// The dimensions along which elements of a tile may differ.
llvm::SmallBitVector Merging::dimsOf(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  llvm::SmallBitVector dims = findDims(value);
  known[value] = dims;
  return dims;
}

llvm::SmallBitVector Merging::findDims(Value value) {
  const auto rank = static_cast<unsigned>(cast<RankedTensorType>(value.getType()).getRank());
  llvm::SmallBitVector dims(rank);
  Operation *op = value.getDefiningOp();
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return dims;
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    for (int64_t dim : broadcast.getDims())
      dims.set(static_cast<unsigned>(dim));
    return dims;
  }
  if (auto iota = dyn_cast_or_null<IotaOp>(op)) {
    dims.set(static_cast<unsigned>(iota.getDim()));
    return dims;
  }
  if (!op || !OpTrait::hasElementwiseMappableTraits(op))
    return dims.flip();
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && !dims.all())
      dims |= dimsOf(operand);
  return dims;
}

/// The bound that, if it is strict, says the same beside another strict one.
Value Merging::strictly(const Bound &bound) {
  Value x = bound.bound;
  if (bound.isStrict)
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  Value one = arith::ConstantOp::create(
      b, x.getLoc(), DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), 1)));
  if (bound.isUpper)
    return make<arith::MaxSIOp, arith::MaxUIOp>(bound, x,
                                                arith::AddIOp::create(b, x.getLoc(), x, one));
  return make<arith::MinSIOp, arith::MinUIOp>(bound, x,
                                              arith::SubIOp::create(b, x.getLoc(), x, one));
}

bool Merging::merge(arith::AndIOp both) {
  auto one = both.getLhs().getDefiningOp<arith::CmpIOp>(),
       other = both.getRhs().getDefiningOp<arith::CmpIOp>();
  if (!isa<RankedTensorType>(both.getType()) || !one || !other || one == other ||
      !one->hasOneUse() || !other->hasOneUse() ||
      !getElementTypeOrSelf(one.getLhs().getType()).isInteger())
    return false;
  for (unsigned side : {0, 1})
    for (unsigned otherSide : {0, 1}) {
      std::optional<Bound> x = boundOf(one, side), y = boundOf(other, otherSide);
      if (!x || !y || x->isUpper != y->isUpper || x->isUnsigned != y->isUnsigned ||
          !areSame(x->tile, y->tile))
        continue;
      if ((dimsOf(x->bound) | dimsOf(y->bound)).all())
        continue;
      b.setInsertionPoint(both);
      Bound merged = *x;
      Value left = x->bound, right = y->bound;
      if (x->isStrict != y->isStrict) {
        left = strictly(*x);
        right = strictly(*y);
        merged.isStrict = true;
      }
      merged.bound = x->isUpper ? make<arith::MinSIOp, arith::MinUIOp>(*x, left, right)
                                : make<arith::MaxSIOp, arith::MaxUIOp>(*x, left, right);
      for (Value gone : {both.getResult(), one.getResult(), other.getResult()})
        known.erase(gone);
      b.replaceOpWithNewOp<arith::CmpIOp>(both, merged.predicate(), merged.tile, merged.bound);
      b.eraseOp(one);
      b.eraseOp(other);
      return true;
    }
  return false;
}

namespace {
struct MergeMasks : cta::impl::MergeMasksBase<MergeMasks> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    SmallVector<arith::AndIOp> conjunctions;
    kernel.walk([&](arith::AndIOp both) { conjunctions.push_back(both); });
    IRRewriter b(&getContext());
    Merging merging(b);
    // Of three, the first two are merged, and the result with the third.
    for (arith::AndIOp both : conjunctions)
      merging.merge(both);
  }
};
} // namespace
