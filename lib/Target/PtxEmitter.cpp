// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/PtxEmitter.h"

#include "OptimizeLLVM.h"
#include "RegisterTargets.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace tessera;

void tessera::registerPtxTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static std::unique_ptr<llvm::TargetMachine> makeTargetMachine(Location loc,
                                                              const PtxOptions &options) {
  registerTargets();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(loc, "this LLVM cannot generate PTX: ") << error;
    return nullptr;
  }
  auto level = llvm::CodeGenOpt::getLevel(static_cast<int>(std::min(options.optLevel, 3u)));
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.chip, options.features, llvm::TargetOptions(), std::nullopt, std::nullopt,
      level.value_or(llvm::CodeGenOptLevel::Aggressive)));
  if (!machine)
    emitError(loc, "no LLVM target machine for ") << options.chip << " " << options.features;
  return machine;
}

namespace {
/// While it lives, turns LLVM's diagnostics into MLIR's. LLVM's own handler would end the process.
class DiagnosticScope {
public:
  DiagnosticScope(llvm::LLVMContext &context, Location loc)
      : context(context), previous(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<Handler>(*this, loc));
  }
  ~DiagnosticScope() { context.setDiagnosticHandler(std::move(previous)); }
  bool failed() const { return sawError; }

private:
  struct Handler : llvm::DiagnosticHandler {
    Handler(DiagnosticScope &scope, Location loc) : scope(scope), loc(loc) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
      std::string text;
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      if (info.getSeverity() == llvm::DS_Error) {
        scope.sawError = true;
        emitError(loc, "LLVM: ") << text;
      } else if (info.getSeverity() == llvm::DS_Warning) {
        emitWarning(loc, "LLVM: ") << text;
      }
      return true;
    }
    DiagnosticScope &scope;
    Location loc;
  };

  llvm::LLVMContext &context;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
  bool sawError = false;
};
} // namespace

unsigned tessera::markInlineAsmConvergent(llvm::Module &module) {
  unsigned count = 0;
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallBase>(&inst); call && call->isInlineAsm()) {
        call->setConvergent();
        ++count;
      }
  return count;
}

std::unique_ptr<llvm::Module> tessera::translateForPtx(ModuleOp module, llvm::LLVMContext &context,
                                                       const PtxOptions &options) {
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(module.getLoc(), options);
  if (!machine)
    return nullptr;
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, module.getName().value_or("tessera"));
  if (!result)
    return nullptr;
  result->setTargetTriple(machine->getTargetTriple());
  result->setDataLayout(machine->createDataLayout());
  markInlineAsmConvergent(*result);
  return result;
}

/// Erases tests of mbarriers whose results are not used: an early test of a loop that LLVM has
/// found not to go on. They are inline assembly that orders memory, which no pass of LLVM erases.
static void eraseUnusedTests(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *call = dyn_cast<llvm::CallBase>(&inst); call && call->use_empty())
        if (auto *text = dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
            text && text->getAsmString().starts_with("mbarrier.test_wait."))
          call->eraseFromParent();
}

LogicalResult tessera::optimizeForPtx(llvm::Module &module, Location loc,
                                      const PtxOptions &options) {
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(loc, options);
  if (!machine)
    return failure();
  DiagnosticScope diagnostics(module.getContext(), loc);
  // A switch that LLVM turns into a table in memory needs a load, where a few selects are enough.
  // This is a non-coherent load, which tile-ptx-check refuses in dependent launches.
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("no-jump-tables", "true");
  optimizeLLVM(module, *machine, options.optLevel, {}, options.stop);
  eraseUnusedTests(module);
  return failure(diagnostics.failed());
}

