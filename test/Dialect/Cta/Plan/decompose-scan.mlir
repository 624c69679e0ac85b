// RUN: tile-opt %s --cta-decompose --cta-verify | FileCheck %s
// RUN: tile-opt %s --cta-decompose | tile-opt --cta-decompose | FileCheck %s
// RUN: tile-opt %s --cta-decompose --convert-cta-to-tile | FileCheck %s --check-prefix=ERASED

#row = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[0, 32], [0, 64]]>
#sums = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[0], [0]]>
#mixed = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 12], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>
#mixed_sums = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]]>
#warp = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>

// Four warps share a row: each scans its 32 elements, all read the four totals, the carry comes first there. The combiner is applied to tiles.
// CHECK-DAG: #[[$ROW:.*]] = #cta.frag<regs = {{.*}}, warps = {{\[}}[0, 32], [0, 64]]>
// CHECK-DAG: #[[$PARTS:.*]] = #cta.frag<regs = [], lanes = {{\[}}[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warps = {{\[}}[0, 1], [0, 2]]>
// CHECK-DAG: #[[$ALL:.*]] = #cta.frag<regs = [], lanes = {{\[}}[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warps = {{\[}}[0, 0], [0, 0]]>
// CHECK-LABEL: tile.kernel @across(
// CHECK: %[[X:.*]] = cta.load
// CHECK: %[[C:.*]] = arith.constant dense<1.0
// CHECK: %[[S:.*]], %[[T:.*]] = cta.scan (%[[X]]) dim = 1 init(%[[I:.*]]) reverse attributes {partial} {
// CHECK: } : tensor<4x100xf32, #[[$ROW]]> -> tensor<4x100xf32, #[[$ROW]]>, tensor<4x4xf32, #[[$PARTS]]>
// CHECK: %[[M:.*]] = cta.stage %[[T]]
// CHECK: %[[Q:.*]] = cta.read %[[M]] : {{.*}} -> tensor<4x4xf32, #[[$ALL]]>
// CHECK: %[[B:.*]], %[[N:.*]] = cta.scan (%[[Q]]) dim = 1 init(%[[I]]) exclusive reverse carry(%[[C]]) {
// CHECK: } : tensor<4x4xf32, #[[$ALL]]>
// CHECK: %[[R:.*]] = cta.repeat %[[B]] dim = 1 times = 32 : tensor<4x4xf32, #[[$ALL]]> -> tensor<4x100xf32, #[[$ROW]]>
// CHECK: %[[ADD:.*]] = arith.addf %[[R]], %[[S]] : tensor<4x100xf32, #[[$ROW]]>
// CHECK: %[[TWO:.*]] = cta.broadcast %{{.*}} dims = [] : f32 -> tensor<4x100xf32, #[[$ROW]]>
// CHECK: %[[Y:.*]] = arith.mulf %[[ADD]], %[[TWO]]
// CHECK: cta.store %[[Y]]
// CHECK: cta.store %[[N]]
// The whole scan is the part that comes last, which is part 0 in reverse; before every part there is only the carry.
// ERASED-LABEL: tile.kernel @across(
// ERASED: %[[W:.*]]:2 = tile.scan (%{{.*}}) dim = 1 init(%{{.*}}) reverse {
// ERASED: %[[LAST:.*]] = arith.constant dense<0> : tensor<4x4xi32>
// ERASED: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %[[LAST]]
// ERASED: %[[P:.*]] = arith.select %[[IS]]
// ERASED: tile.scan (%[[P]]) dim = 1 init(%{{.*}}) exclusive reverse carry(
// ERASED: tensor.concat dim(1) %{{.*}} : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x4xf32>) -> tensor<4x100xf32>
// ERASED: arith.addf %{{.*}}, %[[W]]#0 : tensor<4x100xf32>
tile.kernel @across(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %s: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<4x100xf32, #row>
    %c = arith.constant dense<1.0> : tensor<4xf32, #sums>
    %a, %n = cta.scan (%t) dim = 1 init(%zero) reverse carry(%c) {
    ^bb0(%p: f32, %q: f32):
      %two = arith.constant 2.0 : f32
      %v = arith.addf %p, %q : f32
      %w = arith.mulf %v, %two : f32
      tile.yield %w : f32
    } : tensor<4x100xf32, #row> -> tensor<4x100xf32, #row>, tensor<4xf32, #sums>
    cta.store %a, %y[%c0, %c0] : tensor<4x100xf32, #row> -> memref<?x?xf32>
    cta.store %n, %s[%c0] : tensor<4xf32, #sums> -> memref<?xf32>
  }
  tile.return
}

