// RUN: tile-opt %s --split-input-file --cta-peel-masks --cta-verify | FileCheck %s
// What the loops of attention compute: test/Examples/erased-planned.test.

// Keys from j to j + 63 are below n as long as j < n - 63: there nothing is selected. The rest begins where that loop ends.
// CHECK-LABEL: tile.kernel @tail
// CHECK-DAG:   %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:   %[[C64:.+]] = arith.constant 64 : index
// CHECK:       %[[N:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK-NEXT:  %[[C63:.+]] = arith.constant 63 : index
// CHECK-NEXT:  %[[LAST:.+]] = arith.subi %[[N]], %[[C63]]
// CHECK-NEXT:  %[[MIN:.+]] = arith.minsi %n, %[[LAST]]
// CHECK-NEXT:  %[[END:.+]] = arith.maxsi %[[MIN]], %[[C0]]
// CHECK-NEXT:  %[[LENGTH:.+]] = arith.subi %[[END]], %[[C0]]
// CHECK-NEXT:  %[[M:.+]] = arith.constant 63 : index
// CHECK-NEXT:  %[[UP:.+]] = arith.addi %[[LENGTH]], %[[M]]
// CHECK-NEXT:  %[[TRIPS:.+]] = arith.divui %[[UP]], %[[C64]]
// CHECK-NEXT:  %[[ALL:.+]] = arith.muli %[[TRIPS]], %[[C64]]
// CHECK-NEXT:  %[[NEXT:.+]] = arith.addi %[[C0]], %[[ALL]]
// CHECK-NEXT:  %[[R:.+]] = scf.for %{{.+}} = %[[C0]] to %[[END]] step %[[C64]]
// CHECK-NOT:     cta.iota
// CHECK-NOT:     arith.select
// CHECK:         %[[S:.+]] = cta.wgmma
// CHECK:         arith.addf %{{.+}}, %[[S]]
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  scf.for %{{.+}} = %[[NEXT]] to %n step %[[C64]] iter_args(%{{.+}} = %[[R]])
// CHECK:         %[[MASK:.+]] = arith.cmpi slt
// CHECK:         arith.select %[[MASK]]
// CHECK:       } {cta.rest}

// Both masks of a causal loop: keys below n, and not above the query, of which the least is %from: j + 63 <= from. Queries that wrap are below all keys.
// CHECK-LABEL: tile.kernel @causal
// CHECK:       %[[A:.+]] = arith.minsi %n,
// CHECK:       %[[FROM:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK-NEXT:  %[[TOP:.+]] = arith.constant 2147483584 : index
// CHECK-NEXT:  %[[WRAPS:.+]] = arith.cmpi sgt, %[[FROM]], %[[TOP]]
// CHECK-NEXT:  %[[LOW:.+]] = arith.constant -2147483648 : index
// CHECK-NEXT:  %[[LEAST:.+]] = arith.select %[[WRAPS]], %[[LOW]], %[[FROM]]
// CHECK-NEXT:  %[[C62:.+]] = arith.constant 62 : index
// CHECK-NEXT:  %[[LAST:.+]] = arith.subi %[[LEAST]], %[[C62]]
// CHECK-NEXT:  arith.minsi %[[A]], %[[LAST]]
// CHECK:       scf.for
// CHECK-NOT:     arith.cmpi
// CHECK:         %[[S:.+]] = cta.wgmma
// CHECK:         arith.addf %{{.+}}, %[[S]]
// CHECK:       scf.for
// CHECK:         arith.andi

