// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{channel_c1: must stand directly in a cta.launch}}
%ch = cta.channel : !cta.channel<2, index>

// -----

// expected-error @below {{a channel has one slot or more, or '?' while that is open}}
func.func private @depth_zero(!cta.channel<0, index>)

// -----

// expected-error @below {{a channel has one slot or more, or '?' while that is open}}
func.func private @depth_negative(!cta.channel<-1, index>)

// -----

// expected-error @below {{a channel carries at least one value}}
func.func private @nothing(!cta.channel<2>)

// -----

// expected-error @below {{a channel carries shared tiles and scalars, got 'tensor<4xf32>'}}
func.func private @payload(!cta.channel<2, tensor<4xf32>>)

// -----

// expected-error @+2 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
// expected-error @+1 {{failed to parse Cta_AsyncType parameter 'tensor'}}
func.func private @async(!cta.async<f32>)

// -----

// expected-error @below {{a ring has one tile or more}}
func.func private @ring(!cta.ring<0, !cta.smem<8x8xf32, #cta.swizzle<linear>>>)

// -----

tile.kernel @commit_type(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @commit_type_0 blocks(%n) {
    %ch = cta.channel : !cta.channel<2, index, index>
    %p = cta.acquire %ch : !cta.channel<2, index, index>
    // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
    cta.commit %ch, %p (%n) : !cta.channel<2, index, index>
  }
  tile.return
}

// -----

tile.kernel @commit_generic(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @commit_generic_0 blocks(%n) {
    %ch = cta.channel : !cta.channel<2, index, index>
    %p = cta.acquire %ch : !cta.channel<2, index, index>
    // expected-error @below {{commit_c1: the values must have the payload types of '!cta.channel<2, index, index>'}}
    "cta.commit"(%ch, %p, %n) : (!cta.channel<2, index, index>, !cta.credit, index) -> ()
  }
  tile.return
}

// -----

!tile = !cta.smem<8x8xf32, #cta.swizzle<linear>>
tile.kernel @not_a_copy(%t: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @not_a_copy_0 blocks() {
    %ch = cta.channel : !cta.channel<2, !tile>
    %p = cta.acquire %ch : !cta.channel<2, !tile>
    %x = arith.constant dense<0.0> : tensor<8x8xf32>
    %s = cta.stage %x : tensor<8x8xf32> -> !tile
    // expected-error @below {{commit_c2: a tile of a slot is made by a cta.copy in the same block and used by nothing else}}
    cta.commit %ch, %p (%s) : !cta.channel<2, !tile>
  }
  tile.return
}

// -----

!tile = !cta.smem<8x8xf32, #cta.swizzle<linear>>
tile.kernel @two_uses(%A: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @two_uses_0 blocks() {
    %ch = cta.channel : !cta.channel<2, !tile>
    %p = cta.acquire %ch : !cta.channel<2, !tile>
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xf32> -> !tile
    %t = cta.read %s : !tile -> tensor<8x8xf32>
    // expected-error @below {{commit_c2: a tile of a slot is made by a cta.copy in the same block and used by nothing else}}
    cta.commit %ch, %p (%s) : !cta.channel<2, !tile>
  }
  tile.return
}

// -----

!tile = !cta.smem<8x8xf32, #cta.swizzle<linear>>
tile.kernel @copy_first(%A: memref<?x?xf32>, %n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @copy_first_0 blocks() {
    %ch = cta.channel : !cta.channel<2, !tile>
    %s = cta.copy %A[%n, %n] {mechanism = #cta.mechanism<tma>} : memref<?x?xf32> -> !tile
    %p = cta.acquire %ch : !cta.channel<2, !tile>
    // expected-error @below {{commit_c2: the cta.acquire of the slot must stand before its copies, in the same block}}
    cta.commit %ch, %p (%s) : !cta.channel<2, !tile>
  }
  tile.return
}

// -----

tile.kernel @wait_generic(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @wait_generic_0 blocks(%n) {
    %ch = cta.channel : !cta.channel<2, index>
    // expected-error @below {{wait_c1: the results must be a credit and the payload of '!cta.channel<2, index>'}}
    %q:2 = "cta.wait"(%ch) : (!cta.channel<2, index>) -> (!cta.credit, f32)
  }
  tile.return
}

// -----

tile.kernel @no_channel(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @no_channel_0 blocks(%n) {
    // expected-error @below {{invalid kind of type specified: expected cta.channel, but found 'index'}}
    %q = cta.wait %n : index
  }
  tile.return
}

// -----

tile.kernel @step_types(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_types_0 blocks(%n) {
    // expected-error @below {{step_c1: yields 'index', but its results are 'f32'}}
    %q = cta.step @s role(math) stage(0) {
      cta.yield %n : index
    } : f32
  }
  tile.return
}

// -----

tile.kernel @step_parent(%n: index, %c: i1) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_parent_0 blocks(%n) {
    scf.if %c {
      // expected-error @below {{step_c2: stands in a loop, a cta.role or a cta.launch}}
      cta.step @s role(math) stage(0) {}
    }
  }
  tile.return
}

// -----

tile.kernel @step_stage(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_stage_0 blocks(%n) {
    // expected-error @below {{step_c3: the stage is 0 or more, got -1}}
    cta.step @s role(math) stage(-1) {}
  }
  tile.return
}

// -----

tile.kernel @step_schedule(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_schedule_0 blocks(%n) {
    cta.step @s role(math) stage(0) {}
    // expected-error @below {{step_c4: only the first step of a block has a 'schedule'}}
    cta.step @t role(math) stage(0) attributes {schedule = #cta.schedule<[@s, @t]>} {}
  }
  tile.return
}

// -----

tile.kernel @step_role(%n: index) attributes {phase = #tile.phase<scheduled>, warpgroups = 1} {
  cta.launch @step_role_0 blocks(%n) {
    // expected-error @below {{expected 'producer' or 'math', got 'store'}}
    cta.step @s role(store) stage(0) {}
  }
  tile.return
}

// -----

// expected-error @below {{schedule: lists at least one step}}
#none = #cta.schedule<[]>

// -----

// expected-error @below {{schedule: lists @a twice}}
#twice = #cta.schedule<[@a, @b, @a]>

// -----

// expected-error @below {{schedule: 'ii' is 1 or more, got 0}}
#never = #cta.schedule<[@a], ii = 0>

// -----

// expected-error @below {{expected valid '@'-identifier for symbol name}}
#name = #cta.schedule<[a]>

// -----

// expected-error @below {{role_c1: must stand directly in a cta.launch}}
cta.role @math warps(4) {}

// -----

tile.kernel @role_last(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @role_last_0 blocks(%n) {
    // expected-error @below {{role_c1: only roles may follow a role}}
    cta.role @math warps(4) {}
    %b = cta.block_id : index
  }
  tile.return
}

// -----

tile.kernel @role_warps(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @role_warps_0 blocks(%n) {
    // expected-error @below {{role_c2: has 1 to 32 warps, got 0}}
    cta.role @math warps(0) {}
  }
  tile.return
}

// -----

tile.kernel @role_group(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @role_group_0 blocks(%n) {
    // expected-error @below {{role_c2: 'registers' is for whole warpgroups, but the role has 1 warps}}
    cta.role @producer warps(1) attributes {registers = 24} {}
  }
  tile.return
}

// -----

tile.kernel @role_registers(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @role_registers_0 blocks(%n) {
    // expected-error @below {{role_c2: 'registers' is a multiple of 8 from 24 to 256, got 250}}
    cta.role @math warps(4) attributes {registers = 250} {}
  }
  tile.return
}

// -----

// expected-error @below {{ring_c1: must stand directly in a cta.launch}}
%r = cta.ring : !cta.ring<2, !cta.smem<8x8xf32, #cta.swizzle<linear>>>

// -----

tile.kernel @ring_offset(%n: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @ring_offset_0 blocks(%n) {
    // expected-error @below {{ring_c2: 'offset' must be 0 or more}}
    %r = cta.ring {offset = -16} : !cta.ring<2, !cta.smem<8x8xf32, #cta.swizzle<linear>>>
  }
  tile.return
}

// -----

func.func @slot_generic(%r: !cta.ring<2, !cta.smem<8x8xf32, #cta.swizzle<linear>>>, %s: i32) {
  // expected-error @below {{failed to verify that the result is a tile of the ring}}
  %t = "cta.slot"(%r, %s) : (!cta.ring<2, !cta.smem<8x8xf32, #cta.swizzle<linear>>>, i32) -> !cta.smem<8x4xf32, #cta.swizzle<linear>>
  return
}

// -----

func.func @expect_mbarrier(%s: i32) {
  // expected-error @below {{expect_c1: 'mbarrier' must be 0 or more}}
  cta.expect -1[%s] bytes = 16
  return
}

// -----

func.func @expect_bytes(%s: i32) {
  // expected-error @below {{expect_c1: 'bytes' must be 1 to 1048575, got 0}}
  cta.expect 0[%s] bytes = 0
  return
}

// -----

func.func @await(%s: i32) {
  // expected-error @below {{await_c1: needs both a slot and a parity, or neither}}
  cta.await 0[%s]
  return
}

// -----

func.func @await_stores() {
  // expected-error @below {{await_stores_c1: 'pending' is 0 to 7, got 8}}
  cta.await_stores read {pending = 8 : i64}
  return
}

// -----

func.func @await_stores() {
  // expected-error @below {{await_stores_c1: 'pending' is 0 to 7}}
  cta.await_stores {pending = -1 : i64}
  return
}

// -----

func.func @complete(%d: !cta.async<tensor<8xf32>>) {
  // expected-error @below {{failed to verify that the result is the tile in flight}}
  %t = "cta.complete"(%d) : (!cta.async<tensor<8xf32>>) -> tensor<4xf32>
  return
}

// -----

func.func @ready(%d: tensor<8xf32>) {
  // expected-error @below {{failed to verify that the result is the tile}}
  %t = "cta.ready"(%d) : (tensor<8xf32>) -> !cta.async<tensor<4xf32>>
  return
}

// -----

!a = !cta.smem<64x64xbf16, #cta.swizzle<?>>
func.func @wgmma(%a: !a, %c: tensor<64x64xf32>) {
  // expected-error @below {{wgmma_c5: c must be asynchronous exactly if the result is}}
  %d = "cta.wgmma"(%a, %a, %c) : (!a, !a, tensor<64x64xf32>) -> !cta.async<tensor<64x64xf32>>
  return
}

// -----

!t = !cta.smem<8x8xf32, #cta.swizzle<linear>>
func.func @copy_into(%A: memref<?x?xf32>, %i: index, %t: !cta.smem<8x8xf32, #cta.swizzle<linear, pad = 16>>, %s: i32) {
  // expected-error @below {{copy_c8: 'into' must be a tile of the result's type, got '!cta.smem<8x8xf32, #cta.swizzle<linear, pad = 16>>'}}
  %c = "cta.copy"(%A, %i, %i, %t, %s) <{dims = array<i64: 0, 1>, limited = array<i1: false, false>, mechanism = #cta.mechanism<tma>,
    operandSegmentSizes = array<i32: 1, 2, 0, 0, 1, 1, 0, 0>}> : (memref<?x?xf32>, index, index, !cta.smem<8x8xf32, #cta.swizzle<linear, pad = 16>>, i32) -> !t
  return
}

// -----

!t = !cta.smem<8x8xf32, #cta.swizzle<linear>>
func.func @copy_slot(%A: memref<?x?xf32>, %i: index, %s: i32) {
  // expected-error @below {{copy_c8: needs both 'into' and a slot, or neither}}
  %c = "cta.copy"(%A, %i, %i, %s) <{dims = array<i64: 0, 1>, limited = array<i1: false, false>, mechanism = #cta.mechanism<tma>,
    operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 1, 0, 0>}> : (memref<?x?xf32>, index, index, i32) -> !t
  return
}

// -----

// expected-error @below {{plan: 'warpgroups' is 1 to 8, got 9}}
#plan = #cta.plan<warpgroups = 9>

// -----

// expected-error @below {{plan: 'cluster' is 1 to 8, got 16}}
#plan = #cta.plan<cluster = 16>

// -----

// expected-error @below {{duplicate or unknown struct parameter name: overlap}}
#plan = #cta.plan<stages = 3, overlap = 1>

// -----

// expected-error @below {{plan: 'registers' is 0 or a multiple of 8 from 24 to 256, got 100}}
#plan = #cta.plan<registers = 100>

// -----

tile.kernel @unless_alone(%b: i1) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @unless_alone_0 blocks() {
    // expected-error @below {{await_c2: only the phase of a slot can have been tested: 'unless' needs a slot and a parity}}
    cta.await 0 unless %b
  }
  tile.return
}

// -----

// expected-note @below {{prior use here}}
tile.kernel @no_token(%b: i1) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  cta.launch @no_token_0 blocks() {
    %ch = cta.channel : !cta.channel<2, index>
    // expected-error @below {{use of value '%b' expects different type than prior uses: '!cta.token' vs 'i1'}}
    %q, %i = cta.wait %ch unless %b : !cta.channel<2, index>
  }
  tile.return
}
