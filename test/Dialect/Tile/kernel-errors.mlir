// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{kernel_c1: a kernel has no results; store them to a memref argument}}
tile.kernel @results() -> i32 {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c1: a kernel has no results}}
"tile.kernel"() ({
  "tile.return"() : () -> ()
}) {sym_name = "results", function_type = () -> i32} : () -> ()

// -----

// expected-error @+1 {{region with 1 blocks}}
tile.kernel @no_body() {
}

// -----

// expected-error @+1 {{kernel_c1: the body must be one block that ends with tile.return}}
tile.kernel @other_end() {
  %c = arith.constant 0 : i32
}

// -----

// expected-error @+1 {{kernel_c1: every argument needs a name}}
tile.kernel @types_only(i32) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c2: argument 0 has type 'tensor<4xf32>'; a kernel takes memrefs and scalars}}
tile.kernel @tensor(%x: tensor<4xf32>) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c2: argument 0 has type 'i7'; a kernel takes memrefs and scalars of f64 f32}}
tile.kernel @odd_scalar(%x: i7) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c2: argument 0 has type 'memref<*xf32>'}}
tile.kernel @unranked(%x: memref<*xf32>) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c2: argument 1: a memref of 'complex<f32>' is not supported}}
tile.kernel @complex(%y: f32, %x: memref<?xcomplex<f32>>) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c2: argument 0 has rank 6; at most 5 is supported}}
tile.kernel @rank(%x: memref<1x1x1x1x1x1xf32>) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c2: argument 0 has memory space 3 : i64; only the default one}}
tile.kernel @space(%x: memref<4xf32, 3>) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c2: argument 0 has layout affine_map<(d0) -> (d0 floordiv 2)>}}
tile.kernel @layout(%x: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.shape of argument 0 must be an array with 2 entries}}
tile.kernel @shape_rank(%x: memref<?x?xf32> {tile.shape = ["M"]}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.shape of argument 0, dimension 1: expected a name, a size, or unit, got -4}}
tile.kernel @shape_negative(%x: memref<?x?xf32> {tile.shape = ["M", -4]}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.shape of argument 0, dimension 0 says 4 but the type is}}
tile.kernel @shape_static(%x: memref<8xf32> {tile.shape = [4]}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: "tile.shape" of argument 0 needs a memref, got 'f32'}}
tile.kernel @shape_scalar(%x: f32 {tile.shape = []}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.align of argument 0 must be a power of two (bytes), at most 1073741824, got 12}}
tile.kernel @align(%x: memref<?xf32> {tile.align = 12}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: "tile.size_divisible" of argument 0 must be array<i64: ...> with 2 positive numbers}}
tile.kernel @size_divisible(%x: memref<?x?xf32> {tile.size_divisible = array<i64: 8>}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: "tile.stride_divisible" of argument 0 must be array<i64: ...> with 1 positive numbers}}
tile.kernel @stride_divisible(%x: memref<?xf32> {tile.stride_divisible = array<i64: 0>}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: "tile.size_max" of argument 0 must be array<i64: ...>}}
tile.kernel @size_max(%x: memref<?xf32> {tile.size_max = 8}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.alias of argument 0 must be a string}}
tile.kernel @alias(%x: memref<?xf32> {tile.alias = 1}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.divisible of argument 0 must be a positive number on an integer scalar}}
tile.kernel @divisible(%x: f32 {tile.divisible = 8}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.name of argument 0 must be a string with at least one character}}
tile.kernel @name(%x: f32 {tile.name = 8}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: tile.name of argument 0 must be a string with at least one character}}
tile.kernel @empty_name(%x: f32 {tile.name = ""}) {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c3: unknown argument fact "tile.aligned" (known: tile.shape, tile.align,}}
tile.kernel @unknown(%x: memref<?xf32> {tile.aligned = 16}) {
  tile.return
}

// -----

// expected-error @+1 {{argument fact "tile.align" belongs on a tile.kernel}}
func.func private @function(memref<?xf32> {tile.align = 16})

// -----

// expected-error @+1 {{kernel_c4: guard #tile.guard<align, arg = 1, dim = -1, value = 16> names an argument that does not exist}}
tile.kernel @guard_argument(%x: memref<?xf32>) attributes {guards = [#tile.guard<align, arg = 1, dim = -1, value = 16>]} {
  tile.return
}

// -----

// expected-error @+1 {{names a dimension that does not exist}}
tile.kernel @guard_dimension(%x: memref<?xf32>) attributes {guards = [#tile.guard<size_min, arg = 0, dim = 1, value = 1>]} {
  tile.return
}

// -----

// expected-error @+1 {{needs a memref}}
tile.kernel @guard_align(%x: i32) attributes {guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>]} {
  tile.return
}

// -----

// expected-error @+1 {{warpgroups must be 1 to 8, got 9}}
tile.kernel @warpgroups() attributes {warpgroups = 9} {
  tile.return
}

// -----

// expected-error @+1 {{attribute 'sym_name' occurs more than once}}
tile.kernel @twice() attributes {sym_name = "again"} {
  tile.return
}

// -----

// expected-error @+1 {{expected ')'}}
tile.kernel @unclosed(%x: memref<?xf32>
tile.return

// -----

// expected-error @+1 {{'tile.return' op expects parent op 'tile.kernel'}}
tile.return

// -----

// expected-error @+1 {{kernel_c5: the name of a kernel is empty}}
tile.kernel @""() {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c5: the name of a kernel holds a control character}}
tile.kernel @"a\0Ab"() {
  tile.return
}

// -----

// expected-error @+1 {{kernel_c5: the name of a kernel holds a control character}}
tile.kernel @variant() attributes {variant_of = "a\00b"} {
  tile.return
}

// -----

// expected-error @+1 {{tile.align of argument 0 must be a power of two (bytes), at most 1073741824, got 2147483648}}
tile.kernel @large_align(%x: memref<?xf32> {tile.align = 2147483648}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.align of argument 0 must be a power of two (bytes), at most 1073741824, got 16 : ui8}}
tile.kernel @unsigned_align(%x: memref<?xf32> {tile.align = 16 : ui8}) {
  tile.return
}

// -----

// expected-error @+1 {{must be a positive number on an integer scalar}}
tile.kernel @wide_divisible(%x: i32 {tile.divisible = 340282366920938463463374607431768211455 : i128}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.shape of argument 0, dimension 0: expected a name, a size, or unit, got 4 : si32}}
tile.kernel @signed_shape(%x: memref<?xf32> {tile.shape = [4 : si32]}) {
  tile.return
}
