// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Syntax/ScanSyntax.h"
#include "tessera/Layout/MmaSync.h"
#include "tessera/Layout/RegisterForms.h"
#include "tessera/Layout/WgmmaOperand.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- products: one syntax ----------------------------------------------------------------===//

/// `%a, %b[, %c] attrs : type(a), type(b) -> type(result)`.
static ParseResult parseProduct(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type a, b, d;
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(loc) << "expected two or three operands: a, b and optionally c";
  if (parser.parseColonType(a) || parser.parseComma() || parser.parseType(b) ||
      parser.parseArrow() || parser.parseType(d))
    return failure();
  SmallVector<Type> types{a, b};
  if (operands.size() == 3)
    types.push_back(d);
  result.addTypes(d);
  return parser.resolveOperands(operands, types, loc, result.operands);
}

static void printProduct(Operation *op, OpAsmPrinter &p) {
  p << ' ' << op->getOperands();
  p.printOptionalAttrDict(op->getAttrs());
  p << " : " << op->getOperand(0).getType() << ", " << op->getOperand(1).getType() << " -> "
    << op->getResult(0).getType();
}

/// M x K and K x N make M x N, all with one batch or none.
static bool extentsAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b, ArrayRef<int64_t> d) {
  unsigned rank = a.size();
  return (rank == 2 || rank == 3) && b.size() == rank && d.size() == rank &&
         (rank == 2 || (a[0] == b[0] && a[0] == d[0])) && a[rank - 1] == b[rank - 2] &&
         a[rank - 2] == d[rank - 2] && b[rank - 1] == d[rank - 1];
}

ParseResult MmaOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseProduct(parser, result);
}
void MmaOp::print(OpAsmPrinter &p) { printProduct(*this, p); }
LogicalResult MmaOp::verify() {
  if (!extentsAgree(getAType().getShape(), getBType().getShape(), getResultType().getShape()))
    return emitOpError("mma_c1: the extents of a, b and the result do not agree");
  Type a = getAType().getElementType(), b = getBType().getElementType();
  if (a != b && !(tile::isFloat8(a) && tile::isFloat8(b)))
    return emitOpError("mma_c2: both operands must have one element type");
  if (getC() && getC().getType() != getResult().getType())
    return emitOpError("mma_c3: c must have the type of the result");
  return success();
}

bool tessera::cta::isMmaSync(MmaOp op) {
  FragAttr frag = FragAttr::of(op.getResultType());
  return frag && op.getResultType().getElementType().isF64() && layout::isMmaSyncAcc(frag.layout());
}

ParseResult WgmmaOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseProduct(parser, result);
}
void WgmmaOp::print(OpAsmPrinter &p) { printProduct(*this, p); }
int64_t WgmmaOp::getM() { return getResultType().getDimSize(0); }
int64_t WgmmaOp::getN() { return getResultType().getDimSize(1); }
int64_t WgmmaOp::getK() { return getBType().getShape()[getKDimOfB()]; }
Type WgmmaOp::getAElement() { return tileElementType(getA().getType()); }
int64_t WgmmaOp::getStepK() {
  return layout::wgmmaKExtent(static_cast<int>(getBElement().getIntOrFloatBitWidth()));
}
int64_t WgmmaOp::getStepN(int64_t warpgroups) {
  return layout::wgmmaBlockN(sharesColumns(warpgroups) ? getN() / warpgroups : getN(),
                             isa<IntegerType>(getBElement()));
}
bool WgmmaOp::needsKMajor() { return getBElement().getIntOrFloatBitWidth() != 16; }
bool WgmmaOp::sharesColumns(int64_t warpgroups) {
  return layout::wgmmaSplit(getM(), getN(), warpgroups) == 1;
}
layout::RegisterLayout WgmmaOp::resultLayout(int64_t warpgroups) {
  return layout::wgmmaAcc(warpgroups, sharesColumns(warpgroups) ? 1 : 0);
}
layout::RegisterLayout WgmmaOp::operandLayout(int64_t warpgroups) {
  return layout::wgmmaA(static_cast<int>(getBElement().getIntOrFloatBitWidth()), warpgroups,
                        sharesColumns(warpgroups) ? -1 : 0);
}

void WgmmaOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!isAsync())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), ProductsInFlight::get());
  effects.emplace_back(MemoryEffects::Write::get(), ProductsInFlight::get());
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemory::get());
}

