// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the bytes that an mbarrier expects are equal to those that TMA loads bring, on every
// path, as far as the PTX says how many they are. Of a load that may leave out what lies outside of
// the array (`trim` in docs/Contract.md) it knows the whole box. The bytes that do not come are
// subtracted from a number, which must be that of all whole boxes: on every path where sub.s32 does
// it, and on the path with the most boxes where sub.u32 does, because there branches go around
// boxes that lie outside. Whether the right bytes are subtracted is not checked.
//
// It looks at the loads in the block that announces the bytes, and in the blocks after it that can
// only be reached through it (the sides of a branch, and where they meet; loops, of which it does
// not know how many bytes they bring). Loads elsewhere may belong to another phase. A path without
// loads is left out, because some threads may skip the loads of others.
#include "PtxValues.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <set>
#include <tuple>

using namespace tessera;
using namespace tessera::ptx;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

namespace {
class Bytes {
public:
  Bytes(const Function &function, const Values &values, const LaunchPromise *promise,
        std::vector<PtxProblem> &problems)
      : function(function), values(values), promise(promise), problems(problems),
        predecessors(function.blocks.size()) {
    for (unsigned block = 0; block < function.blocks.size(); ++block)
      for (unsigned successor : function.blocks[block].successors)
        predecessors[successor].insert(block);
  }
  void run();

private:
  /// What happens to one mbarrier in one block.
  struct Sum {
    unsigned line = 0; ///< the line of the announcement
    int64_t expected = 0, copied = 0;
    bool expects = false, copies = false, known = true;
    bool skips = false; ///< branches go around some of the copies
  };
  /// The same along a path. Paths with equal contents are kept once.
  struct Path {
    int64_t copied;
    bool copies, known;
    bool operator<(const Path &other) const {
      return std::tie(copied, copies, known) < std::tie(other.copied, other.copies, other.known);
    }
  };

  std::set<unsigned> loopOf(unsigned header, const llvm::SetVector<unsigned> &region) const;
  std::optional<int64_t> bytesOf(const Instruction &inst) const;
  std::optional<int64_t> bytesOfPart(const Instruction &inst) const;
  std::map<std::string, Sum> sumsOf(const Block &block) const;
  void follow(unsigned start, const std::string &name, const Sum &expected,
              const std::vector<std::map<std::string, Sum>> &sums);

  const Function &function;
  const Values &values;
  const LaunchPromise *promise; ///< null if there is no contract for the function
  std::vector<PtxProblem> &problems;
  std::vector<std::set<unsigned>> predecessors;
};
} // namespace

/// The bytes that a TMA load brings to each block that it reaches. If a load goes to all blocks of
/// a cluster, each block issues one such load, so each block receives that many parts.
std::optional<int64_t> Bytes::bytesOf(const Instruction &inst) const {
  std::optional<int64_t> bytes = bytesOfPart(inst);
  if (!bytes || !isMulticast(inst))
    return bytes;
  return function.cluster ? std::optional<int64_t>(*bytes * function.cluster) : std::nullopt;
}

std::optional<int64_t> Bytes::bytesOfPart(const Instruction &inst) const {
  if (!inst.is("cp.async.bulk.tensor")) // the operands are [to], [from], size, [mbarrier]
    return inst.operands.size() > 2 ? values.constant(inst.operands[2]) : std::nullopt;
  if (!promise || inst.operands.size() < 2)
    return std::nullopt;
  std::set<int64_t> sizes; // of the maps of which the load takes one
  for (const Value &map : values.choices(inst.operands[1].drop_front(1).split(',').first.trim())) {
    StringRef name = map.base;
    unsigned index;
    if (!map.isSymbol || map.offset || !name.consume_front(function.name) ||
        !name.consume_front("_param_") || name.getAsInteger(10, index))
      return std::nullopt;
    if (auto it = promise->boxes.find(index); it != promise->boxes.end())
      sizes.insert(it->second);
  }
  return sizes.size() == 1 ? std::optional<int64_t>(*sizes.begin()) : std::nullopt;
}

std::map<std::string, Bytes::Sum> Bytes::sumsOf(const Block &block) const {
  std::map<std::string, Sum> sums;
  for (const Instruction &inst : block.instructions) {
    if (inst.is("mbarrier") && inst.has("expect_tx") && inst.operands.size() >= 2) {
      Sum &sum = sums[values.of(inst.operands[inst.operands.size() - 2]).text()];
      std::optional<int64_t> bytes = values.constant(inst.operands.back());
      if (const Instruction *less = values.subtraction(inst.operands.back())) {
        bytes = literal(less->operands[1]);
        sum.skips |= less->has("u32");
      }
      sum.line = inst.line;
      sum.expects = true;
      sum.known &= bytes.has_value();
      sum.expected += bytes.value_or(0);
    } else if (inst.is("mbarrier") && inst.has("complete_tx") && inst.operands.size() >= 2) {
      // The thread says which bytes will not come. How many they are is known in a launch only.
      sums[values.of(inst.operands[inst.operands.size() - 2]).text()].known = false;
    } else if (isTmaLoad(inst)) {
      std::optional<StringRef> barrier = mbarrierOf(inst);
      if (!barrier)
        continue;
      Sum &sum = sums[values.of(*barrier).text()];
      std::optional<int64_t> bytes = bytesOf(inst);
      sum.copies = true;
      sum.known &= bytes.has_value();
      sum.copied += bytes.value_or(0);
    }
  }
  return sums;
}

