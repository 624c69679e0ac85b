// RUN: tile-opt %s --tile-repack-operands --split-input-file | FileCheck %s -enable-var-scope --allow-unused-prefixes=false
// RUN: tile-opt %s --tile-repack-operands --tile-repack-operands --split-input-file | FileCheck %s -enable-var-scope --allow-unused-prefixes=false
// RUN: tile-opt %s --tile-repack-operands --tile-verify --split-input-file -o /dev/null

// Both operands; workspace of the operand's sizes, rows of whole lines, which the copy may write to their ends.
// CHECK-LABEL: tile.kernel @both
// CHECK-DAG: %[[M:.+]] = memref.dim %A, %{{.*}}
// CHECK-DAG: %[[ROW:.+]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: %[[WA:.+]] = memref.alloc(%[[M]], %[[K:.+]])[%[[ROW]]] {tile.repacked = "the base of %A is not known to be a multiple of 16 bytes; add tile.align = 16 to it"} : memref<?x?xbf16, strided<[?, 1]>>
// CHECK: %[[ROWS:.+]] = memref.reinterpret_cast %[[WA]] to offset: [0], sizes: [%[[M]], %[[ROW]]], strides: [%[[ROW]], 1]
// CHECK: tile.grid (%[[I:.+]], %[[J:.+]]) = (0, 0) to (%[[M]], %[[K]]) step (64, 128) attributes {tile.copies} {
// CHECK-NEXT: %[[T:.+]] = tile.load %A[%[[I]], %[[J]]] pad = any : memref<?x?xbf16> -> tensor<64x128xbf16>
// CHECK-NEXT: tile.store %[[T]], %[[ROWS]][%[[I]], %[[J]]]
// CHECK-NEXT: }
// CHECK: %[[WB:.+]] = memref.alloc
// CHECK: tile.grid {{.*}} attributes {tile.copies}
// CHECK: tile.grid {{.*}} step (128, 256) order = <group = 8> {
// CHECK: tile.load %[[WA]][%{{.*}}, %{{.*}}] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
// CHECK: tile.load %[[WB]][%{{.*}}, %{{.*}}] dims = [1, 0] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x256xbf16>
tile.kernel @both(%A: memref<?x?xbf16> {tile.shape = ["M", "K"], tile.size_max = array<i64: 65536, 65536>},
                  %B: memref<?x?xbf16> {tile.shape = ["N", "K"], tile.size_max = array<i64: 65536, 65536>},
                  %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) order = <group = 8> {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%j, %k] dims = [1, 0] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<128x256xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Each operand for itself: %A is aligned. Static sizes stay static; a batch is copied matrix by matrix; what is contiguous stays so.
// CHECK-LABEL: tile.kernel @one
// CHECK-NOT: memref.alloc
// CHECK: %[[W:.+]] = memref.alloc() {tile.repacked = "the stride of dimension 0 of %B is not known to be a multiple of 16 bytes; add tile.stride_divisible = array<i64: 8, 1, 1> to it"} : memref<7x99x300xf16, strided<[38400, 1, 128]>>
// CHECK: tile.grid (%[[B:.+]], %[[N:.+]], %[[K:.+]]) = (0, 0, 0) to (7, 300, 99) step (1, 64, 128) attributes {tile.copies}
// CHECK-NEXT: %[[T:.+]] = tile.load %B[%[[B]], %[[K]], %[[N]]] pad = any : {{.*}} -> tensor<128x64xf16>
// CHECK-NEXT: tile.store %[[T]], %{{.*}}[%[[B]], %[[K]], %[[N]]]
// CHECK-NOT: memref.alloc
// CHECK: tile.load %A[
// CHECK: tile.load %[[W]][%{{.*}}, %{{.*}}, %{{.*}}] : memref<7x99x300xf16, strided<[38400, 1, 128]>> -> tensor<32x64xf16>
tile.kernel @one(%A: memref<7x256x104xf16> {tile.align = 16 : i64}, %B: memref<7x99x300xf16, strided<[29705, 1, 99]>> {tile.align = 16 : i64}, %C: memref<7x256x300xf32>) {
  tile.grid (%b, %i, %j) = (0, 0, 0) to (7, 256, 300) step (1, 64, 64) {
    %c0 = arith.constant 0 : index
    %c99 = arith.constant 99 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %c99 step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%b, %i, %k] : memref<7x256x104xf16> -> tensor<64x32xf16>
      %y = tile.load %B[%b, %k, %j] : memref<7x99x300xf16, strided<[29705, 1, 99]>> -> tensor<32x64xf16>
      %d = tile.mma %x, %y, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%b, %i, %j] : tensor<64x64xf32> -> memref<7x256x300xf32>
  }
  tile.return
}

// -----

