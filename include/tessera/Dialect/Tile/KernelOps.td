// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel, its grids, and statements about its arguments.
#ifndef TESSERA_TILE_KERNEL_OPS
#define TESSERA_TILE_KERNEL_OPS

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tessera/Dialect/Tile/TileAttrs.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, AffineScope, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a kernel: scalar code and a sequence of grids";
  let description = [{
    The body is scalar code and a sequence of `tile.grid`s (phases). Each phase sees all that earlier phases
    wrote. Arguments are memrefs (identity or strided layout) and scalars; facts about them are argument
    attributes (`tile.shape`, `tile.align`, `tile.size_divisible`, `tile.stride_divisible`, `tile.size_max`,
    `tile.alias`, `tile.divisible`). `memref.alloc` in the body is workspace: the launcher provides it;
    `{tile.init = 0.0 : f32}` on it asks for a filled one.

    ```mlir
    tile.kernel @add(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]},
                     %z: memref<?xf32> {tile.shape = ["N"]}) {
      %n = tile.dim "N" : index
      tile.grid (%i) = (0) to (%n) step (1024) {
        %a = tile.load %x[%i] : memref<?xf32> -> tensor<1024xf32>
        %b = tile.load %y[%i] : memref<?xf32> -> tensor<1024xf32>
        %c = arith.addf %a, %b : tensor<1024xf32>
        tile.store %c, %z[%i] : tensor<1024xf32> -> memref<?xf32>
      }
      tile.return
    }
    ```

    Attributes (all optional): `fp_contract` (default on) lets a multiplication fuse into an add or sub if exactly one of
    the two operands is a multiplication; `reassoc` (default on) lets sums be reassociated; `require`
    demands `no_spills` or `deterministic` of the whole kernel; `phase` is the level below L0 that the kernel has
    reached (absent: L0); `warpgroups` is the number of warpgroups of a block, chosen by `convert-tile-to-cta`
    unless given; `plan` (`#cta.plan`) holds the decisions about pipelining, roles and the order of blocks. `variant_of`, `variant` and `guards` are set by `tile-specialize-facts`.

    Constraints:
    1. no results; one block that ends with `tile.return`.
    2. an argument is a memref of a legal element type, rank ≤ 5, identity or strided layout, default memory
       space, or a scalar.
    3. argument facts have the right form: `tile.shape` an array of strings, sizes or units (any), one entry a dimension, sizes
       equal to the static size; `tile.align` a power of two; divisibility lists with one positive entry a dimension.
    4. `guards` name existing arguments and dimensions.
    5. a name has at least one character, and none that cannot be printed. Functions of an artifact are named after it, with `$` and two
       hexadecimal digits for what is no letter, digit or `_`.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<Tile_PhaseAttr>:$phase,
    OptionalAttr<Tile_SwitchAttr>:$fp_contract,
    OptionalAttr<Tile_SwitchAttr>:$reassoc,
    OptionalAttr<Tile_RequireAttr>:$require,
    OptionalAttr<I64Attr>:$warpgroups,
    OptionalAttr<AnyAttr>:$plan,
    OptionalAttr<StrAttr>:$variant_of,
    OptionalAttr<StrAttr>:$variant,
    OptionalAttr<TypedArrayAttrBase<Tile_GuardAttr, "guards">>:$guards);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "mlir::FunctionType":$type,
      CArg<"llvm::ArrayRef<mlir::NamedAttribute>", "{}">:$attrs)>];
  let extraClassDeclaration = [{
    llvm::ArrayRef<mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    llvm::ArrayRef<mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    mlir::Region *getCallableRegion() { return &getBody(); }

    /// Semantics of the two switches, with their defaults.
    bool contractsFp() { return getFpContract().value_or(Switch::On) == Switch::On; }
    bool reassociates() { return getReassoc().value_or(Switch::On) == Switch::On; }

    /// The (argument, dimension) at which `tile.dim "name"` reads, or nothing if no argument has that name.
    std::optional<std::pair<unsigned, unsigned>> lookupDim(llvm::StringRef name);

    /// What the printer shows an argument as, or nothing if it has to invent a name.
    std::string shownName(unsigned index);

    /// The name users know an argument by: `tile.name`, else the SSA name of the source is lost and this is "arg<i>".
    std::string getArgName(unsigned index);
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "end of a kernel";
  let description = "```mlir\ntile.return\n```";
  let assemblyFormat = "attr-dict";
}

def Tile_GridOp : Tile_Op<"grid", [
    AffineScope, AttrSizedOperandSegments, SingleBlockImplicitTerminator<"tile::YieldOp">,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one phase of a kernel: blocks over a box of element coordinates";
  let description = [{
    Runs its body once for each point of the grid `lower, lower + step, …` below `upper`; blocks run in any order,
    none may wait for another. Coordinates are elements; blocks may overhang the upper bound. Any rank; no point: nothing
    runs; `tile.grid () = () to () step ()` is one block. Bounds are SSA values or integers; canonicalization turns
    constants into integers. Nothing inlines, erases or reshapes a grid that has an effect, not even one of a single block or of none, and
    constants stay inside.

    ```mlir
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
      …
    }
    ```

    Constraints:
    1. as many lower bounds, upper bounds and steps as block arguments; all `index`.
    2. static steps are positive.
    3. directly inside a `tile.kernel`.
    4. no tensor value crosses its border.
    5. an `order` with a group needs a rank of at least 2.
  }];
  let arguments = (ins
    Variadic<Index>:$dynamicLower, Variadic<Index>:$dynamicUpper, Variadic<Index>:$dynamicStep,
    DenseI64ArrayAttr:$staticLower, DenseI64ArrayAttr:$staticUpper, DenseI64ArrayAttr:$staticStep,
    OptionalAttr<Tile_OrderAttr>:$order);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    unsigned getRank() { return getStaticLower().size(); }
    llvm::SmallVector<mlir::OpFoldResult> getMixedLower();
    llvm::SmallVector<mlir::OpFoldResult> getMixedUpper();
    llvm::SmallVector<mlir::OpFoldResult> getMixedStep();
    mlir::Block::BlockArgListType getCoordinates() { return getBody().getArguments(); }
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "end of a grid's body or of a reduction's combiner";
  let description = [{
    ```mlir
    tile.yield %v, %i : f32, i32
    ```

    Constraints:
    1. ends a `tile.grid` (no values) or the combiner of a `tile.reduce` or `cta.reduce`.
  }];
  let hasVerifier = 1;
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* a grid yields nothing */ }]>];
}

