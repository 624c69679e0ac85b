// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops of a dialect that is not ours, in kernels: their lowerings, and what is said without one. The
// first part is the example of docs/Embedding.md, word for word (test/Docs/quoted.test).
#include "tessera/Compiler.h"
#include "tessera/Conversion/CtaToNVVM.h"
#include "tessera/Conversion/CtaToNVVMInterface.h"
#include "tessera/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

//===--- a dialect, as its tables would be generated ------------------------------------------===//

namespace host {
class HostDialect : public mlir::Dialect {
public:
  explicit HostDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "host"; }
};

/// host.fast_tanh: a hyperbolic tangent of each element, of low accuracy.
class FastTanhOp
    : public mlir::Op<FastTanhOp, mlir::OpTrait::OneTypedResult<mlir::Type>::Impl,
                      mlir::OpTrait::OneOperand, mlir::OpTrait::ZeroRegions,
                      mlir::OpTrait::SameOperandsAndResultType, mlir::OpTrait::Elementwise,
                      mlir::OpTrait::Scalarizable, mlir::OpTrait::Vectorizable,
                      mlir::OpTrait::Tensorizable, mlir::MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "host.fast_tanh"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  void getEffects(
      llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &) {}
};

/// host.negate_odd: changes the sign of what is in odd columns. Not elementwise: what happens to an
/// element depends on its place.
class NegateOddOp : public mlir::Op<NegateOddOp, mlir::OpTrait::OneTypedResult<mlir::Type>::Impl,
                                    mlir::OpTrait::OneOperand, mlir::OpTrait::ZeroRegions,
                                    mlir::OpTrait::SameOperandsAndResultType,
                                    mlir::MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "host.negate_odd"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  void getEffects(
      llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &) {}
};

HostDialect::HostDialect(mlir::MLIRContext *context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<HostDialect>()) {
  addOperations<FastTanhOp, NegateOddOp>();
}
} // namespace host

//===--- the example --------------------------------------------------------------------------===//

using namespace mlir;
using tessera::nvvm::LoweringContext;

static LogicalResult lowerFastTanh(host::FastTanhOp op, LoweringContext &context) {
  SmallVector<Value> results;
  for (Value x : context.registers(op->getOperand(0)))
    results.push_back(context.inlinePtx(op.getLoc(), x.getType(), "tanh.approx.f32 $0, $1;", x));
  return context.setRegisters(op->getResult(0), results);
}

namespace {
struct HostToNVVM : tessera::nvvm::ConvertCtaToNVVMInterface {
  using ConvertCtaToNVVMInterface::ConvertCtaToNVVMInterface;
  void populateLowerings(tessera::nvvm::LoweringSet &lowerings) const override {
    lowerings.add<host::FastTanhOp>(lowerFastTanh);
  }
};
} // namespace

static void registerHost(DialectRegistry &registry) {
  registry.insert<host::HostDialect>();
  registry.addExtension(
      +[](MLIRContext *, host::HostDialect *dialect) { dialect->addInterfaces<HostToNVVM>(); });
}

//===--- through the compiler -----------------------------------------------------------------===//

/// A kernel in phase raw with an op on tiles of 64 x 64.
static std::string rawKernel(const std::string &op) {
  return R"(
tile.kernel @act(%x: memref<128x128xf32>, %y: memref<128x128xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (128, 128) step (64, 64) {
    %a = cta.load %x[%i, %j] : memref<128x128xf32> -> tensor<64x64xf32>
    %b = arith.addf %a, %a : tensor<64x64xf32>
    %c = ")" +
         op + R"("(%b) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %d = arith.addf %c, %a : tensor<64x64xf32>
    cta.store %d, %y[%i, %j] : tensor<64x64xf32> -> memref<128x128xf32>
  }
  tile.return
}
)";
}

static std::string errorsOf(const tessera::CompileResult &result, const std::string &source) {
  return tessera::formatDiagnostics(result.diagnostics, source);
}

