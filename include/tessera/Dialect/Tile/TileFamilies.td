// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families under which docs/dialects/Tile.md shows the ops. Each op names its family in `opDocGroup`.
#ifndef TESSERA_TILE_FAMILIES
#define TESSERA_TILE_FAMILIES

include "mlir/IR/OpBase.td"

def Tile_ProgramOps : OpDocGroup {
  let summary = "Program and grid";
  let description = [{
    The frame of a tile program. A kernel is scalar code and a sequence of grids. The body of a grid says what one block computes; its
    coordinates count elements. Sizes of arguments have names, so that a program says which of them are equal. Scalar code is upstream's
    `arith`, `scf` and `memref`.
  }];
}

def Tile_MemoryOps : OpDocGroup {
  let summary = "Memory";
  let description = [{
    The ways between a memref and a tile. Both ops access a box of the memref and leave out what is out of bounds, at or beyond a `limit`,
    or masked off. Workspace has no op of its own: it is a `memref.alloc` in the body of the kernel, which one grid stores to and a later
    one loads from.
  }];
}

def Tile_ProductOps : OpDocGroup {
  let summary = "Matrix products";
  let description = [{
    One op for all matrix products, whatever unit computes them. Types and extents decide whether it can run on the tensor cores;
    `require = [wgmma]` makes it an error if it cannot.
  }];
}

def Tile_ReductionOps : OpDocGroup {
  let summary = "Reductions";
  let description = [{
    They combine the elements of a tile along some of its dimensions. The kernel's `reassoc` says whether additions may be reassociated.
    What is computed element by element needs no op of this dialect: tiles are builtin tensors, so it is `arith` and `math`.
  }];
}

def Tile_ShapeOps : OpDocGroup {
  let summary = "Shapes and coordinates";
  let description = [{
    Broadcasts, transposes and tiles of coordinates, from which masks are made. Slices, concatenations and reshapes are those of upstream's
    `tensor`: `extract_slice`, `concat`, `expand_shape`, `collapse_shape`.
  }];
}

def Tile_RoundingOps : OpDocGroup {
  let summary = "Rounding modes";
  let description = [{
    `arith` and `math` round to nearest even and keep denormals. What has to be rounded in another direction, for bounds that are certain to
    hold, or has to count denormals as zeros, is written with an op of this dialect.
  }];
}

def Tile_PromiseOps : OpDocGroup {
  let summary = "Preconditions and promises";
  let description = [{
    What the launcher checks before a launch, and what the compiler may take for granted about a scalar.
  }];
}

#endif
