// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/GpuContract.h"

#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tessera;

/// The condition under which the launch uses GPC-aware cluster numbering; nothing if it never does.
static FailureOr<std::optional<contract::Expr>> describePlaces(cta::LaunchOp launch) {
  std::optional<contract::Expr> places;
  WalkResult walked = launch.walk([&](cta::ClusterPlaceOp op) {
    FailureOr<contract::Expr> expr = contract::buildExpr(op.getMany(), op);
    if (failed(expr))
      return WalkResult::interrupt();
    // If two clusters got the same number, output tiles would be computed twice.
    if (places && !(*places == *expr)) {
      op.emitOpError("has another condition than one before it in the launch, which has one table");
      return WalkResult::interrupt();
    }
    places = std::move(*expr);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return places;
}

LogicalResult tessera::recordGpuContract(ModuleOp module) {
  contract::Contract contract;
  contract.compiler = contract::compilerVersion();
  contract.target = cta::machineOf(module).chip;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    std::vector<contract::Launch> launches;
    for (auto op : kernel.getBody().front().getOps<cta::LaunchOp>()) {
      contract::Launch launch;
      launch.symbol = op.getSymbol().str();
      for (Value blocks : op.getBlocks()) {
        FailureOr<contract::Expr> expr = contract::buildExpr(blocks, op);
        if (failed(expr))
          return failure();
        launch.grid.push_back(std::move(*expr));
      }
      if (!op.getThreads())
        return op.emitOpError("has no number of threads; cta-assign-registers sets it");
      launch.gpu.emplace();
      launch.gpu->block = *op.getThreads();
      launch.gpu->cluster = static_cast<int64_t>(op.getCluster().value_or(1));
      launch.gpu->shared = op.getShared().value_or(0);
      launch.gpu->dependent = op.getDependent();
      FailureOr<std::optional<contract::Expr>> places = describePlaces(op);
      if (failed(places))
        return failure();
      launch.gpu->places = std::move(*places);
      launches.push_back(std::move(launch));
    }
    if (failed(contract::addVariant(contract, kernel, std::move(launches))))
      return failure();
  }
  module->setAttr(contract::kModuleAttr,
                  StringAttr::get(module.getContext(), contract::toJson(contract)));
  return success();
}

/// Makes JSON of numbers, strings, lists and dictionaries; null for any other attribute.
static std::optional<llvm::json::Value> toJson(Attribute attr) {
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getValue().getSExtValue();
  if (auto text = dyn_cast<StringAttr>(attr))
    return llvm::json::Value(text.str());
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attr))
    return llvm::json::Value(llvm::json::Array(list.asArrayRef()));
  if (auto list = dyn_cast<ArrayAttr>(attr)) {
    llvm::json::Array result;
    for (Attribute element : list) {
      std::optional<llvm::json::Value> value = toJson(element);
      if (!value)
        return std::nullopt;
      result.push_back(std::move(*value));
    }
    return llvm::json::Value(std::move(result));
  }
  if (auto dict = dyn_cast<DictionaryAttr>(attr)) {
    llvm::json::Object result;
    for (NamedAttribute entry : dict) {
      std::optional<llvm::json::Value> value = toJson(entry.getValue());
      if (!value)
        return std::nullopt;
      result[entry.getName().str()] = std::move(*value);
    }
    return llvm::json::Value(std::move(result));
  }
  return std::nullopt;
}

static LogicalResult fill(llvm::json::Object &launch, LLVM::LLVMFuncOp func, StringRef attrName,
                          StringRef key, size_t limit) {
  auto attr = func->getAttrOfType<ArrayAttr>(attrName);
  std::optional<llvm::json::Value> value(llvm::json::Array{});
  if (attr)
    value = toJson(attr);
  if (!value)
    return func.emitError("'") << attrName
                               << "' holds what the launch contract cannot say: " << attr;
  llvm::json::Array *list = value->getAsArray();
  if (!list || list->size() > limit)
    return func.emitError("'") << attrName << "' is no list of at most " << limit
                               << " entries, which is all that launchers read";
  launch[key] = std::move(*value);
  return success();
}

