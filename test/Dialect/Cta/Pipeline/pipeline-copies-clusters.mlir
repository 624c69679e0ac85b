// RUN: tile-opt %s -split-input-file -cta-pipeline-copies -cta-verify | FileCheck %s
// RUN: tile-opt %s -split-input-file -canonicalize -cse -cta-pipeline-copies -canonicalize -cse -cta-verify | tile-opt -split-input-file -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<planned>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<64x64xf32, #acc>

// The blocks of a cluster have other rows where %full is true, and other columns where it is not: that side decides on which operand is
// fetched for all. The loops' bounds are the same for all.
// CHECK-LABEL: tile.kernel @sides(
// CHECK:       %[[FULL:.*]] = arith.cmpi ult
// CHECK-NEXT:  %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:  %[[REST:.*]] = arith.xori %[[FULL]], %[[TRUE]] : i1
// CHECK:       %[[I:.*]] = arith.select %[[FULL]]
// CHECK:       %[[J:.*]] = arith.select %[[FULL]]
// CHECK:       cta.acquire
// CHECK-NEXT:  cta.copy %A[%[[I]], %{{.*}}] multicast_if = %[[REST]] {mechanism = #cta.mechanism<tma>, multicast = 4 : i64} :
// CHECK-NEXT:  cta.copy %B[%{{.*}}, %[[J]]] multicast_if = %[[FULL]] {mechanism = #cta.mechanism<tma>, multicast = 4 : i64} :
// CHECK-NEXT:  cta.commit
tile.kernel @sides(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 4>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  cta.launch @sides_0 blocks(%n) attributes {cluster = 4} {
    %zero = arith.constant dense<0.0> : !sum
    %id = cta.block_id : index
    %first = arith.divui %id, %c4 : index
    %rank = arith.remui %id, %c4 : index
    %all = cta.num_blocks : index
    scf.for %t = %first to %points step %all {
      %row = arith.addi %t, %rank : index
      %full = arith.cmpi ult, %t, %numFull : index
      %i = arith.select %full, %row, %numFull : index
      %j = arith.select %full, %t, %row : index
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
        %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
        %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
        scf.yield %d : !sum
      }
      cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// A copy with a limit is not shared.
// CHECK-LABEL: tile.kernel @limited(
// CHECK:       cta.acquire
// CHECK-NEXT:  cta.copy %A[{{.*}}] multicast_if = %{{.*}} {mechanism = #cta.mechanism<tma>, multicast = 4 : i64} :
// CHECK-NEXT:  cta.copy %B[{{.*}}] limit = [%end, _] {mechanism = #cta.mechanism<tma>} :
// CHECK-NEXT:  cta.commit
tile.kernel @limited(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index, %K: index, %end: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 4>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  cta.launch @limited_0 blocks(%n) attributes {cluster = 4} {
    %zero = arith.constant dense<0.0> : !sum
    %id = cta.block_id : index
    %first = arith.divui %id, %c4 : index
    %rank = arith.remui %id, %c4 : index
    %all = cta.num_blocks : index
    scf.for %t = %first to %points step %all {
      %row = arith.addi %t, %rank : index
      %full = arith.cmpi ult, %t, %numFull : index
      %i = arith.select %full, %row, %numFull : index
      %j = arith.select %full, %t, %row : index
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
        %b = cta.copy %B[%k, %j] limit = [%end, _] {mechanism = #tma} : memref<?x?xbf16> -> !b
        %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
        scf.yield %d : !sum
      }
      cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// No condition where both sides are the same; nothing where neither is, or where the sides of two selects would have to agree.
// CHECK-LABEL: tile.kernel @no_side(
// CHECK-NOT:   multicast_if
// CHECK:       cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>, multicast = 4 : i64} :
// CHECK-NOT:   multicast
// CHECK:       cta.copy %B[
// CHECK-NOT:   multicast
tile.kernel @no_side(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 4>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  cta.launch @no_side_0 blocks(%n) attributes {cluster = 4} {
    %zero = arith.constant dense<0.0> : !sum
    %id = cta.block_id : index
    %first = arith.divui %id, %c4 : index
    %rank = arith.remui %id, %c4 : index
    %all = cta.num_blocks : index
    scf.for %t = %first to %points step %all {
      %row = arith.addi %t, %rank : index
      %full = arith.cmpi ult, %t, %numFull : index
      %odd = arith.cmpi eq, %t, %numFull : index
      %i = arith.select %full, %t, %numFull : index
      %x = arith.select %full, %row, %t : index
      %y = arith.select %odd, %row, %t : index
      %j = arith.addi %x, %y : index
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
        %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
        %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
        scf.yield %d : !sum
      }
      cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// Nor where a loop around the copies ends at a coordinate that is a block's own on one side: the blocks would have other trip counts.
// CHECK-LABEL: tile.kernel @bound(
// CHECK:       cta.copy %A[
// CHECK-NOT:   multicast
tile.kernel @bound(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  cta.launch @bound_0 blocks(%n) attributes {cluster = 2} {
    %zero = arith.constant dense<0.0> : !sum
    %id = cta.block_id : index
    %first = arith.divui %id, %c2 : index
    %rank = arith.remui %id, %c2 : index
    %all = cta.num_blocks : index
    scf.for %t = %first to %points step %all {
      %row = arith.addi %t, %rank : index
      %full = arith.cmpi ult, %t, %numFull : index
      %i = arith.select %full, %row, %numFull : index
      %j = arith.select %full, %t, %row : index
      %acc = scf.for %k = %c0 to %i step %c64 iter_args(%c = %zero) -> (!sum) {
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
        %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
        %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
        scf.yield %d : !sum
      }
      cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// Nor under a condition that the blocks of a cluster do not share.
// CHECK-LABEL: tile.kernel @own_condition(
// CHECK:       cta.copy %A[
// CHECK-NOT:   multicast
// CHECK-LABEL: tile.kernel @carried(
tile.kernel @own_condition(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  cta.launch @own_condition_0 blocks(%n) attributes {cluster = 2} {
    %zero = arith.constant dense<0.0> : !sum
    %id = cta.block_id : index
    %first = arith.divui %id, %c2 : index
    %rank = arith.remui %id, %c2 : index
    %all = cta.num_blocks : index
    scf.for %t = %first to %points step %all {
      %row = arith.addi %t, %rank : index
      %full = arith.cmpi ult, %row, %numFull : index
      %i = arith.select %full, %row, %numFull : index
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
        %d = cta.wgmma %a, %a, %c : !a, !a -> !sum
        scf.yield %d : !sum
      }
      cta.store %acc, %C[%i, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// Nor if the coordinate comes from the iteration before: its condition was another one, even if this iteration has one before the copy. A condition
// after the copy is none. One before the loop is that of all iterations.
// CHECK:       cta.copy %A[
// CHECK-NOT:   multicast
// CHECK-LABEL: tile.kernel @behind(
// CHECK:       cta.copy %A[
// CHECK-NOT:   multicast
// CHECK-LABEL: tile.kernel @in_front(
// CHECK:       %[[FULL:.*]] = arith.cmpi ult
// CHECK:       %[[REST:.*]] = arith.xori %[[FULL]]
// CHECK:       cta.copy %A[%{{.*}}, %{{.*}}] multicast_if = %[[REST]] {{{.*}}multicast = 2 : i64}
tile.kernel @carried(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  cta.launch @carried_0 blocks(%n) attributes {cluster = 2} {
    %id = cta.block_id : index
    %first = arith.divui %id, %c2 : index
    %rank = arith.remui %id, %c2 : index
    %all = cta.num_blocks : index
    scf.for %t = %first to %points step %all iter_args(%last = %c0) -> (index) {
      %full = arith.cmpi ult, %t, %numFull : index
      %a = cta.copy %A[%last, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %d = cta.wgmma %a, %a : !a, !a -> !sum
      cta.store %d, %C[%last, %c0] : !sum -> memref<?x?xf32>
      %row = arith.addi %t, %rank : index
      %i = arith.select %full, %row, %numFull : index
      scf.yield %i : index
    }
  }
  tile.return
}
tile.kernel @behind(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  cta.launch @behind_0 blocks(%n) attributes {cluster = 2} {
    %id = cta.block_id : index
    %first = arith.divui %id, %c2 : index
    %rank = arith.remui %id, %c2 : index
    %all = cta.num_blocks : index
    scf.for %t = %first to %points step %all iter_args(%last = %c0) -> (index) {
      %a = cta.copy %A[%last, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %d = cta.wgmma %a, %a : !a, !a -> !sum
      cta.store %d, %C[%last, %c0] : !sum -> memref<?x?xf32>
      %full = arith.cmpi ult, %t, %numFull : index
      %row = arith.addi %t, %rank : index
      %i = arith.select %full, %row, %numFull : index
      scf.yield %i : index
    }
  }
  tile.return
}
tile.kernel @in_front(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: index, %numFull: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  cta.launch @in_front_0 blocks(%n) attributes {cluster = 2} {
    %id = cta.block_id : index
    %first = arith.divui %id, %c2 : index
    %rank = arith.remui %id, %c2 : index
    %all = cta.num_blocks : index
    %full = arith.cmpi ult, %first, %numFull : index
    scf.for %t = %first to %points step %all iter_args(%last = %c0) -> (index) {
      %a = cta.copy %A[%last, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %d = cta.wgmma %a, %a : !a, !a -> !sum
      cta.store %d, %C[%last, %c0] : !sum -> memref<?x?xf32>
      %row = arith.addi %t, %rank : index
      %i = arith.select %full, %row, %numFull : index
      scf.yield %i : index
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<planned>
!a = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!b = !cta.smem<64x152xbf16, #cta.swizzle<128, dim = 0>>
!sum = tensor<64x152xf32, #acc>
!narrow = !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>
!low = !cta.smem<16x24xbf16, #cta.swizzle<32, dim = 0>>
!few = tensor<64x24xf32, #acc>

// A part of 76 rows of 128 bytes ends inside the pattern of 1024: the address says how TMA swizzles. One of 6 rows of 32 bytes would begin at
// 192, where no box can.
// CHECK-LABEL: tile.kernel @inside_pattern(
// CHECK:       cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK:       cta.copy %B[{{.*}}] {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} :
// CHECK-LABEL: tile.kernel @unaligned_parts(
// CHECK:       cta.copy %A[{{.*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK:       cta.copy %B[{{.*}}] {mechanism = #cta.mechanism<tma>} :
tile.kernel @inside_pattern(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @inside_pattern_0 blocks(%n) attributes {cluster = 2} {
    %zero = arith.constant dense<0.0> : !sum
    %id = cta.block_id : index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%id, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%id, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @unaligned_parts(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  cta.launch @unaligned_parts_0 blocks(%n) attributes {cluster = 4} {
    %zero = arith.constant dense<0.0> : !few
    %id = cta.block_id : index
    %acc = scf.for %k = %c0 to %K step %c16 iter_args(%c = %zero) -> (!few) {
      %a = cta.copy %A[%id, %k] {mechanism = #tma} : memref<?x?xbf16> -> !narrow
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !low
      %d = cta.wgmma %a, %b, %c : !narrow, !low -> !few
      scf.yield %d : !few
    }
    cta.store %acc, %C[%id, %c0] : !few -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A part along the second of three dimensions would be two pieces of shared memory.
// CHECK-LABEL: tile.kernel @pieces(
// CHECK: cta.copy
// CHECK-NOT: multicast
// CHECK: tile.return
#rows = #cta.frag<regs = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0,0,8],[0,0,16],[0,0,32],[1,0,0]], lanes = [[0, 1, 0], [0, 2,0], [0, 4, 0], [0, 8, 0], [0, 16, 0]], warps = [[0, 32, 0], [0, 64, 0]], wg = 1>
!t = !cta.smem<2x128x64xbf16, #cta.swizzle<128, dim = 2>>
tile.kernel @pieces(%A: memref<?x?x?xbf16>, %C: memref<?x?x?xbf16>, %n: index, %K: index)
    attributes {phase = #tile.phase<planned>, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1, cluster = 2>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  cta.launch @pieces_0 blocks(%n) attributes {cluster = 2} {
    %id = cta.block_id : index
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %c0, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?x?xbf16> -> !t
      %r = cta.read %a : !t -> tensor<2x128x64xbf16, #rows>
      cta.store %r, %C[%id, %c0, %k] : tensor<2x128x64xbf16, #rows> -> memref<?x?x?xbf16>
    }
  }
  tile.return
}
