// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When TMA can fetch a box of a memref, as far as the memref, its facts and the bounds decide it;
// what depends on the shared tile is in Cta/CopyRules.h. Every function says why not and what would
// help, or nothing.
#ifndef TESSERA_DIALECT_TILE_TMARULES_H
#define TESSERA_DIALECT_TILE_TMARULES_H

#include "tessera/Dialect/Tile/Facts.h"

#include <optional>
#include <string>

namespace tessera::tile {

/// Bytes of which bases, strides and places along the contiguous dimension are multiples.
inline constexpr int64_t kTmaGranule = 16;

/// How people name the argument that a memref is: "%A", or "the workspace".
std::string nameOf(mlir::Value memref);

/// A descriptor exists for the memref: it is an argument or workspace, not a view.
std::optional<std::string> whyNotTmaRoot(mlir::Value memref);

/// No mask; pad zero or any; limits that limit nothing.
std::optional<std::string> whyNotTmaBounds(Facts &facts, mlir::Value memref,
                                           mlir::ValueRange limits, llvm::ArrayRef<bool> limited,
                                           llvm::ArrayRef<int64_t> dims, mlir::Value mask,
                                           mlir::Attribute pad);

/// Dimension `inner` has stride 1, the base and the other strides are multiples of 16 bytes.
std::optional<std::string> whyNotTmaStrides(Facts &facts, mlir::Value memref, unsigned inner);

/// The base and all strides but that of dimension `inner` are known to be multiples of a line of
/// L2: what TMA fetches in rows of 128 bytes then touches one line a row, not two.
bool beginsAtLines(Facts &facts, mlir::Value memref, unsigned inner);

/// No size is 0, sizes fit 31 bits.
std::optional<std::string> whyNotTmaExtents(Facts &facts, mlir::Value memref,
                                            mlir::ValueRange coords);

/// Boxes may begin at these coordinates: along the contiguous dimension `inner` at multiples of 16
/// bytes, and stores at none that is negative. Any other place ends the launch with
/// CUDA_ERROR_ILLEGAL_INSTRUCTION (docs/performance/correctness.md, "Where TMA may begin"; the PTX
/// ISA does not say so). Coordinates of stores fit 32 bits; of loads those that do not are made to
/// (`cta-select-copies`).
std::optional<std::string> whyNotTmaPlace(Facts &facts, mlir::Value memref, mlir::ValueRange coords,
                                          unsigned inner, bool isStore);

} // namespace tessera::tile

#endif
