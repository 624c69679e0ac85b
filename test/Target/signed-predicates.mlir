// A true i1 as a signed number is -1.0 in every float type, also where the predicate was made in another block: LLVM's NVPTX back end made +1.0 of it in bf16.
// RUN: tilec %s --variants=any --emit=ptx -o - | FileCheck %s
// CHECK-LABEL: .entry predicates_any_0(
// CHECK-NOT: cvt.rn.bf16.s32
// CHECK: selp.b16 {{.*}}, 0xBF80, 0x0000, %p
// CHECK-NOT: cvt.rn.bf16.s32
// CHECK-LABEL: .entry unsigned_any_0(
// CHECK-NOT: 0xBF80
tile.kernel @predicates(%A: memref<?xi1>, %O: memref<?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    %c0 = arith.constant 0 : index
    %p = memref.load %A[%i] : memref<?xi1>
    %q = scf.for %k = %c0 to %n step %n iter_args(%x = %p) -> i1 {
      %y = memref.load %A[%k] : memref<?xi1>
      %z = arith.xori %x, %y : i1
      scf.yield %z : i1
    }
    %f = arith.sitofp %q : i1 to bf16
    memref.store %f, %O[%i] : memref<?xbf16>
  }
  tile.return
}

tile.kernel @unsigned(%A: memref<?xi1>, %O: memref<?xbf16>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    %p = memref.load %A[%i] : memref<?xi1>
    %f = arith.uitofp %p : i1 to bf16
    memref.store %f, %O[%i] : memref<?xbf16>
  }
  tile.return
}
