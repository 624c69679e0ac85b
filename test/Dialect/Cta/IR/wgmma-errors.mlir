// RUN: tile-opt %s --split-input-file --verify-diagnostics

// Element types.
func.func @wgmma_c1(%a: !cta.smem<64x16xf64, #cta.swizzle<?>>, %b: !cta.smem<16x8xf64, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c1: needs f16, bf16 or f32 operands of one type, or f8 operands, and f32 accumulators (f16 for f16 and f8), or i8 operands and i32 accumulators; got 'f64', 'f64' -> 'f64'}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xf64, #cta.swizzle<?>>, !cta.smem<16x8xf64, #cta.swizzle<?>> -> tensor<64x8xf64>
  return
}

// -----

func.func @wgmma_c1_mixed(%a: !cta.smem<64x16xf16, #cta.swizzle<?>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c1: needs f16, bf16 or f32 operands of one type, or f8 operands, and f32 accumulators (f16 for f16 and f8), or i8 operands and i32 accumulators; got 'f16', 'bf16' -> 'f32'}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xf16, #cta.swizzle<?>>, !cta.smem<16x8xbf16, #cta.swizzle<?>> -> tensor<64x8xf32>
  return
}

// -----

func.func @wgmma_c1_result(%a: !cta.smem<64x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c1: needs f16, bf16 or f32 operands of one type, or f8 operands, and f32 accumulators (f16 for f16 and f8), or i8 operands and i32 accumulators; got 'bf16', 'bf16' -> 'f16'}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<?>>, !cta.smem<16x8xbf16, #cta.swizzle<?>> -> tensor<64x8xf16>
  return
}

// -----

// Extents of the instruction: rows, k, columns.
func.func @wgmma_c2_rows(%a: !cta.smem<96x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c2: M must be a multiple of 64 for each of the 1 warpgroups (or for all, and N one of 8 for each), K of 16, N of 8; got M = 96, K = 16, N = 8}}
  %d = cta.wgmma %a, %b : !cta.smem<96x16xbf16, #cta.swizzle<?>>, !cta.smem<16x8xbf16, #cta.swizzle<?>> -> tensor<96x8xf32>
  return
}

// -----

func.func @wgmma_c2_k(%a: !cta.smem<64x8xbf16, #cta.swizzle<?>>, %b: !cta.smem<8x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{N of 8; got M = 64, K = 8, N = 8}}
  %d = cta.wgmma %a, %b : !cta.smem<64x8xbf16, #cta.swizzle<?>>, !cta.smem<8x8xbf16, #cta.swizzle<?>> -> tensor<64x8xf32>
  return
}

// -----

func.func @wgmma_c2_columns(%a: !cta.smem<64x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<16x12xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{N of 8; got M = 64, K = 16, N = 12}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<?>>, !cta.smem<16x12xbf16, #cta.swizzle<?>> -> tensor<64x12xf32>
  return
}

// -----

// Two warpgroups can share neither rows nor columns.
func.func @wgmma_c2_groups(%a: !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, %b: !cta.smem<16x24xbf16, #cta.swizzle<32, dim = 0>>) {
  // expected-error@+1 {{wgmma_c2: M must be a multiple of 64 for each of the 2 warpgroups (or for all, and N one of 8 for each), K of 16, N of 8; got M = 64, K = 16, N = 24}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x24xbf16, #cta.swizzle<32, dim = 0>> -> tensor<64x24xf32, #cta.frag<wgmma_acc, wg = 2>>
  return
}

// -----

func.func @wgmma_c3(%a: !cta.smem<64x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<32x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c3: a is M x K (K x M with transpose_a), b K x N (N x K with transpose_b), the result M x N}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<?>>, !cta.smem<32x8xbf16, #cta.swizzle<?>> -> tensor<64x8xf32>
  return
}

// -----

// The result's layout: that of accumulators. Warpgroups share rows if there are enough, and columns only if not.
func.func @wgmma_c4_result(%a: !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>) {
  // expected-error@+1 {{wgmma_c4: the result must have layout wgmma_acc, whose warpgroups share rows}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>> -> tensor<64x8xf32, #cta.frag<splat, rank = 2, warps = 2, wg = 1>>
  return
}

// -----

func.func @wgmma_c4_columns(%a: !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>, %b: !cta.smem<16x16xbf16, #cta.swizzle<32, dim = 0>>) {
  // expected-error@+1 {{wgmma_c4: the result must have layout wgmma_acc, whose warpgroups share rows}}
  %d = cta.wgmma %a, %b : !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x16xbf16, #cta.swizzle<32, dim = 0>> -> tensor<128x16xf32, #cta.frag<wgmma_acc, wg = 2, dim = 1>>
  return
}

// -----

func.func @wgmma_c4_rows(%a: !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, %b: !cta.smem<16x16xbf16, #cta.swizzle<32, dim = 0>>) {
  // expected-error@+1 {{wgmma_c4: the result must have layout wgmma_acc, whose warpgroups share columns (dim = 1)}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x16xbf16, #cta.swizzle<32, dim = 0>> -> tensor<64x16xf32, #cta.frag<wgmma_acc, wg = 2>>
  return
}

