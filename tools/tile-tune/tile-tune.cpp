// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- tile-tune.cpp - Times the members of a family ----------------------===//
//
// For each launch of a list, the members that are predicted to be the fastest are compared with a
// reference and timed in turns (Bench.h of tile-run). What comes out is how much the prediction
// loses, and the members that are worth compiling.

#include "Choice.h"
#include "CommandLine.h"
#include "Compare.h"
#include "Options.h"
#include "Problem.h"

#ifndef JSON_NOEXCEPTION
#define JSON_NOEXCEPTION
#endif
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <unistd.h>

const char *const tile_run::toolName = "tile-tune";

using namespace tessera::rt;
using namespace tile_run;
using namespace tile_tune;
using OrderedJson = nlohmann::ordered_json;

namespace {
/// A line of the file with the launches.
struct Line {
  std::string name, text; ///< "shapes.txt:3"
  std::vector<std::string> args;
};

/// A loaded artifact, with the kernel that is tuned.
struct Loaded {
  std::unique_ptr<Module> module;
  Kernel *kernel = nullptr;
};

class Tuner {
public:
  explicit Tuner(const tile_tune::Options &options)
      : options(options), watchdog(options.timeout), pool(options.threads) {}

  void load();
  /// What can be refused before anything is measured.
  void check(const std::vector<Line> &lines) const;
  void tune(const Line &line);
  /// Prints, and returns the exit status.
  int finish();

private:
  Loaded loadArtifact(const std::string &path, const std::string &kernel) const;
  bool agrees(const std::string &member, const std::map<size_t, HostArray> &found,
              const std::map<size_t, HostArray> &expected, const std::string &than,
              const Line &line);
  void print(const TunedLaunch &launch) const;
  void writeMembers(const std::vector<std::string> &kept) const;

  const tile_tune::Options &options;
  Watchdog watchdog;
  ThreadPool pool;
  Loaded tuned, reference;
  std::vector<TunedLaunch> launches;
  std::vector<std::pair<std::string, std::string>> wrong; ///< launches and members
};
} // namespace

static std::vector<Line> readLines(const std::string &path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file)
      fail("cannot read '" + path + "'");
  }
  std::istream &in = path == "-" ? std::cin : file;
  std::vector<Line> lines;
  std::string text;
  for (size_t number = 1; std::getline(in, text); ++number) {
    Line line;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      line.args.push_back(word);
      line.text += (line.text.empty() ? "" : " ") + word;
    }
    if (line.args.empty() || line.args[0][0] == '#')
      continue;
    line.name = (path == "-" ? "<stdin>" : path) + ":" + std::to_string(number);
    lines.push_back(std::move(line));
  }
  if (lines.empty())
    fail("'" + path + "' has no launch: each line has the arguments of one");
  return lines;
}

/// What found and expected may differ by, of the number and of the size of the array.
static double toleranceOf(Element element) {
  switch (element) {
  case Element::F64:
    return 1e-10;
  case Element::F32:
    return 1e-4;
  case Element::F16:
    return 4e-3;
  case Element::BF16:
    return 3e-2;
  default:
    return isFloat(element) ? 0.25 : 0;
  }
}

Loaded Tuner::loadArtifact(const std::string &path, const std::string &kernel) const {
  Loaded loaded;
  Error error;
  std::string bytes;
  if (!readFile(path, bytes, error.message))
    fail(error.message);
  loaded.module = Module::load(std::move(bytes), path, error);
  if (!loaded.module)
    fail(error.message);
  loaded.module->getBackend().setThreads(options.threads);
  loaded.kernel = loaded.module->find(kernel, error);
  if (!loaded.kernel)
    fail("'" + path + "': " + error.message);
  return loaded;
}

static bool areAlike(const Argument &a, const Argument &b) {
  return a.isMemref == b.isMemref && a.element == b.element && a.rank() == b.rank() &&
         writes(a.access) == writes(b.access);
}

