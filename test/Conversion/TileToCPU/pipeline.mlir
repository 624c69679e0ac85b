// RUN: tile-opt %s -tile-to-cpu | FileCheck %s

// Nothing but the LLVM dialect is left, no bf16 among its types, and what is allocated is freed.
// CHECK: module attributes {{{.*}}tile.contract = "
// CHECK-LABEL: llvm.func @gemm_0(%{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK: %[[ACC:.*]] = llvm.call @malloc
// CHECK-NOT: {{bf16|[^.](func|arith|scf|memref|linalg|tensor|bufferization|tile|builtin)\.[a-z]}}
// CHECK: llvm.call @free
// CHECK: llvm.return
// CHECK-NOT: bf16
tile.kernel @gemm(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]},
                  %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (16, 32) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<16x32xf32>
    %acc = scf.for %k = %c0 to %K step %c16 iter_args(%c = %zero) -> (tensor<16x32xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<16x16xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<16x32xbf16>
      %d = tile.mma %a, %b, %c : tensor<16x16xbf16>, tensor<16x32xbf16> -> tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    %out = arith.truncf %acc : tensor<16x32xf32> to tensor<16x32xbf16>
    tile.store %out, %C[%i, %j] : tensor<16x32xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
