// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/SharedFunctions.h"

#include "tessera/Target/GpuContract.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tessera;

namespace json = llvm::json;

/// What is said of a function beside its name and what the contract says of each launch.
static DictionaryAttr attributesOf(LLVM::LLVMFuncOp function) {
  NamedAttrList attributes(function->getAttrDictionary());
  for (StringRef name : {StringRef(SymbolTable::getSymbolAttrName()), StringRef(kParamsAttr),
                         StringRef(kDescriptorsAttr), StringRef(kNumbersAttr)})
    attributes.erase(name);
  return attributes.getDictionary(function.getContext());
}

static size_t hashOf(LLVM::LLVMFuncOp function) {
  llvm::hash_code hash = llvm::hash_value(attributesOf(function).getAsOpaquePointer());
  function.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areSame(LLVM::LLVMFuncOp a, LLVM::LLVMFuncOp b) {
  return attributesOf(a) == attributesOf(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

/// How the function is started, as text. Nothing if the launcher keeps something for it by its
/// name: numbers of clusters.
static std::optional<std::string> startOf(const json::Object &launch) {
  if (launch.get("places"))
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (StringRef key : {"block", "shared", "cluster", "dependent"})
    if (const json::Value *value = launch.get(key))
      os << key << *value;
  return text;
}

/// Calls `take` for each object of a list.
static void forEach(json::Object &of, StringRef key,
                    llvm::function_ref<void(json::Object &)> take) {
  if (json::Array *list = of.getArray(key))
    for (json::Value &value : *list)
      if (json::Object *object = value.getAsObject())
        take(*object);
}

/// By function: how many launches of the contract, of members or not, and how many operations of
/// the module name it.
static llvm::StringMap<unsigned> countUses(ModuleOp module, json::Object &contract) {
  llvm::StringMap<unsigned> uses;
  forEach(contract, "kernels", [&](json::Object &kernel) {
    forEach(kernel, "variants", [&](json::Object &variant) {
      forEach(variant, "launches",
              [&](json::Object &launch) { ++uses[launch.getString("symbol").value_or("")]; });
    });
  });
  if (std::optional<SymbolTable::UseRange> inModule =
          SymbolTable::getSymbolUses(&module.getBodyRegion()))
    for (SymbolTable::SymbolUse use : *inModule)
      ++uses[use.getSymbolRef().getRootReference()];
  return uses;
}

SharedFunctions tessera::shareFunctions(ModuleOp module, json::Value &contract,
                                        llvm::function_ref<bool(StringRef, StringRef)> mayShare) {
  SharedFunctions shared;
  if (!contract.getAsObject())
    return shared;
  json::Object &root = *contract.getAsObject();
  const llvm::StringMap<unsigned> uses = countUses(module, root);
  SymbolTable symbols(module);
  forEach(root, "kernels", [&](json::Object &kernel) {
    // Of this family only: what another one demands of its functions is no matter of this one.
    std::map<std::pair<size_t, std::string>, SmallVector<LLVM::LLVMFuncOp, 1>> kept;
    auto share = [&](json::Object &launch) {
      auto function = symbols.lookup<LLVM::LLVMFuncOp>(launch.getString("symbol").value_or(""));
      std::optional<std::string> start = startOf(launch);
      if (!function || !start)
        return;
      SmallVector<LLVM::LLVMFuncOp, 1> &alike = kept[{hashOf(function), *start}];
      if (llvm::is_contained(alike, function))
        return;
      auto same = llvm::find_if(alike, [&](LLVM::LLVMFuncOp k) {
        return areSame(k, function) && mayShare(k.getSymName(), function.getSymName());
      });
      if (same == alike.end() || uses.lookup(function.getSymName()) != 1) {
        alike.push_back(function);
        return;
      }
      shared[function.getSymName().str()] = (*same).getSymName().str();
      launch["symbol"] = (*same).getSymName().str();
      symbols.erase(function);
    };
    forEach(kernel, "variants", [&](json::Object &variant) {
      if (variant.get("member"))
        forEach(variant, "launches", share);
    });
  });
  return shared;
}
