// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// Which op in which phase.
!tok = !cta.channel<2, index>
tile.kernel @channel_placed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @channel_placed_0 blocks(%n) {
    // expected-error @+1 {{breaks phase placed: channels exist from phase scheduled on; cta-pipeline-copies makes them}}
    %ch = cta.channel : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @channel_allocated(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @channel_allocated_0 blocks(%n) {
    // expected-error @+1 {{breaks phase allocated: cta-lower-channels replaces channels by rings and mbarriers}}
    %ch = cta.channel : !tok
  }
  tile.return
}

// -----


tile.kernel @open_specialized(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @open_specialized_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: the depth of a channel is open in phase scheduled only; cta-schedule chooses it}}
    %ch = cta.channel : !cta.channel<?, index>
  }
  tile.return
}

// -----


tile.kernel @step_placed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @step_placed_0 blocks(%n) {
    // expected-error @+1 {{breaks phase placed: steps exist from phase scheduled on; cta-schedule makes them}}
    cta.step @s role(math) stage(0) {}
  }
  tile.return
}

// -----


tile.kernel @step_allocated(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @step_allocated_0 blocks(%n) {
    // expected-error @+1 {{breaks phase allocated: cta-expand-loops inlines steps}}
    cta.step @s role(math) stage(0) {}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x64xf32, #acc>
tile.kernel @ready_placed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @ready_placed_0 blocks(%n) {
    %zero = arith.constant dense<0.0> : !acc
    // expected-error @+1 {{breaks phase placed: products are in flight from phase scheduled on; cta-schedule makes them so}}
    %r = cta.ready %zero : !acc
  }
  tile.return
}

// -----


tile.kernel @role_scheduled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @role_scheduled_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: roles exist from phase specialized on; cta-specialize-warps makes them}}
    cta.role @math warps(4) {}
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @ring_scheduled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @ring_scheduled_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: rings and slots exist from phase specialized on; cta-lower-channels makes them}}
    %r = cta.ring : !cta.ring<2, !tile>
  }
  tile.return
}

// -----


tile.kernel @await_scheduled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @await_scheduled_0 blocks(%n) {
    %s = arith.constant 0 : i32
    // expected-error @+1 {{breaks phase scheduled: rings and slots exist from phase specialized on; cta-lower-channels makes them}}
    cta.await 0[%s] parity %s
  }
  tile.return
}

// -----


tile.kernel @await_specialized(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @await_specialized_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: barriers and waits exist in phase allocated only}}
    cta.await 0
  }
  tile.return
}

// -----

tile.kernel @grid(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  // expected-error @+1 {{breaks phase scheduled: no such op below L0; convert-tile-to-cta and cta-lower-grid replace it}}
  tile.grid (%i) = (0) to (%n) step (1) {}
  tile.return
}

// -----

// Scratch is explicit before depths are chosen.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x64xf32, #acc>
tile.kernel @decomposed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @decomposed_0 blocks(%n) {
    %x = arith.constant dense<0.0> : !acc
    // expected-error @+1 {{breaks phase scheduled: cta-decompose replaces it by scratch}}
    %u = cta.slice %x offsets = [0, 1] : !acc -> tensor<64x32xf32, #acc>
  }
  tile.return
}

// -----

// Layouts of what is in flight.
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @async_layout(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @async_layout_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-error @+1 {{breaks phase scheduled: the tile 'tensor<64x64xf32>' has no register layout; cta-assign-layouts chooses one}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !cta.async<tensor<64x64xf32>>
    cta.release %ch, %q after(%d : !cta.async<tensor<64x64xf32>>) : !ch
  }
  tile.return
}

// -----

// Both sides, and nothing else.
!tok = !cta.channel<2, index>
tile.kernel @no_commit(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @no_commit_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: slots are waited for, but nobody commits them: the other side would wait for ever}}
    %ch = cta.channel : !tok
    %q, %i = cta.wait %ch : !tok
    cta.release %ch, %q : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @no_wait(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @no_wait_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: slots are committed, but nobody waits for them: the other side would wait for ever}}
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @carried_channel(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @carried_channel_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !tok
    // expected-error @+1 {{breaks phase scheduled: a channel is used by cta.acquire, commit, wait and release only}}
    %all = scf.for %i = %c to %n step %c iter_args(%o = %ch) -> (!tok) {
      scf.yield %o : !tok
    }
  }
  tile.return
}

// -----

