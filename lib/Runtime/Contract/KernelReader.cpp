// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelReader.h"

#include <algorithm>
#include <cmath>

namespace tessera::rt {

Element readElement(const JsonReader &reader, bool scalar) {
  std::string name = reader.string();
  std::optional<Element> element = parseElement(name);
  bool f8 = element == Element::F8E4M3FN || element == Element::F8E5M2;
  if (!element || (scalar && f8)) {
    reader.fail("'" + name + "' is not a " + (scalar ? "scalar" : "element") + " type");
    return Element::F32;
  }
  return *element;
}

uint32_t KernelReader::readMemrefIndex(const JsonReader &reader) {
  auto index = reader.integer(0, static_cast<int64_t>(maxArgs));
  if (reader.failed())
    return 0;
  if (static_cast<size_t>(index) >= kernel.args.size() || !kernel.args[index].isMemref)
    reader.fail("argument " + std::to_string(index) + " is no memref of this kernel");
  return static_cast<uint32_t>(index);
}

uint32_t KernelReader::readScalarIndex(const JsonReader &reader, bool integerOnly) {
  auto index = reader.integer(0, static_cast<int64_t>(maxArgs));
  if (reader.failed())
    return 0;
  if (static_cast<size_t>(index) >= kernel.args.size() || kernel.args[index].isMemref ||
      (integerOnly && isFloat(kernel.args[index].element)))
    reader.fail("argument " + std::to_string(index) + " is no " + (integerOnly ? "integer " : "") +
                "scalar of this kernel");
  return static_cast<uint32_t>(index);
}

uint32_t KernelReader::readDim(const JsonReader &reader, uint32_t arg) {
  auto dim = reader.integer(0, static_cast<int64_t>(maxRank));
  if (!reader.failed() && dim >= kernel.args[arg].rank())
    reader.fail("argument " + std::to_string(arg) + " has no dimension " + std::to_string(dim));
  return static_cast<uint32_t>(dim);
}

std::vector<int64_t> KernelReader::readDivisors(const JsonReader &reader, std::string_view key,
                                                size_t rank) {
  std::vector<int64_t> result(rank, 1);
  if (!reader.has(key))
    return result;
  JsonReader list = reader.member(key);
  size_t count = list.arraySize(maxRank);
  if (list.failed() || count == 0) // an empty list is a fact that demands nothing
    return result;
  if (count != rank) {
    list.fail("expected " + std::to_string(rank) + " entries");
    return result;
  }
  for (size_t i = 0; i < rank; ++i)
    result[i] = list.at(i).integer(1, maxSize);
  return result;
}

void KernelReader::readMemref(const JsonReader &reader, Argument &arg) {
  arg.isMemref = true;
  arg.element = readElement(reader.member("element"), /*scalar=*/false);
  JsonReader shape = reader.member("shape");
  size_t rank = shape.arraySize(maxRank);
  for (size_t i = 0; i < rank && !reader.failed(); ++i) {
    JsonReader entry = shape.at(i);
    Extent extent;
    if (entry.isString()) {
      std::string symbol = entry.string();
      auto &symbols = kernel.symbols;
      auto found = std::find(symbols.begin(), symbols.end(), symbol);
      extent = {Extent::Kind::Symbol, found - symbols.begin()};
      if (found == symbols.end())
        symbols.push_back(symbol);
    } else if (!entry.isNull()) {
      extent = {Extent::Kind::Equal, entry.integer(0, maxSize)};
    }
    arg.shape.push_back(extent);
  }
  std::string layout = reader.stringOr("layout", "identity");
  if (layout != "identity" && layout != "strided")
    reader.fail("layout '" + layout + "' is neither 'identity' nor 'strided'");
  arg.strided = layout == "strided";
  if (arg.strided) {
    arg.strides.resize(rank);
    if (reader.has("strides")) {
      JsonReader strides = reader.member("strides");
      if (strides.arraySize(maxRank) != rank)
        strides.fail("expected " + std::to_string(rank) + " entries");
      for (size_t i = 0; i < rank && !reader.failed(); ++i)
        if (!strides.at(i).isNull())
          arg.strides[i] = strides.at(i).integer(INT64_MIN, INT64_MAX);
    }
    if (reader.has("offset")) {
      JsonReader offset = reader.member("offset");
      arg.offset = offset.isNull() ? std::nullopt
                                   : std::optional<int64_t>(offset.integer(INT64_MIN, INT64_MAX));
    }
  }
  std::string access = reader.stringOr("access", "readwrite");
  if (access == "none")
    arg.access = Access::None;
  else if (access == "read")
    arg.access = Access::Read;
  else if (access == "write")
    arg.access = Access::Write;
  else if (access == "readwrite")
    arg.access = Access::ReadWrite;
  else
    reader.fail("access '" + access + "' is not none, read, write or readwrite");
  arg.align = reader.integerOr("align", 1, 1, maxAlign);
  arg.sizeDivisible = readDivisors(reader, "size_divisible", rank);
  arg.strideDivisible = readDivisors(reader, "stride_divisible", rank);
  arg.alias = reader.stringOr("alias", "");
}

void KernelReader::readArgument(const JsonReader &reader) {
  Argument arg;
  arg.name = reader.stringOr("name", "arg" + std::to_string(kernel.args.size()));
  std::string kind = reader.member("kind").string();
  if (kind == "memref")
    readMemref(reader, arg);
  else if (kind == "scalar")
    arg.element = readElement(reader.member("type"), /*scalar=*/true);
  else
    reader.fail("kind '" + kind + "' is neither 'memref' nor 'scalar'");
  kernel.args.push_back(std::move(arg));
}

void KernelReader::readWorkspace(const JsonReader &reader, std::vector<Workspace> &workspaces) {
  Workspace workspace;
  workspace.element = readElement(reader.member("element"), /*scalar=*/false);
  readExprs(reader.member("sizes"), maxRank, workspace.sizes);
  if (reader.has("strides")) {
    readExprs(reader.member("strides"), maxRank, workspace.strides);
    if (workspace.strides.size() != workspace.sizes.size())
      reader.fail("'strides' needs as many entries as 'sizes'");
  }
  if (reader.has("init") && !reader.member("init").isNull()) {
    JsonReader init = reader.member("init");
    workspace.initialized = true;
    const Json &value = init.get();
    double special = init.isString() && init.string() == "inf"    ? INFINITY
                     : init.isString() && init.string() == "-inf" ? -INFINITY
                                                                  : NAN;
    bool exact = value.is_number_integer() && !isFloat(workspace.element);
    if (exact)
      storeInteger(workspace.element, init.integer(INT64_MIN, INT64_MAX), &workspace.pattern);
    else if (value.is_number())
      storeNumber(workspace.element, value.get<double>(), &workspace.pattern);
    else if (isFloat(workspace.element) && init.isString() &&
             (std::isinf(special) || init.string() == "nan"))
      storeNumber(workspace.element, special, &workspace.pattern);
    else
      init.fail("expected a number, null, or for floats \"inf\", \"-inf\" or \"nan\"");
  }
  workspace.restored = reader.boolOr("restored", false);
  if (workspace.restored && !workspace.initialized)
    reader.fail("'restored' workspace needs an 'init' that it is filled with");
  workspaces.push_back(std::move(workspace));
}

void KernelReader::readGuard(const JsonReader &reader, Guard &guard) {
  using Fact = Guard::Fact;
  static constexpr std::pair<std::string_view, Fact> facts[] = {
      {"align", Fact::Align},
      {"stride_divisible", Fact::StrideDivisible},
      {"size_divisible", Fact::SizeDivisible},
      {"size_max", Fact::SizeMax},
      {"size_min", Fact::SizeMin},
      {"scalar_divisible", Fact::ScalarDivisible},
      {"cond", Fact::Cond}};
  std::string name = reader.member("fact").string();
  const auto *found = std::find_if(std::begin(facts), std::end(facts),
                                   [&](const auto &fact) { return fact.first == name; });
  if (found == std::end(facts)) {
    reader.fail("unknown fact '" + name + "'");
    return;
  }
  guard.fact = found->second;
  if (guard.fact == Fact::Cond) {
    guard.cond = readExpr(reader.member("cond"));
    guard.message = reader.stringOr("message", "");
    return;
  }
  if (guard.fact == Fact::ScalarDivisible) {
    guard.arg = readScalarIndex(reader.member("arg"), /*integerOnly=*/true);
  } else {
    guard.arg = readMemrefIndex(reader.member("arg"));
    if (guard.fact != Fact::Align && !reader.failed())
      guard.dim = readDim(reader.member("dim"), guard.arg);
  }
  bool isBound = guard.fact == Fact::SizeMax || guard.fact == Fact::SizeMin;
  guard.value = reader.member("value").integer(isBound ? 0 : 1, maxSize);
}

/// Whether a text may name a member: then it is no name of a variant, and fits on a line.
static bool isMemberName(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c != '/' && c != 0x7f && static_cast<unsigned char>(c) >= 0x20;
  });
}

