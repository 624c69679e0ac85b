// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks rings of mbarriers, which are addressed by slot as base + 8 * slot. Successive mbarriers
// that are initialised with the same count are one ring. Only those accesses are checked whose
// constant part is the start of a ring. If some address is unknown, or points into the middle of a
// ring, nothing is known of the whole function, because the compiler may have moved a constant from
// the slot to the base.
#include "PtxValues.h"

#include "llvm/ADT/Twine.h"

#include <map>

using namespace tessera;
using namespace tessera::ptx;
using llvm::StringRef;
using llvm::Twine;

namespace {
struct Ring {
  std::string name;
  int64_t begin = 0, end = 0, count = 0;
  unsigned line = 0; ///< the line of the first initialisation
  bool bySlot = false;
  unsigned waits = 0, arrives = 0, expects = 0, copies = 0;
  unsigned remote = 0;     ///< arrivals from all blocks of the cluster
  unsigned withCopies = 0; ///< arrivals of every thread when its cp.async have landed
};

class Rings {
public:
  Rings(const Function &function, const Values &values, std::vector<PtxProblem> &problems)
      : function(function), values(values), problems(problems) {}
  void run();

private:
  void collect();
  Ring *ringOf(StringRef operand);
  void countUses();
  void judge(const Ring &ring);
  void checkBlocks();
  void checkWaits();
  void report(unsigned line, const Twine &message) {
    problems.push_back({line, function.name, message.str()});
  }

  const Function &function;
  const Values &values;
  std::vector<PtxProblem> &problems;
  std::vector<Ring> rings;
  bool unknown = false;
};
} // namespace

/// The form is "mbarrier.… state, [address], …".
static StringRef addressOf(const Instruction &inst) {
  for (StringRef operand : inst.operands)
    if (operand.starts_with("["))
      return operand;
  return "";
}

static bool isWait(const Instruction &inst) {
  return inst.is("mbarrier.try_wait") || inst.is("mbarrier.test_wait");
}

void Rings::collect() {
  struct Init {
    int64_t count;
    unsigned line;
  };
  std::map<std::pair<std::string, int64_t>, Init> inits;
  for (const Block &block : function.blocks)
    for (const Instruction &inst : block.instructions) {
      if (!inst.is("mbarrier.init") || inst.operands.size() < 2)
        continue;
      std::optional<Place> place = values.placeOf(inst.operands[0]);
      std::optional<int64_t> count = values.constant(inst.operands[1]);
      if (!place || place->dynamic || !count) {
        unknown = true;
        return;
      }
      inits[{place->symbol, place->offset}] = {*count, inst.line};
    }
  for (const auto &[place, init] : inits) {
    if (!rings.empty() && rings.back().name == place.first && rings.back().end == place.second &&
        rings.back().count == init.count) {
      rings.back().end += 8;
      continue;
    }
    Ring ring;
    ring.name = place.first;
    ring.begin = place.second;
    ring.end = place.second + 8;
    ring.count = init.count;
    ring.line = init.line;
    rings.push_back(ring);
  }
}

Ring *Rings::ringOf(StringRef operand) {
  std::optional<Place> place = values.placeOf(operand);
  if (!place) {
    unknown = true;
    return nullptr;
  }
  for (Ring &ring : rings) {
    if (ring.name != place->symbol || place->offset < ring.begin || place->offset >= ring.end)
      continue;
    if (place->dynamic && place->offset != ring.begin)
      break;
    ring.bySlot |= place->dynamic;
    return &ring;
  }
  unknown = true;
  return nullptr;
}

void Rings::countUses() {
  for (const Block &block : function.blocks)
    for (const Instruction &inst : block.instructions) {
      if (isRemoteArrival(inst)) {
        if (Ring *ring = ringOf(values.remoteArrival(inst).barrier))
          ++ring->remote;
      } else if (inst.is("mbarrier.arrive")) {
        if (Ring *ring = ringOf(addressOf(inst)))
          ++(inst.has("expect_tx") ? ring->expects : ring->arrives);
      } else if (inst.is("cp.async.mbarrier.arrive")) {
        if (Ring *ring = ringOf(addressOf(inst)))
          ++ring->withCopies;
      } else if (isWait(inst)) {
        if (Ring *ring = ringOf(addressOf(inst)))
          ++ring->waits;
      } else if (isTmaLoad(inst)) {
        if (Ring *ring = ringOf(mbarrierOf(inst).value_or("")))
          ++ring->copies;
      } else if (inst.is("mbarrier") && !inst.is("mbarrier.init") && !inst.is("mbarrier.inval")) {
        unknown = true;
      }
    }
}

