// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/PlanRefusal.h"

#include "tessera/Dialect/Tile/Transforms.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

static DiagnosticArgument markFor(Location loc) {
  return DiagnosticArgument(StringAttr::get(loc.getContext(), "cta.plan_refused"));
}

InFlightDiagnostic tessera::cta::refusePlan(InFlightDiagnostic error) {
  if (Diagnostic *diagnostic = error.getUnderlyingDiagnostic())
    diagnostic->getMetadata().push_back(markFor(diagnostic->getLocation()));
  return error;
}

bool tessera::cta::isPlanRefusal(Diagnostic &diagnostic) {
  const Attribute mark = markFor(diagnostic.getLocation()).getAsAttribute();
  return llvm::any_of(diagnostic.getMetadata(), [&](const DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Attribute &&
           argument.getAsAttribute() == mark;
  });
}
