// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Contract.h"

#include "TestContract.h"

#include <gtest/gtest.h>

#include <random>

using namespace tessera::rt;

namespace {
std::string failure(const std::string &json) {
  Contract contract;
  std::string error;
  EXPECT_FALSE(parseContract(wrapContract(json), contract, error)) << json;
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error;
}

/// The text of gemmJson with one piece replaced.
std::string replaced(const std::string &from, const std::string &to) {
  std::string json = gemmJson;
  size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

TEST(Contract, Parses) {
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(wrapContract(gemmJson), contract, error)) << error;
  EXPECT_EQ(contract.target, "sm_90a");
  ASSERT_EQ(contract.kernels.size(), 1u);
  const KernelContract &kernel = contract.kernels[0];
  ASSERT_EQ(kernel.args.size(), 4u);
  EXPECT_EQ(kernel.symbols, (std::vector<std::string>{"M", "K", "N"}));
  EXPECT_EQ(kernel.args[0].element, Element::BF16);
  EXPECT_EQ(kernel.args[0].align, 16);
  EXPECT_TRUE(kernel.args[1].strided);
  EXPECT_FALSE(kernel.args[1].strides[0]);
  EXPECT_EQ(kernel.args[1].strides[1], 1);
  EXPECT_EQ(kernel.args[1].offset, std::nullopt);
  EXPECT_FALSE(kernel.args[3].isMemref);
  ASSERT_EQ(kernel.workspaces.size(), 1u);
  EXPECT_TRUE(kernel.workspaces[0].initialized);
  EXPECT_EQ(kernel.workspaces[0].pattern, 0xff800000u);
  ASSERT_EQ(kernel.variants.size(), 2u);
  EXPECT_EQ(kernel.variants[0].guards.size(), 6u);
  const Launch &launch = kernel.variants[0].launches[0];
  EXPECT_EQ(launch.params.size(), 8u);
  EXPECT_EQ(launch.descriptors.size(), 2u);
  EXPECT_EQ(launch.grid[0].print(kernel.argNames()), "ceildivs(A.size[0], 128)");
}

TEST(Contract, DependentLaunches) {
  for (auto [text, expected] : {std::pair{"true", true}, {"false", false}}) {
    Contract contract;
    std::string error;
    std::string json =
        replaced("\"cluster\": 1", std::string("\"cluster\": 1, \"dependent\": ") + text);
    ASSERT_TRUE(parseContract(wrapContract(json), contract, error)) << error;
    EXPECT_EQ(contract.kernels[0].variants[0].launches[0].dependent, expected);
    EXPECT_FALSE(contract.kernels[0].variants[1].launches[0].dependent) << "the default";
  }
  EXPECT_EQ(failure(replaced("\"cluster\": 1", "\"cluster\": 1, \"dependent\": 1")),
            "malformed contract: kernels[0].variants[0].launches[0].dependent: expected true or "
            "false");
}

/// The parameter needs the launch's condition, and clusters.
TEST(Contract, Places) {
  const std::string param = R"({"kind": "size", "arg": 0, "dim": 1})",
                    places = R"({"kind": "places"})", cluster = R"("cluster": 1)",
                    when = R"("cluster": 2, "places": {"size": [0, 0]})";
  auto both = [&](const std::string &key, const std::string &kind) {
    std::string json = replaced(cluster, key);
    size_t at = json.find(param);
    return json.replace(at, param.size(), kind);
  };
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(wrapContract(both(when, places)), contract, error)) << error;
  const KernelContract &kernel = contract.kernels[0];
  const Launch &launch = kernel.variants[0].launches[0];
  ASSERT_TRUE(launch.places);
  EXPECT_EQ(launch.places->print(kernel.argNames()), "A.size[0]");
  EXPECT_EQ(launch.params[1].kind, Param::Kind::Places);
  EXPECT_FALSE(kernel.variants[1].launches[0].places) << "the default";
  const std::string at = "malformed contract: kernels[0].variants[0].launches[0]";
  EXPECT_EQ(failure(both(R"("cluster": 2)", places)),
            at + ".params[1]: needs 'places' of the launch, the condition under which clusters are "
                 "numbered by GPC");
  EXPECT_EQ(failure(both(R"("cluster": 1, "places": 1)", places)),
            at + ": 'places' is for launches with clusters of two or more blocks");
  EXPECT_EQ(failure(both(R"("cluster": 2, "places": true)", places)),
            at + ".places: expected an object");
}

