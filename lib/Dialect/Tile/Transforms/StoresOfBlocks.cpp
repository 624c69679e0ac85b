// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of tile-verify: stores of which neighbouring blocks of a grid write the same elements.
//
//   tile.grid (%i) = (0) to (%n) step (1000) {
//     tile.store %t, %y[%i] : tensor<1024xf32> -> memref<?xf32>   // 24 elements are written twice
//
// Two blocks are compared that are neighbours along one dimension of the grid: all their
// coordinates are equal but one, which differs by a step. Each coordinate of a store that is linear
// in that one differs by a known number of elements. The two boxes overlap if, in each dimension of
// the memref, they are less apart than the box is long.
//
// An overlap that each launch has is an error. So is one by a step that is known and smaller than
// the tile: it is a mistake in every grid with more than one block. Where something else decides it
// that is not known (how many blocks there are, the step, whether the elements lie inside the
// memref, whether a loop runs, whether an integer wraps around) it is a warning. Where nothing is
// known of a coordinate there is no message: then it is `tilec --check` that finds the race.
#include "../FactsArithmetic.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/Races.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::tile;

namespace {
/// A number, or nothing if it is not known or does not fit.
using Known = std::optional<int64_t>;

Known add(Known x, Known y) {
  int64_t sum;
  return x && y && !llvm::AddOverflow(*x, *y, sum) ? Known(sum) : std::nullopt;
}
Known multiply(Known x, Known y) {
  int64_t product;
  return x && y && !llvm::MulOverflow(*x, *y, product) ? Known(product) : std::nullopt;
}

/// By how much a scalar grows from one block to the next, for each element by which the grid's
/// coordinate grows.
struct Growth {
  int64_t by = 0;
  bool mayWrap = false; ///< it is `by` only if no narrow integer wraps around between the blocks
  /// True if the scalar is the same in both blocks.
  bool isNone() const { return by == 0 && !mayWrap; }
};
using KnownGrowth = std::optional<Growth>;

KnownGrowth grown(Known by, bool mayWrap) {
  return by ? KnownGrowth(Growth{*by, mayWrap}) : std::nullopt;
}
KnownGrowth add(KnownGrowth x, KnownGrowth y) {
  return x && y ? grown(add(x->by, y->by), x->mayWrap || y->mayWrap) : std::nullopt;
}
KnownGrowth multiply(KnownGrowth x, Known factor) {
  return x && factor ? grown(multiply(x->by, factor), x->mayWrap) : std::nullopt;
}
bool isNone(KnownGrowth x) { return x && x->isNone(); }

unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

/// The scalars of a grid: how they grow from one block to the next along one dimension, and what
/// they are in the block where all coordinates are the lower bounds.
class Scalars {
public:
  Scalars(GridOp grid, unsigned dim, Facts &facts) : body(grid.getBody()), facts(facts) {
    auto lowers = grid.getMixedLower();
    for (BlockArgument coordinate : grid.getCoordinates()) {
      const unsigned d = coordinate.getArgNumber();
      growths[coordinate] = Growth{d == dim};
      const Known lower = getConstantIntValue(lowers[d]);
      firsts[coordinate] = lower ? facts::point(*lower) : facts.range(dyn_cast<Value>(lowers[d]));
    }
    // Operands come before the ops that use them, so there is no recursion.
    body.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  }

  KnownGrowth of(Value value) const {
    if (!body.isAncestor(value.getParentRegion()))
      return Growth{};
    auto known = growths.find(value);
    return known == growths.end() ? std::nullopt : known->second;
  }

  /// The value in the first block, and in the first iterations of its loops.
  IntRange first(Value value) const {
    auto known = firsts.find(value);
    return known == firsts.end() ? facts.range(value) : known->second;
  }

  /// Whether both blocks surely run `op`; nothing if not both may run it equally often, because
  /// something else is around it than loops with equal numbers of iterations.
  std::optional<bool> runsInBoth(Operation *op) const {
    bool surely = true;
    for (Operation *outer = op->getParentOp(); outer != body.getParentOp();
         outer = outer->getParentOp()) {
      auto loop = equalLoops.find(outer);
      if (loop == equalLoops.end())
        return std::nullopt;
      surely &= loop->second;
    }
    return surely;
  }

