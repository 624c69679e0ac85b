// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-assign-layouts: every tensor gets a register layout.
//
// Values that must share a layout (operands and results of elementwise ops, what a loop carries, an
// accumulator and its result) form a *class*. Classes are tied by *relations*, functions from the
// layout of one class to the natural layout of the other (a reduction's result is a slice of its
// input). The layouts are then found in this order, each step deterministic in program order:
//
//   1. hard anchors: layouts in the source IR, accumulators and register operands of wgmma;
//   2. what follows from those by relations, breadth first;
//   3. the heaviest remaining class that touches global memory takes the layout that coalesces its
//      heaviest access, or, if it accumulates a cta.mma, the layout of that product; then again
//      step 2;
//   4. classes that nothing determines get a blocked layout.
//
// Where a relation does not hold in the end, a `cta.convert_layout` is inserted on its cheaper
// side, which is the smaller tile. A large load or store whose class has a layout that would access
// memory in small pieces gets a coalesced layout and a conversion (ConversionsOfLayouts.cpp does
// both). Two hard anchors in one class are an error that shows both.
#include "BytesOfAccesses.h"
#include "CheapValues.h"
#include "ConversionsOfLayouts.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/Place/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Layout/MmaSync.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "tessera/Dialect/Cta/Place/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using layout::RegisterLayout;

namespace {

bool isTile(Value value) { return value && isa<RankedTensorType>(value.getType()); }

/// A function from the layout of one class to that of another.
struct Relation {
  unsigned from, to;
  std::function<std::optional<RegisterLayout>(const RegisterLayout &)> map;
};

/// A preferred layout and its weight; the heaviest is considered first.
struct Preference {
  unsigned id;
  int64_t weight;
  RegisterLayout layout;
};

class Assignment {
public:
  Assignment(tile::KernelOp kernel)
      : kernel(kernel), facts(kernel), groups(kernel.getWarpgroups().value_or(1)) {}

  LogicalResult run();

private:
  unsigned idOf(Value value) {
    return ids.insert({value, static_cast<unsigned>(ids.size())}).first->second;
  }
  unsigned leader(unsigned id) { return classes.getLeaderValue(id); }
  unsigned leader(Value value) { return leader(idOf(value)); }
  void unite(Value a, Value b) {
    if (isTile(a) && isTile(b))
      classes.unionSets(idOf(a), idOf(b));
  }
  void uniteRange(ValueRange a, ValueRange b) {
    for (auto [x, y] : llvm::zip(a, b))
      unite(x, y);
  }
  void relate(Value from, Value to,
              std::function<std::optional<RegisterLayout>(const RegisterLayout &)> map) {
    relations.push_back({idOf(from), idOf(to), std::move(map)});
  }
  LogicalResult anchor(Value value, const RegisterLayout &l, Location loc, StringRef why);

  void collectClasses(Operation *op);
  RegisterLayout fitForScan(Value value, const RegisterLayout &l, int bytes, int contiguous);
  LogicalResult collectAnchors(Operation *op);
  void collectRelations(Operation *op);
  void collectAccess(const Access &access, Value value, MemRefType memref, ArrayRef<int64_t> dims,
                     Value mask, ArrayRef<int64_t> maskDims);
  void propagate();
  void solve();
  void setTypes();
  /// The index tiles of an access to a tile.
  void followIndices(AtomicOp op);
  template <typename Op>
  void collectIndices(Op op, Value tile);
  struct Anchor {
    RegisterLayout layout;
    Location loc;
    std::string why;
  };

  tile::KernelOp kernel;
  tile::Facts facts;
  int64_t groups;
  llvm::MapVector<Value, unsigned> ids;
  llvm::EquivalenceClasses<unsigned> classes;
  llvm::MapVector<unsigned, Anchor> anchors;        // by leader
  llvm::MapVector<unsigned, RegisterLayout> chosen; // by leader
  DenseSet<Value> pinned; // their layout is in the source IR, so no access uses another one
  SmallVector<Relation> relations;
  SmallVector<ScanOp> scans;
  SmallVector<Preference> preferences;
};

} // namespace

