// RUN: tile-opt %s -inline -tile-verify | tile-opt -tile-verify -o /dev/null
// RUN: tile-opt %s -tile-bind-params -tile-verify | FileCheck %s
// RUN: tile-opt %s '-tile-bind-params=bindings=BM=64,BK=32,WAYS=2,R=4' -tile-verify | FileCheck %s --check-prefix=OTHER
// RUN: tile-opt %s -tile-bind-params | tile-opt -tile-bind-params -tile-verify -o /dev/null

// Without a binding each parameter has the first choice that goes with the others: 64 and 64 make too large a product of 192 and 256.
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME: attributes {tile.bound = {BK = 64 : i64, BM = 128 : i64, BN = 256 : i64}}
// CHECK-NOT: tile.param
// CHECK-NOT: tile.assume
// CHECK: tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256)
// CHECK: %[[ZERO:.*]] = tensor.splat %{{.*}} : tensor<128x256xf32>
// CHECK: scf.for %[[K:.*]] = %c0 to %{{.*}} step %c64 iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (tensor<128x256xf32>)
// CHECK: tile.load %A[%i, %[[K]]] : memref<?x?xbf16> -> tensor<128x64xbf16>
// CHECK: tile.load %B[%j, %[[K]]] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x256xbf16>
// CHECK: tile.mma %{{.*}} : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
// OTHER-LABEL: tile.kernel @product
// OTHER-SAME: attributes {tile.bound = {BK = 32 : i64, BM = 64 : i64, BN = 256 : i64}}
// OTHER: tile.mma %{{.*}} : tensor<64x32xbf16>, tensor<32x256xbf16> -> tensor<64x256xf32>
tile.kernel @product(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["N", "K"]},
                     %C: memref<?x?xbf16> {tile.shape = ["M", "N"]}) {
  %BM = tile.param "BM" [192, 128, 64] : index
  %BN = tile.param "BN" [256] : index
  %BK = tile.param "BK" [64, 32] : index
  %most = arith.constant 32768 : index
  %area = arith.muli %BM, %BN : index
  %fits = arith.cmpi sle, %area, %most : index
  tile.assume %fits, "the accumulators fit" : i1
  tile.assume %BM {divisible = 64} : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (%BM, %BN) {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %zero = tensor.splat %z[%BM, %BN] : tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %K step %BK iter_args(%sum = %zero) -> (tensor<?x?xf32>) {
      %a = tile.load %A[%i, %k] tile(%BM, %BK) : memref<?x?xbf16> -> tensor<?x?xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] tile(%BK, %BN) : memref<?x?xbf16> -> tensor<?x?xbf16>
      %next = tile.mma %a, %b, %sum : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
      scf.yield %next : tensor<?x?xf32>
    }
    %c = arith.truncf %acc : tensor<?x?xf32> to tensor<?x?xbf16>
    tile.store %c, %C[%i, %j] : tensor<?x?xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

// A way: one grid, or two with workspace between them.
// CHECK-LABEL: tile.kernel @ways
// CHECK-NOT: scf.if
// CHECK-NOT: memref.alloc
// CHECK: tile.grid (%i) = (0) to (%N) step (256)
// CHECK-NOT: tile.grid
// OTHER-LABEL: tile.kernel @ways
// OTHER-NOT: scf.if
// OTHER: memref.alloc
// OTHER: tile.grid (%i, %j) = (0, 0) to (2, %N) step (1, 256)
// OTHER: tile.grid (%i) = (0) to (%N) step (256)
tile.kernel @ways(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %WAYS = tile.param "WAYS" [1, 2, 4] : index
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %c1 = arith.constant 1 : index
  %split = arith.cmpi sgt, %WAYS, %c1 : index
  scf.if %split {
    %part = memref.alloc(%WAYS, %N) : memref<?x?xf32>
    %rows = arith.ceildivsi %M, %WAYS : index
    tile.grid (%i, %j) = (0, 0) to (%WAYS, %N) step (1, 256) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %first = arith.muli %i, %rows : index
      %past = arith.addi %first, %rows : index
      %last = arith.minsi %past, %M : index
      %zero = arith.constant dense<0.0> : tensor<256xf32>
      %sum = scf.for %r = %first to %last step %one iter_args(%s = %zero) -> (tensor<256xf32>) {
        %v = tile.load %x[%r, %j] : memref<?x?xf32> -> tensor<256xf32>
        %n = arith.addf %s, %v : tensor<256xf32>
        scf.yield %n : tensor<256xf32>
      }
      tile.store %sum, %part[%i, %j] : tensor<256xf32> -> memref<?x?xf32>
    }
    tile.grid (%j) = (0) to (%N) step (256) {
      %c0 = arith.constant 0 : index
      %parts = tile.load %part[%c0, %j] tile(%WAYS) : memref<?x?xf32> -> tensor<?x256xf32>
      %sum = tile.reduce addf %parts dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
      tile.store %sum, %y[%j] : tensor<256xf32> -> memref<?xf32>
    }
  } else {
    tile.grid (%j) = (0) to (%N) step (256) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<256xf32>
      %sum = scf.for %r = %c0 to %M step %one iter_args(%s = %zero) -> (tensor<256xf32>) {
        %v = tile.load %x[%r, %j] : memref<?x?xf32> -> tensor<256xf32>
        %n = arith.addf %s, %v : tensor<256xf32>
        scf.yield %n : tensor<256xf32>
      }
      tile.store %sum, %y[%j] : tensor<256xf32> -> memref<?xf32>
    }
  }
  tile.return
}

