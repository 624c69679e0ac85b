// Rounding modes and .ftz in PTX, on tiles and on scalars, and that ptxas takes them.
// REQUIRES: ptxas
// RUN: tilec %s --target=sm_90a --emit=ptx -o %t.ptx && FileCheck %s --input-file=%t.ptx
// RUN: tilec %s --target=sm_90a -o %t.cubin
// RUN: tilec %s --target=sm_90a -O 0 -o %t.0.cubin

// CHECK-LABEL: .entry single_aligned_0(
// CHECK: add.rm.f32
// CHECK: sub.rz.f32
// CHECK: mul.rp.f32
// CHECK: div.rz.f32
// CHECK: rcp.rp.f32
// CHECK: sqrt.rm.f32
// CHECK: fma.rp.f32
// CHECK: ret;
tile.kernel @single(%x: memref<?xf32>, %y: memref<?xf32>) {
  tile.grid (%i) = (0) to (256) step (256) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<256xf32>
    %b = tile.load %y[%i] : memref<?xf32> -> tensor<256xf32>
    %one = arith.constant dense<1.0> : tensor<256xf32>
    %0 = tile.rounded addf %a, %b downward : tensor<256xf32>
    %1 = tile.rounded subf %0, %b toward_zero : tensor<256xf32>
    %2 = tile.rounded mulf %1, %b upward : tensor<256xf32>
    %3 = tile.rounded divf %2, %b toward_zero : tensor<256xf32>
    %4 = tile.rounded divf %one, %3 upward : tensor<256xf32>
    %5 = tile.rounded sqrt %4 downward : tensor<256xf32>
    %6 = tile.rounded fma %5, %a, %b upward : tensor<256xf32>
    tile.store %6, %x[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}

// A product and a sum in two roundings stay two instructions, whatever fp_contract says.
// CHECK-LABEL: .entry flushed_aligned_0(
// CHECK: add.rn.ftz.f32
// CHECK: mul.rz.ftz.f32
// CHECK: div.rn.ftz.f32
// CHECK: sqrt.rp.ftz.f32
// CHECK: fma.rn.ftz.f32
// CHECK: max.ftz.f32
// CHECK: min.ftz.NaN.f32
// CHECK: ex2.approx.ftz.f32
// CHECK: rsqrt.approx.ftz.f32
// CHECK: div.full.ftz.f32
// CHECK: sqrt.approx.ftz.f32
// CHECK: ret;
tile.kernel @flushed(%x: memref<?xf32>, %y: memref<?xf32>) {
  tile.grid (%i) = (0) to (256) step (256) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<256xf32>
    %b = tile.load %y[%i] : memref<?xf32> -> tensor<256xf32>
    %0 = tile.rounded addf %a, %b flush_to_zero : tensor<256xf32>
    %1 = tile.rounded mulf %0, %b toward_zero flush_to_zero : tensor<256xf32>
    %2 = tile.rounded divf %1, %b flush_to_zero : tensor<256xf32>
    %3 = tile.rounded sqrt %2 upward flush_to_zero : tensor<256xf32>
    %4 = tile.rounded fma %3, %a, %b flush_to_zero : tensor<256xf32>
    %5 = tile.rounded maxnumf %4, %b flush_to_zero : tensor<256xf32>
    %6 = tile.rounded minimumf %5, %a flush_to_zero : tensor<256xf32>
    %7 = tile.rounded exp2 %6 flush_to_zero afn : tensor<256xf32>
    %8 = tile.rounded rsqrt %7 flush_to_zero afn : tensor<256xf32>
    %9 = tile.rounded divf %8, %a flush_to_zero afn : tensor<256xf32>
    %10 = tile.rounded sqrt %9 flush_to_zero afn : tensor<256xf32>
    tile.store %10, %x[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}

// CHECK-LABEL: .entry double_aligned_0(
// CHECK: mul.rp.f64
// CHECK: add.rp.f64
// CHECK: div.rm.f64
// CHECK: sqrt.rz.f64
// CHECK: cvt.rm.f32.f64
// CHECK: ret;
tile.kernel @double(%x: memref<?xf64>, %y: memref<?xf32>) {
  tile.grid (%i) = (0) to (256) step (256) {
    %a = tile.load %x[%i] : memref<?xf64> -> tensor<256xf64>
    %0 = tile.rounded mulf %a, %a upward : tensor<256xf64>
    %1 = tile.rounded addf %0, %a upward : tensor<256xf64>
    %2 = tile.rounded divf %1, %a downward : tensor<256xf64>
    %3 = tile.rounded sqrt %2 toward_zero : tensor<256xf64>
    %4 = arith.truncf %3 downward : tensor<256xf64> to tensor<256xf32>
    tile.store %4, %y[%i] : tensor<256xf32> -> memref<?xf32>
  }
  tile.return
}

// CHECK-LABEL: .entry narrow_aligned_0(
// CHECK: add.rp.f32
// CHECK: cvt.rp.f16.f32
// CHECK: cvt.rz.f32.s64
// CHECK: cvt.rm.f32.u32
// CHECK: ret;
tile.kernel @narrow(%x: memref<?xf16>, %q: memref<?xf8E4M3FN>, %n: memref<?xi64>, %y: memref<?xf32>, %h: memref<?xbf16>) {
  tile.grid (%i) = (0) to (256) step (256) {
    %c0 = arith.constant 0 : index
    %a = tile.load %x[%i] : memref<?xf16> -> tensor<256xf16>
    %0 = tile.rounded addf %a, %a upward : tensor<256xf16>
    tile.store %0, %x[%i] : tensor<256xf16> -> memref<?xf16>
    %k = tile.load %n[%i] : memref<?xi64> -> tensor<256xi64>
    %1 = tile.rounded sitofp %k toward_zero : tensor<256xi64> to tensor<256xf32>
    tile.store %1, %y[%i] : tensor<256xf32> -> memref<?xf32>
    %2 = arith.truncf %1 toward_zero : tensor<256xf32> to tensor<256xf8E4M3FN>
    tile.store %2, %q[%i] : tensor<256xf8E4M3FN> -> memref<?xf8E4M3FN>
    %s = memref.load %n[%c0] : memref<?xi64>
    %t = arith.trunci %s : i64 to i32
    %u = tile.rounded uitofp %t downward : i32 to f32
    %v = arith.truncf %u upward : f32 to bf16
    memref.store %v, %h[%c0] : memref<?xbf16>
  }
  tile.return
}
