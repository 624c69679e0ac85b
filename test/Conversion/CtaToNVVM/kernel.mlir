// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Functions, parameters, scalars, views, control flow.

#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 2 on 0>
#s = #cta.frag<splat, rank = 0, warps = 2, wg = 2>

// CHECK-NOT: tile.kernel

// Two launches are two functions; what they share of the kernel's code is in both.
// CHECK-LABEL: llvm.func @first
// CHECK-SAME:    (%[[N:.*]]: i64, %[[X:.*]]: !llvm.ptr<1> {llvm.noalias}) attributes {nvvm.kernel, nvvm.maxnreg = 96 : i32, nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 256>
// CHECK-SAME:    tessera.params = [{arg = 0 : i64, dim = 0 : i64, kind = "size"}, {arg = 0 : i64, kind = "pointer"}]
// CHECK-SAME:    tessera.threads = 256
// CHECK:         arith.divsi
// CHECK:         %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32
// CHECK:         arith.cmpi eq, %[[TID]], %c0_i32
// CHECK:         nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
// CHECK:         scf.if
// CHECK-NEXT:      llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK-LABEL: llvm.func @second
// CHECK-SAME:    {arg = 1 : i64, kind = "scalar"}
// CHECK:         llvm.load %{{.*}} invariant
tile.kernel @two(%x: memref<?xf32> {tile.shape = ["N"]}, %f: f32) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  %n = tile.dim "N" : index
  %c2 = arith.constant 2 : index
  %half = arith.divsi %n, %c2 : index
  %w = memref.alloc(%half) {tile.init = 0.0 : f32} : memref<?xf32>
  cta.launch @first blocks(%half) attributes {threads = 256 : i64, max_registers = 96 : i64, min_blocks = 2 : i64} {
    %b = cta.block_id : index
    %i = arith.addi %b, %half : index
    %c = arith.constant 1.0 : f32
    memref.store %c, %x[%i] : memref<?xf32>
  }
  cta.launch @second blocks(%half) attributes {threads = 256 : i64} {
    %b = cta.block_id : index
    %v = memref.load %x[%b] : memref<?xf32>
    %sum = arith.addf %v, %f : f32
    memref.store %sum, %w[%b] : memref<?xf32>
  }
  tile.return
}

// The number of blocks, and of cores: that one the launcher knows, and is a parameter once.
// CHECK-LABEL: llvm.func @persistent
// CHECK-SAME:    (%[[CORES:.*]]: i64, %{{.*}}: !llvm.ptr<1>
// CHECK-SAME:    tessera.params = [{kind = "expr", value = "num_cores"}, {arg = 0 : i64, kind = "pointer"}]
// CHECK:         nvvm.read.ptx.sreg.nctaid.x range <i32, 1, -2147483648> : i32
tile.kernel @persistent_k(%x: memref<?xindex>) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  %cores = tile.num_cores : index
  cta.launch @persistent blocks(%cores) {
    %b = cta.num_blocks : index
    %n = tile.num_cores : index
    %m = arith.addi %n, %cores : index
    memref.store %m, %x[%b] : memref<?xindex>
  }
  tile.return
}

// So are the clusters that the device holds at a time.
// CHECK-LABEL: llvm.func @clusters
// CHECK-SAME:    tessera.params = [{arg = 0 : i64, kind = "pointer"}, {kind = "expr", value = "max_clusters"}]
tile.kernel @clusters_k(%x: memref<?xindex>) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  %c4 = arith.constant 4 : index
  %n = cta.max_clusters : index
  %blocks = arith.muli %n, %c4 : index
  cta.launch @clusters blocks(%blocks) attributes {cluster = 4} {
    %b = cta.block_id : index
    memref.store %n, %x[%b] : memref<?xindex>
  }
  tile.return
}

