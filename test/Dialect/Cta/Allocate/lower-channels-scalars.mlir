// RUN: tile-opt %s -cta-lower-channels -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-lower-channels -cta-allocate-shared -cta-insert-barriers -cta-verify -o /dev/null

#specialized = #tile.phase<specialized>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!numbers = !cta.channel<3, i32, f32>
!mixed = !cta.channel<2, !tile, i32>

// Scalars are written by the elected thread, whose arrival fills the slot: full has one arrival and no bytes, empty one of each warp. No fence: nothing
// writes the slot through the async proxy.
// CHECK-LABEL: tile.kernel @scalars(
// CHECK: cta.launch @scalars_0 blocks() attributes {mbarriers = array<i64: 1, 1, 1, 4, 4, 4>} {
// CHECK-NEXT: %[[R0:.*]] = cta.ring : <3, <1xi32, #cta.swizzle<linear>>>
// CHECK-NEXT: %[[R1:.*]] = cta.ring : <3, <1xf32, #cta.swizzle<linear>>>
// CHECK: cta.role @math warps(4) {
// CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (i32, i32)
// CHECK-NEXT: cta.await 0[%[[S]]] parity %[[P]]
// CHECK-NEXT: %[[A0:.*]] = cta.slot %[[R0]][%[[S]]]
// CHECK-NEXT: %[[X:.*]] = cta.get_scalar %[[A0]] : <1xi32, #cta.swizzle<linear>> -> i32
// CHECK-NEXT: %[[A1:.*]] = cta.slot %[[R1]][%[[S]]]
// CHECK-NEXT: %[[Y:.*]] = cta.get_scalar %[[A1]] : <1xf32, #cta.swizzle<linear>> -> f32
// CHECK-NOT: cta.fence_async
// CHECK: cta.arrive 3[%[[S]]] per_warp
// CHECK: memref.store %[[Y]], %{{.*}}[%{{.*}}]
// CHECK: cta.role @producer warps(1) {
// CHECK: cta.elect {
// CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (i32, i32)
// CHECK: %[[N:.*]] = arith.index_cast
// CHECK: cta.await 3[%[[S]]] parity %{{.*}}
// CHECK-NEXT: %[[B0:.*]] = cta.slot %[[R0]][%[[S]]]
// CHECK-NEXT: cta.put_scalar %[[N]], %[[B0]] : i32, <1xi32, #cta.swizzle<linear>>
// CHECK-NEXT: %[[B1:.*]] = cta.slot %[[R1]][%[[S]]]
// CHECK-NEXT: cta.put_scalar %f, %[[B1]] : f32, <1xf32, #cta.swizzle<linear>>
// CHECK-NEXT: cta.arrive 0[%[[S]]]{{$}}
tile.kernel @scalars(%C: memref<?xf32>, %n: index, %f: f32) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @scalars_0 blocks() {
    %ch = cta.channel : !numbers
    cta.role @math warps(4) {
      scf.for %k = %c0 to %n step %c1 {
        %q, %x, %y = cta.wait %ch : !numbers
        cta.release %ch, %q : !numbers
        %i = arith.index_cast %x : i32 to index
        memref.store %y, %C[%i] : memref<?xf32>
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c1 {
          %p = cta.acquire %ch : !numbers
          %x = arith.index_cast %k : index to i32
          cta.commit %ch, %p (%x, %f) : !numbers
        }
      }
    }
  }
  tile.return
}

// Next to a tile: the scalar is written before the arrival that expects the bytes.
// CHECK-LABEL: tile.kernel @mixed(
// CHECK: cta.launch @mixed_0 blocks() attributes {mbarriers = array<i64: 1, 1, 4, 4>} {
// CHECK: cta.wgmma
// CHECK: cta.fence_async
// CHECK-NEXT: cta.arrive 2[%{{.*}}] per_warp
// CHECK: cta.await 2[%[[S:.*]]] parity
// CHECK-NEXT: %[[B:.*]] = cta.slot %{{.*}}[%[[S]]] : <2, <1xi32, #cta.swizzle<linear>>>
// CHECK-NEXT: cta.put_scalar %{{.*}}, %[[B]]
// CHECK-NEXT: cta.expect 0[%[[S]]] bytes = 8192
// CHECK: cta.copy %A[%{{.*}}] into
tile.kernel @mixed(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @mixed_0 blocks() {
    %ch = cta.channel : !mixed
    cta.role @math warps(4) {
      scf.for %k = %c0 to %n step %c64 {
        %q, %a, %x = cta.wait %ch : !mixed
        %d = cta.wgmma %a, %a : !tile, !tile -> tensor<64x64xf32, #acc>
        cta.release %ch, %q : !mixed
        %i = arith.index_cast %x : i32 to index
        cta.store %d, %C[%i, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %x = arith.index_cast %k : index to i32
          %p = cta.acquire %ch : !mixed
          %a = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a, %x) : !mixed
        }
      }
    }
  }
  tile.return
}
