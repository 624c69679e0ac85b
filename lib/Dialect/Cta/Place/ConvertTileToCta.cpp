// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts L0 to phase raw: tile and tensor ops become cta ops on tensors without an encoding.
#include "ConvertTakes.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/Place/Passes.h"
#include "tessera/Dialect/Tile/Transforms.h"

namespace tessera::cta {
#define GEN_PASS_DEF_CONVERTTILETOCTA
#include "tessera/Dialect/Cta/Place/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// One op at a time, in program order. `convert` returns failure after an error at the op.
class Converter {
public:
  explicit Converter(tile::KernelOp kernel) : kernel(kernel), rewriter(kernel.getContext()) {}
  LogicalResult run();

private:
  void convertVotes();
  LogicalResult convert(Operation *op);
  LogicalResult convertTensorOp(Operation *op);
  Operation *convertIndexed(Operation *op);
  LogicalResult convertAtomic(tile::AtomicOp op);
  LogicalResult convertSlice(tensor::ExtractSliceOp op);
  Value choose(tensor::FromElementsOp op);
  Value stage(Value tile);

  tile::KernelOp kernel;
  IRRewriter rewriter;
  /// One shared tile for each operand of products, made where the operand is defined. So an operand
  /// from outside a loop is written to shared memory once.
  DenseMap<Value, Value> staged;
};
} // namespace

/// A reduction of a whole tile of conditions by `or` or `and` of which only the scalar is used is a
/// vote.
void Converter::convertVotes() {
  SmallVector<tile::ReduceOp> reductions;
  kernel.walk([&](tile::ReduceOp op) {
    const bool isOr = op.getKind() == tile::ReduceKind::OrI;
    if (!isOr && op.getKind() != tile::ReduceKind::AndI)
      return;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getRank() == 0 && type.getElementType().isInteger(1) && !op->use_empty() &&
        llvm::all_of(op->getUsers(), llvm::IsaPred<tensor::ExtractOp>))
      reductions.push_back(op);
  });
  for (tile::ReduceOp op : reductions) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    Value need = op.getInputs().front();
    const bool isAnd = op.getKind() == tile::ReduceKind::AndI;
    auto negated = [&](Value value) -> Value {
      TypedAttr all = rewriter.getBoolAttr(true);
      if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
        all = DenseElementsAttr::get(tile, true);
      return arith::XOrIOp::create(rewriter, loc, value,
                                   arith::ConstantOp::create(rewriter, loc, all));
    };
    if (isAnd)
      need = negated(need);
    Value any = AnyOp::create(rewriter, loc, rewriter.getI1Type(), need, /*warp=*/false,
                              /*rare=*/op->hasAttr(tile::kRarely), /*why=*/StringAttr{});
    if (isAnd)
      any = negated(any);
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      rewriter.replaceOp(user, any);
    rewriter.eraseOp(op);
  }
}

LogicalResult Converter::run() {
  convertVotes();
  // Reductions and scans by name and arg reductions first, because the ops that they expand to are
  // converted with the rest.
  SmallVector<Operation *> special;
  kernel.walk([&](Operation *op) {
    if (isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp>(op))
      special.push_back(op);
  });
  for (Operation *op : special) {
    rewriter.setInsertionPoint(op);
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      tile::ReduceOp::generalize(rewriter, reduce);
    else if (auto scan = dyn_cast<tile::ScanOp>(op))
      tile::ScanOp::generalize(rewriter, scan);
    else
      tile::ArgReduceOp::generalize(rewriter, cast<tile::ArgReduceOp>(op));
  }
  SmallVector<Operation *> ops;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  return success();
}

Value Converter::stage(Value tile) {
  Value &shared = staged[tile];
  if (shared)
    return shared;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(tile);
  auto type = cast<RankedTensorType>(tile.getType());
  auto smem = SmemType::get(rewriter.getContext(), type.getShape(), type.getElementType(),
                            SwizzleAttr::unknown(rewriter.getContext()));
  shared = StageOp::create(rewriter, tile.getLoc(), smem, tile, /*concat_dim=*/0, IntegerAttr{});
  return shared;
}

