// RUN: tile-opt %s --split-input-file --cta-swizzle-shared | FileCheck %s

// Operands lie in shared memory as they lie in global memory: row-major b is contiguous along N, and a transposed load along M.
// The widest swizzle that divides the contiguous extent: 256, 64 and 16 elements of two bytes are 128, 128 and 32 bytes wide.
// CHECK-LABEL: tile.kernel @majors
// CHECK: cta.stage {{.*}} -> <64x64xbf16, #cta.swizzle<128, dim = 1>>
// CHECK: cta.stage {{.*}} -> <64x64xbf16, #cta.swizzle<128, dim = 0>>
// CHECK: cta.stage {{.*}} -> <64x256xbf16, #cta.swizzle<128, dim = 1>>
// CHECK: cta.stage {{.*}} -> <64x16xbf16, #cta.swizzle<32, dim = 1>>
// CHECK: cta.stage {{.*}} -> <64x96xbf16, #cta.swizzle<64, dim = 1>>
// CHECK: cta.stage {{.*}} -> <64x24xbf16, #cta.swizzle<0, dim = 1>>
// CHECK-NOT: cta.swizzle<?>
tile.kernel @majors(%X: memref<?x?xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %as = cta.stage %a : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %at = cta.load %X[%c0, %c0] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %ats = cta.stage %at : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %b = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<64x256xbf16>
    %bs = cta.stage %b : tensor<64x256xbf16> -> !cta.smem<64x256xbf16, #cta.swizzle<?>>
    %b1 = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<64x16xbf16>
    %b1s = cta.stage %b1 : tensor<64x16xbf16> -> !cta.smem<64x16xbf16, #cta.swizzle<?>>
    %b2 = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<64x96xbf16>
    %b2n = arith.negf %b2 : tensor<64x96xbf16>
    %b2s = cta.stage %b2n : tensor<64x96xbf16> -> !cta.smem<64x96xbf16, #cta.swizzle<?>>
    %b3 = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<64x24xbf16>
    %b3s = cta.stage %b3 : tensor<64x24xbf16> -> !cta.smem<64x24xbf16, #cta.swizzle<?>>
    %d0 = cta.wgmma %as, %bs : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x256xbf16, #cta.swizzle<?>> -> tensor<64x256xf32>
    %d1 = cta.wgmma %ats, %b1s : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x16xbf16, #cta.swizzle<?>> -> tensor<64x16xf32>
    %d2 = cta.wgmma %ats, %b2s : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x96xbf16, #cta.swizzle<?>> -> tensor<64x96xf32>
    %d3 = cta.wgmma %as, %b3s : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x24xbf16, #cta.swizzle<?>> -> tensor<64x24xf32>
  }
  tile.return
}

// -----

// What is computed is K-major; so is what lies in memory in an unknown order.
// CHECK-LABEL: tile.kernel @computed
// CHECK: cta.stage {{.*}} -> <64x64xf16, #cta.swizzle<128, dim = 1>>
// CHECK: cta.stage {{.*}} -> <64x128xf16, #cta.swizzle<128, dim = 0>>
tile.kernel @computed(%X: memref<?x?xf16, strided<[?, ?]>>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : tensor<64x64xf16>
    %as = cta.stage %a : tensor<64x64xf16> -> !cta.smem<64x64xf16, #cta.swizzle<?>>
    %b = cta.load %X[%c0, %c0] : memref<?x?xf16, strided<[?, ?]>> -> tensor<64x128xf16>
    %bs = cta.stage %b : tensor<64x128xf16> -> !cta.smem<64x128xf16, #cta.swizzle<?>>
    %d = cta.wgmma %as, %bs : !cta.smem<64x64xf16, #cta.swizzle<?>>, !cta.smem<64x128xf16, #cta.swizzle<?>> -> tensor<64x128xf32>
  }
  tile.return
}

// -----

// Products on the FMA units read rows of a and columns of b: a's rows are padded if they would hit one bank. Chosen layouts stay.
#acc = #cta.frag<regs = [[0, 1], [0, 2], [1, 0], [2, 0]], lanes = [[0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warps = [[16, 0], [0, 32]]>
// CHECK-LABEL: tile.kernel @fma
// CHECK: cta.stage {{.*}} -> <32x32xf32, #cta.swizzle<linear, pad = 4>>
// CHECK: cta.stage {{.*}} -> <32x64xf32, #cta.swizzle<linear>>
// CHECK: cta.stage {{.*}} -> <32x32xf32, #cta.swizzle<linear, pad = 16>>
tile.kernel @fma(%X: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1.0> : tensor<32x32xf32>
    %as = cta.stage %a : tensor<32x32xf32> -> !cta.smem<32x32xf32, #cta.swizzle<?>>
    %b = arith.constant dense<1.0> : tensor<32x64xf32>
    %bs = cta.stage %b : tensor<32x64xf32> -> !cta.smem<32x64xf32, #cta.swizzle<?>>
    %cs = cta.stage %a : tensor<32x32xf32> -> !cta.smem<32x32xf32, #cta.swizzle<linear, pad = 16>>
    %d = cta.mma %as, %bs : !cta.smem<32x32xf32, #cta.swizzle<?>>, !cta.smem<32x64xf32, #cta.swizzle<?>> -> tensor<32x64xf32, #acc>
    %e = cta.mma %cs, %bs : !cta.smem<32x32xf32, #cta.swizzle<linear, pad = 16>>, !cta.smem<32x64xf32, #cta.swizzle<?>> -> tensor<32x64xf32, #acc>
  }
  tile.return
}

// -----

// A tile that is read straight and transposed has one layout for both.
// CHECK-LABEL: tile.kernel @both_ways
// CHECK: cta.stage {{.*}} -> <64x128xbf16, #cta.swizzle<128, dim = 1>>
// CHECK: cta.stage {{.*}} -> <64x24xbf16, #cta.swizzle<0, dim = 1>>
// CHECK: cta.stage {{.*}} -> <48x64xbf16, #cta.swizzle<128, dim = 1>>
tile.kernel @both_ways(%X: memref<?x?xbf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %k = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<64x128xbf16>
    %ks = cta.stage %k : tensor<64x128xbf16> -> !cta.smem<64x128xbf16, #cta.swizzle<?>>
    %b = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<64x24xbf16>
    %bs = cta.stage %b : tensor<64x24xbf16> -> !cta.smem<64x24xbf16, #cta.swizzle<?>>
    %a = cta.load %X[%c0, %c0] : memref<?x?xbf16> -> tensor<48x64xbf16>
    %as = cta.stage %a : tensor<48x64xbf16> -> !cta.smem<48x64xbf16, #cta.swizzle<?>>
    %d0 = cta.wgmma %ks, %ks {transpose_b} : !cta.smem<64x128xbf16, #cta.swizzle<?>>, !cta.smem<64x128xbf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    %d1 = cta.wgmma %ks, %ks {transpose_a} : !cta.smem<64x128xbf16, #cta.swizzle<?>>, !cta.smem<64x128xbf16, #cta.swizzle<?>> -> tensor<128x128xf32>
    %d2 = cta.wgmma %ks, %bs {transpose_a} : !cta.smem<64x128xbf16, #cta.swizzle<?>>, !cta.smem<64x24xbf16, #cta.swizzle<?>> -> tensor<128x24xf32>
    %d3 = cta.wgmma %as, %as {transpose_a} : !cta.smem<48x64xbf16, #cta.swizzle<?>>, !cta.smem<48x64xbf16, #cta.swizzle<?>> -> tensor<64x64xf32>
  }
  tile.return
}
