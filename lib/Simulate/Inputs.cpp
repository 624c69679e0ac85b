// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inputs.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

/// Reads "name=number".
template <typename Number>
static std::optional<std::pair<std::string, Number>> parse(StringRef text) {
  auto [name, digits] = text.rsplit('=');
  Number value;
  bool bad;
  if constexpr (std::is_same_v<Number, double>)
    bad = digits.trim().getAsDouble(value);
  else
    bad = digits.trim().getAsInteger(0, value);
  if (bad || name.trim().empty())
    return std::nullopt;
  return std::pair(name.trim().str(), value);
}

/// Lists the names that the option `sizes` may set, or those that `scalars` may set if `ofSizes` is
/// false.
static std::vector<std::string> namesOf(tile::KernelOp kernel, bool ofSizes) {
  std::vector<std::string> names;
  for (BlockArgument arg : kernel.getArguments()) {
    const unsigned number = arg.getArgNumber();
    if (auto type = dyn_cast<MemRefType>(arg.getType()); type && ofSizes) {
      auto shape = kernel.getArgAttrOfType<ArrayAttr>(number, tile::TileDialect::kShape);
      for (unsigned d = 0; d < type.getRank(); ++d) {
        names.push_back(kernel.getArgName(number) + "." + std::to_string(d));
        if (auto symbol = shape ? dyn_cast<StringAttr>(shape[d]) : StringAttr();
            symbol && !llvm::is_contained(names, symbol.str()))
          names.push_back(symbol.str());
      }
    } else if (!ofSizes && arg.getType().isIntOrIndexOrFloat()) {
      names.push_back(kernel.getArgName(number));
    }
  }
  return names;
}

Location tessera::simulate::whereOf(ModuleOp module) {
  auto kernels = module.getOps<tile::KernelOp>();
  return kernels.empty() ? module.getLoc() : (*kernels.begin()).getLoc();
}

/// Refuses a name that no kernel has. Its value would otherwise be chosen at random, without any
/// message.
static LogicalResult checkName(ModuleOp module, StringRef name, bool ofSizes) {
  auto has = [&](tile::KernelOp kernel, bool sizes) {
    return llvm::is_contained(namesOf(kernel, sizes), name);
  };
  auto kernels = module.getOps<tile::KernelOp>();
  if (kernels.empty() ||
      llvm::any_of(kernels, [&](tile::KernelOp kernel) { return has(kernel, ofSizes); }))
    return success();
  InFlightDiagnostic error = emitError(whereOf(module), "no kernel has a ")
                             << (ofSizes ? "size" : "scalar argument") << " '" << name << "'";
  if (llvm::any_of(kernels, [&](tile::KernelOp kernel) { return has(kernel, !ofSizes); }))
    error << "; it is a " << (ofSizes ? "scalar argument: say scalars=" : "size: say sizes=")
          << name << "=<number>";
  for (tile::KernelOp kernel : kernels) {
    Diagnostic &note = error.attachNote(kernel.getLoc());
    std::vector<std::string> names = namesOf(kernel, ofSizes);
    note << "@" << kernel.getSymName() << " has " << (names.empty() ? "none" : "");
    llvm::interleaveComma(names, note);
  }
  return failure();
}

FailureOr<Inputs> tessera::simulate::makeInputs(ModuleOp module, ArrayRef<std::string> sizes,
                                                ArrayRef<std::string> scalars, int64_t numBlocks,
                                                int64_t cores, int64_t fuel) {
  Inputs inputs;
  inputs.numBlocks = numBlocks;
  inputs.cores = cores;
  inputs.fuel = fuel;
  if (numBlocks < 0 || cores < 1 || fuel <= 0)
    return emitError(whereOf(module), "timings, fuel, cores and num-blocks are positive numbers");
  for (StringRef text : sizes) {
    auto size = parse<int64_t>(text);
    if (!size || size->second < 0)
      return emitError(whereOf(module), "expected sizes=<name>=<number>,…, got '") << text << "'";
    if (failed(checkName(module, size->first, /*ofSizes=*/true)))
      return failure();
    inputs.sizes.insert(*size);
  }
  for (StringRef text : scalars) {
    auto scalar = parse<double>(text);
    if (!scalar)
      return emitError(whereOf(module), "expected scalars=<name>=<number>,…, got '") << text << "'";
    if (failed(checkName(module, scalar->first, /*ofSizes=*/false)))
      return failure();
    inputs.scalars.insert(*scalar);
  }
  return inputs;
}
