// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/GF2.h"

using namespace tessera::layout;

LinearMap LinearMap::identity(int bits) {
  std::vector<uint64_t> columns;
  for (int i = 0; i < bits; ++i)
    columns.push_back(uint64_t(1) << i);
  return LinearMap(bits, std::move(columns));
}

namespace {
/// Columns that are reduced so that each has a leading bit of its own, with the inputs of which
/// each is made.
struct Echelon {
  struct Row {
    uint64_t image;
    uint64_t inputs;
  };
  std::vector<Row> rows; // fully reduced: the leading bit of a row occurs in no other row

  explicit Echelon(const std::vector<uint64_t> &columns) {
    for (size_t i = 0; i < columns.size(); ++i) {
      Row row{columns[i], uint64_t(1) << i};
      for (const Row &r : rows)
        if (row.image & lead(r.image))
          row = {row.image ^ r.image, row.inputs ^ r.inputs};
      if (!row.image)
        continue;
      for (Row &r : rows)
        if (r.image & lead(row.image))
          r = {r.image ^ row.image, r.inputs ^ row.inputs};
      rows.push_back(row);
    }
  }
  static uint64_t lead(uint64_t x) {
    while (x & (x - 1))
      x &= x - 1;
    return x;
  }
};
} // namespace

int LinearMap::rank() const { return static_cast<int>(Echelon(columns).rows.size()); }

std::optional<LinearMap> LinearMap::compose(const LinearMap &inner) const {
  if (inner.outBits != getInBits())
    return std::nullopt;
  std::vector<uint64_t> result;
  for (uint64_t column : inner.columns)
    result.push_back(apply(column));
  return LinearMap(outBits, std::move(result));
}

std::optional<LinearMap> LinearMap::rightInverse() const {
  Echelon echelon(columns);
  if (static_cast<int>(echelon.rows.size()) != outBits)
    return std::nullopt;
  // The result has outBits rows with one leading bit each. They are fully reduced, so the image of
  // each row is one bit.
  std::vector<uint64_t> result(outBits);
  for (const Echelon::Row &row : echelon.rows)
    result[log2Floor(static_cast<int64_t>(row.image >> 1)) + (row.image > 1 ? 1 : 0)] = row.inputs;
  return LinearMap(getInBits(), std::move(result));
}

std::optional<LinearMap> LinearMap::inverse() const {
  if (getInBits() != outBits)
    return std::nullopt;
  return rightInverse();
}
