// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_LIB_TARGET_OPTIMIZELLVM_H
#define TESSERA_LIB_TARGET_OPTIMIZELLVM_H

#include "tessera/StopCondition.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace tessera {

/// Runs LLVM's default pipeline for the machine. Levels over 3 mean 3. When `stop` (may be null)
/// says so, it leaves out all passes that may be left out; the module is then of no use.
void optimizeLLVM(llvm::Module &module, llvm::TargetMachine &machine, unsigned level,
                  llvm::PipelineTuningOptions tuning, const StopCondition *stop);

/// While it lives, code generation in the context leaves out the passes that may be left out when
/// `stop` (may be null) says so.
class StopGate : public llvm::OptPassGate {
public:
  StopGate(llvm::LLVMContext &context, const StopCondition *stop)
      : context(context), previous(context.getOptPassGate()), stop(stop) {
    context.setOptPassGate(*this);
  }
  ~StopGate() override { context.setOptPassGate(previous); }
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef unit) const override {
    return !stop || !stop->shouldStop();
  }

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &previous;
  const StopCondition *stop;
};

} // namespace tessera

#endif
