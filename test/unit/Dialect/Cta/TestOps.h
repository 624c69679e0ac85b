// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A dialect of another project, `test`, whose ops live among those of `cta`: no pass of ours knows
// them, only the interfaces that they implement.
#ifndef TESSERA_TEST_UNIT_DIALECT_CTA_TESTOPS_H
#define TESSERA_TEST_UNIT_DIALECT_CTA_TESTOPS_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::test {

/// What all ops of the dialect have: one result, and no memory effects.
template <typename Concrete, template <typename> class... Traits>
class TestOp : public mlir::Op<Concrete, mlir::OpTrait::OneResult, mlir::OpTrait::ZeroRegions,
                               mlir::OpTrait::ZeroSuccessors, mlir::MemoryEffectOpInterface::Trait,
                               Traits...> {
public:
  using mlir::Op<Concrete, mlir::OpTrait::OneResult, mlir::OpTrait::ZeroRegions,
                 mlir::OpTrait::ZeroSuccessors, mlir::MemoryEffectOpInterface::Trait,
                 Traits...>::Op;
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  void getEffects(llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &) {}
};

/// Reads a shared tile twice, by all threads.
class ReadTwiceOp
    : public TestOp<ReadTwiceOp, mlir::OpTrait::OneOperand, cta::MemoryAccessOpInterface::Trait,
                    cta::CostOpInterface::Trait> {
public:
  using TestOp::TestOp;
  static llvm::StringRef getOperationName() { return "test.read_twice"; }
  cta::MemoryAccesses getMemoryAccesses() { return {cta::MemoryAccess{getOperand()}}; }
  cta::WorkClass getWorkClass() { return cta::WorkClass::Memory; }
  cta::OpCost getCost(const cta::CostContext &context) {
    return cta::sharedAccessCost(1024 * context.warpgroups) * 2;
  }
};

/// Fills a shared tile of its own, by all threads.
class FillOp
    : public TestOp<FillOp, mlir::OpTrait::ZeroOperands, cta::MemoryAccessOpInterface::Trait,
                    cta::SharedBufferOpInterface::Trait> {
public:
  using TestOp::TestOp;
  static llvm::StringRef getOperationName() { return "test.fill"; }
  cta::MemoryAccesses getMemoryAccesses() {
    return {cta::MemoryAccess{getOperation()->getResult(0), /*write=*/true}};
  }
  cta::SmemType getBufferType() {
    return llvm::cast<cta::SmemType>(getOperation()->getResult(0).getType());
  }
};

/// Uses a shared tile, but says nothing about that.
class PeekOp : public TestOp<PeekOp, mlir::OpTrait::OneOperand> {
public:
  using TestOp::TestOp;
  static llvm::StringRef getOperationName() { return "test.peek"; }
};

/// The coordinates along the last dimension from `first` on, which it can compute for any columns.
class RampOp
    : public TestOp<RampOp, mlir::OpTrait::ZeroOperands, cta::SliceableOpInterface::Trait> {
public:
  using TestOp::TestOp;
  static llvm::StringRef getOperationName() { return "test.ramp"; }
  int64_t getFirst() { return getOperation()->getAttrOfType<mlir::IntegerAttr>("first").getInt(); }
  mlir::Value sliceResult(mlir::OpBuilder &b, mlir::OpResult result, cta::TileSlice slice,
                          cta::TileSlicer &) {
    mlir::OperationState state(getLoc(), getOperationName());
    state.addTypes(cta::slicedType(result.getType(), slice));
    state.addAttribute("first", b.getI64IntegerAttr(getFirst() + slice.from));
    return b.create(state)->getResult(0);
  }
};

/// The same, but it can compute all columns only, and knows nothing of its cost.
class NoiseOp : public TestOp<NoiseOp, mlir::OpTrait::ZeroOperands> {
public:
  using TestOp::TestOp;
  static llvm::StringRef getOperationName() { return "test.noise"; }
};

class TestDialect : public mlir::Dialect {
public:
  explicit TestDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<TestDialect>()) {
    addOperations<ReadTwiceOp, FillOp, PeekOp, RampOp, NoiseOp>();
  }
  static llvm::StringRef getDialectNamespace() { return "test"; }
};

} // namespace tessera::test

#endif
