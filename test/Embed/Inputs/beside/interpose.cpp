// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines functions of MLIR, LLVM and libstdc++ that every compilation calls, and exports them. The
// library must call its own: interpose FILE.
#include "tessera-c/Compiler.h"

#include <fstream>
#include <iostream>
#include <new>
#include <sstream>

#include <cstdio>
#include <cstdlib>

// Their mangled names, so that no header is needed.
#define INTERPOSE(name)                                                                            \
  extern "C" void name() {                                                                         \
    std::fputs("the library calls " #name " of the host\n", stderr);                               \
    std::_Exit(1);                                                                                 \
  }
// mlir::Diagnostic::attachNote(std::optional<mlir::Location>)
INTERPOSE(_ZN4mlir10Diagnostic10attachNoteESt8optionalINS_8LocationEE)
// mlir::MLIRContext::MLIRContext(const mlir::DialectRegistry &, mlir::MLIRContext::Threading)
INTERPOSE(_ZN4mlir11MLIRContextC1ERKNS_15DialectRegistryENS0_9ThreadingE)
// mlir::DiagnosticEngine::emit(mlir::Diagnostic &&)
INTERPOSE(_ZN4mlir16DiagnosticEngine4emitEONS_10DiagnosticE)
// mlir::Operation::destroy()
INTERPOSE(_ZN4mlir9Operation7destroyEv)
// llvm::raw_ostream::write(const char *, unsigned long)
INTERPOSE(_ZN4llvm11raw_ostream5writeEPKcm)
// llvm::Twine::str() const
INTERPOSE(_ZNK4llvm5Twine3strB5cxx11Ev)
// std::__throw_length_error(const char *)
INTERPOSE(_ZSt20__throw_length_errorPKc)

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  std::stringstream text;
  text << file.rdbuf();
  std::string kernel = text.str();
  tessera_options *options = tessera_options_create();
  tessera_options_set(options, "emit", "ptx");
  for (const std::string &source : {kernel, kernel + kernel}) {
    tessera_result *result = tessera_compile(source.data(), source.size(), options);
    std::cout << (tessera_result_ok(result) ? "compiled\n" : tessera_result_diagnostics(result));
    tessera_result_destroy(result);
  }
  tessera_options_destroy(options);
  return 0;
}
