// RUN: tilec %s --target=cpu -O0 --emit=llvm -o - | FileCheck %s --implicit-check-not=alloca
// RUN: tilec %s --target=cpu -O0 -o %t.so
// RUN: tile-run %t.so list:1xi64:values=3000000 zeros:5x7xf32 list:1xindex:values=1 zeros:2xindex --out O=%t.npy
// RUN: %python -c "import numpy; print(*numpy.load('%t.npy'))" | FileCheck %s --check-prefix=VALUES
// REQUIRES: numpy

// A loop that asks for a size has no place on the stack in each iteration: one that waited for another block overflowed it.
// CHECK-LABEL: define void @asks_in_a_loop_0
// CHECK: ret void
// VALUES: 15000000 7
tile.kernel @asks_in_a_loop(%N: memref<1xi64>, %A: memref<?x?xf32>, %D: memref<1xindex>, %O: memref<2xindex>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.load %N[%c0] : memref<1xi64>
    %end = arith.index_cast %n : i64 to index
    %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %c0) -> (index) {
      %size = memref.dim %A, %c0 : memref<?x?xf32>
      %next = arith.addi %s, %size : index
      scf.yield %next : index
    }
    memref.store %sum, %O[%c0] : memref<2xindex>
    // Of a dimension that only the run knows, too.
    %d = memref.load %D[%c0] : memref<1xindex>
    %which = memref.dim %A, %d : memref<?x?xf32>
    memref.store %which, %O[%c1] : memref<2xindex>
  }
  tile.return
}
