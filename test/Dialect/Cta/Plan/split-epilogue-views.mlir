// RUN: tile-opt %s -cta-split-epilogue | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue -cta-split-epilogue | FileCheck %s
// Stores by TMA of rows under another shape: each subtile is a view of its own, some columns further along the array's last dimension.

#acc = #cta.frag<wgmma_acc, wg = 2>
#placed = #tile.phase<placed>
!sum = tensor<128x64xf32, #acc>

// Subtiles of 64 bytes have a narrower swizzle, in both shapes.
// CHECK-LABEL: tile.kernel @images(
// CHECK: tile.grid (%[[B:.*]], %[[Y:.*]], %[[X:.*]], %[[K:.*]]) =
// CHECK: %[[S0:.*]] = cta.stage %{{.*}} -> <128x32xbf16, #cta.swizzle<64, dim = 1>>
// CHECK: %[[V0:.*]] = cta.view %[[S0]] : <128x32xbf16, #cta.swizzle<64, dim = 1>> -> <2x8x8x32xbf16, #cta.swizzle<64, dim = 3>>
// CHECK: cta.copy_out %[[V0]], %{{.*}}[%[[B]], %[[Y]], %[[X]], %[[K]]] {mechanism = #cta.mechanism<tma>, per_warpgroup}
// CHECK: %[[V1:.*]] = cta.view %{{.*}} -> <2x8x8x32xbf16
// CHECK: %[[K1:.*]] = arith.addi %[[K]], %c32
// CHECK: cta.copy_out %[[V1]], %{{.*}}[%[[B]], %[[Y]], %[[X]], %[[K1]]]
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @images(%Y: memref<?x?x?x?xbf16>, %x: memref<?x?xf32>, %n: index)
    attributes {phase = #placed, plan = #cta.plan<epilogue = 32>, warpgroups = 2} {
  tile.grid (%b, %y, %p, %k) = (0, 0, 0, 0) to (%n, %n, %n, %n) step (2, 8, 8, 64) {
    %acc = cta.load %x[%y, %k] : memref<?x?xf32> -> !sum
    %o = arith.truncf %acc : !sum to tensor<128x64xbf16, #acc>
    %s = cta.stage %o : tensor<128x64xbf16, #acc> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    %v = cta.view %s : <128x64xbf16, #cta.swizzle<128, dim = 1>> -> <2x8x8x64xbf16, #cta.swizzle<128, dim = 3>>
    cta.copy_out %v, %Y[%b, %y, %p, %k] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<2x8x8x64xbf16, #cta.swizzle<128, dim = 3>> -> memref<?x?x?x?xbf16>
  }
  tile.return
}

// Not if something else reads the view, or the tile behind it.
// CHECK-LABEL: tile.kernel @read(
// CHECK-COUNT-1: cta.stage
// CHECK-COUNT-1: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @read(%Y: memref<?x?x?xbf16>, %Z: memref<?x?xbf16>, %x: memref<?x?xf32>, %n: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%b, %k) = (0, 0) to (%n, %n) step (2, 128) {
    %c0 = arith.constant 0 : index
    %acc = cta.load %x[%b, %k] : memref<?x?xf32> -> tensor<128x128xf32, #acc>
    %o = arith.truncf %acc : tensor<128x128xf32, #acc> to tensor<128x128xbf16, #acc>
    %s = cta.stage %o : tensor<128x128xbf16, #acc> -> !cta.smem<128x128xbf16, #cta.swizzle<128, dim = 1>>
    %v = cta.view %s : <128x128xbf16, #cta.swizzle<128, dim = 1>> -> <2x64x128xbf16, #cta.swizzle<128, dim = 2>>
    cta.copy_out %v, %Y[%b, %c0, %k] {mechanism = #cta.mechanism<tma>} : !cta.smem<2x64x128xbf16, #cta.swizzle<128, dim = 2>> -> memref<?x?x?xbf16>
    %again = cta.read %s : !cta.smem<128x128xbf16, #cta.swizzle<128, dim = 1>> -> tensor<128x128xbf16, #acc>
    cta.store %again, %Z[%b, %k] : tensor<128x128xbf16, #acc> -> memref<?x?xbf16>
  }
  tile.return
}

// Nor if columns of the view are other ones: a linear tile may be seen under any shape.
// CHECK-LABEL: tile.kernel @other_columns(
// CHECK-COUNT-1: cta.view %{{.*}} -> <64x256xbf16
// CHECK-COUNT-1: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @other_columns(%Y: memref<?x?xbf16>, %x: memref<?x?xf32>, %n: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (64, 256) {
    %acc = cta.load %x[%i, %j] : memref<?x?xf32> -> tensor<128x128xf32, #acc>
    %e = math.exp %acc : tensor<128x128xf32, #acc>
    %o = arith.truncf %e : tensor<128x128xf32, #acc> to tensor<128x128xbf16, #acc>
    %s = cta.stage %o : tensor<128x128xbf16, #acc> -> !cta.smem<128x128xbf16, #cta.swizzle<linear>>
    %v = cta.view %s : <128x128xbf16, #cta.swizzle<linear>> -> <64x256xbf16, #cta.swizzle<linear>>
    cta.copy_out %v, %Y[%i, %j] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x256xbf16, #cta.swizzle<linear>> -> memref<?x?xbf16>
  }
  tile.return
}
