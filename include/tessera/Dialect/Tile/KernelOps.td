// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel, its grids, and facts about its arguments.
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
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    The body is scalar code and a sequence of `tile.grid`s. Each grid sees everything that earlier grids wrote. Arguments are memrefs (with
    identity or strided layout) and scalars. Facts about them are argument attributes: `tile.shape`, `tile.align` (bytes),
    `tile.size_divisible`, `tile.stride_divisible`, `tile.size_max` (elements), `tile.alias`, `tile.divisible`, `tile.name`. A `memref.alloc`
    in the body is workspace, which the launcher allocates; with `{tile.init = 0.0 : f32}` the launcher fills it with that value.

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

    Attributes, all optional:

    * `fp_contract` (default on): a multiplication may fuse into an addition or subtraction if exactly one of its two operands is a
      multiplication.
    * `reassoc` (default on): additions may be reassociated.
    * `require`: demands on the whole kernel, for instance `no_spills` or `deterministic`.
    * `phase`: the phase below L0 that the kernel has reached. Absent: L0.
    * `warpgroups`: the number of math warpgroups that share an output tile. `convert-tile-to-cta` chooses it unless it is given.
    * `plan` (`#cta.plan`): the decisions about pipelining, warp-specialised roles and the order of output tiles.
    * `variant_of`, `variant` and `guards`: set by `tile-specialize-facts`.

    Constraints:
    1. no results; one block that ends with `tile.return`.
    2. an argument is a memref of a legal element type, rank ≤ 5, identity or strided layout, default memory
       space, or a scalar.
    3. argument facts have the right form. `tile.shape` is an array with one entry for each dimension: a string, a size, or a unit for any
       size; a size equals the static size. `tile.align` is a power of two. Divisibility lists have one positive entry for each dimension.
       `tile.name` is a string that is not empty.
    4. `guards` name existing arguments and dimensions.
    5. a name has at least one character, and only characters that can be printed. The functions of an artifact have the kernel's name, in
       which `$` and two hexadecimal digits replace every byte that is no letter, digit or `_`.
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

    /// The name under which the printer shows an argument, or nothing if it has to invent one.
    std::string shownName(unsigned index);

    /// The name by which users know an argument: `tile.name`, or "arg<i>" if the SSA name of the source is lost.
    std::string getArgName(unsigned index);
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "end of a kernel";
  let opDocGroup = Tile_ProgramOps;
  let description = "```mlir\ntile.return\n```";
  let assemblyFormat = "attr-dict";
}

def Tile_GridOp : Tile_Op<"grid", [
    AffineScope, AttrSizedOperandSegments, SingleBlockImplicitTerminator<"tile::YieldOp">,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one grid of a kernel: a body that runs for each output tile of a box of coordinates";
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    Runs its body once for each point `lower, lower + step, …` below `upper`: once for each output tile, each in a block of its own. Blocks
    run in any order, and begin in that of their linear numbers. Coordinates count elements. The last block of a dimension may reach beyond the upper
    bound. Any rank is allowed: `tile.grid () = () to () step ()` is one block. If there is no point, nothing runs. Bounds are SSA values or
    integers; canonicalization turns constants into integers. Nothing inlines, erases or reshapes a grid that has an effect, not even a grid
    of one block or of none, and constants stay inside it.

    ```mlir
    tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {
      …
    }
    ```

    Constraints:
    1. as many lower bounds, upper bounds and steps as block arguments; all `index`.
    2. static steps are positive.
    3. in the body of a `tile.kernel`; in a kernel with parameters also in an `scf.if` or `scf.index_switch` of the body.
    4. no tensor value crosses its border.
    5. an `order` with a group needs a rank of at least 2.
    6. the slowest dimension of an `order` is one of the grid.
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
  let summary = "end of a grid's body, of a combiner or of a rare region";
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    ```mlir
    tile.yield %v, %i : f32, i32
    ```

    Constraints:
    1. ends a `tile.grid` (no values), the combiner of a reduction or a scan, or the region of a `tile.rare`.
  }];
  let hasVerifier = 1;
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* a grid yields nothing */ }]>];
}

