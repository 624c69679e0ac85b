// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera::tile;

KernelOp tessera::tile::buildKernel(OpBuilder &b, Location loc, StringRef name,
                                    ArrayRef<KernelArgument> arguments, const BodyBuilder &body) {
  SmallVector<Type> types;
  for (const KernelArgument &argument : arguments)
    types.push_back(argument.type);
  auto kernel = KernelOp::create(b, loc, name, b.getFunctionType(types, {}));
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!argument.name.empty())
      kernel.setArgAttr(i, TileDialect::kName, b.getStringAttr(argument.name));
    if (argument.shape.empty())
      continue;
    SmallVector<Attribute> sizes;
    for (const std::string &size : argument.shape)
      sizes.push_back(size.empty() ? Attribute(b.getUnitAttr()) : b.getStringAttr(size));
    kernel.setArgAttr(i, TileDialect::kShape, b.getArrayAttr(sizes));
  }
  OpBuilder::InsertionGuard guard(b);
  Block &block = kernel.getBody().front();
  b.setInsertionPointToStart(&block);
  body(b, block.getArguments());
  b.setInsertionPointToEnd(&block);
  ReturnOp::create(b, loc);
  return kernel;
}

Value tessera::tile::buildDim(OpBuilder &b, Location loc, StringRef name) {
  return DimOp::create(b, loc, b.getIndexType(), b.getStringAttr(name));
}

GridOp tessera::tile::buildGrid(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> upper,
                                ArrayRef<int64_t> step, const BodyBuilder &body) {
  SmallVector<int64_t> lower(upper.size(), 0), statics;
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(upper, dynamics, statics);
  auto grid = GridOp::create(b, loc, ValueRange{}, dynamics, ValueRange{}, lower, statics, step,
                             OrderAttr{});
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&grid.getBody(), {}, SmallVector<Type>(upper.size(), b.getIndexType()),
                    SmallVector<Location>(upper.size(), loc));
  body(b, block->getArguments());
  b.setInsertionPointToEnd(block);
  YieldOp::create(b, loc);
  return grid;
}

/// Sets what the box says of an access that was built with the defaults.
template <typename Op>
void Box::apply(OpBuilder &b, Op op, int64_t rank) const {
  if (!ofDims.empty())
    op.setDims(ofDims);
  if (!ofLimits.empty()) {
    SmallVector<bool> limited;
    for (Value limit : ofLimits) {
      limited.push_back(static_cast<bool>(limit));
      if (limit)
        op.getLimitsMutable().append(limit);
    }
    op.setLimited(limited);
  }
  if (ofMask) {
    op.getMaskMutable().append(ofMask);
    op.setMaskDims(maskDims.value_or(llvm::to_vector(llvm::seq<int64_t>(0, rank))));
  }
  if (ofCache)
    op.setCacheAttr(CacheAttr::get(b.getContext(), *ofCache));
  if (!demands.empty())
    op.setRequireAttr(RequireAttr::get(b.getContext(), demands));
}

Value tessera::tile::buildLoad(OpBuilder &b, Location loc, RankedTensorType type, Value memref,
                               ValueRange coords, const Box &box) {
  auto load = LoadOp::create(b, loc, type, memref, coords);
  box.apply(b, load, type.getRank());
  if (box.padLiteral)
    load.setPadAttr(box.padLiteral);
  else if (box.padWord)
    load.setPadAttr(PadAttr::get(b.getContext(), *box.padWord));
  if (box.lookahead)
    load.setStagesAttr(b.getI64IntegerAttr(*box.lookahead));
  return load;
}

StoreOp tessera::tile::buildStore(OpBuilder &b, Location loc, Value tile, Value memref,
                                  ValueRange coords, const Box &box) {
  auto store = StoreOp::create(b, loc, tile, memref, coords);
  box.apply(b, store, cast<RankedTensorType>(tile.getType()).getRank());
  return store;
}

Value tessera::tile::buildMma(OpBuilder &b, Location loc, Value lhs, Value rhs, Value sum) {
  return MmaOp::create(b, loc, sum.getType(), lhs, rhs, sum, PrecisionAttr{}, UnitAttr{},
                       UnitAttr{}, IntegerAttr{}, RequireAttr{});
}

Value tessera::tile::buildSplat(OpBuilder &b, Location loc, RankedTensorType type, double value) {
  Attribute number = isa<FloatType>(type.getElementType())
                         ? Attribute(b.getFloatAttr(type.getElementType(), value))
                         : b.getIntegerAttr(type.getElementType(), static_cast<int64_t>(value));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
}
