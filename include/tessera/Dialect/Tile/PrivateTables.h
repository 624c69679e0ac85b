// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private tables: where the atomics of a grid meet few elements, each block can make them on a copy
// of those elements in its shared memory, the table, and at its end add the table to the elements.
// This header says which atomics can be made so, and when that pays. docs/design/Atomics.md has the
// rules and their reasons.
//
// Atomics are the same in the dialects `tile` and `cta`, so the analysis serves both: before
// variants are made, and where the tables are.
#ifndef TESSERA_DIALECT_TILE_PRIVATETABLES_H
#define TESSERA_DIALECT_TILE_PRIVATETABLES_H

#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/Facts.h"
#include "tessera/Machine/Machine.h"

namespace tessera::tile {

/// On a kernel (unit): its guards make sure that private tables pay, so nobody has to know how
/// often the blocks of a grid access theirs.
constexpr llvm::StringLiteral kTables = "tile.tables";

/// True if shared memory makes steps of this kind by instructions of its own, whatever other
/// threads do. Hopper has them for 32-bit integers; sums and bits of 64-bit integers are made of
/// two such steps. Everything else would be a loop of compare and swap.
bool hasSharedSteps(AtomicKind kind, mlir::Type element);

/// The element that steps of the kind leave as they find the other one. Null if there is none.
mlir::TypedAttr identityOfAtomic(AtomicKind kind, mlir::Type element);

/// An atomic of either dialect.
struct AtomicAccess {
  mlir::Operation *op;
  AtomicKind kind;
  MemoryOrder order;
  MemoryScope scope;
  bool returns;
  mlir::RankedTensorType tile;
  AccessParts parts;
};

template <typename Op>
AtomicAccess atomicAccessOf(Op op) {
  return {op,
          op.getKind(),
          op.getOrder(),
          op.getScope(),
          static_cast<bool>(op.getOld()),
          op.getTileType(),
          partsOf(op, op.getDest())};
}

/// The atomic that an op is, or nothing.
using FindAtomic = llvm::function_ref<std::optional<AtomicAccess>(mlir::Operation *)>;

/// The same for ops of the dialect `tile`.
std::optional<AtomicAccess> findTileAtomic(mlir::Operation *op);

/// A table that blocks of a grid could have.
struct PrivateTable {
  mlir::Value memref;
  AtomicKind kind;
  llvm::SmallVector<mlir::Operation *> atomics;
  /// The dimensions of the memref that the table has, ascending. In each of the others all atomics
  /// have the same coordinate, of `coords`, or the same constant.
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<mlir::Value> coords;
  /// The block of the grid in which these coordinates are known, so that the table lives in it.
  /// Null if they are known outside the grid, or constants: the table can serve all output tiles of
  /// a block.
  mlir::Block *block = nullptr;
  /// True if elements of one tile may meet, because an index tile says where they are.
  bool meets = false;
  /// How many elements the atomics access while the table lives, and how many bytes of global
  /// memory other ops move meanwhile; if `block` is null, in one output tile. Where a number of
  /// iterations is not known they are few for the former, and many for the latter.
  int64_t elements = 0, bytes = 0;

  mlir::Type elementType() const {
    return llvm::cast<mlir::MemRefType>(memref.getType()).getElementType();
  }
};

/// Atomics of one array that could have a private table.
struct TableChoices {
  llvm::SmallVector<mlir::Operation *> atomics;
  /// At least one, the best first. A table with more dimensions lives longer.
  llvm::SmallVector<PrivateTable, 2> tables;
};

struct PrivateTables {
  std::vector<TableChoices> choices;
  /// Atomics that cannot have one, and why.
  llvm::SmallVector<std::pair<mlir::Operation *, std::string>> refused;
};

/// Finds the private tables that the blocks of a grid could have.
PrivateTables findPrivateTables(GridOp grid, FindAtomic find);

/// The most elements that a table has, by what the facts and the guards of the kernel say.
std::optional<int64_t> mostElements(Facts &facts, const PrivateTable &table);

/// The most elements of a table that is worth it, by what else the block does meanwhile; 0: L2
/// makes the atomics while that runs.
int64_t mostWorthwhile(const PrivateTable &table);
/// The same in words, for a table that has more.
std::string whyNotWorthwhile(const PrivateTable &table);

/// True if a table of so many elements pays, however many output tiles there are.
bool alwaysPays(const PrivateTable &table, int64_t elements);

/// So many atomics must be saved for each element of a table, which has to be cleared and added.
constexpr int64_t kLeastUses = 2;
/// So many blocks with tables shall fit an SM at least where a guard of a variant bounds their
/// size.
constexpr int64_t kGuardedBlocks = 4;
/// Tables begin at multiples of this many bytes of shared memory, as linear tiles do.
constexpr int64_t kTableAlignment = 128;
/// The shared memory that a tile of so many bytes takes wherever it is placed among tables.
int64_t roomOfTable(int64_t bytes);
/// The bytes of shared memory that a table of known size may take.
int64_t mostTableBytes(const Machine &machine, const PrivateTable &table);

/// How many blocks of a persistent launch with tables shall share an SM, if `shared` bytes are what
/// each of them takes: as many as keep memory busy, if they fit.
int64_t blocksWithTables(const Machine &machine, int64_t shared, int64_t bytesOfOutputTile,
                         int64_t threads);

} // namespace tessera::tile

#endif
