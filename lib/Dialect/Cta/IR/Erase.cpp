// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns every placed op into the L0 op that it stands for; called by `convert-cta-to-tile`.
// Operands have been converted already.
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

using Erased = FailureOr<SmallVector<Value>>;

static RankedTensorType erasedTensor(Value value) {
  return cast<RankedTensorType>(erasedType(value.getType()));
}
static Erased one(Value value) { return SmallVector<Value>{value}; }

template <typename Op>
constexpr bool kHasMask = std::is_same_v<Op, LoadOp> || std::is_same_v<Op, StoreOp>;

/// The operands of an access, in order: [value,] memref, coords, limits, mask.
namespace {
struct AccessOperands {
  Value value, memref, mask;
  ValueRange coords, limits;
  template <typename Op>
  AccessOperands(Op op, ValueRange operands, bool hasValue) {
    unsigned next = 0;
    if (hasValue)
      value = operands[next++];
    memref = operands[next++];
    coords = operands.slice(next, op.getCoords().size());
    next += coords.size();
    limits = operands.slice(next, op.getLimits().size());
    next += limits.size();
    if constexpr (kHasMask<Op>) {
      if (op.getMask())
        mask = operands[next];
    }
  }
};
} // namespace

template <typename Op>
static DenseI64ArrayAttr maskDimsOf(Op op, OpBuilder &b) {
  if constexpr (kHasMask<Op>)
    return op.getMaskDimsAttr();
  return b.getDenseI64ArrayAttr({});
}

template <typename Op>
static Erased eraseSource(Op op, OpBuilder &b, ValueRange operands, tile::CacheAttr cache) {
  AccessOperands a(op, operands, /*hasValue=*/false);
  return one(tile::LoadOp::create(b, op.getLoc(), erasedTensor(op.getResult()), a.memref, a.coords,
                                  a.limits, a.mask, op.getDimsAttr(), op.getLimitedAttr(),
                                  maskDimsOf(op, b), op.getPadAttr(), tile::RequireAttr{},
                                  op.getStagesAttr(), cache));
}

template <typename Op>
static Erased eraseDestination(Op op, OpBuilder &b, ValueRange operands) {
  AccessOperands a(op, operands, /*hasValue=*/true);
  tile::StoreOp::create(b, op.getLoc(), a.value, a.memref, a.coords, a.limits, a.mask,
                        op.getDimsAttr(), op.getLimitedAttr(), maskDimsOf(op, b),
                        tile::RequireAttr{}, op.getCacheAttr());
  return SmallVector<Value>{};
}

Erased LoadOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return eraseSource(*this, b, operands, getCacheAttr());
}

/// How many rows of a tile come by a copy that leaves out what lies outside of the array, which has
/// `size` rows and `left` from the start of the tile on: all of the boxes that are inside, and of
/// the next one the remainder of the size. Along the contiguous dimension what is inside.
static Value rowsThatCome(OpBuilder &b, CopyOp op, Value size, Value left) {
  const auto dim = static_cast<int64_t>(*op.getTrim());
  const layout::SharedLayout shared = sharedLayout(op.getSmemType());
  const layout::TmaBox box = shared.tmaBoxes().front();
  if (boxTrim(shared, box, dim) != BoxTrim::Rows)
    return left;
  const Location loc = op.getLoc();
  Value rows = arith::ConstantIndexOp::create(b, loc, box.extents[dim]);
  Value whole =
      arith::MulIOp::create(b, loc, arith::FloorDivSIOp::create(b, loc, left, rows), rows);
  return arith::AddIOp::create(b, loc, whole, arith::RemSIOp::create(b, loc, size, rows));
}

