// RUN: tile-opt %s -tile-verify | FileCheck %s

// Everything the language has; tile-verify changes nothing.

// CHECK-LABEL: tile.kernel @body
tile.kernel @body(%A: memref<?x?xf32> {tile.shape = ["M", "N"]}, %n: i32, %s: f32, %v: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %M = tile.dim "M" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %N = memref.dim %A, %c1 : memref<?x?xf32>
  %ni = arith.index_cast %n : i32 to index
  %blocks = arith.ceildivsi %M, %c64 : index
  %rows = affine.apply affine_map<(d0)[s0] -> (d0 * 64 + s0 floordiv 2)>(%blocks)[%N]
  %least = affine.min affine_map<(d0)[s0] -> (d0, s0)>(%rows)[%ni]
  %big = arith.cmpi sgt, %M, %c64 : index
  %size = arith.select %big, %least, %rows : index
  %r = arith.remui %N, %c64 : index
  %ok = arith.cmpi eq, %r, %c0 : index
  tile.assume %ok, "N must be a multiple of 64" : i1
  tile.assume %n {min = 0} : i32
  %w0 = memref.alloc(%size) : memref<?x4xf32>
  %w1 = memref.alloc() {tile.init = 0 : i32} : memref<16xi32>
  %w2 = memref.alloc(%M) {tile.init = 0.0 : f32} : memref<?xf32>
  %ws = memref.dim %w0, %c0 : memref<?x4xf32>
  // Scalar code of any kind may stand outside; only bounds, sizes and conditions are the launcher's.
  %s2 = arith.mulf %s, %s : f32
  %s3 = math.exp %s2 : f32
  %sub = memref.subview %A[0, 0] [8, %N] [1, 1] : memref<?x?xf32> to memref<8x?xf32, strided<[?, 1]>>
  tile.grid (%i, %j) = (%c0, 0) to (%ws, %N) step (%c64, 128) order = <group = 8> {
    %t = tile.load %sub[%i, %j] : memref<8x?xf32, strided<[?, 1]>> -> tensor<64x128xf32>
    %b = tensor.splat %s3 : tensor<64x128xf32>
    %sum = arith.addf %t, %b : tensor<64x128xf32>
    tile.store %sum, %A[%i, %j] : tensor<64x128xf32> -> memref<?x?xf32>
  }
  tile.grid () = () to () step () {
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @grid
tile.kernel @grid(%A: memref<?x?xf32>, %n: index, %p: memref<?xi32>, %flag: i1) {
  tile.grid (%i) = (0) to (%n) step (64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // Scalars from memory, control flow over them.
    %end = memref.load %p[%i] : memref<?xi32>
    %e = arith.index_cast %end : i32 to index
    %zero = arith.constant dense<0.0> : tensor<8x8xf32>
    %acc = scf.for %k = %c0 to %e step %c1 iter_args(%a = %zero) -> (tensor<8x8xf32>) {
      %t = tile.load %A[%i, %k] limit = [%e, _] : memref<?x?xf32> -> tensor<8x8xf32>
      %x = arith.addf %a, %t fastmath<fast> : tensor<8x8xf32>
      scf.yield %x : tensor<8x8xf32>
    }
    %if = scf.if %flag -> tensor<8x8xf32> {
      %x = math.exp %acc : tensor<8x8xf32>
      scf.yield %x : tensor<8x8xf32>
    } else {
      scf.yield %acc : tensor<8x8xf32>
    }
    %while:2 = scf.while (%k = %c0, %t = %if) : (index, tensor<8x8xf32>) -> (index, tensor<8x8xf32>) {
      %more = arith.cmpi slt, %k, %e : index
      scf.condition(%more) %k, %t : index, tensor<8x8xf32>
    } do {
    ^bb0(%k: index, %t: tensor<8x8xf32>):
      %next = arith.addi %k, %c1 : index
      scf.yield %next, %t : index, tensor<8x8xf32>
    }
    %switch = scf.index_switch %e -> tensor<8x8xf32>
    case 2 {
      scf.yield %zero : tensor<8x8xf32>
    }
    default {
      scf.yield %while#1 : tensor<8x8xf32>
    }
    // Shapes.
    %flat = tensor.collapse_shape %switch [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
    %cube = tensor.expand_shape %flat [[0, 1, 2]] output_shape [4, 4, 4] : tensor<64xf32> into tensor<4x4x4xf32>
    %part = tensor.extract_slice %cube[0, 1, 2] [4, 2, 1] [1, 1, 1] : tensor<4x4x4xf32> to tensor<4x2xf32>
    %both = tensor.concat dim(1) %part, %part : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
    %m = tile.mma %both, %both : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %sum = tile.reduce addf %m dims = [0, 1] : tensor<4x4xf32> -> tensor<f32>
    // Between scalars and tiles.
    %scalar = tensor.extract %sum[] : tensor<f32>
    %two = tensor.from_elements %scalar, %scalar : tensor<2xf32>
    %v, %ix = tile.argreduce max %two dim = 0 : tensor<2xf32> -> tensor<f32>, tensor<i32>
    %row = tile.broadcast %two dims = [1] : tensor<2xf32> -> tensor<8x2xf32>
    // Upstream folders make poison of undefined results.
    %poison = ub.poison : tensor<8x8xf32>
    memref.store %scalar, %A[%c0, %i] : memref<?x?xf32>
    // Views.
    %view = memref.reinterpret_cast %A to offset: [0], sizes: [4, 2], strides: [2, 1] : memref<?x?xf32> to memref<4x2xf32>
    %flatview = memref.collapse_shape %view [[0, 1]] : memref<4x2xf32> into memref<8xf32>
    %wide = memref.expand_shape %flatview [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
    %cast = memref.cast %wide : memref<2x4xf32> to memref<?x?xf32>
    tile.store %row, %cast[%i, %c0] : tensor<8x2xf32> -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @types
tile.kernel @types() {
  tile.grid () = () to () step () {
    %0 = arith.constant dense<1.0> : tensor<f64>
    %1 = arith.constant dense<1.0> : tensor<1xf32>
    %2 = arith.constant dense<1.0> : tensor<1x176xf16>
    %3 = arith.constant dense<1.0> : tensor<1x3x5xbf16>
    %4 = arith.constant dense<1> : tensor<1x3x5x7xi64>
    %5 = arith.constant dense<[1, 2]> : tensor<2xi32>
    %6 = arith.constant dense<1> : tensor<70xi16>
    %7 = arith.constant dense<1> : tensor<8192xi8>
    %8 = arith.constant dense<true> : tensor<4xi1>
    %9 = arith.constant dense<1> : tensor<4xindex>
  }
  tile.return
}

// Variants may have guards.

// CHECK-LABEL: tile.kernel @one_few
// CHECK: tile.assume guard
tile.kernel @one_few(%c: i1) attributes {variant = "few", variant_of = "one"} {
  tile.assume guard %c, "few" : i1
  tile.return
}