  /// True if both blocks have the same view.
  bool isSameView(Value memref) const {
    for (Operation *op = memref.getDefiningOp(); op && body.isAncestor(op->getParentRegion());
         op = memref.getDefiningOp()) {
      auto view = dyn_cast<ViewLikeOpInterface>(op);
      if (!view)
        return false;
      for (Value operand : op->getOperands())
        if (operand.getType().isIntOrIndex() && !isNone(of(operand)))
          return false;
      memref = view.getViewSource();
    }
    return true;
  }

private:
  void visit(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visit(loop);
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
      return;
    Value result = op->getResult(0);
    growths[result] = growthOf(op);
    if (std::optional<IntRange> range = firstOf(op))
      firsts[result] = facts::meet(*range, facts.range(result));
  }

  KnownGrowth growthOf(Operation *op) const {
    return llvm::TypeSwitch<Operation *, KnownGrowth>(op)
        .Case([&](arith::AddIOp o) { return wrapped(add(of(o.getLhs()), of(o.getRhs())), o); })
        .Case([&](arith::SubIOp o) {
          return wrapped(add(of(o.getLhs()), multiply(of(o.getRhs()), -1)), o);
        })
        .Case([&](arith::MulIOp o) { return wrapped(product(o), o); })
        .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
            [&](auto o) { return cast(o, /*isSigned=*/true); })
        .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
            [&](auto o) { return cast(o, /*isSigned=*/false); })
        .Case([&](affine::AffineApplyOp o) { return affine(o); })
        .Default([&](Operation *o) { return other(o); });
  }

  /// The result of arithmetic on index, or of a cast that keeps the number; nothing for other ops.
  std::optional<IntRange> firstOf(Operation *op) const {
    Value result = op->getResult(0);
    if (isa<arith::IndexCastOp, arith::ExtSIOp>(op) &&
        widthOf(op->getOperand(0).getType()) <= widthOf(result.getType()))
      return first(op->getOperand(0));
    if (!result.getType().isIndex())
      return std::nullopt;
    auto x = [&] { return first(op->getOperand(0)); };
    auto y = [&] { return first(op->getOperand(1)); };
    return llvm::TypeSwitch<Operation *, std::optional<IntRange>>(op)
        .Case([&](arith::AddIOp) { return facts::add(x(), y()); })
        .Case([&](arith::SubIOp) { return facts::sub(x(), y()); })
        .Case([&](arith::MulIOp) { return facts::mul(x(), y()); })
        .Default(std::nullopt);
  }

  /// Iterations with the same number are compared.
  void visit(scf::ForOp loop) {
    KnownGrowth lower = of(loop.getLowerBound()), upper = of(loop.getUpperBound());
    if (!lower || !upper || lower->by != upper->by || !isNone(of(loop.getStep())))
      return;
    const IntRange begin = first(loop.getLowerBound()), end = first(loop.getUpperBound());
    equalLoops[loop] = !lower->mayWrap && !upper->mayWrap && end.min > begin.max;
    growths[loop.getInductionVar()] = lower;
    firsts[loop.getInductionVar()] = begin;
  }

  /// The growth of a result of arithmetic: narrow integers wrap around.
  static KnownGrowth wrapped(KnownGrowth growth, Operation *op) {
    if (growth && growth->by != 0 && widthOf(op->getResult(0).getType()) < 64)
      growth->mayWrap = true;
    return growth;
  }

  KnownGrowth product(arith::MulIOp op) const {
    KnownGrowth lhs = of(op.getLhs()), rhs = of(op.getRhs());
    if (isNone(lhs) && isNone(rhs))
      return Growth{};
    // One factor is the same in both blocks, and known.
    if (isNone(rhs))
      return multiply(lhs, getConstantIntValue(op.getRhs()));
    return isNone(lhs) ? multiply(rhs, getConstantIntValue(op.getLhs())) : std::nullopt;
  }

  template <typename Op>
  KnownGrowth cast(Op op, bool isSigned) const {
    KnownGrowth growth = of(op.getIn());
    if (!growth || growth->isNone())
      return growth;
    const unsigned from = widthOf(op.getIn().getType()), to = widthOf(op.getType());
    const IntRange range = facts.range(op.getIn());
    const bool fits = to >= from ? isSigned || range.min >= 0
                      : isSigned ? llvm::isIntN(to, range.min) && llvm::isIntN(to, range.max)
                                 : range.min >= 0 && llvm::isUIntN(to, range.max);
    growth->mayWrap |= !fits;
    return growth;
  }

  KnownGrowth affine(affine::AffineApplyOp op) const {
    AffineMap map = op.getAffineMap();
    return affine(map.getResult(0), op.getMapOperands(), map.getNumDims());
  }

  KnownGrowth affine(AffineExpr expr, ValueRange operands, unsigned numDims) const {
    if (isa<AffineConstantExpr>(expr))
      return Growth{};
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return of(operands[dim.getPosition()]);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return of(operands[numDims + symbol.getPosition()]);
    auto binary = llvm::cast<AffineBinaryOpExpr>(expr);
    KnownGrowth lhs = affine(binary.getLHS(), operands, numDims);
    KnownGrowth rhs = affine(binary.getRHS(), operands, numDims);
    if (expr.getKind() == AffineExprKind::Add)
      return add(lhs, rhs);
    if (isNone(lhs) && isNone(rhs))
      return Growth{};
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (expr.getKind() == AffineExprKind::Mul && factor)
      return multiply(lhs, factor.getValue());
    return std::nullopt;
  }

  /// Equal operands give equal results, unless memory is read.
  KnownGrowth other(Operation *op) const {
    if (op->getNumRegions() || !isMemoryEffectFree(op))
      return std::nullopt;
    bool same = llvm::all_of(op->getOperands(), [&](Value operand) {
      return isa<MemRefType>(operand.getType()) ? isSameView(operand) : isNone(of(operand));
    });
    return same ? KnownGrowth(Growth{}) : std::nullopt;
  }

  Region &body;
  Facts &facts;
  llvm::DenseMap<Value, KnownGrowth> growths;
  llvm::DenseMap<Value, IntRange> firsts;
  llvm::DenseMap<Operation *, bool> equalLoops; ///< whether they surely run
};

