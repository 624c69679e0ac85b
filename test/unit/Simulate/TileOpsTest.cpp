// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulator follows ops of other dialects into shared memory, if they say what they access.
#include "../Dialect/Cta/TestOps.h"
#include "LaunchTest.h"
#include "tessera/Simulate/Machine.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

static DialectRegistry others() {
  DialectRegistry registry;
  registry.insert<test::TestDialect>();
  return registry;
}

/// A launch that fills a tile, executes `between`, and then reads it.
static std::string filledAndRead(StringRef between, StringRef reader) {
  return (R"mlir(
#l = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
!tile = !cta.smem<64xf32, #cta.swizzle<linear>>
tile.kernel @k() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %one = arith.constant 1 : index
  cta.launch @k_0 blocks(%one) attributes {threads = 128, shared = 256} {
    %s = "test.fill"() {offset = 0} : () -> !tile
    )mlir" +
          between + "\n%v = \"" + reader + R"mlir("(%s) : (!tile) -> tensor<64xf32, #l>
  }
  tile.return
}
)mlir")
      .str();
}

namespace {
class TileOpsTest : public LaunchTest {
protected:
  TileOpsTest() : LaunchTest(filledAndRead("cta.barrier", "test.read_twice"), others()) {}
  FailureOr<Program> program() {
    ScopedDiagnosticHandler handler(&context,
                                    [&](Diagnostic &diagnostic) { error += diagnostic.str(); });
    Unroller unroller(kernel, {});
    EXPECT_TRUE(succeeded(unroller.runKernel()));
    return unroller.unroll(launch, 0);
  }
  std::string error;
};
} // namespace

TEST_F(TileOpsTest, AccessesAreEvents) {
  FailureOr<Program> p = program();
  ASSERT_TRUE(succeeded(p));
  std::vector<Kind> kinds;
  for (const Event &event : p->events)
    kinds.push_back(event.kind);
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::Stage, Kind::Barrier, Kind::Read}));
  EXPECT_FALSE(simulate::simulate(*p, 0).problem);
}

TEST_F(TileOpsTest, ARaceIsFound) {
  parse(filledAndRead("", "test.read_twice"));
  FailureOr<Program> p = program();
  ASSERT_TRUE(succeeded(p));
  EXPECT_TRUE(simulate::simulate(*p, 0).problem);
}

TEST_F(TileOpsTest, RefusesAnOpThatSaysNothing) {
  parse(filledAndRead("cta.barrier", "test.peek"));
  EXPECT_TRUE(failed(program()));
  EXPECT_TRUE(StringRef(error).contains("it uses a shared tile, but does not say")) << error;
}
