// RUN: tile-opt %s --split-input-file --cta-peel-masks --cta-verify | FileCheck %s

// require = [peeled] is met: the first loop has no masks. The demand is gone with that.
// CHECK-LABEL: tile.kernel @peeled(
// CHECK-NOT:   require
// CHECK:       scf.for
// CHECK-NOT:     arith.cmpi
// CHECK:       scf.for
// CHECK:         arith.cmpi
// CHECK:       {cta.rest}
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @peeled(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @peeled_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma, require = #tile.require<[peeled]>} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask = arith.cmpi slt, %key, %ns : !int
      %x = arith.select %mask, %s, %zero : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// A comparison with what is loaded is data, and one that is the same in all iterations is no mask of an iteration.
// CHECK-LABEL: tile.kernel @data(
// CHECK-NOT:   require
// CHECK:       scf.for
// CHECK-NOT:   scf.for
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @data(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @data_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma, require = #tile.require<[peeled]>} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %row = cta.iota dim = 0 : !int
      %same = arith.cmpi slt, %row, %ns : !int
      %big = arith.cmpf ogt, %s, %zero : !sum
      %mask = arith.andi %same, %big : !bit
      %x = arith.select %mask, %s, %zero : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
