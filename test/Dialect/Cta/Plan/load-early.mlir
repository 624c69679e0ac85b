// RUN: tile-opt %s --cta-load-early --cta-verify | FileCheck %s
// RUN: tile-opt %s --cta-load-early --cta-load-early | FileCheck %s
// RUN: tile-opt %s --cta-load-early --convert-cta-to-tile --tile-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 2>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 2 on 0>
#one = #cta.frag<splat, rank = 0, warps = 2, wg = 2>
#sw = #cta.swizzle<128, dim = 1>

// The load and the arithmetic of its place stand before the product, which awaits the shared tiles; the order of the loads is kept.
// CHECK-LABEL: tile.kernel @moves(
// CHECK: cta.copy %W
// CHECK-NEXT: %[[AT:.+]] = arith.subi %c8, %{{.+}} : index
// CHECK-NEXT: %[[S:.+]] = cta.load %S[%[[AT]], %c0]
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.broadcast %[[S]]
tile.kernel @moves(%X: memref<128x512xbf16>, %W: memref<512x128xbf16>, %S: memref<8x128xf32>, %R: memref<1024x128xf32>, %T: memref<8x128xi32>,
                  %C: memref<128x128xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (128) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %g = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %k = arith.muli %g, %c64 : index
      %x = cta.copy %X[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<128x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %w = cta.copy %W[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<512x128xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %x, %w : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      %at = arith.subi %c8, %g : index
      %s = cta.load %S[%at, %c0] : memref<8x128xf32> -> tensor<128xf32, #row>
      %b = cta.broadcast %s dims = [0] : tensor<128xf32, #row> -> tensor<128x128xf32, #acc>
      %v = math.fma %p, %b, %sum : tensor<128x128xf32, #acc>
      scf.yield %v : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<128x128xf32>
  }
  tile.return
}

// A number too.
// CHECK-LABEL: tile.kernel @scalar(
// CHECK: cta.copy %W
// CHECK-NEXT: %[[S:.+]] = cta.load %S
// CHECK-NEXT: %[[F:.+]] = memref.load %S
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.broadcast %[[F]]
tile.kernel @scalar(%X: memref<128x512xbf16>, %W: memref<512x128xbf16>, %S: memref<8x128xf32>, %R: memref<1024x128xf32>, %T: memref<8x128xi32>,
                  %C: memref<128x128xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (128) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %g = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %k = arith.muli %g, %c64 : index
      %x = cta.copy %X[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<128x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %w = cta.copy %W[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<512x128xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %x, %w : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      %s = cta.load %S[%g, %c0] : memref<8x128xf32> -> tensor<128xf32, #row>
      %f = memref.load %S[%g, %c64] : memref<8x128xf32>
      %t = cta.broadcast %f dims = [] : f32 -> tensor<128xf32, #row>
      %u = arith.mulf %s, %t : tensor<128xf32, #row>
      %b = cta.broadcast %u dims = [0] : tensor<128xf32, #row> -> tensor<128x128xf32, #acc>
      %v = math.fma %p, %b, %sum : tensor<128x128xf32, #acc>
      scf.yield %v : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<128x128xf32>
  }
  tile.return
}

// What the load reads may be overwritten before it.
// CHECK-LABEL: tile.kernel @overwritten(
// CHECK: cta.wgmma
// CHECK: cta.store
// CHECK: cta.load
tile.kernel @overwritten(%X: memref<128x512xbf16>, %W: memref<512x128xbf16>, %S: memref<8x128xf32>, %R: memref<1024x128xf32>, %T: memref<8x128xi32>,
                  %C: memref<128x128xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (128) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %g = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %k = arith.muli %g, %c64 : index
      %x = cta.copy %X[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<128x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %w = cta.copy %W[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<512x128xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %x, %w : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      %z = arith.constant dense<0.0> : tensor<128xf32, #row>
      cta.store %z, %S[%g, %c0] : tensor<128xf32, #row> -> memref<8x128xf32>
      %s = cta.load %S[%g, %c0] : memref<8x128xf32> -> tensor<128xf32, #row>
      %b = cta.broadcast %s dims = [0] : tensor<128xf32, #row> -> tensor<128x128xf32, #acc>
      %v = math.fma %p, %b, %sum : tensor<128x128xf32, #acc>
      scf.yield %v : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<128x128xf32>
  }
  tile.return
}

// A store to an array that shares no memory with it holds nothing back.
// CHECK-LABEL: tile.kernel @elsewhere(
// CHECK: cta.load %S
// CHECK-NEXT: cta.wgmma
// CHECK: cta.store
tile.kernel @elsewhere(%X: memref<128x512xbf16>, %W: memref<512x128xbf16>, %S: memref<8x128xf32>, %R: memref<1024x128xf32>, %T: memref<8x128xi32>,
                  %C: memref<128x128xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (128) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %g = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %k = arith.muli %g, %c64 : index
      %x = cta.copy %X[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<128x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %w = cta.copy %W[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<512x128xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %x, %w : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      %z = arith.constant dense<0.0> : tensor<128xf32, #row>
      cta.store %z, %R[%g, %c0] : tensor<128xf32, #row> -> memref<1024x128xf32>
      %s = cta.load %S[%g, %c0] : memref<8x128xf32> -> tensor<128xf32, #row>
      %b = cta.broadcast %s dims = [0] : tensor<128xf32, #row> -> tensor<128x128xf32, #acc>
      %v = math.fma %p, %b, %sum : tensor<128x128xf32, #acc>
      scf.yield %v : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<128x128xf32>
  }
  tile.return
}

// An atomic that orders memory holds back the loads behind it, a relaxed one of other memory does not.
// CHECK-LABEL: tile.kernel @ordered(
// CHECK: %[[R:.+]] = cta.load %S
// CHECK-NEXT: cta.wgmma
// CHECK: cta.atomic add %
// CHECK: cta.atomic add acq_rel
// CHECK: cta.load %S
tile.kernel @ordered(%X: memref<128x512xbf16>, %W: memref<512x128xbf16>, %S: memref<8x128xf32>, %R: memref<1024x128xf32>, %T: memref<8x128xi32>,
                  %C: memref<128x128xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (128) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %g = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %k = arith.muli %g, %c64 : index
      %x = cta.copy %X[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<128x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %w = cta.copy %W[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<512x128xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %x, %w : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      %one = arith.constant dense<1> : tensor<128xi32, #row>
      cta.atomic add relaxed device %one, %T[%g, %c0] : tensor<128xi32, #row> -> memref<8x128xi32>
      %r = cta.load %S[%g, %c0] : memref<8x128xf32> -> tensor<128xf32, #row>
      %unit = arith.constant dense<1> : tensor<i32, #one>
      cta.atomic add acq_rel device %unit, %T[%g, %c0] : tensor<i32, #one> -> memref<8x128xi32>
      %l = cta.load %S[%g, %c0] : memref<8x128xf32> -> tensor<128xf32, #row>
      %s = arith.addf %r, %l : tensor<128xf32, #row>
      %b = cta.broadcast %s dims = [0] : tensor<128xf32, #row> -> tensor<128x128xf32, #acc>
      %v = math.fma %p, %b, %sum : tensor<128x128xf32, #acc>
      scf.yield %v : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<128x128xf32>
  }
  tile.return
}

// Nor does a load move over a loop, as one that waits is; a load that takes many registers stays without one, too (the second).
// CHECK-LABEL: tile.kernel @stays(
// CHECK: cta.wgmma
// CHECK: scf.while
// CHECK: cta.load %S
// CHECK: cta.load %R
tile.kernel @stays(%X: memref<128x512xbf16>, %W: memref<512x128xbf16>, %S: memref<8x128xf32>, %R: memref<1024x128xf32>, %T: memref<8x128xi32>,
                  %C: memref<128x128xf32>, %n: index) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid (%i) = (0) to (128) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %acc = scf.for %g = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<128x128xf32, #acc>) {
      %k = arith.muli %g, %c64 : index
      %x = cta.copy %X[%i, %k] {mechanism = #cta.mechanism<tma>} : memref<128x512xbf16> -> !cta.smem<128x64xbf16, #sw>
      %w = cta.copy %W[%k, %c0] {mechanism = #cta.mechanism<tma>} : memref<512x128xbf16> -> !cta.smem<64x128xbf16, #sw>
      %p = cta.wgmma %x, %w : !cta.smem<128x64xbf16, #sw>, !cta.smem<64x128xbf16, #sw> -> tensor<128x128xf32, #acc>
      scf.while : () -> () {
        %more = arith.cmpi slt, %g, %c0 : index
        scf.condition(%more)
      } do {
        scf.yield
      }
      %s = cta.load %S[%g, %c0] : memref<8x128xf32> -> tensor<128xf32, #row>
      %large = cta.load %R[%g, %c0] : memref<1024x128xf32> -> tensor<128x128xf32, #acc>
      %b = cta.broadcast %s dims = [0] : tensor<128xf32, #row> -> tensor<128x128xf32, #acc>
      %u = math.fma %p, %b, %sum : tensor<128x128xf32, #acc>
      %v = arith.addf %u, %large : tensor<128x128xf32, #acc>
      scf.yield %v : tensor<128x128xf32, #acc>
    }
    %out = cta.stage %acc : tensor<128x128xf32, #acc> -> <128x128xf32, #sw>
    cta.copy_out %out, %C[%i, %c0] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<128x128xf32, #sw> -> memref<128x128xf32>
  }
  tile.return
}
