// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-verify: checks the invariants of each phase by a walk over the kernel. Verifiers of encodings
// are not enough, because types that upstream ops infer bypass them.
#include "VerifyAsync.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/Analysis/Votes.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/Verify/Passes.h"
#include "tessera/Dialect/Cta/Verify/VerifyPhase.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {
#define GEN_PASS_DEF_CTAVERIFY
#include "tessera/Dialect/Cta/Verify/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::RegisterLayout;

namespace {
class Verifier {
public:
  explicit Verifier(tile::KernelOp kernel)
      : kernel(kernel), phase(*kernel.getPhase()), groups(kernel.getWarpgroups().value_or(1)) {}
  LogicalResult run() {
    bool ok = true;
    kernel.walk([&](Operation *op) { ok &= succeeded(checkOp(op)); });
    return success(ok);
  }

private:
  InFlightDiagnostic error(Operation *op) { return breaksPhase(op, phase); }
  LogicalResult checkOp(Operation *op);
  LogicalResult checkVocabulary(Operation *op);
  LogicalResult checkType(Operation *op, Type type);
  LogicalResult checkLayouts(Operation *op);
  template <typename Op>
  LogicalResult checkIndices(Op op, Value tile);
  LogicalResult checkIndexTile(CopyOp copy);
  int64_t groupsAt(Operation *op) { return warpgroupsOfTilesAt(op, groups); }
  LogicalResult checkDecomposed(Operation *op);
  LogicalResult expect(Operation *op, Value value, const RegisterLayout &wanted, StringRef what) {
    if (FragAttr::of(value.getType()).layout() == wanted)
      return success();
    return error(op) << what << " must have layout " << FragAttr::get(op->getContext(), wanted)
                     << ", got " << FragAttr::of(value.getType())
                     << "; insert a cta.convert_layout";
  }

  tile::KernelOp kernel;
  tile::Phase phase;
  int64_t groups;
};
} // namespace

LogicalResult Verifier::checkVocabulary(Operation *op) {
  Dialect *dialect = op->getDialect();
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                      memref::MemRefDialect>(dialect))
    return success();
  if (isa_and_nonnull<tile::TileDialect>(dialect)) {
    if (isa<tile::KernelOp, tile::DimOp, tile::NumCoresOp, tile::AssumeOp, tile::CostOp,
            tile::ReturnOp, tile::YieldOp, tile::ArrayFromOp, tile::RoundedOp>(op))
      return success();
    if (isa<tile::GridOp>(op) && phase < tile::Phase::Scheduled)
      return success();
    return error(op) << "no such op below L0; convert-tile-to-cta and cta-lower-grid replace it";
  }
  if (isa_and_nonnull<CtaDialect>(dialect)) {
    auto await = dyn_cast<AwaitOp>(op);
    bool allocatedOnly = isa<AwaitStoresOp>(op) || (await && !await.getSlot()) ||
                         (isa<BarrierOp, FenceAsyncOp, AwaitCopiesOp, CommitCopiesOp>(op) &&
                          phase != tile::Phase::Specialized);
    if (allocatedOnly && phase != tile::Phase::Allocated)
      return error(op) << "barriers and waits exist in phase allocated only";
    return success();
  }
  // tile-insert-checks makes cf.assert.
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("affine.") || name == "cf.assert")
    return success();
  // What the passes need to know of an elementwise op its traits say, whatever its dialect.
  if (isElementwise(op) && op->getNumRegions() == 0 && isMemoryEffectFree(op))
    return success();
  return error(op) << "ops of dialect '" << (dialect ? dialect->getNamespace() : StringRef("?"))
                   << "' have no meaning below L0, unless they are elementwise and have no effects";
}

LogicalResult Verifier::checkType(Operation *op, Type type) {
  if (auto smem = dyn_cast<SmemType>(type)) {
    if (phase != tile::Phase::Raw && smem.getSwizzle().isUnknown())
      return error(op) << "the shared tile " << smem
                       << " has no layout; cta-swizzle-shared chooses one";
    return success();
  }
  if (auto async = dyn_cast<AsyncType>(type))
    type = async.getTensor();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  if (!tensor.hasStaticShape() || tensor.getRank() > layout::kMaxRank)
    return error(op) << "tiles have a static shape of rank 0 to " << layout::kMaxRank << ", got "
                     << tensor;
  FragAttr frag = FragAttr::of(tensor);
  if (!frag) {
    if (phase == tile::Phase::Raw && !tensor.getEncoding())
      return success();
    return error(op) << "the tile " << tensor
                     << " has no register layout; cta-assign-layouts chooses one";
  }
  if (frag.getRank() != tensor.getRank())
    return error(op) << "a register layout of rank " << frag.getRank() << " does not fit "
                     << tensor;
  if (auto why = frag.layout().validateFor(coordOf(tensor.getShape())))
    return error(op) << "the register layout does not fit " << tensor << ": " << *why;
  const int64_t here = groupsAt(op);
  if (frag.getWarpBits() != kWarpBits || frag.getWgCount() != here)
    return error(op) << (here == groups ? "the kernel has " : "the threads of this role are ")
                     << here << " warpgroups of 4 warps, but the layout of " << tensor << " has "
                     << frag.getWgCount() << " of " << (1 << frag.getWarpBits());
  return success();
}

