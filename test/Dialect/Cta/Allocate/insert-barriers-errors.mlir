// RUN: tile-opt %s -split-input-file -cta-insert-barriers -verify-diagnostics

#lin = #cta.swizzle<linear>
#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @no_offset(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @no_offset_0 blocks() {
    %t = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    // expected-error @below {{uses a shared tile without an offset; run cta-allocate-shared first}}
    %s = cta.stage %t : tensor<64x64xf32, #acc> -> !cta.smem<64x64xf32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @early(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @early_0 blocks() {
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xf32> -> !cta.smem<64x64xf32, #lin>
    // expected-error @below {{needs the data of mbarrier 0 before all its copies are issued; give them different mbarriers}}
    %r = cta.read %s : !cta.smem<64x64xf32, #lin> -> tensor<64x64xf32, #acc>
    %t = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 16384, mbarrier = 0} : memref<?x?xf32> -> !cta.smem<64x64xf32, #lin>
  }
  tile.return
}

// -----

#lin = #cta.swizzle<linear>
#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @late(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @late_0 blocks() {
    // expected-note @below {{the copy}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?x?xf32> -> !cta.smem<64x64xf32, #lin>
    // expected-error @below {{touches memory of a copy in flight: the await of mbarrier 0 must stand before}}
    %r = cta.read %s : !cta.smem<64x64xf32, #lin> -> tensor<64x64xf32, #acc>
    cta.await 0
  }
  tile.return
}

// -----

// expected-error @below {{cta-insert-barriers needs a kernel in phase allocated, but this one is in phase placed}}
tile.kernel @placed() attributes {phase = #tile.phase<placed>} {
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @slot(%x: memref<?x?xbf16>, %i: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @slot_0 blocks() attributes {shared = 8192} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !tile>
    %s = cta.slot %r[%i] : !cta.ring<1, !tile>
    // expected-error @below {{stores a slot of a ring by TMA, but nothing waits for that before the slot is filled again; read it and stage it}}
    cta.copy_out %s, %x[%c0, %c0] {mechanism = #cta.mechanism<tma>} : !tile -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// A sum by TMA reads its slot as a store does.
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @slot_of_sum(%x: memref<?x?xbf16>, %i: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @slot_of_sum_0 blocks() attributes {shared = 8192} {
    %r = cta.ring {offset = 0} : !cta.ring<1, !tile>
    %s = cta.slot %r[%i] : !cta.ring<1, !tile>
    // expected-error @below {{stores a slot of a ring by TMA, but nothing waits for that before the slot is filled again; read it and stage it}}
    cta.copy_out %s, %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>} : !tile -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// A wait for a copy in flight must stand before TMA adds to the memory that the copy reads.
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @sum_in_flight(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @sum_in_flight_0 blocks() attributes {shared = 16384, mbarriers = array<i64: 1>} {
    %t = arith.constant dense<1.0> : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>
    %s = cta.stage %t {offset = 0} : tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>> -> !tile
    // expected-note @below {{the copy}}
    %a = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, offset = 8192, mbarrier = 0} : memref<?x?xbf16> -> !tile
    // expected-error @below {{touches memory of a copy in flight: the await of mbarrier 0 must stand before}}
    cta.copy_out %s, %x[%c0, %c0] {mechanism = #cta.mechanism<tma>, reduce = #tile.atomic_kind<add>} : !tile -> memref<?x?xbf16>
    cta.await 0
  }
  tile.return
}

// -----

// A copy into a slot has no bytes of its own, whatever its 'offset' says: its tile is read from the slot.
#lin = #cta.swizzle<linear>
#acc = #cta.frag<wgmma_acc, wg = 1>
!s = !cta.smem<64x64xf32, #lin>
tile.kernel @into(%A: memref<?x?xf32>, %C: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @into_0 blocks() attributes {shared = 65536, mbarriers = array<i64: 1>} {
    %c0 = arith.constant 0 : index
    %i = arith.constant 0 : i32
    %ring = cta.ring {offset = 0} : !cta.ring<2, !s>
    %t = cta.slot %ring[%i] : !cta.ring<2, !s>
    %r = cta.copy %A[%c0, %c0] into %t[%i] {mechanism = #cta.mechanism<tma>, mbarrier = 0, offset = 128} : memref<?x?xf32> -> !s
    // expected-error @below {{uses a shared tile without an offset; run cta-allocate-shared first}}
    %x = cta.read %r : !s -> tensor<64x64xf32, #acc>
    cta.store %x, %C[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// The wait leaves the younger product in flight. The product that is not asynchronous waits for both.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!half = tensor<64x64xbf16, #acc>
!async = !cta.async<tensor<64x64xf32, #acc>>
tile.kernel @flight(%C: memref<?x?xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @flight_0 blocks() attributes {shared = 16384} {
    %c0 = arith.constant 0 : index
    %h = cta.load %C[%c0, %c0] : memref<?x?xbf16> -> !half
    %u = cta.stage %h {offset = 0} : !half -> !tile
    %w = cta.stage %h {offset = 8192} : !half -> !tile
    %s = cta.wgmma %u, %u : !tile, !tile -> !async
    // expected-note @below {{the product}}
    %d = cta.wgmma %w, %w : !tile, !tile -> !async
    %a:2 = cta.wgmma_wait(%s, %d) pending = 1 : !async, !async
    %v = cta.stage %h {offset = 0} : !half -> !tile
    // expected-error @below {{overwrites what a product in flight reads: a cta.wgmma_wait for it must stand before}}
    %x = cta.stage %h {offset = 8192} : !half -> !tile
    %i = cta.wgmma %v, %v : !tile, !tile -> tensor<64x64xf32, #acc>
    %y = cta.stage %h {offset = 8192} : !half -> !tile
  }
  tile.return
}
