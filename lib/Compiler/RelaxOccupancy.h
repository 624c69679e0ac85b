// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The next plan for a function that spills because several of its blocks shall share an SM: one
// block, and all registers.
#ifndef TESSERA_LIB_COMPILER_RELAXOCCUPANCY_H
#define TESSERA_LIB_COMPILER_RELAXOCCUPANCY_H

#include "llvm/IR/Function.h"

namespace tessera {

/// Whether the function is to leave registers for a second block. Functions that deal registers
/// out themselves (setmaxnreg) count on their cap and are left alone.
bool sharesAnSM(llvm::Function &function);

/// Lets one block have all registers.
void giveAnSM(llvm::Function &function);

} // namespace tessera

#endif
