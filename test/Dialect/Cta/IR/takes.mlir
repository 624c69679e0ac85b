// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -cta-verify -o /dev/null
// RUN: tile-opt %s -cta-decompose | FileCheck %s --check-prefix=SCRATCH
// RUN: tile-opt %s -convert-cta-to-tile | FileCheck %s --check-prefix=ERASED

// Elements at indices and parts of elements: text, layouts, scratch, and what they are at L0.

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#along = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [0], [0]], warps = [[0], [0]], wg = 1>
#across = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
#other = #cta.frag<regs = [[1, 0], [2, 0]], lanes = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warps = [[0, 8], [0, 16]], wg = 1>
#parts = #cta.frag<regs = [[0, 1], [0, 2], [0, 4], [0, 8]], lanes = [[0, 16], [0, 32], [0, 64], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#halves = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>

// CHECK-LABEL: tile.kernel @takes(
// CHECK: cta.take %{{.*}} at %{{.*}} dims = [1] : tensor<16x32xf32, {{.*}}>, tensor<16x32xi32, {{.*}}> -> tensor<16x32xf32,
// CHECK: cta.take %{{.*}} at %{{.*}}, %{{.*}} dims = [0, 1] : tensor<16x32xf32, {{.*}}>, tensor<16xindex, {{.*}}>, tensor<32xi8, {{.*}}> -> tensor<16x32xf32,
// The source is written once. Its layout need not be the result's.
// SCRATCH-LABEL: tile.kernel @takes(
// SCRATCH: %[[S:.*]] = cta.stage %{{.*}} : tensor<16x32xf32, {{.*}}> -> <16x32xf32, #cta.swizzle<linear
// SCRATCH-NEXT: cta.read_at %[[S]] at %{{.*}} dims = [1] : <16x32xf32, {{.*}}>, tensor<16x32xi32, {{.*}}> -> tensor<16x32xf32,
// SCRATCH-NOT: cta.stage
// SCRATCH: cta.read_at %[[S]] at %{{.*}}, %{{.*}} dims = [0, 1]
// SCRATCH-NOT: cta.take
// ERASED-LABEL: tile.kernel @takes(
// ERASED: tile.take %[[X:.*]] at %{{.*}} dim = 1 : tensor<16x32xf32>, tensor<16x32xi32> -> tensor<16x32xf32>
// ERASED: %[[R:.*]] = tile.take %[[X]] at %{{.*}} dim = 0 : tensor<16x32xf32>, tensor<16xindex> -> tensor<16x32xf32>
// ERASED: tile.take %[[R]] at %{{.*}} dim = 1 : tensor<16x32xf32>, tensor<32xi8> -> tensor<16x32xf32>
tile.kernel @takes(%x: memref<?x?xf32>, %i: memref<?x?xi32>, %j: memref<?xindex>, %k: memref<?xi8>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<16x32xf32, #other>
    %n = cta.load %i[%c0, %c0] : memref<?x?xi32> -> tensor<16x32xi32, #rows>
    %p = cta.load %j[%c0] : memref<?xindex> -> tensor<16xindex, #across>
    %q = cta.load %k[%c0] : memref<?xi8> -> tensor<32xi8, #along>
    %0 = cta.take %a at %n dims = [1] : tensor<16x32xf32, #other>, tensor<16x32xi32, #rows> -> tensor<16x32xf32, #rows>
    %1 = cta.take %a at %p, %q dims = [0, 1] : tensor<16x32xf32, #other>, tensor<16xindex, #across>, tensor<32xi8, #along> -> tensor<16x32xf32, #rows>
    cta.store %0, %x[%c0, %c0] : tensor<16x32xf32, #rows> -> memref<?x?xf32>
    cta.store %1, %x[%c0, %c0] : tensor<16x32xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @packs(
// CHECK: cta.unpack %{{.*}} : tensor<16x32xi32, {{.*}}> -> tensor<16x128xi8,
// CHECK: cta.unpack %{{.*}} bits = 4 signed : tensor<16x32xi8, {{.*}}> -> tensor<16x64xi8,
// CHECK: cta.pack %{{.*}} bits = 4 : tensor<16x64xi8, {{.*}}> -> tensor<16x32xi8,
// CHECK: cta.pack %{{.*}} : tensor<16x128xi8, {{.*}}> -> tensor<16x32xf32,
// In the registers of a thread: nothing to decompose.
// SCRATCH-LABEL: tile.kernel @packs(
// SCRATCH-NOT: cta.stage
// SCRATCH: tile.return
// ERASED-LABEL: tile.kernel @packs(
// ERASED: tile.unpack %{{.*}} : tensor<16x32xi32> -> tensor<16x128xi8>
// ERASED: tile.unpack %{{.*}} bits = 4 signed : tensor<16x32xi8> -> tensor<16x64xi8>
// ERASED: tile.pack %{{.*}} bits = 4 : tensor<16x64xi8> -> tensor<16x32xi8>
// ERASED: tile.pack %{{.*}} : tensor<16x128xi8> -> tensor<16x32xf32>
tile.kernel @packs(%x: memref<?x?xi32>, %y: memref<?x?xi8>, %z: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0, %c0] : memref<?x?xi32> -> tensor<16x32xi32, #rows>
    %b = cta.load %y[%c0, %c0] : memref<?x?xi8> -> tensor<16x32xi8, #rows>
    %0 = cta.unpack %a : tensor<16x32xi32, #rows> -> tensor<16x128xi8, #parts>
    %1 = cta.unpack %b bits = 4 signed : tensor<16x32xi8, #rows> -> tensor<16x64xi8, #halves>
    %2 = cta.pack %1 bits = 4 : tensor<16x64xi8, #halves> -> tensor<16x32xi8, #rows>
    %3 = cta.pack %0 : tensor<16x128xi8, #parts> -> tensor<16x32xf32, #rows>
    cta.store %2, %y[%c0, %c0] : tensor<16x32xi8, #rows> -> memref<?x?xi8>
    cta.store %3, %z[%c0, %c0] : tensor<16x32xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}
