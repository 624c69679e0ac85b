// RUN: tile-opt %s -cta-specialize-warps -cta-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize -cse -loop-invariant-code-motion -cta-specialize-warps -canonicalize -cse -loop-invariant-code-motion -cta-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
#rows = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]], wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#scheduled = #tile.phase<scheduled>
!tile = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!row = tensor<64xf32, #rows>
!channel = !cta.channel<2, !tile>
!pair = !cta.channel<3, !tile, !tile>

// The persistent GEMM. Scalars of the block number are before the roles; the accumulator is no value of the producer's loop; zeros, epilogue and scalar
// stores are the math role's.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME: phase = #tile.phase<specialized>
// CHECK: cta.launch
// CHECK-NEXT: %[[CH:.*]] = cta.channel : <3,
// CHECK-NEXT: %[[BLOCK:.*]] = cta.block_id
// CHECK-NEXT: %[[BLOCKS:.*]] = cta.num_blocks
// CHECK-NEXT: %[[FIRST:.*]] = arith.index_castui %[[BLOCK]] : index to i32
// CHECK-NEXT: %[[STEP:.*]] = arith.index_castui %[[BLOCKS]] : index to i32
// CHECK-NEXT: %[[LAST:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: cta.role @math warps(4) {
// CHECK: cta.for_output_tiles %[[T:.*]] = %[[FIRST]] to %[[LAST]] step %[[STEP]] : i32 {
// CHECK: %[[I:.*]] = arith.index_castui %[[T]]
// CHECK: %[[ACC:.*]] = scf.for %{{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<64x64xf32, #{{.*}}>) {
// CHECK-NEXT: %[[Q:.*]], %[[V:.*]]:2 = cta.wait %[[CH]]
// CHECK-NEXT: %[[D:.*]] = cta.wgmma %[[V]]#0, %[[V]]#1, %[[C]]
// CHECK-NEXT: cta.release %[[CH]], %[[Q]]
// CHECK-NEXT: scf.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: cta.store %[[ACC]], %C[%[[I]],
// CHECK-NEXT: memref.store %{{.*}}, %N[%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: cta.role @producer warps(1) {
// CHECK-NEXT: cta.elect {
// CHECK-NEXT: cta.for_output_tiles %[[T:.*]] = %[[FIRST]] to %[[LAST]] step %[[STEP]] : i32 {
// CHECK: %[[I:.*]] = arith.index_castui %[[T]]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %K step %{{[a-z0-9_]*}} {
// CHECK-NEXT: %[[P:.*]] = cta.acquire %[[CH]]
// CHECK-NEXT: %[[A:.*]] = cta.copy %A[%[[I]], %[[K]]]
// CHECK-NEXT: %[[B:.*]] = cta.copy %A[%[[K]], %[[I]]]
// CHECK-NEXT: cta.commit %[[CH]], %[[P]] (%[[A]], %[[B]])
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
tile.kernel @gemm(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %N: memref<?xf32>, %n: index, %K: index)
    attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 3>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks(%n) {
    %ch = cta.channel : !pair
    %b = cta.block_id : index
    %all = cta.num_blocks : index
    %first = arith.index_castui %b : index to i32
    %step = arith.index_castui %all : index to i32
    %last = arith.index_castui %n : index to i32
    %f = arith.constant 1.0 : f32
    cta.for_output_tiles %t = %first to %last step %step : i32 {
      %i = arith.index_castui %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %p = cta.acquire %ch : !pair
        %a0 = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %b0 = cta.copy %A[%k, %i] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a0, %b0) : !pair
        %q, %a, %bb = cta.wait %ch : !pair
        %d = cta.wgmma %a, %bb, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !pair
        scf.yield %d : !sum
      }
      cta.store %acc, %C[%i, %c0] : !sum -> memref<?x?xf32>
      memref.store %f, %N[%i] : memref<?xf32>
    }
  }
  tile.return
}

