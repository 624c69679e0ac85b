// A switch becomes no table in memory: its load would be non-coherent, which tile-ptx-check refuses in launches that may begin before the launch before them has ended.
// RUN: tilec %s --variants=any --emit=ptx -o - | FileCheck %s
// CHECK: .entry switch_any_0(
// CHECK-NOT: {{ld.global.nc|switch.table}}
// CHECK: st.global
tile.kernel @switch(%A: memref<?xindex>, %O: memref<?xi64>, %n: index) {
  tile.grid (%i) = (0) to (%n) step (1) {
    %s = memref.load %A[%i] : memref<?xindex>
    %a = arith.constant 17 : i64
    %b = arith.constant 4 : i64
    %c = arith.constant 99 : i64
    %d = arith.constant -5 : i64
    %e = arith.constant 1000 : i64
    %r = scf.index_switch %s -> i64
    case 0 { scf.yield %a : i64 }
    case 1 { scf.yield %b : i64 }
    case 2 { scf.yield %c : i64 }
    case 3 { scf.yield %d : i64 }
    case 4 { scf.yield %e : i64 }
    case 5 { scf.yield %a : i64 }
    case 6 { scf.yield %c : i64 }
    default { scf.yield %e : i64 }
    memref.store %r, %O[%i] : memref<?xi64>
  }
  tile.return
}
