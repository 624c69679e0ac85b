// RUN: tile-opt %s -cta-plan | FileCheck %s
// RUN: tile-opt %s -cta-plan -o %t.once && sed "s/phase<planned>/phase<placed>/" %t.once | tile-opt -cta-plan | diff %t.once -
// The plan of placed kernels: what the source IR leaves open is decided.

#acc2 = #cta.frag<wgmma_acc, wg = 2>
#acc1 = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]], wg = 2 on 0>
#row = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 2>
#flat = #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#t = #cta.swizzle<128, dim = 0>
#placed = #tile.phase<placed>
#tma = #cta.mechanism<tma>

// A GEMM whose rows begin at cache lines: the plan is that of the best hand-written one.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME: plan = #cta.plan<replicate = split, warpgroups = 2, producers = 1, stages = 3, persistent = 1, group = 16, blocks_per_sm = 1, cluster = 1, registers = 0, pending = 0, epilogue = 0, stream_k = 0, least_group = 8>
// CHECK: tile.grid {{.*}} attributes {cta.panel = 16384 : i64, cta.prediction = {blocks_per_sm = 1 : i64, bound = "tensor", cluster = 1 : i64, iteration = 1024 : i64, launch = {{[0-9]+}} : i64, lines = {{[0-9]+}} : i64, lines_alone = {{[0-9]+}} : i64, lines_round = {{[0-9]+}} : i64, round = {{[0-9]+}} : i64}}
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc2>
      scf.yield %d : tensor<128x256xf32, #acc2>
    }
    %o = arith.truncf %acc : tensor<128x256xf32, #acc2> to tensor<128x256xbf16, #acc2>
    %s = cta.stage %o : tensor<128x256xbf16, #acc2> -> <128x256xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Rows that do not begin at cache lines take two each: L2 binds, and two blocks share the wider operand. A group of 16 rows is one of 8 clusters.
// CHECK-LABEL: tile.kernel @off_lines(
// CHECK-SAME: producers = 1, stages = 3, persistent = 1, group = 8, blocks_per_sm = 1, cluster = 2, registers = 0, pending = 0, epilogue = 0, stream_k = 0, cluster_dim = 0>
// CHECK-NOT: cta.panel
tile.kernel @off_lines(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc2>
      scf.yield %d : tensor<128x256xf32, #acc2>
    }
    %o = arith.truncf %acc : tensor<128x256xf32, #acc2> to tensor<128x256xbf16, #acc2>
    %s = cta.stage %o : tensor<128x256xbf16, #acc2> -> <128x256xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Numbers of the source IR: output tiles and iterations, for a prediction of the whole; the order that the grid has. The entries of the plan stay.
// CHECK-LABEL: tile.kernel @given(
// CHECK-SAME: plan = #cta.plan<replicate = split, warpgroups = 1, producers = 4, stages = 2, persistent = 0, group = 4, blocks_per_sm = 1, cluster = 1, registers = 0, pending = 1, epilogue = 0, stream_k = 0>
// CHECK: cta.prediction = {blocks_per_sm = 1 : i64, bound = "latency", cluster = 1 : i64, iteration = {{[0-9]+}} : i64, iterations = 32 : i64, launch = {{[0-9]+}} : i64, lines = {{[0-9]+}} : i64, lines_alone = {{[0-9]+}} : i64, lines_round = {{[0-9]+}} : i64, points = 512 : i64, round = {{[0-9]+}} : i64}
tile.kernel @given(%A: memref<2048x2048xbf16>, %B: memref<2048x2048xbf16>, %C: memref<2048x2048xf32>)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<replicate = split, producers = 4, stages = 2, persistent = 0, blocks_per_sm = 1, cluster = 1, pending = 1, epilogue = 0>} {
  tile.grid (%i, %j) = (0, 0) to (2048, 2048) step (64, 128) order = <group = 4> {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %K = arith.constant 2048 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc1>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32, #acc1>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<2048x2048xbf16> -> !cta.smem<64x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<2048x2048xbf16> -> !cta.smem<64x128xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x128xbf16, #t> -> tensor<64x128xf32, #acc1>
      scf.yield %d : tensor<64x128xf32, #acc1>
    }
    cta.store %acc, %C[%i, %j] : tensor<64x128xf32, #acc1> -> memref<2048x2048xf32>
  }
  tile.return
}

