// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-schedule: chooses the cycle of each operation, and the depth of channels.
//
// Each pipelined loop, inner ones first, is translated into a problem (ScheduleProblem.h) and
// solved. A channel wants the depth that the schedule needs or, in an innermost loop, the plan's
// depth (`stages`).
//
// Then shared memory is distributed. First come the tiles that the launch holds outside of
// channels. Then every channel gets one slot. More slots go to the channels of innermost loops,
// which are refilled most often, so that their depth hides latency; then to those of outer loops.
// Loops whose channels got less than they need are solved again with the depths that they got.
#include "Steps.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/SharedTiles.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"
#include "tessera/Machine/Hopper.h"
#include "tessera/Schedule/Solver.h"
#include "tessera/Schedule/TextFormat.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SCHEDULE
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// The effort limit of the search for one loop: about five milliseconds. A plain loop takes less
/// than a hundredth of it. Source: docs/performance/constants.md.
constexpr int64_t kFuel = 100000;

/// The slots that channels of a loop have before a slot that the loop holds gets a second one: one
/// that is read, one that is full, one that is filled. Source: docs/performance/constants.md.
constexpr int64_t kSlotsBeforeHeld = 3;

struct Channel {
  ChannelOp op;
  int64_t slotBytes = 0, depth = 1, wanted = 1;
  int64_t turnBytes = 0; ///< mbarriers that pass the turn between replicas
  bool fixed = false;    ///< the source IR gave the depth
  bool inner = false;    ///< an innermost loop fills it
  bool held = false;     ///< a loop that other channels feed reads its slot in each iteration
  int64_t needed = 0;    ///< depth that the schedules need; 0: none
};

struct ScheduledLoop {
  LoopProblem loop;
  schedule::Result result;
};

class LaunchScheduler {
public:
  LaunchScheduler(LaunchOp launch, PlanAttr plan, int64_t warpgroups, bool printProblems)
      : launch(launch), machine(machineOf(launch)), plan(plan), costs(machine, warpgroups),
        printProblems(printProblems) {}
  LogicalResult run();

private:
  void findChannels();
  LogicalResult solveLoops();
  void wantDepths();
  LogicalResult dealShared();
  void solveAgain();
  void record(const ScheduledLoop &loop);
  void remark(const ScheduledLoop &loop);
  void print(const ScheduledLoop &loop);
  Channel *channelOf(ChannelOp op);
  int64_t stages() const { return plan ? plan.getStages().value_or(0) : 0; }
  int64_t pending() const { return plan ? plan.getPending().value_or(0) : 0; }

  LaunchOp launch;
  const Machine &machine;
  PlanAttr plan;
  CostModel costs;
  bool printProblems;
  SmallVector<Channel> channels;
  std::vector<ScheduledLoop> loops; ///< inner ones first
};
} // namespace

/// True if the op that fills the channel is in a loop without inner loops.
static bool inInnermostLoop(ChannelOp channel) {
  for (Operation *user : channel->getUsers()) {
    if (!isa<AcquireOp>(user))
      continue;
    auto loop = user->getParentOfType<LoopLikeOpInterface>();
    if (!loop)
      return false;
    return isInnermostLoop(loop);
  }
  return false;
}

/// True if a loop that waits for slots of other channels reads the channel's slot, which it does
/// not wait for itself.
static bool isHeldByLoop(ChannelOp channel) {
  for (Operation *user : channel->getUsers()) {
    auto wait = dyn_cast<WaitOp>(user);
    if (!wait)
      continue;
    for (Value tile : wait.getValues())
      for (Operation *reader : tile.getUsers())
        for (auto loop = reader->getParentOfType<CountedLoop>();
             loop && !loop->isProperAncestor(wait); loop = loop->getParentOfType<CountedLoop>())
          if (!loop.getBody()->getOps<WaitOp>().empty())
            return true;
  }
  return false;
}

static LogicalResult tooLarge(LaunchOp launch, ArrayRef<Channel> channels, int64_t staged,
                              int64_t budget) {
  int64_t sum = staged;
  for (const Channel &c : channels)
    sum += c.depth * c.slotBytes;
  InFlightDiagnostic error = refusePlan(launch.emitError())
                             << "the channels of this launch and the tiles it stages need " << sum
                             << " bytes of shared memory, but a block has " << budget
                             << "; make the tiles smaller, or plan fewer stages";
  error.attachNote(launch.getLoc()) << staged << " bytes are staged tiles";
  for (const Channel &c : channels) {
    ChannelOp op = c.op;
    error.attachNote(op.getLoc()) << c.depth << " slots of " << c.slotBytes << " bytes";
  }
  return error;
}

