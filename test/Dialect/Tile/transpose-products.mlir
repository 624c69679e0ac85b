// RUN: tile-opt %s -tile-transpose-products | FileCheck %s
// RUN: tile-opt %s -tile-transpose-products -tile-transpose-products | FileCheck %s
// RUN: tile-opt %s -tile-transpose-products -tile-verify -o /dev/null

// 176 rows waste 16 of 192 on the tensor cores, 128 columns waste none: all tiles are transposed, loads and stores name the dimensions in the other
// order, the operands are exchanged, the bias is repeated along columns.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<128x176xf32>
// CHECK: %[[ACC:.+]] = scf.for %[[K:.+]] = {{.*}} iter_args(%[[C:.+]] = %[[ZERO]]) -> (tensor<128x176xf32>)
// CHECK-NEXT: %[[A:.+]] = tile.load %A[%i, %[[K]]] dims = [1, 0] stages = 3 : memref<?x?xbf16> -> tensor<64x176xbf16>
// CHECK-NEXT: %[[B:.+]] = tile.load %B[%j, %[[K]]] limit = [%{{.+}}, _] : memref<?x?xbf16> -> tensor<128x64xbf16>
// CHECK-NEXT: %[[D:.+]] = tile.mma %[[B]], %[[A]], %[[C]] require = [wgmma] {tile.turned = "computed transposed: 176 rows are no multiple of 64, which the tensor cores need, and 128 columns are"} : tensor<128x64xbf16>, tensor<64x176xbf16> -> tensor<128x176xf32>
// CHECK-NEXT: scf.yield %[[D]] : tensor<128x176xf32>
// CHECK: %[[BIAS:.+]] = tile.load %bias[%j] : memref<?xf32> -> tensor<128xf32>
// CHECK-NEXT: %[[WIDE:.+]] = tile.broadcast %[[BIAS]] dims = [0] : tensor<128xf32> -> tensor<128x176xf32>
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[ACC]], %[[WIDE]] : tensor<128x176xf32>
// CHECK-NEXT: tile.store %[[SUM]], %C[%i, %j] dims = [1, 0] : tensor<128x176xf32> -> memref<?x?xf32>
// CHECK-NOT: tile.transpose
tile.kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %bias: memref<?xf32>, %C: memref<?x?xf32>, %n: index) {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (176, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<176x128xf32>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<176x128xf32>) {
      %a = tile.load %A[%i, %k] stages = 3 : memref<?x?xbf16> -> tensor<176x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] limit = [_, %n] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c require = [wgmma] : tensor<176x64xbf16>, tensor<64x128xbf16> -> tensor<176x128xf32>
      scf.yield %d : tensor<176x128xf32>
    }
    %row = tile.load %bias[%j] : memref<?xf32> -> tensor<128xf32>
    %wide = tile.broadcast %row dims = [1] : tensor<128xf32> -> tensor<176x128xf32>
    %sum = arith.addf %acc, %wide : tensor<176x128xf32>
    tile.store %sum, %C[%i, %j] : tensor<176x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Masks of both dimensions are transposed, those of one dimension belong to the other one. Both limits are exchanged. Iotas, reductions, slices and
