// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// Arms of a branch on the turn that pass over different numbers of slots.

// No skip: the others would read the slots of that output tile again.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @nothing(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @nothing_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        // expected-error @+1 {{breaks phase specialized: the replicas whose turn it is not skip no slots of a channel that the other one reads, and would read those again; put a cta.skip into the other arm}}
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            // expected-note @+1 {{waited for here}}
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// Nor a branch.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @no_arm(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @no_arm_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        // expected-error @+1 {{skip no slots of a channel that the other one reads}}
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            // expected-note @+1 {{waited for here}}
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// The arms may stand the other way round.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @swapped(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @swapped_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        // expected-error @+1 {{skip no slots of a channel that the other one reads}}
        scf.if %mine {
        } else {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            // expected-note @+1 {{waited for here}}
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// An output tile without a slot.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @surplus(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @surplus_0 blocks(%n) {
    // expected-error @+1 {{slots are committed, but nobody waits for them}}
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
        } else {
          %trips = arith.ceildivui %K, %c64 : index
          %s = arith.index_castui %trips : index to i32
          // expected-error @+1 {{breaks phase specialized: skips slots for which no replica waits in the other arm of the scf.if on the turn; drop it, or wait for them there}}
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// One slot, not two.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @constant(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @constant_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          // expected-note @+1 {{waited for here}}
          %q, %a = cta.wait %ch : !channel
          cta.release %ch, %q : !channel
          cta.pass_turn %ch : !channel
        } else {
          %s = arith.constant 2 : i32
          // expected-error @+1 {{breaks phase specialized: passes over 2 slots of a channel where the other arm of the scf.if on the turn passes over 1, and the numbers agreed for no values that were tried: the replicas would read different slots; skip what the other arm waits for}}
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// Bounds of another loop.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @step(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @step_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            // expected-note @+1 {{waited for here}}
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %c32 = arith.constant 32 : index
          %trips = arith.ceildivui %K, %c32 : index
          %s = arith.index_castui %trips : index to i32
          // expected-error-re @+1 {{passes over {{[0-9]+}} slots of a channel where}}
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// One slot too many, as a loop: the other begins at the second.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @lower(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @lower_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c64 to %K step %c64 {
            // expected-note @+1 {{waited for here}}
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %s = arith.constant 1 : i32
          scf.for %k = %c0 to %K step %c64 {
            // expected-error-re @+1 {{passes over {{[0-9]+}} slots of a channel where}}
            cta.skip %ch, %s : !channel
          }
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// Between loops, with what an iteration carries.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @off_by_one(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @off_by_one_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            // expected-note @+1 {{waited for here}}
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %o1 = arith.constant 1 : i32
          %last = scf.while (%k = %c0) : (index) -> index {
            // expected-error-re @+1 {{passes over {{[0-9]+}} slots of a channel where}}
            cta.skip %ch, %o1 : !channel
            %more = arith.cmpi slt, %k, %K : index
            scf.condition(%more) %k : index
          } do {
          ^bb0(%k: index):
            %j = arith.addi %k, %c64 : index
            scf.yield %j : index
          }
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// In none of the branches as many.
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @branches(%A: memref<?x?xbf16>, %n: index, %K: index, %go: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @branches_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.if %go {
            // expected-note @+1 {{waited for here}}
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %none = arith.constant 0 : i32
          %two = arith.constant 2 : i32
          %s = arith.select %go, %two, %none : i32
          // expected-error @+1 {{passes over 2 slots of a channel where the other arm of the scf.if on the turn passes over 1}}
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
tile.kernel @held(%x: memref<128x8xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @held_0 blocks() attributes {shared = 9216 : i64, threads = 288 : i64} {
    cta.role @math warps(8) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = arith.constant dense<1.0> : tensor<128x32xbf16, #acc>
      %u = arith.constant dense<1.0> : tensor<32x8xbf16, #acc>
      %z = arith.constant dense<0.0> : tensor<128x8xf32, #acc>
      %a = cta.stage %t {offset = 0 : i64} : tensor<128x32xbf16, #acc> -> !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>
      %b = cta.stage %u {offset = 8192 : i64} : tensor<32x8xbf16, #acc> -> !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>>
      %w = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<128x8xf32, #acc>) {
        // expected-note@+1 {{the first product of the turn}}
        %d = cta.wgmma %a, %b {in_turn} : !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> !cta.async<tensor<128x8xf32, #acc>>
        // expected-error@+1 {{breaks phase allocated: all warpgroups of the role meet here while one has its turn to issue products, which the others wait for; move it before the first product of the turn or behind the last one}}
        cta.barrier
        %e = cta.wgmma %a, %b {in_turn} : !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> !cta.async<tensor<128x8xf32, #acc>>
        %f:2 = cta.wgmma_wait(%d, %e) pending = 0 : !cta.async<tensor<128x8xf32, #acc>>, !cta.async<tensor<128x8xf32, #acc>>
        %g = cta.complete %f#0 : <tensor<128x8xf32, #acc>>
        %h = cta.complete %f#1 : <tensor<128x8xf32, #acc>>
        %m = arith.addf %g, %h : tensor<128x8xf32, #acc>
        %o = arith.addf %m, %s : tensor<128x8xf32, #acc>
        scf.yield %o : tensor<128x8xf32, #acc>
      }
      cta.store %w, %x[%c0, %c0] : tensor<128x8xf32, #acc> -> memref<128x8xf32>
    }
    cta.role @producer warps(1) {
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
tile.kernel @voted_held(%x: memref<128x8xf32>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 2 : i64} {
  cta.launch @voted_held_0 blocks() attributes {shared = 9216 : i64, threads = 288 : i64} {
    cta.role @math warps(8) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = arith.constant dense<1.0> : tensor<128x32xbf16, #acc>
      %u = arith.constant dense<1.0> : tensor<32x8xbf16, #acc>
      %z = arith.constant dense<0.0> : tensor<128x8xf32, #acc>
      %a = cta.stage %t {offset = 0 : i64} : tensor<128x32xbf16, #acc> -> !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>
      %b = cta.stage %u {offset = 8192 : i64} : tensor<32x8xbf16, #acc> -> !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>>
      %w = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<128x8xf32, #acc>) {
        // expected-note@+1 {{the first product of the turn}}
        %d = cta.wgmma %a, %b {in_turn} : !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> !cta.async<tensor<128x8xf32, #acc>>
        %need = arith.cmpf ogt, %s, %z : tensor<128x8xf32, #acc>
        // expected-error@+1 {{breaks phase allocated: all warpgroups of the role meet here while one has its turn to issue products, which the others wait for; move it before the first product of the turn or behind the last one}}
        %any = cta.any %need : tensor<128x8xi1, #acc>
        %e = cta.wgmma %a, %b {in_turn} : !cta.smem<128x32xbf16, #cta.swizzle<64, dim = 1>>, !cta.smem<32x8xbf16, #cta.swizzle<64, dim = 0>> -> !cta.async<tensor<128x8xf32, #acc>>
        %f:2 = cta.wgmma_wait(%d, %e) pending = 0 : !cta.async<tensor<128x8xf32, #acc>>, !cta.async<tensor<128x8xf32, #acc>>
        %g = cta.complete %f#0 : <tensor<128x8xf32, #acc>>
        %h = cta.complete %f#1 : <tensor<128x8xf32, #acc>>
        %m = arith.addf %g, %h : tensor<128x8xf32, #acc>
        %o = arith.addf %m, %s : tensor<128x8xf32, #acc>
        scf.yield %o : tensor<128x8xf32, #acc>
      }
      cta.store %w, %x[%c0, %c0] : tensor<128x8xf32, #acc> -> memref<128x8xf32>
    }
    cta.role @producer warps(1) {
    }
  }
  tile.return
}
