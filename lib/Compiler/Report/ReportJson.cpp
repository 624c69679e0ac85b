// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the report as JSON. docs/Report.md says what each key means; a test compares the two.
#include "tessera/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace json = llvm::json;

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

/// The file, line and column, which all that stands in the source has.
static json::Object placeOf(const SourceLocation &location) {
  return json::Object{{"file", utf8(location.file)},
                      {"line", int64_t(location.line)},
                      {"column", int64_t(location.column)}};
}

/// The same, with the name and the calls of an op.
static json::Object toJson(const SourceLocation &location) {
  json::Object result = placeOf(location);
  result["name"] = utf8(location.name);
  if (!location.calledFrom.empty())
    result["called_from"] =
        listOf(location.calledFrom, [](const SourceLocation &call) { return toJson(call); });
  return result;
}

static json::Value toJson(const Verdict &v) {
  json::Object result = toJson(v.location);
  result["op"] = v.op;
  result["type"] = v.type;
  result["mechanism"] = v.mechanism;
  result["why"] = utf8(v.why);
  result["places"] = int64_t(v.places);
  result["can_improve"] = v.canImprove;
  return result;
}

static json::Value toJson(const SharedTile &tile) {
  json::Object result = toJson(tile.location);
  result["offset"] = tile.offset;
  result["bytes"] = tile.bytes;
  result["type"] = tile.type;
  return result;
}

static json::Value toJson(const PlanReport &plan) {
  json::Object result{{"text", plan.plan}};
  if (plan.leastGroup)
    result["group"] = json::Object{{"at_most", plan.group}, {"at_least", plan.leastGroup}};
  if (!plan.order.empty())
    result["order"] = plan.order;
  if (plan.wavesForNumbering)
    result["waves_for_numbering"] = plan.wavesForNumbering;
  if (plan.bound.empty())
    return result;
  result["bound"] = plan.bound;
  result["cycles_of_iteration"] = plan.iteration;
  result["cycles_of_wave"] = plan.wave;
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
  json::Object result = toJson(loop.location);
  result["cycles_of_iteration"] = loop.ii;
  result["bound"] = loop.bound;
  result["bounds"] = std::move(bounds);
  return result;
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
                            {"bound", utf8(launch.bound)}}}};
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
    result["rejected_plan"] = utf8(launch.rejectedPlan);
  if (launch.registers) {
    result["registers"] = *launch.registers;
    result["stack_bytes"] = launch.stackBytes;
    result["spill_store_bytes"] = launch.spillStoreBytes;
    result["spill_load_bytes"] = launch.spillLoadBytes;
    result["spills_in_main_loops"] =
        (launch.spillStoreBytes || launch.spillLoadBytes) && launch.spillsInMainLoops;
  }
  return result;
}

static json::Value toJson(const VariantReport &variant) {
  json::Object result{
      {"name", utf8(variant.name)},
      {"guards", listOf(variant.guards, [](const std::string &g) { return json::Value(utf8(g)); })},
      {"workspaces",
       listOf(variant.workspaces, [](const std::string &w) { return json::Value(utf8(w)); })},
      {"launches", listOf(variant.launches, [](const LaunchReport &l) { return toJson(l); })}};
  if (!variant.standsFor.empty())
    result["stands_for"] = utf8(variant.standsFor);
  return result;
}

static json::Value toJson(const ParamReport &param) {
  return json::Object{
      {"name", utf8(param.name)},
      {"value", param.value},
      {"given", param.isGiven},
      {"choices", listOf(param.choices, [](int64_t choice) { return json::Value(choice); })}};
}

static json::Value toJson(const KernelReport &kernel) {
  json::Object result = placeOf(kernel.location);
  result["name"] = utf8(kernel.name);
  if (kernel.bound) {
    result["params"] = listOf(kernel.bound->params, [](const ParamReport &p) { return toJson(p); });
    result["divided"] = kernel.bound->isDivided;
    result["members"] = kernel.bound->members;
    if (kernel.bound->hasMore)
      result["more_members"] = true;
    if (kernel.bound->compared)
      result["compared"] = kernel.bound->compared;
    if (!kernel.bound->leftOut.empty())
      result["left_out"] = listOf(kernel.bound->leftOut, [](const auto &member) {
        return json::Value(
            json::Object{{"member", utf8(member.first)}, {"why", utf8(member.second)}});
      });
    if (!kernel.bound->family.empty()) {
      result["family"] = utf8(kernel.bound->family);
      result["held"] = kernel.bound->held;
      result["loss"] = kernel.bound->loss;
    }
  }
  result["variants"] = listOf(kernel.variants, [](const VariantReport &v) { return toJson(v); });
  return result;
}

std::string Report::toJson() const {
  json::Object result{
      {"version", kReportVersion},
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
