// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = gelu(A · B + bias), bf16 in and out, written with the builders and compiled for the CPU:
//   host OUT.so
#include "tessera/Compiler.h"
#include "tessera/Dialect/Tile/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <fstream>
#include <iostream>

using namespace mlir;
namespace tile = tessera::tile;

static Value gelu(OpBuilder &b, Location loc, Value z) {
  auto type = cast<RankedTensorType>(z.getType());
  auto number = [&](double x) { return tile::buildSplat(b, loc, type, x); };
  auto add = [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, loc, x, y); };
  auto mul = [&](Value x, Value y) -> Value { return arith::MulFOp::create(b, loc, x, y); };
  Value inner = mul(z, add(number(1), mul(number(0.044715), mul(z, z))));
  Value tanh = math::TanhOp::create(b, loc, mul(number(0.797884561), inner));
  return mul(mul(z, number(0.5)), add(number(1), tanh));
}

static void buildProgram(OpBuilder &b, Location loc) {
  Type bf16 = b.getBF16Type(), f32 = b.getF32Type();
  constexpr int64_t any = ShapedType::kDynamic, rows = 128, columns = 128, depth = 64;
  auto matrix = MemRefType::get({any, any}, bf16), vector = MemRefType::get({any}, bf16);
  auto tensor = [](ArrayRef<int64_t> shape, Type of) { return RankedTensorType::get(shape, of); };
  auto sums = tensor({rows, columns}, f32);
  tile::buildKernel(
      b, loc, "gemm_bias_gelu",
      {{"A", matrix, {"M", "K"}},
       {"B", matrix, {"K", "N"}},
       {"bias", vector, {"N"}},
       {"C", matrix, {"M", "N"}}},
      [&](OpBuilder &b, ValueRange args) {
        Value m = tile::buildDim(b, loc, "M"), n = tile::buildDim(b, loc, "N"),
              k = tile::buildDim(b, loc, "K");
        tile::buildGrid(b, loc, {m, n}, {rows, columns}, [&](OpBuilder &b, ValueRange at) {
          auto index = [&](int64_t x) -> Value {
            return arith::ConstantIndexOp::create(b, loc, x);
          };
          auto loop = scf::ForOp::create(
              b, loc, index(0), k, index(depth), tile::buildSplat(b, loc, sums, 0),
              [&](OpBuilder &b, Location, Value from, ValueRange carried) {
                Value a =
                    tile::buildLoad(b, loc, tensor({rows, depth}, bf16), args[0], {at[0], from});
                Value w =
                    tile::buildLoad(b, loc, tensor({depth, columns}, bf16), args[1], {from, at[1]});
                scf::YieldOp::create(b, loc, tile::buildMma(b, loc, a, w, carried[0]));
              });
          Value bias = tile::buildLoad(b, loc, tensor({columns}, bf16), args[2], at[1],
                                       tile::Box().pad(tile::Pad::Zero));
          Value wide = arith::ExtFOp::create(b, loc, tensor({columns}, f32), bias);
          Value all = tile::BroadcastOp::create(b, loc, sums, wide, b.getDenseI64ArrayAttr({1}));
          Value z = gelu(b, loc, arith::AddFOp::create(b, loc, loop.getResult(0), all));
          tile::buildStore(b, loc,
                           arith::TruncFOp::create(b, loc, tensor({rows, columns}, bf16), z),
                           args[3], at);
        });
      });
}

int main(int argc, char **argv) {
  MLIRContext context;
  context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      memref::MemRefDialect, scf::SCFDialect>();
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  buildProgram(builder, builder.getUnknownLoc());
  tessera::CompileOptions options;
  options.target = tessera::Target::Cpu;
  tessera::CompileResult result = tessera::compile(*module, options);
  if (!result.ok || argc != 2) {
    std::cerr << tessera::formatDiagnostics(result.diagnostics, "") << "usage: host OUT.so\n";
    return 1;
  }
  std::ofstream(argv[1], std::ios::binary) << result.artifact;
  return 0;
}
