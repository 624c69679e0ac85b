// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/SymbolNames.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tessera::tile;

//===--- kernel ------------------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                     ArrayRef<NamedAttribute> attrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  Block *body = new Block();
  state.addRegion()->push_back(body);
  body->addArguments(type.getInputs(), SmallVector<Location>(type.getNumInputs(), state.location));
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  // The names of arguments are what users know them by: kept as facts, because the printer invents
  // others.
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool variadic = false;
  Builder &b = parser.getBuilder();
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, variadic, resultTypes, resultAttrs))
    return failure();
  if (!resultTypes.empty())
    return parser.emitError(parser.getNameLoc())
           << "kernel_c1: a kernel has no results; store them to a memref argument";
  SmallVector<Type> types;
  for (OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
    if (argument.ssaName.name.empty())
      return parser.emitError(parser.getNameLoc())
             << "kernel_c1: every argument needs a name, as in %x: " << argument.type;
    StringRef spelled = argument.ssaName.name.drop_front();
    NamedAttrList attrs(argument.attrs);
    unsigned ignored;
    if (!attrs.get(TileDialect::kName) && !spelled.empty() && spelled.getAsInteger(10, ignored))
      attrs.set(TileDialect::kName, b.getStringAttr(spelled));
    argument.attrs = attrs.getDictionary(b.getContext());
  }
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(b.getFunctionType(types, {})));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  call_interface_impl::addArgAndResultAttrs(b, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  Region *body = result.addRegion();
  return parser.parseRegion(*body, arguments, /*enableNameShadowing=*/false);
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  if (auto visibility = getSymVisibilityAttr())
    p << visibility.getValue() << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  Block &entry = getBody().front();
  llvm::interleaveComma(entry.getArguments(), p, [&](BlockArgument arg) {
    // A tile.name that is the printed name already would be noise.
    DictionaryAttr attrs = getArgAttrDict(arg.getArgNumber());
    p.printRegionArgument(arg, {}, /*omitType=*/false);
    SmallVector<StringRef> hidden;
    if (attrs)
      if (auto name = attrs.getAs<StringAttr>(TileDialect::kName))
        if (shownName(arg.getArgNumber()) == name.getValue())
          hidden.push_back(TileDialect::kName);
    if (attrs)
      p.printOptionalAttrDict(attrs.getValue(), hidden);
  });
  p << ')';
  SmallVector<StringRef> hidden{getSymNameAttrName(), getFunctionTypeAttrName(),
                                getArgAttrsAttrName(), getResAttrsAttrName(),
                                getSymVisibilityAttrName()};
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), hidden);
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
}

/// The name that getAsmBlockArgumentNames proposes; empty when another argument has the same
/// tile.name.
std::string KernelOp::shownName(unsigned index) {
  auto name = getArgAttrOfType<StringAttr>(index, TileDialect::kName);
  if (!name || name.getValue().empty() ||
      !llvm::all_of(name.getValue(),
                    [](char c) {
                      return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
                    }) ||
      llvm::isDigit(name.getValue().front()))
    return {};
  for (unsigned i = 0; i < getNumArguments(); ++i)
    if (i != index && getArgAttrOfType<StringAttr>(i, TileDialect::kName) == name)
      return {};
  return name.str();
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (BlockArgument arg : region.front().getArguments()) {
    if (arg.getArgNumber() >= getNumArguments())
      return;
    std::string name = shownName(arg.getArgNumber());
    if (!name.empty())
      setName(arg, name);
  }
}

std::string KernelOp::getArgName(unsigned index) {
  if (auto name = getArgAttrOfType<StringAttr>(index, TileDialect::kName))
    return name.str();
  return ("arg" + Twine(index)).str();
}

std::optional<std::pair<unsigned, unsigned>> KernelOp::lookupDim(StringRef name) {
  for (unsigned arg = 0, e = getNumArguments(); arg < e; ++arg)
    if (auto shape = getArgAttrOfType<ArrayAttr>(arg, TileDialect::kShape))
      for (auto [d, entry] : llvm::enumerate(shape))
        if (auto entryName = dyn_cast<StringAttr>(entry); entryName && entryName.getValue() == name)
          return std::make_pair(arg, static_cast<unsigned>(d));
  return std::nullopt;
}