Speculation::Speculatability WgmmaOp::getSpeculatability() {
  return isAsync() ? Speculation::NotSpeculatable : Speculation::Speculatable;
}

/// True if a scalar may differ between the warps of a role: a vote of a warp decides it.
static bool isWarpsOwn(Value value, llvm::SmallPtrSetImpl<void *> &seen) {
  if (isa<ShapedType>(value.getType()) || !seen.insert(value.getAsOpaquePointer()).second)
    return false;
  auto any = [&](ValueRange from) {
    return llvm::any_of(from, [&](Value input) { return isWarpsOwn(input, seen); });
  };
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto carried = cast<BlockArgument>(value);
    auto loop = dyn_cast<CountedLoop>(carried.getOwner()->getParentOp());
    if (!loop)
      return false;
    const unsigned number = carried.getArgNumber();
    return number == 0 ? any({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
                       : any({loop.getInitArgs()[number - 1], loop.getYieldedValues()[number - 1]});
  }
  if (auto vote = dyn_cast<AnyOp>(op))
    return vote.getWarp();
  const unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<CountedLoop>(op))
    return any({loop.getInitArgs()[number], loop.getYieldedValues()[number], loop.getLowerBound(),
                loop.getUpperBound(), loop.getStep()});
  for (Region &region : op->getRegions())
    if (!region.empty() && number < region.front().getTerminator()->getNumOperands() &&
        any(region.front().getTerminator()->getOperand(number)))
      return true;
  return any(op->getOperands());
}

/// The product of the block that shares its turn with `product` and is the first or the last of
/// them.
static WgmmaOp endOfTurn(WgmmaOp product, bool last) {
  WgmmaOp end = product;
  for (auto other : product->getBlock()->getOps<WgmmaOp>())
    if (other.getInTurn() && other.isAsync() && end->isBeforeInBlock(other) == last && other != end)
      end = other;
  return end;
}

bool WgmmaOp::takesTurn() {
  return getInTurn() && (!isAsync() || endOfTurn(*this, /*last=*/false) == *this);
}
bool WgmmaOp::passesTurn() {
  return getInTurn() && (!isAsync() || endOfTurn(*this, /*last=*/true) == *this);
}

/// Why asynchronous products of a block cannot have one turn together.
static std::optional<std::string> whyNoTurnTogether(WgmmaOp product) {
  Operation *first = endOfTurn(product, /*last=*/false), *last = endOfTurn(product, /*last=*/true);
  for (Operation &op : *product->getBlock()) {
    if (auto other = dyn_cast<WgmmaOp>(op); other && other.getInTurn() && !other.isAsync())
      return std::string("its block has a product in turn that is not asynchronous");
    if (!first->isBeforeInBlock(&op) || !op.isBeforeInBlock(last) || op.getNumRegions() == 0)
      continue;
    const bool inside =
        op.walk([](WgmmaOp other) {
            return other.getInTurn() ? WalkResult::interrupt() : WalkResult::advance();
          }).wasInterrupted();
    if (inside)
      return "another op between the first and the last product of the turn has products in "
             "turn: " +
             op.getName().getStringRef().str();
  }
  return std::nullopt;
}

std::optional<std::string> WgmmaOp::whyNotInTurn() {
  if (isAsync())
    if (auto why = whyNoTurnTogether(*this))
      return why;
  Operation *parent = (*this)->getParentOp();
  for (; isa<CountedLoop, scf::IfOp>(parent); parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    SmallVector<Value> deciding;
    if (branch)
      deciding.push_back(branch.getCondition());
    else
      llvm::append_range(deciding, parent->getOperands().take_front(3)); // the bounds and the step
    llvm::SmallPtrSet<void *, 16> seen;
    if (llvm::any_of(deciding, [&](Value value) { return isWarpsOwn(value, seen); }))
      return branch ? "it stands in a branch which a vote of a warp decides"
                    : "it stands in a loop whose bounds a vote of a warp decides";
  }
  auto role = dyn_cast<RoleOp>(parent);
  if (!role)
    return "it stands in a " + parent->getName().getStringRef().str() +
           ", not in a cta.role with loops and branches between the two";
  if (role.getReplicas())
    return std::string("its role has replicas, which have turns of their own");
  const int64_t warps = static_cast<int64_t>(role.getWarps());
  if (warps % 4 || warps < 8 || warps > 16)
    return "its role has " + std::to_string(warps) + " warps, not two to four warpgroups";
  // Warpgroups of a block are numbered from its first warp, and so are their barriers.
  for (auto other : role->getBlock()->getOps<RoleOp>()) {
    if (other == role)
      continue;
    if (other->isBeforeInBlock(role))
      return std::string("its role is not the first one");
    if (other.getWarps() > 4)
      return "another role has " + std::to_string(other.getWarps()) +
             " warps, more than a warpgroup";
  }
  return std::nullopt;
}

