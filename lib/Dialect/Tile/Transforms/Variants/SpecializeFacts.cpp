// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes variants of a kernel under facts that the program does not state.
#include "Assumption.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/PrivateTables.h"
#include "tessera/Dialect/Tile/Transforms.h"

#include "llvm/ADT/StringExtras.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILESPECIALIZEFACTS
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

static constexpr llvm::StringLiteral kVariantNames[] = {
    kAnyVariant,     kLinesVariant,  kAlignedVariant, kOperandsVariant,
    kCpAsyncVariant, kRepackVariant, kTablesVariant,  kTablesAnyVariant};

bool tessera::tile::isVariantName(StringRef name) {
  return llvm::is_contained(kVariantNames, name);
}

std::string tessera::tile::variantNames() { return llvm::join(ArrayRef(kVariantNames), ", "); }

void tessera::tile::setVariantAttribute(KernelOp kernel, StringRef variant, StringRef name,
                                        Attribute value) {
  MLIRContext *context = kernel.getContext();
  NamedAttrList variants(kernel->getAttrOfType<DictionaryAttr>(kVariantAttributes));
  NamedAttrList own(dyn_cast_or_null<DictionaryAttr>(variants.get(variant)));
  own.set(name, value);
  variants.set(variant, own.getDictionary(context));
  kernel->setAttr(kVariantAttributes, variants.getDictionary(context));
}

/// Whether a kernel may assume less than another one about where the rows of an argument begin.
static bool assumesFewerRows(KernelOp kernel, KernelOp than) {
  auto countRows = [](KernelOp k) -> int64_t {
    if (!k.getGuards())
      return 0;
    return llvm::count_if(*k.getGuards(), [](Attribute guard) {
      const FactKind fact = cast<GuardAttr>(guard).getFact();
      return fact == FactKind::StrideDivisible || fact == FactKind::SizeDivisible;
    });
  };
  return countRows(kernel) < countRows(than);
}

/// True if any launch may take the variant.
static bool assumesNothing(KernelOp kernel) {
  return (!kernel.getGuards() || kernel.getGuards()->empty()) &&
         llvm::none_of(kernel.getBody().getOps<AssumeOp>(),
                       [](AssumeOp assume) { return assume.getGuard(); });
}

namespace {
struct TileSpecializeFacts : tessera::tile::impl::TileSpecializeFactsBase<TileSpecializeFacts> {
  using TileSpecializeFactsBase::TileSpecializeFactsBase;

  void runOnOperation() override {
    if (mlir::failed(requireBound(getOperation())))
      return signalPassFailure();
    if (variants != "auto" && !isVariantName(variants)) {
      getOperation().emitError("tile-specialize-facts: unknown variants '")
          << variants << "'; known: auto, " << variantNames();
      return signalPassFailure();
    }
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (!kernel.getVariantOf() && !kernel.getPhase() && failed(specialize(kernel)))
        return signalPassFailure();
  }

  /// Gives variants the attributes that are theirs, such as a plan. They get them after their facts
  /// were chosen, since which variants there are must not depend on how one of them is compiled.
  LogicalResult applyOwnAttributes(KernelOp kernel, ArrayRef<KernelOp> made) {
    auto attributes = kernel->getAttrOfType<DictionaryAttr>(kVariantAttributes);
    if (!attributes)
      return success();
    LogicalResult result = success();
    for (NamedAttribute own : attributes) {
      const StringRef variant = own.getName().getValue();
      const auto *clone =
          llvm::find_if(made, [&](KernelOp clone) { return clone.getVariant() == variant; });
      if (clone != made.end()) {
        for (NamedAttribute attribute : cast<DictionaryAttr>(own.getValue()))
          KernelOp(*clone)->setAttr(attribute.getName(), attribute.getValue());
        continue;
      }
      // Of variants that a host compiles one by one each has its plan.
      if (variants != "auto" && isVariantName(variant))
        continue;
      const bool hasPlan = cast<DictionaryAttr>(own.getValue()).contains(kVariantPlan);
      InFlightDiagnostic error = kernel.emitOpError("has ")
                                 << (hasPlan ? "a plan" : "attributes") << " for its variant '"
                                 << variant << "', which is not made; there are ";
      llvm::interleaveComma(made, error, [&](KernelOp clone) { error << *clone.getVariant(); });
      result = error;
    }
    for (KernelOp clone : made)
      clone->removeAttr(kVariantAttributes);
    if (failed(result))
      for (KernelOp unused : made)
        unused->erase();
    return result;
  }

