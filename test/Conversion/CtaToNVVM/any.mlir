// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s
// RUN: tile-opt %s --cta-to-llvm | mlir-translate --mlir-to-llvmir | opt -O2 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90a -S | llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90a -mattr=+ptx88 -o - | FileCheck %s --check-prefix=PTX

// Every thread ors what it has of the tile, without what is padding (rows 100 to 127). Then the threads of the block vote by a barrier, of a role
// by its own barrier, of a warp by vote.sync.
#rows = #cta.frag<regs = [[64]], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [0]], wg = 1>

// CHECK-LABEL: llvm.func @block
// CHECK: %[[A:.*]] = arith.cmpf une
// CHECK: %[[B:.*]] = arith.cmpf une
// CHECK: %[[O:.*]] = arith.ori %{{.*}}, %[[A]] : i1
// CHECK: %[[L:.*]] = arith.andi %[[B]], %{{.*}} : i1
// CHECK: %[[ANY:.*]] = arith.ori %[[O]], %[[L]] : i1
// CHECK: %[[I:.*]] = arith.extui %[[ANY]] : i1 to i32
// CHECK: %[[R:.*]] = nvvm.barrier #nvvm.reduction<or> %[[I]] -> i32
// CHECK: %[[C:.*]] = arith.cmpi ne, %[[R]], %{{.*}} : i32
// CHECK: scf.if %[[C]]
// PTX-LABEL: .entry block(
// PTX: bar{{(rier)?(.cta)?}}.red.{{.*}}or.pred
tile.kernel @block_k(%y: memref<100xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @block blocks() {
    %c0 = arith.constant 0 : index
    %m = cta.load %y[%c0] : memref<100xf32> -> tensor<100xf32, #rows>
    %need = arith.cmpf une, %m, %m : tensor<100xf32, #rows>
    %c = cta.any rare %need : tensor<100xi1, #rows>
    %r = scf.if %c -> (tensor<100xf32, #rows>) {
      %e = arith.addf %m, %m : tensor<100xf32, #rows>
      scf.yield %e : tensor<100xf32, #rows>
    } else {
      scf.yield %m : tensor<100xf32, #rows>
    }
    cta.store %r, %y[%c0] : tensor<100xf32, #rows> -> memref<100xf32>
  }
  tile.return
}

// PTX-LABEL: .entry warp(
// PTX: vote.sync.any.pred
// CHECK-LABEL: llvm.func @warp
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.vote.sync any %{{.*}}, %{{.*}} -> i1
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
tile.kernel @warp_k(%y: memref<100xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @warp blocks() {
    %c0 = arith.constant 0 : index
    %m = cta.load %y[%c0] : memref<100xf32> -> tensor<100xf32, #rows>
    %need = arith.cmpf une, %m, %m : tensor<100xf32, #rows>
    %c = cta.any warp rare %need : tensor<100xi1, #rows>
    %r = scf.if %c -> (tensor<100xf32, #rows>) {
      %e = arith.addf %m, %m : tensor<100xf32, #rows>
      scf.yield %e : tensor<100xf32, #rows>
    } else {
      scf.yield %m : tensor<100xf32, #rows>
    }
    cta.store %r, %y[%c0] : tensor<100xf32, #rows> -> memref<100xf32>
  }
  tile.return
}
