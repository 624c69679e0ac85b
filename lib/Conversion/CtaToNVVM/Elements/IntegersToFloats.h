// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of at most 8 bits to f16 and bf16, two at a time.
#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_INTEGERSTOFLOATS_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_INTEGERSTOFLOATS_H

#include "../Lowering.h"

#include <optional>
#include <utility>

namespace tessera::nvvm {

/// The results of arith.sitofp or arith.uitofp for the registers `reg` and `reg` + 1 of its
/// operand, which are `low` and `high`; nothing if the op is another one, or its types are not
/// those for which there is a quick way.
std::optional<std::pair<Value, Value>> convertIntegers(Lowering &f, Operation *op, size_t reg,
                                                       Value low, Value high);

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_ELEMENTS_INTEGERSTOFLOATS_H
