// RUN: tile-opt %s -cta-insert-barriers -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-insert-barriers -cta-insert-barriers | FileCheck %s
// RUN: tile-opt %s -cta-insert-barriers -canonicalize -cse -loop-invariant-code-motion -cta-insert-barriers | FileCheck %s --check-prefix=OPT
// OPT-COUNT-2: cta.barrier warpgroup

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#lin = #cta.swizzle<linear>
#tma = #cta.mechanism<tma>
#allocated = #tile.phase<allocated>
!tile = !cta.smem<128x64xbf16, #sw>
!b = !cta.smem<64x64xbf16, #sw>
!out = tensor<128x64xbf16, #acc>

// The channel orders accesses to slots: no barrier for them in either role. Each warpgroup stages and stores its own half: it waits for its own store and
// its own threads, not for the other. The role ends when the sources of its stores were read. Blocks of the persistent loop are in no order in global memory, so
// that C[%t] of one needs no wait for that of the other.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK: cta.role @math
// CHECK: cta.for_output_tiles
// CHECK: scf.for
// CHECK-NEXT: cta.await 0[
// CHECK-NEXT: cta.slot
// CHECK-NEXT: cta.slot
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.arrive
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: cta.await_stores read
// CHECK-NEXT: cta.barrier warpgroup
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier warpgroup
// CHECK-NEXT: cta.copy_out{{.*$}}
// CHECK-NEXT: }
// CHECK-NEXT: cta.await_stores read
// CHECK-NEXT: }
// CHECK-NEXT: cta.role @producer
// CHECK-NOT: cta.barrier
// CHECK-NOT: cta.await_stores
// CHECK: tile.return
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %T: index, %K: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks(%T) attributes {shared = 65568, mbarriers = array<i64: 1, 1, 2, 2>} {
    %ra = cta.ring {offset = 0} : !cta.ring<2, !tile>
    %rb = cta.ring {offset = 32768} : !cta.ring<2, !b>
    %z = arith.constant 0 : i32
    cta.role @math warps(8) {
      %id = cta.block_id : index
      %n = cta.num_blocks : index
      %id32 = arith.index_castui %id : index to i32
      %n32 = arith.index_castui %n : index to i32
      %T32 = arith.index_castui %T : index to i32
      %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
      cta.for_output_tiles %t = %id32 to %T32 step %n32 : i32 {
        %i = arith.index_castui %t : i32 to index
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
          cta.await 0[%z] parity %z
          %a = cta.slot %ra[%z] : !cta.ring<2, !tile>
          %b = cta.slot %rb[%z] : !cta.ring<2, !b>
          %d = cta.wgmma %a, %b, %c : !tile, !b -> tensor<128x64xf32, #acc>
          cta.arrive 2[%z]
          scf.yield %d : tensor<128x64xf32, #acc>
        }
        %o = arith.truncf %acc : tensor<128x64xf32, #acc> to !out
        %s = cta.stage %o {offset = 49152} : !out -> !tile
        cta.copy_out %s, %C[%i, %c0] {mechanism = #tma, per_warpgroup} : !tile -> memref<?x?xbf16>
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          cta.await 2[%z] parity %z
          cta.expect 0[%z] bytes = 24576
          %sa = cta.slot %ra[%z] : !cta.ring<2, !tile>
          %a = cta.copy %A[%c0, %k] into %sa[%z] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tile
          %sb = cta.slot %rb[%z] : !cta.ring<2, !b>
          %b = cta.copy %A[%k, %c0] into %sb[%z] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !b
        }
      }
    }
  }
  tile.return
}

// Mixed: a reader of the tile, a store by one thread of all: each needs the whole role. The first stage, its store and the same bytes under the next tile are
// a warpgroup's own matter.
// CHECK-LABEL: tile.kernel @mixed(
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier warpgroup
// CHECK-NEXT: cta.copy_out %{{.*}}per_warpgroup
// CHECK-NEXT: cta.await_stores read
// CHECK-NEXT: cta.barrier warpgroup
// CHECK-NEXT: %[[S:.*]] = cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.read %[[S]]
// CHECK-NEXT: cta.copy_out %[[S]], %{{.*}}per_warpgroup
// CHECK-NEXT: cta.await_stores read
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: %[[T:.*]] = cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.copy_out %[[T]], %{{[^,]*}}, %{{[^,]*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK-NEXT: cta.store
// CHECK-NEXT: cta.await_stores read
tile.kernel @mixed(%C: memref<?x?xbf16>, %D: memref<?x?xbf16>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  cta.launch @mixed_0 blocks() attributes {shared = 16384} {
    cta.role @math warps(8) {
      %o = arith.constant dense<1.0> : !out
      %s = cta.stage %o {offset = 0} : !out -> !tile
      cta.copy_out %s, %C[%c0, %c0] {mechanism = #tma, per_warpgroup} : !tile -> memref<?x?xbf16>
      %t = cta.stage %o {offset = 0} : !out -> !tile
      %r = cta.read %t : !tile -> !out
      cta.copy_out %t, %C[%c0, %c64] {mechanism = #tma, per_warpgroup} : !tile -> memref<?x?xbf16>
      %u = cta.stage %o {offset = 0} : !out -> !tile
      cta.copy_out %u, %C[%c0, %c128] {mechanism = #tma} : !tile -> memref<?x?xbf16>
      cta.store %r, %D[%c0, %c0] : !out -> memref<?x?xbf16>
    }
    cta.role @producer warps(1) {
    }
  }
  tile.return
}

// A loop that is not the one over blocks orders its iterations: what one stores the next must not overtake, a barrier at its head. That over blocks does not;
// within an iteration there is an order.
// CHECK-LABEL: tile.kernel @order(
// CHECK: cta.for_output_tiles %{{.*}} : i32 {
// CHECK-NEXT: arith.index_castui
// CHECK-NEXT: cta.load
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.store{{.*$}}
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.load
// CHECK-NEXT: cta.barrier
// CHECK-NEXT: cta.store{{.*$}}
// CHECK-NEXT: }
tile.kernel @order(%C: memref<?x?xbf16>, %T: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @order_0 blocks(%T) {
    %id = cta.block_id : index
    %n = cta.num_blocks : index
    %id32 = arith.index_castui %id : index to i32
    %n32 = arith.index_castui %n : index to i32
    %T32 = arith.index_castui %T : index to i32
    cta.for_output_tiles %t = %id32 to %T32 step %n32 : i32 {
      %i = arith.index_castui %t : i32 to index
      %r = cta.load %C[%c0, %i] : memref<?x?xbf16> -> !out
      cta.store %r, %C[%i, %c0] : !out -> memref<?x?xbf16>
    }
    scf.for %i = %id to %T step %c64 {
      %r = cta.load %C[%c0, %i] : memref<?x?xbf16> -> !out
      cta.store %r, %C[%i, %c0] : !out -> memref<?x?xbf16>
    }
  }
  tile.return
}
