// RUN: tile-opt %s --tessera-to-placed=variants=any | FileCheck %s
// Results of products that are stored under another shape: pixels of images are rows of a product. The rows go to shared memory as the product left them, and
// TMA stores a view of that.

// Each of the two warpgroups stores its own 64 rows: an image.
// CHECK-LABEL: tile.kernel @images
// CHECK-NOT: cta.reshape
// CHECK: %[[ROWS:.*]] = arith.truncf %{{.*}} : tensor<128x128xf32, [[ACC:#.*]]> to tensor<128x128xbf16, [[ACC]]>
// CHECK-NEXT: %[[STAGED:.*]] = cta.stage %[[ROWS]] : tensor<128x128xbf16, [[ACC]]> -> <128x128xbf16, #cta.swizzle<128, dim = 1>>
// CHECK-NEXT: %[[VIEW:.*]] = cta.view %[[STAGED]] : <128x128xbf16, #cta.swizzle<128, dim = 1>> -> <2x8x8x128xbf16, #cta.swizzle<128, dim = 3>>
// CHECK-NEXT: cta.copy_out %[[VIEW]], %Y[%{{.*}}] {mechanism = #cta.mechanism<tma>, per_warpgroup} : !cta.smem<2x8x8x128xbf16, #cta.swizzle<128, dim = 3>> -> memref<4x16x16x256xbf16>
tile.kernel @images(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<4x16x16x256xbf16> {tile.align = 128}) {
  tile.grid (%b, %y, %x, %k) = (0, 0, 0, 0) to (4, 16, 16, 256) step (2, 8, 8, 128) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a = tile.load %A[%c0, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %f = tile.load %B[%c0, %k] : memref<64x256xbf16> -> tensor<64x128xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    %rows = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    %out = tensor.expand_shape %rows [[0, 1, 2], [3]] output_shape [2, 8, 8, 128] : tensor<128x128xbf16> into tensor<2x8x8x128xbf16>
    tile.store %out, %Y[%b, %y, %x, %k] : tensor<2x8x8x128xbf16> -> memref<4x16x16x256xbf16>
  }
  tile.return
}

// Of one image each stores half of the rows of pixels.
// CHECK-LABEL: tile.kernel @one_image
// CHECK: cta.view %{{.*}} -> <1x16x8x128xbf16, #cta.swizzle<128, dim = 3>>
// CHECK-NEXT: cta.copy_out {{.*}}per_warpgroup} : !cta.smem<1x16x8x128xbf16
tile.kernel @one_image(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<4x16x16x256xbf16> {tile.align = 128}) {
  tile.grid (%b, %y, %x, %k) = (0, 0, 0, 0) to (4, 16, 16, 256) step (1, 16, 8, 128) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a = tile.load %A[%c0, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %f = tile.load %B[%c0, %k] : memref<64x256xbf16> -> tensor<64x128xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    %rows = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    %out = tensor.expand_shape %rows [[0, 1, 2], [3]] output_shape [1, 16, 8, 128] : tensor<128x128xbf16> into tensor<1x16x8x128xbf16>
    tile.store %out, %Y[%b, %y, %x, %k] : tensor<1x16x8x128xbf16> -> memref<4x16x16x256xbf16>
  }
  tile.return
}

// Of one image of four rows of 48 pixels three warpgroups have no whole rows each: one thread stores all of it.
// CHECK-LABEL: tile.kernel @no_parts
// CHECK: cta.view %{{.*}} -> <1x4x48x64xbf16, #cta.swizzle<128, dim = 3>>
// CHECK-NOT: per_warpgroup
// CHECK: cta.copy_out {{.*}}!cta.smem<1x4x48x64xbf16
tile.kernel @no_parts(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<4x16x48x256xbf16> {tile.align = 128}) {
  tile.grid (%b, %y, %k) = (0, 0, 0) to (4, 16, 256) step (1, 4, 64) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<192x64xf32>
    %a = tile.load %A[%c0, %c0] : memref<1024x64xbf16> -> tensor<192x64xbf16>
    %f = tile.load %B[%c0, %k] : memref<64x256xbf16> -> tensor<64x64xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<192x64xbf16>, tensor<64x64xbf16> -> tensor<192x64xf32>
    %rows = arith.truncf %sum : tensor<192x64xf32> to tensor<192x64xbf16>
    %out = tensor.expand_shape %rows [[0, 1, 2], [3]] output_shape [1, 4, 48, 64] : tensor<192x64xbf16> into tensor<1x4x48x64xbf16>
    tile.store %out, %Y[%b, %y, %c0, %k] : tensor<1x4x48x64xbf16> -> memref<4x16x48x256xbf16>
  }
  tile.return
}

