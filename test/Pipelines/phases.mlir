// Each registered pipeline takes a tile program to its phase.
//
// RUN: tile-opt --tessera-to-tile %s | FileCheck %s --check-prefix=TILE
// RUN: tile-opt --tessera-to-tile=variants=any %s | FileCheck %s --check-prefix=ANY
// RUN: tile-opt --tessera-to-raw %s | FileCheck %s --check-prefix=RAW
// RUN: tile-opt --tessera-to-placed %s | FileCheck %s --check-prefix=PLACED
// RUN: tile-opt --tessera-to-allocated %s | FileCheck %s --check-prefix=ALLOCATED
// RUN: tile-opt --tessera-to-allocated=derive-plans=false %s | FileCheck %s --check-prefix=GIVEN
// RUN: tile-opt --tessera-to-nvvm %s | FileCheck %s --check-prefix=NVVM
// RUN: tile-opt --tessera-to-llvm %s | FileCheck %s --check-prefix=LLVM
//
// TILE-NOT: func.func
// TILE: tile.kernel @twice_aligned
// TILE: tile.load
// TILE: tile.kernel @twice_any
// ANY: tile.kernel @twice
// ANY-NOT: tile.kernel
// RAW: phase = #tile.phase<raw>
// RAW: cta.load
// PLACED: phase = #tile.phase<placed>
// PLACED: cta.load {{.*}}#
// ALLOCATED: phase = #tile.phase<allocated>
// ALLOCATED-SAME: plan = #cta.plan<{{.*}}stages = 0,
// ALLOCATED: cta.launch @twice_aligned_0
// GIVEN: phase = #tile.phase<allocated>
// GIVEN-NOT: #cta.plan
// NVVM: llvm.func @twice_aligned_0
// NVVM-NOT: tile.kernel
// LLVM: llvm.func @twice_aligned_0
// LLVM-NOT: {{arith|scf|index}}.

func.func private @double(%x: tensor<256xf32>) -> tensor<256xf32> {
  %r = arith.addf %x, %x : tensor<256xf32>
  return %r : tensor<256xf32>
}

tile.kernel @twice(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (256) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<256xf32>
    %b = func.call @double(%a) : (tensor<256xf32>) -> tensor<256xf32>
    tile.store %b, %y[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}
