// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/MmaSync.h"
#include "tessera/Layout/RegisterForms.h"

#include <algorithm>

using namespace tessera::layout;

/// The bits of the warps that move rows; the others move columns.
static int rowWarpBits(const RegisterLayout &matrix) {
  return static_cast<int>(std::count_if(matrix.warps.begin(), matrix.warps.end(),
                                        [](const Coord &warp) { return warp[0] != 0; }));
}

static RegisterLayout withoutBatch(const RegisterLayout &layout) {
  return layout.rank() == 3 ? layout.sliceDim(0) : layout;
}

bool tessera::layout::isMmaSyncAcc(const RegisterLayout &layout) {
  if (layout.validate() || (layout.rank() != 2 && layout.rank() != 3))
    return false;
  const RegisterLayout matrix = withoutBatch(layout);
  const int rowBits = rowWarpBits(matrix);
  const RegisterLayout expected = mmaAcc(rowBits, static_cast<int>(matrix.warps.size()) - rowBits,
                                         layout.wgCount, matrix.wgDim);
  return layout == (layout.rank() == 3 ? expected.expandDim(0) : expected);
}

RegisterLayout tessera::layout::mmaSyncAcc(const Coord &shape, int warpBits, int64_t wgCount) {
  if ((shape.size() != 2 && shape.size() != 3) ||
      std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 1; }))
    return RegisterLayout();
  const Coord matrix(shape.end() - 2, shape.end());
  RegisterLayout best;
  int64_t fewest = 0, leastRead = 0;
  // Warpgroups that share nothing come last: they all compute the same.
  for (int wgDim : {0, 1, -1})
    for (int rowBits = warpBits; rowBits >= 0; --rowBits) {
      if (wgDim == -1 && wgCount > 1 && best.rank())
        continue;
      if (wgDim >= 0 && matrix[wgDim] < wgCount)
        continue;
      RegisterLayout layout = mmaAcc(rowBits, warpBits - rowBits, wgCount, wgDim);
      if (layout.validateFor(matrix))
        continue;
      const Coord repeats = layout.repeats(matrix);
      const int64_t registers = layout.numRegisters(matrix);
      const int64_t read = repeats[0] * kMmaSyncM + repeats[1] * kMmaSyncN;
      if (best.rank() && (registers > fewest || (registers == fewest && read >= leastRead)))
        continue;
      best = layout;
      fewest = registers;
      leastRead = read;
    }
  return shape.size() == 3 && best.rank() ? best.expandDim(0) : best;
}

bool tessera::layout::mmaSyncPays(const Coord &shape, int warpBits, int64_t wgCount) {
  const RegisterLayout tensor = mmaSyncAcc(shape, warpBits, wgCount);
  const RegisterLayout fma = fmaAcc(shape, warpBits, wgCount);
  if (!tensor.rank() || !fma.rank())
    return false;
  constexpr int64_t kTimesFaster = 2; // than the FMA units, for each register
  return tensor.numRegisters(shape) < kTimesFaster * fma.numRegisters(shape);
}

/// An operand whose dimension `own` is that of the result, and whose other dimension is K. `regs`
/// and `lanes` are those of a matrix.
static RegisterLayout operandOf(const RegisterLayout &acc, int own, std::vector<Coord> regs,
                                std::vector<Coord> lanes) {
  const RegisterLayout matrix = withoutBatch(acc);
  RegisterLayout operand;
  operand.regs = std::move(regs);
  operand.lanes = std::move(lanes);
  for (Coord warp : matrix.warps) {
    warp[1 - own] = 0;
    operand.warps.push_back(warp);
  }
  operand.wgCount = matrix.wgCount;
  operand.wgDim = matrix.wgDim == own ? own : -1;
  return acc.rank() == 3 ? operand.expandDim(0) : operand;
}

RegisterLayout tessera::layout::mmaSyncA(const RegisterLayout &acc) {
  return operandOf(acc, 0, {{8, 0}}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}});
}

RegisterLayout tessera::layout::mmaSyncB(const RegisterLayout &acc) {
  return operandOf(acc, 1, {}, {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}});
}
