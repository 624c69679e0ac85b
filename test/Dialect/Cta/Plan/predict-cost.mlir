// RUN: tile-opt %s --tessera-to-planned=variants=any -o %t.planned && FileCheck %s --input-file=%t.planned
// RUN: tile-opt %t.planned --pass-pipeline="builtin.module(tile.kernel(cta-predict-cost))" | diff %t.planned -
// The predicted time of members: what the launcher can compute, and once.

// A product: launch + waves · (round + iterations · iteration), or what memory takes to move each array once, whichever is more, and a fifth of the
// other; in 64ths of a cycle, then in nanoseconds. An iteration of a full wave takes 608 cycles, one of the last wave as many of them as SMs are at work,
// but at least 573.
// CHECK-LABEL: tile.kernel @product_BM128_any(
// CHECK: tile.grid
// CHECK: %[[TILES:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: %[[FULL:.*]] = arith.divui %[[TILES]], %[[CORES:.*]] : index
// CHECK: %[[IN_FULL:.*]] = arith.muli %[[FULL]], %[[CORES]] : index
// CHECK: %[[LAST:.*]] = arith.subi %[[TILES]], %[[IN_FULL]] : index
// CHECK: %[[BUSY:.*]] = arith.muli %[[LAST]], %c38912{{.*}} : index
// CHECK: %[[SHARE:.*]] = arith.divui %[[BUSY]], %[[CORES]] : index
// CHECK: %[[OF_LAST:.*]] = arith.maxsi %[[SHARE]], %c36672{{.*}} : index
// CHECK: %[[IS_LAST:.*]] = arith.ceildivsi %[[LAST]], %[[CORES]] : index
// CHECK: %[[TRIPS_FULL:.*]] = arith.muli %[[TRIPS:.*]], %c38912{{.*}} : index
// CHECK: %[[EACH_FULL:.*]] = arith.addi %[[TRIPS_FULL]], %c56576{{.*}} : index
// CHECK: %[[ALL_FULL:.*]] = arith.muli %[[FULL]], %[[EACH_FULL]] : index
// CHECK: %[[TRIPS_LAST:.*]] = arith.muli %[[TRIPS]], %[[OF_LAST]] : index
// CHECK: %[[EACH_LAST:.*]] = arith.addi %[[TRIPS_LAST]], %c56576{{.*}} : index
// CHECK: %[[ALL_LAST:.*]] = arith.muli %[[IS_LAST]], %[[EACH_LAST]] : index
// CHECK: %[[ALL:.*]] = arith.addi %[[ALL_FULL]], %[[ALL_LAST]] : index
// CHECK: %[[TIMES:.*]] = arith.muli %[[TILES]], %{{.*}} : index
// CHECK: %[[READ:.*]] = arith.muli %[[TIMES]], %c16384{{.*}} : index
// CHECK: memref.dim %A
// CHECK: memref.dim %A
// CHECK: %[[OF_A:.*]] = arith.minsi %[[READ]], %{{.*}} : index
// CHECK: memref.dim %B
// CHECK: memref.dim %C
// CHECK: %[[RATE:.*]] = arith.muli %[[CORES]], %c299{{.*}} : index
// CHECK: %[[MEMORY:.*]] = arith.ceildivsi %{{.*}}, %[[RATE]] : index
// CHECK: %[[AT_WORK:.*]] = arith.minsi %[[TILES]], %[[CORES]] : index
// CHECK: %[[OF_THOSE:.*]] = arith.maxsi %[[AT_WORK]], %{{.*}} : index
// CHECK: %[[SHARES:.*]] = arith.muli %[[OF_THOSE]], %c832{{.*}} : index
// CHECK: %[[ALONE:.*]] = arith.ceildivsi %{{.*}}, %[[SHARES]] : index
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[MEMORY]], %[[ALONE]] : index
// CHECK: %[[LESS:.*]] = arith.minsi %[[ALL]], %[[MEMORY]] : index
// CHECK: %[[MORE:.*]] = arith.maxsi %[[ALL]], %[[LEAST]] : index
// CHECK: %[[REST:.*]] = arith.ceildivsi %[[LESS]], %c5{{.*}} : index
// CHECK: %[[BOTH:.*]] = arith.addi %[[MORE]], %[[REST]] : index
// CHECK: %[[SUM:.*]] = arith.addi %[[BOTH]], %c256000{{.*}} : index
// CHECK: %[[NS:.*]] = arith.floordivsi %{{.*}}, %c64000{{.*}} : index
// CHECK-NEXT: tile.cost %[[NS]]
// CHECK-NEXT: tile.return
tile.kernel @product_BM128(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]},
                           %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]},
                           %C: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "N"]})
    attributes {tile.member_of = "product", tile.member = "BM=128"} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// Two blocks have room on an SM. In a last wave of at most one block an SM each is alone, and waits for its loads: an iteration takes `by_itself`. The first
