// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: how drawings walk over a tile. Its last two dimensions are a matrix.
#ifndef TESSERA_LIB_LAYOUT_MATRICES_H
#define TESSERA_LIB_LAYOUT_MATRICES_H

#include "tessera/Layout/RegisterLayout.h"

#include <string>

namespace tessera::layout {

/// Calls `matrix(heading, leading coordinates)` for each matrix of a tile. The heading of a tile of
/// rank 2 or less is empty.
template <typename F>
void forEachMatrix(const Coord &shape, F matrix) {
  const int n = static_cast<int>(shape.size());
  Coord at(n, 0);
  for (;;) {
    std::string heading;
    for (int d = 0; d < n - 2; ++d)
      heading += std::to_string(at[d]) + ", ";
    matrix(heading.empty() ? heading : "[" + heading + "*, *]", at);
    int d = n - 3;
    for (; d >= 0; --d) {
      if (++at[d] < shape[d])
        break;
      at[d] = 0;
    }
    if (d < 0)
      return;
  }
}

/// The coordinates of a cell of a matrix of the tile.
inline Coord cellOf(Coord leading, int64_t row, int64_t column) {
  const int n = static_cast<int>(leading.size());
  if (n >= 2)
    leading[n - 2] = row;
  if (n >= 1)
    leading[n - 1] = column;
  return leading;
}

} // namespace tessera::layout

#endif
