// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-trim-copies: finds the copies by TMA of which nobody reads what lies outside of the array.
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Place/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace tessera::cta {
#define GEN_PASS_DEF_TRIMCOPIES
#include "tessera/Dialect/Cta/Place/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Tiles with fewer rows are not trimmed. Zeros for 16 rows take no time, and small launches of
/// kernels with more maps were slower. Source: docs/performance/constants.md.
static constexpr int64_t kLeastRows = 32;

namespace {
/// Follows one dimension of a copied tile to the stores of all that depends on it.
class Outside {
public:
  Outside(tile::Facts &facts, CopyOp copy, int64_t dim)
      : facts(facts), copy(copy), memrefDim(copy.getDims()[dim]) {
    follow(copy.getResult(), dim);
  }
  /// True if elements at places outside of the array reach nothing but such places.
  bool isUnread() {
    while (!pending.empty()) {
      auto [value, dim] = pending.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (!passes(use, dim))
          return false;
    }
    return true;
  }

private:
  /// An element of `value` at place i of dimension `dim` may depend on row i of the copied tile,
  /// and on no other of its rows.
  void follow(Value value, int64_t dim) {
    if (seen.insert({value, dim}).second)
      pending.push_back({value, dim});
  }
  bool followAll(ValueRange values, int64_t dim) {
    for (Value value : values)
      follow(value, dim);
    return true;
  }
  bool passes(OpOperand &use, int64_t dim);
  bool passesProduct(Operation *op, OpOperand &use, int64_t dim);
  bool passesControl(Operation *op, OpOperand &use, int64_t dim);
  /// True if the store writes none of the rows that lie outside of the copied array.
  template <typename Op>
  bool stopsAtEnd(Op store, int64_t dim) {
    const auto at = static_cast<unsigned>(store.getDims()[dim]);
    return store.getCoords()[at] == copy.getCoords()[memrefDim] &&
           facts.isWithinSize(store.getDest(), at, copy.getSource(),
                              static_cast<unsigned>(memrefDim));
  }

  tile::Facts &facts;
  CopyOp copy;
  int64_t memrefDim;
  SmallVector<std::pair<Value, int64_t>> pending;
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
};
} // namespace

/// The rows of `a` are those of the result, the columns of `b` are its columns, and a leading
/// dimension counts batches.
bool Outside::passesProduct(Operation *op, OpOperand &use, int64_t dim) {
  Value result = op->getResult(0);
  const unsigned operand = use.getOperandNumber();
  if (operand == 2) {
    follow(result, dim);
    return true;
  }
  int64_t rank = 2, summed;
  if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    summed = operand == 0 ? wgmma.getKDimOfA() : wgmma.getKDimOfB();
  } else {
    rank = static_cast<int64_t>(cast<MmaOp>(op).getResultType().getRank());
    summed = operand == 0 ? rank - 1 : rank - 2;
  }
  if (dim == summed)
    return false;
  const bool isBatch = dim < rank - 2;
  follow(result, isBatch ? dim : rank - 2 + operand);
  return true;
}

bool Outside::passesControl(Operation *op, OpOperand &use, int64_t dim) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    follow(loop.getTiedLoopRegionIterArg(&use), dim);
    follow(loop.getTiedLoopResult(&use), dim);
    return true;
  }
  auto yield = dyn_cast<scf::YieldOp>(op);
  if (!yield)
    return false;
  const unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(yield->getParentOp())) {
    // In the next iteration a coordinate of the loop is another number.
    if (!loop.isDefinedOutsideOfLoop(copy.getCoords()[memrefDim]))
      return false;
    follow(loop.getRegionIterArg(number), dim);
  } else if (!isa<scf::IfOp>(yield->getParentOp()))
    return false;
  follow(yield->getParentOp()->getResult(number), dim);
  return true;
}

