// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernel a diagnostic is about. Its location does not tell, because variants of a kernel and
// members of a family have one location.
#ifndef TESSERA_TARGET_DIAGNOSEDKERNEL_H
#define TESSERA_TARGET_DIAGNOSEDKERNEL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace tessera {

/// Notes the symbol of the kernel, in the metadata of the diagnostic.
inline void noteKernel(mlir::Diagnostic &diagnostic, mlir::StringAttr kernel) {
  diagnostic.getMetadata().push_back(
      mlir::DiagnosticArgument(mlir::Attribute(mlir::FlatSymbolRefAttr::get(kernel))));
}

/// The kernel, or the variant, that was noted; empty if none was: the diagnostic is about the whole
/// module, or nobody knows.
inline llvm::StringRef diagnosedKernel(mlir::Diagnostic &diagnostic) {
  for (const mlir::DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      if (auto name = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(argument.getAsAttribute()))
        return name.getValue();
  return "";
}

} // namespace tessera

#endif
