// What loops take, and how deep their channels have to be. Cycles follow from the machine table: 2048 multiply-adds of the tensor cores, 64 bytes of a copy a cycle.
//
// RUN: tile-opt %s -cta-schedule -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-schedule -cta-schedule | FileCheck %s
// RUN: tile-opt %s -cta-schedule > %t.1 && tile-opt %s -cta-schedule > %t.2 && cmp %t.1 %t.2
// RUN: tile-opt %s -cta-schedule --remark-format=emitRemark --remarks-filter=cta-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s -cta-schedule=print-problems=true --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROBLEM

#sw0 = #cta.swizzle<128, dim = 0>
#sw1 = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#scheduled = #tile.phase<scheduled>
#acc2 = #cta.frag<wgmma_acc, wg = 2>
#rows2 = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 2 on 0>
#a2 = #cta.frag<wgmma_a, bits = 16, wg = 2>
!a = !cta.smem<128x64xbf16, #sw1>
!b = !cta.smem<64x256xbf16, #sw1>
!c = tensor<128x256xf32, #acc2>
!gemm = !cta.channel<?, !a, !b>

// 128x256x64: two warpgroups with 512 cycles of tensor cores each. A slot is in use from the issue of its load (700 cycles to the first byte, 768 for all) until
// the second warpgroup, half an iteration later, has read it: 2524 cycles, three slots.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK: cta.channel : <3,
// CHECK: cta.modulo_schedule = {bound = "tensor", bounds = {chain = 544 : i64, copy = 768 : i64, dispatch = 32 : i64, issue = 544 : i64, producer = 32 : i64, smem = 640 : i64, tensor = 1024 : i64}, ii = 1024 : i64, products = array<i64: 0>}
// REMARK: remark: [Analysis] schedule | Category:cta-schedule | Function=gemm_0 | Remark="an iteration every 1024 cycles, bound by the tensor cores"
// REMARK: remark: [Analysis] depth | Category:cta-schedule | Function=gemm_0 | Remark="the channel has 3 slots; the schedule needs 3"
// PROBLEM:      # @gemm_0, bound by tensor
// PROBLEM-NEXT: replicas 2
// PROBLEM:      channel ch0 bytes 49168 shared
// PROBLEM-NEXT: op load load issue 32 latency 1468 uses copy 768
// PROBLEM-NEXT: op mma issue 544 latency 544 registers 128 uses tensor 512, smem 320, dispatch 16
// PROBLEM-NEXT: carried mma -> mma distance 1
// PROBLEM-NEXT: through ch0 load -> mma
// PROBLEM-NEXT: ii 1024
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks() {
    %ch = cta.channel : !gemm
    %zero = arith.constant dense<0.0> : !c
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!c) {
      %p = cta.acquire %ch : !gemm
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      cta.commit %ch, %p (%a0, %b0) : !gemm
      %q, %a, %b = cta.wait %ch : !gemm
      %d = cta.wgmma %a, %b, %c : !a, !b -> !c
      cta.release %ch, %q : !gemm
      scf.yield %d : !c
    }
    cta.store %acc, %C[%c0, %c0] : !c -> memref<?x?xf32>
  }
  tile.return
}

// The plan gives the depth, and the loop takes longer than it could: a slot is used for two iterations.
// CHECK-LABEL: tile.kernel @shallow(
// CHECK: cta.channel : <2,
// CHECK: cta.modulo_schedule = {bound = "rings", {{.*}}ii = 1342 : i64
// REMARK: Function=shallow_0 | Remark="an iteration every 1342 cycles, bound by the depth of channels"
// REMARK: [Missed] depth | Category:cta-schedule | Function=shallow_0 | Remark="the channel has 2 slots; the schedule needs 3", Remark=", but the source IR or its plan says otherwise"
tile.kernel @shallow(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 2, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @shallow_0 blocks() {
    %ch = cta.channel : !gemm
    %zero = arith.constant dense<0.0> : !c
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!c) {
      %p = cta.acquire %ch : !gemm
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
      cta.commit %ch, %p (%a0, %b0) : !gemm
      %q, %a, %b = cta.wait %ch : !gemm
      %d = cta.wgmma %a, %b, %c : !a, !b -> !c
      cta.release %ch, %q : !gemm
      scf.yield %d : !c
    }
    cta.store %acc, %C[%c0, %c0] : !c -> memref<?x?xf32>
  }
  tile.return
}