// -----

func.func @wgmma_c4_linear(%a: !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<linear>>) {
  // expected-error@+1 {{wgmma_c4: b must be a swizzled shared tile}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x8xbf16, #cta.swizzle<linear>> -> tensor<64x8xf32, #cta.frag<wgmma_acc, wg = 1>>
  return
}

// -----

func.func @wgmma_c4_registers(%a: tensor<64x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2>>, %b: !cta.smem<16x16xbf16, #cta.swizzle<32, dim = 0>>) {
  // expected-error@+1 {{wgmma_c4: a in registers must have layout wgmma_a of 2 warpgroups, each with all rows (dim = -1)}}
  %d = cta.wgmma %a, %b : tensor<64x16xbf16, #cta.frag<wgmma_a, bits = 16, wg = 2>>, !cta.smem<16x16xbf16, #cta.swizzle<32, dim = 0>> -> tensor<64x16xf32, #cta.frag<wgmma_acc, wg = 2, dim = 1>>
  return
}

// -----

func.func @wgmma_c5(%a: !cta.smem<64x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<?>>, %c: tensor<64x8xf32>) {
  // expected-error@+1 {{wgmma_c5: c must be asynchronous exactly if the result is}}
  %d = "cta.wgmma"(%a, %b, %c) : (!cta.smem<64x16xbf16, #cta.swizzle<?>>, !cta.smem<16x8xbf16, #cta.swizzle<?>>, tensor<64x8xf32>) -> !cta.async<tensor<64x8xf32>>
  return
}

// -----

// expected-error@+1 {{the warpgroups of wgmma_acc share dimension 0 or 1, got 2}}
func.func @frag_acc(%a: tensor<64x8xf32, #cta.frag<wgmma_acc, wg = 2, dim = 2>>)

// -----

// expected-error@+1 {{the warpgroups of wgmma_a share dimension 0, or each has all (-1), got 1}}
func.func @frag_a(%a: tensor<64x8xf32, #cta.frag<wgmma_a, wg = 2, dim = 1>>)

// -----

// Types that agree straight do not agree transposed, and an operand in registers cannot be transposed.
func.func @wgmma_c3_transposed(%a: !cta.smem<64x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c3: a is M x K (K x M with transpose_a)}}
  %d = cta.wgmma %a, %b {transpose_a} : !cta.smem<64x16xbf16, #cta.swizzle<?>>, !cta.smem<16x8xbf16, #cta.swizzle<?>> -> tensor<64x8xf32>
  return
}

// -----

func.func @wgmma_c3_transposed_b(%a: !cta.smem<64x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c3: a is M x K (K x M with transpose_a)}}
  %d = cta.wgmma %a, %b {transpose_b} : !cta.smem<64x16xbf16, #cta.swizzle<?>>, !cta.smem<16x8xbf16, #cta.swizzle<?>> -> tensor<64x8xf32>
  return
}

// -----

func.func @wgmma_c3_registers(%a: tensor<64x64xbf16, #cta.frag<wgmma_a, bits = 16, wg = 1>>, %b: !cta.smem<64x8xbf16, #cta.swizzle<64, dim = 0>>) {
  // expected-error@+1 {{wgmma_c3: a in registers cannot be transposed}}
  %d = cta.wgmma %a, %b {transpose_a} : tensor<64x64xbf16, #cta.frag<wgmma_a, bits = 16, wg = 1>>, !cta.smem<64x8xbf16, #cta.swizzle<64, dim = 0>> -> tensor<64x8xf32, #cta.frag<wgmma_acc, wg = 1>>
  return
}

// -----

func.func @wgmma_c1_bytes(%a: !cta.smem<64x32xf8E4M3FN, #cta.swizzle<?>>, %b: !cta.smem<32x8xi8, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c1: needs f16, bf16 or f32 operands of one type, or f8 operands, and f32 accumulators (f16 for f16 and f8), or i8 operands and i32 accumulators; got 'f8E4M3FN', 'i8' -> 'f32'}}
  %d = cta.wgmma %a, %b : !cta.smem<64x32xf8E4M3FN, #cta.swizzle<?>>, !cta.smem<32x8xi8, #cta.swizzle<?>> -> tensor<64x8xf32>
  return
}

// -----

func.func @wgmma_c1_unsigned(%a: !cta.smem<64x16xbf16, #cta.swizzle<?>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<?>>) {
  // expected-error@+1 {{wgmma_c1: lhs_unsigned and rhs_unsigned are for i8, got 'bf16'}}
  %d = cta.wgmma %a, %b {rhs_unsigned} : !cta.smem<64x16xbf16, #cta.swizzle<?>>, !cta.smem<16x8xbf16, #cta.swizzle<?>> -> tensor<64x8xf32>
  return
}

// -----

