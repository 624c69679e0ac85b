// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Ops that exist in phase allocated only.
#ifndef TESSERA_CTA_ALLOCATED_OPS
#define TESSERA_CTA_ALLOCATED_OPS

include "tessera/Dialect/Cta/MemoryOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

def Cta_LaunchOp : Cta_Op<"launch", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "one launch of the kernel: what a block does";
  let description = [{
    Made by `cta-lower-grid` from a `tile.grid`. `blocks` are the numbers of blocks per grid dimension (zero or less: nothing is launched; their product
    is below 2³¹, which the launcher checks); inside, `cta.block_id` gives the linear number. `symbol` is the name of the GPU function.

    Decisions, all attributes: `shared`, the bytes of dynamic shared memory, and `mbarriers`, an arrival count for each mbarrier (`cta-allocate-shared`);
    mbarrier n lies at byte `shared - 8 * (number of mbarriers - n)`. They are initialised at entry, before all else, and a barrier follows. `threads`,
    `max_registers` (a thread's cap) and `min_blocks` (blocks that shall share an SM) come from `cta-assign-registers`.

    The body may use scalars of the kernel's body; they are arguments, or cloned into the function by the lowering.

    ```mlir
    cta.launch @gemm_aligned_0 blocks(%m, %n) attributes {threads = 256, shared = 49152, mbarriers = array<i64: 2>} {
      %b = cta.block_id : index
      …
    }
    ```
  }];
  let arguments = (ins StrAttr:$symbol, Variadic<Index>:$blocks, OptionalAttr<I64Attr>:$threads,
    OptionalAttr<I64Attr>:$shared, OptionalAttr<I64Attr>:$max_registers, OptionalAttr<I64Attr>:$min_blocks,
    OptionalAttr<DenseI64ArrayAttr>:$mbarriers);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cta_BlockIdOp : Cta_Op<"block_id", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the linear number of the block";
  let description = "```mlir\n%b = cta.block_id : index\n```";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_BarrierOp : Cta_Op<"barrier", []> {
  let summary = "all threads of the block meet";
  let description = [{
    `bar.sync 0`: shared and global accesses before are visible to all threads of the block after. Made by `cta-insert-barriers`.

    ```mlir
    cta.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cta_FenceAsyncOp : Cta_Op<"fence_async", []> {
  let summary = "generic writes become visible to the async proxy";
  let description = [{
    `fence.proxy.async.shared::cta` by every thread, before the barrier that precedes a wgmma or TMA access to the data that they wrote. With
    `global`: `fence.proxy.async.global`, for plain stores to global memory. Made by `cta-insert-barriers`.

    ```mlir
    cta.fence_async
    cta.fence_async global
    ```
  }];
  let arguments = (ins UnitAttr:$global);
  let assemblyFormat = "(`global` $global^)? attr-dict";
}

def Cta_AwaitOp : Cta_Op<"await", []> {
  let summary = "wait until the TMA copies of an mbarrier have landed";
  let description = [{
    All threads wait for the next phase of the mbarrier; the parity is a variable that the lowering keeps and flips. Made by
    `cta-insert-barriers`, which keeps one invariant: an await stands in the block of the copies it waits for and runs once each time they do.

    ```mlir
    cta.await 0
    ```
  }];
  let arguments = (ins I64Attr:$mbarrier);
  let assemblyFormat = "$mbarrier attr-dict";
}

def Cta_AwaitStoresOp : Cta_Op<"await_stores", []> {
  let summary = "wait for TMA stores";
  let description = [{
    The thread that issued them waits until the sources of all `cta.copy_out` have been read (`read`) or until the stores are
    complete; others learn it at the next `cta.barrier`.

    ```mlir
    cta.await_stores read
    ```
  }];
  let arguments = (ins UnitAttr:$read);
  let assemblyFormat = "(`read` $read^)? attr-dict";
}

#endif
