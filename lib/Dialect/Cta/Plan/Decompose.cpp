// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-decompose: whatever the lowering cannot do within a warp goes through scratch in shared
// memory. Below, "write" is `cta.stage` and "read" is `cta.read`.
//
//   convert_layout   no move, register moves or cheap shuffles; otherwise write + read
//   reshape          the same registers if they hold the same elements; else write, view, read
//   slice, concat    write + read at an offset; one write of all inputs + read
//   take, print      one write, and reads of single elements
//   reduce, scan     within a warp in registers; across warps through scratch
//   atomic           the old value, from the thread that made the step to those that hold a copy
//
// Scratch is linear and padded so that banks do not conflict. A tile that several slices need is
// written once.
#include "Decompose.h"
#include "Scratch.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/Conversion.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::Coord;
using layout::RegisterLayout;

namespace tessera::cta {
#define GEN_PASS_DEF_DECOMPOSE
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

static ScratchAccess accessOf(Value tile, bool isWrite, ArrayRef<int64_t> offset = {}) {
  Coord shape = coordOf(tensorOf(tile).getShape());
  return {layoutOf(tile), shape, offset.empty() ? Coord(shape.size(), 0) : coordOf(offset),
          isWrite};
}

namespace {
class Decomposer {
public:
  explicit Decomposer(tile::KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}
  LogicalResult run();

private:
  /// Replaces an op by a value and erases it.
  void replace(Operation *op, ValueRange values) {
    op->replaceAllUsesWith(values);
    op->erase();
  }
  SmemType scratchOf(ConvertLayoutOp op);
  LogicalResult convert(ConvertLayoutOp op);
  LogicalResult reshape(ReshapeOp op);
  LogicalResult slice(SliceOp op);
  LogicalResult concat(ConcatOp op);
  LogicalResult take(TakeOp op);
  LogicalResult print(PrintOp op);
  LogicalResult shareOld(AtomicOp op);
  LogicalResult reduce(ReduceOp op);
  void reduceAcrossWarps(ReduceOp op);
  LogicalResult reduceUnmixed(ReduceOp op);
  LogicalResult scan(ScanOp op);
  LogicalResult scanInOrder(ScanOp op);
  ReduceOp cloneReduce(ReduceOp op, TypeRange types, ValueRange inputs, bool partial);

  tile::KernelOp kernel;
  OpBuilder b;
  DenseMap<Value, StageOp> sliced;
  DenseMap<std::pair<Type, Type>, SmemType> converting; ///< by source and result
};
} // namespace

//===--- convert_layout ----------------------------------------------------------------------===//

static Conversion conversionOf(layout::ConversionKind kind) {
  switch (kind) {
  case layout::ConversionKind::NoOp:
    return Conversion::NoOp;
  case layout::ConversionKind::RegisterPermute:
    return Conversion::Permute;
  case layout::ConversionKind::RegisterSelect:
  case layout::ConversionKind::WarpShuffle:
    return Conversion::Shuffle;
  case layout::ConversionKind::Shared:
    return Conversion::Shared;
  }
  return Conversion::Shared;
}

/// Whether every thread can compute the value for itself in any layout, so that no data must move.
static bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return !isa<RankedTensorType>(broadcast.getSource().getType());
  DenseElementsAttr elements;
  return isa_and_nonnull<IotaOp>(op) ||
         (op && matchPattern(op, m_Constant(&elements)) && elements.isSplat());
}

static Value remake(OpBuilder &b, Value value, RankedTensorType type) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return arith::ConstantOp::create(b, value.getLoc(), elements.resizeSplat(type));
  Operation *clone = b.clone(*value.getDefiningOp());
  clone->getResult(0).setType(type);
  return clone->getResult(0);
}

/// Scratch is shared between equal conversions: the subtiles of an epilogue make the same one many
/// times.
SmemType Decomposer::scratchOf(ConvertLayoutOp op) {
  SmemType &scratch = converting[{op.getSource().getType(), op.getResult().getType()}];
  if (!scratch) {
    RankedTensorType type = tensorOf(op.getResult());
    scratch = scratchType(
        type.getShape(), type.getElementType(),
        {accessOf(op.getSource(), /*isWrite=*/true), accessOf(op.getResult(), /*isWrite=*/false)});
  }
  return scratch;
}

