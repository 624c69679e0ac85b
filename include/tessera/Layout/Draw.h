// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts as text and pictures, for people: a grid with one cell for each element.
//
//   draw(wgmmaAcc(), {64, 16})      who owns it: w0 l3 r1 (with several warpgroups, g1 w0 l3 r1)
//   draw(SharedLayout::swizzled())  its byte: 1040
//
// Rows are the last dimension but one, columns the last; leading dimensions become headings.

#ifndef TESSERA_LAYOUT_DRAW_H
#define TESSERA_LAYOUT_DRAW_H

#include "tessera/Layout/SharedLayout.h"

namespace tessera::layout {

/// The owner of each element. Requires a layout valid for the shape.
std::string draw(const RegisterLayout &layout, const Coord &shape);
/// The byte offset of each element. Requires a valid layout.
std::string draw(const SharedLayout &layout);

/// The same as an SVG picture. Cells of a thread whose registers follow each other make one box,
/// and colours tell threads apart: a lane has a hue, a warp a lightness.
std::string drawSvg(const RegisterLayout &layout, const Coord &shape, const std::string &title);
/// Boxes are chunks of 16 bytes, the granule of swizzles and of ldmatrix; a colour is four of the
/// 32 banks. Tiles of more than 8192 boxes have colours, but no labels.
std::string drawSvg(const SharedLayout &layout, const std::string &title);

/// What a drawing does not show: base tile, registers, replication; one per line.
std::string describe(const RegisterLayout &layout, const Coord &shape);
/// Size, alignment, TMA boxes, descriptors where wgmma can read the tile, bank conflicts.
std::string describe(const SharedLayout &layout);

/// "64x16" -> {64, 16}; nullopt if malformed.
std::optional<Coord> parseShape(const std::string &text);
std::string shapeString(const Coord &shape);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_DRAW_H
