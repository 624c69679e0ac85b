// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-verify: what the op verifiers cannot see. The allow-list of ops, the legal types, and where
// ops may stand.
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/OpHints.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Races.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSet.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEVERIFY
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

//===--- what is allowed where ---------------------------------------------------------------===//

/// Ops inside a grid, in addition to those of arith, math and tile.
static const llvm::StringSet<> kGridOps = {
    "scf.for", "scf.if", "scf.while", "scf.index_switch", "scf.yield", "scf.condition",
    "tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice", "tensor.concat",
    "tensor.extract", "tensor.from_elements", "tensor.splat", "memref.dim", "memref.load",
    "memref.store", "memref.subview", "memref.cast", "memref.expand_shape", "memref.collapse_shape",
    "memref.reinterpret_cast", "affine.apply", "affine.min", "affine.max",
    // Upstream folders create it for undefined results.
    "ub.poison",
    // tile-insert-checks creates it.
    "cf.assert"};

/// Ops in the body of a kernel outside of grids, in addition to those of arith and math.
static const llvm::StringSet<> kBodyOps = {"tile.grid",
                                           "tile.dim",
                                           "tile.param",
                                           "tile.num_cores",
                                           "tile.assume",
                                           "tile.cost",
                                           "tile.return",
                                           "memref.alloc",
                                           "memref.dim",
                                           "memref.load",
                                           "memref.subview",
                                           "memref.cast",
                                           "memref.expand_shape",
                                           "memref.collapse_shape",
                                           "memref.reinterpret_cast",
                                           "affine.apply",
                                           "affine.min",
                                           "affine.max",
                                           "ub.poison"};

/// Ops that the launcher evaluates in bounds, steps, sizes and conditions (docs/Contract.md).
static const llvm::StringSet<> kExpressionOps = {
    "arith.constant",   "arith.addi",      "arith.subi",       "arith.muli",
    "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui",  "arith.divsi",
    "arith.divui",      "arith.remsi",     "arith.remui",      "arith.minsi",
    "arith.maxsi",      "arith.minui",     "arith.maxui",      "arith.andi",
    "arith.ori",        "arith.xori",      "arith.shli",       "arith.shrsi",
    "arith.select",     "arith.cmpi",      "arith.index_cast", "arith.index_castui",
    "arith.extsi",      "arith.extui",     "arith.trunci",     "affine.apply",
    "affine.min",       "affine.max",      "tile.dim",         "memref.dim",
    "tile.num_cores",   "tile.param"};

/// A branch that parameters decide: tile-bind-params leaves what it yields.
static bool isWay(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return dependsOnParams(branch.getCondition());
  auto cases = dyn_cast<scf::IndexSwitchOp>(op);
  return cases && dependsOnParams(cases.getArg());
}

/// The same; with `mayRead`, `obstacle` is no number that a `memref.load` reads.
static std::optional<LaunchObstacle> findObstacle(Value value, bool mayRead) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    std::string text;
    llvm::raw_string_ostream what(text);
    if (!next.getType().isIntOrIndex()) {
      what << "a value of type " << next.getType() << "; the launcher computes with integers only";
      return LaunchObstacle{next, text};
    }
    Operation *op = next.getDefiningOp();
    if (!op) // an argument of the kernel
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(op); load && mayRead) {
      llvm::append_range(work, load.getIndices());
      continue;
    }
    if (isWay(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty())
          llvm::append_range(work, region.front().getTerminator()->getOperands());
      continue;
    }
    if (!kExpressionOps.contains(op->getName().getStringRef())) {
      what << op->getName()
           << ", which the launcher cannot compute; use arguments, tile.dim, integer arith and "
              "affine";
      return LaunchObstacle{next, text};
    }
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      Operation *root = dim.getSource().getDefiningOp();
      if (root && !isa<memref::AllocOp>(root))
        return LaunchObstacle{next, "the size of a view; take the size of its root"};
      work.push_back(dim.getIndex());
      continue;
    }
    llvm::append_range(work, op->getOperands());
  }
  return std::nullopt;
}

std::optional<LaunchObstacle> tessera::tile::findLaunchObstacle(Value value) {
  return findObstacle(value, /*mayRead=*/false);
}