// Two loads and two grids share a copy, until a block writes the operand. Elements that are not contiguous are gathered.
// CHECK-LABEL: tile.kernel @shared
// CHECK: %[[V:.+]] = memref.subview %A
// CHECK: %[[W:.+]] = memref.alloc() {tile.repacked = "the memref is a view (memref.subview){{.*}}"} : memref<129x255xbf16, strided<[256, 1]>>
// CHECK: tile.grid {{.*}} = (0, 0) to (129, 255) step (64, 128) attributes {tile.copies} {
// CHECK-NEXT: tile.load %[[V]]{{.*}} -> tensor<64x128xbf16>
// CHECK-NOT: tile.copies
// CHECK: scf.for
// CHECK-NEXT: tile.load %[[W]][
// CHECK-NEXT: tile.load %[[W]][
// CHECK-NOT: tile.copies
// CHECK: scf.for
// CHECK-NEXT: tile.load %[[W]][
// CHECK-NEXT: tile.load %[[W]][
// CHECK: memref.store
// CHECK: %[[W2:.+]] = memref.alloc() {tile.repacked
// CHECK: tile.copies
// CHECK: scf.for
// CHECK-NEXT: tile.load %[[W2]][
// CHECK-NEXT: tile.load %[[W2]][
tile.kernel @shared(%A: memref<512x1024xbf16>, %C: memref<128x128xf32>) {
  %v = memref.subview %A[1, 6] [129, 255] [1, 2] : memref<512x1024xbf16> to memref<129x255xbf16, strided<[1024, 2], offset: 1030>>
  tile.grid (%i, %j) = (0, 0) to (128, 128) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c255 = arith.constant 255 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %c255 step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %v[%i, %k] : memref<129x255xbf16, strided<[1024, 2], offset: 1030>> -> tensor<64x64xbf16>
      %y = tile.load %v[%j, %k] dims = [1, 0] : memref<129x255xbf16, strided<[1024, 2], offset: 1030>> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<128x128xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (128, 128) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c255 = arith.constant 255 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %c255 step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %v[%i, %k] : memref<129x255xbf16, strided<[1024, 2], offset: 1030>> -> tensor<64x64xbf16>
      %y = tile.load %v[%j, %k] dims = [1, 0] : memref<129x255xbf16, strided<[1024, 2], offset: 1030>> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<128x128xf32>
  }
  tile.grid () = () to () step () {
    %c9 = arith.constant 9 : index
    %one = arith.constant 1.0 : bf16
    memref.store %one, %A[%c9, %c9] : memref<512x1024xbf16>
  }
  tile.grid (%i, %j) = (0, 0) to (128, 128) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c255 = arith.constant 255 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %c255 step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %v[%i, %k] : memref<129x255xbf16, strided<[1024, 2], offset: 1030>> -> tensor<64x64xbf16>
      %y = tile.load %v[%j, %k] dims = [1, 0] : memref<129x255xbf16, strided<[1024, 2], offset: 1030>> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<128x128xf32>
  }
  tile.return
}

// -----

