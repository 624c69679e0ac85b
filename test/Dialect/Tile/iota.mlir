// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @coordinates
tile.kernel @coordinates(%x: i32) {
  tile.grid (%i) = (0) to (8) step (1) {
    // CHECK: tile.iota dim = 1 : tensor<4x8xi32>
    %0 = tile.iota dim = 1 : tensor<4x8xi32>
    // CHECK: tile.iota dim = 0 from %i : tensor<8xindex>
    %1 = tile.iota dim = 0 from %i : tensor<8xindex>
    // CHECK: tile.iota dim = 0 from %x {note} : tensor<8xi32>
    %2 = tile.iota dim = 0 from %x {note} : tensor<8xi32>
    // CHECK: tile.iota dim = 0 : tensor<300xi8>
    %3 = tile.iota dim = 0 : tensor<300xi8>
  }
  tile.return
}
