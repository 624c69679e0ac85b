// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- tile-run.cpp - Launch, check and time a compiled artifact ----------===//

#include "Bench.h"
#include "Buffer.h"
#include "CommandLine.h"
#include "Compare.h"
#include "Explain.h"
#include "Input.h"
#include "List.h"
#include "Options.h"
#include "Watchdog.h"
#include "tessera/Runtime/Launcher.h"
#include "tessera/Runtime/NumpyFile.h"

#ifndef JSON_NOEXCEPTION
#define JSON_NOEXCEPTION
#endif
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <unistd.h>

const char *const tile_run::toolName = "tile-run";

using namespace tile_run;
using namespace tessera::rt;
using OrderedJson = nlohmann::ordered_json;

namespace {
/// One run of the tool: the kernel, its arguments on the device, and the report.
class Session {
public:
  Session(const Options &options, Module &module, Kernel &kernel)
      : options(options), kernel(kernel), contract(kernel.getContract()),
        backend(module.getBackend()), scope(backend), watchdog(options.timeout),
        pool(options.threads), explain(contract) {}
  ~Session() {
    for (uint64_t base : owned)
      backend.free(scope.context, base);
  }

  void parseArguments();
  void resolveOptions();
  void makeArguments();
  void checkArguments();
  void makeTable(size_t index);
  void fillTables();
  void allocateImages(std::vector<uint64_t> &places);
  void moveArguments();
  void upload();
  void run();
  void runRepeatedly();
  void writeOutputs();
  bool checkOutputs();
  void printOutputs();
  void bench();
  void report(bool good);

private:
  /// An argument of the kernel, or an array whose address is in a table.
  std::string nameOf(size_t index) const {
    const size_t count = contract.args.size();
    return index < count ? contract.args[index].name : arrayNames[index - count];
  }
  std::string what(size_t index) const {
    return index < contract.args.size() ? describeArg(contract, index)
                                        : "array '" + nameOf(index) + "'";
  }
  size_t findArg(const std::string &option, const std::string &name) const;
  void must(bool good) {
    if (!good)
      fail(error.message);
  }
  void say(const std::string &line) {
    if (!options.json)
      std::printf("%s\n", line.c_str());
  }
  /// The elements of an argument as the last run has left them.
  HostArray result(size_t index) const {
    const Buffer &buffer = *buffers[index];
    return {buffer.getElement(), buffer.getShape(), buffer.gather(after[index])};
  }

  const Options &options;
  Kernel &kernel;
  const KernelContract &contract;
  Backend &backend;
  BackendScope scope;
  Watchdog watchdog;
  ThreadPool pool;
  Error error;
  struct Check {
    size_t arg;
    ArgSpec spec;
  };
  /// An element of a table of addresses: element `offset` of an array.
  struct Entry {
    size_t table;
    int64_t number;
    size_t array;
    int64_t offset;
  };
  std::vector<ArgSpec> specs;
  std::vector<Entry> entries;
  std::vector<std::string> arrayNames; ///< of the arrays after those of the arguments
  std::vector<Check> checks;
  std::vector<std::pair<size_t, std::string>> outs;
  std::vector<size_t> prints;
  std::vector<std::unique_ptr<Buffer>> buffers; ///< null for scalars
  std::vector<uint64_t> addresses;              ///< the addresses of images
  std::vector<uint64_t> otherAddresses;         ///< with --move: those of the next run
  std::vector<uint64_t> owned;
  std::vector<tessera_rt_arg> args;
  std::vector<std::string> after; ///< the images after the run
  size_t variant = 0;
  Explanation explain;
  OrderedJson json;
};

size_t Session::findArg(const std::string &option, const std::string &name) const {
  long long index = -1;
  for (size_t i = 0; i < arrayNames.size(); ++i)
    if (arrayNames[i] == name)
      return contract.args.size() + i;
  if (!parseInteger(name, index))
    for (size_t i = 0; i < contract.args.size(); ++i)
      if (contract.args[i].name == name)
        index = static_cast<long long>(i);
  if (index < 0 || static_cast<size_t>(index) >= contract.args.size())
    fail(option + ": kernel '" + contract.name + "' has no argument '" + name + "'");
  if (!contract.args[index].isMemref)
    fail(option + ": " + what(index) + " is a scalar");
  return static_cast<size_t>(index);
}

void Session::resolveOptions() {
  for (const auto &[name, file] : options.outs)
    outs.emplace_back(findArg("--out", name), file);
  for (const auto &[name, reference] : options.checks) {
    size_t arg = findArg("--check", name);
    checks.push_back({arg, parseArgSpec(reference, "--check of " + what(arg))});
  }
  for (const std::string &name : options.prints)
    prints.push_back(findArg("--print", name));
}

/// Reads the arguments, and names the arrays of tables.
void Session::parseArguments() {
  size_t count = contract.args.size();
  if (options.args.size() != count) {
    std::string list;
    for (const Argument &arg : contract.args)
      list += (list.empty() ? "" : ", ") + arg.name + ": " + printType(arg);
    fail("kernel '" + contract.name + "' takes " + std::to_string(count) + " arguments (" + list +
         "), " + std::to_string(options.args.size()) + " were given");
  }
  for (size_t i = 0; i < count; ++i)
    specs.push_back(parseArgSpec(options.args[i], what(i)));
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < specs[i].arrays.size(); ++k)
      if (specs[i].arrays[k].kind != ArgSpec::Kind::Place)
        arrayNames.push_back(contract.args[i].name + "[" + std::to_string(k) + "]");
}