void Assignment::collectClasses(Operation *op) {
  if (isElementwise(op)) {
    Value first;
    for (Value v : op->getOperands())
      if (isTile(v))
        first ? unite(first, v) : void(first = v);
    for (Value v : op->getResults())
      if (isTile(v))
        first ? unite(first, v) : void(first = v);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    uniteRange(loop.getInitArgs(), loop.getRegionIterArgs());
    uniteRange(loop.getInitArgs(), loop.getResults());
    uniteRange(loop.getInitArgs(), loop.getYieldedValues());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    uniteRange(loop.getInits(), loop.getBeforeArguments());
    uniteRange(loop.getInits(), loop.getYieldedValues());
    uniteRange(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    uniteRange(loop.getConditionOp().getArgs(), loop.getResults());
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        uniteRange(op->getResults(), region.front().getTerminator()->getOperands());
  } else if (auto mma = dyn_cast<MmaOp>(op)) {
    unite(mma.getC(), mma.getResult());
  } else if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    unite(wgmma.getC(), wgmma.getResult());
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    for (auto [input, scanned] : llvm::zip_equal(scan.getInputs(), scan.getScanned())) {
      unite(scan.getInputs().front(), input);
      unite(input, scanned);
    }
    scans.push_back(scan);
  }
}

LogicalResult Assignment::anchor(Value value, const RegisterLayout &l, Location loc,
                                 StringRef why) {
  auto [it, inserted] = anchors.insert({leader(value), Anchor{l, loc, why.str()}});
  if (inserted || it->second.layout == l)
    return success();
  InFlightDiagnostic diag = emitError(loc) << "two layouts are demanded of one tile: " << why
                                           << " needs " << FragAttr::get(kernel.getContext(), l);
  diag.attachNote(it->second.loc) << it->second.why << " needs "
                                  << FragAttr::get(kernel.getContext(), it->second.layout)
                                  << "; put a cta.convert_layout between them";
  return failure();
}

LogicalResult Assignment::collectAnchors(Operation *op) {
  if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    if (failed(anchor(wgmma.getResult(), wgmma.resultLayout(groups), op->getLoc(),
                      "the accumulator of this cta.wgmma")))
      return failure();
    auto convert = wgmma.getA().getDefiningOp<ConvertLayoutOp>();
    if (convert && wgmma.aInRegisters() &&
        failed(anchor(wgmma.getA(), wgmma.operandLayout(groups), op->getLoc(),
                      "the register operand of this cta.wgmma")))
      return failure();
  }
  for (Value result : op->getResults())
    if (FragAttr frag = FragAttr::of(result.getType()))
      if (pinned.insert(result);
          failed(anchor(result, frag.layout(), result.getLoc(), "the type of this value")))
        return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument arg : block.getArguments())
        if (FragAttr frag = FragAttr::of(arg.getType()))
          if (failed(anchor(arg, frag.layout(), op->getLoc(), "the type of a block argument")))
            return failure();
  return success();
}

void Assignment::collectAccess(const Access &access, Value value, MemRefType memref,
                               ArrayRef<int64_t> dims, Value mask, ArrayRef<int64_t> maskDims) {
  RankedTensorType type = tensorOf(value);
  int64_t bytes = tile::elementBytes(type.getElementType());
  int contiguous = contiguousTileDim(memref, dims);
  int64_t vectorBytes = wantedBytes(facts, access, value), weight = type.getNumElements() * bytes;
  RegisterLayout wish = type.getRank() == 0
                            ? layout::splat(0, kWarpBits, groups)
                            : layout::blockedFor(coordOf(type.getShape()), static_cast<int>(bytes),
                                                 contiguous < 0 ? type.getRank() - 1 : contiguous,
                                                 kWarpBits, groups, vectorBytes);
  wish = fitForScan(value, wish, static_cast<int>(bytes), contiguous);
  preferences.push_back({idOf(value), vectorBytes < 16 ? 2 * weight : weight, std::move(wish)});
  if (mask) {
    SmallVector<int64_t> on(maskDims);
    relate(value, mask, [on](const RegisterLayout &l) { return maskLayout(l, on); });
  }
}

