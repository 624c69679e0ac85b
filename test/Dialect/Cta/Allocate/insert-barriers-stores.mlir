// RUN: tile-opt %s -cta-insert-barriers | FileCheck %s
// RUN: tile-opt %s -cta-insert-barriers -cta-insert-barriers | FileCheck %s
// Stores by TMA are counted: those after the one that must be over may stay in flight.

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#allocated = #tile.phase<allocated>
!part = tensor<128x64xbf16, #acc>
!smem = !cta.smem<128x64xbf16, #sw>

// Two buffers in turns: the third subtile waits for the first store, not for the second.
// CHECK-LABEL: tile.kernel @turns(
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NOT: cta.await_stores
// CHECK: cta.stage %{{.*}} {offset = 16384 : i64}
// CHECK: cta.copy_out{{.*$}}
// CHECK-NEXT: cta.await_stores read {pending = 1 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK: cta.copy_out{{.*$}}
// CHECK-NEXT: cta.await_stores read {pending = 1 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 16384 : i64}
// CHECK: cta.copy_out{{.*$}}
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: }
tile.kernel @turns(%C: memref<?x?xbf16>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  cta.launch @turns_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    %b = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %b, %C[%c0, %c64] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    %c = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %c, %C[%c0, %c128] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    %d = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %d, %C[%c0, %c192] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// Over the back edge: the first subtile of an iteration waits for the first store of the iteration before.
// CHECK-LABEL: tile.kernel @back_edge(
// CHECK: scf.for
// CHECK-NEXT: cta.await_stores read {pending = 1 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK: cta.copy_out
// CHECK: cta.await_stores read {pending = 1 : i64}
// CHECK: cta.stage %{{.*}} {offset = 16384 : i64}
// CHECK: cta.copy_out{{.*$}}
// CHECK-NEXT: }
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: }
tile.kernel @back_edge(%C: memref<?x?xbf16>, %n: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cta.launch @back_edge_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    scf.for %i = %c0 to %n step %c128 {
      %a = cta.stage %t {offset = 0} : !part -> !smem
      cta.copy_out %a, %C[%i, %c0] {mechanism = #tma} : !smem -> memref<?x?xbf16>
      %b = cta.stage %t {offset = 16384} : !part -> !smem
      cta.copy_out %b, %C[%i, %c64] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    }
  }
  tile.return
}

// Which store is the last depends on the branch: the count is what both ways allow.
// CHECK-LABEL: tile.kernel @branch(
// CHECK: scf.if
// CHECK: cta.copy_out{{.*$}}
// CHECK-NEXT: }
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
tile.kernel @branch(%C: memref<?x?xbf16>, %flag: i1) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cta.launch @branch_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    scf.if %flag {
      %b = cta.stage %t {offset = 16384} : !part -> !smem
      cta.copy_out %b, %C[%c0, %c64] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    }
    %c = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %c, %C[%c0, %c128] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// Stores of whole tiles and stores of each warpgroup's part are issued by different threads: one does not count for the other.
