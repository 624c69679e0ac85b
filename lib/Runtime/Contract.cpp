// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Contract.h"

#include "JsonReader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera::rt {

namespace {
constexpr std::string_view magic = "TESSERA-CTR-0001";
constexpr size_t headerSize = 24;

// Limits that are generous for any kernel, and so small that no text can make the reader run out of
// time or memory. They stand in docs/Contract.md and in the compiler's Contract.h, too.
constexpr uint64_t maxJsonBytes = uint64_t{16} << 20;
constexpr size_t maxKernels = 4096, maxArgs = 1024, maxRank = 16, maxList = 4096;
constexpr size_t maxNodes = 65536, maxWorkspaces = 256, maxDescriptors = 64;
constexpr unsigned maxDepth = 256;
constexpr int64_t maxAlign = int64_t{1} << 30;
constexpr int64_t maxSize = std::numeric_limits<int64_t>::max();

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

class KernelReader {
public:
  explicit KernelReader(KernelContract &kernel) : kernel(kernel) {}
  bool read(const JsonReader &reader);

private:
  void readArgument(const JsonReader &reader);
  void readMemref(const JsonReader &reader, Argument &arg);
  void readVariant(const JsonReader &reader);
  void readGuard(const JsonReader &reader, Guard &guard);
  void readLaunch(const JsonReader &reader, const Variant &variant, Launch &launch);
  void readParam(const JsonReader &reader, const Variant &variant, const Launch &launch,
                 Param &param);
  void readDescriptor(const JsonReader &reader, const Variant &variant, Descriptor &descriptor);
  void readWorkspace(const JsonReader &reader, std::vector<Workspace> &workspaces);
  Expr readExpr(const JsonReader &reader);
  struct Graph;
  uint32_t readNode(const JsonReader &reader, Graph &graph, unsigned level);
  void readExprs(const JsonReader &reader, size_t limit, std::vector<Expr> &exprs);
  std::vector<int64_t> readDivisors(const JsonReader &reader, std::string_view key, size_t rank);

  uint32_t readMemrefIndex(const JsonReader &reader);
  uint32_t readScalarIndex(const JsonReader &reader, bool integerOnly);
  uint32_t readDim(const JsonReader &reader, uint32_t arg);

