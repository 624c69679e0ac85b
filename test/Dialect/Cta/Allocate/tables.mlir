// RUN: tile-opt %s -cta-allocate-shared -cta-insert-barriers -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-allocate-shared -cta-insert-barriers -cta-insert-barriers | FileCheck %s

// Private tables: where they lie, and what orders clearing, steps and adding.

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#other = #cta.frag<regs = [[128], [256]], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
#lin = #cta.swizzle<linear>
!table = !cta.smem<512xi32, #lin>
!floats = !cta.smem<512xf32, #lin>

// One barrier after the clearing of all tables and one before the adding of all; none in the loop, where the steps of all threads commute. Tables live in the
// whole launch, so that nothing lies where they do.
// CHECK-LABEL: tile.kernel @counts(
// CHECK: cta.launch {{.*}}shared = 6144
// CHECK: %[[T:.*]] = cta.table add %H dims = [0] {offset = [[AT:[0-9]+]] : i64}
// CHECK-NEXT: %[[G:.*]] = cta.table add %G dims = [0] {offset = [[OTHER:[0-9]+]] : i64}
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: cta.barrier
// CHECK: cta.atomic add {{.*}} into %[[T]]
// CHECK-NOT: cta.barrier
// CHECK: cta.atomic add {{.*}} into %[[G]]
// CHECK-NOT: cta.barrier
// CHECK: }
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.flush %[[T]], %H[]
// CHECK-NEXT: cta.flush %[[G]], %G[]
tile.kernel @counts(%X: memref<?xi32>, %H: memref<512xi32>, %G: memref<?xi32>, %N: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  cta.launch @counts_0 blocks() {
    %t = cta.table add %H dims = [0] : memref<512xi32> -> !table
    %g = cta.table add %G dims = [0] : memref<?xi32> -> !cta.smem<1024xi32, #lin>
    scf.for %i = %c0 to %N step %c512 {
      %x = cta.load %X[%i] : memref<?xi32> -> tensor<512xi32, #l>
      cta.atomic add %x, %H[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
      cta.atomic add %x, %G[%x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?xi32> into %g : !cta.smem<1024xi32, #lin>
    }
    cta.flush %t, %H[] : !table -> memref<512xi32>
    cta.flush %g, %G[] : !cta.smem<1024xi32, #lin> -> memref<?xi32>
  }
  tile.return
}

// A table of an iteration: what the one before read is cleared, so that a barrier comes between them.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: scf.for
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: %[[T:.*]] = cta.table
// CHECK-NEXT: %{{.*}} = cta.load
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.atomic
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.flush
tile.kernel @rows(%X: memref<?x?xi32>, %H: memref<?x512xi32>, %R: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @rows_0 blocks() {
    scf.for %r = %c0 to %R step %c1 {
      %t = cta.table add %H dims = [1] : memref<?x512xi32> -> !table
      %x = cta.load %X[%r, %c0] : memref<?x?xi32> -> tensor<512xi32, #l>
      cta.atomic add %x, %H[%r, %x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?x512xi32> into %t : !table
      cta.flush %t, %H[%r] : !table -> memref<?x512xi32>
    }
  }
  tile.return
}

// A box of floats, which threads load and store. The same box of the same layout always has the same owners: no barrier in the loop.
// CHECK-LABEL: tile.kernel @same_box(
// CHECK: scf.for
// CHECK-NOT: cta.barrier
// CHECK: }
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.flush
tile.kernel @same_box(%X: memref<?xf32>, %H: memref<512xf32>, %N: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  cta.launch @same_box_0 blocks() {
    %t = cta.table add %H dims = [0] : memref<512xf32> -> !floats
    scf.for %i = %c0 to %N step %c512 {
      %x = cta.load %X[%i] : memref<?xf32> -> tensor<512xf32, #l>
      cta.atomic add %x, %H[%c0] : tensor<512xf32, #l> -> memref<512xf32> into %t : !floats
    }
    cta.flush %t, %H[] : !floats -> memref<512xf32>
  }
  tile.return
}

// A box that moves, and two boxes of which threads own other elements: runs are ordered.
// CHECK-LABEL: tile.kernel @moving_box(
// CHECK: scf.for
// CHECK: cta.barrier
// CHECK: cta.atomic
// CHECK: }
// CHECK: cta.barrier
// CHECK-NEXT: cta.flush
tile.kernel @moving_box(%X: memref<?xf32>, %H: memref<512xf32>, %N: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  cta.launch @moving_box_0 blocks() {
    %t = cta.table add %H dims = [0] : memref<512xf32> -> !floats
    scf.for %i = %c0 to %N step %c512 {
      %x = cta.load %X[%i] : memref<?xf32> -> tensor<512xf32, #l>
      cta.atomic add %x, %H[%i] : tensor<512xf32, #l> -> memref<512xf32> into %t : !floats
    }
    cta.flush %t, %H[] : !floats -> memref<512xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @other_owners(
// CHECK: cta.table
// CHECK: cta.barrier
// CHECK-NEXT: cta.atomic
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.atomic
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.flush
tile.kernel @other_owners(%X: memref<?xf32>, %H: memref<512xf32>, %N: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @other_owners_0 blocks() {
    %x = cta.load %X[%c0] : memref<?xf32> -> tensor<512xf32, #l>
    %y = cta.load %X[%c0] : memref<?xf32> -> tensor<512xf32, #other>
    %t = cta.table add %H dims = [0] : memref<512xf32> -> !floats
    cta.atomic add %x, %H[%c0] : tensor<512xf32, #l> -> memref<512xf32> into %t : !floats
    cta.atomic add %y, %H[%c0] : tensor<512xf32, #other> -> memref<512xf32> into %t : !floats
    cta.flush %t, %H[] : !floats -> memref<512xf32>
  }
  tile.return
}

// Boxes of i32 are steps of shared memory, which commute wherever they are.
// CHECK-LABEL: tile.kernel @box_of_integers(
// CHECK: scf.for
// CHECK-NOT: cta.barrier
// CHECK: }
// CHECK-NEXT: cta.barrier
tile.kernel @box_of_integers(%X: memref<?xi32>, %H: memref<512xi32>, %N: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  cta.launch @box_of_integers_0 blocks() {
    %t = cta.table add %H dims = [0] : memref<512xi32> -> !table
    scf.for %i = %c0 to %N step %c512 {
      %x = cta.load %X[%i] : memref<?xi32> -> tensor<512xi32, #l>
      cta.atomic add %x, %H[%i] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
    }
    cta.flush %t, %H[] : !table -> memref<512xi32>
  }
  tile.return
}

// Another shared tile does not lie where the table does while it lives.
// CHECK-LABEL: tile.kernel @neighbours(
// CHECK: cta.launch {{.*}}shared = 4096
// CHECK: %[[T:.*]] = cta.table {{.*}} {offset = [[AT:[0-9]+]] : i64}
// CHECK: cta.stage %{{.*}} {offset = [[STAGED:[0-9]+]] : i64}
// CHECK: cta.flush
tile.kernel @neighbours(%X: memref<?xi32>, %H: memref<512xi32>, %N: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @neighbours_0 blocks() {
    %t = cta.table add %H dims = [0] : memref<512xi32> -> !table
    %x = cta.load %X[%c0] : memref<?xi32> -> tensor<512xi32, #other>
    %s = cta.stage %x : tensor<512xi32, #other> -> !table
    %y = cta.read %s : !table -> tensor<512xi32, #l>
    cta.atomic add %y, %H[%y : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<512xi32> into %t : !table
    cta.flush %t, %H[] : !table -> memref<512xi32>
  }
  tile.return
}
