// RUN: tile-opt %s -split-input-file -cta-split-epilogue | FileCheck %s
// RUN: tile-opt %s -split-input-file -cta-split-epilogue -cta-split-epilogue | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 2>
#row = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 2>
!tile = tensor<128x256xf32, #acc>
!smem = !cta.smem<128x256xbf16, #cta.swizzle<128, dim = 1>>

// Two groups of 128 columns: accumulators are sliced (registers), the bias is loaded for the columns of the group, the residual is copied and read in
// subtiles, each subtile has a shared tile and a store of its own.
// CHECK-LABEL: tile.kernel @bias_residual(
// CHECK-SAME: %[[BIAS:.*]]: memref<?xf32>, %[[R:[^:]*]]: memref<?x?xbf16>, %[[C:[^:]*]]: memref<?x?xbf16>
// CHECK: tile.grid (%[[I:.*]], %[[J:.*]]) =
// CHECK-NOT: tensor<128x256xbf16
// CHECK: %[[A0:.*]] = cta.slice %[[ACC:.*]] offsets = [0, 0] : tensor<128x256xf32, #wgmma_acc> -> tensor<128x128xf32, #wgmma_acc>
// CHECK: %[[B0:.*]] = cta.load %[[BIAS]][%[[J]]] : memref<?xf32> -> tensor<128xf32
// CHECK: cta.broadcast %[[B0]] dims = [1] : tensor<128xf32{{.*}} -> tensor<128x128xf32
// CHECK: arith.addf %[[A0]]
// CHECK: %[[R0:.*]] = cta.copy %[[R]][%[[I]], %[[J]]] {{.*}} -> !cta.smem<128x128xbf16
// CHECK: cta.read %[[R0]]
// CHECK: %[[S0:.*]] = cta.stage {{.*}} -> <128x128xbf16
// CHECK: cta.copy_out %[[S0]], %[[C]][%[[I]], %[[J]]]
// CHECK: %[[A1:.*]] = cta.slice %[[ACC]] offsets = [0, 128]
// CHECK: %[[J1:.*]] = arith.addi %[[J]], %c128
// CHECK: cta.load %[[BIAS]][%[[J1]]]
// CHECK: %[[R1:.*]] = cta.copy %[[R]][%[[I]], %{{.*}}]
// CHECK: cta.read %[[R1]]
// CHECK: %[[S1:.*]] = cta.stage
// CHECK: cta.copy_out %[[S1]], %[[C]][%[[I]], %{{.*}}]
// CHECK-NOT: cta.copy_out
// CHECK: tile.return
tile.kernel @bias_residual(%bias: memref<?xf32>, %R: memref<?x?xbf16>, %C: memref<?x?xbf16>, %x: memref<128x256xf32>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 128>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %C, %c0 : memref<?x?xbf16>
  tile.grid (%i, %j) = (0, 0) to (%m, %m) step (128, 256) {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<128x256xf32> -> !tile
    %two = arith.constant dense<2.0> : !tile
    %sum = scf.for %k = %z to %i step %i iter_args(%s = %acc) -> (!tile) {
      %t = arith.addf %s, %s : !tile
      scf.yield %t : !tile
    }
    %b = cta.load %bias[%j] : memref<?xf32> -> tensor<256xf32, #row>
    %bb = cta.broadcast %b dims = [1] : tensor<256xf32, #row> -> !tile
    %v = arith.addf %sum, %bb : !tile
    %w = arith.mulf %v, %two : !tile
    %rs = cta.copy %R[%i, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !smem
    %r = cta.read %rs : !smem -> tensor<128x256xbf16, #acc>
    %r32 = arith.extf %r : tensor<128x256xbf16, #acc> to !tile
    %u = arith.addf %w, %r32 : !tile
    %o = arith.truncf %u : !tile to tensor<128x256xbf16, #acc>
    %os = cta.stage %o : tensor<128x256xbf16, #acc> -> !smem
    cta.copy_out %os, %C[%i, %j] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = tensor<64x64xf16, #acc>
!smem = !cta.smem<64x64xf16, #cta.swizzle<128, dim = 1>>

// Columns that the width does not divide: the last subtile is narrower, its swizzle as wide as that permits. Not split: columns that are no more than
// the width; no plan; a width that the compiler tries, or that a variant before this one can have.
// CHECK-LABEL: tile.kernel @not_divided(
// CHECK: %[[WIDE:.*]] = cta.stage %{{.*}} : tensor<64x48xf16, #{{.*}}> -> <64x48xf16, #cta.swizzle<32, dim = 1>>
// CHECK: cta.copy_out %[[WIDE]], %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK: %[[REST:.*]] = cta.stage %{{.*}} : tensor<64x16xf16, #{{.*}}> -> <64x16xf16, #cta.swizzle<32, dim = 1>>
// CHECK: cta.copy_out %[[REST]], %{{.*}}[%{{.*}}, %c48{{.*}}]
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @narrow(
// CHECK: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @no_plan(
// CHECK: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @tried(
// CHECK-COUNT-2: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @fallback(
// CHECK-COUNT-2: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @in_place(
tile.kernel @not_divided(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 48>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @narrow(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 64>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @no_plan(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @tried(%C: memref<?x?xf16>) attributes {cta.tried_plan, phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @fallback(%C: memref<?x?xf16>) attributes {tile.fallback, phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}
// A tile that is loaded from the memory that is stored is loaded as a whole, before the first subtile is stored.
// CHECK: cta.copy %{{.*}} -> !cta.smem<64x64xf16
// CHECK: cta.read
// CHECK: cta.slice {{.*}} offsets = [0, 0]
// CHECK: cta.copy_out
// CHECK: cta.slice {{.*}} offsets = [0, 32]
// CHECK: cta.copy_out
tile.kernel @in_place(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %b = cta.copy %C[%z, %z] {mechanism = #cta.mechanism<tma>} : memref<?x?xf16> -> !cta.smem<64x64xf16, #cta.swizzle<64, dim = 1>>
    %r = cta.read %b : !cta.smem<64x64xf16, #cta.swizzle<64, dim = 1>> -> !tile
    %t = arith.addf %r, %r : !tile
    %s = cta.stage %t : !tile -> !cta.smem<64x64xf16, #cta.swizzle<64, dim = 1>>
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !cta.smem<64x64xf16, #cta.swizzle<64, dim = 1>> -> memref<?x?xf16>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = tensor<64x64xf16, #acc>
!smem = !cta.smem<64x64xf16, #cta.swizzle<64, dim = 1>>

// A tile that another store may overwrite in between is loaded where it was.
// CHECK-LABEL: tile.kernel @overwritten(
// CHECK: cta.copy %R{{.*}} -> !cta.smem<64x64xf16
// CHECK: cta.read
// CHECK: cta.copy_out %{{.*}}, %R
// CHECK-NOT: cta.copy %R
// CHECK: tile.return
tile.kernel @overwritten(%R: memref<?x?xf16>, %D: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %w = arith.constant dense<1.0> : !tile
    %b = cta.copy %R[%z, %z] {mechanism = #cta.mechanism<tma>} : memref<?x?xf16> -> !smem
    %r = cta.read %b : !smem -> !tile
    %s = cta.stage %w : !tile -> !smem
    cta.copy_out %s, %R[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
    %t = arith.addf %r, %w : !tile
    %u = cta.stage %t : !tile -> !smem
    cta.copy_out %u, %D[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!tile = tensor<64x96xf16, #acc>
!smem = !cta.smem<64x96xf16, #cta.swizzle<64, dim = 1>>
!wide = tensor<64x128xf16, #acc>
!wideSmem = !cta.smem<64x128xf16, #cta.swizzle<128, dim = 1>>

// Subtiles narrower than the tile's swizzle have a narrower one, the widest that divides them. No subtile has a wider one than the tile.
// CHECK-LABEL: tile.kernel @half_panels(
// CHECK-COUNT-4: cta.stage %{{.*}} -> <64x32xf16, #cta.swizzle<64, dim = 1>>
// CHECK-NOT: cta.stage
// CHECK-LABEL: tile.kernel @quarter_panels(
// CHECK-COUNT-2: cta.stage %{{.*}} -> <64x48xf16, #cta.swizzle<32, dim = 1>>
// CHECK-NOT: cta.stage
// CHECK-LABEL: tile.kernel @panels_of_16_bytes(
// CHECK-COUNT-4: cta.stage %{{.*}} -> <64x24xf16, #cta.swizzle<0, dim = 1>>
// CHECK-NOT: cta.stage
// CHECK-LABEL: tile.kernel @as_before(
// CHECK-COUNT-2: cta.stage %{{.*}} -> <64x64xf16, #cta.swizzle<128, dim = 1>>
// CHECK-NOT: cta.stage
tile.kernel @half_panels(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !wide
    %s = cta.stage %t : !wide -> !wideSmem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !wideSmem -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @quarter_panels(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 48>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @panels_of_16_bytes(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 24>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !tile
    %s = cta.stage %t : !tile -> !smem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !smem -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @as_before(%C: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 64>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = arith.constant dense<1.0> : !wide
    %s = cta.stage %t : !wide -> !wideSmem
    cta.copy_out %s, %C[%z, %z] {mechanism = #cta.mechanism<tma>} : !wideSmem -> memref<?x?xf16>
  }
  tile.return
}

// A read with steps is computed whole and cut: the copy of a slice would have other steps.
// CHECK-LABEL: tile.kernel @strided(
// CHECK: %[[R:.*]] = cta.read %{{.*}} strides = [1, 2] : <64x128xf32,
// CHECK: cta.slice %[[R]] offsets = [0, 0]
// CHECK: cta.slice %[[R]] offsets = [0, 32]
tile.kernel @strided(%x: memref<64x64xf32>, %w: memref<?x?xf32>, %C: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, plan = #cta.plan<epilogue = 32>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  tile.grid (%i, %j) = (0, 0) to (%m, %m) step (64, 64) {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<64x64xf32> -> tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    %s = cta.copy %w[%i, %j] {mechanism = #cta.mechanism<tma>} : memref<?x?xf32> -> !cta.smem<64x128xf32, #cta.swizzle<128, dim = 1>>
    %r = cta.read %s strides = [1, 2] : !cta.smem<64x128xf32, #cta.swizzle<128, dim = 1>> -> tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    %sum = arith.addf %acc, %r : tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>
    cta.store %sum, %C[%i, %j] : tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>> -> memref<?x?xf32>
  }
  tile.return
}
