// RUN: tile-opt %s --split-input-file --convert-cta-to-tile | FileCheck %s

// Placement vanishes: copies are loads, staging is nothing, layouts are gone.
// CHECK-LABEL: tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index) attributes {variant = "aligned", variant_of = "g"} {
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK: %[[ACC:.+]] = scf.for {{.*}} iter_args(%[[C:.+]] = %[[ZERO]]) -> (tensor<128x64xf32>)
// CHECK: %[[A:.+]] = tile.load %A[%i, %{{.+}}] : memref<?x?xbf16> -> tensor<128x64xbf16>
// CHECK: %[[B:.+]] = tile.load %A{{.*}} pad = any : memref<?x?xbf16> -> tensor<64x64xbf16>
// CHECK: %[[D:.+]] = tile.mma %[[A]], %[[B]], %[[C]]
// CHECK: scf.yield %[[D]] : tensor<128x64xf32>
// CHECK: %[[T:.+]] = arith.truncf %[[ACC]] : tensor<128x64xf32> to tensor<128x64xbf16>
// CHECK: tile.store %[[T]], %C[%i, %i] : tensor<128x64xbf16> -> memref<?x?xbf16>
// CHECK-NOT: cta.
#acc = #cta.frag<wgmma_acc, wg = 2>
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 2 on 0>
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, variant = "aligned", variant_of = "g"} {
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
      %b = cta.load %A[%k, %i] pad = any {vector = 8} : memref<?x?xbf16> -> tensor<64x64xbf16, #blocked>
      %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %d = cta.wgmma %a, %bs, %c : !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    %out = arith.truncf %acc : tensor<128x64xf32, #acc> to tensor<128x64xbf16, #acc>
    %s = cta.stage %out : tensor<128x64xbf16, #acc> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    cta.copy_out %s, %C[%i, %i] {mechanism = #cta.mechanism<tma>} : !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Shapes and reductions.
// CHECK-LABEL: tile.kernel @shapes
// CHECK: %[[X:.+]] = tile.load
// CHECK: %[[R:.+]] = tile.reduce (%[[X]]) dims = [1] init(%{{.+}}) {
// CHECK: } : tensor<8x16xf32> -> tensor<8xf32>
// CHECK: tile.broadcast %[[R]] dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
// CHECK: tensor.extract_slice %{{.+}}[0, 8] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
// CHECK: tensor.extract_slice %{{.+}}[1, 0] [3, 8] [2, 2] : tensor<8x16xf32> to tensor<3x8xf32>
// CHECK: tensor.concat dim(1)
// CHECK: %[[FLAT:.+]] = tensor.collapse_shape {{.*}} : tensor<8x16xf32> into tensor<128xf32>
// CHECK: tensor.expand_shape %[[FLAT]] {{.*}} into tensor<4x32xf32>
// CHECK: tile.transpose %{{.+}} dims = [1, 0] : tensor<4x32xf32> -> tensor<32x4xf32>
// CHECK: tile.iota dim = 0 : tensor<4xi32>
// CHECK: tensor.extract %{{.+}}[] : tensor<f32>
// CHECK: tile.mma %{{.+}}, %{{.+}} : tensor<32x4xf32>, tensor<4x32xf32> -> tensor<32x32xf32>
// CHECK-NOT: cta.
tile.kernel @shapes(%X: memref<?x?xf32>, %Y: memref<?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %x = cta.load %X[%c0, %c0] : memref<?x?xf32> -> tensor<8x16xf32>
    %r = cta.reduce (%x) dims = [1] init(%z) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %b = cta.broadcast %r dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
    %sl = cta.slice %b offsets = [0, 8] : tensor<8x16xf32> -> tensor<8x8xf32>
    %st = cta.slice %b offsets = [1, 0] strides = [2, 2] : tensor<8x16xf32> -> tensor<3x8xf32>
    cta.store %st, %X[%c0, %c0] : tensor<3x8xf32> -> memref<?x?xf32>
    %cc = cta.concat %sl, %sl dim = 1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x16xf32>
    %rs = cta.reshape %cc : tensor<8x16xf32> -> tensor<4x32xf32>
    %t = cta.transpose %rs dims = [1, 0] : tensor<4x32xf32> -> tensor<32x4xf32>
    %i = cta.iota dim = 0 : tensor<4xi32>
    %all = cta.reduce (%r) dims = [0] init(%z) {
    ^bb0(%a: f32, %b1: f32):
      %s = arith.addf %a, %b1 : f32
      tile.yield %s : f32
    } : tensor<8xf32> -> tensor<f32>
    %e = cta.extract %all : tensor<f32> -> f32
    memref.store %e, %Y[%c0] : memref<?xf32>
    %ts = cta.stage %t : tensor<32x4xf32> -> !cta.smem<32x4xf32, #cta.swizzle<?>>
    %rss = cta.stage %rs : tensor<4x32xf32> -> !cta.smem<4x32xf32, #cta.swizzle<?>>
    %m = cta.mma %ts, %rss {why = "f32"} : !cta.smem<32x4xf32, #cta.swizzle<?>>, !cta.smem<4x32xf32, #cta.swizzle<?>> -> tensor<32x32xf32>
    cta.store %m, %X[%c0, %c0] : tensor<32x32xf32> -> memref<?x?xf32>
  }
  tile.return
}
