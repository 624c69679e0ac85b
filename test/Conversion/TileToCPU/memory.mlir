// RUN: tile-opt %s -split-input-file -convert-tile-to-cpu -canonicalize -cse | FileCheck %s

// A load is a copy of the part in bounds; the rest of the buffer is filled only if there is a rest.
// CHECK-LABEL: func.func @load_0(
// CHECK-DAG: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK-DAG: %[[BUFFER:.*]] = memref.alloc() : memref<8xf32>
// CHECK-DAG: %[[SIZE:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[C0:.*]] = arith.maxsi %{{.*}}, %c-8
// CHECK: %[[COORD:.*]] = arith.minsi %[[C0]], %[[SIZE]]
// CHECK: %[[NEG:.*]] = arith.subi %c0, %[[COORD]]
// CHECK: %[[LOW:.*]] = arith.maxsi %[[NEG]], %c0
// CHECK: %[[LEFT:.*]] = arith.subi %[[SIZE]], %[[COORD]]
// CHECK: %[[HIGH:.*]] = arith.minsi %[[LEFT]], %c8
// CHECK: %[[BELOW:.*]] = arith.cmpi sgt, %[[LOW]], %c0
// CHECK: %[[ABOVE:.*]] = arith.cmpi slt, %[[HIGH]], %c8
// CHECK: %[[PARTIAL:.*]] = arith.ori %[[BELOW]], %[[ABOVE]]
// CHECK: scf.if %[[PARTIAL]] {
// CHECK-NEXT: linalg.fill ins(%{{.*}} : f32) outs(%[[BUFFER]] : memref<8xf32>)
// CHECK: scf.for %[[J:.*]] = %[[LOW]] to %[[HIGH]] step %c1 {
// CHECK-NEXT: %[[AT:.*]] = arith.addi %{{.*}}, %[[J]]
// CHECK-NEXT: %[[V:.*]] = memref.load %[[X]][%[[AT]]]
// CHECK-NEXT: memref.store %[[V]], %[[BUFFER]][%[[J]]]
// CHECK: bufferization.to_tensor %[[BUFFER]] restrict writable : memref<8xf32> to tensor<8xf32>
tile.kernel @load(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<8xf32>
    tile.store %a, %y[%c0] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}

// -----

// Tile dimensions in another order, one that the tile does not have, a limit, a mask, a pad.
// CHECK-LABEL: func.func @clauses_0(
// CHECK: %[[NAN:.*]] = arith.constant 0x7E00 : f16
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<4x8xf16>
// CHECK: %[[BOUND:.*]] = arith.minsi %{{.*}}, %[[LIMIT:.*]] : index
// CHECK: arith.maxsi %[[BOUND]], %c0
// CHECK: %[[FROM0:.*]] = arith.cmpi sge, %{{.*}}, %c0
// CHECK: %[[BELOW:.*]] = arith.cmpi slt
// CHECK: %[[INSIDE:.*]] = arith.andi %[[FROM0]], %[[BELOW]]
// CHECK: linalg.fill ins(%[[NAN]] : f16) outs(%[[BUFFER]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: %[[BIT:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<4xi1>
// CHECK: scf.if %[[BIT]]
// CHECK-DAG: %[[LAST:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK-DAG: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[J]]
// CHECK: memref.load %{{.*}}[%[[FIRST]], %{{.*}}, %[[LAST]]]
tile.kernel @clauses(%x: memref<?x?x?xf16>, %y: memref<?x?xf16>, %m: memref<4xi1>, %i: index, %limit: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %mask = tile.load %m[%c0] : memref<4xi1> -> tensor<4xi1>
    %a = tile.load %x[%i, %i, %i] dims = [2, 0] limit = [%limit, _] pad = any mask = %mask on [0]
      : memref<?x?x?xf16> -> tensor<4x8xf16>
    tile.store %a, %y[%c0, %c0] : tensor<4x8xf16> -> memref<?x?xf16>
  }
  tile.return
}

// -----

// Integers that are not accessed and unspecified are recognisable.
// CHECK-LABEL: func.func @any_0(
// CHECK: arith.constant -1515870811 : i32
tile.kernel @any(%x: memref<?xi32>, %y: memref<?xi32>) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0] pad = any : memref<?xi32> -> tensor<8xi32>
    tile.store %a, %y[%c0] : tensor<8xi32> -> memref<?xi32>
  }
  tile.return
}

// -----

// CHECK-LABEL: func.func @store_0(
// CHECK: bufferization.to_tensor
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK: %[[V:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<8xf32>
// CHECK: memref.store %[[V]], %{{.*}}[%[[AT]]]
tile.kernel @store(%x: memref<8xf32>, %y: memref<?xf32>, %i: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%c0] : memref<8xf32> -> tensor<8xf32>
    tile.store %a, %y[%i] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}
