// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-transpose-products: a matrix product whose rows are not a multiple of 64, but whose columns
// are, is computed as Cᵀ = Bᵀ·Aᵀ.
//
// To turn a tile means to exchange its last two dimensions. All tiles that are tied to those of a
// product (a web) are turned in place: their types change, and so do dimensions in attributes of
// ops. Loads and stores name the memref's dimensions in the other order, so no data moves. Ops that
// make a tile without reading one (constants, iotas, broadcasts of rows) are cloned and not tied,
// because the same zero may initialise two accumulators. An op that cannot be turned is at the
// border of the web; a tile.transpose is inserted there.
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILETRANSPOSEPRODUCTS
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

//===--- turning shapes ---------------------------------------------------------------------===//

static bool canTurn(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() >= 2;
}

/// The position of dimension `dim` of `rank` in the turned tile.
static int64_t turnedDim(int64_t dim, int64_t rank) {
  return dim == rank - 1 ? rank - 2 : dim == rank - 2 ? rank - 1 : dim;
}

/// Turns a list with an entry for each dimension.
template <typename T>
static SmallVector<T> turnedList(ArrayRef<T> list) {
  SmallVector<T> turned(list);
  if (turned.size() >= 2)
    std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  return turned;
}

/// Turns an ascending list of some of the dimensions.
static SmallVector<int64_t> turnedDims(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<int64_t> turned;
  for (int64_t dim : dims)
    turned.push_back(turnedDim(dim, rank));
  llvm::sort(turned);
  return turned;
}

static RankedTensorType turnedType(RankedTensorType type) {
  return RankedTensorType::get(turnedList(type.getShape()), type.getElementType());
}

static bool hasLastTwo(ArrayRef<int64_t> dims, int64_t rank) {
  return llvm::is_contained(dims, rank - 1) && llvm::is_contained(dims, rank - 2);
}

static DenseElementsAttr turnedElements(DenseElementsAttr elements) {
  RankedTensorType type = turnedType(cast<RankedTensorType>(elements.getType()));
  if (elements.isSplat())
    return elements.resizeSplat(type);
  SmallVector<Attribute> from(elements.getValues<Attribute>());
  const size_t columns = type.getShape().back(), rows = type.getShape().drop_back().back();
  SmallVector<Attribute> to;
  for (size_t matrix = 0; matrix < from.size(); matrix += rows * columns)
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j)
        to.push_back(from[matrix + j * rows + i]);
  return DenseElementsAttr::get(type, to);
}

//===--- what turns together ----------------------------------------------------------------===//

namespace {
/// Tiles of an op that are turned together or not at all.
struct Group {
  SmallVector<OpOperand *> operands;
  SmallVector<Value> results; // also arguments of its blocks

  void addOperand(OpOperand &operand) {
    if (canTurn(operand.get().getType()))
      operands.push_back(&operand);
  }
  void addResult(Value result) {
    if (canTurn(result.getType()))
      results.push_back(result);
  }
};
} // namespace

static void appendControl(Operation *op, SmallVectorImpl<Group> &groups) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [i, result] : llvm::enumerate(loop.getResults())) {
      Group &group = groups.emplace_back();
      group.addOperand(loop.getInitArgsMutable()[i]);
      group.addOperand(loop.getBody()->getTerminator()->getOpOperand(i));
      group.addResult(loop.getRegionIterArg(i));
      group.addResult(result);
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [i, init] : llvm::enumerate(loop.getInitsMutable())) {
      Group &group = groups.emplace_back();
      group.addOperand(init);
      group.addOperand(loop.getYieldOp()->getOpOperand(i));
      group.addResult(loop.getBeforeArguments()[i]);
    }
    for (auto [i, passed] : llvm::enumerate(loop.getConditionOp().getArgsMutable())) {
      Group &group = groups.emplace_back();
      group.addOperand(passed);
      group.addResult(loop.getAfterArguments()[i]);
      group.addResult(loop.getResult(i));
    }
  } else {
    for (OpResult result : op->getResults()) {
      Group &group = groups.emplace_back();
      for (Region &region : op->getRegions())
        if (!region.empty())
          group.addOperand(region.front().getTerminator()->getOpOperand(result.getResultNumber()));
      group.addResult(result);
    }
  }
}

/// True for a tile and a row of it with the same order of elements: one of the last two dimensions
/// is 1.
static bool isRow(RankedTensorType tile, RankedTensorType row) {
  return row.getRank() < 2 && tile.getRank() == 2 && llvm::is_contained(tile.getShape(), 1);
}

