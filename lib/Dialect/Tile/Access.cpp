// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/OpHints.h"
#include "tessera/Dialect/Tile/Params/Params.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tessera::tile;

SmallVector<int64_t> tessera::tile::trailingDims(unsigned memrefRank, unsigned tileRank) {
  SmallVector<int64_t> dims;
  for (unsigned d = 0; d < tileRank; ++d)
    dims.push_back(static_cast<int64_t>(memrefRank) - tileRank + d);
  return dims;
}

static bool writesMemory(OperationName op) {
  return llvm::is_contained({"store", "copy_out", "scatter", "atomic"}, op.stripDialect());
}

/// What a message about a constraint begins with. The ops that write have the constraints of
/// `tile.store`, all others those of `tile.load`.
static std::string constraintPrefix(OperationName op, unsigned number) {
  return ((writesMemory(op) ? "store_c" : "load_c") + Twine(number) + ": ").str();
}

static const StringRef kHintNames[] = {"stages", "cache", "require"};

ArrayRef<StringRef> tessera::tile::hintNames() { return kHintNames; }

ParseResult tessera::tile::parseClauses(OpAsmParser &parser, ArrayRef<StringRef> names,
                                        llvm::function_ref<ParseResult(StringRef)> parseClause,
                                        bool isLast) {
  SmallVector<StringRef> seen;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&word, names))) {
    if (llvm::is_contained(seen, word))
      return parser.emitError(loc) << "'" << word << "' is given twice";
    seen.push_back(word);
    if (parseClause(word))
      return failure();
    loc = parser.getCurrentLocation();
  }
  // What stands here otherwise is for others to read, but a word is for nobody.
  if (isLast && succeeded(parser.parseOptionalKeyword(&word)))
    return parser.emitError(loc) << "unknown clause '" << word << "'; expected "
                                 << llvm::join(names, ", ") << ", attributes in braces or ':'";
  return success();
}

static ParseResult parseIntList(OpAsmParser &parser, SmallVectorImpl<int64_t> &list) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                        [&]() { return parser.parseInteger(list.emplace_back()); });
}

/// `pad = word|literal|%tile`, after the word `pad`.
static ParseResult parsePad(OpAsmParser &parser, ParsedAccess &access, bool allowTile) {
  Attribute &pad = access.pad;
  StringRef word;
  if (parser.parseEqual())
    return failure();
  if (allowTile) {
    OptionalParseResult tile = parser.parseOptionalOperand(access.padTile);
    access.hasPadTile = tile.has_value();
    if (tile.has_value())
      return *tile;
  }
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&word)))
    return parser.parseAttribute(pad);
  // The literals of i1 are keywords too.
  if (word == "true" || word == "false")
    pad = parser.getBuilder().getBoolAttr(word == "true");
  else if (std::optional<Pad> known = symbolizePad(word))
    pad = PadAttr::get(parser.getContext(), *known);
  else
    return parser.emitError(loc) << "expected zero, neg_inf, pos_inf, nan, any or a typed "
                                    "literal after 'pad =', got '"
                                 << word << "'";
  return success();
}

/// `limit = [%end, _]`, after the word `limit`.
static ParseResult parseLimits(OpAsmParser &parser, ParsedAccess &access) {
  if (parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
    access.limited.push_back(failed(parser.parseOptionalKeyword("_")));
    return access.limited.back() ? parser.parseOperand(access.limits.emplace_back())
                                 : ParseResult(success());
  });
}

/// `mask = %m on [0]`, after the word `mask`.
static ParseResult parseMask(OpAsmParser &parser, ParsedAccess &access) {
  access.hasMask = true;
  if (parser.parseEqual())
    return failure();
  bool typed = succeeded(parser.parseOptionalLParen());
  if (parser.parseOperand(access.mask) ||
      (typed && (parser.parseColonType(access.maskType) || parser.parseRParen())))
    return failure();
  access.hasMaskDims = succeeded(parser.parseOptionalKeyword("on"));
  return access.hasMaskDims ? parseIntList(parser, access.maskDims) : ParseResult(success());
}

