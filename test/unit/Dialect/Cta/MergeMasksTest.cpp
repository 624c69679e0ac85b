// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A conjunction of two bounds and what cta-merge-masks makes of it are the same, also for the
// greatest and the least numbers. All are constants, so what is left of a program is its result.
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
constexpr int kNumbers[] = {-128, -127, -1, 0, 1, 126, 127};

/// x, left and right take all values of kNumbers. With `isRight` x is on the right of `other`.
std::string program(const std::string &one, const std::string &other, bool isRight) {
  const std::string type = "tensor<16x16xi8, #acc>";
  std::string text = "#acc = #cta.frag<wgmma_acc, wg = 1>\n"
                     "tile.kernel @k(%D: memref<?x?xi1>) attributes {phase = "
                     "#tile.phase<scheduled>, warpgroups = 1} {\n"
                     "cta.launch @k_0 blocks() {\n%zero = arith.constant 0 : index\n";
  int n = 0;
  for (int x : kNumbers)
    for (int left : kNumbers)
      for (int right : kNumbers) {
        auto name = [&](const char *what) { return "%" + std::string(what) + std::to_string(n); };
        auto constant = [&](const char *what, int number) {
          text += name(what) + " = arith.constant dense<" + std::to_string(number) + "> : " + type +
                  "\n";
        };
        constant("x", x);
        constant("l", left);
        constant("r", right);
        text += name("a") + " = arith.cmpi " + one + ", " + name("x") + ", " + name("l") + " : " +
                type + "\n";
        text += name("b") + " = arith.cmpi " + other + ", " + name(isRight ? "r" : "x") + ", " +
                name(isRight ? "x" : "r") + " : " + type + "\n";
        text += name("c") + " = arith.andi " + name("a") + ", " + name("b") +
                " : tensor<16x16xi1, #acc>\n";
        text += "cta.store " + name("c") +
                ", %D[%zero, %zero] : tensor<16x16xi1, #acc> -> memref<?x?xi1>\n";
        ++n;
      }
  return text + "}\ntile.return\n}\n";
}

/// What the program stores, one after the other; and whether the pass has left a conjunction.
std::pair<std::vector<bool>, bool> results(MLIRContext &context, const std::string &text,
                                           bool merges) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  std::pair<std::vector<bool>, bool> result{{}, false};
  if (!module)
    return result;
  PassManager merging(&context);
  merging.nest<tile::KernelOp>().addPass(createMergeMasks());
  if (merges && failed(merging.run(*module)))
    return result;
  module->walk([&](arith::AndIOp) { result.second = true; });
  PassManager folding(&context);
  folding.addPass(createCanonicalizerPass());
  if (failed(folding.run(*module)))
    return result;
  module->walk([&](StoreOp store) {
    DenseElementsAttr value;
    if (matchPattern(store->getOperand(0), m_Constant(&value)) && value.isSplat())
      result.first.push_back(value.getSplatValue<bool>());
  });
  return result;
}
} // namespace

TEST(MergeMasks, SameForAllNumbers) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect, CtaDialect, arith::ArithDialect, memref::MemRefDialect>();
  const std::vector<std::vector<std::string>> sides{
      {"slt", "sle"}, {"sgt", "sge"}, {"ult", "ule"}, {"ugt", "uge"}};
  for (size_t side = 0; side < sides.size(); ++side)
    for (bool isRight : {false, true})
      for (const std::string &one : sides[side])
        // Below x is above from the other side.
        for (const std::string &other : sides[isRight ? side ^ 1 : side]) {
          const std::string text = program(one, other, isRight);
          auto [expected, before] = results(context, text, false);
          auto [got, after] = results(context, text, true);
          EXPECT_EQ(expected.size(),
                    std::size(kNumbers) * std::size(kNumbers) * std::size(kNumbers));
          EXPECT_TRUE(before);
          EXPECT_FALSE(after) << one << " and " << other;
          EXPECT_EQ(expected, got) << one << " and " << other;
        }
}
