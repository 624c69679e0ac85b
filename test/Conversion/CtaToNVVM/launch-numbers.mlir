// Numbers that all blocks share and that need a division by another number than a constant are computed by the launcher, and passed.
// RUN: tile-opt %s -split-input-file -convert-cta-to-nvvm | FileCheck %s
// RUN: tile-opt %s -split-input-file -convert-cta-to-nvvm | grep 'arith.div\|arith.rem' | wc -l | FileCheck %s --check-prefix=DIVISIONS

// Each function below whose number is not passed divides once.
// DIVISIONS: {{^}}6{{$}}

// One that is used twice is one parameter; what is computed from it is another. The dimension is the launcher's.
// CHECK-LABEL: llvm.func @passed
// CHECK-SAME: (%{{.*}}: i64, %{{.*}}: !llvm.ptr<1> {{{.*}}}, %{{.*}}: i32)
// CHECK-SAME: tessera.numbers = [{args = [{size = [1, 0]}, {args = [{size = [0, 0]}, 1], op = "maxsi"}], op = "divui"}]
// CHECK-SAME: tessera.params = [{kind = "expr", value = {ref = 0 : i64}}, {arg = 0 : i64, kind = "pointer"},
// CHECK-SAME: {kind = "expr", value = {args = [{args = [{args = [{ref = 0 : i64}, 4294967295], op = "and"}
tile.kernel @kernel(%x: memref<?xi32>, %y: memref<?xi32> {tile.shape = ["N"]}) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.dim "N" : index
  %m = memref.dim %x, %c0 : memref<?xi32>
  %d = arith.maxsi %m, %c1 : index
  %q = arith.divui %n, %d : index
  %narrow = arith.index_castui %q : index to i32
  cta.launch @passed blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    memref.store %narrow, %x[%q] : memref<?xi32>
    memref.store %narrow, %x[%q] : memref<?xi32>
  }
  tile.return
}

// -----

// The number of SMs is greater than 0.
// CHECK-LABEL: llvm.func @narrow
// CHECK-SAME: {kind = "expr", value = {args = [{{.*}}"num_cores"{{.*}}], op = "remui"}}
tile.kernel @kernel(%x: memref<?xi32>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?xi32>
  %cores = tile.num_cores : index
  %r = arith.remui %m, %cores : index
  cta.launch @narrow blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    %c7 = arith.constant 7 : i32
    memref.store %c7, %x[%r] : memref<?xi32>
  }
  tile.return
}

// -----

// A division by a constant is a multiplication.
// CHECK-LABEL: llvm.func @constant
// CHECK-NOT: kind = "expr"
// CHECK: arith.divui
tile.kernel @kernel(%x: memref<?xi32>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %m = memref.dim %x, %c0 : memref<?xi32>
  %q = arith.divui %m, %c7 : index
  cta.launch @constant blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    %one = arith.constant 1 : i32
    memref.store %one, %x[%q] : memref<?xi32>
  }
  tile.return
}

// -----

// The launcher would refuse the launch if the divisor were 0; the device computes something.
// CHECK-LABEL: llvm.func @maybe_zero
// CHECK-NOT: kind = "expr"
// CHECK: arith.divui
tile.kernel @kernel(%x: memref<?xi32>, %y: memref<?xi32>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?xi32>
  %n = memref.dim %y, %c0 : memref<?xi32>
  %q = arith.divui %n, %m : index
  cta.launch @maybe_zero blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    %one = arith.constant 1 : i32
    memref.store %one, %x[%q] : memref<?xi32>
  }
  tile.return
}

// -----

// The argument may be any number, so that what is computed from it may overflow.
// CHECK-LABEL: llvm.func @argument
// CHECK-NOT: kind = "expr"
// CHECK: arith.divui
tile.kernel @kernel(%x: memref<?xi32>, %a: index) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?xi32>
  %d = arith.maxsi %m, %c1 : index
  %s = arith.muli %a, %a : index
  %q = arith.divui %s, %d : index
  cta.launch @argument blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    %one = arith.constant 1 : i32
    memref.store %one, %x[%q] : memref<?xi32>
  }
  tile.return
}

// -----

// Numbers of other types are computed by the device.
// CHECK-LABEL: llvm.func @wraps
// CHECK-NOT: kind = "expr"
// CHECK: arith.remui
tile.kernel @kernel(%x: memref<?xi32>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %prime = arith.constant 6364136223846793005 : i64
  %m = memref.dim %x, %c0 : memref<?xi32>
  %wide = arith.index_castui %m : index to i64
  %hash = arith.muli %wide, %prime : i64
  %index = arith.index_castui %hash : i64 to index
  %d = arith.maxsi %m, %c1 : index
  %q = arith.remui %index, %d : index
  cta.launch @wraps blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    %one = arith.constant 1 : i32
    memref.store %one, %x[%q] : memref<?xi32>
  }
  tile.return
}

// -----

// In index the launcher wraps as the device does.
// CHECK-LABEL: llvm.func @constants
// CHECK-SAME: kind = "expr"
tile.kernel @kernel(%x: memref<?xi32>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %prime = arith.constant 6364136223846793005 : index
  %m = memref.dim %x, %c0 : memref<?xi32>
  %hash = arith.muli %m, %prime : index
  %d = arith.maxsi %m, %c1 : index
  %q = arith.remui %hash, %d : index
  cta.launch @constants blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    %one = arith.constant 1 : i32
    memref.store %one, %x[%q] : memref<?xi32>
  }
  tile.return
}

// -----

// Shifts are, too.
// CHECK-LABEL: llvm.func @shifted
// CHECK-NOT: kind = "expr"
// CHECK: arith.remui
tile.kernel @kernel(%x: memref<?xi32>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?xi32>
  %s = arith.shli %m, %m : index
  %d = arith.maxsi %m, %c1 : index
  %q = arith.remui %s, %d : index
  cta.launch @shifted blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    %one = arith.constant 1 : i32
    memref.store %one, %x[%q] : memref<?xi32>
  }
  tile.return
}

// -----

// Memory is read by the device.
// CHECK-LABEL: llvm.func @memory
// CHECK-NOT: kind = "expr"
// CHECK: arith.divui
tile.kernel @kernel(%x: memref<?xindex>) attributes {phase = #tile.phase<allocated>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?xindex>
  %d = arith.maxsi %m, %c1 : index
  %read = memref.load %x[%c0] : memref<?xindex>
  %q = arith.divui %read, %d : index
  cta.launch @memory blocks(%c1) attributes {threads = 128 : i64, shared = 0 : i64} {
    memref.store %c1, %x[%q] : memref<?xindex>
  }
  tile.return
}
