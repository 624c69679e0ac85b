// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/SymbolNames.h"

#include <gtest/gtest.h>

#include <map>

using namespace tessera::tile;

TEST(SymbolNames, OrdinaryNamesStay) {
  for (const char *name : {"gemm", "gemm_nt", "_", "__x", "A1", "add", "x_1_0"})
    EXPECT_EQ(mangleSymbol(name), name);
  EXPECT_EQ(gridSymbol("gemm_aligned", 0), "gemm_aligned_0");
}

TEST(SymbolNames, OthersAreEscaped) {
  EXPECT_EQ(mangleSymbol("a b"), "a$20b");
  EXPECT_EQ(mangleSymbol("a$20b"), "a$2420b");
  EXPECT_EQ(mangleSymbol("1abc"), "$31abc");
  EXPECT_EQ(mangleSymbol("a.b"), "a$2eb");
  EXPECT_EQ(mangleSymbol("\xe2\x98\x83"), "$e2$98$83");
  EXPECT_EQ(gridSymbol("a b", 12), "a$20b_12");
}

/// Two kernels of one artifact never share a function.
TEST(SymbolNames, DifferentNamesDifferentSymbols) {
  std::vector<std::string> names;
  const char signs[] = {'a', '1', '_', '$', ' ', '2', '0', '4'};
  for (size_t length = 1, count = 8; length <= 4; ++length, count *= 8)
    for (size_t n = 0; n < count; ++n) {
      std::string name;
      for (size_t i = 0, rest = n; i < length; ++i, rest /= 8)
        name += signs[rest % 8];
      names.push_back(name);
    }
  for (size_t length : {230, 240, 241, 1000, 100000})
    for (char last : {'a', 'b', ' '})
      names.push_back(std::string(length, 'x') + last);
  std::map<std::string, std::string> known;
  for (const std::string &name : names)
    for (unsigned index : {0, 1, 10}) {
      std::string symbol = gridSymbol(name, index);
      EXPECT_TRUE(isSymbolName(symbol)) << symbol;
      auto [it, isNew] = known.try_emplace(symbol, name + "#" + std::to_string(index));
      EXPECT_TRUE(isNew) << name << " and " << it->second << " are both " << symbol;
    }
}

TEST(SymbolNames, Legal) {
  for (const char *name : {"", "_", "$", "1a", "a b", "a.b", "%a", "a\n"})
    EXPECT_FALSE(isSymbolName(name)) << name;
  EXPECT_FALSE(isSymbolName(std::string(kMaxSymbolLength + 1, 'x')));
  for (const char *name : {"a", "_a", "$a", "__tessera_contract", "a$b"})
    EXPECT_TRUE(isSymbolName(name)) << name;
  EXPECT_EQ(whyNoKernelName("a b"), "");
  EXPECT_NE(whyNoKernelName(""), "");
  EXPECT_NE(whyNoKernelName("a\nb"), "");
  EXPECT_NE(whyNoKernelName(llvm::StringRef("a\0b", 3)), "");
}
