// RUN: tile-opt %s --split-input-file --cta-expand-loops --cta-verify | FileCheck %s

// A channel of depth 3 runs two iterations ahead. No sum overflows: an i32 counter is compared as a distance in 64 bits.
// CHECK-LABEL: tile.kernel @ahead
// CHECK:       %[[CH:.+]] = cta.channel
// CHECK:       %[[RUNS:.+]] = arith.cmpi slt, %lb, %n : i32
// CHECK-NEXT:  %[[ALL:.+]] = arith.subi %n, %lb : i32
// CHECK-NEXT:  %[[WIDE:.+]] = arith.extui %[[ALL]] : i32 to i64
// CHECK-NEXT:  %[[STEP:.+]] = arith.extui %[[S:.+]] : i32 to i64
// CHECK-NEXT:  %[[TWO:.+]] = arith.constant 2 : i64
// CHECK-NEXT:  %[[FAR:.+]] = arith.muli %[[STEP]], %[[TWO]] : i64
// CHECK-NEXT:  %[[SOME:.+]] = arith.cmpi ult, %[[FAR]], %[[WIDE]] : i64
// CHECK-NEXT:  %[[BOTH:.+]] = arith.andi %[[RUNS]], %[[SOME]]
// CHECK:       %[[THIRD:.+]] = arith.addi %lb, %{{.+}} : i32
// CHECK-NEXT:  %[[END:.+]] = arith.select %[[BOTH]], %[[THIRD]], %n : i32
// CHECK-NEXT:  scf.for %[[J:.+]] = %lb to %[[END]] step %[[S]] : i32 {
// CHECK-NEXT:    %[[AT:.+]] = arith.index_cast %[[J]]
// CHECK-NEXT:    %[[P:.+]] = cta.acquire %[[CH]]
// CHECK-NEXT:    %[[A:.+]] = cta.copy %A[%[[AT]], %[[AT]]]
// CHECK-NEXT:    cta.commit %[[CH]], %[[P]] (%[[A]])
// CHECK-NEXT:  }
// CHECK-NEXT:  scf.for %[[K:.+]] = %lb to %n step %[[S]]
// CHECK-NOT:     cta.acquire
// CHECK:         %[[REST:.+]] = arith.subi %n, %[[K]] : i32
// CHECK:         %[[MORE:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : i64
// CHECK-NEXT:    scf.if %[[MORE]] {
// CHECK:           %[[LATER:.+]] = arith.addi %[[K]], %{{.+}} : i32
// CHECK-NEXT:      %[[THERE:.+]] = arith.index_cast %[[LATER]]
// CHECK-NEXT:      %[[P2:.+]] = cta.acquire %[[CH]]
// CHECK-NEXT:      %[[A2:.+]] = cta.copy %A[%[[THERE]], %[[THERE]]]
// CHECK-NEXT:      cta.commit %[[CH]], %[[P2]] (%[[A2]])
// CHECK-NEXT:    }
// CHECK-NEXT:    cta.wait %[[CH]]
// CHECK:         cta.release
// CHECK-NOT:   cta.acquire
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<3, !tile>
tile.kernel @ahead(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %lb: i32, %n: i32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @ahead_0 blocks() {
    %ch = cta.channel : !ch
    %c64 = arith.constant 64 : i32
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %k = %lb to %n step %c64 iter_args(%c = %zero) -> (!sum) : i32 {
      %at = arith.index_cast %k : i32 to index
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%at, %at] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %d : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Products in flight over the back edge: the slot is free after the release of the iteration before, and the copies come there. The first copies
// follow those of the peeled iteration, before it waits.
// CHECK-LABEL: tile.kernel @deferred
// CHECK:       cta.commit %[[CH:.+]], %{{.+}} (
// CHECK:       scf.for {{.*}} {
// CHECK-NEXT:    cta.acquire %[[CH]]
// CHECK:         cta.commit %[[CH]]
// CHECK:       cta.wait
// CHECK-NEXT:  cta.wgmma
// CHECK-NEXT:  scf.for
// CHECK-NEXT:    cta.wait
// CHECK-NEXT:    cta.wgmma
// CHECK-NEXT:    cta.release
// CHECK:         scf.if
// CHECK:           cta.acquire %[[CH]]
// CHECK:           cta.commit %[[CH]]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.yield
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
!ch = !cta.channel<3, !tile>
tile.kernel @deferred(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @deferred_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %p0 = cta.acquire %ch : !ch
    %a0 = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p0 (%a0) : !ch
    %q0, %t0 = cta.wait %ch : !ch
    %d0 = cta.wgmma %t0, %t0 : !tile, !tile -> !async
    %l:2 = scf.for %k = %c64 to %n step %c64 iter_args(%c = %d0, %old = %q0) -> (!async, !cta.credit) {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !async
      cta.release %ch, %old after(%c : !async) : !ch
      scf.yield %d, %q : !async, !cta.credit
    }
    cta.release %ch, %l#1 after(%l#0 : !async) : !ch
    %r = cta.complete %l#0 : !async
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Steps are inlined; their stages say how far to run ahead: here by one, and not at all.
// CHECK-LABEL: tile.kernel @steps
// CHECK-NOT:   cta.step
// CHECK:       arith.constant 1 : index
// CHECK:       scf.for
// CHECK-NEXT:    cta.acquire
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:           cta.acquire
// CHECK:         cta.wait
// CHECK:       scf.for
// CHECK-NEXT:    cta.acquire
// CHECK-NEXT:    cta.copy
// CHECK-NEXT:    cta.commit
// CHECK-NEXT:    cta.wait
// CHECK-NOT:   cta.step
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#l = #cta.frag<wgmma_acc, wg = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<3, !tile>
tile.kernel @steps(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @steps_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      cta.step @load role(producer) stage(1) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
      }
      cta.step @use role(math) stage(2) {
        %q, %t = cta.wait %ch : !ch
        %x = cta.read %t : !tile -> tensor<64x64xbf16, #l>
        cta.release %ch, %q : !ch
        cta.store %x, %C[%k, %c0] : tensor<64x64xbf16, #l> -> memref<?x?xbf16>
      }
    }
    scf.for %k = %c0 to %n step %c64 {
      cta.step @load role(producer) stage(0) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
      }
      cta.step @use role(math) stage(0) {
        %q, %t = cta.wait %ch : !ch
        %x = cta.read %t : !tile -> tensor<64x64xbf16, #l>
        cta.release %ch, %q : !ch
        cta.store %x, %C[%k, %c0] : tensor<64x64xbf16, #l> -> memref<?x?xbf16>
      }
    }
  }
  tile.return
}

