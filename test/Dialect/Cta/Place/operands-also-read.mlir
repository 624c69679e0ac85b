// RUN: tile-opt %s --pass-pipeline='builtin.module(tile.kernel(convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-verify))' | FileCheck %s

// Tiles in loops that are operands of products and that threads compute with, too: one copy by TMA, which a channel can fetch ahead, and reads.

// CHECK-LABEL: tile.kernel @sums(
// CHECK: scf.for
// CHECK: %[[B:.*]] = cta.copy %B[%{{.*}}, %{{.*}}] {mechanism = #cta.mechanism<tma>} : memref<1024x1024xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
// CHECK-NOT: cta.load
// CHECK-NOT: cta.stage
// CHECK: cta.wgmma %{{.*}}, %[[B]], %{{.*}}
// CHECK: %[[R:.*]] = cta.read %[[B]] : <64x64xbf16, #cta.swizzle<128, dim = 1>> -> tensor<64x64xbf16,
// CHECK: arith.extf %[[R]]
tile.kernel @sums(%A: memref<1024x1024xbf16> {tile.align = 16}, %B: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %S: memref<?xf32>, %n: index)
    attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %none = arith.constant dense<0.0> : tensor<64xf32>
    %c, %s = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero, %s0 = %none) -> (tensor<64x64xf32>, tensor<64xf32>) {
      %a = tile.load %A[%c0, %k] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %wide = arith.extf %b : tensor<64x64xbf16> to tensor<64x64xf32>
      %part = tile.reduce addf %wide dims = [0] : tensor<64x64xf32> -> tensor<64xf32>
      %s1 = arith.addf %s0, %part : tensor<64xf32>
      scf.yield %next, %s1 : tensor<64x64xf32>, tensor<64xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
    tile.store %s, %S[%c0] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// Twice by one op, and by two: a read for each op.
// CHECK-LABEL: tile.kernel @squares(
// CHECK: scf.for
// CHECK: %[[B:.*]] = cta.copy %B
// CHECK: cta.wgmma %{{.*}}, %[[B]],
// CHECK: %[[X:.*]] = cta.read %[[B]]
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: %[[Y:.*]] = cta.read %[[B]]
// CHECK-NEXT: arith.addf %[[Q]], %[[Y]]
// CHECK-NOT: cta.read
tile.kernel @squares(%A: memref<1024x1024xbf16> {tile.align = 16}, %B: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %D: memref<?x?xbf16>, %n: index)
    attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %c = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%c0, %k] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %q = arith.mulf %b, %b : tensor<64x64xbf16>
      %r = arith.addf %q, %b : tensor<64x64xbf16>
      tile.store %r, %D[%k, %c0] : tensor<64x64xbf16> -> memref<?x?xbf16>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Through registers, for both uses: where TMA cannot fetch the tile, and outside of loops, where nothing runs ahead.
// CHECK-LABEL: tile.kernel @masked(
// CHECK: scf.for
// CHECK: cta.load %B{{.*}}why = "no TMA: it has a mask
// CHECK: cta.stage
// CHECK: cta.load %U{{.*}}why = "no TMA: the base of %U is not known to be a multiple of 16 bytes
// CHECK: cta.stage
// CHECK-NOT: cta.read
// CHECK: }
// CHECK: cta.load %V{{.*}}why = "no TMA: the tile is used in registers by extf
// CHECK-NOT: cta.read
tile.kernel @masked(%A: memref<1024x1024xbf16> {tile.align = 16}, %B: memref<1024x1024xbf16> {tile.align = 16}, %U: memref<1024x1024xbf16>,
                    %V: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %D: memref<?x?xf32>, %n: index, %few: i32) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %row = tile.iota dim = 0 : tensor<64xi32>
    %end = tensor.splat %few : tensor<64xi32>
    %mask = arith.cmpi slt, %row, %end : tensor<64xi32>
    %c, %s = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero, %s0 = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %a = tile.load %A[%c0, %k] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %c0] mask = %mask on [0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %u = tile.load %U[%k, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %one = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %next = tile.mma %a, %u, %one : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %wide = arith.extf %b : tensor<64x64xbf16> to tensor<64x64xf32>
      %wider = arith.extf %u : tensor<64x64xbf16> to tensor<64x64xf32>
      %s1 = arith.addf %s0, %wide : tensor<64x64xf32>
      %s2 = arith.addf %s1, %wider : tensor<64x64xf32>
      scf.yield %next, %s2 : tensor<64x64xf32>, tensor<64x64xf32>
    }
    %v = tile.load %V[%c0, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
    %a0 = tile.load %A[%c0, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
    %last = tile.mma %a0, %v, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %w = arith.extf %v : tensor<64x64xbf16> to tensor<64x64xf32>
    %t = arith.addf %s, %w : tensor<64x64xf32>
    tile.store %last, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
    tile.store %t, %D[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