/// The tile of a copy that leaves out what lies outside of the array. Something other than zero is
/// put into the rows that do not come (NaN, or all bits set for integers), so that a run of the
/// erased program shows whoever reads them.
static Value spoilOutside(OpBuilder &b, CopyOp op, Value tile, Value memref, Value at) {
  const Location loc = op.getLoc();
  const auto dim = static_cast<int64_t>(*op.getTrim());
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  RankedTensorType places = type.clone(b.getIndexType());
  Value size = memref::DimOp::create(b, loc, memref, op.getDims()[dim]);
  Value rows = rowsThatCome(b, op, size, arith::SubIOp::create(b, loc, size, at));
  Value comes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                      tile::IotaOp::create(b, loc, places, dim, Value{}),
                                      tensor::SplatOp::create(b, loc, rows, places));
  TypedAttr other;
  if (auto floats = dyn_cast<FloatType>(element))
    other = b.getFloatAttr(floats, APFloat::getNaN(floats.getFloatSemantics()));
  else if (auto integers = dyn_cast<IntegerType>(element))
    other = b.getIntegerAttr(integers, APInt::getAllOnes(integers.getWidth()));
  else
    other = b.getIndexAttr(-1);
  Value spoiled = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, other));
  return arith::SelectOp::create(b, loc, comes, tile, spoiled);
}

Erased CopyOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  // L0 cannot express a hint that holds for some launches only, so it is dropped.
  const tile::CacheAttr cache = getCacheIf() ? tile::CacheAttr() : getCacheAttr();
  if (getStrides()) {
    Erased loaded = eraseSource(*this, b, operands, cache);
    loaded->front().getDefiningOp<tile::LoadOp>().setStridesAttr(getStridesAttr());
    return loaded;
  }
  if (std::optional<uint64_t> trim = getTrim()) {
    Erased loaded = eraseSource(*this, b, operands, cache);
    AccessOperands a(*this, operands, /*hasValue=*/false);
    return one(spoilOutside(b, *this, loaded->front(), a.memref, a.coords[getDims()[*trim]]));
  }
  if (getIndices().empty())
    return eraseSource(*this, b, operands, cache);
  AccessOperands a(*this, operands, /*hasValue=*/false);
  const ValueRange indices =
      operands.slice(1 + a.coords.size() + a.limits.size(), getIndices().size());
  return one(tile::GatherOp::create(b, getLoc(), erasedTensor(getResult()), a.memref, a.coords,
                                    a.limits, /*mask=*/Value{}, indices, getDimsAttr(),
                                    getLimitedAttr(), maskDimsOf(*this, b), getIndexedAttr(),
                                    getPadAttr(), tile::RequireAttr{}, getStagesAttr(), cache));
}
Erased StoreOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return eraseDestination(*this, b, operands);
}
Erased CopyOutOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  if (!getReduce())
    return eraseDestination(*this, b, operands);
  AccessOperands a(*this, operands, /*hasValue=*/true);
  const DenseI64ArrayAttr none = b.getDenseI64ArrayAttr({});
  tile::AtomicOp::create(b, getLoc(), /*old=*/Type(), *getReduce(), tile::MemoryOrder::Relaxed,
                         tile::MemoryScope::Device, a.value, /*replacement=*/Value(), a.memref,
                         a.coords, a.limits, /*mask=*/Value(), /*indices=*/ValueRange(),
                         getDimsAttr(), getLimitedAttr(), /*maskDims=*/none, /*indexed=*/none,
                         /*strides=*/DenseI64ArrayAttr{});
  return SmallVector<Value>{};
}

/// Without concurrency, blocks run in the order of their numbers and need no flags.
static SmallVector<Value> slotCoords(OpBuilder &b, Location loc, Value slot, int64_t rank) {
  SmallVector<Value> coords{slot};
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  coords.append(rank, zero);
  return coords;
}
Erased PutPartialOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  int64_t rank = erasedTensor(getValue()).getRank();
  tile::StoreOp::create(b, getLoc(), operands[0], operands[1],
                        slotCoords(b, getLoc(), operands[2], rank));
  return SmallVector<Value>{};
}
Erased AddPartialOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  RankedTensorType type = erasedTensor(getValue());
  Value other = tile::LoadOp::create(b, getLoc(), type, operands[1],
                                     slotCoords(b, getLoc(), operands[2], type.getRank()));
  if (isa<FloatType>(type.getElementType()))
    return one(arith::AddFOp::create(b, getLoc(), operands[0], other));
  return one(arith::AddIOp::create(b, getLoc(), operands[0], other));
}

