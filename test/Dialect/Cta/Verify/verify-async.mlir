// RUN: %python %S/Inputs/refused.py tile-opt %s | FileCheck %s
// CHECK: 14 kernels taken, 16 changes refused, 0 wrong

// What cta-verify lets pass, and what it refuses instead.

// Both arms of a condition release.
// REFUSED: /(else \{\n) *cta.release %ch, %q : !ch\n/\1/ one arm uses a credit, the other does not
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @arms(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @arms_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    scf.if %b {
      %x = cta.read %t : !tile -> tensor<64x64xbf16, #acc>
      cta.release %ch, %q : !ch
    } else {
      cta.release %ch, %q : !ch
    }
  }
  tile.return
}

// -----

// A condition passes credit and tile on.
// REFUSED: /( *%x = cta.read .*\n)( *cta.release .*\n)/\2\1/ reads a tile whose slot has been released
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @through_if(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @through_if_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %r:2 = scf.if %b -> (!cta.credit, !tile) {
      %q, %t = cta.wait %ch : !ch
      scf.yield %q, %t : !cta.credit, !tile
    } else {
      %q, %t = cta.wait %ch : !ch
      scf.yield %q, %t : !cta.credit, !tile
    }
    %x = cta.read %r#1 : !tile -> tensor<64x64xbf16, #acc>
    cta.release %ch, %r#0 : !ch
  }
  tile.return
}

// -----

// Any op with regions passes values on, if it says how (RegionBranchOpInterface): here a credit comes out of a region, and another region
// uses it.
// REFUSED: /scf.yield %q, %t :/scf.yield %p2, %t :/ takes a credit of a cta.wait of the same channel
// REFUSED: /( *%x = cta.read .*\n)( *cta.release .*\n)/\2\1/ reads a tile whose slot has been released
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @through_region(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @through_region_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %r:2 = scf.execute_region -> (!cta.credit, !tile) {
      %p2 = cta.acquire %ch : !ch
      %s2 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p2 (%s2) : !ch
      %q, %t = cta.wait %ch : !ch
      scf.yield %q, %t : !cta.credit, !tile
    }
    scf.execute_region {
      %x = cta.read %r#1 : !tile -> tensor<64x64xbf16, #acc>
      cta.release %ch, %r#0 : !ch
      scf.yield
    }
    %q1, %t1 = cta.wait %ch : !ch
    cta.release %ch, %q1 : !ch
  }
  tile.return
}

// -----

// The body of a loop may run more than once, even if it is known how often: what a loop uses, it carries.
// REFUSED: /scf.yield %c : !cta.credit/cta.release %ch, %q : !ch\n scf.yield %c : !cta.credit/ of outside this loop or role
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @known_trips(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @known_trips_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %e = scf.for %i = %c0 to %c1 step %c1 iter_args(%c = %q) -> (!cta.credit) {
      scf.yield %c : !cta.credit
    }
    cta.release %ch, %e : !ch
  }
  tile.return
}

// -----

// A loop carries the tile with its credit, and reads it one iteration later.
// REFUSED: /( *%x = cta.read .*\n)( *cta.release .*\n)/\2\1/ reads a tile whose slot has been released
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @carried_tile(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @carried_tile_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %l:2 = scf.for %k = %c to %n step %c iter_args(%old = %q, %tile = %t) -> (!cta.credit, !tile) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %x = cta.read %tile : !tile -> tensor<64x64xbf16, #acc>
      cta.release %ch, %old : !ch
      %q1, %t1 = cta.wait %ch : !ch
      scf.yield %q1, %t1 : !cta.credit, !tile
    }
    %y = cta.read %l#1 : !tile -> tensor<64x64xbf16, #acc>
    cta.release %ch, %l#0 : !ch
  }
  tile.return
}

// -----

// Products retire in their order: the last speaks for the first.
// REFUSED: /after\(%e/after(%d/ a product in flight may still read the slot
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @in_order(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @in_order_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    %e = cta.wgmma %t, %t : !tile, !tile -> !async
    cta.release %ch, %q after(%e : !async) : !ch
    %x = cta.complete %d : !async
  }
  tile.return
}

// -----

// What one release waits for, the next need not name, also in one step.
// REFUSED: / after\(%d : !async\)// a product in flight may still read the slot
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @named_once(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @named_once_0 blocks(%n) {
    %ch1 = cta.channel : !ch
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %p1 = cta.acquire %ch1 : !ch
    %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch1, %p1 (%s1) : !ch
    %q1, %t1 = cta.wait %ch1 : !ch
    %d = cta.wgmma %t, %t1 : !tile, !tile -> !async
    cta.step @free role(math) stage(0) {
      cta.release %ch, %q after(%d : !async) : !ch
      cta.release %ch1, %q1 : !ch
    }
    %x = cta.complete %d : !async
  }
  tile.return
}

// -----

// Completed before.
// REFUSED: /( *%x = cta.complete .*\n)( *cta.release .*\n)/\2\1/ a product in flight may still read the slot
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @completed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @completed_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    %e = cta.wgmma %t, %t, %d : !tile, !tile -> !async
    %x = cta.complete %e : !async
    cta.release %ch, %q : !ch
  }
  tile.return
}

