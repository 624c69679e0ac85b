// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Options.h - The command line of tile-tune --------------------------===//

#ifndef TESSERA_TOOLS_TILE_TUNE_OPTIONS_H
#define TESSERA_TOOLS_TILE_TUNE_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

namespace tile_tune {

struct Options {
  std::string artifact, kernel, shapes, reference, output;
  unsigned best = 8, rounds = 7, keep = 0, threads = 0;
  int device = 0;
  double timeout = 30;
  std::optional<double> tolerance;
  bool json = false;
};

/// Ends the process on --help, on --version and after an error.
Options parseOptions(int argc, char **argv);

} // namespace tile_tune

#endif // TESSERA_TOOLS_TILE_TUNE_OPTIONS_H
