// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operands of matrix products that TMA cannot fetch where they are get copied to workspace where it
// can.
//
// A copy moves the operand through memory twice; the product reads each element once per block.
// Fetching by TMA instead of by loads of single elements saves an order of magnitude per tile. Over
// all blocks that is far more than the copy costs, unless the product is so short that the launch
// of one more kernel counts. `leastSizeToRepack` is that limit, and becomes guards of the variant.
// cp.async in pieces of 4 bytes loses less than loads of single elements do: see FetchCosts.cpp.
//
// Rows of the workspace begin at multiples of 128 bytes, a cache line of L2. The sizes of the
// workspace are those of the operand, so that elements outside stay outside: the space between rows
// is never read.
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Facts.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/TmaRules.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEREPACKOPERANDS
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

namespace {
/// Rows of workspace begin at multiples of this many bytes, a cache line of L2.
constexpr int64_t kRowBytes = tessera::hopper::kL2LineBytes;
/// The tile of a block of the copy: whole cache lines, and enough of them in flight.
constexpr int64_t kCopyRows = 64, kCopyRowBytes = 256;
/// A loop over fewer tiles of the operand ends before a copy has paid for its launch. Source:
/// docs/performance/constants.md.
constexpr int64_t kLeastTrips = 4;
/// The part of a tile's rows that must be there: with fewer, most of the product would be for
/// nothing. Source: docs/performance/constants.md.
constexpr int64_t kLeastPart = 16;
} // namespace

//===--- which loads ------------------------------------------------------------------------===//

/// True if the tile is used only as an operand of products that may run on tensor cores.
static bool feedsProducts(LoadOp load) {
  RankedTensorType tile = load.getTileType();
  if ((tile.getRank() != 2 && tile.getRank() != 3) || load->use_empty())
    return false;
  auto isOperand = [](OpOperand &use) {
    auto mma = dyn_cast<MmaOp>(use.getOwner());
    if (!mma || use.get() == mma.getC() || !mma.getTensorCoreStep())
      return false;
    ArrayRef<int64_t> result = mma.getResultType().getShape();
    return result.size() == 2 || splitsBatches(result[0], result[1], result[2]);
  };
  // To tensor cores a transpose is the same tile.
  return llvm::all_of(load->getUses(), [&](OpOperand &use) {
    auto transpose = dyn_cast<TransposeOp>(use.getOwner());
    return transpose && tile.getRank() == 2 ? llvm::all_of(transpose->getUses(), isOperand)
                                            : isOperand(use);
  });
}

/// Appends what a value depends on: operands and, through control flow, bounds and yielded values.
/// Without `withEnds` where a loop ends counts for nothing: that says how many of its tiles a block
/// reads, and not which.
static void appendSources(Value value, bool withEnds, SmallVectorImpl<Value> &to) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent);
        loop && !withEnds && argument == loop.getInductionVar()) {
      to.append({loop.getLowerBound(), loop.getStep()});
      return;
    }
    llvm::append_range(to, parent->getOperands());
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
        to.push_back(yielded->get());
    return;
  }
  auto result = cast<OpResult>(value);
  llvm::append_range(to, result.getOwner()->getOperands());
  for (Region &region : result.getOwner()->getRegions())
    for (Block &block : region)
      if (Operation *end = block.getTerminator())
        llvm::append_range(to, end->getOperands());
}

/// True if blocks of the grid that differ in some coordinate read the same tile; without `withEnds`
/// if they do as long as both read.
static bool isShared(LoadOp load, GridOp grid, bool withEnds) {
  llvm::SmallPtrSet<Value, 16> seen;
  SmallVector<Value> work(load.getCoords());
  work.push_back(load.getSource());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!grid.getRegion().isAncestor(value.getParentRegion()) || !seen.insert(value).second)
      continue;
    if (value.getParentRegion() != &grid.getRegion() || value.getDefiningOp())
      appendSources(value, withEnds, work);
  }
  return llvm::any_of(grid.getCoordinates(), [&](Value coord) { return !seen.contains(coord); });
}

llvm::SetVector<Value> tessera::tile::writtenRoots(GridOp grid) {
  llvm::SetVector<Value> roots;
  grid.walk([&](MemoryEffectOpInterface op) {
    if (isa<RegionBranchOpInterface>(op.getOperation()))
      return;
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          op.getEffectOnValue<MemoryEffects::Write>(operand).has_value())
        roots.insert(rootOf(operand));
  });
  return roots;
}

bool tessera::tile::collectMakers(Value value, GridOp grid, llvm::SetVector<Operation *> &makers) {
  if (!grid.getRegion().isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collectMakers(operand, grid, makers))
      return false;
  makers.insert(op);
  return true;
}

