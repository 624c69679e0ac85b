// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests facts about the values of kernels in textual IR. A value is found by the op that uses it:
// `"test.use"(%x) {name = "x"} : (index) -> ()`.
#include "tessera/Dialect/Tile/Facts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera::tile;

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

class FactsTest : public ::testing::Test {
protected:
  FactsTest() {
    context.loadDialect<TileDialect, arith::ArithDialect, scf::SCFDialect, memref::MemRefDialect,
                        affine::AffineDialect>();
    context.allowUnregisteredDialects();
  }

  void parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto kernels = module->getOps<KernelOp>();
    kernel = *kernels.begin();
    facts = std::make_unique<Facts>(kernel);
  }

  /// Parses a kernel with these arguments, with `body` before the grid and `grid` inside it.
  void parseKernel(const std::string &arguments, const std::string &grid,
                   const std::string &body = "", const std::string &attributes = "") {
    parse("tile.kernel @k(" + arguments + ") " + attributes + " {\n" + body +
          "\ntile.grid () = () to () step () {\n" + grid + "\n}\ntile.return\n}");
  }

  Value value(StringRef name) {
    Value found;
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.use" &&
          op->getAttrOfType<StringAttr>("name").getValue() == name)
        found = op->getOperand(0);
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  }
  int64_t div(StringRef name) { return facts->divisibility(value(name)); }
  IntRange range(StringRef name) { return facts->range(value(name)); }
  Value arg(unsigned i) { return kernel.getArgument(i); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  KernelOp kernel;
  std::unique_ptr<Facts> facts;
};

std::string use(const std::string &name, const std::string &type = "index") {
  return "\"test.use\"(%" + name + ") {name = \"" + name + "\"} : (" + type + ") -> ()\n";
}

void expectRange(IntRange range, int64_t min, int64_t max) {
  EXPECT_EQ(range.min, min);
  EXPECT_EQ(range.max, max);
}

TEST_F(FactsTest, nothingIsKnownOfAPlainArgument) {
  parseKernel("%A: memref<?x?xbf16>, %n: index", "");
  EXPECT_EQ(facts->alignment(arg(0)), 2);
  EXPECT_EQ(facts->sizeDivisibility(arg(0), 0), 1);
  EXPECT_EQ(facts->strideDivisibility(arg(0), 0), 1);
  EXPECT_EQ(facts->strideDivisibility(arg(0), 1), 1);
  expectRange(facts->sizeRange(arg(0), 1), 0, kMax);
  EXPECT_EQ(facts->divisibility(arg(1)), 1);
  EXPECT_EQ(facts->range(arg(1)).min, std::numeric_limits<int64_t>::min());
}

TEST_F(FactsTest, theRowStrideOfAnIdentityLayoutIsTheRow) {
  parseKernel(
      "%A: memref<?x?xbf16> {tile.stride_divisible = array<i64: 8, 1>, tile.align = 32 : i64},"
      "%B: memref<?x?x?xf32> {tile.size_divisible = array<i64: 1, 6, 4>},"
      "%C: memref<?x?xbf16, strided<[?, 1]>> {tile.stride_divisible = array<i64: 8, 1>}",
      "");
  EXPECT_EQ(facts->alignment(arg(0)), 32);
  EXPECT_EQ(facts->strideDivisibility(arg(0), 0), 8);
  EXPECT_EQ(facts->sizeDivisibility(arg(0), 1), 8);
  EXPECT_EQ(facts->sizeDivisibility(arg(0), 0), 1);
  EXPECT_EQ(facts->strideDivisibility(arg(1), 1), 4);
  EXPECT_EQ(facts->strideDivisibility(arg(1), 0), 24);
  EXPECT_EQ(facts->strideDivisibility(arg(2), 0), 8);
  EXPECT_EQ(facts->sizeDivisibility(arg(2), 1), 1);
}

