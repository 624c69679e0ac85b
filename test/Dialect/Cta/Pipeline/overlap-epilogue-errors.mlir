// RUN: tile-opt %s --split-input-file --cta-overlap-epilogue --verify-diagnostics

// expected-error @+1 {{cta-overlap-epilogue needs a kernel in phase scheduled}}
tile.kernel @phase() attributes {phase = #tile.phase<placed>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!ch = !cta.channel<1, !tile>
tile.kernel @replicas(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<replicate = blocks, warpgroups = 2, overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  // expected-error @+1 {{overlap needs a role that loads and warpgroups that share a point: leave out producers = 0 and replicate = blocks}}
  cta.launch @replicas_0 blocks(%blocks) {
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
!ch = !cta.channel<1, !tile>
tile.kernel @alone(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<producers = 0, overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  // expected-error @+1 {{overlap needs a role that loads and warpgroups that share a point: leave out producers = 0 and replicate = blocks}}
  cta.launch @alone_0 blocks(%blocks) {
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
tile.kernel @one_point(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  // expected-error @+1 {{overlap runs an epilogue beside the next point's products, but this launch has no loop over points; plan persistent = 1}}
  cta.launch @one_point_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
    }
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
tile.kernel @carries(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @carries_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    // expected-error @+1 {{stands in the way of overlap: the loop over points carries values from one to the next}}
    %sum = scf.for %t = %id to %points step %step iter_args(%last = %c0) -> (index) : i32 {
      %i = arith.index_cast %t : i32 to index
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      cta.store %r, %C[%i, %c0] : !sum -> memref<?x?xf32>
      %next = arith.addi %last, %i : index
      scf.yield %next : index
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
tile.kernel @no_loop(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @no_loop_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %p = cta.acquire %ch : !ch
      %a = cta.copy %A[%i, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !ch
      %q, %s = cta.wait %ch : !ch
      // expected-error @+1 {{stands in the way of overlap: it is not in a loop of its point, whose first iterations could hold the last point's epilogue}}
      %r = cta.wgmma %s, %s, %zero : !tile, !tile -> !sum
      cta.release %ch, %q : !ch
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
tile.kernel @two_loops(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @two_loops_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      // expected-note @+1 {{the first}}
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      // expected-error @+1 {{stands in the way of overlap: a point has more than one loop with products}}
      %r2 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      %both = arith.addf %r, %r2 : !sum
      cta.store %both, %C[%i, %c0] : !sum -> memref<?x?xf32>
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
tile.kernel @nested(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @nested_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      // expected-error @+1 {{stands in the way of overlap: none of its products stands in its body itself and is waited for there}}
      %r = scf.for %l = %c0 to %n step %c64 iter_args(%o = %zero) -> (!sum) {
        %e = scf.for %k = %c0 to %n step %c64 iter_args(%c = %o) -> (!sum) {
          %p = cta.acquire %ch : !ch
          %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !ch
          %q, %s = cta.wait %ch : !ch
          %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
          cta.release %ch, %q : !ch
          scf.yield %d : !sum
        }
        scf.yield %e : !sum
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
tile.kernel @store_before(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @store_before_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      // expected-error @+1 {{stands in the way of overlap: it stands before the loop over products, and there is one iteration more than points}}
      cta.store %zero, %C[%i, %c0] : !sum -> memref<?x?xf32>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
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
tile.kernel @slot(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @slot_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %once = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      %p0 = cta.acquire %once : !ch
      %a0 = cta.copy %A[%i, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %once, %p0 (%a0) : !ch
      // expected-note @+1 {{made here}}
      %q0, %s0 = cta.wait %once : !ch
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      // expected-error @+1 {{stands in the way of overlap: it needs what its point has made before the loop over products, and that is gone when the next point runs}}
      %x = cta.read %s0 : !tile -> tensor<64x64xbf16, #acc>
      cta.release %once, %q0 : !ch
      %w = arith.extf %x : tensor<64x64xbf16, #acc> to !sum
      %y = arith.addf %r, %w : !sum
      cta.store %y, %C[%i, %c0] : !sum -> memref<?x?xf32>
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
tile.kernel @written(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @written_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      // expected-error @+1 {{stands in the way of overlap: the epilogue needs what it loads, and the loop over products writes that array}}
      %old = cta.load %C[%i, %c0] : memref<?x?xf32> -> !sum
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        cta.store %d, %C[%i, %k] : !sum -> memref<?x?xf32>
        scf.yield %d : !sum
      }
      %y = arith.addf %r, %old : !sum
      cta.store %y, %C[%i, %c0] : !sum -> memref<?x?xf32>
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
tile.kernel @no_store(%A: memref<?x?xbf16>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
  %blocks = arith.index_cast %points : i32 to index
  cta.launch @no_store_0 blocks(%blocks) {
    %ch = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %block = cta.block_id : index
    %id = arith.index_cast %block : index to i32
    %many = cta.num_blocks : index
    %step = arith.index_cast %many : index to i32
    scf.for %t = %id to %points step %step : i32 {
      %i = arith.index_cast %t : i32 to index
      // expected-error @+1 {{stands in the way of overlap: no store follows it, so that there is no epilogue}}
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
    } {cta.output_tiles}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
#row = #cta.frag<regs = [[1]], lanes = [[2], [4], [0], [0], [0]], warps = [[0], [0]], wg = 1>
#spread = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [0]], wg = 1>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x32xf32, #acc>
!ch = !cta.channel<2, !tile>
tile.kernel @parts(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %W: memref<?xf32>, %n: index, %points: i32) attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<overlap = 1>} {
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
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !ch
        %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !ch
        %w1 = arith.constant dense<1.0> : tensor<64xf32, #spread>
        cta.store %w1, %W[%i] : tensor<64xf32, #spread> -> memref<?xf32>
        %q, %s = cta.wait %ch : !ch
        %d = cta.wgmma %s, %s, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !ch
        scf.yield %d : !sum
      }
      // expected-error @+1 {{stands in the way of overlap: the epilogue touches an array that the loop over products of the same point writes}}
      %w = cta.load %W[%i] : memref<?xf32> -> tensor<8xf32, #row>
      cta.store %w, %C[%i, %c0] dims = [1] : tensor<8xf32, #row> -> memref<?x?xf32>
      %left = cta.slice %r offsets = [0, 0] : !sum -> !half
      cta.store %left, %C[%i, %c0] : !half -> memref<?x?xf32>
      %right = cta.slice %r offsets = [0, 32] : !sum -> !half
      cta.store %right, %C[%i, %c32] : !half -> memref<?x?xf32>
      %odd = cta.load %C[%i, %i] : memref<?x?xf32> -> !half
    } {cta.output_tiles}
  }
  tile.return
}
