// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-split-epilogue: what follows a product, some columns at a time.
//
// The part for each group of columns is a clone of the slice of pure ops behind the stored tile. At
// the slice's leaves stand values that are there anyhow (accumulators): a cta.slice of them costs
// nothing, because columns of an accumulator are registers.
#include "GlobalBox.h"
#include "tessera/Dialect/Cta/LayoutRules.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Cta/SharedMemory.h"
#include "tessera/Dialect/Cta/Transforms.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SPLITEPILOGUE
#include "tessera/Dialect/Cta/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// A store by TMA and the tile that it stages.
class Splitter {
public:
  Splitter(CopyOutOp store, StageOp stage, int64_t width)
      : store(store), stage(stage), width(width), b(store) {}
  void run();

private:
  /// Columns [from, from + width) of a tile whose dimension `dim` is the columns.
  Value part(Value tile, int64_t dim, int64_t from);
  Value partOf(Operation *op, Value tile, int64_t dim, int64_t from);
  template <typename Op>
  SmallVector<Value> shifted(Op op, int64_t dim, int64_t from);
  bool mayReadWhatIsStored(Operation *load);
  RankedTensorType narrow(Type type, int64_t dim);
  SmemType narrowShared(SmemType type, int64_t dim);

  CopyOutOp store;
  StageOp stage;
  int64_t width;
  OpBuilder b;
  DenseMap<std::pair<Value, int64_t>, Value> parts; // by tile and first column
};
} // namespace

RankedTensorType Splitter::narrow(Type type, int64_t dim) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dim] = width;
  return RankedTensorType::get(shape, tensor.getElementType(), tensor.getEncoding());
}

/// The same kind of tile, with fewer columns; its swizzle is as wide as they let it be, but not
/// wider than the tile's. Null if TMA cannot move it.
SmemType Splitter::narrowShared(SmemType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = width;
  SwizzleAttr swizzle = type.getSwizzle();
  auto narrowed = SmemType::get(type.getContext(), shape, type.getElementType(), swizzle);
  for (int64_t span = swizzle.getSpan(); sharedLayout(narrowed).validateTma();) {
    // Panels of 16 bytes follow those of 32.
    span = span > 32 ? span / 2 : span - 32;
    if (span < 0)
      return {};
    narrowed = SmemType::get(type.getContext(), shape, type.getElementType(),
                             SwizzleAttr::get(type.getContext(), span, swizzle.getDim(), 0));
  }
  return narrowed;
}

/// Coordinates that begin `from` columns later.
template <typename Op>
SmallVector<Value> Splitter::shifted(Op op, int64_t dim, int64_t from) {
  SmallVector<Value> coords(op.getCoords());
  Value &coord = coords[op.getDims()[dim]];
  if (from)
    coord = b.createOrFold<arith::AddIOp>(op.getLoc(), coord,
                                          arith::ConstantIndexOp::create(b, op.getLoc(), from));
  return coords;
}

/// Its part would be loaded where the store stands: behind all that is written in between, and
/// behind the parts that are stored before.
bool Splitter::mayReadWhatIsStored(Operation *load) {
  std::optional<GlobalBox> from = globalBoxOf(load);
  auto overwrites = [&](Operation *inner) {
    if (!isa<StoreOp, CopyOutOp, memref::StoreOp>(inner))
      return WalkResult::advance();
    std::optional<GlobalBox> to = globalBoxOf(inner);
    return !from || !to || mayAlias(*from, *to) ? WalkResult::interrupt() : WalkResult::advance();
  };
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    if (op->walk(overwrites).wasInterrupted())
      return true;
    if (op == store)
      return false;
  }
  return true;
}

Value Splitter::part(Value tile, int64_t dim, int64_t from) {
  Value &known = parts[{tile, from}];
  if (known)
    return known;
  Operation *op = tile.getDefiningOp();
  Value made;
  if (op && op->getBlock() == store->getBlock())
    made = partOf(op, tile, dim, from);
  if (!made) {
    SmallVector<int64_t> offsets(tileShape(tile.getType()).size(), 0);
    offsets[dim] = from;
    made = SliceOp::create(b, tile.getLoc(), narrow(tile.getType(), dim), tile,
                           b.getDenseI64ArrayAttr(offsets), /*strides=*/DenseI64ArrayAttr{});
  }
  return parts[{tile, from}] = made; // `known` may have moved
}