/// The dimension that should be contiguous: the one that is, else the last dimension of the tile.
static unsigned innerDim(LoadOp load) {
  auto [strides, offset] = load.getMemRefType().getStridesAndOffset();
  int64_t last = 0, unit = -1;
  for (int64_t d : load.getDims()) {
    last = std::max(last, d);
    if (strides[d] == 1)
      unit = std::max(unit, d);
  }
  return static_cast<unsigned>(unit < 0 ? last : unit);
}

static std::optional<std::string> findObstacle(KernelOp kernel, Facts &facts, LoadOp load,
                                               GridOp grid) {
  Value source = load.getSource(), root = rootOf(source);
  llvm::SetVector<Operation *> makers;
  if (isArrayInMemory(root))
    return std::string("a launch that copies it would have to know the addresses before the grid");
  if (!collectMakers(source, grid, makers))
    return std::string("the view differs from block to block: use the argument, with coordinates");
  auto [strides, offset] = load.getMemRefType().getStridesAndOffset();
  if (llvm::is_contained(strides, 0))
    return std::string("a stride is 0: a copy would be larger than the operand");
  for (Value written : writtenRoots(grid))
    if (rootsMayAlias(root, written))
      return (written ? nameOfRoot(written) : "unknown memory") + " is written in the same grid" +
             (written == root ? ""
                              : " and may overlap " + (root ? nameOfRoot(root) : "the operand")) +
             ": a copy would not see that";
  if (auto why = whyNotTmaBounds(facts, source, load.getLimits(), load.getLimited(), load.getDims(),
                                 load.getMask(), load.getPadAttr()))
    return why;
  return std::nullopt;
}

/// Calls `visit` with each load of an operand that blocks of the grid share, in a main loop.
static void
forEachSharedOperand(KernelOp kernel, bool withEnds,
                     llvm::function_ref<void(LoadOp, LoopLikeOpInterface, GridOp)> visit) {
  for (auto grid : kernel.getBody().getOps<GridOp>())
    grid.walk([&](LoadOp load) {
      auto loop = load->getParentOfType<LoopLikeOpInterface>();
      if (feedsProducts(load) && loop && grid->isProperAncestor(loop) &&
          isShared(load, grid, withEnds))
        visit(load, loop, grid);
    });
}

std::vector<LoadOp> tessera::tile::findWidestOperands(KernelOp kernel, bool withEnds) {
  llvm::MapVector<Operation *, std::vector<LoadOp>> widest;
  auto bytes = [](LoadOp load) {
    return load.getTileType().getNumElements() * elementBytes(load.getTileType().getElementType());
  };
  forEachSharedOperand(kernel, withEnds, [&](LoadOp load, LoopLikeOpInterface loop, GridOp) {
    std::vector<LoadOp> &loads = widest[loop];
    if (!loads.empty() && bytes(load) > bytes(loads.front()))
      loads.clear();
    if (loads.empty() || bytes(load) == bytes(loads.front()))
      loads.push_back(load);
  });
  std::vector<LoadOp> result;
  for (const auto &[loop, loads] : widest)
    llvm::append_range(result, loads);
  return result;
}

std::vector<RepackCandidate> tessera::tile::findRepackCandidates(KernelOp kernel) {
  std::vector<RepackCandidate> candidates;
  Facts facts(kernel);
  forEachSharedOperand(
      kernel, /*withEnds=*/true, [&](LoadOp load, LoopLikeOpInterface, GridOp grid) {
        const Facts::Place place(facts, load);
        unsigned inner = innerDim(load);
        std::optional<std::string> why = whyNotTmaRoot(load.getSource());
        if (!why)
          why = whyNotTmaStrides(facts, load.getSource(), inner);
        if (why)
          candidates.push_back({load, grid, inner, *why, findObstacle(kernel, facts, load, grid)});
        if (why && !candidates.back().obstacle) {
          candidates.back().obstacle = whyNotTmaExtents(facts, load.getSource(), load.getCoords());
          candidates.back().onlySizes = candidates.back().obstacle.has_value();
          if (!candidates.back().obstacle)
            candidates.back().obstacle =
                whyNotTmaPlace(facts, load.getSource(), load.getCoords(), inner, /*isStore=*/false);
        }
      });
  return candidates;
}

int64_t tessera::tile::leastSizeToRepack(const RepackCandidate &candidate, unsigned dim) {
  LoadOp load = candidate.load;
  const auto *named = llvm::find(load.getDims(), static_cast<int64_t>(dim));
  if (named == load.getDims().end())
    return 1;
  int64_t extent = load.getTileType().getDimSize(named - load.getDims().begin());
  auto coord = dyn_cast<BlockArgument>(load.getCoords()[dim]);
  bool isLooped = coord && isa<LoopLikeOpInterface>(coord.getOwner()->getParentOp());
  return isLooped ? kLeastTrips * extent : llvm::divideCeil(extent, kLeastPart);
}

