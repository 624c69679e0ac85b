// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -convert-cta-to-nvvm | FileCheck %s --check-prefix=NVVM

#acc = #cta.frag<wgmma_acc, wg = 2>
!acc = tensor<128x16xf32, #acc>

// CHECK: cta.put_partial %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : tensor<128x16xf32, #{{.*}}>, memref<?x128x16xf32>, memref<?x8xi32>
// CHECK: cta.add_partial %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : tensor<128x16xf32, #{{.*}}>, memref<?x128x16xf32>, memref<?x8xi32>

// 8 registers of 256 threads: 16 bytes of each thread, the next four 4096 bytes later. One lane releases the warp's flag after a barrier of the warp.
// NVVM-LABEL: llvm.func @k_0
// NVVM:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// NVVM:         llvm.getelementptr %{{.*}}[4096] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
// NVVM:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// NVVM:         nvvm.bar.warp.sync
// NVVM:         st.release.gpu.global.u32 [$0], 1;
// All lanes acquire, add and lower the flag again.
// NVVM:         ld.acquire.gpu.global.u32 flag, [$0];
// NVVM:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// NVVM-COUNT-8: arith.addf
// NVVM:         nvvm.bar.warp.sync
// NVVM:         st.relaxed.gpu.global.u32 [$0], 0;
tile.kernel @k(%C: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %slots = memref.alloc(%n) : memref<?x128x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x8xi32>
  cta.launch @k_0 blocks(%n) attributes {threads = 256 : i64, shared = 0 : i64} {
    %c0 = arith.constant 0 : index
    %b = cta.block_id : index
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !acc
    cta.put_partial %x, %slots[%b], %flags : !acc, memref<?x128x16xf32>, memref<?x8xi32>
    %s = cta.add_partial %x, %slots[%b], %flags : !acc, memref<?x128x16xf32>, memref<?x8xi32>
    cta.store %s, %C[%c0, %c0] : !acc -> memref<?x?xf32>
  }
  tile.return
}
