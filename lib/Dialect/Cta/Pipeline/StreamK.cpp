// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-stream-k: output tiles that would fill the last wave of a persistent launch only in part are
// divided among all blocks by main loop iterations (split K, and Osama, Merrill, Cecka, Garland,
// Owens: Stream-K, PPoPP 2023).
//
// Let there be p output tiles ("points") and n units (blocks, or clusters of them). Each unit first
// computes p / n whole output tiles. The remaining r = p % n output tiles have r * v iterations.
//
// If r <= n / 2, each of them is cut into x = n / r parts of the same length, or of nearly it:
// those of a length of ceil(v / x) iterations that are needed. There are no more than
// kMostPartsOfTile, because one block adds those of an output tile one after the other. So blocks
// that read the same rows read them at about the same time, and L2 fetches them once.
//
//     tiles      |----- 0 -----|----- 1 -----|----- 2 -----|          r = 3, v = 14, n = 8
//     parts      |- 0 -|-- 1 --|- 2 -|-- 3 --|- 4 -|-- 5 --|          x = 2
//
// Otherwise the iterations are put in one sequence and cut into u <= n parts, whose lengths differ
// by at most one iteration. As r < n, no part is longer than an output tile, so it touches one
// output tile or two:
//
//     tiles      |----- 0 -----|----- 1 -----|----- 2 -----|          r = 3, v = 14, n = 4
//     parts      |--- 0 ---|--- 1 ---|--- 2 ---|--- 3 ----|           u = 4
//
// Then blocks that read the same rows of an operand are at different iterations, and L2 fetches
// those rows several times. So this is done only if the grid has one row or one column of output
// tiles. Then one operand is read once, and of the other all blocks read the same few rows, which
// stay in L2. Clusters, which share operands, are not cut so either.
//
// A unit first computes the end of one output tile (part 1: iterations 11 to 13 of output tile 0)
// and then the beginning of the next one. The unit with the first iteration of an output tile
// stores it. It adds the partial sums of the following parts, which their units computed first and
// finished long before. Partial sums pass through workspace. Parts are numbered in the opposite
// order of blocks, so that a block waits only for blocks with lower numbers.
//
// Parts have at least `stream_k` iterations, but for the last one of an output tile, which may have
// fewer. If that saves fewer than `stream_k` iterations, each of the r output tiles is one part.
#include "BlockCoordinates.h"

#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {
#define GEN_PASS_DEF_STREAMK
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

using arith::CmpIPredicate;

/// The end of an item that reaches the last iteration of its output tile.
static constexpr int64_t kAll = -1;

namespace {
/// Integer arithmetic that is folded: in index before the launch, in i32 inside.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(int64_t x) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, x)); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(loc, x, y); }
  Value min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
  Value max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
  Value is(CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
  }
  /// 1 if true, 0 if false.
  Value number(Value condition) { return select(condition, constant(1), constant(0)); }
  Value ceildiv(Value x, Value y) { return div(add(x, sub(y, constant(1))), y); }
};

/// Values that are the same in all blocks, computed before the launch, as i32. If output tiles are
/// not cut, each counts as one iteration; then all numbers are small, however many iterations there
/// are.
struct Division {
  Value whole;                       ///< output tiles that each unit computes alone
  Value first;                       ///< the number of the first remaining output tile
  Value trips;                       ///< iterations of an output tile
  Value units;                       ///< how many parts there are
  Value part, more;                  ///< iterations of a part; the first `more` parts have one more
  Value splits;                      ///< whether output tiles are cut into parts
  Divisor byTrips, byPart, byLonger; ///< by `trips`, `part`, and one more than `part`
};

/// What a block computes besides whole output tiles; computed before its loop, as i32.
struct Part {
  Value items;   ///< output tiles, whole ones and partial ones
  Value whole;   ///< how many of them are whole; those come first
  Value unit;    ///< the number of this unit
  Value base;    ///< of a partial item: the number of its output tile less that of the item
  Value offset;  ///< where the first partial item begins
  Value upto[2]; ///< where the first and the second end; kAll: at the end of the output tile
  Value others;  ///< following parts that have the rest of an output tile which this one began
};

