// RUN: tile-opt %s -tile-split-batches -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -tile-split-batches -tile-split-batches -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -tile-split-batches -tile-verify -o /dev/null

// The whole of a batched GEMM: two loads of each operand, two accumulators around the loop, two stores.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME: %[[A:[a-zA-Z0-9]+]]: memref<?x?x?xbf16>
// CHECK: tile.grid (%[[Z:.+]], %[[I:.+]], %[[J:.+]]) =
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK: %[[ACC:.+]]:2 = scf.for %[[K:.+]] = {{.*}} iter_args(%[[C0:.+]] = %[[ZERO]], %[[C1:.+]] = %[[ZERO]]) -> (tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK: %[[A0:.+]] = tile.load %[[A]][%[[Z]], %[[I]], %[[K]]] limit = [_, %{{.+}}] stages = 3 {{.*}}-> tensor<64x32xbf16>
// CHECK: %[[Z1:.+]] = arith.addi %[[Z]], %c1
// CHECK: %[[A1:.+]] = tile.load %[[A]][%[[Z1]], %[[I]], %[[K]]] limit = [_, %{{.+}}] stages = 3 {{.*}}-> tensor<64x32xbf16>
// CHECK: %[[B0:.+]] = tile.load {{.*}} dims = [2, 0] {{.*}}-> tensor<32x64xbf16>
// CHECK: %[[B1:.+]] = tile.load {{.*}} dims = [2, 0] {{.*}}-> tensor<32x64xbf16>
// CHECK: %[[D0:.+]] = tile.mma %[[A0]], %[[B0]], %[[C0]] require = [wgmma]
// CHECK: %[[D1:.+]] = tile.mma %[[A1]], %[[B1]], %[[C1]] require = [wgmma]
// CHECK: scf.yield %[[D0]], %[[D1]]
// CHECK: %[[T0:.+]] = arith.truncf %[[ACC]]#0
// CHECK: %[[T1:.+]] = arith.truncf %[[ACC]]#1
// CHECK: tile.store %[[T0]], %{{.+}}[%[[Z]], %[[I]], %[[J]]]
// CHECK: %[[Z2:.+]] = arith.addi %[[Z]], %c1
// CHECK: tile.store %[[T1]], %{{.+}}[%[[Z2]], %[[I]], %[[J]]]
// CHECK-NOT: tensor<2x
tile.kernel @gemm(%A: memref<?x?x?xbf16>, %B: memref<?x?x?xbf16>, %C: memref<?x?x?xbf16>, %z: index, %n: index) {
  tile.grid (%b, %i, %j) = (0, 0, 0) to (%z, %n, %n) step (2, 64, 64) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<2x64x64xf32>
    %acc = scf.for %k = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<2x64x64xf32>) {
      %x = tile.load %A[%b, %i, %k] limit = [_, _, %n] stages = 3 : memref<?x?x?xbf16> -> tensor<2x64x32xbf16>
      %y = tile.load %B[%j, %b, %k] dims = [1, 2, 0] : memref<?x?x?xbf16> -> tensor<2x32x64xbf16>
      %d = tile.mma %x, %y, %c require = [wgmma] : tensor<2x64x32xbf16>, tensor<2x32x64xbf16> -> tensor<2x64x64xf32>
      scf.yield %d : tensor<2x64x64xf32>
    }
    %t = arith.truncf %acc : tensor<2x64x64xf32> to tensor<2x64x64xbf16>
    tile.store %t, %C[%b, %i, %j] : tensor<2x64x64xbf16> -> memref<?x?x?xbf16>
  }
  tile.return
}

