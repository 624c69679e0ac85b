// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

bool tessera::tile::isTileElementType(Type type) {
  if (isFloat8(type) || isa<Float64Type, Float32Type, Float16Type, BFloat16Type, IndexType>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

bool tessera::tile::isMemoryElementType(Type type) { return isTileElementType(type); }

StringRef tessera::tile::tileElementTypesText() {
  return "f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8 i1 index";
}

bool tessera::tile::isFloat8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

int64_t tessera::tile::tensorCoreStep(Type a, Type b, Type result, bool allowsTf32) {
  const bool same = a == b;
  if (same && a.isF16())
    return result.isF32() || result.isF16() ? 16 : 0;
  if (same && a.isBF16())
    return result.isF32() ? 16 : 0;
  if (same && a.isF32())
    return result.isF32() && allowsTf32 ? 8 : 0;
  if (same && a.isInteger(8))
    return result.isInteger(32) ? 32 : 0;
  return isFloat8(a) && isFloat8(b) && (result.isF32() || result.isF16()) ? 32 : 0;
}

Type tessera::tile::withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

int64_t tessera::tile::elementBytes(Type type) {
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::string tessera::tile::contractTypeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}
