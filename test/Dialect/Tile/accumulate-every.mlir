// RUN: tile-opt %s --tile-expand-ops | FileCheck %s

// Each 64 products of K have a sum of their own. The operands are loaded in such pieces, at the place of the loads, the last of them smaller.
// CHECK-LABEL: tile.kernel @loads
// CHECK:         %[[K0:.+]] = arith.addi %k, %{{.+}} : index
// CHECK-NEXT:    %[[A0:.+]] = tile.load %A[%i, %[[K0]]] stages = 3 : memref<?x?xbf16> -> tensor<128x64xbf16>
// CHECK:         %[[K1:.+]] = arith.addi %k, %c64 : index
// CHECK-NEXT:    %[[A1:.+]] = tile.load %A[%i, %[[K1]]] stages = 3 : memref<?x?xbf16> -> tensor<128x32xbf16>
// CHECK:         %[[B0:.+]] = tile.load %B[%j, %{{.+}}] dims = [1, 0] limit = [%end, _] : memref<?x?xbf16> -> tensor<64x128xbf16>
// CHECK:         %[[B1:.+]] = tile.load %B[%j, %{{.+}}] dims = [1, 0] limit = [%end, _] : memref<?x?xbf16> -> tensor<32x128xbf16>
// CHECK-NOT:     tile.load
// CHECK:         %[[P0:.+]] = tile.mma %[[A0]], %[[B0]] require = [wgmma] : tensor<128x64xbf16>
// CHECK:         %[[S0:.+]] = arith.addf %{{.+}}, %[[P0]]
// CHECK:         %[[P1:.+]] = tile.mma %[[A1]], %[[B1]] require = [wgmma] : tensor<128x32xbf16>
// CHECK:         %[[S1:.+]] = arith.addf %[[S0]], %[[P1]]
// CHECK:         tile.store %[[S1]]
tile.kernel @loads(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %i: index, %j: index, %k: index, %end: index) {
  tile.grid () = () to () step () {
    %c = tile.load %C[%i, %j] : memref<?x?xf32> -> tensor<128x128xf32>
    %a = tile.load %A[%i, %k] stages = 3 : memref<?x?xbf16> -> tensor<128x96xbf16>
    %b = tile.load %B[%j, %k] dims = [1, 0] limit = [%end, _] : memref<?x?xbf16> -> tensor<96x128xbf16>
    %d = tile.mma %a, %b, %c accumulate_every = 64 require = [wgmma] : tensor<128x96xbf16>, tensor<96x128xbf16> -> tensor<128x128xf32>
    tile.store %d, %C[%i, %j] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// A K that is not larger is one product, and an addition where there is something to add to. Integers have the same sum either way.
// CHECK-LABEL: tile.kernel @whole
// CHECK:         %[[P:.+]] = tile.mma %{{.+}}, %{{.+}} : tensor<8x16xf32>
// CHECK-NEXT:    %{{.+}} = arith.addf %[[C:.+]], %[[P]]
// CHECK-NEXT:    tile.mma %{{.+}}, %{{.+}} : tensor<8x16xf32>
// CHECK-NEXT:    tile.mma %{{.+}}, %{{.+}}, %{{.+}} : tensor<8x16xi8>
tile.kernel @whole() {
  tile.grid () = () to () step () {
    %a = arith.constant dense<1.0> : tensor<8x16xf32>
    %b = arith.constant dense<1.0> : tensor<16x8xf32>
    %c = arith.constant dense<1.0> : tensor<8x8xf32>
    %i = arith.constant dense<1> : tensor<8x16xi8>
    %j = arith.constant dense<1> : tensor<16x8xi8>
    %k = arith.constant dense<1> : tensor<8x8xi32>
    %0 = tile.mma %a, %b, %c accumulate_every = 16 : tensor<8x16xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
    %1 = tile.mma %a, %b accumulate_every = 32 : tensor<8x16xf32>, tensor<16x8xf32> -> tensor<8x8xf32>
    %2 = tile.mma %i, %j, %k accumulate_every = 4 : tensor<8x16xi8>, tensor<16x8xi8> -> tensor<8x8xi32>
  }
  tile.return
}

// Other operands, those of a batch, loads with another user and those with a mask are sliced.
// CHECK-LABEL: tile.kernel @slices
// CHECK:         %[[A0:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0] [2, 8, 8] [1, 1, 1] : tensor<2x8x16xf32> to tensor<2x8x8xf32>
// CHECK:         %[[B0:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0] [2, 8, 8] [1, 1, 1] : tensor<2x16x8xf32> to tensor<2x8x8xf32>
// CHECK:         %[[P0:.+]] = tile.mma %[[A0]], %[[B0]] :
// CHECK:         %[[A1:.+]] = tensor.extract_slice %{{.+}}[0, 0, 8] [2, 8, 8] [1, 1, 1]
// CHECK:         %[[B1:.+]] = tensor.extract_slice %{{.+}}[0, 8, 0] [2, 8, 8] [1, 1, 1]
// CHECK:         %[[P1:.+]] = tile.mma %[[A1]], %[[B1]] :
// CHECK:         arith.addf %[[P0]], %[[P1]]
// CHECK:         tile.load %A[%c0, %c0] mask
// CHECK-COUNT-2: tensor.extract_slice
tile.kernel @slices(%A: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = arith.constant dense<1.0> : tensor<2x8x16xf32>
    %b = arith.constant dense<1.0> : tensor<2x16x8xf32>
    %0 = tile.mma %a, %b accumulate_every = 8 : tensor<2x8x16xf32>, tensor<2x16x8xf32> -> tensor<2x8x8xf32>
    %m = arith.constant dense<true> : tensor<16xi1>
    %x = tile.load %A[%c0, %c0] mask = %m on [0] : memref<?x?xf32> -> tensor<16x16xf32>
    %y = arith.constant dense<1.0> : tensor<16x8xf32>
    %1 = tile.mma %x, %y accumulate_every = 12 : tensor<16x16xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
  }
  tile.return
}
