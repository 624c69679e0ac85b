// Products that are done before their operands would have been copied: which kernels get the variant cp_async, and its condition. Alone it has none.
// RUN: tile-opt %s --split-input-file --tile-specialize-facts | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-specialize-facts=variants=cp_async | FileCheck %s --check-prefix=ALONE
// RUN: tile-opt %s --split-input-file --tile-specialize-facts=variants=repack | FileCheck %s --check-prefix=COPIES
// RUN: tile-opt %s --split-input-file --tile-specialize-facts | tile-opt --split-input-file --tile-specialize-facts | FileCheck %s

// Bases and rows of the operands are guards of one argument each, sizes one of several. 638976000 fs are what 48 KiB by cp.async and not by TMA lose
// (13 ps a byte, being more than 32 KiB), two copies take 4 us each and 0.43 ps for each byte of A and B. Nothing is said of C.

// CHECK-LABEL: tile.kernel @product_aligned(
// CHECK-LABEL: tile.kernel @product_cp_async(
// CHECK-SAME: %A: memref<?x?xbf16> {tile.align = 4 : i64, tile.shape = ["M", "K"], tile.size_max = array<i64: 2147483647, 2147483647>, tile.stride_divisible = array<i64: 2, 1>}
// CHECK-SAME: %B: memref<?x?xbf16> {tile.align = 4 : i64, tile.shape = ["N", "K"],
// CHECK-SAME: %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
// CHECK-SAME: guards = [#tile.guard<size_max, arg = 0, dim = 0, value = 2147483647>, #tile.guard<size_max, arg = 0, dim = 1, value = 2147483647>,
// CHECK-SAME: #tile.guard<size_max, arg = 1, dim = 0, value = 2147483647>,
// CHECK-SAME: #tile.guard<size_min, arg = 0, dim = 0, value = 1>, #tile.guard<size_min, arg = 0, dim = 1, value = 1>, #tile.guard<size_min, arg = 1, dim = 0, value = 1>,
// CHECK-SAME: #tile.guard<align, arg = 0, dim = -1, value = 4>, #tile.guard<stride_divisible, arg = 0, dim = 0, value = 2>, #tile.guard<align, arg = 1, dim = -1, value = 4>]
// CHECK-SAME: variant = "cp_async", variant_of = "product"
// CHECK: %[[C64:.*]] = arith.constant 64
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi %K, %[[C64]]
// CHECK: %[[C128:.*]] = arith.constant 128
// CHECK: %[[ROWS:.*]] = arith.ceildivsi %M, %[[C128]]
// CHECK: %[[C256:.*]] = arith.constant 256
// CHECK: %[[COLUMNS:.*]] = arith.ceildivsi %N, %[[C256]]
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK: %[[SMS:.*]] = arith.constant 132
// CHECK: %[[WAVES:.*]] = arith.ceildivsi %[[BLOCKS]], %[[SMS]]
// CHECK: %[[ITERATIONS:.*]] = arith.muli %[[WAVES]], %[[TRIPS]]
// CHECK: %[[EACH:.*]] = arith.constant 638976000
// CHECK: %[[LOST:.*]] = arith.muli %[[ITERATIONS]], %[[EACH]]
// CHECK: %[[LAUNCHES:.*]] = arith.constant 8000000000
// CHECK: arith.constant 860
// CHECK: memref.dim %A
// CHECK: memref.dim %A
// CHECK: %[[BYTES_A:.*]] = arith.muli
// CHECK: %[[SUM_A:.*]] = arith.addi %[[BYTES_A]], %[[LAUNCHES]]
// CHECK: memref.dim %B
// CHECK: memref.dim %B
// CHECK: %[[BYTES_B:.*]] = arith.muli
// CHECK: %[[SPENT:.*]] = arith.addi %[[SUM_A]], %[[BYTES_B]]
// CHECK: %[[LESS:.*]] = arith.cmpi sle, %[[LOST]], %[[SPENT]]
// CHECK: %[[SMALL_M:.*]] = arith.cmpi slt
// CHECK: %[[OR_M:.*]] = arith.ori %[[LESS]], %[[SMALL_M]]
// CHECK: %[[SMALL_K:.*]] = arith.cmpi slt
// CHECK: %[[OR_K:.*]] = arith.ori %[[OR_M]], %[[SMALL_K]]
// CHECK: %[[SMALL_N:.*]] = arith.cmpi slt
// CHECK: %[[OR_N:.*]] = arith.ori %[[OR_K]], %[[SMALL_N]]
// CHECK-NEXT: tile.assume guard %[[OR_N]], "fetching the operands by cp.async takes no longer than copying them, or they are too small to be copied" : i1
// CHECK-NEXT: tile.grid
// CHECK-LABEL: tile.kernel @product_repack(
// CHECK-NOT: tile.assume guard
// CHECK-LABEL: tile.kernel @product_any(
// CHECK-NOT: tile.assume guard
// ALONE: tile.kernel @product_cp_async
// ALONE-NOT: tile.assume guard
// ALONE-NOT: @product_
tile.kernel @product(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    %narrow = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %narrow, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// TMA fetches B: only A is asked about, its 8 KiB cost 7 ps a byte, and one copy is saved. The loop begins at an argument.

// CHECK-LABEL: tile.kernel @one_cp_async(
// CHECK-SAME: #tile.guard<align, arg = 0, dim = -1, value = 4>, #tile.guard<stride_divisible, arg = 0, dim = 0, value = 2>]
// CHECK: %[[LENGTH:.*]] = arith.subi %K, %first
// CHECK: arith.ceildivsi %[[LENGTH]], %{{.*}}
// CHECK: arith.constant 57344000 : index
// CHECK: arith.constant 4000000000 : index
// CHECK-NOT: memref.dim %B
// CHECK: tile.assume guard
// CHECK-LABEL: tile.kernel @one_repack(
// ALONE: tile.kernel @one_cp_async
tile.kernel @one(%A: memref<?x?xf16, strided<[?, 1]>> {tile.shape = ["M", "K"]}, %B: memref<?x256xf16> {tile.align = 16, tile.size_max = array<i64: 100000, 256>, tile.shape = ["K", 256]}, %C: memref<?x256xf32> {tile.shape = ["M", 256]}, %first: index {tile.divisible = 64}) {
  tile.assume %first {min = 0, max = 4096} : index
  %M = tile.dim "M" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, 256) step (64, 128) {
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %first to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16, strided<[?, 1]>> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x256xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x256xf32>
  }
  tile.return
}

