// RUN: tile-opt %s -nvvm-park-scalars -allow-unregistered-dialect | FileCheck %s
// Of an op that no dialect knows nothing is known: what it computes, and what comes from that, stays in registers; the rest is parked.

// CHECK-LABEL: llvm.func @unknown(
// CHECK:         %[[S:.*]] = "unknown.op"()
// CHECK:         %[[T:.*]] = arith.addi %[[S]],
// CHECK:         scf.while
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl
// CHECK:         llvm.inline_asm {{.*}}"r,r,r,r,r" %{{.*}}, %{{.*}}, %{{.*}}, %[[S]], %[[T]]
// CHECK-NOT:     nvvm.shfl
// CHECK:         llvm.return
llvm.func @unknown(%m: i32, %n: i32) {
  %c7 = arith.constant 7 : i32
  %a = arith.addi %m, %c7 : i32
  %b = arith.addi %n, %c7 : i32
  %c = arith.muli %a, %b : i32
  %d = arith.subi %a, %b : i32
  %s = "unknown.op"() : () -> i32
  %t = arith.addi %s, %c7 : i32
  nvvm.setmaxregister increase 232
  %first = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  scf.for %p = %first to %d step %step : i32 {
    llvm.inline_asm has_side_effects "use $0, $1, $2, $3, $4;", "r,r,r,r,r" %a, %b, %c, %s, %t : (i32, i32, i32, i32, i32) -> ()
    scf.for %k = %c7 to %n step %c7 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
    }
  }
  llvm.return
}
