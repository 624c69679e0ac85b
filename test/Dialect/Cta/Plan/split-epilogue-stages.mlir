// RUN: tile-opt %s -cta-split-epilogue=derive | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue=derive | tile-opt -cta-split-epilogue=derive | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue | FileCheck %s --check-prefix=GIVEN
// If a whole result leaves too few slots for the products before it, it is staged in subtiles, though only a conversion leads to the store.

#acc = #cta.frag<wgmma_acc, wg = 2>
#flat = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]], wg = 2 on 0>
#sw = #cta.swizzle<128, dim = 1>
#sw64 = #cta.swizzle<64, dim = 1>
#t = #cta.swizzle<128, dim = 0>
#placed = #tile.phase<placed>
#tma = #cta.mechanism<tma>

// GIVEN-NOT: epilogue = 64
// GIVEN-NOT: epilogue = 32

// Of 128 KiB: two slots would remain, and an iteration waits for them.
// CHECK-LABEL: tile.kernel @wide(
// CHECK-SAME: plan = #cta.plan<epilogue = 64>
// CHECK-COUNT-4: cta.copy_out {{.*}} : !cta.smem<128x64xf32
// CHECK-NOT: cta.copy_out
tile.kernel @wide(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %s = cta.stage %sum : tensor<128x256xf32, #acc> -> <128x256xf32, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}

// Of 64 KiB: three slots fit.
// CHECK-LABEL: tile.kernel @fits(
// CHECK-NOT: #cta.plan
// CHECK: cta.copy_out {{.*}} : !cta.smem<128x256xbf16
// CHECK-NOT: cta.copy_out
tile.kernel @fits(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %o = arith.truncf %sum : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
    %s = cta.stage %o : tensor<128x256xbf16, #acc> -> <128x256xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Rows off the cache lines take longer to come: three slots would make an iteration wait, four fit beside subtiles.
// CHECK-LABEL: tile.kernel @off_lines(
// CHECK-SAME: plan = #cta.plan<epilogue = 64>
// CHECK-COUNT-4: cta.copy_out {{.*}} : !cta.smem<128x64xbf16
// CHECK-NOT: cta.copy_out
tile.kernel @off_lines(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %o = arith.truncf %sum : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
    %s = cta.stage %o : tensor<128x256xbf16, #acc> -> <128x256xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// The same with iterations of twice the length: two slots are enough, but do not fit next to it. The other entries of the plan stay.
// CHECK-LABEL: tile.kernel @long(
// CHECK-SAME: plan = #cta.plan<group = 12, epilogue = 64>
// CHECK-COUNT-4: cta.copy_out {{.*}} : !cta.smem<128x64xbf16
// CHECK-NOT: cta.copy_out
tile.kernel @long(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index) attributes {phase = #placed, plan = #cta.plan<group = 12>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x128xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x128xbf16, #sw>, !cta.smem<128x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %o = arith.truncf %sum : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
    %s = cta.stage %o : tensor<128x256xbf16, #acc> -> <128x256xbf16, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Two slots of 104 KiB leave room for one subtile of 32 columns and no other: it waits for its store.
// CHECK-LABEL: tile.kernel @narrowest(
// CHECK-SAME: plan = #cta.plan<epilogue = 32>
// CHECK-COUNT-5: cta.copy_out {{.*}} : !cta.smem<256x32xbf16
// CHECK-NOT: cta.copy_out
tile.kernel @narrowest(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (256, 160) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<256x160xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<256x160xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<256x128xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x160xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<256x128xbf16, #sw>, !cta.smem<128x160xbf16, #t> -> tensor<256x160xf32, #acc>
      scf.yield %d : tensor<256x160xf32, #acc>
    }
    %o = arith.truncf %sum : tensor<256x160xf32, #acc> to tensor<256x160xbf16, #acc>
    %s = cta.stage %o : tensor<256x160xbf16, #acc> -> <256x160xbf16, #sw64>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<256x160xbf16, #sw64> -> memref<?x?xbf16>
  }
  tile.return
}

// Stores by threads, through scratch that does not exist yet.
// CHECK-LABEL: tile.kernel @by_threads(
// CHECK-SAME: plan = #cta.plan<epilogue = 64>
// CHECK-COUNT-4: cta.store {{.*}} : tensor<128x64xf32
// CHECK-NOT: cta.store
tile.kernel @by_threads(%A: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %B: memref<?x?xbf16> {tile.align = 128, tile.stride_divisible = array<i64: 64, 1>}, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %o = cta.convert_layout %sum : tensor<128x256xf32, #acc> -> tensor<128x256xf32, #flat>
    cta.store %o, %C[%i, %j] : tensor<128x256xf32, #flat> -> memref<?x?xf32>
  }
  tile.return
}

// A plan without channels, one whose slots fit, and one that says how wide: as they are.
// CHECK-LABEL: tile.kernel @synchronous(
// CHECK-SAME: plan = #cta.plan<stages = 0>
// CHECK: cta.copy_out {{.*}} : !cta.smem<128x256xf32
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @two_stages(
// CHECK-SAME: plan = #cta.plan<stages = 2>
// CHECK: cta.copy_out {{.*}} : !cta.smem<128x256xf32
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @whole(
// CHECK-SAME: plan = #cta.plan<epilogue = 0>
// CHECK: cta.copy_out {{.*}} : !cta.smem<128x256xf32
// CHECK-NOT: cta.copy_out
// Three slots, which do not fit next to the whole tile: subtiles.
// CHECK-LABEL: tile.kernel @three_stages(
// CHECK-SAME: plan = #cta.plan<stages = 3, epilogue = 64>
tile.kernel @synchronous(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #placed, plan = #cta.plan<stages = 0>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %s = cta.stage %sum : tensor<128x256xf32, #acc> -> <128x256xf32, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @two_stages(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #placed, plan = #cta.plan<stages = 2>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %s = cta.stage %sum : tensor<128x256xf32, #acc> -> <128x256xf32, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @whole(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #placed, plan = #cta.plan<epilogue = 0>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %s = cta.stage %sum : tensor<128x256xf32, #acc> -> <128x256xf32, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @three_stages(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #placed, plan = #cta.plan<stages = 3>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%j, %k] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %s = cta.stage %sum : tensor<128x256xf32, #acc> -> <128x256xf32, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}

// There is no load in the loop, so no slots are needed.
// CHECK-LABEL: tile.kernel @no_channel(
// CHECK-NOT: #cta.plan
// CHECK: cta.copy_out {{.*}} : !cta.smem<128x256xf32
tile.kernel @no_channel(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %M: index, %N: index, %K: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
    %c0 = arith.constant 0 : index
    %step = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
    %a = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
    %b = cta.copy %B[%j, %c0] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #t>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%c = %zero) -> (tensor<128x256xf32, #acc>) {
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x256xbf16, #t> -> tensor<128x256xf32, #acc>
      scf.yield %d : tensor<128x256xf32, #acc>
    }
    %s = cta.stage %sum : tensor<128x256xf32, #acc> -> <128x256xf32, #sw>
    cta.copy_out %s, %C[%i, %j] {mechanism = #tma} : !cta.smem<128x256xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}
