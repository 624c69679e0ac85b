// RUN: tile-opt %s -tile-expand-ops | FileCheck %s
// RUN: tile-opt %s --tile-expand-ops --canonicalize | FileCheck %s --check-prefix=FOLDED
// RUN: tile-opt %s --tile-expand-ops --inline --canonicalize --cse | FileCheck %s --check-prefix=FAR

// CHECK-LABEL: tile.kernel @affine(
// CHECK-SAME: %[[N:[a-z]+]]: index)
// CHECK-NOT: affine.
// CHECK: %[[C3:.*]] = arith.constant 3
// CHECK: %[[M:.*]] = arith.muli %[[N]], %[[C3]]
// CHECK: %[[C1:.*]] = arith.constant 1
// CHECK: arith.addi %[[M]], %[[C1]]
// CHECK: tile.grid (%[[I:.*]]) =
// CHECK: arith.floordivsi %[[I]]
// CHECK: %[[R:.*]] = arith.remsi %[[I]], %[[D:.*]] : index
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[R]]
// CHECK: %[[ADD:.*]] = arith.addi %[[R]], %[[D]]
// CHECK: arith.select %[[NEGATIVE]], %[[ADD]], %[[R]]
// CHECK: arith.ceildivsi
// CHECK: arith.minsi
// CHECK: arith.maxsi
tile.kernel @affine(%O: memref<64xindex>, %n: index) {
  %m = affine.apply affine_map<(d0) -> (d0 * 3 + 1)>(%n)
  tile.grid (%i) = (0) to (%m) step (1) {
    %a = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0 + d0 mod 5)>(%i)[%n]
    %b = affine.min affine_map<(d0, d1) -> (d0 ceildiv 4, d1)>(%i, %a)
    %c = affine.max affine_map<(d0) -> (d0, 2)>(%b)
    memref.store %c, %O[%i] : memref<64xindex>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @classes(
// CHECK: %[[B:.*]] = arith.bitcast %{{.*}} : tensor<8xf16> to tensor<8xi16>
// CHECK: %[[MASK:.*]] = arith.constant dense<32767> : tensor<8xi16>
// CHECK: %[[M:.*]] = arith.andi %[[B]], %[[MASK]]
// CHECK: %[[INF:.*]] = arith.constant dense<31744> : tensor<8xi16>
// CHECK: arith.cmpi ugt, %[[M]], %[[INF]]
// CHECK: arith.cmpi eq
// CHECK: arith.cmpi ult
// A subnormal number is not normal.
// CHECK: %[[LEAST:.*]] = arith.constant dense<1024> : tensor<8xi16>
// CHECK: %[[ABOVE:.*]] = arith.subi %{{.*}}, %[[LEAST]]
// CHECK: %[[RANGE:.*]] = arith.constant dense<30720> : tensor<8xi16>
// CHECK: arith.cmpi ult, %[[ABOVE]], %[[RANGE]]
// CHECK: arith.bitcast %{{.*}} : f64 to i64
// CHECK-NOT: math.
tile.kernel @classes(%A: memref<8xf16>, %O: memref<4x8xi1>, %s: f64) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %x = tile.load %A[%c0] : memref<8xf16> -> tensor<8xf16>
    %nan = math.isnan %x : tensor<8xf16>
    tile.store %nan, %O[%c0, %c0] : tensor<8xi1> -> memref<4x8xi1>
    %inf = math.isinf %x : tensor<8xf16>
    tile.store %inf, %O[%c1, %c0] : tensor<8xi1> -> memref<4x8xi1>
    %finite = math.isfinite %x : tensor<8xf16>
    tile.store %finite, %O[%c2, %c0] : tensor<8xi1> -> memref<4x8xi1>
    %normal = math.isnormal %x : tensor<8xf16>
    tile.store %normal, %O[%c3, %c0] : tensor<8xi1> -> memref<4x8xi1>
    %b = math.isnormal %s : f64
    memref.store %b, %O[%c0, %c0] : memref<4x8xi1>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @functions(
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32, %[[L:[a-z0-9]+]]: f32, %[[H:[a-z0-9]+]]: f32
// CHECK: %[[M:.*]] = arith.maximumf %[[X]], %[[L]] fastmath<nnan> : f32
// CHECK: arith.minimumf %[[M]], %[[H]] fastmath<nnan> : f32
// CHECK: math.sin %[[X]] fastmath<afn> : f32
// CHECK: math.cos %[[X]] fastmath<afn> : f32
tile.kernel @functions(%x: f32, %l: f32, %h: f32, %O: memref<3xf32>) {
  %r = math.clampf %x to [%l, %h] fastmath<nnan> : f32
  %s, %c = math.sincos %x fastmath<afn> : f32
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    memref.store %r, %O[%c0] : memref<3xf32>
    memref.store %s, %O[%c0] : memref<3xf32>
    memref.store %c, %O[%c0] : memref<3xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @index(
// CHECK-SAME: %[[N:[a-z]+]]: index
// CHECK: %[[SUM:.*]] = arith.addi %[[N]], %[[N]] : index
// CHECK: arith.cmpi ult, %[[SUM]], %[[N]] : index
// CHECK: arith.mulsi_extended %{{.*}}, %{{.*}} : i64
// CHECK: math.ipowi %{{.*}}, %{{.*}} : tensor<8xi64>
// CHECK: math.fpowi %{{.*}}, %{{.*}} : f32, i64
tile.kernel @index(%n: index, %O: memref<8xindex>, %F: memref<8xf32>, %s: f32) {
  %sum, %carry = arith.addui_extended %n, %n : index, i1
  %low, %high = arith.mulsi_extended %n, %n : index
  tile.grid () = () to () step () {
    %x = tile.iota dim = 0 : tensor<8xindex>
    %p = math.ipowi %x, %x : tensor<8xindex>
    %f = math.fpowi %s, %n : f32, index
    memref.store %f, %F[%n] : memref<8xf32>
    tile.store %p, %O[%sum] : tensor<8xindex> -> memref<8xindex>
    memref.store %high, %O[%low] : memref<8xindex>
    %c = arith.index_castui %carry : i1 to index
    memref.store %c, %O[%low] : memref<8xindex>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @slices(
// CHECK: %[[V:.*]] = memref.subview %{{.*}}[0, 0] [2, 1] [3, 2] : memref<8x8xf32> to memref<2x1xf32, strided<[24, 2]>>
// CHECK: memref.collapse_shape %[[V]] {{\[}}[0, 1]] : memref<2x1xf32, strided<[24, 2]>> into memref<2xf32, strided<[24]>>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0, 0] [2, 1] [2, 1] : tensor<4x2xf32> to tensor<2x1xf32>
// CHECK: tensor.extract_slice %[[S]][0, 0] [2, 1] [1, 1] : tensor<2x1xf32> to tensor<2xf32>
// No steps, or nothing dropped.
// CHECK: memref.subview %{{.*}}[0, 0] [2, 1] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [2, 1] [2, 2]
// CHECK-NOT: {{memref.subview|tensor.extract_slice}}
tile.kernel @slices(%A: memref<8x8xf32>, %O: memref<2xf32>) {
  %v = memref.subview %A[0, 0] [2, 1] [3, 2] : memref<8x8xf32> to memref<2xf32, strided<[24]>>
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] : memref<8x8xf32> -> tensor<4x2xf32>
    %one = tensor.extract_slice %x[0, 0] [1, 2] [3, 1] : tensor<4x2xf32> to tensor<2xf32>
    tile.store %one, %v[%c0] : tensor<2xf32> -> memref<2xf32, strided<[24]>>
    %two = tensor.extract_slice %x[0, 0] [2, 1] [2, 1] : tensor<4x2xf32> to tensor<2xf32>
    tile.store %two, %v[%c0] : tensor<2xf32> -> memref<2xf32, strided<[24]>>
    %w = memref.subview %A[0, 0] [2, 1] [1, 1] : memref<8x8xf32> to memref<2xf32, strided<[8]>>
    tile.store %two, %w[%c0] : tensor<2xf32> -> memref<2xf32, strided<[8]>>
    %three = tensor.extract_slice %x[0, 0] [2, 1] [2, 2] : tensor<4x2xf32> to tensor<2x1xf32>
    tile.store %three, %A[%c0, %c0] : tensor<2x1xf32> -> memref<8x8xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @always(
// CHECK-DAG: arith.constant true
// CHECK-DAG: arith.constant dense<false> : tensor<4xi1>
// CHECK-NOT: arith.cmpf
tile.kernel @always(%x: f32, %O: memref<4xi1>) {
  %t = arith.cmpf true, %x, %x : f32
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %tile = tile.broadcast %x dims = [] : f32 -> tensor<4xf32>
    %f = arith.cmpf false, %tile, %tile : tensor<4xf32>
    tile.store %f, %O[%c0] : tensor<4xi1> -> memref<4xi1>
    memref.store %t, %O[%c0] : memref<4xi1>
  }
  tile.return
}

// A load that is both operands of an op that goes.
// CHECK-LABEL: tile.kernel @both_operands(
// CHECK-NOT: {{tile.load|arith.cmpf}}
// CHECK: tile.store
tile.kernel @both_operands(%A: memref<4xf32>, %O: memref<4xi1>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %tile = tile.load %A[%c0] : memref<4xf32> -> tensor<4xf32>
    %f = arith.cmpf false, %tile, %tile : tensor<4xf32>
    tile.store %f, %O[%c0] : tensor<4xi1> -> memref<4xi1>
  }
  tile.return
}

// Dimension 2 is dropped, also when canonicalize sees that dimension 0 has one element, too: upstream's memref.subview drops that instead.
// CHECK-LABEL: tile.kernel @dropped(
// CHECK: %[[V:.*]] = memref.subview %A[0, 0, %n, 0] [%{{.*}}, 41, 1, 8] [3, 1, 1, 1] : memref<1x120x?x8xf32> to memref<?x41x1x8xf32,
// CHECK: memref.collapse_shape %[[V]] {{\[}}[0], [1, 2], [3]]
// FOLDED-LABEL: tile.kernel @dropped(
// FOLDED: %[[V:.*]] = memref.subview %A[0, 0, %n, 0] [1, 41, 1, 8] [3, 1, 1, 1]
// FOLDED: memref.collapse_shape %[[V]] {{\[}}[0], [1, 2], [3]] : memref<1x41x1x8xf32,
tile.kernel @dropped(%A: memref<1x120x?x8xf32>, %n: index) {
  %one = arith.constant 1 : index
  %v = memref.subview %A[0, 0, %n, 0] [%one, 41, 1, 8] [3, 1, 1, 1] : memref<1x120x?x8xf32> to memref<?x41x8xf32, strided<[?, ?, 1], offset: ?>>
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %v[%c0, %c0, %c0] dims = [1, 2] : memref<?x41x8xf32, strided<[?, ?, 1], offset: ?>> -> tensor<33x8xf32>
    tile.store %x, %v[%c0, %c0, %c0] dims = [1, 2] : tensor<33x8xf32> -> memref<?x41x8xf32, strided<[?, ?, 1], offset: ?>>
  }
  tile.return
}

// atan2 of two zeros has a value, whatever upstream folds it to.
// CHECK-LABEL: tile.kernel @zeros(
// CHECK: %[[ONE:.*]] = math.copysign %{{.*}}, %x : f32
// CHECK: %[[X:.*]] = arith.select %{{.*}}, %[[ONE]], %x : f32
// CHECK: math.atan2 %y, %[[X]] : f32
// CHECK: arith.select %{{.*}} : tensor<4xi1>, tensor<4xf16>
// FOLDED-LABEL: tile.kernel @zeros(
// FOLDED-NOT: 0x7FC00000
// FOLDED: memref.store %cst{{.*}}, %O[%c0]
// FOLDED: tile.return
tile.kernel @zeros(%x: f32, %y: f32, %O: memref<4xf32>, %P: memref<4xf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %a = math.atan2 %z, %z : f32
    memref.store %a, %O[%c0] : memref<4xf32>
    %b = math.atan2 %y, %x : f32
    memref.store %b, %O[%c1] : memref<4xf32>
    %t = tile.load %P[%c0] : memref<4xf16> -> tensor<4xf16>
    %u = math.atan2 %t, %t : tensor<4xf16>
    tile.store %u, %P[%c0] : tensor<4xf16> -> memref<4xf16>
  }
  tile.return
}

// A view whose kept dimension has one element, like the dropped one before it: collapsing them would give it the other one's stride. It stays.
// CHECK-LABEL: tile.kernel @kept(
// CHECK: memref.subview %A[1, 3, 0] [1, 1, 8] [1, 1, 1] : memref<4x16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 152>>
// CHECK-NOT: memref.{{cast|collapse_shape}}
// A number that does not fit is another one after the casts.
// CHECK-LABEL: tile.kernel @narrow(
// CHECK: %[[W:.*]] = arith.index_cast %n : index to i64
// CHECK: %[[T:.*]] = arith.trunci %[[W]] : i64 to i8
// CHECK: arith.index_cast %[[T]] : i8 to index
// CHECK: arith.index_cast %n : index to i32
// FOLDED-LABEL: tile.kernel @narrow(
// FOLDED: arith.trunci %{{.*}} : i64 to i8
// FOLDED: arith.index_cast %{{.*}} : i8 to index
tile.kernel @kept(%A: memref<4x16x8xf32>) {
  %v = memref.subview %A[1, 3, 0] [1, 1, 8] [1, 1, 1] : memref<4x16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 152>>
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %v[%c0, %c0] : memref<1x8xf32, strided<[8, 1], offset: 152>> -> tensor<1x8xf32>
    tile.store %x, %v[%c0, %c0] : tensor<1x8xf32> -> memref<1x8xf32, strided<[8, 1], offset: 152>>
  }
  tile.return
}

tile.kernel @narrow(%O: memref<8xindex>, %P: memref<8xi32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %i = arith.index_cast %n : index to i8
    %j = arith.index_cast %i : i8 to index
    memref.store %j, %O[%c0] : memref<8xindex>
    %k = arith.index_cast %n : index to i32
    memref.store %k, %P[%c0] : memref<8xi32>
  }
  tile.return
}

// Steps: the strides of the view are not those of the array, among which upstream looks for the dimension that is left.
// CHECK-LABEL: tile.kernel @steps(
// CHECK: %[[W:.*]] = memref.subview %A[4, 5] [1, 1] [3, 3] : memref<?x6xbf16> to memref<1x1xbf16, strided<[18, 3], offset: 29>>
// CHECK: %[[V:.*]] = memref.subview %[[W]][0, 0] [1, 1] [1, 1] : memref<1x1xbf16, strided<[18, 3], offset: 29>> to memref<1xbf16, strided<[3], offset: 29>>
// CHECK: memref.subview %A[1, 0] [1, 1] [2, 2] : memref<?x6xbf16> to memref<1x1xbf16, strided<[12, 2], offset: 6>>
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1]] : memref<1x1xbf16, strided<[12, 2], offset: 6>> into memref<1xbf16, strided<[12], offset: 6>>
// CHECK: tile.load %[[V]]
tile.kernel @steps(%A: memref<?x6xbf16>, %O: memref<1xbf16>) {
  %v = memref.subview %A[4, 5] [1, 1] [3, 3] : memref<?x6xbf16> to memref<1xbf16, strided<[3], offset: 29>>
  %w = memref.subview %A[1, 0] [1, 1] [2, 2] : memref<?x6xbf16> to memref<1xbf16, strided<[12], offset: 6>>
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %v[%c0] : memref<1xbf16, strided<[3], offset: 29>> -> tensor<1xbf16>
    %y = tile.load %w[%c0] : memref<1xbf16, strided<[12], offset: 6>> -> tensor<1xbf16>
    %z = arith.addf %x, %y : tensor<1xbf16>
    tile.store %z, %O[%c0] : tensor<1xbf16> -> memref<1xbf16>
  }
  tile.return
}