TEST_F(FactsTest, equalNamesShareFacts) {
  parseKernel(
      "%A: memref<?x?xf32> {tile.shape = [\"M\", \"K\"], tile.size_max = array<i64: 100, 7>},"
      "%B: memref<?x64xf32> {tile.shape = [\"K\", \"N\"], tile.size_divisible = array<i64: 8, 1>},"
      "%C: memref<?xf32> {tile.shape = [\"N\"]}",
      "%N = tile.dim \"N\" : index\n%K = tile.dim \"K\" : index\n%M = tile.dim \"M\" : index\n" +
          use("N") + use("K") + use("M"));
  EXPECT_EQ(facts->sizeDivisibility(arg(0), 1), 8);
  EXPECT_EQ(facts->sizeDivisibility(arg(2), 0), 64);
  EXPECT_EQ(div("K"), 8);
  expectRange(range("K"), 0, 7);
  expectRange(range("N"), 64, 64);
  EXPECT_TRUE(facts->isSize(value("K"), arg(0), 1));
  EXPECT_TRUE(facts->isSize(value("K"), arg(1), 0));
  EXPECT_FALSE(facts->isSize(value("M"), arg(1), 0));
  EXPECT_FALSE(facts->coversSize(value("M"), arg(0), 1));
  EXPECT_TRUE(facts->coversSize(value("N"), arg(0), 1)); // 64 is more than 7
}

TEST_F(FactsTest, guardsAreFacts) {
  parseKernel("%A: memref<?x?xbf16>, %n: i32", use("n", "i32"), "",
              "attributes {guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>,"
              "#tile.guard<size_min, arg = 0, dim = 1, value = 1>,"
              "#tile.guard<size_max, arg = 0, dim = 1, value = 9>,"
              "#tile.guard<stride_divisible, arg = 0, dim = 0, value = 8>,"
              "#tile.guard<scalar_divisible, arg = 1, dim = -1, value = 12>]}");
  EXPECT_EQ(facts->alignment(arg(0)), 16);
  expectRange(facts->sizeRange(arg(0), 1), 1, 9);
  EXPECT_EQ(facts->strideDivisibility(arg(0), 0), 8);
  EXPECT_EQ(div("n"), 12);
  expectRange(range("n"), INT32_MIN, INT32_MAX);
}

TEST_F(FactsTest, coordinatesOfGridsAndLoops) {
  parse("tile.kernel @k(%A: memref<?xf32> {tile.size_max = array<i64: 1000>, tile.shape = "
        "[\"N\"]}, %n: index) {\n"
        "%N = tile.dim \"N\" : index\n"
        "tile.grid (%i, %j) = (0, 64) to (%N, 1024) step (128, 48) {\n"
        "%c0 = arith.constant 0 : index\n%c16 = arith.constant 16 : index\n%c24 = arith.constant "
        "24 : index\n"
        "scf.for %k = %c24 to %n step %c16 {\n" +
        use("k") +
        "}\n%r = scf.for %l = %c0 to %n step %c16 iter_args(%o = %c24) -> (index) {\n"
        "%p = arith.addi %o, %c16 : index\n" +
        use("o") +
        "scf.yield %p : index\n}\n%h = scf.for %l = %c0 to %n step %c16 iter_args(%q = %c24) -> "
        "(index) {\n"
        "%c2 = arith.constant 2 : index\n%p = arith.divsi %q, %c2 : index\n" +
        use("q") + "scf.yield %p : index\n}\n" + use("i") + use("j") + "}\ntile.return\n}");
  EXPECT_EQ(div("i"), 128);
  expectRange(range("i"), 0, 999);
  EXPECT_EQ(div("j"), 16);
  expectRange(range("j"), 64, 1023);
  EXPECT_EQ(div("k"), 8);
  EXPECT_EQ(range("k").min, 24);
  EXPECT_EQ(div("o"), 8);
  EXPECT_EQ(div("q"), 1); // 24, 12, 6, 3, ...
}

