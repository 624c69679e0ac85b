// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which votes (cta.any) each warp may hold for itself.
//
// The vote of a tile.rare decides a branch whose results are, in each row, what the other branch
// yields unless the row needs the branch. So a warp none of whose rows need it may skip it, if that
// concerns no other warp: nothing in the branch exchanges data with other warps or waits for them,
// and the rows of the results that the warp holds are rows of which it has voted.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_VOTES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_VOTES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// Why the vote must be one of the whole block, or nothing if each warp may vote for itself. The
/// kernel is decomposed: what goes through shared memory are ops that say so.
std::optional<std::string> whyVoteOfBlock(AnyOp vote);

/// Why the branches that the vote decides concern other warps, or nothing: the part of the above
/// that is about ops, not about rows.
std::optional<std::string> whyNotOfWarp(AnyOp vote);

} // namespace tessera::cta

#endif
