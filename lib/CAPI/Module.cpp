// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera-c/Module.h"

#include "Handles.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace tessera;

tessera_result *tessera_compile_module(MlirModule module, const tessera_options *options) {
  CompileOptions compileOptions = optionsOf(options);
  if (mlirModuleIsNull(module)) {
    CompileDiagnostic diagnostic;
    diagnostic.message = "there is no module to compile: it is null";
    CompileResult result;
    result.diagnostics.push_back(std::move(diagnostic));
    return makeResult(std::move(result), "", compileOptions.sourceName);
  }
  mlir::ModuleOp op = unwrap(module);
  compileOptions.registerDialects = [op](mlir::DialectRegistry &registry) mutable {
    op->getContext()->getDialectRegistry().appendTo(registry);
  };
  return makeResult(compile(op, compileOptions), "", compileOptions.sourceName);
}
