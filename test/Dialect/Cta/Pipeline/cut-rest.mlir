// RUN: tile-opt %s -cta-cut-rest -cta-verify -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=MARKS --implicit-check-not=cta.cut
// RUN: tile-opt %t.mlir -cta-cut-rest | diff %t.mlir -
// RUN: tile-opt %s -cta-cut-rest -o /dev/null --remark-format=emitRemark --remarks-filter=cta-cut-rest 2>&1 | FileCheck %s --check-prefix=REMARK
// A loop is cut where the branches begin to be taken that are marked so. What the cut loops of attention compute: test/Examples/erased.test, test/GPU; that
// main loops of programs are cut: test/Pipelines/cut-rest.test.

#scheduled = #tile.phase<scheduled>

// Both branches, at the end of the last iteration before their condition holds; the second loop goes on with what the first one carried. A branch that is not
// marked stays in both.
// CHECK-LABEL: tile.kernel @cut(
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK:         %[[LEAST:.+]] = arith.minsi %e, %n : index
// CHECK-NEXT:    %[[PLACE:.+]] = arith.maxsi %[[LEAST]], %a : index
// CHECK-NEXT:    %[[LENGTH:.+]] = arith.subi %[[PLACE]], %a : index
// CHECK-NEXT:    %[[UP:.+]] = arith.constant 63 : index
// CHECK-NEXT:    %[[SUM:.+]] = arith.addi %[[LENGTH]], %[[UP]] : index
// CHECK-NEXT:    %[[COUNT:.+]] = arith.divui %[[SUM]], %c64 : index
// CHECK-NEXT:    %[[FULL:.+]] = arith.muli %[[COUNT]], %c64 : index
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %a, %[[FULL]] : index
// CHECK-NEXT:    %[[FIRST:.+]] = scf.for %[[I:.+]] = %a to %[[PLACE]] step %c64 iter_args(%[[S:.+]] = %[[ZERO]]) -> (i32) {
// CHECK:           %[[OTHER:.+]] = scf.if %p -> (i32) {
// CHECK:           %[[T:.+]] = arith.addi %[[S]], %[[OTHER]] : i32
// CHECK-NEXT:      scf.yield %[[T]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[LAST:.+]] = scf.for %[[J:.+]] = %[[NEXT]] to %n step %c64 iter_args(%[[U:.+]] = %[[FIRST]]) -> (i32) {
// CHECK:           %[[OWN:.+]] = arith.index_cast %[[J]] : index to i32
// CHECK-NEXT:      %[[MORE:.+]] = arith.addi %[[U]], %[[OWN]] : i32
// CHECK:           %[[SAME:.+]] = scf.if %p -> (i32) {
// CHECK:           %[[V:.+]] = arith.addi %[[MORE]], %[[SAME]] : i32
// CHECK-NEXT:      memref.store %[[V]], %out[%c0] : memref<?xi32>
// CHECK-NEXT:      scf.yield %[[V]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[LAST]], %out[%c0] : memref<?xi32>
tile.kernel @cut(%out: memref<?xi32>, %a: index, %n: index, %e: index, %p: i1) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @cut_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %r = scf.for %i = %a to %n step %c64 iter_args(%s = %zero) -> (i32) {
      %rest = arith.cmpi sge, %i, %e : index
      %t = scf.if %rest -> (i32) {
        %own = arith.index_cast %i : index to i32
        %more = arith.addi %s, %own : i32
        scf.yield %more : i32
      } else {
        scf.yield %s : i32
      } {cta.cut, cta.rest}
      %one = arith.constant 1 : i32
      %o = scf.if %p -> (i32) {
        scf.yield %one : i32
      } else {
        scf.yield %zero : i32
      }
      %u = arith.addi %t, %o : i32
      scf.if %rest {
        memref.store %u, %out[%c0] : memref<?xi32>
      } else {
      } {cta.cut, cta.rest}
      scf.yield %u : i32
    }
    memref.store %r, %out[%c0] : memref<?xi32>
  }
  tile.return
}

