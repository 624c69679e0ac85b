// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From launches to GPU functions.
#ifndef TESSERA_CONVERSION_CTATONVVM_H
#define TESSERA_CONVERSION_CTATONVVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tessera {

/// The body of `convert-cta-to-nvvm`: every `cta.launch` becomes an `llvm.func`, and kernels are
/// erased.
mlir::LogicalResult convertCtaToNVVM(mlir::ModuleOp module);

/// Replaces ops of the dialect math, and divisions that round up or down, below `root` by
/// arithmetic and NVVM intrinsics. Emits an error at an op that has no replacement. With
/// `contract`, 1 + tanh(x) and tanh(c x) may be computed without rounding in between.
mlir::LogicalResult expandMathForNVVM(mlir::Operation *root, bool contract);

/// The pipeline from phase allocated to the LLVM dialect: `convert-cta-to-nvvm` and upstream's
/// conversions for the rest.
void buildNVVMPipeline(mlir::OpPassManager &pm);

/// The part after `convert-cta-to-nvvm`: GPU functions with scalar arith, math and scf ops to the
/// LLVM dialect.
void buildThreadCodePipeline(mlir::OpPassManager &pm);

/// Registers `buildNVVMPipeline` as `cta-to-llvm`.
void registerNVVMPipeline();

} // namespace tessera

#endif
