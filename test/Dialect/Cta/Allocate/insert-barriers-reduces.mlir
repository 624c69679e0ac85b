// RUN: tile-opt %s -cta-insert-barriers | FileCheck %s
// RUN: tile-opt %s -cta-insert-barriers -cta-insert-barriers | FileCheck %s
// Sums by TMA (cta.copy_out with reduce). Among themselves they need no order, which insert-barriers-stores.mlir shows; to everybody else they read and
// write global memory as a store by TMA does.

#acc = #cta.frag<wgmma_acc, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#add = #tile.atomic_kind<add>
#allocated = #tile.phase<allocated>
!part = tensor<128x32xf32, #acc>
!smem = !cta.smem<128x32xf32, #sw>
!part16 = tensor<128x64xf16, #acc>
!smem16 = !cta.smem<128x64xf16, #sw>

// Threads that load what was added wait until the sums are made. Only the elected thread knows when that is: the others meet it.
// CHECK-LABEL: tile.kernel @load(
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.load %C
// CHECK-NEXT: cta.store {{.*}}, %D
// CHECK-NEXT: }
tile.kernel @load(%C: memref<?x?xf32>, %D: memref<?x?xf32>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @load_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !part
    cta.store %x, %D[%c0, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}

// A wait until the sources are read, or one that leaves the sums in flight, is not enough for the load; a wait for the sums is, but a barrier is missing.
// CHECK-LABEL: tile.kernel @waits(
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.await_stores {pending = 1 : i64}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.load %C
// CHECK-LABEL: tile.kernel @no_barrier(
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.load %C
tile.kernel @waits(%C: memref<?x?xf32>, %D: memref<?x?xf32>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @waits_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    cta.await_stores read
    cta.barrier
    cta.await_stores {pending = 1 : i64}
    cta.barrier
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !part
    cta.store %x, %D[%c0, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}
tile.kernel @no_barrier(%C: memref<?x?xf32>, %D: memref<?x?xf32>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @no_barrier_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    cta.await_stores
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !part
    cta.store %x, %D[%c0, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}

// A scalar that all threads load, and atomics that threads make. What threads did before is fenced, because TMA comes by another proxy.
// CHECK-LABEL: tile.kernel @scalar(
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: memref.load %C
// CHECK-LABEL: tile.kernel @atomics(
// CHECK: cta.atomic
// CHECK: cta.stage
// CHECK-DAG: cta.fence_async{{$}}
// CHECK-DAG: cta.fence_async global
// CHECK: cta.barrier{{$}}
// CHECK-NEXT: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.atomic
tile.kernel @scalar(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %i: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @scalar_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    %x = memref.load %C[%i, %c0] : memref<?x?xf32>
    memref.store %x, %D[%i, %c0] : memref<?x?xf32>
  }
  tile.return
}
tile.kernel @atomics(%C: memref<?x?xf32>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @atomics_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    cta.atomic add relaxed device %t, %C[%c0, %c0] : !part -> memref<?x?xf32>
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    cta.atomic add relaxed device %t, %C[%c0, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}

// The columns beside, and another array, are other memory: only the end of the launch waits, until the tile has been read.
// CHECK-LABEL: tile.kernel @elsewhere(
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.load %C
// CHECK-NEXT: cta.load %D
// CHECK-NEXT: arith.addf
// CHECK-NEXT: cta.store {{.*}}, %E
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: }
tile.kernel @elsewhere(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %E: memref<?x?xf32>, %i: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  cta.launch @elsewhere_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%i, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    %x = cta.load %C[%i, %c32] : memref<?x?xf32> -> !part
    %y = cta.load %D[%i, %c0] : memref<?x?xf32> -> !part
    %z = arith.addf %x, %y : !part
    cta.store %z, %E[%i, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}

// A plain store to the same memory, before the sums and after them, by TMA: each waits for the writes of the one before, and in between a sum of another
// array may stay in flight. The same thread issues all, so no barrier is for that (those here are for the tiles).
// CHECK-LABEL: tile.kernel @store(
// CHECK: cta.copy_out %{{.*}}, %C{{.*}} {mechanism = #cta.mechanism<tma>}
// CHECK: cta.copy_out %{{.*}}, %D{{.*}}reduce
// CHECK: cta.await_stores {pending = 1 : i64}
// CHECK: cta.copy_out %{{.*}}, %C{{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.copy_out %{{.*}}, %C{{.*}} {mechanism = #cta.mechanism<tma>}
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: }
tile.kernel @store(%C: memref<?x?xf32>, %D: memref<?x?xf32>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @store_0 blocks() attributes {shared = 49152} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xf32>
    %b = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %b, %D[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    %c = cta.stage %t {offset = 32768} : !part -> !smem
    cta.copy_out %c, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    cta.copy_out %c, %C[%c0, %c0] {mechanism = #tma} : !smem -> memref<?x?xf32>
  }
  tile.return
}

// Each warpgroup adds its part. Sums of all parts need no order, and a thread of one warpgroup knows nothing of those of another: before the store all
// meet.
// CHECK-LABEL: tile.kernel @apart(
// CHECK: cta.copy_out {{.*}}per_warpgroup, reduce{{.*$}}
// CHECK-NOT: cta.await_stores
// CHECK-NOT: cta.barrier{{$}}
// CHECK: cta.copy_out {{.*}}per_warpgroup, reduce{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.copy_out {{.*}}per_warpgroup}
tile.kernel @apart(%C: memref<?x?xf32>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @apart_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, per_warpgroup, reduce = #add} : !smem -> memref<?x?xf32>
    %b = cta.stage %t {offset = 16384} : !part -> !smem
    cta.copy_out %b, %C[%c0, %c0] {mechanism = #tma, per_warpgroup, reduce = #add} : !smem -> memref<?x?xf32>
    cta.copy_out %b, %C[%c0, %c0] {mechanism = #tma, per_warpgroup} : !smem -> memref<?x?xf32>
  }
  tile.return
}

// TMA reads what it added: the elected thread waits alone.
// CHECK-LABEL: tile.kernel @fetched(
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.copy %C
// CHECK-NEXT: cta.await 0
// CHECK-NEXT: cta.read
tile.kernel @fetched(%C: memref<?x?xf32>, %D: memref<?x?xf32>) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @fetched_0 blocks() attributes {shared = 32768, mbarriers = array<i64: 1>} {
    %t = arith.constant dense<1.0> : !part
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    %x = cta.copy %C[%c0, %c0] {mechanism = #tma, offset = 16384, mbarrier = 0} : memref<?x?xf32> -> !smem
    %y = cta.read %x : !smem -> !part
    cta.store %y, %D[%c0, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}

// Sums of elements of two types in the same bytes do not commute, because one reads half of what the other writes: the second waits for the first.
// CHECK-LABEL: tile.kernel @types(
// CHECK: cta.copy_out %{{.*}}, %C{{.*}}reduce
// CHECK: cta.await_stores{{$}}
// CHECK: cta.copy_out %{{.*}}, %D{{.*}}reduce
// In a loop the first waits for the second of the iteration before, too.
// CHECK-LABEL: tile.kernel @types_in_loop(
// CHECK: scf.for
// CHECK: cta.await_stores{{$}}
// CHECK: cta.copy_out %{{.*}}, %C{{.*}}reduce
// CHECK: cta.await_stores{{$}}
// CHECK: cta.copy_out %{{.*}}, %D{{.*}}reduce{{.*$}}
// CHECK-NEXT: }
tile.kernel @types(%C: memref<?x?xf32> {tile.alias = "x"}, %D: memref<?x?xf16> {tile.alias = "x"}) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @types_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %u = arith.constant dense<1.0> : !part16
    %a = cta.stage %t {offset = 0} : !part -> !smem
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    %b = cta.stage %u {offset = 16384} : !part16 -> !smem16
    cta.copy_out %b, %D[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem16 -> memref<?x?xf16>
  }
  tile.return
}
tile.kernel @types_in_loop(%C: memref<?x?xf32> {tile.alias = "x"}, %D: memref<?x?xf16> {tile.alias = "x"}, %n: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @types_in_loop_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %u = arith.constant dense<1.0> : !part16
    %a = cta.stage %t {offset = 0} : !part -> !smem
    %b = cta.stage %u {offset = 16384} : !part16 -> !smem16
    scf.for %i = %c0 to %n step %c1 {
      cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
      cta.copy_out %b, %D[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem16 -> memref<?x?xf16>
    }
  }
  tile.return
}

// One type, two names of the array: the sums commute. Two types, and two arrays: nothing to order.
// CHECK-LABEL: tile.kernel @one_type(
// CHECK: cta.copy_out %{{.*}}, %C{{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.copy_out %{{.*}}, %D{{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.copy_out %{{.*}}, %H{{.*}}reduce{{.*$}}
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: }
tile.kernel @one_type(%C: memref<?x?xf32> {tile.alias = "x"}, %D: memref<?x?xf32> {tile.alias = "x"}, %H: memref<?x?xf16>, %i: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @one_type_0 blocks() attributes {shared = 32768} {
    %t = arith.constant dense<1.0> : !part
    %u = arith.constant dense<1.0> : !part16
    %a = cta.stage %t {offset = 0} : !part -> !smem
    %b = cta.stage %u {offset = 16384} : !part16 -> !smem16
    cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    cta.copy_out %a, %D[%i, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
    cta.copy_out %b, %H[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem16 -> memref<?x?xf16>
  }
  tile.return
}

// In a while loop an iteration waits until the tile of the one before has been read, not for its sums. Who loads them behind the loop does.
// CHECK-LABEL: tile.kernel @while(
// CHECK: cta.store {{.*}}, %C
// CHECK-NEXT: cta.fence_async global
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: scf.while
// CHECK: } do {
// CHECK-NOT: cta.await_stores{{$}}
// CHECK-NOT: global
// CHECK: cta.await_stores read{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.stage
// CHECK-NEXT: cta.fence_async{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NOT: cta.
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.load %C
tile.kernel @while(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %n: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @while_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    cta.store %t, %C[%c0, %c0] : !part -> memref<?x?xf32>
    %w = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %a = cta.stage %t {offset = 0} : !part -> !smem
      cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !part
    cta.store %x, %D[%c0, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}

// The condition of the loop reads what its iterations add.
// CHECK-LABEL: tile.kernel @condition(
// CHECK: scf.while
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: memref.load %C
// CHECK: } do {
// CHECK-NOT: cta.await_stores
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NEXT: scf.yield
tile.kernel @condition(%C: memref<?x?xf32>, %n: f32) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  cta.launch @condition_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    scf.while : () -> () {
      %e = memref.load %C[%c0, %c0] : memref<?x?xf32>
      %more = arith.cmpf olt, %e, %n : f32
      scf.condition(%more)
    } do {
      %a = cta.stage %t {offset = 0} : !part -> !smem
      cta.copy_out %a, %C[%c0, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
      scf.yield
    }
  }
  tile.return
}

// Where the sums are made in the region of the condition, which runs last.
// CHECK-LABEL: tile.kernel @first_region(
// CHECK: scf.while
// CHECK-NEXT: cta.await_stores read{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.stage
// CHECK: cta.copy_out {{.*}}reduce{{.*$}}
// CHECK-NOT: cta.
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: cta.await_stores{{$}}
// CHECK-NEXT: cta.barrier{{$}}
// CHECK-NEXT: cta.load %C
tile.kernel @first_region(%C: memref<?x?xf32>, %D: memref<?x?xf32>, %n: index) attributes {phase = #allocated, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cta.launch @first_region_0 blocks() attributes {shared = 16384} {
    %t = arith.constant dense<1.0> : !part
    %w = scf.while (%i = %c0) : (index) -> index {
      %a = cta.stage %t {offset = 0} : !part -> !smem
      cta.copy_out %a, %C[%i, %c0] {mechanism = #tma, reduce = #add} : !smem -> memref<?x?xf32>
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    %x = cta.load %C[%c0, %c0] : memref<?x?xf32> -> !part
    cta.store %x, %D[%c0, %c0] : !part -> memref<?x?xf32>
  }
  tile.return
}
