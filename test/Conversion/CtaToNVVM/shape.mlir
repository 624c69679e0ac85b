// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#l = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
#t = #cta.frag<regs = [[1, 0], [2, 0]], lanes = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warps = [[0, 8], [0, 16]]>
#swapped = #cta.frag<regs = [[0, 4], [0, 2]], lanes = [[0, 1], [0, 8], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
#permuted = #cta.frag<regs = [[0, 2], [0, 1]], lanes = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
#rows = #cta.frag<regs = [], lanes = [[0], [0], [1], [2], [4]], warps = [[8], [16]]>
#column = #cta.frag<regs = [], lanes = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>

// Transposes, broadcasts, unit dimensions and register permutations cost nothing.
// CHECK-LABEL: llvm.func @names
// CHECK-NOT:   shfl
// CHECK-NOT:   arith.select
// CHECK:       llvm.return
tile.kernel @names_k(%x: memref<16x32xf32>, %r: memref<32xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @names blocks() {
    %c0 = arith.constant 0 : index
    %v = cta.load %r[%c0] : memref<32xf32> -> tensor<32xf32, #rows>
    %e = cta.reshape %v : tensor<32xf32, #rows> -> tensor<32x1xf32, #column>
    %b = cta.broadcast %e dims = [0, 1] : tensor<32x1xf32, #column> -> tensor<32x16xf32, #l>
    %p = cta.convert_layout %b {how = #cta.conversion<permute>} : tensor<32x16xf32, #l> -> tensor<32x16xf32, #permuted>
    %q = cta.convert_layout %p {how = #cta.conversion<permute>} : tensor<32x16xf32, #permuted> -> tensor<32x16xf32, #l>
    %t = cta.transpose %q dims = [1, 0] : tensor<32x16xf32, #l> -> tensor<16x32xf32, #t>
    cta.store %t, %x[%c0, %c0] : tensor<16x32xf32, #t> -> memref<16x32xf32>
  }
  tile.return
}

// A lane bit and a register bit change places: shuffles and selects by a mask of lanes.
// CHECK-LABEL: llvm.func @shuffles
// CHECK:       nvvm.shfl.sync
// CHECK:       arith.select
// CHECK-NOT:   llvm.store {{.*}}!llvm.ptr<3>
tile.kernel @shuffles_k(%x: memref<32x16xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @shuffles blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0, %c0] {vector = 4 : i64} : memref<32x16xf32> -> tensor<32x16xf32, #l>
    %p = cta.convert_layout %a {how = #cta.conversion<shuffle>} : tensor<32x16xf32, #l> -> tensor<32x16xf32, #swapped>
    cta.store %p, %x[%c0, %c0] : tensor<32x16xf32, #swapped> -> memref<32x16xf32>
  }
  tile.return
}

// Coordinates: the thread's part once, constants added.
// CHECK-LABEL: llvm.func @iota
// CHECK:       %[[C:.*]] = arith.andi %{{.*}}, %c3_i32
// CHECK:       %[[T:.*]] = arith.shli %[[C]], %c2_i32
// CHECK:       arith.extsi
// CHECK:       arith.addi %{{.*}} : i64
tile.kernel @iota_k(%x: memref<32x16xi64>, %from: i64) attributes {phase = #tile.phase<allocated>} {
  cta.launch @iota blocks() {
    %c0 = arith.constant 0 : index
    %i = cta.iota dim = 1 from %from : i64 : tensor<32x16xi64, #l>
    cta.store %i, %x[%c0, %c0] : tensor<32x16xi64, #l> -> memref<32x16xi64>
  }
  tile.return
}