/// A store of a tile or of a scalar.
struct Box {
  Operation *op;
  Value memref;
  ValueRange coords;
  SmallVector<int64_t> extents; ///< for each dimension of the memref
  bool isScalar = false;        ///< it may not lie outside the memref
};

/// The elements that two blocks write.
struct Overlap {
  IntRange step;                  ///< of the grid
  std::optional<unsigned> moving; ///< the first dimension of the memref in which they are apart
  bool falls = false;             ///< the next block begins before this one
  int64_t apart = 0;              ///< at least, in that dimension
  int64_t neededStep = 0;         ///< that would be enough there
  bool forEachStep = true;        ///< that the grid may have
  bool runs = true;               ///< both blocks surely run the store
  bool mayWrap = false;
  bool isInside = true;  ///< elements of it surely lie inside the memref
  bool mayInside = true; ///< the same if memrefs are as large as they may be
  bool isKnownStep() const { return moving && step.min == step.max; }
};

class StoresOfBlocks {
public:
  explicit StoresOfBlocks(KernelOp kernel) : kernel(kernel), facts(kernel) {}

  LogicalResult verify() {
    for (auto grid : kernel.getBody().getOps<GridOp>())
      verify(grid);
    return failure(failed);
  }

private:
  void verify(GridOp grid);
  std::optional<Overlap> findOverlap(IntRange step, const Scalars &scalars, const Box &box);
  bool findInside(Overlap &overlap, const Box &box, unsigned d, Growth growth, IntRange first);
  bool report(GridOp grid, unsigned dim, const Box &box, const Overlap &overlap);
  void sayWhen(Diagnostic &message, GridOp grid, unsigned dim, const Box &box,
               const Overlap &overlap);
  void sayWhere(Diagnostic &message, GridOp grid, unsigned dim);
  bool hasSeveralBlocks(GridOp grid, unsigned dim);

  IntRange range(OpFoldResult number) {
    if (Known constant = getConstantIntValue(number))
      return facts::point(*constant);
    return facts.range(cast<Value>(number));
  }

  IntRange stepOf(GridOp grid, unsigned dim);

  KernelOp kernel;
  Facts facts;
  bool failed = false;
};
} // namespace

/// What cannot keep to the part of its block: a store without limits and mask, which both blocks
/// run.
static std::optional<Box> boxOf(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return Box{op, store.getMemRef(), store.getIndices(),
               SmallVector<int64_t>(store.getMemRefType().getRank(), 1), /*isScalar=*/true};
  auto store = dyn_cast<StoreOp>(op);
  if (!store || !store.isBox() || store.getMask() || !store.getLimits().empty())
    return std::nullopt;
  SmallVector<int64_t> extents(store.getMemRefType().getRank(), 1);
  for (auto [dim, extent] : llvm::zip(store.getDims(), store.getTileType().getShape()))
    extents[dim] = extent;
  return Box{op, store.getDest(), store.getCoords(), extents};
}

