tile.kernel @k10004990(%A0: memref<152x?xf64> {tile.shape = ["D152", "D40"], tile.align = 256}, %A1: memref<?x?xf64> {tile.shape = ["D24", "D40"], tile.align = 128}, %A2: memref<?x?xf64> {tile.shape = ["D40", "D24"]}, %A3: memref<?x40xbf16> {tile.shape = ["D24", "D40"], tile.size_divisible = array<i64: 2, 8>}, %O0: memref<?x48xf64> {tile.shape = ["D152", "D48"], tile.align = 32}, %O1: memref<?x?xf64> {tile.shape = ["D24", "D152"], tile.align = 8, tile.size_max = array<i64: 24, 1048728>}, %O2: memref<?x?x?x?xf64> {tile.shape = ["D4", "D1", "D50", "D34"], tile.stride_divisible = array<i64: 4, 5, 2, 1>}, %A4: memref<?x?x?x32xbf16> {tile.shape = ["D2", "D5", "D64", "D32"]}, %A5: memref<?x?x32x?xbf16> {tile.shape = ["D2", "D2", "D32", "D32"], tile.stride_divisible = array<i64: 64, 64, 32, 1>}, %O3: memref<10x?x?xf32> {tile.shape = ["D10", "D64", "D32"], tile.size_divisible = array<i64: 5, 64, 4>, tile.stride_divisible = array<i64: 64, 32, 1>}, %s0: index, %s1: i32, %s2: i32 {tile.divisible = 5}, %s3: index {user.note = 7}) {
  %v0 = arith.index_cast %s1 : i32 to index
  %v1 = arith.index_cast %s2 : i32 to index
  %v2 = tile.dim "D2" : index
  %v3 = arith.constant 1 : index
  tile.grid (%i4, %i5) = (0, 0) to (152, 24) step (50, 24) order = <group = 8> {
    %v6 = arith.constant dense<0.00000000000000000e+00> : tensor<50x24xf64>
    %v7 = arith.constant dense<0.00000000000000000e+00> : tensor<50x24xf64>
    %v8 = arith.constant 0 : index
    %v9 = arith.constant 40 : index
    %v10 = arith.constant 16 : index
    %r11:2 = scf.for %k12 = %v8 to %s0 step %v10 iter_args(%c13 = %v6, %c14 = %v7) -> (tensor<50x24xf64>, tensor<50x24xf64>) {
      %v15 = tile.load %A0[%i4, %k12] : memref<152x?xf64> -> tensor<50x16xf64>
      %v16 = tile.load %A1[%i5, %k12] dims = [1, 0] cache = last : memref<?x?xf64> -> tensor<16x24xf64>
      %v17 = tile.mma %v15, %v16, %c13 : tensor<50x16xf64>, tensor<16x24xf64> -> tensor<50x24xf64>
      %v18 = tile.load %A2[%k12, %i5] : memref<?x?xf64> -> tensor<16x24xf64>
      %v19 = tile.mma %v15, %v18, %c14 : tensor<50x16xf64>, tensor<16x24xf64> -> tensor<50x24xf64>
      scf.yield %v17, %v19 : tensor<50x24xf64>, tensor<50x24xf64>
    }
    %v20 = math.tanh %r11#1 : tensor<50x24xf64>
    %v21 = arith.mulf %r11#0, %v20 : tensor<50x24xf64>
    %v22 = tile.load %A3[%i4, %i5] stages = 3 : memref<?x40xbf16> -> tensor<50x24xbf16>
    %v23 = arith.extf %v22 : tensor<50x24xbf16> to tensor<50x24xf64>
    %v24 = arith.addf %v21, %v23 : tensor<50x24xf64>
    %v25 = tile.transpose %v24 dims = [1, 0] : tensor<50x24xf64> -> tensor<24x50xf64>
    tile.store %v24, %O0[%i4, %i5] : tensor<50x24xf64> -> memref<?x48xf64>
    %v26 = arith.constant 111 : index
    %v27 = arith.constant dense<true> : tensor<i1>
    tile.store %v25, %O1[%i5, %i4] limit = [_, %v26] mask = %v27 on [] : tensor<24x50xf64> -> memref<?x?xf64>
    %v28 = arith.constant 50 : index
    %v29 = arith.divsi %i4, %v28 : index
    %v30 = arith.constant 24 : index
    %v31 = arith.ceildivsi %i5, %v30 : index
    tile.store %v21, %O2[%v29, %v31, %v8, %v8] : tensor<50x24xf64> -> memref<?x?x?x?xf64>
  }
  tile.grid (%i32, %i33, %i34, %i35) = (%v0, %v1, 0, 0) to (%v2, %s3, 64, 32) step (1, %v3, 64, 32) {
    %v36 = arith.constant dense<0.00000000000000000e+00> : tensor<64x32xf32>
    %v37 = arith.constant 0 : index
    %v38 = arith.constant 2 : index
    %v39 = arith.constant 1 : index
    %r40 = scf.for %k41 = %v37 to %v38 step %v39 iter_args(%c42 = %v36) -> (tensor<64x32xf32>) {
      %v43 = arith.constant 0 : index
      %v44 = arith.constant 2 : index
      %v45 = arith.constant 1 : index
      %r46 = scf.for %k47 = %v43 to %v44 step %v45 iter_args(%c48 = %c42) -> (tensor<64x32xf32>) {
        %v49 = arith.constant 0 : index
        %v50 = arith.constant 32 : index
        %r51 = scf.for %k52 = %v49 to %v50 step %v50 iter_args(%c53 = %c48) -> (tensor<64x32xf32>) {
          %v54 = arith.constant 1 : index
          %v55 = arith.subi %k41, %v54 : index
          %v56 = arith.addi %i33, %v55 : index
          %v57 = arith.subi %k47, %v54 : index
          %v58 = arith.addi %i34, %v57 overflow<nsw> : index
          %v59 = tile.load %A4[%i32, %v56, %v58, %k52] stages = 1 : memref<?x?x?x32xbf16> -> tensor<64x32xbf16>
          %v60 = tile.load %A5[%k41, %k47, %k52, %i35] : memref<?x?x32x?xbf16> -> tensor<32x32xbf16>
          %v61 = tile.mma %v59, %v60, %c53 : tensor<64x32xbf16>, tensor<32x32xbf16> -> tensor<64x32xf32>
          scf.yield %v61 : tensor<64x32xf32>
        }
        scf.yield %r51 : tensor<64x32xf32>
      }
      scf.yield %r46 : tensor<64x32xf32>
    }
    %v62 = arith.constant 64 : index
    %v63 = arith.divui %i34, %v62 : index
    %v64 = arith.constant 32 : index
    %v65 = arith.ceildivsi %i35, %v64 : index
    %v66 = arith.constant 5 : index
    %v67 = arith.muli %i32, %v66 : index
    %v68 = arith.addi %v67, %i33 : index
    %v69 = arith.muli %v68, %v39 : index
    %v70 = arith.addi %v69, %v63 : index
    %v71 = arith.muli %v70, %v39 : index
    %v72 = arith.addi %v71, %v65 : index
    %v73 = arith.constant 0 : index
    %v74 = arith.constant 41 : index
    tile.store %r40, %O3[%v72, %v37, %v73] limit = [%v74, _] : tensor<64x32xf32> -> memref<10x?x?xf32>
  }
  tile.return
}
