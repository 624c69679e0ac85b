// RUN: tile-opt %s --split-input-file --convert-cta-to-tile | FileCheck %s

// Placement vanishes: copies are loads, staging is nothing, layouts are gone.
// CHECK-LABEL: tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index) attributes {variant = "aligned", variant_of = "g"} {
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK: %[[ACC:.+]] = scf.for {{.*}} iter_args(%[[C:.+]] = %[[ZERO]]) -> (tensor<128x64xf32>)
// CHECK: %[[A:.+]] = tile.load %A[%i, %{{.+}}] : memref<?x?xbf16> -> tensor<128x64xbf16>
// CHECK: %[[B:.+]] = tile.load %A{{.*}} pad = any : memref<?x?xbf16> -> tensor<64x64xbf16>
// CHECK: %[[D:.+]] = tile.mma %[[A]], %[[B]], %[[C]]
// CHECK: scf.yield %[[D]] : tensor<128x64xf32>
// CHECK: %[[T:.+]] = arith.truncf %[[ACC]] : tensor<128x64xf32> to tensor<128x64xbf16>
// CHECK: tile.store %[[T]], %C[%i, %i] : tensor<128x64xbf16> -> memref<?x?xbf16>
// CHECK-NOT: cta.
#acc = #cta.frag<wgmma_acc, wg = 2>
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 2 on 0>
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, variant = "aligned", variant_of = "g"} {
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
      %b = cta.load %A[%k, %i] pad = any {vector = 8} : memref<?x?xbf16> -> tensor<64x64xbf16, #blocked>
      %bs = cta.stage %b : tensor<64x64xbf16, #blocked> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      %d = cta.wgmma %a, %bs, %c : !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    %out = arith.truncf %acc : tensor<128x64xf32, #acc> to tensor<128x64xbf16, #acc>
    %s = cta.stage %out : tensor<128x64xbf16, #acc> -> !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
    cta.copy_out %s, %C[%i, %i] {mechanism = #cta.mechanism<tma>} : !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Hints stay, but for those of some launches only.
// CHECK-LABEL: tile.kernel @hints
// CHECK: tile.load %A[%i, %i] cache = last : memref
// CHECK: tile.load %A[%i, %i] : memref
tile.kernel @hints(%A: memref<?x?xbf16>, %n: index, %keep: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid (%i) = (0) to (%n) step (64) {
    %a = cta.copy %A[%i, %i] {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %b = cta.copy %A[%i, %i] cache_if = %keep {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
  }
  tile.return
}

// -----

// Shapes and reductions.
// CHECK-LABEL: tile.kernel @shapes
// CHECK: %[[X:.+]] = tile.load
// CHECK: %[[R:.+]] = tile.reduce (%[[X]]) dims = [1] init(%{{.+}}) {
// CHECK: } : tensor<8x16xf32> -> tensor<8xf32>
// CHECK: tile.broadcast %[[R]] dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
// CHECK: tensor.extract_slice %{{.+}}[0, 8] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
// CHECK: tensor.extract_slice %{{.+}}[1, 0] [3, 8] [2, 2] : tensor<8x16xf32> to tensor<3x8xf32>
// CHECK: tensor.concat dim(1)
// CHECK: %[[FLAT:.+]] = tensor.collapse_shape {{.*}} : tensor<8x16xf32> into tensor<128xf32>
// CHECK: tensor.expand_shape %[[FLAT]] {{.*}} into tensor<4x32xf32>
// CHECK: tile.transpose %{{.+}} dims = [1, 0] : tensor<4x32xf32> -> tensor<32x4xf32>
// CHECK: tile.iota dim = 0 : tensor<4xi32>
// CHECK: tensor.extract %{{.+}}[] : tensor<f32>
// CHECK: tile.mma %{{.+}}, %{{.+}} : tensor<32x4xf32>, tensor<4x32xf32> -> tensor<32x32xf32>
// CHECK-NOT: cta.
tile.kernel @shapes(%X: memref<?x?xf32>, %Y: memref<?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %x = cta.load %X[%c0, %c0] : memref<?x?xf32> -> tensor<8x16xf32>
    %r = cta.reduce (%x) dims = [1] init(%z) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %b = cta.broadcast %r dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
    %sl = cta.slice %b offsets = [0, 8] : tensor<8x16xf32> -> tensor<8x8xf32>
    %st = cta.slice %b offsets = [1, 0] strides = [2, 2] : tensor<8x16xf32> -> tensor<3x8xf32>
    cta.store %st, %X[%c0, %c0] : tensor<3x8xf32> -> memref<?x?xf32>
    %cc = cta.concat %sl, %sl dim = 1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x16xf32>
    %rs = cta.reshape %cc : tensor<8x16xf32> -> tensor<4x32xf32>
    %t = cta.transpose %rs dims = [1, 0] : tensor<4x32xf32> -> tensor<32x4xf32>
    %i = cta.iota dim = 0 : tensor<4xi32>
    %all = cta.reduce (%r) dims = [0] init(%z) {
    ^bb0(%a: f32, %b1: f32):
      %s = arith.addf %a, %b1 : f32
      tile.yield %s : f32
    } : tensor<8xf32> -> tensor<f32>
    %e = cta.extract %all : tensor<f32> -> f32
    memref.store %e, %Y[%c0] : memref<?xf32>
    %ts = cta.stage %t : tensor<32x4xf32> -> !cta.smem<32x4xf32, #cta.swizzle<?>>
    %rss = cta.stage %rs : tensor<4x32xf32> -> !cta.smem<4x32xf32, #cta.swizzle<?>>
    %m = cta.mma %ts, %rss {why = "f32"} : !cta.smem<32x4xf32, #cta.swizzle<?>>, !cta.smem<4x32xf32, #cta.swizzle<?>> -> tensor<32x32xf32>
    cta.store %m, %X[%c0, %c0] : tensor<32x32xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A launch is a grid over its blocks; a step is its body; a wait sees the tiles of the commit with its number.
// CHECK-LABEL: tile.kernel @launch
// CHECK: %[[MN:.+]] = arith.muli
// CHECK: tile.grid (%[[B:.+]]) = (0) to (%[[MN]]) step (1) {
// CHECK: %[[SUM:.+]] = arith.addi %[[B]], %[[MN]]
// CHECK: %[[Z:.+]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK: %[[FIRST:.+]] = tile.load %A[%[[SUM]], %[[SUM]]]
// CHECK: %[[LOOP:.+]]:2 = scf.for %[[K:.+]] = {{.*}} iter_args(%[[C:.+]] = %[[Z]], %[[T:.+]] = %[[FIRST]]) -> (tensor<64x64xf32>, tensor<64x64xbf16>) {
// CHECK: %[[NEXT:.+]] = tile.load %A[%[[K]], %[[K]]]
// CHECK: %[[D:.+]] = tile.mma %[[T]], %[[T]], %[[C]]
// CHECK: scf.yield %[[D]], %[[NEXT]]
// CHECK: tile.mma %[[LOOP]]#1, %[[LOOP]]#1, %[[LOOP]]#0
// CHECK-NOT: cta.
// CHECK: tile.kernel @static
// CHECK: tile.grid (%{{.+}}) = (0) to (12) step (1) {
// CHECK: tile.kernel @one
// CHECK: tile.grid (%{{.+}}) = (0) to (1) step (1) {
// CHECK: tile.kernel @persistent
// CHECK: tile.grid (%[[BLOCK:.+]]) = (0) to (%n) step (1) {
// CHECK: %[[TILES:.+]] = scf.for %[[N:.+]] = %[[BLOCK]] to %m step %n iter_args(%[[BEFORE:.+]] = %{{.+}}) -> (tensor<64x64xf32>) {
// CHECK: %[[THIS:.+]] = tile.load %X[%[[N]], %[[N]]] : memref<?x?xf32> -> tensor<64x64xf32>
// CHECK: tile.store %[[BEFORE]], %X
// CHECK: scf.yield %[[THIS]] : tensor<64x64xf32>
// CHECK: tile.store %[[TILES]], %X
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!async = !cta.async<tensor<64x64xf32, #acc>>
tile.kernel @launch(%A: memref<?x?xbf16>, %m: index, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @launch_0 blocks(%m, %n) {
    %ch = cta.channel : !ch
    %b = cta.block_id : index
    %c = cta.num_blocks : index
    %i = arith.addi %b, %c : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%i, %i] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %r = cta.ready %zero : tensor<64x64xf32, #acc>
    %sum = scf.for %k = %b to %n step %c iter_args(%acc = %r) -> (!async) {
      cta.step @load role(producer) stage(0) {
        %p1 = cta.acquire %ch : !ch
        %s1 = cta.copy %A[%k, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p1 (%s1) : !ch
      }
      %e = cta.step @mma role(math) stage(0) {
        %q, %t = cta.wait %ch : !ch
        %d = cta.wgmma %t, %t, %acc : !tile, !tile -> !async
        cta.release %ch, %q after(%d : !async) : !ch
        cta.yield %d : !async
      } : !async
      scf.yield %e : !async
    }
    %q, %t = cta.wait %ch : !ch
    %last = cta.wgmma %t, %t, %sum : !tile, !tile -> !async
    %done = cta.complete %last : !async
    cta.release %ch, %q : !ch
    %o = arith.truncf %done : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
    cta.store %o, %A[%i, %i] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @static(%X: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  cta.launch @static_0 blocks(%c3, %c4) {
    %f = arith.constant 1.0 : f32
    %b = cta.block_id : index
    memref.store %f, %X[%b] : memref<?xf32>
  }
  tile.return
}

tile.kernel @one(%X: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @one_0 blocks() {
    %f = arith.constant 1.0 : f32
    %b = cta.num_blocks : index
    memref.store %f, %X[%b] : memref<?xf32>
  }
  tile.return
}

// A loop over output tiles is a loop.
tile.kernel @persistent(%X: memref<?x?xf32>, %n: index, %m: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @persistent_0 blocks(%n) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %first = cta.block_id : index
    %step = cta.num_blocks : index
    %last = cta.for_output_tiles %t = %first to %m step %step iter_args(%before = %zero) -> (tensor<64x64xf32, #acc>) {
      %this = cta.load %X[%t, %t] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
      cta.store %before, %X[%t, %t] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
      cta.yield %this : tensor<64x64xf32, #acc>
    }
    cta.store %last, %X[%n, %n] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Loops, conditions and while loops lose their credits, and only these.
// CHECK-LABEL: tile.kernel @credits
// CHECK: %[[W:.+]] = scf.while (%[[I:.+]] = %n) : (index) -> index {
// CHECK: scf.condition(%b) %[[I]] : index
// CHECK: ^bb0(%[[J:.+]]: index):
// CHECK-NEXT: scf.yield %[[J]] : index
// CHECK: scf.for %{{.+}} = %n to %n step %n {
// CHECK: %[[R:.+]] = scf.if %b -> (index) {
// CHECK-NEXT: scf.yield %n : index
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[W]] : index
// CHECK: memref.store %{{.+}}, %X[%[[R]]]
// CHECK-NOT: cast
!tok = !cta.channel<2, index>
tile.kernel @credits(%X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @credits_0 blocks(%n) {
    %f = arith.constant 1.0 : f32
    %ch = cta.channel : !tok
    %p0 = cta.acquire %ch : !tok
    cta.commit %ch, %p0 (%n) : !tok
    %q0, %i0 = cta.wait %ch : !tok
    %w:2 = scf.while (%q = %q0, %i = %n) : (!cta.credit, index) -> (!cta.credit, index) {
      scf.condition(%b) %q, %i : !cta.credit, index
    } do {
    ^bb0(%q: !cta.credit, %i: index):
      cta.release %ch, %q : !tok
      %p1 = cta.acquire %ch : !tok
      cta.commit %ch, %p1 (%i) : !tok
      %q1, %i1 = cta.wait %ch : !tok
      scf.yield %q1, %i1 : !cta.credit, index
    }
    %l = scf.for %k = %n to %n step %n iter_args(%q = %w#0) -> (!cta.credit) {
      scf.yield %q : !cta.credit
    }
    %r:2 = scf.if %b -> (!cta.credit, index) {
      scf.yield %l, %n : !cta.credit, index
    } else {
      scf.yield %l, %w#1 : !cta.credit, index
    }
    memref.store %f, %X[%r#1] : memref<?xf32>
    cta.release %ch, %r#0 : !tok
  }
  tile.return
}

// -----

// cp.async is a load with its limits, of a view as of anything; what a piece is vanishes.
// CHECK-LABEL: tile.kernel @cp_async(
// CHECK: %[[V:.+]] = memref.subview %A
// CHECK: %[[A:.+]] = tile.load %[[V]][%{{.+}}, %{{.+}}] limit = [%n, _] : memref<64x64xbf16, strided<[?, 1]>> -> tensor<64x64xbf16>
// CHECK: tile.mma %[[A]], %[[A]]
// CHECK-NOT: cta.
#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
tile.kernel @cp_async(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid (%i) = (0) to (%n) step (64) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %v = memref.subview %A[0, 0] [64, 64] [1, 1] : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1]>>
    %a = cta.copy %v[%c0, %c0] limit = [%n, _] {mechanism = #cta.mechanism<cp_async>, vector = 2} : memref<64x64xbf16, strided<[?, 1]>> -> !tile
    %d = cta.wgmma %a, %a, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
    cta.store %d, %C[%i, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Nor GPC-aware numbering: clusters keep their numbers.
// CHECK-LABEL: tile.kernel @cluster_place(
// CHECK: tile.grid (%[[ID:.+]]) = (0) to (%n)
// CHECK: %[[SIZE:.+]] = arith.constant 4 : index
// CHECK: %[[C:.+]] = arith.divui %[[ID]], %[[SIZE]] : index
// CHECK: memref.store %f, %A[%[[C]]]
tile.kernel @cluster_place(%A: memref<?xf32>, %n: index, %f: f32, %many: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @cluster_place_0 blocks(%n) attributes {cluster = 4} {
    %c = cta.cluster_place if %many : index
    memref.store %f, %A[%c] : memref<?xf32>
  }
  tile.return
}

// -----

// There is no device that runs few clusters at a time.
// CHECK-LABEL: tile.kernel @max_clusters(
// CHECK: %[[ALL:.+]] = arith.constant 2147483647 : index
// CHECK: %[[N:.+]] = arith.minsi %n, %[[ALL]]
// CHECK: tile.grid (%{{.+}}) = (0) to (%[[N]])
tile.kernel @max_clusters(%A: memref<?xf32>, %n: index, %f: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  %max = cta.max_clusters : index
  %fit = arith.minsi %n, %max : index
  cta.launch @max_clusters_0 blocks(%fit) attributes {cluster = 2} {
    %b = cta.block_id : index
    memref.store %f, %A[%b] : memref<?xf32>
  }
  tile.return
}

// -----

// The contents of a tile do not depend on the block that fetches it: each block loads all of it, whatever the condition says.
// CHECK-LABEL: tile.kernel @multicast(
// CHECK: tile.grid (%[[ID:.+]]) = (0) to (%n)
// CHECK-NEXT: %[[T:.+]] = tile.load %x[%[[ID]], %[[ID]]] : memref<?x?xf32> -> tensor<64x32xf32>
// CHECK: tile.store %[[T]], %x[%n, %n]
tile.kernel @multicast(%x: memref<?x?xf32>, %n: index, %p: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @multicast_0 blocks(%n) attributes {cluster = 2} {
    %b = cta.block_id : index
    %s = cta.copy %x[%b, %b] multicast_if = %p {mechanism = #cta.mechanism<tma>, multicast = 2 : i64} : memref<?x?xf32> -> !cta.smem<64x32xf32, #cta.swizzle<128, dim = 1>>
    %t = cta.read %s : !cta.smem<64x32xf32, #cta.swizzle<128, dim = 1>> -> tensor<64x32xf32, #cta.frag<wgmma_acc, wg = 1>>
    cta.store %t, %x[%n, %n] : tensor<64x32xf32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A tile that the tensor cores read transposed becomes a transpose.
// CHECK-LABEL: tile.kernel @transposed
// CHECK: %[[A:.+]] = tile.load
// CHECK: %[[AT:.+]] = tile.transpose %[[A]] dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
// CHECK: tile.mma %[[AT]], %[[A]] : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
// CHECK: %[[BT:.+]] = tile.transpose %[[A]] dims = [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
// CHECK: tile.mma %[[A]], %[[BT]] : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
tile.kernel @transposed(%A: memref<?x?xbf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>
    %d = cta.wgmma %a, %a {transpose_a} : !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>> -> tensor<128x128xf32, #cta.frag<wgmma_acc, wg = 1>>
    %e = cta.wgmma %a, %a {transpose_b} : !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x128xbf16, #cta.swizzle<128, dim = 1>> -> tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>
  }
  tile.return
}

// -----

// What predicts times goes: the CPU predicts none, and L0 has no strides. Other numbers stay, those that the prediction shares with the grid, too.
// CHECK-LABEL: tile.kernel @predicted(
// CHECK-NEXT: %[[TWICE:.+]] = arith.addi %n, %n : index
// CHECK-NEXT: tile.grid (%i) = (0) to (%[[TWICE]]) step (128)
// CHECK-NOT: memref.extract_strided_metadata
// CHECK-NOT: tile.cost
// CHECK: tile.return
tile.kernel @predicted(%A: memref<?x?xbf16, strided<[?, 1]>>, %n: index) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %twice = arith.addi %n, %n : index
  tile.grid (%i) = (0) to (%twice) step (128) {
  }
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A : memref<?x?xbf16, strided<[?, 1]>> -> memref<bf16>, index, index, index, index, index
  %c64 = arith.constant 64 : index
  %rest = arith.remui %strides#0, %c64 : index
  %time = arith.addi %rest, %twice : index
  tile.cost %time
  tile.return
}
