// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// The ops and the role by themselves.

tile.kernel @outside() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @outside_0 blocks() {
    cta.role @math warps(4) {
      // expected-error @+1 {{replica_c1: stands in a cta.role with replicas}}
      %r = cta.replica
    }
  }
  tile.return
}

// -----

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @outside() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @outside_0 blocks() {
    %ch = cta.channel : !channel
    // expected-error @+1 {{pass_turn_c1: stands in a cta.role with replicas}}
    cta.pass_turn %ch : !channel
  }
  tile.return
}

// -----

tile.kernel @single() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @single_0 blocks() {
    // expected-error @+1 {{role_c3: two or more replicas of whole warpgroups, at most 32 warps together, got 1 of 4 warps}}
    cta.role @math warps(4) replicas(1) {}
  }
  tile.return
}

// -----

tile.kernel @warps() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @warps_0 blocks() {
    // expected-error @+1 {{role_c3: two or more replicas of whole warpgroups, at most 32 warps together, got 2 of 3 warps}}
    cta.role @math warps(3) replicas(2) {}
  }
  tile.return
}

// -----

tile.kernel @many() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @many_0 blocks() {
    // expected-error @+1 {{role_c3: two or more replicas of whole warpgroups, at most 32 warps together, got 9 of 4 warps}}
    cta.role @math warps(4) replicas(9) {}
  }
  tile.return
}

// -----

// Replicas count: 8 · 4 warps are a block's most.
tile.kernel @block() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  // expected-error @+1 {{breaks phase specialized: its roles have 33 warps together; a block has at most 32}}
  cta.launch @block_0 blocks() {
    cta.role @math warps(4) replicas(8) {}
    cta.role @producer warps(1) {}
  }
  tile.return
}

// -----

// Turns are gone when slots are numbers.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @late(%n: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @late_0 blocks() {
    // expected-error @+1 {{breaks phase allocated: cta-lower-channels replaces channels by rings and mbarriers}}
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      // expected-error @+1 {{breaks phase allocated: cta-lower-channels makes mbarriers and slots of turns}}
      cta.skip %ch, %n : !channel
    }
  }
  tile.return
}

// -----

// Turns.

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @out_of_turn(%A: memref<?x?xbf16>, %n: i32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @out_of_turn_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      // expected-error @+1 {{breaks phase specialized: waits for a slot out of turn: another replica may be reading the channel; put it between cta.take_turn and cta.pass_turn}}
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %t = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%t) : !channel
      }
    }
  }
  tile.return
}

// -----

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @twice(%n: i32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @twice_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      cta.take_turn %ch, %n : !channel
      // expected-error @+1 {{breaks phase specialized: takes a turn that it has already: it would wait for itself; pass it on first}}
      cta.take_turn %ch, %n : !channel
    }
  }
  tile.return
}

// -----

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @not_taken(%n: i32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @not_taken_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      // expected-error @+1 {{breaks phase specialized: passes on a turn that it has not taken; put a cta.take_turn before it}}
      cta.pass_turn %ch : !channel
    }
  }
  tile.return
}

// -----

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @kept(%n: i32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @kept_0 blocks() {
    // expected-note @+1 {{the turn to read this channel}}
    %ch = cta.channel : !channel
    // expected-error @+1 {{breaks phase specialized: a turn is taken and not passed on on every path, so that the next replica would wait for ever; put a cta.pass_turn at its end}}
    cta.role @math warps(4) replicas(2) {
      cta.take_turn %ch, %n : !channel
    }
  }
  tile.return
}

// -----

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @one_arm(%n: i32, %go: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @one_arm_0 blocks() {
    // expected-note @+1 {{the turn to read this channel}}
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      cta.take_turn %ch, %n : !channel
      // expected-error @+1 {{breaks phase specialized: a turn is taken and not passed on on every path}}
      scf.if %go {
        cta.pass_turn %ch : !channel
      } else {
      }
    }
  }
  tile.return
}

// -----

// An iteration begins with the turn, the next without.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @in_loop(%n: i32, %m: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @in_loop_0 blocks() {
    // expected-note @+1 {{the turn to read this channel}}
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      cta.take_turn %ch, %n : !channel
      // expected-error @+1 {{breaks phase specialized: a turn is taken and not passed on on every path}}
      scf.for %i = %m to %m step %m {
        cta.pass_turn %ch : !channel
      }
    }
  }
  tile.return
}

// -----

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @skip(%n: i32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @skip_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      cta.take_turn %ch, %n : !channel
      // expected-error @+1 {{breaks phase specialized: skips slots of other replicas in its own turn; skip outside}}
      cta.skip %ch, %n : !channel
      cta.pass_turn %ch : !channel
    }
  }
  tile.return
}

// -----

!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @fills(%A: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @fills_0 blocks() {
    // expected-error @+1 {{slots are committed, but nobody waits for them}}
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      // expected-error @+1 {{breaks phase specialized: every replica of the role would fill the channel; fill it in a role of its own}}
      %p = cta.acquire %ch : !channel
      %t = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
      cta.commit %ch, %p (%t) : !channel
    }
  }
  tile.return
}
