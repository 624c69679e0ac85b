// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The next plan for a function that spills because several of its blocks are to share an SM: one
// block per SM, which has all registers.
#ifndef TESSERA_LIB_COMPILER_GPU_RELAXOCCUPANCY_H
#define TESSERA_LIB_COMPILER_GPU_RELAXOCCUPANCY_H

#include "llvm/IR/Function.h"

namespace tessera {

/// Whether the function is compiled so that several of its blocks fit an SM. Functions that move
/// registers between warpgroups (setmaxnreg) depend on their number of registers and are left
/// alone.
bool sharesAnSM(llvm::Function &function);

/// Lets one block have all registers of an SM.
void giveAnSM(llvm::Function &function);

} // namespace tessera

#endif
