// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What must be over when a block ends.
#include "State.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

std::optional<Problem> tessera::simulate::checkExit(const Program &program, const State &state,
                                                    const SharedBytes &bytes) {
  auto fail = [](const Event &event, const Twine &message) {
    return Problem{event.op->getLoc(), message.str(), {}};
  };
  Clock known;
  for (const Warp &warp : state.warps)
    known.join(warp.clock);
  for (auto [number, warp] : llvm::enumerate(state.warps)) {
    auto who = [&, n = static_cast<int>(number)] { return program.describeWarp(n); };
    if (!warp.products.empty())
      return fail(program.events[state.works[warp.products.front()].event],
                  who() + " ends before this product is complete");
    if (!warp.stores.empty())
      return fail(program.events[state.works[warp.stores.front()].event],
                  who() + " ends, but the store may still read its source: cta.await_stores must "
                          "follow");
    for (auto [m, held] : llvm::enumerate(warp.held))
      if (held >= 0 && llvm::is_contained(program.fullOf, static_cast<int>(m)))
        for (const Event &event : llvm::reverse(program.events))
          if (event.kind == Kind::Await && event.mbarrier == static_cast<int>(m) &&
              program.takesPart(event, static_cast<int>(number)))
            return fail(event, who() + " ends without releasing slot " + Twine(event.slot) +
                                   ", which it waited for here");
  }
  for (auto [number, work] : llvm::enumerate(state.works))
    if (work.kind == Kind::Copy && (!work.done || bytes.isNamed(static_cast<int>(number))) &&
        known.get(work.component) < work.epoch)
      return fail(program.events[work.event],
                  "nobody waits for this copy: the block may end while it is on its way");
  for (auto [number, mbarrier] : llvm::enumerate(state.mbarriers))
    if (mbarrier.pending != mbarrier.count || mbarrier.bytes)
      for (const Event &event : llvm::reverse(program.events))
        if (event.mbarrier == static_cast<int>(number) && event.kind != Kind::Await)
          return fail(event, "at the end of the block phase " + Twine(mbarrier.phase) +
                                 " of mbarrier " + Twine(number) + " is begun and not ended: " +
                                 Twine(mbarrier.count - mbarrier.pending) + " of " +
                                 Twine(mbarrier.count) + " arrivals, " + Twine(mbarrier.bytes) +
                                 " bytes missing");
  return std::nullopt;
}
