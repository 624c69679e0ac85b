// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses with the libMLIR.so that it is linked with while libtessera.so compiles with its own MLIR:
// beside FILE. Two threads do both by turns, with good programs and bad ones.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tessera-c/Compiler.h"

#include <atomic>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

/// Whether the host's MLIR finds the redefinition, with its note.
static bool parses() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  unsigned errors = 0, notes = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    ++errors;
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      notes += !note.str().empty();
    return mlir::success();
  });
  bool bad = !mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f() { return }\nfunc.func @f() { return }", &context);
  mlir::OwningOpRef<mlir::ModuleOp> good = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f(%x: f32) -> f32 { %y = arith.addf %x, %x : f32 return %y : f32 }", &context);
  return bad && good && errors == 1 && notes == 1;
}

/// Whether the library compiles the kernel, and finds the redefinition, with its note.
static bool compiles(const std::string &kernel) {
  tessera_options *options = tessera_options_create();
  tessera_options_set(options, "emit", "ptx");
  tessera_result *result = tessera_compile(kernel.data(), kernel.size(), options);
  bool good = tessera_result_ok(result) &&
              std::string(static_cast<const char *>(tessera_result_artifact(result)))
                      .find(".visible .entry") != std::string::npos;
  tessera_result_destroy(result);
  std::string twice = kernel + kernel;
  result = tessera_compile(twice.data(), twice.size(), options);
  good &= !tessera_result_ok(result) &&
          std::string(tessera_result_diagnostics(result)).find("note: ") != std::string::npos;
  tessera_result_destroy(result);
  tessera_options_destroy(options);
  return good;
}

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  std::stringstream kernel;
  kernel << file.rdbuf();
  std::atomic<bool> good(true);
  auto work = [&] {
    for (int i = 0; i < 3; ++i)
      if (!parses() || !compiles(kernel.str()))
        good = false;
  };
  std::thread other(work);
  work();
  other.join();
  std::cout << (good ? "both work\n" : "one does not work\n");
  return !good;
}