LogicalResult Converter::convert(Operation *op) {
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  auto replace = [&](Operation *with) {
    rewriter.replaceOp(op, with);
    return success();
  };
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (!load.isBox() || load.getPadTile())
      return op->emitOpError("has index tiles, element steps or a tile of pads, which "
                             "tile-expand-ops rewrites; run it first");
    auto converted = LoadOp::create(
        rewriter, loc, load.getType(), load.getSource(), load.getCoords(), load.getLimits(),
        load.getMask(), load.getDimsAttr(), load.getLimitedAttr(), load.getMaskDimsAttr(),
        load.getPadAttr(), load.getRequireAttr(), load.getStagesAttr(), load.getCacheAttr(),
        /*vector=*/IntegerAttr{}, /*why=*/StringAttr{});
    if (Attribute reason = load->getAttr(tile::kNotRepacked))
      converted->setAttr(tile::kNotRepacked, reason);
    return replace(converted);
  }
  if (auto store = dyn_cast<tile::StoreOp>(op); store && !store.isBox())
    return op->emitOpError("has index tiles or element steps, which tile-expand-ops rewrites; run "
                           "it first");
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return replace(StoreOp::create(
        rewriter, loc, store.getValue(), store.getDest(), store.getCoords(), store.getLimits(),
        store.getMask(), store.getDimsAttr(), store.getLimitedAttr(), store.getMaskDimsAttr(),
        store.getRequireAttr(), store.getCacheAttr(), /*vector=*/IntegerAttr{},
        /*why=*/StringAttr{}));
  if (Operation *converted = convertIndexed(op))
    return replace(converted);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return convertAtomic(atomic);
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    if (mma.getAccumulateEvery())
      return op->emitOpError("has 'accumulate_every', which tile-expand-ops writes as several "
                             "products; run it first");
    Value a = stage(mma.getA()), b = stage(mma.getB());
    auto converted =
        MmaOp::create(rewriter, loc, mma.getType(), a, b, mma.getC(), mma.getPrecisionAttr(),
                      mma.getLhsUnsignedAttr(), mma.getRhsUnsignedAttr(), mma.getRequireAttr(),
                      /*why=*/StringAttr{});
    for (StringRef name : {tile::kTurned, tile::kNotTurned})
      if (Attribute reason = mma->getAttr(name))
        converted->setAttr(name, reason);
    return replace(converted);
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    auto general = ReduceOp::create(rewriter, loc, reduce.getResultTypes(), reduce.getInputs(),
                                    reduce.getInits(), reduce.getDimsAttr());
    rewriter.inlineRegionBefore(reduce.getCombiner(), general.getCombiner(),
                                general.getCombiner().end());
    return replace(general);
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    auto general =
        ScanOp::create(rewriter, loc, scan.getScanned().getTypes(), scan.getTotals().getTypes(),
                       scan.getInputs(), scan.getInits(), scan.getCarries(), scan.getDimAttr(),
                       scan.getExclusiveAttr(), scan.getReverseAttr(), /*partial=*/UnitAttr{});
    rewriter.inlineRegionBefore(scan.getCombiner(), general.getCombiner(),
                                general.getCombiner().end());
    return replace(general);
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return replace(BroadcastOp::create(rewriter, loc, broadcast.getType(), broadcast.getSource(),
                                       broadcast.getDims()));
  if (auto iota = dyn_cast<tile::IotaOp>(op))
    return replace(
        IotaOp::create(rewriter, loc, iota.getType(), iota.getDimAttr(), iota.getFrom()));
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return replace(TransposeOp::create(rewriter, loc, transpose.getType(), transpose.getSource(),
                                       transpose.getDims()));
  if (isa<tile::GridOp, tile::DimOp, tile::NumCoresOp, tile::AssumeOp, tile::CostOp, tile::ReturnOp,
          tile::RoundedOp, tile::YieldOp, tile::ArrayFromOp>(op))
    return success();
  if (isa<tensor::TensorDialect>(op->getDialect()))
    return convertTensorOp(op);
  if (convertTake(rewriter, op))
    return success();
  if (isa<tile::ArrayAtOp>(op))
    return op->emitOpError("reads an address, which tile-expand-ops rewrites; run it first");
  if (isa<tile::TileDialect>(op->getDialect()))
    return op->emitOpError("is not supported on the GPU yet");
  return success();
}

