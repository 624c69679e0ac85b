// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BytesOfAccesses.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::RegisterLayout;

int64_t tessera::cta::bytesOfAccess(const RegisterLayout &l, RankedTensorType type,
                                    int contiguous) {
  int64_t bytes = tile::elementBytes(type.getElementType());
  if (contiguous < 0)
    return bytes;
  return std::min<int64_t>(16, bytes * l.contiguousRegisters(coordOf(type.getShape()), contiguous));
}

int64_t tessera::cta::legalBytes(tile::Facts &facts, const Access &access) {
  int64_t bytes = tile::elementBytes(access.tile.getElementType());
  if (access.tile.getRank() == 0 || contiguousTileDim(access.type, access.dims) < 0)
    return 16;
  return std::min<int64_t>(16, widestVector(facts, access) * bytes);
}

bool tessera::cta::isScattered(AtomicOp op) {
  if (op.getIndices().empty() || op.getDims().empty())
    return !op.getIndices().empty();
  const int contiguous = contiguousTileDim(op.getMemRefType(), op.getDims());
  return contiguous < 0 || !Access(op).coords[op.getDims()[contiguous]];
}

/// Pieces of a store that are not adjacent go to L2 one by one, so narrow stores want few bytes per
/// thread. Pieces of a load are combined by the cache.
int64_t tessera::cta::wantedBytes(tile::Facts &facts, const Access &access, Value value) {
  if (!access.isStore)
    return 16;
  // Words of 4 bytes for what was just loaded in pieces. With wider stores, loads of neighbouring
  // elements would be further apart, and L1 would serve only a few lanes at a time.
  constexpr int64_t kWordBytes = 4;
  int64_t bytes = legalBytes(facts, access);
  if (auto load = value.getDefiningOp<LoadOp>())
    bytes = std::min(bytes, std::max(kWordBytes, legalBytes(facts, Access(load))));
  return bytes;
}