// A credit is used once on every path.
!tok = !cta.channel<2, index>
tile.kernel @credit_unused(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @credit_unused_0 blocks(%n) {
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    // expected-error @+1 {{breaks phase scheduled: a credit is used once on every path, by cta.commit or cta.release; this one is not used}}
    %q, %i = cta.wait %ch : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @credit_twice(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @credit_twice_0 blocks(%n) {
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    // expected-error @+1 {{breaks phase scheduled: a credit is used once on every path, by cta.commit or cta.release; this one is used 2 times}}
    %q, %i = cta.wait %ch : !tok
    // expected-note @+1 {{used here}}
    cta.release %ch, %q : !tok
    // expected-note @+1 {{used here}}
    cta.release %ch, %q : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @one_arm(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @one_arm_0 blocks(%n) {
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    %q, %i = cta.wait %ch : !tok
    // expected-error @+1 {{breaks phase scheduled: one arm uses a credit, the other does not; commit or release it in both, or in none}}
    scf.if %b {
      cta.release %ch, %q : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @in_loop(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @in_loop_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    %q, %i = cta.wait %ch : !tok
    scf.for %k = %c to %n step %c {
      // expected-error @+1 {{breaks phase scheduled: uses '!cta.credit' of outside this loop or role, where it would be used more than once; carry it as an iter_arg, or use it outside}}
      cta.release %ch, %q : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @loop_argument(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @loop_argument_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    %q, %i = cta.wait %ch : !tok
    // expected-error @+1 {{breaks phase scheduled: a credit is used once on every path, by cta.commit or cta.release; this one is not used}}
    %last = scf.for %k = %c to %n step %c iter_args(%old = %q) -> (!cta.credit) {
      %r = cta.acquire %ch : !tok
      cta.commit %ch, %r (%n) : !tok
      %q1, %i1 = cta.wait %ch : !tok
      scf.yield %q1 : !cta.credit
    }
    cta.release %ch, %last : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @elsewhere(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @elsewhere_0 blocks(%n) {
    %ch = cta.channel : !tok
    %p = cta.acquire %ch : !tok
    cta.commit %ch, %p (%n) : !tok
    %q, %i = cta.wait %ch : !tok
    // expected-error @+2 {{breaks phase scheduled: a credit goes to cta.commit or cta.release, through loops, conditions and steps only}}
    // expected-note @+1 {{this is where the credit comes from}}
    %r = arith.select %b, %q, %q : !cta.credit
    // expected-error @+1 {{breaks phase scheduled: takes a credit of a cta.wait of the same channel}}
    cta.release %ch, %r : !tok
  }
  tile.return
}

// -----

// It belongs to its channel and its side.
!tok = !cta.channel<2, index>
tile.kernel @other_channel(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @other_channel_0 blocks(%n) {
    %ch = cta.channel : !tok
    %ch1 = cta.channel : !tok
    // expected-note @+1 {{this is where the credit comes from}}
    %p = cta.acquire %ch : !tok
    // expected-note @+1 {{this is where the credit comes from}}
    %p1 = cta.acquire %ch1 : !tok
    // expected-error @+1 {{breaks phase scheduled: takes a credit of a cta.acquire of the same channel}}
    cta.commit %ch1, %p (%n) : !tok
    // expected-error @+1 {{breaks phase scheduled: takes a credit of a cta.acquire of the same channel}}
    cta.commit %ch, %p1 (%n) : !tok
    %q, %i = cta.wait %ch : !tok
    cta.release %ch, %q : !tok
    %q1, %i1 = cta.wait %ch1 : !tok
    cta.release %ch1, %q1 : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @other_side(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @other_side_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !tok
    // expected-note @+1 {{this is where the credit comes from}}
    %p = cta.acquire %ch : !tok
    // expected-note @+1 {{this is where the credit comes from}}
    %q, %i = cta.wait %ch : !tok
    %l:2 = scf.for %k = %c to %n step %c iter_args(%x = %p, %y = %q) -> (!cta.credit, !cta.credit) {
      scf.yield %y, %x : !cta.credit, !cta.credit
    }
    // expected-error @+1 {{breaks phase scheduled: takes a credit of a cta.acquire of the same channel}}
    cta.commit %ch, %l#0 (%n) : !tok
    // expected-error @+1 {{breaks phase scheduled: takes a credit of a cta.wait of the same channel}}
    cta.release %ch, %l#1 : !tok
  }
  tile.return
}

// -----

// Tiles of a slot are read before its release.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @late_read(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @late_read_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the credit ends here}}
    cta.release %ch, %q : !ch
    // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit behind it, or carry the tile with the credit}}
    %x = cta.read %t : !tile -> tensor<64x64xbf16, #acc>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @late_in_arm(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @late_in_arm_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    scf.if %b {
      // expected-note @+1 {{the credit ends here}}
      cta.release %ch, %q : !ch
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit behind it, or carry the tile with the credit}}
      %x = cta.read %t : !tile -> tensor<64x64xbf16, #acc>
    } else {
      %x = cta.read %t : !tile -> tensor<64x64xbf16, #acc>
      cta.release %ch, %q : !ch
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @out_of_step(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @out_of_step_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %t = cta.step @s role(math) stage(0) {
      %q, %x = cta.wait %ch : !ch
      // expected-note @+1 {{the credit ends here}}
      cta.release %ch, %q : !ch
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit behind it, or carry the tile with the credit}}
      cta.yield %x : !tile
    } : !tile
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @tile_left_behind(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @tile_left_behind_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the credit ends here}}
    %last = scf.for %k = %c to %n step %c iter_args(%old = %q) -> (!cta.credit) {
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit behind it, or carry the tile with the credit}}
      %x = cta.read %t : !tile -> tensor<64x64xbf16, #acc>
      scf.yield %old : !cta.credit
    }
    cta.release %ch, %last : !ch
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @carried_late(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @carried_late_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %last:2 = scf.for %k = %c to %n step %c iter_args(%old = %q, %tile = %t) -> (!cta.credit, !tile) {
      // expected-note @+1 {{the credit ends here}}
      cta.release %ch, %old : !ch
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit behind it, or carry the tile with the credit}}
      %x = cta.read %tile : !tile -> tensor<64x64xbf16, #acc>
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q1, %t1 = cta.wait %ch : !ch
      scf.yield %q1, %t1 : !cta.credit, !tile
    }
    cta.release %ch, %last#0 : !ch
  }
  tile.return
}

// -----

// Products in flight that read it have retired.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @in_flight(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @in_flight_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the product}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %q : !ch
    %x = cta.complete %d : !async
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @wrong_name(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @wrong_name_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %e = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-note @+1 {{the product}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %q after(%e : !async) : !ch
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @one_arm_completes(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @one_arm_completes_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the product}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    scf.if %b {
      %x = cta.complete %d : !async
    }
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %q : !ch
  }
  tile.return
}

// -----

// The carried product is last iteration's: it does not speak for this one's.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @last_iteration(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @last_iteration_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = cta.ready %zero : !acc
    %ch = cta.channel : !ch
    %l = scf.for %k = %c to %n step %c iter_args(%sum = %r) -> (!async) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q, %t = cta.wait %ch : !ch
      // expected-note @+1 {{the product}}
      %d = cta.wgmma %t, %t, %sum : !tile, !tile -> !async
      // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
      cta.release %ch, %q after(%sum : !async) : !ch
      scf.yield %d : !async
    }
    %x = cta.complete %l : !async
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @carried_unnamed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @carried_unnamed_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the product}}
    %d0 = cta.wgmma %t, %t : !tile, !tile -> !async
    %l:2 = scf.for %k = %c to %n step %c iter_args(%sum = %d0, %old = %q) -> (!async, !cta.credit) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q1, %t1 = cta.wait %ch : !ch
      // expected-note @+1 {{the product}}
      %d = cta.wgmma %t1, %t1, %sum : !tile, !tile -> !async
      cta.release %ch, %old after(%sum : !async) : !ch
      scf.yield %d, %q1 : !async, !cta.credit
    }
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %l#1 : !ch
  }
  tile.return
}

