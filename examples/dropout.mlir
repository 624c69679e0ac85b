// Dropout, f32: each element is kept with probability 1 − p and divided by it, or else is zero. Whether it is kept is a function of the
// seed, the offset and the element's place alone: the random numbers are those of Philox 4x32 with 10 rounds (Salmon et al., SC 2011),
// a block cipher in counter mode. So no state is stored, and the same kernel on the gradient, with the same seed and offset, is the
// backward pass.
//
//   for each block i of 4096 elements, and each t below 1024:
//     w = philox(counter = (i/4 + t, offset), key = seed)          (four words of 32 bits)
//     for j in 0, 1, 2, 3:
//       u = (w[j] >> 8) · 2⁻²⁴                                     (0 ≤ u < 1)
//       Y[i + 1024 j + t] = X[i + 1024 j + t] / (1 − p)  if u ≥ p, else 0
//
//   philox(c, k), all numbers of 32 bits:
//     10 times:
//       c = (high(c2 · 0xCD9E8D57) ^ c1 ^ k0, low(c2 · 0xCD9E8D57), high(c0 · 0xD2511F53) ^ c3 ^ k1, low(c0 · 0xD2511F53))
//       k = (k0 + 0x9E3779B9, k1 + 0xBB67AE85)
//
// A block has one counter for four elements. They are 1024 apart, so that each of the four words is a tile of its own.
//
// Shapes: X and Y have N elements, any N; 0 ≤ p < 1.
//
//   tilec examples/dropout.mlir -o dropout.so --target=cpu
//   tile-run dropout.so randn:100000xf32 0.1 1234567890123 42 nan:100000xf32 --out Y=y.npy

// One of the products of a round: both halves of c · m.
func.func private @multiply(%c: tensor<1024xi32>, %m: i32) -> (tensor<1024xi32>, tensor<1024xi32>) {
  %ms = tensor.splat %m : tensor<1024xi32>
  %low, %high = arith.mului_extended %c, %ms : tensor<1024xi32>
  return %low, %high : tensor<1024xi32>, tensor<1024xi32>
}

func.func private @philox(%counter: tensor<1024xi64>, %offset: i64, %seed: i64)
    -> (tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>) {
  %half = arith.constant 32 : i64
  %halves = arith.constant dense<32> : tensor<1024xi64>
  %c0 = arith.trunci %counter : tensor<1024xi64> to tensor<1024xi32>
  %upper = arith.shrui %counter, %halves : tensor<1024xi64>
  %c1 = arith.trunci %upper : tensor<1024xi64> to tensor<1024xi32>
  %o0 = arith.trunci %offset : i64 to i32
  %above = arith.shrui %offset, %half : i64
  %o1 = arith.trunci %above : i64 to i32
  %c2 = tensor.splat %o0 : tensor<1024xi32>
  %c3 = tensor.splat %o1 : tensor<1024xi32>
  %k0 = arith.trunci %seed : i64 to i32
  %high = arith.shrui %seed, %half : i64
  %k1 = arith.trunci %high : i64 to i32

  %m0 = arith.constant 0xD2511F53 : i32
  %m1 = arith.constant 0xCD9E8D57 : i32
  %w0 = arith.constant 0x9E3779B9 : i32
  %w1 = arith.constant 0xBB67AE85 : i32
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rounds = arith.constant 10 : index
  %r:6 = scf.for %round = %first to %rounds step %one
      iter_args(%a0 = %c0, %a1 = %c1, %a2 = %c2, %a3 = %c3, %x0 = %k0, %x1 = %k1)
      -> (tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, i32, i32) {
    %low0, %high0 = func.call @multiply(%a0, %m0) : (tensor<1024xi32>, i32) -> (tensor<1024xi32>, tensor<1024xi32>)
    %low1, %high1 = func.call @multiply(%a2, %m1) : (tensor<1024xi32>, i32) -> (tensor<1024xi32>, tensor<1024xi32>)
    %key0 = tensor.splat %x0 : tensor<1024xi32>
    %key1 = tensor.splat %x1 : tensor<1024xi32>
    %mixed0 = arith.xori %high1, %a1 : tensor<1024xi32>
    %b0 = arith.xori %mixed0, %key0 : tensor<1024xi32>
    %mixed2 = arith.xori %high0, %a3 : tensor<1024xi32>
    %b2 = arith.xori %mixed2, %key1 : tensor<1024xi32>
    %y0 = arith.addi %x0, %w0 : i32
    %y1 = arith.addi %x1, %w1 : i32
    scf.yield %b0, %low1, %b2, %low0, %y0, %y1
        : tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, i32, i32
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>
}

// Keeps or drops the 1024 elements from %i on, which have one word each.
func.func private @drop(%X: memref<?xf32>, %Y: memref<?xf32>, %i: index, %word: tensor<1024xi32>, %p: f32) {
  %x = tile.load %X[%i] : memref<?xf32> -> tensor<1024xf32>
  %eight = arith.constant dense<8> : tensor<1024xi32>
  %unit = arith.constant dense<5.9604644775390625e-08> : tensor<1024xf32>
  %bits = arith.shrui %word, %eight : tensor<1024xi32>
  %number = arith.sitofp %bits : tensor<1024xi32> to tensor<1024xf32>
  %u = arith.mulf %number, %unit : tensor<1024xf32>
  %ps = tensor.splat %p : tensor<1024xf32>
  %keep = arith.cmpf oge, %u, %ps : tensor<1024xf32>
  %one = arith.constant 1.0 : f32
  %rest = arith.subf %one, %p : f32
  %rests = tensor.splat %rest : tensor<1024xf32>
  %scaled = arith.divf %x, %rests : tensor<1024xf32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %y = arith.select %keep, %scaled, %zero : tensor<1024xi1>, tensor<1024xf32>
  tile.store %y, %Y[%i] : tensor<1024xf32> -> memref<?xf32>
  return
}

tile.kernel @dropout(%X: memref<?xf32> {tile.shape = ["N"]}, %p: f32, %seed: i64, %offset: i64,
                     %Y: memref<?xf32> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  tile.grid (%i) = (0) to (%N) step (4096) {
    %four = arith.constant 4 : index
    %group = arith.divui %i, %four : index
    %from = arith.index_cast %group : index to i64
    %counter = tile.iota dim = 0 from %from : tensor<1024xi64>
    %w:4 = func.call @philox(%counter, %offset, %seed)
        : (tensor<1024xi64>, i64, i64) -> (tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>, tensor<1024xi32>)
    %c1024 = arith.constant 1024 : index
    %i1 = arith.addi %i, %c1024 : index
    %i2 = arith.addi %i1, %c1024 : index
    %i3 = arith.addi %i2, %c1024 : index
    func.call @drop(%X, %Y, %i, %w#0, %p) : (memref<?xf32>, memref<?xf32>, index, tensor<1024xi32>, f32) -> ()
    func.call @drop(%X, %Y, %i1, %w#1, %p) : (memref<?xf32>, memref<?xf32>, index, tensor<1024xi32>, f32) -> ()
    func.call @drop(%X, %Y, %i2, %w#2, %p) : (memref<?xf32>, memref<?xf32>, index, tensor<1024xi32>, f32) -> ()
    func.call @drop(%X, %Y, %i3, %w#3, %p) : (memref<?xf32>, memref<?xf32>, index, tensor<1024xi32>, f32) -> ()
  }
  tile.return
}
