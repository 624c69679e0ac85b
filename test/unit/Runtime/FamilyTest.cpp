// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels that are families: how their contracts are read, and which member a launch takes.

#include "RecorderBackend.h"

using namespace tessera::rt;

namespace {
struct Costs {
  std::string
      wide =
          R"({"op": "mul", "args": [1000, {"op": "ceildivs", "args": [{"size": [0, 0]}, 128]}]})",
      wideAny = "50000",
      narrow =
          R"({"op": "mul", "args": [600, {"op": "ceildivs", "args": [{"size": [0, 0]}, 64]}]})",
      small = R"({"op": "mul", "args": [{"size": [0, 0]}, {"scalar": 1}]})",
      last; ///< of a third variant of the first member, if it is not empty
};

std::string costOf(const std::string &cost) {
  return cost.empty() ? "" : "\"cost\": " + cost + ",";
}

/// Three members. The first takes everything, the second has one variant with a guard, the third is
/// for few rows. Their candidates use tensor maps, except `any`.
std::string familyJson(const Costs &costs = {}) {
  const std::string launch = R"("launches": [{"grid": [1], "block": 128,
      "params": [{"kind": "pointer", "arg": 0}, {"kind": "descriptor", "index": 0}],
      "descriptors": [{"arg": 0, "element": "f32", "box": [16, 32], "dims": [0, 1]}], "symbol": )";
  const std::string aligned = R"("guards": [{"fact": "align", "arg": 0, "value": 16}],)";
  return R"({"version": 3, "target": "sm_90a", "kernels": [{"name": "scale",
    "args": [{"name": "A", "kind": "memref", "element": "f32", "shape": ["M", "N"],
              "layout": "strided", "strides": [null, 1], "access": "read"},
             {"name": "n", "kind": "scalar", "type": "i32"}],
    "variants": [
      {"name": "BM=128/aligned", "member": "BM=128",)" +
         costOf(costs.wide) + aligned + launch + R"("wide"}]},
      {"name": "BM=128/any", "member": "BM=128",)" +
         costOf(costs.wideAny) +
         R"("launches": [{"symbol": "wide_any", "grid": [1], "params": []}]},)" +
         (costs.last.empty()
              ? ""
              : R"({"name": "BM=128/last", "member": "BM=128",)" + costOf(costs.last) +
                    R"("launches": [{"symbol": "wide_last", "grid": [1], "params": []}]},)") +
         R"({"name": "BM=64/aligned", "member": "BM=64",)" + costOf(costs.narrow) + aligned +
         launch + R"("narrow"}]},
      {"name": "BM=16/few", "member": "BM=16",)" +
         costOf(costs.small) +
         R"("guards": [{"fact": "size_max", "arg": 0, "dim": 0, "value": 32},
                     {"fact": "align", "arg": 0, "value": 16}],)" +
         launch + R"("small"}]}]}]})";
}

std::string replaced(std::string json, const std::string &from, const std::string &to) {
  const size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

std::string failure(const std::string &json) {
  Contract contract;
  std::string error;
  EXPECT_FALSE(parseContract(wrapContract(json), contract, error)) << json;
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error;
}

TEST(FamilyContract, Parses) {
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(wrapContract(familyJson()), contract, error)) << error;
  const KernelContract &kernel = contract.kernels[0];
  EXPECT_TRUE(kernel.isFamily());
  ASSERT_EQ(kernel.members.size(), 3u);
  EXPECT_EQ(kernel.members[0].name, "BM=128");
  EXPECT_EQ(kernel.members[0].count, 2u);
  EXPECT_EQ(kernel.members[1].first, 2u);
  EXPECT_EQ(kernel.members[2].first, 3u);
  EXPECT_EQ(kernel.memberOf(1), 0u);
  EXPECT_EQ(kernel.memberOf(3), 2u);
  ASSERT_TRUE(kernel.variants[2].cost);
  EXPECT_EQ(kernel.variants[2].cost->print(kernel.argNames()), "600 * ceildivs(A.size[0], 64)");
  Costs none;
  none.narrow.clear();
  ASSERT_TRUE(parseContract(wrapContract(familyJson(none)), contract, error)) << error;
  EXPECT_FALSE(contract.kernels[0].variants[2].cost);
}

