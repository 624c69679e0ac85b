// RUN: tile-opt %s -cta-insert-barriers | FileCheck %s
// RUN: tile-opt %s -cta-insert-barriers -cta-insert-barriers | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 2>
#rows = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
                  warps = [[4, 0], [8, 0]], wg = 2 on 0>
#cols = #cta.frag<regs = [[1, 0], [2, 0], [4, 0]], lanes = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]],
                  warps = [[0, 8], [0, 16]], wg = 2 on 0>
#few = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]],
                  warps = [[1, 0], [2, 0]], wg = 2 on 0>
#sw = #cta.swizzle<128, dim = 1>
#lin = #cta.swizzle<linear>

// The GEMM with TMA, one stage. The barrier at the head of the loop keeps the copies from overwriting what a warp still reads;
// the output goes over the operands: a barrier; the fence comes with the barrier before the TMA store.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK: scf.for
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.await 0
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: scf.yield
// CHECK: arith.truncf
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy_out{{.*$}}
// CHECK-NEXT: cta.await_stores read
// CHECK-NEXT: }
tile.kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index)
    attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks() attributes {shared = 32776, mbarriers = array<i64: 2>} {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    %out = arith.truncf %acc : tensor<128x128xf32, #acc> to tensor<128x128xbf16, #acc>
    %s = cta.stage %out {offset = 0} : tensor<128x128xbf16, #acc> -> !cta.smem<128x128xbf16, #sw>
    cta.copy_out %s, %C[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<128x128xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// The same through registers: both stages under one fence and barrier, one barrier for their reuse.
// CHECK-LABEL: tile.kernel @gemm_plain(
// CHECK: scf.for
// CHECK-NEXT: cta.load
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.load
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: cta.store
// CHECK-NEXT: }
tile.kernel @gemm_plain(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_plain_0 blocks() attributes {shared = 32768} {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %ra = cta.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<128x64xbf16, #rows>
      %a = cta.stage %ra {offset = 0} : tensor<128x64xbf16, #rows> -> !cta.smem<128x64xbf16, #sw>
      %rb = cta.load %B[%k, %c0] : memref<?x?xbf16> -> tensor<64x128xbf16, #rows>
      %b = cta.stage %rb {offset = 16384} : tensor<64x128xbf16, #rows> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    cta.store %acc, %C[%c0, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// Scratch: a barrier between write and read, another before the same bytes are written again, none for others. The generic proxy
// alone needs no fence.
// CHECK-LABEL: tile.kernel @scratch(
// CHECK-NOT: cta.fence_async
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.stage %{{.*}} {offset = 4096 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.view
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.store
// CHECK-NEXT: cta.store
// CHECK-NEXT: }
tile.kernel @scratch(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @scratch_0 blocks() attributes {shared = 8192} {
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    %a = cta.stage %t {offset = 0} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %ra = cta.read %a : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #cols>
    // The barrier before the second read has also passed the first.
    %b = cta.stage %t {offset = 4096} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %rb = cta.read %b : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #cols>
    %c = cta.stage %t {offset = 0} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %v = cta.view %c : !cta.smem<16x64xf32, #lin> -> !cta.smem<32x32xf32, #lin>
    %rc = cta.read %v : !cta.smem<32x32xf32, #lin> -> tensor<32x32xf32, #cols>
    cta.store %rb, %x[%c0, %c0] : tensor<16x64xf32, #cols> -> memref<?x?xf32>
    cta.store %rc, %y[%c0, %c0] : tensor<32x32xf32, #cols> -> memref<?x?xf32>
  }
  tile.return
}

// Data that only one arm uses is awaited before the if: an await runs once for each copy. Data that the generic path reads needs no
// barrier after the await, but a fence before TMA overwrites it.
// CHECK-LABEL: tile.kernel @arms(
// CHECK: scf.for
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.await 0
// CHECK-NEXT: scf.if
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.store
tile.kernel @arms(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %n: index, %p: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  cta.launch @arms_0 blocks() attributes {shared = 4104, mbarriers = array<i64: 1>} {
    scf.for %i = %c0 to %n step %c16 {
      %a = cta.copy %x[%i, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xf32> -> !cta.smem<16x64xf32, #lin>
      scf.if %p {
        %ra = cta.read %a : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
        cta.store %ra, %y[%i, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
      }
    }
  }
  tile.return
}

// A loop of TMA stores to different rows: each waits until the source of the last has been read, none for the writes themselves.
// CHECK-LABEL: tile.kernel @stores(
// CHECK: scf.for
// CHECK-NEXT: cta.await_stores read
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy_out{{.*$}}
// CHECK-NEXT: }
// CHECK-NEXT: cta.await_stores read
// CHECK-NEXT: }
tile.kernel @stores(%y: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  cta.launch @stores_0 blocks() attributes {shared = 4096} {
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    scf.for %i = %c0 to %n step %c16 {
      %s = cta.stage %t {offset = 0} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
      cta.copy_out %s, %y[%i, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<16x64xf32, #lin> -> memref<?x?xf32>
    }
  }
  tile.return
}

// The same to overlapping rows (step 8, 16 rows): program order demands that the last store is made.
// CHECK-LABEL: tile.kernel @overlapping_stores(
// CHECK: scf.for
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.copy_out{{.*$}}
tile.kernel @overlapping_stores(%y: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  cta.launch @overlapping_stores_0 blocks() attributes {shared = 4096} {
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    %s = cta.stage %t {offset = 0} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    cta.fence_async
    cta.barrier
    scf.for %i = %c0 to %n step %c8 {
      cta.copy_out %s, %y[%i, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<16x64xf32, #lin> -> memref<?x?xf32>
    }
  }
  tile.return
}

// Global memory that is written and read. In one layout, each thread meets itself.
// CHECK-LABEL: tile.kernel @in_place(
// CHECK-NOT: cta.barrier
// CHECK: tile.return
tile.kernel @in_place(%x: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  cta.launch @in_place_0 blocks() attributes {shared = 0} {
    scf.for %i = %c0 to %n step %c16 {
      %t = cta.load %x[%i, %c0] : memref<?x?xf32> -> tensor<16x64xf32, #rows>
      %u = arith.addf %t, %t : tensor<16x64xf32, #rows>
      cta.store %u, %x[%i, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
    }
  }
  tile.return
}

// In two layouts it does not, nor if replicas load what one thread stores; other iterations touch other rows.
// CHECK-LABEL: tile.kernel @other_threads(
// CHECK: scf.for
// CHECK-NEXT: cta.load
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.store
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.load
// CHECK-NEXT: }
// CHECK-NEXT: cta.load
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.store
// CHECK-NEXT: }
tile.kernel @other_threads(%x: memref<?x?xf32>, %z: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  cta.launch @other_threads_0 blocks() attributes {shared = 0} {
    %v = arith.constant dense<1.0> : tensor<16x64xf32, #cols>
    scf.for %i = %c0 to %n step %c16 {
      %t = cta.load %x[%i, %c0] : memref<?x?xf32> -> tensor<16x64xf32, #rows>
      cta.store %v, %x[%i, %c0] : tensor<16x64xf32, #cols> -> memref<?x?xf32>
      %u = cta.load %x[%i, %c0] : memref<?x?xf32> -> tensor<16x64xf32, #rows>
    }
    %f = cta.load %z[%c0, %c0] : memref<?x?xf32> -> tensor<8x64xf32, #few>
    cta.store %f, %z[%c0, %c0] : tensor<8x64xf32, #few> -> memref<?x?xf32>
  }
  tile.return
}

// Arguments of one alias group may be the same memory, others are not. Scalars: one thread stores, all load.
// CHECK-LABEL: tile.kernel @aliases(
// CHECK: memref.store
// CHECK-NEXT: memref.load %z
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: memref.load %y
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
tile.kernel @aliases(%x: memref<?xf32> {tile.alias = "a"}, %y: memref<?xf32> {tile.alias = "a"}, %z: memref<?xf32>)
    attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  cta.launch @aliases_0 blocks() attributes {shared = 0} {
    memref.store %one, %x[%c0] : memref<?xf32>
    %b = memref.load %z[%c0] : memref<?xf32>
    %a = memref.load %y[%c0] : memref<?xf32>
    memref.store %a, %x[%c0] : memref<?xf32>
    memref.store %b, %x[%c0] : memref<?xf32>
  }
  tile.return
}

// Plain stores that TMA reads: a fence for global memory. A TMA store that threads read: its writes must be made.
// CHECK-LABEL: tile.kernel @proxies(
// CHECK: cta.store
// CHECK-NEXT: cta.fence_async global
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.await 0
// CHECK-NEXT: cta.copy_out{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.load
// CHECK-NEXT: }
tile.kernel @proxies(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @proxies_0 blocks() attributes {shared = 4104, mbarriers = array<i64: 1>} {
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    cta.store %t, %x[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
    %a = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xf32> -> !cta.smem<16x64xf32, #lin>
    cta.copy_out %a, %y[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<16x64xf32, #lin> -> memref<?x?xf32>
    %u = cta.load %y[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32, #rows>
  }
  tile.return
}

// A TMA load may not be overtaken by a store to what it reads: the await comes first, although the data is used later.
// CHECK-LABEL: tile.kernel @overtaken(
// CHECK: cta.copy
// CHECK-NEXT: cta.await 0
// CHECK-NEXT: cta.store
// CHECK-NEXT: cta.read
tile.kernel @overtaken(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @overtaken_0 blocks() attributes {shared = 4104, mbarriers = array<i64: 1>} {
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    %a = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xf32> -> !cta.smem<16x64xf32, #lin>
    cta.store %t, %x[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
    %r = cta.read %a : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
    cta.store %r, %y[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// Through a while loop and around nested loops: the write of the last iteration is read in the next.
// CHECK-LABEL: tile.kernel @loops(
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: scf.while
// CHECK: scf.condition
// CHECK: scf.for
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK: scf.for
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 4096 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
tile.kernel @loops(%y: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  cta.launch @loops_0 blocks() attributes {shared = 8192} {
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    %s = cta.stage %t {offset = 0} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %w = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      scf.for %k = %c0 to %n step %c16 {
        %r = cta.read %s : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
        cta.store %r, %y[%k, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
      }
      scf.for %k = %c0 to %n step %c16 {
        %u = cta.stage %t {offset = 4096} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
        %r = cta.read %u : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
        cta.store %r, %y[%k, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
      }
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
  }
  tile.return
}

// No memory that two threads share: nothing.
// CHECK-LABEL: tile.kernel @nothing(
// CHECK-NOT: cta.barrier
// CHECK-NOT: cta.await
// CHECK: tile.return
tile.kernel @nothing(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @nothing_0 blocks() attributes {shared = 0} {
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32, #rows>
    cta.store %t, %y[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// cp.async: its threads wait, fence (a wgmma reads it) and meet; the tile of the FMA product is waited for with it, and needs no second barrier. The barrier at the
// head keeps both from what other warps still read; what nobody reads has landed at the end.
// CHECK-LABEL: tile.kernel @copies_of_threads(
// CHECK: scf.for
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.await_copies{{$}}
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: scf.yield
// CHECK: cta.copy {{.*}} offset = 40960
// CHECK-NEXT: cta.await_copies{{$}}
// CHECK-NEXT: }
tile.kernel @copies_of_threads(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %K: index, %more: i1)
    attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @copies_of_threads_0 blocks() attributes {shared = 65536} {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<cp_async>, vector = 8, offset = 0} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 4, offset = 16384} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    %last = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 8, offset = 40960} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
  }
  tile.return
}

// Readers that are threads need no fence. A write to what is copied from waits for the copy, too; a copy that the IR waits for is not waited for again.
// CHECK-LABEL: tile.kernel @copies_read_by_threads(
// CHECK: cta.copy
// CHECK-NEXT: cta.await_copies{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: %[[R:.+]] = cta.read
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.await_copies{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.store %[[R]]
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.await_copies{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.read
// CHECK-NEXT: }
tile.kernel @copies_read_by_threads(%A: memref<?x?xf32>, %B: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @copies_read_by_threads_0 blocks() attributes {shared = 65536} {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 4, offset = 0} : memref<?x?xf32> -> !cta.smem<64x32xf32, #lin>
    %r = cta.read %a : !cta.smem<64x32xf32, #lin> -> tensor<64x32xf32, #rows>
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 4, offset = 0} : memref<?x?xf32> -> !cta.smem<64x32xf32, #lin>
    cta.store %r, %B[%c0, %c0] : tensor<64x32xf32, #rows> -> memref<?x?xf32>
    %s = cta.read %b : !cta.smem<64x32xf32, #lin> -> tensor<64x32xf32, #rows>
    %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 4, offset = 0} : memref<?x?xf32> -> !cta.smem<64x32xf32, #lin>
    cta.await_copies
    %t = cta.read %c : !cta.smem<64x32xf32, #lin> -> tensor<64x32xf32, #rows>
  }
  tile.return
}

// An op of another dialect that says nothing of its accesses may read and write its memrefs.
// CHECK-LABEL: tile.kernel @unknown(
// CHECK: memref.store
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: memref.atomic_rmw
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: memref.store
tile.kernel @unknown(%C: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @unknown_0 blocks() {
    memref.store %f, %C[%c0] : memref<?xf32>
    %old = memref.atomic_rmw addf %f, %C[%c0] : (f32, memref<?xf32>) -> f32
    memref.store %old, %C[%c0] : memref<?xf32>
  }
  tile.return
}
