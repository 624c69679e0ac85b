// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @named
tile.kernel @named() {
  tile.grid () = () to () step () {
    %f = arith.constant dense<1.0> : tensor<4x8x2xf32>
    %h = arith.constant dense<1.0> : tensor<4xbf16>
    %i = arith.constant dense<1> : tensor<4x8xi32>
    %x = arith.constant dense<1> : tensor<4x8xindex>
    %b = arith.constant dense<true> : tensor<4x8xi1>
    // CHECK: tile.reduce addf %{{.*}} dims = [0, 2] : tensor<4x8x2xf32> -> tensor<8xf32>
    %0 = tile.reduce addf %f dims = [0, 2] : tensor<4x8x2xf32> -> tensor<8xf32>
    // All dimensions: rank 0.
    // CHECK: tile.reduce mulf %{{.*}} dims = [0] : tensor<4xbf16> -> tensor<bf16>
    %1 = tile.reduce mulf %h dims = [0] : tensor<4xbf16> -> tensor<bf16>
    // CHECK: tile.reduce maximumf {{.*}} {note = 1 : i64} :
    %2 = tile.reduce maximumf %h dims = [0] {note = 1} : tensor<4xbf16> -> tensor<bf16>
    // CHECK: tile.reduce minimumf
    // CHECK: tile.reduce maxnumf
    // CHECK: tile.reduce minnumf
    %3 = tile.reduce minimumf %h dims = [0] : tensor<4xbf16> -> tensor<bf16>
    %4 = tile.reduce maxnumf %h dims = [0] : tensor<4xbf16> -> tensor<bf16>
    %5 = tile.reduce minnumf %h dims = [0] : tensor<4xbf16> -> tensor<bf16>
    // CHECK: tile.reduce addi %{{.*}} dims = [1] : tensor<4x8xi32> -> tensor<4xi32>
    %6 = tile.reduce addi %i dims = [1] : tensor<4x8xi32> -> tensor<4xi32>
    // CHECK: tile.reduce muli
    // CHECK: tile.reduce maxsi
    // CHECK: tile.reduce minsi
    // CHECK: tile.reduce maxui
    // CHECK: tile.reduce minui
    // CHECK: tile.reduce andi
    // CHECK: tile.reduce ori
    // CHECK: tile.reduce xori
    %7 = tile.reduce muli %x dims = [1] : tensor<4x8xindex> -> tensor<4xindex>
    %8 = tile.reduce maxsi %i dims = [1] : tensor<4x8xi32> -> tensor<4xi32>
    %9 = tile.reduce minsi %i dims = [1] : tensor<4x8xi32> -> tensor<4xi32>
    %10 = tile.reduce maxui %i dims = [1] : tensor<4x8xi32> -> tensor<4xi32>
    %11 = tile.reduce minui %i dims = [1] : tensor<4x8xi32> -> tensor<4xi32>
    %12 = tile.reduce andi %b dims = [1] : tensor<4x8xi1> -> tensor<4xi1>
    %13 = tile.reduce ori %b dims = [1] : tensor<4x8xi1> -> tensor<4xi1>
    %14 = tile.reduce xori %b dims = [1] : tensor<4x8xi1> -> tensor<4xi1>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @general
tile.kernel @general() {
  tile.grid () = () to () step () {
    %x = arith.constant dense<1.0> : tensor<4x8xf32>
    %ix = tile.iota dim = 1 : tensor<4x8xi32>
    // CHECK: %[[INF:.*]] = arith.constant 0xFF800000 : f32
    // CHECK: %[[BIG:.*]] = arith.constant 2147483647 : i32
    %inf = arith.constant 0xFF800000 : f32
    %big = arith.constant 2147483647 : i32
    // CHECK:      %{{.*}}:2 = tile.reduce (%{{.*}}, %{{.*}}) dims = [1] init(%[[INF]], %[[BIG]]) {
    // CHECK-NEXT: ^bb0(%lhs: f32, %lhs_{{.*}}: i32, %rhs: f32, %rhs_{{.*}}: i32):
    // CHECK:        tile.yield %{{.*}}, %{{.*}} : f32, i32
    // CHECK-NEXT: } : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4xf32>, tensor<4xi32>
    %v, %j = tile.reduce (%x, %ix) dims = [1] init(%inf, %big) {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %left = arith.cmpf oge, %a, %b : f32
      %r = arith.select %left, %a, %b : f32
      %ri = arith.select %left, %ai, %bi : i32
      tile.yield %r, %ri : f32, i32
    } : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4xf32>, tensor<4xi32>
    // CHECK: tile.reduce (%{{.*}}) dims = [0, 1] init(%[[INF]]) attributes {note} {
    %w = tile.reduce (%x) dims = [0, 1] init(%inf) attributes {note} {
    ^bb0(%a: f32, %b: f32):
      %r = arith.maximumf %a, %b : f32
      tile.yield %r : f32
    } : tensor<4x8xf32> -> tensor<f32>
  }
  tile.return
}