/// Such a kernel has one member without a name.
TEST(FamilyContract, NoFamily) {
  Contract contract;
  std::string error;
  ASSERT_TRUE(parseContract(wrapContract(replaced(gemmJson, R"("version": 1)", R"("version": 3)")),
                            contract, error))
      << error;
  EXPECT_FALSE(contract.kernels[0].isFamily());
  ASSERT_EQ(contract.kernels[0].members.size(), 1u);
  EXPECT_EQ(contract.kernels[0].members[0].count, 2u);
}

TEST(FamilyContract, Malformed) {
  const std::string good = familyJson(), at = "malformed contract: kernels[0].variants";
  for (const char *version : {"1", "2"})
    EXPECT_EQ(failure(replaced(good, R"("version": 3)", std::string("\"version\": ") + version)),
              at + "[0].member: is in contracts of version 3, this one is of version " + version);
  EXPECT_EQ(failure(replaced(good, R"("member": "BM=64",)", "")),
            at + "[2]: all variants of a kernel have a 'member', or none has one");
  EXPECT_EQ(failure(replaced(good, R"("member": "BM=128",)", "")),
            at + "[0]: 'cost' is for variants with a 'member'");
  Costs none;
  none.wide.clear();
  EXPECT_EQ(failure(replaced(familyJson(none), R"("member": "BM=128",)", "")),
            at + "[1]: all variants of a kernel have a 'member', or none has one");
  for (const char *name : {R"("")", R"("BM=128/any")", R"("a\nb")", R"("a\u0000")"})
    EXPECT_EQ(failure(replaced(good, R"("member": "BM=128")", std::string("\"member\": ") + name)),
              at + "[0].member: expected one or more printable characters, none of them '/'");
  EXPECT_EQ(failure(replaced(good, R"("member": "BM=128")", R"("member": 128)")),
            at + "[0].member: expected a string");
  EXPECT_EQ(failure(replaced(replaced(good, "BM=16/few", "BM=128/few"), R"("member": "BM=16")",
                             R"("member": "BM=128")")),
            at + "[3].member: the variants of 'BM=128' are not adjacent");
  for (const char *name : {"any", "BM=64/any", "BM=128/", "BM=128"})
    EXPECT_EQ(failure(replaced(good, R"("name": "BM=128/any")",
                               std::string(R"("name": ")") + name + "\"")),
              at + "[1]: its 'name' must be 'BM=128/' and the name of the variant");
  EXPECT_EQ(failure(replaced(good, R"("name": "BM=128/aligned", )", "")),
            at + "[0]: its 'name' must be 'BM=128/' and the name of the variant");
  Costs wrong;
  wrong.narrow = R"({"size": [1, 0]})";
  EXPECT_EQ(failure(familyJson(wrong)),
            at + "[2].cost.size[0]: argument 1 is no memref of this kernel");
  wrong.narrow = "1.5";
  EXPECT_EQ(failure(familyJson(wrong)), at + "[2].cost: expected an object");
}

TEST(FamilyContract, Limit) {
  auto withMembers = [](size_t count) {
    std::string list;
    for (size_t i = 0; i < count; ++i) {
      const std::string name = "B=" + std::to_string(i);
      list += (i ? "," : "") + (R"({"name": ")" + name) + R"(/any", "member": ")" + name +
              R"(", "launches": []})";
    }
    return R"({"version": 3, "target": "cpu", "kernels": [{"name": "k", "args": [], "variants": [)" +
           list + "]}]}";
  };
  Contract contract;
  std::string error;
  EXPECT_TRUE(parseContract(wrapContract(withMembers(256)), contract, error)) << error;
  EXPECT_EQ(
      failure(withMembers(257)),
      "malformed contract: kernels[0].variants[256].member: a kernel has at most 256 members");
}

