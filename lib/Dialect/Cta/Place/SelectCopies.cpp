// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Selects how data moves: by TMA where the facts make it legal, by cp.async where the tile is only
// needed in shared memory, by vector accesses elsewhere. Records why nothing better was possible.
#include "GatheredCopies.h"
#include "StagedStores.h"
#include "SteppedCopies.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Place/Passes.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/TmaRules.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Layout/RegisterForms.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SELECTCOPIES
#include "tessera/Dialect/Cta/Place/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
class Selection {
public:
  explicit Selection(tile::KernelOp kernel)
      : facts(kernel), tiles(facts), rewriter(kernel.getContext()) {}
  LogicalResult select(LoadOp load);
  LogicalResult select(StoreOp store);
  LogicalResult select(GatherOp gather);
  /// Index tiles: threads access memory, by vectors where they can.
  template <typename Op>
  void selectIndexed(Op op) {
    setVector(op, "");
  }
  void selectIndexed(AtomicOp op);

private:
  /// A copy by TMA, or by cp.async in pieces of `vector` elements.
  CopyOp copyOf(LoadOp load, SmemType type, Mechanism mechanism = Mechanism::Tma,
                int64_t vector = 0);
  LogicalResult selectStaged(LoadOp load, StageOp stage);
  void replaceGather(GatherOp gather, StageOp stage, CopyOp copy);
  void readFrom(CopyOp copy, LoadOp load);
  template <typename Op>
  void setVector(Op op, const std::string &why);
  template <typename Op>
  LogicalResult checkDemand(Op op, StringRef why);
  template <typename Op>
  void noteMissingFacts(InFlightDiagnostic &error, Op op);
  template <typename Op>
  LogicalResult missPeeled(Op op, const Twine &why);
  template <typename Op>
  LogicalResult missPipelined(Op op, StringRef why);

  tile::Facts facts;
  IndexTiles tiles;
  DenseSet<Operation *> erased; ///< gathers whose places copies compute now
  IRRewriter rewriter;
};
} // namespace

/// Whether the op or its kernel demands it.
template <typename Op>
static bool demands(Op op, tile::Requirement requirement) {
  auto has = [&](std::optional<tile::RequireAttr> require) {
    return require && require->contains(requirement);
  };
  return has(op.getRequire()) || has(op->template getParentOfType<tile::KernelOp>().getRequire());
}

/// A miss of `require = [tma]` is an error.
template <typename Op>
LogicalResult Selection::checkDemand(Op op, StringRef why) {
  if (!demands(op, tile::Requirement::Tma))
    return success();
  InFlightDiagnostic error = op.emitOpError("cannot use TMA, as 'require = [tma]' demands: ");
  error << why;
  noteMissingFacts(error, op);
  return error;
}

/// An error names the first fact that keeps an access from TMA; this note has all of them.
template <typename Op>
void Selection::noteMissingFacts(InFlightDiagnostic &error, Op op) {
  const Access access(op);
  const int dim = contiguousTileDim(access.type, access.dims);
  if (dim < 0)
    return;
  const tile::Facts::Place place(facts, op);
  const std::string missing =
      tile::missingTmaFacts(facts, access.memref, access.dims[dim], access.isStore);
  const std::string said = error.getUnderlyingDiagnostic()->str();
  // Facts do not help where something else is in the way.
  if (!missing.empty() && StringRef(said).contains(" tile.") &&
      !StringRef(said).contains(StringRef(missing).trim("{}")))
    error.attachNote(access.memref.getLoc())
        << "all facts that " << tile::nameOfRoot(access.memref) << " lacks for TMA: " << missing;
}

/// A miss of `require = [peeled]` by a load that is not done by TMA: every iteration checks its
/// bounds. TMA checks them at no cost. cta-peel-masks sees whether the loop has masks of its own.
template <typename Op>
LogicalResult Selection::missPeeled(Op load, const Twine &why) {
  if (!demands(load, tile::Requirement::Peeled) ||
      !load->template getParentOfType<LoopLikeOpInterface>())
    return success();
  InFlightDiagnostic error = load.emitOpError("is not peeled, as 'require = [peeled]' demands: ");
  error << "its bounds are checked in every iteration, unless TMA does it, and it cannot: " << why;
  noteMissingFacts(error, load);
  return error;
}