def Tile_DimOp : Tile_Op<"dim", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the size of a named dimension of the kernel's arguments";
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    Reads the size of the dimension to which `tile.shape` gives this name.

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
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    The number of units that run blocks at the same time: SMs of a GPU, or worker threads of the CPU target; 1 to 65535. It is the same for
    all launches of a kernel. The launcher knows it, so bounds of grids and sizes of workspace may depend on it.

    ```mlir
    %n = tile.num_cores : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_AssumeOp : Tile_Op<"assume"> {
  let summary = "a launch precondition, or a promise about a scalar";
  let opDocGroup = Tile_PromiseOps;
  let description = [{
    Before the grids it is a condition that the launcher checks. If it is false the launcher refuses the launch with the message.

    ```mlir
    tile.assume %ok, "K must be a multiple of 64" : i1
    ```

    With `guard` the launcher does not refuse the launch but tries the next variant of the kernel, as it does for the kernel's `guards`.
    Each of those is about one argument; this form is for conditions on several.

    ```mlir
    tile.assume guard %pays, "copying the operands takes less time than fetching them by cp.async" : i1
    ```

    Inside a grid it is a promise about a scalar. A broken promise is undefined behaviour, which `--check` traps. The promise holds for all
    ops of its region. If it is in the block that defines the value, it holds wherever the value is used.

    A condition or a scalar that depends on nothing but parameters (`tile.param`) is no matter of the launch: it says which choices of
    parameters go together. A choice that breaks it is refused.

    ```mlir
    tile.assume %x {min = 0, max = 4096, divisible = 8} : index
    ```

    Constraints:
    1. an i1 operand has a message; an integer or index operand has at least one of `min`, `max`, `divisible`.
    2. `divisible` is positive; `min` ≤ `max`.
    3. the i1 form is in the body of the kernel, outside the grids (or there in an `scf.if` or `scf.index_switch` on parameters), or in a helper
       that is called there.
    4. `guard` comes with the i1 form, in variants only (`tile-verify` checks that the kernel has `variant_of`).
  }];
  let arguments = (ins AnyTypeOf<[Index, AnySignlessInteger]>:$value, OptionalAttr<StrAttr>:$message,
    OptionalAttr<I64Attr>:$min, OptionalAttr<I64Attr>:$max, OptionalAttr<I64Attr>:$divisible, UnitAttr:$guard);
  let assemblyFormat = "(`guard` $guard^)? $value (`,` $message^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_CostOp : Tile_Op<"cost", [HasParent<"KernelOp">]> {
  let summary = "the predicted time of a launch";
  let opDocGroup = Tile_PromiseOps;
  let description = [{
    In the body of a kernel: the nanoseconds that all its grids are predicted to take, as a function of the sizes and of `tile.num_cores`.
    `cta-predict-cost` adds it to members of a family (`tile.member_of`), or to every kernel. The launch contract has it as an expression, and the
    launcher takes the member that is predicted to be the fastest for the sizes at hand. It changes nothing of what the kernel computes.

    ```mlir
    tile.cost %N
    ```

    Constraints:
    1. a kernel has one at most, outside the grids.
  }];
  let arguments = (ins Index:$nanoseconds);
  let assemblyFormat = "$nanoseconds attr-dict";
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert"> {
  let summary = "end the program unless a condition holds";
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    Inside a grid: if the condition is false, or false for one element of a tile of conditions, the program ends, and says the message with
    file and line of the op. On the GPU that is an error of the launch (`cudaErrorAssert`), after which the context can no longer be used;
    on the CPU the process ends. `tile-expand-ops` rewrites the op into a reduction and a `cf.assert`.

    ```mlir
    tile.assert %ok, "an index is too large" : tensor<64xi1>
    ```

    Constraints:
    1. the condition is an i1 or a tile of i1.
  }];
  let arguments = (ins AnyType:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "print a scalar or a tile";
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    Inside a grid: each block prints the value once, with its coordinates in the grid; with `if` only blocks in which the condition holds. A
    scalar is one line, a tile one line for each element, in row-major order:

    ```
    message[0, 128] = 1.5
    message[0, 128](3, 7) = 1.5
    ```

    The coordinates of the block are in brackets (none in a grid of rank 0), those of the element in parentheses. Integers are signed, i1 is
    0 or 1, and floats have as many digits as their type needs (`%.9g`, f64 `%.17g`). The lines of a block are in order, but lines of
    other blocks may come between them. The GPU keeps the last 1 MiB of output, or what `cudaDeviceSetLimit` says.

    ```mlir
    tile.print "row sum" %s : tensor<4xf32>
    tile.print "k" %k if %odd : index
    ```

    Constraints:
    1. the value is a scalar or a tile of numbers; a tile has at most 4096 elements.
    2. the message is printable text without a line break.
  }];
  let arguments = (ins StrAttr:$message, AnyType:$value, Optional<I1>:$condition);
  let assemblyFormat = "$message $value (`if` $condition^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_RareOp : Tile_Op<"rare", [
    SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands", "getRegionInvocationBounds"]>]> {
  let summary = "new values for the rows that need them, which few do";
  let opDocGroup = Tile_ProgramOps;
  let description = [{
    Row i of result n is row i of the n-th yielded value where element i of `need` is true, and row i of the n-th value of `passing` where it
    is false. Rows are the slices along dimension 0. The region may be skipped where no row needs it: for the whole block, or for the rows of
    a warp. So it should be used where few iterations of a loop need the region, and what it computes is expensive.

    ```mlir
    %m1, %o1 = tile.rare %need passing(%m, %o) {
      %mn = arith.maximumf %m, %top : tensor<128xf32>
      …
      tile.yield %mn, %on : tensor<128xf32>, tensor<128x64xf32>
    } : tensor<128xi1>, tensor<128xf32>, tensor<128x64xf32>
    ```

    With `superset` other rows may take the yielded values, too: whether the results have the yielded values or those passed in a row that
    does not need the region is unspecified, but it is the same for all results. That saves the selects where the yielded values of such a row
    are those passed or as good as they are: a factor of 1, or a maximum that is raised too early, with the sums that belong to it.

    ```mlir
    %o1 = tile.rare %need passing(%o) superset {
      %on = arith.mulf %o, %factor : tensor<128x64xf32>
      tile.yield %on : tensor<128x64xf32>
    } : tensor<128xi1>, tensor<128x64xf32>
    ```

    With a scalar `need` the values may be scalars and tiles of any shape, and the op is an `scf.if` without `else`.

    The region has no arguments: it uses values from outside. It may hold whatever a condition may hold, products, reductions, loops and
    other `tile.rare` ops too, as long as it writes no memory. It may be executed where no row needs it. So what is undefined in it, a division of
    scalars by zero for example, must not rely on `need`.

    `tile-expand-ops` rewrites the op into a reduction of `need`, an `scf.if` and selects, on both targets. On the GPU the reduction is a
    `cta.any`, a vote of the block, or of each warp if nothing in the region concerns other warps (`cta-narrow-votes`). `tilec --report` says which
    of the two it is, and why.

    Syntax:

    ```
    tile.rare need `passing` `(` values `)` `superset`? (`attributes` attributes)? region `:` type-of-need `,` types-of-values
    ```

    Constraints:
    1. `need` is an i1 or a tile of i1 of rank 1.
    2. at least one value is passed. If `need` is a tile, values are tiles of rank 1 or more, and their first extent is that of `need`;
       otherwise values are tiles or scalars.
    3. the results have the types of the values passed.
    4. the region has one block without arguments, which ends in a `tile.yield` of one value for each value passed, of its type.
    5. the region does not write memory: no stores, atomics, prints or assertions. It may read.
  }];
  let arguments = (ins AnyType:$need, Variadic<AnyType>:$passed, UnitAttr:$superset);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The values that the region yields.
    mlir::OperandRange getYielded() { return getBody().front().getTerminator()->getOperands(); }
  }];
}

#endif
