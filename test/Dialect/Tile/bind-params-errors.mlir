// RUN: tile-opt %s -tile-bind-params -split-input-file -verify-diagnostics

// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=X=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: tile-bind-params: there is no parameter 'X'; the parameters are product/BM, product/BN, product/BK, ways/WAYS, everything/R, cases/R, mixed/W, nothing/R
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=ways/R=2 2>&1 | FileCheck %s --check-prefix=IN
// IN: error: tile-bind-params: there is no parameter 'R' in the kernel @ways; the parameters are WAYS
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=way/R=2 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: tile-bind-params: a binding names the kernel 'way', and there is none of that name
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: tile-bind-params: the binding 'BM' is not of the form NAME=NUMBER or KERNEL/NAME=NUMBER
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=,BN=1 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: tile-bind-params: the binding 'BM=' is not of the form NAME=NUMBER
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=0 2>&1 | FileCheck %s --check-prefix=POSITIVE
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=-1 2>&1 | FileCheck %s --check-prefix=POSITIVE
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=1.5 2>&1 | FileCheck %s --check-prefix=POSITIVE
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=99999999999999999999 2>&1 | FileCheck %s --check-prefix=POSITIVE
// POSITIVE: error: tile-bind-params: the binding 'BM={{.*}}': a parameter is a positive number, at most 2147483648
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=64,BM=128 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: tile-bind-params: the parameter 'BM' is bound twice
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=100 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: bind-params.mlir:[[#]]:{{.*}}: error: the parameter BM cannot be 100; its choices are 192, 128, 64
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=192 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: bind-params.mlir:[[#]]:{{.*}}: error: 'tile.kernel' op has parameters of which no choices go together with BM=192
// BROKEN: note: this is assumed about them
// RUN: not tile-opt %S/bind-params.mlir -tile-bind-params=bindings=BM=192,BN=256 2>&1 | FileCheck %s --check-prefix=ASSUMED
// ASSUMED: bind-params.mlir:[[#]]:{{.*}}: error: an assumption about the parameters does not hold with BM=192,BN=256: "the accumulators fit"

// Passes that need extents say that there are none yet.
// RUN: not tile-opt %S/bind-params.mlir -tile-expand-ops 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-guard-references 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-transpose-products 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-specialize-facts 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-repack-operands 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-read-bounds 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-insert-checks 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-split-batches 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -convert-tile-to-cta 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -convert-tile-to-cpu 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tessera-to-raw 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not tile-opt %S/bind-params.mlir -tile-to-cpu 2>&1 | FileCheck %s --check-prefix=UNBOUND
// UNBOUND: error: 'tile.kernel' op has parameters, which must be bound first: BM, BN, BK; bind them by tilec -D BM=<number>, or by tile-bind-params{bindings="BM=<number>"}

tile.kernel @no_choices(%x: memref<?xf32>) {
  // expected-error @+1 {{the parameter P has no choices, so it must be bound: tilec -D P=<number>, or tile-bind-params{bindings="P=<number>"}}}
  %p = tile.param "P" : index
  tile.return
}

// -----

// Assumptions about numbers.
// expected-error @+1 {{has parameters of which no choices go together}}
tile.kernel @range() {
  %p = tile.param "P" [8, 12] : index
  // expected-note @+1 {{this is assumed about them}}
  tile.assume %p {min = 9, divisible = 8} : index
  tile.return
}

// -----

// It counts only in the branch that is taken.
tile.kernel @branch(%n: index) {
  %p = tile.param "P" [1, 2] : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.cmpi sgt, %p, %c4 : index
  %split = arith.cmpi sgt, %p, %c1 : index
  scf.if %split {
    tile.assume %no, "never" : i1
    tile.grid (%i) = (0) to (%n) step (1) {
    }
  }
  tile.return
}

// -----

// expected-note @+2 {{it depends on this}}
// expected-note @+1 {{in the kernel @size with P=64}}
tile.kernel @size(%x: memref<?xf32>, %n: index) {
  %p = tile.param "P" [64] : index
  %extent = arith.minsi %n, %p : index
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{has an extent that parameters alone do not give}}
    %t = tile.load %x[%c0] tile(%extent) : memref<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @zero with P=64}}
tile.kernel @zero(%f: f32) {
  %p = tile.param "P" [64] : index
  %extent = arith.subi %p, %p : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{has the extent 0, which must be 1 to 2147483648}}
    %t = tensor.splat %f[%extent] : tensor<?xf32>
  }
  tile.return
}

// -----

// A division by zero is no number.
// expected-note @+1 {{in the kernel @undefined with P=64}}
tile.kernel @undefined(%f: f32) {
  %p = tile.param "P" [64] : index
  %zero = arith.subi %p, %p : index
  // expected-note @+1 {{it depends on this}}
  %extent = arith.divsi %p, %zero : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{has an extent that parameters alone do not give}}
    %t = tensor.splat %f[%extent] : tensor<?xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @sum with P=64,Q=32}}
tile.kernel @sum(%f: f32) {
  %p = tile.param "P" [64] : index
  %q = tile.param "Q" [32] : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p] : tensor<?xf32>
    %b = tensor.splat %f[%q] : tensor<?xf32>
    // expected-error @+1 {{combines a tile of 64 with one of 32}}
    %c = arith.addf %a, %b : tensor<?xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @product with P=64,Q=32}}
