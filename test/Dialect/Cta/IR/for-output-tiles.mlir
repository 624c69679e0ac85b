// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --canonicalize --loop-invariant-code-motion --split-input-file | FileCheck %s --check-prefix=CLEAN
#allocated = #tile.phase<allocated>

// CHECK-LABEL: tile.kernel @text(
// CHECK:       cta.for_output_tiles %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT:    arith.index_castui %[[T]] : i32 to index
// CHECK:       }
// CHECK:       %{{.*}}:2 = cta.for_output_tiles %[[U:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (i32, f32) : i32 {
// CHECK:         cta.yield %{{.*}}, %{{.*}} : i32, f32
// CHECK-NEXT:  } {cta.rest}
// CHECK:       cta.for_output_tiles %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:    memref.store
// CHECK-NEXT:  }
tile.kernel @text(%C: memref<?xf32>, %n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @text_0 blocks(%n) {
    %f = arith.constant 1.0 : f32
    %first = cta.block_id : index
    %step = cta.num_blocks : index
    %from = arith.index_castui %first : index to i32
    %by = arith.index_castui %step : index to i32
    %to = arith.index_castui %n : index to i32
    cta.for_output_tiles %t = %from to %to step %by : i32 {
      %i = arith.index_castui %t : i32 to index
      memref.store %f, %C[%i] : memref<?xf32>
    }
    %r:2 = cta.for_output_tiles %t = %from to %to step %by iter_args(%a = %from, %b = %f) -> (i32, f32) : i32 {
      %x = arith.addi %a, %t : i32
      %y = arith.addf %b, %f : f32
      cta.yield %x, %y : i32, f32
    } {cta.rest}
    %i = arith.index_castui %r#0 : i32 to index
    memref.store %r#1, %C[%i] : memref<?xf32>
    cta.for_output_tiles %t = %first to %n step %step {
      memref.store %f, %C[%t] : memref<?xf32>
    }
  }
  tile.return
}

// A carried value that no iteration changes is not carried, and neither is one that nobody uses; what
// does not change moves out of the loop.
// CLEAN-LABEL: tile.kernel @invariant(
// CLEAN:       %[[X:.*]] = arith.mulf %s, %s : f32
// CLEAN:       cta.for_output_tiles %[[T:.*]] = %{{.*}} to %n step %{{.*}} {
// CLEAN-NEXT:    memref.store %[[X]], %C[%[[T]]]
// CLEAN-NEXT:  }
// A value that changes stays.
// CLEAN:       cta.for_output_tiles %{{.*}} iter_args(%[[A:.*]] = %s) -> (f32) {
// CLEAN:         cta.yield %{{.*}} : f32
// CLEAN-LABEL: tile.kernel @constant(
// CLEAN-NOT:   cta.for_output_tiles
// CLEAN:       memref.store %s, %C[%c3]
// CLEAN:       memref.store %s, %C[%c3]
// CLEAN:       cta.for_output_tiles %{{.*}} = %c3 to %c5 step %c1
// CLEAN:       cta.for_output_tiles %{{.*}} = %c-2 to %c9223372036854775807 step %c5
tile.kernel @invariant(%C: memref<?xf32>, %n: index, %s: f32) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @invariant_0 blocks(%n) {
    %first = cta.block_id : index
    %step = cta.num_blocks : index
    %r:2 = cta.for_output_tiles %t = %first to %n step %step iter_args(%same = %s, %unused = %s) -> (f32, f32) {
      %x = arith.mulf %same, %s : f32
      memref.store %x, %C[%t] : memref<?xf32>
      cta.yield %same, %x : f32, f32
    }
    %v = cta.for_output_tiles %t = %first to %n step %step iter_args(%a = %s) -> (f32) {
      memref.store %a, %C[%t] : memref<?xf32>
      %next = arith.addf %a, %s : f32
      cta.yield %next : f32
    }
  }
  tile.return
}

// Bounds that are constants: no iteration, one, two.
tile.kernel @constant(%C: memref<?xf32>, %n: index, %s: f32) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @constant_0 blocks(%n) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %none = cta.for_output_tiles %t = %c3 to %c2 step %c1 iter_args(%a = %s) -> (f32) {
      %next = arith.addf %a, %a : f32
      memref.store %next, %C[%t] : memref<?xf32>
      cta.yield %next : f32
    }
    %once = cta.for_output_tiles %t = %c3 to %c5 step %c2 iter_args(%a = %none) -> (f32) {
      memref.store %a, %C[%t] : memref<?xf32>
      cta.yield %a : f32
    }
    memref.store %once, %C[%c3] : memref<?xf32>
    cta.for_output_tiles %t = %c3 to %c5 step %c1 {
      memref.store %once, %C[%t] : memref<?xf32>
    }
    // The distance of these bounds is no i64.
    %low = arith.constant -2 : index
    %high = arith.constant 9223372036854775807 : index
    cta.for_output_tiles %t = %low to %high step %c5 {
      memref.store %s, %C[%c1] : memref<?xf32>
    }
  }
  tile.return
}
