// RUN: tile-opt %s --split-input-file --cta-form-wgmma | FileCheck %s

// Converts without encodings cut the layout classes around the accumulator; both operands stay shared.
// CHECK-LABEL: tile.kernel @gemm
// CHECK: scf.for {{.*}} iter_args(%[[C:.+]] = %{{.+}})
// CHECK: %[[A:.+]] = cta.stage
// CHECK: %[[B:.+]] = cta.stage
// CHECK: %[[C1:.+]] = cta.convert_layout %[[C]] : tensor<128x256xf32> -> tensor<128x256xf32>
// CHECK: %[[D:.+]] = cta.wgmma %[[A]], %[[B]], %[[C1]]
// CHECK: %[[D1:.+]] = cta.convert_layout %[[D]]
// CHECK: scf.yield %[[D1]]
// CHECK-NOT: cta.mma
tile.kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index)
    attributes {phase = #tile.phase<raw>, warpgroups = 2} {
  tile.grid (%i, %j) = (0, 0) to (%n, %n) step (128, 256) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x256xf32>) {
      %a = cta.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>
      %as = cta.stage %a : tensor<128x64xbf16> -> !cta.smem<128x64xbf16, #cta.swizzle<?>>
      %b = cta.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x256xbf16>
      %bs = cta.stage %b : tensor<64x256xbf16> -> !cta.smem<64x256xbf16, #cta.swizzle<?>>
      %d = cta.mma %as, %bs, %c : !cta.smem<128x64xbf16, #cta.swizzle<?>>, !cta.smem<64x256xbf16, #cta.swizzle<?>> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    cta.store %acc, %C[%i, %j] : tensor<128x256xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// An operand computed from a product stays in registers; one that is loaded, even through
// arithmetic, is shared.
// CHECK-LABEL: tile.kernel @chain
// CHECK: %[[Q:.+]] = cta.stage
// CHECK: %[[K:.+]] = cta.stage
// CHECK: cta.wgmma %[[Q]], %[[K]] : !cta.smem<64x64xf16, #cta.swizzle<?>>
// CHECK: %[[P:.+]] = arith.truncf
// CHECK-NOT: cta.stage
// CHECK: %[[P1:.+]] = cta.convert_layout %[[P]] : tensor<64x64xf16> -> tensor<64x64xf16>
// CHECK: cta.wgmma %[[P1]], %[[K]] : tensor<64x64xf16>, !cta.smem<64x64xf16, #cta.swizzle<?>> -> tensor<64x64xf32>
tile.kernel @chain(%Q: memref<?x?xf16>, %O: memref<?x?xf32>)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %q = cta.load %Q[%c0, %c0] : memref<?x?xf16> -> tensor<64x64xf16>
    %q2 = arith.addf %q, %q : tensor<64x64xf16>
    %qs = cta.stage %q2 : tensor<64x64xf16> -> !cta.smem<64x64xf16, #cta.swizzle<?>>
    %k = cta.load %Q[%c0, %c0] : memref<?x?xf16> -> tensor<64x64xf16>
    %ks = cta.stage %k : tensor<64x64xf16> -> !cta.smem<64x64xf16, #cta.swizzle<?>>
    %s = cta.mma %qs, %ks : !cta.smem<64x64xf16, #cta.swizzle<?>>, !cta.smem<64x64xf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %ps = cta.stage %p : tensor<64x64xf16> -> !cta.smem<64x64xf16, #cta.swizzle<?>>
    %o = cta.mma %ps, %ks : !cta.smem<64x64xf16, #cta.swizzle<?>>, !cta.smem<64x64xf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    cta.store %o, %O[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// f16 accumulators for f16; the loop-carried result of a product is near a product too.
// CHECK-LABEL: tile.kernel @carried
// CHECK: cta.wgmma {{.*}} -> tensor<64x16xf16>
// CHECK: cta.wgmma %{{.+}}, %{{.+}} : tensor<64x16xf16>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<64x16xf16>
tile.kernel @carried(%A: memref<?x?xf16>, %n: index) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<64x16xf16>
    %a = cta.load %A[%c0, %c0] : memref<?x?xf16> -> tensor<64x16xf16>
    %as = cta.stage %a : tensor<64x16xf16> -> !cta.smem<64x16xf16, #cta.swizzle<?>>
    %b = cta.load %A[%c0, %c0] : memref<?x?xf16> -> tensor<16x16xf16>
    %bs = cta.stage %b : tensor<16x16xf16> -> !cta.smem<16x16xf16, #cta.swizzle<?>>
    %acc = scf.for %k = %c0 to %n step %c1 iter_args(%c = %zero) -> (tensor<64x16xf16>) {
      %d = cta.mma %as, %bs, %c : !cta.smem<64x16xf16, #cta.swizzle<?>>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<64x16xf16>
      scf.yield %d : tensor<64x16xf16>
    }
    %accs = cta.stage %acc : tensor<64x16xf16> -> !cta.smem<64x16xf16, #cta.swizzle<?>>
    %e = cta.mma %accs, %bs : !cta.smem<64x16xf16, #cta.swizzle<?>>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<64x16xf16>
    cta.store %e, %A[%c0, %c0] : tensor<64x16xf16> -> memref<?x?xf16>
  }
  tile.return
}