void Tuner::load() {
  tuned = loadArtifact(options.artifact, options.kernel);
  tuned.module->getBackend().setDevice(options.device);
  const KernelContract &contract = tuned.kernel->getContract();
  if (!contract.isFamily())
    fail("kernel '" + contract.name + "' of '" + options.artifact +
         "' has one member, so there is nothing to choose: leave its parameters open, and compile "
         "with tilec --members=N");
  if (options.reference.empty())
    return;
  reference = loadArtifact(options.reference, contract.name);
  const KernelContract &other = reference.kernel->getContract();
  if (reference.module->getBackend().isGpu())
    fail("the reference '" + options.reference +
         "' is for a GPU: compile it for the CPU (tilec --target=cpu)");
  bool alike = other.args.size() == contract.args.size();
  for (size_t i = 0; alike && i < contract.args.size(); ++i)
    alike = areAlike(other.args[i], contract.args[i]);
  if (!alike)
    fail("kernel '" + other.name + "' of the reference '" + options.reference +
         "' has other arguments than kernel '" + contract.name + "'");
}

void Tuner::check(const std::vector<Line> &lines) const {
  for (const Line &line : lines)
    Problem::check(tuned.kernel->getContract(), line.args, line.name);
  if (options.output.empty())
    return;
  const bool isThere = std::ifstream(options.output).good();
  if (!std::ofstream(options.output, std::ios::app))
    fail("cannot write '" + options.output + "'");
  if (!isThere)
    std::remove(options.output.c_str());
}

/// Reports where they differ. `than`: whose result is expected.
bool Tuner::agrees(const std::string &member, const std::map<size_t, HostArray> &found,
                   const std::map<size_t, HostArray> &expected, const std::string &than,
                   const Line &line) {
  bool good = true;
  for (const auto &[arg, array] : found) {
    const std::string name = "'" + tuned.kernel->getContract().args[arg].name + "'";
    auto other = expected.find(arg);
    const double part = options.tolerance.value_or(toleranceOf(array.element));
    // The first comparison only measures the size.
    const Comparison size = compare(array, other->second, {1, 0, false}, pool);
    const double rms =
        size.count ? std::sqrt(size.expectedSquares / static_cast<double>(size.count)) : 0;
    const Comparison result =
        compare(array, other->second, {part, part * rms, !isFloat(array.element)}, pool);
    if (result.good())
      continue;
    good = false;
    std::fflush(stdout);
    std::fprintf(stderr, "tile-tune: error: %s: member %s differs from %s in %s: %s\n",
                 line.name.c_str(), member.c_str(), than.c_str(), name.c_str(),
                 describe(result, array.shape).c_str());
  }
  return good;
}

void Tuner::tune(const Line &line) {
  const KernelContract &contract = tuned.kernel->getContract();
  Problem problem(*tuned.kernel, line.args, line.name, &watchdog, pool);
  problem.take("");
  const std::vector<Ranked> ranking = problem.rank();
  std::map<size_t, HostArray> expected;
  std::string than = "the reference";
  if (reference.kernel)
    expected = Problem(*reference.kernel, line.args, line.name + ", the reference",
                       /*watchdog=*/nullptr, pool)
                   .run();
  TunedLaunch launch{line.name, line.text, {}, {}};
  for (const Ranked &ranked : ranking)
    if (ranked.variant)
      launch.possible.push_back(contract.members[ranked.member].name);
  std::vector<std::string> names;
  for (const Ranked &ranked : ranking) {
    if (!ranked.variant || (options.best && launch.members.size() >= options.best))
      continue;
    const std::string &name = contract.members[ranked.member].name;
    problem.take(name);
    std::map<size_t, HostArray> found = problem.run();
    if (!reference.kernel && names.empty()) {
      expected = std::move(found);
      than = "member " + name;
    } else if (!agrees(name, found, expected, than, line)) {
      wrong.emplace_back(line.text, name);
      continue;
    }
    Timed timed{name, contract.variants[*ranked.variant].name, std::nullopt, 0, ranked.isChosen};
    if (ranked.nanoseconds)
      timed.predictedUs = static_cast<double>(*ranked.nanoseconds) * 1e-3;
    launch.members.push_back(std::move(timed));
    names.push_back(name);
  }
  if (!names.empty()) {
    const std::vector<BenchResult> results = problem.measure(names, options.rounds);
    for (size_t i = 0; i < names.size(); ++i)
      launch.members[i].us = results[i].medianUs;
    launches.push_back(launch);
  }
  if (!options.json)
    print(launch);
}