/// The form of a blocked layout that suits the first scan of the value's class.
RegisterLayout Assignment::fitForScan(Value value, const RegisterLayout &l, int bytes,
                                      int contiguous) {
  for (ScanOp scan : scans)
    if (leader(scan.getInputs().front()) == leader(value))
      return layout::scanForm(l, coordOf(tensorOf(value).getShape()),
                              static_cast<int>(scan.getDim()), bytes, contiguous);
  return l;
}

/// Atomics on scattered elements have no wish of their own: they take the layout in which their
/// indices are.
void Assignment::followIndices(AtomicOp op) {
  preferences.back().weight = 1;
  for (auto [number, index] : llvm::enumerate(op.getIndices()))
    if (tensorOf(index).getRank() == op.getTileType().getRank())
      relate(index, op.getValue(), [](const RegisterLayout &l) { return l; });
}

template <typename Op>
void Assignment::collectIndices(Op op, Value tile) {
  for (auto [number, index] : llvm::enumerate(op.getIndices())) {
    SmallVector<int64_t> on = op.getIndexDims(static_cast<unsigned>(number));
    relate(tile, index, [on](const RegisterLayout &l) { return maskLayout(l, on); });
  }
}

void Assignment::collectRelations(Operation *op) {
  if (auto gather = dyn_cast<GatherOp>(op)) {
    collectAccess(Access(gather), gather.getResult(), gather.getMemRefType(), gather.getDims(),
                  gather.getMask(), gather.getMaskDims());
    collectIndices(gather, gather.getResult());
  } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
    collectAccess(Access(scatter), scatter.getValue(), scatter.getMemRefType(), scatter.getDims(),
                  scatter.getMask(), scatter.getMaskDims());
    collectIndices(scatter, scatter.getValue());
  } else if (auto atomic = dyn_cast<AtomicOp>(op)) {
    collectAccess(Access(atomic), atomic.getValue(), atomic.getMemRefType(), atomic.getDims(),
                  atomic.getMask(), atomic.getMaskDims());
    if (isScattered(atomic))
      followIndices(atomic);
    collectIndices(atomic, atomic.getValue());
    for (Value same : {Value(atomic.getReplacement()), Value(atomic.getOld())})
      if (same)
        relate(atomic.getValue(), same, [](const RegisterLayout &l) { return l; });
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    collectAccess(Access(load), load.getResult(), load.getMemRefType(), load.getDims(),
                  load.getMask(), load.getMaskDims());
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    collectAccess(Access(store), store.getValue(), store.getMemRefType(), store.getDims(),
                  store.getMask(), store.getMaskDims());
  } else if (auto mma = dyn_cast<MmaOp>(op)) {
    RankedTensorType type = mma.getResultType();
    // Heavier than any access to the same tile, because the product reads this layout K times.
    const layout::Coord shape = coordOf(type.getShape());
    preferences.push_back({idOf(mma.getResult()), type.getNumElements() * 1024,
                           whyNotMmaSync(Product(mma), groups)
                               ? layout::fmaAcc(shape, kWarpBits, groups)
                               : layout::mmaSyncAcc(shape, kWarpBits, groups)});
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    SmallVector<int64_t> dims(reduce.getDims());
    for (Value input : reduce.getInputs().drop_front())
      relate(reduce.getInputs().front(), input, [](const RegisterLayout &l) { return l; });
    for (Value result : reduce.getResults())
      relate(reduce.getInputs().front(), result,
             [dims](const RegisterLayout &l) { return reducedLayout(l, dims); });
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    for (Value tile :
         llvm::concat<Value>(llvm::to_vector(scan.getTotals()), llvm::to_vector(scan.getCarries())))
      relate(scan.getInputs().front(), tile,
             [dim = static_cast<int64_t>(scan.getDim())](const RegisterLayout &l) {
               return reducedLayout(l, dim);
             });
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (!isTile(broadcast.getSource()))
      return;
    SmallVector<int64_t> dims(broadcast.getDims()),
        from(tensorOf(broadcast.getSource()).getShape()),
        to(tensorOf(broadcast.getResult()).getShape());
    relate(broadcast.getResult(), broadcast.getSource(),
           [=](const RegisterLayout &l) { return broadcastSourceLayout(l, dims, from, to); });
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> dims(transpose.getDims());
    relate(transpose.getSource(), transpose.getResult(),
           [dims](const RegisterLayout &l) { return transposedLayout(l, dims); });
    relate(transpose.getResult(), transpose.getSource(),
           [dims](const RegisterLayout &l) { return untransposedLayout(l, dims); });
  } else if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    relate(convert.getSource(), convert.getResult(), [](const RegisterLayout &l) { return l; });
    relate(convert.getResult(), convert.getSource(), [](const RegisterLayout &l) { return l; });
  } else if (auto take = dyn_cast<TakeOp>(op)) {
    for (auto [dim, index] : llvm::zip_equal(take.getDims(), take.getIndices()))
      relate(take.getResult(), index,
             [dim = dim, rank = tensorOf(index).getRank()](const RegisterLayout &l) {
               return indexLayout(l, rank, dim);
             });
  } else if (auto [wide, narrow, factor] = packing(op); factor) {
    relate(wide, narrow, [by = factor](const RegisterLayout &l) { return unpackedLayout(l, by); });
    relate(narrow, wide, [by = factor](const RegisterLayout &l) { return packedLayout(l, by); });
  } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    SmallVector<int64_t> from(tensorOf(reshape.getSource()).getShape()),
        to(tensorOf(reshape.getResult()).getShape());
    relate(reshape.getSource(), reshape.getResult(),
           [=](const RegisterLayout &l) { return unitReshapeLayout(l, from, to); });
    relate(reshape.getResult(), reshape.getSource(),
           [=](const RegisterLayout &l) { return unitReshapeLayout(l, to, from); });
  }
}