// loads, one for each of its three slots, are on their way together.
// CHECK-LABEL: tile.kernel @shared_any(
// CHECK: cta.prediction = {blocks_per_sm = 2 : i64, {{.*}}by_itself = 803 : i64, {{.*}}slots = 3 : i64
// CHECK: %[[PLACES:.*]] = arith.muli %[[CORES:.*]], %c2{{.*}} : index
// CHECK: %[[TILES:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: %[[FULL:.*]] = arith.divui %[[TILES]], %[[PLACES]] : index
// CHECK: %[[IN_FULL:.*]] = arith.muli %[[FULL]], %[[PLACES]] : index
// CHECK: %[[LAST:.*]] = arith.subi %[[TILES]], %[[IN_FULL]] : index
// CHECK: %[[OF_SM:.*]] = arith.ceildivsi %[[LAST]], %[[CORES]] : index
// CHECK: %[[WORKING:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: %[[IS_ALONE:.*]] = arith.cmpi sge, %[[CORES]], %[[LAST]] : index
// CHECK: %[[BEYOND:.*]] = arith.subi %{{.*}}, %c3{{.*}} : index
// CHECK: %[[LATE:.*]] = arith.maxsi %[[BEYOND]], %c0{{.*}} : index
// CHECK: %[[LONGER:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[OF_LAST:.*]] = arith.muli %[[LATE]], %[[LONGER]] : index
// CHECK: %[[WAITING:.*]] = arith.muli %[[OF_SM]], %[[OF_LAST]] : index
// CHECK: %[[ALONE:.*]] = arith.addi %[[WORKING]], %[[WAITING]] : index
// CHECK: %[[CYCLES:.*]] = arith.select %[[IS_ALONE]], %[[ALONE]], %[[WORKING]] : index
// Its waiting is not counted again beside the time of memory.
// CHECK: arith.minsi %[[WORKING]], %[[MEMORY:.*]] : index
// CHECK: arith.maxsi %[[CYCLES]], %{{.*}} : index
// CHECK: tile.cost
tile.kernel @shared(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]},
                    %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]},
                    %C: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "N"]})
    attributes {tile.member_of = "shared", tile.member = "BM=128", plan = #cta.plan<blocks_per_sm = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %c = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// With stream-K: the output tiles of the last wave in parts, which are handed on one after the other, if that saves at least 9 iterations. Partial sums
// are written and read.
// CHECK-LABEL: tile.kernel @divided_any
// CHECK: tile.grid {{.*}}stream_k = 9 : i64, sums = 65536 : i64}
// CHECK: %[[TILES:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: %[[OF_SM:.*]] = arith.ceildivsi %[[TILES]], %[[CORES:.*]] : index
// CHECK: %[[WHOLE:.*]] = arith.muli %[[OF_SM]], %{{.*}} : index
// CHECK: %[[NARROW:.*]] = arith.cmpi eq, %{{.*}}, %[[TILES]] : index
// CHECK: %[[FULL:.*]] = arith.divui %[[TILES]], %[[CORES]] : index
// CHECK: %[[DONE:.*]] = arith.muli %[[FULL]], %[[CORES]] : index
// CHECK: %[[REST:.*]] = arith.subi %[[TILES]], %[[DONE]] : index
// CHECK: %[[SEQUENCE:.*]] = arith.andi %{{.*}}, %[[NARROW]] : i1
// CHECK: %[[LONGEST:.*]] = arith.select %[[SEQUENCE]]
// CHECK: %[[SAVED:.*]] = arith.subi %{{.*}}, %[[LONGEST]] : index
// CHECK: arith.cmpi sge, %[[SAVED]], %c9{{.*}} : index
// CHECK: %[[HANDED_ON:.*]] = arith.select %[[SEQUENCE]], %[[CORES]], %{{.*}} : index
// CHECK: %[[CYCLES:.*]] = arith.select %[[DIVIDED:.*]], %{{.*}}, %[[WHOLE]] : index
// CHECK: %[[TWICE:.*]] = arith.muli %[[HANDED_ON]], %c2{{.*}} : index
// CHECK: %[[SUMS:.*]] = arith.muli %[[TWICE]], %c65536{{.*}} : index
// CHECK: %[[BYTES:.*]] = arith.addi %{{.*}}, %[[SUMS]] : index
// CHECK: arith.muli %[[BYTES]], %c1024{{.*}} : index
// CHECK: %[[MEMORY:.*]] = arith.select %[[DIVIDED]], %[[OF_DIVIDED:.*]], %{{.*}} : index
// CHECK: %[[LEAST:.*]] = arith.select %[[DIVIDED]], %[[OF_DIVIDED]], %{{.*}} : index
// CHECK: arith.minsi %[[CYCLES]], %[[MEMORY]] : index
// CHECK: arith.maxsi %[[CYCLES]], %[[LEAST]] : index
// CHECK: tile.cost
tile.kernel @divided(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]},
                     %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]},
                     %C: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "N"]})
    attributes {tile.member_of = "product", tile.member = "BM=128,stream-k", cta.stream_k} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// Threads alone: the larger of instructions, bytes and latency for each output tile of an SM. The loop ends at a coordinate: it counts as in four
