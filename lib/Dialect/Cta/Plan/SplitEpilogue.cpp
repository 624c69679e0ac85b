// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-split-epilogue: cuts the epilogue of a matrix product into subtiles, some columns at a time.
//
// A subtile is a clone of the slice of pure ops that compute the stored tile, for one group of
// columns. The leaves of the slice are values that exist anyhow (accumulators). A cta.slice of them
// costs nothing, because columns of accumulators are registers.
//
// Consecutive stores of a block are split together: the first columns of all come before the second
// columns. So what they share is computed once, and is live for one group of columns only.
//
// What a subtile loads by threads (a bias) is loaded one subtile ahead, and for the first subtile
// before the main loop, because a warpgroup would only wait while the load comes from L2.
#include "EpilogueWidth.h"
#include "tessera/Dialect/Cta/Analysis/GlobalBox.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/Analysis/LoadsAhead.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/RegisterForms.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::cta {
#define GEN_PASS_DEF_SPLITEPILOGUE
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using namespace tessera::plan;

namespace {
/// A store of accumulators, or of a tile computed in their layout.
struct Target {
  Operation *store;
  Value tile;                ///< the stored tile, in the accumulators' layout
  StageOp stage;             ///< the write to shared memory of a store by TMA
  ViewOp view;               ///< of that, if the store has its rows under another shape, or null
  ConvertLayoutOp converted; ///< to a layout that coalesces a store by threads, or null
};

/// Splits consecutive stores that no other op separates.
class Splitter : private TileSlicer {
public:
  Splitter(ArrayRef<Target> targets, int64_t width, int64_t registers)
      : targets(targets), last(targets.back().store), width(width), registers(registers), b(last) {}
  void run();

private:
  void storePart(const Target &target, int64_t from);
  Value sliceOf(Value tile, TileSlice slice) override;
  Value computed(OpResult tile, TileSlice slice);
  bool mayRepeat(Operation *op) override;

  ArrayRef<Target> targets;
  Operation *last;
  int64_t width;     ///< of the current subtile: the last one may be narrower
  int64_t registers; ///< that a math thread has
  OpBuilder b;
  /// By tile, dimension, first index and width.
  DenseMap<std::tuple<Value, int64_t, int64_t, int64_t>, Value> parts;
};
} // namespace

static Value convert(OpBuilder &b, Value tile, RankedTensorType type) {
  return tile.getType() == type ? tile
                                : ConvertLayoutOp::create(b, tile.getLoc(), type, tile).getResult();
}

/// What reads memory is repeated before the last store. That is right if nothing written before, in
/// between or by earlier subtiles, may be what it reads.
bool Splitter::mayRepeat(Operation *op) {
  if (op->getBlock() != last->getBlock())
    return false;
  std::optional<GlobalBox> from = globalBoxOf(op);
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (mayOverwrite(next, from))
      return false;
    if (next == last)
      return true;
  }
  return false;
}

Value Splitter::sliceOf(Value tile, TileSlice slice) {
  const std::tuple<Value, int64_t, int64_t, int64_t> key(tile, slice.dim, slice.from, slice.width);
  if (Value known = parts.lookup(key))
    return known;
  auto result = dyn_cast<OpResult>(tile);
  Value made;
  if (result && result.getOwner()->getBlock() == last->getBlock())
    made = computed(result, slice);
  if (!made) {
    SmallVector<int64_t> offsets(tileShape(tile.getType()).size(), 0);
    offsets[slice.dim] = slice.from;
    made = SliceOp::create(b, tile.getLoc(), slicedType(tile.getType(), slice), tile,
                           b.getDenseI64ArrayAttr(offsets), /*strides=*/DenseI64ArrayAttr{});
  }
  return parts[key] = made;
}

/// The same op for these columns only; null if the tile must be sliced as it is.
Value Splitter::computed(OpResult tile, TileSlice slice) {
  Operation *op = tile.getOwner();
  if (auto sliceable = dyn_cast<SliceableOpInterface>(op))
    return sliceable.sliceResult(b, tile, slice, *this);
  RankedTensorType type = slicedType(tile.getType(), slice);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!elements)
      return {};
    return arith::ConstantOp::create(
        b, op->getLoc(), type, DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  }
  if (!isElementwise(op) || op->getNumResults() != 1)
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      mapping.map(operand, sliceOf(operand, slice));
  Operation *copy = b.clone(*op, mapping);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

