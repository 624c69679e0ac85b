// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of the registers of a tile in a shared tile.
//
// A byte offset is linear in the coordinates but for the swizzle, which XORs low bits of the offset
// with higher ones. Where the thread's part and a register's part of an offset share no bits of the
// swizzle's pattern, the swizzle distributes over them:
//
//   swizzle(thread + register) = (swizzle(thread) ^ swizzle(register % pattern)) + register /
//   pattern * pattern
//
// so a thread computes its part once, one XOR for each different low part, and the rest is a
// constant in the instruction. Otherwise every register computes its own address.

#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_SHAREDTILE_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_SHAREDTILE_H

#include "Lowering.h"

namespace tessera::nvvm {

/// The offset in a shared tile of the element at `coords` (i32), in bytes; null coordinates are 0.
Value elementOffset(Lowering &f, const layout::SharedLayout &shared, llvm::ArrayRef<Value> coords);

class SharedTile {
public:
  /// Tile dimension d is shared dimension dims[d]. The tile is at `at` of the shared tile, which
  /// starts at `place`. Its adjacent elements are `strides` apart (by shared dimension; empty:
  /// ones).
  SharedTile(Lowering &f, TileIndex &index, const layout::SharedLayout &shared,
             const SharedPlace &place, layout::Coord at, llvm::ArrayRef<int64_t> dims,
             llvm::ArrayRef<int64_t> strides = {});

  /// The number of registers that one access can move: contiguous and aligned on both sides, and
  /// all dead or all live.
  int64_t vectorElements() const;
  /// The pointer and a constant number of bytes.
  std::pair<Value, int64_t> address(int64_t reg);
  /// The bytes from one register to another if they are the same in all threads. Null if that is
  /// not known: the swizzle repeats after a number of bytes, and keeps only multiples of it.
  std::optional<int64_t> distance(int64_t from, int64_t to) const;

private:
  /// The shared coordinates of a tile coordinate, `at` included or not.
  layout::Coord spread(const layout::Coord &c, bool withStart) const;

  Lowering &f;
  TileIndex &index;
  const layout::SharedLayout &shared;
  SharedPlace place;
  layout::Coord at;
  llvm::SmallVector<int64_t> dims, strides; // by tile dimension
  int64_t pattern;                          // bytes after which the swizzle repeats
  bool distributes;                         // as above
  Value thread;
  std::map<int64_t, Value> pointers; // by low part
};

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_SHAREDTILE_H
