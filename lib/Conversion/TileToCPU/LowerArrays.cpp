// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays at addresses from memory become descriptors of memrefs.
#include "tessera/Conversion/TileToCPU.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tessera;

/// The descriptor is LLVM's, long before the rest of the function is: the cast disappears when
/// memrefs become descriptors.
void tessera::lowerArray(RewriterBase &b, tile::ArrayFromOp op) {
  Location loc = op.getLoc();
  LLVMTypeConverter converter(op.getContext());
  MemRefType type = op.getMemRefType();
  auto wide = [&](OpFoldResult x) -> Value {
    if (auto attr = dyn_cast<Attribute>(x))
      return LLVM::ConstantOp::create(b, loc,
                                      b.getI64IntegerAttr(cast<IntegerAttr>(attr).getInt()));
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(x));
  };
  Value address = LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(op.getContext()),
                                           op.getAddress());
  auto descriptor = MemRefDescriptor::poison(b, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(b, loc, address);
  descriptor.setAlignedPtr(b, loc, address);
  descriptor.setConstantOffset(b, loc, 0);
  SmallVector<OpFoldResult> sizes = op.getMixedSizes(), strides = op.getMixedStrides();
  Value running = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    Value size = wide(sizes[d]), stride = strides[d] ? wide(strides[d]) : running;
    descriptor.setSize(b, loc, d, size);
    descriptor.setStride(b, loc, d, stride);
    if (d > 0 && !op.getStaticStrides())
      running = LLVM::MulOp::create(b, loc, stride, size);
  }
  b.replaceOpWithNewOp<UnrealizedConversionCastOp>(op, type, Value(descriptor));
}
