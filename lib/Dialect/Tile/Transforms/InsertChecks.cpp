// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-insert-checks: turns undefined behaviour of the language (docs/Language.md) into tests that
// stop the program. A test is a `cf.assert` before the op, at its location; each target has its own
// way to stop.
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Races.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEINSERTCHECKS
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

namespace {
class Checks {
public:
  explicit Checks(KernelOp kernel) : b(kernel.getContext()), kernel(kernel) {}
  void run();

private:
  void check(Operation *op);
  void bounds(Operation *op, Value memref, ValueRange indices);
  void promise(AssumeOp op);
  void sizes(ArrayFromOp op);
  void divisor(Operation *op, bool isSigned);
  void shift(Operation *op);
  void conversion(Operation *op, bool isSigned);
  template <typename Op>
  void exposePad(Op op);
  void expose(memref::AllocOp op);

  Value integer(Type type, const APInt &value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value integer(Type type, int64_t value) {
    return integer(type, APInt(widthOf(type), static_cast<uint64_t>(value), /*isSigned=*/true,
                               /*implicitTrunc=*/true));
  }
  Value compare(arith::CmpIPredicate p, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, p, x, y);
  }
  Value both(Value x, Value y) { return b.createOrFold<arith::AndIOp>(loc, x, y); }
  void require(Value condition, const Twine &message);
  static unsigned widthOf(Type type) {
    return type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  }

  OpBuilder b;
  KernelOp kernel;
  Location loc = b.getUnknownLoc();
};
} // namespace

void Checks::require(Value condition, const Twine &message) {
  if (!matchPattern(condition, m_One()))
    cf::AssertOp::create(b, loc, condition, message.str());
}

void Checks::bounds(Operation *op, Value memref, ValueRange indices) {
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value size = b.createOrFold<memref::DimOp>(loc, memref, static_cast<int64_t>(d));
    // As unsigned numbers, negative indices are large.
    require(compare(arith::CmpIPredicate::ult, index, size),
            op->getName().getStringRef() + " of " + nameOfRoot(memref) +
                " is out of bounds in dimension " + Twine(d));
  }
}

void Checks::promise(AssumeOp op) {
  Value x = op.getValue();
  auto bound = [&](arith::CmpIPredicate p, int64_t limit, const char *relation) {
    // A limit beyond the range of the type is always satisfied, or never.
    unsigned width = widthOf(x.getType());
    Value holds;
    if (width < 64 && !llvm::isIntN(width, limit))
      holds = arith::ConstantOp::create(
          b, loc, b.getBoolAttr((p == arith::CmpIPredicate::sge) == (limit < 0)));
    else
      holds = compare(p, x, integer(x.getType(), limit));
    require(holds, Twine("the value is not ") + relation + " " + Twine(limit) +
                       ", as tile.assume promises");
  };
  if (op.getMin())
    bound(arith::CmpIPredicate::sge, *op.getMin(), "at least");
  if (op.getMax())
    bound(arith::CmpIPredicate::sle, *op.getMax(), "at most");
  if (auto divisible = op.getDivisible();
      divisible && llvm::isIntN(widthOf(x.getType()), *divisible)) {
    Value rest = b.createOrFold<arith::RemSIOp>(loc, x, integer(x.getType(), *divisible));
    require(compare(arith::CmpIPredicate::eq, rest, integer(x.getType(), 0)),
            Twine("the value is no multiple of ") + Twine(*divisible) +
                ", as tile.assume promises");
  }
}

/// The rows and columns of an array that is given by numbers from memory.
void Checks::sizes(ArrayFromOp op) {
  for (auto [d, size] : llvm::enumerate(op.getMixedSizes()))
    if (auto value = dyn_cast<Value>(size))
      require(compare(arith::CmpIPredicate::sge, value, integer(value.getType(), 0)),
              "the size of dimension " + Twine(d) + " of an array in memory is negative");
}

void Checks::divisor(Operation *op, bool isSigned) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  Type type = y.getType();
  require(compare(arith::CmpIPredicate::ne, y, integer(type, 0)),
          op->getName().getStringRef() + " by zero");
  if (!isSigned)
    return;
  Value least =
      compare(arith::CmpIPredicate::ne, x, integer(type, APInt::getSignedMinValue(widthOf(type))));
  Value notMinusOne = compare(arith::CmpIPredicate::ne, y, integer(type, -1));
  require(b.createOrFold<arith::OrIOp>(loc, least, notMinusOne),
          op->getName().getStringRef() + " of the least number by -1 overflows");
}