Operation *tessera::tile::findBoundInMemory(GridOp grid) {
  SmallVector<Value> work(grid->getOperands());
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !seen.insert(next).second || !next.getType().isIntOrIndexOrFloat())
      continue;
    if (isa<memref::LoadOp>(op))
      return op;
    llvm::append_range(work, op->getOperands());
  }
  return nullptr;
}

namespace {
class Verifier {
public:
  explicit Verifier(KernelOp kernel) : kernel(kernel), isFamily(hasParams(kernel)) {}

  LogicalResult run() {
    if (kernel.getPhase()) {
      kernel.emitOpError("tile-verify is for kernels at L0, this one is at phase ")
          << stringifyPhase(*kernel.getPhase());
      return failure();
    }
    for (Operation &op : kernel.getBody().front())
      verifyBodyOp(&op);
    return failure(failed);
  }

private:
  InFlightDiagnostic error(Operation *op) {
    failed = true;
    return op->emitOpError();
  }

  //===--- types -----------------------------------------------------------------------------===//

  /// Why there are no elements of this type, for types that users try.
  static StringRef whyNot(Type element) {
    if (isa<ComplexType>(element))
      return "; complex numbers are pairs of tiles, real and imaginary";
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 8)
      return "; of the floats of 8 bits and less only these two are supported";
    if (element.isInteger(4) || element.isInteger(2))
      return "; integers of less than 8 bits (but i1) are not yet supported";
    if (isa<FloatTF32Type>(element))
      return "; tf32 is a precision of tile.mma on f32";
    if (auto integer = dyn_cast<IntegerType>(element); integer && !integer.isSignless())
      return "; integers are signless, ops are signed or unsigned";
    if (isa<VectorType>(element))
      return "; tiles are tensors, vectors are no part of the language";
    return "";
  }

  void verifyTensor(Operation *op, RankedTensorType type) {
    if (!type.hasStaticShape() && !isFamily)
      error(op) << "has type " << type
                << "; a tile has a static shape: load a tile of fixed extents, loads and stores "
                   "stop at the end of the memref by themselves; only extents that parameters give "
                   "(tile.param) may be '?'";
    else if (type.getEncoding())
      error(op) << "has type " << type << "; a tile of the language has no encoding";
    else if (type.getRank() > 4)
      error(op) << "has type " << type << " of rank " << type.getRank()
                << "; a tile has rank 0 to 4";
    else if (llvm::is_contained(type.getShape(), 0))
      error(op) << "has type " << type << "; the extents of a tile are at least 1";
    else if (!isTileElementType(type.getElementType()))
      error(op) << "has type " << type << "; the elements of a tile are " << tileElementTypesText()
                << whyNot(type.getElementType());
  }

