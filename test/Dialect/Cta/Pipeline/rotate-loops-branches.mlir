// RUN: tile-opt %s --split-input-file --cta-rotate-loops --cta-verify | FileCheck %s
// RUN: tile-opt %s --split-input-file --cta-rotate-loops -o /dev/null --remark-format=emitRemark --remarks-filter=cta-rotate-loops 2>&1 | FileCheck %s --check-prefix=REMARK

// A branch is one op of a stage. The vote and the factor of an iteration are carried to the branch of the next one that scales the accumulators, which
// runs after the issue of the first product. The branch that raises the maximum runs when that product is complete.
// REMARK: [Passed] rotate | {{.*}}Remark="2 products of 2 iterations are issued together,
// CHECK-LABEL: tile.kernel @rare
// CHECK:       scf.if
// CHECK:         cta.any warp rare
// CHECK:         scf.for {{.*}} iter_args(%[[M:[^ ]+]] = %{{[^ ]+}}, %[[O:[^ ]+]] = %{{[^ ]+}}, %[[VOTE:[^ ]+]] = %{{[^ ]+}}, %[[F:[^ ]+]] = %{{[^ ]+}}, %[[A:[^ ]+]] = %{{[^ ]+}}) -> (tensor<64xf32, #frag>, tensor<64x64xf32, #wgmma_acc>, i1, tensor<64xf32, #frag>, tensor<64x64xbf16, #wgmma_a>)
// CHECK:           %[[S:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK-NEXT:      %[[HERE:.+]] = cta.ready %[[F]]
// CHECK-NEXT:      %[[NOW:.+]] = cta.complete %[[HERE]]
// CHECK-NEXT:      %[[SCALED:.+]] = scf.if %[[VOTE]] -> (tensor<64x64xf32, #wgmma_acc>) {
// CHECK-NEXT:        %[[FS:.+]] = cta.broadcast %[[NOW]]
// CHECK-NEXT:        %[[ON:.+]] = arith.mulf %[[O]], %[[FS]]
// CHECK-NEXT:        scf.yield %[[ON]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[O]]
// CHECK-NEXT:      }
// CHECK:           %[[READY:.+]] = cta.ready %[[SCALED]]
// CHECK-NEXT:      %[[U:.+]] = cta.wgmma %[[A]], %{{.+}}, %[[READY]] : {{.*}} -> !cta.async
// CHECK-NEXT:      cta.complete %[[S]]
// CHECK:           %[[NEXT:.+]] = cta.any warp rare
// CHECK-NEXT:      %[[MF:.+]]:2 = scf.if %[[NEXT]]
// The second product takes about as long as the arithmetic up to here. So it is waited for here, and the maximum passes through the wait, so that nothing
// of the exponentials is moved before it.
// CHECK:           %[[MREADY:.+]] = cta.ready %[[MF]]#0
// CHECK-NEXT:      %[[UD:.+]] = cta.complete %[[U]]
// CHECK-NEXT:      %[[M1:.+]] = cta.complete %[[MREADY]]
// CHECK-NEXT:      cta.release
// CHECK-NEXT:      cta.broadcast %[[M1]]
// CHECK:           math.exp2
// CHECK-NOT:       cta.complete
// CHECK:           scf.yield %[[M1]], %[[UD]], %[[NEXT]], %[[MF]]#1, %{{.+}} :
// The end of the last iteration.
// CHECK:         scf.if %{{.+}}#2 -> (tensor<64x64xf32, #wgmma_acc>) {
// CHECK:         cta.wgmma {{.*}} -> tensor<64x64xf32, #wgmma_acc>

// With four times as many columns the second product takes longer than that: it is waited for at the end, and the exponentials pass through the wait.
// REMARK: [Passed] rotate
// CHECK-LABEL: tile.kernel @long
// CHECK:         scf.for
// CHECK:           %[[U:.+]] = cta.wgmma {{.*}} -> !cta.async<tensor<64x256xf32
// CHECK:           scf.if
// CHECK-NOT:       cta.complete
// CHECK:           %[[E:.+]] = math.exp2 {{.*}} tensor<64x64xf32
// CHECK:           %[[READY:.+]] = cta.ready %[[E]]
// CHECK-NEXT:      cta.complete %[[U]]
// CHECK-NEXT:      %[[PINNED:.+]] = cta.complete %[[READY]]
// CHECK:           arith.truncf %[[PINNED]]