  KernelContract &kernel;
};

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

/// The state while one expression is read.
struct KernelReader::Graph {
  Expr &expr;
  std::vector<uint32_t> named = {};  ///< the nodes that "ref" may name
  std::vector<unsigned> depths = {}; ///< of each node: the length of the longest path to a leaf
};

uint32_t KernelReader::readNode(const JsonReader &reader, Graph &graph, unsigned level) {
  Expr &expr = graph.expr;
  Expr::Node node;
  auto finish = [&] {
    unsigned depth = 0;
    for (unsigned i = 0; i < Expr::numOperands(node.op) && !reader.failed(); ++i)
      depth = std::max(depth, graph.depths[node.operands[i]]);
    if (depth >= maxDepth)
      reader.fail("expression is nested deeper than " + std::to_string(maxDepth) + " levels");
    graph.depths.push_back(depth + 1);
    expr.nodes.push_back(node);
    return static_cast<uint32_t>(expr.nodes.size() - 1);
  };
  if (level > maxDepth || expr.nodes.size() >= maxNodes) {
    reader.fail("expression is larger than " + std::to_string(maxNodes) +
                " nodes, or nested deeper than " + std::to_string(maxDepth) + " levels");
    return finish();
  }
  if (reader.isInteger()) {
    node.constant = reader.integer(INT64_MIN, INT64_MAX);
    return finish();
  }
  if (reader.isString()) {
    std::string name = reader.string();
    if (name == "num_cores") {
      node.op = Expr::Op::NumCores;
      kernel.usesCores = true;
    } else if (name == "max_clusters") {
      node.op = Expr::Op::MaxClusters;
      kernel.usesClusters = true;
    } else {
      reader.fail("'" + name +
                  "' is no expression; a string is \"num_cores\" or "
                  "\"max_clusters\"");
    }
    return finish();
  }
  for (std::string_view key : {"size", "stride"}) {
    if (!reader.has(key))
      continue;
    JsonReader pair = reader.member(key);
    if (pair.arraySize(2) != 2) {
      pair.fail("expected [arg, dim]");
      return finish();
    }
    node.op = key == "size" ? Expr::Op::Size : Expr::Op::Stride;
    node.arg = readMemrefIndex(pair.at(0));
    if (!reader.failed())
      node.dim = readDim(pair.at(1), node.arg);
    return finish();
  }
  if (reader.has("scalar")) {
    node.op = Expr::Op::Scalar;
    node.arg = readScalarIndex(reader.member("scalar"), /*integerOnly=*/true);
    return finish();
  }
  if (reader.has("ref")) {
    const auto count = static_cast<int64_t>(graph.named.size());
    JsonReader ref = reader.member("ref");
    if (count == 0)
      ref.fail("refers to a list that the expression does not have ('let')");
    const int64_t index = ref.integer(0, count - 1);
    if (reader.failed())
      return finish();
    expr.isTree = false;
    return graph.named[static_cast<size_t>(index)];
  }
  JsonReader name = reader.member("op");
  if (reader.failed())
    return finish();
  if (!Expr::parseOp(name.string(), node.op)) {
    name.fail("unknown operation '" + name.string() + "'");
    return finish();
  }
  JsonReader operands = reader.member("args");
  unsigned wanted = Expr::numOperands(node.op);
  if (operands.arraySize(3) != wanted) {
    operands.fail("'" + name.string() + "' takes " + std::to_string(wanted) + " operands");
    return finish();
  }
  for (unsigned i = 0; i < wanted && !reader.failed(); ++i)
    node.operands[i] = readNode(operands.at(i), graph, level + 1);
  return finish();
}

Expr KernelReader::readExpr(const JsonReader &reader) {
  Expr expr;
  expr.nodes.clear();
  Graph graph{expr};
  if (!reader.has("let")) {
    readNode(reader, graph, 0);
    return expr;
  }
  JsonReader list = reader.member("let");
  const size_t count = list.arraySize(maxNodes);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    graph.named.push_back(readNode(list.at(i), graph, 0));
  const uint32_t root = readNode(reader.member("in"), graph, 0);
  // The last node must be the root.
  if (root + 1 != expr.nodes.size() && !reader.failed())
    reader.member("in").fail("is a reference: write the operation itself");
  return expr;
}

void KernelReader::readExprs(const JsonReader &reader, size_t limit, std::vector<Expr> &exprs) {
  size_t count = reader.arraySize(limit);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    exprs.push_back(readExpr(reader.at(i)));
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

void KernelReader::readDescriptor(const JsonReader &reader, const Variant &variant,
                                  Descriptor &descriptor) {
  size_t rank = 0;
  if (reader.has("workspace")) {
    descriptor.ofWorkspace = true;
    descriptor.arg = static_cast<uint32_t>(
        reader.member("workspace").integer(0, static_cast<int64_t>(variant.workspaces.size()) - 1));
    if (!reader.failed())
      rank = variant.workspaces[descriptor.arg].sizes.size();
  } else {
    descriptor.arg = readMemrefIndex(reader.member("arg"));
    if (!reader.failed())
      rank = kernel.args[descriptor.arg].rank();
  }
  descriptor.element = readElement(reader.member("element"), /*scalar=*/false);
  JsonReader box = reader.member("box");
  size_t kept = box.arraySize(5);
  if (kept == 0)
    box.fail("expected 1 to 5 entries");
  for (size_t i = 0; i < kept && !reader.failed(); ++i)
    descriptor.box.push_back(box.at(i).integer(1, 256));

  if (reader.has("sizes"))
    readExprs(reader.member("sizes"), 5, descriptor.sizes);
  if (reader.has("strides"))
    readExprs(reader.member("strides"), 5, descriptor.strides);
  for (const auto *list : {&descriptor.sizes, &descriptor.strides})
    if (!list->empty() && list->size() != kept)
      reader.fail("'sizes' and 'strides' need as many entries as 'box'");

  bool needDims = descriptor.sizes.empty() || descriptor.strides.empty();
  if (needDims || reader.has("dims")) {
    JsonReader dims = reader.member("dims");
    if (dims.arraySize(5) != kept)
      dims.fail("expected " + std::to_string(kept) + " entries, as in 'box'");
    for (size_t i = 0; i < kept && !reader.failed(); ++i)
      descriptor.dims.push_back(
          static_cast<uint32_t>(dims.at(i).integer(0, static_cast<int64_t>(rank) - 1)));
  }
  descriptor.swizzle = reader.integerOr("swizzle", 0, 0, 128);
  if (descriptor.swizzle != 0 && descriptor.swizzle != 32 && descriptor.swizzle != 64 &&
      descriptor.swizzle != 128)
    reader.fail("swizzle is not 0, 32, 64 or 128");
  descriptor.interleave = reader.integerOr("interleave", 0, 0, 0);
  std::string oob = reader.stringOr("oob", "zero");
  if (oob != "zero" && oob != "nan")
    reader.fail("oob '" + oob + "' is neither 'zero' nor 'nan'");
  descriptor.nanFill = oob == "nan";
}

void KernelReader::readParam(const JsonReader &reader, const Variant &variant, const Launch &launch,
                             Param &param) {
  std::string kind = reader.member("kind").string();
  auto readIndex = [&](size_t count) {
    return static_cast<uint32_t>(
        reader.member("index").integer(0, static_cast<int64_t>(count) - 1));
  };
  if (kind == "pointer") {
    param.kind = Param::Kind::Pointer;
    param.arg = readMemrefIndex(reader.member("arg"));
  } else if (kind == "size" || kind == "stride") {
    param.kind = kind == "size" ? Param::Kind::Size : Param::Kind::Stride;
    param.arg = readMemrefIndex(reader.member("arg"));
    if (!reader.failed())
      param.dim = readDim(reader.member("dim"), param.arg);
  } else if (kind == "scalar") {
    param.kind = Param::Kind::Scalar;
    param.arg = readScalarIndex(reader.member("arg"), /*integerOnly=*/false);
  } else if (kind == "workspace") {
    param.kind = Param::Kind::Workspace;
    param.arg = readIndex(variant.workspaces.size());
  } else if (kind == "expr") {
    param.kind = Param::Kind::Expr;
    param.value = readExpr(reader.member("value"));
  } else if (kind == "descriptor") {
    param.kind = Param::Kind::Descriptor;
    param.arg = readIndex(launch.descriptors.size());
  } else if (kind == "places") {
    param.kind = Param::Kind::Places;
    if (!launch.places)
      reader.fail(
          "needs 'places' of the launch, the condition under which clusters are numbered by GPC");
  } else {
    reader.fail("unknown kind '" + kind + "'");
  }
}

void KernelReader::readLaunch(const JsonReader &reader, const Variant &variant, Launch &launch) {
  launch.symbol = reader.member("symbol").string();
  if (launch.symbol.empty() || launch.symbol.find('\0') != std::string::npos)
    reader.fail("'symbol' is no symbol");
  readExprs(reader.member("grid"), maxRank, launch.grid);
  launch.block = reader.integerOr("block", 1, 1, 1024);
  launch.shared = reader.integerOr("shared", 0, 0, 256 << 10);
  launch.cluster = reader.integerOr("cluster", 1, 1, 8);
  launch.dependent = reader.boolOr("dependent", false);
  if (reader.has("places")) {
    launch.places = readExpr(reader.member("places"));
    if (launch.cluster < 2)
      reader.fail("'places' is for launches with clusters of two or more blocks");
  }
  if (reader.has("descriptors")) {
    JsonReader list = reader.member("descriptors");
    size_t count = list.arraySize(maxDescriptors);
    launch.descriptors.resize(count);
    for (size_t i = 0; i < count && !reader.failed(); ++i)
      readDescriptor(list.at(i), variant, launch.descriptors[i]);
  }
  JsonReader list = reader.member("params");
  size_t count = list.arraySize(maxList);
  launch.params.resize(count);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    readParam(list.at(i), variant, launch, launch.params[i]);
}

void KernelReader::readVariant(const JsonReader &reader) {
  Variant variant;
  variant.name = reader.stringOr("name", "variant" + std::to_string(kernel.variants.size()));
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
} // namespace

std::vector<std::string> KernelContract::argNames() const {
  std::vector<std::string> names;
  for (const Argument &arg : args)
    names.push_back(arg.name);
  return names;
}

bool parseContract(std::string_view bytes, Contract &contract, std::string &error) {
  error.clear();
  contract = Contract();
  if (bytes.size() < headerSize || bytes.substr(0, 12) != magic.substr(0, 12)) {
    error = "malformed contract: it does not start with " + std::string(magic);
    return false;
  }
  if (bytes.substr(0, magic.size()) != magic) {
    error = "contract version '" + std::string(bytes.substr(12, 4)) +
            "' is not the 0001 this runtime reads";
    return false;
  }
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | static_cast<unsigned char>(bytes[16 + i]);
  if (length > maxJsonBytes || length > bytes.size() - headerSize) {
    error = "malformed contract: its header promises " + std::to_string(length) +
            " bytes of JSON, " + std::to_string(bytes.size() - headerSize) + " are there";
    return false;
  }
  contract.text = bytes.substr(headerSize, length);
  Json json = Json::parse(contract.text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    error = "malformed contract: it is not valid JSON";
    return false;
  }
  JsonReader top(json, error);
  int64_t version = top.member("version").integer(0, maxSize);
  if (!top.failed() && version != 1 && version != 2)
    top.fail("version " + std::to_string(version) + ", this runtime reads versions 1 and 2");
  contract.compiler = top.stringOr("compiler", "");
  contract.target = top.member("target").string();
  if (top.failed())
    return false;
  JsonReader kernels = top.member("kernels");
  size_t count = kernels.arraySize(maxKernels);
  if (count == 0)
    kernels.fail("there are none: an artifact without kernels cannot do anything");
  contract.kernels.reserve(count);
  for (size_t i = 0; i < count && !top.failed(); ++i) {
    contract.kernels.emplace_back();
    KernelReader(contract.kernels.back()).read(kernels.at(i));
    for (size_t j = 0; j < i; ++j)
      if (contract.kernels[j].name == contract.kernels[i].name)
        kernels.at(i).fail("a second kernel named '" + contract.kernels[i].name + "'");
  }
  return !top.failed();
}

std::string wrapContract(std::string_view json) {
  std::string bytes(magic);
  for (unsigned i = 0; i < 8; ++i)
    bytes.push_back(static_cast<char>(static_cast<uint64_t>(json.size()) >> (8 * i) & 0xff));
  bytes.append(json);
  bytes.push_back('\0');
  return bytes;
}

} // namespace tessera::rt