void Tuner::print(const TunedLaunch &launch) const {
  const KernelContract &contract = tuned.kernel->getContract();
  std::printf("%s\n", launch.text.c_str());
  size_t width = 0;
  for (const Timed &timed : launch.members)
    width = std::max(width, timed.variant.size());
  for (const Timed &timed : launch.members) {
    const std::string gap(width - timed.variant.size() + 2, ' ');
    std::printf("  %s %s%s%12.3f us", timed.isChosen ? "*" : " ", timed.variant.c_str(),
                gap.c_str(), timed.us);
    if (timed.predictedUs)
      std::printf(", predicted %.3f us", *timed.predictedUs);
    const double slower = 100 * (timed.us / launch.fastest().us - 1);
    std::printf(slower > 0 ? ", %.1f %% slower than the fastest\n" : ", the fastest\n", slower);
  }
  if (const size_t others = contract.members.size() - launch.possible.size())
    std::printf("    %zu of the %zu members cannot take these arguments\n", others,
                contract.members.size());
  std::fflush(stdout);
}

void Tuner::writeMembers(const std::vector<std::string> &kept) const {
  std::ofstream file(options.output);
  file << "# The fastest members by tile-tune; tilec --members=FILE compiles them.\n";
  for (const std::string &member : kept)
    file << tuned.kernel->getContract().name << ": " << member << "\n";
  file.close();
  if (!file)
    fail("cannot write '" + options.output + "'");
}

static OrderedJson describe(const TunedLaunch &launch) {
  OrderedJson members = OrderedJson::array();
  for (const Timed &timed : launch.members) {
    OrderedJson one = {{"member", timed.member},
                       {"variant", timed.variant},
                       {"chosen", timed.isChosen},
                       {"median_us", timed.us}};
    if (timed.predictedUs)
      one["predicted_us"] = *timed.predictedUs;
    members.push_back(std::move(one));
  }
  OrderedJson json = {{"arguments", launch.text}, {"members", std::move(members)}};
  if (std::optional<double> loss = launch.loss())
    json["loss"] = *loss;
  return json;
}

int Tuner::finish() {
  const std::vector<std::string> kept = membersToKeep(launches, options.keep);
  const std::optional<Losses> losses = lossesOf(launches);
  if (options.json) {
    OrderedJson all = {{"kernel", tuned.kernel->getContract().name},
                       {"wrong", OrderedJson::array()},
                       {"launches", OrderedJson::array()}};
    for (const auto &[text, member] : wrong)
      all["wrong"].push_back({{"arguments", text}, {"member", member}});
    for (const TunedLaunch &launch : launches)
      all["launches"].push_back(describe(launch));
    if (losses)
      all["loss"] = {{"mean", losses->mean}, {"most", losses->most}};
    all["keep"] = kept;
    std::printf("%s\n", all.dump(2, ' ', false, OrderedJson::error_handler_t::replace).c_str());
  } else {
    if (losses)
      std::printf("%zu launches: the prediction loses %.1f %% on average, %.1f %% at most (%s)\n",
                  launches.size(), 100 * losses->mean, 100 * losses->most,
                  losses->worst->text.c_str());
    std::printf("to keep:");
    for (const std::string &member : kept)
      std::printf(" %s", member.c_str());
    std::printf("\n");
  }
  if (!wrong.empty())
    fail("some members are wrong, see above; no members are written");
  if (const TunedLaunch *without = launchWithout(kept, launches))
    fail(without->name + ": none of the members to keep takes these arguments; allow more of them "
                         "(--keep)");
  if (!options.output.empty())
    writeMembers(kept);
  return 0;
}

int main(int argc, char **argv) {
  std::set_new_handler([] {
    static const char message[] = "tile-tune: error: out of host memory\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
    _exit(1);
  });
  const tile_tune::Options options = parseOptions(argc, argv);
  const std::vector<Line> lines = readLines(options.shapes);
  Tuner tuner(options);
  tuner.load();
  tuner.check(lines);
  for (const Line &line : lines)
    tuner.tune(line);
  return tuner.finish();
}
