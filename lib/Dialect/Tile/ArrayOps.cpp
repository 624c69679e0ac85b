// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays whose addresses come from memory: array_at, array_from.
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tessera::tile;

//===--- text --------------------------------------------------------------------------------===//

namespace {
/// What the text says about the shape of an array.
struct ParsedShape {
  SmallVector<OpAsmParser::UnresolvedOperand> sizes, strides;
};
} // namespace

/// `sizes [...] (strides [...])? (align = 16)? (alias = "x")?`
static ParseResult parseShape(OpAsmParser &parser, ParsedShape &shape, NamedAttrList &attrs) {
  Builder &b = parser.getBuilder();
  DenseI64ArrayAttr statics;
  if (parser.parseKeyword("sizes") || parseDynamicIndexList(parser, shape.sizes, statics))
    return failure();
  attrs.set("staticSizes", statics);
  if (succeeded(parser.parseOptionalKeyword("strides"))) {
    if (parseDynamicIndexList(parser, shape.strides, statics))
      return failure();
    attrs.set("staticStrides", statics);
  }
  if (succeeded(parser.parseOptionalKeyword("align"))) {
    int64_t align = 0;
    if (parser.parseEqual() || parser.parseInteger(align))
      return failure();
    attrs.set("align", b.getI64IntegerAttr(align));
  }
  if (succeeded(parser.parseOptionalKeyword("alias"))) {
    std::string alias;
    if (parser.parseEqual() || parser.parseString(&alias))
      return failure();
    attrs.set("alias", b.getStringAttr(alias));
  }
  return success();
}

template <typename Op>
static void printShape(OpAsmPrinter &p, Op op) {
  p << " sizes ";
  printDynamicIndexList(p, op, op.getSizes(), op.getStaticSizes());
  if (op.getStaticStrides()) {
    p << " strides ";
    printDynamicIndexList(p, op, op.getStrides(), *op.getStaticStrides());
  }
  if (op.getAlign())
    p << " align = " << static_cast<int64_t>(*op.getAlign());
  if (op.getAlias()) {
    p << " alias = ";
    p.printAttributeWithoutType(op.getAliasAttr());
  }
  p.printOptionalAttrDict(
      op->getAttrs(), {"staticSizes", "staticStrides", "align", "alias", "operandSegmentSizes"});
}

/// Operands `first` of type `from`, then those of the shape.
static ParseResult resolveArray(OpAsmParser &parser, OpAsmParser::UnresolvedOperand first,
                                ArrayRef<OpAsmParser::UnresolvedOperand> indices, bool hasIndices,
                                const ParsedShape &shape, OperationState &result) {
  Builder &b = parser.getBuilder();
  Type from, to, index = b.getIndexType();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(from) ||
      parser.parseArrow() || parser.parseType(to) ||
      parser.resolveOperand(first, from, result.operands) ||
      parser.resolveOperands(indices, index, result.operands) ||
      parser.resolveOperands(shape.sizes, index, result.operands) ||
      parser.resolveOperands(shape.strides, index, result.operands))
    return failure();
  SmallVector<int32_t> segments{1};
  if (hasIndices)
    segments.push_back(static_cast<int32_t>(indices.size()));
  segments.push_back(static_cast<int32_t>(shape.sizes.size()));
  segments.push_back(static_cast<int32_t>(shape.strides.size()));
  result.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  result.addTypes(to);
  return success();
}

ParseResult ArrayAtOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand table;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  ParsedShape shape;
  if (parser.parseOperand(table) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
      parseShape(parser, shape, result.attributes))
    return failure();
  return resolveArray(parser, table, indices, /*hasIndices=*/true, shape, result);
}

void ArrayAtOp::print(OpAsmPrinter &p) {
  p << ' ' << getTable() << '[' << getIndices() << ']';
  printShape(p, *this);
  p << " : " << getTable().getType() << " -> " << getResult().getType();
}

ParseResult ArrayFromOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand address;
  ParsedShape shape;
  if (parser.parseOperand(address) || parseShape(parser, shape, result.attributes))
    return failure();
  return resolveArray(parser, address, {}, /*hasIndices=*/false, shape, result);
}

void ArrayFromOp::print(OpAsmPrinter &p) {
  p << ' ' << getAddress();
  printShape(p, *this);
  p << " : " << getAddress().getType() << " -> " << getResult().getType();
}

//===--- shape -------------------------------------------------------------------------------===//

template <typename Op>
static SmallVector<OpFoldResult> stridesOf(Op op) {
  if (op.getStaticStrides())
    return getMixedValues(*op.getStaticStrides(), op.getStrides(), op.getContext());
  // Without gaps: the product of the sizes that follow.
  SmallVector<OpFoldResult> strides;
  auto [statics, offset] = op.getMemRefType().getStridesAndOffset();
  for (int64_t stride : statics)
    strides.push_back(ShapedType::isDynamic(stride)
                          ? OpFoldResult()
                          : OpFoldResult(Builder(op.getContext()).getIndexAttr(stride)));
  return strides;
}

SmallVector<OpFoldResult> ArrayAtOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}
SmallVector<OpFoldResult> ArrayAtOp::getMixedStrides() { return stridesOf(*this); }
SmallVector<OpFoldResult> ArrayFromOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}
SmallVector<OpFoldResult> ArrayFromOp::getMixedStrides() { return stridesOf(*this); }

//===--- constraints -------------------------------------------------------------------------===//

/// One entry for each dimension, the number where `known` has one and a value where it does not.
template <typename Op>
static LogicalResult verifyList(Op op, StringRef constraint, StringRef what, ArrayRef<int64_t> list,
                                ValueRange values, ArrayRef<int64_t> known) {
  if (list.size() != known.size())
    return op.emitOpError(constraint)
           << ": '" << what << "' has " << list.size() << " entries for the " << known.size()
           << " dimensions of " << op.getMemRefType();
  if (llvm::count(list, ShapedType::kDynamic) != static_cast<int64_t>(values.size()))
    return op.emitOpError(constraint) << ": '" << what << "' and its values do not match";
  for (auto [d, entry, number] : llvm::enumerate(list, known)) {
    if (entry == number)
      continue;
    InFlightDiagnostic error = op.emitOpError(constraint)
                               << ": entry " << d << " of '" << what << "' is ";
    if (ShapedType::isDynamic(entry))
      return error << "a value, but " << op.getMemRefType() << " has the number " << number
                   << " there: write the number, or '?' in the type";
    if (ShapedType::isDynamic(number))
      return error << "the number " << entry << ", but " << op.getMemRefType()
                   << " has '?' there: write the number in the type, too";
    return error << "the number " << entry << ", but " << op.getMemRefType() << " has " << number
                 << " there";
  }
  return success();
}

template <typename Op>
static LogicalResult verifyArray(Op op) {
  MemRefType type = op.getMemRefType();
  if (failed(verifyList(op, "array_at_c2", "sizes", op.getStaticSizes(), op.getSizes(),
                        type.getShape())))
    return failure();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  const bool identity = type.getLayout().isIdentity();
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return op.emitOpError("array_at_c3: the array begins at its address, so its layout is the "
                          "identity or strided with offset 0, got ")
           << type;
  if (!op.getStaticStrides()) {
    if (!identity)
      return op.emitOpError("array_at_c3: ")
             << type << " has strides: say them, as in 'strides [%ld, 1]'";
  } else {
    if (identity && type.getRank() > 0)
      return op.emitOpError("array_at_c3: 'strides' needs a result with a strided layout, got ")
             << type << ": leave out 'strides', or write strided<[...]> in the type";
    if (failed(verifyList(op, "array_at_c3", "strides", *op.getStaticStrides(), op.getStrides(),
                          strides)))
      return failure();
  }
  if (std::optional<int64_t> align = op.getAlign();
      align && (*align < 1 || *align > int64_t(1) << 30 || !llvm::isPowerOf2_64(*align)))
    return op.emitOpError("array_at_c4: align must be a power of two of at most 2^30, got ")
           << *align;
  if (op.getAlias() && op.getAlias()->empty())
    return op.emitOpError("array_at_c5: the name of an alias group is empty: leave out 'alias' if "
                          "the array may overlap all others");
  return success();
}

LogicalResult ArrayAtOp::verify() {
  auto table = cast<MemRefType>(getTable().getType());
  if (!table.getElementType().isSignlessInteger(64) || table.getMemorySpace())
    return emitOpError("array_at_c1: a table of addresses is a memref of i64 in the default memory "
                       "space, got ")
           << table;
  if (static_cast<int64_t>(getIndices().size()) != table.getRank())
    return emitOpError("array_at_c1: the table has ")
           << table.getRank() << " dimensions, got " << getIndices().size() << " indices";
  return verifyArray(*this);
}

LogicalResult ArrayFromOp::verify() { return verifyArray(*this); }
