// RUN: tile-opt %s --cta-split-branches --cta-verify | FileCheck %s

// The product's accumulators are scaled in a branch of their own. It takes the factor from the first one, which needs it too; the factor is zero where no
// branch is taken.
// CHECK-LABEL: tile.kernel @both
// CHECK:       %[[VOTE:.+]] = cta.any warp rare
// CHECK-NEXT:  %[[R:.+]]:3 = scf.if %[[VOTE]] -> (tensor<64xf32, #frag>, tensor<64xf32, #frag>, tensor<64xf32, #frag>) {
// CHECK-NEXT:    %[[MN:.+]] = arith.maximumf
// CHECK-NEXT:    arith.subf
// CHECK-NEXT:    %[[A:.+]] = math.exp2
// CHECK-NEXT:    %[[LN:.+]] = arith.mulf
// CHECK-NEXT:    scf.yield %[[MN]], %[[LN]], %[[A]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    %[[NIL:.+]] = arith.constant dense<0.000000e+00>
// CHECK-NEXT:    scf.yield %[[M0:.+]], %[[L0:.+]], %[[NIL]]
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[O:.+]] = scf.if %[[VOTE]] -> (tensor<64x64xf32, #wgmma_acc>) {
// CHECK-NEXT:    %[[AS:.+]] = cta.broadcast %[[R]]#2
// CHECK-NEXT:    %[[ON:.+]] = arith.mulf %[[O0:.+]], %[[AS]]
// CHECK-NEXT:    scf.yield %[[ON]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    scf.yield %[[O0]]
// CHECK-NEXT:  }
// CHECK-NEXT:  cta.wgmma %{{.+}}, %{{.+}}, %[[O]]
// CHECK-DAG:   cta.store %[[R]]#0
// CHECK-DAG:   cta.store %[[R]]#1

// Two products, two branches; what only they need is computed in each, from the new maximum, which is a result anyway.
// CHECK-LABEL: tile.kernel @apart
// CHECK:       %[[M1:.+]] = scf.if %[[VOTE:.+]] -> (tensor<64xf32, #frag>) {
// CHECK-NEXT:    arith.maximumf
// CHECK-NEXT:    scf.yield
// CHECK:       %[[O:.+]] = scf.if %[[VOTE]] -> (tensor<64x64xf32, #wgmma_acc>) {
// CHECK-NEXT:    arith.subf %{{.+}}, %[[M1]]
// CHECK-NEXT:    math.exp2
// CHECK-NEXT:    cta.broadcast
// CHECK-NEXT:    arith.mulf
// CHECK:       %[[Z:.+]] = scf.if %[[VOTE]] -> (tensor<64x64xf32, #wgmma_acc>) {
// CHECK-NEXT:    arith.subf %{{.+}}, %[[M1]]
// CHECK-NEXT:    math.exp2
// CHECK:       cta.wgmma %{{.+}}, %{{.+}}, %[[O]]
// CHECK:       cta.wgmma %{{.+}}, %{{.+}}, %[[Z]]

// One branch stays one: something else reads the accumulators; there is nothing else; the other side computes, too; the branch loads.
// CHECK-LABEL: tile.kernel @read
// CHECK:       scf.if
// CHECK-NOT:   scf.if
// CHECK-LABEL: tile.kernel @alone
// CHECK:       scf.if
// CHECK-NOT:   scf.if
// CHECK-LABEL: tile.kernel @works
// CHECK:       scf.if
// CHECK-NOT:   scf.if
// CHECK-LABEL: tile.kernel @loads
// CHECK:       scf.if
// CHECK-NOT:   scf.if
// The condition is not that of a tile.rare.
// CHECK-LABEL: tile.kernel @common
// CHECK:       scf.if
// CHECK-NOT:   scf.if
#acc = #cta.frag<wgmma_acc, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
#sw = #cta.swizzle<128, dim = 1>
!sum = tensor<64x64xf32, #acc>
!rows = tensor<64xf32, #row>
!q = !cta.smem<64x64xbf16, #sw>
tile.kernel @both(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %A: memref<?x64xbf16>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %most = arith.constant dense<8.0> : !rows
    %q = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x64xbf16> -> !q
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %z0 = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %l0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %need = arith.cmpf ogt, %m0, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1, %l1, %o1 = scf.if %vote -> (!rows, !rows, !sum) {
      %mn = arith.maximumf %m0, %l0 : !rows
      %drop = arith.subf %m0, %mn : !rows
      %a = math.exp2 %drop : !rows
      %ln = arith.mulf %l0, %a : !rows
      %as = cta.broadcast %a dims = [0] : !rows -> !sum
      %on = arith.mulf %o0, %as : !sum
      scf.yield %mn, %ln, %on : !rows, !rows, !sum
    } else {
      scf.yield %m0, %l0, %o0 : !rows, !rows, !sum
    }
    %d = cta.wgmma %q, %q, %o1 : !q, !q -> !sum
    cta.store %d, %Y[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
    cta.store %l1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @apart(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %A: memref<?x64xbf16>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %most = arith.constant dense<8.0> : !rows
    %q = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x64xbf16> -> !q
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %z0 = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %l0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %need = arith.cmpf ogt, %m0, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1, %o1, %z1 = scf.if %vote -> (!rows, !sum, !sum) {
      %mn = arith.maximumf %m0, %l0 : !rows
      %drop = arith.subf %m0, %mn : !rows
      %a = math.exp2 %drop : !rows
      %as = cta.broadcast %a dims = [0] : !rows -> !sum
      %on = arith.mulf %o0, %as : !sum
      %zn = arith.mulf %z0, %as : !sum
      scf.yield %mn, %on, %zn : !rows, !sum, !sum
    } else {
      scf.yield %m0, %o0, %z0 : !rows, !sum, !sum
    }
    %d = cta.wgmma %q, %q, %o1 : !q, !q -> !sum
    %e = cta.wgmma %q, %q, %z1 : !q, !q -> !sum
    cta.store %d, %Y[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %e, %X[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @read(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %A: memref<?x64xbf16>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %most = arith.constant dense<8.0> : !rows
    %q = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x64xbf16> -> !q
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %z0 = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %l0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %need = arith.cmpf ogt, %m0, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1, %l1, %o1 = scf.if %vote -> (!rows, !rows, !sum) {
      %mn = arith.maximumf %m0, %l0 : !rows
      %drop = arith.subf %m0, %mn : !rows
      %a = math.exp2 %drop : !rows
      %ln = arith.mulf %l0, %a : !rows
      %as = cta.broadcast %a dims = [0] : !rows -> !sum
      %on = arith.mulf %o0, %as : !sum
      scf.yield %mn, %ln, %on : !rows, !rows, !sum
    } else {
      scf.yield %m0, %l0, %o0 : !rows, !rows, !sum
    }
    %d = cta.wgmma %q, %q, %o1 : !q, !q -> !sum
    cta.store %d, %Y[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
    cta.store %l1, %m[%c0] : !rows -> memref<?xf32>
    cta.store %o1, %X[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @alone(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %A: memref<?x64xbf16>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %most = arith.constant dense<8.0> : !rows
    %q = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x64xbf16> -> !q
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %z0 = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %l0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %need = arith.cmpf ogt, %m0, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %o1 = scf.if %vote -> (!sum) {
      %as = cta.broadcast %m0 dims = [0] : !rows -> !sum
      %on = arith.mulf %o0, %as : !sum
      scf.yield %on : !sum
    } else {
      scf.yield %o0 : !sum
    }
    %d = cta.wgmma %q, %q, %o1 : !q, !q -> !sum
    cta.store %d, %Y[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @works(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %A: memref<?x64xbf16>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %most = arith.constant dense<8.0> : !rows
    %q = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x64xbf16> -> !q
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %z0 = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %l0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %need = arith.cmpf ogt, %m0, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1, %l1, %o1 = scf.if %vote -> (!rows, !rows, !sum) {
      %mn = arith.maximumf %m0, %l0 : !rows
      %drop = arith.subf %m0, %mn : !rows
      %a = math.exp2 %drop : !rows
      %ln = arith.mulf %l0, %a : !rows
      %as = cta.broadcast %a dims = [0] : !rows -> !sum
      %on = arith.mulf %o0, %as : !sum
      scf.yield %mn, %ln, %on : !rows, !rows, !sum
    } else {
      %more = math.exp2 %m0 : !rows
      scf.yield %more, %l0, %o0 : !rows, !rows, !sum
    }
    %d = cta.wgmma %q, %q, %o1 : !q, !q -> !sum
    cta.store %d, %Y[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
    cta.store %l1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @loads(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %A: memref<?x64xbf16>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %most = arith.constant dense<8.0> : !rows
    %q = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x64xbf16> -> !q
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %z0 = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %l0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %need = arith.cmpf ogt, %m0, %most : !rows
    %vote = cta.any warp rare %need : tensor<64xi1, #row>
    %m1, %l1, %o1 = scf.if %vote -> (!rows, !rows, !sum) {
      %g = cta.load %m[%c0] : memref<?xf32> -> !rows
      %mn = arith.maximumf %m0, %g : !rows
      %drop = arith.subf %m0, %mn : !rows
      %a = math.exp2 %drop : !rows
      %ln = arith.mulf %l0, %a : !rows
      %as = cta.broadcast %a dims = [0] : !rows -> !sum
      %on = arith.mulf %o0, %as : !sum
      scf.yield %mn, %ln, %on : !rows, !rows, !sum
    } else {
      scf.yield %m0, %l0, %o0 : !rows, !rows, !sum
    }
    %d = cta.wgmma %q, %q, %o1 : !q, !q -> !sum
    cta.store %d, %Y[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
    cta.store %l1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @common(%X: memref<?x64xf32>, %Y: memref<?x64xf32>, %m: memref<?xf32>, %A: memref<?x64xbf16>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %most = arith.constant dense<8.0> : !rows
    %q = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x64xbf16> -> !q
    %o0 = cta.load %Y[%c0, %c0] : memref<?x64xf32> -> !sum
    %z0 = cta.load %X[%c0, %c0] : memref<?x64xf32> -> !sum
    %m0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %l0 = cta.load %m[%c0] : memref<?xf32> -> !rows
    %need = arith.cmpf ogt, %m0, %most : !rows
    %vote = cta.any  %need : tensor<64xi1, #row>
    %m1, %l1, %o1 = scf.if %vote -> (!rows, !rows, !sum) {
      %mn = arith.maximumf %m0, %l0 : !rows
      %drop = arith.subf %m0, %mn : !rows
      %a = math.exp2 %drop : !rows
      %ln = arith.mulf %l0, %a : !rows
      %as = cta.broadcast %a dims = [0] : !rows -> !sum
      %on = arith.mulf %o0, %as : !sum
      scf.yield %mn, %ln, %on : !rows, !rows, !sum
    } else {
      scf.yield %m0, %l0, %o0 : !rows, !rows, !sum
    }
    %d = cta.wgmma %q, %q, %o1 : !q, !q -> !sum
    cta.store %d, %Y[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %m1, %m[%c0] : !rows -> memref<?xf32>
    cta.store %l1, %m[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}
