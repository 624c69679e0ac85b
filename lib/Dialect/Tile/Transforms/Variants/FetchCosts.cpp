// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For operands that TMA cannot fetch, decides which of two ways takes less time: copying them to
// workspace where it can (tile-repack-operands), or fetching them by threads (cp.async).
//
// A copy costs a launch that must end before the product begins, and it moves bytes. cp.async costs
// time in every iteration: the SM with the most blocks fetches waves x trips x tile bytes, and each
// byte takes longer than with TMA. The constants are fitted to measurements
// (docs/performance/constants.md). cp.async is chosen if
//
//   waves * trips * bytes of tiles * kLost  <=  copies * kCopyLaunch + bytes of operands *
//   kCopyByte
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Facts.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Machine/Machines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::tile;

namespace {
/// Femtoseconds that an SM loses for each byte that arrives by cp.async in pieces of 4 or 8 bytes
/// instead of by TMA. More is lost if an iteration has many bytes, presumably because cache lines
/// that it shares with the next iteration do not stay in L1 until then. Source:
/// docs/performance/constants.md.
constexpr int64_t kLost = 7000, kLostOfMany = 13000, kManyBytes = 32 * 1024;
/// Femtoseconds that a copy takes for its launch, and for each byte. Source:
/// docs/performance/constants.md.
constexpr int64_t kCopyLaunch = 4'000'000'000, kCopyByte = 430;

/// Builds the computation of costs from values that are known at launch, before a grid.
class Costs {
public:
  Costs(KernelOp kernel, ArrayRef<RepackCandidate> candidates)
      : kernel(kernel), candidates(candidates), b(candidates.back().grid),
        loc(candidates.back().grid->getLoc()) {}

  /// An i1, or null if it is not known before the launch.
  Value condition(bool copy);

private:
  Value index(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  Value index(OpFoldResult number) { return getValueOrCreateConstantIndexOp(b, loc, number); }
  template <typename Op>
  Value make(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  /// ceil((upper - lower) / step)
  Value count(Value lower, Value upper, Value step) {
    return make<arith::CeilDivSIOp>(make<arith::SubIOp>(upper, lower), step);
  }

  Value outside(GridOp grid, Value value);
  Value waves(GridOp grid);
  Value trips(GridOp grid, LoadOp load);
  Value lost();
  Value spent();
  Value isTooSmall(Value otherwise);

  KernelOp kernel;
  ArrayRef<RepackCandidate> candidates;
  OpBuilder b;
  Location loc;
};
} // namespace

static int64_t tileBytes(LoadOp load) {
  RankedTensorType tile = load.getTileType();
  return tile.getNumElements() * elementBytes(tile.getElementType());
}

/// A value of a grid's body in terms of values that are known before the launch, or null.
Value Costs::outside(GridOp grid, Value value) {
  llvm::SetVector<Operation *> makers;
  if (!collectMakers(value, grid, makers))
    return {};
  IRMapping map;
  for (Operation *op : makers)
    b.clone(*op, map);
  Value known = map.lookupOrDefault(value);
  return findLaunchObstacle(known) ? Value() : known;
}

/// How many blocks the busiest SM runs, one after the other.
Value Costs::waves(GridOp grid) {
  Value blocks = index(1);
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep()))
    blocks = make<arith::MulIOp>(blocks, count(index(lower), index(upper), index(step)));
  return make<arith::CeilDivSIOp>(blocks, index(kDefaultMachine.sms));
}

Value Costs::trips(GridOp grid, LoadOp load) {
  Value product = index(1);
  for (Operation *op = load->getParentOp(); op != grid; op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return {};
    Value lower = outside(grid, loop.getLowerBound()), upper = outside(grid, loop.getUpperBound()),
          step = outside(grid, loop.getStep());
    if (!lower || !upper || !step || !lower.getType().isIndex())
      return {};
    product = make<arith::MulIOp>(product, count(lower, upper, step));
  }
  return product;
}

/// The left side: what cp.async loses.
Value Costs::lost() {
  struct Loop {
    const RepackCandidate *any;
    int64_t bytes = 0;
  };
  llvm::SmallMapVector<Operation *, Loop, 4> loops; // candidates of one loop share its trip count
  for (const RepackCandidate &candidate : candidates) {
    Loop &loop = loops[candidate.load->getParentOp()];
    loop.any = &candidate;
    loop.bytes += tileBytes(candidate.load);
  }
  Value sum = index(0);
  for (const auto &[op, loop] : loops) {
    Value count = trips(loop.any->grid, loop.any->load);
    if (!count)
      return {};
    count = make<arith::MulIOp>(waves(loop.any->grid), count);
    Value each = index(loop.bytes * (loop.bytes > kManyBytes ? kLostOfMany : kLost));
    sum = make<arith::AddIOp>(sum, make<arith::MulIOp>(count, each));
  }
  return sum;
}

