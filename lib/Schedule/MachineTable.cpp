// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Schedule/MachineTable.h"
#include "Modular.h"
#include "tessera/Machine/Hopper.h"

#include <algorithm>

using namespace tessera::schedule;

namespace {
// Cycles of the instructions around an asynchronous operation: fence, commit and descriptor
// arithmetic; expect_tx and the branch of the elected thread. They are few compared with the
// operation, so they need not be exact.
constexpr int64_t kWgmmaIssue = 2, kGroupIssue = 8, kCopyIssue = 32;

void addUse(Operation &op, int unit, int64_t cycles) {
  if (cycles > 0)
    op.uses.push_back({unit, cycles});
}
} // namespace

MachineUnits MachineTable::addUnits(Problem &problem) const {
  MachineUnits units;
  units.tensor = problem.addUnit("tensor");
  units.sfu = problem.addUnit("sfu");
  units.fma = problem.addUnit("fma", /*fluid=*/true);
  units.alu = problem.addUnit("alu", /*fluid=*/true);
  units.dispatch = problem.addUnit("dispatch", /*fluid=*/true);
  units.smem = problem.addUnit("smem", /*fluid=*/true);
  units.copy = problem.addUnit("copy", /*fluid=*/true);
  return units;
}

Operation MachineTable::wgmma(const MachineUnits &units, std::string name, int64_t rows, int64_t n,
                              int64_t k, int64_t elementBits, bool aInRegisters) const {
  const int64_t rate = machine.tensorMacs(elementBits);
  const int64_t instructions = ceilDiv(rows, 64) * ceilDiv(k * elementBits, 256);
  const int64_t cycles = ceilDiv(rows * n * k, rate);
  // Each instruction reads its operands from shared memory, 32 bytes per row.
  const int64_t bytes = instructions * 32 * (n + (aInRegisters ? 0 : 64));
  Operation op;
  op.name = std::move(name);
  op.async = true;
  op.issue = kGroupIssue + instructions * kWgmmaIssue;
  op.registers = ceilDiv(rows * n, tessera::hopper::kWarpgroupSize);
  addUse(op, units.tensor, cycles);
  addUse(op, units.smem, ceilDiv(bytes, machine.sharedBytesPerCycle));
  addUse(op, units.dispatch, op.issue);
  op.latency = std::max(ceilDiv(bytes, machine.sharedBytesPerCycle), std::max(cycles, op.issue)) +
               machine.wgmmaDrain;
  return op;
}

Operation MachineTable::compute(const MachineUnits &units, std::string name, const ThreadWork &work,
                                int64_t registers) const {
  auto cycles = [&](int64_t count, int64_t lanes) {
    return ceilDiv(count * machine.issueLanes, lanes);
  };
  Operation op;
  op.name = std::move(name);
  op.registers = registers;
  addUse(op, units.sfu, cycles(work.sfu, machine.mufuLanes));
  addUse(op, units.fma, cycles(work.fma, machine.fmaLanes));
  addUse(op, units.alu, cycles(work.alu, machine.aluLanes));
  addUse(op, units.dispatch, work.fma + work.alu + work.sfu + work.shuffles);
  addUse(op, units.smem, ceilDiv(work.sharedBytes, machine.sharedBytesPerCycle));
  op.issue = 1;
  for (const Use &use : op.uses)
    op.issue = std::max(op.issue, use.cycles);
  op.issue += work.shuffles * machine.shuffleLatency;
  op.latency = op.issue;
  return op;
}

Operation MachineTable::load(const MachineUnits &units, std::string name, int64_t bytes) const {
  Operation op;
  op.name = std::move(name);
  op.role = Role::Load;
  op.async = true;
  op.issue = kCopyIssue;
  addUse(op, units.copy, ceilDiv(bytes, machine.copyBytesPerCycle));
  op.latency = machine.copyLatency + ceilDiv(bytes, machine.copyBytesPerCycle);
  return op;
}
