// RUN: tile-opt %s --cta-order-tiles --cta-verify | FileCheck %s
// RUN: tile-opt %s --cta-order-tiles --cta-order-tiles | FileCheck %s
// RUN: tile-opt %s --cta-order-tiles --convert-cta-to-tile --tile-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#one = #cta.frag<splat, rank = 0, warps = 2, wg = 2>

// Rows further down have more iterations, and B is read again by all of them: 64x128 elements of 2 bytes an iteration.
// CHECK-LABEL: tile.kernel @triangle(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <slowest = 0, reverse, shared = 16384, dynamic> {
tile.kernel @triangle(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %upper = arith.minsi %end, %c512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// The first rows have the most iterations.
// CHECK-LABEL: tile.kernel @rest(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <slowest = 0, shared = 16384, dynamic> {
tile.kernel @rest(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %i to %c512 step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// Division by a constant, casts and factors keep the direction, a negative factor turns it.
// CHECK-LABEL: tile.kernel @halves(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <slowest = 0, shared = 16384, dynamic> {
tile.kernel @halves(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %i32 = arith.index_cast %i : index to i32
    %back = arith.index_cast %i32 : i32 to index
    %less = arith.muli %back, %minus : index
    %from = arith.addi %less, %c512 : index
    %upper = arith.ceildivsi %from, %c2 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// Along the second dimension; A is what output tiles along it share.
// CHECK-LABEL: tile.kernel @columns(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <slowest = 1, reverse, shared = 16384, dynamic> {
tile.kernel @columns(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %upper = arith.addi %j, %c128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// A window grows at first and then has one width: it never falls.
// CHECK-LABEL: tile.kernel @window(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <slowest = 0, reverse, shared = 16384, dynamic> {
tile.kernel @window(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %width = arith.minsi %end, %w : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %width step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// Lengths in memory have no direction, but blocks take output tiles as they come.
// CHECK-LABEL: tile.kernel @ragged(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <group = 0, dynamic> {
tile.kernel @ragged(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %length = memref.load %L[%i] : memref<?xindex>
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %length step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// On two coordinates: no dimension is the slowest.
// CHECK-LABEL: tile.kernel @both(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <group = 0, dynamic> {
tile.kernel @both(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %upper = arith.addi %i, %j : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// Both bounds grow: whether their difference does is not known.
// CHECK-LABEL: tile.kernel @both_ends(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <group = 0, dynamic> {
tile.kernel @both_ends(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %upper = arith.addi %i, %c128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %i to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// It grows or falls, for all that is known.
// CHECK-LABEL: tile.kernel @square(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <group = 0, dynamic> {
tile.kernel @square(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %upper = arith.muli %i, %i : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// All output tiles have as many iterations.
// CHECK-LABEL: tile.kernel @equal(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
tile.kernel @equal(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %c512 step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// So they have where the number is an argument.
// CHECK-LABEL: tile.kernel @outside(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
tile.kernel @outside(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %w step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// An order in the text stays.
// CHECK-LABEL: tile.kernel @ordered(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <group = 8> {
tile.kernel @ordered(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <group = 8> {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %upper = arith.minsi %end, %c512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// A plan with groups, clusters, stream-K or ping-pong has an order of its own.
// CHECK-LABEL: tile.kernel @planned(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
tile.kernel @planned(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {plan = #cta.plan<group = 8>, phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %upper = arith.minsi %end, %c512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @clusters(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
tile.kernel @clusters(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {plan = #cta.plan<cluster = 2>, phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %upper = arith.minsi %end, %c512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @parts(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
tile.kernel @parts(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {plan = #cta.plan<stream_k = 4>, phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %upper = arith.minsi %end, %c512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// A plan that says nothing of the order leaves it open.
// CHECK-LABEL: tile.kernel @stages(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) order = <slowest = 0, reverse, shared = 16384, dynamic> {
tile.kernel @stages(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {plan = #cta.plan<stages = 2>, phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %upper = arith.minsi %end, %c512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}

// Blocks that may wait for those with lower numbers keep their order.
// CHECK-LABEL: tile.kernel @waits(
// CHECK: tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
tile.kernel @waits(%A: memref<?x512xbf16>, %B: memref<512x256xbf16>, %C: memref<?x256xf32>, %F: memref<1xi32>, %L: memref<?xindex>, %m: index, %w: index)
    attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%m, 256) step (128, 128) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %minus = arith.constant -1 : index
    %end = arith.addi %i, %c128 : index
    %upper = arith.minsi %end, %c512 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %k = %c0 to %upper step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %a = cta.copy %A[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<?x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %b = cta.copy %B[%k, %j] {mechanism = #cta.mechanism<tma>} : memref<512x256xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %a, %b, %sum : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.yield %p : tensor<128x128xf32, #acc>
    }
    %one = arith.constant dense<1> : tensor<i32, #one>
    %old = cta.atomic add acq_rel returning %one, %F[%c0] : tensor<i32, #one> -> memref<1xi32>
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<?x256xf32>
  }
  tile.return
}
