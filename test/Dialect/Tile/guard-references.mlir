// RUN: tile-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-guard-references))' | FileCheck %s
// RUN: tile-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(tile.kernel(tile-guard-references))' -o /dev/null --remark-format=emitRemark --remarks-filter=tile-guard-references 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(tile.kernel(tile-guard-references{only-products=true}))' -o /dev/null --remark-format=emitRemark --remarks-filter=tile-guard-references 2>&1 | FileCheck %s --check-prefix=PRODUCTS
// What it computes: test/CPU/guard-references.test.

// f32 products of 8 rows are nothing for the tensor cores.
// PRODUCTS: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="no product of the tensor cores waits for it"
// PRODUCTS-NOT: [Passed]

// REMARK: [Passed] guard | {{.*}}Remark="the maximum rises where exponents need it"
// CHECK-LABEL: tile.kernel @quotient
// CHECK:       %[[SIZE:.+]] = math.absf %f : f32
// CHECK:       %[[SIZES:.+]] = tensor.splat %[[SIZE]] : tensor<8xf32>
// CHECK:       scf.for {{.*}} iter_args(%[[M0:.+]] = %{{.+}}, %[[L0:.+]] = %{{.+}}, %[[O0:.+]] = %{{.+}})
// CHECK:         %[[T:.+]] = tile.reduce maximumf
// CHECK-NEXT:    %[[RISE:.+]] = arith.subf %[[T]], %[[M0]]
// CHECK-NEXT:    %[[POWERS:.+]] = arith.mulf %[[RISE]], %[[SIZES]]
// CHECK-NEXT:    %[[REACH:.+]] = arith.mulf %[[M0]], %[[SIZES]]
// CHECK-NEXT:    %[[ABS:.+]] = math.absf %[[REACH]]
// CHECK:         %[[MOST:.+]] = arith.constant dense<5.54517746>
// CHECK-NEXT:    %[[RISES:.+]] = arith.cmpf ugt, %[[POWERS]], %[[MOST]]
// CHECK-NEXT:    %[[INF:.+]] = arith.constant dense<0x7F800000>
// CHECK-NEXT:    %[[ENDS:.+]] = arith.cmpf uge, %[[ABS]], %[[INF]]
// CHECK-NEXT:    %[[NEED:.+]] = arith.ori %[[RISES]], %[[ENDS]]
// CHECK-NEXT:    %[[R:.+]]:3 = tile.rare %[[NEED]] passing(%[[M0]], %[[L0]], %[[O0]]) superset {
// CHECK-NEXT:      %[[TOP:.+]] = arith.maximumf %[[M0]], %[[T]]
// CHECK-NEXT:      %[[FALL:.+]] = arith.subf %[[M0]], %[[TOP]]
// CHECK-NEXT:      %[[FF:.+]] = arith.mulf %[[FALL]]
// CHECK-NEXT:      %[[A:.+]] = math.exp %[[FF]]
// CHECK-NEXT:      %[[AS:.+]] = tile.broadcast %[[A]]
// CHECK-NEXT:      %[[L:.+]] = arith.mulf %[[L0]], %[[A]]
// CHECK-NEXT:      %[[O:.+]] = arith.mulf %[[O0]], %[[AS]]
// CHECK-NEXT:      tile.yield %[[TOP]], %[[L]], %[[O]]
// CHECK:         tile.broadcast %[[R]]#0
// CHECK:         arith.addf %[[R]]#1
// CHECK:         tile.mma %{{.+}}, %{{.+}}, %[[R]]#2
// CHECK:         scf.yield %[[R]]#0,

// REMARK: [Passed] guard
// CHECK-LABEL: tile.kernel @lse
// CHECK:       tile.rare