LogicalResult KernelOp::verify() {
  for (StringRef name : {getSymName(), getVariantOf().value_or(getSymName())})
    if (std::string why = whyNoKernelName(name); !why.empty())
      return emitOpError("kernel_c5: ") << why;
  if (getFunctionType().getNumResults())
    return emitOpError("kernel_c1: a kernel has no results; store them to a memref argument");
  if (getBody().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError("kernel_c1: the body must be one block that ends with tile.return; write it "
                       "as the last line before the closing brace");
  if (failed(verifyParams(*this)))
    return failure();
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      if (isFloat8(type))
        return emitOpError("kernel_c2: argument ")
               << i << " is a scalar of " << type
               << ", which launchers do not pass; take an f32 and convert it by arith.truncf";
      if (isTileElementType(type))
        continue;
      return emitOpError("kernel_c2: argument ")
             << i << " has type " << type << "; a kernel takes memrefs and scalars of "
             << tileElementTypesText();
    }
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!isMemoryElementType(memref.getElementType()))
      return emitOpError("kernel_c2: argument ")
             << i << ": a memref of " << memref.getElementType()
             << " is not supported; the element types are " << tileElementTypesText();
    if (memref.getRank() > 5)
      return emitOpError("kernel_c2: argument ")
             << i << " has rank " << memref.getRank() << "; at most 5 is supported";
    if (memref.getMemorySpace())
      return emitOpError("kernel_c2: argument ")
             << i << " has memory space " << memref.getMemorySpace()
             << "; only the default one (global memory) is supported";
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return emitOpError("kernel_c2: argument ")
             << i << " has layout " << memref.getLayout()
             << "; only identity and strided layouts are supported";
  }
  if (std::optional<uint64_t> count = getWarpgroups(); count && (*count < 1 || *count > 8))
    return emitOpError("warpgroups must be 1 to 8, got ") << *count;
  if (auto guards = getGuards())
    for (auto guard : guards->getAsRange<GuardAttr>()) {
      if (guard.getArg() < 0 || guard.getArg() >= static_cast<int64_t>(getNumArguments()))
        return emitOpError("kernel_c4: guard ")
               << guard << " names an argument that does not exist";
      auto memref = dyn_cast<MemRefType>(getArgumentTypes()[guard.getArg()]);
      bool needsDim =
          guard.getFact() != FactKind::Align && guard.getFact() != FactKind::ScalarDivisible;
      if (needsDim && (!memref || guard.getDim() < 0 || guard.getDim() >= memref.getRank()))
        return emitOpError("kernel_c4: guard ")
               << guard << " names a dimension that does not exist";
      if (guard.getFact() == FactKind::Align && !memref)
        return emitOpError("kernel_c4: guard ") << guard << " needs a memref";
    }
  return success();
}

//===--- grid --------------------------------------------------------------------------------===//

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> coords;
  if (parser.parseArgumentList(coords, OpAsmParser::Delimiter::Paren))
    return failure();
  SmallVector<int32_t> segments;
  SmallVector<OpAsmParser::UnresolvedOperand> bounds;
  auto parseBounds = [&](StringRef attribute) -> ParseResult {
    DenseI64ArrayAttr statics;
    DenseBoolArrayAttr scalable;
    SmallVector<OpAsmParser::UnresolvedOperand> dynamics;
    if (parseDynamicIndexList(parser, dynamics, statics, scalable, nullptr,
                              AsmParser::Delimiter::Paren))
      return failure();
    segments.push_back(dynamics.size());
    llvm::append_range(bounds, dynamics);
    result.addAttribute(attribute, statics);
    return success();
  };
  if (parser.parseEqual() || parseBounds("staticLower") || parser.parseKeyword("to") ||
      parseBounds("staticUpper") || parser.parseKeyword("step") || parseBounds("staticStep"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("order"))) {
    Attribute order;
    if (parser.parseEqual())
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    auto parseBare = [&](Attribute &out, Type) -> ParseResult {
      // The generated parser would only say that it wants a '<'.
      if (*loc.getPointer() == '<')
        out = OrderAttr::parse(parser, Type{});
      else
        parser.emitError(loc) << "grid_c5: expected an order, as in 'order = <group = 8>'";
      return success(static_cast<bool>(out));
    };
    if (parser.parseCustomAttributeWithFallback(order, Type{}, parseBare))
      return failure();
    if (!isa<OrderAttr>(order))
      return parser.emitError(loc)
             << "grid_c5: expected an order, as in 'order = <group = 8>', got " << order;
    result.addAttribute("order", order);
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (OpAsmParser::Argument &coord : coords)
    coord.type = b.getIndexType();
  result.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, coords))
    return failure();
  ensureTerminator(*body, b, result.location);
  // Now, since a name that the region defines is none of the bounds': what stood for it while it
  // was unknown would be gone with the region.
  return parser.resolveOperands(bounds, b.getIndexType(), result.operands);
}