class StreamK {
public:
  StreamK(LaunchOp launch, ForOutputTilesOp outputTiles, int64_t shortest)
      : launch(launch), outputTiles(outputTiles), b(outputTiles), shortest(shortest) {}
  LogicalResult run();

private:
  LogicalResult findProducts();
  LogicalResult checkSum(unsigned number);
  Value outside(Value value);
  Value narrow(Value index) {
    return b.createOrFold<arith::IndexCastUIOp>(loc(), b.getI32Type(), index);
  }
  Value widen(Value number) {
    return b.createOrFold<arith::IndexCastUIOp>(loc(), b.getIndexType(), number);
  }
  Value isNarrow();
  LogicalResult divide();
  Value workspace(RankedTensorType tile, bool flags);
  Part takePart();
  void rewrite();

  InFlightDiagnostic error(Operation *op, const Twine &what) {
    return op->emitOpError("stands in the way of stream_k: ") << what;
  }
  Location loc() { return outputTiles.getLoc(); }

  LaunchOp launch;
  ForOutputTilesOp outputTiles;
  scf::ForOp products; ///< the main loop
  OpBuilder b;
  int64_t shortest;
  Value lower, upper, step; ///< of `products`, before the launch
  Value total, launched;    ///< output tiles, units
  Value units;              ///< `launched` as i32
  Division division;
};
} // namespace

//===--- what there is -----------------------------------------------------------------------===//

/// The sum that `user` makes by adding to this one, or null.
static Value addedTo(Value sum, Operation *user) {
  if (auto product = dyn_cast<WgmmaOp>(user))
    return product.getC() == sum ? product.getResult() : Value();
  if (auto fused = dyn_cast<math::FmaOp>(user))
    return fused.getC() == sum ? fused.getResult() : Value();
  return isa<arith::AddFOp, arith::AddIOp>(user) ? user->getResult(0) : Value();
}

/// An error unless the value of an iteration is that of the last one plus what the iteration adds,
/// which no sum of another iteration goes into.
LogicalResult StreamK::checkSum(unsigned number) {
  Value sum = products.getRegionIterArg(number);
  Value end = products.getYieldedValues()[number];
  auto element = dyn_cast<RankedTensorType>(sum.getType());
  Operation *at = products;
  auto kernel = launch->getParentOfType<tile::KernelOp>();
  // Nothing but the next addition, and at the end the loop itself, may read it: what else an
  // iteration computes from it would depend on those before.
  for (;;) {
    const bool isEnd = sum == end;
    Value next = sum.hasOneUse() && !isEnd ? addedTo(sum, *sum.user_begin()) : Value();
    if (!sum.hasOneUse() || (!isEnd && (!next || next.getParentRegion() != &products.getRegion())))
      return error(at, "result ")
             << number
             << " of the main loop is not just a sum, so that blocks cannot each compute a part of "
                "it; plan stream_k = 0";
    if (isEnd)
      break;
    at = next.getDefiningOp();
    if (!isa<WgmmaOp>(at) && !kernel.reassociates() && element &&
        isa<FloatType>(element.getElementType()))
      return error(at, "additions may not be reassociated (reassoc = off); plan stream_k = 0");
    sum = next;
  }
  if (!element || element.getElementType().getIntOrFloatBitWidth() != 32)
    return error(products, "partial sums have elements of 32 bits, got ") << sum.getType();
  const FragAttr frag = FragAttr::of(element);
  if (!frag || registersOf(Type(element)) * 128 * frag.getWgCount() != element.getNumElements())
    return error(products, "result ")
           << number
           << " of the main loop is a sum of which threads hold elements several times, so that "
              "they would hand them on several times; plan stream_k = 0";
  Attribute start;
  if (!matchPattern(products.getInitArgs()[number], m_Constant(&start)) ||
      !(matchPattern(products.getInitArgs()[number], m_AnyZeroFloat()) ||
        matchPattern(products.getInitArgs()[number], m_Zero())))
    return error(products,
                 "its accumulators must begin with 0, because each share of an output tile's "
                 "iterations does; add the other values after the loop, or plan stream_k = 0");
  return success();
}

