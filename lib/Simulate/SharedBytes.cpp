// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedBytes.h"

#include "tessera/Dialect/Cta/IR/Cta.h"

#include <limits>

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

std::string tessera::simulate::describe(const Program &program, const Event &event) {
  std::string text = event.op->getName().getStringRef().str();
  if (event.slot >= 0)
    text += " (slot " + std::to_string(event.slot) + ")";
  return text;
}

void SharedBytes::name(const Access &access) {
  if (access.work < 0)
    return;
  if (access.work >= static_cast<int>(names.size()))
    names.resize(access.work + 1, 0);
  ++names[access.work];
}

void SharedBytes::forget(std::vector<Access> &accesses) {
  for (const Access &access : accesses)
    if (access.work >= 0 && --names[access.work] == 0)
      forgotten.push_back(access.work);
  accesses.clear();
}

std::optional<Problem> SharedBytes::check(const Access &before, const Access &access,
                                          const Clock &now) const {
  const bool beforeWrites = before.write, writes = access.write;
  const Event &first = program.events[before.event], &second = program.events[access.event];
  auto problem = [&](std::string message) {
    Problem result{second.op->getLoc(), std::move(message), {}};
    result.notes.push_back({first.op->getLoc(), "the other access is here, " +
                                                    describe(program, first) + " by " +
                                                    program.describeWarp(before.warp)});
    return result;
  };
  auto who = [&] { return program.describeWarp(access.warp) + " "; };
  if (now.get(before.component) < before.epoch) {
    std::string what = writes ? "overwrites shared memory " : "reads shared memory ";
    if (beforeWrites)
      what += before.async || first.kind == Kind::CpAsync ? "while a copy may still write it"
                                                          : "that may not be written yet";
    else
      what += before.async ? "while an asynchronous access may still read it"
                           : "while others may still read it";
    std::string todo =
        first.kind == Kind::CpAsync
            ? "; the threads that copied it must wait for that (cta.await_copies, or "
              "an mbarrier on which they arrive with their copies), and a barrier or "
              "an arrival come between"
        : before.work >= 0 && first.kind == Kind::CopyOut
            ? "; a cta.await_stores and, for other threads, a barrier must come "
              "between"
        : beforeWrites && before.async ? "; an await of its mbarrier must come between"
        : first.kind == Kind::Wgmma
            ? "; the product must complete, and a barrier or a release come between"
            : "; a barrier or a release must come between";
    return problem(who() + what + todo);
  }
  if ((beforeWrites || writes) && !before.async && access.async) {
    const std::vector<uint32_t> &list = fences[before.warp];
    uint32_t since = before.epoch;
    if (first.kind == Kind::CpAsync)
      since = before.work < static_cast<int>(known.size()) && known[before.work]
                  ? known[before.work]
                  : std::numeric_limits<uint32_t>::max();
    auto it = std::lower_bound(list.begin(), list.end(), since);
    if (it == list.end() || now.get(before.warp) < *it)
      return problem(who() + (writes ? "overwrites" : "reads") +
                     " through the async proxy what threads " + (beforeWrites ? "wrote" : "read") +
                     ", without a cta.fence_async by " + program.describeWarp(before.warp) +
                     " between its " +
                     (first.kind == Kind::CpAsync ? "wait for the copy"
                      : beforeWrites              ? "write"
                                                  : "read") +
                     " and the barrier or release");
  }
  return std::nullopt;
}

std::optional<Problem> SharedBytes::write(int range, const Access &access, const Clock &now,
                                          const Contents &contents) {
  State &state = ranges[range];
  // An access that is ordered before a write of one part must be ordered before the writes of the
  // other parts, too.
  int first = range;
  while (!program.ranges[first].parts)
    --first;
  auto keep = [&](const Access &before, State &part) {
    if (part.priorOf != access.event)
      forget(part.prior);
    part.priorOf = access.event;
    part.prior.push_back(before);
    name(before);
  };
  if (state.priorOf == access.event)
    for (const Access &before : state.prior)
      if (auto problem = check(before, access, now))
        return problem;
  if (state.contents.event != access.event) {
    // This is the first warp that writes for this event.
    for (int overlap : program.ranges[range].overlaps) {
      State &other = ranges[overlap];
      for (std::vector<Access> *list : {&other.writers, &other.readers, &other.updates}) {
        for (const Access &before : *list)
          if (auto problem = check(before, access, now))
            return problem;
        for (const Access &before : *list) {
          if (overlap == range)
            keep(before, state);
          else
            for (int part = first; part < first + program.ranges[first].parts; ++part)
              keep(before, ranges[part]);
        }
        forget(*list);
      }
      if (overlap != range)
        other.contents.clobberedBy = access.event;
    }
    state.contents = contents;
  }
  state.writers.push_back(access);
  name(access);
  return std::nullopt;
}

