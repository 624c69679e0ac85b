// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

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
    // expected-error @+1 {{breaks phase scheduled: a channel is used by cta.acquire, commit, wait, test and release only, and by turns of replicas}}
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
    // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit after it, or carry the tile with the credit}}
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
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit after it, or carry the tile with the credit}}
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
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit after it, or carry the tile with the credit}}
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
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit after it, or carry the tile with the credit}}
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
      // expected-error @+1 {{breaks phase scheduled: reads a tile whose slot has been released; release the credit after it, or carry the tile with the credit}}
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
