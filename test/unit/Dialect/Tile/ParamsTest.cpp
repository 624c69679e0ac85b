// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests what hosts ask about parameters: which bindings there are, and members beside the family.
#include "tessera/Dialect/Tile/Params/Params.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera::tile;

namespace {

constexpr const char *kFamily = R"(
tile.kernel @family(%x: memref<?xf32> {tile.shape = ["N"]}) {
  %W = tile.param "W" [128, 64] : index
  %WAY = tile.param "WAY" [1, 2, 3] : index
  %c3 = arith.constant 3 : index
  %last = arith.cmpi eq, %WAY, %c3 : index
  scf.if %last {
    tile.assume %W {max = 64} : index
  }
  %both = arith.muli %W, %WAY : index
  tile.assume %both {min = 128} : index
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (%W) {
    %t = tile.load %x[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
)";

class ParamsTest : public ::testing::Test {
protected:
  ParamsTest() {
    context.loadDialect<TileDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                        memref::MemRefDialect, tensor::TensorDialect>();
    context.printOpOnDiagnostic(false);
  }

  KernelOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? *module->getOps<KernelOp>().begin() : KernelOp();
  }

  std::vector<std::string> textsOf(const LegalBindings &legal) {
    std::vector<std::string> texts;
    for (const Binding &binding : legal.bindings)
      texts.push_back(bindingText(binding));
    return texts;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

using Texts = std::vector<std::string>;

TEST_F(ParamsTest, LegalBindings) {
  KernelOp kernel = parse(kFamily);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(textsOf(legalBindings(kernel)),
            (Texts{"W=128,WAY=1", "W=128,WAY=2", "W=64,WAY=2", "W=64,WAY=3"}));
  EXPECT_EQ(textsOf(legalBindings(kernel, {{"W", 64}})), (Texts{"W=64,WAY=2", "W=64,WAY=3"}));
  EXPECT_TRUE(legalBindings(kernel, {{"W", 64}, {"WAY", 1}}).bindings.empty());
}

TEST_F(ParamsTest, AtMostSoMany) {
  KernelOp kernel = parse(kFamily);
  ASSERT_TRUE(kernel);
  LegalBindings some = legalBindings(kernel, {}, 2);
  EXPECT_EQ(textsOf(some), (Texts{"W=128,WAY=1", "W=128,WAY=2"}));
  EXPECT_EQ(some.found, 2u);
  EXPECT_EQ(some.end, SearchEnd::Enough);
  EXPECT_TRUE(legalBindings(kernel, {}, 4).isComplete());
}

/// A kernel with `count` parameters of two choices, 1 and 2, whose sum is at least `least`.
std::string pairs(int count, int least) {
  std::string text = "tile.kernel @pairs() {\n %s0 = arith.constant 0 : index\n";
  for (int i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += " %p" + n + " = tile.param \"P" + n + "\" [1, 2] : index\n %s" + n +
            " = arith.addi %s" + before + ", %p" + n + " : index\n";
  }
  return text + " tile.assume %s" + std::to_string(count) + " {min = " + std::to_string(least) +
         "} : index\n tile.return\n}";
}

// A sample is spread over all bindings. The last parameter, which changes fastest, has all its
// values in it.
TEST_F(ParamsTest, Sample) {
  KernelOp kernel = parse(pairs(/*count=*/8, /*least=*/0));
  ASSERT_TRUE(kernel);
  const LegalBindings all = legalBindings(kernel), some = sampleBindings(kernel, {}, 16);
  ASSERT_EQ(all.bindings.size(), 256u);
  ASSERT_EQ(some.bindings.size(), 16u);
  EXPECT_EQ(some.found, 256u);
  EXPECT_TRUE(some.isComplete());
  EXPECT_EQ(some.bindings.front(), all.bindings.front());
  size_t last = 0;
  for (auto [i, binding] : llvm::enumerate(some.bindings)) {
    auto at = llvm::find(all.bindings, binding) - all.bindings.begin();
    EXPECT_EQ(static_cast<size_t>(at) / 16, i);
    last += binding.back().second == 2;
  }
  EXPECT_GT(last, 2u);
  EXPECT_LT(last, 14u);
  EXPECT_EQ(sampleBindings(kernel, {}, 16).bindings, some.bindings);
}

// If all may be taken, they are.
TEST_F(ParamsTest, SampleOfFew) {
  KernelOp kernel = parse(kFamily);
  ASSERT_TRUE(kernel);
  for (size_t most : {4, 100}) {
    const LegalBindings some = sampleBindings(kernel, {}, most);
    EXPECT_EQ(some.bindings, legalBindings(kernel).bindings);
    EXPECT_EQ(some.found, 4u);
    EXPECT_TRUE(some.isComplete());
  }
  EXPECT_TRUE(sampleBindings(kernel, {{"W", 64}, {"WAY", 1}}, 4).bindings.empty());
}

// Where hardly any choices go together, a search is given up, and nothing else is said than that.
TEST_F(ParamsTest, SearchIsGivenUp) {
  KernelOp kernel = parse(pairs(/*count=*/20, /*least=*/41));
  ASSERT_TRUE(kernel);
  const LegalBindings none = legalBindings(kernel);
  EXPECT_TRUE(none.bindings.empty());
  EXPECT_EQ(none.end, SearchEnd::TooLong);
  Texts said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said.push_back(diagnostic.str());
    return success();
  });
  EXPECT_TRUE(failed(chooseBinding(kernel, {{"P1", 2}})));
  EXPECT_EQ(said,
            Texts{"'tile.kernel' op has parameters of which no choices were found that go "
                  "together, before the search was given up after 262144 values; bind more of "
                  "them (tilec -D) than P1=2"});
}

// The same with few parameters is known for certain.
TEST_F(ParamsTest, SearchIsComplete) {
  KernelOp kernel = parse(pairs(/*count=*/5, /*least=*/11));
  ASSERT_TRUE(kernel);
  EXPECT_EQ(legalBindings(kernel).end, SearchEnd::Complete);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    EXPECT_EQ(diagnostic.str(), "'tile.kernel' op has parameters of which no choices go together");
    return success();
  });
  EXPECT_TRUE(failed(chooseBinding(kernel, {})));
}