constexpr int64_t kColumns = 1;

void Splitter::storePart(const Target &target, int64_t from) {
  const TileSlice slice{kColumns, from, width};
  Value piece = sliceOf(target.tile, slice);
  IRMapping mapping;
  if (auto store = dyn_cast<CopyOutOp>(target.store)) {
    SmemType type = slicedShared(StageOp(target.stage).getType(), kColumns, width);
    Value staged = StageOp::create(b, target.stage->getLoc(), type, piece, /*concat_dim=*/0,
                                   /*offset=*/IntegerAttr{});
    const int64_t columns = store.getSmemType().getRank() - 1;
    if (target.view)
      staged = ViewOp::create(b, target.stage->getLoc(),
                              slicedShared(store.getSmemType(), columns, width), staged);
    mapping.map(store.getValue(), staged);
    SmallVector<Value> coords =
        slicedCoords(b, store.getLoc(), store.getCoords(), store.getDims(), {columns, from, width});
    cast<CopyOutOp>(b.clone(*target.store, mapping)).getCoordsMutable().assign(coords);
    return;
  }
  auto store = cast<StoreOp>(target.store);
  if (target.converted)
    piece = convert(b, piece,
                    slicedAccessType(store.getMemRefType(), store.getDims(),
                                     store.getValue().getType(), slice));
  mapping.map(store.getValue(), piece);
  if (Value mask = store.getMask()) {
    const auto *at = llvm::find(store.getMaskDims(), kColumns);
    if (at != store.getMaskDims().end())
      mask = sliceOf(mask, {at - store.getMaskDims().begin(), from, width});
    mapping.map(
        store.getMask(),
        convert(b, mask,
                withLayout(mask.getType(), maskLayout(layoutOf(piece), store.getMaskDims()))));
  }
  SmallVector<Value> coords =
      slicedCoords(b, store.getLoc(), store.getCoords(), store.getDims(), slice);
  cast<StoreOp>(b.clone(*target.store, mapping)).getCoordsMutable().assign(coords);
}

static bool evaluates(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op);
}

/// True if one of the ops of the block that lead to the stored tile satisfies the predicate.
static bool leadsThrough(const Target &target, llvm::function_ref<bool(Operation *)> such) {
  SmallVector<Value> tiles{target.tile};
  DenseSet<Operation *> seen;
  while (!tiles.empty()) {
    Operation *op = tiles.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != target.store->getBlock() || op->getNumRegions() ||
        !seen.insert(op).second)
      continue;
    if (such(op))
      return true;
    llvm::copy_if(op->getOperands(), std::back_inserter(tiles),
                  [](Value v) { return isa<RankedTensorType>(v.getType()); });
  }
  return false;
}

/// Registers of the widest tile between the accumulators and the stored tile.
static int64_t mostRegisters(const Target &target) {
  int64_t most = registersOf(target.tile);
  leadsThrough(target, [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        most = std::max(most, registersOf(operand));
    return false;
  });
  return most;
}

void Splitter::run() {
  const int64_t columns = tileShape(targets.front().tile.getType())[kColumns];
  SmallVector<Operation *> firsts;
  const int64_t widest = width;
  for (int64_t from = 0; from < columns; from += widest) {
    width = std::min(widest, columns - from);
    Operation *before = last->getPrevNode();
    for (const Target &target : targets)
      storePart(target, from);
    firsts.push_back(before ? before->getNextNode() : &last->getBlock()->front());
  }
  int64_t accumulators = 0;
  for (const Target &target : targets)
    accumulators = std::max(accumulators, mostRegisters(target));
  if (llvm::all_of(targets, [](const Target &target) { return bool(target.stage); }))
    loadAhead(firsts, last, accumulators, registers);
  // The ops that computed the whole tiles are dead now.
  Block *block = last->getBlock();
  SetVector<Operation *> slice;
  for (const Target &target : targets)
    slice.insert(target.store);
  for (unsigned i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && op->getBlock() == block)
        slice.insert(op);
  SmallVector<Operation *> made = slice.takeVector();
  llvm::sort(made, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : made)
    if (isa<CopyOutOp, StoreOp>(op) ||
        (op->use_empty() && !op->getNumRegions() && isOpTriviallyDead(op)))
      op->erase();
}

