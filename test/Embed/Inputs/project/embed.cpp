// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a kernel with the C++ interface.
#include "tessera/Compiler.h"

#include <iostream>

static const char *kernel = R"(
tile.kernel @add(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (1024) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    %b = arith.addf %a, %a : tensor<1024xf32>
    tile.store %b, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
})";

int main(int argc, char **argv) {
  tessera::CompileOptions options;
  options.emit = tessera::Emit::Ptx;
  tessera::CompileResult result = tessera::compile(argc > 1 ? argv[1] : kernel, options);
  if (!result.ok) {
    std::cerr << tessera::formatDiagnostics(result.diagnostics, argc > 1 ? argv[1] : kernel);
    return 1;
  }
  std::cout << result.artifact << result.report.toText();
  return 0;
}
