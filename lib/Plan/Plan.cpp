// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Plan/Plan.h"

#include "tessera/Machine/Hopper.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::plan;

int64_t plan::threadsOf(int64_t mathWarpgroups, int64_t producers) {
  return hopper::kWarpgroupSize * mathWarpgroups + Machine::warpSize * producers;
}

int64_t Plan::replicas() const {
  // Two warpgroups take turns with the tensor cores.
  constexpr int64_t kPingPong = 2;
  return replicate == Replicate::Blocks ? warpgroups.value_or(kPingPong) : 1;
}

std::optional<int64_t> Plan::warpgroupsOfTile() const {
  return replicate == Replicate::Blocks ? 1 : warpgroups;
}

Plan Plan::closed() const {
  Plan plan = *this;
  for (std::optional<int64_t> Plan::*entry :
       {&Plan::producers, &Plan::stages, &Plan::persistent, &Plan::group, &Plan::registers,
        &Plan::pending, &Plan::streamK})
    plan.*entry = (plan.*entry).value_or(0);
  plan.blocksPerSM = blocksPerSM.value_or(1);
  return plan;
}

int64_t Plan::entryRegisters(const Machine &machine, int64_t warpgroupsOfTile) const {
  return plan::entryRegisters(machine, warpgroupsOfTile * replicas(), producers.value_or(1),
                              blocksPerSM.value_or(1));
}

int64_t Plan::mathRegisters(const Machine &machine, int64_t warpgroupsOfTile) const {
  const int64_t taken = registers.value_or(0);
  return taken ? taken : entryRegisters(machine, warpgroupsOfTile);
}

int64_t plan::entryRegisters(const Machine &machine, int64_t mathWarpgroups, int64_t producers,
                             int64_t blocksPerSM) {
  return machine.entryRegisterCap(std::max<int64_t>(blocksPerSM, 1) *
                                  threadsOf(mathWarpgroups, producers));
}