// Each role carries what it needs: the producer the coordinate, math the accumulators and the maximum; a value that nobody needs is gone from both, and so is
// a pure op. The maximum over rows stays out of the producer.
// CHECK-LABEL: tile.kernel @carried(
// CHECK: cta.role @math
// CHECK: %[[R:.*]]:2 = scf.for %{{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}) -> (tensor<64x64xf32, #{{.*}}>, tensor<64xf32, #{{.*}}>) {
// CHECK-NOT: arith.addi
// CHECK: cta.wgmma
// CHECK: cta.reduce
// CHECK: arith.maximumf %[[M]],
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor
// CHECK: cta.store %[[R]]#0
// CHECK: cta.role @producer
// CHECK-NOT: tensor
// CHECK: scf.for %{{.*}} iter_args(%[[AT:.*]] = %{{.*}}) -> (index) {
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A[%[[AT]],
// CHECK-NEXT: cta.commit
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[AT]],
// CHECK-NEXT: scf.yield %[[NEXT]] : index
// CHECK-NOT: tensor
// CHECK: tile.return
tile.kernel @carried(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 3>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @carried_0 blocks() {
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %low = arith.constant dense<0xFF800000> : !row
    %ninf = arith.constant 0xFF800000 : f32
    %r:4 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %at = %c0, %m = %low, %unused = %c64) -> (!sum, index, !row, index) {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%at, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
      %here = cta.reduce (%d) dims = [1] init(%ninf) {
      ^bb0(%x: f32, %y: f32):
        %z = arith.maximumf %x, %y : f32
        tile.yield %z : f32
      } : !sum -> !row
      %top = arith.maximumf %m, %here : !row
      %wide = cta.broadcast %top dims = [0] : !row -> !sum
      %scaled = arith.subf %d, %wide : !sum
      %next = arith.addi %at, %c64 : index
      %other = arith.muli %unused, %next : index
      scf.yield %scaled, %next, %top, %other : !sum, index, !row, index
    }
    cta.store %r#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Branches: one that holds both sides stands in both roles; one around an update only in math; one of scalars in the role that needs its result, without
// the results that it does not. The same of a switch. Without an else there is none.
// CHECK-LABEL: tile.kernel @branches(
// CHECK: cta.role @math
// CHECK: scf.for
// CHECK-NOT: arith.muli
// CHECK: %[[D:.*]] = scf.if %f -> (tensor<{{.*}}>) {
// CHECK-NEXT: cta.wait
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.release
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[E:.*]] = scf.index_switch %{{.*}} -> tensor
// CHECK-NEXT: case 3 {
// CHECK-NEXT: arith.addf %[[D]], %[[D]]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: default {
// CHECK-NEXT: scf.yield %[[D]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %f {
// CHECK-NEXT: cta.wait
// CHECK-NEXT: cta.read
// CHECK-NEXT: cta.release
// CHECK-NEXT: cta.store
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[E]]
// CHECK: cta.role @producer
// CHECK: scf.for
// CHECK: %[[AT:.*]] = scf.if %f -> (index) {
// CHECK-NEXT: %[[X:.*]] = arith.muli
// CHECK-NEXT: scf.yield %[[X]] : index
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %{{.*}} : index
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %f {
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A[%[[AT]], %{{.*}}]
// CHECK-NEXT: cta.commit
// CHECK-NEXT: }
// CHECK-NEXT: %[[TO:.*]] = scf.index_switch %{{.*}} -> index
// CHECK-NEXT: case 3 {
// CHECK-NEXT: scf.yield %[[AT]] : index
// CHECK-NEXT: }
// CHECK-NEXT: default {
// CHECK-NEXT: scf.yield %{{.*}} : index
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %f {
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A[%[[TO]], %{{.*}}]
// CHECK-NEXT: cta.commit
// CHECK-NEXT: }
// CHECK-NEXT: }
tile.kernel @branches(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %D: memref<?x?xbf16>, %K: index, %f: i1) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @branches_0 blocks() {
    %ch = cta.channel : !channel
    %other = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %at:2 = scf.if %f -> (index, index) {
        %x = arith.muli %k, %c64 : index
        %y = arith.addi %k, %c64 : index
        scf.yield %x, %y : index, index
      } else {
        scf.yield %k, %k : index, index
      }
      %d = scf.if %f -> (!sum) {
        %p = cta.acquire %ch : !channel
        %a0 = cta.copy %A[%at#0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a0) : !channel
        %q, %a = cta.wait %ch : !channel
        %e = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
        cta.release %ch, %q : !channel
        scf.yield %e : !sum
      } else {
        scf.yield %c : !sum
      }
      %e:2 = scf.index_switch %k -> !sum, index
      case 3 {
        %twice = arith.addf %d, %d : !sum
        scf.yield %twice, %at#0 : !sum, index
      }
      default {
        scf.yield %d, %c0 : !sum, index
      }
      scf.if %f {
        %p = cta.acquire %other : !channel
        %a0 = cta.copy %A[%e#1, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %other, %p (%a0) : !channel
        %q, %a = cta.wait %other : !channel
        %t = cta.read %a : !tile -> tensor<64x64xbf16, #acc>
        cta.release %other, %q : !channel
        cta.store %t, %D[%k, %c0] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
      }
      scf.yield %e#0 : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// A while loop whose condition is a scalar that it carries: both roles carry that, math the sum, the producer the coordinate; the results of the loop are
// other values than its arguments. What the loop counts is needed by the condition alone.
// CHECK-LABEL: tile.kernel @while(
// CHECK: cta.role @math
// CHECK: %[[W:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) : (index, tensor<{{.*}}>) -> (index, tensor<{{.*}}>) {
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[I]], %K
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[I]], %[[C]] :
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[J:.*]]: index, %[[S:.*]]: tensor<{{.*}}>):
// CHECK-NEXT: cta.wait
// CHECK-NEXT: %[[D:.*]] = cta.wgmma %{{.*}}, %{{.*}}, %[[S]]
// CHECK-NEXT: cta.release
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[J]],
// CHECK-NEXT: scf.yield %[[N]], %[[D]] :
// CHECK-NEXT: }
// CHECK-NEXT: cta.store %[[W]]#1
// CHECK: cta.role @producer
// CHECK: scf.while (%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) : (index, index) -> (index, index) {
// CHECK-NEXT: arith.cmpi slt, %[[I]], %K
// CHECK-NEXT: scf.condition(%{{.*}}) %[[X]], %[[I]] : index, index
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[Y:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A[%[[Y]], %{{.*}}]
// CHECK-NEXT: cta.commit
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[J]],
// CHECK-NEXT: %[[Z:.*]] = arith.muli %[[Y]],
// CHECK-NEXT: scf.yield %[[N]], %[[Z]] : index, index
tile.kernel @while(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @while_0 blocks() {
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %w:4 = scf.while (%i = %c0, %c = %zero, %x = %c64, %u = %c0) : (index, !sum, index, index) -> (index, index, index, !sum) {
      %more = arith.cmpi slt, %i, %K : index
      scf.condition(%more) %u, %x, %i, %c : index, index, index, !sum
    } do {
    ^bb0(%v: index, %y: index, %j: index, %s: !sum):
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%y, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %d = cta.wgmma %a, %a, %s : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
      %n = arith.addi %j, %c64 : index
      %z = arith.muli %y, %c64 : index
      scf.yield %n, %d, %z, %v : index, !sum, index, index
    }
    cta.store %w#3, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// A tile decides in math how long it goes on; what the producer loads does not depend on it. A copy outside of channels, and assertions, are math's. Scalars
// from memory that nobody writes are loaded by both.
// CHECK-LABEL: tile.kernel @scalars(
// CHECK: cta.role @math
// CHECK: memref.load %I
// CHECK: cta.copy %A[%{{.*}}, %{{.*}}]
// CHECK: tile.assume
// CHECK: cf.assert
// CHECK: cta.wait
// CHECK: cta.wgmma
// CHECK: cta.role @producer
// CHECK-NOT: cf.assert
// CHECK: memref.load %I
// CHECK-NOT: cf.assert
// CHECK: scf.for
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.commit
// CHECK-NEXT: }
tile.kernel @scalars(%A: memref<?x?xbf16>, %I: memref<?xindex>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @scalars_0 blocks() {
    %ch = cta.channel : !channel
    %n = memref.load %I[%c0] : memref<?xindex>
    %once = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    %zero = arith.constant dense<0.0> : !sum
    tile.assume %n {min = 0} : index
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (!sum) {
      %below = arith.cmpi slt, %k, %K : index
      cf.assert %below, "below"
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      %d = cta.wgmma %a, %once, %c : !tile, !tile -> !sum
      cta.release %ch, %q : !channel
      scf.yield %d : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Credits and tiles that run ahead: the producer's first slot stands before the loop, the consumer releases one iteration later.
// CHECK-LABEL: tile.kernel @ahead(
// CHECK: cta.role @math
// CHECK-NOT: cta.acquire
// CHECK: %[[Q0:.*]], %{{.*}} = cta.wait
// CHECK: %[[L:.*]] = scf.for %{{.*}} iter_args(%[[HELD:.*]] = %[[Q0]]) -> (!cta.credit) {
// CHECK-NEXT: %[[Q:.*]], %[[A:.*]] = cta.wait
// CHECK-NEXT: cta.release %{{.*}}, %[[HELD]]
// CHECK: scf.yield %[[Q]] : !cta.credit
// CHECK: cta.release %{{.*}}, %[[L]]
// CHECK: cta.role @producer
// CHECK-NOT: cta.wait
// CHECK: cta.acquire
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.commit
// CHECK-NEXT: scf.for %{{[a-z0-9]*}} = %{{[a-z0-9_]*}} to %{{[a-zA-Z0-9_]*}} step %{{[a-z0-9_]*}} {
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.commit
// CHECK-NEXT: }
// CHECK-NOT: cta.wait
// CHECK: tile.return
tile.kernel @ahead(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @ahead_0 blocks() {
    %ch = cta.channel : !channel
    %p0 = cta.acquire %ch : !channel
    %a0 = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    cta.commit %ch, %p0 (%a0) : !channel
    %q0, %t0 = cta.wait %ch : !channel
    %l = scf.for %k = %c0 to %K step %c64 iter_args(%held = %q0) -> (!cta.credit) {
      %p = cta.acquire %ch : !channel
      %a1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a1) : !channel
      %q, %t = cta.wait %ch : !channel
      cta.release %ch, %held : !channel
      %d = cta.wgmma %t, %t : !tile, !tile -> !sum
      cta.store %d, %C[%k, %c0] : !sum -> memref<?x?xf32>
      scf.yield %q : !cta.credit
    }
    cta.release %ch, %l : !channel
  }
  tile.return
}

// The plan gives the warps of the producer, and the registers if setmaxnreg is wanted.
// CHECK-LABEL: tile.kernel @registers(
// CHECK: cta.role @math warps(8) attributes {registers = 232 : i64} {
// CHECK: cta.role @producer warps(4) attributes {registers = 40 : i64} {
// CHECK-LABEL: tile.kernel @no_registers(
// CHECK: cta.role @math warps(4) {
// CHECK: cta.role @producer warps(2) {
tile.kernel @registers(%A: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 2, plan = #cta.plan<producers = 4, registers = 232>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @registers_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
  }
  tile.return
}
tile.kernel @no_registers(%A: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<producers = 2, registers = 0>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @no_registers_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
  }
  tile.return
}

// No roles: the plan wants none, or there is no channel. The phase changes all the same.
// CHECK-LABEL: tile.kernel @one_role(
// CHECK-SAME: phase = #tile.phase<specialized>
// CHECK-NOT: cta.role
// CHECK: cta.acquire
// CHECK: cta.wait
// CHECK-LABEL: tile.kernel @no_channel(
// CHECK-SAME: phase = #tile.phase<specialized>
// CHECK-NOT: cta.role
// CHECK: cta.copy
tile.kernel @one_role(%A: memref<?x?xbf16>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<producers = 0>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @one_role_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      %p = cta.acquire %ch : !channel
      %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ch, %p (%a0) : !channel
      %q, %a = cta.wait %ch : !channel
      cta.release %ch, %q : !channel
    }
  }
  tile.return
}
tile.kernel @no_channel(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  cta.launch @no_channel_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    %d = cta.wgmma %a, %a : !tile, !tile -> !sum
    cta.store %d, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Steps go to their roles; the schedule of a block names those that are left.
// CHECK-LABEL: tile.kernel @steps(
// CHECK: cta.role @math
// CHECK: scf.for
// CHECK-NEXT: cta.step @mma role(math) stage(1) attributes {schedule = #cta.schedule<[@mma, @free], ii = 128>} {
// CHECK: cta.step @free role(math) stage(1) {
// CHECK: cta.role @producer
// CHECK: scf.for
// CHECK-NEXT: cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load], ii = 128>} {
// CHECK-NOT: cta.step
// CHECK: tile.return
tile.kernel @steps(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #scheduled, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @steps_0 blocks() {
    %ch = cta.channel : !channel
    scf.for %k = %c0 to %K step %c64 {
      cta.step @load role(producer) stage(0) attributes {schedule = #cta.schedule<[@load, @mma, @free], ii = 128>} {
        %p = cta.acquire %ch : !channel
        %a0 = cta.copy %A[%k, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        cta.commit %ch, %p (%a0) : !channel
      }
      %h:2 = cta.step @mma role(math) stage(1) {
        %q, %a = cta.wait %ch : !channel
        %d = cta.wgmma %a, %a : !tile, !tile -> !sum
        cta.yield %q, %d : !cta.credit, !sum
      } : !cta.credit, !sum
      cta.step @free role(math) stage(1) {
        cta.release %ch, %h#0 : !channel
        cta.store %h#1, %C[%k, %c0] : !sum -> memref<?x?xf32>
      }
    }
  }
  tile.return
}

// cp.async: all threads of a producing warpgroup, no election, and registers for addresses. TMA copies are in the same role; which of its threads
// issues them is decided by cta-lower-channels. A view goes with its copy.
// CHECK-LABEL: tile.kernel @cp_async(
// CHECK: cta.role @math warps(4) attributes {registers = 224 : i64}
// CHECK-NOT: memref.subview
// CHECK: cta.role @producer warps(4) attributes {registers = 56 : i64} {
// CHECK-NOT: cta.elect
// CHECK: scf.for
// CHECK: cta.copy %A{{.*}}<tma>
// CHECK: memref.subview %A
// CHECK: cta.copy %{{.*}}<cp_async>
// CHECK-NOT: cta.wait
tile.kernel @cp_async(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<producers = 4, stages = 2, registers = 224>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @cp_async_0 blocks() {
    %ct = cta.channel : !channel
    %ch = cta.channel : !channel
    %zero = arith.constant dense<0.0> : !sum
    %r = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %pt = cta.acquire %ct : !channel
      %a0 = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.commit %ct, %pt (%a0) : !channel
      %view = memref.subview %A[%k, 0] [64, 64] [1, 1] : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
      %p = cta.acquire %ch : !channel
      %b0 = cta.copy %view[%c0, %c0] {mechanism = #cta.mechanism<cp_async>, vector = 4} : memref<64x64xbf16, strided<[?, 1], offset: ?>> -> !tile
      cta.commit %ch, %p (%b0) : !channel
      %qt, %a = cta.wait %ct : !channel
      %q, %b = cta.wait %ch : !channel
      %d = cta.wgmma %a, %b, %c : !tile, !tile -> !sum
      cta.release %ct, %qt : !channel
      cta.release %ch, %q : !channel
      scf.yield %d : !sum
    }
    cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}
