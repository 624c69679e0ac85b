// A launch whose blocks hand on partial sums runs whole, whatever `blocks` says; other launches of the kernel do not.
// RUN: tile-opt %s -o /dev/null -split-input-file --cta-simulate="timings=40 verbose" 2>&1 | FileCheck %s
// RUN: tile-opt %s -o /dev/null -split-input-file --cta-simulate="timings=40 blocks=1 verbose" 2>&1 | FileCheck %s --check-prefix=SOME
// However many run at a time.
// RUN: tile-opt %s -o /dev/null -split-input-file --cta-simulate="timings=40 places=1 verbose" 2>&1 | FileCheck %s
// RUN: tile-opt %s -o /dev/null -split-input-file --cta-simulate="timings=40 places=2 verbose" 2>&1 | FileCheck %s
// RUN: tile-opt %s -o /dev/null -split-input-file --cta-simulate="timings=40 places=99 verbose" 2>&1 | FileCheck %s
// Where parts are numbered against blocks, the same is right if all have a place, and else not. It is said who waits and who would end it, with both lines.
// RUN: sed -e 's/%%part = arith.addi %%id, %%c0/%%part = arith.subi %%last, %%id/' %s > %t.mlir
// RUN: tile-opt %t.mlir -o /dev/null -split-input-file --cta-simulate="timings=40 places=4 verbose" 2>&1 | FileCheck %s
// RUN: not tile-opt %t.mlir -o /dev/null -split-input-file --cta-simulate="places=3" 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not tile-opt %t.mlir -o /dev/null -split-input-file --cta-simulate="timings=4" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not tile-opt %s -o /dev/null -split-input-file --cta-simulate="num-blocks=2" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tile-opt %s -o /dev/null -split-input-file --cta-simulate="places=-1" 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: not tile-opt %s -o /dev/null -split-input-file --cta-simulate="fuel=17" 2>&1 | FileCheck %s --check-prefix=FUEL

// CHECK: @chain_0: simulated 4 of 4 blocks, 40 timings each: 11 events, 3 partial sums handed on, no violation
// CHECK: @fan_0: simulated 4 of 4 blocks, 40 timings each: 11 events, 3 partial sums handed on, no violation
// CHECK: @fan_1: simulated 4 of 4 blocks, 40 timings each: 8 events, no violation
// CHECK: @pairs_0: simulated 4 of 4 blocks, 40 timings each: 18 events, 2 partial sums handed on, no violation
// SOME: @chain_0: simulated 4 of 4 blocks
// SOME: @fan_0: simulated 4 of 4 blocks
// SOME: @fan_1: simulated 1 of 4 blocks
// SOME: @pairs_0: simulated 4 of 4 blocks

// THREE:      error: deadlock: nothing in the launch can go on
// THREE:      :[[@LINE+35]]:{{.*}}: note: 4 warps of block 0 wait here for the partial sums of slot 2
// THREE:      :[[@LINE+41]]:{{.*}}: note: warp 0 of block 1 would put them here, but does not get so far
// THREE:      note: 4 warps of block 1 wait here for the partial sums of slot 1
// THREE:      note: warp 0 of block 2 would put them here, but does not get so far
// THREE:      :[[@LINE+31]]:{{.*}}: note: 4 warps of block 2 wait here for the partial sums of slot 0
// THREE:      :[[@LINE+37]]:{{.*}}: note: warp 0 of block 3 would put them here, but its block does not run yet: 3 of 4 run at a time
// THREE:      note: in block 0 of @chain_0, timing 0
// ONE:        error: deadlock: nothing in the launch can go on
// ONE:        :[[@LINE+27]]:{{.*}}: note: 4 warps of block 0 wait here for the partial sums of slot 2
// ONE:        :[[@LINE+33]]:{{.*}}: note: warp 0 of block 1 would put them here, but its block does not run yet: 1 of 4 run at a time
// ONE:        note: in block 0 of @chain_0, timing 3
// COUNT:      error: {{.*}}its blocks hand partial sums to each other, and which to whom depends on how many there are: leave out num-blocks and give cores
// PLACES:     error: timings, places, fuel, cores and num-blocks
// FUEL:       error: the blocks of @pairs_0 hand partial sums to each other, so that all must run, and their programs are too long together

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>

// Each adds what the block before it has left, and leaves all of it.
tile.kernel @chain(%C: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 3 : index
  %n = arith.constant 4 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  cta.launch @chain_0 blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %part = arith.addi %id, %c0 : index
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !acc
    %follows = arith.cmpi sgt, %part, %c0 : index
    %y = scf.if %follows -> (!acc) {
      %before = arith.subi %part, %c1 : index
      %s = cta.add_partial %x, %slots[%before], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      scf.yield %s : !acc
    } else {
      scf.yield %x : !acc
    }
    %more = arith.cmpi slt, %part, %last : index
    scf.if %more {
      cta.put_partial %y, %slots[%part], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      cta.store %y, %C[%c0, %c0] : !acc -> memref<?x?xf32>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>

// The last block takes all.
tile.kernel @fan(%C: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 3 : index
  %n = arith.constant 4 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  cta.launch @fan_0 blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %more = arith.cmpi slt, %id, %last : index
    scf.if %more {
      cta.put_partial %x, %slots[%id], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      %y = scf.for %i = %c0 to %last step %c1 iter_args(%s = %x) -> (!acc) {
        %sum = cta.add_partial %s, %slots[%i], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
        scf.yield %sum : !acc
      }
      cta.store %y, %C[%c0, %c0] : !acc -> memref<?x?xf32>
    }
  }
  cta.launch @fan_1 blocks(%n) attributes {threads = 128 : i64, shared = 0 : i64} {
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !acc
    cta.store %x, %C[%c0, %c0] : !acc -> memref<?x?xf32>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x16xf32, #acc>

// Blocks of a cluster run at the same time, so that within it any order will do.
tile.kernel @pairs(%C: memref<?x?xf32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %slots = memref.alloc(%n) : memref<?x64x16xf32>
  %flags = memref.alloc(%n) {tile.init = 0 : i32, tile.restored} : memref<?x4xi32>
  cta.launch @pairs_0 blocks(%n) attributes {cluster = 2, threads = 128 : i64, shared = 0 : i64} {
    %id = cta.block_id : index
    %x = arith.constant dense<1.0> : !acc
    %other = arith.xori %id, %c1 : index
    %second = arith.andi %id, %c1 : index
    %puts = arith.cmpi ne, %second, %c0 : index
    scf.if %puts {
      cta.put_partial %x, %slots[%id], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
    } else {
      %sum = cta.add_partial %x, %slots[%other], %flags : !acc, memref<?x64x16xf32>, memref<?x4xi32>
      cta.store %sum, %C[%c0, %c0] : !acc -> memref<?x?xf32>
    }
  }
  tile.return
}
