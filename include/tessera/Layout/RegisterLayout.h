// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register layouts: which thread holds which element of a tile, and in which of its registers.
//
// A layout is a small *base tile* with power-of-two extents, repeated as often as the tensor's
// shape asks for. Inside the base tile the map is linear over GF(2): every bit of the register,
// lane and warp number moves the coordinate by a fixed vector, and the moves combine by XOR. The
// accumulator of wgmma, base tile 64x8, is
//
//   regs  = {(0,1), (8,0)}                        bit 0: one column; bit 1: eight rows
//   lanes = {(0,2), (0,4), (1,0), (2,0), (4,0)}   lane 5 = 0b00101 is at row 1, column 2
//   warps = {(16,0), (32,0)}
//
// A zero vector is *replication*: threads that differ in this bit hold the same element.
//
// Repeats are not stored. For a tensor of 64x80 the base tile repeats 10 times along columns, so a
// thread has 10 * 2^2 registers: repeats are arbitrary integers and give N = 80 or 112. A repeat
// counts in multiples of 2^regs.size() registers, the last dimension fastest:
//
//   register      = baseRegister + 2^regs.size() * (linear repeat index)
//   coordinate[d] = repeat[d] * base[d] + baseCoordinate[d]
//
// Warpgroups are a separate factor, any integer: with wgDim = d, dimension d is cut in wgCount
// equal consecutive blocks; with wgDim = -1 every warpgroup holds the same. So 128x256 in wgmma_acc
// with two warpgroups gives each of them 64x256. A single warpgroup has wgDim = -1, so that equal
// maps are equal objects.
//
// The extent is rounded up to the base tile and the warpgroups. Elements beyond the shape are
// *dead*: they exist in registers, hold anything, and must not be loaded, stored or reduced.
//
// Rank 0 is a scalar: one register in every thread.

#ifndef TESSERA_LAYOUT_REGISTERLAYOUT_H
#define TESSERA_LAYOUT_REGISTERLAYOUT_H

#include "tessera/Layout/GF2.h"

#include <functional>
#include <string>

namespace tessera::layout {

/// A coordinate, a shape, or a basis vector: one number per dimension.
using Coord = std::vector<int64_t>;
/// Why something is invalid; nullopt if it is valid.
using Error = std::optional<std::string>;

constexpr int kMaxRank = 4;
constexpr int kLaneBits = 5;
constexpr int kMaxThreads = 1024;

/// Where an element is. `wg` is the warpgroup, `warp` the warp in it, `lane` the thread in that,
/// `reg` the register.
struct Location {
  int64_t reg = 0;
  int64_t lane = 0;
  int64_t warp = 0;
  int64_t wg = 0;
  bool operator==(const Location &o) const {
    return reg == o.reg && lane == o.lane && warp == o.warp && wg == o.wg;
  }
};

/// Bits of the thread number. As an owner mask: the bits that must be zero in the one thread that
/// owns an element. As the bits along a dimension: those that move the coordinate in it.
struct ThreadBits {
  uint32_t regs = 0;
  uint32_t lanes = 0;
  uint32_t warps = 0;
  bool wg = false;
  bool operator==(const ThreadBits &o) const {
    return regs == o.regs && lanes == o.lanes && warps == o.warps && wg == o.wg;
  }
};

struct RegisterLayout {
  std::vector<Coord> regs;  ///< any number, none zero
  std::vector<Coord> lanes; ///< always 5
  std::vector<Coord> warps; ///< 0..5; 2 are the four warps of a warpgroup
  int64_t wgCount = 1;
  int wgDim = -1;

  int rank() const { return lanes.empty() ? 0 : static_cast<int>(lanes[0].size()); }
  /// Threads in total: 32 * 2^warps.size() * wgCount.
  int64_t threads() const { return (int64_t(32) << warps.size()) * wgCount; }
  int64_t warpsPerGroup() const { return int64_t(1) << warps.size(); }

  /// Everything below requires a valid layout (and, with a shape, a valid shape for it).
  Error validate() const;
  Error validateFor(const Coord &shape) const;

  /// The base tile: powers of two.
  Coord baseShape() const;
  /// The base tile times the warpgroups: the granule to which extents are rounded up.
  Coord granule() const;
  Coord repeats(const Coord &shape) const;
  /// The registers of a thread, dead ones included.
  int64_t numRegisters(const Coord &shape) const;

  // Forward: (register, lane, warp, warpgroup) -> coordinate. May lie beyond the shape: then it is
  // dead.
  Coord coord(const Coord &shape, int64_t reg, int64_t lane, int64_t warp, int64_t wg) const;
  Coord coord(const Coord &shape, const Location &l) const {
    return coord(shape, l.reg, l.lane, l.warp, l.wg);
  }
  bool isDead(const Coord &shape, int64_t reg, int64_t lane, int64_t warp, int64_t wg) const;
  /// True if some element of some thread is dead: an extent is not a multiple of the granule.
  bool hasDead(const Coord &shape) const;

