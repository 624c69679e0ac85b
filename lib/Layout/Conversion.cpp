// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/Conversion.h"

#include <algorithm>

using namespace tessera::layout;

const char *tessera::layout::toString(ConversionKind kind) {
  switch (kind) {
  case ConversionKind::NoOp:
    return "no-op";
  case ConversionKind::RegisterPermute:
    return "register permute";
  case ConversionKind::RegisterSelect:
    return "register select";
  case ConversionKind::WarpShuffle:
    return "warp shuffle";
  case ConversionKind::Shared:
    return "through shared memory";
  }
  return "";
}

bool ConversionMove::isButterfly() const {
  for (int i = 0; i < kLaneBits; ++i)
    if (laneColumns[i] != 1u << i)
      return false;
  return true;
}

bool ConversionMove::isLaneIdentity() const { return laneBase == 0 && isButterfly(); }

bool ConversionMove::isWarpUniform() const {
  return std::all_of(laneMasks.begin(), laneMasks.end(),
                     [&](uint32_t m) { return m == laneMasks[0]; });
}

int64_t Conversion::numShuffles() const {
  int64_t n = 0;
  for (const auto &list : moves)
    for (const ConversionMove &m : list)
      n += !m.isLaneIdentity();
  return n;
}

int64_t Conversion::numSelects() const {
  int64_t n = 0;
  for (const auto &list : moves)
    n += list.empty() ? 0 : static_cast<int64_t>(list.size()) - 1;
  return n;
}

namespace {
Error validateShapes(const RegisterLayout &src, const Coord &srcShape, const RegisterLayout &dst,
                     const Coord &dstShape) {
  if (Error e = src.validateFor(srcShape))
    return "source: " + *e;
  if (Error e = dst.validateFor(dstShape))
    return "destination: " + *e;
  if (srcShape.size() != dstShape.size())
    return "source and destination differ in rank";
  for (size_t d = 0; d < srcShape.size(); ++d)
    if (srcShape[d] != dstShape[d] && srcShape[d] != 1)
      return "source extent " + std::to_string(srcShape[d]) + " of dimension " + std::to_string(d) +
             " is neither 1 nor the destination's " + std::to_string(dstShape[d]);
  if (src.warps.size() != dst.warps.size() || src.wgCount != dst.wgCount)
    return "source and destination differ in warps or warpgroups";
  return std::nullopt;
}

constexpr int64_t kNowhere = -1; // a destination that needs no value

/// For one destination register: the source register and lane for every lane of every warp.
struct Journey {
  int64_t reg;
  uint32_t lane;
};

/// Finds the affine map of lanes through the pairs of `points`. They need not contain all 32 lanes;
/// the map of the others is free.
bool fitLanes(const std::vector<std::pair<uint32_t, uint32_t>> &points, ConversionMove &move) {
  // Prefers a butterfly, which is the cheapest map and correct whenever it goes through all points.
  ConversionMove m = move;
  m.laneBase = points[0].first ^ points[0].second;
  for (int i = 0; i < kLaneBits; ++i)
    m.laneColumns[i] = 1u << i;
  auto fits = [&] {
    for (auto &p : points)
      if (m.srcLane(p.first) != p.second)
        return false;
    return true;
  };
  if (!fits()) {
    // The differences to the first point span a subspace of the lanes. The map is solved on an
    // echelon basis of it, and is zero elsewhere.
    std::vector<std::pair<uint32_t, uint32_t>> basis;
    for (auto &p : points) {
      uint32_t x = p.first ^ points[0].first, y = p.second ^ points[0].second;
      for (auto &b : basis)
        if ((x ^ b.first) < x) {
          x ^= b.first;
          y ^= b.second;
        }
      if (!x)
        continue;
      basis.push_back({x, y});
      std::sort(basis.rbegin(), basis.rend());
    }
    // Substitutes backwards, from the lowest leading bit up.
    std::fill(m.laneColumns, m.laneColumns + kLaneBits, 0u);
    for (auto b = basis.rbegin(); b != basis.rend(); ++b) {
      int lead = log2Floor(b->first);
      uint32_t y = b->second;
      for (int i = 0; i < lead; ++i)
        if (b->first >> i & 1)
          y ^= m.laneColumns[i];
      m.laneColumns[lead] = y;
    }
    m.laneBase = 0;
    m.laneBase = points[0].second ^ m.srcLane(points[0].first);
    if (!fits())
      return false;
  }
  move = m;
  return true;
}
} // namespace

