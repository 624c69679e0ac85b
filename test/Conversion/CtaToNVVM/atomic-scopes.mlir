// RUN: tilec %s --emit=ptx -o - | FileCheck %s

// Every step has the scope that the program says, also where LLVM has an operation of its own.
// CHECK-LABEL: .entry scopes
// CHECK-NOT: {{(atom|red)(\.relaxed\.gpu)?\.global}}
// CHECK: atom.relaxed.sys.global.cas
// CHECK: ret;
tile.kernel @scopes(%X: memref<?xi32>, %Y: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %ones = arith.constant dense<1.0> : tensor<64xf32>
    %a = tile.atomic exchange acq_rel system returning %one, %X[%c0] : i32 -> memref<?xi32>
    tile.atomic add system %a, %X[%c0] : i32 -> memref<?xi32>
    %b = tile.atomic add system returning %ones, %Y[%c0] : tensor<64xf32> -> memref<?xf32>
    tile.atomic add system %b, %Y[%c0] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