/// A miss of `require = [peeled]` where there is no loop.
template <typename Op>
static LogicalResult missLoop(Op load) {
  if (!load.getRequire() || !load.getRequire()->contains(tile::Requirement::Peeled) ||
      load->template getParentOfType<LoopLikeOpInterface>())
    return success();
  return load.emitOpError("is not peeled, as 'require = [peeled]' demands: it stands in no loop");
}

/// A miss of `require = [pipelined]`: only copies to shared memory can run ahead of their readers.
template <typename Op>
LogicalResult Selection::missPipelined(Op load, StringRef why) {
  if (!demands(load, tile::Requirement::Pipelined))
    return success();
  InFlightDiagnostic error =
      load.emitOpError("is not pipelined, as 'require = [pipelined]' demands: only copies to "
                       "shared memory are, by TMA or by threads, and this is neither, since ");
  error << why;
  noteMissingFacts(error, load);
  return error;
}

template <typename Op>
void Selection::setVector(Op op, const std::string &why) {
  VectorChoice choice = chooseVector(facts, Access(op));
  if (choice.elements > 1)
    op.setVector(choice.elements);
  std::string all = why.empty() ? "" : "no TMA: " + why;
  if (!choice.why.empty())
    all += (all.empty() ? "" : "; ") + choice.why;
  if (!all.empty())
    op.setWhy(all);
}

/// The conversion to the layout of accumulators that is the only use of a load, or null. For such a
/// load shared memory is no detour: TMA puts the tile where ldmatrix reads it in that layout, and a
/// channel can fetch it while the product runs.
static ConvertLayoutOp wantedBesideAccumulators(LoadOp load) {
  auto convert = load.getResult().hasOneUse()
                     ? dyn_cast<ConvertLayoutOp>(*load.getResult().user_begin())
                     : ConvertLayoutOp{};
  if (!convert || load.getTileType().getRank() != 2)
    return {};
  FragAttr frag = FragAttr::of(convert.getResult().getType());
  bool fits = layout::isWgmmaAcc(frag.layout());
  return fits ? convert : ConvertLayoutOp{};
}

/// Lets cta-pipeline-copies and cta-peel-masks check the demands that only they can.
template <typename Op>
static void passDemands(Op load, CopyOp copy) {
  SmallVector<tile::Requirement> later;
  for (tile::Requirement demand : {tile::Requirement::Pipelined, tile::Requirement::Peeled})
    if (demands(load, demand))
      later.push_back(demand);
  if (!later.empty())
    copy.setRequireAttr(tile::RequireAttr::get(load.getContext(), later));
}

CopyOp Selection::copyOf(LoadOp load, SmemType type, Mechanism mechanism, int64_t vector) {
  rewriter.setInsertionPoint(load);
  // Limits beyond which TMA pads anyhow are dropped.
  const auto limited =
      vector ? SmallVector<bool>(load.getLimited()) : cuttingLimits(facts, Access(load));
  SmallVector<Value> limits;
  for (auto [dim, isLimited] : llvm::enumerate(limited))
    if (isLimited)
      limits.push_back(load.getLimit(dim));
  auto copy = CopyOp::create(
      rewriter, load.getLoc(), type, load.getSource(),
      vector ? SmallVector<Value>(load.getCoords())
             : fitCoordinates(rewriter, facts, load.getLoc(), load.getCoords()),
      limits, /*indices=*/ValueRange{}, load.getDimsAttr(), rewriter.getDenseBoolArrayAttr(limited),
      /*indexed=*/DenseI64ArrayAttr{}, /*strides=*/DenseI64ArrayAttr{}, load.getPadAttr(),
      load.getStagesAttr(), load.getCacheAttr(),
      /*into=*/Value{}, /*slot=*/Value{}, /*cacheIf=*/Value{}, /*multicastIf=*/Value{},
      MechanismAttr::get(load.getContext(), mechanism),
      vector ? rewriter.getI64IntegerAttr(vector) : IntegerAttr{},
      /*offset=*/IntegerAttr{}, /*mbarrier=*/IntegerAttr{}, /*multicast=*/IntegerAttr{},
      /*trim=*/IntegerAttr{}, /*why=*/StringAttr{}, /*require=*/tile::RequireAttr{});
  passDemands(load, copy);
  return copy;
}