// Two blocks on an SM share its units: 2 · 512 cycles of tensor cores, and the products of the other block cover the latency: two slots do, where a block for itself
// needs four.
// CHECK-LABEL: tile.kernel @two_blocks(
// CHECK: cta.channel : <2,
// CHECK: cta.modulo_schedule = {bound = "tensor", {{.*}}tensor = 1024 : i64}, ii = 1024 : i64
// REMARK: Function=two_blocks_0 | Remark="an iteration every 1024 cycles, bound by the tensor cores"
// CHECK-LABEL: tile.kernel @one_block(
// CHECK: cta.channel : <4,
// CHECK: ii = 512 : i64
!v = !cta.smem<64x128xbf16, #sw1>
!d = tensor<128x128xf32, #acc2>
!half = !cta.channel<?, !a, !v>
tile.kernel @two_blocks(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 2, plan = #cta.plan<blocks_per_sm = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @two_blocks_0 blocks() {
    %ch = cta.channel : !half
    %zero = arith.constant dense<0.0> : !d
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!d) {
      %p = cta.acquire %ch : !half
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !v
      cta.commit %ch, %p (%a0, %b0) : !half
      %q, %a, %b = cta.wait %ch : !half
      %d = cta.wgmma %a, %b, %c : !a, !v -> !d
      cta.release %ch, %q : !half
      scf.yield %d : !d
    }
    cta.store %acc, %C[%c0, %c0] : !d -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @one_block(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @one_block_0 blocks() {
    %ch = cta.channel : !half
    %zero = arith.constant dense<0.0> : !d
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!d) {
      %p = cta.acquire %ch : !half
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !v
      cta.commit %ch, %p (%a0, %b0) : !half
      %q, %a, %b = cta.wait %ch : !half
      %d = cta.wgmma %a, %b, %c : !a, !v -> !d
      cta.release %ch, %q : !half
      scf.yield %d : !d
    }
    cta.store %acc, %C[%c0, %c0] : !d -> memref<?x?xf32>
  }
  tile.return
}