/// `[%i, %rows : tensor<8xi32>]`: scalars and, where the syntax has them, index tiles.
static ParseResult parseCoords(OpAsmParser &parser, ParsedAccess &access, bool allowIndices) {
  int64_t dim = 0;
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand coord;
    if (parser.parseOperand(coord))
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    Type type;
    if (succeeded(parser.parseOptionalColon())) {
      if (!allowIndices)
        return parser.emitError(loc)
               << "this op has no index tiles; tile.load, tile.store and tile.atomic do";
      if (parser.parseType(type))
        return failure();
      if (!type.isIndex() && !isa<RankedTensorType>(type))
        return parser.emitError(loc)
               << "a coordinate is an index or a tile of integers, got " << type;
    }
    if (type && !type.isIndex()) {
      access.indices.push_back(coord);
      access.indexTypes.push_back(type);
      access.indexed.push_back(dim);
    } else {
      access.coords.push_back(coord);
    }
    ++dim;
    return success();
  });
}

ParseResult tessera::tile::parseAccess(OpAsmParser &parser, ParsedAccess &access,
                                       const AccessSyntax &syntax) {
  if (parser.parseOperand(access.memref) || parseCoords(parser, access, syntax.indices))
    return failure();
  SmallVector<StringRef> names{"dims", "limit", "mask"};
  if (syntax.kind == AccessKind::Load)
    names.push_back("pad");
  if (syntax.strides)
    names.push_back("strides");
  if (syntax.extents)
    names.push_back("tile");
  if (syntax.hints)
    llvm::append_range(names, ArrayRef(kHintNames).drop_front(syntax.kind == AccessKind::Store));
  return parseClauses(
      parser, names,
      [&](StringRef name) -> ParseResult {
        if (name == "dims") {
          access.hasDims = true;
          return failure(parser.parseEqual() || parseIntList(parser, access.dims));
        }
        if (name == "tile")
          return parser.parseOperandList(access.extents, OpAsmParser::Delimiter::Paren);
        if (name == "limit")
          return parseLimits(parser, access);
        if (name == "mask")
          return parseMask(parser, access);
        if (name == "strides")
          return failure(parser.parseEqual() || parseIntList(parser, access.strides));
        return name == "pad" ? parsePad(parser, access, syntax.padTile)
                             : parseHint(parser, name, *syntax.hints);
      },
      /*isLast=*/syntax.hints != nullptr);
}

ParseResult tessera::tile::resolveAccess(OpAsmParser &parser, ParsedAccess &access, Type memrefType,
                                         ArrayRef<int64_t> shape, Type padType,
                                         OperationState &state, SmallVectorImpl<int32_t> &segments,
                                         MaskEncoding maskEncoding) {
  Builder &b = parser.getBuilder();
  Type index = b.getIndexType();
  auto memref = dyn_cast<MemRefType>(memrefType);
  if (!memref)
    return parser.emitError(parser.getNameLoc()) << "expected a memref, got " << memrefType;
  if (parser.resolveOperand(access.memref, memref, state.operands) ||
      parser.resolveOperands(access.coords, index, state.operands) ||
      parser.resolveOperands(access.limits, index, state.operands))
    return failure();
  unsigned rank = shape.size();
  if (access.limited.empty())
    access.limited.assign(rank, false);
  // An index tile of the tile's own shape says where each element is. The verifier compares shapes.
  const bool isFlat = memref.getRank() == 1 && access.indexTypes.size() == 1 && rank != 1;
  if (!access.hasDims && !isFlat) {
    if (rank > static_cast<unsigned>(memref.getRank()))
      return parser.emitError(parser.getNameLoc())
             << constraintPrefix(state.name, 2) << "the tile has rank " << rank
             << " but the memref has rank " << memref.getRank()
             << "; the tile of a load or store has at most as many dimensions as its memref: "
                "tile.broadcast adds dimensions, tensor.collapse_shape drops those of extent 1";
    access.dims = trailingDims(memref.getRank(), rank);
  }
  if (access.hasMask && !access.hasMaskDims)
    for (unsigned d = 0; d < rank; ++d)
      access.maskDims.push_back(d);
  if (access.hasMask) {
    SmallVector<int64_t> maskShape;
    for (int64_t d : access.maskDims) {
      if (d < 0 || d >= static_cast<int64_t>(rank))
        return parser.emitError(parser.getNameLoc())
               << constraintPrefix(state.name, 5) << "mask dimension " << d
               << " is not a dimension of the tile";
      maskShape.push_back(shape[d]);
    }
    RankedTensorType maskType = access.maskType;
    if (!maskType)
      maskType = RankedTensorType::get(maskShape, b.getI1Type(),
                                       maskEncoding ? maskEncoding(access.maskDims) : Attribute{});
    if (parser.resolveOperand(access.mask, maskType, state.operands))
      return failure();
  }
  if (parser.resolveOperands(access.indices, access.indexTypes, parser.getNameLoc(),
                             state.operands) ||
      (access.hasPadTile && parser.resolveOperand(access.padTile, padType, state.operands)) ||
      parser.resolveOperands(access.extents, index, state.operands))
    return failure();
  state.addAttribute("dims", b.getDenseI64ArrayAttr(access.dims));
  if (!access.indexed.empty())
    state.addAttribute("indexed", b.getDenseI64ArrayAttr(access.indexed));
  if (!access.strides.empty())
    state.addAttribute("strides", b.getDenseI64ArrayAttr(access.strides));
  state.addAttribute("limited", b.getDenseBoolArrayAttr(access.limited));
  state.addAttribute("maskDims", b.getDenseI64ArrayAttr(access.maskDims));
  if (access.pad)
    state.addAttribute("pad", access.pad);
  segments.assign({static_cast<int32_t>(access.coords.size()),
                   static_cast<int32_t>(access.limits.size()), access.hasMask ? 1 : 0,
                   static_cast<int32_t>(access.indices.size()), access.hasPadTile ? 1 : 0,
                   static_cast<int32_t>(access.extents.size())});
  return success();
}