// -----

// What the tensor cores cannot do says why.
// CHECK-LABEL: tile.kernel @misfits
// CHECK-NOT: cta.wgmma
// CHECK: cta.mma {{.*}} {why = "no wgmma: the operands are f32; the tensor cores take f16, bf16, tf32, f8, i8 and f64 here: 'precision = tf32' lets them drop bits of f32, or convert the operands with arith.truncf"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: K = 16 is not a multiple of 32; a larger tile is padded with zeros by the load"}
// CHECK: cta.mma {{.*}} {lhs_unsigned, why = "no wgmma: K = 16 is not a multiple of 32; a larger tile is padded with zeros by the load"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: the operands are i16; the tensor cores take f16, bf16, tf32, f8, i8 and f64 here: they do not hold every integer of that type, so there is nothing to convert to"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: M = 64 is not a multiple of 128 (64 rows for each of 2 warpgroups), and N = 8 is none of 16, so that they could share columns"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: M = 96 is not a multiple of 64, the rows of a warpgroup; a larger tile is padded with zeros by the load"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: K = 8 is not a multiple of 16; a larger tile is padded with zeros by the load"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: N = 12 is not a multiple of 8; a larger tile is padded with zeros by the load"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: the product is batched (rank 3);
tile.kernel @misfits() attributes {phase = #tile.phase<raw>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %at = arith.constant dense<1.0> : tensor<128x16xf32>
    %a = cta.stage %at : tensor<128x16xf32> -> !cta.smem<128x16xf32, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<16x16xf32>
    %b = cta.stage %bt : tensor<16x16xf32> -> !cta.smem<16x16xf32, #cta.swizzle<?>>
    %ct = arith.constant dense<1.0> : tensor<64x16xf16>
    %c = cta.stage %ct : tensor<64x16xf16> -> !cta.smem<64x16xf16, #cta.swizzle<?>>
    %mt = arith.constant dense<1.0> : tensor<16x8xf16>
    %m = cta.stage %mt : tensor<16x8xf16> -> !cta.smem<16x8xf16, #cta.swizzle<?>>
    %ot = arith.constant dense<1.0> : tensor<96x16xf16>
    %o = cta.stage %ot : tensor<96x16xf16> -> !cta.smem<96x16xf16, #cta.swizzle<?>>
    %dt = arith.constant dense<1.0> : tensor<16x16xf16>
    %d = cta.stage %dt : tensor<16x16xf16> -> !cta.smem<16x16xf16, #cta.swizzle<?>>
    %et = arith.constant dense<1.0> : tensor<128x8xf16>
    %e = cta.stage %et : tensor<128x8xf16> -> !cta.smem<128x8xf16, #cta.swizzle<?>>
    %ft = arith.constant dense<1.0> : tensor<8x16xf16>
    %f = cta.stage %ft : tensor<8x16xf16> -> !cta.smem<8x16xf16, #cta.swizzle<?>>
    %gt = arith.constant dense<1.0> : tensor<128x16xf16>
    %g = cta.stage %gt : tensor<128x16xf16> -> !cta.smem<128x16xf16, #cta.swizzle<?>>
    %ht = arith.constant dense<1.0> : tensor<16x12xf16>
    %h = cta.stage %ht : tensor<16x12xf16> -> !cta.smem<16x12xf16, #cta.swizzle<?>>
    %kt = arith.constant dense<1.0> : tensor<1x128x16xf16>
    %k = cta.stage %kt : tensor<1x128x16xf16> -> !cta.smem<1x128x16xf16, #cta.swizzle<?>>
    %lt = arith.constant dense<1.0> : tensor<1x16x16xf16>
    %l = cta.stage %lt : tensor<1x16x16xf16> -> !cta.smem<1x16x16xf16, #cta.swizzle<?>>
    %r0 = cta.mma %a, %b : !cta.smem<128x16xf32, #cta.swizzle<?>>, !cta.smem<16x16xf32, #cta.swizzle<?>> -> tensor<128x16xf32>
    %it = arith.constant dense<1> : tensor<128x16xi8>
    %i = cta.stage %it : tensor<128x16xi8> -> !cta.smem<128x16xi8, #cta.swizzle<?>>
    %jt = arith.constant dense<1> : tensor<16x16xi8>
    %j = cta.stage %jt : tensor<16x16xi8> -> !cta.smem<16x16xi8, #cta.swizzle<?>>
    %st = arith.constant dense<1> : tensor<128x16xi16>
    %s = cta.stage %st : tensor<128x16xi16> -> !cta.smem<128x16xi16, #cta.swizzle<?>>
    %tt = arith.constant dense<1> : tensor<16x16xi16>
    %t = cta.stage %tt : tensor<16x16xi16> -> !cta.smem<16x16xi16, #cta.swizzle<?>>
    %r7 = cta.mma %i, %j : !cta.smem<128x16xi8, #cta.swizzle<?>>, !cta.smem<16x16xi8, #cta.swizzle<?>> -> tensor<128x16xi32>
    %r8 = cta.mma %i, %j {lhs_unsigned} : !cta.smem<128x16xi8, #cta.swizzle<?>>, !cta.smem<16x16xi8, #cta.swizzle<?>> -> tensor<128x16xi32>
    %r9 = cta.mma %s, %t : !cta.smem<128x16xi16, #cta.swizzle<?>>, !cta.smem<16x16xi16, #cta.swizzle<?>> -> tensor<128x16xi32>
    %r1 = cta.mma %c, %m : !cta.smem<64x16xf16, #cta.swizzle<?>>, !cta.smem<16x8xf16, #cta.swizzle<?>> -> tensor<64x8xf32>
    %r6 = cta.mma %o, %d : !cta.smem<96x16xf16, #cta.swizzle<?>>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<96x16xf32>
    %r2 = cta.mma %e, %f : !cta.smem<128x8xf16, #cta.swizzle<?>>, !cta.smem<8x16xf16, #cta.swizzle<?>> -> tensor<128x16xf32>
    %r3 = cta.mma %g, %h : !cta.smem<128x16xf16, #cta.swizzle<?>>, !cta.smem<16x12xf16, #cta.swizzle<?>> -> tensor<128x12xf32>
    %r5 = cta.mma %k, %l : !cta.smem<1x128x16xf16, #cta.swizzle<?>>, !cta.smem<1x16x16xf16, #cta.swizzle<?>> -> tensor<1x128x16xf32>
  }
  tile.return
}