TEST(Contract, Header) {
  Contract contract;
  std::string error;
  std::string good = wrapContract(gemmJson);
  for (size_t size : {size_t{0}, size_t{5}, size_t{16}, size_t{23}, size_t{24}, good.size() - 100})
    EXPECT_FALSE(parseContract(good.substr(0, size), contract, error)) << size;
  EXPECT_TRUE(parseContract(good + "anything after it", contract, error)) << error;
  std::string newer = good;
  newer[15] = '2';
  EXPECT_FALSE(parseContract(newer, contract, error));
  EXPECT_EQ(error, "contract version '0002' is not the 0001 this runtime reads");
  std::string huge = good;
  huge[23] = '\x7f';
  EXPECT_FALSE(parseContract(huge, contract, error));
}

TEST(Contract, BoxesThatEndWhereTheArrayDoes) {
  auto with = [](const std::string &trim, const std::string &version = "5") {
    std::string text = replaced("\"version\": 1", "\"version\": " + version);
    const std::string box = "\"box\": [128, 64],";
    return text.replace(text.find(box), box.size(), box + " \"trim\": " + trim + ",");
  };
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(wrapContract(with("0")), contract, error)) << error;
  const Launch &launch = contract.kernels[0].variants[0].launches[0];
  EXPECT_EQ(launch.descriptors[0].trim, 0u);
  EXPECT_FALSE(launch.descriptors[1].trim);
  const std::string at = "malformed contract: kernels[0].variants[0].launches[0].descriptors[0].";
  EXPECT_EQ(failure(with("1")), at + "trim: 1 is not in 0..0") << "the contiguous dimension";
  EXPECT_EQ(failure(with("0", "4")),
            at + "trim: is in contracts of version 5, this one is of version 4");
}

TEST(Contract, StepsBetweenTheElementsOfABox) {
  auto with = [](const std::string &fields, const std::string &version = "6") {
    std::string text = replaced("\"version\": 1", "\"version\": " + version);
    const std::string box = "\"box\": [128, 64],";
    return text.replace(text.find(box), box.size(), box + fields);
  };
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(wrapContract(with(R"("steps": [2, 1],)")), contract, error)) << error;
  const Launch &launch = contract.kernels[0].variants[0].launches[0];
  EXPECT_EQ(launch.descriptors[0].steps, (std::vector<int64_t>{2, 1}));
  EXPECT_TRUE(launch.descriptors[1].steps.empty());
  const std::string at =
      "malformed contract: kernels[0].variants[0].launches[0].descriptors[0].steps";
  EXPECT_EQ(failure(with(R"("steps": [2],)")), at + ": expected 2 entries, as in 'box'");
  EXPECT_EQ(failure(with(R"("steps": [9, 1],)")), at + "[0]: 9 is not in 1..8");
  EXPECT_EQ(failure(with(R"("steps": [1, 2],)")), at + "[1]: 2 is not in 1..1")
      << "the contiguous dimension";
  EXPECT_EQ(failure(with(R"("steps": [2, 1], "trim": 0,)")), at + ": does not come with 'trim'");
  EXPECT_EQ(failure(with(R"("steps": [2, 1],)", "5")),
            at + ": is in contracts of version 6, this one is of version 5");
}