// -----

// Left alone: a channel of depth 1, coordinates that the loop carries, two slots in each iteration, a slot that is held across the loop, slots that
// are filled before the loop, copies of memory that the launch writes, and roles, which run ahead without this pass.
// CHECK-LABEL: tile.kernel @not
// CHECK-NOT: scf.if
// CHECK:     tile.kernel @written
// CHECK-NOT: scf.if
// CHECK:     tile.kernel @roles
// CHECK-NOT: scf.if
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#l = #cta.frag<wgmma_acc, wg = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!x = tensor<64x64xbf16, #l>
!ch = !cta.channel<3, !tile>
!ch1 = !cta.channel<1, !tile>
tile.kernel @not(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @not_0 blocks() {
    %one = cta.channel : !ch1
    %carried = cta.channel : !ch
    %two = cta.channel : !ch
    %across = cta.channel : !ch
    %filled = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      %p = cta.acquire %one : !ch1
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %one, %p (%a) : !ch1
      %q, %t = cta.wait %one : !ch1
      %x = cta.read %t : !tile -> !x
      cta.release %one, %q : !ch1
      cta.store %x, %C[%k, %c0] : !x -> memref<?x?xbf16>
    }
    %i = scf.for %k = %c0 to %n step %c64 iter_args(%at = %c0) -> (index) {
      %p = cta.acquire %carried : !ch
      %a = cta.copy %A[%at, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %carried, %p (%a) : !ch
      %q, %t = cta.wait %carried : !ch
      %x = cta.read %t : !tile -> !x
      cta.release %carried, %q : !ch
      cta.store %x, %C[%k, %c0] : !x -> memref<?x?xbf16>
      %next = arith.addi %at, %k : index
      scf.yield %next : index
    }
    scf.for %k = %i to %n step %c64 {
      %p = cta.acquire %two : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %two, %p (%a) : !ch
      %p1 = cta.acquire %two : !ch
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %two, %p1 (%a1) : !ch
      %q, %t = cta.wait %two : !ch
      %x = cta.read %t : !tile -> !x
      cta.release %two, %q : !ch
      %q1, %t1 = cta.wait %two : !ch
      cta.release %two, %q1 : !ch
      cta.store %x, %C[%k, %c0] : !x -> memref<?x?xbf16>
    }
    %p0 = cta.acquire %across : !ch
    %a0 = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.commit %across, %p0 (%a0) : !ch
    %q0, %t0 = cta.wait %across : !ch
    scf.for %k = %c0 to %n step %c64 {
      %p = cta.acquire %across : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %across, %p (%a) : !ch
      %q, %t = cta.wait %across : !ch
      %x = cta.read %t : !tile -> !x
      cta.release %across, %q : !ch
      cta.store %x, %C[%k, %c0] : !x -> memref<?x?xbf16>
    }
    cta.release %across, %q0 : !ch
    %p2 = cta.acquire %filled : !ch
    %a2 = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.commit %filled, %p2 (%a2) : !ch
    scf.for %k = %c0 to %n step %c64 {
      %p = cta.acquire %filled : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %filled, %p (%a) : !ch
      %q, %t = cta.wait %filled : !ch
      %x = cta.read %t : !tile -> !x
      cta.release %filled, %q : !ch
      cta.store %x, %C[%k, %c0] : !x -> memref<?x?xbf16>
    }
    %q2, %t2 = cta.wait %filled : !ch
    cta.release %filled, %q2 : !ch
  }
  tile.return
}

