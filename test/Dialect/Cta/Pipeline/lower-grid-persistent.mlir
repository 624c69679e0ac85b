// RUN: tile-opt %s -cta-lower-grid | FileCheck %s
// RUN: tile-opt %s -cta-lower-grid -canonicalize -cse -cta-verify -o %t
// RUN: tile-opt %s -cta-lower-grid=dependent | FileCheck %s --check-prefix=FULL
// As many blocks as the device runs at a time, each with a loop over block numbers. One on each SM if the plan does not say how many.

#panel_acc = #cta.frag<wgmma_acc, wg = 1>
!panel_tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
#placed = #tile.phase<planned>

// CHECK-LABEL: tile.kernel @matrix(
// CHECK: %[[M:.*]] = arith.maxsi
// CHECK: %[[N:.*]] = arith.maxsi
// CHECK: %[[TOTAL:.*]] = arith.muli %[[M]], %[[N]] : index
// CHECK: %[[LIMIT:.*]] = arith.constant 2145386496 : index
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[TOTAL]], %[[LIMIT]] : index
// CHECK: tile.assume %[[FITS]], "a persistent grid has at most 2145386496 output tiles" : i1
// CHECK: %[[CORES:.*]] = tile.num_cores : index
// CHECK-NOT: muli
// CHECK: %[[CTAS:.*]] = arith.minsi %[[TOTAL]], %[[CORES]] : index
// A dependent launch has as many blocks as there is room for, unless there is nothing to do.
// FULL-LABEL: tile.kernel @matrix(
// FULL: %[[TOTAL:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// FULL: %[[CORES:.*]] = tile.num_cores : index
// FULL: %[[ANY:.*]] = arith.cmpi sgt, %[[TOTAL]], %{{.*}} : index
// FULL: %[[CTAS:.*]] = arith.select %[[ANY]], %[[CORES]], %{{.*}} : index
// FULL: cta.launch @matrix_0 blocks(%[[CTAS]]) attributes {dependent
// The loop divides by the number of columns: by a product with its reciprocal, which may come out one too small.
// CHECK: %[[N32:.*]] = arith.index_castui %[[N]] : index to i32
// CHECK: %[[POSITIVE:.*]] = arith.maxui %[[N32]], %c1_i32 : i32
// CHECK: %[[ALL:.*]] = arith.constant -1 : i32
// CHECK: %[[RECIPROCAL:.*]] = arith.divui %[[ALL]], %[[POSITIVE]] : i32
// CHECK: cta.launch @matrix_0 blocks(%[[CTAS]]) attributes {min_blocks = 1 : i64} {
// CHECK-NEXT: %[[B:.*]] = cta.block_id : index
// CHECK-NEXT: %[[FROM:.*]] = arith.index_castui %[[B]] : index to i32
// CHECK-NEXT: %[[C:.*]] = cta.num_blocks : index
// CHECK-NEXT: %[[STEP:.*]] = arith.index_castui %[[C]] : index to i32
// CHECK-NEXT: %[[TO:.*]] = arith.index_castui %[[TOTAL]] : index to i32
// CHECK-NEXT: cta.for_output_tiles %[[T:.*]] = %[[FROM]] to %[[TO]] step %[[STEP]] : i32 {
// CHECK-NEXT: %[[T64:.*]] = arith.extui %[[T]] : i32 to i64
// CHECK-NEXT: %[[R64:.*]] = arith.extui %[[RECIPROCAL]] : i32 to i64
// CHECK-NEXT: %[[P:.*]] = arith.muli %[[T64]], %[[R64]] : i64
// CHECK: %[[HIGH:.*]] = arith.shrui %[[P]], %c32_i64 : i64
// CHECK: %[[Q:.*]] = arith.trunci %[[HIGH]] : i64 to i32
// CHECK: %[[BACK:.*]] = arith.muli %[[Q]], %[[N32]] : i32
// CHECK: %[[REST:.*]] = arith.subi %[[T]], %[[BACK]] : i32
// CHECK: %[[MORE:.*]] = arith.cmpi uge, %[[REST]], %[[N32]] : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[Q]], %c1_i32{{.*}} : i32
// CHECK: %[[LESS:.*]] = arith.subi %[[REST]], %[[N32]] : i32
// CHECK: %[[I:.*]] = arith.select %[[MORE]], %[[NEXT]], %[[Q]] : i32
// CHECK: %[[J:.*]] = arith.select %[[MORE]], %[[LESS]], %[[REST]] : i32
// CHECK: %[[II:.*]] = arith.index_castui %[[I]] : i32 to index
// CHECK: %[[X:.*]] = arith.muli %[[II]], %{{.*}}
// CHECK: %[[JI:.*]] = arith.index_castui %[[J]] : i32 to index
// CHECK: %[[Y:.*]] = arith.muli %[[JI]], %{{.*}}
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[X]], %[[Y]]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
tile.kernel @matrix(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}) attributes {phase = #placed, plan = #cta.plan<persistent = 1>} {
  %m = tile.dim "M" : index
  %n = tile.dim "N" : index
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (128, 64) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// Two blocks on each SM; the plan's group orders a grid that has no order. A number of output tiles that is known needs no check. Scalars of the
// grid's body move with it.
// CHECK-LABEL: tile.kernel @static(
// CHECK: %[[TOTAL:.*]] = arith.constant 20 : index
// CHECK-NOT: tile.assume
// CHECK: %[[CORES:.*]] = tile.num_cores : index
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[RESIDENT:.*]] = arith.muli %[[CORES]], %[[TWO]]
// CHECK: %[[CTAS:.*]] = arith.minsi %[[TOTAL]], %[[RESIDENT]]
// CHECK: cta.launch @static_0 blocks(%[[CTAS]]) attributes {min_blocks = 2 : i64} {
// CHECK: cta.for_output_tiles %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// If the divisor is a constant, it divides: LLVM makes good code of that. Groups are four rows high, and the last one is one row.
// CHECK-NEXT: arith.divui %[[T]], %c16_i32{{.*}} : i32
// CHECK-NEXT: %[[IN:.*]] = arith.remui %[[T]], %c16_i32{{.*}} : i32
// CHECK: %[[LEFT:.*]] = arith.subi %c5_i32, %{{.*}} : i32
// CHECK: %[[ROWS:.*]] = arith.minui %[[LEFT]], %[[FOUR:.*]] : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi uge, %[[LEFT]], %[[FOUR]] : i32
// CHECK: %[[R:.*]] = arith.select %[[WHOLE]], %c1073741823_i32, %c-1_i32{{.*}} : i32
// CHECK: arith.extui %[[IN]] : i32 to i64
// CHECK: arith.extui %[[R]] : i32 to i64
tile.kernel @static(%x: memref<10x10xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 4, blocks_per_sm = 2>} {
  tile.grid (%i, %j) = (0, 0) to (10, 10) step (2, 3) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%i, %j] : memref<10x10xf32>
  }
  tile.return
}