/// True if the tile is accumulators or computed in their layout, and has several subtiles of this
/// width, which consists of whole fragments of 8 columns.
static bool isAccumulator(Value tile, int64_t width) {
  ArrayRef<int64_t> shape = tileShape(tile.getType());
  FragAttr frag = FragAttr::of(tile.getType());
  if (shape.size() != 2 || !frag || frag.layout() != layout::wgmmaAcc(frag.getWgCount()))
    return false;
  return width >= 8 && width % 8 == 0 && width < shape[1] && shape[1] % 8 == 0;
}

/// The one or two different widths of subtiles if the columns are cut at this width.
static SmallVector<int64_t, 2> widthsOf(int64_t columns, int64_t width) {
  if (columns % width == 0)
    return {width};
  return {width, columns % width};
}

static std::optional<Target> targetOf(CopyOutOp store, int64_t width) {
  auto view = store.getValue().getDefiningOp<ViewOp>();
  auto stage = (view ? view.getSource() : store.getValue()).getDefiningOp<StageOp>();
  if (!stage || stage.getInputs().size() != 1 || !stage->hasOneUse() ||
      (view && !view->hasOneUse()) || stage->getBlock() != store->getBlock() ||
      !store.getLimits().empty() || !isAccumulator(stage.getInputs().front(), width))
    return std::nullopt;
  for (int64_t part : widthsOf(stage.getType().getShape()[kColumns], width)) {
    SmemType sliced = slicedShared(stage.getType(), kColumns, part);
    if (!sliced)
      return std::nullopt;
    if (!view)
      continue;
    // Columns of the one are columns of the other.
    const SmemType type = store.getSmemType();
    if (type.getRank() < 2 || type.getShape().back() != stage.getType().getShape()[kColumns])
      return std::nullopt;
    SmemType viewed = slicedShared(type, type.getRank() - 1, part);
    if (!viewed || viewed.getSwizzle().getSpan() != sliced.getSwizzle().getSpan())
      return std::nullopt;
  }
  return Target{store, stage.getInputs().front(), stage, view, {}};
}

static std::optional<Target> targetOf(StoreOp store, int64_t width) {
  auto converted = store.getValue().getDefiningOp<ConvertLayoutOp>();
  if (converted && (!converted->hasOneUse() || converted->getBlock() != store->getBlock()))
    return std::nullopt;
  Value tile = converted ? converted.getSource() : store.getValue();
  if (!isAccumulator(tile, width))
    return std::nullopt;
  if (converted)
    for (int64_t part : widthsOf(tileShape(tile.getType())[kColumns], width))
      if (!keepsVectors(store.getVector(), store.getMemRefType(), store.getDims(),
                        slicedAccessType(store.getMemRefType(), store.getDims(),
                                         store.getValue().getType(), {kColumns, 0, part})))
        return std::nullopt;
  return Target{store, tile, {}, {}, converted};
}

static std::optional<Target> targetOf(Operation *op, int64_t width) {
  if (auto store = dyn_cast<CopyOutOp>(op))
    return targetOf(store, width);
  if (auto store = dyn_cast<StoreOp>(op))
    return targetOf(store, width);
  return std::nullopt;
}