// Coordinates as a sum, a bound that is a constant: j + 5 + 63 < 1000. Whoever does not select gets a mask that is true; comparisons of another kind stay.
// CHECK-LABEL: tile.kernel @sum
// CHECK:       %[[END:.+]] = arith.constant 932 : index
// CHECK-NEXT:  arith.minsi %n, %[[END]]
// CHECK:       scf.for
// CHECK:         %[[TRUE:.+]] = arith.constant dense<true>
// CHECK:         %[[ODD:.+]] = arith.cmpi ne
// CHECK:         %[[X:.+]] = arith.xori %[[TRUE]], %[[ODD]]
// CHECK:         arith.select %[[X]]
// CHECK:       scf.for
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @tail(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @tail_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask = arith.cmpi slt, %key, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @causal(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @causal_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %from32 = arith.index_cast %from : index to i32
    %own = cta.iota dim = 0 from %from32 : i32 : !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask0 = arith.cmpi slt, %key, %ns : !int
      %mask1 = arith.cmpi sge, %own, %key : !int
      %mask = arith.andi %mask0, %mask1 : !bit
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @sum(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @sum_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %c5 = arith.constant 5 : i32
      %j5 = arith.addi %j32, %c5 : i32
      %js = cta.broadcast %j5 dims = [] : i32 -> !int
      %cols = cta.iota dim = 1 : !int
      %shifted = arith.addi %js, %cols : !int
      %limit = arith.constant dense<1000> : !int
      %mask0 = arith.cmpi sgt, %limit, %shifted : !int
      %odd = arith.cmpi ne, %key, %ns : !int
      %mask = arith.xori %mask0, %odd : !bit
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// The loop begins where a scalar says. If that is below 0, its coordinates could wrap, and all iterations have the mask.
// CHECK-LABEL: tile.kernel @begin
// CHECK:       %[[C64:.+]] = arith.constant 64 : index
// CHECK:       %[[MIN:.+]] = arith.minsi %n, %{{.+}} : index
// CHECK-NEXT:  %[[C0:.+]] = arith.constant 0 : index
// CHECK-NEXT:  %[[FITS:.+]] = arith.cmpi sge, %from, %[[C0]] : index
// CHECK-NEXT:  %[[SAFE:.+]] = arith.select %[[FITS]], %[[MIN]], %from : index
// CHECK-NEXT:  %[[END:.+]] = arith.maxsi %[[SAFE]], %from : index
// CHECK-NEXT:  %[[LENGTH:.+]] = arith.subi %[[END]], %from
// CHECK:       %[[ALL:.+]] = arith.muli %{{.+}}, %[[C64]]
// CHECK-NEXT:  %[[NEXT:.+]] = arith.addi %from, %[[ALL]]
// CHECK-NEXT:  %[[R:.+]] = scf.for %{{.+}} = %from to %[[END]] step %[[C64]]
// CHECK-NOT:     arith.select
// CHECK:         scf.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  scf.for %{{.+}} = %[[NEXT]] to %n step %[[C64]] iter_args(%{{.+}} = %[[R]])
// CHECK:         arith.select
// CHECK:       } {cta.rest}
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
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %from to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask = arith.cmpi slt, %key, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// Left alone:
// a loop that begins below 0,
// CHECK-LABEL: tile.kernel @below
// CHECK:       scf.for
// CHECK-NOT:   scf.for
// CHECK-NOT:   cta.rest
// equality,
// CHECK-LABEL: tile.kernel @other
// CHECK:       scf.for
// CHECK-NOT:   scf.for
// CHECK-NOT:   cta.rest
// a bound that changes in the loop,
// CHECK-LABEL: tile.kernel @changes
// CHECK:       scf.for
// CHECK-NOT:   scf.for
// CHECK-NOT:   cta.rest
// coordinates that fall,
// CHECK-LABEL: tile.kernel @down
// CHECK:       scf.for
// CHECK-NOT:   scf.for
// CHECK-NOT:   cta.rest
// a distance that could wrap,
// CHECK-LABEL: tile.kernel @negative
// CHECK:       scf.for
// CHECK-NOT:   scf.for
// CHECK-NOT:   cta.rest
// warpgroups that take turns,
// CHECK-LABEL: tile.kernel @blocks
// CHECK:       scf.for
// CHECK-NOT:   scf.for
// CHECK-NOT:   cta.rest
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @below(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @below_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant -64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %low to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask = arith.cmpi slt, %key, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @other(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @other_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask = arith.cmpi ne, %key, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @changes(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @changes_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %twice = arith.muli %j32, %n32 : i32
      %b = cta.broadcast %twice dims = [] : i32 -> !int
      %mask = arith.cmpi slt, %key, %b : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @down(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @down_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %down = arith.subi %n32, %j32 : i32
      %d = cta.iota dim = 1 from %down : i32 : !int
      %mask = arith.cmpi slt, %d, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @negative(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @negative_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %cm = arith.constant -5 : i32
      %less = arith.addi %j32, %cm : i32
      %d = cta.iota dim = 1 from %less : i32 : !int
      %mask = arith.cmpi slt, %d, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @blocks(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2, replicate = blocks>} {
  cta.launch @blocks_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask = arith.cmpi slt, %key, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
