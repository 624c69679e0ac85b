// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memrefs become pointers with sizes and strides, passed as parameters. Only what is used of
// arguments and workspaces becomes a parameter; views are arithmetic on those.
#include "Lowering.h"

#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

static MemRefType memrefType(Value v) { return cast<MemRefType>(v.getType()); }

Value Lowering::parameter(StringRef kind, int64_t index, int64_t dim, Type type) {
  Parameter wanted{kind.str(), index, dim, {}};
  for (const Parameter &p : parameters)
    if (p == wanted)
      return p.value;
  wanted.value = func.getBody().front().addArgument(type, func.getLoc());
  parameters.push_back(wanted);
  return wanted.value;
}

Value Lowering::descriptor(DictionaryAttr recipe) {
  auto it = llvm::find(descriptors, recipe);
  if (it == descriptors.end())
    it = descriptors.insert(it, recipe);
  return parameter("descriptor", it - descriptors.begin(), 0, LLVM::LLVMPointerType::get(context));
}

//===--- roots -------------------------------------------------------------------------------===//

int64_t Lowering::workspaceIndex(Value root) {
  int64_t index = 0;
  for (auto alloc : kernel.getBody().getOps<memref::AllocOp>()) {
    if (alloc.getResult() == root)
      return index;
    ++index;
  }
  return -1;
}

void Lowering::collectWrites() {
  auto add = [&](llvm::DenseSet<Value> &set, Value memref) {
    if (Value root = tile::rootOf(memref))
      set.insert(root);
  };
  launch.walk([&](Operation *op) {
    for (const cta::MemoryAccess &access : cta::accessesOf(op)) {
      if (!access.isGlobal())
        continue;
      llvm::DenseSet<Value> &roots = access.write ? written : readBack;
      add(roots, access.memory);
      // What orders memory may show the block what others wrote to any of it.
      if (access.everywhere) {
        for (BlockArgument argument : kernel.getArguments())
          roots.insert(argument);
        for (auto workspace : kernel.getBody().getOps<memref::AllocOp>())
          roots.insert(workspace);
        launch.walk([&](tile::ArrayFromOp array) { roots.insert(array.getResult()); });
      }
      if (isa<cta::CopyOp, cta::CopyOutOp>(op))
        add(copied, access.memory);
    }
  });
}

static StringAttr aliasGroup(tile::KernelOp kernel, Value root) {
  auto arg = dyn_cast<BlockArgument>(root);
  return arg ? kernel.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "tile.alias") : StringAttr();
}

bool Lowering::isReadOnly(Value root) {
  return root &&
         llvm::none_of(written, [&](Value other) { return tile::rootsMayAlias(root, other); });
}

bool Lowering::isAlone(Value root) {
  auto meets = [&](const llvm::DenseSet<Value> &roots) {
    return llvm::any_of(roots, [&](Value other) {
      return other != root && tile::isArrayInMemory(other) && tile::rootsMayAlias(root, other);
    });
  };
  return !aliasGroup(kernel, root) && !meets(written) && !meets(readBack);
}

//===--- pointers, sizes, strides ------------------------------------------------------------===//

Value Lowering::pointerOf(Value memref) {
  if (auto it = views.find(memref); it != views.end())
    return it->second.pointer;
  Type type = LLVM::LLVMPointerType::get(context, 1);
  if (auto arg = dyn_cast<BlockArgument>(memref))
    return parameter("pointer", arg.getArgNumber(), 0, type);
  if (memref.getDefiningOp<memref::AllocOp>())
    return parameter("workspace", workspaceIndex(memref), 0, type);
  (void)scalar(memref); // a view outside the launch
  return views.lookup(memref).pointer;
}

Value Lowering::sizeOf(Value memref, unsigned dim) {
  MemRefType type = memrefType(memref);
  if (!type.isDynamicDim(dim))
    return i64(type.getDimSize(dim));
  if (auto it = views.find(memref); it != views.end())
    return it->second.sizes[dim];
  if (auto arg = dyn_cast<BlockArgument>(memref)) {
    // Sizes of the same name are one number, so that one test of bounds serves all.
    std::pair<unsigned, unsigned> where(arg.getArgNumber(), dim);
    auto names = kernel.getArgAttrOfType<ArrayAttr>(where.first, "tile.shape");
    if (names && dim < names.size())
      if (auto name = dyn_cast<StringAttr>(names[dim]))
        where = kernel.lookupDim(name).value_or(where);
    return parameter("size", where.first, where.second, b.getI64Type());
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return toI64(scalar(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]));
  (void)scalar(memref);
  return views.lookup(memref).sizes[dim];
}