/// An error at a store that could be split, if the plan asks for subtiles but no store has them.
static LogicalResult refuseWhole(tile::KernelOp kernel, int64_t width) {
  Operation *wide = nullptr;
  bool hasParts = false; // left by an earlier run of the pass
  kernel.walk([&](Operation *op) {
    Value value;
    if (auto copy = dyn_cast<CopyOutOp>(op)) {
      auto stage = dyn_cast_or_null<StageOp>(bufferOf(copy.getValue()));
      value = stage ? stage.getInputs().front() : Value();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      value = ConvertLayoutOp::sourceOf(store.getValue());
    } else if (auto atomic = dyn_cast<AtomicOp>(op)) { // by threads, so it has no subtiles
      value = ConvertLayoutOp::sourceOf(atomic.getValue());
    }
    if (!value)
      return;
    if (isAccumulator(value, width))
      wide = wide ? wide : op;
    else if (ArrayRef<int64_t> shape = tileShape(value.getType());
             shape.size() == 2 && shape.back() == width)
      hasParts = true;
  });
  if (!wide || hasParts)
    return success();
  InFlightDiagnostic error = refusePlan(wide->emitOpError("cannot be computed in epilogue subtiles "
                                                          "of "))
                             << width << " columns, as its plan says: ";
  if (isa<AtomicOp>(wide))
    return error << "threads add it to memory, each its own elements; plan epilogue = 0";
  return error << "neither TMA nor whole vectors move such subtiles, or its "
                  "tile has other readers; plan epilogue = 0, or another width";
}

/// True if what leads to the stored tile loads tiles, evaluates functions, or uses a scalar that is
/// no constant: its values would be live next to all accumulators at once.
static bool isHeavy(const Target &target) {
  return leadsThrough(target, [](Operation *op) {
    auto broadcast = dyn_cast<BroadcastOp>(op);
    return isa<LoadOp, ReadOp>(op) || evaluates(op) ||
           (broadcast && !isa<RankedTensorType>(broadcast.getSource().getType()));
  });
}

/// The derived width of a subtile for stores by TMA: a row of the widest swizzle. Where only a
/// conversion leads to the store, whole tiles are kept. Source: docs/performance/constants.md.
constexpr int64_t kDerivedWidth = 64;

/// The derived width if all stores are by threads. The addresses of the rows are live through all
/// subtiles, so a subtile may have fewer values. At the width above, products with a bias spill.
constexpr int64_t kDerivedByThreads = 32;

static int64_t deriveWidth(ArrayRef<Block *> blocks) {
  bool byTma = false, byThreads = false;
  for (Block *block : blocks)
    for (Operation &op : *block)
      if (std::optional<Target> target = targetOf(&op, kDerivedWidth); target && isHeavy(*target))
        (target->stage ? byTma : byThreads) = true;
  return byTma ? kDerivedWidth : byThreads ? kDerivedByThreads : 0;
}

/// The derived width with ping-pong. Each warpgroup has two subtiles for each store and each tile
/// that it fetches; whole tiles would leave no room for channels. 0 if TMA makes no such store.
static int64_t deriveWidthOfReplicas(tile::KernelOp kernel, int64_t replicas) {
  int64_t slot = 0, parts[2] = {};
  bool found = false;
  auto add = [&](SmemType tile) {
    for (auto [bytes, width] : llvm::zip_equal(parts, kReplicaParts))
      bytes += 2 * tile.getShape()[0] * std::min(width, tile.getShape()[kColumns]) *
               tile::elementBytes(tile.getElementType());
  };
  kernel.walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyOp>(op)) {
      if (isInnermostLoop(op->getParentOp()))
        slot += ringSlotBytes(copy.getSmemType());
      else if (copy.getSmemType().getShape().size() == 2)
        add(copy.getSmemType());
      return;
    }
    auto store = dyn_cast<CopyOutOp>(op);
    std::optional<Target> target = store ? targetOf(store, kReplicaParts[0]) : std::nullopt;
    if (!target)
      return;
    found = true;
    add(target->stage.getType());
  });
  return found ? partOfReplicas(machineOf(kernel), replicas, slot, parts) : 0;
}

/// True if `op` may stay between subtiles of these stores: it does not read what they write, and
/// writes nothing itself.
static bool mayStandBetween(Operation *op, ArrayRef<Target> targets) {
  if (isMemoryEffectFree(op))
    return true;
  std::optional<GlobalBox> box = globalBoxOf(op);
  return box && !mayOverwrite(op, std::nullopt) &&
         llvm::none_of(targets, [&](const Target &target) {
           std::optional<GlobalBox> to = globalBoxOf(target.store);
           return !to || mayAlias(*box, *to);
         });
}