// A branch with an effect is in the first stage, in the order of effects.
// REMARK: [Passed] rotate
// CHECK-LABEL: tile.kernel @stored
// CHECK:       scf.for
// CHECK:         %[[S:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK:         cta.wgmma {{.*}} -> !cta.async
// CHECK:         %[[SD:.+]] = cta.complete %[[S]]
// CHECK:         scf.if %flag {
// CHECK-NEXT:      cta.store %[[SD]]

// A vote of the block may run in the first stage.
// REMARK: [Passed] rotate
// CHECK-LABEL: tile.kernel @block
// CHECK:       cta.async

// Left alone:
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="a branch in it has loops or steps: scf.for"
// CHECK-LABEL: tile.kernel @looped
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="a branch in it has matrix products: cta.wgmma"
// CHECK-LABEL: tile.kernel @product
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="a branch in it has a vote of the block"
// CHECK-LABEL: tile.kernel @inside
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="what a cta.any needs is there in a later iteration only"
// CHECK-LABEL: tile.kernel @later
// CHECK-NOT:   cta.async
// REMARK: [Missed] rotate | {{.*}}Remark="its products wait for each other: ", Remark="a branch in it fills or releases slots: cta.acquire"
// CHECK-LABEL: tile.kernel @slots
// CHECK-NOT:   cta.async
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x64xbf16, #acc>
!op = tensor<64x64xbf16, #wa>
!rows = tensor<64xf32, #row>
!ch = !cta.channel<2, !q>
!wv = !cta.smem<64x256xbf16, #sw>
!wide = tensor<64x256xf32, #acc>
!wide_ch = !cta.channel<2, !wv>
tile.kernel @rare(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @rare_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %rise = arith.subf %here, %m0 : !rows
      %need = arith.cmpf ogt, %rise, %most : !rows
      %vote = cta.any warp rare %need : tensor<64xi1, #row>
      %m1, %f = scf.if %vote -> (!rows, !rows) {
        %mn = arith.maximumf %m0, %here : !rows
        %drop = arith.subf %m0, %mn : !rows
        %alpha = math.exp2 %drop : !rows
        scf.yield %mn, %alpha : !rows, !rows
      } else {
        scf.yield %m0, %m0 : !rows, !rows
      }
      %scaled = scf.if %vote -> (!sum) {
        %as = cta.broadcast %f dims = [0] : !rows -> !sum
        %on = arith.mulf %o0, %as : !sum
        scf.yield %on : !sum
      } else {
        scf.yield %o0 : !sum
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %scaled : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @long(%V: memref<?x64xbf16>, %O: memref<?x256xf32>, %W: memref<?x256xbf16>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @long_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !wide_ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !wide
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !wide) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %rise = arith.subf %here, %m0 : !rows
      %need = arith.cmpf ogt, %rise, %most : !rows
      %vote = cta.any warp rare %need : tensor<64xi1, #row>
      %m1, %f = scf.if %vote -> (!rows, !rows) {
        %mn = arith.maximumf %m0, %here : !rows
        %drop = arith.subf %m0, %mn : !rows
        %alpha = math.exp2 %drop : !rows
        scf.yield %mn, %alpha : !rows, !rows
      } else {
        scf.yield %m0, %m0 : !rows, !rows
      }
      %scaled = scf.if %vote -> (!wide) {
        %as = cta.broadcast %f dims = [0] : !rows -> !wide
        %on = arith.mulf %o0, %as : !wide
        scf.yield %on : !wide
      } else {
        scf.yield %o0 : !wide
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !wide_ch
      %t1 = cta.copy %W[%j, %c0] {mechanism = #tma} : memref<?x256xbf16> -> !wv
      cta.commit %ch1, %p1 (%t1) : !wide_ch
      %q1, %v1 = cta.wait %ch1 : !wide_ch
      %o = cta.wgmma %a1, %v1, %scaled : !op, !wv -> !wide
      cta.release %ch1, %q1 : !wide_ch
      scf.yield %m1, %o : !rows, !wide
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !wide -> memref<?x256xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x256xf32>
  }
  tile.return
}

tile.kernel @stored(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @stored_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %m1 = arith.maximumf %m0, %here : !rows
      scf.if %flag {
        cta.store %s, %O[%j, %c0] : !sum -> memref<?x64xf32>
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @block(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @block_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %rise = arith.subf %here, %m0 : !rows
      %need = arith.cmpf ogt, %rise, %most : !rows
      %vote = cta.any rare %need : tensor<64xi1, #row>
      %m1, %f = scf.if %vote -> (!rows, !rows) {
        %mn = arith.maximumf %m0, %here : !rows
        %drop = arith.subf %m0, %mn : !rows
        %alpha = math.exp2 %drop : !rows
        scf.yield %mn, %alpha : !rows, !rows
      } else {
        scf.yield %m0, %m0 : !rows, !rows
      }
      %scaled = scf.if %vote -> (!sum) {
        %as = cta.broadcast %f dims = [0] : !rows -> !sum
        %on = arith.mulf %o0, %as : !sum
        scf.yield %on : !sum
      } else {
        scf.yield %o0 : !sum
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %scaled : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @looped(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @looped_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %mm = arith.maximumf %m0, %here : !rows
      %m1 = scf.if %flag -> (!rows) {
        %many = scf.for %i = %c0 to %n step %c64 iter_args(%z = %mm) -> (!rows) {
          %more = math.exp2 %z : !rows
          scf.yield %more : !rows
        }
        scf.yield %many : !rows
      } else {
        scf.yield %mm : !rows
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @product(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @product_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %m1 = arith.maximumf %m0, %here : !rows
      %other = scf.if %flag -> (!sum) {
        %w = cta.wgmma %q, %q : !q, !q -> !sum
        scf.yield %w : !sum
      } else {
        scf.yield %s : !sum
      }
      cta.store %other, %O[%j, %c0] : !sum -> memref<?x64xf32>
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @inside(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @inside_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %rise = arith.subf %here, %m0 : !rows
      %need = arith.cmpf ogt, %rise, %most : !rows
      %m1 = scf.if %flag -> (!rows) {
        %b = cta.any rare %need : tensor<64xi1, #row>
        %mi = scf.if %b -> (!rows) {
          %mn = arith.maximumf %m0, %here : !rows
          scf.yield %mn : !rows
        } else {
          scf.yield %m0 : !rows
        }
        scf.yield %mi : !rows
      } else {
        scf.yield %m0 : !rows
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @later(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @later_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %m1 = arith.maximumf %m0, %here : !rows
      %huge = arith.cmpf ogt, %o0, %zero : !sum
      %vote = cta.any rare %huge : tensor<64x64xi1, #acc>
      %scaled = scf.if %vote -> (!sum) {
        scf.yield %zero : !sum
      } else {
        scf.yield %o0 : !sum
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %scaled : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}

tile.kernel @slots(%V: memref<?x64xbf16>, %O: memref<?x64xf32>, %n: index, %flag: i1)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @slots_0 blocks() {
    %ch0 = cta.channel : !ch
    %ch1 = cta.channel : !ch
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !sum
    %floor = arith.constant dense<-1.0e30> : !rows
    %most = arith.constant dense<8.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%m0 = %floor, %o0 = %zero) -> (!rows, !sum) {
      %p0 = cta.acquire %ch0 : !ch
      %t0 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch0, %p0 (%t0) : !ch
      %q0, %v0 = cta.wait %ch0 : !ch
      %s = cta.wgmma %q, %v0 : !q, !q -> !sum
      cta.release %ch0, %q0 : !ch
      %here = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !sum -> !rows
      %m1 = arith.maximumf %m0, %here : !rows
      scf.if %flag {
        %pp = cta.acquire %ch0 : !ch
        %tt = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
        cta.commit %ch0, %pp (%tt) : !ch
        %qq, %vv = cta.wait %ch0 : !ch
        cta.release %ch0, %qq : !ch
      }
      %ms = cta.broadcast %m1 dims = [0] : !rows -> !sum
      %d = arith.subf %s, %ms : !sum
      %e = math.exp2 %d : !sum
      %ah = arith.truncf %e : !sum to !half
      %a1 = cta.convert_layout %ah {how = #cta.conversion<no_op>} : !half -> !op
      %p1 = cta.acquire %ch1 : !ch
      %t1 = cta.copy %V[%j, %c0] {mechanism = #tma} : memref<?x64xbf16> -> !q
      cta.commit %ch1, %p1 (%t1) : !ch
      %q1, %v1 = cta.wait %ch1 : !ch
      %o = cta.wgmma %a1, %v1, %o0 : !op, !q -> !sum
      cta.release %ch1, %q1 : !ch
      scf.yield %m1, %o : !rows, !sum
    } {cta.modulo_schedule = {products = array<i64: 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !sum -> memref<?x64xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x64xf32>
  }
  tile.return
}
