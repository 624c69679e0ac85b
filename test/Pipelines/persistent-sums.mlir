// A product whose epilogue adds to memory by TMA instead of storing, with plans that make subtiles and persistent launches: what the allocated kernel does from one
// output tile to the next, that it keeps its protocol, that it adds each element once, and that its PTX has the instruction.
//
// DEFINE: %{plan} =
// DEFINE: %{plan_of} = %python %S/../Examples/with_plan.py %s "%{plan}" > %t.planned.mlir
// DEFINE: %{compile} = %{plan_of} && tile-opt %t.planned.mlir --tessera-to-allocated='variants=aligned derive-plans=false' -o %t.allocated.mlir && tilec %t.allocated.mlir --emit=ptx -o %t.ptx && tile-ptx-check %t.ptx
// DEFINE: %{values} = %python %source_root/scripts/check-protocol.py %t.planned.mlir --tools=%binary_root/bin --plan=given --timings=6 --sizes=M=136,N=264,K=200 | FileCheck %s --check-prefix=VALUES
// VALUES: M=136,N=264,K=200: protocol: ok
// VALUES-COUNT-3: M=136,N=264,K=200: values of @sums, timing {{[0-9]}}: ok
//
// The bytes of a subtile are filled again when the sum before the last one has read them, also from one output tile to the next; nobody waits for what has been added.
// The launch ends when all are read. In PTX a box has 32 columns of f32.
// REDEFINE: %{plan} = stages = 3, persistent = 1, epilogue = 64
// RUN: %{compile}
// RUN: FileCheck %s --check-prefix=SUMS --input-file=%t.allocated.mlir
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %{values}
// SUMS-LABEL: tile.kernel @sums_aligned
// SUMS-SAME: plan = #cta.plan<stages = 3, persistent = 1, epilogue = 64>
// SUMS-NOT: cta.await_stores{{$}}
// SUMS: cta.role @math
// SUMS: cta.for_output_tiles
// SUMS: cta.slice %{{.*}} offsets = [0, 0]
// SUMS: cta.await_stores read {pending = 1 : i64}
// SUMS-NEXT: cta.barrier warpgroup
// SUMS-NEXT: cta.stage %{{.*}} {offset = [[FIRST:[0-9]+]] : i64}
// SUMS-NEXT: cta.fence_async
// SUMS-NEXT: cta.barrier warpgroup
// SUMS-NEXT: cta.copy_out %{{.*}}, %C{{.*}} {mechanism = #cta.mechanism<tma>, per_warpgroup, reduce = #tile.atomic_kind<add>} : !cta.smem<128x64xf32
// SUMS-NOT: {offset = [[FIRST]] :
// SUMS: cta.slice %{{.*}} offsets = [0, 64]
// SUMS: cta.await_stores read {pending = 1 : i64}
// SUMS-NEXT: cta.barrier warpgroup
// SUMS-NEXT: cta.stage
// SUMS: cta.fence_async
// SUMS-NEXT: cta.barrier warpgroup
// SUMS-NEXT: cta.copy_out %{{.*}}, %C{{.*}} {mechanism = #cta.mechanism<tma>, per_warpgroup, reduce = #tile.atomic_kind<add>} : !cta.smem<128x64xf32
// SUMS-NEXT: cta.yield
// SUMS-NEXT: }
// SUMS-NEXT: cta.await_stores read{{$}}
// SUMS-NEXT: }
// SUMS: cta.role @producer
// SUMS-NOT: cta.copy_out
// SUMS: tile.return
// PTX-NOT: cp.async.bulk.tensor.2d.global.shared
// PTX-COUNT-4: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add
// PTX-NOT: cp.reduce
// PTX-NOT: cp.async.bulk.tensor.2d.global.shared
//
// One tile: its bytes wait for the sum of the output tile before.
// REDEFINE: %{plan} = stages = 3, persistent = 1
// RUN: %{compile}
// RUN: FileCheck %s --check-prefix=WHOLE --input-file=%t.allocated.mlir
// RUN: %{values}
// WHOLE-LABEL: tile.kernel @sums_aligned
// WHOLE-NOT: cta.await_stores{{$}}
// WHOLE: cta.for_output_tiles
// WHOLE: cta.await_stores read{{$}}
// WHOLE-NEXT: cta.barrier warpgroup
// WHOLE-NEXT: cta.stage
// WHOLE: cta.copy_out {{.*}}per_warpgroup, reduce
// WHOLE-NOT: cta.copy_out
// WHOLE: tile.return
//
// Without a loop over output tiles nothing is filled again.
// REDEFINE: %{plan} = stages = 3, epilogue = 64
// RUN: %{compile}
// RUN: FileCheck %s --check-prefix=ONCE --input-file=%t.allocated.mlir
// ONCE-LABEL: tile.kernel @sums_aligned
// ONCE-NOT: cta.await_stores
// ONCE: cta.copy_out {{.*}}reduce
// ONCE-NOT: cta.await_stores
// ONCE: cta.copy_out {{.*}}reduce{{.*$}}
// ONCE-NEXT: cta.await_stores read{{$}}
// ONCE-NOT: cta.copy_out
// ONCE: tile.return
//
// Warpgroups that take turns.
// REDEFINE: %{plan} = replicate = blocks, stages = 3, persistent = 1, epilogue = 64
// RUN: %{compile}
// RUN: %{values}
//
// Without a producer.
// REDEFINE: %{plan} = stages = 2, producers = 0, persistent = 1, epilogue = 32
// RUN: %{compile}
// RUN: %{values}
//
// Blocks that divide the iterations of an output tile: one of them adds for all.
// REDEFINE: %{plan} = stages = 3, persistent = 1, stream_k = 2, epilogue = 64
// RUN: %{compile}
// RUN: %{values}

// C += scale · A · B.
tile.kernel @sums(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %scale: f32, %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 128) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %step iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %scales = tensor.splat %scale : tensor<128x128xf32>
    %scaled = arith.mulf %acc, %scales : tensor<128x128xf32>
    tile.atomic add %scaled, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
