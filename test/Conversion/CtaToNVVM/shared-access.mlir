// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Registers to shared memory and back: vectors along what is contiguous on both sides, the swizzle as an XOR
// of the thread's part, stmatrix and ldmatrix for the layouts of the tensor cores.

#rows = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]]>
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, bits = 16, wg = 1>
#vec = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#sw = #cta.swizzle<128, dim = 1>
#swt = #cta.swizzle<128, dim = 0>
#linear = #cta.swizzle<linear>

// A thread has eight columns: its row is (tid >> 3) & 15, 128 bytes each; rows 16, 32, 48 are further constants. The
// XOR of the row into the column is done once.
// CHECK: llvm.mlir.global external @__tessera_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @stage_swizzled
// CHECK-SAME: tessera.shared = 8192
// CHECK:      %[[BASE:.*]] = llvm.mlir.addressof @__tessera_shared
// CHECK:      arith.xori
// CHECK:      %[[P:.*]] = llvm.getelementptr %[[BASE]]
// CHECK:      llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK:      %[[P1:.*]] = llvm.getelementptr %[[P]][2048]
// CHECK-NEXT: llvm.store %{{.*}}, %[[P1]] {alignment = 16 : i64} : vector<4xi32>
// CHECK:      llvm.getelementptr %[[P]][4096]
// CHECK:      %[[P3:.*]] = llvm.getelementptr %[[P]][6144]
// CHECK-NEXT: llvm.store %{{.*}}, %[[P3]]
// CHECK-NEXT: llvm.return
tile.kernel @swizzled(%x: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @stage_swizzled blocks() attributes {shared = 8192 : i64} {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] {vector = 8 : i64} : memref<64x64xbf16> -> tensor<64x64xbf16, #rows>
    %s = cta.stage %t {offset = 0 : i64} : tensor<64x64xbf16, #rows> -> !cta.smem<64x64xbf16, #sw>
  }
  tile.return
}

// 64x64 by four matrices at a time: four instructions, the swizzled column as an XOR, nothing else.
// CHECK-LABEL: llvm.func @matrices
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>
// CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NOT: nvvm.{{ld|st}}matrix
tile.kernel @mats(%x: memref<64x64xf32>, %y: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @matrices blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<64x64xf32> -> tensor<64x64xf32, #acc>
    %h = arith.truncf %t : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
    %s = cta.stage %h {offset = 0 : i64} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    %st = cta.stage %h {offset = 8192 : i64} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #swt>
    cta.barrier
    %r = cta.read %s : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #a>
    %rt = cta.read %st : !cta.smem<64x64xbf16, #swt> -> tensor<64x64xbf16, #a>
    %sum = arith.addf %r, %rt : tensor<64x64xbf16, #a>
    cta.store %sum, %y[%c0, %c0] {vector = 2 : i64} : tensor<64x64xbf16, #a> -> memref<64x64xbf16>
  }
  tile.return
}

// 24 columns: the last 8 are two matrices.
// CHECK-LABEL: llvm.func @matrices_24
// CHECK: nvvm.stmatrix %{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK: nvvm.stmatrix %{{.*}} : !llvm.ptr<3>, i32, i32
// CHECK-NOT: nvvm.stmatrix
tile.kernel @mats24(%x: memref<64x24xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @matrices_24 blocks() attributes {shared = 4096 : i64} {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<64x24xf32> -> tensor<64x24xf32, #acc>
    %h = arith.truncf %t : tensor<64x24xf32, #acc> to tensor<64x24xbf16, #acc>
    %s = cta.stage %h {offset = 0 : i64} : tensor<64x24xbf16, #acc> -> !cta.smem<64x24xbf16, #linear>
  }
  tile.return
}

// 100 of 128 threads have an element: the others store nothing, and read what is safe.
// CHECK-LABEL: llvm.func @tail
// CHECK:       %[[LIVE:.*]] = arith.cmpi slt, %{{.*}}, %c100_i32
// CHECK:       scf.if %{{.*}} {
// CHECK-NEXT:    llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK:       nvvm.barrier0
// CHECK:       %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<3>
// CHECK:       llvm.load %[[SAFE]]
tile.kernel @tail_k(%x: memref<100xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @tail blocks() attributes {shared = 512 : i64} {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0] : memref<100xf32> -> tensor<100xf32, #vec>
    %s = cta.stage %t {offset = 0 : i64} : tensor<100xf32, #vec> -> !cta.smem<100xf32, #linear>
    cta.barrier
    %r = cta.read %s : !cta.smem<100xf32, #linear> -> tensor<100xf32, #vec>
    cta.store %r, %x[%c0] : tensor<100xf32, #vec> -> memref<100xf32>
  }
  tile.return
}

