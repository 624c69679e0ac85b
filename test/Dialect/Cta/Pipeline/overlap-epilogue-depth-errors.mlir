// RUN: tile-opt %s --split-input-file --cta-overlap-epilogue --verify-diagnostics
//
// What stands in the way of two iterations in flight (overlap = 2); one iteration: overlap-epilogue-errors.mlir.

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<1, !tile>
tile.kernel @shallow(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 2>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @shallow_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        // expected-error @+1 {{stands in the way of overlap: it asks for 2 iterations in flight, but they keep 2 slots and the channel has 1; plan more stages}}
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
    } {cta.output_tiles}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @read(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 2>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @read_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %twice = arith.addf %c, %c : !sum
        // expected-error @+1 {{stands in the way of overlap: it asks for 2 iterations in flight, but its accumulators are used by more than the next iteration's product; plan overlap = 1}}
        %d = cta.wgmma %s, %s, %twice : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
    } {cta.output_tiles}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x32xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @parts(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 2>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @parts_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %r, %r2 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero, %e = %zero) -> (!sum, !sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        // expected-error @+1 {{stands in the way of overlap: it asks for 2 iterations in flight, but they keep 4 slots and the channel has 2; plan more stages}}
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        %p2 = cta.acquire %ch : !ch
        %a2 = cta.copy %A[%k, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p2 (%a2) : !ch
        %q2, %s2 = cta.wait %ch : !ch
        %d2 = cta.wgmma %s2, %s2, %e : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        cta.release %ch, %q2 : !ch
        scf.yield %d, %d2 : !sum, !sum
      }
      %left = cta.slice %r offsets = [0, 0] : !sum -> !half
      cta.store %left, %C[%i, %c0] : !half -> memref<?x?xf32>
      %right = cta.slice %r offsets = [0, 32] : !sum -> !half
      cta.store %right, %C[%i, %c32] : !half -> memref<?x?xf32>
      %odd = cta.load %C[%i, %i] : memref<?x?xf32> -> !half
    } {cta.output_tiles}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x32xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @parts(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 2>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @parts_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %r, %last = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero, %j = %c0) -> (!sum, index) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        // expected-error @+1 {{stands in the way of overlap: it asks for 2 iterations in flight, but the next iteration needs what is computed behind its product}}
        %jn = arith.addi %j, %c64 : index
        scf.yield %d, %jn : !sum, index
      }
      %left = cta.slice %r offsets = [0, 0] : !sum -> !half
      cta.store %left, %C[%i, %c0] : !half -> memref<?x?xf32>
      %right = cta.slice %r offsets = [0, 32] : !sum -> !half
      cta.store %right, %C[%i, %c32] : !half -> memref<?x?xf32>
      %odd = cta.load %C[%i, %i] : memref<?x?xf32> -> !half
    } {cta.output_tiles}
  }
  tile.return
}
