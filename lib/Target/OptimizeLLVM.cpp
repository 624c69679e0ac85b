// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OptimizeLLVM.h"

void tessera::optimizeLLVM(llvm::Module &module, llvm::TargetMachine &machine, unsigned level,
                           llvm::PipelineTuningOptions tuning, const StopCondition *stop) {
  llvm::PassInstrumentationCallbacks callbacks;
  if (stop)
    callbacks.registerShouldRunOptionalPassCallback(
        [stop](llvm::StringRef, llvm::Any) { return !stop->shouldStop(); });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  // The order matters: when a manager is destroyed it refers to those that are declared after it.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1, llvm::OptimizationLevel::O2,
      llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel wanted = levels[std::min(level, 3u)];
  llvm::ModulePassManager passes = wanted == llvm::OptimizationLevel::O0
                                       ? builder.buildO0DefaultPipeline(wanted)
                                       : builder.buildPerModuleDefaultPipeline(wanted);
  passes.run(module, modules);
}
