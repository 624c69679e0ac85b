// RUN: tile-opt %s -tile-verify | tile-opt -tile-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize -cse | FileCheck %s --check-prefix=FOLD
// RUN: tile-opt %s -tile-expand-ops | FileCheck %s --check-prefix=EXPAND

// Arithmetic that is rounded in a direction, or that flushes denormals.

// CHECK-LABEL: tile.kernel @forms(
// CHECK: tile.rounded addf %{{.*}}, %{{.*}} downward : tensor<4x8xf32>
// CHECK: tile.rounded fma %{{.*}}, %{{.*}}, %{{.*}} toward_zero flush_to_zero : tensor<4x8xf32>
// CHECK: tile.rounded mulf %{{.*}}, %{{.*}} flush_to_zero : tensor<4x8xf32>
// CHECK: tile.rounded sqrt %{{.*}} flush_to_zero afn {note = 1 : i64} : tensor<4x8xf32>
// CHECK: tile.rounded sitofp %{{.*}} upward : i32 to f32
tile.kernel @forms(%x: memref<4x8xf32>, %n: i32, %y: memref<f32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : memref<4x8xf32> -> tensor<4x8xf32>
    %0 = tile.rounded addf %t, %t downward : tensor<4x8xf32>
    %1 = tile.rounded fma %0, %t, %t flush_to_zero toward_zero : tensor<4x8xf32>
    %2 = tile.rounded mulf %1, %t flush_to_zero : tensor<4x8xf32>
    %3 = tile.rounded sqrt %2 afn flush_to_zero {note = 1} : tensor<4x8xf32>
    tile.store %3, %x[%c0, %c0] : tensor<4x8xf32> -> memref<4x8xf32>
    %4 = tile.rounded sitofp %n upward : i32 to f32
    memref.store %4, %y[] : memref<f32>
  }
  tile.return
}

// To nearest even it is the op of arith or math.
// FOLD-LABEL: func.func @plain(
// FOLD-NEXT: arith.addf %{{.*}} : tensor<4xf32>
// FOLD-NEXT: arith.subf
// FOLD-NEXT: arith.mulf
// FOLD-NEXT: arith.divf
// FOLD-NEXT: math.sqrt
// FOLD-NEXT: math.fma
// FOLD-NEXT: arith.maxnumf
// FOLD-NEXT: arith.sitofp %{{.*}} : i32 to f16
// FOLD-NEXT: %[[LONG:.*]] = arith.index_castui %{{.*}} : index to i64
// FOLD-NEXT: arith.uitofp %[[LONG]] : i64 to f32
func.func @plain(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: i32, %i: index) -> (tensor<4xf32>, f16, f32) {
  %0 = tile.rounded addf %x, %y to_nearest_even : tensor<4xf32>
  %1 = tile.rounded subf %0, %y : tensor<4xf32>
  %2 = tile.rounded mulf %1, %y : tensor<4xf32>
  %3 = tile.rounded divf %2, %y : tensor<4xf32>
  %4 = tile.rounded sqrt %3 : tensor<4xf32>
  %5 = tile.rounded fma %4, %x, %y : tensor<4xf32>
  %6 = tile.rounded maxnumf %5, %x : tensor<4xf32>
  %7 = tile.rounded sitofp %n : i32 to f16
  %8 = tile.rounded uitofp %i to_nearest_even : index to f32
  return %6, %7, %8 : tensor<4xf32>, f16, f32
}

// Constants fold with their mode: 1/3 and 1 + 2^-30, and a sum of zero.
// FOLD-LABEL: func.func @constants(
// FOLD-DAG: %[[DOWN:.*]] = arith.constant 0.333333313 : f32
// FOLD-DAG: %[[UP:.*]] = arith.constant 0.333333343 : f32
// FOLD-DAG: %[[ABOVE:.*]] = arith.constant dense<1.00000012> : tensor<4xf32>
// FOLD-DAG: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// FOLD-DAG: %[[MOST:.*]] = arith.constant 3.40282347E+38 : f32
// FOLD-DAG: %[[FLUSHED:.*]] = arith.constant 0.000000e+00 : f32
// FOLD-DAG: %[[COUNT:.*]] = arith.constant 0x4B800001 : f32
// FOLD: return %[[DOWN]], %[[UP]], %[[ABOVE]], %[[ZERO]], %[[MOST]], %[[FLUSHED]], %[[COUNT]]
func.func @constants() -> (f32, f32, tensor<4xf32>, f32, f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3.0 : f32
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %tiny = arith.constant dense<9.31322574615478515625e-10> : tensor<4xf32>
  %large = arith.constant 3.0e38 : f32
  %small = arith.constant 2.0e-20 : f32
  %n = arith.constant 16777217 : i32
  %0 = tile.rounded divf %one, %three downward : f32
  %1 = tile.rounded divf %one, %three upward : f32
  %2 = tile.rounded addf %ones, %tiny upward : tensor<4xf32>
  %3 = tile.rounded subf %one, %one downward : f32
  %4 = tile.rounded addf %large, %large toward_zero : f32
  %5 = tile.rounded mulf %small, %small flush_to_zero : f32
  %6 = tile.rounded sitofp %n upward : i32 to f32
  return %0, %1, %2, %3, %4, %5, %6 : f32, f32, tensor<4xf32>, f32, f32, f32, f32
}