/// A gather or a scatter; null for other ops.
Operation *Converter::convertIndexed(Operation *op) {
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return GatherOp::create(rewriter, op->getLoc(), gather.getType(), gather.getSource(),
                            gather.getCoords(), gather.getLimits(), gather.getMask(),
                            gather.getIndices(), gather.getDimsAttr(), gather.getLimitedAttr(),
                            gather.getMaskDimsAttr(), gather.getIndexedAttr(), gather.getPadAttr(),
                            gather.getRequireAttr(), gather.getStagesAttr(), gather.getCacheAttr(),
                            /*vector=*/IntegerAttr{}, /*why=*/StringAttr{});
  if (auto scatter = dyn_cast<tile::ScatterOp>(op))
    return ScatterOp::create(rewriter, op->getLoc(), scatter.getValue(), scatter.getDest(),
                             scatter.getCoords(), scatter.getLimits(), scatter.getMask(),
                             scatter.getIndices(), scatter.getDimsAttr(), scatter.getLimitedAttr(),
                             scatter.getMaskDimsAttr(), scatter.getIndexedAttr(),
                             /*vector=*/IntegerAttr{}, /*why=*/StringAttr{});
  return nullptr;
}

/// A scalar goes by way of a tile of rank 0.
LogicalResult Converter::convertAtomic(tile::AtomicOp op) {
  Location loc = op.getLoc();
  if (op.getStrides())
    return op.emitOpError("has 'strides', which tile-expand-ops writes as an index tile; run it "
                          "first");
  auto asTile = [&](Value value) -> Value {
    if (!value || isa<RankedTensorType>(value.getType()))
      return value;
    return BroadcastOp::create(rewriter, loc, op.getTileType(), value, ArrayRef<int64_t>{});
  };
  Value value = asTile(op.getValue()), replacement = asTile(op.getReplacement());
  auto converted = AtomicOp::create(
      rewriter, loc, op.getOld() ? Type(op.getTileType()) : Type(), op.getKind(), op.getOrder(),
      op.getScope(), value, replacement, op.getDest(), op.getCoords(), op.getLimits(), op.getMask(),
      op.getIndices(), op.getDims(), op.getLimited(), op.getMaskDims(), op.getIndexed(),
      /*into=*/Value(), /*vector=*/IntegerAttr{}, /*why=*/StringAttr{});
  if (!op.getOld()) {
    rewriter.eraseOp(op);
    return success();
  }
  Value old = converted.getOld();
  if (op.isScalar())
    old = ExtractOp::create(rewriter, loc, op.getOld().getType(), old);
  rewriter.replaceOp(op, old);
  return success();
}

LogicalResult Converter::convertTensorOp(Operation *op) {
  Location loc = op->getLoc();
  auto done = [&](Value value) {
    rewriter.replaceOp(op, value);
    return success();
  };
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    if (!cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape())
      return op->emitOpError("tiles have static extents");
    return done(ReshapeOp::create(rewriter, loc, op->getResult(0).getType(), op->getOperand(0)));
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return convertSlice(slice);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return done(ConcatOp::create(rewriter, loc, concat.getType(), concat.getInputs(),
                                 static_cast<int64_t>(concat.getDim())));
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    if (!extract.getIndices().empty())
      return op->emitOpError("takes an element of a tile of rank ")
             << extract.getTensor().getType().getRank()
             << "; only tiles of rank 0 have scalars: reduce the tile to rank 0 first, or "
                "memref.load the element";
    return done(ExtractOp::create(rewriter, loc, extract.getType(), extract.getTensor()));
  }
  Value scalar;
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    if (elements.getElements().size() != 1)
      return done(choose(elements));
    scalar = elements.getElements().front();
  } else if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    scalar = splat.getInput();
  }
  if (scalar)
    return done(BroadcastOp::create(rewriter, loc, op->getResult(0).getType(), scalar,
                                    ArrayRef<int64_t>{}));
  return op->emitOpError("is not an op of the tile language (docs/Language.md, \"shape\")");
}