/// The users of a value in the order of the program. The list of uses has another one, which is not
/// that of the same program read from its text.
static SmallVector<Operation *> usersInOrder(Value value) {
  Block *block = value.getParentBlock();
  SmallVector<Operation *> users(value.getUsers());
  llvm::stable_sort(users, [&](Operation *x, Operation *y) {
    Operation *first = block->findAncestorOpInBlock(*x), *second = block->findAncestorOpInBlock(*y);
    return first != second && first->isBeforeInBlock(second);
  });
  return users;
}

/// Why a tile that products do not use, or not alone, goes to registers.
static std::string whyInRegisters(Value tile) {
  std::string by;
  Value value = tile;
  auto isOurs = [](Operation *user) { return isa<ConvertLayoutOp, StageOp>(user); };
  // The compiler made conversions and writes to shared memory; look for the program's op next to or
  // after them.
  while (!value.use_empty()) {
    SmallVector<Operation *> users = usersInOrder(value);
    auto it = llvm::find_if_not(users, isOurs);
    Operation *user = it == users.end() ? users.front() : *it;
    by = " by " + user->getName().stripDialect().str();
    if (it != users.end())
      break;
    value = user->getResult(0);
  }
  return "the tile is used in registers" + by +
         "; only operands of products are fetched into shared memory";
}

/// True if the only thing made of a load is the operand of a product, by a conversion of integers
/// or by unpacking (weights of few bits), in a loop. A channel can fetch such a tile while products
/// run, which a load to registers cannot.
static bool becomesOperand(LoadOp load) {
  if (!load->getParentOfType<LoopLikeOpInterface>() || load.getTileType().getRank() != 2)
    return false;
  bool converts = false;
  for (Value value = load; value.hasOneUse();) {
    Operation *user = *value.user_begin();
    if (auto stage = dyn_cast<StageOp>(user))
      return converts && !stage->use_empty() &&
             llvm::all_of(stage->getUsers(), llvm::IsaPred<MmaOp, WgmmaOp>);
    if (isa<WgmmaOp>(user))
      return converts;
    if (user->getNumResults() != 1 ||
        !(isa<ConvertLayoutOp, UnpackOp>(user) || isElementwise(user)))
      return false;
    converts |= isa<UnpackOp, arith::SIToFPOp, arith::UIToFPOp>(user);
    value = user->getResult(0);
  }
  return false;
}