// REMARK: [Passed] guard
// CHECK-LABEL: tile.kernel @zeros
// CHECK:       tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="the kernel says reassoc = off"
// CHECK-LABEL: tile.kernel @off
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="after the loop a result depends on it: tile.store"
// CHECK-LABEL: tile.kernel @stored
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="after the loop a result depends on it: tile.store"
// CHECK-LABEL: tile.kernel @sum
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="after the loop a result depends on it: tile.store"
// CHECK-LABEL: tile.kernel @other_log
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="another op uses it: tile.store"
// CHECK-LABEL: tile.kernel @inside
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="another op uses it: tile.store"
// CHECK-LABEL: tile.kernel @factor
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="a sum is read before it is multiplied"
// CHECK-LABEL: tile.kernel @read
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="a sum has terms that do not scale alike"
// CHECK-LABEL: tile.kernel @old
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="sums are relative to it by different factors"
// CHECK-LABEL: tile.kernel @bases
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="no sum is multiplied by an exponential of what it rises by"
// CHECK-LABEL: tile.kernel @unscaled
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="no sum is multiplied by an exponential of what it rises by"
// CHECK-LABEL: tile.kernel @varies
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="what raises the maximum depends on it"
// CHECK-LABEL: tile.kernel @follows
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="a sum that is zero is replaced, and not all sums begin with zero"
// CHECK-LABEL: tile.kernel @one
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="a sum that is zero is replaced, and other sums have other terms"
// CHECK-LABEL: tile.kernel @terms
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="a sum that is zero is replaced, and it is not the sum of exponentials"
// CHECK-LABEL: tile.kernel @weighted
// CHECK-NOT:   tile.rare

// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="numbers up to 2^8 times as large are f16"
// CHECK-LABEL: tile.kernel @narrow
// CHECK-NOT:   tile.rare

// Exponentials may be of numbers above 0, so that 2^8 is not the most there is.
// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="numbers up to 2^8 times as large are f16"
// CHECK-LABEL: tile.kernel @half
// CHECK-NOT:   tile.rare

// Nothing is said of a loop without exponentials.
// CHECK-LABEL: tile.kernel @largest
// CHECK-NOT:   tile.rare
// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="the maximum has rank 2, and a tile.rare has a need for each row"
// CHECK-LABEL: tile.kernel @planes
// CHECK-NOT:   tile.rare
// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="the maximum is neither f32 nor f64"
// CHECK-LABEL: tile.kernel @coarse
// CHECK-NOT:   tile.rare
// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="no sum is multiplied by an exponential of what it rises by"
// CHECK-LABEL: tile.kernel @short
// CHECK-NOT:   tile.rare

// Factors with more in them than the rise: a decay, an addend in the exponent, a sum that begins again. They count in all iterations.
// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="no sum is multiplied by an exponential of what it rises by"
// CHECK-LABEL: tile.kernel @decay
// CHECK-NOT:   tile.rare
// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="no sum is multiplied by an exponential of what it rises by"
// CHECK-LABEL: tile.kernel @addend
// CHECK-NOT:   tile.rare
// REMARK: [Missed] guard | {{.*}}Remark="the maximum follows every element: ", Remark="no sum is multiplied by an exponential of what it rises by"
// CHECK-LABEL: tile.kernel @reset
// CHECK-NOT:   tile.rare

tile.kernel @quotient(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @lse(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
    %log = math.log %l : tensor<8xf32>
    %back = arith.divf %log, %fs : tensor<8xf32>
    %lse = arith.addf %m, %back : tensor<8xf32>
    tile.store %lse, %L[%c0] : tensor<8xf32> -> memref<?xf32>

  }
  tile.return
}

tile.kernel @zeros(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %empty = arith.cmpf oeq, %l, %zero : tensor<8xf32>
    %divisor = arith.select %empty, %one, %l : tensor<8xi1>, tensor<8xf32>
    %ls = tile.broadcast %divisor dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>

  }
  tile.return
}

tile.kernel @off(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) attributes {reassoc = #tile.switch<off>} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @stored(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
    tile.store %m, %L[%c0] : tensor<8xf32> -> memref<?xf32>

  }
  tile.return
}

tile.kernel @sum(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
    tile.store %l, %L[%c0] : tensor<8xf32> -> memref<?xf32>

  }
  tile.return
}

tile.kernel @other_log(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
    %log = math.log2 %l : tensor<8xf32>
    %back = arith.divf %log, %fs : tensor<8xf32>
    %lse = arith.addf %m, %back : tensor<8xf32>
    tile.store %lse, %L[%c0] : tensor<8xf32> -> memref<?xf32>

  }
  tile.return
}

tile.kernel @inside(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      tile.store %m1, %L[%j] : tensor<8xf32> -> memref<?xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @factor(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      tile.store %a, %L[%j] : tensor<8xf32> -> memref<?xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @read(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      tile.store %l0, %L[%j] : tensor<8xf32> -> memref<?xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @old(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m0 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @bases(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %a2 = math.exp2 %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a2 dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @unscaled(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.addf %fall, %zero : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @varies(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %g = tile.load %L[%j] : memref<?xf32> -> tensor<8xf32>
      %fallf = arith.mulf %fall, %g : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @follows(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t0 = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %t = arith.addf %t0, %m0 : tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @one(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %one, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %empty = arith.cmpf oeq, %l, %zero : tensor<8xf32>
    %divisor = arith.select %empty, %one, %l : tensor<8xi1>, tensor<8xf32>
    %ls = tile.broadcast %divisor dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>

  }
  tile.return
}

tile.kernel @terms(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %e = tile.load %V[%c0, %j] : memref<?x?xf32> -> tensor<8x16xf32>
      %de = arith.subf %e, %top : tensor<8x16xf32>
      %df = arith.mulf %de, %ff : tensor<8x16xf32>
      %pe = math.exp %df : tensor<8x16xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %pe, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %empty = arith.cmpf oeq, %l, %zero : tensor<8xf32>
    %divisor = arith.select %empty, %one, %l : tensor<8xi1>, tensor<8xf32>
    %ls = tile.broadcast %divisor dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>

  }
  tile.return
}

tile.kernel @weighted(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %e = tile.load %V[%c0, %j] : memref<?x?xf32> -> tensor<8x16xf32>
      %pe = arith.mulf %p, %e : tensor<8x16xf32>
      %part = tile.reduce addf %pe dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %empty = arith.cmpf oeq, %l, %zero : tensor<8xf32>
    %divisor = arith.select %empty, %one, %l : tensor<8xi1>, tensor<8xf32>
    %ls = tile.broadcast %divisor dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>

  }
  tile.return
}

tile.kernel @narrow(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %pf = arith.mulf %p, %ff : tensor<8x16xf32>
      %half = arith.truncf %pf : tensor<8x16xf32> to tensor<8x16xf16>
      %vh = arith.truncf %v : tensor<16x4xf32> to tensor<16x4xf16>
      %o1 = tile.mma %half, %vh, %scaled : tensor<8x16xf16>, tensor<16x4xf16> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @half(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %a = math.exp %fallf : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %half = arith.truncf %p : tensor<8x16xf32> to tensor<8x16xf16>
      %vh = arith.truncf %v : tensor<16x4xf32> to tensor<16x4xf16>
      %o1 = tile.mma %half, %vh, %scaled : tensor<8x16xf16>, tensor<16x4xf16> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @largest(%S: memref<?x?xf32>, %L: memref<?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %m = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor) -> (tensor<8xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      scf.yield %m1 : tensor<8xf32>
    }
    tile.store %m, %L[%c0] : tensor<8xf32> -> memref<?xf32>
  }
  tile.return
}

tile.kernel @planes(%S: memref<?x?xf32>, %L: memref<?x?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %floor = arith.constant dense<-1.0e30> : tensor<8x16xf32>
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
    %m, %l = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
      %s = tile.load %S[%c0, %j] : memref<?x?xf32> -> tensor<8x16xf32>
      %m1 = arith.maximumf %m0, %s : tensor<8x16xf32>
      %d = arith.subf %s, %m1 : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8x16xf32>
      %a = math.exp %fall : tensor<8x16xf32>
      %kept = arith.mulf %l0, %a : tensor<8x16xf32>
      %l1 = arith.addf %kept, %p : tensor<8x16xf32>
      scf.yield %m1, %l1 : tensor<8x16xf32>, tensor<8x16xf32>
    }
    %log = math.log %l : tensor<8x16xf32>
    %lse = arith.addf %m, %log : tensor<8x16xf32>
    tile.store %lse, %L[%c0, %c0] : tensor<8x16xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @coarse(%S: memref<?x?xbf16>, %L: memref<?x?xbf16>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %floor = arith.constant dense<-1.0e30> : tensor<8xbf16>
    %zero = arith.constant dense<0.0> : tensor<8xbf16>
    %m, %l = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero) -> (tensor<8xbf16>, tensor<8xbf16>) {
      %s = tile.load %S[%c0, %j] : memref<?x?xbf16> -> tensor<8xbf16>
      %m1 = arith.maximumf %m0, %s : tensor<8xbf16>
      %d = arith.subf %s, %m1 : tensor<8xbf16>
      %p = math.exp %d : tensor<8xbf16>
      %fall = arith.subf %m0, %m1 : tensor<8xbf16>
      %a = math.exp %fall : tensor<8xbf16>
      %kept = arith.mulf %l0, %a : tensor<8xbf16>
      %l1 = arith.addf %kept, %p : tensor<8xbf16>
      scf.yield %m1, %l1 : tensor<8xbf16>, tensor<8xbf16>
    }
    %log = math.log %l : tensor<8xbf16>
    %lse = arith.addf %m, %log : tensor<8xbf16>
    tile.store %lse, %L[%c0, %c0] : tensor<8xbf16> -> memref<?x?xbf16>
  }
  tile.return
}

tile.kernel @short(%S: memref<?x?xf32>, %L: memref<?x?xf32>, %n: index) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf16>
    %m, %l = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero) -> (tensor<8xf32>, tensor<8xf16>) {
      %s = tile.load %S[%c0, %j] : memref<?x?xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %s : tensor<8xf32>
      %d = arith.subf %s, %m1 : tensor<8xf32>
      %p = math.exp %d : tensor<8xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %a = math.exp %fall : tensor<8xf32>
      %as = arith.truncf %a : tensor<8xf32> to tensor<8xf16>
      %ps = arith.truncf %p : tensor<8xf32> to tensor<8xf16>
      %kept = arith.mulf %l0, %as : tensor<8xf16>
      %l1 = arith.addf %kept, %ps : tensor<8xf16>
      scf.yield %m1, %l1 : tensor<8xf32>, tensor<8xf16>
    }
    %lw = arith.extf %l : tensor<8xf16> to tensor<8xf32>
    %log = math.log %lw : tensor<8xf32>
    %lse = arith.addf %m, %log : tensor<8xf32>
    tile.store %lse, %L[%c0, %c0] : tensor<8xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @decay(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %plain = math.exp %fallf : tensor<8xf32>
      %a = arith.mulf %plain, %fs : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @addend(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %with = arith.addf %fallf, %fs : tensor<8xf32>
      %a = math.exp %with : tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}

tile.kernel @reset(%S: memref<?x?xf32>, %V: memref<?x?xf32>, %O: memref<?x?xf32>, %L: memref<?xf32>, %n: index, %f: f32) {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %step = arith.constant 16 : index
    %ff = tensor.splat %f : tensor<8x16xf32>
    %fs = tensor.splat %f : tensor<8xf32>
    %floor = arith.constant dense<-1.0e30> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %nothing = arith.constant dense<0.0> : tensor<8x4xf32>
    %m, %l, %o = scf.for %j = %c0 to %n step %step iter_args(%m0 = %floor, %l0 = %zero, %o0 = %nothing) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
      %s = tile.load %S[%c0, %j] pad = neg_inf : memref<?x?xf32> -> tensor<8x16xf32>
      %t = tile.reduce maximumf %s dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %m1 = arith.maximumf %m0, %t : tensor<8xf32>
      %top = tile.broadcast %m1 dims = [0] : tensor<8xf32> -> tensor<8x16xf32>
      %ds = arith.subf %s, %top : tensor<8x16xf32>
      %d = arith.mulf %ds, %ff : tensor<8x16xf32>
      %p = math.exp %d : tensor<8x16xf32>
      %fall = arith.subf %m0, %m1 : tensor<8xf32>
      %fallf = arith.mulf %fall, %fs : tensor<8xf32>
      %plain = math.exp %fallf : tensor<8xf32>
      %begins = arith.cmpf oeq, %t, %one : tensor<8xf32>
      %a = arith.select %begins, %zero, %plain : tensor<8xi1>, tensor<8xf32>
      %part = tile.reduce addf %p dims = [1] : tensor<8x16xf32> -> tensor<8xf32>
      %kept = arith.mulf %l0, %a : tensor<8xf32>
      %l1 = arith.addf %kept, %part : tensor<8xf32>
      %as = tile.broadcast %a dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
      %scaled = arith.mulf %o0, %as : tensor<8x4xf32>
      %v = tile.load %V[%j, %c0] : memref<?x?xf32> -> tensor<16x4xf32>
      %o1 = tile.mma %p, %v, %scaled : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      scf.yield %m1, %l1, %o1 : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
    }
    %ls = tile.broadcast %l dims = [0] : tensor<8xf32> -> tensor<8x4xf32>
    %q = arith.divf %o, %ls : tensor<8x4xf32>
    tile.store %q, %O[%c0, %c0] : tensor<8x4xf32> -> memref<?x?xf32>
  }
  tile.return
}
