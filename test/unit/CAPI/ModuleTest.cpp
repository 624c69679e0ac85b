// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A host of MLIR's C interface: the dialects of Tessera in its context, and its modules compiled.
#include "tessera-c/Module.h"
#include "tessera-c/Dialects.h"
#include "tessera/Conversion/CtaToNVVMInterface.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

using namespace mlir;

//===--- a dialect of the host ----------------------------------------------------------------===//

namespace host {
/// host.fast_tanh: a hyperbolic tangent of each element, of low accuracy.
class FastTanhOp : public Op<FastTanhOp, OpTrait::OneTypedResult<Type>::Impl, OpTrait::OneOperand,
                             OpTrait::ZeroRegions, OpTrait::SameOperandsAndResultType,
                             OpTrait::Elementwise, OpTrait::Scalarizable, OpTrait::Vectorizable,
                             OpTrait::Tensorizable, MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "host.fast_tanh"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  void getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}
};

struct ToNVVM : tessera::nvvm::ConvertCtaToNVVMInterface {
  using ConvertCtaToNVVMInterface::ConvertCtaToNVVMInterface;
  void populateLowerings(tessera::nvvm::LoweringSet &lowerings) const override {
    lowerings.add<FastTanhOp>([](FastTanhOp op, tessera::nvvm::LoweringContext &context) {
      SmallVector<Value> results;
      for (Value x : context.registers(op->getOperand(0)))
        results.push_back(NVVM::InlinePtxOp::create(context.builder(), op.getLoc(), x.getType(), x,
                                                    {}, "tanh.approx.f32 $0, $1;", Value())
                              ->getResult(0));
      return context.setRegisters(op->getResult(0), results);
    });
  }
};

class HostDialect : public Dialect {
public:
  explicit HostDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<HostDialect>()) {
    addOperations<FastTanhOp>();
    addInterfaces<ToNVVM>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "host"; }
};
} // namespace host

//===--- the host -----------------------------------------------------------------------------===//

namespace {

const char *const kFill = R"(
tile.kernel @fill(%y: memref<?xf32> {tile.shape = ["N"]}, %value: f32) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (64) {
    %t = tile.broadcast %value dims = [] : f32 -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32> -> memref<?xf32>
  }
  tile.return
}
)";
const char *const kTanh = R"(
tile.kernel @act(%x: memref<128x128xf32>, %y: memref<128x128xf32>) attributes {phase = #tile.phase<raw>, warpgroups = 1} {
  tile.grid (%i, %j) = (0, 0) to (128, 128) step (64, 64) {
    %a = cta.load %x[%i, %j] : memref<128x128xf32> -> tensor<64x64xf32>
    %b = "host.fast_tanh"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    cta.store %b, %y[%i, %j] : tensor<64x64xf32> -> memref<128x128xf32>
  }
  tile.return
}
)";
/// A kernel whose tile is too large.
const char *const kBad = R"(
tile.kernel @bad(%x: memref<?xf32> {tile.shape = ["N"]}) {
  tile.grid (%i) = (0) to (64) step (4294967296) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<4294967296xf32>
    tile.store %a, %x[%i] : tensor<4294967296xf32> -> memref<?xf32>
  }
  tile.return
}
)";

void append(MlirStringRef part, void *text) {
  static_cast<std::string *>(text)->append(part.data, part.length);
}

class ModuleTest : public testing::Test {
protected:
  ModuleTest() : context(mlirContextCreate()), options(tessera_options_create()) {
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
    mlirDialectHandleInsertDialect(mlirGetDialectHandle__cta__(), registry);
    unwrap(registry)->insert<host::HostDialect>();
    mlirContextAppendDialectRegistry(context, registry);
    mlirDialectRegistryDestroy(registry);
    mlirContextLoadAllAvailableDialects(context);
    tessera_options_set(options, "emit", "ptx");
  }
  ~ModuleTest() override {
    if (!mlirModuleIsNull(module))
      mlirModuleDestroy(module);
    tessera_result_destroy(result);
    tessera_options_destroy(options);
    mlirContextDestroy(context);
  }
  void parse(const char *text) {
    module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
    ASSERT_FALSE(mlirModuleIsNull(module));
  }
  void compile() { result = tessera_compile_module(module, options); }
  std::string print() {
    std::string text;
    mlirOperationPrint(mlirModuleGetOperation(module), append, &text);
    return text;
  }
  static std::string artifactOf(const tessera_result *result) {
    return {static_cast<const char *>(tessera_result_artifact(result)),
            tessera_result_artifact_size(result)};
  }

  MlirContext context;
  MlirModule module = {nullptr};
  tessera_options *options;
  tessera_result *result = nullptr;
};

TEST_F(ModuleTest, HandlesOfDialects) {
  EXPECT_TRUE(
      mlirContextIsRegisteredOperation(context, mlirStringRefCreateFromCString("tile.grid")));
  EXPECT_TRUE(
      mlirContextIsRegisteredOperation(context, mlirStringRefCreateFromCString("cta.wgmma")));
  EXPECT_FALSE(mlirContextIsRegisteredOperation(context, mlirStringRefCreateFromCString("tile.x")));
}

