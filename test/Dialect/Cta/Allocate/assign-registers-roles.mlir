// RUN: tile-opt %s -cta-assign-registers -split-input-file -verify-diagnostics | FileCheck %s

// The threads are those of the roles. The registers that the math role takes count, not those with which all begin: 64 + 128 accumulators fit 232
// registers, but not 168.
#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
!a = !cta.smem<128x64xbf16, #sw>
!b = !cta.smem<64x256xbf16, #sw>
!s = !cta.smem<64x128xbf16, #sw>
// CHECK-LABEL: tile.kernel @dealt(
// CHECK: cta.launch @dealt_0 blocks() attributes {max_registers = 168 : i64, min_blocks = 1 : i64, shared = 212992 : i64, threads = 384 : i64}
tile.kernel @dealt(%C: memref<?x?xf32>, %K: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i = arith.constant 0 : i32
  cta.launch @dealt_0 blocks() attributes {shared = 212992, min_blocks = 1} {
    %ra = cta.ring {offset = 0} : !cta.ring<2, !a>
    %rb = cta.ring {offset = 32768} : !cta.ring<2, !b>
    %rs = cta.ring {offset = 98304} : !cta.ring<2, !s>
    cta.role @math warps(8) attributes {registers = 232} {
      %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
      %none = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
      %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %d = %none) -> (tensor<128x256xf32, #acc>, tensor<128x128xf32, #acc>) {
        %a = cta.slot %ra[%i] : !cta.ring<2, !a>
        %b = cta.slot %rb[%i] : !cta.ring<2, !b>
        %s = cta.slot %rs[%i] : !cta.ring<2, !s>
        %e = cta.wgmma %a, %b, %c : !a, !b -> tensor<128x256xf32, #acc>
        %f = cta.wgmma %a, %s, %d : !a, !s -> tensor<128x128xf32, #acc>
        scf.yield %e, %f : tensor<128x256xf32, #acc>, tensor<128x128xf32, #acc>
      }
      cta.store %acc#0, %C[%c0, %c0] : tensor<128x256xf32, #acc> -> memref<?x?xf32>
      cta.store %acc#1, %C[%c64, %c0] : tensor<128x128xf32, #acc> -> memref<?x?xf32>
    }
    cta.role @producer warps(4) attributes {registers = 40} {
    }
  }
  tile.return
}

// -----

// All warps count for the registers with which each begins, also a single one.
// CHECK-LABEL: tile.kernel @plain(
// CHECK: cta.launch @plain_0 blocks() attributes {max_registers = 168 : i64, threads = 288 : i64}
tile.kernel @plain() attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  cta.launch @plain_0 blocks() {
    cta.role @math warps(8) {
    }
    cta.role @producer warps(1) {
    }
  }
  tile.return
}

// -----

// More than there are.
tile.kernel @greedy() attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  // expected-error @below {{has roles that want 66560 registers together, but its 384 threads begin with 168 each, 64512 together: a role would wait for the rest for ever}}
  cta.launch @greedy_0 blocks() {
    // expected-note @below {{256 threads with 240}}
    cta.role @math warps(8) attributes {registers = 240} {
    }
    // expected-note @below {{128 threads with 40}}
    cta.role @producer warps(4) attributes {registers = 40} {
    }
  }
  tile.return
}

// -----

// A role without a number keeps the registers with which it began.
tile.kernel @keeps() attributes {phase = #tile.phase<allocated>, warpgroups = 2} {
  // expected-error @below {{has roles that want 65536 registers together, but its 384 threads begin with 160 each, 61440 together}}
  cta.launch @keeps_0 blocks() attributes {max_registers = 160} {
    // expected-note @below {{256 threads with 176}}
    cta.role @math warps(8) attributes {registers = 176} {
    }
    // expected-note @below {{128 threads with 160}}
    cta.role @producer warps(4) {
    }
  }
  tile.return
}
