// RUN: tile-opt %s -split-input-file -cta-lower-channels -verify-diagnostics

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @open(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @open_0 blocks() {
    // expected-error @below {{has no depth yet; run cta-schedule first}}
    %ch = cta.channel : !cta.channel<?, !tile>
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @scalar(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @scalar_0 blocks() {
    // expected-error @below {{carries 'index'; a channel carries shared tiles and scalars of 32 bits}}
    %ch = cta.channel : !cta.channel<2, !tile, index>
  }
  tile.return
}

// -----

// A position that all threads have cannot move in one of them.
#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @loop(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @loop_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        %q, %a = cta.wait %ch : !channel
        cta.release %ch, %q : !channel
      }
    }
    cta.role @producer warps(1) {
      scf.for %k = %c0 to %K step %c64 {
        // expected-error @below {{holds a side of a channel, but the loop or branch around it runs in all threads; put that into the cta.elect}}
        cta.elect {
          %p = cta.acquire %ch : !channel
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          cta.commit %ch, %p (%a) : !channel
        }
      }
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @beside(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @beside_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        %q, %a = cta.wait %ch : !channel
        cta.release %ch, %q : !channel
      }
    }
    cta.role @producer warps(1) {
      // expected-error @below {{holds some of the ops of one side of a channel, and its block others; put all of them into the cta.elect, or none}}
      cta.elect {
        %p = cta.acquire %ch : !channel
        %a = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !channel
      }
      %n = arith.addi %K, %c64 : index
      scf.for %k = %c0 to %n step %c64 {
        %p = cta.acquire %ch : !channel
        %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !channel
      }
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @uncommitted(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @uncommitted_0 blocks() {
    %ch = cta.channel : !channel
    // expected-error @below {{must have one use, the cta.commit of its slot}}
    %p = cta.acquire %ch : !channel
    %q, %a = cta.wait %ch : !channel
    cta.release %ch, %q : !channel
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @flight(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @flight_0 blocks() {
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %r = cta.ready %zero : tensor<64x64xf32, #acc>
    %q, %a = cta.wait %ch : !channel
    %d = cta.wgmma %a, %a, %r : !tile, !tile -> !cta.async<tensor<64x64xf32, #acc>>
    // expected-error @below {{still waits for products in flight; run cta-insert-waits first}}
    cta.release %ch, %q after(%d : !cta.async<tensor<64x64xf32, #acc>>) : !channel
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @step(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @step_0 blocks() {
    %ch = cta.channel : !channel
    // expected-error @below {{is still there; run cta-expand-loops before cta-lower-channels}}
    cta.step @s role(math) stage(0) {
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
  }
  tile.return
}

// -----

// TMA would still read the slot when the producer fills it.
#sw = #cta.swizzle<128, dim = 1>
#acc = #cta.frag<wgmma_acc, wg = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @store(%A: memref<?x?xbf16>, %C: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @store_0 blocks() {
    %ch = cta.channel : !channel
    %q, %a = cta.wait %ch : !channel
    // expected-error @below {{stores a slot of a channel by TMA, but nothing waits for that before the slot is filled again; read it and stage it}}
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma} : !tile -> memref<?x?xbf16>
    cta.release %ch, %q : !channel
  }
  tile.return
}

// -----

// expected-error @below {{cta-lower-channels needs a kernel in phase specialized, but this one is in phase scheduled; run the passes in the order of the pipeline}}
tile.kernel @scheduled() attributes {phase = #tile.phase<scheduled>} {
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#cp = #cta.mechanism<cp_async>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile, !tile>
tile.kernel @two_mechanisms(%A: memref<?x?xbf16>, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @two_mechanisms_0 blocks() {
    %ch = cta.channel : !channel
    %p = cta.acquire %ch : !channel
    // expected-note @below {{the other}}
    %a = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    // expected-error @below {{fills a slot of a channel by another mechanism than the channel's other copies; give each mechanism a channel of its own}}
    %b = cta.copy %A[%c0, %K] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%a, %b) : !channel
    %q, %x:2 = cta.wait %ch : !channel
    cta.release %ch, %q : !channel
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#cp = #cta.mechanism<cp_async>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @elected(%A: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @elected_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      %q, %x = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
    cta.role @producer warps(4) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        // expected-error @below {{needs all threads of the role; move it out of the cta.elect}}
        %a = cta.copy %A[%c0, %c0] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a) : !channel
      }
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#cp = #cta.mechanism<cp_async>
!tile = !cta.smem<64x64xbf16, #sw>
!channel = !cta.channel<2, !tile>
tile.kernel @one_warp(%A: memref<?x?xbf16>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  cta.launch @one_warp_0 blocks() {
    %ch = cta.channel : !channel
    cta.role @math warps(4) {
      %q, %x = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
    cta.role @producer warps(1) {
      %p = cta.acquire %ch : !channel
      // expected-error @below {{fills a slot by threads in a role of 1 warps; it takes 4}}
      %a = cta.copy %A[%c0, %c0] {mechanism = #cp, vector = 4} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a) : !channel
    }
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!tile = !cta.smem<64x64xbf16, #sw>
!mixed = !cta.channel<2, !tile, i32>
tile.kernel @late_scalar(%A: memref<?x?xbf16>, %n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @late_scalar_0 blocks() {
    %ch = cta.channel : !mixed
    cta.role @math warps(4) {
      scf.for %k = %c0 to %n step %c64 {
        %q, %a, %x = cta.wait %ch : !mixed
        cta.release %ch, %q : !mixed
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %n step %c64 {
          %p = cta.acquire %ch : !mixed
          %x = arith.index_cast %k : index to i32
          %a = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
          // expected-error @below {{hands over a scalar with tiles, but computes it behind the cta.acquire of the slot: compute it before}}
          cta.commit %ch, %p (%a, %x) : !mixed
        }
      }
    }
  }
  tile.return
}
