// Control flow around loads, from source IR to PTX: what channels carry stands in branches, in a switch and in a while loop; conditions and trip counts come from memory.
// The scheduled kernel computes the same as the source IR on the CPU, to the last bit. The allocated kernel keeps its protocol whatever memory holds, and so does its PTX.
//
// REQUIRES: numpy
// DEFINE: %{plan} =
// DEFINE: %{scheduled} = inline,canonicalize,cse,tile.kernel(tile-fuse-fma),tile-specialize-facts,tile.kernel(convert-tile-to-cta,cta-form-wgmma,cta-assign-layouts,cta-swizzle-shared,cta-select-copies,cta-trim-copies,cta-decompose,cta-plan{derive=false},cta-lower-grid,cta-pipeline-copies,cta-schedule,cta-verify
// DEFINE: %{m} =
// DEFINE: %{n} =
// DEFINE: %{k} =
// DEFINE: %{z} =
// DEFINE: %{arguments} = randn:%{m}x%{k}xbf16 randn:%{k}x%{n}xbf16 randint:%{z}xi32:low=0:high=2 nan:%{m}x%{n}xf32
// DEFINE: %{compare} = tile-run %t.text.so %{arguments} --out C=%t.npy && tile-run %t.scheduled.so %{arguments} --guard --check C=%t.npy:rtol=0,atol=0 && tile-opt %t.allocated.mlir --cta-simulate='sizes=M=%{m},N=%{n},K=%{k},Z=%{z} cores=3 timings=50 verbose' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN: no violation
// CLEAN-NOT: error
// DEFINE: %{compile} = %python %S/../Examples/with_plan.py %s "%{plan}" > %t.planned.mlir && tile-opt %t.planned.mlir --pass-pipeline='builtin.module(%{scheduled},convert-cta-to-tile))' -o %t.scheduled.mlir && tilec %t.scheduled.mlir -o %t.scheduled.so --target=cpu -O1 && tile-opt %t.planned.mlir --tessera-to-allocated='variants=aligned derive-plans=false' -o %t.allocated.mlir && FileCheck %s --input-file=%t.allocated.mlir && tilec %t.allocated.mlir --emit=ptx -o %t.ptx && tile-ptx-check %t.ptx
// CHECK: cta.ring
// CHECK: cta.ring
// CHECK: cta.ring
//
// RUN: tilec %s -o %t.text.so --target=cpu -O1
//
// REDEFINE: %{plan} = persistent = 1, stages = 3
// RUN: %{compile}
// REDEFINE: %{m} = 200
// REDEFINE: %{n} = 136
// REDEFINE: %{k} = 304
// REDEFINE: %{z} = 5
// RUN: %{compare}
// REDEFINE: %{m} = 65
// REDEFINE: %{n} = 8
// REDEFINE: %{k} = 192
// REDEFINE: %{z} = 3
// RUN: %{compare}
//
// REDEFINE: %{plan} = stages = 2
// RUN: %{compile}
// RUN: %{compare}
//
// REDEFINE: %{plan} = persistent = 1, stages = 2, producers = 0
// RUN: %{compile}
// RUN: %{compare}

// C = sum over k of A[i, k] · B[k, j], left out, once, or with another block of A added, as S[k] says; then once more over the first S[0] blocks of k.
tile.kernel @sparse(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %S: memref<?xi32> {tile.shape = ["Z"]},
                    %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %q = tile.load %A[%i, %c0] : memref<?x?xbf16> -> tensor<64x64xbf16>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %n = arith.divui %k, %c64 : index
      %how = memref.load %S[%n] : memref<?xi32>
      %z = arith.constant 0 : i32
      %some = arith.cmpi ne, %how, %z : i32
      %next = scf.if %some -> (tensor<64x64xf32>) {
        %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
        %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
        %d = tile.mma %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        %w = arith.index_cast %how : i32 to index
        %e = scf.index_switch %w -> tensor<64x64xf32>
        case 1 {
          scf.yield %d : tensor<64x64xf32>
        }
        default {
          %b2 = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
          %f = tile.mma %q, %b2, %d : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
          scf.yield %f : tensor<64x64xf32>
        }
        scf.yield %e : tensor<64x64xf32>
      } else {
        scf.yield %sum : tensor<64x64xf32>
      }
      scf.yield %next : tensor<64x64xf32>
    }
    %limit = memref.load %S[%c0] : memref<?xi32>
    %lim = arith.index_cast %limit : i32 to index
    %rest:2 = scf.while (%t = %c0, %s = %acc) : (index, tensor<64x64xf32>) -> (index, tensor<64x64xf32>) {
      %more = arith.cmpi slt, %t, %lim : index
      scf.condition(%more) %t, %s : index, tensor<64x64xf32>
    } do {
    ^bb0(%t: index, %s: tensor<64x64xf32>):
      %k = arith.muli %t, %c64 : index
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%k, %j] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %d = tile.mma %a, %b, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %u = arith.addi %t, %c1 : index
      scf.yield %u, %d : index, tensor<64x64xf32>
    }
    tile.store %rest#1, %C[%i, %j] : tensor<64x64xf32> -> memref<?x?xf32>
  }
  tile.return
}
