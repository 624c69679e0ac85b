// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: which members of a family an artifact holds (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_INPUT_CHOOSEMEMBERS_H
#define TESSERA_LIB_COMPILER_INPUT_CHOOSEMEMBERS_H

#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Pipelines.h"

#include <functional>

namespace tessera {

/// The most members that an artifact holds if the host does not say.
constexpr unsigned kMostMembers = 8;
/// The most bindings that are compared. Beyond them a family is compared by its first ones.
constexpr size_t kMostCandidates = 96;

/// The most members whose last wave may also be divided (stream-K), which are candidates of their
/// own.
constexpr size_t kMostDivided = 16;

/// A member of an artifact.
struct Member {
  tile::Binding binding;
  /// True if blocks share the iterations of the output tiles of the last wave (stream-K), where the
  /// compiler expects that to pay at some sizes.
  bool isDivided = false;
  /// How artifacts call it: "BM=128,BN=64", "BM=128,BN=64,stream-k".
  std::string text() const;
  /// What follows the name of the family in that of the member: "_BM128_BN64_stream_k".
  std::string suffix() const;
  /// States in the kernel, whose parameters have been bound, what the binding does not say.
  void applyTo(tile::KernelOp kernel) const;
};

/// What was found about a family.
struct MemberChoice {
  std::vector<Member> members; ///< in the order of the choices; not empty
  size_t candidates = 0;       ///< that compile and have a predicted time; 0: none was sought
  /// How much slower than the best candidate the members are predicted to be, on average over the
  /// sizes that were looked at: 0.01 is 1 %.
  double loss = 0;
  bool servesAll = true; ///< a member takes each of those sizes that a candidate takes
};

/// What the compilation does with a candidate beside binding it.
struct CandidateOptions {
  TilePipelineOptions pipeline;
  /// Applies the options of the host to a copy of the module, before parameters are bound, and
  /// checks the limits of a module that holds the candidate alone. Where they fail, with
  /// diagnostics that nobody sees, the candidate is none.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> apply, check;
  /// True if the compilation must end.
  std::function<bool()> shouldStop;
};

/// Chooses up to `most` members of the kernel, among the bindings with the values of `fixed`: those
/// that are together the fastest over many sizes, as the model predicts, and that serve all sizes
/// that some binding serves, if `most` admits so many; otherwise a warning says so. Each candidate
/// is compiled to phase *planned* in a module of its own; one that does not get there is none. The
/// best kMostDivided bindings are also tried with a divided last wave, if the kernel has no plan.
/// Fails with an error if there is no binding at all, and without one if the compilation must end.
mlir::FailureOr<MemberChoice> chooseMembers(tile::KernelOp kernel, const tile::Binding &fixed,
                                            size_t most, const CandidateOptions &options);

} // namespace tessera

#endif
