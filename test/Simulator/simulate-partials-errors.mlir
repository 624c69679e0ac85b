// RUN: tile-opt %s --cta-simulate -split-input-file -verify-diagnostics -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @lost() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    // expected-error@+1 {{the flag of slot 0 that warp 0 of block 0 raises is up at the end of the launch: nobody takes the partial sums}}
    cta.put_partial %x, %slots[%id], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @twice() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 1 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %x = arith.constant dense<1.0> : !acc
    // expected-error@+2 {{warp 0 of block 1 puts partial sums into slot 0, whose flag is still up: nobody has taken those that are there}}
    // expected-note@+1 {{put by warp 0 of block 0}}
    cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
  }
  tile.return
}

// -----

// The partial sums are taken, but the block that puts the next ones does not know it.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @again() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 3 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 2 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %c1 = arith.constant 1 : index
    %x = arith.constant dense<1.0> : !acc
    %takes = arith.cmpi eq, %id, %c1 : index
    scf.if %takes {
      // expected-note@+1 {{read by warp 0 of block 1}}
      %y = cta.add_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      // expected-error@+1 {{warp 0 of block 2 puts partial sums into slot 0 while warp 0 of block 1 may still read those before them: a slot serves once in a launch}}
      cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    }
  }
  tile.return
}

// -----

// It is correct if other partial sums come back: then it is known that these have been read.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @there_and_back() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  cta.launch @k blocks(%n) attributes {cluster = 2, threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %first = arith.cmpi eq, %id, %c0 : index
    scf.for %i = %c0 to %c4 step %c1 {
      scf.if %first {
        cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
        %y = cta.add_partial %x, %slots[%c1], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      } else {
        %y = cta.add_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
        cta.put_partial %y, %slots[%c1], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      }
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @circle() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %other = arith.xori %id, %c1 : index
    // expected-error@+3 {{deadlock: nothing in the launch can go on}}
    // expected-note@+2 {{4 warps of block 0 wait here for the partial sums of slot 1}}
    // expected-note@+1 {{4 warps of block 1 wait here for the partial sums of slot 0}}
    %y = cta.add_partial %x, %slots[%other], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    // expected-note@+2 {{warp 0 of block 1 would put them here, but does not get so far}}
    // expected-note@+1 {{warp 0 of block 0 would put them here, but does not get so far}}
    cta.put_partial %y, %slots[%id], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @taken() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 3 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 2 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %puts = arith.cmpi eq, %id, %c0 : index
    scf.if %puts {
      cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      // expected-error@+4 {{deadlock: nothing in the launch can go on}}
      // expected-note@+3 {{4 warps of block 2 wait here for the partial sums of slot 0}}
      // expected-note@+2 {{nobody will raise the flag of slot 0 any more}}
      // expected-note@+1 {{warp 0 of block 1 has taken the partial sums here}}
      %y = cta.add_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    }
  }
  tile.return
}

// -----

// Block 1 stands for another reason, which is told instead of who waits for it.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @reason() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 8 : i64, mbarriers = array<i64: 1>} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %adds = arith.cmpi eq, %id, %c1 : index
    scf.if %adds {
      // expected-note@+1 {{4 warps of block 1 wait here for the partial sums of slot 0}}
      %y = cta.add_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      // expected-error@+3 {{deadlock: nothing in the launch can go on}}
      // expected-note@+2 {{4 warps of block 0 wait here for phase 0 of mbarrier 0 of block 0 to end}}
      // expected-note@+1 {{nobody will signal mbarrier 0 of block 0 any more}}
      cta.await 0
      // expected-note@+1 {{warp 0 of block 0 would put them here, but does not get so far}}
      cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    }
  }
  tile.return
}

// -----

// Two partial sums with each other's flags.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @crossed() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  %slots2 = memref.alloc(%n) : memref<?x64x16xf32>
  %flags2 = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 1 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %puts = arith.cmpi eq, %id, %c0 : index
    scf.if %puts {
      // expected-note@+1 {{raised by warp 0 of block 0}}
      cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      // expected-note@+1 {{put by warp 0 of block 0}}
      cta.put_partial %x, %slots2[%c0], %flags2 : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      // expected-error@+1 {{warp 0 of block 1 adds the partial sums in slot 0, which may not be there yet: another put has raised its flag}}
      %y = cta.add_partial %x, %slots2[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      %z = cta.add_partial %y, %slots[%c0], %flags2 : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    }
  }
  tile.return
}

// -----

// One slot under two flags: written again before it is read.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @over() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  %flags2 = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %puts = arith.cmpi eq, %id, %c0 : index
    scf.if %puts {
      // expected-note@+1 {{put by warp 0 of block 0}}
      cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      // expected-error@+1 {{warp 0 of block 0 puts partial sums into slot 0, where nobody has taken those before them}}
      cta.put_partial %x, %slots[%c0], %flags2 : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    }
  }
  tile.return
}

// -----

// One that is read twice, the second time under the flag of other workspace.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @reads_twice() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %slots2 = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  %flags2 = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 1 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %puts = arith.cmpi eq, %id, %c0 : index
    scf.if %puts {
      // expected-note@+1 {{put by warp 0 of block 0}}
      cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      // expected-note@+1 {{raised by warp 0 of block 0}}
      cta.put_partial %x, %slots2[%c0], %flags2 : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      %y = cta.add_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      // expected-error@+1 {{warp 0 of block 1 adds the partial sums in slot 0, but they have been taken: another put has raised its flag}}
      %z = cta.add_partial %y, %slots[%c0], %flags2 : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @beyond() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c2 = arith.constant 2 : index
  %n = arith.constant 2 : index
  %more = arith.constant 3 : index
  %slots = memref.alloc(%more) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %x = arith.constant dense<1.0> : !acc
    // expected-error@+1 {{slot 2 of workspace that has 2}}
    cta.put_partial %x, %slots[%c2], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @up(%flags: memref<?x4xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %unknown = memref.alloc(%n) : memref<?x4xi32>
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    // expected-error@+1 {{cannot be simulated: its flags may be up when the launch begins: what allocates them does not say tile.init = 0}}
    cta.put_partial %x, %slots[%id], %unknown : !acc, memref<?x64x16xf32>, memref<?x4xi32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @part() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 2 : index
  %all = memref.alloc() : memref<4x64x16xf32>
  %slots = memref.subview %all[0, 0, 0] [2, 64, 16] [1, 1, 1] : memref<4x64x16xf32> to memref<2x64x16xf32, strided<[1024, 16, 1]>>
  %plain = memref.cast %slots : memref<2x64x16xf32, strided<[1024, 16, 1]>> to memref<2x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32} : memref<?x4xi32>
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %x = arith.constant dense<1.0> : !acc
    // expected-error@+1 {{cannot be simulated: its workspace must be a whole array that the kernel allocates or is given, not a view of one}}
    cta.put_partial %x, %plain[%c0], %flags : !acc, memref<2x64x16xf32>, memref<?x4xi32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>
tile.kernel @one_thread() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %n = arith.constant 2 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32} : memref<?x4xi32>
  cta.launch @k blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %x = arith.constant dense<1.0> : !acc
    cta.elect {
      // expected-error@+1 {{cannot be simulated: it needs all threads, but cta.elect runs one}}
      cta.put_partial %x, %slots[%c0], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    }
  }
  tile.return
}
