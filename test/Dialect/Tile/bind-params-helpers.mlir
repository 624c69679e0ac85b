// RUN: tile-opt %s -tile-bind-params -tile-verify | FileCheck %s
// RUN: tile-opt %s '-tile-bind-params=bindings=R=8' -tile-verify | FileCheck %s --check-prefix=OTHER
// RUN: not tile-opt %s -tile-bind-params=bindings=R=2 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: tilec %s --list-members --emit=members --target=cpu -o - | FileCheck %s --check-prefix=MEMBERS
// MEMBERS: helped: R=4
// MEMBERS-NEXT: helped: R=8
// MEMBERS-NOT: helped

// What a helper assumes about its arguments is an assumption about parameters, and so is what a helper of a helper does with its results: R = 2 is no choice.
// CHECK-LABEL: tile.kernel @helped
// CHECK-NOT: func.call
// CHECK-NOT: tile.assume
// CHECK: tile.grid (%i) = (0) to (%n) step (256)
// OTHER-LABEL: tile.kernel @helped
// OTHER: tile.grid (%i) = (0) to (%n) step (512)
// BROKEN: error: an assumption about the parameters does not hold with R=2: "a tile has at least 256 columns"
tile.kernel @helped(%x: memref<?xf32>, %n: index) {
  %R = tile.param "R" [2, 4, 8] : index
  %W = func.call @width(%R) : (index) -> index
  tile.grid (%i) = (0) to (%n) step (%W) {
    %t = tile.load %x[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
func.func private @width(%R: index) -> index {
  %c64 = arith.constant 64 : index
  %W = arith.muli %R, %c64 : index
  func.call @is_wide(%W) : (index) -> ()
  return %W : index
}
func.func private @is_wide(%W: index) {
  %c256 = arith.constant 256 : index
  %wide = arith.cmpi sge, %W, %c256 : index
  tile.assume %wide, "a tile has at least 256 columns" : i1
  return
}
