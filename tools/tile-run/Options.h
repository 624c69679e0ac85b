// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Options.h - The command line of tile-run ---------------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_OPTIONS_H
#define TESSERA_TOOLS_TILE_RUN_OPTIONS_H

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tile_run {

enum class Bench { None, Burst, Sustained, Overhead };

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

/// Prints one line to stderr and ends the process with status 1.
[[noreturn]] void fail(const std::string &message);

/// Ends the process on --help, on --version and after an error.
Options parseOptions(int argc, char **argv);

/// Splits a text such as "3,4" at `separator`. An empty text has no pieces.
std::vector<std::string> split(const std::string &text, char separator);
/// These do not change `value` if the whole text is no number.
bool parseInteger(const std::string &text, long long &value);
bool parseDouble(const std::string &text, double &value);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_OPTIONS_H
