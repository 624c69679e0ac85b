// RUN: tile-opt %s --cta-simulate="timings=1" -split-input-file -verify-diagnostics -o /dev/null

// A number that is not the one that the queue has given.
!slot = !cta.smem<1xi32, #cta.swizzle<linear>>
tile.kernel @stale() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%two) attributes {shared = 512} {
    %ring = cta.ring {offset = 0} : !cta.ring<4, !slot>
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    cta.role @all warps(4) {
      %slot = cta.slot %ring[%c0] : <4, !slot>
      %last = cta.for_output_tiles %t = %c0 to %c4 step %c2 iter_args(%n = %c0) -> (i32) : i32 {
        cta.elect {
          // expected-note@+1 {{sent here}}
          cta.put_scalar %c5, %slot : i32, !slot
        }
        cta.barrier
        // expected-error@+1 {{@all reads the number of an output tile, 5, where the queue has given 2}}
        %next = cta.get_scalar %slot : !slot -> i32
        cta.barrier
        cta.yield %next : i32
      } {drawn = 0 : i64}
    }
  }
  tile.return
}

// -----

// The same number twice.
tile.kernel @again() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  cta.launch @k blocks(%two) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    // expected-error@+1 {{the number of the next output tile that it yields is 0, where the queue has given 2}}
    %last = cta.for_output_tiles %t = %c0 to %c4 step %c2 iter_args(%n = %c0) -> (i32) : i32 {
      cta.yield %n : i32
    } {drawn = 0 : i64}
  }
  tile.return
}

// -----

// A number from elsewhere.
tile.kernel @elsewhere(%N: memref<?xi32>) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  %i = arith.constant 0 : index
  cta.launch @k blocks(%two) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    // expected-error@+1 {{the number of the next output tile that it yields comes neither from the queue nor from a channel}}
    %last = cta.for_output_tiles %t = %c0 to %c4 step %c2 iter_args(%n = %c0) -> (i32) : i32 {
      %next = memref.load %N[%i] : memref<?xi32>
      cta.yield %next : i32
    } {drawn = 0 : i64}
  }
  tile.return
}

// -----

// A queue that stays as it is.
tile.kernel @open() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @k blocks(%two) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    cta.role @math warps(4) {
    }
    cta.role @producer warps(1) {
      cta.elect {
        %last = cta.for_output_tiles %t = %c0 to %c4 step %c2 iter_args(%n = %c0) -> (i32) : i32 {
          // expected-error@+1 {{no cta.close_queue follows, which would set the queue back}}
          %next = cta.take_number %queue first = %c2 : memref<1xi32>
          cta.yield %next : i32
        } {drawn = 0 : i64}
      }
    }
  }
  tile.return
}

// -----

// A queue that is set back while there are output tiles.
tile.kernel @early() attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %two = arith.constant 2 : index
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @k blocks(%two) {
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    cta.role @math warps(4) {
    }
    cta.role @producer warps(1) {
      cta.elect {
        %next = cta.take_number %queue first = %c2 : memref<1xi32>
        // expected-error@+1 {{its last number, 2, is that of an output tile: there are 4}}
        cta.close_queue %queue last = %next first = %c2 count = %c4 : memref<1xi32>
      }
    }
  }
  tile.return
}