// output tiles in the mean, those in the middle of the quarters.
// CHECK-LABEL: tile.kernel @sums_W256_any(
// CHECK: tile.grid
// CHECK: %[[TILES:.*]] = arith.maxsi %N, %c0{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.subi %[[TILES]], %c4{{.*}} : index
// CHECK: arith.floordivsi %[[FIRST]], %c8{{.*}} : index
// CHECK: %[[SECOND:.*]] = arith.muli %{{.*}}, %c3{{.*}} : index
// CHECK: arith.ceildivsi %{{.*}}, %c8{{.*}} : index
// CHECK: %[[THIRD:.*]] = arith.muli %{{.*}}, %c5{{.*}} : index
// CHECK: arith.floordivsi %{{.*}}, %c8{{.*}} : index
// CHECK: %[[FOURTH:.*]] = arith.muli %{{.*}}, %c7{{.*}} : index
// CHECK: arith.ceildivsi %{{.*}}, %c8{{.*}} : index
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %c2{{.*}} : index
// CHECK: arith.divui %[[SUM]], %c4{{.*}} : index
// CHECK: arith.maxsi
// CHECK: tile.cost
tile.kernel @sums_W256(%X: memref<?x?xf32> {tile.shape = ["N", "N"]}, %Y: memref<?xf32> {tile.shape = ["N"]})
    attributes {tile.member_of = "sums", tile.member = "W=256"} {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (1) {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : tensor<1x256xf32>
    %sum = scf.for %j = %c0 to %i step %c256 iter_args(%s = %zero) -> (tensor<1x256xf32>) {
      %x = tile.load %X[%i, %j] : memref<?x?xf32> -> tensor<1x256xf32>
      %t = arith.addf %s, %x : tensor<1x256xf32>
      scf.yield %t : tensor<1x256xf32>
    }
    %y = tile.reduce addf %sum dims = [1] : tensor<1x256xf32> -> tensor<1xf32>
    tile.store %y, %Y[%i] : tensor<1xf32> -> memref<?xf32>
  }
  tile.return
}