Channel *LaunchScheduler::channelOf(ChannelOp op) {
  for (Channel &channel : channels)
    if (channel.op == op)
      return &channel;
  return nullptr;
}

void LaunchScheduler::findChannels() {
  for (auto op : launch.getBody().getOps<ChannelOp>()) {
    Channel channel{op};
    for (Type type : op.getType().getPayload())
      channel.slotBytes +=
          isa<SmemType>(type) ? ringSlotBytes(cast<SmemType>(type)) : int64_t(sizeof(int64_t));
    channel.slotBytes += 2 * hopper::kMbarrierBytes;
    channel.turnBytes = replicasOf(plan) > 1 ? replicasOf(plan) * hopper::kMbarrierBytes : 0;
    channel.fixed = !op.getType().isOpen();
    channel.inner = inInnermostLoop(op);
    channel.held = !channel.inner && isHeldByLoop(op);
    channels.push_back(channel);
  }
}

//===--- schedules ---------------------------------------------------------------------------===//

/// If no schedule fits the registers, the code spills whatever its order, so the limit is dropped.
static schedule::Result solveLoop(schedule::Problem &problem) {
  schedule::Result result;
  if (problem.check() && problem.registers)
    problem.registers.reset();
  if (schedule::Error error = problem.check()) {
    result.message = *error;
    return result;
  }
  schedule::SolverOptions options;
  options.fuel = kFuel;
  result = solve(problem, options);
  if (!result.schedule && problem.registers) {
    problem.registers.reset();
    result = solve(problem, options);
  }
  return result;
}

LogicalResult LaunchScheduler::solveLoops() {
  ProblemOptions limits;
  limits.blocks = plan ? std::max<int64_t>(plan.getBlocksPerSm().value_or(1), 1) : 1;
  limits.registers =
      (plan ? plan.asPlan() : plan::Plan()).mathRegisters(machine, costs.warpgroups) -
      kOtherRegisters;
  for (CountedLoop op : pipelinedLoops(launch)) {
    // The remainder of a loop has no iterations that could overlap.
    limits.inFlight = pending() > 0 && !op->hasAttr(kRestAttr);
    LoopProblem loop = problemOf(op, costs, limits);
    if (loop.hasWrittenSteps() && failed(checkSteps(loop)))
      return failure();
    schedule::Result result = solveLoop(loop.problem);
    if (result.schedule)
      costs.iterations[op] = std::min(result.schedule->ii, kLongSpan);
    loops.push_back({std::move(loop), std::move(result)});
  }
  return success();
}

/// The depths that the schedules need, and that the plan asks for.
void LaunchScheduler::wantDepths() {
  for (const ScheduledLoop &scheduled : loops) {
    if (!scheduled.result.schedule)
      continue;
    llvm::DenseMap<Operation *, int64_t> needed;
    for (auto [slot, depth] :
         llvm::zip_equal(scheduled.loop.slots, scheduled.result.schedule->depth))
      needed[slot.channel()] += depth;
    for (const LoopSlot &slot : scheduled.loop.slots)
      if (Channel *channel = channelOf(slot.channel()))
        channel->needed =
            std::max({channel->needed, needed[slot.channel()], leadOfSteps(slot) + 1});
  }
  for (Channel &channel : channels) {
    if (channel.fixed)
      channel.depth = channel.wanted = channel.op.getType().getDepth();
    else if (channel.inner && stages() > 0)
      channel.wanted = stages();
    else
      channel.wanted = channel.needed ? channel.needed : channel.inner ? 1 : 2;
    // Output tiles overlap: the tile of the next one is loaded while the epilogue of this one runs.
    if (!channel.fixed && !channel.inner && replicasOf(plan) > 1)
      channel.wanted = std::max<int64_t>(channel.wanted, 2);
  }
}

//===--- shared memory -----------------------------------------------------------------------===//

