// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gpu/PtxasPolicies.h"

#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tessera;

/// A dictionary on the module, with the policy of each function that is not the default one. Only
/// this file reads it. Functions that are not in it are judged like those of a kernel that demands
/// nothing.
constexpr llvm::StringLiteral kPoliciesAttr = "tile.ptxas_policies";
constexpr llvm::StringLiteral kFallbackEntry = "fallback", kNoSpillsEntry = "no_spills",
                              kBlocksEntry = "planned_blocks", kFewerEntry = "fewer_blocks",
                              kKernelEntry = "kernel";

/// Adds what the options of this compilation demand of the functions of a kernel.
static void applyOptions(PtxasPolicy &policy, StringRef kernel, StringRef variant,
                         const PhaseRunner &runner) {
  policy.kernel = kernel.str();
  if (runner.options.check || runner.options.optLevel == 0)
    policy.losses = PtxasLosses::Expected;
  else if (runner.lastPlans.count({policy.kernel, variant.str()}))
    policy.losses = PtxasLosses::Warnings;
}

void tessera::collectPolicies(ModuleOp module, const PhaseRunner &runner,
                              std::map<std::string, PtxasPolicy> &policies) {
  // Variants are tried in their order, and all but the first one are fallbacks, which need only be
  // correct. The cp_async variant never counts as the first one: it is for small products, and the
  // variant after it computes the large ones. The variant `lines` counts as first next to
  // `aligned`, from which it differs only in clusters.
  llvm::StringSet<> families;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    const StringRef variant = kernel.getVariant().value_or("");
    const bool first =
        (variant == tile::kLinesVariant && !kernel->hasAttr(tile::kFallback)) ||
        (variant != tile::kCpAsyncVariant &&
         families.insert(kernel.getVariantOf().value_or(kernel.getSymName())).second);
    cta::PlanAttr plan = cta::planOf(kernel);
    for (auto launch : kernel.getBody().front().getOps<cta::LaunchOp>()) {
      PtxasPolicy &policy = policies[launch.getSymbol().str()];
      if (plan && !launch->hasAttr(cta::kUnplannedAttr))
        policy.plannedBlocks = plan.getBlocksPerSm().value_or(0);
      policy.mayHaveFewerBlocks = launch->hasAttr(cta::kBlocksForMemoryAttr);
      if (tile::RequireAttr require = kernel.getRequireAttr())
        policy.requireNoSpills = require.contains(tile::Requirement::NoSpills);
      policy.isFallback = !first;
      applyOptions(policy, kernel.getVariantOf().value_or(kernel.getSymName()),
                   kernel.getVariant().value_or(tile::kAnyVariant), runner);
    }
  }
}

void tessera::recordPolicies(ModuleOp module, const PtxasPolicies &policies) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> functions;
  for (const auto &[symbol, policy] : policies) {
    SmallVector<NamedAttribute> entries{
        b.getNamedAttr(kKernelEntry, b.getStringAttr(policy.kernel))};
    if (policy.isFallback)
      entries.push_back(b.getNamedAttr(kFallbackEntry, b.getUnitAttr()));
    if (policy.requireNoSpills)
      entries.push_back(b.getNamedAttr(kNoSpillsEntry, b.getUnitAttr()));
    if (policy.mayHaveFewerBlocks)
      entries.push_back(b.getNamedAttr(kFewerEntry, b.getUnitAttr()));
    if (policy.plannedBlocks)
      entries.push_back(b.getNamedAttr(kBlocksEntry, b.getI64IntegerAttr(policy.plannedBlocks)));
    functions.push_back(b.getNamedAttr(symbol, b.getDictionaryAttr(entries)));
  }
  if (!functions.empty())
    module->setAttr(kPoliciesAttr, b.getDictionaryAttr(functions));
}

void tessera::readPolicies(ModuleOp module, const PhaseRunner &runner, PtxasPolicies &policies) {
  auto functions = module->getAttrOfType<DictionaryAttr>(kPoliciesAttr);
  if (!functions)
    return;
  for (NamedAttribute function : functions) {
    auto entries = dyn_cast<DictionaryAttr>(function.getValue());
    if (!entries)
      continue;
    PtxasPolicy &policy = policies[function.getName().str()];
    policy.isFallback = entries.contains(kFallbackEntry);
    policy.requireNoSpills = entries.contains(kNoSpillsEntry);
    policy.mayHaveFewerBlocks = entries.contains(kFewerEntry);
    if (auto blocks = entries.getAs<IntegerAttr>(kBlocksEntry))
      policy.plannedBlocks = blocks.getInt();
    auto kernel = entries.getAs<StringAttr>(kKernelEntry);
    // Other plans are tried only for a source without such policies.
    applyOptions(policy, kernel ? kernel.getValue() : StringRef(), /*variant=*/"", runner);
  }
}

void tessera::collectFunctions(ModuleOp module, std::map<std::string, PtxasPolicy> &policies) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    PtxasPolicy &policy = policies[func.getSymName().str()];
    policy.loc = func.getLoc();
    func.walk([&](LLVM::InlineAsmOp op) {
      policy.onTensorPath |= op.getAsmString().contains("wgmma.mma_async");
    });
  }
}

bool tessera::areJudgedAlike(const PtxasPolicy &a, const PtxasPolicy &b) {
  return a.losses == b.losses && a.onTensorPath == b.onTensorPath &&
         a.requireNoSpills == b.requireNoSpills && a.plannedBlocks == b.plannedBlocks &&
         a.mayHaveFewerBlocks == b.mayHaveFewerBlocks;
}