/// True if the load is a row of numbers that an innermost loop with products reads in registers, as
/// the scales of a group of columns. A channel fetches it while products run. A load to registers
/// waits behind all that the channels of the block have asked memory for. Rows of integers may be
/// indices, which the threads that copy need, too. A row of an array that the grid writes cannot be
/// fetched ahead, so threads load it.
static bool isRowBesideProducts(LoadOp load) {
  auto loop = load->getParentOfType<LoopLikeOpInterface>();
  auto grid = load->getParentOfType<tile::GridOp>();
  if (!grid)
    return false;
  const llvm::SetVector<Value> written = tile::writtenRoots(grid);
  if (written.contains(Value()) || written.contains(tile::rootOf(load.getSource())))
    return false;
  return load.getTileType().getRank() == 1 && isa<FloatType>(load.getTileType().getElementType()) &&
         loop && load->getParentOp() == loop && !load.getMask() && hasProducts(loop) &&
         !loop->walk([&](LoopLikeOpInterface inner) {
                return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The load in the layout in which it comes, and in those to which it is converted.
static SmallVector<Value> layoutsOf(LoadOp load) {
  SmallVector<Value> layouts{load};
  for (Operation *user : usersInOrder(load))
    if (isa<ConvertLayoutOp>(user))
      layouts.push_back(user->getResult(0));
  return layouts;
}

/// The write to shared memory, for products alone, of a tile in a loop that threads use in
/// registers too; null if there is no such write.
static StageOp stageBesideRegisters(LoadOp load) {
  if (!load->getParentOfType<LoopLikeOpInterface>())
    return {};
  StageOp found;
  bool inRegisters = false;
  for (Value value : layoutsOf(load))
    for (Operation *user : usersInOrder(value)) {
      auto stage = dyn_cast<StageOp>(user);
      const bool isOperand = stage && stage.getInputs().size() == 1 && !stage->use_empty() &&
                             llvm::all_of(stage->getUsers(), llvm::IsaPred<MmaOp, WgmmaOp>);
      if (isOperand && !found)
        found = stage;
      else if (!isa<ConvertLayoutOp>(user) || value != load.getResult())
        inRegisters = true;
    }
  return inRegisters ? found : StageOp();
}

/// By TMA if possible, else by cp.async unless vector loads to registers are wider. Else in shifted
/// pieces, where such vectors have less than four bytes, or through registers.
LogicalResult Selection::selectStaged(LoadOp load, StageOp stage) {
  auto shared = cast<SmemType>(stage.getType());
  std::optional<std::string> reason = whyNotTma(facts, Access(load), shared);
  if (!reason) {
    rewriter.replaceOp(stage, copyOf(load, shared));
    rewriter.eraseOp(load);
    return success();
  }
  if (failed(checkDemand(load, *reason)))
    return failure();
  std::string why = *reason;
  if (auto obstacle = load->getAttrOfType<StringAttr>(tile::kNotRepacked))
    why += "; not repacked: " + obstacle.str();
  if (failed(missPeeled(load, why)))
    return failure();
  auto copyByThreads = [&](Mechanism mechanism, int64_t vector, const std::string &note) {
    CopyOp copy = copyOf(load, shared, mechanism, vector);
    copy.setFromZero(copy.isShifted() && beginsFromZero(facts, Access(load), shared));
    copy.setWhy("no TMA: " + why + note);
    rewriter.replaceOp(stage, copy);
    rewriter.eraseOp(load);
    return success();
  };
  const int64_t inRegisters = chooseVector(facts, Access(load)).elements;
  CpAsyncChoice choice = chooseCpAsync(facts, Access(load), shared);
  if (choice.elements && choice.elements < inRegisters)
    choice = {0, "vectors of registers are wider than " + choice.why};
  if (choice.elements)
    return copyByThreads(Mechanism::CpAsync, choice.elements,
                         choice.why.empty() ? "" : "; " + choice.why);
  why += "; no cp.async: " + choice.why;
  const int64_t bytes = tile::elementBytes(load.getTileType().getElementType());
  if (inRegisters * bytes < 4) {
    std::optional<std::string> noShift = whyNotShifted(facts, Access(load), shared);
    if (!noShift)
      return copyByThreads(Mechanism::Shifted, kShiftedChunk / bytes, "");
    if (*noShift != choice.why)
      why += "; not shifted: " + *noShift;
  }
  if (failed(missPipelined(load, why)))
    return failure();
  load->removeAttr(tile::kNotRepacked);
  setVector(load, why);
  return success();
}

/// Replaces a load by the tile that a copy fetches: products use it where it is, threads read it in
/// the layouts that they want.
void Selection::readFrom(CopyOp copy, LoadOp load) {
  const SmallVector<Value> layouts = layoutsOf(load);
  for (Value value : llvm::reverse(layouts)) {
    SmallVector<Operation *> users = usersInOrder(value);
    users.erase(llvm::unique(users), users.end());
    for (Operation *user : users) {
      auto stage = dyn_cast<StageOp>(user);
      if (stage && stage.getInputs().size() == 1 && stage.getType() == copy.getType()) {
        rewriter.replaceOp(stage, copy);
        continue;
      }
      rewriter.setInsertionPoint(user);
      if (auto take = dyn_cast<TakeOp>(user); take && take.getSource() == value) {
        rewriter.replaceOpWithNewOp<ReadAtOp>(take, take.getType(), copy, take.getIndices(),
                                              take.getDims());
        continue;
      }
      Value read = ReadOp::create(rewriter, load.getLoc(), value.getType(), copy.getResult(),
                                  /*offsets=*/DenseI64ArrayAttr{}, /*dims=*/DenseI64ArrayAttr{},
                                  /*strides=*/DenseI64ArrayAttr{});
      rewriter.modifyOpInPlace(user, [&] { user->replaceUsesOfWith(value, read); });
    }
    rewriter.eraseOp(value.getDefiningOp());
  }
}

LogicalResult Selection::select(LoadOp load) {
  // The threads that copy load the indices for themselves: what is demanded of loads, the copy has.
  if (onlyFeedsCopies(load)) {
    setVector(load, "");
    load.removeWhyAttr();
    return success();
  }
  if (failed(missLoop(load)))
    return failure();
  if (ConvertLayoutOp convert = wantedBesideAccumulators(load)) {
    SmemType image = tmaImage(Access(load));
    if (image && !image.getSwizzle().isLinear() && !whyNotTma(facts, Access(load), image)) {
      CopyOp copy = copyOf(load, image);
      rewriter.setInsertionPoint(convert);
      rewriter.replaceOpWithNewOp<ReadOp>(convert, convert.getResult().getType(), copy.getResult(),
                                          /*offsets=*/DenseI64ArrayAttr{},
                                          /*dims=*/DenseI64ArrayAttr{},
                                          /*strides=*/DenseI64ArrayAttr{});
      rewriter.eraseOp(load);
      return success();
    }
  }
  if (becomesOperand(load)) {
    SmemType image = tmaImage(Access(load));
    if (image && !whyNotTma(facts, Access(load), image)) {
      CopyOp copy = copyOf(load, image);
      auto convert = dyn_cast<ConvertLayoutOp>(*load.getResult().user_begin());
      Operation *read = convert ? convert.getOperation() : load.getOperation();
      rewriter.setInsertionPoint(read);
      auto with = ReadOp::create(rewriter, read->getLoc(), read->getResult(0).getType(),
                                 copy.getResult(), /*offsets=*/DenseI64ArrayAttr{},
                                 /*dims=*/DenseI64ArrayAttr{}, /*strides=*/DenseI64ArrayAttr{});
      rewriter.replaceOp(read, with);
      if (convert)
        rewriter.eraseOp(load);
      return success();
    }
  }
  std::optional<std::string> noTma;
  if (isRowBesideProducts(load)) {
    SmemType image = tmaImage(Access(load));
    noTma = image ? whyNotTma(facts, Access(load), image)
                  : "no dimension of the tile runs along contiguous memory";
    if (!noTma) {
      readFrom(copyOf(load, image), load);
      return success();
    }
  }
  auto stage =
      load.getResult().hasOneUse() ? dyn_cast<StageOp>(*load.getResult().user_begin()) : StageOp{};
  if (stage && stage.getInputs().size() == 1)
    return selectStaged(load, stage);
  if (StageOp beside = stageBesideRegisters(load)) {
    auto shared = cast<SmemType>(beside.getType());
    noTma = whyNotTma(facts, Access(load), shared);
    if (!noTma) {
      readFrom(copyOf(load, shared), load);
      return success();
    }
  }
  // Not the operand of a product alone: it is needed in registers.
  const std::string inRegisters = noTma ? *noTma : whyInRegisters(load);
  if (failed(checkDemand(load, inRegisters)) || failed(missPipelined(load, inRegisters)) ||
      failed(missPeeled(load, inRegisters)))
    return failure();
  load->removeAttr(tile::kNotRepacked);
  setVector(load, inRegisters);
  return success();
}

LogicalResult Selection::select(StoreOp store) {
  if (!isLeftByProduct(store) && !demands(store, tile::Requirement::Tma)) {
    setVector(store, "");
    return success();
  }
  if (std::optional<std::string> why = storeByTma(rewriter, facts, store)) {
    if (failed(checkDemand(store, *why)))
      return failure();
    setVector(store, *why);
  }
  return success();
}

/// Replaces what a gather writes to shared memory by a copy, and erases what only made its places.
void Selection::replaceGather(GatherOp gather, StageOp stage, CopyOp copy) {
  passDemands(gather, copy);
  rewriter.replaceOp(stage, copy);
  SmallVector<Value> chains(gather.getIndices());
  if (gather.getMask())
    chains.push_back(gather.getMask());
  rewriter.eraseOp(gather);
  erased.insert_range(eraseUnusedChains(chains));
}

/// By TMA or cp.async if only shared memory wants the tile, else by threads.
LogicalResult Selection::select(GatherOp gather) {
  if (erased.contains(gather))
    return success();
  if (failed(missLoop(gather)))
    return failure();
  auto stage = gather.getResult().hasOneUse() ? dyn_cast<StageOp>(*gather.getResult().user_begin())
                                              : StageOp{};
  const bool isStaged = stage && stage.getInputs().size() == 1;
  SteppedChoice stepped;
  if (isStaged)
    stepped = steppedCopyOf(rewriter, facts, gather, cast<SmemType>(stage.getType()));
  if (stepped.copy) {
    replaceGather(gather, stage, stepped.copy);
    return success();
  }
  GatherChoice choice;
  if (isStaged)
    choice = chooseGather(facts, gather, cast<SmemType>(stage.getType()),
                          demands(gather, tile::Requirement::Tma));
  if (stepped.why && choice.noTma)
    choice.noTma = stepped.why;
  if (!isStaged)
    choice.noTma = choice.noCpAsync = whyInRegisters(gather);
  if (choice.noTma &&
      (failed(checkDemand(gather, *choice.noTma)) || failed(missPeeled(gather, *choice.noTma))))
    return failure();
  if (!choice.noCpAsync) {
    CopyOp copy =
        copyOfGather(rewriter, facts, tiles, gather, cast<SmemType>(stage.getType()), choice);
    if (choice.noTma)
      copy.setWhy("no TMA: " + *choice.noTma + (choice.narrow.empty() ? "" : "; " + choice.narrow));
    replaceGather(gather, stage, copy);
    return success();
  }
  const bool isAlike = choice.noTma == choice.noCpAsync;
  const std::string why =
      isAlike ? *choice.noTma : *choice.noTma + "; no cp.async: " + *choice.noCpAsync;
  if (failed(missPipelined(gather, why)))
    return failure();
  setVector(gather, "");
  if (!isStaged || !gather->getParentOfType<LoopLikeOpInterface>())
    return success();
  const std::string before = gather.getWhy() ? gather.getWhy()->str() + "; " : "";
  gather.setWhy(before + kNotPipelined.str() +
                ": what an index tile gathers goes through registers, and is not fetched while the "
                "product before it runs, since " +
                (isAlike ? why : "no TMA: " + why));
  return success();
}

/// Of what threads do, only sums of floats that nobody reads back go to memory by vectors (PTX ISA,
/// red: .v2, .v4, .v8).
void Selection::selectIndexed(AtomicOp op) {
  std::string why;
  if (isLeftByProduct(op) && canReduce(op)) {
    std::optional<std::string> noTma = storeByTma(rewriter, facts, op);
    if (!noTma)
      return;
    why = *noTma;
  }
  const Type element = op.getTileType().getElementType();
  if (op.getKind() == tile::AtomicKind::Add && !op.getOld() && isa<FloatType>(element) &&
      element.getIntOrFloatBitWidth() <= 32)
    setVector(op, why);
}

namespace {
struct SelectCopies : cta::impl::SelectCopiesBase<SelectCopies> {
  using SelectCopiesBase::SelectCopiesBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Raw, getArgument())))
      return signalPassFailure();
    SmallVector<GatherOp> gathers;
    Operation *unplaced = nullptr;
    kernel.walk([&](Operation *op) {
      if (auto gather = dyn_cast<GatherOp>(op))
        gathers.push_back(gather);
      for (Value result : op->getResults()) {
        auto smem = dyn_cast<SmemType>(result.getType());
        auto tensor = dyn_cast<RankedTensorType>(result.getType());
        if (!unplaced &&
            ((smem && smem.getSwizzle().isUnknown()) || (tensor && !FragAttr::of(tensor))))
          unplaced = op;
      }
    });
    if (unplaced) {
      unplaced->emitOpError("has a result without a layout; run cta-assign-layouts and "
                            "cta-swizzle-shared before cta-select-copies");
      return signalPassFailure();
    }
    Selection selection(kernel);
    bool failed = false;
    // From the last to the first, since one may load the indices of another. Copies compute their
    // index tiles anew; the loads of which nothing else is made are gone then.
    for (GatherOp gather : llvm::reverse(gathers))
      failed |= mlir::failed(selection.select(gather));
    SmallVector<Operation *> accesses;
    kernel.walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp, ScatterOp, AtomicOp>(op))
        accesses.push_back(op);
    });
    for (Operation *op : accesses) {
      const LogicalResult selected =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<LoadOp, StoreOp>([&](auto access) { return selection.select(access); })
              .Case<ScatterOp, AtomicOp>(
                  [&](auto access) { return selection.selectIndexed(access), success(); });
      failed |= mlir::failed(selected);
    }
    if (failed)
      return signalPassFailure();
    kernel.setPhase(tile::Phase::Placed);
  }
};
} // namespace
