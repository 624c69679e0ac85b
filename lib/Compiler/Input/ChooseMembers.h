// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: which members of a family an artifact holds (docs/design/Families.md).
#ifndef TESSERA_LIB_COMPILER_INPUT_CHOOSEMEMBERS_H
#define TESSERA_LIB_COMPILER_INPUT_CHOOSEMEMBERS_H

#include "Input/TakeFastest.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Pipelines.h"

#include <functional>
#include <map>

namespace tessera {

/// The most members that an artifact holds if the host does not say. Kernels without products
/// compile in a fraction of the time, and what their tiles leave empty costs as much.
constexpr unsigned kMostMembers = 8, kMostWithoutProducts = 20;
/// The most bindings that are compared. Of a larger family that is a sample.
constexpr size_t kMostCandidates = 96;

/// The most bindings whose last wave may also be divided (stream-K), as candidates of their own.
constexpr size_t kMostDivided = 16;

/// A member of a family.
struct Member {
  tile::Binding binding; ///< empty for a kernel without parameters
  /// True if blocks share the iterations of the output tiles of the last wave (stream-K), where the
  /// compiler expects that to pay at some sizes.
  bool isDivided = false;
  bool operator==(const Member &other) const {
    return binding == other.binding && isDivided == other.isDivided;
  }
  /// How artifacts call it: "BM=128,BN=64" or "BM=128,BN=64,stream-k"; without parameters "whole"
  /// or "stream-k".
  std::string text() const;
  /// What follows the name of the family in that of the member: "_BM128_BN64_stream_k".
  std::string suffix() const;
  /// States in the kernel, whose parameters have been bound, what the binding does not say.
  void applyTo(tile::KernelOp kernel) const;
};

/// A member that compiles as far as its predicted time.
struct Candidate : TimedKernel {
  Member member;
};

/// A candidate that turned out not to compile.
struct LeftOut {
  Member member;
  std::string why;
};

/// A kernel whose parameters leave a choice, and what is known about its members.
struct Family {
  size_t legal = 0;                  ///< bindings that go together
  bool hasMore = false;              ///< than `legal`, or may have
  size_t compared = 0;               ///< bindings that were looked at
  std::vector<Candidate> candidates; ///< of those the ones that compile and have a predicted time
  std::vector<LeftOut> leftOut;      ///< that are none of `candidates` any more
  std::vector<KnownSizes> sizes;     ///< of the launches for which members are chosen; empty: all
  /// How many an artifact holds at most, if the host does not say.
  unsigned mostMembers() const;
};

/// By the name of the kernel.
using Families = std::map<std::string, Family>;

/// Which members an artifact holds.
struct MemberChoice {
  std::vector<Member> members = {}; ///< in the order of the choices; not empty
  size_t candidates = 0;            ///< among which they were chosen; 0: none was sought
  /// How much slower than the best candidate the members are predicted to be, on average over the
  /// sizes that were looked at: 0.01 is 1 %.
  double loss = 0;
  bool servesAll = true; ///< a member takes each of those sizes that a candidate takes
  std::vector<size_t> refused =
      {}; ///< entries of Family::sizes of which no candidate takes a launch
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
  /// What the host says of the launches for which members are chosen.
  std::vector<GivenLaunches> sizes;
};

/// Whether blocks would hand partial sums to each other in this member, which is to be divided. A
/// plan or `reassoc = off` excludes it, and so do sums that cannot be cut.
bool canBeDivided(tile::KernelOp kernel, const Member &member, const CandidateOptions &options);

/// Compiles each binding with the values of `fixed`, or kMostCandidates of them, to phase *planned*
/// in a module of its own; one that does not get there is no candidate. The best kMostDivided of
/// them are also tried with a divided last wave, if the kernel has no plan. One binding is compared
/// with itself, divided, only if `alsoOne`. Fails, without an error, if the compilation must end.
mlir::FailureOr<Family> compareMembers(tile::KernelOp kernel, const tile::Binding &fixed,
                                       bool alsoOne, const CandidateOptions &options);

/// Chooses up to `most` of the candidates, of which there is one at least: those that are together
/// the fastest over many sizes, as the model predicts, and that serve all sizes that some candidate
/// serves, if `most` admits so many; otherwise a warning says so. An error if no candidate takes
/// launches of sizes that are known.
mlir::FailureOr<MemberChoice> chooseMembers(tile::KernelOp kernel, const Family &family,
                                            size_t most);

} // namespace tessera

#endif
