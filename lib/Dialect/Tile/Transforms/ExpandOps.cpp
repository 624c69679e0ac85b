// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandTileOps.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEEXPANDOPS
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using arith::CmpIPredicate;
using tessera::tile::LoadOp;
using tessera::tile::MmaOp;
namespace tile = tessera::tile;

static bool isOnIndex(Operation *op) {
  return getElementTypeOrSelf(op->getOperand(0).getType()).isIndex();
}

/// A scalar or a tile of equal elements.
static Value constant(ImplicitLocOpBuilder &b, Type type, TypedAttr element) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(tile, Attribute(element)));
  return arith::ConstantOp::create(b, element);
}
static Value constant(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return constant(b, type, IntegerAttr::get(getElementTypeOrSelf(type), value));
}
static Value constant(ImplicitLocOpBuilder &b, Type type, const APFloat &value) {
  return constant(b, type, FloatAttr::get(getElementTypeOrSelf(type), value));
}

//===--- affine -----------------------------------------------------------------------------===//

namespace {
/// Expands an affine expression into arith. Divisions are not simplified, because Facts knows exact
/// things about them.
class AffineToArith : public AffineExprVisitor<AffineToArith, Value> {
public:
  AffineToArith(ImplicitLocOpBuilder &b, AffineMap map, ValueRange operands)
      : b(b), dims(operands.take_front(map.getNumDims())),
        symbols(operands.drop_front(map.getNumDims())) {}

  Value visitConstantExpr(AffineConstantExpr expr) { return number(expr.getValue()); }
  Value visitDimExpr(AffineDimExpr expr) { return dims[expr.getPosition()]; }
  Value visitSymbolExpr(AffineSymbolExpr expr) { return symbols[expr.getPosition()]; }
  Value visitAddExpr(AffineBinaryOpExpr expr) { return binary<arith::AddIOp>(expr); }
  Value visitMulExpr(AffineBinaryOpExpr expr) { return binary<arith::MulIOp>(expr); }
  Value visitFloorDivExpr(AffineBinaryOpExpr expr) { return binary<arith::FloorDivSIOp>(expr); }
  Value visitCeilDivExpr(AffineBinaryOpExpr expr) { return binary<arith::CeilDivSIOp>(expr); }
  Value visitModExpr(AffineBinaryOpExpr expr) {
    Value divisor = visit(expr.getRHS());
    Value rest = arith::RemSIOp::create(b, visit(expr.getLHS()), divisor);
    Value negative = arith::CmpIOp::create(b, CmpIPredicate::slt, rest, number(0));
    Value result =
        arith::SelectOp::create(b, negative, arith::AddIOp::create(b, rest, divisor), rest);
    auto constant = dyn_cast<AffineConstantExpr>(expr.getRHS());
    if (!constant || constant.getValue() < 1)
      return result;
    // As a maximum for Facts, which looks at both sides of the selection separately.
    result = arith::MaxSIOp::create(b, result, number(0));
    return arith::MinSIOp::create(b, result, number(constant.getValue() - 1));
  }

private:
  template <typename Op>
  Value binary(AffineBinaryOpExpr expr) {
    Value lhs = visit(expr.getLHS()), rhs = visit(expr.getRHS());
    return Op::create(b, lhs, rhs);
  }
  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  ImplicitLocOpBuilder &b;
  ValueRange dims, symbols;
};
} // namespace

static SmallVector<Value> expandMap(ImplicitLocOpBuilder &b, AffineMap map, ValueRange operands) {
  AffineToArith visitor(b, map, operands);
  return llvm::map_to_vector(map.getResults(),
                             [&](AffineExpr expr) { return visitor.visit(expr); });
}

template <typename Combine>
static Value expandExtreme(ImplicitLocOpBuilder &b, AffineMap map, ValueRange operands) {
  SmallVector<Value> values = expandMap(b, map, operands);
  Value result = values.front();
  for (Value value : ArrayRef(values).drop_front())
    result = Combine::create(b, result, value);
  return result;
}

//===--- arith and math ----------------------------------------------------------------------===//

