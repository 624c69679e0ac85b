// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// What ops of `cta`, and ops of other dialects that live among them, tell the passes about themselves. A pass asks an op through one of these
// interfaces; it has no list of ops. What is still asked by name: how layouts depend on each other, the protocol of channels and mbarriers,
// and matrix products of the tensor cores.
#ifndef TESSERA_CTA_INTERFACES
#define TESSERA_CTA_INTERFACES

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaceBase.td"

//===--- resources of memory effects (MemoryAccess.h) ----------------------------------------===//

def Cta_SharedMemory : Resource<"::tessera::cta::SharedMemory">;
def Cta_MBarriers : Resource<"::tessera::cta::MBarriers">;
def Cta_ProductsInFlight : Resource<"::tessera::cta::ProductsInFlight">;

//===--- interfaces --------------------------------------------------------------------------===//

def Cta_EraseOpInterface : OpInterface<"EraseOpInterface"> {
  let cppNamespace = "::tessera::cta";
  let description = [{
    Ops of the phases raw to scheduled that can be turned back into L0. `convert-cta-to-tile` calls `eraseToTile`. The operands
    that it passes are erased already: register tiles and shared tiles are tensors without an encoding.
  }];
  let methods = [
    InterfaceMethod<"Builds the L0 equivalent at the rewriter's insertion point and returns one value per result.",
      "mlir::FailureOr<llvm::SmallVector<mlir::Value>>", "eraseToTile",
      (ins "mlir::OpBuilder &":$builder, "mlir::ValueRange":$operands)>];
}

def Cta_MemoryAccessOpInterface : OpInterface<"MemoryAccessOpInterface"> {
  let cppNamespace = "::tessera::cta";
  let description = [{
    Ops that access shared tiles or global memory. In phase allocated every op with a shared tile as operand or result implements it:
    `cta-insert-barriers` refuses those that do not, because it could not order what they access. An op that only renames a tile
    (`cta.view`, `cta.slot`) has no accesses.

    Upstream's memory effects are about values. A shared tile is an immutable value, so reading it is no effect, and CSE and LICM are right
    to move such reads. The bytes behind the tile are used again, and that is what this interface is about. An op needs memory effects next
    to it only for what is not a value: global memory, or the protocol of a channel.

    `cta-insert-barriers` derives barriers, fences and waits from the accesses. The passes that move loads and stores ask whether one op
    may overwrite what another one reads, and `cta-simulate` checks accesses in the order in which warps make them.
  }];
  let methods = [
    InterfaceMethod<[{
        Returns one description (`MemoryAccess`, IR/MemoryAccess.h) for each tile and each memref that the op accesses, reads before writes.
        It is called from phase placed on. Before `cta-allocate-shared` has run, mbarriers have no numbers.
      }],
      "::tessera::cta::MemoryAccesses", "getMemoryAccesses">];
}

def Cta_SharedBufferOpInterface : OpInterface<"SharedBufferOpInterface"> {
  let cppNamespace = "::tessera::cta";
  let description = [{
    Ops that have bytes of shared memory of their own, for as long as their result is used. `cta-allocate-shared` places them. The place is
    the attribute `offset`, which an implementation declares as `OptionalAttr<I64Attr>`. In phase allocated every such op has it. The tile is
    the op's first result.
  }];
  let methods = [
    InterfaceMethod<"The tile that the op makes room for; null if it has no bytes of its own, like a copy into the slot of a ring.",
      "::tessera::cta::SmemType", "getBufferType">,
    InterfaceMethod<"The place in the shared memory of the block, in bytes; nothing if it is not chosen yet.",
      "std::optional<int64_t>", "getByteOffset", (ins), [{}], [{
        auto offset = $_op->template getAttrOfType<mlir::IntegerAttr>("offset");
        return offset && $_op.getBufferType() ? std::optional<int64_t>(offset.getInt()) : std::nullopt;
      }]>,
    InterfaceMethod<"Sets the place, or removes it.",
      "void", "setByteOffset", (ins "std::optional<int64_t>":$bytes), [{}], [{
        if (!bytes)
          $_op->removeAttr("offset");
        else
          $_op->setAttr("offset", mlir::IntegerAttr::get(mlir::IntegerType::get($_op->getContext(), 64), *bytes));
      }]>];
}

def Cta_CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::tessera::cta";
  let description = [{
    Ops that know what they cost. `cta-plan` and `cta-schedule` ask, through `CostModel` (Analysis/OpCost.h), in the phases placed to
    scheduled. The model itself knows arith and math ops, conditions and loops. An op without the interface counts as arithmetic if it has
    no memory effects, otherwise as one access to memory.

    The methods have defaults for an op without instructions: a renaming, or a signal that another op pays for. So an op that costs something
    implements both of them.
  }];
  let methods = [
    InterfaceMethod<"The unit that does most of the op's work. The scheduler places ops of class `Product` and `Region`, and those with effects, "
                    "by themselves; it puts the others together by class.",
      "::tessera::cta::WorkClass", "getWorkClass", (ins), [{}], [{ return ::tessera::cta::WorkClass::Free; }]>,
    InterfaceMethod<"What the op costs one of `context.warpgroups` warpgroups. It is not called for ops of class `Free`.",
      "::tessera::cta::OpCost", "getCost", (ins "const ::tessera::cta::CostContext &":$context), [{}],
      [{ (void)context; return {}; }]>];
}

def Cta_SliceableOpInterface : OpInterface<"SliceableOpInterface"> {
  let cppNamespace = "::tessera::cta";
  let description = [{
    Ops that can compute some columns of a result without computing the whole. `cta-split-epilogue` calls `sliceResult` on what leads from
    the accumulators to a store, once for each epilogue subtile. The pass itself knows constants and elementwise ops. If an op does not
    implement the interface, or returns null, its whole result is computed and cut by a `cta.slice`. That is right for accumulators, whose
    columns are registers of their own; of another tile all columns stay live meanwhile.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds ops at the insertion point that compute the slice of `result`, which is a register tile, and returns their result. Its type is
        `slicedType` of the result's type. Slices of operands come from `slicer.sliceOf`. Before the op repeats an access to memory, it asks
        `slicer.mayRepeat`. Returns null, and has built nothing, if the op cannot compute this slice.
      }],
      "mlir::Value", "sliceResult",
      (ins "mlir::OpBuilder &":$builder, "mlir::OpResult":$result, "::tessera::cta::TileSlice":$slice,
           "::tessera::cta::TileSlicer &":$slicer)>];
}

#endif
