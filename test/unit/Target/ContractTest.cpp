// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests how the compiler makes and writes expressions. What reads them is tested in unit/Runtime.
#include "tessera/Contract/Contract.h"

#include <gtest/gtest.h>

using namespace tessera::contract;

/// Writes the expression in a contract of its own: {version, JSON}.
static std::pair<int64_t, std::string> write(const Expr &expr) {
  Contract contract;
  Kernel kernel;
  kernel.assumes.push_back({expr, ""});
  contract.kernels.push_back(kernel);
  std::string json = toJson(contract);
  llvm::Expected<llvm::json::Value> value = parseJson(json);
  EXPECT_TRUE(bool(value));
  const llvm::json::Object *top = value->getAsObject();
  const llvm::json::Object *assume =
      (*(*top->getArray("kernels"))[0].getAsObject()->getArray("assumes"))[0].getAsObject();
  std::string text;
  llvm::raw_string_ostream(text) << *assume->get("cond");
  return {*top->getInteger("version"), text};
}

static Expr doubled(unsigned times) {
  Expr expr = Expr::scalar(0);
  for (unsigned i = 0; i < times; ++i)
    expr = Expr::apply("add", {expr, expr});
  return expr;
}

TEST(ContractExpr, SmallOnesAreTrees) {
  auto [version, text] = write(doubled(2));
  EXPECT_EQ(version, 1);
  EXPECT_EQ(text, R"({"args":[{"args":[{"scalar":0},{"scalar":0}],"op":"add"},)"
                  R"({"args":[{"scalar":0},{"scalar":0}],"op":"add"}],"op":"add"})");
  EXPECT_EQ(write(doubled(7)).first, 1) << "255 nodes";
  EXPECT_EQ(write(doubled(8)).first, 2) << "511 nodes";
}

TEST(ContractExpr, SharedPartsAreWrittenOnce) {
  Expr expr = doubled(60);
  EXPECT_EQ(numNodes(expr), 62u);
  EXPECT_EQ(expr.depth(), 61u);
  auto [version, text] = write(expr);
  EXPECT_EQ(version, 2);
  EXPECT_LT(text.size(), 4000u);
  EXPECT_EQ(text.substr(0, 60), R"({"in":{"args":[{"ref":58},{"ref":58}],"op":"add"},"let":[{"a)");
  EXPECT_NE(text.find(R"("let":[{"args":[{"scalar":0},{"scalar":0}],"op":"add"},)"
                      R"({"args":[{"ref":0},{"ref":0}],"op":"add"},)"),
            std::string::npos)
      << text;
  EXPECT_EQ(namedParts(expr).size(), 59u);
}

/// Equal parts of several expressions are one entry, whoever made them.
TEST(ContractExpr, ExpressionsOfALaunchShareParts) {
  auto rows = [] { return Expr::apply("ceildivs", {Expr::size(0, 0), Expr::constant(64)}); };
  auto print = [](const SharedExprs &shared) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << llvm::json::Value(llvm::json::Array(shared.numbers));
    for (const llvm::json::Value &value : shared.values)
      os << " " << value;
    return text;
  };
  Expr rest = Expr::apply("remui", {rows(), Expr::numCores()});
  EXPECT_EQ(
      print(share({rest, Expr::apply("add", {rows(), Expr::constant(1)}), rest, Expr::size(0, 0)})),
      R"([{"args":[{"size":[0,0]},64],"op":"ceildivs"},{"args":[{"ref":0},"num_cores"],"op":"remui"}] )"
      R"({"ref":1} {"args":[{"ref":0},1],"op":"add"} {"ref":1} {"size":[0,0]})");
  EXPECT_EQ(
      print(share({rest})),
      R"([] {"args":[{"args":[{"size":[0,0]},64],"op":"ceildivs"},"num_cores"],"op":"remui"})");
  EXPECT_EQ(print(share({})), "[]");
  EXPECT_EQ(share({doubled(60), doubled(59)}).numbers.size(), 59u);
}

/// A long expression that shares nothing stays a tree.
TEST(ContractExpr, LongChainsHaveNoNames) {
  Expr expr = Expr::scalar(0);
  for (unsigned i = 0; i < 200; ++i)
    expr = Expr::apply("add", {expr, Expr::size(i % 7, 0)});
  EXPECT_EQ(numNodes(expr), 401u);
  EXPECT_EQ(write(expr).first, 1);
}

TEST(ContractExpr, Equality) {
  EXPECT_EQ(doubled(60), doubled(60)) << "not the same nodes";
  EXPECT_FALSE(doubled(60) == doubled(59));
  EXPECT_FALSE(Expr::size(0, 1) == Expr::size(0, 2));
  EXPECT_FALSE(Expr::apply("add", {Expr::scalar(0), Expr::scalar(1)}) ==
               Expr::apply("sub", {Expr::scalar(0), Expr::scalar(1)}));
}

TEST(ContractJson, OfSomebodyElse) {
  auto failsWith = [](const std::string &text) {
    llvm::Expected<llvm::json::Value> value = parseJson(text);
    return value ? "" : llvm::toString(value.takeError());
  };
  EXPECT_EQ(failsWith("[\"" + std::string(100000, '[') + "\"]"), "");
  EXPECT_EQ(failsWith("[\"\\\"" + std::string(100000, '[') + "\"]"), "");
  EXPECT_EQ(failsWith(std::string(100000, '[')), "brackets are nested deeper than 1000 levels");
  EXPECT_NE(failsWith("{"), "");
}
