// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The model of the contract without IR: expressions, their folding, and the JSON.
#include "tessera/Contract/Contract.h"

#include "Operations.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera::contract;
namespace json = llvm::json;

//===--- expressions ------------------------------------------------------------------------===//

Expr Expr::constant(int64_t value) {
  Node node;
  node.value = value;
  return Expr(std::move(node));
}
Expr Expr::size(unsigned arg, unsigned dim) { return leaf(Kind::Size, arg, dim); }
Expr Expr::stride(unsigned arg, unsigned dim) { return leaf(Kind::Stride, arg, dim); }
Expr Expr::scalar(unsigned arg) { return leaf(Kind::Scalar, arg, 0); }
Expr Expr::numCores() { return leaf(Kind::NumCores, 0, 0); }
Expr Expr::maxClusters() { return leaf(Kind::MaxClusters, 0, 0); }
Expr Expr::leaf(Kind kind, unsigned arg, unsigned dim) {
  Node node;
  node.kind = kind;
  node.arg = arg;
  node.dim = dim;
  return Expr(std::move(node));
}

bool Expr::operator==(const Expr &other) const {
  // Two nodes may be equal without being the same object. Each pair is compared once, because
  // otherwise shared nodes would be compared again and again.
  llvm::DenseSet<std::pair<const void *, const void *>> seen;
  std::vector<std::pair<const Expr *, const Expr *>> work{{this, &other}};
  while (!work.empty()) {
    auto [x, y] = work.back();
    work.pop_back();
    const Node &a = *x->node, &b = *y->node;
    if (&a == &b || !seen.insert({&a, &b}).second)
      continue;
    if (a.kind != b.kind || a.value != b.value || a.arg != b.arg || a.dim != b.dim ||
        a.depth != b.depth || a.op != b.op || a.operands.size() != b.operands.size())
      return false;
    for (size_t i = 0; i < a.operands.size(); ++i)
      work.push_back({&a.operands[i], &b.operands[i]});
  }
  return true;
}

/// The nodes, each after its operands, and how often each is an operand.
static std::vector<Expr> countUses(const Expr &root, llvm::DenseMap<const void *, size_t> &uses) {
  std::vector<Expr> order;
  std::vector<std::pair<Expr, bool>> work{{root, false}};
  while (!work.empty()) {
    auto [expr, isDone] = work.back();
    work.pop_back();
    if (isDone) {
      order.push_back(expr);
      continue;
    }
    if (++uses[expr.identity()] > 1)
      continue;
    work.push_back({expr, true});
    for (const Expr &operand : llvm::reverse(expr.operands()))
      work.push_back({operand, false});
  }
  return order;
}

std::vector<Expr> tessera::contract::nodesInOrder(const Expr &expr) {
  llvm::DenseMap<const void *, size_t> uses;
  return countUses(expr, uses);
}

size_t tessera::contract::numNodes(const Expr &expr) {
  llvm::DenseMap<const void *, size_t> uses;
  size_t count = expr.kind() == Expr::Kind::Apply ? 0 : 1;
  for (const Expr &node : countUses(expr, uses))
    if (node.kind() == Expr::Kind::Apply)
      count += 1 + llvm::count_if(node.operands(), [](const Expr &operand) {
                 return operand.kind() != Expr::Kind::Apply;
               });
  return count;
}

/// Up to so many nodes an expression is written as a tree. Such a tree is readable, and the first
/// version of contracts had only trees.
static constexpr size_t kMaxTreeNodes = 256;

std::vector<Expr> tessera::contract::namedParts(const Expr &expr) {
  llvm::DenseMap<const void *, size_t> uses, written;
  std::vector<Expr> order = countUses(expr, uses), parts;
  for (const Expr &node : order) {
    size_t &size = written[node.identity()];
    size = 1;
    for (const Expr &operand : node.operands())
      size = llvm::SaturatingAdd(size, written.lookup(operand.identity()));
  }
  if (written.lookup(expr.identity()) <= kMaxTreeNodes)
    return {};
  for (const Expr &node : order)
    if (node.kind() == Expr::Kind::Apply && uses.lookup(node.identity()) > 1)
      parts.push_back(node);
  return parts;
}