TEST(Contract, Malformed) {
  EXPECT_EQ(failure("{"), "malformed contract: it is not valid JSON");
  EXPECT_EQ(failure("[]"), "malformed contract: top level: expected an object");
  EXPECT_EQ(failure("{}"), "malformed contract: top level: 'version' is missing");
  EXPECT_EQ(failure(replaced("\"version\": 1", "\"version\": 7")),
            "malformed contract: top level: version 7, this runtime reads versions 1 to 6");
  EXPECT_EQ(failure(R"({"version": 1, "target": "cpu", "kernels": []})"),
            "malformed contract: kernels: there are none: an artifact without kernels cannot do "
            "anything");
  EXPECT_EQ(failure(replaced("\"bf16\"", "\"bf17\"")),
            "malformed contract: kernels[0].args[0].element: 'bf17' is not a element type");
  EXPECT_EQ(failure(replaced("{\"size\": [0, 0]}", "{\"size\": [9, 0]}")),
            "malformed contract: kernels[0].assumes[0].cond.args[0].size[0]: argument 9 is no "
            "memref of this kernel");
  EXPECT_EQ(failure(replaced("{\"size\": [0, 0]}", "{\"size\": [0, 2]}")),
            "malformed contract: kernels[0].assumes[0].cond.args[0].size[1]: argument 0 has no "
            "dimension 2");
  EXPECT_EQ(failure(replaced("{\"size\": [0, 0]}", "{\"scalar\": 3}")),
            "malformed contract: kernels[0].assumes[0].cond.args[0].scalar: argument 3 is no "
            "integer scalar of this kernel");
  EXPECT_EQ(failure(replaced("{\"size\": [0, 0]}", "\"cores\"")),
            "malformed contract: kernels[0].assumes[0].cond.args[0]: 'cores' is no expression; a "
            "string is \"num_cores\" or \"max_clusters\"");
  EXPECT_NE(failure(replaced("ceildivs", "ceil")).find("unknown operation 'ceil'"),
            std::string::npos);
  EXPECT_NE(failure(replaced("\"align\", \"arg\": 0, \"value\": 16", "\"align\", \"arg\": 0, "
                                                                     "\"value\": 0"))
                .find("0 is not in 1.."),
            std::string::npos);
  EXPECT_NE(failure(replaced("\"kind\": \"descriptor\", \"index\": 0",
                             "\"kind\": \"descriptor\", \"index\": 2")),
            "");
  EXPECT_NE(failure(replaced("\"kind\": \"workspace\", \"index\": 0",
                             "\"kind\": \"workspace\", \"index\": 1")),
            "");
  EXPECT_NE(failure(replaced("\"swizzle\": 128", "\"swizzle\": 100")), "");
  EXPECT_NE(failure(replaced("\"block\": 256", "\"block\": 4096")), "");
  EXPECT_NE(failure(replaced("\"block\": 256", "\"block\": 1.5")), "");
  EXPECT_NE(failure(replaced("\"block\": 256", "\"block\": 18446744073709551615")), "");
  EXPECT_NE(failure(replaced("\"size_divisible\": [1, 8]", "\"size_divisible\": [1]")), "");
  EXPECT_NE(failure(replaced("\"size_divisible\": [1, 8]", "\"size_divisible\": [1, 0]")), "");
  EXPECT_NE(failure(replaced("\"access\": \"write\"", "\"access\": \"wr\"")), "");
  EXPECT_NE(failure(replaced("\"variants\": [", "\"variants\": [], \"old\": [")), "");
  EXPECT_NE(failure(replaced("\"box\": [128, 64]", "\"box\": [128, 512]")), "");
  EXPECT_NE(failure(replaced("\"init\": \"-inf\"", "\"init\": \"zero\"")), "");
}

TEST(Contract, GuardConditions) {
  auto guard = [](const std::string &inside) {
    return replaced("\"name\": \"any\",",
                    "\"name\": \"any\", \"guards\": [{\"fact\": \"cond\"" + inside + "}],");
  };
  for (const char *good : {", \"cond\": {\"op\": \"cmp_slt\", \"args\": [{\"size\": [0, 0]}, 3]}",
                           ", \"cond\": 1, \"message\": \"always\""}) {
    Contract contract;
    std::string error;
    ASSERT_TRUE(parseContract(wrapContract(guard(good)), contract, error)) << error;
    const std::vector<Guard> &guards = contract.kernels[0].variants[1].guards;
    ASSERT_EQ(guards.size(), 1u);
    EXPECT_EQ(guards[0].fact, Guard::Fact::Cond);
  }
  EXPECT_NE(failure(guard("")), "");
  EXPECT_NE(failure(guard(", \"cond\": {\"size\": [0, 2]}")), "");
  EXPECT_NE(failure(guard(", \"cond\": {\"scalar\": 3}")), "");
  EXPECT_NE(failure(guard(", \"cond\": 1, \"message\": 2")), "");
}

