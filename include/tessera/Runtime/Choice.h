// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Choice.h - Which variant a launch takes ----------------------------===//
//
// A kernel is one member or a family of them (docs/Contract.md, "Families"). Of each member the
// first variant that can take the arguments is its candidate, or a later one that is predicted to
// take clearly less time. The launcher takes the candidate of the least predicted time. All
// functions are about arguments whose facts have been checked.

#ifndef TESSERA_RUNTIME_CHOICE_H
#define TESSERA_RUNTIME_CHOICE_H

#include "tessera/Runtime/Facts.h"
#include "tessera/Runtime/OnDemand.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::rt {

/// What launches are restricted to.
struct Forced {
  enum class Kind : uint8_t { Nothing, Variant, Member };
  Kind kind = Kind::Nothing;
  size_t index = 0;

  /// A number for each restriction.
  uint64_t key() const { return uint64_t{index} << 2 | static_cast<uint64_t>(kind); }
};

/// A member, and what a launch of it would be.
struct Ranked {
  size_t member = 0;
  std::optional<size_t> variant;      ///< none: the member cannot take the arguments
  std::optional<int64_t> nanoseconds; ///< as predicted; none: the contract does not say
  std::string reason;                 ///< why there is no variant
  bool isChosen = false;              ///< a launch takes this variant
};

/// The variant that a launch takes, of those that are not `missing` (which may be empty). The error
/// says what no variant has found.
bool chooseVariant(const KernelContract &kernel, const std::vector<BoundArg> &args, int64_t cores,
                   const Forced &forced, const MissingCode &missing, size_t &variant,
                   std::string &error);

/// All members: by predicted time, then those without one, then those that cannot take the
/// arguments. A variant that is forced stands for its member.
std::vector<Ranked> rankMembers(const KernelContract &kernel, const std::vector<BoundArg> &args,
                                int64_t cores, const Forced &forced, const MissingCode &missing);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_CHOICE_H
