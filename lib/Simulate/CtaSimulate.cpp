// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-simulate: runs some blocks or clusters of a kernel under several timings.
#include "Inputs.h"
#include "Timeline/Timeline.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Simulate/Machine.h"
#include "tessera/Simulate/Passes.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

#include <set>

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

namespace tessera::simulate {
#define GEN_PASS_DEF_CTASIMULATE
#include "tessera/Simulate/Passes.h.inc"
} // namespace tessera::simulate

namespace {
class Simulation : public simulate::impl::CtaSimulateBase<Simulation> {
public:
  using CtaSimulateBase::CtaSimulateBase;
  void runOnOperation() override;

private:
  LogicalResult runKernel(tile::KernelOp kernel);
  LogicalResult runLaunch(Unroller &unroller, cta::LaunchOp launch);
  FailureOr<std::vector<Program>> unroll(Unroller &unroller, cta::LaunchOp launch,
                                         ArrayRef<int64_t> blocks);
  bool runTiming(ArrayRef<Program> programs, int64_t timing);
  bool check(const Outcome &outcome, ArrayRef<Program> programs, int64_t timing);
  LogicalResult writeTimelines();

  Inputs inputs;
  std::set<std::string> reported;
  std::vector<Timeline> timelines; ///< one for each launch
};
} // namespace

/// Chooses the first block, two between, and the last one of those that are busy, and the last one
/// of all. In a launch with clusters these are the first blocks of clusters.
static SmallVector<int64_t> chooseBlocks(int64_t count, ArrayRef<int64_t> busy, int64_t cluster) {
  SmallVector<int64_t> blocks;
  auto choose = [&](int64_t chosen) {
    const int64_t block = chosen - chosen % cluster;
    if (!llvm::is_contained(blocks, block))
      blocks.push_back(block);
  };
  if (!busy.empty())
    for (size_t place : {size_t(0), busy.size() / 3, 2 * busy.size() / 3, busy.size() - 1})
      choose(busy[place]);
  if (count)
    choose(count - 1);
  return blocks;
}

void tessera::simulate::report(const Problem &problem, const Program &program, int64_t timing) {
  InFlightDiagnostic error = emitError(problem.loc) << problem.message;
  for (const auto &[loc, note] : problem.notes)
    error.attachNote(loc) << note;
  cta::LaunchOp launch = program.launch;
  Diagnostic &where = error.attachNote(launch.getLoc());
  if (program.cluster == 1)
    where << "in block " << program.block;
  else
    where << "in the cluster of blocks " << program.block << " to "
          << program.block + program.cluster - 1;
  where << " of @" << launch.getSymbol() << ", ";
  if (timing == kTimedRun)
    where << "in the timed run";
  else
    where << "timing " << timing;
}

/// Runs all programs under one timing, or the timed run.
bool Simulation::runTiming(ArrayRef<Program> programs, int64_t timing) {
  if (timing != kTimedRun)
    return check(simulate::simulate(programs, static_cast<uint64_t>(timing), places), programs,
                 timing);
  // Every cluster that the launch does not need together with others begins at cycle 0.
  timelines.back().now = 0;
  return check(simulate::simulate(programs, 0, places, &timelines.back()), programs, timing);
}

/// Reports the problem of a run. A problem that several runs find is printed once.
bool Simulation::check(const Outcome &outcome, ArrayRef<Program> programs, int64_t timing) {
  if (!outcome.problem)
    return true;
  const Problem &problem = *outcome.problem;
  std::string key;
  llvm::raw_string_ostream(key) << problem.loc << problem.message;
  if (!reported.insert(key).second)
    return false;
  simulate::report(problem, programs[outcome.at], timing);
  return false;
}

/// Makes the programs of all clusters of a launch, which run together because they hand on partial
/// sums.
FailureOr<std::vector<Program>> Simulation::unroll(Unroller &unroller, cta::LaunchOp launch,
                                                   ArrayRef<int64_t> blocks) {
  std::vector<Program> programs;
  int64_t events = 0;
  for (int64_t block : blocks) {
    FailureOr<Program> program = unroller.unroll(launch, block);
    if (failed(program))
      return failure();
    events += static_cast<int64_t>(program->events.size());
    if (events > inputs.fuel)
      return emitError(launch.getLoc()) << "the blocks of @" << launch.getSymbol()
                                        << " hand partial sums to each other, so that all must "
                                           "run, and their programs are too long together; "
                                           "choose smaller sizes, fewer cores or more fuel";
    programs.push_back(std::move(*program));
  }
  return programs;
}