// A kernel that was compiled for one variant only: the launcher says so when the variant does not
// fit.
TEST(Contract, LastVariantMayHaveGuards) {
  Contract contract;
  std::string error;
  EXPECT_TRUE(parseContract(
      wrapContract(replaced("\"name\": \"any\",", "\"name\": \"any\", \"guards\": [{\"fact\": "
                                                  "\"align\", \"arg\": 0, \"value\": 16}],")),
      contract, error))
      << error;
}

TEST(Contract, DeepExpressionsAreRefused) {
  std::string deep = "1";
  for (int i = 0; i < 1000; ++i)
    deep = "{\"op\": \"add\", \"args\": [" + deep + ", 1]}";
  EXPECT_NE(failure(replaced("{\"size\": [0, 0]}", deep)).find("nested deeper than 256 levels"),
            std::string::npos);
  // The text of a list is flat, but its expression is not.
  std::string list = "1";
  for (int i = 0; i < 1000; ++i)
    list += ", {\"op\": \"add\", \"args\": [{\"ref\": " + std::to_string(i) + "}, 1]}";
  EXPECT_NE(failure(replaced("{\"op\": \"cmp_sle\", \"args\": [{\"size\": [0, 0]}, 1000000]}",
                             "{\"let\": [" + list +
                                 "], \"in\": {\"op\": \"add\", \"args\": [{\"ref\": 0}, 1]}}"))
                .find("nested deeper than 256 levels"),
            std::string::npos);
  EXPECT_NE(failure(replaced("{\"size\": [0, 0]}", std::string(100000, '['))), "");
  EXPECT_NE(failure(std::string(8 << 20, '[') + std::string(8 << 20, ']')), "");
}

/// The condition of the first assume, written with a list.
static std::string withCondition(const std::string &condition) {
  std::string json =
      replaced("{\"op\": \"cmp_sle\", \"args\": [{\"size\": [0, 0]}, 1000000]}", condition);
  return json.replace(json.find("\"version\": 1"), 12, "\"version\": 2");
}

/// A launch with a list, to which the value of its parameter refers.
static std::string withNumbers(const std::string &numbers, const std::string &value,
                               char version = '4') {
  std::string json = replaced(R"({"op": "mul", "args": [{"size": [0, 0]}, 2]})", value);
  const std::string before = R"("block": 256, "shared": 49152)";
  json.insert(json.find(before), R"("numbers": [)" + numbers + "], ");
  json[json.find(R"("version": 1)") + 11] = version;
  return json;
}

