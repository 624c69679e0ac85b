// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses to shared tiles.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

bool Run::readTiles(int warp, const Event &event, Access access) {
  const Warp &w = state.warps[warp];
  for (auto [operand, binding] : llvm::zip_equal(event.op->getOperands(), event.operands)) {
    if (!isa<cta::SmemType>(operand.getType()))
      continue;
    if (binding.slot >= 0) {
      const SharedBytes::Contents &contents = bytes.contents(binding.range);
      if (contents.event >= 0 && contents.commit >= 0 && contents.clobberedBy < 0 &&
          w.held[contents.mbarrier] != contents.commit) {
        int64_t held = w.held[contents.mbarrier];
        std::string has = held < 0 ? "it has not waited for one, or has released it"
                                   : "it has waited for filling " + std::to_string(held);
        fail(event, program.describeWarp(warp) + " reads slot " + Twine(binding.slot) +
                        " of a ring, which holds filling " + Twine(contents.commit) + ", but " +
                        has);
        outcome.problem->notes.push_back(
            {program.events[contents.event].op->getLoc(), "filled here"});
        return false;
      }
    }
    // All parts, or its own.
    int begin = binding.range, end = begin + program.ranges[begin].parts;
    auto store = dyn_cast<cta::CopyOutOp>(event.op);
    if (store && store.getPerWarpgroup() && program.ranges[begin].stage) {
      begin += (warp - program.groups[event.group].firstWarp) / 4;
      end = begin + 1;
    }
    for (int range = begin; range < end; ++range)
      if (!fail(bytes.read(range, access, w.clock, binding.slot >= 0 ? -1 : binding.event)))
        return false;
  }
  return true;
}

Run::Step Run::stage(int warp, const Event &event, int number) {
  SharedBytes::Contents contents;
  contents.event = number;
  Access access{number, warp, now(warp), /*write=*/true, /*async=*/false, warp, -1};
  trace(number);
  int range = event.range;
  if (program.ranges[range].stage)
    range += (warp - program.groups[event.group].firstWarp) / 4;
  if (!fail(bytes.write(range, access, state.warps[warp].clock, contents)))
    return Step::Failed;
  collect();
  return Step::Done;
}
