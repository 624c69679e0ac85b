// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/RegisterLayout.h"

#include <sstream>

using namespace tessera::layout;

namespace {
constexpr int64_t kMaxBasis = int64_t(1) << 20;

std::string str(const Coord &c) {
  std::ostringstream os;
  os << "[";
  for (size_t i = 0; i < c.size(); ++i)
    os << (i ? "," : "") << c[i];
  os << "]";
  return os.str();
}

std::string str(const std::vector<Coord> &basis) {
  std::ostringstream os;
  os << "[";
  for (size_t i = 0; i < basis.size(); ++i)
    os << (i ? "," : "") << str(basis[i]);
  os << "]";
  return os.str();
}

bool isZero(const Coord &c) {
  for (int64_t x : c)
    if (x)
      return false;
  return true;
}

/// XORs those basis vectors into `into` whose bits are set in `index`.
void accumulate(const std::vector<Coord> &basis, int64_t index, Coord &into) {
  for (size_t i = 0; i < basis.size(); ++i)
    if (index >> i & 1)
      for (size_t d = 0; d < into.size(); ++d)
        into[d] ^= basis[i][d];
}
} // namespace

Error RegisterLayout::validate() const {
  if (lanes.size() != kLaneBits)
    return "a register layout needs 5 lane vectors, got " + std::to_string(lanes.size());
  if (warps.size() > 5)
    return "a register layout has at most 5 warp vectors, got " + std::to_string(warps.size());
  if (regs.size() > 16)
    return "a register layout has at most 16 register vectors, got " + std::to_string(regs.size());
  const int n = rank();
  if (n > kMaxRank)
    return "a register layout has rank 0 to 4, got " + std::to_string(n);
  for (const auto *basis : {&regs, &lanes, &warps})
    for (const Coord &v : *basis) {
      if (static_cast<int>(v.size()) != n)
        return "basis vector " + str(v) + " does not have rank " + std::to_string(n);
      for (int64_t x : v)
        if (x < 0 || x >= kMaxBasis)
          return "basis vector " + str(v) + " is out of range";
    }
  for (const Coord &v : regs)
    if (isZero(v))
      return "register vectors may not be zero: a thread holds an element once";
  if (wgCount < 1)
    return "the warpgroup count must be positive, got " + std::to_string(wgCount);
  if (threads() > kMaxThreads)
    return std::to_string(threads()) + " threads are more than " + std::to_string(kMaxThreads);
  if (wgDim < -1 || wgDim >= n)
    return "the warpgroup dimension " + std::to_string(wgDim) +
           " is not -1 or a dimension of rank " + std::to_string(n);
  if (wgCount == 1 && wgDim != -1)
    return "a single warpgroup must have warpgroup dimension -1";

  LinearMap map = baseMap();
  int nonZero = 0;
  for (uint64_t column : map.getColumns())
    nonZero += column != 0;
  int rank = map.rank();
  if (rank != map.getOutBits())
    return "the base tile " + str(baseShape()) + " is not covered: its " +
           std::to_string(map.getOutBits()) + " coordinate bits meet a map of rank " +
           std::to_string(rank);
  if (rank != nonZero)
    return "basis vectors are linearly dependent: replication is written as zero vectors";
  return std::nullopt;
}

Error RegisterLayout::validateFor(const Coord &shape) const {
  if (Error e = validate())
    return e;
  if (static_cast<int>(shape.size()) != rank())
    return "shape " + str(shape) + " does not have the layout's rank " + std::to_string(rank());
  double count = static_cast<double>(int64_t(1) << regs.size());
  for (int64_t extent : shape) {
    if (extent < 1)
      return "shape " + str(shape) + " has an extent that is not positive";
    count *= static_cast<double>(extent);
    if (count > 1e12)
      return "shape " + str(shape) + " is too large";
  }
  return std::nullopt;
}