// The branch in front of the loop stays. Where a branch without `else` is not taken nothing is left of it.
// CHECK-LABEL: tile.kernel @around(
// CHECK:         scf.if %{{.+}} {
// CHECK:         } {cta.rest}
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK:           memref.load
// CHECK-NOT:       memref.store
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK:           memref.load
// CHECK:           memref.store
// CHECK:       tile.return
tile.kernel @around(%out: memref<?xi32>, %n: index, %e: index) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @around_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %before = arith.cmpi sge, %c0, %e : index
    scf.if %before {
      memref.store %zero, %out[%c0] : memref<?xi32>
    } {cta.cut, cta.rest}
    scf.for %i = %c64 to %n step %c64 {
      %rest = arith.cmpi sge, %i, %e : index
      %x = memref.load %out[%i] : memref<?xi32>
      scf.if %rest {
        memref.store %x, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
  }
  tile.return
}

// These stay whole: another comparison, a value that the loop carries instead of its variable, a bound from inside, two conditions, a step that is not known,
// unsigned bounds, and bounds of i32. No mark is left.
// CHECK-LABEL: tile.kernel @whole(
// CHECK-COUNT-7: scf.for
// CHECK-NOT:     scf.for
// CHECK:       tile.return
// MARKS:       tile.kernel @whole(
// REMARK:         the iterations without masks have a loop of their own
// REMARK:         the iterations without masks have a loop of their own
// REMARK-COUNT-4: a branch masks in each iteration: its branches do not ask whether its variable has reached one scalar from outside
// REMARK:         a branch masks in each iteration: its step is no positive constant
// REMARK-COUNT-2: a branch masks in each iteration: it does not count in signed indices
tile.kernel @whole(%out: memref<?xi32>, %n: index, %e: index, %f: index, %step: index) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @whole_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    scf.for %i = %c0 to %n step %c64 {
      %rest = arith.cmpi slt, %i, %e : index
      scf.if %rest {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
    %last = scf.for %i = %c0 to %n step %c64 iter_args(%carried = %c0) -> (index) {
      %rest = arith.cmpi sge, %carried, %e : index
      scf.if %rest {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
      scf.yield %i : index
    }
    scf.for %i = %c0 to %n step %c64 {
      %x = memref.load %out[%i] : memref<?xi32>
      %end = arith.index_cast %x : i32 to index
      %rest = arith.cmpi sge, %i, %end : index
      scf.if %rest {
        memref.store %zero, %out[%last] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
    scf.for %i = %c0 to %n step %c64 {
      %rest = arith.cmpi sge, %i, %e : index
      scf.if %rest {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
      %other = arith.cmpi sge, %i, %f : index
      scf.if %other {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
    scf.for %i = %c0 to %n step %step {
      %rest = arith.cmpi sge, %i, %e : index
      scf.if %rest {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
    scf.for unsigned %i = %c0 to %n step %c64 {
      %rest = arith.cmpi sge, %i, %e : index
      scf.if %rest {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
    %i0 = arith.constant 0 : i32
    %i64 = arith.constant 64 : i32
    %last32 = arith.index_cast %n : index to i32
    %end32 = arith.index_cast %e : index to i32
    scf.for %i = %i0 to %last32 step %i64 : i32 {
      %rest = arith.cmpi sge, %i, %end32 : i32
      scf.if %rest {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
  }
  tile.return
}

// A loop over output tiles is not cut: it begins with the number of the block. Nor is any loop of output tiles that take turns.
// CHECK-LABEL: tile.kernel @tiles(
// CHECK:         cta.for_output_tiles
// CHECK-NOT:     cta.for_output_tiles
// CHECK:       tile.return
// CHECK-LABEL: tile.kernel @turns(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:       tile.return
// REMARK:         a branch masks in each iteration: output tiles that take turns have one loop
tile.kernel @tiles(%out: memref<?xi32>, %n: i32, %e: i32) attributes {phase = #scheduled, warpgroups = 1} {
  cta.launch @tiles_0 blocks() {
    %c0 = arith.constant 0 : index
    %first = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    cta.for_output_tiles %t = %first to %n step %one : i32 {
      %rest = arith.cmpi sge, %t, %e : i32
      scf.if %rest {
        memref.store %t, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
  }
  tile.return
}
tile.kernel @turns(%out: memref<?xi32>, %n: index, %e: index) attributes {phase = #scheduled, warpgroups = 1, plan = #cta.plan<stages = 2, producers = 4, persistent = 1, replicate = blocks, warpgroups = 2>} {
  cta.launch @turns_0 blocks() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    scf.for %i = %c0 to %n step %c64 {
      %rest = arith.cmpi sge, %i, %e : index
      scf.if %rest {
        memref.store %zero, %out[%c0] : memref<?xi32>
      } {cta.cut, cta.rest}
    }
  }
  tile.return
}