// concat have another dimension, constants other elements, a row other extents. What the program transposes itself is there already.
// CHECK-LABEL: tile.kernel @ops(
// CHECK: %[[D:.+]] = tile.mma {{.*}} -> tensor<64x8xf32>
// CHECK: %[[X:.+]] = tile.iota dim = 0 : tensor<64x8xi32>
// CHECK: %[[Y:.+]] = tile.iota dim = 1 : tensor<64x8xi32>
// CHECK: %[[NEAR:.+]] = arith.cmpi slt, %[[X]], %[[Y]] : tensor<64x8xi32>
// CHECK: %[[SOME:.+]] = tile.load %{{.+}}[%{{.+}}] : memref<?xi1> -> tensor<8xi1>
// CHECK: tile.load %R[%{{.+}}, %{{.+}}] dims = [1, 0] limit = [%n, %m] pad = nan mask = %[[NEAR]] : memref<?x?xf32> -> tensor<64x8xf32>
// CHECK: tile.load %R[%{{.+}}, %{{.+}}] dims = [1, 0] limit = [_, %m] mask = %[[SOME]] on [1] : memref<?x?xf32> -> tensor<64x8xf32>
// CHECK: tensor.expand_shape %{{.+}} {{\[}}[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
// CHECK-NEXT: tile.broadcast %{{.+}} dims = [0, 1] : tensor<64x1xf32> -> tensor<64x8xf32>
// CHECK: arith.constant dense<{{\[}}[0, 2, 4, 6, 8, 10, 12, 14], [1, 3, 5, 7, 9, 11, 13, 15]]> : tensor<2x8xi32>
// CHECK: tensor.extract_slice %{{.+}}[1, 0] [2, 8] [31, 1] : tensor<64x8xf32> to tensor<2x8xf32>
// CHECK: tensor.concat dim(0) {{.*}} -> tensor<4x8xf32>
// CHECK: tile.reduce addf %{{.+}} dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
// CHECK: tile.argreduce max %{{.+}} dim = 1 : tensor<64x8xf32> -> tensor<64xf32>, tensor<64xi32>
// CHECK: tile.reduce (%{{.+}}, %{{.+}}) dims = [0, 1] init
// CHECK-NOT: tile.transpose
// CHECK: tile.store %[[T:.+]], %C[%{{.+}}, %{{.+}}] : tensor<64x8xf32> -> memref<?x?xf32>
// CHECK: tile.store %[[T]], %C[%{{.+}}, %{{.+}}] dims = [1, 0] mask = %[[NEAR]] : tensor<64x8xf32> -> memref<?x?xf32>
tile.kernel @ops(%A: memref<?x?xbf16>, %bias: memref<?xf32>, %M: memref<?xi1>, %R: memref<?x?xf32>, %C: memref<?x?xf32>, %m: index, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<8x16xbf16>
    %b = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %d = tile.mma %a, %b : tensor<8x16xbf16>, tensor<16x64xbf16> -> tensor<8x64xf32>
    %x = tile.iota dim = 1 : tensor<8x64xi32>
    %y = tile.iota dim = 0 : tensor<8x64xi32>
    %near = arith.cmpi slt, %x, %y : tensor<8x64xi32>
    %some = tile.load %M[%c0] : memref<?xi1> -> tensor<8xi1>
    %r = tile.load %R[%c0, %c0] limit = [%m, %n] pad = nan mask = %near : memref<?x?xf32> -> tensor<8x64xf32>
    %s = tile.load %R[%c0, %c0] limit = [%m, _] mask = %some on [0] : memref<?x?xf32> -> tensor<8x64xf32>
    %row = tile.load %bias[%c0] : memref<?xf32> -> tensor<64xf32>
    %line = tensor.expand_shape %row [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %lines = tile.broadcast %line dims = [0, 1] : tensor<1x64xf32> -> tensor<8x64xf32>
    %e = arith.addf %d, %r : tensor<8x64xf32>
    %f = math.fma %e, %s, %lines : tensor<8x64xf32>
    %table = arith.constant dense<[[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13], [14, 15]]> : tensor<8x2xi32>
    %numbers = arith.sitofp %table : tensor<8x2xi32> to tensor<8x2xf32>
    %part = tensor.extract_slice %f[0, 1] [8, 2] [1, 31] : tensor<8x64xf32> to tensor<8x2xf32>
    %both = tensor.concat dim(1) %part, %numbers : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
    %sums = tile.reduce addf %both dims = [1] : tensor<8x4xf32> -> tensor<8xf32>
    tile.store %sums, %bias[%c0] : tensor<8xf32> -> memref<?xf32>
    %v, %at = tile.argreduce max %f dim = 0 : tensor<8x64xf32> -> tensor<64xf32>, tensor<64xi32>
    tile.store %v, %bias[%c0] : tensor<64xf32> -> memref<?xf32>
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0 : i32
    %p, %q = tile.reduce (%f, %x) dims = [0, 1] init(%one, %zero) {
    ^bb0(%l: f32, %li: i32, %o: f32, %oi: i32):
      %lo = arith.mulf %l, %o : f32
      %lio = arith.ori %li, %oi : i32
      tile.yield %lo, %lio : f32, i32
    } : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<f32>, tensor<i32>
    %product = tensor.extract %p[] : tensor<f32>
    %products = tensor.splat %product : tensor<8x64xf32>
    %g = arith.addf %f, %products : tensor<8x64xf32>
    %t = tile.transpose %g dims = [1, 0] : tensor<8x64xf32> -> tensor<64x8xf32>
    tile.store %t, %C[%c0, %c0] : tensor<64x8xf32> -> memref<?x?xf32>
    tile.store %g, %C[%c0, %c0] mask = %near : tensor<8x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Through branches and loops. The zero also begins a product that is not transposed, so it is there twice.
// CHECK-LABEL: tile.kernel @control(
// CHECK-DAG: %[[PLAIN:.+]] = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
// CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
// CHECK: scf.while (%{{.+}} = %{{.+}}, %{{.+}} = %[[ZERO]]) : (index, tensor<64x16xf32>) -> tensor<64x16xf32> {
// CHECK: scf.condition(%{{.+}}) %{{.+}} : tensor<64x16xf32>
// CHECK: ^bb0(%{{.+}}: tensor<64x16xf32>):
// CHECK: %[[F:.+]] = scf.if %{{.+}} -> (tensor<64x16xf32>)
// CHECK: %[[S:.+]] = scf.index_switch %{{.+}} -> tensor<64x16xf32>
// CHECK: scf.yield %[[ZERO]] : tensor<64x16xf32>
// CHECK: tile.store %[[S]], {{.*}} dims = [1, 0] : tensor<64x16xf32>
// CHECK: tile.mma %{{.+}}, %{{.+}}, %[[PLAIN]] : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
tile.kernel @control(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %n: index, %p: i1) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %acc = scf.while (%k = %c0, %sum = %zero) : (index, tensor<16x64xf32>) -> tensor<16x64xf32> {
      %more = arith.cmpi slt, %k, %n : index
      scf.condition(%more) %sum : tensor<16x64xf32>
    } do {
    ^bb0(%sum: tensor<16x64xf32>):
      %a = tile.load %A[%c0, %c0] : memref<?x?xf16> -> tensor<16x16xf16>
      %b = tile.load %B[%c0, %c0] : memref<?x?xf16> -> tensor<16x64xf16>
      %next = tile.mma %a, %b, %sum : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
      scf.yield %c16, %next : index, tensor<16x64xf32>
    }
    %first = scf.if %p -> (tensor<16x64xf32>) {
      %negated = arith.negf %acc : tensor<16x64xf32>
      scf.yield %negated : tensor<16x64xf32>
    } else {
      scf.yield %acc : tensor<16x64xf32>
    }
    %second = scf.index_switch %n -> tensor<16x64xf32>
    case 2 {
      scf.yield %first : tensor<16x64xf32>
    }
    default {
      scf.yield %zero : tensor<16x64xf32>
    }
    tile.store %second, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    %e = tile.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<16x16xf32>
    %f = tile.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32>
    %g = tile.mma %e, %f, %zero : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
    tile.store %g, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// The dimension of the batch stays the first one.
// CHECK-LABEL: tile.kernel @batch(
// CHECK: tile.load %A[%{{.+}}] dims = [0, 2, 1] : memref<?x?x?xbf16> -> tensor<4x16x24xbf16>
// CHECK: tile.load %A[%{{.+}}] dims = [1, 2, 0] : memref<?x?x?xbf16> -> tensor<4x64x16xbf16>
// CHECK: tile.mma {{.*}} -> tensor<4x64x24xf32>
// CHECK: tile.reduce addf %{{.+}} dims = [0] : tensor<4x64x24xf32> -> tensor<64x24xf32>
// CHECK: tile.store %{{.+}}, %C[%{{.+}}] dims = [1, 0] : tensor<64x24xf32>
// CHECK: tile.reduce addf %{{.+}} dims = [2] : tensor<4x64x24xf32> -> tensor<4x64xf32>
// CHECK: tile.broadcast %{{.+}} dims = [0, 1] : tensor<4x64xf32> -> tensor<4x64x24xf32>
tile.kernel @batch(%A: memref<?x?x?xbf16>, %B: memref<?x?x?xf32>, %C: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0, %c0] : memref<?x?x?xbf16> -> tensor<4x24x16xbf16>
    %b = tile.load %A[%c0, %c0, %c0] dims = [1, 0, 2] : memref<?x?x?xbf16> -> tensor<4x16x64xbf16>
    %d = tile.mma %a, %b : tensor<4x24x16xbf16>, tensor<4x16x64xbf16> -> tensor<4x24x64xf32>
    %z = tile.reduce addf %d dims = [0] : tensor<4x24x64xf32> -> tensor<24x64xf32>
    tile.store %z, %C[%c0, %c0] : tensor<24x64xf32> -> memref<?x?xf32>
    %m = tile.reduce addf %d dims = [1] : tensor<4x24x64xf32> -> tensor<4x64xf32>
    %w = tile.broadcast %m dims = [0, 2] : tensor<4x64xf32> -> tensor<4x24x64xf32>
    %e = arith.mulf %d, %w : tensor<4x24x64xf32>
    tile.store %e, %B[%c0, %c0, %c0] : tensor<4x24x64xf32> -> memref<?x?x?xf32>
  }
  tile.return
}

