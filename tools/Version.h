// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tools that link LLVM print with --version: the same as tilec.
#ifndef TESSERA_TOOLS_VERSION_H
#define TESSERA_TOOLS_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera {

/// Makes --version print "tessera 0.1.0 (LLVM 22.1.8)". To be called before options are parsed.
inline void registerVersion() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "tessera " TESSERA_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
}

} // namespace tessera

#endif
