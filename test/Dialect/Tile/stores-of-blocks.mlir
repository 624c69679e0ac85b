// RUN: tile-opt %s -tile-verify -verify-diagnostics -o /dev/null

// Stores about which tile-verify says nothing: blocks write other elements, or it is not known that
// they write the same.

// Steps as large as tiles, and larger.
tile.kernel @separated(%y: memref<?x?xf32>, %z: memref<?xf32>, %m: index, %n: index) {
  tile.grid (%i, %j) = (0, 0) to (%m, %n) step (64, 200) {
    %t = arith.constant dense<1.0> : tensor<64x128xf32>
    tile.store %t, %y[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
    tile.store %t, %y[%j, %i] dims = [1, 0] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  // Coordinates that are computed: 128 and -64 elements for each step.
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    %c2 = arith.constant 2 : index
    %twice = arith.muli %i, %c2 : index
    tile.store %t, %z[%twice] : tensor<64xf32> -> memref<?xf32>
    %last = arith.subi %n, %i : index
    tile.store %t, %z[%last] : tensor<64xf32> -> memref<?xf32>
    %map = affine.apply affine_map<(d0) -> (d0 * 5 - d0 * 4)>(%i)
    tile.store %t, %z[%map] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// Index tiles say where at run time. Elements between steps are those of other blocks.
tile.kernel @indexed(%y: memref<?x?xf32>, %z: memref<?xf32>, %i32: memref<?xi32>, %m: index) {
  tile.grid (%i) = (0) to (%m) step (1) {
    %c0 = arith.constant 0 : index
    %at = tile.load %i32[%i] : memref<?xi32> -> tensor<64xi32>
    %t = arith.constant dense<1.0> : tensor<64x128xf32>
    %v = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %t, %y[%at : tensor<64xi32>, %c0] : tensor<64x128xf32> -> memref<?x?xf32>
    tile.store %v, %z[%at : tensor<64xi32>] : tensor<64xf32> -> memref<?xf32>
    tile.store %v, %z[%i] strides = [64] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// One row for each block, of scalars and of tiles. Parts of a sum over K go to other rows.
tile.kernel @rows(%y: memref<?x128xf32>, %z: memref<?xf32>, %parts: memref<?x?x?xf32>, %m: index, %n: index) {
  %c1 = arith.constant 1 : index
  tile.grid (%i) = (0) to (%m) step (1) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %t = arith.constant dense<1.0> : tensor<128xf32>
    tile.store %t, %y[%i, %c0] : tensor<128xf32> -> memref<?x128xf32>
    memref.store %one, %z[%i] : memref<?xf32>
  }
  tile.grid (%i, %j, %part) = (0, 0, 0) to (%m, %n, 4) step (64, 128, 1) {
    %t = arith.constant dense<1.0> : tensor<64x128xf32>
    tile.store %t, %parts[%part, %i, %j] : tensor<64x128xf32> -> memref<?x?x?xf32>
  }
  tile.return
}

// Limits and masks may end a store where the next block begins.
tile.kernel @limited(%x: memref<?xi1>, %y: memref<?xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1000) {
    %c1000 = arith.constant 1000 : index
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    %end = arith.addi %i, %c1000 : index
    tile.store %t, %y[%i] limit = [%end] : tensor<1024xf32> -> memref<?xf32>
    %mask = tile.load %x[%i] : memref<?xi1> -> tensor<1024xi1>
    tile.store %t, %y[%i] mask = %mask : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}

// One block along the dimension, or none: by the bounds, by the grid's rank, by what is promised.
tile.kernel @one_block(%y: memref<?xf32>, %n: index, %step: index) {
  tile.assume %n {min = 0, max = 1000} : index
  tile.assume %step {min = 1000} : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    tile.store %t, %y[%c0] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.grid (%i, %j) = (5, 3) to (1005, 1) step (1000, 1) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (1000) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (%step) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  // No block at all.
  tile.grid (%i, %j) = (0, 0) to (%n, 0) step (100, 1) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}

// The array ends before the elements that two blocks would write.
tile.kernel @static_size(%y: memref<1000xf32>, %z: memref<8x1000xf32>, %empty: memref<0xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1000) {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<1000xf32>
    tile.store %t, %z[%c0, %i] : tensor<1024xf32> -> memref<8x1000xf32>
  }
  tile.grid (%i) = (600) to (%n) step (500) {
    %t = arith.constant dense<1.0> : tensor<1024xf32>
    tile.store %t, %y[%i] : tensor<1024xf32> -> memref<1000xf32>
  }
  // A box that begins outside in all blocks, and an array without elements.
  tile.grid (%i) = (0) to (100) step (1) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %below = arith.constant -4 : index
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %row = arith.constant dense<1.0> : tensor<1000xf32>
    tile.store %row, %z[%c8, %c0] : tensor<1000xf32> -> memref<8x1000xf32>
    tile.store %t, %y[%below] : tensor<4xf32> -> memref<1000xf32>
    tile.store %t, %empty[%i] : tensor<4xf32> -> memref<0xf32>
  }
  tile.return
}

// A step that is known to be large enough: by a promise, by what the launcher checks, by a divisor, by
// a coordinate that grows by more.
tile.kernel @step(%y: memref<?xf32>, %n: index, %promised: index, %checked: index, %any: index, %lines: index {tile.divisible = 64}) {
  %c64 = arith.constant 64 : index
  tile.assume %promised {min = 64} : index
  %ok = arith.cmpi sge, %checked, %c64 : index
  tile.assume %ok, "the step must be 64 or more" : i1
  tile.grid (%i) = (0) to (%n) step (%promised) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (%checked) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (%lines) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  %blocks = arith.muli %any, %c64 : index
  tile.grid (%i) = (0) to (%n) step (%blocks) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.grid (%i) = (0) to (%n) step (%any) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    %far = arith.muli %i, %c64 : index
    tile.store %t, %y[%far] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// Not every block runs it, or not equally often.
tile.kernel @conditional(%y: memref<?xf32>, %ends: memref<?xi32>, %n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid (%i) = (0) to (%n) step (1) {
    %one = arith.constant 1.0 : f32
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      memref.store %one, %y[%c0] : memref<?xf32>
    }
    scf.index_switch %i
    case 3 {
      memref.store %one, %y[%c1] : memref<?xf32>
      scf.yield
    }
    default {
    }
    scf.while (%k = %i) : (index) -> index {
      %more = arith.cmpi slt, %k, %c1 : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      memref.store %one, %y[%c0] : memref<?xf32>
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %j = %i to %c1 step %c1 {
      memref.store %one, %y[%c0] : memref<?xf32>
    }
    %e = memref.load %ends[%i] : memref<?xi32>
    %end = arith.index_cast %e : i32 to index
    scf.for %j = %c0 to %end step %c1 {
      memref.store %one, %y[%c0] : memref<?xf32>
    }
  }
  tile.return
}

// Loops whose iterations are apart: by their block's coordinate, or because they begin with it.
tile.kernel @loops(%y: memref<?x?xf32>, %z: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = arith.constant dense<1.0> : tensor<64x8xf32>
    %s = arith.constant dense<1.0> : tensor<8xf32>
    scf.for %j = %c0 to %n step %c8 {
      tile.store %t, %y[%i, %j] : tensor<64x8xf32> -> memref<?x?xf32>
    }
    %end = arith.addi %i, %c64 : index
    scf.for %j = %i to %end step %c8 {
      tile.store %s, %z[%j] : tensor<8xf32> -> memref<?xf32>
    }
  }
  tile.return
}

// What is not known: quotients, products of coordinates, numbers from memory, views of a block, carried values.
tile.kernel @unknown(%y: memref<?xf32>, %at: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.grid (%i) = (0) to (%n) step (1) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    %half = arith.divsi %i, %c2 : index
    tile.store %t, %y[%half] : tensor<64xf32> -> memref<?xf32>
    %scaled = arith.muli %i, %n : index
    tile.store %t, %y[%scaled] : tensor<64xf32> -> memref<?xf32>
    %map = affine.apply affine_map<(d0)[s0] -> (d0 * s0 + d0 floordiv 4)>(%i)[%n]
    tile.store %t, %y[%map] : tensor<64xf32> -> memref<?xf32>
    %index = memref.load %at[%c0] : memref<?xi32>
    %found = arith.index_cast %index : i32 to index
    tile.store %t, %y[%found] : tensor<64xf32> -> memref<?xf32>
    %view = memref.subview %y[%scaled] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    %cast = memref.cast %view : memref<64xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    tile.store %t, %cast[%c0] : tensor<64xf32> -> memref<?xf32, strided<[1], offset: ?>>
    %size = memref.dim %cast, %c0 : memref<?xf32, strided<[1], offset: ?>>
    tile.store %t, %y[%size] : tensor<64xf32> -> memref<?xf32>
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%p = %i) -> (index) {
      tile.store %t, %y[%p] : tensor<64xf32> -> memref<?xf32>
      %next = arith.addi %p, %n : index
      scf.yield %next : index
    }
    tile.store %t, %y[%last] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}

// Numbers that do not fit.
tile.kernel @overflow(%y: memref<?xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    %t = arith.constant dense<1.0> : tensor<64xf32>
    %least = arith.constant -9223372036854775808 : index
    %large = arith.constant 4611686018427387904 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %a = arith.muli %i, %least : index
    tile.store %t, %y[%a] : tensor<64xf32> -> memref<?xf32>
    %b = arith.muli %a, %c3 : index
    tile.store %t, %y[%b] : tensor<64xf32> -> memref<?xf32>
    // By 2^64, which is 0 in 64 bits.
    %c = arith.muli %i, %large : index
    %d = arith.muli %c, %c4 : index
    tile.store %t, %y[%d] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