/// Classifies a float by its bits: compares exponent and fraction with those of infinity.
static Value expandClass(ImplicitLocOpBuilder &b, Operation *op) {
  Value x = op->getOperand(0);
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  unsigned width = type.getWidth();
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  // Or NaN, in f8E4M3FN, which has no infinity.
  APInt infinity = APFloat::getLargest(semantics).bitcastToAPInt() + 1;
  Type bitsType = tile::withElement(x.getType(), b.getIntegerType(width));
  Value bits = arith::BitcastOp::create(b, bitsType, x);
  Value magnitude =
      arith::AndIOp::create(b, bits, constant(b, bitsType, APInt::getSignedMaxValue(width)));
  auto compare = [&](CmpIPredicate predicate, Value value, const APInt &with) -> Value {
    return arith::CmpIOp::create(b, predicate, value, constant(b, bitsType, with));
  };
  if (isa<math::IsNaNOp>(op))
    return compare(CmpIPredicate::ugt, magnitude, infinity);
  if (isa<math::IsInfOp>(op))
    return compare(CmpIPredicate::eq, magnitude, infinity);
  if (isa<math::IsFiniteOp>(op))
    return compare(CmpIPredicate::ult, magnitude, infinity);
  // Numbers below the least normal number wrap around to the largest integers.
  APInt least = APFloat::getSmallestNormalized(semantics).bitcastToAPInt();
  Value above = arith::SubIOp::create(b, magnitude, constant(b, bitsType, least));
  return compare(CmpIPredicate::ult, above, infinity - least);
}

/// Whether a cast to index may come to be the direct user of this number when ops between them are
/// folded away. A value that enters a region, a call or a terminator may come out anywhere.
static bool mayMeetCastToIndex(Value number) {
  const unsigned width = getElementTypeOrSelf(number.getType()).getIntOrFloatBitWidth();
  SmallVector<Value> values{number};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp, CallOpInterface>(user) ||
          user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() != 0)
        return true;
      for (Value result : user->getResults()) {
        auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(result.getType()));
        if (isa<arith::BitcastOp>(user) || (type && type.getWidth() >= width))
          values.push_back(result);
      }
    }
  return false;
}

/// A cast from index to fewer bits, if a cast to index may follow. canonicalize removes both,
/// whether the number fits or not. So the cast goes by way of i64, which is the width of index on
/// both targets. Other casts to i32 stay, because cta-peel-masks looks for them.
static SmallVector<Value> expandNarrowingCast(ImplicitLocOpBuilder &b, Operation *op) {
  Value x = op->getOperand(0), result = op->getResult(0);
  const Type type = result.getType();
  if (!isOnIndex(op))
    return {};
  const unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (width >= 64 || (width >= 32 && !mayMeetCastToIndex(result)))
    return {};
  Value wide = arith::IndexCastOp::create(b, tile::withElement(x.getType(), b.getI64Type()), x);
  return {arith::TruncIOp::create(b, type, wide)};
}

/// Upstream folds atan2(0, 0) to NaN. The result is 0 or pi by the sign of x, with the sign of y.
/// That is what atan2(y, 1) and atan2(y, -1) are.
static Value expandAtan2(ImplicitLocOpBuilder &b, math::Atan2Op op) {
  Value y = op.getLhs(), x = op.getRhs();
  Type type = x.getType();
  auto number = [&](double value) -> Value {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    auto attr = b.getFloatAttr(element, value);
    if (auto tile = dyn_cast<RankedTensorType>(type))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(tile, attr.getValue()));
    return arith::ConstantOp::create(b, attr);
  };
  auto isZero = [&](Value value) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, number(0));
  };
  Value bothZero = arith::AndIOp::create(b, isZero(y), isZero(x));
  Value one = math::CopySignOp::create(b, number(1), x);
  Value other = arith::SelectOp::create(b, bothZero, one, x);
  return math::Atan2Op::create(b, y, other, op.getFastmath());
}

/// The op on i64, which is the width of index on both targets.
static SmallVector<Value> expandIndex(ImplicitLocOpBuilder &b, Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, arith::IndexCastOp::create(
                             b, tile::withElement(operand.getType(), b.getI64Type()), operand));
  Operation *wide = b.clone(*op, mapping);
  SmallVector<Value> results;
  for (OpResult result : wide->getResults()) {
    Type type = result.getType();
    result.setType(tile::withElement(type, b.getI64Type()));
    results.push_back(arith::IndexCastOp::create(b, type, result));
  }
  return results;
}

//===--- slices ------------------------------------------------------------------------------===//

static bool isAllOnes(ArrayRef<OpFoldResult> values) {
  return llvm::all_of(values, [](OpFoldResult value) { return isConstantIntValue(value, 1); });
}

