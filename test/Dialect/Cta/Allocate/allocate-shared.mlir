// RUN: tile-opt %s -cta-allocate-shared | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 2>
#rows = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
                  warps = [[4, 0], [8, 0]], wg = 2 on 0>
#acc1 = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#lin = #cta.swizzle<linear>

// A plain GEMM: one shared tile for each operand, and the output over them when they are dead. 128x128x64: two blocks fit an SM. The two copies share
// an mbarrier, on which both arrive.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME: phase = #tile.phase<allocated>
// CHECK: cta.launch @gemm_0 blocks(%{{.*}}) attributes {mbarriers = array<i64: 2>, shared = 32776 : i64}
// CHECK: cta.copy %{{.*}} {mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>, offset = 0 : i64}
// CHECK: cta.copy %{{.*}} {mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>, offset = 16384 : i64}
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
tile.kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index)
    attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c1 = arith.constant 1 : index
  cta.launch @gemm_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<128x64xbf16, #sw>
      %k2 = arith.addi %k, %c0 : index
      %b = cta.copy %B[%k2, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x128xbf16, #sw>
      %d = cta.wgmma %a, %b, %c : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %d : tensor<128x128xf32, #acc>
    }
    %out = arith.truncf %acc : tensor<128x128xf32, #acc> to tensor<128x128xbf16, #acc>
    %s = cta.stage %out : tensor<128x128xbf16, #acc> -> !cta.smem<128x128xbf16, #sw>
    cta.copy_out %s, %C[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<128x128xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// A tile from outside lives through the loop that uses it; one that is made and used inside does not outlive its last use, and a
// later one takes its bytes (with more, one block less would fit an SM).
// CHECK-LABEL: tile.kernel @lifetimes(
// CHECK: cta.launch @lifetimes_0 blocks(%{{.*}}) attributes {shared = 65536 : i64}
// CHECK: cta.stage %{{.*}} {offset = [[OUTER:[0-9]+]] : i64}
// CHECK: scf.for
// CHECK: cta.stage %{{.*}} {offset = [[INNER:[0-9]+]] : i64}
// CHECK: cta.read
// CHECK: cta.stage %{{.*}} {offset = [[INNER]] : i64}
// CHECK: }
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
tile.kernel @lifetimes(%x: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c1 = arith.constant 1 : index
  cta.launch @lifetimes_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<64x128xf32, #rows>
    %outer = cta.stage %t : tensor<64x128xf32, #rows> -> !cta.smem<64x128xf32, #lin>
    scf.for %i = %c0 to %n step %c1 {
      %a = cta.stage %t : tensor<64x128xf32, #rows> -> !cta.smem<64x128xf32, #lin>
      %ra = cta.read %a : !cta.smem<64x128xf32, #lin> -> tensor<64x128xf32, #rows>
      %b = cta.stage %ra : tensor<64x128xf32, #rows> -> !cta.smem<64x128xf32, #lin>
      %rb = cta.read %b : !cta.smem<64x128xf32, #lin> -> tensor<64x128xf32, #rows>
      %o = cta.read %outer : !cta.smem<64x128xf32, #lin> -> tensor<64x128xf32, #rows>
      %sum = arith.addf %rb, %o : tensor<64x128xf32, #rows>
      cta.store %sum, %x[%i, %c0] : tensor<64x128xf32, #rows> -> memref<?x?xf32>
    }
    %last = cta.stage %t : tensor<64x128xf32, #rows> -> !cta.smem<64x128xf32, #lin>
    %r = cta.read %last : !cta.smem<64x128xf32, #lin> -> tensor<64x128xf32, #rows>
    cta.store %r, %x[%c0, %c0] : tensor<64x128xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// The same with small tiles: those of the loop's body do not share bytes, which saves barriers, as long as it costs no block.
// CHECK-LABEL: tile.kernel @spacious(
// CHECK: shared = 12288 : i64
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK: cta.stage %{{.*}} {offset = 4096 : i64}
// CHECK: cta.stage %{{.*}} {offset = 8192 : i64}
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
tile.kernel @spacious(%x: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c1 = arith.constant 1 : index
  cta.launch @spacious_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    %outer = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    scf.for %i = %c0 to %n step %c1 {
      %a = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
      %ra = cta.read %a : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
      %b = cta.stage %ra : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
      %rb = cta.read %b : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
      %o = cta.read %outer : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
      %sum = arith.addf %rb, %o : tensor<16x64xf32, #rows>
      cta.store %sum, %x[%i, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
    }
    %last = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %r = cta.read %last : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
    cta.store %r, %x[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// A view is the same bytes; the two arms of an if share theirs; a tile that nothing uses is removed.
// CHECK-LABEL: tile.kernel @views(
// CHECK: shared = 4096 : i64
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NEXT: cta.view
// CHECK-NEXT: cta.read
// CHECK: scf.if
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK: else
// CHECK: cta.stage %{{.*}} {offset = 0 : i64}
// CHECK-NOT: cta.stage
// CHECK-NOT: cta.copy
tile.kernel @views(%x: memref<?x?xf32>, %c: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c1 = arith.constant 1 : index
  cta.launch @views_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    %s = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %v = cta.view %s : !cta.smem<16x64xf32, #lin> -> !cta.smem<32x32xf32, #lin>
    %r = cta.read %v : !cta.smem<32x32xf32, #lin> -> tensor<32x32xf32, #rows>
    cta.store %r, %x[%c0, %c0] : tensor<32x32xf32, #rows> -> memref<?x?xf32>
    scf.if %c {
      %s1 = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
      %r1 = cta.read %s1 : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
      cta.store %r1, %x[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
    } else {
      %s2 = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
      %r2 = cta.read %s2 : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
      cta.store %r2, %x[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
    }
    %unused = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %unused2 = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xf32> -> !cta.smem<16x64xf32, #lin>
  }
  tile.return
}

// The source of a copy_out keeps its bytes to the end of the block when there is room: the next stage need not wait for it.
// Two copies that different ops use first have two mbarriers.
// CHECK-LABEL: tile.kernel @in_flight(
// CHECK: mbarriers = array<i64: 1, 1>
// CHECK: cta.copy %{{.*}} {mbarrier = 0 : i64,
// CHECK: cta.copy %{{.*}} {mbarrier = 1 : i64,
// CHECK: cta.stage %{{.*}} {offset = [[FIRST:[0-9]+]] : i64}
// CHECK: cta.copy_out
// CHECK-NOT: {offset = [[FIRST]] : i64}
// CHECK: cta.copy_out
tile.kernel @in_flight(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c1 = arith.constant 1 : index
  cta.launch @in_flight_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %a = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xf32> -> !cta.smem<16x64xf32, #lin>
    %ra = cta.read %a : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
    %b = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xf32> -> !cta.smem<16x64xf32, #lin>
    %rb = cta.read %b : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
    %s = cta.stage %ra : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    cta.copy_out %s, %y[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<16x64xf32, #lin> -> memref<?x?xf32>
    %t = cta.stage %rb : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    cta.copy_out %t, %y[%c1, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<16x64xf32, #lin> -> memref<?x?xf32>
  }
  tile.return
}

// Four stores one after the other, and a ring that leaves room for three of their tiles: two take turns, so that one is filled while the other is
// read. There would be no room if each were kept to the end of the block.
// CHECK-LABEL: tile.kernel @paired(
// CHECK: shared = 221184 : i64
// CHECK: cta.stage %{{.*}} {offset = 204800 : i64}
// CHECK: cta.stage %{{.*}} {offset = 212992 : i64}
// CHECK: cta.stage %{{.*}} {offset = 204800 : i64}
// CHECK: cta.stage %{{.*}} {offset = 212992 : i64}
tile.kernel @paired(%x: memref<?x?xf32>, %y: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @paired_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %ring = cta.ring : !cta.ring<25, !cta.smem<64x64xbf16, #sw>>
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc1>
    %a = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %a, %y[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %b = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %b, %y[%c0, %c64] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %c = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %c, %y[%c0, %c128] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %d = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %d, %y[%c0, %c192] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}

// The registers of the two tiles allow one block per SM. The plan demands two and sets the registers of their roles: the tiles of the epilogue take
// turns in what is left of half the memory. If nothing demands two blocks, each tile has bytes of its own.
// CHECK-LABEL: tile.kernel @demanded(
// CHECK: min_blocks = 2 : i64{{.*}} shared = 114688 : i64
// CHECK: cta.ring {offset = 0 : i64}
// CHECK: cta.stage %{{.*}} {offset = 98304 : i64}
// CHECK: cta.stage %{{.*}} {offset = 106496 : i64}
// CHECK: cta.stage %{{.*}} {offset = 98304 : i64}
// CHECK-LABEL: tile.kernel @not_demanded(
// CHECK: shared = 122880 : i64
// CHECK: cta.stage %{{.*}} {offset = 98304 : i64}
// CHECK: cta.stage %{{.*}} {offset = 106496 : i64}
// CHECK: cta.stage %{{.*}} {offset = 114688 : i64}
tile.kernel @demanded(%x: memref<?x?xf32>, %y: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @demanded_0 blocks() attributes {min_blocks = 2} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %ring = cta.ring : !cta.ring<12, !cta.smem<64x64xbf16, #sw>>
    %u = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<128x128xf32, #acc1>
    %v = cta.load %x[%c0, %c128] : memref<?x?xf32> -> tensor<128x128xf32, #acc1>
    %first = arith.constant 0 : i32
    %slot = cta.slot %ring[%first] : !cta.ring<12, !cta.smem<64x64xbf16, #sw>>
    %d = cta.wgmma %slot, %slot : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc1>
    cta.store %d, %x[%c64, %c0] : tensor<64x64xf32, #acc1> -> memref<?x?xf32>
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc1>
    %a = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %a, %y[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %b = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %b, %y[%c0, %c64] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %c = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %c, %y[%c0, %c128] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %sum = arith.addf %u, %v : tensor<128x128xf32, #acc1>
    cta.store %sum, %x[%c0, %c0] : tensor<128x128xf32, #acc1> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @not_demanded(%x: memref<?x?xf32>, %y: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @not_demanded_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %ring = cta.ring : !cta.ring<12, !cta.smem<64x64xbf16, #sw>>
    %u = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<128x128xf32, #acc1>
    %v = cta.load %x[%c0, %c128] : memref<?x?xf32> -> tensor<128x128xf32, #acc1>
    %first = arith.constant 0 : i32
    %slot = cta.slot %ring[%first] : !cta.ring<12, !cta.smem<64x64xbf16, #sw>>
    %d = cta.wgmma %slot, %slot : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> tensor<64x64xf32, #acc1>
    cta.store %d, %x[%c64, %c0] : tensor<64x64xf32, #acc1> -> memref<?x?xf32>
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc1>
    %a = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %a, %y[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %b = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %b, %y[%c0, %c64] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %c = cta.stage %t : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    cta.copy_out %c, %y[%c0, %c128] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xbf16, #sw> -> memref<?x?xbf16>
    %sum = arith.addf %u, %v : tensor<128x128xf32, #acc1>
    cta.store %sum, %x[%c0, %c0] : tensor<128x128xf32, #acc1> -> memref<?x?xf32>
  }
  tile.return
}

// Offsets in the IR are kept, and the others are placed around them.
// CHECK-LABEL: tile.kernel @fixed(
// CHECK: shared = 9216 : i64
// CHECK: cta.stage %{{.*}} {offset = 1024 : i64}
// CHECK: cta.stage %{{.*}} {offset = 5120 : i64}
tile.kernel @fixed(%x: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c1 = arith.constant 1 : index
  cta.launch @fixed_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<16x64xf32, #rows>
    %a = cta.stage %t {offset = 1024} : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %b = cta.stage %t : tensor<16x64xf32, #rows> -> !cta.smem<16x64xf32, #lin>
    %ra = cta.read %a : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
    %rb = cta.read %b : !cta.smem<16x64xf32, #lin> -> tensor<16x64xf32, #rows>
    %sum = arith.addf %ra, %rb : tensor<16x64xf32, #rows>
    cta.store %sum, %x[%c0, %c0] : tensor<16x64xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// No shared memory at all.
// CHECK-LABEL: tile.kernel @nothing(
// CHECK: cta.launch @nothing_0 blocks() attributes {shared = 0 : i64}
tile.kernel @nothing() attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  cta.launch @nothing_0 blocks() {
  }
  tile.return
}

// A tile that a product in flight reads lives until the product is waited for. So the next one gets other bytes, and the one after it those of the first.
// CHECK-LABEL: tile.kernel @flight(
// CHECK: cta.stage %{{.*}} {offset = [[FIRST:[0-9]+]] : i64}
// CHECK: cta.wgmma
// CHECK-NOT: offset = [[FIRST]] : i64
// CHECK: cta.complete
// CHECK: cta.stage %{{.*}} {offset = [[FIRST]] : i64}
tile.kernel @flight(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c1 = arith.constant 1 : index
  cta.launch @flight_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %h = cta.load %x[%c0, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc1>
    %a = cta.stage %h : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    %s = cta.wgmma %a, %a : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> !cta.async<tensor<64x64xf32, #acc1>>
    %b = cta.stage %h : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    %d = cta.wgmma %b, %b : !cta.smem<64x64xbf16, #sw>, !cta.smem<64x64xbf16, #sw> -> !cta.async<tensor<64x64xf32, #acc1>>
    %w:2 = cta.wgmma_wait(%s, %d) pending = 0 : !cta.async<tensor<64x64xf32, #acc1>>, !cta.async<tensor<64x64xf32, #acc1>>
    %sd = cta.complete %w#0 : !cta.async<tensor<64x64xf32, #acc1>>
    %c = cta.stage %h : tensor<64x64xbf16, #acc1> -> !cta.smem<64x64xbf16, #sw>
    %e = cta.read %c : !cta.smem<64x64xbf16, #sw> -> tensor<64x64xbf16, #acc1>
    cta.store %e, %x[%c0, %c0] : tensor<64x64xbf16, #acc1> -> memref<?x?xbf16>
  }
  tile.return
}

// Two tiles of a main loop, one after the other, have bytes of their own: in the same ones they would cost barriers in each iteration. The tile that is
// stored behind the loop takes theirs. (With bytes for each of them there would be one block less on the SM.)
// CHECK-LABEL: tile.kernel @apart(
// CHECK: shared = 65536
// CHECK: scf.for
// CHECK: cta.stage %{{.*}} {offset = [[FIRST:[0-9]+]] : i64} : tensor<128x64xbf16
// CHECK: cta.stage %{{.*}} {offset = 0 : i64} : tensor<128x64xf32
// CHECK: }
// CHECK: cta.stage %{{.*}} {offset = 0 : i64} : tensor<128x128xf32
tile.kernel @apart(%C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c1 = arith.constant 1 : index
  cta.launch @apart_0 blocks(%c1) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #acc>
    %w = arith.constant dense<1.0> : tensor<128x128xf32, #acc>
    scf.for %k = %c0 to %K step %c1 {
      %a = cta.stage %t : tensor<128x64xbf16, #acc> -> !cta.smem<128x64xbf16, #sw>
      %d = cta.wgmma %a, %a {transpose_b} : !cta.smem<128x64xbf16, #sw>, !cta.smem<128x64xbf16, #sw> -> tensor<128x128xf32, #acc>
      %e = cta.slice %d offsets = [0, 0] : tensor<128x128xf32, #acc> -> tensor<128x64xf32, #acc>
      %s = cta.stage %e : tensor<128x64xf32, #acc> -> !cta.smem<128x64xf32, #sw>
      cta.copy_out %s, %C[%k, %c0] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>} : !cta.smem<128x64xf32, #sw> -> memref<?x?xf32>
    }
    %o = cta.stage %w : tensor<128x128xf32, #acc> -> !cta.smem<128x128xf32, #sw>
    cta.copy_out %o, %C[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !cta.smem<128x128xf32, #sw> -> memref<?x?xf32>
  }
  tile.return
}