/// Makes the arrays whose addresses are in a table.
void Session::makeTable(size_t index) {
  for (size_t k = 0; k < specs[index].arrays.size(); ++k) {
    const ArgSpec &spec = specs[index].arrays[k];
    Entry entry{index, static_cast<int64_t>(k), buffers.size(), 0};
    if (spec.kind == ArgSpec::Kind::Place) {
      entry.array = findArg("'" + spec.text + "' in " + what(index), spec.path);
      entry.offset = spec.offset;
      if (entry.offset > 0 && entry.offset >= buffers[entry.array]->count())
        fail(what(index) + ": '" + spec.text + "' is beyond the end of " + what(entry.array));
    } else {
      const std::string name =
          "array '" + contract.args[index].name + "[" + std::to_string(k) + "]'";
      // A file of 16-bit words of numpy, which has no bf16, is taken for bf16.
      HostArray array =
          makeArray(spec, tessera::rt::Element::BF16, /*anyType=*/true, buffers.size(), name, pool);
      constexpr size_t align = 256;
      buffers.push_back(std::make_unique<Buffer>(array, spec, options.guard, align, name));
    }
    entries.push_back(entry);
  }
}

/// Writes the addresses of this run's arrays into the tables.
void Session::fillTables() {
  for (const Entry &entry : entries)
    buffers[entry.table]->setElement(
        entry.number, buffers[entry.array]->place(addresses[entry.array], entry.offset));
}

void Session::makeArguments() {
  size_t count = contract.args.size();
  buffers.resize(count);
  addresses.assign(count, 0);
  args.assign(count, tessera_rt_arg());
  for (size_t i = 0; i < count; ++i) {
    const Argument &arg = contract.args[i];
    if (!arg.isMemref) {
      args[i].bits = makeScalar(specs[i], arg.element, what(i));
      continue;
    }
    HostArray array = makeArray(specs[i], arg.element, /*anyType=*/false, i, what(i), pool);
    if (array.shape.size() != arg.rank())
      fail(what(i) + ": rank must be " + std::to_string(arg.rank()) + ", '" + specs[i].text +
           "' has shape " + printShape(array.shape));
    buffers[i] = std::make_unique<Buffer>(array, specs[i], options.guard,
                                          static_cast<size_t>(arg.align), what(i));
  }
  for (size_t i = 0; i < count; ++i)
    makeTable(i);
  // Facts can be checked without a device, except alignment and overlap, which need addresses.
  // Without a driver, addresses are used that satisfy both, so that all other errors are reported.
  uint64_t somewhere = uint64_t{1} << 40;
  for (size_t i = 0; i < count; ++i)
    if (buffers[i]) {
      uint64_t align = static_cast<uint64_t>(contract.args[i].align);
      somewhere = (somewhere + align - 1) / align * align;
      args[i] = buffers[i]->argument(somewhere);
      somewhere += (buffers[i]->imageBytes() / 4096 + 1) * 4096;
    }
  checkArguments();
  must(scope.enter(error));
  allocateImages(addresses);
  if (options.move)
    allocateImages(otherAddresses);
  for (size_t i = 0; i < count; ++i)
    if (buffers[i])
      args[i] = buffers[i]->argument(addresses[i]);
  checkArguments();
  if (options.explain)
    explain.print(options.json);
}

/// Where no variant takes the arguments, the ranking says why.
void Session::checkArguments() {
  Error refused;
  const bool good = kernel.check(args.data(), args.size(), variant, refused);
  if (options.explain && kernel.rank(args.data(), args.size(), explain.ranking, error) && !good)
    explain.print(options.json);
  if (!good)
    fail(refused.message);
}

void Session::allocateImages(std::vector<uint64_t> &places) {
  places.assign(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    uint64_t base = 0;
    if (!buffers[i])
      continue;
    if (!buffers[i]->allocate(backend, base, places[i], error))
      fail(what(i) + ": " + error.message);
    owned.push_back(base);
  }
}

void Session::moveArguments() {
  std::swap(addresses, otherAddresses);
  for (size_t i = 0; i < args.size(); ++i)
    if (buffers[i])
      args[i] = buffers[i]->argument(addresses[i]);
}