// -----

// Warpgroups of a plan: some product can be split so, and what can be split is; a variant after the one for which the plan was made.
// CHECK-LABEL: tile.kernel @some
// CHECK: cta.mma
// CHECK: cta.wgmma
// CHECK-LABEL: tile.kernel @fallback
// CHECK: cta.mma
tile.kernel @some() attributes {phase = #tile.phase<raw>, plan = #cta.plan<warpgroups = 2>, warpgroups = 2} {
  tile.grid () = () to () step () {
    %at1 = arith.constant dense<1.0> : tensor<64x16xf16>
    %as1 = cta.stage %at1 : tensor<64x16xf16> -> !cta.smem<64x16xf16, #cta.swizzle<?>>
    %bt1 = arith.constant dense<1.0> : tensor<16x8xf16>
    %bs1 = cta.stage %bt1 : tensor<16x8xf16> -> !cta.smem<16x8xf16, #cta.swizzle<?>>
    %c1 = arith.constant dense<0.0> : tensor<64x8xf32>
    %d1 = cta.mma %as1, %bs1, %c1 : !cta.smem<64x16xf16, #cta.swizzle<?>>, !cta.smem<16x8xf16, #cta.swizzle<?>> -> tensor<64x8xf32>
    %at = arith.constant dense<1.0> : tensor<128x16xf16>
    %as = cta.stage %at : tensor<128x16xf16> -> !cta.smem<128x16xf16, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<16x16xf16>
    %bs = cta.stage %bt : tensor<16x16xf16> -> !cta.smem<16x16xf16, #cta.swizzle<?>>
    %c = arith.constant dense<0.0> : tensor<128x16xf32>
    %d = cta.mma %as, %bs, %c : !cta.smem<128x16xf16, #cta.swizzle<?>>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<128x16xf32>
  }
  tile.return
}
tile.kernel @fallback() attributes {phase = #tile.phase<raw>, tile.fallback, plan = #cta.plan<warpgroups = 7>, warpgroups = 7} {
  tile.grid () = () to () step () {
    %at = arith.constant dense<1.0> : tensor<128x16xf16>
    %as = cta.stage %at : tensor<128x16xf16> -> !cta.smem<128x16xf16, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<16x16xf16>
    %bs = cta.stage %bt : tensor<16x16xf16> -> !cta.smem<16x16xf16, #cta.swizzle<?>>
    %c = arith.constant dense<0.0> : tensor<128x16xf32>
    %d = cta.mma %as, %bs, %c : !cta.smem<128x16xf16, #cta.swizzle<?>>, !cta.smem<16x16xf16, #cta.swizzle<?>> -> tensor<128x16xf32>
  }
  tile.return
}

