// RUN: tile-opt %s --split-input-file --cta-rotate-loops --cta-verify | FileCheck %s
// RUN: tile-opt %s --split-input-file --cta-rotate-loops -o /dev/null --remark-format=emitRemark --remarks-filter=cta-rotate-loops 2>&1 | FileCheck %s --check-prefix=REMARK
// The remarks of each loop, in the order of the IR. What the loops compute: test/Pipelines/rotated.test.

// Three products of three iterations. With fewer than two iterations the loop runs as it was. What makes `a` of the second and of the third comes
// after all waits. A slot is released when the product that reads it has retired.
// REMARK: [Passed] rotate | {{.*}}Remark="3 products of 3 iterations are issued together, in 154 registers"
// CHECK-LABEL: tile.kernel @chain
// CHECK:       %[[SECOND:.+]] = arith.addi %[[LB:.+]], %[[STEP:.+]] : index
// CHECK-NEXT:  %[[RUNS:.+]] = arith.cmpi slt, %[[SECOND]], %n : index
// CHECK-NEXT:  scf.if %[[RUNS]]
// CHECK-NEXT:    %[[THIRD:.+]] = arith.addi %[[SECOND]], %[[STEP]] : index
// Stage 0 of the first iteration; stages 0 of the second and 1 of the first.
// CHECK:         %[[S0:.+]] = cta.wgmma {{.*}} : !cta.smem{{.*}} -> tensor
// CHECK:         %[[S1:.+]] = cta.wgmma {{.*}} : !cta.smem{{.*}} -> tensor
// CHECK:         %[[T0:.+]] = cta.wgmma {{.*}} : tensor{{.*}} -> tensor
// CHECK-NOT:     cta.wgmma
// CHECK:         %[[L:.+]]:3 = scf.for %{{.+}} = %[[THIRD]] to %n step %[[STEP]] iter_args(%[[O:.+]] = %{{.+}}, %[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) ->
// CHECK:           cta.wait %[[C0:.+]] :
// CHECK-NEXT:      %[[S:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK:           %[[Q1:.+]], %{{.+}} = cta.wait %[[C1:.+]] :
// CHECK-NEXT:      %[[T:.+]] = cta.wgmma %[[A]], {{.*}} -> !cta.async
// CHECK-NEXT:      %[[Q2:.+]], %{{.+}} = cta.wait %[[C2:.+]] :
// CHECK-NEXT:      %[[READY:.+]] = cta.ready %[[O]]
// CHECK-NEXT:      %[[U:.+]] = cta.wgmma %[[B]], %{{.+}}, %[[READY]] : {{.*}} -> !cta.async
// CHECK:           %[[TD:.+]] = cta.complete %[[T]]
// CHECK-NEXT:      cta.release %[[C1]], %[[Q1]]
// CHECK-NEXT:      %[[E:.+]] = math.exp2 %[[TD]]
// CHECK-NEXT:      %[[PIN:.+]] = cta.ready %[[E]]
// CHECK-NEXT:      %[[SD:.+]] = cta.complete %[[S]]
// CHECK-NEXT:      %[[UD:.+]] = cta.complete %[[U]]
// CHECK-NEXT:      %[[PINNED:.+]] = cta.complete %[[PIN]]
// CHECK-NEXT:      cta.release %[[C0]]
// CHECK-NEXT:      cta.release %[[C2]], %[[Q2]]
// CHECK-NEXT:      %[[AH:.+]] = arith.truncf %[[SD]]
// CHECK-NEXT:      %[[AN:.+]] = cta.convert_layout %[[AH]]
// CHECK-NEXT:      %[[BH:.+]] = arith.truncf %[[PINNED]]
// CHECK-NEXT:      %[[BN:.+]] = cta.convert_layout %[[BH]]
// CHECK-NEXT:      scf.yield %[[UD]], %[[AN]], %[[BN]]
// After the loop: the second and third products of the last two iterations.
// CHECK:         cta.wgmma %[[L]]#1, {{.*}} -> tensor
// CHECK:         cta.wgmma %[[L]]#2, {{.*}}, %[[L]]#0 : {{.*}} -> tensor
// CHECK:         cta.wgmma {{.*}} -> tensor
// CHECK:       } else {
// CHECK-NEXT:    scf.for
// CHECK-COUNT-3: cta.wgmma {{.*}} -> tensor
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x64xbf16, #acc>
!op = tensor<64x64xbf16, #wa>
!ch = !cta.channel<3, !q>
tile.kernel @chain(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @chain_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %ch2 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %t = cta.wgmma %a, %v1 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      %e = math.exp2 %t : !sum
      %bh = arith.truncf %e : !sum to !half
      %b = cta.convert_layout %bh {how = #cta.conversion<no_op>} : !half -> !op
      %p2 = cta.acquire %ch2 : !ch
      %t2 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch2, %p2 (%t2) : !ch
      %q2, %v2 = cta.wait %ch2 : !ch
      %o = cta.wgmma %b, %v2, %o0 : !op, !q -> !sum
      cta.release %ch2, %q2 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1, 2>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// The schedule has the last product first.
// REMARK: [Passed] rotate | {{.*}}Remark="2 products of 2 iterations
// CHECK-LABEL: tile.kernel @ordered
// CHECK:       scf.for
// CHECK:         cta.wgmma %{{.+}} : tensor<{{.*}} -> !cta.async
// CHECK:         cta.wgmma %{{.+}} : !cta.smem<{{.*}} -> !cta.async
// CHECK:         scf.yield
// Without the registers for three stages, but for two.
// REMARK: [Passed] rotate | {{.*}}Remark="2 products of 2 iterations
// CHECK-LABEL: tile.kernel @fewer
// CHECK:       scf.for
// CHECK-COUNT-2: cta.wgmma {{.*}} -> !cta.async
// CHECK-NOT:     cta.wgmma
// CHECK:         cta.complete
// CHECK:         cta.wgmma
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x64xbf16, #acc>
!op = tensor<64x64xbf16, #wa>
!ch = !cta.channel<3, !q>
tile.kernel @ordered(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @ordered_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {order = array<i64: 1, 0>, products = array<i64: 0, 1>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
tile.kernel @fewer(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, registers = 144>} {
  cta.launch @fewer_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %ch2 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %t = cta.wgmma %a, %v1 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      %e = math.exp2 %t : !sum
      %bh = arith.truncf %e : !sum to !half
      %b = cta.convert_layout %bh {how = #cta.conversion<no_op>} : !half -> !op
      %p2 = cta.acquire %ch2 : !ch
      %t2 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch2, %p2 (%t2) : !ch
      %q2, %v2 = cta.wait %ch2 : !ch
      %o = cta.wgmma %b, %v2, %o0 : !op, !q -> !sum
      cta.release %ch2, %q2 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1, 2>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

// -----

// Left alone, and why.
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="its 2 stages take 106 registers of a thread, which has 96"
// CHECK-LABEL: tile.kernel @registers
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="its schedule has a product before what that needs"
// CHECK-LABEL: tile.kernel @before
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="a slot is read in two stages"
// CHECK-LABEL: tile.kernel @twice
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="a channel of depth 2 is too shallow"
// CHECK-LABEL: tile.kernel @shallow
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="a product reads a tile that the loop stages"
// CHECK-LABEL: tile.kernel @staged
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="what a cta.store needs is there in a later iteration only"
// CHECK-LABEL: tile.kernel @stored
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="the registers of a product's a are made by no conversion, which could wait for it"
// CHECK-LABEL: tile.kernel @summed
// CHECK-NOT:   cta.async
// Nothing is said of a loop all of whose products have one stage.
// REMARK-NOT:  rotate
// CHECK-LABEL: tile.kernel @one_stage
// CHECK-NOT:   cta.async
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x64xbf16, #acc>
!op = tensor<64x64xbf16, #wa>
!ch = !cta.channel<2, !q>
tile.kernel @registers(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1, registers = 96>} {
  cta.launch @registers_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @before(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @before_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 1, 0>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @twice(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @twice_0 blocks() {
    %ch0 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %o = cta.wgmma %a, %v0, %o0 : !op, !q -> !sum
      cta.release %ch0, %q0 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @shallow(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @shallow_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %ch2 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %t = cta.wgmma %a, %v1 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      %e = math.exp2 %t : !sum
      %bh = arith.truncf %e : !sum to !half
      %b = cta.convert_layout %bh {how = #cta.conversion<no_op>} : !half -> !op
      %p2 = cta.acquire %ch2 : !ch
      %t2 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch2, %p2 (%t2) : !ch
      %q2, %v2 = cta.wait %ch2 : !ch
      %o = cta.wgmma %b, %v2, %o0 : !op, !q -> !sum
      cta.release %ch2, %q2 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1, 2>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @staged(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @staged_0 blocks() {
    %ch0 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %h = arith.truncf %s : !sum to !half
      %st = cta.stage %h : !half -> !q
      %o = cta.wgmma %st, %q, %o0 : !q, !q -> !sum
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @stored(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @stored_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a, %v1, %o0 : !op, !q -> !sum
      cta.store %o, %O[%j, %c0] : !sum -> memref<?x64xf32>
      cta.release %ch1, %q1 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @summed(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @summed_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah0 = arith.truncf %s : !sum to !half
      %a0 = cta.convert_layout %ah0 {how = #cta.conversion<no_op>} : !half -> !op
      %a = arith.addf %a0, %a0 : !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @one_stage(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @one_stage_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !sum
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o0 = %zero) -> (!sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %ah = arith.truncf %s : !sum to !half
      %a = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %o : !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 0>}}
    cta.store %r, %O[%c0, %c0] : !sum -> memref<?x64xf32>
  }
  tile.return
}
