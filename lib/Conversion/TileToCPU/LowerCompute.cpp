// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products, reductions and shapes as linalg on tensors.
#include "tessera/Conversion/TileToCPU.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tessera;
using utils::IteratorType;

//===--- small things -----------------------------------------------------------------------===//

static Value emptyLike(OpBuilder &b, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
}

static Value filled(OpBuilder &b, Location loc, RankedTensorType type, Value scalar) {
  return linalg::FillOp::create(b, loc, scalar, emptyLike(b, loc, type)).getResult(0);
}

static Value zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return filled(b, loc, type, zero);
}

static SmallVector<IteratorType> parallel(unsigned rank) {
  return SmallVector<IteratorType>(rank, IteratorType::parallel);
}

//===--- mma --------------------------------------------------------------------------------===//

/// f32 with the 10 bits of mantissa of tf32. The others are dropped, as the tensor cores do; NaN
/// stays NaN.
static Value dropToTf32(OpBuilder &b, Location loc, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  auto bitsType = type.clone(b.getI32Type());
  auto splat = [&](uint32_t v) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(bitsType, b.getI32IntegerAttr(static_cast<int32_t>(v))));
  };
  Value bits = arith::BitcastOp::create(b, loc, bitsType, x);
  Value dropped = arith::AndIOp::create(b, loc, bits, splat(0xffffe000));
  Value exponent = arith::AndIOp::create(b, loc, bits, splat(0x7f800000));
  Value special =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, exponent, splat(0x7f800000));
  Value result = arith::SelectOp::create(b, loc, special, bits, dropped);
  return arith::BitcastOp::create(b, loc, type, result);
}

/// An operand in the type in which products are computed.
static Value widen(OpBuilder &b, Location loc, Value x, Type to, bool isUnsigned, bool tf32) {
  auto type = cast<RankedTensorType>(x.getType());
  if (tf32)
    return dropToTf32(b, loc, x);
  if (type.getElementType() == to)
    return x;
  RankedTensorType wide = type.clone(to);
  if (isa<FloatType>(to))
    return arith::ExtFOp::create(b, loc, wide, x);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, wide, x);
  return arith::ExtSIOp::create(b, loc, wide, x);
}

void tessera::lowerMma(RewriterBase &b, tile::MmaOp op) {
  Location loc = op.getLoc();
  RankedTensorType result = op.getResultType();
  // f16 results are sums in f32, rounded once.
  Type element = result.getElementType();
  if (element.isF16())
    element = b.getF32Type();
  RankedTensorType wide = result.clone(element);
  bool tf32 = op.getPrecision() == tile::Precision::Tf32;
  Value lhs = widen(b, loc, op.getA(), element, op.getLhsUnsigned(), tf32);
  Value rhs = widen(b, loc, op.getB(), element, op.getRhsUnsigned(), tf32);
  Value acc = op.getC() ? widen(b, loc, op.getC(), element, false, false) : zeros(b, loc, wide);

  // Iterations (batch, m, k, n): rows of b and of the accumulator are contiguous in the innermost
  // loop.
  unsigned batch = result.getRank() - 2;
  SmallVector<AffineExpr> prefix;
  for (unsigned d = 0; d < batch; ++d)
    prefix.push_back(b.getAffineDimExpr(d));
  AffineExpr m = b.getAffineDimExpr(batch), k = b.getAffineDimExpr(batch + 1),
             n = b.getAffineDimExpr(batch + 2);
  auto map = [&](AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> exprs(prefix);
    exprs.append({row, column});
    return AffineMap::get(batch + 3, 0, exprs, b.getContext());
  };
  SmallVector<IteratorType> iterators = parallel(batch + 3);
  iterators[batch + 1] = IteratorType::reduction;
  auto product = linalg::GenericOp::create(
      b, loc, wide, ValueRange{lhs, rhs}, acc, {map(m, k), map(k, n), map(m, n)}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value sum;
        if (isa<FloatType>(element)) {
          // Where the host has the instruction a product may fuse into its sum.
          auto fuse = arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::contract);
          Value p = arith::MulFOp::create(b, loc, args[0], args[1], fuse);
          sum = arith::AddFOp::create(b, loc, args[2], p, fuse);
        } else {
          sum = arith::AddIOp::create(b, loc, args[2],
                                      arith::MulIOp::create(b, loc, args[0], args[1]));
        }
        linalg::YieldOp::create(b, loc, sum);
      });
  if (wide == result)
    b.replaceOp(op, product.getResult(0));
  else
    b.replaceOpWithNewOp<arith::TruncFOp>(op, result, product.getResult(0));
}

