// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a function spills. ptxas says how many bytes it spills, but not where: a number that is
// read back once for each output tile costs nothing, one that is read in each iteration of the main
// loop much.
#ifndef TESSERA_TARGET_SPILLPLACES_H
#define TESSERA_TARGET_SPILLPLACES_H

#include "llvm/ADT/StringRef.h"

namespace tessera {

/// True unless the function of the cubin is known to access local memory (LDL, STL) only outside
/// its innermost loops with matrix products (HGMMA). Reads the machine code of sm_90, in which an
/// instruction has 16 bytes; the opcodes are those that nvdisasm shows. For other code, and for
/// what is no cubin, the answer is true.
bool maySpillInProductLoops(llvm::StringRef cubin, llvm::StringRef function);
/// The same for the machine code of a function.
bool maySpillInProductLoops(llvm::StringRef code);

} // namespace tessera

#endif
