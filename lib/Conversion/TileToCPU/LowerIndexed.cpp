// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gathers, scatters and atomics as loops over all elements of the tile, each with a check of its
// own place.
#include "tessera/Conversion/Passes.h"
#include "tessera/Conversion/TileToCPU.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/AtomicStep.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;

/// Calls `element` with the indices in the tile and in the memref, inside loops and a condition
/// that the element is in bounds, below the limits, and not masked off.
template <typename Op>
static void forEachElement(ImplicitLocOpBuilder &b, Op op, Value memref,
                           function_ref<void(ValueRange, ValueRange)> element) {
  const tile::AccessParts parts = tile::partsOf(op, memref);
  ArrayRef<int64_t> shape = op.getTileType().getShape();
  OpBuilder::InsertionGuard guard(b);
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> bounds;
  for (int64_t m = 0, rank = op.getMemRefType().getRank(); m < rank; ++m) {
    Value bound = memref::DimOp::create(b, memref, m);
    const auto *at = llvm::find(parts.dims, m);
    if (at != parts.dims.end())
      if (Value limit = op.getLimit(at - parts.dims.begin()))
        bound = arith::MinSIOp::create(b, bound, limit);
    bounds.push_back(bound);
  }
  SmallVector<Value> indices;
  for (int64_t extent : shape) {
    Value end = arith::ConstantIndexOp::create(b, extent);
    auto loop = scf::ForOp::create(b, zero, end, one);
    indices.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  Value accessed = arith::ConstantIntOp::create(b, 1, 1);
  SmallVector<Value> position;
  for (auto [m, bound] : llvm::enumerate(bounds)) {
    Value at;
    const auto *dim = llvm::find(parts.dims, static_cast<int64_t>(m));
    if (std::optional<unsigned> index = parts.indexOf(static_cast<int64_t>(m))) {
      SmallVector<Value> place;
      for (int64_t d : parts.indexDims(*index, shape.size()))
        place.push_back(indices[d]);
      at = tensor::ExtractOp::create(b, parts.indices[*index], place);
      if (!at.getType().isIndex())
        at = arith::IndexCastOp::create(b, b.getIndexType(), at);
    } else {
      at = parts.coordOf(static_cast<int64_t>(m));
      if (dim != parts.dims.end())
        at = arith::AddIOp::create(b, at, indices[dim - parts.dims.begin()]);
    }
    position.push_back(at);
    Value low = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, at, zero);
    Value high = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, bound);
    accessed = arith::AndIOp::create(b, accessed, arith::AndIOp::create(b, low, high));
  }
  if (Value mask = parts.mask) {
    SmallVector<Value> at;
    for (int64_t d : parts.maskDims)
      at.push_back(indices[d]);
    accessed = arith::AndIOp::create(b, accessed, tensor::ExtractOp::create(b, mask, at));
  }
  auto branch = scf::IfOp::create(b, accessed, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  element(indices, position);
}

/// A tile in memory that is filled with `value`.
static Value filledBuffer(ImplicitLocOpBuilder &b, RankedTensorType type, TypedAttr value) {
  Value buffer =
      memref::AllocOp::create(b, MemRefType::get(type.getShape(), type.getElementType()));
  linalg::FillOp::create(b, arith::ConstantOp::create(b, value).getResult(), buffer);
  return buffer;
}

static Value asTile(ImplicitLocOpBuilder &b, RankedTensorType type, Value buffer) {
  return bufferization::ToTensorOp::create(b, type, buffer, /*restrict=*/true, /*writable=*/true);
}

void tessera::lowerGather(RewriterBase &rewriter, tile::GatherOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  RankedTensorType type = op.getTileType();
  TypedAttr pad = op.padsAny() ? poisonOf(type.getElementType()) : op.getPadValue();
  Value buffer = filledBuffer(b, type, pad);
  forEachElement(b, op, op.getSource(), [&](ValueRange indices, ValueRange position) {
    Value value = memref::LoadOp::create(b, op.getSource(), position);
    memref::StoreOp::create(b, value, buffer, indices);
  });
  rewriter.replaceOp(op, asTile(b, type, buffer));
}

void tessera::lowerScatter(RewriterBase &rewriter, tile::ScatterOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  forEachElement(b, op, op.getDest(), [&](ValueRange indices, ValueRange position) {
    Value value = tensor::ExtractOp::create(b, op.getValue(), indices);
    memref::StoreOp::create(b, value, op.getDest(), position);
  });
  rewriter.eraseOp(op);
}

//===--- atomics -----------------------------------------------------------------------------===//

