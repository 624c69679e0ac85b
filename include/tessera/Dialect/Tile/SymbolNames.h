// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of functions in artifacts. The name of a kernel may be any printable text. PTX allows
// letters, digits, _ and $, and so do assemblers, linkers and debuggers. Users see the kernel's
// name; the launch contract has both names.
#ifndef TESSERA_DIALECT_TILE_SYMBOLNAMES_H
#define TESSERA_DIALECT_TILE_SYMBOLNAMES_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace tessera::tile {

/// The longest symbol. PTX promises 1024 characters (PTX ISA, "Identifiers").
constexpr size_t kMaxSymbolLength = 1000;

/// True if the name has only letters, digits, _ and $, does not begin with a digit, and is not
/// longer than kMaxSymbolLength.
bool isSymbolName(llvm::StringRef name);

/// The symbol for a kernel's name; different names have different symbols. A name of letters,
/// digits and _ is its own symbol. Each other byte, and a digit at the start, becomes `$` and two
/// hexadecimal digits. If the symbol would be too long, a hash replaces its end.
std::string mangleSymbol(llvm::StringRef name);

/// The symbol of the function of a kernel's grid number `index`, counted from 0.
std::string gridSymbol(llvm::StringRef kernel, unsigned index);

/// The reason why no kernel may have that name; empty if one may.
std::string whyNoKernelName(llvm::StringRef name);

} // namespace tessera::tile

#endif