/// Splits a slice that has steps and drops dimensions into a slice with steps and one that drops
/// dimensions. Upstream finds the dropped dimensions by comparing strides of the result with those
/// of the source.
static SmallVector<Value> splitSlice(ImplicitLocOpBuilder &b, tensor::ExtractSliceOp op) {
  if (op.getSourceType().getRank() == op.getType().getRank())
    return {};
  SmallVector<OpFoldResult> sizes = op.getMixedSizes(), steps = op.getMixedStrides();
  if (isAllOnes(steps))
    return {};
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  // The type of a tile has no strides. The step of a single element has no meaning.
  for (auto [size, step] : llvm::zip(sizes, steps))
    if (isConstantIntValue(size, 1))
      step = b.getIndexAttr(1);
  using Op = tensor::ExtractSliceOp;
  if (isAllOnes(steps))
    return {Op::create(b, op.getType(), op.getSource(), op.getMixedOffsets(), sizes, steps)};
  Value stepped = Op::create(b, op.getSource(), op.getMixedOffsets(), sizes, steps);
  return {Op::create(b, op.getType(), stepped, zeros, sizes, ones)};
}

/// Splits a view that drops dimensions into a view with all dimensions and a memref.collapse_shape,
/// which names those that it drops. Upstream finds the dropped dimensions by sizes and strides, and
/// finds different ones as soon as it sees that another size is 1, too.
static SmallVector<Value> splitView(ImplicitLocOpBuilder &b, memref::SubViewOp op) {
  if (op.getType().getRank() == op.getSourceType().getRank())
    return {};
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  auto whole = memref::SubViewOp::create(b, op.getSource(), op.getMixedOffsets(), sizes,
                                         op.getMixedStrides());
  // For a view with steps, getDroppedDims looks for the strides of the result among those of the
  // source, and may find no answer. The strides of the view with all dimensions are what the
  // verifier compares with.
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  auto view = memref::SubViewOp::create(b, op.getType(), whole, zeros, sizes, ones);
  const llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<ReassociationIndices> groups(op.getType().getRank());
  size_t group = 0;
  bool hasKept = false;
  for (unsigned d = 0; d < dropped.size(); ++d) {
    if (!dropped[d])
      group += std::exchange(hasKept, true);
    if (!groups.empty())
      groups[group].push_back(d);
  }
  auto collapsed = memref::CollapseShapeOp::create(b, whole, groups);
  const bool hasType = collapsed.getType() == op.getType();
  if (hasType || memref::CastOp::areCastCompatible(collapsed.getType(), op.getType())) {
    view.erase();
    if (hasType)
      return {collapsed};
    return {memref::CastOp::create(b, op.getType(), collapsed)};
  }
  // If the first dimension stays and has one element, a collapse would take the stride of a
  // dimension that it drops. Such a view needs no collapse, because its sizes are unambiguous.
  collapsed.erase();
  if (isAllOnes(op.getMixedStrides())) {
    view.erase();
    whole.erase();
    return {};
  }
  return {view};
}

//===--- conversions -------------------------------------------------------------------------===//

/// arith.truncf that saturates: the numbers beyond the largest one of the type, and infinities,
/// become that one. NaN stays.
static Value clampThenTruncate(ImplicitLocOpBuilder &b, arith::TruncFOp op) {
  Type type = op.getIn().getType();
  APFloat largest =
      APFloat::getLargest(cast<FloatType>(getElementTypeOrSelf(op.getType())).getFloatSemantics());
  bool isInexact;
  largest.convert(cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &isInexact);
  Value raised = arith::MaximumFOp::create(b, op.getIn(), constant(b, type, neg(largest)));
  Value clamped = arith::MinimumFOp::create(b, raised, constant(b, type, largest));
  auto made = cast<arith::TruncFOp>(b.clone(*op));
  made->removeAttr(tile::kSaturate);
  made.getInMutable().assign(clamped);
  if (!tile::computesInFloat8(made))
    return made;
  Value result = tile::expandFloat8(b, made, {}).front();
  made->erase();
  return result;
}

