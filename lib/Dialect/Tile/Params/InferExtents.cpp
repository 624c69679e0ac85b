// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A worklist: what is known about the extents of a tile goes to all that is made of it. Extents
// only become known, so that it ends.
#include "InferExtents.h"

#include "tessera/Dialect/Tile/Params/Params.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::tile;

namespace {
using Shape = SmallVector<int64_t>;

class Inference {
public:
  explicit Inference(KernelOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { work.insert(op); });
    SmallVector<Operation *, 0> all = work.takeVector();
    work.insert(all.rbegin(), all.rend()); // the first op is taken first
    while (!work.empty() && !isBad)
      visit(work.pop_back_val());
    if (isBad)
      return failure();
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { settle(op); });
    if (isBad || failed(reportUnknown()))
      return failure();
    // Upstream's patterns make casts between extents that are known and `?`.
    kernel.walk([&](tensor::CastOp cast) {
      if (cast.getSource().getType() != cast.getType())
        return;
      cast.replaceAllUsesWith(cast.getSource());
      cast.erase();
    });
    return success();
  }

private:
  //===--- what is known ---------------------------------------------------------------------===//

  static RankedTensorType tileOf(Value value) {
    return dyn_cast<RankedTensorType>(value.getType());
  }

  Shape shapeOf(Value tile) {
    auto it = shapes.find(tile);
    return it != shapes.end() ? it->second : Shape(tileOf(tile).getShape());
  }

  InFlightDiagnostic error(Operation *op) {
    isBad = true;
    return op->emitOpError();
  }

  static std::string text(ArrayRef<int64_t> shape) {
    std::string text;
    for (int64_t extent : shape)
      text += (text.empty() ? "" : "x") +
              (ShapedType::isDynamic(extent) ? std::string("?") : std::to_string(extent));
    return text.empty() ? "a tile of rank 0" : text;
  }

  /// Adds what `from` knows to `to`. Fails if they differ.
  static bool meet(Shape &to, ArrayRef<int64_t> from) {
    if (!shapesAgree(to, from))
      return false;
    for (auto [extent, other] : llvm::zip_equal(to, from))
      if (ShapedType::isDynamic(extent))
        extent = other;
    return true;
  }

  /// A tile has this shape, as far as that is known: what a verifier asks of ops without `?`.
  void refine(Value tile, ArrayRef<int64_t> shape, Operation *op) {
    RankedTensorType type = tileOf(tile);
    if (!type || type.getRank() != static_cast<int64_t>(shape.size()))
      return; // the op's verifier has reported it
    Shape before = shapeOf(tile), after = before;
    if (!meet(after, shape)) {
      error(op) << "makes or passes on a tile of " << text(shape) << " where one of "
                << text(before) << " is needed";
      return;
    }
    if (after == before)
      return;
    shapes[tile] = after;
    for (Operation *user : tile.getUsers())
      work.insert(user);
  }

  /// Adds to a shape what is known about a tile that has to have it.
  bool join(Operation *op, Shape &shape, Value tile) {
    Shape other = shapeOf(tile);
    if (meet(shape, other))
      return true;
    error(op) << "combines a tile of " << text(shape) << " with one of " << text(other);
    return false;
  }

  //===--- ops -------------------------------------------------------------------------------===//

  void visit(Operation *op) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      flow(branch, RegionBranchPoint::parent());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (auto end = dyn_cast<RegionBranchTerminatorOpInterface>(block.back()))
            flow(branch, end);
    }
    if (auto end = dyn_cast<RegionBranchTerminatorOpInterface>(op))
      if (auto branch = dyn_cast<RegionBranchOpInterface>(op->getParentOp()))
        flow(branch, end);
    if (op->getNumResults() == 0 || llvm::none_of(op->getResults(), tileOf))
      return;
    if (OpTrait::hasElementwiseMappableTraits(op))
      return visitElementwise(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case<TransposeOp, ZipOp, UnzipOp, UnpackOp, PackOp, TakeOp, InsertOp, MmaOp, ReduceOp,
              ArgReduceOp, ScanOp, AtomicOp, tensor::CastOp, tensor::CollapseShapeOp,
              tensor::ConcatOp>([&](auto known) { infer(known); });
    visitMaker(op);
  }

  void flow(RegionBranchOpInterface branch, RegionBranchPoint point) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    Operation *end = point.getTerminatorPredecessorOrNull();
    for (RegionSuccessor &successor : successors) {
      OperandRange operands =
          end ? cast<RegionBranchTerminatorOpInterface>(end).getSuccessorOperands(successor)
              : branch.getEntrySuccessorOperands(successor);
      for (auto [from, to] : llvm::zip(operands, successor.getSuccessorInputs()))
        if (tileOf(from))
          refine(to, shapeOf(from), end ? end : branch.getOperation());
    }
  }

  void visitElementwise(Operation *op) {
    std::optional<Shape> shape;
    for (Value operand : op->getOperands()) {
      if (!tileOf(operand))
        continue;
      if (!shape)
        shape = shapeOf(operand);
      else if (!join(op, *shape, operand))
        return;
    }
    if (shape)
      for (Value result : op->getResults())
        refine(result, *shape, op);
  }

  /// An op that says the extents of what it makes.
  void visitMaker(Operation *op) {
    std::optional<ValueRange> extents = extentsGiven(op);
    RankedTensorType type = tileOf(op->getResult(0));
    if (!extents || extents->empty() || isBad)
      return;
    Shape shape(type.getShape());
    unsigned next = 0;
    for (int64_t &extent : shape) {
      if (!ShapedType::isDynamic(extent))
        continue;
      if (next == extents->size())
        return;
      Value given = (*extents)[next++];
      APInt number;
      if (!matchPattern(given, m_ConstantInt(&number))) {
        InFlightDiagnostic diagnostic =
            error(op)
            << "has an extent that parameters alone do not give; the extents of tiles are "
               "known when the kernel is compiled";
        diagnostic.attachNote(
            (findParamObstacle(given) ? findParamObstacle(given) : given).getLoc())
            << "it depends on this";
        return;
      }
      extent = number.getSExtValue();
      if (extent < 1 || extent > kMaxExtent) {
        error(op) << "has the extent " << extent << ", which must be 1 to " << kMaxExtent;
        return;
      }
    }
    refine(op->getResult(0), shape, op);
  }

  void infer(TransposeOp op) {
    Shape source = shapeOf(op.getSource()), shape;
    for (int64_t d : op.getDims())
      shape.push_back(source[d]);
    refine(op.getResult(), shape, op);
  }
  void scaleLast(Operation *op, Value from, Value to, int64_t times, int64_t parts) {
    Shape shape = shapeOf(from);
    if (!ShapedType::isDynamic(shape.back())) {
      if (shape.back() % parts) {
        error(op) << "takes a tile of " << text(shape)
                  << ", whose last extent must be a multiple of " << parts;
        return;
      }
      shape.back() = shape.back() * times / parts;
    }
    refine(to, shape, op);
  }
  void infer(ZipOp op) {
    Shape shape = shapeOf(op.getEven());
    if (!join(op, shape, op.getOdd()))
      return;
    scaleLast(op, op.getEven(), op.getResult(), 2, 1);
  }
  void infer(UnzipOp op) {
    scaleLast(op, op.getSource(), op.getEven(), 1, 2);
    scaleLast(op, op.getSource(), op.getOdd(), 1, 2);
  }
  void infer(UnpackOp op) { scaleLast(op, op.getSource(), op.getResult(), op.getFactor(), 1); }
  void infer(PackOp op) { scaleLast(op, op.getSource(), op.getResult(), 1, op.getFactor()); }
  void infer(TakeOp op) {
    Shape shape = shapeOf(op.getSource()), index = shapeOf(op.getIndex());
    const auto dim = static_cast<int64_t>(op.getDim());
    // The index tile has rank 1, or the result's shape.
    shape[dim] = index.size() == 1 ? index.front() : index[dim];
    refine(op.getResult(), shape, op);
  }
  void infer(InsertOp op) { refine(op.getResult(), shapeOf(op.getDest()), op); }
  void infer(MmaOp op) {
    Shape a = shapeOf(op.getA()), b = shapeOf(op.getB());
    const size_t rank = a.size();
    if (!extentsAgree(a[rank - 1], b[rank - 2])) {
      error(op) << "multiplies " << text(a) << " by " << text(b) << ": K is " << a[rank - 1]
                << " and " << b[rank - 2];
      return;
    }
    Shape shape = a;
    shape[rank - 1] = b[rank - 1];
    if (op.getC() && !join(op, shape, op.getC()))
      return;
    refine(op.getResult(), shape, op);
  }
  /// Without the dimensions that are combined.
  static Shape reduced(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
    Shape kept;
    for (auto [d, extent] : llvm::enumerate(shape))
      if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
        kept.push_back(extent);
    return kept;
  }
  bool joinAll(Operation *op, Shape &shape, ValueRange tiles) {
    return llvm::all_of(tiles, [&](Value tile) { return join(op, shape, tile); });
  }
  void infer(ReduceOp op) {
    Shape shape = shapeOf(op.getInputs().front());
    if (!joinAll(op, shape, op.getInputs()))
      return;
    for (Value result : op.getResults())
      refine(result, reduced(shape, op.getDims()), op);
  }
  void infer(ArgReduceOp op) {
    Shape shape = reduced(shapeOf(op.getInput()), {static_cast<int64_t>(op.getDim())});
    refine(op.getValue(), shape, op);
    refine(op.getIndex(), shape, op);
  }
  void infer(ScanOp op) {
    Shape shape = shapeOf(op.getInputs().front());
    if (!joinAll(op, shape, op.getInputs()))
      return;
    Shape total = reduced(shape, {static_cast<int64_t>(op.getDim())});
    if (!joinAll(op, total, op.getCarries()))
      return;
    for (Value scanned : op.getScanned())
      refine(scanned, shape, op);
    for (Value sum : op.getTotals())
      refine(sum, total, op);
  }
  void infer(AtomicOp op) {
    if (tileOf(op.getValue()) && op.getOld())
      refine(op.getOld(), shapeOf(op.getValue()), op);
  }
  void infer(tensor::CastOp op) {
    if (tileOf(op.getSource()))
      refine(op.getResult(), shapeOf(op.getSource()), op);
  }
  void infer(tensor::CollapseShapeOp op) {
    Shape source = shapeOf(op.getSrc()), shape;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      int64_t product = 1;
      for (int64_t d : group)
        if (ShapedType::isDynamic(source[d]) || ShapedType::isDynamic(product))
          product = ShapedType::kDynamic;
        else if (__builtin_mul_overflow(product, source[d], &product) || product > kMaxExtent) {
          error(op) << "makes an extent of more than " << kMaxExtent << " of " << text(source);
          return;
        }
      shape.push_back(product);
    }
    refine(op.getResult(), shape, op);
  }
  void infer(tensor::ConcatOp op) {
    const auto dim = static_cast<int64_t>(op.getDim());
    Shape shape = shapeOf(op.getInputs().front());
    int64_t sum = 0;
    for (Value input : op.getInputs()) {
      Shape other = shapeOf(input);
      sum = ShapedType::isDynamic(sum) || ShapedType::isDynamic(other[dim]) ? ShapedType::kDynamic
                                                                            : sum + other[dim];
      other[dim] = shape[dim] = ShapedType::kDynamic;
      if (!meet(shape, other)) {
        error(op) << "puts tiles one behind the other that differ in another dimension";
        return;
      }
    }
    shape[dim] = sum;
    refine(op.getResult(), shape, op);
  }

  //===--- types -----------------------------------------------------------------------------===//

  void setType(Value value) {
    if (auto it = shapes.find(value); it != shapes.end())
      value.setType(tileOf(value).clone(it->second));
  }

  /// Numbers that are constants become part of the op.
  static void settleSlice(tensor::ExtractSliceOp op) {
    auto fold = [&](SmallVector<OpFoldResult> mixed, MutableOperandRange rest, auto set) {
      SmallVector<int64_t> statics;
      SmallVector<Value> dynamics;
      for (OpFoldResult &entry : mixed)
        if (std::optional<int64_t> constant = getConstantIntValue(entry))
          entry = IntegerAttr::get(IndexType::get(op.getContext()), *constant);
      dispatchIndexOpFoldResults(mixed, dynamics, statics);
      rest.assign(dynamics);
      set(statics);
    };
    fold(op.getMixedOffsets(), op.getOffsetsMutable(), [&](auto s) { op.setStaticOffsets(s); });
    fold(op.getMixedSizes(), op.getSizesMutable(), [&](auto s) { op.setStaticSizes(s); });
    fold(op.getMixedStrides(), op.getStridesMutable(), [&](auto s) { op.setStaticStrides(s); });
  }

  void settle(Operation *op) {
    for (Value result : op->getResults())
      setType(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          setType(argument);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return settleSlice(slice);
    std::optional<ValueRange> extents = extentsGiven(op);
    if (!extents || extents->empty() || !tileOf(op->getResult(0)).hasStaticShape())
      return;
    llvm::TypeSwitch<Operation *>(op)
        .Case<LoadOp, BroadcastOp, IotaOp, ExtractOp>(
            [](auto maker) { maker.getExtentsMutable().clear(); })
        .Case([](tensor::SplatOp splat) { splat.getDynamicSizesMutable().clear(); })
        .Case([&](tensor::ExpandShapeOp expand) { settleExpand(expand); });
  }

  void settleExpand(tensor::ExpandShapeOp op) {
    Shape source = shapeOf(op.getSrc()), shape(op.getResultType().getShape());
    for (auto [extent, group] : llvm::zip_equal(source, op.getReassociationIndices())) {
      int64_t product = 1;
      for (int64_t d : group)
        product = llvm::SaturatingMultiply<uint64_t>(product, shape[d]);
      if (extent != product) {
        error(op) << "divides a tile of " << text(source) << " into " << text(shape)
                  << ", but the extent " << extent << " is not the product of those it becomes";
        return;
      }
    }
    op.getOutputShapeMutable().clear();
    op.setStaticOutputShape(shape);
  }

  /// Where an extent is still unknown: the ops whose operands are known.
  LogicalResult reportUnknown() {
    auto isUnknown = [](Value value) { return tileOf(value) && !tileOf(value).hasStaticShape(); };
    Operation *any = nullptr;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool unknown = llvm::any_of(op->getResults(), isUnknown);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          unknown |= llvm::any_of(block.getArguments(), isUnknown);
      if (!unknown)
        return;
      if (!any)
        any = op;
      if (llvm::none_of(op->getOperands(), isUnknown))
        error(op) << "makes a tile with an extent that nothing gives: no parameter and no operand";
    });
    if (any && !isBad)
      error(any) << "makes a tile with an extent that nothing gives: no parameter and no operand";
    return failure(isBad);
  }

  KernelOp kernel;
  llvm::SetVector<Operation *> work;
  llvm::DenseMap<Value, Shape> shapes;
  bool isBad = false;
};
} // namespace

LogicalResult tessera::tile::inferExtents(KernelOp kernel) { return Inference(kernel).run(); }
