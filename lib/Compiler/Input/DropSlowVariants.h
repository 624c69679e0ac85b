// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: which variants the members of a family have (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_INPUT_DROPSLOWVARIANTS_H
#define TESSERA_LIB_COMPILER_INPUT_DROPSLOWVARIANTS_H

#include "Input/GivenSizes.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera {

/// True if the module, before phase *planned*, has several members of a family.
bool hasFamilies(mlir::ModuleOp module);

/// Removes variants that are slower than others of their kernel, in phase *planned*. For each such
/// variant (`operands`, `cp_async`, `repack`, `any`, …) those few members of a family keep it that
/// are together the fastest. A member also keeps it if it takes launches that these do not take.
void dropSlowVariants(mlir::ModuleOp module, llvm::ArrayRef<GivenLaunches> sizes = {});

} // namespace tessera

#endif