void Session::upload() {
  fillTables();
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i])
      must(backend.copyIn(addresses[i], buffers[i]->getImage().data(), buffers[i]->imageBytes(),
                          error));
}

void Session::run() {
  upload();
  {
    WatchdogScope guard(watchdog, "kernel '" + contract.name + "'");
    must(kernel.launch(args.data(), args.size(), nullptr, error));
    if (!backend.synchronize(nullptr, error))
      fail("kernel '" + contract.name + "': " + error.message);
  }
  std::vector<std::string> images(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i])
      continue;
    images[i].resize(buffers[i]->imageBytes());
    must(backend.copyOut(images[i].data(), addresses[i], images[i].size(), error));
    std::string difference;
    // What a kernel does to the arrays of a table its contract does not say.
    const bool written = i >= args.size() || writes(contract.args[i].access) ||
                         std::any_of(entries.begin(), entries.end(),
                                     [&](const Entry &entry) { return entry.array == i; });
    if (options.guard && !buffers[i]->checkUntouched(images[i], written, difference))
      fail(what(i) + ": " + difference);
  }
  after = std::move(images);
}

void Session::runRepeatedly() {
  run();
  std::vector<std::string> first = after;
  for (unsigned repetition = 2; repetition <= options.repeat; ++repetition) {
    if (options.move)
      moveArguments();
    run();
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (!buffers[i] || first[i] == after[i])
        continue;
      // Tables have the addresses of this run's arrays.
      if (options.move && i < specs.size() && !specs[i].arrays.empty())
        continue;
      std::string a = buffers[i]->gather(first[i]), b = buffers[i]->gather(after[i]);
      Element element = buffers[i]->getElement();
      size_t size = elementSize(element);
      int64_t count = 0, at = -1;
      for (int64_t k = 0; k < buffers[i]->count(); ++k)
        if (std::memcmp(&a[k * size], &b[k * size], size) != 0 && !count++)
          at = k;
      if (!count)
        fail(what(i) + ": run " + std::to_string(repetition) +
             " differs from run 1 outside of its elements");
      fail(what(i) + ": run " + std::to_string(repetition) + " differs from run 1 in " +
           std::to_string(count) + " of " + std::to_string(buffers[i]->count()) +
           " elements, the first at " + printIndex(buffers[i]->getShape(), at) + ": " +
           printNumber(element, &a[at * size]) + ", then " + printNumber(element, &b[at * size]));
    }
  }
  const std::string &name = contract.variants[variant].name;
  std::string device = backend.describe();
  json["kernel"] = contract.name;
  json["variant"] = name;
  json["device"] = device;
  json["runs"] = options.repeat;
  json["launches_by_place"] = kernel.numByPlace();
  std::string times = options.repeat == 1
                          ? "once"
                          : std::to_string(options.repeat) + " times with bitwise equal results";
  say("ran kernel '" + contract.name + "', variant '" + name + "', " + times + " on " + device);
}

void Session::writeOutputs() {
  for (const auto &[index, file] : outs) {
    HostArray array = result(index);
    if (!writeNumpy(file, array.element, array.shape, array.data, error.message))
      fail("--out of " + what(index) + ": " + error.message);
  }
}

bool Session::checkOutputs() {
  bool good = true;
  for (const Check &check : checks) {
    HostArray found = result(check.arg);
    std::string where = "--check of " + what(check.arg);
    HostArray expected =
        makeArray(check.spec, found.element, /*anyType=*/true, check.arg, where, pool);
    if (expected.shape != found.shape)
      fail(where + ": its shape is " + printShape(found.shape) + ", '" + check.spec.text +
           "' has " + printShape(expected.shape));
    Tolerance tolerance = defaultTolerance(found.element);
    tolerance.rtol = check.spec.rtol.value_or(tolerance.rtol);
    tolerance.atol = check.spec.atol.value_or(tolerance.atol);
    tolerance.exact &= !check.spec.rtol && !check.spec.atol;
    Comparison comparison = compare(found, expected, tolerance, pool);
    char limits[80];
    std::snprintf(limits, sizeof(limits), " (rtol %g, atol %g)", tolerance.rtol, tolerance.atol);
    std::string text = describe(comparison, found.shape) + limits;
    OrderedJson entry = {{"arg", nameOf(check.arg)},
                         {"good", comparison.good()},
                         {"mismatches", comparison.mismatches},
                         {"count", comparison.count},
                         {"max_abs", comparison.maxAbs},
                         {"max_rel", comparison.maxRel},
                         {"frobenius", comparison.frobenius()},
                         {"rtol", tolerance.rtol},
                         {"atol", tolerance.atol}};
    if (comparison.worst >= 0) {
      entry["worst"] = printIndex(found.shape, comparison.worst);
      entry["found"] = comparison.found;
      entry["expected"] = comparison.expected;
    }
    json["checks"].push_back(std::move(entry));
    if (comparison.good()) {
      say("check of " + what(check.arg) + ": " + text);
    } else {
      good = false;
      std::fflush(stdout);
      std::fprintf(stderr, "tile-run: error: check of %s failed: %s\n", what(check.arg).c_str(),
                   text.c_str());
    }
  }
  return good;
}

