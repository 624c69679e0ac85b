// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: fills a report from the IR and from the log of ptxas.
#ifndef TESSERA_LIB_COMPILER_REPORT_COLLECTREPORT_H
#define TESSERA_LIB_COMPILER_REPORT_COLLECTREPORT_H

#include "Report/SourceNames.h"
#include "tessera/Report.h"
#include "tessera/Target/Ptxas.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// Adds the kernels of a module in phase allocated. `source` says what its ops are called in the
/// source IR.
void collectKernels(mlir::ModuleOp module, const SourceNames &source, Report &report);

/// Adds what ptxas reports, and the occupancy that follows from it.
void collectPtxas(const PtxasLog &log, const Machine &machine, Report &report);

} // namespace tessera

#endif