LogicalResult StreamK::findProducts() {
  if (outputTiles.getNumResults())
    return error(outputTiles, "the loop over output tiles carries values from one to the next");
  for (Operation &op : outputTiles.getBody()->without_terminator()) {
    if (!hasProducts(&op))
      continue;
    auto here = dyn_cast<scf::ForOp>(op);
    if (!here)
      return error(&op, "it has matrix products, but is no loop whose iterations blocks could "
                        "share; plan stream_k = 0");
    if (products) {
      InFlightDiagnostic second = error(
          here, "an output tile has more than one loop with matrix products; plan stream_k = 0");
      second.attachNote(products.getLoc()) << "the first";
      return second;
    }
    products = here;
  }
  bool writes = false;
  products.walk([&](Operation *op) { writes |= writesGlobal(op); });
  if (writes)
    return error(products, "it stores, and blocks that share its iterations would store incomplete "
                           "results; plan stream_k = 0");
  for (unsigned i = 0; i < products.getNumResults(); ++i)
    if (failed(checkSum(i)))
      return failure();
  // Ops before the main loop would run in several blocks for one output tile; stores would happen
  // twice.
  for (Operation &op : outputTiles.getBody()->without_terminator()) {
    if (&op == products)
      break;
    bool stores = false;
    op.walk([&](Operation *inner) { stores |= writesGlobal(inner); });
    if (stores)
      return error(
          &op, "it stores before the main loop, which several blocks would do; plan stream_k = 0");
  }
  return success();
}

/// The value as computed before the launch, or null.
Value StreamK::outside(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return arith::ConstantIndexOp::create(b, loc(), *constant);
  if (auto cast = value.getDefiningOp<arith::IndexCastUIOp>())
    if (Value source = outside(cast.getIn()))
      return source;
  Operation *owner = value.getDefiningOp();
  bool inside =
      owner ? launch->isAncestor(owner) : launch->isAncestor(value.getParentBlock()->getParentOp());
  if (inside)
    return {};
  return b.createOrFold<arith::IndexCastUIOp>(loc(), b.getIndexType(), value);
}

//===--- the division ------------------------------------------------------------------------===//

/// Whether the grid has one row or one column of output tiles, computed before the launch. Of a
/// grid of static extents cta-lower-grid knows it. Otherwise the total is a product, of which one
/// factor is all.
Value StreamK::isNarrow() {
  // The output tiles of clusters are no product of two numbers.
  if (launch.getCluster().value_or(1) > 1)
    return arith::ConstantIntOp::create(b, loc(), false, 1);
  if (auto known = launch->getAttrOfType<BoolAttr>(kNarrowAttr))
    return arith::ConstantIntOp::create(b, loc(), known.getValue(), 1);
  SmallVector<Value> factors, open{total};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto product = value.getDefiningOp<arith::MulIOp>()) {
      open.append({product.getLhs(), product.getRhs()});
      continue;
    }
    if (auto cast = value.getDefiningOp<arith::IndexCastUIOp>())
      open.push_back(cast.getIn());
    else if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      open.push_back(cast.getIn());
    else
      factors.push_back(value);
  }
  Arithmetic a{b, loc(), b.getIndexType()};
  Value largest = a.constant(1);
  for (Value factor : factors)
    largest = a.max(largest, factor.getType().isIndex() ? factor : widen(factor));
  return a.is(CmpIPredicate::eq, largest, total);
}

