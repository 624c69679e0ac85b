// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulator of phase allocated.
#ifndef TESSERA_SIMULATE_PASSES
#define TESSERA_SIMULATE_PASSES

include "mlir/Pass/PassBase.td"

// A pass on modules, because a name in the options may belong to any of the kernels.
class SimulatePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  list<Option> inputs = [
    ListOption<"sizes", "sizes", "std::string", "Sizes, by the names of tile.shape or as A.0: sizes=M=300,N=520,A.1=64">,
    ListOption<"scalars", "scalars", "std::string", "Scalar arguments: scalars=alpha=0.5,n=3">,
    Option<"numBlocks", "num-blocks", "int64_t", "0", "Blocks of each launch, on as many SMs as have them; 0: as many as its operands say">,
    Option<"cores", "cores", "int64_t", "132", "The value of tile.num_cores, SMs of the device, without num-blocks">,
    Option<"fuel", "fuel", "int64_t", "20000000", "Most events and scalar ops of a block">,
  ];
}

def CtaSimulate : SimulatePass<"cta-simulate"> {
  let summary = "Run the protocol of a kernel under adversarial timings";
  let description = [{
    Requires *allocated*; changes nothing. Runs blocks of every launch, those of a cluster together. Scalars are evaluated by upstream's
    folders, tensors are opaque, each warp is one agent, and TMA and tensor cores are engines that take time. The first violation of each
    block and timing is an error at the op:

    * reads of shared memory that is not filled, is stale, or is overwritten;
    * writes while another agent may still read;
    * missing proxy fences;
    * awaits that pass on the wrong phase of an mbarrier, bytes that do not agree, arrivals above the count;
    * deadlocks, with a list of who waits for what;
    * copies, stores and products for which nobody waits;
    * slots that are not released.

    Accesses are compared by happens-before, so a missing barrier is found in every timing.

    A launch whose blocks hand on partial sums (`cta.put_partial`, `cta.add_partial`) runs whole, each cluster with its own shared memory.
    Clusters are placed in the order of their numbers, as on a device that has room for `places` of them: the next one when one has ended. A
    block that waits for one with a higher number may thus be a deadlock. It is an error if flags are raised again before another block has
    taken the partial sums, if they are up at the end, if nobody raises flags for which a block waits, or if partial sums are read before
    they are written.

    `blocks` are the numbers of the blocks to run. The default is the first, the last and two between them; for clusters, the clusters with
    these blocks; for a launch that runs whole, all. `timings` is the number of timings of each. Six are extremes: engines at once or as
    late as possible; the first role, the last role, or all in turn. The others are random. Scalars that come from memory or tiles are drawn
    at random, and drawn again for each timing if control flow depends on them. So are scalar arguments that `scalars` does not give. A name
    in `sizes` or `scalars` that no kernel has is an error.

    ```sh
    tile-opt gemm.mlir --tessera-to-allocated --cta-simulate='sizes=M=300,N=520,K=200'
    ```

    `timeline` is a file that gets one more run of the same blocks, in which everything takes the cycles that schedules count for it. The
    file is JSON in the form of Chrome's trace events: open it in https://ui.perfetto.dev or chrome://tracing. A block is a process, and a
    cycle is a microsecond. There is a track for each warpgroup of a role (it shows the first warp), for TMA, cp.async and the tensor cores,
    and for each slot of a ring. Slices are named by op and line, those of slots by their state. `args` has the `iteration` (how often the op
    ran before in the same output tile; of a slot: the filling of its ring), the `output_tile`, the cycles that a warp `waited`, and for an
    engine the warp that issued its work, `issued_by`. If there is a violation, the file shows the run up to it; what a warp could not
    finish has the category `stuck`.

    ```sh
    tile-opt gemm.mlir --tessera-to-allocated --cta-simulate='sizes=M=256,N=256,K=512 blocks=0 timeline=gemm.json' -o /dev/null
    ```
  }];
  let options = !listconcat(inputs, [
    ListOption<"blocks", "blocks", "int64_t", "Numbers of the blocks to run">,
    Option<"timings", "timings", "int64_t", "8", "Timings of each block">,
    Option<"places", "places", "int64_t", "0", "For a launch that runs whole: clusters that run at a time; 0: all, one, and numbers between, by the timing">,
    Option<"timeline", "timeline", "std::string", "\"\"", "A file for a timed run of the blocks, in the form that Perfetto reads; -: standard output">,
    Option<"verbose", "verbose", "bool", "false", "Emit a remark that says what was run">,
  ]);
}

def CtaSerializeTrace : SimulatePass<"cta-serialize-trace"> {
  let summary = "Replace a kernel by one sequential order of what its roles do";
  let description = [{
    Requires *allocated*; ensures *placed*. Runs every block (or cluster) of every launch under one timing, as `cta-simulate` does. The
    launch is replaced by a grid of one output tile, which contains the blocks one after the other. Each block is the list of what its roles
    did, in the order in which they did it, with the scalars that they had. A shared tile is the value that was last written to its bytes.
    `convert-cta-to-tile` turns the result into a tile program that computes, on the CPU, what the roles and rings would have computed. This
    tests the passes that made them, for small sizes. The arguments must have the given sizes, which the kernel then demands.

    Blocks that hand on partial sums are in the order of their numbers, in which no block has to wait. `tile.num_cores` becomes the value of
    `cores`, or the number of SMs that have `num-blocks` blocks.

    A violation of the protocol is an error, and so is control flow that depends on the contents of memory or tiles.
  }];
  let options = !listconcat(inputs, [
    Option<"timing", "timing", "int64_t", "0", "Number of the timing: see cta-simulate">,
  ]);
  let dependentDialects = ["::tessera::cta::CtaDialect", "::tessera::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif
