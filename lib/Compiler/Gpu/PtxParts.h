// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs LLVM on the GPU functions of a compilation, one after the other or several at a time. Each
// function is in a module and a context of its own. The PTX is the same for any number of threads.
#ifndef TESSERA_LIB_COMPILER_GPU_PTXPARTS_H
#define TESSERA_LIB_COMPILER_GPU_PTXPARTS_H

#include "tessera/Target/PtxEmitter.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <vector>

namespace tessera {

/// The PTX of functions by a hash of what it was made of. Of a kernel that is compiled again with
/// another plan of one variant, the code of the other variants is made once.
using PtxMemo = std::map<std::string, std::string>;

class PtxParts {
public:
  PtxParts(mlir::Location loc, const PtxOptions &options, unsigned threads, PtxMemo &memo)
      : loc(loc), options(options), threads(threads), memo(memo) {}

  /// Translates a module of llvm ops, from which functions may be moved to modules of their own.
  /// The module stays whole if its functions share more than external variables, or if `together`
  /// is set.
  mlir::LogicalResult translate(mlir::ModuleOp module, bool together);

  /// The module for the launch contract. With `together` this is the only module.
  llvm::Module &last() { return *parts.back().module; }

  /// Optimizes the modules, but those whose PTX is known already. `keep` as for emit().
  mlir::LogicalResult optimize(llvm::function_ref<bool(llvm::Function &)> keep);

  /// Emits PTX and drops the modules. Copies of modules stay that have a function for which `keep`
  /// returns true.
  mlir::FailureOr<std::string> emit(llvm::function_ref<bool(llvm::Function &)> keep);

  /// Lets `change` change the functions that were kept, and compiles those again for which it
  /// returns true. Empty if there is none.
  mlir::FailureOr<std::string> emitAgain(llvm::function_ref<bool(llvm::Function &)> change);

private:
  struct Part {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module, kept;
    std::string ptx;
    std::string key; ///< in the memo; empty if the PTX is not kept there
  };
  mlir::LogicalResult addPart(mlir::ModuleOp module);
  /// Runs `work` on every part that still has a module.
  mlir::LogicalResult onEach(llvm::function_ref<mlir::LogicalResult(Part &)> work);
  mlir::FailureOr<std::string> emitParts();

  mlir::Location loc;
  PtxOptions options;
  unsigned threads;
  PtxMemo &memo;
  std::vector<Part> parts;
};

/// Merges several PTX modules of one target: first their heads, which must not define the same
/// names, then their functions.
std::string mergePtx(llvm::ArrayRef<llvm::StringRef> modules);

} // namespace tessera

#endif
