// RUN: tile-opt %s --split-input-file --convert-tile-to-cta --cta-form-wgmma --cta-assign-layouts --cta-verify | FileCheck %s

// The layouts of scans: access to memory stays coalesced, warps go to other dimensions, or each has one run.

// A row of 1024 elements for each warp: no scratch. The total has the layout without columns.
// CHECK: #[[$ROW:.+]] = #cta.frag<regs = {{\[\[}}0, 1], [0, 2]], lanes = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warps = {{\[\[}}1, 0], [2, 0]]>
// CHECK: #[[$SUM:.+]] = #cta.frag<regs = [], lanes = {{\[\[}}0], [0], [0], [0], [0]], warps = {{\[\[}}1], [2]]>
// CHECK-LABEL: tile.kernel @rows
// CHECK: cta.scan (%{{.*}}) dim = 1
// CHECK: } : tensor<4x1024xf32, #[[$ROW]]> -> tensor<4x1024xf32, #[[$ROW]]>, tensor<4xf32, #[[$SUM]]>
// CHECK-NOT: cta.convert_layout
// CHECK: tile.return
tile.kernel @rows(%x: memref<?x1024xf32> {tile.align = 16 : i64}, %y: memref<?x1024xf32> {tile.align = 16 : i64}) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : memref<?x1024xf32> -> tensor<4x1024xf32>
    %a, %n = tile.scan addf %t dim = 1 : tensor<4x1024xf32> -> tensor<4x1024xf32>, tensor<4xf32>
    tile.store %a, %y[%c0, %c0] : tensor<4x1024xf32> -> memref<?x1024xf32>
  }
  tile.return
}

// -----

// A vector: 1024 elements for each warp, in runs of 128 that it reads at once, which are registers.
// CHECK: #[[$LINE:.+]] = #cta.frag<regs = {{\[\[}}1], [2], [128], [256], [512]], lanes = {{\[\[}}4], [8], [16], [32], [64]], warps = {{\[\[}}1024], [2048]]>
// CHECK-LABEL: tile.kernel @line
// CHECK: cta.scan
// CHECK: } : tensor<4096xf32, #[[$LINE]]> -> tensor<4096xf32, #[[$LINE]]>, tensor<f32, #{{.*}}>
tile.kernel @line(%x: memref<4096xf32> {tile.align = 16 : i64}, %y: memref<4096xf32> {tile.align = 16 : i64}) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0] : memref<4096xf32> -> tensor<4096xf32>
    %a, %n = tile.scan addf %t dim = 0 : tensor<4096xf32> -> tensor<4096xf32>, tensor<f32>
    tile.store %a, %y[%c0] : tensor<4096xf32> -> memref<4096xf32>
  }
  tile.return
}

// -----

// Along columns a thread has neighbours in registers, below the lanes, where a row of a warp is long enough for memory. The carry follows.
// CHECK: #[[$COLUMN:.+]] = #cta.frag<regs = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lanes = {{\[\[}}0, 4], [0, 8], [4, 0], [8, 0], [16, 0]], warps = {{\[\[}}32, 0], [64, 0]]>
// CHECK: #[[$TOP:.+]] = #cta.frag<regs = {{\[\[}}1], [2]], lanes = {{\[\[}}4], [8], [0], [0], [0]], warps = {{\[\[}}0], [0]]>
// CHECK-LABEL: tile.kernel @columns
// CHECK: cta.scan (%{{.*}}) dim = 0 init(%{{.*}}) carry(%{{.*}}) {
// CHECK: } : tensor<128x16xf32, #[[$COLUMN]]> -> tensor<128x16xf32, #[[$COLUMN]]>, tensor<16xf32, #[[$TOP]]>
tile.kernel @columns(%x: memref<?x16xf32> {tile.align = 16 : i64}, %y: memref<?x16xf32> {tile.align = 16 : i64}, %z: memref<16xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : memref<?x16xf32> -> tensor<128x16xf32>
    %c = tile.load %z[%c0] : memref<16xf32> -> tensor<16xf32>
    %a, %n = tile.scan addf %t dim = 0 carry(%c) : tensor<128x16xf32> -> tensor<128x16xf32>, tensor<16xf32>
    tile.store %a, %y[%c0, %c0] : tensor<128x16xf32> -> memref<?x16xf32>
    tile.store %n, %z[%c0] : tensor<16xf32> -> memref<16xf32>
  }
  tile.return
}

// -----

// Accumulators stay as they are.
// CHECK: #[[$ACC:.+]] = #cta.frag<wgmma_acc
// CHECK-LABEL: tile.kernel @accumulators
// CHECK: cta.scan
// CHECK: } : tensor<64x32xf32, #[[$ACC]]> -> tensor<64x32xf32, #[[$ACC]]>
tile.kernel @accumulators(%x: memref<?x?xbf16>, %y: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %b = tile.load %x[%c0, %c0] : memref<?x?xbf16> -> tensor<64x32xbf16>
    %p = tile.mma %a, %b : tensor<64x64xbf16>, tensor<64x32xbf16> -> tensor<64x32xf32>
    %s, %n = tile.scan addf %p dim = 1 : tensor<64x32xf32> -> tensor<64x32xf32>, tensor<64xf32>
    tile.store %s, %y[%c0, %c0] : tensor<64x32xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// 65 rows are 5 for each of 16 warps: rather than as many runs of a row, some registers are dead.
// CHECK: #[[$ODD:.+]] = #cta.frag<regs = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], lanes = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warps = {{\[\[}}8, 0], [16, 0]], wg = 4 on 0>
// CHECK-LABEL: tile.kernel @odd
// CHECK: } : tensor<65x128xf32, #[[$ODD]]> -> tensor<65x128xf32, #[[$ODD]]>
tile.kernel @odd(%x: memref<?x128xf32> {tile.align = 16 : i64}, %y: memref<?x128xf32> {tile.align = 16 : i64}) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : memref<?x128xf32> -> tensor<65x128xf32>
    %a, %n = tile.scan addf %t dim = 0 : tensor<65x128xf32> -> tensor<65x128xf32>, tensor<128xf32>
    tile.store %a, %y[%c0, %c0] : tensor<65x128xf32> -> memref<?x128xf32>
  }
  tile.return
}