LogicalResult Decomposer::convert(ConvertLayoutOp op) {
  RankedTensorType type = tensorOf(op.getResult());
  Coord shape = coordOf(type.getShape());
  RegisterLayout from = layoutOf(op.getSource()), to = layoutOf(op.getResult());
  if (layout::Error why = layout::validateConversion(from, to, shape))
    return op.emitOpError("cannot be done: ") << *why;
  b.setInsertionPoint(op);
  if (isFree(op.getSource())) {
    replace(op, remake(b, op.getSource(), type));
    return success();
  }

  layout::Conversion conversion = layout::classify(from, to, shape);
  Conversion how = conversionOf(conversion.kind);
  std::optional<Conversion> wanted = op.getHow();
  if (wanted && *wanted < how)
    return op.emitOpError("how = ") << stringifyConversion(*wanted) << " is not possible: this is "
                                    << layout::toString(conversion.kind);
  if (!wanted && how == Conversion::Shuffle) {
    // The two barriers that scratch needs cost as much as this many instructions of a warp.
    constexpr int64_t kBarriers = 24;
    int64_t words = llvm::divideCeil(tile::elementBytes(type.getElementType()), 4);
    int64_t moves = conversion.numShuffles() * words + conversion.numSelects();
    layout::SharedLayout tile = sharedLayout(scratchOf(op));
    int64_t warps = to.warpsPerGroup();
    int64_t through = (wavefronts(tile, accessOf(op.getSource(), true)) +
                       wavefronts(tile, accessOf(op.getResult(), false))) /
                          warps +
                      kBarriers;
    if (moves > through)
      how = Conversion::Shared;
  }
  if (wanted == Conversion::Shared)
    how = Conversion::Shared;
  if (how != Conversion::Shared) {
    op.setHow(how);
    return success();
  }
  Value staged = StageOp::create(b, op.getLoc(), scratchOf(op), op.getSource());
  replace(op, ReadOp::create(b, op.getLoc(), type, staged).getResult());
  return success();
}

//===--- reshape, slice, concat --------------------------------------------------------------===//

LogicalResult Decomposer::reshape(ReshapeOp op) {
  RankedTensorType from = tensorOf(op.getSource()), to = tensorOf(op.getResult());
  RegisterLayout source = layoutOf(op.getSource()), result = layoutOf(op.getResult());
  if (reshapeKeepsRegisters(source, from.getShape(), result, to.getShape()))
    return success();
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  // Reshape the registers and convert the layout, in whichever order works.
  std::optional<RegisterLayout> after = unitReshapeLayout(source, from.getShape(), to.getShape());
  if (after && !after->validate() &&
      reshapeKeepsRegisters(source, from.getShape(), *after, to.getShape())) {
    Value relabelled = ReshapeOp::create(b, loc, withLayout(to, *after), op.getSource());
    auto converted = ConvertLayoutOp::create(b, loc, to, relabelled, ConversionAttr{});
    replace(op, converted.getResult());
    return convert(converted);
  }
  std::optional<RegisterLayout> before = unitReshapeLayout(result, to.getShape(), from.getShape());
  if (before && !before->validate() &&
      reshapeKeepsRegisters(*before, from.getShape(), result, to.getShape())) {
    auto converted = ConvertLayoutOp::create(b, loc, withLayout(from, *before), op.getSource(),
                                             ConversionAttr{});
    replace(op, ReshapeOp::create(b, loc, to, converted).getResult());
    return convert(converted);
  }
  // A view needs rows without padding.
  SwizzleAttr linear = SwizzleAttr::linear(b.getContext());
  Type element = from.getElementType();
  Value staged = StageOp::create(
      b, loc, SmemType::get(b.getContext(), from.getShape(), element, linear), op.getSource());
  Value view =
      ViewOp::create(b, loc, SmemType::get(b.getContext(), to.getShape(), element, linear), staged);
  replace(op, ReadOp::create(b, loc, to, view).getResult());
  return success();
}