LogicalResult StreamK::divide() {
  b.setInsertionPoint(launch);
  Arithmetic a{b, loc(), b.getIndexType()};
  lower = outside(products.getLowerBound());
  upper = outside(products.getUpperBound());
  step = outside(products.getStep());
  if (!lower || !upper || !step)
    return error(
        products,
        "the number of its iterations is computed inside the grid; all output tiles must have as "
        "many, so compute it before the grid");
  if (!products.getInductionVar().getType().isIndex())
    return error(products, "it must count in index");
  total = outside(outputTiles.getUpperBound());
  if (!total || launch.getBlocks().size() != 1 ||
      !outputTiles.getLowerBound().getType().isInteger(32))
    return error(outputTiles, "it is not the loop over output tiles that cta-lower-grid makes");
  launched = a.max(launch.getBlocks().front(), a.constant(1));
  if (int64_t cluster = launch.getCluster().value_or(1); cluster > 1)
    launched = a.div(launched, a.constant(cluster));

  Value zero = a.constant(0), one = a.constant(1), least = a.constant(shortest);
  auto both = [&](Value x, Value y) { return b.createOrFold<arith::AndIOp>(loc(), x, y); };
  Value iterations = a.ceildiv(a.max(a.sub(upper, lower), zero), step);
  Division &d = division;
  d.whole = a.div(total, launched);
  d.first = a.mul(d.whole, launched);
  Value rest = a.sub(total, d.first);
  // Blocks count the iterations in i32. So many more would not be worth it, either.
  Value most = a.constant(int64_t(1) << 29);
  Value all = a.mul(rest, a.min(iterations, most));
  Value few = both(a.is(CmpIPredicate::slt, a.max(all, iterations), most),
                   a.is(CmpIPredicate::sgt, rest, zero));
  auto pays = [&](Value length) {
    return both(few, a.is(CmpIPredicate::sge, a.sub(iterations, length), least));
  };

  // Each output tile by itself.
  Value possible = a.min(a.div(launched, a.max(rest, one)), a.constant(plan::kMostPartsOfTile));
  Value pieces = a.max(a.min(possible, a.div(iterations, least)), one);
  Value length = a.max(a.ceildiv(iterations, pieces), one);
  Value cuts = pays(length);
  pieces = a.ceildiv(iterations, length);
  d.splits = cuts;
  d.trips = a.select(cuts, a.mul(length, pieces), one);
  d.units = a.select(cuts, a.mul(rest, pieces), rest);
  d.part = a.select(cuts, length, one);
  d.more = zero;

  // All in one sequence.
  Value parts = a.max(a.min(a.div(all, least), launched), one);
  Value sequence =
      both(both(isNarrow(), a.is(CmpIPredicate::sgt, parts, rest)), pays(a.ceildiv(all, parts)));
  sequence = both(sequence, a.is(CmpIPredicate::slt, possible, a.constant(2)));
  Value each = a.div(all, parts);
  d.splits = b.createOrFold<arith::OrIOp>(loc(), cuts, sequence);
  d.trips = a.select(sequence, iterations, d.trips);
  d.units = a.select(sequence, parts, d.units);
  d.part = a.select(sequence, each, d.part);
  d.more = a.select(sequence, a.sub(all, a.mul(each, parts)), d.more);
  units = narrow(launched);
  for (Value *value : {&d.whole, &d.first, &d.trips, &d.units, &d.part, &d.more})
    *value = narrow(*value);
  Arith outside{b, loc()};
  d.byTrips = makeDivisor(outside, d.trips);
  d.byPart = makeDivisor(outside, d.part);
  d.byLonger = makeDivisor(outside, outside.make<arith::AddIOp>(d.part, outside.i32(1)));
  return success();
}

/// Workspace with a slot for each block, or with the flags of its warps.
Value StreamK::workspace(RankedTensorType tile, bool flags) {
  Value blocks = launch.getBlocks().front();
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  Type element = tile.getElementType();
  if (flags) {
    shape.push_back(4 * FragAttr::of(tile).getWgCount());
    element = b.getI32Type();
  } else {
    shape.append(tile.getShape().begin(), tile.getShape().end());
  }
  auto alloc =
      memref::AllocOp::create(b, loc(), MemRefType::get(shape, element), ValueRange{blocks});
  if (flags) {
    alloc->setAttr("tile.init", b.getI32IntegerAttr(0));
    alloc->setAttr("tile.restored", b.getUnitAttr());
  }
  return alloc;
}

