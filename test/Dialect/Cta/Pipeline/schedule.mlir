// RUN: tile-opt %s -cta-schedule -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-schedule -cta-schedule -cta-verify | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#scheduled = #tile.phase<scheduled>
!small = !cta.smem<64x64xbf16, #sw>
!large = !cta.smem<64x256xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!wideSum = tensor<64x256xf32, #acc>
!out = tensor<64x64xbf16, #acc>
!doubleOut = tensor<64x128xbf16, #acc>
!double = !cta.smem<64x128xbf16, #sw>
!wideOut = tensor<64x256xbf16, #acc>

// As many slots as the plan says: four of 40 KiB.
// CHECK-LABEL: tile.kernel @stages(
// CHECK: cta.channel : <4, !cta.smem<64x64xbf16, {{.*}}>, !cta.smem<64x256xbf16, {{.*}}>>
tile.kernel @stages(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @stages_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !large>
    %zero = arith.constant dense<0.0> : !wideSum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!wideSum) {
      %p = cta.acquire %ch : !cta.channel<?, !small, !large>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !large>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !large>
      %d = cta.wgmma %a, %b, %c : !small, !large -> !wideSum
      cta.release %ch, %q : !cta.channel<?, !small, !large>
      scf.yield %d : !wideSum
    }
    cta.store %acc, %C[%c0, %c0] : !wideSum -> memref<?x?xf32>
  }
  tile.return
}

// Eight slots of 40 KiB do not fit into 227 KiB, but five do. With 32 KiB staged for the store four fit, and if two blocks share an SM, two without it.
// CHECK-LABEL: tile.kernel @shrinks(
// CHECK: cta.launch @whole
// CHECK-NEXT: cta.channel : <5,
// CHECK: cta.launch @staged
// CHECK-NEXT: cta.channel : <4,
// CHECK-LABEL: tile.kernel @halves(
// CHECK: cta.channel : <2,
tile.kernel @shrinks(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %O: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @whole blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !large>
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small, !large>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !large>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !large>
      %d = cta.wgmma %a, %b : !small, !large -> !wideSum
      cta.release %ch, %q : !cta.channel<?, !small, !large>
      cta.store %d, %C[%c0, %k] : !wideSum -> memref<?x?xf32>
    }
  }
  cta.launch @staged blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !large>
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small, !large>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !large>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !large>
      %d = cta.wgmma %a, %b : !small, !large -> !wideSum
      cta.release %ch, %q : !cta.channel<?, !small, !large>
      %o = arith.truncf %d : !wideSum to tensor<64x256xbf16, #acc>
      %s = cta.stage %o : tensor<64x256xbf16, #acc> -> !large
      cta.copy_out %s, %O[%c0, %k] {mechanism = #tma} : !large -> memref<?x?xbf16>
    }
  }
  tile.return
}
tile.kernel @halves(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 8, blocks_per_sm = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @halves_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !large>
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small, !large>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !large>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !large>
      %d = cta.wgmma %a, %b : !small, !large -> !wideSum
      cta.release %ch, %q : !cta.channel<?, !small, !large>
      cta.store %d, %C[%c0, %k] : !wideSum -> memref<?x?xf32>
    }
  }
  tile.return
}

