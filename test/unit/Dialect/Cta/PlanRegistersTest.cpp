// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Plan/Model.h"

#include "gtest/gtest.h"

using namespace tessera::plan;

/// What a producer keeps: with indices, whole granules of setmaxnreg.
TEST(PlanRegisters, OfProducers) {
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/false, 0, 0), 32);
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/false, 1, 0), 40);
  // Two math warpgroups of 232 leave 40, three of 160 leave 32, and one leaves many.
  EXPECT_EQ(registersOfProducer(2, 168, 232, 32), 40);
  EXPECT_EQ(registersOfProducer(3, 128, 160, 32), 32);
  EXPECT_EQ(registersOfProducer(1, 248, 248, 32), 40);
  // It keeps less if a plan wants more, but never less than setmaxnreg knows.
  EXPECT_EQ(registersOfProducer(2, 168, 240, 32), 24);
  EXPECT_EQ(registersOfProducer(3, 128, 168, 32), 24);
  EXPECT_EQ(leastKeptByProducer(/*copiesByThreads=*/false, 0), 24);
  EXPECT_EQ(leastKeptByProducer(/*copiesByThreads=*/false, 1), 32);
  EXPECT_EQ(leastKeptByProducer(/*copiesByThreads=*/true, 0), 56);
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/true, 0, 0), 56);
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/true, 8, 0), 64);
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/true, 9, 0), 72);
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/true, 1000, 0), 256);
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/true, 0, 64), 120);
  EXPECT_EQ(keptByProducer(/*copiesByThreads=*/true, 9, 16), 88);
}