//===--- reduce -----------------------------------------------------------------------------===//

void tessera::lowerReduce(RewriterBase &b, tile::ReduceOp named) {
  tile::ReduceOp op = tile::ReduceOp::generalize(b, named);
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  unsigned count = op.getInputs().size();
  auto shape = cast<RankedTensorType>(op.getInputs().front().getType());
  unsigned rank = shape.getRank();
  SmallVector<IteratorType> iterators = parallel(rank);
  SmallVector<AffineExpr> kept;
  for (unsigned d = 0; d < rank; ++d) {
    if (llvm::is_contained(op.getDims(), static_cast<int64_t>(d)))
      iterators[d] = IteratorType::reduction;
    else
      kept.push_back(b.getAffineDimExpr(d));
  }
  SmallVector<AffineMap> maps(count, b.getMultiDimIdentityMap(rank));
  maps.append(count, AffineMap::get(rank, 0, kept, b.getContext()));
  SmallVector<Value> inits;
  for (auto [init, result] : llvm::zip(op.getInits(), op.getResultTypes()))
    inits.push_back(filled(b, loc, cast<RankedTensorType>(result), init));
  auto generic =
      linalg::GenericOp::create(b, loc, op.getResultTypes(), op.getInputs(), inits, maps, iterators,
                                [&](OpBuilder &nested, Location loc, ValueRange args) {
                                  IRMapping mapping;
                                  Block &combiner = op.getCombiner().front();
                                  for (unsigned i = 0; i < count; ++i) {
                                    mapping.map(combiner.getArgument(i), args[count + i]);
                                    mapping.map(combiner.getArgument(count + i), args[i]);
                                  }
                                  for (Operation &inner : combiner.without_terminator())
                                    nested.clone(inner, mapping);
                                  SmallVector<Value> yielded;
                                  for (Value value : combiner.getTerminator()->getOperands())
                                    yielded.push_back(mapping.lookupOrDefault(value));
                                  linalg::YieldOp::create(nested, loc, yielded);
                                });
  b.replaceOp(op, generic.getResults());
}

//===--- scan -------------------------------------------------------------------------------===//