// A host that wants no answer any more gets none soon, and no error.
TEST_F(ParamsTest, SearchIsStopped) {
  KernelOp kernel = parse(pairs(/*count=*/20, /*least=*/41));
  ASSERT_TRUE(kernel);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    ADD_FAILURE() << diagnostic.str();
    return success();
  });
  int asked = 0;
  auto shouldStop = [&] { return ++asked > 100; };
  EXPECT_EQ(legalBindings(kernel, {}, 1, shouldStop).end, SearchEnd::Stopped);
  EXPECT_EQ(asked, 101);
  EXPECT_TRUE(failed(chooseBinding(kernel, {}, shouldStop)));
  EXPECT_EQ(asked, 102);
  EXPECT_EQ(sampleBindings(kernel, {}, 1, shouldStop).end, SearchEnd::Stopped);
  auto never = [] { return false; };
  EXPECT_EQ(legalBindings(parse(kFamily), {}, 100, never).bindings.size(), 4u);
}

// What a branch chooses is computed anew when its condition changes.
TEST_F(ParamsTest, SearchThroughBranches) {
  KernelOp kernel = parse(R"(
tile.kernel @k() {
  %A = tile.param "A" [1, 2] : index
  %B = tile.param "B" [3, 4] : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %first = arith.cmpi eq, %A, %c1 : index
  %chosen = scf.if %first -> index {
    scf.yield %B : index
  } else {
    scf.yield %c7 : index
  }
  %odd = arith.remui %chosen, %c7 : index
  tile.assume %odd {max = 3} : index
  tile.return
})");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(textsOf(legalBindings(kernel)), (Texts{"A=1,B=3", "A=2,B=3", "A=2,B=4"}));
}

TEST_F(ParamsTest, NoParameters) {
  KernelOp kernel = parse("tile.kernel @k() {\n tile.return\n}");
  ASSERT_TRUE(kernel);
  EXPECT_FALSE(hasParams(kernel));
  EXPECT_TRUE(succeeded(requireBound(kernel)));
  EXPECT_EQ(textsOf(legalBindings(kernel)), Texts{""});
}

TEST_F(ParamsTest, NoChoices) {
  KernelOp kernel = parse("tile.kernel @k() {\n %p = tile.param \"P\" : index\n tile.return\n}");
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(legalBindings(kernel).bindings.empty());
  EXPECT_EQ(textsOf(legalBindings(kernel, {{"P", 7}})), Texts{"P=7"});
}

// The members stand beside the family, in any order and number.
TEST_F(ParamsTest, Clones) {
  KernelOp kernel = parse(kFamily);
  ASSERT_TRUE(kernel);
  for (const Binding &binding : legalBindings(kernel).bindings) {
    FailureOr<KernelOp> member = bindClone(kernel, binding, "member_" + bindingText(binding));
    ASSERT_TRUE(succeeded(member));
    EXPECT_FALSE(hasParams(*member));
    auto grid = *member->getBody().front().getOps<GridOp>().begin();
    EXPECT_EQ(grid.getStaticStep().front(), binding.front().second);
  }
  EXPECT_TRUE(hasParams(kernel));
  EXPECT_EQ(llvm::range_size(module->getOps<KernelOp>()), 5u);
  EXPECT_TRUE(succeeded(verify(*module)));
}

// What does not fit leaves no member.
TEST_F(ParamsTest, FailedClone) {
  KernelOp kernel = parse(kFamily);
  ASSERT_TRUE(kernel);
  Texts said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said.push_back(diagnostic.str());
    for (Diagnostic &note : diagnostic.getNotes())
      said.push_back(note.str());
    return success();
  });
  EXPECT_TRUE(failed(bindClone(kernel, {{"W", 128}, {"WAY", 3}}, "member")));
  EXPECT_EQ(said, (Texts{"an assumption about the parameters does not hold with W=128,WAY=3: the "
                         "number is 128, and at most 64 is assumed",
                         "in the kernel @member with W=128,WAY=3"}));
  said.clear();
  EXPECT_TRUE(failed(bindClone(kernel, {{"W", 128}}, "member")));
  EXPECT_EQ(said.front(), "the parameter WAY is not bound; bound are W=128");
  EXPECT_EQ(llvm::range_size(module->getOps<KernelOp>()), 1u);
}

// A chain that is longer than a stack is deep.
TEST_F(ParamsTest, LongChain) {
  std::string text = "tile.kernel @k() {\n %v0 = tile.param \"P\" [1] : index\n";
  constexpr int kOps = 100000;
  for (int i = 0; i < kOps; ++i)
    text +=
        " %v" + std::to_string(i + 1) + " = arith.addi %v" + std::to_string(i) + ", %v0 : index\n";
  text += " tile.assume %v" + std::to_string(kOps) + " {min = " + std::to_string(kOps + 1) +
          ", max = " + std::to_string(kOps + 1) + "} : index\n tile.return\n}";
  KernelOp kernel = parse(text);
  ASSERT_TRUE(kernel);
  ASSERT_EQ(textsOf(legalBindings(kernel)), Texts{"P=1"});
  EXPECT_TRUE(succeeded(bindParams(kernel, {{"P", 1}})));
}

} // namespace
