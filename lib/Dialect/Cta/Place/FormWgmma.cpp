// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns matrix products that tensor cores can do into cta.wgmma.
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/Place/Passes.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace tessera::cta {
#define GEN_PASS_DEF_FORMWGMMA
#include "tessera/Dialect/Cta/Place/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// Appends the values that may become `value` through control flow: what loops and branches yield.
static void appendFlow(Value value, SmallVectorImpl<Value> &to) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      if (OpOperand *init = loop.getTiedLoopInit(argument))
        to.push_back(init->get());
      if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
        to.push_back(yielded->get());
    }
    return;
  }
  auto result = cast<OpResult>(value);
  for (Region &region : result.getOwner()->getRegions())
    for (Block &block : region)
      if (auto yield = dyn_cast<scf::YieldOp>(block.getTerminator());
          yield && result.getResultNumber() < yield->getNumOperands())
        to.push_back(yield->getOperand(result.getResultNumber()));
}

/// True if `value` is computed from the result of a product. Then it is in registers, in a layout
/// near that of accumulators, and going through shared memory would be a detour.
static bool comesFromProduct(Value value) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (!isa<RankedTensorType>(v.getType()) || !seen.insert(v).second)
      continue;
    Operation *def = v.getDefiningOp();
    if (isa_and_nonnull<MmaOp, WgmmaOp>(def))
      return true;
    if (!def || isa<RegionBranchOpInterface>(def)) {
      appendFlow(v, work);
      continue;
    }
    // Ops that change which thread holds an element go through shared memory anyhow.
    if (isa<ConvertLayoutOp>(def) || OpTrait::hasElementwiseMappableTraits(def))
      work.append(def->operand_begin(), def->operand_end());
  }
  return false;
}

/// The tile dimension that runs along contiguous memory in a load or a gather; -1 for other ops.
static int contiguousDimOf(Operation *op) {
  if (auto load = dyn_cast_or_null<LoadOp>(op))
    return contiguousTileDim(load.getMemRefType(), load.getDims());
  if (auto gather = dyn_cast_or_null<GatherOp>(op))
    return contiguousTileDim(gather.getMemRefType(), gather.getDims());
  return -1;
}

/// True if the tile is made of bytes that are loaded with the columns of the operand, K, next to
/// each other, as threads read them for a product, and for nothing else: a channel may fetch it.
static bool areBytesAlongK(Value value) {
  auto load = value.getDefiningOp<LoadOp>();
  return load && !load.getMask() && load->hasOneUse() &&
         getElementTypeOrSelf(value.getType()).isInteger(8) && contiguousDimOf(load) == 1;
}

/// True if `value` is computed from packed elements or from integers of 8 bits, as weights of few
/// bits are. They are widened in registers, where they fit the operand's layout; in shared memory
/// they would take n times the room and the bandwidth of what was loaded, and all threads would
/// have to wait for each other before the product.
static bool comesWidened(Value value) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation *def = work.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<UnpackOp>(def))
      return true;
    if (isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(def) &&
        areBytesAlongK(def->getOperand(0)))
      return true;
    if (def && OpTrait::hasElementwiseMappableTraits(def) && def->getNumOperands() <= 2)
      for (Value operand : def->getOperands())
        if (isa<RankedTensorType>(operand.getType()) && operand.hasOneUse())
          work.push_back(operand);
  }
  return false;
}

/// A convert without encodings, which lets both sides have different layouts.
static Value cut(OpBuilder &b, Location loc, Value value) {
  return ConvertLayoutOp::create(b, loc, value.getType(), value, ConversionAttr{});
}

