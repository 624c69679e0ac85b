// RUN: tile-opt %s --split-input-file --verify-diagnostics --cta-select-copies

// What is demanded of loads with an index tile holds, or is an error that says why not.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#at = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
tile.kernel @demands(%A: memref<?x64xbf16> {tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 64>}, %U: memref<?x64xbf16> {tile.size_max = array<i64: 2147483647, 64>}, %R: memref<?xi32>, %F: memref<?xbf16>, %E: memref<?x?xi32>, %end: index, %n: index)
    attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>, #tile.guard<size_min, arg = 1, dim = 0, value = 1>], phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid () = () to () step () {
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<64xi32, #at>
    // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: it stands in no loop}}
    %once = cta.gather %A[%r : tensor<64xi32, #at>, %c0] {require = #tile.require<[peeled]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
    %s = cta.stage %once : tensor<64x64xbf16, #blocked> -> !tile
    %e = cta.load %E[%c0, %c0] : memref<?x?xi32> -> tensor<64x64xi32, #blocked>
    scf.for %k = %c0 to %n step %c64 {
      // The programmer who demands TMA has it also for small boxes.
      %met = cta.gather %A[%r : tensor<64xi32, #at>, %k] {require = #tile.require<[tma]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %0 = cta.stage %met : tensor<64x64xbf16, #blocked> -> !tile
      // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the base of %U is not known to be a multiple of 16 bytes; add tile.align = 16 to it}}
      %u = cta.gather %U[%r : tensor<64xi32, #at>, %k] {require = #tile.require<[tma]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %1 = cta.stage %u : tensor<64x64xbf16, #blocked> -> !tile
      // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the limit of tile dimension 1 may lie inside the memref; TMA stops at the memref's size only}}
      %l = cta.gather %A[%r : tensor<64xi32, #at>, %k] limit = [_, %end] {require = #tile.require<[tma]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %2 = cta.stage %l : tensor<64x64xbf16, #blocked> -> !tile
      // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the tile is used in registers by negf; only operands of products are fetched into shared memory}}
      %v = cta.gather %A[%r : tensor<64xi32, #at>, %k] {require = #tile.require<[tma]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %3 = arith.negf %v : tensor<64x64xbf16, #blocked>
      // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: only copies to shared memory are, by TMA or by threads, and this is neither, since each element has a place of its own}}
      %w = cta.gather %F[%e : tensor<64x64xi32, #blocked>] {require = #tile.require<[pipelined]>} : memref<?xbf16> -> tensor<64x64xbf16, #blocked>
      %4 = cta.stage %w : tensor<64x64xbf16, #blocked> -> !tile
      // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: only copies to shared memory are, by TMA or by threads, and this is neither, since TMA pads with zero only; use pad = zero or any, and arith.select; no cp.async: it pads with zero only}}
      %x = cta.gather %A[%r : tensor<64xi32, #at>, %k] pad = nan {require = #tile.require<[pipelined]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %5 = cta.stage %x : tensor<64x64xbf16, #blocked> -> !tile
      // expected-error @+1 {{is not peeled, as 'require = [peeled]' demands: its bounds are checked in every iteration, unless TMA does it, and it cannot: an index selects boxes of 128 bytes}}
      %y = cta.gather %A[%r : tensor<64xi32, #at>, %k] {require = #tile.require<[peeled]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %6 = cta.stage %y : tensor<64x64xbf16, #blocked> -> !tile
    }
  }
  tile.return
}

// -----

// More indices than the thread that issues them should keep in registers.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#at = #cta.frag<regs = [[16], [32], [64]], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
!tile = !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>
tile.kernel @many(%A: memref<?x64xbf16> {tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 64>}, %R: memref<?xi32>)
    attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>], phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %r = cta.load %R[%c0] : memref<?xi32> -> tensor<128xi32, #at>
    // expected-error @+1 {{cannot use TMA, as 'require = [tma]' demands: the thread that issues the boxes keeps at most 64 indices in registers, and there are 128}}
    %a = cta.gather %A[%r : tensor<128xi32, #at>, %c0] {require = #tile.require<[tma]>} : memref<?x64xbf16> -> tensor<128x64xbf16, #blocked>
    %0 = cta.stage %a : tensor<128x64xbf16, #blocked> -> !tile
  }
  tile.return
}

// -----

// The threads that copy load the indices for themselves, not as somebody demands.
#blocked = #cta.frag<regs = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[4, 0], [8, 0]], wg = 1>
#at = #cta.frag<regs = [], lanes = [[0], [0], [0], [1], [2]], warps = [[4], [8]], wg = 1>
!tile = !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
tile.kernel @of_indices(%A: memref<?x64xbf16> {tile.align = 16 : i64, tile.size_max = array<i64: 2147483647, 64>}, %R: memref<?xi32>, %n: index)
    attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 1>], phase = #tile.phase<raw>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.grid () = () to () step () {
    // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: only copies to shared memory are, by TMA or by threads, and this is neither, since the tile is used in registers by gather}}
    %r = cta.load %R[%c0] {require = #tile.require<[pipelined]>} : memref<?xi32> -> tensor<64xi32, #at>
    scf.for %k = %c0 to %n step %c64 {
      // expected-error @+1 {{is not pipelined, as 'require = [pipelined]' demands: only copies to shared memory are, by TMA or by threads, and this is neither, since a load of its index tile has demands of its own}}
      %a = cta.gather %A[%r : tensor<64xi32, #at>, %k] {require = #tile.require<[pipelined]>} : memref<?x64xbf16> -> tensor<64x64xbf16, #blocked>
      %0 = cta.stage %a : tensor<64x64xbf16, #blocked> -> !tile
    }
  }
  tile.return
}