class Family : public ::testing::Test {
protected:
  void SetUp() override { load({}); }
  void load(const Costs &costs) {
    Contract contract;
    std::string error;
    ASSERT_TRUE(parseContract(wrapContract(familyJson(costs)), contract, error)) << error;
    auto owned = std::make_unique<Recorder>();
    recorder = owned.get();
    module = Module::create(std::move(contract), std::move(owned));
    kernel = module->getKernels()[0].get();
    args[0] = {reinterpret_cast<void *>(0x10000), sizes, strides, 0};
    args[1].bits = 1;
  }
  /// The symbol that a launch with so many rows takes, or the error.
  std::string takes(int64_t rows) {
    sizes[0] = rows;
    Error error;
    if (!kernel->launch(args, 2, nullptr, error))
      return error.message;
    size_t variant;
    EXPECT_TRUE(kernel->check(args, 2, variant, error));
    EXPECT_EQ(kernel->getContract().variants[variant].launches[0].symbol,
              recorder->calls.back().symbol);
    return recorder->calls.back().symbol;
  }
  void misalign() { args[0].pointer = reinterpret_cast<void *>(0x10004); }

  std::unique_ptr<Module> module;
  Recorder *recorder;
  Kernel *kernel;
  int64_t sizes[2] = {64, 32}, strides[2] = {32, 1};
  tessera_rt_arg args[2] = {};
};

TEST_F(Family, BySize) {
  EXPECT_EQ(takes(16), "small");
  EXPECT_EQ(takes(33), "narrow"); // its guard fails, though it would cost less
  EXPECT_EQ(takes(64), "narrow");
  EXPECT_EQ(takes(65), "wide");
  EXPECT_EQ(takes(256), "wide");
  EXPECT_EQ(takes(257), "wide");
  EXPECT_EQ(takes(300), "wide"); // 3000 and 3000: the earlier
}

/// What a cost uses is part of the key, and one look-up finds what was chosen.
TEST_F(Family, Cached) {
  EXPECT_EQ(takes(16), "small");
  EXPECT_EQ(takes(64), "narrow");
  EXPECT_EQ(recorder->looked, 2);
  EXPECT_EQ(takes(16), "small");
  EXPECT_EQ(takes(64), "narrow");
  EXPECT_EQ(recorder->looked, 2) << "nothing is chosen or prepared anew";
  args[1].bits = 1000;
  EXPECT_EQ(takes(16), "narrow");
  args[1].bits = 1 | uint64_t{7} << 32; // the same i32
  EXPECT_EQ(takes(16), "small");
  EXPECT_EQ(recorder->looked, 3);
  EXPECT_EQ(recorder->coresAsked, 0) << "no cost depends on them";
}

TEST_F(Family, Cores) {
  Costs costs;
  costs.narrow = R"({"op": "ceildivs", "args": [100000, "num_cores"]})";
  load(costs);
  EXPECT_EQ(takes(64), "narrow");
  recorder->cores = 10;
  EXPECT_EQ(takes(64), "wide");
  recorder->cores = 132;
  EXPECT_EQ(takes(64), "narrow");
}

