// RUN: tile-opt %s -cta-lower-grid -verify-diagnostics

// expected-error @below {{cta-lower-grid needs a kernel in phase placed, but this one is in phase L0 (no phase); run the passes in the order of the pipeline}}
tile.kernel @l0() {
  tile.grid () = () to () step () {
  }
  tile.return
}
