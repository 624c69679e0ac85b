// RUN: tile-opt %s --split-input-file --convert-tile-to-cta | FileCheck %s

// Operands are staged where they are made: the one from outside the loop once.
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: phase = #tile.phase<raw>, warpgroups = 2
// CHECK: tile.grid
// CHECK: %[[B:.+]] = cta.load %B{{.*}} -> tensor<64x256xbf16>
// CHECK-NEXT: %[[BS:.+]] = cta.stage %[[B]] : tensor<64x256xbf16> -> <64x256xbf16, #cta.swizzle<?>>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (tensor<128x256xf32>)
// CHECK: %[[A:.+]] = cta.load %A{{.*}} {stages = 3 : i64}
// CHECK-NEXT: %[[AS:.+]] = cta.stage %[[A]]
// CHECK-NEXT: cta.mma %[[AS]], %[[BS]], %[[ACC]] {require = #tile.require<[wgmma]>}
// CHECK: cta.store {{.*}} : tensor<128x256xbf16> -> memref<?x?xbf16>
tile.kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %n: index) {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %b = tile.load %B[%c0, %j] : memref<?x?xbf16> -> tensor<64x256xbf16>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] stages = 3 : memref<?x?xbf16> -> tensor<128x64xbf16>
      %d = tile.mma %a, %b, %c require = [wgmma] : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    %out = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Reductions become general; 16-bit floats are accumulated in f32 and rounded once.
// CHECK-LABEL: tile.kernel @reductions
// CHECK-SAME: warpgroups = 1
// CHECK: %[[MASK:.+]] = arith.cmpi
// CHECK: %[[X:.+]] = cta.load %X{{.*}} limit = [_, %{{.+}}] pad = neg_inf mask = %[[MASK]] on [1] {cache = #tile.cache<first>} : memref<?x?xf16> -> tensor<8x16xf16>
// CHECK: %[[WIDE:.+]] = arith.extf %[[X]]
// CHECK: %[[NEG0:.+]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[SUM:.+]] = cta.reduce (%[[WIDE]]) dims = [1] init(%[[NEG0]]) {
// CHECK:   arith.addf
// CHECK:   tile.yield
// CHECK: } : tensor<8x16xf32> -> tensor<8xf32>
// CHECK: arith.truncf %[[SUM]] : tensor<8xf32> to tensor<8xf16>
// CHECK: %[[IOTA:.+]] = cta.iota dim = 1 : tensor<8x16xi32>
// CHECK: cta.reduce (%[[X]], %[[IOTA]]) dims = [1]
// CHECK: : tensor<8x16xf16>, tensor<8x16xi32> -> tensor<8xf16>, tensor<8xi32>
tile.kernel @reductions(%X: memref<?x?xf16>, %S: memref<?xf16>, %I: memref<?xi32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (8) {
    %c0 = arith.constant 0 : index
    %j = tile.iota dim = 0 : tensor<16xindex>
    %nn = tile.broadcast %n dims = [] : index -> tensor<16xindex>
    %m = arith.cmpi slt, %j, %nn : tensor<16xindex>
    %x = tile.load %X[%i, %c0] limit = [_, %n] pad = neg_inf mask = %m on [1] cache = first : memref<?x?xf16> -> tensor<8x16xf16>
    %s = tile.reduce addf %x dims = [1] : tensor<8x16xf16> -> tensor<8xf16>
    %v, %at = tile.argreduce max %x dim = 1 : tensor<8x16xf16> -> tensor<8xf16>, tensor<8xi32>
    tile.store %s, %S[%i] : tensor<8xf16> -> memref<?xf16>
    tile.store %at, %I[%i] : tensor<8xi32> -> memref<?xi32>
  }
  tile.return
}

// -----