TEST_F(FactsTest, arithmetic) {
  parseKernel(
      "%n: index {tile.divisible = 24 : i64}, %w: i32 {tile.divisible = 12 : i64}, %x: index",
      "%c3 = arith.constant 3 : index\n%c8 = arith.constant 8 : index\n%c10 = arith.constant 10 : "
      "index\n"
      "%m = arith.muli %n, %c3 : index\n%s = arith.subi %n, %c10 : index\n%d = arith.divsi %n, %c8 "
      ": index\n"
      "%e = arith.divsi %n, %c10 : index\n%r = arith.remsi %x, %c8 : index\n%a = arith.andi %x, %r "
      ": index\n"
      "%f = arith.ceildivsi %x, %c8 : index\n%t = arith.muli %f, %c8 : index\n"
      "%lo = arith.minsi %n, %c8 : index\n%hi = arith.maxsi %n, %c8 : index\n"
      "%ww = arith.addi %w, %w : i32\n%wi = arith.index_cast %w : i32 to index\n"
      "%g = arith.shli %n, %c3 : index\n%v = affine.apply affine_map<(d0) -> (d0 * 2 + 16)>(%n)\n"
      "%z = affine.min affine_map<(d0) -> (d0, 32)>(%n)\n%cond = arith.cmpi slt, %x, %n : index\n"
      "%sel = arith.select %cond, %n, %c10 : index\n" +
          use("m") + use("s") + use("d") + use("e") + use("r") + use("t") + use("lo") + use("hi") +
          use("ww", "i32") + use("wi") + use("g") + use("v") + use("z") + use("sel"));
  EXPECT_EQ(div("m"), 72);
  EXPECT_EQ(div("s"), 2);
  EXPECT_EQ(div("d"), 3);
  EXPECT_EQ(div("e"), 1);
  EXPECT_EQ(div("r"), 1);
  expectRange(range("r"), -7, 7);
  EXPECT_EQ(div("t"), 8);
  EXPECT_EQ(div("lo"), 8);
  EXPECT_EQ(range("lo").max, 8);
  EXPECT_EQ(range("hi").min, 8);
  EXPECT_EQ(div("ww"), 4); // 12 does not survive wrapping at 2^32, 4 does
  EXPECT_EQ(div("wi"), 12);
  expectRange(range("wi"), INT32_MIN, INT32_MAX);
  EXPECT_EQ(div("g"), 192);
  EXPECT_EQ(div("v"), 16);
  EXPECT_EQ(div("z"), 8);
  EXPECT_EQ(div("sel"), 2);
}

TEST_F(FactsTest, assumptions) {
  parseKernel("%A: memref<?xf32> {tile.shape = [\"N\"]}, %n: index, %x: index",
              "%N = tile.dim \"N\" : index\n%y = arith.addi %x, %x : index\n"
              "tile.assume %y {min = 0, max = 96, divisible = 32} : index\n" +
                  use("N") + use("n") + use("y") + use("x"),
              "%c0 = arith.constant 0 : index\n%c64 = arith.constant 64 : index\n%M = tile.dim "
              "\"N\" : index\n"
              "%r = arith.remsi %M, %c64 : index\n%ok = arith.cmpi eq, %r, %c0 : index\n"
              "%big = arith.cmpi sge, %n, %c64 : index\n%both = arith.andi %ok, %big : i1\n"
              "tile.assume %both, \"N must be a multiple of 64\" : i1\n");
  EXPECT_EQ(div("N"), 64);
  EXPECT_EQ(facts->sizeDivisibility(arg(0), 0), 64);
  EXPECT_EQ(range("n").min, 64);
  EXPECT_EQ(div("y"), 32);
  expectRange(range("y"), 0, 96);
  EXPECT_EQ(div("x"), 1);
}