static Value concat(OpBuilder &b, Location loc, ValueRange inputs, int64_t dim,
                    RankedTensorType type) {
  if (inputs.size() == 1)
    return inputs.front();
  return tensor::ConcatOp::create(b, loc, type, dim, inputs);
}

Erased StageOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(concat(b, getLoc(), operands, getConcatDim(), erasedTensor(getResult())));
}
Erased ConcatOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(concat(b, getLoc(), operands, getDim(), erasedTensor(getResult())));
}

/// By way of rank 1, because tensor.reshape would need a shape operand.
static Value reshape(OpBuilder &b, Location loc, Value source, RankedTensorType type) {
  auto from = cast<RankedTensorType>(source.getType());
  if (from == type)
    return source;
  auto flat = RankedTensorType::get({from.getNumElements()}, from.getElementType());
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(rank ? 1 : 0);
    for (int64_t d = 0; d < rank; ++d)
      groups.front().push_back(d);
    return groups;
  };
  if (from.getRank() != 1) {
    source = from.getRank() == 0
                 ? tensor::ExpandShapeOp::create(b, loc, flat, source, all(0)).getResult()
                 : tensor::CollapseShapeOp::create(b, loc, flat, source, all(from.getRank()))
                       .getResult();
  }
  if (type.getRank() == 1)
    return source;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, source, all(0));
  return tensor::ExpandShapeOp::create(b, loc, type, source, all(type.getRank()));
}

Erased ViewOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(reshape(b, getLoc(), operands[0], erasedTensor(getResult())));
}
Erased ReshapeOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(reshape(b, getLoc(), operands[0], erasedTensor(getResult())));
}

static Value slice(OpBuilder &b, Location loc, Value source, ArrayRef<int64_t> offsets,
                   ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  auto from = cast<RankedTensorType>(source.getType());
  if (from.getShape() == shape)
    return source;
  SmallVector<OpFoldResult> offs = getAsIndexOpFoldResult(b.getContext(), offsets),
                            sizes = getAsIndexOpFoldResult(b.getContext(), shape),
                            steps = getAsIndexOpFoldResult(b.getContext(), strides);
  return tensor::ExtractSliceOp::create(b, loc, RankedTensorType::get(shape, from.getElementType()),
                                        source, offs, sizes, steps);
}

Erased SliceOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  SmallVector<int64_t> ones(getOffsets().size(), 1);
  return one(slice(b, getLoc(), operands[0], getOffsets(), erasedTensor(getResult()).getShape(),
                   getStrides().value_or(ones)));
}

Erased ReadOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  // Slice the box, permute the named dimensions, and drop the others (extent 1).
  auto from = cast<RankedTensorType>(operands[0].getType());
  RankedTensorType to = erasedTensor(getResult());
  SmallVector<int64_t> dims = dimsOrIdentity(), box(from.getRank(), 1), order;
  for (auto [d, s] : llvm::enumerate(dims))
    box[s] = to.getDimSize(d);
  Value value = slice(b, getLoc(), operands[0], offsetsOrZero(), box, stridesOrOne());
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      order.push_back(d);
  order.append(dims);
  SmallVector<int64_t> shape;
  for (int64_t d : order)
    shape.push_back(box[d]);
  if (!llvm::is_sorted(order))
    value = tile::TransposeOp::create(
        b, getLoc(), RankedTensorType::get(shape, from.getElementType()), value, order);
  return one(reshape(b, getLoc(), value, to));
}

Erased MmaOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(tile::MmaOp::create(b, getLoc(), erasedTensor(getResult()), operands[0], operands[1],
                                 operands.size() > 2 ? operands[2] : Value{}, getPrecisionAttr(),
                                 getLhsUnsignedAttr(), getRhsUnsignedAttr(), IntegerAttr{},
                                 tile::RequireAttr{}));
}
static Value transposed(OpBuilder &b, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto to = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return tile::TransposeOp::create(b, loc, to, tile, ArrayRef<int64_t>{1, 0});
}

