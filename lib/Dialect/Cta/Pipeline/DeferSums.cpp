// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-defer-sums: sums across the lanes of a warp are formed once, after the loop.
//
// A loop that carries s = s · a + sum of the elements of x (softmax's sum of a row; a = 1
// elsewhere) needs the whole sum nowhere inside. So each lane keeps the sum of its own elements,
// and the shuffles, which end an iteration's chain of dependent results, happen after the loop.
//
// x gets a shape whose dimensions are the lanes and the registers of the summed dimension: the same
// elements in the same registers. A lane's part of the sum is then an ordinary reduction over the
// dimensions of registers. `a`, which all lanes of a row have, is an ordinary broadcast.
#include "ScheduleProblem.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/Pipeline/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::cta {
#define GEN_PASS_DEF_DEFERSUMS
#include "tessera/Dialect/Cta/Pipeline/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// A summed dimension, split into several; those of lanes remain after the reduction.
struct Parts {
  RankedTensorType whole;     ///< x in the new shape
  SmallVector<int64_t> regs;  ///< the dimensions of `whole` that each lane sums up
  SmallVector<int64_t> lanes; ///< the dimensions of lanes in the result of that
};

class Deferral {
public:
  Deferral(CountedLoop loop, unsigned number) : loop(loop), number(number), b(loop) {}
  bool run();

private:
  bool match();
  bool matchSum(Value whole, Value part);
  std::optional<Parts> partsOf(RankedTensorType type, int64_t dim);
  void rewrite(const Parts &parts);

  CountedLoop loop;
  unsigned number; ///< of the iter_arg
  IRRewriter b;
  Operation *update = nullptr; ///< s · a + sum, or s + sum
  Operation *scaled = nullptr; ///< s · a, if that is an op of its own
  ReduceOp sum;
  Value factor; ///< a; null: 1
};
} // namespace

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_NegZeroFloat());
}

/// A sum of floats along one dimension, from zero.
static bool isSum(ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getPartial() || op.getDims().size() != 1 ||
      !isZero(op.getInits().front()))
    return false;
  Block &body = op.getCombiner().front();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  return add && llvm::hasNItems(body, 2) &&
         llvm::all_of(add->getOperands(), [](Value v) { return isa<BlockArgument>(v); }) &&
         add.getLhs() != add.getRhs();
}

/// `whole` is the carried sum, scaled or not; `part` is what the iteration adds to it.
bool Deferral::matchSum(Value whole, Value part) {
  Value carried = loop.getRegionIterArg(number);
  sum = part.getDefiningOp<ReduceOp>();
  if (!sum || sum->getBlock() != loop.getBody() || !sum->hasOneUse() || !isSum(sum))
    return false;
  scaled = nullptr;
  factor = {};
  if (whole == carried)
    return true;
  auto product = whole.getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != loop.getBody() || !product->hasOneUse())
    return false;
  for (unsigned i : {0, 1})
    if (product->getOperand(i) == carried) {
      scaled = product;
      factor = product->getOperand(1 - i);
      return factor != carried;
    }
  return false;
}

bool Deferral::match() {
  Value carried = loop.getRegionIterArg(number);
  if (!isa<RankedTensorType>(carried.getType()) || !carried.hasOneUse() ||
      !isZero(loop.getInitArgs()[number]))
    return false;
  Value result = loop.getYieldedValues()[number];
  update = result.getDefiningOp();
  if (!update || update->getBlock() != loop.getBody() || !result.hasOneUse())
    return false;
  if (auto fma = dyn_cast<math::FmaOp>(update)) {
    bool first = fma.getA() == carried;
    if ((first ? fma.getB() : fma.getA()) == carried || (!first && fma.getB() != carried) ||
        !matchSum(carried, fma.getC()))
      return false;
    factor = first ? fma.getB() : fma.getA();
    return true;
  }
  auto add = dyn_cast<arith::AddFOp>(update);
  return add && (matchSum(add.getLhs(), add.getRhs()) || matchSum(add.getRhs(), add.getLhs()));
}

