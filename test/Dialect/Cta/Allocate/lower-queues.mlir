// RUN: tile-opt %s -cta-lower-queues -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-lower-queues -cta-lower-queues | FileCheck %s
// RUN: tile-opt %s -cta-lower-queues -cta-lower-channels -cta-allocate-shared -cta-insert-barriers -cta-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#specialized = #tile.phase<specialized>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>

// The producer takes the next number when it has loaded all of an output tile, not before: it would keep a long one waiting. What else loops carry stays.
// CHECK-LABEL: tile.kernel @roles(
// CHECK: %[[QUEUE:.*]] = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
// CHECK: cta.launch @roles_0
// CHECK-NEXT: %[[NUMBERS:.*]] = cta.channel : <4, i32>
// CHECK: cta.role @math warps(4) {
// CHECK: %[[B:.*]] = arith.index_castui
// CHECK: %[[S:.*]] = arith.index_castui
// CHECK: cta.for_output_tiles %{{.*}} = %[[B]] to %{{.*}} step %[[S]] iter_args(%[[X:.*]] = %{{.*}}, %[[N:.*]] = %[[B]]) -> (i32, i32) : i32 {
// CHECK-NEXT: arith.index_castui %[[N]] : i32 to index
// CHECK: cta.release
// CHECK: %[[CREDIT:.*]], %[[NEXT:.*]] = cta.wait %[[NUMBERS]] : !cta.channel<4, i32>
// CHECK-NEXT: cta.release %[[NUMBERS]], %[[CREDIT]] : <4, i32>
// CHECK-NEXT: cta.yield %{{.*}}, %[[NEXT]] : i32, i32
// CHECK-NEXT: } {drawn = 1 : i64}
// CHECK: cta.role @producer warps(1) {
// CHECK-NEXT: cta.elect {
// CHECK: %[[B2:.*]] = arith.index_castui
// CHECK: %[[S2:.*]] = arith.index_castui
// CHECK: %[[LAST:.*]] = cta.for_output_tiles %{{.*}} = %[[B2]] to %[[TO:.*]] step %[[S2]] iter_args(%[[N2:.*]] = %[[B2]]) -> (i32) : i32 {
// CHECK-NEXT: arith.index_castui %[[N2]] : i32 to index
// CHECK: cta.commit
// CHECK-NEXT: %[[NEXT2:.*]] = cta.take_number %[[QUEUE]] first = %[[S2]] : memref<1xi32>
// CHECK-NEXT: %[[P:.*]] = cta.acquire %[[NUMBERS]] : <4, i32>
// CHECK-NEXT: cta.commit %[[NUMBERS]], %[[P]] (%[[NEXT2]]) : !cta.channel<4, i32>
// CHECK-NEXT: cta.yield %[[NEXT2]] : i32
// CHECK-NEXT: } {drawn = 0 : i64}
// CHECK-NEXT: cta.close_queue %[[QUEUE]] last = %[[LAST]] first = %[[S2]] count = %[[TO]] : memref<1xi32>
tile.kernel @roles(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #specialized, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @roles_0 blocks(%n) attributes {cta.order = #tile.order<group = 0, dynamic>} {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %block = cta.block_id : index
      %from = arith.index_castui %block : index to i32
      %blocks = cta.num_blocks : index
      %by = arith.index_castui %blocks : index to i32
      %to = arith.index_castui %n : index to i32
      %r = cta.for_output_tiles %t = %from to %to step %by iter_args(%x = %zero) -> (i32) : i32 {
        %number = cta.queued %t from %queue : memref<1xi32>
        %i = arith.index_castui %number : i32 to index
        %q, %a = cta.wait %ch : !channel
        %d = cta.wgmma %a, %a : !tile, !tile -> tensor<64x64xf32, #acc>
        cta.release %ch, %q : !channel
        cta.store %d, %C[%i, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
        %y = arith.addi %x, %number : i32
        cta.yield %y : i32
      }
      %last = arith.index_castui %r : i32 to index
      %none = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      cta.store %none, %C[%last, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        %c0 = arith.constant 0 : index
        %block = cta.block_id : index
        %from = arith.index_castui %block : index to i32
        %blocks = cta.num_blocks : index
        %by = arith.index_castui %blocks : index to i32
        %to = arith.index_castui %n : index to i32
        cta.for_output_tiles %t = %from to %to step %by : i32 {
          %number = cta.queued %t from %queue : memref<1xi32>
          %i = arith.index_castui %number : i32 to index
          %p = cta.acquire %ch : !channel
          %a = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !channel
        }
      }
    }
  }
  tile.return
}

