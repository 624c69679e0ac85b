// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

!slot = !cta.smem<1xi32, #cta.swizzle<linear>>

// CHECK-LABEL: tile.kernel @queued(
// CHECK:       cta.for_output_tiles %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT:    cta.queued %[[T]] from %{{.*}} : memref<1xi32>
tile.kernel @queued(%C: memref<?xi32>, %n: index) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @queued_0 blocks(%n) {
    %block = cta.block_id : index
    %blocks = cta.num_blocks : index
    %from = arith.index_castui %block : index to i32
    %by = arith.index_castui %blocks : index to i32
    %to = arith.index_castui %n : index to i32
    cta.for_output_tiles %t = %from to %to step %by : i32 {
      %number = cta.queued %t from %queue : memref<1xi32>
      %i = arith.index_castui %number : i32 to index
      memref.store %number, %C[%i] : memref<?xi32>
    }
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @numbers(
// CHECK:       cta.get_scalar %{{.*}} : <1xi32, #cta.swizzle<linear>> -> i32
// CHECK:       cta.for_output_tiles %{{.*}} iter_args(%[[N:.*]] = %{{.*}}) -> (i32) : i32 {
// CHECK-NEXT:    %[[NEXT:.*]] = cta.take_number %[[QUEUE:.*]] first = %{{.*}} : memref<1xi32>
// CHECK-NEXT:    cta.put_scalar %[[N]], %{{.*}} : i32, <1xi32, #cta.swizzle<linear>>
// CHECK-NEXT:    cta.yield %[[NEXT]] : i32
// CHECK-NEXT:  } {drawn = 0 : i64}
// CHECK-NEXT:  cta.close_queue %[[QUEUE]] last = %{{.*}} first = %{{.*}} count = %{{.*}} : memref<1xi32>
tile.kernel @numbers(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @numbers_0 blocks(%n) {
    %ring = cta.ring : !cta.ring<4, !slot>
    cta.role @math warps(4) {
      %c0 = arith.constant 0 : i32
      %slot = cta.slot %ring[%c0] : <4, !slot>
      %number = cta.get_scalar %slot : !slot -> i32
    }
    cta.role @producer warps(1) {
      cta.elect {
        %c0 = arith.constant 0 : i32
        %block = cta.block_id : index
        %blocks = cta.num_blocks : index
        %from = arith.index_castui %block : index to i32
        %by = arith.index_castui %blocks : index to i32
        %to = arith.index_castui %n : index to i32
        %slot = cta.slot %ring[%c0] : <4, !slot>
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