// CHECK-LABEL: tile.kernel @other_threads(
// CHECK: cta.copy_out {{.*}}per_warpgroup{{.*$}}
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
tile.kernel @other_threads(%C: memref<?x?xbf16>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cta.launch @other_threads_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    %b = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %b, %C[%c0, %c64] {mechanism = #tma, per_warpgroup} : !smem -> memref<?x?xbf16>
    %c = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %c, %C[%c0, %c128] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// A wait in the IR that leaves one in flight is enough for the first; one that leaves two is not.
// CHECK-LABEL: tile.kernel @counted(
// CHECK: cta.await_stores read {pending = 1 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK: cta.await_stores read {pending = 2 : i64}
// CHECK-NEXT: cta.await_stores read {pending = 1 : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 16384 : i64}
tile.kernel @counted(%C: memref<?x?xbf16>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  cta.launch @counted_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    %b = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %b, %C[%c0, %c64] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    cta.await_stores read {pending = 1 : i64}
    %c = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %c, %C[%c0, %c128] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    cta.await_stores read {pending = 2 : i64}
    %d = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %d, %C[%c0, %c192] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// Atomics of one kind need no order: the second one waits for nothing but the bytes of the tile. A store to the same elements waits until the atomics are made.
// CHECK-LABEL: tile.kernel @reduces(
// CHECK: cta.copy_out {{.*}}reduce
// CHECK-NOT: cta.await_stores
// CHECK: cta.copy_out {{.*}}reduce
// CHECK: cta.await_stores{{$}}
// CHECK: cta.copy_out {{.*}} {mechanism = #cta.mechanism<tma>}
tile.kernel @reduces(%C: memref<?x?xbf16>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @reduces_0 blocks() attributes {shared = 49152} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #tile.atomic_kind<add>} : !smem -> memref<?x?xbf16>
    %b = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %b, %C[%c0, %c0] {mechanism = #tma, reduce = #tile.atomic_kind<add>} : !smem -> memref<?x?xbf16>
    %c = cta.stage %t {offset = 32768} : !part -> !smem
    cta.copy_out %c, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// In a loop: each iteration waits for the bytes of the tile, not for the sums of the iteration before.
// CHECK-LABEL: tile.kernel @reduces_in_loop(
// CHECK: scf.for
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NOT: cta.await_stores{{$}}
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: }
tile.kernel @reduces_in_loop(%C: memref<?x?xbf16>, %n: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @reduces_in_loop_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    scf.for %i = %c0 to %n step %c1 {
      %a = cta.stage %t {offset = 0} : !part -> !smem
      cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #tile.atomic_kind<add>} : !smem -> memref<?x?xbf16>
    }
  }
  tile.return
}

// What the store of the iteration before reads is awaited at a barrier that stands there anyway, behind a product; what the code before the loop stores,
// before the loop.
// CHECK-LABEL: tile.kernel @main_loop(
// CHECK: cta.copy_out
// CHECK: cta.await_stores read{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.stage %{{.*}} {offset = 16384 : i64}
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.copy_out{{.*$}}
// CHECK-NEXT: }
// Without a product before the barrier the store would hardly be over.
// CHECK-LABEL: tile.kernel @at_once(
// CHECK: scf.for
// CHECK-NEXT: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.fence_async
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.stage %{{.*}} {offset = 16384 : i64}
tile.kernel @main_loop(%C: memref<?x?xbf16>, %F: memref<?x?xf32>, %n: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @main_loop_0 blocks() attributes {shared = 98304} {
    %t = arith.constant dense<1.0> : !part
    %k = cta.stage %t {offset = 81920} : !part -> !smem
    %o = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %o, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    scf.for %i = %c0 to %n step %c1 {
      %s = cta.wgmma %k, %k {transpose_b} : !smem, !smem -> tensor<128x128xf32, #acc>
      %a = cta.stage %t {offset = 0} : !part -> !smem
      %d = cta.wgmma %a, %k {transpose_b} : !smem, !smem -> tensor<128x128xf32, #acc>
      %e = cta.stage %d {offset = 16384} : tensor<128x128xf32, #acc> -> !cta.smem<128x128xf32, #sw>
      cta.copy_out %e, %F[%i, %c0] {mechanism = #tma, reduce = #tile.atomic_kind<add>} : !cta.smem<128x128xf32, #sw> -> memref<?x?xf32>
    }
  }
  tile.return
}

tile.kernel @at_once(%C: memref<?x?xbf16>, %F: memref<?x?xf32>, %n: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @at_once_0 blocks() attributes {shared = 98304} {
    %t = arith.constant dense<1.0> : !part
    %k = cta.stage %t {offset = 81920} : !part -> !smem
    scf.for %i = %c0 to %n step %c1 {
      %a = cta.stage %t {offset = 0} : !part -> !smem
      %d = cta.wgmma %a, %k {transpose_b} : !smem, !smem -> tensor<128x128xf32, #acc>
      %e = cta.stage %d {offset = 16384} : tensor<128x128xf32, #acc> -> !cta.smem<128x128xf32, #sw>
      cta.copy_out %e, %F[%i, %c0] {mechanism = #tma, reduce = #tile.atomic_kind<add>} : !cta.smem<128x128xf32, #sw> -> memref<?x?xf32>
    }
  }
  tile.return
}