/// In each member the first variant that fits is the candidate, unless a later one is predicted to
/// take less than nine tenths of its time.
TEST_F(Family, LaterVariants) {
  Costs costs;
  costs.wide = "1000";
  costs.narrow = costs.small = "5000";
  for (const char *slow : {"1000", "900", "", "-1"}) {
    costs.wideAny = slow;
    load(costs);
    EXPECT_EQ(takes(64), "wide") << slow;
  }
  costs.wideAny = "899";
  load(costs);
  EXPECT_EQ(takes(64), "wide_any");
  Error error;
  ASSERT_TRUE(kernel->forceMember("BM=128", error)) << error.message;
  EXPECT_EQ(takes(64), "wide_any") << "a member that is forced takes its best variant, too";
  // Each is compared with the one that would be taken until then.
  costs.wideAny = "890";
  for (const auto &[last, taken] : {std::pair("810", "wide_any"), std::pair("800", "wide_last")}) {
    costs.last = last;
    load(costs);
    EXPECT_EQ(takes(64), taken) << last;
  }
  costs.wideAny = "905";
  costs.last = "850";
  load(costs);
  EXPECT_EQ(takes(64), "wide_last");
  costs.last = "";
  // Nothing is compared with a variant without a cost.
  costs.wide = "";
  load(costs);
  EXPECT_EQ(takes(64), "narrow");
  ASSERT_TRUE(kernel->forceMember("BM=128", error)) << error.message;
  EXPECT_EQ(takes(64), "wide");
}

TEST_F(Family, GuardsOfOneMember) {
  misalign();
  EXPECT_EQ(takes(64), "wide_any");
  EXPECT_EQ(takes(16), "wide_any");
}

/// Strides that no tensor map has: the last variant of a member has to ask, too, if it has guards.
TEST_F(Family, MapsThatDoNotExist) {
  strides[0] = -64;
  EXPECT_EQ(takes(64), "wide_any");
  EXPECT_EQ(takes(16), "wide_any");
  Error error;
  ASSERT_TRUE(kernel->forceMember("BM=64", error));
  EXPECT_EQ(takes(64),
            "member 'BM=64' cannot take these arguments: 'BM=64/aligned' needs A "
            "with strides that a tensor map can have, not negative and below 2^40 bytes");
}

TEST_F(Family, Ties) {
  Costs costs;
  costs.wide = costs.narrow = "700";
  load(costs);
  EXPECT_EQ(takes(64), "wide");
  costs.small = "700";
  costs.wide = "701";
  load(costs);
  EXPECT_EQ(takes(16), "narrow");
}

/// Without a cost, or with one that is no number, a member is the last choice.
TEST_F(Family, MissingCosts) {
  const char *const nothing[] = {
      "", "-1", R"({"op": "mul", "args": [{"size": [0, 0]}, 9223372036854775807]})",
      R"({"op": "floordivs", "args": [1, {"op": "sub", "args": [{"scalar": 1}, 1]}]})",
      R"({"op": "shl", "args": [1, 64]})"};
  for (const char *cost : nothing) {
    Costs costs;
    costs.small = costs.wide = cost;
    load(costs);
    EXPECT_EQ(takes(16), "narrow") << cost;
    costs.narrow = cost;
    load(costs);
    EXPECT_EQ(takes(16), "wide") << cost << ": the first of equals";
    costs.small = "9223372036854775807";
    load(costs);
    EXPECT_EQ(takes(16), "small") << cost;
    EXPECT_EQ(takes(64), "wide") << cost;
  }
  Costs zero;
  zero.narrow = "0";
  load(zero);
  EXPECT_EQ(takes(16), "narrow");
}