  void verifyMemRef(Operation *op, MemRefType type) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (type.getMemorySpace())
      error(op) << "has type " << type << " with memory space " << type.getMemorySpace()
                << "; the language knows global memory only, which is the default: where tiles "
                   "live is decided by the compiler";
    else if (!isMemoryElementType(type.getElementType()))
      error(op) << "has type " << type << "; the elements of a memref are "
                << tileElementTypesText() << whyNot(type.getElementType());
    else if (type.getRank() > 5)
      error(op) << "has type " << type << " of rank " << type.getRank()
                << "; a memref has at most rank 5";
    else if (mlir::failed(type.getStridesAndOffset(strides, offset)))
      error(op) << "has type " << type << "; the layout of a memref is identity or strided";
  }

  void verifyType(Operation *op, Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return verifyTensor(op, tensor);
    if (auto memref = dyn_cast<MemRefType>(type))
      return verifyMemRef(op, memref);
    if (!isTileElementType(type))
      error(op) << "has type " << type << "; values are tiles, memrefs, and scalars of "
                << tileElementTypesText() << whyNot(type);
  }

  void verifyTypes(Operation *op) {
    // One message for each op: the first bad type explains the others.
    bool before = std::exchange(failed, false);
    for (Type type : op->getResultTypes())
      if (!failed)
        verifyType(op, type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (!failed)
            verifyType(op, type);
    failed |= before;
  }

  //===--- ops -------------------------------------------------------------------------------===//

  void rejectOp(Operation *op) {
    error(op) << "is not part of the tile language: "
              << hintForForeignOp(op->getName().getStringRef());
  }

  /// A memref value is an argument, workspace, or a view of one of those. An op that chooses
  /// between two roots would hide which memory an access touches.
  void verifyNoMemRefChoice(Operation *op) {
    bool chooses = isa<arith::SelectOp>(op) || isa_and_nonnull<scf::SCFDialect>(op->getDialect());
    if (chooses && llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      error(op) << "chooses between memrefs; the root of every access is known at compile time: "
                   "choose between coordinates, or load in both arms of an scf.if";
  }

  /// Checks the depth of views, because looking for the root of a view follows view after view.
  bool verifyView(Operation *op) {
    if (!isa<ViewLikeOpInterface>(op) || op->getNumResults() != 1)
      return true;
    const unsigned depth = viewDepths.lookup(op->getOperand(0)) + 1;
    viewDepths[op->getResult(0)] = depth;
    if (depth <= kMaxViews)
      return true;
    if (depth == kMaxViews + 1) // report it once
      error(op) << "is the last of more than " << kMaxViews
                << " views of each other, which is the limit: make one view of several";
    return false;
  }

  /// Constraints of single ops that are stricter than those of upstream.
  void verifyUse(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isa<ShapedType>(constant.getType()) && !isa<DenseElementsAttr>(constant.getValue()))
        error(op) << "must be a dense constant";
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      if (extract.getTensor().getType().getRank() != 0)
        error(op) << "reads one element of a tile: use tile.reduce to make a tile of rank 0, or "
                     "memref.load to read the element from memory";
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      auto isOpen = [&](ValueRange numbers) {
        return llvm::any_of(numbers, [&](Value number) {
          return !isFamily || static_cast<bool>(findParamObstacle(number));
        });
      };
      if (isOpen(slice.getOffsets()) || isOpen(slice.getSizes()) || isOpen(slice.getStrides()))
        error(op) << "has dynamic offsets, sizes or strides; a slice of a tile is static: load the "
                     "part that is wanted with tile.load";
      else if (llvm::any_of(slice.getStaticStrides(), [](int64_t s) { return s < 1; }))
        error(op)
            << "has a stride that is not positive; the language has no reversal: load the tile "
               "through a reversed view";
    }
  }

  /// Parameters alone give the extents of tiles.
  void verifyExtentsOf(Operation *op) {
    std::optional<ValueRange> extents = extentsGiven(op);
    if (!extents || isa<tensor::ExtractSliceOp>(op)) // its numbers are verified with its others
      return;
    for (Value extent : *extents)
      if (Value obstacle = findParamObstacle(extent)) {
        InFlightDiagnostic diagnostic =
            error(op)
            << "has an extent that parameters alone do not give; the extents of tiles are "
               "known when the kernel is compiled, and what is loaded may be bounded by "
               "'limit'";
        diagnostic.attachNote(obstacle.getLoc()) << "it depends on this";
        return;
      }
  }

  //===--- the body of a kernel --------------------------------------------------------------===//

  /// A branch between grids, which tile-bind-params takes or leaves.
  void verifyWay(Operation *op) {
    if (!isWay(op)) {
      error(op) << "chooses between grids by something else than parameters (tile.param); the body "
                   "of a kernel says what is launched: a grid with an upper bound of 0 is not";
      return;
    }
    verifyTypes(op);
    verifyNoMemRefChoice(op);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block.without_terminator())
          verifyBodyOp(&inner);
  }

  static bool containsGrid(Operation *op) {
    return op->walk([](GridOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  void verifyBodyOp(Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op) && (isFamily || containsGrid(op)))
      return verifyWay(op);
    bool scalarCode = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
    if (!scalarCode && !kBodyOps.contains(name)) {
      if (kGridOps.contains(name) || isa_and_nonnull<TileDialect>(op->getDialect()))
        error(op) << "must stand inside a tile.grid: the body of a kernel only says what is "
                     "launched";
      else
        rejectOp(op);
      return;
    }
    for (Type type : op->getResultTypes())
      if (isa<TensorType>(type)) {
        error(op) << "makes a tile outside the grids; tiles may not cross the border of a "
                     "tile.grid: move it inside";
        return;
      }
    if (!verifyView(op))
      return;
    verifyTypes(op);
    verifyNoMemRefChoice(op);
    if (auto grid = dyn_cast<GridOp>(op)) {
      for (Value bound : grid->getOperands())
        verifyExpression(op, bound, "a bound or step of the grid", /*mayRead=*/true);
      for (OpFoldResult step : grid.getMixedStep())
        if (std::optional<int64_t> constant = getConstantIntValue(step); constant && *constant < 1)
          error(grid) << "has the step " << *constant << "; a step must be at least 1";
      verifyGridRegion(grid.getBody());
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (!isFamily) // which grids there are is not known before
        verifyBodyLoad(load);
    } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      verifyWorkspace(alloc);
    } else if (auto assume = dyn_cast<AssumeOp>(op); assume && assume.getMessage()) {
      verifyExpression(op, assume.getValue(), "the condition");
      // A guard would be copied into every variant, and could leave launches that no variant takes.
      if (assume.getGuard() && !kernel.getVariantOf())
        error(op) << "is a guard, but the kernel is no variant of another (variant_of): there is "
                     "no next one to try; leave out 'guard' to refuse the launch, or choose "
                     "between kernels in the program that launches them";
    }
  }

  void verifyWorkspace(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    SmallVector<int64_t> strides;
    int64_t offset;
    if (mlir::failed(type.getStridesAndOffset(strides, offset)))
      return; // reported for the type
    if (offset != 0 ||
        llvm::any_of(strides, [](int64_t s) { return !ShapedType::isDynamic(s) && s < 1; }))
      error(alloc) << "has type " << type << "; workspace has no offset, and strides of at least 1";
    for (Value stride : alloc.getSymbolOperands())
      verifyExpression(alloc, stride, "a stride of the workspace");
    for (Value size : alloc.getDynamicSizes())
      verifyExpression(alloc, size, "a size of the workspace");
    if (Attribute init = alloc->getAttr("tile.init")) {
      if (cast<TypedAttr>(init).getType() != type.getElementType())
        error(alloc) << "has tile.init = " << init << "; it must be a number of type "
                     << type.getElementType();
    }
    if (alloc->hasAttr("tile.restored") && !alloc->hasAttr("tile.init"))
      error(alloc) << "has tile.restored, which says that the kernel leaves it filled with "
                      "tile.init, but no tile.init";
  }

  /// Each grid reads for itself what the body reads before it. So no grid may write that between
  /// the read and its last use.
  void verifyBodyLoad(memref::LoadOp load) {
    Operation *last = nullptr; // the last grid that uses it
    SmallVector<Operation *> users(load->user_begin(), load->user_end());
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!users.empty()) {
      Operation *user = kernel.getBody().findAncestorOpInRegion(*users.pop_back_val());
      if (!seen.insert(user).second)
        continue;
      if (isa<GridOp>(user) && (!last || last->isBeforeInBlock(user)))
        last = user;
      users.append(user->user_begin(), user->user_end());
    }
    Value root = rootOf(load.getMemRef());
    for (Operation *op = load->getNextNode(); last && op != last->getNextNode();
         op = op->getNextNode()) {
      WalkResult written = op->walk([&](MemoryEffectOpInterface inner) {
        for (Value operand : inner->getOperands())
          if (!isa<RegionBranchOpInterface>(inner.getOperation()) &&
              isa<MemRefType>(operand.getType()) &&
              inner.getEffectOnValue<MemoryEffects::Write>(operand).has_value() &&
              rootsMayAlias(root, rootOf(operand))) {
            InFlightDiagnostic diagnostic = error(load);
            diagnostic << "is read outside the grids, so each grid that uses it reads it when it "
                          "begins, but a grid writes "
                       << nameOfRoot(root)
                       << " between here and its last use: read it in the grid that uses it, or "
                          "after the write";
            diagnostic.attachNote(inner->getLoc()) << "the write";
            return WalkResult::interrupt();
          }
        return WalkResult::advance();
      });
      if (written.wasInterrupted())
        return;
    }
  }

  void verifyExpression(Operation *user, Value value, StringRef what, bool mayRead = false) {
    std::optional<LaunchObstacle> obstacle = findObstacle(value, mayRead);
    if (!obstacle)
      return;
    InFlightDiagnostic diagnostic = error(user) << what << " depends on " << obstacle->what;
    diagnostic.attachNote(obstacle->value.getLoc())
        << (obstacle->value.getDefiningOp() ? "this op" : "this argument");
  }

  //===--- demands ---------------------------------------------------------------------------===//

  /// Atomics of which the order does not matter: nobody sees what was there before, and sums do not
  /// round.
  static bool keepsOrder(Operation *op) {
    auto atomic = dyn_cast<AtomicOp>(op);
    if (!atomic || atomic.getOld() || atomic.isOrdered())
      return false;
    const AtomicKind kind = atomic.getKind();
    const bool rounds =
        kind == AtomicKind::Add && isa<FloatType>(atomic.getTileType().getElementType());
    return !rounds && kind != AtomicKind::Exchange && kind != AtomicKind::Cas;
  }

  /// Blocks run in any order. So the kernel leaves the same values in memory each time only if no
  /// element depends on which block comes first. A store to what no other block touches is safe
  /// (races are undefined); that is not known of any other op that writes.
  bool verifyDeterministic(Operation *op) {
    if (!kernel.getRequire() || !kernel.getRequire()->contains(Requirement::Deterministic) ||
        isa<StoreOp, ScatterOp, PrintOp, memref::StoreOp, cf::AssertOp>(op) ||
        op->getNumRegions() || keepsOrder(op) || !hasEffect<MemoryEffects::Write>(op))
      return true;
    error(op) << "may leave other bits each time, as 'require = [deterministic]' forbids: it is "
                 "not known to write the same in every order of blocks";
    return false;
  }

  //===--- inside a grid ---------------------------------------------------------------------===//

  void verifyGridRegion(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        verifyGridOp(&op);
  }

  void verifyGridOp(Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (isa<memref::AllocOp>(op)) {
      error(op) << "must stand in the body of the kernel, outside the grids: workspace is one "
                   "buffer for all blocks; values of a block are tiles";
      return;
    }
    if (!verifyDeterministic(op))
      return;
    bool known =
        isa_and_nonnull<arith::ArithDialect, math::MathDialect, TileDialect>(op->getDialect()) ||
        kGridOps.contains(name) ||
        // Upstream's patterns make casts between extents that are known and `?`.
        (isFamily && isa<tensor::CastOp>(op));
    if (!known) {
      rejectOp(op);
      return;
    }
    if (!verifyView(op))
      return;
    verifyTypes(op);
    verifyNoMemRefChoice(op);
    verifyUse(op);
    if (isFamily)
      verifyExtentsOf(op);
    const bool isLoop = isa<LoopLikeOpInterface>(op);
    if (isLoop && loops == kMaxLoops) {
      error(op) << "is nested in " << kMaxLoops
                << " other loops, which is the limit: analyses of loops take twice the time for "
                   "each level; make one loop of several";
      return;
    }
    loops += isLoop;
    if (auto load = dyn_cast<LoadOp>(op))
      verifyDemands(load, {Requirement::Tma, Requirement::Pipelined, Requirement::Peeled});
    else if (auto store = dyn_cast<StoreOp>(op))
      verifyDemands(store, {Requirement::Tma});
    else if (auto mma = dyn_cast<MmaOp>(op))
      verifyDemands(mma, {Requirement::Wgmma});
    for (Region &region : op->getRegions())
      verifyGridRegion(region);
    loops -= isLoop;
  }

  /// A demand that no pass checks must not seem to be met.
  template <typename Op>
  void verifyDemands(Op op, ArrayRef<Requirement> meaningful) {
    if (!op.getRequire())
      return;
    for (Requirement requirement : op.getRequire()->getValues())
      if (!llvm::is_contained(meaningful, requirement)) {
        std::string list;
        for (Requirement known : meaningful)
          list += (list.empty() ? "" : ", ") + stringifyRequirement(known).str();
        error(op) << "demands '" << stringifyRequirement(requirement)
                  << "', which says nothing about it; it may demand " << list;
      }
  }

  static constexpr unsigned kMaxLoops = 16, kMaxViews = 256;

  KernelOp kernel;
  const bool isFamily; ///< extents may be `?`, and branches may stand between grids
  unsigned loops = 0;  ///< loops around the op
  llvm::DenseMap<Value, unsigned> viewDepths;
  bool failed = false;
};

struct TileVerifyPass : tessera::tile::impl::TileVerifyBase<TileVerifyPass> {
  void runOnOperation() override {
    if (mlir::failed(verifyTileLanguage(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

LogicalResult tessera::tile::verifyTileLanguage(KernelOp kernel) {
  if (failed(Verifier(kernel).run()))
    return failure();
  // Boxes of a family have no extents yet.
  return hasParams(kernel) ? success() : verifyStoresOfBlocks(kernel);
}