void GridOp::print(OpAsmPrinter &p) {
  p << " (";
  llvm::interleaveComma(getBody().getArguments(), p, [&](BlockArgument arg) { p << arg; });
  p << ") = ";
  printDynamicIndexList(p, *this, getDynamicLower(), getStaticLower(), {}, {},
                        AsmParser::Delimiter::Paren);
  p << " to ";
  printDynamicIndexList(p, *this, getDynamicUpper(), getStaticUpper(), {}, {},
                        AsmParser::Delimiter::Paren);
  p << " step ";
  printDynamicIndexList(p, *this, getDynamicStep(), getStaticStep(), {}, {},
                        AsmParser::Delimiter::Paren);
  if (OrderAttr order = getOrderAttr()) {
    p << " order = ";
    p.printStrippedAttrOrType(order);
  }
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"staticLower", "staticUpper", "staticStep", "order", "operandSegmentSizes"});
  p << ' ';
  p.printRegion(getRegion(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

void GridOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  static const StringRef names[] = {"i", "j", "k", "l", "m"};
  for (BlockArgument arg : region.getArguments())
    setName(arg, arg.getArgNumber() < 5 ? names[arg.getArgNumber()] : names[0]);
}

static SmallVector<OpFoldResult> mixed(ArrayRef<int64_t> statics, ValueRange dynamics,
                                       MLIRContext *context) {
  return getMixedValues(statics, dynamics, context);
}
SmallVector<OpFoldResult> GridOp::getMixedLower() {
  return mixed(getStaticLower(), getDynamicLower(), getContext());
}
SmallVector<OpFoldResult> GridOp::getMixedUpper() {
  return mixed(getStaticUpper(), getDynamicUpper(), getContext());
}
SmallVector<OpFoldResult> GridOp::getMixedStep() {
  return mixed(getStaticStep(), getDynamicStep(), getContext());
}

void GridOp::getSuccessorRegions(RegionBranchPoint point,
                                 SmallVectorImpl<RegionSuccessor> &regions) {
  regions.emplace_back(&getRegion());
  regions.emplace_back(getOperation(), Operation::result_range(nullptr, 0));
}
OperandRange GridOp::getEntrySuccessorOperands(RegionSuccessor) {
  return {getOperation()->operand_end(), getOperation()->operand_end()};
}

/// The op in which the op stands, by itself or in branches. tile-verify checks that parameters
/// decide those.
static Operation *parentOfBranches(Operation *op) {
  Operation *parent = op->getParentOp();
  // By name, because the dialect does not depend on scf.
  while (parent && (parent->getName().getStringRef() == "scf.if" ||
                    parent->getName().getStringRef() == "scf.index_switch"))
    parent = parent->getParentOp();
  return parent;
}

/// Whether an op stands in the body of a kernel, outside its grids.
static bool isInBody(Operation *op) { return isa_and_nonnull<KernelOp>(parentOfBranches(op)); }

/// Whether an op stands in a function. Calls are inlined, and then the op is verified again.
static bool isInHelper(Operation *op) {
  Operation *parent = parentOfBranches(op);
  return parent && parent->getName().getStringRef() == "func.func";
}

LogicalResult GridOp::verify() {
  unsigned rank = getBody().getNumArguments();
  if (getStaticLower().size() != rank || getStaticUpper().size() != rank ||
      getStaticStep().size() != rank)
    return emitOpError("grid_c1: ")
           << rank << " coordinates need as many lower bounds, upper bounds and steps, got "
           << getStaticLower().size() << ", " << getStaticUpper().size() << " and "
           << getStaticStep().size();
  auto dynamic = [](ArrayRef<int64_t> list) { return llvm::count(list, ShapedType::kDynamic); };
  if (dynamic(getStaticLower()) != static_cast<int64_t>(getDynamicLower().size()) ||
      dynamic(getStaticUpper()) != static_cast<int64_t>(getDynamicUpper().size()) ||
      dynamic(getStaticStep()) != static_cast<int64_t>(getDynamicStep().size()))
    return emitOpError("grid_c1: dynamic bounds and their values do not match");
  for (BlockArgument arg : getBody().getArguments())
    if (!arg.getType().isIndex())
      return emitOpError("grid_c1: coordinates are of type index, got ") << arg.getType();
  for (int64_t step : getStaticStep())
    if (!ShapedType::isDynamic(step) && step < 1)
      return emitOpError("grid_c2: a step must be positive, got ") << step;
  if (!isInBody(*this))
    return emitOpError("grid_c3: must stand directly in a tile.kernel, or in an scf.if of its body "
                       "that parameters decide");
  LogicalResult crossing = success();
  getBody().walk([&](Operation *op) {
    // Ops inside are verified later: of a program that a reducer has cut, operands may be null.
    for (Value operand : op->getOperands())
      if (operand && isa<TensorType>(operand.getType()) &&
          !getRegion().isAncestor(operand.getParentRegion()) && succeeded(crossing))
        crossing = op->emitOpError(
            "grid_c4: uses a tile from outside its tile.grid; tiles may not cross the border "
            "of a grid: make it inside, or store it");
    return failed(crossing) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (failed(crossing))
    return failure();
  if (getOrder() && getOrder()->getGroup() > 0 && rank < 2)
    return emitOpError("grid_c5: an order with a group needs a grid of rank 2 or more, got rank ")
           << rank;
  if (getOrder() && getOrder()->getSlowest() >= static_cast<int64_t>(rank))
    return emitOpError("grid_c6: an order names dimension ")
           << getOrder()->getSlowest() << " as the slowest, but the grid has rank " << rank;
  return success();
}

namespace {
/// Bounds and steps that are constants become integers of the op.
struct FoldConstantBounds : OpRewritePattern<GridOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GridOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    // Moves constants of `dynamics` into `statics`; returns what stays dynamic.
    auto fold = [&](SmallVector<int64_t> &statics, ValueRange dynamics, int64_t least) {
      SmallVector<Value> rest;
      unsigned next = 0;
      for (int64_t &bound : statics) {
        if (!ShapedType::isDynamic(bound))
          continue;
        Value value = dynamics[next++];
        APInt constant;
        if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSExtValue() >= least) {
          bound = constant.getSExtValue();
          changed = true;
        } else {
          rest.push_back(value);
        }
      }
      return rest;
    };
    // The least integer stands for "dynamic"; a step below 1 is left to fail where it is evaluated.
    int64_t least = std::numeric_limits<int64_t>::min() + 1;
    SmallVector<int64_t> lower(op.getStaticLower()), upper(op.getStaticUpper()),
        step(op.getStaticStep());
    SmallVector<Value> dynamicLower = fold(lower, op.getDynamicLower(), least),
                       dynamicUpper = fold(upper, op.getDynamicUpper(), least),
                       dynamicStep = fold(step, op.getDynamicStep(), 1);
    if (!changed)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getDynamicLowerMutable().assign(dynamicLower);
      op.getDynamicUpperMutable().assign(dynamicUpper);
      op.getDynamicStepMutable().assign(dynamicStep);
      op.setStaticLower(lower);
      op.setStaticUpper(upper);
      op.setStaticStep(step);
    });
    return success();
  }
};

