// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/SymbolNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace tessera::tile;

/// A mangled name longer than this ends in a hash. Far from kMaxSymbolLength, since debuggers and
/// profilers show them.
static constexpr size_t kLongName = 240;
static constexpr size_t kHashBytes = 16;

bool tessera::tile::isSymbolName(StringRef name) {
  return !name.empty() && name.size() <= kMaxSymbolLength && !llvm::isDigit(name.front()) &&
         name != "_" && name != "$" &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
}

std::string tessera::tile::mangleSymbol(StringRef name) {
  std::string symbol;
  auto escape = [&](char c) {
    symbol += '$';
    symbol += llvm::hexdigit(static_cast<unsigned char>(c) >> 4, /*LowerCase=*/true);
    symbol += llvm::hexdigit(c & 15, /*LowerCase=*/true);
  };
  for (auto [i, c] : llvm::enumerate(name))
    if (c == '_' || (i ? llvm::isAlnum(c) : llvm::isAlpha(c)))
      symbol += c;
    else
      escape(c);
  if (symbol.size() <= kLongName)
    return symbol;
  // No name that is written out has two $ in a row.
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(name));
  symbol.resize(kLongName - 2 * kHashBytes - 2);
  return symbol + "$$" +
         llvm::toHex(ArrayRef<uint8_t>(digest).take_front(kHashBytes), /*LowerCase=*/true);
}

std::string tessera::tile::gridSymbol(StringRef kernel, unsigned index) {
  return mangleSymbol(kernel) + "_" + std::to_string(index);
}

std::string tessera::tile::whyNoKernelName(StringRef name) {
  if (name.empty())
    return "the name of a kernel is empty: launchers find kernels by their names";
  if (llvm::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }))
    return "the name of a kernel holds a control character: launchers find kernels by their "
           "names, which must be text that can be printed";
  return "";
}
