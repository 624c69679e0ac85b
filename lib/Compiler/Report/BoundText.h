// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: a line of both texts of the report.
#ifndef TESSERA_LIB_COMPILER_REPORT_BOUNDTEXT_H
#define TESSERA_LIB_COMPILER_REPORT_BOUNDTEXT_H

#include "tessera/Report.h"

namespace tessera {

/// "  bound: BM = 128, BN = 256; of 12 members …" with a line break, without parameters "  as it
/// stands; one of 2 members …"; empty for a kernel without parameters that has no other member.
std::string boundText(const KernelReport &kernel);

} // namespace tessera

#endif
