// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-split-batches: a matrix product of rank 3 becomes products of rank 2. Every tile of a shape
// that such a product has becomes one tile of rank 2 for each batch, through loads, stores,
// elementwise ops and loops. At ops that cannot be split, the tiles are concatenated again, or
// sliced.
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILESPLITBATCHES
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

static RankedTensorType partType(RankedTensorType type) {
  return RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
}

int64_t tessera::tile::splitAccumulators(int64_t batches, int64_t rows, int64_t columns) {
  // The warpgroups that cta::chooseWarpgroups would take: each has a multiple of 64 rows.
  const int64_t warpgroups = rows % 192 == 0 ? 3 : rows % 128 == 0 ? 2 : 1;
  return batches * rows * columns / (warpgroups * 128);
}

bool tessera::tile::splitsBatches(int64_t batches, int64_t rows, int64_t columns) {
  return batches <= kFewSplitBatches ||
         (batches <= kMaxSplitBatches &&
          splitAccumulators(batches, rows, columns) <= kMaxSplitAccumulators);
}

/// True for products that tensor cores take if they are not batched, judging by extents and element
/// types; cta-form-wgmma knows all conditions.
static bool isSplit(MmaOp op) {
  RankedTensorType a = op.getAType(), b = op.getBType();
  const int64_t step = op.getTensorCoreStep();
  return a.getRank() == 3 && step && a.getDimSize(1) % 64 == 0 && a.getDimSize(2) % step == 0 &&
         b.getDimSize(2) % 8 == 0 &&
         splitsBatches(a.getDimSize(0), a.getDimSize(1), b.getDimSize(2));
}

namespace {
class Splitter : public TypeConverter {
public:
  explicit Splitter(KernelOp kernel);
  bool empty() const { return shapes.empty(); }
  bool splits(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 3 && llvm::is_contained(shapes, tensor.getShape());
  }

private:
  SmallVector<ArrayRef<int64_t>> shapes; // of uniqued types
};
} // namespace

Splitter::Splitter(KernelOp kernel) {
  kernel.walk([&](MmaOp op) {
    if (isSplit(op))
      for (RankedTensorType type : {op.getAType(), op.getBType(), op.getResultType()})
        shapes.push_back(type.getShape());
  });
  addConversion([](Type type) { return type; });
  addConversion(
      [this](RankedTensorType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
        if (!splits(type))
          return std::nullopt;
        parts.append(type.getDimSize(0), partType(type));
        return success();
      });
  // Concatenated again.
  addSourceMaterialization(
      [](OpBuilder &b, RankedTensorType type, ValueRange parts, Location loc) -> Value {
        SmallVector<int64_t> shape(type.getShape());
        shape[0] = 1;
        auto wide = RankedTensorType::get(shape, type.getElementType());
        SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
        SmallVector<Value> expanded;
        for (Value part : parts)
          expanded.push_back(tensor::ExpandShapeOp::create(b, loc, wide, part, groups));
        if (expanded.size() == 1)
          return expanded.front();
        return tensor::ConcatOp::create(b, loc, type, /*dim=*/0, expanded);
      });
  addTargetMaterialization(
      [](OpBuilder &b, TypeRange types, ValueRange inputs, Location loc) -> SmallVector<Value> {
        if (inputs.size() != 1)
          return {};
        auto from = cast<RankedTensorType>(inputs.front().getType());
        SmallVector<Value> parts;
        for (auto [batch, type] : llvm::enumerate(types)) {
          SmallVector<int64_t> offsets{static_cast<int64_t>(batch), 0, 0}, strides(3, 1),
              sizes(from.getShape());
          sizes[0] = 1;
          parts.push_back(
              tensor::ExtractSliceOp::create(b, loc, cast<RankedTensorType>(type), inputs.front(),
                                             getAsIndexOpFoldResult(b.getContext(), offsets),
                                             getAsIndexOpFoldResult(b.getContext(), sizes),
                                             getAsIndexOpFoldResult(b.getContext(), strides)));
        }
        return parts;
      });
}

/// True for a load or store whose limit and mask do not depend on the batch.
template <typename Op>
static bool isSeparable(Op op) {
  return !(op.getLimited().size() && op.getLimited()[0]) &&
         !llvm::is_contained(op.getMaskDims(), 0);
}

/// Returns the coordinates of batch `batch`, and the attributes without the first dimension.
template <typename Op>
static SmallVector<Value> coordsOf(OpBuilder &b, Op op, ValueRange coords, int64_t batch) {
  SmallVector<Value> result(coords);
  if (batch) {
    Value &along = result[op.getDims()[0]];
    Value step = arith::ConstantIndexOp::create(b, op.getLoc(), batch);
    along = arith::AddIOp::create(b, op.getLoc(), along, step);
  }
  return result;
}
template <typename Op>
static DenseI64ArrayAttr maskDimsOf(OpBuilder &b, Op op) {
  SmallVector<int64_t> dims;
  for (int64_t d : op.getMaskDims())
    dims.push_back(d - 1);
  return b.getDenseI64ArrayAttr(dims);
}
template <typename Op>
static DenseBoolArrayAttr limitedOf(OpBuilder &b, Op op) {
  return b.getDenseBoolArrayAttr(op.getLimited().empty() ? op.getLimited()
                                                         : op.getLimited().drop_front());
}

