// Sizes and scalars of several kernels: each takes its own, and a name that none of them has is an error, with those that there are.
//
// RUN: tile-opt %s --cta-simulate="sizes=K=200,A.0=64 scalars=n=3" -verify-diagnostics -o /dev/null
// RUN: not tile-opt %s --cta-simulate="sizes=K=200,k=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tile-opt %s --cta-serialize-trace="sizes=K=200,A.2=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not tile-opt %s --cta-simulate="sizes=K=200,n=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not tile-opt %s --cta-simulate="scalars=K=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=IS-SIZE
// RUN: not tile-opt %s --cta-serialize-trace="scalars=m=64" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-SCALAR
// SIZE: [[@LINE+12]]:1: error: no kernel has a size 'k'
// SIZE: note: @refused has A.0, A.1, B.0, K
// SIZE: note: @leak has A.0
// DIM: error: no kernel has a size 'A.2'
// SCALAR: error: no kernel has a size 'n'; it is a scalar argument: say scalars=n=<number>
// SCALAR: note: @refused has A.0
// IS-SIZE: error: no kernel has a scalar argument 'K'; it is a size: say sizes=K=<number>
// NO-SCALAR: error: no kernel has a scalar argument 'm'
// NO-SCALAR-NOT: say
// NO-SCALAR: note: @refused has none
// NO-SCALAR: note: @leak has n

tile.kernel @refused(%A: memref<?x8xf32>, %B: memref<?xf32> {tile.shape = ["K"]}) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %k = tile.dim "K" : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %r = arith.remui %k, %c64 : index
  %ok = arith.cmpi eq, %r, %c0 : index
  // expected-error@+1 {{the launcher refuses these arguments: K must be a multiple of 64}}
  tile.assume %ok, "K must be a multiple of 64" : i1
  tile.return
}

// A copy by name of the argument and dimension; nobody waits for it.
#lin = #cta.swizzle<linear>
tile.kernel @leak(%A: memref<?xf32>, %n: i32) attributes {phase = #tile.phase<allocated>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %size = memref.dim %A, %c0 : memref<?xf32>
  %c64 = arith.constant 64 : index
  %blocks = arith.divui %size, %c64 : index
  // expected-note@+1 {{in block 0 of @k, timing 0}}
  cta.launch @k blocks(%blocks) attributes {shared = 264, mbarriers = array<i64: 1>} {
    // expected-error@+1 {{nobody waits for this copy}}
    %a = cta.copy %A[%c0] {mechanism = #cta.mechanism<tma>, offset = 0, mbarrier = 0} : memref<?xf32> -> !cta.smem<64xf32, #lin>
  }
  tile.return
}