LogicalResult WgmmaOp::verify() {
  auto shapeOf = [](ArrayRef<int64_t> shape, bool transposed) {
    SmallVector<int64_t> result(shape);
    if (transposed)
      std::reverse(result.begin(), result.end());
    return result;
  };
  if (getTransposeA() && aInRegisters())
    return emitOpError("wgmma_c3: a in registers cannot be transposed");
  if (getResultType().getRank() != 2 ||
      !extentsAgree(shapeOf(tileShape(getA().getType()), getTransposeA()),
                    shapeOf(getBType().getShape(), getTransposeB()), getResultType().getShape()))
    return emitOpError("wgmma_c3: a is M x K (K x M with transpose_a), b K x N (N x K with "
                       "transpose_b), the result M x N");
  if (getC() && getC().getType() != getResult().getType())
    return emitOpError() << (isa<AsyncType>(getC().getType()) == isAsync()
                                 ? "wgmma_c3: c must have the type of the result"
                                 : "wgmma_c5: c must be asynchronous exactly if the result is");
  Type a = tileElementType(getA().getType()), b = getBType().getElementType(),
       d = getResultType().getElementType();
  if (!tile::tensorCoreStep(a, b, d, /*allowsTf32=*/true))
    return emitOpError(
               "wgmma_c1: needs f16, bf16 or f32 operands of one type, or f8 operands, and "
               "f32 accumulators (f16 for f16 and f8), or i8 operands and i32 accumulators; "
               "got ")
           << a << ", " << b << " -> " << d;
  if ((getLhsUnsigned() || getRhsUnsigned()) && !a.isInteger(8))
    return emitOpError("wgmma_c1: lhs_unsigned and rhs_unsigned are for i8, got ") << a;
  if (getInTurn())
    if (auto why = whyNotInTurn())
      return emitOpError("wgmma_c6: warpgroups cannot issue the product in turn: ") << *why;
  FragAttr acc = FragAttr::of(getResultType());
  int64_t groups = acc ? acc.getWgCount() : 1;
  if (layout::wgmmaSplit(getM(), getN(), groups) < 0 || getK() % getStepK() || getN() % 8)
    return emitOpError("wgmma_c2: M must be a multiple of 64 for each of the ")
           << groups << " warpgroups (or for all, and N one of 8 for each), K of " << getStepK()
           << ", N of 8; got M = " << getM() << ", K = " << getK() << ", N = " << getN();
  if (!acc)
    return success();
  if (acc.layout() != resultLayout(groups))
    return emitOpError("wgmma_c4: the result must have layout wgmma_acc, whose warpgroups share ")
           << (sharesColumns(groups) ? "columns (dim = 1)" : "rows");
  auto checkShared = [&](Value operand, StringRef name, int64_t kDim) -> LogicalResult {
    auto smem = dyn_cast<SmemType>(operand.getType());
    if (smem && smem.getSwizzle().isLinear())
      return emitOpError("wgmma_c4: ") << name << " must be a swizzled shared tile, got " << smem;
    if (smem && needsKMajor() && !smem.getSwizzle().isUnknown() &&
        smem.getSwizzle().getDim() != kDim)
      return emitOpError("wgmma_c4: ")
             << name << " must have K contiguous (dim = " << kDim
             << "), because its elements do not have 16 bits; got " << smem;
    return success();
  };
  if (failed(checkShared(getA(), "a", getKDimOfA())) ||
      failed(checkShared(getB(), "b", getKDimOfB())))
    return failure();
  if (aInRegisters()) {
    FragAttr frag = FragAttr::of(getA().getType());
    if (!frag || frag.layout() != operandLayout(groups))
      return emitOpError("wgmma_c4: a in registers must have layout wgmma_a of ")
             << groups << " warpgroups"
             << (sharesColumns(groups) ? ", each with all rows (dim = -1)" : "");
  }
  return success();
}