// A tile that is staged for a store is kept until the next store of its block has been issued: two live at a time if each is stored at once, all that wait if
// they are stored together. 227 KiB are 28 slots of 8 KiB and their mbarriers: each 32 KiB take four. If no slot would be left, stores wait instead.
// CHECK-LABEL: tile.kernel @pairs(
// CHECK: cta.launch @one
// CHECK-NEXT: cta.channel : <24,
// CHECK: cta.launch @two
// CHECK-NEXT: cta.channel : <20,
// CHECK: cta.launch @four
// CHECK-NEXT: cta.channel : <20,
// CHECK: cta.launch @sizes
// CHECK-NEXT: cta.channel : <23,
// CHECK: cta.launch @together
// CHECK-NEXT: cta.channel : <16,
// CHECK: cta.launch @read
// CHECK-NEXT: cta.channel : <20,
// CHECK: cta.launch @blocks
// CHECK-NEXT: cta.channel : <20,
// CHECK: cta.launch @tight
// CHECK-NEXT: cta.channel : <1,
tile.kernel @pairs(%A: memref<?x?xbf16>, %O: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index, %flag: i1) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 64>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @one blocks() {
    %ch = cta.channel : !cta.channel<?, !small>
    %w = arith.constant dense<1.0> : !wideOut
    %o = arith.constant dense<1.0> : !out
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0) : !cta.channel<?, !small>
      %q, %a = cta.wait %ch : !cta.channel<?, !small>
      %d = cta.wgmma %a, %a : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small>
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
    %s1 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s1, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
  }
  cta.launch @two blocks() {
    %ch = cta.channel : !cta.channel<?, !small>
    %w = arith.constant dense<1.0> : !wideOut
    %o = arith.constant dense<1.0> : !out
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0) : !cta.channel<?, !small>
      %q, %a = cta.wait %ch : !cta.channel<?, !small>
      %d = cta.wgmma %a, %a : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small>
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
    %s2 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s2, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s3 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s3, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
  }
  cta.launch @four blocks() {
    %ch = cta.channel : !cta.channel<?, !small>
    %w = arith.constant dense<1.0> : !wideOut
    %o = arith.constant dense<1.0> : !out
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0) : !cta.channel<?, !small>
      %q, %a = cta.wait %ch : !cta.channel<?, !small>
      %d = cta.wgmma %a, %a : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small>
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
    %s4 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s4, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s5 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s5, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s6 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s6, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s7 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s7, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
  }
  cta.launch @sizes blocks() {
    %ch = cta.channel : !cta.channel<?, !small>
    %w = arith.constant dense<1.0> : !wideOut
    %o = arith.constant dense<1.0> : !out
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0) : !cta.channel<?, !small>
      %q, %a = cta.wait %ch : !cta.channel<?, !small>
      %d = cta.wgmma %a, %a : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small>
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
    %s8 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s8, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s9 = cta.stage %o : !out -> !small
    cta.copy_out %s9, %O[%c0, %c64] {mechanism = #tma} : !small -> memref<?x?xbf16>
    %s10 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s10, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s11 = cta.stage %o : !out -> !small
    cta.copy_out %s11, %O[%c0, %c64] {mechanism = #tma} : !small -> memref<?x?xbf16>
  }
  cta.launch @together blocks() {
    %ch = cta.channel : !cta.channel<?, !small>
    %w = arith.constant dense<1.0> : !wideOut
    %o = arith.constant dense<1.0> : !out
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0) : !cta.channel<?, !small>
      %q, %a = cta.wait %ch : !cta.channel<?, !small>
      %d = cta.wgmma %a, %a : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small>
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
    %s51 = cta.stage %w : !wideOut -> !large
    %s52 = cta.stage %w : !wideOut -> !large
    %s53 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s51, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    cta.copy_out %s52, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    cta.copy_out %s53, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
  }
  cta.launch @read blocks() {
    %ch = cta.channel : !cta.channel<?, !small>
    %w = arith.constant dense<1.0> : !wideOut
    %o = arith.constant dense<1.0> : !out
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0) : !cta.channel<?, !small>
      %q, %a = cta.wait %ch : !cta.channel<?, !small>
      %d = cta.wgmma %a, %a : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small>
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
    %s12 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s12, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s13 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s13, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s14 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s14, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %r14 = cta.read %s14 : !large -> !wideOut
    cta.store %r14, %O[%c64, %c0] : !wideOut -> memref<?x?xbf16>
  }
  cta.launch @blocks blocks() {
    %ch = cta.channel : !cta.channel<?, !small>
    %w = arith.constant dense<1.0> : !wideOut
    %o = arith.constant dense<1.0> : !out
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0) : !cta.channel<?, !small>
      %q, %a = cta.wait %ch : !cta.channel<?, !small>
      %d = cta.wgmma %a, %a : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small>
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
    %s15 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s15, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    %s16 = cta.stage %w : !wideOut -> !large
    cta.copy_out %s16, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    scf.if %flag {
      %s17 = cta.stage %w : !wideOut -> !large
      cta.copy_out %s17, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
      %s18 = cta.stage %w : !wideOut -> !large
      cta.copy_out %s18, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
      %s19 = cta.stage %w : !wideOut -> !large
      cta.copy_out %s19, %O[%c0, %c64] {mechanism = #tma} : !large -> memref<?x?xbf16>
    }
  }
  cta.launch @tight blocks() {
    %ch = cta.channel : !cta.channel<?, !large, !large, !large, !large>
    %w = arith.constant dense<1.0> : !wideSum
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !large, !large, !large, !large>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
      %a1 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
      %a2 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
      %a3 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p (%a0, %a1, %a2, %a3) : !cta.channel<?, !large, !large, !large, !large>
      %q, %a:4 = cta.wait %ch : !cta.channel<?, !large, !large, !large, !large>
      cta.release %ch, %q : !cta.channel<?, !large, !large, !large, !large>
    }
    %s61 = cta.stage %w : !wideSum -> !cta.smem<64x256xf32, #cta.swizzle<linear>>
    cta.copy_out %s61, %C[%c0, %c0] {mechanism = #tma} : !cta.smem<64x256xf32, #cta.swizzle<linear>> -> memref<?x?xf32>
    %s62 = cta.stage %w : !wideSum -> !cta.smem<64x256xf32, #cta.swizzle<linear>>
    cta.copy_out %s62, %C[%c64, %c0] {mechanism = #tma} : !cta.smem<64x256xf32, #cta.swizzle<linear>> -> memref<?x?xf32>
  }
  tile.return
}

