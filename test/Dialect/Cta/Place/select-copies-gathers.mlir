// RUN: tile-opt %s --split-input-file --cta-select-copies --cta-verify | FileCheck %s
// RUN: tile-opt %s --split-input-file --cta-select-copies --convert-cta-to-tile -o /dev/null

// Gathers whose tile only goes to shared memory become copies; the threads that copy compute the indices for themselves.

// Rows of 128 bytes: by cp.async. The index tile is computed again, in the layout of the pieces (eight threads for a row), and what it was computed by is gone. So is the
// limit of rows, which a comparison can do; and what is masked has the index -1.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 2 on 0>
#at = #cta.frag<regs = [[1], [2]], lanes = [[0], [0], [0], [4], [8]], warps = [[16], [32]], wg = 2 on 0>
#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 2>
!tile = !cta.smem<128x64xbf16, #sw>
// CHECK: #[[$AT:.+]] = #cta.frag<regs = [], lanes = {{.*}}[0], [0], [0], [1], [2]], warps = {{.*}}[4], [8]], wg = 2 on 0>
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.grid
// CHECK-NEXT: %c0 = arith.constant
// CHECK-NEXT: %[[R:.+]] = cta.load %R[%i] pad = -1 : i32 : memref<?xi32> -> tensor<128xi32, #[[$AT]]>
// CHECK-NEXT: %[[ONE:.+]] = arith.constant dense<1> : tensor<128xi32, #[[$AT]]>
// CHECK-NEXT: %[[S:.+]] = arith.addi %[[R]], %[[ONE]] : tensor<128xi32, #[[$AT]]>
// CHECK-NEXT: %[[M:.+]] = arith.cmpi ne, %[[R]], %[[ONE]]
// CHECK-NEXT: scf.for %[[K:.+]] = %c0
// CHECK-NOT: cta.convert_layout
// CHECK: %[[NONE:.+]] = arith.constant dense<-1> : tensor<128xi32, #[[$AT]]>
// CHECK-NEXT: %[[X:.+]] = arith.select %[[M]], %[[S]], %[[NONE]]
// CHECK-NEXT: %[[A:.+]] = cta.copy %A[%[[X]] : tensor<128xi32, #[[$AT]]>, %[[K]]] limit = [%end, _] {mechanism = #cta.mechanism<cp_async>, stages = 3 : i64, vector = 8 : i64, why = "no TMA: an index selects boxes of 128 bytes, and an instruction for each pays from 1024 on"} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
// CHECK-NEXT: cta.wgmma %[[A]], %[[A]]
tile.kernel @rows(%A: memref<?x?xbf16> {tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>, tile.size_max = array<i64: 2147483647, 2147483647>}, %R: memref<?xi32>, %end: index, %n: index)
    attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>, #tile.guard<size_min, arg = 0, dim = 1, value = 1>], phase = #tile.phase<raw>, warpgroups = 2} {
  %c64 = arith.constant 64 : index
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %r = cta.load %R[%i] pad = -1 : i32 : memref<?xi32> -> tensor<128xi32, #at>
    %one = arith.constant dense<1> : tensor<128xi32, #at>
    %s = arith.addi %r, %one : tensor<128xi32, #at>
    %m = arith.cmpi ne, %r, %one : tensor<128xi32, #at>
    scf.for %k = %c0 to %n step %c64 {
      %sp = cta.convert_layout %s : tensor<128xi32, #at> -> tensor<128xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>>
      %mp = cta.convert_layout %m : tensor<128xi1, #at> -> tensor<128xi1, #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>>
      %a = cta.gather %A[%sp : tensor<128xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 2 on 0>>, %k] limit = [%end, _] mask = %mp on [0] {stages = 3 : i64} : memref<?x?xbf16> -> tensor<128x64xbf16, #blocked>
      %as = cta.stage %a : tensor<128x64xbf16, #blocked> -> !tile
      %d = cta.wgmma %as, %as {transpose_b} : !tile, !tile -> tensor<128x128xf32, #acc>
    }
  }
  tile.return
}

// -----

