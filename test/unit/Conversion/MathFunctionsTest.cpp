// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the GPU's expansions of mathematical functions on the host. Expansions on f64, and all that
// are exact or go through f64, need no instruction that only a GPU has. For the others the host has
// substitutes of the GPU's approximate instructions, with a chosen error. References are the C
// library's functions on 80 bits. A bound is in units of the last place, as MathFunctions.cpp lists
// them.
#include "tessera/Conversion/CtaToNVVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {
/// Replaces calls of the GPU's approximate instructions by exact ones, times `1 + error`.
void standIn(llvm::Module &module, double error) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    bool isRcp = function.getName() == "llvm.nvvm.rcp.approx.ftz.f";
    // Also `.ftz`, and with or without the type.
    bool isEx2 = function.getName().starts_with("llvm.nvvm.ex2.approx");
    if (!isRcp && !isEx2)
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> b(call);
      llvm::Value *x = call->getArgOperand(0), *y = nullptr;
      if (isEx2)
        y = b.CreateUnaryIntrinsic(llvm::Intrinsic::exp2, x);
      else
        y = b.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0), x);
      call->replaceAllUsesWith(b.CreateFMul(y, llvm::ConstantFP::get(y->getType(), 1 + error)));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

/// A function that is expanded and compiled for this machine.
class Compiled {
public:
  /// `signature` has no name, as in "(%x: f64) -> f64"; `body` computes %r.
  Compiled(const std::string &signature, const std::string &body, double error = 0,
           bool contract = true) {
    static bool initialized =
        !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
    EXPECT_TRUE(initialized);
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                    mlir::LLVM::LLVMDialect>();
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    std::string type = signature.substr(signature.rfind(' ') + 1);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "llvm.func @f" + signature + " {\n" + body + "\nllvm.return %r : " + type + "\n}",
        &context);
    if (!module)
      return;
    mlir::PassManager pm(&context);
    tessera::buildThreadCodePipeline(pm);
    if (failed(tessera::expandMathForNVVM(*module, contract)) || failed(pm.run(*module)))
      return;
    auto llvmContext = std::make_unique<llvm::LLVMContext>();
    auto llvmModule = mlir::translateModuleToLLVMIR(*module, *llvmContext);
    if (!llvmModule)
      return;
    standIn(*llvmModule, error);
    jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    llvm::cantFail(jit->addIRModule(
        llvm::orc::ThreadSafeModule(std::move(llvmModule), std::move(llvmContext))));
    address = llvm::cantFail(jit->lookup("f")).toPtr<void *>();
  }
  template <typename F>
  F *get() const {
    EXPECT_TRUE(address) << "the function does not compile";
    return reinterpret_cast<F *>(address);
  }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void *address = nullptr;
};

using Unary = double(double);
using Binary = double(double, double);

Compiled unary(const std::string &op) {
  return Compiled("(%x: f64) -> f64", "%r = math." + op + " %x : f64");
}
Compiled binary(const std::string &op) {
  return Compiled("(%x: f64, %y: f64) -> f64", "%r = " + op + " %x, %y : f64");
}

/// The distance in units of the last place of f64. Below the least normal number, in units of that.
double ulps(double got, long double want) {
  double rounded = static_cast<double>(want);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got))
    return rounded == got ? 0 : INFINITY;
  int exponent = std::max(std::ilogb(rounded == 0 ? 1e-320 : rounded), -1022);
  return static_cast<double>(std::fabs(got - want) / std::ldexp(1.0L, exponent - 52));
}

/// Draws numbers of a range. Half of them have evenly spread exponents down to 2^-40 of it.
class Numbers {
public:
  Numbers(double low, double high) : low(low), high(high) {}
  double operator()() {
    double u = std::uniform_real_distribution<>(0, 1)(random);
    if (random() & 1)
      u = std::exp2(-40 * u);
    return low + (high - low) * u;
  }

private:
  double low, high;
  std::mt19937_64 random{7};
};

constexpr int kSamples = 100000;