// Attention with a head size of 128 and 128 keys: 2048 cycles of tensor cores for each iteration. With products in flight and 232 registers the
// second product runs concurrently with the softmax of the next iteration; with 168 it cannot. The tile of the outer loop wants two slots, too: it is
// in use for nearly all of an iteration, and 1212 cycles before.
// CHECK-LABEL: tile.kernel @attention(
// CHECK: cta.channel : <2,
// CHECK-NEXT: cta.channel : <2,
// CHECK-NEXT: cta.channel : <2,
// CHECK: cta.modulo_schedule = {bound = "tensor", bounds = {{{.*}}sfu = 1056 : i64, smem = 1280 : i64, tensor = 2048 : i64}, ii = 2048 : i64, products = array<i64: 0, 1>}
// PROBLEM:      # @attention_0, bound by tensor
// A product may be late by both products of the other warpgroup, which issues them together.
// PROBLEM:      registers 206
// PROBLEM-NEXT: stages 2
// PROBLEM-NEXT: slack 1024
// PROBLEM:      op load0 load issue 32 latency 1212 uses copy 512
// PROBLEM-NEXT: op mma0 async issue 24 latency 544 registers 64 uses tensor 512, smem 384, dispatch 24
// PROBLEM-NEXT: op reduce0 {{.*}} registers 2 uses alu 136
// PROBLEM-NEXT: op arith0 issue 4 latency 4 registers 2 uses alu 4
// PROBLEM-NEXT: op arith1 issue 64 latency 64 registers 64 uses fma 64
// PROBLEM-NEXT: op function issue 528 latency 528 registers 66 uses sfu 528
// PROBLEM-NEXT: op reduce1
// PROBLEM-NEXT: op arith2 issue 2
// PROBLEM-NEXT: op arith3 issue 64 latency 64 registers 64 uses fma 64
// PROBLEM-NEXT: op convert issue 64 latency 64 registers 32 uses alu 64
// PROBLEM-NEXT: op load1
// PROBLEM-NEXT: op mma1 async issue 24 latency 544 registers 64 uses tensor 512, smem 256
// PROBLEM:      carried arith0 -> arith0 distance 1
// PROBLEM:      carried mma1 -> arith3 distance 1
// PROBLEM:      accumulate arith3 -> mma1
// PROBLEM-NEXT: war_reg mma1 -> convert distance 1
// PROBLEM-NEXT: raw convert -> mma1
// PROBLEM-NEXT: through ch0 load0 -> mma0
// PROBLEM-NEXT: through ch1 load1 -> mma1
// CHECK-LABEL: tile.kernel @tight(
// CHECK: cta.modulo_schedule = {bound = "registers", {{.*}}ii = 2112 : i64, products = array<i64: 0, 0>}
!q = !cta.smem<128x128xbf16, #sw1>
!k = !cta.smem<128x128xbf16, #sw0>
!s = tensor<128x128xf32, #acc2>
!row = tensor<128xf32, #rows2>
tile.kernel @attention(%A: memref<?x?xbf16>, %O: memref<?x?xf32>, %K: index, %n: index) attributes {phase = #scheduled, warpgroups = 2,
    plan = #cta.plan<stages = 2, pending = 1, producers = 4, registers = 232>} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  cta.launch @attention_0 blocks() {
    %cq = cta.channel : !cta.channel<?, !q>
    %ck = cta.channel : !cta.channel<?, !k>
    %cv = cta.channel : !cta.channel<?, !q>
    %low = arith.constant dense<-1.0e30> : !row
    %none = arith.constant dense<0.0> : !row
    %zero = arith.constant dense<0.0> : !s
    scf.for %t = %c0 to %n step %c128 {
      %p0 = cta.acquire %cq : !cta.channel<?, !q>
      %q0 = cta.copy %A[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !q
      cta.commit %cq, %p0 (%q0) : !cta.channel<?, !q>
      %creditQ, %q = cta.wait %cq : !cta.channel<?, !q>
      %r:3 = scf.for %i = %c0 to %K step %c128 iter_args(%m = %low, %l = %none, %o = %zero) -> (!row, !row, !s) {
        %p1 = cta.acquire %ck : !cta.channel<?, !k>
        %k0 = cta.copy %A[%c0, %i] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !k
        cta.commit %ck, %p1 (%k0) : !cta.channel<?, !k>
        %creditK, %k = cta.wait %ck : !cta.channel<?, !k>
        %s = cta.wgmma %q, %k : !q, !k -> !s
        cta.release %ck, %creditK : !cta.channel<?, !k>
        %ninf = arith.constant 0xFF800000 : f32
        %max = cta.reduce (%s) dims = [1] init(%ninf) {
        ^bb0(%x: f32, %y: f32):
          %z = arith.maximumf %x, %y : f32
          tile.yield %z : f32
        } : !s -> !row
        %m1 = arith.maximumf %m, %max : !row
        %mb = cta.broadcast %m1 dims = [0] : !row -> !s
        %d = arith.subf %s, %mb : !s
        %e = math.exp2 %d : !s
        %da = arith.subf %m, %m1 : !row
        %alpha = math.exp2 %da : !row
        %nil = arith.constant 0.0 : f32
        %sum = cta.reduce (%e) dims = [1] init(%nil) {
        ^bb0(%x: f32, %y: f32):
          %z = arith.addf %x, %y : f32
          tile.yield %z : f32
        } : !s -> !row
        %l1 = math.fma %l, %alpha, %sum : !row
        %ab = cta.broadcast %alpha dims = [0] : !row -> !s
        %o1 = arith.mulf %o, %ab : !s
        %e16 = arith.truncf %e : !s to tensor<128x128xbf16, #acc2>
        %p2 = cta.acquire %cv : !cta.channel<?, !q>
        %v0 = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !q
        cta.commit %cv, %p2 (%v0) : !cta.channel<?, !q>
        %pa = cta.convert_layout %e16 {how = #cta.conversion<no_op>} : tensor<128x128xbf16, #acc2> -> tensor<128x128xbf16, #a2>
        %creditV, %v = cta.wait %cv : !cta.channel<?, !q>
        %o2 = cta.wgmma %pa, %v, %o1 : tensor<128x128xbf16, #a2>, !q -> !s
        cta.release %cv, %creditV : !cta.channel<?, !q>
        scf.yield %m1, %l1, %o2 : !row, !row, !s
      }
      cta.release %cq, %creditQ : !cta.channel<?, !q>
      cta.store %r#2, %O[%t, %c0] : !s -> memref<?x?xf32>
    }
  }
  tile.return
}
tile.kernel @tight(%A: memref<?x?xbf16>, %O: memref<?x?xf32>, %K: index, %n: index) attributes {phase = #scheduled, warpgroups = 2,
    plan = #cta.plan<stages = 2, pending = 1>} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  cta.launch @tight_0 blocks() {
    %cq = cta.channel : !cta.channel<?, !q>
    %ck = cta.channel : !cta.channel<?, !k>
    %cv = cta.channel : !cta.channel<?, !q>
    %low = arith.constant dense<-1.0e30> : !row
    %none = arith.constant dense<0.0> : !row
    %zero = arith.constant dense<0.0> : !s
    scf.for %t = %c0 to %n step %c128 {
      %p0 = cta.acquire %cq : !cta.channel<?, !q>
      %q0 = cta.copy %A[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !q
      cta.commit %cq, %p0 (%q0) : !cta.channel<?, !q>
      %creditQ, %q = cta.wait %cq : !cta.channel<?, !q>
      %r:3 = scf.for %i = %c0 to %K step %c128 iter_args(%m = %low, %l = %none, %o = %zero) -> (!row, !row, !s) {
        %p1 = cta.acquire %ck : !cta.channel<?, !k>
        %k0 = cta.copy %A[%c0, %i] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !k
        cta.commit %ck, %p1 (%k0) : !cta.channel<?, !k>
        %creditK, %k = cta.wait %ck : !cta.channel<?, !k>
        %s = cta.wgmma %q, %k : !q, !k -> !s
        cta.release %ck, %creditK : !cta.channel<?, !k>
        %ninf = arith.constant 0xFF800000 : f32
        %max = cta.reduce (%s) dims = [1] init(%ninf) {
        ^bb0(%x: f32, %y: f32):
          %z = arith.maximumf %x, %y : f32
          tile.yield %z : f32
        } : !s -> !row
        %m1 = arith.maximumf %m, %max : !row
        %mb = cta.broadcast %m1 dims = [0] : !row -> !s
        %d = arith.subf %s, %mb : !s
        %e = math.exp2 %d : !s
        %da = arith.subf %m, %m1 : !row
        %alpha = math.exp2 %da : !row
        %nil = arith.constant 0.0 : f32
        %sum = cta.reduce (%e) dims = [1] init(%nil) {
        ^bb0(%x: f32, %y: f32):
          %z = arith.addf %x, %y : f32
          tile.yield %z : f32
        } : !s -> !row
        %l1 = math.fma %l, %alpha, %sum : !row
        %ab = cta.broadcast %alpha dims = [0] : !row -> !s
        %o1 = arith.mulf %o, %ab : !s
        %e16 = arith.truncf %e : !s to tensor<128x128xbf16, #acc2>
        %p2 = cta.acquire %cv : !cta.channel<?, !q>
        %v0 = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !q
        cta.commit %cv, %p2 (%v0) : !cta.channel<?, !q>
        %pa = cta.convert_layout %e16 {how = #cta.conversion<no_op>} : tensor<128x128xbf16, #acc2> -> tensor<128x128xbf16, #a2>
        %creditV, %v = cta.wait %cv : !cta.channel<?, !q>
        %o2 = cta.wgmma %pa, %v, %o1 : tensor<128x128xbf16, #a2>, !q -> !s
        cta.release %cv, %creditV : !cta.channel<?, !q>
        scf.yield %m1, %l1, %o2 : !row, !row, !s
      }
      cta.release %cq, %creditQ : !cta.channel<?, !q>
      cta.store %r#2, %O[%t, %c0] : !s -> memref<?x?xf32>
    }
  }
  tile.return
}

// Two loads, three products: the third waits for the second through registers, and the loop carries a maximum. An update under a condition is one operation,
// and the condition of a mask belongs to the mask.
// CHECK-LABEL: tile.kernel @three_products(
// CHECK: cta.channel : <2,
// CHECK-NEXT: cta.channel : <2,
// CHECK: cta.modulo_schedule = {bound = "issue", {{.*}}tensor = 640 : i64}, ii = 1090 : i64, products = array<i64: 0, 0, 0>}
// PROBLEM:      # @three_products_0
// PROBLEM:      op load0 load
// PROBLEM-NEXT: op load1 load
// PROBLEM-NEXT: op mma0 issue 160
// PROBLEM-NEXT: op mma1 issue 288
// PROBLEM-NEXT: op reduce issue 182
// PROBLEM-NEXT: op arith0 issue 4
// PROBLEM-NEXT: op region issue 8
// PROBLEM-NEXT: op arith1 issue 128
// PROBLEM-NEXT: op convert issue 32
// PROBLEM-NEXT: op mma2 issue 288
// PROBLEM-NEXT: order load0 -> load1
// PROBLEM-NEXT: carried mma1 -> mma1 distance 1
// PROBLEM-NEXT: raw mma1 -> reduce
// PROBLEM-NEXT: raw reduce -> arith0
// PROBLEM-NEXT: carried arith0 -> arith0 distance 1
// PROBLEM-NEXT: raw arith0 -> region
// PROBLEM-NEXT: carried region -> region distance 1
// PROBLEM-NEXT: raw mma0 -> arith1
// PROBLEM-NEXT: raw arith1 -> convert
// PROBLEM-NEXT: raw convert -> mma2
// PROBLEM-NEXT: carried mma2 -> mma2 distance 1
// PROBLEM-NEXT: through ch0 load0 -> mma0
// PROBLEM-NEXT: through ch0 load0 -> mma1
// PROBLEM-NEXT: through ch1 load1 -> mma1
// PROBLEM-NEXT: through ch1 load1 -> mma2
#acc1 = #cta.frag<wgmma_acc, wg = 1>
#rows1 = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>
#a1 = #cta.frag<wgmma_a, bits = 16, wg = 1>
!t = !cta.smem<64x64xbf16, #sw1>
!u = !cta.smem<64x128xbf16, #sw1>
!st = tensor<64x64xf32, #acc1>
!su = tensor<64x128xf32, #acc1>
!r1 = tensor<64xf32, #rows1>
tile.kernel @three_products(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index, %flag: i1) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @three_products_0 blocks() {
    %x = cta.channel : !cta.channel<?, !t>
    %y = cta.channel : !cta.channel<?, !u>
    %low = arith.constant dense<-1.0e30> : !r1
    %zero = arith.constant dense<0.0> : !su
    %nothing = arith.constant dense<0.0> : !st
    %limit = arith.constant dense<100> : tensor<64x64xi32, #acc1>
    %r:4 = scf.for %k = %c0 to %K step %c64 iter_args(%m = %low, %n = %low, %f = %zero, %g = %zero) -> (!r1, !r1, !su, !su) {
      %p1 = cta.acquire %x : !cta.channel<?, !t>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !t
      cta.commit %x, %p1 (%a0) : !cta.channel<?, !t>
      %p2 = cta.acquire %y : !cta.channel<?, !u>
      %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !u
      cta.commit %y, %p2 (%b0) : !cta.channel<?, !u>
      %q1, %a = cta.wait %x : !cta.channel<?, !t>
      %s = cta.wgmma %a, %a : !t, !t -> !st
      %q2, %b = cta.wait %y : !cta.channel<?, !u>
      %f1 = cta.wgmma %a, %b, %f : !t, !u -> !su
      %ninf = arith.constant 0xFF800000 : f32
      %max = cta.reduce (%f1) dims = [1] init(%ninf) {
      ^bb0(%v: f32, %w: f32):
        %z = arith.maximumf %v, %w : f32
        tile.yield %z : f32
      } : !su -> !r1
      %m1 = arith.maximumf %m, %max : !r1
      %n1 = scf.if %flag -> (!r1) {
        %h = arith.addf %n, %m1 : !r1
        %i = arith.mulf %h, %h : !r1
        %j = arith.maximumf %i, %h : !r1
        scf.yield %j : !r1
      } else {
        scf.yield %n : !r1
      }
      %ki = arith.index_cast %k : index to i32
      %at = cta.iota dim = 1 from %ki : i32 : tensor<64x64xi32, #acc1>
      %mask = arith.cmpi slt, %at, %limit : tensor<64x64xi32, #acc1>
      %masked = arith.select %mask, %s, %nothing : tensor<64x64xi1, #acc1>, !st
      %s16 = arith.truncf %masked : !st to tensor<64x64xbf16, #acc1>
      %pa = cta.convert_layout %s16 {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc1> -> tensor<64x64xbf16, #a1>
      %g1 = cta.wgmma %pa, %b, %g : tensor<64x64xbf16, #a1>, !u -> !su
      cta.release %x, %q1 : !cta.channel<?, !t>
      cta.release %y, %q2 : !cta.channel<?, !u>
      scf.yield %m1, %n1, %f1, %g1 : !r1, !r1, !su, !su
    }
    cta.store %r#2, %C[%c0, %c0] : !su -> memref<?x?xf32>
  }
  tile.return
}

// Nothing to schedule: a loop without channels, a loop that is no scf.for, channels whose sides stand in different loops. They have one slot, or two where an outer loop
// fills them.
// CHECK-LABEL: tile.kernel @others(
// CHECK: cta.channel : <1,
// CHECK-NEXT: cta.channel : <2,
// CHECK-NOT: cta.modulo_schedule
// CHECK: tile.return
// REMARK-NOT: Function=others_0
// PROBLEM-NOT: # @others_0
tile.kernel @others(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @others_0 blocks() {
    %x = cta.channel : !cta.channel<?, !t>
    %y = cta.channel : !cta.channel<?, !t>
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc1>
      cta.store %a, %A[%k, %c0] : tensor<64x64xbf16, #acc1> -> memref<?x?xbf16>
    }
    scf.while (%t = %c0) : (index) -> index {
      %more = arith.cmpi slt, %t, %K : index
      scf.condition(%more) %t : index
    } do {
    ^bb0(%t: index):
      %p = cta.acquire %x : !cta.channel<?, !t>
      %a0 = cta.copy %A[%c0, %t] {mechanism = #tma} : memref<?x?xbf16> -> !t
      cta.commit %x, %p (%a0) : !cta.channel<?, !t>
      %q, %a = cta.wait %x : !cta.channel<?, !t>
      cta.release %x, %q : !cta.channel<?, !t>
      %next = arith.addi %t, %c64 : index
      scf.yield %next : index
    }
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %y : !cta.channel<?, !t>
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !t
      cta.commit %y, %p (%a0) : !cta.channel<?, !t>
      scf.execute_region {
        %q, %a = cta.wait %y : !cta.channel<?, !t>
        cta.release %y, %q : !cta.channel<?, !t>
        scf.yield
      }
      scf.for %j = %c0 to %K step %c64 {
        %b = cta.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc1>
        cta.store %b, %A[%k, %c0] : tensor<64x64xbf16, #acc1> -> memref<?x?xbf16>
      }
    }
  }
  tile.return
}

// Loops in loops: the outer iteration takes eight inner ones of 512 cycles (copies), and what is around them. The tile that the inner loop reads throughout wants two
// slots; the one that is given back before it wants one.
// CHECK-LABEL: tile.kernel @nested(
// CHECK: cta.channel : <2,
// CHECK-NEXT: cta.channel : <1,
// CHECK-NEXT: cta.channel : <3,
// CHECK: ii = 512 : i64
// CHECK: cta.modulo_schedule = {bound = "issue", {{.*}}ii = 4457 : i64
tile.kernel @nested(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  cta.launch @nested_0 blocks() {
    %x = cta.channel : !cta.channel<?, !t>
    %y = cta.channel : !cta.channel<?, !t>
    %z = cta.channel : !cta.channel<?, !u, !u>
    scf.for %t = %c0 to %K step %c64 {
      %p0 = cta.acquire %x : !cta.channel<?, !t>
      %x0 = cta.copy %A[%c0, %t] {mechanism = #tma} : memref<?x?xbf16> -> !t
      cta.commit %x, %p0 (%x0) : !cta.channel<?, !t>
      %p1 = cta.acquire %y : !cta.channel<?, !t>
      %y0 = cta.copy %A[%t, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !t
      cta.commit %y, %p1 (%y0) : !cta.channel<?, !t>
      %q1, %ty = cta.wait %y : !cta.channel<?, !t>
      %s = cta.wgmma %ty, %ty : !t, !t -> !st
      cta.release %y, %q1 : !cta.channel<?, !t>
      %q0, %tx = cta.wait %x : !cta.channel<?, !t>
      %zero = arith.constant dense<0.0> : !su
      %r = scf.for %k = %c0 to %c512 step %c64 iter_args(%f = %zero) -> (!su) {
        %p2 = cta.acquire %z : !cta.channel<?, !u, !u>
        %b0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !u
        %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !u
        cta.commit %z, %p2 (%b0, %b1) : !cta.channel<?, !u, !u>
        %q2, %b:2 = cta.wait %z : !cta.channel<?, !u, !u>
        %f1 = cta.wgmma %tx, %b#0, %f : !t, !u -> !su
        cta.release %z, %q2 : !cta.channel<?, !u, !u>
        scf.yield %f1 : !su
      }
      cta.release %x, %q0 : !cta.channel<?, !t>
      cta.store %s, %C[%t, %c0] : !st -> memref<?x?xf32>
      cta.store %r, %C[%c0, %t] : !su -> memref<?x?xf32>
    }
  }
  tile.return
}
