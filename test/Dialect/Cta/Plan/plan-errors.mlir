// RUN: tile-opt %s -cta-plan -split-input-file -verify-diagnostics

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
// Shared memory: 48 KiB for each slot.
// expected-error @below {{has a plan that cannot work, #cta.plan<stages = 5>: 5 slots of 49152 bytes and 192 bytes of other tiles are 245952 bytes of shared memory, but each of 1 block on an SM has 232448: at most 4 slots fit}}
tile.kernel @shared(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<stages = 5>} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 3>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
// One wgmma must fit the registers with which a thread enters: C7602.
// expected-error @below {{one product of the tensor cores needs 154 registers (128 of tiles, 26 other) a thread, and ptxas compiles it for the 128 that a thread of 512 threads enters with (C7602)}}
tile.kernel @entry(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 3, plan = #cta.plan<producers = 4, stages = 2>} {
  tile.grid (%i) = (0) to (%M) step (192) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<192x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<192x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<192x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<192x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<192x256xf32, #acc>
      scf.yield %d : tensor<192x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<192x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// expected-error @below {{has been placed for 1 warpgroups, but its plan says 2; convert-tile-to-cta takes the number from the plan}}
tile.kernel @warpgroups(%M: index) attributes {phase = #tile.phase<placed>, warpgroups = 1, plan = #cta.plan<warpgroups = 2>} {
  tile.grid (%i) = (0) to (%M) step (1) {
  }
  tile.return
}

// -----

// expected-error @below {{cta-plan needs a kernel in phase placed, but this one is in phase L0 (no phase); run the passes in the order of the pipeline}}
tile.kernel @l0() {
  tile.return
}

// -----

// expected-error @below {{has the plan "fast"; a plan is a #cta.plan}}
tile.kernel @text() attributes {phase = #tile.phase<placed>, plan = "fast"} {
  tile.return
}

// -----

// expected-error @below {{has a plan with replicate = blocks, which gives each math warpgroup output tiles of its own, but warpgroups = 1: plan warpgroups = 2}}
tile.kernel @entry() attributes {phase = #tile.phase<placed>, plan = #cta.plan<replicate = blocks, warpgroups = 1>} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

// expected-error @below {{has a plan with replicate = blocks, which divides the output tiles of a persistent launch, but persistent = 0: plan persistent = 1}}
tile.kernel @entry() attributes {phase = #tile.phase<placed>, plan = #cta.plan<replicate = blocks, persistent = 0>} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

// expected-error @below {{has a plan with replicate = blocks, which needs a producer that loads for all of them, but producers = 0: plan producers = 4}}
tile.kernel @entry() attributes {phase = #tile.phase<placed>, plan = #cta.plan<replicate = blocks, producers = 0>} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

// Each warpgroup has an output tile of its own, so tiles are placed for one.
// expected-error @below {{has been placed for 2 warpgroups, but its plan says 1; convert-tile-to-cta takes the number from the plan}}
tile.kernel @entry() attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<replicate = blocks, warpgroups = 2>} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
// What is staged counts twice: 2 * 32 KiB and the mbarriers of the turns.
// expected-error @below {{has a plan that cannot work, #cta.plan<replicate = blocks, stages = 6>: 6 slots of 32768 bytes and 65792 bytes of other tiles are 262400 bytes of shared memory, but each of 1 block on an SM has 232448: at most 5 slots fit}}
tile.kernel @staged(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 1, plan = #cta.plan<replicate = blocks, stages = 6>} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    %o = arith.truncf %acc : tensor<128x128xf32, #acc> to tensor<128x128xbf16, #acc>
    %s = cta.stage %o : tensor<128x128xbf16, #acc> -> !cta.smem<128x128xbf16, #sw>
    cta.copy_out %s, %C[%i, %c0] {mechanism = #tma} : !cta.smem<128x128xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// expected-error @below {{plan: 'cluster' is a power of two, got 3}}
tile.kernel @entry() attributes {phase = #tile.phase<placed>, plan = #cta.plan<cluster = 3>} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 3>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
// The plan does not ask for more: the kernel stays synchronous, and says why.
// expected-remark @below {{this kernel is not pipelined: one product of the tensor cores needs 154 registers (128 of tiles, 26 other) a thread, and ptxas compiles it for the 128 that a thread of 416 threads enters with (C7602)}}
tile.kernel @declined(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 3} {
  tile.grid (%i) = (0) to (%M) step (192) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<192x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<192x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<192x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<192x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<192x256xf32, #acc>
      scf.yield %d : tensor<192x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<192x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#cp = #cta.mechanism<cp_async>
// A producing warpgroup that copies by cp.async keeps more registers.
// expected-error @below {{registers = 232 for each of 256 math threads, but 384 threads enter with 168 each: at most 224 when the producer keeps 56}}
tile.kernel @copying(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<producers = 4, stages = 3, registers = 232>} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#rows = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>
// With an index tile it keeps the indices, too: eight for each of its 128 threads, which copy 128 rows of 128 bytes.
// expected-error @below {{registers = 224 for each of 256 math threads, but 384 threads enter with 168 each: at most 216 when the producer keeps 64}}
tile.kernel @gathering(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<?xi32>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<producers = 4, stages = 3, registers = 224>} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %r = cta.load %R[%i] : memref<?xi32> -> tensor<128xi32, #rows>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%r : tensor<128xi32, #rows>, %k] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// expected-error @below {{has a plan with replicate = blocks, which lets warpgroups take turns at loops over products whose operands TMA fetches, and there is none: leave it out}}
tile.kernel @turns() attributes {phase = #tile.phase<placed>, plan = #cta.plan<replicate = blocks, warpgroups = 2>, warpgroups = 1} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

// expected-error @below {{has a plan with replicate = blocks, which gives each warpgroup an output tile of its own, but stream_k divides the iterations of output tiles that warpgroups share: plan one of them}}
tile.kernel @turns_parts() attributes {phase = #tile.phase<placed>, plan = #cta.plan<replicate = blocks, warpgroups = 2, stream_k = 8>, warpgroups = 1} {
  tile.grid () = () to () step () {
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
// Entries that need channels.
// expected-error @below {{has a plan with producers = 1, which is for loops with channels, but stages = 0: leave out one of them}}
tile.kernel @no_channels(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<stages = 0, producers = 1>} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
// expected-error @below {{has a plan with least_group = 1000, but groups have 16 rows: give}}
tile.kernel @least_without_group(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<least_group = 1000>} {
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
tile.kernel @no_such_dimension(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<cluster_dim = 7>} {
  // expected-error @below {{has rank 1, but its plan has cluster_dim = 7}}
  tile.grid (%i) = (0) to (%M) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    cta.store %acc, %C[%i, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}
