// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Selects how data moves: by TMA where the facts make it legal, by cp.async where the tile is only
// needed in shared memory, by vector accesses elsewhere. Records why nothing better was possible.
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/Place/Passes.h"
#include "tessera/Dialect/Tile/Access.h"
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
/// The most bytes that a tile in shared memory for a TMA store may have: more would leave too
/// little for the operands.
constexpr int64_t kMaxStoreBytes = 128 * 1024;

class Selection {
public:
  explicit Selection(tile::KernelOp kernel) : facts(kernel), rewriter(kernel.getContext()) {}
  LogicalResult select(LoadOp load);
  LogicalResult select(StoreOp store);
  /// Index tiles: threads access memory, by vectors where they can.
  template <typename Op>
  void selectIndexed(Op op) {
    setVector(op, "");
  }
  void selectIndexed(GatherOp op);
  void selectIndexed(AtomicOp op);

private:
  /// A copy by TMA, or by cp.async in pieces of `vector` elements.
  CopyOp copyOf(LoadOp load, SmemType type, int64_t vector = 0);
  LogicalResult selectStaged(LoadOp load, StageOp stage);
  SmallVector<Value> fitCoordinates(LoadOp load);
  template <typename Op>
  void setVector(Op op, const std::string &why);
  template <typename Op>
  LogicalResult checkDemand(Op op, StringRef why);
  template <typename Op>
  void noteMissingFacts(InFlightDiagnostic &error, Op op);
  LogicalResult missPeeled(LoadOp load, const Twine &why);
  LogicalResult missPipelined(LoadOp load, StringRef why);