Expr Expr::apply(llvm::StringRef op, std::vector<Expr> operands) {
  if (operands.size() == 2) {
    const Expr &a = operands[0], &b = operands[1];
    if (a.isConstant() && b.isConstant())
      if (std::optional<Operation> known = findOperation(op); known && !isComparison(*known))
        if (std::optional<int64_t> folded = compute(*known, a.value(), b.value()))
          return constant(*folded);
    if (b.isConstant(0) && (op == "add" || op == "sub"))
      return a;
    if (a.isConstant(0) && op == "add")
      return b;
    if (b.isConstant(1) &&
        (op == "mul" || op == "floordivs" || op == "ceildivs" || op == "divsi" || op == "divui"))
      return a;
    if (a.isConstant(1) && op == "mul")
      return b;
  }
  Node node;
  node.kind = Kind::Apply;
  node.op = op.str();
  for (const Expr &operand : operands)
    node.depth = std::max(node.depth, operand.depth() + 1);
  node.operands = std::move(operands);
  return Expr(std::move(node));
}

//===--- JSON -------------------------------------------------------------------------------===//

/// An array that grows copies its values, so this one has its length from the beginning.
template <typename T, typename Fn>
static json::Array arrayOf(const std::vector<T> &list, Fn toValue) {
  json::Array array;
  array.reserve(list.size());
  for (const T &item : list)
    array.push_back(toValue(item));
  return array;
}

static json::Value writeTree(const Expr &e) {
  switch (e.kind()) {
  case Expr::Kind::Constant:
    return e.value();
  case Expr::Kind::Size:
    return json::Object{{"size", json::Array{e.arg(), e.dim()}}};
  case Expr::Kind::Stride:
    return json::Object{{"stride", json::Array{e.arg(), e.dim()}}};
  case Expr::Kind::Scalar:
    return json::Object{{"scalar", e.arg()}};
  case Expr::Kind::NumCores:
    return "num_cores";
  case Expr::Kind::MaxClusters:
    return "max_clusters";
  case Expr::Kind::Apply:
    break;
  }
  return json::Object{{"op", e.op()}, {"args", arrayOf(e.operands(), writeTree)}};
}

json::Value tessera::contract::toJson(const Expr &e) {
  if (namedParts(e).empty())
    return writeTree(e);
  SharedExprs shared = share({e});
  return json::Object{{"let", std::move(shared.numbers)}, {"in", std::move(shared.values.front())}};
}

static json::Array toArray(const std::vector<Expr> &list) {
  return arrayOf(list, [](const Expr &expr) { return toJson(expr); });
}

template <typename T>
static json::Array toArray(const std::vector<T> &numbers) {
  return arrayOf(numbers, [](T number) { return json::Value(number); });
}

static json::Value toJson(const std::optional<int64_t> &number) {
  return number ? json::Value(*number) : json::Value(nullptr);
}

static json::Value toJson(const Argument &arg) {
  json::Object o{{"name", arg.name}};
  if (!arg.isMemref) {
    o["kind"] = "scalar";
    o["type"] = arg.type;
    return o;
  }
  o["kind"] = "memref";
  o["element"] = arg.type;
  json::Array shape;
  for (const Argument::Extent &extent : arg.shape)
    shape.push_back(extent.symbol.empty() ? toJson(extent.size) : json::Value(extent.symbol));
  o["shape"] = std::move(shape);
  o["layout"] = arg.strided ? "strided" : "identity";
  if (arg.strided) {
    json::Array strides;
    for (const std::optional<int64_t> &stride : arg.strides)
      strides.push_back(toJson(stride));
    o["strides"] = std::move(strides);
    o["offset"] = toJson(arg.offset);
  }
  o["access"] = arg.access;
  if (!arg.alias.empty())
    o["alias"] = arg.alias;
  if (arg.align)
    o["align"] = arg.align;
  if (!arg.sizeDivisible.empty())
    o["size_divisible"] = toArray(arg.sizeDivisible);
  if (!arg.strideDivisible.empty())
    o["stride_divisible"] = toArray(arg.strideDivisible);
  return o;
}

