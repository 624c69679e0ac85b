// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// Products in flight that read it have retired.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @in_flight(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @in_flight_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the product}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %q : !ch
    %x = cta.complete %d : !async
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @wrong_name(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @wrong_name_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %e = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-note @+1 {{the product}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %q after(%e : !async) : !ch
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @one_arm_completes(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @one_arm_completes_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the product}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    scf.if %b {
      %x = cta.complete %d : !async
    }
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %q : !ch
  }
  tile.return
}

// -----

// The carried product is last iteration's: it does not speak for this one's.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @last_iteration(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @last_iteration_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = cta.ready %zero : !acc
    %ch = cta.channel : !ch
    %l = scf.for %k = %c to %n step %c iter_args(%sum = %r) -> (!async) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q, %t = cta.wait %ch : !ch
      // expected-note @+1 {{the product}}
      %d = cta.wgmma %t, %t, %sum : !tile, !tile -> !async
      // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
      cta.release %ch, %q after(%sum : !async) : !ch
      scf.yield %d : !async
    }
    %x = cta.complete %l : !async
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @carried_unnamed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @carried_unnamed_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-note @+1 {{the product}}
    %d0 = cta.wgmma %t, %t : !tile, !tile -> !async
    %l:2 = scf.for %k = %c to %n step %c iter_args(%sum = %d0, %old = %q) -> (!async, !cta.credit) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q1, %t1 = cta.wait %ch : !ch
      // expected-note @+1 {{the product}}
      %d = cta.wgmma %t1, %t1, %sum : !tile, !tile -> !async
      cta.release %ch, %old after(%sum : !async) : !ch
      scf.yield %d, %q1 : !async, !cta.credit
    }
    // expected-error @+1 {{breaks phase scheduled: a product in flight may still read the slot; name it in 'after', or complete it before}}
    cta.release %ch, %l#1 : !ch
  }
  tile.return
}

// -----

// A product in flight has at most one consumer.
#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @two_consumers(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @two_consumers_0 blocks(%n) {
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-error @+1 {{breaks phase scheduled: a product in flight has at most one consumer (cta.complete, or the next cta.wgmma on its accumulators), but this one has 2}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    // expected-note @+1 {{consumed or carried to a consumer here}}
    %e = cta.wgmma %t, %t, %d : !tile, !tile -> !async
    // expected-note @+1 {{consumed or carried to a consumer here}}
    %x = cta.complete %d : !async
    cta.release %ch, %q after(%e : !async) : !ch
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @consumer_in_loop(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @consumer_in_loop_0 blocks(%n) {
    %c = arith.constant 1 : index
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    cta.release %ch, %q after(%d : !async) : !ch
    scf.for %k = %c to %n step %c {
      // expected-error @+1 {{breaks phase scheduled: uses '!cta.async<tensor<64x64xf32, #cta.frag<wgmma_acc, wg = 1>>>' of outside this loop or role, where it would be used more than once; carry it as an iter_arg, or use it outside}}
      %x = cta.complete %d : !async
    }
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @carried_twice(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @carried_twice_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %ch = cta.channel : !ch
    %p = cta.acquire %ch : !ch
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p (%s) : !ch
    %q, %t = cta.wait %ch : !ch
    // expected-error @+1 {{breaks phase scheduled: a product in flight has at most one consumer (cta.complete, or the next cta.wgmma on its accumulators), but this one has 2}}
    %d = cta.wgmma %t, %t : !tile, !tile -> !async
    cta.release %ch, %q after(%d : !async) : !ch
    // expected-note @+1 {{consumed or carried to a consumer here}}
    %l:2 = scf.for %k = %c to %n step %c iter_args(%x = %d, %y = %d) -> (!async, !async) {
      %v = cta.complete %x : !async
      %w = cta.complete %y : !async
      %f = cta.ready %v : !acc
      %g = cta.ready %w : !acc
      scf.yield %f, %g : !async, !async
    }
  }
  tile.return
}

// -----

// The registers of a product in flight are not made anew.
#acc = #cta.frag<wgmma_acc, wg = 1>
#a = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
!ch = !cta.channel<2, !tile>
!acc = tensor<64x64xf32, #acc>
!async = !cta.async<!acc>
tile.kernel @register_operand(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @register_operand_0 blocks(%n) {
    %c = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = cta.ready %zero : !acc
    %ch = cta.channel : !ch
    %l:2 = scf.for %k = %c to %n step %c iter_args(%sum = %r, %i = %c) -> (!async, index) {
      %p1 = cta.acquire %ch : !ch
      %s1 = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p1 (%s1) : !ch
      %q, %t = cta.wait %ch : !ch
      %a = cta.load %A[%k, %k] : memref<?x?xbf16> -> tensor<64x64xbf16, #a>
      // expected-error @+1 {{breaks phase specialized: reads a from registers and is in flight when the loop begins anew, which overwrites them; complete it before, or unroll the loop until it is waited for before its a is made again}}
      %d = cta.wgmma %a, %t, %sum : tensor<64x64xbf16, #a>, !tile -> !async
      cta.release %ch, %q after(%sum : !async) : !ch
      scf.yield %d, %i : !async, index
    }
    %x = cta.complete %l#0 : !async
  }
  tile.return
}
