// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-expand-ops,tile.kernel(convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-verify))' | FileCheck %s

// Operands of products that are made of packed elements or of integers: they are fetched to shared memory, read in the layout that becomes the
// operand's, and unpacked in registers.

// CHECK-LABEL: tile.kernel @weights(
// CHECK: scf.for
// CHECK: %[[W:.*]] = cta.copy %{{.*}} : memref<1024x1024xi8> -> !cta.smem<64x32xi8, #cta.swizzle<32, dim = 1>>
// CHECK: %[[R:.*]] = cta.read %[[W]] : <64x32xi8, #cta.swizzle<32, dim = 1>> -> tensor<64x32xi8, #wgmma_a32>
// CHECK: %[[U:.*]] = cta.unpack %[[R]] bits = 4 signed : tensor<64x32xi8, #wgmma_a32> -> tensor<64x64xi8, #wgmma_a>
// CHECK: %[[F:.*]] = arith.sitofp %[[U]] : tensor<64x64xi8, #wgmma_a> to tensor<64x64xbf16, #wgmma_a>
// CHECK-NOT: cta.stage
// CHECK: cta.wgmma %[[F]], %{{.*}}, %{{.*}} : tensor<64x64xbf16, #wgmma_a>, !cta.smem<64x16xbf16, {{.*}}> -> tensor<64x16xf32, #wgmma_acc>
tile.kernel @weights(%W: memref<1024x1024xi8> {tile.align = 16},
                     %X: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %c = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32>) {
      %b = arith.divui %k, %c2 : index
      %p = tile.load %W[%c0, %b] : memref<1024x1024xi8> -> tensor<64x32xi8>
      %x = tile.load %X[%c0, %k] dims = [1, 0] : memref<1024x1024xbf16> -> tensor<64x16xbf16>
      %u = tile.unpack %p bits = 4 signed : tensor<64x32xi8> -> tensor<64x64xi8>
      %w = arith.sitofp %u : tensor<64x64xi8> to tensor<64x64xbf16>
      %next = tile.mma %w, %x, %sum : tensor<64x64xbf16>, tensor<64x16xbf16> -> tensor<64x16xf32>
      scf.yield %next : tensor<64x16xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Integers of 8 bits as operand A, whose bytes lie along K, go from the registers into the product.
// CHECK-LABEL: tile.kernel @bytes(
// CHECK: scf.for
// CHECK: %[[W:.*]] = cta.copy %{{.*}} : memref<1024x1024xi8> -> !cta.smem<64x64xi8, #cta.swizzle<64, dim = 1>>
// CHECK: %[[R:.*]] = cta.read %[[W]] : <64x64xi8, #cta.swizzle<64, dim = 1>> -> tensor<64x64xi8, #wgmma_a>
// CHECK: %[[F:.*]] = arith.sitofp %[[R]] : tensor<64x64xi8, #wgmma_a> to tensor<64x64xbf16, #wgmma_a>
// CHECK-NOT: cta.stage
// CHECK: cta.wgmma %[[F]],
tile.kernel @bytes(%W: memref<1024x1024xi8> {tile.align = 16},
                  %X: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %c = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32>) {
      %p = tile.load %W[%c0, %k] : memref<1024x1024xi8> -> tensor<64x64xi8>
      %x = tile.load %X[%c0, %k] dims = [1, 0] : memref<1024x1024xbf16> -> tensor<64x16xbf16>
      %w = arith.sitofp %p : tensor<64x64xi8> to tensor<64x64xbf16>
      %next = tile.mma %w, %x, %sum : tensor<64x64xbf16>, tensor<64x16xbf16> -> tensor<64x16xf32>
      scf.yield %next : tensor<64x16xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Where they lie along M, a thread would read its operand byte by byte: they are written for the product.
// CHECK-LABEL: tile.kernel @bytes_along_m(
// CHECK: scf.for
// CHECK: arith.sitofp
// CHECK: %[[S:.*]] = cta.stage
// CHECK: cta.wgmma %[[S]],
tile.kernel @bytes_along_m(%W: memref<1024x1024xi8> {tile.align = 16},
                  %X: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %c = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32>) {
      %p = tile.load %W[%k, %c0] dims = [1, 0] : memref<1024x1024xi8> -> tensor<64x64xi8>
      %x = tile.load %X[%c0, %k] dims = [1, 0] : memref<1024x1024xbf16> -> tensor<64x16xbf16>
      %w = arith.sitofp %p : tensor<64x64xi8> to tensor<64x64xbf16>
      %next = tile.mma %w, %x, %sum : tensor<64x64xbf16>, tensor<64x16xbf16> -> tensor<64x16xf32>
      scf.yield %next : tensor<64x16xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Bytes that threads use otherwise, too, are loaded in a layout for that, and written for the product.
// CHECK-LABEL: tile.kernel @bytes_also_added(
// CHECK: scf.for
// CHECK-NOT: cta.copy %{{.*}} : memref<1024x1024xi8>
// CHECK: %[[S:.*]] = cta.stage %{{.*}} : tensor<64x64xbf16,
// CHECK: cta.wgmma %[[S]],
tile.kernel @bytes_also_added(%W: memref<1024x1024xi8> {tile.align = 16},
                              %X: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %S: memref<?x?xi8>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %none = arith.constant dense<0> : tensor<64x64xi8>
    %c, %t = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero, %total = %none) -> (tensor<64x16xf32>, tensor<64x64xi8>) {
      %p = tile.load %W[%c0, %k] : memref<1024x1024xi8> -> tensor<64x64xi8>
      %x = tile.load %X[%c0, %k] dims = [1, 0] : memref<1024x1024xbf16> -> tensor<64x16xbf16>
      %w = arith.sitofp %p : tensor<64x64xi8> to tensor<64x64xbf16>
      %next = tile.mma %w, %x, %sum : tensor<64x64xbf16>, tensor<64x16xbf16> -> tensor<64x16xf32>
      %more = arith.addi %p, %total : tensor<64x64xi8>
      scf.yield %next, %more : tensor<64x16xf32>, tensor<64x64xi8>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x16xf32> -> memref<?x?xf32>
    tile.store %t, %S[%c0, %c0] : tensor<64x64xi8> -> memref<?x?xi8>
  }
  tile.return
}

// A mask is no copy: as before.
// CHECK-LABEL: tile.kernel @bytes_under_mask(
// CHECK: scf.for
// CHECK: %[[S:.*]] = cta.stage %{{.*}} : tensor<64x64xbf16,
// CHECK: cta.wgmma %[[S]],
tile.kernel @bytes_under_mask(%W: memref<1024x1024xi8> {tile.align = 16}, %M: memref<64xi1>,
    %X: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %m = tile.load %M[%c0] : memref<64xi1> -> tensor<64xi1>
    %c = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32>) {
      %p = tile.load %W[%c0, %k] mask = %m on [0] : memref<1024x1024xi8> -> tensor<64x64xi8>
      %x = tile.load %X[%c0, %k] dims = [1, 0] : memref<1024x1024xbf16> -> tensor<64x16xbf16>
      %w = arith.sitofp %p : tensor<64x64xi8> to tensor<64x64xbf16>
      %next = tile.mma %w, %x, %sum : tensor<64x64xbf16>, tensor<64x16xbf16> -> tensor<64x16xf32>
      scf.yield %next : tensor<64x16xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Nor are rows at indices.
// CHECK-LABEL: tile.kernel @gathered_bytes(
// CHECK: scf.for
// CHECK: %[[S:.*]] = cta.stage %{{.*}} : tensor<64x64xbf16,
// CHECK: cta.wgmma %[[S]],
tile.kernel @gathered_bytes(%W: memref<1024x1024xi8> {tile.align = 16}, %I: memref<64xi32>,
    %X: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %i = tile.load %I[%c0] : memref<64xi32> -> tensor<64xi32>
    %c = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x16xf32>) {
      %p = tile.load %W[%i : tensor<64xi32>, %k] : memref<1024x1024xi8> -> tensor<64x64xi8>
      %x = tile.load %X[%c0, %k] dims = [1, 0] : memref<1024x1024xbf16> -> tensor<64x16xbf16>
      %w = arith.sitofp %p : tensor<64x64xi8> to tensor<64x64xbf16>
      %next = tile.mma %w, %x, %sum : tensor<64x64xbf16>, tensor<64x16xbf16> -> tensor<64x16xf32>
      scf.yield %next : tensor<64x16xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x16xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Integers as operand B: converted in registers and written for the product. Their load is a copy, too.
// CHECK-LABEL: tile.kernel @integers(
// CHECK: scf.for
// CHECK: %[[W:.*]] = cta.copy %{{.*}} : memref<1024x1024xi8> -> !cta.smem<64x64xi8,
// CHECK: %[[R:.*]] = cta.read %[[W]]
// CHECK: arith.sitofp %[[R]]
// CHECK: cta.stage
tile.kernel @integers(%W: memref<1024x1024xi8> {tile.align = 16},
                      %A: memref<1024x1024xbf16> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %c = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %p = tile.load %W[%c0, %c0] : memref<1024x1024xi8> -> tensor<64x64xi8>
      %a = tile.load %A[%c0, %c0] : memref<1024x1024xbf16> -> tensor<64x64xbf16>
      %w = arith.sitofp %p : tensor<64x64xi8> to tensor<64x64xbf16>
      %next = tile.mma %a, %w, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// Not outside of loops, not where something else needs the tile in registers, and not for other arithmetic.
// CHECK-LABEL: tile.kernel @not(
// CHECK-NOT: cta.read
// CHECK: tile.return
tile.kernel @not(%W: memref<1024x1024xi8> {tile.align = 16},
                 %A: memref<1024x1024xf32> {tile.align = 16}, %C: memref<?x?xf32>, %n: index) attributes {warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %bytes = arith.constant dense<0> : tensor<64x64xi8>
    %q = tile.load %W[%c0, %c0] : memref<1024x1024xi8> -> tensor<64x64xi8>
    %once = arith.sitofp %q : tensor<64x64xi8> to tensor<64x64xbf16>
    %c, %bits = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero, %all = %bytes) -> (tensor<64x64xf32>, tensor<64x64xi8>) {
      %p = tile.load %W[%c0, %k] : memref<1024x1024xi8> -> tensor<64x64xi8>
      %f = tile.load %A[%c0, %k] : memref<1024x1024xf32> -> tensor<64x64xf32>
      %a = arith.truncf %f : tensor<64x64xf32> to tensor<64x64xbf16>
      %w = arith.sitofp %p : tensor<64x64xi8> to tensor<64x64xbf16>
      %more = arith.ori %p, %all : tensor<64x64xi8>
      %part = tile.mma %a, %w, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %next = tile.mma %a, %once, %part : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %next, %more : tensor<64x64xf32>, tensor<64x64xi8>
    }
    tile.store %c, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
    tile.store %bits, %W[%c0, %c0] : tensor<64x64xi8> -> memref<1024x1024xi8>
  }
  tile.return
}
