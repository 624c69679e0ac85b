// RUN: tile-opt %s --split-input-file --cta-peel-masks --verify-diagnostics

// expected-error @+1 {{cta-peel-masks needs a kernel in phase scheduled}}
tile.kernel @phase() attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.return
}

// -----

// require = [peeled]: a mask of another form is in all iterations. The equality may hold for some elements anywhere.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @equal(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @equal_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: all iterations compute a mask that cta-peel-masks does not understand; it takes coordinates of i32 that are the induction variable and an iota}}
      %t = cta.copy %V[%j, %c0] {mechanism = #tma, require = #tile.require<[peeled]>} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      // expected-note @+1 {{the mask}}
      %mask = arith.cmpi eq, %key, %ns : !int
      %x = arith.select %mask, %s, %zero : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// So is one in a loop that begins below 0.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @begin(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @begin_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant -64 : index
    %zero = arith.constant dense<0.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %low to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: all iterations compute a mask that cta-peel-masks does not understand; it takes coordinates of i32 that are the induction variable and an iota}}
      %t = cta.copy %V[%j, %c0] {mechanism = #tma, require = #tile.require<[peeled]>} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      // expected-note @+1 {{the mask}}
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

// One of the loop is peeled, the other is not.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @both(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @both_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: all iterations compute a mask that cta-peel-masks does not understand; it takes coordinates of i32 that are the induction variable and an iota}}
      %t = cta.copy %V[%j, %c0] {mechanism = #tma, require = #tile.require<[peeled]>} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %below = arith.cmpi slt, %key, %ns : !int
      // expected-note @+1 {{the mask}}
      %odd = arith.cmpi ne, %key, %ns : !int
      %mask = arith.andi %below, %odd : !bit
      %x = arith.select %mask, %s, %zero : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// Nothing is cut where output tiles take turns, or in a loop without channels.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @turns(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<replicate = blocks, warpgroups = 2, stages = 2>} {
  cta.launch @turns_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: output tiles that take turns have one loop; plan replicate = split}}
      %t = cta.copy %V[%j, %c0] {mechanism = #tma, require = #tile.require<[peeled]>} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      // expected-note @+1 {{the mask}}
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

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @synchronous(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 0>} {
  cta.launch @synchronous_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: only loops that wait for slots of channels are peeled; plan stages = 2 or more}}
      %t = cta.copy %V[%j, %c0] {mechanism = #tma, require = #tile.require<[peeled]>} : memref<?x64xbf16> -> !q
      %s = cta.wgmma %t, %t : !q, !q -> !sum
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      // expected-note @+1 {{the mask}}
      %mask = arith.cmpi slt, %key, %ns : !int
      %x = arith.select %mask, %s, %zero : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