// After the products another grid moves memory by its threads: the plan does not concern it.
// CHECK-LABEL: tile.kernel @behind(
// CHECK-SAME: stages = 9, persistent = 1
// CHECK: tile.grid {{.*}} step (64, 128) attributes {{.*}}cta.prediction = {{.*}}
// CHECK-NOT: cta.unplanned
// CHECK: tile.grid {{.*}} step (32, 16) attributes {cta.unplanned} {
tile.kernel @behind(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #placed, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc1>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x128xf32, #acc1>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<64x128xf32, #acc1>
      scf.yield %d : tensor<64x128xf32, #acc1>
    }
    cta.store %acc, %C[%i, %j] : tensor<64x128xf32, #acc1> -> memref<?x?xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (32, 16) {
    %x = cta.load %C[%i, %j] : memref<?x?xf32> -> tensor<32x16xf32, #flat>
    %y = math.absf %x : tensor<32x16xf32, #flat>
    cta.store %y, %C[%i, %j] : tensor<32x16xf32, #flat> -> memref<?x?xf32>
  }
  tile.return
}

// The products' operands come through registers: no channel, everything stays synchronous.
// CHECK-LABEL: tile.kernel @staged(
// CHECK-SAME: plan = #cta.plan<replicate = split, warpgroups = 1, producers = 0, stages = 0, persistent = 0, group = 0, cluster = 1, registers = 0, pending = 0, epilogue = 0, stream_k = 0>
// CHECK-NOT: cta.prediction
tile.kernel @staged(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %K: index) attributes {phase = #placed, warpgroups = 1} {
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc1>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32, #acc1>) {
      %x = cta.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc1>
      %y = cta.load %B[%k, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc1>
      %a = cta.stage %x : tensor<64x64xbf16, #acc1> -> <64x64xbf16, #sw>
      %b = cta.stage %y : tensor<64x64xbf16, #acc1> -> <64x64xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc1>
      scf.yield %d : tensor<64x64xf32, #acc1>
    }
    cta.store %acc, %C[%i, %c0] : tensor<64x64xf32, #acc1> -> memref<?x?xf32>
  }
  tile.return
}

// The launch writes what it loads: no load may run ahead.
// CHECK-LABEL: tile.kernel @inplace(
// CHECK-SAME: stages = 0
tile.kernel @inplace(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %M: index, %K: index) attributes {phase = #placed, warpgroups = 1} {
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc1>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32, #acc1>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %b = cta.copy %A[%k, %i] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc1>
      scf.yield %d : tensor<64x64xf32, #acc1>
    }
    %o = arith.truncf %acc : tensor<64x64xf32, #acc1> to tensor<64x64xbf16, #acc1>
    cta.store %o, %A[%i, %c0] : tensor<64x64xbf16, #acc1> -> memref<?x?xbf16>
  }
  tile.return
}