//===--- reduce ------------------------------------------------------------------------------===//

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  SmallVector<int64_t> dims;
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dims") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&]() { return parser.parseInteger(dims.emplace_back()); }) ||
      parser.parseKeyword("init") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *combiner = result.addRegion();
  SmallVector<Type> inputTypes, resultTypes, initTypes;
  if (parser.parseRegion(*combiner))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(inputTypes) || parser.parseArrow() ||
      parser.parseTypeList(resultTypes))
    return failure();
  for (Type type : inputTypes) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(loc) << "expected ranked tensors, got " << type;
    initTypes.push_back(tensor.getElementType());
  }
  result.addAttribute("dims", b.getDenseI64ArrayAttr(dims));
  result.addAttribute("operandSegmentSizes",
                      b.getDenseI32ArrayAttr({static_cast<int32_t>(inputs.size()),
                                              static_cast<int32_t>(inits.size())}));
  result.addTypes(resultTypes);
  return failure(parser.resolveOperands(inputs, inputTypes, loc, result.operands) ||
                 parser.resolveOperands(inits, initTypes, loc, result.operands));
}

void ReduceOp::print(OpAsmPrinter &p) {
  p << " (" << getInputs() << ") dims = [";
  llvm::interleaveComma(getDims(), p);
  p << "] init(" << getInits() << ')';
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"dims", "operandSegmentSizes"});
  p << ' ';
  p.printRegion(getCombiner());
  p << " : " << getInputs().getTypes() << " -> ";
  llvm::interleaveComma(getResultTypes(), p);
}

LogicalResult ReduceOp::verify() {
  unsigned n = getInputs().size();
  if (!n || getInits().size() != n || getNumResults() != n ||
      getCombiner().getNumArguments() != 2 * n)
    return emitOpError("reduce_c5: needs as many identities and results as inputs, and two "
                       "combiner arguments for each");
  ArrayRef<int64_t> shape = tileShape(getInputs().front().getType());
  for (auto [i, d] : llvm::enumerate(getDims()))
    if (d < 0 || d >= static_cast<int64_t>(shape.size()) || (i && getDims()[i - 1] >= d))
      return emitOpError("reduce_c2: 'dims' must ascend and be below the rank ") << shape.size();
  if (getPartial()) {
    for (auto [input, result] : llvm::zip_equal(getInputs(), getResults())) {
      auto type = cast<RankedTensorType>(input.getType());
      FragAttr frag = FragAttr::of(type);
      if (!frag || mixesDims(frag.layout(), getDims()))
        return emitOpError("reduce_c6: a partial reduction needs inputs with a layout that does "
                           "not mix reduced with other dimensions, got ")
               << type;
      if (result.getType() != partialType(type, getDims()))
        return emitOpError("reduce_c6: the partial result must be ")
               << partialType(type, getDims()) << ", got " << result.getType();
    }
  }
  SmallVector<int64_t> reduced;
  for (auto [d, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(d)))
      reduced.push_back(extent);
  auto yield = dyn_cast_or_null<tile::YieldOp>(getCombiner().front().getTerminator());
  if (!yield || yield.getValues().size() != n)
    return emitOpError("reduce_c5: the combiner must end with a tile.yield of ") << n << " values";
  for (unsigned i = 0; i < n; ++i) {
    Type element = tileElementType(getInputs()[i].getType());
    if (tileShape(getInputs()[i].getType()) != shape ||
        (!getPartial() && tileShape(getResult(i).getType()) != ArrayRef<int64_t>(reduced)) ||
        tileElementType(getResult(i).getType()) != element)
      return emitOpError("reduce_c3: result ")
             << i << " must be " << RankedTensorType::get(reduced, element) << ", got "
             << getResult(i).getType();
    if (getInits()[i].getType() != element || getCombiner().getArgument(i).getType() != element ||
        getCombiner().getArgument(n + i).getType() != element ||
        yield.getValues()[i].getType() != element)
      return emitOpError("reduce_c5: identity, combiner arguments and yielded value ")
             << i << " must have type " << element;
  }
  return success();
}