TEST_F(FactsTest, views) {
  parseKernel(
      "%A: memref<?x64xbf16> {tile.align = 128 : i64}, %n: index {tile.divisible = 4 : i64}",
      "%c0 = arith.constant 0 : index\n"
      "%v = memref.subview %A[%n, 16] [8, %n] [2, 1] : memref<?x64xbf16> to memref<8x?xbf16, "
      "strided<[128, 1], offset: ?>>\n"
      "%d = memref.dim %v, %c0 : memref<8x?xbf16, strided<[128, 1], offset: ?>>\n"
      "%row = memref.subview %A[%n, 0] [1, 64] [1, 1] : memref<?x64xbf16> to memref<64xbf16, "
      "strided<[1], offset: ?>>\n"
      "%c = memref.cast %A : memref<?x64xbf16> to memref<?x?xbf16, strided<[?, ?], offset: ?>>\n"
      "%f = memref.collapse_shape %A [[0, 1]] : memref<?x64xbf16> into memref<?xbf16>\n" +
          use("v", "memref<8x?xbf16, strided<[128, 1], offset: ?>>") + use("d") +
          use("row", "memref<64xbf16, strided<[1], offset: ?>>") +
          use("c", "memref<?x?xbf16, strided<[?, ?], offset: ?>>") + use("f", "memref<?xbf16>") +
          use("w", "memref<?x?xf32>"),
      "%w = memref.alloc(%n, %n) : memref<?x?xf32>\n");
  EXPECT_EQ(facts->alignment(value("v")), 32); // 4 rows of 128 bytes, and 16 elements
  EXPECT_EQ(facts->sizeDivisibility(value("v"), 0), 8);
  EXPECT_EQ(facts->sizeDivisibility(value("v"), 1), 4);
  EXPECT_EQ(facts->strideDivisibility(value("v"), 0), 128);
  expectRange(range("d"), 8, 8);
  EXPECT_EQ(facts->alignment(value("row")), 128);
  EXPECT_EQ(facts->sizeDivisibility(value("row"), 0), 64);
  EXPECT_EQ(facts->strideDivisibility(value("c"), 0), 64);
  expectRange(facts->sizeRange(value("c"), 1), 64, 64);
  EXPECT_EQ(facts->alignment(value("f")), 128);
  EXPECT_EQ(facts->sizeDivisibility(value("f"), 0), 1);
  EXPECT_EQ(facts->alignment(value("w")), 128);
  EXPECT_EQ(facts->strideDivisibility(value("w"), 0), 4);
}

// Workspace with an argument's sizes shares what is known of them. Its strides are its own.
TEST_F(FactsTest, workspaceWithStrides) {
  parseKernel(
      "%A: memref<?x?xbf16> {tile.shape = [\"M\", \"K\"], tile.size_max = array<i64: 300, 1000>}",
      use("w", "memref<?x?xbf16, strided<[?, 1]>>") + use("d"), R"(
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %M = memref.dim %A, %c0 : memref<?x?xbf16>
    %K = tile.dim "K" : index
    %d = arith.addi %K, %c0 : index
    %rows = arith.ceildivsi %K, %c64 : index
    %row = arith.muli %rows, %c64 : index
    %w = memref.alloc(%M, %K)[%row] : memref<?x?xbf16, strided<[?, 1]>>)");
  Value workspace = value("w"), rows = workspace.getDefiningOp()->getOperand(0),
        columns = workspace.getDefiningOp()->getOperand(1);
  EXPECT_EQ(facts->strideDivisibility(workspace, 0), 64);
  EXPECT_EQ(facts->strideDivisibility(workspace, 1), 1);
  expectRange(facts->sizeRange(workspace, 0), 0, 300);
  expectRange(facts->sizeRange(workspace, 1), 0, 1000);
  EXPECT_TRUE(facts->isSize(rows, workspace, 0));
  EXPECT_TRUE(facts->isSize(columns, workspace, 1));
  EXPECT_TRUE(facts->isSize(columns, arg(0), 1));
  EXPECT_FALSE(facts->isSize(value("d"), workspace, 0));
}