std::optional<Problem> SharedBytes::checkContents(const State &state, const Access &access,
                                                  const Clock &now, int expected) const {
  const Event &event = program.events[access.event];
  auto problem = [&](const Twine &message) {
    return Problem{event.op->getLoc(), program.describeWarp(access.warp) + message.str(), {}};
  };
  if (state.contents.event < 0)
    return problem(" reads shared memory that nobody has filled");
  const Event &writer = program.events[state.contents.event];
  int clobber = state.contents.clobberedBy;
  if (clobber >= 0) {
    Problem result = problem(" reads a tile that has been overwritten");
    result.notes.push_back({program.events[clobber].op->getLoc(), "by this"});
    return result;
  }
  if (expected >= 0 && state.contents.event != expected) {
    Problem result = problem(" reads a tile that has been overwritten");
    result.notes.push_back({writer.op->getLoc(), "by this"});
    return result;
  }
  for (const Access &before : state.writers)
    if (auto bad = check(before, access, now))
      return bad;
  // All warps of the writing group must have written their share.
  if (writer.kind == Kind::Stage || writer.kind == Kind::CpAsync) {
    const int warps = writer.elected ? 1
                      : writer.kind == Kind::Stage && program.ranges[&state - ranges.data()].whole
                          ? 4
                          : program.groups[writer.group].warps;
    if (static_cast<int>(state.writers.size()) < warps) {
      Problem result =
          problem(" reads a tile that other warps have not written yet; a barrier must "
                  "come between");
      result.notes.push_back({writer.op->getLoc(), "written here"});
      return result;
    }
  }
  return std::nullopt;
}

void SharedBytes::remember(std::vector<Access> &list, const Access &access, bool sameOp) {
  Operation *op = program.events[access.event].op;
  for (Access &before : list)
    if (before.component == access.component &&
        (!sameOp || program.events[before.event].op == op)) {
      before.epoch = access.epoch;
      before.event = access.event;
      return;
    }
  list.push_back(access);
  name(access);
}

std::optional<Problem> SharedBytes::read(int range, const Access &access, const Clock &now,
                                         int expected) {
  State &state = ranges[range];
  if (auto bad = checkContents(state, access, now, expected))
    return bad;
  for (const Access &before : state.updates)
    if (auto bad = check(before, access, now))
      return bad;
  remember(state.readers, access, /*sameOp=*/false);
  return std::nullopt;
}

bool SharedBytes::mayMeet(const Access &before, const Access &access) const {
  // Threads that run one op access different elements, or make steps of atomics.
  if (before.event == access.event)
    return true;
  auto writeOf = [&](const Access &update) {
    for (const cta::MemoryAccess &made : cta::accessesOf(program.events[update.event].op))
      if (made.write && !made.isGlobal())
        return made;
    return cta::MemoryAccess();
  };
  const cta::MemoryAccess a = writeOf(before), b = writeOf(access);
  return (a.commutes && b.commutes) || (a.byOwners && a.byOwners == b.byOwners);
}

std::optional<Problem> SharedBytes::update(int range, const Access &access, const Clock &now,
                                           int expected) {
  State &state = ranges[range];
  if (auto bad = checkContents(state, access, now, expected))
    return bad;
  for (const Access &before : state.readers)
    if (auto bad = check(before, access, now))
      return bad;
  for (const Access &before : state.updates)
    if (!mayMeet(before, access))
      if (auto bad = check(before, access, now))
        return bad;
  remember(state.updates, access, /*sameOp=*/true);
  return std::nullopt;
}
