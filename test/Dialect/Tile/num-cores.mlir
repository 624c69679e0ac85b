// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -tile-verify | FileCheck %s

// In the body of the kernel, where the launcher evaluates it, and in grids.
// CHECK-LABEL: tile.kernel @cores
tile.kernel @cores(%x: memref<?xindex>) {
  // CHECK: %[[N:.*]] = tile.num_cores : index
  %n = tile.num_cores : index
  %two = arith.constant 2 : index
  %many = arith.muli %n, %two : index
  %some = arith.cmpi sge, %many, %two : index
  tile.assume %some, "a device has a core" : i1
  %w = memref.alloc(%many) : memref<?xf32>
  // CHECK: tile.grid (%{{.*}}) = (0) to (%{{.*}}) step (1)
  tile.grid (%i) = (0) to (%many) step (1) {
    // CHECK: tile.num_cores {note} : index
    %m = tile.num_cores {note} : index
    memref.store %m, %x[%i] : memref<?xindex>
  }
  tile.return
}
