// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -cta-verify -o /dev/null
// RUN: tile-opt %s -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -convert-cta-to-tile | FileCheck %s --check-prefix=ERASED --implicit-check-not=cta.

// Private tables: text, that canonicalize and cse leave them alone, and what they are at L0.

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]], wg = 1>
#one = #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>
#lin = #cta.swizzle<linear>

// CHECK-LABEL: tile.kernel @tables(
// CHECK: %[[T:.*]] = cta.table add %H dims = [0] copies = %c : memref<?xi32> -> !cta.smem<4096xi32, #{{.*}}>
// CHECK: %[[U:.*]] = cta.table add %H dims = [0] copies = %c : memref<?xi32> -> !cta.smem<4096xi32, #{{.*}}>
// CHECK: %[[R:.*]] = cta.table max %M dims = [1] : memref<?x64xi32> -> !cta.smem<64xi32, #{{.*}}>
// CHECK: %[[F:.*]] = cta.table add %B dims = [0] : memref<512xbf16> -> !cta.smem<512xbf16, #{{.*}}>
// CHECK: %[[S:.*]] = cta.table xor %M dims = [] : memref<?x64xi32> -> !cta.smem<1xi32, #{{.*}}>
// CHECK: cta.atomic add %{{.*}}, %H[%{{.*}} : tensor<512xi32, #{{.*}}>] mask = %{{.*}} : tensor<512xi32, #{{.*}}> -> memref<?xi32> into %[[T]] : !cta.smem<4096xi32, #{{.*}}>
// CHECK: cta.atomic add %{{.*}}, %H[%row] limit = [%end] : tensor<512xi32, #{{.*}}> -> memref<?xi32> into %[[U]] : !cta.smem<4096xi32, #{{.*}}>
// CHECK: cta.atomic max %{{.*}}, %M[%row, %{{.*}} : tensor<512xi32, #{{.*}}>] : tensor<512xi32, #{{.*}}> -> memref<?x64xi32> into %[[R]]
// CHECK: cta.atomic add %{{.*}}, %B[%c0] : tensor<512xbf16, #{{.*}}> -> memref<512xbf16> into %[[F]]
// CHECK: cta.atomic xor %{{.*}}, %M[%row, %c0] : tensor<i32, #{{.*}}> -> memref<?x64xi32> into %[[S]]
// CHECK: cta.flush %[[T]], %H[] : <4096xi32, #{{.*}}> -> memref<?xi32>
// CHECK: cta.flush %[[U]], %H[]
// CHECK: cta.flush %[[R]], %M[%row] : <64xi32, #{{.*}}> -> memref<?x64xi32>
// CHECK: cta.flush %[[F]], %B[]
// CHECK: cta.flush %[[S]], %M[%row, %c0]
// ERASED-LABEL: tile.kernel @tables(
// ERASED: tile.atomic add %{{.*}}, %H[%{{.*}} : tensor<512xi32>] mask = %{{.*}} : tensor<512xi32> -> memref<?xi32>
// ERASED: tile.atomic add %{{.*}}, %H[%row] limit = [%end] : tensor<512xi32> -> memref<?xi32>
// ERASED: tile.atomic max %{{.*}}, %M[%row, %{{.*}} : tensor<512xi32>] : tensor<512xi32> -> memref<?x64xi32>
// ERASED: tile.atomic add %{{.*}}, %B[%c0] : tensor<512xbf16> -> memref<512xbf16>
// ERASED: tile.atomic xor %{{.*}}, %M[%row, %c0] : tensor<i32> -> memref<?x64xi32>
tile.kernel @tables(%X: memref<?xi32>, %H: memref<?xi32>, %M: memref<?x64xi32>, %B: memref<512xbf16>, %W: memref<?xi1>, %row: index, %end: index, %c: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = cta.table add %H dims = [0] copies = %c : memref<?xi32> -> !cta.smem<4096xi32, #lin>
    %u = cta.table add %H dims = [0] copies = %c : memref<?xi32> -> !cta.smem<4096xi32, #lin>
    %r = cta.table max %M dims = [1] : memref<?x64xi32> -> !cta.smem<64xi32, #lin>
    %f = cta.table add %B dims = [0] : memref<512xbf16> -> !cta.smem<512xbf16, #lin>
    %s = cta.table xor %M dims = [] : memref<?x64xi32> -> !cta.smem<1xi32, #lin>
    %x = cta.load %X[%c0] : memref<?xi32> -> tensor<512xi32, #l>
    %m = cta.load %W[%c0] : memref<?xi1> -> tensor<512xi1, #l>
    %b = cta.load %B[%c0] : memref<512xbf16> -> tensor<512xbf16, #l>
    %v = arith.constant dense<7> : tensor<i32, #one>
    cta.atomic add %x, %H[%x : tensor<512xi32, #l>] mask = %m on [0] : tensor<512xi32, #l> -> memref<?xi32> into %t : !cta.smem<4096xi32, #lin>
    cta.atomic add %x, %H[%row] limit = [%end] : tensor<512xi32, #l> -> memref<?xi32> into %u : !cta.smem<4096xi32, #lin>
    cta.atomic max %x, %M[%row, %x : tensor<512xi32, #l>] : tensor<512xi32, #l> -> memref<?x64xi32> into %r : !cta.smem<64xi32, #lin>
    cta.atomic add %b, %B[%c0] : tensor<512xbf16, #l> -> memref<512xbf16> into %f : !cta.smem<512xbf16, #lin>
    cta.atomic xor %v, %M[%row, %c0] : tensor<i32, #one> -> memref<?x64xi32> into %s : !cta.smem<1xi32, #lin>
    cta.flush %t, %H[] : !cta.smem<4096xi32, #lin> -> memref<?xi32>
    cta.flush %u, %H[] : !cta.smem<4096xi32, #lin> -> memref<?xi32>
    cta.flush %r, %M[%row] : !cta.smem<64xi32, #lin> -> memref<?x64xi32>
    cta.flush %f, %B[] : !cta.smem<512xbf16, #lin> -> memref<512xbf16>
    cta.flush %s, %M[%row, %c0] : !cta.smem<1xi32, #lin> -> memref<?x64xi32>
  }
  tile.return
}
