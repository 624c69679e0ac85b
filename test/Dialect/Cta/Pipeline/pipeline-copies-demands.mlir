// RUN: tile-opt %s --split-input-file --verify-diagnostics --cta-pipeline-copies | FileCheck %s

// The demand is met: it is gone with the copy's part in a channel.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
// CHECK-LABEL: tile.kernel @met(
// CHECK: cta.channel
// CHECK: cta.acquire
// CHECK-NOT: require
tile.kernel @met(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 3>, warpgroups = 1} {
  %c1 = arith.constant 1 : index
  cta.launch @met_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>, require = #tile.require<[pipelined]>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %a, %c : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @once(%A: memref<?x?xbf16>) attributes {phase = #tile.phase<planned>, plan = #cta.plan<stages = 3>, warpgroups = 1} {
  %c1 = arith.constant 1 : index
  cta.launch @once_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: no loop repeats it}}
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>, require = #tile.require<[pipelined]>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %d = cta.wgmma %a, %a : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @unplanned(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %c1 = arith.constant 1 : index
  cta.launch @unplanned_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    scf.for %k = %c0 to %n step %c1 {
      // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: the kernel's plan has no slots; say #cta.plan<stages = 3> in the source IR or to --plan}}
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>, require = #tile.require<[pipelined]>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %a : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
    }
  }
  tile.return
}

// -----

// What cta-plan found out.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @declined(%A: memref<?x?xbf16>, %n: index) attributes {cta.unpipelined = "nothing fits; make the tile smaller", phase = #tile.phase<planned>, plan = #cta.plan<stages = 0>, warpgroups = 1} {
  %c1 = arith.constant 1 : index
  cta.launch @declined_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    scf.for %k = %c0 to %n step %c1 {
      // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: nothing fits; make the tile smaller}}
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>, require = #tile.require<[pipelined]>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %a : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
    }
  }
  tile.return
}
