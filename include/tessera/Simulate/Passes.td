// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulator of phase allocated.
#ifndef TESSERA_SIMULATE_PASSES
#define TESSERA_SIMULATE_PASSES

include "mlir/Pass/PassBase.td"

// Of modules: whether a name of the options is known, all kernels together say.
class SimulatePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  list<Option> inputs = [
    ListOption<"sizes", "sizes", "std::string", "Sizes, by the names of tile.shape or as A.0: sizes=M=300,N=520,A.1=64">,
    ListOption<"scalars", "scalars", "std::string", "Scalar arguments: scalars=alpha=0.5,n=3">,
    Option<"numBlocks", "num-blocks", "int64_t", "0", "CTAs of each launch; 0: as many as its operands say">,
    Option<"cores", "cores", "int64_t", "132", "What tile.num_cores is: SMs of the device">,
    Option<"fuel", "fuel", "int64_t", "20000000", "Most events and scalar ops of a block">,
  ];
}

def CtaSimulate : SimulatePass<"cta-simulate"> {
  let summary = "Run the protocol of a kernel under adversarial timings";
  let description = [{
    Requires *allocated*; changes nothing. Runs blocks of every launch, those of a cluster together: scalars by upstream's folders, tensors opaque, one agent a warp, TMA and tensor cores as
    engines that take their time. Reports the first violation of each block and timing as an error at the op: reads of shared memory that is not filled, is stale, or is
    overwritten; writes while somebody may still read; missing proxy fences; awaits that pass on the wrong phase; bytes that do not agree; arrivals over the
    count; deadlocks, with who waits for what; copies, stores and products that nobody waits for; slots that are not released. Accesses are compared by
    happens-before, so that a missing barrier is found in any timing.

    A launch whose blocks hand on sums (`cta.put_partial`, `cta.add_partial`) runs whole, each cluster with its own shared memory. They are placed in the order of their numbers, as on a device that has no
    more than `places` for them, the next when one has ended: a block that waits for one behind it is a deadlock. Flags that are raised again before somebody has taken the sums, that are up at the end, or that
    nobody raises are errors, and so are sums that are read before they are there.

    `blocks` are the numbers of blocks to run (default: the first, the last and two between; of clusters, those that they are in; of a launch that runs whole, all), `timings` how many timings of each: six extremes (engines at
    once or as late as possible; the first role, the last role, or all in turns), the others random. Scalars that come from memory or tiles are drawn, and
    drawn again for each timing if control flow depends on them; so are scalar arguments that `scalars` does not give. A name in `sizes` or `scalars` that no kernel has is an error.

    ```sh
    tile-opt gemm.mlir --tessera-to-allocated --cta-simulate='sizes=M=300,N=520,K=200'
    ```
  }];
  let options = !listconcat(inputs, [
    ListOption<"blocks", "blocks", "int64_t", "Numbers of the blocks to run">,
    Option<"timings", "timings", "int64_t", "8", "Timings of each block">,
    Option<"places", "places", "int64_t", "0", "Of a launch that runs whole: clusters that run at a time; 0: all, one, and numbers between, by the timing">,
    Option<"verbose", "verbose", "bool", "false", "A remark that says what was run">,
  ]);
}

def CtaSerializeTrace : SimulatePass<"cta-serialize-trace"> {
  let summary = "A kernel as one possible order of what its roles do, straight on";
  let description = [{
    Requires *allocated*, ensures *placed*. Runs every block (or cluster) of every launch under one timing, as `cta-simulate` does, and replaces the launch by a grid of one point: the blocks one
    after the other, each as the list of what its roles did in the order in which they did it, with the scalars that they had. A shared tile is the value that was
    last written to its bytes. So what `convert-cta-to-tile` makes of the result computes, on the CPU, what the roles and rings would have computed: a test of the
    passes that made them, for small sizes. The arguments must have the sizes given, which the kernel demands.

    Blocks that hand on sums stand there in the order of their numbers, which is one in which nobody waits. `tile.num_cores` becomes what `cores` says.

    A violation of the protocol is an error, and so is control flow that depends on what memory or tiles hold.
  }];
  let options = !listconcat(inputs, [
    Option<"timing", "timing", "int64_t", "0", "Number of the timing: see cta-simulate">,
  ]);
  let dependentDialects = ["::tessera::cta::CtaDialect", "::tessera::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif
