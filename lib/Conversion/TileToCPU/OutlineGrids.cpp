// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One function per grid of a kernel, with the CPU ABI of docs/Contract.md.
#include "tessera/Conversion/TileToCPU.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/SymbolNames.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tessera;
using contract::Param;

namespace {

/// What a grid needs of the code around it.
struct Slice {
  llvm::SetVector<Operation *> ops; // of the kernel's body, in order
  llvm::BitVector args;
};

class GridOutliner {
public:
  GridOutliner(tile::KernelOp kernel, tile::GridOp grid, unsigned index)
      : kernel(kernel), grid(grid), index(index), b(kernel.getContext()), loc(grid.getLoc()),
        converter(kernel.getContext()) {}

  FailureOr<contract::Launch> outline();

private:
  FailureOr<Slice> slice();
  LogicalResult checkMemory(Operation *op);
  Value slot(Param param);
  Value loadSlot(Param param, Type type);
  Value loadScalar(unsigned arg, Type type);
  /// `dynamicStrides` are those of a workspace; an argument's are parameters.
  Value buildMemref(Param pointer, MemRefType type, ValueRange dynamicSizes,
                    ValueRange dynamicStrides = {});
  void buildArgument(unsigned arg);
  void buildWorkspace(memref::AllocOp alloc);
  void buildCoordinates(Value linear);
  void replaceNumCores();

  tile::KernelOp kernel;
  tile::GridOp grid;
  unsigned index;
  OpBuilder b;
  Location loc;
  LLVMTypeConverter converter;
  func::FuncOp func;
  contract::Launch launch;
  IRMapping mapping;
};

/// Reads outside the grids run once a block: they must not see what the kernel writes.
LogicalResult GridOutliner::checkMemory(Operation *op) {
  if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
    return success();
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load)
    return op->emitOpError("may access memory outside the grids of the kernel: put it in a "
                           "'tile.grid () = () to () step ()' of its own");
  Value root = tile::rootOf(load.getMemRef());
  if (!isa_and_nonnull<BlockArgument>(root) || contract::accessOf(root).writes)
    return op->emitOpError("reads memory that the kernel writes, outside its grids: load it inside "
                           "the grid that uses it");
  return success();
}

FailureOr<Slice> GridOutliner::slice() {
  Slice slice;
  slice.args.resize(kernel.getNumArguments());
  SmallVector<Value> worklist;
  auto addUses = [&](Operation *op) {
    worklist.append(op->operand_begin(), op->operand_end());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    worklist.append(captured.begin(), captured.end());
    op->walk([&](tile::DimOp dim) { slice.args.set(kernel.lookupDim(dim.getName())->first); });
  };
  addUses(grid);
  llvm::DenseSet<Operation *> needed;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto arg = dyn_cast<BlockArgument>(value))
      slice.args.set(arg.getArgNumber());
    else if (needed.insert(value.getDefiningOp()).second)
      addUses(value.getDefiningOp());
  }
  for (Operation &op : kernel.getBody().front()) {
    if (!needed.contains(&op))
      continue;
    if (failed(checkMemory(&op)))
      return failure();
    slice.ops.insert(&op);
  }
  return slice;
}

/// The address of the slot of a new parameter.
Value GridOutliner::slot(Param param) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  LLVM::GEPArg position(static_cast<int32_t>(launch.params.size()));
  launch.params.push_back(std::move(param));
  Value address = LLVM::GEPOp::create(b, loc, pointer, pointer, func.getArgument(0), position);
  return LLVM::LoadOp::create(b, loc, pointer, address);
}

Value GridOutliner::loadSlot(Param param, Type type) {
  Value address = slot(std::move(param));
  return LLVM::LoadOp::create(b, loc, type, address);
}

Value GridOutliner::loadScalar(unsigned arg, Type type) {
  Param param{Param::Kind::Scalar, arg, 0, {}};
  if (type.isInteger(1)) {
    Value byte = loadSlot(param, b.getI8Type());
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, byte, zero);
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, loadSlot(param, b.getI64Type()));
  return loadSlot(param, type);
}

/// A memref value from its address. The descriptor is LLVM's, long before the rest of the function
/// is: the cast disappears when memrefs become descriptors.
Value GridOutliner::buildMemref(Param pointer, MemRefType type, ValueRange dynamicSizes,
                                ValueRange dynamicStrides) {
  Type structType = converter.convertType(type);
  Type element = converter.convertType(type.getElementType());
  auto [strides, offset] = type.getStridesAndOffset();
  auto constant = [&](int64_t v) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(v));
  };
  unsigned arg = pointer.arg;
  Value address = loadSlot(pointer, LLVM::LLVMPointerType::get(b.getContext()));
  // The contract's pointer has the offset applied; loads will apply a static one again.
  if (!ShapedType::isDynamic(offset) && offset != 0)
    address = LLVM::GEPOp::create(b, loc, address.getType(), element, address,
                                  ValueRange{constant(-offset)});
  auto descriptor = MemRefDescriptor::poison(b, loc, structType);
  descriptor.setAllocatedPtr(b, loc, address);
  descriptor.setAlignedPtr(b, loc, address);
  if (ShapedType::isDynamic(offset))
    descriptor.setOffset(b, loc, constant(0));
  else
    descriptor.setConstantOffset(b, loc, offset);
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    sizes.push_back(type.isDynamicDim(d) ? dynamicSizes[type.getDynamicDimIndex(d)]
                                         : constant(type.getDimSize(d)));
    descriptor.setSize(b, loc, d, sizes.back());
  }
  bool identity = type.getLayout().isIdentity();
  Value running = constant(1);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    if (identity) {
      descriptor.setStride(b, loc, d, running);
      running = LLVM::MulOp::create(b, loc, running, sizes[d]);
    } else if (ShapedType::isDynamic(strides[d]) && !dynamicStrides.empty()) {
      size_t number = llvm::count(ArrayRef(strides).take_front(d), ShapedType::kDynamic);
      descriptor.setStride(b, loc, d, dynamicStrides[number]);
    } else if (ShapedType::isDynamic(strides[d])) {
      Param stride{Param::Kind::Stride, arg, static_cast<unsigned>(d), {}};
      descriptor.setStride(b, loc, d, loadSlot(stride, b.getI64Type()));
    } else {
      descriptor.setConstantStride(b, loc, d, strides[d]);
    }
  }
  return UnrealizedConversionCastOp::create(b, loc, type, Value(descriptor)).getResult(0);
}

void GridOutliner::buildArgument(unsigned arg) {
  BlockArgument source = kernel.getBody().getArgument(arg);
  auto type = dyn_cast<MemRefType>(source.getType());
  if (!type) {
    mapping.map(source, loadScalar(arg, source.getType()));
    return;
  }
  SmallVector<Value> sizes;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(loadSlot({Param::Kind::Size, arg, d, {}}, b.getI64Type()));
  mapping.map(source, buildMemref({Param::Kind::Pointer, arg, 0, {}}, type, sizes));
}

void GridOutliner::buildWorkspace(memref::AllocOp alloc) {
  SmallVector<Value> sizes, strides;
  auto widen = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), mapping.lookup(value));
  };
  for (Value size : alloc.getDynamicSizes())
    sizes.push_back(widen(size));
  for (Value stride : alloc.getSymbolOperands())
    strides.push_back(widen(stride));
  SmallVector<memref::AllocOp> all = contract::collectWorkspaces(kernel);
  unsigned number = llvm::find(all, alloc) - all.begin();
  mapping.map(alloc.getResult(), buildMemref({Param::Kind::Workspace, number, 0, {}},
                                             alloc.getType(), sizes, strides));
}

/// Splits the linear index, the last grid dimension fastest.
void GridOutliner::buildCoordinates(Value linear) {
  Value rest = arith::IndexCastOp::create(b, loc, b.getIndexType(), linear);
  auto value = [&](OpFoldResult v) -> Value {
    if (auto dynamic = dyn_cast<Value>(v))
      return mapping.lookup(dynamic);
    return arith::ConstantIndexOp::create(b, loc, *getConstantIntValue(v));
  };
  auto lower = grid.getMixedLower(), upper = grid.getMixedUpper(), step = grid.getMixedStep();
  for (int64_t d = static_cast<int64_t>(grid.getRank()) - 1; d >= 0; --d) {
    Value lo = value(lower[d]), st = value(step[d]);
    Value position = rest;
    if (d > 0) {
      Value span = arith::SubIOp::create(b, loc, value(upper[d]), lo);
      Value blocks = arith::CeilDivSIOp::create(b, loc, span, st);
      position = arith::RemUIOp::create(b, loc, rest, blocks);
      rest = arith::DivUIOp::create(b, loc, rest, blocks);
    }
    Value scaled = arith::MulIOp::create(b, loc, position, st);
    mapping.map(grid.getCoordinates()[d], arith::AddIOp::create(b, loc, lo, scaled));
  }
}