void checkUnary(const std::string &op, long double (*reference)(long double), double bound,
                std::vector<std::pair<double, double>> ranges,
                std::vector<std::pair<double, double>> exact) {
  Compiled compiled = unary(op);
  auto *f = compiled.get<Unary>();
  ASSERT_TRUE(f);
  double worst = 0, at = 0;
  for (auto [low, high] : ranges) {
    Numbers next(low, high);
    for (int i = 0; i < kSamples; ++i) {
      double x = next(), error = ulps(f(x), reference(x));
      if (error > worst)
        worst = error, at = x;
    }
  }
  EXPECT_LE(worst, bound) << op << "(" << at << ") = " << f(at) << ", not "
                          << static_cast<double>(reference(at));
  ::testing::Test::RecordProperty(op, std::to_string(worst));
  for (auto [x, want] : exact) {
    double got = f(x);
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(got)) << op << "(" << x << ") = " << got;
    else
      EXPECT_TRUE(got == want && std::signbit(got) == std::signbit(want))
          << op << "(" << x << ") = " << got << ", not " << want;
  }
}

const double kInf = INFINITY, kNaN = NAN, kPi = M_PI;
} // namespace

TEST(MathFunctions, Sine) {
  checkUnary(
      "sin", sinl, 1.0,
      {{-1, 1}, {-100, 100}, {-1048576, 1048576}, {1e6, 2e6}, {-1e22, 1e22}, {1e300, 1.7e308}},
      {{0., 0.}, {-0., -0.}, {kInf, kNaN}, {-kInf, kNaN}, {kNaN, kNaN}, {5e-324, 5e-324}});
}
TEST(MathFunctions, Cosine) {
  checkUnary(
      "cos", cosl, 1.0,
      {{-1, 1}, {-100, 100}, {-1048576, 1048576}, {1e6, 2e6}, {-1e22, 1e22}, {1e300, 1.7e308}},
      {{0., 1.}, {-0., 1.}, {kInf, kNaN}, {-kInf, kNaN}, {kNaN, kNaN}});
}
TEST(MathFunctions, Tangent) {
  checkUnary(
      "tan", tanl, 2.0,
      {{-1, 1}, {-100, 100}, {-1048576, 1048576}, {1e6, 2e6}, {-1e22, 1e22}, {1e300, 1.7e308}},
      {{0., 0.}, {-0., -0.}, {kInf, kNaN}, {kNaN, kNaN}});
}
TEST(MathFunctions, ArgumentsNearMultiplesOfHalfPi) {
  // The numbers of type f64 that are nearest to multiples of pi/2, small and large ones, and the
  // worst number of type f64 (6381956970095103 * 2^797).
  Compiled sine = unary("sin"), cosine = unary("cos");
  auto *s = sine.get<Unary>(), *c = cosine.get<Unary>();
  std::vector<double> xs{std::ldexp(6381956970095103.0, 797)};
  for (int n = 1; n < 5000000; n = n + n / 7 + 1)
    xs.push_back(static_cast<double>(n * (M_PIl / 2)));
  for (double x : xs) {
    EXPECT_LE(ulps(s(x), sinl(x)), 1.0) << x;
    EXPECT_LE(ulps(c(x), cosl(x)), 1.0) << x;
  }
}
TEST(MathFunctions, ArcSine) {
  checkUnary("asin", asinl, 1.0, {{-1, 1}, {0.4999, 0.5001}, {1, 0.9}},
             {{0., 0.},
              {-0., -0.},
              {1, kPi / 2},
              {-1, -kPi / 2},
              {1.0000001, kNaN},
              {-kInf, kNaN},
              {kNaN, kNaN}});
}
TEST(MathFunctions, ArcCosine) {
  checkUnary("acos", acosl, 1.0, {{-1, 1}, {0.4999, 0.5001}, {1, 0.9}, {-1, -0.9}},
             {{1., 0.}, {-1, kPi}, {0, kPi / 2}, {-1.0000001, kNaN}, {kInf, kNaN}, {kNaN, kNaN}});
}
TEST(MathFunctions, ArcTangent) {
  checkUnary("atan", atanl, 1.0, {{-1, 1}, {-10, 10}, {-1e300, 1e300}, {0.43, 0.44}, {2.4, 2.5}},
             {{0., 0.}, {-0., -0.}, {kInf, kPi / 2}, {-kInf, -kPi / 2}, {kNaN, kNaN}});
}
TEST(MathFunctions, InverseHyperbolic) {
  checkUnary("asinh", asinhl, 3.0, {{-1, 1}, {-10, 10}, {1e8, 1e9}, {-1e300, 1e300}},
             {{0., 0.}, {-0., -0.}, {kInf, kInf}, {-kInf, -kInf}, {kNaN, kNaN}});
  checkUnary("acosh", acoshl, 3.0, {{1, 2}, {1, 100}, {1e8, 1e9}, {1, 1e300}},
             {{1., 0.}, {kInf, kInf}, {0.5, kNaN}, {-3, kNaN}, {kNaN, kNaN}});
  checkUnary("atanh", atanhl, 3.0, {{-1, 1}, {0.9, 0.999999}, {-0.01, 0.01}},
             {{0., 0.}, {-0., -0.}, {1, kInf}, {-1, -kInf}, {1.5, kNaN}, {-2, kNaN}, {kNaN, kNaN}});
}
TEST(MathFunctions, ErrorFunction) {
  checkUnary("erf", erfl, 2.0, {{-1, 1}, {-6, 6}, {0.64, 0.66}},
             {{0., 0.}, {-0., -0.}, {kInf, 1.}, {-kInf, -1.}, {7, 1}, {kNaN, kNaN}});
  checkUnary("erfc", erfcl, 4.0, {{-1, 1}, {-6, 6}, {0.64, 0.66}, {5, 27}},
             {{0., 1.}, {kInf, 0.}, {-kInf, 2.}, {28, 0.}, {kNaN, kNaN}});
}
TEST(MathFunctions, Logarithm) {
  checkUnary("log1p", log1pl, 1.0, {{-1, 1}, {-0.001, 0.001}, {0, 1e300}},
             {{0., 0.},
              {-0., -0.},
              {-1, -kInf},
              {-1.5, kNaN},
              {kInf, kInf},
              {kNaN, kNaN},
              {1e-310, 1e-310}});
  checkUnary("log", logl, 1.0, {{0, 2}, {0, 1e300}, {0, 1e-307}},
             {{0., -kInf}, {1., 0.}, {-1, kNaN}, {kInf, kInf}, {kNaN, kNaN}});
}
TEST(MathFunctions, Exponential) {
  checkUnary("exp", expl, 1.0, {{-1, 1}, {-745, 709}},
             {{0., 1.}, {kInf, kInf}, {-kInf, 0.}, {710, kInf}, {kNaN, kNaN}});
  checkUnary("expm1", expm1l, 3.0, {{-1, 1}, {-50, 700}},
             {{0., 0.}, {kInf, kInf}, {-kInf, -1.}, {kNaN, kNaN}});
  checkUnary("tanh", tanhl, 4.0, {{-1, 1}, {-30, 30}},
             {{0., 0.}, {-0., -0.}, {kInf, 1.}, {-kInf, -1.}, {kNaN, kNaN}});
}