// Casts to i32 that stand side by side only when what is between them is folded: a function, a region, an addition of 0, a tile.
// CHECK-LABEL: tile.kernel @far(
// CHECK: %[[W:.*]] = arith.index_cast %n : index to i64
// CHECK: %[[T:.*]] = arith.trunci %[[W]] : i64 to i32
// CHECK: func.call @back(%[[T]])
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: arith.trunci %{{.*}} : tensor<4xi64> to tensor<4xi32>
// A number of which only comparisons and floats are made stays.
// CHECK: %[[K:.*]] = arith.index_cast %n : index to i32
// CHECK: arith.addi %[[K]]
// FAR-LABEL: tile.kernel @far(
// FAR-COUNT-4: arith.index_castui %{{.*}} : {{i32|tensor<4xi32>}} to
// FAR: tile.return
func.func private @back(%x: i32) -> index {
  %r = arith.index_castui %x : i32 to index
  return %r : index
}
tile.kernel @far(%O: memref<8xindex>, %F: memref<8xf32>, %n: index) {
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = arith.index_castui %n : index to i32
    %b = func.call @back(%a) : (i32) -> index
    memref.store %b, %O[%c0] : memref<8xindex>
    %c1 = arith.constant 1 : index
    %m = arith.addi %n, %c1 : index
    %c = arith.index_castui %m : index to i32
    %d = scf.if %true -> i32 {
      scf.yield %c : i32
    } else {
      scf.yield %zero : i32
    }
    %e = arith.index_castui %d : i32 to index
    memref.store %e, %O[%c1] : memref<8xindex>
    %p = arith.subi %n, %c1 : index
    %f = arith.index_castui %p : index to i32
    %g = arith.addi %f, %zero : i32
    %h = arith.index_castui %g : i32 to index
    memref.store %h, %O[%h] : memref<8xindex>
    %t = tile.load %O[%c0] : memref<8xindex> -> tensor<4xindex>
    %u = arith.index_castui %t : tensor<4xindex> to tensor<4xi32>
    %v = arith.index_castui %u : tensor<4xi32> to tensor<4xindex>
    tile.store %v, %O[%c0] : tensor<4xindex> -> memref<8xindex>
    %k = arith.index_cast %n : index to i32
    %l = arith.addi %k, %k : i32
    %s = arith.sitofp %l : i32 to f32
    memref.store %s, %F[%c0] : memref<8xf32>
    %less = arith.cmpi slt, %l, %k : i32
    scf.if %less {
      memref.store %s, %F[%c1] : memref<8xf32>
    }
  }
  tile.return
}

