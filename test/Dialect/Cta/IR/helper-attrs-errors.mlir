// RUN: tile-opt %s -split-input-file -verify-diagnostics
// Discardable attributes of the dialect: each has its op and its type, and there are no others.

// expected-error @below {{has the unknown attribute 'cta.alnoe'; of the dialect there are: cta.alone, cta.blocks_for_memory, cta.cut, cta.least_group, cta.narrow,}}
tile.kernel @misspelt() attributes {cta.alnoe} {
  tile.return
}

// -----

tile.kernel @elsewhere(%n: index) {
  // expected-error @below {{has the attribute 'cta.alone', which has a meaning on tile.kernel only}}
  tile.grid (%i) = (0) to (%n) step (16) attributes {cta.alone} {
  }
  tile.return
}

// -----

// expected-error @below {{has the attribute 'cta.unpipelined' = 3 : i64, which must be a string}}
tile.kernel @type() attributes {cta.unpipelined = 3 : i64} {
  tile.return
}

// -----

tile.kernel @loops(%n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // What it is for.
    scf.for %i = %c0 to %n step %c1 {
    } {cta.rest}
    // expected-error @below {{has the attribute 'cta.rest', which has a meaning on loops and scf.if only}}
    %x = arith.addi %c0, %c1 {cta.rest} : index
  }
  tile.return
}

// -----

tile.kernel @branches(%n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = arith.cmpi eq, %n, %c0 : index
    // What it is for.
    scf.if %none {
    } {cta.cut}
    // expected-error @below {{has the attribute 'cta.cut', which has a meaning on scf.if only}}
    scf.for %i = %c0 to %n step %c1 {
    } {cta.cut}
  }
  tile.return
}