/// The groups of tiles that turn together at an op; a tile in no group cannot be turned there.
static SmallVector<Group> groupsOf(Operation *op) {
  SmallVector<Group> groups;
  auto all = [&] {
    Group &group = groups.emplace_back();
    for (OpOperand &operand : op->getOpOperands())
      group.addOperand(operand);
    for (Value result : op->getResults())
      group.addResult(result);
  };
  auto access = [&](auto access) {
    Group &group = groups.emplace_back();
    const int64_t rank = access.getTileType().getRank();
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() != access.getMask() || hasLastTwo(access.getMaskDims(), rank))
        group.addOperand(operand);
    for (Value result : op->getResults())
      group.addResult(result);
  };
  auto reduction = [&](OperandRange inputs, ArrayRef<int64_t> dims) {
    Group &group = groups.emplace_back();
    const int64_t rank = cast<RankedTensorType>(inputs.front().getType()).getRank();
    for (OpOperand &operand :
         op->getOpOperands().slice(inputs.getBeginOperandIndex(), inputs.size()))
      group.addOperand(operand);
    if (!llvm::is_contained(dims, rank - 1) && !llvm::is_contained(dims, rank - 2))
      for (Value result : op->getResults())
        group.addResult(result);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<MmaOp, IotaOp, tensor::SplatOp, tensor::ConcatOp>([&](Operation *) { all(); })
      .Case<LoadOp, StoreOp, GatherOp, ScatterOp>(access)
      .Case([&](BroadcastOp broadcast) {
        Group &group = groups.emplace_back();
        if (hasLastTwo(broadcast.getDims(), cast<RankedTensorType>(broadcast.getType()).getRank()))
          group.addOperand(broadcast.getSourceMutable());
        group.addResult(broadcast.getResult());
      })
      .Case([&](ReduceOp reduce) { reduction(reduce.getInputs(), reduce.getDims()); })
      .Case([&](ArgReduceOp reduce) {
        reduction(reduce->getOperands(), static_cast<int64_t>(reduce.getDim()));
      })
      .Case([&](TransposeOp transpose) {
        groups.emplace_back().addOperand(transpose.getSourceMutable());
        groups.emplace_back().addResult(transpose.getResult());
      })
      .Case([&](tensor::ExpandShapeOp reshape) {
        if (isRow(reshape.getResultType(), reshape.getSrcType()))
          all();
      })
      .Case([&](tensor::CollapseShapeOp reshape) {
        if (isRow(reshape.getSrcType(), reshape.getResultType()))
          all();
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        if (slice.getType().getRank() == slice.getSourceType().getRank() &&
            slice.getOffsets().empty() && slice.getSizes().empty() && slice.getStrides().empty())
          all();
      })
      .Case<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(
          [&](Operation *) { appendControl(op, groups); })
      .Case([&](arith::ConstantOp constant) {
        if (isa<DenseElementsAttr>(constant.getValue()))
          all();
      })
      .Default([&](Operation *) {
        if (OpTrait::hasElementwiseMappableTraits(op) || op->hasTrait<OpTrait::ConstantLike>())
          all();
      });
  return groups;
}

/// The op whose groups contain the use.
static Operation *ownerOf(OpOperand &use) {
  Operation *op = use.getOwner();
  return isa<scf::YieldOp, scf::ConditionOp>(op) ? op->getParentOp() : op;
}
static Operation *ownerOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp();
  return value.getDefiningOp();
}

/// True for ops that make their tile from nothing that would have to be turned, and without reading
/// memory.
static bool isMadeAgain(Operation *op) {
  if (!isMemoryEffectFree(op) || op->getNumRegions() || op->getNumResults() != 1)
    return false;
  if (!isa<TransposeOp>(op) && llvm::any_of(op->getOperandTypes(), canTurn))
    return false;
  return llvm::any_of(groupsOf(op), [&](const Group &group) {
    return group.operands.empty() && llvm::is_contained(group.results, op->getResult(0));
  });
}

