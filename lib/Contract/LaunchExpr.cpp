// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes expressions of the launch contract from SSA values. The contract computes with signed
// numbers of 64 bits. Values of narrower integers are kept sign-extended (i1: 0 or 1), so each
// narrow op whose result may not fit its type is followed by a wrap.
#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::contract;

/// Less than kMaxDepth, because the contract puts more nodes around an expression (a comparison,
/// the number of blocks).
static constexpr unsigned kMaxBuiltDepth = kMaxDepth - 16;
static constexpr size_t kMaxBuiltNodes = 65'000;
static_assert(kMaxBuiltNodes < kMaxNodes);

namespace {

class ExprBuilder {
public:
  ExprBuilder(Operation *user) : user(user) {}

  FailureOr<Expr> build(Value value);
  FailureOr<Expr> build(OpFoldResult value) {
    if (auto constant = getConstantIntValue(value); constant && isa<Attribute>(value))
      return Expr::constant(*constant);
    return build(cast<Value>(value));
  }
  /// The size of dimension `dim` of a memref, which may be a view of another one.
  FailureOr<Expr> sizeOf(Value memref, int64_t dim, Operation *asker);

private:
  FailureOr<Expr> buildValue(Value value);
  FailureOr<Expr> buildOp(Operation *op, Value value);
  FailureOr<Expr> buildBinary(Operation *op, StringRef name);
  FailureOr<Expr> strideOf(memref::ExtractStridedMetadataOp op, Value value);
  FailureOr<Expr> buildAffine(AffineExpr expr, ArrayRef<Expr> dims, ArrayRef<Expr> symbols,
                              Operation *op);
  FailureOr<std::vector<Expr>> buildAffineMap(AffineMap map, ValueRange operands, Operation *op);
  LogicalResult reject(Operation *op, const Twine &why);
  static Expr wrap(Expr e, Type type);
  static Expr zeroExtend(Expr e, Type type);

  Operation *user;
  llvm::DenseMap<Value, Expr> built; ///< so that a value that is used twice becomes one node
  unsigned level = 0;                ///< how deep the calls of `build` are nested
  /// After the first error nothing is built; a value may be asked for 2^n times.
  bool hasFailed = false;
};

unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

/// Makes the sign-extended value that the type can hold.
Expr ExprBuilder::wrap(Expr e, Type type) {
  unsigned width = widthOf(type);
  if (width == 64 || e.isConstant())
    return e.isConstant() && width > 1 ? Expr::constant(llvm::SignExtend64(e.value(), width))
           : e.isConstant()            ? Expr::constant(e.value() & 1)
                                       : e;
  if (width == 1)
    return Expr::apply("and", {std::move(e), Expr::constant(1)});
  int64_t sign = int64_t(1) << (width - 1);
  Expr low = Expr::apply("and", {std::move(e), Expr::constant(2 * sign - 1)});
  return Expr::apply("sub",
                     {Expr::apply("xor", {low, Expr::constant(sign)}), Expr::constant(sign)});
}

Expr ExprBuilder::zeroExtend(Expr e, Type type) {
  unsigned width = widthOf(type);
  if (width == 64 || width == 1)
    return e;
  if (e.isConstant())
    return Expr::constant(e.value() & ((int64_t(1) << width) - 1));
  return Expr::apply("and", {std::move(e), Expr::constant((int64_t(1) << width) - 1)});
}

LogicalResult ExprBuilder::reject(Operation *op, const Twine &why) {
  hasFailed = true;
  InFlightDiagnostic diag = op->emitOpError() << why;
  if (op != user)
    diag.attachNote(user->getLoc())
        << "needed by this '" << user->getName()
        << "': what a launch depends on is built from arguments, sizes and constants by arith add, "
           "sub, mul, div, rem, min, max, cmp, select, casts, and affine.apply/min/max";
  return diag;
}

FailureOr<Expr> ExprBuilder::build(Value value) {
  if (hasFailed)
    return failure();
  if (auto known = built.find(value); known != built.end())
    return known->second;
  // Casts make no nodes, but each is a nested call of this function.
  auto tooLarge = [&](const Twine &what) {
    return reject(value.getDefiningOp() ? value.getDefiningOp() : user,
                  "is the end of a computation of more than " + what +
                      ", which is the limit of what a launcher evaluates: compute less of it "
                      "outside the grids, or pass the number as an argument of the kernel");
  };
  if (level >= kMaxBuiltDepth)
    return tooLarge(Twine(kMaxBuiltDepth) + " steps, one after the other");
  ++level;
  FailureOr<Expr> expr = buildValue(value);
  --level;
  if (failed(expr))
    return failure();
  if (expr->depth() > kMaxBuiltDepth)
    return tooLarge(Twine(kMaxBuiltDepth) + " steps, one after the other");
  if (level == 0 && numNodes(*expr) > kMaxBuiltNodes)
    return tooLarge(Twine(kMaxBuiltNodes) + " steps");
  built.try_emplace(value, *expr);
  return expr;
}

FailureOr<Expr> ExprBuilder::buildValue(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (isa<tile::KernelOp>(arg.getOwner()->getParentOp()) && arg.getType().isIntOrIndex())
      return Expr::scalar(arg.getArgNumber());
    return reject(user,
                  "depends on a value that is only known inside a loop, a grid or on the device");
  }
  return buildOp(value.getDefiningOp(), value);
}

