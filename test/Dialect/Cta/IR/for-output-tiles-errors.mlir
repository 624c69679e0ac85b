// RUN: tile-opt %s -split-input-file -verify-diagnostics
#allocated = #tile.phase<allocated>

tile.kernel @nested(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @nested_0 blocks(%n) {
    cta.for_output_tiles %t = %n to %n step %n {
      // expected-error @below {{for_output_tiles_c1: stands in a cta.launch and in no other loop}}
      cta.for_output_tiles %u = %n to %n step %n {
      }
    }
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @in_for(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @in_for_0 blocks(%n) {
    scf.for %t = %n to %n step %n {
      // expected-error @below {{for_output_tiles_c1: stands in a cta.launch and in no other loop}}
      cta.for_output_tiles %u = %n to %n step %n {
      }
    }
  }
  tile.return
}

// -----

%c = arith.constant 1 : index
// expected-error @below {{for_output_tiles_c1: stands in a cta.launch}}
cta.for_output_tiles %u = %c to %c step %c {
}

// -----

// In a branch it stands well.
#allocated = #tile.phase<allocated>
tile.kernel @branch(%n: index, %b: i1) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @branch_0 blocks(%n) {
    scf.if %b {
      cta.for_output_tiles %u = %n to %n step %n {
      }
    }
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @arguments(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @arguments_0 blocks(%n) {
    // expected-error @below {{for_output_tiles_c2: the body takes the number and the carried values ('index'), but its arguments are ('i32')}}
    "cta.for_output_tiles"(%n, %n, %n) ({
    ^bb0(%t: i32):
      "cta.yield"() : () -> ()
    }) : (index, index, index) -> ()
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @results(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @results_0 blocks(%n) {
    // expected-error @below {{along control flow edge from parent to parent: successor operand type #0 'index' should match successor input type #0 'i32'}}
    // expected-note @below {{region branch point}}
    %r = "cta.for_output_tiles"(%n, %n, %n, %n) ({
    ^bb0(%t: index, %a: index):
      "cta.yield"(%a) : (index) -> ()
    }) : (index, index, index, index) -> i32
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @yields(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @yields_0 blocks(%n) {
    // expected-error @below {{along control flow edge from Operation cta.yield to Region #0: region branch point has 0 operands}}
    %r = cta.for_output_tiles %t = %n to %n step %n iter_args(%a = %n) -> (index) {
      // expected-note @below {{region branch point}}
      cta.yield
    }
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @no_arguments(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @no_arguments_0 blocks(%n) {
    // expected-error @below {{for_output_tiles_c2: the body takes the number and the carried values ('index'), but its arguments are ()}}
    "cta.for_output_tiles"(%n, %n, %n) ({
      "cta.yield"() : () -> ()
    }) : (index, index, index) -> ()
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @types(%n: index, %m: i32) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @types_0 blocks(%n) {
    // expected-error @below {{failed to verify that all of {lowerBound, upperBound, step} have same type}}
    "cta.for_output_tiles"(%n, %n, %m) ({
    ^bb0(%t: index):
      "cta.yield"() : () -> ()
    }) : (index, index, i32) -> ()
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @count(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @count_0 blocks(%n) {
    // expected-error @below {{carries 1 values, but 2 types follow}}
    %r = cta.for_output_tiles %t = %n to %n step %n iter_args(%a = %n) -> (index, index) {
    }
  }
  tile.return
}

// -----

#allocated = #tile.phase<allocated>
tile.kernel @step(%n: index) attributes {phase = #allocated, warpgroups = 1} {
  cta.launch @step_0 blocks(%n) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{for_output_tiles_c3: the step must be at least 1, got 0}}
    cta.for_output_tiles %t = %n to %n step %c0 {
    }
  }
  tile.return
}

// -----

tile.kernel @drawn(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @drawn_0 blocks(%n) {
    // expected-error @below {{for_output_tiles_c4: 'drawn' names a carried value of type 'index', and 1 is none}}
    %r = cta.for_output_tiles %t = %n to %n step %n iter_args(%a = %n) -> (index) {
      cta.yield %a : index
    } {drawn = 1 : i64}
  }
  tile.return
}

// -----

tile.kernel @drawn_type(%n: index, %f: f32) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @drawn_type_0 blocks(%n) {
    // expected-error @below {{for_output_tiles_c4: 'drawn' names a carried value of type 'index', and 0 is none}}
    %r = cta.for_output_tiles %t = %n to %n step %n iter_args(%a = %f) -> (f32) {
      cta.yield %a : f32
    } {drawn = 0 : i64}
  }
  tile.return
}

// -----

tile.kernel @drawn_argument(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @drawn_argument_0 blocks(%n) {
    // expected-error @below {{for_output_tiles_c4: the numbers of its output tiles are drawn, so the body must use the carried value in place of the argument}}
    %r = cta.for_output_tiles %t = %n to %n step %n iter_args(%a = %n) -> (index) {
      cta.yield %t : index
    } {drawn = 0 : i64}
  }
  tile.return
}
