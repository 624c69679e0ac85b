// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: a choice among kernels that compute the same, by their predicted times
// (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_INPUT_TAKEFASTEST_H
#define TESSERA_LIB_COMPILER_INPUT_TAKEFASTEST_H

#include "Input/SampleSizes.h"

namespace tessera {

/// The size of a dimension, or its stride in elements, is a multiple of a number.
struct DivisibleExtent {
  unsigned arg, dim;
  bool isStride;
  int64_t divisor;
};

/// How many nanoseconds launches take whose arrays are such, in another variant of a kernel.
struct TimeOfVariant {
  contract::Expr cost;
  std::vector<DivisibleExtent> facts;
};

/// A kernel, and how many nanoseconds a launch of it should take.
struct TimedKernel {
  contract::Kernel kernel; ///< arguments, and the conditions of a launch; no variants
  contract::Expr cost;
  bool hasProducts = false;
  std::optional<TimeOfVariant> variant = {}; ///< that takes a launch if it can
};

/// The kernels that were taken.
struct Taken {
  std::vector<size_t> kernels; ///< their numbers, ascending
  /// How much slower than the best kernel they are predicted to be, on average over the sizes that
  /// were looked at: 0.01 is 1 %.
  double loss = 0;
  bool servesAll = true; ///< they take each of those sizes that a kernel takes
  /// The known sizes, by their numbers, of which no kernel takes a launch.
  std::vector<size_t> refused;
};

/// Takes up to `most` of the kernels, whose arguments are the same: those that are together the
/// fastest on a machine with `cores` SMs, and beside those of `known`, which are taken already. The
/// second and each one after it lowers the mean predicted time by the fraction `leastGain`. Where
/// `sizes` are known, for launches of these. None are taken if no time can be predicted.
Taken takeFastest(llvm::ArrayRef<const TimedKernel *> kernels, size_t most, double leastGain,
                  int64_t cores, llvm::ArrayRef<KnownSizes> sizes,
                  llvm::ArrayRef<const TimedKernel *> known = {});

} // namespace tessera

#endif