void Checks::shift(Operation *op) {
  Value amount = op->getOperand(1);
  unsigned width = widthOf(amount.getType());
  require(compare(arith::CmpIPredicate::ult, amount, integer(amount.getType(), width)),
          op->getName().getStringRef() + " by " + Twine(width) + " bits or more");
}

void Checks::conversion(Operation *op, bool isSigned) {
  Value x = op->getOperand(0);
  auto type = cast<FloatType>(x.getType());
  unsigned width = widthOf(op->getResult(0).getType());
  // The powers of two at the bounds are exact in any float type, or infinite.
  auto power = [&](unsigned exponent, bool negative) -> Value {
    APFloat value = scalbn(APFloat::getOne(type.getFloatSemantics()), static_cast<int>(exponent),
                           APFloat::rmNearestTiesToEven);
    if (negative)
      value.changeSign();
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  Value whole = math::TruncOp::create(b, loc, x);
  Value low = isSigned ? power(width - 1, true)
                       : Value(arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0.0)));
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, whole, low);
  Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, whole,
                                      power(isSigned ? width - 1 : width, false));
  require(both(above, below), op->getName().getStringRef() + " of a number that does not fit");
}

/// Fills elements whose values nobody may use with NaN.
template <typename Op>
void Checks::exposePad(Op op) {
  auto pad = dyn_cast_or_null<PadAttr>(op.getPadAttr());
  if (pad && pad.getValue() == Pad::Any && isa<FloatType>(op.getType().getElementType()))
    op.setPadAttr(PadAttr::get(op.getContext(), Pad::Nan));
}

/// Fills workspace that nobody wrote with NaN, or with the least integer, which is no valid index.
void Checks::expose(memref::AllocOp op) {
  if (op->hasAttr("tile.init"))
    return;
  Type type = op.getType().getElementType();
  TypedAttr init;
  if (auto real = dyn_cast<FloatType>(type))
    init = b.getFloatAttr(type, APFloat::getNaN(real.getFloatSemantics()));
  else if (type.isInteger(1))
    return;
  else
    init = b.getIntegerAttr(type, APInt::getSignedMinValue(widthOf(type)));
  op->setAttr("tile.init", init);
}

void Checks::check(Operation *op) {
  auto scalar = [&](auto) { return op->getResult(0).getType().isIntOrIndex(); };
  b.setInsertionPoint(op);
  loc = op->getLoc();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](memref::LoadOp o) { bounds(o, o.getMemRef(), o.getIndices()); })
      .Case([&](memref::StoreOp o) { bounds(o, o.getMemRef(), o.getIndices()); })
      .Case([&](AssumeOp o) { promise(o); })
      .Case([&](ArrayFromOp o) { sizes(o); })
      .Case([&](LoadOp o) { exposePad(o); })
      .Case([&](GatherOp o) { exposePad(o); })
      .Case([&](scf::ForOp o) {
        Type type = o.getStep().getType();
        require(compare(arith::CmpIPredicate::sgt, o.getStep(), integer(type, 0)),
                "the step of scf.for is not positive");
      })
      .Case<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>([&](auto o) {
        if (scalar(o))
          divisor(o, /*isSigned=*/true);
      })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>([&](auto o) {
        if (scalar(o))
          divisor(o, /*isSigned=*/false);
      })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto o) {
        if (scalar(o))
          shift(o);
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto o) {
        if (scalar(o))
          conversion(o, isa<arith::FPToSIOp>(op));
      });
}

void Checks::run() {
  SmallVector<Operation *> ops;
  for (auto grid : kernel.getBody().getOps<GridOp>())
    grid.getBody().walk([&](Operation *op) {
      // The body of a combiner runs for each element, and what it divides may be padding.
      if (!op->getParentOfType<ReduceOp>() && !op->getParentOfType<ScanOp>())
        ops.push_back(op);
    });
  for (auto alloc : kernel.getBody().getOps<memref::AllocOp>())
    expose(alloc);
  for (Operation *op : ops)
    check(op);
}

namespace {
struct TileInsertChecks : tessera::tile::impl::TileInsertChecksBase<TileInsertChecks> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireBound(kernel)))
      return signalPassFailure();
    if (std::optional<Phase> phase = kernel.getPhase()) {
      kernel.emitOpError("tile-insert-checks is for kernels at L0, this one is at phase ")
          << stringifyPhase(*phase);
      return signalPassFailure();
    }
    Checks(kernel).run();
    checkOverlap(kernel);
  }
};
} // namespace
