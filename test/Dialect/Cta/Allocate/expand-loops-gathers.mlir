// RUN: tile-opt %s --split-input-file --cta-expand-loops --cta-verify | FileCheck %s

// An index tile of the loop is loaded as far ahead as its rows, one from outside is the same for all iterations; a view stays behind the wait.
#acc = #cta.frag<wgmma_acc, wg = 1>
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
#tma = #cta.mechanism<tma>
!pages = !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<3, !pages, !pages>
// CHECK-LABEL: tile.kernel @ahead
// CHECK:       %[[S:.+]] = cta.load %R[%c0]
// CHECK:       scf.for %[[J:[a-z0-9]+]] =
// CHECK-NEXT:    %[[R1:.+]] = cta.load %R[%[[J]]]
// CHECK:         %[[N1:.+]] = memref.load %N[%[[J]]]
// CHECK:         %[[B1:.+]] = cta.broadcast %[[N1]] dims = []
// CHECK:         %[[T1:.+]] = arith.addi %[[R1]], %[[B1]]
// CHECK:         cta.acquire
// CHECK-NEXT:    cta.copy %A[%[[T1]] : tensor<4xi32, #{{.+}}>, %c0, %c0]
// CHECK-NEXT:    cta.copy %A[%[[S]] : tensor<4xi32, #{{.+}}>, %c0, %c0]
// CHECK-NEXT:    cta.commit
// CHECK:       scf.for %[[K:[a-z0-9]+]] =
// CHECK-NOT:     cta.load
// CHECK:         scf.if
// CHECK:           %[[LATER:.+]] = arith.addi %[[K]]
// CHECK-NEXT:      %[[R2:.+]] = cta.load %R[%[[LATER]]]
// CHECK:           %[[T2:.+]] = arith.addi %[[R2]]
// CHECK:           cta.acquire
// CHECK-NEXT:      cta.copy %A[%[[T2]] :
// CHECK-NEXT:      cta.copy %A[%[[S]] :
// CHECK:         %{{.+}}, %[[V:.+]]:2 = cta.wait
// CHECK:         cta.view %[[V]]#0
// CHECK-NOT:   cta.copy
tile.kernel @ahead(%A: memref<?x16x64xbf16>, %R: memref<?xi32>, %N: memref<?xi32>, %C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @ahead_0 blocks() {
    %ch = cta.channel : !ch
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !sum
    %s = cta.load %R[%c0] : memref<?xi32> -> tensor<4xi32, #all>
    %d = scf.for %k = %c0 to %n step %c4 iter_args(%c = %zero) -> (!sum) {
      %r = cta.load %R[%k] : memref<?xi32> -> tensor<4xi32, #all>
      %i = memref.load %N[%k] : memref<?xi32>
      %b = cta.broadcast %i dims = [] : i32 -> tensor<4xi32, #all>
      %t = arith.addi %r, %b : tensor<4xi32, #all>
      %p = cta.acquire %ch : !ch
      %a0 = cta.copy %A[%t : tensor<4xi32, #all>, %c0, %c0] {mechanism = #tma} : memref<?x16x64xbf16> -> !pages
      %b0 = cta.copy %A[%s : tensor<4xi32, #all>, %c0, %c0] {mechanism = #tma} : memref<?x16x64xbf16> -> !pages
      cta.commit %ch, %p (%a0, %b0) : !ch
      %q, %x, %y = cta.wait %ch : !ch
      %vx = cta.view %x : !pages -> !tile
      %vy = cta.view %y : !pages -> !tile
      %e = cta.wgmma %vx, %vy, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
      scf.yield %e : !sum
    }
    cta.store %d, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Not if the launch writes where the indices are.
#acc = #cta.frag<wgmma_acc, wg = 1>
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 1>
!tile = !cta.smem<4x16x64xbf16, #cta.swizzle<128, dim = 2>>
!ch = !cta.channel<3, !tile>
// CHECK-LABEL: tile.kernel @written
// CHECK:       scf.for
// CHECK-NEXT:    cta.load %R
// CHECK-NEXT:    cta.acquire
// CHECK-NOT:   scf.for
tile.kernel @written(%A: memref<?x16x64xbf16>, %R: memref<?xi32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @written_0 blocks() {
    %ch = cta.channel : !ch
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    scf.for %k = %c0 to %n step %c4 {
      %r = cta.load %R[%k] : memref<?xi32> -> tensor<4xi32, #all>
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%r : tensor<4xi32, #all>, %c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x16x64xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %t = cta.wait %ch : !ch
      cta.release %ch, %q : !ch
      memref.store %zero, %R[%k] : memref<?xi32>
    }
  }
  tile.return
}
