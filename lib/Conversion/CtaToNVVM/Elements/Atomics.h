// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowerings of atomics and of private tables ask of each other.
#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_ATOMICS_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_ATOMICS_H

#include "../GlobalAccess.h"

namespace tessera::nvvm {

/// One relaxed step of the device on an element of global memory, where the predicate holds (null:
/// everywhere). Nobody wants to know what was there.
void makeStep(Lowering &f, tile::AtomicKind kind, Type element, Value pointer, Value predicate,
              Value value);

/// A cta.atomic whose steps are made in a private table.
LogicalResult lowerStepsInTable(Lowering &f, cta::AtomicOp op);

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_ATOMICS_H
