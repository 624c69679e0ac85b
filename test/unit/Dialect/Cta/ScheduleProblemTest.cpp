// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the problems of loops in the IR with those that test/unit/Schedule writes by hand.
#include "ScheduleProblem.h"

#include "../../Schedule/Kernels.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Schedule/Solver.h"
#include "tessera/Schedule/TextFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::cta;

namespace {
/// A scheduled kernel with one loop; `types` are aliases.
class Loop {
public:
  Loop(const std::string &types, const std::string &channels, const std::string &loop,
       int64_t warpgroups)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED),
        costs(hopper::kMachine, warpgroups) {
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        types +
            "tile.kernel @k(%A: memref<?x?xbf16>, %n: index) attributes {phase = "
            "#tile.phase<scheduled>, warpgroups = " +
            std::to_string(warpgroups) + "} {\n" +
            "%c0 = arith.constant 0 : index\n%step = arith.constant 64 : index\n"
            "cta.launch @k_0 blocks() {\n" +
            channels + loop + "}\ntile.return\n}\n",
        &context);
  }

  LoopProblem translate(bool inFlight) {
    ProblemOptions options;
    options.inFlight = inFlight;
    LoopProblem result;
    EXPECT_TRUE(module);
    if (module)
      module->walk([&](mlir::scf::ForOp loop) { result = problemOf(loop, costs, options); });
    EXPECT_EQ(result.problem.check(), std::nullopt);
    return result;
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registry.insert<CtaDialect, tile::TileDialect, mlir::arith::ArithDialect,
                    mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect>();
    return registry;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CostModel costs;
};

std::string number(int64_t x) { return std::to_string(x); }

/// A product of m x n x k on warpgroups of 64 rows.
Loop gemm(int64_t warpgroups, int64_t n, int64_t k) {
  std::string m = number(64 * warpgroups), wg = number(warpgroups);
  return Loop("#sw = #cta.swizzle<128, dim = 1>\n!a = !cta.smem<" + m + "x" + number(k) +
                  "xbf16, #sw>\n!b = !cta.smem<" + number(k) + "x" + number(n) +
                  "xbf16, #sw>\n!c = tensor<" + m + "x" + number(n) +
                  "xf32, #cta.frag<wgmma_acc, wg = " + wg + ">>\n!ch = !cta.channel<?, !a, !b>\n",
              "%ch = cta.channel : !ch\n%zero = arith.constant dense<0.0> : !c\n",
              R"(%r = scf.for %k = %c0 to %n step %step iter_args(%c = %zero) -> (!c) {
                %p = cta.acquire %ch : !ch
                %a0 = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
                %b0 = cta.copy %A[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
                cta.commit %ch, %p (%a0, %b0) : !ch
                %q, %a, %b = cta.wait %ch : !ch
                %d = cta.wgmma %a, %b, %c : !a, !b -> !c
                cta.release %ch, %q : !ch
                scf.yield %d : !c
              })",
              warpgroups);
}

