// The contract that the conversion leaves on the module, as docs/Contract.md defines it.
// RUN: tile-opt %s -convert-tile-to-cpu | sed -e 's/\\22/"/g' | FileCheck %s

// CHECK: tile.contract = "{
// CHECK-SAME: "compiler":"tessera {{[0-9.]+}}, LLVM {{[0-9.]+}}","kernels":[

// Arguments: sizes by name, number, or open; facts; what the kernel does to them.
// CHECK-SAME: {"args":[
// CHECK-SAME: {"access":"read","align":16,"element":"bf16","kind":"memref","layout":"identity","name":"A","shape":["M",64],"size_divisible":[1,8],"stride_divisible":[8,1]}
// CHECK-SAME: {"access":"readwrite","alias":"g","element":"f32","kind":"memref","layout":"strided","name":"B","offset":0,"shape":[null,"M"],"strides":[null,1]}
// CHECK-SAME: {"kind":"scalar","name":"n","type":"i32"}
// CHECK-SAME: {"access":"none","element":"i1","kind":"memref","layout":"identity","name":"unused","shape":[null]}
// CHECK-SAME: ]
// CHECK-SAME: "assumes":[{"cond":{"args":[{"scalar":2},4],"op":"cmp_sgt"},"message":"n is too small"},
// A promise about a number that is known before the launch is checked there.
// CHECK-SAME: {"args":[{"args":[{"size":[0,0]},16],"op":"mod"},0],"op":"cmp_eq"}
// So are facts that the format has no key for.
// CHECK-SAME: {"cond":{"args":[{"args":[{"scalar":2},8],"op":"mod"},0],"op":"cmp_eq"},"message":"argument n must be a multiple of 8"}
// CHECK-SAME: {"cond":{"args":[{"size":[3,0]},100],"op":"cmp_sle"},"message":"dimension 0 of argument unused must be at most 100"}
// CHECK-SAME: "name":"k"
// CHECK-SAME: "variants":[{"guards":[],"launches":[
// CHECK-SAME: {"grid":[{"args":[{"size":[0,0]},128],"op":"ceildivs"},3]
// CHECK-SAME: "params":[{"arg":0,"dim":0,"kind":"size"},{"arg":0,"kind":"pointer"},{"arg":1,"dim":0,"kind":"size"},{"arg":1,"dim":1,"kind":"size"},{"arg":1,"kind":"pointer"},{"arg":1,"dim":0,"kind":"stride"},{"arg":2,"kind":"scalar"},{"index":1,"kind":"workspace"}]
// CHECK-SAME: "symbol":"k_0"}
// CHECK-SAME: {"grid":[]
// CHECK-SAME: "symbol":"k_1"}
// CHECK-SAME: ],"name":"any"}]
// CHECK-SAME: "workspaces":[{"element":"f16","init":null,"sizes":[]}
// CHECK-SAME: {"element":"f32","init":"-inf","sizes":[{"args":[{"size":[0,0]},{"scalar":2}],"op":"mul"},4]}
// CHECK-SAME: {"element":"i8","init":-1,"sizes":[7]}]

tile.kernel @k(%A: memref<?x64xbf16> {tile.shape = ["M", 64], tile.align = 16, tile.size_divisible = array<i64: 1, 8>,
                                      tile.stride_divisible = array<i64: 8, 1>},
               %B: memref<?x?xf32, strided<[?, 1]>> {tile.shape = [unit, "M"], tile.alias = "g"},
               %n: i32 {tile.divisible = 8}, %unused: memref<?xi1> {tile.size_max = array<i64: 100>}) {
  %M = tile.dim "M" : index
  %c4 = arith.constant 4 : i32
  %ok = arith.cmpi sgt, %n, %c4 : i32
  tile.assume %ok, "n is too small" : i1
  tile.assume %M {divisible = 16} : index
  %ni = arith.index_cast %n : i32 to index
  %rows = arith.muli %M, %ni : index
  %w0 = memref.alloc() : memref<f16>
  %w1 = memref.alloc(%rows) {tile.init = 0xFF800000 : f32} : memref<?x4xf32>
  %w2 = memref.alloc() {tile.init = -1 : i8} : memref<7xi8>
  tile.grid (%i, %j) = (0, 2) to (%M, 8) step (128, 2) {
    %a = tile.load %A[%i, %j] : memref<?x64xbf16> -> tensor<128x2xbf16>
    %b = tile.load %B[%i, %j] : memref<?x?xf32, strided<[?, 1]>> -> tensor<128x2xf32>
    %c = arith.extf %a : tensor<128x2xbf16> to tensor<128x2xf32>
    %d = arith.addf %b, %c : tensor<128x2xf32>
    tile.store %d, %B[%i, %j] : tensor<128x2xf32> -> memref<?x?xf32, strided<[?, 1]>>
    %e = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    memref.store %e, %w1[%c0, %c0] : memref<?x4xf32>
  }
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %v = arith.constant 0.0 : f16
    memref.store %v, %w0[] : memref<f16>
    %z = arith.constant 0 : i8
    memref.store %z, %w2[%c0] : memref<7xi8>
  }
  tile.return
}