/// Constant sizes of workspace become part of its type. Upstream does the same (SimplifyAllocConst)
/// and drops `tile.init` with all other discardable attributes, so that memory would come as it is:
/// this pattern has the higher benefit.
struct FoldWorkspaceSizes : OpRewritePattern<memref::AllocOp> {
  explicit FoldWorkspaceSizes(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(memref::AllocOp op, PatternRewriter &rewriter) const override {
    if (op->getDiscardableAttrDictionary().empty())
      return failure();
    MemRefType type = op.getType();
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Value> rest;
    unsigned next = 0;
    for (int64_t &size : shape) {
      if (!ShapedType::isDynamic(size))
        continue;
      Value value = op.getDynamicSizes()[next++];
      APInt constant;
      if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSExtValue() >= 0)
        size = constant.getSExtValue();
      else
        rest.push_back(value);
    }
    if (rest.size() == op.getDynamicSizes().size())
      return failure();
    auto narrow = memref::AllocOp::create(rewriter, op.getLoc(), type.clone(shape), rest,
                                          op.getSymbolOperands(), op.getAlignmentAttr());
    narrow->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOpWithNewOp<memref::CastOp>(op, type, narrow);
    return success();
  }
};
} // namespace

void GridOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  // No op of ours is the workspace; each program that has some has grids.
  patterns.add<FoldConstantBounds, FoldWorkspaceSizes>(context);
}

//===--- yield -------------------------------------------------------------------------------===//

LogicalResult YieldOp::verify() {
  // By name, because the dialect cta builds on this one.
  Operation *parentOp = (*this)->getParentOp();
  StringRef parent = parentOp ? parentOp->getName().getStringRef() : "detached block";
  if (parent == "tile.reduce" || parent == "cta.reduce" || parent == "tile.scan" ||
      parent == "cta.scan" || parent == "tile.rare")
    return success();
  if (parent != "tile.grid")
    return emitOpError("yield_c1: ends a tile.grid, the combiner of a reduction or a scan, or the "
                       "region of a tile.rare, not a ")
           << parent;
  if (!getValues().empty())
    return emitOpError("yield_c1: a grid yields nothing; store the result with tile.store");
  return success();
}

