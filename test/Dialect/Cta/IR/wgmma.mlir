// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// Layouts of accumulators and of operand A: warpgroups share rows, or columns, and then each has all rows of A.
// CHECK-DAG: #wgmma_acc = #cta.frag<wgmma_acc, wg = 2>
// CHECK-DAG: #cta.frag<wgmma_acc, wg = 2, dim = 1>
// CHECK-DAG: #cta.frag<wgmma_a, bits = 16, wg = 2, dim = -1>
// CHECK-LABEL: tile.kernel @rows
// CHECK: cta.wgmma %{{.*}}, %{{.*}} : !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x64xbf16, #cta.swizzle<32, dim = 0>> -> tensor<128x64xf32, #wgmma_acc>
// CHECK: cta.wgmma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x16xbf16, #wgmma_a>
tile.kernel @rows() attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<128x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2>>
    %u = arith.constant dense<1.0> : tensor<16x64xbf16, #cta.frag<splat, rank = 2, warps = 2, wg = 2>>
    %a = cta.stage %t : tensor<128x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2>> -> !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
    %b = cta.stage %u : tensor<16x64xbf16, #cta.frag<splat, rank = 2, warps = 2, wg = 2>> -> !cta.smem<16x64xbf16, #cta.swizzle<32, dim = 0>>
    %d = cta.wgmma %a, %b : !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x64xbf16, #cta.swizzle<32, dim = 0>> -> tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 2, dim = 0>>
    %e = cta.wgmma %t, %b, %d : tensor<128x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2>>, !cta.smem<16x64xbf16, #cta.swizzle<32, dim = 0>> -> tensor<128x64xf32, #cta.frag<wgmma_acc, wg = 2>>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @columns
// CHECK: cta.wgmma {{.*}} -> tensor<64x64xf32, #wgmma_acc{{[0-9]+}}>
// CHECK: cta.wgmma {{.*}} : tensor<64x16xbf16, #wgmma_a{{[0-9]+}}>
tile.kernel @columns() attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<64x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2, dim = -1>>
    %u = arith.constant dense<1.0> : tensor<16x64xbf16, #cta.frag<splat, rank = 2, warps = 2, wg = 2>>
    %a = cta.stage %t : tensor<64x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2, dim = -1>> -> !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>
    %b = cta.stage %u : tensor<16x64xbf16, #cta.frag<splat, rank = 2, warps = 2, wg = 2>> -> !cta.smem<16x64xbf16, #cta.swizzle<32, dim = 0>>
    %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x64xbf16, #cta.swizzle<32, dim = 0>> -> tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 2, dim = 1>>
    %e = cta.wgmma %t, %b, %d : tensor<64x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2, dim = -1>>, !cta.smem<16x64xbf16, #cta.swizzle<32, dim = 0>> -> tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 2, dim = 1>>
  }
  tile.return
}

// Transposes of shared tiles: of a (K x M), of b (N x K), of one tile twice.
// CHECK-LABEL: tile.kernel @transposed
// CHECK: cta.wgmma %[[A:.+]], %[[B:.+]] {transpose_a, transpose_b} : !cta.smem<16x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<32x16xbf16, #cta.swizzle<32, dim = 1>> -> tensor<64x32xf32, #wgmma_acc{{[0-9]*}}>
// CHECK: cta.wgmma %[[T:.+]], %[[T]] {transpose_b} :
tile.kernel @transposed() attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %t = arith.constant dense<1.0> : tensor<16x64xbf16, #cta.frag<splat, rank = 2, wg = 1>>
    %u = arith.constant dense<1.0> : tensor<32x16xbf16, #cta.frag<splat, rank = 2, wg = 1>>
    %v = arith.constant dense<1.0> : tensor<64x64xbf16, #cta.frag<splat, rank = 2, wg = 1>>
    %a = cta.stage %t : tensor<16x64xbf16, #cta.frag<splat, rank = 2, wg = 1>> -> !cta.smem<16x64xbf16, #cta.swizzle<128, dim = 1>>
    %b = cta.stage %u : tensor<32x16xbf16, #cta.frag<splat, rank = 2, wg = 1>> -> !cta.smem<32x16xbf16, #cta.swizzle<32, dim = 1>>
    %c = cta.stage %v : tensor<64x64xbf16, #cta.frag<splat, rank = 2, wg = 1>> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %d = cta.wgmma %a, %b {transpose_a, transpose_b} : !cta.smem<16x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<32x16xbf16, #cta.swizzle<32, dim = 1>> -> tensor<64x32xf32, #cta.frag<wgmma_acc, wg = 1>>
    %e = cta.wgmma %c, %c {transpose_b} : !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>> -> tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>
  }
  tile.return
}
