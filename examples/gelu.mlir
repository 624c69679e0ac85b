// GELU of a vector, element by element, in its two forms. bf16 in memory, f32 in between.
//
//   gelu_erf:   y = x/2 · (1 + erf(x / √2))
//   gelu_tanh:  y = x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))
//
// Shapes: x, y have N elements, any N.
//
//   tilec examples/gelu.mlir -o gelu.so --target=cpu
//   tile-run gelu.so --kernel=gelu_erf randn:5000xbf16 nan:5000xbf16 --out y=y.npy

tile.kernel @gelu_erf(%x: memref<?xbf16> {tile.shape = ["N"]}, %y: memref<?xbf16> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (2048) {
    %in = tile.load %x[%i] : memref<?xbf16> -> tensor<2048xbf16>
    %v = arith.extf %in : tensor<2048xbf16> to tensor<2048xf32>
    %half = arith.constant dense<0.5> : tensor<2048xf32>
    %one = arith.constant dense<1.0> : tensor<2048xf32>
    %rsqrt2 = arith.constant dense<0.707106781> : tensor<2048xf32>
    %scaled = arith.mulf %v, %rsqrt2 : tensor<2048xf32>
    %erf = math.erf %scaled : tensor<2048xf32>
    %sum = arith.addf %erf, %one : tensor<2048xf32>
    %halves = arith.mulf %v, %half : tensor<2048xf32>
    %r = arith.mulf %halves, %sum : tensor<2048xf32>
    %out = arith.truncf %r : tensor<2048xf32> to tensor<2048xbf16>
    tile.store %out, %y[%i] : tensor<2048xbf16> -> memref<?xbf16>
  }
  tile.return
}

tile.kernel @gelu_tanh(%x: memref<?xbf16> {tile.shape = ["N"]}, %y: memref<?xbf16> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (2048) {
    %in = tile.load %x[%i] : memref<?xbf16> -> tensor<2048xbf16>
    %v = arith.extf %in : tensor<2048xbf16> to tensor<2048xf32>
    %one = arith.constant dense<1.0> : tensor<2048xf32>
    %cubic = arith.constant dense<0.044715> : tensor<2048xf32>
    %scale = arith.constant dense<-1.59576912> : tensor<2048xf32>
    // x + 0.044715 x³ = x · (1 + 0.044715 x²)
    %square = arith.mulf %v, %v : tensor<2048xf32>
    %c = arith.mulf %square, %cubic : tensor<2048xf32>
    %factor = arith.addf %c, %one : tensor<2048xf32>
    %inner = arith.mulf %v, %factor : tensor<2048xf32>
    %scaled = arith.mulf %inner, %scale : tensor<2048xf32>
    // 1 + tanh(u) = 2 / (1 + exp(−2u)): nothing cancels, so the fast instructions (afn) lose nothing that
    // bf16 could show.
    %e = math.exp %scaled fastmath<afn> : tensor<2048xf32>
    %sum = arith.addf %e, %one : tensor<2048xf32>
    %r = arith.divf %v, %sum fastmath<afn> : tensor<2048xf32>
    %out = arith.truncf %r : tensor<2048xf32> to tensor<2048xbf16>
    tile.store %out, %y[%i] : tensor<2048xbf16> -> memref<?xbf16>
  }
  tile.return
}