static bool isInLoop(Value value) {
  Operation *op = value.getParentRegion()->getParentOp();
  for (; op && !isa<GridOp>(op); op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      return true;
  return false;
}

//===--- the web of a product ---------------------------------------------------------------===//

namespace {
class Web {
public:
  explicit Web(MmaOp product);

  SmallVector<MmaOp> getProducts() const;
  /// The op at a border where a transpose would cost in every iteration of a loop, and the reason.
  std::optional<std::string> findObstacle() const;
  void turn();

private:
  using Uses = llvm::SmallSetVector<OpOperand *, 4>;
  void join(const Group &group);

  /// Tiles that are turned in place, and the ops with attributes about their dimensions.
  llvm::SetVector<Value> turned;
  llvm::SetVector<Operation *> ops;
  /// Uses that need a turned copy of a tile that stays as it is, and uses that need the tile as it
  /// was.
  llvm::MapVector<Value, Uses> copied, leaving;
};
} // namespace

Web::Web(MmaOp product) {
  turned.insert(product.getResult());
  for (size_t next = 0; next < turned.size(); ++next) {
    Value value = turned[next];
    for (const Group &group : groupsOf(ownerOf(value)))
      if (llvm::is_contained(group.results, value)) {
        ops.insert(ownerOf(value));
        join(group);
      }
    for (OpOperand &use : value.getUses()) {
      bool isMember = false;
      for (const Group &group : groupsOf(ownerOf(use)))
        if (llvm::is_contained(group.operands, &use)) {
          ops.insert(ownerOf(use));
          join(group);
          isMember = true;
        }
      if (!isMember)
        leaving[value].insert(&use);
    }
  }
}

void Web::join(const Group &group) {
  turned.insert_range(group.results);
  for (OpOperand *operand : group.operands) {
    Value value = operand->get();
    Operation *op = ownerOf(value);
    bool isMember = !isMadeAgain(op) && llvm::any_of(groupsOf(op), [&](const Group &made) {
      return llvm::is_contained(made.results, value);
    });
    if (isMember)
      turned.insert(value);
    else
      copied[value].insert(operand);
  }
}

SmallVector<MmaOp> Web::getProducts() const {
  SmallVector<MmaOp> products;
  for (Operation *op : ops)
    if (auto product = dyn_cast<MmaOp>(op))
      products.push_back(product);
  return products;
}

std::optional<std::string> Web::findObstacle() const {
  auto say = [](Operation *op, StringRef what) {
    return "'" + op->getName().getStringRef().str() + "' " + what.str() +
           " a tile in a loop, where a transpose would cost in every iteration";
  };
  for (const auto &[value, uses] : copied)
    if (Operation *op = ownerOf(value); !isMadeAgain(op) && isInLoop(value))
      return say(op, "makes");
  for (const auto &[value, uses] : leaving)
    if (isInLoop(value))
      return say(uses.front()->getOwner(), "takes");
  return std::nullopt;
}

//===--- turning ops ------------------------------------------------------------------------===//

template <typename Op>
static void turnAccess(Op op) {
  const int64_t rank = op.getTileType().getRank();
  // Exchange the limits, if both dimensions have one.
  if (op.getLimited()[rank - 1] && op.getLimited()[rank - 2]) {
    MutableOperandRange limits = op.getLimitsMutable();
    Value last = limits[limits.size() - 1].get();
    limits[limits.size() - 1].set(limits[limits.size() - 2].get());
    limits[limits.size() - 2].set(last);
  }
  op.setLimited(turnedList(op.getLimited()));
  op.setDims(turnedList(op.getDims()));
  op.setMaskDims(turnedDims(op.getMaskDims(), rank));
}

static void turnProduct(MmaOp op) {
  Value a = op.getA();
  op.getAMutable().assign(op.getB());
  op.getBMutable().assign(a);
  const bool lhsUnsigned = op.getLhsUnsigned();
  op.setLhsUnsigned(op.getRhsUnsigned());
  op.setRhsUnsigned(lhsUnsigned);
}

/// Turns the dimensions in attributes of the op; its types are turned already.
static void turnDims(Operation *op, function_ref<bool(Value)> isTurned) {
  auto rankOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getRank(); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([](MmaOp product) { turnProduct(product); })
      .Case<LoadOp, StoreOp, GatherOp, ScatterOp>([](auto access) { turnAccess(access); })
      .Case([&](BroadcastOp broadcast) {
        const int64_t rank = rankOf(broadcast.getResult());
        broadcast.setDims(turnedDims(broadcast.getDims(), rank));
      })
      .Case([&](ReduceOp reduce) {
        reduce.setDims(turnedDims(reduce.getDims(), rankOf(reduce.getInputs().front())));
      })
      .Case([&](ArgReduceOp reduce) {
        reduce.setDim(turnedDim(static_cast<int64_t>(reduce.getDim()), rankOf(reduce.getInput())));
      })
      .Case([&](IotaOp iota) {
        iota.setDim(turnedDim(static_cast<int64_t>(iota.getDim()), rankOf(iota.getResult())));
      })
      .Case([&](TransposeOp transpose) {
        SmallVector<int64_t> dims(transpose.getDims());
        if (isTurned(transpose.getSource()))
          for (int64_t &dim : dims)
            dim = turnedDim(dim, static_cast<int64_t>(dims.size()));
        if (isTurned(transpose.getResult()))
          dims = turnedList<int64_t>(dims);
        transpose.setDims(dims);
      })
      .Case([&](tensor::ConcatOp concat) {
        concat.setDim(turnedDim(static_cast<int64_t>(concat.getDim()), rankOf(concat.getResult())));
      })
      .Case([](tensor::ExtractSliceOp slice) {
        slice.setStaticOffsets(turnedList(slice.getStaticOffsets()));
        slice.setStaticSizes(turnedList(slice.getStaticSizes()));
        slice.setStaticStrides(turnedList(slice.getStaticStrides()));
      })
      .Case([](tensor::ExpandShapeOp reshape) {
        reshape.setStaticOutputShape(turnedList(reshape.getStaticOutputShape()));
      })
      .Case([](arith::ConstantOp constant) {
        constant.setValueAttr(turnedElements(cast<DenseElementsAttr>(constant.getValue())));
      });
}

void Web::turn() {
  OpBuilder b(turned.front().getContext());
  auto transpose = [&](Value value, RankedTensorType to) -> Value {
    b.setInsertionPointAfterValue(value);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, to.getRank()));
    return TransposeOp::create(b, value.getLoc(), to, value, turnedList<int64_t>(dims));
  };
  for (auto &[value, uses] : copied) {
    Operation *op = ownerOf(value);
    Value copy;
    if (isMadeAgain(op)) {
      b.setInsertionPointAfter(op);
      Operation *again = b.clone(*op);
      copy = again->getResult(0);
      turned.insert(copy);
      ops.insert(again);
    } else {
      copy = transpose(value, turnedType(cast<RankedTensorType>(value.getType())));
    }
    for (OpOperand *use : uses)
      use->set(copy);
    if (isMadeAgain(op) && op->use_empty()) {
      ops.remove(op);
      op->erase();
    }
  }
  for (auto &[value, uses] : leaving) {
    Value copy = transpose(value, cast<RankedTensorType>(value.getType()));
    for (OpOperand *use : uses)
      use->set(copy);
  }
  for (Value value : turned)
    value.setType(turnedType(cast<RankedTensorType>(value.getType())));
  // Rows of turned tiles are columns, which warps do not vote on for themselves.
  for (Operation *op : ops)
    if (auto branch = dyn_cast<scf::IfOp>(op))
      if (auto scalar = branch.getCondition().getDefiningOp<tensor::ExtractOp>())
        if (auto any = scalar.getTensor().getDefiningOp<ReduceOp>())
          any->removeAttr(kRarely);
  // Transposes of the program that are no longer needed are removed after all ops have seen their
  // sources.
  SmallVector<TransposeOp> identities;
  for (Operation *op : ops) {
    turnDims(op, [&](Value value) { return turned.contains(value); });
    if (auto same = dyn_cast<TransposeOp>(op);
        same && llvm::equal(same.getDims(), llvm::seq<int64_t>(0, same.getDims().size())))
      identities.push_back(same);
  }
  for (TransposeOp same : identities) {
    same.getResult().replaceAllUsesWith(same.getSource());
    same.erase();
  }
}