TEST_F(ModuleTest, IsCompiledLikeItsText) {
  parse(kFill);
  const std::string before = print();
  compile();
  ASSERT_TRUE(tessera_result_ok(result)) << tessera_result_diagnostics(result);
  tessera_result *ofText = tessera_compile(kFill, strlen(kFill), options);
  ASSERT_TRUE(tessera_result_ok(ofText)) << tessera_result_diagnostics(ofText);
  EXPECT_EQ(artifactOf(result), artifactOf(ofText));
  tessera_result_destroy(ofText);
  EXPECT_EQ(print(), before);
}

TEST_F(ModuleTest, IsFoundInTheCacheByItsKey) {
  llvm::SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("module", directory));
  parse(kTanh);
  ASSERT_EQ(tessera_options_set(options, "cache-dir", directory.c_str()), 0);
  auto isCached = [&] {
    tessera_result *result = tessera_compile_module(module, options);
    EXPECT_TRUE(tessera_result_ok(result)) << tessera_result_diagnostics(result);
    const bool cached = tessera_result_cached(result);
    tessera_result_destroy(result);
    return cached;
  };
  EXPECT_FALSE(isCached());
  EXPECT_FALSE(isCached()) << "the library does not know the host's dialects";
  ASSERT_EQ(tessera_options_set(options, "cache-key", "host 1"), 0);
  EXPECT_FALSE(isCached());
  EXPECT_TRUE(isCached());
  ASSERT_EQ(tessera_options_set(options, "cache-key", "host 2"), 0);
  EXPECT_FALSE(isCached());
  llvm::sys::fs::remove_directories(directory);
}

TEST_F(ModuleTest, OpsOfTheHost) {
  parse(kTanh);
  compile();
  ASSERT_TRUE(tessera_result_ok(result)) << tessera_result_diagnostics(result);
  EXPECT_NE(artifactOf(result).find("tanh.approx.f32"), std::string::npos);
}

TEST_F(ModuleTest, MembersByName) {
  parse(R"(
tile.kernel @fill(%y: memref<?xf32>) {
  %W = tile.param "W" [128, 256, 512] : index
  %zero = arith.constant 0 : index
  %n = memref.dim %y, %zero : memref<?xf32>
  tile.grid (%i) = (0) to (%n) step (%W) {
    %one = arith.constant 1.0 : f32
    %t = tensor.splat %one[%W] : tensor<?xf32>
    tile.store %t, %y[%i] : tensor<?xf32> -> memref<?xf32>
  }
  tile.return
}
)");
  ASSERT_EQ(tessera_options_set(options, "member", "fill: W=512"), 0);
  ASSERT_EQ(tessera_options_set(options, "member", "fill: W=128"), 0);
  compile();
  ASSERT_TRUE(tessera_result_ok(result)) << tessera_result_diagnostics(result);
  const std::string artifact = artifactOf(result);
  EXPECT_NE(artifact.find(".entry fill_W128_aligned_0"), std::string::npos);
  EXPECT_NE(artifact.find(".entry fill_W512_aligned_0"), std::string::npos);
  EXPECT_EQ(artifact.find("fill_W256"), std::string::npos);
  tessera_result_destroy(result);
  ASSERT_EQ(tessera_options_set(options, "member", "fill: W=64"), 0);
  compile();
  EXPECT_FALSE(tessera_result_ok(result));
  EXPECT_NE(std::string(tessera_result_diagnostics(result)).find("its choices are 128, 256, 512"),
            std::string::npos)
      << tessera_result_diagnostics(result);
}

TEST_F(ModuleTest, ErrorsHavePlaces) {
  parse(kBad);
  compile();
  EXPECT_FALSE(tessera_result_ok(result));
  ASSERT_GE(tessera_result_error_count(result), 1u);
  unsigned line = 0, column = 0;
  EXPECT_NE(std::string(tessera_result_error(result, 0, &line, &column)).find("a tile of type"),
            std::string::npos)
      << tessera_result_diagnostics(result);
  EXPECT_EQ(line, 4u);
  EXPECT_EQ(tessera_result_artifact_size(result), 0u);
}

TEST_F(ModuleTest, Null) {
  compile();
  EXPECT_FALSE(tessera_result_ok(result));
  ASSERT_EQ(tessera_result_error_count(result), 1u);
  EXPECT_STREQ(tessera_result_error(result, 0, nullptr, nullptr),
               "there is no module to compile: it is null");
  parse(kFill);
  tessera_result *withoutOptions = tessera_compile_module(module, nullptr);
  EXPECT_EQ(tessera_result_artifact_size(withoutOptions) != 0,
            tessera_result_ok(withoutOptions) != 0);
  tessera_result_destroy(withoutOptions);
}

} // namespace