tile.kernel @written(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @written_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %x = cta.read %t : !tile -> !x
      cta.release %ch, %q : !ch
      cta.store %x, %A[%k, %c0] : !x -> memref<?x?xbf16>
    }
  }
  tile.return
}

tile.kernel @roles(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @roles_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    cta.role @math warps(4) {
      scf.for %k = %c0 to %n step %c64 {
        %q, %t = cta.wait %ch : !ch
        %x = cta.read %t : !tile -> !x
        cta.release %ch, %q : !ch
        cta.store %x, %C[%k, %c0] : !x -> memref<?x?xbf16>
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %p = cta.acquire %ch : !ch
          %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !ch
        }
      }
    }
  }
  tile.return
}

// -----

// cp.async is treated as TMA is: a view and a limit of the iteration go with the copy.
// CHECK-LABEL: tile.kernel @cp_async
// CHECK:       scf.for %[[J:[a-z0-9]+]] =
// CHECK:         %[[V:.+]] = memref.subview %A[%[[J]], 0]
// CHECK:         %[[P:.+]] = cta.acquire
// CHECK-NEXT:    cta.copy %[[V]]{{.*}} limit = [%{{.+}}, _] {mechanism = #cta.mechanism<cp_async>, vector = 4 : i64}
// CHECK:       scf.for %[[K:[a-z0-9]+]] =
// CHECK:         scf.if
// CHECK:           %[[LATER:.+]] = arith.addi %[[K]]
// CHECK:           %[[V2:.+]] = memref.subview %A[%[[LATER]], 0]
// CHECK:           cta.acquire
// CHECK-NEXT:      cta.copy %[[V2]]{{.*}} limit = [%{{.+}}, _] {mechanism = #cta.mechanism<cp_async>, vector = 4 : i64}
// CHECK:         cta.wait
// CHECK-NOT:   cta.copy
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<3, !tile>
tile.kernel @cp_async(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @cp_async_0 blocks() {
    %ch = cta.channel : !ch
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
      %v = memref.subview %A[%k, 0] [64, 64] [1, 1] : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
      %rest = arith.subi %n, %k : index
      %p = cta.acquire %ch : !ch
      %a = cta.copy %v[%c0, %c0] limit = [%rest, _] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<64x64xbf16, strided<[?, 1], offset: ?>> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %t, %t, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %d : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
