// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Members of a family become variants of one kernel: what they demand and do, together.
#include "tessera/Contract/Contract.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera;

namespace {
/// The kernels of a text as the contract of one artifact, and the first error.
struct Members : testing::Test {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  contract::Contract contract;
  std::string error;

  void add(const std::string &text) {
    context.loadDialect<tile::TileDialect, arith::ArithDialect, memref::MemRefDialect>();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (error.empty())
        error = diagnostic.str();
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << error;
    for (auto kernel : module->getOps<tile::KernelOp>())
      if (failed(contract::addVariant(contract, kernel, {})))
        return;
  }
};

/// A member of @k with this body and these arguments.
std::string member(const char *symbol, const char *text, const std::string &body,
                   const char *arguments = "%X: memref<?xf32>, %Y: memref<?xf32>",
                   const char *more = "") {
  return std::string("tile.kernel @") + symbol + "(" + arguments +
         ") attributes {tile.member_of = \"k\", tile.member = \"" + text + "\"" + more + "} {\n" +
         body + "  tile.return\n}\n";
}

const char *const kCopy = R"(
  %n = arith.constant 8 : index
  tile.grid (%i) = (0) to (%n) step (8) {
    %x = tile.load %X[%i] : memref<?xf32> -> tensor<8xf32>
    tile.store %x, %Y[%i] : tensor<8xf32> -> memref<?xf32>
  }
)";
const char *const kUpdate = R"(
  %n = arith.constant 8 : index
  tile.grid (%i) = (0) to (%n) step (8) {
    %y = tile.load %Y[%i] : memref<?xf32> -> tensor<8xf32>
    tile.store %y, %Y[%i] : tensor<8xf32> -> memref<?xf32>
  }
)";

/// A condition on the size of X.
std::string condition(int64_t most) {
  const std::string number = std::to_string(most);
  return "  %zero" + number + " = arith.constant 0 : index\n  %size" + number +
         " = memref.dim %X, %zero" + number + " : memref<?xf32>\n  %most" + number +
         " = arith.constant " + number + " : index\n  %ok" + number + " = arith.cmpi sle, %size" +
         number + ", %most" + number + " : index\n  tile.assume %ok" + number + ", \"at most " +
         number + "\" : i1\n";
}

std::vector<std::string> guardsOf(const contract::Variant &variant) {
  std::vector<std::string> messages;
  for (const contract::Guard &guard : variant.guards)
    messages.push_back(guard.cond ? guard.cond->message : guard.fact);
  return messages;
}
using Texts = std::vector<std::string>;
} // namespace

TEST_F(Members, AreVariantsOfOneKernel) {
  add(member("k_W8", "W=8",
             std::string(kCopy) + "  %t = arith.constant 70 : index\n  tile.cost %t\n") +
      member("k_W16", "W=16", kCopy, "%X: memref<?xf32>, %Y: memref<?xf32>",
             ", variant = \"aligned\", variant_of = \"k_W16\""));
  ASSERT_EQ(error, "");
  ASSERT_EQ(contract.kernels.size(), 1u);
  const contract::Kernel &kernel = contract.kernels.front();
  EXPECT_EQ(kernel.name, "k");
  ASSERT_EQ(kernel.variants.size(), 2u);
  EXPECT_EQ(kernel.variants[0].name, "W=8/any");
  EXPECT_EQ(kernel.variants[0].member, "W=8");
  ASSERT_TRUE(kernel.variants[0].cost);
  EXPECT_TRUE(kernel.variants[0].cost->isConstant(70));
  EXPECT_EQ(kernel.variants[1].name, "W=16/aligned");
  EXPECT_FALSE(kernel.variants[1].cost);
  EXPECT_NE(contract::toJson(contract).find("\"version\":3"), std::string::npos);
}

TEST_F(Members, AccessIsThatOfAll) {
  add(member("k_1", "W=1", kCopy) + member("k_2", "W=2", kUpdate));
  ASSERT_EQ(error, "");
  EXPECT_EQ(contract.kernels[0].args[0].access, "read");
  EXPECT_EQ(contract.kernels[0].args[1].access, "readwrite");
}

