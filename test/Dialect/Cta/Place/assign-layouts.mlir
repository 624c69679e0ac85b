// RUN: tile-opt %s --split-input-file --cta-assign-layouts --cta-verify | FileCheck %s

// The accumulator of a wgmma rules what a loop carries; the epilogue stores in a coalesced layout.
// CHECK: #[[$FRAG:.+]] = #cta.frag<regs = {{\[\[}}0, 1], [0, 2], [0, 4]]
// CHECK: #[[$ACC:.+]] = #cta.frag<wgmma_acc, wg = 2>
// CHECK-LABEL: tile.kernel @gemm
// CHECK: arith.constant dense<0.000000e+00> : tensor<128x64xf32, #[[$ACC]]>
// CHECK: scf.for {{.*}} -> (tensor<128x64xf32, #[[$ACC]]>)
// CHECK-NOT: cta.convert_layout
// CHECK: cta.wgmma
// CHECK-NOT: cta.convert_layout
// CHECK: arith.truncf {{.*}} to tensor<128x64xbf16, #[[$ACC]]>
// CHECK: %[[C:.+]] = cta.convert_layout {{.*}} -> tensor<128x64xbf16, #[[$FRAG]]>
// CHECK: cta.store %[[C]]
tile.kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16> {tile.align = 16 : i64, tile.size_divisible = array<i64: 1, 8>}, %K: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%K, %K) step (128, 64) {
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32>) {
      %a = cta.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = cta.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %as = cta.stage %a : tensor<128x64xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<?>>
      %bs = cta.stage %b : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
      %cc = cta.convert_layout %c : tensor<128x64xf32> -> tensor<128x64xf32>
      %d = cta.wgmma %as, %bs, %cc : !cta.smem<128x64xbf16, #cta.swizzle<?>>, !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<128x64xf32>
      %dd = cta.convert_layout %d : tensor<128x64xf32> -> tensor<128x64xf32>
      scf.yield %dd : tensor<128x64xf32>
    }
    %out = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xbf16>
    cta.store %out, %C[%i, %j] : tensor<128x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Of stores that can only be narrow the lanes are neighbours, and what is loaded for them only is loaded so; the narrow stores of an accumulator too.
