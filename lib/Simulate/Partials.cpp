// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.put_partial and cta.add_partial. A put writes the share of a warp in a slot and then raises
// its flag (release). An add waits for the flag (acquire), reads the share, and lowers the flag. A
// lowered flag does not order the reader before the next put. So a slot serves once in a launch,
// unless something else orders the two.
#include "Run.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

std::optional<Partials::Use> Partials::findUp() const {
  std::optional<Use> first;
  auto place = [](const Use &put) { return std::tuple(put.program->block, put.event, put.warp); };
  for (const auto &[key, flag] : flags)
    if (flag.full && (!first || place(flag.put) < place(*first)))
      first = flag.put;
  return first;
}

Partials::Use Run::usePartial(int warp, int number) {
  Partials::Use use{&program, number, warp, static_cast<int>(index) * program.warps + warp};
  Times &known = state.warps[warp].clock.launch;
  use.epoch = known.get(use.component) + 1;
  known.raise(use.component, use.epoch);
  return use;
}

bool Run::hasSlot(const Event &event) {
  return (event.slot >= 0 && event.slot < event.slots) ||
         fail(event, "slot " + Twine(event.slot) + " of workspace that has " + Twine(event.slots));
}

Run::Step Run::putPartial(int warp, const Event &event, int number) {
  if (!hasSlot(event))
    return Step::Failed;
  const int mine = warp - program.firstWarp(program.blockOfWarp(warp));
  Partials::Part &flag = partials.flag(event, mine), &share = partials.share(event, mine);
  auto refuse = [&](const std::string &what, const Partials::Use &other, const char *note) {
    fail(event,
         program.describeWarp(warp) + " puts partial sums into slot " + Twine(event.slot) + what);
    problem->notes.push_back({other.loc(), note + other.who()});
    return Step::Failed;
  };
  if (flag.full)
    return refuse(", whose flag is still up: nobody has taken those that are there", flag.put,
                  "put by ");
  if (share.full)
    return refuse(", where nobody has taken those before them", share.put, "put by ");
  for (const Partials::Part *part : {&share, &flag})
    if (part->taken && !part->taken.isKnown(state.warps[warp].clock))
      return refuse(" while " + part->taken.who() +
                        " may still read those before them: a slot serves once in a launch",
                    part->taken, "read by ");
  trace(number);
  share.put = flag.put = usePartial(warp, number);
  share.full = flag.full = true;
  flag.known = state.warps[warp].clock.launch;
  ++partials.raised;
  return Step::Done;
}

Run::Step Run::addPartial(int warp, const Event &event, int number) {
  if (!hasSlot(event))
    return Step::Failed;
  const int mine = warp - program.firstWarp(program.blockOfWarp(warp));
  Partials::Part &flag = partials.flag(event, mine), &share = partials.share(event, mine);
  if (!flag.full)
    return Step::Blocked;
  Clock &clock = state.warps[warp].clock;
  clock.launch.join(flag.known);
  const char *what = !share.put                  ? ", but nobody has put any there"
                     : !share.put.isKnown(clock) ? ", which may not be there yet"
                     : !share.full               ? ", but they have been taken"
                                                 : nullptr;
  if (what) {
    fail(event, program.describeWarp(warp) + " adds the partial sums in slot " + Twine(event.slot) +
                    what + ": another put has raised its flag");
    problem->notes.push_back({flag.put.loc(), "raised by " + flag.put.who()});
    if (share.put)
      problem->notes.push_back({share.put.loc(), "put by " + share.put.who()});
    return Step::Failed;
  }
  trace(number);
  share.taken = flag.taken = usePartial(warp, number);
  share.full = flag.full = false;
  return Step::Done;
}
