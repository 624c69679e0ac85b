// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the compiler did with each access and matrix product, which resources each launch has, and
// why it is not faster.
#ifndef TESSERA_REPORT_H
#define TESSERA_REPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Where something stands in the source, and what it is called there.
struct SourceLocation {
  std::string file;    // empty: the source itself, or unknown
  unsigned line = 0;   // from 1 on; 0: unknown
  unsigned column = 0; // from 1 on; 0: unknown
  // The name of the op's NameLoc. Without one: its results ("%a"), or its statement if it has none,
  // as the text has them, or as MLIR prints the source module ("%3").
  std::string name;
  std::vector<SourceLocation> calledFrom; // the calls that were inlined, innermost first
};

/// One load, store or product of the source.
struct Verdict {
  std::string op; // "load", "store", "mma", "rare", …
  SourceLocation location;
  std::string type;        // "128x64xbf16"
  std::string mechanism;   // "tma", "cp_async", "vector of 16 bytes", "wgmma", "fma"
  std::string why;         // why there is no better one; empty: it is the best
  unsigned places = 1;     // ops that it became: pieces and copies
  bool canImprove = false; // `why` names what keeps it from a faster mechanism, or from a channel
};

/// One tile in shared memory.
struct SharedTile {
  int64_t offset = 0, bytes = 0;
  std::string type;
  SourceLocation location; // of the op whose tile it is
};

/// A warp-specialised role of a launch.
struct RoleReport {
  std::string name;
  int64_t warps = 0;
  int64_t registers = 0; // of a thread, by setmaxnreg; 0: those at entry
};

/// A launch's plan, and the cycles that the model predicts.
struct PlanReport {
  std::string plan; // #cta.plan<...>
  // The most and the fewest rows of a rasterisation group; 0: what the plan says.
  int64_t group = 0, leastGroup = 0;
  /// How output tiles that do not take the same time are ordered; empty if they take as long.
  std::string order;
  // Waves from which on a launch has GPC-aware cluster numbering; 0: never.
  int64_t wavesForNumbering = 0;
  std::string bound;                           // what limits an iteration; empty: no prediction
  int64_t launch = 0, wave = 0, iteration = 0; // cycles of a launch, a wave, an iteration
  int64_t blocksPerSM = 1;                     // a wave has this many output tiles on each SM
  int64_t waveBlocks = 0;                      // … and this many in all
  // Of the whole launch, if the source IR has the sizes.
  std::optional<int64_t> cycles;
  double waveEfficiency = 0;
};

/// What cta-schedule found out about a loop, in cycles.
struct LoopReport {
  SourceLocation location;
  int64_t ii = 0;                                      // initiation interval
  std::string bound;                                   // the unit that limits it
  std::vector<std::pair<std::string, int64_t>> bounds; // what each unit takes, by name
};

struct LaunchReport {
  std::string symbol;
  std::optional<PlanReport> plan;
  std::vector<RoleReport> roles;
  std::vector<LoopReport> loops;
  int64_t entryRegisters = 0; // of a thread, at most, for ptxas
  int64_t threads = 0, sharedBytes = 0;
  std::vector<SharedTile> shared;
  std::vector<Verdict> verdicts;
  // From ptxas; absent if it did not run.
  std::optional<int64_t> registers;
  int64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  /// False if it spills only outside the innermost loops with matrix products: once for each output
  /// tile, say.
  bool spillsInMainLoops = true;
  std::string rejectedPlan; // the plan that was tried before, and why it failed
  // Blocks that fit an SM, and what limits them.
  int64_t blocksPerSM = 0;
  std::string limitedBy;
  // Work of a block in one iteration of its hottest loop of unknown length, or in all if there is
  // no such loop: operations and bytes.
  double tensorFlops = 0, fmaFlops = 0, globalBytes = 0;
  std::string bound; // a sentence
};

struct VariantReport {
  std::string name;
  std::string standsFor;               // a variant that would be the same; empty: none
  std::vector<std::string> guards;     // as text: "A: base % 16 == 0"
  std::vector<std::string> workspaces; // as text: "2 * M * K bytes of bf16"
  std::vector<LaunchReport> launches;
};

/// A parameter of a kernel (`tile.param`).
struct ParamReport {
  std::string name;
  int64_t value = 0;
  bool isGiven = false; // by the host; else it is the first choice that goes with the others
  std::vector<int64_t> choices; // empty: every positive number
};

/// Which member of a family a kernel is: what its parameters were bound to, and whether it is
/// divided.
struct BoundReport {
  std::vector<ParamReport> params; // empty: the kernel has none
  // Blocks share the iterations of the output tiles of the last wave (stream-K). One binding may be
  // two members, divided and as it stands.
  bool isDivided = false;
  int64_t members = 0;  // bindings among the choices, as many as were counted
  bool hasMore = false; // there are more of them, or may be
  // Of a member of a family: its kernel, how many of its members the artifact holds, and how much
  // slower than the best of all they are predicted to be, on average over many sizes (0.01: 1 %).
  std::string family;
  bool isPredicted = false; // it alone is held, because it is predicted to be the fastest
  int64_t held = 1;
  // Members whose predicted times were compared, if that was a sample of them; else 0.
  int64_t compared = 0;
  // Members that do not compile, and why.
  std::vector<std::pair<std::string, std::string>> leftOut;
  double loss = 0;
};

struct KernelReport {
  std::string name;
  SourceLocation location; // without a name
  std::vector<VariantReport> variants;
  std::optional<BoundReport> bound; // absent: it has no parameters and no other member
};

/// The version of the JSON. It is raised when a key changes its meaning or is dropped; new keys do
/// not raise it.
constexpr int64_t kReportVersion = 1;

struct Report {
  std::string target, compiler;
  std::vector<KernelReport> kernels;
  std::vector<std::string> ptxasMessages;

  /// One screen: for each kernel, what its first variant does, what limits it and what to change.
  std::string toSummary() const;
  /// The complete report: every variant, access, plan and shared tile.
  std::string toText() const;
  /// The same as data. docs/Report.md has the keys.
  std::string toJson() const;
};

} // namespace tessera

#endif
