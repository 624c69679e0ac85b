// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "List.h"

#include "Input.h"

#ifndef JSON_NOEXCEPTION
#define JSON_NOEXCEPTION
#endif
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace tile_run {

using namespace tessera::rt;
using OrderedJson = nlohmann::ordered_json;

namespace {
const char *accessName(Access access) {
  switch (access) {
  case Access::None:
    return "none";
  case Access::Read:
    return "read";
  case Access::Write:
    return "write";
  case Access::ReadWrite:
    return "readwrite";
  }
  return "";
}

std::string printSizes(const Argument &arg, const KernelContract &kernel) {
  std::string text = "[";
  for (size_t d = 0; d < arg.rank(); ++d) {
    const Extent &extent = arg.shape[d];
    text += d ? ", " : "";
    text += extent.kind == Extent::Kind::Any     ? "?"
            : extent.kind == Extent::Kind::Equal ? std::to_string(extent.value)
                                                 : kernel.symbols[extent.value];
  }
  return text + "]";
}

bool demands(const std::vector<int64_t> &divisors) {
  return std::any_of(divisors.begin(), divisors.end(), [](int64_t value) { return value != 1; });
}

std::vector<std::string> facts(const Argument &arg) {
  std::vector<std::string> result;
  if (arg.strided) {
    std::string strides;
    for (const auto &stride : arg.strides)
      strides += (strides.empty() ? "" : ", ") + (stride ? std::to_string(*stride) : "?");
    result.push_back("strides [" + strides + "]");
  }
  if (arg.align > 1)
    result.push_back("aligned to " + std::to_string(arg.align));
  if (demands(arg.sizeDivisible))
    result.push_back("sizes divisible by " + printShape(arg.sizeDivisible));
  if (demands(arg.strideDivisible))
    result.push_back("strides divisible by " + printShape(arg.strideDivisible));
  if (!arg.alias.empty())
    result.push_back("alias group '" + arg.alias + "'");
  return result;
}

std::string printExprs(const std::vector<Expr> &exprs, const std::vector<std::string> &names) {
  std::string text = "[";
  for (size_t i = 0; i < exprs.size(); ++i)
    text += (i ? ", " : "") + exprs[i].print(names);
  return text + "]";
}

OrderedJson describeWorkspaces(const std::vector<Workspace> &workspaces,
                               const std::vector<std::string> &names) {
  OrderedJson list = OrderedJson::array();
  for (const Workspace &workspace : workspaces) {
    list.push_back({{"element", elementName(workspace.element)},
                    {"sizes", printExprs(workspace.sizes, names)},
                    {"initialized", workspace.initialized}});
    if (!workspace.strides.empty())
      list.back()["strides"] = printExprs(workspace.strides, names);
  }
  return list;
}

OrderedJson describeVariant(Kernel &kernel, size_t index, bool gpu, std::string &noDriver) {
  const KernelContract &contract = kernel.getContract();
  const Variant &variant = contract.variants[index];
  std::vector<std::string> names = contract.argNames();
  OrderedJson out = {{"name", variant.name}};
  if (contract.isFamily())
    out["member"] = contract.members[contract.memberOf(index)].name;
  if (variant.cost)
    out["cost"] = variant.cost->print(names);
  out["guards"] = OrderedJson::array();
  for (const Guard &guard : variant.guards)
    out["guards"].push_back(printGuard(guard, names));
  out["workspaces"] = describeWorkspaces(variant.workspaces, names);
  out["launches"] = OrderedJson::array();
  for (size_t i = 0; i < variant.launches.size(); ++i) {
    const Launch &launch = variant.launches[i];
    OrderedJson entry = {{"symbol", launch.symbol}, {"grid", printExprs(launch.grid, names)}};
    if (gpu) {
      entry["threads"] = launch.block;
      entry["cluster"] = launch.cluster;
      entry["dependent"] = launch.dependent;
      if (launch.places)
        entry["places"] = launch.places->print(names);
      entry["dynamic_shared"] = launch.shared;
      entry["descriptors"] = launch.descriptors.size();
      FunctionInfo info;
      const Launch *recipe = nullptr;
      Error error;
      if (noDriver.empty() && kernel.launchInfo(index, i, recipe, info, error)) {
        entry["registers"] = info.registers;
        entry["local_bytes"] = info.localBytes;
        entry["static_shared"] = info.staticShared;
      } else if (noDriver.empty()) {
        noDriver = error.message;
      }
    }
    out["launches"].push_back(std::move(entry));
  }
  return out;
}

OrderedJson describeKernel(Kernel &kernel, bool gpu, std::string &noDriver) {
  const KernelContract &contract = kernel.getContract();
  std::vector<std::string> names = contract.argNames();
  OrderedJson out = {{"name", contract.name}};
  out["args"] = OrderedJson::array();
  for (const Argument &arg : contract.args) {
    OrderedJson entry = {{"name", arg.name}, {"type", printType(arg)}};
    if (arg.isMemref) {
      entry["sizes"] = printSizes(arg, contract);
      entry["access"] = accessName(arg.access);
      entry["facts"] = facts(arg);
    }
    out["args"].push_back(std::move(entry));
  }
  out["assumes"] = OrderedJson::array();
  for (const Assume &assume : contract.assumes)
    out["assumes"].push_back({{"cond", assume.cond.print(names)}, {"message", assume.message}});
  out["workspaces"] = describeWorkspaces(contract.workspaces, names);
  if (contract.isFamily()) {
    out["members"] = OrderedJson::array();
    for (const Member &member : contract.members)
      out["members"].push_back(member.name);
  }
  out["variants"] = OrderedJson::array();
  for (size_t i = 0; i < contract.variants.size(); ++i)
    out["variants"].push_back(describeVariant(kernel, i, gpu, noDriver));
  return out;
}

std::string text(const OrderedJson &json, const char *key) {
  const OrderedJson &value = json[key];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void printWorkspaces(const OrderedJson &workspaces, const char *indent) {
  size_t index = 0;
  for (const OrderedJson &space : workspaces)
    std::printf("%sworkspace %zu  %s of %s%s%s\n", indent, index++, text(space, "sizes").c_str(),
                text(space, "element").c_str(),
                space.contains("strides") ? (", strides " + text(space, "strides")).c_str() : "",
                space["initialized"].get<bool>() ? ", initialised" : "");
}

void printKernel(const OrderedJson &kernel) {
  std::printf("kernel %s\n", text(kernel, "name").c_str());
  size_t index = 0;
  for (const OrderedJson &arg : kernel["args"]) {
    std::printf("  argument %zu  %s: %s", index++, text(arg, "name").c_str(),
                text(arg, "type").c_str());
    if (arg.contains("access")) {
      std::printf(" %s, %s", text(arg, "sizes").c_str(), text(arg, "access").c_str());
      for (const OrderedJson &fact : arg["facts"])
        std::printf(", %s", fact.get<std::string>().c_str());
    }
    std::printf("\n");
  }
  for (const OrderedJson &assume : kernel["assumes"])
    std::printf("  assumes %s: %s\n", text(assume, "cond").c_str(),
                text(assume, "message").c_str());
  printWorkspaces(kernel["workspaces"], "  ");
  if (kernel.contains("members"))
    for (const OrderedJson &member : kernel["members"])
      std::printf("  member %s\n", member.get<std::string>().c_str());
  for (const OrderedJson &variant : kernel["variants"]) {
    std::printf("  variant %s\n", text(variant, "name").c_str());
    if (variant.contains("cost"))
      std::printf("    costs %s ns\n", text(variant, "cost").c_str());
    for (const OrderedJson &guard : variant["guards"])
      std::printf("    if %s\n", guard.get<std::string>().c_str());
    if (variant["workspaces"] != kernel["workspaces"])
      printWorkspaces(variant["workspaces"], "    ");
    for (const OrderedJson &launch : variant["launches"]) {
      std::printf("    launch %s: grid %s", text(launch, "symbol").c_str(),
                  text(launch, "grid").c_str());
      if (launch.contains("threads"))
        std::printf(", %s threads, %s bytes of dynamic shared memory, %s descriptors",
                    text(launch, "threads").c_str(), text(launch, "dynamic_shared").c_str(),
                    text(launch, "descriptors").c_str());
      if (launch.contains("threads") && launch["cluster"] != 1)
        std::printf(", cluster of %s", text(launch, "cluster").c_str());
      if (launch.contains("threads") && launch["dependent"] == true)
        std::printf(", dependent");
      if (launch.contains("places"))
        std::printf(", clusters numbered by GPC if %s", text(launch, "places").c_str());
      if (launch.contains("registers"))
        std::printf("; %s registers, %s bytes of local memory, %s of static shared memory",
                    text(launch, "registers").c_str(), text(launch, "local_bytes").c_str(),
                    text(launch, "static_shared").c_str());
      std::printf("\n");
    }
  }
}
} // namespace

std::string printType(const Argument &arg) {
  std::string name(elementName(arg.element));
  if (!arg.isMemref)
    return name;
  std::string type = "memref<";
  for (const Extent &extent : arg.shape)
    type += (extent.kind == Extent::Kind::Equal ? std::to_string(extent.value) : "?") + "x";
  return type + name + ">";
}

void printList(Module &module, bool json) {
  const Contract &contract = module.getContract();
  std::string noDriver;
  OrderedJson out = {{"target", contract.target}, {"compiler", contract.compiler}};
  out["kernels"] = OrderedJson::array();
  for (auto &kernel : module.getKernels())
    out["kernels"].push_back(describeKernel(*kernel, !contract.isCpu(), noDriver));
  if (!noDriver.empty())
    out["driver"] = noDriver;
  if (json) {
    std::printf("%s\n", out.dump(2, ' ', false, OrderedJson::error_handler_t::replace).c_str());
    return;
  }
  std::printf("target %s, compiled by %s\n", contract.target.c_str(), contract.compiler.c_str());
  for (const OrderedJson &kernel : out["kernels"])
    printKernel(kernel);
  if (!noDriver.empty())
    std::printf("registers and local memory are unknown: %s\n", noDriver.c_str());
}

} // namespace tile_run