Coord RegisterLayout::baseShape() const {
  Coord base(rank(), 1);
  for (int d = 0; d < rank(); ++d) {
    int64_t bits = 0;
    for (const auto *basis : {&regs, &lanes, &warps})
      for (const Coord &v : *basis)
        bits |= v[d];
    while (base[d] <= bits)
      base[d] *= 2;
  }
  return base;
}

Coord RegisterLayout::granule() const {
  Coord g = baseShape();
  if (wgDim >= 0)
    g[wgDim] *= wgCount;
  return g;
}

Coord RegisterLayout::repeats(const Coord &shape) const {
  Coord r = granule();
  for (size_t d = 0; d < r.size(); ++d)
    r[d] = ceilDiv(shape[d], r[d]);
  return r;
}

int64_t RegisterLayout::numRegisters(const Coord &shape) const {
  int64_t n = int64_t(1) << regs.size();
  for (int64_t r : repeats(shape))
    n *= r;
  return n;
}

Coord RegisterLayout::coord(const Coord &shape, int64_t reg, int64_t lane, int64_t warp,
                            int64_t wg) const {
  Coord c(rank(), 0);
  accumulate(regs, reg, c);
  accumulate(lanes, lane, c);
  accumulate(warps, warp, c);
  const Coord base = baseShape(), reps = repeats(shape);
  int64_t rep = reg >> regs.size();
  for (int d = rank() - 1; d >= 0; --d) {
    c[d] += rep % reps[d] * base[d];
    rep /= reps[d];
    if (d == wgDim)
      c[d] += wg * base[d] * reps[d];
  }
  return c;
}

bool RegisterLayout::isDead(const Coord &shape, int64_t reg, int64_t lane, int64_t warp,
                            int64_t wg) const {
  Coord c = coord(shape, reg, lane, warp, wg);
  for (int d = 0; d < rank(); ++d)
    if (c[d] >= shape[d])
      return true;
  return false;
}

bool RegisterLayout::hasDead(const Coord &shape) const {
  Coord g = granule();
  for (int d = 0; d < rank(); ++d)
    if (shape[d] % g[d])
      return true;
  return false;
}

Location RegisterLayout::locate(const Coord &shape, const Coord &c) const {
  RegisterTile::Point p = {};
  for (int d = 0; d < rank(); ++d)
    p[d] = c[d];
  return RegisterTile(*this, shape).locate(p);
}

ThreadBits RegisterLayout::ownerMask() const {
  ThreadBits mask;
  for (size_t i = 0; i < lanes.size(); ++i)
    mask.lanes |= uint32_t(isZero(lanes[i])) << i;
  for (size_t i = 0; i < warps.size(); ++i)
    mask.warps |= uint32_t(isZero(warps[i])) << i;
  mask.wg = wgCount > 1 && wgDim < 0;
  return mask;
}

bool RegisterLayout::isReplicated() const { return !(ownerMask() == ThreadBits()); }

bool RegisterLayout::isOwner(int64_t lane, int64_t warp, int64_t wg) const {
  ThreadBits mask = ownerMask();
  return !(lane & mask.lanes) && !(warp & mask.warps) && !(mask.wg && wg);
}

ThreadBits RegisterLayout::bitsAlong(int dim) const {
  ThreadBits bits;
  for (size_t i = 0; i < regs.size(); ++i)
    bits.regs |= uint32_t(regs[i][dim] != 0) << i;
  for (size_t i = 0; i < lanes.size(); ++i)
    bits.lanes |= uint32_t(lanes[i][dim] != 0) << i;
  for (size_t i = 0; i < warps.size(); ++i)
    bits.warps |= uint32_t(warps[i][dim] != 0) << i;
  bits.wg = wgDim == dim;
  return bits;
}

bool RegisterLayout::isSeparable() const {
  for (int d = 0; d < rank(); ++d) {
    int64_t reg = 0, thread = 0;
    for (const Coord &v : regs)
      reg |= v[d];
    for (const auto *basis : {&lanes, &warps})
      for (const Coord &v : *basis)
        thread |= v[d];
    if (reg & thread)
      return false;
  }
  return true;
}

