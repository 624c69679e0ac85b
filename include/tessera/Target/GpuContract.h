// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launch contract of a GPU module (docs/Contract.md). It is written in two steps, because the
// IR never holds all of it at one time. Kernels, variants and launches are known before
// `convert-cta-to-nvvm`, parameters and descriptors after it. In between it is the module's
// attribute `tile.contract`.
#ifndef TESSERA_TARGET_GPUCONTRACT_H
#define TESSERA_TARGET_GPUCONTRACT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace tessera {

/// Attributes of an llvm.func that `convert-cta-to-nvvm` leaves for the contract: arrays of
/// dictionaries with the keys and values of docs/Contract.md (`params`, `descriptors`, `numbers`).
constexpr llvm::StringLiteral kParamsAttr = "tessera.params";
constexpr llvm::StringLiteral kNumbersAttr = "tessera.numbers";
constexpr llvm::StringLiteral kDescriptorsAttr = "tessera.descriptors";

/// Requires allocated kernels; sets `tile.contract`.
mlir::LogicalResult recordGpuContract(mlir::ModuleOp module);

/// Requires a module of llvm functions: the JSON of the contract, complete. Null if no contract was
/// recorded (a module that was written by hand). `compiler` is the text of the field of that name.
mlir::FailureOr<llvm::json::Value> finishGpuContract(mlir::ModuleOp module,
                                                     llvm::StringRef compiler);

/// The text of a finished contract, empty for null. Fails if it is longer than launchers read.
mlir::FailureOr<std::string> printGpuContract(mlir::ModuleOp module,
                                              const llvm::json::Value &contract);

/// Adds the global that carries the contract. External, or LLVM would drop it.
void embedGpuContract(llvm::Module &module, llvm::StringRef json);

} // namespace tessera

#endif
