// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FactsArithmetic.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::tile;
using namespace tessera::tile::facts;

/// The values that a type can hold.
static IntRange typeRange(Type type) {
  unsigned width = type.isIndex() ? 64 : type.isInteger() ? type.getIntOrFloatBitWidth() : 64;
  if (width >= 64)
    return {};
  if (width == 1)
    return {-1, 1};
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
}

//===--- sources ------------------------------------------------------------===//

Facts::Facts(KernelOp kernel) : kernel(kernel) {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    classOfArg.emplace_back();
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      if (auto fact = kernel.getArgAttrOfType<IntegerAttr>(i, TileDialect::kDivisible))
        learnDivisor(kernel.getArgument(i), fact.getInt());
      continue;
    }
    auto names = kernel.getArgAttrOfType<ArrayAttr>(i, TileDialect::kShape);
    auto list = [&, arg = static_cast<unsigned>(i)](StringRef name, unsigned d) -> int64_t {
      auto fact = kernel.getArgAttrOfType<DenseI64ArrayAttr>(arg, name);
      return fact ? fact[d] : 0;
    };
    for (unsigned d = 0, rank = memref.getRank(); d < rank; ++d) {
      unsigned id = classes.size();
      if (auto name = names ? dyn_cast<StringAttr>(names[d]) : StringAttr{})
        id = classOfName.try_emplace(name.getValue(), id).first->second;
      if (id == classes.size())
        classes.push_back({1, {0, kHigh}});
      classOfArg.back().push_back(id);
      Known &known = classes[id];
      int64_t size = memref.getDimSize(d);
      if (auto number = names ? dyn_cast<IntegerAttr>(names[d]) : IntegerAttr{})
        size = number.getInt();
      if (!ShapedType::isDynamic(size))
        known = {size, point(size)};
      if (int64_t n = list(TileDialect::kSizeDivisible, d))
        known.divisor = lcm(known.divisor, n);
      if (int64_t n = list(TileDialect::kSizeMax, d))
        known.range = meet(known.range, {0, n});
      // In an identity layout the stride of the last dimension but one is the last size.
      if (d + 1 == rank && rank > 1 && memref.getLayout().isIdentity())
        if (int64_t n = list(TileDialect::kStrideDivisible, d - 1))
          known.divisor = lcm(known.divisor, n);
    }
  }
  if (auto guards = kernel.getGuards())
    for (auto guard : guards->getAsRange<GuardAttr>()) {
      unsigned arg = guard.getArg();
      if (arg >= classOfArg.size())
        continue;
      if (guard.getFact() == FactKind::ScalarDivisible)
        learnDivisor(kernel.getArgument(arg), guard.getValue());
      if (guard.getDim() < 0 || guard.getDim() >= static_cast<int64_t>(classOfArg[arg].size()))
        continue;
      Known &known = classes[classOfArg[arg][guard.getDim()]];
      if (guard.getFact() == FactKind::SizeDivisible)
        known.divisor = lcm(known.divisor, guard.getValue());
      if (guard.getFact() == FactKind::SizeMax)
        known.range = meet(known.range, {0, guard.getValue()});
      if (guard.getFact() == FactKind::SizeMin)
        known.range = meet(known.range, {guard.getValue(), kHigh});
    }
  // Launch preconditions hold everywhere; a promise holds where its value is made.
  kernel.walk([&](AssumeOp assume) {
    if (assume.getMessage()) {
      learn(assume.getValue());
      return;
    }
    if (assume->getBlock() == assume.getValue().getParentBlock())
      addPromise(promises[assume.getValue()], assume);
    else
      promisesOfParts.push_back(assume);
  });
  cache.clear();
}

Facts::Place::Place(Facts &facts, Operation *op)
    : facts(facts), promisesOutside(std::move(facts.promisesHere)),
      cacheOutside(std::move(facts.cacheHere)) {
  facts.promisesHere.clear();
  facts.cacheHere.clear();
  for (AssumeOp assume : facts.promisesOfParts)
    if (assume->getBlock()->findAncestorOpInBlock(*op))
      facts.addPromise(facts.promisesHere[assume.getValue()], assume);
}

Facts::Place::~Place() {
  facts.promisesHere = std::move(promisesOutside);
  facts.cacheHere = std::move(cacheOutside);
}

void Facts::addPromise(Known &known, AssumeOp assume) {
  if (assume.getDivisible())
    known.divisor = lcm(known.divisor, *assume.getDivisible());
  IntRange promised;
  if (assume.getMin())
    promised.min = static_cast<int64_t>(*assume.getMin());
  if (assume.getMax())
    promised.max = static_cast<int64_t>(*assume.getMax());
  known.range = meet(known.range, promised);
}

void Facts::limit(Known &known, const Known &promise) {
  known.divisor = lcm(known.divisor, promise.divisor);
  known.range = meet(known.range, promise.range);
}

Facts::Known *Facts::assumed(Value value) {
  if (auto dim = value.getDefiningOp<DimOp>()) {
    auto it = classOfName.find(dim.getName());
    return it == classOfName.end() ? nullptr : &classes[it->second];
  }
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      if (std::optional<unsigned> id = sizeClass(dim.getSource(), *index))
        return &classes[*id];
  return &promises[value];
}

void Facts::learnDivisor(Value value, int64_t divisor) {
  if (Known *known = assumed(value); known && divisor > 0)
    known->divisor = lcm(known->divisor, divisor);
}
void Facts::learnRange(Value value, IntRange range) {
  if (Known *known = assumed(value))
    known->range = meet(known->range, range);
}

void Facts::learn(Value condition) {
  SmallVector<Value> work{condition};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto both = dyn_cast<arith::AndIOp>(op))
      work.append({both.getRhs(), both.getLhs()});
    else if (auto compare = dyn_cast<arith::CmpIOp>(op))
      learn(compare);
  }
}

void Facts::learn(arith::CmpIOp compare) {
  APInt right;
  if (!matchPattern(compare.getRhs(), m_ConstantInt(&right)) || right.getSignificantBits() > 64)
    return;
  int64_t c = right.getSExtValue();
  Value x = compare.getLhs();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq: {
    Operation *rem = x.getDefiningOp();
    APInt by;
    if (c == 0 && isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(rem) &&
        matchPattern(rem->getOperand(1), m_ConstantInt(&by)) && by.getSignificantBits() <= 64) {
      // Without its sign a negative number is a multiple of what divides 2^64 - x.
      Value y = rem->getOperand(0);
      const int64_t divisor = by.getSExtValue();
      return learnDivisor(y, isa<arith::RemSIOp>(rem) || range(y).min >= 0 ? divisor
                                                                           : powerOf2In(divisor));
    }
    return learnRange(x, point(c));
  }
  case arith::CmpIPredicate::sle:
    return learnRange(x, {kLow, c});
  case arith::CmpIPredicate::slt:
    return c == kLow ? void() : learnRange(x, {kLow, c - 1});
  case arith::CmpIPredicate::sge:
    return learnRange(x, {c, kHigh});
  case arith::CmpIPredicate::sgt:
    return c == kHigh ? void() : learnRange(x, {c + 1, kHigh});
  case arith::CmpIPredicate::ule:
    return c < 0 ? void() : learnRange(x, {0, c});
  case arith::CmpIPredicate::ult:
    return c <= 0 ? void() : learnRange(x, {0, c - 1});
  default:
    return;
  }
}

//===--- scalars ------------------------------------------------------------===//

/// The limit of recursion: of an operand of an operand … that many steps away nothing is known. A
/// question about a place ends in one about everywhere, so twice as many are on the stack. With
/// them tilec needs 350 to 380 KiB, and a thread of a host may have 512.
static constexpr unsigned kMaxSteps = 128;

int64_t Facts::divisibility(Value value) { return know(value).divisor; }
IntRange Facts::range(Value value) { return know(value).range; }

Facts::Known Facts::know(Value value) {
  if (!value.getType().isIntOrIndex())
    return {};
  Known known = knowEverywhere(value);
  if (promisesHere.empty() || stepsHere >= kMaxSteps)
    return known;
  if (auto it = cacheHere.find(value); it != cacheHere.end())
    return it->second;
  // What a region yields comes from other iterations or branches, where these promises may not
  // hold. Arithmetic is of the same time as its operands.
  Operation *op = value.getDefiningOp();
  if (op && op->getNumRegions() == 0 && op->getNumResults() == 1) {
    ++stepsHere;
    limit(known, computeOp(op));
    --stepsHere;
  }
  if (auto it = promisesHere.find(value); it != promisesHere.end())
    limit(known, it->second);
  if (known.range.min == known.range.max)
    known.divisor = magnitude(known.range.min);
  return cacheHere[value] = known;
}