Coord RegisterLayout::registerCoord(const Coord &shape, int64_t reg) const {
  return coord(shape, reg, 0, 0, 0);
}

Coord RegisterLayout::threadCoord(const Coord &shape, int64_t lane, int64_t warp,
                                  int64_t wg) const {
  return coord(shape, 0, lane, warp, wg);
}

int64_t RegisterLayout::contiguousRegisters(const Coord &shape, int dim) const {
  auto isStep = [&](const Coord &v, int64_t step) {
    for (int d = 0; d < rank(); ++d)
      if (v[d] != (d == dim ? step : 0))
        return false;
    return true;
  };
  size_t k = 0;
  while (k < regs.size() && isStep(regs[k], int64_t(1) << k))
    ++k;
  int64_t run = int64_t(1) << k;
  // The other bits of threads and registers must not change the coordinate bits of the run.
  // Otherwise it is no run in that thread.
  for (const auto *basis : {&regs, &lanes, &warps})
    for (size_t i = basis == &regs ? k : 0; i < basis->size(); ++i)
      while ((*basis)[i][dim] & (run - 1))
        run /= 2;
  // If the base tile along dim consists of registers only, repeats of the tile continue the run.
  if (run != int64_t(1) << regs.size() || baseShape()[dim] != run)
    return run;
  const Coord reps = repeats(shape);
  for (int d = dim + 1; d < rank(); ++d)
    if (reps[d] > 1)
      return run;
  return run * powerOf2Dividing(reps[dim]);
}

RegisterLayout RegisterLayout::sliceDim(int dim) const {
  if (dim < 0 || dim >= rank())
    return RegisterLayout();
  RegisterLayout r = *this;
  r.regs.clear();
  for (Coord v : regs) {
    v.erase(v.begin() + dim);
    if (!isZero(v))
      r.regs.push_back(v);
  }
  for (auto *basis : {&r.lanes, &r.warps})
    for (Coord &v : *basis)
      v.erase(v.begin() + dim);
  if (wgDim == dim)
    r.wgDim = -1;
  else if (wgDim > dim)
    --r.wgDim;
  return r;
}

RegisterLayout RegisterLayout::expandDim(int dim) const {
  if (dim < 0 || dim > rank())
    return RegisterLayout();
  RegisterLayout r = *this;
  for (auto *basis : {&r.regs, &r.lanes, &r.warps})
    for (Coord &v : *basis)
      v.insert(v.begin() + dim, 0);
  if (wgDim >= dim)
    ++r.wgDim;
  return r;
}

RegisterLayout RegisterLayout::permute(const std::vector<int> &perm) const {
  std::vector<bool> seen(rank());
  if (static_cast<int>(perm.size()) != rank())
    return RegisterLayout();
  for (int d : perm) {
    if (d < 0 || d >= rank() || seen[d])
      return RegisterLayout();
    seen[d] = true;
  }
  RegisterLayout r = *this;
  for (auto *basis : {&r.regs, &r.lanes, &r.warps})
    for (Coord &v : *basis) {
      Coord old = v;
      for (size_t d = 0; d < perm.size(); ++d)
        v[d] = old[perm[d]];
    }
  for (size_t d = 0; d < perm.size(); ++d)
    if (wgDim == perm[d])
      r.wgDim = static_cast<int>(d);
  return r;
}

LinearMap RegisterLayout::baseMap() const {
  const Coord base = baseShape();
  std::vector<uint64_t> columns;
  int bits = 0;
  for (int64_t b : base)
    bits += log2Floor(b);
  for (const auto *basis : {&regs, &lanes, &warps})
    for (const Coord &v : *basis) {
      uint64_t column = 0;
      int shift = 0;
      for (int d = 0; d < rank(); ++d) {
        column |= static_cast<uint64_t>(v[d]) << shift;
        shift += log2Floor(base[d]);
      }
      columns.push_back(column);
    }
  return LinearMap(bits, std::move(columns));
}