// Two grids: one time.
// CHECK-LABEL: tile.kernel @twice_W256_any(
// CHECK-COUNT-2: tile.grid
// CHECK-COUNT-1: tile.cost
// CHECK-NOT: tile.cost
tile.kernel @twice_W256(%X: memref<?xf32>, %Y: memref<?xf32>) attributes {tile.member_of = "twice", tile.member = "W=256"} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?xf32>
  tile.grid (%i) = (0) to (%n) step (256) {
    %x = tile.load %X[%i] : memref<?xf32> -> tensor<256xf32>
    tile.store %x, %Y[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (256) {
    %x = tile.load %Y[%i] : memref<?xf32> -> tensor<256xf32>
    %y = arith.addf %x, %x : tensor<256xf32>
    tile.store %y, %Y[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}

// What all blocks load alike comes from L2 and counts 0.4 times: 16384 bytes of X, as many of Y and 410 of the 1024 of G, at 18.7 bytes a cycle in 64ths.
// CHECK-LABEL: tile.kernel @gained_W256_any(
// CHECK: %[[MEMORY:.+]] = arith.constant 113627 : index
// CHECK: arith.muli %{{.+}}, %[[MEMORY]]
// CHECK: tile.cost
tile.kernel @gained_W256(%X: memref<?x256xf32>, %G: memref<256xf32>, %Y: memref<?x256xf32>) attributes {tile.member_of = "gained", tile.member = "W=256"} {
  tile.grid (%i) = (0) to (1000) step (16) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %c0] : memref<?x256xf32> -> tensor<16x256xf32>
    %g = tile.load %G[%c0] : memref<256xf32> -> tensor<256xf32>
    %gs = tile.broadcast %g dims = [1] : tensor<256xf32> -> tensor<16x256xf32>
    %y = arith.mulf %x, %gs : tensor<16x256xf32>
    tile.store %y, %Y[%i, %c0] : tensor<16x256xf32> -> memref<?x256xf32>
  }
  tile.return
}

// No member, no prediction.
// CHECK-LABEL: tile.kernel @alone_any(
// CHECK-NOT: tile.cost
// CHECK: tile.return
tile.kernel @alone(%X: memref<?xf32>, %Y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?xf32>
  tile.grid (%i) = (0) to (%n) step (256) {
    %x = tile.load %X[%i] : memref<?xf32> -> tensor<256xf32>
    tile.store %x, %Y[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}

// A loop whose end is read from memory counts 64 iterations. One grid's end is read from memory: no prediction.
// CHECK-LABEL: tile.kernel @ragged_W256_any(
// CHECK: tile.cost
tile.kernel @ragged_W256(%X: memref<?x?xf32>, %L: memref<?xindex>, %Y: memref<?xf32>) attributes {tile.member_of = "ragged", tile.member = "W=256"} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?x?xf32>
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0_0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %end = memref.load %L[%i] : memref<?xindex>
    %zero = arith.constant dense<0.0> : tensor<1x256xf32>
    %sum = scf.for %j = %c0_0 to %end step %c256 iter_args(%s = %zero) -> (tensor<1x256xf32>) {
      %x = tile.load %X[%i, %j] : memref<?x?xf32> -> tensor<1x256xf32>
      %t = arith.addf %s, %x : tensor<1x256xf32>
      scf.yield %t : tensor<1x256xf32>
    }
    %y = tile.reduce addf %sum dims = [1] : tensor<1x256xf32> -> tensor<1xf32>
    tile.store %y, %Y[%i] : tensor<1xf32> -> memref<?xf32>
  }
  tile.return
}
