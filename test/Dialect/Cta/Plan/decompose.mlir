// RUN: tile-opt %s -split-input-file -cta-decompose | FileCheck %s
// RUN: tile-opt %s -split-input-file -cta-decompose -cta-decompose | FileCheck %s

// Conversions, from the cheapest to the dearest.

#acc = #cta.frag<wgmma_acc, wg = 1>
#a16 = #cta.frag<wgmma_a, bits = 16, wg = 1>
#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>
#renumbered = #cta.frag<regs = [[0, 2], [0, 1]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>
#swapped = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 8], [0, 4], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>

// CHECK-LABEL: tile.kernel @converts(
tile.kernel @converts(%x: memref<?x?xf32>, %v: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // CHECK: %[[ACC:.*]] = cta.load
    %acc = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32, #acc>
    // CHECK: %[[ROWS:.*]] = cta.load
    %rows = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<8x64xf32, #rows>
    // The accumulator as the A operand of the next product: the same registers.
    // CHECK: cta.convert_layout %[[ACC]] {how = #cta.conversion<no_op>}
    %a = cta.convert_layout %acc : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #a16>
    // CHECK: cta.convert_layout %[[ROWS]] {how = #cta.conversion<permute>}
    %p = cta.convert_layout %rows : tensor<8x64xf32, #rows> -> tensor<8x64xf32, #renumbered>
    // CHECK: cta.convert_layout %[[ROWS]] {how = #cta.conversion<shuffle>}
    %b = cta.convert_layout %rows : tensor<8x64xf32, #rows> -> tensor<8x64xf32, #swapped>
    // CHECK: %[[S:.*]] = cta.stage %[[ACC]] : tensor<64x64xf32, {{.*}}> -> <64x64xf32, #cta.swizzle<linear, pad = [[PAD:[0-9]+]]>>
    // CHECK-NEXT: cta.read %[[S]] : <64x64xf32, #cta.swizzle<linear, pad = [[PAD]]>> -> tensor<64x64xf32
    %c = cta.convert_layout %acc : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #rows>
    // Conversions that the IR asks for are done, if they can be.
    // CHECK: cta.stage %[[ROWS]]
    %d = cta.convert_layout %rows {how = #cta.conversion<shared>} : tensor<8x64xf32, #rows> -> tensor<8x64xf32, #swapped>
    cta.store %a, %x[%c0, %c0] : tensor<64x64xf32, #a16> -> memref<?x?xf32>
    cta.store %p, %x[%c0, %c0] : tensor<8x64xf32, #renumbered> -> memref<?x?xf32>
    cta.store %b, %x[%c0, %c0] : tensor<8x64xf32, #swapped> -> memref<?x?xf32>
    cta.store %c, %x[%c0, %c0] : tensor<64x64xf32, #rows> -> memref<?x?xf32>
    cta.store %d, %x[%c0, %c0] : tensor<8x64xf32, #swapped> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// A tile that every thread can compute by itself is not converted: it is computed in the other layout.

#acc = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>

// CHECK: #[[$ROWS:.*]] = #cta.frag<regs
// CHECK-LABEL: tile.kernel @free(
// CHECK-NOT: cta.convert_layout
// CHECK-NOT: cta.stage
// CHECK: arith.constant dense<1.000000e+00> : tensor<64x64xf32, #[[$ROWS]]>
// CHECK: cta.iota dim = 1 : tensor<64x64xi32, #[[$ROWS]]>
// CHECK: cta.broadcast %{{.*}} dims = [] : f32 -> tensor<64x64xf32, #[[$ROWS]]>
tile.kernel @free(%x: memref<?x?xf32>, %y: memref<?x?xi32>, %v: f32) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
    %iota = cta.iota dim = 1 : tensor<64x64xi32, #acc>
    %all = cta.broadcast %v dims = [] : f32 -> tensor<64x64xf32, #acc>
    %a = cta.convert_layout %one : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #rows>
    %b = cta.convert_layout %iota : tensor<64x64xi32, #acc> -> tensor<64x64xi32, #rows>
    %c = cta.convert_layout %all : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #rows>
    cta.store %a, %x[%c0, %c0] : tensor<64x64xf32, #rows> -> memref<?x?xf32>
    cta.store %b, %y[%c0, %c0] : tensor<64x64xi32, #rows> -> memref<?x?xi32>
    cta.store %c, %x[%c0, %c0] : tensor<64x64xf32, #rows> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Reshapes: registers if they hold the same elements, else a conversion and that, else a view of scratch.

#vec = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#col = #cta.frag<regs = [], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warps = [[32, 0], [64, 0]]>
#col2 = #cta.frag<regs = [], lanes = [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0]], warps = [[32, 0], [64, 0]]>
#across = #cta.frag<regs = [[0, 1]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warps = [[32, 0], [64, 0]]>
#square = #cta.frag<regs = [], lanes = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warps = [[1, 0], [2, 0]]>
#tall = #cta.frag<regs = [], lanes = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warps = [[0, 8], [0, 16]]>

// CHECK-LABEL: tile.kernel @reshapes(
tile.kernel @reshapes(%x: memref<?xf32>, %y: memref<?x?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    // CHECK: %[[V:.*]] = cta.load
    %v = cta.load %x[%c0] : memref<?xf32> -> tensor<128xf32, #vec>
    // CHECK: cta.reshape %[[V]]
    %a = cta.reshape %v : tensor<128xf32, #vec> -> tensor<128x1xf32, #col>
    // CHECK: %[[R:.*]] = cta.reshape %[[V]]
    // CHECK-NEXT: cta.convert_layout %[[R]] {how = #cta.conversion<shuffle>}
    %b = cta.reshape %v : tensor<128xf32, #vec> -> tensor<128x1xf32, #col2>
    // The unit dimension's second register is dead on one side only: the thread's numbers differ.
    // CHECK: %[[R2:.*]] = cta.reshape %[[V]]
    // CHECK-NEXT: cta.convert_layout %[[R2]] {how = #cta.conversion<permute>}
    %c = cta.reshape %v : tensor<128xf32, #vec> -> tensor<128x1xf32, #across>
    // In row-major order the same thread has the same element: nothing moves.
    // CHECK: cta.reshape %[[V]] : tensor<128xf32, {{.*}}> -> tensor<4x32xf32
    %d = cta.reshape %v : tensor<128xf32, #vec> -> tensor<4x32xf32, #square>
    // CHECK: %[[S:.*]] = cta.stage %[[V]] : tensor<128xf32, {{.*}}> -> <128xf32, #cta.swizzle<linear>>
    // CHECK-NEXT: %[[W:.*]] = cta.view %[[S]] : <128xf32, #cta.swizzle<linear>> -> <4x32xf32, #cta.swizzle<linear>>
    // CHECK-NEXT: cta.read %[[W]]
    %e = cta.reshape %v : tensor<128xf32, #vec> -> tensor<4x32xf32, #tall>
    cta.store %a, %y[%c0, %c0] : tensor<128x1xf32, #col> -> memref<?x?xf32>
    cta.store %b, %y[%c0, %c0] : tensor<128x1xf32, #col2> -> memref<?x?xf32>
    cta.store %c, %y[%c0, %c0] : tensor<128x1xf32, #across> -> memref<?x?xf32>
    cta.store %d, %y[%c0, %c0] : tensor<4x32xf32, #square> -> memref<?x?xf32>
    cta.store %e, %y[%c0, %c0] : tensor<4x32xf32, #tall> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Slices whose columns are whole registers of every thread stay: they only give registers other names. A concatenation is one
// stage of all its inputs.

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>

// CHECK-LABEL: tile.kernel @slices(
// CHECK: %[[T:.*]] = cta.load
// CHECK-NEXT: %[[L:.*]] = cta.slice %[[T]] offsets = [0, 0]
// CHECK-NEXT: %[[R:.*]] = cta.slice %[[T]] offsets = [0, 64]
// CHECK-NEXT: %[[C:.*]] = cta.stage %[[R]], %[[L]] {concat_dim = 1 : i64}
// CHECK-NEXT: cta.read %[[C]]
tile.kernel @slices(%x: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf16> -> tensor<8x128xf16, #rows>
    %l = cta.slice %t offsets = [0, 0] : tensor<8x128xf16, #rows> -> tensor<8x64xf16, #rows>
    %r = cta.slice %t offsets = [0, 64] : tensor<8x128xf16, #rows> -> tensor<8x64xf16, #rows>
    %c = cta.concat %r, %l dim = 1 : tensor<8x64xf16, #rows>, tensor<8x64xf16, #rows> -> tensor<8x128xf16, #rows>
    cta.store %c, %x[%c0, %c0] : tensor<8x128xf16, #rows> -> memref<?x?xf16>
  }
  tile.return
}

// -----

// Slices that move elements between threads share the scratch of their tile.

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>

// CHECK-LABEL: tile.kernel @moving_slices(
// CHECK: %[[T:.*]] = cta.load
// CHECK-NEXT: %[[S:.*]] = cta.stage %[[T]]
// CHECK-NEXT: %[[L:.*]] = cta.read %[[S]] offsets = [0, 4]
// CHECK-NEXT: %[[R:.*]] = cta.read %[[S]] offsets = [0, 60]
tile.kernel @moving_slices(%x: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf16> -> tensor<8x128xf16, #rows>
    %l = cta.slice %t offsets = [0, 4] : tensor<8x128xf16, #rows> -> tensor<8x64xf16, #rows>
    %r = cta.slice %t offsets = [0, 60] : tensor<8x128xf16, #rows> -> tensor<8x64xf16, #rows>
    cta.store %l, %x[%c0, %c0] : tensor<8x64xf16, #rows> -> memref<?x?xf16>
    cta.store %r, %x[%c0, %c0] : tensor<8x64xf16, #rows> -> memref<?x?xf16>
  }
  tile.return
}

// -----

// A strided slice is a strided read.

#rows = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>

// CHECK-LABEL: tile.kernel @strided(
// CHECK: %[[S:.*]] = cta.stage
// CHECK-NEXT: cta.read %[[S]] offsets = [0, 1] strides = [1, 2] :
tile.kernel @strided(%x: memref<?x?xf16>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %t = cta.load %x[%c0, %c0] : memref<?x?xf16> -> tensor<8x128xf16, #rows>
    %l = cta.slice %t offsets = [0, 1] strides = [1, 2] : tensor<8x128xf16, #rows> -> tensor<8x64xf16, #rows>
    cta.store %l, %x[%c0, %c0] : tensor<8x64xf16, #rows> -> memref<?x?xf16>
  }
  tile.return
}

