// RUN: tile-opt %s --split-input-file --verify-diagnostics

tile.kernel @elsewhere(%n: index) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @elsewhere_0 blocks(%n) {
    %c = arith.constant 1 : i32
    // expected-error @below {{queued_c1: its operand is the number of the cta.for_output_tiles in which it stands}}
    %number = cta.queued %c from %queue : memref<1xi32>
  }
  tile.return
}

// -----

tile.kernel @another(%n: index) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @another_0 blocks(%n) {
    %block = cta.block_id : index
    %blocks = cta.num_blocks : index
    %from = arith.index_castui %block : index to i32
    %by = arith.index_castui %blocks : index to i32
    cta.for_output_tiles %t = %from to %by step %by : i32 {
      %u = arith.addi %t, %by : i32
      // expected-error @below {{queued_c1: its operand is the number of the cta.for_output_tiles in which it stands}}
      %number = cta.queued %u from %queue : memref<1xi32>
    }
  }
  tile.return
}

// -----

tile.kernel @begins(%n: index) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @begins_0 blocks(%n) {
    %c0 = arith.constant 0 : i32
    %blocks = cta.num_blocks : index
    %by = arith.index_castui %blocks : index to i32
    cta.for_output_tiles %t = %c0 to %by step %by : i32 {
      // expected-error @below {{queued_c2: the loop begins with cta.block_id, and its step is cta.num_blocks}}
      %number = cta.queued %t from %queue : memref<1xi32>
    }
  }
  tile.return
}

// -----

tile.kernel @word(%n: index) attributes {phase = #tile.phase<planned>, warpgroups = 1} {
  %queue = memref.alloc() : memref<1xi64>
  cta.launch @word_0 blocks(%n) {
    %block = cta.block_id : index
    %blocks = cta.num_blocks : index
    %from = arith.index_castui %block : index to i32
    %by = arith.index_castui %blocks : index to i32
    cta.for_output_tiles %t = %from to %by step %by : i32 {
      // expected-error @below {{operand #1 must be 1D memref of 32-bit signless integer values, but got 'memref<1xi64>'}}
      %number = cta.queued %t from %queue : memref<1xi64>
    }
  }
  tile.return
}

// -----

tile.kernel @all_threads(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @all_threads_0 blocks(%n) {
    %c = arith.constant 1 : i32
    // expected-error @below {{take_number_c1: stands in a cta.elect, since one thread does it}}
    %number = cta.take_number %queue first = %c : memref<1xi32>
  }
  tile.return
}

// -----

tile.kernel @close(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %queue = memref.alloc() {tile.init = 0 : i32, tile.restored} : memref<1xi32>
  cta.launch @close_0 blocks(%n) {
    %c = arith.constant 1 : i32
    // expected-error @below {{close_queue_c1: stands in a cta.elect, since one thread does it}}
    cta.close_queue %queue last = %c first = %c count = %c : memref<1xi32>
  }
  tile.return
}

// -----

!slot = !cta.smem<2xi32, #cta.swizzle<linear>>
tile.kernel @two(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @two_0 blocks(%n) {
    %ring = cta.ring : !cta.ring<4, !slot>
    %c = arith.constant 1 : i32
    %slot = cta.slot %ring[%c] : <4, !slot>
    // expected-error @below {{get_scalar_c1: the slot holds one scalar of 32 bits and of its type ('i32'), got '!cta.smem<2xi32}}
    %number = cta.get_scalar %slot : !slot -> i32
  }
  tile.return
}

// -----

!slot = !cta.smem<1xi64, #cta.swizzle<linear>>
tile.kernel @wide(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @wide_0 blocks(%n) {
    %ring = cta.ring : !cta.ring<4, !slot>
    %c = arith.constant 1 : i32
    %w = arith.constant 1 : i64
    %slot = cta.slot %ring[%c] : <4, !slot>
    cta.elect {
      // expected-error @below {{put_scalar_c1: the slot holds one scalar of 32 bits and of its type ('i64')}}
      cta.put_scalar %w, %slot : i64, !slot
    }
  }
  tile.return
}

// -----

!slot = !cta.smem<1xi32, #cta.swizzle<linear>>
tile.kernel @put(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @put_0 blocks(%n) {
    %ring = cta.ring : !cta.ring<4, !slot>
    %c = arith.constant 1 : i32
    %slot = cta.slot %ring[%c] : <4, !slot>
    // expected-error @below {{put_scalar_c2: stands in a cta.elect, since one thread does it}}
    cta.put_scalar %c, %slot : i32, !slot
  }
  tile.return
}