//===--- which products ---------------------------------------------------------------------===//

/// True if tensor cores take a product of these types with this many rows and columns;
/// cta-form-wgmma knows all conditions.
static bool fitsTensorCores(MmaOp op, int64_t rows, int64_t columns) {
  RankedTensorType a = op.getAType();
  const int64_t step = op.getTensorCoreStep();
  const auto warpgroups =
      static_cast<int64_t>(op->getParentOfType<KernelOp>().getWarpgroups().value_or(1));
  return step && (a.getRank() == 2 || splitsBatches(a.getDimSize(0), rows, columns)) &&
         rows % (64 * warpgroups) == 0 && a.getShape().back() % step == 0 && columns % 8 == 0;
}

static int64_t rowsOf(MmaOp op) { return op.getResultType().getShape().drop_back().back(); }
static int64_t columnsOf(MmaOp op) { return op.getResultType().getShape().back(); }

/// Multiplications on tensor cores, including those on rows and columns of padding.
static int64_t paddedWork(MmaOp op, int64_t rows, int64_t columns) {
  int64_t work = op.getAType().getNumElements() / rowsOf(op);
  if (op.getAType().getRank() == 2)
    work = op.getAType().getShape().back();
  return work * static_cast<int64_t>(llvm::alignTo(rows, 64) * llvm::alignTo(columns, 8));
}