/// The op again, for these columns only; null if the tile must be sliced as it is.
Value Splitter::partOf(Operation *op, Value tile, int64_t dim, int64_t from) {
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!elements)
      return {};
    RankedTensorType type = narrow(tile.getType(), dim);
    return arith::ConstantOp::create(
        b, loc, type, DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  }
  if (isElementwise(op)) {
    if (op->getNumResults() != 1)
      return {};
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        mapping.map(operand, part(operand, dim, from));
    Operation *copy = b.clone(*op, mapping);
    copy->getResult(0).setType(narrow(tile.getType(), dim));
    return copy->getResult(0);
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    Value source = broadcast.getSource();
    for (auto [i, d] : llvm::enumerate(broadcast.getDims()))
      if (d == dim && tileShape(source.getType())[i] != 1)
        source = part(source, static_cast<int64_t>(i), from);
    return BroadcastOp::create(b, loc, narrow(tile.getType(), dim), source,
                               broadcast.getDimsAttr());
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getMask() || mayReadWhatIsStored(load))
      return {};
    SmallVector<Value> coords = shifted(load, dim, from);
    auto copy = cast<LoadOp>(b.clone(*op));
    copy.getCoordsMutable().assign(coords);
    copy.getResult().setType(narrow(tile.getType(), dim));
    return copy.getResult();
  }
  auto read = dyn_cast<ReadOp>(op);
  auto fetched = read ? read.getSource().getDefiningOp<CopyOp>() : CopyOp();
  if (!fetched || read.getOffsets() || read.getDims() || !fetched->hasOneUse() ||
      fetched->getBlock() != store->getBlock() || mayReadWhatIsStored(fetched))
    return {};
  SmemType type = narrowShared(fetched.getSmemType(), dim);
  if (!type)
    return {};
  SmallVector<Value> coords = shifted(fetched, dim, from);
  auto copy = cast<CopyOp>(b.clone(*fetched));
  copy.getCoordsMutable().assign(coords);
  copy.getResult().setType(type);
  return ReadOp::create(b, loc, narrow(tile.getType(), dim), copy.getResult(),
                        read.getOffsetsAttr(), read.getDimsAttr(), read.getStridesAttr());
}

void Splitter::run() {
  constexpr int64_t kColumns = 1;
  Value tile = stage.getInputs().front();
  SmemType type = narrowShared(stage.getType(), kColumns);
  if (!type)
    return;
  for (int64_t from = 0; from < tileShape(tile.getType())[kColumns]; from += width) {
    Value piece = part(tile, kColumns, from);
    auto staged = StageOp::create(b, stage.getLoc(), type, piece, /*concat_dim=*/0,
                                  /*offset=*/IntegerAttr{});
    SmallVector<Value> coords = shifted(store, kColumns, from);
    auto copy = cast<CopyOutOp>(b.clone(*store.getOperation()));
    copy.getValueMutable().assign(staged.getResult());
    copy.getCoordsMutable().assign(coords);
  }
  // What the whole tile was made of goes with it.
  SmallVector<Value> dead(stage.getInputs());
  store.erase();
  stage.erase();
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val().getDefiningOp();
    if (!op || !op->use_empty() || op->getNumRegions() || !isOpTriviallyDead(op))
      continue;
    llvm::append_range(dead, op->getOperands());
    op->erase();
  }
}

/// True if the tile is an accumulator's, or computed in its layout, and the columns divide.
static bool canSplit(CopyOutOp store, StageOp stage, int64_t width) {
  if (!stage || stage.getInputs().size() != 1 || !stage->hasOneUse() ||
      stage->getBlock() != store->getBlock() || !store.getLimits().empty())
    return false;
  Type input = stage.getInputs().front().getType();
  ArrayRef<int64_t> shape = tileShape(input);
  FragAttr frag = FragAttr::of(input);
  if (shape.size() != 2 || !frag || frag.layout() != layout::wgmmaAcc(frag.getWgCount()))
    return false;
  return width >= 8 && width % 8 == 0 && width < shape[1] && shape[1] % width == 0;
}

/// What leads to the stored tile loads tiles, evaluates functions, or has a scalar that is no
/// constant: values and temporaries that would stand beside all accumulators at once.
static bool isHeavy(StageOp stage) {
  SmallVector<Value> tiles(stage.getInputs());
  DenseSet<Operation *> seen;
  while (!tiles.empty()) {
    Operation *op = tiles.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != stage->getBlock() || op->getNumRegions() ||
        !seen.insert(op).second)
      continue;
    auto broadcast = dyn_cast<BroadcastOp>(op);
    if (isa<LoadOp, ReadOp>(op) ||
        (broadcast && !isa<RankedTensorType>(broadcast.getSource().getType())) ||
        (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op)))
      return true;
    llvm::copy_if(op->getOperands(), std::back_inserter(tiles),
                  [](Value v) { return isa<RankedTensorType>(v.getType()); });
  }
  return false;
}

/// A store whose parts are as wide as a row of the widest swizzle. Where nothing but a conversion
/// leads to the store the whole tile is better: a fourth stage in place of it gained 0.5 to 2 % on
/// squares of 2048 and 4096, but lost 1 to 2.5 % on 8192x28672x8192 and 16384 cubed.
constexpr int64_t kDerivedWidth = 64;

namespace {
struct SplitEpilogue : cta::impl::SplitEpilogueBase<SplitEpilogue> {
  using SplitEpilogueBase::SplitEpilogueBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    auto plan = dyn_cast_or_null<PlanAttr>(kernel.getPlanAttr());
    SmallVector<CopyOutOp> stores;
    kernel.walk([&](CopyOutOp store) { stores.push_back(store); });
    std::optional<int64_t> chosen = plan ? plan.getEpilogue() : std::nullopt;
    if (!chosen && derive) {
      bool heavy = llvm::any_of(stores, [](CopyOutOp store) {
        auto stage = store.getValue().getDefiningOp<StageOp>();
        return canSplit(store, stage, kDerivedWidth) && isHeavy(stage);
      });
      chosen = heavy ? kDerivedWidth : 0;
      if (heavy)
        kernel.setPlanAttr(withEpilogue(kernel.getContext(), plan, kDerivedWidth));
    }
    const int64_t width = chosen.value_or(0);
    if (!width)
      return;
    for (CopyOutOp store : stores) {
      auto stage = store.getValue().getDefiningOp<StageOp>();
      if (canSplit(store, stage, width))
        Splitter(store, stage, width).run();
    }
  }
};
} // namespace