void KernelReader::readMember(const JsonReader &reader, Variant &variant) {
  std::vector<Member> &members = kernel.members;
  const bool isFirst = members.empty(), hasMember = reader.has("member");
  if (!isFirst && hasMember != kernel.isFamily()) {
    reader.fail("all variants of a kernel have a 'member', or none has one");
    return;
  }
  if (!hasMember) {
    if (reader.has("cost"))
      reader.fail("'cost' is for variants with a 'member'");
    if (isFirst)
      members.emplace_back();
    ++members.back().count;
    return;
  }
  JsonReader text = reader.member("member");
  const std::string name = text.string();
  if (version < versionOfMembers)
    text.fail("is in contracts of version " + std::to_string(versionOfMembers) +
              ", this one is of version " + std::to_string(version));
  if (!isMemberName(name))
    text.fail("expected one or more printable characters, none of them '/'");
  if (reader.failed())
    return;
  if (isFirst || members.back().name != name) {
    for (const Member &member : members)
      if (member.name == name)
        text.fail("the variants of '" + name + "' are not adjacent");
    if (members.size() >= maxMembers)
      text.fail("a kernel has at most " + std::to_string(maxMembers) + " members");
    members.push_back({name, kernel.variants.size(), 0});
  }
  ++members.back().count;
  const std::string prefix = name + "/";
  if (variant.name.size() <= prefix.size() || variant.name.compare(0, prefix.size(), prefix) != 0)
    reader.fail("its 'name' must be '" + prefix + "' and the name of the variant");
  if (reader.has("cost"))
    variant.cost = readExpr(reader.member("cost"));
}

