// RUN: tile-opt %s --split-input-file --cta-assign-layouts --cta-verify | FileCheck %s

// Atomics on scattered elements take the layout in which their indices are loaded, by vectors of 16 bytes: no warp has neighbours to put next to each other.

// CHECK: #[[$FOUR:.+]] = #cta.frag<regs = {{\[\[}}1], [2]], lanes = {{\[\[}}4], [8], [16], [32], [64]]
// CHECK-LABEL: tile.kernel @histogram
// CHECK-NOT: cta.convert_layout
// CHECK: cta.load %X{{.*}} -> tensor<2048xi32, #[[$FOUR]]>
// CHECK-NOT: cta.convert_layout
// CHECK: cta.atomic add {{.*}} : tensor<2048xi32, #[[$FOUR]]> -> memref<?xi32>
tile.kernel @histogram(%X: memref<?xi32> {tile.align = 16, tile.size_divisible = array<i64: 4>}, %H: memref<?xi32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = cta.load %X[%c0] : memref<?xi32> -> tensor<2048xi32>
    cta.atomic add %one, %H[%x : tensor<2048xi32>] : tensor<2048xi32> -> memref<?xi32>
  }
  tile.return
}

// -----

// Also where no dimension of the array is known to be contiguous.
// CHECK-LABEL: tile.kernel @in_a_column
// CHECK-NOT: cta.convert_layout
// CHECK: cta.atomic umax
// CHECK-NOT: cta.convert_layout
// CHECK: cta.atomic umax
tile.kernel @in_a_column(%X: memref<?xi32>, %H: memref<?x128x?xi32>, %at: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %one = arith.constant dense<1> : tensor<2048xi32>
    %x = cta.load %X[%c0] : memref<?xi32> -> tensor<2048xi32>
    cta.atomic umax %x, %H[%at, %x : tensor<2048xi32>, %c0] dims = [1] : tensor<2048xi32> -> memref<?x128x?xi32>
    cta.atomic umax %one, %H[%at, %x : tensor<2048xi32>, %c0] dims = [1] : tensor<2048xi32> -> memref<?x128x?xi32>
  }
  tile.return
}

// -----

// Rows that an index tile names are written as rows: the atomic wants its neighbours in a warp.
// CHECK: #[[$VECTORS:.+]] = #cta.frag<regs = {{\[\[}}0, 1], [0, 2]]
// CHECK-LABEL: tile.kernel @rows
// CHECK: cta.atomic add {{.*}} : tensor<16x256xf32, #[[$VECTORS]]> -> memref<?x256xf32>
tile.kernel @rows(%R: memref<16xi32>, %X: memref<16x256xf32> {tile.align = 16}, %H: memref<?x256xf32> {tile.align = 16}) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %r = cta.load %R[%c0] : memref<16xi32> -> tensor<16xi32>
    %x = cta.load %X[%c0, %c0] : memref<16x256xf32> -> tensor<16x256xf32>
    cta.atomic add %x, %H[%r : tensor<16xi32>, %c0] : tensor<16x256xf32> -> memref<?x256xf32>
  }
  tile.return
}
