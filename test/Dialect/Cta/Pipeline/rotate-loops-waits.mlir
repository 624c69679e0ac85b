// RUN: tile-opt %s -split-input-file -cta-rotate-loops -cta-verify | FileCheck %s

// What must not pass through a wait behind the branch.

// A value that a later stage reads is of an earlier iteration: the maximum of the scores is carried, and each iteration yields its own.
// CHECK-LABEL: tile.kernel @older
// CHECK:       scf.for
// CHECK:         %[[S:.+]] = cta.complete %{{.+}} : <tensor<64x16xf32
// CHECK-NEXT:    cta.release
// CHECK-NEXT:    %[[MAX:.+]] = cta.reduce (%[[S]]) dims = [1]
// CHECK:         cta.any warp rare
// CHECK-NOT:     cta.ready %arg
// CHECK:         scf.yield %{{.+}}, %{{.+}}, %{{.+}}, %[[MAX]], %{{.+}} :
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
#sw = #cta.swizzle<128, dim = 1>
#sn = #cta.swizzle<32, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!b0 = !cta.smem<64x16xbf16, #sn>
!b1 = !cta.smem<16x16xbf16, #sn>
!b2 = !cta.smem<16x16xbf16, #sn>
!s = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!op = tensor<64x16xbf16, #wa>
!half = tensor<64x64xbf16, #acc>
!rows = tensor<64xf32, #row>
!c0 = !cta.channel<4, !b0>
!c1 = !cta.channel<4, !b1>
!c2 = !cta.channel<4, !b2>
tile.kernel @older(%V: memref<?x64xbf16>, %N: memref<?x16xbf16>, %O: memref<?x16xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @older_0 blocks() {
    %ch0 = cta.channel : !c0
    %ch1 = cta.channel : !c1
    %ch2 = cta.channel : !c2
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !s
    %zr = arith.constant dense<0.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zr, %o0 = %zero) -> (!rows, !s) {
      %p0 = cta.acquire %ch0 : !c0
      %t0 = cta.copy %N[%j, %c0] {mechanism = #tma} : memref<?x16xbf16> -> !b0
      cta.commit %ch0, %p0 (%t0) : !c0
      %q0, %v0 = cta.wait %ch0 : !c0
      %s = cta.wgmma %q, %v0 : !q, !b0 -> !s
      cta.release %ch0, %q0 : !c0
      %m = cta.reduce (%s) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !s -> !rows
      %e = math.exp2 %s : !s
      %eh = arith.truncf %e : !s to !h
      %pa = cta.convert_layout %eh {how = #cta.conversion<no_op>} : !h -> !op
      %p1 = cta.acquire %ch1 : !c1
      %t1 = cta.copy %N[%j, %c0] {mechanism = #tma} : memref<?x16xbf16> -> !b1
      cta.commit %ch1, %p1 (%t1) : !c1
      %q1, %v1 = cta.wait %ch1 : !c1
      %u = cta.wgmma %pa, %v1 : !op, !b1 -> !s
      cta.release %ch1, %q1 : !c1
      %hu = cta.reduce (%u) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !s -> !rows
      %uu = math.exp2 %u : !s
      %u2 = math.exp2 %uu : !s
      %need = arith.cmpf ogt, %hu, %l0 : !rows
      %vote = cta.any warp rare %need : tensor<64xi1, #row>
      %l1 = scf.if %vote -> (!rows) {
        %mn = arith.maximumf %l0, %hu : !rows
        scf.yield %mn : !rows
      } else {
        scf.yield %l0 : !rows
      }
      %ms = cta.broadcast %m dims = [0] : !rows -> !s
      %d = arith.subf %u2, %ms : !s
      %e1 = math.exp2 %d : !s
      %e1h = arith.truncf %e1 : !s to !h
      %qa = cta.convert_layout %e1h {how = #cta.conversion<no_op>} : !h -> !op
      %p2 = cta.acquire %ch2 : !c2
      %t2 = cta.copy %N[%j, %c0] {mechanism = #tma} : memref<?x16xbf16> -> !b2
      cta.commit %ch2, %p2 (%t2) : !c2
      %q2, %v2 = cta.wait %ch2 : !c2
      %o = cta.wgmma %qa, %v2, %o0 : !op, !b2 -> !s
      cta.release %ch2, %q2 : !c2
      scf.yield %l1, %o : !rows, !s
    } {cta.modulo_schedule = {products = array<i64: 0, 1, 2>}}
    cta.store %r#1, %O[%c0, %c0] : !s -> memref<?x16xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x16xf32>
  }
  tile.return
}

// -----

// A product that only a conversion reads passes through its own wait, and nothing else keeps what follows behind the branch: the wait stands at the end.
// CHECK-LABEL: tile.kernel @straight
// CHECK:       scf.for
// CHECK:         %[[S:.+]] = cta.wgmma {{.*}} -> !cta.async
// CHECK:         cta.any warp rare
// CHECK-NEXT:    scf.if
// CHECK:         %[[DONE:.+]] = cta.complete
// CHECK:         arith.truncf
// CHECK:         scf.yield
#acc = #cta.frag<wgmma_acc, wg = 1>
#wa = #cta.frag<wgmma_a, bits = 16, wg = 1>
#row = #cta.frag<regs = [[8]], lanes = [[0], [0], [1], [2], [4]], warps = [[16], [32]]>
#sw = #cta.swizzle<128, dim = 1>
#sn = #cta.swizzle<32, dim = 1>
#tma = #cta.mechanism<tma>
!q = !cta.smem<64x64xbf16, #sw>
!b0 = !cta.smem<64x16xbf16, #sn>
!b1 = !cta.smem<16x16xbf16, #sn>
!s = tensor<64x16xf32, #acc>
!h = tensor<64x16xbf16, #acc>
!op = tensor<64x16xbf16, #wa>
!half = tensor<64x64xbf16, #acc>
!rows = tensor<64xf32, #row>
!c0 = !cta.channel<4, !b0>
!c1 = !cta.channel<4, !b1>
tile.kernel @straight(%V: memref<?x64xbf16>, %N: memref<?x16xbf16>, %O: memref<?x16xf32>, %n: index)
    attributes {phase = #tile.phase<scheduled>, warpgroups = 1, plan = #cta.plan<pending = 1>} {
  cta.launch @straight_0 blocks() {
    %ch0 = cta.channel : !c0
    %ch1 = cta.channel : !c1
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant dense<0.0> : !s
    %zr = arith.constant dense<0.0> : !rows
    %x = cta.load %V[%c0, %c0] : memref<?x64xbf16> -> !half
    %q = cta.stage %x : !half -> !q
    %r:2 = scf.for %j = %c0 to %n step %c64 iter_args(%l0 = %zr, %o0 = %zero) -> (!rows, !s) {
      %p0 = cta.acquire %ch0 : !c0
      %t0 = cta.copy %N[%j, %c0] {mechanism = #tma} : memref<?x16xbf16> -> !b0
      cta.commit %ch0, %p0 (%t0) : !c0
      %q0, %v0 = cta.wait %ch0 : !c0
      %t = cta.wgmma %q, %v0 : !q, !b0 -> !s
      %s = cta.wgmma %q, %v0 : !q, !b0 -> !s
      cta.release %ch0, %q0 : !c0
      %hu = cta.reduce (%t) dims = [1] init(%low) {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maximumf %a, %b : f32
        tile.yield %max : f32
      } : !s -> !rows
      %uu = math.exp2 %hu : !rows
      %need = arith.cmpf ogt, %uu, %l0 : !rows
      %vote = cta.any warp rare %need : tensor<64xi1, #row>
      %l1 = scf.if %vote -> (!rows) {
        %mn = arith.maximumf %l0, %uu : !rows
        scf.yield %mn : !rows
      } else {
        scf.yield %l0 : !rows
      }
      %e1h = arith.truncf %s : !s to !h
      %qa = cta.convert_layout %e1h {how = #cta.conversion<no_op>} : !h -> !op
      %p1 = cta.acquire %ch1 : !c1
      %t1 = cta.copy %N[%j, %c0] {mechanism = #tma} : memref<?x16xbf16> -> !b1
      cta.commit %ch1, %p1 (%t1) : !c1
      %q1, %v1 = cta.wait %ch1 : !c1
      %o = cta.wgmma %qa, %v1, %o0 : !op, !b1 -> !s
      cta.release %ch1, %q1 : !c1
      scf.yield %l1, %o : !rows, !s
    } {cta.modulo_schedule = {products = array<i64: 0, 0, 1>}}
    cta.store %r#1, %O[%c0, %c0] : !s -> memref<?x16xf32>
    cta.store %r#0, %O[%c0, %c0] dims = [0] : !rows -> memref<?x16xf32>
  }
  tile.return
}