FailureOr<Expr> ExprBuilder::buildBinary(Operation *op, StringRef name) {
  Type type = op->getOperand(0).getType();
  FailureOr<Expr> a = build(op->getOperand(0)), b = build(op->getOperand(1));
  if (failed(a) || failed(b))
    return failure();
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp, arith::CeilDivUIOp>(op)) {
    *a = zeroExtend(*a, type);
    *b = zeroExtend(*b, type);
  }
  Expr result = Expr::apply(name, {*a, *b});
  // A bitwise operation on sign-extended numbers has a sign-extended result.
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return result;
  return wrap(std::move(result), op->getResult(0).getType());
}

FailureOr<Expr> ExprBuilder::sizeOf(Value memref, int64_t dim, Operation *asker) {
  auto type = cast<MemRefType>(memref.getType());
  if (dim < 0 || dim >= type.getRank())
    return reject(asker, "reads a dimension that " + Twine("the memref does not have"));
  if (!type.isDynamicDim(dim))
    return Expr::constant(type.getDimSize(dim));
  if (auto arg = dyn_cast<BlockArgument>(memref)) {
    if (isa<tile::KernelOp>(arg.getOwner()->getParentOp()))
      return Expr::size(arg.getArgNumber(), dim);
    return reject(asker, "reads the size of a memref that is not an argument of the kernel");
  }
  Operation *op = memref.getDefiningOp();
  if (auto cast = dyn_cast<memref::CastOp>(op); cast && isa<MemRefType>(cast.getSource().getType()))
    return sizeOf(cast.getSource(), dim, asker);
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [d, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped[d] && dim-- == 0)
        return build(size);
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return build(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return build(view.getMixedSizes()[dim]);
  if (auto view = dyn_cast<memref::ExpandShapeOp>(op))
    return build(view.getMixedOutputShape()[dim]);
  if (auto view = dyn_cast<memref::CollapseShapeOp>(op)) {
    Expr product = Expr::constant(1);
    for (int64_t d : view.getReassociationIndices()[dim]) {
      FailureOr<Expr> size = sizeOf(view.getSrc(), d, asker);
      if (failed(size))
        return failure();
      product = Expr::apply("mul", {product, *size});
    }
    return product;
  }
  return reject(op, "the size of this memref cannot be computed before the launch");
}

FailureOr<Expr> ExprBuilder::strideOf(memref::ExtractStridedMetadataOp op, Value value) {
  auto arg = dyn_cast<BlockArgument>(op.getSource());
  auto stride = llvm::find(op.getStrides(), value);
  if (!arg || !isa<tile::KernelOp>(arg.getOwner()->getParentOp()) ||
      stride == op.getStrides().end())
    return reject(op, "has results of which a launcher knows strides only, and only those of an "
                      "argument of the kernel");
  const auto dim = static_cast<unsigned>(stride - op.getStrides().begin());
  const int64_t known = op.getSource().getType().getStridesAndOffset().first[dim];
  return ShapedType::isDynamic(known) ? Expr::stride(arg.getArgNumber(), dim)
                                      : Expr::constant(known);
}

FailureOr<Expr> ExprBuilder::buildAffine(AffineExpr expr, ArrayRef<Expr> dims,
                                         ArrayRef<Expr> symbols, Operation *op) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Expr::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<Expr> a = buildAffine(binary.getLHS(), dims, symbols, op),
                  b = buildAffine(binary.getRHS(), dims, symbols, op);
  if (failed(a) || failed(b))
    return failure();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return Expr::apply("add", {*a, *b});
  case AffineExprKind::Mul:
    return Expr::apply("mul", {*a, *b});
  case AffineExprKind::FloorDiv:
    return Expr::apply("floordivs", {*a, *b});
  case AffineExprKind::CeilDiv:
    return Expr::apply("ceildivs", {*a, *b});
  case AffineExprKind::Mod:
    return Expr::apply("mod", {*a, *b});
  default:
    return reject(op, "has an affine expression that the launch contract does not know");
  }
}

