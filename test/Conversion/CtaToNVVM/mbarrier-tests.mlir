// A test of an mbarrier is one instruction, and an await branches around its loop if the test has seen the end of the phase.
//
// RUN: tile-opt %s -convert-cta-to-nvvm | FileCheck %s
// CHECK-LABEL: llvm.func @k
// CHECK:       %[[OVER:.+]] = llvm.inline_asm has_side_effects {{.*}}"mbarrier.test_wait.parity.shared::cta.b64 $0, [$1], $2;", "=b,r,r,~{memory}" %[[BAR:.+]], %[[P:.+]] : ({{.*}}, i32) -> i1
// CHECK:       llvm.inline_asm has_side_effects {{.*}}@$2 bra passed_${:uid};{{.*}}wait_${:uid}:{{.*}}mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;{{.*}}@!done bra.uni wait_${:uid};{{.*}}passed_${:uid}:{{.*}}", "r,r,b,~{memory}" %{{.+}}, %[[P]], %[[OVER]]
// CHECK:       llvm.inline_asm has_side_effects
// CHECK-NOT:   passed_
// CHECK:       llvm.return
tile.kernel @kernel(%n: index, %s: i32, %p: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @k blocks(%n) attributes {threads = 128, max_registers = 168, shared = 16, mbarriers = array<i64: 1, 1>} {
    %t = cta.test_wait 0[%s] parity %p
    cta.await 0[%s] parity %p unless %t
    cta.await 0[%s] parity %p
  }
  tile.return
}