// Without roles nobody runs ahead, and in a role whose threads all copy nobody can take numbers for the others: every n-th output tile. The workspace goes.
// CHECK-LABEL: tile.kernel @no_roles(
// CHECK-NOT: memref.alloc
// CHECK: cta.launch @no_roles_0 blocks(%n) attributes {cta.order = #tile.order<group = 0>} {
// CHECK: cta.for_output_tiles %[[T:.*]] =
// CHECK-NEXT: arith.index_castui %[[T]] : i32 to index
tile.kernel @no_roles(%C: memref<?xi32>, %n: index) attributes {phase = #specialized, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @no_roles_0 blocks(%n) attributes {cta.order = #tile.order<group = 0, dynamic>} {
    %block = cta.block_id : index
    %from = arith.index_castui %block : index to i32
    %blocks = cta.num_blocks : index
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

// A launch without a queue stays as it is.
// CHECK-LABEL: tile.kernel @none(
// CHECK: cta.for_output_tiles
// CHECK-NOT: drawn
tile.kernel @none(%C: memref<?xi32>, %n: index) attributes {phase = #specialized, warpgroups = 1} {
  cta.launch @none_0 blocks(%n) {
    %block = cta.block_id : index
    %blocks = cta.num_blocks : index
    cta.for_output_tiles %t = %block to %n step %blocks {
      %c = arith.constant 1 : i32
      memref.store %c, %C[%t] : memref<?xi32>
    }
  }
  tile.return
}

// A role that has no need of the number goes through as many output tiles as the others: each block takes every n-th then.
// CHECK-LABEL: tile.kernel @apart(
// CHECK-NOT: memref.alloc
// CHECK: cta.launch @apart_0 blocks(%n) attributes {cta.order = #tile.order<group = 0>} {
// CHECK-NOT: cta.take_number
// CHECK: tile.return
tile.kernel @apart(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #specialized, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @apart_0 blocks(%n) attributes {cta.order = #tile.order<group = 0, dynamic>} {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %block = cta.block_id : index
      %from = arith.index_castui %block : index to i32
      %blocks = cta.num_blocks : index
      %by = arith.index_castui %blocks : index to i32
      %to = arith.index_castui %n : index to i32
      %r = cta.for_output_tiles %t = %from to %to step %by iter_args(%x = %zero) -> (i32) : i32 {
        %i = arith.index_castui %t : i32 to index
        %q, %a = cta.wait %ch : !channel
        %d = cta.wgmma %a, %a : !tile, !tile -> tensor<64x64xf32, #acc>
        cta.release %ch, %q : !channel
        cta.store %d, %C[%i, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
        %y = arith.addi %x, %t : i32
        cta.yield %y : i32
      }
      %last = arith.index_castui %r : i32 to index
      %none = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      cta.store %none, %C[%last, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        %c0 = arith.constant 0 : index
        %block = cta.block_id : index
        %from = arith.index_castui %block : index to i32
        %blocks = cta.num_blocks : index
        %by = arith.index_castui %blocks : index to i32
        %to = arith.index_castui %n : index to i32
        cta.for_output_tiles %t = %from to %to step %by : i32 {
          %number = cta.queued %t from %queue : memref<1xi32>
          %i = arith.index_castui %number : i32 to index
          %p = cta.acquire %ch : !channel
          %a = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !channel
        }
      }
    }
  }
  tile.return
}