// Two values: scratch for each.
// CHECK-LABEL: tile.kernel @pairs(
// CHECK: %[[S:.*]]:2, %[[T:.*]]:2 = cta.scan (%{{.*}}, %{{.*}}) dim = 1 init(%{{.*}}, %{{.*}}) attributes {partial} {
// CHECK: %[[M0:.*]] = cta.stage %[[T]]#0
// CHECK: %[[M1:.*]] = cta.stage %[[T]]#1
// CHECK: %[[Q0:.*]] = cta.read %[[M0]]
// CHECK: %[[Q1:.*]] = cta.read %[[M1]]
// CHECK: %[[B:.*]]:2, %{{.*}} = cta.scan (%[[Q0]], %[[Q1]]) dim = 1 init(%{{.*}}, %{{.*}}) exclusive {
// CHECK: %[[R0:.*]] = cta.repeat %[[B]]#0
// CHECK: %[[R1:.*]] = cta.repeat %[[B]]#1
// CHECK: %[[A:.*]] = arith.muli %[[R0]], %[[S]]#0 : tensor<4x128xi32
// CHECK: %[[D:.*]] = arith.muli %[[R1]], %[[S]]#0 : tensor<4x128xi32
// CHECK: arith.addi %[[D]], %[[S]]#1 : tensor<4x128xi32
tile.kernel @pairs(%x: memref<?x?xi32>, %y: memref<?x?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = cta.load %x[%c0, %c0] : memref<?x?xi32> -> tensor<4x128xi32, #row>
    %a, %b, %n, %m = cta.scan (%t, %t) dim = 1 init(%one, %zero) {
    ^bb0(%p: i32, %q: i32, %r: i32, %u: i32):
      %v = arith.muli %p, %r : i32
      %w = arith.muli %q, %r : i32
      %z = arith.addi %w, %u : i32
      tile.yield %v, %z : i32, i32
    } : tensor<4x128xi32, #row>, tensor<4x128xi32, #row> -> tensor<4x128xi32, #row>, tensor<4x128xi32, #row>, tensor<4xi32, #sums>, tensor<4xi32, #sums>
    cta.store %b, %y[%c0, %c0] : tensor<4x128xi32, #row> -> memref<?x?xi32>
  }
  tile.return
}

// Within a warp nothing changes.
// CHECK-LABEL: tile.kernel @within(
// CHECK: cta.scan (%{{.*}}) dim = 1 init(%{{.*}}) exclusive {
// CHECK-NOT: cta.stage
// CHECK: tile.return
tile.kernel @within(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<16x100xf32, #warp>
    %a, %n = cta.scan (%t) dim = 1 init(%zero) exclusive {
    ^bb0(%p: f32, %q: f32):
      %v = arith.addf %p, %q : f32
      tile.yield %v : f32
    } : tensor<16x100xf32, #warp> -> tensor<16x100xf32, #warp>, tensor<16xf32, #mixed_sums>
    cta.store %a, %y[%c0, %c0] : tensor<16x100xf32, #warp> -> memref<?x?xf32>
  }
  tile.return
}

// A layout that is no order of the elements along the dimension: lane 0 moves by 12.
// CHECK-LABEL: tile.kernel @mixed(
// CHECK: %[[O:.*]] = cta.convert_layout %{{.*}} {how = #cta.conversion<shuffle>}
// CHECK: %[[S:.*]], %[[T:.*]] = cta.scan (%[[O]]) dim = 1
// CHECK: cta.convert_layout %[[S]] {how = #cta.conversion<shuffle>}
// CHECK: cta.convert_layout %[[T]]
tile.kernel @mixed(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %s: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<16x32xf32, #mixed>
    %a, %n = cta.scan (%t) dim = 1 init(%zero) exclusive {
    ^bb0(%p: f32, %q: f32):
      %v = arith.addf %p, %q : f32
      tile.yield %v : f32
    } : tensor<16x32xf32, #mixed> -> tensor<16x32xf32, #mixed>, tensor<16xf32, #mixed_sums>
    cta.store %a, %y[%c0, %c0] : tensor<16x32xf32, #mixed> -> memref<?x?xf32>
    cta.store %n, %s[%c0] : tensor<16xf32, #mixed_sums> -> memref<?xf32>
  }
  tile.return
}
