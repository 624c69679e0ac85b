// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Choice.h - What the times of the members say -----------------------===//

#ifndef TESSERA_TOOLS_TILE_TUNE_CHOICE_H
#define TESSERA_TOOLS_TILE_TUNE_CHOICE_H

#include <optional>
#include <string>
#include <vector>

namespace tile_tune {

/// A member for one launch.
struct Timed {
  std::string member, variant;
  std::optional<double> predictedUs;
  double us = 0;
  bool isChosen = false; ///< by the launcher
};

/// A launch: the members that were timed, at least one, those with the least prediction first.
struct TunedLaunch {
  std::string name, text; ///< name: where it stands
  std::vector<Timed> members;
  /// All that can take the arguments, also those that were not timed.
  std::vector<std::string> possible;

  const Timed &fastest() const;
  /// By which part the member that the launcher takes is slower than the fastest one. Nothing if it
  /// was not timed.
  std::optional<double> loss() const;
};

/// The mean and the largest of the losses, and the launch with that; nothing if there is none.
struct Losses {
  double mean = 0, most = 0;
  const TunedLaunch *worst = nullptr;
};
std::optional<Losses> lossesOf(const std::vector<TunedLaunch> &launches);

/// Members of which each launch has one that takes no more than 1 % longer than the fastest one:
/// equal kernels differ by half of that. They are in the order in which they help: the first one
/// can take the most launches, and of such has the least time on average, relative to the fastest
/// one of each launch, and so on. With `keep` these many at most. A launch that a member was not
/// timed for counts as if it took a hundred times as long.
std::vector<std::string> membersToKeep(const std::vector<TunedLaunch> &launches, size_t keep);

/// A launch that none of the members can take, or null.
const TunedLaunch *launchWithout(const std::vector<std::string> &members,
                                 const std::vector<TunedLaunch> &launches);

} // namespace tile_tune

#endif // TESSERA_TOOLS_TILE_TUNE_CHOICE_H