// -----

// A product with too few rows for all warpgroups shares its columns: next to one with more rows, and where a plan says so.
// CHECK-LABEL: tile.kernel @columns
// CHECK: cta.wgmma {{.*}} -> tensor<192x48xf32>
// CHECK: cta.wgmma {{.*}} -> tensor<64x48xf32>
tile.kernel @columns() attributes {phase = #tile.phase<raw>, warpgroups = 3} {
  tile.grid () = () to () step () {
    %at = arith.constant dense<1.0> : tensor<192x16xf16>
    %a = cta.stage %at : tensor<192x16xf16> -> !cta.smem<192x16xf16, #cta.swizzle<?>>
    %ct = arith.constant dense<1.0> : tensor<64x16xf16>
    %c = cta.stage %ct : tensor<64x16xf16> -> !cta.smem<64x16xf16, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<16x48xf16>
    %b = cta.stage %bt : tensor<16x48xf16> -> !cta.smem<16x48xf16, #cta.swizzle<?>>
    %d = cta.mma %a, %b : !cta.smem<192x16xf16, #cta.swizzle<?>>, !cta.smem<16x48xf16, #cta.swizzle<?>> -> tensor<192x48xf32>
    %e = cta.mma %c, %b : !cta.smem<64x16xf16, #cta.swizzle<?>>, !cta.smem<16x48xf16, #cta.swizzle<?>> -> tensor<64x48xf32>
  }
  tile.return
}

// -----