template <typename Op>
LogicalResult Verifier::checkIndices(Op op, Value tile) {
  if (op.getMask() &&
      failed(expect(op, op.getMask(), maskLayout(layoutOf(tile), op.getMaskDims()), "the mask")))
    return failure();
  for (auto [number, index] : llvm::enumerate(op.getIndices()))
    if (failed(expect(op, index,
                      maskLayout(layoutOf(tile), op.getIndexDims(static_cast<unsigned>(number))),
                      "an index tile")))
      return failure();
  return success();
}

LogicalResult Verifier::checkIndexTile(CopyOp copy) {
  const bool isOpen = copy.isByThreads() && !copy.getVector();
  if (!copy.getIndexTile() || isOpen)
    return success();
  const auto vector = static_cast<int64_t>(copy.getVector().value_or(0));
  return expect(copy, copy.getIndexTile(),
                indexTileLayout(copy.getSmemType(), copy.getIndexDim(), vector, groupsAt(copy)),
                "the index tile of a copy");
}

LogicalResult Verifier::checkLayouts(Operation *op) {
  auto isTile = [](Value v) { return isa<RankedTensorType>(v.getType()); };
  if (isElementwise(op)) {
    Value first;
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    for (Value v : values) {
      if (!isTile(v))
        continue;
      if (first && failed(expect(op, v, layoutOf(first), "every tile of an elementwise op")))
        return failure();
      first = v;
    }
    return success();
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    RegisterLayout input = layoutOf(reduce.getInputs().front());
    for (Value other : reduce.getInputs().drop_front())
      if (failed(expect(op, other, input, "every input of a reduction")))
        return failure();
    if (reduce.getPartial())
      return success(); // the op's own verifier checks it
    for (Value result : reduce.getResults())
      if (failed(expect(op, result, reducedLayout(input, reduce.getDims()),
                        "the result of a reduction")))
        return failure();
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    const RegisterLayout input = layoutOf(scan.getInputs().front()),
                         total = reducedLayout(input, static_cast<int64_t>(scan.getDim()));
    for (Value tile :
         llvm::concat<Value>(llvm::to_vector(scan.getInputs()), llvm::to_vector(scan.getScanned())))
      if (failed(expect(op, tile, input, "every input and scanned tile of a scan")))
        return failure();
    if (scan.getPartial())
      return success(); // the op's own verifier checks the totals
    for (Value tile :
         llvm::concat<Value>(llvm::to_vector(scan.getCarries()), llvm::to_vector(scan.getTotals())))
      if (failed(expect(op, tile, total, "every carry and total of a scan")))
        return failure();
  } else if (auto repeat = dyn_cast<RepeatOp>(op)) {
    const auto dim = static_cast<int>(repeat.getDim());
    return expect(op, repeat.getSource(), layoutOf(repeat.getResult()).sliceDim(dim).expandDim(dim),
                  "the source of a cta.repeat");
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (isTile(broadcast.getSource()))
      return expect(op, broadcast.getSource(),
                    broadcastSourceLayout(layoutOf(broadcast.getResult()), broadcast.getDims(),
                                          tileShape(broadcast.getSource().getType()),
                                          tileShape(broadcast.getResult().getType())),
                    "the source of a broadcast");
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    return expect(op, transpose.getResult(),
                  transposedLayout(layoutOf(transpose.getSource()), transpose.getDims()),
                  "the result of a transpose");
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    return expect(op, extract.getSource(), layout::splat(0, kWarpBits, groups),
                  "the source of an extract");
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getMask())
      return expect(op, load.getMask(), maskLayout(layoutOf(load.getResult()), load.getMaskDims()),
                    "the mask");
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    if (store.getMask())
      return expect(op, store.getMask(),
                    maskLayout(layoutOf(store.getValue()), store.getMaskDims()), "the mask");
  } else if (auto copy = dyn_cast<CopyOp>(op)) {
    return checkIndexTile(copy);
  } else if (auto gather = dyn_cast<GatherOp>(op)) {
    return checkIndices(gather, gather.getResult());
  } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
    return checkIndices(scatter, scatter.getValue());
  } else if (auto atomic = dyn_cast<AtomicOp>(op)) {
    for (Value same : {Value(atomic.getReplacement()), Value(atomic.getOld())})
      if (same && failed(expect(op, same, layoutOf(atomic.getValue()), "each value of an atomic")))
        return failure();
    return checkIndices(atomic, atomic.getValue());
  } else if (auto [wide, narrow, factor] = packing(op); factor) {
    return expect(op, narrow, unpackedLayout(layoutOf(wide), factor),
                  "the tile with more elements of a pack or unpack");
  } else if (isa<TakeOp, ReadAtOp>(op)) {
    auto take = dyn_cast<TakeOp>(op);
    ArrayRef<int64_t> dims = take ? take.getDims() : cast<ReadAtOp>(op).getDims();
    for (auto [dim, index] : llvm::zip_equal(dims, op->getOperands().drop_front()))
      if (failed(expect(op, index,
                        indexLayout(layoutOf(op->getResult(0)), tensorOf(index).getRank(), dim),
                        "the index tile")))
        return failure();
  } else if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    if (wgmma.resultLayout(groups) != FragAttr::of(wgmma.getResultType()).layout())
      return error(op) << "the result of a wgmma has the accumulator layout of the kernel's "
                       << groups << " warpgroups";
  }
  return success();
}

