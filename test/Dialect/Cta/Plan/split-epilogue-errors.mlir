// A width that a plan gives and no store can have.
// RUN: tile-opt %s -cta-split-epilogue -split-input-file -verify-diagnostics

#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = tensor<64x64xf16, #acc>
!smem = !cta.smem<64x64xf16, #cta.swizzle<128, dim = 1>>
tile.kernel @twice(%C: memref<?x?xf16>, %D: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    // expected-error@+1 {{cannot be computed in epilogue subtiles of 32 columns, as its plan says: neither TMA nor whole vectors move such subtiles, or its tile has other readers; plan epilogue = 0, or another width}}
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
    cta.copy_out %s, %D[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}

// -----

// The same of sums by TMA.
#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = tensor<64x64xf16, #acc>
!smem = !cta.smem<64x64xf16, #cta.swizzle<128, dim = 1>>
tile.kernel @sums_twice(%C: memref<?x?xf16>, %D: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    // expected-error@+1 {{cannot be computed in epilogue subtiles of 32 columns, as its plan says}}
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>} : !smem -> memref<?x?xf16>
    cta.copy_out %s, %D[%z, %z] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>} : !smem -> memref<?x?xf16>
  }
  tile.return
}

// -----

// What threads add to memory has no subtiles.
#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = tensor<64x64xf32, #acc>
tile.kernel @by_threads(%C: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    // expected-error@+1 {{cannot be computed in epilogue subtiles of 32 columns, as its plan says: threads add it to memory, each its own elements; plan epilogue = 0}}
    cta.atomic add relaxed device %t, %C[%z, %z] : !tile -> memref<?x?xf32>
  }
  tile.return
}

// -----

// expected-error@+1 {{plan: 'epilogue' is a multiple of 8, the columns of a fragment, or 0, got 4}}
tile.kernel @too_narrow() attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 4>, warpgroups = 1} {
  tile.return
}

// -----

// A store of a scalar has no columns: nothing to divide, nothing to refuse.
tile.kernel @scalar_result(%C: memref<?x?xf32>, %D: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1, plan = #cta.plan<epilogue = 64>} {
  %c0 = arith.constant 0 : index
  tile.grid (%i) = (0) to (64) step (64) {
    %z = arith.constant dense<0.0> : tensor<f32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>>
    cta.store %z, %D[%i] : tensor<f32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>> -> memref<?xf32>
  }
  tile.return
}
