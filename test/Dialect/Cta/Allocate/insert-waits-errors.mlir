// RUN: tile-opt %s --split-input-file --cta-insert-waits --verify-diagnostics

// expected-error @+1 {{cta-insert-waits needs a kernel in phase specialized}}
tile.kernel @phase() attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
tile.kernel @step(%C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @step_0 blocks() {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    %t = cta.stage %x : tensor<64x64xbf16, #acc> -> !tile
    // expected-error @+1 {{contains waits for products in flight, but cta-insert-waits knows no control flow but}}
    %s = cta.step @math role(math) stage(0) {
      %d = cta.wgmma %t, %t : !tile, !tile -> !async
      %r = cta.complete %d : !async
      cta.yield %r : !sum
    } : !sum
    cta.store %s, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
