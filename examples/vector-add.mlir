// Sum of two vectors, z = x + y: the smallest program that does something.
//
//   for each block i of 1024 elements:
//     z[i:i+1024] = x[i:i+1024] + y[i:i+1024]
//
// Shapes: x, y, z have N elements, any N.
//
//   tilec examples/vector-add.mlir -o vector-add.so --target=cpu
//   tile-run vector-add.so randn:1000xf32 randn:1000xf32 nan:1000xf32 --out z=z.npy

tile.kernel @vector_add(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]},
                        %z: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (1024) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    %b = tile.load %y[%i] : memref<?xf32> -> tensor<1024xf32>
    %c = arith.addf %a, %b : tensor<1024xf32>
    tile.store %c, %z[%i] : tensor<1024xf32> -> memref<?xf32>
  }
  tile.return
}