void KernelReader::readVariant(const JsonReader &reader) {
  Variant variant;
  variant.name = reader.stringOr("name", "variant" + std::to_string(kernel.variants.size()));
  readMember(reader, variant);
  if (reader.has("guards")) {
    JsonReader guards = reader.member("guards");
    size_t count = guards.arraySize(maxList);
    variant.guards.resize(count);
    for (size_t i = 0; i < count && !reader.failed(); ++i)
      readGuard(guards.at(i), variant.guards[i]);
  }
  if (reader.has("workspaces")) {
    JsonReader list = reader.member("workspaces");
    size_t length = list.arraySize(maxWorkspaces);
    for (size_t i = 0; i < length && !reader.failed(); ++i)
      readWorkspace(list.at(i), variant.workspaces);
  } else {
    variant.workspaces = kernel.workspaces;
  }
  kernel.usesWorkspaces |= !variant.workspaces.empty();
  JsonReader launches = reader.member("launches");
  size_t count = launches.arraySize(maxList);
  variant.launches.resize(count);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    readLaunch(launches.at(i), variant, variant.launches[i]);
  kernel.variants.push_back(std::move(variant));
}

bool KernelReader::read(const JsonReader &reader) {
  kernel.name = reader.member("name").string();
  auto forEach = [&](std::string_view key, size_t limit, bool required, auto &&body) {
    if (!required && !reader.has(key))
      return;
    JsonReader list = reader.member(key);
    size_t count = list.arraySize(limit);
    for (size_t i = 0; i < count && !reader.failed(); ++i)
      body(list.at(i), i + 1 == count);
  };
  forEach("args", maxArgs, true, [&](const JsonReader &entry, bool) { readArgument(entry); });
  forEach("assumes", maxList, false, [&](const JsonReader &entry, bool) {
    Assume assume;
    assume.cond = readExpr(entry.member("cond"));
    assume.message = entry.stringOr("message", "");
    kernel.assumes.push_back(std::move(assume));
  });
  forEach("workspaces", maxWorkspaces, false,
          [&](const JsonReader &entry, bool) { readWorkspace(entry, kernel.workspaces); });
  forEach("variants", maxList, true, [&](const JsonReader &entry, bool) { readVariant(entry); });
  if (!reader.failed() && kernel.variants.empty())
    reader.fail("no variants");
  return !reader.failed();
}

} // namespace tessera::rt