/// Refuses intrinsics for which the back end would call a library, or end the process. The GPU has
/// no such library, so the lowering must have expanded them.
static LogicalResult checkIntrinsics(llvm::Module &module, Location loc) {
  bool bad = false;
  for (llvm::Function &function : module) {
    switch (function.getIntrinsicID()) {
    case llvm::Intrinsic::acos:
    case llvm::Intrinsic::asin:
    case llvm::Intrinsic::atan:
    case llvm::Intrinsic::atan2:
    case llvm::Intrinsic::cosh:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp10:
    case llvm::Intrinsic::frexp:
    case llvm::Intrinsic::ldexp:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::sinh:
    case llvm::Intrinsic::tan:
    case llvm::Intrinsic::tanh:
      break;
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::sin: {
      // For calls that allow approximation there are approximate instructions.
      bool allApproximate = llvm::all_of(function.users(), [](llvm::User *user) {
        auto *math = dyn_cast<llvm::FPMathOperator>(user);
        return math && math->hasApproxFunc();
      });
      if (allApproximate)
        continue;
      break;
    }
    default:
      continue;
    }
    if (function.use_empty())
      continue;
    emitError(loc, "LLVM: '") << function.getName().str()
                              << "' has no instruction on the GPU and was not expanded";
    bad = true;
  }
  return failure(bad);
}

namespace {
/// Leaves out LLVM's straight-line strength reduction for fallbacks. In kernels that address single
/// elements its time grows with the square of their number, and ptxas makes the same code.
class LessEffort : public StopGate {
public:
  LessEffort(llvm::LLVMContext &context, const PtxOptions &options)
      : StopGate(context, options.stop), fallbacks(options.fallbacks) {}
  bool shouldRunPass(StringRef pass, StringRef unit) const override {
    // The text is "function (gemm_any_0)".
    return StopGate::shouldRunPass(pass, unit) &&
           (pass != "slsr" || !fallbacks.count(unit.split('(').second.split(')').first.str()));
  }

private:
  const std::set<std::string> &fallbacks;
};
} // namespace

/// Works around a bug of LLVM 22: `sitofp i1 to bfloat` of true must be -1.0. LLVM makes +1.0 of it
/// if the predicate comes from another block, and -1.0 only if a comparison precedes it.
static void selectSignedPredicates(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *convert = dyn_cast<llvm::SIToFPInst>(&inst);
      llvm::Type *type = inst.getType();
      if (!convert || !type->getScalarType()->isBFloatTy() ||
          !convert->getSrcTy()->isIntOrIntVectorTy(1))
        continue;
      auto *select =
          llvm::SelectInst::Create(convert->getOperand(0), llvm::ConstantFP::get(type, -1.0),
                                   llvm::ConstantFP::get(type, 0.0), "", convert->getIterator());
      convert->replaceAllUsesWith(select);
      convert->eraseFromParent();
    }
}

/// Works around a bug of ptxas 13.0. LLVM moves the extensions of operands that are the same in all
/// iterations out of a loop, and then does not see that the upper half of a 64-bit product is that
/// of one of 32 bits. From `mul.lo.s64` and `mov.b64 {_, %high}`, ptxas makes n * high(m * d) of
/// high(n * m) * d, so that output tiles got the coordinates of others. It leaves `mul.hi.u32` as
/// it is.
static void multiplyHighHalves(llvm::Module &module) {
  using namespace llvm::PatternMatch;
  llvm::Type *i32 = llvm::Type::getInt32Ty(module.getContext());
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value *a, *b;
      if (!inst.getType()->isIntegerTy(64) ||
          !match(&inst, m_LShr(m_Mul(m_ZExt(m_Value(a)), m_ZExt(m_Value(b))), m_SpecificInt(32))) ||
          a->getType() != i32 || b->getType() != i32)
        continue;
      llvm::IRBuilder<> builder(&inst);
      llvm::Value *high = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_mulhi_ui, {}, {a, b});
      inst.replaceAllUsesWith(builder.CreateZExt(high, inst.getType()));
      inst.eraseFromParent();
    }
}

FailureOr<std::string> tessera::emitPtx(llvm::Module &module, Location loc,
                                        const PtxOptions &options) {
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(loc, options);
  if (!machine)
    return failure();
  if (failed(checkIntrinsics(module, loc)))
    return failure();
  selectSignedPredicates(module);
  multiplyHighHalves(module);
  DiagnosticScope diagnostics(module.getContext(), loc);
  llvm::SmallString<0> text;
  {
    llvm::raw_svector_ostream stream(text);
    LessEffort gate(module.getContext(), options);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                     llvm::CodeGenFileType::AssemblyFile)) {
      emitError(loc, "LLVM's NVPTX back end cannot emit assembly");
      return failure();
    }
    passes.run(module);
  }
  if (diagnostics.failed())
    return failure();
  return std::string(text);
}