/// The bits of an element as an integer, and back.
static Value toBits(ImplicitLocOpBuilder &b, Value element) {
  if (element.getType().isIndex())
    return arith::IndexCastOp::create(b, b.getI64Type(), element);
  if (!isa<FloatType>(element.getType()))
    return element;
  return arith::BitcastOp::create(b, b.getIntegerType(element.getType().getIntOrFloatBitWidth()),
                                  element);
}
static Value fromBits(ImplicitLocOpBuilder &b, Value bits, Type element) {
  if (element.isIndex())
    return arith::IndexCastOp::create(b, element, bits);
  return isa<FloatType>(element) ? arith::BitcastOp::create(b, element, bits).getResult() : bits;
}

/// The address of an element.
static Value addressOf(ImplicitLocOpBuilder &b, Value memref, ValueRange position) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value offset = metadata.getOffset();
  for (auto [at, stride] : llvm::zip_equal(position, metadata.getStrides()))
    offset = arith::AddIOp::create(b, offset, arith::MulIOp::create(b, at, stride));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  const int64_t bytes = tile::elementBytes(cast<MemRefType>(memref.getType()).getElementType());
  Value scaled =
      arith::MulIOp::create(b, offset, arith::ConstantIndexOp::create(b, bytes).getResult());
  return arith::IndexCastOp::create(b, b.getI64Type(),
                                    arith::AddIOp::create(b, base, scaled).getResult());
}

/// A call of one of the functions that cpu-lower-atomics replaces.
static Value call(ImplicitLocOpBuilder &b, StringRef prefix, Type bits, ValueRange operands) {
  const std::string name = (prefix + Twine(bits.getIntOrFloatBitWidth())).str();
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    auto at = OpBuilder::atBlockBegin(module.getBody());
    auto type = b.getFunctionType(operands.getTypes(), bits);
    func::FuncOp::create(at, module.getLoc(), name, type).setPrivate();
  }
  return func::CallOp::create(b, name, bits, operands).getResult(0);
}

/// One step: a loop that tries until no other thread came in between. It returns the old element.
/// Whatever order the op asks for, the step acquires and releases, which is more than enough.
static Value step(ImplicitLocOpBuilder &b, tile::AtomicOp op, Value address, Value value,
                  Value replacement) {
  Type element = op.getTileType().getElementType();
  Type bits =
      element.isIndex() ? b.getI64Type() : b.getIntegerType(element.getIntOrFloatBitWidth());
  auto exchange = [&](Value expected, Value wanted) {
    return call(b, kCasPrefix, bits, {address, expected, wanted});
  };
  if (op.getKind() == tile::AtomicKind::Cas)
    return fromBits(b, exchange(toBits(b, value), toBits(b, replacement)), element);
  Value first = call(b, kPeekPrefix, bits, address);
  auto loop = scf::WhileOp::create(b, TypeRange{bits}, ValueRange{first});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, bits, b.getLoc());
  Value old = before->getArgument(0);
  Value seen = exchange(old, toBits(b, tile::combineAtomic(b, b.getLoc(), op.getKind(),
                                                           fromBits(b, old, element), value)));
  Value again = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, seen, old);
  scf::ConditionOp::create(b, again, seen);
  Block *after = b.createBlock(&loop.getAfter(), {}, bits, b.getLoc());
  scf::YieldOp::create(b, after->getArgument(0));
  b.setInsertionPointAfter(loop);
  return fromBits(b, loop.getResult(0), element);
}

void tessera::lowerAtomic(RewriterBase &rewriter, tile::AtomicOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  RankedTensorType type = op.getTileType();
  auto elementOf = [&](Value from, ValueRange indices) -> Value {
    return isa<RankedTensorType>(from.getType())
               ? tensor::ExtractOp::create(b, from, indices).getResult()
               : from;
  };
  Value buffer;
  if (op.getOld())
    buffer = filledBuffer(b, type, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
  forEachElement(b, op, op.getDest(), [&](ValueRange indices, ValueRange position) {
    Value replacement = op.getReplacement() ? elementOf(op.getReplacement(), indices) : Value();
    Value old = step(b, op, addressOf(b, op.getDest(), position), elementOf(op.getValue(), indices),
                     replacement);
    if (buffer)
      memref::StoreOp::create(b, old, buffer, indices);
  });
  if (!buffer)
    return rewriter.eraseOp(op);
  Value tile = asTile(b, type, buffer);
  if (!isa<RankedTensorType>(op.getOld().getType()))
    tile = tensor::ExtractOp::create(b, tile, ValueRange());
  rewriter.replaceOp(op, tile);
}
