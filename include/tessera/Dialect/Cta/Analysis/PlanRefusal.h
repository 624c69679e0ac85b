// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors that another plan of the kernel may not have, marked as such for who tries plans.
//
//   return refusePlan(launch.emitError()) << "the channels need " << bytes << " bytes …";
//
// The mark is metadata of the diagnostic: handlers that know nothing of it print what they always
// did.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PLANREFUSAL_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PLANREFUSAL_H

#include "mlir/IR/Diagnostics.h"

namespace tessera::cta {

/// Marks an error that is about the plan, not about the program.
mlir::InFlightDiagnostic refusePlan(mlir::InFlightDiagnostic error);

bool isPlanRefusal(mlir::Diagnostic &diagnostic);

} // namespace tessera::cta

#endif