// Channels of inner loops first, in turns; then a second slot for those of outer loops, if there is room. A copy that feeds no channel is counted with
// what is staged.
//   @inner: 3 · 32 KiB + 3 · 32 KiB + 1 · 32 KiB = 224 KiB of 227.
//   @room: 2 · 32 + 2 · 32 + 2 · 32 KiB + 8 KiB.
// CHECK-LABEL: tile.kernel @inner(
// CHECK: cta.channel : <1,
// CHECK-NEXT: cta.channel : <3,
// CHECK-NEXT: cta.channel : <3,
// CHECK-LABEL: tile.kernel @room(
// CHECK: cta.channel : <2,
// CHECK-NEXT: cta.channel : <2,
// CHECK-NEXT: cta.channel : <2,
tile.kernel @inner(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @inner_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !large>
    %x = cta.channel : !cta.channel<?, !large>
    %y = cta.channel : !cta.channel<?, !large>
    scf.for %t = %c0 to %K step %c64 {
      %p0 = cta.acquire %ch : !cta.channel<?, !large>
      %a0 = cta.copy %A[%c0, %t] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p0 (%a0) : !cta.channel<?, !large>
      %q0, %a = cta.wait %ch : !cta.channel<?, !large>
      scf.for %k = %c0 to %K step %c64 {
        %p1 = cta.acquire %x : !cta.channel<?, !large>
        %b0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
        cta.commit %x, %p1 (%b0) : !cta.channel<?, !large>
        %p2 = cta.acquire %y : !cta.channel<?, !large>
        %c0_ = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !large
        cta.commit %y, %p2 (%c0_) : !cta.channel<?, !large>
        %q1, %b = cta.wait %x : !cta.channel<?, !large>
        cta.release %x, %q1 : !cta.channel<?, !large>
        %q2, %c = cta.wait %y : !cta.channel<?, !large>
        cta.release %y, %q2 : !cta.channel<?, !large>
      }
      cta.release %ch, %q0 : !cta.channel<?, !large>
    }
  }
  tile.return
}
tile.kernel @room(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @room_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !large>
    %x = cta.channel : !cta.channel<?, !large>
    %y = cta.channel : !cta.channel<?, !large>
    %once = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !small
    scf.while (%t = %c0) : (index) -> index {
      %more = arith.cmpi slt, %t, %K : index
      scf.condition(%more) %t : index
    } do {
    ^bb0(%t: index):
      %p0 = cta.acquire %ch : !cta.channel<?, !large>
      %a0 = cta.copy %A[%c0, %t] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p0 (%a0) : !cta.channel<?, !large>
      %q0, %a = cta.wait %ch : !cta.channel<?, !large>
      scf.for %k = %c0 to %K step %c64 {
        %p1 = cta.acquire %x : !cta.channel<?, !large>
        %b0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
        cta.commit %x, %p1 (%b0) : !cta.channel<?, !large>
        %p2 = cta.acquire %y : !cta.channel<?, !large>
        %c0_ = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !large
        cta.commit %y, %p2 (%c0_) : !cta.channel<?, !large>
        %q1, %b = cta.wait %x : !cta.channel<?, !large>
        %s = cta.wgmma %once, %b : !small, !large -> !wideSum
        cta.release %x, %q1 : !cta.channel<?, !large>
        %q2, %c = cta.wait %y : !cta.channel<?, !large>
        cta.release %y, %q2 : !cta.channel<?, !large>
      }
      cta.release %ch, %q0 : !cta.channel<?, !large>
      scf.yield %t : index
    }
  }
  tile.return
}

