// RUN: tile-opt %s -split-input-file -cta-lower-grid -verify-diagnostics

// Blocks beyond the end of the grid have no scalars to read.
tile.kernel @scalars(%x: memref<?xf32>, %n: index) attributes {phase = #tile.phase<placed>, plan = #cta.plan<persistent = 1, cluster = 2>, warpgroups = 1} {
  // expected-error @below {{cannot run in clusters: they may have points beyond the grid's end, at which scalar accesses and assumptions would not hold; plan cluster = 1}}
  tile.grid (%i) = (0) to (%n) step (1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  tile.return
}