// -----

// The source IR has the facts that threads need: the last variant fetches like that already, and the copies have the opposite condition.

// CHECK-LABEL: tile.kernel @said_aligned(
// CHECK-NOT: @said_cp_async
// CHECK-LABEL: tile.kernel @said_repack(
// CHECK: %[[MORE:.*]] = arith.cmpi sgt
// CHECK-NEXT: tile.assume guard %[[MORE]], "copying the operands takes less time than fetching them by cp.async" : i1
// CHECK-LABEL: tile.kernel @said_any(
// CHECK-NOT: tile.assume guard
// ALONE: tile.kernel @said_any
// COPIES: tile.kernel @said_repack
// COPIES-NOT: tile.assume guard
// COPIES: @much_repack
tile.kernel @said(%A: memref<?x?xf16> {tile.shape = ["M", "K"], tile.align = 8, tile.stride_divisible = array<i64: 4, 1>}, %B: memref<?x?xf16> {tile.shape = ["K", "N"], tile.align = 8, tile.stride_divisible = array<i64: 4, 1>}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// If the source IR has the sizes, they decide before the launch. Only alignment to 4 bytes is left to ask for, and rows of 1032 bytes cannot have more.

// CHECK-LABEL: tile.kernel @little_cp_async(
// CHECK-SAME: guards = [#tile.guard<align, arg = 0, dim = -1, value = 4>, #tile.guard<align, arg = 1, dim = -1, value = 4>]
// CHECK-NOT: tile.assume guard
// CHECK-LABEL: tile.kernel @little_repack(
// CHECK-NOT: guards
// CHECK-NOT: @little_a
// ALONE: tile.kernel @little_cp_async
tile.kernel @little(%A: memref<516x516xf16>, %B: memref<516x516xf16>, %C: memref<516x516xf32>) {
  tile.grid (%i, %j) = (0, 0) to (516, 516) step (64, 128) {
    %c0 = arith.constant 0 : index
    %K = arith.constant 516 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<516x516xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<516x516xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<516x516xf32>
  }
  tile.return
}

// -----

// Large enough for copies, always.

// CHECK-NOT: @much_cp_async
// CHECK-LABEL: tile.kernel @much_repack(
// CHECK-NOT: tile.assume guard
// ALONE: tile.kernel @much_cp_async
tile.kernel @much(%A: memref<4100x4100xf16>, %B: memref<4100x4100xf16>, %C: memref<4100x4100xf32>) {
  tile.grid (%i, %j) = (0, 0) to (4100, 4100) step (64, 128) {
    %c0 = arith.constant 0 : index
    %K = arith.constant 4100 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<4100x4100xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<4100x4100xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<4100x4100xf32>
  }
  tile.return
}

// -----

// None where a plan was made for loops that TMA feeds; the copies have no condition then either.

// CHECK-LABEL: tile.kernel @planned_aligned(
// CHECK-NOT: @planned_cp_async
// CHECK-LABEL: tile.kernel @planned_repack(
// CHECK-NOT: tile.assume guard
// CHECK-LABEL: tile.kernel @planned_any(
// ALONE: tile.kernel @planned_cp_async
tile.kernel @planned(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {plan = #cta.plan<stages = 4, producers = 1>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// None where the loop does more than sum up products: the model knows nothing of it.

// CHECK-LABEL: tile.kernel @rescaled_aligned(
// CHECK-NOT: @rescaled_cp_async
// CHECK-LABEL: tile.kernel @rescaled_repack(
// CHECK-NOT: tile.assume guard
// ALONE: tile.kernel @rescaled_cp_async
tile.kernel @rescaled(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %half = arith.constant dense<0.5> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %s = arith.mulf %c, %half : tensor<64x128xf32>
      %d = tile.mma %a, %b, %s : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// None where cp.async cannot: rows of 1026 bytes, no contiguous dimension. An operand at a coordinate that is no multiple of 16 bytes is
// not copied, since TMA could not fetch it from the copy either: the other operand alone decides.

// CHECK-NOT: @odd_cp_async
// CHECK-LABEL: tile.kernel @odd_repack(
// CHECK-NOT: tile.assume guard
// CHECK-LABEL: tile.kernel @shifted_aligned(
// CHECK-LABEL: tile.kernel @shifted_cp_async(%A: memref<?x?xf16> {tile.shape = ["M", "K"],
// CHECK-SAME: %B: memref<?x?xf16> {tile.align = 4 : i64,
// CHECK-LABEL: tile.kernel @shifted_repack(
// CHECK-LABEL: tile.kernel @strided_repack(
// CHECK-NOT: @strided_cp_async
// CHECK-NOT: tile.assume guard
// ALONE: tile.kernel @odd_any
// ALONE: tile.kernel @shifted_cp_async
// ALONE: tile.kernel @strided_any
tile.kernel @odd(%A: memref<?x513xf16> {tile.shape = ["M", 513]}, %B: memref<513x?xf16> {tile.shape = [513, "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %K = arith.constant 513 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x513xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<513x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @shifted(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}, %first: index {tile.divisible = 2}) {
  tile.assume %first {min = 0, max = 4096} : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %first to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @strided(%A: memref<?x?xf16, strided<[?, ?]>> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16, strided<[?, ?]>> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// None where nothing would be copied: facts in the source IR align everything, the grid writes what it reads, or a size is too small for it. And none where the
// trips of the loop depend on the block.

// CHECK-LABEL: tile.kernel @fine_aligned(
// CHECK-NOT: @fine_
// CHECK-LABEL: tile.kernel @own_aligned(
// CHECK-NOT: @own_cp_async
// CHECK-LABEL: tile.kernel @own_any(
// CHECK-LABEL: tile.kernel @short_aligned(
// CHECK-NOT: @short_cp_async
// CHECK-NOT: @short_repack
// CHECK-LABEL: tile.kernel @short_any(
// CHECK-LABEL: tile.kernel @triangle_aligned(
// CHECK-NOT: @triangle_cp_async
// CHECK-LABEL: tile.kernel @triangle_repack(
// CHECK-NOT: tile.assume guard
// ALONE: tile.kernel @fine_any
// ALONE: tile.kernel @own_any
// ALONE: tile.kernel @short_cp_async
// ALONE: tile.kernel @triangle_cp_async
tile.kernel @fine(%A: memref<512x512xf16> {tile.align = 16}, %B: memref<512x512xf16> {tile.align = 16}, %C: memref<512x512xf32> {tile.align = 16}) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 128) {
    %c0 = arith.constant 0 : index
    %K = arith.constant 512 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<512x512xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<512x512xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<512x512xf32>
  }
  tile.return
}
tile.kernel @own(%A: memref<?x?xf16> {tile.shape = ["M", "K"], tile.alias = "x"}, %B: memref<?x?xf16> {tile.shape = ["K", "N"], tile.alias = "x"}, %C: memref<?x?xf32> {tile.shape = ["M", "N"], tile.alias = "x"}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @short(%A: memref<?x100xf16> {tile.shape = ["M", 100]}, %B: memref<100x?xf16> {tile.shape = [100, "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %K = arith.constant 100 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x100xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<100x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @triangle(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %diagonal = arith.addi %i, %c64 : index
    %end = arith.minsi %diagonal, %K : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// None either where a launch cannot compute the trips, of which the condition would speak: an op that it does not know, outside the grid or in it, numbers
// that are no integers, or the size of a view. Then nothing is asked at all.

// CHECK-LABEL: tile.kernel @shifts_aligned(
// CHECK-NOT: @shifts_cp_async
// CHECK-LABEL: tile.kernel @shifts_repack(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @shifts_any(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @shifts_inside_aligned(
// CHECK-NOT: @shifts_inside_cp_async
// CHECK-LABEL: tile.kernel @shifts_inside_repack(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @shifts_inside_any(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @floats_aligned(
// CHECK-NOT: @floats_cp_async
// CHECK-LABEL: tile.kernel @floats_repack(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @floats_any(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @view_aligned(
// CHECK-NOT: @view_cp_async
// CHECK-LABEL: tile.kernel @view_repack(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @view_any(
// CHECK-NOT: tile.assume
// CHECK-LABEL: tile.kernel @divides_cp_async(
// CHECK: tile.assume guard
// ALONE: tile.kernel @shifts_cp_async
// ALONE: tile.kernel @shifts_inside_cp_async
// ALONE: tile.kernel @floats_cp_async
// ALONE: tile.kernel @view_cp_async
// ALONE: tile.kernel @divides_cp_async
tile.kernel @shifts(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.shrui %K, %c1 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %half step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @shifts_inside(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %half = arith.shrui %K, %c1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %half step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @floats(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %int = arith.index_cast %K : index to i32
  %float = arith.sitofp %int : i32 to f32
  %back = arith.fptosi %float : f32 to i32
  %upper = arith.index_cast %back : i32 to index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @view(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %V = memref.subview %A[0, 0] [%M, %K] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1]>>
    %size = memref.dim %V, %c1 : memref<?x?xf16, strided<[?, 1]>>
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %size step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @divides(%A: memref<?x?xf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xf16> {tile.shape = ["K", "N"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c2 = arith.constant 2 : index
    %half = arith.divui %K, %c2 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %half step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%k, %j] : memref<?x?xf16> -> tensor<64x128xf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
