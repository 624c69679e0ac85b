// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of tile-insert-checks: tests that no two blocks of a grid write the same element.
//
// Each array that is written gets a *shadow*: workspace of the same sizes that holds for each
// element which block of which grid wrote it last. Before a store the shadow of its box is loaded,
// and no element may have another block of the same grid; then the block writes its own number
// there. Boxes are loaded and stored as the store itself does it, so what it drops (out of bounds,
// beyond a limit, masked off) is neither tested nor written.
//
// Numbers of later grids are larger. So what an earlier grid wrote, and what nobody wrote (-1), is
// less than all numbers of a grid.
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/Races.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::tile;

namespace {
/// The bits of the number of a block in its grid; the bits above are the number of the grid.
constexpr unsigned kBlockBits = 48;

class Overlap {
public:
  explicit Overlap(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()), loc(kernel.getLoc()), i64(b.getI64Type()) {}

  void run() {
    moveDemands();
    int64_t number = 0;
    for (auto grid : kernel.getBody().getOps<GridOp>())
      insert(grid, number++);
    // Of roots whose views could not be made.
    for (Operation *op : llvm::reverse(made))
      if (op->use_empty())
        op->erase();
  }

private:
  void moveDemands();
  void insert(GridOp grid, int64_t number);
  void insert(StoreOp store, Value shadow);
  void insert(ScatterOp store, Value shadow);
  void require(Operation *store, Value memref, Value before, Value tile);
  void insert(memref::StoreOp store, Value shadow);
  Value numberOfBlock(GridOp grid);
  Value shadowOf(Value memref);
  Value makeShadow(Value root);
  Value makeView(Operation *view, Value source);
  Value makeContiguousView(Operation *view, Value source);

  Value compare(arith::CmpIPredicate p, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, p, x, y);
  }
  Value value(OpFoldResult number) { return getValueOrCreateConstantIndexOp(b, loc, number); }

  KernelOp kernel;
  OpBuilder b;
  Location loc;
  Type i64;
  llvm::DenseMap<Value, Value> shadows; ///< of roots and views; null if there is none
  llvm::DenseSet<Value> exact;   ///< shadows that surely have the strides of what they are of
  SmallVector<Operation *> made; ///< what makes them
  Value own;                     ///< the number of the block
  Value least;                   ///< the least number of the grid
};
} // namespace

/// True if the grid has one block for all arguments.
static bool isOneBlock(GridOp grid) {
  for (auto [lower, upper, step] :
       llvm::zip(grid.getStaticLower(), grid.getStaticUpper(), grid.getStaticStep())) {
    int64_t length;
    if (ShapedType::isDynamic(lower) || ShapedType::isDynamic(upper) ||
        llvm::SubOverflow(upper, lower, length))
      return false;
    // A step is at least 1.
    if (length > (ShapedType::isDynamic(step) ? 1 : step))
      return false;
  }
  return true;
}

/// What the kernel demands of all its loads and stores need not hold for those that are inserted:
/// it becomes a demand of each that is there.
void Overlap::moveDemands() {
  std::optional<RequireAttr> demands = kernel.getRequire();
  if (!demands)
    return;
  auto add = [](auto op, Requirement demand) {
    SmallVector<Requirement> all;
    if (std::optional<RequireAttr> own = op.getRequire())
      llvm::append_range(all, own->getValues());
    if (llvm::is_contained(all, demand))
      return;
    all.push_back(demand);
    op.setRequireAttr(RequireAttr::get(op.getContext(), all));
  };
  SmallVector<Requirement> kept;
  for (Requirement demand : demands->getValues()) {
    const bool isPeeled = demand == Requirement::Peeled;
    if (demand != Requirement::Tma && demand != Requirement::Pipelined && !isPeeled) {
      kept.push_back(demand);
      continue;
    }
    kernel.walk([&](Operation *op) {
      if (isPeeled && !op->getParentOfType<LoopLikeOpInterface>())
        return;
      llvm::TypeSwitch<Operation *>(op).Case<LoadOp, GatherOp>(
          [&](auto load) { add(load, demand); });
    });
    if (demand == Requirement::Tma)
      kernel.walk([&](StoreOp store) { add(store, demand); });
  }
  if (kept.empty())
    kernel.removeRequireAttr();
  else
    kernel.setRequireAttr(RequireAttr::get(kernel.getContext(), kept));
}