// Quotients by numbers that are not constant: heads of a group, rows of a page.
TEST_F(FactsTest, quotientsByNumbersThatAreNotConstant) {
  parseKernel("%A: memref<?x?xbf16> {tile.size_max = array<i64: 1000, 7>}, %n: index, %m: i32",
              use("s") + use("u") + use("c") + use("z") + use("neg") + use("any"),
              R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = memref.dim %A, %c0 : memref<?x?xbf16>
    %y = memref.dim %A, %c1 : memref<?x?xbf16>
    %y4 = arith.addi %y, %c4 : index
    %mx = arith.index_cast %m : i32 to index
    %s = arith.divsi %x, %y4 : index
    %u = arith.divui %x, %n : index
    %c = arith.ceildivsi %x, %y4 : index
    %z = arith.divui %c0, %n : index
    %neg = arith.floordivsi %mx, %y4 : index
    %any = arith.divui %mx, %y4 : index)");
  expectRange(range("s"), 0, 250);
  expectRange(range("u"), 0, 1000); // by 0 nothing is defined, a negative number gives 0
  expectRange(range("c"), 0, 250);
  expectRange(range("z"), 0, 0);
  EXPECT_EQ(div("z"), 0);
  EXPECT_EQ(div("s"), 1);
  expectRange(range("neg"), -(int64_t(1) << 29), INT32_MAX / 4);
  EXPECT_FALSE(range("any").fitsI32()); // a negative number without its sign
}

// Where this project has no rule, upstream's InferIntRangeInterface is asked.
TEST_F(FactsTest, rangesThatUpstreamInfers) {
  parseKernel("%A: memref<?xbf16> {tile.size_max = array<i64: 1000>}, %n: index",
              use("xor") + use("shr") + use("max"), R"(
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %x = memref.dim %A, %c0 : memref<?xbf16>
    %by = arith.andi %n, %c3 : index
    %xor = arith.xori %x, %by : index
    %shr = arith.shrui %x, %by : index
    %max = arith.maxui %x, %by : index)");
  expectRange(range("xor"), 0, 1023);
  expectRange(range("shr"), 0, 1000);
  expectRange(range("max"), 0, 1000);
}

TEST_F(FactsTest, whatRegionsYield) {
  parseKernel("%n: index, %p: i1",
              use("if") + use("pair") + use("switch") + use("while") + use("for") + use("grows"),
              R"(
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %m = arith.remui %n, %c64 : index
    %if = scf.if %p -> index {
      scf.yield %c64 : index
    } else {
      %t = arith.muli %m, %c8 : index
      scf.yield %t : index
    }
    %first, %pair = scf.if %p -> (index, index) {
      scf.yield %n, %c6 : index, index
    } else {
      scf.yield %n, %c64 : index, index
    }
    %switch = scf.index_switch %n -> index case 1 {
      scf.yield %c6 : index
    } case 5 {
      scf.yield %c64 : index
    } default {
      scf.yield %c0 : index
    }
    %while = scf.while (%w = %c64) : (index) -> index {
      %half = arith.divui %w, %c8 : index
      scf.condition(%p) %half : index
    } do {
    ^bb0(%w: index):
      %next = arith.remui %w, %c8 : index
      scf.yield %next : index
    }
    %for = scf.for %i = %c0 to %n step %c8 iter_args(%f = %c64) -> index {
      %next = arith.remui %i, %c64 : index
      scf.yield %next : index
    }
    %grows = scf.for %i = %c0 to %n step %c8 iter_args(%g = %c64) -> index {
      %next = arith.addi %g, %c6 : index
      scf.yield %next : index
    })");
  expectRange(range("if"), 0, 504);
  EXPECT_EQ(div("if"), 8);
  expectRange(range("pair"), 6, 64);
  EXPECT_EQ(div("pair"), 2);
  expectRange(range("switch"), 0, 64);
  EXPECT_EQ(div("switch"), 2);
  expectRange(range("while"), 0, 8);
  expectRange(range("for"), 0, 64);
  EXPECT_EQ(div("for"), 8);
  EXPECT_EQ(div("grows"), 2);
  EXPECT_FALSE(range("grows").fitsI32());
}