LogicalResult LaunchScheduler::dealShared() {
  const int64_t blocks = plan ? plan.getBlocksPerSm().value_or(1) : 1;
  const int64_t budget = machine.sharedOfBlock(blocks);
  FailureOr<StagedBytes> tiles = stagedBytes(launch);
  if (failed(tiles))
    return failure();
  // Bytes with one slot each; with two in innermost loops, or what their schedules need; with what
  // innermost loops want; with what all want.
  int64_t slots = 0, fewest = 0, loops = 0, wanted = 0;
  for (const Channel &c : channels) {
    const int64_t most = std::max(c.depth, c.wanted);
    const int64_t few = std::min(most, std::max({c.depth, c.needed, kSlotsBeforeHeld}));
    slots += c.depth * c.slotBytes + c.turnBytes;
    fewest += (c.inner ? few : c.depth) * c.slotBytes + c.turnBytes;
    loops += (c.inner ? most : c.depth) * c.slotBytes + c.turnBytes;
    wanted += most * c.slotBytes + c.turnBytes;
  }
  const int64_t barriers =
      copyBarrierBytes(launch) + (hasQueue(launch) ? queueBytes(launch.getContext()) : 0);
  const int64_t replicas = replicasOf(plan); // each writes tiles of its own
  // Double-buffer the epilogue's staging tile, unless a single buffer lets all channels reach their
  // depth, or the channels of innermost loops, or gives every channel one slot at all.
  int64_t staged = replicas * (llvm::alignTo(tiles->inPairs, hopper::kSharedAlignment) + barriers);
  const int64_t least =
      replicas * (llvm::alignTo(tiles->least, hopper::kSharedAlignment) + barriers);
  if (llvm::any_of(ArrayRef{slots, loops, wanted}, [&](int64_t bytes) {
        return staged + bytes > budget && least + bytes <= budget;
      }))
    staged = least;
  // More slots than that gain less than barriers in each iteration cost.
  const int64_t apart =
      replicas * (llvm::alignTo(tiles->apart, hopper::kSharedAlignment) + barriers);
  if (tiles->apart && apart + fewest <= budget)
    staged = std::max(staged, apart);
  int64_t used = staged + slots;
  if (used > budget)
    return tooLarge(launch, channels, staged, budget);
  // One more slot for each channel in turn, up to `most` slots.
  auto deal = [&](llvm::function_ref<int64_t(const Channel &)> most) {
    for (bool grown = true; grown;) {
      grown = false;
      for (Channel &c : channels) {
        if (c.depth >= std::min(most(c), c.wanted) || used + c.slotBytes > budget)
          continue;
        ++c.depth;
        used += c.slotBytes;
        grown = true;
      }
    }
  };
  // Inner loops first. But the slot that such a loop reads from its begin to its end is filled for
  // the next output tile meanwhile only if there is a second one. That comes before slots of inner
  // loops that no schedule needs.
  if (llvm::any_of(channels, [](const Channel &c) { return c.held; })) {
    deal([](const Channel &c) { return c.inner ? std::max(c.needed, kSlotsBeforeHeld) : 1; });
    deal([](const Channel &c) { return c.held ? 2 : 1; });
  }
  deal([](const Channel &c) { return c.inner ? c.wanted : 1; });
  deal([](const Channel &c) { return c.wanted; });
  for (Channel &c : channels) {
    // Only the op has the type of the channel; credits do not repeat it.
    c.op.getResult().setType(c.op.getType().withDepth(c.depth));
  }
  return success();
}

/// Solves loops again whose channels are shallower than their schedule needs.
void LaunchScheduler::solveAgain() {
  for (ScheduledLoop &scheduled : loops) {
    bool shallow = false;
    llvm::DenseMap<Operation *, int64_t> uses;
    for (const LoopSlot &slot : scheduled.loop.slots)
      ++uses[slot.channel()];
    for (auto [slot, ring] :
         llvm::zip_equal(scheduled.loop.slots, scheduled.loop.problem.channels)) {
      Channel *channel = channelOf(slot.channel());
      if (!channel || uses[channel->op] > 1 || channel->depth >= channel->needed)
        continue;
      ring.depth = channel->depth;
      shallow = true;
    }
    if (!shallow)
      continue;
    schedule::Result again = solveLoop(scheduled.loop.problem);
    if (again.schedule)
      scheduled.result = std::move(again);
  }
}

//===--- what is recorded --------------------------------------------------------------------===//

static StringRef describe(StringRef bound) {
  return llvm::StringSwitch<StringRef>(bound)
      .Case("tensor", "the tensor cores")
      .Case("sfu", "the special function units")
      .Case("fma", "the FMA units")
      .Case("alu", "the ALU")
      .Case("dispatch", "the instructions that the SM issues")
      .Case("smem", "shared memory")
      .Case("copy", "copies into shared memory")
      .Case("issue", "the instruction stream of a warpgroup")
      .Case("producer", "the instruction stream of the producer")
      .Case("chain", "a chain of results through the iterations")
      .Case("packing", "the order of what the units do")
      .Case("rings", "the depth of channels")
      .Case("registers", "registers")
      .Default(bound);
}

