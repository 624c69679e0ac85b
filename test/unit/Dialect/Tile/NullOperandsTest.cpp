// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reducers erase ops whose results still have uses, which leaves null operands behind, and ask the
// verifier whether the program is valid. It has to say no. The verifier of an op runs before those
// of the ops in its regions, so it meets their null operands first.
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera::tile;

namespace {

// One op of each kind that uses values.
const char *const kProgram = R"(
tile.kernel @k(%A: memref<?x?xf32> {tile.shape = ["M", "N"]}, %ok: i1) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.assume %ok, "must hold" : i1
  %w = memref.alloc(%M) : memref<?xf32>
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %rows = arith.constant dense<true> : tensor<64xi1>
    %a = tile.load %A[%i, %j] limit = [%M, _] pad = neg_inf mask = %rows on [0] : memref<?x?xf32> -> tensor<64x64xf32>
    %t = tile.transpose %a dims = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %p = tile.mma %a, %t, %a : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %zero = arith.constant 0.0 : f32
    %s = tile.reduce (%p) dims = [1] init(%zero) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    } : tensor<64x64xf32> -> tensor<64xf32>
    %m = tile.reduce maximumf %p dims = [0] : tensor<64x64xf32> -> tensor<64xf32>
    %v, %at = tile.argreduce max %p dim = 0 : tensor<64x64xf32> -> tensor<64xf32>, tensor<64xi32>
    %b = tile.broadcast %s dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
    %g = tile.iota dim = 0 from %i : tensor<64xindex>
    %l = scf.for %k = %i to %N step %M iter_args(%c = %b) -> (tensor<64x64xf32>) {
      %e = math.exp %c : tensor<64x64xf32>
      scf.yield %e : tensor<64x64xf32>
    }
    tile.store %l, %A[%i, %j] limit = [_, %N] : tensor<64x64xf32> -> memref<?x?xf32>
    tile.store %m, %w[%i] mask = %rows : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
})";

TEST(NullOperands, AreRefusedWithoutACrash) {
  MLIRContext context;
  context.loadDialect<TileDialect, arith::ArithDialect, scf::SCFDialect, memref::MemRefDialect,
                      math::MathDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kProgram, &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(verify(*module)));
  context.printOpOnDiagnostic(false);
  std::vector<std::string> said;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { said.push_back(diagnostic.str()); });
  SmallVector<OpOperand *> operands;
  (*module)->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(&operand);
  });
  EXPECT_GE(operands.size(), 35u);
  for (OpOperand *operand : operands) {
    const std::string name = operand->getOwner()->getName().getStringRef().str();
    Value value = operand->get();
    operand->drop();
    said.clear();
    EXPECT_TRUE(failed(verify(*module))) << name;
    EXPECT_FALSE(said.empty()) << name;
    operand->set(value);
  }
  EXPECT_TRUE(succeeded(verify(*module)));
}

} // namespace
