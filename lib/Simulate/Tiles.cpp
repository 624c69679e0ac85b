// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses of warps to shared tiles.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

/// Whether both copies bring the same tile, that is, the same coordinates of the same array.
static bool sameTile(const Event &a, const Event &b) {
  auto first = cast<cta::CopyOp>(a.op), second = cast<cta::CopyOp>(b.op);
  if (first.getSource() != second.getSource() || first.getDims() != second.getDims() ||
      first.getCoords().size() != second.getCoords().size() ||
      first.getLimits().size() != second.getLimits().size())
    return false;
  auto scalars = [](const Event &event, OperandRange range) {
    return llvm::map_range(llvm::seq<size_t>(range.size()),
                           [&event, at = range.getBeginOperandIndex()](size_t i) {
                             return event.operands[at + i].scalar;
                           });
  };
  return llvm::equal(scalars(a, first.getCoords()), scalars(b, second.getCoords())) &&
         llvm::equal(scalars(a, first.getLimits()), scalars(b, second.getLimits()));
}

/// Checks that all parts of a slot hold the filling for which the warp has waited.
bool Run::holdsSlot(int warp, const Event &event, const Binding &binding) {
  const Warp &w = state.warps[warp];
  const Event *filled = nullptr;
  for (int part = 0; part < program.ranges[binding.range].parts; ++part) {
    const SharedBytes::Contents &contents = bytes.contents(binding.range + part);
    if (contents.event < 0 || contents.commit < 0 || contents.clobberedBy >= 0)
      continue;
    const Event &copy = program.events[contents.event];
    int64_t held = w.held[contents.mbarrier];
    if (held != contents.commit) {
      std::string has = held < 0 ? "it has not waited for one, or has released it"
                                 : "it has waited for filling " + std::to_string(held);
      fail(event, program.describeWarp(warp) + " reads slot " + Twine(binding.slot) +
                      " of a ring, which holds filling " + Twine(contents.commit) + ", but " + has);
      problem->notes.push_back({copy.op->getLoc(), "filled here"});
      return false;
    }
    if (filled && !sameTile(*filled, copy)) {
      fail(event, program.describeWarp(warp) + " reads slot " + Twine(binding.slot) +
                      " of a ring, but blocks have filled it with shares of different tiles: the "
                      "blocks of a cluster "
                      "must fetch the same one");
      problem->notes.push_back(
          {filled->op->getLoc(),
           "fetched by " + program.describeBlock(program.groups[filled->group].block)});
      problem->notes.push_back(
          {copy.op->getLoc(),
           "fetched by " + program.describeBlock(program.groups[copy.group].block)});
      return false;
    }
    filled = &copy;
  }
  return true;
}

bool Run::readTiles(int warp, const Event &event, Access access) {
  const Warp &w = state.warps[warp];
  for (auto [operand, binding] : llvm::zip_equal(event.op->getOperands(), event.operands)) {
    if (!isa<cta::SmemType>(operand.getType()))
      continue;
    if (binding.slot >= 0 && !holdsSlot(warp, event, binding))
      return false;
    // The op reads all parts of the tile, or only the part of its warpgroup.
    int begin = binding.range, end = begin + program.ranges[begin].parts;
    auto store = dyn_cast<cta::CopyOutOp>(event.op);
    if (store && store.getPerWarpgroup() &&
        isa_and_nonnull<cta::StageOp>(program.ranges[begin].whole)) {
      begin += (warp - program.groups[event.group].firstWarp) / 4;
      end = begin + 1;
    }
    for (int range = begin; range < end; ++range)
      if (!fail(bytes.read(range, access, w.clock, binding.slot >= 0 ? -1 : binding.event)))
        return false;
  }
  return true;
}

bool Run::receivesNumber(int warp, const Event &event) {
  if (event.scalar < 0)
    return true;
  const Event &sent = program.events[bytes.contents(event.operands.front().range).event];
  if (sent.scalar == event.scalar)
    return true;
  fail(event, program.describeWarp(warp) + " reads the number of an output tile, " +
                  (sent.scalar < 0 ? "which is not known" : std::to_string(sent.scalar)) +
                  ", where the queue has given " + Twine(event.scalar));
  problem->notes.push_back({sent.op->getLoc(), "sent here"});
  return false;
}

bool Run::updateTiles(int warp, const Event &event, int number) {
  const Access access{number, warp, now(warp), /*write=*/true, /*async=*/false, warp, -1};
  for (auto [operand, binding] : llvm::zip_equal(event.op->getOperands(), event.operands))
    if (isa<cta::SmemType>(operand.getType()) &&
        !fail(bytes.update(binding.range, access, state.warps[warp].clock, binding.event)))
      return false;
  return true;
}

Run::Step Run::stage(int warp, const Event &event, int number) {
  SharedBytes::Contents contents;
  contents.event = number;
  Access access{number, warp, now(warp), /*write=*/true, /*async=*/false, warp, -1};
  trace(number);
  // A scalar's operand is the slot that is written.
  if (!isa<cta::PutScalarOp>(event.op) &&
      !readTiles(warp, event,
                 {number, warp, now(warp), /*write=*/false, /*async=*/false, warp, -1}))
    return Step::Failed;
  int range = event.range;
  if (program.ranges[range].whole)
    range += (warp - program.groups[event.group].firstWarp) / 4;
  if (!fail(bytes.write(range, access, state.warps[warp].clock, contents)))
    return Step::Failed;
  collect();
  return Step::Done;
}
