// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests which functions members share, on contracts that no source makes: a module may be given in
// phase llvm.
#include "tessera/Target/SharedFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera;

namespace {
/// Two functions with one body, and one with another.
class SharedFunctionsTest : public testing::Test {
protected:
  SharedFunctionsTest() {
    context.loadDialect<LLVM::LLVMDialect>();
    module = parseSourceString<ModuleOp>("llvm.func @first() { llvm.return }\n"
                                         "llvm.func @same() { llvm.return }\n"
                                         "llvm.func @other() {\n"
                                         "  llvm.call @called() : () -> ()\n"
                                         "  llvm.return\n"
                                         "}\n"
                                         "llvm.func @called() { llvm.return }\n",
                                         &context);
  }
  /// A variant of a member; of none if its name is empty.
  static std::string variant(StringRef member, StringRef symbol, StringRef more = "") {
    std::string head = member.empty() ? "" : "\"member\":\"" + member.str() + "\",";
    return "{" + head + "\"launches\":[{\"symbol\":\"" + symbol.str() + "\"" + more.str() + "}]}";
  }
  static std::string kernel(const std::string &variants) {
    return "{\"variants\":[" + variants + "]}";
  }
  static std::string contractOf(const std::string &kernels) {
    return "{\"kernels\":[" + kernels + "]}";
  }
  SharedFunctions share(std::string &contract, bool areAlike = true) {
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(contract);
    EXPECT_TRUE(static_cast<bool>(parsed));
    const llvm::json::Value before = *parsed;
    SharedFunctions shared =
        shareFunctions(*module, *parsed, [&](StringRef, StringRef) { return areAlike; });
    EXPECT_EQ(*parsed == before, shared.empty());
    contract.clear();
    llvm::raw_string_ostream(contract) << *parsed;
    return shared;
  }
  bool has(StringRef name) { return module->lookupSymbol(name) != nullptr; }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(SharedFunctionsTest, MembersOfAFamilyShare) {
  std::string contract = contractOf(kernel(variant("A", "first") + "," + variant("B", "same")));
  EXPECT_EQ(share(contract), (SharedFunctions{{"same", "first"}}));
  EXPECT_FALSE(has("same"));
  EXPECT_EQ(contract.find("\"same\""), std::string::npos);
}

TEST_F(SharedFunctionsTest, FamiliesShareNothingWithEachOther) {
  std::string contract =
      contractOf(kernel(variant("A", "first")) + "," + kernel(variant("B", "same")));
  EXPECT_TRUE(share(contract).empty());
  EXPECT_TRUE(has("same"));
}

TEST_F(SharedFunctionsTest, WhatIsJudgedOtherwiseStays) {
  std::string contract = contractOf(kernel(variant("A", "first") + "," + variant("B", "same")));
  EXPECT_TRUE(share(contract, /*areAlike=*/false).empty());
  EXPECT_TRUE(has("same"));
}

TEST_F(SharedFunctionsTest, WhatIsStartedOtherwiseStays) {
  std::string contract = contractOf(kernel(variant("A", "first", ",\"block\":[64,1,1]") + "," +
                                           variant("B", "same", ",\"block\":[128,1,1]")));
  EXPECT_TRUE(share(contract).empty());
  EXPECT_TRUE(has("same"));
}

TEST_F(SharedFunctionsTest, AnOrdinaryKernelKeepsItsFunction) {
  std::string contract = contractOf(kernel(variant("A", "first") + "," + variant("B", "same")) +
                                    "," + kernel(variant("", "same")));
  EXPECT_TRUE(share(contract).empty());
  EXPECT_TRUE(has("same"));
}

TEST_F(SharedFunctionsTest, TwoLaunchesOfOneFunctionKeepIt) {
  std::string contract = contractOf(kernel(variant("A", "first") + "," + variant("B", "same") +
                                           "," + variant("B", "same", ",\"block\":[64,1,1]")));
  EXPECT_TRUE(share(contract).empty());
  EXPECT_TRUE(has("same"));
}

TEST_F(SharedFunctionsTest, WhatIsCalledStays) {
  std::string contract = contractOf(kernel(variant("A", "first") + "," + variant("B", "called")));
  EXPECT_TRUE(share(contract).empty());
  EXPECT_TRUE(has("called"));
}

TEST_F(SharedFunctionsTest, OtherCodeStays) {
  std::string contract = contractOf(kernel(variant("A", "first") + "," + variant("B", "other")));
  EXPECT_TRUE(share(contract).empty());
  EXPECT_TRUE(has("other"));
}