static size_t count(const std::string &text, const std::string &part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

TEST(OwnOps, ElementwiseOpFromRawToPtx) {
  tessera::CompileOptions options;
  options.emit = tessera::Emit::Ptx;
  options.registerDialects = registerHost;
  std::string source = rawKernel("host.fast_tanh");
  tessera::CompileResult result = tessera::compile(source, options);
  ASSERT_TRUE(result.ok) << errorsOf(result, source);
  // 64 x 64 elements are 32 registers in each of 128 threads.
  EXPECT_EQ(count(result.artifact, "tanh.approx.f32"), 32u);
}

TEST(OwnOps, WithoutLowering) {
  tessera::CompileOptions options;
  options.emit = tessera::Emit::Ptx;
  options.registerDialects = [](DialectRegistry &registry) {
    registry.insert<host::HostDialect>();
  };
  std::string source = rawKernel("host.fast_tanh");
  tessera::CompileResult result = tessera::compile(source, options);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(errorsOf(result, source)
                .find("<source>:6:10: error: op has no lowering to the GPU; a dialect gives its "
                      "ops one by ConvertCtaToNVVMInterface (docs/Embedding.md)"),
            std::string::npos)
      << errorsOf(result, source);
}

TEST(OwnOps, WithoutDialect) {
  std::string source = rawKernel("host.fast_tanh");
  tessera::CompileResult result = tessera::compile(source);
  EXPECT_FALSE(result.ok);
}

/// cta-verify cannot know which layout such an op wants, or whether it may be cut in parts.
TEST(OwnOps, OthersThanElementwiseAreRefused) {
  tessera::CompileOptions options;
  options.registerDialects = registerHost;
  std::string source = rawKernel("host.negate_odd");
  tessera::CompileResult result = tessera::compile(source, options);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(errorsOf(result, source)
                .find("breaks phase placed: ops of dialect 'host' have no meaning below L0, unless "
                      "they are elementwise and have no effects"),
            std::string::npos)
      << errorsOf(result, source);
}

//===--- the conversion alone -----------------------------------------------------------------===//

namespace {
/// An interface that takes its lowerings from outside.
struct GivenLowerings : tessera::nvvm::ConvertCtaToNVVMInterface {
  using Populate = std::function<void(tessera::nvvm::LoweringSet &)>;
  GivenLowerings(Dialect *dialect, Populate populate)
      : ConvertCtaToNVVMInterface(dialect), populate(std::move(populate)) {}
  void populateLowerings(tessera::nvvm::LoweringSet &lowerings) const override {
    populate(lowerings);
  }
  Populate populate;
};

/// A launch with one op on tiles of 32 x 16, four elements of a row in a thread, and what the
/// conversion makes of it.
class Converted {
public:
  Converted(const std::string &op, const GivenLowerings::Populate &populate) {
    DialectRegistry registry;
    tessera::registerTesseraDialects(registry);
    registry.insert<host::HostDialect>();
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    auto *dialect = context.getLoadedDialect<host::HostDialect>();
    dialect->addInterface(std::make_unique<GivenLowerings>(dialect, populate));
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return success();
    });
    auto module = parseSourceString<ModuleOp>(R"(
#l = #cta.frag<regs = [[0, 1], [0, 2]], lanes = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warps = [[8, 0], [16, 0]]>
tile.kernel @k(%x: memref<32x16xf32>) attributes {phase = #tile.phase<allocated>} {
  cta.launch @launch blocks() {
    %c0 = arith.constant 0 : index
    %a = cta.load %x[%c0, %c0] {vector = 4 : i64} : memref<32x16xf32> -> tensor<32x16xf32, #l>
    %b = )" + op + R"( : (tensor<32x16xf32, #l>) -> tensor<32x16xf32, #l>
    cta.store %b, %x[%c0, %c0] {vector = 4 : i64} : tensor<32x16xf32, #l> -> memref<32x16xf32>
  }
  tile.return
}
)",
                                              &context);
    ok = module && succeeded(tessera::convertCtaToNVVM(*module)) && succeeded(verify(*module));
    if (!ok)
      return;
    llvm::raw_string_ostream os(text);
    module->print(os);
  }

  bool ok = false;
  std::string errors, text;
};
} // namespace