/// Splits a dimension by its bits, from the lowest: into runs of register bits and runs of lane
/// bits. The repeats of the base tile are registers.
std::optional<Parts> Deferral::partsOf(RankedTensorType type, int64_t dim) {
  FragAttr frag = FragAttr::of(type);
  if (!frag)
    return std::nullopt;
  layout::RegisterLayout l = frag.layout();
  const int64_t base = l.baseShape()[dim], extent = type.getDimSize(dim);
  if (extent % base || l.wgDim == dim)
    return std::nullopt;
  // Each bit moves one bit of one coordinate.
  enum Kind { None, Register, Lane };
  SmallVector<Kind> bits(llvm::Log2_64(base), None);
  auto note = [&](const std::vector<layout::Coord> &vectors, Kind kind) {
    return llvm::all_of(vectors, [&](const layout::Coord &vector) {
      if (!vector[dim])
        return true;
      bool alone = llvm::count_if(vector, [](int64_t x) { return x != 0; }) == 1 &&
                   llvm::isPowerOf2_64(vector[dim]);
      if (!alone || kind == None)
        return false;
      bits[llvm::Log2_64(vector[dim])] = kind;
      return true;
    });
  };
  if (!note(l.regs, Register) || !note(l.lanes, Lane) || !note(l.warps, None) ||
      llvm::is_contained(bits, None))
    return std::nullopt;
  struct Run {
    Kind kind;
    int64_t extent;
  };
  SmallVector<Run> runs;
  auto add = [&](Kind kind, int64_t times) {
    if (runs.empty() || runs.back().kind != kind)
      runs.push_back({kind, 1});
    runs.back().extent *= times;
  };
  for (Kind kind : bits)
    add(kind, 2);
  if (extent > base)
    add(Register, extent / base);
  std::reverse(runs.begin(), runs.end());
  if (runs.size() < 2 || type.getRank() - 1 + static_cast<int64_t>(runs.size()) > layout::kMaxRank)
    return std::nullopt;

  auto split = [&](const layout::Coord &vector) {
    layout::Coord result(vector.begin(), vector.begin() + dim);
    int64_t below = extent;
    for (const Run &run : runs) {
      below /= run.extent;
      result.push_back(vector[dim] / below % run.extent);
    }
    result.insert(result.end(), vector.begin() + dim + 1, vector.end());
    return result;
  };
  layout::RegisterLayout parts = l;
  for (auto *vectors : {&parts.regs, &parts.lanes, &parts.warps})
    for (layout::Coord &vector : *vectors)
      vector = split(vector);
  if (l.wgDim > dim)
    parts.wgDim += static_cast<int>(runs.size()) - 1;
  SmallVector<int64_t> shape(type.getShape().take_front(dim));
  Parts result;
  for (const Run &run : runs) {
    if (run.kind == Register)
      result.regs.push_back(static_cast<int64_t>(shape.size()));
    else
      result.lanes.push_back(static_cast<int64_t>(shape.size() - result.regs.size()));
    shape.push_back(run.extent);
  }
  llvm::append_range(shape, type.getShape().drop_front(dim + 1));
  if (!reshapeKeepsRegisters(l, type.getShape(), parts, shape))
    return std::nullopt;
  result.whole =
      RankedTensorType::get(shape, type.getElementType(), FragAttr::get(type.getContext(), parts));
  return result;
}

/// The loop carries the sums of the lanes; they are added up after the loop.
void Deferral::rewrite(const Parts &parts) {
  Location loc = update->getLoc();
  auto add = [&](Type type, Value source, ArrayRef<int64_t> dims) -> Value {
    Value zero = b.clone(*sum.getInits().front().getDefiningOp())->getResult(0);
    auto op = ReduceOp::create(b, sum.getLoc(), TypeRange{type}, ValueRange{source},
                               ValueRange{zero}, dims, /*partial=*/false);
    IRMapping mapping;
    sum.getCombiner().cloneInto(&op.getCombiner(), mapping);
    return op.getResult(0);
  };
  RankedTensorType type = ReduceOp::reducedType(parts.whole, parts.regs);
  b.setInsertionPoint(update);
  Value whole = ReshapeOp::create(b, sum.getLoc(), parts.whole, sum.getInputs().front());
  Value part = add(type, whole, parts.regs);
  BlockArgument carried = loop.getRegionIterArg(number);
  carried.setType(type);
  Value next;
  if (factor) {
    SmallVector<int64_t> rows;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!llvm::is_contained(parts.lanes, d))
        rows.push_back(d);
    Value all = BroadcastOp::create(b, loc, type, factor, rows);
    next = isa<math::FmaOp>(update)
               ? math::FmaOp::create(b, loc, carried, all, part).getResult()
               : arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, carried, all), part)
                     .getResult();
  } else {
    next = arith::AddFOp::create(b, loc, carried, part);
  }
  b.replaceAllUsesWith(update->getResult(0), next);
  b.eraseOp(update);
  if (scaled)
    b.eraseOp(scaled);
  b.setInsertionPoint(loop);
  loop.setInitArg(number, arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  Value result = loop.getResult(number);
  Type old = result.getType();
  result.setType(type);
  b.setInsertionPointAfter(loop);
  Value total = add(old, result, parts.lanes);
  b.replaceAllUsesExcept(result, total, total.getDefiningOp());
  b.eraseOp(sum);
}

bool Deferral::run() {
  if (!match())
    return false;
  auto type = cast<RankedTensorType>(sum.getInputs().front().getType());
  std::optional<Parts> parts = partsOf(type, sum.getDims().front());
  if (!parts)
    return false;
  // The type that the loop carried is the new one without the dimensions of lanes.
  RankedTensorType part = ReduceOp::reducedType(parts->whole, parts->regs);
  if (ReduceOp::reducedType(part, parts->lanes) != loop.getResult(number).getType())
    return false;
  rewrite(*parts);
  return true;
}

namespace {
struct DeferSums : cta::impl::DeferSumsBase<DeferSums> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Scheduled, getArgument())))
      return signalPassFailure();
    if (!kernel.reassociates())
      return;
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      for (CountedLoop loop : pipelinedLoops(launch))
        for (unsigned i = 0; i < loop.getNumResults(); ++i)
          Deferral(loop, i).run();
  }
};
} // namespace
