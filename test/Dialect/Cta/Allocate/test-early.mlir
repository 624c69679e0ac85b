// RUN: tile-opt %s -split-input-file -cta-test-early -cta-verify | FileCheck %s
// RUN: tile-opt %s -split-input-file -cta-test-early -cta-insert-waits -cta-lower-channels -cta-verify -o /dev/null
// RUN: tile-opt %s -split-input-file -cta-test-early -cta-test-early | FileCheck %s

// A chain of two products. When an iteration begins nothing is in flight, so the slot of its first product is tested in the iteration before, in front
// of the last product that it waits for. The second product has the first one beside it while it waits. The first test stands behind what is done with the slot before.
// CHECK-LABEL: tile.kernel @chain
// CHECK:         %[[F0:.+]], %{{.+}} = cta.wait %[[A:[^ ]+]] : !cta.channel<2,
// CHECK:         cta.release %[[A]], %[[F0]]
// CHECK-NEXT:    %[[FIRST:.+]] = cta.test %[[A]] : <2,
// CHECK:         scf.for {{.*}} iter_args({{.*}}, %[[SEEN:[^ ]+]] = %[[FIRST]]) -> ({{.*}}, !cta.token)
// CHECK-NEXT:      %[[F:.+]], %{{.+}} = cta.wait %[[A]] unless %[[SEEN]] : !cta.channel<2,
// CHECK-NEXT:      cta.wgmma
// CHECK-NEXT:      cta.wait %[[B:[^ ]+]] : !cta.channel<2,
// CHECK-NEXT:      cta.ready
// CHECK-NEXT:      cta.wgmma
// CHECK-NEXT:      cta.complete
// CHECK-NEXT:      cta.release %[[A]], %[[F]]
// CHECK-NEXT:      math.exp2
// CHECK-NEXT:      cta.ready
// CHECK-NEXT:      %[[NEXT:.+]] = cta.test %[[A]]
// CHECK-NEXT:      cta.complete
// CHECK-NOT:       cta.test
// CHECK:           scf.yield {{.*}}, %[[NEXT]] :
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!narrow = tensor<64x64xbf16, #a>
!async = !cta.async<!sum>
!ch = !cta.channel<2, !tile>
tile.kernel @chain(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @chain_0 blocks(%n) {
    %x = cta.channel : !ch
    %y = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !sum
      %q0, %t0 = cta.wait %x : !ch
      %s0 = cta.wgmma %t0, %t0 : !tile, !tile -> !sum
      cta.release %x, %q0 : !ch
      %n0 = arith.truncf %s0 : !sum to tensor<64x64xbf16, #acc>
      %p0 = cta.convert_layout %n0 {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> !narrow
      %l:2 = scf.for %k = %c64 to %n step %c64 iter_args(%o = %zero, %p = %p0) -> (!sum, !narrow) {
        %q, %t = cta.wait %x : !ch
        %s = cta.wgmma %t, %t : !tile, !tile -> !async
        %r, %u = cta.wait %y : !ch
        %c = cta.ready %o : !sum
        %d = cta.wgmma %p, %u, %c : !narrow, !tile -> !async
        %done = cta.complete %s : !async
        cta.release %x, %q : !ch
        %e = math.exp2 %done : !sum
        %in = cta.ready %e : !sum
        %o1 = cta.complete %d : !async
        %e1 = cta.complete %in : !async
        cta.release %y, %r : !ch
        %n1 = arith.truncf %e1 : !sum to tensor<64x64xbf16, #acc>
        %p1 = cta.convert_layout %n1 {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> !narrow
        scf.yield %o1, %p1 : !sum, !narrow
      }
      %r1, %u1 = cta.wait %y : !ch
      %d1 = cta.wgmma %l#1, %u1, %l#0 : !narrow, !tile -> !sum
      cta.release %y, %r1 : !ch
      cta.store %d1, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %p = cta.acquire %x : !ch
          %a = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %x, %p (%a) : !ch
          %r = cta.acquire %y : !ch
          %b = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %y, %r (%b) : !ch
        }
      }
    }
  }
  tile.return
}

// -----

