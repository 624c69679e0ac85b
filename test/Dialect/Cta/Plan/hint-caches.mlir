// RUN: tile-opt %s -cta-hint-caches -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-hint-caches -cta-hint-caches -cta-verify | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#narrow = #cta.swizzle<64, dim = 1>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<planned>
!tile = !cta.smem<64x64xbf16, #sw>
!half = !cta.smem<64x32xbf16, #narrow>
!sum = tensor<64x64xf32, #acc>
!out = tensor<64x64xbf16, #acc>

// A residual and the result move once, operands many times: many blocks read them.
// CHECK-LABEL: tile.kernel @residual(
// CHECK: cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>}
// CHECK: cta.copy %B[{{.*}}] {mechanism = #cta.mechanism<tma>}
// CHECK: cta.copy %R[%i, %j] {cache = #tile.cache<stream>, mechanism = #cta.mechanism<tma>}
// CHECK: cta.copy_out %{{.*}}, %C[%i, %j] {cache = #tile.cache<stream>, mechanism = #cta.mechanism<tma>}
tile.kernel @residual(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %b, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    %s = cta.copy %R[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    %r = cta.read %s : !tile -> !out
    %wide = arith.extf %r : !out to !sum
    %t = arith.addf %acc, %wide : !sum
    %o = arith.truncf %t : !sum to !out
    %m = cta.stage %o : !out -> !tile
    cta.copy_out %m, %C[%i, %j] {mechanism = #tma} : !tile -> memref<?x?xbf16>
  }
  tile.return
}

// Subtiles of a tile are disjoint, and each is read once. Subtiles of 64 bytes of a cache line get no hint, because the second is read later. A hint in the IR stays.
// CHECK-LABEL: tile.kernel @parts(
// CHECK: cta.copy %R[%i, %j] {cache = #tile.cache<stream>,
// CHECK: cta.copy %R[%{{.*}}, %j] {cache = #tile.cache<stream>,
// CHECK: cta.copy %S[%i, %j] {mechanism
// CHECK: cta.copy %S[%i, %{{.*}}] {mechanism
// CHECK: cta.copy %T[%i, %j] {cache = #tile.cache<last>, mechanism
// CHECK: cta.copy_out %{{.*}}, %C[%i, %j] {cache = #tile.cache<no_alloc>, mechanism
tile.kernel @parts(%R: memref<?x?xbf16>, %S: memref<?x?xbf16>, %T: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %N: index)
    attributes {phase = #placed, warpgroups = 1} {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %r0 = cta.copy %R[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    %i1 = arith.addi %i, %c64 : index
    %r1 = cta.copy %R[%i1, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    %s0 = cta.copy %S[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !half
    %j1 = arith.addi %j, %c32 : index
    %s1 = cta.copy %S[%i, %j1] {mechanism = #tma} : memref<?x?xbf16> -> !half
    %t = cta.copy %T[%i, %j] {cache = #tile.cache<last>, mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.copy_out %t, %C[%i, %j] {cache = #tile.cache<no_alloc>, mechanism = #tma} : !tile -> memref<?x?xbf16>
  }
  tile.return
}

// Nothing: what a later grid reads (W), what may be the array that is read (C is A's alias), boxes that overlap those of the next block (H), a tile that every
// iteration reads again (Q), cp.async.
// CHECK-LABEL: tile.kernel @not(
// CHECK-NOT: stream
// CHECK: tile.return
tile.kernel @not(%A: memref<?x?xbf16> {tile.alias = "x"}, %C: memref<?x?xbf16> {tile.alias = "x"}, %H: memref<?x?xbf16>, %Q: memref<?x?xbf16>, %P: memref<?x?xbf16>, %M: index, %N: index)
    attributes {phase = #placed, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %W = memref.alloc(%M, %N) : memref<?x?xbf16>
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %a = cta.copy %A[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.copy_out %a, %W[%i, %j] {mechanism = #tma} : !tile -> memref<?x?xbf16>
  }
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %w = cta.copy %W[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    %a = cta.copy %A[%j, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.copy_out %w, %C[%i, %j] {mechanism = #tma} : !tile -> memref<?x?xbf16>
  }
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (32, 64) {
    %h = cta.copy %H[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    scf.for %k = %c0 to %N step %c64 {
      %q = cta.copy %Q[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    }
    %p = cta.copy %P[%i, %j] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !tile
  }
  tile.return
}

// A loop whose iterations read different boxes.
// CHECK-LABEL: tile.kernel @loop(
// CHECK: cta.copy %A[%i, %{{.*}}] {cache = #tile.cache<stream>,
tile.kernel @loop(%A: memref<?x?xbf16>, %M: index, %N: index) attributes {phase = #placed, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i) = (0) to (%M) step (64) {
    scf.for %k = %c0 to %N step %c64 {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    }
  }
  tile.return
}

// What adds to an array reads that array, and no other. So the store beside it moves once; the sums of other blocks read what was added here.
// CHECK-LABEL: tile.kernel @sum(
// CHECK: cta.copy_out %{{.*}}, %C[%i, %j] {cache = #tile.cache<stream>, mechanism
// CHECK: cta.copy_out %{{.*}}, %D[%i, %j] {mechanism = #cta.mechanism<tma>, reduce
// A store of the array to which something is added has no hint, nor has that of one that may be the same.
// CHECK: cta.copy_out %{{.*}}, %D[%j, %i] {mechanism
// CHECK: cta.copy_out %{{.*}}, %E[%i, %j] {mechanism
tile.kernel @sum(%C: memref<?x?xbf16>, %D: memref<?x?xbf16> {tile.alias = "d"}, %E: memref<?x?xbf16> {tile.alias = "d"}, %n: index) attributes {phase = #placed, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (64, 64) {
    %v = arith.constant dense<1.0> : !out
    %s = cta.stage %v : !out -> !tile
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !tile -> memref<?x?xbf16>
    cta.copy_out %s, %D[%i, %j] {mechanism = #tma, reduce = #tile.atomic_kind<add>} : !tile -> memref<?x?xbf16>
    cta.copy_out %s, %D[%j, %i] {mechanism = #tma} : !tile -> memref<?x?xbf16>
    cta.copy_out %s, %E[%i, %j] {mechanism = #tma} : !tile -> memref<?x?xbf16>
  }
  tile.return
}