// What is below 2^-126 with all its digits is flushed, though as a denormal it would be rounded up to that.
// FOLD-LABEL: func.func @border(
// FOLD-DAG: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// FOLD-DAG: %[[LEAST:.*]] = arith.constant 1.17549435E-38 : f32
// FOLD: return %[[ZERO]], %[[LEAST]]
func.func @border() -> (f32, f32) {
  %below1 = arith.constant 0x3F7FFFFF : f32
  %least = arith.constant 0x80800000 : f32
  %below2 = arith.constant 0x3F7FFFFE : f32
  %above = arith.constant 0x00800001 : f32
  %0 = tile.rounded mulf %below1, %least flush_to_zero : f32
  %1 = tile.rounded mulf %below2, %above flush_to_zero : f32
  return %0, %1 : f32, f32
}

// Ops with different modes are different, and none is fused or taken for the plain one.
// FOLD-LABEL: func.func @distinct(
// FOLD-COUNT-6: tile.rounded mulf
// FOLD-NOT: tile.rounded
// FOLD: arith.mulf
// FOLD-NOT: mulf
func.func @distinct(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = tile.rounded mulf %x, %y downward : f32
  %1 = tile.rounded mulf %x, %y upward : f32
  %2 = tile.rounded mulf %x, %y toward_zero : f32
  %3 = tile.rounded mulf %x, %y flush_to_zero : f32
  %4 = tile.rounded mulf %x, %y upward flush_to_zero : f32
  %5 = tile.rounded mulf %y, %x toward_zero flush_to_zero : f32
  %6 = arith.mulf %x, %y : f32
  // This one is there already.
  %7 = tile.rounded mulf %x, %y upward : f32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32, f32
}

// Nothing is known of x * 1 or x + 0 with a direction, but that NaN and denormals stay what they are: the op stays.
// FOLD-LABEL: func.func @neutral(
// FOLD: tile.rounded addf %{{.*}} downward
// FOLD: tile.rounded mulf %{{.*}} flush_to_zero
func.func @neutral(%x: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = tile.rounded addf %x, %zero downward : f32
  %1 = tile.rounded mulf %x, %one flush_to_zero : f32
  return %0, %1 : f32, f32
}

// Narrow types are computed in f32 with the mode and narrowed with the mode.
// EXPAND-LABEL: tile.kernel @narrow(
// EXPAND: %[[A:.*]] = arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf32>
// EXPAND: %[[B:.*]] = arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf32>
// EXPAND: %[[S:.*]] = tile.rounded addf %[[A]], %[[B]] upward : tensor<8xf32>
// EXPAND: arith.truncf %[[S]] upward : tensor<8xf32> to tensor<8xf16>
// EXPAND: %[[W:.*]] = arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf32>
// EXPAND: arith.truncf %[[W]] toward_zero : tensor<8xf32> to tensor<8xf8E5M2>
// EXPAND: %[[Q:.*]] = tile.rounded mulf %{{.*}}, %{{.*}} toward_zero : tensor<8xf32>
// EXPAND: arith.truncf %[[Q]] toward_zero : tensor<8xf32> to tensor<8xf8E5M2>
// EXPAND: %[[N:.*]] = arith.extsi %{{.*}} : i8 to i32
// EXPAND: %[[C:.*]] = tile.rounded sitofp %[[N]] downward : i32 to f32
// EXPAND: arith.truncf %[[C]] downward : f32 to bf16
tile.kernel @narrow(%x: memref<8xf16>, %q: memref<8xf8E5M2>, %m: memref<i8>, %y: memref<bf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0] : memref<8xf16> -> tensor<8xf16>
    %0 = tile.rounded addf %t, %t upward : tensor<8xf16>
    tile.store %0, %x[%c0] : tensor<8xf16> -> memref<8xf16>
    %w = arith.extf %0 : tensor<8xf16> to tensor<8xf32>
    %e = arith.truncf %w toward_zero : tensor<8xf32> to tensor<8xf8E5M2>
    %p = tile.rounded mulf %e, %e toward_zero : tensor<8xf8E5M2>
    tile.store %p, %q[%c0] : tensor<8xf8E5M2> -> memref<8xf8E5M2>
    %n = memref.load %m[] : memref<i8>
    %c = tile.rounded sitofp %n downward : i8 to bf16
    memref.store %c, %y[] : memref<bf16>
  }
  tile.return
}
