// RUN: tile-opt %s --convert-cta-to-nvvm | FileCheck %s

// Bounds of loads and stores.

#l = #cta.frag<regs = [[1], [2]], lanes = [[4], [8], [16], [32], [64]], warps = [[128], [256]]>
#m = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warps = [[2, 0], [4, 0]]>
#rows = #cta.frag<regs = [], lanes = [[0], [0], [0], [0], [1]], warps = [[2], [4]]>
#one = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[32], [64]]>
#few = #cta.frag<regs = [], lanes = [[1], [2], [4], [8], [16]], warps = [[0], [0]]>

// Everything is known: no test, whole vectors; nobody writes %x, so its loads are invariant.
// CHECK-LABEL: llvm.func @static
// CHECK-SAME:    !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<1> {llvm.noalias}
// CHECK-NOT:     scf.if
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NEXT:    llvm.return
tile.kernel @static_k(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @static blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] {vector = 4 : i64} : memref<1024xf32> -> tensor<1024xf32, #l>
    cta.store %a, %y[%c0] {vector = 4 : i64} : tensor<1024xf32, #l> -> memref<1024xf32>
  }
  tile.return
}

// Three paths: inside; bounds that cut no vector; any. The coordinate may be negative.
// CHECK-LABEL: llvm.func @dynamic
// CHECK:         %[[HIGH:.*]] = arith.trunci
// CHECK:         %[[FULL:.*]] = arith.cmpi eq, %[[HIGH]], %c1024_i32
// CHECK:         %[[LOW:.*]] = arith.trunci
// CHECK:         %[[FROM0:.*]] = arith.cmpi eq, %[[LOW]], %c0_i32
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[FULL]], %[[FROM0]]
// CHECK:         %[[CUT:.*]] = arith.ori %[[HIGH]], %[[LOW]]
// CHECK:         %[[REST:.*]] = arith.andi %[[CUT]], %c3_i32
// CHECK:         %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0_i32
// CHECK:         scf.if %[[INSIDE]]
// CHECK-COUNT-2:   llvm.load {{.*}} -> vector<4xi32>
// CHECK:         } else {
// CHECK:           scf.if %[[WHOLE]]
// CHECK:             arith.cmpi slt, %{{.*}}, %[[HIGH]]
// CHECK:             arith.cmpi sge, %{{.*}}, %[[LOW]]
// CHECK-COUNT-2:     llvm.inline_asm {{.*}} "@$5 ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$4+{{[0-9]+}}];", "=r,=r,=r,=r,l,b,0,1,2,3"
// CHECK:           } else {
// CHECK-COUNT-8:     llvm.inline_asm {{.*}} "@$2 ld.global.nc.b32 $0, [$1+{{[0-9]+}}];", "=r,l,b,0"
// A store has side effects.
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "@$1 st.global.v4.b32 [$0+0], {$2, $3, $4, $5};", "l,b,r,r,r,r,~{memory}"
tile.kernel @dynamic_k(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}, %i: index) attributes {phase = #tile.phase<allocated>} {
  cta.launch @dynamic blocks() {
    %a = cta.load %x[%i] {vector = 4 : i64} : memref<?xf32> -> tensor<1024xf32, #l>
    cta.store %a, %y[%i] {vector = 4 : i64} : tensor<1024xf32, #l> -> memref<?xf32>
  }
  tile.return
}

// Facts: the coordinate is not negative, no bound cuts a vector. Equal names share a size parameter.
// CHECK-LABEL: llvm.func @facts
// CHECK-SAME:    tessera.params = [{arg = 0 : i64, dim = 0 : i64, kind = "size"}, {arg = 0 : i64, kind = "pointer"}, {arg = 1 : i64, kind = "pointer"}]
// CHECK-NOT:     arith.cmpi sge
// CHECK-NOT:     ld.global.nc.b32
// CHECK:         ld.global.nc.v4.b32
// CHECK-NOT:     ld.global.nc.b32
tile.kernel @facts_k(%x: memref<?xf32> {tile.shape = ["N"], tile.size_divisible = array<i64: 4>}, %y: memref<?xf32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<allocated>} {
  cta.launch @facts blocks() {
    %b = cta.block_id : index
    %c1024 = arith.constant 1024 : index
    %i = arith.muli %b, %c1024 : index
    %a = cta.load %x[%i] {vector = 4 : i64} : memref<?xf32> -> tensor<1024xf32, #l>
    cta.store %a, %y[%i] {vector = 4 : i64} : tensor<1024xf32, #l> -> memref<?xf32>
  }
  tile.return
}

// A pad, a limit, a mask of rows, a dimension that the tile does not have, a transposed access that has no vectors.
// CHECK-LABEL: llvm.func @clauses
// CHECK-DAG:     %[[PAD:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         arith.minsi
// CHECK-NOT:     llvm.load
// CHECK:         llvm.bitcast %[[PAD]]
// CHECK:         "@$2 ld.global.nc.b32
tile.kernel @clauses_k(%x: memref<?x?x?xf32>, %y: memref<8x64xf32>, %h: index, %i: index, %end: index, %n: i32) attributes {phase = #tile.phase<allocated>} {
  cta.launch @clauses blocks() {
    %c0 = arith.constant 0 : index
    %r = cta.iota dim = 0 : tensor<8xi32, #rows>
    %ns = cta.broadcast %n dims = [] : i32 -> tensor<8xi32, #rows>
    %mask = arith.cmpi slt, %r, %ns : tensor<8xi32, #rows>
    %a = cta.load %x[%i, %h, %c0] dims = [2, 0] limit = [%end, _] pad = neg_inf mask = (%mask : tensor<8xi1, #rows>) on [0] {vector = 4 : i64} : memref<?x?x?xf32> -> tensor<8x64xf32, #m>
    cta.store %a, %y[%c0, %c0] {vector = 4 : i64} : tensor<8x64xf32, #m> -> memref<8x64xf32>
  }
  tile.return
}

// What the launch writes is read as it is, not as a constant. 32 elements for 128 threads: warp 0 stores them.
// CHECK-LABEL: llvm.func @replicated
// CHECK-SAME:    (%{{[a-z0-9]*}}: !llvm.ptr<1>)
// CHECK:         %[[WARP:.*]] = arith.andi %{{.*}}, %c96_i32
// CHECK:         %[[OWNER:.*]] = arith.cmpi eq, %[[WARP]], %c0_i32
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64}
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "@$1 st.global.b32 [$0+0], $2;"{{.*}}%[[OWNER]]
tile.kernel @replicated_k(%x: memref<32xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @replicated blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] : memref<32xf32> -> tensor<32xf32, #few>
    cta.store %a, %x[%c0] : tensor<32xf32, #few> -> memref<32xf32>
  }
  tile.return
}

// i1 is a byte in memory; a strided row. 100 of 128 threads have an element.
// CHECK-LABEL: llvm.func @narrow
// CHECK:         arith.cmpi slt, %{{.*}}, %c100_i32
// CHECK:         llvm.inline_asm {{.*}} "@$2 ld.global.nc.u8 $0, [$1+0];", "=h,l,b,0"
// CHECK:         arith.cmpi ne, %{{.*}} : i8
// CHECK:         "@$1 st.global.u8 [$0+0], $2;"
tile.kernel @narrow_k(%x: memref<100xi1, strided<[?]>>, %y: memref<100xi1>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @narrow blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0] : memref<100xi1, strided<[?]>> -> tensor<100xi1, #one>
    cta.store %a, %y[%c0] : tensor<100xi1, #one> -> memref<100xi1>
  }
  tile.return
}