Error tessera::layout::validateConversion(const RegisterLayout &src, const RegisterLayout &dst,
                                          const Coord &shape) {
  return validateShapes(src, shape, dst, shape);
}

Conversion tessera::layout::classify(const RegisterLayout &src, const RegisterLayout &dst,
                                     const Coord &shape) {
  return classifyBroadcast(src, shape, dst, shape);
}

Conversion tessera::layout::classifyBroadcast(const RegisterLayout &src, const Coord &srcShape,
                                              const RegisterLayout &dst, const Coord &dstShape) {
  Conversion result;
  if (validateShapes(src, srcShape, dst, dstShape))
    return result;
  Conversion viaShared = result;
  const int64_t warpsPerGroup = dst.warpsPerGroup(), warps = warpsPerGroup * dst.wgCount;
  const int64_t dstRegs = dst.numRegisters(dstShape);

  if (src == dst && srcShape == dstShape) {
    result.kind = ConversionKind::NoOp;
    for (int64_t r = 0; r < dstRegs; ++r)
      result.srcReg.push_back(r);
    return result;
  }

  RegisterTile from(src, srcShape), to(dst, dstShape);
  const ThreadBits replicas = from.ownerMask();
  const int rank = src.rank();
  std::vector<Journey> journeys(warps * 32);
  std::vector<std::pair<uint32_t, uint32_t>> points;
  bool sameThread = true, oneSource = true, sameNumber = from.numRegisters() == dstRegs;

  for (int64_t r = 0; r < dstRegs; ++r) {
    for (int64_t w = 0; w < warps; ++w)
      for (int64_t lane = 0; lane < 32; ++lane) {
        Journey &j = journeys[w * 32 + lane];
        RegisterTile::Point p;
        const int64_t warp = w % warpsPerGroup, wg = w / warpsPerGroup;
        to.coord(r, lane, warp, wg, p);
        if (to.isDead(p)) {
          j = {kNowhere, 0};
          continue;
        }
        for (int d = 0; d < rank; ++d)
          if (srcShape[d] == 1)
            p[d] = 0;
        Location l = from.locate(p);
        if (!from.holdsInWarp(l, warp, wg))
          return viaShared;
        // Of several replicas this is the nearest one: the one whose replicated bits are those of
        // this lane.
        j = {l.reg, static_cast<uint32_t>(l.lane | (lane & replicas.lanes))};
        sameThread &= j.lane == lane;
      }

    // There is one move for each source register.
    result.moves.emplace_back();
    auto &list = result.moves.back();
    for (int64_t t = 0; t < warps * 32; ++t) {
      if (journeys[t].reg == kNowhere)
        continue;
      auto it = std::find_if(list.begin(), list.end(),
                             [&](const ConversionMove &m) { return m.srcReg == journeys[t].reg; });
      if (it == list.end()) {
        list.emplace_back();
        it = list.end() - 1;
        it->srcReg = journeys[t].reg;
        it->laneMasks.assign(warps, 0);
      }
      it->laneMasks[t / 32] |= 1u << (t % 32);
    }
    for (ConversionMove &m : list) {
      points.clear();
      for (int64_t t = 0; t < warps * 32; ++t)
        if (journeys[t].reg == m.srcReg)
          points.push_back({static_cast<uint32_t>(t % 32), journeys[t].lane});
      // The map of lanes must be affine and the same in all warps. A conversion with another map
      // goes through shared memory.
      if (!fitLanes(points, m))
        return viaShared;
    }
    oneSource &= list.size() <= 1;
    sameNumber &= list.empty() || (list.size() == 1 && list[0].srcReg == r);
    result.srcReg.push_back(list.empty() ? kNowhere : list[0].srcReg);
  }

  if (!sameThread) {
    result.kind = ConversionKind::WarpShuffle;
    result.srcReg.clear();
  } else if (!oneSource) {
    result.kind = ConversionKind::RegisterSelect;
    result.srcReg.clear();
  } else {
    result.kind = sameNumber ? ConversionKind::NoOp : ConversionKind::RegisterPermute;
    result.moves.clear();
  }
  return result;
}
