// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Arrays whose addresses come from memory: what may be read early, and what LLVM may assume of arguments.

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]]>

// Nothing is written that could be what is read: the table, the argument and the array are read through caches that are not coherent.
// CHECK-LABEL: llvm.func @reads
// CHECK-SAME:    !llvm.ptr<1> {llvm.readonly}, %{{.*}}: !llvm.ptr<1> {llvm.noalias}
// CHECK:         %[[ADDRESS:.*]] = llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK:         llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<1>
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-2: llvm.store
tile.kernel @reads_k(%t: memref<4xi64> {tile.alias = "in"}, %y: memref<1024xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @reads blocks() {
    %c0 = arith.constant 0 : index
    %address = memref.load %t[%c0] : memref<4xi64>
    %x = tile.array_from %address sizes [1024] align = 16 alias = "in" : i64 -> memref<1024xf32>
    %a = cta.load %x[%c0] {vector = 4 : i64} : memref<1024xf32> -> tensor<1024xf32, #l>
    cta.store %a, %y[%c0] {vector = 4 : i64} : tensor<1024xf32, #l> -> memref<1024xf32>
  }
  tile.return
}

// The array that is written may be any: no read is early, and LLVM assumes nothing.
// CHECK-LABEL: llvm.func @anywhere
// CHECK-SAME:    (%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>)
// CHECK-NOT:     invariant
// CHECK:         llvm.return
tile.kernel @anywhere_k(%t: memref<4xi64>, %y: memref<1024xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @anywhere blocks() {
    %c0 = arith.constant 0 : index
    %address = memref.load %t[%c0] : memref<4xi64>
    %x = tile.array_from %address sizes [1024] : i64 -> memref<1024xf32>
    %a = cta.load %y[%c0] {vector = 4 : i64} : memref<1024xf32> -> tensor<1024xf32, #l>
    cta.store %a, %x[%c0] : tensor<1024xf32, #l> -> memref<1024xf32>
  }
  tile.return
}

// An argument that is written may be the array that is read, but not the one that is promised to be elsewhere.
// CHECK-LABEL: llvm.func @argument
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK:         llvm.inttoptr
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
tile.kernel @argument_k(%t: memref<4xi64> {tile.alias = "out"}, %y: memref<1024xf32> {tile.alias = "out"}) attributes {phase = #tile.phase<allocated>} {
  cta.launch @argument blocks() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = memref.load %t[%c0] : memref<4xi64>
    %x = tile.array_from %first sizes [1024] align = 16 : i64 -> memref<1024xf32>
    %a = cta.load %x[%c0] {vector = 4 : i64} : memref<1024xf32> -> tensor<1024xf32, #l>
    %second = memref.load %t[%c1] : memref<4xi64>
    %z = tile.array_from %second sizes [1024] align = 16 alias = "in" : i64 -> memref<1024xf32>
    %b = cta.load %z[%c0] {vector = 4 : i64} : memref<1024xf32> -> tensor<1024xf32, #l>
    %c = arith.addf %a, %b : tensor<1024xf32, #l>
    cta.store %c, %y[%c0] {vector = 4 : i64} : tensor<1024xf32, #l> -> memref<1024xf32>
  }
  tile.return
}

// Sizes and strides: without `strides` they are products of the sizes that follow.
// CHECK-LABEL: llvm.func @sizes
// CHECK:         llvm.inttoptr
// CHECK:         %[[M:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT:    %[[N:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT:    %[[ROW:.*]] = arith.muli %[[N]], %[[M]] : i64
// CHECK:         %[[D:.*]] = arith.muli %{{.*}}, %[[ROW]] : i64
// CHECK-NEXT:    arith.addi %[[D]], %[[N]] : i64
// CHECK:         llvm.return
tile.kernel @sizes_k(%t: memref<4xi64>, %y: memref<4xi64> {tile.alias = "y"}, %m: index, %n: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @sizes blocks() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %address = memref.load %t[%c0] : memref<4xi64>
    %x = tile.array_from %address sizes [7, %m, %n] : i64 -> memref<7x?x?xi64>
    %d = memref.dim %x, %c1 : memref<7x?x?xi64>
    %v = memref.load %x[%d, %c1, %c1] : memref<7x?x?xi64>
    memref.store %v, %y[%c0] : memref<4xi64>
  }
  tile.return
}