/// Writes `cta.modulo_schedule` on the loop, for cta-rotate-loops and for reports.
void LaunchScheduler::record(const ScheduledLoop &scheduled) {
  const schedule::Schedule &schedule = *scheduled.result.schedule;
  CountedLoop loop = scheduled.loop.loop;
  Builder b(loop.getContext());
  SmallVector<NamedAttribute> bounds;
  for (const schedule::Bound &bound : lowerBounds(scheduled.loop.problem))
    if (bound.ii > 1)
      bounds.push_back(b.getNamedAttr(bound.name, b.getI64IntegerAttr(bound.ii)));
  // Cycles count from the first product, because the start of an iteration is arbitrary.
  SmallVector<int64_t> products, cycles;
  std::optional<int64_t> first;
  for (auto [step, start] : llvm::zip_equal(scheduled.loop.steps, schedule.start)) {
    if (!isa<WgmmaOp>(step.ops.front()))
      continue;
    first = first.value_or(start);
    products.push_back(llvm::divideFloorSigned(start - *first, schedule.ii));
    cycles.push_back(start - *first - products.back() * schedule.ii);
  }
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("bound", b.getStringAttr(scheduled.result.bound)),
      b.getNamedAttr("bounds", b.getDictionaryAttr(bounds)),
      b.getNamedAttr("ii", b.getI64IntegerAttr(schedule.ii))};
  if (!products.empty())
    entries.push_back(b.getNamedAttr("products", b.getDenseI64ArrayAttr(products)));
  // The order of products in the pipelined loop, if it is not the usual one: earlier stages first,
  // and program order within a stage.
  SmallVector<int64_t> order(products.size()), usual;
  auto countBelow = [](ArrayRef<int64_t> values, int64_t least) {
    return llvm::count_if(values, [&](int64_t value) { return value < least; });
  };
  for (size_t i = 0; i < products.size(); ++i) {
    order[i] = countBelow(cycles, cycles[i]);
    usual.push_back(countBelow(products, products[i]) +
                    std::count(products.begin(), products.begin() + i, products[i]));
  }
  if (order != usual)
    entries.push_back(b.getNamedAttr("order", b.getDenseI64ArrayAttr(order)));
  // Cycles of a loop that rarely runs say nothing.
  if (loop->hasAttr(kRestAttr))
    llvm::erase_if(entries, [](NamedAttribute entry) { return entry.getName() != "products"; });
  loop->setAttr(kScheduleAttr, b.getDictionaryAttr(entries));
}

void LaunchScheduler::remark(const ScheduledLoop &scheduled) {
  CountedLoop loop = scheduled.loop.loop;
  auto options =
      remark::RemarkOpts::name("schedule").category("cta-schedule").function(launch.getSymbol());
  if (!scheduled.result.schedule) {
    remark::missed(loop.getLoc(), options) << "no schedule: " << scheduled.result.message;
    return;
  }
  remark::analysis(loop.getLoc(), options)
      << ("an iteration every " + llvm::Twine(scheduled.result.schedule->ii) +
          " cycles, bound by " + describe(scheduled.result.bound))
             .str();
  for (const LoopSlot &slot : scheduled.loop.slots) {
    Channel *channel = channelOf(slot.channel());
    if (!channel)
      continue;
    auto depth =
        remark::RemarkOpts::name("depth").category("cta-schedule").function(launch.getSymbol());
    std::string text = ("the channel has " + llvm::Twine(channel->depth) +
                        " slots; the schedule needs " + llvm::Twine(channel->needed))
                           .str();
    Location loc = WaitOp(slot.wait).getLoc();
    if (channel->depth >= channel->needed)
      remark::analysis(loc, depth) << text;
    else
      remark::missed(loc, depth) << text
                                 << (channel->depth < channel->wanted
                                         ? ", and shared memory has no more"
                                         : ", but the source IR or its plan says otherwise");
  }
}

void LaunchScheduler::print(const ScheduledLoop &scheduled) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# @" << launch.getSymbol() << ", bound by " << scheduled.result.bound << "\n"
     << schedule::print(scheduled.loop.problem);
  if (scheduled.result.schedule)
    os << schedule::print(scheduled.loop.problem, *scheduled.result.schedule);
  llvm::errs() << text; // in one call: kernels are compiled in parallel
}

LogicalResult LaunchScheduler::run() {
  findChannels();
  if (channels.empty())
    return success();
  if (failed(solveLoops()))
    return failure();
  wantDepths();
  if (failed(dealShared()))
    return failure();
  solveAgain();
  for (const ScheduledLoop &loop : loops) {
    remark(loop);
    if (printProblems)
      print(loop);
    if (loop.result.schedule)
      record(loop);
  }
  return success();
}

namespace {
struct Schedule : cta::impl::ScheduleBase<Schedule> {
  using ScheduleBase::ScheduleBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    PlanAttr plan = planOf(kernel);
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(LaunchScheduler(launch, plan, kernel.getWarpgroups().value_or(1), printProblems)
                     .run()))
        return signalPassFailure();
  }
};
} // namespace