// -----

// Along columns the accumulator's rows are within a quad: the reduction stays. Along rows it crosses four warps and two warpgroups:
// eight parts, which each thread reads into registers.

#acc = #cta.frag<wgmma_acc, wg = 2>
#rowwise = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 2 on 0>
#colwise = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 2>

// CHECK-DAG: #[[$PARTS:.*]] = #cta.frag<regs = {{\[\[}}0, 1]], lanes = {{\[\[}}0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warps = {{\[\[}}1, 0], [2, 0]], wg = 2 on 0>
// CHECK-DAG: #[[$REGS:.*]] = #cta.frag<regs = {{\[\[}}0, 1]], lanes = {{\[\[}}0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warps = {{\[\[}}0, 0], [0, 0]], wg = 2>
// CHECK-LABEL: tile.kernel @reduce(
// CHECK: %[[T:.*]] = cta.load
// CHECK: cta.reduce (%[[T]]) dims = [1] init(%{{.*}}) {
// CHECK: %[[P:.*]] = cta.reduce (%[[T]]) dims = [0] init(%{{.*}}) attributes {partial} {
// CHECK: arith.addf
// CHECK: } : tensor<128x64xf32, {{.*}}> -> tensor<8x64xf32, #[[$PARTS]]>
// CHECK-NEXT: %[[S:.*]] = cta.stage %[[P]] : tensor<8x64xf32, #[[$PARTS]]> -> <8x64xf32, #cta.swizzle<linear
// CHECK-NEXT: %[[R:.*]] = cta.read %[[S]] {{.*}} -> tensor<8x64xf32, #[[$REGS]]>
// CHECK-NEXT: cta.reduce (%[[R]]) dims = [0] init(%{{.*}}) {
// CHECK: arith.addf
// CHECK: } : tensor<8x64xf32, #[[$REGS]]> -> tensor<64xf32
tile.kernel @reduce(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<128x64xf32, #acc>
    %a = cta.reduce (%t) dims = [1] init(%zero) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    } : tensor<128x64xf32, #acc> -> tensor<128xf32, #rowwise>
    %b = cta.reduce (%t) dims = [0] init(%zero) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    } : tensor<128x64xf32, #acc> -> tensor<64xf32, #colwise>
    cta.store %a, %y[%c0] : tensor<128xf32, #rowwise> -> memref<?xf32>
    cta.store %b, %y[%c0] : tensor<64xf32, #colwise> -> memref<?xf32>
  }
  tile.return
}

