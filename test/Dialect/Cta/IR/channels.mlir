// Round trips of channels, steps, roles, rings and what is in flight.
//
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CSE

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<3, !tile, index>
!async = !cta.async<tensor<64x64xf32, #acc>>

// CHECK-LABEL: tile.kernel @scheduled
// CHECK-SAME: plan = #cta.plan<replicate = split, warpgroups = 1, producers = 1, stages = 3, persistent = 1, group = 16, blocks_per_sm = 1, cluster = 1, registers = 0, pending = 1, epilogue = 0, stream_k = 1>
tile.kernel @scheduled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1,
    plan = #cta.plan<replicate = split, warpgroups = 1, producers = 1, stages = 3, persistent = 1, group = 16, blocks_per_sm = 1, cluster = 1, registers = 0,
                     pending = 1, epilogue = 0, stream_k = 1>} {
  cta.launch @scheduled_0 blocks(%n) {
    // CHECK: %[[OPEN:.+]] = cta.channel : <?, f32>
    %open = cta.channel : !cta.channel<?, f32>
    // CHECK: %[[CH:.+]] = cta.channel : <3, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>, index>
    %ch = cta.channel : !channel
    %c0 = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    // CHECK: %[[P:.+]] = cta.acquire %[[OPEN]] : <?, f32>
    %p = cta.acquire %open : !cta.channel<?, f32>
    // CHECK: cta.commit %[[OPEN]], %[[P]] (%{{.+}}) {note = "kept"} : !cta.channel<?, f32>
    cta.commit %open, %p (%f) {note = "kept"} : !cta.channel<?, f32>
    // CHECK: %[[Q:.+]], %{{.+}} = cta.wait %[[OPEN]] : !cta.channel<?, f32>
    %q, %g = cta.wait %open : !cta.channel<?, f32>
    // CHECK: cta.release %[[OPEN]], %[[Q]] : <?, f32>
    cta.release %open, %q : !cta.channel<?, f32>
    // CHECK: %[[R:.+]] = cta.ready %{{.+}} : tensor<64x64xf32, #wgmma_acc>
    // CSE: cta.ready
    // CSE-NOT: cta.ready
    %r = cta.ready %zero : tensor<64x64xf32, #acc>
    %r1 = cta.ready %zero : tensor<64x64xf32, #acc>
    // CHECK: cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @"two words"], ii = 512>} {
    // CHECK-NOT: cta.yield
    cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @"two words"], ii = 512>} {
      %s = cta.acquire %ch : !channel
      %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %s (%a, %n) : !channel
    }
    // CHECK: %[[STEP:.+]]:2 = cta.step @"two words" role(math) stage(2) {
    // CSE: cta.step @"two words"
    %m:2 = cta.step @"two words" role(math) stage(2) {
      %t, %a, %i = cta.wait %ch : !channel
      // One of them in flight is one, two are two.
      // CHECK: %[[D:.+]] = cta.wgmma %{{.+}}, %{{.+}}, %[[R]] : !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>> -> !cta.async<tensor<64x64xf32, #wgmma_acc>>
      // CSE-COUNT-2: cta.wgmma
      %d = cta.wgmma %a, %a, %r : !tile, !tile -> !async
      %e = cta.wgmma %a, %a, %r1 : !tile, !tile -> !async
      // CHECK: cta.release %[[CH]], %{{.+}} after(%[[D]], %{{.+}} : !cta.async<tensor<64x64xf32, #wgmma_acc>>, !cta.async<tensor<64x64xf32, #wgmma_acc>>) : <3,
      cta.release %ch, %t after(%d, %e : !async, !async) : !channel
      // CHECK: cta.yield %[[D]], %{{.+}} : !cta.async<tensor<64x64xf32, #wgmma_acc>>, !cta.async<tensor<64x64xf32, #wgmma_acc>>
      cta.yield %d, %e : !async, !async
    // CHECK: } : !cta.async<tensor<64x64xf32, #wgmma_acc>>, !cta.async<tensor<64x64xf32, #wgmma_acc>>
    } : !async, !async
    // CHECK: %[[T:.+]] = cta.complete %[[STEP]]#0 : <tensor<64x64xf32, #wgmma_acc>>
    %t = cta.complete %m#0 : !async
    // CSE: cta.step @bare role(math) stage(1) attributes {schedule
    // CHECK: scf.for
    scf.for %k = %c0 to %n step %n {
      // CHECK: cta.step @bare role(math) stage(1) attributes {schedule = #cta.schedule<[@bare]>} {
      cta.step @bare role(math) stage(1) attributes {schedule = #cta.schedule<[@bare]>} {
        %b = cta.block_id : index
        memref.store %f, %X[%b] : memref<?xf32>
      }
    }
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @allocated
tile.kernel @allocated(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @allocated_0 blocks(%n) attributes {mbarriers = array<i64: 1, 1, 4, 4>} {
    %c0 = arith.constant 0 : index
    %s = arith.constant 0 : i32
    // CHECK: %[[RING:.+]] = cta.ring {offset = 0 : i64} : <2, <64x64xbf16, #cta.swizzle<128, dim = 1>>>
    %r = cta.ring {offset = 0} : !cta.ring<2, !tile>
    // CHECK: cta.role @math warps(4) attributes {registers = 240 : i64} {
    cta.role @math warps(4) attributes {registers = 240} {
      // CHECK: cta.await 0[%[[S:[a-z0-9_]+]]] parity %[[S]]
      cta.await 0[%s] parity %s
      // CHECK: cta.slot %[[RING]][%[[S]]] : <2, <64x64
      %a = cta.slot %r[%s] : !cta.ring<2, !tile>
      %t = cta.read %a : !tile -> tensor<64x64xbf16, #acc>
      // CHECK: cta.arrive 2[%[[S]]] per_warp
      cta.arrive 2[%s] per_warp
      // The next tile in the same slot is another value: so are its elements.
      // CSE: cta.role @math
      // CSE: cta.slot
      // CSE: cta.read
      // CSE: cta.slot
      // CSE: cta.read
      // CSE: cta.role @producer
      cta.await 0[%s] parity %s
      %b = cta.slot %r[%s] : !cta.ring<2, !tile>
      %u = cta.read %b : !tile -> tensor<64x64xbf16, #acc>
      // CHECK: cta.arrive 2[%[[S]]]{{$}}
      cta.arrive 2[%s]
      %v = arith.addf %t, %u : tensor<64x64xbf16, #acc>
      cta.store %v, %A[%c0, %c0] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
    // CHECK: cta.role @producer warps(1) {
    cta.role @producer warps(1) {
      // CHECK: cta.elect {
      cta.elect {
        // CHECK: cta.expect 0[%[[S]]] bytes = 8192
        cta.expect 0[%s] bytes = 8192
        %a = cta.slot %r[%s] : !cta.ring<2, !tile>
        // CHECK: cta.copy %{{.+}} into %{{.+}}[%[[S]]] {mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>}
        %b = cta.copy %A[%c0, %c0] into %a[%s] {mechanism = #cta.mechanism<tma>, mbarrier = 0} : memref<?x?xbf16> -> !tile
        // CHECK: cta.copy %{{.+}} cache_if = %{{.+}} into %{{.+}}[%[[S]]] {cache = #tile.cache<first>, mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>}
        %often = arith.constant true
        %c = cta.copy %A[%c0, %c0] cache_if = %often into %a[%s] {cache = #tile.cache<first>, mechanism = #cta.mechanism<tma>, mbarrier = 0} : memref<?x?xbf16> -> !tile
      } {note = "elected"}
      // CHECK: } {note = "elected"}
      // CHECK: cta.elect {
      // CHECK-NEXT: }
      cta.elect {}
    }
    // CHECK: cta.role @idle warps(1) {
    // CHECK-NEXT: }
    cta.role @idle warps(1) {}
  }
  tile.return
}

// Tests of slots, of a channel and of its mbarriers. Two tests may see different things.
// CHECK-LABEL: tile.kernel @tested
// CHECK:       %[[T:.+]] = cta.test %[[CH:.+]] : <3,
// CHECK:       cta.wait %[[CH]] unless %[[T]] {note = "kept"} : !cta.channel<3,
// CSE-LABEL:   tile.kernel @tested
// CSE-COUNT-2: cta.test %
tile.kernel @tested(%n: index, %b1: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @tested_0 blocks(%n) {
    %ch = cta.channel : !channel
    %t = cta.test %ch : !channel
    %q, %a, %i = cta.wait %ch unless %t {note = "kept"} : !channel
    cta.release %ch, %q : !channel
    %u = cta.test %ch : !channel
    %v = cta.test %ch : !channel
    %r = scf.if %b1 -> (!cta.token) {
      scf.yield %u : !cta.token
    } else {
      scf.yield %v : !cta.token
    }
    %p, %b, %j = cta.wait %ch unless %r : !channel
    cta.release %ch, %p : !channel
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @tested_phase
// CHECK:       %[[T:.+]] = cta.test_wait 0[%[[S:.+]]] parity %[[P:.+]]
// CHECK-NEXT:  cta.await 0[%[[S]]] parity %[[P]] unless %[[T]]
// CSE-LABEL:   tile.kernel @tested_phase
// CSE-COUNT-2: cta.test_wait
tile.kernel @tested_phase(%n: index, %s: i32, %p: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @tested_phase_0 blocks(%n) attributes {threads = 128, shared = 8, mbarriers = array<i64: 1>} {
    %t = cta.test_wait 0[%s] parity %p
    cta.await 0[%s] parity %p unless %t
    %u = cta.test_wait 0[%s] parity %p
    cta.await 0[%s] parity %p unless %u
  }
  tile.return
}
