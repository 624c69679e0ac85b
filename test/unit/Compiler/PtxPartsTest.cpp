// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The PTX of functions that come out the same is made once.
#include "Gpu/PtxParts.h"

#include "tessera/InitAll.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

using namespace tessera;

namespace {
class PtxPartsTest : public ::testing::Test {
protected:
  PtxPartsTest() {
    mlir::DialectRegistry registry;
    registerTesseraDialects(registry);
    context.appendDialectRegistry(registry);
    options.chip = "sm_90a";
    options.features = "+ptx80";
  }

  /// A kernel that stores a number.
  static std::string kernel(const std::string &name, int number) {
    return "llvm.func @" + name +
           "(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {\n  %c = llvm.mlir.constant(" +
           std::to_string(number) +
           " : i32) : i32\n  llvm.store %c, %x : i32, !llvm.ptr<1>\n  llvm.return\n}\n";
  }

  std::string compile(const std::string &text, bool keepsAll = false, bool together = false) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    PtxParts parts(mlir::UnknownLoc::get(&context), options, /*threads=*/1, memo);
    auto keep = [&](llvm::Function &) { return keepsAll; };
    if (!module || failed(parts.translate(*module, together)) || failed(parts.optimize(keep)))
      return "";
    mlir::FailureOr<std::string> ptx = parts.emit(keep);
    return succeeded(ptx) ? *ptx : "";
  }

  mlir::MLIRContext context;
  PtxOptions options;
  PtxMemo memo;
};

TEST_F(PtxPartsTest, FunctionsAreKnown) {
  const std::string first = compile(kernel("a", 11) + kernel("b", 22));
  EXPECT_NE(first.find(" a("), std::string::npos);
  EXPECT_EQ(memo.size(), 2u);
  // From the memo: what it holds is what comes out.
  for (auto &[key, ptx] : memo)
    if (size_t at = ptx.find("22"); at != std::string::npos)
      ptx.replace(at, 2, "33");
  const std::string second = compile(kernel("a", 11) + kernel("b", 22));
  EXPECT_NE(second.find("33"), std::string::npos);
  EXPECT_EQ(second.find("22"), std::string::npos);
  EXPECT_EQ(memo.size(), 2u);
}

TEST_F(PtxPartsTest, ChangedFunctionsAreNot) {
  compile(kernel("a", 11) + kernel("b", 22));
  const std::string changed = compile(kernel("a", 11) + kernel("b", 44));
  EXPECT_NE(changed.find("44"), std::string::npos);
  EXPECT_NE(changed.find("11"), std::string::npos);
  EXPECT_EQ(changed.find("22"), std::string::npos);
  EXPECT_EQ(memo.size(), 3u);
  // LLVM does less for a fallback.
  options.fallbacks.insert("a");
  compile(kernel("a", 11) + kernel("b", 44));
  EXPECT_EQ(memo.size(), 4u);
}

TEST_F(PtxPartsTest, WhatMayChangeIsNotKept) {
  // After ptxas a kept function may be changed, and needs its module.
  EXPECT_FALSE(compile(kernel("a", 11) + kernel("b", 22), /*keepsAll=*/true).empty());
  EXPECT_TRUE(memo.empty());
  // One module has the contract.
  EXPECT_FALSE(compile(kernel("a", 11) + kernel("b", 22), false, /*together=*/true).empty());
  EXPECT_FALSE(compile(kernel("a", 11)).empty());
  EXPECT_TRUE(memo.empty());
}
} // namespace