/// A loop over the dimension, in the order of the scan. Loops of linalg run in the order of their
/// iterations, and the carry is a result that each iteration reads and replaces.
void tessera::lowerScan(RewriterBase &b, tile::ScanOp named) {
  tile::ScanOp op = tile::ScanOp::generalize(b, named);
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  const auto count = static_cast<unsigned>(op.getInputs().size());
  RankedTensorType shape = op.getInputType();
  const auto rank = static_cast<unsigned>(shape.getRank()),
             dim = static_cast<unsigned>(op.getDim());
  SmallVector<IteratorType> iterators = parallel(rank);
  iterators[dim] = IteratorType::reduction;
  SmallVector<AffineExpr> place, kept;
  for (unsigned d = 0; d < rank; ++d) {
    place.push_back(b.getAffineDimExpr(d));
    if (d != dim)
      kept.push_back(b.getAffineDimExpr(d));
  }
  if (op.getReverse())
    place[dim] = shape.getDimSize(dim) - 1 - place[dim];
  AffineMap element = AffineMap::get(rank, 0, place, b.getContext()),
            carry = AffineMap::get(rank, 0, kept, b.getContext());
  // An input that only says how far the loop runs, because a map with a difference does not.
  SmallVector<Value> inputs(op.getInputs()), results;
  inputs.push_back(emptyLike(b, loc, RankedTensorType::get(shape.getDimSize(dim), b.getI8Type())));
  SmallVector<AffineMap> maps(count, element);
  maps.push_back(AffineMap::get(rank, 0, b.getAffineDimExpr(dim)));
  maps.append(count, element);
  maps.append(count, carry);
  for (Type type : op.getScanned().getTypes())
    results.push_back(emptyLike(b, loc, cast<RankedTensorType>(type)));
  for (auto [i, type] : llvm::enumerate(op.getTotals().getTypes()))
    results.push_back(op.getCarries().empty()
                          ? filled(b, loc, cast<RankedTensorType>(type), op.getInits()[i])
                          : Value(op.getCarries()[i]));
  auto generic =
      linalg::GenericOp::create(b, loc, op.getResultTypes(), inputs, results, maps, iterators,
                                [&](OpBuilder &nested, Location loc, ValueRange args) {
                                  IRMapping mapping;
                                  Block &combiner = op.getCombiner().front();
                                  ValueRange before = args.take_back(count);
                                  for (unsigned i = 0; i < count; ++i) {
                                    mapping.map(combiner.getArgument(i), before[i]);
                                    mapping.map(combiner.getArgument(count + i), args[i]);
                                  }
                                  for (Operation &inner : combiner.without_terminator())
                                    nested.clone(inner, mapping);
                                  SmallVector<Value> combined, yielded;
                                  for (Value value : combiner.getTerminator()->getOperands())
                                    combined.push_back(mapping.lookupOrDefault(value));
                                  if (op.getExclusive())
                                    llvm::append_range(yielded, before);
                                  else
                                    yielded = combined;
                                  yielded.append(combined);
                                  linalg::YieldOp::create(nested, loc, yielded);
                                });
  b.replaceOp(op, generic.getResults());
}

//===--- shapes -----------------------------------------------------------------------------===//

/// result[i…] = source[map(i…)]
static void replaceWithRead(RewriterBase &b, Operation *op, Value source, AffineMap map) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto generic = linalg::GenericOp::create(b, loc, type, source, emptyLike(b, loc, type),
                                           {map, b.getMultiDimIdentityMap(type.getRank())},
                                           parallel(type.getRank()),
                                           [](OpBuilder &b, Location loc, ValueRange args) {
                                             linalg::YieldOp::create(b, loc, args[0]);
                                           });
  b.replaceOp(op, generic.getResults());
}

void tessera::lowerBroadcast(RewriterBase &b, tile::BroadcastOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!source) {
    b.replaceOp(op, filled(b, op.getLoc(), type, op.getSource()));
    return;
  }
  SmallVector<AffineExpr> exprs;
  for (auto [i, d] : llvm::enumerate(op.getDims()))
    exprs.push_back(source.getDimSize(i) == type.getDimSize(d) ? b.getAffineDimExpr(d)
                                                               : b.getAffineConstantExpr(0));
  replaceWithRead(b, op, op.getSource(), AffineMap::get(type.getRank(), 0, exprs, b.getContext()));
}

void tessera::lowerTranspose(RewriterBase &b, tile::TransposeOp op) {
  // result[i] = source[j] with j[dims[d]] = i[d]
  unsigned rank = op.getDims().size();
  SmallVector<AffineExpr> exprs(rank);
  for (auto [d, from] : llvm::enumerate(op.getDims()))
    exprs[from] = b.getAffineDimExpr(d);
  replaceWithRead(b, op, op.getSource(), AffineMap::get(rank, 0, exprs, b.getContext()));
}

void tessera::lowerIota(RewriterBase &b, tile::IotaOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{}, emptyLike(b, loc, type),
      {b.getMultiDimIdentityMap(type.getRank())}, parallel(type.getRank()),
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value i = linalg::IndexOp::create(b, loc, op.getDim());
        if (!type.getElementType().isIndex())
          i = arith::IndexCastOp::create(b, loc, type.getElementType(), i);
        if (Value from = op.getFrom())
          i = arith::AddIOp::create(b, loc, from, i);
        linalg::YieldOp::create(b, loc, i);
      });
  b.replaceOp(op, generic.getResults());
}