  tile::Facts facts;
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
LogicalResult Selection::missPeeled(LoadOp load, const Twine &why) {
  if (!demands(load, tile::Requirement::Peeled) || !load->getParentOfType<LoopLikeOpInterface>())
    return success();
  InFlightDiagnostic error = load.emitOpError("is not peeled, as 'require = [peeled]' demands: ");
  error << "its bounds are checked in every iteration, unless TMA does it, and it cannot: " << why;
  noteMissingFacts(error, load);
  return error;
}

/// A miss of `require = [pipelined]`: only copies to shared memory can run ahead of their readers.
LogicalResult Selection::missPipelined(LoadOp load, StringRef why) {
  if (!demands(load, tile::Requirement::Pipelined))
    return success();
  InFlightDiagnostic error =
      load.emitOpError("is not pipelined, as 'require = [pipelined]' demands: only copies by TMA "
                       "and cp.async are, and this is neither, since ");
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

/// TMA takes 32-bit coordinates. If a coordinate needs more bits, the box is outside the array,
/// since sizes fit 31 bits. It is replaced by the least 32-bit coordinate, which is outside, too,
/// and a multiple of 16 bytes.
SmallVector<Value> Selection::fitCoordinates(LoadOp load) {
  SmallVector<Value> coords(load.getCoords());
  for (Value &coord : coords) {
    if (facts.range(coord).fitsI32())
      continue;
    Location loc = load.getLoc();
    Value half = arith::ConstantIndexOp::create(rewriter, loc, int64_t(1) << 31),
          whole = arith::ConstantIndexOp::create(rewriter, loc, int64_t(1) << 32),
          least = arith::ConstantIndexOp::create(rewriter, loc, INT32_MIN);
    Value shifted = arith::AddIOp::create(rewriter, loc, coord, half);
    Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, shifted, whole);
    coord = arith::SelectOp::create(rewriter, loc, fits, coord, least);
  }
  return coords;
}

CopyOp Selection::copyOf(LoadOp load, SmemType type, int64_t vector) {
  rewriter.setInsertionPoint(load);
  // Limits beyond which TMA pads anyhow are dropped.
  auto copy = CopyOp::create(
      rewriter, load.getLoc(), type, load.getSource(),
      vector ? SmallVector<Value>(load.getCoords()) : fitCoordinates(load),
      vector ? load.getLimits() : ValueRange{}, load.getDimsAttr(),
      vector ? load.getLimitedAttr()
             : rewriter.getDenseBoolArrayAttr(SmallVector<bool>(load.getDims().size(), false)),
      load.getPadAttr(), load.getStagesAttr(), load.getCacheAttr(),
      /*into=*/Value{}, /*slot=*/Value{}, /*cacheIf=*/Value{}, /*multicastIf=*/Value{},
      MechanismAttr::get(load.getContext(), vector ? Mechanism::CpAsync : Mechanism::Tma),
      vector ? rewriter.getI64IntegerAttr(vector) : IntegerAttr{},
      /*offset=*/IntegerAttr{}, /*mbarrier=*/IntegerAttr{}, /*multicast=*/IntegerAttr{},
      /*why=*/StringAttr{}, /*require=*/tile::RequireAttr{});
  // cta-pipeline-copies and cta-peel-masks check whether these are met.
  SmallVector<tile::Requirement> later;
  for (tile::Requirement demand : {tile::Requirement::Pipelined, tile::Requirement::Peeled})
    if (demands(load, demand))
      later.push_back(demand);
  if (!later.empty())
    copy.setRequireAttr(tile::RequireAttr::get(load.getContext(), later));
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

/// Why a load that no product uses directly goes to registers.
static std::string whyInRegisters(LoadOp load) {
  std::string by;
  Value value = load;
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

/// By TMA if possible, else by cp.async unless vector loads to registers are wider, else by those.
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
  CpAsyncChoice choice = chooseCpAsync(facts, Access(load), shared);
  if (choice.elements && choice.elements < chooseVector(facts, Access(load)).elements)
    choice = {0, "vectors of registers are wider than " + choice.why};
  if (choice.elements) {
    CopyOp copy = copyOf(load, shared, choice.elements);
    copy.setWhy("no TMA: " + why + (choice.why.empty() ? "" : "; " + choice.why));
    rewriter.replaceOp(stage, copy);
    rewriter.eraseOp(load);
    return success();
  }
  why += "; no cp.async: " + choice.why;
  if (failed(missPipelined(load, why)))
    return failure();
  load->removeAttr(tile::kNotRepacked);
  setVector(load, why);
  return success();
}

LogicalResult Selection::select(LoadOp load) {
  if (load.getRequire() && load.getRequire()->contains(tile::Requirement::Peeled) &&
      !load->getParentOfType<LoopLikeOpInterface>())
    return load.emitOpError("is not peeled, as 'require = [peeled]' demands: it stands in no loop");
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
  auto stage =
      load.getResult().hasOneUse() ? dyn_cast<StageOp>(*load.getResult().user_begin()) : StageOp{};
  if (stage && stage.getInputs().size() == 1)
    return selectStaged(load, stage);
  // Not the operand of a product: it is needed in registers.
  const std::string inRegisters = whyInRegisters(load);
  if (failed(checkDemand(load, inRegisters)) || failed(missPipelined(load, inRegisters)) ||
      failed(missPeeled(load, inRegisters)))
    return failure();
  load->removeAttr(tile::kNotRepacked);
  setVector(load, inRegisters);
  return success();
}

LogicalResult Selection::select(StoreOp store) {
  // The tile as the product left it, before the conversion to a coalesced layout.
  Value value = store.getValue();
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSource();
  auto type = cast<RankedTensorType>(value.getType());
  FragAttr frag = FragAttr::of(type);
  bool gains = type.getRank() >= 2 && frag && layout::isWgmmaAcc(frag.layout());
  if (!gains && !demands(store, tile::Requirement::Tma)) {
    setVector(store, "");
    return success();
  }
  SmemType shared = tmaImage(Access(store));
  std::optional<std::string> why;
  if (!shared)
    why = "no dimension of the tile runs along contiguous memory";
  else if (int64_t bytes = sharedLayout(shared).sizeBytes(); bytes > kMaxStoreBytes)
    why = "the tile has " + std::to_string(bytes) + " bytes, more than the " +
          std::to_string(kMaxStoreBytes) + " that a store may stage in shared memory";
  else
    why = whyNotTma(facts, Access(store), shared);
  if (why) {
    if (failed(checkDemand(store, *why)))
      return failure();
    setVector(store, *why);
    return success();
  }
  rewriter.setInsertionPoint(store);
  auto staged = StageOp::create(rewriter, store.getLoc(), shared, value, /*concat_dim=*/0,
                                /*offset=*/IntegerAttr{});
  // Warpgroups that store what they wrote themselves need not wait for each other.
  const bool apart = warpgroupParts(staged).has_value();
  Value converted = store.getValue();
  CopyOutOp::create(rewriter, store.getLoc(), staged, store.getDest(), store.getCoords(),
                    ValueRange{}, store.getDimsAttr(),
                    rewriter.getDenseBoolArrayAttr(SmallVector<bool>(type.getRank(), false)),
                    store.getCacheAttr(), MechanismAttr::get(store.getContext(), Mechanism::Tma),
                    apart ? rewriter.getUnitAttr() : UnitAttr(), /*why=*/StringAttr{});
  rewriter.eraseOp(store);
  while (auto convert = converted.getDefiningOp<ConvertLayoutOp>()) {
    if (!convert->use_empty())
      break;
    converted = convert.getSource();
    rewriter.eraseOp(convert);
  }
  return success();
}

/// A gathered operand of a product goes through registers, so nothing fetches it ahead.
void Selection::selectIndexed(GatherOp op) {
  setVector(op, "");
  auto isOperand = [](Operation *user) { return isa<StageOp>(user); };
  if (!op->getParentOfType<LoopLikeOpInterface>() || !llvm::any_of(op->getUsers(), isOperand))
    return;
  const std::string why = op.getWhy() ? op.getWhy()->str() + "; " : "";
  op.setWhy(why + kNotPipelined.str() +
            ": what an index tile gathers goes through registers, and is not fetched while the "
            "product before it runs; where the rows of a tile lie one after the other, load a box");
}

/// Only sums of floats that nobody reads back go to memory by vectors (PTX ISA, red: .v2, .v4,
/// .v8).
void Selection::selectIndexed(AtomicOp op) {
  const Type element = op.getTileType().getElementType();
  if (op.getKind() == tile::AtomicKind::Add && !op.getOld() && isa<FloatType>(element) &&
      element.getIntOrFloatBitWidth() <= 32)
    setVector(op, "");
}

namespace {
struct SelectCopies : cta::impl::SelectCopiesBase<SelectCopies> {
  using SelectCopiesBase::SelectCopiesBase;
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Raw, getArgument())))
      return signalPassFailure();
    SmallVector<Operation *> accesses;
    Operation *unplaced = nullptr;
    kernel.walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp, GatherOp, ScatterOp, AtomicOp>(op))
        accesses.push_back(op);
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
    for (Operation *op : accesses) {
      const LogicalResult selected =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<LoadOp, StoreOp>([&](auto access) { return selection.select(access); })
              .Case<GatherOp, ScatterOp, AtomicOp>(
                  [&](auto access) { return selection.selectIndexed(access), success(); });
      failed |= mlir::failed(selected);
    }
    if (failed)
      return signalPassFailure();
    kernel.setPhase(tile::Phase::Placed);
  }
};
} // namespace
