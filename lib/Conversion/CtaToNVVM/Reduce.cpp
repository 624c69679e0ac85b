// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.reduce and cta.scan within a warp. A reduction combines the registers of a thread as a tree,
// then the lanes by butterfly shuffles. A scan goes level by level through the coordinate bits:
// registers one after the other, lanes in log2 steps.
#include "Lowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

namespace {
/// One partial result: a value per input.
using Tuple = Values;

/// The combiner on scalars.
template <typename Op>
FailureOr<Tuple> combine(Lowering &f, Op op, const Tuple &x, const Tuple &y) {
  Block &body = op.getCombiner().front();
  size_t n = x.size();
  for (size_t i = 0; i < n; ++i) {
    f.set(body.getArgument(i), {x[i]});
    f.set(body.getArgument(n + i), {y[i]});
  }
  if (failed(f.lowerBlock(body)))
    return failure();
  f.loc = op.getLoc();
  Tuple result;
  for (Value v : body.getTerminator()->getOperands())
    result.push_back(f.scalar(v));
  return result;
}

/// A balanced tree, for short dependence chains and small rounding errors.
FailureOr<Tuple> reduceTree(Lowering &f, cta::ReduceOp op, std::vector<Tuple> items) {
  while (items.size() > 1) {
    std::vector<Tuple> next;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      FailureOr<Tuple> sum = combine(f, op, items[i], items[i + 1]);
      if (failed(sum))
        return failure();
      next.push_back(*sum);
    }
    if (items.size() % 2)
      next.push_back(items.back());
    items = std::move(next);
  }
  return items.front();
}
} // namespace

static LogicalResult lowerReduce(Lowering &f, cta::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  layout::RegisterLayout layout = cta::FragAttr::of(type).layout();
  if (cta::ReduceOp::mixesDims(layout, op.getDims()))
    return f.error(op,
                   "a vector of the input's layout runs along reduced and other dimensions: run "
                   "cta-decompose before this pass");
  layout::ThreadBits along;
  for (int64_t d : op.getDims()) {
    layout::ThreadBits bits = layout.bitsAlong(static_cast<int>(d));
    along.lanes |= bits.lanes;
    along.warps |= bits.warps;
    along.wg |= bits.wg;
  }
  if (!op.getPartial() && (along.warps || along.wg))
    return f.error(op, "the reduction crosses warps: run cta-decompose before this pass");

  // The registers of the result are those of the input's layout without the reduced dimensions,
  // also with `partial`.
  layout::RegisterLayout sliced = layout;
  layout::Coord shape = cta::coordOf(type.getShape()), slicedShape = shape;
  for (int64_t d : llvm::reverse(op.getDims())) {
    sliced = sliced.sliceDim(static_cast<int>(d));
    slicedShape.erase(slicedShape.begin() + d);
  }
  layout::RegisterTile target(sliced, slicedShape);
  TileIndex index(f, type);
  Tuple identity;
  SmallVector<const Values *> inputs;
  for (auto [input, init] : llvm::zip(op.getInputs(), op.getInits())) {
    inputs.push_back(&f.registers(input));
    identity.push_back(f.scalar(init));
  }
  std::vector<std::vector<Tuple>> groups(target.numRegisters());
  for (int64_t r = 0; r < index.size(); ++r) {
    if (index.deadEverywhere(r))
      continue;
    layout::Coord c = index.first(r);
    layout::RegisterTile::Point p = {};
    int k = 0;
    for (int d = 0; d < index.rank(); ++d)
      if (!llvm::is_contained(op.getDims(), d))
        p[k++] = c[d];
    Value live = index.live(r);
    Tuple item;
    for (auto [i, regs] : llvm::enumerate(inputs))
      item.push_back(live ? f.select(live, (*regs)[r], identity[i]) : (*regs)[r]);
    groups[target.locate(p).reg].push_back(std::move(item));
  }
  std::vector<Values> results(inputs.size());
  for (std::vector<Tuple> &group : groups) {
    Tuple total = identity;
    if (!group.empty()) {
      FailureOr<Tuple> tree = reduceTree(f, op, std::move(group));
      if (failed(tree))
        return failure();
      total = *tree;
      for (int bit = layout::kLaneBits - 1; bit >= 0; --bit) {
        if (!(along.lanes >> bit & 1))
          continue;
        Tuple other;
        for (Value x : total)
          other.push_back(f.shuffleXor(x, int64_t(1) << bit));
        FailureOr<Tuple> sum = combine(f, op, total, other);
        if (failed(sum))
          return failure();
        total = *sum;
      }
    }
    for (auto [regs, x] : llvm::zip(results, total))
      regs.push_back(x);
  }
  for (auto [old, regs] : llvm::zip(op.getResults(), results))
    f.set(old, std::move(regs));
  return success();
}

