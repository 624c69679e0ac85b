// RUN: tile-opt %s -tile-verify -o /dev/null
// RUN: tile-opt %s -tile-bind-params -tile-verify | FileCheck %s
// RUN: tile-opt %s '-tile-bind-params=bindings=R=4' -tile-verify | FileCheck %s --check-prefix=OTHER
// RUN: tile-opt %s -tile-bind-params | tile-opt -tile-bind-params -tile-verify -o /dev/null
// RUN: not tile-opt %s -tile-bind-params=bindings=excluded/R=2 2>&1 | FileCheck %s --check-prefix=BROKEN

// Parameters that choose among numbers of the text, by which other numbers are computed.

// A select.
// CHECK-LABEL: tile.kernel @select
// CHECK-NOT: arith.select
// CHECK-NOT: tile.assume
// CHECK: tile.grid (%i) = (0) to (%n) step (256)
// CHECK: tile.load %x[%i] : memref<?xf32> -> tensor<256xf32>
// OTHER-LABEL: tile.kernel @select
// OTHER-NOT: tile.assume
// OTHER: tile.grid (%i) = (0) to (%n) step (128)
tile.kernel @select(%x: memref<?xf32>, %n: index) {
  %R = tile.param "R" [2, 4] : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %isFour = arith.cmpi eq, %R, %c4 : index
  %half = arith.select %isFour, %c64, %c128 : index
  %W = arith.muli %half, %c2 : index
  tile.assume %W {max = 256} : index
  tile.grid (%i) = (0) to (%n) step (%W) {
    %t = tile.load %x[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}

// A branch that yields constants, directly and out of another branch, and one that computes them from constants alone.
// CHECK-LABEL: tile.kernel @branch
// CHECK-NOT: scf.if
// CHECK: tile.grid (%i) = (0) to (%n) step (24)
// CHECK: tile.load %x[%i, %{{.*}}] : memref<?x?xf32> -> tensor<24x96xf32>
// OTHER-LABEL: tile.kernel @branch
// OTHER-NOT: scf.if
// OTHER: tile.grid (%i) = (0) to (%n) step (32)
// OTHER: tile.load %x[%i, %{{.*}}] : memref<?x?xf32> -> tensor<32x32xf32>
tile.kernel @branch(%x: memref<?x?xf32>, %n: index) {
  %R = tile.param "R" [2, 4] : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %isFour = arith.cmpi eq, %R, %c4 : index
  %isEven = arith.cmpi uge, %R, %c2 : index
  %rows, %columns = scf.if %isFour -> (index, index) {
    %square = arith.muli %c4, %c8 : index
    scf.yield %square, %square : index, index
  } else {
    %inner = scf.if %isEven -> index {
      scf.yield %c12 : index
    } else {
      scf.yield %c4 : index
    }
    %twice = arith.muli %inner, %c2 : index
    %wide = arith.muli %twice, %c4 : index
    scf.yield %twice, %wide : index, index
  }
  tile.grid (%i) = (0) to (%n) step (%rows) {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%i, %c0] tile(%rows, %columns) : memref<?x?xf32> -> tensor<?x?xf32>
    tile.store %t, %x[%i, %c0] : tensor<?x?xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Cases that yield constants.
// CHECK-LABEL: tile.kernel @switch
// CHECK: tile.load %x[%i] : memref<?xf32> -> tensor<16xf32>
// OTHER-LABEL: tile.kernel @switch
// OTHER: tile.load %x[%i] : memref<?xf32> -> tensor<32xf32>
tile.kernel @switch(%x: memref<?xf32>, %n: index) {
  %R = tile.param "R" [2, 4] : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %step = scf.index_switch %R -> index
  case 2 {
    scf.yield %c8 : index
  }
  default {
    scf.yield %c16 : index
  }
  %twice = arith.addi %step, %step : index
  tile.grid (%i) = (0) to (%n) step (%twice) {
    %t = tile.load %x[%i] tile(%twice) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}

// An extent from constants alone, which a family may have.
// CHECK-LABEL: tile.kernel @constants
// CHECK: tile.load %x[%{{.*}}] : memref<?xf32> -> tensor<32xf32>
// OTHER-LABEL: tile.kernel @constants
tile.kernel @constants(%x: memref<?xf32>, %n: index) {
  %R = tile.param "R" [2, 4] : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %true = arith.constant true
  %area = arith.muli %c4, %c8 : index
  tile.grid (%i) = (0) to (%n) step (32) {
    %extent = scf.if %true -> index {
      scf.yield %area : index
    } else {
      scf.yield %c4 : index
    }
    %t = tile.load %x[%i] tile(%extent) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}

// What is not known stays: a condition of the launch that stands beside parameters, numbers that it chooses, and an assumption about a
// constant that a parameter also chooses.
// CHECK-LABEL: tile.kernel @unknown
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: arith.select %c, %[[FOUR]], %[[EIGHT]] : index
// CHECK: tile.assume %[[EIGHT]] {min = 8 : i64} : index
// CHECK: scf.if %c -> (index)
// CHECK: tile.load %x[%{{.*}}] : memref<?xf32> -> tensor<8xf32>
// OTHER-LABEL: tile.kernel @unknown
// OTHER: tile.load %x[%{{.*}}] : memref<?xf32> -> tensor<4xf32>
tile.kernel @unknown(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %c: i1) {
  %R = tile.param "R" [2, 4] : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %isFour = arith.cmpi eq, %R, %c4 : index
  %W = arith.select %isFour, %c4, %c8 : index
  %free = arith.select %c, %c4, %c8 : index
  tile.assume %c8 {min = 8} : index
  tile.grid (%i) = (0) to (%n) step (8) {
    %branch = scf.if %c -> index {
      scf.yield %c4 : index
    } else {
      scf.yield %W : index
    }
    %both = arith.addi %free, %branch : index
    %at = arith.addi %i, %both : index
    %t = tile.load %x[%at] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %y[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}

// A branch that computes its number from constants alone, in an op or in a branch of its own: an assumption about it is checked here, and is no
// condition of the launch. What such a branch yields that no parameter chooses stays one.
// CHECK-LABEL: tile.kernel @computed
// CHECK-NOT: tile.assume
// CHECK: tile.grid (%i) = (0) to (%n) step (32)
// CHECK: tile.load %x[%i] : memref<?xf32> -> tensor<32xf32>
// CHECK-NOT: tile.assume
// CHECK: tile.assume %{{.*}} {max = 1024 : i64} : index
// CHECK-NOT: tile.assume
// CHECK: tile.return
// OTHER-LABEL: tile.kernel @computed
// OTHER-NOT: tile.assume
// OTHER: tile.grid (%i) = (0) to (%n) step (4)
// OTHER: tile.assume %n {max = 1024 : i64} : index
// OTHER-NOT: tile.assume
tile.kernel @computed(%x: memref<?xf32>, %n: index) {
  %R = tile.param "R" [2, 4] : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %isFour = arith.cmpi eq, %R, %c4 : index
  %isLess = arith.cmpi ult, %R, %c4 : index
  %W, %V, %most = scf.if %isFour -> (index, index, index) {
    scf.yield %c4, %c4, %n : index, index, index
  } else {
    %area = arith.muli %c4, %c8 : index
    %inner = scf.if %isLess -> index {
      %sum = arith.addi %c4, %c8 : index
      scf.yield %sum : index
    } else {
      scf.yield %c4 : index
    }
    %rest = arith.subi %n, %c4 : index
    scf.yield %area, %inner, %rest : index, index, index
  }
  tile.assume %W {max = 64} : index
  tile.assume %V {max = 64} : index
  tile.grid (%i) = (0) to (%n) step (%W) {
    %t = tile.load %x[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.assume %most {max = 1024} : index
  tile.return
}

// The same assumption excludes a choice, and is an error where that one is asked for.
// CHECK-LABEL: tile.kernel @excluded
// CHECK-SAME: tile.bound = {R = 4 : i64}
// CHECK-NOT: tile.assume
// OTHER-LABEL: tile.kernel @excluded
// OTHER-NOT: tile.assume
// BROKEN: bind-params-choices.mlir:[[#@LINE+12]]:3: error: an assumption about the parameters does not hold with R=2: the number is 32, and at most 16 is assumed
tile.kernel @excluded(%x: memref<?xf32>, %n: index) {
  %R = tile.param "R" [2, 4] : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %isFour = arith.cmpi eq, %R, %c4 : index
  %W = scf.if %isFour -> index {
    scf.yield %c4 : index
  } else {
    %area = arith.muli %c4, %c8 : index
    scf.yield %area : index
  }
  tile.assume %W {max = 16} : index
  tile.grid (%i) = (0) to (%n) step (%W) {
    %t = tile.load %x[%i] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
