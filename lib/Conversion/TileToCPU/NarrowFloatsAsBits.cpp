// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera {
#define GEN_PASS_DEF_CPUNARROWFLOATSASBITS
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

namespace {
struct CPUNarrowFloatsAsBits : tessera::impl::CPUNarrowFloatsAsBitsBase<CPUNarrowFloatsAsBits> {
  void runOnOperation() override {
    auto isNarrow = [](Type type) {
      return type.isF16() || type.isBF16() || isa<Float8E4M3FNType, Float8E5M2Type>(type);
    };
    auto bitsOf = [&](Type type) {
      return IntegerType::get(&getContext(), type.getIntOrFloatBitWidth());
    };
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FloatType type) -> std::optional<Type> {
      return isNarrow(type) ? std::optional<Type>(bitsOf(type)) : std::nullopt;
    });
    replacer.addReplacement([&](FloatAttr attr) -> std::optional<Attribute> {
      if (!isNarrow(attr.getType()))
        return std::nullopt;
      return IntegerAttr::get(bitsOf(attr.getType()), attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([&](DenseElementsAttr attr) -> std::optional<Attribute> {
      if (!isNarrow(attr.getElementType()))
        return std::nullopt;
      return attr.bitcast(bitsOf(attr.getElementType()));
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false, /*replaceTypes=*/true);
  }
};
} // namespace