// A promise in a branch holds for ops in the branch, and for no other iteration.
TEST_F(FactsTest, promisesOfBranches) {
  parseKernel("%n: index, %p: i1", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n4 = arith.muli %n, %c4 : index
    scf.for %i = %c0 to %n step %c1 iter_args(%x = %n, %last = %n) -> (index, index) {
      %next = arith.muli %x, %n : index
      scf.if %p {
        tile.assume %n {divisible = 8, min = 0, max = 100} : index
        tile.assume %x {divisible = 16} : index
        )" + use("n") + use("n4") + use("x") +
                                       use("last") + R"(
        scf.if %p {
          "test.inner"() : () -> ()
        }
      } else {
        "test.other"() : () -> ()
      }
      scf.yield %next, %x : index, index
    })");
  auto op = [&](StringRef name) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == name)
        found = op;
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  };
  auto expectNothing = [&] {
    EXPECT_EQ(div("n"), 1);
    EXPECT_EQ(div("n4"), 4);
    EXPECT_EQ(div("x"), 1);
    EXPECT_FALSE(range("n").fitsI32());
  };
  expectNothing();
  for (StringRef name : {"test.use", "test.inner"}) {
    const Facts::Place place(*facts, op(name));
    EXPECT_EQ(div("n"), 8);
    EXPECT_EQ(div("n4"), 32);
    expectRange(range("n4"), 0, 400);
    EXPECT_EQ(div("x"), 16);
    EXPECT_EQ(div("last"), 1); // what %x was an iteration before, without the promise
    {
      const Facts::Place inner(*facts, op("test.other")); // a question within a question
      expectNothing();
    }
    EXPECT_EQ(div("n"), 8);
  }
  expectNothing();
  const Facts::Place other(*facts, op("test.other"));
  expectNothing();
}

// What a question at a place finds at its end, where few steps are left, is not the answer to
// others.
TEST_F(FactsTest, questionsInAnyOrder) {
  std::string sums = "%c64 = arith.constant 64 : index\n%x0 = arith.muli %n, %c64 : index\n";
  for (int i = 1; i <= 300; ++i)
    sums +=
        "%x" + std::to_string(i) + " = arith.addi %x" + std::to_string(i - 1) + ", %c64 : index\n";
  parseKernel("%n: index, %p: i1", R"(
    scf.if %p {
      tile.assume %n {min = 0, max = 100} : index
      )" + use("x300") + R"(
    }
    )" + use("x100"),
              sums);
  Operation *deep = nullptr;
  module->walk([&](Operation *op) {
    if (op->getName().getStringRef() == "test.use" && op->getParentOfType<scf::IfOp>())
      deep = op;
  });
  ASSERT_TRUE(deep);
  {
    Facts::Place place(*facts, deep);
    EXPECT_EQ(div("x300"), 1); // too many steps
  }
  EXPECT_EQ(div("x100"), 64);
}

// Several dimensions are collapsed of which all but one have one element. The result keeps size and
// stride of that one.
TEST_F(FactsTest, collapsedDimensions) {
  parseKernel("%A: memref<?x1x?xf32, strided<[?, ?, 1]>> {tile.stride_divisible = array<i64: 8, 2, "
              "1>, tile.size_max = array<i64: 50, 1, 70>}",
              use("v", "memref<?x?xf32, strided<[?, 1]>>"), R"(
    %v = memref.collapse_shape %A [[0, 1], [2]] : memref<?x1x?xf32, strided<[?, ?, 1]>> into memref<?x?xf32, strided<[?, 1]>>)");
  EXPECT_EQ(facts->strideDivisibility(value("v"), 0), 8);
  EXPECT_EQ(facts->strideDivisibility(value("v"), 1), 1);
  expectRange(facts->sizeRange(value("v"), 0), 0, 50);
  expectRange(facts->sizeRange(value("v"), 1), 0, 70);
}

