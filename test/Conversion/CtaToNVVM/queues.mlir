// RUN: tile-opt %s --cta-allocate-shared --convert-cta-to-nvvm | FileCheck %s

!slot = !cta.smem<1xi32, #cta.swizzle<linear>>

// Scalars go through shared memory by accesses that nothing moves past (a memory clobber).
// CHECK-LABEL: llvm.func @numbers_0(
// CHECK-SAME:    %[[COUNT:[a-z0-9]*]]: i64, %[[QUEUE:[a-z0-9]*]]: !llvm.ptr<1>)
// CHECK:       %[[TO_USE:.*]] = llvm.getelementptr %{{.*}}[256]
// CHECK-NEXT:  llvm.inline_asm has_side_effects asm_dialect = att "ld.shared.b32 $0, [$1];", "=r,r,~{memory}" %[[TO_USE]] : (!llvm.ptr<3>) -> i32
//
// One thread takes numbers; the loop goes on while the number that it carries is an output tile.
// LLVM does not merge the branch of the one thread with the loop's, because something that has an effect stands between.
// CHECK:       %[[ONE:.*]] = nvvm.elect.sync
// CHECK-NEXT:  scf.if %[[ONE]] {
// CHECK-NEXT:    llvm.inline_asm has_side_effects asm_dialect = att "", ""
// CHECK:       %[[BLOCK:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK-NEXT:  %[[BLOCKS:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK-NEXT:  %[[TILES:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK:       %[[LAST:.*]] = scf.while (%[[N:.*]] = %[[BLOCK]]) : (i32) -> i32 {
// CHECK-NEXT:    %[[MORE:.*]] = arith.cmpi slt, %[[N]], %[[TILES]] : i32
// CHECK-NEXT:    scf.condition(%[[MORE]]) %[[N]] : i32
// CHECK-NEXT:  } do {
// CHECK-NEXT:  ^bb0(%[[N:.*]]: i32):
// CHECK-NEXT:    %[[TAKEN:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "atom.relaxed.gpu.global.add.u32 $0, [$1], 1;", "=r,l" %[[QUEUE]] : (!llvm.ptr<1>) -> i32
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[BLOCKS]], %[[TAKEN]] : i32
// CHECK-NEXT:    llvm.inline_asm has_side_effects asm_dialect = att "st.shared.b32 [$0], $1;", "r,r,~{memory}" %{{.*}}, %[[N]] : (!llvm.ptr<3>, i32) -> ()
// CHECK-NEXT:    scf.yield %[[NEXT]] : i32
//
// Who has the greatest number sets the queue back.
// CHECK:       %[[SUM:.*]] = arith.addi %[[BLOCKS]], %[[TILES]] : i32
// CHECK-NEXT:  %[[GREATEST:.*]] = arith.addi %[[SUM]], %c-1_i32 : i32
// CHECK-NEXT:  %[[IS:.*]] = arith.cmpi eq, %[[LAST]], %[[GREATEST]] : i32
// CHECK-NEXT:  scf.if %[[IS]] {
// CHECK-NEXT:    llvm.inline_asm has_side_effects asm_dialect = att "st.relaxed.gpu.global.u32 [$0], 0;", "l,~{memory}" %[[QUEUE]] : (!llvm.ptr<1>) -> ()
tile.kernel @numbers(%C: memref<?xi32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @numbers_0 blocks(%n) {
    %ring = cta.ring : !cta.ring<4, !slot>
    cta.role @math warps(4) {
      %c2 = arith.constant 2 : i32
      %slot = cta.slot %ring[%c2] : <4, !slot>
      %number = cta.get_scalar %slot : !slot -> i32
      %i = arith.index_castui %number : i32 to index
      memref.store %number, %C[%i] : memref<?xi32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        %c1 = arith.constant 1 : i32
        %block = cta.block_id : index
        %blocks = cta.num_blocks : index
        %from = arith.index_castui %block : index to i32
        %by = arith.index_castui %blocks : index to i32
        %to = arith.index_castui %n : index to i32
        %slot = cta.slot %ring[%c1] : <4, !slot>
        %last = cta.for_output_tiles %t = %from to %to step %by iter_args(%number = %from) -> (i32) : i32 {
          %next = cta.take_number %queue first = %by : memref<1xi32>
          cta.put_scalar %number, %slot : i32, !slot
          cta.yield %next : i32
        } {drawn = 0 : i64}
        cta.close_queue %queue last = %last first = %by count = %to : memref<1xi32>
      }
    }
  }
  tile.return
}

!word = !cta.smem<1xf32, #cta.swizzle<linear>>

// A float is its bits.
// CHECK-LABEL: llvm.func @floats_0(
// CHECK:       %[[WORD:.*]] = llvm.inline_asm {{.*}}"ld.shared.b32 $0, [$1];"
// CHECK-NEXT:  llvm.bitcast %[[WORD]] : i32 to f32
// CHECK:       %[[BITS:.*]] = llvm.bitcast %{{.*}} : f32 to i32
// CHECK-NEXT:  llvm.inline_asm {{.*}}"st.shared.b32 [$0], $1;", "r,r,~{memory}" %{{.*}}, %[[BITS]]
tile.kernel @floats(%C: memref<?xf32>, %x: f32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @floats_0 blocks() {
    %ring = cta.ring : !cta.ring<4, !word>
    cta.role @math warps(4) {
      %c2 = arith.constant 2 : i32
      %c0 = arith.constant 0 : index
      %slot = cta.slot %ring[%c2] : <4, !word>
      %number = cta.get_scalar %slot : !word -> f32
      memref.store %number, %C[%c0] : memref<?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        %c1 = arith.constant 1 : i32
        %slot = cta.slot %ring[%c1] : <4, !word>
        cta.put_scalar %x, %slot : f32, !word
      }
    }
  }
  tile.return
}
