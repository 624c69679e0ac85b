// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Choice.h"

#include <algorithm>

using namespace tile_tune;

static bool isFaster(const Timed &a, const Timed &b) { return a.us < b.us; }

const Timed &TunedLaunch::fastest() const {
  return *std::min_element(members.begin(), members.end(), isFaster);
}

std::optional<double> TunedLaunch::loss() const {
  for (const Timed &timed : members)
    if (timed.isChosen)
      return timed.us / fastest().us - 1;
  return std::nullopt;
}

std::optional<Losses> tile_tune::lossesOf(const std::vector<TunedLaunch> &launches) {
  Losses losses;
  size_t count = 0;
  for (const TunedLaunch &launch : launches) {
    const std::optional<double> loss = launch.loss();
    if (!loss)
      continue;
    ++count;
    losses.mean += *loss;
    if (!losses.worst || *loss > losses.most) {
      losses.most = *loss;
      losses.worst = &launch;
    }
  }
  if (!count)
    return std::nullopt;
  losses.mean /= static_cast<double>(count);
  return losses;
}

static bool isPossible(const TunedLaunch &launch, const std::string &member) {
  return std::find(launch.possible.begin(), launch.possible.end(), member) != launch.possible.end();
}

const TunedLaunch *tile_tune::launchWithout(const std::vector<std::string> &members,
                                            const std::vector<TunedLaunch> &launches) {
  for (const TunedLaunch &launch : launches)
    if (std::none_of(members.begin(), members.end(),
                     [&](const std::string &member) { return isPossible(launch, member); }))
      return &launch;
  return nullptr;
}

std::vector<std::string> tile_tune::membersToKeep(const std::vector<TunedLaunch> &launches,
                                                  size_t keep) {
  constexpr double untimed = 100, impossible = 1e9, equal = 1.01;
  std::vector<std::string> candidates, kept;
  for (const TunedLaunch &launch : launches)
    if (const std::string &best = launch.fastest().member;
        std::find(candidates.begin(), candidates.end(), best) == candidates.end())
      candidates.push_back(best);
  std::vector<double> reached(launches.size(), impossible);
  auto ratio = [&](size_t launch, const std::string &member) {
    for (const Timed &timed : launches[launch].members)
      if (timed.member == member)
        return std::min(timed.us / launches[launch].fastest().us, untimed);
    return isPossible(launches[launch], member) ? untimed : impossible;
  };
  auto sum = [&](const std::string &member) {
    double all = 0;
    for (size_t i = 0; i < launches.size(); ++i)
      all += std::min(reached[i], ratio(i, member));
    return all;
  };
  while (!candidates.empty() && (keep == 0 || kept.size() < keep) &&
         std::any_of(reached.begin(), reached.end(), [=](double r) { return r > equal; })) {
    auto best = std::min_element(
        candidates.begin(), candidates.end(),
        [&](const std::string &a, const std::string &b) { return sum(a) < sum(b); });
    for (size_t i = 0; i < launches.size(); ++i)
      reached[i] = std::min(reached[i], ratio(i, *best));
    kept.push_back(*best);
    candidates.erase(best);
  }
  return kept;
}
