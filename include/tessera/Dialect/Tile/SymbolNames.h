// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of functions in artifacts. A kernel may be called anything that can be printed; PTX knows
// letters, digits, _ and $, and so do assemblers, linkers and debuggers. Users see the kernel's
// name: the launch contract has both.
#ifndef TESSERA_DIALECT_TILE_SYMBOLNAMES_H
#define TESSERA_DIALECT_TILE_SYMBOLNAMES_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace tessera::tile {

/// PTX promises 1024 characters (PTX ISA, "Identifiers").
constexpr size_t kMaxSymbolLength = 1000;

/// Letters, digits, _ and $, no digit in front, not too long.
bool isSymbolName(llvm::StringRef name);

/// A symbol for a kernel's name, different for different names: itself if it is letters, digits and
/// _; `$` and two hexadecimal digits for each other byte, and for a digit in front. The end of a
/// name that gets too long is a hash of it.
std::string mangleSymbol(llvm::StringRef name);

/// The function of a kernel's grid, counted from 0.
std::string gridSymbol(llvm::StringRef kernel, unsigned index);

/// Why no kernel may have that name; empty if one may.
std::string whyNoKernelName(llvm::StringRef name);

} // namespace tessera::tile

#endif
