// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registers all dialects, passes and pipelines of Tessera, for tools and for hosts that want
// everything.
#ifndef TESSERA_INITALL_H
#define TESSERA_INITALL_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tessera/Conversion/CtaToNVVM.h"
#include "tessera/Conversion/Passes.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Pipelines.h"
#include "tessera/Simulate/Passes.h"
#include "tessera/Target/HostObject.h"

namespace tessera {

/// The dialects of Tessera and those that tile programs and their lowerings use.
inline void registerTesseraDialects(mlir::DialectRegistry &registry) {
  registry.insert<tile::TileDialect, cta::CtaDialect, mlir::affine::AffineDialect,
                  mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::ub::UBDialect>();
  mlir::func::registerInlinerExtension(registry);
  registerHostDialects(registry);
}

/// The passes and pipelines of Tessera; upstream's are not among them.
inline void registerTesseraPasses() {
  tile::registerTilePasses();
  cta::registerCtaPasses();
  registerTesseraConversionPasses();
  registerHostPipelines();
  registerNVVMPipeline();
  registerTilePipelines();
  simulate::registerTesseraSimulatePasses();
}

} // namespace tessera

#endif