tile.kernel @product(%f: bf16) {
  %p = tile.param "P" [64] : index
  %q = tile.param "Q" [32] : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p, %p] : tensor<?x?xbf16>
    %b = tensor.splat %f[%q, %p] : tensor<?x?xbf16>
    // expected-error @+1 {{multiplies 64x64 by 32x64: K is 64 and 32}}
    %c = tile.mma %a, %b : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @carried with P=64,Q=32}}
tile.kernel @carried(%f: f32, %n: index) {
  %p = tile.param "P" [64] : index
  %q = tile.param "Q" [32] : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p] : tensor<?xf32>
    %b = tensor.splat %f[%q] : tensor<?xf32>
    %c = scf.for %i = %p to %n step %q iter_args(%s = %a) -> (tensor<?xf32>) {
      // expected-error @+1 {{makes or passes on a tile of 32 where one of 64 is needed}}
      scf.yield %b : tensor<?xf32>
    }
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @known with P=64}}
tile.kernel @known(%x: memref<?xf32>) {
  %p = tile.param "P" [64] : index
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %a = tile.load %x[%c0] tile(%p) : memref<?xf32> -> tensor<?xf32>
    %b = tile.load %x[%c0] : memref<?xf32> -> tensor<32xf32>
    // expected-error @+1 {{makes or passes on a tile of 64 where one of 32 is needed}}
    %c = tensor.cast %a : tensor<?xf32> to tensor<32xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @broadcast with P=64,Q=32}}
tile.kernel @broadcast(%f: f32) {
  %p = tile.param "P" [64] : index
  %q = tile.param "Q" [32] : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p] : tensor<?xf32>
    // expected-error @+1 {{broadcast_c2: source dimension 0 has extent 64, result dimension 0 has 32}}
    %b = tile.broadcast %a dims = [0] extents(%q) : tensor<?xf32> -> tensor<?x8xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @expand with P=100}}
tile.kernel @expand(%f: f32) {
  %p = tile.param "P" [100] : index
  %c64 = arith.constant 64 : index
  %groups = arith.floordivsi %p, %c64 : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p] : tensor<?xf32>
    // expected-error @+1 {{divides a tile of 100 into 1x64, but the extent 100 is not the product of those it becomes}}
    %b = tensor.expand_shape %a [[0, 1]] output_shape [%groups, 64] : tensor<?xf32> into tensor<?x64xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @unzip with P=3}}
tile.kernel @unzip(%f: f32) {
  %p = tile.param "P" [3] : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p] : tensor<?xf32>
    // expected-error @+1 {{takes a tile of 3, whose last extent must be a multiple of 2}}
    %b, %c = tile.unzip %a : tensor<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

// What the verifiers find afterwards is about the member, too.
// expected-note @+1 {{in the kernel @slices with P=100,Q=64}}
tile.kernel @slices(%f: f32, %i: index) {
  %p = tile.param "P" [100] : index
  %q = tile.param "Q" [64] : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p] : tensor<?xf32>
    // expected-error @+1 {{extract_c2: the extent 64 of the slice must divide the extent 100 of the tile along dimension 0}}
    %b = tile.extract %a[%i] extents(%q) : tensor<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @nothing with P=64}}
tile.kernel @nothing(%a: memref<?xf32>, %n: index) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %at = arith.constant dense<1> : tensor<8xi32>
    // expected-error @+1 {{makes a tile with an extent that nothing gives: no parameter and no operand}}
    %g = tile.gather %a[%at : tensor<8xi32>] : memref<?xf32> -> tensor<?xf32>
  }
  tile.return
}

// -----

// expected-note @+1 {{in the kernel @recursive}}
tile.kernel @recursive(%f: f32) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    %a = tensor.splat %f[%p] : tensor<?xf32>
    %b = func.call @again(%a) : (tensor<?xf32>) -> tensor<?xf32>
  }
  tile.return
}
func.func private @again(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{calls @again, which calls itself}}
  %r = func.call @again(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// expected-note @+1 {{in the kernel @missing}}
tile.kernel @missing(%f: f32) {
  %p = tile.param "P" [64] : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{calls @outside, which has no body}}
    func.call @outside() : () -> ()
  }
  tile.return
}
func.func private @outside()

// -----

// A number that a condition of the launch chooses is none that parameters give.
// expected-note @+2 {{it depends on this}}
// expected-note @+1 {{in the kernel @selected with P=64}}
tile.kernel @selected(%f: f32, %c: i1) {
  %p = tile.param "P" [64] : index
  %c8 = arith.constant 8 : index
  %extent = arith.select %c, %p, %c8 : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{has an extent that parameters alone do not give}}
    %t = tensor.splat %f[%extent] : tensor<?xf32>
  }
  tile.return
}

// -----

// expected-note @+2 {{it depends on this}}
// expected-note @+1 {{in the kernel @branched with P=64}}
tile.kernel @branched(%f: f32, %c: i1) {
  %p = tile.param "P" [64] : index
  %c8 = arith.constant 8 : index
  %extent = scf.if %c -> index {
    scf.yield %p : index
  } else {
    scf.yield %c8 : index
  }
  tile.grid () = () to () step () {
    // expected-error @+1 {{has an extent that parameters alone do not give}}
    %t = tensor.splat %f[%extent] : tensor<?xf32>
  }
  tile.return
}

// -----

// An assumption about a number that parameters have chosen.
// expected-error @+1 {{has parameters of which no choices go together}}
tile.kernel @chosen() {
  %p = tile.param "P" [1, 2] : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %isOne = arith.cmpi eq, %p, %c1 : index
  %extent = arith.select %isOne, %c1, %c8 : index
  // expected-note @+1 {{this is assumed about them}}
  tile.assume %extent {min = 9} : index
  tile.return
}
