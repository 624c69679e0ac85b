// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- CommandLine.h - What the tools that launch kernels read alike ------===//

#ifndef TESSERA_TOOLS_TILE_RUN_COMMANDLINE_H
#define TESSERA_TOOLS_TILE_RUN_COMMANDLINE_H

#include <string>
#include <vector>

namespace tile_run {

/// How the tool calls itself in errors. Each tool defines it.
extern const char *const toolName;

/// Prints one line to stderr and ends the process with status 1.
[[noreturn]] void fail(const std::string &message);

/// Splits a text such as "3,4" at `separator`. An empty text has no pieces.
std::vector<std::string> split(const std::string &text, char separator);
/// These do not change `value` if the whole text is no number.
bool parseInteger(const std::string &text, long long &value);
bool parseDouble(const std::string &text, double &value);

/// If `arg` is --help, -h or --version, prints `help` or the version to stdout and ends the process
/// with status 0.
void answerHelpOrVersion(const std::string &arg, const char *help);

/// Reads the value of `--name=value` or `--name value`. Returns false if argument `i` is another
/// option.
bool takeValue(const std::string &name, int argc, char **argv, int &i, std::string &value);
/// A number from `low` to `high`, or a positive number of at most `high`. Refuses `inf`, which
/// neither clocks nor JSON can represent.
long long parseCount(const std::string &option, const std::string &value, long long low,
                     long long high);
double parsePositive(const std::string &option, const std::string &value, double high);
/// Whether an argument that starts with a minus is a number and not an option.
bool isNegativeNumber(const std::string &arg);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_COMMANDLINE_H
