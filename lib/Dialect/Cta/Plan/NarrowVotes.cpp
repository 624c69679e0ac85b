// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-narrow-votes: lets each warp decide for itself where a branch concerns no other warp.
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Votes.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"

namespace tessera::cta {
#define GEN_PASS_DEF_NARROWVOTES
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
struct NarrowVotes : tessera::cta::impl::NarrowVotesBase<NarrowVotes> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    SmallVector<AnyOp> votes;
    kernel.walk([&](AnyOp vote) { votes.push_back(vote); });
    // Those inside a branch first: the vote that decides the branch looks at them.
    for (AnyOp vote : llvm::reverse(votes)) {
      if (vote.getWarp())
        continue;
      if (std::optional<std::string> why = whyVoteOfBlock(vote)) {
        vote.setWhy(*why);
        continue;
      }
      vote.setWarp(true);
      vote.removeWhyAttr();
    }
  }
};
} // namespace
