// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between register layouts: what has to move.
//
// A tensor in layout `src` is needed in layout `dst`. For each destination register of each thread
// there is a source register in some thread. The kind of the conversion is that of the most
// expensive of these moves:
//
//   NoOp             every register stays where it is, under the same number
//   RegisterPermute  all data is in the same thread: renumber registers, no instruction
//   RegisterSelect   the same thread, but which register depends on the thread: selects
//   WarpShuffle      the same warp: shuffles, and selects where the source register varies by lane
//   Shared           another warp: through shared memory
//
// Replicated elements count as sources. Dead destination registers accept any value. A broadcast is
// the same question with a source extent of 1: from a column 64x1, in the layout that sliceDim and
// expandDim make of wgmma_acc, to 64x256 in wgmma_acc is a RegisterPermute.

#ifndef TESSERA_LAYOUT_CONVERSION_H
#define TESSERA_LAYOUT_CONVERSION_H

#include "tessera/Layout/RegisterLayout.h"

namespace tessera::layout {

enum class ConversionKind { NoOp, RegisterPermute, RegisterSelect, WarpShuffle, Shared };

const char *toString(ConversionKind kind);

/// "Take source register `srcReg` of lane `srcLane(lane)` in these lanes."
struct ConversionMove {
  int64_t srcReg = 0;
  /// srcLane = laneBase XOR the laneColumns of the lane's set bits. The identity in kinds
  /// without shuffles. With identity columns this is a butterfly shuffle by laneBase.
  uint32_t laneBase = 0;
  uint32_t laneColumns[5] = {1, 2, 4, 8, 16};
  /// For each warp of the CTA (warpgroup * warps per group + warp), the lanes that want this move.
  std::vector<uint32_t> laneMasks;

  uint32_t srcLane(uint32_t lane) const {
    uint32_t s = laneBase;
    for (int i = 0; i < 5; ++i)
      if (lane >> i & 1)
        s ^= laneColumns[i];
    return s;
  }
  bool isLaneIdentity() const;
  /// True if lanes keep their own bits up to a constant: shfl.bfly by laneBase.
  bool isButterfly() const;
  /// True if all warps want the same lanes, so that the selecting mask is one constant.
  bool isWarpUniform() const;
};

struct Conversion {
  ConversionKind kind = ConversionKind::Shared;
  /// NoOp and RegisterPermute: the source register of each destination register, -1 if it is dead
  /// in all threads.
  std::vector<int64_t> srcReg;
  /// RegisterSelect and WarpShuffle: per destination register the moves; a thread takes the one
  /// whose mask has its lane (none if dead). One move needs no select, since lanes outside all
  /// masks are dead.
  std::vector<std::vector<ConversionMove>> moves;

  int64_t numShuffles() const;
  int64_t numSelects() const;
};

/// The reason why `src` cannot be converted to `dst` at all (ranks, thread counts, shapes); nullopt
/// if it can.
Error validateConversion(const RegisterLayout &src, const RegisterLayout &dst, const Coord &shape);

Conversion classify(const RegisterLayout &src, const RegisterLayout &dst, const Coord &shape);
/// The same with broadcasting: srcShape[d] is dstShape[d] or 1.
Conversion classifyBroadcast(const RegisterLayout &src, const Coord &srcShape,
                             const RegisterLayout &dst, const Coord &dstShape);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_CONVERSION_H