/// The conversion `op` of `x` to integers. LLVM's code for NVPTX (22.1.8) makes true of 0 in a
/// conversion to i1, so that goes through i32.
static Value convertToInteger(ImplicitLocOpBuilder &b, Operation *op, Value x) {
  Operation *made = b.clone(*op);
  made->removeAttr(tile::kSaturate);
  made->setOperand(0, x);
  Value result = made->getResult(0);
  Type type = result.getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return result;
  result.setType(tile::withElement(type, b.getI32Type()));
  return arith::TruncIOp::create(b, type, result);
}

/// arith.fptosi or fptoui that saturates. NaN becomes 0.
static Value convertInRange(ImplicitLocOpBuilder &b, Operation *op) {
  Value x = op->getOperand(0);
  Type type = x.getType(), resultType = op->getResult(0).getType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  const bool isSigned = isa<arith::FPToSIOp>(op);
  const unsigned width = getElementTypeOrSelf(resultType).getIntOrFloatBitWidth();
  // The first number that is too large; infinity if the float type has none.
  APFloat high(semantics);
  high.convertFromAPInt(APInt::getOneBitSet(width + 1, isSigned ? width - 1 : width),
                        /*IsSigned=*/false, APFloat::rmNearestTiesToEven);
  APFloat low = isSigned ? neg(high) : APFloat::getZero(semantics);
  using Predicate = arith::CmpFPredicate;
  Value isHigh = arith::CmpFOp::create(b, Predicate::OGE, x, constant(b, type, high));
  Value isLow = arith::CmpFOp::create(b, Predicate::OLE, x, constant(b, type, low));
  Value isNan = arith::CmpFOp::create(b, Predicate::UNO, x, x);
  Value isOutside = arith::OrIOp::create(b, arith::OrIOp::create(b, isHigh, isLow), isNan);
  Value inside =
      arith::SelectOp::create(b, isOutside, constant(b, type, APFloat::getZero(semantics)), x);
  Value result = convertToInteger(b, op, inside);
  APInt most = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  APInt least = isSigned ? APInt::getSignedMinValue(width) : APInt::getMinValue(width);
  result = arith::SelectOp::create(b, isHigh, constant(b, resultType, most), result);
  return arith::SelectOp::create(b, isLow, constant(b, resultType, least), result);
}

//===--- loops -------------------------------------------------------------------------------===//

/// True for numbers of which it is plain that they are not negative.
static bool isNotNegative(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return !number.isNegative();
  return isa_and_nonnull<tile::DimOp, tile::NumCoresOp, memref::DimOp>(value.getDefiningOp());
}

/// Replaces a loop that compares unsigned by one that compares signed.
static void compareSigned(ImplicitLocOpBuilder &b, scf::ForOp op) {
  Value lower = op.getLowerBound(), upper = op.getUpperBound(), step = op.getStep();
  if (isNotNegative(lower) && isNotNegative(upper)) {
    op.setUnsignedCmp(false);
    return;
  }
  Type type = lower.getType();
  const unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Value zero = constant(b, type, APInt(width, 0)), one = constant(b, type, APInt(width, 1));
  Value steps = arith::CeilDivUIOp::create(b, arith::SubIOp::create(b, upper, lower), step);
  Value runs = arith::CmpIOp::create(b, CmpIPredicate::ult, lower, upper);
  Value count = arith::SelectOp::create(b, runs, steps, zero);
  auto loop = scf::ForOp::create(b, zero, count, one, op.getInitArgs());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block *body = loop.getBody(), *old = op.getBody();
  body->getOperations().clear();
  b.setInsertionPointToStart(body);
  Value number =
      arith::AddIOp::create(b, lower, arith::MulIOp::create(b, loop.getInductionVar(), step));
  old->getArgument(0).replaceAllUsesWith(number);
  for (auto [argument, made] : llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    argument.replaceAllUsesWith(made);
  body->getOperations().splice(body->end(), old->getOperations());
  op->replaceAllUsesWith(loop);
  op->erase();
}

//===--- products ----------------------------------------------------------------------------===//

/// Elements `from` to `from + size` of dimension `dim` of an operand of a matrix product. If the
/// operand is a load that nothing else reads, the part is a load of its own at the same place,
/// which TMA can do.
static Value partOfOperand(ImplicitLocOpBuilder &b, Value operand, int64_t dim, int64_t from,
                           int64_t size) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  RankedTensorType part = type.clone(shape);
  auto load = operand.getDefiningOp<LoadOp>();
  if (load && load->hasOneUse() && !load.getMask()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(load);
    auto piece = cast<LoadOp>(b.clone(*load));
    piece.getResult().setType(part);
    OpOperand &coord = piece.getCoordsMutable()[static_cast<unsigned>(load.getDims()[dim])];
    coord.set(arith::AddIOp::create(b, coord.get(), arith::ConstantIndexOp::create(b, from)));
    piece->moveBefore(load);
    return piece;
  }
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)), sizes;
  SmallVector<OpFoldResult> ones(shape.size(), b.getIndexAttr(1));
  offsets[dim] = b.getIndexAttr(from);
  for (int64_t extent : shape)
    sizes.push_back(b.getIndexAttr(extent));
  return tensor::ExtractSliceOp::create(b, part, operand, offsets, sizes, ones);
}

