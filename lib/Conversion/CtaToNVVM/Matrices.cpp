// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stmatrix and ldmatrix: 16-bit tiles in the layout of wgmma accumulators or of its operand A move
// as 8x8 matrices, four at a time. A 16x16 block of a warp is four of them: rows 0-7 and 8-15 of
// columns 0-7, then of columns 8-15. Lane l gives the address of row l % 8 of matrix l / 8. The
// addresses thus have a register layout of their own.
#include "SharedTile.h"

#include "tessera/Layout/RegisterForms.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// Columns of a block. Warpgroups that share the columns begin at multiples of a block. If each has
/// an odd number of 8-column groups, a block has 8 columns, and the lanes of the other two matrices
/// repeat them.
static int64_t matrixColumns(const layout::RegisterLayout &of, int64_t columns) {
  return of.wgDim == 1 && columns % 16 ? 8 : 16;
}

/// The layout of the row addresses: one register for each block of 64 rows, or one of the eight
/// registers of a block whose lanes do not select among its 8 columns. If columns are contiguous in
/// memory, the rows of a matrix are rows of the tile, otherwise they are columns.
static layout::RegisterLayout addressLayout(const layout::RegisterLayout &of, bool transposed,
                                            int64_t matrixColumns) {
  layout::RegisterLayout l;
  if (transposed)
    l.lanes = {{0, 1}, {0, 2}, {0, 4}, {8, 0}};
  else
    l.lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}};
  if (matrixColumns == 16) {
    l.lanes.push_back({0, 8});
  } else {
    l.lanes.push_back({0, 0});
    if (!transposed)
      l.regs = {{0, 1}, {0, 2}, {0, 4}};
  }
  l.warps = {{16, 0}, {32, 0}};
  l.wgCount = of.wgCount;
  l.wgDim = of.wgDim;
  return l;
}

static bool fits(RankedTensorType type, const layout::SharedLayout &shared,
                 const SharedPlace &place, const layout::Coord &at) {
  if (type.getRank() != 2 || shared.rank() != 2 || shared.elementBits != 16)
    return false;
  layout::RegisterLayout l = cta::FragAttr::of(type).layout();
  if (!layout::isWgmmaAcc(l) && l != layout::wgmmaA(16, l.wgCount))
    return false;
  if (l.hasDead(cta::coordOf(type.getShape())))
    return false;
  // A row of a matrix is 16 aligned bytes.
  return place.offset % 16 == 0 && shared.spanBytes() % 16 == 0 && at[0] % 8 == 0 && at[1] % 8 == 0;
}

/// Calls `move(pointer, byteOffset, firstRegister, matrices)` for each block.
static void forEachBlock(Lowering &f, RankedTensorType type, const layout::SharedLayout &shared,
                         const SharedPlace &place, const layout::Coord &at,
                         llvm::function_ref<void(Value, int64_t, int64_t, int)> move) {
  layout::RegisterLayout l = cta::FragAttr::of(type).layout();
  const int64_t columns = l.wgDim == 1 ? type.getDimSize(1) / l.wgCount : type.getDimSize(1),
                perBlock = matrixColumns(l, columns);
  const layout::RegisterLayout addresses = addressLayout(l, shared.contiguousDim == 0, perBlock);
  TileIndex index(f, addresses, cta::coordOf(type.getShape()));
  SharedTile tile(f, index, shared, place, at, {0, 1});
  const int64_t registersPerRow = columns / 2, registersPerBlock = perBlock / 2,
                blocksPerRow = llvm::divideCeil(columns, perBlock);
  const int64_t perAddress = int64_t(1) << addresses.regs.size();
  for (int64_t r = 0; r < index.size() / perAddress; ++r) {
    const int64_t before = r % blocksPerRow * registersPerBlock;
    auto [pointer, constant] = tile.address(r * perAddress);
    move(pointer, constant, r / blocksPerRow * registersPerRow + before,
         std::min(registersPerRow - before, registersPerBlock) >= 8 ? 4 : 2);
  }
}

static NVVM::LdStMatrixShapeAttr shape(Lowering &f) {
  return NVVM::LdStMatrixShapeAttr::get(f.context, 8, 8);
}
static NVVM::MMALayout direction(const layout::SharedLayout &shared) {
  return shared.contiguousDim == 0 ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

bool tessera::nvvm::storeMatrices(Lowering &f, const Values &regs, RankedTensorType type,
                                  const layout::SharedLayout &shared, const SharedPlace &place,
                                  const layout::Coord &at) {
  if (!fits(type, shared, place, at))
    return false;
  forEachBlock(f, type, shared, place, at,
               [&](Value pointer, int64_t constant, int64_t first, int matrices) {
                 Values words = f.pack(ValueRange(regs).slice(first, 2 * matrices));
                 NVVM::StMatrixOp::create(f.b, f.loc, f.gep(pointer, constant), words,
                                          direction(shared), shape(f),
                                          NVVM::LdStMatrixEltType::B16);
               });
  return true;
}

bool tessera::nvvm::loadMatrices(Lowering &f, Values &regs, RankedTensorType type,
                                 const layout::SharedLayout &shared, const SharedPlace &place,
                                 const layout::Coord &at) {
  if (!fits(type, shared, place, at))
    return false;
  Type element = type.getElementType();
  regs.assign(f.registerTypes(type).size(), Value());
  forEachBlock(
      f, type, shared, place, at,
      [&](Value pointer, int64_t constant, int64_t first, int matrices) {
        SmallVector<Type> words(matrices, f.b.getI32Type());
        Value loaded =
            NVVM::LdMatrixOp::create(f.b, f.loc, LLVM::LLVMStructType::getLiteral(f.context, words),
                                     f.gep(pointer, constant), static_cast<uint32_t>(matrices),
                                     direction(shared), shape(f), NVVM::LdStMatrixEltType::B16);
        Values fields;
        for (int64_t i = 0; i < matrices; ++i)
          fields.push_back(LLVM::ExtractValueOp::create(f.b, f.loc, loaded, ArrayRef<int64_t>(i)));
        for (auto [i, value] : llvm::enumerate(f.unpack(fields, element, 2 * matrices)))
          regs[first + i] = value;
      });
  return true;
}
