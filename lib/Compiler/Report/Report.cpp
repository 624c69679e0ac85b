// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the report as text.
#include "tessera/Report.h"
#include "Report/BoundText.h"
#include "Report/SourceNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;

/// Prints ", called from line 20, model.py:4" if the op came here by inlining.
static void printCalls(llvm::raw_ostream &os, const SourceLocation &location) {
  if (location.calledFrom.empty())
    return;
  os << ", called from ";
  llvm::interleaveComma(location.calledFrom, os,
                        [&](const SourceLocation &call) { os << lineText(call); });
}

static void printVerdicts(llvm::raw_ostream &os, const std::vector<Verdict> &verdicts) {
  size_t op = 5, name = 4, type = 4, line = 4;
  for (const Verdict &v : verdicts) {
    op = std::max(op, v.op.size());
    name = std::max(name, v.location.name.size());
    type = std::max(type, v.type.size());
    line = std::max(line, lineText(v.location).size());
  }
  for (const Verdict &v : verdicts) {
    os << "      " << llvm::left_justify(lineText(v.location), line) << "  "
       << llvm::left_justify(v.op, op + 1) << llvm::left_justify(v.location.name, name) << "  "
       << llvm::left_justify(v.type, type) << "  " << v.mechanism;
    if (v.places > 1)
      os << ", in " << v.places << " places";
    printCalls(os, v.location);
    if (!v.why.empty())
      os << "; " << v.why;
    os << "\n";
  }
}

static void printPlan(llvm::raw_ostream &os, const PlanReport &plan) {
  os << "      plan: " << plan.plan << "\n";
  if (plan.leastGroup)
    os << "      group: at most " << plan.group << " rows; a launch takes fewer, but at least "
       << plan.leastGroup << ", where its rows are long\n";
  if (!plan.order.empty())
    os << "      order: " << plan.order << "\n";
  if (plan.wavesForNumbering)
    os << "      clusters: numbered by the GPC that they run on, from " << plan.wavesForNumbering
       << " waves of blocks on; such a launch is not dependent\n";
  if (plan.bound.empty())
    return;
  os << "      predicted: " << plan.iteration << " cycles an iteration (bound by " << plan.bound
     << "), " << plan.wave << " a wave of " << plan.waveBlocks << " blocks, " << plan.launch
     << " a launch";
  if (plan.cycles)
    os << "; " << *plan.cycles << " in all, wave efficiency "
       << llvm::format("%.1f %%", 100 * plan.waveEfficiency);
  os << "\n";
}

static void printLoop(llvm::raw_ostream &os, const LoopReport &loop) {
  const std::string place = placeText("loop", loop.location);
  os << "      schedule: " << (place.empty() ? "a loop" : place) << ": " << loop.ii
     << " cycles an iteration, within an SM bound by " << loop.bound << " (";
  llvm::interleaveComma(loop.bounds, os,
                        [&](const auto &bound) { os << bound.first << " " << bound.second; });
  os << ")\n";
}

static void printLaunch(llvm::raw_ostream &os, const LaunchReport &launch) {
  os << "    launch " << launch.symbol << ": " << launch.threads << " threads, "
     << launch.sharedBytes << " bytes of shared memory";
  if (launch.registers) {
    os << ", " << *launch.registers << " registers";
    if (launch.stackBytes)
      os << ", " << launch.stackBytes << " bytes of stack";
    if (launch.spillStoreBytes || launch.spillLoadBytes)
      os << (launch.spillsInMainLoops ? ", SPILLS (" : ", spills outside of its main loops (")
         << launch.spillStoreBytes << " bytes stored, " << launch.spillLoadBytes << " loaded)";
    else
      os << ", no spills";
  }
  os << "\n";
  if (launch.blocksPerSM)
    os << "      occupancy: " << launch.blocksPerSM
       << (launch.blocksPerSM == 1 ? " block" : " blocks") << " per SM, limited by "
       << launch.limitedBy << "\n";
  if (launch.plan)
    printPlan(os, *launch.plan);
  for (const LoopReport &loop : launch.loops)
    printLoop(os, loop);
  for (const RoleReport &role : launch.roles)
    os << "      role " << role.name << ": " << role.warps << (role.warps == 1 ? " warp" : " warps")
       << ", at most " << (role.registers ? role.registers : launch.entryRegisters)
       << " registers a thread" << (role.registers ? " (setmaxnreg)" : "") << "\n";
  if (!launch.rejectedPlan.empty())
    os << "      rejected plan: " << launch.rejectedPlan << "\n";
  if (!launch.bound.empty())
    os << (launch.plan && !launch.plan->bound.empty() ? "      work: " : "      prediction: ")
       << launch.bound << "\n";
  printVerdicts(os, launch.verdicts);
  if (!launch.shared.empty())
    os << "      shared memory:\n";
  for (const SharedTile &tile : launch.shared)
    os << llvm::format("      %8lld  %7lld bytes  ", (long long)tile.offset, (long long)tile.bytes)
       << tile.type << "  " << tile.location.name << " (" << lineText(tile.location) << ")\n";
}

std::string Report::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "target " << target << ", " << compiler << "\n";
  for (const KernelReport &kernel : kernels) {
    os << "kernel @" << kernel.name << " (" << lineText(kernel.location) << ")\n"
       << boundText(kernel);
    for (const VariantReport &variant : kernel.variants) {
      os << "  variant " << variant.name;
      if (variant.guards.empty())
        os << ": always\n";
      for (size_t i = 0; i < variant.guards.size(); ++i)
        os << (i ? ", " : ": if ") << variant.guards[i];
      if (!variant.guards.empty())
        os << "\n";
      for (size_t i = 0; i < variant.workspaces.size(); ++i)
        os << "    workspace " << i << ": " << variant.workspaces[i] << "\n";
      for (const LaunchReport &launch : variant.launches)
        printLaunch(os, launch);
    }
  }
  for (const std::string &message : ptxasMessages)
    os << "ptxas: " << message << "\n";
  return text;
}