/// Follows the relations breadth first, in program order, until nothing changes.
void Assignment::propagate() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Relation &r : relations) {
      auto from = chosen.find(leader(r.from));
      if (from == chosen.end() || chosen.contains(leader(r.to)))
        continue;
      if (std::optional<RegisterLayout> l = r.map(from->second)) {
        chosen.insert({leader(r.to), *l});
        changed = true;
      }
    }
  }
}

void Assignment::solve() {
  for (auto &[id, anchor] : anchors)
    chosen.insert({id, anchor.layout});
  propagate();
  llvm::stable_sort(preferences,
                    [](const Preference &a, const Preference &b) { return a.weight > b.weight; });
  for (Preference &p : preferences) {
    if (chosen.insert({leader(p.id), p.layout}).second)
      propagate();
  }
  for (auto &[value, id] : ids) {
    RankedTensorType type = tensorOf(value);
    if (chosen.contains(leader(id)))
      continue;
    const auto bytes = static_cast<int>(tile::elementBytes(type.getElementType()));
    const auto last = static_cast<int>(type.getRank()) - 1;
    RegisterLayout l = layout::splat(0, kWarpBits, groups);
    if (last >= 0)
      l = fitForScan(value,
                     layout::blockedFor(coordOf(type.getShape()), bytes, last, kWarpBits, groups),
                     bytes, last);
    chosen.insert({leader(id), l});
    propagate();
  }
}

void Assignment::setTypes() {
  for (auto &[value, id] : ids) {
    RankedTensorType type = withLayout(value.getType(), chosen.find(leader(id))->second);
    Value(value).setType(type);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  }
}

LogicalResult Assignment::run() {
  rematerializeCheapValues(kernel);
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (isTile(result))
        classes.insert(idOf(result));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          if (isTile(arg))
            classes.insert(idOf(arg));
  });
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { collectClasses(op); });
  WalkResult anchored = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    return failed(collectAnchors(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (anchored.wasInterrupted())
    return failure();
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { collectRelations(op); });
  solve();
  setTypes();
  insertConversions(kernel, facts, groups, pinned);
  return success();
}

namespace {
struct AssignLayouts : tessera::cta::impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Raw, "cta-assign-layouts")) ||
        failed(Assignment(kernel).run()))
      signalPassFailure();
  }
};
} // namespace
