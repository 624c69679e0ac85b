// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#acc1 = #cta.frag<wgmma_acc, wg = 1>
#acc2 = #cta.frag<wgmma_acc, wg = 2>
#a2 = #cta.frag<wgmma_a, bits = 16, wg = 2>
#k = #cta.swizzle<128, dim = 1>

// K-major A and B, two warpgroups: A's descriptor moves by the warpgroup's rows, computed once outside the loop; k steps
// are 2 units of 16 bytes. Accumulators are tied operands, also of the wait. They are not set to zero: the first iteration's first
// product overwrites them; only where the loop does not run at all are zeros needed.
// CHECK-LABEL: llvm.func @nt
// CHECK:       nvvm.shfl.sync
// CHECK:       %[[FIELD:.*]] = arith.extui
// CHECK:       arith.ori %[[FIELD]], %{{.*}} : i64
// CHECK:       scf.if
// CHECK:       %[[P:.*]] = llvm.mlir.poison : f32
// CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %[[P]],
// CHECK:         %[[LATER:.*]] = arith.cmpi ne
// CHECK:         arith.extui %[[LATER]]
// CHECK:         %[[D:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "{
// CHECK-SAME:      setp.ne.b32 add, $10, 0;
// CHECK-SAME:      wgmma.fence.sync.aligned;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, add, 1, 1, 0, 0;
// CHECK-SAME:      add.s64 ta, $8, 2;
// CHECK-SAME:      add.s64 tb, $9, 2;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, ta, tb, 1, 1, 1, 0, 0;
// CHECK-SAME:      wgmma.commit_group.sync.aligned;
// CHECK-SAME:      "=f,=f,=f,=f,0,1,2,3,l,l,r,~{memory}"
// CHECK:         %[[E:.*]] = llvm.extractvalue %[[D]][0]
// CHECK:         llvm.inline_asm {{.*}} "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}" %[[E]],
// CHECK:       } else {
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"mov.f32 $0, 0f00000000;
tile.kernel @nt_k(%x: memref<128x8xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @nt blocks() attributes {shared = 9216 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : tensor<128x32xbf16, #acc2>
    %u = arith.constant dense<1.0> : tensor<32x8xbf16, #acc2>
    %z = arith.constant dense<0.0> : tensor<128x8xf32, #acc2>
    %a = cta.stage %t {offset = 0 : i64} : tensor<128x32xbf16, #acc2> -> !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>
    %b = cta.stage %u {offset = 8192 : i64} : tensor<32x8xbf16, #acc2> -> !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>>
    %w = scf.for %i = %c0 to %n step %c1 iter_args(%c = %z) -> (tensor<128x8xf32, #acc2>) {
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> tensor<128x8xf32, #acc2>
      scf.yield %d : tensor<128x8xf32, #acc2>
    }
    cta.store %w, %x[%c0, %c0] : tensor<128x8xf32, #acc2> -> memref<128x8xf32>
  }
  tile.return
}

// MN-major B (the instruction's transpose bit; a k step is 16 rows of 128 bytes = 128 units), no accumulator: the first
// step ignores what the registers hold. f16 accumulators are packed.
// CHECK-LABEL: llvm.func @nn
// CHECK:       llvm.inline_asm has_side_effects asm_dialect = att "{
// CHECK-SAME:    m64n64k16.f16.f16.f16 {$0, {{.*}}, $15}, $32, $33, 0, 1, 1, 0, 1;
// CHECK-SAME:    add.s64 tb, $33, 128;
// CHECK-SAME:    ta, tb, 1, 1, 1, 0, 1;
// CHECK-SAME:    "=r,
tile.kernel @nn_k(%x: memref<64x64xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @nn blocks() attributes {shared = 8192 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x32xf16, #acc1>
    %u = arith.constant dense<1.0> : tensor<32x64xf16, #acc1>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x32xf16, #acc1> -> !cta.smem<64x32xf16, #cta.swizzle<64, dim = 1>>
    %b = cta.stage %u {offset = 4096 : i64} : tensor<32x64xf16, #acc1> -> !cta.smem<32x64xf16, #k>
    %d = cta.wgmma %a, %b : !cta.smem<64x32xf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x64xf16, #k> -> tensor<64x64xf16, #acc1>
    cta.store %d, %x[%c0, %c0] : tensor<64x64xf16, #acc1> -> memref<64x64xf16>
  }
  tile.return
}

