// Loops that the user wrote as steps stay as they are. They come out as loops without steps do, run, and are lowered.
//
// RUN: tile-opt %s -split-input-file -cta-schedule -cta-verify | FileCheck %s
// RUN: tile-opt %s -split-input-file -cta-schedule -cta-schedule -cta-verify | FileCheck %s
//
// DEFINE: %{rest} = -cta-rotate-loops -cta-defer-waits -cta-specialize-warps -cta-verify -cta-expand-loops -cta-insert-waits -cta-lower-channels -cta-allocate-shared -cta-insert-barriers -cta-assign-registers -cta-verify
// RUN: tile-opt %s -split-input-file -cta-schedule %{rest} | FileCheck %s --check-prefix=LOWERED
// RUN: tile-opt %s -split-input-file -cta-schedule %{rest} -convert-cta-to-nvvm -o /dev/null
//
// No iteration, one, more than there are slots: as many events more.
// DEFINE: %{simulate} = tile-opt %s -split-input-file -cta-schedule %{rest} -o /dev/null
// RUN: %{simulate} -cta-simulate="scalars=K=0 sizes=A.0=512,A.1=512,C.0=512,C.1=512 timings=20 verbose" 2>&1 | FileCheck %s --check-prefix=K0
// RUN: %{simulate} -cta-simulate="scalars=K=64 sizes=A.0=512,A.1=512,C.0=512,C.1=512 timings=20 verbose" 2>&1 | FileCheck %s --check-prefix=K64
// RUN: %{simulate} -cta-simulate="scalars=K=512 sizes=A.0=512,A.1=512,C.0=512,C.1=512 timings=20 verbose" 2>&1 | FileCheck %s --check-prefix=K512

// A producing role: one step a role.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK:      scf.for {{.*}} iter_args(%[[C:.+]] = %{{.+}})
// CHECK-NEXT:   cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @mma]>} {
// CHECK-NEXT:     cta.acquire
// CHECK-NEXT:     cta.copy
// CHECK-NEXT:     cta.copy
// CHECK-NEXT:     cta.commit
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[D:.+]] = cta.step @mma role(math) stage(2) {
// CHECK-NEXT:     %[[Q:.+]], %[[AB:.+]]:2 = cta.wait
// CHECK-NEXT:     %[[W:.+]] = cta.wgmma %[[AB]]#0, %[[AB]]#1, %[[C]]
// CHECK-NEXT:     cta.release %{{.+}}, %[[Q]]
// CHECK-NEXT:     cta.yield %[[W]]
// CHECK-NEXT:   } :
// CHECK-NEXT:   scf.yield %[[D]]
// LOWERED-LABEL: tile.kernel @gemm(
// LOWERED:      cta.role @math
// LOWERED:        cta.await
// LOWERED-NEXT:   cta.slot
// LOWERED-NEXT:   cta.slot
// LOWERED-NOT:    cta.step
// LOWERED:        cta.wgmma
// LOWERED:        cta.arrive
// LOWERED:      cta.role @producer
// LOWERED:        cta.await
// LOWERED-NEXT:   cta.expect
// K0: remark: @gemm_0: simulated 1 of 1 blocks, 20 timings each: 2 events, no violation
// K64: remark: @gemm_0: simulated 1 of 1 blocks, 20 timings each: 9 events, no violation
// K512: remark: @gemm_0: simulated 1 of 1 blocks, 20 timings each: 58 events, no violation
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x64xbf16, #sw1>
!b = !cta.smem<64x256xbf16, #sw1>
!c = tensor<128x256xf32, #acc>
!ch = !cta.channel<?, !a, !b>
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.align = 16 : i64}, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks() {
    %ch = cta.channel : !ch
    %zero = arith.constant dense<0.0> : !c
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!c) {
      cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @mma]>} {
        %p = cta.acquire %ch : !ch
        %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
        %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
        cta.commit %ch, %p (%a0, %b0) : !ch
      }
      %d = cta.step @mma role(math) stage(2) {
        %q, %a, %b = cta.wait %ch : !ch
        %d0 = cta.wgmma %a, %b, %c : !a, !b -> !c
        cta.release %ch, %q : !ch
        cta.yield %d0 : !c
      } : !c
      scf.yield %d : !c
    }
    cta.store %acc, %C[%c0, %c0] : !c -> memref<?x?xf32>
  }
  tile.return
}

