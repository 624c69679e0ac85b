// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConversionsOfLayouts.h"

#include "BytesOfAccesses.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/RegisterForms.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::RegisterLayout;

namespace {
class Conversions {
public:
  Conversions(tile::Facts &facts, int64_t groups, const DenseSet<Value> &pinned)
      : facts(facts), groups(groups), pinned(pinned) {}

  void fixOp(Operation *op);

private:
  void fixPacking(Operation *op, Value wide, Value narrow, int64_t factor);
  void fixAccess(Operation *op);
  /// The mask and the index tiles of an access to a tile.
  template <typename Op>
  void fixIndices(Op op, Value tile);

  Value converted(OpBuilder &b, Location loc, Value value, const RegisterLayout &l) {
    RankedTensorType type = withLayout(value.getType(), l);
    return type == value.getType()
               ? value
               : ConvertLayoutOp::create(b, loc, type, value, ConversionAttr{}).getResult();
  }
  void convertOperand(OpOperand &operand, const RegisterLayout &l) {
    OpBuilder b(operand.getOwner());
    operand.set(converted(b, operand.getOwner()->getLoc(), operand.get(), l));
  }
  /// Gives a result the layout that its op makes, and converts it to the layout of its class for
  /// its users.
  void convertResult(OpResult result, const RegisterLayout &made) {
    RankedTensorType wanted = tensorOf(result), actual = withLayout(wanted, made);
    if (wanted == actual)
      return;
    OpBuilder b(result.getContext());
    b.setInsertionPointAfter(result.getOwner());
    result.setType(actual);
    auto convert = ConvertLayoutOp::create(b, result.getLoc(), wanted, result, ConversionAttr{});
    result.replaceAllUsesExcept(convert, convert);
  }

  tile::Facts &facts;
  int64_t groups;
  const DenseSet<Value> &pinned;
};
} // namespace

template <typename Op>
void Conversions::fixIndices(Op op, Value tile) {
  if (op.getMask())
    convertOperand(op.getMaskMutable()[0], maskLayout(layoutOf(tile), op.getMaskDims()));
  for (unsigned i = 0, e = op.getIndices().size(); i < e; ++i)
    convertOperand(op.getIndicesMutable()[i], maskLayout(layoutOf(tile), op.getIndexDims(i)));
}

/// Converts large tiles for loads and stores that would otherwise access memory in small pieces.
void Conversions::fixAccess(Operation *op) {
  auto coalesced = [&](const Access &access, Value value, MemRefType memref,
                       ArrayRef<int64_t> dims) -> std::optional<RegisterLayout> {
    // In bytes. For smaller tiles scratch and its barriers cost more than they save; larger ones
    // would leave no room for the operands of a product.
    constexpr int64_t kWorthConverting = 2048, kMostConverted = 128 * 1024;
    RankedTensorType type = tensorOf(value);
    int contiguous = contiguousTileDim(memref, dims);
    int64_t bytes = tile::elementBytes(type.getElementType()), size = type.getNumElements() * bytes;
    if (type.getRank() == 0 || contiguous < 0 || pinned.contains(value) ||
        size < kWorthConverting || size > kMostConverted)
      return std::nullopt;
    RegisterLayout best =
        layout::blockedFor(coordOf(type.getShape()), static_cast<int>(bytes), contiguous, kWarpBits,
                           groups, wantedBytes(facts, access, value));
    const int64_t legal = legalBytes(facts, access);
    auto sectors = [&](const RegisterLayout &l) {
      layout::Coord shape = coordOf(type.getShape());
      int64_t vector = bytesOfAccess(l, type, contiguous) / bytes;
      return layout::sectorsPerAccess(l, shape, static_cast<int>(bytes), contiguous,
                                      access.isStore ? std::min(vector, legal / bytes) : vector);
    };
    // L2 makes atomics, 32 bytes at a time, whatever the number of instructions that they come in.
    if (isa<AtomicOp>(op) && sectors(layoutOf(value)) <= 1)
      return std::nullopt;
    if (legal < 16)
      return 2 * sectors(best) > sectors(layoutOf(value)) ? std::nullopt : std::optional(best);
    if (bytesOfAccess(best, type, contiguous) <= bytesOfAccess(layoutOf(value), type, contiguous))
      return std::nullopt;
    return best;
  };
  if (auto gather = dyn_cast<GatherOp>(op)) {
    if (auto best =
            coalesced(Access(gather), gather.getResult(), gather.getMemRefType(), gather.getDims()))
      convertResult(cast<OpResult>(gather.getResult()), *best);
    fixIndices(gather, gather.getResult());
  } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
    if (auto best = coalesced(Access(scatter), scatter.getValue(), scatter.getMemRefType(),
                              scatter.getDims()))
      convertOperand(scatter.getValueMutable(), *best);
    fixIndices(scatter, scatter.getValue());
  } else if (auto atomic = dyn_cast<AtomicOp>(op)) {
    std::optional<RegisterLayout> best;
    if (!isScattered(atomic))
      best = coalesced(Access(atomic), atomic.getValue(), atomic.getMemRefType(), atomic.getDims());
    if (best)
      convertOperand(atomic.getValueMutable(), *best);
    const RegisterLayout layout = layoutOf(atomic.getValue());
    if (atomic.getReplacement())
      convertOperand(atomic.getReplacementMutable()[0], layout);
    if (atomic.getOld())
      convertResult(cast<OpResult>(atomic.getOld()), layout);
    fixIndices(atomic, atomic.getValue());
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    if (auto best = coalesced(Access(load), load.getResult(), load.getMemRefType(), load.getDims()))
      convertResult(cast<OpResult>(load.getResult()), *best);
    if (load.getMask())
      convertOperand(load.getMaskMutable()[0],
                     maskLayout(layoutOf(load.getResult()), load.getMaskDims()));
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    if (auto best =
            coalesced(Access(store), store.getValue(), store.getMemRefType(), store.getDims()))
      convertOperand(store.getValueMutable(), *best);
    if (store.getMask())
      convertOperand(store.getMaskMutable()[0],
                     maskLayout(layoutOf(store.getValue()), store.getMaskDims()));
  }
}

