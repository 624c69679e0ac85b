// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_VERIFY_PASSES
#define TESSERA_CTA_VERIFY_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def CtaVerify : Pass<"cta-verify", "tile::KernelOp"> {
  let summary = "Check the invariant of the kernel's phase";
  let description = "Changes nothing. L0 kernels pass untouched.";
}

#endif
