// Inline assembly with a barrier in it must stay where it is: llvm.inline_asm cannot say that it is convergent, so the
// translation marks every call. Without that, jump threading copies the asm into both arms of the condition
// that is known before and after it.
//
// RUN: tilec %s --emit=llvm | FileCheck %s --check-prefix=IR
// RUN: tilec %s --emit=ptx | FileCheck %s --check-prefix=PTX

// IR-COUNT-1: call void asm sideeffect "bar.sync 0;", ""() #[[ATTR:[0-9]+]]
// IR-NOT: asm sideeffect "bar.sync
// IR: attributes #[[ATTR]] = { {{.*}}convergent

// PTX-LABEL: .entry jump
// PTX-COUNT-1: bar.sync 0;
// PTX-NOT: bar.sync
llvm.func @jump(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %low = llvm.icmp "slt" %tid, %n : i32
  llvm.cond_br %low, ^a, ^b
^a:
  llvm.store volatile %one, %p : i32, !llvm.ptr<1>
  llvm.br ^meet(%one : i32)
^b:
  llvm.br ^meet(%two : i32)
^meet(%v: i32):
  llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 0;", "" : () -> ()
  %again = llvm.icmp "eq" %v, %one : i32
  llvm.cond_br %again, ^c, ^d
^c:
  llvm.store volatile %two, %p : i32, !llvm.ptr<1>
  llvm.br ^d
^d:
  llvm.return
}