// -----

// A product in flight has at most one consumer.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @two_consumers(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @two_consumers_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-error @+1 {{breaks phase scheduled: a product in flight has at most one consumer (cta.complete, or the next cta.wgmma on its accumulators), but this one has 2}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-note @+1 {{consumed or carried to a consumer here}}
    %e = cta.wgmma %t, %t, %d : !tile, !tile -> !async
    // expected-note @+1 {{consumed or carried to a consumer here}}
    %x = cta.complete %d : !async
    cta.release %ch, %q after(%e : !async) : !ch
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @consumer_in_loop(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @consumer_in_loop_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    cta.release %ch, %q after(%d : !async) : !ch
    scf.for %k = %c to %n step %c {
      // expected-error @+1 {{breaks phase scheduled: uses '!cta.async<tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>>' of outside this loop or role, where it would be used more than once; carry it as an iter_arg, or use it outside}}
      %x = cta.complete %d : !async
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @carried_twice(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @carried_twice_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-error @+1 {{breaks phase scheduled: a product in flight has at most one consumer (cta.complete, or the next cta.wgmma on its accumulators), but this one has 2}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    cta.release %ch, %q after(%d : !async) : !ch
    // expected-note @+1 {{consumed or carried to a consumer here}}
    %l:2 = scf.for %k = %c to %n step %c iter_args(%x = %d, %y = %d) -> (!async, !async) {
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

// Steps.

tile.kernel @step_names(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_names_0 blocks(%n) {
    // expected-note @+1 {{the other}}
    cta.step @a role(math) stage(0) {}
    // expected-error @+1 {{breaks phase scheduled: two steps of one block are named @a; rename one}}
    cta.step @a role(producer) stage(0) {}
  }
  tile.return
}

// -----


tile.kernel @step_order(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_order_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: its schedule is not that of the steps of the block, which are @a, @b}}
    cta.step @a role(math) stage(0) attributes {schedule = #cta.schedule<[@b, @a]>} {}
    cta.step @b role(math) stage(0) {}
  }
  tile.return
}

// -----


tile.kernel @step_missing(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @step_missing_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: its schedule is not that of the steps of the block, which are @a}}
    cta.step @a role(math) stage(0) attributes {schedule = #cta.schedule<[@a, @b]>} {}
  }
  tile.return
}

// -----

// Roles.

tile.kernel @role_names(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @role_names_0 blocks(%n) {
    cta.role @r warps(1) {}
    // expected-error @+1 {{breaks phase specialized: two roles of the launch are named @r}}
    cta.role @r warps(1) {}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @math_warps(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @math_warps_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: a role with tiles in registers has the 4 warps that their layouts are for, not 8}}
    cta.role @math warps(8) {
      %x = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
      cta.store %x, %A[%n, %n] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @math_first(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @math_first_0 blocks(%n) {
    // expected-note @+1 {{behind this role}}
    cta.role @producer warps(1) {}
    // expected-error @+1 {{breaks phase specialized: roles with tiles in registers come first, since layouts count threads from 0}}
    cta.role @math warps(4) {
      %x = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
      cta.store %x, %A[%n, %n] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----


tile.kernel @registers_at(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @registers_at_0 blocks(%n) {
    cta.role @a warps(1) {}
    // expected-error @+1 {{breaks phase specialized: 'registers' is for whole warpgroups, but the role begins at warp 1; put it before the roles with single warps}}
    cta.role @b warps(4) attributes {registers = 40} {}
  }
  tile.return
}

// -----


tile.kernel @too_many(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  // expected-error @+1 {{breaks phase specialized: its roles have 33 warps together; a block has at most 32}}
  cta.launch @too_many_0 blocks(%n) {
    cta.role @a warps(32) {}
    cta.role @b warps(1) {}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @shared_tile(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @shared_tile_0 blocks(%n) {
    // expected-note @+2 {{made here}}
    // expected-error @+1 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    %x = cta.load %A[%n, %n] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>
    cta.role @math warps(4) {
      // expected-error @+1 {{breaks phase specialized: uses a value of type 'tensor<64x64xbf16, #cta.frag<wgmma_acc, wg = 1>>' from outside its role; roles exchange tiles through channels only}}
      cta.store %x, %A[%n, %n] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
    }
  }
  tile.return
}

// -----


tile.kernel @store_before(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @store_before_0 blocks(%n) {
    %f = arith.constant 0.0 : f32
    // expected-error @+1 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    memref.store %f, %X[%n] : memref<?xf32>
    cta.role @math warps(4) {}
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @two_producers(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @two_producers_0 blocks(%n) {
    %ch = cta.channel : !tok
    cta.role @consumer warps(1) {
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
    }
    cta.role @a warps(1) {
      %p = cta.acquire %ch : !tok
      // expected-error @+1 {{breaks phase specialized: a channel has its producing side in one role; give each role a channel of its own}}
      cta.commit %ch, %p (%n) : !tok
    }
    cta.role @b warps(1) {
      // expected-note @+1 {{the same side in another role}}
      %p = cta.acquire %ch : !tok
      cta.commit %ch, %p (%n) : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @two_consumers_roles(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @two_consumers_roles_0 blocks(%n) {
    %ch = cta.channel : !tok
    cta.role @a warps(1) {
      %q, %i = cta.wait %ch : !tok
      // expected-error @+1 {{breaks phase specialized: a channel has its consuming side in one role; give each role a channel of its own}}
      cta.release %ch, %q : !tok
    }
    cta.role @b warps(1) {
      // expected-note @+1 {{the same side in another role}}
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
    }
    cta.role @c warps(1) {
      %p = cta.acquire %ch : !tok
      cta.commit %ch, %p (%n) : !tok
    }
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @outside_roles(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @outside_roles_0 blocks(%n) {
    %ch = cta.channel : !tok
    // expected-error @+1 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    %p = cta.acquire %ch : !tok
    // expected-error @+2 {{breaks phase specialized: before the roles of a launch stand channels, rings and scalars only; move it into a role}}
    // expected-error @+1 {{breaks phase specialized: stands outside the roles of the launch; move it into one}}
    cta.commit %ch, %p (%n) : !tok
    cta.role @a warps(1) {
      %q, %i = cta.wait %ch : !tok
      cta.release %ch, %q : !tok
    }
  }
  tile.return
}

// -----

// One thread has scalars only.
#acc = #cta.frag<wgmma_acc, wg = 1>
tile.kernel @elect_tile(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @elect_tile_0 blocks(%n) {
    cta.role @r warps(4) {
      cta.elect {
        // expected-error @+1 {{breaks phase specialized: one thread has no tiles in registers; move it out of the cta.elect}}
        %x = cta.load %A[%n, %n] : memref<?x?xbf16> -> tensor<64x64xbf16, #acc>
      }
    }
  }
  tile.return
}

// -----


tile.kernel @elect_barrier(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @elect_barrier_0 blocks(%n) {
    cta.role @r warps(1) {
      cta.elect {
        // expected-error @+1 {{breaks phase allocated: needs all threads of the role; move it out of the cta.elect}}
        cta.barrier
      }
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
tile.kernel @elect_cp_async(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @elect_cp_async_0 blocks(%n) {
    %ch = cta.channel : !ch
    cta.role @r warps(1) {
      %q, %t = cta.wait %ch : !ch
      cta.release %ch, %q : !ch
    }
    cta.role @p warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !ch
        // expected-error @+1 {{breaks phase specialized: needs all threads of the role; move it out of the cta.elect}}
        %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<cp_async>} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%s) : !ch
      }
    }
  }
  tile.return
}

// -----

// Numbers of mbarriers.

tile.kernel @mbarrier(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @mbarrier_0 blocks(%n) attributes {mbarriers = array<i64: 1, 1>} {
    %s = arith.constant 0 : i32
    // expected-error @+1 {{breaks phase allocated: names mbarrier 2, but 'mbarriers' of the launch lists 2}}
    cta.arrive 2[%s]
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @into_mbarrier(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @into_mbarrier_0 blocks(%n) {
    %s = arith.constant 0 : i32
    %r = cta.ring : !cta.ring<2, !tile>
    %t = cta.slot %r[%s] : !cta.ring<2, !tile>
    // expected-error @+1 {{breaks phase specialized: a copy into a slot needs the number of its mbarrier}}
    %x = cta.copy %A[%n, %n] into %t[%s] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @ring_offset(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @ring_offset_0 blocks(%n) {
    // expected-error @+1 {{breaks phase allocated: has no offset; cta-allocate-shared sets it}}
    %r = cta.ring : !cta.ring<2, !tile>
  }
  tile.return
}

// -----

// The registers of a product in flight are not made anew.
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @register_operand(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @register_operand_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = cta.ready %zero : !acc
    %ch = cta.channel : !ch
    %l:2 = scf.for %k = %c to %n step %c iter_args(%sum = %r, %i = %c) -> (!async, index) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q, %t = cta.wait %ch : !ch
      %a = cta.load %A[%k, %k] : memref<?x?xbf16> -> tensor<64x64xbf16, #a>
      // expected-error @+1 {{breaks phase specialized: reads a from registers and is in flight when the loop begins anew, which overwrites them; complete it before, or unroll the loop until it is waited for before its a is made again}}
      %d = cta.wgmma %a, %t, %sum : tensor<64x64xbf16, #a>, !tile -> !async
      cta.release %ch, %q after(%sum : !async) : !ch
      scf.yield %d, %i : !async, index
    }
    %x = cta.complete %l#0 : !async
  }
  tile.return
}

// -----

// Counts are made from the program that roles run.
tile.kernel @early_count() attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @early_count_0 blocks() {
    // expected-error @+1 {{breaks phase scheduled: counted waits exist from phase specialized on; cta-insert-waits makes them}}
    cta.wgmma_wait() pending = 0
  }
  tile.return
}
