// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// The smallest kernel.
// CHECK-LABEL: tile.kernel @empty() {
// CHECK-NEXT:    tile.return
// CHECK-NEXT:  }
tile.kernel @empty() {
  tile.return
}

// Arguments keep their names; facts are attributes.
// CHECK-LABEL: tile.kernel @facts(%A: memref<?x?xbf16> {tile.align = 16 : i64, tile.shape = ["M", 64]},
// CHECK-SAME:    %B: memref<?x?xf32, strided<[?, 1], offset: ?>> {tile.alias = "x", tile.shape = [unit, "M"], tile.size_divisible = array<i64: 1, 8>, tile.size_max = array<i64: 4096, 4096>, tile.stride_divisible = array<i64: 8, 1>},
// CHECK-SAME:    %n: i32 {tile.divisible = 8 : i64}, %alpha: f32, %flag: i1)
tile.kernel @facts(%A: memref<?x?xbf16> {tile.align = 16, tile.shape = ["M", 64]},
                   %B: memref<?x?xf32, strided<[?, 1], offset: ?>> {tile.alias = "x",
                      tile.shape = [unit, "M"], tile.size_divisible = array<i64: 1, 8>,
                      tile.size_max = array<i64: 4096, 4096>, tile.stride_divisible = array<i64: 8, 1>},
                   %n: i32 {tile.divisible = 8}, %alpha: f32, %flag: i1) {
  tile.return
}

// CHECK-LABEL: tile.kernel private @attributes()
// CHECK-SAME: attributes {fp_contract = #tile.switch<off>, phase = #tile.phase<placed>, reassoc = #tile.switch<on>, require = #tile.require<[no_spills, deterministic]>, warpgroups = 2 : i64}
tile.kernel private @attributes() attributes {
    fp_contract = #tile.switch<off>, reassoc = #tile.switch<on>, phase = #tile.phase<placed>,
    require = #tile.require<[no_spills, deterministic]>, warpgroups = 2} {
  tile.return
}

// CHECK-LABEL: tile.kernel @guarded
// CHECK-SAME: guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>, #tile.guard<size_divisible, arg = 0, dim = 0, value = 8>, #tile.guard<scalar_divisible, arg = 1, dim = -1, value = 4>]
// CHECK-SAME: variant = "aligned", variant_of = "f"
tile.kernel @guarded(%x: memref<?xf32>, %n: i64) attributes {
    variant_of = "f", variant = "aligned",
    guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>, #tile.guard<size_divisible, arg = 0, dim = 0, value = 8>,
              #tile.guard<scalar_divisible, arg = 1, dim = -1, value = 4>]} {
  tile.return
}

// An argument whose name is a number, or whose fact has another name than the IR.
// CHECK-LABEL: tile.kernel @names(%arg0: i32, %x: i32, %C: memref<4xf32>)
tile.kernel @names(%0: i32, %x: i32, %y: memref<4xf32> {tile.name = "C"}) {
  tile.return
}

// Two arguments that want one name both show it as a fact.
// CHECK-LABEL: tile.kernel @one_name(%arg0: i32 {tile.name = "x"}, %arg1: i32 {tile.name = "x"})
tile.kernel @one_name(%a: i32 {tile.name = "x"}, %b: i32 {tile.name = "x"}) {
  tile.return
}
