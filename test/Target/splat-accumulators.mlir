// REQUIRES: ptxas
// RUN: tilec %s -o %t.cubin --variants=aligned --save-temps=%t && FileCheck %s --implicit-check-not=C75 --input-file=%t/13-ptxas.log
// RUN: tilec %s -o %t.cubin --variants=any

// Accumulators that begin as a splat, in several instructions: each has a register of its own before the first is issued. Where LLVM copied the splat from
// one of them to the others in between, ptxas serialised the products (C7517).
// CHECK-DAG: Function properties for f32_aligned_0
// CHECK-DAG: Function properties for f16_aligned_0
tile.kernel @f32(%A: memref<128x64xbf16>, %B: memref<64x64xbf16>, %C: memref<128x64xf32>, %D: memref<64x64xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<128x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<64x64xbf16> -> tensor<64x64xbf16>
    %s = arith.constant dense<1.5> : tensor<128x64xf32>
    %d = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %s2 = arith.constant dense<2.5> : tensor<64x64xf32>
    %a2 = tile.load %A[%c0, %c0] : memref<128x64xbf16> -> tensor<64x64xbf16>
    %d2 = tile.mma %a2, %b, %s2 : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    tile.store %d, %C[%c0, %c0] : tensor<128x64xf32> -> memref<128x64xf32>
    tile.store %d2, %D[%c0, %c0] : tensor<64x64xf32> -> memref<64x64xf32>
  }
  tile.return
}
tile.kernel @f16(%A: memref<256x64xf16>, %B: memref<64x8xf16>, %C: memref<256x8xf16>, %D: memref<64x8xf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<256x64xf16> -> tensor<256x64xf16>
    %b = tile.load %B[%c0, %c0] : memref<64x8xf16> -> tensor<64x8xf16>
    %s = arith.constant dense<1.5> : tensor<256x8xf16>
    %d = tile.mma %a, %b, %s : tensor<256x64xf16>, tensor<64x8xf16> -> tensor<256x8xf16>
    %s2 = arith.constant dense<1.5> : tensor<64x8xf16>
    %a2 = tile.load %A[%c0, %c0] : memref<256x64xf16> -> tensor<64x64xf16>
    %d2 = tile.mma %a2, %b, %s2 : tensor<64x64xf16>, tensor<64x8xf16> -> tensor<64x8xf16>
    tile.store %d, %C[%c0, %c0] : tensor<256x8xf16> -> memref<256x8xf16>
    tile.store %d2, %D[%c0, %c0] : tensor<64x8xf16> -> memref<64x8xf16>
  }
  tile.return
}
