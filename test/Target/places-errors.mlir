// RUN: not tilec %s --emit=ptx -o %t 2>&1 | FileCheck %s
// RUN: sed 's/if %few/if %many/' %s | tilec - --emit=json -o - | FileCheck %s --check-prefix=ONE
// A launch has one table: all clusters must ask for it under one condition.
// ONE: "places":{"args":[{"scalar":1},100],"op":"cmp_sge"}
tile.kernel @k(%x: memref<?xindex>, %n: index) attributes {phase = #tile.phase<allocated>, warpgroups = 1 : i64} {
  %c100 = arith.constant 100 : index
  %many = arith.cmpi sge, %n, %c100 : index
  %few = arith.cmpi slt, %n, %c100 : index
  cta.launch @k_0 blocks(%n) attributes {cluster = 2, threads = 128} {
    %a = cta.cluster_place if %many : index
    // CHECK: [[@LINE+1]]:{{.*}}has another condition than one before it in the launch, which has one table
    %b = cta.cluster_place if %few : index
    memref.store %a, %x[%b] : memref<?xindex>
  }
  tile.return
}
