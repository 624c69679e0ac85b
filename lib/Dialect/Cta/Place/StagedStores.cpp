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

bool tessera::cta::isLeftByProduct(Value value) {
  auto type = cast<RankedTensorType>(ConvertLayoutOp::sourceOf(value).getType());
  FragAttr frag = FragAttr::of(type);
  return type.getRank() >= 2 && frag && layout::isWgmmaAcc(frag.layout());
}

bool tessera::cta::canReduce(AtomicOp op) {
  return CopyOutOp::reduces(op.getKind(), op.getTileType().getElementType()) && !op.isOrdered() &&
         op.getScope() == tile::MemoryScope::Device && !op.getOld() && !op.getMask() &&
         op.getIndices().empty() && !op.getInto();
}

template <typename Op>
static std::optional<std::string> moveByTma(IRRewriter &rewriter, tile::Facts &facts, Op op,
                                            tile::CacheAttr cache, tile::AtomicKindAttr reduce) {
  SmemType shared = tmaImage(Access(op));
  if (!shared)
    return "no dimension of the tile runs along contiguous memory";
  if (int64_t bytes = sharedLayout(shared).sizeBytes(); bytes > kMaxStoreBytes)
    return "the tile has " + std::to_string(bytes) + " bytes, more than the " +
           std::to_string(kMaxStoreBytes) + " that a store may stage in shared memory";
  if (std::optional<std::string> why = whyNotTma(facts, Access(op), shared))
    return why;
  rewriter.setInsertionPoint(op);
  Value converted = op.getValue();
  auto staged = StageOp::create(rewriter, op.getLoc(), shared, ConvertLayoutOp::sourceOf(converted),
                                /*concat_dim=*/0, /*offset=*/IntegerAttr{});
  // Warpgroups that store what they wrote themselves need not wait for each other.
  const bool apart = warpgroupParts(staged).has_value();
  const SmallVector<bool> unlimited(shared.getShape().size(), false);
  CopyOutOp::create(rewriter, op.getLoc(), staged, op.getDest(), op.getCoords(), ValueRange{},
                    op.getDimsAttr(), rewriter.getDenseBoolArrayAttr(unlimited), cache,
                    MechanismAttr::get(op.getContext(), Mechanism::Tma),
                    apart ? rewriter.getUnitAttr() : UnitAttr(), reduce, /*why=*/StringAttr{});
  rewriter.eraseOp(op);
  while (auto convert = converted.getDefiningOp<ConvertLayoutOp>()) {
    if (!convert->use_empty())
      break;
    converted = convert.getSource();
    rewriter.eraseOp(convert);
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