/// Compares 1 + tanh(x), or another contracted expression, with what it means. The bound on the
/// relative error, in units of 2^-23, grows with |x|, because e^x has the error of its argument.
static void checkContracted(const std::string &body, long double (*reference)(long double),
                            double bound, double growth, double low, double high) {
  for (double error : {-0x1p-23, 0.0, 0x1p-23}) { // of an approximate instruction
    Compiled compiled("(%x: f32) -> f32", body, error);
    auto *f = compiled.get<float(float)>();
    ASSERT_TRUE(f);
    Numbers next(low, high);
    double worst = 0, at = 0;
    for (int i = 0; i < kSamples; ++i) {
      auto x = static_cast<float>(next());
      long double want = reference(x);
      double excess = static_cast<double>(std::fabs(f(x) - want) / std::fabs(want) * 0x1p23L) /
                      (bound + growth * std::fabs(x));
      if (excess > worst)
        worst = excess, at = x;
    }
    EXPECT_LE(worst, 1.0) << body << "\nat " << at << ": " << f(static_cast<float>(at)) << ", not "
                          << static_cast<double>(reference(at));
    ::testing::Test::RecordProperty("contracted", std::to_string(worst));
    EXPECT_TRUE(std::isnan(f(NAN)));
  }
}

static long double onePlusTanh(long double x) { return 2 / (1 + expl(-2 * x)); }
static long double halfGelu(long double x) { return x / 2 * onePlusTanh(x * 0.75L); }
static long double silu(long double x) { return x / (1 + expl(-x)); }
static long double silu2(long double x) { return x / (1 + exp2l(-x)); }