/// 'accumulate_every': splits K into products that each start from zero, and adds them up.
static SmallVector<Value> splitProduct(ImplicitLocOpBuilder &b, MmaOp op) {
  if (!op.getAccumulateEvery())
    return {};
  const int64_t every = static_cast<int64_t>(*op.getAccumulateEvery());
  RankedTensorType type = op.getResultType();
  const bool isInteger = type.getElementType().isInteger();
  const int64_t rank = type.getRank(), k = op.getAType().getDimSize(rank - 1);
  auto product = [&](Value a, Value rows, Value c) -> Value {
    auto made = cast<MmaOp>(b.clone(*op));
    made.removeAccumulateEveryAttr();
    made.getAMutable().assign(a);
    made.getBMutable().assign(rows);
    made.getCMutable().assign(c ? ValueRange(c) : ValueRange());
    return made;
  };
  if (isInteger || every < 1)
    return {product(op.getA(), op.getB(), op.getC())};
  Value sum = op.getC();
  for (int64_t from = 0; from < k; from += every) {
    const int64_t size = std::min(every, k - from);
    const bool isWhole = size == k;
    Value a = isWhole ? op.getA() : partOfOperand(b, op.getA(), rank - 1, from, size);
    Value rows = isWhole ? op.getB() : partOfOperand(b, op.getB(), rank - 2, from, size);
    Value part = product(a, rows, Value());
    sum = sum ? Value(arith::AddFOp::create(b, sum, part)) : part;
  }
  return {sum};
}

//===--- the pass ----------------------------------------------------------------------------===//

