// RUN: tile-opt %s --split-input-file --cta-defer-sums --cta-verify | FileCheck %s
// What attention computes with it: test/Examples/erased-planned.test.

// Columns of an accumulator: one bit in registers, two in lanes, the rest in registers. Each lane sums its own sixteen.
// CHECK-DAG:   #[[$SPLIT:.+]] = #cta.frag<regs = {{\[\[}}0, 0, 0, 1], [8, 0, 0, 0]], lanes = {{\[\[}}0, 0, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]], warps = {{\[\[}}16, 0, 0, 0], [32, 0, 0, 0]]>
// CHECK-DAG:   #[[$LANES:.+]] = #cta.frag<regs = {{\[\[}}8, 0]], lanes = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warps = {{\[\[}}16, 0], [32, 0]]>
// CHECK-LABEL: tile.kernel @fma
// CHECK:       %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<64x4xf32, #[[$LANES]]>
// CHECK-NEXT:  %[[R:.+]] = scf.for {{.*}} iter_args(%[[L0:.+]] = %[[ZERO]]) -> (tensor<64x4xf32, #[[$LANES]]>) {
// CHECK:         %[[S:.+]] = cta.wgmma
// CHECK:         %[[Q:.+]] = cta.reshape %[[S]] : tensor<64x64xf32, #wgmma_acc> -> tensor<64x8x4x2xf32, #[[$SPLIT]]>
// CHECK:         %[[PART:.+]] = cta.reduce (%[[Q]]) dims = [1, 3]
// CHECK:         } : tensor<64x8x4x2xf32, #[[$SPLIT]]> -> tensor<64x4xf32, #[[$LANES]]>
// CHECK-NEXT:    %[[A:.+]] = cta.broadcast %{{.+}} dims = [0] : tensor<64xf32, #{{.+}}> -> tensor<64x4xf32, #[[$LANES]]>
// CHECK-NEXT:    %[[L:.+]] = math.fma %[[L0]], %[[A]], %[[PART]]
// CHECK-NEXT:    scf.yield %[[L]]
// CHECK-NEXT:  }
// CHECK:       %[[TOTAL:.+]] = cta.reduce (%[[R]]) dims = [1]
// CHECK:       } : tensor<64x4xf32, #[[$LANES]]> -> tensor<64xf32, #{{.+}}>
// CHECK-NEXT:  cta.store %[[TOTAL]]

// CHECK-LABEL: tile.kernel @mul
// CHECK:         %[[A:.+]] = cta.broadcast %{{.+}} dims = [0]
// CHECK-NEXT:    %[[M:.+]] = arith.mulf %[[L0:.+]], %[[A]]
// CHECK-NEXT:    arith.addf %[[M]], %{{.+}} : tensor<64x4xf32

// A branch scales the sum or leaves it.
// CHECK-LABEL: tile.kernel @rare
// CHECK:       scf.for {{.*}} iter_args(%[[L0:.+]] = %{{.+}}) -> (tensor<64x4xf32
// CHECK:         %[[M:.+]] = scf.if %{{.+}} -> (tensor<64x4xf32, #[[$LANES]]>) {
// CHECK-NEXT:      %[[A:.+]] = cta.broadcast %{{.+}} dims = [0]
// CHECK-NEXT:      %[[S:.+]] = arith.mulf %[[L0]], %[[A]] : tensor<64x4xf32, #[[$LANES]]>
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[L0]]
// CHECK-NEXT:    }
// CHECK:         %[[PART:.+]] = cta.reduce (%{{.+}}) dims = [1, 3]
// CHECK:         arith.addf %[[M]], %[[PART]] : tensor<64x4xf32

// Or adds to it: then the lanes need the whole sum.
// CHECK-LABEL: tile.kernel @grows
// CHECK:       scf.for {{.*}} -> (tensor<64xf32