Erased WgmmaOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  Value left = getTransposeA() ? transposed(b, getLoc(), operands[0]) : operands[0],
        right = getTransposeB() ? transposed(b, getLoc(), operands[1]) : operands[1];
  auto precision = tileElementType(operands[1].getType()).isF32()
                       ? tile::PrecisionAttr::get(b.getContext(), tile::Precision::Tf32)
                       : tile::PrecisionAttr{};
  return one(tile::MmaOp::create(b, getLoc(), erasedTensor(getResult()), left, right,
                                 operands.size() > 2 ? operands[2] : Value{}, precision,
                                 getLhsUnsignedAttr(), getRhsUnsignedAttr(), IntegerAttr{},
                                 tile::RequireAttr{}));
}

/// A partial reduction becomes the whole result in part 0, and identities in the other parts.
static SmallVector<Value> erasedParts(ReduceOp op, OpBuilder &b, ValueRange whole,
                                      ValueRange inits) {
  SmallVector<Value> parts;
  for (auto [value, init, result] : llvm::zip_equal(whole, inits, op.getResults())) {
    RankedTensorType type = erasedTensor(result);
    SmallVector<int64_t> kept;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!llvm::is_contained(op.getDims(), d))
        kept.push_back(d);
    Value all = tile::BroadcastOp::create(b, op.getLoc(), type, value, kept);
    Value identity = tile::BroadcastOp::create(b, op.getLoc(), type, init, ArrayRef<int64_t>{});
    auto numbers = RankedTensorType::get(type.getShape(), b.getI32Type());
    Value zero =
        arith::ConstantOp::create(b, op.getLoc(), numbers, cast<TypedAttr>(b.getZeroAttr(numbers)));
    for (int64_t d : op.getDims()) {
      Value part = tile::IotaOp::create(b, op.getLoc(), numbers, d, Value{});
      Value first = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::eq, part, zero);
      all = arith::SelectOp::create(b, op.getLoc(), first, all, identity);
    }
    parts.push_back(all);
  }
  return parts;
}

Erased ReduceOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  unsigned n = getInputs().size();
  SmallVector<Type> types;
  for (Value input : getInputs())
    types.push_back(reducedType(erasedTensor(input), getDims()));
  auto reduce =
      tile::ReduceOp::create(b, getLoc(), types, operands.take_front(n), operands.drop_front(n),
                             getDimsAttr(), tile::ReduceKindAttr{});
  IRMapping mapping;
  getCombiner().cloneInto(&reduce.getCombiner(), mapping);
  if (getPartial())
    return erasedParts(*this, b, reduce.getResults(), operands.drop_front(n));
  return SmallVector<Value>(reduce.getResults());
}

/// A partial scan becomes the whole scan, as if all of it were the part that comes last: the totals
/// of the other parts, and what comes before any part, are identities.
static SmallVector<Value> erasedTotals(ScanOp op, OpBuilder &b, ValueRange totals,
                                       ValueRange inits) {
  const auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<Value> parts;
  for (auto [value, init, result] : llvm::zip_equal(totals, inits, op.getTotals())) {
    RankedTensorType type = erasedTensor(result);
    SmallVector<int64_t> kept;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim)
        kept.push_back(d);
    Value all = tile::BroadcastOp::create(b, op.getLoc(), type, value, kept);
    Value identity = tile::BroadcastOp::create(b, op.getLoc(), type, init, ArrayRef<int64_t>{});
    auto numbers = RankedTensorType::get(type.getShape(), b.getI32Type());
    const int64_t last = op.getReverse() ? 0 : type.getDimSize(dim) - 1;
    Value number = arith::ConstantOp::create(
        b, op.getLoc(),
        DenseElementsAttr::get(numbers, b.getI32IntegerAttr(static_cast<int32_t>(last))));
    Value part = tile::IotaOp::create(b, op.getLoc(), numbers, dim, Value{});
    Value isLast = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::eq, part, number);
    parts.push_back(arith::SelectOp::create(b, op.getLoc(), isLast, all, identity));
  }
  return parts;
}

