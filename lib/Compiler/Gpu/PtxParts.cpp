// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gpu/PtxParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <atomic>

using namespace mlir;
using namespace tessera;

/// True if no function refers to something that the module or another function defines.
static bool areApart(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
      if (global.getLinkage() != LLVM::Linkage::External || global.getValueOrNull() ||
          !global.getInitializer().empty())
        return false;
      continue;
    }
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function || function.isExternal())
      return false;
    bool refers = function
                      .walk([&](Operation *inner) {
                        bool calls = isa<LLVM::CallOp>(inner);
                        if (auto address = dyn_cast<LLVM::AddressOfOp>(inner))
                          calls |= isa_and_nonnull<LLVM::LLVMFuncOp>(
                              SymbolTable::lookupSymbolIn(module, address.getGlobalNameAttr()));
                        return calls ? WalkResult::interrupt() : WalkResult::advance();
                      })
                      .wasInterrupted();
    if (refers)
      return false;
  }
  return true;
}

LogicalResult PtxParts::addPart(ModuleOp module) {
  Part part;
  part.context = std::make_unique<llvm::LLVMContext>();
  part.module = translateForPtx(module, *part.context, options);
  if (!part.module)
    return failure();
  parts.push_back(std::move(part));
  return success();
}

LogicalResult PtxParts::translate(ModuleOp module, bool together) {
  auto functions = llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>());
  if (together || functions.size() < 2 || !areApart(module))
    return addPart(module);
  for (LLVM::LLVMFuncOp function : functions) {
    OwningOpRef<ModuleOp> one(ModuleOp::create(module.getLoc(), module.getName()));
    (*one)->setDiscardableAttrs(module->getDiscardableAttrDictionary());
    OpBuilder b(one->getBodyRegion());
    for (auto global : module.getOps<LLVM::GlobalOp>())
      b.clone(*global);
    function->moveBefore(one->getBody(), one->getBody()->end());
    if (failed(addPart(*one)))
      return failure();
  }
  // The launch contract, which changes with each function, is in none of their modules.
  OwningOpRef<ModuleOp> empty(ModuleOp::create(module.getLoc(), module.getName()));
  (*empty)->setDiscardableAttrs(module->getDiscardableAttrDictionary());
  return addPart(*empty);
}

LogicalResult PtxParts::onEach(llvm::function_ref<LogicalResult(Part &)> work) {
  // What LLVM says of a function would not be said again, if its code came from the memo.
  bool hasDiagnostics = false;
  ScopedDiagnosticHandler watch(loc.getContext(), [&](mlir::Diagnostic &) {
    hasDiagnostics = true;
    return failure();
  });
  auto forget = llvm::make_scope_exit([&] {
    if (hasDiagnostics)
      for (Part &part : parts)
        part.key.clear();
  });
  SmallVector<unsigned> order;
  for (auto [i, part] : llvm::enumerate(parts))
    if (part.module)
      order.push_back(i);
  unsigned workers = threads ? threads : llvm::hardware_concurrency().compute_thread_count();
  if (workers < 2 || order.size() < 2) {
    for (unsigned i : order)
      if (failed(work(parts[i])))
        return failure();
    return success();
  }
  // The longest functions are compiled first. Diagnostics come in the order of the parts.
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return parts[a].module->getInstructionCount() > parts[b].module->getInstructionCount();
  });
  ParallelDiagnosticHandler diagnostics(loc.getContext());
  std::atomic<bool> bad = false;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(workers));
  for (unsigned i : order)
    pool.async([&, i] {
      diagnostics.setOrderIDForThread(i);
      if (failed(work(parts[i])))
        bad = true;
      diagnostics.eraseOrderIDForThread();
    });
  pool.wait();
  return failure(bad);
}

/// A hash of all that the module's PTX is made of, the options aside that are the same throughout a
/// compilation.
static std::string memoKey(llvm::Module &module, const PtxOptions &options) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  for (llvm::Function &function : module)
    if (options.fallbacks.count(function.getName().str()))
      stream << '\0' << function.getName();
  auto hash = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(bytes));
  return std::string(hash.begin(), hash.end());
}

LogicalResult PtxParts::optimize(llvm::function_ref<bool(llvm::Function &)> keep) {
  // The last module has the contract, which always changes; a single one has it, too.
  if (parts.size() > 1)
    for (Part &part : llvm::drop_end(parts)) {
      if (llvm::any_of(*part.module, keep))
        continue;
      part.key = memoKey(*part.module, options);
      auto known = memo.find(part.key);
      if (known == memo.end())
        continue;
      part.ptx = known->second;
      part.module.reset();
    }
  return onEach([&](Part &part) { return optimizeForPtx(*part.module, loc, options); });
}

FailureOr<std::string> PtxParts::emitParts() {
  auto emitOne = [&](Part &part) -> LogicalResult {
    FailureOr<std::string> ptx = emitPtx(*part.module, loc, options);
    part.module.reset();
    if (succeeded(ptx))
      part.ptx = std::move(*ptx);
    return ptx;
  };
  if (failed(onEach(emitOne)))
    return failure();
  for (Part &part : parts)
    if (!part.key.empty())
      memo.try_emplace(part.key, part.ptx);
  return mergePtx(llvm::map_to_vector(parts, [](Part &part) { return StringRef(part.ptx); }));
}

FailureOr<std::string> PtxParts::emit(llvm::function_ref<bool(llvm::Function &)> keep) {
  for (Part &part : parts)
    if (part.module && llvm::any_of(*part.module, keep))
      part.kept = llvm::CloneModule(*part.module);
  return emitParts();
}

FailureOr<std::string> PtxParts::emitAgain(llvm::function_ref<bool(llvm::Function &)> change) {
  bool any = false;
  for (Part &part : parts) {
    bool changed = false;
    if (part.kept)
      for (llvm::Function &function : *part.kept)
        changed |= !function.isDeclaration() && change(function);
    if (changed)
      part.module = std::move(part.kept);
    any |= changed;
  }
  return any ? emitParts() : FailureOr<std::string>(std::string());
}

std::string tessera::mergePtx(ArrayRef<StringRef> modules) {
  if (modules.size() == 1)
    return modules.front().str();
  // The head of a module ends where its first function begins.
  auto headOf = [](StringRef text) {
    size_t at = text.size();
    for (StringRef start : {"\n.visible .entry", "\n.entry", "\n.func", "\n.visible .func"})
      at = std::min(at, text.find(start));
    return text.take_front(at);
  };
  std::string merged;
  llvm::StringSet<> known;
  for (StringRef module : modules)
    for (StringRef line : llvm::split(headOf(module), '\n'))
      if (!line.starts_with("//") && !line.trim().starts_with("// .globl") && !line.empty() &&
          known.insert(line).second)
        merged += (line + "\n").str();
  for (StringRef module : modules)
    merged += module.drop_front(headOf(module).size());
  return merged;
}
