// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

#t = #cta.swizzle<128, dim = 1>
#cp = #cta.mechanism<cp_async>
#eighths = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
#all = #cta.frag<splat, rank = 1, warps = 2, wg = 1>

// cp.async: the address of a piece is that of its row, which is a register. One comparison without sign and in 32 bits, since sizes of a variant fit: what is negative or
// beyond the size brings no byte. The base stays one register.
// CHECK-LABEL: llvm.func @pieces
// CHECK:         %[[R:.+]]:4 = scf.if
// CHECK:         %[[MOST:.+]] = arith.minsi %arg2, %c2147483648_i64 : i64
// CHECK-NEXT:    %[[SIZE:.+]] = arith.trunci %[[MOST]] : i64 to i32
// CHECK:         %[[BASE:.+]] = llvm.inline_asm has_side_effects {{.*}} "mov.b64 $0, $1;", "=l,l" %{{.+}} : (!llvm.ptr<1>)
// CHECK-NEXT:    %[[WIDE:.+]] = arith.extui %[[R]]#0 : i32 to i64
// CHECK-NEXT:    %[[AT:.+]] = arith.muli %[[WIDE]], %c128_i64 : i64
// CHECK-NEXT:    %[[FROM:.+]] = llvm.getelementptr %[[BASE]][%[[AT]]]
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}} "{\0A\09.reg .pred in;\0A\09.reg .b32 size;\0A\09setp.lt.u32 in, $2, $3;\0A\09selp.b32 size, 16, 0, in;\0A\09cp.async.cg.shared.global [$0+0], [$1+0], 16, size;\0A\09}", "r,l,r,r,~{memory}" %[[TO:.+]], %[[FROM]], %[[R]]#0, %[[SIZE]] :
// CHECK-NEXT:    arith.extui %[[R]]#1 : i32 to i64
// CHECK:         setp.lt.u32 in, $2, $3;{{.*}} [$0+2048], [$1+0], 16, size;{{.*}} %[[TO]], %{{.+}}, %[[R]]#1, %[[SIZE]] :
// CHECK-COUNT-2: setp.lt.u32 in, $2, $3;
// CHECK-NOT:     setp
// CHECK:         llvm.return
tile.kernel @pieces_k(%x: memref<?x64xbf16> {tile.align = 16 : i64}, %R: memref<?xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @pieces blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<64xi32, #eighths>
    %s = cta.copy %x[%r : tensor<64xi32, #eighths>, %c0] {mechanism = #cp, vector = 8, offset = 0} : memref<?x64xbf16> -> !cta.smem<64x64xbf16, #t>
    cta.await_copies
  }
  tile.return
}

// Indices of 64 bits are compared as they are, with the lesser of size and limit, but at least 0. Rows may be cut off by the last column: the size of the piece is another.
// CHECK-LABEL: llvm.func @limits
// CHECK:         %[[LESS:.+]] = arith.minsi %arg2, %{{.+}} : i64
// CHECK-NEXT:    %[[SIZE:.+]] = arith.maxsi %[[LESS]], %c0_i64 : i64
// CHECK:         scf.if
// CHECK-COUNT-4:   setp.lt.u64 in, $2, $3;\0A\09selp.b32 size, 16, 0, in;{{.*}}"r,l,l,l,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %[[SIZE]] :
// CHECK:         } else {
// CHECK:           %[[CUT:.+]] = arith.minsi %{{.+}}, %c16_i32 : i32
// CHECK-NEXT:      %[[BYTES:.+]] = arith.maxsi %[[CUT]], %c0_i32 : i32
// CHECK-NEXT:      llvm.inline_asm {{.*}}setp.lt.u64 in, $2, $3;\0A\09selp.b32 size, $4, 0, in;{{.*}}"r,l,l,l,r,~{memory}" %{{.+}}, %{{.+}}, %{{.+}}, %[[SIZE]], %[[BYTES]] :
tile.kernel @limits_k(%x: memref<?x?xbf16> {tile.align = 16 : i64, tile.stride_divisible = array<i64: 8, 1>}, %R: memref<?xi64>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @limits blocks() attributes {shared = 8192} {
    %c0 = arith.constant 0 : index
    %r = cta.load %R[%c0] : memref<?xi64> -> tensor<64xi64, #eighths>
    %s = cta.copy %x[%r : tensor<64xi64, #eighths>, %c0] limit = [%n, _] {mechanism = #cp, vector = 8, offset = 0} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #t>
  }
  tile.return
}

// TMA: for each panel of 64 columns a box of every index; the mbarrier expects the bytes of all of them.
// CHECK-LABEL: llvm.func @boxes
// CHECK-SAME:    box = array<i64: 1, 16, 64>, dims = array<i64: 0, 1, 2>
// CHECK:         %[[R:.+]]:2 = scf.if
// CHECK:         scf.if %{{.+}} {
// CHECK:           nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c8192_i32
// CHECK:           %[[TO:.+]] = llvm.addrspacecast %[[S:.+]] :
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TO]], %{{.+}}, %{{.+}}, box[%c0_i32, %c0_i32, %[[R]]#0] :
// CHECK-NEXT:      llvm.getelementptr %[[S]][2048]
// CHECK:           box[%c0_i32, %c0_i32, %[[R]]#1] :
// CHECK-NEXT:      llvm.getelementptr %[[S]][4096]
// CHECK:           box[%c64_i32, %c0_i32, %[[R]]#0] :
// CHECK-NEXT:      llvm.getelementptr %[[S]][6144]
// CHECK:           box[%c64_i32, %c0_i32, %[[R]]#1] :
// CHECK-NEXT:    }
tile.kernel @boxes_k(%x: memref<?x16x128xbf16>, %R: memref<?xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @boxes blocks() attributes {shared = 8200 : i64, mbarriers = array<i64: 1>} {
    %c0 = arith.constant 0 : index
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<2xi32, #all>
    %s = cta.copy %x[%r : tensor<2xi32, #all>, %c0, %c0] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x16x128xbf16> -> !cta.smem<2x16x128xbf16, #cta.swizzle<128, dim = 2>>
    cta.await 0
  }
  tile.return
}

// Boxes of one row begin inside the pattern of the swizzle, at multiples of 128 bytes.
// CHECK-LABEL: llvm.func @rows
// CHECK-SAME:    box = array<i64: 1, 64>, dims = array<i64: 0, 1>, element = "bf16", interleave = 0 : i64, oob = "zero", swizzle = 128 : i64
// CHECK:         %[[R:.+]]:4 = scf.if
// CHECK:           nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c512_i32
// CHECK:           box[%c0_i32, %[[R]]#0] :
// CHECK-NEXT:      llvm.getelementptr %{{.+}}[128]
// CHECK:           box[%c0_i32, %[[R]]#1] :
// CHECK-NEXT:      llvm.getelementptr %{{.+}}[256]
// CHECK:           box[%c0_i32, %[[R]]#2] :
// CHECK-NEXT:      llvm.getelementptr %{{.+}}[384]
// CHECK:           box[%c0_i32, %[[R]]#3] :
tile.kernel @rows_k(%x: memref<?x?xbf16>, %R: memref<?xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @rows blocks() attributes {shared = 520 : i64, mbarriers = array<i64: 1>} {
    %c0 = arith.constant 0 : index
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<4xi32, #all>
    %s = cta.copy %x[%r : tensor<4xi32, #all>, %c0] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<?x?xbf16> -> !cta.smem<4x64xbf16, #t>
    cta.await 0
  }
  tile.return
}
