// RUN: tile-opt %s --split-input-file --cta-rotate-loops --cta-verify | FileCheck %s

// Attention: the second product of an iteration runs in the next one, just after the first product is issued. What lies between is computed while it
// is in flight. What makes its registers comes after the wait, and what they are made from goes through the wait. The scale, which has one register
// for each row, is carried, not the tile to which it is broadcast.
// CHECK-LABEL: tile.kernel @attention
// CHECK:       %[[RUNS:.+]] = arith.cmpi slt, %[[LB:.+]], %n
// CHECK-NEXT:  %[[R:.+]]:2 = scf.if %[[RUNS]] -> (tensor<64xf32, #frag>, tensor<64x64xf32, #wgmma_acc>) {
// CHECK-NEXT:    %[[SECOND:.+]] = arith.addi %[[LB]], %[[STEP:.+]] : index
// The first iteration without its second product.
// CHECK:         cta.wait %[[CK:.+]] :
// CHECK-NEXT:    cta.wgmma {{.*}} -> tensor
// CHECK-NEXT:    cta.release %[[CK]]
// CHECK:         %[[P0:.+]] = cta.convert_layout
// CHECK:         cta.commit %[[CV:.+]], %{{.+}} (
// CHECK-NEXT:    %[[L:.+]]:4 = scf.for %{{.+}} = %[[SECOND]] to %n step %[[STEP]] iter_args(%[[M:.+]] = %{{.+}}, %[[O:.+]] = %[[ZERO:.+]], %[[SCALE:.+]] = %{{.+}}, %[[P:.+]] = %[[P0]]) ->
// CHECK:           %[[QK:.+]], %[[K:.+]] = cta.wait %[[CK]]
// CHECK-NEXT:      %[[S:.+]] = cta.wgmma %{{.+}}, %[[K]] : {{.*}} -> !cta.async
// Not before the product, whose issue would wait for it: the scale gets a new name here.
// CHECK-NEXT:      %[[HERE:.+]] = cta.ready %[[SCALE]]
// CHECK-NEXT:      %[[NOW:.+]] = cta.complete %[[HERE]]
// CHECK-NEXT:      %[[ROWS:.+]] = cta.broadcast %[[NOW]]
// CHECK-NEXT:      %[[SCALED:.+]] = arith.mulf %[[O]], %[[ROWS]]
// CHECK-NEXT:      %[[QV:.+]], %[[V:.+]] = cta.wait %[[CV]]
// CHECK-NEXT:      %[[READY:.+]] = cta.ready %[[SCALED]]
// CHECK-NEXT:      %[[U:.+]] = cta.wgmma %[[P]], %[[V]], %[[READY]] : {{.*}} -> !cta.async
// CHECK-NEXT:      %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:      cta.release %[[CK]], %[[QK]] :
// CHECK:           %[[E:.+]] = math.exp2
// CHECK:           cta.commit %[[CV]]
// CHECK-NEXT:      %[[PIN:.+]] = cta.ready %[[E]]
// CHECK-NEXT:      %[[UD:.+]] = cta.complete %[[U]]
// CHECK-NEXT:      %[[PINNED:.+]] = cta.complete %[[PIN]]
// CHECK-NEXT:      cta.release %[[CV]], %[[QV]] :
// CHECK-NEXT:      %[[HALF:.+]] = arith.truncf %[[PINNED]]
// CHECK-NEXT:      %[[NEXT:.+]] = cta.convert_layout %[[HALF]]
// CHECK-NEXT:      scf.yield %{{.+}}, %[[UD]], %{{.+}}, %[[NEXT]] :
// CHECK-NEXT:    }
// The second product of the last iteration.
// CHECK-NEXT:    %[[LR:.+]] = cta.broadcast %[[L]]#2
// CHECK-NEXT:    %[[LS:.+]] = arith.mulf %[[L]]#1, %[[LR]]
// CHECK-NEXT:    %[[QL:.+]], %[[VL:.+]] = cta.wait %[[CV]]
// CHECK-NEXT:    %[[LAST:.+]] = cta.wgmma %[[L]]#3, %[[VL]], %[[LS]] : {{.*}} -> tensor
// CHECK-NEXT:    cta.release %[[CV]], %[[QL]]
// CHECK-NEXT:    scf.yield %[[L]]#0, %[[LAST]]
// CHECK-NEXT:  } else {
// CHECK-NEXT:    scf.yield %{{.+}}, %[[ZERO]]
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
#sw = #cta.swizzle<128, dim = 1>
#kt = #cta.swizzle<128, dim = 0>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!k = !cta.smem<64x64xbf16, #kt>
!sum = tensor<64x64xf32, #acc>
!rows = tensor<64xf32, #row>
!chk = !cta.channel<2, !k>
!chv = !cta.channel<2, !q>
tile.kernel @attention(%Q: memref<?x64xbf16>, %K: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @attention_0 blocks() {
    %ck = cta.channel : !chk
    %cv = cta.channel : !chv
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %low = arith.constant -1.0e30 : f32
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %pk = cta.acquire %ck : !chk
      %k0 = cta.copy %K[%j, %c0] dims = [1, 0] {mechanism = #tma} : memref<?x64xbf16> -> !k
      cta.commit %ck, %pk (%k0) : !chk
      %qk, %k = cta.wait %ck : !chk
      %s = cta.wgmma %q, %k : !q, !k -> !sum
      cta.release %ck, %qk : !chk
      %m1 = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %m = arith.maximumf %m0, %m1 : !rows
      %ms = cta.broadcast %m dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %p = math.exp2 %d : !sum
      %dm = arith.subf %m0, %m : !rows
      %alpha = math.exp2 %dm : !rows
      %as = cta.broadcast %alpha dims = [0] : !rows -> !sum
      %scaled = arith.mulf %o0, %as : !sum
      %h = arith.truncf %p : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !chv
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !chv
      %qv, %v = cta.wait %cv : !chv
      %o = cta.wgmma %a, %v, %scaled : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !chv
      scf.yield %m, %o : !rows, !sum
    }
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

// -----

// Left alone: not enough registers for both products (`registers = 96`), an accumulator that something else reads, `a` that depends on no other product, a channel
// of depth 1, no pending in the plan.
// CHECK-LABEL: tile.kernel @registers
// CHECK-NOT:   cta.async
// CHECK:       tile.kernel @shared
// CHECK-NOT:   cta.async
// CHECK:       tile.kernel @read
// CHECK-NOT:   cta.async
// CHECK:       tile.kernel @loaded
// CHECK-NOT:   cta.async
// CHECK:       tile.kernel @shallow
// CHECK-NOT:   cta.async
// CHECK:       tile.kernel @without
// CHECK-NOT:   cta.async
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
tile.kernel @registers(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, registers = 96>} {
  cta.launch @registers_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// Four blocks share the registers of an SM: 640 threads, 96 registers each when they start.
tile.kernel @shared(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, producers = 1, blocks_per_sm = 4>} {
  cta.launch @shared_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @read(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @read_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      cta.store %o, %O[%j, %c0] : !sum -> memref<?x64xf32>
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @loaded(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @loaded_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.load %O[%j, %c0] : memref<?x64xf32> -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @shallow(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @shallow_0 blocks() {
    %cv = cta.channel : !cta.channel<1, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<1, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<1, !q>
      %qv, %v = cta.wait %cv : !cta.channel<1, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<1, !q>
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @without(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 0>} {
  cta.launch @without_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// The same with enough of all: it does turn.
// CHECK-LABEL: tile.kernel @enough
// CHECK:       cta.async
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
tile.kernel @enough(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, registers = 128>} {
  cta.launch @enough_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    }
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// The schedule of the loop is asked, if it is one of this loop: both products at one stage stay where they are.
// CHECK-LABEL: tile.kernel @one_stage
// CHECK-NOT:   cta.async
// CHECK-LABEL: tile.kernel @two_stages
// CHECK:       cta.async
// CHECK-LABEL: tile.kernel @of_another_loop
// CHECK:       cta.async
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
tile.kernel @one_stage(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, registers = 128>} {
  cta.launch @one_stage_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    } {cta.modulo_schedule = {ii = 512 : i64, products = array<i64: 0, 0>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
tile.kernel @two_stages(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, registers = 128>} {
  cta.launch @two_stages_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
tile.kernel @of_another_loop(%Q: memref<?x64xbf16>, %V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, registers = 128>} {
  cta.launch @of_another_loop_0 blocks() {
    %cv = cta.channel : !cta.channel<2, !q>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %Q[%c0, %c0] : memref<?x64xbf16> -> tensor<64x64xbf16, #acc>
    %q = cta.stage %x : tensor<64x64xbf16, #acc> -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %s = cta.wgmma %q, %q : !q, !q -> !sum
      %h = arith.truncf %s : !sum to tensor<64x64xbf16, #acc>
      %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #wa>
      %pv = cta.acquire %cv : !cta.channel<2, !q>
      %v0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %cv, %pv (%v0) : !cta.channel<2, !q>
      %qv, %v = cta.wait %cv : !cta.channel<2, !q>
      %o = cta.wgmma %a, %v, %o0 : tensor<64x64xbf16, #wa>, !q -> !sum
      cta.release %cv, %qv : !cta.channel<2, !q>
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 0, 0>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