void Session::printOutputs() {
  for (size_t index : prints) {
    HostArray array = result(index);
    size_t size = elementSize(array.element);
    int64_t row = array.shape.empty() ? 1 : array.shape.back();
    for (int64_t i = 0; i < array.count(); i += row) {
      std::string line = nameOf(index);
      if (array.shape.size() > 1) {
        std::vector<int64_t> outer(array.shape.begin(), array.shape.end() - 1);
        line += printIndex(outer, i / row);
      }
      line += " =";
      for (int64_t k = i; k < i + row; ++k)
        line += " " + printNumber(array.element, &array.data[k * size]);
      say(line);
    }
  }
}

void Session::bench() {
  // Copies of the arguments take turns; the arrays of tables are the same in all of them.
  std::vector<const Buffer *> list;
  for (size_t i = 0; i < args.size(); ++i)
    list.push_back(buffers[i].get());
  const std::vector<uint64_t> places(addresses.begin(),
                                     addresses.begin() + static_cast<std::ptrdiff_t>(args.size()));
  BenchResult result = runBench(options.bench, BenchProblem{kernel, list, args, places}, watchdog);
  bool isOverhead = options.bench == Bench::Overhead;
  char text[300];
  std::string line;
  std::snprintf(text, sizeof(text), "%s: %.3f us per %s (min %.3f), %zu x %lld launches",
                result.protocol.c_str(), result.medianUs, isOverhead ? "launch call" : "launch",
                result.minUs, result.samplesUs.size(), static_cast<long long>(result.launches));
  line = text;
  OrderedJson out = {{"protocol", result.protocol}, {"median_us", result.medianUs},
                     {"min_us", result.minUs},      {"samples_us", result.samplesUs},
                     {"launches", result.launches}, {"copies", result.copies}};
  for (const BenchResult::Kind &kind : result.kinds) {
    std::snprintf(text, sizeof(text), ", %s %.3f", kind.name.c_str(), kind.medianUs);
    line += text;
    out["kinds"][kind.name] = kind.medianUs;
  }
  if (!isOverhead) {
    double bandwidth = result.bytes / result.medianUs * 1e-3;
    std::snprintf(text, sizeof(text), ", %zu copies, %.0f bytes, %.1f GB/s", result.copies,
                  result.bytes, bandwidth);
    line += text;
    out["bytes"] = result.bytes;
    out["gb_per_s"] = bandwidth;
    if (options.flops) {
      double rate = *options.flops / result.medianUs * 1e-6;
      std::snprintf(text, sizeof(text), ", %.2f TFLOP/s", rate);
      line += text;
      out["tflop_per_s"] = rate;
    }
  }
  json["bench"] = std::move(out);
  say(line);
  if (options.explain && !isOverhead)
    say(explain.measured(result.medianUs));
}

void Session::report(bool good) {
  if (options.explain)
    json["members"] = explain.describe();
  json["good"] = good;
  if (options.json)
    std::printf("%s\n", json.dump(2, ' ', false, OrderedJson::error_handler_t::replace).c_str());
}
} // namespace

int main(int argc, char **argv) {
  std::set_new_handler([] {
    static const char message[] = "tile-run: error: out of host memory\n";
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
    _exit(1);
  });
  Options options = parseOptions(argc, argv);
  Error error;
  std::string bytes;
  if (!readFile(options.artifact, bytes, error.message))
    fail(error.message);
  std::unique_ptr<Module> module = Module::load(std::move(bytes), options.artifact, error);
  if (!module)
    fail(error.message);
  module->getBackend().setThreads(options.threads);
  module->getBackend().setDevice(options.device);
  module->getBackend().setDependentLaunch(options.dependentLaunch);
  module->getBackend().setPlaces(options.places);
  if (options.list) {
    printList(*module, options.json);
    return 0;
  }
  Kernel *kernel = module->find(options.kernel, error);
  if (!kernel || !(options.member.empty() ? kernel->forceVariant(options.variant, error)
                                          : kernel->forceMember(options.member, error)))
    fail(error.message);
  Session session(options, *module, *kernel);
  session.parseArguments();
  session.resolveOptions();
  session.makeArguments();
  session.runRepeatedly();
  session.writeOutputs();
  bool good = session.checkOutputs();
  session.printOutputs();
  if (good && options.bench != Bench::None)
    session.bench();
  session.report(good);
  return good ? 0 : 1;
}