/// Converts the tile with fewer elements, if the layout of the other one allows that.
void Conversions::fixPacking(Operation *op, Value wide, Value narrow, int64_t factor) {
  std::optional<RegisterLayout> fits = packedLayout(layoutOf(narrow), factor);
  if (isa<UnpackOp>(op) && fits)
    convertOperand(op->getOpOperand(0), *fits);
  else if (isa<UnpackOp>(op))
    convertResult(op->getResult(0), unpackedLayout(layoutOf(wide), factor));
  else if (fits)
    convertResult(op->getResult(0), *fits);
  else
    convertOperand(op->getOpOperand(0), unpackedLayout(layoutOf(wide), factor));
}

/// Inserts conversions so that the relations of `op` hold.
void Conversions::fixOp(Operation *op) {
  if (isa<LoadOp, StoreOp, GatherOp, ScatterOp, AtomicOp>(op)) {
    fixAccess(op);
  } else if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    if (wgmma.aInRegisters())
      convertOperand(wgmma.getAMutable(), wgmma.operandLayout(groups));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    RegisterLayout input = layoutOf(reduce.getInputs().front());
    for (unsigned i = 1, e = reduce.getInputs().size(); i < e; ++i)
      convertOperand(reduce.getInputsMutable()[i], input);
    for (OpResult result : reduce->getResults())
      convertResult(result, reducedLayout(input, reduce.getDims()));
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    const RegisterLayout total =
        reducedLayout(layoutOf(scan.getInputs().front()), static_cast<int64_t>(scan.getDim()));
    for (OpOperand &carry : scan.getCarriesMutable())
      convertOperand(carry, total);
    for (Value result : scan.getTotals())
      convertResult(cast<OpResult>(result), total);
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (isa<RankedTensorType>(broadcast.getSource().getType()))
      convertOperand(broadcast.getSourceMutable(),
                     broadcastSourceLayout(layoutOf(broadcast.getResult()), broadcast.getDims(),
                                           tensorOf(broadcast.getSource()).getShape(),
                                           tensorOf(broadcast.getResult()).getShape()));
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    convertOperand(transpose.getSourceMutable(),
                   untransposedLayout(layoutOf(transpose.getResult()), transpose.getDims()));
  } else if (auto take = dyn_cast<TakeOp>(op)) {
    for (auto [dim, index] : llvm::zip_equal(take.getDims(), take.getIndicesMutable()))
      convertOperand(index,
                     indexLayout(layoutOf(take.getResult()), tensorOf(index.get()).getRank(), dim));
  } else if (auto [wide, narrow, factor] = packing(op); factor) {
    fixPacking(op, wide, narrow, factor);
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    convertOperand(extract.getSourceMutable(), layout::splat(0, kWarpBits, groups));
  }
}

void tessera::cta::insertConversions(tile::KernelOp kernel, tile::Facts &facts, int64_t groups,
                                     const DenseSet<Value> &pinned) {
  Conversions conversions(facts, groups, pinned);
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    conversions.fixOp(op);
  kernel.walk([&](ConvertLayoutOp convert) {
    if (convert.getSource().getType() == convert.getType()) {
      convert.replaceAllUsesWith(convert.getSource());
      convert.erase();
    }
  });
}