//===--- the copy ---------------------------------------------------------------------------===//

static OpFoldResult times(OpBuilder &b, Location loc, OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> a = getConstantIntValue(x), c = getConstantIntValue(y);
  int64_t product;
  if (a && c && !llvm::MulOverflow(*a, *c, product))
    return b.getIndexAttr(product);
  if (c == int64_t(1))
    return x;
  Value left = getValueOrCreateConstantIndexOp(b, loc, x),
        right = getValueOrCreateConstantIndexOp(b, loc, y);
  return arith::MulIOp::create(b, loc, left, right).getResult();
}

/// Rounds up to a multiple of `unit`.
static OpFoldResult roundUp(OpBuilder &b, Location loc, OpFoldResult x, int64_t unit) {
  OpFoldResult units;
  if (std::optional<int64_t> constant = getConstantIntValue(x)) {
    units = b.getIndexAttr(llvm::divideCeilSigned(*constant, unit));
  } else {
    Value by = arith::ConstantIndexOp::create(b, loc, unit);
    units = arith::CeilDivSIOp::create(b, loc, cast<Value>(x), by).getResult();
  }
  return times(b, loc, units, b.getIndexAttr(unit));
}

/// The size of a memref's dimension, as the launcher can compute it.
static OpFoldResult sizeOf(OpBuilder &b, Location loc, Value memref, unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (auto view = memref.getDefiningOp<memref::CastOp>())
    return sizeOf(b, loc, view.getSource(), dim);
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [d, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped[d] && dim-- == 0)
        return size;
  }
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    return view.getMixedSizes()[dim];
  if (auto view = memref.getDefiningOp<memref::ExpandShapeOp>())
    return view.getMixedOutputShape()[dim];
  if (auto view = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    OpFoldResult product = b.getIndexAttr(1);
    for (int64_t d : view.getReassociationIndices()[dim])
      product = times(b, loc, sizeOf(b, loc, view.getSrc(), d), product);
    return product;
  }
  return b.createOrFold<memref::DimOp>(loc, memref, dim);
}

namespace {
/// Inserts copies before one grid after the other.
class Repacker {
public:
  explicit Repacker(KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}
  void run();

private:
  void repack(const RepackCandidate &candidate);
  Value makeCopy(const RepackCandidate &candidate, Value source);
  Value viewWholeRows(const RepackCandidate &candidate, Value workspace,
                      SmallVector<OpFoldResult> sizes);
  Value allocate(const RepackCandidate &candidate, Value source, ArrayRef<OpFoldResult> sizes);

  /// A copy that still has the contents of the operand.
  struct Copy {
    Value source;
    unsigned inner;
    Value workspace;
  };

  KernelOp kernel;
  OpBuilder b;
  SmallVector<Copy> copies;
  /// Maps what views depend on to its clones before the grids.
  IRMapping outside;
};
} // namespace

void Repacker::run() {
  std::vector<RepackCandidate> candidates = findRepackCandidates(kernel);
  const auto *next = candidates.data(), *end = next + candidates.size();
  SmallVector<GridOp> grids(kernel.getBody().getOps<GridOp>());
  for (GridOp grid : grids) {
    for (; next != end && next->grid == grid; ++next) {
      if (next->obstacle)
        next->load->setAttr(kNotRepacked, b.getStringAttr(*next->obstacle));
      else
        repack(*next);
    }
    llvm::SetVector<Value> written = writtenRoots(grid);
    llvm::erase_if(copies, [&](const Copy &copy) {
      return llvm::any_of(written,
                          [&](Value root) { return rootsMayAlias(rootOf(copy.source), root); });
    });
  }
}

void Repacker::repack(const RepackCandidate &candidate) {
  LoadOp load = candidate.load;
  b.setInsertionPoint(candidate.grid);
  llvm::SetVector<Operation *> makers;
  collectMakers(load.getSource(), candidate.grid, makers);
  for (Operation *op : makers)
    if (!outside.contains(op->getResult(0)))
      b.clone(*op, outside);
  Value source = outside.lookupOrDefault(load.getSource());
  const auto *copy = llvm::find_if(
      copies, [&](const Copy &c) { return c.source == source && c.inner == candidate.inner; });
  if (copy == copies.end()) {
    copies.push_back({source, candidate.inner, makeCopy(candidate, source)});
    copy = &copies.back();
  }
  load.getSourceMutable().assign(copy->workspace);
}