//===--- scan --------------------------------------------------------------------------------===//

namespace {
/// Values of a thread; nothing stands for the identity in all threads.
using MaybeTuple = std::optional<Tuple>;

/// Consecutive coordinate bits, all of registers or all of consecutive lane bits.
struct ScanLevel {
  bool lanes;
  int64_t count = 1; ///< elements: registers, or lanes
  int firstBit = 0;  ///< of the lane
};

class ScanLowering {
public:
  ScanLowering(Lowering &f, cta::ScanOp op)
      : f(f), op(op), dim(static_cast<int>(op.getDim())), type(op.getInputType()),
        layout(cta::FragAttr::of(type).layout()), index(f, type) {}
  LogicalResult run();

private:
  /// The elements of a row, or of a part of one, in registers and in the order of the scan.
  struct Row {
    SmallVector<int64_t> regs;
    int64_t total; ///< the register of the total
  };
  void findLevels();
  std::vector<Row> findRows();
  LogicalResult scanRow(const Row &row);
  /// The combination of the items before each item, or up to it; `total` becomes that of all.
  FailureOr<std::vector<MaybeTuple>> scan(std::vector<MaybeTuple> items, size_t level,
                                          bool inclusive);
  FailureOr<std::vector<MaybeTuple>> scanRegisters(std::vector<MaybeTuple> items, size_t level,
                                                   bool inclusive);
  FailureOr<std::vector<MaybeTuple>> scanLanes(std::vector<MaybeTuple> items, size_t level,
                                               bool inclusive);
  FailureOr<MaybeTuple> join(const MaybeTuple &x, const MaybeTuple &y) {
    if (!x || !y)
      return x ? x : y;
    FailureOr<Tuple> both = combine(f, op, *x, *y);
    if (failed(both))
      return failure();
    return MaybeTuple(*both);
  }
  bool needsTotal() { return op.getPartial() || !llvm::all_of(op.getTotals(), isUnused); }
  static bool isUnused(Value value) { return value.use_empty(); }

  Lowering &f;
  cta::ScanOp op;
  int dim;
  RankedTensorType type;
  layout::RegisterLayout layout;
  TileIndex index;
  std::vector<ScanLevel> levels;
  Tuple identity;
  MaybeTuple carry, total;             ///< of the row that is being scanned
  std::vector<Values> scanned, totals; ///< registers of each result
};
} // namespace

void ScanLowering::findLevels() {
  const int64_t end =
      op.getPartial() ? cta::ScanOp::partSize(layout, dim) : layout.baseShape()[dim];
  for (int64_t place = 1; place < end; place *= 2) {
    ScanLevel level{/*lanes=*/false, /*count=*/2};
    for (auto [bit, vector] : llvm::enumerate(layout.lanes))
      if (vector[dim] == place)
        level = {/*lanes=*/true, /*count=*/2, static_cast<int>(bit)};
    if (!levels.empty() && levels.back().lanes == level.lanes) {
      ScanLevel &last = levels.back();
      if (!level.lanes ||
          last.firstBit + static_cast<int>(llvm::Log2_64(last.count)) == level.firstBit) {
        last.count *= 2;
        continue;
      }
    }
    levels.push_back(level);
  }
  // Repetitions of the base tile come last.
  const int64_t repeats = op.getPartial() ? 1 : layout.repeats(index.shape)[dim];
  if (repeats > 1 && !levels.empty() && !levels.back().lanes)
    levels.back().count *= repeats;
  else if (repeats > 1)
    levels.push_back({/*lanes=*/false, repeats});
}