// The tensor cores read a shared tile in either way: its transpose is not staged, whichever product comes first.
// CHECK-LABEL: tile.kernel @both_ways
// CHECK: %[[X:.+]] = cta.load
// CHECK-NEXT: %[[S:.+]] = cta.stage %[[X]]
// CHECK-NOT: tile.transpose
// CHECK-NOT: cta.transpose
// CHECK: cta.wgmma %[[S]], %[[S]] {transpose_a}
// CHECK: cta.wgmma %[[S]], %[[S]] {transpose_b}
// CHECK: cta.wgmma %[[S]], %[[S]] :
tile.kernel @both_ways(%X: memref<?x?xf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = cta.load %X[%c0, %c0] : memref<?x?xf16> -> tensor<64x64xf16>
    %t = cta.transpose %x dims = [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %ts = cta.stage %t : tensor<64x64xf16> -> !cta.smem<64x64xf16, #cta.swizzle<?>>
    %xs0 = cta.stage %x : tensor<64x64xf16> -> !cta.smem<64x64xf16, #cta.swizzle<?>>
    %d = cta.mma %ts, %xs0 : !cta.smem<64x64xf16, #cta.swizzle<?>>, !cta.smem<64x64xf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    %ts1 = cta.stage %t : tensor<64x64xf16> -> !cta.smem<64x64xf16, #cta.swizzle<?>>
    %e = cta.mma %xs0, %ts1 : !cta.smem<64x64xf16, #cta.swizzle<?>>, !cta.smem<64x64xf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    %f = cta.mma %xs0, %xs0 : !cta.smem<64x64xf16, #cta.swizzle<?>>, !cta.smem<64x64xf16, #cta.swizzle<?>> -> tensor<64x64xf32>
  }
  tile.return
}

// A transpose with other readers stays for them; the product reads the tile that it is of, a computed one here.
// CHECK-LABEL: tile.kernel @read_too
// CHECK: %[[N:.+]] = arith.negf
// CHECK-NEXT: %[[S:.+]] = cta.stage %[[N]]
// CHECK: %[[T:.+]] = cta.transpose %[[N]]
// CHECK: cta.wgmma %[[S]], %{{.+}} {transpose_a}
// CHECK: cta.store %[[T]]
tile.kernel @read_too(%X: memref<?x?xf16>, %Y: memref<?x?xf16>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = cta.load %X[%c0, %c0] : memref<?x?xf16> -> tensor<32x64xf16>
    %y = cta.load %Y[%c0, %c0] : memref<?x?xf16> -> tensor<32x16xf16>
    %n = arith.negf %x : tensor<32x64xf16>
    %t = cta.transpose %n dims = [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
    %ts = cta.stage %t : tensor<64x32xf16> -> !cta.smem<64x32xf16, #cta.swizzle<?>>
    %ys = cta.stage %y : tensor<32x16xf16> -> !cta.smem<32x16xf16, #cta.swizzle<?>>
    %d = cta.mma %ts, %ys : !cta.smem<64x32xf16, #cta.swizzle<?>>, !cta.smem<32x16xf16, #cta.swizzle<?>> -> tensor<64x16xf32>
    cta.store %t, %Y[%c0, %c0] : tensor<64x32xf16> -> memref<?x?xf16>
  }
  tile.return
}

// Products outside the tensor cores read what is staged for them.
// CHECK-LABEL: tile.kernel @fma
// CHECK: cta.transpose
// CHECK: cta.mma
// CHECK-NOT: transpose_
tile.kernel @fma(%X: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = cta.load %X[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32>
    %t = cta.transpose %x dims = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %ts = cta.stage %t : tensor<64x64xf32> -> !cta.smem<64x64xf32, #cta.swizzle<?>>
    %xs = cta.stage %x : tensor<64x64xf32> -> !cta.smem<64x64xf32, #cta.swizzle<?>>
    %d = cta.mma %ts, %xs : !cta.smem<64x64xf32, #cta.swizzle<?>>, !cta.smem<64x64xf32, #cta.swizzle<?>> -> tensor<64x64xf32>
  }
  tile.return
}

// -----

