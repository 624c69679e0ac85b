// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedStores.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Layout/RegisterForms.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The most bytes that a tile in shared memory for a TMA store may have: more would leave too
/// little for the operands.
static constexpr int64_t kMaxStoreBytes = 128 * 1024;

static bool hasLayoutOfProduct(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  FragAttr frag = FragAttr::of(type);
  return type.getRank() >= 2 && frag && layout::isWgmmaAcc(frag.layout());
}

/// The tile that a product left, of which `tile` has the rows under another shape; else `tile`
/// itself. Rows lie along contiguous memory.
static Value behindReshape(const Access &access, Value tile) {
  auto reshape = tile.getDefiningOp<ReshapeOp>();
  const int64_t last = access.tile.getRank() - 1;
  if (!reshape || last < 1 || contiguousTileDim(access.type, access.dims) != last)
    return tile;
  Value source = ConvertLayoutOp::sourceOf(reshape.getSource());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(source.getType()).getShape();
  return shape.size() == 2 && shape.back() == access.tile.getShape().back() &&
                 hasLayoutOfProduct(source)
             ? source
             : tile;
}

template <typename Op>
static bool isLeft(Op op) {
  return hasLayoutOfProduct(behindReshape(Access(op), ConvertLayoutOp::sourceOf(op.getValue())));
}
bool tessera::cta::isLeftByProduct(StoreOp store) { return isLeft(store); }
bool tessera::cta::isLeftByProduct(AtomicOp atomic) { return isLeft(atomic); }

bool tessera::cta::canReduce(AtomicOp op) {
  return CopyOutOp::reduces(op.getKind(), op.getTileType().getElementType()) && !op.isOrdered() &&
         op.getScope() == tile::MemoryScope::Device && !op.getOld() && !op.getMask() &&
         op.getIndices().empty() && !op.getInto();
}

template <typename Op>
static std::optional<std::string> moveByTma(IRRewriter &rewriter, tile::Facts &facts, Op op,
                                            tile::CacheAttr cache, tile::AtomicKindAttr reduce) {
  const Access access(op);
  SmemType shared = tmaImage(access);
  if (!shared)
    return "no dimension of the tile runs along contiguous memory";
  if (int64_t bytes = sharedLayout(shared).sizeBytes(); bytes > kMaxStoreBytes)
    return "the tile has " + std::to_string(bytes) + " bytes, more than the " +
           std::to_string(kMaxStoreBytes) + " that a store may stage in shared memory";
  if (std::optional<std::string> why = whyNotTma(facts, access, shared))
    return why;
  rewriter.setInsertionPoint(op);
  const Value value = op.getValue();
  const Value source = ConvertLayoutOp::sourceOf(value);
  const Value left = behindReshape(access, source);
  SmemType written = shared;
  if (left != source) {
    SwizzleAttr swizzle = shared.getSwizzle();
    if (!swizzle.isLinear())
      swizzle = SwizzleAttr::get(op.getContext(), swizzle.getSpan(), /*dim=*/1, /*pad=*/0);
    written = SmemType::get(op.getContext(), cast<RankedTensorType>(left.getType()).getShape(),
                            shared.getElementType(), swizzle);
  }
  Value staged = StageOp::create(rewriter, op.getLoc(), written, left, /*concat_dim=*/0,
                                 /*offset=*/IntegerAttr{});
  if (left != source)
    staged = ViewOp::create(rewriter, op.getLoc(), shared, staged);
  // Warpgroups that store what they wrote themselves need not wait for each other.
  const bool apart = warpgroupParts(staged).has_value();
  const SmallVector<bool> unlimited(shared.getShape().size(), false);
  CopyOutOp::create(rewriter, op.getLoc(), staged, op.getDest(), op.getCoords(), ValueRange{},
                    op.getDimsAttr(), rewriter.getDenseBoolArrayAttr(unlimited), cache,
                    MechanismAttr::get(op.getContext(), Mechanism::Tma),
                    apart ? rewriter.getUnitAttr() : UnitAttr(), reduce, /*why=*/StringAttr{});
  rewriter.eraseOp(op);
  for (Value unused = value; unused != left && unused.use_empty();) {
    Operation *maker = unused.getDefiningOp();
    unused = maker->getOperand(0);
    rewriter.eraseOp(maker);
  }
  return std::nullopt;
}

std::optional<std::string> tessera::cta::storeByTma(IRRewriter &rewriter, tile::Facts &facts,
                                                    StoreOp store) {
  return moveByTma(rewriter, facts, store, store.getCacheAttr(), /*reduce=*/{});
}

std::optional<std::string> tessera::cta::storeByTma(IRRewriter &rewriter, tile::Facts &facts,
                                                    AtomicOp atomic) {
  return moveByTma(rewriter, facts, atomic, /*cache=*/{}, atomic.getKindAttr());
}
