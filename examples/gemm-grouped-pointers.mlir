// Grouped matrix product by tables: group g has matrices A, B and C of its own, of any sizes and anywhere in memory; bf16 in and out,
// accumulators in f32. TA, TB and TC are tables of their addresses. Row g of S says m, n, k, and the row pitches of A, B and C.
//
//   for each t below T:
//     g, u = the group that has the t-th output tile of 128x128, when those of all groups are counted one after the other, and its number there
//     m, n, k, a, b, c = S[g];  A = mxk at TA[g], rows a elements apart;  B = kxn at TB[g];  C = mxn at TC[g]
//     i, j = 128 (u / ⌈n/128⌉), 128 (u mod ⌈n/128⌉)
//     acc = 0
//     for p in 0, 64, … below k:
//       acc += A[i:i+128, p:p+64] · B[p:p+64, j:j+128]
//     C[i:i+128, j:j+128] = acc
//
// T is at least the number of output tiles; blocks that are left find no group and compute nothing. Pitches are multiples of 8 elements
// and addresses multiples of 16 bytes, which the program promises, so that tiles come by cp.async. It also promises that no C overlaps a
// table, or an A or B: `alias` puts them into groups of their own. Without that, no tile could be fetched ahead of a store.
//
// Shapes: TA, TB, TC have G elements, S is Gx6.
//
//   tilec examples/gemm-grouped-pointers.mlir -o gemm-grouped-pointers.so --target=cpu
//   tile-run gemm-grouped-pointers.so addresses:randn:200x64xbf16,randn:9x8xbf16 addresses:randn:50x304xbf16,randn:8x16xbf16 list:2x6xi32:values=200,300,50,64,304,304,9,10,8,8,16,16 7 addresses:nan:200x304xbf16,nan:9x16xbf16 --out TC[1]=c.npy

tile.kernel @gemm_grouped_pointers(%TA: memref<?xi64> {tile.shape = ["G"]}, %TB: memref<?xi64> {tile.shape = ["G"]},
                                   %S: memref<?x6xi32> {tile.shape = ["G", 6]}, %T: index, %TC: memref<?xi64> {tile.shape = ["G"]}) {
  %G = tile.dim "G" : index
  tile.grid (%t) = (0) to (%T) step (1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    // %left counts down over the output tiles of the groups. It is below 0 once the group is found.
    %g, %u, %none = scf.for %e = %c0 to %G step %c1 iter_args(%group = %c0, %number = %c0, %left = %t) -> (index, index, index) {
      %m32 = memref.load %S[%e, %c0] : memref<?x6xi32>
      %n32 = memref.load %S[%e, %c1] : memref<?x6xi32>
      %m = arith.index_cast %m32 : i32 to index
      %n = arith.index_cast %n32 : i32 to index
      %rows = arith.ceildivsi %m, %c128 : index
      %columns = arith.ceildivsi %n, %c128 : index
      %here = arith.muli %rows, %columns : index
      %waiting = arith.cmpi sge, %left, %c0 : index
      %next = arith.subi %left, %here : index
      %ends = arith.cmpi slt, %next, %c0 : index
      %found = arith.andi %waiting, %ends : i1
      %group1 = arith.select %found, %e, %group : index
      %number1 = arith.select %found, %left, %number : index
      scf.yield %group1, %number1, %next : index, index, index
    }
    // Without a group the sizes are 0: no products, and nothing is stored.
    %any = arith.cmpi slt, %none, %c0 : index
    %zero32 = arith.constant 0 : i32
    %ms = memref.load %S[%g, %c0] : memref<?x6xi32>
    %ns = memref.load %S[%g, %c1] : memref<?x6xi32>
    %ks = memref.load %S[%g, %c2] : memref<?x6xi32>
    %as = memref.load %S[%g, %c3] : memref<?x6xi32>
    %bs = memref.load %S[%g, %c4] : memref<?x6xi32>
    %cs = memref.load %S[%g, %c5] : memref<?x6xi32>
    %mg = arith.select %any, %ms, %zero32 : i32
    %ng = arith.select %any, %ns, %zero32 : i32
    %kg = arith.select %any, %ks, %zero32 : i32
    %m = arith.index_cast %mg : i32 to index
    %n = arith.index_cast %ng : i32 to index
    %k = arith.index_cast %kg : i32 to index
    %lda = arith.index_cast %as : i32 to index
    %ldb = arith.index_cast %bs : i32 to index
    %ldc = arith.index_cast %cs : i32 to index
    tile.assume %lda {divisible = 8} : index
    tile.assume %ldb {divisible = 8} : index
    tile.assume %ldc {divisible = 8} : index
    %A = tile.array_at %TA[%g] sizes [%m, %k] strides [%lda, 1] align = 16 alias = "in" : memref<?xi64> -> memref<?x?xbf16, strided<[?, 1]>>
    %B = tile.array_at %TB[%g] sizes [%k, %n] strides [%ldb, 1] align = 16 alias = "in" : memref<?xi64> -> memref<?x?xbf16, strided<[?, 1]>>
    %C = tile.array_at %TC[%g] sizes [%m, %n] strides [%ldc, 1] align = 16 alias = "out" : memref<?xi64> -> memref<?x?xbf16, strided<[?, 1]>>
    %across = arith.ceildivsi %n, %c128 : index
    %most = arith.maxsi %across, %c1 : index
    %row = arith.divui %u, %most : index
    %column = arith.remui %u, %most : index
    %i = arith.muli %row, %c128 : index
    %j = arith.muli %column, %c128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %acc = scf.for %p = %c0 to %k step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%i, %p] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<128x64xbf16>
      %b = tile.load %B[%p, %j] : memref<?x?xbf16, strided<[?, 1]>> -> tensor<64x128xbf16>
      %next = tile.mma %a, %b, %sum : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %out = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %out, %C[%i, %j] : tensor<128x128xbf16> -> memref<?x?xbf16, strided<[?, 1]>>
  }
  tile.return
}