// Two variants of one kernel, in order, with their guards; facts that not all variants have are not
// preconditions of the kernel.
// CHECK-SAME: {"args":[{"access":"write","element":"f32","kind":"memref","layout":"identity","name":"x","shape":[null]}]
// CHECK-SAME: "name":"v"
// CHECK-SAME: "variants":[{"guards":[{"arg":0,"fact":"align","value":16},{"arg":0,"dim":0,"fact":"size_divisible","value":4}],"launches":[{"grid":[],
// CHECK-SAME: "symbol":"v_aligned_0"}],"name":"aligned"}
// CHECK-SAME: {"guards":[],"launches":[{"grid":[],
// CHECK-SAME: "symbol":"v_any_0"}],"name":"any"}]
tile.kernel @v_aligned(%x: memref<?xf32> {tile.align = 16, tile.size_divisible = array<i64: 4>})
    attributes {variant_of = "v", variant = "aligned",
                guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>, #tile.guard<size_divisible, arg = 0, dim = 0, value = 4>]} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %e = arith.constant 0.0 : f32
    memref.store %e, %x[%c0] : memref<?xf32>
  }
  tile.return
}
tile.kernel @v_any(%x: memref<?xf32>) attributes {variant_of = "v", variant = "any"} {
  tile.grid () = () to () step () {
    %c0 = arith.constant 0 : index
    %e = arith.constant 0.0 : f32
    memref.store %e, %x[%c0] : memref<?xf32>
  }
  tile.return
}

// Every op of an expression.
// CHECK-SAME: "name":"expressions"
// CHECK-SAME: "variants":[{"guards":[],"launches":[{"grid":[
// affine, min and max:
// CHECK-SAME: {"args":[{"args":[{"scalar":0},{"args":[{"args":[{"scalar":1},3],"op":"mul"},7],"op":"floordivs"}],"op":"add"},{"scalar":1}],"op":"minsi"}
// i32 sums may wrap:
// CHECK-SAME: {"args":[{"args":[{"args":[{"args":[{"scalar":2},{"scalar":2}],"op":"add"},4294967295],"op":"and"},2147483648],"op":"xor"},2147483648],"op":"sub"}
// select, comparison, unsigned division:
// CHECK-SAME: {"args":[{"args":[{"scalar":0},{"scalar":1}],"op":"cmp_ult"},{"args":[{"scalar":0},{"scalar":1}],"op":"divui"},5],"op":"select"}
// The size of a view:
// CHECK-SAME: {"scalar":1}
tile.kernel @expressions(%a: index, %b: index, %c: i32, %x: memref<?xf32>) {
  %c5 = arith.constant 5 : index
  %e0 = affine.min affine_map<(d0)[s0] -> (d0 + (s0 * 3) floordiv 7, s0)>(%a)[%b]
  %s = arith.addi %c, %c : i32
  %e1 = arith.index_cast %s : i32 to index
  %lt = arith.cmpi ult, %a, %b : index
  %q = arith.divui %a, %b : index
  %e2 = arith.select %lt, %q, %c5 : index
  %v = memref.subview %x[%a] [%b] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %c0 = arith.constant 0 : index
  %e3 = memref.dim %v, %c0 : memref<?xf32, strided<[1], offset: ?>>
  tile.grid (%i, %j, %k, %l) = (0, 0, 0, 0) to (%e0, %e1, %e2, %e3) step (1, 1, 1, 1) {
  }
  tile.return
}
