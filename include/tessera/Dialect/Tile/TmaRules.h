// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When TMA can fetch a box of a memref, as far as the memref, its facts and the bounds decide it.
// The rules about the shared tile are in Cta/IR/CopyRules.h. Each function `whyNot…` returns the
// reason why TMA cannot, and what would help, or nothing if it can.
#ifndef TESSERA_DIALECT_TILE_TMARULES_H
#define TESSERA_DIALECT_TILE_TMARULES_H

#include "tessera/Dialect/Tile/Facts.h"

#include <optional>
#include <string>

namespace tessera::tile {

/// TMA's granule in bytes: bases, strides and coordinates along the contiguous dimension are
/// multiples of it.
inline constexpr int64_t kTmaGranule = 16;

/// Rule: the memref is an argument or workspace, for which a descriptor exists, and not a view.
std::optional<std::string> whyNotTmaRoot(mlir::Value memref);

/// Rule: there is no mask, the pad is zero or any, and all limits are at or beyond the memref's
/// size.
std::optional<std::string> whyNotTmaBounds(Facts &facts, mlir::Value memref,
                                           mlir::ValueRange limits, llvm::ArrayRef<bool> limited,
                                           llvm::ArrayRef<int64_t> dims, mlir::Value mask,
                                           mlir::Attribute pad);

/// Rule: dimension `inner` has stride 1, and the base and the other strides are multiples of 16
/// bytes.
std::optional<std::string> whyNotTmaStrides(Facts &facts, mlir::Value memref, unsigned inner);

/// True if all strides but that of dimension `inner` are known to be multiples of a cache line of
/// 128 bytes. Whether rows begin at cache lines then depends on the base alone, and allocators give
/// bases that do.
bool hasRowsOfLines(Facts &facts, mlir::Value memref, unsigned inner);

/// True if the base and all strides but that of dimension `inner` are known to be multiples of a
/// cache line of 128 bytes. A row of 128 bytes that TMA fetches is then one cache line of L2, and
/// not parts of two.
bool beginsAtLines(Facts &facts, mlir::Value memref, unsigned inner);

/// Rule: no size is 0, and sizes fit 31 bits.
std::optional<std::string> whyNotTmaExtents(Facts &facts, mlir::Value memref,
                                            mlir::ValueRange coords);

/// Rule: boxes may begin at these coordinates. Along the contiguous dimension `inner` they begin at
/// multiples of 16 bytes, and boxes of stores at no negative coordinate. A box that begins
/// elsewhere ends the launch with CUDA_ERROR_ILLEGAL_INSTRUCTION (docs/performance/correctness.md,
/// "Where TMA may begin"; the PTX ISA does not say so). The coordinates of stores must fit 32 bits.
/// Those of loads need not: `cta-select-copies` replaces them.
std::optional<std::string> whyNotTmaPlace(Facts &facts, mlir::Value memref, mlir::ValueRange coords,
                                          unsigned inner, bool isStore);

/// All facts that the argument `memref` lacks for TMA, as attributes of the argument that merge
/// with those that it has: `{tile.align = 16, tile.stride_divisible = array<i64: 8, 1>}`. Empty if
/// it lacks none, or if no fact helps. `inner` is the contiguous dimension; stores also need sizes
/// that are multiples of 16 bytes.
std::string missingTmaFacts(Facts &facts, mlir::Value memref, unsigned inner, bool isStore);

} // namespace tessera::tile

#endif