LogicalResult Decomposer::slice(SliceOp op) {
  if (sliceKeepsRegisters(op))
    return success();
  Value source = op.getSource();
  RankedTensorType type = tensorOf(source);
  b.setInsertionPoint(op);
  StageOp &stage = sliced[source];
  if (!stage || stage->getBlock() != op->getBlock())
    stage =
        StageOp::create(b, op.getLoc(),
                        scratchType(type.getShape(), type.getElementType(),
                                    {accessOf(source, /*isWrite=*/true),
                                     accessOf(op.getResult(), /*isWrite=*/false, op.getOffsets())}),
                        source);
  replace(op, ReadOp::create(b, op.getLoc(), op.getResult().getType(), stage, op.getOffsetsAttr(),
                             /*dims=*/DenseI64ArrayAttr{}, op.getStridesAttr())
                  .getResult());
  return success();
}

LogicalResult Decomposer::take(TakeOp op) {
  Value source = op.getSource();
  RankedTensorType type = tensorOf(source);
  b.setInsertionPoint(op);
  StageOp &stage = sliced[source];
  if (!stage || stage->getBlock() != op->getBlock())
    stage = StageOp::create(
        b, op.getLoc(),
        scratchType(type.getShape(), type.getElementType(), {accessOf(source, /*isWrite=*/true)}),
        source);
  replace(op, ReadAtOp::create(b, op.getLoc(), op.getType(), stage, op.getIndices(), op.getDims())
                  .getResult());
  return success();
}

LogicalResult Decomposer::print(PrintOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type)
    return success();
  b.setInsertionPoint(op);
  Value staged = StageOp::create(b, op.getLoc(),
                                 scratchType(type.getShape(), type.getElementType(),
                                             {accessOf(op.getValue(), /*isWrite=*/true)}),
                                 op.getValue());
  op.getValueMutable().assign(staged);
  return success();
}

LogicalResult Decomposer::concat(ConcatOp op) {
  RankedTensorType type = tensorOf(op.getResult());
  SmallVector<ScratchAccess> accesses{accessOf(op.getResult(), /*isWrite=*/false)};
  SmallVector<int64_t> offset(type.getRank(), 0);
  for (Value input : op.getInputs()) {
    accesses.push_back(accessOf(input, /*isWrite=*/true, offset));
    offset[op.getDim()] += tensorOf(input).getDimSize(op.getDim());
  }
  b.setInsertionPoint(op);
  Value staged =
      StageOp::create(b, op.getLoc(), scratchType(type.getShape(), type.getElementType(), accesses),
                      op.getInputs(), b.getI64IntegerAttr(op.getDim()), IntegerAttr{});
  replace(op, ReadOp::create(b, op.getLoc(), type, staged).getResult());
  return success();
}

//===--- reduce ------------------------------------------------------------------------------===//

ReduceOp Decomposer::cloneReduce(ReduceOp op, TypeRange types, ValueRange inputs, bool partial) {
  auto clone = ReduceOp::create(b, op.getLoc(), types, inputs, op.getInits(), op.getDimsAttr(),
                                partial ? b.getUnitAttr() : UnitAttr{});
  IRMapping mapping;
  op.getCombiner().cloneInto(&clone.getCombiner(), mapping);
  return clone;
}