// CHECK-DAG: #[[$WORDS:.+]] = #cta.frag<regs = {{\[\[}}0, 1]{{.*}}, lanes = {{\[\[}}0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]
// CHECK-DAG: #[[$SINGLE:.+]] = #cta.frag<{{.*}}lanes = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]
// CHECK-LABEL: tile.kernel @narrow
// CHECK: %[[X:.+]] = cta.load %X{{.*}} -> tensor<64x128xbf16, #[[$WORDS]]>
// CHECK-NOT: cta.convert_layout
// CHECK: cta.store %[[X]]
// CHECK: %[[Y:.+]] = cta.convert_layout %{{.*}} : tensor<64x64xbf16, #wgmma_acc> -> tensor<64x64xbf16, #[[$SINGLE]]>
// CHECK: cta.store %[[Y]]
tile.kernel @narrow(%X: memref<?x?xbf16>, %Y: memref<?x128xbf16, strided<[130, 1]>> {tile.align = 4 : i64}, %C: memref<?x?xbf16>, %M: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %x = cta.load %X[%i, %c0] : memref<?x?xbf16> -> tensor<64x128xbf16>
    cta.store %x, %Y[%i, %c0] : tensor<64x128xbf16> -> memref<?x128xbf16, strided<[130, 1]>>
    %acc = arith.constant dense<1.0> : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>
    %free = cta.convert_layout %acc : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>> -> tensor<64x64xbf16>
    cta.store %free, %C[%i, %i] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Rows of a softmax: the load's layout, its slices, no conversion at all.
// CHECK-LABEL: tile.kernel @softmax
// CHECK-NOT: cta.convert_layout
tile.kernel @softmax(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %M: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  tile.grid (%i) = (0) to (%M) step (1) {
    %x = cta.load %X[%i, %c0] pad = neg_inf : memref<?x?xf32> -> tensor<1x1000xf32>
    %m = cta.reduce (%x) dims = [1] init(%ninf) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.maximumf %a, %b : f32
      tile.yield %r : f32
    } : tensor<1x1000xf32> -> tensor<1xf32>
    %mb = cta.broadcast %m dims = [0] : tensor<1xf32> -> tensor<1x1000xf32>
    %s = arith.subf %x, %mb : tensor<1x1000xf32>
    %e = math.exp %s : tensor<1x1000xf32>
    %l = cta.reduce (%e) dims = [1] init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<1x1000xf32> -> tensor<1xf32>
    %lb = cta.broadcast %l dims = [0] : tensor<1xf32> -> tensor<1x1000xf32>
    %y = arith.divf %e, %lb : tensor<1x1000xf32>
    cta.store %y, %Y[%i, %c0] : tensor<1x1000xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A constant with two users does not tie their layouts together; a transposed store costs one conversion.
// CHECK-LABEL: tile.kernel @transpose
// CHECK: cta.load
// CHECK-NEXT: cta.convert_layout
// CHECK-NOT: cta.convert_layout
// CHECK: cta.store
tile.kernel @transpose(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %M: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%M, %M) step (64, 32) {
    %one = arith.constant dense<1.0> : tensor<64x32xf32>
    %x = cta.load %X[%i, %j] : memref<?x?xf32> -> tensor<64x32xf32>
    %x1 = arith.addf %x, %one : tensor<64x32xf32>
    %t = cta.transpose %x1 dims = [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    cta.store %t, %Y[%j, %i] : tensor<32x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Layouts in the IR are hard anchors and survive; the mask follows the tile; scalars become rank-0 splats.
// CHECK-LABEL: tile.kernel @anchored
// CHECK: cta.load {{.*}} mask = %{{.*}} on [0] : memref<?x?xf16> -> tensor<64x16xf16, #wgmma_acc>
// CHECK: cta.reduce
// CHECK: cta.extract {{.*}} : tensor<f16, #splat{{[0-9]*}}> -> f16
tile.kernel @anchored(%X: memref<?x?xf16>, %n: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f16
  %i5 = arith.constant 5 : i32
  tile.grid () = () to () step () {
    %io = cta.iota dim = 0 : tensor<64xi32>
    %lim = cta.broadcast %i5 dims = [] : i32 -> tensor<64xi32>
    %mask = arith.cmpi slt, %io, %lim : tensor<64xi32>
    %x = cta.load %X[%c0, %c0] mask = (%mask : tensor<64xi1>) on [0] : memref<?x?xf16> -> tensor<64x16xf16, #cta.frag<wgmma_acc, wg = 1>>
    %s = cta.reduce (%x) dims = [0, 1] init(%f0) {
    ^bb0(%a: f16, %b: f16):
      %r = arith.addf %a, %b : f16
      tile.yield %r : f16
    } : tensor<64x16xf16, #cta.frag<wgmma_acc, wg = 1>> -> tensor<f16>
    %e = cta.extract %s : tensor<f16> -> f16
    memref.store %e, %X[%c0, %c0] : memref<?x?xf16>
  }
  tile.return
}

// -----

// A batched product accumulates in the layout of its matrices, the batch in registers.
// CHECK-LABEL: tile.kernel @batched
// CHECK: cta.mma {{.*}} -> tensor<3x16x8xf32, #[[$BATCH:[a-z0-9]+]]>
tile.kernel @batched(%a: memref<3x16x4xf32>, %b: memref<3x4x8xf32>, %c: memref<3x16x8xf32>)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %x = cta.load %a[%c0, %c0, %c0] : memref<3x16x4xf32> -> tensor<3x16x4xf32>
    %y = cta.load %b[%c0, %c0, %c0] : memref<3x4x8xf32> -> tensor<3x4x8xf32>
    %s = cta.stage %x : tensor<3x16x4xf32> -> !cta.smem<3x16x4xf32, #cta.swizzle<?>>
    %t = cta.stage %y : tensor<3x4x8xf32> -> !cta.smem<3x4x8xf32, #cta.swizzle<?>>
    %d = cta.mma %s, %t : !cta.smem<3x16x4xf32, #cta.swizzle<?>>, !cta.smem<3x4x8xf32, #cta.swizzle<?>> -> tensor<3x16x8xf32>
    cta.store %d, %c[%c0, %c0, %c0] : tensor<3x16x8xf32> -> memref<3x16x8xf32>
  }
  tile.return
}