// Two products share %a: their padded multiplications are counted together, 64·16 + 128·16 instead of 64·64 + 64·128.
// CHECK-LABEL: tile.kernel @pair(
// CHECK: tile.mma {{.*}} -> tensor<64x16xf32>
// CHECK: tile.mma {{.*}} -> tensor<128x16xf32>
tile.kernel @pair(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %b = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %c = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x128xbf16>
    %d = tile.mma %a, %b : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
    %e = tile.mma %a, %c : tensor<16x16xbf16>, tensor<16x128xbf16> -> tensor<16x128xf32>
    tile.store %d, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    tile.store %e, %C[%c0, %c0] : tensor<16x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Of these two the second could not use the tensor cores if it were transposed, so neither is; the first says why.
// CHECK-LABEL: tile.kernel @unlike(
// CHECK: tile.mma {{.*}} {tile.not_turned = "not computed transposed: it shares tiles with a product that is better as it is"} : tensor<16x32xbf16>, tensor<32x64xbf16> -> tensor<16x64xf32>
// CHECK: tile.mma %{{.+}}, %{{.+}} : tensor<64x32xbf16>, tensor<32x24xbf16> -> tensor<64x24xf32>
tile.kernel @unlike(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x32xbf16>
    %b = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<32x64xbf16>
    %d = tile.mma %a, %b : tensor<16x32xbf16>, tensor<32x64xbf16> -> tensor<16x64xf32>
    %c = tensor.extract_slice %b[0, 0] [32, 24] [1, 1] : tensor<32x64xbf16> to tensor<32x24xbf16>
    %e = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<64x32xbf16>
    %f = tile.mma %e, %c : tensor<64x32xbf16>, tensor<32x24xbf16> -> tensor<64x24xf32>
    tile.store %d, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    tile.store %f, %C[%c0, %c0] : tensor<64x24xf32> -> memref<?x?xf32>
  }
  tile.return
}

