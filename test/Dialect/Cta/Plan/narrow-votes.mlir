// RUN: tile-opt %s --cta-narrow-votes --cta-verify | FileCheck %s
// RUN: tile-opt %s --cta-narrow-votes --convert-cta-to-tile | FileCheck %s --check-prefix=ERASED

#acc = #cta.frag<wgmma_acc, wg = 2>
#rows = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 2 on 0>
#other = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 1>
#cols = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[0, 8], [0, 16]], wg = 1>
#quad = #cta.frag<regs = [], lanes = [[0], [0], [1], [2], [4]], warps = [[0], [0]], wg = 1>
#sw = #cta.swizzle<linear>

// A row of accumulators is in one warp. Reductions within a warp, shuffles, functions, loads, loops and votes of the warp concern no other one.
// CHECK-LABEL: tile.kernel @rescale(
// CHECK: cta.any warp rare %{{.*}} : tensor<128xi1
// CHECK: scf.if
// CHECK:   cta.any warp rare %
// ERASED-LABEL: tile.kernel @rescale(
// ERASED: %[[A:.*]] = tile.reduce ori %{{.*}} dims = [0] {tile.rarely} : tensor<128xi1> -> tensor<i1>
// ERASED-NEXT: %[[C:.*]] = tensor.extract %[[A]][]
// ERASED-NEXT: scf.if %[[C]]
tile.kernel @rescale(%X: memref<?x?xf32>, %y: memref<?xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %big = arith.constant dense<8.0> : tensor<128xf32, #rows>
    %x = cta.load %X[%c0, %c0] : memref<?x?xf32> -> tensor<128x64xf32, #acc>
    %m = cta.load %y[%c0] : memref<?xf32> -> tensor<128xf32, #rows>
    %need = arith.cmpf ogt, %m, %big : tensor<128xf32, #rows>
    %c = cta.any rare %need : tensor<128xi1, #rows>
    %r:2 = scf.if %c -> (tensor<128x64xf32, #acc>, tensor<128xf32, #rows>) {
      %ninf = arith.constant -1.0e30 : f32
      %l = cta.load %X[%c0, %c1] : memref<?x?xf32> -> tensor<128x64xf32, #acc>
      %t = cta.reduce (%l) dims = [1] init(%ninf) {
      ^bb0(%a: f32, %b: f32):
        %v = arith.maximumf %a, %b : f32
        tile.yield %v : f32
      } : tensor<128x64xf32, #acc> -> tensor<128xf32, #rows>
      %e = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t) -> (tensor<128xf32, #rows>) {
        %f = math.exp2 %s : tensor<128xf32, #rows>
        scf.yield %f : tensor<128xf32, #rows>
      }
      %more = arith.cmpf ogt, %e, %big : tensor<128xf32, #rows>
      %d = cta.any rare %more : tensor<128xi1, #rows>
      %g = scf.if %d -> (tensor<128xf32, #rows>) {
        %h = math.exp2 %e : tensor<128xf32, #rows>
        scf.yield %h : tensor<128xf32, #rows>
      } else {
        scf.yield %e : tensor<128xf32, #rows>
      }
      %gs = cta.broadcast %g dims = [0] : tensor<128xf32, #rows> -> tensor<128x64xf32, #acc>
      %o = arith.mulf %x, %gs : tensor<128x64xf32, #acc>
      scf.yield %o, %g : tensor<128x64xf32, #acc>, tensor<128xf32, #rows>
    } else {
      scf.yield %x, %m : tensor<128x64xf32, #acc>, tensor<128xf32, #rows>
    }
    cta.store %r#0, %X[%c0, %c0] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
    cta.store %r#1, %y[%c0] : tensor<128xf32, #rows> -> memref<?xf32>
  }
  tile.return
}

// The branch is not that of a tile.rare: rows that do not need it take it, too.
// CHECK-LABEL: tile.kernel @condition(
// CHECK: cta.any %{{.*}} {why = "the condition is one of the whole block, not of rows"} : tensor<128xi1
tile.kernel @condition(%y: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %m = cta.load %y[%c0] : memref<?xf32> -> tensor<128xf32, #other>
    %need = arith.cmpf une, %m, %m : tensor<128xf32, #other>
    %c = cta.any %need : tensor<128xi1, #other>
    %r = scf.if %c -> (tensor<128xf32, #other>) {
      %e = math.exp2 %m : tensor<128xf32, #other>
      scf.yield %e : tensor<128xf32, #other>
    } else {
      scf.yield %m : tensor<128xf32, #other>
    }
    cta.store %r, %y[%c0] : tensor<128xf32, #other> -> memref<?xf32>
  }
  tile.return
}

