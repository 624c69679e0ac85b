// RUN: tile-opt %s -split-input-file -cta-allocate-shared -verify-diagnostics | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#lin = #cta.swizzle<linear>
#tma = #cta.mechanism<tma>
#specialized = #tile.phase<specialized>
!tile = !cta.smem<64x64xbf16, #sw>
!out = !cta.smem<64x64xf32, #lin>
!small = !cta.smem<1x64xbf16, #lin>

// A ring has its bytes for itself for the whole launch, slot by slot: 3 · 8192 and 2 · 8192. What math copies and then stages comes after them, in
// the same bytes. Slots are no tiles of their own, nor are copies into them. The mbarriers of rings come first, that of the copy outside after them.
// CHECK-LABEL: tile.kernel @rings(
// CHECK-SAME: phase = #tile.phase<allocated>
// CHECK: cta.launch {{.*}} attributes {mbarriers = array<i64: 1, 1, 1, 4, 4, 4, 1>, shared = 57400 : i64} {
// CHECK: cta.ring {offset = 0 : i64} : <3,
// CHECK: cta.ring {offset = 24576 : i64} : <2,
// CHECK: cta.role @math
// CHECK: cta.copy %A{{.*}} {mbarrier = 6 : i64, mechanism = #cta.mechanism<tma>, offset = 40960 : i64}
// CHECK: cta.stage %{{.*}} {offset = 40960 : i64}
// CHECK: cta.role @producer
// CHECK: cta.copy %A{{.*}} into %{{.*}} {mbarrier = 0 : i64, mechanism = #cta.mechanism<tma>}
tile.kernel @rings(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @rings_0 blocks() attributes {mbarriers = array<i64: 1, 1, 1, 4, 4, 4>} {
    %i = arith.constant 0 : i32
    %r = cta.ring : !cta.ring<3, !tile>
    %unslotted = cta.ring : !cta.ring<2, !tile>
    cta.role @math warps(4) {
      %x = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.await 0[%i] parity %i
      %s = cta.slot %r[%i] : !cta.ring<3, !tile>
      %d = cta.wgmma %s, %x : !tile, !tile -> tensor<64x64xf32, #acc>
      cta.arrive 3[%i] per_warp
      %o = cta.stage %d : tensor<64x64xf32, #acc> -> !out
      cta.copy_out %o, %C[%c0, %c0] {mechanism = #tma} : !out -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        cta.expect 0[%i] bytes = 8192
        %s = cta.slot %r[%i] : !cta.ring<3, !tile>
        %a = cta.copy %A[%c0, %c0] into %s[%i] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tile
      }
    }
  }
  tile.return
}

// -----

// A slot is as large as its alignment demands: 128 bytes each. An offset in the IR is kept.
#lin = #cta.swizzle<linear>
#sw = #cta.swizzle<128, dim = 1>
!row = !cta.smem<1x40xbf16, #lin>
!tile = !cta.smem<64x64xbf16, #sw>
// CHECK-LABEL: tile.kernel @aligned(
// CHECK: shared = 25088 : i64
// CHECK: cta.ring {offset = 0 : i64} : <4, <1x40xbf16
// CHECK: cta.ring {offset = 8192 : i64} : <2,
// CHECK: cta.ring {offset = 24576 : i64} : <4, <1x40xbf16
tile.kernel @aligned() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @aligned_0 blocks() {
    %r = cta.ring : !cta.ring<4, !row>
    %f = cta.ring {offset = 8192} : !cta.ring<2, !tile>
    %g = cta.ring {offset = 24576} : !cta.ring<4, !row>
  }
  tile.return
}

// -----