  LogicalResult specialize(KernelOp kernel) {
    OpBuilder b(kernel);
    auto variant = [&](StringRef name) -> KernelOp {
      auto clone = cast<KernelOp>(kernel->clone());
      clone.setSymName((kernel.getSymName() + "_" + name).str());
      clone.setVariantOf(kernel.getSymName());
      clone.setVariant(name);
      return clone;
    };
    const bool all = variants == "auto";
    TileArguments arguments = collectArguments(kernel);
    KernelOp lines, aligned, operands, cpAsync, repack;
    if (variants == "aligned" || (all && !arguments.indices.empty())) {
      aligned = variant(kAlignedVariant);
      Assumption(aligned).assume(arguments);
    }
    if (variants == "lines" || (all && aligned)) {
      lines = variant(kLinesVariant);
      // If the source IR says so already, `aligned` is that variant, unless the user asked for
      // `lines`.
      std::optional<bool> assumed = Assumption(lines).assumeLines(arguments);
      if (!assumed || (all && !*assumed)) {
        lines->erase();
        lines = {};
      }
    }
    if (variants == "operands" || (all && aligned)) {
      operands = variant(kOperandsVariant);
      const bool assumed = Assumption(operands).assumeOperands(arguments);
      if (!assumed || (all && !assumesFewerRows(operands, aligned))) {
        operands->erase();
        operands = {};
      }
    }
    if (variants == "repack" || all) {
      repack = variant(kRepackVariant);
      if (!Assumption(repack).assumeRepacking(arguments, !all)) {
        repack->erase();
        repack = {};
      }
    }
    // Only without a given plan, because plans are made for loops that TMA feeds.
    if (variants == "cp_async" || (all && repack && !kernel.getPlan())) {
      cpAsync = variant(kCpAsyncVariant);
      if (!Assumption(cpAsync).assumePieces(arguments, !all)) {
        cpAsync->erase();
        cpAsync = {};
      }
    }
    SmallVector<KernelOp> ordered{lines, aligned, operands, cpAsync, repack};
    if (aligned && repack && !findRepackCandidates(aligned).empty())
      ordered = {cpAsync, repack, lines, aligned, operands};
    for (StringRef name : {kTablesAnyVariant, kTablesVariant})
      if (KernelOp tables = all || variants == name ? variant(name) : KernelOp()) {
        // The facts of `aligned` make the accesses of memory faster, where they hold.
        if (name == kTablesVariant)
          Assumption(tables).assume(arguments);
        if (Assumption(tables).assumeTables())
          ordered.insert(ordered.begin(), tables);
        else
          tables->erase();
      }
    SmallVector<KernelOp> made;
    bool complete = false; // the last variant assumes only what the source IR says
    for (KernelOp clone : ordered) {
      if (!clone)
        continue;
      if (complete) {
        clone->erase();
        continue;
      }
      complete = assumesNothing(clone);
      made.push_back(clone);
    }
    if (variants == kAnyVariant || made.empty() || (all && !complete))
      made.push_back(variant(kAnyVariant));
    for (KernelOp clone : llvm::drop_begin(made))
      if (clone != aligned || made.front() != lines)
        clone->setAttr(kFallback, b.getUnitAttr());
    if (failed(applyOwnAttributes(kernel, made)))
      return failure();
    for (KernelOp clone : made) {
      if (SymbolTable::lookupSymbolIn(getOperation(), clone.getSymName())) {
        LogicalResult error = kernel.emitOpError("cannot have a variant named @")
                              << clone.getSymName() << ", because that symbol exists; rename one";
        for (KernelOp unused : made)
          if (!unused->getBlock())
            unused->erase();
        return error;
      }
      b.insert(clone);
    }
    kernel.erase();
    return success();
  }
};
} // namespace