/// The rule: turned, all products run on tensor cores, and together they need fewer
/// multiplications.
static bool isBetterTurned(ArrayRef<MmaOp> products) {
  int64_t plain = 0, turned = 0;
  for (MmaOp op : products) {
    if (!fitsTensorCores(op, columnsOf(op), rowsOf(op)))
      return false;
    plain += paddedWork(op, rowsOf(op), columnsOf(op));
    turned += paddedWork(op, columnsOf(op), rowsOf(op));
  }
  return turned < plain;
}

/// True if an operand of a product is computed from the result of this one.
static bool feedsProduct(MmaOp product) {
  llvm::SetVector<Value> values;
  values.insert(product.getResult());
  for (size_t next = 0; next < values.size(); ++next)
    for (OpOperand &use : values[next].getUses()) {
      Operation *op = ownerOf(use);
      if (isa<MmaOp>(op) && use.getOperandNumber() < 2)
        return true;
      if (!isa<scf::SCFDialect>(op->getDialect())) {
        values.insert_range(op->getResults());
        continue;
      }
      for (const Group &group : groupsOf(op))
        if (llvm::is_contained(group.operands, &use))
          values.insert_range(group.results);
    }
  return false;
}

/// What the source IR demands of a product: `tile.transposed = true|false`.
static std::optional<bool> findDemand(MmaOp op) {
  auto demand = op->getAttrOfType<BoolAttr>(kTransposed);
  return demand ? std::optional<bool>(demand.getValue()) : std::nullopt;
}

static std::string reasonOf(MmaOp op, bool isDemanded) {
  if (isDemanded)
    return "computed transposed, as the source IR says";
  return "computed transposed: " + std::to_string(rowsOf(op)) +
         " rows are no multiple of 64, which the tensor cores need, and " +
         std::to_string(columnsOf(op)) + " columns are";
}

/// Turns the products of a web if the source IR demands it, or by the rule.
static LogicalResult decide(Web &web, MutableArrayRef<MmaOp> products) {
  MmaOp wanted, refused;
  for (MmaOp op : products)
    if (std::optional<bool> demand = findDemand(op))
      (*demand ? wanted : refused) = op;
  if (wanted && refused) {
    InFlightDiagnostic diagnostic = wanted.emitOpError("has ")
                                    << kTransposed
                                    << " = true, but shares tiles with a product that has "
                                    << kTransposed << " = false";
    diagnostic.attachNote(refused.getLoc()) << "this one";
    return diagnostic;
  }
  auto isBetterAlone = [](MmaOp op) { return isBetterTurned(op); };
  if (refused || (!wanted && llvm::none_of(products, isBetterAlone)))
    return success();
  std::optional<std::string> obstacle = web.findObstacle();
  if (!wanted && llvm::any_of(products, feedsProduct))
    obstacle = "an operand of a product is computed from the result of another";
  else if (!wanted && !isBetterTurned(products))
    obstacle = "it shares tiles with a product that is better as it is";
  if (wanted && obstacle)
    return wanted.emitOpError("cannot be computed transposed, as ")
           << kTransposed << " = true demands: " << *obstacle;
  Builder b(products.front()->getContext());
  for (MmaOp op : products) {
    if (obstacle) {
      if (isBetterAlone(op))
        op->setAttr(kNotTurned, b.getStringAttr("not computed transposed: " + *obstacle));
      continue;
    }
    op->setAttr(kTurned, b.getStringAttr(reasonOf(op, static_cast<bool>(wanted))));
    op->removeAttr(kTransposed);
  }
  if (!obstacle)
    web.turn();
  return success();
}

namespace {
struct TileTransposeProducts
    : tessera::tile::impl::TileTransposeProductsBase<TileTransposeProducts> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireBound(kernel)))
      return signalPassFailure();
    if (std::optional<Phase> phase = kernel.getPhase()) {
      kernel.emitOpError("tile-transpose-products is for kernels at L0, this one is at phase ")
          << stringifyPhase(*phase);
      return signalPassFailure();
    }
    llvm::SetVector<MmaOp> left;
    kernel.walk([&](MmaOp op) { left.insert(op); });
    while (!left.empty()) {
      Web web(left.front());
      SmallVector<MmaOp> products = web.getProducts();
      if (failed(decide(web, products)))
        return signalPassFailure();
      left.remove_if([&](MmaOp op) { return llvm::is_contained(products, op); });
    }
  }
};
} // namespace
