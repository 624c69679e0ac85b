// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The depth of channels that the lookahead hints (`stages`) on a kernel's loads ask for.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_LOOKAHEAD_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_LOOKAHEAD_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include <optional>

namespace tessera::cta {

/// The largest lookahead of the copies in loops with tensor core products, or nothing if no copy
/// has one. A plan has one depth for all channels of such loops.
std::optional<int64_t> lookaheadOf(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
