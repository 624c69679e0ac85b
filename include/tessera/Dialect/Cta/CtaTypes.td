// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_TYPES
#define TESSERA_CTA_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tessera/Dialect/Cta/CtaAttrs.td"

def Cta_SmemType : TypeDef<Cta_Dialect, "Smem"> {
  let mnemonic = "smem";
  let summary = "a tile in shared memory, an immutable value";
  let description = [{
    `!cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "mlir::Type":$elementType,
                        "tessera::cta::SwizzleAttr":$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The unencoded tensor of the same shape and element type.
    mlir::RankedTensorType tensorType() const;
    SmemType withSwizzle(SwizzleAttr swizzle) const;
  }];
}

#endif
