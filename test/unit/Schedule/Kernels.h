// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops that the scheduler is for, built from the machine table.
#ifndef TESSERA_TEST_UNIT_SCHEDULE_KERNELS_H
#define TESSERA_TEST_UNIT_SCHEDULE_KERNELS_H

#include "tessera/Machine/Hopper.h"
#include "tessera/Schedule/MachineTable.h"

namespace tessera::schedule {

/// Attention forward: head size d, blocks of n keys, 64 rows for each warpgroup. `registers` is
/// what a math thread has; 26 of them are addresses and counters.
inline Problem attention(int64_t d, int64_t n, int64_t warpgroups, int64_t registers) {
  const MachineTable table{tessera::hopper::kMachine};
  Problem p;
  p.replicas = warpgroups;
  p.registers = registers - 26;
  p.sharedBytes = tessera::hopper::kMachine.maxSharedPerBlock - warpgroups * 64 * d * 2; // Q
  const MachineUnits units = table.addUnits(p);
  int channelK = p.addChannel({"K", n * d * 2, /*shared=*/true});
  int channelV = p.addChannel({"V", n * d * 2, /*shared=*/true});
  int loadK = p.addOperation(table.load(units, "load_k", n * d * 2));
  int loadV = p.addOperation(table.load(units, "load_v", n * d * 2));

  int qk = p.addOperation(table.wgmma(units, "qk", 64, n, d, 16));
  ThreadWork work;
  work.alu = n / 2;
  work.shuffles = 4; // the maximum over a quad, and its way back
  int rowMax = p.addOperation(table.compute(units, "row_max", work, 2));
  work = {};
  work.sfu = n / 2;
  work.fma = n; // scale and subtract, add to the row's sum
  int exp = p.addOperation(table.compute(units, "exp2", work, n / 2));
  work = {};
  work.alu = n / 4;
  int narrow = p.addOperation(table.compute(units, "narrow", work, n / 4));
  work = {};
  work.fma = d / 2;
  int rescale = p.addOperation(table.compute(units, "rescale", work, d / 2));
  int pv = p.addOperation(table.wgmma(units, "pv", 64, d, n, 16, /*aInRegisters=*/true));

  p.addRead(channelK, loadK, qk);
  p.addRead(channelV, loadV, pv);
  p.addEdge(qk, rowMax);
  p.addEdge(qk, exp);
  p.addEdge(rowMax, exp);
  p.addEdge(rowMax, rowMax, EdgeKind::Raw, 1);
  p.addEdge(exp, narrow);
  p.addEdge(narrow, pv);
  p.addEdge(pv, narrow, EdgeKind::WarReg, 1);
  p.addEdge(rowMax, rescale);
  p.addEdge(pv, rescale, EdgeKind::Raw, 1);
  p.addEdge(rescale, pv, EdgeKind::Accumulate);
  return p;
}

/// A GEMM whose warpgroups share a tile of 64 * warpgroups x n in steps of k, so that one load
/// serves all. `shared` is the memory for the ring.
inline Problem cooperativeGemm(int64_t n, int64_t k, int64_t warpgroups, int64_t shared) {
  const MachineTable table{tessera::hopper::kMachine};
  Problem p;
  p.replicas = warpgroups;
  p.sharedBytes = shared;
  const MachineUnits units = table.addUnits(p);
  const int64_t bytesA = 64 * warpgroups * k * 2, bytesB = n * k * 2;
  int ring = p.addChannel({"AB", bytesA + bytesB, /*shared=*/true});
  int loadA = p.addOperation(table.load(units, "load_a", bytesA));
  int loadB = p.addOperation(table.load(units, "load_b", bytesB));
  int mma = p.addOperation(table.wgmma(units, "mma", 64, n, k, 16));
  ThreadWork work;
  work.alu = 2; // one thread arrives
  int release = p.addOperation(table.compute(units, "release", work));
  for (int load : {loadA, loadB}) {
    p.addRead(ring, load, mma);
    p.addRead(ring, load, release);
  }
  p.addEdge(mma, mma, EdgeKind::Accumulate, 1);
  p.addEdge(mma, release, EdgeKind::Done);
  return p;
}

/// The persistent loop over tiles with ping-pong: one warpgroup computes a whole tile.
inline Problem pingPongGemm(int64_t n, int64_t k, int64_t epilogueCycles) {
  const MachineTable table{tessera::hopper::kMachine};
  Problem p;
  p.replicas = 2;
  const MachineUnits units = table.addUnits(p);
  Operation phase = table.wgmma(units, "mainloop", 64, n, k, 16);
  phase.async = false;
  phase.issue = phase.latency;
  int mainloop = p.addOperation(phase);
  ThreadWork work;
  work.alu = n / 4;                  // to bf16
  work.sharedBytes = 64 * n * 2 * 2; // stmatrix in, the TMA store out
  phase = table.compute(units, "epilogue", work);
  phase.issue = phase.latency = epilogueCycles;
  int epilogue = p.addOperation(phase);
  p.addEdge(mainloop, epilogue);
  p.addEdge(epilogue, mainloop, EdgeKind::WarReg, 1);
  return p;
}

} // namespace tessera::schedule

#endif