// No products: nothing to feed. One that runs once is not pipelined either. A plan that asks for more is kept as it is.
// CHECK-LABEL: tile.kernel @copy(
// CHECK-SAME: plan = #cta.plan<replicate = split, warpgroups = 2, producers = 0, stages = 0, persistent = 1, group = 0, blocks_per_sm = 3, cluster = 1, registers = 0, pending = 0, epilogue = 0, stream_k = 0>
tile.kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %M: index) attributes {phase = #placed, warpgroups = 2, plan = #cta.plan<persistent = 1, blocks_per_sm = 3>} {
  tile.grid (%i) = (0) to (%M) step (64) {
    %c0 = arith.constant 0 : index
    %x = cta.load %A[%i, %c0] : memref<?x?xf32> -> tensor<64x16xf32, #rows>
    cta.store %x, %B[%i, %c0] : tensor<64x16xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// An epilogue in subtiles: a residual and a result of 128x256 are four tiles of 128x64 each, of which one channel and two slots live. Rows off
// the cache lines want four slots of 48 KiB, which fit beside tiles that take turns; as whole tiles, the two of 64 KiB would leave room for two.
// CHECK-LABEL: tile.kernel @parts(
// CHECK-SAME: plan = #cta.plan<replicate = split, warpgroups = 2, producers = 1, stages = 4, {{.*}}epilogue = 64, stream_k = 0, cluster_dim = 0>
// CHECK-LABEL: tile.kernel @whole(
// CHECK-SAME: plan = #cta.plan<replicate = split, warpgroups = 2, producers = 1, stages = 2, {{.*}}epilogue = 0, stream_k = 0, cluster_dim = 0>
tile.kernel @parts(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %R: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2, plan = #cta.plan<epilogue = 64>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc2>
      scf.yield %d : tensor<128x256xf32, #acc2>
    }
    %whole = arith.truncf %acc : tensor<128x256xf32, #acc2> to tensor<128x256xbf16, #acc2>
    %f0 = arith.constant 0 : index
    %j0 = arith.addi %j, %f0 : index
    %rs0 = cta.copy %R[%i, %j0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %r0 = cta.read %rs0 : !cta.smem<128x64xbf16, #sw> -> tensor<128x64xbf16, #acc2>
    %v0 = cta.slice %whole offsets = [0, 0] : tensor<128x256xbf16, #acc2> -> tensor<128x64xbf16, #acc2>
    %o0 = arith.addf %v0, %r0 : tensor<128x64xbf16, #acc2>
    %s0 = cta.stage %o0 : tensor<128x64xbf16, #acc2> -> <128x64xbf16, #sw>
    cta.copy_out %s0, %C[%i, %j0] {mechanism = #tma} : !cta.smem<128x64xbf16, #sw> -> memref<?x?xbf16>
    %f64 = arith.constant 64 : index
    %j64 = arith.addi %j, %f64 : index
    %rs64 = cta.copy %R[%i, %j64] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %r64 = cta.read %rs64 : !cta.smem<128x64xbf16, #sw> -> tensor<128x64xbf16, #acc2>
    %v64 = cta.slice %whole offsets = [0, 64] : tensor<128x256xbf16, #acc2> -> tensor<128x64xbf16, #acc2>
    %o64 = arith.addf %v64, %r64 : tensor<128x64xbf16, #acc2>
    %s64 = cta.stage %o64 : tensor<128x64xbf16, #acc2> -> <128x64xbf16, #sw>
    cta.copy_out %s64, %C[%i, %j64] {mechanism = #tma} : !cta.smem<128x64xbf16, #sw> -> memref<?x?xbf16>
    %f128 = arith.constant 128 : index
    %j128 = arith.addi %j, %f128 : index
    %rs128 = cta.copy %R[%i, %j128] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %r128 = cta.read %rs128 : !cta.smem<128x64xbf16, #sw> -> tensor<128x64xbf16, #acc2>
    %v128 = cta.slice %whole offsets = [0, 128] : tensor<128x256xbf16, #acc2> -> tensor<128x64xbf16, #acc2>
    %o128 = arith.addf %v128, %r128 : tensor<128x64xbf16, #acc2>
    %s128 = cta.stage %o128 : tensor<128x64xbf16, #acc2> -> <128x64xbf16, #sw>
    cta.copy_out %s128, %C[%i, %j128] {mechanism = #tma} : !cta.smem<128x64xbf16, #sw> -> memref<?x?xbf16>
    %f192 = arith.constant 192 : index
    %j192 = arith.addi %j, %f192 : index
    %rs192 = cta.copy %R[%i, %j192] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %r192 = cta.read %rs192 : !cta.smem<128x64xbf16, #sw> -> tensor<128x64xbf16, #acc2>
    %v192 = cta.slice %whole offsets = [0, 192] : tensor<128x256xbf16, #acc2> -> tensor<128x64xbf16, #acc2>
    %o192 = arith.addf %v192, %r192 : tensor<128x64xbf16, #acc2>
    %s192 = cta.stage %o192 : tensor<128x64xbf16, #acc2> -> <128x64xbf16, #sw>
    cta.copy_out %s192, %C[%i, %j192] {mechanism = #tma} : !cta.smem<128x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @whole(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %R: memref<?x?xbf16> {tile.shape = ["M", "N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc2>
      scf.yield %d : tensor<128x256xf32, #acc2>
    }
    %whole = arith.truncf %acc : tensor<128x256xf32, #acc2> to tensor<128x256xbf16, #acc2>
    %f0 = arith.constant 0 : index
    %j0 = arith.addi %j, %f0 : index
    %rs0 = cta.copy %R[%i, %j0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x256xbf16, #sw>
    %r0 = cta.read %rs0 : !cta.smem<128x256xbf16, #sw> -> tensor<128x256xbf16, #acc2>
    %o0 = arith.addf %whole, %r0 : tensor<128x256xbf16, #acc2>
    %s0 = cta.stage %o0 : tensor<128x256xbf16, #acc2> -> <128x256xbf16, #sw>
    cta.copy_out %s0, %C[%i, %j0] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Two arrays next to many accumulators: a warpgroup that produces, and its registers for the math. Two loads of one array count as one.
// CHECK-LABEL: tile.kernel @two_operands(
// CHECK-SAME: producers = 4, stages = 3, {{.*}} registers = 232
// CHECK-LABEL: tile.kernel @one_operand(
// CHECK-SAME: producers = 1, stages = 3, {{.*}} registers = 0
tile.kernel @two_operands(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc2>
      scf.yield %d : tensor<128x256xf32, #acc2>
    }
    %u = cta.load %x[%j] : memref<?xf32> -> tensor<256xf32, #row>
    %us = cta.broadcast %u dims = [1] : tensor<256xf32, #row> -> tensor<128x256xf32, #acc2>
    %v = cta.load %y[%j] : memref<?xf32> -> tensor<256xf32, #row>
    %vs = cta.broadcast %v dims = [1] : tensor<256xf32, #row> -> tensor<128x256xf32, #acc2>
    %scaled = arith.mulf %acc, %us : tensor<128x256xf32, #acc2>
    %sum = arith.addf %scaled, %vs : tensor<128x256xf32, #acc2>
    %o = arith.truncf %sum : tensor<128x256xf32, #acc2> to tensor<128x256xbf16, #acc2>
    %s = cta.stage %o : tensor<128x256xbf16, #acc2> -> <128x256xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @one_operand(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}, %C: memref<?x?xbf16> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #sw> -> tensor<128x256xf32, #acc2>
      scf.yield %d : tensor<128x256xf32, #acc2>
    }
    %u = cta.load %x[%j] : memref<?xf32> -> tensor<256xf32, #row>
    %us = cta.broadcast %u dims = [1] : tensor<256xf32, #row> -> tensor<128x256xf32, #acc2>
    %v = cta.load %x[%j] : memref<?xf32> -> tensor<256xf32, #row>
    %vs = cta.broadcast %v dims = [1] : tensor<256xf32, #row> -> tensor<128x256xf32, #acc2>
    %scaled = arith.mulf %acc, %us : tensor<128x256xf32, #acc2>
    %sum = arith.addf %scaled, %vs : tensor<128x256xf32, #acc2>
    %o = arith.truncf %sum : tensor<128x256xf32, #acc2> to tensor<128x256xbf16, #acc2>
    %s = cta.stage %o : tensor<128x256xbf16, #acc2> -> <128x256xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// A kernel without grids has nothing to plan.
// CHECK-LABEL: tile.kernel @nothing()
// CHECK-NOT: plan =
tile.kernel @nothing() attributes {phase = #placed, warpgroups = 1} {
  tile.return
}

// cp.async for one operand: a producing warpgroup, which keeps registers for addresses. All threads, if the plan says so.
// CHECK-LABEL: tile.kernel @copying(
// CHECK-SAME: producers = 4, stages = 4, persistent = 1, group = 12, blocks_per_sm = 1, cluster = 1, registers = 224,
tile.kernel @copying(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #t> -> tensor<128x128xf32, #acc2>
      scf.yield %d : tensor<128x128xf32, #acc2>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x128xf32, #acc2> -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @copying_together(
// CHECK-SAME: producers = 0, stages = {{[2-4]}},
tile.kernel @copying_together(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2, plan = #cta.plan<producers = 0>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #t> -> tensor<128x128xf32, #acc2>
      scf.yield %d : tensor<128x128xf32, #acc2>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x128xf32, #acc2> -> memref<?x?xf32>
  }
  tile.return
}

// One producing warp cannot: what cp.async brings stays outside channels.
// CHECK-LABEL: tile.kernel @copying_apart(
// CHECK-SAME: producers = 1, stages = 2, persistent = 1, group = 12, blocks_per_sm = 2,
tile.kernel @copying_apart(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2, plan = #cta.plan<producers = 1, stages = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #t> -> tensor<128x128xf32, #acc2>
      scf.yield %d : tensor<128x128xf32, #acc2>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x128xf32, #acc2> -> memref<?x?xf32>
  }
  tile.return
}

// Two blocks per SM; one block, with five slots, where two have failed, unless the plan demands two.
// CHECK-LABEL: tile.kernel @together(
// CHECK-SAME: stages = {{[23]}}, persistent = 1, group = 12, blocks_per_sm = 2,
tile.kernel @together(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2, plan = #cta.plan<producers = 1>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #t> -> tensor<128x128xf32, #acc2>
      scf.yield %d : tensor<128x128xf32, #acc2>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x128xf32, #acc2> -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @alone(
// CHECK-NOT: cta.alone
// CHECK-SAME: stages = 5, persistent = 1, group = 12, blocks_per_sm = 1,
tile.kernel @alone(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2, cta.alone} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #t> -> tensor<128x128xf32, #acc2>
      scf.yield %d : tensor<128x128xf32, #acc2>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x128xf32, #acc2> -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @two_given(
// CHECK-SAME: persistent = 1, group = 12, blocks_per_sm = 2,
tile.kernel @two_given(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>, tile.shape = ["N", "K"]}, %C: memref<?x?xf32> {tile.shape = ["M", "N"]})
    attributes {phase = #placed, warpgroups = 2, cta.alone, plan = #cta.plan<blocks_per_sm = 2>} {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc2>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc2>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #t> -> tensor<128x128xf32, #acc2>
      scf.yield %d : tensor<128x128xf32, #acc2>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x128xf32, #acc2> -> memref<?x?xf32>
  }
  tile.return
}