Value Repacker::allocate(const RepackCandidate &candidate, Value source,
                         ArrayRef<OpFoldResult> sizes) {
  Location loc = candidate.load->getLoc();
  auto type = cast<MemRefType>(source.getType());
  int64_t rank = type.getRank();
  // The contiguous dimension first, then the others from the last to the first.
  SmallVector<OpFoldResult> strides(rank);
  strides[candidate.inner] = b.getIndexAttr(1);
  OpFoldResult next =
      roundUp(b, loc, sizes[candidate.inner], kRowBytes / elementBytes(type.getElementType()));
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (d == static_cast<int64_t>(candidate.inner))
      continue;
    strides[d] = next;
    if (d > 0)
      next = times(b, loc, sizes[d], next);
  }
  SmallVector<int64_t> staticSizes, staticStrides;
  SmallVector<Value> dynamicSizes, dynamicStrides;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  auto layout = StridedLayoutAttr::get(b.getContext(), /*offset=*/0, staticStrides);
  auto alloc =
      memref::AllocOp::create(b, loc, MemRefType::get(staticSizes, type.getElementType(), layout),
                              dynamicSizes, dynamicStrides, IntegerAttr());
  alloc->setAttr(kRepacked, b.getStringAttr(candidate.why));
  return alloc;
}

/// The workspace including the space between its rows. The copy may write beyond the end of a row,
/// where nobody reads, and can therefore write vectors.
Value Repacker::viewWholeRows(const RepackCandidate &candidate, Value workspace,
                              SmallVector<OpFoldResult> sizes) {
  auto alloc = workspace.getDefiningOp<memref::AllocOp>();
  SmallVector<OpFoldResult> strides = getMixedValues(alloc.getType().getStridesAndOffset().first,
                                                     alloc.getSymbolOperands(), b.getContext());
  const size_t last = strides.size() - 1;
  sizes[candidate.inner] = strides[candidate.inner == last ? last - 1 : last];
  return memref::ReinterpretCastOp::create(b, alloc.getLoc(), workspace, b.getIndexAttr(0), sizes,
                                           strides);
}

Value Repacker::makeCopy(const RepackCandidate &candidate, Value source) {
  Location loc = candidate.load->getLoc();
  auto type = cast<MemRefType>(source.getType());
  int64_t rank = type.getRank(), inner = candidate.inner;
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(sizeOf(b, loc, source, d));
  Value workspace = allocate(candidate, source, sizes);

  Value wholeRows = viewWholeRows(candidate, workspace, sizes);

  // Concurrent blocks copy adjacent tiles: the contiguous dimension varies fastest.
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != inner)
      order.push_back(d);
  int64_t outer = order.back();
  order.push_back(inner);
  SmallVector<OpFoldResult> upper;
  SmallVector<int64_t> steps, lower(rank, 0);
  SmallVector<int64_t> extents(rank, 1);
  extents[outer] = kCopyRows;
  extents[inner] = kCopyRowBytes / elementBytes(type.getElementType());
  for (int64_t d : order) {
    upper.push_back(sizes[d]);
    steps.push_back(extents[d]);
  }
  SmallVector<int64_t> staticUpper;
  SmallVector<Value> dynamicUpper;
  dispatchIndexOpFoldResults(upper, dynamicUpper, staticUpper);
  auto grid = GridOp::create(b, loc, ValueRange(), dynamicUpper, ValueRange(), lower, staticUpper,
                             steps, OrderAttr());
  grid->setAttr(kCopies, b.getUnitAttr());
  Block &body = grid.getBody().emplaceBlock();
  SmallVector<Value> coords(rank);
  for (int64_t d : order)
    coords[d] = body.addArgument(b.getIndexType(), loc);

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  SmallVector<int64_t> dims{std::min(outer, inner), std::max(outer, inner)};
  auto tile = RankedTensorType::get({extents[dims[0]], extents[dims[1]]}, type.getElementType());
  auto load = LoadOp::create(b, loc, tile, source, coords);
  load.setDims(dims);
  // Elements outside are not stored either, so their padding does not matter.
  load.setPadAttr(PadAttr::get(b.getContext(), Pad::Any));
  auto store = StoreOp::create(b, loc, load, wholeRows, coords);
  store.setDims(dims);
  YieldOp::create(b, loc);
  return workspace;
}

void tessera::tile::repackOperands(KernelOp kernel) { Repacker(kernel).run(); }

namespace {
struct TileRepackOperands : tessera::tile::impl::TileRepackOperandsBase<TileRepackOperands> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireBound(kernel)))
      return signalPassFailure();
    if (kernel.getPhase()) {
      kernel.emitOpError("tile-repack-operands is for kernels at L0, this one is at phase ")
          << stringifyPhase(*kernel.getPhase());
      return signalPassFailure();
    }
    // Other variants assume sizes for which a copy would not pay, or that nothing has to be copied.
    if (kernel.getVariant().value_or(kRepackVariant) == kRepackVariant)
      return repackOperands(kernel);
    for (const RepackCandidate &candidate : findRepackCandidates(kernel))
      if (candidate.obstacle && !candidate.onlySizes)
        candidate.load->setAttr(kNotRepacked, StringAttr::get(&getContext(), *candidate.obstacle));
  }
};
} // namespace