// A ring that is no multiple of 1024 bytes comes after the tiles, which would otherwise leave a gap behind it.
#acc = #cta.frag<wgmma_acc, wg = 1>
#lin = #cta.swizzle<linear>
#sw = #cta.swizzle<128, dim = 1>
!word = !cta.smem<1xi32, #lin>
!tile = !cta.smem<64x64xbf16, #sw>
// CHECK-LABEL: tile.kernel @small(
// CHECK: shared = 25088 : i64
// CHECK: cta.ring {offset = 24576 : i64} : <4, <1xi32
// CHECK: cta.ring {offset = 0 : i64} : <2, <64x64xbf16
// CHECK: cta.stage {{.*}}offset = 16384
tile.kernel @small(%C: memref<64x64xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @small_0 blocks() {
    %words = cta.ring : !cta.ring<4, !word>
    %r = cta.ring : !cta.ring<2, !tile>
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
    %s = cta.stage %t : tensor<64x64xbf16, #acc> -> !tile
    cta.copy_out %s, %C[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !tile -> memref<64x64xbf16>
  }
  tile.return
}

// -----

// Tiles of one role share bytes one after the other. If two roles stage, they run concurrently.
#acc = #cta.frag<wgmma_acc, wg = 1>
#lin = #cta.swizzle<linear>
!out = !cta.smem<64x64xf32, #lin>
!sum = tensor<64x64xf32, #acc>
// CHECK-LABEL: tile.kernel @one(
// CHECK: shared = 16384 : i64
// CHECK-LABEL: tile.kernel @two(
// CHECK: shared = 49152 : i64
tile.kernel @one(%C: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @one_0 blocks() {
    cta.role @math warps(4) {
      %t = arith.constant dense<1.0> : !sum
      %a = cta.stage %t : !sum -> !out
      %ra = cta.read %a : !out -> !sum
      %b = cta.stage %ra : !sum -> !out
      %rb = cta.read %b : !out -> !sum
      cta.store %rb, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @other warps(1) {
    }
  }
  tile.return
}
tile.kernel @two(%C: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @two_0 blocks() {
    cta.role @math warps(4) {
      %t = arith.constant dense<1.0> : !sum
      %a = cta.stage %t : !sum -> !out
      %ra = cta.read %a : !out -> !sum
      %b = cta.stage %ra : !sum -> !out
      %rb = cta.read %b : !out -> !sum
      cta.store %rb, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @other warps(4) {
      %t = arith.constant dense<1.0> : !sum
      %a = cta.stage %t : !sum -> !out
      %ra = cta.read %a : !out -> !sum
      cta.store %ra, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// Two rings that overlap, one that is not aligned, and too many.
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @over() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @over_0 blocks() {
    // expected-error @below {{offset 0 puts it over a tile that lives at the same time}}
    %r = cta.ring {offset = 0} : !cta.ring<2, !tile>
    // expected-note @below {{this one, at [8192, 24576)}}
    %s = cta.ring {offset = 8192} : !cta.ring<2, !tile>
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @odd() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @odd_0 blocks() {
    // expected-error @below {{offset 512 is not a multiple of 1024}}
    %r = cta.ring {offset = 512} : !cta.ring<2, !tile>
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x256xbf16, #sw>
tile.kernel @large() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  // expected-error @below {{a block of @large_0 needs 262144 bytes of shared memory, but Hopper has 232448 for its tiles}}
  cta.launch @large_0 blocks() {
    // expected-note @below {{262144 bytes}}
    %r = cta.ring : !cta.ring<8, !tile>
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x256xbf16, #sw>
tile.kernel @channel() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @channel_0 blocks() {
    // expected-error @below {{has no storage yet; run cta-lower-channels first}}
    %r = cta.channel : !cta.channel<8, !tile>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#lin = #cta.swizzle<linear>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!out = !cta.smem<64x64xf32, #lin>
!small = !cta.smem<1x64xbf16, #lin>

// What a role with replicas stages comes after the rings (2 · 8192) and everything else. The 1024-aligned parts of the replicas follow each other:
// 16384 bytes that the copy and the result of a replica share, three times. Each replica waits for its copy at an mbarrier of its own.
// CHECK-LABEL: tile.kernel @replicas(
// CHECK: cta.launch {{.*}} attributes {mbarriers = array<i64: 1, 1, 1, 1, 4, 1, 1, 1>, shared = 65600 : i64} {
// CHECK: cta.ring {offset = 0 : i64} : <2,
// CHECK: cta.role @math warps(4) replicas(3) attributes {staged = 16384 : i64} {
// CHECK: cta.copy %A{{.*}} {mbarrier = 5 : i64, mechanism = #cta.mechanism<tma>, offset = 16384 : i64}
// CHECK: cta.stage %{{.*}} {offset = 16384 : i64}
tile.kernel @replicas(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @replicas_0 blocks() attributes {mbarriers = array<i64: 1, 1, 1, 1, 4>} {
    %r = cta.ring : !cta.ring<2, !tile>
    cta.role @math warps(4) replicas(3) {
      %x = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %d = cta.wgmma %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %o = cta.stage %d : tensor<64x64xf32, #acc> -> !out
      cta.copy_out %o, %C[%c0, %c0] {mechanism = #tma} : !out -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

// Two such roles would need this memory twice.
#acc = #cta.frag<wgmma_acc, wg = 1>
#lin = #cta.swizzle<linear>
tile.kernel @two(%A: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @two_0 blocks() {
    // expected-note @below {{the first}}
    cta.role @first warps(4) replicas(2) {
      %x = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %s = cta.stage %x : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #lin>
      %y = cta.read %s : !cta.smem<64x64xf32, #lin> -> tensor<64x64xf32, #acc>
      %z = cta.stage %y : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #lin>
      %w = cta.read %z : !cta.smem<64x64xf32, #lin> -> tensor<64x64xf32, #acc>
      %v = arith.addf %w, %w : tensor<64x64xf32, #acc>
      %h = arith.truncf %v : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
      %c0 = arith.constant 0 : index
      cta.store %h, %A[%c0, %c0] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
    cta.role @second warps(4) replicas(2) {
      %x = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      // expected-error @below {{is staged by a second role with replicas; one role of a launch may have replicas and stage}}
      %s = cta.stage %x : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #lin>
      %y = cta.read %s : !cta.smem<64x64xf32, #lin> -> tensor<64x64xf32, #acc>
      %h = arith.truncf %y : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
      %c0 = arith.constant 0 : index
      cta.store %h, %A[%c0, %c0] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}
