// A slot that an inner loop reads from its begin to its end: its second slot comes before those of inner loops that nobody needs.
//
// RUN: tile-opt %s -cta-schedule -cta-verify | FileCheck %s

#sw0 = #cta.swizzle<128, dim = 0>
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#scheduled = #tile.phase<scheduled>
#acc = #cta.frag<wgmma_acc, wg = 1>
!a = !cta.smem<64x256xbf16, #sw1>
!b = !cta.smem<256x64xbf16, #sw0>
!c = tensor<64x64xf32, #acc>

// 227 KiB are seven slots of 32 KiB. The loop gets three of the six that the plan wants, then the tile that it holds a second one, then it gets the rest.
// CHECK-LABEL: tile.kernel @held(
// CHECK:       cta.channel : <2, !cta.smem<64x256
// CHECK-NEXT:  cta.channel : <5, !cta.smem<256x64
tile.kernel @held(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index, %n: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 6>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @held_0 blocks() {
    %x = cta.channel : !cta.channel<?, !a>
    %y = cta.channel : !cta.channel<?, !b>
    %zero = arith.constant dense<0.0> : !c
    scf.for %t = %c0 to %n step %c64 {
      %p0 = cta.acquire %x : !cta.channel<?, !a>
      %a0 = cta.copy %A[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !a
      cta.commit %x, %p0 (%a0) : !cta.channel<?, !a>
      %q0, %a = cta.wait %x : !cta.channel<?, !a>
      %r = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!c) {
        %p1 = cta.acquire %y : !cta.channel<?, !b>
        %b0 = cta.copy %A[%c0, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !b
        cta.commit %y, %p1 (%b0) : !cta.channel<?, !b>
        %q1, %b = cta.wait %y : !cta.channel<?, !b>
        %d = cta.wgmma %a, %b, %c : !a, !b -> !c
        cta.release %y, %q1 : !cta.channel<?, !b>
        scf.yield %d : !c
      }
      cta.release %x, %q0 : !cta.channel<?, !a>
      cta.store %r, %C[%t, %c0] : !c -> memref<?x?xf32>
    }
  }
  tile.return
}

// What is read behind the loop is loaded while the loop runs: one slot is enough for it.
// CHECK-LABEL: tile.kernel @behind(
// CHECK:       cta.channel : <1, !cta.smem<64x256
// CHECK-NEXT:  cta.channel : <6, !cta.smem<256x64
tile.kernel @behind(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index, %n: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 6>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @behind_0 blocks() {
    %x = cta.channel : !cta.channel<?, !a>
    %y = cta.channel : !cta.channel<?, !b>
    scf.for %t = %c0 to %n step %c64 {
      %p0 = cta.acquire %x : !cta.channel<?, !a>
      %a0 = cta.copy %A[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !a
      cta.commit %x, %p0 (%a0) : !cta.channel<?, !a>
      scf.for %k = %c0 to %K step %c64 {
        %p1 = cta.acquire %y : !cta.channel<?, !b>
        %b0 = cta.copy %A[%c0, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !b
        cta.commit %y, %p1 (%b0) : !cta.channel<?, !b>
        %q1, %b = cta.wait %y : !cta.channel<?, !b>
        cta.release %y, %q1 : !cta.channel<?, !b>
      }
      %q0, %a = cta.wait %x : !cta.channel<?, !a>
      %s = cta.read %a : !a -> tensor<64x256xbf16, #acc>
      cta.release %x, %q0 : !cta.channel<?, !a>
      cta.store %s, %A[%t, %c0] : tensor<64x256xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}
