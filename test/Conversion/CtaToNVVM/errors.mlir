// RUN: tile-opt %s --convert-cta-to-nvvm -split-input-file -verify-diagnostics

// expected-error@+1 {{convert-cta-to-nvvm needs phase allocated}}
tile.kernel @early(%x: memref<f32>) attributes {phase = #tile.phase<placed>} {
  tile.return
}

// -----

#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
tile.kernel @no_offset(%x: memref<128xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @k blocks() {
    %t = arith.constant dense<0.0> : tensor<128xf32, #l>
    // expected-error@+1 {{has no offset: run cta-allocate-shared before this pass}}
    %s = cta.stage %t : tensor<128xf32, #l> -> !cta.smem<128xf32, #cta.swizzle<linear>>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#r = #cta.frag<regs = [], lanes = [[4], [8], [16], [32], [64]], warps = [[1], [2]]>
tile.kernel @crosses(%x: memref<128xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @k blocks() {
    %t = arith.constant dense<0.0> : tensor<128xf32, #l>
    // expected-error@+1 {{this conversion crosses warps: run cta-decompose before this pass}}
    %s = cta.convert_layout %t : tensor<128xf32, #l> -> tensor<128xf32, #r>
  }
  tile.return
}

// -----

#l = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#s = #cta.frag<splat, rank = 0, warps = 2, wg = 1>
tile.kernel @reduces_warps(%x: memref<128xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @k blocks() {
    %zero = arith.constant 0.0 : f32
    %t = arith.constant dense<0.0> : tensor<128xf32, #l>
    // expected-error@+1 {{the reduction crosses warps: run cta-decompose before this pass}}
    %s = cta.reduce (%t) dims = [0] init(%zero) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<128xf32, #l> -> tensor<f32, #s>
  }
  tile.return
}

// -----

tile.kernel @view_by_tma(%x: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @k blocks() attributes {shared = 8200 : i64, mbarriers = array<i64: 1>} {
    %c0 = arith.constant 0 : index
    %v = memref.subview %x[0, 0] [64, 64] [1, 1] : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1]>>
    // expected-error@+1 {{TMA needs an argument or a workspace, not a view of one}}
    %s = cta.copy %v[%c0, %c0] {mechanism = #cta.mechanism<tma>, mbarrier = 0 : i64, offset = 0 : i64} : memref<64x64xbf16, strided<[?, 1]>> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
  }
  tile.return
}

// -----

tile.kernel @no_barrier(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @k blocks() attributes {shared = 8192 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{needs an offset and an mbarrier of the launch: run cta-allocate-shared}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @misaligned(%x: memref<?x?xbf16>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @k blocks() attributes {shared = 65536 : i64} {
    %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    %b = cta.stage %t {offset = 8704 : i64} : tensor<64x64xbf16, #acc> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    // expected-error@+1 {{a shared operand lies at byte 8704; its swizzle needs a multiple of 1024}}
    %d = cta.wgmma %a, %b : !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>> -> tensor<64x64xf32, #acc>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
tile.kernel @no_wait(%x: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @k blocks() attributes {shared = 8192 : i64} {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    %a = cta.stage %t {offset = 0 : i64} : tensor<64x64xbf16, #acc> -> !tile
    %d = cta.wgmma %a, %a : !tile, !tile -> !cta.async<tensor<64x64xf32, #acc>>
    // expected-error@+1 {{nothing has waited for the product: run cta-insert-waits}}
    %e = cta.complete %d : !cta.async<tensor<64x64xf32, #acc>>
    cta.store %e, %x[%c0, %c0] : tensor<64x64xf32, #acc> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Each role has a named barrier of its own, and so has each warpgroup: seven are left for roles.
tile.kernel @crowd() attributes {phase = #tile.phase<allocated>} {
  cta.launch @crowd_0 blocks() attributes {threads = 256} {
    cta.role @r0 warps(1) {
    }
    cta.role @r1 warps(1) {
    }
    cta.role @r2 warps(1) {
    }
    cta.role @r3 warps(1) {
    }
    cta.role @r4 warps(1) {
    }
    cta.role @r5 warps(1) {
    }
    cta.role @r6 warps(1) {
    }
    // expected-error @below {{a launch has at most 7 roles or replicas of them: each needs a named barrier of its own; put two roles into one}}
    cta.role @r7 warps(1) {
    }
  }
  tile.return
}

// -----

tile.kernel @cp_async_elected(%x: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() {
    %c0 = arith.constant 0 : index
    cta.role @one warps(1) {
      // expected-error@+1 {{a copy by threads is divided among the threads of all warpgroups of the block, or of one warpgroup that is a role; put the copy into such a role}}
      %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 8, offset = 0 : i64} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
    }
  }
  tile.return
}

// -----

tile.kernel @shifted_before_the_array(%x: memref<64x64xbf16>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{the coordinate along contiguous memory may be negative, and is not known to be a multiple of 8: the begin of the array would cut a shifted piece; if it is not, say so by 'from_zero'}}
    %s = cta.copy %x[%c0, %n] {mechanism = #cta.mechanism<shifted>, vector = 8, offset = 0 : i64} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
  }
  tile.return
}

// -----

tile.kernel @cp_async_across(%x: memref<64x64xbf16>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{the shared tile is contiguous along dimension 0, which has no stride of 1 in memory; threads copy runs of bytes}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 8, offset = 0 : i64} : memref<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 0>>
  }
  tile.return
}

// -----

tile.kernel @cp_async_rows(%x: memref<64x32xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{pieces of 4 elements are not contiguous or not aligned in}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 4, offset = 0 : i64} : memref<64x32xf32> -> !cta.smem<64x32xf32, #cta.swizzle<linear, pad = 8>>
  }
  tile.return
}

// -----

tile.kernel @cp_async_no_vector(%x: memref<64x32xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks() {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{a copy by threads needs 'vector'}}
    %s = cta.copy %x[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, offset = 0 : i64} : memref<64x32xf32> -> !cta.smem<64x32xf32, #cta.swizzle<linear>>
  }
  tile.return
}
