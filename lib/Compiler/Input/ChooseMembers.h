// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: which members of a family an artifact holds (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_INPUT_CHOOSEMEMBERS_H
#define TESSERA_LIB_COMPILER_INPUT_CHOOSEMEMBERS_H

#include "tessera/Dialect/Tile/Params/Params.h"

namespace tessera {

/// The most members that an artifact holds if the host does not say.
constexpr unsigned kMostMembers = 8;
/// The most bindings that are compared. Beyond them a family is compared by its first ones.
constexpr size_t kMostCandidates = 96;

/// What was found about a family.
struct MemberChoice {
  std::vector<tile::Binding> members; ///< in the order of the choices; not empty
  size_t candidates = 0;              ///< that compile and have a predicted time
  /// How much slower than the best candidate the members are predicted to be, on average over the
  /// sizes that were looked at: 0.01 is 1 %.
  double loss = 0;
};

/// Chooses up to `most` members of the kernel, among the bindings with the values of `fixed`: those
/// that are together the fastest over many sizes, as the model predicts. Each candidate is compiled
/// to phase *planned* in a module of its own; one that does not get there is none. Fails, with an
/// error, if there is no binding at all.
mlir::FailureOr<MemberChoice> chooseMembers(tile::KernelOp kernel, const tile::Binding &fixed,
                                            size_t most);

} // namespace tessera

#endif
