// RUN: tile-opt %s -cta-split-epilogue | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue -cta-split-epilogue | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue -cta-verify -convert-cta-to-tile | FileCheck %s --check-prefix=ERASED
// RUN: tile-opt %s -cta-split-epilogue -cta-plan=derive=false -cta-lower-grid -cta-verify | FileCheck %s --check-prefix=LOWERED
// Epilogues that add their result to memory by TMA (cta.copy_out with reduce) are split as those that store it are. What their plans make of the whole
// pipeline: test/Pipelines/persistent-sums.mlir.

#acc = #cta.frag<wgmma_acc, wg = 2>
#row = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 2>
#tma = #cta.mechanism<tma>
#add = #tile.atomic_kind<add>
#placed = #tile.phase<placed>
#parts = #cta.plan<epilogue = 32>
!sum = tensor<128x64xf32, #acc>
!smem = !cta.smem<128x64xf32, #cta.swizzle<128, dim = 1>>

// Each subtile has a shared tile and a sum of its own, by the same threads as before. Each column is added once.
// CHECK-LABEL: tile.kernel @sums(
// CHECK: %[[ACC:.*]] = scf.for
// CHECK: %[[A0:.*]] = cta.slice %[[ACC]] offsets = [0, 0] : tensor<128x64xf32, #wgmma_acc> -> tensor<128x32xf32, #wgmma_acc>
// CHECK: arith.mulf %[[A0]]
// CHECK: %[[S0:.*]] = cta.stage {{.*}} -> <128x32xf32, #cta.swizzle<128, dim = 1>>
// CHECK: cta.copy_out %[[S0]], %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup, reduce = #tile.atomic_kind<add>}
// CHECK: %[[A1:.*]] = cta.slice %[[ACC]] offsets = [0, 32]
// CHECK: arith.mulf %[[A1]]
// CHECK: %[[S1:.*]] = cta.stage {{.*}} -> <128x32xf32, #cta.swizzle<128, dim = 1>>
// CHECK: %[[J1:.*]] = arith.addi %j, %c32
// CHECK: cta.copy_out %[[S1]], %C[%i, %[[J1]]] {mechanism = #cta.mechanism<tma>, per_warpgroup, reduce = #tile.atomic_kind<add>}
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
// ERASED-LABEL: tile.kernel @sums(
// ERASED: tile.atomic add %{{.*}}, %C[%i, %j] : tensor<128x32xf32> -> memref<?x?xf32>
// ERASED: %[[J1:.*]] = arith.addi %j, %c32
// ERASED: tile.atomic add %{{.*}}, %C[%i, %[[J1]]] : tensor<128x32xf32> -> memref<?x?xf32>
// ERASED-NOT: tile.atomic
// ERASED-NOT: tile.store
// ERASED: tile.return
// In a persistent launch they stand in the loop over output tiles, at the coordinates of each.
// LOWERED-LABEL: tile.kernel @sums(
// LOWERED: cta.for_output_tiles
// LOWERED: %[[I:.*]] = arith.muli %{{.*}}, %c128
// LOWERED: %[[J:.*]] = arith.muli %{{.*}}, %c64
// LOWERED: cta.copy_out %{{.*}}, %C[%[[I]], %[[J]]] {mechanism = #cta.mechanism<tma>, per_warpgroup, reduce = #tile.atomic_kind<add>}
// LOWERED: %[[J1:.*]] = arith.addi %[[J]], %c32
// LOWERED: cta.copy_out %{{.*}}, %C[%[[I]], %[[J1]]] {mechanism = #cta.mechanism<tma>, per_warpgroup, reduce = #tile.atomic_kind<add>}
// LOWERED-NOT: cta.copy_out
// LOWERED: tile.return
tile.kernel @sums(%bias: memref<?xf32>, %C: memref<?x?xf32>, %x: memref<?x?xf32>, %n: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1, epilogue = 32>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (128, 64) {
    %acc = cta.load %x[%i, %j] : memref<?x?xf32> -> !sum
    %sum = scf.for %k = %i to %n step %n iter_args(%s = %acc) -> (!sum) {
      %t = arith.addf %s, %s : !sum
      scf.yield %t : !sum
    }
    %b = cta.load %bias[%j] : memref<?xf32> -> tensor<64xf32, #row>
    %bb = cta.broadcast %b dims = [1] : tensor<64xf32, #row> -> !sum
    %v = arith.mulf %sum, %bb : !sum
    %s = cta.stage %v : !sum -> !smem
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma, per_warpgroup, reduce = #add} : !smem -> memref<?x?xf32>
  }
  tile.return
}

// The columns of a transposed tile are rows in memory, and the last subtile may be narrower. Types stay as they are.
// CHECK-LABEL: tile.kernel @transposed(
// CHECK: cta.copy_out %{{.*}}, %C[%m, %i] dims = [1, 0] {{.*}}reduce = #tile.atomic_kind<add>} : !cta.smem<128x32xf32, #cta.swizzle<128, dim = 0>>
// CHECK: %[[I1:.*]] = arith.addi %m, %c32
// CHECK: cta.copy_out %{{.*}}, %C[%[[I1]], %i] dims = [1, 0] {{.*}}reduce = #tile.atomic_kind<add>} : !cta.smem<128x16xf32, #cta.swizzle<128, dim = 0>>
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @transposed(%C: memref<?x?xf32>, %x: memref<?x?xf32>, %m: index, %n: index) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid (%i) = (0) to (%n) step (128) {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%i, %z] : memref<?x?xf32> -> tensor<128x48xf32, #acc>
    %s = cta.stage %acc : tensor<128x48xf32, #acc> -> !cta.smem<128x48xf32, #cta.swizzle<128, dim = 0>>
    cta.copy_out %s, %C[%m, %i] dims = [1, 0] {mechanism = #tma, reduce = #add} : !cta.smem<128x48xf32, #cta.swizzle<128, dim = 0>> -> memref<?x?xf32>
  }
  tile.return
}

