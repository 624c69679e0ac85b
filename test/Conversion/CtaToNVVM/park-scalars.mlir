// RUN: tile-opt %s -nvvm-park-scalars -split-input-file | FileCheck %s
// RUN: tile-opt %s -nvvm-park-scalars -split-input-file | tile-opt -nvvm-park-scalars -split-input-file | FileCheck %s
// What an output tile needs before its products, and the number of output tiles, are kept in the lanes of one register.

// CHECK-LABEL: llvm.func @points(
// CHECK-SAME:    %[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32)
// CHECK:       %[[ROWS:.*]] = arith.addi %[[M]]
// CHECK:       %[[COLUMNS:.*]] = arith.addi %[[N]]
// CHECK:       %[[TOTAL:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK:       %[[INVERSE:.*]] = arith.divui %{{.*}}, %[[ROWS]]
// CHECK:       nvvm.setmaxregister  increase 232
// CHECK:       %[[FIRST:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:       %[[STEP:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK:       %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid
// CHECK:       %[[IS1:.*]] = arith.cmpi eq, %[[LANE]], %c1_i32
// CHECK-NEXT:  %[[TWO:.*]] = arith.select %[[IS1]], %[[ROWS]], %[[INVERSE]]
// CHECK:       %[[IS2:.*]] = arith.cmpi eq, %[[LANE]], %c2_i32
// CHECK-NEXT:  %[[PARKED:.*]] = arith.select %[[IS2]], %[[TOTAL]], %[[TWO]]
// CHECK:       scf.while (%[[POINT:.*]] = %[[FIRST]], %{{.*}} = %{{.*}}) : (i32, i32) -> (i32, i32) {
// CHECK:         %[[END:.*]] = nvvm.shfl.sync  idx %c-1_i32{{[_0-9]*}}, %[[PARKED]], %c2_i32{{[_0-9]*}}, %c31_i32{{[_0-9]*}}
// CHECK:         %[[MORE:.*]] = arith.cmpi slt, %[[POINT]], %[[END]]
// CHECK:         scf.condition(%[[MORE]])
// CHECK:       } do {
// CHECK:       ^bb0(%[[P:.*]]: i32, %{{.*}}: i32):
// CHECK:         %[[INVERSE1:.*]] = nvvm.shfl.sync  idx %{{.*}}, %[[PARKED]], %c0_i32
// CHECK:         %[[ROWS1:.*]] = nvvm.shfl.sync  idx %{{.*}}, %[[PARKED]], %c1_i32
// CHECK-NOT:     nvvm.shfl
// CHECK:         %[[Q:.*]] = arith.muli %[[P]], %[[INVERSE1]]
// CHECK:         %[[R:.*]] = arith.muli %[[Q]], %[[ROWS1]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[K]]
// What an inner loop needs stays, and so does what is needed after it.
// CHECK:           llvm.inline_asm {{.*}}wgmma.mma_async{{.*}}"r,r" %[[COLUMNS]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[P]], %[[STEP]]
// CHECK-NEXT:    scf.yield %[[NEXT]], %{{.*}} : i32, i32
// CHECK-NEXT:  } attributes {cta.rest}
llvm.func @points(%m: i32, %n: i32, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %rows = arith.addi %m, %c7 : i32
  %columns = arith.addi %n, %c7 : i32
  %total = arith.muli %rows, %columns : i32
  %inverse = arith.divui %c7, %rows : i32
  nvvm.setmaxregister increase 232
  %first = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  %r = scf.for %p = %first to %total step %step iter_args(%s = %c0) -> (i32) : i32 {
    %q = arith.muli %p, %inverse : i32
    %row = arith.muli %q, %rows : i32
    scf.for %i = %c0 to %k step %c1 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async $0, $1;", "r,r" %columns, %row : (i32, i32) -> ()
    }
    %t = arith.addi %s, %c1 : i32
    scf.yield %t : i32
  } {cta.rest}
  llvm.return
}

// -----

// Two values are not worth it: the third is needed after the products, the fourth after the last output tile.
// CHECK-LABEL: llvm.func @few(
// CHECK-NOT:   nvvm.shfl
// CHECK:       scf.for
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
llvm.func @few(%m: i32, %n: i32) {
  %c7 = arith.constant 7 : i32
  %a = arith.addi %m, %c7 : i32
  %b = arith.addi %n, %c7 : i32
  %c = arith.muli %a, %b : i32
  %d = arith.subi %a, %b : i32
  nvvm.setmaxregister increase 232
  %first = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  scf.for %p = %first to %m step %step : i32 {
    %x = arith.muli %p, %a : i32
    %y = arith.muli %x, %b : i32
    %z = arith.muli %y, %c : i32
    %w = arith.muli %z, %d : i32
    llvm.inline_asm has_side_effects "wgmma.mma_async $0;", "r" %w : (i32) -> ()
    scf.for %k = %c7 to %m step %c7 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async $0;", "r" %w : (i32) -> ()
    }
    llvm.inline_asm has_side_effects "use $0;", "r" %c : (i32) -> ()
  }
  llvm.inline_asm has_side_effects "use $0;", "r" %d : (i32) -> ()
  llvm.return
}

// -----

// What threads do not share, what takes no work, and what is not 32 bits wide.
// CHECK-LABEL: llvm.func @others(
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
llvm.func @others(%m: i32, %n: i64, %k: i32) {
  %c7 = arith.constant 7 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %a = arith.addi %tid, %c7 : i32
  %b = arith.muli %a, %m : i32
  %p0 = llvm.mlir.zero : !llvm.ptr
  %c = llvm.load %p0 : !llvm.ptr -> i32
  %d = arith.addi %c, %m : i32
  %e = arith.addi %n, %n : i64
  %f = arith.trunci %n : i64 to i32
  nvvm.setmaxregister increase 232
  %first = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  scf.for %p = %first to %m step %step : i32 {
    llvm.inline_asm has_side_effects "use $0, $1, $2, $3, $4, $5;", "r,r,r,l,r,r" %a, %b, %d, %e, %f, %k : (i32, i32, i32, i64, i32, i32) -> ()
    scf.for %j = %c7 to %m step %c7 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
    }
  }
  llvm.return
}