// An order in the IR takes precedence over the plan's, also if it is none. The group of a plan counts without a loop, too.
// CHECK-LABEL: tile.kernel @orders(
// CHECK: cta.launch @orders_0
// CHECK-NOT: minui
// CHECK: cta.launch @orders_1
// CHECK: %[[G:.*]] = arith.constant 8 : i32
// CHECK: arith.minui %{{.*}}, %[[G]]
// CHECK: cta.launch @orders_2
// CHECK: %[[H:.*]] = arith.constant 4 : i32
// CHECK: arith.minui %{{.*}}, %[[H]]
tile.kernel @orders(%x: memref<?x?xf32>, %m: index, %n: index) attributes {phase = #placed, plan = #cta.plan<group = 4>} {
  %one = arith.constant 1.0 : f32
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (2, 3) order = <group = 0> {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (2, 3) order = <group = 8> {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (2, 3) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  tile.return
}

// One block needs no loop, and a plan that does not say persistent makes none.
// CHECK-LABEL: tile.kernel @not(
// CHECK-NOT: tile.num_cores
// CHECK: cta.launch @not_0 blocks() {
// CHECK-NOT: cta.for_output_tiles
tile.kernel @not(%x: memref<10xf32>) attributes {phase = #placed, plan = #cta.plan<persistent = 1>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  tile.grid () = () to () step () {
    memref.store %one, %x[%c0] : memref<10xf32>
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @neither(
// CHECK-NOT: tile.num_cores
// CHECK-NOT: cta.for_output_tiles
tile.kernel @neither(%x: memref<?xf32>, %n: index) attributes {phase = #placed, plan = #cta.plan<persistent = 0, stages = 3>} {
  %one = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (1) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.return
}

// No more output tiles than 32 bits count: nothing to check.
// CHECK-LABEL: tile.kernel @most(
// CHECK-NOT: tile.assume
// CHECK: cta.launch @most_0
tile.kernel @most() attributes {phase = #placed, plan = #cta.plan<persistent = 1>} {
  tile.grid (%i, %j) = (0, 0) to (1023, 2097152) step (1, 1) {
  }
  tile.return
}

// Grids that the plan does not concern (cta-plan says so), and copies of operands, are launched as without a plan.
// CHECK-LABEL: tile.kernel @unplanned(
// CHECK: %[[N:.*]] = arith.maxsi
// CHECK-NEXT: cta.launch @unplanned_0 blocks(%[[N]]) attributes {cta.unplanned} {
// CHECK-NOT: cta.for_output_tiles
// CHECK: %[[N:.*]] = arith.maxsi
// CHECK-NEXT: cta.launch @unplanned_1 blocks(%[[N]]) attributes {cta.unplanned} {
// CHECK-NOT: cta.for_output_tiles
// CHECK: cta.launch @unplanned_2 {{.*}}min_blocks = 1
// CHECK: cta.for_output_tiles
// CHECK: tile.return
tile.kernel @unplanned(%C: memref<?xf32>, %n: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1>} {
  %f = arith.constant 1.0 : f32
  tile.grid (%i) = (0) to (%n) step (4) attributes {cta.unplanned} {
    memref.store %f, %C[%i] : memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (4) attributes {tile.copies} {
    memref.store %f, %C[%i] : memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (4) {
    memref.store %f, %C[%i] : memref<?xf32>
  }
  tile.return
}

// Groups are less high if the loop over what their rows read in common is long: 24 MiB / (16384 bytes * ceil(K / 64)) rows, at least 8, at most 16.
// CHECK-LABEL: tile.kernel @panel(
// CHECK: %[[STEP:.*]] = arith.constant 64 : index
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi %K, %[[STEP]]
// CHECK: %[[SOME:.*]] = arith.maxsi %[[TRIPS]], %
// CHECK: %[[ROWS:.*]] = arith.constant 1536 : index
// CHECK: %[[FIT:.*]] = arith.divsi %[[ROWS]], %[[SOME]]
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[FIT]], %[[C8]]
// CHECK: %[[NARROW:.*]] = arith.index_castui %[[LEAST]] : index to i32
// CHECK: %[[MOST:.*]] = arith.constant 16 : i32
// CHECK: %[[HEIGHT:.*]] = arith.minui %[[NARROW]], %[[MOST]]
// CHECK: cta.launch @panel_0
// CHECK-NOT: cta.panel
// CHECK: cta.least_group = 8 : i64
// CHECK-NOT: cta.panel
// CHECK: tile.return
tile.kernel @panel(%x: memref<?x?xbf16>, %y: memref<?x?xf32>, %m: index, %n: index, %K: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 64) attributes {cta.panel = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #panel_acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32, #panel_acc>) {
      %a = cta.copy %x[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !panel_tile
      %d = cta.wgmma %a, %a, %c : !panel_tile, !panel_tile -> tensor<64x64xf32, #panel_acc>
      scf.yield %d : tensor<64x64xf32, #panel_acc>
    }
    cta.store %acc, %y[%i, %j] : tensor<64x64xf32, #panel_acc> -> memref<?x?xf32>
  }
  tile.return
}

// Not so if the loop's length is known inside the grid only, in a plain order, and in one dimension.
// CHECK-LABEL: tile.kernel @panel_inside(
// CHECK-NOT: arith.divsi
// CHECK-NOT: cta.{{panel|least_group}}
// CHECK: tile.return
tile.kernel @panel_inside(%x: memref<?x?xbf16>, %y: memref<?x?xf32>, %m: index, %n: index, %K: index) attributes {phase = #placed, plan = #cta.plan<persistent = 1, group = 16>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 64) attributes {cta.panel = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %until = arith.addi %i, %K : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #panel_acc>
    %acc = scf.for %k = %c0 to %until step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32, #panel_acc>) {
      %a = cta.copy %x[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !panel_tile
      %d = cta.wgmma %a, %a, %c : !panel_tile, !panel_tile -> tensor<64x64xf32, #panel_acc>
      scf.yield %d : tensor<64x64xf32, #panel_acc>
    }
    cta.store %acc, %y[%i, %j] : tensor<64x64xf32, #panel_acc> -> memref<?x?xf32>
  }
  tile.grid (%i) = (0) to (%m) step (64) attributes {cta.panel = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #panel_acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32, #panel_acc>) {
      %a = cta.copy %x[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !panel_tile
      %d = cta.wgmma %a, %a, %c : !panel_tile, !panel_tile -> tensor<64x64xf32, #panel_acc>
      scf.yield %d : tensor<64x64xf32, #panel_acc>
    }
    cta.store %acc, %y[%i, %c0] : tensor<64x64xf32, #panel_acc> -> memref<?x?xf32>
  }
  tile.return
}
