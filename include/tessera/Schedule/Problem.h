// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modulo scheduling of one warpgroup: the problem, and what a solution has to satisfy.
//
// A loop body is a set of operations of the size of a tile: a matrix product, or an exponential of
// all elements. A modulo schedule gives each operation a start cycle t; iteration i runs it at t +
// i * II. The smaller the initiation interval II, the faster the loop. An operation with t >= II
// runs concurrently with later iterations of the others; its *stage* is t / II.
//
// Who executes. n identical warpgroups (*replicas*) run the same program, replica r later by r * II
// / n. The *load* role (a producer warp) issues copies for all of them. So only one warpgroup is
// scheduled:
//
//   - its own instruction stream is in order: [t, t + issue) of any two math operations are
//     disjoint modulo II
//   - a unit that all replicas share (tensor cores, SFU) is reserved modulo II / n, so that the
//     rotations fit into each other
//   - a *fluid* unit (shared-memory bandwidth, FMA pipes) is shared instruction by instruction:
//     only the sum of its cycles counts
//
// An operation has three different lengths. A wgmma group of m64n128k128 is *issued* in some 16
// cycles, *occupies* the tensor cores for 512 cycles, and its result has a *latency* of 512 cycles
// plus the depth of the pipeline. It is `async`: the instruction stream continues meanwhile. A
// softmax is not: it occupies the stream for as long as it takes.
//
// Edges say when `to` of iteration i may start, seen from `from` of iteration i - distance:
//
//   raw        when the result is there: latency. With distance >= 1 it is *carried* by the loop
//   accumulate `to` adds into the registers of `from`: two wgmmas queue up on the tensor cores, so
//              it waits for the occupancy only, and takes the registers over at its start
//   war_reg    when `from` has read its register operands: `to` redefines them. For a wgmma in
//              flight that is its completion (converting P earlier would serialise everything)
//   done       when `from` has completed; nothing of it is read (giving back what it has read)
//   order      when `from` has been issued
//   through c  `from` is a load into channel c, `to` reads the slot: latency, and in the other
//              direction the slot is free for reuse when its last reader has completed
//
// A channel is a ring of `depth` slots. A slot is in use for R cycles, from the *issue* of its
// first load to the completion of its last reader (in the last replica, if they all read the same
// slot: `shared`), so depth >= ceil(R / II). The slots of all channels must fit shared memory.
//
// Registers: the result of an operation takes its `registers` from birth to the end of its last
// reader (for `accumulate`, to the start of that reader). Birth is the issue of an asynchronous
// operation, and the end of a synchronous one, which may overwrite what it reads. The total over
// all iterations in flight must fit. Registers that an asynchronous operation writes or reads must
// not be renamed meanwhile. If the loop is unrolled `unroll` times, at most `unroll` * II cycles
// may pass from the birth of an asynchronous result to its last reader, and from the birth of any
// other result to its last asynchronous reader.
//
// Slack is the number of cycles by which every asynchronous result may be late before an operation
// waits for it. Loads do not count: their slack is the depth of their ring. A schedule that is
// exact to the cycle is not the goal. The code takes from it the *order* of issue in the loop, the
// stage of each operation, and the depths of rings.
//
// Example, FlashAttention's loop with two warpgroups (TextFormat.h has the syntax, solve() the
// answer): QK of iteration i at 0, PV of i - 1 at 512, softmax of i while the other warpgroup's
// products run.
//
//   replicas 2
//   unit tensor
//   unit sfu
//   op qk async issue 16 latency 576 registers 64 uses tensor 512
//   op softmax issue 800 latency 800 registers 32 uses sfu 512
//   op pv async issue 16 latency 576 registers 64 uses tensor 512
//   raw qk -> softmax
//   raw softmax -> pv
//   accumulate pv -> pv distance 1
//   war_reg pv -> softmax distance 1

#ifndef TESSERA_SCHEDULE_PROBLEM_H
#define TESSERA_SCHEDULE_PROBLEM_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::schedule {

/// The reason why something is wrong; nullopt if it is right.
using Error = std::optional<std::string>;

enum class Role { Math, Load };
enum class EdgeKind { Raw, Accumulate, WarReg, Done, Order, Through };

/// The keyword of the text format; a raw edge with a distance is `carried`.
const char *toString(EdgeKind kind);

/// What the replicas share.
struct Unit {
  std::string name;
  bool fluid = false; ///< only the sum of its cycles counts
  bool operator==(const Unit &o) const { return name == o.name && fluid == o.fluid; }
};

/// An operation keeps a unit busy, from its start on.
struct Use {
  int unit = 0;
  int64_t cycles = 0;
  bool operator==(const Use &o) const { return unit == o.unit && cycles == o.cycles; }
};