// -----

// Roles that gave registers away, loops that not all threads leave together, loops without products, and loops over K.
// CHECK-LABEL: llvm.func @elsewhere(
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
llvm.func @elsewhere(%m: i32, %n: i32) {
  %c7 = arith.constant 7 : i32
  %a = arith.addi %m, %c7 : i32
  %b = arith.addi %n, %c7 : i32
  %c = arith.muli %a, %b : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %first = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  %giving = arith.cmpi slt, %tid, %c7 : i32
  scf.if %giving {
    nvvm.setmaxregister decrease 40
    scf.for %p = %first to %m step %step : i32 {
      llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
      scf.for %k = %c7 to %m step %c7 : i32 {
        llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
      }
    }
  } else {
    nvvm.setmaxregister increase 232
    scf.for %p = %tid to %m step %step : i32 {
      llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
      scf.for %k = %c7 to %m step %c7 : i32 {
        llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
      }
    }
    scf.for %p = %first to %m step %step : i32 {
      llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
      scf.for %k = %c7 to %m step %c7 : i32 {
        llvm.inline_asm has_side_effects "use $0;", "r" %p : (i32) -> ()
      }
    }
    scf.for %k = %first to %m step %step : i32 {
      llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
    }
  }
  llvm.return
}

// -----

// The launcher's table of places says the same to all threads, and so does what stands for it; other loads may not,
// nor a branch that not all take.
// CHECK-LABEL: llvm.func @places(
// CHECK:       nvvm.shfl.sync
// CHECK-LABEL: llvm.func @changing(
// CHECK-NOT:   nvvm.shfl
// CHECK-LABEL: llvm.func @divided(
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
llvm.func @places(%m: i32, %n: i32, %table: !llvm.ptr<1>) {
  %c7 = arith.constant 7 : i32
  %c0 = arith.constant 0 : i64
  %a = arith.addi %m, %c7 : i32
  %b = arith.addi %n, %c7 : i32
  %c = arith.muli %a, %b : i32
  nvvm.setmaxregister increase 232
  %own = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  %address = llvm.ptrtoint %table : !llvm.ptr<1> to i64
  %given = arith.cmpi ne, %address, %c0 : i64
  %first = scf.if %given -> (i32) {
    %entry = llvm.getelementptr %table[%own] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %said = llvm.load %entry {tessera.uniform} : !llvm.ptr<1> -> i32
    scf.yield %said : i32
  } else {
    scf.yield %own : i32
  }
  scf.for %p = %first to %m step %step : i32 {
    llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
    scf.for %i = %c7 to %n step %c7 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
    }
  }
  llvm.return
}
llvm.func @changing(%m: i32, %n: i32, %table: !llvm.ptr<1>) {
  %c7 = arith.constant 7 : i32
  %a = arith.addi %m, %c7 : i32
  %b = arith.addi %n, %c7 : i32
  %c = arith.muli %a, %b : i32
  nvvm.setmaxregister increase 232
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  %first = llvm.load %table invariant : !llvm.ptr<1> -> i32
  scf.for %p = %first to %m step %step : i32 {
    llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
    scf.for %i = %c7 to %n step %c7 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
    }
  }
  llvm.return
}
llvm.func @divided(%m: i32, %n: i32) {
  %c7 = arith.constant 7 : i32
  %a = arith.addi %m, %c7 : i32
  %b = arith.addi %n, %c7 : i32
  %c = arith.muli %a, %b : i32
  nvvm.setmaxregister increase 232
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %own = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  %mine = arith.cmpi slt, %tid, %c7 : i32
  %first = scf.if %mine -> (i32) {
    scf.yield %own : i32
  } else {
    scf.yield %m : i32
  }
  scf.for %p = %first to %m step %step : i32 {
    llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
    scf.for %i = %c7 to %n step %c7 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
    }
  }
  llvm.return
}

// -----

// A loop of a block that takes registers twice is parked once, and then it is another loop.
// CHECK-LABEL: llvm.func @twice(
// CHECK:       nvvm.setmaxregister  increase 232
// CHECK:       nvvm.setmaxregister  increase 240
// CHECK:       nvvm.read.ptx.sreg.laneid
// CHECK-NOT:   nvvm.read.ptx.sreg.laneid
// CHECK:       scf.while
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
llvm.func @twice(%m: i32, %n: i32) {
  %c7 = arith.constant 7 : i32
  %a = arith.addi %m, %c7 : i32
  %b = arith.addi %n, %c7 : i32
  %c = arith.muli %a, %b : i32
  %d = arith.subi %a, %b : i32
  nvvm.setmaxregister increase 232
  nvvm.setmaxregister increase 240
  %first = nvvm.read.ptx.sreg.ctaid.x : i32
  %step = nvvm.read.ptx.sreg.nctaid.x : i32
  scf.for %p = %first to %d step %step : i32 {
    llvm.inline_asm has_side_effects "use $0, $1, $2;", "r,r,r" %a, %b, %c : (i32, i32, i32) -> ()
    scf.for %k = %c7 to %n step %c7 : i32 {
      llvm.inline_asm has_side_effects "wgmma.mma_async;", "" : () -> ()
    }
  }
  llvm.return
}