void Rings::judge(const Ring &ring) {
  std::string name = "the ring of mbarriers " + ring.name + "+" + std::to_string(ring.begin);
  if (!ring.waits)
    report(ring.line, "nobody waits for " + name);
  else if (!ring.arrives && !ring.expects && !ring.remote && !ring.withCopies)
    report(ring.line, name + " is waited for, but nobody arrives");
  if (ring.copies && !ring.expects)
    report(ring.line, "TMA loads arrive on " + name + ", but nobody announces their bytes");
  if (ring.expects && !ring.copies)
    report(ring.line, "bytes are announced on " + name + ", but no TMA load brings them");
  // At each such instruction one elected thread arrives.
  if (ring.expects && !ring.arrives && !ring.remote && ring.count > ring.expects)
    report(ring.line, name + " counts " + Twine(ring.count) + " arrivals, but only " +
                          Twine(ring.expects) + " can come in a phase");
  int64_t threads = std::max(function.reqntid, function.maxntid);
  // Each thread arrives once in a phase, whichever instruction it runs.
  if (threads && ring.withCopies && !ring.arrives && !ring.expects && !ring.remote &&
      ring.count != threads)
    report(ring.line, name + " counts " + Twine(ring.count) + " arrivals, but each of " +
                          Twine(threads) + " threads arrives with its cp.async");
  if (ring.remote) {
    // All blocks run the same code, and in each of them at most every warp arrives at such an
    // instruction.
    const int64_t blocks = std::max<int64_t>(1, function.cluster);
    if (!ring.arrives && !ring.expects && ring.count % blocks)
      report(ring.line, name + " counts " + Twine(ring.count) +
                            " arrivals, but as many come from each of the " + Twine(blocks) +
                            " blocks of a cluster");
    if (threads)
      threads *= blocks;
  }
  if (threads && ring.count > threads * std::max(1u, ring.arrives + ring.expects + ring.remote +
                                                         ring.withCopies))
    report(ring.line,
           name + " counts " + Twine(ring.count) +
               (ring.remote ? " arrivals of a cluster of " : " arrivals of a block of ") +
               Twine(threads) + " threads");
}

/// Checks that bytes that a block announces on one ring only are not brought to another ring only.
void Rings::checkBlocks() {
  for (const Block &block : function.blocks) {
    const Ring *expected = nullptr, *copied = nullptr;
    bool one = true;
    unsigned line = 0;
    for (const Instruction &inst : block.instructions) {
      bool expects = inst.is("mbarrier.arrive") && inst.has("expect_tx");
      if (!expects && !isTmaLoad(inst))
        continue;
      const Ring *&slot = expects ? expected : copied;
      const Ring *ring = ringOf(expects ? addressOf(inst) : mbarrierOf(inst).value_or(StringRef()));
      one &= !slot || slot == ring;
      slot = ring;
      if (expects)
        line = inst.line;
    }
    if (one && expected && copied && expected != copied && expected->bySlot && copied->bySlot)
      report(line, "the bytes announced on the ring of mbarriers " + expected->name + "+" +
                       Twine(expected->begin) + " are brought to that of " + copied->name + "+" +
                       Twine(copied->begin));
  }
}

/// Checks that the result of a try_wait is used, because a try_wait may return before the phase
/// ends.
void Rings::checkWaits() {
  for (const Block &block : function.blocks)
    for (const Instruction &wait : block.instructions) {
      if (!isWait(wait) || wait.operands.empty())
        continue;
      StringRef done = wait.operands[0];
      auto looksAt = [&](const Instruction &inst) {
        StringRef guard = inst.guard;
        guard.consume_front("!");
        return guard == done || (inst.operands.size() > 1 &&
                                 llvm::is_contained(llvm::drop_begin(inst.operands), done));
      };
      // Registers of inline assembly are local to its block.
      const bool local = !done.starts_with("%");
      bool looked = llvm::any_of(function.blocks, [&](const Block &other) {
        return (!local || &other == &block) && llvm::any_of(other.instructions, looksAt);
      });
      if (!looked)
        report(wait.line, "nobody looks at the result of " + wait.opcode.split(".parity").first +
                              ": the phase may not have ended");
    }
}

void Rings::run() {
  checkWaits();
  collect();
  if (rings.empty() || unknown)
    return;
  countUses();
  if (unknown)
    return;
  for (const Ring &ring : rings)
    if (ring.bySlot)
      judge(ring);
  checkBlocks();
}

void tessera::ptx::checkRings(const Function &function, const Values &values,
                              std::vector<PtxProblem> &problems) {
  Rings(function, values, problems).run();
}
