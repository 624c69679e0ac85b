// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

#define GET_TYPEDEF_CLASSES
#include "tessera/Dialect/Cta/IR/CtaTypes.cpp.inc"

void CtaDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/Dialect/Cta/IR/CtaTypes.cpp.inc"
      >();
}

RankedTensorType SmemType::tensorType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

SmemType SmemType::withSwizzle(SwizzleAttr swizzle) const {
  return get(getContext(), getShape(), getElementType(), swizzle);
}

LogicalResult SmemType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType, SwizzleAttr swizzle) {
  if (shape.size() > layout::kMaxRank || llvm::any_of(shape, [](int64_t e) { return e < 1; }))
    return emitError() << "a shared tile has rank 0 to " << layout::kMaxRank
                       << " and static extents of 1 or more";
  if (!tile::isTileElementType(elementType))
    return emitError() << "a shared tile holds " << tile::tileElementTypesText() << ", got "
                       << elementType;
  if (!swizzle.isUnknown() && !swizzle.isLinear() &&
      (swizzle.getDim() >= static_cast<int64_t>(shape.size()) || shape.size() < 2))
    return emitError()
           << "a swizzled tile has rank 2 or more and a contiguous dimension below its rank";
  return success();
}

Type SmemType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  SwizzleAttr swizzle;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() || parser.parseAttribute(swizzle) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType,
                    swizzle);
}

void SmemType::print(AsmPrinter &p) const {
  p << '<';
  for (int64_t extent : getShape())
    p << extent << 'x';
  p << getElementType() << ", " << getSwizzle() << '>';
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t depth,
                                  ArrayRef<Type> payload) {
  if (depth < 0)
    return emitError() << "a channel has one slot or more, or '?' while that is open";
  if (payload.empty())
    return emitError() << "a channel carries at least one value";
  for (Type type : payload)
    if (!isa<SmemType>(type) && !type.isIntOrIndexOrFloat())
      return emitError() << "a channel carries shared tiles and scalars, got " << type;
  return success();
}

Type ChannelType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t depth = 0;
  SmallVector<Type> payload;
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalQuestion())) {
    if (parser.parseInteger(depth))
      return {};
    if (depth < 1) {
      parser.emitError(loc, "a channel has one slot or more, or '?' while that is open");
      return {};
    }
  }
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(payload.emplace_back()))
      return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), depth, payload);
}

void ChannelType::print(AsmPrinter &p) const {
  p << '<';
  if (isOpen())
    p << '?';
  else
    p << getDepth();
  for (Type type : getPayload())
    p << ", " << type;
  p << '>';
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t depth,
                               SmemType) {
  if (depth < 1)
    return emitError() << "a ring has one tile or more";
  return success();
}

Type tessera::cta::erasedType(Type type) {
  if (auto async = dyn_cast<AsyncType>(type))
    type = async.getTensor();
  if (auto smem = dyn_cast<SmemType>(type))
    return smem.tensorType();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
  return type;
}

ArrayRef<int64_t> tessera::cta::tileShape(Type type) {
  if (auto smem = dyn_cast<SmemType>(type))
    return smem.getShape();
  return cast<RankedTensorType>(type).getShape();
}

Type tessera::cta::tileElementType(Type type) {
  if (auto smem = dyn_cast<SmemType>(type))
    return smem.getElementType();
  return cast<RankedTensorType>(type).getElementType();
}