Value Lowering::strideOf(Value memref, unsigned dim) {
  MemRefType type = memrefType(memref);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (succeeded(type.getStridesAndOffset(strides, offset)) && !ShapedType::isDynamic(strides[dim]))
    return i64(strides[dim]);
  if (auto it = views.find(memref); it != views.end())
    return it->second.strides[dim];
  if (auto arg = dyn_cast<BlockArgument>(memref))
    return parameter("stride", arg.getArgNumber(), dim, b.getI64Type());
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>()) {
    if (!type.getLayout().isIdentity())
      return toI64(scalar(alloc.getSymbolOperands()[llvm::count(ArrayRef(strides).take_front(dim),
                                                                ShapedType::kDynamic)]));
    Preamble preamble(*this);
    Value stride = i64(1);
    for (unsigned d = type.getRank() - 1; d > dim; --d)
      stride = mul(stride, sizeOf(memref, d));
    return stride;
  }
  (void)scalar(memref);
  return views.lookup(memref).strides[dim];
}

//===--- views and scalar accesses -----------------------------------------------------------===//

/// A static or dynamic value as an i64.
static Value valueOf(Lowering &f, OpFoldResult x) {
  if (auto attr = dyn_cast<Attribute>(x))
    return f.i64(cast<IntegerAttr>(attr).getInt());
  return f.toI64(f.scalar(cast<Value>(x)));
}

static Value elementBytes(Lowering &f, Value memref) {
  return f.i64(tile::elementBytes(memrefType(memref).getElementType()));
}

/// An address that was read from memory becomes a pointer to global memory.
void Lowering::lowerArray(tile::ArrayFromOp op) {
  View view;
  Type pointer = LLVM::LLVMPointerType::get(context, 1);
  view.pointer = LLVM::IntToPtrOp::create(b, loc, pointer, scalar(op.getAddress()));
  for (OpFoldResult size : op.getMixedSizes())
    view.sizes.push_back(valueOf(*this, size));
  view.strides.resize(view.sizes.size());
  Value running = i64(1);
  SmallVector<OpFoldResult> strides = op.getMixedStrides();
  for (size_t d = strides.size(); d-- > 0;) {
    view.strides[d] = strides[d] ? valueOf(*this, strides[d]) : running;
    if (d > 0 && !op.getStaticStrides())
      running = mul(view.strides[d], view.sizes[d]);
  }
  views[op.getResult()] = std::move(view);
}

