// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Machine/Hopper.h"

#include <gtest/gtest.h>

#include <string>

using tessera::Occupancy, tessera::hopper::kMachine;

TEST(Hopper, EntryRegisterCap) {
  // Measured with ptxas 13.0.
  EXPECT_EQ(kMachine.entryRegisterCap(128), 255);
  EXPECT_EQ(kMachine.entryRegisterCap(256), 255);
  EXPECT_EQ(kMachine.entryRegisterCap(288), 168);
  EXPECT_EQ(kMachine.entryRegisterCap(384), 168);
  EXPECT_EQ(kMachine.entryRegisterCap(416), 128);
  EXPECT_EQ(kMachine.entryRegisterCap(512), 128);
  EXPECT_EQ(kMachine.entryRegisterCap(1024), 64);
}

TEST(Hopper, OccupancyByThreads) {
  Occupancy occupancy = kMachine.occupancy(1024, 32, 0);
  EXPECT_EQ(occupancy.blocks(), 2);
  EXPECT_EQ(kMachine.occupancy(32, 16, 0).blocks(), kMachine.maxBlocksPerSM);
}

TEST(Hopper, OccupancyByRegisters) {
  EXPECT_EQ(kMachine.occupancy(256, 255, 0).blocks(), 1);
  EXPECT_EQ(kMachine.occupancy(256, 128, 0).blocks(), 2);
  EXPECT_EQ(kMachine.occupancy(128, 168, 0).blocks(), 3);
  EXPECT_EQ(std::string(kMachine.occupancy(256, 128, 0).limit()), "registers");
}

TEST(Hopper, OccupancyByShared) {
  EXPECT_EQ(kMachine.occupancy(128, 32, kMachine.maxSharedPerBlock).blocks(), 1);
  EXPECT_EQ(kMachine.occupancy(128, 32, 113 * 1024).blocks(), 2);
  EXPECT_EQ(kMachine.occupancy(128, 32, 114 * 1024).blocks(), 1);
  EXPECT_EQ(std::string(kMachine.occupancy(128, 32, kMachine.maxSharedPerBlock).limit()),
            "shared memory");
}
