// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PhaseRunner.h"

#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tessera;

/// A product with this name and plan.
static std::string product(const std::string &name, const std::string &plan) {
  return "tile.kernel @" + name + R"((%A: memref<512x512xbf16>, %B: memref<512x512xbf16>,
      %C: memref<512x512xbf16>) attributes {plan = )" +
         plan + R"(} {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %c512 step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<512x512xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<512x512xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x128xbf16> -> memref<512x512xbf16>
  }
  tile.return
}
)";
}

/// Checks what is reported about each kernel, and which kernels failed, with and without threads.
static void refuseTwo(mlir::MLIRContext::Threading threading) {
  mlir::DialectRegistry registry;
  registerTesseraDialects(registry);
  mlir::MLIRContext context(registry, threading);
  std::map<std::string, std::vector<std::string>> errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
      EXPECT_TRUE(cta::isPlanRefusal(diagnostic));
      errors[diagnosedKernel(diagnostic).str()].push_back(diagnostic.str());
    }
    return mlir::success();
  });
  // cta-plan refuses the first kernel, cta-lower-grid after it the second, and no pass the third.
  std::string text = product("deep", "#cta.plan<stages = 40>") +
                     product("paired", "#cta.plan<stages = 4, persistent = 1, cluster = 8>") +
                     product("plain", "#cta.plan<stages = 2>");
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);

  CompileOptions options;
  CompileResult result;
  PhaseRunner runner(options, result);
  TilePipelineOptions pipeline;
  pipeline.variants = "aligned";
  EXPECT_TRUE(failed(runner.runPhase(*module, Phase::Source, Phase::Allocated, pipeline)));
  EXPECT_EQ(runner.failedKernels, (std::set<std::string>{"deep_aligned", "paired_aligned"}));
  ASSERT_EQ(errors.size(), 2u);
  ASSERT_EQ(errors["deep_aligned"].size(), 1u);
  EXPECT_NE(errors["deep_aligned"][0].find("40 slots of"), std::string::npos);
  ASSERT_EQ(errors["paired_aligned"].size(), 1u);
  EXPECT_NE(errors["paired_aligned"][0].find("cannot run in clusters"), std::string::npos);
}

TEST(PhaseRunner, EachKernelHasItsErrors) { refuseTwo(mlir::MLIRContext::Threading::DISABLED); }

TEST(PhaseRunner, EachKernelHasItsErrorsConcurrently) {
  refuseTwo(mlir::MLIRContext::Threading::ENABLED);
}

TEST(PhaseRunner, InvalidKernelsAreNamed) {
  mlir::DialectRegistry registry;
  registerTesseraDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<std::string> named;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      named.push_back(diagnosedKernel(diagnostic).str());
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      product("bad", "#cta.plan<stages = 2>") + product("good", "#cta.plan<stages = 2>") +
          "func.func @other(%x: i32) -> i32 { return %x : i32 }",
      &context);
  ASSERT_TRUE(module);
  CompileOptions options;
  CompileResult result;
  PhaseRunner runner(options, result);
  const TilePipelineOptions pipeline;
  // As a pass with a mistake would leave it: with operands that do not fit each other.
  auto kernel = module->lookupSymbol<tile::KernelOp>("bad");
  kernel.walk([](tile::MmaOp mma) { mma->setOperand(1, mma->getOperand(0)); });
  // No passes between, so that none sees what is invalid.
  EXPECT_TRUE(failed(runner.runPhase(*module, Phase::Tile, Phase::Tile, pipeline)));
  EXPECT_EQ(runner.failedKernels, (std::set<std::string>{"bad"}));
  EXPECT_EQ(named, (std::vector<std::string>{"bad"}));

  // What is wrong beside kernels is about none of them.
  named.clear();
  kernel.erase();
  auto other = module->lookupSymbol<mlir::func::FuncOp>("other");
  const mlir::FunctionType type = other.getFunctionType();
  mlir::OpBuilder b(&context);
  other.setFunctionType(b.getFunctionType(type.getInputs(), b.getI64Type()));
  EXPECT_TRUE(failed(runner.runPhase(*module, Phase::Tile, Phase::Tile, pipeline)));
  EXPECT_TRUE(runner.failedKernels.empty());
  EXPECT_EQ(named, (std::vector<std::string>{""}));

  named.clear();
  other.setFunctionType(type);
  EXPECT_TRUE(succeeded(runner.runPhase(*module, Phase::Tile, Phase::Tile, pipeline)));
  EXPECT_TRUE(named.empty());
}