// Bounds that are plainly not negative are compared signed. Others count: 3 iterations from -3 to 0 that wrap around are none, since
// unsigned -3 is larger than 0.
// CHECK-LABEL: tile.kernel @unsigned_loops(
// CHECK: scf.for %{{.*}} = %c0 to %[[N:.*]] step %c2
// CHECK: %[[D:.*]] = arith.subi %u, %l : i32
// CHECK: %[[Q:.*]] = arith.ceildivui %[[D]], %s : i32
// CHECK: %[[RUNS:.*]] = arith.cmpi ult, %l, %u : i32
// CHECK: %[[COUNT:.*]] = arith.select %[[RUNS]], %[[Q]], %{{.*}} : i32
// CHECK: %[[R:.*]] = scf.for %[[J:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} iter_args(%[[A:.*]] = %l) -> (i32) : i32 {
// CHECK: %[[M:.*]] = arith.muli %[[J]], %s : i32
// CHECK: %[[I:.*]] = arith.addi %l, %[[M]] : i32
// CHECK: %[[NEXT:.*]] = arith.xori %[[A]], %[[I]] : i32
// CHECK: scf.yield %[[NEXT]] : i32
// CHECK: } {note = 1 : i64}
// CHECK: memref.store %[[R]]
// CHECK-NOT: unsigned
tile.kernel @unsigned_loops(%O: memref<?xi32>, %l: i32, %u: i32, %s: i32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %n = memref.dim %O, %c0 : memref<?xi32>
    scf.for unsigned %i = %c0 to %n step %c2 {
      memref.store %l, %O[%i] : memref<?xi32>
    }
    %r = scf.for unsigned %i = %l to %u step %s iter_args(%a = %l) -> (i32) : i32 {
      %next = arith.xori %a, %i : i32
      scf.yield %next : i32
    } {note = 1}
    memref.store %r, %O[%c0] : memref<?xi32>
  }
  tile.return
}

