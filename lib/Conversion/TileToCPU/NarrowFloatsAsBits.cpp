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
    Type bits = IntegerType::get(&getContext(), 16);
    auto isNarrow = [](Type type) { return type.isF16() || type.isBF16(); };
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FloatType type) -> std::optional<Type> {
      return isNarrow(type) ? std::optional<Type>(bits) : std::nullopt;
    });
    replacer.addReplacement([&](FloatAttr attr) -> std::optional<Attribute> {
      if (!isNarrow(attr.getType()))
        return std::nullopt;
      return IntegerAttr::get(bits, attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([&](DenseElementsAttr attr) -> std::optional<Attribute> {
      if (!isNarrow(attr.getElementType()))
        return std::nullopt;
      return attr.bitcast(bits);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false, /*replaceTypes=*/true);
  }
};
} // namespace
