// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From launches to GPU functions.
#ifndef TESSERA_CONVERSION_CTATONVVM_H
#define TESSERA_CONVERSION_CTATONVVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tessera {

/// The body of `convert-cta-to-nvvm`: every `cta.launch` becomes an `llvm.func`, kernels go away.
mlir::LogicalResult convertCtaToNVVM(mlir::ModuleOp module);

/// Replaces ops of the dialect math, and divisions that round up or down, by arithmetic and NVVM
/// intrinsics below `root`. An error at an op that cannot be. With `contract`, 1 + tanh(x) and
/// tanh(c x) need not round in between.
mlir::LogicalResult expandMathForNVVM(mlir::Operation *root, bool contract);

/// From phase allocated to the LLVM dialect: `convert-cta-to-nvvm` and what upstream has for the
/// rest.
void buildNVVMPipeline(mlir::OpPassManager &pm);

/// The part after `convert-cta-to-nvvm`: GPU functions with scalar arith, math and scf ops to the
/// LLVM dialect.
void buildThreadCodePipeline(mlir::OpPassManager &pm);

/// Registers `buildNVVMPipeline` as `cta-to-llvm`.
void registerNVVMPipeline();

} // namespace tessera

#endif
