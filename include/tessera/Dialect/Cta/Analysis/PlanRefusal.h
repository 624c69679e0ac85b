// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Marks errors that another plan of the kernel may avoid, for code that tries several plans.
//
//   return refusePlan(launch.emitError()) << "the channels need " << bytes << " bytes …";
//
// The mark is metadata of the diagnostic. Handlers that do not know it print the same text as
// without it.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PLANREFUSAL_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PLANREFUSAL_H

#include "mlir/IR/Diagnostics.h"

namespace tessera::cta {

/// Marks an error as one about the plan and not about the program. Returns the same diagnostic.
mlir::InFlightDiagnostic refusePlan(mlir::InFlightDiagnostic error);

bool isPlanRefusal(mlir::Diagnostic &diagnostic);

} // namespace tessera::cta

#endif