TEST(MathFunctions, Contractions) {
  const std::string one = "%one = arith.constant 1.0 : f32\n%half = arith.constant 0.5 : f32\n"
                          "%scale = arith.constant 0.75 : f32\n%s = arith.mulf %x, %scale : f32\n";
  checkContracted(one + "%t = math.tanh %x : f32\n%r = arith.addf %one, %t : f32", onePlusTanh, 4,
                  3, -40, 20);
  // The constants of the argument and of the other factor do not count.
  checkContracted(one + "%t = math.tanh %s : f32\n%p = arith.addf %t, %one : f32\n"
                        "%h = arith.mulf %x, %half : f32\n%r = arith.mulf %h, %p : f32",
                  halfGelu, 4, 3, -40, 20);
  checkContracted(one + "%t = math.tanh %s : f32\n%h = arith.mulf %half, %x : f32\n"
                        "%r = math.fma %h, %t, %h : f32",
                  halfGelu, 4, 3, -40, 20);
  checkContracted(one + "%n = arith.negf %x : f32\n%e = math.exp %n : f32\n"
                        "%d = arith.addf %e, %one : f32\n%r = arith.divf %x, %d : f32",
                  silu, 6, 0, -80, 80);
  checkContracted(one + "%n = arith.negf %x : f32\n%e = math.exp2 %n : f32\n"
                        "%d = arith.addf %one, %e : f32\n%r = arith.divf %x, %d : f32",
                  silu2, 6, 0, -120, 120);
}

TEST(MathFunctions, ContractionsHaveTheirLimits) {
  // Divisors beyond 2^126, and infinite ones.
  Compiled quotient("(%x: f32) -> f32",
                    "%one = arith.constant 1.0 : f32\n%y = arith.constant -88.0 : f32\n"
                    "%e = math.exp %x : f32\n%d = arith.addf %e, %one : f32\n"
                    "%r = arith.divf %y, %d : f32");
  auto *q = quotient.get<float(float)>();
  ASSERT_TRUE(q);
  EXPECT_NEAR(q(88.0f) / (-88.0f / (1 + std::exp(88.0))), 1, 1e-6);
  EXPECT_EQ(q(100.0f), 0.0f);
  EXPECT_EQ(q(INFINITY), 0.0f);
  EXPECT_EQ(q(-INFINITY), -88.0f);
  Compiled binary("(%x: f32) -> f32",
                  "%one = arith.constant 1.0 : f32\n%y = arith.constant -88.0 : f32\n"
                  "%e = math.exp2 %x : f32\n%d = arith.addf %e, %one : f32\n"
                  "%r = arith.divf %y, %d : f32");
  auto *b = binary.get<float(float)>();
  ASSERT_TRUE(b);
  // At integers the divisor is exact, the quotient right to 2 units of the last place.
  for (int x = -20; x <= 127; ++x)
    EXPECT_NEAR(b(float(x)) / (-88.0 / (1 + std::exp2(double(x)))), 1, 2.4e-7) << x;
  EXPECT_EQ(b(128.0f), 0.0f);
  EXPECT_EQ(b(-INFINITY), -88.0f);
  EXPECT_TRUE(std::isnan(b(NAN)));
  Compiled infinite("(%x: f32) -> f32", "%one = arith.constant 1.0 : f32\n"
                                        "%t = math.tanh %x : f32\n%r = arith.addf %t, %one : f32");
  auto *f = infinite.get<float(float)>();
  ASSERT_TRUE(f);
  EXPECT_EQ(f(-INFINITY), 0.0f);
  EXPECT_EQ(f(INFINITY), 2.0f);
  EXPECT_EQ(f(0.0f), 1.0f);
  // A factor greater than a half is not doubled, nor one that is not constant, because that could
  // overflow.
  for (const char *factor : {"%h = arith.mulf %x, %c : f32", "%h = arith.addf %x, %x : f32"}) {
    Compiled large("(%x: f32) -> f32", std::string("%one = arith.constant 1.0 : f32\n"
                                                   "%c = arith.constant 2.0 : f32\n") +
                                           factor +
                                           "\n%k = arith.constant 1.0e-38 : f32\n"
                                           "%a = arith.mulf %x, %k : f32\n%t = math.tanh %a : f32\n"
                                           "%p = arith.addf %t, %one : f32\n"
                                           "%r = arith.mulf %h, %p : f32");
    EXPECT_EQ(large.get<float(float)>()(-1.5e38f) < 0, true);
    EXPECT_FALSE(std::isinf(large.get<float(float)>()(-1.5e38f)));
  }
}

