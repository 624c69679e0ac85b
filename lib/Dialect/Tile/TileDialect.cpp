// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::tile;

#include "tessera/Dialect/Tile/TileDialect.cpp.inc"
#include "tessera/Dialect/Tile/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tessera/Dialect/Tile/TileAttrs.cpp.inc"

namespace {
/// Constants made while folding stay inside their grid: tiles may not cross its border.
struct TileFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final {
    return isa<GridOp>(region->getParentOp());
  }
};
/// Tile ops may be inlined wherever they come from: helper functions over tiles.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TileDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tessera/Dialect/Tile/TileOps.cpp.inc"
      >();
  addInterfaces<TileFoldInterface, TileInlinerInterface>();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/Dialect/Tile/TileAttrs.cpp.inc"
      >();
}

/// `<group = 8>`, or `<slowest = 2, reverse, section = 8, dynamic>`: entries in any order, each
/// once.
Attribute OrderAttr::parse(AsmParser &parser, Type) {
  int64_t group = 0, slowest = -1, section = 0, shared = 0;
  bool reverse = false, dynamic = false;
  llvm::StringMap<int64_t *> numbers = {
      {"group", &group}, {"slowest", &slowest}, {"section", &section}, {"shared", &shared}};
  llvm::StringMap<bool *> words = {{"reverse", &reverse}, {"dynamic", &dynamic}};
  SMLoc loc = parser.getCurrentLocation();
  auto parseEntry = [&]() -> ParseResult {
    StringRef name;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    if (auto word = words.find(name); word != words.end()) {
      *word->second = true;
      words.erase(word);
      return success();
    }
    auto number = numbers.find(name);
    if (number == numbers.end())
      return parser.emitError(at) << "an order has group, or slowest, reverse, section, shared and "
                                     "dynamic, each once; got '"
                                  << name << "'";
    int64_t *into = number->second;
    numbers.erase(number);
    return failure(parser.parseEqual() || parser.parseInteger(*into));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseEntry))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), group, slowest,
                    reverse, section, shared, dynamic);
}

void OrderAttr::print(AsmPrinter &p) const {
  p << '<';
  if (hasSlowest())
    p << "slowest = " << getSlowest();
  else
    p << "group = " << getGroup();
  if (getReverse())
    p << ", reverse";
  if (getSection())
    p << ", section = " << getSection();
  if (getShared())
    p << ", shared = " << getShared();
  if (getDynamic())
    p << ", dynamic";
  p << '>';
}

LogicalResult OrderAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t group,
                                int64_t slowest, bool reverse, int64_t section, int64_t shared,
                                bool dynamic) {
  if (group < 0 || group > kMaxGroup)
    return emitError() << "the group of a grid's order is 0 to " << kMaxGroup << " rows, got "
                       << group;
  if (slowest < -1)
    return emitError() << "the slowest dimension of a grid's order is a dimension of the grid, got "
                       << slowest;
  if (section < 0 || shared < 0)
    return emitError()
           << "the section of a grid's order is a number of output tiles, and what they "
              "share a number of bytes; neither is negative, got "
           << section << " and " << shared;
  if (group > 0 && slowest >= 0)
    return emitError() << "an order has rasterisation groups or a slowest dimension, not both";
  if (slowest < 0 && (reverse || section || shared))
    return emitError() << "'reverse', 'section' and 'shared' are about the slowest dimension of an "
                          "order, and this one has none: say slowest = <dimension>";
  if (section && shared)
    return emitError() << "an order has a section of so many output tiles, or of what shares so "
                          "many bytes, not both";
  return success();
}

