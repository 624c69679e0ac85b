// RUN: tile-opt %s --split-input-file --cta-expand-loops --verify-diagnostics

// expected-error @+1 {{cta-expand-loops needs a kernel in phase specialized}}
tile.kernel @phase() attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @depth(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @depth_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %n step %c64 {
      cta.step @load role(producer) stage(0) {
        // expected-error @+1 {{is to run ahead by 2 iterations, which takes a channel of depth 3, not 2}}
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
      }
      cta.step @use role(math) stage(2) {
        %q, %t = cta.wait %ch : !ch
        cta.release %ch, %q : !ch
      }
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @carried(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @carried_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %i = scf.for %k = %c0 to %n step %c64 iter_args(%at = %c0) -> (index) {
      cta.step @load role(producer) stage(0) {
        // expected-error @+1 {{is to run ahead by 1 iterations, but the loop carries or loads what its coordinates depend on}}
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%at, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
      }
      cta.step @use role(math) stage(1) {
        %q, %t = cta.wait %ch : !ch
        cta.release %ch, %q : !ch
      }
      %next = arith.addi %at, %k : index
      scf.yield %next : index
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @while(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @while_0 blocks() {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %i = scf.while (%k = %c0) : (index) -> (index) {
      %more = arith.cmpi ult, %k, %n : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      cta.step @load role(producer) stage(0) {
        // expected-error @+1 {{is to run ahead of its reader, but stands in no scf.for}}
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
      }
      cta.step @use role(math) stage(1) {
        %q, %t = cta.wait %ch : !ch
        cta.release %ch, %q : !ch
      }
      %next = arith.addi %k, %c64 : index
      scf.yield %next : index
    }
  }
  tile.return
}
