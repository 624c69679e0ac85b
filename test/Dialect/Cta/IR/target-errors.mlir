// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has the attribute 'cta.target' = "sm_80": no chip 'sm_80' is known; known are: sm_90a}}
module attributes {cta.target = "sm_80"} {
}

// -----

// expected-error @below {{has the attribute 'cta.target' = "": no chip '' is known; known are: sm_90a}}
module attributes {cta.target = ""} {
}

// -----

// expected-error @below {{has the attribute 'cta.target' = 90 : i64, which must be the name of a chip in quotes}}
module attributes {cta.target = 90} {
}

// -----

// expected-error @below {{has the attribute 'cta.target', which has a meaning on modules only}}
tile.kernel @kernel() attributes {cta.target = "sm_90a"} {
  tile.return
}
