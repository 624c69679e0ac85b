// RUN: tile-opt %s -split-input-file -convert-tile-to-cpu -canonicalize -cse | FileCheck %s

// One function a grid; parameters from their slots, each only where the grid needs it.
// CHECK-NOT: tile.kernel
// CHECK-LABEL: func.func @two_0(
// CHECK-SAME: %[[PARAMS:.*]]: !llvm.ptr, %[[BLOCK:.*]]: i64) {
// CHECK-DAG: %[[SLOT0:.*]] = llvm.load %[[PARAMS]] : !llvm.ptr -> !llvm.ptr
// CHECK-DAG: %[[SIZE:.*]] = llvm.load %[[SLOT0]] : !llvm.ptr -> i64
// CHECK-DAG: %[[AT1:.*]] = llvm.getelementptr %[[PARAMS]][1]
// CHECK-DAG: %[[SLOT1:.*]] = llvm.load %[[AT1]] : !llvm.ptr -> !llvm.ptr
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.load %[[SLOT1]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK: %[[B:.*]] = arith.index_cast %[[BLOCK]] : i64 to index
// CHECK: %[[I:.*]] = arith.muli %[[B]], %c8
// CHECK: memref.store %{{.*}}, %[[X]][%[[I]]]
// CHECK-NOT: llvm.getelementptr
// CHECK: return
// CHECK-LABEL: func.func @two_1(
// The condition of the assumption is the launcher's business.
// CHECK-NOT: arith.cmpi
// CHECK: %[[F:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: memref.store %[[F]]
tile.kernel @two(%x: memref<?xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %ok = arith.cmpi sge, %n, %c8 : index
  tile.assume %ok, "too short" : i1
  tile.grid (%i) = (0) to (%n) step (8) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%i] : memref<?xf32>
  }
  tile.grid () = () to () step () {
    memref.store %f, %x[%c0] : memref<?xf32>
  }
  tile.return
}

// -----

// The last grid dimension is the fastest.
// CHECK-LABEL: func.func @order_0(
// CHECK-SAME: !llvm.ptr, %[[BLOCK:.*]]: i64)
// CHECK: %[[B:.*]] = arith.index_cast %[[BLOCK]] : i64 to index
// CHECK: %[[K:.*]] = arith.remui %[[B]], %c5
// CHECK: %[[REST:.*]] = arith.divui %[[B]], %c5
// CHECK: %[[K4:.*]] = arith.muli %[[K]], %c4
// CHECK: %[[J:.*]] = arith.remui %[[REST]], %c3
// CHECK: %[[I:.*]] = arith.divui %[[REST]], %c3
// CHECK: %[[I2:.*]] = arith.muli %[[I]], %c2
// CHECK: %[[I3:.*]] = arith.addi %[[I2]], %c7
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I3]], %[[J]], %[[K4]]]
tile.kernel @order(%x: memref<?x?x?xf32>) {
  tile.grid (%i, %j, %k) = (7, 0, 0) to (100, 3, 17) step (2, 1, 4) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%i, %j, %k] : memref<?x?x?xf32>
  }
  tile.return
}

// -----

// An offset of more than 32 bits.
// CHECK-LABEL: func.func @far_0(
// CHECK: %[[BACK:.*]] = llvm.mlir.constant(-4294967296 : i64) : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[BACK]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
tile.kernel @far(%x: memref<8xf32, strided<[1], offset: 4294967296>>) {
  %c0 = arith.constant 0 : index
  tile.grid () = () to () step () {
    %v = memref.load %x[%c0] : memref<8xf32, strided<[1], offset: 4294967296>>
    memref.store %v, %x[%c0] : memref<8xf32, strided<[1], offset: 4294967296>>
  }
  tile.return
}

// -----

// Workspace is a parameter; strides are parameters where the type leaves them open, and a static offset is
// taken back because loads add it.
// CHECK-LABEL: func.func @memory_0(
// CHECK: %[[BASE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.getelementptr %{{.*}}[-3] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NOT: memref.alloc
// CHECK: memref.load
tile.kernel @memory(%x: memref<8x8xf32, strided<[?, 1], offset: 3>>) {
  %c0 = arith.constant 0 : index
  %w = memref.alloc() : memref<16xf32>
  tile.grid () = () to () step () {
    %v = memref.load %x[%c0, %c0] : memref<8x8xf32, strided<[?, 1], offset: 3>>
    memref.store %v, %w[%c0] : memref<16xf32>
  }
  tile.return
}

// -----

// Functions that no kernel calls are not part of the artifact, whatever their names.
// CHECK-LABEL: func.func @named_0(%{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK-NOT: func.func
func.func @named_0(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}
tile.kernel @named() {
  tile.grid () = () to () step () {
  }
  tile.return
}
