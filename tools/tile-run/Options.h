// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Options.h - The command line of tile-run ---------------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_OPTIONS_H
#define TESSERA_TOOLS_TILE_RUN_OPTIONS_H

#include "Bench.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tile_run {

struct Options {
  std::string artifact, kernel, variant, member;
  std::vector<std::string> args;
  /// The pairs (argument, file) of --out, and (argument, reference) of --check.
  std::vector<std::pair<std::string, std::string>> outs, checks;
  std::vector<std::string> prints;
  Bench bench = Bench::None;
  bool json = false, list = false, guard = false, move = false, explain = false,
       dependentLaunch = true, places = true;
  unsigned repeat = 1, threads = 0;
  int device = 0;
  double timeout = 30;
  std::optional<double> flops;
};

/// Ends the process on --help, on --version and after an error.
Options parseOptions(int argc, char **argv);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_OPTIONS_H
