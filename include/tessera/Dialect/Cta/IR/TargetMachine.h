// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine that an op is compiled for.
#ifndef TESSERA_DIALECT_CTA_IR_TARGETMACHINE_H
#define TESSERA_DIALECT_CTA_IR_TARGETMACHINE_H

#include "tessera/Machine/Machine.h"

#include "mlir/IR/Operation.h"

namespace tessera::cta {

/// On a module (a string): the chip whose numbers plans, schedules and occupancy follow, as ptxas
/// calls it. The verifier refuses chips without a table.
constexpr llvm::StringLiteral kTargetAttr = "cta.target";

/// The table of the chip that a module around the op names; the default machine if none does. A
/// clone that is in no module does not know its chip: ask before cloning. What cannot ask takes
/// Hopper's numbers: the verifier of cta.launch (blocks that share an SM), the costs by which
/// `tile-transpose-products` compares fetches, and tile-ptx-check, which sees text alone.
const Machine &machineOf(mlir::Operation *op);

} // namespace tessera::cta

#endif