/// True if the subtiles of `target` may come before later subtiles of `targets`.
static bool mayInterleave(const Target &target, ArrayRef<Target> targets) {
  std::optional<GlobalBox> box = globalBoxOf(target.store);
  return box && llvm::all_of(targets, [&](const Target &other) {
           std::optional<GlobalBox> to = globalBoxOf(other.store);
           return to && !mayAlias(*box, *to) &&
                  tileShape(other.tile.getType()) == tileShape(target.tile.getType());
         });
}

/// The stores of a block that are split, in groups that are split together.
static SmallVector<SmallVector<Target>> groupsOf(Block &block, int64_t width) {
  SmallVector<SmallVector<Target>> groups;
  bool open = false; // whether the last group may still grow
  for (Operation &op : block) {
    if (std::optional<Target> target = targetOf(&op, width)) {
      if (!open || !mayInterleave(*target, groups.back()))
        groups.emplace_back();
      groups.back().push_back(*target);
      open = true;
    } else if (open) {
      open = isa<StageOp>(op) || mayStandBetween(&op, groups.back());
    }
  }
  return groups;
}

/// The registers that cta-plan will give a math thread. If the epilogue evaluates functions next to
/// many accumulators, that is all that a producer warpgroup can spare.
static int64_t registersOfThread(const Machine &machine, tile::KernelOp kernel,
                                 ArrayRef<Block *> blocks, int64_t width) {
  plan::Plan known = planStructOf(kernel);
  if (known.registers.value_or(0))
    return *known.registers;
  bool many = known.replicas() > 1;
  for (Block *block : blocks)
    for (Operation &op : *block)
      if (std::optional<Target> target = targetOf(&op, width))
        many |= leadsThrough(*target, evaluates) && mostRegisters(*target) >= kPlanManyAccumulators;
  known.producers = known.producers.value_or(many ? 4 : 1); // a warpgroup, or a warp
  const int64_t warpgroups = kernel.getWarpgroups().value_or(1);
  const int64_t entry = known.entryRegisters(machine, warpgroups);
  return std::max(
      entry, mostPlanRegisters(machine, warpgroups * known.replicas(), *known.producers, entry));
}

/// Splits everything that has subtiles of this width; returns whether there was anything.
static bool split(const Machine &machine, tile::KernelOp kernel, int64_t width) {
  SmallVector<Block *> blocks;
  kernel.walk([&](Block *block) { blocks.push_back(block); });
  const int64_t registers = registersOfThread(machine, kernel, blocks, width);
  bool any = false;
  for (Block *block : blocks)
    for (const SmallVector<Target> &group : groupsOf(*block, width)) {
      Splitter(group, width, registers).run();
      any = true;
    }
  return any;
}

static FailureOr<int64_t> deriveWidth(tile::KernelOp kernel) {
  const int64_t replicas = replicasOf(planOf(kernel));
  if (int64_t width = replicas > 1 ? deriveWidthOfReplicas(kernel, replicas) : 0)
    return width;
  SmallVector<Block *> blocks;
  kernel.walk([&](Block *block) { blocks.push_back(block); });
  int64_t width = deriveWidth(blocks);
  return replicas > 1 ? width : widthForStages(machineOf(kernel), kernel, width, split);
}

namespace {
struct SplitEpilogue : cta::impl::SplitEpilogueBase<SplitEpilogue> {
  using SplitEpilogueBase::SplitEpilogueBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    plan::Plan plan = planStructOf(kernel);
    const bool isDemanded = plan.epilogue && demandsPlan(kernel);
    if (!plan.epilogue && derive) {
      FailureOr<int64_t> derived = deriveWidth(kernel);
      if (failed(derived))
        return signalPassFailure();
      plan.epilogue = *derived;
      if (*derived)
        kernel.setPlanAttr(PlanAttr::get(&getContext(), plan));
    }
    const int64_t width = plan.epilogue.value_or(0);
    if (width && !split(machineOf(kernel), kernel, width) && isDemanded &&
        failed(refuseWhole(kernel, width)))
      return signalPassFailure();
  }
};
} // namespace
