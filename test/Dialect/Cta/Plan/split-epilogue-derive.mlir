// RUN: tile-opt %s -cta-split-epilogue=derive | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue=derive -cta-split-epilogue=derive | FileCheck %s
// RUN: tile-opt %s -cta-split-epilogue | FileCheck %s --check-prefix=GIVEN
// If the plan has no width: 64 columns if loads, functions or scalars lead to the store, otherwise the whole tile.

#acc = #cta.frag<wgmma_acc, wg = 2>
#row = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<placed>
!sum = tensor<128x128xf32, #acc>
!out = tensor<128x128xbf16, #acc>
!smem = !cta.smem<128x128xbf16, #sw>

// A bias that is loaded: two subtiles. The other entries of the plan stay.
// CHECK-LABEL: tile.kernel @loads(
// CHECK-SAME: plan = #cta.plan<stages = 3, epilogue = 64>
// CHECK-COUNT-2: cta.copy_out {{.*}} : !cta.smem<128x64xbf16
// CHECK-NOT: cta.copy_out
// GIVEN-LABEL: tile.kernel @loads(
// GIVEN-SAME: plan = #cta.plan<stages = 3>
// GIVEN: cta.copy_out {{.*}} : !cta.smem<128x128xbf16
// GIVEN-NOT: cta.copy_out
// GIVEN: tile.return
tile.kernel @loads(%x: memref<?x?xf32>, %bias: memref<?xf32>, %C: memref<?x?xbf16>, %n: index) attributes {phase = #placed, plan = #cta.plan<stages = 3>, warpgroups = 2} {
  tile.grid (%i) = (0) to (%n) step (128) {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%i, %z] : memref<?x?xf32> -> !sum
    %sum = scf.for %k = %z to %n step %i iter_args(%s = %acc) -> (!sum) {
      %t = arith.addf %s, %s : !sum
      scf.yield %t : !sum
    }
    %b = cta.load %bias[%z] : memref<?xf32> -> tensor<128xf32, #row>
    %bb = cta.broadcast %b dims = [1] : tensor<128xf32, #row> -> !sum
    %v = arith.addf %sum, %bb : !sum
    %o = arith.truncf %v : !sum to !out
    %os = cta.stage %o : !out -> !smem
    cta.copy_out %os, %C[%i, %z] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// A function, in a kernel without a plan.
// CHECK-LABEL: tile.kernel @functions(
// CHECK-SAME: plan = #cta.plan<epilogue = 64>
// CHECK-COUNT-2: math.tanh {{.*}} : tensor<128x64xf32
// CHECK-NOT: math.tanh
tile.kernel @functions(%x: memref<?x?xf32>, %C: memref<?x?xbf16>, %n: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i) = (0) to (%n) step (128) {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%i, %z] : memref<?x?xf32> -> !sum
    %sum = scf.for %k = %z to %n step %i iter_args(%s = %acc) -> (!sum) {
      %t = arith.addf %s, %s : !sum
      scf.yield %t : !sum
    }
    %v = math.tanh %sum : !sum
    %o = arith.truncf %v : !sum to !out
    %os = cta.stage %o : !out -> !smem
    cta.copy_out %os, %C[%i, %z] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// A scalar that is no constant.
// CHECK-LABEL: tile.kernel @scalar(
// CHECK-SAME: plan = #cta.plan<epilogue = 64>
// CHECK-COUNT-2: cta.broadcast %{{.*}} dims = [] : f32 -> tensor<128x64xf32
// CHECK-NOT: cta.broadcast
tile.kernel @scalar(%x: memref<?x?xf32>, %alpha: f32, %C: memref<?x?xbf16>) attributes {phase = #placed, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %sum = scf.for %k = %z to %z step %z iter_args(%s = %acc) -> (!sum) {
      %t = arith.addf %s, %s : !sum
      scf.yield %t : !sum
    }
    %a = cta.broadcast %alpha dims = [] : f32 -> !sum
    %v = arith.mulf %sum, %a : !sum
    %o = arith.truncf %v : !sum to !out
    %os = cta.stage %o : !out -> !smem
    cta.copy_out %os, %C[%z, %z] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// Conversions, arithmetic with constants and fma need no registers but the accumulators: the tile stays whole, and the plan is left alone.
// CHECK-LABEL: tile.kernel @light(
// CHECK-NOT: #cta.plan
// CHECK: cta.copy_out {{.*}} : !cta.smem<128x128xbf16
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @zero(
tile.kernel @light(%x: memref<?x?xf32>, %C: memref<?x?xbf16>, %n: index) attributes {phase = #placed, warpgroups = 2} {
  tile.grid (%i) = (0) to (%n) step (128) {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%i, %z] : memref<?x?xf32> -> !sum
    %sum = scf.for %k = %z to %n step %i iter_args(%s = %acc) -> (!sum) {
      %t = arith.addf %s, %s : !sum
      scf.yield %t : !sum
    }
    %half = arith.constant dense<0.5> : !sum
    %v = math.fma %sum, %half, %half : !sum
    %o = arith.truncf %v : !sum to !out
    %os = cta.stage %o : !out -> !smem
    cta.copy_out %os, %C[%i, %z] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// The plan's entry stays: nothing is divided, or into subtiles of another width.
// CHECK-SAME: plan = #cta.plan<epilogue = 0>
// CHECK: math.tanh {{.*}} : tensor<128x128xf32
// CHECK: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @thirty_two(
// CHECK-SAME: plan = #cta.plan<epilogue = 32>
// CHECK-COUNT-4: math.tanh {{.*}} : tensor<128x32xf32
// CHECK-NOT: math.tanh
tile.kernel @zero(%x: memref<?x?xf32>, %C: memref<?x?xbf16>) attributes {phase = #placed, plan = #cta.plan<epilogue = 0>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %v = math.tanh %acc : !sum
    %o = arith.truncf %v : !sum to !out
    %os = cta.stage %o : !out -> !smem
    cta.copy_out %os, %C[%z, %z] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}
tile.kernel @thirty_two(%x: memref<?x?xf32>, %C: memref<?x?xbf16>) attributes {phase = #placed, plan = #cta.plan<epilogue = 32>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %v = math.tanh %acc : !sum
    %o = arith.truncf %v : !sum to tensor<128x128xbf16, #acc>
    %os = cta.stage %o : !out -> !cta.smem<128x128xbf16, #cta.swizzle<64, dim = 1>>
    cta.copy_out %os, %C[%z, %z] {mechanism = #tma} : !cta.smem<128x128xbf16, #cta.swizzle<64, dim = 1>> -> memref<?x?xbf16>
  }
  tile.return
}

// Nothing to divide: 64 columns, and a tile in another layout.
// CHECK-LABEL: tile.kernel @narrow(
// CHECK-NOT: #cta.plan
// CHECK: cta.copy_out
// CHECK-NOT: cta.copy_out
// CHECK-LABEL: tile.kernel @rows(
// CHECK-NOT: #cta.plan
// CHECK: cta.copy_out
// CHECK-NOT: cta.copy_out
tile.kernel @narrow(%x: memref<?x?xf32>, %C: memref<?x?xbf16>) attributes {phase = #placed, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> tensor<128x64xf32, #acc>
    %v = math.tanh %acc : tensor<128x64xf32, #acc>
    %o = arith.truncf %v : tensor<128x64xf32, #acc> to tensor<128x64xbf16, #acc>
    %os = cta.stage %o : tensor<128x64xbf16, #acc> -> !cta.smem<128x64xbf16, #sw>
    cta.copy_out %os, %C[%z, %z] {mechanism = #tma} : !cta.smem<128x64xbf16, #sw> -> memref<?x?xbf16>
  }
  tile.return
}
#rows = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warps = [[2, 0], [4, 0]], wg = 2 on 0>
tile.kernel @rows(%x: memref<?x?xbf16>, %C: memref<?x?xbf16>) attributes {phase = #placed, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %t = cta.load %x[%z, %z] : memref<?x?xbf16> -> tensor<128x128xbf16, #rows>
    %v = math.absf %t : tensor<128x128xbf16, #rows>
    %os = cta.stage %v : tensor<128x128xbf16, #rows> -> !smem
    cta.copy_out %os, %C[%z, %z] {mechanism = #tma} : !smem -> memref<?x?xbf16>
  }
  tile.return
}

// By threads, in the accumulators' layout or converted: 32 columns, unless something is stored by TMA.
// CHECK-LABEL: tile.kernel @by_threads(
// CHECK-SAME: plan = #cta.plan<epilogue = 32>
// CHECK-COUNT-4: math.tanh {{.*}} : tensor<128x32xf32
// CHECK-NOT: math.tanh
// CHECK-LABEL: tile.kernel @both(
// CHECK-SAME: plan = #cta.plan<epilogue = 64>
// CHECK: math.tanh {{.*}} : tensor<128x64xf32
// CHECK: cta.copy_out
// CHECK: cta.store
// CHECK: math.tanh {{.*}} : tensor<128x64xf32
// CHECK: cta.copy_out
// CHECK: cta.store
// CHECK-NOT: cta.store
// CHECK-LABEL: tile.kernel @light_by_threads(
// CHECK-NOT: #cta.plan
// CHECK: cta.store {{.*}} : tensor<128x128xf32
// CHECK-NOT: cta.store
tile.kernel @by_threads(%x: memref<?x?xf32>, %C: memref<?x?xf32>) attributes {phase = #placed, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %v = math.tanh %acc : !sum
    cta.store %v, %C[%z, %z] : !sum -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @both(%x: memref<?x?xf32>, %C: memref<?x?xbf16>, %D: memref<?x?xf32>) attributes {phase = #placed, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %v = math.tanh %acc : !sum
    %o = arith.truncf %v : !sum to !out
    %os = cta.stage %o : !out -> !smem
    cta.copy_out %os, %C[%z, %z] {mechanism = #tma} : !smem -> memref<?x?xbf16>
    cta.store %v, %D[%z, %z] : !sum -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @light_by_threads(%x: memref<?x?xf32>, %C: memref<?x?xf32>) attributes {phase = #placed, warpgroups = 2} {
  tile.grid () = () to () step () {
    %z = arith.constant 0 : index
    %acc = cta.load %x[%z, %z] : memref<?x?xf32> -> !sum
    %sum = scf.for %k = %z to %z step %z iter_args(%s = %acc) -> (!sum) {
      %t = arith.addf %s, %s : !sum
      scf.yield %t : !sum
    }
    %v = arith.addf %sum, %sum : !sum
    cta.store %v, %C[%z, %z] : !sum -> memref<?x?xf32>
  }
  tile.return
}