std::vector<ScanLowering::Row> ScanLowering::findRows() {
  auto target = cast<RankedTensorType>(op.getTotals().front().getType());
  layout::RegisterTile registers(cta::FragAttr::of(target).layout(),
                                 cta::coordOf(target.getShape()));
  const int64_t part = op.getPartial() ? cta::ScanOp::partSize(layout, dim) : 0;
  std::vector<Row> rows(registers.numRegisters());
  for (int64_t r = 0; r < index.size(); ++r) {
    layout::RegisterTile::Point p = {};
    int next = 0;
    bool dead = false; // in all threads, whatever the coordinate along `dim`
    for (int d = 0; d < index.rank(); ++d) {
      const int64_t c = index.first(r)[d];
      dead |= d != dim && c >= index.shape[d];
      if (d != dim)
        p[next++] = c;
      else if (part)
        p[next++] = c / part;
    }
    if (dead)
      continue;
    const int64_t at = registers.locate(p).reg;
    rows[at].regs.push_back(r);
    rows[at].total = at;
  }
  const bool reverse = op.getReverse();
  for (Row &row : rows)
    llvm::sort(row.regs, [&](int64_t a, int64_t b) {
      const int64_t x = index.first(a)[dim], y = index.first(b)[dim];
      return reverse ? x > y : x < y;
    });
  return rows;
}

FailureOr<std::vector<MaybeTuple>> ScanLowering::scan(std::vector<MaybeTuple> items, size_t level,
                                                      bool inclusive) {
  if (level < levels.size())
    return levels[level].lanes ? scanLanes(std::move(items), level, inclusive)
                               : scanRegisters(std::move(items), level, inclusive);
  FailureOr<MaybeTuple> all = MaybeTuple();
  if (inclusive || needsTotal())
    all = join(carry, items.front());
  if (failed(all))
    return failure();
  total = *all;
  return std::vector<MaybeTuple>{inclusive ? *all : carry};
}

FailureOr<std::vector<MaybeTuple>> ScanLowering::scanRegisters(std::vector<MaybeTuple> items,
                                                               size_t level, bool inclusive) {
  const auto count = static_cast<size_t>(levels[level].count);
  std::vector<MaybeTuple> sums(items), runs;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i % count) {
      FailureOr<MaybeTuple> sum = join(sums[i - 1], items[i]);
      if (failed(sum))
        return failure();
      sums[i] = *sum;
    }
    if (i % count == count - 1)
      runs.push_back(sums[i]);
  }
  auto before = scan(std::move(runs), level + 1, /*inclusive=*/false);
  if (failed(before))
    return failure();
  for (size_t i = 0; i < items.size(); ++i) {
    const MaybeTuple &first = (*before)[i / count];
    FailureOr<MaybeTuple> result = first;
    if (inclusive)
      result = join(first, sums[i]);
    else if (i % count)
      result = join(first, sums[i - 1]);
    if (failed(result))
      return failure();
    items[i] = *result;
  }
  return items;
}

