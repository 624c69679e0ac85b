// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/Ptxas.h"

#include <gtest/gtest.h>

using namespace tessera;

TEST(PtxasLog, TwoFunctions) {
  PtxasLog log = parsePtxasLog(R"(ptxas info    : 0 bytes gmem, 64 bytes cmem[3]
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 168 registers, used 2 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 416 bytes cmem[0]
ptxas info    : Compile time = 1.2 ms
ptxas info    : Compiling entry function '_Z1bv' for 'sm_90a'
ptxas info    : Function properties for _Z1bv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
)");
  ASSERT_EQ(log.functions.size(), 2u);
  const PtxasFunction *a = log.lookup("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->registers, 168);
  EXPECT_EQ(a->barriers, 2);
  EXPECT_EQ(a->stackBytes, 16);
  EXPECT_EQ(a->spillStoreBytes, 12);
  EXPECT_EQ(a->spillLoadBytes, 8);
  EXPECT_EQ(a->staticSharedBytes, 1024);
  EXPECT_EQ(a->constantBytes, 416);
  ASSERT_TRUE(log.lookup("_Z1bv"));
  EXPECT_EQ(log.lookup("_Z1bv")->registers, 4);
  EXPECT_FALSE(log.lookup("c"));
  EXPECT_TRUE(log.messages.empty());
}

TEST(PtxasLog, Messages) {
  PtxasLog log = parsePtxasLog(
      R"(ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in the function 'gemm'
ptxas info    : (C7601) Something else
ptxas warning : Value of threads per SM for entry gemm is out of range
ptxas x.ptx, line 12; error   : Arguments mismatch for instruction 'mov'
ptxas fatal   : Ptx assembly aborted due to errors
unrelated text
)");
  ASSERT_EQ(log.messages.size(), 5u);
  EXPECT_EQ(log.messages[0].code, "C7510");
  EXPECT_EQ(log.messages[0].function, "gemm");
  EXPECT_TRUE(log.messages[0].isPerformanceLoss());
  EXPECT_FALSE(log.messages[1].isPerformanceLoss());
  EXPECT_EQ(log.messages[2].severity, PtxasMessage::Severity::Warning);
  EXPECT_EQ(log.messages[3].severity, PtxasMessage::Severity::Error);
  EXPECT_EQ(log.messages[3].line, 12u);
  EXPECT_EQ(log.messages[4].severity, PtxasMessage::Severity::Error);
  EXPECT_EQ(log.messages[4].line, 0u);
}

static SpillVerdict judge(int64_t stored, int64_t loaded, bool tensor, bool fallback,
                          bool require) {
  PtxasFunction function;
  function.spillStoreBytes = stored;
  function.spillLoadBytes = loaded;
  PtxasPolicy policy;
  policy.onTensorPath = tensor;
  policy.isFallback = fallback;
  policy.requireNoSpills = require;
  return judgeSpill(function, policy);
}

TEST(JudgeSpill, NoSpillIsNeverAProblem) {
  for (bool tensor : {false, true})
    for (bool fallback : {false, true})
      for (bool require : {false, true})
        EXPECT_EQ(judge(0, 0, tensor, fallback, require), SpillVerdict::None);
}

TEST(JudgeSpill, TensorPath) {
  EXPECT_EQ(judge(4, 4, true, false, false), SpillVerdict::Error);
  EXPECT_EQ(judge(0, 4, true, false, false), SpillVerdict::Error);
  EXPECT_EQ(judge(400, 4, true, true, false), SpillVerdict::None);
}

TEST(JudgeSpill, OutsideOfProductLoops) {
  PtxasFunction function;
  function.spillStoreBytes = 128;
  function.spillLoadBytes = 400;
  function.spillsInProductLoops = false;
  PtxasPolicy policy;
  policy.onTensorPath = true;
  EXPECT_EQ(judgeSpill(function, policy), SpillVerdict::None);
  function.spillStoreBytes = 132;
  EXPECT_EQ(judgeSpill(function, policy), SpillVerdict::Error);
  function.spillStoreBytes = 4;
  policy.requireNoSpills = true;
  EXPECT_EQ(judgeSpill(function, policy), SpillVerdict::Error);
}

TEST(JudgeSpill, GenericPath) {
  EXPECT_EQ(judge(32, 400, false, false, false), SpillVerdict::None);
  EXPECT_EQ(judge(36, 36, false, false, false), SpillVerdict::Warning);
  EXPECT_EQ(judge(400, 400, false, true, false), SpillVerdict::None);
}

TEST(JudgeSpill, RequireRefusesEverySpill) {
  for (bool tensor : {false, true})
    for (bool fallback : {false, true})
      EXPECT_EQ(judge(4, 4, tensor, fallback, true), SpillVerdict::Error);
}