// CHECK-LABEL: tile.kernel @plain
// CHECK:       scf.for {{.*}} iter_args(%[[L0:.+]] =
// CHECK-NOT:     cta.broadcast
// CHECK:         arith.addf %[[L0]], %{{.+}} : tensor<64x4xf32
#acc = #cta.frag<wgmma_acc, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!rows = tensor<64xf32, #row>
!ch = !cta.channel<2, !q>
tile.kernel @fma(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @fma_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %l = math.fma %l0, %as, %part : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @mul(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @mul_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %m = arith.mulf %as, %l0 : !rows
      %l = arith.addf %part, %m : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @rare(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @rare_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %need = arith.constant dense<true> : tensor<64xi1, #row>
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %vote = cta.any warp rare %need : tensor<64xi1, #row>
      %m = scf.if %vote -> (!rows) {
        %s1 = arith.mulf %as, %l0 : !rows
        scf.yield %s1 : !rows
      } else {
        scf.yield %l0 : !rows
      }
      %l = arith.addf %part, %m : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}


tile.kernel @grows(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @grows_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %need = arith.constant dense<true> : tensor<64xi1, #row>
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %vote = cta.any warp rare %need : tensor<64xi1, #row>
      %m = scf.if %vote -> (!rows) {
        %s1 = arith.mulf %as, %l0 : !rows
        scf.yield %s1 : !rows
      } else {
        %s2 = arith.addf %as, %l0 : !rows
        scf.yield %s2 : !rows
      }
      %l = arith.addf %part, %m : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}


tile.kernel @plain(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @plain_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %l = arith.addf %l0, %part : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

// -----

// Left alone:
// sums stay as they are written,
// CHECK-LABEL: tile.kernel @exact
// CHECK-NOT:   cta.reshape
// a sum that does not begin at zero,
// CHECK-LABEL: tile.kernel @begins
// CHECK-NOT:   cta.reshape
// the whole sum is read in the loop,
// CHECK-LABEL: tile.kernel @read
// CHECK-NOT:   cta.reshape
// the old sum is read in the loop,
// CHECK-LABEL: tile.kernel @old
// CHECK-NOT:   cta.reshape
// no sum,
// CHECK-LABEL: tile.kernel @maximum
// CHECK-NOT:   cta.reshape
// the share of a lane is read twice,
// CHECK-LABEL: tile.kernel @twice
// CHECK-NOT:   cta.reshape
// no slot is waited for,
// CHECK-LABEL: tile.kernel @waits_for_nothing
// CHECK-NOT:   cta.reshape
#acc = #cta.frag<wgmma_acc, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!rows = tensor<64xf32, #row>
!ch = !cta.channel<2, !q>
tile.kernel @exact(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, reassoc = #tile.switch<off>} {
  cta.launch @exact_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %l = math.fma %l0, %as, %part : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @begins(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @begins_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %one) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %l = math.fma %l0, %as, %part : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @read(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @read_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %l = math.fma %l0, %as, %part : !rows
      cta.store %l, %O[%j] : !rows -> memref<?xf32>
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @old(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @old_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %e = math.exp %l0 : !rows
      %l = math.fma %l0, %e, %part : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @maximum(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @maximum_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.maximumf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %l = math.fma %l0, %as, %part : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @twice(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @twice_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %m = arith.addf %part, %part : !rows
      %l = arith.addf %l0, %m : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}

tile.kernel @waits_for_nothing(%V: memref<?x64xbf16>, %O: memref<?xf32>, %n: index, %a: f32)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @waits_for_nothing_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant -0.0 : f32
    %zero = arith.constant dense<0.0> : !rows
    %one = arith.constant dense<1.0> : !rows
    %as = cta.broadcast %a dims = [] : f32 -> !rows
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zero) -> (!rows) {
      %s = arith.constant dense<2.0> : !sum
      %part = cta.reduce (%s) dims = [1] init(%z) {
      ^bb0(%x: f32, %y: f32):
        %xy = arith.addf %x, %y : f32
        tile.yield %xy : f32
      } : !sum -> !rows
      %l = math.fma %l0, %as, %part : !rows
      scf.yield %l : !rows
    }
    cta.store %r, %O[%c0] : !rows -> memref<?xf32>
  }
  tile.return
}