// A depth in the IR stays, whatever the plan says; the others take what it leaves: 6 · 32 KiB and 4 · 8 KiB (a scalar takes eight bytes). Without a plan
// the schedule decides: a slot that nobody reads is in use for the 1212 cycles of its load, and a load takes 512.
// CHECK-LABEL: tile.kernel @fixed(
// CHECK: cta.channel : <6, !cta.smem<64x256
// CHECK-NEXT: cta.channel : <4, !cta.smem<64x64xbf16, {{.*}}>, index>
// CHECK-LABEL: tile.kernel @planless(
// CHECK: cta.channel : <3,
// CHECK-LABEL: tile.kernel @none(
// CHECK-NOT: cta.channel
tile.kernel @fixed(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 6>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @fixed_0 blocks() {
    %x = cta.channel : !cta.channel<6, !large>
    %y = cta.channel : !cta.channel<?, !small, index>
    scf.for %k = %c0 to %K step %c64 {
      %p1 = cta.acquire %x : !cta.channel<6, !large>
      %b0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %x, %p1 (%b0) : !cta.channel<6, !large>
      %p2 = cta.acquire %y : !cta.channel<?, !small, index>
      %c0_ = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %y, %p2 (%c0_, %k) : !cta.channel<?, !small, index>
      %q1, %b = cta.wait %x : !cta.channel<6, !large>
      cta.release %x, %q1 : !cta.channel<6, !large>
      %q2, %c, %i = cta.wait %y : !cta.channel<?, !small, index>
      cta.release %y, %q2 : !cta.channel<?, !small, index>
    }
  }
  tile.return
}
tile.kernel @planless(%A: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @planless_0 blocks() {
    %x = cta.channel : !cta.channel<?, !large>
    scf.for %k = %c0 to %K step %c64 {
      %p1 = cta.acquire %x : !cta.channel<?, !large>
      %b0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %x, %p1 (%b0) : !cta.channel<?, !large>
      %q1, %b = cta.wait %x : !cta.channel<?, !large>
      cta.release %x, %q1 : !cta.channel<?, !large>
    }
  }
  tile.return
}
tile.kernel @none(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  cta.launch @none_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !small
    %d = cta.wgmma %a, %a : !small, !small -> !sum
    cta.store %d, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Tiles that do not live at the same time share their bytes, here 64 KiB of three times 64: four slots of 40 KiB fit.
// CHECK-LABEL: tile.kernel @shared(
// CHECK: cta.channel : <4,
tile.kernel @shared(%A: memref<?x?xbf16>, %O: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @shared_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !large>
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !cta.channel<?, !small, !large>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !large
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !large>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !large>
      %d = cta.wgmma %a, %b : !small, !large -> !wideSum
      cta.release %ch, %q : !cta.channel<?, !small, !large>
      %s = cta.stage %d : !wideSum -> !cta.smem<64x256xf32, #cta.swizzle<linear>>
      %r = cta.read %s : !cta.smem<64x256xf32, #cta.swizzle<linear>> -> !wideSum
      %t = cta.stage %r : !wideSum -> !cta.smem<64x256xf32, #cta.swizzle<linear>>
      %u = cta.read %t : !cta.smem<64x256xf32, #cta.swizzle<linear>> -> !wideSum
      %v = cta.stage %u : !wideSum -> !cta.smem<64x256xf32, #cta.swizzle<linear>>
      %w = cta.read %v : !cta.smem<64x256xf32, #cta.swizzle<linear>> -> !wideSum
      cta.store %w, %O[%c0, %k] : !wideSum -> memref<?x?xf32>
    }
  }
  tile.return
}

