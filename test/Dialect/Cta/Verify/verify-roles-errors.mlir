// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// Steps.

tile.kernel @step_names(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_names_0 blocks(%n) {
    // expected-note @+1 {{the other}}
    cta.step @a role(math) stage(0) {}
    // expected-error @+1 {{breaks phase scheduled: two steps of one block are named @a; rename one}}
    cta.step @a role(producer) stage(0) {}
  }
  tile.return
}

// -----


tile.kernel @step_order(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_order_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: its schedule is not that of the steps of the block, which are @a, @b}}
    cta.step @a role(math) stage(0) attributes {schedule = #cta.schedule<[@b, @a]>} {}
    cta.step @b role(math) stage(0) {}
  }
  tile.return
}

// -----


tile.kernel @step_missing(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @step_missing_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: its schedule is not that of the steps of the block, which are @a}}
    cta.step @a role(math) stage(0) attributes {schedule = #cta.schedule<[@a, @b]>} {}
  }
  tile.return
}

// -----

// Roles.

tile.kernel @role_names(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @role_names_0 blocks(%n) {
    cta.role @r warps(1) {}
    // expected-error @+1 {{breaks phase specialized: two roles of the launch are named @r}}
    cta.role @r warps(1) {}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @math_warps(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @math_warps_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: a role with tiles in registers has the 4 warps that their layouts are for, not 8}}
    cta.role @math warps(8) {
      %x = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
      cta.store %x, %A[%n, %n] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @math_first(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @math_first_0 blocks(%n) {
    // expected-note @+1 {{it comes after this role, which has none; move it before it}}
    cta.role @producer warps(1) {}
    // expected-error @+1 {{breaks phase specialized: roles with tiles in registers come first, since layouts count threads from 0}}
    cta.role @math warps(4) {
      %x = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
      cta.store %x, %A[%n, %n] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----


tile.kernel @registers_at(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @registers_at_0 blocks(%n) {
    cta.role @a warps(1) {}
    // expected-error @+1 {{breaks phase specialized: 'registers' is for whole warpgroups, but the role begins at warp 1; put it before the roles with single warps}}
    cta.role @b warps(4) attributes {registers = 40} {}
  }
  tile.return
}

// -----


tile.kernel @too_many(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  // expected-error @+1 {{breaks phase specialized: its roles have 33 warps together; a block has at most 32}}
  cta.launch @too_many_0 blocks(%n) {
    cta.role @a warps(32) {}
    cta.role @b warps(1) {}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @shared_tile(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @shared_tile_0 blocks(%n) {
    // expected-note @+2 {{made here}}
    // expected-error @+1 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    %x = cta.load %A[%n, %n] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>
    cta.role @math warps(4) {
      // expected-error @+1 {{breaks phase specialized: uses a value of type 'tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>' from outside its role; roles exchange tiles through channels only}}
      cta.store %x, %A[%n, %n] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----


tile.kernel @store_before(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @store_before_0 blocks(%n) {
    %f = arith.constant 0.0 : f32
    // expected-error @+1 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    memref.store %f, %X[%n] : memref<?xf32>
    cta.role @math warps(4) {}
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @two_producers(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @two_producers_0 blocks(%n) {
    %ch = cta.channel : !tok
    cta.role @consumer warps(1) {
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
    }
    cta.role @a warps(1) {
      %p = cta.acquire %ch : !tok
      // expected-error @+1 {{breaks phase specialized: a channel has its producing side in one role; give each role a channel of its own}}
      cta.commit %ch, %p (%n) : !tok
    }
    cta.role @b warps(1) {
      // expected-note @+1 {{the same side in another role}}
      %p = cta.acquire %ch : !tok
      cta.commit %ch, %p (%n) : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @two_consumers_roles(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @two_consumers_roles_0 blocks(%n) {
    %ch = cta.channel : !tok
    cta.role @a warps(1) {
      %q, %i = cta.wait %ch : !tok
      // expected-error @+1 {{breaks phase specialized: a channel has its consuming side in one role; give each role a channel of its own}}
      cta.release %ch, %q : !tok
    }
    cta.role @b warps(1) {
      // expected-note @+1 {{the same side in another role}}
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
    }
    cta.role @c warps(1) {
      %p = cta.acquire %ch : !tok
      cta.commit %ch, %p (%n) : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @outside_roles(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @outside_roles_0 blocks(%n) {
    %ch = cta.channel : !tok
    // expected-error @+1 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    %p = cta.acquire %ch : !tok
    // expected-error @+2 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    // expected-error @+1 {{breaks phase specialized: stands outside the roles of the launch; move it into one}}
    cta.commit %ch, %p (%n) : !tok
    cta.role @a warps(1) {
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
    }
  }
  tile.return
}

// -----

// One thread has scalars only.
#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @elect_tile(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @elect_tile_0 blocks(%n) {
    cta.role @r warps(4) {
      cta.elect {
        // expected-error @+1 {{breaks phase specialized: one thread has no tiles in registers, unless they are index tiles of copies that every thread holds (layout splat); move it out of the cta.elect}}
        %x = cta.load %A[%n, %n] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>
      }
    }
  }
  tile.return
}

// -----


tile.kernel @elect_barrier(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @elect_barrier_0 blocks(%n) {
    cta.role @r warps(1) {
      cta.elect {
        // expected-error @+1 {{breaks phase allocated: needs all threads of the role; move it out of the cta.elect}}
        cta.barrier
      }
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @elect_cp_async(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @elect_cp_async_0 blocks(%n) {
    %ch = cta.channel : !ch
    cta.role @r warps(1) {
      %q, %t = cta.wait %ch : !ch
      cta.release %ch, %q : !ch
    }
    cta.role @p warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !ch
        // expected-error @+1 {{breaks phase specialized: needs all threads of the role; move it out of the cta.elect}}
        %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<cp_async>} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%s) : !ch
      }
    }
  }
  tile.return
}

// -----

// Numbers of mbarriers.

tile.kernel @mbarrier(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @mbarrier_0 blocks(%n) attributes {mbarriers = array<i64: 1, 1>} {
    %s = arith.constant 0 : i32
    // expected-error @+1 {{breaks phase allocated: names mbarrier 2, but 'mbarriers' of the launch lists 2}}
    cta.arrive 2[%s]
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @into_mbarrier(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @into_mbarrier_0 blocks(%n) {
    %s = arith.constant 0 : i32
    %r = cta.ring : !cta.ring<2, !tile>
    %t = cta.slot %r[%s] : !cta.ring<2, !tile>
    // expected-error @+1 {{breaks phase specialized: a copy into a slot needs the number of its mbarrier}}
    %x = cta.copy %A[%n, %n] into %t[%s] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @ring_offset(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @ring_offset_0 blocks(%n) {
    // expected-error @+1 {{breaks phase allocated: has no offset; cta-allocate-shared sets it}}
    %r = cta.ring : !cta.ring<2, !tile>
  }
  tile.return
}

// -----

// Counts are made from the program that roles run.
tile.kernel @early_count() attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @early_count_0 blocks() {
    // expected-error @+1 {{breaks phase scheduled: counted waits exist from phase specialized on; cta-insert-waits makes them}}
    cta.wgmma_wait() pending = 0
  }
  tile.return
}