namespace {
template <typename Op>
struct Split : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;
  static Value only(ValueRange values) { return values.empty() ? Value() : values.front(); }
  static SmallVector<Value> each(ArrayRef<ValueRange> lists) {
    return llvm::map_to_vector(lists, only);
  }
};

struct SplitLoad : Split<LoadOp> {
  using Split::Split;
  LogicalResult matchAndRewrite(LoadOp op, Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> parts, coords = each(adaptor.getCoords());
    for (int64_t batch = 0; batch < op.getType().getDimSize(0); ++batch)
      parts.push_back(LoadOp::create(
          b, op.getLoc(), partType(op.getType()), only(adaptor.getSource()),
          coordsOf(b, op, coords, batch), each(adaptor.getLimits()), only(adaptor.getMask()),
          b.getDenseI64ArrayAttr(op.getDims().drop_front()), limitedOf(b, op), maskDimsOf(b, op),
          op.getPadAttr(), op.getRequireAttr(), op.getStagesAttr(), op.getCacheAttr()));
    b.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct SplitStore : Split<StoreOp> {
  using Split::Split;
  LogicalResult matchAndRewrite(StoreOp op, Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> coords = each(adaptor.getCoords());
    for (auto [batch, part] : llvm::enumerate(adaptor.getValue()))
      StoreOp::create(b, op.getLoc(), part, only(adaptor.getDest()),
                      coordsOf(b, op, coords, static_cast<int64_t>(batch)),
                      each(adaptor.getLimits()), only(adaptor.getMask()),
                      b.getDenseI64ArrayAttr(op.getDims().drop_front()), limitedOf(b, op),
                      maskDimsOf(b, op), op.getRequireAttr(), op.getCacheAttr());
    b.eraseOp(op);
    return success();
  }
};

/// Elementwise ops, products and splat constants: the same op on every part.
struct SplitAlike : ConversionPattern {
  SplitAlike(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &b) const override {
    const auto &splitter = static_cast<const Splitter &>(*getTypeConverter());
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant && !isa<MmaOp>(op) && !OpTrait::hasElementwiseMappableTraits(op))
      return failure();
    auto batches = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(0);
    SmallVector<SmallVector<Value>> parts(op->getNumResults());
    for (int64_t batch = 0; batch < batches; ++batch) {
      OperationState state(op->getLoc(), op->getName());
      for (ValueRange list : operands)
        state.operands.push_back(list.size() > 1 ? list[batch] : list.front());
      for (Type type : op->getResultTypes())
        state.types.push_back(splitter.splits(type) ? partType(cast<RankedTensorType>(type))
                                                    : type);
      state.attributes = op->getAttrs();
      if (constant) {
        auto value = cast<DenseElementsAttr>(constant.getValue());
        state.attributes.set("value",
                             value.resizeSplat(cast<RankedTensorType>(state.types.front())));
      }
      Operation *part = b.create(state);
      for (auto [i, result] : llvm::enumerate(part->getResults()))
        parts[i].push_back(result);
    }
    b.replaceOpWithMultiple(op, std::move(parts));
    return success();
  }
};

struct TileSplitBatches : tessera::tile::impl::TileSplitBatchesBase<TileSplitBatches> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireBound(kernel)))
      return signalPassFailure();
    if (std::optional<Phase> phase = kernel.getPhase()) {
      kernel.emitOpError("tile-split-batches is for kernels at L0, this one is at phase ")
          << stringifyPhase(*phase);
      return signalPassFailure();
    }
    Splitter splitter(kernel);
    if (splitter.empty())
      return;
    MLIRContext *context = &getContext();
    ConversionTarget target(*context);
    auto touches = [&](Operation *op) {
      auto splits = [&](Type type) { return splitter.splits(type); };
      return llvm::any_of(op->getOperandTypes(), splits) ||
             llvm::any_of(op->getResultTypes(), splits);
    };
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      if (!touches(op))
        return true;
      if (auto load = dyn_cast<LoadOp>(op))
        return !isSeparable(load) || !splitter.splits(load.getType());
      if (auto store = dyn_cast<StoreOp>(op))
        return !isSeparable(store) || !splitter.splits(store.getValue().getType());
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        return !isa<SplatElementsAttr>(constant.getValue());
      if (auto mma = dyn_cast<MmaOp>(op))
        return !isSplit(mma);
      return !OpTrait::hasElementwiseMappableTraits(op);
    });
    RewritePatternSet patterns(context);
    patterns.add<SplitLoad, SplitStore, SplitAlike>(splitter, context);
    scf::populateSCFStructuralTypeConversionsAndLegality(splitter, patterns, target);
    if (failed(applyPartialConversion(kernel, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
