// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TILE_ATTRS
#define TESSERA_TILE_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tessera/Dialect/Tile/TileDialect.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tessera::tile";
  let genSpecializedAttr = 0;
}
// Printed as `#tile.cache<first>` in general; ops print the bare word in a clause of their own (`cache = first`).
class Tile_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Tile_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

// The phase of a kernel (docs/Architecture.md). A kernel without the attribute is at L0.
def Tile_PhaseEnum : Tile_Enum<"Phase", "level of a kernel below L0", [
  I32EnumAttrCase<"Raw", 0, "raw">, I32EnumAttrCase<"Placed", 1, "placed">, I32EnumAttrCase<"Planned", 2, "planned">,
  I32EnumAttrCase<"Scheduled", 3, "scheduled">, I32EnumAttrCase<"Specialized", 4, "specialized">,
  I32EnumAttrCase<"Allocated", 5, "allocated">]>;
def Tile_PhaseAttr : Tile_EnumAttr<Tile_PhaseEnum, "phase">;

def Tile_SwitchEnum : Tile_Enum<"Switch", "on or off", [
  I32EnumAttrCase<"Off", 0, "off">, I32EnumAttrCase<"On", 1, "on">]>;
def Tile_SwitchAttr : Tile_EnumAttr<Tile_SwitchEnum, "switch">;

def Tile_PadEnum : Tile_Enum<"Pad", "value of elements that a load does not access", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NegInf", 1, "neg_inf">,
  I32EnumAttrCase<"PosInf", 2, "pos_inf">, I32EnumAttrCase<"Nan", 3, "nan">,
  I32EnumAttrCase<"Any", 4, "any">]>;
def Tile_PadAttr : Tile_EnumAttr<Tile_PadEnum, "pad">;

def Tile_CacheEnum : Tile_Enum<"Cache", "cache hint of an access", [
  I32EnumAttrCase<"First", 0, "first">, I32EnumAttrCase<"Last", 1, "last">,
  I32EnumAttrCase<"NoAlloc", 2, "no_alloc">, I32EnumAttrCase<"Stream", 3, "stream">]>;
def Tile_CacheAttr : Tile_EnumAttr<Tile_CacheEnum, "cache">;

// What a program may demand of the compiler. A demand that is not met is an error, which names the reason.
def Tile_RequirementEnum : Tile_Enum<"Requirement", "a demand on how an op is compiled", [
  I32EnumAttrCase<"Tma", 0, "tma">, I32EnumAttrCase<"Wgmma", 1, "wgmma">,
  I32EnumAttrCase<"Pipelined", 2, "pipelined">, I32EnumAttrCase<"Peeled", 3, "peeled">,
  I32EnumAttrCase<"NoSpills", 4, "no_spills">,
  I32EnumAttrCase<"Deterministic", 5, "deterministic">]>;
def Tile_RequireAttr : AttrDef<Tile_Dialect, "Require"> {
  let mnemonic = "require";
  let summary = "a list of demands, e.g. `#tile.require<[tma, wgmma]>`";
  let parameters = (ins ArrayRefParameter<"Requirement">:$values);
  let assemblyFormat = "`<` `[` $values `]` `>`";
  let extraClassDeclaration = [{
    bool contains(Requirement r) const { return llvm::is_contained(getValues(), r); }
  }];
}

// What an atomic does with an element, what it orders, and between whom.
def Tile_AtomicKindEnum : Tile_Enum<"AtomicKind", "what an atomic makes of an element", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"UMin", 3, "umin">, I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">, I32EnumAttrCase<"Exchange", 8, "exchange">,
  I32EnumAttrCase<"Cas", 9, "cas">]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKindEnum, "atomic_kind">;
def Tile_MemoryOrderEnum : Tile_Enum<"MemoryOrder", "what an atomic orders", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def Tile_MemoryOrderAttr : Tile_EnumAttr<Tile_MemoryOrderEnum, "memory_order">;
def Tile_MemoryScopeEnum : Tile_Enum<"MemoryScope", "between whom an atomic orders", [
  I32EnumAttrCase<"Device", 0, "device">, I32EnumAttrCase<"System", 1, "system">]>;
def Tile_MemoryScopeAttr : Tile_EnumAttr<Tile_MemoryScopeEnum, "memory_scope">;

// How a product reads its f32 inputs: exactly, or without the bits that TF32 has not.
def Tile_PrecisionEnum : Tile_Enum<"Precision", "input precision of an mma", [
  I32EnumAttrCase<"Ieee", 0, "ieee">, I32EnumAttrCase<"Tf32", 1, "tf32">]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_PrecisionEnum, "precision">;

// Names are those of the arith op that combines two elements.
def Tile_ReduceKindEnum : Tile_Enum<"ReduceKind", "named combiner of a reduction", [
  I32EnumAttrCase<"AddF", 0, "addf">, I32EnumAttrCase<"MulF", 1, "mulf">,
  I32EnumAttrCase<"MaximumF", 2, "maximumf">, I32EnumAttrCase<"MinimumF", 3, "minimumf">,
  I32EnumAttrCase<"MaxNumF", 4, "maxnumf">, I32EnumAttrCase<"MinNumF", 5, "minnumf">,
  I32EnumAttrCase<"AddI", 6, "addi">, I32EnumAttrCase<"MulI", 7, "muli">,
  I32EnumAttrCase<"MaxSI", 8, "maxsi">, I32EnumAttrCase<"MinSI", 9, "minsi">,
  I32EnumAttrCase<"MaxUI", 10, "maxui">, I32EnumAttrCase<"MinUI", 11, "minui">,
  I32EnumAttrCase<"AndI", 12, "andi">, I32EnumAttrCase<"OrI", 13, "ori">,
  I32EnumAttrCase<"XorI", 14, "xori">]>;