/// Returns what replaces the results of an op, or nothing if the op stays.
static SmallVector<Value> expand(ImplicitLocOpBuilder &b, Operation *op) {
  const bool isClamped = isa<arith::TruncFOp>(op) && op->hasAttr(tile::kSaturate);
  // In f32 the denormal numbers of f8 are normal.
  if (tile::computesInFloat8(op) && !isClamped && !isa<math::IsNormalOp>(op))
    return tile::expandFloat8(b, op, [&](Operation *made) { return expand(b, made); });
  using Values = SmallVector<Value>;
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](affine::AffineApplyOp op) {
        return expandMap(b, op.getAffineMap(), op.getOperands());
      })
      .Case([&](affine::AffineMinOp op) -> Values {
        return {expandExtreme<arith::MinSIOp>(b, op.getAffineMap(), op.getOperands())};
      })
      .Case([&](affine::AffineMaxOp op) -> Values {
        return {expandExtreme<arith::MaxSIOp>(b, op.getAffineMap(), op.getOperands())};
      })
      .Case([&](arith::CmpFOp op) -> Values {
        bool isTrue = op.getPredicate() == arith::CmpFPredicate::AlwaysTrue;
        if (!isTrue && op.getPredicate() != arith::CmpFPredicate::AlwaysFalse)
          return {};
        return {constant(b, op.getType(), APInt(1, isTrue))};
      })
      .Case<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(
          [&](Operation *op) -> Values { return {expandClass(b, op)}; })
      .Case([&](math::ClampFOp op) -> Values {
        arith::FastMathFlags flags = op.getFastmath();
        Value raised = arith::MaximumFOp::create(b, op.getValue(), op.getMin(), flags);
        return {arith::MinimumFOp::create(b, raised, op.getMax(), flags)};
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](Operation *op) { return expandNarrowingCast(b, op); })
      .Case([&](math::Atan2Op op) -> Values { return {expandAtan2(b, op)}; })
      .Case([&](math::SincosOp op) -> Values {
        Value sin = math::SinOp::create(b, op.getOperand(), op.getFastmath());
        return {sin, math::CosOp::create(b, op.getOperand(), op.getFastmath())};
      })
      .Case([&](arith::AddUIExtendedOp op) -> Values {
        if (!isOnIndex(op))
          return {};
        Value sum = arith::AddIOp::create(b, op.getLhs(), op.getRhs());
        return {sum, arith::CmpIOp::create(b, CmpIPredicate::ult, sum, op.getLhs())};
      })
      .Case<arith::MulSIExtendedOp, arith::MulUIExtendedOp, math::IPowIOp>(
          [&](Operation *op) { return isOnIndex(op) ? expandIndex(b, op) : Values(); })
      .Case([&](math::FPowIOp op) -> Values {
        Type exponent = op.getRhs().getType();
        if (!getElementTypeOrSelf(exponent).isIndex())
          return {};
        Value wide =
            arith::IndexCastOp::create(b, tile::withElement(exponent, b.getI64Type()), op.getRhs());
        return {math::FPowIOp::create(b, op.getLhs(), wide, op.getFastmath())};
      })
      .Case([&](arith::TruncFOp op) -> Values {
        return op->hasAttr(tile::kSaturate) ? Values{clampThenTruncate(b, op)} : Values();
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](Operation *op) -> Values {
        if (op->hasAttr(tile::kSaturate))
          return {convertInRange(b, op)};
        const bool isToBool = getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
        return isToBool ? Values{convertToInteger(b, op, op->getOperand(0))} : Values();
      })
      .Case([&](tile::ArgReduceOp op) { return expandArgReduce(b, op); })
      .Case([&](tile::RoundedOp op) {
        return expandRoundedOp(b, op, [&](Value plain) {
          Operation *made = plain.getDefiningOp();
          Values values = expand(b, made);
          if (values.empty())
            return Values{plain};
          made->erase();
          return values;
        });
      })
      .Case([&](tile::ZipOp op) { return expandZip(b, op); })
      .Case([&](tile::UnzipOp op) { return expandUnzip(b, op); })
      .Case([&](LoadOp op) { return expandLoad(b, op); })
      .Case([&](tile::ArrayAtOp op) { return expandArray(b, op); })
      .Case([&](MmaOp op) { return splitProduct(b, op); })
      .Case([&](tensor::ExtractSliceOp op) { return splitSlice(b, op); })
      .Case([&](memref::SubViewOp op) { return splitView(b, op); })
      .Default([](Operation *) { return Values(); });
}

/// False for types that tile-verify refuses.
static bool hasLegalTypes(Operation *op) {
  auto legal = [](Type type) {
    if (auto tile = dyn_cast<RankedTensorType>(type))
      type = tile.hasStaticShape() ? tile.getElementType() : Type();
    return type && (type.isIntOrIndexOrFloat() || isa<MemRefType>(type));
  };
  return llvm::all_of(op->getOperandTypes(), legal) && llvm::all_of(op->getResultTypes(), legal);
}

namespace {
struct TileExpandOps : tessera::tile::impl::TileExpandOpsBase<TileExpandOps> {
  void runOnOperation() override {
    if (mlir::failed(tile::requireBound(getOperation())))
      return signalPassFailure();
    bool failed = false;
    getOperation()->walk([&](Operation *op) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getUnsignedCmp())
        return compareSigned(b, loop);
      if (!hasLegalTypes(op))
        return;
      if (auto rare = dyn_cast<tile::RareOp>(op)) {
        failed |= mlir::failed(tile::expandRare(b, rare));
        return;
      }
      if (auto check = dyn_cast<tile::AssertOp>(op)) {
        expandAssert(b, check);
        return check->erase();
      }
      if (auto store = dyn_cast<tile::StoreOp>(op); store && expandStore(b, store))
        return store->erase();
      if (auto atomic = dyn_cast<tile::AtomicOp>(op); atomic && expandAtomic(b, atomic))
        return atomic->erase();
      SmallVector<Value> values = expand(b, op);
      if (values.empty())
        return;
      // An operand may be there twice.
      llvm::SmallSetVector<Value, 4> operands(op->operand_begin(), op->operand_end());
      op->replaceAllUsesWith(values);
      op->erase();
      // The loads of these operands have been replaced by smaller ones.
      for (Value operand : operands)
        if (auto load = operand.getDefiningOp<LoadOp>(); load && load->use_empty())
          load->erase();
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