// -----

// A tile from before a loop, read by products that each iteration completes.
// REFUSED: / *%x = cta.complete %d : !async\n// a product in flight may still read the slot
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @outer_tile(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @outer_tile_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    scf.for %k = %c to %n step %c {
      %d = cta.wgmma %t, %t : !tile, !tile -> !async
      %x = cta.complete %d : !async
    }
    cta.release %ch, %q : !ch
  }
  tile.return
}

// -----

// Nothing is in flight in what cta.ready makes.
// REFUSED: /yield %f, %g/yield %x, %g/ a product in flight has at most one consumer
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @ready(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @ready_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = cta.ready %zero : !acc
    %l:2 = scf.for %k = %c to %n step %c iter_args(%x = %r, %y = %r) -> (!async, !async) {
      %v = cta.complete %x : !async
      %w = cta.complete %y : !async
      %f = cta.ready %v : !acc
      %g = cta.ready %w : !acc
      scf.yield %f, %g : !async, !async
    }
  }
  tile.return
}

// -----

// A while loop carries a credit.
// REFUSED: / *cta.release %ch, %held : !tok\n// this one is not used
!tok = !cta.channel<2, index>
tile.kernel @while(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @while_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    %q, %i = cta.wait %ch : !tok
    %last = scf.while (%old = %q) : (!cta.credit) -> !cta.credit {
      scf.condition(%b) %old : !cta.credit
    } do {
    ^bb0(%held: !cta.credit):
      cta.release %ch, %held : !tok
      %p1 = cta.acquire %ch : !tok
      cta.commit %ch, %p1 (%n) : !tok
      %q1, %i1 = cta.wait %ch : !tok
      scf.yield %q1 : !cta.credit
    }
    cta.release %ch, %last : !tok
  }
  tile.return
}

// -----

// Two math operands in registers by turns: each is waited for before it is made again.
// REFUSED: / after\(%d1 : !async\)// in flight when the loop begins anew
// REFUSED: / after\(%sum : !async\)// in flight when the loop begins anew
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @unrolled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @unrolled_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = cta.ready %zero : !acc
    %ch = cta.channel : !ch
    %p0 = cta.acquire %ch : !ch
    %s0 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p0 (%s0) : !ch
    %q0, %t0 = cta.wait %ch : !ch
    %l:2 = scf.for %k = %c to %n step %c iter_args(%sum = %r, %old = %q0) -> (!async, !cta.credit) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q1, %t1 = cta.wait %ch : !ch
      %a1 = cta.load %A[%k, %k] : memref<?x?xbf16> -> tensor<64x64xbf16, #a>
      %d1 = cta.wgmma %a1, %t1, %sum : tensor<64x64xbf16, #a>, !tile -> !async
      cta.release %ch, %old after(%sum : !async) : !ch
      %p2 = cta.acquire %ch : !ch
      %s2 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p2 (%s2) : !ch
      %q2, %t2 = cta.wait %ch : !ch
      %a2 = cta.load %A[%k, %n] : memref<?x?xbf16> -> tensor<64x64xbf16, #a>
      %d2 = cta.wgmma %a2, %t2, %d1 : tensor<64x64xbf16, #a>, !tile -> !async
      cta.release %ch, %q1 after(%d1 : !async) : !ch
      scf.yield %d2, %q2 : !async, !cta.credit
    }
    cta.release %ch, %l#1 after(%l#0 : !async) : !ch
    %x = cta.complete %l#0 : !async
  }
  tile.return
}

// -----

// Registers that no iteration makes may be read over the back edge; the loop over them may wait later.
// REFUSED: / after\(%d : !async\)// a product in flight may still read the slot
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @same_registers(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @same_registers_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = cta.ready %zero : !acc
    %ch = cta.channel : !ch
    %a = cta.load %A[%c, %c] : memref<?x?xbf16> -> tensor<64x64xbf16, #a>
    %l = scf.for %k = %c to %n step %c iter_args(%sum = %r) -> (!async) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q, %t = cta.wait %ch : !ch
      %d = cta.wgmma %a, %t, %sum : tensor<64x64xbf16, #a>, !tile -> !async
      cta.release %ch, %q after(%d : !async) : !ch
      scf.yield %d : !async
    }
    %x = cta.complete %l : !async
  }
  tile.return
}

// -----

// Constants are of every role; one side of a channel in each.
// REFUSED: /%x = arith.constant .*/%x = cta.load %A[%n, %n] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>/ before the roles of a launch stand channels, rings and scalars only
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @roles(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @roles_0 blocks(%n) {
    %x = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    %ch = cta.channel : !ch
    %f = memref.load %X[%n] : memref<?xf32>
    cta.role @math warps(4) attributes {registers = 240} {
      %q, %t = cta.wait %ch : !ch
      %y = cta.read %t : !tile -> tensor<64x64xbf16, #acc>
      cta.release %ch, %q : !ch
      %z = arith.addf %x, %y : tensor<64x64xbf16, #acc>
      cta.store %z, %A[%n, %n] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
      cta.elect {
        memref.store %f, %X[%n] : memref<?xf32>
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !ch
        %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%s) : !ch
      }
    }
  }
  tile.return
}
