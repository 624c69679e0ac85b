// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes y = x + x with a builder and compiles it: builder [N], where N is the length of a tile.
#include "tessera/Compiler.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstdlib>
#include <iostream>

using namespace mlir;
namespace tile = tessera::tile;

static void makeKernel(ModuleOp module, int64_t length) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto array = MemRefType::get({ShapedType::kDynamic}, b.getF32Type());
  auto tensor = RankedTensorType::get({length}, b.getF32Type());
  auto kernel = tile::KernelOp::create(b, "twice", b.getFunctionType({array, array}, {}));
  auto shape = b.getDictionaryAttr(b.getNamedAttr("tile.shape", b.getStrArrayAttr({"N"})));
  kernel.setArgAttrsAttr(b.getArrayAttr({shape, shape}));

  b.setInsertionPointToEnd(&kernel.getBody().front());
  Value n = tile::DimOp::create(b, b.getIndexType(), "N");
  auto grid = tile::GridOp::create(b, ValueRange(), n, ValueRange(), ArrayRef<int64_t>{0},
                                   ArrayRef<int64_t>{ShapedType::kDynamic},
                                   ArrayRef<int64_t>{length}, tile::OrderAttr());
  tile::ReturnOp::create(b);

  Block *body = b.createBlock(&grid.getBody(), {}, b.getIndexType(), b.getLoc());
  Value at = body->getArgument(0);
  Value x = tile::LoadOp::create(b, tensor, kernel.getArgument(0), at);
  Value sum = arith::AddFOp::create(b, x, x);
  tile::StoreOp::create(b, sum, kernel.getArgument(1), at);
  tile::YieldOp::create(b);
}

/// What the plugin exports.
extern "C" __attribute__((visibility("default"))) int compileKernel(int64_t length) {
  MLIRContext context;
  context.loadDialect<tile::TileDialect, arith::ArithDialect, memref::MemRefDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  makeKernel(*module, length);
  if (failed(verify(*module)))
    return 1;
  tessera::CompileOptions options;
  options.emit = tessera::Emit::Ptx;
  tessera::CompileResult result = tessera::compile(*module, options);
  if (!result.ok) {
    std::cerr << tessera::formatDiagnostics(result.diagnostics, "");
    return 1;
  }
  std::cout << result.artifact;
  return 0;
}

int main(int argc, char **argv) { return compileKernel(argc > 1 ? std::atoll(argv[1]) : 1024); }