// Pages of 16 rows, eight at a time: a box of 2048 bytes for each index and panel, so by TMA. Every thread has all indices. TMA knows 32 bits and no limits: an index that
// needs more bits, or is at or beyond the limit, becomes -1. Two copies of the same pages have one index tile.
#blocked = #cta.frag<regs = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], lanes = [[0, 0, 8], [0, 0, 16], [0, 0, 32], [0, 0, 64], [0, 1, 0]], warps = [[0, 2, 0], [0, 4, 0]], wg = 1>
#at = #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>
#sw = #cta.swizzle<128, dim = 2>
!pages = !cta.smem<8x16x128xbf16, #sw>
!tile = !cta.smem<128x128xbf16, #cta.swizzle<128, dim = 1>>
!acc = tensor<128x128xf32, #cta.frag<wgmma_acc, wg = 1>>
// CHECK-LABEL: tile.kernel @pages
// CHECK: %[[P:.+]] = cta.load %R[%{{.+}}] : memref<?xi64> -> tensor<8xi64, #splat>
// CHECK-NEXT: %[[END:.+]] = arith.index_cast %end : index to i64
// CHECK-NEXT: %[[ENDS:.+]] = cta.broadcast %[[END]] dims = [] : i64 -> tensor<8xi64, #splat>
// CHECK-NEXT: %[[BELOW:.+]] = arith.cmpi slt, %[[P]], %[[ENDS]]
// CHECK-NEXT: %[[NONE:.+]] = arith.constant dense<-1> : tensor<8xi64, #splat>
// CHECK-NEXT: %[[Q:.+]] = arith.select %[[BELOW]], %[[P]], %[[NONE]]
// CHECK-NEXT: %[[MOST:.+]] = arith.constant dense<2147483648> : tensor<8xi64, #splat>
// CHECK-NEXT: %[[FITS:.+]] = arith.cmpi ult, %[[Q]], %[[MOST]]
// CHECK-NEXT: %[[NONE:.+]] = arith.constant dense<-1> : tensor<8xi64, #splat>
// CHECK-NEXT: %[[Q1:.+]] = arith.select %[[FITS]], %[[Q]], %[[NONE]]
// CHECK-NEXT: %[[Q2:.+]] = arith.trunci %[[Q1]] : tensor<8xi64, #splat> to tensor<8xi32, #splat>
// CHECK-NEXT: cta.copy %K[%[[Q2]] : tensor<8xi32, #splat>, %c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x16x128xbf16> -> !cta.smem<8x16x128xbf16, #cta.swizzle<128, dim = 2>>
// CHECK: cta.copy %K[%{{.+}} : tensor<8xi32, #splat>, %c0, %c0] {mechanism = #cta.mechanism<tma>, require = #tile.require<[pipelined, peeled]>} :
tile.kernel @pages(%K: memref<?x16x128xbf16> {tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 16, 128>}, %R: memref<?xi64>, %end: index, %n: index)
    attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>], phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  tile.grid () = () to () step () {
    scf.for %i = %c0 to %n step %c8 {
      %r = cta.load %R[%i] : memref<?xi64> -> tensor<8xi64, #at>
      %k = cta.gather %K[%r : tensor<8xi64, #at>, %c0, %c0] limit = [%end, _, _] : memref<?x16x128xbf16> -> tensor<8x16x128xbf16, #blocked>
      %ks = cta.stage %k : tensor<8x16x128xbf16, #blocked> -> !pages
      %v = cta.gather %K[%r : tensor<8xi64, #at>, %c0, %c0] {require = #tile.require<[tma, pipelined, peeled]>} : memref<?x16x128xbf16> -> tensor<8x16x128xbf16, #blocked>
      %vs = cta.stage %v : tensor<8x16x128xbf16, #blocked> -> !pages
      %a = cta.view %ks : !pages -> !tile
      %b = cta.view %vs : !pages -> !tile
      %d = cta.wgmma %a, %b : !tile, !tile -> !acc
    }
  }
  tile.return
}

// -----

// What no copy gathers, and why: it goes through registers.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#wide = #cta.frag<regs = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], lanes = [[0, 0, 8], [0, 0, 16], [0, 0, 32], [0, 1, 0], [0, 2, 0]], warps = [[0, 4, 0], [0, 8, 0]], wg = 1>
#at = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
#columns = #cta.frag<regs = [[1], [2], [4]], lanes = [[8], [16], [32], [0], [0]], warps = [[0], [0]], wg = 1>
#none = #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!acc = tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>
// CHECK-LABEL: tile.kernel @refused
// CHECK: cta.gather %A[{{.*}}since its mask varies along other dimensions than its index tile"}
// CHECK: cta.gather %A[{{.*}}since no TMA: TMA pads with zero only; use pad = zero or any, and arith.select; no cp.async: it pads with zero only"}
// CHECK: cta.gather %A[{{.*}}since an index tile gives the coordinates of the contiguous dimension"}
// CHECK: cta.gather %F[{{.*}}since each element has a place of its own"}
// CHECK: cta.gather %A[{{.*}}since 2 index tiles give its coordinates, and a copy has one"}
// CHECK: cta.gather %A[{{.*}}since its index tile is computed by 'cta.reduce', which the threads that copy cannot do for themselves"}
// CHECK: cta.gather %A[{{.*}}since its index tile is carried by a loop"}
// CHECK: cta.gather %A[{{.*}} {vector = 8 : i64} : memref
// CHECK: cta.gather %A[{{.*}} {vector = 8 : i64} : memref
tile.kernel @refused(%A: memref<?x64xbf16> {tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 64>}, %F: memref<?xbf16>, %R: memref<?xi32>, %M: memref<?xi1>, %n: index)
    attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>], phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %minus = arith.constant -1 : i32
  tile.grid () = () to () step () {
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<64xi32, #at>
    %last = scf.for %i = %c0 to %n step %c8 iter_args(%t = %r) -> (tensor<64xi32, #at>) {
      %q = cta.load %R[%i] : memref<?xi32> -> tensor<64xi32, #columns>
      %p = cta.broadcast %q dims = [1] : tensor<64xi32, #columns> -> tensor<64x64xi32, #blocked>
      %m = cta.load %M[%c0] : memref<?xi1> -> tensor<64xi1, #columns>
      %0 = cta.gather %A[%r : tensor<64xi32, #at>, %c0] mask = %m on [1] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s0 = cta.stage %0 : tensor<64x64xbf16, #blocked> -> !tile
      %1 = cta.gather %A[%r : tensor<64xi32, #at>, %c0] pad = nan : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s1 = cta.stage %1 : tensor<64x64xbf16, #blocked> -> !tile
      %2 = cta.gather %A[%c0, %q : tensor<64xi32, #columns>] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s2 = cta.stage %2 : tensor<64x64xbf16, #blocked> -> !tile
      %3 = cta.gather %F[%p : tensor<64x64xi32, #blocked>] : memref<?xbf16> -> tensor<64x64xbf16, #blocked>
      %s3 = cta.stage %3 : tensor<64x64xbf16, #blocked> -> !tile
      %4 = cta.gather %A[%r : tensor<64xi32, #at>, %q : tensor<64xi32, #columns>] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s4 = cta.stage %4 : tensor<64x64xbf16, #blocked> -> !tile
      %wide = cta.broadcast %t dims = [0] : tensor<64xi32, #at> -> tensor<64x64xi32, #blocked>
      %x = cta.reduce (%wide) dims = [1] init(%minus) {
      ^bb0(%a: i32, %b: i32):
        %max = arith.maxsi %a, %b : i32
        tile.yield %max : i32
      } : tensor<64x64xi32, #blocked> -> tensor<64xi32, #at>
      %5 = cta.gather %A[%x : tensor<64xi32, #at>, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s5 = cta.stage %5 : tensor<64x64xbf16, #blocked> -> !tile
      %6 = cta.gather %A[%t : tensor<64xi32, #at>, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s6 = cta.stage %6 : tensor<64x64xbf16, #blocked> -> !tile
      %7 = cta.gather %A[%r : tensor<64xi32, #at>, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %8 = arith.negf %7 : tensor<64x64xbf16, #blocked>
      %s8 = cta.stage %8 : tensor<64x64xbf16, #blocked> -> !tile
      %9 = cta.gather %A[%r : tensor<64xi32, #at>, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %s9 = cta.stage %9, %8 {concat_dim = 0 : i64} : tensor<64x64xbf16, #blocked>, tensor<64x64xbf16, #blocked> -> !cta.smem<128x64xbf16, #sw>
      %next = arith.addi %t, %r : tensor<64xi32, #at>
      scf.yield %next : tensor<64xi32, #at>
    }
  }
  tile.return
}