/// Attention with a head size of d and blocks of n keys.
Loop attention(int64_t warpgroups, int64_t d, int64_t n) {
  std::string m = number(64 * warpgroups), wg = number(warpgroups);
  std::string acc = "#cta.frag<wgmma_acc, wg = " + wg + ">";
  return Loop(
      "#sw0 = #cta.swizzle<128, dim = 0>\n#sw1 = #cta.swizzle<128, dim = 1>\n!q = !cta.smem<" + m +
          "x" + number(d) + "xbf16, #sw1>\n!k = !cta.smem<" + number(d) + "x" + number(n) +
          "xbf16, #sw0>\n!v = !cta.smem<" + number(n) + "x" + number(d) +
          "xbf16, #sw1>\n!s = tensor<" + m + "x" + number(n) + "xf32, " + acc + ">\n!p = tensor<" +
          m + "x" + number(n) + "xbf16, " + acc + ">\n!a = tensor<" + m + "x" + number(n) +
          "xbf16, #cta.frag<wgmma_a, bits = 16, wg = " + wg + ">>\n!o = tensor<" + m + "x" +
          number(d) + "xf32, " + acc + ">\n!r = tensor<" + m +
          "xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], "
          "wg = " +
          wg + (warpgroups > 1 ? " on 0" : "") + ">>\n",
      R"(%cq = cta.channel : !cta.channel<1, !q>
         %ck = cta.channel : !cta.channel<?, !k>
         %cv = cta.channel : !cta.channel<?, !v>
         %low = arith.constant dense<-1.0e30> : !r
         %none = arith.constant dense<0.0> : !r
         %zero = arith.constant dense<0.0> : !o
         %f0 = arith.constant 0.0 : f32
         %p0 = cta.acquire %cq : !cta.channel<1, !q>
         %q0 = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !q
         cta.commit %cq, %p0 (%q0) : !cta.channel<1, !q>
         %creditQ, %q = cta.wait %cq : !cta.channel<1, !q>
      )",
      R"(%x:3 = scf.for %i = %c0 to %n step %step iter_args(%m = %low, %l = %none, %o = %zero) -> (!r, !r, !o) {
           %p1 = cta.acquire %ck : !cta.channel<?, !k>
           %k0 = cta.copy %A[%c0, %i] dims = [1, 0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !k
           cta.commit %ck, %p1 (%k0) : !cta.channel<?, !k>
           %p2 = cta.acquire %cv : !cta.channel<?, !v>
           %v0 = cta.copy %A[%i, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !v
           cta.commit %cv, %p2 (%v0) : !cta.channel<?, !v>
           %creditK, %k = cta.wait %ck : !cta.channel<?, !k>
           %s = cta.wgmma %q, %k : !q, !k -> !s
           cta.release %ck, %creditK : !cta.channel<?, !k>
           %max = cta.reduce (%s) dims = [1] init(%f0) {
           ^bb0(%a: f32, %b: f32):
             %z = arith.maximumf %a, %b : f32
             tile.yield %z : f32
           } : !s -> !r
           %m1 = arith.maximumf %m, %max : !r
           %mb = cta.broadcast %m1 dims = [0] : !r -> !s
           %d = arith.subf %s, %mb : !s
           %e = math.exp2 %d : !s
           %da = arith.subf %m, %m1 : !r
           %alpha = math.exp2 %da : !r
           %sum = cta.reduce (%e) dims = [1] init(%f0) {
           ^bb0(%a: f32, %b: f32):
             %z = arith.addf %a, %b : f32
             tile.yield %z : f32
           } : !s -> !r
           %l1 = math.fma %l, %alpha, %sum : !r
           %ab = cta.broadcast %alpha dims = [0] : !r -> !o
           %o1 = arith.mulf %o, %ab : !o
           %e16 = arith.truncf %e : !s to !p
           %pa = cta.convert_layout %e16 {how = #cta.conversion<no_op>} : !p -> !a
           %creditV, %v = cta.wait %cv : !cta.channel<?, !v>
           %o2 = cta.wgmma %pa, %v, %o1 : !a, !v -> !o
           cta.release %cv, %creditV : !cta.channel<?, !v>
           scf.yield %m1, %l1, %o2 : !r, !r, !o
         }
         cta.release %cq, %creditQ : !cta.channel<1, !q>
      )",
      warpgroups);
}

int64_t boundOf(const schedule::Problem &problem, const std::string &name) {
  for (const schedule::Bound &bound : lowerBounds(problem))
    if (bound.name == name)
      return bound.ii;
  return 0;
}
} // namespace