// Two tiles side by side; a view; a part from an offset; one of several dimensions.
// CHECK-LABEL: llvm.func @places
// CHECK: llvm.getelementptr %{{.*}}[1024]
// CHECK: llvm.getelementptr %{{.*}}[1536]
// CHECK: nvvm.barrier0
// CHECK: llvm.getelementptr %{{.*}}[1536]
// CHECK: llvm.load
tile.kernel @places_k(%x: memref<128xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @places blocks() attributes {shared = 2048 : i64} {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0] : memref<128xf32> -> tensor<128xf32, #vec>
    %s = cta.stage %t, %t {offset = 1024 : i64} : tensor<128xf32, #vec>, tensor<128xf32, #vec> -> !cta.smem<256xf32, #linear>
    %v = cta.view %s : !cta.smem<256xf32, #linear> -> !cta.smem<2x128xf32, #linear>
    cta.barrier
    %r = cta.read %v offsets = [1, 0] dims = [1] : !cta.smem<2x128xf32, #linear> -> tensor<128xf32, #vec>
    cta.store %r, %x[%c0] : tensor<128xf32, #vec> -> memref<128xf32>
  }
  tile.return
}
// Every third element: the thread's coordinate is tripled, and what a thread reads is no vector even where its registers are neighbours.
// CHECK-LABEL: llvm.func @strided
// CHECK: %[[C:.*]] = arith.muli %{{.*}}, %c3_i32
// CHECK: arith.muli %[[C]], %c4_i32
// CHECK: nvvm.barrier0
// CHECK: %[[P:.*]] = llvm.getelementptr
// CHECK: llvm.getelementptr %[[P]][4]
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: llvm.getelementptr %[[P]][16]
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
#pairs = #cta.frag<regs = [[1]], lanes = [[2], [4], [8], [16], [32]], warps = [[0], [0]]>
tile.kernel @strided_k(%x: memref<256xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  cta.launch @strided blocks() attributes {shared = 1024 : i64} {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0] : memref<256xf32> -> tensor<256xf32, #vec>
    %s = cta.stage %t {offset = 0 : i64} : tensor<256xf32, #vec> -> !cta.smem<256xf32, #linear>
    cta.barrier
    %r = cta.read %s offsets = [1] strides = [3] : !cta.smem<256xf32, #linear> -> tensor<64xf32, #pairs>
    cta.store %r, %x[%c0] : tensor<64xf32, #pairs> -> memref<256xf32>
  }
  tile.return
}

// Warpgroups that share columns, an odd number of 8 each: a warpgroup begins at its own 8 or 24 columns (48 bytes), and moves two matrices at a time.
// Columns that are contiguous, then rows.
// CHECK-LABEL: llvm.func @odd_columns
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c8_i32
// CHECK: arith.muli %[[AT]], %c2_i32
// CHECK: arith.muli %{{.*}}, %c24_i32
// CHECK: nvvm.stmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32{{$}}
// CHECK: nvvm.ldmatrix %{{.*}} num = 2 : i32
// CHECK: %[[P:.*]] = llvm.getelementptr %[[Q:.*]][4096]
// CHECK: nvvm.stmatrix %[[P]], {{.*}} : !llvm.ptr<3>, i32, i32{{$}}
// CHECK: %[[P:.*]] = llvm.getelementptr %[[Q]][4112]
// CHECK: nvvm.stmatrix %[[P]], {{.*}} : !llvm.ptr<3>, i32, i32{{$}}
// CHECK: %[[P:.*]] = llvm.getelementptr %[[Q]][4128]
// CHECK: nvvm.stmatrix %[[P]], {{.*}} : !llvm.ptr<3>, i32, i32{{$}}
// CHECK: nvvm.stmatrix %{{.*}} layout = #nvvm.mma_layout<col>, {{.*}} : !llvm.ptr<3>, i32, i32{{$}}
// CHECK-NOT: nvvm.stmatrix
#odd = #cta.frag<wgmma_acc, wg = 2, dim = 1>
tile.kernel @odd_columns_k(%x: memref<64x48xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @odd_columns blocks() attributes {shared = 16384 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x16xbf16, #odd>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x16xbf16, #odd> -> !cta.smem<64x16xbf16, #cta.swizzle<linear, pad = 16>>
    cta.barrier
    %r = cta.read %a : !cta.smem<64x16xbf16, #cta.swizzle<linear, pad = 16>> -> tensor<64x16xbf16, #odd>
    cta.store %r, %x[%c0, %c0] : tensor<64x16xbf16, #odd> -> memref<64x48xbf16>
    %u = arith.constant dense<1.0> : tensor<64x48xbf16, #odd>
    %b = cta.stage %u {offset = 4096 : i64} : tensor<64x48xbf16, #odd> -> !cta.smem<64x48xbf16, #cta.swizzle<linear, pad = 16>>
    %c = cta.stage %t {offset = 12288 : i64} : tensor<64x16xbf16, #odd> -> !cta.smem<64x16xbf16, #cta.swizzle<64, dim = 0>>
  }
  tile.return
}
