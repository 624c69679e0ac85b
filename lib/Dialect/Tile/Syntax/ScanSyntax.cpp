// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The text of scans.
#include "tessera/Dialect/Tile/Syntax/ScanSyntax.h"

using namespace mlir;
using namespace tessera::tile;

ParseResult tessera::tile::parseScan(OpAsmParser &parser, OperationState &result, bool mayBeNamed) {
  Builder &b = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits, carries;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  const bool named = mayBeNamed && succeeded(parser.parseOptionalKeyword(&word));
  if (named) {
    std::optional<ReduceKind> kind = symbolizeReduceKind(word);
    if (!kind)
      return parser.emitError(loc)
             << "unknown combination '" << word
             << "' (addf mulf maximumf minimumf maxnumf minnumf addi muli maxsi minsi maxui minui "
                "andi ori xori, or the general form with a combiner)";
    result.addAttribute("kind", ReduceKindAttr::get(b.getContext(), *kind));
    if (parser.parseOperand(inputs.emplace_back()))
      return failure();
  } else if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren)) {
    return failure();
  }
  int64_t dim;
  if (parser.parseKeyword("dim") || parser.parseEqual() || parser.parseInteger(dim))
    return failure();
  result.addAttribute("dim", b.getI64IntegerAttr(dim));
  if (!named && (parser.parseKeyword("init") ||
                 parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren)))
    return failure();
  for (StringRef flag : {"exclusive", "reverse"})
    if (succeeded(parser.parseOptionalKeyword(flag)))
      result.addAttribute(flag, b.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("carry")) &&
      parser.parseOperandList(carries, OpAsmParser::Delimiter::Paren))
    return failure();
  // A combiner begins with a brace as a dictionary does: there the dictionary needs its keyword.
  if (named ? parser.parseOptionalAttrDict(result.attributes)
            : parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *combiner = result.addRegion();
  if (!named && parser.parseRegion(*combiner))
    return failure();
  SmallVector<Type> inputTypes, resultTypes, initTypes;
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(inputTypes) || parser.parseArrow() ||
      parser.parseTypeList(resultTypes))
    return failure();
  for (Type type : inputTypes) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(typeLoc) << "expected ranked tensors, got " << type;
    initTypes.push_back(tensor.getElementType());
  }
  if (named)
    initTypes.clear();
  if (resultTypes.size() != 2 * inputTypes.size())
    return parser.emitError(typeLoc)
           << "expected two result types for each input, those of the scanned tiles first and then "
              "those of the totals: "
           << 2 * inputTypes.size() << ", got " << resultTypes.size();
  auto count = [](auto &list) { return static_cast<int32_t>(list.size()); };
  result.addAttribute("operandSegmentSizes",
                      b.getDenseI32ArrayAttr({count(inputs), count(inits), count(carries)}));
  result.addTypes(resultTypes);
  ArrayRef<Type> totals = ArrayRef(resultTypes).drop_front(inputTypes.size());
  return failure(
      parser.resolveOperands(inputs, inputTypes, typeLoc, result.operands) ||
      parser.resolveOperands(inits, initTypes, typeLoc, result.operands) ||
      (!carries.empty() && parser.resolveOperands(carries, totals, typeLoc, result.operands)));
}