// Other uses of the scalar, shared memory in the branch, and a vote of the block in it.
// CHECK-LABEL: tile.kernel @block(
// CHECK: cta.any rare %{{.*}} {why = "the result is more than the condition of a branch: it is used by arith.select"}
// CHECK: cta.any rare %{{.*}} {why = "the branch uses shared memory: cta.stage"}
// CHECK: cta.any rare %{{.*}} {why = "the branch holds a vote of the block"}
// CHECK: scf.if
// CHECK:   cta.any rare %{{.*}} {why = "the branch uses shared memory: cta.stage"}
tile.kernel @block(%y: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %m = cta.load %y[%c0] : memref<?xf32> -> tensor<128xf32, #other>
    %need = arith.cmpf une, %m, %m : tensor<128xf32, #other>
    %a = cta.any rare %need : tensor<128xi1, #other>
    %e = math.exp2 %m : tensor<128xf32, #other>
    %q = arith.select %a, %e, %m : tensor<128xf32, #other>
    %b = cta.any rare %need : tensor<128xi1, #other>
    %r = scf.if %b -> (tensor<128xf32, #other>) {
      %s = cta.stage %q : tensor<128xf32, #other> -> !cta.smem<128xf32, #sw>
      %t = cta.read %s : !cta.smem<128xf32, #sw> -> tensor<128xf32, #other>
      scf.yield %t : tensor<128xf32, #other>
    } else {
      scf.yield %m : tensor<128xf32, #other>
    }
    %c = cta.any rare %need : tensor<128xi1, #other>
    %u = scf.if %c -> (tensor<128xf32, #other>) {
      %d = cta.any rare %need : tensor<128xi1, #other>
      %v = scf.if %d -> (tensor<128xf32, #other>) {
        %s = cta.stage %r : tensor<128xf32, #other> -> !cta.smem<128xf32, #sw>
        %t = cta.read %s : !cta.smem<128xf32, #sw> -> tensor<128xf32, #other>
        scf.yield %t : tensor<128xf32, #other>
      } else {
        scf.yield %r : tensor<128xf32, #other>
      }
      scf.yield %v : tensor<128xf32, #other>
    } else {
      scf.yield %r : tensor<128xf32, #other>
    }
    cta.store %u, %y[%c0] : tensor<128xf32, #other> -> memref<?xf32>
  }
  tile.return
}

// Four warps share the rows: each votes on all of them, so they agree. Where the warps of the result hold other rows than those that vote, they
// do not.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: cta.any warp rare %{{.*}} : tensor<8xi1
// CHECK: cta.any rare %{{.*}} {why = "a warp holds other rows of what the branch yields than of the vote"} : tensor<128xi1
// CHECK: cta.any rare %{{.*}} {why = "the branch yields a value without the rows of the vote"} : tensor<128xi1
tile.kernel @rows(%X: memref<?x?xf32>, %y: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = cta.load %X[%c0, %c0] : memref<?x?xf32> -> tensor<8x32xf32, #cols>
    %m = cta.load %y[%c0] : memref<?xf32> -> tensor<8xf32, #quad>
    %n = arith.cmpf une, %m, %m : tensor<8xf32, #quad>
    %a = cta.any rare %n : tensor<8xi1, #quad>
    %r = scf.if %a -> (tensor<8x32xf32, #cols>) {
      %e = math.exp2 %x : tensor<8x32xf32, #cols>
      scf.yield %e : tensor<8x32xf32, #cols>
    } else {
      scf.yield %x : tensor<8x32xf32, #cols>
    }
    cta.store %r, %X[%c0, %c0] : tensor<8x32xf32, #cols> -> memref<?x?xf32>
    %z = cta.load %y[%c0] : memref<?xf32> -> tensor<128xf32, #other>
    %o = arith.cmpf une, %z, %z : tensor<128xf32, #other>
    %w = cta.load %y[%c0] : memref<?xf32> -> tensor<128xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>>
    %b = cta.any rare %o : tensor<128xi1, #other>
    %s = scf.if %b -> (tensor<128xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>>) {
      %e = math.exp2 %w : tensor<128xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>>
      scf.yield %e : tensor<128xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>>
    } else {
      scf.yield %w : tensor<128xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>>
    }
    cta.store %s, %y[%c0] : tensor<128xf32, #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>> -> memref<?xf32>
    %c = cta.any rare %o : tensor<128xi1, #other>
    %t = scf.if %c -> (tensor<8x32xf32, #cols>) {
      %e = math.exp2 %r : tensor<8x32xf32, #cols>
      scf.yield %e : tensor<8x32xf32, #cols>
    } else {
      scf.yield %r : tensor<8x32xf32, #cols>
    }
    cta.store %t, %X[%c0, %c0] : tensor<8x32xf32, #cols> -> memref<?x?xf32>
  }
  tile.return
}