TEST(MathFunctions, Angle) {
  Compiled compiled = binary("math.atan2");
  auto *f = compiled.get<Binary>();
  double worst = 0;
  for (double scale : {1.0, 1e-300, 1e300, 1e-310}) {
    Numbers ys(-scale, scale), xs(scale, -scale);
    xs();
    for (int i = 0; i < kSamples; ++i) {
      double y = ys(), x = xs();
      worst = std::max(worst, ulps(f(y, x), atan2l(y, x)));
    }
  }
  EXPECT_LE(worst, 2.0);
  RecordProperty("atan2", std::to_string(worst));
  std::vector<double> edges{0., -0., 1, -1, kInf, -kInf, 5e-324, -5e-324, 1.7e308, -1.7e308, kNaN};
  for (double y : edges)
    for (double x : edges) {
      double got = f(y, x), want = std::atan2(y, x);
      EXPECT_TRUE((std::isnan(got) && std::isnan(want)) ||
                  (std::fabs(got - want) <= 1e-15 * std::fabs(want) &&
                   std::signbit(got) == std::signbit(want)))
          << "atan2(" << y << ", " << x << ") = " << got << ", not " << want;
    }
}

static const std::vector<double> kEdges{0.,
                                        -0.,
                                        1,
                                        -1,
                                        2,
                                        -2,
                                        3,
                                        -3,
                                        0.5,
                                        -0.5,
                                        1.5,
                                        1e9,
                                        -1e9,
                                        1e15,
                                        4503599627370497,
                                        9007199254740991,
                                        INFINITY,
                                        -INFINITY,
                                        5e-324,
                                        -5e-324,
                                        1.7e308,
                                        -1.7e308,
                                        NAN};

TEST(MathFunctions, Power) {
  Compiled compiled = binary("math.powf");
  auto *f = compiled.get<Binary>();
  double worst = 0;
  for (auto [low, high, exponent] :
       {std::tuple{0., 2., 600.}, {0.99, 1.01, 50000.}, {0., 1e300, 1.}, {1., 100., 150.}}) {
    Numbers xs(low, high), ys(-exponent, exponent);
    ys();
    for (int i = 0; i < kSamples; ++i) {
      double x = xs(), y = ys();
      worst = std::max(worst, ulps(f(x, y), powl(x, y)));
    }
  }
  EXPECT_LE(worst, 2.0);
  RecordProperty("powf", std::to_string(worst));
  for (double x : kEdges)
    for (double y : kEdges) {
      double got = f(x, y), want = std::pow(x, y);
      EXPECT_TRUE((std::isnan(got) && std::isnan(want)) ||
                  (ulps(got, want) <= 1 && std::signbit(got) == std::signbit(want)))
          << "pow(" << x << ", " << y << ") = " << got << ", not " << want;
    }
}

TEST(MathFunctions, IntegerPowers) {
  Compiled floats("(%x: f64, %n: i32) -> f64", "%r = math.fpowi %x, %n : f64, i32");
  auto *f = floats.get<double(double, int32_t)>();
  for (double x : kEdges)
    for (int32_t n : {0, 1, -1, 2, 3, -3, 7, 1000, -1001, INT32_MAX, INT32_MIN}) {
      double got = f(x, n), want = std::pow(x, n);
      EXPECT_TRUE((std::isnan(got) && std::isnan(want)) ||
                  (ulps(got, want) <= 1 && std::signbit(got) == std::signbit(want)))
          << x << " ^ " << n << " = " << got << ", not " << want;
    }
  Compiled narrow("(%x: f32, %n: i64) -> f32", "%r = math.fpowi %x, %n : f32, i64");
  auto *g = narrow.get<float(float, int64_t)>();
  EXPECT_EQ(g(-1.0f, (int64_t(1) << 53) + 1), -1.0f); // the exponent is no f64
  EXPECT_EQ(g(1.5f, 3), 3.375f);

  Compiled integers("(%x: i32, %n: i32) -> i32", "%r = math.ipowi %x, %n : i32");
  auto *h = integers.get<int32_t(int32_t, int32_t)>();
  for (int32_t x : {0, 1, -1, 2, -3, 7, 46341, INT32_MAX, INT32_MIN})
    for (int32_t n = 0; n < 40; ++n) {
      uint32_t want = 1;
      for (int32_t i = 0; i < n; ++i)
        want *= static_cast<uint32_t>(x);
      EXPECT_EQ(static_cast<uint32_t>(h(x, n)), want) << x << " ^ " << n;
    }
  for (int32_t n : {-1, -2, -7, INT32_MIN}) {
    EXPECT_EQ(h(1, n), 1);
    EXPECT_EQ(h(-1, n), n & 1 ? -1 : 1);
    EXPECT_EQ(h(2, n), 0);
    EXPECT_EQ(h(-5, n), 0);
  }
  Compiled bytes("(%x: i8, %n: i8) -> i8", "%r = math.ipowi %x, %n : i8");
  EXPECT_EQ(bytes.get<int8_t(int8_t, int8_t)>()(3, 4), 81);
}

