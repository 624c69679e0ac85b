// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The text of ops that access global memory, around the box that Access.cpp parses.
#include "tessera/Dialect/Tile/Syntax/AccessSyntax.h"

using namespace mlir;
using namespace tessera::tile;

static const StringRef kAtomicAttrs[] = {
    "dims", "limited", "maskDims", "indexed", "strides", "pad", "operandSegmentSizes",
    "kind", "order",   "scope"};

ArrayRef<StringRef> tessera::tile::accessAttrs() { return ArrayRef(kAtomicAttrs).drop_back(3); }
ArrayRef<StringRef> tessera::tile::atomicAttrs() { return kAtomicAttrs; }

/// The error about a type that is no tile.
static ParseResult emitNoTile(OpAsmParser &parser, Type type) {
  InFlightDiagnostic error = parser.emitError(parser.getNameLoc())
                             << "expected a ranked tensor, got " << type;
  if (auto vector = dyn_cast<VectorType>(type))
    error << "; tiles are tensors: write "
          << RankedTensorType::get(vector.getShape(), vector.getElementType());
  else if (isa<MemRefType>(type))
    error << "; a load is written ': memref -> tile', a store ': tile -> memref'";
  else if (type.isIntOrIndexOrFloat())
    error << "; memref.load and memref.store are for single numbers";
  return error;
}

/// Resolves the access of a tile, or of a scalar (null), and sets the segments after `first`.
static ParseResult resolve(OpAsmParser &parser, ParsedAccess &access, const AccessSyntax &syntax,
                           Type memref, RankedTensorType tile, MaskEncodingOf encoding,
                           ArrayRef<int32_t> first, OperationState &state) {
  SmallVector<int32_t> segments;
  auto ofTile = [&](ArrayRef<int64_t> maskDims) { return encoding(tile, maskDims); };
  if (resolveAccess(parser, access, memref, tile ? tile.getShape() : ArrayRef<int64_t>(),
                    syntax.padTile ? Type(tile) : Type(), state, segments,
                    encoding ? MaskEncoding(ofTile) : MaskEncoding(nullptr)))
    return failure();
  SmallVector<int32_t> all(first);
  // Coordinates, limits, mask, index tiles, and the tile of pads and the extents of an op that may
  // have them.
  const int count = syntax.extents ? 6 : syntax.padTile ? 5 : 4;
  all.append(segments.begin(), segments.begin() + count);
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(all));
  return success();
}

ParseResult tessera::tile::parseSource(OpAsmParser &parser, OperationState &state,
                                       const AccessSyntax &syntax, MaskEncodingOf encoding) {
  ParsedAccess access;
  Type memref, type;
  if (parseAccess(parser, access, syntax) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(memref) || parser.parseArrow() || parser.parseType(type))
    return failure();
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return emitNoTile(parser, type);
  if (resolve(parser, access, syntax, memref, tile, encoding, {1}, state))
    return failure();
  state.addTypes(type);
  return success();
}

ParseResult tessera::tile::parseDestination(OpAsmParser &parser, OperationState &state,
                                            const AccessSyntax &syntax, MaskEncodingOf encoding) {
  OpAsmParser::UnresolvedOperand value;
  ParsedAccess access;
  Type memref, type;
  if (parser.parseOperand(value) || parser.parseComma() || parseAccess(parser, access, syntax) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.parseArrow() || parser.parseType(memref))
    return failure();
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return emitNoTile(parser, type);
  return failure(parser.resolveOperand(value, type, state.operands) ||
                 resolve(parser, access, syntax, memref, tile, encoding, {1, 1}, state));
}

ParseResult tessera::tile::parseAtomic(OpAsmParser &parser, OperationState &state,
                                       const AccessSyntax &syntax, bool takesScalars,
                                       MaskEncodingOf encoding) {
  OpAsmParser::UnresolvedOperand value, replacement;
  ParsedAccess access;
  Type memref, type;
  bool isReturning = false;
  if (parseAtomicWords(parser, state, isReturning))
    return failure();
  const bool isCas =
      cast<AtomicKindAttr>(state.attributes.get("kind")).getValue() == AtomicKind::Cas;
  if (parser.parseOperand(value) || parser.parseComma() ||
      (isCas && (parser.parseOperand(replacement) || parser.parseComma())) ||
      parseAccess(parser, access, syntax) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) || parser.parseArrow() || parser.parseType(memref))
    return failure();
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile && !(takesScalars && type.isIntOrIndexOrFloat()))
    return parser.emitError(parser.getNameLoc())
           << "expected a ranked tensor" << (takesScalars ? " or a number" : "") << ", got "
           << type;
  if (parser.resolveOperand(value, type, state.operands) ||
      (isCas && parser.resolveOperand(replacement, type, state.operands)) ||
      resolve(parser, access, syntax, memref, tile, encoding, {1, isCas, 1}, state))
    return failure();
  setNoIndexed(parser, state);
  if (isReturning)
    state.addTypes(type);
  return success();
}

void tessera::tile::setNoIndexed(OpAsmParser &parser, OperationState &state) {
  if (!state.attributes.get("indexed"))
    state.addAttribute("indexed", parser.getBuilder().getDenseI64ArrayAttr({}));
}
