// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses a layout for every shared tile, from its readers and from the layout of its source.
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Place/Passes.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/BankConflicts.h"
#include "tessera/Layout/MmaSync.h"
#include "tessera/Layout/WgmmaOperand.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SWIZZLESHARED
#include "tessera/Dialect/Cta/Place/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- operands of wgmma -------------------------------------------------------------------===//

/// The tile dimension along which elements are adjacent in the memory that an op reads, or -1.
template <typename Op>
static int64_t contiguousDimOf(Op load) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(load.getMemRefType().getStridesAndOffset(strides, offset)))
    return -1;
  const tile::AccessParts parts = tile::partsOf(load, load.getSource());
  for (auto [d, m] : llvm::enumerate(load.getDims()))
    if (strides[m] == 1 && load.getTileType().getDimSize(d) > 1 && !parts.indexOf(m))
      return d;
  return -1;
}

/// The tile dimension along which elements are adjacent in the memory that they are loaded from,
/// also through elementwise ops; -1 if the tile is computed or nothing is known.
static int64_t contiguousInMemory(Value tile) {
  for (int depth = 0; depth < 16; ++depth) {
    Operation *def = tile.getDefiningOp();
    if (!def)
      return -1;
    if (auto load = dyn_cast<LoadOp>(def))
      return contiguousDimOf(load);
    if (auto gather = dyn_cast<GatherOp>(def))
      return contiguousDimOf(gather);
    if (!isa<ConvertLayoutOp>(def) && !OpTrait::hasElementwiseMappableTraits(def))
      return -1;
    Value next;
    for (Value operand : def->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !matchPattern(operand, m_Constant())) {
        next = operand;
        break;
      }
    if (!next)
      return -1;
    tile = next;
  }
  return -1;
}

/// The same for a tile in registers: the dimension along which a thread has most adjacent elements.
static int64_t contiguousInRegisters(Value tile) {
  FragAttr frag = FragAttr::of(tile.getType());
  ArrayRef<int64_t> shape = tileShape(tile.getType());
  if (!frag || shape.size() < 2)
    return -1;
  layout::RegisterLayout registers = frag.layout();
  int64_t last = shape.size() - 1;
  int64_t along = registers.contiguousRegisters(coordOf(shape), last);
  int64_t across = registers.contiguousRegisters(coordOf(shape), last - 1);
  return along == across ? -1 : along > across ? last : last - 1;
}

namespace {
struct WgmmaUse {
  layout::WgmmaRole role;
  int kDim;
  int64_t blockExtent;
};
} // namespace

/// Notes for the report that threads write an operand in another order than it has in memory.
static void noteTurned(WgmmaOp product, bool isA) {
  const std::string mn = isA ? "M" : "N", name = isA ? "A" : "B";
  std::string why;
  if (product.getWhy())
    why = product.getWhy()->str() + "; ";
  llvm::raw_string_ostream(why)
      << "the contiguous dimension of " << name << " in memory is " << mn
      << ", and the tensor cores read operands of " << product.getBElement()
      << " only with K contiguous, so threads turn the tile, and it is not fetched ahead: load it "
      << (isA ? "from an MxK array" : "with dims = [1, 0] from an NxK array");
  product.setWhy(why);
}

static FailureOr<SwizzleAttr> swizzleFor(Value shared, ArrayRef<WgmmaUse> uses) {
  auto type = cast<SmemType>(shared.getType());
  auto stage = shared.getDefiningOp<StageOp>();
  int64_t dim = -1;
  bool isInMemory = false;
  // A view keeps the rows of its tile: the last dimension.
  const bool isView = shared.getDefiningOp<ViewOp>() != nullptr;
  const auto last = static_cast<int64_t>(type.getShape().size()) - 1;
  if (isView)
    dim = last;
  if (stage && stage.getInputs().size() == 1) {
    dim = contiguousInMemory(stage.getInputs().front());
    isInMemory = dim >= 0;
    if (dim < 0)
      dim = contiguousInRegisters(stage.getInputs().front());
  }
  if (dim < 0)
    dim = uses.front().kDim;
  std::string reason;
  // K-major always exists, because K is a multiple of 32 bytes, so it is the second choice, and the
  // only one unless elements have 16 bits. If the tile is also used transposed, the other dimension
  // is K, too.
  const int64_t kDim = uses.front().kDim;
  for (int64_t d : {dim, kDim, 1 - kDim}) {
    if (isView && d != last)
      continue;
    for (int64_t span : {128, 64, 32, 0}) {
      auto swizzle = SwizzleAttr::get(type.getContext(), span, d, 0);
      layout::SharedLayout tile = sharedLayout(type.withSwizzle(swizzle));
      layout::Error error;
      for (const WgmmaUse &use : uses)
        if (!error)
          error = layout::validateWgmmaOperand(tile, use.role, use.kDim, use.blockExtent);
      if (!error) {
        for (OpOperand &use : shared.getUses())
          if (auto product = dyn_cast<WgmmaOp>(use.getOwner());
              product && product.needsKMajor() && isInMemory && d != dim)
            noteTurned(product, use.getOperandNumber() == 0);
        return swizzle;
      }
      reason = *error;
    }
  }
  return shared.getDefiningOp()->emitOpError("no shared layout fits the tensor cores: ") << reason;
}