def Tile_ReduceKindAttr : Tile_EnumAttr<Tile_ReduceKindEnum, "reduce_kind">;

def Tile_ArgReduceKindEnum : Tile_Enum<"ArgReduceKind", "which extreme an argreduce finds", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]>;
def Tile_ArgReduceKindAttr : Tile_EnumAttr<Tile_ArgReduceKindEnum, "argreduce_kind">;

// What tile.rounded computes. Names are those of the op of arith or math that computes it to nearest even.
def Tile_RoundedKindEnum : Tile_Enum<"RoundedKind", "what a tile.rounded computes", [
  I32EnumAttrCase<"AddF", 0, "addf">, I32EnumAttrCase<"SubF", 1, "subf">, I32EnumAttrCase<"MulF", 2, "mulf">,
  I32EnumAttrCase<"DivF", 3, "divf">, I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Fma", 5, "fma">,
  I32EnumAttrCase<"SIToFP", 6, "sitofp">, I32EnumAttrCase<"UIToFP", 7, "uitofp">,
  I32EnumAttrCase<"MaximumF", 8, "maximumf">, I32EnumAttrCase<"MinimumF", 9, "minimumf">,
  I32EnumAttrCase<"MaxNumF", 10, "maxnumf">, I32EnumAttrCase<"MinNumF", 11, "minnumf">,
  I32EnumAttrCase<"Exp2", 12, "exp2">, I32EnumAttrCase<"RSqrt", 13, "rsqrt">]>;
def Tile_RoundedKindAttr : Tile_EnumAttr<Tile_RoundedKindEnum, "rounded_kind">;

// The rasterisation of a grid: the order in which its output tiles are numbered. It never changes the meaning of a program.
def Tile_OrderAttr : AttrDef<Tile_Dialect, "Order"> {
  let mnemonic = "order";
  let summary = "the order of the output tiles of a grid";
  let description = [{
    The order in which blocks are numbered, and begin. It never changes what a program computes.

    `#tile.order<group = 8>` forms rasterisation groups of 8 rows of blocks, where a row is one step of the first grid dimension. Blocks of
    one group are numbered column after column: down the rows first, then to the next column. Blocks that run at the same time then share
    operands in the L2 cache. The grid has rank 2 or more. `group = 0` is plain row-major order; the largest group is 1048576 rows.

    `#tile.order<slowest = 2, reverse, section = 8, dynamic>` is for output tiles that do not take the same time, as those of causal attention,
    whose last rows see the most keys. Dimension `slowest` varies slowest, and with `reverse` it runs from its end to its beginning, so
    that what takes longest comes first and the last output tiles are short. The output tiles of the other dimensions are cut into as few sections of at most
    `section` as possible (0: one section), which are as long as each other, or the first ones by one longer; a section begins when all of the one before have begun.
    What the output tiles of one section share should fit into the L2 cache. `shared` says it in bytes: as many
    as an iteration of the main loop reads that do not depend on the slowest dimension; the launch then chooses the number of sections. With `dynamic` a block
    of a persistent launch takes the next number whenever it is free. Otherwise it takes every n-th of n blocks.

    Where a launch cannot take numbers dynamically it takes them in turn; the report says so.
  }];
  // slowest: -1 if no dimension is; section, shared: 0 if the text does not say.
  let parameters = (ins "int64_t":$group, "int64_t":$slowest, "bool":$reverse, "int64_t":$section, "int64_t":$shared, "bool":$dynamic);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True if one dimension varies slowest, in sections of the others.
    bool hasSlowest() const { return getSlowest() >= 0; }
    /// The same order, with or without `dynamic`.
    OrderAttr withDynamic(bool dynamic) const {
      return get(getContext(), getGroup(), getSlowest(), getReverse(), getSection(), getShared(), dynamic);
    }
  }];
}

// A fact on which a variant of a kernel relies; see docs/Contract.md, "guards".
def Tile_FactEnum : Tile_Enum<"FactKind", "what a guard says about an argument", [
  I32EnumAttrCase<"Align", 0, "align">, I32EnumAttrCase<"SizeDivisible", 1, "size_divisible">,
  I32EnumAttrCase<"StrideDivisible", 2, "stride_divisible">, I32EnumAttrCase<"SizeMax", 3, "size_max">,
  I32EnumAttrCase<"SizeMin", 4, "size_min">,
  I32EnumAttrCase<"ScalarDivisible", 5, "scalar_divisible">]>;
def Tile_GuardAttr : AttrDef<Tile_Dialect, "Guard"> {
  let mnemonic = "guard";
  let summary = "a condition on an argument under which a variant may run";
  let description = [{
    `#tile.guard<align, arg = 0, dim = -1, value = 16>`: the base pointer of argument 0 is a multiple of 16 bytes.
    `dim` is -1 if the fact is not about a dimension. `value` is in bytes for `align`, and in elements otherwise.
  }];
  let parameters = (ins EnumParameter<Tile_FactEnum>:$fact, "int64_t":$arg, "int64_t":$dim, "int64_t":$value);
  let assemblyFormat = "`<` $fact `,` struct($arg, $dim, $value) `>`";
}

#endif