TEST(MathFunctions, RemainderIsExact) {
  Compiled wide = binary("arith.remf");
  auto *f = wide.get<Binary>();
  auto check = [&](double x, double y) {
    double got = f(x, y), want = std::fmod(x, y);
    EXPECT_TRUE((std::isnan(got) && std::isnan(want)) ||
                (got == want && std::signbit(got) == std::signbit(want)))
        << "remf(" << x << ", " << y << ") = " << got << ", not " << want;
  };
  for (double x : kEdges)
    for (double y : kEdges)
      check(x, y);
  std::mt19937_64 random(3);
  for (int i = 0; i < kSamples; ++i) {
    // All bit patterns, and pairs with similar exponents.
    uint64_t a = random(), b = random();
    check(llvm::bit_cast<double>(a), llvm::bit_cast<double>(b));
    uint64_t sign = uint64_t(1) << 63, mantissa = (uint64_t(1) << 52) - 1;
    uint64_t near = (a & ~(mantissa | sign)) + (((b >> 3) % 64) << 52);
    check(llvm::bit_cast<double>(a), llvm::bit_cast<double>((near & ~sign) | (b & mantissa)));
  }

  Compiled narrow("(%x: f32, %y: f32) -> f32", "%r = arith.remf %x, %y : f32");
  auto *g = narrow.get<float(float, float)>();
  for (int i = 0; i < kSamples; ++i) {
    float x = llvm::bit_cast<float>(static_cast<uint32_t>(random()));
    float y = llvm::bit_cast<float>(static_cast<uint32_t>(random()));
    float got = g(x, y), want = std::fmod(x, y);
    EXPECT_TRUE((std::isnan(got) && std::isnan(want)) ||
                (got == want && std::signbit(got) == std::signbit(want)))
        << "remf(" << x << ", " << y << ") = " << got << ", not " << want;
  }
}

// Narrow types are computed through f64 and are right but for the last rounding.
TEST(MathFunctions, NarrowThroughWide) {
  for (auto [op, reference, low, high] : {std::tuple<std::string, double (*)(double), float, float>{
                                              "asinh", std::asinh, -1e30f, 1e30f},
                                          {"acosh", std::acosh, 1.f, 1e30f},
                                          {"atanh", std::atanh, -0.9999f, 0.9999f},
                                          {"erfc", std::erfc, -4.f, 9.f},
                                          {"sinh", std::sinh, -80.f, 80.f}}) {
    Compiled compiled("(%x: f32) -> f32", "%r = math." + op + " %x : f32");
    auto *f = compiled.get<float(float)>();
    Numbers next(low, high);
    for (int i = 0; i < kSamples / 10; ++i) {
      float x = static_cast<float>(next());
      double want = reference(x);
      EXPECT_LE(std::fabs(f(x) - want), std::ldexp(1.0, std::max(std::ilogb(want), -126) - 23))
          << op << "(" << x << ")";
    }
  }
}

TEST(MathFunctions, ClampAndBoth) {
  Compiled clamp("(%x: f64) -> f64",
                 "%l = arith.constant -1.0 : f64\n%h = arith.constant 2.0 : f64\n"
                 "%r = math.clampf %x to [%l, %h] : f64");
  auto *f = clamp.get<Unary>();
  EXPECT_EQ(f(-5), -1);
  EXPECT_EQ(f(0.5), 0.5);
  EXPECT_EQ(f(7), 2);
  EXPECT_TRUE(std::isnan(f(kNaN)));
  Compiled both("(%x: f64) -> f64", "%s, %c = math.sincos %x : f64\n%r = arith.divf %s, %c : f64");
  EXPECT_NEAR(both.get<Unary>()(1.25), std::tan(1.25), 1e-15);
}