/// The right side: what copies cost.
Value Costs::spent() {
  llvm::SmallSetVector<std::pair<Value, unsigned>, 4> copies; // loads of one operand share a copy
  for (const RepackCandidate &candidate : candidates) {
    LoadOp load = candidate.load;
    copies.insert({load.getSource(), candidate.inner});
  }
  Value sum = index(kCopyLaunch * static_cast<int64_t>(copies.size()));
  for (auto [source, inner] : copies) {
    auto type = cast<MemRefType>(source.getType());
    Value bytes = index(kCopyByte * elementBytes(type.getElementType()));
    for (int64_t d = 0; d < type.getRank(); ++d)
      bytes = make<arith::MulIOp>(b.createOrFold<memref::DimOp>(loc, source, d), bytes);
    sum = make<arith::AddIOp>(sum, bytes);
  }
  return sum;
}

/// The condition that an operand is too small to be copied, whatever that costs.
Value Costs::isTooSmall(Value otherwise) {
  Facts facts(kernel);
  SmallVector<std::pair<Value, int64_t>> seen;
  for (const RepackCandidate &candidate : candidates) {
    LoadOp load = candidate.load;
    for (unsigned d = 0, rank = load.getMemRefType().getRank(); d < rank; ++d) {
      const int64_t least = leastSizeToRepack(candidate, d);
      if (!load.getMemRefType().isDynamicDim(d) || least <= 1 ||
          llvm::any_of(seen, [&](auto other) {
            return other.second >= least && facts.isSize(other.first, load.getSource(), d);
          }))
        continue;
      Value extent = b.createOrFold<memref::DimOp>(loc, load.getSource(), d);
      seen.push_back({extent, least});
      Value small = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, extent, index(least));
      otherwise = make<arith::OrIOp>(otherwise, small);
    }
  }
  return otherwise;
}

Value Costs::condition(bool copy) {
  Block *block = b.getInsertionBlock();
  Operation *before = b.getInsertionPoint()->getPrevNode();
  Value result = lost();
  if (result) {
    auto predicate = copy ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sle;
    result = b.createOrFold<arith::CmpIOp>(loc, predicate, result, spent());
    if (!copy)
      result = isTooSmall(result);
  }
  // Erase what was folded, or is not used in the end.
  SmallVector<Operation *> made;
  for (auto it = before ? std::next(before->getIterator()) : block->begin();
       it != b.getInsertionPoint(); ++it)
    made.push_back(&*it);
  for (Operation *op : llvm::reverse(made))
    if (isOpTriviallyDead(op) && (!result || op != result.getDefiningOp()))
      op->erase();
  return result;
}

/// True if the tile is a factor of products that its loop accumulates. That is the main loop of a
/// matrix product, which is what was measured.
static bool isSummedUp(LoadOp load) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  return loop && llvm::all_of(load->getUsers(), [&](Operation *user) {
           auto mma = dyn_cast<MmaOp>(user);
           auto sum = mma && mma.getC() ? dyn_cast<BlockArgument>(mma.getC()) : BlockArgument();
           if (!sum || sum.getOwner()->getParentOp() != loop || mma->getParentOp() != loop)
             return false;
           OpOperand *yielded = loop.getTiedLoopYieldedValue(sum);
           return yielded && yielded->get() == mma.getResult();
         });
}

bool tessera::tile::isFetchedInPieces(Facts &facts, const RepackCandidate &candidate) {
  LoadOp load = candidate.load;
  Value source = load.getSource();
  MemRefType type = load.getMemRefType();
  const unsigned inner = candidate.inner;
  const int64_t bytes = elementBytes(type.getElementType());
  auto isWhole = [&](int64_t divisor) { return divisor * bytes % kCpAsyncBytes == 0; };
  auto [strides, offset] = type.getStridesAndOffset();
  const auto *along = llvm::find(load.getDims(), static_cast<int64_t>(inner));
  if (strides[inner] != 1 || along == load.getDims().end() ||
      !isWhole(load.getTileType().getDimSize(along - load.getDims().begin())) ||
      facts.alignment(source) % kCpAsyncBytes != 0)
    return false;
  for (unsigned d = 0, rank = type.getRank(); d < rank; ++d)
    if (d != inner && type.getDimSize(d) != 1 && !isWhole(facts.strideDivisibility(source, d)))
      return false;
  return true;
}

std::vector<RepackCandidate> tessera::tile::findCopiedOperands(KernelOp kernel) {
  std::vector<RepackCandidate> copied = findRepackCandidates(kernel);
  llvm::erase_if(copied, [](const RepackCandidate &candidate) { return candidate.obstacle; });
  return copied;
}

Value tessera::tile::makeFetchCondition(KernelOp kernel, bool copy) {
  std::vector<RepackCandidate> copied = findCopiedOperands(kernel);
  if (copied.empty())
    return {};
  for (const RepackCandidate &candidate : copied) {
    LoadOp load = candidate.load;
    auto argument = dyn_cast<BlockArgument>(load.getSource());
    if (!argument || argument.getOwner() != &kernel.getBody().front() || !isSummedUp(load))
      return {};
    // An operand that is never copied needs no variant that avoids the copy.
    MemRefType type = load.getMemRefType();
    for (unsigned d = 0, rank = type.getRank(); d < rank; ++d)
      if (!type.isDynamicDim(d) && type.getDimSize(d) < leastSizeToRepack(candidate, d))
        return {};
  }
  return Costs(kernel, copied).condition(copy);
}
