// RUN: tile-opt %s -split-input-file -verify-diagnostics

tile.kernel @no_launch(%n: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  // expected-error @below {{cluster_place_c1: must stand in a cta.launch with a cluster of two or more}}
  %c = cta.cluster_place if %n : index
  tile.return
}

// -----

tile.kernel @no_cluster(%n: i1, %m: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @no_cluster_0 blocks(%m) {
    // expected-error @below {{cluster_place_c1: must stand in a cta.launch with a cluster of two or more}}
    %c = cta.cluster_place if %n : index
  }
  tile.return
}

// -----

tile.kernel @inside(%m: index) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @inside_0 blocks(%m) attributes {cluster = 2} {
    %b = cta.block_id : index
    %n = arith.cmpi slt, %b, %m : index
    // expected-error @below {{cluster_place_c2: 'many' must be computed before the launch, because the launcher needs its value}}
    %c = cta.cluster_place if %n : index
  }
  tile.return
}
