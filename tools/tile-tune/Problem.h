// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Problem.h - A launch with its arrays on the device -----------------===//

#ifndef TESSERA_TOOLS_TILE_TUNE_PROBLEM_H
#define TESSERA_TOOLS_TILE_TUNE_PROBLEM_H

#include "Bench.h"
#include "Buffer.h"
#include "Input.h"
#include "Watchdog.h"

#include "tessera/Runtime/Launcher.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tile_tune {

/// The arguments of a kernel, made from the texts of a command line, on the device of the kernel's
/// module. Two problems of the same texts have the same numbers.
class Problem {
public:
  /// `line` is what errors call the launch. Without a watchdog a launch may take any time.
  Problem(tessera::rt::Kernel &kernel, const std::vector<std::string> &texts, std::string line,
          tile_run::Watchdog *watchdog, tessera::rt::ThreadPool &pool);
  ~Problem();
  Problem(const Problem &) = delete;
  Problem &operator=(const Problem &) = delete;

  /// Refuses texts that cannot be arguments of the kernel, as far as they say so themselves.
  static void check(const tessera::rt::KernelContract &contract,
                    const std::vector<std::string> &texts, const std::string &line);
  /// The members, those that are predicted to be the fastest first.
  std::vector<tessera::rt::Ranked> rank();
  /// Launches once, on arrays as they are given, and returns what the kernel writes, by the number
  /// of the argument.
  std::map<size_t, tile_run::HostArray> run();
  /// Measures bursts of launches by each of these members.
  std::vector<tile_run::BenchResult> measure(const std::vector<std::string> &members,
                                             unsigned rounds);
  /// Restricts launches to a member.
  void take(const std::string &member);

private:
  std::string what(size_t arg) const;
  void must(bool good);

  tessera::rt::Kernel &kernel;
  const tessera::rt::KernelContract &contract;
  const std::string line;
  tessera::rt::Backend &backend;
  tessera::rt::BackendScope scope;
  tile_run::Watchdog *const watchdog;
  std::string activity; ///< what the watchdog calls a launch
  tessera::rt::Error error;
  std::vector<std::unique_ptr<tile_run::Buffer>> buffers; ///< null for scalars
  std::vector<uint64_t> addresses, owned;
  std::vector<tessera_rt_arg> args;
};

} // namespace tile_tune

#endif // TESSERA_TOOLS_TILE_TUNE_PROBLEM_H