Facts::Known Facts::knowEverywhere(Value value) {
  if (auto it = cache.find(value); it != cache.end())
    return it->second;
  if (auto it = provisional.find(value); it != provisional.end()) {
    metCycle = true;
    return it->second;
  }
  // What depends on itself round a loop is not known, nor what takes too many steps.
  if (inProgress.size() >= kMaxSteps || !inProgress.insert(value.getAsOpaquePointer()).second) {
    metCycle = true;
    return {1, typeRange(value.getType())};
  }
  bool metBefore = std::exchange(metCycle, false);
  // Operands are asked for what holds everywhere, too.
  llvm::DenseMap<Value, Known> here = std::exchange(promisesHere, llvm::DenseMap<Value, Known>());
  Known known = compute(value);
  promisesHere = std::move(here);
  inProgress.erase(value.getAsOpaquePointer());
  IntRange fits = typeRange(value.getType());
  if (known.range.min < fits.min || known.range.max > fits.max)
    known.range = fits;
  if (auto it = promises.find(value); it != promises.end())
    limit(known, it->second);
  if (known.range.min == known.range.max)
    known.divisor = magnitude(known.range.min);
  // What was computed inside a cycle is right, but may be less than a question of its own gives.
  bool whole = inProgress.empty();
  (metCycle && !whole ? provisional : cache)[value] = known;
  if (whole)
    provisional.clear();
  metCycle = !whole && (metCycle || metBefore);
  return known;
}

Facts::Known Facts::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return {magnitude(constant.getSExtValue()), point(constant.getSExtValue())};
  if (Operation *op = value.getDefiningOp()) {
    if (isa<RegionBranchOpInterface>(op))
      return computeMerge(value);
    return op->getNumResults() == 1 ? computeOp(op) : Known{};
  }
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  auto fold = [&](OpFoldResult x) -> Known {
    if (auto v = dyn_cast<Value>(x))
      return know(v);
    int64_t c = cast<IntegerAttr>(cast<Attribute>(x)).getInt();
    return {magnitude(c), point(c)};
  };
  auto steps = [](Known lower, Known upper, Known step) -> Known {
    IntRange range{lower.range.min, upper.range.max};
    range.max = range.max == kLow ? kLow : range.max - 1;
    return {gcd(lower.divisor, step.divisor),
            range.min <= range.max ? range : IntRange{lower.range.min, lower.range.min}};
  };
  if (auto grid = dyn_cast<GridOp>(parent)) {
    unsigned d = argument.getArgNumber();
    return steps(fold(grid.getMixedLower()[d]), fold(grid.getMixedUpper()[d]),
                 fold(grid.getMixedStep()[d]));
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    if (argument == loop.getInductionVar())
      return steps(know(loop.getLowerBound()), know(loop.getUpperBound()), know(loop.getStep()));
  if (isa<RegionBranchOpInterface>(parent) && argument.getOwner()->isEntryBlock())
    return computeMerge(value);
  return {};
}

/// A result or a block argument of an op with regions: any of the values that go there.
Facts::Known Facts::computeMerge(Value value) {
  Operation *parent = isa<OpResult>(value) ? value.getDefiningOp()
                                           : cast<BlockArgument>(value).getOwner()->getParentOp();
  RegionBranchInverseSuccessorMapping sources;
  cast<RegionBranchOpInterface>(parent).getSuccessorInputOperandMapping(sources);
  std::optional<Known> all;
  for (OpOperand *operand : sources.lookup(value)) {
    Value source = operand->get();
    Known one = know(source);
    // The divisor of the next value was computed as if nothing were known of this one, except that
    // adding a multiple keeps a multiple.
    if (auto add = source.getDefiningOp<arith::AddIOp>(); add && source.getType().isIndex())
      for (auto [x, y] :
           {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())})
        if (x == value)
          one.divisor = know(y).divisor;
    all = all ? Known{gcd(all->divisor, one.divisor), join(all->range, one.range)} : one;
  }
  return all.value_or(Known{}); // Nothing flows into an induction variable, for instance.
}

/// What upstream's rules say of the range of `op`, whose operands are scalars in these ranges.
static IntRange inferredRange(InferIntRangeInterface op, ArrayRef<IntRange> operands) {
  auto widthOf = [](Type type) { return ConstantIntRanges::getStorageBitwidth(type); };
  SmallVector<ConstantIntRanges> ranges;
  for (auto [operand, range] : llvm::zip_equal(op->getOperands(), operands)) {
    const unsigned width = widthOf(operand.getType());
    if (width == 1 || width > 64)
      ranges.push_back(ConstantIntRanges::maxRange(width));
    else
      ranges.push_back(
          ConstantIntRanges::fromSigned(APInt(width, range.min, /*isSigned=*/true, true),
                                        APInt(width, range.max, /*isSigned=*/true, true)));
  }
  IntRange result;
  op.inferResultRanges(ranges, [&](Value, const ConstantIntRanges &r) {
    if (r.smin().getBitWidth() > 1 && r.smin().getBitWidth() <= 64)
      result = {r.smin().getSExtValue(), r.smax().getSExtValue()};
  });
  return result;
}

Facts::Known Facts::computeOp(Operation *op) {
  Known known = computeArithmetic(op);
  // Before it is compared with what others say: a range that leaves the type is none.
  IntRange fits = typeRange(op->getResult(0).getType());
  if (known.range.min < fits.min || known.range.max > fits.max)
    known.range = fits;
  auto inferred = dyn_cast<InferIntRangeInterface>(op);
  if (!inferred || !llvm::all_of(op->getOperandTypes(), [](Type t) { return t.isIntOrIndex(); }))
    return known;
  SmallVector<IntRange> ranges;
  for (Value operand : op->getOperands())
    ranges.push_back(know(operand).range);
  known.range = meet(known.range, inferredRange(inferred, ranges));
  return known;
}

/// By rules of our own, which know divisors and sizes, too.
Facts::Known Facts::computeArithmetic(Operation *op) {
  auto x = [&] { return know(op->getOperand(0)); };
  auto y = [&] { return know(op->getOperand(1)); };
  // Narrow arithmetic wraps around at a power of two.
  bool narrow = !op->getResult(0).getType().isIndex();
  auto wrapped = [&](Known k) -> Known {
    IntRange fits = typeRange(op->getResult(0).getType());
    if (narrow && (k.range.min < fits.min || k.range.max > fits.max))
      k = {k.divisor ? powerOf2In(k.divisor) : 0, fits};
    return k;
  };
  auto quotient = [&](Rounding rounding, bool isUnsigned) -> Known {
    Known a = x(), b = y();
    if (isUnsigned && a.range.min < 0)
      return {};
    // Divided by 0, the result is undefined; a negative number is a large one without a sign.
    if (a.range.min >= 0 && b.range.min <= 0 && (isUnsigned || b.range.min == 0))
      return {a.divisor ? 1 : 0, {0, a.range.max}};
    if (b.range.min <= 0)
      return {};
    const int64_t least = b.range.min, most = b.range.max;
    IntRange range{kHigh, kLow};
    for (int64_t dividend : {a.range.min, a.range.max})
      for (int64_t c : {least, most})
        range = join(range, point(divide(dividend, c, rounding)));
    const bool divides = least == most && a.divisor % least == 0;
    return {a.divisor == 0 ? 0 : divides ? a.divisor / least : 1, range};
  };
  auto remainder = [&](bool isUnsigned) -> Known {
    Known a = x(), b = y();
    Known r{gcd(a.divisor, b.divisor), {}};
    if (isUnsigned && a.range.min < 0)
      r.divisor = r.divisor ? powerOf2In(r.divisor) : 0;
    if (b.range.min > 0 && b.range.max < kHigh) {
      r.range = {a.range.min >= 0 || isUnsigned ? 0 : -(b.range.max - 1), b.range.max - 1};
      if (a.range.min >= 0)
        r.range.max = std::min(r.range.max, a.range.max);
    }
    return r;
  };
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](DimOp dim) -> Known {
        auto it = classOfName.find(dim.getName());
        return it == classOfName.end() ? Known{} : classes[it->second];
      })
      .Case([&](NumCoresOp) -> Known { return {1, {1, 65535}}; })
      .Case([&](memref::DimOp dim) -> Known {
        std::optional<int64_t> index = dim.getConstantIndex();
        auto type = dyn_cast<MemRefType>(dim.getSource().getType());
        if (!index || !type || *index < 0 || *index >= type.getRank())
          return {1, {0, kHigh}};
        return know(sizeOf(dim.getSource(), *index));
      })
      .Case<arith::AddIOp, arith::SubIOp>([&](Operation *) {
        Known a = x(), b = y();
        return wrapped({gcd(a.divisor, b.divisor),
                        isa<arith::AddIOp>(op) ? add(a.range, b.range) : sub(a.range, b.range)});
      })
      .Case([&](arith::MulIOp) {
        Known a = x(), b = y();
        return wrapped({product(a.divisor, b.divisor), mul(a.range, b.range)});
      })
      .Case([&](arith::ShLIOp) -> Known {
        Known a = x(), b = y();
        if (b.range.min != b.range.max || b.range.min < 0 || b.range.min > 62)
          return {};
        int64_t factor = int64_t(1) << b.range.min;
        return wrapped({product(a.divisor, factor), mul(a.range, point(factor))});
      })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](Operation *) -> Known {
        Known a = x(), b = y();
        if (b.range.min != b.range.max || b.range.min < 0 || b.range.min > 62 ||
            (isa<arith::ShRUIOp>(op) && a.range.min < 0))
          return {};
        int64_t c = int64_t(1) << b.range.min;
        return {a.divisor % c == 0 ? a.divisor / c : 1,
                {divide(a.range.min, c, Rounding::Down), divide(a.range.max, c, Rounding::Down)}};
      })
      .Case([&](arith::DivSIOp) { return quotient(Rounding::Zero, false); })
      .Case([&](arith::FloorDivSIOp) { return quotient(Rounding::Down, false); })
      .Case([&](arith::CeilDivSIOp) { return quotient(Rounding::Up, false); })
      .Case([&](arith::DivUIOp) { return quotient(Rounding::Zero, true); })
      .Case([&](arith::CeilDivUIOp) { return quotient(Rounding::Up, true); })
      .Case([&](arith::RemSIOp) { return remainder(false); })
      .Case([&](arith::RemUIOp) { return remainder(true); })
      .Case([&](arith::MinSIOp) -> Known {
        Known a = x(), b = y();
        return {gcd(a.divisor, b.divisor),
                {std::min(a.range.min, b.range.min), std::min(a.range.max, b.range.max)}};
      })
      .Case([&](arith::MaxSIOp) -> Known {
        Known a = x(), b = y();
        return {gcd(a.divisor, b.divisor),
                {std::max(a.range.min, b.range.min), std::max(a.range.max, b.range.max)}};
      })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](Operation *) -> Known {
        Known a = x(), b = y();
        return {gcd(a.divisor, b.divisor), join(a.range, b.range)};
      })
      .Case([&](arith::SelectOp select) -> Known {
        Known a = know(select.getTrueValue()), b = know(select.getFalseValue());
        return {gcd(a.divisor, b.divisor), join(a.range, b.range)};
      })
      .Case([&](arith::AndIOp) -> Known {
        Known a = x(), b = y(), r;
        r.divisor =
            a.divisor && b.divisor ? std::max(powerOf2In(a.divisor), powerOf2In(b.divisor)) : 0;
        for (IntRange i : {a.range, b.range})
          if (i.min >= 0)
            r.range = {0, std::min(r.range.max, i.max)};
        return r;
      })
      .Case<arith::OrIOp, arith::XOrIOp>([&](Operation *) -> Known {
        Known a = x(), b = y();
        int64_t both = gcd(a.divisor, b.divisor);
        return {both ? powerOf2In(both) : 0, IntRange{}};
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](Operation *) { return wrapped(x()); })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](Operation *) -> Known {
        Known a = x();
        if (a.range.min >= 0)
          return wrapped(a);
        unsigned width = op->getOperand(0).getType().isIndex()
                             ? 64
                             : op->getOperand(0).getType().getIntOrFloatBitWidth();
        return wrapped({a.divisor ? powerOf2In(a.divisor) : 0,
                        {0, width >= 63 ? kHigh : (int64_t(1) << width) - 1}});
      })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>([&](auto apply) {
        AffineMap map = apply.getAffineMap();
        SmallVector<Known> operands;
        for (Value operand : apply->getOperands())
          operands.push_back(know(operand));
        Known all = evaluate(map.getResult(0), operands, map.getNumDims());
        for (AffineExpr expr : map.getResults().drop_front()) {
          Known one = evaluate(expr, operands, map.getNumDims());
          all = {gcd(all.divisor, one.divisor), join(all.range, one.range)};
        }
        return all;
      })
      .Default([](Operation *) { return Known{}; });
}

Facts::Known Facts::evaluate(AffineExpr expr, ArrayRef<Known> operands, unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {magnitude(constant.getValue()), point(constant.getValue())};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Known a = evaluate(binary.getLHS(), operands, numDims);
  Known b = evaluate(binary.getRHS(), operands, numDims);
  bool constant = b.range.min == b.range.max && b.range.min > 0;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {gcd(a.divisor, b.divisor), add(a.range, b.range)};
  case AffineExprKind::Mul:
    return {product(a.divisor, b.divisor), mul(a.range, b.range)};
  case AffineExprKind::Mod:
    return {gcd(a.divisor, b.divisor), constant ? IntRange{0, b.range.min - 1} : IntRange{}};
  default: {
    if (!constant)
      return {};
    Rounding rounding = expr.getKind() == AffineExprKind::FloorDiv ? Rounding::Down : Rounding::Up;
    return {
        a.divisor % b.range.min == 0 ? a.divisor / b.range.min : 1,
        {divide(a.range.min, b.range.min, rounding), divide(a.range.max, b.range.min, rounding)}};
  }
  }
}