LogicalResult Lowering::lowerMemRefOp(Operation *op) {
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index)
      return error(op, "memref.dim needs a constant dimension on the GPU");
    set(dim.getResult(), {toIndex(sizeOf(dim.getSource(), static_cast<unsigned>(*index)))});
    return success();
  }

  auto elementPointer = [&](Value memref, ValueRange indices) {
    Value offset = i64(0);
    for (auto [d, index] : llvm::enumerate(indices))
      offset = add(offset, mul(toI64(scalar(index)), strideOf(memref, static_cast<unsigned>(d))));
    return gep(pointerOf(memref), mul(offset, elementBytes(*this, memref)));
  };
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Type element = load.getMemRefType().getElementType();
    Value pointer = elementPointer(load.getMemRef(), load.getIndices());
    Value loaded = LLVM::LoadOp::create(
        b, loc, memoryType(element), pointer, static_cast<unsigned>(tile::elementBytes(element)),
        /*isVolatile=*/false, /*isNonTemporal=*/false, isInvariant(tile::rootOf(load.getMemRef())));
    set(load.getResult(), {fromMemory(loaded, element)});
    return success();
  }
  if (auto stored = dyn_cast<memref::StoreOp>(op)) {
    Value pointer = elementPointer(stored.getMemRef(), stored.getIndices());
    auto branch = scf::IfOp::create(b, loc, isFirstThread(), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    LLVM::StoreOp::create(
        b, loc, toMemory(scalar(stored.getValueToStore())), pointer,
        static_cast<unsigned>(tile::elementBytes(stored.getMemRefType().getElementType())));
    return success();
  }

  if (auto array = dyn_cast<tile::ArrayFromOp>(op)) {
    lowerArray(array);
    return success();
  }
  View view;
  Value source;
  if (auto castOp = dyn_cast<memref::CastOp>(op)) {
    source = castOp.getSource();
    if (!isa<MemRefType>(source.getType()) || !isa<MemRefType>(castOp.getType()))
      return error(op, "a cast of unranked memrefs has no lowering to the GPU");
    view.pointer = pointerOf(source);
    for (int64_t d = 0; d < memrefType(source).getRank(); ++d) {
      view.sizes.push_back(sizeOf(source, d));
      view.strides.push_back(strideOf(source, d));
    }
  } else if (auto sub = dyn_cast<memref::SubViewOp>(op)) {
    source = sub.getSource();
    llvm::SmallBitVector dropped = sub.getDroppedDims();
    Value offset = i64(0);
    for (int64_t d = 0; d < memrefType(source).getRank(); ++d) {
      Value stride = strideOf(source, d);
      offset = add(offset, mul(valueOf(*this, sub.getMixedOffsets()[d]), stride));
      if (dropped.test(d))
        continue;
      view.sizes.push_back(valueOf(*this, sub.getMixedSizes()[d]));
      view.strides.push_back(mul(stride, valueOf(*this, sub.getMixedStrides()[d])));
    }
    view.pointer = gep(pointerOf(source), mul(offset, elementBytes(*this, source)));
  } else if (auto recast = dyn_cast<memref::ReinterpretCastOp>(op)) {
    source = recast.getSource();
    if (source != tile::rootOf(source))
      return error(op,
                   "memref.reinterpret_cast of a view: its base pointer is lost; apply it to the "
                   "argument or the workspace");
    view.pointer = gep(pointerOf(source), mul(valueOf(*this, recast.getMixedOffsets().front()),
                                              elementBytes(*this, source)));
    for (OpFoldResult size : recast.getMixedSizes())
      view.sizes.push_back(valueOf(*this, size));
    for (OpFoldResult stride : recast.getMixedStrides())
      view.strides.push_back(valueOf(*this, stride));
  } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    source = expand.getSrc();
    view.pointer = pointerOf(source);
    for (OpFoldResult size : expand.getMixedOutputShape())
      view.sizes.push_back(valueOf(*this, size));
    view.strides.resize(view.sizes.size());
    for (auto [d, group] : llvm::enumerate(expand.getReassociationIndices())) {
      Value stride = strideOf(source, static_cast<unsigned>(d));
      for (int64_t r : llvm::reverse(group)) {
        view.strides[r] = stride;
        stride = mul(stride, view.sizes[r]);
      }
    }
  } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    source = collapse.getSrc();
    view.pointer = pointerOf(source);
    for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
      Value size = i64(1), stride;
      for (int64_t d : llvm::reverse(group)) {
        // The stride of a dimension of size 1 has no meaning.
        if (!stride && memrefType(source).getDimSize(d) != 1)
          stride = strideOf(source, d);
        size = mul(size, sizeOf(source, d));
      }
      view.sizes.push_back(size);
      view.strides.push_back(stride ? stride : i64(1));
    }
  } else if (auto transpose = dyn_cast<memref::TransposeOp>(op)) {
    source = transpose.getIn();
    view.pointer = pointerOf(source);
    for (AffineExpr result : transpose.getPermutation().getResults()) {
      unsigned d = cast<AffineDimExpr>(result).getPosition();
      view.sizes.push_back(sizeOf(source, d));
      view.strides.push_back(strideOf(source, d));
    }
  } else {
    return error(op, "op has no lowering to the GPU");
  }
  views[op->getResult(0)] = std::move(view);
  return success();
}

//===--- attributes of the function ----------------------------------------------------------===//

void Lowering::finishAttributes() {
  Block &entry = func.getBody().front();
  SmallVector<Attribute> params, recipes;
  SmallVector<Type> types;
  SmallVector<Attribute> argAttrs;
  SmallVector<unsigned> unused;
  std::vector<Parameter> kept;
  for (Parameter &p : parameters)
    if (!p.value.use_empty())
      kept.push_back(p);
  entry.eraseArguments([](BlockArgument arg) { return arg.use_empty(); });
  std::vector<contract::Expr> passed;
  for (const Parameter &p : kept)
    if (p.kind == "expr")
      passed.push_back(expressions[p.index]);
  contract::SharedExprs numbers = contract::share(passed);
  auto nextNumber = numbers.values.begin();
  // The remaining descriptors are renumbered.
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  for (Parameter &p : kept) {
    NamedAttrList attrs, param;
    bool isDevice = p.kind == "num_cores" || p.kind == "max_clusters";
    param.append("kind", b.getStringAttr(isDevice ? "expr" : p.kind));
    types.push_back(p.value.getType());
    if (p.kind == "descriptor") {
      param.append(number("index", static_cast<int64_t>(recipes.size())));
      recipes.push_back(descriptors[p.index]);
      attrs.append("llvm.byval", TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), 128)));
      attrs.append("llvm.align", b.getI64IntegerAttr(64));
      attrs.append(NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    } else if (isDevice) {
      param.append("value", b.getStringAttr(p.kind));
    } else if (p.kind == "expr") {
      param.append("value", contract::toAttribute(context, *nextNumber++));
    } else if (p.kind == "places") {
      attrs.append("llvm.readonly", b.getUnitAttr());
    } else if (p.kind == "workspace") {
      param.append(number("index", p.index));
    } else {
      param.append(number("arg", p.index));
      if (p.kind == "size" || p.kind == "stride")
        param.append(number("dim", p.dim));
    }
    if (p.kind == "pointer" || p.kind == "workspace") {
      // LLVM must not assume noalias where memory changes during the launch: across a barrier
      // another thread may have written what this one reads, and across the wait of a dependent
      // launch another grid.
      Value root = p.kind == "pointer" ? Value(kernel.getArgument(p.index)) : Value();
      if (root && !copied.contains(root) && (isReadOnly(root) || !readBack.contains(root)) &&
          isAlone(root) && !launch.getDependent())
        attrs.append("llvm.noalias", b.getUnitAttr());
      if (root && isReadOnly(root) && !copied.contains(root))
        attrs.append("llvm.readonly", b.getUnitAttr());
    }
    params.push_back(param.getDictionary(context));
    argAttrs.push_back(attrs.getDictionary(context));
  }
  func.setFunctionType(LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  func.setArgAttrsAttr(b.getArrayAttr(argAttrs));
  func->setAttr("tessera.params", b.getArrayAttr(params));
  if (!numbers.numbers.empty())
    func->setAttr("tessera.numbers", contract::toAttribute(context, std::move(numbers.numbers)));
  func->setAttr("tessera.descriptors", b.getArrayAttr(recipes));
  func->setAttr("tessera.threads", b.getI64IntegerAttr(numThreads));
  func->setAttr("tessera.shared",
                b.getI64IntegerAttr(static_cast<int64_t>(launch.getShared().value_or(0))));
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                b.getDenseI32ArrayAttr({static_cast<int32_t>(numThreads)}));
  func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                b.getI32IntegerAttr(static_cast<int32_t>(launch.getMinBlocks().value_or(1))));
  if (int64_t cluster = launch.getCluster().value_or(1); cluster > 1)
    func->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                  b.getDenseI32ArrayAttr({static_cast<int32_t>(cluster), 1, 1}));
  if (launch.getMaxRegisters())
    func->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                  b.getI32IntegerAttr(static_cast<int32_t>(*launch.getMaxRegisters())));
}