static json::Value toJson(const Param &param) {
  json::Object o;
  switch (param.kind) {
  case Param::Kind::Pointer:
    return json::Object{{"kind", "pointer"}, {"arg", param.arg}};
  case Param::Kind::Size:
    return json::Object{{"kind", "size"}, {"arg", param.arg}, {"dim", param.dim}};
  case Param::Kind::Stride:
    return json::Object{{"kind", "stride"}, {"arg", param.arg}, {"dim", param.dim}};
  case Param::Kind::Scalar:
    return json::Object{{"kind", "scalar"}, {"arg", param.arg}};
  case Param::Kind::Workspace:
    return json::Object{{"kind", "workspace"}, {"index", param.arg}};
  case Param::Kind::Descriptor:
    return json::Object{{"kind", "descriptor"}, {"index", param.arg}};
  case Param::Kind::Expr:
    return json::Object{{"kind", "expr"}, {"value", toJson(param.value)}};
  case Param::Kind::Places:
    return json::Object{{"kind", "places"}};
  }
  llvm_unreachable("all kinds of parameters are handled");
}

static json::Value toJson(const Descriptor &descriptor) {
  json::Object o{{"element", descriptor.element},    {"box", toArray(descriptor.box)},
                 {"swizzle", descriptor.swizzle},    {"interleave", descriptor.interleave},
                 {"dims", toArray(descriptor.dims)}, {"oob", descriptor.oob}};
  o[descriptor.isWorkspace ? "workspace" : "arg"] = descriptor.arg;
  if (!descriptor.sizes.empty())
    o["sizes"] = toArray(descriptor.sizes);
  if (!descriptor.strides.empty())
    o["strides"] = toArray(descriptor.strides);
  return o;
}

static json::Value toJson(const Launch &launch) {
  json::Object o{{"symbol", launch.symbol}, {"grid", toArray(launch.grid)}};
  o["params"] = arrayOf(launch.params, [](const Param &param) { return toJson(param); });
  if (launch.gpu) {
    o["block"] = launch.gpu->block;
    o["shared"] = launch.gpu->shared;
    o["cluster"] = launch.gpu->cluster;
    if (launch.gpu->dependent)
      o["dependent"] = true;
    if (launch.gpu->places)
      o["places"] = toJson(*launch.gpu->places);
    o["descriptors"] = arrayOf(launch.descriptors,
                               [](const Descriptor &descriptor) { return toJson(descriptor); });
  }
  return o;
}

static json::Value toJson(const Workspace &workspace) {
  json::Object o{{"element", workspace.element},
                 {"sizes", toArray(workspace.sizes)},
                 {"init", workspace.init}};
  if (!workspace.strides.empty())
    o["strides"] = toArray(workspace.strides);
  if (workspace.restored)
    o["restored"] = true;
  return o;
}

static json::Array toArray(const std::vector<Workspace> &workspaces) {
  return arrayOf(workspaces, [](const Workspace &workspace) { return toJson(workspace); });
}

static json::Object toJson(const Assume &assume) {
  return json::Object{{"cond", toJson(assume.cond)}, {"message", assume.message}};
}

static json::Value toJson(const Guard &guard) {
  if (guard.cond) {
    json::Object o = toJson(*guard.cond);
    o["fact"] = guard.fact;
    return o;
  }
  json::Object o{{"fact", guard.fact}, {"arg", guard.arg}, {"value", guard.value}};
  if (guard.dim)
    o["dim"] = *guard.dim;
  return o;
}

static json::Value toJson(const Variant &variant) {
  json::Object o{
      {"name", variant.name},
      {"guards", arrayOf(variant.guards, [](const Guard &guard) { return toJson(guard); })},
      {"launches", arrayOf(variant.launches, [](const Launch &launch) { return toJson(launch); })}};
  if (variant.workspaces)
    o["workspaces"] = toArray(*variant.workspaces);
  if (!variant.member.empty())
    o["member"] = variant.member;
  // Launchers choose by the cost, and only members of a family have one.
  if (variant.cost)
    o[variant.member.empty() ? "predicted" : "cost"] = toJson(*variant.cost);
  return o;
}

