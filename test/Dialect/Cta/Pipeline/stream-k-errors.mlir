// RUN: tile-opt %s -split-input-file -verify-diagnostics -cta-lower-grid -cta-stream-k

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @not_persistent(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  // expected-error @below {{stream_k divides the output tiles of the last wave of a persistent launch, but this launch has no loop over output tiles; plan persistent = 1}}
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @scaled(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    // expected-error @below {{stands in the way of stream_k: result 0 of the main loop is not just a sum, so that blocks cannot each compute a part of it; plan stream_k = 0}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %t = arith.addf %c, %c : !acc
      %d = cta.wgmma %a, %b, %t : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @start(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %two = arith.constant dense<2.0> : !acc
    // expected-error @below {{its accumulators must begin with 0, because each share of an output tile's iterations does; add the other values after the loop, or plan stream_k = 0}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %two) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @triangle(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    // expected-error @below {{the number of its iterations is computed inside the grid; all output tiles must have as many, so compute it before the grid}}
    %acc = scf.for %k = %c0 to %i step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @stores(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    // expected-error @below {{it stores, and blocks that share its iterations would store incomplete results; plan stream_k = 0}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %one = arith.constant 1.0 : f32
      memref.store %one, %C[%i, %k] : memref<?x?xf32>
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @before(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %one = arith.constant 1.0 : f32
    // expected-error @below {{it stores before the main loop, which several blocks would do; plan stream_k = 0}}
    memref.store %one, %C[%i, %j] : memref<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @two_loops(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    // expected-note @below {{the first}}
    %first = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    // expected-error @below {{an output tile has more than one loop with matrix products}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      scf.yield %d : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

tile.kernel @no_loop(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %a = cta.copy %A[%i, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    // expected-error @below {{it has matrix products, but is no loop whose iterations blocks could share; plan stream_k = 0}}
    %acc = cta.wgmma %a, %b, %zero : !a, !b -> !acc
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

// expected-error @below {{has a plan with stream_k together with replicate = blocks, which gives each warpgroup output tiles of its own: plan one of them}}
tile.kernel @replicas() attributes {phase = #tile.phase<planned>, plan = #cta.plan<replicate = blocks, warpgroups = 2, stream_k = 4>, warpgroups = 1} {
  tile.return
}

// -----

// expected-remark @below {{stream_k cuts loops over products of the tensor cores, and there is none here}}
tile.kernel @none(%x: memref<?xf32>, %n: index) attributes {phase = #tile.phase<planned>, plan = #cta.plan<persistent = 1, stream_k = 4>, warpgroups = 1} {
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (128) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// The sum is scaled, not what is added to it: a weighted sum in which earlier iterations count less cannot be cut.
tile.kernel @decays(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %half = arith.constant dense<0.5> : !acc
    // expected-error @below {{stands in the way of stream_k: result 0 of the main loop is not just a sum, so that blocks cannot each compute a part of it; plan stream_k = 0}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %zero : !a, !b -> !acc
      %e = math.fma %c, %half, %d : !acc
      scf.yield %e : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// With the sum on the right each iteration changes its sign.
tile.kernel @subtracts(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %half = arith.constant dense<0.5> : !acc
    // expected-error @below {{stands in the way of stream_k: result 0 of the main loop is not just a sum, so that blocks cannot each compute a part of it; plan stream_k = 0}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %zero : !a, !b -> !acc
      %e = arith.subf %d, %c : !acc
      scf.yield %e : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// Additions of f32 by threads that may not be reassociated.
tile.kernel @ordered(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1, reassoc = #tile.switch<off>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %half = arith.constant dense<0.5> : !acc
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %zero : !a, !b -> !acc
      // expected-error @below {{stands in the way of stream_k: additions may not be reassociated (reassoc = off); plan stream_k = 0}}
      %e = arith.addf %c, %d : !acc
      scf.yield %e : !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// The sum of all sums so far: a part does not know what came before it.
tile.kernel @prefixes(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %D: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %acc, %all = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %p = %zero) -> (!acc, !acc) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      // expected-error @below {{stands in the way of stream_k: result 0 of the main loop is not just a sum, so that blocks cannot each compute a part of it; plan stream_k = 0}}
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      %e = arith.addf %p, %d : !acc
      scf.yield %d, %e : !acc, !acc
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
    cta.store %all, %D[%i, %j] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#placed = #tile.phase<planned>
#acc = #cta.frag<wgmma_acc, wg = 1>
#row = #cta.frag<regs = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = [[0], [0]], wg = 1>
!row = tensor<64xf32, #row>
!acc = tensor<64x128xf32, #acc>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>

// Numbers that several threads hold.
tile.kernel @replicated(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %D: memref<?xf32>)
    attributes {phase = #placed, plan = #cta.plan<stages = 3, persistent = 1, stream_k = 4>, warpgroups = 1} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %none = arith.constant dense<0.0> : !row
    %one = arith.constant dense<1.0> : !row
    // expected-error @below {{stands in the way of stream_k: result 1 of the main loop is a sum of which threads hold elements several times, so that they would hand them on several times; plan stream_k = 0}}
    %acc, %rows = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %r = %none) -> (!acc, !row) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !acc
      %s = arith.addf %r, %one : !row
      scf.yield %d, %s : !acc, !row
    }
    cta.store %acc, %C[%i, %j] : !acc -> memref<?x?xf32>
    cta.store %rows, %D[%i] : !row -> memref<?xf32>
  }
  tile.return
}