/// Each warp reduces its own part and writes the partial result to scratch. Every thread that wants
/// a result then reads all partial results for it.
void Decomposer::reduceAcrossWarps(ReduceOp op) {
  b.setInsertionPoint(op);
  RegisterLayout inRegisters = layoutOf(op.getResult(0));
  for (int64_t d : op.getDims())
    inRegisters = inRegisters.expandDim(static_cast<int>(d));
  SmallVector<Type> types;
  for (Value input : op.getInputs())
    types.push_back(ReduceOp::partialType(tensorOf(input), op.getDims()));
  ReduceOp parts = cloneReduce(op, types, op.getInputs(), /*partial=*/true);

  SmallVector<Value> staged, read;
  for (Value part : parts.getResults()) {
    RankedTensorType type = tensorOf(part);
    ScratchAccess write = accessOf(part, /*isWrite=*/true),
                  back{inRegisters, write.shape, write.offset, /*isWrite=*/false};
    staged.push_back(StageOp::create(
        b, op.getLoc(), scratchType(type.getShape(), type.getElementType(), {write, back}), part));
  }
  for (auto [part, scratch] : llvm::zip_equal(parts.getResults(), staged))
    read.push_back(
        ReadOp::create(b, op.getLoc(), withLayout(part.getType(), inRegisters), scratch));
  replace(op, cloneReduce(op, op.getResultTypes(), read, /*partial=*/false).getResults());
}

/// For a layout whose vectors mix reduced and kept dimensions: converts to a layout that does not,
/// and reduces there.
LogicalResult Decomposer::reduceUnmixed(ReduceOp op) {
  b.setInsertionPoint(op);
  RankedTensorType type = tensorOf(op.getInputs().front());
  RegisterLayout old = layoutOf(op.getInputs().front());
  RegisterLayout clean = layout::blockedFor(
      coordOf(type.getShape()), static_cast<int>(tile::elementBytes(type.getElementType())),
      static_cast<int>(type.getRank()) - 1, static_cast<int>(old.warps.size()), old.wgCount);
  SmallVector<ConvertLayoutOp> converts;
  SmallVector<Value> inputs, results;
  SmallVector<Type> types;
  for (Value input : op.getInputs()) {
    converts.push_back(ConvertLayoutOp::create(b, op.getLoc(), withLayout(input.getType(), clean),
                                               input, ConversionAttr{}));
    inputs.push_back(converts.back());
    types.push_back(ReduceOp::reducedType(tensorOf(inputs.back()), op.getDims()));
  }
  ReduceOp reduced = cloneReduce(op, types, inputs, /*partial=*/false);
  for (auto [from, to] : llvm::zip_equal(reduced.getResults(), op.getResultTypes())) {
    converts.push_back(ConvertLayoutOp::create(b, op.getLoc(), to, from, ConversionAttr{}));
    results.push_back(converts.back());
  }
  replace(op, results);
  for (ConvertLayoutOp convertOp : converts)
    if (failed(convert(convertOp)))
      return failure();
  return reduce(reduced);
}

LogicalResult Decomposer::reduce(ReduceOp op) {
  if (op.getPartial())
    return success();
  RegisterLayout input = layoutOf(op.getInputs().front());
  if (ReduceOp::mixesDims(input, op.getDims()))
    return reduceUnmixed(op);
  bool acrossWarps = false;
  for (int64_t d : op.getDims()) {
    layout::ThreadBits bits = input.bitsAlong(static_cast<int>(d));
    acrossWarps |= bits.warps != 0 || bits.wg;
  }
  if (acrossWarps)
    reduceAcrossWarps(op);
  return success();
}

//===--- scan --------------------------------------------------------------------------------===//

/// For a layout in which the elements along the dimension have no order: converts to one in which
/// they have, and scans there.
LogicalResult Decomposer::scanInOrder(ScanOp op) {
  b.setInsertionPoint(op);
  RankedTensorType type = op.getInputType();
  RegisterLayout old = layoutOf(op.getInputs().front());
  const Coord shape = coordOf(type.getShape());
  const auto bytes = static_cast<int>(tile::elementBytes(type.getElementType()));
  const auto last = static_cast<int>(type.getRank()) - 1;
  RegisterLayout clean = layout::scanForm(
      layout::blockedFor(shape, bytes, last, static_cast<int>(old.warps.size()), old.wgCount),
      shape, static_cast<int>(op.getDim()), bytes, last);
  RegisterLayout total = reducedLayout(clean, static_cast<int64_t>(op.getDim()));
  SmallVector<ConvertLayoutOp> converts;
  auto converted = [&](Value value, Type to) -> Value {
    converts.push_back(ConvertLayoutOp::create(b, op.getLoc(), to, value, ConversionAttr{}));
    return converts.back();
  };
  SmallVector<Value> inputs, carries, results;
  SmallVector<Type> scanned, totals;
  for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getTotals())) {
    scanned.push_back(withLayout(input.getType(), clean));
    totals.push_back(withLayout(result.getType(), total));
    inputs.push_back(converted(input, scanned.back()));
  }
  for (Value carry : op.getCarries())
    carries.push_back(converted(carry, withLayout(carry.getType(), total)));
  ScanOp ordered = cloneScan(b, op, scanned, totals, inputs, carries, ScanForm::Same);
  for (auto [from, to] : llvm::zip_equal(ordered.getResults(), op.getResultTypes()))
    results.push_back(converted(from, to));
  replace(op, results);
  for (ConvertLayoutOp convertOp : converts)
    if (failed(convert(convertOp)))
      return failure();
  return scan(ordered);
}

