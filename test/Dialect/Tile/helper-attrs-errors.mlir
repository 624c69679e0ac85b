// RUN: tile-opt %s -split-input-file -verify-diagnostics
// Discardable attributes of the dialect: each has its ops and its type, and there are no others.

// expected-error @below {{has the unknown attribute 'tile.falback'; of the dialect there are: tile.bound, tile.contract, tile.copies, tile.fallback, tile.init, tile.member, tile.member_of, tile.not_repacked, tile.not_turned, tile.ptxas_policies, tile.rarely, tile.repacked, tile.restored, tile.saturate, tile.tables, tile.transposed, tile.turned, tile.variant_attributes}}
tile.kernel @misspelt() attributes {tile.falback} {
  tile.return
}

// -----

tile.kernel @upstream(%n: index) {
  // expected-error @below {{has the unknown attribute 'tile.inti'}}
  %0 = memref.alloc(%n) {tile.inti = 0.0 : f32} : memref<?xf32>
  tile.return
}

// -----

// A fact of an argument is no attribute of the kernel.
// expected-error @below {{has the unknown attribute 'tile.align'}}
tile.kernel @fact() attributes {tile.align = 16} {
  tile.return
}

// -----

tile.kernel @elsewhere(%n: index) {
  // expected-error @below {{has the attribute 'tile.fallback', which has a meaning on tile.kernel only}}
  tile.grid (%i) = (0) to (%n) step (16) attributes {tile.fallback} {
  }
  tile.return
}

// -----

tile.kernel @two_ops(%x: f32) {
  tile.grid () = () to () step () {
    // expected-error @below {{has the attribute 'tile.turned', which has a meaning on tile.mma and cta.mma only}}
    %0 = arith.addf %x, %x {tile.turned = "yes"} : f32
  }
  tile.return
}

// -----

tile.kernel @stack() {
  tile.grid () = () to () step () {
    // expected-error @below {{has the attribute 'tile.init', which has a meaning on memref.alloc only}}
    %0 = memref.alloca() {tile.init = 0.0 : f32} : memref<4xf32>
  }
  tile.return
}

// -----

tile.kernel @no_number() {
  // expected-error @below {{has the attribute 'tile.init' = "zero", which must be a number}}
  %0 = memref.alloc() {tile.init = "zero"} : memref<4xf32>
  tile.return
}

// -----

tile.kernel @no_unit(%n: index) {
  // expected-error @below {{has the attribute 'tile.restored' = 1 : i64, which must be unit}}
  %0 = memref.alloc(%n) {tile.init = 0.0 : f32, tile.restored = 1} : memref<?xf32>
  tile.return
}

// -----

tile.kernel @no_boolean(%A: memref<?x?xbf16>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : memref<?x?xbf16> -> tensor<16x16xbf16>
    // expected-error @below {{has the attribute 'tile.transposed' = "yes", which must be true or false}}
    %d = tile.mma %a, %a {tile.transposed = "yes"} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  }
  tile.return
}

// -----

// expected-error @below {{has the attribute 'tile.contract' = 3 : i64, which must be a string}}
module attributes {tile.contract = 3} {
}

// -----

// expected-error @below {{has the attribute 'tile.variant_attributes' = {any = {sym_name = "b"}}, which must be a dictionary of dictionaries, of plan and attributes of dialects}}
tile.kernel @renamed() attributes {tile.variant_attributes = {any = {sym_name = "b"}}} {
  tile.return
}

// -----

// expected-error @below {{which must be a dictionary of dictionaries, of plan and attributes of dialects}}
tile.kernel @planned() attributes {tile.variant_attributes = {any = {phase = #tile.phase<planned>}}} {
  tile.return
}

// -----

// expected-error @below {{which must be a dictionary of dictionaries, of plan and attributes of dialects}}
tile.kernel @nested() attributes {tile.variant_attributes = {any = {tile.variant_attributes = {}}}} {
  tile.return
}

// -----

// A plan and the attributes of a dialect are right.
tile.kernel @right() attributes {tile.variant_attributes = {any = {cta.alone, plan = #cta.plan<stages = 2>}}} {
  tile.return
}