//===--- the new loop ------------------------------------------------------------------------===//

Part StreamK::takePart() {
  const Division &d = division;
  Arithmetic a{b, loc(), b.getI32Type()};
  Value zero = a.constant(0), one = a.constant(1), all = a.constant(kAll);
  Part part;
  part.unit = outputTiles.getLowerBound();
  Value mine = a.sub(a.sub(units, one), part.unit);
  Value start = a.add(a.mul(mine, d.part), a.min(mine, d.more));
  Value length = a.add(d.part, a.number(a.is(CmpIPredicate::slt, mine, d.more)));
  Arith arith{b, loc()};
  Value outputTile; // among the remaining ones
  std::tie(outputTile, part.offset) = cta::divide(arith, start, d.byTrips);
  Value end = a.add(part.offset, length);
  Value has = a.is(CmpIPredicate::slt, mine, d.units);
  Value second = b.createOrFold<arith::AndIOp>(loc(), has, a.is(CmpIPredicate::sgt, end, d.trips));
  // The last iteration of the output tile that this part begins, and the part that has it.
  Value begins = a.add(outputTile, a.number(a.is(CmpIPredicate::sgt, part.offset, zero)));
  Value final = a.sub(a.mul(a.add(begins, one), d.trips), one);
  Value border = a.mul(d.more, d.byLonger.value);
  Value after = a.sub(a.max(final, border), border);
  Value beyond = a.add(d.more, cta::divide(arith, after, d.byPart).first);
  Value last = a.select(a.is(CmpIPredicate::slt, final, border),
                        cta::divide(arith, final, d.byLonger).first, beyond);

  part.items = a.add(a.add(d.whole, a.number(has)), a.number(second));
  part.whole = d.whole;
  part.base = a.sub(a.add(d.first, outputTile), d.whole);
  auto endOf = [&](Value at) { return a.select(a.is(CmpIPredicate::slt, at, d.trips), at, all); };
  part.upto[0] = endOf(end);
  part.upto[1] = endOf(a.sub(end, d.trips));
  part.others = a.sub(last, mine);
  return part;
}