LogicalResult Decomposer::scan(ScanOp op) {
  if (op.getPartial())
    return success();
  RegisterLayout input = layoutOf(op.getInputs().front());
  if (!ScanOp::hasOrder(input, static_cast<int64_t>(op.getDim())))
    return scanInOrder(op);
  layout::ThreadBits bits = input.bitsAlong(static_cast<int>(op.getDim()));
  if (bits.warps || bits.wg)
    scanAcrossWarps(op);
  return success();
}

//===--- pass --------------------------------------------------------------------------------===//

//===--- atomic ------------------------------------------------------------------------------===//

/// Where several threads hold an element, one of them makes the step and knows the old value. The
/// others read what it writes to scratch.
LogicalResult Decomposer::shareOld(AtomicOp op) {
  if (!op.getOld() || op.getOld().use_empty() || !layoutOf(op.getOld()).isReplicated())
    return success();
  RankedTensorType type = tensorOf(op.getOld());
  b.setInsertionPointAfter(op);
  const SmemType scratch =
      scratchType(type.getShape(), type.getElementType(),
                  {accessOf(op.getOld(), /*isWrite=*/true), accessOf(op.getOld(), false)});
  auto staged = StageOp::create(b, op.getLoc(), scratch, op.getOld());
  Value all = ReadOp::create(b, op.getLoc(), type, staged.getResult());
  op.getOld().replaceAllUsesExcept(all, staged);
  return success();
}

LogicalResult Decomposer::run() {
  SmallVector<Operation *> ops;
  WalkResult placed = kernel.walk([&](Operation *op) {
    for (Value value :
         llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
      if (isa<RankedTensorType>(value.getType()) && !FragAttr::of(value.getType())) {
        op->emitOpError("has a tile without a register layout; cta-assign-layouts chooses one");
        return WalkResult::interrupt();
      }
    if (isa<AtomicOp, ConvertLayoutOp, ReshapeOp, SliceOp, ConcatOp, TakeOp, PrintOp, ReduceOp,
            ScanOp>(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  if (placed.wasInterrupted())
    return failure();
  for (Operation *op : ops) {
    LogicalResult done = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                             .Case([&](AtomicOp o) { return shareOld(o); })
                             .Case([&](ConvertLayoutOp o) { return convert(o); })
                             .Case([&](ReshapeOp o) { return reshape(o); })
                             .Case([&](SliceOp o) { return slice(o); })
                             .Case([&](ConcatOp o) { return concat(o); })
                             .Case([&](TakeOp o) { return take(o); })
                             .Case([&](PrintOp o) { return print(o); })
                             .Case([&](ReduceOp o) { return reduce(o); })
                             .Case([&](ScanOp o) { return scan(o); })
                             .Default([](Operation *) { return success(); });
    if (failed(done))
      return failure();
  }
  return success();
}

LogicalResult tessera::cta::decompose(tile::KernelOp kernel) { return Decomposer(kernel).run(); }

namespace {
struct Decompose : cta::impl::DecomposeBase<Decompose> {
  void runOnOperation() override {
    if (failed(requirePhase(getOperation(), tile::Phase::Placed, getArgument())) ||
        failed(decompose(getOperation())))
      signalPassFailure();
  }
};
} // namespace
