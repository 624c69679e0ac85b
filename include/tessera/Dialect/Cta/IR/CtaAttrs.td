// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_ATTRS
#define TESSERA_CTA_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "tessera/Dialect/Cta/IR/CtaDialect.td"

def Cta_FragAttr : AttrDef<Cta_Dialect, "Frag",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "frag";
  let summary = "a register layout: which thread holds which element of a tile";
  let description = [{
    The encoding of a tensor in registers. `tessera/Layout/RegisterLayout.h` defines the lists and the mathematics. Every basis vector has
    one entry for each dimension.

    ```mlir
    #cta.frag<wgmma_acc, wg = 2>                       // a named form, see below; warpgroups share the rows
    #cta.frag<wgmma_acc, wg = 2, dim = 1>              // … or the columns
    #cta.frag<wgmma_a, bits = 16, wg = 1>              // bits of an element: 8, 16 or 32 (tf32)
    #cta.frag<wgmma_a, bits = 16, wg = 2, dim = -1>    // every warpgroup has all rows
    #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]],
              wg = 2 on 0>                             // the general form; `on` is the split dimension
    #cta.frag<splat, rank = 1, warps = 2, wg = 2>      // every thread holds everything
    ```

    A layout that equals a named form is printed in that form. A layout fixes the rank of the tensor, but not its element type.
  }];
  // Flattened lists: `rank` numbers per vector. Use layout() and get(context, RegisterLayout).
  let parameters = (ins "int64_t":$rank, ArrayRefParameter<"int64_t">:$regs, ArrayRefParameter<"int64_t">:$lanes,
                        ArrayRefParameter<"int64_t">:$warps, "int64_t":$warpBits, "int64_t":$wgCount, "int64_t":$wgDim);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    tessera::layout::RegisterLayout layout() const;
    static FragAttr get(mlir::MLIRContext *context, const tessera::layout::RegisterLayout &layout);
    /// The layout of an encoded tensor; null if it has none.
    static FragAttr of(mlir::Type tensor);
  }];
  let skipDefaultBuilders = 0;
}

def Cta_SwizzleAttr : AttrDef<Cta_Dialect, "Swizzle"> {
  let mnemonic = "swizzle";
  let summary = "the layout of a shared tile";
  let description = [{
    * `#cta.swizzle<128, dim = 1>`: rows of 128 bytes, contiguous along tile dimension 1, whose 16-byte chunks are XOR-swizzled over 8 rows.
      The span is 128, 64 or 32 bytes, or it is written 0: a span of 16 bytes without XOR, in panels of core matrices.
    * `#cta.swizzle<linear, pad = 8>`: row-major scratch with 8 bytes of padding after each row.
    * `#cta.swizzle<?>`: not chosen yet (phase raw).

    See `tessera/Layout/SharedLayout.h`.
  }];
  // span: -1 unknown, -2 linear, else 0/32/64/128.
  let parameters = (ins "int64_t":$span, "int64_t":$dim, "int64_t":$pad);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isUnknown() const { return getSpan() == -1; }
    bool isLinear() const { return getSpan() == -2; }
    static SwizzleAttr unknown(mlir::MLIRContext *context) { return get(context, -1, 0, 0); }
    static SwizzleAttr linear(mlir::MLIRContext *context, int64_t pad = 0) { return get(context, -2, 0, pad); }
  }];
}

class Cta_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tessera::cta";
  let genSpecializedAttr = 0;
}

def Cta_MechanismEnum : Cta_Enum<"Mechanism", "how a copy between global and shared memory is made", [
  I32EnumAttrCase<"CpAsync", 0, "cp_async">, I32EnumAttrCase<"Tma", 1, "tma">,
  I32EnumAttrCase<"Shifted", 2, "shifted">]>;
def Cta_MechanismAttr : EnumAttr<Cta_Dialect, Cta_MechanismEnum, "mechanism"> { let assemblyFormat = "`<` $value `>`"; }

def Cta_ConversionEnum : Cta_Enum<"Conversion", "how a register layout conversion is made", [
  I32EnumAttrCase<"NoOp", 0, "no_op">, I32EnumAttrCase<"Permute", 1, "permute">,
  I32EnumAttrCase<"Shuffle", 2, "shuffle">, I32EnumAttrCase<"Shared", 3, "shared">]>;
def Cta_ConversionAttr : EnumAttr<Cta_Dialect, Cta_ConversionEnum, "conversion"> { let assemblyFormat = "`<` $value `>`"; }

def Cta_RoleKindEnum : Cta_Enum<"RoleKind", "who does a step", [
  I32EnumAttrCase<"Producer", 0, "producer">, I32EnumAttrCase<"Math", 1, "math">]>;
def Cta_RoleKindAttr : EnumAttr<Cta_Dialect, Cta_RoleKindEnum, "role_kind"> { let assemblyFormat = "`<` $value `>`"; }

