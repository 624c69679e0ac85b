// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s
// RUN: tile-opt %s --cta-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// A dependent launch: every thread waits for the launch before it, after the code that needs no global memory, and then lets the next launch begin.

#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 2 on 0>

// CHECK-LABEL: llvm.func @copy_0
// Another grid writes what this one reads while it is there: LLVM must neither read early, nor believe that no one else
// writes, nor take loads that are not coherent.
// CHECK-NOT:     noalias
// CHECK-NOT:     griddepcontrol
// CHECK-NOT:     llvm.load
// CHECK-NOT:     ld.global
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;", "~{memory}"
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK-NOT:     griddepcontrol
// CHECK-NOT:     invariant
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NOT:     griddepcontrol
// CHECK:         llvm.inline_asm has_side_effects {{.*}}ld.global.b32
// CHECK:         llvm.return
// LLVM-LABEL: define ptx_kernel void @copy_0(
// LLVM:         call void asm sideeffect "griddepcontrol.wait;", "~{memory}"()
// LLVM-NEXT:    call void @llvm.nvvm.griddepcontrol.launch.dependents()
tile.kernel @copy(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  %n = tile.dim "N" : index
  cta.launch @copy_0 blocks(%n) attributes {threads = 256 : i64, dependent} {
    %b = cta.block_id : index
    %a = cta.load %x[%b] : memref<?xf32> -> tensor<512xf32, #l>
    cta.store %a, %y[%b] : tensor<512xf32, #l> -> memref<?xf32>
  }
  tile.return
}

// The same as any other launch.
// CHECK-LABEL: llvm.func @plain_0
// CHECK-SAME:    llvm.noalias
// CHECK-NOT:     griddepcontrol
// CHECK:         ld.global.nc
// CHECK-NOT:     griddepcontrol
// CHECK:         llvm.return
tile.kernel @plain(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  %n = tile.dim "N" : index
  cta.launch @plain_0 blocks(%n) attributes {threads = 256 : i64} {
    %b = cta.block_id : index
    %a = cta.load %x[%b] : memref<?xf32> -> tensor<512xf32, #l>
    cta.store %a, %y[%b] : tensor<512xf32, #l> -> memref<?xf32>
  }
  tile.return
}

// mbarriers and descriptors come before the wait; thread 0 asks for the descriptors first.
#t = #cta.swizzle<128, dim = 1>
// CHECK-LABEL: llvm.func @tma_0
// CHECK:         scf.if
// CHECK-NEXT:      nvvm.prefetch tensormap
// CHECK-NEXT:    }
// CHECK:         scf.if
// CHECK:           nvvm.mbarrier.init
// CHECK:           nvvm.fence.mbarrier.init
// CHECK:         nvvm.barrier0
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;"
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK:         nvvm.cp.async.bulk.tensor
tile.kernel @tma(%x: memref<?x64xbf16> {tile.align = 16 : i64}) attributes {phase = #tile.phase<allocated>} {
  cta.launch @tma_0 blocks() attributes {threads = 128 : i64, shared = 8200 : i64, mbarriers = array<i64: 1>, dependent} {
    %c0 = arith.constant 0 : index
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x64xbf16> -> !cta.smem<64x64xbf16, #t>
    cta.await 0
  }
  tile.return
}

// A scalar of the kernel that the launch uses is loaded where the kernel's values are made: the wait comes before.
// CHECK-LABEL: llvm.func @count_0
// CHECK-NOT:     llvm.load
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;"
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK:         llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK-NOT:     griddepcontrol
// CHECK:         llvm.return
tile.kernel @count(%n: memref<1xi32>, %y: memref<?xi32>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %count = memref.load %n[%c0] : memref<1xi32>
  %double = arith.addi %count, %count : i32
  cta.launch @count_0 blocks() attributes {threads = 128 : i64, dependent} {
    memref.store %double, %y[%c0] : memref<?xi32>
  }
  tile.return
}
