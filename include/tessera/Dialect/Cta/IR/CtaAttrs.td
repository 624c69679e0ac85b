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
    The encoding of a tensor in registers. The mathematics and the meaning of the lists are in
    `tessera/Layout/RegisterLayout.h`; every basis vector has one entry a dimension.

    ```mlir
    #cta.frag<wgmma_acc, wg = 2>                       // a named form, see below; warpgroups share the rows
    #cta.frag<wgmma_acc, wg = 2, dim = 1>              // … or the columns
    #cta.frag<wgmma_a, bits = 16, wg = 1>
    #cta.frag<wgmma_a, bits = 16, wg = 2, dim = -1>    // every warpgroup has all rows
    #cta.frag<regs = [[0, 1]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[16, 0], [32, 0]],
              wg = 2 on 0>                             // the general form; `on` is the split dimension
    #cta.frag<splat, rank = 1, warps = 2, wg = 2>      // every thread holds everything
    ```

    A layout that equals a named form prints as it. Constrains the rank of a shape only, never the element type.
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
    `#cta.swizzle<128, dim = 1>`: rows of 128 bytes, 16-byte chunks XOR-swizzled over 8 rows, contiguous along tile
    dimension 1; spans 128, 64, 32 and 0 (none: 16-byte wide panels of core matrices). `#cta.swizzle<linear, pad = 8>`: row-major
    scratch whose rows are padded by 8 bytes. `#cta.swizzle<?>`: not yet chosen (phase raw).
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
  I32EnumAttrCase<"CpAsync", 0, "cp_async">, I32EnumAttrCase<"Tma", 1, "tma">]>;
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
    `#cta.schedule<[@load, @qk, @softmax], ii = 512>` stands on the first `cta.step` of the loop: `cta-verify` reports a step that is
    missing, unknown or out of order. `ii` is the number of cycles between the starts of two iterations; it may be absent.
  }];
  let parameters = (ins ArrayRefParameter<"mlir::StringAttr">:$steps, OptionalParameter<"std::optional<int64_t>">:$ii);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cta_PlanAttr : AttrDef<Cta_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "the decisions about a kernel that no text of the program contains";
  let description = [{
    `#cta.plan<warpgroups = 2, producers = 1, stages = 3, persistent = 1, group = 16>`. Every entry is optional: `cta-plan` fills in what is
    missing, so that a plan may say as little as it likes, and prints all of it. What a plan says is carried out or refused. Entries about products and the loops over them do not concern grids and
    kernels without; where several variants of a kernel have one plan, those behind the first leave out what they cannot do, and `cta-plan` prints them so.

    * `replicate`: `split`, the warpgroups share the rows of one block (cooperative), or `blocks`, each computes a block of its own (ping-pong).
    * `warpgroups`: math warpgroups of a CTA.
    * `producers`: warps that do nothing but issue loads; 0: no specialisation, the math warps issue them.
    * `stages`: slots of each channel that a loop refills; 0: no channels, everything stays synchronous.
    * `persistent`: 1: as many CTAs as the chip has room for, each with a loop over blocks; 0: one CTA a block.
    * `group`: rows of blocks that run together (rasterisation, see `#tile.order`), along the last dimension but one: those before it are batches.
    * `least_group`: rows that a group has at least in launches whose rows are so long that those of `group` of them would not stay in L2; absent: groups have `group` rows in all launches.
    * `blocks_per_sm`: CTAs that shall share an SM.
    * `cluster`: CTAs of a cluster along one grid dimension: a power of two, at most 8 (the portable size, CUDA C++ Programming Guide, thread block clusters). Only persistent launches have clusters.
    * `cluster_dim`: that dimension, counted from 0. What is loaded in the loop over products and does not depend on it is fetched once for the cluster. Absent: the dimension with most bytes of that.
    * `registers`: of a math thread after the roles have parted (`setmaxnreg`); 0: as many as at entry.
    * `pending`: 1 or more: products stay in flight while others are issued, those of one iteration over the back edge of a pipelined loop; 0: each is waited for at once.
    * `epilogue`: columns that the epilogue converts and stores at a time, a multiple of 8; 0, or as many as the tile has: the whole tile.
    * `overlap`: n (1 to 4): the parts of a block's epilogue run beside the products of the next block in the same warpgroups, each part with the products of n iterations in flight, which
      needs registers for two sets of accumulators; 0: before them.
    * `stream_k`: n: the points of a persistent launch that would fill its last round only in part are dealt out to all blocks by their iterations, in parts of at least n, if that spares
      at least n (stream-K, Osama et al., PPoPP 2023); 0: a point is computed by one block.
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<Replicate>">:$replicate, OptionalParameter<"std::optional<int64_t>">:$warpgroups,
    OptionalParameter<"std::optional<int64_t>">:$producers, OptionalParameter<"std::optional<int64_t>">:$stages,
    OptionalParameter<"std::optional<int64_t>">:$persistent, OptionalParameter<"std::optional<int64_t>">:$group,
    OptionalParameter<"std::optional<int64_t>">:$blocks_per_sm, OptionalParameter<"std::optional<int64_t>">:$cluster,
    OptionalParameter<"std::optional<int64_t>">:$registers, OptionalParameter<"std::optional<int64_t>">:$pending,
    OptionalParameter<"std::optional<int64_t>">:$epilogue,
    OptionalParameter<"std::optional<int64_t>">:$overlap, OptionalParameter<"std::optional<int64_t>">:$stream_k,
    OptionalParameter<"std::optional<int64_t>">:$cluster_dim, OptionalParameter<"std::optional<int64_t>">:$least_group);
  let builders = [AttrBuilder<(ins "const ::tessera::plan::Plan &":$plan)>];
  let extraClassDeclaration = [{
    ::tessera::plan::Plan asPlan() const;
  }];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