def Cta_ReplicateEnum : Cta_Enum<"Replicate", "what the math warpgroups of a block share", [
  I32EnumAttrCase<"Split", 0, "split">, I32EnumAttrCase<"Blocks", 1, "blocks">]>;

def Cta_ScheduleAttr : AttrDef<Cta_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "the steps of a loop in their order, and what an iteration was predicted to take";
  let description = [{
    `#cta.schedule<[@load, @qk, @softmax], ii = 512>` is on the first `cta.step` of the loop. `cta-verify` reports a step that is missing,
    unknown or out of order. `ii` is the initiation interval: the predicted cycles between the starts of two iterations. It may be absent.
  }];
  let parameters = (ins ArrayRefParameter<"mlir::StringAttr">:$steps, OptionalParameter<"std::optional<int64_t>">:$ii);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cta_PlanAttr : AttrDef<Cta_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "the decisions about a kernel that its source IR does not contain";
  let description = [{
    `#cta.plan<warpgroups = 2, producers = 1, stages = 3, persistent = 1, group = 16>`. Every entry is optional. `cta-plan` chooses the
    missing ones and prints the complete plan. An entry that is given is carried out, or the compilation fails. Entries about matrix
    products and main loops have no effect on grids and kernels without them. Where several variants of a kernel have one plan, all but the
    first leave out what they cannot do, and `cta-plan` prints their plans without it.

    * `replicate`: `split`: the math warpgroups share the rows of one output tile (cooperative). `blocks`: each computes an output tile of
      its own (ping-pong).
    * `warpgroups`: the math warpgroups of a block.
    * `producers`: the warps that only issue loads. 0: no warp specialisation, the math warps issue loads.
    * `stages`: the depth, in slots, of every channel that an innermost loop fills (docs/design/Channels.md, *The depth*). 0: a synchronous
      kernel: no channels, every iteration waits for its own loads.
    * `persistent`: 1: as many blocks as the GPU has room for, each with a loop over output tiles. 0: one block for each output tile.
    * `group`: the rows of output tiles of a rasterisation group (see `#tile.order`). Rows are counted along the last grid dimension but
      one; the dimensions before it are batches.
    * `least_group`: the fewest rows of a rasterisation group. Groups have fewer than `group` rows in launches whose rows are so long that
      `group` of them would not stay in L2. Absent: all groups have `group` rows.
    * `blocks_per_sm`: the blocks that share an SM.
    * `cluster`: the blocks of a cluster, along one grid dimension: a power of two, at most 8 (the portable size, CUDA C++ Programming
      Guide, thread block clusters). Only persistent launches have clusters.
    * `cluster_dim`: that dimension, counted from 0. A tile that is loaded in the main loop and does not depend on this dimension is fetched
      once for the cluster. Absent: the dimension that saves the most bytes.
    * `registers`: the registers of a math thread after the roles have exchanged registers (`setmaxnreg`). 0: as many as at entry.
    * `pending`: 1 or more: products are awaited where their results are needed, and in a pipelined loop those of one iteration stay in
      flight over its end. 0: each product is awaited at once.
    * `epilogue`: the columns of an epilogue subtile, which are converted and stored at a time; a multiple of 8. 0, or the width of the
      tile: the whole tile.
    * `stream_k`: n: split K and stream-K (Osama et al., PPoPP 2023). The output tiles that would fill the last wave of a persistent launch
      only in part are divided among all blocks by iterations of the main loop, if they are at most half a wave, or a grid of one row or
      one column. Parts have at least n iterations, but for the last one of an output tile, and the division is made only if it saves at
      least n iterations. 0: one block computes each output tile.
    * `spread`: 0: blocks begin with their own numbers. 1: with those by which few output tiles are on as many TPCs as possible
      (docs/design/Launches.md, *Few output tiles*), and no clusters or stream-K are derived. Absent: as 1 where the launch that is derived allows it.
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<Replicate>">:$replicate, OptionalParameter<"std::optional<int64_t>">:$warpgroups,
    OptionalParameter<"std::optional<int64_t>">:$producers, OptionalParameter<"std::optional<int64_t>">:$stages,
    OptionalParameter<"std::optional<int64_t>">:$persistent, OptionalParameter<"std::optional<int64_t>">:$group,
    OptionalParameter<"std::optional<int64_t>">:$blocks_per_sm, OptionalParameter<"std::optional<int64_t>">:$cluster,
    OptionalParameter<"std::optional<int64_t>">:$registers, OptionalParameter<"std::optional<int64_t>">:$pending,
    OptionalParameter<"std::optional<int64_t>">:$epilogue, OptionalParameter<"std::optional<int64_t>">:$stream_k,
    OptionalParameter<"std::optional<int64_t>">:$cluster_dim, OptionalParameter<"std::optional<int64_t>">:$least_group,
    OptionalParameter<"std::optional<int64_t>">:$spread);
  let builders = [AttrBuilder<(ins "const ::tessera::plan::Plan &":$plan)>];
  let extraClassDeclaration = [{
    ::tessera::plan::Plan asPlan() const;
  }];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