def Tile_DimOp : Tile_Op<"dim", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a symbolic dimension of the kernel's arguments";
  let description = [{
    Reads the size that `tile.shape` gives the name to.

    ```mlir
    %M = tile.dim "M" : index
    ```

    Constraints:
    1. some argument of the enclosing kernel has a `tile.shape` with that name.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_NumCoresOp : Tile_Op<"num_cores", [Pure]> {
  let summary = "the number of cores of the device";
  let description = [{
    What can run blocks at the same time: the SMs of a GPU, the worker threads of the CPU target; 1 to 65535. The same for all launches of a kernel.
    The launcher knows it, so that bounds of grids and sizes of workspace may depend on it.

    ```mlir
    %n = tile.num_cores : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_AssumeOp : Tile_Op<"assume"> {
  let summary = "a launch precondition, or a promise about a scalar";
  let description = [{
    Before the grids: a condition that the launcher checks; a false one refuses the launch with the message.

    ```mlir
    tile.assume %ok, "K must be a multiple of 64" : i1
    ```

    With `guard` the launcher does not refuse: it tries the next variant of the kernel, as for the kernel's `guards` (which speak of one argument
    each; this is for conditions on several).

    ```mlir
    tile.assume guard %pays, "copying the operands takes less time than fetching them by cp.async" : i1
    ```

    Inside a grid: a promise about a scalar. Breaking it is undefined behaviour that `--check` traps. It holds for what stands in the same region; in the
    block of its value it holds wherever the value is used.

    ```mlir
    tile.assume %x {min = 0, max = 4096, divisible = 8} : index
    ```

    Constraints:
    1. an i1 operand has a message; an integer or index operand has at least one of `min`, `max`, `divisible`.
    2. `divisible` is positive; `min` ≤ `max`.
    3. the i1 form stands in the body of the kernel, outside the grids.
    4. `guard` is for the i1 form, and for variants (`tile-verify`: the kernel has `variant_of`).
  }];
  let arguments = (ins AnyTypeOf<[Index, AnySignlessInteger]>:$value, OptionalAttr<StrAttr>:$message,
    OptionalAttr<I64Attr>:$min, OptionalAttr<I64Attr>:$max, OptionalAttr<I64Attr>:$divisible, UnitAttr:$guard);
  let assemblyFormat = "(`guard` $guard^)? $value (`,` $message^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif
