// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tessera::tile;

//===--- scan --------------------------------------------------------------------------------===//

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<ReduceKind> kind = symbolizeReduceKind(word);
  if (!kind)
    return parser.emitError(loc)
           << "unknown combination '" << word
           << "' (addf mulf maximumf minimumf maxnumf minnumf addi muli maxsi "
              "minsi maxui minui andi ori xori)";
  result.addAttribute("kind", ReduceKindAttr::get(b.getContext(), *kind));
  OpAsmParser::UnresolvedOperand input, carry;
  int64_t dim;
  if (parser.parseOperand(input) || parser.parseKeyword("dim") || parser.parseEqual() ||
      parser.parseInteger(dim))
    return failure();
  result.addAttribute("dim", b.getI64IntegerAttr(dim));
  for (StringRef flag : {"exclusive", "reverse"})
    if (succeeded(parser.parseOptionalKeyword(flag)))
      result.addAttribute(flag, b.getUnitAttr());
  const bool hasCarry = succeeded(parser.parseOptionalKeyword("carry"));
  if (hasCarry && (parser.parseLParen() || parser.parseOperand(carry) || parser.parseRParen()))
    return failure();
  Type type, scanned, total;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.parseArrow() || parser.parseType(scanned) || parser.parseComma() ||
      parser.parseType(total) || parser.resolveOperand(input, type, result.operands) ||
      (hasCarry && parser.resolveOperand(carry, total, result.operands)))
    return failure();
  result.addTypes({scanned, total});
  return success();
}

void ScanOp::print(OpAsmPrinter &p) {
  p << ' ' << stringifyReduceKind(getKind()) << ' ' << getInput() << " dim = " << getDim();
  if (getExclusive())
    p << " exclusive";
  if (getReverse())
    p << " reverse";
  if (getCarry())
    p << " carry(" << getCarry() << ')';
  p.printOptionalAttrDict((*this)->getAttrs(), {"kind", "dim", "exclusive", "reverse"});
  p << " : " << getInput().getType() << " -> " << getResult().getType() << ", "
    << getTotal().getType();
}

LogicalResult ScanOp::verify() {
  RankedTensorType input = getInputType();
  const auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= input.getRank())
    return emitOpError("scan_c1: dim = ") << dim << " is not a dimension of " << input;
  if (!ReduceOp::combines(getKind(), input.getElementType()) ||
      !input.getElementType().isIntOrIndexOrFloat())
    return emitOpError("scan_c2: ")
           << stringifyReduceKind(getKind()) << " does not combine elements of type "
           << input.getElementType();
  if (getResult().getType() != input)
    return emitOpError("scan_c3: the first result must be ")
           << input << ", got " << getResult().getType();
  RankedTensorType total = ReduceOp::reducedType(input, dim);
  if (getTotal().getType() != total)
    return emitOpError("scan_c3: the second result must be ")
           << total << ", got " << getTotal().getType();
  if (getCarry() && getCarry().getType() != total)
    return emitOpError("scan_c3: the carry must be ") << total << ", got " << getCarry().getType();
  return success();
}