/// A step is at least 1, and a multiple of its divisor.
IntRange StoresOfBlocks::stepOf(GridOp grid, unsigned dim) {
  OpFoldResult number = grid.getMixedStep()[dim];
  IntRange step = range(number);
  step.min = std::max<int64_t>(step.min, 1);
  if (auto value = dyn_cast<Value>(number); value && step.min != step.max)
    if (const int64_t divisor = facts.divisibility(value); divisor > 1) {
      const Known least = multiply(llvm::divideCeilSigned(step.min, divisor), divisor);
      step.min = least.value_or(step.min);
      step.max = step.max / divisor * divisor;
    }
  return step;
}

bool tessera::tile::ordersBlocks(GridOp grid) {
  return grid
      .walk([](AtomicOp atomic) {
        return atomic.isOrdered() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void StoresOfBlocks::verify(GridOp grid) {
  if (ordersBlocks(grid))
    return;
  SmallVector<Box> boxes;
  grid.getBody().walk([&](Operation *op) {
    if (std::optional<Box> box = boxOf(op); box && rootOf(box->memref))
      boxes.push_back(*box);
  });
  for (unsigned dim = 0; dim != grid.getRank(); ++dim)
    if (range(grid.getMixedUpper()[dim]).max <= range(grid.getMixedLower()[dim]).min)
      return; // there is no block
  for (unsigned dim = 0; dim != grid.getRank() && !boxes.empty(); ++dim) {
    const IntRange step = stepOf(grid, dim);
    int64_t length;
    // Along this dimension there is one block, or none.
    if (!llvm::SubOverflow(range(grid.getMixedUpper()[dim]).max,
                           range(grid.getMixedLower()[dim]).min, length) &&
        length <= step.min)
      continue;
    const Scalars scalars(grid, dim, facts);
    // One message a store.
    llvm::erase_if(boxes, [&](const Box &box) {
      std::optional<Overlap> overlap = findOverlap(step, scalars, box);
      return overlap && report(grid, dim, box, *overlap);
    });
  }
}

/// What the blocks of the grid that are neighbours both write; nothing if they do not, or if that
/// is not known.
std::optional<Overlap> StoresOfBlocks::findOverlap(IntRange step, const Scalars &scalars,
                                                   const Box &box) {
  std::optional<bool> runs = scalars.runsInBoth(box.op);
  if (!runs || !scalars.isSameView(box.memref))
    return std::nullopt;
  Overlap overlap;
  overlap.step = step;
  overlap.runs = *runs;
  for (auto [d, coord] : llvm::enumerate(box.coords)) {
    const KnownGrowth growth = scalars.of(coord);
    if (!growth || growth->by == facts::kLow)
      return std::nullopt;
    const int64_t grows = std::abs(growth->by), extent = box.extents[d];
    const Known apart = multiply(grows, step.min);
    // What is very far apart does not overlap.
    if (!apart || *apart >= extent)
      return std::nullopt;
    overlap.mayWrap |= growth->mayWrap;
    if (grows) {
      const int64_t needed = llvm::divideCeilSigned(extent, grows);
      overlap.forEachStep &= step.max < needed;
      if (!overlap.moving) {
        overlap.moving = d;
        overlap.falls = growth->by < 0;
        overlap.apart = *apart;
        overlap.neededStep = needed;
      }
    }
    if (!findInside(overlap, box, d, *growth, scalars.first(coord)))
      return std::nullopt;
  }
  return overlap;
}

/// Finds out whether elements that two blocks write lie inside the memref: returns false if surely
/// none does in dimension `d`. The boxes begin at `first` and at the next place after it, so what
/// both write begins at the larger one of the two, and ends with the other one's box.
bool StoresOfBlocks::findInside(Overlap &overlap, const Box &box, unsigned d, Growth growth,
                                IntRange first) {
  if (box.isScalar)
    return true;
  const int64_t grows = std::abs(growth.by), extent = box.extents[d];
  const IntRange size = facts.sizeRange(box.memref, d), all = facts.range(box.coords[d]);
  const Known least = add(all.min, grows * overlap.step.min), end = add(all.max, extent);
  if ((least && *least >= size.max) || (end && *end <= 0))
    return false;
  // For all steps that make the blocks overlap.
  const int64_t apart =
      grows ? grows * std::min(overlap.step.max, llvm::divideCeilSigned(extent, grows) - 1) : 0;
  const Known begin = growth.by < 0 ? Known(first.max) : add(first.max, apart);
  const Known last = add(first.min, growth.by < 0 ? extent - apart : extent);
  const bool beginsInside = last && *last > 0;
  auto isBelow = [&](int64_t bound) { return begin && *begin < bound; };
  overlap.isInside &= beginsInside && isBelow(size.min);
  // What has no largest size has room for everything.
  overlap.mayInside &= size.max == facts::kHigh || (beginsInside && isBelow(size.max));
  return true;
}

/// True if each launch has at least two blocks along the dimension, and one along the others.
bool StoresOfBlocks::hasSeveralBlocks(GridOp grid, unsigned dim) {
  for (unsigned d = 0; d != grid.getRank(); ++d) {
    const Known last = add(range(grid.getMixedLower()[d]).max, d == dim ? stepOf(grid, d).max : 0);
    if (!last || *last >= range(grid.getMixedUpper()[d]).min)
      return false;
  }
  return true;
}

/// What must come together so that an overlap is a race; nothing if it always is.
void StoresOfBlocks::sayWhen(Diagnostic &message, GridOp grid, unsigned dim, const Box &box,
                             const Overlap &overlap) {
  SmallVector<std::string> conditions;
  if (!hasSeveralBlocks(grid, dim))
    conditions.push_back("the grid has two blocks along dimension " + std::to_string(dim));
  if (!overlap.runs)
    conditions.push_back("the loops around the store run");
  if (overlap.mayWrap)
    conditions.push_back("no narrow integer wraps around on the way to a coordinate");
  if (!overlap.mayInside || conditions.empty())
    conditions.push_back(nameOfRoot(box.memref) + " has these elements");
  message << " as soon as " << llvm::join(conditions, " and ");
}

void StoresOfBlocks::sayWhere(Diagnostic &message, GridOp grid, unsigned dim) {
  Diagnostic &note = message.attachNote(grid.getLoc());
  note << "dimension " << dim << " of this grid has the ";
  if (Known step = getConstantIntValue(grid.getMixedStep()[dim]))
    note << "step " << *step;
  else
    note << "step that this op has as an operand";
}

/// Returns false if there is nothing to say.
bool StoresOfBlocks::report(GridOp grid, unsigned dim, const Box &box, const Overlap &overlap) {
  const bool isOfEachLaunch = hasSeveralBlocks(grid, dim) && overlap.isInside;
  const bool isError = overlap.forEachStep && overlap.runs && !overlap.mayWrap &&
                       (isOfEachLaunch || (overlap.isKnownStep() && overlap.mayInside));
  // What may be a race in a variant of a kernel has been reported for the kernel.
  if (!isError && kernel.getVariantOf())
    return false;
  failed |= isError;
  InFlightDiagnostic inFlight =
      isError ? mlir::emitError(box.op->getLoc()) : mlir::emitWarning(box.op->getLoc());
  Diagnostic &message = *inFlight.getUnderlyingDiagnostic();
  const std::string array = nameOfRoot(box.memref);
  message << "'" << box.op->getName() << "' op writes ";
  if (!overlap.moving) {
    message << "the same elements of " << array << " in all blocks along dimension " << dim
            << " of the grid, which is a race";
    if (!isError)
      sayWhen(message, grid, dim, box, overlap);
    message << ": no coordinate of the store changes along dimension " << dim
            << "; make one depend on it, or store where scf.if chooses one block";
  } else {
    message << box.extents[*overlap.moving] << " elements of " << array << " in dimension "
            << *overlap.moving;
    if (overlap.forEachStep) {
      message << ", but the next block along dimension " << dim << " of the grid begins "
              << (overlap.isKnownStep() ? "" : "at least ") << overlap.apart
              << (overlap.apart == 1 ? " element " : " elements ")
              << (overlap.falls ? "away" : "further")
              << ": both write the elements between, which is a race";
      if (!isError)
        sayWhen(message, grid, dim, box, overlap);
      message << "; let the grid have a step of at least " << overlap.neededStep;
    } else {
      message << "; that is a race unless dimension " << dim
              << " of the grid has a step of at least " << overlap.neededStep
              << ", which is not known: say so with tile.assume";
    }
    // A limit ends a store above, and the next block may be below.
    if (!overlap.falls)
      message << ", or give the store a limit where the next block begins";
  }
  sayWhere(message, grid, dim);
  return true;
}

LogicalResult tessera::tile::verifyStoresOfBlocks(KernelOp kernel) {
  return StoresOfBlocks(kernel).verify();
}
