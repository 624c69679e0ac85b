// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandLine.h"

#include "tessera/Runtime/tessera_runtime.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace tile_run {

void fail(const std::string &message) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: error: %s\n", toolName, message.c_str());
  std::exit(1);
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size() || (at == text.size() && !parts.empty());) {
    size_t end = text.find(separator, at);
    if (end == std::string::npos)
      end = text.size();
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool parseInteger(const std::string &text, long long &value) {
  if (text.empty() || text[0] == ' ')
    return false;
  errno = 0;
  char *end = nullptr;
  size_t digits = text[0] == '-' || text[0] == '+';
  bool hexadecimal = text.compare(digits, 2, "0x") == 0;
  long long number = std::strtoll(text.c_str(), &end, hexadecimal ? 16 : 10);
  if (errno != 0 || end != text.c_str() + text.size())
    return false;
  value = number;
  return true;
}

bool parseDouble(const std::string &text, double &value) {
  if (text.empty() || text[0] == ' ')
    return false;
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size())
    return false;
  value = number;
  return true;
}

void answerHelpOrVersion(const std::string &arg, const char *help) {
  if (arg == "--version")
    std::printf("tessera %s\n", tessera_rt_version());
  else if (arg == "--help" || arg == "-h")
    std::fputs(help, stdout);
  else
    return;
  std::exit(0);
}

bool takeValue(const std::string &name, int argc, char **argv, int &i, std::string &value) {
  std::string arg = argv[i];
  if (arg == name) {
    if (i + 1 >= argc)
      fail(name + " needs a value");
    value = argv[++i];
    return true;
  }
  if (arg.compare(0, name.size() + 1, name + "=") != 0)
    return false;
  value = arg.substr(name.size() + 1);
  return true;
}

long long parseCount(const std::string &option, const std::string &value, long long low,
                     long long high) {
  long long number;
  if (!parseInteger(value, number) || number < low || number > high)
    fail(option + " needs a number from " + std::to_string(low) + " to " + std::to_string(high) +
         ", not '" + value + "'");
  return number;
}

double parsePositive(const std::string &option, const std::string &value, double high) {
  double number;
  if (!parseDouble(value, number) || !(number > 0) || !(number <= high)) {
    char limit[32];
    std::snprintf(limit, sizeof(limit), "%.15g", high);
    fail(option + " needs a positive number of at most " + limit + ", not '" + value + "'");
  }
  return number;
}

bool isNegativeNumber(const std::string &arg) {
  return arg.size() > 1 && arg[0] == '-' &&
         ((arg[1] >= '0' && arg[1] <= '9') || arg[1] == '.' || arg == "-inf" || arg == "-nan");
}

} // namespace tile_run