TEST(ScheduleProblem, Gemm) {
  struct Shape {
    int64_t warpgroups, n, k;
  };
  for (Shape s : {Shape{2, 256, 64}, Shape{1, 256, 64}, Shape{2, 128, 64}, Shape{2, 192, 128},
                  Shape{3, 128, 64}}) {
    SCOPED_TRACE(number(s.warpgroups) + "x64x" + number(s.n) + "x" + number(s.k));
    const schedule::Problem ours = gemm(s.warpgroups, s.n, s.k).translate(true).problem;
    const schedule::Problem byHand =
        schedule::cooperativeGemm(s.n, s.k, s.warpgroups, int64_t(1) << 24);
    for (const char *bound : {"tensor", "copy", "smem"})
      EXPECT_EQ(boundOf(ours, bound), boundOf(byHand, bound)) << bound;
    EXPECT_EQ(boundOf(ours, "tensor"), s.warpgroups * 64 * s.n * s.k / 2048);
    const schedule::Result result = solve(ours);
    ASSERT_TRUE(result.schedule);
    EXPECT_EQ(verify(ours, *result.schedule), std::nullopt);
    EXPECT_EQ(result.schedule->ii, solve(byHand).schedule->ii);
    // By hand there are two loads, and a release after the product.
    EXPECT_LE(result.schedule->depth.front(), solve(byHand).schedule->depth.front());
    EXPECT_GE(result.schedule->depth.front() + 1, solve(byHand).schedule->depth.front());
  }
  const schedule::Result result = solve(gemm(2, 256, 64).translate(false).problem);
  EXPECT_EQ(result.schedule->ii, 1024);
  EXPECT_EQ(result.bound, "tensor");
  EXPECT_EQ(result.schedule->depth, std::vector<int64_t>{3});
}

// Attention takes the tensor time of a block of keys, and has the order of FlashAttention-3.
TEST(ScheduleProblem, Attention) {
  struct Shape {
    int64_t warpgroups, d, n, tensor;
  };
  for (Shape s : {Shape{2, 128, 128, 2048}, Shape{3, 64, 128, 1536}, Shape{2, 256, 80, 2560}}) {
    SCOPED_TRACE(s.d);
    const LoopProblem loop = attention(s.warpgroups, s.d, s.n).translate(true);
    const schedule::Problem &problem = loop.problem;
    EXPECT_EQ(boundOf(problem, "tensor"), s.tensor);
    const schedule::Problem byHand = schedule::attention(s.d, s.n, s.warpgroups, 240);
    EXPECT_EQ(boundOf(problem, "copy"), boundOf(byHand, "copy"));
    EXPECT_EQ(boundOf(problem, "smem"), boundOf(byHand, "smem"));
    // There is one function more for each row: that of the scale.
    EXPECT_EQ(boundOf(problem, "sfu"), boundOf(byHand, "sfu") + s.warpgroups * 2 * 8);
    const schedule::Result result = solve(problem);
    ASSERT_TRUE(result.schedule);
    EXPECT_EQ(verify(problem, *result.schedule), std::nullopt);
    EXPECT_EQ(result.schedule->ii, std::max(s.tensor, boundOf(problem, "sfu")));
    const int qk = problem.findOperation("mma0"), pv = problem.findOperation("mma1"),
              narrow = problem.findOperation("convert");
    const std::vector<int64_t> &start = result.schedule->start;
    EXPECT_GE(start[pv], start[qk] + result.schedule->ii);
    EXPECT_LT(start[pv], start[qk] + 2 * result.schedule->ii);
    EXPECT_GE(start[narrow], start[pv] - result.schedule->ii + problem.operations[pv].latency);
  }
}

// Without products in flight the loop is sequential. The stream of a warpgroup is longer than its
// share of the tensor cores.
TEST(ScheduleProblem, Sequential) {
  const schedule::Problem problem = attention(2, 128, 128).translate(false).problem;
  const schedule::Result result = solve(problem);
  ASSERT_TRUE(result.schedule);
  EXPECT_EQ(result.bound, "issue");
  EXPECT_GT(result.schedule->ii, 2048);
  EXPECT_EQ(stages(problem, *result.schedule), 1);
}

TEST(ScheduleProblem, SameTextSameProblem) {
  EXPECT_EQ(print(attention(2, 128, 128).translate(true).problem),
            print(attention(2, 128, 128).translate(true).problem));
}