FailureOr<llvm::json::Value> tessera::finishGpuContract(ModuleOp module, StringRef compiler) {
  auto text = module->getAttrOfType<StringAttr>(contract::kModuleAttr);
  if (!text)
    return llvm::json::Value(nullptr);
  llvm::Expected<llvm::json::Value> contract = contract::parseJson(text.getValue());
  if (!contract) {
    module.emitError("'") << contract::kModuleAttr
                          << "' is not JSON: " << llvm::toString(contract.takeError());
    return failure();
  }
  auto list = [](llvm::json::Value &value, StringRef key) -> llvm::json::Array {
    llvm::json::Object *object = value.getAsObject();
    llvm::json::Array *array = object ? object->getArray(key) : nullptr;
    return array ? std::move(*array) : llvm::json::Array();
  };
  if (!contract->getAsObject()) {
    module.emitError("'") << contract::kModuleAttr << "' is no JSON object";
    return failure();
  }
  auto put = [](llvm::json::Value &value, StringRef key, llvm::json::Array list) {
    if (llvm::json::Object *object = value.getAsObject())
      (*object)[key] = std::move(list);
  };
  auto atLeast = [&](int64_t version) {
    llvm::json::Value &now = (*contract->getAsObject())["version"];
    now = std::max(now.getAsInteger().value_or(0), version);
  };
  // Lists are moved out and back in, because the JSON library cannot change nested values in place.
  llvm::json::Array kernels = list(*contract, "kernels");
  for (llvm::json::Value &kernel : kernels) {
    llvm::json::Array variants = list(kernel, "variants");
    for (llvm::json::Value &variant : variants) {
      llvm::json::Array launches = list(variant, "launches");
      for (llvm::json::Value &launch : launches) {
        llvm::json::Object *object = launch.getAsObject();
        std::optional<StringRef> symbol = object ? object->getString("symbol") : std::nullopt;
        auto func = symbol ? module.lookupSymbol<LLVM::LLVMFuncOp>(*symbol) : LLVM::LLVMFuncOp();
        if (!func) {
          module.emitError("the launch contract names the function '")
              << symbol.value_or("") << "', which the module does not have";
          return failure();
        }
        if (func->hasAttr(kNumbersAttr)) {
          atLeast(contract::kVersionOfNumbers);
          if (failed(fill(*object, func, kNumbersAttr, "numbers", contract::kMaxNodes)))
            return failure();
        }
        if (failed(fill(*object, func, kParamsAttr, "params", contract::kMaxList)) ||
            failed(fill(*object, func, kDescriptorsAttr, "descriptors", contract::kMaxDescriptors)))
          return failure();
        for (const llvm::json::Value &recipe : *object->getArray("descriptors")) {
          const llvm::json::Object *fields = recipe.getAsObject();
          if (fields && fields->get("trim"))
            atLeast(contract::kVersionOfTrim);
          if (fields && fields->get("steps"))
            atLeast(contract::kVersionOfSteps);
        }
      }
      put(variant, "launches", std::move(launches));
    }
    put(kernel, "variants", std::move(variants));
  }
  (*contract->getAsObject())["compiler"] = compiler.str();
  put(*contract, "kernels", std::move(kernels));
  return std::move(*contract);
}

FailureOr<std::string> tessera::printGpuContract(ModuleOp module,
                                                 const llvm::json::Value &contract) {
  std::string text;
  if (contract.kind() == llvm::json::Value::Null)
    return text;
  llvm::raw_string_ostream(text) << contract;
  if (failed(contract::checkLimits(text, module)))
    return failure();
  return text;
}

void tessera::embedGpuContract(llvm::Module &module, StringRef json) {
  std::string bytes = contract::encode(json);
  // The bytes include the terminating NUL.
  llvm::Constant *value =
      llvm::ConstantDataArray::getString(module.getContext(), bytes, /*AddNull=*/false);
  new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, value, contract::kSymbol, nullptr,
                           llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
}