// i8, of either sign, and f8 of both types. A transpose of a tile is another way to read it, as for 16 bits.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: %[[B:.+]] = cta.stage {{.*}} : tensor<16x64xi8> ->
// CHECK: cta.wgmma %{{.+}}, %{{.+}} {rhs_unsigned} : !cta.smem<64x64xi8, #cta.swizzle<?>>, !cta.smem<64x16xi8, #cta.swizzle<?>> -> tensor<64x16xi32>
// CHECK: cta.wgmma %{{.+}}, %[[B]], %{{.+}} {transpose_b} : {{.*}} -> tensor<64x16xi32>
// CHECK: cta.wgmma %{{.+}}, %{{.+}} : !cta.smem<64x32xf8E4M3FN, #cta.swizzle<?>>, !cta.smem<32x8xf8E5M2, #cta.swizzle<?>> -> tensor<64x8xf32>
// CHECK: cta.wgmma %{{.+}}, %{{.+}} : !cta.smem<64x32xf8E4M3FN, #cta.swizzle<?>>, !cta.smem<32x8xf8E5M2, #cta.swizzle<?>> -> tensor<64x8xf16>
tile.kernel @bytes(%A: memref<?x?xi8>, %F: memref<?x?xf8E4M3FN>, %G: memref<?x?xf8E5M2>, %C: memref<?x?xi32>, %D: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = cta.load %A[%c0, %c0] : memref<?x?xi8> -> tensor<64x64xi8>
    %as = cta.stage %a : tensor<64x64xi8> -> !cta.smem<64x64xi8, #cta.swizzle<?>>
    %b = cta.load %A[%c0, %c0] : memref<?x?xi8> -> tensor<64x16xi8>
    %bs = cta.stage %b : tensor<64x16xi8> -> !cta.smem<64x16xi8, #cta.swizzle<?>>
    %t = cta.load %A[%c0, %c0] : memref<?x?xi8> -> tensor<16x64xi8>
    %tt = cta.transpose %t dims = [1, 0] : tensor<16x64xi8> -> tensor<64x16xi8>
    %ts = cta.stage %tt : tensor<64x16xi8> -> !cta.smem<64x16xi8, #cta.swizzle<?>>
    %d = cta.mma %as, %bs {rhs_unsigned} : !cta.smem<64x64xi8, #cta.swizzle<?>>, !cta.smem<64x16xi8, #cta.swizzle<?>> -> tensor<64x16xi32>
    %e = cta.mma %as, %ts, %d : !cta.smem<64x64xi8, #cta.swizzle<?>>, !cta.smem<64x16xi8, #cta.swizzle<?>> -> tensor<64x16xi32>
    cta.store %e, %C[%c0, %c0] : tensor<64x16xi32> -> memref<?x?xi32>
    %f = cta.load %F[%c0, %c0] : memref<?x?xf8E4M3FN> -> tensor<64x32xf8E4M3FN>
    %fs = cta.stage %f : tensor<64x32xf8E4M3FN> -> !cta.smem<64x32xf8E4M3FN, #cta.swizzle<?>>
    %g = cta.load %G[%c0, %c0] : memref<?x?xf8E5M2> -> tensor<32x8xf8E5M2>
    %gs = cta.stage %g : tensor<32x8xf8E5M2> -> !cta.smem<32x8xf8E5M2, #cta.swizzle<?>>
    %h = cta.mma %fs, %gs : !cta.smem<64x32xf8E4M3FN, #cta.swizzle<?>>, !cta.smem<32x8xf8E5M2, #cta.swizzle<?>> -> tensor<64x8xf32>
    cta.store %h, %D[%c0, %c0] : tensor<64x8xf32> -> memref<?x?xf32>
    %k = cta.mma %fs, %gs : !cta.smem<64x32xf8E4M3FN, #cta.swizzle<?>>, !cta.smem<32x8xf8E5M2, #cta.swizzle<?>> -> tensor<64x8xf16>
    %l = arith.extf %k : tensor<64x8xf16> to tensor<64x8xf32>
    cta.store %l, %D[%c0, %c0] : tensor<64x8xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// f32 if the program allows tf32; without that not (above). A tile of which two products need different dimensions as K becomes two.
// CHECK-LABEL: tile.kernel @tf32
// CHECK: %[[X:.+]] = cta.load
// CHECK: %[[X0:.+]] = cta.stage %[[X]]
// CHECK: %[[X1:.+]] = cta.stage %[[X]]
// CHECK: cta.wgmma %[[X0]], %{{.+}} : !cta.smem<64x64xf32
// CHECK: cta.wgmma %{{.+}}, %[[X1]], %{{.+}} : !cta.smem<64x64xf32
tile.kernel @tf32(%A: memref<?x?xf32>, %C: memref<?x?xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %x = cta.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32>
    %xs = cta.stage %x : tensor<64x64xf32> -> !cta.smem<64x64xf32, #cta.swizzle<?>>
    %y = cta.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32>
    %ys = cta.stage %y : tensor<64x64xf32> -> !cta.smem<64x64xf32, #cta.swizzle<?>>
    %z = cta.load %A[%c0, %c0] : memref<?x?xf32> -> tensor<64x64xf32>
    %zs = cta.stage %z : tensor<64x64xf32> -> !cta.smem<64x64xf32, #cta.swizzle<?>>
    %d = cta.mma %xs, %ys {precision = #tile.precision<tf32>} : !cta.smem<64x64xf32, #cta.swizzle<?>>, !cta.smem<64x64xf32, #cta.swizzle<?>> -> tensor<64x64xf32>
    %e = cta.mma %zs, %xs, %d {precision = #tile.precision<tf32>} : !cta.smem<64x64xf32, #cta.swizzle<?>>, !cta.smem<64x64xf32, #cta.swizzle<?>> -> tensor<64x64xf32>
    cta.store %e, %C[%c0, %c0] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}

// -----

// Where the type of the result is what the tensor cores do not have, the operands are not blamed.
// CHECK-LABEL: tile.kernel @results
// CHECK: cta.mma {{.*}} {why = "no wgmma: the result is bf16; the tensor cores accumulate products of bf16 in f32: convert the result of such a product"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: the result is f64; the tensor cores accumulate products of f8E5M2 in f32 or f16: convert the result of such a product"}
// CHECK: cta.mma {{.*}} {why = "no wgmma: the result is i64; the tensor cores accumulate products of i8 in i32: convert the result of such a product"}
tile.kernel @results() attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %at = arith.constant dense<1.0> : tensor<64x64xbf16>
    %a = cta.stage %at : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %bt = arith.constant dense<1.0> : tensor<64x64xf8E5M2>
    %b = cta.stage %bt : tensor<64x64xf8E5M2> -> !cta.smem<64x64xf8E5M2, #cta.swizzle<?>>
    %ct = arith.constant dense<1> : tensor<64x64xi8>
    %c = cta.stage %ct : tensor<64x64xi8> -> !cta.smem<64x64xi8, #cta.swizzle<?>>
    %d = cta.mma %a, %a : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<64x64xbf16>
    %e = cta.mma %b, %b : !cta.smem<64x64xf8E5M2, #cta.swizzle<?>>, !cta.smem<64x64xf8E5M2, #cta.swizzle<?>> -> tensor<64x64xf64>
    %f = cta.mma %c, %c : !cta.smem<64x64xi8, #cta.swizzle<?>>, !cta.smem<64x64xi8, #cta.swizzle<?>> -> tensor<64x64xi64>
  }
  tile.return
}

// -----

// An operand that is loaded as pages of rows is written to shared memory as it is loaded; in front of the first product stands the view of it that has the shape.
// CHECK-LABEL: tile.kernel @pages
// CHECK: %[[K:.+]] = cta.gather %K
// CHECK-NEXT: %[[KS:.+]] = cta.stage %[[K]] : tensor<4x16x64xbf16> -> <4x16x64xbf16, #cta.swizzle<?>>
// CHECK-NOT: cta.reshape
// CHECK: %[[V:.+]] = cta.load %V
// CHECK-NEXT: %[[VS:.+]] = cta.stage %[[V]] : tensor<4x16x64xbf16> -> <4x16x64xbf16, #cta.swizzle<?>>
// CHECK: %[[KT:.+]] = cta.view %[[KS]] : <4x16x64xbf16, #cta.swizzle<?>> -> <64x64xbf16, #cta.swizzle<?>>
// CHECK-NEXT: cta.wgmma %{{.+}}, %[[KT]] {transpose_b}
// CHECK: %[[VT:.+]] = cta.view %[[VS]]
// CHECK-NEXT: cta.wgmma %{{.+}}, %[[VT]] :
tile.kernel @pages(%Q: memref<?x?xbf16>, %K: memref<?x16x64xbf16>, %V: memref<?x16x64xbf16>, %R: memref<?xi32>)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %q = cta.load %Q[%c0, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %qs = cta.stage %q : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<4xi32>
    %k = cta.gather %K[%r : tensor<4xi32>, %c0, %c0] : memref<?x16x64xbf16> -> tensor<4x16x64xbf16>
    %k2 = cta.reshape %k : tensor<4x16x64xbf16> -> tensor<64x64xbf16>
    %kt = cta.transpose %k2 dims = [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %ks = cta.stage %kt : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %v = cta.load %V[%c0, %c0, %c0] : memref<?x16x64xbf16> -> tensor<4x16x64xbf16>
    %v2 = cta.reshape %v : tensor<4x16x64xbf16> -> tensor<64x64xbf16>
    %vs = cta.stage %v2 : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %s = cta.mma %qs, %ks : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    %ps = cta.stage %p : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %o = cta.mma %ps, %vs : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<64x64xf32>
  }
  tile.return
}

// -----

// Not if the rows are others, if something else is made of the tile, if its rows do not lie along memory, or if the product needs another major.
// CHECK-LABEL: tile.kernel @turned_by_threads
// CHECK-COUNT-4: cta.reshape
// CHECK-NOT: cta.view
tile.kernel @turned_by_threads(%A: memref<?x16x64xbf16>, %W: memref<?x8x32xbf16>, %T: memref<?x64x16xbf16>, %F: memref<?x32x128xf8E4M3FN>, %O: memref<?x16x64xbf16>)
    attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %w = cta.load %W[%c0, %c0, %c0] : memref<?x8x32xbf16> -> tensor<16x8x32xbf16>
    %w2 = cta.reshape %w : tensor<16x8x32xbf16> -> tensor<64x64xbf16>
    %ws = cta.stage %w2 : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %a = cta.load %A[%c0, %c0, %c0] : memref<?x16x64xbf16> -> tensor<4x16x64xbf16>
    cta.store %a, %O[%c0, %c0, %c0] : tensor<4x16x64xbf16> -> memref<?x16x64xbf16>
    %a2 = cta.reshape %a : tensor<4x16x64xbf16> -> tensor<64x64xbf16>
    %as = cta.stage %a2 : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %d = cta.mma %ws, %as : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    %t = cta.load %T[%c0, %c0, %c0] dims = [0, 2, 1] : memref<?x64x16xbf16> -> tensor<4x16x64xbf16>
    %t2 = cta.reshape %t : tensor<4x16x64xbf16> -> tensor<64x64xbf16>
    %ts = cta.stage %t2 : tensor<64x64xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<?>>
    %e = cta.mma %ws, %ts : !cta.smem<64x64xbf16, #cta.swizzle<?>>, !cta.smem<64x64xbf16, #cta.swizzle<?>> -> tensor<64x64xf32>
    %f = cta.load %F[%c0, %c0, %c0] : memref<?x32x128xf8E4M3FN> -> tensor<2x32x128xf8E4M3FN>
    %f2 = cta.reshape %f : tensor<2x32x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    %fs = cta.stage %f2 : tensor<64x128xf8E4M3FN> -> !cta.smem<64x128xf8E4M3FN, #cta.swizzle<?>>
    %g = cta.load %F[%c0, %c0, %c0] dims = [1, 2] : memref<?x32x128xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %gs = cta.stage %g : tensor<64x64xf8E4M3FN> -> !cta.smem<64x64xf8E4M3FN, #cta.swizzle<?>>
    %h = cta.mma %gs, %fs : !cta.smem<64x64xf8E4M3FN, #cta.swizzle<?>>, !cta.smem<64x128xf8E4M3FN, #cta.swizzle<?>> -> tensor<64x128xf32>
  }
  tile.return
}
