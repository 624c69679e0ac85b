// RUN: tile-opt %s --split-input-file --verify-diagnostics --convert-cta-to-tile

// expected-error @+1 {{convert-cta-to-tile needs a kernel in phase raw, but this one is in phase L0 (no phase)}}
tile.kernel @l0() {
  tile.return
}

// -----

tile.kernel @barrier() attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    // expected-error @+1 {{has no counterpart at L0; convert-cta-to-tile takes kernels in phase raw, placed or scheduled, before cta-specialize-warps and cta-allocate-shared}}
    cta.barrier
  }
  tile.return
}

// -----

tile.kernel @role(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @role_0 blocks(%n) {
    // expected-error @+1 {{has no counterpart at L0; run convert-cta-to-tile before cta-specialize-warps and cta-lower-channels}}
    cta.role @math warps(4) {}
  }
  tile.return
}

// -----

// expected-error @+1 {{convert-cta-to-tile needs a kernel in phase raw, but this one is in phase specialized; run the passes in the order of the pipeline}}
tile.kernel @specialized() attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @wait_first(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @wait_first_0 blocks(%n) {
    %ch = cta.channel : !tok
    // expected-error @+1 {{waits for a slot that no cta.commit before it fills on every path; in a scheduled kernel the commit comes first}}
    %q, %i = cta.wait %ch : !tok
    cta.release %ch, %q : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @grows(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @grows_0 blocks(%n) {
    // expected-note @+1 {{of this channel}}
    %ch = cta.channel : !tok
    %c = arith.constant 1 : index
    // expected-error @+1 {{an iteration changes the number of filled slots (0 and 1): the IR does not say which commit a wait sees; erase the kernel in an earlier phase, or balance the slots}}
    scf.for %k = %c to %n step %c {
      %p = cta.acquire %ch : !tok
      cta.commit %ch, %p (%k) : !tok
    }
    scf.for %k = %c to %n step %c {
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @sometimes(%n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @sometimes_0 blocks(%n) {
    // expected-note @+1 {{of this channel}}
    %ch = cta.channel : !tok
    // expected-error @+1 {{its arms leave different numbers of filled slots (1 and 0)}}
    scf.if %b {
      %p = cta.acquire %ch : !tok
      cta.commit %ch, %p (%n) : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @into_while(%n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @into_while_0 blocks(%n) {
    // expected-note @+1 {{of this channel}}
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    // expected-error @+1 {{slots are filled before it (0 and 1)}}
    scf.while : () -> () {
      scf.condition(%b)
    } do {
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
      %p1 = cta.acquire %ch : !tok
      cta.commit %ch, %p1 (%n) : !tok
      scf.yield
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @credit(%n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @credit_0 blocks(%n) {
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    // expected-error @+1 {{uses a credit; only scf ops carry it to the cta.commit or cta.release that takes it}}
    %p1 = arith.select %b, %p, %p : !cta.credit
    cta.commit %ch, %p1 (%n) : !tok
  }
  tile.return
}
