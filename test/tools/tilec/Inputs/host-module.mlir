// A module as a compiler holds it: kernels at the top, in a module and in a gpu.module, which use functions of the same name, and other things.
func.func @half(%x: tensor<128xf32>) -> tensor<128xf32> {
  %c = arith.constant dense<0.5> : tensor<128xf32>
  %y = arith.mulf %x, %c : tensor<128xf32>
  return %y : tensor<128xf32>
}
tile.kernel @top(%x: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (128) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
    %b = func.call @half(%a) : (tensor<128xf32>) -> tensor<128xf32>
    tile.store %b, %x[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
module @inner {
  tile.kernel @nested(%x: memref<?xf32> {tile.shape = ["N"]}) {
    %n = tile.dim "N" : index
    tile.grid (%i) = (0) to (%n) step (128) {
      %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
      %b = func.call @half(%a) : (tensor<128xf32>) -> tensor<128xf32>
      tile.store %b, %x[%i] : tensor<128xf32> -> memref<?xf32>
    }
    tile.return
  }
  func.func private @half(%x: tensor<128xf32>) -> tensor<128xf32> {
    %c = arith.constant dense<0.25> : tensor<128xf32>
    %y = arith.mulf %x, %c : tensor<128xf32>
    return %y : tensor<128xf32>
  }
  func.func private @unused()
}
gpu.module @device {
  tile.kernel @on_device(%x: memref<?xf32> {tile.shape = ["N"]}) {
    %n = tile.dim "N" : index
    tile.grid (%i) = (0) to (%n) step (128) {
      %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
      tile.store %a, %x[%i] : tensor<128xf32> -> memref<?xf32>
    }
    tile.return
  }
}
memref.global @data : memref<4xf32>
func.func @main(%x: memref<?xf32>) {
  return
}
