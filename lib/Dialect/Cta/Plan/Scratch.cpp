// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scratch.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/BankConflicts.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

int64_t tessera::cta::wavefronts(const layout::SharedLayout &tile, const ScratchAccess &access) {
  const int rank = access.registers.rank();
  if (!rank)
    return 1;
  const int64_t bytes = tile.elementBits / 8;
  int64_t vector = std::min({access.registers.contiguousRegisters(access.shape, tile.contiguousDim),
                             tile.contiguousElements(), 16 / bytes});
  if (int64_t at = access.offset[tile.contiguousDim])
    vector = std::min(vector, layout::powerOf2Dividing(at));

  // Scratch has no swizzle, so its addresses are linear in the coordinates. This is the innermost
  // loop of what chooses scratch.
  assert(tile.linear);
  int64_t strides[layout::kMaxRank] = {}, first = 0;
  for (int d = 0; d < rank; ++d) {
    layout::Coord unit(rank, 0);
    unit[d] = tile.shape[d] > 1;
    strides[d] = tile.linearOffset(unit);
    first += access.offset[d] * strides[d];
  }
  layout::RegisterTile registers(access.registers, access.shape);
  const layout::ThreadBits replicas = access.registers.ownerMask();
  std::vector<int64_t> addresses(32);
  int64_t count = 0;
  for (int64_t warp = 0; warp < access.registers.warpsPerGroup(); ++warp) {
    if (access.isWrite && (warp & replicas.warps))
      continue;
    for (int64_t reg = 0; reg < registers.numRegisters(); reg += vector) {
      bool any = false;
      for (int64_t lane = 0; lane < 32; ++lane) {
        layout::RegisterTile::Point p;
        registers.coord(reg, lane, warp, /*wg=*/0, p);
        bool idle = registers.isDead(p) || (access.isWrite && (lane & replicas.lanes));
        any |= !idle;
        int64_t at = first;
        for (int d = 0; d < rank; ++d)
          at += p[d] * strides[d];
        addresses[lane] = idle ? -1 : at;
      }
      if (any)
        count += 1 + layout::bankConflicts(addresses, vector * bytes);
    }
  }
  return count;
}

SmemType tessera::cta::scratchType(ArrayRef<int64_t> shape, Type elementType,
                                   ArrayRef<ScratchAccess> accesses) {
  MLIRContext *context = elementType.getContext();
  const int64_t bytes = tile::elementBytes(elementType);
  SmemType best;
  int64_t bestCost = 0;
  for (int64_t pad : {0, 4, 8, 16, 32, 64}) {
    if (pad % bytes || (pad && shape.size() < 2))
      continue;
    SmemType type = SmemType::get(context, shape, elementType, SwizzleAttr::linear(context, pad));
    layout::SharedLayout tile = sharedLayout(type);
    if (tile.validate())
      continue;
    int64_t cost = 0;
    for (const ScratchAccess &access : accesses)
      cost += wavefronts(tile, access);
    if (best && cost >= bestCost)
      continue;
    best = type;
    bestCost = cost;
  }
  // If no layout fits shared memory, cta-allocate-shared reports the error.
  return best ? best : SmemType::get(context, shape, elementType, SwizzleAttr::linear(context));
}
