// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expressions as JSON in which each part that is used more than once is written once: large ones,
// and the numbers that a launch passes, which are made of the same parts.
#include "tessera/Contract/Contract.h"

#include <map>
#include <tuple>

using namespace tessera;
using namespace tessera::contract;

namespace json = llvm::json;

namespace {
class Sharing {
public:
  unsigned add(const Expr &expr);
  json::Value write(unsigned number);
  void use(unsigned number) { ++nodes[number].uses; }
  json::Array list; ///< of what is used more than once

private:
  struct Node {
    Expr expr;
    std::vector<unsigned> operands;
    unsigned uses = 0;
    std::optional<int64_t> name = {}; ///< its place in `list`
  };
  using Key =
      std::tuple<Expr::Kind, int64_t, unsigned, unsigned, std::string, std::vector<unsigned>>;
  std::vector<Node> nodes; ///< different ones only; operands come first
  std::map<Key, unsigned> known;
  std::map<const void *, unsigned> added; ///< by identity, so that none is visited twice
};
} // namespace

/// The number of the node that is equal to this one. As deep as the expression, of which
/// `buildExpr` limits the depth.
unsigned Sharing::add(const Expr &expr) {
  if (auto at = added.find(expr.identity()); at != added.end())
    return at->second;
  std::vector<unsigned> operands;
  for (const Expr &operand : expr.operands())
    operands.push_back(add(operand));
  const bool isLeaf = expr.kind() != Expr::Kind::Apply;
  Key key{expr.kind(),
          expr.isConstant() ? expr.value() : 0,
          isLeaf ? expr.arg() : 0,
          isLeaf ? expr.dim() : 0,
          expr.op(),
          operands};
  auto [at, isNew] = known.try_emplace(std::move(key), nodes.size());
  if (isNew) {
    for (unsigned operand : operands)
      use(operand);
    nodes.push_back({expr, std::move(operands)});
  }
  added[expr.identity()] = at->second;
  return at->second;
}

json::Value Sharing::write(unsigned number) {
  if (nodes[number].name)
    return json::Object{{"ref", *nodes[number].name}};
  const Node &node = nodes[number];
  if (node.expr.kind() != Expr::Kind::Apply)
    return toJson(node.expr);
  json::Array operands;
  operands.reserve(node.operands.size());
  for (unsigned operand : node.operands)
    operands.push_back(write(operand));
  json::Object written{{"op", node.expr.op()}, {"args", std::move(operands)}};
  if (node.uses < 2)
    return written;
  nodes[number].name = list.size();
  list.push_back(std::move(written));
  return json::Object{{"ref", *nodes[number].name}};
}

SharedExprs tessera::contract::share(llvm::ArrayRef<Expr> exprs) {
  Sharing sharing;
  std::vector<unsigned> roots;
  for (const Expr &expr : exprs) {
    roots.push_back(sharing.add(expr));
    sharing.use(roots.back());
  }
  SharedExprs shared;
  for (unsigned root : roots)
    shared.values.push_back(sharing.write(root));
  shared.numbers = std::move(sharing.list);
  return shared;
}
