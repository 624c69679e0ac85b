// RUN: tile-opt %s -cta-fetch-ahead | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>

// Subtiles of a residual: three more are in flight when one is awaited, with the arithmetic of their coordinates. The ring is so large that only one
// block fits an SM anyway.
// CHECK-LABEL: tile.kernel @parts(
// CHECK:      %[[R0:.*]] = cta.copy %R[%i, %c0]
// CHECK-NEXT: %[[J1:.*]] = arith.addi %i, %c64
// CHECK-NEXT: %[[R1:.*]] = cta.copy %R[%[[J1]], %c0]
// CHECK-NEXT: %[[J2:.*]] = arith.addi %[[J1]], %c64
// CHECK-NEXT: %[[R2:.*]] = cta.copy %R[%[[J2]], %c0]
// CHECK-NEXT: %[[J3:.*]] = arith.addi %[[J2]], %c64
// CHECK-NEXT: %[[R3:.*]] = cta.copy %R[%[[J3]], %c0]
// CHECK-NEXT: cta.read %[[R0]]
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.copy_out
// CHECK-NEXT: %[[J4:.*]] = arith.addi %[[J3]], %c64
// CHECK-NEXT: %[[R4:.*]] = cta.copy %R[%[[J4]], %c0]
// CHECK-NEXT: cta.read %[[R1]]
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.read %[[R2]]
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.read %[[R3]]
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.read %[[R4]]
tile.kernel @parts(%R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %i: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @parts_0 blocks() {
    %c0 = arith.constant 0 : index
    %ring = cta.ring : !cta.ring<13, !cta.smem<64x64xbf16, #sw>>
    %c64 = arith.constant 64 : index
    %r0 = cta.copy %R[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %0 = cta.read %r0 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s0 = cta.stage %0 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s0, %C[%i, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %j1 = arith.addi %i, %c64 : index
    %r1 = cta.copy %R[%j1, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %1 = cta.read %r1 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s1 = cta.stage %1 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s1, %C[%j1, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %j2 = arith.addi %j1, %c64 : index
    %r2 = cta.copy %R[%j2, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %2 = cta.read %r2 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s2 = cta.stage %2 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s2, %C[%j2, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %j3 = arith.addi %j2, %c64 : index
    %r3 = cta.copy %R[%j3, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %3 = cta.read %r3 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s3 = cta.stage %3 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s3, %C[%j3, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %j4 = arith.addi %j3, %c64 : index
    %r4 = cta.copy %R[%j4, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %4 = cta.read %r4 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s4 = cta.stage %4 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s4, %C[%j4, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// A ring takes 200 of 227 KiB, which leaves room for three tiles of 8 KiB. One has been stored and is kept until the next store, one is awaited, one is in flight.
// CHECK-LABEL: tile.kernel @room(
// CHECK:      cta.copy %R[%i, %c0]
// CHECK-NEXT: cta.copy %R[%j, %c0]
// CHECK-NEXT: cta.read
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.copy %R[%k, %c0]
// CHECK-NEXT: cta.read
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.copy %R[%l, %c0]
// CHECK-NEXT: cta.read
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.read
tile.kernel @room(%R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %i: index, %j: index, %k: index, %l: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @room_0 blocks() {
    %c0 = arith.constant 0 : index
    %ring = cta.ring : !cta.ring<25, !cta.smem<64x64xbf16, #sw>>
    %r0 = cta.copy %R[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %0 = cta.read %r0 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s0 = cta.stage %0 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s0, %C[%i, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %r1 = cta.copy %R[%j, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %1 = cta.read %r1 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s1 = cta.stage %1 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s1, %C[%j, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %r2 = cta.copy %R[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %2 = cta.read %r2 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s2 = cta.stage %2 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s2, %C[%k, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %r3 = cta.copy %R[%l, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %3 = cta.read %r3 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s3 = cta.stage %3 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s3, %C[%l, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Not before a store to what it reads, not out of the code after a loop, and not before the number that it needs is there.
// CHECK-LABEL: tile.kernel @stays(
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.copy %R[%j, %c0]
// CHECK:      scf.for
// CHECK:      cta.copy %R[%i, %c0]
// CHECK:      memref.load
// CHECK-NEXT: cta.copy %R[
tile.kernel @stays(%R: memref<?x?xbf16>, %N: memref<?xindex>, %i: index, %j: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @stays_0 blocks() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r0 = cta.copy %R[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %0 = cta.read %r0 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s0 = cta.stage %0 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s0, %R[%i, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %r1 = cta.copy %R[%j, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %1 = cta.read %r1 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    scf.for %k = %c0 to %j step %c1 {
    }
    %r2 = cta.copy %R[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %2 = cta.read %r2 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %n = memref.load %N[%c0] : memref<?xindex>
    %r3 = cta.copy %R[%n, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %3 = cta.read %r3 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %4 = arith.addf %1, %2 : tensor<64x64xbf16, #acc>
    %5 = arith.addf %4, %3 : tensor<64x64xbf16, #acc>
    %s5 = cta.stage %5 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s5, %R[%i, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// A block takes 64 KiB, three share an SM. A third tile of 32 KiB would cost one of them.
// CHECK-LABEL: tile.kernel @blocks(
// CHECK:      cta.copy %R[%i, %c0]
// CHECK-NEXT: cta.read
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.copy_out
// CHECK-NEXT: cta.copy %R[%j, %c0]
tile.kernel @blocks(%R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @blocks_0 blocks() {
    %c0 = arith.constant 0 : index
    %r0 = cta.copy %R[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
    %0 = cta.read %r0 : !cta.smem<64x256xbf16, #sw> -> tensor<64x256xbf16, #acc>
    %more = cta.stage %0 : tensor<64x256xbf16, #acc> -> !cta.smem<64x256xbf16, #sw>
    %s0 = cta.stage %0 : tensor<64x256xbf16, #acc> -> !cta.smem<64x256xbf16, #sw>
    cta.copy_out %more, %C[%i, %c0] {mechanism = #tma} : !cta.smem<64x256xbf16, #sw> -> memref<?x?xbf16>
    cta.copy_out %s0, %C[%i, %c0] {mechanism = #tma} : !cta.smem<64x256xbf16, #sw> -> memref<?x?xbf16>
    %r1 = cta.copy %R[%j, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !cta.smem<64x256xbf16, #sw>
    %1 = cta.read %r1 : !cta.smem<64x256xbf16, #sw> -> tensor<64x256xbf16, #acc>
    %s1 = cta.stage %1 : tensor<64x256xbf16, #acc> -> !cta.smem<64x256xbf16, #sw>
    cta.copy_out %s1, %C[%j, %c0] {mechanism = #tma} : !cta.smem<64x256xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Copies by cp.async, and copies into slots, stay as they were.
// CHECK-LABEL: tile.kernel @others(
// CHECK:      cta.copy {{.*}}mechanism = #cta.mechanism<cp_async>
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.copy {{.*}}mechanism = #cta.mechanism<cp_async>
tile.kernel @others(%R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @others_0 blocks() {
    %c0 = arith.constant 0 : index
    %r0 = cta.copy %R[%i, %c0] {mechanism = #cta.mechanism<cp_async>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %0 = cta.read %r0 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %r1 = cta.copy %R[%j, %c0] {mechanism = #cta.mechanism<cp_async>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %1 = cta.read %r1 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %2 = arith.addf %0, %1 : tensor<64x64xbf16, #acc>
    %s = cta.stage %2 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s, %C[%i, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// If the IR says where tiles lie, its order is kept.
// CHECK-LABEL: tile.kernel @placed(
// CHECK:      cta.copy %R[%i, %c0]
// CHECK-NEXT: cta.read
// CHECK:      cta.copy_out
// CHECK-NEXT: cta.copy %R[%j, %c0]
tile.kernel @placed(%R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %i: index, %j: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @placed_0 blocks() {
    %c0 = arith.constant 0 : index
    %ring = cta.ring : !cta.ring<13, !cta.smem<64x64xbf16, #sw>>
    %r0 = cta.copy %R[%i, %c0] {mechanism = #tma, offset = 131072 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %0 = cta.read %r0 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s0 = cta.stage %0 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s0, %C[%i, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %r1 = cta.copy %R[%j, %c0] {mechanism = #tma, offset = 131072 : i64} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #sw>
    %1 = cta.read %r1 : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc>
    %s1 = cta.stage %1 : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %s1, %C[%j, %c0] {mechanism = #tma} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// Partial sums that are handed on are written, too.
// CHECK-LABEL: tile.kernel @partials(
// CHECK:      cta.copy %R[%i, %c0]
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.put_partial
// CHECK-NEXT: cta.copy %S[%j, %c0, %c0]
// CHECK-NEXT: cta.copy %R[%j, %c0]
// CHECK-NEXT: cta.read
tile.kernel @partials(%R: memref<?x?xf32>, %S: memref<?x64x32xf32>, %F: memref<?x4xi32>, %i: index, %j: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @partials_0 blocks() {
    %c0 = arith.constant 0 : index
    %ring = cta.ring : !cta.ring<14, !cta.smem<64x64xbf16, #sw>>
    %r0 = cta.copy %R[%i, %c0] {mechanism = #tma} : memref<?x?xf32> -> !cta.smem<64x32xf32, #sw>
    %0 = cta.read %r0 : !cta.smem<64x32xf32, #sw> -> tensor<64x32xf32, #acc>
    cta.put_partial %0, %S[%j], %F : tensor<64x32xf32, #acc>, memref<?x64x32xf32>, memref<?x4xi32>
    %r1 = cta.copy %S[%j, %c0, %c0] dims = [1, 2] {mechanism = #tma} : memref<?x64x32xf32> -> !cta.smem<64x32xf32, #sw>
    %1 = cta.read %r1 : !cta.smem<64x32xf32, #sw> -> tensor<64x32xf32, #acc>
    %r2 = cta.copy %R[%j, %c0] {mechanism = #tma} : memref<?x?xf32> -> !cta.smem<64x32xf32, #sw>
    %2 = cta.read %r2 : !cta.smem<64x32xf32, #sw> -> tensor<64x32xf32, #acc>
    %3 = arith.addf %1, %2 : tensor<64x32xf32, #acc>
    %s = cta.stage %3 : tensor<64x32xf32, #acc> -> !cta.smem<64x32xf32, #sw>
    cta.copy_out %s, %R[%j, %c0] {mechanism = #tma} : !cta.smem<64x32xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}
