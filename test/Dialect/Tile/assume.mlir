// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @assumptions
tile.kernel @assumptions(%A: memref<?xf32> {tile.shape = ["N"]}, %n: i32) {
  %N = tile.dim "N" : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %r = arith.remui %N, %c64 : index
  %ok = arith.cmpi eq, %r, %c0 : index
  // CHECK: tile.assume %{{.*}}, "N must be a multiple of 64" : i1
  tile.assume %ok, "N must be a multiple of 64" : i1
  // CHECK: tile.assume guard %{{.*}}, "for whole tiles" : i1
  tile.assume guard %ok, "for whole tiles" : i1
  // CHECK: tile.assume %n {divisible = 8 : i64, max = 4096 : i64, min = 0 : i64} : i32
  tile.assume %n {min = 0, max = 4096, divisible = 8} : i32
  tile.grid (%i) = (0) to (%N) step (64) {
    // CHECK: tile.assume %i {min = -1 : i64} : index
    tile.assume %i {min = -1} : index
  }
  tile.return
}

// CHECK-LABEL: func.func private @helper
func.func private @helper(%c: i1) {
  // CHECK: tile.assume %{{.*}}, "for the kernel that calls it" : i1
  tile.assume %c, "for the kernel that calls it" : i1
  return
}