TEST(Contract, NumbersOfALaunch) {
  const std::string numbers = R"({"op": "add", "args": [{"size": [0, 0]}, 1]},
    {"op": "mul", "args": [{"ref": 0}, {"ref": 0}]}, {"op": "divui", "args": [1, {"size": [0, 1]}]})";
  int64_t sizes[] = {6, 0}, value = 0;
  BoundArg arg;
  arg.sizes = sizes;
  auto evaluate = [&](const std::string &of) {
    Contract contract;
    std::string error;
    EXPECT_TRUE(parseContract(wrapContract(withNumbers(numbers, of)), contract, error)) << error;
    const Expr &expr = contract.kernels[0].variants[0].launches[0].params[5].value;
    EXPECT_TRUE(expr.evaluate({arg}, 1, value, error)) << error;
    return value;
  };
  EXPECT_EQ(evaluate(R"({"ref": 0})"), 7) << "what comes after it is not evaluated";
  EXPECT_EQ(evaluate(R"({"ref": 1})"), 49);
  EXPECT_EQ(evaluate(R"({"op": "sub", "args": [{"ref": 1}, {"ref": 0}]})"), 42);
  EXPECT_EQ(evaluate("5"), 5);
  sizes[0] = int64_t(1) << 62;
  {
    Contract contract;
    std::string error;
    ASSERT_TRUE(parseContract(
        wrapContract(withNumbers(numbers, R"({"op": "mul", "args": [{"size": [0, 0]}, 6]})")),
        contract, error));
    const Expr &expr = contract.kernels[0].variants[0].launches[0].params[5].value;
    EXPECT_FALSE(expr.evaluate({arg}, 1, value, error));
    EXPECT_TRUE(expr.evaluate({arg}, 1, value, error, /*wraps=*/true));
    EXPECT_EQ(value, int64_t(uint64_t(1) << 63)) << "6 times a quarter of all numbers";
  }
  EXPECT_EQ(evaluate(R"({"let": [3], "in": {"op": "add", "args": [{"ref": 0}, 1]}})"), 4)
      << "a list of its own";

  const std::string at = "malformed contract: kernels[0].variants[0].launches[0].";
  EXPECT_EQ(failure(withNumbers("1", "1", '3')),
            at + "numbers: is in contracts of version 4, this one is of version 3");
  EXPECT_EQ(failure(withNumbers("1", R"({"ref": 1})")),
            at + "params[5].value.ref: 1 is not in 0..0");
  EXPECT_EQ(failure(withNumbers("", R"({"ref": 0})")),
            at + "params[5].value.ref: refers to a list that the expression does not have ('let')");
  // Each parameter has what it needs of the list, so a short text could ask for much.
  auto withParameters = [](int count) {
    std::string list = R"({"size": [0, 0]})", more = "{}";
    for (int i = 0; i < 200; ++i)
      list += R"(, {"op": "add", "args": [{"ref": )" + std::to_string(i) + "}, 1]}";
    std::string json = withNumbers(list, R"({"ref": 200})");
    const std::string own = R"({"kind": "expr", "value": {"ref": 200}})";
    std::string all = own;
    for (int i = 1; i < count; ++i)
      all += ", " + own;
    return json.replace(json.find(own), own.size(), all);
  };
  Contract contract;
  std::string error;
  EXPECT_TRUE(parseContract(wrapContract(withParameters(100)), contract, error)) << error;
  EXPECT_NE(failure(withParameters(4000)).find("are larger than 65536 nodes together"),
            std::string::npos);
  EXPECT_EQ(failure(withNumbers(R"({"ref": 0})", "1")),
            at + "numbers[0].ref: refers to a list that the expression does not have ('let')");
}

TEST(Contract, SharedExpressions) {
  // As a tree this has 2^60 leaves.
  std::string list = R"({"op": "add", "args": [{"size": [0, 0]}, {"size": [0, 0]}]})";
  for (int i = 0; i < 59; ++i)
    list += R"(, {"op": "add", "args": [{"ref": )" + std::to_string(i) + R"(}, {"ref": )" +
            std::to_string(i) + "}]}";
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(
      wrapContract(withCondition(R"({"let": [)" + list +
                                 R"(], "in": {"op": "cmp_sgt", "args": [{"ref": 59}, 0]}})")),
      contract, error))
      << error;
  const Expr &cond = contract.kernels[0].assumes[0].cond;
  EXPECT_FALSE(cond.isTree);
  int64_t sizes[] = {1, 1}, value = 0;
  BoundArg arg;
  arg.sizes = sizes;
  EXPECT_TRUE(cond.evaluate({arg}, 1, value, error)) << error;
  EXPECT_EQ(value, 1);
  sizes[0] = 8;
  EXPECT_FALSE(cond.evaluate({arg}, 1, value, error));
  EXPECT_EQ(error, "64-bit overflow in add(4611686018427387904, 4611686018427387904)");
  std::string text = cond.print({"A", "B", "C", "alpha"});
  EXPECT_EQ(text.substr(0, text.find(", #1 =")),
            "(#58 + #58) > 0 where #0 = A.size[0] + A.size[0]");

  const std::string at = "malformed contract: kernels[0].assumes[0].cond";
  EXPECT_EQ(failure(withCondition(R"({"ref": 0})")),
            at + ".ref: refers to a list that the expression does not have ('let')");
  EXPECT_EQ(failure(withCondition(R"({"let": [{"ref": 0}], "in": 1})")),
            at + ".let[0].ref: refers to a list that the expression does not have ('let')");
  EXPECT_EQ(failure(withCondition(R"({"let": [1], "in": {"ref": 1}})")),
            at + ".in.ref: 1 is not in 0..0");
  EXPECT_EQ(failure(withCondition(R"({"let": [1, 2], "in": {"ref": 0}})")),
            at + ".in: is a reference: write the operation itself");
  EXPECT_EQ(failure(withCondition(R"({"let": [1]})")), at + ": 'in' is missing");
  EXPECT_EQ(failure(withCondition(R"({"op": "add", "args": [{"let": [1], "in": 1}, 1]})")),
            at + ".args[0]: 'op' is missing");
}