// Where tiles are computed behind the last wait, the test stands behind that, in front of the conversions.
// CHECK-LABEL: tile.kernel @behind
// CHECK:         scf.for {{.*}} iter_args({{.*}}, %[[SEEN:[^ ]+]] = %{{[^ ]+}}) -> ({{.*}}, !cta.token)
// CHECK-NEXT:      cta.wait %[[A:[^ ]+]] unless %[[SEEN]]
// CHECK-COUNT-3:   cta.complete
// CHECK:           math.exp2
// CHECK-NEXT:      %[[NEXT:.+]] = cta.test %[[A]]
// CHECK-NEXT:      cta.release
// CHECK-NEXT:      arith.truncf
// CHECK-NOT:       cta.test
// CHECK:           scf.yield {{.*}}, %[[NEXT]] :
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!narrow = tensor<64x64xbf16, #a>
!async = !cta.async<!sum>
!ch = !cta.channel<2, !tile>
tile.kernel @behind(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @behind_0 blocks(%n) {
    %x = cta.channel : !ch
    %y = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !sum
      %q0, %t0 = cta.wait %x : !ch
      %s0 = cta.wgmma %t0, %t0 : !tile, !tile -> !sum
      cta.release %x, %q0 : !ch
      %n0 = arith.truncf %s0 : !sum to tensor<64x64xbf16, #acc>
      %p0 = cta.convert_layout %n0 {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> !narrow
      %l:2 = scf.for %k = %c64 to %n step %c64 iter_args(%o = %zero, %p = %p0) -> (!sum, !narrow) {
        %q, %t = cta.wait %x : !ch
        %s = cta.wgmma %t, %t : !tile, !tile -> !async
        %r, %u = cta.wait %y : !ch
        %c = cta.ready %o : !sum
        %d = cta.wgmma %p, %u, %c : !narrow, !tile -> !async
        %done = cta.complete %s : !async
        cta.release %x, %q : !ch
        %abs = math.absf %done : !sum
        %in = cta.ready %abs : !sum
        %o1 = cta.complete %d : !async
        %s1 = cta.complete %in : !async
        %e1 = math.exp2 %s1 : !sum
        cta.release %y, %r : !ch
        %n1 = arith.truncf %e1 : !sum to tensor<64x64xbf16, #acc>
        %p1 = cta.convert_layout %n1 {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> !narrow
        scf.yield %o1, %p1 : !sum, !narrow
      }
      %r1, %u1 = cta.wait %y : !ch
      %d1 = cta.wgmma %l#1, %u1, %l#0 : !narrow, !tile -> !sum
      cta.release %y, %r1 : !ch
      cta.store %d1, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %p = cta.acquire %x : !ch
          %a = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %x, %p (%a) : !ch
          %r = cta.acquire %y : !ch
          %b = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %y, %r (%b) : !ch
        }
      }
    }
  }
  tile.return
}

// -----

// Not where the product of the iteration before is in flight when an iteration waits.
// CHECK-LABEL: tile.kernel @over_the_end
// CHECK-NOT: cta.test
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
!ch = !cta.channel<2, !tile>
tile.kernel @over_the_end(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @over_the_end_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !sum
      %r = cta.ready %zero : !sum
      %q0, %t0 = cta.wait %ch : !ch
      %d0 = cta.wgmma %t0, %t0, %r : !tile, !tile -> !async
      %l:2 = scf.for %k = %c64 to %n step %c64 iter_args(%c = %d0, %old = %q0) -> (!async, !cta.credit) {
        %q, %t = cta.wait %ch : !ch
        %d = cta.wgmma %t, %t, %c : !tile, !tile -> !async
        cta.release %ch, %old after(%c : !async) : !ch
        scf.yield %d, %q : !async, !cta.credit
      }
      cta.release %ch, %l#1 after(%l#0 : !async) : !ch
      %e = cta.complete %l#0 : !async
      cta.store %e, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %p = cta.acquire %ch : !ch
          %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !ch
        }
      }
    }
  }
  tile.return
}

// -----

// Not where an iteration waits for two slots of the channel, where the product is over at once, nor where nothing is computed from it.
// CHECK-LABEL: tile.kernel @not_these
// CHECK-NOT: cta.test
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!async = !cta.async<!sum>
!ch = !cta.channel<3, !tile>
tile.kernel @not_these(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @not_these_0 blocks(%n) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : !sum
      %two = scf.for %k = %c0 to %n step %c64 iter_args(%o = %zero) -> (!sum) {
        %q, %t = cta.wait %ch : !ch
        %q1, %t1 = cta.wait %ch : !ch
        %s = cta.wgmma %t, %t1 : !tile, !tile -> !async
        %d = cta.complete %s : !async
        cta.release %ch, %q : !ch
        cta.release %ch, %q1 : !ch
        %e = arith.addf %o, %d : !sum
        scf.yield %e : !sum
      }
      %once = scf.for %k = %c0 to %n step %c64 iter_args(%o = %two) -> (!sum) {
        %q, %t = cta.wait %ch : !ch
        %s = cta.wgmma %t, %t, %o : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        %e = arith.addf %s, %s : !sum
        scf.yield %e : !sum
      }
      %bare = scf.for %k = %c0 to %n step %c64 iter_args(%o = %once) -> (!sum) {
        %q, %t = cta.wait %ch : !ch
        %r = cta.ready %o : !sum
        %s = cta.wgmma %t, %t, %r : !tile, !tile -> !async
        %d = cta.complete %s : !async
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.store %bare, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %p = cta.acquire %ch : !ch
          %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !ch
        }
      }
    }
  }
  tile.return
}
