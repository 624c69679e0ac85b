// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a trace as straight-line code.
#ifndef TESSERA_LIB_SIMULATE_SERIALIZE_H
#define TESSERA_LIB_SIMULATE_SERIALIZE_H

#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

/// Emits what the events of a trace do, in the order of the trace, as ops of phase placed.
mlir::LogicalResult serialize(const Program &program, llvm::ArrayRef<int> trace,
                              mlir::OpBuilder &builder);

} // namespace tessera::simulate

#endif