/// The shared tile whose transpose is written as `shared`, or null if that is no transpose. It is a
/// tile that other products read already, or a new one.
static Value untransposed(Value shared, IRRewriter &rewriter) {
  auto stage = shared.getDefiningOp<StageOp>();
  auto transpose = stage && stage.getInputs().size() == 1
                       ? stage.getInputs().front().getDefiningOp<TransposeOp>()
                       : TransposeOp();
  if (!transpose || transpose.getDims() != ArrayRef<int64_t>{1, 0})
    return {};
  Value source = transpose.getSource();
  for (Operation *user : source.getUsers())
    if (auto other = dyn_cast<StageOp>(user); other && other.getInputs().size() == 1) {
      // This product may come before the one for which that tile was written.
      if (Operation *definition = source.getDefiningOp())
        rewriter.moveOpAfter(other, definition);
      else
        rewriter.moveOpBefore(other, &source.getParentBlock()->front());
      return other.getResult();
    }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(source);
  auto type = cast<RankedTensorType>(source.getType());
  auto smem = SmemType::get(rewriter.getContext(), type.getShape(), type.getElementType(),
                            SwizzleAttr::unknown(rewriter.getContext()));
  return StageOp::create(rewriter, source.getLoc(), smem, source, /*concat_dim=*/0, IntegerAttr{});
}

/// How a product reads a shared tile: the dimension that is K, or -1 if `use` is no operand of a
/// product of the tensor cores.
static int64_t kDimOf(OpOperand &use) {
  auto product = dyn_cast<WgmmaOp>(use.getOwner());
  if (!product || use.getOperandNumber() > 1)
    return -1;
  return use.getOperandNumber() == 0 ? product.getKDimOfA() : product.getKDimOfB();
}

/// Operands that are not of 16 bits must be K-major. Where products read one tile both ways, the
/// second way gets a tile of its own, made of the same values.
static void separateMajors(StageOp stage, IRRewriter &rewriter) {
  SmallVector<OpOperand *> uses, others;
  for (OpOperand &use : stage.getResult().getUses())
    if (kDimOf(use) >= 0 && cast<WgmmaOp>(use.getOwner()).needsKMajor())
      uses.push_back(&use);
  // The list of uses has the last one first.
  for (OpOperand *use : uses)
    if (kDimOf(*use) != kDimOf(*uses.back()))
      others.push_back(use);
  if (others.empty())
    return;
  rewriter.setInsertionPointAfter(stage);
  auto copy = cast<StageOp>(rewriter.clone(*stage));
  for (OpOperand *use : others)
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy.getResult()); });
}