// A store, and a sum over the same array: all columns are stored before the first one is added, because the boxes may overlap.
// CHECK-LABEL: tile.kernel @over_a_store(
// CHECK-COUNT-2: cta.copy_out %{{.*}}, %C{{.*}} {mechanism = #cta.mechanism<tma>, per_warpgroup}
// CHECK-COUNT-2: cta.copy_out %{{.*}}, %C{{.*}} {mechanism = #cta.mechanism<tma>, per_warpgroup, reduce = #tile.atomic_kind<add>}
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @over_a_store(%C: memref<?x?xf32>, %x: memref<?x?xf32>, %y: index) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %s = cta.stage %acc : !sum -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #tma, per_warpgroup} : !smem -> memref<?x?xf32>
    %w = arith.negf %acc : !sum
    %u = cta.stage %w : !sum -> !smem
    cta.copy_out %u, %C[%z, %y] {mechanism = #tma, per_warpgroup, reduce = #add} : !smem -> memref<?x?xf32>
  }
  tile.return
}

// The epilogue reads what it adds to: before the first sum, as a whole, and not again for each subtile, when other columns have been added already. What
// it reads behind the sums it reads behind all of them.
// CHECK-LABEL: tile.kernel @reads_it(
// CHECK: %[[C:.*]] = cta.load %C[{{.*}} -> tensor<128x64xf32
// CHECK-NOT: cta.load %C
// CHECK: cta.slice %[[C]] offsets = [0, 0]
// CHECK: cta.copy_out {{.*}}reduce
// CHECK: cta.slice %[[C]] offsets = [0, 32]
// CHECK: cta.copy_out {{.*}}reduce
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
// CHECK-LABEL: tile.kernel @reads_it_later(
// CHECK-NOT: cta.load %C
// CHECK-COUNT-2: cta.copy_out %{{.*}}, %C{{.*}}reduce
// CHECK: cta.load %C
// CHECK-NOT: %C
// CHECK: cta.copy_out %{{.*}}, %D{{.*}}reduce
tile.kernel @reads_it(%C: memref<?x?xf32>, %x: memref<?x?xf32>) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %c = cta.load %C[%z, %z] : memref<?x?xf32> -> !sum
    %w = arith.mulf %acc, %c : !sum
    %u = cta.stage %w : !sum -> !smem
    cta.copy_out %u, %C[%z, %z] {mechanism = #tma, per_warpgroup, reduce = #add} : !smem -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @reads_it_later(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %x: memref<?x?xf32>) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %s = cta.stage %acc : !sum -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #tma, per_warpgroup, reduce = #add} : !smem -> memref<?x?xf32>
    %c = cta.load %C[%z, %z] : memref<?x?xf32> -> tensor<128x32xf32, #acc>
    %u = cta.stage %c : tensor<128x32xf32, #acc> -> !cta.smem<128x32xf32, #cta.swizzle<128, dim = 1>>
    cta.copy_out %u, %D[%z, %z] {mechanism = #tma, per_warpgroup, reduce = #add} : !cta.smem<128x32xf32, #cta.swizzle<128, dim = 1>> -> memref<?x?xf32>
  }
  tile.return
}

// A sum and a store of another array are split together: what both need is computed once for each subtile.
// CHECK-LABEL: tile.kernel @sum_and_store(
// CHECK: %[[X0:.*]] = math.exp {{.*}} : tensor<128x32xf32
// CHECK: cta.copy_out %{{.*}}, %C[%i, %j] {{.*}}reduce
// CHECK: arith.negf %[[X0]]
// CHECK: cta.copy_out %{{.*}}, %D[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup}
// CHECK: %[[X1:.*]] = math.exp {{.*}} : tensor<128x32xf32
// CHECK: cta.copy_out %{{.*}}, %C[%i, %{{.*}}] {{.*}}reduce
// CHECK: arith.negf %[[X1]]
// CHECK: cta.copy_out %{{.*}}, %D[%i, %{{.*}}] {mechanism = #cta.mechanism<tma>, per_warpgroup}
// CHECK-NOT: math.exp
// CHECK: tile.return
tile.kernel @sum_and_store(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %x: memref<?x?xf32>, %n: index) attributes {phase = #placed, plan = #parts, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (128, 64) {
    %t = cta.load %x[%i, %j] : memref<?x?xf32> -> !sum
    %v = math.exp %t : !sum
    %s = cta.stage %v : !sum -> !smem
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma, per_warpgroup, reduce = #add} : !smem -> memref<?x?xf32>
    %w = arith.negf %v : !sum
    %r = cta.stage %w : !sum -> !smem
    cta.copy_out %r, %D[%i, %j] {mechanism = #tma, per_warpgroup} : !smem -> memref<?x?xf32>
  }
  tile.return
}
