// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IrText.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tessera;

/// Prints an error with a caret below the place in the text.
static std::nullopt_t fail(const std::string &text, size_t at, const Twine &message) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "layout"), llvm::SMLoc());
  sources.PrintMessage(llvm::errs(), llvm::SMLoc::getFromPointer(text.c_str() + at),
                       llvm::SourceMgr::DK_Error, message, {}, {}, /*ShowColors=*/false);
  return std::nullopt;
}

bool tessera::isIrText(const std::string &text) {
  return StringRef(text).starts_with("#") || StringRef(text).starts_with("!") ||
         StringRef(text).starts_with("tensor<");
}

/// Where a place is in the text.
static size_t offsetOf(const std::string &text, unsigned line, unsigned column) {
  size_t at = 0;
  for (unsigned l = 1; l < line; ++l)
    at = text.find('\n', at) + 1;
  return std::min<size_t>(at + std::max(1u, column) - 1, text.size());
}

std::optional<LayoutText> tessera::parseIrText(const std::string &text) {
  // MLIR's parser is recursive and knows no limits.
  if (auto problem = tile::findSourceProblem(text))
    return fail(text, offsetOf(text, problem->line, problem->column), problem->message);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<cta::CtaDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    size_t at = 0;
    if (auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      at = offsetOf(text, loc.getLine(), loc.getColumn());
    fail(text, at, diagnostic.str());
  });
  size_t end = 0;
  Attribute attribute;
  Type type;
  if (text[0] == '#')
    attribute = parseAttribute(text, &context, {}, &end);
  else
    type = parseType(text, &context, &end);
  if (!attribute && !type)
    return std::nullopt;
  if (StringRef rest = StringRef(text).drop_front(end); !rest.trim().empty())
    return fail(text, end + rest.find_first_not_of(" \t\n"), "this is after the end of the layout");
  LayoutText found;
  if (auto frag = dyn_cast_or_null<cta::FragAttr>(attribute)) {
    found.registers = frag.layout();
    return found;
  }
  if (auto async = dyn_cast_or_null<cta::AsyncType>(type))
    type = async.getTensor();
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(type)) {
    if (tensor.getRank() == 0)
      return fail(text, 0, "a tensor of rank 0 has one element, and nothing to draw");
    cta::FragAttr frag = cta::FragAttr::of(tensor);
    if (!frag)
      return fail(text, 0,
                  "the tensor has no register layout: write tensor<SHAPE, #cta.frag<...>>");
    found.registers = frag.layout();
    found.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    return found;
  }
  if (auto tile = dyn_cast_or_null<cta::SmemType>(type)) {
    if (tile.getSwizzle().isUnknown())
      // The swizzle is the only attribute of the type.
      return fail(text, std::min(text.find('#'), text.size()),
                  "the layout of this tile is not chosen yet: cta-swizzle-shared chooses it");
    found.shared = cta::sharedLayout(tile);
    found.shape = found.shared.shape;
    return found;
  }
  return fail(text, 0,
              "this is no layout: tile-layout draws #cta.frag<...>, tensor<..., #cta.frag<...>>, "
              "!cta.async<...> and !cta.smem<...>");
}
