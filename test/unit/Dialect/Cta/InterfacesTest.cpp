// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A new op costs its definition and its methods: what the passes do with ops of which they know
// only the interfaces.
#include "TestOps.h"
#include "tessera/Dialect/Cta/Allocate/Passes.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using Names = std::vector<std::string>;

namespace {
class InterfacesTest : public ::testing::Test {
protected:
  InterfacesTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<test::TestDialect, tile::TileDialect, CtaDialect, arith::ArithDialect,
                        scf::SCFDialect, memref::MemRefDialect>();
  }

  /// A kernel with one launch of 64x64 tiles.
  void parseLaunch(const std::string &phase, const std::string &body) {
    parse("tile.kernel @k(%C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<" +
          phase + ">, warpgroups = 1} {\n%c0 = arith.constant 0 : index\n" +
          "cta.launch @k_0 blocks() attributes {shared = 65536} {\n" +
          "%t = arith.constant dense<1.0> : !t\n" + body + "}\ntile.return\n}\n");
  }
  void parse(const std::string &text) {
    module = parseSourceString<ModuleOp>("#acc = #cta.frag<wgmma_acc, wg = 1>\n"
                                         "!t = tensor<64x64xf32, #acc>\n"
                                         "!s = !cta.smem<64x64xf32, #cta.swizzle<linear>>\n" +
                                             text,
                                         &context);
    ASSERT_TRUE(module);
  }
  LogicalResult run(std::unique_ptr<Pass> pass) {
    ScopedDiagnosticHandler handler(&context,
                                    [&](Diagnostic &diagnostic) { error += diagnostic.str(); });
    PassManager manager(&context);
    manager.addNestedPass<tile::KernelOp>(std::move(pass));
    return manager.run(*module);
  }
  bool complains(StringRef text) const { return StringRef(error).contains(text); }
  /// The ops of the launch, in order.
  Names names() {
    Names result;
    module->walk([&](LaunchOp launch) {
      for (Operation &op : launch.getBody().front())
        if (!isa<arith::ConstantOp>(op))
          result.push_back(op.getName().getStringRef().str());
    });
    return result;
  }
  template <typename Op>
  std::vector<Op> all() {
    std::vector<Op> result;
    module->walk([&](Op op) { result.push_back(op); });
    return result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string error;
};
} // namespace

//===--- accesses ----------------------------------------------------------------------------===//

TEST_F(InterfacesTest, BarriersSeparateAWriteFromReads) {
  parseLaunch("allocated", R"(%s = cta.stage %t {offset = 0} : !t -> !s
    %a = "test.read_twice"(%s) : (!s) -> !t
    %b = "test.read_twice"(%s) : (!s) -> !t
    %u = cta.stage %t {offset = 0} : !t -> !s
    %c = cta.read %u : !s -> !t)");
  ASSERT_TRUE(succeeded(run(createInsertBarriers())));
  EXPECT_EQ(names(), (Names{"cta.stage", "cta.barrier", "test.read_twice", "test.read_twice",
                            "cta.barrier", "cta.stage", "cta.barrier", "cta.read"}));
}

TEST_F(InterfacesTest, NoBarrierBetweenDifferentBytes) {
  parseLaunch("allocated", R"(%s = "test.fill"() {offset = 0} : () -> !s
    %a = "test.read_twice"(%s) : (!s) -> !t
    %u = "test.fill"() {offset = 16384} : () -> !s)");
  ASSERT_TRUE(succeeded(run(createInsertBarriers())));
  EXPECT_EQ(names(), (Names{"test.fill", "cta.barrier", "test.read_twice", "test.fill"}));
}

TEST_F(InterfacesTest, RefusesAnOpThatSaysNothing) {
  parseLaunch("allocated", R"(%s = cta.stage %t {offset = 0} : !t -> !s
    %a = "test.peek"(%s) : (!s) -> !t)");
  EXPECT_TRUE(failed(run(createInsertBarriers())));
  EXPECT_TRUE(complains("'test.peek' op uses shared memory in a way that "
                        "cta-insert-barriers does not know; let the op implement "
                        "MemoryAccessOpInterface"))
      << error;
}