Erased ScanOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  const auto n = static_cast<unsigned>(getInputs().size());
  SmallVector<Type> scanned, totals;
  for (Value input : getInputs()) {
    scanned.push_back(erasedTensor(input));
    totals.push_back(
        tile::ReduceOp::reducedType(erasedTensor(input), static_cast<int64_t>(getDim())));
  }
  auto scan = tile::ScanOp::create(b, getLoc(), scanned, totals, operands.take_front(n),
                                   operands.slice(n, n), operands.drop_front(2 * n), getDimAttr(),
                                   getExclusiveAttr(), getReverseAttr(), tile::ReduceKindAttr{});
  IRMapping mapping;
  getCombiner().cloneInto(&scan.getCombiner(), mapping);
  SmallVector<Value> results(scan.getScanned());
  if (getPartial())
    results.append(erasedTotals(*this, b, scan.getTotals(), operands.slice(n, n)));
  else
    llvm::append_range(results, scan.getTotals());
  return results;
}

/// Each element by itself, made longer, one behind the other.
Erased RepeatOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  RankedTensorType type = erasedTensor(getResult()),
                   from = cast<RankedTensorType>(operands[0].getType());
  const auto dim = static_cast<int64_t>(getDim()), times = static_cast<int64_t>(getTimes());
  SmallVector<int64_t> single(from.getShape()), many(type.getShape()), offset(from.getRank(), 0);
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, from.getRank())),
                       ones(from.getRank(), 1);
  single[dim] = 1;
  SmallVector<Value> parts;
  for (int64_t i = 0, n = from.getDimSize(dim); i < n; ++i) {
    offset[dim] = i;
    many[dim] = std::min(times, type.getDimSize(dim) - i * times);
    Value part = slice(b, getLoc(), operands[0], offset, single, ones);
    parts.push_back(
        many == single
            ? part
            : Value(tile::BroadcastOp::create(
                  b, getLoc(), RankedTensorType::get(many, type.getElementType()), part, dims)));
  }
  return one(concat(b, getLoc(), parts, dim, type));
}

Erased ConvertLayoutOp::eraseToTile(OpBuilder &, ValueRange operands) { return one(operands[0]); }
Erased BroadcastOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(
      tile::BroadcastOp::create(b, getLoc(), erasedTensor(getResult()), operands[0], getDims()));
}
Erased IotaOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(tile::IotaOp::create(b, getLoc(), erasedTensor(getResult()), getDimAttr(),
                                  operands.empty() ? Value{} : operands[0]));
}
Erased TransposeOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(
      tile::TransposeOp::create(b, getLoc(), erasedTensor(getResult()), operands[0], getDims()));
}
Erased ExtractOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  return one(tensor::ExtractOp::create(b, getLoc(), operands[0], ValueRange{}));
}
Erased AnyOp::eraseToTile(OpBuilder &b, ValueRange operands) {
  Value any = operands[0];
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, erasedTensor(getNeed()).getRank()));
  if (!dims.empty()) {
    auto reduce = tile::ReduceOp::create(b, getLoc(), tile::ReduceKind::OrI, any, dims);
    if (getRare())
      reduce->setAttr(tile::kRarely, b.getUnitAttr());
    any = reduce.getResult(0);
  }
  return one(tensor::ExtractOp::create(b, getLoc(), any, ValueRange{}));
}
Erased MaxClustersOp::eraseToTile(OpBuilder &b, ValueRange) {
  return one(arith::ConstantIndexOp::create(b, getLoc(), std::numeric_limits<int32_t>::max()));
}
Erased CompleteOp::eraseToTile(OpBuilder &, ValueRange operands) { return one(operands[0]); }
Erased ReadyOp::eraseToTile(OpBuilder &, ValueRange operands) { return one(operands[0]); }
