// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inputs.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

/// name=number
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

FailureOr<Inputs> tessera::simulate::makeInputs(tile::KernelOp kernel, ArrayRef<std::string> sizes,
                                                ArrayRef<std::string> scalars, int64_t numBlocks,
                                                int64_t cores, int64_t fuel) {
  Inputs inputs;
  inputs.numBlocks = numBlocks;
  inputs.cores = cores;
  inputs.fuel = fuel;
  if (numBlocks < 0 || cores < 1 || fuel <= 0)
    return kernel.emitError("timings, fuel, cores and num-blocks are positive numbers");
  for (StringRef text : sizes) {
    auto size = parse<int64_t>(text);
    if (!size || size->second < 0)
      return kernel.emitError("expected sizes=<name>=<number>,…, got '") << text << "'";
    inputs.sizes.insert(*size);
  }
  for (StringRef text : scalars) {
    auto scalar = parse<double>(text);
    if (!scalar)
      return kernel.emitError("expected scalars=<name>=<number>,…, got '") << text << "'";
    inputs.scalars.insert(*scalar);
  }
  return inputs;
}