SmallVector<int64_t> AccessParts::indexDims(unsigned number, unsigned tileRank) const {
  const auto *dim = llvm::find(dims, indexed[number]);
  if (dim != dims.end())
    return {static_cast<int64_t>(dim - dims.begin())};
  return llvm::to_vector(llvm::seq<int64_t>(0, tileRank));
}

std::optional<unsigned> AccessParts::indexOf(int64_t memrefDim) const {
  const auto *at = llvm::find(indexed, memrefDim);
  return at == indexed.end() ? std::nullopt
                             : std::optional<unsigned>(static_cast<unsigned>(at - indexed.begin()));
}

Value AccessParts::coordOf(int64_t memrefDim) const {
  if (indexOf(memrefDim))
    return {};
  return coords[memrefDim - llvm::count_if(indexed, [&](int64_t d) { return d < memrefDim; })];
}

static void printList(OpAsmPrinter &p, ArrayRef<int64_t> list) {
  p << '[';
  llvm::interleaveComma(list, p);
  p << ']';
}

void tessera::tile::printAccess(OpAsmPrinter &p, const AccessParts &parts, unsigned tileRank,
                                MaskEncoding maskEncoding) {
  const unsigned memrefRank = cast<MemRefType>(parts.memref.getType()).getRank();
  p << parts.memref << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, parts.coords.size() + parts.indices.size()), p,
                        [&](int64_t d) {
                          if (std::optional<unsigned> index = parts.indexOf(d))
                            p << parts.indices[*index] << " : " << parts.indices[*index].getType();
                          else
                            p << parts.coordOf(d);
                        });
  p << ']';
  if (!parts.extents.empty())
    p << " tile(" << parts.extents << ')';
  if (!parts.isFlat() && parts.dims != ArrayRef<int64_t>(trailingDims(memrefRank, tileRank))) {
    p << " dims = ";
    printList(p, parts.dims);
  }
  if (llvm::is_contained(parts.limited, true)) {
    p << " limit = [";
    unsigned next = 0;
    llvm::interleaveComma(parts.limited, p, [&](bool has) {
      if (has)
        p << parts.limits[next++];
      else
        p << '_';
    });
    p << ']';
  }
  if (parts.strides) {
    p << " strides = ";
    printList(p, *parts.strides);
  }
  if (parts.padTile) {
    p << " pad = " << parts.padTile;
  } else if (parts.pad) {
    p << " pad = ";
    if (auto word = dyn_cast<PadAttr>(parts.pad))
      p << stringifyPad(word.getValue());
    else
      p << parts.pad;
  }
  if (Value mask = parts.mask) {
    auto type = cast<RankedTensorType>(mask.getType());
    if (type.getEncoding() == (maskEncoding ? maskEncoding(parts.maskDims) : Attribute{}))
      p << " mask = " << mask;
    else
      p << " mask = (" << mask << " : " << type << ')';
    if (parts.maskDims.size() != tileRank) {
      p << " on ";
      printList(p, parts.maskDims);
    }
  }
}

//===--- hints -----------------------------------------------------------------------------===//

ParseResult tessera::tile::parseHint(OpAsmParser &parser, StringRef name, NamedAttrList &attrs) {
  Builder &b = parser.getBuilder();
  Attribute value;
  if (parser.parseEqual())
    return failure();
  if (name == "stages") {
    int64_t stages;
    if (parser.parseInteger(stages))
      return failure();
    value = b.getI64IntegerAttr(stages);
  } else if (name == "cache") {
    FailureOr<Cache> cache = FieldParser<Cache>::parse(parser);
    if (failed(cache))
      return failure();
    value = CacheAttr::get(b.getContext(), *cache);
  } else {
    SmallVector<Requirement> demands;
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
          FailureOr<Requirement> demand = FieldParser<Requirement>::parse(parser);
          if (failed(demand))
            return failure();
          demands.push_back(*demand);
          return success();
        }))
      return failure();
    value = RequireAttr::get(b.getContext(), demands);
  }
  attrs.append(name, value);
  return success();
}

void tessera::tile::printHints(OpAsmPrinter &p, Operation *op) {
  if (auto stages = op->getAttrOfType<IntegerAttr>("stages"))
    p << " stages = " << stages.getInt();
  if (auto cache = op->getAttrOfType<CacheAttr>("cache"))
    p << " cache = " << stringifyCache(cache.getValue());
  if (auto require = op->getAttrOfType<RequireAttr>("require")) {
    p << " require = [";
    llvm::interleaveComma(require.getValues(), p,
                          [&](Requirement r) { p << stringifyRequirement(r); });
    p << ']';
  }
}

//===--- rules -----------------------------------------------------------------------------===//

/// Begins an error about a constraint that loads and stores share: `load_c3: `, `store_c3: `.
static InFlightDiagnostic emitConstraint(Operation *op, unsigned number) {
  return op->emitOpError(constraintPrefix(op->getName(), number));
}

/// What to write where the element types of memref and tile differ.
static std::string describeConversion(OperationName access, Type memory, Type tile) {
  const bool writes = writesMemory(access);
  const StringRef op = writes ? conversionOp(tile, memory) : conversionOp(memory, tile);
  return ("; convert with " + (op.empty() ? "arith" : op) +
          (!writes                             ? " after the load"
           : access.stripDialect() == "atomic" ? " before the atomic"
                                               : " before the store"))
      .str();
}

/// How to give a place for each element of a tile in a memref of rank 2 or more.
static std::string placeOfEach(MemRefType memref) {
  if (!memref.getLayout().isIdentity())
    return "; for a place of each element view the memref as one of rank 1 with "
           "memref.reinterpret_cast, and compute the sum of coordinate * stride";
  std::string text =
      "; for a place of each element make the memref flat, and compute row * columns "
      "+ column: memref.collapse_shape %m [[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(llvm::seq<int64_t>(memref.getRank()), stream);
  const int64_t size = memref.hasStaticShape() ? memref.getNumElements() : ShapedType::kDynamic;
  stream << "]] : " << memref << " into " << MemRefType::get({size}, memref.getElementType());
  return text;
}

/// Constraint 8: the types of index tiles; and 9.
static LogicalResult verifyIndices(Operation *op, MemRefType memref, const AccessParts &parts,
                                   ArrayRef<int64_t> shape) {
  for (auto [i, dim] : llvm::enumerate(parts.indexed))
    if (dim < 0 || dim >= memref.getRank() || (i && parts.indexed[i - 1] >= dim))
      return emitConstraint(op, 8) << "'indexed' must list memref dimensions in ascending order";
  for (auto [index, dim] : llvm::zip_equal(parts.indices, parts.indexed)) {
    auto type = cast<RankedTensorType>(index.getType());
    if (!type.getElementType().isIntOrIndex() || type.getElementType().isInteger(1))
      return emitConstraint(op, 8) << "an index tile holds integers, got " << type;
    if (parts.isFlat()) {
      if (memref.getRank() != 1)
        return emitConstraint(op, 8) << "a place for each element is for memrefs of rank 1; got "
                                     << memref << " without tile dimensions in 'dims'";
      if (!shapesAgree(type.getShape(), shape))
        return emitConstraint(op, 8)
               << "the index tile of a memref of rank 1 has the shape of the tile, "
               << RankedTensorType::get(shape, type.getElementType()) << "; got " << type;
      if (!parts.limits.empty())
        return emitConstraint(op, 8) << "a place for each element has no limits; use a mask";
      continue;
    }
    const auto *at = llvm::find(parts.dims, dim);
    if (at == parts.dims.end())
      return emitConstraint(op, 8)
             << "the index tile for dimension " << dim
             << " needs a tile dimension, but 'dims' does not name that dimension";
    const int64_t extent = shape[at - parts.dims.begin()];
    if (!shapesAgree(type.getShape(), extent))
      return emitConstraint(op, 8)
             << "the index tile for dimension " << dim << " must have rank 1 and extent " << extent
             << ", as the tile dimension that 'dims' gives to it; got " << type
             << (memref.getRank() == 1 || type.getRank() == 1 ? "" : placeOfEach(memref));
  }
  if (!parts.strides)
    return success();
  if (parts.strides->size() != shape.size())
    return emitConstraint(op, 9) << "'strides' needs one entry for each of the " << shape.size()
                                 << " tile dimensions, got " << parts.strides->size();
  for (auto [d, stride] : llvm::enumerate(*parts.strides)) {
    if (stride < 1)
      return emitConstraint(op, 9) << "an element step must be positive, got " << stride;
    if (stride != 1 && (parts.isFlat() || parts.indexOf(parts.dims[d])))
      return emitConstraint(op, 9)
             << "dimension " << d << " has both an index tile and the element step " << stride
             << "; multiply the indices instead";
  }
  return success();
}

LogicalResult tessera::tile::verifyStrideOfStores(Operation *op, MemRefType memref) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return success();
  for (auto [d, stride] : llvm::enumerate(strides))
    if (stride == 0 && memref.getDimSize(d) != 1)
      return op->emitOpError("store_c6: ") << "dimension " << d << " of " << memref
                                           << " has stride 0: it may be loaded, not stored";
  return success();
}

LogicalResult tessera::tile::verifyAccess(Operation *op, const AccessParts &parts,
                                          ArrayRef<int64_t> shape, Type elementType) {
  auto memref = cast<MemRefType>(parts.memref.getType());
  const ArrayRef<int64_t> dims = parts.dims, maskDims = parts.maskDims;
  const ArrayRef<bool> limited = parts.limited;
  const ValueRange limits = parts.limits;
  const Value mask = parts.mask;
  const int64_t given = static_cast<int64_t>(parts.coords.size() + parts.indices.size());
  int64_t rank = memref.getRank(), tileRank = shape.size();
  if (given != rank)
    return emitConstraint(op, 1)
           << "needs one coordinate for each of the " << rank << " dimensions of " << memref
           << ", got " << given
           << "; where the tile begins at 0 write a value of arith.constant 0 : index";
  if (parts.indices.size() != parts.indexed.size())
    return emitConstraint(op, 8) << "'indexed' needs one entry for each of the "
                                 << parts.indices.size() << " index tiles, got "
                                 << parts.indexed.size();
  if (!parts.isFlat() && static_cast<int64_t>(dims.size()) != tileRank)
    return emitConstraint(op, 2) << "'dims' needs one entry for each of the " << tileRank
                                 << " tile dimensions, got " << dims.size();
  llvm::SmallBitVector seen(rank);
  for (int64_t d : dims) {
    if (d < 0 || d >= rank)
      return emitConstraint(op, 2)
             << "'dims' names dimension " << d << " but the memref has rank " << rank;
    if (seen[d])
      return emitConstraint(op, 2) << "'dims' names dimension " << d << " twice";
    seen.set(d);
  }
  if (memref.getElementType() != elementType)
    return emitConstraint(op, 3) << "the memref holds " << memref.getElementType()
                                 << " but the tile " << elementType
                                 << describeConversion(op->getName(), memref.getElementType(),
                                                       elementType);
  if (static_cast<int64_t>(limited.size()) != tileRank)
    return emitConstraint(op, 4) << "'limit' needs one entry for each of the " << tileRank
                                 << " tile dimensions ('_' for none), got " << limited.size();
  if (llvm::count(limited, true) != static_cast<int64_t>(limits.size()))
    return emitConstraint(op, 4) << "'limited' marks " << llvm::count(limited, true)
                                 << " dimensions but " << limits.size() << " limits are given";
  if (failed(verifyIndices(op, memref, parts, shape)))
    return failure();
  if (!mask && !maskDims.empty())
    return emitConstraint(op, 5) << "without a mask, 'maskDims' must be empty";
  if (!mask)
    return success();
  SmallVector<int64_t> maskShape;
  for (auto [i, d] : llvm::enumerate(maskDims)) {
    if (d < 0 || d >= tileRank || (i && maskDims[i - 1] >= d))
      return emitConstraint(op, 5) << "'on' must list tile dimensions in ascending order";
    maskShape.push_back(shape[d]);
  }
  auto maskType = cast<RankedTensorType>(mask.getType());
  if (!maskType.getElementType().isInteger(1) || !shapesAgree(maskType.getShape(), maskShape))
    return emitConstraint(op, 5) << "the mask must be "
                                 << RankedTensorType::get(maskShape,
                                                          IntegerType::get(op->getContext(), 1))
                                 << ", got " << maskType;
  return success();
}

LogicalResult tessera::tile::verifyLookahead(Operation *op, std::optional<uint64_t> stages) {
  if (stages && static_cast<int64_t>(*stages) < 1)
    return op->emitOpError("load_c7: stages must be at least 1, got ")
           << static_cast<int64_t>(*stages);
  return success();
}

LogicalResult tessera::tile::verifyPad(Operation *op, Attribute pad, Type elementType) {
  if (!pad)
    return success();
  if (auto word = dyn_cast<PadAttr>(pad)) {
    if (llvm::is_contained({Pad::NegInf, Pad::PosInf, Pad::Nan}, word.getValue()) &&
        !isa<FloatType>(elementType))
      return op->emitOpError("load_c6: ")
             << "pad = " << stringifyPad(word.getValue()) << " needs a float tile, got "
             << elementType << "; use a typed literal";
    if (llvm::is_contained({Pad::NegInf, Pad::PosInf}, word.getValue()) &&
        isa<Float8E4M3FNType>(elementType))
      return op->emitOpError("load_c6: ")
             << "pad = " << stringifyPad(word.getValue())
             << " needs a type that has infinities, and f8E4M3FN has none; its largest numbers are "
                "-448.0 and 448.0 : f8E4M3FN";
    return success();
  }
  auto literal = dyn_cast<TypedAttr>(pad);
  if (!literal || !isa<FloatAttr, IntegerAttr>(pad) || literal.getType() != elementType)
    return op->emitOpError("load_c6: ")
           << "the pad literal " << pad << " must be a number of type " << elementType;
  return success();
}

bool tessera::tile::padIsAny(Attribute pad) {
  auto word = dyn_cast_or_null<PadAttr>(pad);
  return word && word.getValue() == Pad::Any;
}

TypedAttr tessera::tile::padValue(Attribute pad, Type elementType) {
  Builder b(elementType.getContext());
  auto word = dyn_cast_or_null<PadAttr>(pad);
  if (pad && !word)
    return cast<TypedAttr>(pad);
  auto floatType = dyn_cast<FloatType>(elementType);
  if (word && floatType) {
    const llvm::fltSemantics &sem = floatType.getFloatSemantics();
    if (word.getValue() == Pad::NegInf || word.getValue() == Pad::PosInf)
      return FloatAttr::get(floatType, APFloat::getInf(sem, word.getValue() == Pad::NegInf));
    if (word.getValue() == Pad::Nan)
      return FloatAttr::get(floatType, APFloat::getQNaN(sem));
  }
  return cast<TypedAttr>(b.getZeroAttr(elementType));
}

Value tessera::tile::limitOf(ValueRange limits, ArrayRef<bool> limited, unsigned dim) {
  if (dim >= limited.size() || !limited[dim])
    return {};
  return limits[llvm::count(limited.take_front(dim), true)];
}