// The limits of i8; those of i32 are no numbers of f16.
// CHECK-LABEL: tile.kernel @saturating(
// CHECK: %[[HIGH:.*]] = arith.constant 1.280000e+02 : f32
// CHECK: %[[IS_HIGH:.*]] = arith.cmpf oge, %x, %[[HIGH]]
// CHECK: %[[LOW:.*]] = arith.constant -1.280000e+02 : f32
// CHECK: %[[IS_LOW:.*]] = arith.cmpf ole, %x, %[[LOW]]
// CHECK: arith.cmpf uno, %x, %x
// CHECK: %[[INSIDE:.*]] = arith.select %{{.*}}, %{{.*}}, %x : f32
// CHECK: %[[INT:.*]] = arith.fptosi %[[INSIDE]] : f32 to i8
// CHECK: %[[R:.*]] = arith.select %[[IS_HIGH]], %c127_i8, %[[INT]] : i8
// CHECK: arith.select %[[IS_LOW]], %c-128_i8, %[[R]] : i8
// CHECK: arith.constant dense<0x7C00> : tensor<4xf16>
// CHECK: arith.fptoui %{{.*}} : tensor<4xf16> to tensor<4xi32>
// CHECK: %[[LEAST:.*]] = arith.constant dense<-6.550400e+04> : tensor<4xf32>
// CHECK: %[[RAISED:.*]] = arith.maximumf %{{.*}}, %[[LEAST]]
// CHECK: %[[MOST:.*]] = arith.constant dense<6.550400e+04> : tensor<4xf32>
// CHECK: %[[CLAMPED:.*]] = arith.minimumf %[[RAISED]], %[[MOST]]
// CHECK: arith.truncf %[[CLAMPED]] : tensor<4xf32> to tensor<4xf16>
// CHECK: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xbf16>
// CHECK-NOT: tile.saturate
tile.kernel @saturating(%x: f32, %A: memref<4xf16>, %B: memref<4xf32>, %O: memref<1xi8>, %P: memref<4xi32>, %Q: memref<4xbf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %i = arith.fptosi %x {tile.saturate} : f32 to i8
    memref.store %i, %O[%c0] : memref<1xi8>
    %a = tile.load %A[%c0] : memref<4xf16> -> tensor<4xf16>
    %u = arith.fptoui %a {tile.saturate} : tensor<4xf16> to tensor<4xi32>
    tile.store %u, %P[%c0] : tensor<4xi32> -> memref<4xi32>
    %b = tile.load %B[%c0] : memref<4xf32> -> tensor<4xf32>
    %h = arith.truncf %b {tile.saturate} : tensor<4xf32> to tensor<4xf16>
    tile.store %h, %A[%c0] : tensor<4xf16> -> memref<4xf16>
    // Without the attribute it stays.
    %n = arith.truncf %b : tensor<4xf32> to tensor<4xbf16>
    tile.store %n, %Q[%c0] : tensor<4xbf16> -> memref<4xbf16>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @zips(
// CHECK: %[[X:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK: %[[XP:.*]] = tensor.expand_shape %[[X]] {{\[}}[0], [1, 2]] output_shape [6, 4, 1]
// CHECK: %[[Y:.*]] = tensor.collapse_shape
// CHECK: %[[YP:.*]] = tensor.expand_shape %[[Y]]
// CHECK: %[[Z:.*]] = tensor.concat dim(2) %[[XP]], %[[YP]] : (tensor<6x4x1xf32>, tensor<6x4x1xf32>) -> tensor<6x4x2xf32>
// CHECK: tensor.collapse_shape %[[Z]] {{\[}}[0], [1, 2]] : tensor<6x4x2xf32> into tensor<6x8xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [2, 3, 8]
// CHECK: tensor.concat dim(1) %{{.*}} : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [2, 3, 4] [1, 1, 2] : tensor<2x3x8xf32> to tensor<2x3x4xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 1] [2, 3, 4] [1, 1, 2] : tensor<2x3x8xf32> to tensor<2x3x4xf32>
// CHECK-NOT: {{tile.zip|tile.unzip}}
tile.kernel @zips(%A: memref<2x3x8xf32>, %B: memref<8xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0, %c0] : memref<2x3x8xf32> -> tensor<2x3x4xf32>
    %y = arith.addf %x, %x : tensor<2x3x4xf32>
    %z = tile.zip %x, %y : tensor<2x3x4xf32> -> tensor<2x3x8xf32>
    tile.store %z, %A[%c0, %c0, %c0] : tensor<2x3x8xf32> -> memref<2x3x8xf32>
    %v = tile.load %B[%c0] : memref<8xf32> -> tensor<4xf32>
    %w = tile.zip %v, %v : tensor<4xf32> -> tensor<8xf32>
    tile.store %w, %B[%c0] : tensor<8xf32> -> memref<8xf32>
    %e, %o = tile.unzip %z : tensor<2x3x8xf32> -> tensor<2x3x4xf32>
    %s = arith.addf %e, %o : tensor<2x3x4xf32>
    tile.store %s, %A[%c0, %c0, %c0] : tensor<2x3x4xf32> -> memref<2x3x8xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @asserts(
// CHECK: %[[ALL:.*]] = tile.reduce andi %{{.*}} dims = [0, 1] : tensor<2x4xi1> -> tensor<i1>
// CHECK: %[[OK:.*]] = tensor.extract %[[ALL]][] : tensor<i1>
// CHECK: cf.assert %[[OK]], "positive"
// CHECK: cf.assert %ok, "a flag"
// CHECK-NOT: tile.assert
tile.kernel @asserts(%A: memref<2x4xi32>, %ok: i1) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0> : tensor<2x4xi32>
    %x = tile.load %A[%c0, %c0] : memref<2x4xi32> -> tensor<2x4xi32>
    %p = arith.cmpi sge, %x, %zero : tensor<2x4xi32>
    tile.assert %p, "positive" : tensor<2x4xi1>
    tile.assert %ok, "a flag" : i1
  }
  tile.return
}

// LLVM makes true of 0 in a conversion to i1 for the GPU.
// CHECK-LABEL: tile.kernel @to_bool(
// CHECK: %[[I:.*]] = arith.fptoui %x : f32 to i32
// CHECK: arith.trunci %[[I]] : i32 to i1
// CHECK: %[[T:.*]] = arith.fptosi %{{.*}} : tensor<4xf32> to tensor<4xi32>
// CHECK: arith.trunci %[[T]] : tensor<4xi32> to tensor<4xi1>
// CHECK: %[[S:.*]] = arith.fptoui %{{.*}} : tensor<4xf32> to tensor<4xi32>
// CHECK: arith.trunci %[[S]] : tensor<4xi32> to tensor<4xi1>
// CHECK: arith.fptosi %x : f32 to i8
tile.kernel @to_bool(%x: f32, %A: memref<4xf32>, %B: memref<4xi1>, %O: memref<1xi1>, %P: memref<1xi8>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %i = arith.fptoui %x : f32 to i1
    memref.store %i, %O[%c0] : memref<1xi1>
    %a = tile.load %A[%c0] : memref<4xf32> -> tensor<4xf32>
    %t = arith.fptosi %a : tensor<4xf32> to tensor<4xi1>
    tile.store %t, %B[%c0] : tensor<4xi1> -> memref<4xi1>
    %s = arith.fptoui %a {tile.saturate} : tensor<4xf32> to tensor<4xi1>
    tile.store %s, %B[%c0] : tensor<4xi1> -> memref<4xi1>
    %j = arith.fptosi %x : f32 to i8
    memref.store %j, %P[%c0] : memref<1xi8>
  }
  tile.return
}