TEST_F(InterfacesTest, RefusesATileWithoutAPlace) {
  parseLaunch("allocated", R"(%s = "test.fill"() : () -> !s)");
  EXPECT_TRUE(failed(run(createInsertBarriers())));
  EXPECT_TRUE(complains("uses a shared tile without an offset")) << error;
}

// Two tiles that live at the same time, and one that nobody reads.
TEST_F(InterfacesTest, PlacesTilesOfOtherOps) {
  parseLaunch("specialized", R"(%s = "test.fill"() : () -> !s
    %u = "test.fill"() : () -> !s
    %dead = "test.fill"() : () -> !s
    %a = "test.read_twice"(%s) : (!s) -> !t
    %b = "test.read_twice"(%u) : (!s) -> !t
    %c = arith.addf %a, %b : !t
    cta.store %c, %C[%c0, %c0] : !t -> memref<?x?xf32>)");
  ASSERT_TRUE(succeeded(run(createAllocateShared())));
  std::vector<test::FillOp> fills = all<test::FillOp>();
  ASSERT_EQ(fills.size(), 2u);
  EXPECT_EQ(fills[0].getByteOffset(), 0);
  EXPECT_EQ(fills[1].getByteOffset(), 64 * 64 * 4);
}

TEST_F(InterfacesTest, SaysWhatMayBeOverwritten) {
  parseLaunch("allocated", R"(cta.store %t, %C[%c0, %c0] : !t -> memref<?x?xf32>
    %s = "test.fill"() {offset = 0} : () -> !s
    %x = memref.load %C[%c0, %c0] : memref<?x?xf32>)");
  std::optional<GlobalBox> box = globalBoxOf(all<StoreOp>().front());
  ASSERT_TRUE(box);
  EXPECT_EQ(box->extents, (SmallVector<int64_t>{64, 64}));
  EXPECT_TRUE(mayOverwrite(all<StoreOp>().front(), box));
  EXPECT_FALSE(mayOverwrite(all<test::FillOp>().front(), std::nullopt));
  EXPECT_FALSE(mayOverwrite(all<memref::LoadOp>().front(), box));
  EXPECT_TRUE(mayOverwrite(all<LaunchOp>().front(), box));
  EXPECT_FALSE(globalBoxOf(all<test::FillOp>().front()));
}

//===--- cost --------------------------------------------------------------------------------===//

TEST_F(InterfacesTest, CountsWhatTheOpSays) {
  parseLaunch("scheduled", R"(%s = cta.stage %t : !t -> !s
    %a = "test.read_twice"(%s) : (!s) -> !t
    %b = "test.noise"() : () -> !t
    %v = cta.view %s : !s -> !s
    %m = cta.mma %s, %s : !s, !s -> !t)");
  CostModel costs(hopper::kMachine, /*warpgroups=*/2);
  Operation *read = all<test::ReadTwiceOp>().front();
  EXPECT_EQ(CostModel::classOf(read), WorkClass::Memory);
  EXPECT_EQ(costs.costOf(read).work.sharedBytes, 2 * 2 * 1024);
  // Without the interface: arithmetic, one instruction for each of 32 elements of a thread.
  Operation *noise = all<test::NoiseOp>().front();
  EXPECT_EQ(CostModel::classOf(noise), WorkClass::Arith);
  EXPECT_EQ(costs.costOf(noise).work.alu, 32);
  // The defaults of the interface.
  Operation *view = all<ViewOp>().front();
  EXPECT_EQ(CostModel::classOf(view), WorkClass::Free);
  EXPECT_EQ(costs.costOf(view).work.alu, 0);
  // Each of the 32 elements is a sum of 64 products.
  Operation *product = all<MmaOp>().front();
  EXPECT_EQ(CostModel::classOf(product), WorkClass::Arith);
  EXPECT_EQ(costs.costOf(product).work.fma, 32 * 64);
}

//===--- slices ------------------------------------------------------------------------------===//

