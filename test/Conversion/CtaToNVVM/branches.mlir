// RUN: tilec %s --emit=ptx -o - | FileCheck %s

// Branches yield tiles of any element type, of index, too. None of these is an accumulator of zeros.
// CHECK-LABEL: .entry branches
// CHECK: st.global
tile.kernel @branches(%n: index, %X: memref<?xindex>, %Y: memref<?xf64>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %zeros = arith.constant dense<0> : tensor<64xindex>
    %reals = arith.constant dense<0.0> : tensor<64xf64>
    %x = tile.load %X[%c0] : memref<?xindex> -> tensor<64xindex>
    %y = tile.load %Y[%c0] : memref<?xf64> -> tensor<64xf64>
    %small = arith.cmpi slt, %n, %c7 : index
    %a, %b = scf.if %small -> (tensor<64xindex>, tensor<64xf64>) {
      scf.yield %x, %reals : tensor<64xindex>, tensor<64xf64>
    } else {
      scf.yield %zeros, %y : tensor<64xindex>, tensor<64xf64>
    }
    tile.store %a, %X[%c0] : tensor<64xindex> -> memref<?xindex>
    tile.store %b, %Y[%c0] : tensor<64xf64> -> memref<?xf64>
  }
  tile.return
}
