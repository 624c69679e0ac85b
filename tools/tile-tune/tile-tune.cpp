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
  void tune(const Line &line);
  /// Prints, and returns the exit status.
  int finish();

private:
  Loaded loadArtifact(const std::string &path, const std::string &kernel) const;
  bool agrees(const std::string &member, const std::map<size_t, HostArray> &found,
              const std::map<size_t, HostArray> &expected, const Line &line);
  void print(const TunedLaunch &launch, const std::vector<Ranked> &ranking) const;
  void writeMembers(const std::vector<std::string> &kept) const;

  const tile_tune::Options &options;
  Watchdog watchdog;
  ThreadPool pool;
  Loaded tuned, reference;
  std::vector<TunedLaunch> launches;
  size_t wrong = 0;
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
    fail(error.message);
  return loaded;
}

void Tuner::load() {
  tuned = loadArtifact(options.artifact, options.kernel);
  tuned.module->getBackend().setDevice(options.device);
  const KernelContract &contract = tuned.kernel->getContract();
  if (!contract.isFamily())
    fail("kernel '" + contract.name + "' of '" + options.artifact +
         "' has one member, so there is nothing to choose: leave its parameters open, and compile "
         "with tilec --members=N");
  if (!options.reference.empty())
    reference = loadArtifact(options.reference, contract.name);
}

/// Reports where they differ.
bool Tuner::agrees(const std::string &member, const std::map<size_t, HostArray> &found,
                   const std::map<size_t, HostArray> &expected, const Line &line) {
  bool good = true;
  for (const auto &[arg, array] : found) {
    const std::string name = "'" + tuned.kernel->getContract().args[arg].name + "'";
    auto other = expected.find(arg);
    if (other == expected.end() || other->second.shape != array.shape ||
        other->second.element != array.element)
      fail(line.name + ": the kernel of the reference does not write " + name +
           " of the same shape and type");
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
    std::fprintf(stderr, "tile-tune: error: %s: member %s differs from the reference in %s: %s\n",
                 line.name.c_str(), member.c_str(), name.c_str(),
                 describe(result, array.shape).c_str());
  }
  return good;
}

void Tuner::tune(const Line &line) {
  const KernelContract &contract = tuned.kernel->getContract();
  Problem problem(*tuned.kernel, line.args, line.name, watchdog, pool);
  problem.take("");
  const std::vector<Ranked> ranking = problem.rank();
  std::map<size_t, HostArray> expected;
  if (reference.kernel)
    expected = Problem(*reference.kernel, line.args, line.name, watchdog, pool).run();
  TunedLaunch launch{line.text, {}};
  std::vector<std::string> names;
  for (const Ranked &ranked : ranking) {
    if (!ranked.variant || (options.best && launch.members.size() >= options.best))
      continue;
    const std::string &name = contract.members[ranked.member].name;
    problem.take(name);
    std::map<size_t, HostArray> found = problem.run();
    if (expected.empty() && launch.members.empty())
      expected = std::move(found);
    else if (!agrees(name, found, expected, line)) {
      ++wrong;
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
    print(launch, ranking);
}

void Tuner::print(const TunedLaunch &launch, const std::vector<Ranked> &ranking) const {
  const KernelContract &contract = tuned.kernel->getContract();
  std::printf("%s\n", launch.text.c_str());
  size_t width = 0, taken = 0;
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
  for (const Ranked &ranked : ranking)
    taken += ranked.variant.has_value();
  if (const size_t others = contract.members.size() - taken)
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
    OrderedJson all = {{"kernel", tuned.kernel->getContract().name}, {"wrong", wrong}};
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
  if (wrong)
    fail(std::to_string(wrong) + " members differ from the reference, see above; no members are "
                                 "written");
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
  for (const Line &line : lines)
    tuner.tune(line);
  return tuner.finish();
}
