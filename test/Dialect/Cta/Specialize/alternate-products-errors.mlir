// RUN: tile-opt %s -split-input-file -cta-alternate-products -verify-diagnostics

// expected-error @below {{cta-alternate-products needs a kernel in phase specialized, but this one is in phase scheduled}}
tile.kernel @phase() attributes {phase = #tile.phase<scheduled>} {
  tile.return
}
