// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Matrices.h"

#include "tessera/Layout/BankConflicts.h"
#include "tessera/Layout/Draw.h"
#include "tessera/Layout/RegisterForms.h"
#include "tessera/Layout/WgmmaOperand.h"

#include <algorithm>
#include <sstream>

using namespace tessera::layout;

namespace {
/// Draws a grid of cells with aligned columns; `cell` gives the text at a coordinate.
template <typename F>
std::string grid(const Coord &shape, F cell) {
  const int n = static_cast<int>(shape.size());
  const int64_t rows = n >= 2 ? shape[n - 2] : 1, cols = n >= 1 ? shape[n - 1] : 1;
  std::ostringstream os;
  forEachMatrix(shape, [&](const std::string &heading, const Coord &leading) {
    if (!heading.empty())
      os << heading << "\n";
    std::vector<std::string> cells;
    size_t width = 0;
    for (int64_t i = 0; i < rows * cols; ++i) {
      cells.push_back(cell(cellOf(leading, i / cols, i % cols)));
      width = std::max(width, cells.back().size());
    }
    for (int64_t i = 0; i < rows * cols; ++i) {
      os << cells[i];
      if ((i + 1) % cols == 0)
        os << "\n";
      else
        os << std::string(width - cells[i].size(), ' ') << " | ";
    }
  });
  return os.str();
}

void describeOperand(std::ostringstream &os, const SharedLayout &l, WgmmaRole role, int kDim) {
  const int mnDim = kDim == l.rank() - 1 ? l.rank() - 2 : l.rank() - 1;
  const int64_t block = role == WgmmaRole::A ? 64 : std::min<int64_t>(l.shape[mnDim], 256);
  os << "wgmma " << (role == WgmmaRole::A ? "A" : "B") << ", k = dimension " << kDim << ": ";
  if (Error e = validateWgmmaOperand(l, role, kDim, block)) {
    os << "no: " << *e << "\n";
    return;
  }
  const WgmmaOperand o = wgmmaOperand(l, role, kDim, block);
  os << (o.major == WgmmaMajor::K ? "K" : "MN") << "-major, lbo " << o.lbo << ", sbo " << o.sbo
     << ", mode " << o.swizzleMode << ", " << o.numBlocks << " block(s) of " << o.blockExtent
     << ", k steps at";
  for (int64_t s = 0; s < o.numKSteps; ++s)
    os << " " << o.baseOffset(0, s);
  os << "\n";
}
} // namespace

std::string tessera::layout::draw(const RegisterLayout &l, const Coord &shape) {
  RegisterTile tile(l, shape);
  return grid(shape, [&](const Coord &c) {
    RegisterTile::Point p = {};
    std::copy(c.begin(), c.end(), p);
    const Location at = tile.locate(p);
    std::string s = l.wgCount > 1 ? "g" + std::to_string(at.wg) + " " : "";
    return s + "w" + std::to_string(at.warp) + " l" + std::to_string(at.lane) + " r" +
           std::to_string(at.reg);
  });
}

std::string tessera::layout::draw(const SharedLayout &l) {
  return grid(l.shape, [&](const Coord &c) { return std::to_string(l.offset(c)); });
}

std::string tessera::layout::describe(const RegisterLayout &l, const Coord &shape) {
  std::ostringstream os;
  const std::string name = nameOf(l);
  if (!name.empty())
    os << "form: " << name << "\n";
  os << l.toString() << "\n";
  os << "base tile " << shapeString(l.baseShape()) << ", repeats " << shapeString(l.repeats(shape))
     << ", " << l.numRegisters(shape) << " registers in each of " << l.threads() << " threads";
  os << (l.hasDead(shape) ? ", some dead" : "") << (l.isReplicated() ? ", replicated" : "") << "\n";
  return os.str();
}

std::string tessera::layout::describe(const SharedLayout &l) {
  std::ostringstream os;
  os << l.toString() << "\n"
     << l.sizeBytes() << " bytes, aligned to " << l.alignment() << ", " << l.numPanels()
     << " panel(s) of " << l.panelBytes() << " bytes\n";
  if (Error e = l.validateTma())
    os << "TMA: no: " << *e << "\n";
  else
    for (const TmaBox &box : l.tmaBoxes())
      os << "TMA box " << shapeString(box.extents) << " at " << shapeString(box.offset)
         << " to byte " << box.byteOffset << "\n";
  if (l.rank() >= 2)
    for (WgmmaRole role : {WgmmaRole::A, WgmmaRole::B})
      for (int kDim : {l.rank() - 1, l.rank() - 2})
        describeOperand(os, l, role, kDim);
  os << "bank conflicts of ldmatrix and stmatrix: " << ldmatrixConflicts(l) << "\n";
  return os.str();
}

std::optional<Coord> tessera::layout::parseShape(const std::string &text) {
  Coord shape;
  int64_t value = 0;
  bool digits = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : 'x';
    if (c >= '0' && c <= '9' && value < 1000000) {
      value = value * 10 + (c - '0');
      digits = true;
    } else if (c == 'x' && digits) {
      shape.push_back(value);
      value = 0;
      digits = false;
    } else {
      return std::nullopt;
    }
  }
  return shape;
}

std::string tessera::layout::shapeString(const Coord &shape) {
  std::string s;
  for (size_t d = 0; d < shape.size(); ++d)
    s += (d ? "x" : "") + std::to_string(shape[d]);
  return s.empty() ? "scalar" : s;
}
