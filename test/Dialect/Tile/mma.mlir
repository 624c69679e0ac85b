// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @products
tile.kernel @products(%A: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %a = arith.constant dense<1.0> : tensor<128x64xbf16>
    %b = arith.constant dense<1.0> : tensor<64x256xbf16>
    %c = arith.constant dense<1.0> : tensor<128x256xf32>
    %h = arith.constant dense<1.0> : tensor<3x1x7xf16>
    %g = arith.constant dense<1.0> : tensor<3x7x5xf16>
    %f = arith.constant dense<1.0> : tensor<8x8xf32>
    %d = arith.constant dense<1.0> : tensor<8x8xf64>
    %x = arith.constant dense<1> : tensor<8x8xi8>
    %y = arith.constant dense<1> : tensor<8x8xi16>
    %z = arith.constant dense<1> : tensor<8x8xi32>
    // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
    %0 = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
    // CHECK: tile.mma %{{[^,]*}}, %{{[^,]*}} : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
    %1 = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
    // Batched; f16 may accumulate in f16.
    // CHECK: tile.mma {{.*}} : tensor<3x1x7xf16>, tensor<3x7x5xf16> -> tensor<3x1x5xf16>
    %2 = tile.mma %h, %g : tensor<3x1x7xf16>, tensor<3x7x5xf16> -> tensor<3x1x5xf16>
    // CHECK: tile.mma {{.*}} precision = tf32 accumulate_every = 128 require = [wgmma] {note} : tensor<8x8xf32>
    %3 = tile.mma %f, %f accumulate_every = 128 precision = tf32 require = [wgmma] {note} : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    // CHECK: tile.mma {{.*}} -> tensor<8x8xf64>
    %4 = tile.mma %d, %d : tensor<8x8xf64>, tensor<8x8xf64> -> tensor<8x8xf64>
    // CHECK: tile.mma {{.*}} lhs = unsigned rhs = unsigned : tensor<8x8xi8>
    %5 = tile.mma %x, %x lhs = unsigned rhs = unsigned : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
    // CHECK: tile.mma {{.*}} rhs = unsigned : tensor<8x8xi16>
    %6 = tile.mma %y, %y {rhs_unsigned} : tensor<8x8xi16>, tensor<8x8xi16> -> tensor<8x8xi32>
    // CHECK: tile.mma {{.*}} : tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xi32>
    %7 = tile.mma %z, %z : tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xi32>
  }
  tile.return
}

// FOLD-LABEL: tile.kernel @zero_accumulator
tile.kernel @zero_accumulator(%A: memref<?x?xf32>, %B: memref<?x?xi32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %f = tile.load %A[%i, %i] : memref<?x?xf32> -> tensor<8x8xf32>
    %x = tile.load %B[%i, %i] : memref<?x?xi32> -> tensor<8x8xi32>
    %zf = arith.constant dense<0.0> : tensor<8x8xf32>
    %zi = arith.constant dense<0> : tensor<8x8xi32>
    %neg = arith.constant dense<-0.0> : tensor<8x8xf32>
    // FOLD: tile.mma %{{[^,]*}}, %{{[^,]*}} : tensor<8x8xf32>
    %0 = tile.mma %f, %f, %zf : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    tile.store %0, %A[%i, %i] : tensor<8x8xf32> -> memref<?x?xf32>
    // FOLD: tile.mma %{{[^,]*}}, %{{[^,]*}} : tensor<8x8xi32>
    %1 = tile.mma %x, %x, %zi : tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xi32>
    tile.store %1, %B[%i, %i] : tensor<8x8xi32> -> memref<?x?xi32>
    // -0 + 0 is not -0 + nothing.
    // FOLD: tile.mma %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : tensor<8x8xf32>
    %2 = tile.mma %f, %f, %neg : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    tile.store %2, %A[%i, %i] : tensor<8x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Clauses stand in any order, and are printed in one.
// CHECK-LABEL: tile.kernel @any_order
// CHECK: tile.mma %{{.+}}, %{{.+}} lhs = unsigned rhs = unsigned accumulate_every = 128 require = [wgmma] : tensor
tile.kernel @any_order() {
  tile.grid () = () to () step () {
    %a = arith.constant dense<0> : tensor<16x16xi8>
    %d = tile.mma %a, %a require = [wgmma] accumulate_every = 128 rhs = unsigned lhs = unsigned : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  }
  tile.return
}