void StreamK::rewrite() {
  SmallVector<std::pair<Value, Value>> spaces; // slots and flags of each tile of partial sums
  for (Value sum : products.getResults()) {
    auto tile = cast<RankedTensorType>(sum.getType());
    Value slots = workspace(tile, /*flags=*/false);
    spaces.push_back({slots, workspace(tile, /*flags=*/true)});
  }
  b.setInsertionPoint(outputTiles);
  auto number = [&](int64_t x) -> Value { return arith::ConstantIntOp::create(b, loc(), x, 32); };
  Part part = takePart();
  auto loop = ForOutputTilesOp::create(b, loc(), number(0), part.items, number(1));

  // Which output tile, and which of its iterations.
  b.setInsertionPointToEnd(loop.getBody());
  YieldOp::create(b, loc());
  b.setInsertionPointToStart(loop.getBody());
  Arithmetic a{b, loc(), b.getI32Type()};
  Value item = loop.getInductionVar();
  Value alone = a.is(CmpIPredicate::slt, item, part.whole);
  Value isFirst = a.is(CmpIPredicate::eq, item, part.whole);
  Value own = a.add(part.unit, a.mul(units, item));
  Value outputTile = a.select(alone, own, a.add(part.base, item));
  Value from = a.select(isFirst, part.offset, number(0));
  Value upto = a.select(alone, number(kAll), a.select(isFirst, part.upto[0], part.upto[1]));
  Value isHead = a.is(CmpIPredicate::eq, from, number(0));
  Value toEnd = a.is(CmpIPredicate::eq, upto, number(kAll));

  Block *body = loop.getBody();
  body->getOperations().splice(std::prev(body->end()), outputTiles.getBody()->getOperations(),
                               outputTiles.getBody()->begin(),
                               std::prev(outputTiles.getBody()->end()));
  outputTiles.getInductionVar().replaceAllUsesWith(outputTile);
  b.setInsertionPoint(products);
  Arithmetic wide{b, loc(), b.getIndexType()};
  auto iteration = [&](Value count) { return wide.add(lower, wide.mul(widen(count), step)); };
  products.setLowerBound(iteration(from));
  products.setUpperBound(a.select(toEnd, upper, iteration(upto)));

  // After the products: the epilogue with the sums of all iterations, or the handing over of
  // partial sums.
  SmallVector<Operation *> epilogue;
  for (Operation *op = products->getNextNode(); op != body->getTerminator(); op = op->getNextNode())
    epilogue.push_back(op);
  b.setInsertionPoint(body->getTerminator());
  Value block = BlockIdOp::create(b, loc(), b.getIndexType());
  Value others = a.add(a.select(toEnd, number(0), part.others), number(1));
  auto branch = scf::IfOp::create(b, loc(), isHead, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.thenYield());
  Value stride = wide.constant(launch.getCluster().value_or(1));
  auto adding = scf::ForOp::create(b, loc(), number(1), others, number(1), products.getResults());
  b.setInsertionPointToStart(adding.getBody());
  Value slot = wide.sub(block, wide.mul(widen(adding.getInductionVar()), stride));
  SmallVector<Value> sums;
  for (auto [sum, space] : llvm::zip_equal(adding.getRegionIterArgs(), spaces))
    sums.push_back(
        AddPartialOp::create(b, loc(), sum.getType(), sum, space.first, slot, space.second));
  scf::YieldOp::create(b, loc(), sums);
  for (Operation *op : epilogue)
    op->moveBefore(branch.thenYield());
  for (auto [sum, all] : llvm::zip_equal(products.getResults(), adding.getResults()))
    sum.replaceUsesWithIf(all, [&](OpOperand &use) {
      return llvm::any_of(epilogue, [&](Operation *op) { return op->isAncestor(use.getOwner()); });
    });
  b.setInsertionPoint(branch.elseYield());
  for (auto [sum, space] : llvm::zip_equal(products.getResults(), spaces))
    PutPartialOp::create(b, loc(), sum, space.first, block, space.second);
  outputTiles.erase();
}

LogicalResult StreamK::run() {
  if (failed(findProducts()) || failed(divide()))
    return failure();
  rewrite();
  return success();
}

namespace {
struct StreamKPass : cta::impl::StreamKBase<StreamKPass> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Planned, getArgument())))
      return signalPassFailure();
    PlanAttr plan = planOf(kernel);
    if (!plan || plan.getStreamK().value_or(0) == 0)
      return;
    if (replicasOf(plan) > 1) {
      kernel.emitOpError(
          "has a plan with stream_k together with replicate = blocks, which gives each "
          "warpgroup output tiles of its own: plan one of them");
      return signalPassFailure();
    }
    bool cut = false;
    for (auto launch : llvm::make_early_inc_range(kernel.getBody().getOps<LaunchOp>())) {
      // Other launches of the kernel have no iterations to share.
      if (!hasProducts(launch))
        continue;
      ForOutputTilesOp outputTiles;
      for (auto loop : launch.getBody().getOps<ForOutputTilesOp>())
        if (hasProducts(loop))
          outputTiles = loop;
      if (!outputTiles) {
        launch.emitError("stream_k divides the output tiles of the last wave of a persistent "
                         "launch, but this launch has no loop over output tiles; plan persistent "
                         "= 1");
        return signalPassFailure();
      }
      if (failed(StreamK(launch, outputTiles, *plan.getStreamK()).run()))
        return signalPassFailure();
      cut = true;
    }
    if (!cut)
      kernel.emitRemark("stream_k cuts loops over products of the tensor cores, and there is none "
                        "here");
  }
};
} // namespace