// K is a multiple of 32 bytes.
func.func @wgmma_c2_bytes(%a: !cta.smem<64x16xi8, #cta.swizzle<?>>, %b: !cta.smem<16x8xi8, #cta.swizzle<?>>) {
  // expected-error@+1 {{K of 32, N of 8; got M = 64, K = 16, N = 8}}
  %d = cta.wgmma %a, %b : !cta.smem<64x16xi8, #cta.swizzle<?>>, !cta.smem<16x8xi8, #cta.swizzle<?>> -> tensor<64x8xi32>
  return
}

// -----

// Only operands of 16 bits may have another dimension than K contiguous.
func.func @wgmma_c4_major(%a: !cta.smem<64x32xi8, #cta.swizzle<32, dim = 1>>, %b: !cta.smem<32x32xi8, #cta.swizzle<32, dim = 1>>) {
  // expected-error@+1 {{wgmma_c4: b must have K contiguous (dim = 0), because its elements do not have 16 bits; got '!cta.smem<32x32xi8, #cta.swizzle<32, dim = 1>>'}}
  %d = cta.wgmma %a, %b : !cta.smem<64x32xi8, #cta.swizzle<32, dim = 1>>, !cta.smem<32x32xi8, #cta.swizzle<32, dim = 1>> -> tensor<64x32xi32, #cta.frag<wgmma_acc, wg = 1>>
  return
}

// -----

!w = tensor<128x8xf32, #cta.frag<wgmma_acc, wg = 2>>
func.func @wgmma_c6(%a: !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>, %b: !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>) {
  // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: it stands in a func.func, not in a cta.role with loops and branches between the two}}
  %d = cta.wgmma %a, %b {in_turn} : !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>, !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>> -> !w
  return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
!b = !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
!w = tensor<128x8xf32, #acc>
tile.kernel @behind(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @behind_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    cta.role @other warps(4) {
    }
    cta.role @math warps(8) {
      // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: its role is not the first one}}
      %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !w
    }
  }
  tile.return
}


// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
!b = !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
!w = tensor<128x8xf32, #acc>
tile.kernel @beside(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @beside_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    cta.role @math warps(8) {
      // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: another role has 8 warps, more than a warpgroup}}
      %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !w
    }
    cta.role @other warps(8) {
    }
  }
  tile.return
}


// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
!b = !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
!w = tensor<128x8xf32, #acc>
tile.kernel @alone(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @alone_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    cta.role @math warps(4) {
      // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: its role has 4 warps, not two to four warpgroups}}
      %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !w
    }
  }
  tile.return
}


// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
!b = !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
!w = tensor<128x8xf32, #acc>
tile.kernel @voted(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @voted_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    cta.role @math warps(8) {
      %need = arith.constant dense<true> : tensor<128x8xi1, #acc>
      %vote = cta.any warp %need : tensor<128x8xi1, #acc>
      %none = arith.constant false
      scf.for %i = %c0 to %n step %c1 iter_args(%last = %none) -> (i1) {
        scf.if %last {
          // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: it stands in a branch which a vote of a warp decides}}
          %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !w
        }
        scf.yield %vote : i1
      }
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
!b = !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
!w = tensor<128x8xf32, #acc>
tile.kernel @mixed(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @mixed_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    cta.role @math warps(8) {
      // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: its block has a product in turn that is not asynchronous}}
      %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !cta.async<!w>
      %e = cta.wgmma %a, %b {in_turn} : !a, !b -> !w
      %f = cta.complete %d : <!w>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
!b = !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
!w = tensor<128x8xf32, #acc>
tile.kernel @nested(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @nested_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    cta.role @math warps(8) {
      // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: another op between the first and the last product of the turn has products in turn: scf.for}}
      %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !cta.async<!w>
      scf.for %i = %c0 to %n step %c1 {
        %e = cta.wgmma %a, %b {in_turn} : !a, !b -> !w
      }
      %g = cta.wgmma %a, %b {in_turn} : !a, !b -> !cta.async<!w>
      %f = cta.complete %d : <!w>
      %h = cta.complete %g : <!w>
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 2>
!a = !cta.smem<128x16xbf16, #cta.swizzle<32, dim = 1>>
!b = !cta.smem<16x8xbf16, #cta.swizzle<32, dim = 0>>
!w = tensor<128x8xf32, #acc>
tile.kernel @bounds(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @bounds_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !a
    %b = cta.copy %B[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !b
    cta.role @math warps(8) {
      %need = arith.constant dense<true> : tensor<128x8xi1, #acc>
      %vote = cta.any warp %need : tensor<128x8xi1, #acc>
      %most = scf.if %vote -> (index) {
        scf.yield %n : index
      } else {
        scf.yield %c1 : index
      }
      scf.for %i = %c0 to %most step %c1 {
        // expected-error@+1 {{wgmma_c6: warpgroups cannot issue the product in turn: it stands in a loop whose bounds a vote of a warp decides}}
        %d = cta.wgmma %a, %b {in_turn} : !a, !b -> !w
      }
    }
  }
  tile.return
}