// A in registers, four for each step; two blocks of 64 rows for each warpgroup, and 264 columns in pieces of 88:
// six chains, one wait.
// CHECK-LABEL: llvm.func @registers
// CHECK-COUNT-6: m64n88k16.f32.bf16.bf16 {{{[^}]*}}}, {$88, $89, $90, $91}, $92, 1, 1, 1, 1;
// CHECK:         wgmma.wait_group
// CHECK-NOT:     wgmma.
tile.kernel @registers_k(%x: memref<256x264xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @registers blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : tensor<256x16xbf16, #a2>
    %u = arith.constant dense<1.0> : tensor<16x264xbf16, #acc2>
    %c = cta.load %x[%c0, %c0] : memref<256x264xf32> -> tensor<256x264xf32, #acc2>
    %b = cta.stage %u {offset = 0 : i64} : tensor<16x264xbf16, #acc2> -> !cta.smem<16x264xbf16, #cta.swizzle<0, dim = 1>>
    %d = cta.wgmma %a, %b, %c : tensor<256x16xbf16, #a2>, !cta.smem<16x264xbf16, #cta.swizzle<0, dim = 1>> -> tensor<256x264xf32, #acc2>
    cta.store %d, %x[%c0, %c0] : tensor<256x264xf32, #acc2> -> memref<256x264xf32>
  }
  tile.return
}

