// RUN: tile-opt %s -cta-pipeline-copies -cta-verify | FileCheck %s
// RUN: tile-opt %s -canonicalize -cse -loop-invariant-code-motion -cta-pipeline-copies -canonicalize -cse -loop-invariant-code-motion -cta-verify -o /dev/null

#acc = #cta.frag<wgmma_acc, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#kmajor = #cta.swizzle<128, dim = 0>
#tma = #cta.mechanism<tma>
#placed = #tile.phase<planned>
!tile = !cta.smem<64x64xbf16, #sw>
!tileT = !cta.smem<64x64xbf16, #kmajor>
!linear = !cta.smem<32x128xbf16, #cta.swizzle<linear>>
!wide = !cta.smem<64x64xbf16, #cta.swizzle<linear>>
!part = !cta.smem<64x32xbf16, #cta.swizzle<64, dim = 1>>
!sum = tensor<64x64xf32, #acc>

// Two operands of one product share a channel. Its coordinates stay between acquire and commit.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME: phase = #tile.phase<scheduled>
// CHECK: cta.launch @gemm_0 blocks(%{{.*}}) {
// CHECK-NEXT: %[[CH:.*]] = cta.channel : <?, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 0>>>
// CHECK-NOT: cta.channel
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%[[C:.*]] =
// CHECK-NEXT: %[[P:.*]] = cta.acquire %[[CH]]
// CHECK-NEXT: %[[A:.*]] = cta.copy %A[%{{.*}}, %[[K]]] {mechanism = #cta.mechanism<tma>} :
// CHECK-NEXT: %[[B:.*]] = cta.copy %B[%[[K]], %{{.*}}] {mechanism = #cta.mechanism<tma>} :
// CHECK-NEXT: cta.commit %[[CH]], %[[P]] (%[[A]], %[[B]])
// CHECK-NEXT: %[[Q:.*]], %[[V:.*]]:2 = cta.wait %[[CH]]
// CHECK-NEXT: %[[D:.*]] = cta.wgmma %[[V]]#0, %[[V]]#1, %[[C]]
// CHECK-NEXT: cta.release %[[CH]], %[[Q]]
// CHECK-NEXT: scf.yield %[[D]]
tile.kernel @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 4>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @gemm_0 blocks(%n) {
    %zero = arith.constant dense<0.0> : !sum
    %i = cta.block_id : index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%k, %i] dims = [0, 1] {mechanism = #tma} : memref<?x?xbf16> -> !tileT
      %d = cta.wgmma %a, %b, %c : !tile, !tileT -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%i, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Like attention: a tile of the grid that is read in an inner loop comes through a channel of the outer loop, and stays until the inner loop is over.
// Operands of different products have channels of their own, in the order of the IR, so that each is released when its product is done.
// CHECK-LABEL: tile.kernel @attention(
// CHECK: cta.launch
// CHECK-NEXT: %[[Q:.*]] = cta.channel : <?, !cta.smem<64x64xbf16, {{.*}}>>
// CHECK-NEXT: %[[K:.*]] = cta.channel : <?, !cta.smem<64x64xbf16, {{.*}}>>
// CHECK-NEXT: %[[V:.*]] = cta.channel : <?, !cta.smem<64x64xbf16, {{.*}}>>
// CHECK: scf.for %[[T:.*]] = %{{.*}} : i32 {
// CHECK: %[[QP:.*]] = cta.acquire %[[Q]]
// CHECK-NEXT: %[[Q0:.*]] = cta.copy %X[%[[I:.*]], %
// CHECK-NEXT: cta.commit %[[Q]], %[[QP]] (%[[Q0]])
// CHECK-NEXT: %[[QC:.*]], %[[Q1:.*]] = cta.wait %[[Q]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: cta.acquire %[[K]]
// CHECK-NEXT: cta.copy %Y
// CHECK-NEXT: cta.commit %[[K]],
// CHECK-NEXT: %[[KC:.*]], %[[K1:.*]] = cta.wait %[[K]]
// CHECK-NEXT: cta.wgmma %[[Q1]], %[[K1]] :
// CHECK-NEXT: cta.release %[[K]], %[[KC]]
// CHECK: cta.acquire %[[V]]
// CHECK-NEXT: cta.copy %Y
// CHECK-NEXT: cta.commit %[[V]],
// CHECK-NEXT: %[[VC:.*]], %[[V1:.*]] = cta.wait %[[V]]
// CHECK-NEXT: cta.wgmma %{{.*}}, %[[V1]], %{{.*}}
// CHECK-NEXT: cta.release %[[V]], %[[VC]]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: cta.release %[[Q]], %[[QC]]
tile.kernel @attention(%X: memref<?x?xbf16>, %Y: memref<?x?xbf16>, %O: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @attention_0 blocks(%n) {
    %b = cta.block_id : index
    %all = cta.num_blocks : index
    %first = arith.index_castui %b : index to i32
    %step = arith.index_castui %all : index to i32
    %last = arith.index_castui %n : index to i32
    scf.for %t = %first to %last step %step : i32 {
      %i = arith.index_castui %t : i32 to index
      %zero = arith.constant dense<0.0> : !sum
      %q = cta.copy %X[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
        %kt = cta.copy %Y[%k, %c0] dims = [1, 0] {mechanism = #tma} : memref<?x?xbf16> -> !tileT
        %s = cta.wgmma %q, %kt : !tile, !tileT -> !sum
        %p = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
        %pa = cta.convert_layout %p {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #cta.frag<wgmma_a, bits = 16, wg = 1>>
        %v = cta.copy %Y[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %d = cta.wgmma %pa, %v, %c : tensor<64x64xbf16, #cta.frag<wgmma_a, bits = 16, wg = 1>>, !tile -> !sum
        scf.yield %d : !sum
      }
      cta.store %acc, %O[%i, %c0] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}

// The subtiles of a residual: tiles of one type that are fetched and read one after the other take turns in one channel. So do groups of them.
// CHECK-LABEL: tile.kernel @turns(
// CHECK: cta.launch
// CHECK-NEXT: %[[OP:.*]] = cta.channel : <?, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
// CHECK-NEXT: %[[R:.*]] = cta.channel : <?, !cta.smem<64x32xbf16, #cta.swizzle<64, dim = 1>>>
// CHECK-NOT: cta.channel
// CHECK: scf.for
// CHECK: scf.for
// CHECK: cta.acquire %[[OP]]
// CHECK: }
// CHECK: cta.acquire %[[R]]
// CHECK-NEXT: %[[A:.*]] = cta.copy %X
// CHECK-NEXT: cta.commit %[[R]], %{{.*}} (%[[A]])
// CHECK-NEXT: %[[AC:.*]], %[[AT:.*]] = cta.wait %[[R]]
// CHECK-NEXT: cta.read %[[AT]]
// CHECK-NEXT: cta.release %[[R]], %[[AC]]
// CHECK: cta.acquire %[[R]]
// CHECK-NEXT: %[[B:.*]] = cta.copy %X
// CHECK-NEXT: cta.commit %[[R]], %{{.*}} (%[[B]])
// CHECK-NEXT: %[[BC:.*]], %[[BT:.*]] = cta.wait %[[R]]
// CHECK-NEXT: cta.read %[[BT]]
// CHECK-NEXT: cta.release %[[R]], %[[BC]]
tile.kernel @turns(%X: memref<?x?xbf16>, %O: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  cta.launch @turns_0 blocks(%n) {
    scf.for %i = %c0 to %n step %c64 {
      scf.for %k = %c0 to %K step %c64 {
        %a = cta.copy %X[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %s = cta.wgmma %a, %a : !tile, !tile -> !sum
        cta.store %s, %O[%i, %k] : !sum -> memref<?x?xf32>
      }
      %r0 = cta.copy %X[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !part
      %t0 = cta.read %r0 : !part -> tensor<64x32xbf16, #acc>
      %w0 = arith.extf %t0 : tensor<64x32xbf16, #acc> to tensor<64x32xf32, #acc>
      cta.store %w0, %O[%i, %c0] : tensor<64x32xf32, #acc> -> memref<?x?xf32>
      %r1 = cta.copy %X[%i, %c32] {mechanism = #tma} : memref<?x?xbf16> -> !part
      %t1 = cta.read %r1 : !part -> tensor<64x32xbf16, #acc>
      %w1 = arith.extf %t1 : tensor<64x32xbf16, #acc> to tensor<64x32xf32, #acc>
      cta.store %w1, %O[%i, %c32] : tensor<64x32xf32, #acc> -> memref<?x?xf32>
    }
  }
  tile.return
}

// No turns: tiles that are held at the same time (the second is read while the first still is), and those of an innermost loop, each of which is to run ahead.
// CHECK-LABEL: tile.kernel @no_turns(
// CHECK: cta.launch
// CHECK-COUNT-4: cta.channel : <?, !cta.smem<64x32xbf16,
// CHECK-NOT: cta.channel
// CHECK: cta.block_id
tile.kernel @no_turns(%X: memref<?x?xbf16>, %O: memref<?x?xf32>, %n: index, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2, persistent = 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  cta.launch @no_turns_0 blocks(%n) {
    %b = cta.block_id : index
    scf.for %i = %b to %n step %c64 {
      scf.for %k = %c0 to %K step %c64 {
        %p0 = cta.copy %X[%i, %k] {mechanism = #tma} : memref<?x?xbf16> -> !part
        %q0 = cta.read %p0 : !part -> tensor<64x32xbf16, #acc>
        %p1 = cta.copy %X[%k, %i] {mechanism = #tma} : memref<?x?xbf16> -> !part
        %q1 = cta.read %p1 : !part -> tensor<64x32xbf16, #acc>
        %q = arith.addf %q0, %q1 : tensor<64x32xbf16, #acc>
        %qw = arith.extf %q : tensor<64x32xbf16, #acc> to tensor<64x32xf32, #acc>
        cta.store %qw, %O[%i, %k] : tensor<64x32xf32, #acc> -> memref<?x?xf32>
      }
      %r0 = cta.copy %X[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !part
      %r1 = cta.copy %X[%i, %c32] {mechanism = #tma} : memref<?x?xbf16> -> !part
      %t0 = cta.read %r0 : !part -> tensor<64x32xbf16, #acc>
      %t1 = cta.read %r1 : !part -> tensor<64x32xbf16, #acc>
      %again = cta.read %r0 : !part -> tensor<64x32xbf16, #acc>
      %t = arith.addf %t0, %t1 : tensor<64x32xbf16, #acc>
      %u = arith.addf %t, %again : tensor<64x32xbf16, #acc>
      %w = arith.extf %u : tensor<64x32xbf16, #acc> to tensor<64x32xf32, #acc>
      cta.store %w, %O[%i, %c0] : tensor<64x32xf32, #acc> -> memref<?x?xf32>
    }
  }
  tile.return
}

// Three products of two loads: the first reads both, the last only one. They begin together but do not end together, so they share nothing; both
// are held from their first reader to their last.
// CHECK-LABEL: tile.kernel @three_products(
// CHECK-COUNT-2: cta.channel : <?, !cta.smem<64x64xbf16, {{[^!]*}}>>
// CHECK: %[[P0:.*]] = cta.acquire %[[X:.*]] :
// CHECK-NEXT: cta.copy %A
// CHECK-NEXT: cta.commit %[[X]], %[[P0]]
// CHECK-NEXT: %[[P1:.*]] = cta.acquire %[[Y:.*]] :
// CHECK-NEXT: cta.copy %B
// CHECK-NEXT: cta.commit %[[Y]], %[[P1]]
// CHECK-NEXT: %[[XC:.*]], %[[A:.*]] = cta.wait %[[X]]
// CHECK-NEXT: %[[YC:.*]], %[[B:.*]] = cta.wait %[[Y]]
// CHECK-NEXT: %[[D:.*]] = cta.wgmma %[[A]], %[[B]],
// CHECK-NEXT: %[[E:.*]] = cta.wgmma %[[B]], %[[B]], %[[D]]
// CHECK-NEXT: cta.release %[[Y]], %[[YC]]
// CHECK-NEXT: %[[F:.*]] = cta.wgmma %[[A]], %[[A]], %[[E]]
// CHECK-NEXT: cta.release %[[X]], %[[XC]]
// CHECK-NEXT: scf.yield %[[F]]
tile.kernel @three_products(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @three_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %b, %c : !tile, !tile -> !sum
      %e = cta.wgmma %b, %b, %d : !tile, !tile -> !sum
      %f = cta.wgmma %a, %a, %e : !tile, !tile -> !sum
      scf.yield %f : !sum
    }
    cta.store %acc, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Readers: threads (cta.read) and the tensor cores, through a view, and in a branch. The wait and the release stand around the branch, in the copy's
// block, whichever way it goes.
// CHECK-LABEL: tile.kernel @readers(
// CHECK: %[[X:.*]] = cta.channel
// CHECK: %[[Y:.*]] = cta.channel
// CHECK: cta.acquire %[[X]]
// CHECK: cta.acquire %[[Y]]
// CHECK: cta.commit %[[Y]]
// CHECK-NEXT: %[[XC:.*]], %[[A:.*]] = cta.wait %[[X]]
// CHECK-NEXT: %[[V:.*]] = cta.view %[[A]]
// CHECK-NEXT: %[[R:.*]] = cta.read %[[V]]
// CHECK-NEXT: cta.release %[[X]], %[[XC]]
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: %[[YC:.*]], %[[B:.*]] = cta.wait %[[Y]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: cta.wgmma %[[B]], %[[B]]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: cta.release %[[Y]], %[[YC]]
tile.kernel @readers(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index, %flag: i1)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @readers_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %none = arith.constant dense<0.0> : tensor<64x64xbf16, #acc>
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %s = %none) -> (!sum, tensor<64x64xbf16, #acc>) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !linear
      %b = cta.copy %B[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %v = cta.view %a : !linear -> !wide
      %r = cta.read %v : !wide -> tensor<64x64xbf16, #acc>
      %t = arith.truncf %c : !sum to tensor<64x64xbf16, #acc>
      %u = arith.addf %t, %r : tensor<64x64xbf16, #acc>
      %d = scf.if %flag -> (!sum) {
        %e = cta.wgmma %b, %b, %c : !tile, !tile -> !sum
        scf.yield %e : !sum
      } else {
        scf.yield %c : !sum
      }
      scf.yield %d, %u : !sum, tensor<64x64xbf16, #acc>
    }
    cta.store %acc#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    %w = arith.extf %acc#1 : tensor<64x64xbf16, #acc> to !sum
    cta.store %w, %C[%c64, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// A copy in a branch and in a while loop; both sides are in one block, so that they stay in step. Coordinates are carried by the loop. Its number of
// iterations may be loaded from memory that nobody writes.
// CHECK-LABEL: tile.kernel @control(
// CHECK-COUNT-2: cta.channel
// CHECK: %[[N:.*]] = memref.load %I
// CHECK: scf.while
// CHECK: } do {
// CHECK-NEXT: ^bb0(%[[J:.*]]: index, %
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A[%[[J]],
// CHECK-NEXT: cta.commit
// CHECK-NEXT: cta.wait
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.release
// CHECK-NEXT: cmpi
// CHECK-NEXT: scf.if
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A
// CHECK-NEXT: cta.commit
// CHECK-NEXT: cta.wait
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.release
// CHECK-NEXT: scf.yield
// CHECK-NOT: why
tile.kernel @control(%A: memref<?x?xbf16>, %I: memref<?xindex>, %C: memref<?x?xf32>)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @control_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %n = memref.load %I[%c0] : memref<?xindex>
    %end:2 = scf.while (%i = %c0, %c = %zero) : (index, !sum) -> (index, !sum) {
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i, %c : index, !sum
    } do {
    ^bb0(%j: index, %c: !sum):
      %a = cta.copy %A[%j, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      %odd = arith.cmpi sgt, %j, %c64 : index
      %e = scf.if %odd -> (!sum) {
        %b = cta.copy %A[%c0, %j] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %f = cta.wgmma %b, %b, %d : !tile, !tile -> !sum
        scf.yield %f : !sum
      } else {
        scf.yield %d : !sum
      }
      %k = arith.addi %j, %c64 : index
      scf.yield %k, %e : index, !sum
    }
    cta.store %end#1, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// A coordinate that a branch, a switch or a loop has as its result, and a copy in a switch; scalars of an argument that may be written, in a launch that
// writes another.
// CHECK-LABEL: tile.kernel @scalars(
// CHECK-COUNT-2: cta.channel
// CHECK-NOT: why
// CHECK-COUNT-2: cta.release
tile.kernel @scalars(%A: memref<?x?xbf16>, %I: memref<?xindex>, %C: memref<?x?xf32>, %K: index, %flag: i1)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @scalars_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %at = %c0) -> (!sum, index) {
      %x = scf.if %flag -> (index) {
        %l = memref.load %I[%k] : memref<?xindex>
        scf.yield %l : index
      } else {
        scf.yield %at : index
      }
      %y = scf.for %m = %c0 to %x step %c64 iter_args(%s = %k) -> (index) {
        %t = arith.addi %s, %m : index
        scf.yield %t : index
      }
      %a = cta.copy %A[%x, %y] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      %e = scf.index_switch %y -> !sum
      case 1 {
        %b = cta.copy %A[%y, %x] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %f = cta.wgmma %b, %b, %d : !tile, !tile -> !sum
        scf.yield %f : !sum
      }
      default {
        scf.yield %d : !sum
      }
      scf.yield %e, %y : !sum, index
    }
    cta.store %acc#0, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// A copy that nobody reads goes.
// CHECK-LABEL: tile.kernel @unread(
// CHECK: cta.launch
// CHECK-NEXT: cta.channel
// CHECK-NOT: cta.channel
// CHECK: scf.for
// CHECK-NEXT: cta.acquire
// CHECK-NEXT: cta.copy %A[%{{.*}}, %{{.*}}] {
// CHECK-NEXT: cta.commit
// CHECK-NEXT: cta.wait
// CHECK-NEXT: cta.wgmma
// CHECK-NEXT: cta.release
tile.kernel @unread(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @unread_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %unread = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

//===--- copies that stay, and why ---===//

// No loop.
// CHECK-LABEL: tile.kernel @no_loop(
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}, why = "not pipelined: no loop repeats it"}
// CHECK-NEXT: cta.wgmma
tile.kernel @no_loop(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  cta.launch @no_loop_0 blocks() {
    %a = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
    %d = cta.wgmma %a, %a : !tile, !tile -> !sum
    cta.store %d, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// The condition of a hint goes with its copy; the producing side must be able to compute it.
// CHECK-LABEL: tile.kernel @hint_of_some(
// CHECK: cta.copy %A[%{{.*}}] cache_if = %keep {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>} :
// CHECK: cta.copy %A[%{{.*}}] cache_if = %{{.*}} {cache = #tile.cache<last>, mechanism = #cta.mechanism<tma>, why = "not pipelined: its coordinates or a bound around it depend on a tile"}
tile.kernel @hint_of_some(%A: memref<?x?xbf16>, %I: memref<?xi32>, %C: memref<?x?xf32>, %K: index, %keep: i1) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @hint_of_some_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %t = cta.load %I[%c0] : memref<?xi32> -> tensor<1xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>>
    %r = cta.reshape %t : tensor<1xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>> -> tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>>
    %x = cta.extract %r : tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>> -> i32
    %n = arith.index_cast %x : i32 to index
    %odd = arith.cmpi sgt, %n, %c64 : index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%c0, %k] cache_if = %keep {cache = #tile.cache<last>, mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    %acc1 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %acc) -> (!sum) {
      %a = cta.copy %A[%c0, %k] cache_if = %odd {cache = #tile.cache<last>, mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc1, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// Coordinates, the bound of a loop, the condition of a branch and of a while loop that depend on a tile; the last through a scalar that the loop carries.
// The copy next to them is not delayed.
// CHECK-LABEL: tile.kernel @tiles(
// CHECK: cta.channel
// CHECK-NOT: cta.channel
// CHECK: cta.copy %A[%{{.*}}] {mechanism = #cta.mechanism<tma>, why = "not pipelined: its coordinates or a bound around it depend on a tile"}
// CHECK: cta.copy %A[%{{.*}}] {mechanism = #cta.mechanism<tma>, why = "not pipelined: its coordinates or a bound around it depend on a tile"}
// CHECK: cta.copy %A[%{{.*}}] {mechanism = #cta.mechanism<tma>, why = "not pipelined: its coordinates or a bound around it depend on a tile"}
// CHECK: cta.copy %A[%{{.*}}] {mechanism = #cta.mechanism<tma>, why = "not pipelined: its coordinates or a bound around it depend on a tile"}
// CHECK: cta.acquire
// CHECK-NEXT: cta.copy %A[%{{.*}}] {mechanism = #cta.mechanism<tma>} :
tile.kernel @tiles(%A: memref<?x?xbf16>, %I: memref<?xi32>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @tiles_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %t = cta.load %I[%c0] : memref<?xi32> -> tensor<1xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>>
    %r = cta.reshape %t : tensor<1xi32, #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [0]], warps = [[0], [0]], wg = 1>> -> tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>>
    %x = cta.extract %r : tensor<i32, #cta.frag<regs = [], lanes = [[], [], [], [], []], warps = [[], []], wg = 1>> -> i32
    %n = arith.index_cast %x : i32 to index
    %odd = arith.cmpi sgt, %n, %c64 : index
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero, %at = %c0) -> (!sum, index) {
      %a = cta.copy %A[%at, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d, %n : !sum, index
    }
    %acc1 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %acc#0) -> (!sum) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    %acc2 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %acc1) -> (!sum) {
      %d = scf.if %odd -> (!sum) {
        %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
        %e = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
        scf.yield %e : !sum
      } else {
        scf.yield %c : !sum
      }
      scf.yield %d : !sum
    }
    %acc3:2 = scf.while (%i = %n, %c = %acc2) : (index, !sum) -> (index, !sum) {
      %more = arith.cmpi slt, %i, %K : index
      scf.condition(%more) %i, %c : index, !sum
    } do {
    ^bb0(%j: index, %c: !sum):
      %a = cta.copy %A[%c0, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      %next = arith.addi %j, %c64 : index
      scf.yield %next, %d : index, !sum
    }
    %acc4 = scf.for %k = %c0 to %K step %c64 iter_args(%c = %acc3#1) -> (!sum) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    cta.store %acc4, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  tile.return
}

// A launch that writes what it reads, by tiles, by TMA, or one scalar; and one that writes the coordinates.
// CHECK-LABEL: tile.kernel @writes(
// CHECK-NOT: cta.channel
// CHECK: cta.copy %A{{.*}} {mechanism = #cta.mechanism<tma>, why = "not pipelined: the launch also writes memory that may be what it reads; a load never moves above such a store"}
// CHECK: cta.launch
// CHECK-NOT: cta.channel
// CHECK: cta.copy %A{{.*}} {mechanism = #cta.mechanism<tma>, why = "not pipelined: a scalar that it depends on is loaded from memory that the launch writes"}
// CHECK: cta.launch
// CHECK-NOT: cta.channel
// CHECK: cta.copy %A{{.*}} {mechanism = #cta.mechanism<tma>, why = "not pipelined: the launch also writes memory that may be what it reads; a load never moves above such a store"}
tile.kernel @writes(%A: memref<?x?xbf16> {tile.alias = "x"}, %I: memref<?xindex>, %B: memref<?x?xbf16> {tile.alias = "x"}, %C: memref<?x?xf32>, %K: index)
    attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @writes_0 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    %o = arith.truncf %acc : !sum to tensor<64x64xbf16, #acc>
    cta.store %o, %A[%c64, %c64] : tensor<64x64xbf16, #acc> -> memref<?x?xbf16>
  }
  cta.launch @writes_1 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %x = memref.load %I[%k] : memref<?xindex>
      %a = cta.copy %A[%x, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      memref.store %k, %I[%x] : memref<?xindex>
      scf.yield %d : !sum
    }
    cta.store %acc, %C[%c0, %c0] : !sum -> memref<?x?xf32>
  }
  cta.launch @writes_2 blocks() {
    %zero = arith.constant dense<0.0> : !sum
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero) -> (!sum) {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a, %c : !tile, !tile -> !sum
      scf.yield %d : !sum
    }
    %o = arith.truncf %acc : !sum to tensor<64x64xbf16, #acc>
    %s = cta.stage %o : tensor<64x64xbf16, #acc> -> !tile
    cta.copy_out %s, %B[%c0, %c0] {mechanism = #tma} : !tile -> memref<?x?xbf16>
  }
  tile.return
}

// A TMA store that reads the slot would have to be over before the release.
// CHECK-LABEL: tile.kernel @through(
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}why = "not pipelined: a TMA store reads its tile, and nothing waits for that before the slot is filled again"}
tile.kernel @through(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @through_0 blocks() {
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      cta.copy_out %a, %B[%c0, %k] {mechanism = #tma} : !tile -> memref<?x?xbf16>
    }
  }
  tile.return
}

// The plan wants none, has no entry `stages`, or is missing.
// CHECK-LABEL: tile.kernel @synchronous(
// CHECK-SAME: phase = #tile.phase<scheduled>
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}{mechanism = #cta.mechanism<tma>} :
// CHECK-LABEL: tile.kernel @silent(
// CHECK-SAME: phase = #tile.phase<scheduled>
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}{mechanism = #cta.mechanism<tma>} :
// CHECK-LABEL: tile.kernel @planless(
// CHECK-SAME: phase = #tile.phase<scheduled>
// CHECK-NOT: cta.channel
// CHECK: cta.copy {{.*}}{mechanism = #cta.mechanism<tma>} :
tile.kernel @synchronous(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<stages = 0>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @synchronous_0 blocks() {
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}
tile.kernel @silent(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1, plan = #cta.plan<persistent = 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @silent_0 blocks() {
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}
tile.kernel @planless(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #placed, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @planless_0 blocks() {
    scf.for %k = %c0 to %K step %c64 {
      %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !tile
      %d = cta.wgmma %a, %a : !tile, !tile -> !sum
      cta.store %d, %C[%c0, %k] : !sum -> memref<?x?xf32>
    }
  }
  tile.return
}