/// By steps of 1, 2, 4, … lanes (Hillis and Steele, "Data parallel algorithms", 1986).
FailureOr<std::vector<MaybeTuple>> ScanLowering::scanLanes(std::vector<MaybeTuple> items,
                                                           size_t level, bool inclusive) {
  const ScanLevel &lanes = levels[level];
  const int64_t unit = int64_t(1) << lanes.firstBit;
  const int groupBits = lanes.firstBit + static_cast<int>(llvm::Log2_64(lanes.count));
  const bool reverse = op.getReverse();
  auto move = [&](const Tuple &tuple, int64_t distance, Value &inside) {
    Tuple moved;
    for (Value x : tuple)
      moved.push_back(f.shuffleFrom(x, distance, reverse, groupBits, inside));
    return moved;
  };
  auto select = [&](Value condition, const Tuple &x, const Tuple &y) {
    Tuple chosen;
    for (auto [a, b] : llvm::zip_equal(x, y))
      chosen.push_back(f.select(condition, a, b));
    return chosen;
  };
  const bool isLast = level + 1 == levels.size();
  std::vector<MaybeTuple> runs;
  for (MaybeTuple &item : items) {
    if (!item) {
      runs.emplace_back();
      continue;
    }
    Tuple sum = *item;
    Value inside;
    for (int64_t step = 1; step < lanes.count; step *= 2) {
      Tuple moved = move(sum, step * unit, inside);
      FailureOr<Tuple> more = combine(f, op, moved, sum);
      if (failed(more))
        return failure();
      sum = select(inside, *more, sum);
    }
    Tuple all;
    if (!isLast || needsTotal()) {
      // The last lane of the group in the order of the scan.
      const int64_t bits = (lanes.count - 1) * unit;
      Value lane;
      {
        Lowering::Preamble preamble(f);
        lane = reverse ? f.bitAnd(f.lane(), f.i32(31 & ~bits))
                       : Value(arith::OrIOp::create(f.b, f.loc, f.lane(), f.i32(bits)));
      }
      for (Value x : sum)
        all.push_back(f.shuffleIndex(x, lane));
      runs.emplace_back(all);
    } else {
      runs.emplace_back(identity); // nobody reads it
    }
    if (!inclusive) {
      Tuple moved = move(sum, unit, inside);
      sum = select(inside, moved, identity);
    }
    item = sum;
  }
  auto before = scan(std::move(runs), level + 1, /*inclusive=*/false);
  if (failed(before))
    return failure();
  for (auto [item, first] : llvm::zip_equal(items, *before)) {
    FailureOr<MaybeTuple> result = join(first, item);
    if (failed(result))
      return failure();
    item = *result;
  }
  return items;
}

LogicalResult ScanLowering::scanRow(const Row &row) {
  std::vector<MaybeTuple> items;
  for (int64_t r : row.regs) {
    Value live = index.liveAlong(r, dim);
    MaybeTuple &item = items.emplace_back();
    if (live && matchPattern(live, m_Zero()))
      continue;
    item.emplace();
    for (auto [input, none] : llvm::zip_equal(op.getInputs(), identity)) {
      Value x = f.registers(input)[r];
      item->push_back(live ? f.select(live, x, none) : x);
    }
  }
  carry.reset();
  if (!op.getCarries().empty()) {
    carry.emplace();
    for (Value value : op.getCarries())
      carry->push_back(f.registers(value)[row.total]);
  }
  auto results = scan(std::move(items), 0, !op.getExclusive());
  if (failed(results))
    return failure();
  for (size_t i = 0; i < identity.size(); ++i) {
    for (auto [r, result] : llvm::zip_equal(row.regs, *results))
      scanned[i][r] = result ? (*result)[i] : identity[i];
    totals[i][row.total] = total ? (*total)[i] : identity[i];
  }
  return success();
}

LogicalResult ScanLowering::run() {
  const layout::ThreadBits bits = layout.bitsAlong(dim);
  if (!cta::ScanOp::hasOrder(layout, dim) || (!op.getPartial() && (bits.warps || bits.wg)))
    return f.error(op, "the scan crosses warps, or the input's layout has no order along the "
                       "dimension: run cta-decompose before this pass");
  for (Value init : op.getInits())
    identity.push_back(f.scalar(init));
  findLevels();
  std::vector<Row> rows = findRows();
  scanned.assign(identity.size(), Values(index.size()));
  totals.assign(identity.size(), Values(rows.size()));
  for (size_t i = 0; i < identity.size(); ++i) { // what no row has is dead
    llvm::fill(scanned[i], identity[i]);
    llvm::fill(totals[i], identity[i]);
  }
  for (const Row &row : rows)
    if (!row.regs.empty() && failed(scanRow(row)))
      return failure();
  for (size_t i = 0; i < identity.size(); ++i) {
    f.set(op.getScanned()[i], std::move(scanned[i]));
    f.set(op.getTotals()[i], std::move(totals[i]));
  }
  return success();
}