/// From phase planned on no scratch may be added, because the depths of channels use up shared
/// memory: every op must be lowered within a warp.
LogicalResult Verifier::checkDecomposed(Operation *op) {
  if (auto vote = dyn_cast<AnyOp>(op); vote && vote.getWarp())
    if (std::optional<std::string> why = whyNotOfWarp(vote))
      return error(op) << "any_c2: each warp votes for itself, but " << *why;
  if (auto slice = dyn_cast<SliceOp>(op);
      isa<ConcatOp, TakeOp>(op) || (slice && !sliceKeepsRegisters(slice)))
    return error(op) << "cta-decompose replaces it by scratch";
  if (auto print = dyn_cast<PrintOp>(op);
      print && isa<RankedTensorType>(print.getValue().getType()))
    return error(op) << "prints a register tile; cta-decompose goes through scratch";
  if (auto convert = dyn_cast<ConvertLayoutOp>(op);
      convert && convert.getHow().value_or(Conversion::Shared) == Conversion::Shared)
    return error(op) << "has no 'how' within warps; cta-decompose sets it or uses scratch";
  if (auto reshape = dyn_cast<ReshapeOp>(op);
      reshape && !reshapeKeepsRegisters(
                     layoutOf(reshape.getSource()), tileShape(reshape.getSource().getType()),
                     layoutOf(reshape.getResult()), tileShape(reshape.getResult().getType())))
    return error(op) << "moves data between threads; cta-decompose goes through scratch";
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && !reduce.getPartial())
    for (int64_t d : reduce.getDims()) {
      layout::ThreadBits bits = layoutOf(reduce.getInputs().front()).bitsAlong(static_cast<int>(d));
      if (bits.warps || bits.wg)
        return error(op) << "reduces across warps; cta-decompose goes through scratch";
    }
  if (auto scan = dyn_cast<ScanOp>(op)) {
    const RegisterLayout input = layoutOf(scan.getInputs().front());
    const auto dim = static_cast<int>(scan.getDim());
    const layout::ThreadBits bits = input.bitsAlong(dim);
    if (!ScanOp::hasOrder(input, dim) || (!scan.getPartial() && (bits.warps || bits.wg)))
      return error(op) << "scans across warps, or in a layout without an order along dimension "
                       << dim << "; cta-decompose goes through scratch";
  }
  return success();
}

LogicalResult Verifier::checkOp(Operation *op) {
  if (failed(checkVocabulary(op)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(checkType(op, type)))
          return failure();
  if (phase == tile::Phase::Raw)
    return success();
  if (failed(checkLayouts(op)))
    return failure();
  if (phase >= tile::Phase::Planned && failed(checkDecomposed(op)))
    return failure();
  if (phase != tile::Phase::Allocated)
    return success();
  if (auto stage = dyn_cast<StageOp>(op); stage && !stage.getOffset())
    return error(op) << "has no offset; cta-allocate-shared sets it";
  if (auto copy = dyn_cast<CopyOp>(op)) {
    if (!copy.getOffset() && !copy.getInto())
      return error(op) << "has no offset; cta-allocate-shared sets it";
    if (copy.getMechanism() == Mechanism::Tma && !copy.getMbarrier())
      return error(op) << "a TMA copy needs the number of its mbarrier";
    if (copy.isByThreads() && !copy.getVector())
      return error(op) << "a copy by threads needs 'vector', the elements of one access";
  }
  return success();
}

LogicalResult tessera::cta::verifyPhase(tile::KernelOp kernel) {
  if (!kernel.getPhase())
    return success();
  if (failed(Verifier(kernel).run()) || failed(verifyRoles(kernel)))
    return failure();
  return failure(failed(verifyCredits(kernel)) || failed(verifyTokens(kernel)));
}

namespace {
struct CtaVerify : tessera::cta::impl::CtaVerifyBase<CtaVerify> {
  void runOnOperation() override {
    if (failed(verifyPhase(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
