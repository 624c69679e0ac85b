// RUN: tile-opt %s -split-input-file -cta-verify -verify-diagnostics

// Which op in which phase.
!tok = !cta.channel<2, index>
tile.kernel @channel_placed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @channel_placed_0 blocks(%n) {
    // expected-error @+1 {{breaks phase placed: channels exist from phase scheduled on; cta-pipeline-copies makes them}}
    %ch = cta.channel : !tok
  }
  tile.return
}

// -----

!tok = !cta.channel<2, index>
tile.kernel @channel_allocated(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @channel_allocated_0 blocks(%n) {
    // expected-error @+1 {{breaks phase allocated: cta-lower-channels replaces channels by rings and mbarriers}}
    %ch = cta.channel : !tok
  }
  tile.return
}

// -----


tile.kernel @open_specialized(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @open_specialized_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: the depth of a channel is open in phase scheduled only; cta-schedule chooses it}}
    %ch = cta.channel : !cta.channel<?, index>
  }
  tile.return
}

// -----


tile.kernel @step_placed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @step_placed_0 blocks(%n) {
    // expected-error @+1 {{breaks phase placed: steps exist from phase scheduled on; cta-schedule makes them}}
    cta.step @s role(math) stage(0) {}
  }
  tile.return
}

// -----


tile.kernel @step_allocated(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @step_allocated_0 blocks(%n) {
    // expected-error @+1 {{breaks phase allocated: cta-expand-loops inlines steps}}
    cta.step @s role(math) stage(0) {}
  }
  tile.return
}

// -----

#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x64xf32, #acc>
tile.kernel @ready_placed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<placed>, warpgroups = 1} {
  cta.launch @ready_placed_0 blocks(%n) {
    %zero = arith.constant dense<0.0> : !acc
    // expected-error @+1 {{breaks phase placed: products are in flight from phase scheduled on; cta-schedule makes them so}}
    %r = cta.ready %zero : !acc
  }
  tile.return
}

// -----


tile.kernel @role_scheduled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @role_scheduled_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: roles exist from phase specialized on; cta-specialize-warps makes them}}
    cta.role @math warps(4) {}
  }
  tile.return
}

// -----

#sw = #cta.swizzle<128, dim = 1>
!tile = !cta.smem<64x64xbf16, #sw>
tile.kernel @ring_scheduled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @ring_scheduled_0 blocks(%n) {
    // expected-error @+1 {{breaks phase scheduled: rings and slots exist from phase specialized on; cta-lower-channels makes them}}
    %r = cta.ring : !cta.ring<2, !tile>
  }
  tile.return
}

// -----


tile.kernel @await_scheduled(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @await_scheduled_0 blocks(%n) {
    %s = arith.constant 0 : i32
    // expected-error @+1 {{breaks phase scheduled: rings and slots exist from phase specialized on; cta-lower-channels makes them}}
    cta.await 0[%s] parity %s
  }
  tile.return
}

// -----


tile.kernel @await_specialized(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @await_specialized_0 blocks(%n) {
    // expected-error @+1 {{breaks phase specialized: barriers and waits exist in phase allocated only}}
    cta.await 0
  }
  tile.return
}

// -----

tile.kernel @grid(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  // expected-error @+1 {{breaks phase scheduled: no such op below L0; convert-tile-to-cta and cta-lower-grid replace it}}
  tile.grid (%i) = (0) to (%n) step (1) {}
  tile.return
}

// -----

// Scratch is explicit before depths are chosen.
#acc = #cta.frag<wgmma_acc, wg = 1>
!acc = tensor<64x64xf32, #acc>
tile.kernel @decomposed(%A: memref<?x?xbf16>, %X: memref<?xf32>, %n: index, %b: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @decomposed_0 blocks(%n) {
    %x = arith.constant dense<0.0> : !acc
    // expected-error @+1 {{breaks phase scheduled: cta-decompose replaces it by scratch}}
    %u = cta.slice %x offsets = [0, 1] : !acc -> tensor<64x32xf32, #acc>
  }
  tile.return
}
