// RUN: tile-opt %s --pass-pipeline='builtin.module(tile.kernel(convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-verify))' | FileCheck %s

// Rows of numbers beside the products of a loop (scales) are fetched by TMA. Threads read them in registers, or take elements out of them.

// CHECK-LABEL: tile.kernel @scales(
// CHECK: scf.for
// CHECK: %[[R:.*]] = cta.copy %R[%{{.*}}, %c0] {mechanism = #cta.mechanism<tma>} : memref<1024x1024xf32> -> !cta.smem<64xf32, #cta.swizzle<linear>>
// CHECK: %[[F:.*]] = cta.copy %S[%c0, %{{.*}}] {mechanism = #cta.mechanism<tma>} : memref<1024x1024xf32> -> !cta.smem<4xf32, #cta.swizzle<linear>>
// CHECK: %[[T:.*]] = cta.read_at %[[F]] at %{{.*}} dims = [0] : <4xf32, #cta.swizzle<linear>>, tensor<64xi32, #{{.*}}> -> tensor<64xf32,
// CHECK: %[[V:.*]] = cta.read %[[R]] : <64xf32, #cta.swizzle<linear>> -> tensor<64xf32,
// CHECK: arith.mulf %[[V]], %[[T]]
// CHECK-NOT: cta.load
// CHECK: scf.yield
tile.kernel @scales(%A: memref<1024x1024xbf16> {tile.align = 16}, %R: memref<1024x1024xf32> {tile.align = 16}, %S: memref<1024x1024xf32> {tile.align = 16},
                    %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %c = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%c0, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %p = tile.mma %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %r = tile.load %R[%k, %c0] dims = [1] : memref<1024x1024xf32> -> tensor<64xf32>
      %q = arith.divsi %k, %c4 : index
      %k4 = arith.muli %q, %c4 : index
      %left = arith.subi %k, %k4 : index
      %at = arith.index_cast %left : index to i32
      %all = tensor.splat %at : tensor<64xi32>
      %f = tile.load %S[%c0, %k4] dims = [1] : memref<1024x1024xf32> -> tensor<4xf32>
      %s = tile.take %f at %all dim = 0 : tensor<4xf32>, tensor<64xi32> -> tensor<64xf32>
      %m = arith.mulf %r, %s : tensor<64xf32>
      %b = tile.broadcast %m dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %t = arith.mulf %p, %b : tensor<64x64xf32>
      %next = arith.addf %sum, %t : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Not after the loop, not in a loop without products, not in one that holds another loop; and where TMA cannot, the reason says why.
// CHECK-LABEL: tile.kernel @not(
// CHECK: scf.for
// CHECK: cta.wgmma
// CHECK: cta.load %U[%{{.*}}] {why = "no TMA: the base of %U is not known to be a multiple of 16 bytes; add tile.align = 16 to it{{.*}}"} : memref<?xf32> -> tensor<64xf32,
// CHECK: scf.for
// CHECK: cta.load %R[
// CHECK: scf.for
// CHECK: cta.load %R[
// CHECK: scf.for
// CHECK: cta.load %R[
// CHECK: tile.return
tile.kernel @not(%A: memref<1024x1024xbf16> {tile.align = 16}, %R: memref<1024x1024xf32> {tile.align = 16}, %U: memref<?xf32>, %C: memref<?x?xf32>,
                 %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %row = arith.constant dense<0.0> : tensor<64xf32>
    %c = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%c0, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %p = tile.mma %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %u = tile.load %U[%k] : memref<?xf32> -> tensor<64xf32>
      %b = tile.broadcast %u dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %t = arith.mulf %p, %b : tensor<64x64xf32>
      %next = arith.addf %sum, %t : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %row) -> (tensor<64xf32>) {
      %r = tile.load %R[%k, %c0] dims = [1] : memref<1024x1024xf32> -> tensor<64xf32>
      %next = arith.addf %sum, %r : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    %o = scf.for %j = %c0 to %n step %c1 iter_args(%outer = %c) -> (tensor<64x64xf32>) {
      %r = tile.load %R[%j, %c0] dims = [1] : memref<1024x1024xf32> -> tensor<64xf32>
      %i = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %outer) -> (tensor<64x64xf32>) {
        %a = tile.load %A[%c0, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
        %next = tile.mma %a, %a, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      %b = tile.broadcast %r dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %t = arith.mulf %i, %b : tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    %last = tile.load %R[%c0, %c0] dims = [1] : memref<1024x1024xf32> -> tensor<64xf32>
    %both = arith.addf %last, %s : tensor<64xf32>
    %b = tile.broadcast %both dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
    %t = arith.mulf %o, %b : tensor<64x64xf32>
    tile.store %t, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Not from an array that the grid writes: nothing can fetch it ahead.
// CHECK-LABEL: tile.kernel @written(
// CHECK: scf.for
// CHECK-NOT: cta.copy %R[
// CHECK: cta.load %R[
// CHECK: tile.return
tile.kernel @written(%A: memref<1024x1024xbf16> {tile.align = 16}, %R: memref<1024x1024xf32> {tile.align = 16}, %C: memref<?x?xf32>, %n: index)
    attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %c = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%c0, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %p = tile.mma %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %r = tile.load %R[%k, %c0] dims = [1] : memref<1024x1024xf32> -> tensor<64xf32>
      %k1 = arith.addi %k, %c1 : index
      tile.store %r, %R[%k1, %c0] dims = [1] : tensor<64xf32> -> memref<1024x1024xf32>
      %b = tile.broadcast %r dims = [0] : tensor<64xf32> -> tensor<64x64xf32>
      %t = arith.mulf %p, %b : tensor<64x64xf32>
      %next = arith.addf %sum, %t : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