// Shapes. Views of memrefs stay.
// CHECK-LABEL: tile.kernel @shapes
// CHECK: memref.subview
// CHECK: %[[X:.+]] = cta.load
// CHECK: %[[E:.+]] = cta.reshape %[[X]] : tensor<8x16xf32> -> tensor<8x4x4xf32>
// CHECK: %[[C:.+]] = cta.reshape %[[E]] : tensor<8x4x4xf32> -> tensor<8x16xf32>
// CHECK: %[[S:.+]] = cta.slice %[[C]] offsets = [0, 8] : tensor<8x16xf32> -> tensor<8x8xf32>
// CHECK: %[[R0:.+]] = cta.slice %[[C]] offsets = [2, 0] : tensor<8x16xf32> -> tensor<1x16xf32>
// CHECK: %[[R:.+]] = cta.reshape %[[R0]] : tensor<1x16xf32> -> tensor<16xf32>
// CHECK: cta.concat %[[S]], %[[S]] dim = 1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x16xf32>
// CHECK: %[[T:.+]] = cta.transpose %{{.+}} dims = [1, 0]
// CHECK: %[[M:.+]] = cta.reduce (%[[R]]) dims = [0]
// CHECK: %[[F:.+]] = cta.extract %[[M]] : tensor<f32> -> f32
// CHECK: cta.broadcast %[[F]] dims = [] : f32 -> tensor<16x8xf32>
// CHECK: cta.broadcast %[[F]] dims = [] : f32 -> tensor<1xf32>
// CHECK-NOT: tensor.
tile.kernel @shapes(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %Z: memref<?xf32>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (8) {
    %c0 = arith.constant 0 : index
    %view = memref.subview %X[%i, 0] [8, %n] [1, 1] : memref<?x?xf32> to memref<8x?xf32, strided<[?, 1], offset: ?>>
    %x = tile.load %view[%c0, %c0] : memref<8x?xf32, strided<[?, 1], offset: ?>> -> tensor<8x16xf32>
    %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 4, 4] : tensor<8x16xf32> into tensor<8x4x4xf32>
    %c = tensor.collapse_shape %e [[0], [1, 2]] : tensor<8x4x4xf32> into tensor<8x16xf32>
    %s = tensor.extract_slice %c[0, 8] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
    %r = tensor.extract_slice %c[2, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<16xf32>
    %cc = tensor.concat dim(1) %s, %s : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
    %t = tile.transpose %cc dims = [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
    %m = tile.reduce maximumf %r dims = [0] : tensor<16xf32> -> tensor<f32>
    %f = tensor.extract %m[] : tensor<f32>
    %sp = tensor.splat %f : tensor<16x8xf32>
    %one = tensor.from_elements %f : tensor<1xf32>
    %u = arith.addf %t, %sp : tensor<16x8xf32>
    tile.store %u, %Y[%i, %c0] : tensor<16x8xf32> -> memref<?x?xf32>
    tile.store %one, %Z[%i] : tensor<1xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// Several scalars: each element chooses by the bits of its number. Strides of a slice stay.
// CHECK-LABEL: tile.kernel @several(
// CHECK-SAME: %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: f32, %[[C:[a-z0-9]+]]: f32
// CHECK: %[[I:.+]] = cta.iota dim = 0 : tensor<3xi32>
// CHECK-DAG: %[[TA:.+]] = cta.broadcast %[[A]] dims = [] : f32 -> tensor<3xf32>
// CHECK-DAG: %[[TB:.+]] = cta.broadcast %[[B]] dims = [] : f32 -> tensor<3xf32>
// CHECK-DAG: %[[TC:.+]] = cta.broadcast %[[C]] dims = [] : f32 -> tensor<3xf32>
// CHECK: %[[BIT0:.+]] = arith.andi %[[I]], %{{.+}} : tensor<3xi32>
// CHECK: %[[ODD0:.+]] = arith.cmpi ne, %[[BIT0]]
// CHECK: %[[AB:.+]] = arith.select %[[ODD0]], %[[TB]], %[[TA]]
// CHECK: %[[BIT1:.+]] = arith.andi %[[I]]
// CHECK: %[[ODD1:.+]] = arith.cmpi ne, %[[BIT1]]
// CHECK: %[[T:.+]] = arith.select %[[ODD1]], %[[TC]], %[[AB]]
// CHECK: cta.slice %[[T]] offsets = [0] strides = [2] : tensor<3xf32> -> tensor<2xf32>
// CHECK-NOT: tensor.
tile.kernel @several(%a: f32, %b: f32, %c: f32, %X: memref<?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tensor.from_elements %a, %b, %c : tensor<3xf32>
    %s = tensor.extract_slice %t[0] [2] [2] : tensor<3xf32> to tensor<2xf32>
    tile.store %s, %X[%c0] : tensor<2xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// The number of warpgroups: given; by rows of products; by the largest tile.
// CHECK-LABEL: tile.kernel @given
// CHECK-SAME: warpgroups = 4
tile.kernel @given(%A: memref<?xf32>) attributes {warpgroups = 4} {
  tile.return
}
// CHECK-LABEL: tile.kernel @planned
// CHECK-SAME: plan = #cta.plan<warpgroups = 3>, warpgroups = 3
tile.kernel @planned(%A: memref<?xf32>) attributes {plan = #cta.plan<warpgroups = 3>} {
  tile.return
}
// A row of narrow elements that all warps reduce takes half the warps: they meet at a barrier. Not so one of wide elements, of which a
// thread would load twice as many bytes.
// CHECK-LABEL: tile.kernel @row
// CHECK-SAME: warpgroups = 1
tile.kernel @row(%A: memref<?x?xbf16>, %D: memref<?xbf16>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<1x8192xbf16>
    %d = tile.reduce maximumf %a dims = [1] : tensor<1x8192xbf16> -> tensor<1xbf16>
    tile.store %d, %D[%i] : tensor<1xbf16> -> memref<?xbf16>
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @wide
// CHECK-SAME: warpgroups = 2
tile.kernel @wide(%A: memref<?x?xf32>, %D: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xf32> -> tensor<1x8192xf32>
    %d = tile.reduce addf %a dims = [1] : tensor<1x8192xf32> -> tensor<1xf32>
    tile.store %d, %D[%i] : tensor<1xf32> -> memref<?xf32>
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @longrow
// CHECK-SAME: warpgroups = 2
tile.kernel @longrow(%A: memref<?x?xbf16>, %D: memref<?xbf16>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<1x16384xbf16>
    %d = tile.reduce maximumf %a dims = [1] : tensor<1x16384xbf16> -> tensor<1xbf16>
    tile.store %d, %D[%i] : tensor<1xbf16> -> memref<?xbf16>
  }
  tile.return
}
// Columns, and rows that a warp has to itself: no such barrier. Nor is it the largest tile that is reduced.
// CHECK-LABEL: tile.kernel @columns
// CHECK-SAME: warpgroups = 2
tile.kernel @columns(%A: memref<?x?xf32>, %D: memref<?xf32>) {
  tile.grid (%i) = (0) to (8) step (1) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %i] : memref<?x?xf32> -> tensor<1024x8xf32>
    %d = tile.reduce addf %a dims = [0] : tensor<1024x8xf32> -> tensor<8xf32>
    tile.store %d, %D[%i] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @smaller
// CHECK-SAME: warpgroups = 2
tile.kernel @smaller(%A: memref<?x?xf32>, %D: memref<?x?xf32>) {
  tile.grid (%i) = (0) to (8) step (8) {
    %c0 = arith.constant 0 : index
    %r = tile.load %A[%i, %c0] : memref<?x?xf32> -> tensor<1x1024xf32>
    %d = tile.reduce addf %r dims = [1] : tensor<1x1024xf32> -> tensor<1xf32>
    %a = tile.load %A[%i, %c0] : memref<?x?xf32> -> tensor<8x1024xf32>
    %s = tensor.collapse_shape %d [] : tensor<1xf32> into tensor<f32>
    %x = tensor.extract %s[] : tensor<f32>
    %b = tile.broadcast %x dims = [] : f32 -> tensor<8x1024xf32>
    %e = arith.addf %a, %b : tensor<8x1024xf32>
    tile.store %e, %D[%i, %c0] : tensor<8x1024xf32> -> memref<?x?xf32>
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @rows192
// CHECK-SAME: warpgroups = 3
tile.kernel @rows192(%A: memref<?x?xf16>, %D: memref<?x?xf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xf16> -> tensor<192x192xf16>
    %d = tile.mma %a, %a : tensor<192x192xf16>, tensor<192x192xf16> -> tensor<192x192xf16>
    tile.store %d, %D[%c0, %c0] : tensor<192x192xf16> -> memref<?x?xf16>
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @f32
// CHECK-SAME: warpgroups = 4
// CHECK: cta.mma %{{.+}}, %{{.+}} : !cta.smem
tile.kernel @f32(%A: memref<?x?xf32>, %D: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<128x128xf32>
    %d = tile.mma %a, %a : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    tile.store %d, %D[%c0, %c0] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
// CHECK-LABEL: tile.kernel @tf32
// CHECK-SAME: warpgroups = 2
// CHECK: cta.mma {{.*}} {precision = #tile.precision<tf32>}
tile.kernel @tf32(%A: memref<?x?xf32>, %D: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<128x128xf32>
    %d = tile.mma %a, %a precision = tf32 : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    tile.store %d, %D[%c0, %c0] : tensor<128x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Warpgroups are fewer where each then has rows of its own in all products, and the results fit its registers.
// CHECK-LABEL: tile.kernel @own_rows
// CHECK-SAME: warpgroups = 1
tile.kernel @own_rows(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %h = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %e = tile.mma %h, %b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %f = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %g = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %f, %A[%i, %c0] : tensor<128x64xbf16> -> memref<?x?xbf16>
    tile.store %g, %B[%i, %c0] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Not if one result is too large,
// CHECK-LABEL: tile.kernel @large_result
// CHECK-SAME: warpgroups = 2
tile.kernel @large_result(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %h = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<?x?xbf16> -> tensor<64x128xbf16>
    %d = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    %e = tile.mma %h, %h : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %f = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
    %g = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %f, %A[%i, %c0] : tensor<128x128xbf16> -> memref<?x?xbf16>
    tile.store %g, %B[%i, %c0] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// nor if all together are,
// CHECK-LABEL: tile.kernel @many_results
// CHECK-SAME: warpgroups = 2
tile.kernel @many_results(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %h = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %a, %h : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %m = tile.mma %a, %h : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %c = arith.mulf %m, %d : tensor<128x64xf32>
    %e = tile.mma %h, %h : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %o = tile.mma %h, %h : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %k = arith.mulf %o, %e : tensor<64x64xf32>
    %f = arith.truncf %c : tensor<128x64xf32> to tensor<128x64xbf16>
    %g = arith.truncf %k : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %f, %A[%i, %c0] : tensor<128x64xbf16> -> memref<?x?xbf16>
    tile.store %g, %B[%i, %c0] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// but products that accumulate into others' results have the same registers.
// CHECK-LABEL: tile.kernel @same_registers
// CHECK-SAME: warpgroups = 1
tile.kernel @same_registers(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %h = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %a, %h : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %c = tile.mma %a, %h, %d : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %e = tile.mma %h, %h : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %k = tile.mma %h, %h, %e : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %f = arith.truncf %c : tensor<128x64xf32> to tensor<128x64xbf16>
    %g = arith.truncf %k : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %f, %A[%i, %c0] : tensor<128x64xbf16> -> memref<?x?xbf16>
    tile.store %g, %B[%i, %c0] : tensor<64x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// -----

// Not fewer if all warpgroups have rows of their own.
// CHECK-LABEL: tile.kernel @all_rows
// CHECK-SAME: warpgroups = 2
tile.kernel @all_rows(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (128) {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%c0, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %a, %b : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %f = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    tile.store %f, %A[%i, %c0] : tensor<128x64xbf16> -> memref<?x?xbf16>
  }
  tile.return
}