// A view that is made inside the grid from one outside is copied from there.
// CHECK-LABEL: tile.kernel @hoisted
// CHECK: %[[V:.+]] = memref.subview %A[%row, 0] [%n, 99] [1, 1]
// CHECK: %[[W:.+]] = memref.alloc(%n) {tile.repacked = {{.*}}} : memref<?x99xbf16, strided<[128, 1]>>
// CHECK: tile.grid (%{{.+}}, %{{.+}}) = (0, 0) to (%n, 99) step (64, 128) attributes {tile.copies} {
// CHECK-NEXT: tile.load %[[V]][
// CHECK: tile.load %[[W]][
tile.kernel @hoisted(%A: memref<512x99xbf16>, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>, %row: index, %n: index) {
  tile.assume %n {min = 512, max = 100000} : index
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %v = memref.subview %A[%row, 0] [%n, 99] [1, 1] : memref<512x99xbf16> to memref<?x99xbf16, strided<[99, 1], offset: ?>>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %v[%i, %k] : memref<?x99xbf16, strided<[99, 1], offset: ?>> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// Nothing to do.
// CHECK-LABEL: tile.kernel @aligned
// CHECK-NOT: memref.alloc
// CHECK-NOT: tile.not_repacked
tile.kernel @aligned(%A: memref<512x128xbf16> {tile.align = 16 : i64}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<512x128xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// Only the variant `repack` copies.
// CHECK-LABEL: tile.kernel @other_variant
// CHECK-NOT: memref.alloc
// CHECK-NOT: tile.not_repacked
tile.kernel @other_variant(%A: memref<512x99xbf16> {tile.align = 16 : i64}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) attributes {variant = "any", variant_of = "k"} {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// An operand that is not fetched in a loop is read once by each block.
// CHECK-LABEL: tile.kernel @outside_loop
// CHECK-NOT: memref.alloc
// CHECK-NOT: tile.not_repacked
tile.kernel @outside_loop(%A: memref<512x99xbf16> {tile.align = 16 : i64}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %x = tile.load %A[%i, %c0] : memref<512x99xbf16> -> tensor<64x64xbf16>
    %y = tile.load %B[%c0, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      
      
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// A tile that is wanted in registers too gets there by loads; f32 is not for the tensor cores.
// CHECK-LABEL: tile.kernel @used_elsewhere
// CHECK-NOT: memref.alloc
// CHECK-NOT: tile.not_repacked
tile.kernel @used_elsewhere(%A: memref<512x99xbf16> {tile.align = 16 : i64}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %e = arith.extf %x : tensor<64x64xbf16> to tensor<64x64xf32>
      %d = tile.mma %x, %y, %e : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// Every block reads its own matrix.
// CHECK-LABEL: tile.kernel @not_shared
// CHECK-NOT: memref.alloc
// CHECK-NOT: tile.not_repacked
tile.kernel @not_shared(%A: memref<512x512x99xbf16>, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%j, %i, %k] : memref<512x512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// The grid writes what it reads.
// CHECK-LABEL: tile.kernel @written
// CHECK-NOT: memref.alloc
// CHECK: tile.load %A[{{.*}}] {tile.not_repacked = "%A is written in the same grid: a copy would not see that"}
tile.kernel @written(%A: memref<512x99xbf16> {tile.align = 16 : i64}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %o = arith.constant dense<1.0> : tensor<64x64xbf16>
    tile.store %o, %A[%i, %j] : tensor<64x64xbf16> -> memref<512x99xbf16>
  }
  tile.return
}

// -----

// … or may write it.
// CHECK-LABEL: tile.kernel @may_overlap
// CHECK-NOT: memref.alloc
// CHECK: tile.load %A[{{.*}}] {tile.not_repacked = "%C is written in the same grid and may overlap %A: a copy would not see that"}
tile.kernel @may_overlap(%A: memref<512x99xbf16> {tile.align = 16 : i64, tile.alias = "x"}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32> {tile.alias = "x"}) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// Operands that TMA could not fetch from the copy either.
// CHECK-LABEL: tile.kernel @masked
// CHECK-NOT: memref.alloc
// CHECK: tile.load %A[{{.*}}] pad = nan {tile.not_repacked = "TMA pads with zero only{{.*}}"}
// CHECK: tile.load %A[{{.*}}] limit = [_, %{{.*}}] {tile.not_repacked = "the limit of tile dimension 1 may lie inside the memref{{.*}}"}
// CHECK: tile.load %A[{{.*}}] mask = %{{.*}} {tile.not_repacked = "it has a mask{{.*}}"}
tile.kernel @masked(%A: memref<512x99xbf16> {tile.align = 16 : i64}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>, %l: index) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] pad = nan : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] limit = [_, %l] : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %m = arith.constant dense<true> : tensor<64x64xi1>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] mask = %m : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// A view that every block makes anew.
// CHECK-LABEL: tile.kernel @view_of_block
// CHECK-NOT: memref.alloc
// CHECK: tile.load %{{.*}}[{{.*}}] {tile.not_repacked = "the view differs from block to block: use the argument, with coordinates"}
tile.kernel @view_of_block(%A: memref<512x99xbf16> {tile.align = 16 : i64}, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %v = memref.subview %A[%i, 0] [64, 99] [1, 1] : memref<512x99xbf16> to memref<64x99xbf16, strided<[99, 1], offset: ?>>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %v[%c0, %k] : memref<64x99xbf16, strided<[99, 1], offset: ?>> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// A row that is repeated as a matrix.
// CHECK-LABEL: tile.kernel @stride_zero
// CHECK-NOT: memref.alloc
// CHECK: tile.load %A[{{.*}}] {tile.not_repacked = "a stride is 0: a copy would be larger than the operand"}
tile.kernel @stride_zero(%A: memref<512x99xbf16, strided<[0, 1]>>, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<512x99xbf16, strided<[0, 1]>> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// Sizes that TMA may not take; the variant `repack` asks for others.
// CHECK-LABEL: tile.kernel @sizes
// CHECK-NOT: memref.alloc
// CHECK: tile.load %A[{{.*}}] {tile.not_repacked = "dimension 0 of %A may be empty: TMA has no descriptor for it"}
tile.kernel @sizes(%A: memref<?x99xbf16>, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<?x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}

// -----

// A coordinate at which TMA could not begin in the copy either.
// CHECK-LABEL: tile.kernel @shifted
// CHECK-NOT: memref.alloc
// CHECK: tile.load %A[{{.*}}] {tile.not_repacked = "the coordinate of dimension 1 of %A, along which it is contiguous, is not known to be a multiple of 8 elements (16 bytes); tile.assume {divisible = 8} can say so"}
tile.kernel @shifted(%A: memref<512x99xbf16>, %B: memref<99x512xbf16> {tile.align = 16 : i64}, %C: memref<512x512xf32>) {
  tile.grid (%i, %j) = (0, 0) to (512, 512) step (64, 64) {
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 99 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c4 to %end step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : memref<512x99xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%k, %j] : memref<99x512xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %x, %y, %c : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %acc, %C[%i, %j] : tensor<64x64xf32> -> memref<512x512xf32>
  }
  tile.return
}