/// `select` evaluates only the branch that it takes, even if another expression shares the other
/// branch.
TEST(Contract, SharedBranches) {
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(wrapContract(withCondition(
                                R"({"let": [{"op": "divsi", "args": [1, {"size": [0, 0]}]}],
              "in": {"op": "select", "args": [{"size": [0, 0]},
                     {"op": "add", "args": [{"ref": 0}, {"ref": 0}]}, 7]}})")),
                            contract, error))
      << error;
  const Expr &cond = contract.kernels[0].assumes[0].cond;
  int64_t sizes[] = {0, 1}, value = 0;
  BoundArg arg;
  arg.sizes = sizes;
  EXPECT_TRUE(cond.evaluate({arg}, 1, value, error)) << error;
  EXPECT_EQ(value, 7);
  sizes[0] = 1;
  EXPECT_TRUE(cond.evaluate({arg}, 1, value, error)) << error;
  EXPECT_EQ(value, 2);
}

TEST(Contract, Limits) {
  auto list = [](const std::string &item, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + item;
    return text;
  };
  auto within = [](const std::string &json) {
    Contract contract;
    std::string error;
    EXPECT_TRUE(parseContract(wrapContract(json), contract, error)) << error;
  };
  const std::string scalar = R"({"name": "alpha", "kind": "scalar", "type": "f32"})";
  within(replaced(scalar, list(scalar, 1024 - 3)));
  EXPECT_EQ(failure(replaced(scalar, list(scalar, 1025 - 3))),
            "malformed contract: kernels[0].args: has 1025 entries, the limit is 1024");
  const std::string space =
      R"({"element": "f32", "sizes": [{"size": [0, 0]}, 16], "init": "-inf"})";
  within(replaced(space, list(space, 256)));
  EXPECT_EQ(failure(replaced(space, list(space, 257))),
            "malformed contract: kernels[0].workspaces: has 257 entries, the limit is 256");
  within(replaced("\"align\": 16", "\"align\": 1073741824"));
  EXPECT_EQ(failure(replaced("\"align\": 16", "\"align\": 2147483648")),
            "malformed contract: kernels[0].args[0].align: 2147483648 is not in 1..1073741824");
  EXPECT_NE(failure(replaced("{\"size\": [0, 0]}, 16]", list("1", 17) + "]")).find("limit is 16"),
            std::string::npos);
  EXPECT_NE(failure(withCondition(R"({"let": [)" + list("1", 65537) + R"(], "in": 1})"))
                .find("the limit is 65536"),
            std::string::npos);
  EXPECT_NE(failure(withCondition(R"({"let": [)" + list("1", 65536) + R"(], "in": 1})"))
                .find("larger than 65536 nodes"),
            std::string::npos);
}

// A contract with a damaged byte or a missing piece gives an error or a contract, never a crash.
TEST(Contract, DamagedTexts) {
  std::mt19937 random(1);
  std::string good = gemmJson;
  Contract contract;
  std::string error;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(random());
    if (!parseContract(wrapContract(bad), contract, error))
      EXPECT_FALSE(error.empty());
    bad = good;
    bad.erase(i, random() % 20);
    parseContract(wrapContract(bad), contract, error);
  }
}

// Replaces every value by values of other kinds.
TEST(Contract, WrongKinds) {
  const std::string others[] = {"null", "-1", "1e30", "\"x\"", "[]", "{}", "[[1]]", "true"};
  std::string good = gemmJson;
  Contract contract;
  std::string error;
  for (size_t i = 0; i + 1 < good.size(); ++i) {
    if (good[i] != ':')
      continue;
    size_t end = i + 1, depth = 0;
    for (; end < good.size(); ++end) {
      char c = good[end];
      if ((c == ',' || c == '}' || c == ']') && depth == 0)
        break;
      depth += c == '[' || c == '{';
      depth -= c == ']' || c == '}';
    }
    for (const std::string &other : others)
      parseContract(wrapContract(good.substr(0, i + 1) + other + good.substr(end)), contract,
                    error);
  }
}
} // namespace
