// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which variants of members stay, on kernels with nothing but conditions and a predicted time.
#include "Input/DropSlowVariants.h"

#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/InitAll.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tessera;

namespace {
/// A variant of a member.
struct Described {
  std::string member, variant;
  /// The nanoseconds: those for each row, and those of the launch.
  int64_t ofRow = 1, ofLaunch = 0;
  std::string guards = "";     ///< of a list of #tile.guard
  std::string conditions = ""; ///< ops of the body; %rows is the number of rows
  std::string attributes = ", tile.fallback";
};

class DropSlowVariants : public testing::Test {
protected:
  DropSlowVariants() {
    mlir::DialectRegistry registry;
    registerTesseraDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  static std::string textOf(const Described &kernel) {
    const std::string cost =
        kernel.ofRow < 0 ? ""
                         : "%r = arith.constant " + std::to_string(kernel.ofRow) +
                               " : index %l = arith.constant " + std::to_string(kernel.ofLaunch) +
                               " : index %t = arith.muli %rows, %r : index "
                               "%n = arith.addi %t, %l : index tile.cost %n ";
    return "tile.kernel @f_" + kernel.member + "_" + kernel.variant +
           "(%A: memref<?x?xbf16, strided<[?, 1], offset: ?>>) attributes {guards = [" +
           kernel.guards + "], variant = \"" + kernel.variant + "\", variant_of = \"f_" +
           kernel.member + "\", tile.member_of = \"f\", tile.member = \"" + kernel.member + "\"" +
           kernel.attributes +
           "} {\n %c0 = arith.constant 0 : index %rows = memref.dim %A, %c0 : memref<?x?xbf16, "
           "strided<[?, 1], offset: ?>> " +
           kernel.conditions + cost + "tile.return }\n";
  }

  /// The variants that stay: "A/any".
  std::vector<std::string> keptOf(const std::vector<Described> &kernels) {
    std::string text;
    for (const Described &kernel : kernels)
      text += textOf(kernel);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return {};
    dropSlowVariants(*module);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    std::vector<std::string> kept;
    for (auto kernel : module->getOps<tile::KernelOp>())
      kept.push_back(kernel->getAttrOfType<mlir::StringAttr>("tile.member").str() + "/" +
                     kernel.getVariant()->str());
    return kept;
  }

  mlir::MLIRContext context;
};

using Names = std::vector<std::string>;

std::string atMost(int64_t rows) {
  return "tile.assume %rows {max = " + std::to_string(rows) + "} : index ";
}
const char *const kAligned = "#tile.guard<align, arg = 0, dim = -1, value = 16>";
} // namespace

TEST_F(DropSlowVariants, TheFastestStay) {
  // `A` is the fastest where there are few rows, `B` where there are many, `C` nowhere.
  EXPECT_EQ(keptOf({{"A", "any", 40, 1000}, {"B", "any", 20, 9000}, {"C", "any", 41, 9000}}),
            (Names{"A/any", "B/any"}));
  // One that is faster by less than a hundredth is as good as the one before it.
  EXPECT_EQ(keptOf({{"A", "any", 1000}, {"C", "any", 999}}), (Names{"A/any"}));
  EXPECT_EQ(keptOf({{"A", "any", 1000}, {"C", "any", 900}}), (Names{"C/any"}));
}

TEST_F(DropSlowVariants, AnotherMemberMustTakeTheLaunches) {
  // `C` is slow, but takes more rows than `A`.
  EXPECT_EQ(keptOf({{"A", "any", 10, 0, "", atMost(1 << 30)}, {"C", "any", 100, 0, ""}}),
            (Names{"A/any", "C/any"}));
  // It takes no more: its bound is the lower one.
  EXPECT_EQ(
      keptOf({{"A", "any", 10, 0, "", atMost(1 << 30)}, {"C", "any", 100, 0, "", atMost(99)}}),
      (Names{"A/any"}));
  // The same, said by guards.
  EXPECT_EQ(
      keptOf({{"A", "any", 10, 0, "#tile.guard<size_max, arg = 0, dim = 0, value = 100000000>"},
              {"C", "any", 100, 0, "#tile.guard<size_max, arg = 0, dim = 0, value = 99>"}}),
      (Names{"A/any"}));
  EXPECT_EQ(keptOf({{"A", "any", 10, 0, "#tile.guard<size_min, arg = 0, dim = 0, value = 9>"},
                    {"C", "any", 100, 0, ""}}),
            (Names{"A/any", "C/any"}));
}

TEST_F(DropSlowVariants, FactsMakeClassesOfLaunches) {
  // Where rows are aligned, `B` is faster than what takes all launches; `A` is not.
  EXPECT_EQ(keptOf({{"A", "cp_async", 9, 0, kAligned},
                    {"A", "any", 10},
                    {"B", "cp_async", 5, 0, kAligned},
                    {"B", "any", 20}}),
            (Names{"A/any", "B/cp_async"}));
  // What needs aligned rows does not take the others.
  EXPECT_EQ(keptOf({{"A", "cp_async", 1, 0, kAligned}, {"B", "any", 100}}),
            (Names{"A/cp_async", "B/any"}));
}

TEST_F(DropSlowVariants, OnlySlowOnesGo) {
  // The first variant of a member, and those for which it was chosen.
  EXPECT_EQ(keptOf({{"A", "any", 10}, {"B", "any", 100, 0, "", "", ""}}),
            (Names{"A/any", "B/any"}));
  EXPECT_EQ(keptOf({{"A", "aligned", 10}, {"B", "aligned", 100}, {"C", "lines", 100}}),
            (Names{"A/aligned", "B/aligned", "C/lines"}));
  // A predicted time is missing.
  EXPECT_EQ(keptOf({{"A", "any", 10}, {"B", "any", -1}}), (Names{"A/any", "B/any"}));
}

TEST_F(DropSlowVariants, FamiliesAreTold) {
  auto has = [&](const std::vector<Described> &kernels) {
    std::string text;
    for (const Described &kernel : kernels)
      text += textOf(kernel);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return module && hasFamilies(*module);
  };
  EXPECT_FALSE(has({{"A", "any"}, {"A", "aligned"}}));
  EXPECT_TRUE(has({{"A", "any"}, {"B", "any"}}));
  EXPECT_FALSE(has({{"A", "any", 1, 0, "", "", ""}}));
}
