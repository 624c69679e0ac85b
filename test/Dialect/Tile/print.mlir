// RUN: tile-opt %s -tile-verify | tile-opt -tile-verify | FileCheck %s
// RUN: tile-opt %s -tile-verify -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -convert-tile-to-cta | FileCheck %s --check-prefix=CTA

// Nothing drops a print or brings two into another order, also not equal ones.

// CHECK-LABEL: tile.kernel @prints(
// CHECK: tile.print "a" %{{.*}} : tensor<2x3xf32>
// CHECK: tile.print "a" %{{.*}} : tensor<2x3xf32>
// CHECK: scf.for
// CHECK: tile.print "i" %{{.*}} if %{{.*}} : index
// CHECK: tile.print "nothing" %{{.*}} {note = 1 : i64} : i1
// With the coordinates of the block.
// CTA-LABEL: tile.kernel @prints(
// CTA: tile.grid (%[[I:.*]], %[[J:.*]]) =
// CTA: cta.print "a" %{{.*}}[%[[I]], %[[J]]] : tensor<2x3xf32>
// CTA: cta.print "a" %{{.*}}[%[[I]], %[[J]]] : tensor<2x3xf32>
// CTA: cta.print "i" %[[I]][%[[I]], %[[J]]] if %{{.*}} : index
// CTA: cta.print "nothing" %{{.*}}[%[[I]], %[[J]]] : i1
tile.kernel @prints(%x: memref<?x?xf32>, %n: index) attributes {require = #tile.require<[deterministic]>} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (2, 3) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = tile.load %x[%i, %j] : memref<?x?xf32> -> tensor<2x3xf32>
    tile.print "a" %a : tensor<2x3xf32>
    tile.print "a" %a : tensor<2x3xf32>
    scf.for %k = %c0 to %n step %c1 {
      %odd = arith.cmpi ult, %k, %i : index
      tile.print "i" %i if %odd : index
    }
    %false = arith.constant false
    tile.print "nothing" %false {note = 1} : i1
  }
  tile.return
}