/// The blocks of a loop that is entered through `header` from the region alone; empty if there is
/// no such loop.
std::set<unsigned> Bytes::loopOf(unsigned header, const llvm::SetVector<unsigned> &region) const {
  // What leads back to the header without leaving through the region.
  std::set<unsigned> loop{header};
  std::vector<unsigned> pending;
  auto enter = [&](unsigned block) {
    for (unsigned before : predecessors[block])
      if (!region.contains(before) && loop.insert(before).second)
        pending.push_back(before);
  };
  enter(header);
  while (!pending.empty()) {
    const unsigned block = pending.back();
    pending.pop_back();
    // The entry of the function, or a block that is also reached from the region, past the header.
    if (predecessors[block].empty() ||
        llvm::any_of(predecessors[block], [&](unsigned before) { return region.contains(before); }))
      return {};
    enter(block);
  }
  // All of them have to be reached from the header.
  std::set<unsigned> reached{header};
  pending = {header};
  while (!pending.empty()) {
    const unsigned block = pending.back();
    pending.pop_back();
    for (unsigned next : function.blocks[block].successors)
      if (loop.count(next) && reached.insert(next).second)
        pending.push_back(next);
  }
  const bool isLoop = loop.size() > 1 || predecessors[header].count(header);
  return isLoop && reached == loop ? loop : std::set<unsigned>();
}

/// Follows all paths from the announcing block through the blocks that can only be reached through
/// it.
void Bytes::follow(unsigned start, const std::string &name, const Sum &expected,
                   const std::vector<std::map<std::string, Sum>> &sums) {
  constexpr size_t kMostPaths = 64;
  auto own = [&](unsigned block) -> const Sum * {
    auto it = sums[block].find(name);
    return it == sums[block].end() ? nullptr : &it->second;
  };
  // Each block comes after all blocks that lead to it.
  llvm::SetVector<unsigned> region;
  region.insert(start);
  std::set<unsigned> copyingLoops; // their headers
  auto copies = [&](unsigned block) { return own(block) && own(block)->copies; };
  auto expects = [&](unsigned block) { return own(block) && own(block)->expects; };
  for (size_t at = 0; at < region.size(); ++at)
    for (unsigned next : function.blocks[region[at]].successors) {
      if (region.contains(next) || expects(next))
        continue;
      if (llvm::all_of(predecessors[next], [&](unsigned block) { return region.contains(block); }))
        region.insert(next);
      else if (std::set<unsigned> loop = loopOf(next, region);
               !loop.empty() && llvm::none_of(loop, expects)) {
        region.insert(next);
        if (llvm::any_of(loop, copies))
          copyingLoops.insert(next);
      }
    }
  std::map<unsigned, std::set<Path>> paths; // by the block at whose end they are
  std::set<Path> ended;
  for (unsigned block : region) {
    std::set<Path> &through = paths[block];
    if (block == start)
      through = {{expected.copied, expected.copies, expected.known}};
    else
      for (unsigned before : predecessors[block]) {
        if (before == block)
          continue;
        for (Path path : paths[before]) {
          if (const Sum *sum = own(block)) {
            path.copied += sum->copied;
            path.copies |= sum->copies;
            path.known &= sum->known;
          }
          path.known &= !copyingLoops.count(block);
          through.insert(path);
        }
      }
    if (through.size() > kMostPaths)
      return;
    ArrayRef<unsigned> successors = function.blocks[block].successors;
    if (successors.empty() || llvm::any_of(successors, [&](unsigned next) {
          return next == start || !region.contains(next);
        }))
      ended.insert(through.begin(), through.end());
  }
  auto report = [&](int64_t copied) {
    problems.push_back({expected.line, function.name,
                        ("the mbarrier " + name + " expects " + Twine(expected.expected) +
                         " bytes, but the copies that arrive there bring " + Twine(copied))
                            .str()});
  };
  std::optional<int64_t> most;
  for (const Path &path : ended) {
    if (!path.copies || !path.known)
      continue;
    if (!expected.skips && path.copied != expected.expected)
      return report(path.copied);
    most = std::max(most.value_or(path.copied), path.copied);
  }
  if (most && *most != expected.expected)
    report(*most);
}

void Bytes::run() {
  std::vector<std::map<std::string, Sum>> sums;
  for (const Block &block : function.blocks)
    sums.push_back(sumsOf(block));
  for (unsigned block = 0; block < sums.size(); ++block)
    for (const auto &[name, sum] : sums[block])
      if (sum.expects)
        follow(block, name, sum, sums);
}

void tessera::ptx::checkBytes(const Function &function, const Values &values,
                              const LaunchPromise *promise, std::vector<PtxProblem> &problems) {
  Bytes(function, values, promise, problems).run();
}
