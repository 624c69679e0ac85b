// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From tile kernels to a shared object for the host: the CPU target. The object exports one
// function per grid and `__tessera_contract` (docs/Contract.md).
#ifndef TESSERA_TARGET_HOSTOBJECT_H
#define TESSERA_TARGET_HOSTOBJECT_H

#include "tessera/Target/ExternalTool.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tessera {

struct HostOptions {
  /// A CPU of LLVM; "native" is this machine with all its features; empty is a portable baseline
  /// (x86-64-v2 on x86).
  std::string cpu;
  /// 0 to 3. At 1, loops become vectors, but nothing is unrolled or interleaved: it compiles faster
  /// than 2 and 3.
  unsigned optLevel = 3;
  /// Check at run time what the language leaves undefined: tile-insert-checks.
  bool check = false;
  /// Verify the IR after each pass of `runHostPipeline` over tiles, which takes nearly as long as
  /// the passes themselves; without, only what the pipeline leaves is verified.
  bool verifyEach = true;
  /// Path of an ld-compatible linker (findHostLinker).
  std::string linker;
  /// Where the linker runs, and when the compilation must stop.
  ToolEnvironment environment;
};

/// The linker: `path` if that is not empty, else `ld` in PATH, else LLVM's ld.lld.
mlir::FailureOr<std::string> findHostLinker(const std::string &path, mlir::Location loc);

/// The dialects, interfaces and translations that the functions below need in the module's context.
void registerHostDialects(mlir::DialectRegistry &registry);

/// Registers the pipeline `tile-to-cpu`.
void registerHostPipelines();

/// Tile kernels → the LLVM dialect, on a module.
mlir::LogicalResult buildHostPipeline(mlir::OpPassManager &pm, const HostOptions &options = {});

/// Runs that pipeline. The verifier runs after each pass as long as there are loops over scalars,
/// and once at the end.
mlir::LogicalResult runHostPipeline(mlir::ModuleOp module, const HostOptions &options);

/// The contract of tile kernels, without their code. Changes `module`.
mlir::FailureOr<std::string> describeHostContract(mlir::ModuleOp module,
                                                  const HostOptions &options);

/// Tile kernels → optimised LLVM IR with the contract in it. Changes `module`.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
compileToHostLLVM(mlir::ModuleOp module, llvm::LLVMContext &context, const HostOptions &options);

/// LLVM IR → the bytes of a shared object. Errors are reported at `loc`.
mlir::FailureOr<std::string> linkHostObject(llvm::Module &llvmModule, mlir::Location loc,
                                            const HostOptions &options);

/// Tile kernels → the bytes of a shared object. Changes `module`.
mlir::FailureOr<std::string> compileToHostObject(mlir::ModuleOp module, const HostOptions &options);

} // namespace tessera

#endif
