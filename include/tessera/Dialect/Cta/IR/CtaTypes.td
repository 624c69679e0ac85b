// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_TYPES
#define TESSERA_CTA_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tessera/Dialect/Cta/IR/CtaAttrs.td"

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

def Cta_AsyncType : TypeDef<Cta_Dialect, "Async"> {
  let mnemonic = "async";
  let summary = "a register tile that a wgmma in flight still writes";
  let description = [{
    `!cta.async<tensor<128x256xf32, #cta.frag<wgmma_acc, wg = 2>>>`. At most one op consumes the tile: `cta.complete`, or another
    `cta.wgmma` that accumulates on it. `cta.release` and yields only name it.
  }];
  let parameters = (ins "mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

def Cta_ChannelType : TypeDef<Cta_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "a bounded ring of slots between a producing and a consuming role";
  let description = [{
    `!cta.channel<3, !cta.smem<128x64xbf16, #a>, !cta.smem<64x256xbf16, #b>>`: a depth of three slots, each with one tile of both types. `?`
    is a depth that is not chosen yet (phase scheduled, before `cta-schedule`).
  }];
  // depth 0: open.
  let parameters = (ins "int64_t":$depth, ArrayRefParameter<"mlir::Type">:$payload);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isOpen() const { return getDepth() == 0; }
    ChannelType withDepth(int64_t depth) const { return get(getContext(), depth, getPayload()); }
  }];
}

def Cta_CreditType : TypeDef<Cta_Dialect, "Credit"> {
  let mnemonic = "credit";
  let summary = "the right to one slot of a channel";
  let description = "`!cta.credit`, made by `cta.acquire` and `cta.wait`. Exactly one `cta.commit` or `cta.release` uses it; a loop may carry it there.";
  let assemblyFormat = "";
}

def Cta_TokenType : TypeDef<Cta_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "what a test of a channel has seen";
  let description = [{
    `!cta.token`, made by `cta.test`: whether the next slot of a channel was full. The `cta.wait` for that slot takes it, directly or carried by
    loops and conditions.
  }];
  let assemblyFormat = "";
}

def Cta_RingType : TypeDef<Cta_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "the storage of one payload of a channel";
  let description = "`!cta.ring<3, !cta.smem<128x64xbf16, #a>>`: three shared tiles, one after the other. Exists after `cta-lower-channels`.";
  let parameters = (ins "int64_t":$depth, "tessera::cta::SmemType":$tile);
  let assemblyFormat = "`<` $depth `,` $tile `>`";
  let genVerifyDecl = 1;
}

#endif
