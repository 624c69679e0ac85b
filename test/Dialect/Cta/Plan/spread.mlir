// RUN: tile-opt %s -cta-plan -o %t.planned
// RUN: FileCheck %s < %t.planned
// RUN: tile-opt %t.planned | FileCheck %s
// Where blocks that share an SM compute for longer than they load, few output tiles stay with the blocks of the lowest numbers.

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>

// CHECK-LABEL: tile.kernel @computes(
// CHECK-SAME: plan = #cta.plan<{{.*}}blocks_per_sm = 2,{{.*}}, spread = 0>
// CHECK: bound = "tensor"
tile.kernel @computes(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<blocks_per_sm = 2>} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// Where they load for longer, the plan says nothing: the output tiles are spread.
// CHECK-LABEL: tile.kernel @loads(
// CHECK-SAME: plan = #cta.plan<{{.*}}blocks_per_sm = 2,
// CHECK-NOT: spread =
// CHECK: bound = "L2"
tile.kernel @loads(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<blocks_per_sm = 2>} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// So they are where a block has an SM for itself.
// CHECK-LABEL: tile.kernel @alone(
// CHECK-SAME: plan = #cta.plan<{{.*}}blocks_per_sm = 1,
// CHECK-NOT: spread =
// CHECK: bound = "tensor"
tile.kernel @alone(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<blocks_per_sm = 1>} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// Parts of output tiles, and clusters, are never spread.
// CHECK-LABEL: tile.kernel @parts(
// CHECK-SAME: stream_k = 4
// CHECK-NOT: spread =
// CHECK: cta.copy
tile.kernel @parts(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<blocks_per_sm = 2, stream_k = 4>} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// What is given stays.
// CHECK-LABEL: tile.kernel @given(
// CHECK-SAME: plan = #cta.plan<{{.*}}blocks_per_sm = 2,{{.*}}, spread = 1>
tile.kernel @given(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2, plan = #cta.plan<blocks_per_sm = 2, spread = 1>} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32, #acc>) {
      %b = cta.copy %B[%k, %j] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}
