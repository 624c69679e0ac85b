// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// A token is for the next wait of its channel, on every path. The first kernel has all that is right: through conditions and loops, and a token that nobody takes.
!tok = !cta.channel<2, i32>
tile.kernel @right(%n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @right_0 blocks(%n) {
    %ch = cta.channel : !tok
    %other = cta.channel : !tok
    %c1 = arith.constant 1 : index
    %x = arith.constant 1 : i32
    cta.role @math warps(4) {
      %t = cta.test %ch : !tok
      %u = scf.if %b -> (!cta.token) {
        %v = cta.test %ch : !tok
        scf.yield %v : !cta.token
      } else {
        scf.yield %t : !cta.token
      }
      %r = scf.for %i = %c1 to %n step %c1 iter_args(%w = %u) -> (!cta.token) {
        %o, %j = cta.wait %other : !tok
        cta.release %other, %o : !tok
        %q, %k = cta.wait %ch unless %w : !tok
        cta.release %ch, %q : !tok
        %next = cta.test %ch : !tok
        scf.yield %next : !cta.token
      }
      scf.if %b {
        %q, %k = cta.wait %ch unless %r : !tok
        cta.release %ch, %q : !tok
      } else {
        %q, %k = cta.wait %ch : !tok
        cta.release %ch, %q : !tok
      }
      %unused = cta.test %ch : !tok
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %i = %c1 to %n step %c1 {
          %o = cta.acquire %other : !tok
          cta.commit %other, %o (%x) : !tok
          %p = cta.acquire %ch : !tok
          cta.commit %ch, %p (%x) : !tok
        }
        %p = cta.acquire %ch : !tok
        cta.commit %ch, %p (%x) : !tok
      }
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, i32>
tile.kernel @another_wait(%n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @another_wait_0 blocks(%n) {
    %ch = cta.channel : !tok
    %x = arith.constant 1 : i32
    cta.role @math warps(4) {
      %t = cta.test %ch : !tok
      // expected-note @+1 {{this goes on to the next slot}}
      %q, %k = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
      // expected-error @+1 {{breaks phase specialized: takes a token that was made before another wait of the channel, so it speaks of another slot}}
      %q1, %k1 = cta.wait %ch unless %t : !tok
      cta.release %ch, %q1 : !tok
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !tok
        cta.commit %ch, %p (%x) : !tok
      }
    }
  }
  tile.return
}

// -----

// In the second iteration it speaks of the slot of the first.
!tok = !cta.channel<2, i32>
tile.kernel @once_for_all(%n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @once_for_all_0 blocks(%n) {
    %ch = cta.channel : !tok
    %x = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    cta.role @math warps(4) {
      %t = cta.test %ch : !tok
      // expected-note @+1 {{this goes on to the next slot}}
      scf.for %i = %c1 to %n step %c1 {
        // expected-error @+1 {{takes a token that was made before another wait of the channel}}
        %q, %k = cta.wait %ch unless %t : !tok
        cta.release %ch, %q : !tok
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !tok
        cta.commit %ch, %p (%x) : !tok
      }
    }
  }
  tile.return
}

// -----

// The loop carries the token of its own slot.
!tok = !cta.channel<2, i32>
tile.kernel @this_iteration(%n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @this_iteration_0 blocks(%n) {
    %ch = cta.channel : !tok
    %x = arith.constant 1 : i32
    %c1 = arith.constant 1 : index
    cta.role @math warps(4) {
      %t = cta.test %ch : !tok
      scf.for %i = %c1 to %n step %c1 iter_args(%w = %t) -> (!cta.token) {
        %next = cta.test %ch : !tok
        // expected-error @below {{takes a token that was made before another wait of the channel}}
        // expected-note @below {{this goes on to the next slot}}
        %q, %k = cta.wait %ch unless %w : !tok
        cta.release %ch, %q : !tok
        scf.yield %next : !cta.token
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !tok
        cta.commit %ch, %p (%x) : !tok
      }
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, i32>
tile.kernel @one_arm(%n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @one_arm_0 blocks(%n) {
    %ch = cta.channel : !tok
    %x = arith.constant 1 : i32
    cta.role @math warps(4) {
      %t = cta.test %ch : !tok
      // expected-note @+1 {{this goes on to the next slot}}
      scf.if %b {
        %q, %k = cta.wait %ch unless %t : !tok
        cta.release %ch, %q : !tok
      }
      // expected-error @+1 {{takes a token that was made before another wait of the channel}}
      %q, %k = cta.wait %ch unless %t : !tok
      cta.release %ch, %q : !tok
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !tok
        cta.commit %ch, %p (%x) : !tok
      }
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, i32>
tile.kernel @another_channel(%n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @another_channel_0 blocks(%n) {
    %ch = cta.channel : !tok
    %other = cta.channel : !tok
    %x = arith.constant 1 : i32
    cta.role @math warps(4) {
      // expected-note @+1 {{the test}}
      %t = cta.test %other : !tok
      // expected-error @+1 {{takes a token of another channel}}
      %q, %k = cta.wait %ch unless %t : !tok
      cta.release %ch, %q : !tok
      %o, %j = cta.wait %other : !tok
      cta.release %other, %o : !tok
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !tok
        cta.commit %ch, %p (%x) : !tok
        %o = cta.acquire %other : !tok
        cta.commit %other, %o (%x) : !tok
      }
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, i32>
tile.kernel @while(%n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @while_0 blocks(%n) {
    %ch = cta.channel : !tok
    %x = arith.constant 1 : i32
    cta.role @math warps(4) {
      %t = cta.test %ch : !tok
      scf.while (%w = %t) : (!cta.token) -> !cta.token {
        scf.condition(%b) %w : !cta.token
      } do {
      // expected-note @+1 {{this is where it comes from}}
      ^bb0(%v: !cta.token):
        // expected-error @+1 {{takes a token that comes from a cta.test, directly or through counted loops and conditions}}
        %q, %k = cta.wait %ch unless %v : !tok
        cta.release %ch, %q : !tok
        %next = cta.test %ch : !tok
        scf.yield %next : !cta.token
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !tok
        cta.commit %ch, %p (%x) : !tok
      }
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, i32>
tile.kernel @too_early(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @too_early_0 blocks(%n) {
    %ch = cta.channel : !tok
    // expected-error @+1 {{breaks phase scheduled: slots are tested from phase specialized on; cta-test-early makes the tests}}
    %t = cta.test %ch : !tok
  }
  tile.return
}

// -----

// Of mbarriers only the numbers are compared.
// expected-note @+1 {{this is where it comes from}}
tile.kernel @mbarriers(%n: index, %s: i32, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @mbarriers_0 blocks(%n) attributes {threads = 128, shared = 32, mbarriers = array<i64: 1, 1, 1, 1>} {
    %t = cta.test_wait 0[%s] parity %s
    cta.await 0[%s] parity %s unless %t
    // expected-note @+1 {{the test}}
    %u = cta.test_wait 2[%s] parity %s
    // expected-error @+1 {{breaks phase allocated: is skipped by a test of mbarrier 2, but waits for mbarrier 0}}
    cta.await 0[%s] parity %s unless %u
    // expected-error @+1 {{breaks phase allocated: takes a token that comes from a cta.test_wait, directly or through counted loops and conditions}}
    cta.await 0[%s] parity %s unless %b
  }
  tile.return
}

// -----

tile.kernel @no_such_mbarrier(%n: index, %s: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @no_such_mbarrier_0 blocks(%n) attributes {threads = 128, shared = 32, mbarriers = array<i64: 1, 1, 1, 1>} {
    // expected-error @+1 {{breaks phase allocated: names mbarrier 4, but 'mbarriers' of the launch lists 4}}
    %v = cta.test_wait 4[%s] parity %s
  }
  tile.return
}