//===--- dim, assume -------------------------------------------------------------------------===//

void DimOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }

LogicalResult DimOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return emitOpError("dim_c1: must be inside a tile.kernel");
  if (kernel.lookupDim(getName()))
    return success();
  std::string known;
  for (unsigned arg = 0, e = kernel.getNumArguments(); arg < e; ++arg)
    if (auto shape = kernel.getArgAttrOfType<ArrayAttr>(arg, TileDialect::kShape))
      for (Attribute entry : shape)
        if (auto name = dyn_cast<StringAttr>(entry);
            name && !StringRef(known).contains("\"" + name.str() + "\""))
          known += (known.empty() ? "\"" : ", \"") + name.str() + "\"";
  InFlightDiagnostic error =
      emitOpError("dim_c1: no argument of the kernel has a tile.shape with the name \"");
  error << getName() << "\"; ";
  if (!known.empty())
    return error << "the names are " << known;
  return error << "name the sizes of arguments, as in %x: memref<?xf32> {tile.shape = [\""
               << getName() << "\"]}";
}

LogicalResult AssumeOp::verify() {
  bool condition = getValue().getType().isInteger(1);
  if (condition && !getMessage())
    return emitOpError("assume_c1: a condition needs a message for the launcher");
  if (!condition && !getMin() && !getMax() && !getDivisible())
    return emitOpError("assume_c1: a promise needs at least one of min, max and divisible");
  if (!condition && getMessage())
    return emitOpError("assume_c1: a message belongs to a condition of type i1; a promise has min, "
                       "max, divisible");
  if (condition && (getMin() || getMax() || getDivisible()))
    return emitOpError("assume_c1: a condition has a message only");
  if (getDivisible() && static_cast<int64_t>(*getDivisible()) < 1)
    return emitOpError("assume_c2: divisible must be positive");
  if (getMin() && getMax() && static_cast<int64_t>(*getMin()) > static_cast<int64_t>(*getMax()))
    return emitOpError("assume_c2: min is greater than max");
  if (condition && !isInBody(*this) && !isInHelper(*this))
    return emitOpError(
        "assume_c3: a launch precondition stands in the body of the kernel, outside the grids; "
        "inside, promise a range of an integer");
  if (getGuard() && !condition)
    return emitOpError("assume_c4: guard is for conditions of type i1; a promise about a number "
                       "chooses no variant");
  return success();
}

LogicalResult CostOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  CostOp first = *kernel.getBody().getOps<CostOp>().begin();
  if (first == *this)
    return success();
  InFlightDiagnostic error =
      emitOpError("cost_c1: a kernel has one predicted time, of all its grids together");
  error.attachNote(first.getLoc()) << "the other one is here";
  return error;
}

LogicalResult AssertOp::verify() {
  if (!getElementTypeOrSelf(getCondition().getType()).isInteger(1))
    return emitOpError("assert_c1: the condition must be an i1 or a tile of i1, got ")
           << getCondition().getType();
  return success();
}

// Called by the generated parser and printer of tile.argreduce: the bare word.
static ParseResult parseArgReduceKind(OpAsmParser &parser, ArgReduceKindAttr &kind) {
  FailureOr<ArgReduceKind> value = FieldParser<ArgReduceKind>::parse(parser);
  if (failed(value))
    return failure();
  kind = ArgReduceKindAttr::get(parser.getContext(), *value);
  return success();
}

static void printArgReduceKind(OpAsmPrinter &p, Operation *, ArgReduceKindAttr kind) {
  p << stringifyArgReduceKind(kind.getValue());
}

// Called by the generated parser and printer of tile.param: `[64, 128]`, or nothing.
static ParseResult parseChoices(OpAsmParser &parser, DenseI64ArrayAttr &choices) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  SmallVector<int64_t> list;
  if (failed(parser.parseOptionalRSquare()) && (parser.parseCommaSeparatedList([&]() {
        return parser.parseInteger(list.emplace_back());
      }) || parser.parseRSquare()))
    return failure();
  choices = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

static void printChoices(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr choices) {
  if (!choices)
    return;
  p << '[';
  llvm::interleaveComma(choices.asArrayRef(), p);
  p << ']';
}

#define GET_OP_CLASSES
#include "tessera/Dialect/Tile/TileOps.cpp.inc"