/// An operand that is loaded under another shape (pages of rows) goes to shared memory as it is
/// loaded, and the products read it as a view. Otherwise threads would have to turn it into their
/// shape first. The rows of both tiles are the same: their last dimension.
static void stageBeforeReshape(StageOp stage, IRRewriter &rewriter) {
  auto reshape = stage.getInputs().size() == 1
                     ? stage.getInputs().front().getDefiningOp<ReshapeOp>()
                     : ReshapeOp();
  if (!reshape || !reshape->hasOneUse() || !reshape.getSource().hasOneUse())
    return;
  auto from = cast<RankedTensorType>(reshape.getSource().getType());
  auto to = cast<SmemType>(stage.getType());
  const int64_t last = from.getRank() - 1;
  if (last < 1 || to.getShape().size() != 2 || from.getShape().back() != to.getShape().back() ||
      contiguousDimOf(reshape.getSource().getDefiningOp()) != last)
    return;
  Operation *first = nullptr;
  for (OpOperand &use : stage.getResult().getUses()) {
    auto product = dyn_cast<WgmmaOp>(use.getOwner());
    if (!product || (product.needsKMajor() && kDimOf(use) != 1))
      return;
    Operation *here = stage->getBlock()->findAncestorOpInBlock(*product);
    if (here && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  if (!first)
    return;
  rewriter.setInsertionPoint(stage);
  auto smem = SmemType::get(rewriter.getContext(), from.getShape(), from.getElementType(),
                            SwizzleAttr::unknown(rewriter.getContext()));
  Value whole = StageOp::create(rewriter, stage.getLoc(), smem, reshape.getSource(),
                                /*concat_dim=*/0, IntegerAttr{});
  rewriter.setInsertionPoint(first);
  rewriter.replaceOp(stage, ViewOp::create(rewriter, stage.getLoc(), to, whole));
  rewriter.eraseOp(reshape);
}

/// Erases the parts of a written operand that nothing reads any more.
static void eraseStaged(Value shared, IRRewriter &rewriter) {
  if (!shared.use_empty())
    return;
  auto stage = cast<StageOp>(shared.getDefiningOp());
  auto transpose = stage.getInputs().front().getDefiningOp<TransposeOp>();
  rewriter.eraseOp(stage);
  if (transpose && transpose->use_empty())
    rewriter.eraseOp(transpose);
}

static void form(MmaOp op, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  const Value stagedA = op.getA(), stagedB = op.getB();
  Value a = stagedA, b = stagedB, c = op.getC();
  UnitAttr transposeA, transposeB;
  if (auto stage = a.getDefiningOp<StageOp>();
      stage && stage.getInputs().size() == 1 &&
      (comesFromProduct(stage.getInputs().front()) ||
       (stage->hasOneUse() && comesWidened(stage.getInputs().front())))) {
    a = cut(rewriter, loc, stage.getInputs().front());
  } else if (Value source = untransposed(a, rewriter)) {
    a = source;
    transposeA = rewriter.getUnitAttr();
  }
  if (Value source = untransposed(b, rewriter)) {
    b = source;
    transposeB = rewriter.getUnitAttr();
  }
  if (c)
    c = cut(rewriter, loc, c);
  Value result = WgmmaOp::create(rewriter, loc, op.getType(), a, b, c, transposeA, transposeB,
                                 op.getLhsUnsignedAttr(), op.getRhsUnsignedAttr(),
                                 /*in_turn=*/UnitAttr(),
                                 /*why=*/op->getAttrOfType<StringAttr>(tile::kTurned));
  rewriter.replaceOp(op, cut(rewriter, loc, result));
  if (a != stagedA)
    eraseStaged(stagedA, rewriter);
  if (b != stagedB && stagedB != stagedA)
    eraseStaged(stagedB, rewriter);
}

/// An error if the warpgroups of the plan are the reason why no product runs on tensor cores.
static LogicalResult checkPlan(tile::KernelOp kernel, ArrayRef<MmaOp> products) {
  std::optional<int64_t> planned = warpgroupsOfTile(planOf(kernel));
  if (!planned || !demandsPlan(kernel))
    return success();
  MmaOp first;
  int64_t other = 0;
  for (MmaOp op : products) {
    const Product product(op);
    if (!whyNotWgmma(product, *planned))
      return success();
    for (int64_t count = *planned - 1; count > 0 && !first; --count)
      if (!whyNotWgmma(product, count)) {
        first = op;
        other = count;
      }
  }
  if (!first)
    return success();
  return refusePlan(first.emitOpError("cannot be split as its plan says: "))
         << *whyNotWgmma(Product(first), *planned) << "; plan warpgroups = " << other
         << " (for each output tile, if replicate = blocks), or make the tile larger in M";
}

namespace {
struct FormWgmma : cta::impl::FormWgmmaBase<FormWgmma> {
  using FormWgmmaBase::FormWgmmaBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Raw, getArgument())))
      return signalPassFailure();
    int64_t warpgroups = kernel.getWarpgroups().value_or(1);
    bool failed = false;
    SmallVector<MmaOp> products;
    kernel.walk([&](MmaOp op) { products.push_back(op); });
    if (::failed(checkPlan(kernel, products)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (MmaOp op : products) {
      std::optional<std::string> why = whyNotWgmma(Product(op), warpgroups);
      if (!why) {
        form(op, rewriter);
        continue;
      }
      for (StringRef name : {tile::kTurned, tile::kNotTurned})
        if (auto reason = op->getAttrOfType<StringAttr>(name))
          *why += "; " + reason.str();
      if (op.getAType().getElementType().isF64())
        if (auto reason = whyNotMmaSync(Product(op), warpgroups))
          *why += "; no mma.sync: " + *reason;
      op.setWhy("no wgmma: " + *why);
      auto demands = [](std::optional<tile::RequireAttr> r) {
        return r && r->contains(tile::Requirement::Wgmma);
      };
      if (demands(op.getRequire()) || demands(kernel.getRequire())) {
        op.emitOpError("cannot be computed by wgmma, as 'require = [wgmma]' demands: ") << *why;
        failed = true;
      }
    }
    if (failed)
      return signalPassFailure();
    SmallVector<StageOp> stages;
    kernel.walk([&](StageOp stage) { stages.push_back(stage); });
    for (StageOp stage : stages)
      separateMajors(stage, rewriter);
    for (StageOp stage : stages)
      stageBeforeReshape(stage, rewriter);
  }
};
} // namespace
