// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the builders make, as text; it is valid.
#include "tessera/Dialect/Tile/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera::tile;

namespace {

class BuildersTest : public ::testing::Test {
protected:
  BuildersTest() : b(&context) {
    context.loadDialect<TileDialect, arith::ArithDialect, memref::MemRefDialect>();
    module = ModuleOp::create(b, b.getUnknownLoc());
    b.setInsertionPointToEnd(module->getBody());
  }
  /// Builds a kernel with one grid over A (M x N, f32) and returns the program's text.
  std::string kernel(const std::function<void(OpBuilder &, Value, Value, ValueRange)> &body) {
    auto matrix = MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, b.getF32Type());
    Location loc = b.getUnknownLoc();
    KernelOp op = buildKernel(
        b, loc, "k", {{"A", matrix, {"M", ""}}, {"n", b.getIndexType(), {}}},
        [&](OpBuilder &b, ValueRange args) {
          buildGrid(b, loc, {buildDim(b, loc, "M"), b.getIndexAttr(128)}, {64, 32},
                    [&](OpBuilder &b, ValueRange at) { body(b, args[0], args[1], at); });
        });
    std::string text;
    llvm::raw_string_ostream(text) << op;
    EXPECT_TRUE(succeeded(verify(*module))) << text;
    return text;
  }
  RankedTensorType tile(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getF32Type());
  }
  void expect(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }

  MLIRContext context;
  OpBuilder b;
  OwningOpRef<ModuleOp> module;
};

TEST_F(BuildersTest, KernelGridAndDefaults) {
  std::string text = kernel([&](OpBuilder &b, Value a, Value, ValueRange at) {
    Location loc = b.getUnknownLoc();
    Value x = buildLoad(b, loc, tile({64, 32}), a, at);
    Value y = buildLoad(b, loc, tile({32, 32}), a, at);
    buildStore(b, loc, buildMma(b, loc, x, y, buildSplat(b, loc, tile({64, 32}), 1.5)), a, at);
  });
  expect(text, "tile.kernel @k(%A: memref<?x?xf32> {tile.shape = [\"M\", unit]}, %n: index) {");
  expect(text, "tile.grid (%i, %j) = (0, 0) to (%M, 128) step (64, 32) {");
  expect(text, "tile.load %A[%i, %j] : memref<?x?xf32> -> tensor<64x32xf32>");
  expect(text, "arith.constant dense<1.500000e+00> : tensor<64x32xf32>");
  expect(text, "tile.mma %0, %1, %cst : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>");
  expect(text, "tile.return");
}

TEST_F(BuildersTest, WhatIsOptionalIsSetByName) {
  std::string text = kernel([&](OpBuilder &b, Value a, Value n, ValueRange at) {
    Location loc = b.getUnknownLoc();
    Value mask = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(RankedTensorType::get({64}, b.getI1Type()), true));
    Value x = buildLoad(b, loc, tile({64, 32}), a, at,
                        Box()
                            .dims({1, 0})
                            .limit({n, Value()})
                            .mask(mask, SmallVector<int64_t>{0})
                            .pad(Pad::NegInf)
                            .stages(3)
                            .cache(Cache::Last)
                            .require({Requirement::Tma}));
    buildLoad(b, loc, tile({64}), a, at, Box().pad(b.getF32FloatAttr(2)).mask(mask));
    buildStore(b, loc, x, a, at, Box().dims({1, 0}).limit({Value(), n}).cache(Cache::First));
  });
  expect(text,
         "tile.load %A[%i, %j] dims = [1, 0] limit = [%n, _] pad = neg_inf mask = %cst on [0] "
         "stages = 3 cache = last require = [tma] : memref<?x?xf32> -> tensor<64x32xf32>");
  expect(text, "tile.load %A[%i, %j] pad = 2.000000e+00 : f32 mask = %cst : memref<?x?xf32> -> "
               "tensor<64xf32>");
  expect(text, "tile.store %0, %A[%i, %j] dims = [1, 0] limit = [_, %n] cache = first : "
               "tensor<64x32xf32> -> memref<?x?xf32>");
}

} // namespace
