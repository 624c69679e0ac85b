// RUN: tile-opt %s --cta-serialize-trace="sizes=N=100,Z.0=16" | FileCheck %s
// RUN: sed -e 's/bytes = 32768/bytes = 32767/' %S/Inputs/gemm-ring.mlir | not tile-opt - --cta-serialize-trace="sizes=M=100,N=100,K=64" 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not tile-opt %S/simulate.mlir --cta-serialize-trace 2>&1 | FileCheck %s --check-prefix=DATA
// BAD: error: deadlock: nothing in the block can go on
// DATA: error: 'scf.for' op hangs on data: its trace would be that of other data

#lin = #cta.swizzle<linear>
#l = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
!tile = !cta.smem<64xf32, #lin>
!t = tensor<64xf32, #l>

// Two blocks, one after the other; slot 0 is what was copied into it; scalars that depend on data or on arguments stay ops.
// CHECK-LABEL: tile.kernel @k(
// CHECK-SAME: phase = #tile.phase<placed>
// CHECK: %[[N:.*]] = memref.dim %X, %{{.*}}
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[N]], %{{.*}}
// CHECK: tile.assume %[[SAME]], "the trace is of a size 100 of X in dimension 0" : i1
// CHECK: tile.grid () = () to () step () {
// CHECK: %[[AT:.*]] = arith.constant 0 : index
// CHECK: %[[A:.*]] = cta.copy %X[%[[AT]]] {mechanism = #cta.mechanism<tma>} : memref<?xf32> -> !cta.smem<64xf32, #cta.swizzle<linear>>
// CHECK-NOT: cta.await
// CHECK: %[[R:.*]] = cta.read %[[A]]
// CHECK: %[[F:.*]] = memref.load %X[
// CHECK: %[[G:.*]] = arith.mulf %[[F]], %scale : f32
// CHECK: %[[B:.*]] = cta.broadcast %[[G]]
// CHECK: arith.addf %[[R]], %[[B]]
// CHECK: cta.store
// CHECK: %[[AT:.*]] = arith.constant 64 : index
// CHECK: %[[A:.*]] = cta.copy %X[%[[AT]]]
// CHECK: cta.read %[[A]]
// CHECK-NOT: cta.copy
// CHECK: tile.return
tile.kernel @k(%X: memref<?xf32> {tile.shape = ["N"]}, %scale: f32, %Y: memref<?xf32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %n = tile.dim "N" : index
  %c64 = arith.constant 64 : index
  %blocks = arith.ceildivsi %n, %c64 : index
  cta.launch @k_0 blocks(%blocks) attributes {threads = 160, shared = 272, mbarriers = array<i64: 1, 4>} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !tile>
    %id = cta.block_id : index
    %i = arith.muli %id, %c64 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    cta.role @math warps(4) {
      cta.await 0[%i0] parity %i0
      %s = cta.slot %r[%i0] : !cta.ring<1, !tile>
      %v = cta.read %s : !tile -> !t
      cta.arrive 1[%i0] per_warp
      %f = memref.load %X[%i] : memref<?xf32>
      %g = arith.mulf %f, %scale : f32
      %b = cta.broadcast %g dims = [] : f32 -> !t
      %w = arith.addf %v, %b : !t
      cta.store %w, %Y[%i] : !t -> memref<?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        cta.await 1[%i0] parity %i1
        cta.expect 0[%i0] bytes = 256
        %s = cta.slot %r[%i0] : !cta.ring<1, !tile>
        %x = cta.copy %X[%i] into %s[%i0] {mechanism = #cta.mechanism<tma>, mbarrier = 0} : memref<?xf32> -> !tile
      }
    }
  }
  tile.return
}

#l2 = #cta.frag<splat, rank = 2, warps = 4, wg = 1>
!tile2 = !cta.smem<16x64xf32, #lin>
!t2 = tensor<16x64xf32, #l2>

// A tile that the blocks of a cluster fetch together: each block's copy is one of the whole tile, and what a block reads is the copy of the next
// block, which is the same if the protocol is right.
// CHECK-LABEL: tile.kernel @cluster(
// CHECK:       tile.grid () = () to () step () {
// CHECK:       %[[A:.*]] = cta.copy %Z[%{{.*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK:       %[[B:.*]] = cta.copy %Z[%{{.*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK:       %[[R:.*]] = cta.read %[[B]]
// CHECK:       cta.store %[[R]], %Y
// CHECK:       %[[R:.*]] = cta.read %[[A]]
// CHECK:       cta.store %[[R]], %Y
// CHECK-NOT:   cta.copy
// CHECK-NOT:   cta.read
// CHECK:       tile.return
tile.kernel @cluster(%Z: memref<?x64xf32>, %Y: memref<32x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %two = arith.constant 2 : index
  cta.launch @cluster_0 blocks(%two) attributes {cluster = 2, threads = 160, shared = 4112, mbarriers = array<i64: 1, 8>} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !tile2>
    %id = cta.block_id : index
    %row = arith.muli %id, %c16 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    cta.role @math warps(4) {
      cta.await 0[%i0] parity %i0
      %s = cta.slot %r[%i0] : !cta.ring<1, !tile2>
      %v = cta.read %s : !tile2 -> !t2
      cta.arrive 1[%i0] per_warp {cluster = 2}
      cta.store %v, %Y[%row, %c0] : !t2 -> memref<32x64xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        cta.await 1[%i0] parity %i1
        cta.expect 0[%i0] bytes = 4096
        %s = cta.slot %r[%i0] : !cta.ring<1, !tile2>
        %x = cta.copy %Z[%c0, %c0] into %s[%i0] {mechanism = #cta.mechanism<tma>, mbarrier = 0, multicast = 2} : memref<?x64xf32> -> !tile2
      }
    }
  }
  tile.return
}

// A function that nobody folds is an op of the trace, also where its operands are constants.
// CHECK-LABEL: tile.kernel @function_of_constants(
// CHECK:       %[[C:.*]] = arith.constant 2.5{{.*}} : f32
// CHECK:       %[[F:.*]] = math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:       %[[G:.*]] = arith.truncf %[[F]] : f32 to f16
// CHECK:       cta.broadcast %[[G]]
// CHECK:       tile.return
tile.kernel @function_of_constants(%Y: memref<64xf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  cta.launch @function_of_constants_0 blocks(%one) attributes {threads = 128} {
    %x = arith.constant 2.5 : f32
    %f = math.fma %x, %x, %x : f32
    %g = arith.truncf %f : f32 to f16
    %b = cta.broadcast %g dims = [] : f16 -> tensor<64xf16, #l>
    cta.store %b, %Y[%c0] : tensor<64xf16, #l> -> memref<64xf16>
  }
  tile.return
}
