// RUN: tile-opt %s -cta-lower-grid | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid -canonicalize -cse -cta-verify -o %t

// Private tables: the launch is persistent whatever the plan says, the table is made before the loop over output tiles and added after it. Tables of an
// output tile stay in the loop.

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#lin = #cta.swizzle<linear>
!table = !cta.smem<512xi32, #lin>

// CHECK-LABEL: tile.kernel @counts(
// CHECK: %[[CORES:.*]] = tile.num_cores
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[RESIDENT:.*]] = arith.muli %[[CORES]], %[[FOUR]]
// CHECK: %[[CTAS:.*]] = arith.minsi %{{.*}}, %[[RESIDENT]]
// CHECK: cta.launch @counts_0 blocks(%[[CTAS]]) attributes {{{.*}}cta.unplanned{{.*}}min_blocks = 4
// CHECK: %[[T:.*]] = cta.table add %H dims = [0] copies = %c
// CHECK: %[[M:.*]] = cta.table max %M dims = [1]
// CHECK-NEXT: cta.for_output_tiles
// CHECK-NOT: cta.table
// CHECK: cta.atomic add {{.*}} into %[[T]]
// CHECK: cta.atomic max {{.*}} into %[[M]]
// CHECK-NOT: cta.flush
// CHECK: }
// CHECK-DAG: cta.flush %[[T]], %H[]
// CHECK-DAG: cta.flush %[[M]], %M[%row]
// CHECK: }
// CHECK-NEXT: tile.return
tile.kernel @counts(%X: memref<?xi32> {tile.shape = ["N"]}, %H: memref<?xi32>, %M: memref<?x512xi32>, %row: index, %c: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 1, persistent = 0, cluster = 2>} {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (512) attributes {cta.persistent = 4} {
    %t = cta.table add %H dims = [0] copies = %c : memref<?xi32> -> !table
    %m = cta.table max %M dims = [1] : memref<?x512xi32> -> !table
    %x = cta.load %X[%i] : memref<?xi32> -> tensor<512xi32, #l>
    cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?xi32> into %t : !table
    cta.atomic max %x, %M[%row, %x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?x512xi32> into %m : !table
    cta.flush %t, %H[] : !table -> memref<?xi32>
    cta.flush %m, %M[%row] : !table -> memref<?x512xi32>
  }
  tile.return
}

// Rows of the block, and of a loop.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: cta.launch @rows_0 blocks(%{{.*}}, %{{.*}}){{.*}} {
// CHECK-NOT: cta.for_output_tiles
// CHECK: cta.table add %M dims = [1]
// CHECK: cta.flush %{{.*}}, %M[%{{.*}}]
tile.kernel @rows(%X: memref<?x?xi32> {tile.shape = ["R", "N"]}, %M: memref<?x512xi32>)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 1>} {
  %R = tile.dim "R" : index
  %N = tile.dim "N" : index
  tile.grid (%r, %i) = (0, 0) to (%R, %N) step (1, 512) {
    %m = cta.table add %M dims = [1] : memref<?x512xi32> -> !table
    %x = cta.load %X[%r, %i] : memref<?x?xi32> -> tensor<512xi32, #l>
    cta.atomic add %x, %M[%r, %x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?x512xi32> into %m : !table
    cta.flush %m, %M[%r] : !table -> memref<?x512xi32>
  }
  tile.return
}

// Both kinds in one grid.
// CHECK-LABEL: tile.kernel @both(
// CHECK: %[[T:.*]] = cta.table add %H
// CHECK-NEXT: cta.for_output_tiles
// CHECK: %[[M:.*]] = cta.table add %M
// CHECK: cta.flush %[[M]], %M[%{{.*}}]
// CHECK: }
// CHECK-NEXT: cta.flush %[[T]], %H[]
tile.kernel @both(%X: memref<?x?xi32> {tile.shape = ["R", "N"]}, %H: memref<512xi32>, %M: memref<?x512xi32>)
    attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %R = tile.dim "R" : index
  %N = tile.dim "N" : index
  tile.grid (%r, %i) = (0, 0) to (%R, %N) step (1, 512) attributes {cta.persistent = 2} {
    %t = cta.table add %H dims = [0] : memref<512xi32> -> !table
    %m = cta.table add %M dims = [1] : memref<?x512xi32> -> !table
    %x = cta.load %X[%r, %i] : memref<?x?xi32> -> tensor<512xi32, #l>
    cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
    cta.atomic add %x, %M[%r, %x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?x512xi32> into %m : !table
    cta.flush %m, %M[%r] : !table -> memref<?x512xi32>
    cta.flush %t, %H[] : !table -> memref<512xi32>
  }
  tile.return
}

// A grid without dimensions has one output tile.
// CHECK-LABEL: tile.kernel @single(
// CHECK: cta.launch @single_0 blocks()
// CHECK-NOT: cta.for_output_tiles
// CHECK: cta.table
// CHECK: cta.flush
tile.kernel @single(%X: memref<512xi32>, %H: memref<512xi32>) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  tile.grid () = () to () step () attributes {cta.persistent = 4} {
    %c0 = arith.constant 0 : index
    %t = cta.table add %H dims = [0] : memref<512xi32> -> !table
    %x = cta.load %X[%c0] : memref<512xi32> -> tensor<512xi32, #l>
    cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
    cta.flush %t, %H[] : !table -> memref<512xi32>
  }
  tile.return
}