TEST_F(Members, AccessIsThatOfAllInTheOtherOrder) {
  add(member("k_2", "W=2", kUpdate) + member("k_1", "W=1", kCopy));
  ASSERT_EQ(error, "");
  EXPECT_EQ(contract.kernels[0].args[0].access, "read");
  EXPECT_EQ(contract.kernels[0].args[1].access, "readwrite");
}

TEST_F(Members, WhatAllDemandIsDemandedOnce) {
  add(member("k_1", "W=1", condition(100) + kCopy) + member("k_2", "W=2", condition(100) + kCopy));
  ASSERT_EQ(error, "");
  ASSERT_EQ(contract.kernels[0].assumes.size(), 1u);
  for (const contract::Variant &variant : contract.kernels[0].variants)
    EXPECT_EQ(guardsOf(variant), Texts());
}

TEST_F(Members, WhatSomeDemandGuardsThem) {
  add(member("k_1", "W=1", condition(100) + condition(8) + kCopy) +
      member("k_2", "W=2", condition(100) + kCopy) +
      member("k_3", "W=3", condition(100) + condition(16) + kCopy));
  ASSERT_EQ(error, "");
  const contract::Kernel &kernel = contract.kernels.front();
  ASSERT_EQ(kernel.assumes.size(), 1u);
  EXPECT_EQ(kernel.assumes[0].message, "at most 100");
  EXPECT_EQ(guardsOf(kernel.variants[0]), Texts{"at most 8"});
  EXPECT_EQ(guardsOf(kernel.variants[1]), Texts());
  EXPECT_EQ(guardsOf(kernel.variants[2]), Texts{"at most 16"});
}

TEST_F(Members, WithoutADemandThatTheFirstHas) {
  add(member("k_1", "W=1", condition(8) + kCopy) + member("k_2", "W=2", kCopy));
  ASSERT_EQ(error, "");
  EXPECT_TRUE(contract.kernels[0].assumes.empty());
  EXPECT_EQ(guardsOf(contract.kernels[0].variants[0]), Texts{"at most 8"});
}

TEST_F(Members, OfOtherArguments) {
  add(member("k_1", "W=1", kCopy) +
      member("k_2", "W=2", kCopy, "%X: memref<?xf32>, %Y: memref<?xf32>, %m: index"));
  EXPECT_NE(error.find("has 3 arguments, and another member 2"), std::string::npos) << error;
}

TEST_F(Members, OfOtherTypes) {
  add(member("k_1", "W=1", kCopy) +
      member("k_2", "W=2", "", "%X: memref<?xf32>, %Y: memref<?xf64>"));
  EXPECT_NE(error.find("its argument Y is of another type"), std::string::npos) << error;
}

TEST_F(Members, Twice) {
  add(member("k_1", "W=1", kCopy) + member("k_2", "W=1", kCopy));
  EXPECT_NE(error.find("there is one with the variant 'W=1/any' already"), std::string::npos)
      << error;
}

TEST_F(Members, BetweenOthers) {
  add(member("k_1", "W=1", kCopy) + member("k_2", "W=2", kCopy) +
      member("k_3", "W=1", kCopy, "%X: memref<?xf32>, %Y: memref<?xf32>",
             ", variant = \"aligned\", variant_of = \"k_3\""));
  EXPECT_NE(error.find("put them beside each other"), std::string::npos) << error;
}

TEST_F(Members, BesideKernelsThatAreNone) {
  add(member("k_1", "W=1", kCopy) +
      "tile.kernel @k(%X: memref<?xf32>, %Y: memref<?xf32>) "
      "attributes {variant = \"any\", variant_of = \"k\"} {\n" +
      kCopy + "  tile.return\n}\n");
  EXPECT_NE(error.find("all have tile.member, or none"), std::string::npos) << error;
}

TEST_F(Members, WithASlash) {
  add(member("k_1", "W/1", kCopy));
  EXPECT_NE(error.find("printable characters without '/'"), std::string::npos) << error;
}

TEST_F(Members, MoreThanALauncherReads) {
  std::string text;
  for (int i = 0; i < 257; ++i) {
    const std::string number = std::to_string(i);
    text += member(("k_" + number).c_str(), ("W=" + number).c_str(), kCopy);
  }
  add(text);
  EXPECT_NE(error.find("there are 257 members of a kernel; launchers read at most 256"),
            std::string::npos)
      << error;
}