// -----

// The same threads load and compute: the stages say by how many iterations each load runs ahead. What is read by two steps is released by the last.
// CHECK-LABEL: tile.kernel @together(
// CHECK: cta.channel : <3,
// CHECK: cta.channel : <2,
// CHECK:      cta.step @load0 role(producer) stage(0) attributes {schedule = #cta.schedule<[@load0, @load1, @mma0, @reduce, @arith0, @mma1, @arith1]>} {
// CHECK:      cta.step @load1 role(producer) stage(1) {
// CHECK:      %[[S0:.+]]:3 = cta.step @mma0 role(math) stage(2) {
// CHECK-NEXT:   %[[Q0:.+]], %[[T0:.+]] = cta.wait
// CHECK-NEXT:   %[[D0:.+]] = cta.wgmma %[[T0]], %[[T0]]
// CHECK-NEXT:   cta.yield %[[Q0]], %[[T0]], %[[D0]]
// CHECK:      %[[ROW:.+]] = cta.step @reduce role(math) stage(2) {
// CHECK:      cta.step @arith0 role(math) stage(2) {
// CHECK-NEXT:   %[[ROWS:.+]] = cta.broadcast %[[ROW]]
// CHECK-NEXT:   arith.subf %[[S0]]#2, %[[ROWS]]
// CHECK:      %[[S1:.+]] = cta.step @mma1 role(math) stage(2) {
// CHECK-NEXT:   %[[Q1:.+]], %[[T1:.+]] = cta.wait
// CHECK-NEXT:   cta.wgmma %[[S0]]#1, %[[T1]]
// CHECK-NEXT:   cta.release %{{.+}}, %[[S0]]#0
// CHECK-NEXT:   cta.release %{{.+}}, %[[Q1]]
// CHECK:      cta.step @arith1 role(math) stage(2) {
// CHECK-NEXT:   %[[ROWS:.+]] = cta.broadcast %[[ROW]]
// CHECK-NEXT:   arith.addf %[[S1]], %[[ROWS]]
// LOWERED-LABEL: tile.kernel @together(
// LOWERED-NOT:  cta.step
// LOWERED-NOT:  cta.role
// LOWERED:      scf.for
// LOWERED:        cta.elect
// LOWERED:          cta.copy
// LOWERED:      scf.for
// LOWERED:      scf.for
// LOWERED-COUNT-2: cta.wgmma
// K0: remark: @together_0: simulated 1 of 1 blocks, 20 timings each: 3 events, no violation
// K64: remark: @together_0: simulated 1 of 1 blocks, 20 timings each: 20 events, no violation
// K512: remark: @together_0: simulated 1 of 1 blocks, 20 timings each: 139 events, no violation
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#acc = #cta.frag<wgmma_acc, wg = 1>
!t = !cta.smem<64x64xbf16, #sw1>
!row = tensor<64xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>>
!s = tensor<64x64xf32, #acc>
tile.kernel @together(%A: memref<?x?xbf16> {tile.align = 16 : i64}, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<producers = 0>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @together_0 blocks() {
    %x = cta.channel : !cta.channel<3, !t>
    %y = cta.channel : !cta.channel<2, !t>
    %zero = arith.constant dense<0.0> : !s
    %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%f = %zero, %g = %zero) -> (!s, !s) {
      %nil = arith.constant 0.0 : f32
      cta.step @load0 role(producer) stage(0) attributes {schedule = #cta.schedule<[@load0, @load1, @mma0, @reduce, @arith0, @mma1, @arith1]>} {
        %p = cta.acquire %x : !cta.channel<3, !t>
        %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !t
        cta.commit %x, %p (%a0) : !cta.channel<3, !t>
      }
      cta.step @load1 role(producer) stage(1) {
        %p = cta.acquire %y : !cta.channel<2, !t>
        %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !t
        cta.commit %y, %p (%b0) : !cta.channel<2, !t>
      }
      %q1, %a, %f1 = cta.step @mma0 role(math) stage(2) {
        %q, %t = cta.wait %x : !cta.channel<3, !t>
        %d = cta.wgmma %t, %t, %f : !t, !t -> !s
        cta.yield %q, %t, %d : !cta.credit, !t, !s
      } : !cta.credit, !t, !s
      %row = cta.step @reduce role(math) stage(2) {
        %sum = cta.reduce (%f1) dims = [1] init(%nil) {
        ^bb0(%v: f32, %w: f32):
          %z = arith.addf %v, %w : f32
          tile.yield %z : f32
        } : !s -> !row
        cta.yield %sum : !row
      } : !row
      %f2 = cta.step @arith0 role(math) stage(2) {
        %rows = cta.broadcast %row dims = [0] : !row -> !s
        %rest = arith.subf %f1, %rows : !s
        cta.yield %rest : !s
      } : !s
      %g1 = cta.step @mma1 role(math) stage(2) {
        %q2, %b = cta.wait %y : !cta.channel<2, !t>
        %d = cta.wgmma %a, %b, %g : !t, !t -> !s
        cta.release %x, %q1 : !cta.channel<3, !t>
        cta.release %y, %q2 : !cta.channel<2, !t>
        cta.yield %d : !s
      } : !s
      %g2 = cta.step @arith1 role(math) stage(2) {
        %rows = cta.broadcast %row dims = [0] : !row -> !s
        %more = arith.addf %g1, %rows : !s
        cta.yield %more : !s
      } : !s
      scf.yield %f2, %g2 : !s, !s
    }
    cta.store %r#0, %C[%c0, %c0] : !s -> memref<?x?xf32>
    cta.store %r#1, %C[%c64, %c0] : !s -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Steps say how deep their channel has to be at least.
// CHECK-LABEL: tile.kernel @written(
// CHECK: cta.channel : <9,
// CHECK: cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @use]>} {
// CHECK: cta.step @use role(math) stage(8) {
// CHECK-NOT: cta.step
// CHECK: cta.modulo_schedule = {
// LOWERED-LABEL: tile.kernel @written(
// K0: remark: @written_0: simulated 1 of 1 blocks, 20 timings each: 2 events, no violation
// K64: remark: @written_0: simulated 1 of 1 blocks, 20 timings each: 8 events, no violation
// K512: remark: @written_0: simulated 1 of 1 blocks, 20 timings each: 50 events, no violation
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#acc = #cta.frag<wgmma_acc, wg = 1>
!t = !cta.smem<64x64xbf16, #sw1>
!s = tensor<64x64xf32, #acc>
tile.kernel @written(%A: memref<?x?xbf16> {tile.align = 16 : i64}, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @written_0 blocks() {
    %x = cta.channel : !cta.channel<?, !t>
    %zero = arith.constant dense<0.0> : !s
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%f = %zero) -> (!s) {
      cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @use]>} {
        %p = cta.acquire %x : !cta.channel<?, !t>
        %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !t
        cta.commit %x, %p (%a0) : !cta.channel<?, !t>
      }
      %f1 = cta.step @use role(math) stage(8) {
        %q, %a = cta.wait %x : !cta.channel<?, !t>
        %d = cta.wgmma %a, %a, %f : !t, !t -> !s
        cta.release %x, %q : !cta.channel<?, !t>
        cta.yield %d : !s
      } : !s
      scf.yield %f1 : !s
    }
    cta.store %r, %C[%c0, %c0] : !s -> memref<?x?xf32>
  }
  tile.return
}
