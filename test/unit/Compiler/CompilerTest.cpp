// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tessera/Dialect/Tile/Tile.h"

#include <gtest/gtest.h>

#include <thread>

using namespace tessera;

static const char *kProgram = R"(
tile.kernel @twice(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (128) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
    %b = arith.addf %a, %a : tensor<128xf32>
    tile.store %b, %y[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
)";

static CompileOptions ptxOptions() {
  CompileOptions options;
  options.emit = Emit::Ptx;
  return options;
}

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

TEST(Compiler, Text) {
  CompileResult result = compile(kProgram, ptxOptions());
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.kind, Emit::Ptx);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_NE(result.artifact.find(".entry twice_aligned_0"), std::string::npos);
  ASSERT_EQ(result.report.kernels.size(), 1u);
  EXPECT_EQ(result.report.kernels[0].variants.size(), 2u);
  EXPECT_FALSE(result.timings.empty());
}

TEST(Compiler, ModuleOfAnotherContextIsLeftAlone) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(kProgram, &context);
  ASSERT_TRUE(module);
  std::string before = print(*module);
  CompileResult result = compile(*module, ptxOptions());
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(print(*module), before);
  // Without the source the report cannot name ops. Everything else is the same.
  EXPECT_EQ(result.artifact, compile(kProgram, ptxOptions()).artifact);
}

TEST(Compiler, ErrorsAreData) {
  CompileResult result = compile("tile.kernel @f() {\n  foo.bar\n}", ptxOptions());
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.artifact.empty());
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].severity, CompileDiagnostic::Severity::Error);
  EXPECT_EQ(result.diagnostics[0].file, "<source>");
  EXPECT_EQ(result.diagnostics[0].line, 2u);
  EXPECT_EQ(result.diagnostics[0].column, 3u);
}

TEST(Compiler, AbsentToolIsAnError) {
  CompileOptions options;
  options.ptxas = "/nowhere/ptxas";
  CompileResult result = compile(kProgram, options);
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_NE(result.diagnostics[0].message.find("/nowhere/ptxas"), std::string::npos);
  EXPECT_TRUE(result.reproducer.empty());
}

TEST(Compiler, Plans) {
  CompileOptions options = ptxOptions();
  options.emit = Emit::Cta;
  EXPECT_NE(compile(kProgram, options).artifact.find("#cta.plan"), std::string::npos)
      << "the default derives";
  options.plan = "given";
  EXPECT_EQ(compile(kProgram, options).artifact.find("#cta.plan"), std::string::npos);
  options.plan = "#cta.plan<persistent = 1>";
  CompileResult result = compile(kProgram, options);
  EXPECT_TRUE(result.ok);
  EXPECT_NE(result.artifact.find("cta.num_blocks"), std::string::npos);
  const auto &plan = result.report.kernels[0].variants[0].launches[0].plan;
  ASSERT_TRUE(plan.has_value());
  EXPECT_NE(plan->plan.find("persistent = 1"), std::string::npos);
  EXPECT_EQ(plan->bound, "") << "nothing is pipelined";
  // The plan that the report prints is accepted, and means the same.
  options.plan = plan->plan;
  EXPECT_EQ(compile(kProgram, options).artifact, result.artifact);
  options.plan = "fast";
  result = compile(kProgram, options);
  EXPECT_FALSE(result.ok);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_NE(result.diagnostics[0].message.find("'fast' is neither given, auto"), std::string::npos);
}

TEST(Compiler, ThreadsAreIndependent) {
  std::string expected = compile(kProgram, ptxOptions()).artifact;
  std::vector<std::string> artifacts(4);
  std::vector<std::thread> threads;
  for (std::string &artifact : artifacts)
    threads.emplace_back([&] { artifact = compile(kProgram, ptxOptions()).artifact; });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &artifact : artifacts)
    EXPECT_EQ(artifact, expected);
}