/// A tensor of several scalars: every element selects its scalar by the bits of its row-major
/// index.
Value Converter::choose(tensor::FromElementsOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  auto numbers = RankedTensorType::get(type.getShape(), rewriter.getI32Type());
  auto constant = [&](int64_t x) -> Value {
    return arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(numbers, rewriter.getI32IntegerAttr(x)));
  };
  Value number;
  int64_t below = type.getNumElements();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    below /= type.getDimSize(d);
    if (type.getDimSize(d) == 1)
      continue;
    Value part = IotaOp::create(rewriter, loc, numbers, rewriter.getI64IntegerAttr(d), Value{});
    if (below != 1)
      part = arith::MulIOp::create(rewriter, loc, part, constant(below));
    number = number ? arith::AddIOp::create(rewriter, loc, number, part).getResult() : part;
  }
  SmallVector<Value> left;
  for (Value element : op.getElements())
    left.push_back(BroadcastOp::create(rewriter, loc, type, element, ArrayRef<int64_t>{}));
  for (int64_t bit = 1; left.size() > 1; bit *= 2) {
    Value masked = arith::AndIOp::create(rewriter, loc, number, constant(bit));
    Value odd = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, masked, constant(0));
    SmallVector<Value> next;
    for (size_t i = 0; i < left.size(); i += 2)
      next.push_back(i + 1 < left.size()
                         ? arith::SelectOp::create(rewriter, loc, odd, left[i + 1], left[i])
                         : left[i]);
    left = std::move(next);
  }
  return left.front();
}

LogicalResult Converter::convertSlice(tensor::ExtractSliceOp op) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()))
    return op.emitOpError("slices a tile at dynamic offsets or sizes; only static ones are "
                          "supported: load the part from memory instead");
  if (ShapedType::isDynamicShape(op.getStaticStrides()) ||
      llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s < 1; }))
    return op.emitOpError("slices a tile with strides that are dynamic or not positive");
  auto full = RankedTensorType::get(op.getStaticSizes(), op.getType().getElementType());
  bool dense = llvm::all_of(op.getStaticStrides(), [](int64_t s) { return s == 1; });
  Value result = SliceOp::create(rewriter, op.getLoc(), full, op.getSource(), op.getStaticOffsets(),
                                 dense ? DenseI64ArrayAttr{}
                                       : rewriter.getDenseI64ArrayAttr(op.getStaticStrides()));
  if (full != op.getType())
    result = ReshapeOp::create(rewriter, op.getLoc(), op.getType(), result);
  rewriter.replaceOp(op, result);
  return success();
}

namespace {
struct ConvertTileToCta : cta::impl::ConvertTileToCtaBase<ConvertTileToCta> {
  using ConvertTileToCtaBase::ConvertTileToCtaBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, std::nullopt, getArgument())))
      return signalPassFailure();
    std::optional<int64_t> planned = warpgroupsOfTile(planOf(kernel));
    if (planned && kernel.getWarpgroups() &&
        static_cast<int64_t>(*kernel.getWarpgroups()) != *planned) {
      kernel.emitOpError("has warpgroups = ")
          << *kernel.getWarpgroups() << ", but its plan says " << *planned
          << (replicasOf(planOf(kernel)) > 1 ? " for each block (replicate = blocks)" : "");
      return signalPassFailure();
    }
    if (!kernel.getWarpgroups())
      kernel.setWarpgroups(planned ? *planned : chooseWarpgroups(kernel));
    if (failed(Converter(kernel).run()))
      return signalPassFailure();
    kernel.setPhase(tile::Phase::Raw);
  }
};
} // namespace
