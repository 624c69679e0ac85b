// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tile-opt %s --allow-unregistered-dialect --mlir-print-op-generic | tile-opt --allow-unregistered-dialect | FileCheck %s

// The ops that channels.mlir, wgmma.mlir and partials.mlir do not have, in both syntaxes.

#acc = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!ring = !cta.ring<2, !tile>
!ch = !cta.channel<2, index>

// CHECK-LABEL: tile.kernel @memory
// CHECK:         cta.load %A[%i, %j] dims = [1, 0] limit = [%n, _] pad = neg_inf mask = %{{.+}} on [0] {cache = #tile.cache<last>, require = #tile.require<[tma]>, stages = 3 : i64, vector = 2 : i64, why = "no TMA"} : memref<?x?xbf16> -> tensor<64x64xbf16, #wgmma_acc{{1?}}>
// CHECK-NEXT:    cta.store %{{.+}}, %A[%i, %j] limit = [_, %n] mask = (%{{.+}} : tensor<64xi1>) on [1] {cache = #tile.cache<first>, vector = 2 : i64} : tensor<64x64xbf16, #wgmma_acc{{1?}}> -> memref<?x?xbf16>
// CHECK-NEXT:    cta.copy %A[%i, %j] dims = [1, 0] limit = [%n, _] pad = any {mechanism = #cta.mechanism<cp_async>, stages = 2 : i64, vector = 8 : i64, why = "so"} : memref<?x?xbf16> -> !cta.smem<64x64xbf16,
// CHECK-NEXT:    cta.copy %A[%i, %j] cache_if = %if multicast_if = %if into %{{.+}}[%slot] {cache = #tile.cache<stream>, mbarrier = 3 : i64, mechanism = #cta.mechanism<tma>, multicast = 2 : i64, offset = 128 : i64} : memref
// CHECK-NEXT:    cta.copy_out %{{.+}}, %A[%i, %j] dims = [1, 0] {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>, why = "so"} : !cta.smem<64x64xbf16, {{.+}}> -> memref<?x?xbf16>
// CHECK-NEXT:    %[[ST:.+]] = cta.stage %{{.+}} {offset = 1024 : i64} : tensor<128x64xbf16, {{.+}}> -> {{(!cta.smem)?}}<128x64xbf16,
// CHECK-NEXT:    cta.copy_out %[[ST]], %A[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} :
// CHECK-NEXT:    cta.stage %{{.+}}, %{{.+}} {concat_dim = 1 : i64} : tensor<64x64xbf16, #wgmma_acc{{1?}}>, tensor<64x64xbf16, #wgmma_acc{{1?}}> -> {{(!cta.smem)?}}<64x128xbf16, #cta.swizzle<linear>>
// CHECK-NEXT:    cta.view %{{.+}} : {{(!cta.smem)?}}<64x128xbf16, #cta.swizzle<linear>> -> {{(!cta.smem)?}}<8192xbf16, #cta.swizzle<linear>>
// CHECK-NEXT:    cta.read %{{.+}} offsets = [0, 8] strides = [1, 2] dims = [0] : {{(!cta.smem)?}}<64x128xbf16, #cta.swizzle<linear>> -> tensor<64xbf16,
tile.kernel @memory(%A: memref<?x?xbf16>, %i: index, %j: index, %n: index, %if: i1, %slot: i32) attributes {warpgroups = 1} {
  cta.launch @memory_0 blocks(%n) {
    %tile = "example.value"() : () -> !tile
    %w = ub.poison : tensor<128x64xbf16, #cta.frag<wgmma_acc, wg = 2>>
    %m = arith.constant dense<true> : tensor<64xi1, #rows>
    %o = arith.constant dense<true> : tensor<64xi1>
    %x = cta.load %A[%i, %j] dims = [1, 0] limit = [%n, _] pad = neg_inf mask = %m on [0] {cache = #tile.cache<last>, require = #tile.require<[tma]>, stages = 3 : i64, vector = 2 : i64, why = "no TMA"} : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>
    cta.store %x, %A[%i, %j] limit = [_, %n] mask = (%o : tensor<64xi1>) on [1] {cache = #tile.cache<first>, vector = 2 : i64} : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    %c = cta.copy %A[%i, %j] dims = [1, 0] limit = [%n, _] pad = any {mechanism = #cta.mechanism<cp_async>, stages = 2 : i64, vector = 8 : i64, why = "so"} : memref<?x?xbf16> -> !tile
    %d = cta.copy %A[%i, %j] cache_if = %if multicast_if = %if into %tile[%slot] {cache = #tile.cache<stream>, mbarrier = 3, mechanism = #tma, multicast = 2 : i64, offset = 128} : memref<?x?xbf16> -> !tile
    cta.copy_out %c, %A[%i, %j] dims = [1, 0] {cache = #tile.cache<last>, mechanism = #tma, why = "so"} : !tile -> memref<?x?xbf16>
    %s = cta.stage %w {offset = 1024} : tensor<128x64xbf16, #cta.frag<wgmma_acc, wg = 2>> -> !cta.smem<128x64xbf16, #sw>
    cta.copy_out %s, %A[%i, %j] {mechanism = #tma, per_warpgroup} : !cta.smem<128x64xbf16, #sw> -> memref<?x?xbf16>
    %p = cta.stage %x, %x {concat_dim = 1 : i64} : tensor<64x64xbf16, #acc>, tensor<64x64xbf16, #acc> -> !cta.smem<64x128xbf16, #cta.swizzle<linear>>
    %v = cta.view %p : !cta.smem<64x128xbf16, #cta.swizzle<linear>> -> !cta.smem<8192xbf16, #cta.swizzle<linear>>
    %r = cta.read %p offsets = [0, 8] strides = [1, 2] dims = [0] : !cta.smem<64x128xbf16, #cta.swizzle<linear>> -> tensor<64xbf16, #rows>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @shapes
// CHECK:         %[[B:.+]] = cta.broadcast %{{.+}} dims = [0] : tensor<64xf32, {{.+}}> -> tensor<64x64xf32, #wgmma_acc{{1?}}>
// CHECK-NEXT:    cta.broadcast %f dims = [] : f32 -> tensor<64xf32, {{.+}}>
// CHECK-NEXT:    cta.iota dim = 0 : tensor<64xi32, {{.+}}>
// CHECK-NEXT:    cta.iota dim = 0 from %i : i32 : tensor<64xi32, {{.+}}>
// CHECK-NEXT:    cta.convert_layout %[[B]] {how = #cta.conversion<permute>} : tensor<64x64xf32, #wgmma_acc{{1?}}> -> tensor<64x64xf32>
// CHECK-NEXT:    cta.transpose %[[B]] dims = [1, 0] : tensor<64x64xf32, #wgmma_acc{{1?}}> -> tensor<64x64xf32>
// CHECK-NEXT:    cta.reshape %[[B]] : tensor<64x64xf32, #wgmma_acc{{1?}}> -> tensor<4096xf32>
// CHECK-NEXT:    cta.slice %[[B]] offsets = [0, 1] strides = [1, 2] : tensor<64x64xf32, #wgmma_acc{{1?}}> -> tensor<64x32xf32, #wgmma_acc{{1?}}>
// CHECK-NEXT:    cta.concat %[[B]], %[[B]] dim = 1 : tensor<64x64xf32, #wgmma_acc{{1?}}>, tensor<64x64xf32, #wgmma_acc{{1?}}> -> tensor<64x128xf32, #wgmma_acc{{1?}}>
// CHECK-NEXT:    cta.reduce (%[[B]]) dims = [1] init(%f) {
// CHECK-NEXT:    ^bb0(%{{.+}}: f32, %{{.+}}: f32):
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      tile.yield %{{.+}} : f32
// CHECK-NEXT:    } : tensor<64x64xf32, #wgmma_acc{{1?}}> -> tensor<64xf32, {{.+}}>
// CHECK:         cta.extract %{{.+}} : tensor<f32, {{.+}}> -> f32
// CHECK:         cta.mma %{{.+}}, %{{.+}} {lhs_unsigned, require = #tile.require<[wgmma]>, rhs_unsigned, why = "so"} : !cta.smem<16x8xi8, {{.+}}>, !cta.smem<8x24xi8, {{.+}}> -> tensor<16x24xi32>
// CHECK-NEXT:    cta.mma %{{.+}}, %{{.+}}, %{{.+}} : !cta.smem<16x8xi8, {{.+}}>, !cta.smem<8x24xi8, {{.+}}> -> tensor<16x24xi32>
tile.kernel @shapes(%f: f32, %i: i32) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %v = ub.poison : tensor<64xf32, #rows>
    %b = cta.broadcast %v dims = [0] : tensor<64xf32, #rows> -> tensor<64x64xf32, #acc>
    %b1 = cta.broadcast %f dims = [] : f32 -> tensor<64xf32, #rows>
    %n0 = cta.iota dim = 0 : tensor<64xi32, #rows>
    %n1 = cta.iota dim = 0 from %i : i32 : tensor<64xi32, #rows>
    %c = cta.convert_layout %b {how = #cta.conversion<permute>} : tensor<64x64xf32, #acc> -> tensor<64x64xf32>
    %t = cta.transpose %b dims = [1, 0] : tensor<64x64xf32, #acc> -> tensor<64x64xf32>
    %s = cta.reshape %b : tensor<64x64xf32, #acc> -> tensor<4096xf32>
    %l = cta.slice %b offsets = [0, 1] strides = [1, 2] : tensor<64x64xf32, #acc> -> tensor<64x32xf32, #acc>
    %d = cta.concat %b, %b dim = 1 : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc> -> tensor<64x128xf32, #acc>
    %r = cta.reduce (%b) dims = [1] init(%f) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    } : tensor<64x64xf32, #acc> -> tensor<64xf32, #rows>
    %p = ub.poison : tensor<f32, #cta.frag<splat, rank = 0, warps = 2, wg = 1>>
    %e = cta.extract %p : tensor<f32, #cta.frag<splat, rank = 0, warps = 2, wg = 1>> -> f32
    %a8 = "example.value"() : () -> !cta.smem<16x8xi8, #cta.swizzle<linear>>
    %b8 = "example.value"() : () -> !cta.smem<8x24xi8, #cta.swizzle<linear>>
    %m = cta.mma %a8, %b8 {lhs_unsigned, require = #tile.require<[wgmma]>, rhs_unsigned, why = "so"} : !cta.smem<16x8xi8, #cta.swizzle<linear>>, !cta.smem<8x24xi8, #cta.swizzle<linear>> -> tensor<16x24xi32>
    %m1 = cta.mma %a8, %b8, %m : !cta.smem<16x8xi8, #cta.swizzle<linear>>, !cta.smem<8x24xi8, #cta.swizzle<linear>> -> tensor<16x24xi32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @launch
// CHECK:         cta.max_clusters : index
// CHECK-NEXT:    cta.launch @launch_0 blocks(%n, %n) attributes {cluster = 2 : i64, dependent, max_registers = 168 : i64, mbarriers = array<i64: 1, 2>, min_blocks = 1 : i64, shared = 1024 : i64, threads = 288 : i64} {
// CHECK-NEXT:      cta.block_id : index
// CHECK-NEXT:      cta.num_blocks : index
// CHECK-NEXT:      cta.cluster_place if %if : index
// CHECK-NEXT:      cta.ring {offset = 128 : i64} : {{(!cta.ring)?}}<2, {{(!cta.smem)?}}<64x64xbf16,
// CHECK-NEXT:      cta.slot %{{.+}}[%s] : {{(!cta.ring)?}}<2,
// CHECK-NEXT:      cta.channel : {{(!cta.channel)?}}<2, index>
// CHECK-NEXT:      cta.role @math warps(4) replicas(2) attributes {registers = 240 : i64, staged = 4096 : i64} {
// CHECK-NEXT:        cta.replica
// CHECK-NEXT:        cta.take_turn %{{.+}}, %s : {{(!cta.channel)?}}<2, index>
// CHECK-NEXT:        cta.pass_turn %{{.+}} : {{(!cta.channel)?}}<2, index>
// CHECK-NEXT:        cta.skip %{{.+}}, %s : {{(!cta.channel)?}}<2, index>
// CHECK-NEXT:        cta.barrier
// CHECK-NEXT:        cta.barrier warpgroup
// CHECK-NEXT:        cta.fence_async
// CHECK-NEXT:        cta.fence_async global
// CHECK-NEXT:        cta.await 0
// CHECK-NEXT:        cta.await 0[%s] parity %s
// CHECK-NEXT:        cta.arrive 1[%s]
// CHECK-NEXT:        cta.arrive 1[%s] per_warp {cluster = 2 : i64}
// CHECK-NEXT:        cta.arrive 1[%s] copies
// CHECK-NEXT:        cta.commit_copies
// CHECK-NEXT:        cta.await_copies
// CHECK-NEXT:        cta.await_copies pending = 2
// CHECK-NEXT:        cta.wgmma_wait() pending = 0
// CHECK-NEXT:        cta.await_stores
// CHECK-NEXT:        cta.await_stores read {pending = 3 : i64}
// CHECK-NEXT:      }
// CHECK-NEXT:      cta.role @producer warps(1) {
// CHECK-NEXT:        cta.elect {
// CHECK-NEXT:          cta.expect 0[%s] bytes = 1024
// CHECK:       tile.kernel @one_wait
// CHECK:         cta.wgmma_wait(%{{.+}}, %{{.+}}) pending = 1 : {{(!cta.async)?}}<tensor<64x64xf32, #wgmma_acc{{1?}}>>, {{(!cta.async)?}}<
tile.kernel @launch(%n: index, %s: i32, %if: i1) attributes {warpgroups = 1} {
  %c = cta.max_clusters : index
  cta.launch @launch_0 blocks(%n, %n) attributes {cluster = 2, dependent, max_registers = 168, mbarriers = array<i64: 1, 2>, min_blocks = 1, shared = 1024, threads = 288} {
    %b = cta.block_id : index
    %m = cta.num_blocks : index
    %p = cta.cluster_place if %if : index
    %r = cta.ring {offset = 128} : !ring
    %t = cta.slot %r[%s] : !ring
    %ch = cta.channel : !ch
    cta.role @math warps(4) replicas(2) attributes {registers = 240, staged = 4096} {
      %me = cta.replica
      cta.take_turn %ch, %s : !ch
      cta.pass_turn %ch : !ch
      cta.skip %ch, %s : !ch
      cta.barrier
      cta.barrier warpgroup
      cta.fence_async
      cta.fence_async global
      cta.await 0
      cta.await 0[%s] parity %s
      cta.arrive 1[%s]
      cta.arrive 1[%s] per_warp {cluster = 2}
      cta.arrive 1[%s] copies
      cta.commit_copies
      cta.await_copies
      cta.await_copies pending = 2
      cta.wgmma_wait() pending = 0
      cta.await_stores
      cta.await_stores read {pending = 3}
    }
    cta.role @producer warps(1) {
      cta.elect {
        cta.expect 0[%s] bytes = 1024
      }
    }
  }
  tile.return
}

tile.kernel @one_wait() attributes {warpgroups = 1} {
  cta.launch @one_wait_0 blocks() {
    %d:2 = "example.value"() : () -> (!cta.async<tensor<64x64xf32, #acc>>, !cta.async<tensor<64x64xf32, #acc>>)
    %e:2 = cta.wgmma_wait(%d#0, %d#1) pending = 1 : !cta.async<tensor<64x64xf32, #acc>>, !cta.async<tensor<64x64xf32, #acc>>
  }
  tile.return
}
