// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The expressions of a kernel's contract.
#include "KernelReader.h"

#include <algorithm>
#include <unordered_map>

namespace tessera::rt {

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
  Graph graph;
  if (!reader.has("let")) {
    readNode(reader, graph, 0);
    return std::move(graph.expr);
  }
  JsonReader list = reader.member("let");
  const size_t count = list.arraySize(maxNodes);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    graph.named.push_back(readNode(list.at(i), graph, 0));
  const uint32_t root = readNode(reader.member("in"), graph, 0);
  // The last node must be the root.
  if (root + 1 != graph.expr.nodes.size() && !reader.failed())
    reader.member("in").fail("is a reference: write the operation itself");
  return std::move(graph.expr);
}

/// The list of a launch, to which its parameters refer.
KernelReader::Graph KernelReader::readNumbers(const JsonReader &reader) {
  Graph numbers;
  if (version < versionOfNumbers)
    reader.fail("is in contracts of version " + std::to_string(versionOfNumbers) +
                ", this one is of version " + std::to_string(version));
  const size_t count = reader.arraySize(maxNodes);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    numbers.named.push_back(readNode(reader.at(i), numbers, 0));
  return numbers;
}

/// What the node needs, in the same order; itself at the end.
static Expr partOf(const Expr &expr, uint32_t root) {
  std::vector<uint32_t> needed{root};
  std::unordered_map<uint32_t, uint32_t> places{{root, 0}};
  for (size_t i = 0; i < needed.size(); ++i) {
    const Expr::Node node = expr.nodes[needed[i]];
    for (unsigned o = 0; o < Expr::numOperands(node.op); ++o)
      if (places.try_emplace(node.operands[o], 0).second)
        needed.push_back(node.operands[o]);
  }
  std::sort(needed.begin(), needed.end());
  Expr part;
  part.nodes.clear();
  part.isTree = false;
  for (uint32_t number : needed) {
    places[number] = static_cast<uint32_t>(part.nodes.size());
    part.nodes.push_back(expr.nodes[number]);
    for (unsigned o = 0; o < Expr::numOperands(part.nodes.back().op); ++o)
      part.nodes.back().operands[o] = places[part.nodes.back().operands[o]];
  }
  return part;
}

/// An expression that may refer to `numbers`, which are as before afterwards.
Expr KernelReader::readNumber(const JsonReader &reader, Graph &numbers) {
  if (numbers.named.empty() || reader.has("let"))
    return readExpr(reader);
  const size_t before = numbers.expr.nodes.size();
  const uint32_t root = readNode(reader, numbers, 0);
  Expr number = reader.failed() ? Expr() : partOf(numbers.expr, root);
  numbers.expr.nodes.resize(before);
  numbers.depths.resize(before);
  // A short list may make many long expressions.
  numbers.copied += number.nodes.size();
  if (numbers.copied > maxNodes)
    reader.fail("the parameters of the launch are larger than " + std::to_string(maxNodes) +
                " nodes together, each with what it needs of 'numbers'");
  return number;
}

void KernelReader::readExprs(const JsonReader &reader, size_t limit, std::vector<Expr> &exprs) {
  size_t count = reader.arraySize(limit);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    exprs.push_back(readExpr(reader.at(i)));
}

} // namespace tessera::rt
