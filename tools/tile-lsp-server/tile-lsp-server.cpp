// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-lsp-server for Tessera: diagnostics, definitions and hovers of tile programs in an editor.
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tessera/InitAll.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tessera::registerTesseraDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