/// Facts for which the format has no key are written as conditions.
static std::vector<Assume> factsAsAssumes(const Kernel &kernel) {
  std::vector<Assume> assumes;
  for (unsigned i = 0; i < kernel.args.size(); ++i) {
    const Argument &arg = kernel.args[i];
    if (arg.divisible > 1) {
      Expr rest = Expr::apply("mod", {Expr::scalar(i), Expr::constant(arg.divisible)});
      assumes.push_back(
          {Expr::apply("cmp_eq", {rest, Expr::constant(0)}),
           "argument " + arg.name + " must be a multiple of " + std::to_string(arg.divisible)});
    }
    for (unsigned d = 0; d < arg.sizeMax.size(); ++d)
      if (arg.sizeMax[d] != INT64_MAX)
        assumes.push_back(
            {Expr::apply("cmp_sle", {Expr::size(i, d), Expr::constant(arg.sizeMax[d])}),
             "dimension " + std::to_string(d) + " of argument " + arg.name + " must be at most " +
                 std::to_string(arg.sizeMax[d])});
  }
  return assumes;
}

static json::Value toJson(const Kernel &kernel) {
  std::vector<Assume> assumes = kernel.assumes;
  llvm::append_range(assumes, factsAsAssumes(kernel));
  return json::Object{
      {"name", kernel.name},
      {"args", arrayOf(kernel.args, [](const Argument &arg) { return toJson(arg); })},
      {"assumes", arrayOf(assumes, [](const Assume &assume) { return toJson(assume); })},
      {"workspaces", toArray(kernel.workspaces)},
      {"variants",
       arrayOf(kernel.variants, [](const Variant &variant) { return toJson(variant); })}};
}

std::string tessera::contract::toJson(const Contract &contract) {
  json::Value root = json::Object{{"version", 1},
                                  {"compiler", contract.compiler},
                                  {"target", contract.target},
                                  {"kernels", arrayOf(contract.kernels, [](const Kernel &kernel) {
                                     return ::toJson(kernel);
                                   })}};
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << root;
    return text;
  };
  std::string text = print();
  // These are keys and not parts of texts, because quotes in texts are escaped.
  const bool choosesMembers = llvm::StringRef(text).contains("\"member\":");
  if (!choosesMembers && !llvm::StringRef(text).contains("\"let\":["))
    return text;
  (*root.getAsObject())["version"] = choosesMembers ? 3 : 2;
  return print();
}

/// An expression of kMaxDepth levels has twice as many levels of brackets.
static constexpr unsigned kMaxBrackets = 1000;

llvm::Expected<json::Value> tessera::contract::parseJson(llvm::StringRef text) {
  unsigned depth = 0;
  bool inText = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inText && c == '\\')
      ++i;
    else if (c == '"')
      inText = !inText;
    else if (!inText && (c == '[' || c == '{') && ++depth > kMaxBrackets)
      return llvm::createStringError("brackets are nested deeper than %u levels", kMaxBrackets);
    else if (!inText && (c == ']' || c == '}') && depth)
      --depth;
  }
  return json::parse(text);
}

constexpr llvm::StringLiteral kMagic = "TESSERA-CTR-0001";

std::string tessera::contract::encode(llvm::StringRef json) {
  std::string bytes = kMagic.str();
  char length[8];
  llvm::support::endian::write64le(length, json.size());
  bytes.append(length, sizeof(length));
  bytes += json;
  bytes += '\0';
  return bytes;
}

std::optional<llvm::StringRef> tessera::contract::decode(llvm::StringRef bytes) {
  if (!bytes.consume_front(kMagic) || bytes.size() < 8)
    return std::nullopt;
  const uint64_t length = llvm::support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(8);
  if (length >= bytes.size() || bytes[length] != '\0')
    return std::nullopt;
  return bytes.take_front(length);
}

std::string tessera::contract::compilerVersion() {
  return "tessera " TESSERA_VERSION ", LLVM " LLVM_VERSION_STRING;
}
