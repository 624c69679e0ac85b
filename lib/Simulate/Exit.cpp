// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that everything is over that must be over when the blocks of a cluster end.
#include "State.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

std::optional<Problem> tessera::simulate::checkExit(const Program &program, const State &state,
                                                    const SharedBytes &bytes) {
  auto fail = [](const Event &event, const Twine &message) {
    return Problem{event.op->getLoc(), message.str(), {}};
  };
  // For each block, what its warps know when they come to the end of the block, and what they know
  // after the last meeting.
  std::vector<Clock> known(program.cluster), last(program.cluster);
  for (auto [number, warp] : llvm::enumerate(state.warps)) {
    const int block = program.blockOfWarp(static_cast<int>(number));
    known[block].join(warp.atEnd);
    last[block].join(warp.clock);
  }
  for (auto [number, warp] : llvm::enumerate(state.warps)) {
    auto who = [&, n = static_cast<int>(number)] { return program.describeWarp(n); };
    if (!warp.products.empty())
      return fail(program.events[state.works[warp.products.front()].event],
                  who() + " ends before this product is complete");
    if (!warp.stores.empty())
      return fail(program.events[state.works[warp.stores.front()].event],
                  who() + " ends, but the store may still read its source: cta.await_stores must "
                          "follow");
    if (!warp.copies.empty())
      return fail(program.events[state.works[warp.copies.front()].event],
                  who() + " ends while its share of this copy is on its way: cta.await_copies must "
                          "follow");
    for (auto [m, held] : llvm::enumerate(warp.held))
      if (held >= 0 && llvm::is_contained(program.fullOf, static_cast<int>(m)))
        for (const Event &event : llvm::reverse(program.events))
          if (event.kind == Kind::Await && event.mbarrier == static_cast<int>(m) &&
              program.takesPart(event, static_cast<int>(number)))
            return fail(event, who() + " ends without releasing slot " + Twine(event.slot) +
                                   ", which it waited for here");
  }
  for (auto [number, work] : llvm::enumerate(state.works)) {
    if (work.kind != Kind::Copy || (work.done && !bytes.isNamed(static_cast<int>(number))))
      continue;
    const int block = program.blockOfMBarrier(work.to.mbarrier);
    if (known[block].get(work.component) >= work.epoch)
      continue;
    return fail(program.events[work.event],
                program.cluster == 1
                    ? "nobody waits for this copy: the block may end while it is on its way"
                    : "nobody in " + program.describeBlock(block) +
                          " waits for this copy: it may end while the copy is on its way");
  }
  for (auto [number, reach] : llvm::enumerate(state.reached)) {
    const int block = static_cast<int>(number) / program.warps,
              warp = static_cast<int>(number) % program.warps;
    if (last[block].get(warp) < reach.epoch)
      return fail(program.events[reach.event],
                  program.describeWarp(warp) + " arrives here in " + program.describeBlock(block) +
                      ", which may have ended: the cluster must meet before its blocks end");
  }
  for (auto [number, mbarrier] : llvm::enumerate(state.mbarriers))
    if (mbarrier.pending != mbarrier.count || mbarrier.bytes)
      for (const Event &event : llvm::reverse(program.events))
        if (event.mbarrier == static_cast<int>(number) && event.kind != Kind::Await &&
            event.kind != Kind::Test)
          return fail(event,
                      "at the end of the block phase " + Twine(mbarrier.phase) + " of " +
                          program.describeMBarrier(static_cast<int>(number)) +
                          " is begun and not ended: " + Twine(mbarrier.count - mbarrier.pending) +
                          " of " + Twine(mbarrier.count) + " arrivals, " + Twine(mbarrier.bytes) +
                          " bytes missing");
  return std::nullopt;
}