static const std::string kEpilogue = R"(
tile.kernel @k(%x: memref<64x64xf32>, %C: memref<?x?xf32>) attributes {phase = #tile.phase<placed>,
    plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  tile.grid (%i, %j) = (0, 0) to (%m, %m) step (64, 64) {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<64x64xf32> -> !t
    %r = OP : () -> !t
    %sum = arith.addf %acc, %r : !t
    cta.store %sum, %C[%i, %j] : !t -> memref<?x?xf32>
  }
  tile.return
})";

static std::string epilogueWith(const std::string &op) {
  std::string text = kEpilogue;
  return text.replace(text.find("OP"), 2, op);
}

TEST_F(InterfacesTest, ComputesSomeColumns) {
  parse(epilogueWith("\"test.ramp\"() {first = 5 : i64}"));
  ASSERT_TRUE(succeeded(run(createSplitEpilogue())));
  std::vector<test::RampOp> ramps = all<test::RampOp>();
  ASSERT_EQ(ramps.size(), 2u); // the whole one is dead
  EXPECT_EQ(ramps[0].getFirst(), 5);
  EXPECT_EQ(ramps[1].getFirst(), 37);
  for (test::RampOp ramp : ramps)
    EXPECT_EQ(tileShape(ramp->getResult(0).getType()), (ArrayRef<int64_t>{64, 32}));
  EXPECT_TRUE(all<SliceOp>().empty());
}

TEST_F(InterfacesTest, SlicesWhatComputesAllColumns) {
  parse(epilogueWith("\"test.noise\"()"));
  ASSERT_TRUE(succeeded(run(createSplitEpilogue())));
  EXPECT_EQ(all<test::NoiseOp>().size(), 1u);
  EXPECT_EQ(all<SliceOp>().size(), 2u);
}

/// Upstream passes give a loop more carried values through LoopLikeOpInterface. The old values keep
/// their places, uses inside the loop may become uses of the new argument, and the text of the
/// result can be read again.
TEST_F(InterfacesTest, LoopOverOutputTilesTakesMoreValues) {
  parseLaunch("allocated", R"(%b = cta.block_id : index
    %r = cta.for_output_tiles %i = %b to %n step %n iter_args(%x = %c0) -> (index) {
      %y = arith.addi %x, %b : index
      cta.yield %y : index
    }
    %z = arith.addi %r, %r : index)");
  auto loop = all<ForOutputTilesOp>().front();
  Value block = all<BlockIdOp>().front();
  IRRewriter rewriter(&context);
  auto yields = [](OpBuilder &b, Location loc, ArrayRef<BlockArgument> added) {
    Value twice = arith::AddIOp::create(b, loc, added[0], added[0]);
    return SmallVector<Value>{twice};
  };
  FailureOr<LoopLikeOpInterface> grown =
      cast<LoopLikeOpInterface>(loop.getOperation())
          .replaceWithAdditionalYields(rewriter, block, /*replaceInitOperandUsesInLoop=*/true,
                                       yields);
  ASSERT_TRUE(succeeded(grown));
  ASSERT_TRUE(succeeded(verify(*module)));
  auto now = cast<ForOutputTilesOp>(grown->getOperation());
  ASSERT_EQ(now.getNumResults(), 2u);
  EXPECT_EQ(now.getInitArgs()[1], block);
  auto sum = now.getYield().getValues()[0].getDefiningOp<arith::AddIOp>();
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum.getLhs(), now.getRegionIterArgs()[0]);
  EXPECT_EQ(sum.getRhs(), now.getRegionIterArgs()[1]);
  auto twice = now.getYield().getValues()[1].getDefiningOp<arith::AddIOp>();
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice.getLhs(), now.getRegionIterArgs()[1]);
  auto user = cast<arith::AddIOp>(now->getNextNode());
  EXPECT_EQ(user.getLhs(), now.getResult(0));

  std::string text;
  llvm::raw_string_ostream(text) << *module;
  EXPECT_TRUE(parseSourceString<ModuleOp>(text, &context));
}
