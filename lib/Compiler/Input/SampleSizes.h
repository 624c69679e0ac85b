// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: sizes of launches for which predicted times of kernels are compared.
#ifndef TESSERA_LIB_COMPILER_INPUT_SAMPLESIZES_H
#define TESSERA_LIB_COMPILER_INPUT_SAMPLESIZES_H

#include "Input/GivenSizes.h"

namespace tessera {

/// Sizes of a launch.
struct SampledShape {
  std::vector<std::vector<int64_t>> extents; ///< for each argument and dimension
  /// Looked at so that a kernel takes them, not for their speed: an extent that nobody named is
  /// larger than usual ones, or an array of such extents has more elements than a square matrix of
  /// the largest of those (many images of many pixels).
  bool isRare = false;
  size_t entry = 0;  ///< of the known sizes
  double weight = 1; ///< all of an entry together have 1
};

/// Sizes all over the range that the facts of the kernels leave, or, if some are known, of these
/// launches only. The kernels have the same arguments. `largestUsual`: extents beyond are rare.
std::vector<SampledShape> sampleSizes(llvm::ArrayRef<const contract::Kernel *> kernels,
                                      llvm::ArrayRef<KnownSizes> known, int64_t largestUsual);

} // namespace tessera

#endif