// In flight: issued without a wait, all that flies goes through the counted wait. The carried accumulators begin as zeros that nobody sets: the first
// product of the loop overwrites them. The arm of a condition that has zeros for accumulators sets them in that arm.
// CHECK-LABEL: llvm.func @flight
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} iter_args(%[[C:[a-z0-9]+]] = %{{.*}},
// CHECK:           %[[D:.*]] = llvm.inline_asm {{.*}}setp.ne.b32 add,{{.*}}wgmma.commit_group{{.*}} %[[C]],
// CHECK:           %[[E:.*]] = llvm.extractvalue %[[D]][0]
// CHECK-NOT:       wait_group
// CHECK:           llvm.inline_asm {{.*}} "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,0,1,2,3,~{memory}" %[[E]],
// CHECK:       } else {
// CHECK:         llvm.inline_asm {{.*}}"mov.f32 $0, 0f00000000;
// CHECK:       "wgmma.wait_group.sync.aligned 0;"
// CHECK:       scf.if
// CHECK:         scf.yield
// CHECK:       } else {
// CHECK:         llvm.inline_asm {{.*}}"mov.f32 $0, 0f00000000;
tile.kernel @flight_k(%x: memref<64x8xf32>, %n: index, %p: i1) attributes {phase = #tile.phase<allocated>} {
  cta.launch @flight blocks() attributes {shared = 4096 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : tensor<64x16xbf16, #acc1>
    %u = arith.constant dense<1.0> : tensor<16x8xbf16, #acc1>
    %z = arith.constant dense<0.0> : tensor<64x8xf32, #acc1>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x16xbf16, #acc1> -> !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>
    %b = cta.stage %u {offset = 2048 : i64} : tensor<16x8xbf16, #acc1> -> !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
    %r = cta.ready %z : tensor<64x8xf32, #acc1>
    %w = scf.for %i = %c0 to %n step %c1 iter_args(%c = %r) -> (!cta.async<tensor<64x8xf32, #acc1>>) {
      %d = cta.wgmma %a, %b, %c : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>> -> !cta.async<tensor<64x8xf32, #acc1>>
      %e = cta.wgmma_wait(%d) pending = 1 : !cta.async<tensor<64x8xf32, #acc1>>
      scf.yield %e : !cta.async<tensor<64x8xf32, #acc1>>
    }
    %v = cta.wgmma_wait(%w) pending = 0 : !cta.async<tensor<64x8xf32, #acc1>>
    %done = cta.complete %v : !cta.async<tensor<64x8xf32, #acc1>>
    %y = scf.if %p -> (tensor<64x8xf32, #acc1>) {
      scf.yield %done : tensor<64x8xf32, #acc1>
    } else {
      scf.yield %z : tensor<64x8xf32, #acc1>
    }
    cta.store %y, %x[%c0, %c0] : tensor<64x8xf32, #acc1> -> memref<64x8xf32>
  }
  tile.return
}

// f16 stays packed in flight; a wait may have nothing to pass; 64 rows twice are one group.
// CHECK-LABEL: llvm.func @packed
// CHECK-NOT:   commit_group
// CHECK:       wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, $4, $5, 0,
// CHECK-NOT:   commit_group
// CHECK:       wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, $4, $5, 0,
// CHECK-SAME:  wgmma.commit_group.sync.aligned;
// CHECK:       llvm.inline_asm {{.*}} "wgmma.wait_group.sync.aligned 2;", "~{memory}"
// CHECK-NOT:   bitcast
// CHECK:       llvm.inline_asm {{.*}} "wgmma.wait_group.sync.aligned 0;", "=r,=r,=r,=r,0,1,2,3,~{memory}"
// CHECK:       llvm.bitcast %{{.*}} : i32 to vector<2xf16>
tile.kernel @packed_k(%x: memref<128x8xf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @packed blocks() attributes {shared = 8192 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x16xf16, #acc1>
    %u = arith.constant dense<1.0> : tensor<16x8xf16, #acc1>
    %a = cta.stage %t {offset = 0 : i64} : tensor<128x16xf16, #acc1> -> !cta.smem<128x16xf16, #cta.swizzle<32, dim = 1>>
    %b = cta.stage %u {offset = 4096 : i64} : tensor<16x8xf16, #acc1> -> !cta.smem<16x8xf16, #cta.swizzle<32, dim = 0>>
    %d = cta.wgmma %a, %b : !cta.smem<128x16xf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x8xf16, #cta.swizzle<32, dim = 0>> -> !cta.async<tensor<128x8xf16, #acc1>>
    cta.wgmma_wait() pending = 2
    %v = cta.wgmma_wait(%d) pending = 0 : !cta.async<tensor<128x8xf16, #acc1>>
    %done = cta.complete %v : !cta.async<tensor<128x8xf16, #acc1>>
    cta.store %done, %x[%c0, %c0] : tensor<128x8xf16, #acc1> -> memref<128x8xf16>
  }
  tile.return
}

// A tile that is ready and completed without a wait is a copy in other registers, which no product has written.
// CHECK-LABEL: llvm.func @copied
// CHECK:       %[[W:.+]] = llvm.inline_asm {{.*}} "wgmma.wait_group.sync.aligned 0;"
// CHECK:       %[[R:.+]] = llvm.extractvalue %[[W]][0]
// CHECK:       llvm.inline_asm has_side_effects {{.*}}"mov.b32 $0, $1;", "=&f,f" %[[R]] : (f32) -> f32
// CHECK-COUNT-3: "mov.b32 $0, $1;", "=&f,f"
// CHECK-NOT:   mov.b32 $0, $1
tile.kernel @copied_k(%x: memref<64x8xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @copied blocks() attributes {shared = 4096 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x16xbf16, #acc1>
    %u = arith.constant dense<1.0> : tensor<16x8xbf16, #acc1>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x16xbf16, #acc1> -> !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>
    %b = cta.stage %u {offset = 2048 : i64} : tensor<16x8xbf16, #acc1> -> !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
    %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>> -> tensor<64x8xf32, #acc1>
    %r = cta.ready %d : tensor<64x8xf32, #acc1>
    %kept = cta.complete %r : !cta.async<tensor<64x8xf32, #acc1>>
    cta.store %kept, %x[%c0, %c0] : tensor<64x8xf32, #acc1> -> memref<64x8xf32>
  }
  tile.return
}

// Warpgroups that share columns: B's descriptor moves by the columns of the warpgroup (32 of them, K-major rows of 64 bytes: 2048 bytes), A's does not; one
// instruction has the warpgroup's columns. A in registers: every warpgroup has all rows.
// CHECK-LABEL: llvm.func @columns
// CHECK:         %[[GROUP:.*]] = {{.*}}nvvm.shfl.sync
// CHECK:         arith.muli %{{.*}}, %c2048_i32
// CHECK:         m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}}, $32, $33, 0, 1, 1, 0, 0;
// CHECK:         wgmma.wait_group
// CHECK:         m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}}, {$32, $33, $34, $35}, $40, 0, 1, 1, 0;
#accc = #cta.frag<wgmma_acc, wg = 2, dim = 1>
#ac = #cta.frag<wgmma_a, bits = 16, wg = 2, dim = -1>
tile.kernel @columns_k(%x: memref<64x64xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @columns blocks() attributes {shared = 8192 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x32xbf16, #accc>
    %u = arith.constant dense<1.0> : tensor<32x64xbf16, #accc>
    %r = arith.constant dense<1.0> : tensor<64x32xbf16, #ac>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x32xbf16, #accc> -> !cta.smem<64x32xbf16, #cta.swizzle<64, dim = 1>>
    %b = cta.stage %u {offset = 4096 : i64} : tensor<32x64xbf16, #accc> -> !cta.smem<32x64xbf16, #cta.swizzle<64, dim = 0>>
    %d = cta.wgmma %a, %b : !cta.smem<64x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x64xbf16, #cta.swizzle<64, dim = 0>> -> tensor<64x64xf32, #accc>
    cta.store %d, %x[%c0, %c0] : tensor<64x64xf32, #accc> -> memref<64x64xf32>
    %e = cta.wgmma %r, %b : tensor<64x32xbf16, #ac>, !cta.smem<32x64xbf16, #cta.swizzle<64, dim = 0>> -> tensor<64x64xf32, #accc>
    cta.store %e, %x[%c0, %c0] : tensor<64x64xf32, #accc> -> memref<64x64xf32>
  }
  tile.return
}

// One tile of 16 x 64, rows contiguous: as a, transposed, it is MN-major (the instruction's bit for a), as b, straight, MN-major too; of a tile of 64 x 16
// the transpose is a K-major b.
// CHECK-LABEL: llvm.func @turned
// CHECK:       m64n64k16.f32.bf16.bf16 {{.*}}, 0, 1, 1, 1, 1;
// CHECK:       m64n64k16.f32.bf16.bf16 {{.*}}, 1, 1, 1, 0, 0;
tile.kernel @turned_k(%x: memref<64x64xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @turned blocks() attributes {shared = 4096 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<16x64xbf16, #acc1>
    %u = arith.constant dense<1.0> : tensor<64x16xbf16, #acc1>
    %a = cta.stage %t {offset = 0 : i64} : tensor<16x64xbf16, #acc1> -> !cta.smem<16x64xbf16, #k>
    %b = cta.stage %u {offset = 2048 : i64} : tensor<64x16xbf16, #acc1> -> !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>
    %d = cta.wgmma %a, %a {transpose_a} : !cta.smem<16x64xbf16, #k>, !cta.smem<16x64xbf16, #k> -> tensor<64x64xf32, #acc1>
    %e = cta.wgmma %b, %b, %d {transpose_b} : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>> -> tensor<64x64xf32, #acc1>
    cta.store %e, %x[%c0, %c0] : tensor<64x64xf32, #acc1> -> memref<64x64xf32>
  }
  tile.return
}

// i8: no signs for the operands and no majors; a step is 32 of K, N = 40 is not one of its shapes, so five of 8. Zeros are no constant here, too.
// CHECK-LABEL: llvm.func @s8
// CHECK:       scf.for
// CHECK:         wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {$0, $1, $2, $3}, $8, $9, add;
// CHECK-SAME:      add.s64 ta, $8, 2;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {$0, $1, $2, $3}, ta, tb, 1;
// CHECK-SAME:      "=r,=r,=r,=r,0,1,2,3,l,l,r,~{memory}"
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {$0, $1, $2, $3}, $8, $9, add;
// CHECK:       } else {
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"mov.b32 $0, 0;
tile.kernel @s8_k(%x: memref<64x40xi32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @s8 blocks() attributes {shared = 6656 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1> : tensor<64x64xi8, #acc1>
    %u = arith.constant dense<1> : tensor<64x40xi8, #acc1>
    %z = arith.constant dense<0> : tensor<64x40xi32, #acc1>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x64xi8, #acc1> -> !cta.smem<64x64xi8, #cta.swizzle<64, dim = 1>>
    %b = cta.stage %u {offset = 4096 : i64} : tensor<64x40xi8, #acc1> -> !cta.smem<64x40xi8, #cta.swizzle<64, dim = 0>>
    %w = scf.for %i = %c0 to %n step %c1 iter_args(%c = %z) -> (tensor<64x40xi32, #acc1>) {
      %d = cta.wgmma %a, %b, %c {lhs_unsigned} : !cta.smem<64x64xi8, #cta.swizzle<64, dim = 1>>, !cta.smem<64x40xi8, #cta.swizzle<64, dim = 0>> -> tensor<64x40xi32, #acc1>
      scf.yield %d : tensor<64x40xi32, #acc1>
    }
    cta.store %w, %x[%c0, %c0] : tensor<64x40xi32, #acc1> -> memref<64x40xi32>
  }
  tile.return
}

// f8 of both types, and tf32 with A in registers: four registers a step, of 8.
// CHECK-LABEL: llvm.func @f8_tf32
// CHECK:       wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e5m2 {$0, {{.*}}, $7}, $16, $17, 0, 1, 1;
// CHECK:       llvm.inline_asm {{.*}}wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $16, 0, 1, 1;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$12, $13, $14, $15}, tb, 1, 1, 1;
tile.kernel @f8_tf32_k(%x: memref<64x16xf32>, %y: memref<64x8xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @f8_tf32 blocks() attributes {shared = 4096 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x32xf8E4M3FN, #acc1>
    %u = arith.constant dense<1.0> : tensor<32x16xf8E5M2, #acc1>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x32xf8E4M3FN, #acc1> -> !cta.smem<64x32xf8E4M3FN, #cta.swizzle<32, dim = 1>>
    %b = cta.stage %u {offset = 2048 : i64} : tensor<32x16xf8E5M2, #acc1> -> !cta.smem<32x16xf8E5M2, #cta.swizzle<32, dim = 0>>
    %d = cta.wgmma %a, %b : !cta.smem<64x32xf8E4M3FN, #cta.swizzle<32, dim = 1>>, !cta.smem<32x16xf8E5M2, #cta.swizzle<32, dim = 0>> -> tensor<64x16xf32, #acc1>
    cta.store %d, %x[%c0, %c0] : tensor<64x16xf32, #acc1> -> memref<64x16xf32>
    %v = arith.constant dense<1.0> : tensor<64x16xf32, #cta.frag<wgmma_a, bits = 32, wg = 1>>
    %q = arith.constant dense<1.0> : tensor<16x8xf32, #acc1>
    %r = cta.stage %q {offset = 2560 : i64} : tensor<16x8xf32, #acc1> -> !cta.smem<16x8xf32, #cta.swizzle<64, dim = 0>>
    %e = cta.wgmma %v, %r : tensor<64x16xf32, #cta.frag<wgmma_a, bits = 32, wg = 1>>, !cta.smem<16x8xf32, #cta.swizzle<64, dim = 0>> -> tensor<64x8xf32, #acc1>
    cta.store %e, %y[%c0, %c0] : tensor<64x8xf32, #acc1> -> memref<64x8xf32>
  }
  tile.return
}