bool ReduceOp::mixesDims(const layout::RegisterLayout &layout, ArrayRef<int64_t> dims) {
  for (const auto *basis : {&layout.regs, &layout.lanes, &layout.warps})
    for (const layout::Coord &vector : *basis) {
      bool along = false, across = false;
      for (auto [d, x] : llvm::enumerate(vector))
        (llvm::is_contained(dims, static_cast<int64_t>(d)) ? along : across) |= x != 0;
      if (along && across)
        return true;
    }
  return false;
}

RankedTensorType ReduceOp::reducedType(RankedTensorType input, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (auto [d, extent] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      shape.push_back(extent);
  Attribute encoding;
  if (FragAttr frag = FragAttr::of(input)) {
    layout::RegisterLayout l = frag.layout();
    for (int64_t d : llvm::reverse(dims))
      l = l.sliceDim(static_cast<int>(d));
    encoding = FragAttr::get(input.getContext(), l);
  }
  return RankedTensorType::get(shape, input.getElementType(), encoding);
}

RankedTensorType ReduceOp::partialType(RankedTensorType input, ArrayRef<int64_t> dims) {
  layout::RegisterLayout l = FragAttr::of(input).layout(), parts = l;
  SmallVector<int64_t> shape(input.getShape());
  parts.regs.clear();
  for (const layout::Coord &vector : l.regs)
    if (llvm::all_of(dims, [&](int64_t d) { return !vector[d]; }))
      parts.regs.push_back(vector);
  for (int64_t d : dims) {
    for (layout::Coord &vector : parts.lanes)
      vector[d] = 0;
    shape[d] = 1;
    // A warp vector may move along several reduced dimensions at once; count it once, in the first.
    for (layout::Coord &vector : parts.warps) {
      bool counted = llvm::any_of(dims, [&](int64_t e) { return e < d && vector[e] != 0; });
      bool moves = vector[d] != 0 && !counted;
      vector[d] = moves ? shape[d] : 0;
      shape[d] *= moves ? 2 : 1;
    }
    if (parts.wgDim == d)
      shape[d] *= parts.wgCount;
  }
  return RankedTensorType::get(shape, input.getElementType(),
                               FragAttr::get(input.getContext(), parts));
}

//===--- scan --------------------------------------------------------------------------------===//

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return tile::parseScan(parser, result, /*mayBeNamed=*/false);
}

void ScanOp::print(OpAsmPrinter &p) { tile::printScan(p, *this); }

/// Constraint 5.
static LogicalResult verifyPartial(ScanOp op) {
  const auto dim = static_cast<int64_t>(op.getDim());
  if (!op.getCarries().empty())
    return op.emitOpError("scan_c5: a partial scan has no carry; the scan of the parts has it");
  for (auto [input, total] : llvm::zip_equal(op.getInputs(), op.getTotals())) {
    auto type = cast<RankedTensorType>(input.getType());
    FragAttr frag = FragAttr::of(type);
    if (!frag || !ScanOp::hasOrder(frag.layout(), dim))
      return op.emitOpError("scan_c5: a partial scan needs inputs with a layout whose vectors move "
                            "along 'dim' by powers of two and along nothing else, got ")
             << type;
    if (total.getType() != ScanOp::partialType(type, dim))
      return op.emitOpError("scan_c5: the totals of the parts must be ")
             << ScanOp::partialType(type, dim) << ", got " << total.getType();
  }
  return success();
}