static LogicalResult lowerScan(Lowering &f, cta::ScanOp op) { return ScanLowering(f, op).run(); }

//===--- repeat ------------------------------------------------------------------------------===//

/// Each register takes one of the parts in which its coordinate can be, chosen by the thread.
static LogicalResult lowerRepeat(Lowering &f, cta::RepeatOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType()),
       from = cast<RankedTensorType>(op.getSource().getType());
  const auto dim = static_cast<int>(op.getDim());
  const auto times = static_cast<int64_t>(op.getTimes());
  const layout::Coord shape = cta::coordOf(type.getShape());
  layout::RegisterLayout to = cta::FragAttr::of(type).layout(),
                         source = cta::FragAttr::of(from).layout();
  if (source != to.sliceDim(dim).expandDim(dim))
    return f.error(op, "the source must have the result's layout without bits along the dimension");
  TileIndex index(f, type);
  layout::RegisterTile tile(to, shape), parts(source, cta::coordOf(from.getShape()));
  const Values &values = f.registers(op.getSource());
  std::map<std::vector<int64_t>, Value> chosen; // by the registers of the source
  std::map<int64_t, Value> isBehind;            // by what the thread contributes to the coordinate
  Values regs;
  for (int64_t r = 0; r < index.size(); ++r) {
    // The parts in which threads have this register, and the registers that hold them.
    std::map<int64_t, int64_t> candidates;
    for (int64_t wg = 0; wg < to.wgCount; ++wg)
      for (int64_t warp = 0; warp < to.warpsPerGroup(); ++warp)
        for (int64_t lane = 0; lane < 32; ++lane) {
          layout::RegisterTile::Point p = {};
          tile.coord(r, lane, warp, wg, p);
          if (tile.isDead(p))
            continue;
          p[dim] /= times;
          candidates[p[dim]] = parts.locate(p).reg;
        }
    if (candidates.empty()) {
      regs.push_back(f.zero(type.getElementType()));
      continue;
    }
    std::vector<int64_t> key;
    for (auto [part, reg] : candidates)
      key.push_back(reg);
    Value &value = chosen[key];
    if (!value) {
      RegCoord c = index.at(r, dim);
      for (auto [part, reg] : candidates) {
        if (!value) {
          value = values[reg];
          continue;
        }
        // From this part on; later ones replace it.
        const int64_t least = part * times - c.constant;
        Value &test = isBehind[least];
        if (!test) {
          Lowering::Preamble preamble(f);
          test = f.compare(arith::CmpIPredicate::sge, c.thread, f.i32(least));
        }
        value = f.select(test, values[reg], value);
      }
    }
    regs.push_back(value);
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

//===--- any ---------------------------------------------------------------------------------===//

static LogicalResult lowerAny(Lowering &f, cta::AnyOp op) {
  TileIndex index(f, cast<RankedTensorType>(op.getNeed().getType()));
  const Values &values = f.registers(op.getNeed());
  Value any = f.boolean(false);
  for (int64_t r = 0; r < index.size(); ++r) {
    if (index.deadEverywhere(r))
      continue;
    Value live = index.live(r);
    Value own = live ? f.bitAnd(values[r], live) : values[r];
    any = arith::OrIOp::create(f.b, f.loc, any, own);
  }
  f.set(op.getResult(), {f.vote(any, /*ofWarp=*/op.getWarp())});
  return success();
}

void tessera::nvvm::populateReduceLowerings(LoweringSet &set) {
  addLowering(set, lowerAny);
  addLowering(set, lowerReduce);
  addLowering(set, lowerScan);
  addLowering(set, lowerRepeat);
}