FailureOr<std::vector<Expr>> ExprBuilder::buildAffineMap(AffineMap map, ValueRange operands,
                                                         Operation *op) {
  SmallVector<Expr> values;
  for (Value operand : operands) {
    FailureOr<Expr> value = build(operand);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  std::vector<Expr> results;
  for (AffineExpr expr : map.getResults()) {
    FailureOr<Expr> value = buildAffine(expr, ArrayRef(values).take_front(map.getNumDims()),
                                        ArrayRef(values).drop_front(map.getNumDims()), op);
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  return results;
}

Expr foldAll(StringRef name, std::vector<Expr> values) {
  Expr result = values.front();
  for (Expr &value : llvm::drop_begin(values))
    result = Expr::apply(name, {result, value});
  return result;
}

StringRef binaryName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp>([](auto) { return "add"; })
      .Case<arith::SubIOp>([](auto) { return "sub"; })
      .Case<arith::MulIOp>([](auto) { return "mul"; })
      .Case<arith::FloorDivSIOp>([](auto) { return "floordivs"; })
      .Case<arith::CeilDivSIOp>([](auto) { return "ceildivs"; })
      .Case<arith::DivSIOp>([](auto) { return "divsi"; })
      .Case<arith::DivUIOp>([](auto) { return "divui"; })
      .Case<arith::RemSIOp>([](auto) { return "remsi"; })
      .Case<arith::RemUIOp>([](auto) { return "remui"; })
      .Case<arith::MinSIOp>([](auto) { return "minsi"; })
      .Case<arith::MaxSIOp>([](auto) { return "maxsi"; })
      .Case<arith::MinUIOp>([](auto) { return "minui"; })
      .Case<arith::MaxUIOp>([](auto) { return "maxui"; })
      .Case<arith::AndIOp>([](auto) { return "and"; })
      .Case<arith::OrIOp>([](auto) { return "or"; })
      .Case<arith::XOrIOp>([](auto) { return "xor"; })
      .Case<arith::ShLIOp>([](auto) { return "shl"; })
      .Case<arith::ShRSIOp>([](auto) { return "shrsi"; })
      .Default([](auto) { return ""; });
}

FailureOr<Expr> ExprBuilder::buildOp(Operation *op, Value value) {
  Type type = value.getType();
  if (!type.isIntOrIndex())
    return reject(op, "is not an integer: a launch depends on integers only");
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Expr::constant(type.isInteger(1) ? constant.getZExtValue() : constant.getSExtValue());
  if (StringRef name = binaryName(op); !name.empty())
    return buildBinary(op, name);
  if (isa<tile::NumCoresOp>(op))
    return Expr::numCores();
  if (isa<cta::MaxClustersOp>(op))
    return Expr::maxClusters();
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    auto [arg, d] = *op->getParentOfType<tile::KernelOp>().lookupDim(dim.getName());
    return sizeOf(op->getParentOfType<tile::KernelOp>().getBody().getArgument(arg), d, op);
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index || !isa<MemRefType>(dim.getSource().getType()))
      return reject(op, "needs a constant dimension");
    return sizeOf(dim.getSource(), *index, op);
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
    return strideOf(metadata, value);
  if (auto ceil = dyn_cast<arith::CeilDivUIOp>(op)) {
    // (a + b - 1) / b would overflow for large a. The quotient plus 1 if there is a remainder does
    // not.
    FailureOr<Expr> a = build(ceil.getLhs()), b = build(ceil.getRhs());
    if (failed(a) || failed(b))
      return failure();
    Expr x = zeroExtend(*a, type), y = zeroExtend(*b, type);
    Expr rest = Expr::apply("cmp_ne", {Expr::apply("remui", {x, y}), Expr::constant(0)});
    return wrap(Expr::apply("add", {Expr::apply("divui", {x, y}), rest}), type);
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, arith::IndexCastUIOp,
          arith::ExtUIOp>(op)) {
    Type from = op->getOperand(0).getType();
    FailureOr<Expr> source = build(op->getOperand(0));
    if (failed(source) || widthOf(from) == widthOf(type))
      return source;
    if (widthOf(from) > widthOf(type))
      return wrap(*source, type);
    if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
      return zeroExtend(*source, from);
    return from.isInteger(1) ? Expr::apply("sub", {Expr::constant(0), *source}) : *source;
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    // Sign extension also keeps the order of unsigned numbers.
    FailureOr<Expr> a = build(cmp.getLhs()), b = build(cmp.getRhs());
    if (failed(a) || failed(b))
      return failure();
    Type operandType = cmp.getLhs().getType();
    bool isSigned = llvm::is_contained({arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
                                        arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge},
                                       cmp.getPredicate());
    // True is kept as 1, but as a signed number of one bit it is -1.
    if (operandType.isInteger(1) && isSigned)
      std::swap(*a, *b);
    return Expr::apply(("cmp_" + arith::stringifyCmpIPredicate(cmp.getPredicate())).str(),
                       {*a, *b});
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    FailureOr<Expr> c = build(select.getCondition()), a = build(select.getTrueValue()),
                    b = build(select.getFalseValue());
    if (failed(c) || failed(a) || failed(b))
      return failure();
    return Expr::apply("select", {*c, *a, *b});
  }
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op)) {
    AffineMap map = cast<AffineMapAttr>(op->getAttr("map")).getValue();
    FailureOr<std::vector<Expr>> results = buildAffineMap(map, op->getOperands(), op);
    if (failed(results))
      return failure();
    return foldAll(isa<affine::AffineMaxOp>(op) ? "maxsi" : "minsi", std::move(*results));
  }
  return reject(op, "cannot be evaluated before the launch");
}

} // namespace

FailureOr<Expr> tessera::contract::buildExpr(Value value, Operation *user) {
  return ExprBuilder(user).build(value);
}

FailureOr<std::vector<Expr>> tessera::contract::buildGrid(tile::GridOp grid) {
  ExprBuilder builder(grid);
  std::vector<Expr> blocks;
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep())) {
    FailureOr<Expr> lo = builder.build(lower), up = builder.build(upper), st = builder.build(step);
    if (failed(lo) || failed(up) || failed(st))
      return failure();
    blocks.push_back(Expr::apply("ceildivs", {Expr::apply("sub", {*up, *lo}), *st}));
  }
  return blocks;
}

Attribute tessera::contract::toAttribute(MLIRContext *context, const llvm::json::Value &value) {
  Builder b(context);
  if (std::optional<int64_t> number = value.getAsInteger())
    return b.getI64IntegerAttr(*number);
  if (std::optional<StringRef> text = value.getAsString())
    return b.getStringAttr(*text);
  if (const llvm::json::Array *list = value.getAsArray())
    return b.getArrayAttr(llvm::map_to_vector(
        *list, [&](const llvm::json::Value &item) { return toAttribute(context, item); }));
  NamedAttrList entries;
  for (const auto &[key, entry] : *value.getAsObject())
    entries.append(StringRef(key), toAttribute(context, entry));
  return entries.getDictionary(context);
}