bool Outside::passes(OpOperand &use, int64_t dim) {
  Operation *op = use.getOwner();
  if (isa<WgmmaOp, MmaOp>(op))
    return passesProduct(op, use, dim);
  if (auto store = dyn_cast<StoreOp>(op))
    return &use == &store.getValueMutable() && stopsAtEnd(store, dim);
  if (auto store = dyn_cast<CopyOutOp>(op))
    return stopsAtEnd(store, dim);
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return &use == &atomic.getValueMutable() && atomic.getIndices().empty() &&
           atomic->use_empty() && stopsAtEnd(atomic, dim);
  if (isElementwise(op) || isa<ConvertLayoutOp>(op))
    return followAll(op->getResults(), dim);
  if (auto stage = dyn_cast<StageOp>(op))
    return (stage.getInputs().size() == 1 || static_cast<int64_t>(stage.getConcatDim()) != dim) &&
           followAll(stage->getResults(), dim);
  if (auto view = dyn_cast<ViewOp>(op)) {
    // The dimensions from this one on are those of the view.
    ArrayRef<int64_t> from = tileShape(view.getSource().getType()), to = tileShape(view.getType()),
                      kept = from.drop_front(dim);
    return kept.size() <= to.size() && kept == to.take_back(kept.size()) &&
           followAll(op->getResults(), static_cast<int64_t>(to.size() - kept.size()));
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    // A dimension of extent 1 that grows puts the row everywhere.
    const int64_t to = broadcast.getDims()[dim];
    return tileShape(use.get().getType())[dim] == tileShape(broadcast.getType())[to] &&
           followAll(op->getResults(), to);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    ArrayRef<int64_t> dims = reduce.getDims();
    if (use.getOperandNumber() >= reduce.getInputs().size() || reduce.getPartial() ||
        llvm::is_contained(dims, dim))
      return false;
    return followAll(op->getResults(),
                     dim - llvm::count_if(dims, [&](int64_t other) { return other < dim; }));
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return followAll(op->getResults(),
                     llvm::find(transpose.getDims(), dim) - transpose.getDims().begin());
  if (auto read = dyn_cast<ReadOp>(op)) {
    // A read of the whole shared tile.
    return !read.getDims() && tileShape(read.getSource().getType()) == tileShape(read.getType()) &&
           followAll(op->getResults(), dim);
  }
  return passesControl(op, use, dim);
}

/// The dimension along which the copy may leave out what lies outside of the array, or nothing.
static std::optional<int64_t> trimOf(tile::Facts &facts, CopyOp copy) {
  if (copy.isByThreads() || copy.getIndexTile() || copy.getTrim() || copy.getStrides() ||
      !copy.getLimits().empty())
    return std::nullopt;
  tile::Facts::Place place(facts, copy);
  const layout::SharedLayout shared = sharedLayout(copy.getSmemType());
  const auto rank = static_cast<int64_t>(shared.shape.size());
  // The contiguous dimension comes last: along it whole boxes can be left out, no rows.
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != shared.contiguousDim)
      order.push_back(dim);
  order.push_back(shared.contiguousDim);
  for (int64_t dim : order) {
    const auto memrefDim = static_cast<unsigned>(copy.getDims()[dim]);
    const int64_t extent = shared.shape[dim];
    Value at = copy.getCoords()[memrefDim];
    auto isWhole = [&](const layout::TmaBox &box) {
      return boxTrim(shared, box, dim) == BoxTrim::None;
    };
    if (extent < kLeastRows || facts.sizeDivisibility(copy.getSource(), memrefDim) % extent == 0 ||
        facts.divisibility(at) % extent != 0 || facts.range(at).min < 0 ||
        llvm::all_of(shared.tmaBoxes(), isWhole))
      continue;
    if (Outside(facts, copy, dim).isUnread())
      return dim;
  }
  return std::nullopt;
}

namespace {
struct TrimCopies : cta::impl::TrimCopiesBase<TrimCopies> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    tile::Facts facts(kernel);
    kernel.walk([&](CopyOp copy) {
      std::optional<int64_t> dim = trimOf(facts, copy);
      if (!dim)
        return;
      copy.setTrim(*dim);
      ++numTrimmed;
    });
  }
};
} // namespace