// An op that cannot be transposed, after the loop or before it: transposes stand there.
// CHECK-LABEL: tile.kernel @border(
// CHECK: %[[B:.+]] = tensor.expand_shape %{{.+}} {{\[}}[0, 1]] output_shape [16, 64]
// CHECK-NEXT: %[[BT:.+]] = tile.transpose %[[B]] dims = [1, 0] : tensor<16x64xbf16> -> tensor<64x16xbf16>
// CHECK: scf.for
// CHECK: tile.mma %[[BT]], %{{.+}} -> tensor<64x16xf32>
// CHECK: }
// CHECK-NEXT: %[[T:.+]] = tile.transpose %{{.+}} dims = [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
// CHECK-NEXT: tensor.collapse_shape %[[T]] {{.*}} into tensor<1024xf32>
tile.kernel @border(%A: memref<?x?xbf16>, %b: memref<?xbf16>, %C: memref<?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %flat = tile.load %b[%c0] : memref<?xbf16> -> tensor<1024xbf16>
    %b2 = tensor.expand_shape %flat [[0, 1]] output_shape [16, 64] : tensor<1024xbf16> into tensor<16x64xbf16>
    %acc = scf.for %k = %c0 to %n step %c16 iter_args(%c = %zero) -> (tensor<16x64xf32>) {
      %a = tile.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<16x16xbf16>
      %d = tile.mma %a, %b2, %c : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    %out = tensor.collapse_shape %acc [[0, 1]] : tensor<16x64xf32> into tensor<1024xf32>
    tile.store %out, %C[%c0] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}

// In the loop transposes would cost time in every iteration: nothing is transposed, and the product says why.
// CHECK-LABEL: tile.kernel @border_in_loop(
// CHECK: tile.mma {{.*}} {tile.not_turned = "not computed transposed: 'tensor.expand_shape' makes a tile in a loop, where a transpose would cost in every iteration"} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
// CHECK: tile.mma {{.*}} {tile.not_turned = "not computed transposed: 'tensor.collapse_shape' takes a tile in a loop, where a transpose would cost in every iteration"} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
// CHECK-NOT: tile.transpose
tile.kernel @border_in_loop(%A: memref<?x?xbf16>, %b: memref<?xbf16>, %C: memref<?x?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %acc = scf.for %k = %c0 to %n step %c16 iter_args(%c = %zero) -> (tensor<16x64xf32>) {
      %flat = tile.load %b[%k] : memref<?xbf16> -> tensor<1024xbf16>
      %b2 = tensor.expand_shape %flat [[0, 1]] output_shape [16, 64] : tensor<1024xbf16> into tensor<16x64xbf16>
      %a = tile.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<16x16xbf16>
      %d = tile.mma %a, %b2, %c : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    tile.store %acc, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    scf.for %k = %c0 to %n step %c16 {
      %a = tile.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<16x16xbf16>
      %b2 = tile.load %A[%c0, %k] : memref<?x?xbf16> -> tensor<16x64xbf16>
      %d = tile.mma %a, %b2 : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
      %out = tensor.collapse_shape %d [[0, 1]] : tensor<16x64xf32> into tensor<1024xf32>
      %row = tensor.expand_shape %out [[0, 1]] output_shape [1, 1024] : tensor<1024xf32> into tensor<1x1024xf32>
      tile.store %row, %C[%k, %c0] : tensor<1x1024xf32> -> memref<?x?xf32>
    }
  }
  tile.return
}

// Attention: the operand of the second product is computed from the result of the first, through a loop's arguments too.
// CHECK-LABEL: tile.kernel @attention(
// CHECK-COUNT-2: tile.mma {{.*}} {tile.not_turned = "not computed transposed: an operand of a product is computed from the result of another"} : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xf32>
tile.kernel @attention(%Q: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %q = tile.load %Q[%c0, %c0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %acc, %last = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero, %s = %zero) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
      %p = arith.truncf %s : tensor<16x64xf32> to tensor<16x64xbf16>
      %v = tile.load %Q[%k, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %o = tile.mma %p, %v, %c : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xf32>
      %kt = tile.load %Q[%k, %c0] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %q, %kt : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xf32>
      scf.yield %o, %next : tensor<16x64xf32>, tensor<16x64xf32>
    }
    tile.store %acc, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// By demand: any type and shape (the signs of operands change places with them), and an operand computed from another product; or never.
// CHECK-LABEL: tile.kernel @demands(
// CHECK: tile.mma {{.*}} rhs = unsigned {tile.turned = "computed transposed, as the source IR says"} : tensor<5x8xi8>, tensor<8x64xi8> -> tensor<5x64xi32>
// CHECK: tile.mma {{.*}} {tile.transposed = false} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
// CHECK: %[[S:.+]] = tile.mma {{.*}} {tile.turned = "computed transposed, as the source IR says"} : tensor<64x16xf32>, tensor<16x8xf32> -> tensor<64x8xf32>
// CHECK: tile.mma %{{.+}}, %[[S]] {tile.turned = "computed transposed, as the source IR says"} : tensor<32x64xf32>, tensor<64x8xf32> -> tensor<32x8xf32>
tile.kernel @demands(%A: memref<?x?xi8>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %D: memref<?x?xi32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xi8> -> tensor<64x8xi8>
    %b = tile.load %A[%c0, %c0] : memref<?x?xi8> -> tensor<8x5xi8>
    %d = tile.mma %a, %b lhs = unsigned {tile.transposed = true} : tensor<64x8xi8>, tensor<8x5xi8> -> tensor<64x5xi32>
    tile.store %d, %D[%c0, %c0] : tensor<64x5xi32> -> memref<?x?xi32>
    %e = tile.load %B[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %f = tile.load %B[%c0, %c0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %g = tile.mma %e, %f {tile.transposed = false} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
    tile.store %g, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    %h = tile.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<8x16xf32>
    %i = tile.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32>
    %j = tile.load %C[%c0, %c0] : memref<?x?xf32> -> tensor<64x32xf32>
    %k = tile.mma %h, %i : tensor<8x16xf32>, tensor<16x64xf32> -> tensor<8x64xf32>
    %l = tile.mma %k, %j {tile.transposed = true} : tensor<8x64xf32>, tensor<64x32xf32> -> tensor<8x32xf32>
    tile.store %l, %C[%c0, %c0] : tensor<8x32xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Not these: rows that are a multiple of 64; neither rows nor columns; columns of which the tensor cores would take no other; K; types; too many batches.
// CHECK-LABEL: tile.kernel @others(
// CHECK-NOT: tile.turned
// CHECK-NOT: tile.not_turned
tile.kernel @others(%A: memref<?x?xbf16>, %Z: memref<?x?x?xbf16>, %F: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<?x?x?xf32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a0 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<64x16xbf16>
    %b0 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x128xbf16>
    %d0 = tile.mma %a0, %b0 : tensor<64x16xbf16>, tensor<16x128xbf16> -> tensor<64x128xf32>
    tile.store %d0, %C[%c0, %c0] : tensor<64x128xf32> -> memref<?x?xf32>
    %a1 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %b1 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x32xbf16>
    %d1 = tile.mma %a1, %b1 : tensor<16x16xbf16>, tensor<16x32xbf16> -> tensor<16x32xf32>
    tile.store %d1, %C[%c0, %c0] : tensor<16x32xf32> -> memref<?x?xf32>
    %a2 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<12x16xbf16>
    %b2 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %d2 = tile.mma %a2, %b2 : tensor<12x16xbf16>, tensor<16x64xbf16> -> tensor<12x64xf32>
    tile.store %d2, %C[%c0, %c0] : tensor<12x64xf32> -> memref<?x?xf32>
    %a3 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x8xbf16>
    %b3 = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<8x64xbf16>
    %d3 = tile.mma %a3, %b3 : tensor<16x8xbf16>, tensor<8x64xbf16> -> tensor<16x64xf32>
    tile.store %d3, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    %a4 = tile.load %F[%c0, %c0] : memref<?x?xf32> -> tensor<16x16xf32>
    %b4 = tile.load %F[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32>
    %d4 = tile.mma %a4, %b4 : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
    tile.store %d4, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    %a5 = tile.load %Z[%c0, %c0, %c0] : memref<?x?x?xbf16> -> tensor<64x16x16xbf16>
    %b5 = tile.load %Z[%c0, %c0, %c0] : memref<?x?x?xbf16> -> tensor<64x16x64xbf16>
    %d5 = tile.mma %a5, %b5 : tensor<64x16x16xbf16>, tensor<64x16x64xbf16> -> tensor<64x16x64xf32>
    tile.store %d5, %D[%c0, %c0, %c0] : tensor<64x16x64xf32> -> memref<?x?x?xf32>
  }
  tile.return
}

// 64 rows are too few for two warpgroups.
// CHECK-LABEL: tile.kernel @two_warpgroups(
// CHECK: tile.mma {{.*}} : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
// CHECK: tile.mma {{.*}} : tensor<128x16xbf16>, tensor<16x16xbf16> -> tensor<128x16xf32>
tile.kernel @two_warpgroups(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) attributes {warpgroups = 2} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %b = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x64xbf16>
    %d = tile.mma %a, %b : tensor<16x16xbf16>, tensor<16x64xbf16> -> tensor<16x64xf32>
    tile.store %d, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    %e = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    %f = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x128xbf16>
    %g = tile.mma %e, %f : tensor<16x16xbf16>, tensor<16x128xbf16> -> tensor<16x128xf32>
    tile.store %g, %C[%c0, %c0] : tensor<16x128xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Transposed twice by the program: the first one is removed, and the second one's result is the product itself.
// CHECK-LABEL: tile.kernel @chain(
// CHECK: %[[D:.+]] = tile.mma {{.*}} -> tensor<176x176xf32>
// CHECK: tile.store %[[D]], %D[%j, %i] :
// CHECK-NOT: tile.transpose
// CHECK: %[[E:.+]] = arith.mulf %[[D]], %[[D]]
// CHECK: tile.store %[[E]], %C[%i, %j] dims = [1, 0]
tile.kernel @chain(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %D: memref<?x?xf32>, %M: index, %N: index) {
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (176, 176) {
    %c = arith.constant dense<0.0> : tensor<176x176xf32>
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<176x64xbf16>
    %b = tile.load %B[%c0, %j] : memref<?x?xbf16> -> tensor<64x176xbf16>
    %d = tile.mma %a, %b, %c {tile.transposed = true} : tensor<176x64xbf16>, tensor<64x176xbf16> -> tensor<176x176xf32>
    %t = tile.transpose %d dims = [1, 0] : tensor<176x176xf32> -> tensor<176x176xf32>
    tile.store %t, %D[%j, %i] : tensor<176x176xf32> -> memref<?x?xf32>
    %u = tile.transpose %t dims = [1, 0] : tensor<176x176xf32> -> tensor<176x176xf32>
    %e = arith.mulf %d, %u : tensor<176x176xf32>
    tile.store %e, %C[%i, %j] : tensor<176x176xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Other types that tensor cores take. The operands change places, and so do their signs.
// CHECK-LABEL: tile.kernel @types(
// CHECK: tile.mma %{{.+}}, %{{.+}} precision = tf32 {tile.turned = {{.*}}} : tensor<64x16xf32>, tensor<16x16xf32> -> tensor<64x16xf32>
// CHECK: tile.mma %{{.+}}, %{{.+}} rhs = unsigned {tile.turned = {{.*}}} : tensor<64x32xi8>, tensor<32x16xi8> -> tensor<64x16xi32>
tile.kernel @types(%F: memref<?x?xf32>, %I: memref<?x?xi8>, %C: memref<?x?xf32>, %D: memref<?x?xi32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a0 = tile.load %F[%c0, %c0] : memref<?x?xf32> -> tensor<16x16xf32>
    %b0 = tile.load %F[%c0, %c0] : memref<?x?xf32> -> tensor<16x64xf32>
    %d0 = tile.mma %a0, %b0 precision = tf32 : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
    tile.store %d0, %C[%c0, %c0] : tensor<16x64xf32> -> memref<?x?xf32>
    %a1 = tile.load %I[%c0, %c0] : memref<?x?xi8> -> tensor<16x32xi8>
    %b1 = tile.load %I[%c0, %c0] : memref<?x?xi8> -> tensor<32x64xi8>
    %d1 = tile.mma %a1, %b1 lhs = unsigned : tensor<16x32xi8>, tensor<32x64xi8> -> tensor<16x64xi32>
    tile.store %d1, %D[%c0, %c0] : tensor<16x64xi32> -> memref<?x?xi32>
  }
  tile.return
}

// Loads and stores at places that index tiles give turn like those of boxes: index tiles of rank 1 stay, with another dimension; those of the tile's shape turn.
// CHECK-LABEL: tile.kernel @indexed(
// CHECK: %[[ROWS:.+]] = tile.load %R[%i] : memref<?xi32> -> tensor<176xi32>
// CHECK: scf.for
// CHECK-NEXT: %[[A:.+]] = tile.gather %A[%[[ROWS]] : tensor<176xi32>, %{{.+}}] dims = [1, 0] limit = [%n, %m] mask = %{{.+}} on [1] stages = 3 : memref<?x?xbf16> -> tensor<64x176xbf16>
// CHECK-NEXT: %[[B:.+]] = tile.gather %B[%{{.+}}, %{{.+}} : tensor<128xi64>] dims = [1, 0] : memref<?x?xbf16> -> tensor<128x64xbf16>
// CHECK-NEXT: tile.mma %[[B]], %[[A]]
// CHECK: %[[AT:.+]] = tile.iota dim = 1 : tensor<128x176xi32>
// CHECK: tile.scatter %{{.+}}, %F[%[[AT]] : tensor<128x176xi32>] : tensor<128x176xf32> -> memref<?xf32>
// CHECK: tile.scatter %{{.+}}, %C[%[[ROWS]] : tensor<176xi32>, %j] dims = [1, 0] : tensor<128x176xf32> -> memref<?x?xf32>
// CHECK-NOT: tile.transpose
tile.kernel @indexed(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %R: memref<?xi32>, %S: memref<?xi64>, %F: memref<?xf32>, %C: memref<?x?xf32>, %m: index, %n: index) {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (176, 128) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %rows = tile.load %R[%i] : memref<?xi32> -> tensor<176xi32>
    %columns = tile.load %S[%j] : memref<?xi64> -> tensor<128xi64>
    %two = arith.constant dense<2> : tensor<176xi32>
    %some = arith.cmpi sgt, %rows, %two : tensor<176xi32>
    %zero = arith.constant dense<0.0> : tensor<176x128xf32>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<176x128xf32>) {
      %a = tile.gather %A[%rows : tensor<176xi32>, %k] limit = [%m, %n] mask = %some on [0] stages = 3 : memref<?x?xbf16> -> tensor<176x64xbf16>
      %b = tile.gather %B[%k, %columns : tensor<128xi64>] dims = [0, 1] : memref<?x?xbf16> -> tensor<64x128xbf16>
      %d = tile.mma %a, %b, %c require = [wgmma] : tensor<176x64xbf16>, tensor<64x128xbf16> -> tensor<176x128xf32>
      scf.yield %d : tensor<176x128xf32>
    }
    %at = tile.iota dim = 0 : tensor<176x128xi32>
    tile.scatter %acc, %F[%at : tensor<176x128xi32>] : tensor<176x128xf32> -> memref<?xf32>
    tile.scatter %acc, %C[%rows : tensor<176xi32>, %j] : tensor<176x128xf32> -> memref<?x?xf32>
  }
  tile.return
}