// -----

// A maximum and its index together, over all elements: two tiles of scratch, three warpgroups, twelve parts.

#vec = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]], wg = 3 on 0>
#all = #cta.frag<splat, rank = 0, warps = 2, wg = 3>

// CHECK-LABEL: tile.kernel @argmax(
// CHECK: %[[P:.*]]:2 = cta.reduce (%{{.*}}, %{{.*}}) dims = [0] init(%{{.*}}, %{{.*}}) attributes {partial} {
// CHECK: -> tensor<12xf32, {{.*}}>, tensor<12xi32
// CHECK-NEXT: %[[S0:.*]] = cta.stage %[[P]]#0
// CHECK-NEXT: %[[S1:.*]] = cta.stage %[[P]]#1
// CHECK-NEXT: %[[R0:.*]] = cta.read %[[S0]]
// CHECK-NEXT: %[[R1:.*]] = cta.read %[[S1]]
// CHECK-NEXT: cta.reduce (%[[R0]], %[[R1]]) dims = [0]
// CHECK: -> tensor<f32, {{.*}}>, tensor<i32
tile.kernel @argmax(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xi32>) attributes {phase = #tile.phase<placed>, warpgroups = 3} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 2147483647 : i32
    %t = cta.load %x[%c0] : memref<?xf32> -> tensor<1000xf32, #vec>
    %i = cta.iota dim = 0 : tensor<1000xi32, #vec>
    %v, %at = cta.reduce (%t, %i) dims = [0] init(%low, %none) {
    ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
      %g = arith.cmpf ogt, %a, %c : f32
      %m = arith.select %g, %a, %c : f32
      %w = arith.select %g, %b, %d : i32
      tile.yield %m, %w : f32, i32
    } : tensor<1000xf32, #vec>, tensor<1000xi32, #vec> -> tensor<f32, #all>, tensor<i32, #all>
    %s = cta.extract %v : tensor<f32, #all> -> f32
    %k = cta.extract %at : tensor<i32, #all> -> i32
    memref.store %s, %y[%c0] : memref<?xf32>
    memref.store %k, %z[%c0] : memref<?xi32>
  }
  tile.return
}

// -----

// A layout whose vectors move along both dimensions at once cannot be reduced as it is.

#mixed = #cta.frag<regs = [[0, 1]], lanes = [[1, 1], [2, 0], [4, 0], [8, 0], [16, 0]], warps = [[32, 0], [0, 0]]>
#slice = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [0]]>

// CHECK-LABEL: tile.kernel @mixed(
// CHECK: %[[T:.*]] = cta.load
// CHECK-NEXT: %[[S:.*]] = cta.stage %[[T]]
// CHECK-NEXT: %[[U:.*]] = cta.read %[[S]]
// CHECK-NEXT: cta.reduce (%[[U]])
// CHECK-NOT: partial
tile.kernel @mixed(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %t = cta.load %x[%c0, %c0] : memref<?x?xf32> -> tensor<64x2xf32, #mixed>
    %a = cta.reduce (%t) dims = [1] init(%zero) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    } : tensor<64x2xf32, #mixed> -> tensor<64xf32, #slice>
    cta.store %a, %y[%c0] : tensor<64xf32, #slice> -> memref<?xf32>
  }
  tile.return
}