// Extents through all ops that have some: helpers, branches, loops, shapes.
func.func private @double(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = arith.addf %x, %x : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: tile.kernel @everything
// OTHER-LABEL: tile.kernel @everything
tile.kernel @everything(%x: memref<?x?xf32>, %ix: memref<?xi32>, %n: index, %c: i1) {
  %R = tile.param "R" [2, 4] : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %R2 = arith.muli %R, %c2 : index
  %W = affine.apply affine_map<(r) -> (r * 4 + 8)>(%R)
  tile.grid (%i) = (0) to (%n) step (%R2) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // CHECK: %[[T:.*]] = tile.load %x[%i, %c0] pad = neg_inf : memref<?x?xf32> -> tensor<4x16xf32>
    // OTHER: %[[T:.*]] = tile.load %x[%i, %c0] pad = neg_inf : memref<?x?xf32> -> tensor<8x24xf32>
    %t = tile.load %x[%i, %c0] pad = neg_inf tile(%R2, %W) : memref<?x?xf32> -> tensor<?x?xf32>
    // CHECK: arith.addf %[[T]], %[[T]] : tensor<4x16xf32>
    %d = func.call @double(%t) : (tensor<?x?xf32>) -> tensor<?x?xf32>
    // CHECK: tile.iota dim = 1 : tensor<4x16xi32>
    %iota = tile.iota dim = 1 extents(%R2, %W) : tensor<?x?xi32>
    // CHECK: tile.iota dim = 0 from %i : tensor<4xindex>
    %rows = tile.iota dim = 0 from %i extents(%R2) : tensor<?xindex>
    // CHECK: tile.load %x[%{{.*}} : tensor<4xindex>, %c0] : memref<?x?xf32> -> tensor<4x16xf32>
    %gathered = tile.load %x[%rows : tensor<?xindex>, %c0] tile(%R2, %W) : memref<?x?xf32> -> tensor<?x?xf32>
    // CHECK: tile.reduce maximumf %{{.*}} dims = [1] : tensor<4x16xf32> -> tensor<4xf32>
    %m = tile.reduce maximumf %d dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
    // CHECK: tile.broadcast %{{.*}} dims = [0] : tensor<4xf32> -> tensor<4x16xf32>
    %ms = tile.broadcast %m dims = [0] extents(%R2, %W) : tensor<?xf32> -> tensor<?x?xf32>
    // CHECK: tile.argreduce max %{{.*}} dim = 0 : tensor<4x16xf32> -> tensor<16xf32>, tensor<16xi32>
    %v, %at = tile.argreduce max %gathered dim = 0 : tensor<?x?xf32> -> tensor<?xf32>, tensor<?xi32>
    // CHECK: tile.scan addf %{{.*}} dim = 1 carry(%{{.*}}) : tensor<4x16xf32> -> tensor<4x16xf32>, tensor<4xf32>
    %s, %total = tile.scan addf %ms dim = 1 carry(%m) : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?xf32>
    // CHECK: tile.transpose %{{.*}} dims = [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
    %tr = tile.transpose %s dims = [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
    // CHECK: tile.zip %{{.*}} : tensor<4x16xf32> -> tensor<4x32xf32>
    %z = tile.zip %s, %ms : tensor<?x?xf32> -> tensor<?x?xf32>
    // CHECK: tile.unzip %{{.*}} : tensor<4x32xf32> -> tensor<4x16xf32>
    %even, %odd = tile.unzip %z : tensor<?x?xf32> -> tensor<?x?xf32>
    // CHECK: tile.unpack %{{.*}} : tensor<4x16xi32> -> tensor<4x64xi8>
    %bytes = tile.unpack %iota : tensor<?x?xi32> -> tensor<?x?xi8>
    // CHECK: tile.pack %{{.*}} : tensor<4x64xi8> -> tensor<4x16xi32>
    %words = tile.pack %bytes : tensor<?x?xi8> -> tensor<?x?xi32>
    // CHECK: tile.take %{{.*}} at %{{.*}} dim = 1 : tensor<4x16xf32>, tensor<4x16xi32> -> tensor<4x16xf32>
    %taken = tile.take %even at %words dim = 1 : tensor<?x?xf32>, tensor<?x?xi32> -> tensor<?x?xf32>
    // CHECK: tile.extract %{{.*}}[%i, %c0] : tensor<4x16xf32> -> tensor<2x16xf32>
    // OTHER: tile.extract %{{.*}}[%i, %c0] : tensor<8x24xf32> -> tensor<4x24xf32>
    %slice = tile.extract %taken[%i, %c0] extents(%R, %W) : tensor<?x?xf32> -> tensor<?x?xf32>
    // CHECK: tile.insert %{{.*}} into %{{.*}}[%c1, %c0] : tensor<2x16xf32> -> tensor<4x16xf32>
    %ins = tile.insert %slice into %odd[%c1, %c0] : tensor<?x?xf32> -> tensor<?x?xf32>
    // CHECK: tensor.extract_slice %{{.*}}[2, 0] [2, 16] [1, 1] : tensor<4x16xf32> to tensor<2x16xf32>
    // OTHER: tensor.extract_slice %{{.*}}[4, 0] [4, 24] [1, 1] : tensor<8x24xf32> to tensor<4x24xf32>
    %part = tensor.extract_slice %ins[%R, 0] [%R, %W] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    // CHECK: tensor.concat dim(0) %{{.*}} : (tensor<2x16xf32>, tensor<4x16xf32>) -> tensor<6x16xf32>
    %cat = tensor.concat dim(0) %part, %ins : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    // CHECK: tensor.collapse_shape %{{.*}} : tensor<4x16xf32> into tensor<64xf32>
    %flat = tensor.collapse_shape %ins [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
    // CHECK: tensor.expand_shape %{{.*}} output_shape [2, 2, 16] : tensor<64xf32> into tensor<2x2x16xf32>
    %cube = tensor.expand_shape %flat [[0, 1, 2]] output_shape [%R, 2, %W] : tensor<?xf32> into tensor<?x2x?xf32>
    // CHECK: scf.if %c -> (tensor<2x2x16xf32>)
    %either = scf.if %c -> (tensor<?x2x?xf32>) {
      %neg = arith.negf %cube : tensor<?x2x?xf32>
      scf.yield %neg : tensor<?x2x?xf32>
    } else {
      scf.yield %cube : tensor<?x2x?xf32>
    }
    // CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
    // CHECK: ^bb0(%{{.*}}: tensor<2x2x16xf32>)
    %loop = scf.while (%arg = %either) : (tensor<?x2x?xf32>) -> tensor<?x2x?xf32> {
      scf.condition(%c) %arg : tensor<?x2x?xf32>
    } do {
    ^bb0(%arg: tensor<?x2x?xf32>):
      %twice = arith.addf %arg, %arg : tensor<?x2x?xf32>
      scf.yield %twice : tensor<?x2x?xf32>
    }
    // CHECK: tile.rare %{{.*}} passing(%{{.*}}) {
    // CHECK: tile.yield %{{.*}} : tensor<4xf32>
    // CHECK: } : tensor<4xi1>, tensor<4xf32>
    %need = arith.cmpf ogt, %total, %m : tensor<?xf32>
    %rare = tile.rare %need passing(%m) {
      %raised = arith.maximumf %m, %total : tensor<?xf32>
      tile.yield %raised : tensor<?xf32>
    } : tensor<?xi1>, tensor<?xf32>
    // CHECK: tile.rounded addf %{{.*}} upward : tensor<4xf32>
    %up = tile.rounded addf %rare, %m upward : tensor<?xf32>
    // CHECK: tile.atomic add returning %{{.*}}, %ix[%c0] mask = %{{.*}} : tensor<16xi32> -> memref<?xi32>
    %mask = arith.cmpf ogt, %v, %v : tensor<?xf32>
    %old = tile.atomic add returning %at, %ix[%c0] mask = %mask : tensor<?xi32> -> memref<?xi32>
    // A mask, a limit and a tile of pads.
    // CHECK: tile.load %ix[%c0] limit = [%n] pad = %{{.*}} mask = %{{.*}} : memref<?xi32> -> tensor<16xi32>
    %again = tile.load %ix[%c0] tile(%W) mask = %mask limit = [%n] pad = %old : memref<?xi32> -> tensor<?xi32>
    // CHECK: tensor.splat %{{.*}} : tensor<2x16xf32>
    // OTHER: tensor.splat %{{.*}} : tensor<4x24xf32>
    %ones = tensor.splat %f[%R, %W] : tensor<?x?xf32>
    // A way inside: the branch that is not taken does not fit.
    // CHECK-NOT: tensor.concat
    // OTHER: tensor.concat dim(0) %{{.*}} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
    %isFour = arith.cmpi eq, %R, %c4 : index
    %way = scf.if %isFour -> (tensor<?x24xf32>) {
      %fixed = tile.load %x[%i, %c0] : memref<?x?xf32> -> tensor<4x24xf32>
      %sum = arith.constant dense<1.0> : tensor<4x24xf32>
      %both = tensor.concat dim(0) %fixed, %sum : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<?x24xf32>
      scf.yield %both : tensor<?x24xf32>
    } else {
      %other = tile.load %x[%i, %c0] tile(%R2) : memref<?x?xf32> -> tensor<?x24xf32>
      scf.yield %other : tensor<?x24xf32>
    }
    // CHECK: tile.store %{{.*}}, %x[%i, %c0] : tensor<4x24xf32> -> memref<?x?xf32>
    tile.store %way, %x[%i, %c0] : tensor<?x24xf32> -> memref<?x?xf32>
    tile.store %ones, %x[%i, %c0] limit = [%n, _] : tensor<?x?xf32> -> memref<?x?xf32>
    tile.store %again, %ix[%c0] limit = [%n] : tensor<?xi32> -> memref<?xi32>
    %lone = tile.reduce addf %loop dims = [0, 1, 2] : tensor<?x2x?xf32> -> tensor<f32>
    tile.print "sum" %lone : tensor<f32>
    tile.print "up" %up : tensor<?xf32>
    tile.print "cat" %cat : tensor<?x?xf32>
    tile.print "tr" %tr : tensor<?x?xf32>
  }
  tile.return
}

// Cases of a number.
// CHECK-LABEL: tile.kernel @cases
// CHECK: tile.grid (%i) = (0) to (%n) step (8)
// OTHER-LABEL: tile.kernel @cases
// OTHER: tile.grid (%i) = (0) to (%n) step (16)
tile.kernel @cases(%x: memref<?xf32>, %n: index) {
  %R = tile.param "R" [2, 4] : index
  %step = scf.index_switch %R -> index
  case 2 {
    %c8 = arith.constant 8 : index
    scf.yield %c8 : index
  }
  default {
    %c16 = arith.constant 16 : index
    scf.yield %c16 : index
  }
  tile.grid (%i) = (0) to (%n) step (%step) {
    %t = tile.load %x[%i] tile(%step) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}

// A kernel without parameters, and a condition that is one of the launch, stay.
// CHECK-LABEL: tile.kernel @plain
// CHECK-NOT: tile.bound
// CHECK: tile.assume %{{.*}}, "small" : i1
tile.kernel @plain(%x: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  %most = arith.constant 4096 : index
  %ok = arith.cmpi sle, %N, %most : index
  tile.assume %ok, "small" : i1
  tile.grid (%i) = (0) to (%N) step (256) {
    %t = tile.load %x[%i] : memref<?xf32> -> tensor<256xf32>
    tile.store %t, %x[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}

// What depends on a parameter and on a size stays a condition of the launch.
// CHECK-LABEL: tile.kernel @mixed
// CHECK: %[[OK:.*]] = arith.cmpi sle, %{{.*}}, %c1024{{.*}} : index
// CHECK: tile.assume %[[OK]], "a row is one tile" : i1
tile.kernel @mixed(%x: memref<?xf32> {tile.shape = ["N"]}) {
  %W = tile.param "W" [1024, 4096] : index
  %N = tile.dim "N" : index
  %ok = arith.cmpi sle, %N, %W : index
  tile.assume %ok, "a row is one tile" : i1
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0] tile(%W) : memref<?xf32> -> tensor<?xf32>
    tile.store %t, %x[%c0] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}

// A grid without an effect goes, with the numbers in it.
// CHECK-LABEL: tile.kernel @nothing
// CHECK-NOT: tile.grid
tile.kernel @nothing(%n: index, %f: f32) {
  %R = tile.param "R" [2, 4] : index
  tile.grid (%i) = (0) to (%n) step (%R) {
    %c2 = arith.constant 2 : index
    %twice = arith.muli %R, %c2 : index
    %t = tensor.splat %f[%twice] : tensor<?xf32>
  }
  tile.return
}
