// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a module in the LLVM dialect (with NVVM intrinsics) to PTX text, in process.
#ifndef TESSERA_TARGET_PTXEMITTER_H
#define TESSERA_TARGET_PTXEMITTER_H

#include "tessera/Machine/Machines.h"
#include "tessera/StopCondition.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <set>
#include <string>

namespace tessera {

struct PtxOptions {
  std::string chip = kDefaultMachine.chip;
  std::string features = kDefaultMachine.ptxFeatures;
  unsigned optLevel = 3;           // 0 to 3
  std::set<std::string> fallbacks; // functions of all variants but the first
  // When this says so, optimizeForPtx and emitPtx end early, and what they made is of no use.
  const StopCondition *stop = nullptr;
};

/// The translations to LLVM IR that `translateForPtx` needs: builtin, llvm, nvvm.
void registerPtxTranslations(mlir::DialectRegistry &registry);

/// Translates a module of llvm ops to LLVM IR for the NVPTX target, with inline assembly marked
/// convergent. Null after an error, which is a diagnostic at the module.
std::unique_ptr<llvm::Module> translateForPtx(mlir::ModuleOp module, llvm::LLVMContext &context,
                                              const PtxOptions &options);

/// Marks every call of inline assembly convergent, and returns their number. MLIR's
/// `llvm.inline_asm` cannot express it. Without it jump threading copies barriers and wgmma into
/// divergent branches.
unsigned markInlineAsmConvergent(llvm::Module &module);

/// Runs LLVM's pipeline of the given level.
mlir::LogicalResult optimizeForPtx(llvm::Module &module, mlir::Location loc,
                                   const PtxOptions &options);

/// The PTX text; consumes the module (code generation changes it).
mlir::FailureOr<std::string> emitPtx(llvm::Module &module, mlir::Location loc,
                                     const PtxOptions &options);

} // namespace tessera

#endif
