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
