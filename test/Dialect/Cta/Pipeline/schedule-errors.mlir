// RUN: tile-opt %s -split-input-file -cta-schedule -verify-diagnostics

// One slot for each is too much already: the error says what each needs.
#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!large = !cta.smem<256x256xbf16, #sw>
!out = !cta.smem<64x256xbf16, #sw>
tile.kernel @large(%A: memref<?x?xbf16>, %O: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-error @below {{the channels of this launch and the tiles it stages need 294944 bytes of shared memory, but a block has 232448; make the tiles smaller, or plan fewer stages}}
  // expected-note @below {{32768 bytes are staged tiles}}
  cta.launch @large_0 blocks() {
    // expected-note @below {{1 slots of 131088 bytes}}
    %x = cta.channel : !cta.channel<?, !large>
    // expected-note @below {{1 slots of 131088 bytes}}
    %y = cta.channel : !cta.channel<?, !large>
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
      %o = arith.constant dense<0.0> : tensor<64x256xbf16, #acc>
      %s = cta.stage %o : tensor<64x256xbf16, #acc> -> !out
      cta.copy_out %s, %O[%c0, %k] {mechanism = #tma} : !out -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----

// A depth in the IR is not made smaller; a plan of two blocks per SM leaves each half of shared memory.
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x256xbf16, #sw>
tile.kernel @half(%A: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2, blocks_per_sm = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-error @below {{the channels of this launch and the tiles it stages need 131136 bytes of shared memory, but a block has 115712; make the tiles smaller, or plan fewer stages}}
  // expected-note @below {{0 bytes are staged tiles}}
  cta.launch @half_0 blocks() {
    // expected-note @below {{4 slots of 32784 bytes}}
    %x = cta.channel : !cta.channel<4, !tile>
    scf.for %k = %c0 to %K step %c64 {
      %p1 = cta.acquire %x : !cta.channel<4, !tile>
      %b0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %x, %p1 (%b0) : !cta.channel<4, !tile>
      %q1, %b = cta.wait %x : !cta.channel<4, !tile>
      cta.release %x, %q1 : !cta.channel<4, !tile>
    }
  }
  tile.return
}

// -----

// expected-error @below {{cta-schedule needs a kernel in phase scheduled, but this one is in phase placed; run the passes in the order of the pipeline}}
tile.kernel @placed() attributes {phase = #tile.phase<placed>} {
  tile.return
}
