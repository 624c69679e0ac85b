// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which blocks of a persistent launch compute the output tiles of a wave that is far from full.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_SPREADBLOCKS_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_SPREADBLOCKS_H

#include "tessera/Dialect/Cta/Analysis/GridOrder.h"

namespace tessera::cta {

/// A number for each block of a persistent launch of `blocksPerSM` blocks on each of the SMs
/// (`cores`, an index), without clusters: a permutation of their own numbers `id` (an i32), by
/// which the output tiles of a wave that is at most three quarters full are on as many TPCs as
/// possible.
///
/// On a device with nothing else to do the hardware gives the two SMs of a TPC to blocks with
/// successive numbers, 2k and 2k + 1. Two SMs that both fetch are slower than two of different
/// TPCs, unless they fetch the same. So of r output tiles for m SMs each has a TPC for itself if r
/// is at most m / 2. If there are more, the first ones are in pairs, as in a full wave. With m = 10
/// and r = 7:
///
///    TPC             0      1      2      3      4
///    block         0   1  2   3  4   5  6   7  8   9
///    number        0   1  2   3  4   7  5   8  6   9
///
/// Where several blocks run on an SM, each SM has one before any has a second one. The output tiles
/// follow that: the numbers are permuted among the blocks that are the first ones of their SMs, or
/// among those that are the second ones.
///
/// A permutation separates blocks that read the same operand in full waves, too. So it is that of
/// the last wave only where output tiles of successive numbers share nothing that not all share:
/// where one of `counts`, the output tiles along each dimension, is all of `total`. Otherwise it is
/// the identity if there is a full wave. `fixed` inserts before the launch.
mlir::Value spreadBlocks(Arith a, Arith fixed, mlir::Value id, mlir::ValueRange counts,
                         mlir::Value total, mlir::Value cores, int64_t blocksPerSM);

struct LaunchKind {
  bool persistent = false, dependent = false, queued = false;
};

/// Why the blocks of the launch that a grid becomes must keep their own numbers; nothing if they
/// may begin with those of `spreadBlocks`.
std::optional<llvm::StringRef> whyNotSpread(tile::GridOp grid, PlanAttr plan, LaunchKind launch);

} // namespace tessera::cta

#endif
