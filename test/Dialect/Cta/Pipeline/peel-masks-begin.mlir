// RUN: tile-opt %s --split-input-file --cta-peel-masks --cta-verify | FileCheck %s
// Masks that fail in the first iterations: causal, seen from the keys, or the begin of a window.

// j + 0 > n holds from n + 1 on; it is never reached where j + 63 would wrap.
// CHECK-LABEL: tile.kernel @above
// CHECK:       %[[BOUND:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK:       %[[BEGIN:.+]] = arith.subi %[[BOUND]], %c-1
// CHECK:       %[[WRAPS:.+]] = arith.cmpi sgt, %n, %c2147483584
// CHECK-NEXT:  %[[FROM:.+]] = arith.select %[[WRAPS]], %n, %[[BEGIN]]
// CHECK-NEXT:  %[[MIN:.+]] = arith.minsi %[[FROM]], %n
// CHECK-NEXT:  %[[PLACE:.+]] = arith.maxsi %[[MIN]], %c0
// CHECK:       %[[FIRST:.+]] = scf.for %{{.+}} = %c0 to %[[PLACE]] step %c64
// CHECK:         arith.select
// CHECK:       } {cta.rest}
// CHECK:       scf.for %{{.+}} = %{{.+}} to %n step %c64 iter_args(%{{.+}} = %[[FIRST]])
// CHECK-NOT:     arith.cmpi
// CHECK-NOT:     arith.select
// CHECK:         scf.yield
// CHECK-NEXT:  }{{$}}

// At both sides: three parts. The greatest of 64 rows is the first + 63, if they do not wrap.
// CHECK-LABEL: tile.kernel @both
// CHECK:       %[[OWN:.+]] = arith.addi %{{.+}}, %c63
// CHECK:       arith.minsi %[[OWN]], %c2147483647
// CHECK:       scf.for
// CHECK:         arith.select
// CHECK:       } {cta.rest}
// CHECK:       scf.for
// CHECK-NOT:     arith.select
// CHECK:       }{{$}}
// CHECK:       scf.for
// CHECK:         arith.select
// CHECK:       } {cta.rest}

// 100 <= j + 0.
// CHECK-LABEL: tile.kernel @constant
// CHECK:       %[[BEGIN:.+]] = arith.constant 100 : index
// CHECK:       arith.select %{{.+}}, %n, %[[BEGIN]]
// CHECK:       scf.for
// CHECK:       } {cta.rest}
// CHECK:       scf.for

// A loop that begins below 0 has its masks to the end.
// CHECK-LABEL: tile.kernel @begins
// CHECK:       %[[BEGINS:.+]] = arith.cmpi sge, %from, %c0
// CHECK-NEXT:  arith.select %[[BEGINS]], %{{.+}}, %n
// CHECK:       scf.for
// CHECK:       } {cta.rest}
// CHECK:       scf.for
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!int = tensor<64x64xi32, #acc>
!bit = tensor<64x64xi1, #acc>
!ch = !cta.channel<2, !q>
tile.kernel @above(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @above_0 blocks() {
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
      %mask = arith.cmpi sgt, %key, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @both(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @both_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %n32 = arith.index_cast %n : index to i32
    %from32 = arith.index_cast %from : index to i32
    %ns = cta.broadcast %n32 dims = [] : i32 -> !int
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
      %after = arith.cmpi sge, %key, %own : !int
      %exists = arith.cmpi slt, %key, %ns : !int
      %mask = arith.andi %after, %exists : !bit
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @constant(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @constant_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %one = arith.constant dense<1.0> : !sum
    %ns = arith.constant dense<100> : !int
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p = cta.acquire %ch : !ch
      %t = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch, %p (%t) : !ch
      %q, %v = cta.wait %ch : !ch
      %s = cta.wgmma %v, %v : !q, !q -> !sum
      cta.release %ch, %q : !ch
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : !int
      %mask = arith.cmpi sle, %ns, %key : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @begins(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %from: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  cta.launch @begins_0 blocks() {
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
      %mask = arith.cmpi sgt, %key, %ns : !int
      %x = arith.select %mask, %s, %one : !bit, !sum
      %o = arith.addf %o0, %x : !sum
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// In a loop that stays whole a branch masks at both sides.
// CHECK-LABEL: tile.kernel @window
// CHECK:       scf.for %[[J:.+]] = %{{.+}} to %n step
// CHECK-NEXT:    %[[LATE:.+]] = arith.cmpi sge, %[[J]], %{{.+}} : index
// CHECK-NEXT:    %[[EARLY:.+]] = arith.cmpi slt, %[[J]], %{{.+}} : index
// CHECK-NEXT:    %[[REST:.+]] = arith.ori %[[LATE]], %[[EARLY]]
// CHECK:         scf.if %[[REST]]
// CHECK:           arith.andi
// CHECK:         } {cta.rest}
// CHECK-NOT:   scf.for
// CHECK:       tile.return
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
tile.kernel @window(%Q: memref<?x?xbf16>, %K: memref<?x?xbf16>, %n: index, %m: i32, %low: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<stages = 2, pending = 1>} {
  cta.launch @window_0 blocks() {
    %ch = cta.channel : !cta.channel<2, !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw>>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x256xf32, #acc>
    %never = arith.constant dense<0xFF800000> : tensor<64x64xf32, #acc>
    %keys = cta.broadcast %m dims = [] : i32 -> tensor<64x64xi32, #acc>
    %lows = cta.broadcast %low dims = [] : i32 -> tensor<64x64xi32, #acc>
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o = %zero) -> (tensor<64x256xf32, #acc>) {
      %slot = cta.acquire %ch : !cta.channel<2, !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw>>
      %x = cta.copy %Q[%j, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %y = cta.copy %K[%j, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      cta.commit %ch, %slot (%x, %y) : !cta.channel<2, !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw>>
      %q, %s0, %s1 = cta.wait %ch : !cta.channel<2, !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw>>
      %j32 = arith.index_cast %j : index to i32
      %key = cta.iota dim = 1 from %j32 : i32 : tensor<64x64xi32, #acc>
      %exists = arith.cmpi slt, %key, %keys : tensor<64x64xi32, #acc>
      %recent = arith.cmpi sgt, %key, %lows : tensor<64x64xi32, #acc>
      %seen = arith.andi %exists, %recent : tensor<64x64xi1, #acc>
      %qk = cta.wgmma %s0, %s0 : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc>
      %s = arith.select %seen, %qk, %never : tensor<64x64xi1, #acc>, tensor<64x64xf32, #acc>
      %p = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %p {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #a>
      %o1 = cta.wgmma %a, %s1, %o : tensor<64x64xbf16, #a>, !cta.smem<64x256xbf16, #sw> -> tensor<64x256xf32, #acc>
      cta.release %ch, %q : !cta.channel<2, !cta.smem<64x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw>>
      scf.yield %o1 : tensor<64x256xf32, #acc>
    }
  }
  tile.return
}
