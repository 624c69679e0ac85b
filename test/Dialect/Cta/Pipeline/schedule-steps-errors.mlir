// RUN: tile-opt %s -split-input-file -cta-schedule -verify-diagnostics

// The maximum of an iteration needs that of the one before, whose step runs concurrently with the next iteration: stage 1 before stage 0 in the IR.
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#acc = #cta.frag<wgmma_acc, wg = 1>
!t = !cta.smem<64x64xbf16, #sw1>
!s = tensor<64x64xf32, #acc>
tile.kernel @carried(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @carried_0 blocks() {
    %x = cta.channel : !cta.channel<?, !t>
    %zero = arith.constant dense<0.0> : !s
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%f = %zero) -> (!s) {
      cta.step @load role(producer) stage(0) {
        %p = cta.acquire %x : !cta.channel<?, !t>
        %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !t
        cta.commit %x, %p (%a0) : !cta.channel<?, !t>
      }
      // expected-error @below {{'cta.step' op @scale at stage 0 runs too early: it needs the result of a step of the iteration before, which its stage puts after it; give it a later stage, or the other an earlier one}}
      %g = cta.step @scale role(math) stage(0) {
        %h = arith.mulf %f, %f : !s
        cta.yield %h : !s
      } : !s
      // expected-note @below {{this step}}
      %f1 = cta.step @use role(math) stage(1) {
        %q, %a = cta.wait %x : !cta.channel<?, !t>
        %d = cta.wgmma %a, %a, %g : !t, !t -> !s
        cta.release %x, %q : !cta.channel<?, !t>
        cta.yield %d : !s
      } : !s
      scf.yield %f1 : !s
    }
    cta.store %r, %C[%c0, %c0] : !s -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A step cannot run earlier than what it reads in its own iteration.
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#acc = #cta.frag<wgmma_acc, wg = 1>
!t = !cta.smem<64x64xbf16, #sw1>
!s = tensor<64x64xf32, #acc>
tile.kernel @backwards(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @backwards_0 blocks() {
    %x = cta.channel : !cta.channel<?, !t>
    scf.for %k = %c0 to %K step %c64 {
      cta.step @load role(producer) stage(0) {
        %p = cta.acquire %x : !cta.channel<?, !t>
        %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !t
        cta.commit %x, %p (%a0) : !cta.channel<?, !t>
      }
      // expected-note @below {{this step}}
      %d = cta.step @product role(math) stage(2) {
        %q, %a = cta.wait %x : !cta.channel<?, !t>
        %e = cta.wgmma %a, %a : !t, !t -> !s
        cta.release %x, %q : !cta.channel<?, !t>
        cta.yield %e : !s
      } : !s
      // expected-error @below {{'cta.step' op @store at stage 1 runs too early: it needs the result of a step of the same iteration, which its stage puts after it; give it a later stage, or the other an earlier one}}
      cta.step @store role(math) stage(1) {
        cta.store %d, %C[%k, %c0] : !s -> memref<?x?xf32>
      }
    }
  }
  tile.return
}

// -----

// Three iterations ahead take four slots.
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#acc = #cta.frag<wgmma_acc, wg = 1>
!t = !cta.smem<64x64xbf16, #sw1>
!s = tensor<64x64xf32, #acc>
tile.kernel @deep(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @deep_0 blocks() {
    %x = cta.channel : !cta.channel<2, !t>
    // expected-error @below {{'scf.for' op has steps that do not fit: channel 'ch0': depth 2 is too little, a slot is in use for 4 iterations}}
    scf.for %k = %c0 to %K step %c64 {
      cta.step @load role(producer) stage(0) {
        %p = cta.acquire %x : !cta.channel<2, !t>
        %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !t
        cta.commit %x, %p (%a0) : !cta.channel<2, !t>
      }
      cta.step @use role(math) stage(3) {
        // expected-note @below {{its loads run 3 iterations ahead}}
        %q, %a = cta.wait %x : !cta.channel<2, !t>
        %d = cta.wgmma %a, %a : !t, !t -> !s
        cta.release %x, %q : !cta.channel<2, !t>
        cta.store %d, %C[%k, %c0] : !s -> memref<?x?xf32>
      }
    }
  }
  tile.return
}