struct Operation {
  std::string name;
  Role role = Role::Math;
  bool async = false;    ///< loads always are
  int64_t issue = 1;     ///< cycles of its role's instruction stream
  int64_t latency = 1;   ///< from the start to the result, and to the end of all reads
  int64_t registers = 0; ///< per thread, of the result
  std::vector<Use> uses;
  bool operator==(const Operation &o) const {
    return name == o.name && role == o.role && async == o.async && issue == o.issue &&
           latency == o.latency && registers == o.registers && uses == o.uses;
  }
};

struct Edge {
  int from = 0, to = 0; ///< operations
  int64_t distance = 0; ///< iterations
  EdgeKind kind = EdgeKind::Raw;
  int channel = -1; ///< of Through
  bool operator==(const Edge &o) const {
    return from == o.from && to == o.to && distance == o.distance && kind == o.kind &&
           channel == o.channel;
  }
};

struct Channel {
  std::string name;
  int64_t bytes = 0;   ///< of one slot
  bool shared = false; ///< all replicas read the same slots: one load serves them all
  int64_t depth = 0;   ///< 0: the solver's choice
  bool operator==(const Channel &o) const {
    return name == o.name && bytes == o.bytes && shared == o.shared && depth == o.depth;
  }
};

struct Problem {
  int64_t replicas = 1;
  std::optional<int64_t> registers;   ///< budget for all values, per thread
  std::optional<int64_t> sharedBytes; ///< budget for all slots
  int64_t unroll = 1;
  std::optional<int64_t> maxStages; ///< of the math role
  /// More slack than this is worth nothing. Default: the cycles for which a product may have to
  /// queue after those of the other replicas.
  std::optional<int64_t> slackTarget;

  std::vector<Unit> units;
  std::vector<Channel> channels;
  std::vector<Operation> operations;
  std::vector<Edge> edges;

  // Building: each returns the index.
  int addUnit(std::string name, bool fluid = false);
  int addChannel(Channel channel);
  int addOperation(Operation operation);
  int addEdge(int from, int to, EdgeKind kind = EdgeKind::Raw, int64_t distance = 0);
  int addRead(int channel, int load, int reader, int64_t distance = 0);

  /// The reason why this is not a valid problem; names the operation. Everything below requires
  /// nullopt.
  Error check() const;

  /// The index, or -1.
  int findOperation(const std::string &name) const;
  int findUnit(const std::string &name) const;
  int findChannel(const std::string &name) const;

  /// Cycles from the start of `from` to the earliest start of `to`, distance aside.
  int64_t delay(const Edge &edge) const;
  /// From the start of an operation until it has read all its operands.
  int64_t readCycles(const Operation &op) const { return op.async ? op.latency : op.issue; }
  /// True if slack is counted on this edge: an operation waits for a product.
  bool countsForSlack(const Edge &edge) const;
  /// True for loads into shared channels: executed once for all replicas.
  std::vector<bool> commonOperations() const;
  int64_t effectiveSlackTarget() const;

  bool operator==(const Problem &o) const;
};

struct Schedule {
  int64_t ii = 0;
  /// Per operation. The first math operation is at 0, loads ahead of it are negative.
  std::vector<int64_t> start;
  /// Per channel.
  std::vector<int64_t> depth;

  /// The stage of an operation: t / II, rounded down.
  int64_t stage(int op) const;
  /// The position of each operation in the loop body of its role: operations sorted by t mod II.
  std::vector<int64_t> orders(const Problem &problem) const;

  bool operator==(const Schedule &o) const {
    return ii == o.ii && start == o.start && depth == o.depth;
  }
};

/// The registers of a result are taken in [birth, death) + k * II.
struct Lifetime {
  int operation = 0;
  int64_t birth = 0, death = 0;
};

// What follows from start cycles.
std::vector<Lifetime> lifetimes(const Problem &problem, const Schedule &schedule);
/// The most registers at any time.
int64_t registerPressure(const Problem &problem, const Schedule &schedule);
/// nullopt if nothing counts for slack.
std::optional<int64_t> slack(const Problem &problem, const Schedule &schedule);
/// The number of stages of the math role.
int64_t stages(const Problem &problem, const Schedule &schedule);
/// How often the loop has to be unrolled so that asynchronous values get registers of their own.
int64_t unrollFactor(const Problem &problem, const Schedule &schedule);
/// R of a channel: how long a slot is in use.
int64_t residence(const Problem &problem, const Schedule &schedule, int channel);

/// The first constraint that the schedule violates, with the names of the operations and the cycles
/// that are missing; nullopt if there is none. Requires that problem.check() returns nullopt.
Error verify(const Problem &problem, const Schedule &schedule);

} // namespace tessera::schedule

#endif // TESSERA_SCHEDULE_PROBLEM_H