// 113 KiB for each of two blocks, a slot has 16, so has a tile of the epilogue. A second tile of the epilogue does not take the sixth slot, which the plan asks for; where
// the plan asks for more than fits anyhow it does.
// CHECK-LABEL: tile.kernel @one_tile(
// CHECK: cta.channel : <6,
// CHECK-LABEL: tile.kernel @two_tiles(
// CHECK: cta.channel : <5,
// CHECK-LABEL: tile.kernel @more_than_fits(
// CHECK: cta.channel : <5,
tile.kernel @one_tile(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 6, blocks_per_sm = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cta.launch @one_tile_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !small>
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !cta.channel<?, !small, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !small>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !small>
      %d = cta.wgmma %a, %b, %c : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small, !small>
      scf.yield %d : !sum
    }
    %wide = cta.load %C[%c0, %K] : memref<?x?xbf16> -> !doubleOut
    %o = arith.truncf %acc : !sum to !out
    cta.store %o, %C[%K, %c0] : !out -> memref<?x?xbf16>
    %s0 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s0, %C[%c0, %c0] {mechanism = #tma} : !double -> memref<?x?xbf16>
    %s1 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s1, %C[%c0, %c64] {mechanism = #tma} : !double -> memref<?x?xbf16>
    %s2 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s2, %C[%c0, %c128] {mechanism = #tma} : !double -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @two_tiles(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 5, blocks_per_sm = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cta.launch @two_tiles_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !small>
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !cta.channel<?, !small, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !small>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !small>
      %d = cta.wgmma %a, %b, %c : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small, !small>
      scf.yield %d : !sum
    }
    %wide = cta.load %C[%c0, %K] : memref<?x?xbf16> -> !doubleOut
    %o = arith.truncf %acc : !sum to !out
    cta.store %o, %C[%K, %c0] : !out -> memref<?x?xbf16>
    %s0 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s0, %C[%c0, %c0] {mechanism = #tma} : !double -> memref<?x?xbf16>
    %s1 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s1, %C[%c0, %c64] {mechanism = #tma} : !double -> memref<?x?xbf16>
    %s2 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s2, %C[%c0, %c128] {mechanism = #tma} : !double -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @more_than_fits(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 8, blocks_per_sm = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cta.launch @more_than_fits_0 blocks() {
    %ch = cta.channel : !cta.channel<?, !small, !small>
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %p = cta.acquire %ch : !cta.channel<?, !small, !small>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !small
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !small
      cta.commit %ch, %p (%a0, %b0) : !cta.channel<?, !small, !small>
      %q, %a, %b = cta.wait %ch : !cta.channel<?, !small, !small>
      %d = cta.wgmma %a, %b, %c : !small, !small -> !sum
      cta.release %ch, %q : !cta.channel<?, !small, !small>
      scf.yield %d : !sum
    }
    %wide = cta.load %C[%c0, %K] : memref<?x?xbf16> -> !doubleOut
    %o = arith.truncf %acc : !sum to !out
    cta.store %o, %C[%K, %c0] : !out -> memref<?x?xbf16>
    %s0 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s0, %C[%c0, %c0] {mechanism = #tma} : !double -> memref<?x?xbf16>
    %s1 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s1, %C[%c0, %c64] {mechanism = #tma} : !double -> memref<?x?xbf16>
    %s2 = cta.stage %wide : !doubleOut -> !double
    cta.copy_out %s2, %C[%c0, %c128] {mechanism = #tma} : !double -> memref<?x?xbf16>
  }
  tile.return
}