// A sum that TMA adds to memory, too.
// CHECK-LABEL: tile.kernel @added
// CHECK: cta.view %{{.*}} -> <2x64x64xf32, #cta.swizzle<128, dim = 2>>
// CHECK-NEXT: cta.copy_out {{.*}}reduce = {{.*}}add
tile.kernel @added(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<4x64x256xf32> {tile.align = 128}) {
  tile.grid (%b, %k) = (0, 0) to (4, 256) step (2, 64) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %a = tile.load %A[%c0, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %f = tile.load %B[%c0, %k] : memref<64x256xbf16> -> tensor<64x64xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %out = tensor.expand_shape %sum [[0, 1], [2]] output_shape [2, 64, 64] : tensor<128x64xf32> into tensor<2x64x64xf32>
    tile.atomic add %out, %Y[%b, %c0, %k] : tensor<2x64x64xf32> -> memref<4x64x256xf32>
  }
  tile.return
}

// Another reader of the reshaped tile: it stays for that one.
// CHECK-LABEL: tile.kernel @read_again
// CHECK: cta.reshape
// CHECK: cta.view %{{.*}} -> <2x8x8x64xbf16, #cta.swizzle<128, dim = 3>>
// CHECK-NEXT: cta.copy_out
// CHECK: arith.negf
// CHECK: cta.store
tile.kernel @read_again(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<4x16x16x256xbf16> {tile.align = 128},
                        %Z: memref<4x16x16x256xbf16>) {
  tile.grid (%b, %y, %x, %k) = (0, 0, 0, 0) to (4, 16, 16, 256) step (2, 8, 8, 64) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %a = tile.load %A[%c0, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %f = tile.load %B[%c0, %k] : memref<64x256xbf16> -> tensor<64x64xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %rows = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xbf16>
    %out = tensor.expand_shape %rows [[0, 1, 2], [3]] output_shape [2, 8, 8, 64] : tensor<128x64xbf16> into tensor<2x8x8x64xbf16>
    tile.store %out, %Y[%b, %y, %x, %k] : tensor<2x8x8x64xbf16> -> memref<4x16x16x256xbf16>
    %again = arith.negf %out : tensor<2x8x8x64xbf16>
    tile.store %again, %Z[%b, %y, %x, %k] : tensor<2x8x8x64xbf16> -> memref<4x16x16x256xbf16>
  }
  tile.return
}

// Not where the columns are divided, too: rows of the product are no rows of the array.
// CHECK-LABEL: tile.kernel @columns
// CHECK-NOT: cta.copy_out
// CHECK: cta.reshape
// CHECK: cta.store
tile.kernel @columns(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<1024x4x64xbf16> {tile.align = 128}) {
  tile.grid (%i) = (0) to (1024) step (128) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a = tile.load %A[%i, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %f = tile.load %B[%c0, %c0] : memref<64x256xbf16> -> tensor<64x128xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    %rows = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
    %out = tensor.expand_shape %rows [[0], [1, 2]] output_shape [128, 2, 64] : tensor<128x128xbf16> into tensor<128x2x64xbf16>
    tile.store %out, %Y[%i, %c0, %c0] : tensor<128x2x64xbf16> -> memref<1024x4x64xbf16>
  }
  tile.return
}

// Nor where another dimension of the tile runs along contiguous memory.
// CHECK-LABEL: tile.kernel @other_way
// CHECK-NOT: cta.copy_out
// CHECK: cta.reshape
// CHECK: cta.store
tile.kernel @other_way(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<4x256x64xbf16> {tile.align = 128}) {
  tile.grid (%b, %k) = (0, 0) to (4, 256) step (2, 64) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %a = tile.load %A[%c0, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %f = tile.load %B[%c0, %k] : memref<64x256xbf16> -> tensor<64x64xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %rows = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xbf16>
    %out = tensor.expand_shape %rows [[0, 1], [2]] output_shape [2, 64, 64] : tensor<128x64xbf16> into tensor<2x64x64xbf16>
    tile.store %out, %Y[%b, %k, %c0] dims = [0, 2, 1] : tensor<2x64x64xbf16> -> memref<4x256x64xbf16>
  }
  tile.return
}

// Nor what is computed in the other shape.
// CHECK-LABEL: tile.kernel @computed
// CHECK-NOT: cta.copy_out
// CHECK: cta.reshape
// CHECK: math.exp
// CHECK: cta.store
tile.kernel @computed(%A: memref<1024x64xbf16> {tile.align = 128}, %B: memref<64x256xbf16> {tile.align = 128}, %Y: memref<4x64x256xf32> {tile.align = 128}) {
  tile.grid (%b, %k) = (0, 0) to (4, 256) step (2, 64) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %a = tile.load %A[%c0, %c0] : memref<1024x64xbf16> -> tensor<128x64xbf16>
    %f = tile.load %B[%c0, %k] : memref<64x256xbf16> -> tensor<64x64xbf16>
    %sum = tile.mma %a, %f, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %shaped = tensor.expand_shape %sum [[0, 1], [2]] output_shape [2, 64, 64] : tensor<128x64xf32> into tensor<2x64x64xf32>
    %out = math.exp %shaped : tensor<2x64x64xf32>
    tile.store %out, %Y[%b, %c0, %k] : tensor<2x64x64xf32> -> memref<4x64x256xf32>
  }
  tile.return
}