TEST(OwnOps, PlaceOfElements) {
  auto negateOdd = [](host::NegateOddOp op, LoweringContext &context) {
    OpBuilder &b = context.builder();
    Value tile = op->getOperand(0);
    SmallVector<Value> results;
    for (auto [x, column, held] :
         llvm::zip_equal(context.registers(tile), context.coordinates(tile, /*dim=*/1),
                         context.holdsElement(tile))) {
      EXPECT_FALSE(held); // no register of this layout is unused
      Value odd = arith::TruncIOp::create(b, op.getLoc(), b.getI1Type(), column);
      Value negated = arith::NegFOp::create(b, op.getLoc(), x);
      results.push_back(arith::SelectOp::create(b, op.getLoc(), odd, negated, x));
    }
    return context.setRegisters(op->getResult(0), results);
  };
  Converted converted(R"("host.negate_odd"(%a))", [&](tessera::nvvm::LoweringSet &lowerings) {
    lowerings.add<host::NegateOddOp>(negateOdd);
  });
  ASSERT_TRUE(converted.ok) << converted.errors;
  EXPECT_EQ(count(converted.text, "arith.negf"), 4u);
  EXPECT_EQ(count(converted.text, "arith.select"), 4u);
  EXPECT_EQ(converted.text.find("host."), std::string::npos);
}

TEST(OwnOps, OtherThreads) {
  auto fromNextLane = [](Operation *op, LoweringContext &context) {
    SmallVector<Value> results;
    for (Value x : context.registers(op->getOperand(0)))
      results.push_back(context.shuffleXor(x, 1));
    return context.setRegisters(op->getResult(0), results);
  };
  Converted converted(R"("host.negate_odd"(%a))", [&](tessera::nvvm::LoweringSet &lowerings) {
    lowerings.add("host.negate_odd", fromNextLane);
  });
  ASSERT_TRUE(converted.ok) << converted.errors;
  EXPECT_EQ(count(converted.text, "nvvm.shfl.sync"), 4u);
}

/// A lowering for an op of another dialect goes before the one for all arithmetic.
TEST(OwnOps, ReplacesALowering) {
  unsigned calls = 0;
  auto lowerTanh = [&](math::TanhOp op, LoweringContext &context) {
    ++calls;
    return context.setRegisters(op.getResult(), context.registers(op.getOperand()));
  };
  Converted converted(
      R"("math.tanh"(%a) <{fastmath = #arith.fastmath<none>}>)",
      [&](tessera::nvvm::LoweringSet &lowerings) { lowerings.add<math::TanhOp>(lowerTanh); });
  ASSERT_TRUE(converted.ok) << converted.errors;
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(converted.text.find("nvvm.ex2"), std::string::npos);

  Converted ours(R"("math.tanh"(%a) <{fastmath = #arith.fastmath<none>}>)",
                 [](tessera::nvvm::LoweringSet &) {});
  ASSERT_TRUE(ours.ok) << ours.errors;
  EXPECT_NE(ours.text.find("nvvm.ex2"), std::string::npos);
}

TEST(OwnOps, WrongRegisters) {
  auto tooFew = [](host::NegateOddOp op, LoweringContext &context) {
    return context.setRegisters(op->getResult(0),
                                context.registers(op->getOperand(0)).drop_front(2));
  };
  Converted converted(R"("host.negate_odd"(%a))", [&](tessera::nvvm::LoweringSet &lowerings) {
    lowerings.add<host::NegateOddOp>(tooFew);
  });
  EXPECT_FALSE(converted.ok);
  EXPECT_NE(converted.errors.find("its lowering sets other registers than 'tensor<32x16xf32"),
            std::string::npos)
      << converted.errors;
  EXPECT_NE(converted.errors.find("has: 'f32', 'f32' instead of 'f32', 'f32', 'f32', 'f32'"),
            std::string::npos)
      << converted.errors;
}

TEST(OwnOps, ForgottenResult) {
  auto nothing = [](host::NegateOddOp, LoweringContext &) { return success(); };
  Converted converted(R"("host.negate_odd"(%a))", [&](tessera::nvvm::LoweringSet &lowerings) {
    lowerings.add<host::NegateOddOp>(nothing);
  });
  EXPECT_FALSE(converted.ok);
  EXPECT_EQ(converted.errors,
            "its lowering has not said what result 0 is: call LoweringContext::setRegisters\n");
}
