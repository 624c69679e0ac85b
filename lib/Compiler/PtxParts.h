// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LLVM's share of a compilation, one GPU function after the other or some at a time: each in a
// module and a context of its own. The PTX is the same for any number of threads.
#ifndef TESSERA_LIB_COMPILER_PTXPARTS_H
#define TESSERA_LIB_COMPILER_PTXPARTS_H

#include "tessera/Target/PtxEmitter.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tessera {

class PtxParts {
public:
  PtxParts(mlir::Location loc, const PtxOptions &options, unsigned threads)
      : loc(loc), options(options), threads(threads) {}

  /// Translates a module of llvm ops, whose functions may be moved out of it. It stays whole if
  /// they share more than external variables, or if `together`.
  mlir::LogicalResult translate(mlir::ModuleOp module, bool together);

  /// The module with the first function, the only one after `together`.
  llvm::Module &first() { return *parts.front().module; }

  mlir::LogicalResult optimize();

  /// Consumes the modules, but for a copy of those with a function that `keep` says.
  mlir::FailureOr<std::string> emit(llvm::function_ref<bool(llvm::Function &)> keep);

  /// Lets `change` change functions that were kept, and compiles again what it says it has changed.
  /// Empty if that is nothing.
  mlir::FailureOr<std::string> emitAgain(llvm::function_ref<bool(llvm::Function &)> change);

private:
  struct Part {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module, kept;
    std::string ptx;
  };
  mlir::LogicalResult addPart(mlir::ModuleOp module);
  /// Runs `work` on every part that has a module.
  mlir::LogicalResult onEach(llvm::function_ref<mlir::LogicalResult(Part &)> work);
  mlir::FailureOr<std::string> emitParts();

  mlir::Location loc;
  PtxOptions options;
  unsigned threads;
  std::vector<Part> parts;
};

/// PTX modules of one target as one: the heads, which must not define the same, then the functions.
std::string mergePtx(llvm::ArrayRef<llvm::StringRef> modules);

} // namespace tessera

#endif
