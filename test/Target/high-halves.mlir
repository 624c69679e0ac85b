// The upper half of a product of two 32-bit numbers is `mul.hi.u32`, also where LLVM has moved the
// extension of one out of a loop. ptxas 13.0 computes wrong remainders from the other form,
// `mul.lo.s64` and `mov.b64 {_, %r}`, where the factor and the divisor are the same in all
// iterations.
//
// RUN: tilec %s --emit=ptx | FileCheck %s

// CHECK-LABEL: .entry remainders
// CHECK-NOT: {_,
// CHECK-COUNT-1: mul.hi.u32
// CHECK-NOT: {_,
llvm.func @remainders(%p: !llvm.ptr<1>, %n: i32, %d: i32, %m: i32) attributes {nvvm.kernel} {
  %step = llvm.mlir.constant(128 : i32) : i32
  %shift = llvm.mlir.constant(32 : i64) : i64
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  llvm.br ^loop(%tid : i32)
^loop(%i: i32):
  %x = llvm.zext %i : i32 to i64
  %y = llvm.zext %m : i32 to i64
  %product = llvm.mul %x, %y : i64
  %high = llvm.lshr %product, %shift : i64
  %quotient = llvm.trunc %high : i64 to i32
  %whole = llvm.mul %quotient, %d : i32
  %rest = llvm.sub %i, %whole : i32
  %place = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %rest, %place : i32, !llvm.ptr<1>
  %next = llvm.add %i, %step : i32
  %again = llvm.icmp "ult" %next, %n : i32
  llvm.cond_br %again, ^loop(%next : i32), ^end
^end:
  llvm.return
}

// The upper half of 64-bit numbers stays what it is.

// CHECK-LABEL: .entry wide
// CHECK-NOT: mul.hi.u32
// CHECK: mul.lo.s64
llvm.func @wide(%p: !llvm.ptr<1>, %a: i64, %b: i64) attributes {nvvm.kernel} {
  %shift = llvm.mlir.constant(32 : i64) : i64
  %product = llvm.mul %a, %b : i64
  %high = llvm.lshr %product, %shift : i64
  llvm.store %high, %p : i64, !llvm.ptr<1>
  llvm.return
}
