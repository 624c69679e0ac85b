// RUN: tile-opt %s --cta-vote-by-lanes --cta-verify | FileCheck %s
// RUN: tile-opt %s --cta-vote-by-lanes -o /dev/null --remark-format=emitRemark --remarks-filter=cta-vote-by-lanes 2>&1 | FileCheck %s --check-prefix=REMARK
// What attention computes with it: test/Examples/erased-planned.test.

// Each lane compares the maximum of its own elements with the row's limit. Shuffles are in the branch only.
// REMARK: [Passed] vote | {{.*}}Remark="each lane votes on what it holds"
// CHECK-LABEL: tile.kernel @lanes
// CHECK:       %[[M0:.+]] = cta.load %m
// CHECK:       %[[FS:.+]] = cta.broadcast %f
// CHECK:       %[[Q:.+]] = cta.reshape %{{.+}} : tensor<64x64xf32, #wgmma_acc> -> tensor<64x8x4x2xf32, #{{.+}}>
// CHECK-NEXT:  %[[OWN:.+]] = cta.reduce (%[[Q]]) dims = [1, 3] init(%[[LOW:.+]]) {
// CHECK:         arith.maximumf
// CHECK:       } : tensor<64x8x4x2xf32, #{{.+}}> -> tensor<64x4xf32, #[[LANES:.+]]>
// CHECK-NEXT:  %[[MS:.+]] = cta.broadcast %[[M0]] dims = [0]
// CHECK-NEXT:  %[[RISE:.+]] = arith.subf %[[OWN]], %[[MS]] : tensor<64x4xf32, #[[LANES]]>
// CHECK-NEXT:  %[[FL:.+]] = cta.broadcast %[[FS]] dims = [0]
// CHECK-NEXT:  %[[POWERS:.+]] = arith.mulf %[[RISE]], %[[FL]]
// CHECK-NEXT:  %[[MOST:.+]] = cta.broadcast %{{.+}} dims = [0]
// CHECK-NEXT:  %[[NEED:.+]] = arith.cmpf ogt, %[[POWERS]], %[[MOST]]
// CHECK-NEXT:  %[[VOTE:.+]] = cta.any warp rare %[[NEED]] : tensor<64x4xi1, #[[LANES]]>
// CHECK-NEXT:  scf.if %[[VOTE]]
// CHECK-NEXT:    %[[ROW:.+]] = cta.reduce (%[[OWN]]) dims = [1] init(%[[LOW]]) {
// CHECK:         } : tensor<64x4xf32, #[[LANES]]> -> tensor<64xf32, #{{.+}}>
// CHECK-NEXT:    arith.maximumf %[[M0]], %[[ROW]]

// A branch that selects rows computes the need of rows.
// REMARK: [Passed] vote
// CHECK-LABEL: tile.kernel @selects
// CHECK:       cta.any warp rare %{{.+}} : tensor<64x4xi1
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    %[[ROW:.+]] = cta.reduce
// CHECK:         %[[RISE:.+]] = arith.subf %[[ROW]], %[[M0:.+]] : tensor<64xf32
// CHECK-NEXT:    %[[POWERS:.+]] = arith.mulf %[[RISE]]
// CHECK-NEXT:    %[[NEED:.+]] = arith.cmpf ogt, %[[POWERS]]
// CHECK-NEXT:    %[[MN:.+]] = arith.maximumf %[[M0]], %[[ROW]]
// CHECK-NEXT:    arith.select %[[NEED]], %[[MN]], %[[M0]]

// REMARK: [Passed] vote
// CHECK-LABEL: tile.kernel @minimum
// CHECK:       cta.any warp rare %{{.+}} : tensor<64x4xi1

// A sum is none of its terms; the whole maximum is needed outside, or the condition; two maxima; two branches.
// REMARK: [Missed] vote | {{.*}}Remark="the vote is about whole rows: ", Remark="it does not depend on a maximum or minimum of rows"
// CHECK-LABEL: tile.kernel @sum
// CHECK:       cta.any warp rare %{{.+}} : tensor<64xi1
// REMARK: [Missed] vote | {{.*}}Remark="other ops than its branch need the whole maximum"
// CHECK-LABEL: tile.kernel @outside
// CHECK:       cta.any warp rare %{{.+}} : tensor<64xi1
// REMARK: [Missed] vote | {{.*}}Remark="other ops than its branch need the condition"
// CHECK-LABEL: tile.kernel @needed
// CHECK:       cta.any warp rare %{{.+}} : tensor<64xi1
// REMARK: [Missed] vote | {{.*}}Remark="it depends on two reductions"
// CHECK-LABEL: tile.kernel @two
// CHECK:       cta.any warp rare %{{.+}} : tensor<64xi1
// REMARK: [Missed] vote | {{.*}}Remark="it decides several branches"
// CHECK-LABEL: tile.kernel @branches
// CHECK:       cta.any warp rare %{{.+}} : tensor<64xi1
// Without `rare` the branch may run only where the condition holds.
// REMARK-NOT: Remark=
// CHECK-LABEL: tile.kernel @block
// CHECK:       cta.any %{{.+}} : tensor<64xi1
#acc = #cta.frag<wgmma_acc, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
!sum = tensor<64x64xf32, #acc>
!rows = tensor<64xf32, #row>
tile.kernel @lanes(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @selects(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      %ms = arith.select %need, %mn, %m0 : tensor<64xi1, #row>, !rows
      scf.yield %ms : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @minimum(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.minnumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @sum(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%nil) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.addf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @outside(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
    cta.store %here, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @needed(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    %t = arith.select %need, %m1, %m0 : tensor<64xi1, #row>, !rows
    cta.store %t, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @two(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %there = cta.reduce (%o0) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %there : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @branches(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    %m2 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m1, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @block(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %nil = arith.constant 0.0 : f32
    %most = arith.constant dense<8.0> : !rows
    %s = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %fs = cta.broadcast %f dims = [] : f32 -> !rows
    %here = cta.reduce (%s) dims = [1] init(%low) {
    ^bb0(%a: f32, %b: f32):
      %x = arith.maximumf %a, %b : f32
      tile.yield %x : f32
    } : !sum -> !rows
    %rise = arith.subf %here, %m0 : !rows
    %powers = arith.mulf %rise, %fs : !rows
    %need = arith.cmpf ogt, %powers, %most : !rows
    %vote = cta.any  %need : tensor<64xi1, #row>
    %m1 = scf.if %vote -> (!rows) {
      %mn = arith.maximumf %m0, %here : !rows
      scf.yield %mn : !rows
    } else {
      scf.yield %m0 : !rows
    }
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}