std::string RegisterLayout::toString() const {
  std::string s = "regs " + str(regs) + " lanes " + str(lanes) + " warps " + str(warps);
  if (wgCount > 1) {
    s += " wg " + std::to_string(wgCount);
    s += wgDim < 0 ? " replicated" : "@" + std::to_string(wgDim);
  }
  return s;
}

size_t RegisterLayout::hash() const {
  uint64_t h = 0xcbf29ce484222325ull;
  auto mix = [&](int64_t x) { h = (h ^ static_cast<uint64_t>(x)) * 0x100000001b3ull; };
  for (const auto *basis : {&regs, &lanes, &warps}) {
    mix(-1);
    for (const Coord &v : *basis) {
      mix(-2);
      for (int64_t x : v)
        mix(x);
    }
  }
  mix(wgCount);
  mix(wgDim);
  return static_cast<size_t>(h ^ (h >> 29));
}

RegisterTile::RegisterTile(const RegisterLayout &layout, const Coord &extents)
    : rank(layout.rank()), wgDim(layout.wgDim), regBits(static_cast<int>(layout.regs.size())),
      registers(layout.numRegisters(extents)), warpShift(regBits + kLaneBits),
      owner(layout.ownerMask()) {
  const LinearMap map = layout.baseMap();
  inverse = *map.rightInverse();
  const Coord base = layout.baseShape(), r = layout.repeats(extents);
  for (int d = 0; d < kMaxRank; ++d) {
    baseBits[d] = d < rank ? log2Floor(base[d]) : 0;
    reps[d] = d < rank ? r[d] : 1;
    shape[d] = d < rank ? extents[d] : 1;
  }
  if (wgDim >= 0)
    groupStep = reps[wgDim] << baseBits[wgDim];

  auto inBaseTile = [&](int64_t index) {
    Part part;
    uint64_t bits = map.apply(static_cast<uint64_t>(index));
    for (int d = 0; d < kMaxRank; ++d) {
      part.at[d] = static_cast<int64_t>(bits & ((uint64_t(1) << baseBits[d]) - 1));
      bits >>= baseBits[d];
    }
    return part;
  };
  const int64_t inBase = int64_t(1) << regBits;
  registerPoints.reserve(registers);
  for (int64_t reg = 0; reg < registers; ++reg) {
    Part part = reg < inBase ? inBaseTile(reg) : registerPoints[reg & (inBase - 1)];
    int64_t rep = reg >> regBits;
    if (rep)
      for (int d = rank - 1; d >= 0; --d) {
        part.at[d] += rep % reps[d] << baseBits[d];
        rep /= reps[d];
      }
    registerPoints.push_back(part);
  }
  const int64_t threads = int64_t(1) << (kLaneBits + layout.warps.size());
  threadPoints.reserve(threads);
  for (int64_t thread = 0; thread < threads; ++thread)
    threadPoints.push_back(inBaseTile(thread << regBits));
}

bool RegisterTile::isDead(const Point p) const {
  for (int d = 0; d < rank; ++d)
    if (p[d] >= shape[d])
      return true;
  return false;
}

Location RegisterTile::locate(const Point p) const {
  Location l;
  uint64_t bits = 0;
  int64_t rep = 0;
  int shift = 0;
  for (int d = 0; d < rank; ++d) {
    int64_t block = p[d] >> baseBits[d];
    if (d == wgDim) {
      l.wg = block / reps[d];
      block %= reps[d];
    }
    rep = rep * reps[d] + block;
    bits |= static_cast<uint64_t>(p[d] & ((int64_t(1) << baseBits[d]) - 1)) << shift;
    shift += baseBits[d];
  }
  int64_t index = static_cast<int64_t>(inverse.apply(bits));
  l.reg = rep << regBits | (index & ((int64_t(1) << regBits) - 1));
  l.lane = index >> regBits & 31;
  l.warp = index >> warpShift;
  return l;
}
