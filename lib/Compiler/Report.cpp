// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the report as text and as JSON.
#include "tessera/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace json = llvm::json;

//===--- text -------------------------------------------------------------------------------===//

static std::string lineText(unsigned line) {
  return line ? "line " + std::to_string(line) : "no line";
}

static void printVerdicts(llvm::raw_ostream &os, const std::vector<Verdict> &verdicts) {
  size_t name = 4, type = 4, line = 4;
  for (const Verdict &v : verdicts) {
    name = std::max(name, v.name.size());
    type = std::max(type, v.type.size());
    line = std::max(line, lineText(v.line).size());
  }
  for (const Verdict &v : verdicts) {
    os << "      " << llvm::left_justify(lineText(v.line), line) << "  "
       << llvm::left_justify(v.op, 6) << llvm::left_justify(v.name, name) << "  "
       << llvm::left_justify(v.type, type) << "  " << v.mechanism;
    if (v.places > 1)
      os << ", in " << v.places << " places";
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
  if (plan.roundsForPlaces)
    os << "      clusters: numbered by the GPC that they run on, from " << plan.roundsForPlaces
       << " waves of blocks on; such a launch is not dependent\n";
  if (plan.bound.empty())
    return;
  os << "      predicted: " << plan.iteration << " cycles an iteration (bound by " << plan.bound
     << "), " << plan.round << " a wave of " << plan.roundBlocks << " blocks, " << plan.launch
     << " a launch";
  if (plan.cycles)
    os << "; " << *plan.cycles << " in all, wave efficiency "
       << llvm::format("%.1f %%", 100 * plan.waveEfficiency);
  os << "\n";
}

static void printLoop(llvm::raw_ostream &os, const LoopReport &loop) {
  os << "      schedule: loop at " << lineText(loop.line) << ": " << loop.ii
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
      os << ", SPILLS (" << launch.spillStoreBytes << " bytes stored, " << launch.spillLoadBytes
         << " loaded)";
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
       << tile.type << "  " << tile.name << " (" << lineText(tile.line) << ")\n";
}

std::string Report::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "target " << target << ", " << compiler << "\n";
  for (const KernelReport &kernel : kernels) {
    os << "kernel @" << kernel.name << " (" << lineText(kernel.line) << ")\n";
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

//===--- JSON -------------------------------------------------------------------------------===//

template <typename T, typename Fn>
static json::Array listOf(const std::vector<T> &values, Fn convert) {
  json::Array result;
  for (const T &value : values)
    result.push_back(convert(value));
  return result;
}

/// Makes UTF-8 of a text from the source, which may hold any bytes.
static std::string utf8(const std::string &text) {
  return json::isUTF8(text) ? text : json::fixUTF8(text);
}

static json::Value toJson(const Verdict &v) {
  return json::Object{{"op", v.op},
                      {"name", utf8(v.name)},
                      {"line", int64_t(v.line)},
                      {"type", v.type},
                      {"mechanism", v.mechanism},
                      {"why", utf8(v.why)},
                      {"places", int64_t(v.places)},
                      {"can_improve", v.canImprove}};
}

static json::Value toJson(const SharedTile &tile) {
  return json::Object{{"offset", tile.offset},
                      {"bytes", tile.bytes},
                      {"type", tile.type},
                      {"name", utf8(tile.name)},
                      {"line", int64_t(tile.line)}};
}

static json::Value toJson(const PlanReport &plan) {
  json::Object result{{"text", plan.plan}};
  if (plan.leastGroup)
    result["group"] = json::Object{{"at_most", plan.group}, {"at_least", plan.leastGroup}};
  if (plan.roundsForPlaces)
    result["rounds_for_places"] = plan.roundsForPlaces;
  if (plan.bound.empty())
    return result;
  result["bound"] = plan.bound;
  result["cycles_of_iteration"] = plan.iteration;
  result["cycles_of_round"] = plan.round;
  result["cycles_of_launch"] = plan.launch;
  result["blocks_per_sm"] = plan.blocksPerSM;
  if (plan.cycles) {
    result["cycles"] = *plan.cycles;
    result["wave_efficiency"] = plan.waveEfficiency;
  }
  return result;
}

static json::Value toJson(const LoopReport &loop) {
  json::Object bounds;
  for (const auto &[name, cycles] : loop.bounds)
    bounds[name] = cycles;
  return json::Object{{"line", int64_t(loop.line)},
                      {"cycles_of_iteration", loop.ii},
                      {"bound", loop.bound},
                      {"bounds", std::move(bounds)}};
}

static json::Value toJson(const LaunchReport &launch) {
  json::Object result{
      {"symbol", utf8(launch.symbol)},
      {"threads", launch.threads},
      {"shared_bytes", launch.sharedBytes},
      {"shared", listOf(launch.shared, [](const SharedTile &t) { return toJson(t); })},
      {"ops", listOf(launch.verdicts, [](const Verdict &v) { return toJson(v); })},
      {"work", json::Object{{"tensor_flops", launch.tensorFlops},
                            {"fma_flops", launch.fmaFlops},
                            {"global_bytes", launch.globalBytes},
                            {"bound", launch.bound}}}};
  if (launch.plan)
    result["plan"] = toJson(*launch.plan);
  if (!launch.loops.empty())
    result["loops"] = listOf(launch.loops, [](const LoopReport &l) { return toJson(l); });
  if (!launch.roles.empty())
    result["roles"] = listOf(launch.roles, [&](const RoleReport &role) {
      return json::Object{{"name", role.name},
                          {"warps", role.warps},
                          {"registers", role.registers ? role.registers : launch.entryRegisters}};
    });
  if (launch.blocksPerSM)
    result["occupancy"] =
        json::Object{{"blocks_per_sm", launch.blocksPerSM}, {"limited_by", launch.limitedBy}};
  if (!launch.rejectedPlan.empty())
    result["rejected_plan"] = launch.rejectedPlan;
  if (launch.registers) {
    result["registers"] = *launch.registers;
    result["stack_bytes"] = launch.stackBytes;
    result["spill_store_bytes"] = launch.spillStoreBytes;
    result["spill_load_bytes"] = launch.spillLoadBytes;
  }
  return result;
}

static json::Value toJson(const VariantReport &variant) {
  return json::Object{
      {"name", utf8(variant.name)},
      {"guards", listOf(variant.guards, [](const std::string &g) { return json::Value(utf8(g)); })},
      {"workspaces",
       listOf(variant.workspaces, [](const std::string &w) { return json::Value(utf8(w)); })},
      {"launches", listOf(variant.launches, [](const LaunchReport &l) { return toJson(l); })}};
}

static json::Value toJson(const KernelReport &kernel) {
  return json::Object{
      {"name", utf8(kernel.name)},
      {"line", int64_t(kernel.line)},
      {"variants", listOf(kernel.variants, [](const VariantReport &v) { return toJson(v); })}};
}

std::string Report::toJson() const {
  json::Object result{
      {"target", target},
      {"compiler", compiler},
      {"kernels", listOf(kernels, [](const KernelReport &k) { return ::toJson(k); })},
      {"ptxas_messages",
       listOf(ptxasMessages, [](const std::string &m) { return json::Value(utf8(m)); })}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", json::Value(std::move(result))) << "\n";
  return text;
}
