// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_LIB_TARGET_OPTIMIZELLVM_H
#define TESSERA_LIB_TARGET_OPTIMIZELLVM_H

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace tessera {

/// Runs LLVM's default pipeline for the machine. Levels over 3 mean 3.
void optimizeLLVM(llvm::Module &module, llvm::TargetMachine &machine, unsigned level,
                  llvm::PipelineTuningOptions tuning = {});

} // namespace tessera

#endif