//===--- operands of other products ----------------------------------------------------------===//

/// Extra wavefronts when a warp reads a fragment of operand `a` or `b` for mma.sync.
static int64_t fragmentConflicts(MmaOp op, bool isA, const layout::SharedLayout &tile) {
  layout::RegisterLayout acc = FragAttr::of(op.getType()).layout();
  layout::RegisterLayout fragment = isA ? layout::mmaSyncA(acc) : layout::mmaSyncB(acc);
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < 32; ++lane)
    addresses.push_back(fragment.isDead(tile.shape, 0, lane, 0, 0)
                            ? -1
                            : tile.offset(fragment.coord(tile.shape, 0, lane, 0, 0)));
  return layout::bankConflicts(addresses, tile.elementBits / 8);
}

/// Extra wavefronts when a warp of the result's layout reads its elements of operand `a` (its rows
/// at one k) or `b` (its columns at one k) of a product.
static int64_t readConflicts(MmaOp op, bool isA, const layout::SharedLayout &tile) {
  FragAttr frag = FragAttr::of(op.getType());
  if (!frag)
    return 0;
  if (isMmaSync(op))
    return fragmentConflicts(op, isA, tile);
  layout::RegisterLayout registers = frag.layout();
  layout::Coord shape = coordOf(op.getResultType().getShape());
  int64_t rank = shape.size();
  int64_t width = tile.elementBits / 8;
  if (!isA)
    width *= std::min<int64_t>(16 / width, registers.contiguousRegisters(shape, rank - 1));
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < 32; ++lane) {
    layout::Coord at = registers.coord(shape, 0, lane, 0, 0);
    if (registers.isDead(shape, 0, lane, 0, 0)) {
      addresses.push_back(-1);
      continue;
    }
    at[isA ? rank - 1 : rank - 2] = 0;
    addresses.push_back(tile.offset(at));
  }
  return layout::bankConflicts(addresses, width);
}

static SwizzleAttr paddingFor(Value shared) {
  auto type = cast<SmemType>(shared.getType());
  int64_t bytes = tile::elementBytes(type.getElementType());
  int64_t best = 0, fewest = -1;
  // Rows of mma.sync's fragments have 32 bytes.
  for (int64_t pad :
       {int64_t(0), std::max<int64_t>(4, bytes), int64_t(8), int64_t(16), int64_t(32)}) {
    if (pad > 16 && llvm::none_of(shared.getUsers(), [](Operation *user) {
          auto mma = dyn_cast<MmaOp>(user);
          return mma && isMmaSync(mma);
        }))
      continue;
    layout::SharedLayout tile =
        sharedLayout(type.withSwizzle(SwizzleAttr::linear(type.getContext(), pad)));
    if (tile.validate())
      continue;
    int64_t conflicts = 0;
    for (OpOperand &use : shared.getUses())
      if (auto mma = dyn_cast<MmaOp>(use.getOwner()))
        conflicts += readConflicts(mma, use.getOperandNumber() == 0, tile);
    if (fewest < 0 || conflicts < fewest) {
      best = pad;
      fewest = conflicts;
    }
  }
  return SwizzleAttr::linear(type.getContext(), best);
}

//===--- the pass ----------------------------------------------------------------------------===//

static LogicalResult choose(Value shared, int64_t groups) {
  auto type = cast<SmemType>(shared.getType());
  SmallVector<WgmmaUse> uses;
  for (OpOperand &use : shared.getUses()) {
    auto wgmma = dyn_cast<WgmmaOp>(use.getOwner());
    if (wgmma)
      uses.push_back(use.getOperandNumber() == 0
                         ? WgmmaUse{layout::WgmmaRole::A, static_cast<int>(wgmma.getKDimOfA()), 64}
                         : WgmmaUse{layout::WgmmaRole::B, static_cast<int>(wgmma.getKDimOfB()),
                                    wgmma.getStepN(groups)});
  }
  // cta.mma and cta.read take any layout.
  FailureOr<SwizzleAttr> swizzle = uses.empty() ? paddingFor(shared) : swizzleFor(shared, uses);
  if (failed(swizzle))
    return failure();
  shared.setType(type.withSwizzle(*swizzle));
  // The tile of a view is swizzled alike.
  if (auto view = shared.getDefiningOp<ViewOp>()) {
    auto source = cast<SmemType>(view.getSource().getType());
    const bool isLinear = swizzle->isLinear();
    view.getSource().setType(source.withSwizzle(
        isLinear ? *swizzle
                 : SwizzleAttr::get(type.getContext(), swizzle->getSpan(),
                                    static_cast<int64_t>(source.getShape().size()) - 1, 0)));
  }
  return success();
}

namespace {
struct SwizzleShared : cta::impl::SwizzleSharedBase<SwizzleShared> {
  using SwizzleSharedBase::SwizzleSharedBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Raw, getArgument())))
      return signalPassFailure();
    const auto groups = static_cast<int64_t>(kernel.getWarpgroups().value_or(1));
    WalkResult walk = kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (auto type = dyn_cast<SmemType>(result.getType());
            type && type.getSwizzle().isUnknown() &&
            llvm::none_of(result.getUsers(), llvm::IsaPred<ViewOp>) &&
            failed(choose(result, groups)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