FailureOr<contract::Launch> GridOutliner::outline() {
  FailureOr<Slice> needed = slice();
  FailureOr<std::vector<contract::Expr>> blocks = contract::buildGrid(grid);
  if (failed(needed) || failed(blocks))
    return failure();
  launch.grid = std::move(*blocks);
  b.setInsertionPoint(kernel);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  std::string name = tile::gridSymbol(kernel.getSymName(), index);
  func = func::FuncOp::create(b, loc, name, b.getFunctionType({pointer, b.getI64Type()}, {}));
  launch.symbol = name;
  b.setInsertionPointToStart(func.addEntryBlock());
  for (unsigned arg : needed->args.set_bits())
    buildArgument(arg);
  for (Operation *op : needed->ops) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      buildWorkspace(alloc);
    else
      b.clone(*op, mapping);
  }
  buildCoordinates(func.getArgument(1));
  for (Operation &op : grid.getBody().front().without_terminator())
    b.clone(op, mapping);
  func::ReturnOp::create(b, loc);
  // Symbolic dimensions, also those inside nested regions, read the arguments' descriptors.
  SmallVector<tile::DimOp> dims;
  func.walk([&](tile::DimOp dim) { dims.push_back(dim); });
  for (tile::DimOp dim : dims) {
    auto [arg, d] = *kernel.lookupDim(dim.getName());
    b.setInsertionPoint(dim);
    Value size = memref::DimOp::create(b, dim.getLoc(),
                                       mapping.lookup(kernel.getBody().getArgument(arg)), d);
    dim.getResult().replaceAllUsesWith(size);
    dim.erase();
  }
  replaceNumCores();
  return std::move(launch);
}

/// One parameter for all: the launcher knows the number.
void GridOutliner::replaceNumCores() {
  SmallVector<tile::NumCoresOp> asked;
  func.walk([&](tile::NumCoresOp op) { asked.push_back(op); });
  if (asked.empty())
    return;
  b.setInsertionPointToStart(&func.getBody().front());
  Value number = loadSlot({Param::Kind::Expr, 0, 0, contract::Expr::numCores()}, b.getI64Type());
  number = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  for (tile::NumCoresOp op : asked) {
    op.getResult().replaceAllUsesWith(number);
    op.erase();
  }
}

LogicalResult checkKernel(tile::KernelOp kernel) {
  if (kernel.getPhase())
    return kernel.emitOpError("is at phase '")
           << tile::stringifyPhase(*kernel.getPhase())
           << "': the CPU target takes tile programs; run 'convert-cta-to-tile' first";
  for (Operation &op : kernel.getBody().front()) {
    if (!isMemoryEffectFree(&op) && !isa<tile::GridOp, tile::AssumeOp, tile::CostOp, tile::ReturnOp,
                                         memref::AllocOp, memref::LoadOp>(op))
      return op.emitOpError("has side effects outside the grids of the kernel: put it in a "
                            "'tile.grid () = () to () step ()' of its own");
  }
  WalkResult calls = kernel.walk([](func::CallOp call) {
    call.emitOpError("cannot be inlined: a kernel may call private functions of this module that "
                     "are not recursive");
    return WalkResult::interrupt();
  });
  return failure(calls.wasInterrupted());
}

} // namespace

LogicalResult tessera::outlineGrids(ModuleOp module, contract::Contract &contract) {
  SmallVector<tile::KernelOp> kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
  for (tile::KernelOp kernel : kernels)
    if (failed(checkKernel(kernel)))
      return failure();
  // No kernel calls them any more: they are not part of an artifact.
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    func.erase();
  for (tile::KernelOp kernel : kernels) {
    std::vector<contract::Launch> launches;
    for (auto grid : kernel.getBody().front().getOps<tile::GridOp>()) {
      FailureOr<contract::Launch> launch = GridOutliner(kernel, grid, launches.size()).outline();
      if (failed(launch))
        return failure();
      launches.push_back(std::move(*launch));
    }
    if (failed(contract::addVariant(contract, kernel, std::move(launches))))
      return failure();
  }
  for (tile::KernelOp kernel : kernels)
    kernel.erase();
  return success();
}
