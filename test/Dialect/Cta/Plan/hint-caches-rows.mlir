// RUN: tile-opt %s -cta-hint-caches -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-hint-caches -cta-hint-caches -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-hint-caches -o /dev/null --remark-format=emitRemark --remarks-filter=cta-hint-caches 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s -cta-hint-caches -cta-hint-caches -o /dev/null --remark-format=emitRemark --remarks-filter=cta-hint-caches 2>&1 | FileCheck %s --check-prefix=REMARK

// The condition is a remark and not the `why` of the copy, which holds reasons against a better mechanism.
// REMARK: [Passed] cache | Category:cta-hint-caches | Remark="stays in L2 if the rows of a group read up to 18 MiB, all columns over 60 MiB, and a group has 2 waves"
// REMARK: [Passed] cache | Category:cta-hint-caches | Remark="makes room in L2 if the rows of a group read up to 18 MiB, all columns over 60 MiB, and a group has 2 waves"

// Of a persistent product in groups of rows: what a row reads stays in L2, what a column reads makes room for it, if that pays.

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<planned>
!a = !cta.smem<128x64xbf16, #sw>
!b = !cta.smem<64x256xbf16, #sw>
!sum = tensor<128x256xf32, #acc>

// min(16, rows) rows of 16 KiB an iteration fit into 18 MiB, columns of 32 KiB are more than 60 MiB, and a group has two waves.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: %[[LENGTH:.*]] = arith.ceildivsi %K, %
// CHECK: %[[TRIPS:.*]] = arith.maxsi %[[LENGTH]], %
// CHECK: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[UP:.*]] = arith.ceildivsi %M, %[[C128]]
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[UP]], %
// CHECK: %[[C256:.*]] = arith.constant 256 : index
// CHECK: %[[ACROSS:.*]] = arith.ceildivsi %N, %[[C256]]
// CHECK: %[[COLUMNS:.*]] = arith.maxsi %[[ACROSS]], %
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[HEIGHT:.*]] = arith.minsi %[[ROWS]], %[[C16]]
// CHECK: %[[TILES:.*]] = arith.muli %[[HEIGHT]], %[[TRIPS]]
// CHECK: %[[K16:.*]] = arith.constant 16384 : index
// CHECK: %[[READ:.*]] = arith.muli %[[TILES]], %[[K16]]
// CHECK: %[[KEPT:.*]] = arith.constant 18874368 : index
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[READ]], %[[KEPT]]
// CHECK: %[[OTHERS:.*]] = arith.muli %[[COLUMNS]], %[[TRIPS]]
// CHECK: %[[K32:.*]] = arith.constant 32768 : index
// CHECK: %[[PASS:.*]] = arith.muli %[[OTHERS]], %[[K32]]
// CHECK: %[[L2:.*]] = arith.constant 62914560 : index
// CHECK: %[[PASSES:.*]] = arith.cmpi sgt, %[[PASS]], %[[L2]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[FITS]], %[[PASSES]]
// CHECK: %[[CORES:.*]] = tile.num_cores
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[WAVES:.*]] = arith.muli %[[CORES]], %[[TWO]]
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[HEIGHT]], %[[COLUMNS]]
// CHECK: %[[HAS:.*]] = arith.cmpi sge, %[[BLOCKS]], %[[WAVES]]
// CHECK: %[[KEEP:.*]] = arith.andi %[[BOTH]], %[[HAS]]
// CHECK: tile.grid
// CHECK: cta.copy %A[%i, %{{.*}}] cache_if = %[[KEEP]] {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>}
// CHECK: cta.copy %B[%{{.*}}, %j] cache_if = %[[KEEP]] {cache = #tile.cache<first>, mechanism = #cta.mechanism<tma>}
// CHECK: tile.return
tile.kernel @rows(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// What a row of the grid reads, whichever operand of the product it is: here B's columns are the grid's first dimension. Two blocks of an SM and warpgroups that take turns make larger waves.
// CHECK-LABEL: tile.kernel @turned(
// CHECK: %[[CORES:.*]] = tile.num_cores
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: arith.muli %[[CORES]], %[[EIGHT]]
// CHECK: cta.copy %A[%{{.*}}] cache_if = %[[KEEP:.*]] {cache = #tile.cache<first>,
// CHECK: cta.copy %B[%{{.*}}] cache_if = %[[KEEP]] {cache = #tile.cache<last>,
tile.kernel @turned(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<replicate = blocks, warpgroups = 2, persistent = 1, group = 16, blocks_per_sm = 2>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%j, %i) = (0, 0) to (%N, %M) step (256, 128) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Groups as high as they will be: cta-lower-grid makes those of long loops less high.
// CHECK-LABEL: tile.kernel @panel(
// CHECK: %[[FIT:.*]] = arith.divsi
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[MOST:.*]] = arith.maxsi %[[FIT]], %[[C8]]
// CHECK: %[[GROUP:.*]] = arith.minsi %[[MOST]], %
// CHECK: %[[HEIGHT:.*]] = arith.minsi %[[GROUP]], %
// CHECK: arith.muli %[[HEIGHT]], %
// CHECK: tile.grid {{.*}} attributes {cta.panel = 16384 : i64}
// CHECK: cta.copy %A{{.*}} cache_if = {{.*}}last
tile.kernel @panel(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) attributes {cta.panel = 16384 : i64} {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The rows of a group are those of clusters, where these lie along them.
// CHECK-LABEL: tile.kernel @clusters(
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK-NOT: arith.minsi
// CHECK: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[HEIGHT:.*]] = arith.minsi %{{.*}}, %[[C32]]
// CHECK: cta.copy %A{{.*}} cache_if = {{.*}}last
tile.kernel @clusters(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16, cluster = 2>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @clusters_along_columns(
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[HEIGHT:.*]] = arith.minsi %{{.*}}, %[[C16]]
// CHECK: cta.copy %A{{.*}} cache_if = {{.*}}last
tile.kernel @clusters_along_columns(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16, cluster = 2, cluster_dim = 1>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Two products of one A: columns read both Bs, 64 KiB an iteration. The order that a grid says counts before the plan's.
// CHECK-LABEL: tile.kernel @gate(
// CHECK: %[[C12:.*]] = arith.constant 12 : index
// CHECK: arith.minsi %{{.*}}, %[[C12]]
// CHECK: arith.constant 65536 : index
// CHECK: cta.copy %A{{.*}} cache_if = %[[KEEP:.*]] {cache = #tile.cache<last>,
// CHECK: cta.copy %B{{.*}} cache_if = %[[KEEP]] {cache = #tile.cache<first>,
// CHECK: cta.copy %G{{.*}} cache_if = %[[KEEP]] {cache = #tile.cache<first>,
tile.kernel @gate(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %G: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) order = <group = 12> {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      %g = cta.copy %G[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %e = cta.wgmma %a, %g, %d : !a, !b -> !sum
      scf.yield %e : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// If the source IR has all sizes, only the number of SMs is open. The `why` in the source IR stays.
// CHECK-LABEL: tile.kernel @pays(
// CHECK: %[[KEEP:.*]] = arith.cmpi sle, %{{.*}}, %c896
// CHECK: tile.grid
// CHECK: cta.copy %A{{.*}} cache_if = %[[KEEP]] {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>, why = "because"}
tile.kernel @pays(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (8192, 14336) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %c4096 step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma, why = "because"} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Known not to pay: 16 rows of 128 x 8192 are 33 MB.
// CHECK-LABEL: tile.kernel @rows_do_not_fit(
// CHECK-NOT: tile.num_cores
// CHECK-NOT: cache
// CHECK: tile.return
tile.kernel @rows_do_not_fit(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c8192 = arith.constant 8192 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (8192, 8192) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %c8192 step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Known not to pay: B has 33 MB.
// CHECK-LABEL: tile.kernel @columns_fit(
// CHECK-NOT: tile.num_cores
// CHECK-NOT: cache
// CHECK: tile.return
tile.kernel @columns_fit(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, 4096) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %c4096 step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// What the program says about one operand holds for all of them: no_alloc is the default of TMA.
// CHECK-LABEL: tile.kernel @said(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @said(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {cache = #tile.cache<no_alloc>, mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The program keeps A, and does not say that B makes room.
// CHECK-LABEL: tile.kernel @said_last(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @said_last(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {cache = #tile.cache<last>, mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Which blocks run together is the hardware's affair.
// CHECK-LABEL: tile.kernel @not_persistent(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @not_persistent(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Without groups the blocks of a wave go through one row.
// CHECK-LABEL: tile.kernel @no_groups(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @no_groups(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Nothing says how blocks run.
// CHECK-LABEL: tile.kernel @no_plan(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @no_plan(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// It is launched as without a plan.
// CHECK-LABEL: tile.kernel @unplanned(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @unplanned(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) attributes {cta.unplanned} {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Rows of batches change sooner.
// CHECK-LABEL: tile.kernel @batches(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @batches(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%z, %i, %j) = (0, 0, 0) to (%M, %M, %N) step (1, 128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// cp.async knows no policies.
// CHECK-LABEL: tile.kernel @by_threads(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @by_threads(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<cp_async>, vector = 8} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// B's tile is the block's own: neither all of its row read it nor all of its column.
// CHECK-LABEL: tile.kernel @of_the_block(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @of_the_block(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// As in a grouped product, whose expert the row decides.
// CHECK-LABEL: tile.kernel @both_depend(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @both_depend(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %at = arith.addi %k, %i : index
      %b = cta.copy %B[%at, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// B's tile is the same in all iterations.
// CHECK-LABEL: tile.kernel @stays_put(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @stays_put(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%c0, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The number of rows would be a division by zero; cta-lower-grid reports the step.
// CHECK-LABEL: tile.kernel @no_step(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @no_step(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (1024, %N) step (%c0, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// What the loop reads in addition takes room, too.
// CHECK-LABEL: tile.kernel @other_reads(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @other_reads(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %X: memref<?xf32>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %x = memref.load %X[%k] : memref<?xf32>
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// A and B have the same cache lines.
// CHECK-LABEL: tile.kernel @one_array(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @one_array(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %A[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The length of the loop depends on the block.
// CHECK-LABEL: tile.kernel @inside(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @inside(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %i step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// One load is conditional.
// CHECK-LABEL: tile.kernel @branch(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @branch(%p: i1, %A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      scf.if %p {
        %e = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      }
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Between the two loops A's rows are others.
// CHECK-LABEL: tile.kernel @two_loops(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @two_loops(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    %more = scf.for %k = %c0 to %K step %c64 iter_args(%c = %acc) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !b
      %d = cta.wgmma %a, %b, %c : !a, !b -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %j] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The loop around decides how often A is read.
// CHECK-LABEL: tile.kernel @loop_in_loop(
// CHECK-NOT: cache_if
// CHECK-NOT: tile.num_cores
// CHECK-NOT: #tile.cache<first>
// CHECK: tile.return
tile.kernel @loop_in_loop(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    scf.for %t = %c0 to %M step %c64 {
    %zero = arith.constant dense<0.0> : !sum
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
