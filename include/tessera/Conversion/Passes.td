// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversions, in one section for each target.
#ifndef TESSERA_CONVERSION_PASSES
#define TESSERA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===--- to the CPU -------------------------------------------------------------------------===//

def ConvertTileToCPU : Pass<"convert-tile-to-cpu", "mlir::ModuleOp"> {
  let summary = "Lower tile kernels to functions that run one block on the host";
  let description = [{
    Requires L0 with helper functions inlined. Each `tile.grid` of a kernel becomes a function `@<kernel>_<grid>(%params: !llvm.ptr, %block:
    i64)` with the CPU ABI of docs/Contract.md: `params[i]` points at the slot of parameter i, `block` is the linear number of the block.
    The kernel's scalar code is cloned into each function as far as the grid needs it. Loads become copies into new buffers, the other tile
    ops `linalg` on tensors. The module gets the attribute `tile.contract`, the JSON of the launch contract.

    A read of memory outside the grids is executed by each block of the grids that use it. It must read memory that the kernel does not
    write.

    ```mlir
    tile.grid (%i) = (0) to (%n) step (1024) {
      %a = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
    ```
    becomes
    ```mlir
    func.func @add_0(%params: !llvm.ptr, %block: i64) {
      …
      %buffer = memref.alloc() : memref<1024xf32>
      scf.for %j = %low to %high step %c1 { … memref.load … memref.store … }
      %a = bufferization.to_tensor %buffer restrict writable : memref<1024xf32> to tensor<1024xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::func::FuncDialect", "mlir::linalg::LinalgDialect", "mlir::LLVM::LLVMDialect",
    "mlir::math::MathDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"];
}

def CPUBranchSwitches : Pass<"cpu-branch-switches"> {
  let summary = "Turn an scf.index_switch that yields tiles into nested scf.if";
  let description = [{
    Upstream's one-shot bufferization (22.1.8) does not see that the result of an `scf.index_switch` may be the buffer that a region yields,
    and lets later ops overwrite it. For `scf.if` it does. Switches without tiles among their results stay.

    ```mlir
    %r = scf.index_switch %i -> tensor<8xf32> case 4 { A } case 7 { B } default { C }
    // becomes
    %n = … 0 if %i is 4, 1 if it is 7, else 2
    %r = scf.if %n < 1 { A } else { scf.if %n < 2 { B } else { C } }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def CPUFuseElementwise : Pass<"cpu-fuse-elementwise"> {
  let summary = "Turn tensor arithmetic into linalg and fuse it where no work is repeated";
  let description = [{
    Elementwise ops on tensors become `linalg.generic`. A producer is fused into its only user if that user is elementwise too and reads
    each element once. Broadcasts, iotas and splats are always fused. Remaining splat constants become `linalg.fill`, so that no array of
    equal numbers is emitted. `tensor.concat` becomes insertions.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def CPUExpandNarrowFloats : Pass<"cpu-expand-narrow-floats"> {
  let summary = "Compute f16, bf16 and f8 in f32, and convert them by integer arithmetic";
  let description = [{
    The result of every op is rounded. Conversions need neither F16C nor symbols that the host's libgcc may lack. They round once, to
    nearest even, also from f64 and from integers. `math.fma` on them is computed in f64, where the product is exact. Runs on
    scalars.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

def CPUExpandRounding : Pass<"cpu-expand-rounding"> {
  let summary = "Compute tile.rounded and truncations with a rounding mode from operations that round to nearest";
  let description = [{
    The host's rounding mode is never changed: LLVM assumes that it is to nearest, and moves operations across a change. Types up to f32
    are computed in f64, where the result is exact or differs from a number of the type if the exact one does, and are narrowed by integer
    arithmetic. For f64 the error of the rounded result is computed exactly (by an fma, or as that of a sum), and says whether the result
    is moved to its neighbour. Runs on scalars.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

def CPUNarrowFloatsAsBits : Pass<"cpu-narrow-floats-as-bits"> {
  let summary = "Turn f16 and bf16 values into i16, f8 values into i8";
  let description = [{
    Runs on the LLVM dialect, when no arithmetic on f16, bf16 and f8 is left. LLVM keeps a bf16 that lives in a register across basic blocks as
    f32, and calls `__truncsfbf2` to store it, which the host's libgcc may lack.
  }];
}

def CPUGuardDivisions : Pass<"cpu-guard-divisions"> {
  let summary = "Keep integer divisions from trapping";
  let description = [{
    Division by zero, and division of the least integer by -1, is undefined; on x86 it ends the process. A block that reaches beyond the
    grid's bound may divide padding by padding and drop the result. In such divisions the divisor becomes 1. Divisions that round up or down
    have been expanded before. Runs on scalars.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def CPULowerCopies : Pass<"cpu-lower-copies"> {
  let summary = "Lower memref.copy to loops";
  let description = [{
    Upstream lowers a strided copy to a call of a runtime function, which is in libMLIR.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def CPUPreciseMath : Pass<"cpu-precise-math", "mlir::ModuleOp"> {
  let summary = "Call libm for functions that upstream makes of others, with errors";
  let description = [{
    Upstream's conversion to LLVM turns `math.expm1` into exp(x) - 1 and `math.log1p` into log(1 + x), which lose all digits near 0. It makes a loop of
    multiplications of `math.fpowi`, each of which is rounded: x^9 may be off by 8 half units of the last place, x^1000 by a thousand. Here it becomes
    `math.powf` of the absolute value in f64, with the sign of x for odd exponents.
  }];
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::arith::ArithDialect"];
}

def CPULowerAsserts : Pass<"cpu-lower-asserts", "mlir::ModuleOp"> {
  let summary = "Lower cf.assert: a failed check writes a line and aborts";
  let description = [{
    `cf.assert` becomes a branch to calls of `write` (file descriptor 2, location and message) and `abort`. Upstream's lowering prints by
    `puts`, whose buffer is lost when the process aborts.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::cf::ControlFlowDialect"];
}

def CPULowerAtomics : Pass<"cpu-lower-atomics", "mlir::ModuleOp"> {
  let summary = "Lower the steps of atomics to LLVM's compare and swap";
  let description = [{
    `convert-tile-to-cpu` writes a step of `tile.atomic` as calls of `__tessera_peek_iN` and `__tessera_cas_iN`, functions of an address,
    because buffers are freed by a pass that takes no op whose memory effects it does not know. After the conversion to the LLVM dialect
    these calls become an atomic load and `llvm.cmpxchg`, which acquires and releases.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

//===--- to the GPU -------------------------------------------------------------------------===//

def ConvertCtaToNVVM : Pass<"convert-cta-to-nvvm", "mlir::ModuleOp"> {
  let summary = "Lower each launch to a GPU function of one thread";
  let description = [{
    Requires *allocated*. Each `cta.launch` becomes an `llvm.func` of its name. A tensor becomes as many scalars as a thread has registers
    for it, and shared tiles become offsets into one dynamic allocation. The kernels are erased, so what the launch contract needs of them
    must be read before. What only this pass knows is left on the function: `tessera.params`, `tessera.numbers` and `tessera.descriptors`
    (the lists `params`, `numbers` and `descriptors` of docs/Contract.md), `tessera.threads` and `tessera.shared` (bytes).

    What the kernel computes outside of its launches is computed by each thread that needs it, but for numbers that need a division by
    another number than a constant: those the launcher computes and passes, if they are made of sizes, constants and `tile.num_cores`
    (parameters of kind `expr`).

    Scalar `arith`, `scf` and `math` ops remain for the upstream conversions, all of which `buildNVVMPipeline` runs. Ops of other dialects are
    lowered as their dialect says by `ConvertCtaToNVVMInterface` (docs/Embedding.md); an op without a lowering is an error.

    ```mlir
    cta.launch @add_0 blocks(%blocks) attributes {threads = 128, shared = 0} {
      %a = cta.load %x[%i] {vector = 4} : memref<?xf32> -> tensor<1024xf32, #l>
      …
    ```
    becomes
    ```mlir
    llvm.func @add_0(%arg0: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %arg1: i64, …) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>,
        tessera.params = [{kind = "pointer", arg = 0 : i64}, {kind = "size", arg = 0 : i64, dim = 0 : i64}, …]} {
      %0 = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
                           "mlir::NVVM::NVVMDialect", "mlir::scf::SCFDialect"];
}

def NVVMParkScalars : Pass<"nvvm-park-scalars", "mlir::LLVM::LLVMFuncOp"> {
  let summary = "Pack scalars that are needed once for each output tile into the lanes of one register";
  let description = [{
    Runs after `convert-cta-to-nvvm`, on roles whose registers have been redistributed (`nvvm.setmaxregister increase`) and that loop over
    output tiles. It considers values of 32 bits that are the same in all threads (made of arguments and the number of the block), that took
    arithmetic, and that an iteration needs only before its first matrix product or inner loop: those that say where an output tile lies.
    Each of them would take a register in addition to the accumulators. If there are three or more they are kept in the lanes of one
    register, and shuffles bring them back at the beginning of an iteration. Only loops that contain another loop are considered.

    ```mlir
    nvvm.setmaxregister increase 232
    scf.for %point = %first to %points step %blocks {
      … %height … %columns … %reciprocal …
    ```
    becomes
    ```mlir
    %parked = … lane == 1 ? %columns : lane == 2 ? %reciprocal : %height
    scf.for %point = %first to %points step %blocks {
      %0 = nvvm.shfl.sync idx %c-1_i32, %parked, %c0_i32, %c31_i32 : i32 -> i32
      …
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::NVVM::NVVMDialect"];
}

def ConvertThreadCodeToLLVM : Pass<"convert-thread-code-to-llvm"> {
  let summary = "Convert scalar arith, math, cf and nvvm ops to the LLVM dialect in one conversion";
  let description = [{
    Applies upstream's patterns, which upstream runs as one pass for each dialect. One conversion is faster
    (docs/performance/experiments.md). Structured control flow must have been lowered to `cf`. Maxima and
    minima of scalars of 16 bits are computed in f32, because ptxas 13.0 miscompiles pairs of them.

    ```mlir
    %1 = math.fma %a, %b, %c : f32
    // becomes
    %1 = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif
