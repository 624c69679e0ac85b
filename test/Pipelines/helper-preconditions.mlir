// What a helper assumes is a launch precondition of the kernels that call it before their grids, and is no matter of a grid.
// RUN: split-file %s %t
// RUN: tilec %t/before.mlir --emit=json --target=cpu -o - | FileCheck %s
// RUN: tilec %t/before.mlir --emit=json --variants=any -o - | FileCheck %s
// CHECK: "N must be even"
// RUN: not tilec %t/inside.mlir --target=cpu -o %t/no.so 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: inside.mlir:4:3: error: 'tile.assume' op assume_c3: a launch precondition stands in the body of the kernel, outside the grids

//--- before.mlir
func.func private @is_even(%n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %rest = arith.remui %n, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  tile.assume %even, "N must be even" : i1
  return
}
tile.kernel @k(%x: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  func.call @is_even(%N) : (index) -> ()
  tile.grid (%i) = (0) to (%N) step (64) {
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %x[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

//--- inside.mlir
func.func private @is_small(%n: index) {
  %c9 = arith.constant 9 : index
  %small = arith.cmpi ult, %n, %c9 : index
  tile.assume %small, "N must be small" : i1
  return
}
tile.kernel @k(%x: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (64) {
    func.call @is_small(%N) : (index) -> ()
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<64xf32>
    tile.store %t, %x[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