// The place of a cluster is what the launcher's table says, if there is one. What it depends on the launcher knows.
// CHECK-LABEL: llvm.func @places
// CHECK-SAME:    (%[[TABLE:.*]]: !llvm.ptr<1> {llvm.readonly}, %{{.*}}: !llvm.ptr<1> {llvm.noalias})
// CHECK-SAME:    tessera.params = [{kind = "places"}, {arg = 0 : i64, kind = "pointer"}]
// CHECK:         nvvm.read.ptx.sreg.ctaid.x range
// CHECK:         %[[ID:.*]] = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
// CHECK-NEXT:    %[[OWN:.*]] = arith.divui %[[ID]], %c4_i32{{.*}} : i32
// CHECK:         %[[ADDRESS:.*]] = llvm.ptrtoint %[[TABLE]]
// CHECK:         %[[GIVEN:.*]] = arith.cmpi ne, %[[ADDRESS]], %c0_i64{{.*}} : i64
// CHECK:         %[[PLACE:.*]] = scf.if %[[GIVEN]] -> (i32) {
// CHECK:           %[[WIDE:.*]] = arith.extui %[[OWN]] : i32 to i64
// CHECK:           %[[BYTES:.*]] = arith.muli %[[WIDE]], %c4_i64
// CHECK:           %[[ENTRY:.*]] = llvm.getelementptr %[[TABLE]][%[[BYTES]]]
// CHECK:           %[[SAID:.*]] = llvm.load %[[ENTRY]] {alignment = 4 : i64, tessera.uniform} : !llvm.ptr<1> -> i32
// CHECK:           scf.yield %[[SAID]] : i32
// CHECK:         } else {
// CHECK:           scf.yield %[[OWN]] : i32
// CHECK:         arith.index_castui %[[PLACE]] : i32 to index
tile.kernel @places_k(%x: memref<?xindex>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  %c100 = arith.constant 100 : index
  %many = arith.cmpi sge, %n, %c100 : index
  cta.launch @places blocks(%n) attributes {cluster = 4} {
    %b = cta.block_id : index
    %c = cta.cluster_place if %many : index
    memref.store %c, %x[%b] : memref<?xindex>
  }
  tile.return
}

// Loops and branches carry a tile as its registers; a tile of rank 0 is a scalar.
// CHECK-LABEL: llvm.func @control
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
// CHECK:           scf.if %{{.*}} -> (f32, f32)
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (f32, f32) -> (f32, f32)
// CHECK:         scf.index_switch %{{.*}} -> f32, f32
tile.kernel @control_k(%x: memref<512xf32>, %n: index, %p: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @control blocks() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = cta.load %x[%c0] : memref<512xf32> -> tensor<512xf32, #l>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<512xf32, #l>) {
      %u = scf.if %p -> (tensor<512xf32, #l>) {
        %d = arith.addf %t, %t : tensor<512xf32, #l>
        scf.yield %d : tensor<512xf32, #l>
      } else {
        scf.yield %t : tensor<512xf32, #l>
      }
      scf.yield %u : tensor<512xf32, #l>
    }
    %w = scf.while (%t = %r) : (tensor<512xf32, #l>) -> tensor<512xf32, #l> {
      scf.condition(%p) %t : tensor<512xf32, #l>
    } do {
    ^bb0(%t: tensor<512xf32, #l>):
      %d = arith.mulf %t, %t : tensor<512xf32, #l>
      scf.yield %d : tensor<512xf32, #l>
    }
    %q = scf.index_switch %n -> tensor<512xf32, #l>
    case 2 {
      scf.yield %w : tensor<512xf32, #l>
    }
    default {
      scf.yield %a : tensor<512xf32, #l>
    }
    cta.store %q, %x[%c0] : tensor<512xf32, #l> -> memref<512xf32>
  }
  tile.return
}

// Views are arithmetic on pointer, sizes and strides; only what is used becomes a parameter.
// CHECK-LABEL: llvm.func @views
// CHECK-SAME:    tessera.params = [{arg = 0 : i64, dim = 0 : i64, kind = "stride"}, {arg = 1 : i64, kind = "scalar"}, {arg = 0 : i64, kind = "pointer"}, {arg = 2 : i64, kind = "pointer"}]
// CHECK:         llvm.getelementptr
// CHECK:         llvm.load
tile.kernel @views_k(%x: memref<?x64xf32, strided<[?, 1]>>, %i: index, %y: memref<f32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @views blocks() {
    %v = memref.subview %x[%i, 8] [4, 16] [2, 1] : memref<?x64xf32, strided<[?, 1]>> to memref<4x16xf32, strided<[?, 1], offset: ?>>
    %e = memref.expand_shape %v [[0, 1], [2]] output_shape [2, 2, 16] : memref<4x16xf32, strided<[?, 1], offset: ?>> into memref<2x2x16xf32, strided<[?, ?, 1], offset: ?>>
    %c1 = arith.constant 1 : index
    %s = memref.load %e[%c1, %c1, %c1] : memref<2x2x16xf32, strided<[?, ?, 1], offset: ?>>
    memref.store %s, %y[] : memref<f32>
  }
  tile.return
}