// One batch: no other op next to the products. A mask or a limit along the batch, and a reduction: the tile is sliced, or put together.
// CHECK-LABEL: tile.kernel @one(
// CHECK: %[[L:.+]] = tile.load {{.*}} limit = [%{{.+}}, _, _] {{.*}}-> tensor<1x64x64xf16>
// CHECK: %[[S:.+]] = tensor.{{collapse_shape|extract_slice}} %[[L]]
// CHECK: %[[D:.+]] = tile.mma %[[S]], %[[S]] : tensor<64x64xf16>
// CHECK: %[[E:.+]] = tensor.expand_shape %[[D]] {{.*}} into tensor<1x64x64xf32>
// CHECK: tile.reduce {{.*}}%[[E]]{{.*}} : tensor<1x64x64xf32> -> tensor<1x64xf32>
tile.kernel @one(%A: memref<?x?x?xf16>, %C: memref<?x?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0, %c0] limit = [%n, _, _] : memref<?x?x?xf16> -> tensor<1x64x64xf16>
    %d = tile.mma %x, %x : tensor<1x64x64xf16>, tensor<1x64x64xf16> -> tensor<1x64x64xf32>
    %r = tile.reduce addf %d dims = [2] : tensor<1x64x64xf32> -> tensor<1x64xf32>
    tile.store %r, %C[%c0, %c0] : tensor<1x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Many batches are split if their accumulators fit in the registers.
// CHECK-LABEL: tile.kernel @many(
// CHECK-COUNT-8: tile.mma {{.*}} : tensor<64x64xf16>, tensor<64x16xf16> -> tensor<64x16xf32>
// CHECK-NOT: tile.mma
tile.kernel @many(%A: memref<?x?x?xf16>, %B: memref<?x?x?xf16>, %F: memref<?x?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xf16> -> tensor<8x64x64xf16>
    %y = tile.load %B[%c0, %c0, %c0] : memref<?x?x?xf16> -> tensor<8x64x16xf16>
    %d = tile.mma %x, %y : tensor<8x64x64xf16>, tensor<8x64x16xf16> -> tensor<8x64x16xf32>
    tile.store %d, %F[%c0, %c0, %c0] : tensor<8x64x16xf32> -> memref<?x?x?xf32>
  }
  tile.return
}

// Not these: too many accumulators (256 a thread), too many batches, types that the tensor cores do not take; nor rank-3 tiles of other shapes next to them.
// CHECK-LABEL: tile.kernel @left_alone(
// CHECK: tile.mma {{.*}} : tensor<8x64x64xf16>
// CHECK: tile.mma {{.*}} : tensor<33x64x16xf16>
// CHECK: tile.mma {{.*}} : tensor<2x16x16xf32>
// CHECK: tile.mma {{.*}} : tensor<2x32x32xf16>
// CHECK: tile.mma {{.*}} : tensor<64x64xf16>
tile.kernel @left_alone(%A: memref<?x?x?xf16>, %F: memref<?x?x?xf32>, %M: memref<?x?xf16>, %G: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xf16> -> tensor<8x64x64xf16>
    %d = tile.mma %x, %x : tensor<8x64x64xf16>, tensor<8x64x64xf16> -> tensor<8x64x64xf32>
    tile.store %d, %F[%c0, %c0, %c0] : tensor<8x64x64xf32> -> memref<?x?x?xf32>
    %p = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xf16> -> tensor<33x64x16xf16>
    %q = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xf16> -> tensor<33x16x8xf16>
    %r = tile.mma %p, %q : tensor<33x64x16xf16>, tensor<33x16x8xf16> -> tensor<33x64x8xf32>
    tile.store %r, %F[%c0, %c0, %c0] : tensor<33x64x8xf32> -> memref<?x?x?xf32>
    %y = tile.load %F[%c0, %c0, %c0] : memref<?x?x?xf32> -> tensor<2x16x16xf32>
    %e = tile.mma %y, %y : tensor<2x16x16xf32>, tensor<2x16x16xf32> -> tensor<2x16x16xf32>
    tile.store %e, %F[%c0, %c0, %c0] : tensor<2x16x16xf32> -> memref<?x?x?xf32>
    %u = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xf16> -> tensor<2x32x32xf16>
    %v = tile.mma %u, %u : tensor<2x32x32xf16>, tensor<2x32x32xf16> -> tensor<2x32x32xf32>
    tile.store %v, %F[%c0, %c0, %c0] : tensor<2x32x32xf32> -> memref<?x?x?xf32>
    %m = tile.load %M[%c0, %c0] : memref<?x?xf16> -> tensor<64x64xf16>
    %f = tile.mma %m, %m : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    tile.store %f, %G[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