LogicalResult ScanOp::verify() {
  const auto n = static_cast<unsigned>(getInputs().size());
  const auto dim = static_cast<int64_t>(getDim());
  if (!n)
    return emitOpError("scan_c1: needs at least one input");
  ArrayRef<int64_t> shape = tileShape(getInputs().front().getType());
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
    return emitOpError("scan_c1: dim = ") << dim << " is not below the rank " << shape.size();
  auto yield = dyn_cast_or_null<tile::YieldOp>(getCombiner().front().getTerminator());
  if (getInits().size() != n || getCombiner().getNumArguments() != 2 * n || !yield ||
      yield.getValues().size() != n)
    return emitOpError("scan_c4: needs as many identities as inputs, two combiner arguments for "
                       "each, and a tile.yield of as many values");
  if (getScanned().size() != n || (!getCarries().empty() && getCarries().size() != n))
    return emitOpError("scan_c3: needs a scanned tile and a total for each input, and a carry for "
                       "each or none");
  SmallVector<int64_t> reduced(shape);
  reduced.erase(reduced.begin() + dim);
  for (unsigned i = 0; i < n; ++i) {
    Type input = getInputs()[i].getType(), element = tileElementType(input);
    if (tileShape(input) != shape)
      return emitOpError("scan_c1: all inputs must have one shape, got ")
             << getInputType() << " and " << input;
    auto isLike = [&](Type type, ArrayRef<int64_t> extents) {
      return tileShape(type) == extents && tileElementType(type) == element;
    };
    if (!isLike(getScanned()[i].getType(), shape))
      return emitOpError("scan_c3: scanned tile ")
             << i << " must be " << RankedTensorType::get(shape, element) << ", got "
             << getScanned()[i].getType();
    if (!getPartial() && !isLike(getTotals()[i].getType(), reduced))
      return emitOpError("scan_c3: total ")
             << i << " must be " << RankedTensorType::get(reduced, element) << ", got "
             << getTotals()[i].getType();
    if (!getCarries().empty() && getCarries()[i].getType() != getTotals()[i].getType())
      return emitOpError("scan_c3: carry ") << i << " must be " << getTotals()[i].getType()
                                            << ", got " << getCarries()[i].getType();
    if (getInits()[i].getType() != element || getCombiner().getArgument(i).getType() != element ||
        getCombiner().getArgument(n + i).getType() != element ||
        yield.getValues()[i].getType() != element)
      return emitOpError("scan_c4: identity, combiner arguments and yielded value ")
             << i << " must have type " << element;
  }
  return getPartial() ? verifyPartial(*this) : success();
}

bool ScanOp::hasOrder(const layout::RegisterLayout &layout, int64_t dim) {
  for (const auto *basis : {&layout.regs, &layout.lanes, &layout.warps})
    for (const layout::Coord &vector : *basis) {
      if (!vector[dim])
        continue;
      if (!llvm::isPowerOf2_64(static_cast<uint64_t>(vector[dim])) ||
          llvm::count_if(vector, [](int64_t x) { return x != 0; }) != 1)
        return false;
    }
  return true;
}

int64_t ScanOp::partSize(const layout::RegisterLayout &layout, int64_t dim) {
  int64_t size = layout.baseShape()[dim];
  for (const layout::Coord &vector : layout.warps)
    if (vector[dim])
      size = std::min(size, vector[dim]);
  return size;
}

RankedTensorType ScanOp::partialType(RankedTensorType input, int64_t dim) {
  layout::RegisterLayout l = FragAttr::of(input).layout(), parts = l;
  const int64_t size = partSize(l, dim);
  parts.regs.clear();
  for (const layout::Coord &vector : l.regs)
    if (!vector[dim] || vector[dim] >= size)
      parts.regs.push_back(vector);
  for (auto *basis : {&parts.regs, &parts.lanes, &parts.warps})
    for (layout::Coord &vector : *basis)
      vector[dim] /= size;
  SmallVector<int64_t> shape(input.getShape());
  shape[dim] = llvm::divideCeil(shape[dim], size);
  return RankedTensorType::get(shape, input.getElementType(),
                               FragAttr::get(input.getContext(), parts));
}

//===--- any ---------------------------------------------------------------------------------===//

LogicalResult AnyOp::verify() {
  auto need = cast<RankedTensorType>(getNeed().getType());
  if (!need.getElementType().isInteger(1))
    return emitOpError("any_c1: the tile must have elements of type i1, got ") << need;
  return success();
}

//===--- repeat ------------------------------------------------------------------------------===//

LogicalResult RepeatOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  const auto dim = static_cast<int64_t>(getDim()), times = static_cast<int64_t>(getTimes());
  if (dim < 0 || dim >= result.getRank())
    return emitOpError("repeat_c1: dim = ") << dim << " is not a dimension of " << result;
  if (times < 1 || !llvm::isPowerOf2_64(static_cast<uint64_t>(times)))
    return emitOpError("repeat_c1: 'times' must be a power of two, got ") << times;
  SmallVector<int64_t> shape(result.getShape());
  shape[dim] = llvm::divideCeil(shape[dim], times);
  if (source.getShape() != ArrayRef<int64_t>(shape) ||
      source.getElementType() != result.getElementType())
    return emitOpError("repeat_c2: the source must be ")
           << RankedTensorType::get(shape, result.getElementType()) << ", got " << source;
  return success();
}