TEST_F(Family, Forced) {
  Error error;
  ASSERT_TRUE(kernel->forceMember("BM=128", error));
  EXPECT_EQ(takes(16), "wide");
  misalign();
  EXPECT_EQ(takes(16), "wide_any");
  ASSERT_TRUE(kernel->forceMember("BM=64", error));
  EXPECT_EQ(takes(64), "member 'BM=64' cannot take these arguments: 'BM=64/aligned' needs A "
                       "aligned to 16");
  args[0].pointer = reinterpret_cast<void *>(0x10000);
  ASSERT_TRUE(kernel->forceVariant("BM=16/few", error));
  EXPECT_EQ(takes(16), "small");
  EXPECT_EQ(takes(64), "variant 'BM=16/few' cannot take these arguments: it needs A.size[0] <= 32");
  EXPECT_FALSE(kernel->forceMember("BM=32", error));
  EXPECT_EQ(error.message, "kernel 'scale' has no member 'BM=32' (its members: BM=128, BM=64, "
                           "BM=16)");
  EXPECT_FALSE(kernel->forceVariant("BM=128", error));
  EXPECT_EQ(error.message, "kernel 'scale' has no variant 'BM=128' (BM=128/aligned, BM=128/any, "
                           "BM=64/aligned, BM=16/few)");
  EXPECT_EQ(takes(16), "small") << "as before";
  ASSERT_TRUE(kernel->forceMember("", error));
  EXPECT_EQ(takes(64), "narrow");
  // A variant and a member of the same number are not confused.
  load({});
  ASSERT_TRUE(kernel->forceVariant("BM=64/aligned", error));
  EXPECT_EQ(takes(16), "narrow");
  ASSERT_TRUE(kernel->forceMember("BM=16", error));
  EXPECT_EQ(takes(16), "small");
}

TEST_F(Launcher, NoFamilyHasNoMembers) {
  Error error;
  EXPECT_FALSE(kernel->forceMember("BM=128", error));
  EXPECT_EQ(error.message, "kernel 'gemm' is no family: it has no member 'BM=128'");
  std::vector<Ranked> ranking;
  ASSERT_TRUE(kernel->rank(args, 4, ranking, error)) << error.message;
  ASSERT_EQ(ranking.size(), 1u);
  EXPECT_EQ(ranking[0].variant, 0u);
  EXPECT_TRUE(ranking[0].isChosen);
  EXPECT_FALSE(ranking[0].nanoseconds);
  EXPECT_EQ(tessera_rt_num_members(reinterpret_cast<tessera_rt_kernel *>(kernel)), 0u);
}

TEST_F(Family, NobodyFits) {
  Contract contract;
  std::string error, json = familyJson();
  const std::string any = R"("member": "BM=128",)" + costOf(Costs().wideAny);
  json = replaced(json, any,
                  any + R"("guards": [{"fact": "size_min", "arg": 0, "dim": 0, "value": 999}],)");
  ASSERT_TRUE(parseContract(wrapContract(json), contract, error)) << error;
  module = Module::create(std::move(contract), std::make_unique<Recorder>());
  kernel = module->getKernels()[0].get();
  misalign();
  EXPECT_EQ(takes(64), "no member of kernel 'scale' takes these arguments: 'BM=128/any' needs "
                       "A.size[0] >= 999, 'BM=64/aligned' needs A aligned to 16, 'BM=16/few' needs "
                       "A.size[0] <= 32; compile it with more members (tilec --members=N), or bind "
                       "its parameters for these sizes (tilec -D)");
}

/// The ranking as a host in C sees it.
class FamilyRanking : public Family {
protected:
  struct Entry {
    std::string member, variant, reason;
    int64_t nanoseconds;
    bool isChosen;
  };
  std::vector<Entry> rank(int64_t rows) {
    sizes[0] = rows;
    std::vector<Entry> list;
    tessera_rt_ranking *ranking = nullptr;
    char *error = nullptr;
    EXPECT_EQ(tessera_rt_rank(handle(), args, 2, &ranking, &error), TESSERA_RT_OK) << error;
    for (size_t i = 0; i < tessera_rt_ranking_size(ranking); ++i) {
      tessera_rt_ranked entry = {};
      EXPECT_EQ(tessera_rt_ranking_at(ranking, i, &entry), TESSERA_RT_INVALID) << "no struct_size";
      entry.struct_size = sizeof(entry);
      EXPECT_EQ(tessera_rt_ranking_at(ranking, i, &entry), TESSERA_RT_OK);
      EXPECT_NE(entry.variant_name == nullptr, entry.reason == nullptr);
      if (entry.variant_name) {
        EXPECT_STREQ(entry.variant_name, tessera_rt_variant_name(handle(), entry.variant));
        EXPECT_STREQ(entry.member, tessera_rt_variant_member(handle(), entry.variant));
      }
      list.push_back({entry.member, entry.variant_name ? entry.variant_name : "",
                      entry.reason ? entry.reason : "", entry.nanoseconds, entry.is_chosen != 0});
    }
    tessera_rt_ranked beyond = {};
    beyond.struct_size = sizeof(beyond);
    EXPECT_EQ(tessera_rt_ranking_at(ranking, list.size(), &beyond), TESSERA_RT_INVALID);
    tessera_rt_free_ranking(ranking);
    EXPECT_EQ(recorder->calls.size(), 0u) << "nothing runs";
    return list;
  }
  tessera_rt_kernel *handle() { return reinterpret_cast<tessera_rt_kernel *>(kernel); }
};