void Overlap::insert(GridOp grid, int64_t number) {
  if (isOneBlock(grid) || ordersBlocks(grid))
    return;
  SmallVector<std::pair<Operation *, Value>> stores;
  grid.getBody().walk([&](Operation *op) {
    Value memref;
    if (auto store = dyn_cast<StoreOp>(op))
      memref = store.getDest();
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      memref = scatter.getDest();
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      memref = store.getMemRef();
    if (memref)
      if (Value shadow = shadowOf(memref))
        stores.emplace_back(op, shadow);
  });
  if (stores.empty())
    return;
  loc = grid.getLoc();
  b.setInsertionPointToStart(&grid.getBody().front());
  const int64_t first = number << kBlockBits;
  least = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(first));
  own = b.createOrFold<arith::AddIOp>(
      loc, arith::IndexCastOp::create(b, loc, i64, numberOfBlock(grid)), least);
  for (auto [op, shadow] : stores) {
    loc = op->getLoc();
    b.setInsertionPoint(op);
    if (auto store = dyn_cast<StoreOp>(op))
      insert(store, shadow);
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      insert(scatter, shadow);
    else
      insert(cast<memref::StoreOp>(op), shadow);
  }
}

/// Which block of the grid this one is, counted from 0.
Value Overlap::numberOfBlock(GridOp grid) {
  Value number = value(b.getIndexAttr(0));
  auto lowers = grid.getMixedLower(), uppers = grid.getMixedUpper(), steps = grid.getMixedStep();
  for (auto [d, coordinate] : llvm::enumerate(grid.getCoordinates())) {
    Value lower = value(lowers[d]), upper = value(uppers[d]), step = value(steps[d]);
    if (d) {
      Value length = b.createOrFold<arith::SubIOp>(loc, upper, lower);
      Value count = b.createOrFold<arith::CeilDivSIOp>(loc, length, step);
      number = b.createOrFold<arith::MulIOp>(loc, number, count);
    }
    Value distance = b.createOrFold<arith::SubIOp>(loc, coordinate, lower);
    Value index = b.createOrFold<arith::DivSIOp>(loc, distance, step);
    number = b.createOrFold<arith::AddIOp>(loc, number, index);
  }
  return number;
}

/// The shadow of a memref, or null if it cannot be made.
Value Overlap::shadowOf(Value memref) {
  auto known = shadows.find(memref);
  if (known != shadows.end())
    return known->second;
  OpBuilder::InsertionGuard guard(b);
  Value shadow;
  Operation *op = memref.getDefiningOp();
  if (!op || isa<memref::AllocOp>(op)) {
    if (rootOf(memref))
      shadow = makeShadow(memref);
  } else if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
    if (Value source = shadowOf(view.getViewSource())) {
      b.setInsertionPointAfter(op);
      shadow = makeView(op, source);
    }
  }
  if (shadow && !llvm::is_contained(made, shadow.getDefiningOp()))
    made.push_back(shadow.getDefiningOp());
  return shadows[memref] = shadow;
}

Value Overlap::makeShadow(Value root) {
  auto type = cast<MemRefType>(root.getType());
  SmallVector<Value> sizes, strides;
  MemRefLayoutAttrInterface layout;
  loc = root.getLoc();
  if (auto alloc = root.getDefiningOp<memref::AllocOp>()) {
    b.setInsertionPointAfter(alloc);
    llvm::append_range(sizes, alloc.getDynamicSizes());
    llvm::append_range(strides, alloc.getSymbolOperands());
    layout = type.getLayout();
  } else {
    // The strides of an argument are not known where workspace is allocated.
    b.setInsertionPointToStart(&kernel.getBody().front());
    for (int64_t d = 0; d != type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(memref::DimOp::create(b, loc, root, d));
  }
  auto shadow = memref::AllocOp::create(b, loc, MemRefType::get(type.getShape(), i64, layout),
                                        sizes, strides, IntegerAttr());
  shadow->setAttr("tile.init", b.getI64IntegerAttr(-1));
  // Where strides are known at launch only, equal types do not mean equal strides.
  if (root.getDefiningOp() ||
      (type.getLayout().isIdentity() && type.getLayout() == shadow.getType().getLayout()))
    exact.insert(shadow);
  return shadow;
}

/// The same view of the shadow `source`, or null. Strides count elements, so views of a shadow with
/// the strides of its root have the layouts of the views of the root.
Value Overlap::makeView(Operation *view, Value source) {
  if (!exact.contains(source))
    return makeContiguousView(view, source);
  if (!isa<memref::SubViewOp, memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
           memref::ReinterpretCastOp>(view))
    return {};
  auto type = cast<MemRefType>(view->getResult(0).getType());
  Operation *clone = b.clone(*view);
  clone->setOperand(0, source);
  clone->getResult(0).setType(MemRefType::get(type.getShape(), i64, type.getLayout()));
  exact.insert(clone->getResult(0));
  return clone->getResult(0);
}

/// The same of a shadow that is contiguous, while the argument has strides. Views that choose
/// elements by their coordinates choose the same ones; the layout of the result is another one.
Value Overlap::makeContiguousView(Operation *view, Value source) {
  auto viewed = cast<MemRefType>(view->getOperand(0).getType());
  auto type = cast<MemRefType>(view->getResult(0).getType());
  auto sourceType = cast<MemRefType>(source.getType());
  // A cast changes no element, and sizes and strides of an access may be static or not.
  if (isa<memref::CastOp>(view))
    return source;
  if (auto subview = dyn_cast<memref::SubViewOp>(view)) {
    auto offsets = subview.getMixedOffsets(), sizes = subview.getMixedSizes(),
         strides = subview.getMixedStrides();
    MemRefType result = memref::SubViewOp::inferRankReducedResultType(type.getShape(), sourceType,
                                                                      offsets, sizes, strides);
    return memref::SubViewOp::create(b, view->getLoc(), result, source, offsets, sizes, strides);
  }
  if (viewed.getShape() != sourceType.getShape())
    return {};
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    auto groups = expand.getReassociationIndices();
    FailureOr<MemRefType> expanded =
        memref::ExpandShapeOp::computeExpandedType(sourceType, type.getShape(), groups);
    if (failed(expanded))
      return {};
    return memref::ExpandShapeOp::create(b, view->getLoc(), *expanded, source, groups,
                                         expand.getMixedOutputShape());
  }
  auto collapse = dyn_cast<memref::CollapseShapeOp>(view);
  if (!collapse)
    return {};
  auto groups = collapse.getReassociationIndices();
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(sourceType, groups))
    return {};
  return memref::CollapseShapeOp::create(b, view->getLoc(), source, groups);
}