std::optional<int64_t> tessera::tile::integerOf(Attribute attr) {
  auto number = dyn_cast_or_null<IntegerAttr>(attr);
  if (!number || number.getType().isInteger(1) ||
      !(number.getType().isIndex() || number.getType().isSignlessInteger()) ||
      number.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return number.getValue().getSExtValue();
}

//===--- Argument facts (constraint 3 of tile.kernel) ----------------------------------------===//

static LogicalResult verifyPositiveList(Operation *op, NamedAttribute fact, unsigned arg,
                                        MemRefType type) {
  auto list = dyn_cast<DenseI64ArrayAttr>(fact.getValue());
  if (!list || static_cast<int64_t>(list.size()) != type.getRank() ||
      llvm::any_of(list.asArrayRef(), [](int64_t v) { return v < 1; }))
    return op->emitOpError("kernel_c3: ")
           << fact.getName() << " of argument " << arg << " must be array<i64: ...> with "
           << type.getRank() << " positive numbers, one for each dimension of " << type;
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned arg,
                                                    NamedAttribute fact) {
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel)
    return op->emitOpError() << "argument fact " << fact.getName() << " belongs on a tile.kernel";
  Type type = kernel.getArgumentTypes()[arg];
  auto memref = dyn_cast<MemRefType>(type);
  StringRef name = fact.getName().getValue();
  auto needMemref = [&]() -> LogicalResult {
    if (!memref)
      return op->emitOpError("kernel_c3: ")
             << fact.getName() << " of argument " << arg << " needs a memref, got " << type;
    return success();
  };
  if (name == kName) {
    auto text = dyn_cast<StringAttr>(fact.getValue());
    return text && !text.getValue().empty()
               ? success()
               : op->emitOpError("kernel_c3: tile.name of argument ")
                     << arg << " must be a string with at least one character";
  }
  if (name == kShape) {
    if (failed(needMemref()))
      return failure();
    auto list = dyn_cast<ArrayAttr>(fact.getValue());
    if (!list || static_cast<int64_t>(list.size()) != memref.getRank())
      return op->emitOpError("kernel_c3: tile.shape of argument ")
             << arg << " must be an array with " << memref.getRank()
             << " entries, one for each dimension of " << memref;
    for (auto [d, entry] : llvm::enumerate(list)) {
      if (isa<StringAttr, UnitAttr>(entry))
        continue;
      std::optional<int64_t> number = integerOf(entry);
      if (!number || *number < 0)
        return op->emitOpError("kernel_c3: tile.shape of argument ")
               << arg << ", dimension " << d << ": expected a name, a size, or unit, got " << entry;
      if (!memref.isDynamicDim(d) && memref.getDimSize(d) != *number)
        return op->emitOpError("kernel_c3: tile.shape of argument ")
               << arg << ", dimension " << d << " says " << *number << " but the type is "
               << memref;
    }
    return success();
  }
  if (name == kAlign) {
    if (failed(needMemref()))
      return failure();
    std::optional<int64_t> number = integerOf(fact.getValue());
    if (!number || *number < 1 || *number > kMaxAlign || !llvm::isPowerOf2_64(*number))
      return op->emitOpError("kernel_c3: tile.align of argument ")
             << arg << " must be a power of two (bytes), at most " << kMaxAlign << ", got "
             << fact.getValue();
    return success();
  }
  if (name == kSizeDivisible || name == kStrideDivisible || name == kSizeMax)
    return failed(needMemref()) ? failure() : verifyPositiveList(op, fact, arg, memref);
  if (name == kAlias) {
    if (failed(needMemref()))
      return failure();
    if (!isa<StringAttr>(fact.getValue()))
      return op->emitOpError("kernel_c3: tile.alias of argument ") << arg << " must be a string";
    return success();
  }
  if (name == kDivisible) {
    std::optional<int64_t> number = integerOf(fact.getValue());
    if (memref || !type.isIntOrIndex() || !number || *number < 1)
      return op->emitOpError("kernel_c3: tile.divisible of argument ")
             << arg << " must be a positive number on an integer scalar";
    return success();
  }
  return op->emitOpError("kernel_c3: unknown argument fact ")
         << fact.getName()
         << " (known: tile.shape, tile.align, tile.size_divisible, tile.stride_divisible, "
            "tile.size_max, tile.alias, tile.divisible, tile.name)";
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