TEST_F(FamilyRanking, Order) {
  EXPECT_EQ(tessera_rt_num_members(handle()), 3u);
  EXPECT_STREQ(tessera_rt_member_name(handle(), 1), "BM=64");
  EXPECT_EQ(tessera_rt_member_name(handle(), 3), nullptr);
  EXPECT_EQ(tessera_rt_variant_member(handle(), 4), nullptr);
  std::vector<Entry> list = rank(16);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].member, "BM=16");
  EXPECT_EQ(list[0].nanoseconds, 16);
  EXPECT_TRUE(list[0].isChosen);
  EXPECT_EQ(list[1].variant, "BM=64/aligned");
  EXPECT_EQ(list[2].nanoseconds, 1000);
  EXPECT_FALSE(list[2].isChosen);
}

/// Those without a prediction come behind, and those that do not fit at last.
TEST_F(FamilyRanking, LessThanTimes) {
  Costs costs;
  costs.wide = costs.wideAny = "-5";
  load(costs);
  std::vector<Entry> list = rank(64);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].member, "BM=64");
  EXPECT_EQ(list[1].variant, "BM=128/aligned");
  EXPECT_EQ(list[1].nanoseconds, -1);
  EXPECT_EQ(list[2].reason, "'BM=16/few' needs A.size[0] <= 32");
  EXPECT_EQ(list[2].nanoseconds, -1);
  misalign();
  list = rank(64);
  EXPECT_EQ(list[0].variant, "BM=128/any");
  EXPECT_TRUE(list[0].isChosen);
  EXPECT_EQ(list[1].reason, "'BM=64/aligned' needs A aligned to 16");
}

/// What is forced is marked, and stands for its member.
TEST_F(FamilyRanking, Forced) {
  ASSERT_EQ(tessera_rt_force_variant(handle(), "BM=128/any", nullptr), TESSERA_RT_OK);
  std::vector<Entry> list = rank(64);
  EXPECT_EQ(list[0].member, "BM=64");
  EXPECT_FALSE(list[0].isChosen);
  EXPECT_EQ(list[1].variant, "BM=128/any");
  EXPECT_EQ(list[1].nanoseconds, 50000);
  EXPECT_TRUE(list[1].isChosen);
  ASSERT_EQ(tessera_rt_force_member(handle(), "BM=16", nullptr), TESSERA_RT_OK);
  for (const Entry &entry : rank(64))
    EXPECT_FALSE(entry.isChosen) << "it does not fit";
  ASSERT_EQ(tessera_rt_force_member(handle(), nullptr, nullptr), TESSERA_RT_OK);
  EXPECT_TRUE(rank(64)[0].isChosen);
}

TEST_F(FamilyRanking, Refused) {
  sizes[0] = -1;
  tessera_rt_ranking *ranking = nullptr;
  char *error = nullptr;
  EXPECT_EQ(tessera_rt_rank(handle(), args, 2, &ranking, &error), TESSERA_RT_INVALID);
  EXPECT_STREQ(error, "argument 0 'A': dimension 0 has the negative size -1");
  EXPECT_EQ(ranking, nullptr);
  tessera_rt_free_error(error);
}
} // namespace