// Arithmetic on few bits wraps around, so nothing is known but the type.
TEST_F(FactsTest, narrowArithmeticWraps) {
  parseKernel("%A: memref<?xbf16> {tile.size_max = array<i64: 1000>}, %n: i32",
              use("t", "i8") + use("a", "i32") + use("s", "i32") + use("m", "i32") +
                  use("l", "i32") + use("c") + use("fits", "i16"),
              R"(
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : i32
    %max = arith.constant 2147483647 : i32
    %size = memref.dim %A, %c0 : memref<?xbf16>
    %size32 = arith.index_cast %size : index to i32
    %t = arith.trunci %size32 : i32 to i8
    %fits = arith.trunci %size32 : i32 to i16
    %x = arith.andi %n, %max : i32
    %a = arith.addi %x, %x : i32
    %z = arith.constant -2 : i32
    %s = arith.subi %z, %x : i32
    %m = arith.muli %x, %c16 : i32
    %l = arith.shli %x, %c16 : i32
    %c = arith.index_cast %t : i8 to index)");
  expectRange(range("t"), -128, 127);
  expectRange(range("c"), -128, 127);
  expectRange(range("fits"), 0, 1000);
  for (StringRef name : {"a", "s", "m", "l"})
    expectRange(range(name), INT32_MIN, INT32_MAX);
  EXPECT_EQ(div("m"), 16);
}

// Promises that contradict each other stand in code that never runs.
TEST_F(FactsTest, contradictions) {
  parseKernel("%n: index, %p: i1", R"(
    tile.assume %n {min = 1} : index
    scf.if %p {
      tile.assume %n {max = 0} : index
      %q = arith.divsi %n, %n : index
      %r = arith.floordivsi %n, %n : index
      )" + use("q") + use("r") + "}");
  module->walk([&](Operation *op) {
    if (op->getName().getStringRef() != "test.use")
      return;
    const Facts::Place place(*facts, op);
    IntRange range = facts->range(op->getOperand(0));
    EXPECT_LE(range.min, range.max);
  });
}

// A size that is assumed to be a number is as well known as one in the type.
TEST_F(FactsTest, sizesThatAreAssumed) {
  parseKernel("%A: memref<?x?xf32> {tile.shape = [\"M\", \"N\"]}, %B: memref<?xf32> {tile.shape = "
              "[\"N\"]}, %C: memref<?xf32>",
              use("N") + use("M"), R"(
    %c96 = arith.constant 96 : index
    %N = tile.dim "N" : index
    %M = tile.dim "M" : index
    %is = arith.cmpi eq, %N, %c96 : index
    tile.assume %is, "N is 96" : i1
    %most = arith.cmpi ule, %M, %c96 : index
    tile.assume %most, "M is 96 at most" : i1)");
  EXPECT_EQ(div("N"), 96);
  EXPECT_EQ(facts->sizeDivisibility(arg(0), 1), 96);
  EXPECT_EQ(facts->sizeDivisibility(arg(1), 0), 96);
  EXPECT_EQ(facts->strideDivisibility(arg(0), 0), 96);
  EXPECT_EQ(facts->sizeDivisibility(arg(0), 0), 1);
  EXPECT_EQ(facts->sizeDivisibility(arg(2), 0), 1);
}

// The unsigned remainder of a negative number is hardly known.
TEST_F(FactsTest, unsignedRemaindersInPreconditions) {
  parseKernel("%n: index, %m: index", use("n") + use("m"), R"(
    %c0 = arith.constant 0 : index
    %c12 = arith.constant 12 : index
    %r = arith.remui %n, %c12 : index
    %e = arith.cmpi eq, %r, %c0 : index
    tile.assume %e, "n" : i1
    %s = arith.remsi %m, %c12 : index
    %f = arith.cmpi eq, %s, %c0 : index
    tile.assume %f, "m" : i1)");
  EXPECT_EQ(div("n"), 4);
  EXPECT_EQ(div("m"), 12);
}

} // namespace