static std::string messageFor(Operation *store, Value memref) {
  return (store->getName().getStringRef() + " writes elements of " + nameOfRoot(memref) +
          " that another block of the grid writes, too")
      .str();
}

/// Stops the program unless every element of `before` is the number in `tile`, this block's, or of
/// an earlier grid.
void Overlap::require(Operation *store, Value memref, Value before, Value tile) {
  auto type = cast<RankedTensorType>(before.getType());
  Value old = tensor::SplatOp::create(b, loc, least, type);
  Value isAllowed = arith::OrIOp::create(b, loc, compare(arith::CmpIPredicate::eq, before, tile),
                                         compare(arith::CmpIPredicate::slt, before, old));
  if (type.getRank())
    isAllowed = ReduceOp::create(b, loc, ReduceKind::AndI, isAllowed,
                                 llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())))
                    .getResult(0);
  Value condition = tensor::ExtractOp::create(b, loc, isAllowed, ValueRange{});
  cf::AssertOp::create(b, loc, condition, messageFor(store, memref));
}

void Overlap::insert(ScatterOp store, Value shadow) {
  auto type = RankedTensorType::get(store.getTileType().getShape(), i64);
  Value before = GatherOp::create(
      b, loc, type, shadow, store.getCoords(), store.getLimits(), store.getMask(),
      store.getIndices(), store.getDimsAttr(), store.getLimitedAttr(), store.getMaskDimsAttr(),
      store.getIndexedAttr(), b.getI64IntegerAttr(-1), RequireAttr{}, IntegerAttr{}, CacheAttr{});
  Value tile = tensor::SplatOp::create(b, loc, own, type);
  require(store, store.getDest(), before, tile);
  ScatterOp::create(b, loc, tile, shadow, store.getCoords(), store.getLimits(), store.getMask(),
                    store.getIndices(), store.getDimsAttr(), store.getLimitedAttr(),
                    store.getMaskDimsAttr(), store.getIndexedAttr());
}

void Overlap::insert(StoreOp store, Value shadow) {
  auto type = RankedTensorType::get(store.getTileType().getShape(), i64);
  Value before =
      LoadOp::create(b, loc, type, shadow, store.getCoords(), store.getLimits(), store.getMask(),
                     store.getDimsAttr(), store.getLimitedAttr(), store.getMaskDimsAttr(),
                     b.getI64IntegerAttr(-1), RequireAttr{}, IntegerAttr{}, CacheAttr{});
  Value tile = tensor::SplatOp::create(b, loc, own, type);
  require(store, store.getDest(), before, tile);
  StoreOp::create(b, loc, tile, shadow, store.getCoords(), store.getLimits(), store.getMask(),
                  store.getDimsAttr(), store.getLimitedAttr(), store.getMaskDimsAttr(),
                  RequireAttr{}, CacheAttr{});
}

void Overlap::insert(memref::StoreOp store, Value shadow) {
  Value before = memref::LoadOp::create(b, loc, shadow, store.getIndices());
  Value condition = arith::OrIOp::create(b, loc, compare(arith::CmpIPredicate::eq, before, own),
                                         compare(arith::CmpIPredicate::slt, before, least));
  cf::AssertOp::create(b, loc, condition, messageFor(store, store.getMemRef()));
  memref::StoreOp::create(b, loc, own, shadow, store.getIndices());
}

void tessera::tile::checkOverlap(KernelOp kernel) { Overlap(kernel).run(); }
