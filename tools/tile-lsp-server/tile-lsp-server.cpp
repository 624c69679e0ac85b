// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-lsp-server for Tessera: diagnostics, definitions and hovers of tile programs in an editor.
#include "../Version.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tessera/Dialect/Tile/Syntax/ParserHints.h"
#include "tessera/InitAll.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tessera::registerVersion();
  mlir::DialectRegistry registry;
  tessera::registerTesseraDialects(registry);
  // Editors open many texts; the hints do without them.
  tessera::tile::registerParserHints(registry, /*source=*/"");
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
