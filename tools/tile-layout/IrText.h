// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layouts as they are written in IR.
#ifndef TESSERA_TOOLS_TILE_LAYOUT_IRTEXT_H
#define TESSERA_TOOLS_TILE_LAYOUT_IRTEXT_H

#include "tessera/Layout/SharedLayout.h"

namespace tessera {

/// A layout, and the shape of the tile if the text says it.
struct LayoutText {
  std::optional<layout::RegisterLayout> registers; ///< nullopt: `shared` is the layout
  layout::SharedLayout shared;
  layout::Coord shape;
};

/// True for text that only IR has: attributes and types begin with `#`, `!`, or `tensor<`.
bool isIrText(const std::string &text);

/// Reads `#cta.frag<…>`, `tensor<64x16xf32, #cta.frag<…>>`, a `!cta.async` of that, or
/// `!cta.smem<…>`. Returns nullopt after an error, which is printed with the place in the text.
std::optional<LayoutText> parseIrText(const std::string &text);

} // namespace tessera

#endif