  // Backward: the canonical holder of a coordinate, replicated bits zero.
  Location locate(const Coord &shape, const Coord &coord) const;

  /// True if more than one thread holds an element.
  bool isReplicated() const;
  /// The bits that must be zero so that exactly one thread owns each element: those with zero
  /// vectors.
  ThreadBits ownerMask() const;
  bool isOwner(int64_t lane, int64_t warp, int64_t wg) const;
  /// The bits that move the coordinate along `dim`: what a reduction over `dim` must combine.
  ThreadBits bitsAlong(int dim) const;

  /// True when register bits and thread bits touch different coordinate bits; then
  /// coord = threadCoord + registerCoord, and code needs one addition per register. All named forms
  /// are.
  bool isSeparable() const;
  Coord registerCoord(const Coord &shape, int64_t reg) const;
  Coord threadCoord(const Coord &shape, int64_t lane, int64_t warp, int64_t wg) const;

  /// The largest power of two V such that registers [i*V, (i+1)*V) are consecutive along `dim` for
  /// every i, the first at a coordinate that is a multiple of V.
  int64_t contiguousRegisters(const Coord &shape, int dim) const;

  // Transformations. Each commutes with the same operation on shapes and coordinates. A dimension
  // out of range gives the empty layout, which validate() rejects.
  /// Drops a dimension (reduction): its threads become replicas, its registers vanish.
  RegisterLayout sliceDim(int dim) const;
  /// Inserts a dimension of extent 1 before `dim` (at the end if dim == rank). sliceDim(dim) undoes
  /// it.
  RegisterLayout expandDim(int dim) const;
  /// Dimension i of the result is dimension perm[i] of this one.
  RegisterLayout permute(const std::vector<int> &perm) const;

  /// The base map as a bit matrix: input bits are registers, lanes, warps (lowest first), output
  /// bits are the coordinate bits of dimension 0, then 1, ...
  LinearMap baseMap() const;

  /// `regs [[0,1],[8,0]] lanes [...] warps [...] wg 2@0`
  std::string toString() const;

  bool operator==(const RegisterLayout &o) const {
    return wgCount == o.wgCount && wgDim == o.wgDim && regs == o.regs && lanes == o.lanes &&
           warps == o.warps;
  }
  bool operator!=(const RegisterLayout &o) const { return !(*this == o); }
  size_t hash() const;
};

/// A layout bound to a shape, with everything precomputed: for loops over many elements.
/// Coordinates are arrays of kMaxRank numbers, the unused ones zero.
class RegisterTile {
public:
  using Point = int64_t[kMaxRank];
  RegisterTile(const RegisterLayout &layout, const Coord &shape);

  int64_t numRegisters() const { return registers; }
  void coord(int64_t reg, int64_t lane, int64_t warp, int64_t wg, Point out) const {
    const Point &ofRegister = registerPoints[reg].at,
                &ofThread = threadPoints[warp << kLaneBits | lane].at;
    for (int d = 0; d < kMaxRank; ++d)
      out[d] = ofRegister[d] ^ ofThread[d];
    if (wgDim >= 0)
      out[wgDim] += wg * groupStep;
  }
  bool isDead(const Point p) const;
  Location locate(const Point p) const;
  /// True if this warp or thread holds the element whose canonical holder is `l`.
  bool holdsInWarp(const Location &l, int64_t warp, int64_t wg) const {
    return (warp & ~int64_t(owner.warps)) == l.warp && (owner.wg || wg == l.wg);
  }
  bool holds(const Location &l, int64_t lane, int64_t warp, int64_t wg) const {
    return (lane & ~int64_t(owner.lanes)) == l.lane && holdsInWarp(l, warp, wg);
  }
  const ThreadBits &ownerMask() const { return owner; }

private:
  int rank, wgDim;
  int regBits;
  int baseBits[kMaxRank];
  int64_t shape[kMaxRank], reps[kMaxRank];
  int64_t registers;
  LinearMap inverse;
  int warpShift;
  ThreadBits owner;
  /// What registers and what threads add to a coordinate. The map of a base tile is linear, so the
  /// two are combined by XOR; the bits above it, which say which base tile, are those of the
  /// register. Warpgroups lie `groupStep` elements apart.
  struct Part {
    Point at;
  };
  std::vector<Part> registerPoints, threadPoints;
  int64_t groupStep = 0;
};

} // namespace tessera::layout

namespace std {
template <>
struct hash<tessera::layout::RegisterLayout> {
  size_t operator()(const tessera::layout::RegisterLayout &l) const { return l.hash(); }
};
} // namespace std

#endif // TESSERA_LAYOUT_REGISTERLAYOUT_H