void tessera::nvvm::populateMemRefLowerings(LoweringSet &set) {
  addFallback(
      set,
      [](Operation *op) {
        return isa_and_nonnull<memref::MemRefDialect>(op->getDialect()) ||
               isa<tile::ArrayFromOp>(op);
      },
      [](Lowering &f, Operation *op) { return f.lowerMemRefOp(op); });
}

//===--- cache policies ------------------------------------------------------------------===//

Operation *tessera::nvvm::outermostLoopWithout(Lowering &f, Value value) {
  Operation *outermost = nullptr;
  for (Operation *op = f.b.getInsertionBlock()->getParentOp(); op && op != f.func;
       op = op->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (loop && !loop.isDefinedOutsideOfLoop(value))
      break;
    outermost = loop ? op : outermost;
  }
  return outermost;
}

Value tessera::nvvm::cachePolicy(Lowering &f, std::optional<tile::Cache> hint, Value memref,
                                 Value condition) {
  if (!hint || *hint == tile::Cache::NoAlloc) // copies allocate nothing in L1, or cannot help it
    return {};
  auto policy = [](StringRef priority, StringRef to) {
    return ("createpolicy.fractional.L2::evict_" + priority + ".b64 " + to + ", 1.0;").str();
  };
  const StringRef priority = *hint == tile::Cache::Last ? "last" : "first";
  Type type = f.b.getI64Type();
  if (*hint == tile::Cache::Stream) {
    // If the array fits L2, the next launch may find what this one leaves there.
    auto memrefType = cast<MemRefType>(memref.getType());
    Value bytes = f.i64(tile::elementBytes(memrefType.getElementType()));
    for (unsigned d = 0; d < memrefType.getRank(); ++d)
      bytes = f.mul(bytes, f.sizeOf(memref, d));
    Value large =
        f.compare(arith::CmpIPredicate::ugt, bytes, f.i64(cta::machineOf(f.launch).l2Bytes));
    condition = f.both(condition, large);
  }
  if (!condition)
    return f
        .inlineAsm(policy(priority, "$0"), {{type, "l"}}, {}, /*sideEffects=*/true,
                   /*memoryClobber=*/false)
        .front();
  OpBuilder::InsertionGuard guard(f.b);
  Operation *loop = f.currentScope().elected ? outermostLoopWithout(f, condition) : nullptr;
  if (loop)
    f.b.setInsertionPoint(loop);
  // Not evict_normal, which is not the default: loads with it are slower than without a policy
  // (docs/performance/constants.md).
  return f
      .inlineAsm("{\n\t.reg .b64 " + priority.str() + ", none;\n\t" + policy(priority, priority) +
                     "\n\t" + policy("unchanged", "none") + "\n\tselp.b64 $0, " + priority.str() +
                     ", none, $1;\n\t}",
                 {{type, "l"}}, {{condition, "b"}}, /*sideEffects=*/!loop, /*memoryClobber=*/false)
      .front();
}