LogicalResult Simulation::runLaunch(Unroller &unroller, cta::LaunchOp launch) {
  std::optional<int64_t> count = unroller.numBlocks(launch);
  if (!count)
    return failure();
  const int64_t cluster = std::max<int64_t>(1, launch.getCluster().value_or(1));
  for (int64_t block : blocks)
    if (block < 0 || block >= *count)
      return emitError(launch.getLoc())
             << "@" << launch.getSymbol() << " has no block " << block << ": there are " << *count;
  SmallVector<SmallVector<int64_t>> together;
  if (*count && Unroller::handsOn(launch)) {
    together.emplace_back(
        llvm::to_vector(llvm::seq<int64_t>(0, llvm::divideCeil(*count, cluster))));
    for (int64_t &block : together.front())
      block *= cluster;
  } else if (blocks.empty()) {
    for (int64_t block : chooseBlocks(*count, unroller.busyBlocks(launch, *count), cluster))
      together.push_back({block});
  } else {
    for (int64_t block : blocks)
      together.push_back({block});
  }
  size_t events = 0, clusters = 0, handedOn = 0;
  bool ok = true;
  if (!timeline.empty())
    timelines.emplace_back().launch = launch.getSymbol().str();
  for (ArrayRef<int64_t> numbers : together) {
    FailureOr<std::vector<Program>> programs = unroll(unroller, launch, numbers);
    if (failed(programs))
      return failure();
    clusters += programs->size();
    for (const Program &program : *programs) {
      events += program.events.size();
      handedOn += llvm::count_if(program.events,
                                 [](const Event &event) { return event.kind == Kind::PutPartial; });
    }
    if (!timeline.empty())
      ok &= runTiming(*programs, kTimedRun);
    for (int64_t timing = 0; timing < timings; ++timing) {
      if (timing && llvm::any_of(*programs, [](const Program &p) { return p.controlledByData; })) {
        // The control flow depends on what memory holds, so each further timing draws other values.
        Inputs other = inputs;
        other.seed = static_cast<uint64_t>(timing);
        Unroller again(launch->getParentOfType<tile::KernelOp>(), other);
        if (failed(again.runKernel()))
          return failure();
        programs = unroll(again, launch, numbers);
        if (failed(programs))
          return failure();
      }
      if (!runTiming(*programs, timing)) {
        ok = false;
        break;
      }
    }
  }
  if (verbose && ok) {
    InFlightDiagnostic remark = emitRemark(launch.getLoc());
    remark << "@" << launch.getSymbol() << ": simulated "
           << cluster * static_cast<int64_t>(clusters) << " of " << *count << " blocks, "
           << int64_t(timings) << " timings each: " << events << " events, ";
    if (Unroller::handsOn(launch))
      remark << handedOn << " partial sums handed on, ";
    remark << "no violation";
  }
  return success(ok);
}

LogicalResult Simulation::runKernel(tile::KernelOp kernel) {
  if (failed(cta::requirePhase(kernel, tile::Phase::Allocated, getArgument())))
    return failure();
  Unroller unroller(kernel, inputs);
  if (failed(unroller.runKernel()))
    return failure();
  bool ok = true;
  for (auto launch : kernel.getBody().getOps<cta::LaunchOp>())
    ok &= succeeded(runLaunch(unroller, launch));
  return success(ok);
}

/// Writes the timelines of all launches. Those of kernels in which a problem was found are there,
/// too: they show how far the block came.
LogicalResult Simulation::writeTimelines() {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(timeline, &error);
  if (!file)
    return emitError(whereOf(getOperation()), "the timeline cannot be written: ") << error;
  write(file->os(), timelines);
  file->keep();
  return success();
}

void Simulation::runOnOperation() {
  ModuleOp module = getOperation();
  reported.clear();
  timelines.clear();
  FailureOr<Inputs> given = makeInputs(module, sizes, scalars, numBlocks, cores, fuel);
  if (timings <= 0 || places < 0) {
    emitError(whereOf(module), "timings, places, fuel, cores and num-blocks are positive numbers");
    return signalPassFailure();
  }
  if (failed(given))
    return signalPassFailure();
  inputs = *given;
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (failed(runKernel(kernel)))
      signalPassFailure();
  if (!timeline.empty() && failed(writeTimelines()))
    signalPassFailure();
  markAllAnalysesPreserved();
}
